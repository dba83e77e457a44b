"""Kernels that wait for one another in pipes, on devices that launch such kernels as one.

Each is held back until the program waits for it, or for what comes behind it. Then all that were
submitted and are joined by pipes begin at the same time; where one of them would wait for an end
that nobody has submitted, all of them fail and say which. Non-goals: joining (``launch.joined``),
graphs, whose kernels are known beforehand (``recorded.joined_nodes``). Invariants: a kernel that is
held has not begun; nothing here blocks; the lock is held while nothing else is called.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from unisycl.backends.base import Completion, Driver, Launch, Tentative
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.process.callers import Where, place
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.threads.per_process import process

Begin = Callable[[Sequence[Completion]], Completion]
Start = Callable[[Driver, Sequence[Launch], Sequence[Completion]], Completion]


class End(NamedTuple):
    """What a kernel does at one end of a pipe, or at both.

    ``key`` tells pipes of devices and contexts apart; ``keep`` is what it is made of.
    """

    name: str
    key: tuple[int, int, int]
    writes: bool
    reads: bool
    waits_to_write: bool
    waits_to_read: bool
    keep: object

    def missing(self, others: Iterable[End]) -> str:
        """Return which end the kernel would wait for that neither it nor others are at."""
        there = [one for one in (self, *others) if one.key == self.key]
        if self.waits_to_read and not any(one.writes for one in there):
            return "writes"
        if self.waits_to_write and not any(one.reads for one in there):
            return "reads"
        return ""


class Member(Protocol):
    """A kernel among those that wait for one another."""

    launch: Launch


def waits(launch: Launch) -> bool:
    """Say whether a kernel may wait in one of its pipes."""
    return any(end.waits_to_read or end.waits_to_write for end in launch.ends)


def shares(one: Launch, other: Launch) -> bool:
    """Say whether two kernels use one pipe."""
    keys = {end.key for end in one.ends}
    return any(end.key in keys for end in other.ends)


def named(launch: Launch) -> str:
    """Return what messages call a kernel."""
    where: Where | None = launch.where
    at = f" at {place(where)}" if where is not None else ""
    return f"kernel '{launch.executable.kernel.name}'{at}"


def lacking(launches: Sequence[Launch]) -> str:
    """Return what kernels would wait for in vain; '' where each end has another one."""
    for one in launches:
        others = [end for other in launches if other is not one for end in other.ends]
        for end in one.ends:
            side = end.missing(others)
            if side:
                verb = "write" if side == "reads" else "read"
                return (f"{named(one)} may wait to {verb} in the pipe '{end.name}', and no kernel "
                        f"that {side} it ")
    return ""


ADVICE = ("; submit the kernels at both ends before the program waits for one of them, and so that "
          "none comes behind the other, or add them to one command_graph, or use the operations of "
          "the pipe that do not wait (_nb)")


class Hold(Tentative):
    """The end of a kernel that is held back: that of all it is launched with.

    What depends on it is given to its driver when it has ended.
    """

    __slots__ = ("_error", "_held", "_inner", "_started")

    def __init__(self, held: Held) -> None:
        self._held: Held | None = held
        self._started = Gate()
        self._inner: Completion | None = None
        self._error: BaseException | None = None

    def begun(self, inner: Completion) -> None:
        """End with what was launched."""
        self._inner = inner
        self._held = None
        self._started.finish()

    def fail(self, error: BaseException) -> None:
        """End without having run."""
        self._error = error
        self._held = None
        self._started.finish()

    @property
    def running(self) -> bool:
        """Whether the kernel may have begun."""
        return self._inner is not None

    def done(self) -> bool:
        """Say whether it has ended; never blocks."""
        held = self._held
        if held is not None:
            held.look_again()
        return self._error is not None or (self._inner is not None and self._inner.done())

    def wait(self, timeout: float | None = None) -> bool:
        """Block until it has begun, and then until it ends, or so many seconds pass."""
        if self._inner is None and self._error is None:
            self._started.wait(timeout)
            return self.done()
        return self._error is not None or self._inner is None or self._inner.wait(timeout)

    def error(self) -> BaseException | None:
        """Return what it failed with."""
        return self._error if self._inner is None else self._inner.error()

    def profile(self) -> tuple[int, int]:
        """Return its start and end, in ns."""
        return (0, 0) if self._inner is None else self._inner.profile()


class Held:
    """One submission of a kernel that is held back; called, it begins as far as it can alone."""

    __slots__ = ("_hold", "_native", "driver", "error", "expected", "launch", "ready", "start",
                 "task", "wanted")

    def __init__(self, beside: Beside, task: Any) -> None:
        self.driver = beside.driver
        self.launch = beside.launch
        self.start = beside.start
        self.task = task
        self.ready = False
        self.wanted = self.expected = False
        self.error: BaseException | None = None
        self._native: Sequence[Completion] = ()
        self._hold = Hold(self)

    def __call__(self, native: Sequence[Completion]) -> Completion:
        with _lock:
            self._native, self.ready = native, True
            error, wanted = self.error, self.wanted
        if error is not None:
            self._hold.fail(error)
        elif wanted or _is_expected(self):
            resolve(self)
        return self._hold

    def look_again(self) -> None:
        """Have another look where one that it was to begin with cannot run any more."""
        if self.wanted and any(one.task.settled for one in list(_held.values())):
            self.wanted = False
            process.executor.submit(functools.partial(resolve, self))

    def awaited(self) -> Sequence[Completion]:
        """Return the completions of its driver that it comes behind."""
        return self._native

    def begun(self, inner: Completion) -> None:
        """Note that it was launched, with others."""
        self._hold.begun(inner)

    def fail(self, error: BaseException) -> None:
        """End without having run: now, or when it would begin."""
        with _lock:
            self.error, ready = error, self.ready
        if ready:
            self._hold.fail(error)


class Beside:
    """How to begin a kernel that others may wait for, or that may wait for others.

    ``alone`` begins it by itself, ``start`` with others.
    """

    __slots__ = ("alone", "driver", "launch", "start")

    def __init__(self, driver: Driver, launch: Launch, start: Start, alone: Begin) -> None:
        self.driver = driver
        self.launch = launch
        self.start = start
        self.alone = alone

    def __call__(self, native: Sequence[Completion]) -> Completion:
        """Begin it where nothing is known of others."""
        if not waits(self.launch):
            return self.alone(native)
        missing = lacking([self.launch])
        if missing:
            raise UnsupportedError(errc.kernel_not_supported,
                                   f"{missing}can be launched with it here{ADVICE}")
        return self.start(self.driver, [self.launch], native)

    def held(self, task: Any) -> Begin:
        """Return how one submission begins: held back if it waits, or if others wait for it."""
        with _lock:
            _forget()
            if not (waits(self.launch) or any(shares(self.launch, one.launch)
                                              for one in _held.values())):
                return self.alone
            made = _held[id(task)] = Held(self, task)
        return made


_lock = threading.RLock()
_held: dict[int, Held] = {}
"""What has not begun, in the order of submission, by the ids of tasks."""


def holder(key: tuple[int, int, int]) -> Launch | None:
    """Return a kernel that is held back and uses a pipe."""
    with _lock:
        return next((one.launch for one in _held.values()
                     if any(end.key == key for end in one.launch.ends)), None)


def want(task: Any) -> None:
    """Begin the kernel of a task that the program waits for, with those that it is joined to."""
    found = _held.get(id(task))
    if found is not None:
        resolve(found)


def insist(task: Any) -> None:
    """Do so for a task and all that it comes behind; for waits that are none of ``Task``'s."""
    for one in _before(task) if _held else ():
        want(one)


def look(task: Any) -> bool:
    """Begin kernels that a task is or comes behind, if all that they wait for was submitted.

    For a program that asks again and again whether the task has ended. Says whether it is held.
    """
    for one in _before(task) if _held else ():
        found = _held.get(id(one))
        if found is not None and not lacking([m.launch for m in _joined(found)]):
            resolve(found)
    return id(task) in _held


def expect(task: Any) -> None:
    """Have such kernels begin as soon as all that they wait for is submitted, now or later.

    For host tasks and callbacks: the program may wait for what those do.
    """
    for one in _before(task) if _held else ():
        found = _held.get(id(one))
        if found is not None:
            found.expected = True
    look(task)


class Line(Protocol):
    """What is asked of a queue."""

    def snapshot(self) -> list[Any]:
        """Return the tasks that may still run."""

    def idle(self) -> bool:
        """Say whether nothing is pending."""


def nothing_left(queue: Line) -> bool:
    """Say whether nothing of a queue is pending; what is held begins, as ``look`` has it."""
    for task in queue.snapshot() if _held else ():
        look(task)
    return queue.idle()


def _forget() -> None:
    """Forget those that do not run any more, because what they come behind has failed."""
    for key in [key for key, one in _held.items() if one.task.settled]:
        del _held[key]


def resolve(wanted: Held) -> None:
    """Begin a kernel and those that it is joined to, or have them fail; later if some are held up.

    The thread that makes the last of them ready calls this again.
    """
    with _lock:
        _forget()
        if _held.get(id(wanted.task)) is not wanted:
            return
        members = _joined(wanted)
        failure = _failure(members)
        if failure is None and not all(one.ready for one in members):
            for one in members:
                one.wanted = True
            return
        for one in members:
            del _held[id(one.task)]
    if failure is None:
        native = list({id(c): c for one in members for c in one.awaited()}.values())
        try:
            end = wanted.start(wanted.driver, [one.launch for one in members], native)
        except BaseException as error:
            for one in members:
                one.fail(error)
            if not isinstance(error, Exception):
                raise
            return
        for one in members:
            one.begun(end)
        return
    for one in members:
        one.fail(failure)


def _joined(wanted: Held) -> list[Held]:
    """Return what is held and joined to a kernel by pipes, in the order of submission."""
    with _lock:
        found, todo = {id(wanted): wanted}, [wanted]
        while todo:
            one = todo.pop()
            for other in _held.values():
                if id(other) not in found and shares(one.launch, other.launch):
                    found[id(other)] = other
                    todo.append(other)
        return [one for one in _held.values() if id(one) in found]


def _is_expected(one: Held) -> bool:
    """Say whether a kernel or one that it is joined to is to begin as soon as that can be."""
    members = _joined(one)
    return any(m.expected for m in members) and not lacking([m.launch for m in members])


def _failure(members: Sequence[Held]) -> Exception | None:
    """Return why kernels can never begin together."""
    missing = lacking([one.launch for one in members])
    if missing:
        return UsageError(errc.invalid, f"{missing}was submitted before the program began to wait; "
                          f"on this device such kernels are launched together{ADVICE}")
    tasks = {id(one.task): one for one in members}
    for one in members:
        behind = None if one.ready else next(
            (tasks[id(t)] for t in _before(one.task) if id(t) in tasks and t is not one.task), None)
        if behind is not None:
            return UsageError(errc.invalid, f"{named(one.launch)} comes behind "
                              f"{named(behind.launch)} and would run beside it, as one of them may "
                              "wait for the other in a pipe: by an in-order queue, depends_on, or "
                              f"a buffer{ADVICE}")
    return None


def _before(task: Any) -> list[Any]:
    """Return a task and all that it waits for, as far as these have not ended."""
    seen, todo = {id(task): task}, [task]
    while todo:
        for other in todo.pop().predecessors():
            if id(other) not in seen and not other.settled:
                seen[id(other)] = other
                todo.append(other)
    return list(seen.values())
