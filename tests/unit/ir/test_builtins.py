"""The table of builtins is complete in itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unisycl.ir.builtins import BUILTINS, BY_MATH, BY_NUMPY
from unisycl.ir.builtins.row import Bound

KINDS = {"f": np.float32, "i": np.int16, "n": np.int16, "s": np.float32, "j": np.int32,
         "k": np.int32, "b": np.bool_, "u": np.uint16}
RESULTS = KINDS | {"w": np.int32, "v": np.float16}


@pytest.mark.parametrize("row", BUILTINS.values(), ids=str)
def test_a_row_says_what_it_must(row):
    assert 1 <= row.arity <= 3
    assert set(row.operands) <= set(KINDS)
    assert set(row.results) <= set(RESULTS)
    assert row.doc.endswith(".")
    assert row.section.startswith("4.17.")
    if row.parts:
        assert row.llvm == ""
        assert [BUILTINS[p].operands for p in row.parts] == [row.operands] * len(row.parts)
        assert "".join(BUILTINS[p].results for p in row.parts) == row.results
    else:
        assert len(row.results) == 1
        assert row.llvm.split(":")[0] in ("expand", "cmp", "sat") or row.llvm.startswith("llvm.")


@pytest.mark.parametrize("row", BUILTINS.values(), ids=str)
def test_the_host_meaning_has_the_types_of_the_signature(row):
    with np.errstate(all="ignore"):
        found = row.host(*[KINDS[x](1) for x in row.operands])
    assert [RESULTS[x] for x in row.results] == [
        type(x) for x in (found if row.parts else (found,))]


@pytest.mark.parametrize("kind", [np.float16, np.float64])
@pytest.mark.parametrize("row", [r for r in BUILTINS.values() if "f" in r.operands], ids=str)
def test_floats_keep_their_type(row, kind):
    with np.errstate(all="ignore"):
        found = row.host(*[kind(1) if x == "f" else KINDS[x](1) for x in row.operands])
    for letter, x in zip(row.results, found if row.parts else (found,), strict=True):
        assert type(x) is (kind if letter == "f" else RESULTS[letter])


@pytest.mark.parametrize("row", [r for r in BUILTINS.values() if set(r.operands) == {"f"}], ids=str)
def test_no_number_raises(row):
    edges = [np.float32(x) for x in (0.0, -0.0, 1, -1, -2.5, 3e38, 1e-45, math.inf, -math.inf,
                                     math.nan)]
    with np.errstate(all="ignore"):
        for x in edges:
            for y in edges if row.arity > 1 else (x,):
                found = row.host(*(x, y, x)[:row.arity])
                assert len(row.results) == len(found if row.parts else (found,))


def test_names_of_numpy_and_math_lead_to_the_same_rows():
    assert BY_NUMPY["arctan2"] is BUILTINS["atan2"] is BY_MATH["atan2"]
    assert all(hasattr(np, name) for name in BY_NUMPY)
    assert all(hasattr(math, name) for name in BY_MATH)


def test_a_bound_has_units_for_each_type():
    bound = Bound(2, 4, 5)
    assert (2, 4, 5) == tuple(bound.ulp(bits) for bits in (16, 32, 64))


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_fma_rounds_once_where_rounding_twice_would_show(kind):
    info = np.finfo(kind)
    one, ulp, tiny = kind(1), kind(info.eps), kind(info.smallest_subnormal)
    fma = BUILTINS["fma"].host
    # Half a unit, and a crumb that a first rounding of the sum loses: up, then down.
    half = kind(info.eps / 2)
    assert fma(one, one + ulp, half) == one + 2 * ulp  # a tie, to even
    assert fma(half, kind(1) + ulp, one) == one + ulp  # just above a tie
    assert fma(half, kind(1) - half, one) == one  # just below
    assert fma(one + ulp, one - ulp, -one) == -ulp * ulp
    assert fma(tiny, kind(0.5), kind(0)) == 0
    assert fma(tiny, kind(1.5), kind(0)) == 2 * tiny
    with np.errstate(over="ignore"):
        assert np.isinf(fma(kind(info.max), kind(2), kind(info.max)))
    assert fma(kind(info.max), kind(2), -kind(info.max)) == info.max
