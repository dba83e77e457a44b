"""Integers whose bits are turned, beside what chooses between integers.

A compiler took ``max(v, ~w)`` for ``max(v, w)`` (``lost_inversions`` in
``unisycl/backends/opencl/text/quirks.py``). Each form is compared with NumPy's.
"""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

COUNT = 96


def forms(i, v, w, o):
    a, b = v[i], w[i]
    o[0, i] = max(a, ~b)
    o[1, i] = min(~a, ~b)
    o[2, i] = max(~b, a)
    o[3, i] = ~min(a, ~a)
    o[4, i] = sycl.clamp(a, min(b, ~b), max(b, ~b))
    o[5, i] = max(~b, a)
    o[6, i] = min(a, ~b)
    o[7, i] = sycl.abs_diff(a, ~b)
    o[8, i] = max(a, b, ~(a + b))
    o[9, i] = max(~a, 3) & ~max(b, ~a)


def more(i, v, w, o):
    a, b = v[i], w[i]
    o[0, i] = max(a, -1 - b)
    o[1, i] = min(-a - 1, b)
    turned = -b
    o[2, i] = max(a, turned - 1)
    o[3, i] = max(a, b ^ -1)


@pytest.mark.row("D-23")
@pytest.mark.parametrize("kind", ["int32", "uint32", "int64", "uint8"])
def test_turned_bits_are_kept_beside_min_and_max(queue: sycl.queue, kind: str) -> None:
    rng, signed = np.random.default_rng(5), np.issubdtype(kind, np.signedinteger)
    low = -40 if signed else 0
    v, w = (rng.integers(low, 40, COUNT).astype(kind) for _ in range(2))
    zero = v.dtype.type(0)
    lower, upper = np.minimum(w, ~w), np.maximum(w, ~w)
    wide = (v.astype(object), (~w).astype(object))
    expected = [
        np.maximum(v, ~w), np.minimum(~v, ~w), np.maximum(v, ~w), ~np.minimum(v, ~v),
        np.minimum(np.maximum(v, lower), upper), np.maximum(v, ~w), np.minimum(v, ~w),
        abs(wide[0] - wide[1]).astype(kind), np.maximum(np.maximum(v, w), ~(v + w)),
        np.maximum(~v, zero + v.dtype.type(3)) & ~np.maximum(w, ~v)]
    for local in (4, 32):
        out = np.zeros((len(expected), COUNT), kind)

        def run(it, v, w, o):
            forms(it.get_global_linear_id(), v, w, o)

        queue.parallel_for(sycl.nd_range(COUNT, local), run, v, w, out).wait()
        for k, row in enumerate(expected):
            np.testing.assert_array_equal(out[k], row, f"form {k} in groups of {local}")
    if signed:
        out = np.zeros((4, COUNT), kind)
        queue.parallel_for(COUNT, more, v, w, out).wait()
        for k, row in enumerate((np.maximum(v, ~w), np.minimum(~v, w), *[np.maximum(v, ~w)] * 2)):
            np.testing.assert_array_equal(out[k], row, f"form {k}")
