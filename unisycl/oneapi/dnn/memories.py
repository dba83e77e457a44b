"""Memory of tensors, and the memory that an execution was given.

Non-goals: what lies in it. Invariants: memory that a program has is used in place; what is written
overlaps no other memory of an execution, unless it is that very memory and the primitive allows it.
"""

from __future__ import annotations

import functools
from typing import Any, TypeAlias

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dnn import descriptors
from unisycl.oneapi.dnn.descriptors import desc, format_kind
from unisycl.oneapi.dnn.engines import engine, require_engine
from unisycl.oneapi.dnn.names import data_type, error, numpy_type, status
from unisycl.oneapi.dnn.tags import format_tag
from unisycl.oneapi.frame.call import empty
from unisycl.oneapi.frame.operands import Memory
from unisycl.oneapi.mkl import memories as flat_memories

ALIGNED = 64
"""Where memory begins, in bytes: vectors of libraries are stored past the caches from there."""


class memory:
    """A tensor in memory (``dnnl::memory``).

    Args:
        what: its ``memory.desc``; or an array, a buffer or USM memory, which is used as it lies.
            A descriptor with ``format_tag.any`` gives a tensor row by row, which primitives reorder
            on the way where they laid theirs out otherwise.
        where: the engine.
        handle: the memory to use: an array, a buffer, USM memory; left out, memory is allocated.
    """

    desc: TypeAlias = desc
    data_type = data_type
    format_tag = format_tag
    format_kind = format_kind
    dims = tuple

    __slots__ = ("_desc", "_engine", "_handle", "free")

    def __init__(self, what: Any, where: Any, handle: Any = None) -> None:
        self._engine = require_engine("memory", where)
        if not isinstance(what, desc):
            if isinstance(what, tuple) and len(what) == 3:
                what = desc(*what)
            else:
                what, handle = descriptors.of_array(what), what
        self.free = what.get_format_kind() is format_kind.any
        self._desc: descriptors.desc = descriptors.settled(what)
        if self._desc.is_zero():
            raise error("memory: its descriptor describes nothing")
        self._handle: Any = None
        if handle is None:
            try:
                handle = self._allocated()
            except (MemoryError, ValueError, OverflowError, sycl.exception) as why:
                if isinstance(why, sycl.exception) and why.code() != sycl.errc.memory_allocation:
                    raise
                raise error(f"memory: there is no room for {self._desc!r}",
                            status.out_of_memory) from None
        self.set_data_handle(handle)

    def _allocated(self) -> Any:
        kind = numpy_type(self._desc.get_data_type())
        count = max(1, -(-self._desc.get_size() // kind.itemsize))
        device = self._engine.device
        if device.has(sycl.aspect.usm_shared_allocations) or device.has(
                sycl.aspect.usm_system_allocations):
            spare = ALIGNED // kind.itemsize
            found = empty(self._engine.queue, count + spare, kind)
            first = -found.ctypes.data % ALIGNED // kind.itemsize
            found = found[first:first + count]
            found[:] = 0
            return found
        return sycl.buffer(np.zeros(count, kind))

    def get_desc(self) -> descriptors.desc:
        """Return the descriptor."""
        return self._desc

    def get_engine(self) -> engine:
        """Return the engine."""
        return self._engine

    def get_data_handle(self) -> Any:
        """Return the memory."""
        return self._handle

    def set_data_handle(self, handle: Any) -> None:
        """Use other memory, of the same type and enough of it."""
        operand("memory", "the handle", self._desc, handle)
        self._handle = handle

    def map_data(self) -> Any:
        """Return the tensor as an array of the host: in place where the host reaches it.

        Of a layout with blocks, the array has one dimension, of the elements as they lie.
        """
        x = self._handle
        if isinstance(x, sycl.usm_pointer):
            x = np.asarray(x.get_view()) if hasattr(x, "get_view") else np.asarray(x)
        elif isinstance(x, sycl.buffer):
            x = np.asarray(sycl.host_accessor(x))
        x = _in_order(x)
        layout = self._desc.layout() if self._desc.get_format_kind() is not format_kind.opaque \
            else None
        if layout is None or not layout.is_plain():
            return x
        steps = [s * x.itemsize for s in layout.strides]
        return np.lib.stride_tricks.as_strided(x[layout.offset:], layout.dims, steps)

    def unmap_data(self, mapped: Any = None) -> None:
        """End the use of ``map_data``'s array, which has nothing to be copied back from."""

    def __repr__(self) -> str:
        return f"<memory of {self._desc!r}>"


def _in_order(x: Any) -> Any:
    if x.ndim == 1:
        return x
    if x.flags.c_contiguous:
        return x.reshape(-1)
    order = sorted(range(x.ndim), key=lambda k: (-abs(x.strides[k]), k))
    return _reach(x.transpose(order))


def _reach(x: Any) -> Any:
    """Return everything between an array's first and last element, where that has gaps, too."""
    if not x.size:
        return x.reshape(-1)
    count = sum((n - 1) * s for n, s in zip(x.shape, x.strides, strict=True)) // x.itemsize + 1
    return np.lib.stride_tricks.as_strided(x, (count,), (x.itemsize,), writeable=x.flags.writeable)


def operand(name: str, what: str, wanted: desc, given: Any, *, writes: bool = False) -> Memory:
    """Return memory that was given for a tensor; refuse what does not hold it."""
    kind = numpy_type(wanted.get_data_type())
    x = given
    if isinstance(x, np.ndarray):
        if x.dtype != kind:
            raise error(f"{name}: {what} has elements of {x.dtype}; {kind} is needed")
        if not x.flags.c_contiguous:
            _matches(name, what, wanted, x)
        x = _in_order(x)
    try:
        found = flat_memories.flat(name, what, x)
    except sycl.UsageError as problem:
        raise error(str(problem)) from None
    if found.dtype != kind:
        raise error(f"{name}: {what} has elements of {found.dtype}; {kind} is needed")
    need = -(-wanted.get_size() // kind.itemsize)
    if (found.size or 0) < need:
        raise error(f"{name}: {what} has {found.size} elements where {need} are needed for "
                    f"{wanted!r}")
    base: Any = found.base
    if isinstance(base, sycl.usm_pointer):
        getattr(base, "block").bytes()  # noqa: B009 -- refuses what was freed; no public name
    if writes and not found.writable:
        raise error(f"{name}: {what} cannot be written")
    if writes and _meets_itself(wanted):
        raise error(f"{name}: {what} is written, and several elements of {wanted!r} lie in one "
                    "place; give memory with a place for each")
    part = found.part(0, need)
    part.writable = writes
    return part


def _meets_itself(wanted: desc) -> bool:
    """Say whether two elements of a tensor share a place."""
    if wanted.get_format_kind() is not format_kind.blocked or not wanted.layout().is_plain():
        return False
    layout, reach = wanted.layout(), 0
    if not layout.volume():
        return False
    for step, n in sorted((abs(s), n) for n, s in zip(layout.dims, layout.strides, strict=True)
                          if n > 1):
        if step <= reach:
            return not step or _shares_places(layout.dims, layout.strides)
        reach += step * (n - 1)
    return False


@functools.lru_cache(maxsize=64)
def _shares_places(dims: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Say so where strides alone do not tell: by the places of all elements."""
    places = np.zeros(1, np.int64)
    for n, s in zip(dims, strides, strict=True):
        places = (places[:, None] + np.arange(n) * s).reshape(-1)
    return bool(np.unique(places).size < places.size)


def _matches(name: str, what: str, wanted: desc, x: Any) -> None:
    """Refuse an array whose gaps are not those of the descriptor."""
    if wanted.get_format_kind() is format_kind.blocked and wanted.dims == x.shape and (
            descriptors.of_array(x) == wanted):
        return
    raise error(f"{name}: {what} is an array with strides {x.strides} (bytes), which {wanted!r} "
                "does not have; give memory(array, engine), or a copy row by row")


def meet(a: Memory, b: Memory) -> bool:
    """Say whether two memories share a byte."""
    return any(x.meets(y) for x in a.extents() for y in b.extents())


def same(a: Memory, b: Memory) -> bool:
    """Say whether two memories are the very same elements."""
    return a.extents() == b.extents()
