"""Buffers by the public API (SYCL 2020 §4.7.2)."""

from __future__ import annotations

import array
import gc
import weakref

import numpy as np
import pytest

import unisycl as sycl


def add_one(h: sycl.handler, buffer: sycl.buffer) -> None:
    acc = sycl.accessor(buffer, h, sycl.read_write)

    @h.parallel_for(buffer.get_range())
    def kernel(i):
        acc[i] += 1


@pytest.mark.row("B-1")
def test_an_uninitialised_buffer_may_be_dropped_right_after_submit(queue: sycl.queue) -> None:
    out = np.zeros(16, np.int32)
    temporary = sycl.buffer(sycl.range(16), dtype=np.int32)

    def fill(h: sycl.handler) -> None:
        t = sycl.accessor(temporary, h, sycl.write_only, sycl.no_init)

        @h.parallel_for(16)
        def kernel(i):
            t[i] = 7
    queue.submit(fill)
    with sycl.buffer(out) as result:
        def copy(h: sycl.handler) -> None:
            h.copy(sycl.accessor(temporary, h, sycl.read_only),
                   sycl.accessor(result, h, sycl.write_only))
        queue.submit(copy)
        temporary.close()
    assert [7] * 16 == out.tolist()


@pytest.mark.row("B-2")
def test_leaving_the_block_writes_back(queue: sycl.queue) -> None:
    x = np.arange(8, dtype=np.float32)
    with sycl.buffer(x) as bx:
        queue.submit(lambda h: add_one(h, bx))
    assert (np.arange(8) + 1).tolist() == x.tolist()


@pytest.mark.row("B-2", "B-12")
def test_a_buffer_works_on_the_array_in_place(queue: sycl.queue) -> None:
    x = np.arange(8, dtype=np.float32)
    with sycl.buffer(x, sycl.property.buffer.use_host_ptr()) as bx:
        queue.submit(lambda h: add_one(h, bx))
        with sycl.host_accessor(bx) as view:
            assert np.shares_memory(view.get_view(), x)


@pytest.mark.row("B-2")
def test_garbage_collection_does_what_close_does(queue: sycl.queue) -> None:
    x = np.zeros(64, np.int32)

    def use_and_forget() -> None:
        bx = sycl.buffer(x)
        for _ in range(3):
            queue.submit(lambda h: add_one(h, bx))
    use_and_forget()
    gc.collect()
    assert [3] * 64 == x.tolist()


@pytest.mark.row("B-3")
def test_a_read_only_array_gives_a_const_buffer(queue: sycl.queue) -> None:
    x = np.arange(4, dtype=np.int32)
    x.flags.writeable = False
    y = np.zeros(4, np.int32)
    with sycl.buffer(x) as bx, sycl.buffer(y) as by:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h)
            assert acc.mode is sycl.access_mode.read
            h.copy(acc, sycl.accessor(by, h, sycl.write_only))
        queue.submit(group)
        queue.submit(lambda h: add_one(h, bx))
    assert [0, 1, 2, 3] == y.tolist() == x.tolist()


@pytest.mark.row("B-4")
def test_a_writable_container_is_written_back_and_an_iterable_is_not(queue: sycl.queue) -> None:
    container, values = array.array("i", [1, 2, 3]), [1, 2, 3]
    raw = bytearray(b"\x01\x02")
    with sycl.buffer(container) as a, sycl.buffer(values) as b, sycl.buffer(raw) as c:
        for one in (a, b, c):
            queue.submit(lambda h, one=one: add_one(h, one))
        with sycl.host_accessor(b, sycl.read_only) as seen:
            assert [2, 3, 4] == list(seen)
    assert [2, 3, 4] == list(container)
    assert [1, 2, 3] == values
    assert b"\x02\x03" == bytes(raw)


@pytest.mark.row("B-6", "C-4")
def test_a_buffer_of_no_elements_is_ordinary(queue: sycl.queue) -> None:
    empty = sycl.buffer(0)
    queue.submit(lambda h: add_one(h, empty)).wait()
    with sycl.host_accessor(empty) as view:
        assert 0 == view.size()
    empty.close()


@pytest.mark.row("B-7")
def test_final_data_goes_where_it_was_told(queue: sycl.queue) -> None:
    x, out = np.arange(4.0), np.zeros(4)
    with sycl.buffer(x) as bx:
        bx.set_final_data(out)
        queue.submit(lambda h: add_one(h, bx))
    assert [1, 2, 3, 4] == out.tolist()
    assert [0, 1, 2, 3] == x.tolist()


@pytest.mark.row("B-7")
def test_write_back_can_be_cancelled(queue: sycl.queue) -> None:
    x, out = np.arange(4.0), np.zeros(4)
    with sycl.buffer(x) as bx:
        bx.set_write_back(False)
        queue.submit(lambda h: add_one(h, bx))
    assert [0, 1, 2, 3] == x.tolist()
    with sycl.buffer(sycl.range(4)) as b:
        b.set_final_data(out)
        b.set_write_back(False)
        queue.fill(sycl.accessor(b, sycl.write_only), 5.0)
    assert [0] * 4 == out.tolist()


@pytest.mark.row("B-7")
def test_a_dead_weak_target_is_skipped(queue: sycl.queue) -> None:
    class Target(np.ndarray):
        pass
    out = np.zeros(4).view(Target)
    with sycl.buffer(sycl.range(4)) as b:
        reference = weakref.ref(out)
        b.set_final_data(reference)
        queue.fill(sycl.accessor(b, sycl.write_only), 5.0)
        del out
        gc.collect()
        assert reference() is None, "a buffer keeps nothing alive that it only refers to weakly"
        with sycl.host_accessor(b, sycl.read_only) as seen:
            assert [5.0] * 4 == list(seen)
    kept = np.zeros(4).view(Target)
    with sycl.buffer(sycl.range(4)) as b:
        b.set_final_data(weakref.ref(kept))
        queue.fill(sycl.accessor(b, sycl.write_only), 6.0)
    assert [6.0] * 4 == kept.tolist(), "while it lives it is written"


@pytest.mark.row("B-8")
def test_sizes(device: sycl.device) -> None:
    b = sycl.buffer((3, 4), dtype=np.int16)
    assert 12 == b.size() == len(b)
    assert 24 == b.byte_size()
    assert sycl.range(3, 4) == b.get_range()
    assert not b.is_sub_buffer()


@pytest.mark.row("B-9", "F-10")
def test_reinterpret_is_the_same_bytes(queue: sycl.queue) -> None:
    x = np.ones(16, np.float32)
    with sycl.buffer(x) as bx:
        bits = bx.reinterpret(np.int32)
        with sycl.host_accessor(bits, sycl.read_only) as view:
            assert int(np.float32(1).view(np.int32)) == view[0]
        queue.submit(lambda h: add_one(h, bits))
        with pytest.raises(sycl.exception) as caught:
            bx.reinterpret(np.float64, sycl.range(9))
        assert sycl.errc.invalid == caught.value.code()
        assert (4, 2) == bx.reinterpret(np.float64, (4, 2)).shape
        assert (8,) == bx.reinterpret(np.float64).shape
    assert int(np.float32(1).view(np.int32)) + 1 == x.view(np.int32)[0]


@pytest.mark.row("B-10", "F-10")
def test_sub_buffers_must_be_contiguous_and_inside(device: sycl.device) -> None:
    base = sycl.buffer((4, 4), dtype=np.float32)
    rows = sycl.buffer(base, sycl.id(1, 0), sycl.range(2, 4))
    assert rows.is_sub_buffer()
    for offset, extent in (((0, 0), (2, 2)), ((3, 0), (2, 4)), ((0, 1), (1, 4))):
        with pytest.raises(sycl.exception) as caught:
            sycl.buffer(base, sycl.id(*offset), sycl.range(*extent))
        assert sycl.errc.invalid == caught.value.code()
    with pytest.raises(sycl.exception, match="sub-buffer itself"):
        sycl.buffer(rows, sycl.id(0, 0), sycl.range(1, 4))


@pytest.mark.row("B-11", "F-10")
def test_a_misaligned_sub_buffer_is_refused_where_it_is_used(queue: sycl.queue) -> None:
    device = queue.get_device()
    assert device.get_info(sycl.info.device.mem_base_addr_align) >= 64
    x = np.zeros(1024, np.float32)
    with sycl.buffer(x) as base:
        off = sycl.buffer(base, 1, 8)
        if device.get_backend() is sycl.backend.cuda:  # which needs elements aligned, no more
            queue.submit(lambda h: add_one(h, off))
        wide = off if device.get_backend() is not sycl.backend.cuda else off.reinterpret("f8")
        with pytest.raises(sycl.exception, match="multiple") as caught:
            queue.submit(lambda h: sycl.accessor(wide, h))
        assert sycl.errc.invalid == caught.value.code()
    wanted = 8 * (device.get_backend() is sycl.backend.cuda)
    assert [0, wanted, wanted] == [x[0], x.sum(), x[1:9].sum()]


@pytest.mark.row("B-10", "E-5")
def test_a_kernel_writes_through_a_sub_buffer(queue: sycl.queue) -> None:
    x = np.zeros(1024, np.float32)
    with sycl.buffer(x) as base:
        part = sycl.buffer(base, 256, 512)
        queue.submit(lambda h: add_one(h, part))
    assert 512 == x.sum()
    assert [0, 1, 1, 0] == x[[255, 256, 767, 768]].tolist()


@pytest.mark.row("B-14")
def test_structured_elements_round_trip(queue: sycl.queue) -> None:
    kind = np.dtype([("a", np.int8), ("b", np.float64)], align=True)
    x = np.zeros(4, kind)
    x["a"], x["b"] = 3, 1.5
    y = np.zeros(4, kind)
    with sycl.buffer(x) as bx, sycl.buffer(y) as by:
        queue.submit(lambda h: h.copy(sycl.accessor(bx, h, sycl.read_only),
                                      sycl.accessor(by, h, sycl.write_only)))
    assert x.tolist() == y.tolist()


@pytest.mark.row("B-12")
def test_a_bound_buffer_is_refused_in_another_context(queue: sycl.queue) -> None:
    other = sycl.context(queue.get_device())
    b = sycl.buffer(sycl.range(4), sycl.property.buffer.context_bound(other))
    with pytest.raises(sycl.exception, match="another context"):
        queue.submit(lambda h: sycl.accessor(b, h))


@pytest.mark.row("B-2")
@pytest.mark.parametrize("bad", [
    np.zeros((2, 2, 2, 2)), np.zeros(3, "M8[s]"), np.array([object()]), np.zeros(3, ">f4")],
    ids=["4-d", "date", "object", "byte order"])
def test_arrays_kernels_cannot_use_in_place_are_refused_with_a_way_out(
        device: sycl.device, bad: np.ndarray) -> None:
    way_out = r"reshape|use bool|astype"
    with pytest.raises(sycl.exception, match=way_out) as caught:
        sycl.buffer(bad)
    assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("F-18")
def test_a_buffer_too_large_for_memory_says_so(queue: sycl.queue) -> None:
    huge = sycl.buffer(sycl.range(1 << 30, 1 << 30), dtype=np.float64)
    with pytest.raises(sycl.exception) as caught:
        queue.submit(lambda h: add_one(h, huge))
    assert sycl.errc.memory_allocation == caught.value.code()


@pytest.mark.row("A-31")
def test_copies_are_the_same_buffer(device: sycl.device) -> None:
    import copy
    b = sycl.buffer(sycl.range(4))
    assert b == copy.copy(b)
    assert hash(b) == hash(copy.copy(b))
    assert b != sycl.buffer(sycl.range(4))


@pytest.mark.row("F-4")
def test_a_closed_buffer_is_refused_and_the_queue_goes_on(queue: sycl.queue) -> None:
    b = sycl.buffer(np.zeros(4))
    b.close()
    b.close()
    with pytest.raises(sycl.exception, match="closed"):
        queue.submit(lambda h: sycl.accessor(b, h))
    queue.submit(lambda h: None).wait()
