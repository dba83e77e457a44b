"""The CPU starts children itself, without Python between a kernel and what it enqueues."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.unisycl import enqueue_kernel, enqueue_task, kernel_enqueue_flags
from unisycl.runtime.launch import child_kernels

AFTER = kernel_enqueue_flags.wait_kernel


def leaf(it, out):
    out[it] += 1


def parent(out, depth):
    if depth > 0:
        enqueue_task(AFTER, parent, out, depth - 1)
    else:
        enqueue_kernel(AFTER, 100, leaf, out)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return what trees the runtime started."""
    seen: list[object] = []
    run = child_kernels._run

    def note(channel, tree, native, gate):
        seen.append(tree)
        run(channel, tree, native, gate)
    monkeypatch.setattr(child_kernels, "_run", note)
    return seen


def test_children_are_started_natively(watched: list[object]) -> None:
    q = sycl.queue(sycl.cpu_selector_v)
    out = np.zeros(100, np.int32)
    q.single_task(parent, out, 5).wait_and_throw()
    assert not watched
    assert (out == 1).all()


def test_kernels_that_are_debugged_are_started_by_the_runtime(watched: list[object]) -> None:
    q = sycl.queue(sycl.cpu_selector_v)
    out = np.zeros(100, np.int32)
    debugged = sycl.kernel(debug=True)(parent)
    q.single_task(debugged, out, 1).wait_and_throw()
    assert len(watched) == 1
    assert (out == 1).all()


def test_commands_of_the_device_wait_for_a_tree_without_the_host(watched: list[object]) -> None:
    q = sycl.queue(sycl.cpu_selector_v, sycl.property.queue.in_order())
    out = np.zeros(100, np.int32)
    for _ in range(20):
        q.parallel_for(100, leaf, out)
        q.single_task(parent, out, 3)
    q.wait_and_throw()
    assert not watched
    assert (out == 40).all()


def test_a_part_of_the_device_runs_trees() -> None:
    device = sycl.device(sycl.cpu_selector_v)
    if device.get_info(sycl.info.device.max_compute_units) < 2:
        pytest.skip("one compute unit has no parts")
    parts = device.create_sub_devices(sycl.info.partition_property.partition_equally, 1)
    out = np.zeros(100, np.int32)
    sycl.queue(parts[0]).single_task(parent, out, 3).wait_and_throw()
    assert (out == 1).all()
