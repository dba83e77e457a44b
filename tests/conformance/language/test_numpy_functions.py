"""NumPy's functions of numbers against NumPy: values and types, for every type of operand."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints
from unisycl.testing.refusal import needed

pytestmark = pytest.mark.row("D-11")
TYPES = [np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64,
         np.uint64, np.float16, np.float32, np.float64]
VALUES = {"b": [0, 1], "u": [0, 1, 2, 7, 200], "i": [0, 1, -1, 7, -100, -128, 127],
          "f": [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 100.25, np.inf, -np.inf, np.nan]}
ONE = {
    "sign": np.sign, "square": np.square, "negative": np.negative, "positive": np.positive,
    "invert": np.invert, "reciprocal": np.reciprocal, "round": np.round, "around": np.around,
    "bitwise_count": np.bitwise_count, "tenths": lambda x: np.round(x, 1),
    "clip": lambda x: np.clip(x, 0, 5), "clip_floats": lambda x: np.clip(x, -0.5, 1.5),
    "clip_low": lambda x: np.clip(x, None, 3),
    "clip_high": lambda x: np.clip(x, a_min=2, a_max=None),
    "clip_types": lambda x: np.clip(x, np.int16(-3), np.int16(9)),
    "clip_wide": lambda x: np.clip(x, -300, 70000), "float_power": lambda x: np.float_power(x, 2),
    "heaviside": lambda x: np.heaviside(x, 0.5), "divide": lambda x: np.divmod(x, 3)[1],
    "gcd": lambda x: np.gcd(x, 12), "lcm": lambda x: np.lcm(x, 4), "decimal": lambda x: round(x, 1),
    "bit_count": lambda x: np.int64(x.bit_count()), "whole": lambda x: np.bool_(x.is_integer()),
}


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", TYPES)
def test_functions_of_one_number(queue, name, dtype):
    fn = ONE[name]
    x = np.array(VALUES[np.dtype(dtype).kind], np.float64).astype(dtype)
    try:
        with np.errstate(all="ignore"):
            expected = [fn(v) for v in x]
    except (TypeError, AttributeError, OverflowError):
        expected = None
    out, same = np.zeros(len(x), np.float64), np.zeros(len(x), np.bool_)
    kind = np.dtype(np.float64) if expected is None else expected[0].dtype

    def kernel(i):
        y = fn(x[i])
        out[i] = y
        same[i] = y.dtype == kind
    if expected is None or (name == "reciprocal" and x.dtype.kind in "iub") \
            or (name in ("round", "around", "tenths") and dtype is np.bool_):
        if not all(queue.get_device().has(a) for a in needed([x.dtype])):
            pytest.skip("what the language lacks is refused before what the device lacks")
        with pytest.raises(sycl.KernelError, match="K0(36|57|32)"):
            queue.parallel_for(len(x), kernel)
        return
    queue.parallel_for(len(x), kernel).wait()
    np.testing.assert_array_equal(out, np.array(expected).astype(np.float64))
    assert same.all()
    if name == "sign":
        assert np.array_equal(np.signbit(out), np.signbit(np.array(expected, np.float64)))


def test_functions_of_pythons_numbers(queue):
    def build(out):
        def kernel(i):
            k = i - 5
            v = k / 4
            out[i, 0] = np.sign(k) + np.square(k) / 2 + np.clip(k, -2, 3) + np.clip(v, 0, 1)
            out[i, 1] = (k.bit_length() + 10 * k.bit_count() + 100 * (7).bit_length()
                         + 1000 * v.is_integer())
            out[i, 2] = np.sign(v) + np.round(v, 1) + np.gcd(k, 4) + np.negative(k)
            quotient, rest = np.divmod(k, 3)
            out[i, 3] = quotient * 10 + rest + np.clip(v, min=-0.5, max=0.75)
        return kernel
    agree(queue, build, 11, out=np.zeros((11, 4)))


def test_questions_about_types_are_answered_while_compiling(queue):
    def build(x, k, out):
        def biggest(a):
            if np.issubdtype(a.dtype, np.floating):
                return np.finfo(a.dtype).max
            return np.iinfo(a.dtype).max

        def kernel(i):
            out[i, 0] = biggest(k) if i % 2 else np.iinfo(np.int16).min
            out[i, 1] = x.dtype.itemsize + 10 * np.dtype(np.int16).itemsize + 100 * k.dtype.num
            own = np.zeros(np.iinfo(np.uint8).bits, np.float32)
            out[i, 2] = len(own) + np.finfo(np.float32).bits + (x.dtype.kind == "f")
            out[i, 3] = np.finfo(x.dtype).eps * 2.0 ** 23 + type(x[i])(7) / type(k[i])(2)
            out[i, 4] = (np.issubdtype(x.dtype, np.integer)
                         + 2 * np.issubdtype(k[i].dtype, np.integer))
            out[i, 5] = np.result_type(x.dtype, k.dtype) == np.float64
            if issubclass(type(k[i]), np.integer) and np.finfo(np.float64).tiny > 0:
                out[i, 5] += biggest(x) > 3e38
        return kernel
    agree(queue, build, 4, x=np.ones(4, np.float32), k=np.ones(4, np.int32), out=np.zeros((4, 6)))


KEY = b"\x00kernel\xff"


def test_bytes_are_numbers(queue):
    def build(k, out):
        def kernel(i):
            out[i, 0] = KEY[3] + KEY[-1] + KEY[i % len(KEY)] + len(KEY)
            for c in KEY:
                out[i, 1] = out[i, 1] * 31 + c
            out[i, 2] = sum(c for c in b"abc") + ord("a") + ord(b"z") + max(KEY) + (97 in b"abc")
            out[i, 3] = (k[i] in KEY) + (k[i] + ord("k") in KEY)
            a, b = b"xy"
            out[i, 4] = a * b + sum(j * c for j, c in enumerate(KEY))
        return kernel
    agree(queue, build, 9, k=np.arange(9, dtype=np.uint8), out=ints(9, 5))


def test_constants_are_computed_from_captured_integers(queue):
    out = np.zeros((3, 12), np.int64)
    for row, n in enumerate((2, 3, 2)):
        def kernel(it):
            i = it.get_id(n // 2 - 1)
            own = sycl.private_array(np.int32, (2 * n, max(n - 1, 1)))
            table = tuple(range(n + 1, 3 * n, n - 1))
            for j in range(2 * n):
                own[j, 0] = j * i
            out[row, i] = own[2 * n - 1, 0] + len(table) * 1000 + table[-1] * 100000
        queue.parallel_for(12, kernel).wait()
        table = range(n + 1, 3 * n, n - 1)
        expected = np.arange(12) * (2 * n - 1) + len(table) * 1000 + table[-1] * 100000
        np.testing.assert_array_equal(out[row], expected)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int8, np.int32])
def test_logarithms_of_sums_of_exponentials(queue, dtype):
    values = VALUES["f" if np.issubdtype(dtype, np.floating) else "i"]
    x, y = (np.array(v, np.float64).astype(dtype).ravel()
            for v in np.meshgrid(values, [*values, -3, 3]))
    with np.errstate(all="ignore"):
        wanted = np.stack([np.logaddexp(x, y), np.logaddexp2(x, y)])

    def kernel(i, x, y, out):
        out[0, i] = np.logaddexp(x[i], y[i])
        out[1, i] = np.logaddexp2(x[i], y[i])
    if not all(queue.get_device().has(a) for a in needed([wanted.dtype])):
        pytest.skip("the device lacks the type")
    out = np.zeros_like(wanted)
    queue.parallel_for(len(x), kernel, x, y, out).wait()
    near = 4 * np.finfo(wanted.dtype).eps
    np.testing.assert_allclose(out, wanted, rtol=near, atol=near)
