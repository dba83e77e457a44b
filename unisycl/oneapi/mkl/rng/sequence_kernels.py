"""The Mersenne twister's recurrence, and Sobol's points, in kernels.

Written in the kernel language. Non-goals: seeds and tables, which the host makes (``sequences``).
Invariant: a twister's block of 227 words reads only words before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True
STATE, MIDDLE = 624, 397


def twist(it: Any, state: Any, x: Any, count: Any) -> None:
    """Write the state, then so many words that follow it, by one group."""
    group, size, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    for k in range(mine, STATE, size):
        x.store(k, state.load(k))
    sycl.group_barrier(group)
    for block in range(0, count, STATE - MIDDLE):
        for k in range(block + mine, min(block + STATE - MIDDLE, count), size):
            low = x.load(k + 1)
            y = (x.load(k) & np.uint32(0x80000000)) | (low & np.uint32(0x7FFFFFFF))
            odd = np.uint32(0x9908B0DF) if low & np.uint32(1) else np.uint32(0)
            x.store(k + STATE, x.load(k + MIDDLE) ^ (y >> np.uint32(1)) ^ odd)
        sycl.group_barrier(group)


def keep(k: Any, words: Any, first: Any, state: Any) -> None:
    """Write a word of the state that comes next."""
    state.store(k, words.load(first + k))


@dataclass(eq=False)
class tempered:
    """The twister's numbers: its words, whose bits are mixed once more."""

    x: Any
    first: Any

    def load(self, k: Any) -> Any:
        """Return number ``k``."""
        return tempered_word(self.x.load(self.first + k))


def tempered_word(y: Any) -> Any:
    """Return the number of a twister's word."""
    y = y ^ (y >> np.uint32(11))
    y = y ^ ((y << np.uint32(7)) & np.uint32(0x9D2C5680))
    y = y ^ ((y << np.uint32(15)) & np.uint32(0xEFC60000))
    return y ^ (y >> np.uint32(18))


@dataclass(eq=False)
class points:
    """Coordinates of Sobol's points, one after the other, in the order of Gray's code."""

    directions: Any
    dimensions: Any
    first: Any

    def load(self, k: Any) -> Any:
        """Return coordinate ``k``."""
        at = self.first + np.uint64(k)
        number = np.uint32(at // self.dimensions)
        code = number ^ (number >> np.uint32(1))
        row = np.int64(at % self.dimensions) * np.int64(32)
        found = np.uint32(0)
        for bit in range(32):
            mask = np.uint32(0) - ((code >> np.uint32(bit)) & np.uint32(1))
            found = found ^ (self.directions.load(row + bit) & mask)
        return found
