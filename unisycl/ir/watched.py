"""Statements that say what happens to memory, for kernels whose accesses are watched.

Non-goals: who watches (a backend with memory for it). Invariant: a target that knows nothing of
them gets none; without them a kernel means the same.
"""

from __future__ import annotations

from unisycl.base.enums import memory_scope
from unisycl.base.record import dataclass
from unisycl.ir.nodes import Expr, Local, Place, Stmt


@dataclass(frozen=True, slots=True)
class Who:
    """What a watched kernel knows of a work-item, in locals of its own.

    ``item`` numbers all items, those of a group side by side; ``first`` is the number of the
    group's first item, ``turn`` counts the meetings of the group, ``part`` those of its sub-group.
    ``sizes`` are those of a group, () where there are none.
    """

    item: Local
    first: Local
    turn: Local
    part: Local
    sizes: tuple[int, ...]
    parts: bool
    syncs: bool


@dataclass(frozen=True, slots=True)
class Watch(Stmt):
    """``count`` numbers side by side are about to be read or written, from a place on.

    ``scope`` is that of an atomic access, else None. ``here`` are the locals of ``who`` as
    expressions, so that whoever walks over the kernel sees them read. ``fresh``: it is told, too,
    if nobody has written there.
    """

    place: Place
    count: int
    writes: bool
    scope: memory_scope | None
    here: tuple[Expr, ...]
    who: Who
    races: bool
    fresh: bool


@dataclass(frozen=True, slots=True)
class Synced(Stmt):
    """What the work-item did before may be ordered, by an atomic, before what others do next."""


@dataclass(frozen=True, slots=True)
class Unwritten(Stmt):
    """The private arrays of the work-item hold nothing from here on."""
