"""Elements of local memory that all work-items of a group read, for drivers that keep old ones.

Where a driver takes such an element as it was before a barrier (``Dialect.read_anew``), it is read
through a volatile pointer. Non-goals: elements that a loop's counter chooses: they are another one
in each turn, and loops over tiles stay fast. Invariant: results are those of the plain text.
"""

from __future__ import annotations

from unisycl.backends.cfamily.signs import meet
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View

_OWN = frozenset(("global_id", "local_id", "logical_id", "sub_group_id", "sub_group_local_id",
                  "sub_group_local_range"))
_MADE_OF_PARTS = (n.Unary, n.Binary, n.Compare, n.Select, n.Cast, n.Narrow, n.Bitcast)
_GIVEN = (n.Const, n.ParamRead, n.Extent, n.Pitch)


class SharedElements:
    """Tells which places of a kernel all items of a group share, in all turns of a loop."""

    def __init__(self, kernel: n.Kernel) -> None:
        self._meet = meet(kernel)
        self._given: dict[n.Local, n.Expr | None] = {}
        statements = list(visit.statements(kernel.body)) if self._meet else []
        for stmt in statements:
            for local in visit.targets(stmt):
                known = isinstance(stmt, n.Assign) and local not in self._given
                self._given[local] = stmt.value if known and isinstance(stmt, n.Assign) else None
        self._told: dict[n.Local, bool] = {}

    def has(self, place: n.Place) -> bool:
        """Say whether all items that read a place read the same element of local memory."""
        kind = place.base.type
        if not self._meet or not isinstance(kind, View) \
                or kind.space is not address_space.local_space:
            return False
        return all(self._same(x) for x in (*place.index, *(x for x, _ in place.inner)))

    def _same(self, x: n.Expr) -> bool:
        if isinstance(x, n.Query):
            return x.name not in _OWN
        if isinstance(x, n.Read):
            return self._of(x.local)
        return isinstance(x, _GIVEN) or (isinstance(x, _MADE_OF_PARTS) and all(
            map(self._same, visit.expressions(x))))

    def _of(self, local: n.Local) -> bool:
        if local not in self._told:
            self._told[local] = False  # what is made of itself
            value = self._given.get(local)
            self._told[local] = value is not None and self._same(value)
        return self._told[local]
