"""Launches that were short begin with few threads; those that turn out long get the others."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.backends.cpu.pool.test_pool import Entry, entry, pool
from unisycl.backends.cpu.pool import pool as pool_module
from unisycl.backends.cpu.pool.job import NativeJob
from unisycl.backends.cpu.pool.pace import WORTH_NS, Pace
from unisycl.backends.cpu.pool.pool import NativePool

__all__ = ["entry", "pool"]


def short() -> Pace:
    """Return what is known of launches that took a microsecond."""
    found = Pace()
    found.note(1000)
    return found


def test_what_was_short_is_worth_one_thread_and_more_is_learnt_by_and_by() -> None:
    pace = Pace()
    assert pace.most() == 0
    pace.note(3 * WORTH_NS)
    assert pace.most() == 3
    pace.note(WORTH_NS // 2)
    assert pace.most() == 1
    pace.note(0)  # it never ran
    assert pace.most() == 1
    for _ in range(40):
        pace.note(100 * WORTH_NS)
    assert pace.most() > 90


def test_a_short_job_has_one_thread(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "PATIENCE_NS", 1 << 60)
    made = NativePool(4)
    cells = np.zeros(2 + 4 + 8, np.int64)
    job = made.submit(entry("alone"), cells.ctypes.data, 40, 1, (), cells, pace=short())
    assert job.wait(30, assist=False)
    assert cells[:2].tolist() == [40, 0]
    assert job.participants == 1
    assert made.stop(10)


def test_a_job_that_takes_longer_than_was_thought_gets_all_threads(entry: Entry) -> None:
    made = NativePool(4)
    cells = np.zeros(2 + 4 + 8, np.int64)
    job = made.submit(entry("alone"), cells.ctypes.data, 400, 1, (), cells, pace=short())
    assert job.wait(30, assist=False)
    assert cells[:2].tolist() == [400, 0]
    assert job.participants > 1
    assert made.stop(10)


@pytest.mark.parametrize("assist", [False, True])
@pytest.mark.parametrize("patience", [1, 5_000, 1 << 60])
def test_every_unit_runs_once_whenever_others_come(
        pool: NativePool, entry: Entry, monkeypatch: pytest.MonkeyPatch, patience: int,
        assist: bool) -> None:
    monkeypatch.setattr(pool_module, "PATIENCE_NS", patience)
    pace, counts = short(), np.zeros((60, 300), np.int64)
    last: tuple[NativeJob, ...] = ()
    for row in counts:
        last = (pool.submit(entry("count"), row.ctypes.data, len(row), 7, last, counts,
                            pace=pace),)
    assert last[0].wait(30, assist=assist)
    assert (counts == 1).all()
    for row in counts:
        job = pool.submit(entry("count"), row.ctypes.data, len(row), 1, (), counts, pace=pace)
        assert job.wait(30, assist=assist)
    assert (counts == 2).all()


def test_a_failed_job_says_nothing_of_how_long_one_takes(entry: Entry, pool: NativePool) -> None:
    pace, args = Pace(), np.array([0, 7, 0], np.int64)
    job = pool.submit(entry("fail"), args.ctypes.data, 5, 1, (), args, error_at=0, pace=pace)
    assert job.wait(30)
    assert job.error() is not None
    assert pace.most() == 0
