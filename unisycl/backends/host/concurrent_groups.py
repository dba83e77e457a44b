"""Run a launch whose threads are promised progress of their own: real threads of Python.

Each work-group has a thread; where sub-groups or work-items must not wait for one another, each
work-item has one, and takes turns with none. Atomic operations give the interpreter away, so that
waiting for another thread costs no time slice. Non-goals: speed. Invariants: group functions meet
as in any launch (``workitems``); when one thread fails, those that wait for it end, too.
"""

from __future__ import annotations

import importlib
import math
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from unisycl.backends.base import Launch
from unisycl.backends.host import limits, workitems
from unisycl.backends.host.binding import Binder, Cache, bound_array
from unisycl.backends.host.endless import guarded
from unisycl.backends.host.enqueued import taking
from unisycl.backends.host.workitems import Group, Runner
from unisycl.base import settings
from unisycl.base.errors import DeviceError, errc
from unisycl.base.forward_progress import WEAKEST, forward_progress_guarantee
from unisycl.lang.groups.reducer import reducer
from unisycl.lang.index import this
from unisycl.lang.index.environment import inside_kernel
from unisycl.lang.index.nd_item import nd_item
from unisycl.lang.index.place import points
from unisycl.lang.memory.cell import pace
from unisycl.lang.memory.views import records_of

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

_Point = tuple[int, ...]


class _Abandoned(BaseException):
    """Ends a thread that waits for one that failed."""


class _Meeting:
    """Where all work-groups of a launch wait for one another, again and again."""

    def __init__(self, groups: int) -> None:
        self._change = threading.Condition()
        self._groups, self._here, self._turn = groups, 0, 0
        self._left = self._broken = False

    def wait(self) -> None:
        """Wait for all; raises ``DeviceError`` once one has ended and cannot come."""
        with self._change:
            turn = self._turn
            self._here += 1
            if self._here == self._groups:
                self._here, self._turn = 0, turn + 1
                self._change.notify_all()
            self._change.wait_for(lambda: self._turn != turn or self._left or self._broken)
            if self._turn != turn:
                return
            if self._broken:
                raise _Abandoned
        raise DeviceError(errc.kernel, "not all work-groups come to this group_barrier of the root "
                          "group: one has ended")

    def leave(self) -> None:
        """Note that a work-group has ended, which no later one may wait for."""
        with self._change:
            self._left = True
            self._change.notify_all()

    def abort(self) -> None:
        """End those that wait."""
        with self._change:
            self._broken = True
            self._change.notify_all()


class _Launch:
    """What the threads of one launch share."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.error: BaseException | None = None
        shape = launch.geometry
        groups = math.prod(shape.global_) // max(1, math.prod(shape.local))
        self.meeting = _Meeting(max(1, groups))
        self.limit = launch.timeout or settings.TIMEOUT.value()
        self.begun = time.monotonic()

    def timed(self, runner: Runner) -> AbstractContextManager[None]:
        """Return what ends a work-item of the calling thread when the time is over."""
        return guarded(runner, self.limit, self.begun) if self.limit else nullcontext()

    def relax(self) -> None:
        """Let the other threads run; end this one if the launch has failed."""
        if self.error is not None:
            raise _Abandoned
        time.sleep(0)

    def enter(self, binder: Binder) -> ExitStack:
        """Make the calling thread one of the kernel's until the stack is closed."""
        stack = ExitStack()
        fast = self.launch.executable.kernel.fast_math
        stack.enter_context(np.errstate(all="ignore"))
        device = getattr(self.launch.executable, "device", None)
        stack.enter_context(inside_kernel(fast_math=fast, device=device))
        stack.enter_context(records_of(binder.records, binder.known))
        stack.enter_context(taking(self.launch))
        pace.relax, pace.meet = self.relax, self.meet
        return stack

    def meet(self) -> None:
        """Wait for the other work-groups; end this one if one of them failed."""
        self.meeting.wait()

    def fail(self, error: BaseException) -> None:
        """Note the first failure."""
        if self.error is None and not isinstance(error, _Abandoned):
            self.error = error
        self.meeting.abort()


def run(launch: Launch, cache: Cache) -> None:
    """Run a launch over an nd_range to its end; raises ``DeviceError`` if the kernel fails."""
    shared = _Launch(launch)
    shape = launch.geometry
    counts = tuple(g // s for g, s in zip(shape.global_, shape.local, strict=True))
    levels = launch.executable.kernel.progress or WEAKEST
    at_once = math.prod(counts) if levels[2] is forward_progress_guarantee.concurrent else \
        max(1, limits.MOST_THREADS // max(1, math.prod(shape.local)))
    made = [tuple(reducer._make(r.op, np.dtype(r.dtype), r.identity, r.extent,
                                paired=r.paired, joint=r.joint)
                  for r in launch.reduction_objects) for _ in points(counts)]
    threads = [threading.Thread(target=_group, args=(shared, cache, at, reducers), daemon=True,
                                name="unisycl-host-group")
               for at, reducers in zip(points(counts), made, strict=True)]
    for start in range(0, len(threads), at_once):
        _run_threads(shared, threads[start:start + at_once])
    for k, reducers in enumerate(made):
        _give_back(launch, reducers, dropped=k == 0)


def _run_threads(shared: _Launch, threads: Sequence[threading.Thread]) -> None:
    """Start threads and wait for their end; raise what the launch failed with."""
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException as error:  # Ctrl-C: the others end at their next atomic operation
        shared.fail(error)
        raise
    if shared.error is not None:
        raise shared.error


def run_aside(launch: Launch, cache: Cache) -> None:
    """Run a kernel that may wait for another one, which runs in another thread."""
    pace.relax = _Launch(launch).relax
    workitems.run(launch, cache)


def _give_back(launch: Launch, reducers: Sequence[reducer], *, dropped: bool) -> None:
    """Combine what one work-group reduced; the first one may drop the old value."""
    for one, (view, drop) in zip(reducers, launch.reductions, strict=True):
        one._finish(bound_array(view).reshape(-1), dropped=drop and dropped)


def _group(shared: _Launch, cache: Cache, at: _Point, reducers: tuple[reducer, ...]) -> None:
    """Run one work-group: the body of its thread."""
    try:
        binder = Binder(shared.launch, cache)
        runner = Runner(shared.launch, binder, (*reducers, *binder.arguments))
        with shared.enter(binder), shared.timed(runner):
            place = runner.place()
            place.move_to(at)
            binder.new_group()
            items = [nd_item._make(place, local) for local in points(place.local_range)]
            levels = runner.kernel.progress or WEAKEST
            if max(levels[:2]) > WEAKEST[0]:
                _apart(shared, runner, items, place.sub_group)
            elif binder.convergent:
                Group(runner, items, place.sub_group).run()
            else:
                for it in items:
                    _call(runner, it)
        shared.meeting.leave()
    except BaseException as error:  # noqa: BLE001 - raised by the thread that waits
        shared.fail(error)


def _call(runner: Runner, it: nd_item, shared: _Launch | None = None) -> None:
    """Run a work-item; in a thread of its own, it has the time of ``shared``."""
    this.enter(it)
    try:
        with nullcontext() if shared is None else shared.timed(runner):
            runner.function(it, *runner.arguments)
    except Exception as error:
        raise runner.fail(error, it) from error
    finally:
        this.enter(None)


def _apart(shared: _Launch, runner: Runner, items: list[nd_item], size: int) -> None:
    """Run each work-item of a group in a thread of its own."""
    futures: Any = importlib.import_module("concurrent.futures")  # takes long: not before needed

    def pool(count: int) -> ThreadPoolExecutor:
        made: ThreadPoolExecutor = futures.ThreadPoolExecutor(
            count, "unisycl-host-item", lambda: _begin(shared, runner.binder))
        return made
    with pool(len(items)) as threads, pool(-(-len(items) // size)) as drivers:
        if runner.binder.convergent:
            _Apart(shared, runner, items, size, threads, drivers).run()
            return
        _gather(shared, [threads.submit(_call, runner, it, shared) for it in items])


def _begin(shared: _Launch, binder: Binder) -> None:
    shared.enter(binder).pop_all()


def _gather(shared: _Launch, futures: Sequence[Any]) -> list[Any]:
    """Return the results of work in other threads; the first failure ends those that wait."""
    for future in futures:
        future.add_done_callback(lambda f: shared.fail(f.exception()) if f.exception() else None)
    results = []
    for future in futures:
        try:
            results.append(future.result())
        except BaseException as error:  # noqa: BLE001 - the first one is raised below
            shared.fail(error)
    if shared.error is not None:
        raise shared.error
    return results


class _Apart(Group):
    """A work-group whose items run from meeting to meeting at the same time, sub-groups by theirs.

    ``drivers`` has a thread for each sub-group, ``threads`` one for each item.
    """

    __slots__ = ("drivers", "shared", "threads")

    def __init__(self, shared: _Launch, runner: Runner, items: list[nd_item], size: int,
                 threads: ThreadPoolExecutor, drivers: ThreadPoolExecutor) -> None:
        super().__init__(runner, items, size)
        self.shared, self.threads, self.drivers = shared, threads, drivers

    def run(self) -> None:
        count = len(self.tasks)
        self.requests = [None] * count
        results: Sequence[Any] = self.requests
        starts = range(0, count, self.size)
        while True:
            _gather(self.shared, [
                self.drivers.submit(self._part, start, results[start:start + self.size])
                for start in starts])
            if not self._same(0, count):
                raise self._divergence(0, count)
            if self.requests[0] is None:
                return
            results = self._combine(range(count))

    def _part(self, start: int, results: Sequence[Any]) -> None:
        """Run one sub-group to the work-group's next meeting: the body of its thread."""
        stop = start + len(results)
        self.requests[start:stop] = self._resume(start, results)
        self._settle_part(start, stop)

    def _go_on(self, start: int, stop: int) -> list[Any]:
        return self._resume(start, [None] * (stop - start))

    def _resume(self, start: int, results: Sequence[Any]) -> list[Any]:
        return self._send(range(start, start + len(results)), results)

    def _meet_some(self, some: list[int]) -> None:
        for k, request in zip(some, self._send(some, self._combine(some)), strict=True):
            self.requests[k] = request

    def _send(self, members: Sequence[int], results: Sequence[Any]) -> list[Any]:
        return _gather(self.shared, [self.threads.submit(self._one, k, result)
                                     for k, result in zip(members, results, strict=True)])

    def _one(self, k: int, result: Any) -> Any:
        """Run one item to its next request; None if it has ended."""
        task: Any = self.tasks[k]
        send: Callable[[Any], Any] = task.send
        try:
            with self.shared.timed(self.runner):
                return send(result)
        except StopIteration:
            return None
        except Exception as error:
            raise self.runner.fail(error, self.items[k]) from error
