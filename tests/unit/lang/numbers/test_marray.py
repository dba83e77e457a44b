"""``marray`` as an ordinary Python object, and with NumPy."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import unisycl as sycl
from unisycl.lang.numbers.marray import ALIASES


def test_types_and_aliases():
    assert sycl.marray(np.float32, 4) is sycl.mfloat4
    assert sycl.marray[np.bool_, 3] is sycl.mbool3
    assert sycl.marray("int16", 7).dtype.itemsize == 14
    assert sycl.mfloat3.dtype.itemsize == 12
    assert len(ALIASES) == 60
    assert pickle.loads(pickle.dumps(sycl.marray(np.int8, 5))) is sycl.marray(np.int8, 5)
    assert pickle.loads(pickle.dumps(sycl.marray)) is sycl.marray


def test_values():
    five = sycl.marray(np.float32, 5)
    a = five(1, 2, sycl.mfloat3(3, 4, 5))
    assert isinstance(a, sycl.marray)
    assert not isinstance(a, sycl.vec)
    assert tuple(a * 2 - a) == (1, 2, 3, 4, 5)
    assert repr(a > 3) == "marray(bool, 5)(False, False, False, True, True)"
    a[1] = 9
    assert list(a) == [1, 9, 3, 4, 5]
    assert tuple(np.sqrt(sycl.mfloat2(4, 9))) == (2, 3)
    assert tuple(~sycl.mbool2(True, False)) == (False, True)
    assert tuple(sycl.logical_or(sycl.mint2(0, 3), sycl.mint2(0, 0))) == (False, True)
    assert tuple(pickle.loads(pickle.dumps(a))) == tuple(a)


def test_arrays():
    five = sycl.marray(np.int16, 5)
    a = np.zeros(3, five)
    a[1] = five(0, 1, 2, 3, 4)
    assert a.view(np.int16).reshape(3, 5)[1].tolist() == [0, 1, 2, 3, 4]
    assert isinstance(a[1], five)


@pytest.mark.parametrize(("wrong", "text"), [
    (lambda: sycl.marray(np.float32, 0), "0 elements are not possible"),
    (lambda: sycl.marray(np.float32, 5000), "5000 elements are not possible"),
    (lambda: sycl.mfloat2(1, 2).x, "no attribute 'x'"),
    (lambda: sycl.mfloat2(1) + sycl.float2(1), "not defined for mfloat2 and float2"),
    (lambda: sycl.mfloat2(1) + sycl.mfloat3(1), "not defined for mfloat2 and mfloat3"),
    (lambda: sycl.mfloat2(sycl.float2(1)), "cannot take a float2"),
    (lambda: sycl.mfloat2(1) % 2, "needs integers"),
    (lambda: sycl.mbool2(1) + 1, "not defined"),
    (lambda: bool(sycl.mint2(1) == 1), "ambiguous"),
])
def test_wrong_uses_say_what_is_wrong(wrong, text):
    with pytest.raises((sycl.exception, AttributeError, TypeError), match=text):
        wrong()
