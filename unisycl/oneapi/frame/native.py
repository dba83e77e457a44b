"""Work that a library does on the memory of a routine: as one command of the queue.

On the processor it is done where the command begins: in the submitting thread where it is short and
nothing is in its way, else in a thread of the runtime. A device's own library gives commands to the
device's queue. A library of the host behind another device is a host task. What the library does
not reach is copied, there and back. Non-goals: what the library does. Invariant: the work is
ordered by events and by accessors, as a kernel is, so it is recorded in graphs and profiled, too.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.operands import Memory
from unisycl.oneapi.frame.providers import Place, is_processor

CELL: Any = ctypes.c_char.from_buffer
"""What makes C's view of writable memory without gaps, whose ``ADDRESS`` can be asked for."""
ADDRESS = ctypes.addressof
SHORT = 1 << 26
"""Work of so many operations at most, about a millisecond, is done in the submitting thread."""


class Bound:
    """Memory of one command, as a library gets it: an address, or an array where it is host's."""

    __slots__ = ("address", "count", "dtype", "kept")

    def __init__(self, address: int, count: int, dtype: np.dtype[Any], kept: Any = None) -> None:
        self.address, self.count, self.dtype, self.kept = address, count, dtype, kept

    def array(self) -> Any:
        """Return the elements as an array, without a copy; on the host only."""
        if not self.count:
            return np.empty(0, self.dtype)
        raw: Any = (ctypes.c_char * (self.count * self.dtype.itemsize)).from_address(self.address)
        return np.ndarray(self.count, self.dtype, raw)


Work = Callable[..., None]
"""What does the work: called with the device's queue (None on the host), and each ``Bound``."""


def give(queue: sycl.queue, place: Place, name: str, work: Work, operands: Sequence[Memory],
         after: Sequence[sycl.event], *, cost: float, sure: bool = False) -> sycl.event:
    """Have a library do work behind events, and return its event.

    Short work that is ``sure`` not to fail is done at once where nothing is in its way.
    """
    processor = is_processor(queue.get_device())
    if sure and not after and cost <= SHORT and processor and not any(
            m.has_buffer() for m in operands):
        bound = [_known(m) for m in operands]
        if queue.ext_unisycl_call_now(work, None, *bound):
            return sycl.event()
    if not processor and _staged(queue, place, operands):
        return _with_copies(queue, place, name, work, operands, after)
    host = place is Place.host or (processor and cost > SHORT)

    def group(h: sycl.handler) -> None:
        if after:
            h.depends_on(list(after))
        bound = [_reader(m, h, host) for m in operands]

        def run(handle: Any) -> None:
            work(None if host or processor else handle.get_native_queue(),
                 *(b(handle) for b in bound))

        run.__name__ = run.__qualname__ = name
        if host:
            h.host_task(run)
        else:
            h.ext_codeplay_enqueue_native_command(run)

    return queue.submit(group)


def again(queue: sycl.queue, place: Place, name: str, work: Work,
          operands: Sequence[Memory]) -> Callable[[Any], None] | None:
    """Return the command group of a device's library that may be submitted again and again.

    None where memory must be asked for each time, or copied, and where nobody's queue is given to.
    """
    if place is not Place.device or is_processor(queue.get_device()) or any(
            m.has_buffer() for m in operands) or _staged(queue, place, operands):
        return None
    bound = [_known(m) for m in operands]

    def run(handle: Any) -> None:
        work(handle.get_native_queue(), *bound)

    run.__name__ = run.__qualname__ = name

    def group(h: sycl.handler) -> None:
        h.ext_codeplay_enqueue_native_command(run)

    return group


def _reader(memory: Memory, h: sycl.handler, host: bool) -> Callable[[Any], Bound]:
    """Return what gives the memory when the command runs."""
    base = memory.base
    skip = memory.first * np.dtype(base.dtype).itemsize
    if isinstance(base, sycl.buffer):
        return _accessed(base, h, host, memory, skip)
    found = _known(memory)

    def known(_: Any) -> Bound:
        if host and not isinstance(base, np.ndarray):
            base.get_view()
        return found

    return known


def _known(memory: Memory) -> Bound:
    """Return memory whose address is known before the command begins."""
    base = memory.base
    dtype = np.dtype(base.dtype)
    address = base.ctypes.data if isinstance(base, np.ndarray) else base.address()
    return Bound(address + memory.first * dtype.itemsize, memory.size or 0, dtype, base)


def _accessed(base: Any, h: sycl.handler, host: bool, memory: Memory,
              skip: int) -> Callable[[Any], Bound]:
    size, dtype = memory.size or 0, np.dtype(base.dtype)
    if host:
        mode = sycl.read_write_host_task if memory.writable else sycl.read_only_host_task
    else:
        mode = sycl.read_write if memory.writable else sycl.read_only
    access = sycl.accessor(base, h, mode)

    def found(handle: Any) -> Bound:
        if host:
            array = np.asarray(access)
            return Bound(array.ctypes.data + skip, size, dtype, array)
        native = handle.get_native_mem(access)
        if isinstance(native, np.ndarray):
            return Bound(native.ctypes.data + skip, size, dtype, native)
        return Bound(native.__cuda_array_interface__["data"][0] + skip, size, dtype, native)

    return found


# ---------------------------------------------------------------------------- copies
def _staged(queue: sycl.queue, place: Place, operands: Sequence[Memory]) -> list[int]:
    """Return which operands the library cannot reach in place."""
    if is_processor(queue.get_device()):
        return []
    apart = _is_of_device if place is Place.host else _is_of_host
    return [k for k, m in enumerate(operands) if apart(m.base, queue)]


def _is_of_device(base: Any, queue: sycl.queue) -> bool:
    return isinstance(base, sycl.usm_pointer) and sycl.get_pointer_type(
        base, queue.get_context()) is sycl.usm.alloc.device


def _is_of_host(base: Any, queue: sycl.queue) -> bool:
    """Say whether it is an array that the device does not reach: USM seen as one, it does."""
    return isinstance(base, np.ndarray) and not queue.get_device().has(
        sycl.aspect.usm_system_allocations) and sycl.get_pointer_type(
            base, queue.get_context()) is sycl.usm.alloc.unknown


def _with_copies(queue: sycl.queue, place: Place, name: str, work: Work,
                 operands: Sequence[Memory], after: Sequence[sycl.event]) -> sycl.event:
    """Copy what the library cannot reach to where it works, do the work, copy what is written."""
    inside, events = list(operands), list(after)
    staged = _staged(queue, place, operands)
    for k in staged:
        size, dtype = operands[k].size or 0, np.dtype(operands[k].base.dtype)
        near = np.empty(size, dtype) if place is Place.host else sycl.malloc_device(
            max(size, 1), dtype, queue)
        inside[k] = Memory(near, 0, size)
        if size:
            events.append(queue.copy(_from(operands[k]), near, size, depends_on=list(after)))
    last = give(queue, place, name, work, inside, events, cost=0)
    back = [queue.copy(inside[k].base, _from(operands[k]), operands[k].size, depends_on=last)
            for k in staged if operands[k].writable and operands[k].size]
    return queue.ext_oneapi_submit_barrier(back) if back else last


def _from(memory: Memory) -> Any:
    """Return where elements begin."""
    if isinstance(memory.base, np.ndarray):
        return memory.base[memory.first:]
    return memory.base.pointer_to(memory.first)
