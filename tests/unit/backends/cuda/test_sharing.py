"""Memory of a card that other processes open."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.library import FakeCuda

ext: Any = sycl.ext.oneapi.experimental
shared = sycl.ext.oneapi.property.usm.ext_unisycl_inter_process


def foreign(handle: bytes) -> bytes:
    """Return a handle as if another process had made it."""
    return handle[:8] + bytes(16) + handle[24:]


def test_memory_for_others_is_a_block_of_its_own(fake: FakeCuda, queue: sycl.queue) -> None:
    device, context = queue.get_device(), queue.get_context()
    assert device.has(sycl.aspect.ext_oneapi_ipc_memory)
    p = sycl.malloc_device(100, np.int32, queue, shared())
    address = p.address()
    assert fake._blocks[address][1] == 2 << 20
    handle = ext.ipc_memory.get(p.pointer_to(4), context)
    got = ext.ipc_memory.open(foreign(handle), context, device, dtype=np.int32)
    assert (96, 16) == (len(got), got.offset)
    assert fake._blocks[got.address() - 16][2] == "opened"
    ext.ipc_memory.close(got, context)
    del got
    assert not [b for b in fake._blocks.values() if b[2] == "opened"]
    sycl.free(p, queue)
    del p
    assert address not in fake._blocks


def test_other_memory_and_handles_are_refused(fake: FakeCuda, queue: sycl.queue) -> None:
    device, context = queue.get_device(), queue.get_context()
    with pytest.raises(sycl.exception, match="inter_process"):
        ext.ipc_memory.get(sycl.malloc_device(4, np.int32, queue), context)
    with pytest.raises(sycl.exception, match="malloc_device") as caught:
        sycl.malloc_shared(4, np.int32, queue, shared())
    assert caught.value.code() == sycl.errc.feature_not_supported
    handle = ext.ipc_memory.get(sycl.malloc_device(4, np.int32, queue, shared()), context)
    with pytest.raises(sycl.exception, match="opens no such memory") as caught:
        ext.ipc_memory.open(foreign(handle)[:-64] + bytes(64), context, device)
    assert caught.value.code() == sycl.errc.invalid
    with pytest.raises(sycl.exception, match="no handle"):
        ext.ipc_memory.open(foreign(handle)[:-1], context, device)
