"""Builtins as callables."""

import pickle

import numpy as np
import pytest

from unisycl.base.errors import UsageError
from unisycl.ir.builtins import BUILTINS
from unisycl.lang import math
from unisycl.lang.place import Space
from unisycl.lang.range_item import item


@pytest.mark.parametrize("name", BUILTINS)
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


def test_domain_errors_are_silent_nans():
    assert np.isnan(math.sqrt(-1.0))
    assert math.log(np.float32(0)) == -np.inf


def test_builtins_pickle_by_name():
    assert pickle.loads(pickle.dumps(math.sqrt)) is math.sqrt
