"""Neighbours where memory is periodic: ``(x - 1) % n``, ``(x - 1 + n) % n``.

Few of them are beyond an end of their row, so nothing is divided to find those. Non-goals: rows
that one id counts through, whose quotients are needed. Invariant: where the tests that are noted
hold, the neighbour is what the remainder is.
"""

from __future__ import annotations

from collections import Counter

from unisycl.base.dataclass import changed
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import BOOL
from unisycl.passes.interior.known import Known


def near(known: Known, x: n.Expr, sides: tuple[n.Expr, n.Expr],
         meant: tuple[n.Expr, n.Expr]) -> n.Expr | None:
    """Return what a quotient or remainder of a neighbour is; None if it is none.

    ``meant``: what its two sides are in terms of ids and arguments.
    """
    (over, under), (a, b) = sides, meant
    if not known.is_exact(a):
        return None
    rest, times = _without(a, b)
    if (times == 0 and rest == _unmoved(rest)) or known.turns(b):
        return None
    ends = known.ends(rest)
    if ends is None:
        return None
    known.test(n.Compare(BOOL, "ge", ends[0], n.Const(a.type, 0)))
    known.test(n.Compare(BOOL, "lt", ends[1], b))
    if not isinstance(x, n.Binary) or x.op in ("floordiv", "shr"):
        return n.Const(x.type, times)
    if times == 0:
        return over
    return n.Binary(x.type, "sub", over, n.Binary(x.type, "mul", under, n.Const(x.type, times)))


def _without(a: n.Expr, b: n.Expr) -> tuple[n.Expr, int]:
    """Return a sum without the times that a number is added to it, and how often it is."""
    if a == b:
        return n.Const(a.type, 0), 1
    if not isinstance(a, n.Binary) or a.op not in ("add", "sub"):
        return a, 0
    if a.b == b:
        rest, times = _without(a.a, b)
        return rest, times + (1 if a.op == "add" else -1)
    if a.a == b and a.op == "add":
        rest, times = _without(a.b, b)
        return rest, times + 1
    rest, times = _without(a.a, b)
    return (changed(a, a=rest), times) if times else (a, 0)


def _unmoved(x: n.Expr) -> n.Expr:
    """Return a sum without the constants that are added to it."""
    while isinstance(x, n.Binary) and x.op in ("add", "sub") and isinstance(x.b, n.Const):
        x = x.a
    return x


def divisors(body: n.Block, known: Known) -> list[n.Expr]:
    """Return by what ids themselves are divided: they count through rows of that length."""
    every = [s for s in visit.statements(body) if isinstance(s, n.Assign)]
    counts = Counter(s.local for s in every)
    once = {s.local: s.value for s in every if counts[s.local] == 1}

    def meant(x: n.Expr) -> n.Expr:
        while isinstance(x, n.Cast | n.Narrow) or (isinstance(x, n.Read) and x.local in once):
            x = once[x.local] if isinstance(x, n.Read) else x.x
        return x
    found = [known.value(meant(x.b)) for x in visit.all_expressions(body)
             if isinstance(x, n.Binary) and x.op in ("floordiv", "mod")
             and isinstance(meant(x.a), n.Query)]
    return [b for b in found if b is not None]
