"""The ranks of keys: unsigned integers whose order is that of the keys.

Written in the kernel language. Non-goals: sorting by them (``parts``, ``digits``). Invariant: a
rank is taken where it is compared and never written, so keys come out as they were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
    """Ranks of floats: those of both zeros are equal, and NaN come last."""

    kind: Any
    top: Any
    turn: Any
    last: Any

    def of(self, x: Any) -> Any:
        """Return the rank of a key."""
        bits = sycl.bit_cast(self.kind, x)
        found = (self.kind(0) - bits if bits >= self.top else bits | self.top) ^ self.turn
        return found if x == x else self.last


@dataclass(eq=False)
class of_first:
    """Ranks of pairs: those of their keys."""

    keys: Any

    def of(self, pair: Any) -> Any:
        """Return the rank of a pair's key."""
        return self.keys.of(pair[0])
