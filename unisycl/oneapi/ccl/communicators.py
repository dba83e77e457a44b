"""Communicators: one rank's end of a group of ranks (oneCCL's communicator).

Non-goals: carrying data (``ranks.links``). Invariant: collective calls of one communicator run in
the order in which the rank makes them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import unisycl as sycl
from unisycl.base.tracebacks import ends_at_call
from unisycl.oneapi.ccl.kvs import kvs
from unisycl.oneapi.frame.refusals import refuse, whole
from unisycl.ranks.links import cards, mpi, oneccl, pulse, world
from unisycl.ranks.links.alone import AloneLink
from unisycl.ranks.links.link import Link
from unisycl.ranks.links.threads import Meeting


@ends_at_call
class communicator:
    """One rank's end of a group; made by ``create_communicator``.

    Args:
        link: how the ranks reach one another (internal).
        device, context: what its calls run on, where that was said.
    """

    def __init__(self, link: Link, device: Any = None, context: Any = None) -> None:
        self.link, self._device, self._context = link, device, context
        self.last: Any = None
        self.host: sycl.queue | None = None
        self._watched: weakref.WeakSet[Any] = weakref.WeakSet()
        self._messages: dict[tuple[int, int], int] = {}
        self._cards: dict[Any, Any] = {}
        self.known: dict[Any, Any] = {}
        """Calls that were made, by what is the same when they come again (internal)."""
        self.latest: Callable[[], Any] = lambda: None
        """Returns the queue of the last call, which it does not keep."""

    def rank(self) -> int:
        """Return which rank this is."""
        return self.link.rank

    def size(self) -> int:
        """Return how many ranks there are."""
        return self.link.size

    def get_device(self) -> Any:
        """Return the device it was made for; None if none was named."""
        return self._device

    def get_context(self) -> Any:
        """Return the context it was made for; None if none was named."""
        return self._context

    def provider(self) -> str:
        """Return what carries the data."""
        return self.link.provider

    def get_timeout(self) -> float:
        """Return the seconds after which a rank that has not come is missing."""
        return self.link.limit

    def set_timeout(self, seconds: float) -> None:
        """Set the seconds after which a rank that has not come is missing."""
        if not seconds > 0:
            refuse("set_timeout", f"expected a number of seconds, got {seconds!r}")
        self.link.limit = float(seconds)

    def split(self, color: int, key: int = 0) -> communicator | None:
        """Return the communicator among the ranks that give one color; None for a negative one."""
        for what, number in (("color", color), ("key", key)):
            if not (hasattr(number, "__index__") and abs(number) < 1 << 31):
                refuse("split", f"{what} is an integer below 2**31, got {number!r}")
        found = self.link.split(int(color), int(key))
        return None if found is None else communicator(found, self._device, self._context)

    def duplicate(self) -> communicator:
        """Return another communicator among the same ranks, with an order of its own."""
        return communicator(self.link.duplicate(), self._device, self._context)

    def cards(self, queue: sycl.queue) -> Any:
        """Return what sends from device to device; None where elements go by the host (internal).

        The first call for a device is collective, and waits.
        """
        driver = queue.channel.driver
        if self.size() == 1 or not driver.messages:
            return None
        if driver not in self._cards:
            self._cards[driver] = cards.join(self.link, queue.channel)
        return self._cards[driver]

    def watch(self, queue: sycl.queue) -> None:
        """Have other ranks wait while kernels of this queue run (internal)."""
        channel = queue.channel
        self.latest = weakref.ref(queue)
        if queue is not self.host and channel not in self._watched:
            self._watched.add(channel)
            self.link.note_busy(pulse.working(channel))

    def message(self, peer: int, direction: int) -> int:
        """Return the number of the next message to (0) or from (1) a rank (internal)."""
        at = peer, direction
        self._messages[at] = self._messages.get(at, -1) + 1
        return self._messages[at]

    def __repr__(self) -> str:
        return f"<communicator: rank {self.rank()} of {self.size()}, {self.provider()}>"


def create_communicator(size: int, rank: int, *rest: Any,
                        timeout: float | None = None) -> communicator:
    """Make a communicator; all ranks call it, and it waits for them.

    Args:
        size: how many ranks there are; rank: which this is.
        rest: a device and a context, where calls are to be tied to them, and the ``kvs``.
        timeout: the seconds after which a rank that has not come is missing.
    """
    device, context, store = _sorted(rest)
    whole("create_communicator", "size", size, 1)
    if not 0 <= whole("create_communicator", "rank", rank) < size:
        refuse("create_communicator", f"rank {rank} is none of {size}")
    if store is None:
        refuse("create_communicator", "the kvs is missing; make one by create_main_kvs on one "
               "rank, and by create_kvs(address) on the others")
    limit = world.limit() if timeout is None else float(timeout)
    if store.provider == "threads":
        link: Link = AloneLink(limit) if size == 1 else Meeting.join(store.key, rank, size, limit)
    else:
        link = _processes(size, rank, limit)
        if store.provider == "oneccl" and isinstance(link, mpi.MpiLink):
            link = oneccl.joined(link)
    return communicator(link, device, context)


def _processes(size: int, rank: int, limit: float) -> Link:
    found = world.world()
    if found.size != size or found.rank != rank:
        refuse("create_communicator", f"this process is rank {found.rank} of {found.size} that "
               f"were started together, not rank {rank} of {size}; take a part of them by "
               "split_communicator")
    made = found.duplicate() if size > 1 else found
    made.limit = limit
    return made


def _sorted(rest: Sequence[Any]) -> tuple[Any, Any, kvs | None]:
    device = context = store = None
    for one in rest:
        if isinstance(one, kvs):
            store = one
        elif isinstance(one, sycl.device):
            device = one
        elif isinstance(one, sycl.context):
            context = one
        else:
            refuse("create_communicator", f"expected a device, a context or a kvs, got {one!r}")
    return device, context, store


def from_mpi(comm: Any) -> communicator:
    """Return a communicator over one of mpi4py's, which stays as it is; collective."""
    return communicator(mpi.over(comm, world.limit()))


def split_communicator(comm: communicator, color: int, key: int = 0) -> communicator | None:
    """Return ``comm.split(color, key)``."""
    return comm.split(color, key)


def duplicate_communicator(comm: communicator) -> communicator:
    """Return ``comm.duplicate()``."""
    return comm.duplicate()
