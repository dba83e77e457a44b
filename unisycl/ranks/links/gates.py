"""Commands of the graph that end when something posted to a link does.

Non-goals: what was posted. Invariants: beginning one blocks nobody and takes no thread; whoever
waits for one carries it on in its own thread, unless that is left to the thread of messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from unisycl.ranks.links import progress
from unisycl.ranks.links.link import Ending
from unisycl.runtime.graph.callbacks import when_done
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.tasks import Begin, Task


class PostedGate(Gate):
    """A gate that looks after what opens it when it is asked or waited for."""

    __slots__ = ("_posted",)

    def __init__(self, posted: Ending) -> None:
        super().__init__()
        self._posted = posted

    def done(self) -> bool:
        """Say whether it has ended; carry it on."""
        if not self._done:
            self._posted.done()
        return self._done

    def wait(self, timeout: float | None = None) -> bool:
        """Carry it on until it ends or so many seconds pass."""
        if not self._done and self._posted.wait(timeout):
            return super().wait(timeout)  # another thread may be about to open it
        return self._done


def gate_of(ending: Ending, before: Callable[[], None] | None = None,
            after: Callable[[], None] | None = None, *, alone: bool = False) -> Gate:
    """Return a gate that opens when something posted ends.

    Just before, ``before`` is called if it ended well, and ``after`` however it ended. ``alone``:
    nobody waits for that, but for what comes after it, so the thread of messages carries it on.
    """
    gate = Gate() if alone else PostedGate(ending)

    def end() -> None:
        error = ending.error()
        if before is not None and error is None:
            before()
        if after is not None:
            after()
        gate.times = ending.profile()
        gate.finish(error)
    ending.call(end)
    return gate


def task_of(ending: Ending, name: str) -> Task:
    """Return what commands may wait for until something posted ends; they tell of its failure."""
    gate = gate_of(ending)
    made = Task(None, name)
    made.occupy(gate)
    if gate.done():
        gate.finish(ending.error())  # before it was told of the task
    return made


def after_task(task: Task, function: Callable[[], object]) -> None:
    """Call a function once a command has ended, whatever became of it."""
    when_done(task, function)


def all_of(endings: Sequence[Ending]) -> Ending:
    """Return what ends when all of them have, with the first error."""
    if len(endings) == 1:
        return endings[0]
    made = Ending()

    def step() -> None:
        left = [e for e in endings if not e.done()]  # each is carried on
        if not left:
            made.finish(next((e.error() for e in endings if e.error() is not None), None))
    made.step = step
    made.done()
    if not made.over():
        progress.add(made)
    return made


def begin_posted(post: Callable[[], Ending], users: Sequence[Any]) -> Begin:
    """Return how to begin a command that is something posted; ``users`` are its accessors."""
    def shut() -> None:
        for user in users:
            user.shut()

    def begin(_: Any) -> Gate:
        for user in users:
            user.open()
        try:
            return gate_of(post(), after=shut)
        except BaseException:
            shut()
            raise
    return begin
