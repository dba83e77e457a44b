"""The end of a command on a card.

A kernel that is launched again and again gets an event only if somebody asks for its end, which
then is that of all that its stream was given so far. Non-goals: starting commands. Invariants:
``keep`` holds everything the command uses until its end was seen, by its stream if nobody holds the
completion until then; what is to be done then is done once, by whoever sees it first.
"""

from __future__ import annotations

import contextlib
import select
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from unisycl.backends.base import Tentative
from unisycl.backends.cuda.api import handle
from unisycl.backends.cuda.commands.lanes import Lane, Lanes, Told
from unisycl.backends.cuda.errors import NOT_READY
from unisycl.backends.cuda.session import Session, again
from unisycl.backends.device.loans import spoil
from unisycl.base.errors import exception

_SPIN_NS = 300_000  # the card's processors do not need this one
_YIELD_NS = 10_000_000
_UNTIMED, _TIMED = 2, 0
_REBASE_NS = 2_000_000_000
_EXACT_NS = 20_000  # between the calls around an event: closer need its time not be known
_TRIES = 4
_KEPT = 256
_IN_A_ROW = 31  # launches that may share the end of the first


class Event:
    """One event of CUDA's; it goes back to where it came from when nobody needs it."""

    __slots__ = ("_home", "handle")

    def __init__(self, home: Events, handle: Any) -> None:
        self._home = home
        self.handle = handle

    def __del__(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        if not ends():
            self._home.give(self.handle)


class Events:
    """Events of one session, used again."""

    def __init__(self, session: Session, *, timed: bool) -> None:
        self._session = session
        self._flags = _TIMED if timed else _UNTIMED
        self._free: list[Any] = []

    def take(self) -> Event:
        """Return an event; the session is entered."""
        try:
            return Event(self, self._free.pop())
        except IndexError:
            return Event(self, handle(self._session.api.address("cuEventCreate", self._flags)))

    def give(self, event: Any) -> None:
        """Take back an event of CUDA's that nobody needs."""
        if len(self._free) < _KEPT:
            self._free.append(event)
        elif self._session.lost is None:
            with contextlib.suppress(exception), self._session as api:
                api.attempt("cuEventDestroy_v2", event)


class Clock:
    """Turns times of events into those of ``time.monotonic_ns``, by an event whose time is known.

    CUDA tells only what passed between two events, in milliseconds of 24 bits; so there is a new
    one every two seconds. While other processes use the card its time may be known to some
    milliseconds only, so the best of a few is taken.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._base: Event | None = None
        self._time = 0

    def base(self, events: Events) -> tuple[Event, int]:
        """Return an event and its time; the session is entered."""
        now = time.monotonic_ns()
        if self._base is None or now - self._time > _REBASE_NS:
            api, found = self._session.api, list[tuple[int, int, Event]]()
            stream = api.address("cuStreamCreate", 1)
            try:
                while len(found) < _TRIES and (not found or found[-1][0] > _EXACT_NS):
                    event = events.take()
                    before = time.monotonic_ns()
                    api.call("cuEventRecord", event.handle, stream)
                    api.call("cuEventSynchronize", event.handle)
                    after = time.monotonic_ns()
                    found.append((after - before, (before + after) // 2, event))
            finally:
                api.attempt("cuStreamDestroy_v2", stream)
            _, self._time, self._base = min(found, key=lambda one: one[0])
        return self._base, self._time


class Started(NamedTuple):
    """When a command began: an event, another one and its time, and when it was given."""

    event: Event
    base: tuple[Event, int]
    given: int


class Repeatable(Protocol):
    """What a launch hands to the driver again and again."""

    told: Told

    def arguments(self, lane: Lane) -> tuple[Any, ...]:
        """Return the arguments of the launch for a stream."""


class Ends:
    """How the ends of one driver's commands are seen."""

    def __init__(self, session: Session, lanes: Lanes, *, timed: bool = False) -> None:
        self.session = session
        self.lanes = lanes
        self.timed = timed
        self.events = Events(session, timed=timed)
        self.clock = Clock(session)

    def failed(self, result: int) -> exception:
        """Return the error of a device that was lost, or of a call about a command's end."""
        session = self.session
        if session.lost is not None:
            return again(session.lost)
        return session.failed(result, self.lanes.told())


class CuCompletion:
    """The end of one command. Any thread may ask."""

    over = False
    """Whether its end was seen."""
    _young = True
    _upto = 0
    _event: Event | None = None
    _start: Started | None = None
    _error: BaseException | None = None

    def __init__(self, ends: Ends, lane: Lane, told: Told, keep: object) -> None:
        self.lane = lane
        self.ends = ends
        self._keep = keep
        self.number = number = lane.begun = lane.next()
        lane.told.append((number, told))

    def begun(self, start: Started | None) -> None:
        """Note when it began."""
        self._start = start

    def close(self) -> None:
        """Be about to be waited for: what comes behind it is another command."""

    def keep(self, more: object) -> None:
        """Keep something else until the end."""
        self._keep = (self._keep, more)

    def event(self) -> Any:
        """Return what others may wait for, recorded now if it was not; None: it is over.

        Raises the error of the driver.
        """
        found = self._event
        if found is None and not self.over:
            with self.ends.session:
                self._record()
            found = self._event
        return None if found is None else found.handle

    def _record(self) -> None:
        """Record an event behind the command; the session is entered."""
        ends, lane = self.ends, self.lane
        upto = lane.begun
        event = ends.events.take()
        result = ends.session.api.try_record(event.handle, lane.stream)
        if result:
            raise ends.failed(result)
        if self._event is None:  # another thread may have been faster
            self._upto, self._event = upto, event

    def record(self) -> None:
        """Record the event of a command that was just begun; the session is entered.

        Where that fails, what the command uses is kept until its stream has ended.
        """
        try:
            self._record()
        except exception:
            ends = self.ends
            if ends.session.api.attempt("cuStreamSynchronize", self.lane.value):
                self.lane.keep(self.number, self._keep)
            raise

    def done(self) -> bool:
        """Say whether the command has ended; never blocks.

        Who asks first has only just begun it, so the driver is not asked then.
        """
        if self.over:
            return True
        if self.number <= self.lane.finished:
            self._end(None)
            return self.over
        if self._young:
            self._young = False
            return False
        lane = self.lane
        ends = self.ends
        session = ends.session
        try:
            with session:
                if self._event is None:
                    self._record()
                assert self._event is not None
                result = session.api.try_query(self._event.handle)
        except exception as error:
            self._end(error)
            return self.over
        if result == NOT_READY:
            return False
        if result == 0:
            lane.ended(self._upto)
        self._end(ends.failed(result) if result else None)
        return self.over

    def _end(self, error: BaseException | None) -> None:
        """Note the end. What is let go of may end others, and ask this one again."""
        if error is not None and not self.over:
            self._error = error
            spoil(self._keep)
            self.lane.keep(self.number, self._keep)  # perhaps the device still uses it
        self.over = True
        keep, self._keep = self._keep, None
        del keep

    def wait(self, timeout: float | None = None) -> bool:
        """Block until the command ends or ``timeout`` seconds pass; say whether it ended."""
        if self.done():
            return True
        start = time.monotonic_ns()
        stop = start + (1 << 62) if timeout is None else start + int(timeout * 1e9)
        now = start
        while not self.done():
            spent = now - start
            if now >= stop:
                return False
            if spent >= _YIELD_NS:
                time.sleep(min(spent * 1e-11, 1e-3, (stop - now) / 1e9))
            elif spent >= _SPIN_NS:
                select.select((), (), (), 0)  # lets others run; time.sleep(0) may take 50 us
            now = time.monotonic_ns()
        return True

    def __del__(self, ends: Callable[[], bool] = sys.is_finalizing) -> None:
        """Leave what the command uses to its stream: it may still be at work."""
        if not self.over and not ends():
            self.lane.keep(self.number, self._keep)

    def error(self) -> BaseException | None:
        """Return what the command failed with; only valid once done."""
        return self._error

    def profile(self) -> tuple[int, int]:
        """Return (start, end) in nanoseconds of ``time.monotonic_ns``; only valid once done.

        Of a command that failed, or began before times were kept, they are now. It began after the
        stream was given it, and has ended, whatever the two clocks say.
        """
        start, event, ends = self._start, self._event, self.ends
        now = time.monotonic_ns()
        if start is not None and event is not None and self._error is None:
            with contextlib.suppress(exception), ends.session as api:
                (base, when), given = start.base, start.given
                begun = when + round(api.milliseconds(base.handle, start.event.handle) * 1e6)
                took = round(api.milliseconds(start.event.handle, event.handle) * 1e6)
                begun = max(given, min(begun, now - took))
                return begun, min(begun + took, now)
        return now, now


class RepeatedCompletion(CuCompletion):
    """The end of launches of one kernel with the same arguments, in a row in one stream.

    A launch is added while ``extending`` is the thread that adds it, if ``asked`` is false then;
    whoever uses the end in any way closes it first. So either that launch is before what is
    recorded or given to the stream behind the end, or it is not added.
    """

    asked = False
    extending = 0
    _young = False

    left = _IN_A_ROW

    def __init__(self, ends: Ends, lane: Lane, ready: Repeatable, call: tuple[Any, ...]) -> None:
        self.lane = lane  # as its class does, without a call of that
        self.ends = ends
        self.session = ends.session
        self._keep = ready
        self.ready: Repeatable | None = ready
        self.call = call
        self.number = number = lane.begun = lane.next()
        lane.told.append((number, ready.told))

    def close(self) -> None:
        """Have no launch added any more, and the one under way counted.

        A finaliser that comes here in the midst of adding one finds it in the stream already.
        """
        self.asked = True
        while self.extending and self.extending != threading.get_ident():
            time.sleep(0)

    def _record(self) -> None:
        self.close()
        super()._record()

    def _end(self, error: BaseException | None) -> None:
        """Note the end, behind which no launch is added: nothing of it is kept."""
        super()._end(error)
        self.ready, self.call = None, ()

    def done(self) -> bool:
        """Say whether all the launches have ended; never blocks."""
        if not self.asked:
            self.close()
        if self.over:
            return True
        lane, session = self.lane, self.session
        if self._event is None and lane.last is self and lane.ours and session.lost is None and (
                hasattr(session.mine, "current")):
            upto = lane.begun
            result = session.idle(lane.stream)  # takes less than an event does
            if result == NOT_READY:
                return False
            if result == 0:  # as ``_end`` does, without a call: whoever waits launches the next one
                lane.ended(upto)
                self.over = True
                self._keep = self.ready = None
                self.call = ()
                return True
        return super().done()


class CheckedCompletion(CuCompletion, Tentative):
    """The end of a command whose outcome is known only when ``after`` was called behind it.

    ``after`` is called once, by whoever sees the end first, and returns the error or None.
    """

    def __init__(self, ends: Ends, lane: Lane, told: Told, keep: object,
                 after: Callable[[], BaseException | None]) -> None:
        super().__init__(ends, lane, told, keep)
        self._after: Callable[[], BaseException | None] | None = after
        self._lock = threading.RLock()
        self._ending = False

    def _end(self, error: BaseException | None) -> None:
        """Note the end. What is let go of may end others, and ask this one again: not locked."""
        with self._lock:
            if self.over or self._ending:
                return
            self._ending = True
            if error is not None:
                self._error = error
                spoil(self._keep)
                self.lane.keep(self.number, self._keep)
            elif self._after is not None:
                self._error = self._after()
            self.over = True
            keep, self._keep, self._after = (self._keep, self._after), None, None
        del keep
