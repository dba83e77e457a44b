"""Arrays that a loop makes in each turn: one memory, which no older name may still stand for."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.language.compare import agree, ints

pytestmark = pytest.mark.row("D-10")


def kept(out):
    def kernel(i):
        old = np.zeros(2, np.int64)
        for k in range(4):
            new = np.zeros(2, np.int64)
            new[0] = old[0] + k
            old = new
        out[i] = old[0]
    return kernel


def held(out):
    def kernel(i):
        first = np.zeros(2, np.int64)
        for k in range(4):
            turn = np.zeros(2, np.int64)
            turn[0] = k + 1
            if k == 0:
                first = turn
        out[i] = first[0]
    return kernel


def unset(out):
    def kernel(i):
        for k in range(3):
            turn = np.zeros(2, np.int64)
            turn[0] = k + 1
            if k == 0:
                first = turn
            out[i] += first[0]
    return kernel


def read_behind(out):
    def kernel(i):
        k = 0
        while k < 3:
            turn = np.zeros(2, np.int64)
            turn[0] = k + 1
            if k == 0:
                first = turn
            k += 1
        out[i] = first[0]
    return kernel


def in_a_tuple(out):
    def kernel(i):
        for k in range(3):
            turn = np.zeros(2, np.int64)
            turn[0] = k + 1
            if k == 0:
                first = turn, k
            out[i] += first[0][0]
    return kernel


def a_part(out):
    def kernel(i):
        for k in range(3):
            turn = np.zeros((2, 3), np.int64)
            turn[1, 2] = k + 1
            if k == 0:
                first = turn[1, 1:]
            out[i] += first[1]
    return kernel


def of_a_loop_outside(out):
    def kernel(i):
        for j in range(2):
            for k in range(3):
                turn = np.zeros(2, np.int64)
                turn[0] = k + j
                if j > 0:
                    out[i] += old[0]  # noqa: F821
            old = turn  # noqa: F841
    return kernel


@pytest.mark.parametrize("build", [
    kept, held, unset, read_behind, in_a_tuple, a_part, of_a_loop_outside])
def test_an_array_of_an_earlier_turn_is_refused(queue, build):
    with pytest.raises(sycl.exception, match="K126.*may be an array of an earlier turn"):
        queue.parallel_for(1, build(ints(1))).wait()


def test_a_name_that_gets_a_new_array_in_some_turns(queue):
    def build(out):
        def kernel(i):
            buf = np.zeros(2, np.int64)
            for k in range(5):
                if k == i + 1:
                    buf = np.zeros(2, np.int64)
                buf[0] += 1
                out[i, k] = buf[0]
        return kernel
    agree(queue, build, 3, out=ints(3, 5))


def test_arrays_made_before_may_change_places(queue):
    def build(out):
        def kernel(i):
            old, new = np.zeros(2, np.int64), np.ones(2, np.int64)
            for k in range(5):
                new[0] = old[0] * 2 + k + i
                old, new = new, old
            out[i] = old[0]
        return kernel
    agree(queue, build, 3, out=ints(3))


def test_names_of_one_turn_are_those_of_the_array_it_made(queue):
    def build(out):
        def kernel(i):
            for k in range(4):
                turn = np.zeros(2, np.int64)
                turn[0] = k + i
                if k >= 1:
                    mine = turn
                    out[i, 0] += mine[0]
                last = turn
            out[i, 1] = last[0]
        return kernel
    agree(queue, build, 3, out=ints(3, 2))


def test_an_array_of_the_first_turn_serves_all(queue):
    def build(out):
        def kernel(i):
            for k in range(4):
                if k == 0:
                    sums = np.zeros(2, np.int64)
                sums[0] += k + i
                out[i, k] = sums[0]
        return kernel
    with pytest.warns(sycl.KernelWarning, match="'sums' may be read here before"):
        agree(queue, build, 3, out=ints(3, 4))
