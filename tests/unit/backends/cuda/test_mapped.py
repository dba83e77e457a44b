"""Memory of the host that others allocated, pinned where it lies."""

from __future__ import annotations

import gc
import mmap
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.library import FakeCuda

PAGE = mmap.PAGESIZE


def pages(count: int) -> Any:
    """Return bytes that begin with a page."""
    whole = np.zeros((count + 1) * PAGE, np.uint8)
    start = -whole.ctypes.data % PAGE
    return whole[start:start + count * PAGE]


def double(i: Any, p: Any) -> None:
    p[i] *= 2


def test_pages_are_pinned_once_and_as_long_as_anybody_uses_them(
        fake: FakeCuda, queue: sycl.queue) -> None:
    memory = pages(4).view(np.int32)
    memory[:] = np.arange(memory.size)
    each = PAGE // 4
    parts = [memory[10:20], memory[20:30], memory[each - 5:each + 5], memory[5:3 * each]]
    taken = [sycl.from_dlpack(part, queue, writable=True) for part in parts]
    assert [p.address() for p in taken] == [part.ctypes.data for part in parts]
    assert 3 == fake.live("pages")  # one page, the second one, the third
    for p in taken:
        queue.parallel_for(p.size() if callable(p.size) else p.size, double, p).wait()
    wanted = np.arange(memory.size)
    for part in (slice(10, 20), slice(20, 30), slice(each - 5, each + 5), slice(5, 3 * each)):
        wanted[part] *= 2
    assert wanted.tolist() == memory.tolist()
    out = np.zeros(3 * each - 5, np.int32)
    queue.memcpy(out, taken[-1], out.nbytes).wait()  # over several runs of pages
    assert wanted[5:3 * each].tolist() == out.tolist()
    del p, taken[-1]
    gc.collect()
    assert 2 == fake.live("pages")
    taken.clear()
    gc.collect()
    assert 0 == fake.live("pages")


def test_memory_that_the_driver_gave_is_not_pinned_again(
        fake: FakeCuda, queue: sycl.queue) -> None:
    for make in (sycl.malloc_shared, sycl.malloc_host):
        p = make(100, np.int32, queue)
        other = sycl.queue(sycl.context(queue.get_device()), queue.get_device())
        q = sycl.from_dlpack(np.asarray(p), other, writable=True)  # another context's
        assert p.address() == q.address()
        q[:] = 3
        other.parallel_for(100, double, q).wait()
        assert [6] * 100 == p[:].tolist()
    assert 0 == fake.live("pages") == fake.calls["cuMemHostRegister_v2"]


def test_what_cannot_be_pinned_is_refused(fake: FakeCuda, queue: sycl.queue) -> None:
    fake.fail("cuMemHostRegister_v2", 2)
    with pytest.raises(sycl.exception, match="OUT_OF_MEMORY.*copy it") as caught:
        sycl.from_dlpack(np.zeros(100, np.int32), queue, writable=True)
    assert sycl.errc.feature_not_supported == caught.value.code()
    assert 0 == fake.live("pages")
