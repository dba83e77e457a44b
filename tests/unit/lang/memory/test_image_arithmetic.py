"""The arithmetic on NumPy numbers rounds as compiled code does."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from unisycl.base.dtypes import FLOAT32, INT32, UINT16
from unisycl.lang.memory.image_arithmetic import Numbers, Scalars, fused, fused_one


def test_fused_products_are_rounded_once() -> None:
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 500)).astype("f4")
    c *= (10.0 ** rng.integers(-8, 8, 500)).astype("f4")
    c[:100] = -(a[:100].astype("f8") * b[:100]).astype("f4")
    for x, y, z, ours in zip(a, b, c, fused(a, b, c), strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        gap = abs(Fraction(float(ours)) - exact)
        for way in (-np.inf, np.inf):
            assert gap <= abs(Fraction(float(np.nextafter(ours, np.float32(way)))) - exact)


def test_rounding_twice_would_be_seen() -> None:
    a, b = np.float32(1 + 2.0 ** -12), np.float32(1 + 2.0 ** -12)
    c = np.float32(2.0 ** -60)  # just above the middle between two float32 numbers
    assert fused(a, b, c) == np.float32(1 + 2.0 ** -11 + 2.0 ** -23)


@pytest.mark.parametrize("n", [Numbers(), Scalars()], ids=["arrays", "scalars"])
def test_numbers_convert_and_keep_bits(n: Numbers) -> None:
    assert n.cast(np.float32(-2.9), INT32) == -2
    assert n.cast(np.uint32(70000), UINT16) == 70000 - 65536
    assert n.bitcast(np.float32(1), INT32) == 0x3F800000
    assert n.bitcast(np.float16(1), UINT16) == 0x3C00
    assert n.select(np.True_, n.const(2, FLOAT32), n.const(3, FLOAT32)) == 2
    assert n.call("max", np.float32(0), np.float32(np.nan)) == 0
    assert n.call("min", np.int32(3), np.int32(-4)) == -4
    assert n.call("floor", np.float32(-0.5)) == -1
    with np.errstate(all="ignore"):
        assert isinstance(n.binary("div", np.float32(1), np.float32(0)), np.float32)
    assert n.call("fma", np.float32(2), np.float32(3), np.float32(4)) == 10


def test_one_product_is_fused_as_arrays_are() -> None:
    rng = np.random.default_rng(1)
    a, b, c = rng.standard_normal((3, 300)).astype("f4")
    c[:100] = -(a[:100].astype("f8") * b[:100]).astype("f4")
    a[0], b[1], c[2] = np.nan, np.inf, -np.inf
    with np.errstate(all="ignore"):
        whole = fused(a, b, c)
    single = [fused_one(*row) for row in zip(a, b, c, strict=True)]
    np.testing.assert_array_equal(np.array(single), whole)
