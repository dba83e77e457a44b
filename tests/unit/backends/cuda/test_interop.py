"""Handles of CUDA's, and other libraries' arrays."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.library import FakeCuda
from unisycl.backends.cuda.interop import arrays
from unisycl.base import foreign_objects

CUDA = sycl.backend.cuda


def add(i: Any, p: Any, n: int) -> None:
    p[i] = p[i] + n


class ndarray:
    """As CuPy's arrays tell of themselves; ``stream`` is where their commands go."""

    def __init__(self, memory: Any, dtype: Any, shape: tuple[int, ...], stream: int = 1) -> None:
        self._memory = memory
        self.dtype, self.shape = np.dtype(dtype), shape
        self.device = SimpleNamespace(id=0)
        self.__cuda_array_interface__ = {
            "data": (memory.address, False), "shape": shape, "typestr": self.dtype.str,
            "strides": None, "version": 3, "stream": stream}


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    foreign_objects.register(__name__, "ndarray", arrays.describe)


def test_native_objects_are_handles(fake: FakeCuda, queue: sycl.queue) -> None:
    device, context = queue.get_device(), queue.get_context()
    assert 0 == sycl.get_native(CUDA, device)
    assert sycl.get_native(CUDA, context) == 0x1000
    assert sycl.make_device(CUDA, 0) == device
    stream = sycl.get_native(CUDA, queue)
    assert stream in fake._streams
    assert stream == sycl.get_native(CUDA, queue)


def test_commands_of_a_program_come_between_ours(fake: FakeCuda, queue: sycl.queue) -> None:
    p, seen = sycl.malloc_device(8, np.int32, queue), np.zeros(8, np.int32)
    queue.fill(p, 1)
    queue.parallel_for(8, add, p, 1)
    stream = sycl.get_native(CUDA, queue)
    assert 0 == fake.called("cuMemsetD32Async", (p.block.address, 7, 8, stream))
    queue.parallel_for(8, add, p, 1)
    queue.memcpy(seen, p, 32).wait()
    assert [8] * 8 == seen.tolist()


def test_a_queue_goes_to_a_stream_of_a_program(fake: FakeCuda, queue: sycl.queue) -> None:
    p, seen = sycl.malloc_device(8, np.int32, queue), np.zeros(8, np.int32)
    with queue.get_device().state.driver.opened().session as api:
        stream = api.address("cuStreamCreate", 1)
    theirs = sycl.make_queue(CUDA, SimpleNamespace(cuda_stream=stream), queue.get_context())
    theirs.fill(p, 3)
    assert 0 == fake.called("cuMemsetD32Async", (p.block.address, 5, 8, stream))
    theirs.parallel_for(8, add, p, 1)
    theirs.memcpy(seen, p, 32).wait()
    assert [6] * 8 == seen.tolist()
    assert stream == sycl.get_native(CUDA, theirs)


def test_memory_has_the_interface_of_arrays(fake: FakeCuda, queue: sycl.queue) -> None:
    b = sycl.buffer(np.arange(12, dtype=np.int32).reshape(3, 4))
    seen = []

    def group(h: sycl.handler) -> None:
        acc = sycl.accessor(b, h)
        h.host_task(lambda ih: seen.append(ih.get_native_mem(acc)))
    queue.submit(group).wait()
    about = seen[0].__cuda_array_interface__
    assert ((3, 4), "<i4", (16, 4)) == (about["shape"], about["typestr"], about["strides"])
    assert "device" == fake._inside(int(seen[0]), 48)


def test_an_array_of_another_library_is_used_where_it_lies_in_order(
        fake: FakeCuda, queue: sycl.queue, known: None) -> None:
    memory = queue.get_device().state.driver.allocate(64)
    array, seen = ndarray(memory, np.int32, (16,)), np.zeros(16, np.int32)
    assert 0 == fake.called("cuMemsetD32Async", (memory.address, 4, 16, 1))
    queue.parallel_for(16, add, array, 2).wait()
    assert 0 == fake.called("cuMemcpyAsync", (seen.ctypes.data, memory.address, 64, 1))
    assert [6] * 16 == seen.tolist()


def test_what_is_no_handle_is_refused(queue: sycl.queue) -> None:
    with pytest.raises(sycl.exception, match="expected an object of the native interface"):
        sycl.make_queue(CUDA, "x", queue.get_context())
    with pytest.raises(sycl.exception):
        sycl.make_device(CUDA, 9)
