"""Who owns the data of a buffer, and what its end does about it (SYCL 2020 §4.7.2, §4.7.4)."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

import unisycl as sycl


def add_one(h: sycl.handler, buffer: sycl.buffer) -> None:
    acc = sycl.accessor(buffer, h, sycl.read_write)

    @h.parallel_for(buffer.get_range())
    def kernel(i):
        acc[i] += 1


@pytest.mark.row("B-5")
def test_a_shared_owner_sees_what_is_written_back(queue: sycl.queue) -> None:
    x = np.arange(4, dtype=np.int32)
    owner = sycl.shared_ptr(x)
    with sycl.buffer(owner, sycl.range(2, 2)) as bx:
        queue.submit(lambda h: add_one(h, bx))
    assert [1, 2, 3, 4] == x.tolist()
    assert owner.get() is x


@pytest.mark.row("B-5")
def test_the_end_waits_for_nobody_when_the_owner_is_gone(queue: sycl.queue) -> None:
    x, go = np.zeros(4, np.int32), threading.Event()
    bx = sycl.buffer(sycl.shared_ptr(x))

    def group(h: sycl.handler) -> None:
        sycl.accessor(bx, h, sycl.read_write_host_task)
        h.host_task(lambda: go.wait(10))
    event = queue.submit(group)
    bx.close()
    assert sycl.info.event_command_status.complete != event.get_info(
        sycl.info.event.command_execution_status)
    go.set()
    event.wait()


@pytest.mark.row("B-5")
def test_an_empty_owner_gives_no_initial_data(queue: sycl.queue) -> None:
    with sycl.buffer(sycl.shared_ptr(), 8, dtype=np.int32) as b:
        queue.submit(lambda h: h.fill(sycl.accessor(b, h, sycl.write_only), 3))
        with sycl.host_accessor(b, sycl.read_only) as view:
            assert [3] * 8 == list(view)
    with pytest.raises(sycl.exception, match="range"):
        sycl.buffer(sycl.shared_ptr())
    with pytest.raises(sycl.exception, match="NumPy array"):
        sycl.shared_ptr([1])


@pytest.mark.row("B-5", "B-7")
def test_final_data_may_be_held_weakly(queue: sycl.queue) -> None:
    out, gone = sycl.shared_ptr(np.zeros(4, np.int32)), sycl.shared_ptr(np.zeros(4, np.int32))
    lost = gone.get()
    for target in (out, weakref.ref(gone)):
        b = sycl.buffer(4, dtype=np.int32)
        b.set_final_data(target)
        queue.submit(lambda h, b=b: h.fill(sycl.accessor(b, h, sycl.write_only), 5))
        if target is not out:
            del gone
            gc.collect()
        b.close()
    assert [5] * 4 == out.get().tolist()
    assert [0] * 4 == lost.tolist()


@pytest.mark.row("A-25", "B-5")
def test_copies_take_shared_owners(queue: sycl.queue) -> None:
    p = sycl.malloc_device(4, np.int32, queue)
    source, target = (sycl.shared_ptr(np.full(4, v, np.int32)) for v in (7, 0))
    event = queue.copy(source, p)
    queue.copy(p, target, depends_on=event).wait()
    assert [7] * 4 == target.get().tolist()


class Counting:
    """An allocator that counts."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.back: list[Any] = []

    def allocate(self, count: int) -> bytearray:
        self.sizes.append(count)
        return bytearray(count)

    def deallocate(self, memory: Any) -> None:
        self.back.append(memory)


@pytest.mark.row("B-13")
def test_an_allocator_sees_every_host_allocation(queue: sycl.queue) -> None:
    own = Counting()
    x = np.zeros(4, np.int32)
    plain = sycl.buffer(8, own, dtype=np.int32)
    copied = sycl.buffer([1, 2, 3], allocator=own, dtype=np.int64)
    moved = sycl.buffer(x, own)
    moved.set_final_data(None)
    for b in (plain, copied, moved):
        queue.submit(lambda h, b=b: h.fill(sycl.accessor(b, h, sycl.write_only), 9)).wait()
        assert own is b.get_allocator()
        sycl.host_accessor(b, sycl.read_only).close()
    assert sorted([32, 24, 16]) == sorted(own.sizes)
    for b in (plain, copied, moved):
        b.close()
    del plain, copied, moved, b
    gc.collect()
    queue.wait()
    gc.collect()
    assert 3 == len(own.back)


def fill_and_look(queue: sycl.queue, b: sycl.buffer) -> None:
    queue.submit(lambda h: h.fill(sycl.accessor(b, h, sycl.write_only), 9))
    sycl.host_accessor(b, sycl.read_only).close()


@pytest.mark.row("B-13")
def test_what_is_no_memory_is_refused(queue: sycl.queue) -> None:
    class Wrong(Counting):
        def allocate(self, count: int) -> Any:
            return {"half": bytearray(count // 2), "const": bytes(count), "none": None}[self.what]
    for what in ("half", "const", "none"):
        own = Wrong()
        own.what = what
        b = sycl.buffer(8, own)
        with pytest.raises(sycl.exception, match="allocator"):
            fill_and_look(queue, b)
    assert sycl.buffer_allocator() == sycl.buffer(8).get_allocator()
    assert 64 <= sycl.buffer_allocator().allocate(64).size


@pytest.mark.row("B-46", "B-13")
def test_an_allocator_of_usm(queue: sycl.queue) -> None:
    device, context = queue.get_device(), queue.get_context()
    for kind in (sycl.usm.alloc.shared, sycl.usm.alloc.host):
        own = sycl.usm_allocator(kind, queue, alignment=256)
        p = own.allocate(64, np.float32)
        assert kind == sycl.get_pointer_type(p, queue)
        assert 0 == p.address() % 256
        p[:] = 1

        def kernel(i, p):
            p[i] += 1
        queue.parallel_for(64, kernel, p).wait()
        assert [2.0] * 64 == p[:].tolist()
        own.deallocate(p)
        assert own == sycl.usm_allocator(kind, context, device, alignment=256)
        assert hash(own) == hash(sycl.usm_allocator(kind, queue, alignment=256))
        assert own != sycl.usm_allocator(kind, queue)
        assert own != sycl.usm_allocator(kind, sycl.context(device), device, alignment=256)
        with sycl.buffer(16, own, dtype=np.int32) as b:
            queue.submit(lambda h, b=b: h.fill(sycl.accessor(b, h, sycl.write_only), 4)).wait()
            with sycl.host_accessor(b) as view:
                assert kind == sycl.get_pointer_type(view.get_view(), queue)
    with pytest.raises(sycl.exception) as caught:
        sycl.usm_allocator(sycl.usm.alloc.device, queue)
    assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("B-15", "K-16")
def test_a_buffer_moves_between_devices(device: sycl.device) -> None:
    everywhere = [*sycl.device.get_devices(), device]
    x = np.ones(64, np.int64)
    with sycl.buffer(x) as bx:
        for k in range(12):
            queue = sycl.queue(everywhere[k % len(everywhere)])

            def group(h: sycl.handler) -> None:
                acc = sycl.accessor(bx, h)

                @h.parallel_for(64)
                def kernel(i):
                    acc[i] = acc[i] * 3 + 1
            queue.submit(group)
    want = 1
    for _ in range(12):
        want = want * 3 + 1
    assert [want] * 64 == x.tolist()


def refuse(data: object) -> None:
    raise OSError("disk full")


@pytest.mark.row("B-16", "F-23")
def test_an_error_at_the_end_reaches_the_handler(device: sycl.device) -> None:
    seen: list[BaseException] = []
    q = sycl.queue(device, lambda errors: seen.extend(errors))
    for end in ("close", "collect"):
        b = sycl.buffer(4, dtype=np.int32)
        b.set_final_data(refuse)
        queue_fill(q, b)
        if end == "close":
            b.close()
        del b
        gc.collect()
        deadline = time.monotonic() + 10
        while not seen and time.monotonic() < deadline:
            q.wait_and_throw()
        assert 1 == len(seen)
        assert isinstance(seen[0].__cause__, OSError)
        seen.clear()


@pytest.mark.row("B-16", "X-4")
def test_an_error_at_the_end_is_raised_where_there_is_no_handler(queue: sycl.queue) -> None:
    b = sycl.buffer(4, dtype=np.int32)
    b.set_final_data(refuse)
    queue_fill(queue, b)
    with pytest.raises(OSError, match="disk full"):
        b.close()
    b = sycl.buffer(4, dtype=np.int32)
    b.set_final_data(refuse)
    queue_fill(queue, b)
    del b
    gc.collect()
    with pytest.raises(sycl.exception, match="disk full"):
        queue.wait_and_throw()


def queue_fill(queue: sycl.queue, b: sycl.buffer) -> None:
    queue.submit(lambda h: h.fill(sycl.accessor(b, h, sycl.write_only), 1))


@pytest.mark.row("B-12")
def test_a_lock_is_held_while_commands_use_the_buffer(queue: sycl.queue) -> None:
    lock, x, held = threading.Lock(), np.zeros(4, np.int32), []
    b = sycl.buffer(x, sycl.property.buffer.use_mutex(lock))
    assert lock is b.get_property(sycl.property.buffer.use_mutex).get_mutex_ptr()

    def watch(h: sycl.handler) -> None:
        sycl.accessor(b, h, sycl.read_only_host_task)
        h.host_task(lambda: held.append(lock.locked()))
    for _ in range(3):
        queue.submit(lambda h: add_one(h, b))
        queue.submit(watch).wait()
        with lock:
            assert x[0] == len(held)
            queue.submit(lambda h: None).wait()
    with lock:
        event = queue.submit(lambda h: add_one(h, b))
        time.sleep(0.02)
        assert 3 == x[0]
    event.wait()
    b.close()
    assert not lock.locked()
    assert [True] * 3 == held
    assert [4] * 4 == x.tolist()
    for wrong in (threading.RLock(), 3):
        with pytest.raises(sycl.exception, match=r"threading\.Lock"):
            sycl.property.buffer.use_mutex(wrong)


@pytest.mark.row("B-12")
def test_a_buffer_bound_to_a_context_is_refused_elsewhere(device: sycl.device) -> None:
    one, other = sycl.context(device), sycl.context(device)
    b = sycl.buffer(4, sycl.property.buffer.context_bound(one))
    assert one == b.get_property(sycl.property.buffer.context_bound).get_context()
    queue_fill(sycl.queue(one, device), b)
    with pytest.raises(sycl.exception, match="another context") as caught:
        queue_fill(sycl.queue(other, device), b)
    assert sycl.errc.invalid == caught.value.code()
