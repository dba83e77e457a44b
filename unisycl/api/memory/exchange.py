"""Memory of other libraries: NumPy's protocol, DLPack, and the SYCL USM array interface.

Non-goals: memory that the host cannot address. Invariant: nothing is copied; importing memory keeps
its owner alive and frees nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.api.memory import dlpack, usm
from unisycl.api.memory.usm import usm_pointer
from unisycl.base.enums import aspect, usm_kind
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.devices.devices import require_aspect
from unisycl.runtime.memory import usm as blocks
from unisycl.runtime.memory.allocation import Array

_HOSTS = (1, 3, 11, 13)  # DLPack's host memory, and pinned or managed memory of vendors
_SYCL = 14  # DLPack's name of SYCL's memory, host and shared allocations among it


class _Held:
    """Describes memory to NumPy and keeps its owner alive."""

    def __init__(self, interface: dict[str, Any], owner: object) -> None:
        self.__array_interface__ = interface
        self.owner = owner


def as_host_array(thing: Any) -> Array | None:
    """Return another library's array as a NumPy array over the same memory; None if it is none.

    What is taken: arrays, objects with a buffer, ``__array_interface__``,
    ``__sycl_usm_array_interface__`` or ``__dlpack__``, in this order.
    """
    if isinstance(thing, np.ndarray):
        return thing
    try:
        return np.asarray(memoryview(thing))
    except (TypeError, BufferError):
        pass
    if hasattr(thing, "__array_interface__"):
        return np.asarray(thing)
    if hasattr(thing, "__sycl_usm_array_interface__"):
        return _usm_array(thing)
    return _dlpack_array(thing, writable=None) if hasattr(thing, "__dlpack__") else None


def _dlpack_array(thing: Any, *, writable: bool | None) -> Array:
    try:
        kind = thing.__dlpack_device__()[0]
    except (ValueError, BufferError, RuntimeError) as err:
        raise UsageError(errc.invalid, f"from_dlpack: {err}") from err
    if kind == _SYCL and hasattr(thing, "__sycl_usm_array_interface__"):
        return _writable(_usm_array(thing), writable)
    if kind not in _HOSTS:
        raise UsageError(errc.invalid, f"from_dlpack: the {type(thing).__name__} lies on a device "
                         f"(DLPack device type {int(kind)}) whose memory the host cannot address; "
                         "copy it to the host first")
    return _writable(dlpack.take(thing), writable)


def _writable(array: Array, writable: bool | None) -> Array:
    """Return an array that may be written as ``writable`` says; None: as it is."""
    if writable is None or writable == array.flags.writeable:
        return array
    bare = dlpack.bare(array)
    interface = dict(bare.__array_interface__)
    interface["data"] = (interface["data"][0], not writable)
    return np.asarray(_Held(interface, array)).view(array.dtype)


def _usm_array(thing: Any) -> Array:
    """Return memory described by the SYCL USM array interface, version 1, as an array."""
    interface = dict(thing.__sycl_usm_array_interface__)
    kind = getattr(thing, "usm_type", None) or getattr(thing, "get_usm_type", str)()
    if kind == "device":
        raise UsageError(errc.invalid, f"the {type(thing).__name__} is a device allocation, which "
                         "the host cannot address; copy it to the host or to shared memory first")
    size = np.dtype(interface["typestr"]).itemsize
    strides = interface.get("strides")
    address, readonly = interface["data"]
    held = {"data": (address + interface.get("offset", 0) * size, bool(readonly)),
            "shape": tuple(interface["shape"]), "typestr": interface["typestr"], "version": 3,
            "strides": None if strides is None else tuple(s * size for s in strides)}
    return np.asarray(_Held(held, thing))


@ends_at_call
def from_dlpack(source: Any, *where: Any, writable: bool | None = None) -> usm_pointer:
    """Return an array of any library that speaks DLPack as memory for kernels, without a copy.

    Args:
        source: an object with ``__dlpack__`` whose memory the host can address, C-contiguous.
        where: the queue, or the device and context, whose kernels will use it.
        writable: whether kernels may write; left out, as the source says. Sources of DLPack
            before 1.0 cannot say and count as read-only.

    Returns:
        Shared memory; freeing it lets go of the source. Finish what runs on either side before
        the other one begins.
    """
    if not hasattr(source, "__dlpack__"):
        raise UsageError(errc.invalid, f"from_dlpack: a {type(source).__name__} has no __dlpack__")
    return _adopt("from_dlpack", _dlpack_array(source, writable=writable), where)


@ends_at_call
def from_usm_array(source: Any, *where: Any, writable: bool | None = None) -> usm_pointer:
    """Return memory with the SYCL USM array interface, such as dpctl's, as memory for kernels.

    Args:
        source: an object with ``__sycl_usm_array_interface__``, C-contiguous, host or shared.
        where: the queue, or the device and context, whose kernels will use it.
        writable: whether kernels may write; left out, as the source says. ``dpctl.memory``'s
            objects (not dpctl's and dpnp's arrays) say of theirs that they may not be.
    """
    if isinstance(source, usm_pointer):
        return source
    if not hasattr(source, "__sycl_usm_array_interface__"):
        raise UsageError(errc.invalid, f"from_usm_array: a {type(source).__name__} has no "
                         "__sycl_usm_array_interface__")
    return _adopt("from_usm_array", _writable(_usm_array(source), writable), where)


def _adopt(what: str, array: Array, where: tuple[Any, ...]) -> usm_pointer:
    if not array.flags.c_contiguous or not array.flags.aligned or not 1 <= array.ndim <= 3:
        raise UsageError(errc.invalid, f"{what}: the memory must be C-contiguous and aligned, of 1 "
                         "to 3 dimensions; make it so, or copy it")
    device, context = usm.place(usm_kind.shared, list(where))
    memory = array.reshape(-1).view(np.uint8)
    if device.driver.memory != "host":
        known = blocks.inside(context, memory)
        if known is not None:
            memory = known.view()
            memory.flags.writeable = array.flags.writeable
        else:
            reached = device.driver.reach(memory)
            if reached is None:
                require_aspect(device, aspect.usm_system_allocations, f"{what}: memory of the host")
            memory = memory if reached is None else reached
    block = blocks.Block.over(memory, context, device)
    return usm_pointer(block, array.dtype, array.shape)
