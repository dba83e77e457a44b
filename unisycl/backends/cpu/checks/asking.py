"""What becomes of a kernel whose loops are asked where they are.

Non-goals: how they are asked (``endless``), how long a kernel may run (``runtime.graph.tasks``).
Invariant: what is called endless cannot end by itself: nothing can change the memory that the loop
looks at, or the time is over.
"""

from __future__ import annotations

from typing import Any, Protocol

from unisycl.backends import reports
from unisycl.backends.base import kernel_error
from unisycl.backends.reports import Site
from unisycl.process import activity

WHERE, LATE = 1, 2
"""What may be asked: where it is, or to end now."""
TURNS = 1 << 16
"""So many turns of a spin pass between two times it asks, in kernels that have no time."""
_STUCK = (
    "this work-item can never go on: all others have ended, wait for it or come after it, and no "
    "other command or thread is at work, so nothing can change what it looks at here; on the CPU "
    "work-items of a group take turns at group functions only: let them meet, or ask for progress "
    "of their own (docs/forward-progress.md)")


class _Spin:
    """A thread's run of one loop without an end to it so far, by the numbers of what it told."""

    def __init__(self, key: Any, count: int, now: int) -> None:
        self.key, self.count = key, count
        self.since = self.before = self.last = now

    def goes_on(self, key: Any, count: int, now: int) -> bool:
        """Take note of its next word; False if it is that of another run."""
        if key != self.key or count - self.count not in (1, TURNS):
            return False
        self.count, self.before, self.last = count, self.last, now
        return True


class Job(Protocol):
    """The launch whose loops are asked."""

    def complete(self, count: int) -> bool:
        """Say whether ``count`` are all threads that take part in it, and will."""


class Asked:
    """Answers what the loops of one launch say of themselves."""

    __slots__ = ("_all", "_moment", "_now", "_spins", "job", "late")

    def __init__(self) -> None:
        self.job: Job | None = None
        self.late = ""
        self._now = 0
        self._moment: Any = None
        self._spins: dict[int, _Spin] = {}
        self._all = False

    def answer(self, kernel: str, number: int, site: Site, cells: Any) -> None:
        """Raise ``DeviceError`` if the loop can never end, or its time is over."""
        if self.late:
            raise kernel_error(kernel, reports.whose(site, cells), site.span, self.late)
        if site.kind != "loop" and self._stuck(number, site, cells):
            raise kernel_error(kernel, reports.whose(site, cells), site.span, _STUCK)

    def _stuck(self, number: int, site: Site, cells: Any) -> bool:
        """Say whether nothing can change what a loop looks at.

        All threads of the launch are in such loops since one moment, and each has taken a turn
        since then: what they look at has not changed and will not. Of a loop over what the kernel
        does not write it is enough that nothing else is at work.
        """
        moment, at = activity.moment(), sum(site.ids)
        if moment is None or moment != self._moment:
            self._spins.clear()
        self._moment = moment
        if moment is None:
            return False
        self._now += 1
        key, worker = (number, *(cells[k] for k in range(at))), cells[at + 1]
        spin = self._spins.get(worker)
        if spin is None or not spin.goes_on(key, cells[at], self._now):
            spin = self._spins[worker] = _Spin(key, cells[at], self._now)
            self._all = self._complete()
        if site.kind == "lonely":
            return spin.before > spin.since
        begun = max(s.since for s in self._spins.values())
        return self._all and all(s.before > begun for s in self._spins.values())

    def _complete(self) -> bool:
        """Say whether those that spin now are all threads there are and will be."""
        return self.job is not None and self.job.complete(len(self._spins))
