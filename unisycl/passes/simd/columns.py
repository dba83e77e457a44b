"""Whether lanes go down columns of a memory along whose rows the dimension before them goes.

A transposition is one: each vector touches a line for each lane, and the next row of items the
elements beside them. Non-goals: in what order items run (backends). Invariant: an answer is about
speed only.
"""

from __future__ import annotations

from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View
from unisycl.passes.simd.shapes import LINEAR, Shapes


def crossed(kernel: n.Kernel, shapes: Shapes) -> bool:
    """Say whether a range's vectors had better be followed by those of the next row."""
    if kernel.index_kind != "range" or kernel.ndim < 2 \
            or visit.contains(kernel.body, (n.For, n.While)):
        return False
    given: dict[n.Local, n.Expr] = {}
    for stmt in visit.statements(kernel.body):
        if isinstance(stmt, n.Assign):
            given[stmt.local] = stmt.value
    places = [x.place for x in visit.all_expressions(kernel.body) if isinstance(x, n.Load)]
    places += [s.place for s in visit.statements(kernel.body) if isinstance(s, n.Store)]
    return any(_goes_down(place, shapes) and _asks(place.index[-1], kernel.ndim - 2, given, set())
               for place in places)


def _goes_down(place: n.Place, shapes: Shapes) -> bool:
    """Say whether lanes are in rows of their own, all at one element of these."""
    kind = place.base.type
    return isinstance(place.base, n.Param) and isinstance(kind, View) and not kind.spread \
        and kind.space is address_space.global_space and len(place.index) > 1 \
        and shapes.of(place.index[-1]).rank < LINEAR \
        and any(shapes.of(x).rank == LINEAR for x in place.index[:-1])


def _asks(x: n.Expr, dim: int, given: dict[n.Local, n.Expr], seen: set[n.Local]) -> bool:
    """Say whether a number is made of the id of a dimension."""
    for e in visit.walk(x):
        if isinstance(e, n.Query) and e.name == "global_id" and e.dim == dim:
            return True
        if isinstance(e, n.Read) and e.local in given and e.local not in seen:
            seen.add(e.local)
            if _asks(given[e.local], dim, given, seen):
                return True
    return False
