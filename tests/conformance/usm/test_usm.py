"""Unified shared memory by the public API (SYCL 2020 §4.8)."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import unisycl as sycl


def double(i, p):
    p[i] *= 2


@pytest.mark.row("B-42")
def test_shared_and_host_memory_work_both_ways(queue: sycl.queue) -> None:
    for make in (sycl.malloc_shared, sycl.malloc_host):
        p = make(8, np.float32, queue)
        p[:] = np.arange(8)
        queue.parallel_for(8, double, p).wait()
        assert (np.arange(8) * 2).tolist() == list(p)
        sycl.free(p, queue)


@pytest.mark.row("B-42", "B-48")
def test_device_memory_is_reached_by_copies_only(queue: sycl.queue) -> None:
    d = sycl.malloc_device(8, np.int32, queue)
    with pytest.raises(sycl.exception, match="memcpy"):
        d[0]
    with pytest.raises(sycl.exception):
        d[0] = 1
    x, out = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    event = queue.memcpy(d, x)
    event = queue.parallel_for(8, event, double, d)
    queue.copy(d, out, depends_on=event).wait()
    assert (x * 2).tolist() == out.tolist()


def add_hundred(i, part):
    part[i] += 100


@pytest.mark.row("B-42", "B-48")
def test_parts_of_device_memory_are_pointers(queue: sycl.queue) -> None:
    memory = sycl.malloc_device((6, 8), np.int32, queue)
    expected = np.arange(48, dtype=np.int32).reshape(6, 8)
    queue.copy(expected, memory).wait()
    queue.parallel_for(8, add_hundred, memory[-1]).wait()
    queue.parallel_for(3, add_hundred, memory[3, 2:5]).wait()
    queue.copy(memory[:2], memory[1:4][1:]).wait()
    queue.fill(memory[4:5], -1).wait()
    expected[-1] += 100
    expected[3, 2:5] += 100
    expected[2:4] = expected[:2]
    expected[4] = -1
    out = np.zeros((6, 8), np.int32)
    queue.copy(memory[...], out).wait()
    assert (expected == out).all()
    assert (2, 8) == memory[2:4].shape
    assert (0, 8) == memory[6:].shape
    assert memory[2, 3:] == memory.pointer_to(19)
    for several in (np.s_[::2], np.s_[:, 2:3], [1, 2], None):
        with pytest.raises(sycl.exception, match="must be one piece of memory"):
            memory[several]
    for outside in (6, (0, 8), (0, 0, 0)):
        with pytest.raises(IndexError):
            memory[outside]
    with pytest.raises(sycl.exception, match="cannot be accessed from the host"):
        memory[1, 2]


@pytest.mark.row("B-43")
def test_forms_of_allocation(queue: sycl.queue) -> None:
    device, context = queue.get_device(), queue.get_context()
    for p in (sycl.malloc_shared(64, queue),
              sycl.malloc_shared((4, 4), np.float64, device, context),
              sycl.malloc(16, np.int8, queue, sycl.usm.alloc.host),
              sycl.malloc_host(16, np.int8, context)):
        sycl.free(p, context)
    for alignment in (64, 256, 4096):
        p = sycl.aligned_alloc_shared(alignment, 10, np.int32, queue)
        assert 0 == p.address() % alignment
    with pytest.raises(sycl.exception, match="power of two"):
        sycl.aligned_alloc_device(3, 10, np.int32, queue)


@pytest.mark.row("B-43", "F-10")
def test_a_device_outside_the_context_is_refused(device: sycl.device) -> None:
    others = [d for d in sycl.device.get_devices() if d != device]
    if not others:
        pytest.skip("there is only one device")
    with pytest.raises(sycl.exception) as caught:
        sycl.malloc_device(4, np.int32, others[0], sycl.context(device))
    assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("B-44")
def test_an_allocation_of_nothing_is_freed_like_any(queue: sycl.queue) -> None:
    nothing = sycl.malloc_device(0, queue)
    assert 0 == nothing.size()
    sycl.free(nothing, queue)
    sycl.free(None, queue)


@pytest.mark.row("B-45")
def test_freeing_twice_raises(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(4, np.int32, queue)
    sycl.free(p, queue)
    with pytest.raises(sycl.exception, match="freed before") as caught:
        sycl.free(p, queue)
    assert sycl.errc.invalid == caught.value.code()
    with pytest.raises(sycl.exception, match="was freed"):
        p[0]
    with pytest.raises(sycl.exception, match="was freed"):
        queue.parallel_for(4, double, p)
    queue.submit(lambda h: None).wait()


@pytest.mark.row("B-45")
def test_views_and_pending_commands_keep_the_memory(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(1024, np.int32, queue)
    p[:] = 5
    view, foreign = p.get_view(), np.asarray(p)
    sycl.free(p, queue)
    del p
    gc.collect()
    assert 5 * 1024 == view.sum() == foreign.sum()


@pytest.mark.row("B-42")
def test_numpy_sees_the_memory_itself(queue: sycl.queue) -> None:
    p = sycl.malloc_shared((2, 3), np.int16, queue)
    view = np.asarray(p)
    view[1, 2] = 7
    assert 7 == p[1, 2] == p[sycl.id(1, 2)]
    assert p.__array_interface__["data"][0] == p.address()


@pytest.mark.row("B-47", "F-10")
def test_pointers_know_their_kind_and_device(queue: sycl.queue) -> None:
    for kind, make in ((sycl.usm.alloc.device, sycl.malloc_device),
                       (sycl.usm.alloc.host, sycl.malloc_host),
                       (sycl.usm.alloc.shared, sycl.malloc_shared)):
        p = make(8, np.int32, queue)
        assert kind == sycl.get_pointer_type(p, queue)
        assert kind == sycl.get_pointer_type(p.pointer_to(5), queue.get_context())
        assert kind == sycl.get_pointer_type(p.address() + 9, queue)
        assert queue.get_device() == sycl.get_pointer_device(p, queue)
    array = np.zeros(4)
    assert sycl.usm.alloc.unknown == sycl.get_pointer_type(array, queue)
    with pytest.raises(sycl.exception) as caught:
        sycl.get_pointer_device(array, queue)
    assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("B-48")
def test_fill_memset_and_partial_copies(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(8, np.int32, queue)
    queue.memset(p, 0x101).wait()
    assert [0x01010101] * 8 == p[:].tolist()
    queue.fill(p, 3).wait()
    queue.fill(p.pointer_to(6), 4, 2).wait()
    assert [3] * 6 + [4] * 2 == p[:].tolist()
    out = np.zeros(8, np.int32)
    queue.memcpy(out, p, 8).wait()
    assert [3, 3, 0, 0] == out[:4].tolist()
    queue.prefetch(p).wait()
    queue.mem_advise(p, 32, 0).wait()
    with pytest.raises(sycl.exception, match="33"):
        queue.memset(p, 0, 33)


@pytest.mark.row("B-48", "F-4", "Q-6")
def test_memory_of_another_context_is_refused(queue: sycl.queue) -> None:
    other = sycl.queue(sycl.context(queue.get_device()), queue.get_device())
    p = sycl.malloc_shared(4, np.int32, other)
    with pytest.raises(sycl.exception, match="another context") as caught:
        queue.parallel_for(4, double, p)
    assert sycl.errc.invalid == caught.value.code()
    with pytest.raises(sycl.exception, match="another context"):
        queue.memset(p, 0)
    with pytest.raises(sycl.exception, match="another context"):
        sycl.free(p, queue)
    queue.submit(lambda h: None).wait()


@pytest.mark.row("B-49")
def test_an_array_is_a_system_allocation(queue: sycl.queue) -> None:
    if not queue.get_device().has(sycl.aspect.usm_system_allocations):
        pytest.skip("refused: the device lacks aspect.usm_system_allocations")
    x = np.arange(8, dtype=np.int32)
    queue.parallel_for(8, double, x).wait()
    assert list(range(0, 16, 2)) == x.tolist()
    queue.parallel_for(4, double, x[::2]).wait()
    assert x.tolist() == [0, 2, 8, 6, 16, 10, 24, 14]


@pytest.mark.row("B-50")
def test_allocations_are_distinct(queue: sycl.queue) -> None:
    made = [f(3, np.int8, queue) for f in (sycl.malloc_device, sycl.malloc_host, sycl.malloc_shared)
            for _ in range(50)]
    assert 150 == len({p.address() for p in made})


def ends(item, x):
    y, k = item
    x[y * (x.shape[0] - 1), k * (x.shape[1] - 1)] += 1 + y * 2 + k


@pytest.mark.row("B-49", "B-52")
def test_an_array_of_more_elements_than_an_int_counts_is_reached_at_its_ends(
        queue: sycl.queue) -> None:
    device = queue.get_device()
    if not device.has(sycl.aspect.usm_system_allocations):
        pytest.skip("refused: the device lacks aspect.usm_system_allocations")
    for shape in ((6, 8), (1 << 16, (1 << 15) + 8)):  # of 2 GiB some pages are touched
        x = np.zeros(shape, np.uint8)
        queue.parallel_for(sycl.range(2, 2), ends, x).wait()
        assert [1, 2, 3, 4] == [x[0, 0], x[0, -1], x[-1, 0], x[-1, -1]]
