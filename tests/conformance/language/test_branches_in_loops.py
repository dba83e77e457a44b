"""Branches in loops, of conditions that are each item's own, all items' or both together.

Compilers make two loops of one by a condition that does not change in it; one then took the first
item's loop for all (``shared_branches`` in ``unisycl/backends/opencl/text/quirks.py``). Each kernel
is compared with what plain Python makes of the same function.
"""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

COUNT, TERMS = 192, 8
SIZES = (64, 8, 1, 32, 2)
KINDS = ("float32", "int32", "float64", "uint8", "int64")
WILD = 166381314
"""An index that no item reads: whoever reads it all the same ends the process."""


def either(i, t, c, n):
    s = t[0] * 0
    for j in range(n):
        if i & 1:
            s += t[j]
        else:
            s += t[c[0] + j]
    return s


def chosen(i, t, c, n):
    s = t[0] * 0
    for j in range(n):
        s += t[j] if i % 3 == 1 else t[j + 9]
    return s


def more(i, t, c, n):
    s = t[0] * 0
    for j in range(n):
        s += t[j]
        if i > 40:
            s += t[j + 3]
    return s


def skipped(i, t, c, n):
    s = t[0] * 0
    for j in range(n):
        if j == 3 and i % 3 == 1:
            continue
        m = c[j]
        if m < 128:
            s += t[m]
    return s


def nested(i, t, c, n):
    s = t[0] * 0
    for j in range(n):
        if j == 2:
            if i % 5 > 1:
                continue
        m = c[j]
        if 0 <= m < 128:
            s += t[m]
        elif i & 1:
            s += t[j]
    return s


def ended(i, t, c, n):
    s = t[0] * 0
    for j in range(n):
        if j > 4 and i % 3 != 1:
            break
        m = c[n - 1 - j]
        if m < 128:
            s += t[m]
    return s


def flagged(i, t, c, n):
    s = t[0] * 0
    for j in range(n):
        skip = j == 3 and i % 3 == 1
        if not skip:
            m = c[j]
            if m < 128:
                s += t[m]
    return s


def guarded(i, t, c, n):
    s = t[0] * 0
    k = i - 60
    for j in range(n):
        m = c[j]
        if k < 0 or m >= 128:
            continue
        s += t[m] + t[k % 100]
    return s


def counted(i, t, c, n):
    s = t[0] * 0
    j = 0
    while j < n:
        j += 1
        if i % 7 == 2 or j == 5:
            continue
        m = c[j - 1]
        if m >= 128:
            break
        s += t[m]
    return s


def doubled(i, t, c, n):
    s = t[0] * 0
    for j in range(n):
        for k in range(c[0] & 3):
            if i & 4:
                s += t[k + j]
            elif j == 3:
                s += t[k]
    return s


def returned(i, t, c, n):
    s = t[0] * 0
    for j in range(n):
        if j == 5 and i % 4 == 0:
            return s
        m = c[j]
        if m < 128:
            s += t[m]
    return s + s


KERNELS = (either, chosen, more, skipped, nested, ended, flagged, guarded, counted, doubled,
           returned)


@pytest.mark.row("D-11")
@pytest.mark.parametrize("kind", KINDS)
def test_each_item_goes_its_own_way_through_loops(queue, kind):
    t = (np.arange(128) * 7 % 11 + 1).astype(kind)
    c = np.array([3, 68, 107, 11, WILD, 62, 19, 127], np.int32)
    with np.errstate(all="ignore"):
        want = np.array([[f(np.int64(i), t, c, TERMS) for i in range(COUNT)] for f in KERNELS])
    for size in (16, SIZES[KINDS.index(kind)]):
        out = np.zeros((len(KERNELS), COUNT), kind)

        def kernel(it, n):
            i = it.get_global_id(0)
            for k, f in enumerate(KERNELS):
                out[k, i] = f(i, t, c, n)  # noqa: B023

        queue.parallel_for(sycl.nd_range(COUNT, size), kernel, TERMS).wait()
        wrong = [f.__name__ for f, a, b in zip(KERNELS, want, out, strict=True)
                 if not np.array_equal(a, b)]
        assert not wrong, f"local size {size}: {wrong}"


@pytest.mark.row("D-11")
@pytest.mark.parametrize("f", KERNELS, ids=lambda f: f.__name__)
def test_each_item_of_a_range_goes_its_own_way(queue, f):
    t = (np.arange(128) * 7 % 11 + 1).astype(np.float32)
    c = np.array([3, 68, 107, 11, WILD, 62, 19, 127], np.int32)
    out = np.zeros(1000, np.float32)

    def kernel(i, n):
        out[i] = f(i, t, c, n)

    queue.parallel_for(out.size, kernel, TERMS).wait()
    assert [f(i, t, c, TERMS) for i in range(out.size)] == out.tolist()
