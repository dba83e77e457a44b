"""Parts of sub-groups and functions over them, against Python (sycl_ext_oneapi_non_uniform_groups).
"""

from __future__ import annotations

import itertools
import operator

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.group.test_algorithms import sub_group_size, sub_group_sizes
from unisycl.testing.refusal import PREFIX

parts = sycl.ext.oneapi.experimental
LOCAL = 27
COUNT = 2 * LOCAL


def sub_groups(size):
    """Yield the global ids of each sub-group."""
    for start in range(0, COUNT, LOCAL):
        for first in range(start, start + LOCAL, size):
            yield list(range(first, min(first + size, start + LOCAL)))


def asked(f, out, k):
    """Write what a fragment says of itself."""
    out[0, k] = f.get_group_id()[0] + 100 * f.get_group_linear_id()
    out[1, k] = f.get_local_id()[0] + 100 * f.get_local_linear_id()
    out[2, k] = f.get_group_range()[0] + 100 * f.get_group_linear_range()
    out[3, k] = f.get_local_range()[0] + 100 * f.get_local_linear_range()
    out[4, k] = f.leader() + 2 * sycl.leader_of(f) + 4 * (f.get_max_local_range().size())


def answers(number, place, count, members):
    return [101 * number, 101 * place, 101 * count, 101 * members, 3 * (place == 0) + 4 * members]


@pytest.mark.row("M-6")
def test_a_partition_by_a_predicate_knows_its_members(queue):
    x = np.random.default_rng(3).integers(0, 5, COUNT).astype(np.int32)
    for size in sub_group_sizes(queue):
        out = np.full((5, COUNT), -1, np.int64)

        @sycl.kernel(reqd_sub_group_size=size)
        def kernel(it, out):
            k = it.get_global_id(0)
            asked(parts.binary_partition(it.get_sub_group(), x[k] > 1), out, k)
        queue.parallel_for(sycl.nd_range(COUNT, LOCAL), kernel, out).wait()
        for ids in sub_groups(size):
            for side in (False, True):
                mine = [k for k in ids if (x[k] > 1) == side]
                for place, k in enumerate(mine):
                    assert answers(side, place, 2, len(mine)) == out[:, k].tolist(), (size, k)


@pytest.mark.row("M-6")
@pytest.mark.parametrize("part", [1, 2, 4, 8])
def test_chunks_are_equal_neighbours(queue, part):
    sizes = [size for size in sub_group_sizes(queue) if size >= part]
    if not sizes:
        pytest.skip(f"{PREFIX}the device has no sub-groups of {part} or more")
    for size in sizes:
        out = np.full((6, COUNT), -1, np.int64)

        @sycl.kernel(reqd_sub_group_size=size)
        def kernel(it, out):
            k = it.get_global_id(0)
            c = parts.chunked_partition(it.get_sub_group(), part)
            asked(c, out, k)
            out[5, k] = sycl.reduce_over_group(c, k, sycl.plus)
        queue.parallel_for(sycl.nd_range(COUNT, LOCAL), kernel, out).wait()
        for ids in sub_groups(size):
            count = -(-len(ids) // part)
            for place, k in enumerate(ids):
                mine = ids[place // part * part:][:part]
                expected = answers(place // part, place % part, count, len(mine))
                assert [*expected, sum(mine)] == out[:, k].tolist(), (size, k)


@pytest.mark.row("M-6")
def test_parts_of_parts(queue):
    size = sub_group_size(queue, 16)
    out = np.zeros((3, 32), np.int32)

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it):
        k = it.get_global_id(0)
        half = parts.get_fixed_size_group(it.get_sub_group(), 8)
        pair = parts.get_fixed_size_group(half, 2)
        odd = parts.get_ballot_group(half, k % 2 == 1)
        out[0, k] = 10 * pair.get_group_linear_id() + pair.get_local_linear_id()
        out[1, k] = sycl.reduce_over_group(odd, k, sycl.plus)
        out[2, k] = sycl.reduce_over_group(parts.get_ballot_group(odd, k % 8 < 4), k, sycl.maximum)
    queue.parallel_for(sycl.nd_range(32, 32), kernel).wait()
    for k in range(32):
        odd = [j for j in range(k // 8 * 8, k // 8 * 8 + 8) if j % 2 == k % 2]
        low = [j for j in odd if (j % 8 < 4) == (k % 8 < 4)]
        assert [10 * (k % 8 // 2) + k % 2, sum(odd), max(low)] == out[:, k].tolist()


TYPES = {"int32": 9, "bool": 9, "int8": 2, "uint16": 2, "uint64": 1, "float16": 2, "float32": 2,
         "float64": 1}
"""How many of the operators to try."""
FOLDS = {"plus": operator.add, "maximum": max, "multiplies": operator.mul, "minimum": min}
BITS = {"bit_and": operator.and_, "bit_or": operator.or_, "bit_xor": operator.xor}
TRUTHS = {"logical_and": lambda a, b: bool(a) and bool(b),
          "logical_or": lambda a, b: bool(a) or bool(b)}


def folds(dtype):
    every = FOLDS | TRUTHS | (BITS if np.dtype(dtype).kind in "biu" else {})
    return dict(itertools.islice(every.items(), TYPES[dtype]))


@pytest.mark.row("M-6", "D-41", "D-42")
@pytest.mark.parametrize("dtype", TYPES)
def test_parts_reduce_and_scan_every_type_by_every_operator(queue, dtype):
    size = sub_group_size(queue, 8)
    rng = np.random.default_rng(8)
    x = rng.integers(0, 4, COUNT).astype(dtype)
    side = rng.integers(0, 2, COUNT).astype(np.int32)
    ops = folds(dtype)
    out = np.zeros((len(ops), 5, COUNT), dtype)

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it):
        k = it.get_global_id(0)
        f = parts.binary_partition(it.get_sub_group(), side[k] == 0)
        for n, op in enumerate(functions):
            out[n, 0, k] = sycl.reduce_over_group(f, x[k], op)
            out[n, 1, k] = sycl.inclusive_scan_over_group(f, x[k], op)
            if sycl.has_known_identity(op, x.dtype):
                out[n, 2, k] = sycl.exclusive_scan_over_group(f, x[k], op)
            out[n, 3, k] = sycl.reduce_over_group(f, x[k], x[0], op)
            out[n, 4, k] = sycl.exclusive_scan_over_group(f, x[k], x[0], op)
    functions = tuple(getattr(sycl, name) for name in ops)
    queue.parallel_for(sycl.nd_range(COUNT, LOCAL), kernel).wait()
    with np.errstate(all="ignore"):
        for ids, s in itertools.product(sub_groups(size), (0, 1)):
            mine = [k for k in ids if side[k] == s]
            for n, (name, op) in enumerate(ops.items()):
                check_folds(x, mine, op, functions[n], out[n], name.startswith("logical"))


def check_folds(x, mine, op, named, out, truths):
    def fold(a, b):
        return kind(op(a, b))
    kind = x.dtype.type
    given = [kind(bool(v)) if truths else v for v in (x[0], *x[mine])]
    if not mine:
        return
    up_to = list(itertools.accumulate(given[1:], fold))
    begun = list(itertools.accumulate(given, fold))
    rows = [[up_to[-1]] * len(mine), up_to, [0] * len(mine), [begun[-1]] * len(mine), begun[:-1]]
    if sycl.has_known_identity(named, x.dtype):
        start = kind(sycl.known_identity(named, x.dtype))
        rows[2] = list(itertools.accumulate(given[1:-1], fold, initial=start))
    assert [list(map(float, row)) for row in rows] == out[:, mine].astype(float).tolist(), named


@pytest.mark.row("M-6", "D-38", "D-39", "D-40")
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float32", "float64"])
def test_parts_move_values_and_vote(queue, dtype):
    size = sub_group_size(queue, 8)
    rng = np.random.default_rng(11)
    x = rng.integers(0, 100, COUNT).astype(dtype)
    side = rng.integers(0, 2, COUNT).astype(np.int32)
    to = rng.integers(0, 4, COUNT).astype(np.int32)
    out, votes = np.zeros((5, COUNT), dtype), np.zeros(COUNT, np.int32)

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it):
        k = it.get_global_id(0)
        f = parts.binary_partition(it.get_sub_group(), side[k] == 0)
        out[0, k] = sycl.group_broadcast(f, x[k])
        out[1, k] = sycl.shift_group_left(f, x[k])
        out[2, k] = sycl.shift_group_right(f, x[k], 2)
        out[3, k] = sycl.permute_group_by_xor(f, x[k], 1)
        out[4, k] = sycl.select_from_group(f, x[k], to[k])
        low = to[k] < 2
        votes[k] = sycl.any_of_group(f, low) + 2 * sycl.all_of_group(f, low) \
            + 4 * sycl.none_of_group(f, to[k], lambda t: t < 2)
        sycl.group_barrier(f)
    queue.parallel_for(sycl.nd_range(COUNT, LOCAL), kernel).wait()
    for ids, s in itertools.product(sub_groups(size), (0, 1)):
        mine = [k for k in ids if side[k] == s]
        low = [to[k] < 2 for k in mine]
        for place, k in enumerate(mine):
            for row, partner in enumerate([0, place + 1, place - 2, place ^ 1, int(to[k])]):
                if 0 <= partner < len(mine):
                    assert x[mine[partner]] == out[row, k], (row, k)
            assert any(low) + 2 * all(low) + 4 * (not any(low)) == votes[k]


@pytest.mark.row("M-6")
def test_a_part_works_inside_the_branch_that_made_it(queue):
    size = sub_group_size(queue, 8)
    x, out = np.arange(COUNT, dtype=np.float32), np.zeros((2, COUNT), np.float32)

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it):
        k = it.get_global_id(0)
        s = it.get_sub_group()
        inside = s.get_local_linear_id() % 3 != 1
        f = parts.binary_partition(s, inside)
        if inside:
            sycl.group_barrier(f)
            out[0, k] = sycl.reduce_over_group(f, x[k], sycl.plus)
        else:
            out[0, k] = -sycl.group_broadcast(f, x[k])
        out[1, k] = sycl.reduce_over_group(s, x[k], sycl.plus)
    queue.parallel_for(sycl.nd_range(COUNT, LOCAL), kernel).wait()
    for ids in sub_groups(size):
        inside = [k for place, k in enumerate(ids) if place % 3 != 1]
        outside = [k for k in ids if k not in inside]
        for k in ids:
            assert (sum(inside) if k in inside else -outside[0]) == out[0, k]
            assert sum(ids) == out[1, k]


@pytest.mark.row("M-6", "D-39", "D-41", "D-42")
def test_parts_share_memory(queue):
    size = sub_group_size(queue, 16)
    x, out = np.arange(40, dtype=np.int32) % 7, np.zeros((3, 16), np.int32)
    sums = np.zeros((4, 40), np.int32)

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it):
        k = it.get_global_id(0)
        f = parts.binary_partition(it.get_sub_group(), k % 3 == 0)
        g = f.get_group_linear_id()
        out[0, k] = sycl.joint_reduce(f, x, sycl.plus)
        out[1, k] = sycl.joint_any_of(f, x[g * 20:g * 20 + 3], lambda v: v == 2)
        sycl.joint_inclusive_scan(f, x, sums[g], sycl.plus)
        sycl.joint_exclusive_scan(f, x, sums[2 + g], 5, sycl.plus)
    queue.parallel_for(sycl.nd_range(16, 16), kernel).wait()
    run = np.cumsum(x)
    assert [x.sum()] * 16 == out[0].tolist()
    assert [2 in x[20 * (k % 3 == 0):][:3] for k in range(16)] == out[1].tolist()
    assert [run.tolist()] * 2 == sums[:2].tolist()
    assert [(run - x + 5).tolist()] * 2 == sums[2:].tolist()


# ---- who is here
def spans(it, x, k, out):
    """Return the sum over whoever calls this together, and count the call."""
    t = parts.entangle(it.get_sub_group())
    out[0, k] += sycl.reduce_over_group(t, x, sycl.plus)
    out[1, k] += t.get_local_linear_range()


@pytest.mark.row("M-6")
def test_a_tangle_is_who_reaches_a_place_together(queue):
    size = sub_group_size(queue, 8)
    out = np.zeros((2, 16), np.int32)

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it):
        k = it.get_global_id(0)
        lane = k % 8
        if lane < 5:
            spans(it, 1, k, out)
            if lane % 2:
                spans(it, 10, k, out)
        else:
            spans(it, 100, k, out)
        spans(it, 1000, k, out)
    queue.parallel_for(sycl.nd_range(16, 8), kernel).wait()
    for k in range(16):
        odd = k % 8 < 5 and k % 2
        people = (5 + 2 * odd if k % 8 < 5 else 3) + 8
        assert [(5 + 20 * odd if k % 8 < 5 else 300) + 8000, people] == out[:, k].tolist(), k


@pytest.mark.row("M-6")
def test_tangles_of_loops_keep_turns_apart(queue):
    size = sub_group_size(queue, 8)
    out = np.zeros((2, 8), np.int64)

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it):
        k = it.get_global_id(0)
        for turn in range(6):
            if turn == k:
                break
            if (turn + k) % 3 == 0:
                continue
            spans(it, 10 ** turn, k, out)
        left = k
        while left > 0:
            left -= 2
            if left % 4 != 1:
                spans(it, 10 ** 7, k, out)
        spans(it, 10 ** 9, k, out)
    queue.parallel_for(sycl.nd_range(8, 8), kernel).wait()
    found = np.zeros((2, 8), np.int64)

    def meet(lanes, x):
        for k in lanes:
            found[:, k] += len(lanes) * x, len(lanes)
    for turn in range(6):
        meet([k for k in range(8) if not 0 <= k <= turn and (turn + k) % 3], 10 ** turn)
    for turn in range(1, 5):
        meet([k for k in range(8) if k > 2 * turn - 2 and (k - 2 * turn) % 4 != 1], 10 ** 7)
    meet(range(8), 10 ** 9)
    assert found.tolist() == out.tolist()


@pytest.mark.row("M-6", "D-54")
def test_whoever_is_here_adds_for_all(queue):
    counter, tickets = np.zeros(1, np.int32), np.full(COUNT, -1, np.int32)

    def next_ticket(cell):
        here = parts.this_kernel.get_opportunistic_group()
        first = 0
        if here.leader():
            first = cell.fetch_add(here.get_local_linear_range())
        return sycl.group_broadcast(here, first) + here.get_local_linear_id()

    def kernel(it):
        k = it.get_global_id(0)
        if k % 3:
            cell = sycl.atomic_ref(counter, 0, sycl.memory_order.relaxed,
                                   sycl.memory_scope.device)
            tickets[k] = next_ticket(cell)
    queue.parallel_for(sycl.nd_range(COUNT, LOCAL), kernel).wait()
    taken = sorted(t for t in tickets if t >= 0)
    assert list(range(COUNT * 2 // 3)) == taken
    assert counter[0] == len(taken)


@pytest.mark.row("M-6")
def test_older_names_are_the_same():
    assert parts.get_ballot_group is parts.binary_partition
    assert parts.get_fixed_size_group is parts.chunked_partition
    assert parts.get_tangle_group is parts.entangle
    assert issubclass(parts.tangle_group, parts.fragment)
    assert parts.fragment.fence_scope is sycl.memory_scope.sub_group
    with pytest.raises(sycl.exception, match="kernel over an nd_range"):
        parts.get_opportunistic_group()


@pytest.mark.row("M-6")
def test_devices_and_constants_tell_of_them(device):
    for name in ("chunk", "fragment", "tangle"):
        assert device.has(sycl.aspect[f"ext_oneapi_{name}"])
    assert 1 == sycl.SYCL_EXT_ONEAPI_NON_UNIFORM_GROUPS == sycl.SYCL_EXT_ONEAPI_TANGLE
    assert 1 == sycl.SYCL_EXT_ONEAPI_SUB_GROUP_MASK
    whole = (parts.root_group, sycl.group, sycl.sub_group)
    made = (parts.fragment, parts.chunk, parts.tangle)
    for kind in (*whole, *made):
        assert (kind in whole) == parts.is_fixed_topology_group(kind)
        assert (kind in made) == parts.is_user_constructed_group(kind)
