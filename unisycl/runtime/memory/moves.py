"""Copies of a memory in the spaces of devices, and what brings data to where it is used.

A command names the bytes it uses; what is not where it runs is brought there by copies that enter
the graph before it, as commands of the driver whose memory is not the host's, or of the one that
takes them from another. Non-goals: which accesses conflict (``deps``). Invariants: a copy is asked
for only where the value is missing; one between two devices goes by way of the host where their
drivers know no other; the caller holds the graph lock where it says so.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from unisycl.backends.base import HOST, BoundView, Completion, Driver, Fetch
from unisycl.base.enums import target as Target
from unisycl.process import log
from unisycl.runtime.graph.deps import Access, Tracker
from unisycl.runtime.graph.tasks import Begin, Task, begin_python
from unisycl.runtime.memory.places import Places
from unisycl.runtime.threads.per_process import process


class Transfer(Task):
    """A copy from one space to another; ``start`` it once the graph lock is free."""

    __slots__ = ("_after", "_from_to")

    def __init__(self, memory: Movable, driver: Driver, part: tuple[int, int],
                 spaces: tuple[str, str], fetch: Fetch | None = None) -> None:
        way = "from" if spaces[1] == HOST else "to"
        super().__init__(None, f"the copy of {memory.noun} data {way} "
                         f"'{driver.devices()[0].name}'", driver)
        low, high = part
        self._after: Sequence[Task] = memory.tracker.access(low, high, writes=False, task=self)
        self._from_to = functools.partial(_copy, memory, fetch or driver.copy, part, spaces)

    def start(self) -> None:
        """Enter the graph."""
        after, self._after = self._after, ()
        self.explicit = after  # the value of a command that failed is not brought anywhere
        self.enqueue(after, self._from_to)
        del self._from_to


class Movable(Protocol):
    """A memory that may have copies."""

    noun: str
    nbytes: int
    copies: Copies | None
    tracker: Tracker[Task]

    def storage(self) -> Any:
        """Return the bytes on the host."""


class Copies:
    """A memory's bytes in spaces other than the host's, and where its present value lies."""

    __slots__ = ("held", "places")

    def __init__(self, nbytes: int, *, on_host: bool) -> None:
        self.held: dict[str, tuple[Driver, Any]] = {}
        self.places: Places[Transfer] = Places(nbytes, (HOST,) if on_host else ())


def hold(memory: Movable, driver: Driver, *, on_host: bool) -> Any:
    """Return the bytes of a memory in a driver's space, allocating them on first use.

    ``on_host`` says whether the host has a value, if nothing else has been noted yet.
    """
    copies = memory.copies
    held = None if copies is None else copies.held.get(driver.memory)
    if held is not None:
        return held[1]
    fresh = driver.allocate(memory.nbytes)
    with process.lock:
        if memory.copies is None:
            memory.copies = Copies(memory.nbytes, on_host=on_host)
        return memory.copies.held.setdefault(driver.memory, (driver, fresh))[1]


def lies_at_home(memory: Movable) -> bool:
    """Say whether all of a memory's present value lies with the host already."""
    copies = memory.copies
    if copies is None:
        return True
    with process.lock:
        late = copies.places.arrivals(0, memory.nbytes, HOST)
        return not copies.places.missing(0, memory.nbytes, HOST) and all(
            transfer.done() for transfer in late)


def bring(memory: Movable, access: Access, space: str, deps: list[Task]) -> list[Transfer]:
    """Plan what an access in a space needs, add it to ``deps`` and note what the access does.

    Called under the graph lock; the transfers returned are to be started after it.
    """
    copies = memory.copies
    assert copies is not None
    start, stop, places = access.start, access.stop, copies.places
    moves: list[Transfer] = []
    if places.stays(space, writes=access.mode.writes):
        return moves
    if not access.no_init:
        for low, high, source in places.missing(start, min(stop, memory.nbytes), space):
            fetch = None
            if source != HOST and space != HOST:
                fetch = copies.held[space][0].fetch(copies.held[source][0])
            if fetch is None and source != HOST and space != HOST:
                moves.append(_transfer(memory, copies, (low, high), (source, HOST)))
                source = HOST
            moves.append(_transfer(memory, copies, (low, high), (source, space), fetch))
        deps += [a for a in places.arrivals(start, stop, space)
                 if a not in deps and not (a.settled and a.error is None)]
    if access.mode.writes:
        places.only(start, stop, space)
    return moves


def _transfer(memory: Movable, copies: Copies, part: tuple[int, int],
              spaces: tuple[str, str], fetch: Fetch | None = None) -> Transfer:
    source, space = spaces
    log.say("transfer", log.DEBUG, "%s data, bytes %d to %d, from %s to %s", memory.noun, *part,
            source, space)
    acting = space if source == HOST or fetch is not None else source
    made = Transfer(memory, copies.held[acting][0], part, spaces, fetch)
    made._after = [*made._after, *(a for a in copies.places.arrivals(*part, source)
                                   if a not in made._after)]
    copies.places.add(*part, space, made)
    return made


def _copy(memory: Movable, copy: Fetch, part: tuple[int, int], spaces: tuple[str, str],
          native: Sequence[Completion]) -> Completion:
    source, space = (_view(memory, part, s) for s in spaces)
    return copy(space, source, native)


def _view(memory: Movable, part: tuple[int, int], space: str) -> BoundView:
    copies = memory.copies
    assert copies is not None
    whole = memory.storage() if space == HOST else copies.held[space][1]
    return BoundView(whole, part[0], (part[1] - part[0],), (1,))


def carry(accesses: Iterable[Access], source: Driver, target: Driver) -> None:
    """Copy what a running command accesses from one driver's space to another's, and wait.

    For a command that goes on elsewhere; what is noted of where values lie stays true.
    """
    if source.memory != target.memory:
        used = [a for a in accesses if a.target is not Target.host_task]
        shift(used, source, (source.memory, HOST))
        shift(used, target, (HOST, target.memory))


def shift(accesses: Iterable[Access], driver: Driver, way: tuple[str, str]) -> None:
    """Copy what a running command accesses to or from a driver's space, and wait."""
    if driver.memory == HOST:
        return
    for access in accesses:
        memory: Any = access.key
        part = access.start, min(access.stop, memory.nbytes)
        if part[0] < part[1]:
            memory.placed(driver)
            _await(_copy(memory, driver.copy, part, way, ()))


def _await(end: Completion) -> None:
    """Wait on a thread of the runtime; raise what the command failed with."""
    executor = process.executor
    mine = executor.is_mine()
    if mine:
        executor.blocking(+1)
    try:
        while not end.wait(1.0):
            continue
    finally:
        if mine:
            executor.blocking(-1)
    error = end.error()
    if error is not None:
        raise error


def at_home(begin: Begin, accesses: Sequence[Access], driver: Driver) -> Begin:
    """Return how to begin a step of a graph that works on the host's copies.

    To whoever waits for the graph its data are in the driver's space throughout; they are lent to
    the host for this step.
    """
    def body() -> None:
        shift(accesses, driver, (driver.memory, HOST))
        _await(begin(()))
        shift([a for a in accesses if a.mode.writes], driver, (HOST, driver.memory))

    return begin_python(body)


def space_of(access: Access, driver: Driver) -> str:
    """Return the space in which a command of a driver needs what it accesses."""
    return HOST if access.target is Target.host_task else driver.memory


def start(moves: Iterable[Transfer]) -> None:
    """Start transfers in the order they were planned in."""
    for move in moves:
        move.start()
