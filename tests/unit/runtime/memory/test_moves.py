"""Devices with memory of their own: what is copied, when, and that values are always the newest."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import unisycl as sycl
from tests.unit.runtime.apart import ApartDriver, apart_queue
from unisycl.ext.oneapi.experimental import command_graph

N = 64


def add(q: sycl.queue, memory: Any, value: int, *tags: Any) -> sycl.event:
    def group(h: sycl.handler) -> None:
        x = sycl.accessor(memory, h, *tags)

        def kernel(i: sycl.item) -> None:
            x[i] += value

        h.parallel_for(x.get_range(), kernel)

    return q.submit(group)


def add_and_close(q: sycl.queue, memory: sycl.buffer) -> None:
    with memory:
        add(q, memory, 1)
        q.wait_and_throw()


def store(q: sycl.queue, memory: Any, value: int, *tags: Any) -> sycl.event:
    def group(h: sycl.handler) -> None:
        x = sycl.accessor(memory, h, sycl.write_only, *tags)

        def kernel(i: sycl.item) -> None:
            x[i] = value

        h.parallel_for(x.get_range(), kernel)

    return q.submit(group)


def test_data_goes_in_once_and_out_once() -> None:
    driver = ApartDriver()
    q, data = apart_queue(driver), np.arange(N, dtype=np.int32)
    with sycl.buffer(data) as b:
        for _ in range(3):
            add(q, b, 1)
        q.wait_and_throw()
        assert driver.copies == [("in", 4 * N)]
        assert data[1] == 1
    assert driver.copies == [("in", 4 * N), ("out", 4 * N)]
    assert np.array_equal(data, np.arange(N) + 3)


def test_what_was_only_read_is_not_copied_back() -> None:
    driver = ApartDriver()
    q, out = apart_queue(driver), np.zeros(N, np.int32)
    with sycl.buffer(np.arange(N, dtype=np.int32)) as a, sycl.buffer(out) as b:
        def group(h: sycl.handler) -> None:
            x, y = sycl.accessor(a, h, sycl.read_only), sycl.accessor(b, h, sycl.no_init)

            def kernel(i: sycl.item) -> None:
                y[i] = x[i] + 1

            h.parallel_for(N, kernel)
        q.submit(group)
    assert driver.copies == [("in", 4 * N), ("out", 4 * N)]
    assert np.array_equal(out, np.arange(N) + 1)


@pytest.mark.row("B-25")
def test_old_contents_that_are_dropped_are_not_copied_in() -> None:
    for tags in ((sycl.no_init,), (sycl.range(N), sycl.id(0), sycl.no_init)):
        driver = ApartDriver()
        data = np.arange(N, dtype=np.int32)
        with sycl.buffer(data) as b:
            store(apart_queue(driver), b, 7, *tags)
        assert driver.copies == [("out", 4 * N)]
        assert data.tolist() == [7] * N
    driver = ApartDriver()
    with sycl.buffer(np.arange(N, dtype=np.int32)) as b:
        add(apart_queue(driver), b, 7)
    assert driver.copies == [("in", 4 * N), ("out", 4 * N)], "without no_init they are"


@pytest.mark.row("E-7")
def test_ten_readers_share_one_copy_on_each_device_and_none_goes_back() -> None:
    first, second = ApartDriver(), ApartDriver()
    queues = apart_queue(first), apart_queue(second)
    source = np.arange(N, dtype=np.int32)
    out = [np.zeros(N, np.int32) for _ in range(10)]
    with sycl.buffer(source) as a:
        for k, found in enumerate(out):
            with sycl.buffer(found) as b:
                def group(h: sycl.handler, b: sycl.buffer = b) -> None:
                    x, y = sycl.accessor(a, h, sycl.read_only), sycl.accessor(b, h, sycl.no_init)

                    def kernel(i: sycl.item) -> None:
                        y[i] = x[i] + 1

                    h.parallel_for(N, kernel)
                queues[k % 2].submit(group)
        with sycl.host_accessor(a, sycl.read_only) as here:
            assert here[3] == 3
    for driver in (first, second):  # the ten results go out, five from each
        assert driver.copies.count(("in", 4 * N)) == 1
        assert driver.copies.count(("out", 4 * N)) == 5
    assert all(found.tolist() == list(range(1, N + 1)) for found in out)


def test_a_range_with_no_init_leaves_the_rest_as_it_was() -> None:
    driver = ApartDriver()
    data = np.arange(N, dtype=np.int32)
    with sycl.buffer(data) as b:
        store(apart_queue(driver), b, -1, sycl.range(8), sycl.id(4), sycl.no_init)
    assert np.array_equal(data, np.r_[0:4, np.full(8, -1), 12:N])


def test_write_only_without_no_init_keeps_what_is_not_written() -> None:
    driver = ApartDriver()
    data = np.arange(N, dtype=np.int32)
    with sycl.buffer(data) as b:
        store(apart_queue(driver), b, -1, sycl.range(8), sycl.id(4))
    assert np.array_equal(data, np.r_[0:4, np.full(8, -1), 12:N])


def test_host_accessors_see_the_newest_value_and_pass_theirs_on() -> None:
    driver = ApartDriver()
    q, b = apart_queue(driver), sycl.buffer(np.zeros(N, np.int32))
    add(q, b, 1)
    with sycl.host_accessor(b, sycl.read_only) as x:
        assert x[3] == 1
    with sycl.host_accessor(b, sycl.read_only) as x:
        assert x[4] == 1
    add(q, b, 1)
    assert [k for k, _ in driver.copies] == ["in", "out"], "reading keeps the device's copy"
    with sycl.host_accessor(b) as x:
        x[0] = 40
    add(q, b, 2)
    with sycl.host_accessor(b, sycl.read_only) as x:
        assert x[0] == 42
        assert x[1] == 4


def test_host_tasks_take_part() -> None:
    driver = ApartDriver()
    q, data = apart_queue(driver), np.zeros(N, np.int32)
    with sycl.buffer(data) as b:
        add(q, b, 1)

        @q.submit
        def _(h: sycl.handler) -> None:
            x = sycl.accessor(b, h, sycl.read_write_host_task)
            h.host_task(lambda: x.__setitem__(0, x[0] + 10))

        add(q, b, 1)
    assert data[0] == 12
    assert data[1] == 2


def test_contents_nobody_wants_stay_on_the_device() -> None:
    driver = ApartDriver()
    q = apart_queue(driver)
    with sycl.buffer(N, dtype=np.int32) as b:
        store(q, b, 3)
        add(q, b, 1)
    q.wait_and_throw()
    assert driver.copies == []


def test_final_data_is_brought_out() -> None:
    driver, out = ApartDriver(), np.zeros(N, np.int32)
    with sycl.buffer(N, dtype=np.int32) as b:
        b.set_final_data(out)
        store(apart_queue(driver), b, 3)
    assert np.array_equal(out, np.full(N, 3))


def test_halves_on_two_devices_give_the_whole() -> None:
    drivers = ApartDriver(), ApartDriver()
    data = np.arange(N, dtype=np.int32)
    with sycl.buffer(data) as b:
        for k, driver in enumerate(drivers):
            half = sycl.buffer(b, sycl.id(k * N // 2), sycl.range(N // 2))
            add(apart_queue(driver), half, 100 * (k + 1))
        for driver in drivers:
            assert driver.copies == [("in", 2 * N)]
        add(apart_queue(drivers[0]), b, 1)
    assert np.array_equal(data, np.arange(N) + np.repeat((101, 201), N // 2))
    assert [k for k, _ in drivers[1].copies] == ["in", "out"]


def test_reductions_copies_and_fills_of_buffers() -> None:
    q = apart_queue(ApartDriver())
    data, total, twin = np.arange(N, dtype=np.int32), np.full(1, 5, np.int64), np.zeros(N, np.int32)
    with sycl.buffer(data) as b, sycl.buffer(total) as t, sycl.buffer(twin) as w:
        @q.submit
        def _(h: sycl.handler) -> None:
            x = sycl.accessor(b, h, sycl.read_only)

            def kernel(i: sycl.item, s: Any) -> None:
                s += x[i]

            h.parallel_for(N, sycl.reduction(t, h, sycl.plus()), kernel)

        q.submit(lambda h: h.copy(sycl.accessor(b, h, sycl.read_only),
                                  sycl.accessor(w, h, sycl.write_only)))
        q.submit(lambda h: h.fill(sycl.accessor(w, h, sycl.range(4)), 9))
    assert total[0] == 5 + data.sum()
    assert np.array_equal(twin, np.r_[9, 9, 9, 9, 4:N])


def test_device_allocations_and_what_there_is_none_of() -> None:
    q = apart_queue(ApartDriver())
    p, out = sycl.malloc_device(N, q, dtype=np.int32), np.zeros(N, np.int32)
    assert p is not None
    q.fill(p, 7).wait()

    def kernel(i: sycl.item) -> None:
        p[i] += 1

    q.parallel_for(N, kernel).wait()
    q.copy(p, out).wait()
    assert np.array_equal(out, np.full(N, 8))
    assert sycl.get_pointer_type(p, q) is sycl.usm.alloc.device
    sycl.free(p, q)
    with pytest.raises(sycl.exception) as caught:
        sycl.malloc_shared(N, q)
    assert caught.value.code() == sycl.errc.feature_not_supported


@pytest.mark.parametrize("broken", ["in", "out"])
def test_a_copy_that_fails_is_reported_and_locks_nothing(broken: str) -> None:
    driver = ApartDriver()
    q, data = apart_queue(driver), np.zeros(N, np.int32)
    driver.broken = broken
    b = sycl.buffer(data)
    with pytest.raises(sycl.exception, match="unplugged"):
        add_and_close(q, b)
    driver.broken = ""
    with sycl.buffer(data) as b:
        add(q, b, 1)
    assert data[0] == 1


def test_the_error_of_a_copy_keeps_no_buffer() -> None:
    """Its frames hold the buffer, whose finaliser holds what the error is kept in."""
    driver = ApartDriver()
    q = apart_queue(driver)
    driver.broken = "out"
    b = sycl.buffer(sycl.range(N), dtype=np.int32)
    memory = weakref.ref(b.region.memory)
    store(q, b, 1)
    with pytest.raises(sycl.exception, match="unplugged"):
        sycl.host_accessor(b)
    del b
    gc.collect()
    assert memory() is None


step = st.tuples(st.integers(0, 3), st.integers(0, 3), st.sampled_from(("add", "store", "fresh")))


@settings(max_examples=60, deadline=None,
          suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(step, min_size=1, max_size=8))
def test_any_order_of_devices_and_parts_gives_numpys_result(steps: list[tuple[int, int, str]],
                                                            ) -> None:
    queues = [apart_queue(ApartDriver()), apart_queue(ApartDriver()),
              sycl.queue(sycl.cpu_selector_v)]
    data = np.arange(N, dtype=np.int32)
    model = data.copy()
    with sycl.buffer(data) as b:
        quarters = [sycl.buffer(b, sycl.id(k * 16), sycl.range(16)) for k in range(4)]
        for number, (where, part, what) in enumerate(steps):
            memory, cut = (b, slice(None)) if part == 3 else (
                quarters[part], slice(part * 16, part * 16 + 16))
            if where == 3:
                with sycl.host_accessor(memory) as x:
                    x[:] = model[cut] = model[cut] + number
            elif what == "add":
                add(queues[where], memory, number)
                model[cut] += number
            else:
                store(queues[where], memory, number, *([sycl.no_init] if what == "fresh" else []))
                model[cut] = number
    assert np.array_equal(data, model)


def test_arrays_are_copied_there_and_only_what_may_have_changed_back() -> None:
    driver = ApartDriver()
    q = apart_queue(driver)
    x, y = np.arange(N, dtype=np.int32), np.zeros(N, np.int32)

    def kernel(i: sycl.item) -> None:
        y[i] = x[i] * 2

    q.parallel_for(N, kernel).wait()
    assert np.array_equal(y, x * 2)
    assert driver.copies == [("in", 4 * N), ("in", 4 * N), ("out", 4 * N)]


def test_arrays_that_overlap_share_a_copy() -> None:
    q, x = apart_queue(ApartDriver()), np.zeros(N + 1, np.int32)
    low, high = x[:-1], x[1:]

    def kernel() -> None:
        for i in range(N):
            high[i] = low[i] + 1

    q.single_task(kernel).wait()
    assert np.array_equal(x, np.arange(N + 1))


def test_launches_that_share_an_array_follow_one_another() -> None:
    q, x = apart_queue(ApartDriver()), np.zeros(N, np.int32)

    def kernel(i: sycl.item, first: int) -> None:
        x[first + i[0]] += 1

    for _ in range(20):
        for first in (0, N // 2):
            q.parallel_for(N // 2, kernel, first)
    q.wait_and_throw()
    assert np.array_equal(x, np.full(N, 20))


def test_reductions_into_arrays() -> None:
    q, x, total = apart_queue(ApartDriver()), np.arange(N), np.full(1, 7, np.int64)

    def kernel(i: sycl.item, s: Any) -> None:
        s += x[i]

    q.parallel_for(N, sycl.reduction(total, sycl.plus()), kernel).wait()
    assert total[0] == 7 + x.sum()


def test_update_host_brings_the_data_out() -> None:
    q, data = apart_queue(ApartDriver()), np.zeros(N, np.int32)
    with sycl.buffer(data) as b:
        add(q, b, 1)
        q.submit(lambda h: h.update_host(sycl.accessor(b, h, sycl.read_only))).wait()
        assert data[3] == 1
        add(q, b, 1)
        q.submit(lambda h: h.update_host(sycl.accessor(b, h))).wait()
        assert data[3] == 2


def test_a_graph_lends_its_data_to_host_tasks() -> None:
    q, data = apart_queue(ApartDriver()), np.zeros(N, np.int32)
    graph = command_graph(q.get_context(), q.get_device())
    with sycl.buffer(data) as b:
        graph.begin_recording(q)
        add(q, b, 1)

        @q.submit
        def _(h: sycl.handler) -> None:
            x = sycl.accessor(b, h, sycl.read_write_host_task)
            h.host_task(lambda: x.__setitem__(0, x[0] * 10))

        add(q, b, 1)
        graph.end_recording(q)
        replayed = graph.finalize()
        for _ in range(2):
            q.ext_oneapi_graph(replayed)
        add(q, b, 1)
    assert data[0] == ((0 + 1) * 10 + 1 + 1) * 10 + 1 + 1
    assert data[1] == 5
