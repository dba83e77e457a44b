"""Which of two forms of a kernel's code is the faster, told by its own launches.

How often loops turn whose end data decides is not to be seen in a kernel, and on it depends whether
vectors of work-items or one item at a time is faster. Where a kernel has taken as long as compiling
does, its launches go to both forms by turns, and the faster one stays. Non-goals: which kernels
have another form (``emit.widths.other_lanes``), compiling it. Invariants: a launch runs in one
form, whole; both give the same bits; what is slower by far is not run a second time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from unisycl.backends.cpu.pool.pace import Pace
from unisycl.base.errors import exception

ENOUGH_NS = 50_000_000
"""So much processor time of launches is worth another form's compilation."""

LEAST_NS = 50_000
"""Shorter launches do not tell forms apart."""

FEWEST = 4
"""So many launches come first: the least of them counts, for others may have the processors."""

_SAMPLES = 4
_FEWER, _LONG_NS = 2, 20_000_000  # samples of long launches
_MORE, _SHORT_NS = 12, 1_000_000  # of short ones, which often come in rows with other arguments
_FASTER, _FAR = 0.87, 1.5


class _Plan(Protocol):
    @property
    def pace(self) -> Pace | None:
        """What launches of it took."""


T = TypeVar("T")


class Trial(Generic[T]):
    """The trial of one executable.

    Args:
        other: makes the other form; None where there are enough.
        decided: is told once whether the other form is the faster.
    """

    __slots__ = ("_busy", "_decided", "_other", "_paces", "_turn", "over", "rival", "where")

    def __init__(self, other: Callable[[], T | None], decided: Callable[[bool], None]) -> None:
        self._other, self._decided = other, decided
        self._busy = threading.Lock()
        self._turn = 0
        self._paces: tuple[Pace, Pace] | None = None
        self.rival: T | None = None
        self.where: object = None
        self.over = False

    def pick(self, mine: T, plan: _Plan, where: object, rivals: Callable[[T], Pace | None]) -> T:
        """Return the form that a launch over an index space takes; ``rivals``: of its launches."""
        if self.over:
            return mine if self.rival is None else self.rival
        if not self._busy.acquire(blocking=False):
            return mine
        try:
            if self._paces is None:
                self._begin(plan, where, rivals)
                return mine
            return self._next(mine) if where is self.where else mine
        finally:
            self._busy.release()

    def _begin(self, plan: _Plan, where: object, rivals: Callable[[T], Pace | None]) -> None:
        pace = plan.pace
        if pace is None or pace.count < FEWEST or pace.least < LEAST_NS \
                or pace.least * pace.count < ENOUGH_NS:
            return
        try:
            self.rival = self._other()
        except exception:  # it takes more memory, say
            self._end(won=False)
            return
        if self.rival is None:
            self.over = True  # and nothing is noted: another process may have a place for it
            return
        theirs = rivals(self.rival)
        if theirs is None:
            self._end(won=False)
            return
        self.where, self._paces = where, (pace, theirs)
        pace.samples, theirs.samples = [], []

    def _next(self, mine: T) -> T:
        assert self._paces is not None
        assert self.rival is not None
        own, theirs = (pace.samples or () for pace in self._paces)
        if theirs and min(theirs) > _FAR * self._paces[0].least:
            self._end(won=False)
            return mine
        least = self._paces[0].least
        wanted = _FEWER if least > _LONG_NS else _SAMPLES if least > _SHORT_NS else _MORE
        if min(len(own), len(theirs)) >= wanted:
            count = min(len(own), len(theirs))
            self._end(won=min(theirs) < _FASTER * min(own)
                      and sum(theirs[:count]) < sum(own[:count]))
            return mine if self.rival is None else self.rival
        self._turn += 1  # not by turns: every other launch may have what makes it long
        return self.rival if self._turn.bit_count() & 1 else mine

    def _end(self, *, won: bool) -> None:
        if not won:
            self.rival = None
        for pace in self._paces or ():
            pace.samples = None
        self.over = True
        self._decided(won)
