"""Floats that a loop adds up are added in the loop's order, also where an item runs alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.conformance.language.compare import agree

pytestmark = pytest.mark.part("D-11")
N, LENGTH = 3, 43  # too few items to fill a vector, more turns than one has lanes
A = np.random.default_rng(5).standard_normal((N, LENGTH)).astype(np.float32)


def test_loops_with_a_count(queue):
    def build(a, out):
        def kernel(i):
            s, t, m = np.float32(0), np.float32(1), np.float32(0)
            for j in range(LENGTH):
                s += a[i, j]
                t *= a[i, j]
                m = a[i, j] - m * np.float32(0.5)
            out[i, 0], out[i, 1], out[i, 2] = s, t, m
            for v in a[i]:
                out[i, 3] += v
            out[i, 4] = sum(a[i])
            out[i, 5] = a[i].prod()
        return kernel
    agree(queue, build, N, a=A, out=np.zeros((N, 6), np.float32))


def test_loops_that_data_ends_and_loops_in_loops(queue):
    def build(a, out):
        def kernel(i):
            s, j = np.float32(0), 0
            while j < LENGTH and a[i, j] < 9:
                s += a[i, j]
                j += 1
            t = np.float32(0)
            for k in range(3):
                for j in range(k, LENGTH):
                    if a[i, j] > 0:
                        t += a[i, j]
            best = np.float32(0)
            for j in range(LENGTH):
                x = a[i, j]
                y = best + x
                best = y
            out[i, 0], out[i, 1], out[i, 2] = s, t, best
        return kernel
    agree(queue, build, N, a=A, out=np.zeros((N, 3), np.float32))


def test_one_task(queue):
    out = np.zeros(2, np.float32)

    def task(a, out):
        for j in range(LENGTH):
            out[0] += a[1, j]
        total = np.float32(0)
        for j in range(LENGTH):
            total += a[2, j]
        out[1] = total
    queue.single_task(task, A, out).wait()
    wanted = np.zeros(2, np.float32)
    task(A, wanted)
    assert out.tolist() == wanted.tolist()
