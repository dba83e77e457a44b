"""Loops whose turns run beside each other: over ranges, and over what an iterable gives.

Non-goals: sums of the turns (``reductions``). Invariant: a loop has ended, or was cancelled, when
its call returns.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable
from typing import Any

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.frame.refusals import refuse, whole
from unisycl.oneapi.tbb.bodies import is_compiled, launch, numbers_of
from unisycl.oneapi.tbb.groups import batch_of, task_group_context
from unisycl.oneapi.tbb.ranges import (
    Partitioner,
    Range,
    auto_partitioner,
    blocked_range,
    blocked_range2d,
    blocked_range3d,
)

RANGES = (blocked_range, blocked_range2d, blocked_range3d)


@ends_at_call
def parallel_for(space: Range | int, *given: Any, step: int = 1,
                 partitioner: Partitioner = auto_partitioner(),  # noqa: B008 - it has no state
                 context: task_group_context | None = None,
                 queue: sycl.queue | None = None) -> None:
    """Call a function for parts of a range, or for each number of one, beside each other.

    ``parallel_for(blocked_range(n), body)`` calls ``body(part)``; ``parallel_for(n, body)`` and
    ``parallel_for(first, last, body)`` call ``body(k)``. A kernel (``@sycl.kernel``) is called for
    each number in any of these forms, compiled, with the arguments behind it: ``body(k, *args)``.

    Args:
        space: a range, the number of turns, or the first number.
        given: the number behind the last one (if the first is given), the body, and arguments for
            it.
        step: what is between numbers, at least 1.
        partitioner: how finely a range is taken apart, for Python functions.
        context: what cancels it, for Python functions.
        queue: where a kernel runs; left out, the native CPU.
    """
    last, body, arguments = _taken("parallel_for", space, given)
    if isinstance(space, RANGES):
        if step != 1:
            refuse("parallel_for", "a step goes with numbers, not with a range")
        if is_compiled(body):
            first, end = numbers_of("parallel_for", space)
            launch(body, first, end - first, 1, arguments, queue)
            return
        _all([functools.partial(body, part, *arguments)
              for part in partitioner.parts(space, _threads())] if not space.empty() else [],
             context)
        return
    first, end = (0, _number(space)) if last is None else (_number(space), _number(last))
    whole("parallel_for", "step", step, 1)
    count = max(0, -(-(end - first) // step))
    if is_compiled(body):
        launch(body, first, count, step, arguments, queue)
        return
    over = blocked_range(count)
    _all([functools.partial(_turns, body, first, step, part, arguments)
          for part in partitioner.parts(over, _threads()) if isinstance(part, blocked_range)]
         if count else [], context)


def _taken(routine: str, space: Any, given: tuple[Any, ...]) -> tuple[Any, Any, tuple[Any, ...]]:
    """Return the last number, the body and its arguments."""
    last = None
    if given and not callable(given[0]) and not isinstance(space, RANGES):
        last, given = given[0], given[1:]
    if not given or not callable(given[0]):
        refuse(routine, f"write {routine}(range, body), {routine}(count, body) or {routine}(first, "
               "last, body): the body is a function")
    return last, given[0], given[1:]


def _number(x: Any) -> int:
    if isinstance(x, bool) or not hasattr(x, "__index__"):
        refuse("parallel_for", f"a range or whole numbers are needed, got {x!r}")
    return int(x.__index__())


def _threads() -> int:
    return batch_of().arena.concurrency


def _turns(body: Callable[..., object], first: int, step: int, part: Iterable[int],
           arguments: tuple[Any, ...]) -> None:
    for k in part:
        body(first + k * step, *arguments)


def _all(tasks: list[Callable[[], object]], context: task_group_context | None) -> None:
    batch = batch_of(context)
    for task in tasks:
        batch.arena.put(batch, task)
    batch.wait()


class feeder:
    """Gives a loop over items further ones; what ``parallel_for_each`` hands to its body."""

    def __init__(self, add: Callable[[Any], None]) -> None:
        self._add = add

    def add(self, item: Any) -> None:
        """Let the loop go over an item, too."""
        self._add(item)


@ends_at_call
def parallel_for_each(items: Iterable[Any], body: Callable[..., object], *, feeds: bool = False,
                      context: task_group_context | None = None) -> None:
    """Call a function for each item, beside each other; the items' order is not kept.

    Args:
        items: what to go over, taken as it comes until the loop is cancelled.
        body: called with an item; with ``feeds`` with a ``feeder``, too, which takes further ones.
        feeds: whether the body gives the loop work.
        context: what cancels it.
    """
    batch = batch_of(context)

    def start(item: Any) -> None:
        batch.arena.put(batch, functools.partial(body, item, *([more] if feeds else [])))
    more = feeder(start)
    try:
        for item in items:
            if batch.cancelled():
                break
            start(item)
    except BaseException:
        batch.failed()  # no part of the loop runs on behind it
        with contextlib.suppress(Exception):
            batch.wait()
        raise
    batch.wait()
