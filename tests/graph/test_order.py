"""Which commands wait for which, by access mode and overlap (SYCL 2020 §3.8.1)."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import unisycl as sycl
from tests.graph.builder import Graph


def until(condition) -> None:
    """Wait for what another thread does soon."""
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.001)
    raise AssertionError("did not happen")


def test_a_reader_waits_for_the_writer(g: Graph) -> None:
    b = g.buffer()
    g.task("w").writes(b).submit()
    g.task("r").reads(b).submit()
    assert {"w"} == g.waits_for("r")


def test_readers_do_not_wait_for_each_other(g: Graph) -> None:
    b = g.buffer()
    g.task("w").writes(b).submit()
    g.task("r1").reads(b).submit()
    g.task("r2").reads(b).submit()
    assert {"w"} == g.waits_for("r2")


def test_a_writer_waits_for_every_reader(g: Graph) -> None:
    b = g.buffer()
    g.task("r1").reads(b).submit()
    g.task("r2").reads(b).submit()
    g.task("w").writes(b).submit()
    assert {"r1", "r2"} == g.waits_for("w")


def test_writers_are_ordered_even_without_old_contents(g: Graph) -> None:
    b = g.buffer()
    g.task("a").writes(b, sycl.no_init).submit()
    g.task("b").writes(b, sycl.no_init).submit()
    assert {"a"} == g.waits_for("b")


def test_different_buffers_are_independent(g: Graph) -> None:
    g.task("a").writes(g.buffer()).submit()
    g.task("b").writes(g.buffer()).submit()
    assert set() == g.waits_for("b")


def test_a_join_waits_for_both_and_lists_them(g: Graph) -> None:
    a, b = g.buffer(), g.buffer()
    g.task("a").writes(a).submit()
    g.task("b").writes(b).submit()
    event = g.task("join").reads(a).updates(b).submit()
    assert {"a", "b"} == g.waits_for("join")
    assert {"a", "b"} == g.predecessors(event)


def test_ranged_accessors_are_requisites_on_the_whole_buffer(g: Graph) -> None:
    b = g.buffer()
    g.task("low").writes(b, sycl.range(32), sycl.id(0)).submit()
    g.task("high").writes(b, sycl.range(32), sycl.id(32)).submit()
    assert {"low"} == g.waits_for("high")


def test_sub_buffers_are_ordered_by_overlap(g: Graph) -> None:
    b = g.buffer(256)
    low, high = sycl.buffer(b, 0, 128), sycl.buffer(b, 128, 128)
    middle = sycl.buffer(b, 64, 128)
    g.task("low").writes(low).submit()
    g.task("high").writes(high).submit()
    g.task("middle").writes(middle).submit()
    g.task("whole").reads(b).submit()
    assert set() == g.waits_for("high")
    assert {"low", "high"} == g.waits_for("middle")
    assert {"low", "high", "middle"} == g.waits_for("whole")


def test_accesses_of_one_group_combine(g: Graph) -> None:
    b = g.buffer()
    g.task("w").writes(b).submit()
    g.task("rw").reads(b).writes(b).submit()
    g.task("r").reads(b).submit()
    assert {"w"} == g.waits_for("rw")
    assert {"rw"} == g.waits_for("r")


def test_two_writing_targets_in_one_group_are_refused(g: Graph) -> None:
    b = g.buffer()

    def group(h: sycl.handler) -> None:
        sycl.accessor(b, h, sycl.read_write)
        sycl.accessor(b, h, sycl.read_write_host_task)
    with pytest.raises(sycl.exception, match="two targets") as caught:
        g.queue.submit(group)
    assert sycl.errc.invalid == caught.value.code()


def test_depends_on_orders_commands_without_data(g: Graph) -> None:
    first = g.task("a").submit()
    g.task("b").after(first).submit()
    assert {"a"} == g.waits_for("b")


def test_an_in_order_queue_chains_its_commands() -> None:
    g = Graph(in_order=True)
    g.task("a").submit()
    g.task("b").submit()
    g.task("c").submit()
    assert {"a"} == g.waits_for("b")
    assert {"b"} == g.waits_for("c")
    g.end()


def test_an_out_of_order_queue_does_not(g: Graph) -> None:
    g.task("a").submit()
    g.task("b").submit()
    assert set() == g.waits_for("b")


def test_a_refused_group_leaves_no_trace(g: Graph) -> None:
    b = g.buffer()

    def group(h: sycl.handler) -> None:
        sycl.accessor(b, h, sycl.write_only)
        raise RuntimeError("no")
    with pytest.raises(RuntimeError):
        g.queue.submit(group)
    g.task("r").reads(b).submit()
    assert set() == g.waits_for("r")


def test_a_command_on_another_driver_starts_when_the_first_has_ended(g: Graph) -> None:
    b, other = g.buffer(), g.other_queue()
    g.task("w").writes(b).submit()
    g.task("r", other).reads(b).submit()
    records = g.driver_of(other).records
    time.sleep(0.02)
    assert [] == records
    g.finish("w")
    until(lambda: len(records) == 1)


def test_submitting_never_blocks_behind_a_host_accessor(g: Graph) -> None:
    b = g.buffer()
    held = sycl.host_accessor(b)
    event = g.task("w").writes(b).submit()
    assert "w" not in g.launched
    assert sycl.info.event_command_status.submitted == event.get_info(
        sycl.info.event.command_execution_status)
    g.task("free").writes(g.buffer()).submit()
    assert "free" in g.launched
    held.close()
    until(lambda: len(g.driver.records) == 2)


def test_two_reading_host_accessors_do_not_wait_for_each_other(g: Graph) -> None:
    b = g.buffer()
    with sycl.host_accessor(b, sycl.read_only), sycl.host_accessor(b, sycl.read_only):
        g.task("r").reads(b).submit()
        assert "r" in g.launched


def test_waiting_below_ones_own_host_accessor_is_refused(g: Graph) -> None:
    b = g.buffer()
    held = sycl.host_accessor(b)
    event = g.task("w").writes(b).submit()
    with pytest.raises(sycl.exception, match="never end"):
        event.wait()
    held.close()


def test_a_host_accessor_blocks_until_the_writer_has_ended(g: Graph) -> None:
    b = g.buffer()
    g.task("w").writes(b).submit()
    opened = threading.Event()

    def look() -> None:
        with sycl.host_accessor(b):
            opened.set()
    thread = threading.Thread(target=look)
    thread.start()
    assert not opened.wait(0.05)
    g.finish("w")
    assert opened.wait(5)
    thread.join()


def test_dependants_of_a_failed_command_do_not_run(g: Graph) -> None:
    b, other = g.buffer(), g.other_queue()
    failing = g.task("w").writes(b).submit()
    event = g.task("r", other).reads(b).submit()
    g.launched["w"].completion.finish(sycl.DeviceError(sycl.errc.runtime, "boom"))
    with pytest.raises(sycl.exception, match="boom"):
        event.wait()
    assert [] == g.driver_of(other).records
    with pytest.raises(sycl.exception, match="boom"):
        failing.wait()


def test_a_native_dependant_of_a_failed_command_names_the_cause(g: Graph) -> None:
    b = g.buffer()
    g.task("w").writes(b).submit()
    event = g.task("r").reads(b).submit()
    g.launched["w"].completion.finish(sycl.DeviceError(sycl.errc.runtime, "boom"))
    g.launched["r"].completion.finish()
    g.queue.channel.prune()
    with pytest.raises(sycl.exception, match=r"did not run because .*boom"):
        event.wait()
    with pytest.raises(sycl.exception, match="boom"):
        g.queue.wait()


def test_after_delivery_the_buffer_is_usable_again(g: Graph) -> None:
    b = g.buffer()
    g.task("w").writes(b).submit()
    g.launched["w"].completion.finish(sycl.DeviceError(sycl.errc.runtime, "boom"))
    with pytest.raises(sycl.exception, match="boom"):
        g.queue.wait()
    g.task("again").writes(b).submit()
    assert "again" in g.launched


def test_completed_commands_hold_nothing(g: Graph) -> None:
    b = g.buffer()
    event = None
    for k in range(1000):
        event = g.task(f"t{k}").updates(b).submit()
        g.finish(f"t{k}")
    g.queue.wait()
    assert event is not None
    assert event.task.completion is None
    assert len(g.queue.channel.pending) == 0
    assert len(b.region.memory.tracker.tasks()) <= 2


def test_a_host_task_runs_after_what_it_reads(g: Graph) -> None:
    b = sycl.buffer(np.zeros(4))
    g.task("w").writes(b).submit()
    ran = threading.Event()

    def group(h: sycl.handler) -> None:
        acc = sycl.accessor(b, h, sycl.read_only_host_task)
        h.host_task(lambda: (acc[0], ran.set()))
    event = g.queue.submit(group)
    assert not ran.wait(0.03)
    g.finish("w")
    event.wait()
    assert ran.is_set()


def test_a_barrier_waits_for_all_and_orders_what_names_it(g: Graph) -> None:
    g.task("a").submit()
    g.task("b").submit()
    barrier = g.queue.ext_oneapi_submit_barrier()
    assert {"a", "b"} == g.predecessors(barrier)


def test_an_empty_group_joins_its_dependencies(g: Graph) -> None:
    first = g.task("a").submit()
    event = g.queue.submit(lambda h: h.depends_on(first))
    assert sycl.info.event_command_status.complete != event.get_info(
        sycl.info.event.command_execution_status)
    g.finish("a")
    event.wait()


def test_many_readers_of_which_one_failed(g: Graph) -> None:
    b = g.buffer()
    for k in range(12):
        g.task(f"r{k}").reads(b).submit()
        error = sycl.DeviceError(sycl.errc.runtime, "boom") if k == 3 else None
        g.launched[f"r{k}"].completion.finish(error)
    g.task("w").writes(b).submit()
    assert "w" not in g.launched
    with pytest.raises(sycl.exception, match="boom"):
        g.queue.wait()
