"""The runtime's threads."""

from __future__ import annotations

import threading

from unisycl.runtime.threads.executor import MAX_WORKERS, Executor


def test_jobs_run_on_threads_of_the_runtime() -> None:
    executor, done, mine = Executor(), threading.Event(), []
    executor.submit(lambda: (mine.append(executor.is_mine()), done.set()))
    assert done.wait(5)
    assert [True] == mine
    assert not executor.is_mine()


def test_many_jobs_that_need_each_other_all_run() -> None:
    executor, meet = Executor(), threading.Barrier(21)
    for _ in range(20):
        executor.submit(lambda: meet.wait(5))
    assert meet.wait(5) in range(21)


def test_a_worker_that_waits_makes_room_for_another() -> None:
    executor, last = Executor(), threading.Event()

    def wait() -> None:
        executor.blocking(+1)
        last.wait(10)
        executor.blocking(-1)
    for _ in range(MAX_WORKERS):
        executor.submit(wait)
    executor.submit(last.set)
    assert last.wait(10)


def test_idle_workers_are_used_again() -> None:
    executor, names = Executor(), set()
    for _ in range(50):
        done = threading.Event()
        executor.submit(lambda d=done: (names.add(threading.get_ident()), d.set()))
        assert done.wait(5)
    assert len(names) <= 3


class Thing:
    def __init__(self) -> None:
        self.ended = threading.Event()
        self.seen = threading.Event()

    def done(self) -> bool:
        if self.ended.is_set():
            self.seen.set()
        return self.ended.is_set()

    def pause(self, seconds: float) -> None:
        self.ended.wait(seconds)


def test_the_watcher_settles_whatever_ends_first() -> None:
    executor, things = Executor(), [Thing() for _ in range(3)]
    for thing in things:
        executor.watch(thing)
    for thing in reversed(things):
        thing.ended.set()
        assert thing.seen.wait(5)


def test_prompt_jobs_run_in_order_on_one_thread_of_the_runtime() -> None:
    executor, done, seen = Executor(), threading.Event(), []

    def note(what: int) -> None:
        seen.append((what, threading.get_ident(), executor.is_mine()))
    executor.prompt([lambda: note(1), lambda: note(2), lambda: (note(3), done.set())])
    assert done.wait(5)
    assert [what for what, *_ in seen] == [1, 2, 3]
    assert {(thread, mine) for _, thread, mine in seen} == {(seen[0][1], True)}
    assert seen[0][1] != threading.get_ident()


def test_what_prompt_jobs_make_possible_comes_after_them_however_long_the_chain() -> None:
    executor, done, order = Executor(), threading.Event(), []

    def link(left: int) -> None:
        order.append(left)
        executor.prompt([lambda: link(left - 1)] if left else [done.set])
        order.append(-left)
    executor.prompt([lambda: link(5000)])
    assert done.wait(20)
    assert order[:4] == [5000, -5000, 4999, -4999]
