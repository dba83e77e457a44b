"""Memory that only some devices have: refused by aspect elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

syclex = sycl.ext.oneapi.experimental


@pytest.mark.row("P-12")
def test_kinds_of_memory_are_refused_by_aspect(queue: sycl.queue) -> None:
    device, context = queue.get_device(), queue.get_context()
    p = sycl.malloc_device(4, np.int32, queue)
    calls = {
        "ext_oneapi_virtual_mem": (
            lambda: syclex.get_mem_granularity(device, context),
            lambda: syclex.get_mem_granularity(context, syclex.granularity_mode.minimum),
            lambda: syclex.reserve_virtual_mem(1 << 16, context),
            lambda: syclex.free_virtual_mem(0, 1 << 16, context),
            lambda: syclex.physical_mem(queue, 1 << 16)),
        "ext_oneapi_ipc_memory": (
            lambda: syclex.ipc_memory.get(p, context),
            lambda: syclex.ipc_memory.open(b"", context, device),
            lambda: syclex.ipc_memory.close(p, context),
            lambda: syclex.ipc_memory.put(b"", context)),
        "ext_oneapi_async_memory_alloc": (
            lambda: syclex.async_malloc(queue, sycl.usm.alloc.device, 64),
            lambda: syclex.async_free(queue, p),
            lambda: syclex.memory_pool(queue, sycl.usm.alloc.device))}
    for wanted, several in calls.items():
        assert not device.has(sycl.aspect[wanted])
        for call in several:
            with pytest.raises(sycl.exception, match=wanted) as caught:
                call()
            assert caught.value.code() == sycl.errc.feature_not_supported
    with pytest.raises(sycl.exception, match="expected a queue") as caught:
        syclex.reserve_virtual_mem(1 << 16)
    assert caught.value.code() == sycl.errc.invalid
    with sycl.testing.refused(device, sycl.aspect.ext_oneapi_async_memory_alloc):
        syclex.async_malloc(queue, sycl.usm.alloc.device, 64)


@pytest.mark.row("P-12")
def test_devices_tell_that_they_are_no_peers(device: sycl.device) -> None:
    for peer in sycl.device.get_devices():
        for what in sycl.ext.oneapi.peer_access:
            assert not device.ext_oneapi_can_access_peer(peer, what)
        with pytest.raises(sycl.exception) as caught:
            device.ext_oneapi_enable_peer_access(peer)
        assert caught.value.code() == sycl.errc.feature_not_supported
        with pytest.raises(sycl.exception) as caught:
            device.ext_oneapi_disable_peer_access(peer)
        assert caught.value.code() == sycl.errc.invalid
