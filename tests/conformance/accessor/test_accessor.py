"""Accessors by the public API (SYCL 2020 §4.7.6)."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import unisycl as sycl


@pytest.mark.row("X-2", "B-21")
def test_write_keeps_what_is_not_written(queue: sycl.queue) -> None:
    x = np.full(8, 5, np.int32)
    with sycl.buffer(x) as bx:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.write_only)

            @h.parallel_for(4)
            def kernel(i):
                acc[2 * i] = 1
        queue.submit(group)
    assert [1, 5] * 4 == x.tolist()


@pytest.mark.row("X-6", "B-22", "B-28")
def test_a_ranged_accessor_starts_at_its_offset(queue: sycl.queue) -> None:
    x = np.arange(20, dtype=np.int32)
    with sycl.buffer(x) as bx:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.range(4), sycl.id(10), sycl.read_write)
            assert 4 == len(acc) == acc.size()
            assert sycl.id(10) == acc.get_offset()

            @h.parallel_for(4)
            def kernel(i):
                acc[i] = -1
        queue.submit(group)
    assert [9, -1, -1, -1, -1, 14] == x[9:15].tolist()


@pytest.mark.row("X-6", "B-29", "D-50")
@pytest.mark.parametrize("shape", [(20,), (5, 4)], ids=["1d", "2d"])
def test_pointers_of_a_ranged_accessor_start_with_the_buffer(
        queue: sycl.queue, shape: tuple[int, ...]) -> None:
    corner = (2,) * len(shape)
    for ranged in (True, False, True):  # one kernel, whichever of the two was compiled first
        x, out = np.arange(20, dtype=np.int32).reshape(shape), np.zeros(6, np.int32)
        with sycl.buffer(x) as bx, sycl.buffer(out) as bo:
            def group(h: sycl.handler, ranged: bool = ranged) -> None:
                part = [sycl.range(*corner), sycl.id(*corner)] if ranged else []
                acc = sycl.accessor(bx, h, *part, sycl.read_write)
                got = sycl.accessor(bo, h, sycl.write_only)

                def kernel():
                    p = acc.get_multi_ptr()
                    got[0] = p[0]
                    got[1] = (p + 7)[0]
                    got[2] = sycl.global_ptr(acc)[3]
                    got[3] = sycl.multi_ptr(acc)[4]
                    got[4] = (p + 6) - (p + 1)
                    got[5] = acc.size()
                    p[19] = 99
                h.single_task(kernel)
            queue.submit(group)
        assert [0, 7, 3, 4, 5, 2 ** len(shape) if ranged else 20] == out.tolist()
        assert 99 == x.reshape(-1)[19]


@pytest.mark.row("B-22", "F-10")
def test_a_range_outside_the_buffer_is_refused(queue: sycl.queue) -> None:
    b = sycl.buffer(sycl.range(8))
    for extent, offset in ((9, 0), (4, 5), (1, -1)):
        with pytest.raises(sycl.exception) as caught:
            queue.submit(lambda h, e=extent, o=offset: sycl.accessor(
                b, h, sycl.range(e), sycl.id(o)))
        assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("B-23")
def test_a_placeholder_must_be_required(queue: sycl.queue) -> None:
    x = np.zeros(4, np.int32)
    with sycl.buffer(x) as bx:
        acc = sycl.accessor(bx, sycl.write_only)
        assert acc.is_placeholder()

        def kernel(i):
            acc[i] = 3
        with pytest.raises(sycl.exception, match="require") as caught:
            queue.submit(lambda h: h.parallel_for(4, kernel))
        assert sycl.errc.kernel_argument == caught.value.code()

        def group(h: sycl.handler) -> None:
            h.require(acc)
            h.require(acc)
            h.parallel_for(4, kernel)
        queue.submit(group)
    assert [3] * 4 == x.tolist()


@pytest.mark.row("B-24")
def test_an_accessor_of_nothing_is_empty_and_no_placeholder(device: sycl.device) -> None:
    acc = sycl.accessor()
    assert acc.empty()
    assert not acc.is_placeholder()


@pytest.mark.row("B-25", "F-10")
def test_no_init_and_read_contradict(queue: sycl.queue) -> None:
    b = sycl.buffer(sycl.range(4))
    with pytest.raises(sycl.exception, match="no_init") as caught:
        queue.submit(lambda h: sycl.accessor(b, h, sycl.read_only, sycl.no_init))
    assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("B-25")
@pytest.mark.parametrize("tag", [sycl.write_only, sycl.read_write], ids=["write", "read_write"])
def test_no_init_keeps_what_is_outside_of_a_ranged_accessor(
        queue: sycl.queue, tag: object) -> None:
    """What was there is made on the device first, so that the host's copy is old by then."""
    x = np.zeros(16, np.int32)
    with sycl.buffer(x) as bx:
        def fill(h: sycl.handler) -> None:
            whole = sycl.accessor(bx, h, sycl.write_only, sycl.property_list(sycl.no_init))
            h.parallel_for(16, lambda i: put(whole, i[0], i[0] + 1))

        def part(h: sycl.handler) -> None:
            some = sycl.accessor(bx, h, sycl.range(4), sycl.id(6), tag, sycl.no_init)
            assert some.has_property(sycl.property.no_init)
            h.parallel_for(4, lambda i: put(some, i[0], -1))
        queue.submit(fill)
        queue.submit(part)
    assert [*range(1, 7), -1, -1, -1, -1, *range(11, 17)] == x.tolist()


def put(a, i, value):
    a[i] = value


@pytest.mark.row("B-26")
def test_every_form_of_subscript_means_the_same_element(queue: sycl.queue) -> None:
    x = np.zeros((3, 4, 5), np.int32)
    with sycl.buffer(x) as bx:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.read_write)

            @h.parallel_for((3, 4, 5))
            def kernel(i):
                acc[i] += 1
                acc[i[0], i[1], i[2]] += 2
                acc[i[0]][i[1]][i[2]] += 4
        queue.submit(group)
    assert (x == 7).all()


@pytest.mark.row("B-26")
def test_a_zero_dimensional_accessor_is_one_element(queue: sycl.queue) -> None:
    x = np.array([4, 9], np.int32)
    with sycl.buffer(x) as bx:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.read_write, dimensions=0)

            @h.single_task
            def kernel():
                acc[()] += 1
        queue.submit(group)
    assert [5, 9] == x.tolist()


@pytest.mark.row("B-29")
def test_a_device_accessor_shows_nothing_to_the_host(queue: sycl.queue) -> None:
    b = sycl.buffer(sycl.range(4))

    def group(h: sycl.handler) -> None:
        acc = sycl.accessor(b, h)
        with pytest.raises(sycl.exception, match="inside the command"):
            acc[0]
        with pytest.raises(sycl.exception, match="inside the command"):
            acc.get_multi_ptr()
    queue.submit(group)


@pytest.mark.row("B-34")
def test_host_tasks_see_their_own_accessors_only(queue: sycl.queue) -> None:
    x = np.arange(4, dtype=np.int32)
    seen = []
    with sycl.buffer(x) as bx, sycl.buffer(sycl.range(2)) as other:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h, sycl.read_write_host_task)
            device_side = sycl.accessor(other, h, sycl.read_only)

            @h.host_task
            def task():
                acc[1] = 50
                seen.extend(acc)
                with pytest.raises(sycl.exception):
                    device_side[0]
        queue.submit(group).wait()
    assert [0, 50, 2, 3] == seen
    assert 50 == x[1]


@pytest.mark.row("F-4")
def test_an_accessor_outside_its_group_is_refused(queue: sycl.queue) -> None:
    x = np.zeros(4, np.int32)
    kept = []
    with sycl.buffer(x) as bx:
        queue.submit(lambda h: kept.append(sycl.accessor(bx, h)))
        acc = kept[0]

        def kernel(i):
            acc[i] = 1
        with pytest.raises(sycl.exception, match="outside its command group") as caught:
            queue.submit(lambda h: h.parallel_for(4, kernel))
        assert sycl.errc.accessor == caught.value.code()
        queue.submit(lambda h: None).wait()


@pytest.mark.row("B-21")
def test_an_unused_write_accessor_still_orders(queue: sycl.queue) -> None:
    b = sycl.buffer(np.zeros(4))
    first = queue.submit(lambda h: (sycl.accessor(b, h, sycl.write_only), None)[1])
    second = queue.submit(lambda h: (sycl.accessor(b, h, sycl.read_only), None)[1])
    assert first in second.get_wait_list()
    second.wait()


@pytest.mark.row("B-28", "A-31")
def test_accessors_are_iterated_swapped_and_copied_by_reference(queue: sycl.queue) -> None:
    a, b = sycl.buffer(np.arange(6, dtype=np.int32)), sycl.buffer(np.arange(2, dtype=np.int32))
    with sycl.host_accessor(a, sycl.range(3), sycl.id(2)) as x, sycl.host_accessor(b) as y:
        assert [2, 3, 4] == list(x)
        assert [4, 3, 2] == list(reversed(x))
        assert x == copy.copy(x)
        assert hash(x) == hash(copy.deepcopy(x))
        assert x != y
        x.swap(y)
        assert ([0, 1], [2, 3, 4]) == (list(x), list(y))
        with pytest.raises(sycl.exception, match="swap"):
            x.swap(3)
    seen = []

    def group(h: sycl.handler) -> None:
        x = sycl.accessor(a, h, sycl.range(2), sycl.id(1), sycl.read_only_host_task)
        y = sycl.accessor(b, h, sycl.read_write_host_task)
        assert (2, 8, (2,), (1,)) == (
            len(x), x.byte_size(), tuple(x.get_range()), tuple(x.get_offset()))
        x.swap(y)
        h.host_task(lambda: seen.extend([list(y), list(reversed(y)), list(x)]))
    queue.submit(group).wait()
    assert [[1, 2], [2, 1], [0, 1]] == seen


@pytest.mark.row("B-24")
def test_a_kernel_may_ask_an_accessor_of_nothing(queue: sycl.queue) -> None:
    p = sycl.malloc_shared(1, np.int32, queue)
    nothing = sycl.accessor()

    def group(h: sycl.handler) -> None:
        @h.parallel_for(1)
        def kernel(i):
            p[i] = 1 if nothing.empty() else 2
    queue.submit(group).wait()
    assert 1 == p[0]
