"""Around barriers and group functions each work-item's own condition counts."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.property import partings
from unisycl.testing import find_device

SHAPES = [((2,), (1,)), ((4,), (2,)), ((6,), (3,)), ((34,), (17,)), ((128,), (64,)),
          ((200,), (100,)), ((4, 6), (2, 3)), ((4, 34), (2, 17))]


def launched(queue, shape, kernel, *arrays):
    """Return what a kernel stores for each item, given its linear ids and what else it reads."""
    space, local = shape
    with sycl.buffer(np.zeros(int(np.prod(space)), np.int64)) as result:
        def group(h):
            given = [sycl.accessor(sycl.buffer(a), h, sycl.read_only) for a in arrays]
            h.parallel_for(sycl.nd_range(space, local), kernel, sycl.accessor(result, h), *given)
        queue.submit(group).wait_and_throw()
        with sycl.host_accessor(result) as found:
            return np.array(found)


def groups(shape):
    """Return for each item, by its linear id, the linear ids of its group in local order."""
    space, local = shape
    ids = np.arange(int(np.prod(space))).reshape(space)
    counts = [s // k for s, k in zip(space, local, strict=True)]
    members = {}
    for at in np.ndindex(*counts):
        part = ids[tuple(slice(p * k, (p + 1) * k) for p, k in zip(at, local, strict=True))]
        for x in part.reshape(-1):
            members[int(x)] = part.reshape(-1)
    return [members[x] for x in range(ids.size)]


@pytest.mark.row("D-37")
@pytest.mark.parametrize("shape", SHAPES)
def test_a_loop_takes_as_many_turns_as_each_item_asks_for(queue, shape):
    def by_while(it, out):
        x = it.get_global_linear_id()
        i = 0
        while i < 2 + x % 7:
            out[x] += 1
            if i < 2:
                it.barrier()
            i += 1

    def by_for(it, out):
        x = it.get_global_linear_id()
        for i in range(2 + x % 7):
            out[x] += 1
            if i < 2:
                sycl.group_barrier(it.get_group())
    expected = 2 + np.arange(np.prod(shape[0])) % 7
    assert expected.tolist() == launched(queue, shape, by_while).tolist()
    assert expected.tolist() == launched(queue, shape, by_for).tolist()


@pytest.mark.row("D-37")
@pytest.mark.parametrize("shape", SHAPES)
def test_each_item_breaks_continues_and_returns_by_itself(queue, shape):
    own = (np.arange(np.prod(shape[0])) * 7 % 5).astype(np.int64)

    def kernel(it, out, own):
        x = it.get_global_linear_id()
        i = 0
        while True:
            i += 1
            if i > 2 and own[x] % 2 == 0:
                if i > own[x] + 4:
                    out[x] += 100
                    break
                continue
            if i > 9:
                out[x] += 10000
                return
            if i <= 2:
                sycl.group_barrier(it.get_group())
            out[x] += 1
        out[x] += 1000
    expected = [2 + 100 + 1000 if d % 2 == 0 else 9 + 10000 for d in own]
    assert expected == launched(queue, shape, kernel, own).tolist()


@pytest.mark.row("D-37")
@pytest.mark.parametrize("shape", SHAPES)
def test_what_items_that_left_have_stays_theirs(queue, shape):
    own = (np.arange(np.prod(shape[0])) % 6).astype(np.int64)

    def kernel(it, out, own):
        x = it.get_global_linear_id()
        s, last = 0, -1
        for i in range(2 + own[x]):
            last = i
            if i < 2:
                s += sycl.reduce_over_group(it.get_group(), x + i, sycl.plus())
                s += sycl.group_broadcast(it.get_group(), x, 0)
        out[x] = 10 * s + last
    expected = [10 * (2 * g.sum() + g.size + 2 * g[0]) + 1 + d
                for g, d in zip(groups(shape), own, strict=True)]
    assert expected == launched(queue, shape, kernel, own).tolist()


@pytest.mark.row("D-37")
@pytest.mark.parametrize("shape", SHAPES)
def test_conditions_of_data_that_a_group_shares(queue, shape):
    members = groups(shape)
    shared = np.array([g[0] % 3 for g in members])

    def kernel(it, out, shared):
        x = it.get_global_linear_id()
        g = it.get_group()
        v = x
        if shared[x] == 1:
            for _ in range(shared[x] + 1):
                v += sycl.inclusive_scan_over_group(g, x, sycl.plus())
        elif shared[x] == 2:
            v = sycl.reduce_over_group(g, x, 3, sycl.maximum())
            if sycl.any_of_group(g, x == v):
                sycl.group_barrier(g)
                v += 1
        out[x] = v
    expected = []
    for x, g in enumerate(members):
        scanned = int(np.cumsum(g)[list(g).index(x)])
        top = max(int(g.max()), 3)
        expected.append({0: x, 1: x + 2 * scanned, 2: top + (top in g)}[int(shared[x])])
    assert expected == launched(queue, shape, kernel, shared).tolist()


@pytest.mark.row("D-37")
@pytest.mark.parametrize("shape", SHAPES)
def test_functions_that_some_items_leave_earlier(queue, shape):
    own = (np.arange(np.prod(shape[0])) * 5 % 7).astype(np.int64)

    def helper(it, v, d):
        for i in range(d + 1):
            if i == 0:
                v += sycl.reduce_over_group(it.get_group(), 1, sycl.plus())
            elif i == 3:
                return v + 1000
        return v

    def kernel(it, out, own):
        x = it.get_global_linear_id()
        v = helper(it, x, own[x])
        sycl.group_barrier(it.get_group())
        out[x] = helper(it, v, own[x] - own[x])
    size = int(np.prod(shape[1]))
    expected = [x + 2 * size + 1000 * (d >= 3) for x, d in enumerate(own)]
    assert expected == launched(queue, shape, kernel, own).tolist()


@pytest.mark.row("D-37")
def test_private_arrays_and_vectors_of_items_that_left(queue):
    own = (np.arange(34) % 5).astype(np.int64)

    def kernel(it, out, own):
        x = it.get_global_linear_id()
        mine = sycl.private_array(np.int64, 4)
        for k in range(4):
            mine[k] = 0
        pair = sycl.double2(0, x)
        i = 0
        while i < 1 + own[x]:
            mine[i % 4] += i + 1
            pair = pair + 1
            if i == 0:
                sycl.group_barrier(it.get_group())
            i += 1
        out[x] = mine[0] + 10 * mine[1] + 100 * mine[2] + 1000 * mine[3] + int(pair.x + pair.y)
    expected = []
    for x, d in enumerate(own):
        mine = [0] * 4
        for i in range(1 + d):
            mine[i % 4] += i + 1
        expected.append(sum(m * 10**k for k, m in enumerate(mine)) + x + 2 * (1 + d))
    if not queue.get_device().has(sycl.aspect.fp64):
        pytest.skip("the device has no doubles")
    assert expected == launched(queue, ((34,), (17,)), kernel, own).tolist()


@pytest.mark.row("D-37")
def test_random_kernels_whose_items_part_ways_agree_with_the_host_device(device):
    host = find_device("host")
    for seed in (0, 2, 5, 6, 7, 9, 10, 11):
        assert np.array_equal(partings.run(seed, host), partings.run(seed, device)), seed
