"""Reads of what nobody wrote: local and private memory, with the line that declares it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import here, place, told

checked = sycl.kernel(debug="uninitialised")


@pytest.fixture(autouse=True)
def watched(device: sycl.device) -> None:
    processor = device.get_backend() is sycl.backend.opencl and device.has(sycl.aspect.cpu)
    if device.get_backend() not in (sycl.backend.cpu, sycl.backend.host) and not processor:
        pytest.skip("the native CPU, the host device and OpenCL's processors watch this")


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

    count = np.full(2, 8, np.int32)
    tile, made = sycl.local_accessor(np.float32, 8), here()
    space = sycl.nd_range(16, 8)
    assert told(device, lambda q: q.parallel_for(space, local_memory, out, count, tile)) == ""
    count[1] = 5  # what the group before has left there does not count
    found = told(device, lambda q: q.parallel_for(space, local_memory, out, count, tile))
    assert "in work-item id(13)" in found
    assert f"at {place(local_memory, '= tile[k]')}: this work-item reads tile[5]" in found
    if device.get_backend() is not sycl.backend.opencl:  # whose text is there before the launch
        assert f"reads tile[5], made at {__file__}:{made}, which nobody has written" in found


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
    if device.get_backend() is sycl.backend.opencl:
        pytest.skip("the native CPU and the host device watch this")
    monkeypatch.setenv("UNISYCL_DEBUG", "uninitialised")
    queue, out = sycl.queue(device), np.zeros(16, np.float32)
    p, made = sycl.malloc_device(16, np.float32, queue), here()
    queue.memcpy(p, np.arange(12, dtype=np.float32)).wait()
    found = told(device, lambda q: q.parallel_for(16, reads, out, p))
    assert f"in work-item id(12) at {place(reads, 'out[i]')}: this work-item reads p[12], " in found
    assert f"made at {__file__}:{made}, which nobody has written" in found
    queue.fill(p, 1.5).wait()
    assert told(device, lambda q: q.parallel_for(16, reads, out, p)) == ""
    assert [1.5] * 16 == out.tolist()
    sycl.free(p, queue)


@sycl.is_device_copyable.register
@dataclass
class Cell:
    key: np.int16
    place: sycl.float3
    row: (np.int32, 3)


def busy(it: Any, out: Any, cells: Any, tile: Any, grid: Any) -> None:
    k = it.get_local_id(0)
    own = sycl.private_array(Cell, 2)
    own[0] = cells[k]
    own[1].key = np.int16(k)
    own[1].row[k % 3] = 5
    tile[k] = cells[k].place
    total = np.int32(0)
    for turn in range(3):
        grid[turn, k] = own[0].row[turn] + own[1].key
        sycl.group_barrier(it.get_group())
        total += grid[turn, (k + 1) % 8]
        if turn == 1 and k % 2:
            total += own[1].row[k % 3]
    sycl.group_barrier(it.get_group())
    p = tile[7 - k]
    sycl.atomic_ref(grid, (0, 0)).fetch_add(1)
    out[it.get_global_id(0)] = total + np.int32(p.x + p.z)


@pytest.mark.row("Q-5")
def test_what_was_written_is_read_as_without_checks(device: sycl.device) -> None:
    rng, results = np.random.default_rng(5), []
    cells = np.zeros(8, Cell.dtype)
    cells["key"], cells["row"] = np.arange(8), rng.integers(0, 99, (8, 3))
    for name in "xyz":
        cells["place"][name] = rng.integers(0, 99, 8)
    for debug in (False, "uninitialised", "1"):
        out, kernel = np.zeros(16, np.int32), sycl.kernel(debug=debug)(busy)
        local = (sycl.local_accessor(sycl.float3, 8), sycl.local_accessor(np.int32, (3, 8)))
        space = sycl.nd_range(16, 8)
        assert told(device, lambda q, k=kernel, o=out, m=local, s=space: q.parallel_for(
            s, k, o, cells, *m)) == ""
        results.append(out.tolist())
    k = np.arange(8)
    total = sum(cells["row"][(k + 1) % 8, t] + (k + 1) % 8 for t in range(3)) + 5 * (k % 2)
    total += (cells["place"]["x"] + cells["place"]["z"])[7 - k].astype(np.int32)
    assert [[*total, *total]] * 3 == results


@sycl.kernel(debug="all")
def beside_them(it: Any, out: Any, tile: Any) -> None:
    k = it.get_local_id(0)
    tile[k].x = 1.0
    tile[k].z = 2.0
    sycl.group_barrier(it.get_group())
    total = tile[7 - k].x + tile[7 - k].z + sycl.dot(tile[k].xz, tile[7 - k].zx)
    out[it.get_global_id(0)] = total + tile[7 - k].swizzle(0, 2).y + tile[k][k % 2 * 2]


@checked
def a_whole_one(it: Any, out: Any, tile: Any) -> None:
    k = it.get_local_id(0)
    tile[k].x = 1.0
    tile[k].y = 2.0
    tile[k].z = 3.0
    sycl.group_barrier(it.get_group())
    v = tile[7 - k] * np.float32(2)
    out[it.get_global_id(0)] = v.x + v.y + v.z


@checked
def one_too_many(it: Any, out: Any, tile: Any) -> None:
    k = it.get_local_id(0)
    tile[k].x = 1.0
    sycl.group_barrier(it.get_group())
    out[it.get_global_id(0)] = tile[7 - k].x + tile[7 - k].z


@pytest.mark.row("Q-5")
def test_elements_of_a_vector_are_read_one_by_one(device: sycl.device) -> None:
    out, space = np.zeros(16, np.float32), sycl.nd_range(16, 8)

    def found(kernel: Any) -> str:
        tile = sycl.local_accessor(sycl.float3, 8)
        return told(device, lambda q: q.parallel_for(space, kernel, out, tile))
    assert found(beside_them) == ""
    assert [10 + k % 2 for k in range(16)] == out.tolist()
    assert found(a_whole_one) == ""
    assert [12] * 16 == out.tolist()
    text = found(one_too_many)
    assert f"at {place(one_too_many, 'out[')}: this work-item reads tile[7]" in text
    assert ".z, " in text or device.get_backend() is sycl.backend.opencl
