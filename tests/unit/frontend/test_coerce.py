"""Typing rules against NumPy's own, pair by pair."""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

from unisycl.base.dtypes import BOOL, DTYPES, FLOAT16, FLOAT32, FLOAT64, INT8, INT32, UINT8, UINT64
from unisycl.frontend import coerce
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_BOOL, WEAK_FLOAT, WEAK_INT, Scalar

OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul,
             "div": operator.truediv, "floordiv": operator.floordiv, "mod": operator.mod,
             "pow": operator.pow, "shl": operator.lshift, "shr": operator.rshift,
             "and": operator.and_, "or": operator.or_, "xor": operator.xor}
WEAK = {WEAK_BOOL: True, WEAK_INT: 1, WEAK_FLOAT: 1.0}


def value(type):
    return WEAK[type] if type.weak else type.dtype.numpy.type(1)


def numpys(op, a, b):
    try:
        with np.errstate(all="ignore"):
            found = OPERATORS[op](value(a), value(b))
    except TypeError:
        return None
    if isinstance(found, np.generic):
        return Scalar(DTYPES[found.dtype.name]) if found.dtype.name in DTYPES else None
    return {bool: WEAK_BOOL, int: WEAK_INT, float: WEAK_FLOAT}[type(found)]


TYPES = [*(Scalar(d) for d in DTYPES.values()), *WEAK]


@pytest.mark.parametrize("op", OPERATORS)
def test_arithmetic_types_are_numpys(op):
    wrong = []
    for a, b in itertools.product(TYPES, TYPES):
        expected, found = numpys(op, a, b), coerce.arithmetic(op, a, b)
        refused = found is None or (op in ("and", "or", "xor", "shl", "shr")
                                    and found.dtype.is_float) or (
            op == "sub" and found.dtype is BOOL and not found.weak)
        if (None if refused else found) != expected:
            wrong.append((str(a), str(b), str(expected), str(found)))
    assert wrong == []


def test_functions_of_floats_compute_integers_in_double_and_numpys_own_in_less():
    assert Scalar(FLOAT64) == coerce.floating(Scalar(INT8))
    assert Scalar(FLOAT16) == coerce.floating(Scalar(INT8), narrow=True)
    assert Scalar(FLOAT32) == coerce.floating(Scalar(FLOAT32), WEAK_INT)


def test_constants_fold_exactly_and_strong_ones_wrap():
    big = coerce.binary("shl", n.Const(WEAK_INT, 1), n.Const(WEAK_INT, 80), WEAK_INT)
    assert n.Const(WEAK_INT, 1 << 80) == big
    small = Scalar(UINT8)
    total = coerce.binary("add", n.Const(small, 200), n.Const(small, 100), small)
    assert n.Const(small, 44) == total
    assert n.Const(small, 0) == coerce.binary("shl", n.Const(small, 1), n.Const(small, 99), small)


def test_division_of_constants_by_zero_is_left_to_the_device():
    zero = n.Const(WEAK_INT, 0)
    assert isinstance(coerce.binary("floordiv", n.Const(WEAK_INT, 1), zero, WEAK_INT), n.Binary)


def test_a_literal_that_does_not_fit_is_noticed():
    with pytest.raises(coerce.DoesNotFit) as caught:
        coerce.cast(n.Const(WEAK_INT, 256), Scalar(UINT8))
    assert (256, Scalar(UINT8)) == (caught.value.value, caught.value.type)
    assert n.Const(Scalar(UINT8), 0) == coerce.convert(n.Const(WEAK_INT, 256), Scalar(UINT8))


def test_comparisons_with_what_no_value_reaches_are_decided():
    x = n.Read(Scalar(UINT8), n.Local("x", Scalar(UINT8)))
    for op, expected in (("lt", True), ("ge", False), ("eq", False), ("ne", True)):
        assert expected is coerce.compare(op, x, n.Const(WEAK_INT, 300)).value
        assert expected is coerce.compare(
            {"lt": "gt", "ge": "le"}.get(op, op), n.Const(WEAK_INT, 300), x).value
    assert coerce.compare("gt", x, n.Const(WEAK_INT, -1)).value is True


def test_signed_and_unsigned_compare_exactly():
    a = n.Read(Scalar(DTYPES["int64"]), n.Local("a", Scalar(DTYPES["int64"])))
    b = n.Read(Scalar(UINT64), n.Local("b", Scalar(UINT64)))
    assert isinstance(coerce.compare("lt", a, b), n.Select)


def test_bools_add_as_or_and_multiply_as_and():
    b = n.Read(Scalar(BOOL), n.Local("b", Scalar(BOOL)))
    assert "or" == coerce.binary("add", b, b, Scalar(BOOL)).op
    assert "and" == coerce.binary("mul", b, b, Scalar(BOOL)).op


def test_identities_disappear_for_integers_only():
    i = n.Read(Scalar(INT32), n.Local("i", Scalar(INT32)))
    f = n.Read(Scalar(FLOAT32), n.Local("f", Scalar(FLOAT32)))
    assert i is coerce.binary("add", i, n.Const(WEAK_INT, 0), Scalar(INT32))
    assert isinstance(coerce.binary("add", f, n.Const(WEAK_INT, 0), Scalar(FLOAT32)), n.Binary)
