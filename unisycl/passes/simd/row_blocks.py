"""Loops along rows, one row a lane, read and write several elements of each row at once.

Where lanes have rows of their own, ``for j in range(n): dot += a[i, j] * x[j]`` is a gather in
each turn. Several turns together read a short vector of each row, which targets turn round in
registers, and write one. Non-goals: the turning (backends); sums keep their order. Invariants: what
is read is what the turns would read: no turn is left out, and what a loop writes is other memory
than what it reads, by a test of where they end, or the very element that its turn read before;
turns that do not fill a block run as they did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from unisycl.base.dataclass import dataclass, replace
from unisycl.base.dtypes import INT32, INT64
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, Scalar, View
from unisycl.passes.simd import registers
from unisycl.passes.simd.other_names import Names
from unisycl.passes.simd.shapes import LINEAR, Shapes

BLOCK = 8
"""Turns together: elements of 8 bytes fill a line of the cache."""
_MOST_EXPRESSIONS = 60
_MOST_ROWS = 4
_FEWEST_LANES = 4


@dataclass(frozen=True, slots=True)
class Along:
    """How a place runs along its row: the place at a turn, and the loads that ask for it."""

    place: n.Place
    loads: tuple[n.Place, ...]


def run(kernel: n.Kernel, shapes: Callable[[n.Kernel], Shapes], lanes: int) -> n.Kernel:
    """Return a kernel whose loops along rows read blocks of them."""
    if lanes < _FEWEST_LANES or kernel.checks or kernel.pointed \
            or not visit.contains(kernel.body, n.For):
        return kernel
    body = _Blocking(shapes(kernel), Names(kernel.body)).block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def occurs(body: n.Block, shapes: Shapes) -> bool:
    """Say whether a body has a loop that reads blocks of rows; what only writes is mostly short."""
    return bool(loops(body, shapes))


def loops(body: n.Block, shapes: Shapes) -> list[n.For]:
    """Return the loops of a body that read blocks of rows."""
    names = Names(body)
    return [s for s in visit.statements(body) if isinstance(s, n.For) and any(
        row.loads for row in found(s, _named(s, names), shapes))]


def _named(loop: n.For, names: Names) -> n.For:
    """Return a loop whose places are told by its counter, not by other names of it."""
    if not names.known:
        return loop

    def there(x: n.Expr) -> n.Expr:
        return replace(x, place=names.of(x.place)) if isinstance(x, n.Load) else x
    return replace(loop, body=tuple(
        replace(s, place=names.of(s.place)) if isinstance(s, n.Store) else s
        for s in visit.rewrite_block(loop.body, there)))


def found(original: n.For, loop: n.For, shapes: Shapes) -> list[Along]:
    """Return the rows that a loop goes along; none if its turns cannot be put together."""
    if id(original) in shapes.divergent or not _is_plain(loop) or _turns(loop) < BLOCK:
        return []
    every: dict[n.Place, list[n.Place]] = {}
    for place in _always(loop):
        if _runs_along(place, loop, shapes):
            every.setdefault(place, []).append(place)
    written = _written(loop)
    if not 0 < len(every) + len(set(written) - set(every)) <= _MOST_ROWS \
            or not all(_runs_along(p, loop, shapes) for p in written) \
            or not _may_wait(loop, written):
        return []
    every.update((p, []) for p in written if p not in every)
    return [Along(place, tuple(loads)) for place, loads in every.items()]


def _written(loop: n.For) -> list[n.Place]:
    return [s.place for s in loop.body if isinstance(s, n.Store)]


def _may_wait(loop: n.For, written: list[n.Place]) -> bool:
    """Say whether stores may stand behind other turns, if different memories lie apart.

    A memory that is written is written in one place a turn, and read there and before it alone.
    """
    bases = [p.base for p in written]
    if not bases:
        return True
    if len(set(bases)) < len(bases):
        return False
    over: set[n.Base] = set()
    for stmt in loop.body:
        for x in visit.all_expressions((stmt,)):
            if isinstance(x, n.Load) and x.place.base in bases \
                    and (x.place not in written or x.place.base in over):
                return False
        if isinstance(stmt, n.Store):
            over.add(stmt.place.base)
    return all(registers.is_apart(b) or registers.is_whole(b) for b in _bases(loop, bases))


def _bases(loop: n.For, written: Iterable[n.Base]) -> list[n.Base]:
    """Return the memories that a loop writes and reads."""
    return list(dict.fromkeys((*written, *(
        x.place.base for x in visit.all_expressions(loop.body) if isinstance(x, n.Load)))))


class _Blocking(visit.Rewriter):
    """Rewrites loops along rows."""

    def __init__(self, shapes: Shapes, names: Names) -> None:
        self.shapes, self.names = shapes, names

    def statement(self, stmt: n.Stmt) -> tuple[n.Stmt, ...]:
        if isinstance(stmt, n.For):
            loop = _named(stmt, self.names)
            rows = found(stmt, loop, self.shapes)
            if rows:
                return blocked(loop, rows)
        return (self.inside(stmt),)


def blocked(loop: n.For, rows: list[Along]) -> n.Block:
    """Return a loop over blocks of turns, and one over what is left."""
    type, span = loop.local.type, loop.span
    at = n.Local(f"{loop.local.name} of block", type)
    first, end = (n.Local(word, type) for word in ("first", "end"))
    now = n.Read(type, at)
    body: list[n.Stmt] = []
    values: dict[n.Place, list[n.Local]] = {}
    written = {p: [n.Local("written", p.type) for _ in range(BLOCK)] for p in _written(loop)}
    for row in (row for row in rows if row.loads):
        values[row.place] = [n.Local("element", row.place.type) for _ in range(BLOCK)]
        body.append(n.LoadMany(tuple(values[row.place]), _at(row.place, loop.local, now),
                               span=span))
    for k in range(BLOCK):
        def known(x: n.Expr, k: int = k) -> n.Expr:
            there = values.get(x.place) if isinstance(x, n.Load) else None
            return x if there is None else n.Read(x.type, there[k])
        turn = now if k == 0 else n.Binary(type, "add", now, n.Const(type, k))
        body.append(n.Assign(loop.local, turn, span=span))
        body += [n.Assign(written[s.place][k], s.value, span=s.span)
                 if isinstance(s, n.Store) else s for s in visit.rewrite_block(loop.body, known)]
    body += [n.StoreMany(_at(place, loop.local, now), tuple(n.Read(x.type, x) for x in locals),
                         span=span) for place, locals in written.items()]
    start, stop = n.Read(type, first), n.Read(type, end)
    whole = n.Binary(type, "and", n.Binary(type, "sub", stop, start), n.Const(type, -BLOCK))
    some = n.Compare(BOOL, "lt", start, stop)
    behind = n.Local("behind", type)
    last: n.Expr = n.Binary(type, "add", start, n.Select(type, some, whole, n.Const(type, 0)))
    bases = [p.base for p in written]
    test = registers.apart(bases, [b for b in _bases(loop, bases) if not registers.is_apart(b)])
    if test is not None:
        last = n.Select(type, test, last, start)
    return (n.Assign(first, loop.start, span=span), n.Assign(end, loop.stop, span=span),
            n.Assign(behind, last, span=span),
            n.For(at, start, n.Read(type, behind), n.Const(type, BLOCK), tuple(body), span=span),
            replace(loop, start=n.Read(type, behind), stop=stop))


def _at(place: n.Place, counter: n.Local, now: n.Expr) -> n.Place:
    def there(x: n.Expr) -> n.Expr:
        return replace(now, type=x.type) if isinstance(x, n.Read) and x.local is counter else x
    return replace(place, index=tuple(visit.rewrite_expr(x, there) for x in place.index))


# ---- which loops
def _is_plain(loop: n.For) -> bool:
    """Say whether a loop is small, counts by one, is never left early and writes in all turns."""
    step = loop.step
    return (isinstance(step, n.Const) and step.value == 1
            and not loop.unroll and not loop.controls
            and all(isinstance(s, n.Assign | n.If) or (isinstance(s, n.Store) and any(
                s is one for one in loop.body)) for s in visit.statements(loop.body))
            and loop.local not in visit.assigned(loop.body)
            and sum(1 for _ in visit.all_expressions(loop.body)) <= _MOST_EXPRESSIONS)


def _turns(loop: n.For) -> int:
    """Return how many turns a loop has; many if nobody knows."""
    if isinstance(loop.start, n.Const) and isinstance(loop.stop, n.Const):
        return int(loop.stop.value) - int(loop.start.value)
    return 1 << 30


def _always(loop: n.For) -> Iterator[n.Place]:
    """Yield the places that every turn reads."""
    for stmt in loop.body:
        for expr in visit.expressions(stmt):
            yield from (x.place for x in visit.walk(expr) if isinstance(x, n.Load))


def _runs_along(place: n.Place, loop: n.For, shapes: Shapes) -> bool:
    """Say whether a place goes one element on in each turn, and lanes are in rows apart."""
    kind = place.base.type
    if not isinstance(place.base, n.Param) or not isinstance(kind, View) or kind.spread \
            or kind.space is not address_space.global_space or place.inner or place.offset \
            or not isinstance(kind.elem, Scalar) or kind.elem != place.type \
            or place.type.dtype.kind not in "iuf" or place.type.dtype.made \
            or place.type.dtype.size not in (4, 8):
        return False
    *outer, last = place.index
    changes = visit.assigned((loop,))
    if any(_mentions(x, changes) or _loads(x) for x in outer) \
            or not _is_one_on(last, loop.local, changes):
        return False
    ranks = [shapes.of(x) for x in place.index]
    if any(s.rank >= LINEAR for s in ranks[:-1]):
        return True
    return ranks[-1].rank > LINEAR or (ranks[-1].rank == LINEAR and ranks[-1].stride != 1)


def _is_one_on(x: n.Expr, counter: n.Local, changes: set[n.Local]) -> bool:
    """Say whether an index is a loop's counter and something that stays."""
    if x.type.dtype not in (INT32, INT64):
        return False  # short and unsigned ones may wrap
    match x:
        case n.Read(local=local) if local is counter:
            return True
        case n.Cast(x=inner) if inner.type.dtype.bits <= x.type.dtype.bits:
            return _is_one_on(inner, counter, changes)
        case n.Narrow(x=inner):
            return _is_one_on(inner, counter, changes)
        case n.Binary(op="add", a=a, b=b) if not _mentions(a, changes) and not _loads(a):
            return _is_one_on(b, counter, changes)
        case n.Binary(op="add" | "sub", a=a, b=b) if not _mentions(b, changes) and not _loads(b):
            return _is_one_on(a, counter, changes)
    return False


def _mentions(x: n.Expr, locals: set[n.Local]) -> bool:
    return any(isinstance(e, n.Read) and e.local in locals for e in visit.walk(x))


def _loads(x: n.Expr) -> bool:
    return any(isinstance(e, n.Load | n.Call) for e in visit.walk(x))
