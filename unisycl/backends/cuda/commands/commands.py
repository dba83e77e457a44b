"""Gives commands to the streams of one card.

Non-goals: what they do. Invariants: nothing here waits for a command; what a command uses is kept
until its end was seen, whatever fails in between.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.backends.cuda.commands.completion import (
    CheckedCompletion,
    CuCompletion,
    Ends,
    Started,
)
from unisycl.backends.cuda.commands.lanes import Lane, Lanes, Told
from unisycl.backends.cuda.session import Session

Call = Callable[[Lane], int]
After = Callable[[], BaseException | None]


class Commands:
    """The commands of one driver.

    ``own``: a stream of a program's own, in which all of them go.
    """

    def __init__(self, session: Session, own: int | None = None) -> None:
        self.session = session
        self.lanes = Lanes(session, own)
        self.ends = Ends(session, self.lanes)

    def time(self) -> None:
        """Have later commands timed."""
        self.ends = Ends(self.session, self.lanes, timed=True)

    def begin(self, call: Call, deps: Sequence[Any], told: Told, keep: object,
              after: After | None = None, *, urgency: int = 0) -> CuCompletion:
        """Give a command to a stream behind others.

        Args:
            call: gives it to a lane's stream, which is all it does; returns CUDA's result.
            deps: completions of this card's commands.
            told: what messages call it.
            keep: what it uses.
            after: what is to be done when it has ended.
            urgency: that of its queue.
        """
        ends = self.ends
        open_ = [d for d in deps if isinstance(d, CheckedCompletion) and not d.over]
        if open_:  # whoever sees this one end need not know of those
            after = functools.partial(_after, open_, after)
        with self.session:
            lane = self.lanes.choose(deps, urgency)
            start = self.stamp(lane) if ends.timed else None
            result = call(lane)
            if result:
                raise self.session.failed(result, _call_it(told))
            made = CuCompletion(ends, lane, told, keep) if after is None else (
                CheckedCompletion(ends, lane, told, keep, after))
            if start is not None:
                made.begun(start)
            lane.last = made
            made.record()
        return made

    def stamp(self, lane: Lane) -> Started:
        """Record when a command begins; the session is entered."""
        ends = self.ends
        base = ends.clock.base(ends.events)
        event, given = ends.events.take(), time.monotonic_ns()
        self.session.api.call("cuEventRecord", event.handle, lane.value)
        return Started(event, base, given)

    def share(self) -> int:
        """Return a stream that all commands go to from now on, behind all that was begun."""
        with self.session as api:
            return self.lanes.close(api)

    def follow(self, lane: Lane, streams: Sequence[int]) -> None:
        """Have a lane wait for what streams of other libraries were given; entered."""
        for stream in streams:
            event = self.ends.events.take()
            self.session.api.call("cuEventRecord", event.handle, stream)
            self.session.api.call("cuStreamWaitEvent", lane.value, event.handle, 0)

    def precede(self, lane: Lane, streams: Sequence[int]) -> None:
        """Have streams of other libraries wait for what a lane was given; entered."""
        for stream in streams:
            event = self.ends.events.take()
            self.session.api.call("cuEventRecord", event.handle, lane.value)
            self.session.api.call("cuStreamWaitEvent", stream, event.handle, 0)


def _after(before: Sequence[CheckedCompletion], after: After | None) -> BaseException | None:
    """Do what is due behind commands that have ended with another one, then behind that."""
    for one in before:
        one.wait()
    return None if after is None else after()


def _call_it(told: Told) -> str:
    return told[0]
