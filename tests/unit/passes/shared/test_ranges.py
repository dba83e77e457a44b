"""Intervals hold every number there can be, and few others."""

from __future__ import annotations

import itertools
import operator

import numpy as np

from unisycl.base.dtypes import BOOL, FLOAT32, INT8, INT64, UINT8
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import WEAK_INT, Scalar
from unisycl.passes.shared.ranges import Interval, Ranges, analyse, whole

I64, B = Scalar(INT64), Scalar(BOOL)
A, C, FLAG = n.Local("a", I64), n.Local("c", I64), n.Local("flag", B)
READ_A, READ_C = n.Read(I64, A), n.Read(I64, C)
SPANS = [Interval(*ends) for ends in (
    (0, 0), (0, 5), (3, 3), (1, 4), (3, 6), (-4, -1), (-3, 2), (-5, 7), (-1, 0))]
PYTHON = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_,
          "or": operator.or_, "xor": operator.xor, "floordiv": operator.floordiv,
          "mod": operator.mod, "shl": operator.lshift, "shr": operator.rshift}
TIGHT = ("add", "sub", "mul")
out = np.zeros(64, np.int64)


def numbers(span: Interval) -> range:
    return range(span.low, span.high + 1)


def known(a: Interval, c: Interval) -> Ranges:
    ranges = Ranges(1 << 30)
    ranges.locals = {A: a, C: c}
    return ranges


def test_every_result_of_an_operator_is_inside() -> None:
    for (name, python), a, c in itertools.product(PYTHON.items(), SPANS, SPANS):
        found = known(a, c).of(n.Binary(I64, name, READ_A, READ_C))
        defined = c.low >= 0 if name in ("shl", "shr") else 0 not in numbers(c)
        if name not in ("shl", "shr", "floordiv", "mod") or defined:
            results = [python(x, y) for x in numbers(a) for y in numbers(c)]
            span = Interval(min(results), max(results))
            assert span.within(found), (name, a, c, found)
            assert found == span or name not in TIGHT, (name, a, c, found)


def test_results_of_numbers_that_are_not_negative_are_near() -> None:
    """Else an index made of them would not fit: as small as the form of the operator tells."""
    a, c = Interval(2, 13), Interval(1, 4)
    wanted = {"floordiv": (0, 13), "mod": (0, 3), "and": (0, 4), "or": (0, 15), "xor": (0, 15),
              "shr": (0, 6), "shl": (4, 208)}
    for name, ends in wanted.items():
        assert Interval(*ends) == known(a, c).of(n.Binary(I64, name, READ_A, READ_C)), name
    below, every = Interval(-2, 13), whole(INT64)
    for name, left, right, ends in (
            ("mod", below, c, (0, 3)), ("mod", Interval(0, 2), c, (0, 2)),
            ("mod", c, Interval(0, 3), (0, 2)), ("floordiv", c, Interval(0, 3), (0, 4)),
            ("mod", c, Interval(0, 0), (0, 0)), ("floordiv", below, Interval(0, 2), (-2, 13)),
            ("and", below, c, (0, 4)), ("and", c, below, (0, 4))):
        assert Interval(*ends) == known(left, right).of(n.Binary(I64, name, READ_A, READ_C)), name
    for name, left, right in (
            ("and", below, below), ("or", below, c), ("or", c, below), ("xor", below, c),
            ("mod", c, below), ("floordiv", c, below), ("shl", below, c),
            ("shl", c, below), ("shl", c, Interval(0, 64)), ("shr", below, c), ("shr", c, below)):
        assert every == known(left, right).of(n.Binary(I64, name, READ_A, READ_C)), (name, left)
    assert Interval(0, 0) == known(Interval(0, 9), Interval(64, 64)).of(
        n.Binary(I64, "shr", READ_A, READ_C))


def test_other_expressions() -> None:
    ranges = known(Interval(-3, 5), Interval(2, 9))
    u8, i8, f32 = Scalar(UINT8), Scalar(INT8), Scalar(FLOAT32)
    for x, ends in (
            (n.Const(I64, 7), (7, 7)), (READ_A, (-3, 5)), (n.Unary(I64, "neg", READ_A), (-5, 3)),
            (n.Read(I64, n.Local("new", I64)), (0, 0)),
            (n.Call(I64, BUILTINS["min"], (READ_A, READ_C)), (-3, 5)),
            (n.Call(I64, BUILTINS["max"], (READ_A, READ_C)), (2, 9)),
            (n.Select(I64, n.Read(B, FLAG), READ_A, READ_C), (-3, 9)),
            (n.Query(WEAK_INT, "global_id", 0), (0, (1 << 30) - 1)),
            (n.Cast(i8, READ_A), (-3, 5)), (n.Cast(u8, READ_C), (2, 9)),
            (n.Cast(u8, READ_A), (0, 255)), (n.Cast(i8, n.Const(f32, 3.0)), (-128, 127)),
            (n.Const(f32, 3.0), (-1 << 70, 1 << 70)),
            (n.Binary(u8, "sub", n.Cast(u8, READ_C), n.Const(u8, 3)), (0, 255)),
            (n.Compare(B, "lt", READ_A, READ_C), (0, 1)), (n.Unary(I64, "not", READ_A), None)):
        assert (whole(INT64) if ends is None else Interval(*ends)) == ranges.of(x), x
    asked = Ranges(1 << 30, most=lambda x: 11)
    assert Interval(0, 11) == asked.of(n.Query(WEAK_INT, "local_id", 0))


def test_intervals_join_and_meet() -> None:
    a, c = Interval(-3, 5), Interval(2, 9)
    assert (Interval(-3, 9), Interval(2, 5)) == (a | c, a & c)
    assert a == a & Interval(7, 8), "no number is left: the path is not taken"
    assert Interval(5, 5) == a & Interval(5, 8)
    assert Interval(-3, 4).within(a)
    assert not Interval(-4, 4).within(a)
    assert not Interval(0, 6).within(a)
    assert [Interval(0, 1), Interval(0, 255), Interval(-128, 127)] == [
        whole(t) for t in (BOOL, UINT8, INT8)]


COMPARE = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
           "eq": operator.eq, "ne": operator.ne}


def spans_where(cond: n.Expr, holds: bool) -> tuple[Interval, Interval]:
    """Return what two locals are, both from -4 to 6 and from 0 to 3, where a condition holds."""
    ranges = known(Interval(-4, 6), Interval(0, 3))
    with ranges.knowing(cond, holds):
        found = ranges.of(READ_A), ranges.of(READ_C)
    assert (Interval(-4, 6), Interval(0, 3)) == (ranges.of(READ_A), ranges.of(READ_C))
    return found


def pairs(cond: dict[str, bool]) -> list[tuple[int, int]]:
    """Return all numbers of both that comparisons hold for, or do not."""
    return [(x, y) for x in range(-4, 7) for y in range(4)
            if all(COMPARE[op](x, y) is holds for op, holds in cond.items())]


def hull(numbers: list[int]) -> Interval:
    return Interval(min(numbers), max(numbers))


def test_a_comparison_says_what_both_sides_are() -> None:
    for op, holds in itertools.product(COMPARE, (True, False)):
        cond = n.Compare(B, op, READ_A, READ_C)
        left = pairs({op: holds})
        wanted = hull([x for x, _ in left]), hull([y for _, y in left])
        for form, says in ((cond, holds), (n.Unary(B, "not", cond), not holds),
                           (n.Cast(B, cond), holds)):
            assert wanted == spans_where(form, says), (op, holds, form)


def test_what_both_or_neither_of_two_conditions_say_is_known() -> None:
    more, less = (n.Compare(B, op, READ_A, n.Const(I64, k)) for op, k in (("gt", 0), ("lt", 3)))
    both, either = n.Binary(B, "and", more, less), n.Binary(B, "or", more, less)
    assert Interval(1, 2) == spans_where(both, True)[0]
    assert Interval(-4, 6) == spans_where(both, False)[0]
    assert Interval(-4, 6) == spans_where(either, True)[0]
    far = n.Binary(B, "or", n.Compare(B, "lt", READ_A, n.Const(I64, -1)),
                   n.Compare(B, "gt", READ_A, n.Const(I64, 4)))
    assert Interval(-1, 4) == spans_where(far, False)[0]


def spans(function: object, *names: str, ids_below: int = 64) -> list[tuple[int, int]]:
    """Return the ends of a kernel's locals: of all that have a name, together."""
    found = analyse(specialize(function, "range", 1).kernel.body, ids_below).locals
    joined = []
    for name in names:
        of = [i for local, i in found.items() if local.name == name]
        joined.append((min(i.low for i in of), max(i.high for i in of)))
    return joined


def test_loops_and_branches() -> None:
    def counted(i):  # type: ignore[no-untyped-def]
        last = 0
        for up in range(2, 9):
            last = up
        for down in range(9, 2, -1):
            out[down] = last
        for strided in range(0, 20, 3):
            out[strided] = i

    def until(i):  # type: ignore[no-untyped-def]
        k = 0
        while k < 40:
            k += 3
        out[k] = i

    def growing(i):  # type: ignore[no-untyped-def]
        total = 0
        for k in range(out[i]):
            total += 2
        out[i] = total

    def limited(i):  # type: ignore[no-untyped-def]
        k = out[i]
        if k < 0 or k > 9:
            k = 4
        near = k
        out[near] = 1

    def flagged(i):  # type: ignore[no-untyped-def]
        k = out[i]
        good = k >= 0
        if good:
            good = k < 12
        if good:
            inside = k
            out[inside] = 1
        k = out[i + 1]
        if good:
            other = k
            out[other] = 1
    assert [(2, 8), (3, 9), (0, 19), (0, 8)] == spans(counted, "up", "down", "strided", "last")
    assert spans(until, "k") == [(0, 42)]
    every = whole(INT64)
    anything = every.low, every.high
    assert spans(growing, "total") == [anything], "a sum may wrap"
    assert spans(limited, "near") == [anything], "what a branch leaves is not joined"
    assert spans(flagged, "inside", "other") == [(0, 11), anything]
