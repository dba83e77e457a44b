"""How long launches of one kind take, and how many threads that is worth.

Waking a thread costs several microseconds of two processors, so a launch that is over in twenty is
done by one. Non-goals: launches so small that no other thread is asked at all (``direct``).
Invariant: an answer may be wrong, and costs time only: the pool calls for all threads once a launch
has taken longer than it should have (``pool.ll``, wider).
"""

from __future__ import annotations

WORTH_NS = 25_000
"""How much work is worth a thread."""

PATIENCE_NS = 4 * WORTH_NS
"""After this a job with few threads calls for the others: well above what may have one."""

_SLOWLY = 4


class Pace:
    """What launches of one kernel over one index space took, all threads together.

    ``count``: how many; ``least``: the shortest; ``samples``: each, where somebody asks for them.
    """

    __slots__ = ("_ns", "count", "least", "samples")

    def __init__(self) -> None:
        self._ns = self.count = self.least = 0
        self.samples: list[int] | None = None

    def most(self) -> int:
        """Return how many threads the next launch is worth; 0 where that is not known."""
        return self._ns and max(1, self._ns // WORTH_NS)

    def note(self, ns: int) -> None:
        """Take what a launch took: less at once, more by and by, for others may have its core."""
        known = self._ns
        if ns > 0:
            self.count += 1
            self.least = min(ns, self.least or ns)
            if self.samples is not None:
                self.samples.append(ns)
            self._ns = ns if not known or ns < known else known + max(1, (ns - known) // _SLOWLY)
