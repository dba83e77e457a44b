"""Handlers by the public API (SYCL 2020 §4.9.4)."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import unisycl as sycl


@pytest.mark.row("C-26", "F-11")
def test_a_handler_can_neither_be_copied_nor_used_when_it_is_dead(queue: sycl.queue) -> None:
    kept: list[sycl.handler] = []
    p = sycl.malloc_shared(4, np.int32, queue)

    def group(h: sycl.handler) -> None:
        kept.append(h)
        for make in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(sycl.exception, match="cannot be copied"):
                make(h)
    queue.submit(group)
    h = kept[0]
    for call in (lambda: h.depends_on([]), lambda: h.depends_on(sycl.event()),
                 lambda: h.fill(p, 1), lambda: h.copy(p, p), lambda: h.memset(p, 0),
                 lambda: h.host_task(lambda: None), lambda: h.single_task(lambda: None),
                 lambda: h.use_kernel_bundle(None), lambda: h.ext_oneapi_barrier()):
        with pytest.raises(sycl.exception, match="has ended") as caught:
            call()
        assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("C-26")
def test_a_handler_is_dead_after_its_group(queue: sycl.queue) -> None:
    kept = []
    queue.submit(kept.append)
    with pytest.raises(sycl.exception, match="has ended"):
        kept[0].single_task(lambda: None)
    with pytest.raises(sycl.exception):
        sycl.handler()


@pytest.mark.row("C-1")
def test_single_tasks_run_in_the_order_of_their_data(queue: sycl.queue) -> None:
    x = np.ones(1, np.int64)
    with sycl.buffer(x) as bx:
        for factor in (2, 3, 5):
            def group(h: sycl.handler, factor=factor) -> None:
                acc = sycl.accessor(bx, h, sycl.read_write)
                h.single_task(lambda: None) if factor == 0 else None

                @h.single_task
                def kernel():
                    acc[0] = acc[0] * factor + 1
            queue.submit(group)
    assert ((1 * 2 + 1) * 3 + 1) * 5 + 1 == x[0]


@pytest.mark.row("C-2")
@pytest.mark.parametrize("space", [8, (8,), sycl.range(8), np.int64(8)])
def test_a_range_comes_in_many_forms(queue: sycl.queue, space) -> None:
    p = sycl.malloc_shared(8, np.int32, queue)
    p[:] = 0

    def kernel(i, p):
        p[i] = i + 1
    queue.parallel_for(space, kernel, p).wait()
    assert list(range(1, 9)) == p[:].tolist()


@pytest.mark.row("C-3", "F-12")
def test_an_nd_range_must_be_divisible_and_fit_the_device(queue: sycl.queue) -> None:
    def kernel(it, p):
        p[it.get_global_id(0)] = 1
    p = sycl.malloc_shared(8, np.int32, queue)
    with pytest.raises(sycl.exception, match="12") as caught:
        sycl.nd_range(10, 3)
    assert sycl.errc.nd_range == caught.value.code()
    most = queue.get_device().get_info(sycl.info.device.max_work_group_size)
    with pytest.raises(sycl.exception, match=str(most)) as caught:
        queue.parallel_for(sycl.nd_range(4 * most, 4 * most), kernel, p)
    assert sycl.errc.nd_range == caught.value.code()
    queue.parallel_for(sycl.nd_range(0, 0), kernel, p).wait()


@pytest.mark.row("C-4")
def test_an_empty_range_satisfies_its_dependants(queue: sycl.queue) -> None:
    x = np.zeros(4, np.int32)
    with sycl.buffer(x) as bx:
        def first(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.write_only)

            @h.parallel_for(4)
            def kernel(i):
                acc[i] = 1

        def nothing(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.read_write)

            @h.parallel_for(0)
            def kernel(i):
                acc[i] = 9

        def no_columns(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.read_write)

            @h.parallel_for((4, 0))
            def kernel(i):
                acc[i[0]] = 9

        def last(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.read_write)

            @h.parallel_for(4)
            def kernel(i):
                acc[i] += 1
        queue.submit(first)
        queue.submit(nothing)
        queue.submit(no_columns)
        queue.submit(last)
    assert [2] * 4 == x.tolist()


@pytest.mark.row("C-9", "X-14")
def test_an_offset_is_added_to_the_ids(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(10, np.int32, queue)
    p[:] = 0

    def kernel(i, p):
        p[i] = 1

    def launch() -> sycl.nd_range:
        queue.parallel_for(3, sycl.id(5), kernel, p).wait()
        queue.submit(lambda h: h.parallel_for(3, sycl.id(5), kernel, p)).wait()
        return sycl.nd_range(2, 1, 8)
    with pytest.warns(DeprecationWarning, match="offsets of launches") as told:
        space = launch()
    assert [__file__] * 3 == [w.filename for w in told]
    assert [5, 6, 7] == np.flatnonzero(p[:]).tolist()
    queue.parallel_for(space, lambda it: store(p, it.get_global_id(0))).wait()
    assert [5, 6, 7, 8, 9] == np.flatnonzero(p[:]).tolist()


def store(p, k):
    p[k] = 1


@pytest.mark.row("X-14")
def test_an_offset_of_three_dimensions_shifts_each(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(125, np.int32, queue)
    p[:] = 0

    def kernel(i, p):
        p[(i[0] * 5 + i[1]) * 5 + i[2]] += 1
    with pytest.warns(DeprecationWarning, match="offsets"):
        queue.parallel_for((3, 3, 3), sycl.id(1, 1, 1), kernel, p).wait()
    want = np.zeros((5, 5, 5), np.int32)
    want[1:4, 1:4, 1:4] = 1
    assert want.ravel().tolist() == p[:].tolist()


@pytest.mark.row("C-9", "X-14")
@pytest.mark.parametrize("extents", [(70_001,), (3, 300), (9, 10, 11)])
def test_every_item_of_a_range_runs_once(queue: sycl.queue, extents: tuple[int, ...]) -> None:
    got = np.zeros([n + 3 for n in extents], np.int32)
    want = np.zeros_like(got)
    want[tuple(slice(3, None) for _ in extents)] = 1
    with sycl.buffer(got) as memory:
        def group(h: sycl.handler) -> None:
            out = sycl.accessor(memory, h)

            def kernel(i):
                out[i] += 1
            h.parallel_for(sycl.range(*extents), sycl.id(*[3] * len(extents)), kernel)
        with pytest.warns(DeprecationWarning, match="offsets"):
            queue.submit(group)
    np.testing.assert_array_equal(want, got)


@pytest.mark.row("C-12")
def test_values_are_captured_at_submission(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(2, np.int32, queue)
    gate = sycl.buffer(np.zeros(1))
    value = 3
    with sycl.host_accessor(gate):
        def group(h: sycl.handler) -> None:
            sycl.accessor(gate, h, sycl.read_only)

            @h.parallel_for(2)
            def kernel(i):
                p[i] = value
        event = queue.submit(group)
        value = 8
    event.wait()
    assert [3, 3] == p[:].tolist()


@pytest.mark.row("C-27", "E-1")
def test_a_host_task_between_two_kernels(queue: sycl.queue) -> None:
    x = np.zeros(4, np.int32)
    with sycl.buffer(x) as bx:
        def kernel_group(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.read_write)

            @h.parallel_for(4)
            def kernel(i):
                acc[i] += 1

        def host_group(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.read_write_host_task)

            @h.host_task
            def task():
                np.multiply(acc.get_multi_ptr(), 10, out=acc.get_multi_ptr())
        queue.submit(kernel_group)
        queue.submit(host_group)
        queue.submit(kernel_group)
    assert [11] * 4 == x.tolist()


@pytest.mark.row("B-51", "F-10")
def test_a_copy_into_something_smaller_is_refused(queue: sycl.queue) -> None:
    ten, five = sycl.buffer(sycl.range(10)), sycl.buffer(sycl.range(5))

    def group(h: sycl.handler) -> None:
        h.copy(sycl.accessor(ten, h, sycl.read_only), sycl.accessor(five, h, sycl.write_only))
    with pytest.raises(sycl.exception, match="5 elements") as caught:
        queue.submit(group)
    assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("B-51")
def test_half_a_copy_leaves_the_other_half(queue: sycl.queue) -> None:
    x, y = np.arange(8.0), np.full(8, -1.0)
    with sycl.buffer(x) as bx, sycl.buffer(y) as by:
        def group(h: sycl.handler) -> None:
            h.copy(sycl.accessor(bx, h, sycl.range(4), sycl.id(2), sycl.read_only),
                   sycl.accessor(by, h, sycl.range(4), sycl.id(4), sycl.write_only))
        queue.submit(group)
    assert [-1, -1, -1, -1, 2, 3, 4, 5] == y.tolist()


@pytest.mark.row("B-51")
def test_a_window_of_two_dimensions_is_copied_and_filled(queue: sycl.queue) -> None:
    x, out = np.arange(16, dtype=np.int32).reshape(4, 4), np.zeros((2, 2), np.int32)
    with sycl.buffer(x) as bx:
        window = (sycl.range(2, 2), sycl.id(1, 1))
        queue.submit(lambda h: h.copy(sycl.accessor(bx, h, *window, sycl.read_only), out)).wait()
        queue.submit(lambda h: h.fill(sycl.accessor(bx, h, *window, sycl.write_only), -1))
    assert [[5, 6], [9, 10]] == out.tolist()
    assert 4 == int((x == -1).sum())


@pytest.mark.row("F-4")
def test_types_that_do_not_fit_are_refused(queue: sycl.queue) -> None:
    a, b = np.zeros(4, np.int32), np.zeros(4, np.float32)
    with pytest.raises(sycl.exception, match="int32"):
        queue.copy(a, b)
    with pytest.raises(sycl.exception, match="no int32"):
        queue.fill(a, "x")
    with pytest.raises(sycl.exception, match="ascontiguousarray"):
        queue.copy(np.zeros((4, 4))[:, 0], np.zeros(4))


@pytest.mark.row("B-51")
def test_fills_of_one_type_and_any_dimensions_follow_one_another(queue: sycl.queue) -> None:
    for shape in ((6,), (3, 4), (2, 3, 4), (5,), (4, 4)):
        b = sycl.buffer(np.zeros(shape))
        queue.submit(lambda h, b=b: h.fill(sycl.accessor(b, h, sycl.write_only), 3.0))
        with sycl.host_accessor(b, sycl.read_only) as seen:
            assert np.all(seen.get_view() == 3)
