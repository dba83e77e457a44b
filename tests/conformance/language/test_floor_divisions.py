"""Floor divisions and remainders of one integer by several constants, asked for one by one.

A compiler did not end on the text that floor divisions had (the row of ``instcombine`` in
``unisycl/backends/opencl/text/quirks.py``). Each form is compared with NumPy's.
"""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

COUNT = 96


def kernel(i, v, o):
    a = v[i]
    if a // 3 < 0:
        o[0, i] = 1
    elif (a // 5) % 4 == 3:
        o[0, i] = 2
    found = 0 > a // 3 or (a // 5) % 4 == 3
    o[1, i] = 1 if found else 0
    o[2, i] = a // -7
    o[3, i] = (a // 3) * 100 + a % 3
    o[4, i] = a // (a % 5 - 2)


def single(v, o, p):
    found = v[0] < v[1] or 0 > p // 3
    if not found:
        found = (p // 5) % 4 == 3 or (p + p) % 3 != 3
    o[0] = 1 if found else 0


@pytest.mark.part("D-1")
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_floor_divisions_are_numpys(queue: sycl.queue, dtype: type) -> None:
    v = np.random.default_rng(7).integers(-99, 99, COUNT).astype(dtype)
    o = np.zeros((5, COUNT), np.int64)
    with sycl.buffer(v) as values, sycl.buffer(o) as found:
        queue.submit(lambda h: h.parallel_for(
            sycl.range(COUNT), kernel, values.get_access(h), found.get_access(h)))
    a = v.astype(np.int64)
    by = a % 5 - 2
    asked = (a // 5) % 4 == 3
    wanted = (np.where(a // 3 < 0, 1, np.where(asked, 2, 0)), (a // 3 < 0) | asked, a // -7,
              (a // 3 * 100).astype(np.int64) + a % 3,
              np.where(by == 0, 0, a // np.where(by == 0, 1, by)))
    for row in (0, 1, 2, 4):
        assert np.array_equal(o[row], wanted[row]), row
    if dtype not in (np.int8, np.int16):  # there it wraps
        assert np.array_equal(o[3], wanted[3])


@pytest.mark.part("D-1")
@pytest.mark.parametrize("p", [-7, 0, 4, 18])
def test_floor_divisions_of_an_argument_are_pythons(queue: sycl.queue, p: int) -> None:
    v, o = np.array([3, 3], np.uint8), np.zeros(1, np.int32)
    with sycl.buffer(v) as values, sycl.buffer(o) as found:
        queue.submit(lambda h: h.single_task(
            single, values.get_access(h), found.get_access(h), p))
    assert o[0] == (0 > p // 3 or (p // 5) % 4 == 3 or (p + p) % 3 != 3)


@pytest.mark.part("D-1")
@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_quotients_of_64_bits_are_exact(queue: sycl.queue, dtype: type) -> None:
    """Vectors may divide by way of floats, whose 53 bits end within these numbers."""
    bits = [2 ** k + d for k in (0, 25, 31, 49, 50, 51, 52, 53, 62) for d in (-1, 0, 1)]
    near = [b * k + d for b in (3, 2 ** 25 - 1) for k in (1, 2 ** 24) for d in (-1, 0, 1)]
    low, values = int(np.iinfo(dtype).min), [*bits, *near, 2 ** 63 - 1]
    values = sorted({x for v in values for x in (v, -v) if x >= low} | {low})
    divisors = [v for v in values if abs(v) % 3 == 1 or abs(v) < 5 or v == low]
    a, b = np.array(values, dtype), np.array(divisors, dtype)
    quotients, rests, one = (np.zeros((len(b), len(a)), dtype) for _ in range(3))
    seven = dtype(7)

    def divide(it, quotients, rests, one, a, b):
        j, i = it[0], it[1]
        quotients[it], rests[it] = a[i] // b[j], a[i] % b[j]
        one[it] = a[i] // seven + a[j] % seven
    queue.parallel_for(sycl.range(*one.shape), divide, quotients, rests, one, a, b).wait_and_throw()
    for j, y in enumerate(divisors):
        for i, x in enumerate(values):
            quotient, rest = divmod(x, y) if y else (0, 0)
            if dtype is np.int64 and quotient == 2 ** 63:
                quotient = low
            assert (int(quotients[j, i]), int(rests[j, i])) == (quotient, rest), (x, y)
            assert int(one[j, i]) == x // 7 + values[j] % 7, (x, values[j])


@pytest.mark.part("D-1")
@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64])
def test_powers_of_two_that_a_launch_brings_divide_as_any_number(
        queue: sycl.queue, dtype: type) -> None:
    """Shifts and masks serve vectors, also beside a branch and in what is left of a row."""
    limits, r = np.iinfo(dtype), np.random.default_rng(3)
    powers = [1, 2, 64, 1 << (limits.bits - 2), int(limits.max) // 2 + 1]
    divisors = [*powers, 0, 3, 96, int(limits.max), *([-1, -2, -64, int(limits.min)]
                                                      if limits.min else [])]

    def divide(i, a, b, out):
        out[0, i] = a[i] // b
        out[1, i] = a[i] % b
        if a[i] & 1:
            out[2, i] = (a[i] // b) ^ (a[i] % b)

    for size in (1, 7, 45):
        a = r.integers(limits.min, limits.max, size, dtype, endpoint=True)
        a[:4] = [limits.min, limits.max, 0, 64][:size]
        for b in divisors:
            out = np.zeros((3, size), dtype)
            queue.parallel_for(size, divide, a, dtype(b), out).wait_and_throw()
            with np.errstate(all="ignore"):
                wanted = [a // dtype(b), a % dtype(b)]
            wanted.append(np.where(a & dtype(1), wanted[0] ^ wanted[1], dtype(0)))
            assert np.array_equal(out, wanted), (size, b)
