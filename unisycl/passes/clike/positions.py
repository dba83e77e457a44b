"""Where an element lies is computed in 32 bits, too: counters of loops and indices (``narrow``).

For targets whose compilers see through ``int`` but not through conversions. It holds for launches
whose views of several dimensions span fewer than ``SPAN`` elements; whoever calls this sees to
that. An index of such a view lies inside it, so it fits whatever it is made of, and a sum that fits
has parts that do, where the others are known. Non-goals: views of one dimension beyond what
intervals show. Invariant: as ``narrow``'s.
"""

from __future__ import annotations

from collections import Counter

from unisycl.base.dataclass import replace
from unisycl.base.dtypes import INT32, INT64, UINT32
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar, View
from unisycl.passes.shared import ranges as rg
from unisycl.passes.shared.narrow import FITS, NARROW, Narrower

_EXACT = Scalar(INT32, weak=True)
_FEW, _BELOW = rg.Interval(0, (1 << 30) - 1), rg.Interval(-(1 << 30), -1)
_MANY, _NONE = rg.Interval(1, _FEW.high), rg.Interval(_BELOW.low, 0)  # of divisors
SPAN = (1 << 31) - (1 << 20)
"""A view of fewer elements has places of 32 bits, also a little behind its end."""
_INSIDE = rg.Interval(-(1 << 31), SPAN - 1)
_ANY, _COUNTS = rg.whole(INT64), rg.Interval(0, FITS.high)
_WHOLE = Scalar(UINT32)
_PROVED = Scalar(UINT32, weak=True)  # of a division whose divisor is not 0
_PLAIN = frozenset(("add", "sub", "mul"))
_PURE = (n.Const, n.Read, n.ParamRead, n.Query, n.Extent, n.Cast, n.Binary)


def few(kernel: n.Kernel, below: tuple[int, ...], divisors: tuple[int, ...] = ()) -> rg.Given:
    """Return what is known of numbers where a launch looks at them: their sum is of 32 bits.

    ``below``: parameters whose numbers are below 0, those of ``divisors`` below 1.
    """
    def lies(index: int) -> rg.Interval:
        least, rest = (_MANY, _NONE) if index in divisors else (_FEW, _BELOW)
        return rest if index in below else least

    return rg.Given({p: lies(p.index) for p in numbers(kernel)})


def divisors(kernel: n.Kernel) -> tuple[int, ...]:
    """Return the numbers of ``numbers`` that something is divided by."""
    found = {x.b.param.index for x in visit.all_expressions(kernel.body)
             if isinstance(x, n.Binary) and x.op in ("floordiv", "mod")
             and isinstance(x.b, n.ParamRead)}
    return tuple(p.index for p in numbers(kernel) if p.index in found)


def numbers(kernel: n.Kernel) -> tuple[n.Param, ...]:
    """Return the parameters that are numbers of 64 bits, which seldom need them."""
    return tuple(p for p in kernel.params
                 if isinstance(p.type, Scalar) and p.type.dtype is INT64)


def run(kernel: n.Kernel, ids_below: int, given: rg.Given = rg.NOTHING, *,
        flat: bool = False) -> n.Kernel:
    """Return the kernel with what fits in 32 bits computed there, positions included.

    ``flat``: views of one dimension lie in fewer than ``SPAN`` elements, too.
    """
    def most(x: n.Query | n.Extent) -> int:
        if isinstance(x, n.Extent):
            return FITS.high if bounded(x.base) else (1 << 63) - 1
        if not kernel.local or x.name not in ("local_id", "group_id", "group_range"):
            return ids_below - 1
        size = kernel.local[x.dim]
        return size - 1 if x.name == "local_id" else (ids_below - 1) // size

    made = _Placer(kernel, rg.analyse(kernel.body, ids_below, most, given))
    made.flat = flat
    return made.run()


def bounded(base: n.Base) -> bool:
    """Say whether a view spans fewer than ``SPAN`` elements by what the caller promises."""
    if isinstance(base, n.Array):
        return True
    kind = base.type
    return isinstance(kind, View) and not isinstance(base, n.Heap) and (
        kind.ndim > 1 or kind.space is address_space.local_space)


def _is_flat(base: n.Base) -> bool:
    return isinstance(base, n.Param) and isinstance(base.type, View) and (
        base.type.ndim == 1 and base.type.space is address_space.global_space)


class _Placer(Narrower):
    """Rewrites indices and loops as well."""

    flat = False
    reads: Counter[n.Local] | None = None

    def free(self, stmt: n.Stmt) -> bool:
        """Say whether what a statement assigns may change its type: loops that cannot overflow."""
        if not isinstance(stmt, n.For):
            return super().free(stmt)
        if stmt.local.type.dtype is not INT64 or not (
                isinstance(stmt.step, n.Const) or stmt.rising):
            return False
        start, stop, step = (self.ranges.of(x) for x in (stmt.start, stmt.stop, stmt.step))
        last = self.ranges.locals[stmt.local]
        return all(x.within(FITS) for x in (start, stop, step)) and rg.Interval(
            last.low + step.low, last.high + step.high).within(FITS)

    def block(self, block: n.Block) -> n.Block:
        return super().block(self.joined(block))

    def joined(self, block: n.Block) -> n.Block:
        """Return statements in which stores have the places that a local was given just for them.

        There they are known to lie inside a view.
        """
        found: list[n.Stmt] = []
        for stmt in block:
            before = found[-1] if found else None
            if isinstance(stmt, n.Store) and isinstance(before, n.Assign) and (
                    before.local.type.dtype is INT64 and self.once(before.local)
                    and stmt.place.index == (n.Read(before.local.type, before.local),)
                    and all(isinstance(x, _PURE) for x in visit.walk(before.value))):
                found[-1] = replace(stmt, place=replace(stmt.place, index=(before.value,)))
            else:
                found.append(stmt)
        return block if len(found) == len(block) else tuple(found)

    def once(self, local: n.Local) -> bool:
        """Say whether a local is read in one place only."""
        if self.reads is None:
            self.reads = Counter(x.local for s in visit.statements(self.kernel.body)
                                 for top in visit.expressions(s) for x in visit.walk(top)
                                 if isinstance(x, n.Read))
        return self.reads[local] == 1

    def head(self, stmt: n.For) -> n.For:
        """Rewrite the bounds of a loop, and its counter."""
        local = self.small.get(stmt.local)
        if local is None:
            return super().head(stmt)
        start, stop, step = (self.narrow(x) for x in (stmt.start, stmt.stop, stmt.step))
        return replace(stmt, local=local, start=start, stop=stop, step=step)

    def own(self, stmt: n.Stmt) -> n.Stmt:
        """Rewrite the expressions and places of a statement without blocks."""
        new: n.Stmt = visit.map_children(stmt, self.expr, self.place)
        return new

    def node(self, x: n.Expr) -> n.Expr | None:
        """Return the replacement of a node; None to go on below it."""
        if isinstance(x, n.Load | n.Address):
            new: n.Expr = replace(x, place=self.place(x.place))
            return new
        return super().node(x)

    def narrow(self, x: n.Expr) -> n.Expr:
        """Return the low 32 bits of a 64-bit expression, by plain arithmetic where it is exact."""
        exact = self.exact(x)
        return self.inexact(x) if exact is None else exact

    def inexact(self, x: n.Expr) -> n.Expr:
        """Return the low 32 bits of what is made of others; of a division without signs if it is.

        Floors and signs of remainders take a card several instructions.
        """
        if not isinstance(x, n.Binary) or x.op not in ("floordiv", "mod") or not all(
                self.ranges.of(part).within(_COUNTS) for part in (x.a, x.b)) or (
                    isinstance(x.b, n.Const) and x.b.value & (x.b.value - 1) == 0):
            return super().narrow(x)
        a, b = (n.Const(_WHOLE, part.value) if isinstance(part, n.Const) else
                n.Cast(_WHOLE, self.narrow(part)) for part in (x.a, x.b))
        kind = _PROVED if self.ranges.of(x.b).low > 0 else _WHOLE
        return n.Cast(NARROW, n.Binary(kind, x.op, a, b))

    def place(self, place: n.Place) -> n.Place:
        """Return a place whose index is computed in 32 bits where that is right."""
        inner = tuple((self.expr(x), size) for x, size in place.inner)
        if len(place.index) < 2 and not (self.flat and _is_flat(place.base)):
            return replace(place, index=tuple(map(self.expr, place.index)), inner=inner)
        inside = bounded(place.base) or len(place.index) < 2
        return replace(place, index=tuple(self.index(x, inside) for x in place.index), inner=inner)

    def index(self, x: n.Expr, inside: bool) -> n.Expr:
        """Return one index; ``inside``: its value fits because it lies inside its view."""
        if x.type.dtype is not INT64:
            return self.expr(x)
        exact = self.exact(x, _INSIDE if inside else _ANY)
        if exact is not None:
            return exact
        return n.Narrow(NARROW, self.expr(x)) if inside else self.expr(x)

    def exact(self, x: n.Expr, known: rg.Interval = _ANY) -> n.Expr | None:
        """Return an expression in 32 bits of which no part overflows; None where that is open.

        ``known``: between which numbers it lies, by what it is a part of.
        """
        lies = self.ranges.of(x) & known
        if isinstance(x, n.Read) and x.local in self.small:
            return n.Read(NARROW, self.small[x.local])
        if isinstance(x, n.Cast) and x.x.type.dtype is INT32:
            return self.expr(x.x)
        if isinstance(x, n.Cast) and x.x.type.dtype is INT64:
            return self.exact(x.x, lies)
        if not lies.within(FITS) or x.type.dtype is not INT64:
            return None
        match x:
            case n.Const():
                return n.Const(_EXACT, x.value)
            case n.Query() | n.Extent():
                return replace(x, type=NARROW)
            case n.Binary() if x.op in _PLAIN:
                parts = zip((x.a, x.b), self.parts(x, lies), strict=True)
                a, b = (self.exact(part, about) for part, about in parts)
                if a is not None and b is not None:
                    return n.Binary(_EXACT, x.op, a, b)
                return None
            case n.Read() | n.ParamRead():
                return n.Narrow(NARROW, self.expr(x))
        return self.inexact(x)

    def parts(self, x: n.Binary, lies: rg.Interval) -> tuple[rg.Interval, rg.Interval]:
        """Return between which numbers the operands lie, where the result does."""
        a, b = self.ranges.of(x.a), self.ranges.of(x.b)
        if x.op == "add":
            return (rg.Interval(lies.low - b.high, lies.high - b.low),
                    rg.Interval(lies.low - a.high, lies.high - a.low))
        if x.op == "sub":
            return (rg.Interval(lies.low + b.low, lies.high + b.high),
                    rg.Interval(a.low - lies.high, a.high - lies.low))
        return _ANY, _ANY
