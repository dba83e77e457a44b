"""``range`` with a step known at run time only: Python's turns, in both directions."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-11")
N = 37
STEPS = np.array([k for k in range(-9, 10) if k], np.int64)
MOST, LEAST = 2**63 - 1, -(2**63)


def test_a_step_of_either_sign_counts_as_in_python(queue):
    starts = (np.arange(N) * 7919 % 41 - 20).astype(np.int64)
    stops = (np.arange(N) * 104729 % 43 - 21).astype(np.int64)
    steps = STEPS[np.arange(N) % len(STEPS)]

    def build(a, b, s, out):
        def kernel(i):
            k = -1
            for k in range(a[i], b[i], s[i]):
                if k == 5:
                    continue
                if k == 13:
                    break
                out[i, 0] += k * k
                out[i, 1] += 1
            else:
                out[i, 2] = 7
            out[i, 3] = k
        return kernel
    agree(queue, build, N, a=starts, b=stops, s=steps, out=ints(N, 4))


def test_a_step_that_wraps_to_a_negative_one_counts_downwards(queue):
    sizes = np.array([1, 3, 0x7FFF, 0x8000, 0xFFFF], np.uint16)

    def build(s, out):
        def kernel(i):
            step = np.int32(s[i]) << np.int32(16)
            for k in range(100000, 0, step):
                out[i, 0] += k
            for k in range(0, 200000, np.int32(s[i]) << np.int32(1)):
                out[i, 1] += 1
        return kernel
    agree(queue, build, len(sizes), s=sizes, out=ints(len(sizes), 2))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32])
def test_steps_of_every_integer_type(queue, dtype):
    steps = (np.arange(N) % 11 + 1).astype(dtype)

    def build(s, out):
        def kernel(i):
            step = s[i]
            for k in range(-i, 50, step):
                step += 1  # the range has its own
                out[i] += k
            for k in range(40, i, -(s[i].astype(np.int64))):
                out[i] -= 3 * k
        return kernel
    agree(queue, build, N, s=steps, out=ints(N))


@pytest.mark.parametrize(("count", "items", "local"), [
    (1000, 64, 8), (1, 64, 16), (63, 64, 64), (0, 32, 8), (64, 64, 32), (130, 48, 16)])
def test_grid_stride_loops_visit_each_element_once(queue, count, items, local):
    x = np.arange(count + 1, dtype=np.float32)
    out, seen = np.zeros((4, count + 1), np.float32), np.zeros(count + 1, np.int32)

    def kernel(it):
        n = x.size - 1
        start, stride = it.get_global_id(0), it.get_global_range(0)
        for k in range(start, n, stride):
            out[0, k] = 2 * x[k]
        for k in range(start, count, it.get_group_range(0) * it.get_local_range(0)):
            out[1, k] = 3 * x[k]
        for k in range(it.get_global_id(0), n, it.get_global_range(0)):
            if k % 3 == 1:
                continue
            out[2, k] += 4 * x[k]
        for k in range(n - 1 - start, -1, -stride):
            seen[k] += 1
            out[3, k] = 5 * x[k]
    queue.parallel_for(sycl.nd_range(items, local), kernel).wait()
    one = x.copy()
    one[count] = 0
    np.testing.assert_array_equal(out[0], 2 * one)
    np.testing.assert_array_equal(out[1], 3 * one)
    np.testing.assert_array_equal(out[2], np.where(np.arange(count + 1) % 3 == 1, 0, 4 * one))
    np.testing.assert_array_equal(out[3], 5 * one)
    np.testing.assert_array_equal(seen, np.arange(count + 1) < count)


def test_grid_stride_loops_hold_barriers(queue):
    x, out = np.arange(96, dtype=np.int64), np.zeros(96, np.int64)

    def kernel(it, tile):
        lid, size = it.get_local_id(0), it.get_local_range(0)
        for base in range(size * it.get_group(0), 96, it.get_global_range(0)):
            tile[lid] = x[base + lid]
            sycl.group_barrier(it.get_group())
            out[base + lid] = tile[size - 1 - lid]
            sycl.group_barrier(it.get_group())
    queue.parallel_for(sycl.nd_range(32, 8), kernel, sycl.local_accessor(np.int64, 8)).wait()
    np.testing.assert_array_equal(out, x.reshape(-1, 8)[:, ::-1].ravel())


ENDS = [
    (MOST - 5, MOST, 2), (MOST - 5, MOST, 3), (MOST - 1, MOST, MOST), (0, MOST, MOST // 2),
    (LEAST, MOST, 2**62), (LEAST, MOST, MOST), (LEAST + 5, LEAST, -2), (MOST, LEAST, -(2**62)),
    (MOST, LEAST, LEAST), (0, LEAST, LEAST), (MOST, MOST, 4), (LEAST, LEAST, -4),
    (MOST - 40, MOST, 16), (5, 4, MOST), (-5, MOST - 3, 2**61 + 1)]


def test_counters_stop_at_the_ends_of_64_bits(queue):
    table = np.array(ENDS, np.int64)

    def build(t, out):
        def kernel(i):
            for k in range(t[i, 0], t[i, 1], t[i, 2]):
                out[i, 0] = out[i, 0] * 3 + (k & 0xFFFF)
                out[i, 1] += 1
        return kernel
    agree(queue, build, len(ENDS), t=table, out=ints(len(ENDS), 2))


@pytest.mark.parametrize("up", [True, False])
def test_constant_steps_and_positive_ones_stop_there_too(queue, up):
    bounds = np.array([MOST if up else LEAST], np.int64)
    out = np.zeros((4, 64), np.int64)

    def kernel(it):
        i, size = it.get_global_id(0), it.get_global_range(0)
        end = bounds[0]
        if up:
            for k in range(end - 100 + i, end, 16):
                out[0, i] = out[0, i] * 5 + (k & 255)
            for k in range(end - 100, end, 7):
                out[1, i] = out[1, i] * 5 + (k & 255)
            for k in range(end - 300 + i, end, size):
                out[2, i] = out[2, i] * 5 + (k & 255)
            for k in range(end - 300, end, size):
                out[3, i] = out[3, i] * 5 + (k & 255)
        else:
            for k in range(end + 100 - i, end, -16):
                out[0, i] = out[0, i] * 5 + (k & 255)
            for k in range(end + 100, end, -7):
                out[1, i] = out[1, i] * 5 + (k & 255)
    queue.parallel_for(sycl.nd_range(64, 16), kernel).wait()
    sign = 1 if up else -1
    end = int(bounds[0])
    for i in range(64):
        ranges = [range(end - sign * (100 - i), end, sign * 16),
                  range(end - sign * 100, end, sign * 7)]
        if up:
            ranges += [range(end - 300 + i, end, 64), range(end - 300, end, 64)]
        for row, values in enumerate(ranges):
            expected = 0
            for k in values:
                expected = expected * 5 + (k & 255)
            assert out[row, i] == expected, (row, i)


def test_steps_that_are_products_choices_and_extents(queue):
    x = np.arange(60, dtype=np.int32)

    def build(x, k, out):
        def kernel(i):
            twice = 2 * x.shape[0]
            for j in range(i, 500, twice):
                out[i, 0] += j
            for j in range(0, 60, max(k[i], 1)):
                out[i, 1] += x[j]
            for j in range(i, 60, 3 if k[i] > 2 else 5):
                out[i, 2] += x[j]
            for j in range(i, 60, k[i] + 9):
                for m in range(j, j + 9, k[i] % 4 + 1):
                    out[i, 3] += m
        return kernel
    k = (np.arange(N) * 31 % 17 - 8).astype(np.int32)
    agree(queue, build, N, x=x, k=k, out=ints(N, 4))


def launch(queue, kernel, *args):
    found = []
    q = sycl.queue(queue.get_device(), lambda errors: found.extend(errors))
    q.parallel_for(1, kernel, *args).wait()
    q.throw_asynchronous()
    return found


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64])
def test_a_step_of_0_is_an_error_in_debug_mode(queue, dtype):
    steps, out = np.zeros(1, dtype), np.zeros(1, np.int64)

    @sycl.kernel(debug=True)
    def kernel(i):
        for k in range(0, 10, steps[i]):
            out[0] += 1
    found = launch(queue, kernel)
    assert len(found) == 1
    assert "ValueError: range() arg 3 must not be zero" in found[0].what()


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64])
def test_a_step_of_0_ends_the_loop_otherwise(queue, dtype):
    if queue.get_device().has(sycl.aspect.emulated):
        pytest.skip("the host device is Python, which raises")
    steps, out = np.zeros(1, dtype), np.zeros(1, np.int64)

    @sycl.kernel(debug=False)
    def kernel(i):
        for k in range(0, 10, steps[i]):
            out[0] += 1
        out[0] += 100
    assert launch(queue, kernel) == []
    assert out[0] == 100
