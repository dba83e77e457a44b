"""Loops of few turns along short rows are asked to be unrolled: ``for k in range(3): p[i, k]``.

Their elements are joined then (``short_rows``, ``interleaved``), where a loop would gather one
after the other. Non-goals: unrolling (``unrolled``); rows along which longer loops go
(``row_blocks``). Invariant: loops that say themselves whether they are unrolled stay.
"""

from __future__ import annotations

from unisycl.base.dataclass import replace
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View

_MOST_TURNS = 4
_MOST_EXPRESSIONS = 200


def run(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with loops along short rows asked to be unrolled (``unrolled``)."""
    if kernel.checks or kernel.pointed or kernel.index_kind == "single":
        return kernel
    body = _Asking().block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


class _Asking(visit.Rewriter):
    """Marks loops of few turns whose counter is where in a row an element lies."""

    __slots__ = ()

    def statement(self, stmt: n.Stmt) -> tuple[n.Stmt]:
        made = self.inside(stmt)
        if isinstance(made, n.For) and "unroll" not in dict(made.controls) and _is_along(made):
            return (replace(made, controls=(*made.controls, ("unroll", 0))),)
        return (made,)


def _is_along(loop: n.For) -> bool:
    """Say whether a loop takes few turns, and goes along rows that others than it choose."""
    turns = len(visit.fixed_turns(loop) or ())
    size = sum(1 for _ in visit.all_expressions(loop.body))
    if not 1 < turns <= _MOST_TURNS or turns * size > _MOST_EXPRESSIONS or visit.contains(
            loop.body, (n.For, n.While)):
        return False
    places = [s.place for s in visit.statements(loop.body) if isinstance(s, n.Store)]
    places += [x.place for x in visit.all_expressions(loop.body) if isinstance(x, n.Load)]
    return any(_goes_along(p, loop.local) for p in places)


def _goes_along(place: n.Place, counter: n.Local) -> bool:
    """Say whether a counter is added to the last index of a place of global memory."""
    kind = place.base.type
    if not isinstance(place.base, n.Param) or not isinstance(kind, View) or not place.index \
            or kind.space is not address_space.global_space:
        return False
    *outer, last = place.index
    if isinstance(last, n.Read):
        return last.local is counter and any(
            isinstance(e, n.Read | n.Query) for x in outer for e in visit.walk(x))
    return isinstance(last, n.Binary) and last.op == "add" and any(
        isinstance(x, n.Read) and x.local is counter for x in (last.a, last.b)) and any(
        isinstance(e, n.Read | n.Query) and not (isinstance(e, n.Read) and e.local is counter)
        for e in visit.walk(last))
