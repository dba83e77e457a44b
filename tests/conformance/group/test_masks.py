"""Ballots and masks of sub-groups, against Python's integers (sycl_ext_oneapi_sub_group_mask)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.group.test_algorithms import sub_group_size, sub_group_sizes

oneapi = sycl.ext.oneapi
LOCAL = 70
ANSWERS = 16


def answers(s, m, other, out, k):
    """Write what a mask answers; ``k`` is the work-item's column."""
    out[0, k] = m.bits
    out[1, k] = m.count()
    out[2, k] = m.find_low() * 100 + m.find_high()
    out[3, k] = m.test(s.get_local_linear_id()) + 2 * m[sycl.id(0)]
    out[4, k] = m.any() + 2 * m.all() + 4 * m.none()
    out[5, k] = m.size()
    out[6, k] = (m & other).bits
    out[7, k] = (m | other).bits
    out[8, k] = (m ^ other).bits
    out[9, k] = (~m).bits
    out[10, k] = (m << 3).bits
    out[11, k] = (m >> 2).bits
    out[12, k] = (m == other) + 2 * (m != other)
    out[13, k] = m.extract_bits(np.uint16, 1)


def expected(bits, other, size, members, lane):
    every = (1 << size) - 1
    low = next((k for k in range(size) if bits >> k & 1), size)
    high = bits.bit_length() - 1 if bits else size
    return [bits, bits.bit_count(), low * 100 + high, (bits >> lane & 1) + 2 * (bits & 1),
            (bits != 0) + 2 * (bits == every) + 4 * (bits == 0), size, bits & other, bits | other,
            bits ^ other, bits ^ every, bits << 3 & every, bits >> 2,
            (bits == other) + 2 * (bits != other), bits >> 1 & 0xFFFF]


@pytest.mark.row("M-6")
def test_ballots_in_sub_groups_of_every_size(queue):
    x = np.random.default_rng(5).integers(0, 3, 2 * LOCAL).astype(np.int32)
    x[LOCAL:LOCAL + 8] = 0
    for size in sub_group_sizes(queue):
        out = np.zeros((ANSWERS, 2 * LOCAL), np.uint64)

        @sycl.kernel(reqd_sub_group_size=size)
        def kernel(it, x, out):
            s, k = it.get_sub_group(), it.get_global_id(0)
            mask = oneapi.group_ballot(s, x[k] > 0)
            answers(s, mask, oneapi.group_ballot(s, x[k] == 2), out, k)
            out[14, k] = oneapi.group_ballot(s).count()
        queue.parallel_for(sycl.nd_range(2 * LOCAL, LOCAL), kernel, x, out).wait()
        for k in range(2 * LOCAL):
            start = k // LOCAL * LOCAL
            first = start + (k - start) // size * size
            mates = x[first:min(first + size, start + LOCAL)].tolist()
            bits, other = (sum(1 << j for j, v in enumerate(mates) if test(v))
                           for test in (lambda v: v > 0, lambda v: v == 2))
            whole = min(size, LOCAL)
            found = expected(bits, other, whole, len(mates), k - first)
            assert [*found, len(mates)] == out[:15, k].tolist(), (size, k)


@pytest.mark.row("M-6")
def test_masks_are_changed_in_place(queue):
    size = sub_group_size(queue, 16)
    out = np.zeros((12, 16), np.uint64)

    @sycl.kernel(reqd_sub_group_size=size)
    def kernel(it):
        s, k = it.get_sub_group(), it.get_local_id(0)
        m = oneapi.group_ballot(s, k % 3 == 0)
        out[0, k] = m.bits
        m.set(1)
        m.set(3, False)
        out[1, k] = m.bits
        m.reset(0)
        m.flip(5)
        out[2, k] = m.bits
        m.reset_low()
        m.reset_high()
        out[3, k] = m.bits
        m.flip()
        out[4, k] = m.bits
        m.insert_bits(np.uint8(0xA5), 4)
        out[5, k] = m.bits
        m.insert_bits(np.uint8(0xFF), 12)
        out[6, k] = m.bits
        n = oneapi.sub_group_mask(np.uint64(0x0F0F), m.size())
        n &= m
        n |= oneapi.sub_group_mask(np.uint64(1 << 15), 16)
        out[7, k] = n.bits
        n <<= 2
        out[8, k] = n.bits
        n.set()
        out[9, k] = n.bits
        n.reset()
        n.reset_high()
        out[10, k] = n.bits + np.uint64(n.find_low())
        out[11, k] = m.extract_bits(np.uint8, 12)
    queue.parallel_for(sycl.nd_range(16, 16), kernel).wait()
    steps = [sum(1 << k for k in range(0, 16, 3))]
    steps.append((steps[-1] | 2) & ~8)
    steps.append(steps[-1] & ~1 ^ 32)
    low = steps[-1] & (steps[-1] - 1)
    steps.append(low & ~(1 << low.bit_length() - 1))
    steps.append(steps[-1] ^ 0xFFFF)
    steps.append(steps[-1] & ~0xFF0 | 0xA50)
    steps.append(steps[-1] | 0xF000)
    steps.append(0x0F0F & steps[-1] | 1 << 15)
    steps.append(steps[-1] << 2 & 0xFFFF)
    steps += [0xFFFF, 16, steps[6] >> 12 & 0xFF]
    assert [[v] * 16 for v in steps] == out.tolist()


@pytest.mark.row("M-6")
def test_a_mask_is_an_ordinary_object_on_the_host():
    m = oneapi.sub_group_mask(np.uint64(0b1010), 4)
    assert (m.count(), m.find_low(), m.find_high()) == (2, 1, 3)
    assert (bool(m[1]), bool(m[0])) == (True, False)
    assert (~m).bits == 0b0101
    assert oneapi.sub_group_mask.max_bits >= 64
