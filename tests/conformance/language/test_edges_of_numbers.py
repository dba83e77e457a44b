"""Shifts, quotients, powers and conversions at the edges of types mean one thing everywhere."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")


def pairs(dtype: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return all pairs of numbers at the edges of an integer type."""
    info = np.iinfo(dtype)
    some = [x for x in (info.min, info.min + 1, -7, -3, -1, 0, 1, 2, 7, 31, 32, 33, 63, 64, 100,
                        info.max) if info.min <= x <= info.max]
    a, b = np.meshgrid(np.array(some, dtype), np.array(some, dtype))
    return a.ravel().copy(), b.ravel().copy()


def integers(i, a, b, o):  # type: ignore[no-untyped-def]
    x, y = a[i], b[i]
    o[0, i] = x << y
    o[1, i] = x >> y
    o[2, i] = x // y
    o[3, i] = x % y
    o[4, i] = -x
    o[5, i] = abs(x)
    o[6, i], o[7, i] = divmod(x, y)


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint32", "int64", "uint64"])
def test_integers_at_the_edges_of_their_type(queue: sycl.queue, dtype: str) -> None:
    a, b = pairs(dtype)
    found, wanted = np.zeros((8, a.size), dtype), np.zeros((8, a.size), dtype)
    queue.parallel_for(a.size, integers, a, b, found).wait()
    with np.errstate(all="ignore"):
        for i in range(a.size):
            integers(i, a, b, wanted)
    np.testing.assert_array_equal(found, wanted)


def widened(i, a, b, o):  # type: ignore[no-untyped-def]
    x, y = a[i], b[i]
    o[0, i] = abs(x)
    o[1, i] = -x
    o[2, i] = x // y
    o[3, i] = x + y
    o[4, i] = x * y
    o[5, i] = x << y
    o[6, i] = np.abs(x) >> 1
    o[7, i] = 1 if -x < 0 else 2
    o[8, i] = int((x - x) - x) + 1
    o[9, i] = int(~(x - 1)) - 1


@pytest.mark.parametrize("dtype", ["int16", "int8", "uint16", "int32", "uint32"])
def test_what_wrapped_is_widened_as_it_is(queue: sycl.queue, dtype: str) -> None:
    a, b = pairs(dtype)
    found, wanted = np.zeros((10, a.size), np.int64), np.zeros((10, a.size), np.int64)
    queue.parallel_for(a.size, widened, a, b, found).wait()
    with np.errstate(all="ignore"):
        for i in range(a.size):
            widened(i, a, b, wanted)
    np.testing.assert_array_equal(found, wanted)


FLOATS = (0.0, -0.5, 1.5, -1.5, 3.7, -3.7, 300.25, -300.25, 70000.5, -70000.5, 1e10, -1e10,
          2.0**31, -2.0**31, 2.0**32, 2.0**63, -2.0**63, 1.5 * 2.0**63, 2.0**64, 1e30, -1e30,
          math.inf, -math.inf, math.nan)
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


def as_c_does(x: float, dtype: str) -> int:
    """Return a float as an integer: by way of 32 bits or 64, of which the low ones count."""
    kind = np.dtype(dtype)
    if dtype == "uint64" and x >= 2.0**63:
        return as_c_does(x - 2.0**63, "int64") % 2**64 ^ 2**63
    bits = 32 if kind.itemsize < 4 or dtype == "int32" else 64
    whole = int(x) if -2.0**(bits - 1) <= x < 2.0**(bits - 1) else -2**(bits - 1)
    return int(np.array(whole % 2**(8 * kind.itemsize), f"u{kind.itemsize}").view(kind))


def conversions(i, x, a, b, c, d, e, f, g, h):  # type: ignore[no-untyped-def]
    a[i] = np.int8(x[i])
    b[i] = np.uint8(x[i])
    c[i] = x[i].astype(np.int16)
    d[i] = np.uint16(x[i])
    e[i] = np.int32(x[i])
    f[i] = x[i].astype(np.uint32)
    g[i] = np.int64(x[i])
    h[i] = np.uint64(x[i])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_beyond_an_integer_type_become_what_they_do_in_numpy_on_x86(
        queue: sycl.queue, dtype: type) -> None:
    values = np.array(FLOATS, dtype)
    found = [np.zeros(values.size, t) for t in INTEGERS]
    queue.parallel_for(values.size, conversions, values, *found).wait()
    for name, got in zip(INTEGERS, found, strict=True):
        wanted = [as_c_does(float(x), name) for x in values]
        assert got.tolist() == wanted, name


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_of_32_bits_and_others_are_converted_in_the_same_way(
        queue: sycl.queue, dtype: type) -> None:
    def kernel(i, x, big, a, b, c):  # type: ignore[no-untyped-def]
        if x[i] > -4e18:
            a[i] = np.int64(x[i])
            b[i] = x[i] - np.floor(x[i]) + dtype(int(x[i]))
            c[i] = dtype(big[i])

    x = np.linspace(-9e4, 9e4, 150).astype(dtype)
    x[64:80] *= dtype(1e12)  # all of a vector
    x[[3, 90, 140]] = np.nan, -np.inf, -5e18  # lanes that are off
    x[[100, 101, 130]] = 2.0**31, -2.0**31, 2.0**40
    big = np.arange(150, dtype=np.int64) - 70
    big[60:70] <<= 40
    big[[80, 120, 121]] = 2**63 - 1, 2**31, -2**31 - 1
    found = np.zeros(150, np.int64), np.zeros(150, dtype), np.zeros(150, dtype)
    queue.parallel_for(150, kernel, x, big, *found).wait()
    on = x > -4e18
    whole = x[on].astype(np.int64)
    assert found[0][on].tolist() == whole.tolist()
    np.testing.assert_array_equal(found[1][on], x[on] - np.floor(x[on]) + whole.astype(dtype))
    np.testing.assert_array_equal(found[2], np.where(on, big.astype(dtype), 0))


def test_constants_become_what_numbers_of_memory_become(queue: sycl.queue) -> None:
    low = np.float64(-1e10)
    far = np.float64(math.inf)

    def kernel(a, b, c):  # type: ignore[no-untyped-def]
        a[0] = np.uint16(low)
        b[0] = np.int32(far)
        c[0] = np.uint64(far)

    found = [np.ones(1, t) for t in ("uint16", "int32", "uint64")]
    queue.single_task(kernel, *found).wait()
    assert [int(x[0]) for x in found] == [as_c_does(-1e10, "uint16"), -2**31, 0]


# ---- powers
def power(i, a, b, o):  # type: ignore[no-untyped-def]
    o[i] = a[i] ** b[i]


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")
def test_an_integer_to_a_negative_power_is_cut_to_a_whole_number(queue: sycl.queue) -> None:
    a = np.array([-3, -2, -1, -1, 0, 1, 1, 2, 5, 2], np.int32)
    b = np.array([-1, -2, -3, -4, 0, -5, 0, -1, -1, 10], np.int32)
    found = np.zeros(a.size, np.int32)
    if queue.get_device().has(sycl.aspect.host_debuggable):  # NumPy's scalars say it themselves
        with pytest.raises(sycl.exception, match="Integers to negative integer powers"):
            queue.parallel_for(a.size, power, a, b, found).wait_and_throw()
        return
    queue.parallel_for(a.size, power, a, b, found).wait()
    assert found.tolist() == [int(float(x) ** float(y)) for x, y in zip(a, b, strict=True)]


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")
def test_powers_of_every_integer_type_wrap_as_numpys(queue: sycl.queue) -> None:
    for dtype in ("int8", "uint8", "int32", "uint64"):
        a, b = pairs(dtype)
        a, b = a[b >= 0].copy(), b[b >= 0].copy()
        found = np.zeros(a.size, dtype)
        queue.parallel_for(a.size, power, a, b, found).wait()
        np.testing.assert_array_equal(found, a ** b, dtype)


def test_exponents_that_cannot_be_negative_are_not_warned_of(queue: sycl.queue) -> None:
    def kernel(i, a, o):  # type: ignore[no-untyped-def]
        total = 2 ** i + a[i] ** np.uint32(3 * i)
        for k in range(4):
            total += a[i] ** k
        for k in range(3, -1, -1):
            total += a[i] ** (k + i % 2)
        o[i] = total + a[i] ** max(a[i], 0) % 7

    a, found, wanted = np.array([-2, 3, 5], np.int64), np.zeros(3, np.int64), np.zeros(3, np.int64)
    queue.parallel_for(3, kernel, a, found).wait()
    for i in range(3):
        kernel(i, a, wanted)
    np.testing.assert_array_equal(found, wanted)


def test_an_exponent_that_may_be_negative_is_warned_of_at_its_line() -> None:
    a = np.ones(3, np.int32)

    def kernel(i):  # type: ignore[no-untyped-def]
        a[i] = 2 ** (i - 1)
        a[i] += a[i] ** a[0]

    with pytest.warns(sycl.KernelWarning, match="may be negative") as told:
        sycl.queue(sycl.cpu_selector_v).parallel_for(3, kernel).wait()
    line = kernel.__code__.co_firstlineno
    assert [w.lineno - line for w in told] == [1, 2]
    assert all(w.filename == __file__ for w in told)


# ---- what debugged kernels find
def of_int(i, x, n, o):  # type: ignore[no-untyped-def]
    o[i] = int(x[i])


def of_round(i, x, n, o):  # type: ignore[no-untyped-def]
    o[i] = round(x[i])


def of_floor(i, x, n, o):  # type: ignore[no-untyped-def]
    o[i] = math.floor(x[i])


def of_shift(i, x, n, o):  # type: ignore[no-untyped-def]
    o[i] = 1 << n


def of_quotient(i, x, n, o):  # type: ignore[no-untyped-def]
    o[i] = 7 // (n + 2)


def of_rest(i, x, n, o):  # type: ignore[no-untyped-def]
    o[i] = int(7.5 % float(n + 2))


def of_power(i, x, n, o):  # type: ignore[no-untyped-def]
    o[i] = o[i] ** np.int64(n)


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")
def test_debugged_kernels_say_what_python_or_numpy_raises(queue: sycl.queue) -> None:
    host = queue.get_device().has(sycl.aspect.host_debuggable)
    for kernel, value, text in (
            (of_int, math.inf, "OverflowError: cannot convert float infinity to integer"),
            (of_int, math.nan, "ValueError: cannot convert float NaN to integer"),
            (of_int, 1e30, "" if host else "OverflowError: Python int too large"),
            (of_round, -math.inf, "OverflowError: cannot convert float infinity to integer"),
            (of_floor, math.nan, "ValueError: cannot convert float NaN to integer"),
            (of_shift, 0.0, "ValueError: negative shift count"),
            (of_quotient, 0.0, "ZeroDivisionError"),
            (of_rest, 0.0, "ZeroDivisionError"),
            (of_power, 0.0, "Integers to negative integer powers are not allowed")):
        if not text:
            continue
        checked = sycl.kernel(debug=True)(kernel)
        with pytest.raises(sycl.exception, match=text):
            queue.parallel_for(1, checked, np.array([value]), -2,
                               np.ones(1, np.int64)).wait_and_throw()


def test_pow_of_three_integers_is_pythons(queue: sycl.queue) -> None:
    def kernel(i, a, b, m, o):  # type: ignore[no-untyped-def]
        o[i] = pow(int(a[i]), int(b[i]), int(m[i]))

    some = [(3, 0, 7), (3, 200, 7), (-3, 5, 7), (3, 5, -7), (2, 62, 2**62 - 57), (3, -1, 7),
            (10**17, 3, 10**18 - 11), (5, 3, 1), (0, 0, 1), (-7, -3, -10),
            (2**62, 2**62, 2**62 - 1)]
    a, b, m = (np.array(x) for x in zip(*some, strict=True))
    found = np.zeros(len(some), np.int64)
    queue.parallel_for(len(some), kernel, a, b, m, found).wait()
    assert found.tolist() == [pow(*x) for x in some]
    for bad in ((3, 2, 0), (2, -1, 4)):
        with pytest.raises(sycl.exception, match="cannot be 0|not invertible"):
            queue.parallel_for(1, sycl.kernel(debug=True)(kernel), *(np.array([x]) for x in bad),
                               found).wait_and_throw()


@pytest.mark.part("D-11")
def test_debugged_kernels_raise_where_cmath_does(queue: sycl.queue) -> None:
    inf, nan = math.inf, math.nan
    operands = [complex(x, y) for x in (0.0, 1.0, 800.0, -inf) for y in (0.0, 1.0, 800.0, inf)]
    operands += [complex(inf, nan), complex(nan, inf), complex(inf, 1.0), complex(inf, inf)]

    def raised(call: Any) -> str:
        try:
            call()
        except (ArithmeticError, ValueError, sycl.exception) as error:
            return next(x for x in ("domain error", "range error") if x in str(error))
        return ""

    for function in (cmath.exp, cmath.sin, cmath.tanh, cmath.log):
        @sycl.kernel(debug=True)
        def kernel(z, o):  # type: ignore[no-untyped-def]
            o[0] = function(z[0])  # noqa: B023 - launched in the turn it is made in

        for z in operands:
            memory, found = np.array([z]), np.zeros(1, np.complex128)
            got = raised(lambda: queue.single_task(  # noqa: B023 - called at once
                kernel, memory, found).wait_and_throw())  # noqa: B023
            assert got == raised(lambda: function(z)), (function, z)  # noqa: B023


def limited(i, a, o):  # type: ignore[no-untyped-def]
    o[i] = sycl.clamp(a[i], a[2], a[1])


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float32"])
def test_limits_the_wrong_way_round_give_the_upper_one(queue: sycl.queue, dtype: str) -> None:
    a = np.array([0, 3, 5, 4, 9], dtype)
    found = np.zeros_like(a)
    queue.parallel_for(a.size, limited, a, found).wait()
    assert found.tolist() == [3] * a.size
