"""``range`` with a step that a launch gives: one kernel for each sign, and one for 1 and -1."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints
from unisycl.runtime.launch.compiled_kernels import kernels

pytestmark = pytest.mark.part
N = 19
STEPS = (2, 3, 4, 5, 6, 7, 16, 1000, 2**30, 2**31 - 1)
MOST, LEAST = 2**63 - 1, -(2**63)


def summed(step, a, out, n=N):
    def kernel(i):
        k = -7
        for k in range(i, n, step):
            if a[k] == 5:
                continue
            out[i, 0] += a[k] * k
            out[i, 1] += 1
            if k > n + 40:
                break
        else:
            out[i, 2] = 3
        out[i, 3] = k
    return kernel


@pytest.mark.parametrize("sign", [1, -1])
def test_ten_values_of_a_captured_step_are_one_kernel(queue, sign):
    a = np.arange(N, dtype=np.int64) * 7919 % 23
    with kernels() as seen:
        for step in STEPS:
            agree(queue, lambda a, out, step=sign * step: summed(step, a, out, N * (sign > 0) - 1),
                  N, a=a, out=ints(N, 4))
    assert len(seen) == 1


def test_a_step_that_is_an_argument_is_one_kernel_for_each_sign_and_unit(queue):
    def kernel(i, a, out, step):
        for k in range(i, N * (step > 0) - 1, step):
            out[i] += a[k] * (k + step)

    a = np.arange(N, dtype=np.int64)
    with kernels() as seen:
        for step in (2, 3, -2, 5, -9, -1, 1, 40):
            found, expected = ints(N), ints(N)
            queue.parallel_for(N, kernel, a, found, step).wait()
            for i in range(N):
                kernel(i, a, expected, step)
            np.testing.assert_array_equal(found, expected, err_msg=str(step))
    assert len(seen) == 4


def test_zero_is_refused_whatever_was_compiled_before(queue):
    a = np.arange(N, dtype=np.int64)
    for step in (2, 0, -3, 0):
        if step:
            queue.parallel_for(N, summed(step, a, ints(N, 4), 0)).wait()
        else:
            with pytest.raises(sycl.exception, match="K044"):
                queue.parallel_for(N, summed(step, a, ints(N, 4), 0)).wait()


def test_steps_are_numbers_elsewhere_and_nest(queue):
    def build(step, other, size, out):
        def kernel(i):
            for j in range(i, size, step):
                for k in range(size, j - 3, other):
                    out[i, 0] = out[i, 0] * 3 % 1009 + j * other - k * step
                    out[i, 1] += 1
            for k in range(-size, i, step):
                out[i, 2] += k // step + k % other
            out[i, 3] = step * step - other
        return kernel
    with kernels() as seen:
        for step, other in ((6, -4), (2, -3), (5, -2), (40, -2), (3, -70)):
            agree(queue, lambda out, s=step, o=other: build(s, o, 23, out), N, out=ints(N, 4))
    assert len(seen) == 1


def test_steps_inside_functions_of_the_kernel(queue):
    def total(a, first, last, by):
        found = 0
        for k in range(first, last, by):
            found += a[k]
        return found

    def build(step, a, out):
        def inner(first):
            return sum(a[k] for k in range(first, len(a), step))

        def kernel(i):
            out[i, 0] = total(a, i, len(a), step)
            out[i, 1] = inner(i)
            out[i, 2] = total(a, len(a) - 1, i, -step)
            out[i, 3] = len(range(i, len(a), step))
            for n, k in enumerate(range(i, len(a), step)):
                out[i, 4] += n * a[k]
        return kernel
    a = np.arange(N, dtype=np.int64) ** 2
    with kernels() as seen:
        for step in (4, 2, 3, 50):
            agree(queue, lambda a, out, s=step: build(s, a, out), N, a=a, out=ints(N, 5))
    assert len(seen) == 1


@pytest.mark.parametrize("sign", [1, -1])
def test_counters_by_captured_steps_stop_at_the_ends_of_64_bits(queue, sign):
    ends = np.array([(MOST - 40, MOST), (MOST - 5, MOST), (LEAST, LEAST + 33), (7, 7), (9, 2),
                     (LEAST, LEAST), (MOST, MOST), (MOST, LEAST), (LEAST + 1, LEAST)], np.int64)
    if sign < 0:
        ends = ~ends

    def build(step, t, out):
        def kernel(i):
            for k in range(t[i, 0], t[i, 1], step):
                out[i, 0] = out[i, 0] * 3 + (k & 0xFFFF)
                out[i, 1] += 1
        return kernel
    with kernels() as seen:
        for step in (5, 2, 3, 16, 2**31 - 1):
            agree(queue, lambda t, out, s=sign * step: build(s, t, out), len(ends), t=ends,
                  out=ints(len(ends), 2))
    assert len(seen) == 1


def test_large_steps_bools_and_known_turns(queue):
    def build(step, end, out):
        def kernel(i):
            for k in range(0, 8, step):  # the number of turns is known for each value
                out[i, 0] += k
            for k in range(i, end, step):
                out[i, 1] += k
        return kernel
    for step in (3, 1, 2**31, MOST, True, np.int32(2)):
        agree(queue, lambda out, s=step: build(s, 40, out), N, out=ints(N, 2))
    for step in (-1, -(2**31), LEAST, -(2**31) + 1):
        agree(queue, lambda out, s=step: build(s, -40, out), N, out=ints(N, 2))
