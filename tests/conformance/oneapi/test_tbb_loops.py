"""oneTBB's loops, sums, sorting and pipelines; compiled bodies run on every device."""

from __future__ import annotations

import functools
import itertools
import operator
import threading
import time

import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi import tbb

pytestmark = pytest.mark.row("L-17")
PARTITIONERS = (tbb.auto_partitioner(), tbb.simple_partitioner(), tbb.static_partitioner(),
                tbb.affinity_partitioner())


@sycl.kernel
def squared(k, out, plus):
    out[k] = k * k + plus


@sycl.kernel
def square(k):
    return k * k


def test_a_loop_takes_each_number_once():
    for partitioner in PARTITIONERS:
        for first, last, grain in ((0, 0, 1), (0, 1, 1), (-7, 23, 4), (5, 3, 1), (0, 100, 1000)):
            seen: list[int] = []
            tbb.parallel_for(tbb.blocked_range(first, last, grain),
                             lambda part: seen.extend(part), partitioner=partitioner)
            assert sorted(seen) == list(range(first, last))
    for args, step in (((10,), 1), ((3, 20), 4), ((-9, 2), 3), ((4, 4), 1)):
        seen = []
        tbb.parallel_for(*args, seen.append, step=step)
        assert sorted(seen) == list(range(*(args if len(args) == 2 else (0, *args)), step))


def test_planes_and_boxes_are_covered_once():
    for partitioner in PARTITIONERS:
        seen = np.zeros((13, 7), int)

        def rectangle(part, seen=seen):
            seen[part.rows().begin():part.rows().end(), part.cols().begin():part.cols().end()] += 1
        tbb.parallel_for(tbb.blocked_range2d(13, tbb.blocked_range(0, 7, 2)), rectangle,
                         partitioner=partitioner)
        assert (seen == 1).all()
        space = np.zeros((3, 4, 5), int)

        def box(part, space=space):
            a, b, c = part.pages(), part.rows(), part.cols()
            space[a.begin():a.end(), b.begin():b.end(), c.begin():c.end()] += 1
        tbb.parallel_for(tbb.blocked_range3d(3, 4, 5), box, partitioner=partitioner)
        assert (space == 1).all()


def test_a_kernel_is_a_body_on_every_device(queue):
    out = np.zeros(60, np.int64)
    tbb.parallel_for(3, 50, squared, out, 5, step=2, queue=queue)
    want = np.zeros(60, np.int64)
    want[3:50:2] = np.arange(3, 50, 2) ** 2 + 5
    np.testing.assert_array_equal(out, want)
    tbb.parallel_for(tbb.blocked_range(50, 60), squared, out, 0, queue=queue)
    np.testing.assert_array_equal(out[50:], np.arange(50, 60) ** 2)
    tbb.parallel_for(0, squared, out, 9, queue=queue)
    assert out[0] == 0
    for first, last in ((5, 1000), (-4, 7), (3, 3)):
        assert sum(k * k for k in range(first, last)) == tbb.parallel_reduce(
            tbb.blocked_range(first, last), 0, square, sycl.plus(), queue=queue)


def test_memory_is_sorted_on_every_device_and_lists_as_python_does(queue):
    rng = np.random.default_rng(7)
    for dtype in (np.float32, np.int64):
        data = (rng.random(999) * 1000).astype(dtype)
        mine = data.copy()
        tbb.parallel_sort(mine, queue=queue)
        np.testing.assert_array_equal(mine, np.sort(data))
        tbb.parallel_sort(mine, lambda a, b: a > b, queue=queue)
        np.testing.assert_array_equal(mine, np.sort(data)[::-1])
    words = ["pear", "fig", "apple", "kiwi"]
    tbb.parallel_sort(words)
    assert words == ["apple", "fig", "kiwi", "pear"]
    tbb.parallel_sort(words, lambda a, b: len(a) < len(b))
    assert words == ["fig", "kiwi", "pear", "apple"]
    with pytest.raises(sycl.UsageError, match="memory or a list is needed, got tuple"):
        tbb.parallel_sort((3, 1))


def test_sums_join_from_left_to_right():
    text = [chr(97 + k % 26) for k in range(500)]
    for space in (tbb.blocked_range(500), tbb.blocked_range(0, 500, 7)):
        for partitioner in PARTITIONERS:
            assert "".join(text) == tbb.parallel_reduce(
                space, "", lambda part, s: s + "".join(text[k] for k in part), operator.add,
                partitioner=partitioner)
    assert tbb.parallel_reduce(tbb.blocked_range(0), 42, lambda part, s: s, operator.add) == 42
    values = np.random.default_rng(3).random(10_000).astype(np.float32)

    def add(part, total):
        return total + values[part.begin():part.end()].sum()
    with tbb.global_control(1):
        one = tbb.parallel_deterministic_reduce(tbb.blocked_range(0, 10_000, 100),
                                                np.float32(0), add, operator.add)
    with tbb.global_control(5):
        five = tbb.parallel_deterministic_reduce(tbb.blocked_range(0, 10_000, 100),
                                                 np.float32(0), add, operator.add)
    assert one == five


def test_running_sums():
    for count in (0, 1, 5, 1000):
        given, out = np.arange(count) * 7 % 11, np.full(count, -1)

        def body(part, total, final, given=given, out=out):
            for k in part:
                total += given[k]
                if final:
                    out[k] = total
            return total
        total = tbb.parallel_scan(tbb.blocked_range(count), 0, body, operator.add)
        np.testing.assert_array_equal(out, np.cumsum(given))
        assert total == given.sum()


def test_items_feed_a_loop_with_others():
    seen: list[int] = []

    def body(k, feeder):
        seen.append(k)
        if k < 100:
            feeder.add(2 * k)
            feeder.add(2 * k + 1)
    tbb.parallel_for_each([1], body, feeds=True)
    assert sorted(seen) == list(range(1, 200))
    tbb.parallel_for_each(iter("abc"), seen.append)
    assert sorted(seen[-3:]) == ["a", "b", "c"]


def test_a_pipeline_keeps_order_and_tokens():
    modes = tbb.filter_mode
    for first in modes:
        for last in (modes.serial_in_order, modes.serial_out_of_order):
            live, most, got, lock = [0], [0], [], threading.Lock()
            give = tbb.items_of(range(40))

            def make(control, give=give, live=live, most=most, lock=lock):
                with lock:  # several at a time where the filter is parallel
                    item = give(control)
                    live[0] += not control.stopped
                    most[0] = max(most[0], live[0])
                return item

            def middle(k):
                time.sleep(0.0003 * (k % 4))
                return k * 10

            def end(x, got=got, live=live, lock=lock):
                with lock:
                    live[0] -= 1
                got.append(x)
            tbb.parallel_pipeline(3, tbb.make_filter(first, make)
                                  & tbb.make_filter(modes.parallel, middle),
                                  tbb.make_filter(last, end))
            assert sorted(got) == [10 * k for k in range(40)]
            if first is modes.serial_in_order and last is modes.serial_in_order:
                assert got == sorted(got)
            assert most[0] <= 3


def test_what_a_body_raises_comes_out_and_ends_the_loop():
    done: list[int] = []

    def body(k):
        if k == 3:
            raise KeyError(k)
        done.append(k)
    with pytest.raises(KeyError, match="3"):
        tbb.parallel_for(10_000, body, partitioner=tbb.simple_partitioner())
    assert len(done) < 10_000
    with pytest.raises(ZeroDivisionError):
        tbb.parallel_pipeline(2, tbb.make_filter(tbb.filter_mode.parallel, lambda control: 1 // 0))
    with pytest.raises(ZeroDivisionError):
        tbb.parallel_reduce(tbb.blocked_range(9), 0, lambda part, s: 1 // 0, operator.add)
    tbb.parallel_for(3, done.append)  # and the next one works


def test_a_context_cancels_loops():
    context, done = tbb.task_group_context(), []

    def body(k):
        done.append(k)
        context.cancel_group_execution()
    tbb.parallel_for(1000, body, partitioner=tbb.simple_partitioner(), context=context)
    assert context.is_group_execution_cancelled()
    assert len(done) < 1000


def test_each_thread_has_values_of_its_own():
    sums = tbb.enumerable_thread_specific(list)
    tbb.parallel_for(200, lambda k: sums.local().append(k))
    assert sorted(functools.reduce(operator.add, sums)) == list(range(200))
    assert 1 <= sums.size() <= 200
    total = tbb.combinable(lambda: 0)
    tbb.parallel_for(100, lambda k: total.set(total.local() + k))
    assert total.combine(operator.add) == 4950
    total.clear()
    assert total.empty()
    assert total.combine(operator.add) == 0


def test_wrong_uses_are_told():
    for wrong, text in (
            (lambda: tbb.parallel_for(10), "the body is a function"),
            (lambda: tbb.parallel_for(2.5, print), "whole numbers are needed, got 2.5"),
            (lambda: tbb.parallel_for(10, print, step=0), "step must be at least 1"),
            (lambda: tbb.parallel_for(tbb.blocked_range(3), print, step=2), "goes with numbers"),
            (lambda: tbb.blocked_range(1.5), "end must be a whole number"),
            (lambda: tbb.blocked_range(0, 5, 0), "grainsize must be at least 1"),
            (lambda: tbb.parallel_invoke(print), "two functions at least"),
            (lambda: tbb.parallel_for(tbb.blocked_range2d(3, 3), squared), "blocked_range or"),
            (lambda: tbb.make_filter("parallel", print), "a filter_mode is needed"),
            (lambda: tbb.parallel_pipeline(0, tbb.make_filter(tbb.filter_mode.parallel, print)),
             "must be at least 1"),
            (lambda: tbb.enumerable_thread_specific(5), "write lambda: value"),
            (lambda: tbb.task_arena(0), "max_concurrency must be at least 1")):
        with pytest.raises(sycl.UsageError, match=text):
            wrong()


def test_bodies_and_joins_may_change_what_they_are_given():
    def count(part, totals):
        for k in part:
            totals[k % 4] += 1
        return totals

    def join(a, b):
        a += b
        return a
    nothing = np.zeros(4, int)
    assert (tbb.parallel_reduce(tbb.blocked_range(1000), nothing, count, join) == 250).all()
    assert tbb.parallel_reduce(tbb.blocked_range(0), nothing, count, join) is not nothing
    assert not nothing.any()

    def running(part, seen, final):
        for k in part:
            seen.append(k)
            if final:
                assert seen == list(range(k + 1))
        return seen
    empty = []
    assert tbb.parallel_scan(tbb.blocked_range(50), empty, running, join) == list(range(50))
    assert empty == []
    lists = tbb.combinable(list)
    tbb.parallel_for(20, lambda k: lists.local().append(k))
    assert len(lists.combine(join)) == len(lists.combine(join)) == 20
    with pytest.raises(sycl.UsageError, match="lock cannot be copied"):
        tbb.parallel_reduce(tbb.blocked_range(2), threading.Lock(), count, join)


def test_parts_are_no_larger_than_the_grain():
    simple = tbb.simple_partitioner()
    for n in range(1, 30):
        for grain in (1, 2, 3, 7):
            side = tbb.blocked_range(0, n, grain)
            sizes = [len(p) for p in simple.parts(side, 2)]
            assert sum(sizes) == n
            assert max(sizes) <= grain
            plane = simple.parts(tbb.blocked_range2d(side, tbb.blocked_range(0, 5, 2)), 2)
            assert sum(p.size() for p in plane) == 5 * n
            assert max(p.rows().size() for p in plane) <= grain
            assert max(p.cols().size() for p in plane) <= 2


def test_a_loop_over_items_ends_with_its_call():
    def items():
        yield from range(3)
        raise KeyError("no further items")
    done = []
    with pytest.raises(KeyError):
        tbb.parallel_for_each(items(), done.append)
    before = len(done)
    context = tbb.task_group_context()

    def stops(k):
        if k > 5:
            context.cancel_group_execution()
    tbb.parallel_for_each(itertools.count(), stops, context=context)  # ends
    assert len(done) == before
