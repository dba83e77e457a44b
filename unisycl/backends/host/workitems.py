"""Run the work-items of a launch, one after another, with real barriers between them.

A kernel without convergent calls is called once per work-item. Otherwise each work-item is a
generator that yields a request where it must meet the others; all of a group run to their next
request, in the order of their linear ids, before any goes on. Non-goals: parallelism. Invariants:
no thread is made; what a kernel raises comes out as ``DeviceError``, KeyboardInterrupt as itself.
"""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from operator import length_hint
from typing import Any

import numpy as np

from unisycl.backends.base import Launch
from unisycl.backends.host import commands, limits
from unisycl.backends.host.binding import Binder, Cache, bound_array
from unisycl.backends.host.checks import disagreement, divergence, kernel_failure, user_place
from unisycl.backends.host.collectives import BARRIER, PRESENT
from unisycl.backends.host.endless import guarded
from unisycl.backends.host.enqueued import taking
from unisycl.backends.host.fragments import ready
from unisycl.backends.host.races import Watch
from unisycl.base import settings
from unisycl.base.errors import BoundsError, InternalError, errc
from unisycl.ir.nodes import NULL
from unisycl.lang.groups.reducer import reducer
from unisycl.lang.index import this
from unisycl.lang.index.environment import inside_kernel
from unisycl.lang.index.nd_item import group, item, nd_item
from unisycl.lang.index.place import Place, Space, points
from unisycl.lang.kernels.kernel import kernel
from unisycl.lang.memory.views import records_of
from unisycl.process import notices
from unisycl.process.recursion import deep

_CALLS = 4000
_Request = Any


def run(launch: Launch, cache: Cache) -> None:
    """Run a launch to its end in the calling thread; raises ``DeviceError`` if the kernel fails."""
    races, seed = settings.HOST.value()
    if races:
        notices.tell("UNISYCL_HOST=races is deprecated; UNISYCL_DEBUG=races asks for the same, on "
                     "every device that can", DeprecationWarning)
    checks = launch.executable.kernel.checks
    races = races or "races" in checks
    fresh = "uninitialised" in checks
    watch = Watch(races=races, fresh=fresh) if races or fresh else None
    with deep(_CALLS):  # each function that the kernel calls is prepared inside its caller
        binder = Binder(launch, cache, watch)
    reducers = tuple(reducer._make(r.op, np.dtype(r.dtype), r.identity, r.extent,
                                   paired=r.paired, joint=r.joint)
                     for r in launch.reduction_objects)
    runner = Runner(launch, binder, (*reducers, *binder.arguments), seed)
    # Devices do not warn about overflow or division by zero, so neither does this one.
    fast = launch.executable.kernel.fast_math
    device = getattr(launch.executable, "device", None)
    with np.errstate(all="ignore"), inside_kernel(
            fast_math=fast, device=device, watch=watch), \
            records_of(binder.records, binder.known), taking(launch):
        with guarded(runner, launch.timeout or settings.TIMEOUT.value()):
            _KINDS[launch.geometry.kind](runner)
        if binder.watch is not None:
            binder.watch.finish(runner.kernel.name)
            commands.compare(binder.watch, launch)
        for one, (view, dropped) in zip(reducers, launch.reductions, strict=True):
            one._finish(bound_array(view).reshape(-1), dropped=dropped)


class Runner:
    """The state of one running launch."""

    def __init__(self, launch: Launch, binder: Binder, arguments: tuple[Any, ...],
                 seed: int | None = None) -> None:
        self.kernel = launch.executable.kernel
        self.geometry = launch.geometry
        self.binder = binder
        self.function: Callable[..., Any] = binder.function
        if binder.streams:
            self.function = _told(binder)
        free = launch.function.free if isinstance(launch.function, kernel) else ()
        if free and launch.geometry.kind != "single":  # its parameters are its arguments only
            self.function = _without_index(self.function)
        if binder.watch is not None:
            self.function = binder.watch.over(self.function, meeting=binder.convergent)
        self._seed = seed
        self.arguments = arguments
        self.files = frozenset(binder.files)

    def fail(self, error: Exception, at: Any, place: str = "") -> Exception:
        """Return what to raise for an error of the user's code; a debugger's exit stays itself.

        ``place``: the line, where the traceback does not have it.
        """
        debugger = sys.modules.get("bdb")
        if debugger is not None and type(error) is debugger.BdbQuit:
            return error
        if len(self.binder.known) and isinstance(error, AttributeError | TypeError) \
                and "'NoneType' object" in str(error):  # what a null pointer reads as
            error = BoundsError(errc.accessor, NULL).with_traceback(error.__traceback__)
        return kernel_failure(self.kernel.name, self.files, error, at, place)

    def place(self) -> Place:
        """Return the shape of an nd_range or hierarchical launch, at its first group."""
        shape = self.geometry
        size = self.kernel.sub_group or limits.SUB_GROUP_SIZE
        local = shape.local or (1,) * len(shape.global_)
        offset = shape.offset or (0,) * len(shape.global_)
        whole = shape.global_
        if shape.kind == "work_group":
            whole = tuple(g * s for g, s in zip(whole, local, strict=True))
        made = Place(whole, local, offset, size, sized=bool(shape.local))
        scratch = dict(self.kernel.traits).get("work_group_scratch_size")
        made.scratch_bytes = None if scratch is None else int(scratch[0])
        if shape.whole is not None:
            launched = shape.whole
            made.within(launched.global_, launched.groups(), launched.offset, shape.first_group(),
                        launched.local)
        return made

    def ordered(self, places: Iterable[tuple[int, ...]]) -> Iterable[tuple[int, ...]]:
        """Return places in the order they are run in: their own, unless a shuffle is asked for."""
        if self._seed is None:
            return places
        shuffled = list(places)
        # Loaded only here: it loads much that nothing else needs.
        importlib.import_module("random").Random(self._seed).shuffle(shuffled)
        return shuffled

    def groups(self, place: Place) -> Iterator[tuple[int, ...]]:
        """Move from work-group to work-group, each with fresh local memory."""
        counts = self.geometry.groups() if self.geometry.whole else place.group_range
        for at in self.ordered(points(counts)):
            place.move_to(at)
            self.binder.new_group()
            yield at


def _without_index(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a free function in the form of other kernels."""
    def run(it: Any, *arguments: Any) -> Any:
        return function(*arguments)
    return run


def _told(binder: Binder) -> Callable[..., Any]:
    """Return a kernel's function that tells the streams which work-item is at hand."""
    function, count = binder.function, itertools.count()

    def begin(number: int) -> None:
        binder.at = number

    def end(number: int) -> None:
        begin(number)
        for stream in binder.streams:
            stream.end()

    def whole(*arguments: Any) -> None:
        number = next(count)
        begin(number)
        function(*arguments)
        end(number)

    def parts(*arguments: Any) -> Generator[Any, Any, None]:
        number, result = next(count), None
        task = function(*arguments)
        while True:
            begin(number)
            try:
                request = task.send(result)
            except StopIteration:
                return end(number)
            result = yield request
    return parts if binder.convergent else whole


def _run_single(runner: Runner) -> None:
    runner.binder.new_group()
    try:
        runner.function(*runner.arguments)
    except Exception as error:
        raise runner.fail(error, None) from error


def _run_range(runner: Runner) -> None:
    extent = runner.geometry.global_
    offset = runner.geometry.offset or (0,) * len(extent)
    launched = runner.geometry.launched
    space, make = Space(launched.global_, launched.offset or (0,) * len(extent)), item._make
    function, arguments = runner.function, runner.arguments
    ranges = runner.ordered(points(extent))
    if any(offset):
        ranges = (tuple(p + o for p, o in zip(at, offset, strict=True)) for at in ranges)
    it = None
    try:
        for at in ranges:
            it = make(at, space)
            function(it, *arguments)
    except Exception as error:
        raise runner.fail(error, it) from error


def _run_work_group(runner: Runner) -> None:
    place = runner.place()
    it = group._make(place, None)
    try:
        for _ in runner.groups(place):
            runner.function(it, *runner.arguments)
    except Exception as error:
        raise runner.fail(error, getattr(error, "work_item", it)) from error


def _run_nd_range(runner: Runner) -> None:
    place = runner.place()
    items = [nd_item._make(place, local) for local in points(place.local_range)]
    if runner.binder.convergent:
        for _ in runner.groups(place):
            Group(runner, items, place.sub_group).run()
        return
    function, arguments = runner.function, runner.arguments
    if runner.binder.asks:
        function = _known(function)
    it = None
    try:
        for _ in runner.groups(place):
            for it in items:
                function(it, *arguments)
    except Exception as error:
        raise runner.fail(error, it) from error


def _known(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel during which ``this_nd_item`` knows its work-item."""
    def run(it: nd_item, *arguments: Any) -> None:
        this.enter(it)
        try:
            function(it, *arguments)
        finally:
            this.enter(None)
    return run


def _known_task(task: Any, it: nd_item) -> Any:
    """Return a work-item's task during which ``this_nd_item`` knows it."""
    result = None
    while True:
        this.enter(it)
        try:
            request = task.send(result)
        except StopIteration:
            return
        finally:
            this.enter(None)
        result = yield request


_KINDS: dict[str, Callable[[Runner], None]] = {
    "single": _run_single, "range": _run_range, "nd_range": _run_nd_range,
    "work_group": _run_work_group}


class Group:
    """The work-items of one group on their way from meeting to meeting.

    ``requests[k]`` is what item k waits for, None once it has ended.
    """

    __slots__ = ("items", "requests", "runner", "size", "tasks")

    def __init__(self, runner: Runner, items: list[nd_item], size: int) -> None:
        self.runner = runner
        self.items = items
        self.size = size
        function, arguments = runner.function, runner.arguments
        self.tasks = [function(it, *arguments) for it in items]
        if runner.binder.asks:
            self.tasks = [_known_task(task, it)
                          for task, it in zip(self.tasks, items, strict=True)]
        self.requests: list[_Request] = []

    def run(self) -> None:
        """Run every work-item to its end."""
        count = len(self.tasks)
        self.requests = self._go_on(0, count)
        while True:
            first = self.requests[0]
            if first is None or first[2] or not self._same(0, count):
                if not self._settle():
                    return
                first = self.requests[0]
            self.requests = self._meet(0, count)

    def _settle(self) -> bool:
        """Bring sub-groups to a work-group's meeting; say False if all items have ended."""
        count = len(self.tasks)
        for start in range(0, count, self.size):
            self._settle_part(start, min(start + self.size, count))
        if not self._same(0, count):
            raise self._divergence(0, count)
        return self.requests[0] is not None

    def _settle_part(self, start: int, stop: int) -> None:
        """Bring one sub-group to a work-group's meeting, or to its end."""
        while any(r is not None and r[2] for r in self.requests[start:stop]):
            if self._same(start, stop):
                self.requests[start:stop] = self._meet(start, stop)
                continue
            some = ready(self.requests, start, stop, PRESENT)
            if not some:
                raise self._divergence(start, stop)
            self._meet_some(some)

    def _same(self, start: int, stop: int) -> bool:
        """Say whether items [start, stop) wait in the same call, or have all ended."""
        requests = self.requests
        first = requests[start]
        if first is None or first[1] is BARRIER:
            return all(r is first for r in requests[start:stop])
        site, collective = first[0], first[1]
        return first[2].__class__ is bool and collective is not PRESENT and all(
            r is not None and r[0] is site and r[1] is collective for r in requests[start:stop])

    def _meet(self, start: int, stop: int) -> list[_Request]:
        """Give items [start, stop) the result of their call and run them to the next."""
        if self.requests[start][1] is BARRIER:
            return self._go_on(start, stop)
        return self._resume(start, self._combine(range(start, stop)))

    def _combine(self, members: Sequence[int]) -> Sequence[Any]:
        """Return what the call that some items are in gives to each of them."""
        site, collective, part, _ = self.requests[members[0]]
        operands = [self.requests[k][3] for k in members]
        odd = collective.differing(operands)
        if odd is not None:
            who = [self.items[members[k]] for k in (0, odd[1])]
            place = user_place(self.tasks[members[0]]) or site.place()
            raise disagreement(self.runner.kernel.name, place, odd, who,
                               odd[1] if part else -1)
        try:
            return collective.combine(operands)  # type: ignore[no-any-return]
        except Exception as error:
            place = user_place(self.tasks[members[0]]) or site.place()
            raise self.runner.fail(error, self.items[members[0]], place) from error

    def _meet_some(self, some: list[int]) -> None:
        """Give some items of a sub-group the result of their call and run them to the next."""
        results = self._combine(some)
        k = some[0]
        try:
            for k, result in zip(some, results, strict=True):
                try:
                    self.requests[k] = self.tasks[k].send(result)
                except StopIteration:
                    self.requests[k] = None
        except Exception as error:
            raise self.runner.fail(error, self.items[k]) from error

    def _go_on(self, start: int, stop: int) -> list[_Request]:
        """Run items [start, stop) from a barrier (or the start) to their next request."""
        left = iter(self.tasks[start:stop])
        try:
            return [next(task, None) for task in left]
        except Exception as error:
            raise self.runner.fail(error, self.items[stop - 1 - length_hint(left)]) from error

    def _resume(self, start: int, results: Sequence[Any]) -> list[_Request]:
        """Send items their results; return their next requests."""
        requests: list[_Request] = []
        k = start
        try:
            for k, result in enumerate(results, start):
                try:
                    requests.append(self.tasks[k].send(result))
                except StopIteration:
                    requests.append(None)
        except Exception as error:
            raise self.runner.fail(error, self.items[k]) from error
        return requests

    def _divergence(self, start: int, stop: int) -> Exception:
        if not 0 <= start < stop:
            return InternalError(errc.runtime, "a work-group without work-items; please report")
        return divergence(self.runner.kernel.name, self.items[start:stop],
                          self.requests[start:stop])
