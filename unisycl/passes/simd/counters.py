"""Counters of loops that lanes leave one by one: one number for all lanes that are still in.

``while n < limit and ...: n += 1`` leaves each lane with a count of its own, but lanes inside have
taken the same steps. Such a counter is kept once, and each lane takes a copy as it goes along. So
is a place that goes back through a private array, ``while k > 0 and row[k - 1] > x: k -= 1``.
Non-goals: ``for`` (its counter is known to be shared), other recurrences. Invariant: every local
has the value it would have had.
"""

from __future__ import annotations

from collections.abc import Iterator

from unisycl.base.dataclass import replace
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd.shapes import LINEAR, Shapes

_STEPS = ("add", "sub", "shl", "shr")


def run(body: n.Block, shapes: Shapes) -> n.Block:
    """Rewrite the loops that lanes leave one by one and that have such counters."""
    out: list[n.Stmt] = []
    for stmt in body:
        inner = visit.map_blocks(stmt, lambda block: run(block, shapes))
        if isinstance(inner, n.While) and id(stmt) in shapes.divergent:
            for local, at in _counters(inner, out, shapes):
                first = out[at]
                assert isinstance(first, n.Assign)
                shared = n.Local(local.name, local.type)
                out.insert(at + 1, replace(first, local=shared))
                inner = _share(inner, local, shared)
        out.append(inner)
    return visit.changed(body, out)


def _counters(loop: n.While, before: list[n.Stmt],
              shapes: Shapes) -> Iterator[tuple[n.Local, int]]:
    """Yield the counters of a loop, with where before it they get what they start at."""
    if _continues(loop.body):
        return
    assigned = [x for s in visit.statements((*loop.pre, *loop.body)) for x in visit.targets(s)]
    for stmt in loop.body:
        if isinstance(stmt, n.Assign) and _steps(stmt, shapes) and assigned.count(stmt.local) == 1:
            at = _start(stmt.local, before, shapes)
            if at is not None:
                yield stmt.local, at


def _continues(block: n.Block) -> bool:
    """Say whether lanes may skip a part of a loop's body."""
    return any(isinstance(s, n.Continue) or (
        not isinstance(s, n.For | n.While) and any(map(_continues, visit.blocks(s))))
        for s in block)


def _steps(stmt: n.Assign, shapes: Shapes) -> bool:
    value = stmt.value
    return (isinstance(value, n.Binary) and value.op in _STEPS
            and value.type.dtype.is_integer and isinstance(value.a, n.Read)
            and value.a.local is stmt.local and _alike(value.b, shapes))


def _start(local: n.Local, before: list[n.Stmt], shapes: Shapes) -> int | None:
    """Return which statement gives a local the value that all lanes start with."""
    for at in range(len(before) - 1, -1, -1):
        stmt = before[at]
        if isinstance(stmt, n.Assign) and stmt.local is local:
            return at if _alike(stmt.value, shapes) else None
        if local in visit.assigned((stmt,)):
            return None
    return None


def _alike(x: n.Expr, shapes: Shapes) -> bool:
    """Say whether the lanes that are on have one value; of names that are new, nobody knows."""
    return shapes.of(x).rank < LINEAR and all(
        e.local in shapes.locals for e in visit.walk(x) if isinstance(e, n.Read))


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
