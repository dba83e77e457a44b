"""Drop numbers that are given to locals nobody reads.

A name whose definitions have several types has a local for each; what a literal gave the one that
is never read need not be in the code. Non-goals: anything that computes or reads memory, which the
targets' compilers drop. Invariant: statements keep their order.
"""

from __future__ import annotations

from dataclasses import replace

from unisycl.ir import nodes as n
from unisycl.ir import visit


def run(body: n.Block) -> n.Block:
    """Return a block without such assignments."""
    while True:
        read = {x.local for x in visit.all_expressions(body) if isinstance(x, n.Read)}
        if not any(_is_unread(s, read) for s in visit.statements(body)):
            return body
        body = _kept(body, read)


def _kept(block: n.Block, read: set[n.Local]) -> n.Block:
    return tuple(_inside(s, read) for s in block if not _is_unread(s, read))


def _is_unread(stmt: n.Stmt, read: set[n.Local]) -> bool:
    return isinstance(stmt, n.Assign) and stmt.local not in read and _is_plain(stmt.value)


def _is_plain(x: n.Expr) -> bool:
    return isinstance(x, n.Const | n.Read) or (isinstance(x, n.Cast) and _is_plain(x.x))


def _inside(stmt: n.Stmt, read: set[n.Local]) -> n.Stmt:
    match stmt:
        case n.If():
            return replace(stmt, then=_kept(stmt.then, read), orelse=_kept(stmt.orelse, read))
        case n.While():
            return replace(stmt, pre=_kept(stmt.pre, read), body=_kept(stmt.body, read))
        case n.For() | n.Scope() | n.WorkItems():
            return replace(stmt, body=_kept(stmt.body, read))
    return stmt
