"""Tasks: what was submitted, from submission to its end, and who waits for whom.

A task whose predecessors are all complete, or run on its own driver, goes to the driver at once
from the submitting thread; others wait here. Non-goals: memory and its regions (``deps``), error
delivery (``channel``). Invariants: a task settles once; a settled task holds neither its launch nor
its completion; no lock is held while a driver or user code runs (but ``repeated.at_once``).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from unisycl.backends.base import Completion, Driver, Tentative
from unisycl.base import settings
from unisycl.base.errors import (
    DeviceError,
    FollowingError,
    NativeError,
    UsageError,
    errc,
    exception,
)
from unisycl.process import activity, interrupts
from unisycl.process.callers import Where, place
from unisycl.runtime.devices.devices import AsyncHandler, DeviceState
from unisycl.runtime.graph import partners
from unisycl.runtime.graph.completions import Gate, Join, Prompt, ended
from unisycl.runtime.graph.ordering import state as ordering
from unisycl.runtime.graph.ordering import waited
from unisycl.runtime.threads.per_process import process

SLICE = 0.05
_NONE: Any = frozenset()
PATIENCE = 1.0  # seconds after which a kernel is asked whether it can end
_GRACE = 1.0  # so long may a kernel take to end that is asked to
_LOOKS = 2  # the second time a command that began meanwhile is known
Begin = Callable[[Sequence[Completion]], Completion]


class Line(Protocol):
    """What a task asks of the queue it was submitted to."""

    device: DeviceState
    driver: Driver
    errors: list[Task]
    generation: int
    handler: AsyncHandler | None
    profiling: bool
    timeout: float

    def adopt(self, task: Task) -> None:
        """Have those who wait for this queue wait for a task that another one submitted."""

    def claim(self, task: Task) -> BaseException | None:
        """Take the error of one task, if it has not been delivered yet."""

    def deliver(self) -> None:
        """Give undelivered errors to the handler; without one, raise them."""

    def submit(self, task: Task, deps: Sequence[Task], begin: Begin) -> None:
        """Start a task after others and the last barrier or, in order, the task before it."""


def _nobody(text: str) -> bool:
    """Answer for a command without a driver to ask."""
    return False


class Task:
    """One submitted command; its methods may be called from any thread.

    ``kind`` and ``name`` are what messages call it: kernel 'saxpy', or just the name.
    """

    __slots__ = ("__weakref__", "_begin", "_blockers", "_kind", "_name", "_started", "_waits",
                 "channel", "completion", "delivered", "dependents", "driver", "error", "explicit",
                 "handed", "ready", "root", "settled", "submitted", "times", "where")

    def __init__(self, channel: Line | None, name: str, driver: Any = None,
                 kind: str = "") -> None:
        self.channel = channel
        self._name = name
        self._kind = kind
        self.driver = driver
        self.completion: Completion | None = None
        self.settled = False
        self.error: BaseException | None = None
        self.delivered = False
        self.dependents: list[Task] | None = None
        self.explicit: Sequence[Task] = ()
        self.submitted = self.handed = self.ready = 0  # all times are kept for profiling queues
        self.times = (0, 0)
        self.where: Where | None = None
        self.root: Task | None = None
        self._waits: Sequence[Task] = ()
        self._begin: Begin | None = None
        self._blockers: set[Task | None] = _NONE
        self._started: Gate | None = None

    @property
    def label(self) -> str:
        """What the user knows the command by; made on request only."""
        return f"{self._kind} '{self._name}'" if self._kind else self._name

    # ------------------------------------------------------------------ observing
    def done(self) -> bool:
        """Say whether the command has ended; never blocks."""
        if self.settled:
            if self.dependents:
                self._release()  # what Ctrl-C has left over
            return True
        completion = self.completion
        if completion is None:
            return self.settled
        if not completion.done():
            return False
        self._settle(completion)
        return True

    def succeeded(self) -> bool:
        """Say whether it has ended without an error."""
        return (self.settled or self.done()) and self.error is None

    def running(self) -> bool:
        """Say whether the command was handed to its device."""
        return self.completion is not None or self.settled

    def stale(self) -> bool:
        """Say whether nobody needs to wait for it: complete, and a failure has been delivered."""
        return self.done() and (self.error is None or self.delivered)

    def forgotten(self) -> bool:
        """As ``stale``, but without settling, which the graph lock forbids."""
        return self.settled and (self.error is None or self.delivered)

    def predecessors(self) -> Sequence[Task]:
        """Return the direct predecessors that are still remembered."""
        return self._waits

    def wait(self) -> None:
        """Block until the command has ended; Ctrl-C interrupts. Raises nothing of the command."""
        if ordering.on:
            waited()
        if self.settled:
            return
        completion = self.completion
        if completion is not None:
            inside = self.driver is not None and self.driver.waits_inside
            for _ in range(2 if inside else 64):
                if completion.done():
                    self._settle(completion)
                    return
            channel = self.channel
            if inside and channel is not None and channel.generation == process.generation and (
                    self._wait_inside(completion)):
                self._settle(completion)
                return
        self._wait_long()

    def _wait_inside(self, completion: Completion) -> bool:
        try:
            return completion.wait(SLICE)
        except KeyboardInterrupt:
            interrupts.leave(self)
            raise

    def _wait_long(self) -> None:
        check_process(self.channel)
        executor = process.executor
        mine = executor.is_mine()
        if mine:
            executor.blocking(+1)
        try:
            turn, limit, begun = 0, self._limit(), 0.0
            activity.wait_begins()
            while not self.done():
                if turn < _LOOKS:
                    self._refuse_deadlock()
                    turn += 1
                executor.help()
                self.pause(SLICE)
                if self.where is not None:
                    begun = self._spent(begun, limit)
        except KeyboardInterrupt:
            interrupts.leave(self)
            raise
        finally:
            activity.wait_ends()
            if mine:
                executor.blocking(-1)

    def _limit(self) -> float:
        """Return how many seconds it may run, 0 for ever; kernels only."""
        if self.where is None or self.channel is None:
            return 0.0
        return self.channel.timeout or settings.TIMEOUT.value()

    def _spent(self, begun: float, limit: float) -> float:
        """Return when a kernel was first seen at work; raise where that is too long ago.

        One whose loops can say where they are is asked whether they can end, then to end.
        """
        completion, now = self.completion, time.monotonic()
        if completion is None or not getattr(completion, "running", True):
            return 0.0
        ask = getattr(completion, "ask", _nobody)
        if begun and now - begun > PATIENCE:
            ask("")
        if not limit or not begun or now - begun <= limit or self.done():
            return begun or now
        time_is_over = "the time that UNISYCL_TIMEOUT or the queue gives it"
        if ask(f"it still ran after {limit:g} s, {time_is_over}") and completion.wait(_GRACE):
            return begun
        interrupts.leave(self)
        at = f", {self.where[2]} at {place(self.where)}," if self.where else ""
        raise DeviceError(errc.kernel, f"{self.label}{at} still runs after {limit:g} s, "
                          f"{time_is_over}, and is left to itself; on the host device "
                          "(UNISYCL_DEVICE=host) its work-item and line are told")

    def pause(self, seconds: float) -> None:
        """Block until it may have ended, at most so long."""
        completion = self.completion
        if completion is None:
            started = self._started
            if started is None:
                started = self._started = Gate()
            if self.completion is None and not self.settled:
                started.wait(seconds)
        else:
            completion.wait(seconds)

    def _refuse_deadlock(self) -> None:
        """Waiting below one's own open host accessor would never end: say so instead."""
        me, seen, todo = threading.get_ident(), {id(self)}, [self]
        while todo:
            partners.want(task := todo.pop())
            completion = task.completion
            if isinstance(completion, Gate) and completion.owner == me and not completion.done():
                raise UsageError(errc.invalid, f"this wait would never end: it waits for "
                                 f"{task.label}, which this very thread holds open or runs; close "
                                 "it first (use 'with', or call close()), or wait elsewhere")
            for other in task._waits:
                if other.settled:
                    other.done()
                elif id(other) not in seen:
                    seen.add(id(other))
                    todo.append(other)

    # ------------------------------------------------------------------ starting
    def occupy(self, gate: Gate) -> None:
        """Be a command that lasts until ``gate`` is finished by hand."""
        gate.task = self
        self.completion = gate

    def follow(self, deps: Sequence[Task]) -> None:
        """Name the predecessors of a command that starts without a driver."""
        self._waits = deps

    def enqueue(self, deps: Sequence[Task], begin: Begin) -> None:
        """Start the command once ``deps`` are complete: at once if its driver can take it."""
        native: list[Completion] = []
        if deps:
            self._waits = deps
            blockers: list[Task] = []
            joins = begin is begin_nothing
            if joins:
                self.driver = None
            driver = self.driver
            chains = driver is not None and driver.chains
            for dep in deps:
                completion = dep.completion
                if chains and completion is not None and not isinstance(completion, Tentative) and (
                        dep.driver is driver or driver.follows(dep.driver)):
                    native.append(completion)
                elif (dep.settled and not dep.dependents) or dep.done():
                    if dep.error is not None and (not dep.delivered or dep in self.explicit):
                        self._fail_for(dep)
                        return
                elif completion is not None and (joins or (
                        dep.driver is self.driver and self.driver is not None
                        and not isinstance(completion, Tentative))):
                    native.append(completion)
                else:
                    blockers.append(dep)
            if blockers:
                self._defer(blockers, begin)
                return
        if self.submitted:
            self.handed = time.monotonic_ns()
        try:
            begun = begin(native)
        except Exception as err:  # noqa: BLE001 - becomes the command's error
            self._end(_without_frames(err))
            return
        except BaseException as err:
            self.cut_off(begin, err)
            raise
        self.completion = begun  # as ``begun`` does, without its call
        if self._started is not None or isinstance(begun, Gate):
            self.begun(begun)
        elif (self.driver is None or not self.driver.extends) and begun.done():
            self._settle(begun)
        elif self.dependents:
            process.executor.watch(self)

    def cut_off(self, begin: Begin, error: BaseException) -> None:
        """Keep what a command uses that was cut off while it began: perhaps it goes on."""
        driver = self.driver
        if driver is None and self.channel is not None:
            driver = self.channel.driver
        if driver is not None:
            driver.outlast(begin)
        self.interrupted(error)

    def _defer(self, blockers: list[Task], begin: Begin) -> None:
        self._begin = begin
        self._blockers = {None, *blockers}
        for dep in blockers:
            if not dep._add_dependent(self):
                self._unblock(dep)
        if self._unblock(None):
            _begin([self])

    def _add_dependent(self, task: Task) -> bool:
        """Have ``task`` unblocked at the end; False if this one has already ended.

        Settling takes no lock: it sets ``settled``, then looks. Both may find that it is time.
        """
        with process.lock:
            waiting = self.dependents
            if waiting is None:
                waiting = self.dependents = []
            waiting.append(task)
        if self.settled:
            waiting.remove(task)
            return False
        if self.completion is not None and not isinstance(self.completion, Gate):
            process.executor.watch(self)
        return True

    def _unblock(self, dep: Task | None) -> bool:
        """Wait for ``dep`` no longer; to say so again does no harm, so Ctrl-C may come in here."""
        blockers = self._blockers
        blockers.discard(dep)
        return not blockers and _may_begin(self)

    def _resume(self) -> None:
        """Start a task that had to wait; runs on a thread of the runtime."""
        begin, self._begin = self._begin, None
        if begin is not None:
            try:
                self.enqueue(self._waits, begin)
            except BaseException as err:  # noqa: BLE001 - becomes the command's error
                self._end(err)

    def interrupted(self, error: BaseException) -> None:
        """End a submission that Ctrl-C interrupted; the program sees the interrupt at once.

        What the driver has taken already goes on, and somebody will see its end.
        """
        if self.completion is not None or self.settled:
            process.executor.watch(self)
            return
        self._end(error)
        if self.channel is not None:
            self.channel.claim(self)

    def begun(self, completion: Completion) -> None:
        """Note that the driver took the command."""
        if isinstance(completion, Gate):
            completion.task = self
        self.completion = completion
        started = self._started
        if started is not None:
            started.finish()
        if completion.done():
            self._settle(completion)
        elif self.dependents and not isinstance(completion, Gate):
            process.executor.watch(self)

    # ------------------------------------------------------------------ ending
    def ended_at_once(self) -> None:
        """Settle a command that has run in the submitting thread."""
        self.settled = True
        if self.dependents:
            self._end(None)

    def _settle(self, completion: Completion) -> None:
        """End with what the driver says; first those before it, so that errors are inherited.

        Most end well after others that did, and nobody waits for them: that takes no further call.
        """
        channel, waits = self.channel, self._waits
        for dep in waits:
            if not dep.settled:
                self._settle_before()
                break
        for dep in waits:
            if not dep.settled or dep.error is not None:
                self._settle_self(completion)
                return
        if type(self) is not Task or completion.error() is not None or (
                channel is not None and channel.profiling):
            self._settle_self(completion)
            return
        self.settled = True
        self.completion = self._begin = None
        for dep in waits:
            dep._waits = ()
        if self.dependents or self._started is not None:
            self._end(None)

    def _settle_before(self) -> None:
        """Settle the predecessors that have ended, oldest first; a chain may be very long."""
        todo: list[Task] = [self]
        while todo:
            task = todo[-1]
            before = len(todo)
            for dep in task._waits:
                if not dep.settled:
                    completion = dep.completion
                    if completion is not None and completion.done():
                        todo.append(dep)
            if len(todo) > before:
                continue
            todo.pop()
            completion = task.completion
            if task is not self and completion is not None and not task.settled:
                task._settle(completion)

    def _settle_self(self, completion: Completion) -> None:
        error = completion.error()
        channel = self.channel
        if self._waits and (error is None or isinstance(error, FollowingError)):
            error = self._inherited() or error
        if channel is not None and channel.profiling:
            self.times = completion.profile()
            self.ready = max(self.handed, *(d.times[1] for d in self._waits), 0)
        self._end(error)

    def _inherited(self) -> BaseException | None:
        """A driver skips what depends on a failed command; name the cause."""
        for dep in self._waits:
            if dep.settled and dep.error is not None and not dep.delivered:
                return self._because(dep)
        return None

    def _because(self, dep: Task) -> DeviceError:
        """Name the first failure, not the chain from it to here, which may be very long."""
        root = self.root = dep.root or dep
        error = DeviceError(errc.runtime, f"{self.label} did not run because {root.label}, which "
                            f"it depends on, failed: {_text(root.error)}")
        if root.error is not None:  # that one itself may be raised, and then has frames
            error.__cause__ = _like(root.error)
            error.__cause__.__cause__ = root.error.__cause__
        return error

    def fail(self, error: BaseException) -> None:
        """End with an error without having run; the channel keeps it for its handler."""
        self._end(error)

    def deliver(self) -> BaseException | None:
        """Return the error for delivery to the program; what is kept knows no frame of it."""
        self.delivered = True
        return self.hand_out()

    def hand_out(self) -> BaseException | None:
        """Return the error to be raised, and keep another one like it.

        Frames hold buffers, and the histories of buffers hold this task: with the finaliser of a
        buffer, which holds its history, that would keep all of them for ever.
        """
        error = self.error
        if error is not None:
            self.error = _like(error)
        return error

    def _fail_for(self, dep: Task) -> None:
        self._end(self._because(dep))

    def _end(self, error: BaseException | None) -> None:
        """Settle: forget what is no longer needed, then let others go on. Idempotent."""
        if error is not None:
            self._record(error)
        self.settled = True
        self.completion = None
        self._begin = None
        started = self._started
        if started is not None:
            started.finish()
        for dep in self._waits:
            if dep.settled:
                dep._waits = ()
        if self.dependents:
            self._release()

    def _release(self) -> None:
        """Unblock all that wait; forget them only then, so that nothing is lost to Ctrl-C."""
        _begin([t for t in tuple(self.dependents or ()) if t._unblock(self)])
        self.dependents = None

    def _record(self, error: BaseException) -> None:
        with process.lock:
            if self.error is not None or self.settled:
                return
            self.error = _as_device_error(error, self.label)
            if self.channel is not None:
                self.channel.errors.append(self)


def _may_begin(task: Task) -> bool:
    """Have a task begin on a worker; True: that blocks nobody, and the caller sees to it."""
    begin = task._begin
    prompt = isinstance(begin, Prompt)
    if begin is not None and not prompt:
        process.executor.submit(task._resume)
    return prompt


def _begin(ready: list[Task]) -> None:
    """Begin tasks that block nobody by that; kernels last, since they take the processor."""
    if ready:
        ready.sort(key=lambda t: t.where is not None)
        process.executor.prompt([t._resume for t in ready])


def _text(error: BaseException | None) -> str:
    return error.what() if isinstance(error, exception) else f"{type(error).__name__}: {error}"


def _like(error: BaseException) -> BaseException:
    """Return an error of ours that says the same; others as they are."""
    if isinstance(error, NativeError):
        return NativeError(error.code(), error.what(), native_code=error.native_code)
    return DeviceError(error.code(), error.what()) if isinstance(error, exception) else error


def _without_frames(error: BaseException) -> BaseException:
    """Return a driver's error without the frames it came through, which hold what they use."""
    if isinstance(error, exception):
        at: BaseException | None = error
        while at is not None:
            at.__traceback__ = None
            at = at.__cause__ or at.__context__
    return error


def _as_device_error(error: BaseException, label: str) -> BaseException:
    """Wrap what user code raised, keeping it as the cause (SYCL 2020 §4.10.1)."""
    if isinstance(error, exception):
        return error
    wrapped = DeviceError(errc.runtime, f"{label} failed: {type(error).__name__}: {error}")
    wrapped.__cause__ = error
    return wrapped


def check_process(channel: Line | None) -> None:
    """Refuse objects of the parent process in a forked child; the runtime's threads are gone."""
    if channel is not None and channel.generation != process.generation:
        raise UsageError(errc.invalid, "this object belongs to the process that was forked; in "
                         "the child create a queue and buffers of its own, on the CPU or the host "
                         "device; other devices that the parent has used need a child that "
                         "multiprocessing starts by 'spawn'")


def begin_python(function: Callable[[], None]) -> Begin:
    """Return how to begin a command that is a Python function: on a worker, ended by a gate."""
    def body(gate: Gate) -> None:
        if gate.done():
            return
        start = time.monotonic_ns()
        gate.owner = threading.get_ident()
        error: BaseException | None = None
        try:
            function()
        except BaseException as err:  # noqa: BLE001 - kept as the command's error
            error = err
        gate.owner = 0
        gate.times, gate.thread = (start, time.monotonic_ns()), threading.get_ident()
        gate.finish(error)

    def begin(_: Sequence[Completion]) -> Completion:
        gate = Gate()
        try:
            process.executor.submit(lambda: body(gate))
        except BaseException:
            gate.finish()  # not run, if it has not begun
            raise
        return gate

    return begin


def begin_nothing(native: Sequence[Completion]) -> Completion:
    """Begin a command that does nothing but end after its predecessors."""
    return Join(native) if native else ended()
