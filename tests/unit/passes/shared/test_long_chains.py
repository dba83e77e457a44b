"""Branches that nest very deeply, cut into pieces one after another."""

from __future__ import annotations

import pytest

from unisycl.base import dtypes
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, Scalar
from unisycl.passes.shared import long_chains

INT32 = Scalar(dtypes.INT32)
X, Y = n.Local("x", INT32), n.Local("y", INT32)


def chain(depth, *, ends_in="orelse"):
    """Return ``if x == 0: y = 0 elif x == 1: y = 1 ...``, or ``if x != 0: if x != 1: ...``."""
    block = ()
    for k in reversed(range(depth)):
        test = n.Compare(BOOL, "eq", n.Read(INT32, X), n.Const(INT32, k))
        here = (n.Assign(Y, n.Const(INT32, k)),)
        block = (n.If(test, here, block),) if ends_in == "orelse" else (
            n.If(n.Unary(BOOL, "not", test), (*here, *block)),)
    return block


def depth(block):
    return max((1 + max(depth(s.then), depth(s.orelse)) for s in block if isinstance(s, n.If)),
               default=0)


def run(block, values):
    for s in block:
        if isinstance(s, n.If):
            run(s.then if value(s.cond, values) else s.orelse, values)
        else:
            values[s.local] = value(s.value, values)


def value(x, values):
    match x:
        case n.Const():
            return x.value
        case n.Read():
            return values[x.local]
        case n.Unary():
            return not value(x.x, values)
        case n.Compare():
            return value(x.a, values) == value(x.b, values)
    raise AssertionError(x)


@pytest.mark.parametrize("side", ["orelse", "then"])
def test_a_long_chain_means_the_same_and_is_shallow(side):
    before = chain(150, ends_in=side)
    after = long_chains.run(before)
    assert depth(before) == 150
    assert depth(after) <= 17
    for x in (*range(0, 150, 7), 149, 150, -1):
        old, new = {X: x, Y: -5}, {X: x, Y: -5}
        run(before, old)
        run(after, new)
        assert old[Y] == new[Y]


def test_a_short_chain_is_the_same_object():
    before = chain(12)
    assert long_chains.run(before) is before


def test_chains_inside_others_and_in_loops_are_cut_too():
    inner = chain(60)
    loop = n.While((), n.Const(BOOL, True), inner)
    block = (n.If(n.Read(BOOL, n.Local("c", BOOL)), (*inner, loop)),)
    after = long_chains.run(block)
    assert depth(after) <= 18
    assert depth(after[0].then[-1].body) <= 17
