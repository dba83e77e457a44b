"""Checks that indices are within their memory, before every statement that uses them.

Run on kernels that are debugged only. Non-goals: indices into array members of records, whose
extents the IR does not keep, and images, which have rules of their own. Invariant: a check stands
in front of the access it guards, and of everything that depends on what is read there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from unisycl.base.enums import address_space
from unisycl.base.span import Span
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, INT64, View


def run(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with its indices checked."""
    return replace(kernel, body=_block(kernel.body))


def _block(block: n.Block) -> n.Block:
    out: list[n.Stmt] = []
    for stmt in block:
        if not isinstance(stmt, n.While):
            out += _checks(_places(stmt), stmt.span)
        out.append(_inside(stmt))
    return tuple(out)


def _inside(stmt: n.Stmt) -> n.Stmt:
    """Return a statement with the blocks in it checked."""
    match stmt:
        case n.If():
            return replace(stmt, then=_block(stmt.then), orelse=_block(stmt.orelse))
        case n.While():  # the condition is evaluated behind ``pre``, each time
            pre = (*_block(stmt.pre), *_checks(_within(stmt.cond), stmt.span))
            return replace(stmt, pre=pre, body=_block(stmt.body))
        case n.For() | n.Scope() | n.WorkItems():
            return replace(stmt, body=_block(stmt.body))
    return stmt


def _places(stmt: n.Stmt) -> Iterator[n.Place]:
    """Yield the places a statement itself touches, those in indices of others first."""
    for x in visit.expressions(stmt):
        yield from _within(x)
    if isinstance(stmt, n.Store | n.Atomic | n.LoadMany | n.StoreMany):
        yield stmt.place


def _within(expr: n.Expr) -> Iterator[n.Place]:
    for child in visit.expressions(expr):
        yield from _within(child)
    if isinstance(expr, n.Load):
        yield expr.place


def _checks(places: Iterator[n.Place], span: Span | None) -> list[n.Stmt]:
    found: list[n.Stmt] = []
    for place in places:
        base = place.base
        if not isinstance(base.type, View):
            continue
        for dim in range(len(place.index)):
            check = _check(place, dim, place.span or span)
            if check not in found:
                found.append(check)
    return found


def _check(place: n.Place, dim: int, span: Span | None) -> n.Check:
    """Return the check of one index; the text is that of the host device."""
    base = place.base
    extents = [n.Extent(INT64, base, d) for d in range(len(place.index))]
    index = place.index[dim]
    whole = index if index.type == INT64 else n.Cast(INT64, index)
    cond = n.Binary(BOOL, "and", n.Compare(BOOL, "ge", whole, n.Const(INT64, 0)),
                    n.Compare(BOOL, "lt", whole, extents[dim]))
    private = isinstance(base, n.Array) and base.type.space is address_space.private_space
    name = "private array" if private else base.name
    which = f" in dimension {dim}" if len(place.index) > 1 else ""
    pieces: list[str | n.Expr] = ["index ", whole, f"{which} is outside '{name}' (range "]
    for d, extent in enumerate(extents):
        pieces += [", ", extent] if d else [extent]
    last = n.Binary(INT64, "sub", extents[dim], n.Const(INT64, 1))
    return n.Check(cond, (*pieces, "): valid is 0 to ", last), span=span)
