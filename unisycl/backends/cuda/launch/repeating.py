"""Launches that come again, given to the driver's function with hardly a step in between.

Non-goals: first launches (``driver``). Invariant: what is not as it always is, is left to
``launch``: a lost device, timed commands, a thread in which another context may be current.
"""

from __future__ import annotations

from threading import get_ident
from typing import Any, Protocol

from unisycl.backends.base import Completion, Driver, Launch
from unisycl.backends.cuda.commands.commands import Commands
from unisycl.backends.cuda.commands.completion import CuCompletion, RepeatedCompletion
from unisycl.backends.cuda.launch.prepared import Prepared
from unisycl.backends.cuda.session import Session


class Opened(Protocol):
    """What is asked of a driver's context."""

    session: Session
    commands: Commands


class Repeating(Driver):
    """What of the driver of a card takes launches that come again."""

    extends = True
    _open: Opened | None

    def again(self, launch: Launch, before: Completion | None) -> Completion | None:
        """Launch a kernel once more, behind the newest command of a stream."""
        ready, here = launch.packed, self._open
        if type(ready) is not Prepared or here is None:
            return None
        commands = here.commands
        session, ends = here.session, commands.ends
        call: tuple[Any, ...] = ()
        if before is None:
            lane, call = ready.known  # where it went before, if nothing is there
            if lane is None or (last := lane.last) is None or not last.over or (
                    lane.lanes is not commands.lanes or lane.urgency != launch.urgency):
                lane, call = commands.lanes.behind((), launch.urgency), ()
        elif type(before) is RepeatedCompletion or type(before) is CuCompletion:
            before.close()
            lane = before.lane
            if lane.last is not before or lane.lanes is not here.commands.lanes or (
                    lane.urgency != launch.urgency):
                return None
        else:
            return None
        if lane is None or ends.timed or session.lost is not None or (
                not hasattr(session.mine, "current")):
            return None
        call = call or ready.arguments(lane)
        result = session.launch(*call)
        if result:
            raise session.failed(result, ready.told[0])
        made = lane.last = RepeatedCompletion(ends, lane, ready, call)
        return made

    def extend(self, launch: Launch, end: Completion) -> bool:
        """Launch a kernel once more behind itself."""
        ready = launch.packed
        if (type(end) is not RepeatedCompletion or type(ready) is not Prepared
                or end.ready is not ready or not end.left):
            return False
        lane, session = end.lane, end.session
        if session.lost is not None or not hasattr(session.mine, "current"):
            return False
        end.left -= 1
        end.extending = get_ident()
        try:
            if end.asked or lane.last is not end:
                return False
            result = session.launch(*end.call)
            if result:
                raise session.failed(result, ready.told[0])
            end.number = lane.begun = lane.next()
        finally:
            end.extending = 0
        return True
