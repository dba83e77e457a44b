"""Kernels that enqueue kernels (OpenCL 3.0 §3.2.3)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.oneapi import experimental
from unisycl.ext.unisycl import (
    create_user_event,
    enqueue_kernel,
    enqueue_marker,
    enqueue_status,
    enqueue_task,
    get_default_queue_size,
    get_kernel_preferred_work_group_size_multiple,
    get_kernel_work_group_size,
    is_valid_event,
    kernel_enqueue_flags,
    ndrange,
    set_user_event_status,
)

Q = sycl.queue
NO_WAIT = kernel_enqueue_flags.no_wait
WAIT_KERNEL = kernel_enqueue_flags.wait_kernel
WAIT_GROUP = kernel_enqueue_flags.wait_work_group
RELAXED, DEVICE = sycl.memory_order.relaxed, sycl.memory_scope.device


def add(it, out, value):
    sycl.atomic_ref(out, 0, RELAXED, DEVICE).fetch_add(value)


def put(out, k, value):
    out[k] = value


def run(q: Q, kernel: Any, *args: Any) -> None:
    """Run a kernel once, and all that comes of it."""
    q.single_task(kernel, *args).wait_and_throw()


# ---- children
@pytest.mark.row("E-22", "K-7")
@pytest.mark.parametrize("flags", list(kernel_enqueue_flags), ids=lambda f: f.name)
def test_a_child_runs_over_its_range_before_the_parent_is_complete(queue: Q, flags: Any) -> None:
    def child(it, out, base):
        out[it] = base + it[0]

    def parent(out, n, base):
        enqueue_kernel(flags, n, child, out, base)
    out = np.zeros(100, np.int32)
    run(queue, parent, out, 90, 7)
    assert (out[:90] == np.arange(90) + 7).all()
    assert (out[90:] == 0).all()


@pytest.mark.row("E-22")
def test_ranges_of_two_and_three_dimensions_reach_their_children(queue: Q) -> None:
    def plane(it, out, m):
        out[it[0] * m + it[1]] += 1

    def cube(it, out, m, p):
        out[(it[0] * m + it[1]) * p + it[2]] += 10

    def parent(n, out, m, p):
        enqueue_kernel(WAIT_KERNEL, (n, m), plane, out, m)
        enqueue_kernel(WAIT_KERNEL, sycl.range(n, m, p), cube, out, m, p)
    plain = np.zeros(3 * 5 * 7, np.int64)
    queue.single_task(lambda: parent(3, plain, 5, 7)).wait_and_throw()
    expected = np.full(3 * 5 * 7, 10)
    expected[:15] += 1
    assert (plain == expected).all()


@pytest.mark.row("E-22")
def test_a_child_over_an_nd_range_has_groups_local_memory_and_barriers(queue: Q) -> None:
    tile = sycl.local_accessor(np.int32, 16)

    def reverse(it, src, dst):
        g = it.get_group()
        tile[it.get_local_id(0)] = src[it.get_global_id(0)]
        sycl.group_barrier(g)
        dst[it.get_global_id(0)] = tile[15 - it.get_local_id(0)]

    def parent(src, dst, n):
        enqueue_kernel(WAIT_KERNEL, ndrange(n, 16), reverse, src, dst)
    src, dst = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    run(queue, parent, src, dst, 64)
    assert (dst.reshape(-1, 16) == src.reshape(-1, 16)[:, ::-1]).all()


@pytest.mark.row("E-22")
def test_local_memory_and_functions_are_arguments_of_children(queue: Q) -> None:
    def double(x):
        return 2 * x

    def child(it, scratch, fn, out):
        scratch[it.get_local_id(0)] = it.get_global_id(0)
        sycl.group_barrier(it.get_group())
        out[it.get_global_id(0)] = fn(scratch[7 - it.get_local_id(0)])

    def parent(out):
        enqueue_kernel(WAIT_KERNEL, ndrange((16,), (8,)), child, scratch, double, out)
    scratch = sycl.local_accessor(np.int32, 8)
    out = np.zeros(16, np.int32)
    run(queue, parent, out)
    assert out.tolist() == [2 * k for k in [*range(7, -1, -1), *range(15, 7, -1)]]


@pytest.mark.row("E-22")
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32",
                                   "int64", "uint64", "float16", "float32", "float64"])
def test_numbers_of_every_type_reach_a_child_unchanged(queue: Q, dtype: str) -> None:
    def child(value, out):
        out[0] = value

    def parent(src, out, k):
        enqueue_task(WAIT_KERNEL, child, src[k], out)
    kind = np.dtype(dtype)
    values: Any = [np.iinfo(kind).min, np.iinfo(kind).max] if kind.kind in "iu" else [0, 1] \
        if kind.kind == "b" else [np.finfo(kind).min, -0.0, np.finfo(kind).tiny, np.inf]
    src, out = np.array(values, kind), np.zeros(1, kind)
    for k in range(len(src)):
        run(queue, parent, src, out, k)
        assert out.tobytes() == src[k:k + 1].tobytes()


@pytest.mark.row("E-22")
def test_numbers_of_python_stay_weak_and_constants_are_not_taken_from_the_launch(queue: Q) -> None:
    def child(n, x, out):
        out[0] = out[1] * n + x  # float32 all through
        for k in range(n):
            out[2] += k

    def parent(out, n):
        enqueue_task(WAIT_KERNEL, child, n + 1, 0.1, out)
    out = np.array([0, 1 / 3, 0], np.float32)
    run(queue, parent, out, 4)
    expected = out[1] * np.float32(5) + np.float32(0.1)
    assert out[0] == expected
    assert out[2] == 10


@pytest.mark.row("E-22")
def test_accessors_of_the_parent_are_its_childrens(queue: Q) -> None:
    def child(it, A, B):
        B[it] = A[it] * A[it]

    data = np.arange(40, dtype=np.int64)
    with sycl.buffer(data) as a, sycl.buffer(np.zeros(40, np.int64)) as b:
        @queue.submit
        def _(h: sycl.handler) -> None:
            A = sycl.accessor(a, h, sycl.read_only)
            B = sycl.accessor(b, h, sycl.write_only)

            @h.single_task
            def parent():
                enqueue_kernel(WAIT_KERNEL, 40, child, A, B)
        queue.submit(lambda h: _increment(h, b))
        found = np.array(sycl.host_accessor(b, sycl.read_only))
    assert (found == data * data + 1).all()


def _increment(h: sycl.handler, b: Any) -> None:
    B = sycl.accessor(b, h)

    def kernel(it):
        B[it] += 1
    h.parallel_for(40, kernel)


@pytest.mark.row("E-22")
def test_a_child_captures_memory_of_its_own(queue: Q) -> None:
    seen = sycl.malloc_device(8, np.int32, queue)

    def child(it, value):
        seen[it] = value + it[0]

    def parent(value):
        enqueue_kernel(NO_WAIT, 8, child, value)
    run(queue, parent, 5)
    out = np.zeros(8, np.int32)
    queue.copy(seen, out).wait()
    assert out.tolist() == list(range(5, 13))


@pytest.mark.row("E-22")
def test_every_work_item_and_work_group_enqueues(queue: Q) -> None:
    def parent(it, out):
        if it[0] % 3 == 0:
            enqueue_kernel(WAIT_KERNEL, it[0], add, out, np.int32(1))

    def grouped(it, out):
        if it.get_local_id(0) == 0:
            enqueue_kernel(WAIT_GROUP, 10, add, out, np.int32(100000))
    out = np.zeros(1, np.int32)
    queue.parallel_for(100, parent, out).wait_and_throw()
    queue.parallel_for(sycl.nd_range(64, 16), grouped, out).wait_and_throw()
    assert out[0] == sum(range(0, 100, 3)) + 4 * 10 * 100000


@pytest.mark.row("E-22")
def test_ranges_have_offsets(queue: Q) -> None:
    def child(it, out):
        out[it[0]] = it.get_offset()[0]

    def grouped(it, out):
        out[it.get_global_id(0)] = 1000 + it.get_group(0)

    def parent(out):
        enqueue_kernel(WAIT_KERNEL, ndrange(5, offset=3), child, out)
        enqueue_kernel(WAIT_KERNEL, ndrange(8, 4, 10), grouped, out)
    out = np.zeros(20, np.int32)
    run(queue, parent, out)
    assert out.tolist() == [0] * 3 + [3] * 5 + [0] * 2 + [1000] * 4 + [1001] * 4 + [0] * 2


@pytest.mark.row("E-22")
def test_an_empty_range_is_complete_at_once(queue: Q) -> None:
    def parent(out):
        event = enqueue_kernel(WAIT_KERNEL, 0, add, out, np.int32(1))
        enqueue_task(WAIT_KERNEL, put, out, 1, 7, wait_list=(event,))
    out = np.zeros(2, np.int32)
    run(queue, parent, out)
    assert out.tolist() == [0, 7]


@pytest.mark.row("E-22")
def test_a_parent_sees_what_it_wrote_in_its_children_and_wrote_after_enqueueing(queue: Q) -> None:
    def child(it, a, b):
        b[it] = a[it]

    def parent(it, a, b):
        if it[0] == 0:
            enqueue_kernel(WAIT_KERNEL, 1000, child, a, b)
        a[it] = it[0]
    a, b = np.zeros(1000, np.int32), np.zeros(1000, np.int32)
    queue.parallel_for(1000, parent, a, b).wait_and_throw()
    assert (b == np.arange(1000)).all()


# ---- generations
def quicksort(a, lo, hi):
    while hi - lo > 8:
        pivot = a[(lo + hi) // 2]
        i = lo
        j = hi - 1
        while i <= j:
            while a[i] < pivot:
                i += 1
            while a[j] > pivot:
                j -= 1
            if i <= j:
                held = a[i]
                a[i] = a[j]
                a[j] = held
                i += 1
                j -= 1
        enqueue_task(WAIT_KERNEL, quicksort, a, lo, j + 1)
        lo = i
    for k in range(lo + 1, hi):
        value = a[k]
        m = k
        while m > lo and a[m - 1] > value:
            a[m] = a[m - 1]
            m -= 1
        a[m] = value


@pytest.mark.row("E-22", "K-7")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_recursive_quicksort_sorts(queue: Q, seed: int) -> None:
    count = 70 if queue.get_device().has(sycl.aspect.emulated) else 700
    data = np.random.default_rng(seed).integers(0, 300, count).astype(np.int32)
    expected = np.sort(data)
    run(queue, quicksort, data, 0, len(data))
    assert (data == expected).all()


def grow(it, out, depth):
    sycl.atomic_ref(out, depth, RELAXED, DEVICE).fetch_add(np.int32(1))
    if depth > 0:
        enqueue_kernel(WAIT_KERNEL, 2, grow, out, depth - 1)


@pytest.mark.row("E-22")
def test_the_host_waits_for_all_generations(queue: Q) -> None:
    out = np.zeros(6, np.int32)
    event = queue.parallel_for(3, grow, out, 5)
    event.wait_and_throw()
    assert out.tolist() == [3 * 2**5, 3 * 2**4, 3 * 2**3, 12, 6, 3]


@pytest.mark.row("E-22")
def test_what_depends_on_the_parent_runs_after_its_grandchildren(queue: Q) -> None:
    def copy(it, a, b):
        b[it] = a[it]
    out, seen = np.zeros(6, np.int32), np.zeros(6, np.int32)
    event = queue.parallel_for(1, grow, out, 5)
    queue.parallel_for(6, copy, out, seen, depends_on=event).wait_and_throw()
    assert seen.tolist() == [32, 16, 8, 4, 2, 1]


@pytest.mark.row("E-22")
def test_an_in_order_queue_waits_for_children(device: sycl.device) -> None:
    q = sycl.queue(device, sycl.property.queue.in_order())

    def double(it, out):
        out[it] *= 2
    out = np.zeros(6, np.int32)
    for _ in range(3):
        q.parallel_for(1, grow, out, 5)
        q.parallel_for(6, double, out)
    q.wait_and_throw()
    assert out.tolist() == [14 * 2**k for k in range(5, -1, -1)]


@pytest.mark.row("E-22")
def test_a_recursion_that_never_ends_is_an_error(queue: Q) -> None:
    def again(k):
        enqueue_task(NO_WAIT, again, k + 1)
    with pytest.raises(sycl.exception, match="does the recursion end"):
        run(queue, again, 0)


# ---- events
@pytest.mark.row("E-22", "E-17")
def test_children_wait_for_events_of_their_siblings(queue: Q) -> None:
    def stage(it, out, factor, more):
        out[it] = out[it] * factor + more

    def parent(out):
        first = enqueue_kernel(NO_WAIT, 50, stage, out, 1, 1)
        second = enqueue_kernel(NO_WAIT, 50, stage, out, 10, 2, wait_list=(first,))
        third = enqueue_kernel(NO_WAIT, 50, stage, out, 10, 3, wait_list=(second,))
        enqueue_kernel(NO_WAIT, 50, stage, out, 10, 4, wait_list=(third, first))
    out = np.zeros(50, np.int64)
    run(queue, parent, out)
    assert (out == 1234).all()


@pytest.mark.row("E-22")
def test_an_event_waits_for_the_childs_own_children_too(queue: Q) -> None:
    def note(out, seen):
        seen[0] = out[0]

    def parent(out, seen):
        event = enqueue_kernel(NO_WAIT, 1, grow, out, 5)
        enqueue_task(NO_WAIT, note, out, seen, wait_list=(event,))
    out, seen = np.zeros(6, np.int32), np.zeros(1, np.int32)
    run(queue, parent, out, seen)
    assert seen[0] == 32


@pytest.mark.row("E-22", "E-17")
def test_a_marker_joins_many_events(queue: Q) -> None:
    def note(out, seen):
        seen[0] = out[0]

    def parent(out, seen):
        a = enqueue_kernel(NO_WAIT, 10, add, out, np.int32(1))
        b = enqueue_kernel(NO_WAIT, 20, add, out, np.int32(10))
        c = enqueue_marker((a, b))
        d = enqueue_kernel(NO_WAIT, 30, add, out, np.int32(100))
        both = enqueue_marker((c, d))
        enqueue_task(NO_WAIT, note, out, seen, wait_list=(both,))
    out, seen = np.zeros(1, np.int32), np.zeros(1, np.int32)
    run(queue, parent, out, seen)
    assert seen[0] == 10 + 200 + 3000


@pytest.mark.row("E-22")
def test_a_user_event_lets_its_children_go(queue: Q) -> None:
    def parent(out):
        event = create_user_event()
        if is_valid_event(event):
            enqueue_task(NO_WAIT, put, out, 0, 5, wait_list=(event,))
            out[1] = 6
            set_user_event_status(event, enqueue_status.success)
    out = np.zeros(2, np.int32)
    run(queue, parent, out)
    assert out.tolist() == [5, 6]


@pytest.mark.row("E-22")
@pytest.mark.parametrize(("status", "said"), [(-7, "was set to -7"), (1, "never set")])
def test_a_user_event_that_fails_or_is_never_set_fails_the_parent(
        queue: Q, status: int, said: str) -> None:
    def parent(out, status):
        event = create_user_event()
        if status < 0:
            set_user_event_status(event, status)
        first = enqueue_task(NO_WAIT, put, out, 0, 5, wait_list=(event,))
        enqueue_task(NO_WAIT, put, out, 1, 5, wait_list=(first,))
        enqueue_task(NO_WAIT, put, out, 2, 5)
    out = np.zeros(3, np.int32)
    with pytest.raises(sycl.exception, match=said):
        run(queue, parent, out, status)
    assert out.tolist() == [0, 0, 5]


# ---- failure
@pytest.mark.row("E-22")
def test_the_failure_of_a_grandchild_is_the_parents(device: sycl.device) -> None:
    told: list[BaseException] = []
    q = sycl.queue(device, lambda errors: told.extend(errors))

    @sycl.kernel(debug=True)
    def grandchild(it, out):
        assert it[0] < 3, "too far"
        out[it] = 1

    def child(out):
        enqueue_kernel(WAIT_KERNEL, 5, grandchild, out)

    def parent(out):
        enqueue_task(WAIT_KERNEL, child, out)
        enqueue_task(WAIT_KERNEL, put, out, 9, 9)

    def after(out):
        out[8] = 1
    out = np.zeros(10, np.int32)
    event = q.single_task(parent, out)
    event.wait()
    q.single_task(after, out, depends_on=event)
    q.wait_and_throw()
    assert any("grandchild" in str(error) and "too far" in str(error) for error in told)
    assert out[9] == 9
    assert out[8] == 0


@pytest.mark.row("E-22")
def test_a_full_device_queue_gives_a_status(queue: Q) -> None:
    most = queue.get_device().get_info(sycl.info.device.ext_unisycl_queue_on_device_max_size)

    def parent(it, out, failed):
        status = enqueue_kernel(NO_WAIT, 1, add, out, np.int32(1))
        if status < 0:
            sycl.atomic_ref(failed, 0, RELAXED, DEVICE).fetch_add(np.int32(1))
            if status == enqueue_status.device_queue_full:
                sycl.atomic_ref(failed, 1, RELAXED, DEVICE).fetch_add(np.int32(1))
    out, failed = np.zeros(1, np.int32), np.zeros(2, np.int32)
    queue.parallel_for(most + 10, parent, out, failed).wait_and_throw()
    assert out[0] == most == get_default_queue_size()
    assert failed.tolist() == [10, 10]


@pytest.mark.row("E-22")
def test_a_full_device_queue_is_an_error_in_a_kernel_that_is_debugged(queue: Q) -> None:
    def nothing(out):
        out[0] = 1

    @sycl.kernel(debug=True)
    def parent(it, out):
        enqueue_task(NO_WAIT, nothing, out)
    out = np.zeros(1, np.int32)
    with pytest.raises(sycl.exception, match="the device queue is full"):
        queue.parallel_for(5000, parent, out).wait_and_throw()


@pytest.mark.row("E-22")
def test_wrong_ranges_and_events_are_reported_as_numbers(queue: Q) -> None:
    def child(it, out):
        out[3] = 1

    def parent(out, n):
        out[0] = enqueue_kernel(NO_WAIT, ndrange(n, 8), child, out)
        out[1] = enqueue_kernel(NO_WAIT, -n, child, out)
        out[2] = enqueue_kernel(NO_WAIT, 1, child, out, wait_list=(out[0],))
    out = np.zeros(4, np.int32)
    run(queue, parent, out, 20)
    assert out.tolist() == [-160, -160, -57, 0]


# ---- the host's side
@pytest.mark.row("E-22")
def test_one_parent_may_run_many_times_at_once(queue: Q) -> None:
    outs = [np.zeros(6, np.int32) for _ in range(8)]
    for out in outs:
        queue.parallel_for(1, grow, out, 5)
    queue.wait_and_throw()
    assert all(out.tolist() == [32, 16, 8, 4, 2, 1] for out in outs)


@pytest.mark.row("E-22")
def test_profiling_times_the_whole_tree(device: sycl.device) -> None:
    q = sycl.queue(device, sycl.property.queue.enable_profiling())
    out = np.zeros(6, np.int32)
    event = q.parallel_for(1, grow, out, 5)
    event.wait_and_throw()
    start, end = (event.get_profiling_info(getattr(sycl.info.event_profiling, what))
                  for what in ("command_start", "command_end"))
    assert 0 < start < end
    assert out[0] == 32


@pytest.mark.row("E-22")
def test_devices_say_what_they_can(device: sycl.device) -> None:
    assert sycl.SYCL_EXT_UNISYCL_DEVICE_ENQUEUE == 1
    assert device.get_info(sycl.info.device.ext_unisycl_queue_on_device_max_size) >= 1
    assert isinstance(device.get_info(sycl.info.device.ext_unisycl_native_enqueue), bool)


@pytest.mark.row("E-22")
def test_a_kernel_asks_what_its_children_may_be(queue: Q) -> None:
    def child(it, out):
        out[0] = get_kernel_work_group_size(add)
        out[1] = get_kernel_preferred_work_group_size_multiple(add)

    def parent(out):
        enqueue_kernel(NO_WAIT, 1, child, out)
        out[2] = get_kernel_work_group_size(child)
    out = np.zeros(3, np.int32)
    run(queue, parent, out)
    most = queue.get_device().get_info(sycl.info.device.max_work_group_size)
    assert out[0] == out[2] == most
    assert 1 <= out[1] <= most


@pytest.mark.row("E-22")
def test_the_functions_are_for_kernels(queue: Q) -> None:
    with pytest.raises(sycl.exception, match="is for kernels"):
        enqueue_kernel(NO_WAIT, 1, add)
    with pytest.raises(sycl.exception, match="is for kernels"):
        enqueue_task(NO_WAIT, add)


@pytest.mark.row("E-22")
def test_a_graph_does_not_take_a_parent(queue: Q) -> None:
    graph = experimental.command_graph(queue)
    out = np.zeros(6, np.int32)
    with pytest.raises(sycl.exception, match="cannot be part of a graph") as caught:
        graph.add(lambda h: h.parallel_for(1, grow, out, 5))
    assert caught.value.code() == sycl.errc.feature_not_supported
