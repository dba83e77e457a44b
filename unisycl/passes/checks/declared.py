"""Checks that a kernel keeps to the part of a buffer that its range mapper gives its rank.

The bounds of the part come as parameters, two for each dimension. Non-goals: pointers that are read
from memory, and rows that go on in the next one. Invariant: a check stands in front of the access,
as those of ``bounds``.
"""

from __future__ import annotations

from unisycl.base.dataclass import replace
from unisycl.base.enums import address_space
from unisycl.base.spans import Span
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.part_parameters import DECLARED
from unisycl.ir.types import BOOL, INT64, View
from unisycl.passes.checks import bounds

_ADVICE = ("] that its range mapper gives this rank; give it a mapper that covers what the kernel "
           "uses")


def run(kernel: n.Kernel) -> n.Kernel:
    """Return the kernel with parameters for the bounds of its parts, and checks of them."""
    params = list(kernel.params)
    sides: dict[n.Param, tuple[tuple[n.Param, n.Param], ...]] = {}
    for p in kernel.params:
        if isinstance(p.type, View) and p.type.space is address_space.global_space and (
                p.type.ndim and p not in kernel.pointed):
            found = []
            for dim in range(p.type.ndim):
                pair = tuple(n.Param(f"{side}_{p.name}_{dim}", INT64, len(params) + k,
                                     ((DECLARED, p.index), ("side", k), ("dim", dim)))
                             for k, side in enumerate(("low", "high")))
                params += pair
                found.append((pair[0], pair[1]))
            sides[p] = tuple(found)
    body = _Declaring(sides).block(kernel.body)
    return replace(kernel, body=body, params=tuple(params))


class _Declaring(visit.Rewriter):
    """Puts the checks in front of statements."""

    def __init__(self, sides: dict[n.Param, tuple[tuple[n.Param, n.Param], ...]]) -> None:
        self.sides = sides

    def statement(self, stmt: n.Stmt) -> list[n.Stmt]:
        """Return what stands for a statement."""
        checks: list[n.Stmt] = []
        for place in bounds.places(stmt):
            base = place.base
            if isinstance(base, n.Param) and base in self.sides:
                checks += [c for c in self._checks(place, base, place.span or stmt.span)
                           if c not in checks]
        if isinstance(stmt, n.While):
            stmt = self.inside(stmt)
            return [replace(stmt, pre=(*stmt.pre, *checks))]
        return [*checks, self.inside(stmt)]

    def _checks(self, place: n.Place, base: n.Param, span: Span | None) -> list[n.Stmt]:
        out: list[n.Stmt] = []
        sides = self.sides[base]
        part: list[str | n.Expr] = []
        for k, (low, high) in enumerate(sides):
            part += [", " if k else "", n.ParamRead(INT64, low), ":", n.ParamRead(INT64, high)]
        for dim, (low, high) in enumerate(sides[:len(place.index)]):
            index = n.Cast(INT64, place.index[dim])
            good = n.Binary(BOOL, "and",
                            n.Compare(BOOL, "ge", index, n.ParamRead(INT64, low)),
                            n.Compare(BOOL, "lt", index, n.ParamRead(INT64, high)))
            which = f" in dimension {dim}" if len(sides) > 1 else ""
            pieces = ["index ", index, f"{which} of '{base.name}' is outside the part [",
                      *(p for p in part if p != ""), _ADVICE]
            out.append(n.Check(good, tuple(pieces), span=span))
        return out
