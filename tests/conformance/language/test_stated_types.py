"""A number of one type or another, by the path, is taken wherever the place states the type."""

from __future__ import annotations

import math

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-1")
RECORD = np.dtype([("key", np.int32), ("at", np.float32)])


def stated(i, n, x, out, vectors, records, count):  # type: ignore[no-untyped-def]
    w = min(i, n)  # Python's int, or an int32
    mine = sycl.private_array(np.int32, 2)
    mine[i % 2] = w
    v = sycl.int2(w, 1)
    v.y = w
    m = sycl.marray(np.int32, 3)(w)
    m[i % 3] = w
    v[i % 2] = w
    v += w
    vectors[i] = sycl.int2(w)
    vectors[i].y = w
    records[i].key = w
    records[i]["at"] = w
    f = sycl.float2(w, 1)
    sycl.atomic_ref(count, 0).fetch_add(w)
    sycl.atomic_ref(count, 1).fetch_max(w)
    quotient, rest = divmod(w, 3)
    out[0, i] = v.x + v.y + m[0] + mine[i % 2]
    out[1, i] = quotient + 10 * rest
    out[2, i] = int(f.x) + int(math.sqrt(w)) + round(w)
    out[3, i] = sycl.max(w, x[i]) + (sycl.int2(3) + w).x
    out[4, i] = sycl.int2(w + 1, 0).x


@pytest.mark.filterwarnings("ignore::unisycl.KernelWarning")  # w + 1 is exact, and says so
def test_places_that_state_a_type_take_a_number_of_one_type_or_another(queue: sycl.queue) -> None:
    n = 8
    x = np.array([9, -9] * 4, np.int32)
    out, count = np.zeros((5, n), np.int32), np.array([0, -1], np.int32)
    vectors, records = np.zeros(n, sycl.int2), np.zeros(n, RECORD)
    queue.parallel_for(n, stated, np.int32(4), x, out, vectors, records, count).wait()
    w = np.minimum(np.arange(n), 4)
    roots = np.array([math.isqrt(k) for k in w])
    assert out[0].tolist() == (6 * w).tolist()
    assert out[1].tolist() == (w // 3 + 10 * (w % 3)).tolist()
    assert out[2].tolist() == (2 * w + roots).tolist()
    assert out[3].tolist() == (np.maximum(w, x) + 3 + w).tolist()
    assert out[4].tolist() == (w + 1).tolist()
    assert vectors["x"].tolist() == vectors["y"].tolist() == w.tolist()
    assert records["key"].tolist() == records["at"].tolist() == w.tolist()
    assert count.tolist() == [w.sum(), 4]


def test_what_depends_on_the_path_stays_refused(queue: sycl.queue) -> None:
    def divided(i, n, out):  # type: ignore[no-untyped-def]
        out[i] = 100 // (min(i, n) + 1)

    def bounded(i, n, out):  # type: ignore[no-untyped-def]
        out[i] = sycl.clamp(min(i, n), 0, 5)

    for kernel in (divided, bounded):
        with pytest.raises(sycl.exception, match="K087"):
            queue.parallel_for(4, kernel, np.int32(2), np.zeros(4, np.int64))
