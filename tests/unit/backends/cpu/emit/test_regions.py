"""The code of work-groups: where what a whole group shares lives."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.backends.cpu.making import text_of
from unisycl.backends.cpu.variants import Key
from unisycl.frontend.specialize import specialize

a = np.zeros(64, np.int64)


def homes(function: object) -> int:
    """Return how many places in memory the code of a work-group of 16 items reserves."""
    kernel = specialize(function, "nd_range", 1, (2,), (), (16,)).kernel
    text = text_of(kernel, Key(edge=False, small=True, stream=False))[0].text()
    return text.count(" = alloca i64")


def sums(it, more):
    at = it.get_group(0)
    total = at * 3
    for k in range(at, 64):
        total += k
    if more:
        sycl.group_barrier(it.get_group())
        total += 1
    a[it.get_global_id(0)] = total


def test_what_lives_in_one_region_has_one_home() -> None:
    # Groups and turns are counted in one each, and at, total and k lie in one each.
    assert 5 >= homes(lambda it, n: sums(it, False))  # noqa: FBT003 - of a kernel
    assert 5 < homes(lambda it, n: sums(it, True))  # noqa: FBT003


@pytest.mark.parametrize("turns", [1, 3])
def test_what_lives_across_regions_is_kept(turns: int) -> None:
    found = np.zeros(64, np.int64)

    def kernel(it, found, turns):
        group, shared, before = it.get_group(), np.int64(0), np.int64(0)
        for turn in range(turns):
            before = shared
            if turn > 0:
                shared = before + turn
            sycl.group_barrier(group)
            shared += it.get_group(0)
            sycl.group_barrier(group)
        found[it.get_global_id(0)] = shared + before
    sycl.queue("cpu").parallel_for(sycl.nd_range(64, 16), kernel, found, turns).wait()
    for group in range(4):
        shared = before = 0
        for turn in range(turns):
            before = shared
            shared += turn + group
        assert (found[16 * group:][:16] == shared + before).all()
