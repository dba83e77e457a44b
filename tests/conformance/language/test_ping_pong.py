"""Names that stand for one of several memories: ping-pong, and memory chosen by a condition."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

ITEMS, LOCAL = 8, 4


def wait(it):
    sycl.group_barrier(it.get_group())


def swapped_by_a_tuple(it, out, a, b):
    k, n = it.get_local_id(0), it.get_local_range(0)
    src, dst = a, b
    src[k] = k
    wait(it)
    for _ in range(3):
        dst[k] = src[(k + 1) % n] * 2
        wait(it)
        src, dst = dst, src
    out[it.get_global_id(0)] = src[k]


def parameters_swapped_by_a_third_name(it, out, src, dst):
    k, n = it.get_local_id(0), it.get_local_range(0)
    src[k] = k
    wait(it)
    step = 1
    while step < n:
        dst[k] = src[k]
        if k >= step:
            dst[k] += src[k - step]
        wait(it)
        t = src
        src = dst
        dst = t
        step *= 2
    out[it.get_global_id(0)] = src[k]


def private_arrays(it, out, a, b):
    x, y = sycl.private_array(np.int32, 4), sycl.private_array(np.int32, 4)
    for k in range(4):
        x[k] = k
        y[k] = 0
    p, q = x, y
    for _ in range(it.get_global_id(0) % 3 + 1):
        for k in range(4):
            q[k] = p[(k + 1) % 4] + 1
        p, q = q, p
    out[it.get_global_id(0)] = p[0] * 100 + p[3]


def three_in_turn(it, out, a, b):
    x, y, z = (sycl.private_array(np.int32, 2), sycl.private_array(np.int32, 2),
               sycl.private_array(np.int32, 2))
    x[0] = 1
    y[0] = 20
    z[0] = 300
    for k in range(it.get_global_id(0)):
        x, y, z = y, z, x
        if k == 4:
            break
        x[0] += 1
    out[it.get_global_id(0)] = x[0] * 10 + y[0]


def by_a_conditional_expression(it, out, a, b):
    k = it.get_local_id(0)
    a[k], b[k] = k, 100 + k
    p = a if k % 2 else b
    p[k] += 5
    q = p if k < 2 else a
    out[it.get_global_id(0)] = p[k] * 1000 + q[k]


def by_branches(it, out, a, b):
    k = it.get_local_id(0)
    a[k], b[k] = k, 100 + k
    if k % 3 == 0:
        p = a
    else:
        p = b
    p[k] *= 3
    out[it.get_global_id(0)] = a[k] * 1000 + b[k]


def get(p, k):
    return p[k]


def put(p, k, value):
    p[k] = value


def pick(a, b, first):
    if first:
        return a
    return b


def through_functions(it, out, a, b):
    k = it.get_local_id(0)
    a[k], b[k] = k, 100 + k
    p = pick(a, b, k % 2)
    put(p, k, get(p, k) + 1)
    out[it.get_global_id(0)] = get(p, k) + get(a, k)


def an_index_with_an_effect_counts_once(it, out, a, b):
    k = it.get_local_id(0)
    a[k], b[k] = k, 100 + k
    hits = sycl.private_array(np.int32, 1)
    hits[0] = 0

    def at():
        hits[0] += 1
        return k
    p = a if k > 1 else b
    p[at()] += 1
    out[it.get_global_id(0)] = p[at()] * 10 + hits[0]


def in_a_function_that_sees_the_name(it, out, a, b):
    k = it.get_local_id(0)
    a[k], b[k] = k, 100 + k
    p = a

    def now():
        return p[k]
    before = now()
    if k > 1:
        p = b
    out[it.get_global_id(0)] = before * 1000 + now()


KERNELS = [in_a_function_that_sees_the_name, swapped_by_a_tuple,
           parameters_swapped_by_a_third_name, private_arrays, three_in_turn,
           by_a_conditional_expression, by_branches, through_functions,
           an_index_with_an_effect_counts_once]


def plain(kernel):
    """Return what a kernel gives as Python runs it, work-items side by side where they wait."""
    return {
        "in_a_function_that_sees_the_name": lambda k, i: k * 1000 + (100 + k if k > 1 else k),
        "swapped_by_a_tuple": lambda k, i: (k + 3) % LOCAL * 8,
        "parameters_swapped_by_a_third_name": lambda k, i: k * (k + 1) // 2,
        "private_arrays": lambda k, i: [201, 403, 605][i % 3],
        "three_in_turn": lambda k, i: turns(i),
        "by_a_conditional_expression": lambda k, i: (
            (k + 5 if k % 2 else 105 + k) * 1000 + (
                (k + 5 if k % 2 else 105 + k) if k < 2 else (k + 5 if k % 2 else k))),
        "by_branches": lambda k, i: (k * 3 if k % 3 == 0 else k) * 1000 + (
            100 + k if k % 3 == 0 else 3 * (100 + k)),
        "through_functions": lambda k, i: (2 * (k + 1) if k % 2 else 101 + k + k),
        "an_index_with_an_effect_counts_once": lambda k, i: (
            (k if k > 1 else 100 + k) + 1) * 10 + 2,
    }[kernel.__name__]


def turns(i):
    x, y, z = [1], [20], [300]
    for k in range(i):
        x, y, z = y, z, x
        if k == 4:
            break
        x[0] += 1
    return x[0] * 10 + y[0]


@pytest.mark.row("D-55", "B-32")
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.__name__)
def test_names_of_local_and_private_arrays(queue: sycl.queue, kernel) -> None:
    out = sycl.malloc_shared(ITEMS, np.int32, queue)
    queue.submit(lambda h: h.parallel_for(
        sycl.nd_range(ITEMS, LOCAL), kernel, out, sycl.local_accessor(np.int32, LOCAL, h),
        sycl.local_accessor(np.int32, LOCAL, h))).wait()
    expected = plain(kernel)
    assert [expected(i % LOCAL, i) for i in range(ITEMS)] == out[:].tolist()


def smooth(it, a, b):
    src, dst = a, b
    i, j = it.get_global_id(0), it.get_global_id(1)
    for _ in range(3):
        dst[i, j] = src[i][j] + src[i, (j + 1) % 4]
        wait(it)
        src, dst = dst, src


@pytest.mark.row("D-55", "B-22")
def test_accessors_of_two_dimensions(queue: sycl.queue) -> None:
    first, second = np.arange(16, dtype=np.float32).reshape(4, 4), np.zeros((4, 4), np.float32)
    a, b = first.copy(), second.copy()
    with sycl.buffer(first) as x, sycl.buffer(second) as y:
        queue.submit(lambda h: h.parallel_for(
            sycl.nd_range((4, 4), (4, 4)), smooth, sycl.accessor(x, h), sycl.accessor(y, h))).wait()
    for _ in range(3):
        b[:] = a + np.roll(a, -1, 1)
        a, b = b, a
    np.testing.assert_array_equal(a, second)


def step(it, a, b, count):
    src, dst = a, b
    k = it.get_local_id(0)
    for _ in range(count):
        dst[k] = src[k] * 3 + 1
        src, dst = dst, src
    dst[k] = 99


@pytest.mark.row("D-55", "B-42")
@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.float32, np.complex64])
def test_usm_of_every_kind_of_number(queue: sycl.queue, dtype) -> None:
    for count in (0, 3, 4):
        a, b = (sycl.malloc_shared(4, dtype, queue) for _ in range(2))
        a[:] = np.arange(4)
        b[:] = 0
        queue.parallel_for(sycl.nd_range(4, 4), step, a, b, count).wait()
        x, y = np.arange(4).astype(dtype), np.zeros(4, dtype)
        for _ in range(count):
            y[:] = x * dtype(3) + dtype(1)
            x, y = y, x
        assert x.tolist() == (b if count % 2 else a)[:].tolist()


@pytest.mark.row("D-55")
def test_memories_that_differ_have_no_name_in_common(queue: sycl.queue) -> None:
    def types(it, out, a, b):
        other = sycl.private_array(np.float32, 4)
        p = a
        if it.get_global_id(0):
            p = other
        out[0] = p[0]

    def slices(it, out, a, b):
        p = a if it.get_global_id(0) else b
        out[0] = p[1:3][0]

    out = sycl.malloc_shared(4, np.int32, queue)
    for kernel in (types, slices):
        with pytest.raises(sycl.exception, match="cannot be compiled"):
            queue.submit(lambda h, kernel=kernel: h.parallel_for(
                sycl.nd_range(4, 4), kernel, out,
                sycl.local_accessor(np.int32, 4, h), sycl.local_accessor(np.int32, 4, h)))


@pytest.mark.part
@pytest.mark.parametrize("lie", ["rows", "back", "columns", "spread"])
def test_arrays_that_lie_in_other_ways_share_a_name(queue, lie):
    """Elements of one follow one another, those of the other do not."""
    rng, n = np.random.default_rng(4), 21
    x, a = rng.integers(0, 50, n), rng.integers(0, 50, (7, 9))
    other = rng.integers(0, 50, (7, 9))
    b = {"rows": other[::-1], "back": other[:, ::-1], "columns": np.asfortranarray(other),
         "spread": np.repeat(other, 2, 1)[:, ::2]}[lie]
    d = rng.integers(0, 50, (n, 9))
    e = np.repeat(d, 2, 1)[:, ::2] if lie == "spread" else d[:, ::-1].copy()[:, ::-1]

    def kernel(i, x, a, b, d, e, out):
        src, dst = a, b
        one, two = d, e
        for k in range(x[i] % 4):
            out[i] = out[i] * 3 + src[k, x[i] % 9] + 2 * dst[k, 0]
            one[i, k] += two[i, 3] + x[i]
            src, dst = dst, src
            one, two = two, one
        p = a if x[i] % 2 else b
        out[i] += p[1, 2] + (a, b)[x[i] % 2][3, 3]
    wanted = d.copy(), e.copy(), np.zeros(n, np.int64)
    for i in range(n):
        kernel(i, x, a, b, *wanted)
    out = np.zeros(n, np.int64)
    queue.parallel_for(n, kernel, x, a, b, d, e, out).wait()
    for found, want in zip((d, e, out), wanted, strict=True):
        assert np.array_equal(found, want)
