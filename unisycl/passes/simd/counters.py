"""Counters of loops that lanes leave one by one: one number for all lanes that are still in.

``while n < limit and ...: n += 1`` leaves each lane with a count of its own, but lanes inside have
taken the same steps. Such a counter is kept once, and each lane takes a copy as it goes along.
Non-goals: ``for`` (its counter is known to be shared), other recurrences. Invariant: every local
has the value it would have had.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from unisycl.ir import nodes as n
from unisycl.ir import visit

_SHARED = (n.Const, n.ParamRead, n.Binary, n.Cast, n.Narrow, n.Unary)


def run(body: n.Block, divergent: set[int]) -> n.Block:
    """Rewrite the loops among ``divergent`` (ids of statements) that have such counters."""
    out: list[n.Stmt] = []
    for stmt in body:
        inner = visit.map_blocks(stmt, lambda block: run(block, divergent))
        if isinstance(stmt, n.While) and isinstance(inner, n.While) and id(stmt) in divergent:
            for local, start in _counters(inner, out):
                shared = n.Local(local.name, local.type)
                out.append(n.Assign(shared, start))
                inner = _share(inner, local, shared)
        out.append(inner)
    return visit.changed(body, out)


def _counters(loop: n.While, before: list[n.Stmt]) -> Iterator[tuple[n.Local, n.Expr]]:
    """Yield the counters of a loop, with what they start at."""
    if _continues(loop.body):
        return
    assigned = [x for s in visit.statements((*loop.pre, *loop.body)) for x in visit.targets(s)]
    for stmt in loop.body:
        if isinstance(stmt, n.Assign) and _steps(stmt) and assigned.count(stmt.local) == 1:
            start = _start(stmt.local, before)
            if start is not None:
                yield stmt.local, start


def _continues(block: n.Block) -> bool:
    """Say whether lanes may skip a part of a loop's body."""
    return any(isinstance(s, n.Continue) or (
        not isinstance(s, n.For | n.While) and any(map(_continues, visit.blocks(s))))
        for s in block)


def _steps(stmt: n.Assign) -> bool:
    value = stmt.value
    return (isinstance(value, n.Binary) and value.op in ("add", "sub")
            and value.type.dtype.is_integer and isinstance(value.a, n.Read)
            and value.a.local is stmt.local and isinstance(value.b, n.Const))


def _start(local: n.Local, before: list[n.Stmt]) -> n.Expr | None:
    """Return the value that all lanes start with, if the statements before say so."""
    for stmt in reversed(before):
        if isinstance(stmt, n.Assign) and stmt.local is local:
            same = all(isinstance(x, _SHARED) for x in visit.walk(stmt.value))
            return stmt.value if same else None
        if local in visit.assigned((stmt,)):
            return None
    return None


def _share(loop: n.While, local: n.Local, shared: n.Local) -> n.While:
    def swap(x: n.Expr) -> n.Expr:
        return replace(x, local=shared) if isinstance(x, n.Read) and x.local is local else x

    body: list[n.Stmt] = []
    for stmt in visit.rewrite_block(loop.body, swap):
        if isinstance(stmt, n.Assign) and stmt.local is local:
            body += [replace(stmt, local=shared), n.Assign(local, n.Read(local.type, shared))]
        else:
            body.append(stmt)
    return replace(loop, pre=visit.rewrite_block(loop.pre, swap),
                   cond=visit.rewrite_expr(loop.cond, swap), body=tuple(body))
