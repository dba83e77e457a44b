"""Checks that all items of a group meet, and agree on what they have to, in debugged kernels.

In front of each barrier and group function that items may not come to alike it is asked who is
there; in front of each function with an argument that its group has to share, whether all have the
same. The first item that came reports. ``lockstep`` lets the whole group pass there, so that no
check waits for an item that has left. Non-goals: whether sub-groups come together, for parts of
them may use their functions. Invariant: a kernel whose items do as they should means what it did.
"""

from __future__ import annotations

from unisycl.base.dataclass import replace
from unisycl.base.enums import memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL, INT64
from unisycl.passes.shared import lockstep
from unisycl.passes.shared.lockstep import NOBODY

_SHARED = {"broadcast": "id", "shift_left": "delta", "shift_right": "delta",
           "permute_xor": "mask", "reduce": "initial value", "inclusive_scan": "initial value",
           "exclusive_scan": "initial value"}
"""What the items of a group give alike as the second argument, by function."""
_NAMES = {"broadcast": "group_broadcast", "shift_left": "shift_group_left",
          "shift_right": "shift_group_right", "permute_xor": "permute_group_by_xor",
          "reduce": "reduce_over_group", "select": "select_from_group", "ballot": "group_ballot",
          "match": "group_match"}


def run(kernel: n.Kernel) -> n.Kernel:
    """Return an nd_range kernel with its meetings checked."""
    if kernel.index_kind != "nd_range":
        return kernel
    checks = _Checks(kernel.ndim)
    kernel = lockstep.whole(kernel, checks.watch)
    return replace(kernel, body=checks.block(kernel.body))


def name_of(stmt: lockstep.Meeting | n.Agree) -> str:
    """Return what a program calls a barrier or group function."""
    if isinstance(stmt, n.Agree):
        return stmt.name
    if isinstance(stmt, n.Barrier):
        return "group_barrier"
    known = _NAMES.get(stmt.op)
    return known or f"{stmt.op}_{'over' if stmt.op.endswith('scan') else 'of'}_group"


class _Checks(visit.Rewriter):
    """Writes the checks of one kernel."""

    def __init__(self, ndim: int) -> None:
        self.ndim = ndim

    # ---- who comes
    def watch(self, stmt: lockstep.Meeting, on: n.Local | None) -> list[n.Stmt]:
        """Return the check that all items of the work-group come, unless they are known to."""
        if on is None:
            return []
        came, away = n.Local("came", INT64), n.Local("away", INT64)
        here, span = n.Read(BOOL, on), stmt.span
        known = _any_of(_is(came, NOBODY), _is(away, NOBODY),
                        n.Compare(BOOL, "ne", lockstep.linear_id(self.ndim), _read(came)))
        pieces = (f"not all work-items of the group come to this {name_of(stmt)}: work-item ",
                  *self.item(away), " does not")
        return [lockstep.first_of(came, here, self.ndim, span),
                lockstep.first_of(away, n.Unary(BOOL, "not", here), self.ndim, span),
                n.Check(known, pieces, span=span)]

    def item(self, which: n.Local) -> tuple[str | n.Expr, ...]:
        """Return the pieces of a text that name an item of this group by its global id."""
        left: n.Expr = _read(which)
        ids: list[n.Expr] = []
        for dim in reversed(range(self.ndim)):
            extent = n.Query(INT64, "local_range", dim)
            own = n.Binary(INT64, "mod", left, extent) if dim else left
            start = n.Binary(INT64, "sub", n.Query(INT64, "global_id", dim),
                             n.Query(INT64, "local_id", dim))
            ids.append(n.Binary(INT64, "add", start, own))
            left = n.Binary(INT64, "floordiv", left, extent)
        first, *more = reversed(ids)
        return ("id(", first, *(piece for x in more for piece in (", ", x)), ")")

    # ---- what they bring
    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        """Return what stands for a statement: the arguments that a group has to share, checked."""
        if isinstance(stmt, n.Agree):
            return [x for value, what in zip(stmt.values, stmt.what, strict=True)
                    for x in self.same(value, what, stmt)]
        if not isinstance(stmt, n.GroupCall) or len(stmt.args) < 2:
            return [self.inside(stmt)]
        alike = stmt.op in _SHARED and not isinstance(stmt.args[1], n.Const)
        return [*(self.same(stmt.args[1], _SHARED[stmt.op], stmt) if alike else ()),
                *self.reached(stmt.args[1], stmt), stmt]

    def reached(self, where: n.Expr, stmt: n.GroupCall) -> list[n.Stmt]:
        """Return the check that the group has the work-item that a broadcast asks.

        What a shuffle gives from outside a sub-group a program may leave alone.
        """
        span, where, name = stmt.span, n.Cast(INT64, where), name_of(stmt)
        if stmt.op != "broadcast" or where.x == n.Const(where.x.type, 0):
            return []
        size: n.Expr = n.Query(INT64, "sub_group_local_range", 0)
        if stmt.scope is not memory_scope.sub_group:
            size = n.Query(INT64, "local_range", 0)
            for dim in range(1, self.ndim):
                size = n.Binary(INT64, "mul", size, n.Query(INT64, "local_range", dim))
        inside = n.Binary(BOOL, "and", n.Compare(BOOL, "ge", where, n.Const(INT64, 0)),
                          n.Compare(BOOL, "lt", where, size))
        return [n.Check(inside, (f"{name}: the group has ", size, " work-items; there is no id ",
                                 where), span=span)]

    def same(self, value: n.Expr, what: str, stmt: n.GroupCall | n.Agree) -> list[n.Stmt]:
        """Return the check that the items of a group that are here give one value."""
        group, span = stmt.scope, stmt.span
        sub = group is memory_scope.sub_group
        place: n.Expr = n.Query(INT64, "sub_group_local_id", 0) if sub \
            else lockstep.linear_id(self.ndim)
        given, first, theirs = (n.Local(k, value.type) for k in ("given", "shared", "other"))
        giver, odd = n.Local("giver", INT64), n.Local("odd", INT64)
        differs: n.Expr = n.Compare(BOOL, "ne", _read(given), _read(first))
        if value.type.dtype.is_float:  # not a number is itself
            numbers = _any_of(*(n.Compare(BOOL, "eq", _read(x), _read(x)) for x in (given, first)))
            differs = n.Binary(BOOL, "and", differs, numbers)

        def least(result: n.Local, x: n.Expr) -> n.Stmt:
            return n.GroupCall(result, "reduce", (x,), group, "minimum", span=span)

        def of(result: n.Local, x: n.Local, number: n.Local) -> n.Stmt:
            at = n.Select(INT64, _is(number, NOBODY), n.Const(INT64, 0), _read(number))
            return n.GroupCall(result, "broadcast", (_read(x), at), group, span=span)
        fine = _any_of(_is(odd, NOBODY), n.Compare(BOOL, "ne", place, _read(giver)))
        where: tuple[str | n.Expr, ...] = ("item ", _read(odd), " of the sub-group") if sub \
            else ("work-item ", *self.item(odd))
        pieces = (f"the {what} of {name_of(stmt)} is ", _read(first), " here and ", _read(theirs),
                  " in ", *where, ": the group has to give one")
        return [n.Assign(given, value, span=span), least(giver, place), of(first, given, giver),
                least(odd, n.Select(INT64, differs, place, n.Const(INT64, NOBODY))),
                of(theirs, given, odd), n.Check(fine, pieces, span=span)]


def _read(local: n.Local) -> n.Read:
    return n.Read(local.type, local)


def _is(local: n.Local, number: int) -> n.Expr:
    return n.Compare(BOOL, "eq", _read(local), n.Const(local.type, number))


def _any_of(*conditions: n.Expr) -> n.Expr:
    whole, *more = conditions
    for x in more:
        whole = n.Binary(BOOL, "or", whole, x)
    return whole
