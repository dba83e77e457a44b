"""``group_ballot`` and ``sub_group_mask``: which work-items of a sub-group said yes.

Written in the kernel language (sycl_ext_oneapi_sub_group_mask). Non-goals: groups made of masks.
Invariants: bit k belongs to the work-item of local id k; bits from the size on are 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unisycl.lang.groups.group_functions import ballot_bits, match_bits
from unisycl.lang.numbers.math import clz, ctz, popcount

__kernel_language__ = True


@dataclass(eq=False)
class sub_group_mask:
    """A bit for each work-item of a sub-group.

    Args:
        bits: the bits, that of work-item 0 lowest.
        length: how many there are: the size of a full sub-group.
    """

    bits: np.uint64
    length: int
    max_bits: ClassVar[int] = 64

    def size(self) -> Any:
        """Return the number of bits."""
        return self.length

    def count(self) -> Any:
        """Return the number of bits that are set."""
        return popcount(self.bits)

    def test(self, id: Any) -> Any:
        """Say whether the bit of a work-item is set; ``mask[id]`` is the same."""
        return (self.bits >> np.uint64(int(id))) & np.uint64(1) != 0

    def __getitem__(self, id: Any) -> Any:
        return self.test(id)

    def all(self) -> Any:
        """Say whether every bit is set."""
        return self.bits == _below(self.length)

    def any(self) -> Any:
        """Say whether a bit is set."""
        return self.bits != 0

    def none(self) -> Any:
        """Say whether no bit is set."""
        return self.bits == 0

    def find_low(self) -> Any:
        """Return the lowest id whose bit is set; the size if there is none."""
        return self.length if self.bits == 0 else int(ctz(self.bits))

    def find_high(self) -> Any:
        """Return the highest id whose bit is set; the size if there is none."""
        return self.length if self.bits == 0 else 63 - int(clz(self.bits))

    def set(self, id: Any = None, value: Any = True) -> None:
        """Set every bit, or give that of one work-item a value."""
        if id is None:
            self.bits = _below(self.length)
        elif value:
            self.bits = self.bits | _bit(id)
        else:
            self.bits = self.bits & ~_bit(id)

    def reset(self, id: Any = None) -> None:
        """Clear every bit, or that of one work-item."""
        if id is None:
            self.bits = np.uint64(0)
        else:
            self.bits = self.bits & ~_bit(id)

    def reset_low(self) -> None:
        """Clear the lowest bit that is set."""
        self.bits = self.bits & (self.bits - np.uint64(1))

    def reset_high(self) -> None:
        """Clear the highest bit that is set."""
        if self.bits != 0:
            self.bits = self.bits & ~_bit(63 - int(clz(self.bits)))

    def flip(self, id: Any = None) -> None:
        """Toggle every bit, or that of one work-item."""
        if id is None:
            self.bits = self.bits ^ _below(self.length)
        else:
            self.bits = self.bits ^ _bit(id)

    def insert_bits(self, bits: Any, pos: Any = 0) -> None:
        """Overwrite as many bits as an integer has, from ``pos`` on."""
        width = _width(bits)
        hole = _below(width) << np.uint64(int(pos))
        given = (np.uint64(bits) & _below(width)) << np.uint64(int(pos))
        self.bits = ((self.bits & ~hole) | given) & _below(self.length)

    def extract_bits(self, dtype: Any, pos: Any = 0) -> Any:
        """Return the bits from ``pos`` on as an integer of a type; beyond the size they are 0."""
        return dtype(self.bits >> np.uint64(int(pos)))

    def __eq__(self, other: Any) -> Any:
        return self.bits == other.bits

    def __ne__(self, other: Any) -> Any:
        return self.bits != other.bits

    __hash__ = None  # type: ignore[assignment]  # masks change

    def __and__(self, other: Any) -> Any:
        return sub_group_mask(self.bits & other.bits, self.length)

    def __or__(self, other: Any) -> Any:
        return sub_group_mask(self.bits | other.bits, self.length)

    def __xor__(self, other: Any) -> Any:
        return sub_group_mask(self.bits ^ other.bits, self.length)

    def __invert__(self) -> Any:
        return sub_group_mask(self.bits ^ _below(self.length), self.length)

    def __lshift__(self, shift: Any) -> Any:
        moved = (self.bits << np.uint64(shift)) & _below(self.length)
        return sub_group_mask(moved, self.length)

    def __rshift__(self, shift: Any) -> Any:
        return sub_group_mask(self.bits >> np.uint64(shift), self.length)


def _bit(id: Any) -> Any:
    return np.uint64(1) << np.uint64(int(id))


def _below(count: Any) -> Any:
    """Return a number whose lowest ``count`` bits are set."""
    every = np.uint64(0xFFFFFFFFFFFFFFFF)
    return every if count >= 64 else (np.uint64(1) << np.uint64(count)) - np.uint64(1)


def _width(bits: Any) -> Any:
    """Return how many bits an integer has; Python's have 64."""
    if isinstance(bits, (np.int8, np.uint8)):
        return 8
    if isinstance(bits, (np.int16, np.uint16)):
        return 16
    if isinstance(bits, (np.int32, np.uint32)):
        return 32
    return 64


def group_ballot(group: Any, predicate: Any = True) -> Any:
    """Return the mask of the work-items whose predicate is true (sycl_ext_oneapi_sub_group_mask).

    Args:
        group: the sub-group; all its work-items call together.
        predicate: whether this work-item's bit is set.
    """
    return sub_group_mask(ballot_bits(group, predicate), group.get_max_local_range()[0])


def group_match(group: Any, x: Any) -> Any:
    """Return the mask of the work-items that have the same integer as the calling one.

    Args:
        group: the sub-group; all its work-items call together.
        x: an integer or a truth value; compare other numbers by their bits (``bit_cast``).
    """
    bits = match_bits(group, x) & ballot_bits(group, True)  # who is not there matches nobody
    return sub_group_mask(bits, group.get_max_local_range()[0])
