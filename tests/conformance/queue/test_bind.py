"""Launches prepared once: queue.bind and kernel.bind."""

from __future__ import annotations

import importlib
import sys
from concurrent.futures import ThreadPoolExecutor

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
        queue.bind(1, lambda i: print(input(i)))


@pytest.mark.row("A-24")
def test_bound_kernels_of_one_function_keep_their_own_arguments(queue):
    """More of them than a driver may keep ready, between launches that are not bound."""
    in_order = sycl.queue(queue.get_device(), sycl.property.queue.in_order())
    out = sycl.malloc_device(300, in_order, dtype=np.int32)
    in_order.fill(out, 0)

    def add(i, out, at, step):
        out[at] += step

    bound = [in_order.bind(1, add, out, k, np.int32(k)) for k in range(300)]
    for _ in range(3):
        for k, launch in enumerate(bound):
            launch()
            if k % 100 == 0:
                in_order.parallel_for(1, add, out, 7, np.int32(1000))
    found = np.zeros(300, np.int32)
    in_order.memcpy(found, out, found.nbytes).wait()
    expected = 3 * np.arange(300)
    expected[7] += 9000
    assert expected.tolist() == found.tolist()


@pytest.mark.row("A-24")
def test_threads_share_a_bound_kernel_and_its_function(queue):
    """Each thread launches the bound kernel of all, and the same function with its own numbers."""
    in_order = sycl.queue(queue.get_device(), sycl.property.queue.in_order())
    out = sycl.malloc_device(5, in_order, dtype=np.int32)
    in_order.fill(out, 0)

    def add(i, out, at, step):
        out[at] += step

    bound = in_order.bind(1, add, out, 4, np.int32(1))

    def work(k):
        for n in range(20):
            bound()
            in_order.parallel_for(1, add, out, k, np.int32(n))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    found = np.zeros(5, np.int32)
    in_order.memcpy(found, out, found.nbytes).wait()
    assert [190, 190, 190, 190, 80] == found.tolist()


@pytest.mark.part("A-24")
def test_a_bound_launch_says_that_its_module_was_loaded_anew(queue, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    name = f"reloaded_{queue.get_device().get_backend().name}_{abs(hash(tmp_path))}"
    text = "def fill(i, a):\n    a[i] = {}\n"
    (tmp_path / f"{name}.py").write_text(text.format(1))
    module = importlib.import_module(name)
    found = np.zeros(3, np.int32)
    bound = queue.bind(3, module.fill, found)
    importlib.reload(module)  # the same text: nothing to say
    bound().wait()
    (tmp_path / f"{name}.py").write_text(text.format("2 + 0"))
    importlib.reload(module)
    with pytest.warns(sycl.KernelWarning, match="bind it again"):
        bound()
    bound().wait()  # which says nothing again
    queue.bind(3, module.fill, found)().wait()
    assert found.tolist() == [2, 2, 2]
