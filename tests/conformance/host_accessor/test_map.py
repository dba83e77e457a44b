"""Maps of buffers: asked for without waiting, given back when unmapped."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import unisycl as sycl

STATUS = sycl.info.event.command_execution_status
complete = sycl.info.event_command_status.complete
mapped_buffer = sycl.ext.unisycl.mapped_buffer
user_event = sycl.ext.unisycl.user_event


def add_one(queue: sycl.queue, b: sycl.buffer, *after: sycl.event) -> sycl.event:
    def group(h: sycl.handler) -> None:
        h.depends_on(after)
        acc = sycl.accessor(b, h)

        @h.parallel_for(b.get_range())
        def kernel(i):
            acc[i] += 1
    return queue.submit(group)


@pytest.mark.row("E-25")
def test_a_map_does_not_block_and_sees_the_results(queue: sycl.queue) -> None:
    gate = user_event()
    with sycl.buffer(np.arange(6, dtype=np.int32).reshape(2, 3)) as b:
        add_one(queue, b, gate)
        m = mapped_buffer(b, sycl.read_only)
        ready = m.get_event()
        assert complete is not ready.get_info(STATUS)
        later = add_one(queue, b)
        gate.set()
        ready.wait()
        assert [[1, 2, 3], [4, 5, 6]] == m.get_view().tolist()
        assert not m.get_view().flags.writeable
        assert complete is not later.get_info(STATUS)
        m.unmap().wait()
        later.wait()
        with mapped_buffer(b) as view:
            assert 2 == view[0, 0]
            view[0, 0] = 50
        with sycl.host_accessor(b) as view:
            assert 50 == view[0, 0]


@pytest.mark.row("E-25", "F-18")
def test_use_after_unmap_raises(queue: sycl.queue) -> None:
    with sycl.buffer(np.zeros(4, np.int32)) as b:
        m = mapped_buffer(b)
        m.unmap()
        for wrong in (m.get_view, m.unmap, lambda: m[0], lambda: np.asarray(m)):
            with pytest.raises(sycl.exception, match="unmapped") as caught:
                wrong()
            assert sycl.errc.accessor == caught.value.code()
        m.close()


@pytest.mark.row("E-25")
def test_a_map_may_overwrite_its_region_and_leaves_the_rest(queue: sycl.queue) -> None:
    with sycl.buffer(np.arange(6, dtype=np.int32)) as b:
        add_one(queue, b)
        with mapped_buffer(b, sycl.range(2), sycl.id(2), sycl.write_only, sycl.no_init) as m:
            m.get_view()[:] = (70, 80)
        add_one(queue, b)
        with sycl.host_accessor(b) as view:
            assert [2, 3, 71, 81, 6, 7] == list(view)


@pytest.mark.row("E-25")
def test_maps_that_read_share_and_those_that_write_do_not(queue: sycl.queue) -> None:
    with sycl.buffer(np.zeros(4, np.int32)) as b:
        one, two = mapped_buffer(b, sycl.read_only), mapped_buffer(b, sycl.read_only)
        writer = mapped_buffer(b, sycl.write_only)
        assert [0] * 4 == one.get_view().tolist() == two.get_view().tolist()
        assert complete is not writer.get_event().get_info(STATUS)
        with pytest.raises(sycl.exception, match="would never end"):
            writer.get_view()
        one.unmap()
        two.unmap()


@pytest.mark.row("E-25", "E-15")
def test_a_map_after_a_failure_raises_it(device: sycl.device) -> None:
    queue = sycl.queue(device)

    def broken(h: sycl.handler) -> None:
        sycl.accessor(b, h, sycl.write_only_host_task)
        h.host_task(lambda: 1 / 0)
    with sycl.buffer(np.zeros(4, np.int32)) as b:
        queue.submit(broken)
        m = mapped_buffer(b)
        with pytest.raises(sycl.exception, match="ZeroDivisionError"):
            m.get_view()
        m.close()


@pytest.mark.row("E-25")
def test_a_forgotten_map_lets_others_go_on(queue: sycl.queue) -> None:
    with sycl.buffer(np.zeros(4, np.int32)) as b:
        m = mapped_buffer(b, depends_on=queue.submit(lambda h: None))
        m[0] = 3
        later = add_one(queue, b)
        del m
        gc.collect()
        later.wait()
        with sycl.host_accessor(b) as view:
            assert [4, 1, 1, 1] == list(view)
