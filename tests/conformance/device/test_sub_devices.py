"""Sub-devices by the public API (SYCL 2020 §4.6.4.2)."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import unisycl as sycl
from tests import children
from tests.conformance.refusals import code_of

info = sycl.info.device
how = sycl.info.partition_property
domain = sycl.info.partition_affinity_domain


def units(device: sycl.device) -> int:
    return int(device.get_info(info.max_compute_units))


def parts(device: sycl.device) -> list[sycl.device]:
    """One part of one unit each; the device itself where it cannot be split."""
    if how.partition_equally not in device.get_info(info.partition_properties):
        return [device]
    return device.create_sub_devices(how.partition_equally, 1)


@pytest.mark.row("A-15")
def test_equal_parts_leave_the_rest(device: sycl.device) -> None:
    split = device.create_sub_devices
    if how.partition_equally not in device.get_info(info.partition_properties):
        assert sycl.errc.feature_not_supported == code_of(split, how.partition_equally, 2)
        return
    for count in range(1, units(device) + 1):
        made = split(how.partition_equally, count)
        assert units(device) // count == len(made)
        assert {count} == {units(d) for d in made}
    for count in (0, units(device) + 1):
        assert sycl.errc.invalid == code_of(split, how.partition_equally, count)


@pytest.mark.row("A-15", "F-9", "F-15")
def test_parts_by_counts_skip_zeros_and_refuse_too_many(device: sycl.device) -> None:
    split = device.create_sub_devices
    if how.partition_by_counts not in device.get_info(info.partition_properties):
        assert sycl.errc.feature_not_supported == code_of(split, how.partition_by_counts, [1])
        return
    made = split(how.partition_by_counts, [1, 0, units(device) - 1])
    assert [1, units(device) - 1] == [units(d) for d in made]
    assert made == split(how.partition_by_counts, 1, units(device) - 1)
    for wrong in ([units(device), 1], [1] * (units(device) + 1), [], [0], [-1]):
        assert sycl.errc.invalid == code_of(split, how.partition_by_counts, wrong)


@pytest.mark.row("A-15", "F-15")
def test_parts_by_affinity_domain(device: sycl.device) -> None:
    known = device.get_info(info.partition_affinity_domains)
    by = how.partition_by_affinity_domain
    assert (by in device.get_info(info.partition_properties)) == bool(known)
    for one in domain:
        if one not in known:
            assert sycl.errc.feature_not_supported == code_of(device.create_sub_devices, by, one)
            continue
        made = device.create_sub_devices(by, one)
        assert len(made) >= 2
        assert units(device) == sum(units(d) for d in made)
        for part in made:
            assert by == part.get_info(info.partition_type_property)
            found = part.get_info(info.partition_type_affinity_domain)
            assert found in known
            assert found is not domain.next_partitionable
    assert sycl.errc.invalid == code_of(device.create_sub_devices, "by halves")


@pytest.mark.row("A-16")
def test_a_root_has_no_parent_and_a_part_does(device: sycl.device) -> None:
    assert sycl.errc.invalid == code_of(device.get_info, info.parent_device)
    assert how.no_partition == device.get_info(info.partition_type_property)
    assert domain.not_applicable == device.get_info(info.partition_type_affinity_domain)
    assert device.get_info(info.partition_max_sub_devices) <= units(device)
    for part in parts(device):
        if part == device:
            continue
        assert device == part.get_info(info.parent_device)
        assert device.get_platform() == part.get_platform()
        assert how.partition_equally == part.get_info(info.partition_type_property)
        assert part not in sycl.device.get_devices()
        assert set(device.get_info(info.aspects)) == set(part.get_info(info.aspects))
        assert [] == part.get_info(info.partition_properties)
        assert 0 == part.get_info(info.partition_max_sub_devices)


@pytest.mark.row("A-16", "A-19")
def test_parts_run_kernels_in_contexts_of_their_ancestors(device: sycl.device) -> None:
    x = np.arange(10000, dtype=np.int32)
    for part in parts(device):
        for context in (sycl.context(device), sycl.context(part), None):
            q = sycl.queue(part) if context is None else sycl.queue(context, part)
            assert part == q.get_device()
            p = sycl.malloc_shared(x.size, np.int32, q)
            p[:] = x
            q.parallel_for(x.size, triple, p).wait()
            assert (3 * x).tolist() == p[:].tolist()
            sycl.free(p, q)
        if part != device:
            assert sycl.errc.invalid == code_of(sycl.queue, sycl.context(part), device)


def triple(i, p):
    p[i] *= 3


@pytest.mark.row("A-16", "E-11")
def test_parts_share_buffers_and_events(device: sycl.device) -> None:
    x = np.arange(4096, dtype=np.int32)
    with sycl.buffer(x) as bx:
        for turn in range(4):
            q = sycl.queue(parts(device)[turn % len(parts(device))])

            def group(h: sycl.handler) -> None:
                acc = sycl.accessor(bx, h)

                @h.parallel_for(4096)
                def kernel(i):
                    acc[i] = acc[i] * 2 + 1
            q.submit(group)
    assert (np.arange(4096) * 16 + 15).tolist() == x.tolist()


@pytest.mark.row("A-15", "A-31")
def test_the_same_split_gives_the_same_parts(device: sycl.device) -> None:
    first, second = parts(device), parts(device)
    assert first == second
    assert set(first) == set(second)
    assert len(first) == len(set(first))


UNITS = """
import os
import numpy as np
import unisycl as sycl

def triple(i, p):
    p[i] *= 3

def confined(processors):
    found = 0
    for task in os.listdir("/proc/self/task"):
        try:
            found += os.sched_getaffinity(int(task)) == processors
        except OSError:
            continue
    return found

device = sycl.device(sycl.cpu_selector_v)
mine = sorted(os.sched_getaffinity(0))
made = device.create_sub_devices(sycl.info.partition_property.partition_equally, 1)
assert len(made) == len(mine)
for k, part in enumerate(made):
    q = sycl.queue(part)
    p = sycl.malloc_shared(1 << 21, np.int32, q)
    q.parallel_for(1 << 21, triple, p).wait()
    assert 1 == confined({mine[k]}), (k, confined({mine[k]}))
assert set(mine) == os.sched_getaffinity(0)
"""


@pytest.mark.row("A-16", "K-16")
def test_a_part_of_the_cpu_has_as_many_threads_as_units(device: sycl.device) -> None:
    if device.get_backend() is not sycl.backend.cpu or len(os.sched_getaffinity(0)) < 2 or (
            units(device) != len(os.sched_getaffinity(0))):
        pytest.skip("units are not processors here")
    found = subprocess.run(  # alone, for other runtimes confine threads of theirs
        [sys.executable, "-c", UNITS], capture_output=True, text=True, check=False,
        env={**os.environ, "UNISYCL_BACKENDS": "cpu,host"})
    assert 0 == found.returncode, found.stderr


BESIDE = """
import os
from pathlib import Path
import numpy as np
import unisycl as sycl
from unisycl.ext.intel import pipe
from unisycl.ext.oneapi import experimental as exp

device = sycl.device(sycl.cpu_selector_v)
part = device.create_sub_devices(sycl.info.partition_property.partition_equally, 1)[1]
queue = sycl.queue(part)
numbers = pipe(np.int32, 4)

def write():
    for k in range(100):
        numbers.write(k)

def read(out):
    for k in range(100):
        out[0] += numbers.read()

@sycl.kernel(properties=exp.sub_group_progress(
    exp.forward_progress_guarantee.concurrent, exp.execution_scope.work_group))
def wait(it, out):
    sg = it.get_sub_group()
    ref = sycl.atomic_ref(out, 1, sycl.memory_order.acq_rel, sycl.memory_scope.work_group)
    if sg.leader():
        mine = sg.get_group_linear_range() - 1 - sg.get_group_linear_id()
        while ref.load(sycl.memory_order.acquire) != mine:
            pass
        ref.fetch_add(1)
    sycl.group_barrier(it.get_group())

before = set(os.listdir("/proc/self/task"))
out = np.zeros(2, np.int32)
queue.single_task(read, out)
queue.single_task(write)
queue.wait()
queue.parallel_for(sycl.nd_range(64, 64), wait, out).wait()
begun = set(os.listdir("/proc/self/task")) - before
mine = sorted(os.sched_getaffinity(0))
confined = [t for t in begun if os.sched_getaffinity(int(t)) == {mine[1]}]
print(out[0], len(begun) > 2, len(begun) - len(confined))
"""


@pytest.mark.row("A-16", "E-23", "H-7")
def test_threads_of_kernels_that_wait_stay_on_the_parts_processors(device: sycl.device) -> None:
    if device.get_backend() is not sycl.backend.cpu or len(os.sched_getaffinity(0)) < 2 or (
            units(device) != len(os.sched_getaffinity(0))):
        pytest.skip("units are not processors here")
    found = children.run([sys.executable, "-c", BESIDE], capture_output=True, text=True,
                         check=False)
    assert "4950 True 0\n" == found.stdout, found.stderr


EIGHT = """
import unisycl as sycl
d = sycl.device(sycl.cpu_selector_v)
info, how = sycl.info.device, sycl.info.partition_property
made = d.create_sub_devices(how.partition_equally, 3)
print([m.get_info(info.max_compute_units) for m in made])
try:
    d.create_sub_devices(how.partition_by_counts, [4, 5])
except sycl.exception as error:
    print(error.code().name)
four, three = d.create_sub_devices(how.partition_by_counts, [4, 3])
again = four.create_sub_devices(how.partition_equally, 2)
print(len(again), again[1].get_info(info.parent_device) == four)
p = sycl.malloc_shared(1000, 'i4', sycl.queue(sycl.context(d), again[1]))
def one(i, p):
    p[i] = 1
q = sycl.queue(sycl.context(four), again[1])
p = sycl.malloc_shared(1000, 'i4', q)
q.parallel_for(1000, one, p).wait()
print(p[:].sum())
"""


@pytest.mark.row("A-15", "A-16")
def test_a_cpu_of_eight_units(device: sycl.device) -> None:
    if not device.is_cpu():
        pytest.skip("the number of units of this device cannot be chosen")
    out = children.run(
        [sys.executable, "-c", EIGHT], capture_output=True, text=True, check=True,
        env={**os.environ, "UNISYCL_THREADS": "8"}).stdout
    assert ["[3, 3]", "invalid", "2 True", "1000"] == out.splitlines()
