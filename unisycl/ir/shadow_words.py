"""What a word says of an access to watched memory, and what to do about a race.

Non-goals: making words (a backend's code does). Invariant: the bits are the same on every backend
that has words.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

ITEM = (1 << 28) - 1
TURN = 28, (1 << 11) - 1
PART = 39, (1 << 5) - 1
SYNC = 44, (1 << 6) - 1
SITE = 50
SITES = (1 << 10) - 1
WRITES, ATOMIC, NARROW, THERE = (1 << k for k in (60, 61, 62, 63))


def facts(site: int, *, writes: bool, atomic: bool, narrow: bool) -> int:
    """Return the bits of a word that are known while compiling, as a signed number."""
    bits = (site << SITE) + WRITES * writes + ATOMIC * atomic + NARROW * narrow + THERE
    return bits - (1 << 64)


class Before:
    """An earlier access, as its word tells it."""

    __slots__ = ("word",)

    def __init__(self, word: int) -> None:
        self.word = int(word) & (1 << 64) - 1

    @property
    def writes(self) -> bool:
        """Whether it wrote."""
        return bool(self.word & WRITES)

    @property
    def atomic(self) -> bool:
        """Whether it was atomic."""
        return bool(self.word & ATOMIC)

    @property
    def site(self) -> int:
        """The number of its place in the kernel."""
        return self.word >> SITE & SITES

    @property
    def number(self) -> int:
        """The number of its work-item."""
        return self.word & ITEM

    def item(self, extent: Sequence[int], offset: Sequence[int],
             local: Sequence[int]) -> tuple[int, ...]:
        """Return the global id of its work-item."""
        number = self.number
        if not local:
            found = unravel(number, extent)
        else:
            group, place = divmod(number, math.prod(local))
            groups = unravel(group, [e // x for e, x in zip(extent, local, strict=True)])
            found = [g * x + y for g, x, y in zip(groups, local, unravel(place, local),
                                                  strict=True)]
        return tuple(x + y for x, y in zip(found, offset, strict=True))


def way_out(atomics: bool) -> str:
    """Return what to do about a race, of two ``atomics`` or of others."""
    if atomics:
        return "their scope is too narrow for both: use memory_scope.device"
    return ("put a group_barrier between them, use atomic_ref for both, or give each work-item an "
            "element of its own")


def unravel(number: int, extent: Sequence[int]) -> list[int]:
    """Return the ids of a row-major number."""
    found = []
    for size in reversed(extent):
        number, place = divmod(number, size)
        found.append(place)
    return found[::-1]
