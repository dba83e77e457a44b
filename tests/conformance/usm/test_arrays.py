"""USM arrays as NumPy makes them, and functions of numbers that became functions of arrays."""

from __future__ import annotations

import math

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("L-15")
ext = sycl.ext.unisycl


def on_host(queue: sycl.queue, memory) -> np.ndarray:
    found = np.zeros(memory.shape, memory.dtype)
    queue.memcpy(found, memory, found.nbytes).wait()
    return found


@pytest.mark.parametrize("kind", ["shared", "host", "device"])
def test_arrays_are_numpys(queue: sycl.queue, kind: str) -> None:
    where = {"queue": queue, "usm": kind}
    for ours, theirs in (
            (ext.zeros((3, 4), np.int16, **where), np.zeros((3, 4), np.int16)),
            (ext.full(7, 2.5, np.float32, **where), np.full(7, 2.5, np.float32)),
            (ext.full((2, 3), 4, **where), np.full((2, 3), 4)),
            (ext.arange(10, **where), np.arange(10)),
            (ext.arange(0, 1, 0.1, dtype=np.float32, **where),
             np.arange(0, 1, 0.1, dtype=np.float32)),
            (ext.linspace(-1, 1, 33, **where), np.linspace(-1, 1, 33)),
            (ext.linspace(0, 1, 8, endpoint=False, dtype=np.float32, **where),
             np.linspace(0, 1, 8, endpoint=False, dtype=np.float32))):
        found = on_host(queue, ours)
        assert found.dtype == theirs.dtype
        assert np.array_equal(theirs, found)
    assert ext.empty((2, 5), np.float32, **where).shape == (2, 5)


def test_shared_arrays_are_taken_without_a_copy(queue: sycl.queue) -> None:
    a = ext.zeros(16, np.int32, queue)
    seen = np.asarray(a)

    def add(i):
        a[i] = a[i] + i

    queue.parallel_for(16, add).wait()
    assert np.array_equal(np.arange(16), seen)


def test_functions_of_arrays_broadcast_as_numpy_does(queue: sycl.queue) -> None:
    @ext.vectorize(queue=queue)
    def mixed(x, y):
        return x * y + 1 if x > y else x - y

    def expected(x, y):
        return np.where(x > y, x * y + 1, x - y)

    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((4, 5)).astype(np.float32), rng.standard_normal(5).astype(np.float32)
    for x, y in ((a, a[::-1]), (a, b), (b, a), (a[:, 2:3], b), (a, np.float32(0.5)), (a.T, 2),
                 (a[1:3, ::2], a[0, ::2]), (a.reshape(2, 2, 5), b), (b[0], b[1]),
                 (a.reshape(2, 1, 2, 5), b), (a[:0], b), (a[None, :, None, None, :], b)):
        found = mixed(x, y)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected(x, y), rtol=1e-6, atol=1e-6)
        assert np.shape(found) == np.broadcast_shapes(np.shape(x), np.shape(y))


def test_types_follow_the_function(queue: sycl.queue) -> None:
    @ext.vectorize
    def halves(k):
        return k / 2

    @ext.vectorize(dtype=np.int8)
    def least(a, b, c, d, e, f):
        return min(a, b, c, d, e, f)

    k = np.arange(6, dtype=np.int32)
    assert halves(k, queue=queue).dtype == np.float64
    found = least(k, 5 - k, 9, 9, k + 1, 8, queue=queue)
    assert found.dtype == np.int8
    assert np.array_equal(np.minimum(k, 5 - k), found)
    out = np.zeros(6, np.float32)
    assert halves([1, 2, 3, 4, 5, 6], out=out, queue=queue) is out
    assert np.array_equal(np.arange(1, 7) / 2, out)
    memory = ext.arange(6, queue=queue, dtype=np.int32)
    assert np.array_equal(k / 2, halves(memory, queue=queue))
    assert math.isclose(halves(3, queue=queue), 1.5)


def test_all_paths_of_a_function_count_for_its_type(queue: sycl.queue) -> None:
    """A call with ones takes one path: ``0`` here, a whole number."""
    half = ext.vectorize(lambda x: 0 if x >= 1 else x * 0.5, queue=queue)
    x = np.array([0.25, 0.5, 3.0], np.float32)
    found = half(x)
    assert found.dtype == np.float32
    assert np.array_equal(found, [0.125, 0.25, 0])
    told = ext.result_type(lambda x, y: (x * y, x > y, 3), np.int8, np.zeros(3, np.uint8))
    assert told == (np.int16, np.bool_, np.int64)
    assert ext.result_type(lambda t: t[0] * t[1], (np.float32, 2.0)) == np.float32
    with pytest.raises(sycl.UsageError, match="no number"):
        ext.result_type(lambda x: None, np.int8)


def test_a_tuple_makes_several_arrays(queue: sycl.queue) -> None:
    @ext.vectorize(queue=queue)
    def parts(x, y):
        return x // y, x % y, x / y

    x, y = np.arange(-10, 10, dtype=np.int16).reshape(4, 5), np.arange(1, 6, dtype=np.int16)
    whole, rest, ratio = parts(x, y)
    assert (whole.dtype, rest.dtype, ratio.dtype) == (np.int16, np.int16, (x / y).dtype)
    assert np.array_equal(whole, x // y)
    assert np.array_equal(rest, x % y)
    np.testing.assert_allclose(ratio, x / y, rtol=1e-6)
    table = np.zeros((5, 3))
    out = (table[:, 0], table[:, 1], table[:, 2])
    assert parts(x[0], y, out=out) is out
    np.testing.assert_allclose(table, np.stack((x[0] // y, x[0] % y, x[0] / y), 1), rtol=1e-6)
    assert parts(7, 2) == (3, 1, 3.5)
    for out in ((x, x), table[:, 0], (table[:, 0],) * 3):
        with pytest.raises(sycl.UsageError):
            parts(x[0], y, out=out)


def test_results_over_operands_are_those_of_numpy(queue: sycl.queue) -> None:
    increase = ext.vectorize(lambda x: x + 1, queue=queue)
    add = ext.vectorize(lambda x, y: x + y, queue=queue)

    def table():
        return np.arange(90000, dtype=np.float32).reshape(300, 300)

    for call, expected in (
            (lambda m: increase(m[::-1], out=m), lambda m: m[::-1] + 1),
            (lambda m: increase(m.T, out=m), lambda m: m.T + 1),
            (lambda m: add(m, m[0], out=m), lambda m: m + m[0]),
            (lambda m: increase(m, out=m), lambda m: m + 1)):
        assert np.array_equal(call(table()), expected(table()))


def test_what_does_not_fit_is_refused(queue: sycl.queue) -> None:
    double = ext.vectorize(lambda x: x * 2, queue=queue)
    for call in (lambda: double(), lambda: double(*[1] * 7), lambda: ext.vectorize(3),
                 lambda: double(np.zeros(3), out=np.zeros(4)),
                 lambda: ext.vectorize(lambda x, y: x + y)(np.zeros(3), np.zeros(4)),
                 lambda: ext.vectorize(lambda x: None)(np.zeros(3)),
                 lambda: ext.zeros(3, queue=queue, usm="paged")):
        with pytest.raises(sycl.UsageError):
            call()
    with pytest.raises(sycl.KernelError, match=r"test_arrays\.py:\d+"):
        ext.vectorize(lambda x: x.nothing, dtype=np.float64, queue=queue)(np.zeros(3))
