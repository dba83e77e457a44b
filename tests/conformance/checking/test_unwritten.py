"""Reads of what nobody wrote: local and private memory, with the line that declares it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import place, told

checked = sycl.kernel(debug="uninitialised")


@pytest.fixture(autouse=True)
def watched(device: sycl.device) -> None:
    if device.get_backend() not in (sycl.backend.cpu, sycl.backend.host):
        pytest.skip("the native CPU and the host device watch this")


@checked
def private_memory(i: Any, out: Any, count: Any) -> None:
    own = sycl.private_array(np.float32, 4)
    for k in range(count[i]):
        own[k] = k
    out[i] = own[2]


@checked
def local_memory(it: Any, out: Any, count: Any, tile: Any) -> None:
    k = it.get_local_id(0)
    if k < count[it.get_group(0)]:
        tile[k] = k
    sycl.group_barrier(it.get_group())
    out[it.get_global_id(0)] = tile[k]


@pytest.mark.row("Q-5")
def test_a_read_of_what_nobody_wrote_is_told(device: sycl.device) -> None:
    out, count = np.zeros(16, np.float32), np.full(16, 4, np.int32)
    assert told(device, lambda q: q.parallel_for(16, private_memory, out, count)) == ""
    assert [2] * 16 == out.tolist()
    count[9] = 2
    found = told(device, lambda q: q.parallel_for(16, private_memory, out, count))
    assert f"failed in work-item id(9) at {place(private_memory, 'own[2]')}: " in found
    assert f"reads private array[2], made at {place(private_memory, 'private_array')}" in found
    assert "which nobody has written" in found

    tile, count = sycl.local_accessor(np.float32, 8), np.full(2, 8, np.int32)
    space = sycl.nd_range(16, 8)
    assert told(device, lambda q: q.parallel_for(space, local_memory, out, count, tile)) == ""
    count[1] = 5  # what the group before has left there does not count
    found = told(device, lambda q: q.parallel_for(space, local_memory, out, count, tile))
    assert "in work-item id(13)" in found
    assert f"at {place(local_memory, '= tile[k]')}: this work-item reads tile[5], which" in found


@checked
def a_name(i: Any, out: Any, count: Any) -> None:
    if count[i] > 3:
        value = out[i]
    out[i] = value


@pytest.mark.row("Q-5")
def test_a_name_without_a_value_is_refused_at_its_line(device: sycl.device) -> None:
    out, count = np.zeros(8, np.float32), np.full(8, 4, np.int32)
    with pytest.raises(sycl.KernelError, match="K031: 'value' is read before it has a value"):
        sycl.queue(device).parallel_for(8, a_name, out, count)


@checked
def reads(i: Any, out: Any, p: Any) -> None:
    out[i] = p[i]


@pytest.mark.row("Q-5")
def test_fresh_usm_that_nobody_wrote_is_told(
        device: sycl.device, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNISYCL_DEBUG", "uninitialised")
    queue, out = sycl.queue(device), np.zeros(16, np.float32)
    p = sycl.malloc_device(16, np.float32, queue)
    queue.memcpy(p, np.arange(12, dtype=np.float32)).wait()
    found = told(device, lambda q: q.parallel_for(16, reads, out, p))
    assert f"in work-item id(12) at {place(reads, 'out[i]')}: this work-item reads p[12], " in found
    queue.fill(p, 1.5).wait()
    assert told(device, lambda q: q.parallel_for(16, reads, out, p)) == ""
    assert [1.5] * 16 == out.tolist()
    sycl.free(p, queue)
