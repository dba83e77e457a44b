"""From the objects a kernel captured to the values of one launch.

One converter per parameter is chosen when a kernel is first used; a launch only calls them.
Non-goals: types (the front end has checked them). Invariant: scalars are copied by value.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.backends.base import HOST, BoundView
from unisycl.base.enums import address_space, aspect
from unisycl.base.errors import UsageError, errc
from unisycl.base.strides import whole
from unisycl.ir.enqueue_records import Commands
from unisycl.ir.nodes import Kernel, Param
from unisycl.ir.types import PointerType, Scalar, Struct, View
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import Capturable, Group
from unisycl.runtime.memory import usm
from unisycl.runtime.memory.allocation import aligned_bytes
from unisycl.runtime.memory.regions import pitches_of
from unisycl.runtime.memory.staging import Staged, strided_view

Converter = Callable[[Any, Group | None, Channel], Any]


def converters(kernel: Kernel) -> tuple[Converter, ...]:
    """Return one converter per kernel parameter, in order."""
    return tuple(_converter(p) for p in kernel.params)


def _converter(param: Param) -> Converter:
    if isinstance(param.type, View):
        if param.type.layout:
            return functools.partial(_convert_part, param.type.spread)
        return _convert_view
    if isinstance(param.type, Struct):
        return _convert_struct
    if isinstance(param.type, PointerType):
        return _convert_pointer
    return _scalar_converter(param.type)


def _scalar_converter(kind: Scalar) -> Converter:
    make: Any = kind.dtype.numpy.type

    def convert(raw: Any, group: Group | None, channel: Channel) -> Any:
        if type(raw) is make:
            return raw
        try:
            return make(raw)
        except OverflowError:
            raise UsageError(errc.kernel_argument, f"the number {raw} does not fit in "
                             f"{kind.dtype}, which kernels keep such numbers in") from None

    return convert


def _convert_struct(raw: Any, group: Group | None, channel: Channel) -> Any:
    return raw.copy()


def _convert_pointer(raw: Any, group: Group | None, channel: Channel) -> Any:
    return np.uint64(int(raw))


def _convert_view(raw: Any, group: Group | None, channel: Channel) -> Any:
    if isinstance(raw, Capturable):
        return raw.bind(group, channel)
    if type(raw) is np.ndarray:
        return bind_array(raw, channel, group)
    if isinstance(raw, Commands):
        return None
    fresh = getattr(raw, "__kernel_fresh__", None)
    if fresh is not None:
        return _fresh(fresh, channel)
    if getattr(raw, "__kernel_allocations__", False):
        return usm.allocations(channel)
    return bind_array(raw, channel, group)


def _fresh(dtype: Any, channel: Channel) -> BoundView:
    """Return one element of the launch's own, zero."""
    own = channel.driver.allocate(dtype.itemsize)
    memory = aligned_bytes(dtype.itemsize) if own is None else own
    view = BoundView(memory.view(dtype), 0, (1,), (1,))
    filled = channel.driver.fill(view, dtype.type(0), ())
    filled.wait()
    failed = filled.error()
    if failed is not None:
        raise failed
    return view


def _convert_part(spread: bool, raw: Any, group: Group | None, channel: Channel) -> Any:
    """Use an array that is a part of another one; ``spread``: elements of rows lie apart, too."""
    if not isinstance(raw, np.ndarray):
        return _lent(raw, channel)
    usm.check_alive(raw, group)
    _check_reachable(channel)
    if channel.driver.memory != HOST:
        lies = usm.in_place(raw, channel)
        if lies is None:
            return Staged(raw, spread)
        first = (int(raw.__array_interface__["data"][0]) - int(lies.ctypes.data)) // raw.itemsize
        return strided_view(raw, lies.view(raw.dtype), first, spread=spread)
    return strided_view(raw, *whole(raw), spread=spread)


def bind_array(array: Any, channel: Channel, group: Group | None = None) -> BoundView | Staged:
    """Use a NumPy array as a system allocation (SYCL 2020 §4.8.2), or a copy of it.

    A device with memory of its own works on a copy that lives as long as the launch, but for USM of
    the queue's context that NumPy sees, which it uses in place.
    """
    if not isinstance(array, np.ndarray):
        return _lent(array, channel)
    usm.check_alive(array, group)
    _check_reachable(channel)
    if not array.flags.c_contiguous:
        raise UsageError(errc.kernel_argument, "a NumPy array must be C-contiguous here; pass "
                         "np.ascontiguousarray(...) of it")
    shape = array.shape
    if channel.driver.memory != HOST:
        lies = usm.in_place(array, channel)
        return Staged(array) if lies is None else BoundView(
            lies.view(array.dtype), 0, shape, pitches_of(shape))
    return BoundView(array.reshape(-1), 0, shape, pitches_of(shape))


def _check_reachable(channel: Channel) -> None:
    """Refuse arrays where the device works on the host's memory, but reaches none of theirs."""
    info = channel.device.info
    if channel.driver.memory == HOST and aspect.usm_system_allocations not in info.aspects:
        raise UsageError(errc.kernel_argument, "a NumPy array can be a kernel argument only where "
                         f"the device has aspect.usm_system_allocations, and '{info.name}' has "
                         "not; use a buffer or malloc_shared")


def _lent(array: Any, channel: Channel) -> BoundView:
    """Return a view of an array that another library has on the queue's device."""
    view: BoundView | None = channel.driver.adopt.array(array)
    if view is None:
        raise UsageError(errc.kernel_argument, f"{type(array).__name__}: an array can be a kernel "
                         "argument on a queue of its own context only, and this queue's (of "
                         f"'{channel.device.info.name}') is another one; make the queue with "
                         "make_context(backend, array.context), or pass a copy, array.get()")
    return view


def local_bytes(kernel: Kernel) -> int:
    """Return the local memory that a kernel declares itself, per work-group."""
    return sum(a.nbytes for a in kernel.arrays if a.type.space is address_space.local_space)


def private_bytes(kernel: Kernel) -> int:
    """Return the private arrays that a kernel declares, per work-item."""
    return sum(a.nbytes for a in kernel.arrays if a.type.space is address_space.private_space)


def parameter_bytes(kernel: Kernel) -> int:
    """Return the bytes a kernel's parameters take."""
    return sum(p.type.size if isinstance(p.type, Struct) else p.type.dtype.size
               if isinstance(p.type, Scalar) else 8 for p in kernel.params)


def element_bytes(kind: Scalar | Struct) -> int:
    """Return the bytes of one element."""
    return kind.size
