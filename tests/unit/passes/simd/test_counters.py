"""Counters of loops that lanes leave one by one."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

LIMITS = np.array([0, 1, 5, 2, 40, 7, 3, 3, 0, 19] * 7, np.int32)


@pytest.fixture(params=["cpu", "host"])
def queue(request):
    try:
        return sycl.queue(getattr(sycl, request.param + "_selector_v"))
    except sycl.exception as error:
        pytest.skip(str(error))


def launch(queue, kernel):
    out = np.zeros((3, LIMITS.size), np.int64)
    queue.parallel_for(LIMITS.size, kernel, LIMITS, out).wait()
    return out


def test_each_lane_keeps_the_count_it_left_with(queue):
    def kernel(i, limits, out):
        n = 0
        while n < 30 and n < limits[i]:
            n += 1
        out[0, i] = n

    assert np.minimum(LIMITS, 30).tolist() == launch(queue, kernel)[0].tolist()


def test_lanes_that_break_keep_the_count_before_the_step(queue):
    def kernel(i, limits, out):
        n = m = 10
        while n < 100:
            if n - 10 >= limits[i]:
                break
            n += 3
            m -= 2
        out[0, i], out[1, i] = n, m

    steps = -(-LIMITS.astype(int) // 3)
    found = launch(queue, kernel)
    assert (10 + 3 * np.minimum(steps, 30)).tolist() == found[0].tolist()
    assert (10 - 2 * np.minimum(steps, 30)).tolist() == found[1].tolist()


def test_a_count_that_some_lanes_skip_stays_their_own(queue):
    def kernel(i, limits, out):
        n = k = 0
        while k < 40:
            k += 1
            if k > limits[i]:
                continue
            n += 1
        out[0, i], out[1, i] = n, k

    found = launch(queue, kernel)
    assert LIMITS.tolist() == found[0].tolist()
    assert [40] * LIMITS.size == found[1].tolist()


def test_values_that_only_the_loop_reads_do_not_outlive_it(queue):
    def kernel(i, limits, out):
        total = 0
        for turn in range(3):
            x, n = i, 0
            while n < limits[i]:
                x = x + turn
                n += 1
            total += n
            out[turn, i] = total + x - x
        out[0, i] = n

    found = launch(queue, kernel)
    assert (LIMITS * 2).tolist() == found[1].tolist()
    assert (LIMITS * 3).tolist() == found[2].tolist()
    assert LIMITS.tolist() == found[0].tolist()


def test_a_loop_inside_a_loop_starts_again_with_what_it_left(queue):
    def kernel(i, limits, out):
        x = 0
        n = 0
        while n < 5:
            while x < limits[i] and x < 4 * n:
                x += 1
            n += 1
        out[0, i] = x

    assert np.minimum(LIMITS, 16).tolist() == launch(queue, kernel)[0].tolist()
