"""What a queue is underneath: where its commands go, which are pending, which errors it holds.

Outlives the user's queue object until its work is done. Non-goals: building command groups.
Invariants: an error is delivered once; appending a task takes no lock, removing takes one.
``_last`` is what every later command waits for: the newest barrier or, in order, the newest task;
it changes under the graph lock.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

from unisycl.backends.base import HOST, Driver, Launch
from unisycl.base.checked_mode import NONE, Words
from unisycl.base.errors import exception_list
from unisycl.runtime.devices.devices import AsyncHandler, ContextState, DeviceState
from unisycl.runtime.graph import lifecycle, ordering, partners
from unisycl.runtime.graph.deps import Access, add_new
from unisycl.runtime.graph.tasks import Begin, Task, begin_nothing, check_process
from unisycl.runtime.memory import moves
from unisycl.runtime.threads.per_process import process

_TRIM = 8
_PRUNE = 256


class Recorder(Protocol):
    """Takes the command groups of a queue that is being recorded."""

    def take(self, group: Any) -> Task:
        """Make a node of a group that is complete."""

    def launch(self, channel: Any, function: Any, geometry: Any, arguments: tuple[Any, ...],
               reductions: tuple[Any, ...], deps: Sequence[Task]) -> Task:
        """Make a node of a kernel launched without a command group."""


class Turns(Protocol):
    """What runs one command at a time: each waits for the one before."""

    last: Task | None


class Delivery:
    """The errors of a queue's commands, and who is told of them."""

    __slots__ = ()
    errors: list[Task]
    handler: AsyncHandler | None
    _lock: threading.RLock

    def take_errors(self) -> list[BaseException]:
        """Take the errors not delivered yet; the caller has to deliver them."""
        with self._lock:
            taken = self.errors[:]
            del self.errors[: len(taken)]
        return [error for t in taken if (error := t.deliver()) is not None]

    def claim(self, task: Task) -> BaseException | None:
        """Take the error of one task, if it has not been delivered yet."""
        with self._lock:
            if task not in self.errors:
                return None
            self.errors.remove(task)
        return task.deliver()

    def deliver(self) -> None:
        """Give undelivered errors to the handler; without one, raise them (SYCL 2020 §4.13.1).

        Raising out of the call is unisycl's form of the default handler's "terminate".
        """
        if not self.errors:
            return
        taken = self.take_errors()
        if not taken:
            return
        if self.handler is not None:
            self.handler(exception_list(taken))
        else:
            raise_all(taken)

    def deliver_unhandled(self) -> None:
        """Raise undelivered errors if no handler is there to receive them later."""
        if self.handler is None and self.errors:
            self.deliver()


class Channel(Delivery):
    """The state of one queue. All methods may be called from any thread."""

    recorder: ClassVar[Recorder | None] = None
    quick: bool
    """Whether kernels are first offered to ``run_at_once``."""
    repeats: bool
    """Whether a launch made for the same arguments before may serve again."""
    extends: bool
    """Whether such a launch is given to the driver by ``repeated``."""

    __slots__ = ("__weakref__", "_full", "_last", "_limit", "_lock", "before", "checks", "context",
                 "device", "driver", "errors", "extends", "generation", "handler", "in_order",
                 "latest", "latest_group", "pending", "profiling", "quick", "repeats", "spare",
                 "timeout", "urgency", "varied", "warm")

    def __init__(self, device: DeviceState, context: ContextState, *,
                 handler: AsyncHandler | None = None, in_order: bool = False,
                 profiling: bool = False, checks: Words = NONE,
                 timeout: float = 0.0, urgency: int = 0) -> None:
        self.device = device
        self.checks = checks
        self.timeout = timeout
        self.urgency = urgency
        self.driver: Driver = device.driver
        self.quick = device.driver.quick
        self.repeats = device.driver.repeats and not urgency
        self.extends = device.driver.extends and not (profiling or urgency)
        self.context = context
        self.handler = handler
        self.in_order = in_order
        self.profiling = profiling
        if profiling:
            self.driver.timed()
        self.pending: deque[Task] = deque()
        self.errors: list[Task] = []
        self.generation = process.generation
        self._lock = threading.RLock()
        self._full = _TRIM
        self._limit = _PRUNE
        self._last: Task | None = None
        self.warm: dict[Any, Any] | None = None  # what ``launch.program`` knows of such launches
        self.before: Any = None  # the tiny launch that came again last
        self.latest: Any = None  # how to see quickly that it comes once more (``launch_now``)
        self.latest_group: Any = None  # the same of the launch of a command group
        self.spare: list[Task] = []  # the task of the next launch that comes again, if it is made
        self.varied: Any = None  # tiny launches that differ in numbers (``launch.varied``)
        lifecycle.add(self)

    # ------------------------------------------------------------------ submitting
    def submit(self, task: Task, deps: Sequence[Task], begin: Begin, *,
               registered: bool = False) -> None:
        """Start a task after ``deps`` and the last barrier or, in order, the task before it.

        One that is ``registered`` has these among its ``deps`` already.
        """
        if self.profiling:
            task.submitted = time.monotonic_ns()
        try:
            if not registered:
                if self.in_order:
                    with process.lock:
                        last, self._last = self._last, task
                else:
                    last = self._last
                if last is not None and not (last.settled and last.error is None) and (
                        last not in deps):
                    deps = (*deps, last)
            pending = self.pending
            pending.append(task)
            if len(pending) > self._full:
                self._trim()
            outside = task.driver is None
            task.enqueue(deps, begin.held(task) if type(begin) is partners.Beside else begin)
            if outside:
                partners.expect(task)
        except BaseException as error:
            task.interrupted(error)  # others may wait for it by now
            raise

    def place(self, task: Task, deps: Sequence[Task]) -> Sequence[Task]:
        """Give a command its place in an in-order queue, and return all that it awaits.

        Before it runs at once, lest what another thread submits meanwhile run beside it.
        """
        with process.lock:
            last = self._last
            self._last = task
        if last is None or (last.settled and last.error is None) or last in deps:
            return deps
        return (*deps, last)

    def run_at_once(self, task: Task, launch: Launch, deps: Sequence[Task]) -> bool:
        """Run a tiny kernel that waits for nothing here and now; False: submit it.

        A dependency that ended with an error counts as one to wait for.
        """
        if not self.driver.quick:
            return False
        for dep in deps:
            if not dep.succeeded():
                return False
        last = self._last
        if last is not None and last is not task and not last.succeeded():
            return False
        begun = time.monotonic_ns() if self.profiling else 0
        if launch.rest or not self.driver.immediate(launch):
            return False
        if begun:
            task.submitted, task.times = begun, (begun, time.monotonic_ns())
        task.ended_at_once()
        return True

    def replay_at_once(self, task: Task, run: Callable[[], bool], deps: Sequence[Task]) -> bool:
        """As ``run_at_once`` for a graph: ``run`` does all of it, or nothing and says so."""
        last = self._last
        if not all(d.succeeded() for d in (deps if last in (None, task) else [*deps, last])):
            return False
        begun = time.monotonic_ns() if self.profiling else 0
        if not run():
            return False
        if begun:
            task.submitted, task.times = begun, (begun, time.monotonic_ns())
        task.ended_at_once()
        return True

    def barrier(self, task: Task, tasks: Sequence[Task]) -> None:
        """Submit a barrier after ``tasks``; all later commands wait for it, and so for these."""
        deps = list(tasks)
        ordering.waited()
        try:
            self.enter((), task, deps, fences=True)
            self.submit(task, deps, begin_nothing, registered=True)
        except BaseException as error:
            task.interrupted(error)  # others may wait for it by now
            raise

    def enter(self, accesses: Sequence[Access], task: Task, deps: list[Task],
              turns: Turns | None = None, *, fences: bool = False) -> None:
        """Give a command its place in the order of all, and add to ``deps`` what it awaits.

        What is not where the command needs it is brought there first. ``turns`` runs one command at
        a time. After one that ``fences`` come all later ones of the queue: a barrier
        (sycl_ext_oneapi_enqueue_barrier).
        """
        driver = self.driver
        if driver.memory != HOST:
            for access in accesses:
                if moves.space_of(access, driver) != HOST:
                    memory: Any = access.key
                    memory.placed(driver)
        with process.lock:
            found = self.register(accesses, task, deps, fences=fences)
            if turns is not None:
                before, turns.last = turns.last, task
                if before is not None and not before.settled and before not in deps:
                    deps.append(before)
        if found:
            moves.start(found)

    def register(self, accesses: Sequence[Access], task: Task, deps: list[Task], *,
                 fences: bool = False) -> list[moves.Transfer]:
        """Enter a command into the histories of what it uses; called under the graph lock.

        What it waits for by data and what it waits for on its queue are found in one step: if two
        threads found them in two, each of two commands could come to wait for the other. Returns
        the transfers it needs first, to be started after that.
        """
        last = self._last
        if self.in_order or fences:
            self._last = task
        if last is not None and last not in deps:
            deps.append(last)
        found: list[moves.Transfer] = []
        memory: Any
        for access in accesses:  # all of them before the command itself is in any history
            memory = access.key
            if memory.copies is not None:
                found += moves.bring(memory, access, moves.space_of(access, self.driver), deps)
        for access in accesses:
            memory = access.key
            writes = access.mode.writes
            memory.wrote = memory.wrote or writes
            add_new(deps, memory.tracker.access(access.start, access.stop, writes=writes,
                                                task=task))
        return found

    def adopt(self, task: Task) -> None:
        """Have those who wait for this channel wait for a task that another one submitted."""
        pending = self.pending
        pending.append(task)
        if len(pending) > self._full:
            self._trim()

    def _trim(self) -> None:
        """Forget the oldest tasks that have ended; now and then look at all of them."""
        with self._lock:
            pending = self.pending
            while pending:
                first = pending[0]
                if (not first.settled or first.dependents) and not first.done():
                    break
                pending.popleft()
        if len(pending) > self._limit:
            self.prune()
        self._full = len(pending) + _TRIM

    def prune(self) -> None:
        """Forget what has ended."""
        with self._lock:
            pending = self.pending
            for _ in range(len(pending)):  # Ctrl-C may come at any call
                if pending[0].done():
                    pending.popleft()
                else:
                    pending.rotate(-1)
            self._limit = max(_PRUNE, 2 * len(pending))
        last = self._last
        if last is not None and last.stale() and not process.lock.held():
            with process.lock:
                if self._last is last:
                    self._last = None

    # ------------------------------------------------------------------ waiting
    def snapshot(self) -> list[Task]:
        """Return the tasks that may still run, in order of submission."""
        with self._lock:
            return list(self.pending.copy())

    def wait(self) -> None:
        """Block until everything submitted before has ended; delivers nothing."""
        if self.generation != process.generation:
            check_process(self)
        if ordering.state.on:
            ordering.waited()
        pending, lock = self.pending, self._lock
        with lock:
            while pending and pending[0].settled and not pending[0].dependents:
                pending.popleft()
            tasks = list(pending.copy())
        for task in tasks:
            if not task.settled or ordering.state.on:
                task.wait()
        last = self._last
        if self.in_order and last is not None and len(tasks) == 1 and tasks[0] is last and (
                last.settled and last.error is None and not last.dependents):
            return  # it is forgotten when the next one is on its way, which may be urgent now
        with lock:  # mostly all of them, which takes less than to prune
            while pending and pending[0].settled and not pending[0].dependents:
                pending.popleft()
        if pending or (last is not None and not last.settled):
            self.prune()
        elif last is not None and (last.error is None or last.delivered) and (
                not process.lock.held()):
            with process.lock:
                if self._last is last:
                    self._last = None

    def idle(self) -> bool:
        """Say whether nothing is pending."""
        self.prune()
        if self.pending:
            return False
        ordering.seen()
        return True

    # ------------------------------------------------------------------ the end
    def retire(self) -> None:
        """Follow the user's queue object: known errors go to the handler; work goes on."""
        lifecycle.retire(self)
        last = self._last
        if last is not None and last.forgotten():
            self._last = None  # they know this channel
        self.spare.clear()
        if self.errors and self.handler is not None:
            taken = self.take_errors()
            lifecycle.call_quietly(self.handler, exception_list(taken))

    def __repr__(self) -> str:
        return f"<channel to {self.device.name}: {len(self.pending)} pending>"


def raise_all(errors: Sequence[BaseException]) -> None:
    """Raise the first error, with the others as notes."""
    first = errors[0]
    for other in errors[1:4]:
        _note(first, f"also failed: {other}")
    if len(errors) > 4:
        _note(first, f"and {len(errors) - 4} more commands failed")
    raise first


def _note(error: Any, text: str) -> None:
    error.add_note(text)
