"""Operations on bits of ids, as butterflies, qubits and tiles have them: vectors may share them."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-1")
MASKS = (0, 4, 7, 8, 16, 64, -8, -1, 1 << 40)
SIZES = (0, 8, 131)


def bits(i, out, m, s):
    out[0, i] = i ^ m
    out[1, i] = m | i
    out[2, i] = i & m
    out[3, i] = i >> s
    out[4, i] = i & (m - 1)
    out[5, i] = (2 * i) ^ m
    out[6, i] = 1 if i ^ m > i else 0
    out[7, i] = (i & 15) - (i & ~7) + ((i ^ 16) << 8)
    out[8, i] = ((i - 3) ^ m) + (-i & m)


@pytest.mark.parametrize("offset", [0, 5])
def test_each_lane_has_its_own_bits(queue: sycl.queue, offset: int) -> None:
    for size in SIZES:
        i = np.arange(offset, offset + size)
        for m, s in zip(MASKS, (0, 1, 2, 3, 4, 5, 62, 63, 40), strict=True):
            out = np.zeros((9, offset + size), np.int64)
            queue.parallel_for(size, lambda it, out, m, s: bits(it + offset, out, m, s),
                               out, m, s).wait_and_throw()
            wanted = (i ^ m, i | m, i & m, i >> s, i & (m - 1), (2 * i) ^ m, (i ^ m) > i,
                      (i & 15) - (i & ~7) + ((i ^ 16) << 8), ((i - 3) ^ m) + (-i & m))
            for row, want in enumerate(wanted):
                assert np.array_equal(out[row, offset:], want), (row, size, m, s)


def test_butterflies_in_rows_and_groups(queue: sycl.queue) -> None:
    """A sort by exchanges, and pairs of elements a power of two apart."""
    def exchange(it, keys, j, k):
        row, i = it[0], it[1]
        other = i ^ j
        if other > i:
            one, two = keys[row, i], keys[row, other]
            if (one > two) == ((i & k) == 0):
                keys[row, i], keys[row, other] = two, one

    def pair(it, state, q):
        t = it.get_global_id(0)
        one = (t >> q) << (q + 1) | (t & ((1 << q) - 1))
        two = one | (1 << q)
        a, b = state[one], state[two]
        state[one], state[two] = a + b, a - b
    keys = np.random.default_rng(1).integers(0, 99, (3, 64)).astype(np.float32)
    wanted, k = np.sort(keys, axis=1), 2
    while k <= 64:
        j = k // 2
        while j:
            queue.parallel_for(sycl.range(3, 64), exchange, keys, j, k).wait_and_throw()
            j //= 2
        k *= 2
    assert np.array_equal(keys, wanted)
    state = np.arange(128.0)
    left = state.copy()
    for q in range(7):
        queue.parallel_for(sycl.nd_range(64, 32), pair, state, q).wait_and_throw()
        both = left.reshape(-1, 2, 1 << q)
        left = np.stack((both[:, 0] + both[:, 1], both[:, 0] - both[:, 1]), 1).reshape(-1)
    assert np.array_equal(state, left)


def test_pairs_nearer_than_a_vector_is_wide(queue: sycl.queue) -> None:
    """Found by quotients, by shifts and by their other one, over rows that end within a vector."""
    def by_quotients(t, x, j):
        i = (t // j) * (2 * j) + t % j
        x[i], x[i + j] = 2 * x[i] - x[i + j], 3 * x[i + j] + x[i]

    def by_bits(t, x, q):
        i = (t >> q) << (q + 1) | (t & ((1 << q) - 1))
        x[i], x[i + (1 << q)] = 2 * x[i] - x[i + (1 << q)], 3 * x[i + (1 << q)] + x[i]

    def by_others(i, x, j):
        other = i ^ j
        if other > i:
            x[i], x[other] = 2 * x[i] - x[other], 3 * x[other] + x[i]

    for dtype in (np.int64, np.float32):
        for blocks, j in ((1, 1), (21, 1), (9, 2), (37, 4), (5, 8), (3, 32), (7, 3)):
            start = np.random.default_rng(j).integers(-99, 99, 2 * j * blocks).astype(dtype)
            pairs = start.reshape(blocks, 2, j)
            one, two = pairs[:, 0], pairs[:, 1]
            wanted = np.stack([2 * one - two, 3 * two + one], 1).ravel()
            found = [start.copy() for _ in range(3)]
            queue.parallel_for(j * blocks, by_quotients, found[0], j).wait_and_throw()
            if j & (j - 1) == 0:
                queue.parallel_for(j * blocks, by_bits, found[1],
                                   j.bit_length() - 1).wait_and_throw()
                queue.parallel_for(2 * j * blocks, by_others, found[2], j).wait_and_throw()
            else:
                found[1:] = []
            for one in found:
                assert np.array_equal(one, wanted), (dtype, blocks, j)
