"""Who waits takes part, in whose place no worker is woken; orders that are free go both ways."""

from __future__ import annotations

import ctypes
import random
import threading
import time
from collections.abc import Callable

import numpy as np

from tests.unit.backends.cpu.pool.test_pool import Entry, entry, gate, pool
from unisycl.backends.cpu.pool.job import NativeJob
from unisycl.backends.cpu.pool.pool import NativePool

__all__ = ["entry", "gate", "pool"]


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def occupied(made: NativePool, entry: Entry, gate: ctypes.c_int64) -> NativeJob:
    """Give a pool a job that keeps its only worker until the gate is open."""
    job = made.submit(entry("gate"), ctypes.addressof(gate), 1, assisted=False)
    until(lambda: job.participants == 1)
    return job


def test_who_waits_takes_part_in_jobs_before(entry: Entry, gate: ctypes.c_int64) -> None:
    made = NativePool(1)
    busy = occupied(made, entry, gate)
    counts = np.zeros((6, 40), np.int64)
    last: tuple[NativeJob, ...] = ()
    for row in counts:
        last = (made.submit(entry("count"), row.ctypes.data, 40, 1, last, counts),)
    assert last[0].wait(30)
    assert (counts == 1).all()
    assert not busy.done()
    gate.value = 1
    assert made.stop(10)


def test_nobody_takes_part_in_what_he_does_not_wait_for(entry: Entry,
                                                        gate: ctypes.c_int64) -> None:
    made, other = NativePool(1), ctypes.c_int64(0)
    occupied(made, entry, gate)
    aside = made.submit(entry("gate"), ctypes.addressof(other), 1)
    counts = np.zeros(40, np.int64)
    first = made.submit(entry("count"), counts.ctypes.data, 40, 1, (), counts)
    last = made.submit(entry("nothing"), 0, 1, 1, (first,))
    assert not last.wait(0.1)
    assert aside.participants == 0
    gate.value = other.value = 1
    assert last.wait(30)
    assert made.stop(10)


def test_what_may_not_be_helped_is_left_to_the_workers(entry: Entry,
                                                       gate: ctypes.c_int64) -> None:
    made = NativePool(1)
    occupied(made, entry, gate)
    counts = np.zeros(40, np.int64)
    first = made.submit(entry("count"), counts.ctypes.data, 40, 1, (), counts, assisted=False)
    last = made.submit(entry("nothing"), 0, 1, 1, (first,))
    assert not last.wait(0.1)
    assert first.participants == 0
    gate.value = 1
    assert last.wait(30)
    assert made.stop(10)


def test_a_place_is_kept_for_who_submits(entry: Entry, gate: ctypes.c_int64) -> None:
    made = NativePool(2, spin_ns=0)
    made.submit(entry("nothing"), 0, 8).wait(30, assist=False)
    time.sleep(0.05)  # the workers sleep
    job = made.submit(entry("gate"), ctypes.addressof(gate), 16)
    until(lambda: job.participants == 1)
    time.sleep(0.05)
    assert job.participants == 1
    thread = threading.Thread(target=job.wait)
    thread.start()
    until(lambda: job.participants == 2)
    gate.value = 1
    thread.join(30)
    assert job.done()
    assert made.stop(10)


def test_the_place_is_given_up_when_nobody_comes(entry: Entry) -> None:
    made = NativePool(2, spin_ns=0)
    made.submit(entry("nothing"), 0, 8).wait(30, assist=False)
    time.sleep(0.05)
    cells = np.zeros(2 + 2 + 8, np.int64)
    job = made.submit(entry("alone"), cells.ctypes.data, 200, 1, (), cells)
    until(job.done)
    assert cells[:2].tolist() == [200, 0]
    assert job.participants == 2
    assert made.stop(10)


def test_nothing_is_left_behind_by_who_goes_on(pool: NativePool, entry: Entry) -> None:
    """What a waiting thread was counted for is done by workers when it does something else."""
    draw = random.Random(3)
    other = NativePool(2)
    for turn in range(150):
        counts = np.zeros((24, 20), np.int64)
        jobs: list[NativeJob] = []
        for k, row in enumerate(counts):
            before = draw.sample(jobs, min(k, draw.choice([0, 1, 1, 2])))
            where = other if turn % 3 == 0 and draw.random() < 0.3 else pool
            jobs.append(where.submit(entry("count"), row.ctypes.data, 20, draw.choice([1, 7, 20]),
                                     before, counts, assisted=draw.random() < 0.8))
        for job in draw.sample(jobs, 3):
            assert job.wait(30)
        for job in jobs:
            assert job.wait(30, assist=False)
        assert (counts == 1).all()
    assert other.stop(10)


def test_units_whose_order_is_free_run_both_ways_by_turns(entry: Entry) -> None:
    made = NativePool(1)
    for units, grain in ((10, 1), (10, 3), (3, 5), (12, 4)):
        orders = []
        for _ in range(4):
            cells = np.zeros(1 + units, np.int64)
            job = made.submit(entry("note"), cells.ctypes.data, units, grain, (), cells,
                              swing=True)
            assert job.wait(30)
            orders.append(cells[1:1 + cells[0]].tolist())
        up = [*range(0, units, min(grain, units))]
        assert orders == [up[::-1], up, up[::-1], up]
    assert made.stop(10)


def test_every_unit_runs_once_in_either_order(pool: NativePool, entry: Entry) -> None:
    for units in (*range(1, 40), 1000):
        for grain in (1, 3, 64):
            counts = np.zeros(units, np.int64)
            for turn in range(2):
                job = pool.submit(entry("count"), counts.ctypes.data, units, grain, (), counts,
                                  swing=True)
                assert job.wait(30)
                assert counts.tolist() == [turn + 1] * units
