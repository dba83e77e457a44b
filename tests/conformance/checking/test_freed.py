"""Memory that was freed: told at the line that would use it, whatever is checked."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.checking.found import told
from unisycl.testing import refused


@sycl.kernel(debug=True)
def writes(i: Any, p: Any) -> None:
    p[i] = 1


@pytest.mark.row("Q-6")
def test_use_after_free_and_double_free_are_refused_at_the_submission(
        device: sycl.device) -> None:
    with refused(device, sycl.aspect.usm_shared_allocations):
        queue = sycl.queue(device)
        p = sycl.malloc_shared(8, np.float32, queue)
        bound = queue.bind(8, writes, p)
        sycl.free(p, queue)
        for use in (lambda: queue.parallel_for(8, writes, p), bound,
                    lambda: queue.memcpy(p, np.zeros(8, np.float32)), lambda: p[0]):
            with pytest.raises(sycl.exception, match="allocation of 32 bytes was freed"):
                use()
        with pytest.raises(sycl.exception, match="freed before; free each allocation once"):
            sycl.free(p, queue)
        queue.wait_and_throw()


@pytest.mark.row("Q-6")
@pytest.mark.parametrize("part", [
    lambda p: p[2:6], lambda p: np.asarray(p)[2:6], lambda p: p[2:6].view(np.int32),
    lambda p: p[:].reshape(2, 4)[1], lambda p: np.asarray(memoryview(p[2:6]))])
def test_an_array_over_freed_memory_is_refused_like_the_memory(
        device: sycl.device, part: Any) -> None:
    with refused(device, sycl.aspect.usm_shared_allocations):
        queue = sycl.queue(device)
        p = sycl.malloc_shared(8, np.float32, queue)
        p[:] = 0
        array = part(p)
        graph = sycl.ext.oneapi.experimental.command_graph(queue)
        graph.add(lambda h: h.parallel_for(4, writes, array))
        ready, bound = graph.finalize(), queue.bind(4, writes, array)
        bound().wait()
        assert array.tolist() == [1, 1, 1, 1]
        sycl.free(p, queue)
        other = np.zeros(4, array.dtype)
        for use in (lambda: queue.parallel_for(4, writes, array), bound,
                    lambda: queue.memcpy(array, other), lambda: queue.memcpy(other, array),
                    lambda: queue.ext_oneapi_graph(ready), lambda: sycl.buffer(array)):
            with pytest.raises(sycl.exception, match="allocation of 32 bytes was freed"):
                use()
        queue.wait_and_throw()


@pytest.mark.row("Q-6")
def test_a_closed_buffer_is_refused_at_the_accessor(queue: sycl.queue) -> None:
    buffer = sycl.buffer(np.zeros(8, np.float32))
    buffer.close()
    with pytest.raises(sycl.exception, match="the buffer is closed"):
        queue.submit(lambda h: h.parallel_for(8, writes, sycl.accessor(buffer, h)))


@pytest.mark.row("Q-6")
def test_memory_of_another_context_is_refused(device: sycl.device) -> None:
    with refused(device, sycl.aspect.usm_shared_allocations):
        queue, other = sycl.queue(device), sycl.queue(sycl.context(device), device)
        p = sycl.malloc_shared(8, np.float32, other)
        for use in (lambda: queue.parallel_for(8, writes, p), lambda: sycl.free(p, queue)):
            with pytest.raises(sycl.exception, match="belongs to another context"):
                use()
        sycl.free(p, other)


@sycl.is_device_copyable.register
@dataclasses.dataclass
class Cell:
    value: np.float32
    rest: sycl.global_ptr[np.float32]


@sycl.kernel(debug=True)
def follows(i: Any, cells: Any) -> None:
    cells[i].value = cells[i].rest[0]


@pytest.mark.row("Q-6")
def test_a_stale_pointer_in_memory_is_told(device: sycl.device) -> None:
    with refused(device, sycl.aspect.usm_shared_allocations):
        queue = sycl.queue(device)
        cells, p = (sycl.malloc_shared(4, t, queue) for t in (Cell, np.float32))
        p[:] = 3
        for k in range(4):
            cells[k].value, cells[k].rest = 0, p
        assert told(device, lambda q: q.parallel_for(4, follows, cells)) == ""
        assert [3] * 4 == [cells[k].value for k in range(4)]
        address = p.address()
        sycl.free(p, queue)
        found = told(device, lambda q: q.parallel_for(4, follows, cells))
        assert "kernel 'follows' failed in work-item id(0) at " in found
        assert f"the address {address} lies in no allocation of this device and context" in found
        sycl.free(cells, queue)
