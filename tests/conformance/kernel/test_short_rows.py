"""Ranges whose last dimension is short: colours of pixels, points, rows within wider arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl

F = np.float32

def shaded(it: Any, out: Any, a: Any, b: Any) -> None:
    out[it] = a[it] * F(2) - b[it]


def numbered(it: Any, out: Any, a: Any, w: Any, n: Any) -> None:
    i = it[0] * w + it[1]
    if i >= n:
        return
    out[i] = a[i] + F(i)


@pytest.mark.row("C-2")
def test_elements_of_short_rows_are_each_their_items(queue: sycl.queue) -> None:
    rng = np.random.default_rng(5)
    for shape, more in ((100, 3), 0), ((100, 3), 1), ((35, 3, 3), 0):
        a = rng.random((*shape[:-1], 3 + more), F)[..., :3]
        b, out = rng.random(shape, F), np.zeros(shape, F)
        queue.parallel_for(shape, shaded, out, a, b).wait()
        assert np.array_equal(out, a * F(2) - b), shape


@pytest.mark.part
def test_items_of_short_rows_have_the_numbers_that_a_kernel_gives_them(queue: sycl.queue) -> None:
    for (h, x), w in (((100, 3), 3), ((100, 3), 5), ((50, 7), 7), ((16, 18), 20)):
        a, out = np.arange(h * w, dtype=F), np.zeros(h * w, F)
        n = h * w - 2
        queue.parallel_for((h, x), numbered, out, a, w, n).wait()
        wanted = np.zeros((h, w), F)
        wanted[:, :x] = (2 * a).reshape(h, w)[:, :x]
        wanted.ravel()[n:] = 0
        assert np.array_equal(out, wanted.ravel()), (h, x, w)
