"""Drop numbers that are given to locals nobody reads.

A name whose definitions have several types has a local for each; what a literal gave the one that
is never read need not be in the code. Non-goals: anything that computes or reads memory, which the
targets' compilers drop. Invariant: statements keep their order.
"""

from __future__ import annotations

from unisycl.ir import nodes as n
from unisycl.ir import visit


def run(body: n.Block) -> n.Block:
    """Return a block without such assignments."""
    while True:
        read = {x.local for x in visit.all_expressions(body) if isinstance(x, n.Read)}
        if not any(_is_unread(s, read) for s in visit.statements(body)):
            return body
        body = _Dropping(read).block(body)


class _Dropping(visit.Rewriter):
    """Leaves out what is given to locals that are not ``read``."""

    def __init__(self, read: set[n.Local]) -> None:
        self.read = read

    def statement(self, stmt: n.Stmt) -> n.Block:
        """Return what stands for a statement."""
        return () if _is_unread(stmt, self.read) else (self.inside(stmt),)


def _is_unread(stmt: n.Stmt, read: set[n.Local]) -> bool:
    return isinstance(stmt, n.Assign) and stmt.local not in read and _is_plain(stmt.value)


def _is_plain(x: n.Expr) -> bool:
    return isinstance(x, n.Const | n.Read) or (isinstance(x, n.Cast) and _is_plain(x.x))
