"""Launches prepared once: queue.bind and kernel.bind."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


@pytest.mark.row("A-24")
def test_a_bound_kernel_runs_at_each_call(queue):
    count = np.zeros(5, np.int32)

    def add(i, out, step):
        out[i] += step

    bound = queue.bind(5, add, count, 3)
    assert "bound kernel 'add' over 5" in repr(bound)
    for _ in range(4):
        last = bound()
    queue.wait()
    assert isinstance(last, sycl.event)
    assert [12] * 5 == count.tolist()


@pytest.mark.row("A-24")
def test_kernel_bind_is_queue_bind(queue):
    out = np.zeros((2, 3))

    @sycl.kernel
    def where(i, out):
        out[i] = 10 * i[0] + i[1]

    where.bind(queue, (2, 3), out)().wait()
    assert [[0, 1, 2], [10, 11, 12]] == out.tolist()


@pytest.mark.row("A-24")
def test_captures_are_those_of_the_binding(queue):
    out = np.zeros(1)
    factor = 2.0

    def scale(i):
        out[i] = factor

    bound = queue.bind(1, scale)
    factor = 5.0
    bound().wait()
    assert 2.0 == out[0]


@pytest.mark.row("A-24")
def test_it_waits_for_the_events_it_is_given(queue):
    out = np.zeros(1)

    def slow(i):
        for _ in range(20000):
            out[i] += 1

    def double(i):
        out[i] *= 2

    queue.bind(1, double)(depends_on=queue.parallel_for(1, slow)).wait()
    assert 40000 == out[0]


@pytest.mark.row("A-24")
def test_freed_memory_is_refused(queue):
    cell = sycl.malloc_shared(1, np.float32, queue)

    def write(i, out):
        out[i] = 1

    bound = queue.bind(1, write, cell)
    sycl.free(cell, queue)
    with pytest.raises(sycl.exception, match="freed") as caught:
        bound()
    assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("A-24")
def test_what_cannot_be_launched_cannot_be_bound(queue):
    with pytest.raises(sycl.exception, match="kernel"):
        queue.bind(1, 3)
    with pytest.raises(sycl.KernelError):
        queue.bind(1, lambda i: print(len({})))
