"""How an index space is shared out among ranks: in parts of whole rows, as even as can be.

Non-goals: the parts of one rank's devices and threads. Invariant: parts follow one another and
make up the whole; an nd_range is cut between work-groups.
"""

from __future__ import annotations

import functools

from unisycl.ranks.graph.mappers import chunk


@functools.lru_cache(maxsize=1024)
def parts(space: tuple[int, ...], size: int, grain: int = 1) -> tuple[chunk | None, ...]:
    """Return each rank's part of a space; None for ranks that get nothing.

    ``grain``: the rows that stay together: those of a work-group.
    """
    rows = -(-space[0] // grain)
    if 0 in space:
        return (None,) * size
    found: list[chunk | None] = []
    for rank in range(size):
        low, high = (rows * k // size * grain for k in (rank, rank + 1))
        high = min(high, space[0])
        found.append(chunk((low, *(0 for _ in space[1:])), (high - low, *space[1:]), space)
                     if low < high else None)
    return tuple(found)
