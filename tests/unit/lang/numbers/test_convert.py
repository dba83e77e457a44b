"""Conversion to an element type."""

import numpy as np
import pytest

from unisycl.lang.numbers.convert import convert


@pytest.mark.parametrize(("value", "dtype", "expected"), [
    (300, "u1", 44), (-1, "u4", 2**32 - 1), (2**31, "i4", -(2**31)), (2**70 + 3, "i8", 3),
    (2.9, "i4", 2), (-2.9, "i4", -2), (np.int64(-1), "u2", 65535), (np.float32(1.5), "f8", 1.5),
    (7, "?", True), (0.0, "?", False), (1e300, "f4", np.inf), (3, "f2", 3)])
def test_integers_wrap_floats_truncate(value, dtype, expected):
    got = convert(value, np.dtype(dtype))
    assert got == expected
    assert got.dtype == np.dtype(dtype)


def test_what_fits_nowhere_raises_nothing():
    for value in (float("nan"), float("inf"), np.float64(-1e40)):
        assert convert(value, np.dtype("i4")).dtype == np.int32
