"""Where an element lies is computed in 32 bits, too: counters of loops and indices (``narrow``).

For targets whose compilers see through ``int`` but not through conversions. It holds for launches
whose views of several dimensions span fewer than 2**31 elements; whoever calls this sees to that.
An index of such a view lies inside it, so it fits whatever it is made of. Non-goals: views
of one dimension beyond what intervals show. Invariant: as ``narrow``'s.
"""

from __future__ import annotations

from dataclasses import replace

from unisycl.base.dtypes import INT32, INT64
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar, View
from unisycl.passes.shared import ranges as rg
from unisycl.passes.shared.narrow import FITS, NARROW, Narrower

_EXACT = Scalar(INT32, weak=True)
_FEW = rg.Interval(-(1 << 30), (1 << 30) - 1)
_PLAIN = frozenset(("add", "sub", "mul"))


def few(kernel: n.Kernel) -> rg.Given:
    """Return what is known of numbers where a launch looks at them: their sum is of 32 bits."""
    return rg.Given(dict.fromkeys(numbers(kernel), _FEW))


def numbers(kernel: n.Kernel) -> tuple[n.Param, ...]:
    """Return the parameters that are numbers of 64 bits, which seldom need them."""
    return tuple(p for p in kernel.params
                 if isinstance(p.type, Scalar) and p.type.dtype is INT64)


def run(kernel: n.Kernel, ids_below: int, given: rg.Given = rg.NOTHING, *,
        flat: bool = False) -> n.Kernel:
    """Return the kernel with what fits in 32 bits computed there, positions included.

    ``flat``: views of one dimension lie in fewer than 2**31 elements, too.
    """
    def most(x: n.Query | n.Extent) -> int:
        if isinstance(x, n.Extent):
            return FITS.high if bounded(x.base) else (1 << 63) - 1
        if not kernel.local or x.name not in ("local_id", "group_id"):
            return ids_below - 1
        size = kernel.local[x.dim]
        return size - 1 if x.name == "local_id" else (ids_below - 1) // size

    made = _Placer(kernel, rg.analyse(kernel.body, ids_below, most, given))
    made.flat = flat
    return made.run()


def bounded(base: n.Base) -> bool:
    """Say whether a view spans fewer than 2**31 elements by what the caller promises."""
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

    def free(self, stmt: n.Stmt) -> bool:
        """Say whether what a statement assigns may change its type: loops that cannot overflow."""
        if not isinstance(stmt, n.For):
            return super().free(stmt)
        if stmt.local.type.dtype is not INT64 or not isinstance(stmt.step, n.Const):
            return False
        start, stop, step = (self.ranges.of(x) for x in (stmt.start, stmt.stop, stmt.step))
        last = self.ranges.locals[stmt.local]
        return start.within(FITS) and stop.within(FITS) and rg.Interval(
            last.low + step.low, last.high + step.high).within(FITS)

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
        return super().narrow(x) if exact is None else exact

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
        exact = self.exact(x, inside)
        if exact is not None:
            return exact
        if self.fits(x):
            return self.narrow(x)
        return n.Narrow(NARROW, self.expr(x)) if inside else self.expr(x)

    def exact(self, x: n.Expr, fits: bool = False) -> n.Expr | None:
        """Return an expression in 32 bits of which no part overflows; None where that is open."""
        fits = fits or self.fits(x)
        match x:
            case n.Const() if fits:
                return n.Const(_EXACT, x.value)
            case n.Read() if x.local in self.small:
                return n.Read(NARROW, self.small[x.local])
            case n.Query() | n.Extent() if fits:
                return replace(x, type=NARROW)
            case n.Cast() if x.x.type.dtype is INT32:
                return self.expr(x.x)
            case n.Cast() if x.x.type.dtype is INT64:
                return self.exact(x.x, fits)
            case n.Binary() if fits and x.op in _PLAIN:
                a, b = self.exact(x.a), self.exact(x.b)
                if a is not None and b is not None:
                    return n.Binary(_EXACT, x.op, a, b)
            case n.Read() if fits and not x.type.dtype.is_float:
                return n.Narrow(NARROW, self.expr(x))
        return None
