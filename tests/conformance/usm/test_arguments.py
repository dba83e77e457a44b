"""USM calls with odd arguments: refused at once, memory left as it was (SYCL 2020 §4.8, §4.9.4)."""

from __future__ import annotations

import array
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import refusal


@pytest.mark.row("B-43", "B-44")
def test_an_allocation_takes_each_thing_once(queue: sycl.queue) -> None:
    device, context = queue.get_device(), queue.get_context()
    for kind in (sycl.malloc_shared, sycl.malloc_device):
        assert "did not expect" in refusal(kind, 3, np.int32, np.float32, queue)
        assert "one queue" in refusal(kind, 3, np.int32, queue, queue)
        assert "one queue" in refusal(kind, 3, np.int32, queue, device, context)
        refusal(kind, 3, "nonsense", queue)
        refusal(kind, 2.5, np.int32, queue)
        refusal(kind, -1, np.int32, queue)
    alloc = sycl.usm.alloc
    refusal(sycl.malloc, 3, np.int32, queue, alloc.shared, kind=alloc.device)
    assert alloc.shared is sycl.malloc(3, queue, alloc.shared, kind=alloc.shared).block.kind
    for wrong in (3, -4, "a", 64.0, None):
        assert "power of two" in refusal(sycl.aligned_alloc_shared, wrong, 4, np.int32, queue)


@pytest.mark.row("B-48", "A-25")
def test_a_pattern_is_one_value(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.float32, queue)
    p[:] = 1
    for wrong in ([1, 2], np.array([1.0, 2.0]), "3", b"3", None, object()):
        assert "is no float32" in refusal(queue.fill, p, wrong, 3)
    assert "integer" in refusal(queue.fill, p, 3, 2.0)
    for wrong in (1.5, None, "1"):
        assert "integer" in refusal(queue.memset, p, wrong, 4)
    queue.wait()
    assert [1.0] * 8 == p[:].tolist()
    queue.fill(p, np.int64(3), np.int32(2)).wait()
    assert [3.0, 3.0, 1.0] == p[:3].tolist()
    kind = np.dtype([("a", np.int32), ("b", np.float32)])
    records = sycl.malloc_shared(2, kind, queue)
    queue.fill(records, (1, 2.5)).wait()
    assert [(1, 2.5)] * 2 == records[:].tolist()


@pytest.mark.row("B-48", "B-51")
def test_sizes_are_whole_numbers_inside_the_memory(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.float32, queue)
    for call in (lambda n: queue.memcpy(p, bytes(32), n), lambda n: queue.memset(p, 0, n),
                 lambda n: queue.prefetch(p, n), lambda n: queue.mem_advise(p, n)):
        for wrong in (3.5, "4", -1, 33):
            refusal(call, wrong)
        call(np.int64(32)).wait()
    assert "advice" in refusal(queue.mem_advise, p, 32, "x")
    assert "elements" in refusal(queue.copy, p, p, 1.5)


@pytest.mark.row("B-48", "I-15")
def test_copies_take_whatever_is_an_array(queue: sycl.queue) -> None:
    p = sycl.malloc_device(4, np.int32, queue)
    queue.memcpy(p, np.arange(4, dtype=np.int32).tobytes()).wait()
    raw, numbers = bytearray(16), array.array("i", [0] * 4)
    queue.memcpy(raw, p).wait()
    queue.copy(p, memoryview(numbers)).wait()
    assert [0, 1, 2, 3] == list(numbers) == np.frombuffer(raw, np.int32).tolist()
    assert "read-only" in refusal(queue.memcpy, bytes(16), p)
    for wrong in ([1, 2], None, 3, np.int32):
        assert "expected an accessor, USM memory or an array" in refusal(queue.memcpy, p, wrong)


@pytest.mark.row("B-47")
def test_pointers_go_back_and_have_distances(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.int16, queue)
    p[:] = np.arange(8)
    end = p.pointer_to(8)
    assert (8, 0, -8) == (end.distance(p), end.distance(end), p.distance(end))
    last = end.pointer_to(-1)
    assert (7, 1, 7) == (last.distance(p), last.size(), last[0])
    assert p == end.pointer_to(-8)
    assert p.pointer_to(2) == p.pointer_to(4).pointer_to(np.int64(-2))
    other = sycl.malloc_shared(8, np.int16, queue)
    assert "outside" in refusal(lambda: p.pointer_to(-1))
    assert "have a distance" in refusal(lambda: p.distance(other))


@pytest.mark.row("B-45", "I-17")
def test_freed_memory_is_not_described(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.int16, queue)
    sycl.free(p, queue)
    for name in ("__array_interface__", "__sycl_usm_array_interface__"):
        assert "was freed" in refusal(lambda name=name: getattr(p, name))


@pytest.mark.row("B-42", "B-22")
def test_a_kernel_takes_usm_and_buffers_by_turns(queue: sycl.queue) -> None:
    """Drivers may keep the two kinds of memory apart, even for one argument of one kernel."""
    def add(i: Any, out: Any, other: Any) -> None:
        out[i] += other[i]
    data = np.zeros(8, np.int32)
    p, ones = (sycl.malloc_device(8, queue, dtype=np.int32) for _ in range(2))
    queue.fill(p, np.int32(0)).wait()
    queue.fill(ones, np.int32(1)).wait()
    with sycl.buffer(data) as b:
        for _ in range(4):
            queue.parallel_for(8, add, p, ones).wait()
            for source in (lambda h: sycl.accessor(b, h, sycl.read_write), lambda h: ones):
                queue.submit(lambda h, source=source: h.parallel_for(
                    8, add, sycl.accessor(b, h), source(h))).wait()
    out = np.empty(8, np.int32)
    queue.memcpy(out, p).wait()
    assert ([4] * 8, [15] * 8) == (out.tolist(), data.tolist())
