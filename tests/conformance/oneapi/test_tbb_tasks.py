"""oneTBB's task groups, arenas and containers."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi import tbb

pytestmark = pytest.mark.row("L-17")


def test_groups_inside_of_groups():
    def fib(n):
        if n < 2:
            return n
        found = {}
        with tbb.task_group() as group:
            for k in (1, 2):
                group.run(lambda k=k: found.__setitem__(k, fib(n - k)))
        return found[1] + found[2]
    assert fib(14) == 377


def test_groups_say_how_they_ended():
    group, done = tbb.task_group(), []
    group.run(lambda: done.append(1))
    assert group.wait() is tbb.task_group_status.complete
    later = group.defer(lambda: done.append(2))
    assert done == [1]
    group.run(later)
    assert group.run_and_wait(lambda: done.append(3)) is tbb.task_group_status.complete
    assert sorted(done) == [1, 2, 3]
    group.cancel()
    group.run(lambda: done.append(4))
    assert group.wait() is tbb.task_group_status.canceled
    assert len(done) == 3
    assert group.run_and_wait(lambda: done.append(5)) is tbb.task_group_status.complete
    seen = []

    def asks():
        group.cancel()
        seen.append(tbb.is_current_task_group_canceling())
    group.run_and_wait(asks)
    assert seen == [True]
    assert not tbb.is_current_task_group_canceling()


def test_an_error_comes_out_of_wait_once():
    group = tbb.task_group()
    for _ in range(3):
        group.run(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        group.wait()
    assert group.wait() is tbb.task_group_status.complete
    with pytest.raises(KeyError), tbb.task_group() as group:  # noqa: PT012 - the block is the case
        group.run(lambda: time.sleep(0.001))
        raise KeyError("of the block")
    with pytest.raises(ZeroDivisionError):
        tbb.parallel_invoke(lambda: None, lambda: 1 // 0)
    both = []
    tbb.parallel_invoke(lambda: both.append(1), lambda: both.append(2))
    assert sorted(both) == [1, 2]


def test_a_context_inside_another_is_cancelled_with_it():
    outer, seen = tbb.task_group_context(), []

    def body():
        inner, alone = tbb.task_group_context(), tbb.task_group_context("isolated")
        outer.cancel_group_execution()
        seen.append((inner.is_group_execution_cancelled(), alone.is_group_execution_cancelled()))
    tbb.task_group(outer).run_and_wait(body)
    assert seen == [(True, False)]


def test_groups_and_queues_wait_for_each_other(queue):
    memory, order = sycl.malloc_shared(16, np.int32, queue), []
    queue.fill(memory, 0).wait()

    def kernel(i, memory):
        memory[i] = 2 * memory[i] + i
    group = tbb.task_group()
    group.run(lambda: order.append(int(memory[3])),
              depends_on=[queue.parallel_for(16, kernel, memory)])
    queue.parallel_for(16, kernel, memory, depends_on=[group.event(queue)]).wait_and_throw()
    assert order == [3]
    assert int(memory[3]) == 9
    sycl.free(memory, queue)


def test_arenas_have_their_own_threads():
    arena, names = tbb.task_arena(3), set()
    assert not arena.is_active()

    def body():
        tbb.parallel_for(60, lambda k: (names.add(threading.get_ident()), time.sleep(0.0005)))
        return tbb.this_task_arena.max_concurrency(), tbb.this_task_arena.current_thread_index()
    assert arena.execute(body) == (3, 0)
    assert arena.is_active()
    assert 1 <= len(names) <= 3
    assert tbb.this_task_arena.current_thread_index() == -1
    done = threading.Event()
    arena.enqueue(done.set)
    assert done.wait(10)
    group, seen = tbb.task_group(), []
    arena.enqueue(lambda: seen.append(1), group)
    group.wait()
    assert seen == [1]
    arena.terminate()
    assert not arena.is_active()
    assert arena.execute(lambda: 5) == 5
    assert tbb.this_task_arena.isolate(lambda: 6) == 6
    with pytest.raises(KeyError):
        arena.execute(lambda: {}["x"])


def test_no_more_threads_take_part_than_an_arena_has():
    arena, group, lock = tbb.task_arena(1), tbb.task_group(), threading.Lock()
    seen = []

    def alone():
        assert lock.acquire(blocking=False)
        seen.append(tbb.this_task_arena.max_concurrency())
        time.sleep(0)
        lock.release()
    arena.execute(lambda: tbb.parallel_for(20, lambda k: alone()))
    arena.execute(lambda: [group.run(alone) for _ in range(5)])  # in that arena, as it says
    arena.enqueue(alone, group)
    assert arena.execute(group.wait) is tbb.task_group_status.complete
    with tbb.global_control(1):
        tbb.parallel_for(20, lambda k: alone())
    assert seen == 46 * [1]


def test_tasks_behind_events_take_nobodys_place():
    go, behind, group = sycl.ext.unisycl.user_event(), tbb.task_group(), tbb.task_group()
    done = []
    for k in range(20):
        behind.run(lambda k=k: done.append(k), depends_on=[go])
    group.run(go.set)
    assert behind.wait() is tbb.task_group_status.complete
    assert sorted(done) == list(range(20))
    group.wait()


def test_a_limit_holds_while_it_lives():
    before = tbb.global_control.active_value()
    with tbb.global_control(1):
        assert tbb.global_control.active_value() == 1
        with tbb.global_control(7):
            assert tbb.global_control.active_value() == 1
    assert tbb.global_control.active_value() == before
    with tbb.global_control(7):
        assert tbb.this_task_arena.max_concurrency() == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own():
    go, group = sycl.ext.unisycl.user_event(), tbb.task_group()
    go.set()
    tbb.parallel_for(100, lambda k: None)
    group.run(lambda: None, depends_on=[go])
    group.wait()
    child = os.fork()
    if not child:
        signal.alarm(60)
        seen: list[int] = []
        tbb.parallel_for(99, seen.append)
        mine = tbb.task_group()
        mine.run(lambda: seen.append(99), depends_on=[go])
        mine.wait()
        os._exit(len(seen) != 100)
    assert os.waitpid(child, 0)[1] == 0


def test_queues_are_shared():
    queue: tbb.concurrent_bounded_queue[int] = tbb.concurrent_bounded_queue(3)
    got: list[int] = []

    def give():
        for k in range(100):
            queue.push(k)
        queue.push(-1)

    def take():
        while (x := queue.pop()) >= 0:
            got.append(x)
    threads = [threading.Thread(target=f) for f in (give, take)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert got == list(range(100))
    for k in range(3):
        assert queue.try_push(k)
    assert not queue.try_push(3)
    assert [queue.try_pop("none") for _ in range(4)] == [0, 1, 2, "none"]
    told: list[str] = []

    def waits():
        try:
            queue.pop()
        except tbb.user_abort:
            told.append("let go")
    t = threading.Thread(target=waits)
    t.start()
    while queue.size() >= 0:
        time.sleep(0.0005)
    queue.abort()
    t.join()
    assert told == ["let go"]
    plain = tbb.concurrent_queue([1, 2])
    plain.push(3)
    assert [plain.try_pop() for _ in range(4)] == [1, 2, 3, None]
    ranked: tbb.concurrent_priority_queue[str] = tbb.concurrent_priority_queue(len)
    for word in ("bb", "a", "ccc", "dd"):
        ranked.push(word)
    assert [ranked.try_pop() for _ in range(5)] == ["ccc", "bb", "dd", "a", None]


def test_maps_and_vectors_are_changed_in_one_step():
    counts: tbb.concurrent_hash_map[int, int] = tbb.concurrent_hash_map()

    def add(k):
        with counts.accessor(k % 7, 0) as held:
            held.value += 1
    tbb.parallel_for(700, add)
    assert sorted(counts) == [(k, 100) for k in range(7)]
    assert not counts.insert(3, 5)
    assert counts.insert(9, 5)
    assert (counts.find(9), counts.find(10, "none"), counts.count(9)) == (5, "none", 1)
    assert counts.erase(9)
    assert not counts.erase(9)
    assert 9 not in counts
    vector: tbb.concurrent_vector[int] = tbb.concurrent_vector()
    places = set()
    tbb.parallel_for(300, lambda k: places.add((vector.push_back(k), k)))
    assert all(vector[at] == k for at, k in places)
    assert len(vector) == len({at for at, _ in places}) == 300
    first = vector.grow_by(5, 8)
    assert vector[first:] == [8] * 5
    vector.grow_to_at_least(310)
    assert len(vector) == 310
    seen: tbb.concurrent_unordered_set[int] = tbb.concurrent_unordered_set()
    new: list[bool] = []
    tbb.parallel_for(100, lambda k: new.append(seen.insert(k % 10)))
    assert sum(new) == 10
    table: tbb.concurrent_unordered_map[str, int] = tbb.concurrent_unordered_map({"a": 1})
    assert not table.insert("a", 2)
    assert table.insert("b", 2)
    assert table == {"a": 1, "b": 2}
