"""What can stand left of ``=``, besides names: places that values are written to.

Non-goals: which kinds of values have such places; each makes its own. Invariants: what is written
was evaluated before; nothing that is only passed through on the way to a place is read.
"""

from __future__ import annotations

import ast

from unisycl.base.dataclass import dataclass, replace
from unisycl.frontend import coerce
from unisycl.frontend.values.kind import Lowering, Target, Value
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT, PointerType, Scalar, View


@dataclass(frozen=True, slots=True)
class Cell(Target):
    """A number or pointer in memory, at a place whose indices are held."""

    place: n.Place

    def read(self, ctx: Lowering, node: ast.AST) -> Value:
        return n.Load(self.place.type, self.place)

    def write(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        type = self.place.type
        if isinstance(type, PointerType):
            x = ctx.of(value).as_pointer(ctx, type, origin)
        else:
            x = stored(ctx, ctx.to_scalar(value, origin, unsure=True), type, origin)
        ctx.emit(n.Store(self.place, x, span=ctx.span(node)))


def stored(ctx: Lowering, x: n.Expr, type: Scalar, origin: ast.AST) -> n.Expr:
    """Return a number as memory of a type holds it; refuse a literal that does not fit."""
    try:
        return coerce.stored(x, type)
    except (coerce.LosesPart, coerce.Ambiguous):
        raise
    except coerce.DoesNotFit as problem:
        raise ctx.refuse("K057", origin, value=problem.value, type=problem.type.dtype,
                         help="store a number of another type, which wraps: "
                         f"np.int64({problem.value})") from None


def one_index_each(ctx: Lowering, name: str, ndim: int, given: int, node: ast.AST) -> Exception:
    """Refuse to write to what is more than one element."""
    return ctx.refuse("K037", node, what=f"'{name}'", expected=ndim, found=given,
                      help="give one index for each dimension; what all elements are to become "
                      "is computed in a loop")


def load_each(ctx: Lowering, place: n.Place, count: int) -> list[n.Expr]:
    """Read elements from a place on, each by itself where they do not follow one another."""
    if not is_spread(place):
        return ctx.load_many(place, count)
    place = replace(place, index=tuple(map(ctx.hold, place.index)))
    return [ctx.hold(n.Load(place.type, behind(place, k))) for k in range(count)]


def is_spread(place: n.Place) -> bool:
    """Say whether elements of memory do not follow one another."""
    return isinstance(place.base.type, View) and place.base.type.spread


def behind(place: n.Place, count: int) -> n.Place:
    """Return the place of an element further on."""
    *front, last = place.index
    index = coerce.binary("add", last, coerce.weak_scalar(count), WEAK_INT)
    return replace(place, index=(*front, index))
