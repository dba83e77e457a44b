"""Stacks and tables in private arrays that the items of a sub-group fill alike, or nearly so."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.group.test_algorithms import sub_group_size
from tests.property import walks
from tests.sampling import by_turns
from unisycl.testing import find_device

pytestmark = pytest.mark.part("D-37")
NODES, DEPTH = 63, 16
STEP = np.dtype([("node", np.int16), ("depth", np.int64)])


def nearest(it, lows, highs, points, out, limit):
    """Walk a tree of intervals with a sub-group; items beyond the limit have left before."""
    x = it.get_global_id(0)
    if x >= limit:
        return
    stack = sycl.private_array(np.int32, DEPTH)
    where = sycl.private_array(STEP, DEPTH)
    stack[0] = 0
    top, best, seen = 1, np.float32(9e9), 0
    while top > 0:
        top -= 1
        node = stack[top]
        where[seen & (DEPTH - 1)].node = np.int16(node)
        where[seen & (DEPTH - 1)].depth = top
        seen += 1
        far = max(lows[node] - points[x], points[x] - highs[node], np.float32(0))
        if far < best:
            if node >= NODES // 2:
                best = min(best, abs(lows[node] - points[x]))
            else:
                stack[top] = 2 * node + 1
                stack[top + 1] = 2 * node + 2
                top += 2
    out[0, x] = best
    out[1, x] = seen + where[(seen - 1) & (DEPTH - 1)].depth
    out[2, x] = where[x & 1].node


def together(it, lows, highs, points, out, limit):
    """Do the same with one stack: where any item enters a node, all look at it."""
    x = it.get_global_id(0)
    sg = it.get_sub_group()
    stack = sycl.private_array(np.int32, DEPTH)
    where = sycl.private_array(STEP, DEPTH)
    stack[0] = 0
    top, best, seen = 1, np.float32(9e9), 0
    while top > 0:
        top -= 1
        node = stack[top]
        where[seen & (DEPTH - 1)].node = np.int16(node)
        where[seen & (DEPTH - 1)].depth = top
        seen += 1
        far = max(lows[node] - points[x], points[x] - highs[node], np.float32(0))
        if sycl.any_of_group(sg, x < limit and far < best):
            if node >= NODES // 2:
                best = min(best, abs(lows[node] - points[x]))
            else:
                stack[top] = 2 * node + 1
                stack[top + 1] = 2 * node + 2
                top += 2
    if x < limit:
        out[0, x] = best
        out[1, x] = seen + where[(seen - 1) & (DEPTH - 1)].depth
        out[2, x] = where[x & 1].node


def tree():
    """Return the ends of intervals, and points."""
    leaves = np.sort(np.random.default_rng(5).random(NODES // 2 + 1)).astype(np.float32)
    lows = np.zeros(NODES, np.float32)
    highs = np.zeros(NODES, np.float32)
    lows[NODES // 2:] = highs[NODES // 2:] = leaves
    for k in range(NODES // 2 - 1, -1, -1):
        lows[k], highs[k] = lows[2 * k + 1], highs[2 * k + 2]
    return lows, highs


@pytest.mark.parametrize("kernel", [nearest, together])
def test_a_tree_is_walked_by_items_and_by_sub_groups(device, kernel):
    lows, highs = tree()
    kernel = sycl.kernel(reqd_sub_group_size=sub_group_size(sycl.queue(device), 8))(kernel)
    for size, local, limit in by_turns(device, ((64, 32, 64), (60, 20, 51), (14, 7, 9), (1, 1, 1))):
        points = np.random.default_rng(size).random(size).astype(np.float32)
        found = {}
        for where in (device, find_device("host")):
            out = np.zeros((3, size), np.float32)
            with sycl.buffer(out) as result, sycl.buffer(lows) as a, sycl.buffer(highs) as b, \
                    sycl.buffer(points) as c:
                def group(h):
                    given = [sycl.accessor(x, h, sycl.read_only) for x in (a, b, c)]
                    h.parallel_for(  # noqa: B023 - submitted at once
                        sycl.nd_range(size, local), kernel, *given,
                        sycl.accessor(result, h), limit)
                sycl.queue(where).submit(group).wait_and_throw()
            found[where] = out
        expected = np.abs(lows[NODES // 2:, None] - points).min(0)
        expected[limit:] = 0
        np.testing.assert_array_equal(found[device][0], expected)
        np.testing.assert_array_equal(found[device], found[find_device("host")])


def test_random_walks_agree_with_the_host_device(device):
    host, size = find_device("host"), sub_group_size(sycl.queue(device), 8)
    for seed in by_turns(device, (1, 4, 9, 13, 15, 23, 24, 31)):
        expected = walks.run(seed, host, size=size)
        assert np.array_equal(expected, walks.run(seed, device, size=size)), seed


def test_random_walks_of_checked_kernels_agree_with_the_host_device(device):
    host, size = find_device("host"), sub_group_size(sycl.queue(device), 8)
    for seed in by_turns(device, (2, 9, 13)):
        found = walks.run(seed, device, size=size, debug=True)
        assert np.array_equal(walks.run(seed, host, size=size), found), seed


def test_a_random_walk_depends_on_its_seed_alone():
    assert walks.program(17) == walks.program(17)
