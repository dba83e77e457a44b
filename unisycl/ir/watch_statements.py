"""Statements that say what happens to memory, for kernels whose accesses are watched.

Non-goals: who watches (a backend with memory for it). Invariant: a target that knows nothing of
them gets none; without them a kernel means the same.
"""

from __future__ import annotations

from unisycl.base.dataclass import dataclass
from unisycl.base.enums import memory_scope
from unisycl.ir.nodes import Array, Expr, Local, Place, Stmt

PER_ITEM = "private_memory"
"""The array that has an element for each work-item of a group: nobody shares it."""


@dataclass(frozen=True, slots=True)
class Who:
    """What a watched kernel knows of a work-item, in locals of its own.

    ``item`` numbers all items, those of a group side by side; ``first`` is the number of the
    group's first item, ``turn`` counts the meetings of the group, ``part`` those of its sub-group.
    ``sizes`` are those of a group, () where there are none; ``slot`` is how many numbers a group
    has, 0 where there are no groups.
    """

    item: Local
    first: Local
    turn: Local
    part: Local
    sizes: tuple[int, ...]
    slot: int
    parts: bool
    syncs: bool


@dataclass(frozen=True, slots=True)
class Watch(Stmt):
    """``count`` numbers side by side are about to be read or written, from a place on.

    ``scope`` is that of an atomic access, else None. ``here`` are the locals of ``who`` as
    expressions, so that whoever walks over the kernel sees them read. ``extent`` is the size of the
    work-item loop it lies in, () outside and where that is not known. ``fresh``: it is told, too,
    if nobody has written there.
    """

    place: Place
    count: int
    writes: bool
    scope: memory_scope | None
    here: tuple[Expr, ...]
    who: Who
    extent: tuple[int, ...]
    races: bool
    fresh: bool


@dataclass(frozen=True, slots=True)
class Synced(Stmt):
    """What the work-item did before may be ordered, by an atomic, before what others do next."""


@dataclass(frozen=True, slots=True)
class Asked(Stmt):
    """A turn of a loop that a work-group takes together begins: it may be asked where it is."""


@dataclass(frozen=True, slots=True)
class Unwritten(Stmt):
    """Private arrays of the work-item hold nothing from here on."""

    arrays: frozenset[Array]
