"""The edges between commands, with plain strings as commands."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unisycl.base.enums import access_mode, target
from unisycl.base.errors import UsageError
from unisycl.runtime.graph.deps import Access, Tracker, add_new, combine, merge

R, W, RW = access_mode.read, access_mode.write, access_mode.read_write


def tracker(size: int = 100) -> Tracker[str]:
    return Tracker(size, stale=lambda task: False)


def test_a_writer_ends_the_history_before_it() -> None:
    t = tracker()
    assert [] == t.access(0, 100, writes=True, task="w1")
    assert ["w1"] == t.access(0, 100, writes=False, task="r1")
    assert ["w1"] == t.access(0, 100, writes=False, task="r2")
    assert ["r1", "r2"] == t.access(0, 100, writes=True, task="w2")
    assert ["w2"] == t.tasks()


def test_segments_split_at_edges_and_merge_again() -> None:
    t = tracker()
    t.access(10, 20, writes=True, task="a")
    t.access(15, 30, writes=False, task="b")
    assert 5 == t.segments()
    assert ["a"] == t.access(0, 15, writes=False, task="c")
    assert {"b", "c"} == set(t.access(0, 100, writes=True, task="d"))
    assert 1 == t.segments()


def test_a_history_is_idle_if_an_access_would_wait_for_nothing() -> None:
    t: Tracker[str] = Tracker(8, stale=lambda task: task.startswith("old"))
    assert t.idle(writes=True)
    t.access(0, 8, writes=True, task="old w")
    assert t.idle(writes=True)
    t.access(0, 8, writes=False, task="r")
    assert t.idle(writes=False)
    assert not t.idle(writes=True)
    t.access(0, 8, writes=True, task="w")
    assert not t.idle(writes=False)
    t.access(0, 4, writes=True, task="old part")
    assert not t.idle(writes=False)


def test_readers_that_are_done_are_forgotten() -> None:
    t: Tracker[str] = Tracker(8, stale=lambda task: task != "last")
    for k in range(1000):
        t.access(0, 8, writes=False, task=f"r{k}")
    assert len(t.tasks()) <= 9


def test_an_empty_region_still_orders() -> None:
    t = tracker(0)
    t.access(0, 0, writes=True, task="a")
    assert ["a"] == t.access(0, 0, writes=True, task="b")


def test_the_same_task_twice_is_no_dependency() -> None:
    t = tracker()
    t.access(0, 50, writes=True, task="a")
    assert [] == t.access(0, 100, writes=True, task="a")


_ACCESSES = st.lists(st.tuples(st.integers(0, 11), st.integers(1, 12), st.booleans()), max_size=12)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_ACCESSES)
def test_the_order_is_that_of_a_model_per_byte(accesses: list[tuple[int, int, bool]]) -> None:
    """Every conflict is covered by a path of edges, and every edge is a conflict."""
    t: Tracker[int] = Tracker(12, stale=lambda task: False)
    before: list[set[int]] = []
    for k, (start, length, writes) in enumerate(accesses):
        stop = min(12, start + length)
        found = t.access(start, stop, writes=writes, task=k)
        reach = set(found).union(*(before[f] for f in found))
        for other, (a, n, w) in enumerate(accesses[:k]):
            overlap = max(a, start) < min(min(12, a + n), stop)
            conflict = overlap and (w or writes)
            assert not conflict or other in reach
            assert other not in found or conflict
        before.append(reach)


@pytest.mark.parametrize(("a", "b", "expected"), [
    ((R, False), (W, False), (RW, False)), ((R, False), (RW, False), (RW, False)),
    ((W, False), (RW, False), (RW, False)), ((W, True), (RW, True), (RW, True)),
    ((W, True), (W, False), (W, False)), ((W, True), (R, False), (RW, False)),
    ((RW, True), (W, False), (RW, False)), ((RW, True), (RW, False), (RW, False)),
    ((R, False), (R, False), (R, False))])
def test_the_table_of_combined_modes_is_commutative(a, b, expected) -> None:
    key = object()
    for one, two in ((a, b), (b, a)):
        got = combine(Access(key, 0, 1, *one), Access(key, 0, 1, *two))
        assert expected == (got.mode, got.no_init)


def test_one_access_per_object_and_target_remains() -> None:
    key = object()
    got = merge([Access(key, 0, 4, R), Access(key, 0, 4, W), Access(key, 4, 8, R)])
    assert [(0, RW), (4, R)] == [(a.start, a.mode) for a in got]


def test_two_writing_targets_are_refused() -> None:
    key = object()
    with pytest.raises(UsageError, match="two targets"):
        merge([Access(key, 0, 4, W), Access(key, 0, 4, RW, target=target.host_task)])
    merge([Access(key, 0, 4, R), Access(key, 0, 4, RW, target=target.host_task)])


@pytest.mark.parametrize("seed", range(6))
def test_many_regions_of_which_commands_end_meanwhile(seed: int) -> None:
    """Against the last writer and the readers since of each byte; what ended may be left out."""
    rng = random.Random(seed)
    size, ended = 3000, set[int]()
    t: Tracker[int] = Tracker(size, stale=ended.__contains__)
    writer: list[int | None] = [None] * size
    readers: list[list[int]] = [[] for _ in range(size)]
    before: list[set[int]] = []
    for k in range(1500):
        if rng.random() < 0.7:  # parts side by side, as sub-buffers are
            start = rng.randrange(size // 10) * 10
            stop = start + 10
        else:
            start = rng.randrange(size)
            stop = min(size, start + rng.randint(1, 200 if rng.random() < 0.9 else size))
        writes = rng.random() < 0.5
        found = t.access(start, stop, writes=writes, task=k)
        wanted = set[int]()
        for b in range(start, stop):
            last = writer[b]
            wanted |= set(readers[b]) if writes and readers[b] else {last} - {None}
            if writes:
                writer[b], readers[b] = k, []
            else:
                readers[b].append(k)
        assert len(found) == len(set(found))
        # A reader that was forgotten may make room for the writer before it, which has ended, too.
        assert set(found) - wanted <= ended
        assert wanted - ended <= set(found)
        before.append(set(found))
        if rng.random() < 0.1:
            for j in range(k + 1):  # after what it waited for
                if before[j] <= ended and rng.random() < 0.9 - 0.6 * (j > k - 40):
                    ended.add(j)


def test_what_has_ended_leaves_no_segments() -> None:
    ended = set[str]()
    t: Tracker[str] = Tracker(100_000, stale=ended.__contains__)
    most = 0
    for turn in range(50):
        names = [f"{turn}.{k}" for k in range(500)]
        for k, name in enumerate(names):
            place = (k * 37 % 500) * 200
            t.access(place, place + 7 + turn, writes=k % 2 == 0, task=name)
        most = max(most, t.segments())
        ended |= set(names)
    for k in range(2000):
        t.access(0, 1, writes=True, task="last")
        t.access(k, k + 1, writes=False, task="last")
        ended.add("last")
    assert most < 4 * 500
    assert len(t.tasks()) < 200


def test_a_history_of_numbers_knows_the_number_0() -> None:
    t: Tracker[int] = Tracker(1000, stale=lambda task: False)
    t.access(0, 1000, writes=True, task=0)
    for k in range(1, 200):
        t.access(5 * k, 5 * k + 2, writes=False, task=k)
    assert [0] == t.access(999, 1000, writes=False, task=1000)


def test_tasks_are_added_once_to_few_and_to_many() -> None:
    for count in (1, 3, 20):
        deps = ["a", "b"]
        add_new(deps, ["b", *(f"t{k}" for k in range(count))])
        assert ["a", "b", *(f"t{k}" for k in range(count))] == deps
        empty: list[str] = []
        add_new(empty, deps)
        assert deps == empty
