"""A random order of positions that is computed, not kept: a network of Feistel's on their bits.

Written in the kernel language. Rounds mix one half of the bits into the other; positions beyond the
count go round again, so what is left is a permutation. Non-goals: secrets. Invariant: each position
below the count comes once, and depends on the seed and the count alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__kernel_language__ = True
ROUNDS = 12


@dataclass(eq=False)
class shuffled:
    """Positions below a count in a random order; halves of ``low`` and ``high`` bits are mixed."""

    count: Any
    low: Any
    high: Any
    seed: Any

    def load(self, i: Any) -> Any:
        """Return number ``i`` of the order."""
        at = self.once(np.uint64(i))
        while at >= self.count:
            at = self.once(at)
        return np.int64(at)

    def once(self, at: Any) -> Any:
        """Return where the network takes a position."""
        one = np.uint64(1)
        low, high = (one << self.low) - one, (one << self.high) - one
        a, b = at & low, at >> self.low
        key = self.seed
        for _ in range(ROUNDS // 2):
            key += np.uint64(0x9E3779B97F4A7C15)
            a = (a ^ mixed(b + key)) & low
            key += np.uint64(0x9E3779B97F4A7C15)
            b = (b ^ mixed(a + key)) & high
        return a | (b << self.low)


def mixed(x: Any) -> Any:
    """Return a number whose bits each depend on all bits of another one (SplitMix64)."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
