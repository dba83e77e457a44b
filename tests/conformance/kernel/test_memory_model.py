"""Regions of memory and what is visible where (SYCL 2020 §3.8.2, §3.8.3; SYCL 1.2 §2.4.2)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl
from tests import children

relaxed, device_scope = sycl.memory_order.relaxed, sycl.memory_scope.device


@pytest.mark.row("E-30")
def test_each_region_is_shared_as_its_name_says(queue: sycl.queue) -> None:
    """Global by all, local by the group, private by nobody."""
    groups, size = 6, 24
    seen = np.zeros((groups * size, 3), np.int64)
    total = np.zeros(1, np.int64)

    def kernel(it, own):
        g, lid = it.get_global_id(0), it.get_local_id(0)
        private = sycl.private_array(np.int64, 2)
        private[0] = g
        private[1] = 0
        own[lid] = it.get_group(0)
        sycl.atomic_ref(total, 0, relaxed, device_scope).fetch_add(1)
        sycl.group_barrier(it.get_group())
        for k in range(size):
            private[1] += own[k]
        seen[g, 0] = private[0]
        seen[g, 1] = private[1]
        seen[g, 2] = own[(lid + 1) % size]
    queue.parallel_for(sycl.nd_range(groups * size, size), kernel,
                       sycl.local_accessor(np.int64, size)).wait()
    group = np.arange(groups * size) // size
    assert np.arange(groups * size).tolist() == seen[:, 0].tolist()
    assert (group * size).tolist() == seen[:, 1].tolist()
    assert group.tolist() == seen[:, 2].tolist()
    assert groups * size == total[0]


@pytest.mark.row("E-31")
@pytest.mark.parametrize("memory", ["local", "global"])
def test_no_load_is_kept_over_a_barrier(queue: sycl.queue, memory: str) -> None:
    """Each item reads its neighbour's value again and again; a load that stayed would go stale."""
    size, rounds = 40, 12
    out = np.zeros((2, size), np.int64)
    world = np.zeros(2 * size, np.int64)

    def kernel(it, own, memory=memory, rounds=rounds):
        lid, base = it.get_local_id(0), it.get_group(0) * size
        value = lid
        for k in range(rounds):
            if memory == "local":
                own[lid] = value
            else:
                world[base + lid] = value
            sycl.group_barrier(it.get_group())
            after = (lid + 1) % size
            value = own[after] if memory == "local" else world[base + after]
            sycl.group_barrier(it.get_group())
        out[it.get_group(0), lid] = value
    queue.parallel_for(sycl.nd_range(2 * size, size), kernel,
                       sycl.local_accessor(np.int64, size)).wait()
    expected = (np.arange(size) + rounds) % size
    assert [expected.tolist()] * 2 == out.tolist()


ALONE = """
import numpy as np
import unisycl as sycl
counter = np.zeros(2, np.int32)
def kernel(it):
    sycl.atomic_ref(counter, 0, sycl.memory_order.relaxed, sycl.memory_scope.device).fetch_add(1)
queue = sycl.queue(sycl.cpu_selector_v)
assert queue.get_device().get_info(sycl.info.device.max_compute_units) == 1
queue.parallel_for(sycl.nd_range(1000000, 1), kernel).wait()
print(counter[0])
"""


@pytest.mark.row("E-19")
def test_a_million_work_groups_end_on_one_thread() -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(sycl.__file__).parents[1]), "UNISYCL_THREADS": "1"}
    found = children.run([sys.executable, "-c", ALONE], env=env, check=True, text=True,
                         stdout=subprocess.PIPE, timeout=300)
    assert "1000000" == found.stdout.strip()


@pytest.mark.row("E-19")
def test_many_more_work_groups_than_compute_units_end(queue: sycl.queue) -> None:
    groups = 1000 if queue.get_backend() == sycl.backend.host else 100_000
    counter = np.zeros(1, np.int32)

    def kernel(it, counter):
        sycl.atomic_ref(counter, 0, sycl.memory_order.relaxed,
                        sycl.memory_scope.device).fetch_add(1)
    queue.parallel_for(sycl.nd_range(groups, 1), kernel, counter).wait()
    assert [groups] == counter.tolist()


@pytest.mark.row("D-15", "C-3")
@pytest.mark.parametrize("shape", [((12,), (4,)), ((4, 6), (2, 3)), ((2, 4, 6), (1, 2, 3))])
def test_a_global_id_is_the_groups_place_and_the_local_one(queue: sycl.queue, shape) -> None:
    whole, local = shape
    dims = len(whole)
    wrong = np.zeros(1, np.int32)

    def kernel(it, dims=dims):
        counter = sycl.atomic_ref(wrong, 0, relaxed, device_scope)
        for d in (0, 1, 2)[:dims]:
            where = it.get_group(d) * it.get_local_range(d) + it.get_local_id(d)
            if where != it.get_global_id(d):
                counter.fetch_add(1)
            if it.get_group_range(d) * it.get_local_range(d) != it.get_global_range(d):
                counter.fetch_add(1)
    queue.parallel_for(sycl.nd_range(whole, local), kernel).wait()
    assert 0 == wrong[0]


@pytest.mark.row("E-24")
def test_pointers_in_shared_memory_link_a_list(queue: sycl.queue) -> None:
    """A list of places in one allocation, written by the host and walked by a kernel, and back.

    A kind that the device says it lacks is refused; system allocations are NumPy's arrays.
    """
    count, device = 50, queue.get_device()
    for make, needs in ((sycl.malloc_shared, sycl.aspect.usm_shared_allocations),
                        (sycl.malloc_host, sycl.aspect.usm_host_allocations),
                        (lambda n, kind, _: np.zeros(n, kind), None)):
        if needs is not None and not device.has(needs):
            with pytest.raises(sycl.exception) as caught:
                make(count, np.int32, queue)
            assert caught.value.code() == sycl.errc.feature_not_supported
            continue
        after, value = make(count, np.int32, queue), make(count, np.int64, queue)
        order = np.random.default_rng(3).permutation(count)
        for here, there in zip(order[:-1], order[1:], strict=True):
            after[int(here)] = int(there)
        after[int(order[-1])] = -1
        for k in range(count):
            value[k] = k
        head, found = int(order[0]), make(2, np.int64, queue)

        def walk(after, value, found, head):
            at, steps = head, 0
            while at >= 0:
                value[at] = value[at] * 2
                at = after[at]
                steps += 1
            found[0] = steps
        queue.single_task(walk, after, value, found, head).wait()
        assert count == found[0]
        assert [2 * k for k in range(count)] == [int(value[k]) for k in range(count)]
