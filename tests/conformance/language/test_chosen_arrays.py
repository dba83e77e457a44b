"""Private arrays of which data chooses one: by branches, by names that change places, by calls.

A compiler made one load of two, from one of two addresses, and read another item's
(``chosen_arrays`` in ``unisycl/backends/opencl/text/quirks.py``). Each kernel is compared with what
plain Python makes of it, on lists.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import unisycl as sycl

COUNT = 128
KINDS = ("int32", "float32", "uint8")


def by_branch(i, x, y, n):
    if n % 3 == 1:
        return x[i // 4 % 4]
    return y[i // 4 % 4]


def by_value(i, x, y, n):
    return x[i // 4 % 4] if n % 3 == 1 else y[3 - i // 4 % 4]


def by_one_side(i, x, y, n):
    w = x[i % 4]
    if n % 5 > 2:
        w = y[i % 4]
    return w


def by_places(i, x, y, n):
    src, dst = x, y
    for _ in range((n + i) % 4):
        for q in range(4):
            dst[q] = src[(q + 1) % 4] + x[0]
        src, dst = dst, src
    return src[i % 4]


def by_writes(i, x, y, n):
    if n % 3 == 1:
        x[i % 4] = x[0]
    else:
        y[i % 4] = x[1]
    return x[1] + x[2] + y[0] + y[3]


def by_loop(i, x, y, n):
    s = x[0]
    for j in range(n % 4):
        s += x[(j + i) % 4] if (j ^ i) & 1 else y[(j + i) % 4]
    return s


FORMS = (by_branch, by_value, by_one_side, by_places, by_writes, by_loop)


def filled(form, kind, x, y, i, a, n):
    for q in range(4):
        x[q] = a[i] + kind(q)
        y[q] = a[i] * kind(q)
    return form(i, x, y, n)


@functools.cache
def kernel(form, kind):
    def run(it, a, o, ns):
        i = it.get_global_linear_id()
        x = sycl.private_array(kind, 4)
        y = sycl.private_array(kind, 4)
        o[i] = filled(form, kind, x, y, i, a, ns[i])
    return run


@pytest.mark.row("D-11")
@pytest.mark.parametrize("name", KINDS)
def test_each_item_reads_the_array_it_chose(queue: sycl.queue, name: str) -> None:
    kind = np.dtype(name).type
    a = (np.arange(COUNT) % 9).astype(kind)
    ns = np.arange(COUNT, dtype=np.int32) * 7 % 11
    for form in FORMS:
        expected = [filled(form, kind, [kind(0)] * 4, [kind(0)] * 4, i, a, int(ns[i]))
                    for i in range(COUNT)]
        out = np.zeros(COUNT, kind)
        queue.parallel_for(sycl.nd_range(COUNT, 32), kernel(form, kind), a, out, ns).wait()
        np.testing.assert_array_equal(out, expected, form.__name__)
