"""Memory of a card that other processes open."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.usm import test_device_memory as device_memory
from tests.cuda_fake.core import H200
from tests.cuda_fake.install import installed
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


def test_mapped_memory_goes_when_nothing_has_it() -> None:
    fake = FakeCuda(({**H200, 102: 1},))
    with installed(fake):
        queue = sycl.queue("cuda")
        device_memory.test_memory_is_put_at_addresses_and_grows_there(queue)
        gc.collect()  # errors that the test caught hold it
        assert (fake.reserved, fake.maps, fake.made) == ({}, {}, {})
        fake.fail("cuMemCreate", 2)
        with pytest.raises(sycl.exception, match="cannot be had") as caught:
            ext.physical_mem(queue, 2 << 20)
        assert caught.value.code() == sycl.errc.memory_allocation
    assert fake.misuse == []
