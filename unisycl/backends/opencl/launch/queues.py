"""Which queue of OpenCL a kernel goes to: the device's own, out of order, or an in-order one.

Behind a wait list Intel's runtime starts a kernel 70 to 100 microseconds after the one before has
ended; in an in-order queue one or two. So a chain of kernels runs in a queue of its own. Non-goals:
copies, and kernels that need more than one call; these stay with the device's queue and wait lists.
Invariant: a kernel is behind each of its dependencies in one queue or has it in its wait list. That
no other kernel stands before it is likely, not certain: one that may wait for another kernel at
work is never put in line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

MOST = 4


class Queued(Protocol):
    """The end of a command in a queue."""

    event: Any
    over: bool

    def done(self) -> bool:
        """Say whether the command has ended; never blocks."""


class Lane:
    """One queue; ``last`` is the newest command of an in-order one, which has an ``owner``."""

    __slots__ = ("last", "owner", "queue")

    def __init__(self, queue: Any, owner: Lanes | None) -> None:
        self.queue = queue
        self.owner = owner
        self.last: Queued | None = None

    def idle(self) -> bool:
        """Say whether all its commands have ended."""
        last = self.last
        return last is None or last.done()


class Lanes:
    """The queues of one device: ``main``, and up to ``most`` in-order ones, made when needed."""

    def __init__(self, main: Any, make: Callable[[], Any], most: int = MOST) -> None:
        self.main = Lane(main, None)
        self.most = most
        self._make = make
        self._lanes: list[Lane] = []
        self._near: Lane | None = None

    def choose(self, deps: Sequence[Any]) -> tuple[Lane, list[Any] | None]:
        """Return where a kernel goes, and the events it waits for there."""
        if not deps:
            near = self._near
            if near is not None:
                last = near.last
                if last is None or last.over or last.done():
                    return near, None
            return self._next(), None
        for dep in deps:
            lane = dep.lane
            if lane is not None and lane.last is dep and lane.owner is self and self.most:
                return lane, None if len(deps) == 1 else [d.event for d in deps if d is not dep]
        return self._idle() or self.main, [d.event for d in deps]

    def _next(self) -> Lane:
        """Return the main queue, and look at another in-order one the next time."""
        lanes, near = self._lanes, self._near
        if near is None:
            return self._idle() or self.main
        self._near = lanes[(lanes.index(near) + 1) % len(lanes)]
        return self.main

    def _idle(self) -> Lane | None:
        """Return an in-order queue whose commands have all ended; a new one if it may be."""
        if not self.most:
            return None
        lanes = self._lanes
        found = next((lane for lane in lanes if lane.idle()), None)
        if found is None and len(lanes) < self.most:
            try:
                found = Lane(self._make(), self)
            except Exception:  # noqa: BLE001 - the device gives no more queues: these have to do
                self.most = len(lanes)
                return None
            lanes.append(found)
        if found is not None:
            self._near = found
        return found

    def queues(self) -> list[Any]:
        """Return all there are."""
        return [self.main.queue, *(lane.queue for lane in self._lanes)]

    def close(self) -> list[Any]:
        """Use the main queue only; return the events of what still runs in the others."""
        self.most, self._near = 0, None
        last = [lane.last for lane in self._lanes]
        return [c.event for c in last if c is not None and not c.done()]
