"""``round(x, n)`` of Python's numbers gives the float that Python gives, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
RNG = np.random.default_rng(20)
FLOATS = np.concatenate([
    RNG.random(200) * 1000, np.round(RNG.random(300) * 100, 3) + 0.005,
    RNG.integers(-10000, 10000, 200) / 8, RNG.integers(-10 ** 6, 10 ** 6, 200) * 5.0,
    RNG.random(100) * 1e15, RNG.integers(-2 ** 63, 2 ** 63, 200).view(np.float64),
    [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 2.675, 1.005, 0.285, -2.5e-3, 1e22, 1e15 + 0.3]])
WHOLES = RNG.integers(-10 ** 6, 10 ** 6, len(FLOATS))


def test_floats_are_rounded_as_python_rounds_them(device):
    def kernel(i, x, out):
        v = float(x[i])
        out[i, 0], out[i, 1], out[i, 2] = round(v, 0), round(v, 2), round(v, ndigits=5)
        out[i, 3], out[i, 4], out[i, 5] = round(v, 15), round(v, -1), round(v, -3)
        out[i, 6], out[i, 7] = round(v, 22), round(v, -22)
    out, expected = np.zeros((len(FLOATS), 8)), np.zeros((len(FLOATS), 8))
    sycl.queue(device).parallel_for(len(FLOATS), kernel, FLOATS, out).wait()
    for i in range(len(FLOATS)):
        kernel(i, FLOATS, expected)
    same = (out.view(np.int64) == expected.view(np.int64)) | (np.isnan(out) & np.isnan(expected))
    assert [(FLOATS[i], out[i, k], expected[i, k]) for i, k in zip(*np.nonzero(~same))] == []


def test_integers_are_rounded_as_python_rounds_them(queue):
    def build(x, out):
        def kernel(i):
            v = int(x[i])
            out[i, 0], out[i, 1], out[i, 2] = round(v, -1), round(v, -3), round(v, 2)
            out[i, 3], out[i, 4] = round(v * 50000, -5), round(v, -18)
            out[i, 5] = round(v, None) + round(v / 7, None) + round(v > 0, 1)
        return kernel
    agree(queue, build, len(WHOLES), x=WHOLES, out=ints(len(WHOLES), 6))


@pytest.mark.parametrize("digits", [23, -23])
def test_more_digits_than_powers_of_ten_are_floats_are_refused(queue, digits):
    def kernel(i, out):
        out[i] = round(i * 0.5, digits)
    with pytest.raises(sycl.exception, match="K049.*-22 to 22"):
        queue.parallel_for(1, kernel, np.zeros(1))
