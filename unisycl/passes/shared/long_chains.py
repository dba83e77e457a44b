"""Cut branches that nest very deeply, as long chains of ``elif`` do, into pieces one after another.

What stands at the end of sixteen branches, one at the end of the other, moves behind the outermost
of them, into a branch on a flag that is set where it stood. LLVM takes four times the time for
twice the depth of masks. Non-goals: branches that something follows inside the one around them.
Invariant: the same statements run in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence

from unisycl.base.dataclass import replace
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL

_MOST = 16
_Moved = list[tuple[n.Local, n.Block]]


def depth(block: n.Block) -> int:
    """Return how many branches stand one inside the other at most."""
    deepest, todo = 0, [(block, 0)]
    while todo:
        inner, depth = todo.pop()
        deepest = max(deepest, depth)
        todo += [(b, depth + isinstance(s, n.If)) for s in inner for b in visit.blocks(s)]
    return deepest


def run(block: n.Block) -> n.Block:
    """Return a block in which no branch stands at the end of more than so many others."""
    return _Cutter().block(block)


class _Cutter(visit.Rewriter):
    """Cuts each branch, from the outside."""

    def statement(self, stmt: n.Stmt) -> Sequence[n.Stmt]:
        """Return what stands for a statement."""
        return _cut(stmt) if isinstance(stmt, n.If) else (self.inside(stmt),)


def _cut(stmt: n.If) -> list[n.Stmt]:
    """Return a branch in pieces: flags, the outermost piece, and what moved behind it."""
    done: list[n.Stmt] = []
    todo: list[tuple[n.Local | None, n.Block]] = [(None, (stmt,))]
    while todo:  # not recursive: there may be thousands of pieces
        flag, block = todo.pop()
        moved: _Moved = []
        piece = _branches(block, moved, _MOST)
        flags = [n.Assign(local, n.Const(BOOL, False)) for local, _ in moved]
        done += [*flags, *(piece if flag is None else [n.If(n.Read(BOOL, flag), piece,
                                                            span=block[-1].span)])]
        todo += reversed(moved)
    return done


def _branches(block: n.Block, moved: _Moved, room: int) -> n.Block:
    """Return a block at the end of branches, with room for so many more of them."""
    last = block[-1] if block else None
    if not isinstance(last, n.If):
        return run(block)
    if not room:
        flag = n.Local("rest", BOOL)
        moved.append((flag, block))
        return (n.Assign(flag, n.Const(BOOL, True)),)
    then, orelse = (_branches(b, moved, room - 1) for b in (last.then, last.orelse))
    before = run(block[:-1])
    if then is last.then and orelse is last.orelse:
        return visit.changed(block, (*before, last))
    return (*before, replace(last, then=then, orelse=orelse))
