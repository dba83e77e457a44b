"""How an index space is shared out among ranks: as even as can be, along one or more dimensions.

Non-goals: the parts of one rank's devices and threads. Invariant: parts follow one another in rows
of the grid of ranks and make up the whole; an nd_range is cut between work-groups.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator

from unisycl.ranks.graph.mappers import chunk


@functools.lru_cache(maxsize=1024)
def parts(space: tuple[int, ...], size: int, grain: tuple[int, ...] = (),
          cuts: int = 1) -> tuple[chunk | None, ...]:
    """Return each rank's part of a space; None for ranks that get nothing.

    ``grain``: the items that stay together in each dimension: those of a work-group; ``cuts``:
    along how many dimensions the space is cut, the first ones.
    """
    if 0 in space:
        return (None,) * size
    local = grain or (1,) * len(space)
    rows = tuple([-(-n // g) for n, g in zip(space, local, strict=True)])
    grid = grid_of(space, rows, size, min(cuts, len(space)))
    found: list[chunk | None] = []
    for at in itertools.product(*(range(n) for n in grid)):
        low = tuple([r * k // n * g for r, k, n, g in zip(rows, at, grid, local, strict=True)])
        high = tuple([min(s, r * (k + 1) // n * g) for s, r, k, n, g in zip(
            space, rows, at, grid, local, strict=True)])
        some = all(a < b for a, b in zip(low, high, strict=True))
        found.append(chunk(low, tuple([b - a for a, b in zip(low, high, strict=True)]), space)
                     if some else None)
    return tuple(found)


def grid_of(space: tuple[int, ...], rows: tuple[int, ...], size: int,
            cuts: int) -> tuple[int, ...]:
    """Return how many ranks stand along each dimension: the grid whose cuts are the shortest.

    ``rows`` are what can be shared out in each dimension.
    """
    def cost(grid: tuple[int, ...]) -> tuple[int, float, tuple[int, ...]]:
        idle = size - math.prod(map(min, grid, rows))
        length = sum((n - 1) * math.prod(space) / space[d] for d, n in enumerate(grid))
        return idle, length, tuple(-n for n in grid)
    if cuts == 1:
        return (size, *(1 for _ in rows[1:]))
    return min(((*g, *(1 for _ in rows[cuts:])) for g in _factored(size, cuts)), key=cost)


def _factored(size: int, count: int) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a number as a product of so many."""
    if count == 1:
        yield (size,)
        return
    for n in range(1, size + 1):
        if size % n == 0:
            for rest in _factored(size // n, count - 1):
                yield (n, *rest)
