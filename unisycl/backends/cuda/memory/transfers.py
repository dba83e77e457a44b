"""Copies and fills: within what a card reaches, and between it and other memory of the host's.

What is small waits in pinned memory; large arrays of the host's are copied by threads, since the
driver blocks whoever copies them. Non-goals: when data move (``runtime``). Invariants: nothing here
waits, but for the host's own memory; what lies between the rows of a view is never written.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unisycl.backends import strided
from unisycl.backends.base import BoundView, Completion
from unisycl.backends.cuda.api import Copy2D
from unisycl.backends.cuda.commands.commands import Commands
from unisycl.backends.cuda.commands.completion import CuCompletion
from unisycl.backends.cuda.commands.lanes import Lane
from unisycl.backends.cuda.commands.threads import Workers
from unisycl.backends.cuda.memory.arrays import UnifiedArray, address_of, is_reached
from unisycl.backends.cuda.memory.heap import Heap
from unisycl.backends.device.loans import Loan, Pool

STAGED = 1 << 20
"""The bytes from which on a copy does not wait in pinned memory."""
UNIFIED = 4  # CU_MEMORYTYPEUNIFIED
_SETS = {1: "cuMemsetD8Async", 2: "cuMemsetD16Async", 4: "cuMemsetD32Async"}
_COPY, _FILL = ("a copy", None), ("a fill", None)
Move = Callable[[Any, BoundView, Any, Sequence[Any]], CuCompletion]


class Transfers:
    """The transfers of one driver; ``move`` runs a kernel that copies or fills a view with gaps."""

    def __init__(self, commands: Commands, heap: Heap, workers: Workers, move: Move) -> None:
        self._commands = commands
        self._api = commands.session.api
        self._heap = heap
        self._workers = workers
        self._move = move
        self._pool: Pool[UnifiedArray] = Pool()

    def copy(self, dst: BoundView, src: BoundView, deps: Sequence[Any]) -> Completion:
        """Copy equal shapes."""
        if is_reached(dst):
            if is_reached(src):
                return self._within(dst, src, deps)
            return self._write(dst, src, deps)
        return self._read(dst, src, deps)

    def fill(self, dst: BoundView, value: Any, deps: Sequence[Any]) -> Completion:
        """Write one value everywhere."""
        name = _SETS.get(value.itemsize)
        if 0 in dst.shape or (strided.is_dense(dst) and name is not None):
            count, at = math.prod(dst.shape), address_of(dst)
            raw = int.from_bytes(value.tobytes(), "little")
            return self._begin(lambda lane: self._api.attempt(
                name or "", at, raw, count, lane.value) if count else 0, deps, dst, _FILL)
        if strided.as_scalars(dst) is dst:
            return self._move(strided.fill_kernel, dst, value[()], deps)
        row = np.full(math.prod(dst.shape), value)
        return self.copy(dst, _dense(row, dst.shape), deps)

    def _begin(self, call: Callable[[Lane], int], deps: Sequence[Any], keep: object,
               told: Any = _COPY, after: Any = None) -> CuCompletion:
        return self._commands.begin(call, deps, told, keep, after)

    # ------------------------------------------------------------------ where the card reaches both
    def _within(self, dst: BoundView, src: BoundView, deps: Sequence[Any]) -> CuCompletion:
        count = math.prod(dst.shape) * dst.memory.dtype.itemsize
        if strided.is_dense(dst) and strided.is_dense(src):
            to, start = (address_of(dst), address_of(src)) if count else (0, 0)
            return self._begin(lambda lane: self._api.attempt(
                "cuMemcpyAsync", to, start, count, lane.value) if count else 0, deps, (dst, src))
        rows = rows_of(dst, src)
        if rows is None:
            return self._move(strided.copy_kernel, strided.as_scalars(dst),
                              strided.as_scalars(src), deps)
        return self._begin(lambda lane: self._api.attempt(
            "cuMemcpy2DAsync_v2", ctypes.byref(rows), lane.value), deps, (dst, src, rows))

    # ------------------------------------------------------------------ from the host
    def _write(self, dst: BoundView, src: BoundView, deps: Sequence[Any]) -> Completion:
        count = math.prod(src.shape) * src.memory.dtype.itemsize
        if count <= STAGED:
            loan = self._pool.take(count, self._heap.pinned)
            staged = _staged(loan, src)
            np.copyto(staged.array(), src.array())
            made = self._within(dst, staged, deps)
            made.keep((loan, staged))
            return made
        if not strided.is_dense(src):
            src = _dense(np.ascontiguousarray(src.array()).reshape(-1), src.shape)
        if not strided.is_dense(dst):
            middle = self._like(dst)
            return self._within(dst, middle, [self._write(middle, src, deps)])
        to, start = address_of(dst), address_of(src)
        if all(dep.over or dep.done() for dep in deps):
            return self._begin(lambda lane: self._api.attempt(
                "cuMemcpyAsync", to, start, count, lane.value), (), (dst, src))
        return self._block(to, start, count, deps, (dst, src))

    # ------------------------------------------------------------------ to the host
    def _read(self, dst: BoundView, src: BoundView, deps: Sequence[Any]) -> Completion:
        count = math.prod(src.shape) * src.memory.dtype.itemsize
        if count <= STAGED:
            loan = self._pool.take(count, self._heap.pinned)
            staged = _staged(loan, dst)

            def arrive() -> None:
                np.copyto(dst.array(), staged.array())

            if strided.is_dense(src) or rows_of(staged, src) is not None:
                return self._straight(staged, src, deps, (loan, dst), arrive)
            middle = self._like(src)
            return self._straight(staged, middle, [self._within(middle, src, deps)],
                                  (loan, dst, middle), arrive)
        if not strided.is_dense(src):
            middle = self._like(src)
            deps, src = [self._within(middle, src, deps)], middle
        target, home = dst, None
        if not strided.is_dense(dst):
            home = np.empty(math.prod(dst.shape), dst.memory.dtype)
            target = _dense(home, dst.shape)

        def arrive_strided() -> None:
            if home is not None:
                np.copyto(dst.array(), target.array())

        return self._block(address_of(target), address_of(src), count, deps, (dst, src, target),
                           arrive_strided)

    def _straight(self, staged: BoundView, src: BoundView, deps: Sequence[Any], keep: object,
                  after: Callable[[], None]) -> Completion:
        """Copy to pinned memory, and from there when that has ended."""
        count = math.prod(staged.shape) * staged.memory.dtype.itemsize
        rows = None if strided.is_dense(src) else rows_of(staged, src)
        to, start = (address_of(staged), address_of(src)) if count else (0, 0)

        def call(lane: Lane) -> int:
            if not count:
                return 0
            if rows is not None:
                return self._api.attempt("cuMemcpy2DAsync_v2", ctypes.byref(rows), lane.value)
            return self._api.attempt("cuMemcpyAsync", to, start, count, lane.value)

        return self._begin(call, deps, (keep, staged, src, rows), _COPY, after)

    def _block(self, to: int, start: int, count: int, deps: Sequence[Any], keep: object,
               after: Callable[[], None] = lambda: None) -> Completion:
        """Have a thread copy, in a stream of its own."""
        session = self._commands.session
        before = list(deps)

        def work() -> None:
            with session as api:
                stream = api.address("cuStreamCreate", 1)
                try:
                    for dep in before:
                        event = dep.event()
                        if event is not None:
                            api.call("cuStreamWaitEvent", stream, event, 0)
                    for name, args in (("cuMemcpyAsync", (to, start, count, stream)),
                                       ("cuStreamSynchronize", (stream,))):
                        result = api.attempt(name, *args)
                        if result:
                            raise self._commands.ends.failed(result)
                finally:
                    api.attempt("cuStreamDestroy_v2", stream)
            for dep in before:  # a copy home that waits in pinned memory arrives when it is seen
                dep.wait()
            after()

        return self._workers.begin(work, (keep, before))

    def _like(self, view: BoundView) -> BoundView:
        """Return a view of fresh memory of the card with the shape of another one."""
        count = math.prod(view.shape)
        memory = self._heap.allocate(count * view.memory.dtype.itemsize, None)
        return _dense(memory.view(view.memory.dtype), view.shape)


def _dense(memory: Any, shape: tuple[int, ...]) -> BoundView:
    pitches = tuple(math.prod(shape[d + 1:]) for d in range(len(shape)))
    return BoundView(memory, 0, shape, pitches)


def _staged(loan: Loan[UnifiedArray], like: BoundView) -> BoundView:
    """Return a view of memory on loan without gaps."""
    dtype = like.memory.dtype
    count = math.prod(like.shape)
    return _dense(loan.memory[:count * dtype.itemsize].view(dtype), like.shape)


def rows_of(dst: BoundView, src: BoundView) -> Copy2D | None:
    """Return a copy of rows at equal distances; None where the views are none such."""
    dims = [(n, a, b) for n, a, b in zip(dst.shape, dst.pitches, src.pitches, strict=True)
            if n != 1]
    joined: list[tuple[int, int, int]] = []
    for n, a, b in dims:
        if joined and joined[-1][1:] == (a * n, b * n):
            joined[-1] = (joined[-1][0] * n, a, b)
        else:
            joined.append((n, a, b))
    size = dst.memory.dtype.itemsize
    if joined and joined[-1][1:] != (1, 1):
        joined.append((1, 1, 1))  # rows of one element
    if len(joined) != 2:
        return None
    (height, to, start), (width, _, _) = joined
    if min(to, start) < width or max(to, start) * size >= 1 << 31:
        return None
    return Copy2D(srcMemoryType=UNIFIED, srcDevice=address_of(src), srcPitch=start * size,
                  dstMemoryType=UNIFIED, dstDevice=address_of(dst), dstPitch=to * size,
                  WidthInBytes=width * size, Height=height)
