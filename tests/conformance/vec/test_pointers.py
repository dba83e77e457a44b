"""``multi_ptr`` and casts of address spaces (SYCL 2020 §4.7.7)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

N = 64
SPACES = sycl.address_space


@pytest.mark.row("D-50")
def test_pointers_move_read_write_and_compare(queue):
    x = np.arange(N, dtype=np.float32)
    out, y = np.zeros((N, 8), np.int64), np.zeros(N // 2, np.float32)
    with sycl.buffer(x) as b:
        @queue.submit
        def group(h):
            a = sycl.accessor(b, h, sycl.read_write)

            @h.parallel_for(N // 2)
            def kernel(i):
                p = sycl.multi_ptr(a)
                q = a.get_multi_ptr(sycl.decorated.no) + i
                p += i
                p = 1 + p
                r = p - 1
                out[i, 0] = int(r[0] + r[1] - q[0] + p[-1])
                out[i, 1] = p - q
                out[i, 2] = p == q + 1
                out[i, 3] = q < p
                out[i, 4] = r != q
                out[i, 5] = p >= r
                end = a.get_pointer() + N
                total = 0.0
                while p < end:
                    total += p[0]
                    p += 1
                out[i, 6] = int(total)
                out[i, 7] = 1 if p else 0
                (sycl.multi_ptr(y) + i)[0] = -1.0
    queue.wait()
    i = np.arange(N // 2)
    half = out[:N // 2]
    np.testing.assert_array_equal(half[:, 0], 2 * i + 1)
    np.testing.assert_array_equal(half[:, 1:6], np.tile([1, 1, 1, 0, 1], (N // 2, 1)))
    assert half[:, 7].all()
    assert (y == -1).all()


@pytest.mark.row("D-50")
def test_a_pointer_goes_on_behind_the_end_of_a_row(queue):
    out = np.zeros((8, 3), np.int32)

    def kernel(it, tile):
        k = it.get_local_id(0)
        own = sycl.private_array(np.int32, (3, 4))
        cube = sycl.private_array(np.int16, (2, 3, 2))
        mine, shared, inner = sycl.multi_ptr(own), sycl.multi_ptr(tile), sycl.multi_ptr(cube[1])
        for at in range(12):
            mine[at] = k * 100 + at
        for at in range(6):
            inner[at] = at * k
        if k == 0:
            for at in range(40):
                shared[at] = at
        sycl.group_barrier(it.get_group())
        out[k, 0] = own[2, 1] + own[0, 3]
        out[k, 1] = tile[k, 4] * 10 + shared[k * 5]
        out[k, 2] = cube[1, 2, 0]
    queue.parallel_for(sycl.nd_range(8, 8), kernel, sycl.local_accessor(np.int32, (8, 5))).wait()
    k = np.arange(8)
    assert np.array_equal(np.stack((200 * k + 12, (k * 5 + 4) * 10 + k * 5, 4 * k), 1), out)


@pytest.mark.row("D-50")
def test_every_space_has_its_pointers(queue):
    out = sycl.malloc_shared(N, np.int32, queue)
    tile = sycl.local_accessor(np.int32, (2, 4))

    def kernel(it, tile):
        g, k = it.get_global_id(0), it.get_local_id(0)
        here = sycl.local_ptr[np.int32](tile)
        mine = sycl.private_array(np.int32, (2, 3))
        own = sycl.private_ptr(mine)
        own[4] = g * 10
        here[k] = own[4] + mine[1, 1]
        sycl.group_barrier(it.get_group())
        there = sycl.decorated_global_ptr(out) + g
        there.prefetch(1)
        there.get()[0] = (here.get_raw() + 7 - k)[0] + tile[0, 0] * 0
    queue.parallel_for(sycl.nd_range(N, 8), kernel, tile).wait()
    g = np.arange(N)
    np.testing.assert_array_equal(np.asarray(out), 20 * (g // 8 * 8 + 7 - g % 8))
    sycl.free(out, queue)


@pytest.mark.row("D-50", "D-8")
def test_vectors_are_loaded_through_pointers_and_assigned_in_place(queue):
    x = np.arange(4 * N, dtype=np.float32)
    v = np.zeros(N, sycl.float4)
    last = np.zeros(N, np.float32)

    def kernel(i):
        w = sycl.float4()
        w.load(i, sycl.multi_ptr(x))
        w.store(0, sycl.global_ptr(x) + 4 * i)
        p = sycl.global_ptr(v) + i
        p[0] = w * 2
        p[0].x = 7
        last[i] = sycl.constant_ptr(v)[i].w
    queue.parallel_for(N, kernel).wait()
    np.testing.assert_array_equal(v.view(np.float32).reshape(N, 4)[:, 1:],
                                  2 * np.arange(4 * N).reshape(N, 4)[:, 1:])
    assert (v["x"] == 7).all()
    np.testing.assert_array_equal(last, 2 * (np.arange(N) * 4 + 3))


@pytest.mark.row("D-50", "D-52")
def test_functions_take_pointers_of_any_space(queue):
    out = np.zeros(N, np.float32)
    x = np.arange(N, dtype=np.float32)
    tile = sycl.local_accessor(np.float32, 8)

    def total(p, count):
        s = 0.0
        for k in range(count):
            s += p[k]
        return s

    def further(p, by):
        return p + by

    def kernel(it, tile):
        g, k = it.get_global_id(0), it.get_local_id(0)
        tile[k] = x[g]
        sycl.group_barrier(it.get_group())
        mine = np.ones(3, np.float32)
        out[g] = (total(tile.get_pointer(), 8) + total(sycl.private_ptr(mine), 3)
                  + total(further(sycl.multi_ptr(x), g), 1))
    queue.parallel_for(sycl.nd_range(N, 8), kernel, tile).wait()
    np.testing.assert_allclose(out, x.reshape(-1, 8).sum(axis=1).repeat(8) + 3 + x)


@pytest.mark.row("D-51", "P-9")
def test_a_generic_pointer_is_cast_to_the_space_it_is_in_or_to_none(queue):
    out = np.zeros((8, 6), np.int32)
    tile = sycl.local_accessor(np.int32, 8)

    def kernel(it, tile):
        k = it.get_local_id(0)
        tile[k] = k
        generic = sycl.address_space_cast(SPACES.generic_space, sycl.local_ptr(tile))
        local = sycl.address_space_cast(SPACES.local_space, generic)
        out[k, 0] = local[k] if local is not None else -1
        out[k, 1] = sycl.address_space_cast(SPACES.global_space, generic) is None
        out[k, 2] = sycl.khr.dynamic_addrspace_cast(SPACES.global_space, local) is None
        out[k, 3] = sycl.khr.static_addrspace_cast(SPACES.local_space, generic)[k] == k
        out[k, 4] = sycl.raw_generic_ptr(out).address_space is SPACES.generic_space
        other = sycl.address_space_cast(SPACES.global_space, sycl.raw_generic_ptr(out))
        if other:
            out[k, 5] = (other + 6 * k)[0]
    queue.parallel_for(sycl.nd_range(8, 8), kernel, tile).wait()
    k = np.arange(8)
    np.testing.assert_array_equal(out, np.stack([k, *[np.ones(8)] * 4, k], axis=1))


@pytest.mark.row("D-50")
def test_pointers_on_the_host():
    x = np.arange(12).reshape(3, 4)
    p = sycl.multi_ptr(x)
    assert (p + 5)[1] == 6
    (p + 11)[0] = 99
    assert x[2, 3] == 99
    assert (p + 3) - p == 3
    assert p == sycl.global_ptr(x)
    assert p != sycl.multi_ptr(np.zeros(3))
    assert repr(sycl.local_ptr) == "unisycl.local_ptr"
    for wrong in (lambda: sycl.local_ptr(x), lambda: p[12], lambda: sycl.multi_ptr(5),
                  lambda: p - sycl.multi_ptr(np.zeros(3)), lambda: sycl.multi_ptr(x[:, 1:])):
        with pytest.raises(sycl.exception):
            wrong()


@pytest.mark.part("D-50")
@pytest.mark.parametrize("shift", [0, 3])
def test_vectors_stored_past_the_caches_are_there_afterwards(queue, shift):
    """A hint: what is written is the same, at the begin of a line and elsewhere."""
    x = np.arange(16 * 5, dtype=np.uint32)
    room = np.zeros(16 * 5 + 32, np.uint32)
    first = -room.__array_interface__["data"][0] % 64 // 4 + shift
    out = room[first:first + x.size]

    def kernel(it, x, out):
        line = sycl.uint16()
        for k in range(5):
            line.load(k, sycl.global_ptr(x))
            line.store(k, sycl.global_ptr(out), streaming=True)
    queue.parallel_for(sycl.nd_range(1, 1), kernel, x, out).wait()
    assert np.array_equal(x, out)
    assert not room[:first].any()
    assert not room[first + x.size:].any()
