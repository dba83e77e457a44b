"""The streams of one card: which one a command goes to, and what it waits for there.

A command that follows the newest one of a stream goes behind it; one that follows nothing goes to a
stream that is free. Commands of queues with a priority have streams of it. Non-goals: what a
command does. Invariants: a command is behind each of its dependencies in one stream, or its stream
waits for their events; a number is given to a command once the stream has it, so that an event
recorded after a number was read covers all up to it.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from typing import Any

from unisycl.backends.cuda.api import Api, handle
from unisycl.backends.cuda.session import Session
from unisycl.process.callers import Where, place

MOST = 8
_NON_BLOCKING = 1
_TOLD = 32
Told = tuple[str, Where | None]
"""What a command is called, and where the program submitted it."""


class Lane:
    """One stream of ``lanes``; ``begun`` and ``finished`` are numbers of its commands."""

    __slots__ = ("_kept", "_places", "begun", "finished", "lanes", "last", "next", "ours", "stream",
                 "told", "urgency", "value")

    def __init__(self, value: int, lanes: Lanes, *, ours: bool = True, urgency: int = 0) -> None:
        self.urgency = urgency
        self.value = value
        self.stream = handle(value)
        self.lanes = lanes
        self.ours = ours
        """Whether nobody else gives the stream commands."""
        self.begun = self.finished = 0
        self.last: Any = None
        self._kept: dict[int, tuple[int, object]] = {}
        self._places = itertools.count().__next__
        self.next = itertools.count(1).__next__
        """Returns the number of a command that the stream was given, ``begun`` from then on."""
        self.told: deque[tuple[int, Told]] = deque(maxlen=_TOLD)
        """What the newest commands are called, by their numbers."""

    def keep(self, number: int, used: object) -> None:
        """Keep what a command uses whose end nobody saw, until one behind it was seen to end.

        Finalisers come here, at any time.
        """
        if number > self.finished:
            self._kept[self._places()] = number, used

    def ended(self, number: int) -> None:
        """Note that all commands up to a number have ended."""
        if number > self.finished:
            self.finished = number
        kept = self._kept
        if not kept:
            return
        for key in list(kept):
            known = kept.get(key)
            if known is not None and known[0] <= self.finished:
                kept.pop(key, None)

    def under_way(self) -> list[Told]:
        """Return what was begun and not seen to end, of the newest commands."""
        found = [told for number, told in self.told if number > self.finished]
        if not found and self.begun > self.finished and self.told:  # of launches in a row
            found = [self.told[-1][1]]
        return found

    def idle(self) -> bool:
        """Say whether all its commands were seen to end."""
        last = self.last
        return last is None or last.over or last.done()


class Lanes:
    """The streams of one session, made when needed; ``own`` is a program's, the only one then."""

    def __init__(self, session: Session, own: int | None = None) -> None:
        self._session = session
        self._own = own
        self._lanes: list[Lane] = []
        self._turn = 0
        if own is not None:
            self._lanes.append(Lane(own, self, ours=False))

    def __iter__(self) -> Any:
        return iter(self._lanes)

    def choose(self, deps: Sequence[Any], urgency: int = 0) -> Lane:
        """Return where a command goes, once its stream waits for what is elsewhere.

        The session is entered.
        """
        lane = None
        for dep in deps:
            if dep.lane is not None and dep.lane.last is dep and dep.lane.urgency == urgency:
                dep.close()
                lane = dep.lane
                break
        if lane is None or lane.lanes is not self or self._own is not None:
            lane = self._free(urgency)
        for dep in deps:
            if dep.lane is not lane and not dep.over:
                event = dep.event()
                if event is not None:
                    self._session.api.call("cuStreamWaitEvent", lane.value, event, 0)
        return lane

    def close(self, api: Api) -> int:
        """Use one stream only from now on, which waits for what the others were given."""
        if self._own is None:
            made = api.address("cuStreamCreate", _NON_BLOCKING)
            for lane in self._lanes:
                last = lane.last
                if last is not None and not last.over:
                    event = last.event()
                    if event is not None:
                        api.call("cuStreamWaitEvent", made, event, 0)
                lane.last = None  # so that nothing goes behind it there
            self._own, self._lanes = made, [Lane(made, self, ours=False)]
        return self._own

    def behind(self, deps: Sequence[Any], urgency: int = 0) -> Lane | None:
        """Return the stream whose newest command is all that a command follows, if there is one."""
        if deps:
            lane: Lane = deps[0].lane
            mine = lane.lanes is self and self._own in (None, lane.value)
            deps[0].close()
            mine = mine and (lane.urgency == urgency or self._own is not None)
            return lane if mine and lane.last is deps[0] else None
        for lane in self._lanes:
            last = lane.last
            if (last is None or last.over) and (
                    lane.urgency == urgency or self._own is not None):
                return lane
        return None

    def _free(self, urgency: int) -> Lane:
        """Return a stream without work; a new one if there may be, else the next in turn."""
        if self._own is not None:
            return self._lanes[0]
        lanes = [lane for lane in self._lanes if lane.urgency == urgency]
        for lane in lanes:
            if lane.idle():
                return lane
        if len(lanes) < MOST:
            made = Lane(self._stream(urgency), self, urgency=urgency)
            self._lanes.append(made)
            return made
        self._turn = (self._turn + 1) % len(lanes)
        return lanes[self._turn]

    def _stream(self, urgency: int) -> int:
        """Return a new stream; the session is entered."""
        api = self._session.api
        if not urgency:
            return api.address("cuStreamCreate", _NON_BLOCKING)
        least, most = api.priorities()
        return api.address("cuStreamCreateWithPriority", _NON_BLOCKING,
                           most if urgency > 0 else least)

    def told(self) -> str:
        """Return what is under way, for the error of a device that was lost."""
        rows = [[_spelt(t) for t in lane.under_way()] for lane in self._lanes]
        first = [row[0] for row in rows if row]
        if not first:
            return "a command"
        behind = sum(len(row) - 1 for row in rows if row)
        text = first[0] if len(first) == 1 else f"one of {', '.join(first)}"
        if behind:
            which = next(row[1] for row in rows if len(row) > 1)
            others = which if behind == 1 else f"{behind} commands behind it, the next {which}"
            text = f"{text}, or {others} (run with CUDA_LAUNCH_BLOCKING=1 to see which),"
        return text


def _spelt(told: Told) -> str:
    what, where = told
    return what if where is None else f"{what}, {where[2]} at {place(where)}"
