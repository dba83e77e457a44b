"""Which commands come after which, as the program asked: for looking for races between commands.

Only kernels and copies over USM memory that are looked at are known here. Whatever else happens (a
wait, an accessor, a barrier, a command nobody knows) counts as ordering all that was submitted
before it. Non-goals: running commands in that order. Invariant: two commands that this calls
unordered are so.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from unisycl.process.callers import Where


class Ordered(Protocol):
    """A command, as far as its order is looked at."""

    where: Where | None

    @property
    def label(self) -> str:
        """What the user knows the command by."""

    def done(self) -> bool:
        """Say whether it has ended."""


class Line(Protocol):
    """A queue: in order, each command comes after the one before."""

    in_order: bool


class Order:
    """One command's place: its number, and the numbers of those that came before it."""

    __slots__ = ("before", "blocks", "number", "since")

    def __init__(self, number: int, since: int, before: frozenset[int],
                 blocks: Iterable[Any] = ()) -> None:
        self.number, self.since, self.before = number, since, before
        self.blocks = tuple(blocks)

    def after(self, other: Order) -> bool:
        """Say whether the program asked for this command to come after another one."""
        return other.number <= self.since or other.number in self.before


class _State:
    def __init__(self) -> None:
        self.on = False
        self.last = 0
        self.since = 0  # all up to this number have been waited for
        self.known: weakref.WeakKeyDictionary[Ordered, Order] = weakref.WeakKeyDictionary()
        # What all comes after that is submitted to an in-order queue; tasks may be gone by then.
        self.chains: weakref.WeakKeyDictionary[Line, frozenset[int]] = \
            weakref.WeakKeyDictionary()


state = _State()


def enter(task: Ordered, channel: Line, deps: Iterable[Ordered], *, fenced: bool = False,
          blocks: Iterable[Any] = ()) -> Order:
    """Give a command that is looked at its place; ``fenced``: more than its events order it.

    ``blocks`` are the allocations it uses.
    """
    state.on = True
    state.last += 1
    if fenced:
        state.since = state.last
    before = _behind(channel, deps, state.last - 1)
    made = Order(state.last, state.since, frozenset(before), blocks)
    state.known[task] = made
    if channel.in_order:
        state.chains[channel] = frozenset({made.number, *before})
    return made


def passed(channel: Line, deps: Iterable[Ordered]) -> None:
    """Note a command of an in-order queue that is not looked at: later ones come after it."""
    state.chains[channel] = frozenset(_behind(channel, deps, state.last))


def _behind(channel: Line, deps: Iterable[Ordered], all_before: int) -> set[int]:
    """Return what a command comes after; what is not known comes after ``all_before``."""
    before = set(state.chains.get(channel, ())) if channel.in_order else set()
    for dep in deps:
        known = state.known.get(dep)
        if known is None:
            state.since = all_before
        else:
            before |= {known.number, *known.before}
    return {n for n in before if n > state.since}


def enter_graph(edges: Sequence[Sequence[int]]) -> list[Order]:
    """Give the nodes of a graph their places, each behind those its edges name.

    What was submitted before the graph comes before all of it, what is submitted later after it.
    """
    state.on = True
    first, since, made = state.last + 1, state.last, list[Order]()
    for needs in edges:
        before = {first + k for k in needs}.union(*(made[k].before for k in needs))
        made.append(Order(first + len(made), since, frozenset(before)))
    state.last = state.since = since + len(made)
    return made


def user_of(block: Any) -> Ordered | None:
    """Return a command that has not ended and uses an allocation, of those that are looked at."""
    return next((task for task, order in list(state.known.items())
                 if block in order.blocks and not task.done()), None)


def seen() -> None:
    """Note that the program saw a command at its end: it need not wait for it any more."""
    if state.on:
        waited()


def waited() -> None:
    """Note that the program waited for something: all before it counts as waited for."""
    state.since = state.last
    state.on = False  # there is nothing that a later wait could order
