"""Positions beyond 2**31 in kernels that go through chunks (row L-14), without that much memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.oneapi.dpl.kernels import iterators, selections
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.shapes import shape_of

FAR = 1 << 31
N = 1500


@dataclass(eq=False)
class second_group:
    """What a kernel of chunks asks of its item: here it works on the second chunk."""

    number: Any

    def get_group(self, dimension: Any) -> Any:
        return self.number


@dataclass(eq=False)
class far_cells:
    """Memory whose first element has a position far away."""

    at: Any
    first: Any

    def store(self, i: Any, value: Any) -> None:
        self.at[i - self.first] = value


@dataclass(eq=False)
class thirds:
    """Flags of every third position."""

    zero: Any

    def load(self, i: Any) -> Any:
        return i % 3 == self.zero


@pytest.mark.part("L-14")
def test_what_is_kept_beyond_32_bits_is_what_stands_there(queue: sycl.queue) -> None:
    kept, first, second = (np.zeros(N, np.int64) for _ in range(3))
    counts = np.array([0, FAR])

    def far(i, kept, first, second, counts, noted, others):
        item = second_group(i + 1)
        flags, source = thirds(0), iterators.counting(np.int64(0), np.int64)
        plan = views.chunks(np.int64(FAR + N), np.int64(FAR), noted, others)
        selections.keep(item, flags, source, far_cells(kept, FAR), views.cells(counts), plan)
        before = views.cells(counts)
        selections.divide(item, flags, source, views.sides(
            far_cells(first, FAR), far_cells(second, 0)), before, plan)

    noted, others = (np.zeros(selections.BLOCK, np.int32) for _ in range(2))
    queue.parallel_for(1, far, kept, first, second, counts, noted, others).wait()
    places = np.arange(FAR, FAR + N)
    some = places % 3 == 0
    assert np.array_equal(places[some], kept[:some.sum()])
    assert np.array_equal(places[some], first[:some.sum()])
    assert np.array_equal(places[~some], second[:(~some).sum()])


@dataclass(eq=False)
class second_row:
    """What a kernel of rows asks of its item: here a group works on the second chunk."""

    it: Any

    def get_group(self, dimension: Any = None) -> Any:
        return self.it.get_group() if dimension is None else self.it.get_group(dimension) + 1

    def get_sub_group(self) -> Any:
        return self.it.get_sub_group()

    def get_local_id(self, dimension: Any) -> Any:
        return self.it.get_local_id(dimension)


@pytest.mark.part("L-14")
def test_what_votes_keep_beyond_32_bits_is_what_stands_there(queue: sycl.queue) -> None:
    if not shape_of(queue.get_device()).packs:
        return
    kept, first, second = (np.zeros(N, np.int64) for _ in range(3))
    counts = np.array([0, FAR])

    @sycl.kernel(reqd_sub_group_size=selections.ROW)
    def far(it, kept, first, second, counts, plan):
        item = second_row(it)
        flags, source = thirds(0), iterators.counting(np.int64(0), np.int64)
        selections.keep_packed(item, flags, source, far_cells(kept, FAR), views.cells(counts), plan)
        selections.divide_packed(item, flags, source, views.sides(
            far_cells(first, FAR), far_cells(second, 0)), views.cells(counts), plan)

    noted, others = (sycl.local_accessor(np.int32, selections.BLOCK + selections.ROW)
                     for _ in range(2))
    plan = views.chunks(FAR + N, FAR, noted, others)
    queue.parallel_for(sycl.nd_range(selections.ROW, selections.ROW), far, kept, first, second,
                       counts, plan).wait()
    places = np.arange(FAR, FAR + N)
    some = places % 3 == 0
    assert np.array_equal(places[some], kept[:some.sum()])
    assert np.array_equal(places[some], first[:some.sum()])
    assert np.array_equal(places[~some], second[:(~some).sum()])
