"""What follows a branch with a barrier in it is done once by each work-item (SYCL 2020 §3.8.2).

A compiler that copies what follows into both sides must not lose who does what there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl

N, L = 32, 16


def then_a_loop(it, a, b, n):
    i = it.get_global_id(0)
    if n > 0:
        it.barrier()
        if it.get_local_id(0) % 5 > 2:
            a[i] += 7
    for q in range(3):
        b[3 * i + q] = i


def then_a_branch(it, a, b, n):
    i = it.get_global_id(0)
    if n > 0:
        it.barrier()
        if it.get_local_id(0) % 5 > 2:
            a[i] += 7
    if it.get_local_id(0) % 3 == 1:
        b[3 * i] = i


def on_the_other_side(it, a, b, n):
    i = it.get_global_id(0)
    if n < 0:
        a[i] = 1
    else:
        it.barrier()
        turns = 0
        while turns < 2 and it.get_local_id(0) % 5 > 2:
            turns += 1
            a[i] += 3
    for q in range(3):
        b[3 * i + q] = i


def in_a_loop(it, a, b, n):
    i = it.get_global_id(0)
    for k in range(n):
        if k % 2 == 0:
            it.barrier()
            if it.get_local_id(0) % 5 > 2:
                a[i] += 7
        for q in range(3):
            b[3 * i + q] = b[3 * i + q] + k
        if it.get_local_id(0) % 3 == 1:
            a[i] += 1


def by_a_sum(it, a, b, n):
    i = it.get_global_id(0)
    if n > 0:
        s = sycl.reduce_over_group(it.get_group(), a[i], sycl.plus)
        if it.get_local_id(0) % 5 > 2:
            a[i] += s
    for q in range(3):
        b[3 * i + q] = i


def one_in_another(it, a, b, n):
    i = it.get_global_id(0)
    if n > 0:
        if n > 1:
            it.barrier()
            if it.get_local_id(0) % 5 > 2:
                a[i] += 7
        if it.get_local_id(0) % 2:
            a[i] += 1
    for q in range(3):
        b[3 * i + q] = i


def expected(kernel: Any, a: np.ndarray[Any, Any], b: np.ndarray[Any, Any], n: int) -> None:
    """Do by plain Python what the items of one launch do."""
    groups = a.reshape(-1, L).sum(axis=1)
    for i in range(N):
        part = i % L % 5 > 2
        if kernel is in_a_loop:
            for k in range(n):
                a[i] += 7 * (k % 2 == 0 and part) + (i % L % 3 == 1)
                b[3 * i:3 * i + 3] += k
            continue
        if kernel is on_the_other_side:
            a[i] = 1 if n < 0 else a[i] + 6 * part
        elif kernel is by_a_sum:
            a[i] += groups[i // L] * (part and n > 0)
        else:
            a[i] += 7 * (part and n > (kernel is one_in_another))
        if kernel is one_in_another:
            a[i] += n > 0 and i % 2
        if kernel is not then_a_branch:
            b[3 * i:3 * i + 3] = i
        elif i % L % 3 == 1:
            b[3 * i] = i


@pytest.mark.part("D-37")
@pytest.mark.parametrize("kernel", [
    then_a_loop, then_a_branch, on_the_other_side, in_a_loop, by_a_sum, one_in_another])
def test_what_follows_is_done_once_by_each_item(queue: sycl.queue, kernel: Any) -> None:
    for n in (2, 1, -1):
        a, b = np.arange(N, dtype=np.int32), np.zeros(3 * N, np.int32)
        wanted = a.copy(), b.copy()
        expected(kernel, *wanted, n)
        queue.parallel_for(sycl.nd_range(N, L), kernel, a, b, n).wait()
        np.testing.assert_array_equal(a, wanted[0])
        np.testing.assert_array_equal(b, wanted[1])


@pytest.mark.part("D-37")
def test_the_first_item_of_a_narrow_group_does_everything_once(queue: sycl.queue) -> None:
    def kernel(it, a, b, n):
        i = it.get_global_linear_id()
        a[i] += 1
        if n > 0:
            it.barrier()
            b[i] = 100 * it.get_local_id(0) + it.get_local_linear_id()
    for local in ((5, 1), (4, 1, 1), (2, 4, 1), (2, 1, 4)):
        space = tuple(2 * x for x in local)
        a, b = np.zeros((2, np.prod(space)), np.int32)
        queue.parallel_for(sycl.nd_range(space, local), kernel, a, b, 1).wait()
        assert a.tolist() == [1] * a.size
        ids = np.indices(space) % np.reshape(local, (-1, *[1] * len(local)))
        wanted = 100 * ids[0] + np.ravel_multi_index(tuple(ids), local)
        np.testing.assert_array_equal(b, wanted.ravel())


def by_a_break(it, a, n):
    turns = 0
    while turns < n:
        if it.get_local_id(0) % 4 == 2:
            break
        turns += 1
    it.barrier()
    a[it.get_global_id(0)] = turns


def by_its_condition(it, a, n):
    turns = 3
    while turns < n and it.get_local_id(0) % 4 != 2:
        turns += 2
    if n > 0:
        it.barrier()
    a[it.get_global_id(0)] = turns


def by_a_break_and_a_loop(it, a, n):
    turns, rest = 3, 0
    while turns < n:
        if it.get_local_id(0) % 4 == 2:
            break
        turns += 1
    it.barrier()
    for k in range(2):
        rest ^= a[it.get_global_id(0) ^ k] + k
    it.barrier()
    a[it.get_global_id(0)] = turns + rest


def found(k, n):
    for turn in range(n):
        if turn == k:
            return turn
    return -1


def by_a_return(it, a, n):
    turn = found(it.get_local_id(0) % 4, n)
    s = sycl.reduce_over_group(it.get_group(), turn, sycl.plus)
    a[it.get_global_id(0)] = 100 * s + turn


def by_a_loop_in_a_loop(it, a, n):
    s, turns = 0, np.int32(0)
    for k in range(n):
        turns = np.int32(0)
        while turns < n:
            if it.get_local_id(0) % 4 == k:
                break
            turns += np.int32(1)
        s += turns
    it.barrier()
    a[it.get_global_id(0)] = 100 * s + turns


@pytest.mark.part("D-37")
@pytest.mark.parametrize("kernel", [
    by_a_break, by_a_break_and_a_loop, by_its_condition, by_a_return, by_a_loop_in_a_loop])
def test_items_that_leave_a_loop_apart_keep_their_counters(queue: sycl.queue, kernel: Any) -> None:
    for n in (6, 2, 0):
        a, own = np.zeros(N, np.int32), np.arange(N) % L % 4
        queue.parallel_for(sycl.nd_range(N, L), kernel, a, n).wait()
        if kernel is by_a_break:
            wanted = np.where(own == 2, 0, n)
        elif kernel is by_a_break_and_a_loop:
            wanted = np.where(own == 2, 3, max(n, 3)) + 1
        elif kernel is by_its_condition:
            wanted = np.where(own == 2, 3, max(3, n + 1 - n % 2))
        elif kernel is by_a_return:
            turn = np.where(own < n, own, -1)
            wanted = 100 * (turn[:L].sum()) + turn
        else:
            turns = [[0 if k == m else n for m in range(n)] for k in range(4)]
            wanted = np.array([100 * sum(t) + (t[-1] if t else 0) for t in turns])[own]
        np.testing.assert_array_equal(a, wanted)


@pytest.mark.part("D-37")
def test_who_returns_from_a_branch_with_a_barrier_holds_up_nobody(queue):
    a, b = np.zeros(24, np.int32), np.zeros(24, np.int32)

    def kernel(it, a, b, n):
        i, k = it.get_global_id(0), it.get_local_id(0)
        b[i] = 1
        if n > 0:
            sycl.group_barrier(it.get_group())
            if n > 1:
                sycl.group_barrier(it.get_group())
                if k == 5:
                    return
                a[i] += 7
            if k == 2:
                return
            a[i] += 1
        b[i] += 10
    k = np.arange(24) % 8
    for n in range(3):
        a[:], b[:] = 0, 0
        queue.parallel_for(sycl.nd_range(24, 8), kernel, a, b, n).wait()
        early, late = (k == 5) & (n > 1), (k == 2) & (n > 0)
        assert np.array_equal(np.where(early | late, 1, 11), b), n
        assert np.array_equal(np.where(early, 0, 7 * (n > 1) + ((n > 0) & ~late)), a), n
