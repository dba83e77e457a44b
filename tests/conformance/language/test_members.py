"""Records of equal numbers are read and written whole, and a kernel cannot tell."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree

pytestmark = pytest.mark.row("D-10")
N = 45  # neither a multiple of a vector nor of a work-group
BODY = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4"), ("w", "f4")])
MIXED = np.dtype([("k", "i4"), ("u", "u4"), ("x", "f4")])
WIDE = np.dtype([("m", "f8"), ("n", "i8")])
NESTED = np.dtype([("a", np.dtype([("x", "f4"), ("y", "f4")])), ("v", "f4", (2,))])


def filled(kind: np.dtype, seed: int = 0) -> np.recarray:
    """Return records of small whole numbers."""
    size = sum(kind[name].itemsize for name in kind.names)
    assert size == kind.itemsize
    out = np.zeros(N, kind)
    rng = np.random.default_rng(seed)
    for name in kind.names:
        part = out[name]
        for leaf in (part[f] for f in part.dtype.names) if part.dtype.names else (part,):
            leaf[...] = rng.integers(1, 50, leaf.shape)
    return out.view(np.recarray)


@pytest.mark.parametrize("kind", [BODY, MIXED, WIDE, NESTED], ids=[
    "body", "mixed", "wide", "nested"])
def test_records_are_copied_and_swapped_whole(queue, kind):
    order = np.random.default_rng(1).permutation(N).astype(np.int32)

    def build(a, b, order, out):
        def kernel(i):
            b[i] = a[order[i]]
            if i % 3:
                out[N - 1 - i] = a[i]
        return kernel
    agree(queue, build, N, a=filled(kind), b=filled(kind, 1), order=order, out=np.zeros(N, kind))


def test_members_are_changed_in_place_one_after_another(queue):
    def build(a):
        def kernel(i):
            a[i].x += 1
            a[i].y *= a[i].z
            a[i].z -= a[i].w
            a[i].w = 7
        return kernel
    agree(queue, build, N, a=filled(BODY))


def test_what_was_written_is_what_is_read_next(queue):
    def build(a, b):
        def kernel(i):
            a[i].x = a[i].y + a[i].z
            a[i].y = a[i].x * 2
            a[i].z = a[i].x + a[i].y
            a[i].w = a[i].z
            p = b[i]
            x, y = p.x, p.y
            p.x = y
            p.y = p.x + x
            p.z, p.w = p.w, p.z
        return kernel
    agree(queue, build, N, a=filled(BODY), b=filled(BODY, 1))


def test_an_index_that_changes_names_another_record(queue):
    def build(a, out):
        def kernel(i):
            k = i % N
            x = a[k].x + a[k].y
            k = (k + 1) % N
            y = a[k].x - a[k].y
            for j in range(3):
                k = (k + j) % N
                if a[k].z > 20:
                    y += a[k].z * a[k].w
                    continue
                x += a[k].x
            out[i] = x + 100 * y
        return kernel
    agree(queue, build, N, a=filled(BODY), out=np.zeros(N))


def test_mixed_numbers_keep_their_bits(queue):
    def build(a, b, c):
        def kernel(i):
            p = a[i]
            b[i].k = -p.k
            b[i].u = p.u - 50
            b[i].x = p.x / 3
            c[i].m, c[i].n = c[i].m / p.k, c[i].n * -3
        return kernel
    agree(queue, build, N, a=filled(MIXED), b=filled(MIXED, 1), c=filled(WIDE))


def test_some_lanes_steps_and_scalar_views_of_the_same_memory(queue):
    a = filled(BODY)
    flat = a.view(np.float32)
    expected = a.copy()

    def kernel(i):
        if i % 4 == 1:
            k = 2 * i % N
            total = a[k].x + a[k].y + a[k].z + a[k].w
            a[i].w = total
    read = a.copy()
    for i in range(1, N, 4):
        if 2 * i % N % 4 != 1:  # nobody writes what is read
            expected[i]["w"] = sum(read[2 * i % N].item())

    def guarded(i):
        if 2 * i % N % 4 != 1:
            kernel(i)
    queue.parallel_for(N, guarded).wait()
    np.testing.assert_array_equal(a, expected)

    def through(i):
        a[i].x = 1
        a[i].y = flat[4 * i] + 1
        a[i].z = flat[4 * i + 1] + 1
        a[i].w = a[i].z
    queue.parallel_for(N, through).wait()
    assert a.tolist() == [(1, 2, 3, 3)] * N


@pytest.mark.row("B-32")
def test_local_memory_holds_records(queue):
    a, out = filled(BODY)[:40].view(np.ndarray), np.zeros(40, BODY)

    def kernel(it, tile):
        i, k = it.get_global_id(0), it.get_local_id(0)
        tile[k] = a[i]
        sycl.group_barrier(it.get_group())
        p = tile[7 - k]
        out[i].x = p.w
        out[i].y = p.z
        out[i].z = p.y
        out[i].w = p.x
    queue.parallel_for(sycl.nd_range(40, 8), kernel, sycl.local_accessor(BODY, 8)).wait()
    back = a.reshape(5, 8)[:, ::-1].ravel()
    assert out.tolist() == [tuple(reversed(p)) for p in back.tolist()]
