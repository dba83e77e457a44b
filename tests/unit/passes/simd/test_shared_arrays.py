"""Which private arrays are one for all the lanes of a vector."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.cpu.emit import queries
from unisycl.frontend.specialize import specialize
from unisycl.passes.simd import shapes as sh
from unisycl.passes.simd import shared_arrays

data = np.zeros(64, np.int32)
tree = np.zeros(64, np.int32)


def common(function: object, *, local: tuple[int, ...] = (), lanes: int = 8,
           debug: bool = False) -> list[bool]:
    """Return for each private array of a kernel whether it is one for all lanes."""
    kind = "nd_range" if local else "range"
    kernel = specialize(sycl.kernel(debug=debug)(function) if debug else function, kind, 1, (), (),
                        local).kernel
    found = sh.analyse(kernel.body, queries.shapes(kernel, lanes), {},
                       arrays=shared_arrays.candidates(kernel))
    return [found.one_copy(a) for a in kernel.arrays]


def test_a_stack_that_a_sub_group_walks_by_votes_is_one() -> None:
    def kernel(it):  # type: ignore[no-untyped-def]
        x = it.get_global_id(0)
        stack = sycl.private_array(np.int32, 8)
        stack[0] = 0
        top = 1
        while top > 0:
            top -= 1
            node = stack[top]
            if sycl.any_of_group(it.get_sub_group(), data[x] > tree[node]):
                stack[top] = node + 1
                stack[top + 1] = sycl.group_broadcast(it.get_sub_group(), data[x])
                stack[top + 2] = sycl.select_from_group(it.get_sub_group(), data[x], node & 7)
                top += 3
        data[x] = stack[0]
    assert [True] == common(kernel, local=(16,))


def test_what_a_lane_alone_stores_or_names_makes_an_array_its_own() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        given, named, moved, shuffled, base = (
            sycl.private_array(np.int32, 4), sycl.private_array(np.int32, 4),
            sycl.private_array(np.int32, 4), sycl.private_array(np.int64, 4),
            sycl.private_array(np.int32, 4))
        for k in range(4):
            given[k] = named[k] = moved[k] = base[k] = k
            shuffled[k] = i + k
        given[1] = data[i]
        named[data[i] & 3] = 7
        moved[2] = given[0]
        data[i] = given[0] + named[0] + moved[0] + shuffled[0] + base[data[i] & 3]
    assert [False, False, False, False, True] == common(kernel)


def test_a_store_that_lanes_miss_which_come_back_makes_an_array_their_own() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        branch, loop, skipped, left = (
            sycl.private_array(np.int32, 4), sycl.private_array(np.int32, 4),
            sycl.private_array(np.int32, 4), sycl.private_array(np.int32, 4))
        for k in range(4):
            branch[k] = loop[k] = skipped[k] = left[k] = 0
        if data[i] > 3:
            branch[0] = 1
        for k in range(data[i]):
            loop[k & 3] = 1
        for k in range(9):
            if data[k + i] > 3:
                continue
            skipped[k & 3] = k
        for k in range(9):
            if data[k + i] > 3:
                break
            left[k & 3] = k
        data[i] = branch[0] + loop[0] + skipped[0] + left[0]
    assert [False] * 4 == common(kernel)


def test_lanes_that_never_see_an_array_again_do_not_matter() -> None:
    def early(i, n):  # type: ignore[no-untyped-def]
        if i >= n:
            return
        a = sycl.private_array(np.int32, 4)
        for k in range(4):
            a[k] = tree[k]
        data[i] = a[data[i] & 3]

    def behind(i, n):  # type: ignore[no-untyped-def]
        if data[i] > 3:
            a = sycl.private_array(np.int32, 4)
            for k in range(4):
                a[k] = tree[k]
            data[i] = a[n]

    def looped(i, n):  # type: ignore[no-untyped-def]
        a = sycl.private_array(np.int32, 4)
        a[0] = 0
        s = 0
        for k in range(data[i]):
            a[(k + 1) & 3] = a[k & 3] + tree[k]
            s += a[n]
        data[i] = s
    for kernel in (early, behind, looped):
        def run(i):  # type: ignore[no-untyped-def]
            kernel(i, 3)  # noqa: B023 - compiled at once
        assert [True] == common(run)


def test_an_array_that_lives_through_turns_some_lanes_miss_is_their_own() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        a = sycl.private_array(np.int32, 4)
        for k in range(4):
            a[k] = 0
        for turn in range(5):
            if data[i + turn] > 3:
                a[0] = turn
                data[i] = a[0] + a[1]
    assert [False] == common(kernel)


def test_members_of_records_and_rows_count_as_one_array() -> None:
    kind = np.dtype([("at", np.float32, 3), ("next", np.int32)])

    def kernel(i):  # type: ignore[no-untyped-def]
        a = sycl.private_array(kind, 4)
        b = sycl.private_array(kind, 4)
        for k in range(4):
            a[k].next = b[k].next = k
            for d in range(3):
                a[k].at[d] = np.float32(tree[d])
                b[k].at[d] = np.float32(data[i])
        data[i] = a[a[1].next].at[2] + b[2].at[1]
    assert [True, False] == common(kernel)


@pytest.mark.parametrize("debug", [False, True])
def test_checked_kernels_have_an_array_for_each_lane(debug: bool) -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        a = sycl.private_array(np.int32, 4)
        a[1] = 5
        data[i] = a[1]
    assert [not debug] == common(kernel, debug=debug)


def test_what_has_no_lanes_asks_nothing() -> None:
    def kernel(it):  # type: ignore[no-untyped-def]
        a = sycl.private_array(np.int32, 4)
        a[1] = data[it.get_global_id(0)]
        data[it.get_global_id(0)] = a[1]
    assert [False] == common(kernel, local=(4,), lanes=1)
