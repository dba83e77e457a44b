"""Ranks that are threads of one process: for tests, and for programs that try things out.

``run`` starts them. Non-goals: speed between ranks. Invariants: whoever comes last does the work;
a rank that ends with an error breaks the group for all others at once.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from unisycl.base.errors import DeviceError, errc
from unisycl.ranks.links import arithmetic, progress
from unisycl.ranks.links.link import Array, Call, Ending, Link, differ, late, unlike
from unisycl.ranks.links.pulse import Busy

T = TypeVar("T")
Posted = tuple[Array, Ending, str]
_here = threading.local()


class Pair:
    """What one rank sends to another; with a lock of its own, as all ranks may send at once."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.sent: dict[int, list[Posted]] = {}
        self.wanted: dict[int, list[Posted]] = {}


class Room:
    """What the ranks of one group share."""

    def __init__(self, size: int, name: str, busy: list[Busy] | None = None) -> None:
        self.size, self.name = size, name
        self.busy: list[Busy] = [] if busy is None else busy
        self.lock = threading.Lock()
        self.came = threading.Condition(self.lock)
        self.calls: dict[int, dict[int, tuple[Call, Ending]]] = {}
        self.pairs: dict[tuple[int, int], Pair] = {}
        self.ended: BaseException | None = None
        self.rooms: dict[tuple[int, int], Room] = {}
        self.members: set[int] = set()

    def fail(self, error: BaseException) -> None:
        """End all that is under way with an error, and all that comes."""
        with self.lock:
            self.ended = self.ended or error
            open_calls = [e for calls in self.calls.values() for _, e in calls.values()]
            rooms = list(self.rooms.values())
        for pair in list(self.pairs.values()):  # one that is made later sees that all has ended
            with pair.lock:
                for box in (pair.sent, pair.wanted):
                    open_calls += [e for posted in box.values() for _, e, _ in posted]
        for ending in open_calls:
            ending.finish(error)
        for room in rooms:
            room.fail(error)


class ThreadLink(Link):
    """One thread's end of a group of threads."""

    provider = "threads of one process"

    def __init__(self, room: Room, rank: int, limit: float) -> None:
        super().__init__(rank, room.size, limit, room.name)
        self.room = room
        self._splits = 0
        self._heard = float("-inf")

    def note_busy(self, busy: Busy) -> None:
        self.room.busy.append(busy)

    def heard(self) -> float:
        if any(busy() for busy in list(self.room.busy)):
            self._heard = time.monotonic()
        return self._heard

    def send(self, to: int, tag: int, data: Array, words: str = "") -> Ending:
        return self._meet(self.rank, to, tag, data, words)

    def receive(self, source: int, tag: int, data: Array, words: str = "") -> Ending:
        return self._meet(source, self.rank, tag, data, words, sends=False)

    def _meet(self, source: int, to: int, tag: int, data: Array, words: str, *,
              sends: bool = True) -> Ending:
        room, other = self.room, to if sends else source
        pair = room.pairs.get((source, to)) or room.pairs.setdefault((source, to), Pair())
        ending = self._ending(f"{'a message to' if sends else 'a message from'} rank {other}",
                              lambda: [other])
        with pair.lock:
            if room.ended is not None:
                ending.finish(room.ended)
                return ending
            mine, theirs = (pair.sent, pair.wanted) if sends else (pair.wanted, pair.sent)
            if not theirs.get(tag):
                mine.setdefault(tag, []).append((data, ending, words))
                progress.add(ending)
                return ending
            array, partner, others = theirs[tag].pop(0)
            if not theirs[tag]:
                del theirs[tag]
        given, into = (data, array) if sends else (array, data)
        error: BaseException | None = None
        if given.nbytes != into.nbytes or words != others:
            sent, wanted = (words, others) if sends else (others, words)
            error = unlike(source, sent or f"{given.nbytes} bytes", to,
                           wanted or f"{into.nbytes}")
        else:
            into.reshape(-1).view(np.uint8)[:] = given.reshape(-1).view(np.uint8)
        partner.finish(error)
        ending.finish(error)
        return ending

    def collect(self, call: Call) -> Ending:
        room = self.room
        call.number = self.number()
        ending = self._ending(f"call {call.number}, {call.signature()}",
                              lambda: self._missing(call.number))
        with room.lock:
            if self.broken or room.ended:
                ending.finish(self.broken or room.ended)
                return ending
            here = room.calls.setdefault(call.number, {})
            here[self.rank] = call, ending
            if len(here) < self.size:
                progress.add(ending, soon=False)
                return ending
            del room.calls[call.number]
        error = self._carried_out(call.number, [here[r][0] for r in range(self.size)])
        for _, each in here.values():
            each.finish(error)
        return ending

    def _carried_out(self, number: int, calls: Sequence[Call]) -> BaseException | None:
        said = {r: c.signature() for r, c in enumerate(calls)}
        if len(set(said.values())) > 1:
            return differ(self, number, said)
        try:
            arithmetic.carry_out(calls)
        except Exception as error:  # noqa: BLE001 -- becomes every rank's error
            return error
        return None

    def _missing(self, number: int) -> list[int]:
        with self.room.lock:
            came = self.room.calls.get(number, {})
            return [r for r in range(self.size) if r not in came]

    def _ending(self, what: str, missing: Callable[[], list[int]]) -> Ending:
        end = time.monotonic() + self.limit
        made = Ending()

        def step() -> None:
            if self.overdue(end):
                error = late(self, what, missing())
                self.broken = self.broken or error
                made.finish(error)
        made.step = step
        return made

    def split(self, color: int, key: int) -> ThreadLink | None:
        self._splits += 1
        told = np.zeros(2 * self.size, np.int64)
        self.finish(self.collect(Call("allgather", np.array([color, key], np.int64), told)))
        return self._among([(int(c), int(k)) for c, k in told.reshape(-1, 2)], color)

    def _among(self, told: list[tuple[int, int]], color: int) -> ThreadLink | None:
        if color < 0:
            return None
        mates = sorted((k, r) for r, (c, k) in enumerate(told) if c == color)
        at = self._splits, color
        with self.room.lock:
            room = self.room.rooms.get(at)
            if room is None:
                room = self.room.rooms[at] = Room(len(mates), f"{self.name}/{at[0]}.{color}",
                                                 self.room.busy)
        rank = [r for _, r in mates].index(self.rank)
        return ThreadLink(room, rank, self.limit)

    def abort(self, error: BaseException) -> None:
        self.room.fail(DeviceError(errc.runtime, f"{self.called()} has failed: "
                                   f"{type(error).__name__}: {error}"))


def here() -> Link | None:
    """Return the link of the thread that ``run`` has started this call in; None elsewhere."""
    return getattr(_here, "link", None)


def run(size: int, body: Callable[[Link], T], *, limit: float = 30.0,
        wrap: Callable[[Link], Link] | None = None) -> list[T]:
    """Run a function as so many ranks, each in a thread; return what each returns.

    Args:
        size: how many ranks.
        body: called with the rank's link.
        limit: the seconds after which a rank that does not come is missing.
        wrap: makes the link that a rank uses of its link (to inject faults).

    The error of the first rank that failed is raised, when all have ended.
    """
    room = Room(size, "threads")
    results: list[Any] = [None] * size
    errors: list[tuple[float, int, BaseException]] = []

    def rank(number: int) -> None:
        link: Link = ThreadLink(room, number, limit)
        _here.link = link if wrap is None else wrap(link)
        try:
            results[number] = body(_here.link)
        except BaseException as error:  # noqa: BLE001 -- raised below, in the caller's thread
            errors.append((time.monotonic(), number, error))
            link.abort(error)
            for end in _here.link.on_failure:
                end()

    threads = [threading.Thread(target=rank, args=(r,), daemon=True, name=f"rank-{r}")
               for r in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        _, number, error = min(errors, key=lambda e: e[0])
        error.add_note(f"raised by rank {number} of {size}")
        raise error
    return results


class Meeting:
    """A place where threads that know a key make a group (``create_kvs``)."""

    _known: dict[str, Room] = {}  # noqa: RUF012 -- all groups of the process
    _lock = threading.Lock()

    @classmethod
    def join(cls, key: str, rank: int, size: int, limit: float) -> ThreadLink:
        """Return a rank's end of the group of a key, once all ranks have come."""
        with cls._lock:
            room = cls._known.setdefault(key, Room(size, key))
        link = ThreadLink(room, rank, limit)
        with room.lock:
            if room.size != size or rank in room.members:
                raise DeviceError(errc.invalid, f"rank {rank} of {size} of '{key}': the group has "
                                  f"{room.size} ranks, of which {sorted(room.members)} are there")
            room.members.add(rank)
            room.came.notify_all()
            if not room.came.wait_for(lambda: len(room.members) == size, limit):
                raise late(link, "create_communicator",
                           sorted(set(range(size)) - room.members))
        return link
