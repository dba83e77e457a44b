"""Choices by an integer become loads that give, for every index, what the comparisons gave."""

from __future__ import annotations

import operator

import numpy as np
import pytest

from unisycl.base import dtypes as d
from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.constant_tables import Table
from unisycl.ir.types import BOOL, WEAK_INT, Scalar
from unisycl.passes.simd import choices

F = Scalar(d.FLOAT32)
INDEX = n.Read(WEAK_INT, n.Local("k", WEAK_INT))
PARAMS = tuple(n.Param(f"p{k}", F, k) for k in range(20))
OPS = {"add": operator.add, "sub": operator.sub, "or": operator.or_, "eq": operator.eq,
       "lt": operator.lt, "gt": operator.gt, "ge": operator.ge, "ne": operator.ne}


def value(x: n.Expr, k: int) -> object:
    """Return what an expression is where the index is ``k``; parameters by number."""
    match x:
        case n.Const():
            return x.value
        case n.Read():
            return k
        case n.ParamRead():
            return x.param.index
        case n.Select():
            return value(x.a if value(x.cond, k) else x.b, k)
        case n.Cast():
            return value(x.x, k)
        case n.Compare() | n.Binary():
            return OPS[x.op](value(x.a, k), value(x.b, k))
        case n.Load() if isinstance(x.place.base, Table):
            return x.place.base.values[value(x.place.index[0], k)]
        case n.Load():
            (at, step), = x.place.inner
            assert step == 8
            return x.place.base.index + value(at, k)
    raise AssertionError(x)


def chain(leaves: list[n.Expr], op: str = "eq", first: int = 0, step: int = 1) -> n.Expr:
    *most, result = leaves
    for k, leaf in reversed(list(enumerate(most))):
        test = n.Compare(BOOL, op, INDEX, n.Const(WEAK_INT, first + step * k))
        result = n.Select(leaf.type, test, leaf, result)
    return result


def loaded(x: n.Expr) -> n.Expr:
    out = n.Local("out", x.type)
    kernel = n.Kernel("k", PARAMS, (n.Assign(out, x),), "range", 1)
    (made,) = choices.run(kernel).body
    assert isinstance(made, n.Assign)
    return made.value


NUMBERS = [n.Const(F, 0.5 * k) for k in range(20)]
READ = [n.ParamRead(F, p) for p in PARAMS]


@pytest.mark.parametrize("leaves", [NUMBERS, READ, READ[:12], READ[::-1], READ[::2],
                                    [*READ[3:], *READ[:5]]])
@pytest.mark.parametrize(("op", "first", "step"), [
    ("eq", 0, 1), ("eq", -7, 1), ("lt", 0, 1), ("gt", 40, -2), ("eq", 5, 3), ("ge", 9, -1)])
def test_every_index_gives_the_number_it_gave(leaves: list[n.Expr], op: str, first: int,
                                              step: int) -> None:
    x = chain(leaves, op, first, step)
    made = loaded(x)
    assert any(isinstance(y, n.Load) for y in visit.walk(made))
    for k in (*range(-80, 81), -2**63, 2**63 - 1, 2**32, -2**32):
        assert value(x, k) == value(made, k), k


def test_what_is_no_long_choice_by_one_integer_stays() -> None:
    other = n.Read(WEAK_INT, n.Local("m", WEAK_INT))
    two = n.Select(F, n.Compare(BOOL, "eq", other, n.Const(WEAK_INT, 1)), NUMBERS[0],
                   chain(NUMBERS[:7]))
    far = chain(NUMBERS, step=10**6)
    for x in (two, far, chain(NUMBERS[:5]), chain([*NUMBERS[:9], READ[0]])):
        assert loaded(x) is x


WHOLE = tuple(range(12))
SINGLES = tuple(np.float32(k) for k in range(12))
out = np.zeros(64, np.float32)


def loops(kernel: object) -> list[tuple[tuple[str, int], ...]]:
    made = choices.run(specialize(kernel, "range", 1, (), ()).kernel)
    assert sum(isinstance(x, n.Select) for x in visit.all_expressions(made.body)) <= 6
    return [s.controls for s in visit.statements(made.body) if isinstance(s, n.For)]


def test_short_loops_over_a_tuple_are_unrolled_and_no_others() -> None:
    def nested(i):  # type: ignore[no-untyped-def]
        for j in range(3):
            for k in range(4):
                out[i] += WHOLE[4 * j + k] + SINGLES[4 * j + k]

    def long(i):  # type: ignore[no-untyped-def]
        for j in range(1000):
            out[i] += WHOLE[j % 12]

    def by_another(i):  # type: ignore[no-untyped-def]
        for j in range(5):
            out[i] += WHOLE[i % 12] * j
    assert [(("unroll", 0),)] * 2 == loops(nested)
    assert [()] == loops(long)
    assert [()] == loops(by_another)
