"""Copies and fills on a device with memory of its own: within it, and between it and the host.

Non-goals: when data moves (``runtime``). Invariants: nothing here waits; what lies between the rows
of a view is never written; a step in between is kept alive until the last one has ended.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from unisycl.backends import strided
from unisycl.backends.base import BoundView
from unisycl.backends.opencl.errors import translated
from unisycl.backends.opencl.memory.objects import DeviceArray, address
from unisycl.backends.opencl.memory.shared import SharedArray
from unisycl.backends.opencl.session import Session
from unisycl.base.errors import DeviceError, errc

Waits = list[Any] | None
Move = Callable[[Any, BoundView, Any, Waits], tuple[Any, object]]
_THERE = DeviceArray, SharedArray
_PATTERNS = frozenset((1, 2, 4, 8, 16, 32, 64, 128))


class Steps(NamedTuple):
    """What a transfer of several steps keeps, and the events of those before its last."""

    events: tuple[Any, ...]
    kept: object


def events_of(kept: object) -> tuple[Any, ...]:
    """Return the events of a transfer's steps before its last."""
    return kept.events if isinstance(kept, Steps) else ()


class Transfers:
    """The transfers of one queue.

    Args:
        session: the platform the queue belongs to.
        queue: PyOpenCL's queue.
        move: runs a kernel that copies or fills a view with gaps; returns its event and what it
            uses.
        reads_early: what the host's data depend on must have ended before they are sent.
        most: the largest memory object, in bytes; 0 if that is not known.
    """

    def __init__(self, session: Session, queue: Any, move: Move, *, reads_early: bool = False,
                 most: int = 0) -> None:
        self._cl = session.cl
        self._api = session.api
        self._context = session.context
        self._queue = queue
        self._move = move
        self._reads_early = reads_early
        self._most = most

    def allocate(self, nbytes: int) -> DeviceArray:
        """Return bytes of the device's memory."""
        size = max(1, nbytes)
        if self._most and size > self._most:
            raise DeviceError(errc.memory_allocation, f"{size} bytes were asked for; the device "
                              f"allocates at most {self._most} at once; use smaller buffers")
        try:
            made = self._cl.Buffer(self._context, self._cl.mem_flags.READ_WRITE, size)
        except self._cl.Error as error:
            raise translated(f"allocating {size} bytes", error) from error
        return DeviceArray.over(made, size)

    def zeros(self, nbytes: int) -> DeviceArray:
        """Return bytes of the device's memory that are 0 already."""
        flags, none = self._cl.mem_flags, np.zeros(nbytes, np.uint8)
        try:
            made = self._cl.Buffer(self._context, flags.READ_WRITE | flags.COPY_HOST_PTR,
                                   hostbuf=none)
        except self._cl.Error as error:
            raise translated(f"allocating {nbytes} bytes", error) from error
        return DeviceArray.over(made, nbytes)

    def copy(self, dst: BoundView, src: BoundView, waits: Waits) -> tuple[Any, object]:
        """Copy equal shapes; return the event of the last step, and what to keep until then."""
        if _shared(dst, src) and strided.is_dense(dst) and strided.is_dense(src):
            return self._addresses(dst, src, waits), (dst, src)
        if isinstance(dst.memory, _THERE):
            if isinstance(src.memory, _THERE):
                return self._within(dst, src, waits)
            if _is_block(dst) and strided.is_dense(src):
                return self._write(dst, src, waits), (dst, src)
            middle = self._like(src)
            first = self._write(middle, src, waits)
        elif _is_block(src) and strided.is_dense(dst):
            return self._read(dst, src, waits), (dst, src)
        else:
            middle = self._like(src)
            first, kept = self._within(middle, src, waits)
            return self._read(dst, middle, [first]), Steps((first,), (dst, kept, middle))
        event, kept = self._within(dst, middle, [first])
        return event, Steps((first,), (kept, src, middle))

    def fill(self, dst: BoundView, value: Any, waits: Waits) -> tuple[Any, object]:
        """Write one value everywhere; return the event, and what to keep until then."""
        memory = dst.memory
        if isinstance(memory, _THERE):
            if strided.is_dense(dst) and value.itemsize in _PATTERNS:
                if isinstance(memory, SharedArray):
                    count, raw = math.prod(dst.shape) * value.itemsize, value.tobytes()
                    return self._api.fill(self._queue, address(dst), raw, count, waits or ()), (
                        dst, raw)
                low, size = _bytes(dst)
                event = self._cl.enqueue_fill_buffer(
                    self._queue, memory.buffer, np.frombuffer(value.tobytes(), np.uint8), low, size,
                    wait_for=waits)
                return event, dst
            if strided.as_scalars(dst) is dst:
                return self._move(strided.fill_kernel, dst, value[()], waits)
        row = np.full(math.prod(dst.shape), value)
        pitches = tuple(math.prod(dst.shape[d + 1:]) for d in range(len(dst.shape)))
        return self.copy(dst, BoundView(row, 0, dst.shape, pitches), waits)

    def _like(self, view: BoundView) -> BoundView:
        """Return a view of fresh memory on the device with the shape of another one."""
        memory = self.allocate(math.prod(view.shape) * view.memory.dtype.itemsize)
        pitches = tuple(math.prod(view.shape[d + 1:]) for d in range(len(view.shape)))
        return BoundView(memory.view(view.memory.dtype), 0, view.shape, pitches)

    def _within(self, dst: BoundView, src: BoundView, waits: Waits) -> tuple[Any, object]:
        objects = type(dst.memory) is type(src.memory) is DeviceArray
        if objects and strided.is_dense(dst) and strided.is_dense(src):
            (to, size), (start, _) = _bytes(dst), _bytes(src)
            event = self._cl.enqueue_copy(
                self._queue, dst.memory.buffer, src.memory.buffer, byte_count=size,
                src_offset=start, dst_offset=to, wait_for=waits)
            return event, (dst, src)
        return self._move(strided.copy_kernel, strided.as_scalars(dst), strided.as_scalars(src),
                          waits)

    def _addresses(self, dst: BoundView, src: BoundView, waits: Waits) -> Any:
        """Copy between shared allocations, or between one and the host's memory."""
        self._await_host(src, waits)
        size = math.prod(dst.shape) * dst.memory.dtype.itemsize
        return self._api.copy(self._queue, address(dst), address(src), size, waits or ())

    def _await_host(self, src: BoundView, waits: Waits) -> None:
        if waits and self._reads_early and not isinstance(src.memory, SharedArray):
            self._queue.flush()
            self._cl.wait_for_events(waits)

    def _write(self, dst: BoundView, src: BoundView, waits: Waits) -> Any:
        low, _ = _bytes(dst)
        self._await_host(src, waits)
        if not strided.is_dense(src):
            return self._cl.enqueue_copy(self._queue, dst.memory.buffer, _host_rows(src),
                                         wait_for=waits, is_blocking=False, **_rectangle(src))
        return self._cl.enqueue_copy(self._queue, dst.memory.buffer, _host_bytes(src),
                                     dst_offset=low, wait_for=waits, is_blocking=False)

    def _read(self, dst: BoundView, src: BoundView, waits: Waits) -> Any:
        low, _ = _bytes(src)
        if not strided.is_dense(dst):
            return self._cl.enqueue_copy(self._queue, _host_rows(dst), src.memory.buffer,
                                         wait_for=waits, is_blocking=False, **_rectangle(dst))
        return self._cl.enqueue_copy(self._queue, _host_bytes(dst), src.memory.buffer,
                                     src_offset=low, wait_for=waits, is_blocking=False)


def _is_block(view: BoundView) -> bool:
    """Say whether a view is one run of bytes of a memory object."""
    return isinstance(view.memory, DeviceArray) and strided.is_dense(view)


def _rectangle(view: BoundView) -> dict[str, Any]:
    """Return how rows of the host's memory with gaps correspond to a memory object without any."""
    size = view.memory.dtype.itemsize
    height, width = view.shape
    return {"buffer_origin": (0, 0, 0), "host_origin": (0, 0, 0),
            "region": (width * size, height, 1), "buffer_pitches": (width * size, 0),
            "host_pitches": (view.pitches[0] * size, 0)}


def _host_rows(view: BoundView) -> np.ndarray[Any, Any]:
    """Return the bytes of rows of the host's memory, and of what lies between them."""
    height, width = view.shape
    count = (height - 1) * view.pitches[0] + width
    found: np.ndarray[Any, Any] = view.memory[view.offset:view.offset + count].view(np.uint8)
    return found


def _shared(dst: BoundView, src: BoundView) -> bool:
    """Say whether both are addresses, and one of an allocation that kernels reach."""
    kinds = isinstance(dst.memory, SharedArray), isinstance(src.memory, SharedArray)
    return any(kinds) and DeviceArray not in (type(dst.memory), type(src.memory))


def _bytes(view: BoundView) -> tuple[int, int]:
    """Return where a view without gaps starts in its memory object, and its size, in bytes."""
    memory: DeviceArray = view.memory
    return (memory.start + view.offset * memory.itemsize,
            math.prod(view.shape) * memory.itemsize)


def _host_bytes(view: BoundView) -> np.ndarray[Any, Any]:
    """Return the bytes of a view of the host's memory without gaps."""
    memory = view.memory
    count = math.prod(view.shape)
    found: np.ndarray[Any, Any] = memory[view.offset:view.offset + count].view(np.uint8)
    return found
