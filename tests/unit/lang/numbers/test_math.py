"""Builtins as callables."""

import pickle

import numpy as np
import pytest

from unisycl.base.errors import UsageError
from unisycl.ir.builtins import BUILTINS
from unisycl.lang.index.item import item
from unisycl.lang.index.place import Space
from unisycl.lang.numbers import math


@pytest.mark.parametrize("name", [n for n in BUILTINS if "." not in n])
def test_every_row_is_a_callable_with_a_docstring(name):
    function = getattr(math, name)
    assert function is getattr(math, name)
    assert function.row is BUILTINS[name]
    assert f"SYCL 2020 §{function.row.section}" in function.__doc__
    assert name in dir(math)


def test_types_follow_numpy():
    assert math.sqrt(np.float32(4)).dtype == np.float32
    assert math.sqrt(np.int32(4)).dtype == np.float64
    assert math.fmax(np.float32(1), 2.5).dtype == np.float32
    assert math.isnan(np.float32(1)) == np.False_
    assert type(math.clz(5)) is int
    assert math.popcount(np.uint8(7)).dtype == np.uint8


def test_an_item_counts_as_its_int():
    assert math.sqrt(item._make((9,), Space((10,), (0,)))) == 3


def test_wrong_operands_are_refused():
    with pytest.raises(UsageError, match="takes 1 operand"):
        math.sqrt(1, 2)
    with pytest.raises(UsageError, match="takes integers"):
        math.clz(1.5)
    with pytest.raises(UsageError, match="takes numbers, not str"):
        math.sqrt("4")
    with pytest.raises(AttributeError, match="no builtin 'nonsense'"):
        _ = math.nonsense


def test_signatures_decide_types():
    fraction, exponent = math.frexp(np.float16(8))
    assert (fraction, exponent) == (0.5, 4)
    assert (np.float16, np.int32) == (type(fraction), type(exponent))
    assert type(math.upsample(np.int8(-1), np.uint8(3))) is np.int16
    assert type(math.select(1, 2, np.bool_(True))) is int
    assert type(math.nan(0)) is float
    assert type(math.native_exp(0.5)) is np.float32
    assert type(math.mul24(np.int8(3), 4)) is np.int32


@pytest.mark.parametrize(("name", "operands", "text"), [
    ("upsample", (1, 2), "integers of at most 32 bits"),
    ("upsample", (np.int8(1), np.uint16(2)), "as wide as the first"),
    ("mul24", (np.int64(1), 2), "integers of 32 bits"),
    ("native_exp", (np.float64(1),), "takes float32"),
    ("pown", (1.0, 2.0), "takes an integer"),
    ("nan", (np.uint8(1),), "an unsigned integer")])
def test_operands_of_wrong_types_are_refused(name, operands, text):
    with pytest.raises(UsageError, match=text):
        getattr(math, name)(*operands)


def test_domain_errors_are_silent_nans():
    assert np.isnan(math.sqrt(-1.0))
    assert math.log(np.float32(0)) == -np.inf


def test_builtins_pickle_by_name():
    assert pickle.loads(pickle.dumps(math.sqrt)) is math.sqrt
