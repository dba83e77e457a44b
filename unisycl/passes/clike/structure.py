"""Early returns become branches, so that the C text needs few jumps.

Non-goals: anything else about control flow. Invariants: what runs, and in which order, is the same;
a ``Leave`` that stays is inside a loop or too deep to turn.
"""

from __future__ import annotations

from unisycl.base.dataclass import replace
from unisycl.ir import nodes as n
from unisycl.ir import visit

_DEEPEST = 12


def body(block: n.Block, number: int) -> n.Block:
    """Return the body of a scope without the ``Leave`` statements that branches can replace."""
    return _tail(_Scopes().block(block), number, 0)


def leaves(block: n.Block, number: int) -> bool:
    """Say whether a block may leave a scope."""
    return any(isinstance(s, n.Leave) and s.number == number for s in visit.statements(block))


class _Scopes(visit.Rewriter):
    """Restructures the scopes inside blocks."""

    def statement(self, stmt: n.Stmt) -> n.Block:
        """Return what stands for a statement."""
        if isinstance(stmt, n.Scope):
            return (replace(stmt, body=body(stmt.body, stmt.number)),)
        return (self.inside(stmt),)


def _ends(block: n.Block, number: int) -> bool:
    """Say whether a block always leaves the scope at its end."""
    if not block:
        return False
    last = block[-1]
    if isinstance(last, n.Leave):
        return last.number == number
    return isinstance(last, n.If) and _ends(last.then, number) and _ends(last.orelse, number)


def _tail(block: n.Block, number: int, depth: int) -> n.Block:
    """Return a block behind which the scope ends."""
    for k, stmt in enumerate(block):
        rest = block[k + 1:]
        if isinstance(stmt, n.Leave) and stmt.number == number:
            return block[:k]
        if isinstance(stmt, n.If) and depth < _DEEPEST:
            new = _branch(stmt, rest, number, depth)
            if new is not None:
                return (*block[:k], new)
    last = block[-1] if block else None
    if isinstance(last, n.Scope):
        return (*block[:-1], replace(last, body=_tail(last.body, number, depth)))
    return block


def _branch(stmt: n.If, rest: n.Block, number: int, depth: int) -> n.Stmt | None:
    """Return a branch with what follows it taken in; None if it should stay as it is."""
    deeper = depth + 1
    if not rest:
        if not leaves((stmt,), number):
            return stmt
        return replace(stmt, then=_tail(stmt.then, number, deeper),
                       orelse=_tail(stmt.orelse, number, deeper))
    if _ends(stmt.then, number):
        return replace(stmt, then=_tail(stmt.then, number, deeper),
                       orelse=_tail((*stmt.orelse, *rest), number, deeper))
    if _ends(stmt.orelse, number):
        return replace(stmt, then=_tail((*stmt.then, *rest), number, deeper),
                       orelse=_tail(stmt.orelse, number, deeper))
    return None
