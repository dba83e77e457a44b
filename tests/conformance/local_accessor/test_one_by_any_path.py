"""A group's memory is one, by whatever paths a kernel comes to it, and two are two."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import unisycl as sycl

N = 8
SPACE = sycl.nd_range(N, N)


@dataclass(eq=False)
class Holder:
    at: Any

    def put(self, k, value):
        self.at[k] = value

    def get(self, k):
        return self.at[k]


@dataclass(eq=False)
class Outer:
    inner: Any


class Pair(NamedTuple):
    first: Any
    second: Any


def twice(it, out, a, b):
    i = it.get_local_id(0)
    a[i] = i + 1
    b[i] = 10 * (i + 1)
    sycl.group_barrier(it.get_group())
    out[i] = a[N - 1 - i] + 1000 * b[N - 1 - i]


def records(it, out, a, b):
    twice(it, out, a.at, b.inner.at)


def first_record(it, out, a, b):
    twice(it, out, a.at, b)


def methods(it, out, put, get):
    i = it.get_local_id(0)
    put(i, i + 1)
    sycl.group_barrier(it.get_group())
    out[i] = get(N - 1 - i)


def of_tuple(it, out, pair):
    twice(it, out, pair[0], pair[1])


def of_names(it, out, pair):
    twice(it, out, pair.first, pair.second)


def stored(a, i, value):
    a[i] = value


def loaded(a, i):
    return a[i]


def of_partial(it, out, store, load, b):
    i = it.get_local_id(0)
    store(i, i + 1)
    b[i] = 10 * (i + 1)
    sycl.group_barrier(it.get_group())
    out[i] = load(N - 1 - i) + 1000 * b[N - 1 - i]


def of_call(it, out, call):
    call(it, out)


def expected(*, one):
    k = np.arange(N, 0, -1)
    return (1000 * 10 * k + (10 * k if one else k)).tolist()


def cells():
    return sycl.local_accessor(np.int64, N)


def closed(a):
    def kernel(it, out, b):
        twice(it, out, a, b)
    return kernel


def through(a):
    def put(i, value):
        a[i] = value

    def kernel(it, out, b):
        i = it.get_local_id(0)
        b[i] = i + 1
        put(i, 10 * (i + 1))
        sycl.group_barrier(it.get_group())
        out[i] = b[N - 1 - i] + 1000 * a[N - 1 - i]
    return kernel


LAUNCHES = {
    "arguments": lambda a, b: (twice, a, b),
    "records": lambda a, b: (records, Holder(a), Outer(Holder(b))),
    "a record and an argument": lambda a, b: (first_record, Holder(a), b),
    "a tuple": lambda a, b: (of_tuple, (a, b)),
    "a tuple with names": lambda a, b: (of_names, Pair(a, b)),
    "a closure and an argument": lambda a, b: (closed(a), b),
    "partial functions and an argument": lambda a, b: (
        of_partial, functools.partial(stored, a), functools.partial(loaded, a), b),
    "a partial function": lambda a, b: (of_call, functools.partial(twice, a=a, b=b)),
    "a function's closure": lambda a, b: (through(b), a),
}


@pytest.mark.part("B-32")
@pytest.mark.parametrize("path", LAUNCHES)
def test_memory_that_two_paths_lead_to_is_one_in_each_launch(queue, path):
    make = LAUNCHES[path]
    for one in (True, False, True, False):  # each launch says anew which
        a = cells()
        kernel, *given = make(a, a if one else cells())
        out = np.zeros(N, np.int64)
        queue.parallel_for(SPACE, kernel, out, *given).wait()
        assert out.tolist() == expected(one=one), one


@pytest.mark.part("B-32")
def test_bound_methods_of_other_objects_share_it(queue):
    a = cells()
    for put, get in ((Holder(a).put, Holder(a).get), (Holder(a).put, a)):
        out = np.zeros(N, np.int64)
        if get is a:
            def kernel(it, out, put, tile):
                methods(it, out, put, lambda k: tile[k])
        else:
            kernel = methods
        queue.parallel_for(SPACE, kernel, out, put, get).wait()
        assert out.tolist() == list(range(N, 0, -1))


@pytest.mark.part("B-32")
def test_of_three_any_two_may_be_one(queue):
    def kernel(it, out, a, b, c):
        i = it.get_local_id(0)
        a[i] = i + 1
        b[i] = 100 + i
        c[i] = 10000 + i
        sycl.group_barrier(it.get_group())
        k = N - 1 - i
        out[i, 0], out[i, 1], out[i, 2] = a[k], b[k], c[k]

    for which in ((0, 1, 2), (0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 0, 0), (0, 1, 2)):
        tiles = [cells() for _ in range(3)]
        out = np.zeros((N, 3), np.int64)
        queue.parallel_for(SPACE, kernel, out, *(tiles[w] for w in which)).wait()
        last = dict(zip(which, (1, 100, 10000), strict=True))
        k = np.arange(N)[::-1]
        assert out.tolist() == np.stack([last[w] + k for w in which], 1).tolist(), which


@pytest.mark.part("B-32")
def test_others_of_another_kind_are_others(queue):
    """Types, work_group_memory and command groups, and memory that is as large as there is."""
    out = np.zeros(N, np.int64)
    a = sycl.ext.oneapi.experimental.work_group_memory(np.int64, N)
    queue.parallel_for(SPACE, twice, out, a, a).wait()
    assert out.tolist() == expected(one=True)
    queue.parallel_for(SPACE, twice, out, a, cells()).wait()
    assert out.tolist() == expected(one=False)
    queue.parallel_for(SPACE, twice, out, cells(), sycl.local_accessor(np.int32, N)).wait()
    assert out.tolist() == expected(one=False)

    def group(h):
        tile = sycl.local_accessor(np.int64, N, h)
        h.parallel_for(SPACE, twice, out, tile, tile)
    queue.submit(group).wait()
    assert out.tolist() == expected(one=True)
    most = queue.get_device().get_info(sycl.info.device.local_mem_size)
    large = sycl.local_accessor(np.int64, most // 8 * 3 // 4)  # one fits, two do not
    queue.parallel_for(SPACE, twice, out, large, large).wait()
    assert out.tolist() == expected(one=True)


@pytest.mark.part("B-32")
def test_kernels_may_ask_whether_two_are_one(queue):
    def kernel(it, out, a, b, x, y):
        i = it.get_local_id(0)
        a[i] = i
        b[i] = i
        if a is b:
            out[i] = x[i] + y[i] + 1
        if a is not b:
            out[i] = x[i] + y[i] + 2
        if x is y:
            out[i] += 10
        z = x
        if z is x and x is not out:
            out[i] += 100

    x, y = np.arange(N), np.arange(N)
    for one in (True, False):
        for same in (False, True):
            a, out = cells(), np.zeros(N, np.int64)
            queue.parallel_for(SPACE, kernel, out, a, a if one else cells(), x,
                               x if same else y).wait()
            assert out.tolist() == [2 * i + 101 + (not one) + 10 * same for i in range(N)]


@pytest.mark.part("B-32")
def test_names_that_turn_between_two_know_whether_they_are_one(queue):
    def kernel(it, out, a, b, rounds):
        i = it.get_local_id(0)
        a[i] = i
        b[i] = 100 + i
        src, dst = a, b
        for _ in range(rounds):
            sycl.group_barrier(it.get_group())
            dst[i] = src[i] + 1
            src, dst = dst, src
        sycl.group_barrier(it.get_group())
        out[i] = src[i]
        if src is a:
            out[i] += 1000
        if src is not b:
            out[i] += 2000
        if src is dst:
            out[i] += 4000

    for one in (False, True):
        for rounds in (2, 3):
            a, out = cells(), np.zeros(N, np.int64)
            queue.parallel_for(SPACE, kernel, out, a, a if one else cells(), rounds).wait()
            first = 100 if one else 0
            more = 5000 if one else 3000 * (rounds % 2 == 0)
            assert out.tolist() == [i + first + rounds + more for i in range(N)], (one, rounds)


@pytest.mark.part("B-32")
def test_whether_two_parts_are_one_object_is_refused(queue):
    def kernel(it, out, a):
        if out[0] is out[1]:
            a[0] = 1

    with pytest.raises(sycl.exception, match="K036"):
        queue.parallel_for(SPACE, kernel, np.zeros((N, N)), cells())

    def parts(it, out, a):
        if out[0] is not out:
            out[it.get_local_id(0), 0] = 1
    out = np.zeros((N, N))
    queue.parallel_for(SPACE, parts, out, cells()).wait()
    assert out[:, 0].tolist() == [1] * N
