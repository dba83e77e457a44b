"""The ranks of keys: unsigned integers whose order is that of the keys.

Written in the kernel language. Non-goals: sorting by them (``parts``, ``digits``). Invariant: a
rank is taken where it is compared and never written, so keys come out as they were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True


@dataclass(eq=False)
class unsigned:
    """Ranks of unsigned integers and bools; ``turn`` has all bits for descending order."""

    kind: Any
    turn: Any

    def of(self, x: Any) -> Any:
        """Return the rank of a key."""
        return self.kind(x) ^ self.turn


@dataclass(eq=False)
class signed:
    """Ranks of signed integers: the top bit turned round."""

    kind: Any
    turn: Any

    def of(self, x: Any) -> Any:
        """Return the rank of a key."""
        return sycl.bit_cast(self.kind, x) ^ self.turn


@dataclass(eq=False)
class floating:
    """Ranks of floats: those of both zeros are equal, and NaN come last.

    ``least`` is what becomes of the bits of the lowest number, ``nan`` stands behind the ranks of
    all numbers from there on. ``turn`` and ``more`` make of a rank how far it is from the highest
    number's, which of NaN is below 0: the last one, as unsigned numbers are.
    """

    kind: Any
    top: Any
    least: Any
    nan: Any
    turn: Any
    more: Any

    def of(self, x: Any) -> Any:
        """Return the rank of a key."""
        bits = sycl.bit_cast(self.kind, x)
        found = self.kind(0) - bits if bits >= self.top else bits | self.top
        return (min(self.kind(found - self.least), self.nan) ^ self.turn) + self.more


@dataclass(eq=False)
class rising:
    """Ranks of floats from the least on, in fewer steps than ``floating`` takes.

    ``whole`` is the signed type of the bits; ``shift`` makes the lowest number's 0, and ``nan``
    stands behind the ranks of all numbers.
    """

    kind: Any
    whole: Any
    shift: Any
    nan: Any

    def of(self, x: Any) -> Any:
        """Return the rank of a key."""
        bits = sycl.bit_cast(self.whole, x)
        minus = bits >> self.whole(np.iinfo(self.whole).bits - 1)
        found = self.kind((bits ^ (minus & self.whole(np.iinfo(self.whole).max))) - minus)
        return min(self.kind(found + self.shift), self.nan)


@dataclass(eq=False)
class of_first:
    """Ranks of pairs: those of their keys."""

    keys: Any

    def of(self, pair: Any) -> Any:
        """Return the rank of a pair's key."""
        return self.keys.of(pair[0])
