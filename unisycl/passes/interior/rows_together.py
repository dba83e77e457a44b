"""Rows of a range side by side: what they all read, such as ``b[k, j]`` of a product, is read once.

A vector of ``c[i, j] = sum of a[i, k] * b[k, j]`` reads a vector for each multiplication. Four rows
of the range in one body read it once for four, and their sums do not wait for one another.
Work-items have no order among themselves (SYCL 2020 §4.9.2), so this is one in which they may run.
Non-goals: choosing lanes; the loop over rows (backends). Invariant: what one work-item does keeps
its order, and happens once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from unisycl.base.dataclass import dataclass, replace
from unisycl.base.dtypes import INT32, INT64
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.interior.interior import Interior
from unisycl.passes.interior.known import both
from unisycl.passes.simd.shapes import VARYING, Shapes

_MOST_EXPRESSIONS = 400
_OTHERS = 4
MOST_ROWS = 4
_KINDS = (n.Assign, n.Store, n.LoadMany, n.StoreMany, n.If, n.For, n.Scope)


@dataclass(frozen=True, slots=True)
class Together:
    """A body for ``rows`` rows from the one that is asked for on, like ``Interior``."""

    rows: int
    lead: tuple[n.Assign, ...]
    holds: n.Expr | None
    body: n.Block


def find(kernel: n.Kernel, body: n.Block, shapes: Shapes, inner: Interior | None, dim: int,
         registers: int) -> Together | None:
    """Return a body for several rows of a dimension; None if nothing would be gained.

    ``registers``: vectors that the machine holds, of as many lanes as a sub-group has.
    """
    if not _may(kernel, body):
        return None
    lead = inner.lead if inner is not None else ()
    own = _Own(body, dim, {s.local for s in lead})
    loops = [s for s in visit.statements(body) if isinstance(s, n.For) and _pays(s, own, shapes)]
    if own.parts_ways() or not loops:
        return None
    vectors = max(sum(1 for x in own.locals & visit.assigned(loop.body)
                      if shapes.locals[x].rank >= VARYING) for loop in loops)
    rows = next((r for r in (MOST_ROWS, 2) if registers_for(r, vectors) <= registers), 0)
    if not rows:
        return None
    copies = [_Row(dim, k, own.locals) for k in range(rows)]
    holds: n.Expr | None = None
    for copy in copies if inner is not None else ():
        assert inner is not None
        test = visit.rewrite_expr_down(inner.holds, copy.node)
        holds = test if holds is None else both(holds, test)
    before = tuple(replace(s, local=c.local(s.local), value=visit.rewrite_expr_down(
        s.value, c.node)) for c in copies for s in lead)
    return Together(rows, before, holds, _jammed(body, own, copies))


def pays(kernel: n.Kernel, shapes: Shapes, dim: int) -> bool:
    """Say whether several rows of a dimension gain, if guards hold and registers are enough."""
    if not _may(kernel, kernel.body):
        return False
    body = _unguarded(kernel.body)
    own = _Own(body, dim, ())
    return not own.parts_ways() and any(
        isinstance(s, n.For) and _pays(s, own, shapes) for s in visit.statements(body))


def _unguarded(block: n.Block) -> n.Block:
    """Return a block without the guards around its loops."""
    return tuple(x for s in block for x in (
        _unguarded(s.then) if isinstance(s, n.If) and not s.orelse
        and visit.contains(s.then, n.For) else (s,)))


def registers_for(rows: int, vectors: int = 1) -> int:
    """Return how many vectors the machine has to hold for so many rows."""
    return rows * max(vectors, 1) + _OTHERS


def _may(kernel: n.Kernel, body: n.Block) -> bool:
    """Say whether a kernel's rows may run together in a body."""
    return not (kernel.index_kind != "range" or kernel.reducers or kernel.arrays or kernel.checks
                or kernel.pointed or not visit.contains(body, n.For)
                or not all(isinstance(s, _KINDS) for s in visit.statements(body))
                or sum(1 for _ in visit.all_expressions(body)) > _MOST_EXPRESSIONS)


class _Own:
    """Which locals differ from row to row, and which expressions."""

    def __init__(self, body: n.Block, dim: int, given: Iterable[n.Local]) -> None:
        self.dim = dim
        self.body = body
        self.locals = set(given)
        before = -1
        while before != len(self.locals):
            before = len(self.locals)
            self.look(body)

    def has(self, *exprs: n.Expr) -> bool:
        """Say whether an expression may differ from row to row."""
        return any((isinstance(x, n.Query) and x.name == "global_id" and x.dim == self.dim)
                   or (isinstance(x, n.Read) and x.local in self.locals)
                   for e in exprs for x in visit.walk(e))

    def look(self, block: n.Block) -> None:
        for stmt in block:
            if self.has(*visit.expressions(stmt)):
                self.locals |= visit.assigned((stmt,))
            for inner in visit.blocks(stmt):
                self.look(inner)

    def parts_ways(self) -> bool:
        """Say whether rows go round loops in ways of their own, or by themselves."""
        return any((isinstance(s, n.For) and (s.local in self.locals or self.has(
            s.start, s.stop, s.step))) or (isinstance(s, n.If) and self.has(s.cond)
            and visit.contains((s,), n.For)) for s in visit.statements(self.body))


def _pays(loop: n.For, own: _Own, shapes: Shapes) -> bool:
    """Say whether the turns of an innermost loop read vectors that all rows need, and few others.

    A loop that writes memory reads anew what it may have written.
    """
    inside = list(visit.statements(loop.body))
    if any(isinstance(s, n.For | n.Store | n.StoreMany) for s in inside):
        return False
    shared = apart = 0
    for place, vector in _reads(loop.body, shapes):
        if vector and own.has(*place.index, *(x for x, _ in place.inner)):
            apart += 1
        elif vector:
            shared += 1
    return shared > 0 and shared >= apart


def _reads(body: n.Block, shapes: Shapes) -> Iterator[tuple[n.Place, bool]]:
    """Yield the places that are read, each with whether lanes read different ones."""
    for x in visit.all_expressions(body):
        if isinstance(x, n.Load):
            yield x.place, shapes.of(x).rank >= VARYING
    for stmt in visit.statements(body):
        if isinstance(stmt, n.LoadMany):
            yield stmt.place, shapes.locals[stmt.results[0]].rank >= VARYING


def _jammed(block: n.Block, own: _Own, copies: list[_Row]) -> n.Block:
    """Return a block for all rows, one statement after the other."""
    out: list[n.Stmt] = []
    for stmt in block:
        own_way = own.has(*visit.expressions(stmt))
        if isinstance(stmt, n.For | n.Scope) or (isinstance(stmt, n.If) and not own_way):
            out.append(visit.map_blocks(stmt, lambda b: _jammed(b, own, copies)))
        elif isinstance(stmt, n.Assign | n.LoadMany) and not any(
                x in own.locals for x in visit.targets(stmt)):
            out.append(stmt)
        else:
            out += [copy.statement(stmt) for copy in copies]
    return tuple(out)


class _Row:
    """One row among several: its id is ``ahead`` of the first, and some locals are its own."""

    def __init__(self, dim: int, ahead: int, own: set[n.Local]) -> None:
        self.dim = dim
        self.ahead = ahead
        self.own = own
        self.copies: dict[n.Local, n.Local] = {}

    def local(self, local: n.Local) -> n.Local:
        """Return this row's local."""
        if local not in self.own or self.ahead == 0:
            return local
        return self.copies.setdefault(local, n.Local(local.name, local.type))

    def node(self, x: n.Expr) -> n.Expr | None:
        """Return this row's form of an expression; None to go on below it."""
        if isinstance(x, n.Read):
            return replace(x, local=self.local(x.local))
        if isinstance(x, n.Query) and x.name == "global_id" and x.dim == self.dim and self.ahead:
            assert x.type.dtype in (INT32, INT64)
            return n.Binary(x.type, "add", x, n.Const(x.type, self.ahead))
        return None

    def statement(self, stmt: n.Stmt) -> n.Stmt:
        """Return a statement for this row."""
        stmt = visit.rewrite_own(stmt, self.node)
        match stmt:
            case n.Assign():
                return replace(stmt, local=self.local(stmt.local))
            case n.LoadMany():
                return replace(stmt, results=tuple(map(self.local, stmt.results)))
            case n.If():
                return visit.map_blocks(stmt, lambda block: tuple(map(self.statement, block)))
            case n.Store() | n.StoreMany():
                return stmt
            case n.Scope():
                return visit.map_blocks(stmt, lambda block: tuple(map(self.statement, block)))
        raise AssertionError(stmt)
