"""Where host tasks of a ``distr_queue`` run: on one rank, on all, on all together.

Non-goals: kernels. Invariant: a collective host task runs on every rank, one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.base import geometry as geo
from unisycl.base.annotations import signature_of
from unisycl.base.errors import UsageError, errc
from unisycl.ranks.graph import split
from unisycl.ranks.graph.mappers import chunk
from unisycl.ranks.links.link import Array, Call, Link


@dataclass(frozen=True)
class Place:
    """Which ranks run a host task."""

    name: str
    rank: int = -1
    together: bool = False

    def __repr__(self) -> str:
        return self.name


all_ranks = Place("all_ranks")
"""Every rank runs the function, by itself."""
collective = Place("collective", together=True)
"""Every rank runs the function, and they may talk to one another."""


def on_rank(rank: int) -> Place:
    """Return the place that is one rank."""
    return Place(f"on_rank({rank})", int(rank))


class ranks_group:
    """The ranks, as a collective host task reaches them; every call blocks.

    ``link`` is for ``unisycl.oneapi.ccl.communicator``; ``mpi`` is mpi4py's communicator, where
    there is one.
    """

    def __init__(self, link: Link) -> None:
        self.link, self.rank, self.size = link, link.rank, link.size
        self.mpi: Any = getattr(link, "comm", None)

    def barrier(self) -> None:
        """Wait for all ranks."""
        self.link.barrier()

    def allreduce(self, values: Any, op: str = "sum") -> Array:
        """Return the elements of all ranks combined: sum, prod, min, max or avg."""
        mine = np.ascontiguousarray(values)
        out = np.empty_like(mine)
        self.link.finish(self.link.collect(Call("allreduce", mine.reshape(-1), out.reshape(-1),
                                                op_name=op)))
        return out

    def broadcast(self, values: Any, root: int = 0) -> Array:
        """Return the elements of one rank, on all; give memory of their shape and type."""
        out = np.array(values)
        self.link.finish(self.link.collect(Call("broadcast", out.reshape(-1), out.reshape(-1),
                                                root=root)))
        return out

    def allgather(self, values: Any) -> Array:
        """Return the elements of all ranks, those of each as one row."""
        mine = np.ascontiguousarray(values)
        out = np.empty((self.size, *mine.shape), mine.dtype)
        self.link.finish(self.link.collect(Call("allgather", mine.reshape(-1), out.reshape(-1))))
        return out


class partition:
    """What a host task is told: the rank, its part of the index space, and the other ranks.

    ``communicator`` is there in collective host tasks only.
    """

    def __init__(self, rank: int, size: int, part: chunk, link: Link | None) -> None:
        self.rank, self.size, self.part = rank, size, part
        self.communicator = None if link is None else ranks_group(link)

    @property
    def start(self) -> tuple[int, ...]:
        """Where the part of the index space begins."""
        return self.part.start

    @property
    def extent(self) -> tuple[int, ...]:
        """How large the part is."""
        return self.part.extent


def parts(space: Any, on: Place | None, size: int,
          cuts: int = 1) -> tuple[Sequence[chunk | None], bool]:
    """Return each rank's part of a host task, and whether the ranks may talk."""
    if on is not None and not isinstance(on, Place):
        raise UsageError(errc.invalid, f"host_task: on= takes on_rank(k), all_ranks or collective, "
                         f"got {on!r}")
    together = on is not None and on.together
    if space is not None:
        if on is not None and on.rank >= 0:
            raise UsageError(errc.invalid, "host_task: an index space is for all ranks, not for "
                             f"{on!r}")
        found = split.parts(tuple(geo.as_range(space)), size, cuts=cuts)
        if together:
            dims = len(tuple(geo.as_range(space)))
            empty = chunk((0,) * dims, (0,) * dims, tuple(geo.as_range(space)))
            return tuple(empty if p is None else p for p in found), True
        return found, False
    if on is not None and on.rank < 0:
        return tuple(chunk((r,), (1,), (size,)) for r in range(size)), together
    chosen = 0 if on is None else on.rank
    if chosen >= size:
        raise UsageError(errc.invalid, f"host_task: rank {chosen} does not exist; there are {size}")
    one = chunk((0,), (1,), (1,))
    return tuple(one if r == chosen else None for r in range(size)), False


def run(fn: Callable[..., Any], given: partition, users: Sequence[Any]) -> None:
    """Run the function of a host task with its accessors open."""
    for user in users:
        user.open()
    try:
        wanted = signature_of(fn).parameters
        if wanted:
            fn(given)
        else:
            fn()
    finally:
        for user in users:
            user.shut()
