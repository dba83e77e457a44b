"""Function objects and their identities."""

import pickle

import numpy as np
import pytest

from unisycl.base.errors import UsageError
from unisycl.lang.numbers import function_objects as f


def test_function_objects_combine_and_may_be_spelled_as_in_cpp():
    assert (f.plus(2, 3), f.multiplies(2, 3), f.bit_xor(6, 3)) == (5, 6, 5)
    assert (f.minimum(2, 3), f.maximum(2, 3), f.logical_and(2, 0), f.logical_or(0, 2)) == (
        2, 3, False, True)
    assert f.plus() is f.plus
    assert f.plus[np.float32] is f.plus
    assert pickle.loads(pickle.dumps(f.minimum)) is f.minimum
    with pytest.raises(UsageError, match="combines 2 operands"):
        f.plus(1)


@pytest.mark.row("D-31")
@pytest.mark.parametrize(("op", "dtype", "identity"), [
    (f.plus, "i4", 0), (f.multiplies, "f4", 1), (f.bit_and, "u1", 255), (f.bit_and, "i2", -1),
    (f.bit_or, "i8", 0), (f.bit_xor, "i8", 0), (f.logical_and, "?", True),
    (f.logical_or, "?", False),
    (f.minimum, "i2", 32767), (f.maximum, "i2", -32768), (f.minimum, "f4", np.inf),
    (f.maximum, "f8", -np.inf)])
def test_known_identities(op, dtype, identity):
    assert f.has_known_identity(op, dtype)
    assert f.known_identity(op, dtype) == identity
    assert f.known_identity(op, dtype).dtype == np.dtype(dtype)


@pytest.mark.parametrize(("op", "dtype"), [
    (f.bit_and, "f4"), (f.logical_and, "i4"), (lambda a, b: a, "i4"), (f.multiplies, "c8")])
def test_where_no_identity_is_known_it_is_said(op, dtype):
    assert not f.has_known_identity(op, dtype)
    with pytest.raises(UsageError, match="no identity is known"):
        f.known_identity(op, dtype)


@pytest.mark.parametrize("op", [f.plus, f.multiplies, f.minimum, f.maximum])
@pytest.mark.parametrize("dtype", ["i1", "u4", "i8", "f2", "f4", "f8"])
def test_identities_leave_values_alone(op, dtype):
    x = np.dtype(dtype).type(37)
    assert op(f.known_identity(op, dtype), x) == x == op(x, f.known_identity(op, dtype))
