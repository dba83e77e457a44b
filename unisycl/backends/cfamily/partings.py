"""Which functions and barriers of sub-groups parts of these come to by themselves.

The functions of fragments and tangles are made of a ballot and of shuffles, also where items part
ways. A target whose shuffles name who takes part has to know where that are all items of a
sub-group, and where whoever is there. Non-goals: work-groups. Invariant: what is not found here,
all items of a sub-group reach together or none.
"""

from __future__ import annotations

from unisycl.base.enums import memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd.shapes import ANY, PER_LANES, UNIFORM, Shape, Shapes, analyse

_LOOP = -1
_OF_GROUPS = frozenset(("group_id", "offset", "sub_group_max_local_range",
                        "sub_group_group_range"))


def found(kernel: n.Kernel, body: n.Block) -> frozenset[int]:
    """Return, by id, the meetings of a kernel's body that parts of sub-groups may come to."""
    if not any(_is_meeting(s) for s in visit.statements(body)):
        return frozenset()
    walk = _Walk(_shapes(kernel, body))
    walk.block(body, split=False)
    return frozenset(walk.found)


def loops(kernel: n.Kernel, body: n.Block) -> frozenset[int]:
    """Return, by id, the loops around meetings that items of a sub-group leave in different turns.

    A compiler that repeats such a loop's body, and so its meeting, would have items of one
    sub-group meet at different instructions. Functions of hardware (matrices) and of a user's own
    may be meetings, too.
    """
    around = [s for s in visit.statements(body) if isinstance(s, n.For | n.While)
              and visit.contains(s.body, (n.Barrier, n.GroupCall, n.Foreign))]
    if not around:
        return frozenset()
    shapes = _shapes(kernel, body)
    return frozenset(id(s) for s in around if id(s) in shapes.divergent or any(
        isinstance(x, n.Break | n.Leave) and id(x) in shapes.divergent
        for x in visit.statements(s.body)))


def _shapes(kernel: n.Kernel, body: n.Block) -> Shapes:
    kept: dict[n.Local, Shape] = {
        x: ANY for r in kernel.reducers for x in (r.acc, r.valid) if x is not None}
    return analyse((n.Scope(0, body),), _varies, kept)


def _is_meeting(stmt: n.Stmt) -> bool:
    return isinstance(stmt, n.Barrier | n.GroupCall) and stmt.scope is memory_scope.sub_group


def _varies(name: str, dim: int) -> Shape:
    if name in ("sub_group_id", "sub_group_local_range"):
        return PER_LANES
    return UNIFORM if name in _OF_GROUPS or name.endswith("range") else ANY


class _Walk:
    """Walks blocks; ``split``: not all items of a sub-group are there."""

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.found: set[int] = set()

    def block(self, block: n.Block, *, split: bool) -> frozenset[int]:
        """Visit a block; return where some items jump to that leave it, scopes by number."""
        gone: frozenset[int] = frozenset()
        for stmt in block:
            if split and _is_meeting(stmt):
                self.found.add(id(stmt))
            left = self.stmt(stmt, split=split)
            split, gone = split or bool(left), gone | left
        return gone

    def stmt(self, stmt: n.Stmt, *, split: bool) -> frozenset[int]:
        """Visit what is inside a statement; return where some items jump to behind it."""
        apart = id(stmt) in self.shapes.divergent
        match stmt:
            case n.Leave():
                return frozenset((stmt.number,)) if apart else frozenset()
            case n.Break() | n.Continue():
                return frozenset((_LOOP,)) if apart else frozenset()
        inside = split or apart
        left: frozenset[int] = frozenset()
        for block in visit.blocks(stmt):
            left |= self.block(block, split=inside)
        if isinstance(stmt, n.For | n.While):
            left -= {_LOOP}
        if isinstance(stmt, n.Scope):
            left -= {stmt.number}
        return left
