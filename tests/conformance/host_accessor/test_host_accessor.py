"""Host accessors by the public API (SYCL 2020 §4.7.6.10)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


def set_all(queue: sycl.queue, buffer: sycl.buffer, value: int) -> sycl.event:
    def group(h: sycl.handler) -> None:
        acc = sycl.accessor(buffer, h, sycl.write_only)

        @h.parallel_for(buffer.get_range())
        def kernel(i):
            acc[i] = value
    return queue.submit(group)


@pytest.mark.row("B-31", "E-8")
def test_later_commands_wait_until_it_is_closed(queue: sycl.queue) -> None:
    x, y = np.zeros(8, np.int32), np.zeros(8, np.int32)
    with sycl.buffer(x) as bx, sycl.buffer(y) as by:
        set_all(queue, bx, 1)
        with sycl.host_accessor(bx) as view:
            assert [1] * 8 == list(view)
            later = set_all(queue, bx, 2)
            set_all(queue, by, 3).wait()
            assert [1] * 8 == list(view)
            assert sycl.info.event_command_status.complete != later.get_info(
                sycl.info.event.command_execution_status)
        later.wait()
        with sycl.host_accessor(bx, sycl.read_only) as view:
            assert [2] * 8 == list(view)


@pytest.mark.row("B-31")
def test_what_the_host_writes_reaches_the_next_kernel(queue: sycl.queue) -> None:
    x, y = np.zeros((2, 3), np.int32), np.zeros((2, 3), np.int32)
    with sycl.buffer(x) as bx, sycl.buffer(y) as by:
        with sycl.host_accessor(bx, sycl.write_only) as view:
            view[1, 2] = 9
            view[sycl.id(0, 1)] = 4
            np.asarray(view)[0, 0] = 1
        queue.submit(lambda h: h.copy(sycl.accessor(bx, h, sycl.read_only),
                                      sycl.accessor(by, h, sycl.write_only)))
    assert [[1, 4, 0], [0, 0, 9]] == y.tolist()


@pytest.mark.row("B-27", "B-31")
def test_a_read_only_view_refuses_stores(device: sycl.device) -> None:
    with sycl.host_accessor(sycl.buffer(np.zeros(3)), sycl.read_only) as view:
        with pytest.raises(sycl.exception, match="read_only"):
            view[0] = 1
        with pytest.raises(ValueError):
            view.get_view()[0] = 1


@pytest.mark.row("B-31")
def test_a_closed_one_shows_nothing(device: sycl.device) -> None:
    view = sycl.host_accessor(sycl.buffer(np.zeros(3)))
    view.close()
    with pytest.raises(sycl.exception, match="closed"):
        view[0]


@pytest.mark.row("B-31")
def test_a_forgotten_one_lets_go(queue: sycl.queue) -> None:
    x = np.zeros(4, np.int32)
    with sycl.buffer(x) as bx:
        assert 0 == sycl.host_accessor(bx)[0]
        set_all(queue, bx, 5).wait()
    assert [5] * 4 == x.tolist()


@pytest.mark.row("B-31")
def test_a_window(device: sycl.device) -> None:
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    with sycl.host_accessor(sycl.buffer(x), sycl.range(2, 2), sycl.id(1, 1)) as view:
        assert [5, 6, 9, 10] == list(view)
        assert sycl.range(2, 2) == view.get_range()
