"""Functions of Python's ``math``: no exceptions without checks, Python's own with them."""

from __future__ import annotations

import cmath
import math
from math import sqrt as root

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language import logarithms
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
inf, nan = math.inf, math.nan
BAD = [
    ("exp", (1000.0,), inf), ("expm1", (1000.0,), inf), ("cosh", (1000.0,), inf),
    ("sinh", (-1000.0,), -inf), ("sqrt", (-1.0,), nan), ("log", (0.0,), -inf),
    ("log", (-2.0,), nan), ("log2", (0.0,), -inf), ("log10", (-1.0,), nan),
    ("log1p", (-1.0,), -inf), ("sin", (inf,), nan), ("cos", (-inf,), nan), ("tan", (inf,), nan),
    ("asin", (2.0,), nan), ("acos", (-2.0,), nan), ("acosh", (0.5,), nan), ("atanh", (1.0,), inf),
    ("atanh", (2.0,), nan), ("fmod", (1.0, 0.0), nan), ("fmod", (inf, 2.0), nan),
    ("remainder", (1.0, 0.0), nan), ("pow", (0.0, -1.0), inf), ("pow", (-8.0, 0.5), nan),
    ("pow", (10.0, 400.0), inf), ("gamma", (0.0,), inf), ("gamma", (200.0,), inf),
    ("gamma", (-1.0,), nan), ("lgamma", (-3.0,), inf), ("lgamma", (1e306,), inf),
    ("exp2", (5000.0,), inf)]
BAD = [case for case in BAD if hasattr(math, case[0])]


def kernel_of(name: str, count: int, *, debug: bool | None = False):
    fn = getattr(math, name)

    @sycl.kernel(debug=debug)
    def one(i, x, out):
        out[0] = fn(x[0])

    @sycl.kernel(debug=debug)
    def two(i, x, out):
        out[0] = fn(x[0], x[1])
    return one if count == 1 else two


def errors_of(queue, kernel, *args):
    found = []
    q = sycl.queue(queue.get_device(), lambda errors: found.extend(errors))
    q.parallel_for(1, kernel, *args).wait()
    q.throw_asynchronous()
    return [e.what() for e in found]


@pytest.mark.parametrize(("name", "args", "expected"), BAD)
def test_without_checks_nothing_is_raised(queue, name, args, expected):
    x, out = np.array(args), np.zeros(1)
    assert errors_of(queue, kernel_of(name, len(args)), x, out) == []
    np.testing.assert_array_equal(out[0], expected)


@pytest.mark.parametrize(("name", "args", "expected"), BAD)
def test_with_checks_python_says_what_is_wrong(queue, name, args, expected):
    x, out = np.array(args), np.zeros(1)
    with pytest.raises((ValueError, OverflowError)) as raised:
        getattr(math, name)(*args)
    (text,) = errors_of(queue, kernel_of(name, len(args), debug=True), x, out)
    assert text.rpartition(f"{raised.type.__name__}: ")[2].startswith(str(raised.value))


@pytest.mark.parametrize("name", [
    "exp", "log", "sqrt", "sin", "cosh", "gamma", "lgamma", "atanh", "acos", "log1p"])
def test_with_checks_good_operands_pass(queue, name):
    x, out = np.array([0.5, nan, 0.25]), np.zeros(3)
    fn = getattr(math, name)

    @sycl.kernel(debug=True)
    def kernel(i, x, out):
        out[i] = fn(x[i])
    queue.parallel_for(3, kernel, x, out).wait()
    np.testing.assert_allclose(out, [fn(v) for v in x], rtol=1e-14)


def test_names_of_the_module_and_of_its_functions_mean_the_same(queue):
    x, out = np.array([-4.0, 4.0, 900.0]), np.zeros((3, 4))

    def helper(v):
        return math.exp(v) - root(v)

    def kernel(i):
        out[i, 0] = math.sqrt(x[i])
        out[i, 1] = root(x[i])
        out[i, 2] = helper(x[i])
        out[i, 3] = (lambda v: math.exp(v))(x[i])
    queue.parallel_for(3, kernel).wait()
    np.testing.assert_allclose(out, [
        [nan, nan, nan, math.exp(-4)], [2, 2, math.exp(4) - 2, math.exp(4)],
        [30, 30, inf, inf]], rtol=1e-14)


def test_helpers_in_another_module_and_complex_poles(queue):
    x, out, z = np.array([0.0, 4.0]), np.zeros((2, 2)), np.zeros(2, np.complex128)

    def kernel(i):
        out[i, 0] = logarithms.logarithm(x[i])
        out[i, 1] = logarithms.nested.logarithm(x[i])
        z[i] = cmath.log(complex(x[i]))
    queue.parallel_for(2, kernel).wait()
    np.testing.assert_array_equal(out, [[-inf, -inf], [math.log(4)] * 2])
    np.testing.assert_allclose(z, [-inf, cmath.log(4)], rtol=1e-14)


def test_whole_numbers(queue):
    k = np.arange(40) * 7919 % 61
    m = np.arange(40) * 104729 % 23 - 5

    def build(k, m, out):
        def kernel(i):
            out[i, 0] = math.gcd(k[i], m[i])
            out[i, 1] = math.lcm(m[i], k[i] + 1)
            out[i, 2] = math.factorial(k[i] % 21)
            out[i, 3] = math.isqrt(k[i] ** 4 * 12345 + i)
            out[i, 4] = math.comb(k[i] % 60, abs(m[i]))
            out[i, 5] = math.perm(k[i] % 15, abs(m[i])) + math.perm(k[i] % 12)
            out[i, 6] = math.gcd(k[i], 12, 18) + math.gcd(m[i]) + math.lcm(4, 6) + math.factorial(5)
            out[i, 7] = math.floor(k[i] / 7) + math.ceil(m[i] / 3) + math.trunc(m[i] / 2)
        return kernel
    agree(queue, build, 40, k=k, m=m, out=ints(40, 8))


def test_the_largest_square_roots(queue):
    k = np.array([2**63 - 1, 3037000499**2, 3037000499**2 - 1, 2**62, 0, 1, 3, 4])

    def build(k, out):
        def kernel(i):
            out[i] = math.isqrt(k[i])
        return kernel
    agree(queue, build, len(k), k=k, out=ints(len(k)))


def test_degrees_logarithms_of_a_base_and_closeness(queue):
    x = np.array([0.1, 2.0, 100.0, 1e9, 1e-3])
    out, close = np.zeros((5, 4)), np.zeros((5, 5), np.bool_)

    def kernel(i):
        out[i, 0] = math.degrees(x[i])
        out[i, 1] = math.radians(x[i])
        out[i, 2] = math.log(x[i], 7)
        out[i, 3] = math.log(x[i], x[i] + 1)
        close[i, 0] = math.isclose(x[i], x[i] * (1 + 1e-10))
        close[i, 1] = math.isclose(x[i], x[i] + 1e-3, rel_tol=1e-5)
        close[i, 2] = math.isclose(x[i], 0.0, abs_tol=1.0)
        close[i, 3] = math.isclose(x[i] / 0.0 if i < 0 else math.inf, math.inf)
        close[i, 4] = math.isclose(math.nan, math.nan) or math.isclose(math.inf, -math.inf)
    queue.parallel_for(5, kernel).wait()
    np.testing.assert_allclose(out, [[math.degrees(v), math.radians(v), math.log(v, 7),
                                      math.log(v, v + 1)] for v in x], rtol=1e-14)
    np.testing.assert_array_equal(close, [[
        math.isclose(v, v * (1 + 1e-10)), math.isclose(v, v + 1e-3, rel_tol=1e-5),
        math.isclose(v, 0.0, abs_tol=1.0), True, False] for v in x])


@pytest.mark.parametrize(("name", "args"), [
    ("factorial", (-1,)), ("isqrt", (-4,)), ("comb", (-1, 2)), ("comb", (3, -1)),
    ("perm", (-1, 2)), ("perm", (3, -2))])
def test_with_checks_negative_numbers_are_reported(queue, name, args):
    x, out = np.array(args), np.zeros(1, np.int64)
    with pytest.raises(ValueError, match=".") as raised:
        getattr(math, name)(*args)
    (text,) = errors_of(queue, kernel_of(name, len(args), debug=True), x, out)
    assert f"ValueError: {raised.value}" in text
    assert errors_of(queue, kernel_of(name, len(args)), x, out) == []


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc"])
@pytest.mark.parametrize("value", [inf, -inf, nan])
def test_with_checks_no_integer_of_what_is_none(queue, name, value):
    x, out = np.array([value]), np.zeros(1, np.int64)
    with pytest.raises((ValueError, OverflowError)) as raised:
        getattr(math, name)(value)
    (text,) = errors_of(queue, kernel_of(name, 1, debug=True), x, out)
    assert f"{raised.type.__name__}: {raised.value}" in text
    assert errors_of(queue, kernel_of(name, 1), x, out) == []
