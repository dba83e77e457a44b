"""Locals that are other names of locals or of ids: places are compared in terms of those.

Non-goals: values that are computed. Invariant: a name is followed only where both have one value.
"""

from __future__ import annotations

from unisycl.base.dataclass import replace
from unisycl.ir import nodes as n
from unisycl.ir import visit


class Names:
    """The other names in a body; ``counters``: of loops' counters, too, within their loops."""

    def __init__(self, body: n.Block, *, counters: bool = True) -> None:
        counts: dict[n.Local, int] = {}
        for stmt in visit.statements(body):
            for local in visit.targets(stmt):
                counts[local] = counts.get(local, 0) + 1 + (
                    isinstance(stmt, n.For) and not counters)
        self.known: dict[n.Local, n.Read | n.Query] = {}
        for stmt in visit.statements(body):
            if not isinstance(stmt, n.Assign) or counts[stmt.local] > 1:
                continue
            value = stmt.value
            if (isinstance(value, n.Read) and counts.get(value.local) == 1) \
                    or (isinstance(value, n.Query) and value.name == "global_id"):
                self.known[stmt.local] = value

    def of(self, place: n.Place) -> n.Place:
        """Return a place in terms of what other names stand for."""
        if not self.known:
            return place
        index = self.index(place.index)
        inner = tuple((visit.rewrite_expr(x, self._original), step) for x, step in place.inner)
        return replace(place, index=index, inner=inner)

    def index(self, index: tuple[n.Expr, ...]) -> tuple[n.Expr, ...]:
        """Return an index in terms of what other names stand for."""
        return tuple(visit.rewrite_expr(x, self._original) for x in index)

    def _original(self, x: n.Expr) -> n.Expr:
        while isinstance(x, n.Read) and x.local in self.known:
            x = replace(self.known[x.local], type=x.type)
        return x
