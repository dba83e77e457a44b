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

    def back(self, rank: Any, dtype: Any) -> Any:
        """Return the key of a rank."""
        return dtype(rank ^ self.turn)

    def odd(self, x: Any) -> Any:
        """Return whether a key of the same rank may have other bits."""
        return False


@dataclass(eq=False)
class signed:
    """Ranks of signed integers: the top bit turned round."""

    kind: Any
    turn: Any

    def of(self, x: Any) -> Any:
        """Return the rank of a key."""
        return sycl.bit_cast(self.kind, x) ^ self.turn

    def back(self, rank: Any, dtype: Any) -> Any:
        """Return the key of a rank."""
        return sycl.bit_cast(dtype, rank ^ self.turn)

    def odd(self, x: Any) -> Any:
        """Return whether a key of the same rank may have other bits."""
        return False


def odd_bits(bits: Any, kind: Any) -> Any:
    """Return whether a float's bits are a NaN's or those of -0.0, which follow NaN's without sign.

    Infinity's are all bits of the exponent.
    """
    top = np.iinfo(kind).max // 2 + 1
    infinity = top - (1 << {16: 10, 32: 23, 64: 52}[np.iinfo(kind).bits])
    return (kind(bits - kind(infinity + 1)) <= kind(top - infinity - 1)) | (
        bits > kind(top + infinity))


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

    def back(self, rank: Any, dtype: Any) -> Any:
        """Return the key of a rank that is no NaN's; of zeros 0.0."""
        found = ((rank - self.more) ^ self.turn) + self.least
        return sycl.bit_cast(dtype, found ^ self.top if found >= self.top else
                             self.kind(0) - found)

    def odd(self, x: Any) -> Any:
        """Return whether a key of the same rank may have other bits: NaN, and -0.0."""
        return odd_bits(sycl.bit_cast(self.kind, x), self.kind)


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

    def back(self, rank: Any, dtype: Any) -> Any:
        """Return the key of a rank that is no NaN's; of zeros 0.0."""
        found = self.whole(rank - self.shift)
        minus = found >> self.whole(np.iinfo(self.whole).bits - 1)
        return sycl.bit_cast(dtype, (found + minus) ^ (minus & self.whole(
            np.iinfo(self.whole).max)))

    def odd(self, x: Any) -> Any:
        """Return whether a key of the same rank may have other bits: NaN, and -0.0."""
        return odd_bits(sycl.bit_cast(self.kind, x), self.kind)


@dataclass(eq=False)
class of_first:
    """Ranks of pairs: those of their keys."""

    keys: Any

    def of(self, pair: Any) -> Any:
        """Return the rank of a pair's key."""
        return self.keys.of(pair[0])
