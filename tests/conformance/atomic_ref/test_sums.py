"""Counts and sums by relaxed additions: as many as there are items, wherever they are added up."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

order, scope = sycl.memory_order, sycl.memory_scope


@sycl.kernel
def count(i, counts, at, n):
    k = i.get_global_id(0)
    if k < n:
        sycl.atomic_ref(counts, at[k], order.relaxed, scope.device).fetch_add(1)


@sycl.kernel
def weigh(i, sums, at, weights):
    sycl.atomic_ref(sums, (at[i], at[i] % 3), order.relaxed, scope.device).fetch_sub(weights[i])


@sycl.kernel
def total(i, sums, at):
    sycl.atomic_ref(sums, 1, order.relaxed, scope.device).fetch_add(np.float32(at[i]))


@sycl.kernel
def add_and_look(i, counts, seen, at, found):
    if i < counts.shape[0]:
        sycl.atomic_ref(counts, at[i], order.relaxed, scope.device).fetch_add(1)
        found[i] = seen[at[i]]


def places(n: int, below: int) -> np.ndarray:
    return np.random.default_rng(n).integers(0, below, n).astype(np.int32)


@pytest.mark.part("D-33")
@pytest.mark.parametrize("cells", [1, 100, 2049])
def test_items_are_counted_whether_few_or_many_share_an_element(queue: sycl.queue,
                                                                cells: int) -> None:
    for n in (7, 4 * cells + 100):
        at, dtype = places(n, cells), np.int32 if cells % 2 else np.uint64
        counts = np.full(cells + 2, 5, dtype)
        space = sycl.nd_range((-(-n // 32) * 32,), (32,))
        queue.parallel_for(space, count, counts[1:-1], at, n).wait()
        assert np.array_equal(counts[1:-1], np.bincount(at, minlength=cells) + 5)
        assert counts[0] == counts[-1] == 5


@pytest.mark.part("D-33")
def test_elements_that_nothing_is_added_to_keep_their_bits(queue: sycl.queue) -> None:
    n = 2000
    at = places(n, 9)
    memory = np.full((10, 7), -0.0, np.float32)
    sums = memory[:, 2:5]
    weights = np.where(at % 2, 0.5, -0.0).astype(np.float32)
    queue.parallel_for(n, weigh, sums, at, weights).wait()
    wanted = np.full((10, 7), -0.0, np.float32)
    np.subtract.at(wanted[:, 2:5], (at[at % 2 > 0], at[at % 2 > 0] % 3), np.float32(0.5))
    for k in range(0, 9, 2):
        wanted[k, 2 + k % 3] = 0.0  # minus 0 less minus 0
    assert np.array_equal(memory.view(np.int32), wanted.view(np.int32))
    queue.parallel_for(n, total, sums[0], at).wait()
    assert memory[0, 3] == at.sum()


@pytest.mark.part("D-33")
def test_an_item_that_looks_by_another_name_sees_what_it_added(queue: sycl.queue) -> None:
    few, n = 100, 1000
    at, found = np.random.default_rng(1).permutation(few).astype(np.int32), np.zeros(few, np.int32)
    counts = sycl.malloc_shared(few, np.int32, queue)
    counts.get_view()[...] = 3
    queue.parallel_for(n, add_and_look, counts, counts, at, found).wait()
    assert (found == 4).all()
    assert (counts.get_view() == 4).all()
    sycl.free(counts, queue)
