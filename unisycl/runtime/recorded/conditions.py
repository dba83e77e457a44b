"""Loops and branches over graphs, decided by memory that kernels write.

Where the driver does not decide by itself (``controls``), a thread of the runtime does it, so the
program's own threads take no part. Invariants: a turn begins when the one before has ended; a body
that fails ends the loop with its error.
"""

from __future__ import annotations

import math

import numpy as np

from unisycl.backends.base import BoundView, Control
from unisycl.base.errors import DeviceError, errc
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.tasks import Begin, Task, begin_python
from unisycl.runtime.recorded.command_graph import Plan
from unisycl.runtime.recorded.controls import begin_control


def begin_loop(channel: Channel, condition: BoundView, body: Plan, most: int | None,
               ) -> tuple[Begin, bool]:
    """Return how to run a graph again and again, as long as an element is not zero.

    And whether the driver orders that after its own commands.
    """
    own = _by_driver(channel, condition, (body,), loops=True, most=most)
    if own is not None:
        return own, True

    def run() -> None:
        turns = 0
        while _holds(channel, condition):
            if turns == most:
                raise DeviceError(errc.runtime, f"a loop of a graph has not ended within {most} "
                                  "turns, its limit")
            _run(channel, body)
            turns += 1
    return begin_python(run), False


def begin_branch(channel: Channel, condition: BoundView, then: Plan,
                 otherwise: Plan | None) -> tuple[Begin, bool]:
    """Return how to run one graph if an element is not zero, and else another one or none.

    And whether the driver orders that after its own commands.
    """
    bodies = (then,) if otherwise is None else (then, otherwise)
    own = _by_driver(channel, condition, bodies, loops=False)
    if own is not None:
        return own, True

    def run() -> None:
        chosen = then if _holds(channel, condition) else otherwise
        if chosen is not None:
            _run(channel, chosen)
    return begin_python(run), False


def _by_driver(channel: Channel, condition: BoundView, bodies: tuple[Plan, ...], *, loops: bool,
               most: int | None = None) -> Begin | None:
    """Return how to begin a command about which the driver decides; None where it does not."""
    parts = [body.parts() for body in bodies] if channel.driver.controls else [None]
    found = tuple([p for p in parts if p is not None])
    if len(found) != len(parts):
        return None
    return begin_control(channel.driver, Control(condition, found, loops, most))


def _holds(channel: Channel, condition: BoundView) -> bool:
    """Read the first element, wherever it is."""
    seen = np.zeros(1, condition.memory.dtype)
    first = BoundView(condition.memory, condition.offset, (1,), (1,))
    copied = Task(None, "the condition of a graph", channel.driver)
    _finish(copied, lambda deps: channel.driver.copy(
        BoundView(seen, 0, (1,), (1,)), first, deps))
    return bool(seen[0])


def _run(channel: Channel, body: Plan) -> None:
    if body.steps:
        _finish(Task(None, "a turn of a graph", channel.driver if body.one_end() else None),
                body.begin())


def _finish(task: Task, begin: Begin) -> None:
    """Start a command and wait for its end; raise what it failed with."""
    task.enqueue((), begin)
    task.wait()
    if task.error is not None:
        raise task.error


def size_of(view: BoundView) -> int:
    """Return how many elements a condition has."""
    return math.prod(view.shape)

