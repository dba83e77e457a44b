"""Launches that differ in numbers and ranges alone, many in a row: each has its own."""

import threading

import numpy as np
import pytest

import unisycl as sycl
from unisycl.testing import refused

N = 64
TIMES = 80  # more than are looked at one by one, and more than pass between two that are noted


def put(i, out, k, x):
    out[i] = np.float64(k) + np.float64(x)


def put_at(i, out, at, x):
    out[at + i] = x


def turns(i, out, n):
    x = np.float64(0)
    for _ in range(n):
        x += np.float64(0.5)
    out[i] = x


def put_nd(it, out, x):
    out[it.get_global_id(0)] = x


def scaled(i, a, b, by):
    b[i] = a[i] * by


@pytest.mark.row("C-2")
@pytest.mark.parametrize("kind", [int, np.int8, np.uint16, np.int32, np.uint64, np.float32, bool])
def test_numbers_of_each_type(queue: sycl.queue, kind: type) -> None:
    out = sycl.malloc_shared(N, np.float64, queue)
    with refused(queue.get_device(), sycl.aspect.fp64):
        for turn in range(TIMES):
            number, other = kind(turn * 7 % 120), -turn
            queue.parallel_for(N, put, out, number, other).wait()
            assert (np.asarray(out) == float(number) + other).all()
        queue.parallel_for(N, put, out, kind(1), (1 << 62)).wait()
        assert (np.asarray(out) == float((1 << 62) + 1)).all()


@pytest.mark.row("C-2")
def test_numbers_that_do_not_fit_are_refused_and_others_go_on(queue: sycl.queue) -> None:
    out = sycl.malloc_shared(N, np.int64, queue)
    for turn in range(TIMES):
        queue.parallel_for(N, put_at, out, 0, turn).wait()
        if turn in (30, 50, 70):
            with pytest.raises(sycl.exception):
                queue.parallel_for(N, put_at, out, 0, 1 << 63)
            with pytest.raises(sycl.exception):
                queue.parallel_for(N, put_at, out, 0, turn, turn)
        assert (np.asarray(out) == turn).all()


@pytest.mark.row("C-2")
def test_a_number_that_makes_a_launch_long(queue: sycl.queue) -> None:
    out = sycl.malloc_shared(N, np.float64, queue)
    with refused(queue.get_device(), sycl.aspect.fp64):
        for turn in range(TIMES):
            count = 4_000 if turn in (29, 61) else turn
            queue.parallel_for(N, turns, out, count).wait()
            assert (np.asarray(out) == count / 2).all()


@pytest.mark.row("C-2")
def test_ranges_offsets_and_values_of_a_wavefront(queue: sycl.queue) -> None:
    out, want = sycl.malloc_shared(4 * N, np.int64, queue), np.zeros(4 * N, np.int64)
    out[...] = 0
    for turn in range(4 * TIMES):
        count, at = 1 + turn * 13 % 50, turn * 29 % 150
        queue.parallel_for(count, put_at, out, at, turn).wait()
        want[at:at + count] = turn
        assert (np.asarray(out) == want).all()
    for turn in range(TIMES):
        queue.parallel_for(sycl.nd_range(4 * N, 16 << turn % 3), put_nd, out, turn).wait()
        assert (np.asarray(out) == turn).all()


@pytest.mark.row("C-2")
def test_arrays_and_pointers_that_change_are_seen(queue: sycl.queue) -> None:
    arrays = [np.full(N, k, np.float32) for k in range(3)]
    outs = [np.zeros(N, np.float32) for _ in range(3)]
    for turn in range(2 * TIMES):
        a, b = arrays[turn // 20 % 3], outs[turn // 30 % 3]
        queue.parallel_for(N, scaled, a, b, np.float32(turn)).wait()
        assert (b == a * np.float32(turn)).all()
    pointer = sycl.malloc_shared(N, np.float32, queue)
    source = sycl.malloc_shared(N, np.float32, queue)
    source[...] = 2
    for turn in range(TIMES):
        queue.parallel_for(N, scaled, source, pointer, np.float32(turn)).wait()
        assert (np.asarray(pointer) == 2 * turn).all()
    sycl.free(pointer, queue)
    with pytest.raises(sycl.exception):
        queue.parallel_for(N, scaled, source, pointer, np.float32(1))


@pytest.mark.row("C-2")
def test_numbers_that_stay_are_right_too(queue: sycl.queue) -> None:
    out = sycl.malloc_shared(N, np.int64, queue)
    for turn in range(6 * TIMES):
        number = turn if turn // TIMES % 2 == 0 else turn // TIMES
        queue.parallel_for(N, put_at, out, 0, number).wait()
        assert out[N - 1] == number


@pytest.mark.row("C-2")
def test_threads_have_their_own_numbers(queue: sycl.queue) -> None:
    outs = [sycl.malloc_shared(N, np.int64, queue) for _ in range(3)]
    shared, wrong = sycl.malloc_shared(N * 3, np.int64, queue), []

    def work(k: int) -> None:
        for turn in range(2 * TIMES):
            queue.parallel_for(N, put_at, outs[k], 0, turn * 3 + k).wait()
            queue.parallel_for(N, put_at, shared, N * k, turn * 3 + k).wait()
            if (np.asarray(outs[k]) != turn * 3 + k).any() or (
                    np.asarray(shared)[N * k:N * k + N] != turn * 3 + k).any():
                wrong.append((k, turn))
    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []


POINT = np.dtype([("x", np.float32), ("inner", [("k", np.int16), ("y", np.float64)]),
                  ("z", np.int32)])


def put_point(i, out, p, by):
    out[i] = p.x + p.inner.y + p.z * by


def put_vector(i, out, v):
    out[i] = v.x + v.y * np.float32(2) + v.z * np.float32(4)


def put_complex(i, out, c):
    out[i] = np.float32(c.real) - np.float32(c.imag)


@pytest.mark.row("C-2")
def test_structs_vectors_and_complex_numbers(queue: sycl.queue) -> None:
    out, single = (sycl.malloc_shared(N, kind, queue) for kind in (np.float64, np.float32))
    place, other = np.zeros((), POINT)[()], np.zeros((), np.dtype(POINT.descr))[()]
    with refused(queue.get_device(), sycl.aspect.fp64):
        for turn in range(TIMES):
            point = other if turn % 5 == 3 else place  # changed in place, never another object
            point["x"], point["inner"]["y"], point["z"] = turn / 2, turn * 3, -turn
            queue.parallel_for(N, put_point, out, point, turn).wait()
            assert (np.asarray(out) == turn / 2 + turn * 3 - turn * turn).all()
    for turn in range(TIMES):
        queue.parallel_for(N, put_vector, single, sycl.float3(turn, 2 * turn, 1)).wait()
        assert (np.asarray(single) == 5 * turn + 4).all()
    for turn in range(TIMES):
        number = np.complex64(turn + 3j) if turn % 3 else turn + 3j
        queue.parallel_for(N, put_complex, single, number).wait()
        assert (np.asarray(single) == turn - 3).all()


@pytest.mark.row("C-2")
def test_kernels_memories_and_ranges_by_turns(queue: sycl.queue) -> None:
    outs = [sycl.malloc_shared(4 * N, np.int64, queue) for _ in range(2)]
    whole = [sycl.malloc_shared(4 * N, np.float64, queue) for _ in range(2)]
    want = np.zeros((2, 4 * N))
    for out in (*outs, *whole):
        out[...] = 0
    with refused(queue.get_device(), sycl.aspect.fp64):
        for turn in range(3 * TIMES):
            k, count = turn % 2, 1 + turn * 13 % N
            queue.parallel_for(count, put_at, outs[k], turn % 50, turn)
            want[k, turn % 50:turn % 50 + count] = turn
            queue.parallel_for(count, turns, whole[1 - k], turn % 40)
            queue.parallel_for(sycl.nd_range(4 * N, 16), put_nd, whole[k], turn)
            queue.wait()
            assert (np.asarray(outs[k]) == want[k]).all()
            assert (np.asarray(whole[1 - k])[:count] == turn % 40 / 2).all()
            assert (np.asarray(whole[k]) == turn).all()


def add_one(i, a):
    a[i] += np.float32(1)


def add_plane(i, a, by):
    a[i[0], i[1]] += np.float32(by)


def copied(i, a, b):
    b[i] = a[i]


@pytest.mark.row("C-2")
def test_parts_of_arrays_are_others_each_time(queue: sycl.queue) -> None:
    whole = np.zeros((N, N), np.float32)
    want = whole.copy()
    for turn in range(TIMES):
        k = turn * 7 % N
        for part in (lambda x: x[k], lambda x: x[:, k], lambda x: x[3, k // 2:k // 2 + 9],
                     lambda x: x[k, ::-2], lambda x: x.reshape(-1)[k * 5:k * 5 + 20]):
            queue.parallel_for(part(whole).size, add_one, part(whole)).wait()
            part(want)[...] += 1
        plane = slice(k // 4, k // 4 + 5), slice(k // 2, k // 2 + 3)
        queue.parallel_for((5, 3), add_plane, whole[plane], turn).wait()
        want[plane] += turn
        queue.parallel_for((5, N), add_plane, whole[plane[0]], turn).wait()
        want[plane[0]] += turn
        assert (whole == want).all()


@pytest.mark.row("C-2")
def test_memories_of_every_kind_by_turns(queue: sycl.queue) -> None:
    """One kernel may be given pointers, arrays, others' arrays, read-only and empty ones."""
    pointer = sycl.malloc_shared(N, np.float32, queue)
    pointer[...] = 7
    kept = np.full(N, 3, np.float32)
    for turn in range(TIMES):
        fresh = np.full(N, turn, np.float32)
        fixed = np.full(N, turn + 1, np.float32)
        fixed.flags.writeable = False
        out = np.zeros(N, np.float32)
        for source in (fresh, pointer, fixed, kept, fresh[::-1], fresh[:N]):
            queue.parallel_for(N, copied, source, out).wait()
            assert (out == np.asarray(source)).all()
        queue.parallel_for(0, copied, fresh[:0], out).wait()
        queue.parallel_for(N, copied, fresh, pointer).wait()
        assert (np.asarray(pointer) == turn).all()


@pytest.mark.row("C-2")
def test_an_array_of_freed_memory_is_refused_among_others(queue: sycl.queue) -> None:
    out = np.zeros(N, np.float32)
    for turn in range(TIMES):
        pointer = sycl.malloc_shared(N, np.float32, queue)
        pointer[...] = turn
        seen = pointer.get_view()
        queue.parallel_for(N // 2, copied, seen[turn % 8:], out).wait()
        assert (out[:N // 2] == turn).all()
        sycl.free(pointer, queue)
        with pytest.raises(sycl.exception, match="freed"):
            queue.parallel_for(N // 2, copied, seen[turn % 8:], out)
