"""How often loops run at the most, as launches know before they begin."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.cpu.executable import CpuExecutable
from unisycl.backends.cpu.pool import direct


@pytest.fixture
def counts(monkeypatch):
    """Launch a kernel that counts turns; return these and the steps that were foreseen, or 0."""
    try:
        queue = sycl.queue(sycl.cpu_selector_v)
    except sycl.exception as error:
        pytest.skip(str(error))
    foreseen, real = [], CpuExecutable.small

    def small(self, plan, values):
        foreseen.append(direct.at_launch(self.steps, plan.geometry, values))
        return real(self, plan, values)

    def run(kernel, *args, space=5):
        out = np.zeros(64, np.int64)
        foreseen.clear()
        queue.parallel_for(space, kernel, out, *args).wait()
        return int(out.max()), foreseen[0]

    monkeypatch.setattr(CpuExecutable, "small", small)
    return run


def up(i, out, n, by):
    for j in range(n):
        for k in range(j, min(j + 3, n)):
            out[i] += 1
    k = by
    while k < n and out[i] >= 0:
        k += 3
        out[i] += 1
    while n >= k:
        out[i] += 1
        k += 2


def down(i, out, n, by):
    for j in range(n, by, -2):
        m = j
        while m > 0:
            m //= 2
            out[i] += 1
    k = np.int32(n)
    while k >= by:
        k -= 1
        out[i] += 1


def of_ids(i, out, n, by):
    a = i[0] * 2 + by
    if a > 6:
        a = 6
    for _ in range(a, max(n, a) % 50):
        for _ in range(a // 2, i.get_range(0)):
            out[i] += 1


def of_view(i, out, table):
    for _ in range(table.shape[0]):
        for _ in range(1, table.shape[1], 2):
            out[i] += 1


def of_old(i, out, n, by):
    t = 0
    for j in range(n):
        if j == by:
            t = j
        for _ in range(t, j + 4):
            out[i] += 1


@pytest.mark.parametrize("kernel", [up, down, of_ids, of_old])
def test_loops_never_run_more_often_than_foreseen(counts, kernel):
    for n, by in ((0, 0), (1, 0), (7, 2), (40, 1), (33, 30), (-4, -9)):
        found, foreseen = counts(kernel, n, by)
        assert found <= foreseen < 100_000, (n, by)


def test_extents_of_views_count(counts):
    for shape in ((3, 7), (12, 30), (1, 1)):
        found, foreseen = counts(of_view, np.zeros(shape, np.float32))
        assert shape[0] * (shape[1] // 2) == found <= foreseen < 20_000


def test_what_may_never_end_or_is_in_memory_is_not_foreseen(counts):
    def wraps(i, out, n):
        k = np.uint8(n)
        while k <= np.uint8(255):
            k += np.uint8(1)
            if k == np.uint8(9):
                break
            out[i] += 1

    def returns(i, out, n):
        k = 0
        while k < n:
            if out[i] == 2:
                out[i] += 1
                k = 0
            out[i] += 1
            k += 1

    def skips(i, out, n):
        k = 0
        while k < n:
            if out[i] == 1:
                out[i] += 1
                continue
            k += 1
            out[i] += 2

    def either(i, out, n):
        k = 0
        while k < n or out[i] < 9:
            k += 1
            out[i] += 1

    def of_memory(i, out, n):
        for _ in range(out[i] + n):
            out[i] += 1

    def turns_back(i, out, n):
        k = 4
        while k > 0:
            k -= 1
            if out[i] < n:
                k += 2
            out[i] += 1

    for kernel in (wraps, returns, skips, either, of_memory, turns_back):
        found, foreseen = counts(kernel, 6)
        assert found, kernel.__name__
        assert not foreseen, kernel.__name__


def test_parts_of_an_nd_range_and_groups_know_their_ids(counts):
    def rows(it, out, n):
        for _ in range(it.get_group(0) * 2 + it.get_local_id(0) + n):
            out[it.get_global_id(0)] += 1

    found, foreseen = counts(rows, 3, space=sycl.nd_range(24, 4))
    assert 5 * 2 + 3 + 3 == found <= foreseen < 1000
