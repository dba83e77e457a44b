"""Loops that count the bits of numbers, as programs write them."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

WORDS = [0, 1, 3, 0x80, 0xF0F0F0F0, (1 << 63) | 1, (1 << 64) - 1, 12345678901234567]


@pytest.mark.part("D-27")
def test_bits_are_counted_and_loops_that_look_alike_run_as_they_are(queue: sycl.queue) -> None:
    words = np.array(WORDS, np.uint64)
    short = (words & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    signed = np.array([0, 1, -1, -(1 << 31), 77, 6, -6, 8], np.int32)
    out = np.zeros((len(WORDS), 8), np.int64)

    @sycl.kernel
    def count(i, words, short, signed, out):  # type: ignore[no-untyped-def]
        x, n = words[i], 5
        while x:
            x &= x - np.uint64(1)
            n += 1
        out[i, 0], out[i, 1] = n, np.int64(x)
        y, m = short[i], np.int32(0)
        while y != 0:
            m += y & np.uint32(1)
            y >>= np.uint32(1)
        out[i, 2] = m
        z, k = signed[i], np.int64(0)
        while z != 0:
            k = 1 + k
            z = (z - np.int32(1)) & z
        out[i, 3] = k
        y, k = short[i], np.int64(0)
        while y != 0:  # one bit of each pair
            k += y & np.uint32(1)
            y >>= np.uint32(2)
        out[i, 4] = k
        y, k = short[i], np.int64(0)
        while y != 0:
            y >>= np.uint32(1)
            k += y & np.uint32(1)  # all but the last
        out[i, 5] = k
        y, k = short[i], np.int64(0)
        while y != 0:
            y &= y - np.uint32(1)
            k += 2
        out[i, 6] = k
        k = np.int64(7)
        while k < 9 and y == 0:
            k += 1
        out[i, 7] = k

    queue.parallel_for(len(WORDS), count, words, short, signed, out).wait()
    for row, word, y, z in zip(out, WORDS, short.tolist(), signed.tolist(), strict=True):
        assert row.tolist() == [
            5 + word.bit_count(), 0, y.bit_count(), (z & 0xFFFFFFFF).bit_count(),
            (y & 0x55555555).bit_count(), (y >> 1).bit_count(), 2 * y.bit_count(), 9]
