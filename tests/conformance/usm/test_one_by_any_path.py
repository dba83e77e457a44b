"""Memory that a kernel comes to by several paths is one memory: what one path writes, others read.

Beside USM memory: arrays, accessors, device globals, streams and private arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.oneapi.experimental import device_global

relaxed, whole = sycl.memory_order.relaxed, sycl.memory_scope.device
N = 64
variable = device_global(np.int32, N)
its_other_name = variable


@dataclass(eq=False)
class Holder:
    at: Any

    def add(self, i, value):
        self.at[i] += value


def sums(i, out, a, b, n):
    """Each turn writes what the next one reads by another path."""
    for k in range(n):
        out[i] += a[i] + b[i]
        a[i] -= 1



def by_record(i, holder, b):
    b[i] = 3
    holder.add(i, b[i])
    b[i] *= holder.at[i]


def histogram(i, values, one, other):
    sycl.atomic_ref(one, values[i] % 4, relaxed, whole).fetch_add(1)
    sycl.atomic_ref(other, values[i] % 3, relaxed, whole).fetch_add(10)


def chase(i, one, other):
    one[i] = 5 * i[0]
    other[i] = one[i] + 1
    one[i] = other[i] + one[i]


def memories(queue, kind):
    if kind == "usm":
        return [sycl.malloc_shared(N, np.int32, queue) for _ in range(3)]
    return [np.zeros(N, np.int32) for _ in range(3)]


@pytest.mark.part("C-13")
@pytest.mark.parametrize("kind", ["usm", "array"])
def test_memory_by_two_paths_is_one_in_each_launch(queue, kind):
    k = np.arange(N)
    for which in ((0, 1, 2), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 0, 0), (0, 1, 2)):
        given, held = memories(queue, kind), [np.arange(N, dtype=np.int32) + r for r in range(3)]
        for g, h in zip(given, held, strict=True):
            g[:] = h
        queue.parallel_for(N, sums, *(given[w] for w in which), 5).wait()
        for _ in range(5):
            held[which[0]] += held[which[1]] + held[which[2]]
            held[which[1]] -= 1
        for g, h in zip(given, held, strict=True):
            assert g[:].tolist() == h.tolist(), which
    for same in (True, False):
        one, other, _ = memories(queue, kind)
        one[:], other[:] = 7, 7
        queue.parallel_for(N, by_record, Holder(one), one if same else other).wait()
        assert one[:].tolist() == [36 if same else 10] * N
        queue.parallel_for(N, chase, one, one if same else other).wait()
        assert one[:].tolist() == (10 * k + 2 if same else 10 * k + 1).tolist()

        def closed(i, b):
            one[i] = 4  # noqa: B023
            b[i] += one[i]  # noqa: B023
        queue.parallel_for(N, closed, one if same else other).wait()
        assert one[:].tolist() == [8 if same else 4] * N


@pytest.mark.part("C-13")
def test_sums_by_two_paths_are_all_there(queue):
    many = 1 << 14
    values = sycl.malloc_shared(many, np.int32, queue)
    values[:] = np.random.default_rng(3).integers(0, 12, many)
    found = values[:].copy()
    ones, tens = np.bincount(found % 4, minlength=4), 10 * np.bincount(found % 3, minlength=4)
    one, other = (sycl.malloc_shared(4, np.int32, queue) for _ in range(2))
    for same in (True, False, True):
        one[:], other[:] = 0, 0
        queue.parallel_for(many, histogram, values, one, one if same else other).wait()
        assert one[:].tolist() == (ones + tens if same else ones).tolist()
        assert other[:].tolist() == ([0] * 4 if same else tens.tolist())


@pytest.mark.part("C-13")
def test_parts_that_overlap_are_one(queue):
    whole = sycl.malloc_shared(2 * N, np.int32, queue)
    array = np.zeros(2 * N, np.int32)
    for memory in (whole, array):
        memory[:] = 1
        left, right = memory[:N], memory[8:N + 8]
        queue.single_task(lambda a, b: along(a, b), left, right).wait()
        known = np.ones(2 * N, np.int64)
        for k in range(N):
            known[8 + k] += known[k]
            known[k] += 1
        assert memory[:].tolist() == known.tolist()


def along(a, b):
    for k in range(N):
        b[k] += a[k]
        a[k] += 1


@pytest.mark.part("C-13")
def test_accessors_of_one_buffer_are_one_memory(queue):
    for which in ("twice", "two", "record"):
        buf = sycl.buffer(np.full(N, 7, np.int32))

        def group(h):
            one = sycl.accessor(buf, h, sycl.read_write)  # noqa: B023
            other = sycl.accessor(buf, h, sycl.read_write) if which == "two" else one  # noqa: B023
            if which == "record":  # noqa: B023
                h.parallel_for(N, by_record, Holder(one), other)
            else:
                h.parallel_for(N, chase, one, other)
        queue.submit(group).wait()
        expected = [36] * N if which == "record" else [10 * k + 2 for k in range(N)]
        assert sycl.host_accessor(buf)[:].tolist() == expected, which


@pytest.mark.part("C-13")
def test_a_variable_of_the_device_is_one_by_any_name(queue):
    out = np.zeros(N, np.int32)

    def kernel(i, out, held):
        variable[i] = i[0]
        its_other_name[i] += 100
        held.at[i] += 1000
        out[i] = variable[i]
    queue.parallel_for(N, kernel, out, Holder(variable)).wait()
    assert out.tolist() == [1100 + k for k in range(N)]


@pytest.mark.part("C-13")
def test_private_arrays_and_rows_are_one_by_any_name(queue):
    out = np.zeros((N, 2), np.int32)

    def fill(a, b, i):
        a[0] = i
        b[0] += 5
        b[1] = a[0] + 1
        a[1] += b[1]

    def kernel(i, out):
        own = sycl.private_array(np.int32, 2)
        own[1] = 0
        fill(own, own, i[0])
        row = out[i]
        fill(row, out[i], own[0])
        row[1] += own[1]
    queue.parallel_for(N, kernel, out).wait()
    k = np.arange(N)
    assert out.tolist() == np.stack([k + 10, 2 * (k + 11) + 2 * (k + 6)], 1).tolist()


@pytest.mark.part("D-47")
def test_a_stream_by_two_paths_is_one(queue, capsys):
    def launch(h):
        out = sycl.stream(1024, 64, h)

        def kernel(i, held, other):
            out << "a" << i[0]
            held.at << "b"
            other << "c" << sycl.endl
            held.at << "end"
        h.parallel_for(3, kernel, Holder(out), out)
    queue.submit(launch).wait_and_throw()
    text = capsys.readouterr().out
    for k in range(3):
        assert text.count(f"a{k}bc\n") == 1
    assert text.count("end") == 3
    assert len(text) == 3 * len("a0bc\nend")
