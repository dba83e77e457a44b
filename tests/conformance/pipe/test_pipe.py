"""Pipes between kernels (OpenCL 3.0 §3.3.2; sycl_ext_intel_dataflow_pipes).

Each test has a context of its own, where the pipes are empty.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.intel import check_pipes, pipe
from unisycl.ext.oneapi import experimental as exp

record = np.dtype([("n", np.int32), ("v", np.float32, (3,))])

numbers = pipe(np.int32, 16)
halves = pipe(np.float32, 5)
records = pipe(record, 4)
single = pipe(np.int64)
forth, back = pipe(np.int32, 2), pipe(np.int32, 2)


def seen(q: sycl.queue, memory: Any) -> list[Any]:
    found = np.zeros(memory.size(), memory.dtype)
    q.copy(memory, found).wait()
    return found.tolist()


@pytest.mark.row("E-23", "K-13")
def test_a_full_pipe_takes_no_more_and_gives_all_in_order(own: sycl.queue) -> None:
    out = sycl.malloc_device(40, np.int32, own)

    def fill(out):
        n = 0
        while numbers.write_nb(n):
            n += 1
        out[0] = n
        for k in range(n):
            value, ok = numbers.read_nb()
            out[1 + k] = value if ok else -1
        value, ok = numbers.read_nb()
        out[1 + n] = 1 if ok else 0
    own.single_task(fill, out).wait()
    n = numbers.capacity
    assert n >= 16
    assert [n, *range(n), 0] == seen(own, out)[:n + 2]


@pytest.mark.row("E-23")
def test_packets_stay_from_kernel_to_kernel(own: sycl.queue) -> None:
    out = sycl.malloc_device(5, np.float32, own)

    def put(start):
        for k in range(5):
            halves.write_nb((start + k) / 2)

    def take(out):
        for k in range(5):
            value, ok = halves.read_nb()
            out[k] = value if ok else -1
    for start in (0, 10, 20):
        first = own.single_task(put, start)
        own.single_task(take, out, depends_on=[first]).wait()
        assert [(start + k) / 2 for k in range(5)] == seen(own, out)


def consume(out, count):
    """Leave the sum of what comes through the pipe, and how much of it came out of order."""
    total = np.int64(0)
    wrong = 0
    for k in range(count):
        value = numbers.read()
        if value != k:
            wrong += 1
        total += value
    out[0] = total
    out[1] = wrong


def produce(count):
    for k in range(count):
        numbers.write(k)


@pytest.mark.row("E-23", "K-13")
def test_a_reader_and_a_writer_run_at_the_same_time(waiting: sycl.queue) -> None:
    count = 400 if waiting.get_device().get_backend() is sycl.backend.host else 100_000
    out = sycl.malloc_device(2, np.int64, waiting)

    reader = waiting.single_task(consume, out, count)
    writer = waiting.single_task(produce, count)
    sycl.event.wait([reader, writer])
    assert [count * (count - 1) // 2, 0] == seen(waiting, out)


@pytest.mark.row("K-13")
def test_kernels_answer_one_another_in_a_ring(waiting: sycl.queue) -> None:
    out = sycl.malloc_device(1, np.int32, waiting)

    def echo(count):
        for _ in range(count):
            back.write(forth.read() + 1)

    def ask(out, count):
        value = np.int32(0)
        for _ in range(count):
            forth.write(value)
            value = back.read()
        out[0] = value
    events = [waiting.single_task(echo, 50), waiting.single_task(ask, out, 50)]
    sycl.event.wait(events)
    assert [50] == seen(waiting, out)


@pytest.mark.row("E-23", "K-13")
def test_work_groups_of_one_kernel_are_both_ends(own: sycl.queue) -> None:
    device = own.get_device()
    count = 20 if device.get_backend() is sycl.backend.host else 2000

    def groups(it, out, count):
        if it.get_local_id(0) == 1:
            if it.get_group(0) == 0:
                produce(count)
            else:
                consume(out, count)
    out = sycl.malloc_device(2, np.int64, own)
    together = exp.work_group_progress(exp.forward_progress_guarantee.concurrent,
                                       exp.execution_scope.root_group)
    able = not exp.forward_progress_guarantee.concurrent > device.get_info(
        sycl.info.device.forward_progress_guarantee[
            exp.execution_scope.work_group, exp.execution_scope.root_group])
    with sycl.testing.refused(device, able=able):
        own.parallel_for(sycl.nd_range(4, 2), sycl.kernel(properties=together)(groups), out,
                         count).wait()
        assert [count * (count - 1) // 2, 0] == seen(own, out)


@pytest.mark.part("K-13")
def test_kernels_that_need_another_one_are_refused_where_none_runs(own: sycl.queue) -> None:
    def half(it):
        if it.get_group(0) == 0:
            numbers.write(1)
        else:
            forth.read()
    together = exp.work_group_progress(exp.forward_progress_guarantee.concurrent,
                                       exp.execution_scope.root_group)
    kernel = sycl.kernel(properties=together)(half)
    if own.get_device().get_backend() in (sycl.backend.host, sycl.backend.cpu):
        assert len(check_pipes(own, (sycl.nd_range(4, 2), kernel), host=[numbers, forth])) == 2
        return
    with pytest.raises(sycl.exception) as caught:
        own.parallel_for(sycl.nd_range(4, 2), kernel).wait()
    assert caught.value.code() in (sycl.errc.kernel_not_supported,
                                   sycl.errc.feature_not_supported)


@pytest.mark.row("E-23")
def test_records_are_packets(own: sycl.queue) -> None:
    out = sycl.malloc_device(6, np.float64, own)

    def kernel(out):
        one = sycl.private_array(record, 1)
        for k in range(3):
            one[0].n = k
            one[0].v[2] = k * 0.5
            records.write_nb(one[0])
        one[0].n = 99
        for k in range(3):
            packet, _ = records.read_nb()
            out[2 * k] = packet.n
            out[2 * k + 1] = packet.v[2]
    with sycl.testing.refused(own.get_device(), sycl.aspect.fp64):
        own.single_task(kernel, out).wait()
        assert [0, 0, 1, 0.5, 2, 1] == seen(own, out)


@pytest.mark.row("E-23")
def test_reservations_appear_whole_when_they_are_committed(own: sycl.queue) -> None:
    out = sycl.malloc_device(8, np.int64, own)

    def kernel(out):
        n = numbers.capacity
        first = numbers.reserve_write(3)
        out[0] = 1 if first >= 0 else 0
        out[1] = numbers.reserve_write(n)
        _, ok = numbers.read_nb()
        out[2] = 1 if ok else 0
        for k in range(3):
            numbers.put(first, k, 10 + k)
        numbers.commit_write(first, 3)
        out[3] = numbers.reserve_read(4)
        taken = numbers.reserve_read(2)
        out[4] = numbers.get(taken, 0) * 100 + numbers.get(taken, 1)
        numbers.commit_read(taken, 2)
        value, ok = numbers.read_nb()
        out[5] = value
        out[6] = numbers.reserve_write(0)
        out[7] = numbers.reserve_write(n + 1)
    own.single_task(kernel, out).wait()
    assert [1, -1, 0, -1, 1011, 12, -1, -1] == seen(own, out)


@pytest.mark.row("E-23")
def test_a_work_group_reserves_together(own: sycl.queue) -> None:
    def put(it):
        where = np.int64(0)
        if it.get_group().leader():
            where = numbers.reserve_write(8)
        where = sycl.group_broadcast(it.get_group(), where)
        numbers.put(where, it.get_local_id(0), it.get_global_id(0))
        sycl.group_barrier(it.get_group())
        if it.get_group().leader():
            numbers.commit_write(where, 8)

    def take(out):
        for k in range(16):
            value, ok = numbers.read_nb()
            out[k] = value if ok else -1
    out = sycl.malloc_device(16, np.int32, own)
    first = own.parallel_for(sycl.nd_range(16, 8), put)
    own.single_task(take, out, depends_on=[first]).wait()
    found = seen(own, out)
    halves_in_order = sorted([found[:8], found[8:]])
    assert [list(range(8)), list(range(8, 16))] == halves_in_order


@pytest.mark.row("E-23")
def test_many_items_write_and_none_is_lost(own: sycl.queue) -> None:
    def put(i):
        numbers.write_nb(i)

    def take(out):
        for k in range(16):
            value, ok = numbers.read_nb()
            out[k] = value if ok else -1
    out = sycl.malloc_device(16, np.int32, own)
    first = own.parallel_for(16, put)
    own.single_task(take, out, depends_on=[first]).wait()
    assert list(range(16)) == sorted(seen(own, out))


@pytest.mark.row("E-23")
def test_contexts_have_pipes_of_their_own(own: sycl.queue) -> None:
    def put(out):
        single.write_nb(5)
        out[0] = 1

    def take(out):
        _, ok = single.read_nb()
        out[0] = 1 if ok else 0
    out = sycl.malloc_device(1, np.int32, own)
    own.single_task(put, out).wait()
    device = own.get_device()
    other = sycl.queue(sycl.context(device), device)
    elsewhere = sycl.malloc_device(1, np.int32, other)
    other.single_task(take, elsewhere).wait()
    assert [0] == seen(other, elsewhere)
    own.single_task(take, out).wait()
    assert [1] == seen(own, out)


@pytest.mark.row("K-13")
def test_what_is_no_pipe_is_refused() -> None:
    for wrong in ((object, 4), (np.int32, 0), (np.int32, -1), (np.int32, 1 << 40)):
        with pytest.raises(sycl.exception) as caught:
            pipe(*wrong)
        assert sycl.errc.invalid is caught.value.code()
    assert "<pipe of int32, capacity 16>" == repr(numbers)
    assert pipe(np.int32, 17).capacity >= 17


@pytest.mark.row("K-13")
def test_the_host_writes_to_a_kernel_and_reads_from_it(beside: sycl.queue) -> None:

    def kernel(count):
        for _ in range(count):
            back.write(forth.read() * 3)
    event = beside.single_task(kernel, 20)
    found = []
    for k in range(20):
        forth.host_write(beside, k)
        found.append(int(back.host_read(beside)))
    event.wait()
    assert [3 * k for k in range(20)] == found


@pytest.mark.row("K-13")
def test_the_host_need_not_wait_for_room_or_packets(own: sycl.queue) -> None:
    assert (0, False) == single.host_read_nb(own)
    written = [single.host_write_nb(own, 7 + k) for k in range(single.capacity + 1)]
    assert [True] * single.capacity + [False] == written
    assert [(7 + k, True) for k in range(single.capacity)] == [
        single.host_read_nb(own) for _ in range(single.capacity)]
    records.host_write_nb(own, (5, (1, 2, 3)))
    packet, ok = records.host_read_nb(own)
    assert (True, 5, [1, 2, 3]) == (ok, packet["n"], packet["v"].tolist())


@pytest.mark.row("K-13")
def test_the_host_is_told_what_to_use(own: sycl.queue) -> None:
    two_way = pipe(np.int32, 4)
    for call in (lambda: two_way.write_nb(3), lambda: two_way.write(3), two_way.read_nb,
                 two_way.read, lambda: two_way.reserve_read(1)):
        with pytest.raises(sycl.exception, match=r"on the host use host_write\(queue, packet\)"):
            call()
    for call in (lambda: two_way.host_write(3, own), lambda: two_way.host_read_nb(3)):
        with pytest.raises(sycl.exception, match=r"expected the queue .* first, got int"):
            call()
    with pytest.raises(sycl.exception, match=r"host_write_nb: 'x' is no packet of int32"):
        two_way.host_write_nb(own, "x")
    assert two_way.host_write_nb(own, 3)
    assert two_way.host_read_nb(own) == (3, True)


@pytest.mark.row("K-13")
def test_what_waits_on_the_host_is_named_where_it_is_refused(own: sycl.queue) -> None:
    two_way = pipe(np.int32, 4)
    device = own.get_device()
    native = device.get_backend() in (sycl.backend.cpu, sycl.backend.host)
    if native or device.has(sycl.aspect.accelerator):
        two_way.host_write(own, 3)
        assert two_way.host_read(own) == 3
    else:
        with pytest.raises(sycl.exception, match=r"'host_write' may wait .*\(_nb\)") as caught:
            two_way.host_write(own, 3)
        assert sycl.errc.kernel_not_supported is caught.value.code()
