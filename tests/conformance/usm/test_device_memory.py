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
        if device.has(sycl.aspect[wanted]):
            continue
        for call in several:
            with pytest.raises(sycl.exception, match=wanted) as caught:
                call()
            assert caught.value.code() == sycl.errc.feature_not_supported
    with pytest.raises(sycl.exception, match="expected a queue") as caught:
        syclex.reserve_virtual_mem(1 << 16)
    assert caught.value.code() == sycl.errc.invalid


@pytest.mark.row("P-12")
def test_memory_is_put_at_addresses_and_grows_there(queue: sycl.queue) -> None:
    device, context = queue.get_device(), queue.get_context()
    with sycl.testing.refused(device, sycl.aspect.ext_oneapi_virtual_mem):
        step = syclex.get_mem_granularity(device, context, syclex.granularity_mode.minimum)
    assert syclex.get_mem_granularity(context) % step == 0
    modes, n = syclex.address_access_mode, step // 4
    start = syclex.reserve_virtual_mem(2 * step, context)
    parts = [syclex.physical_mem(queue, step) for _ in range(2)]
    assert (step, device, context) == (
        parts[0].size(), parts[0].get_device(), parts[0].get_context())
    first = parts[0].map(start, step, modes.read_write, dtype=np.int32)
    assert start == first.address()
    assert sycl.get_pointer_type(first, context) is sycl.usm.alloc.device
    queue.fill(first, 7).wait_and_throw()
    second = parts[1].map(start + step, step, modes.none, dtype=np.int32)
    assert syclex.get_access_mode(second, step, context) is modes.none
    syclex.set_access_mode(second, step, modes.read_write, context)
    assert syclex.get_access_mode(second, step, context) is modes.read_write
    queue.fill(second, 5).wait_and_throw()
    for p in (first, second):
        queue.parallel_for(n, double, p).wait_and_throw()
    got = np.zeros((2, n), np.int32)
    queue.memcpy(got[0], first, step).wait_and_throw()
    queue.memcpy(got[1], second, step).wait_and_throw()
    assert ({14}, {10}) == (set(got[0]), set(got[1]))
    for wrong, why in ((lambda: parts[0].map(start, step, modes.read), "already"),
                       (lambda: parts[0].map(start - step, step, modes.read), "not reserved"),
                       (lambda: parts[0].map(start, 2 * step, modes.read), "has"),
                       (lambda: parts[0].map(start, step - 4, modes.read), "a multiple of"),
                       (lambda: syclex.unmap(first, step // 2, context), "as it was mapped"),
                       (lambda: syclex.free_virtual_mem(start, 2 * step, context), "unmap"),
                       (lambda: syclex.reserve_virtual_mem(5, context), "a multiple of")):
        with pytest.raises(sycl.exception, match=why) as caught:
            wrong()
        assert caught.value.code() == sycl.errc.invalid
    syclex.unmap(first, step, context)
    with pytest.raises(sycl.exception, match="freed"):
        queue.fill(first, 1)
    syclex.unmap(start + step, step, context)
    syclex.free_virtual_mem(start, 2 * step, context)


def double(i, p):
    p[i] *= 2


@pytest.mark.row("P-12")
def test_memory_is_allocated_and_let_go_of_between_commands(queue: sycl.queue) -> None:
    kind, device = sycl.usm.alloc.device, queue.get_device()
    with sycl.testing.refused(device, sycl.aspect.ext_oneapi_async_memory_alloc):
        syclex.async_malloc(queue, kind, 64)
    ordered = sycl.queue(queue.get_context(), device, sycl.property.queue.in_order())
    outs = [np.zeros(1000, np.int32) for _ in range(5)]
    for k, out in enumerate(outs):  # the memory of one may be the next one's
        p = syclex.async_malloc(ordered, kind, 1000, np.int32)
        ordered.fill(p, k + 1)
        ordered.parallel_for(1000, double, p)
        ordered.memcpy(out, p, 4000)
        syclex.async_free(ordered, p)
        with pytest.raises(sycl.exception, match="freed") as caught:
            ordered.fill(p, 1)
        assert caught.value.code() == sycl.errc.invalid
    ordered.wait_and_throw()
    assert [[2 * (k + 1)] * 1000 for k in range(5)] == [out.tolist() for out in outs]


@pytest.mark.row("P-12")
def test_pools_count_what_was_taken_from_them(queue: sycl.queue) -> None:
    kind, device = sycl.usm.alloc.device, queue.get_device()
    with sycl.testing.refused(device, sycl.aspect.ext_oneapi_async_memory_alloc):
        syclex.memory_pool(queue, kind)
    pool = syclex.memory_pool(queue.get_context(), device, kind)
    assert (queue.get_context(), device, kind) == (
        pool.get_context(), pool.get_device(), pool.get_alloc_kind())
    p = syclex.async_malloc_from_pool(queue, 4096, pool)
    event = queue.submit(lambda h: h.fill(syclex.async_malloc_from_pool(h, 100, pool), 3))
    event.wait_and_throw()
    assert pool.get_reserved_size_current() >= pool.get_used_size_current() >= 4096
    syclex.async_free(queue, p)
    assert pool.get_used_size_current() < 4096
    pool.increase_threshold_to(1 << 20)
    assert 1 << 20 == pool.get_threshold()
    for wrong in (lambda: syclex.memory_pool(queue), lambda: syclex.memory_pool(queue, kind, 3),
                  lambda: syclex.async_malloc_from_pool(queue, 64, None),
                  lambda: syclex.async_malloc(queue.get_context(), kind, 64)):
        with pytest.raises(sycl.exception) as caught:
            wrong()
        assert caught.value.code() == sycl.errc.invalid
    with pytest.raises(sycl.exception, match="malloc") as caught:
        syclex.async_malloc(queue, sycl.usm.alloc.shared, 64)
    assert caught.value.code() == sycl.errc.feature_not_supported


@pytest.mark.row("P-12")
def test_devices_tell_that_they_are_no_peers(device: sycl.device) -> None:
    for peer in sycl.device.get_devices():
        if device.ext_oneapi_can_access_peer(peer):  # two cards: tested where they are
            continue
        for what in sycl.ext.oneapi.peer_access:
            assert not device.ext_oneapi_can_access_peer(peer, what)
        with pytest.raises(sycl.exception) as caught:
            device.ext_oneapi_enable_peer_access(peer)
        assert caught.value.code() == sycl.errc.feature_not_supported
        with pytest.raises(sycl.exception) as caught:
            device.ext_oneapi_disable_peer_access(peer)
        assert caught.value.code() == sycl.errc.invalid
