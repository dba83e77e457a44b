"""Kernels that sort by the digits of keys: divided by the highest digit first, then part by part.

Written in the kernel language. The elements are distributed by the highest bits in which keys
differ, chunk by chunk, so equal ones keep their order; then one work-item sorts each part by the
digits below, while it is in its cache. Non-goals: orders that are functions (``merging``).
Invariant: ``rank`` is what is compared, and each distribution is stable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True
FEW = 24
"""As many elements, or fewer, are inserted one by one."""


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


@dataclass(eq=False)
class differing:
    """The bits in which each rank differs from the first one."""

    items: Any
    rank: Any

    def load(self, i: Any) -> Any:
        """Return the bits of element ``i``."""
        return self.rank.of(self.items.load(i)) ^ self.rank.of(self.items.load(0))


@dataclass(eq=False)
class digits:
    """How ranks are taken apart: the bits that differ, and how many make a digit."""

    rank: Any
    varying: Any
    bits: Any
    own: Any

    def low_bits(self) -> Any:
        """Return how many bits lie below the highest digit."""
        varying = np.uint64(self.varying.load(0))
        return max(64 - int(sycl.clz(varying)) - self.bits, 0)

    def digit(self, item: Any, shift: Any) -> Any:
        """Return the digit of an element from a bit on."""
        rank = self.rank.of(item)
        kind = rank.dtype.type
        return int((rank >> kind(shift)) & kind((1 << self.bits) - 1))


def count_digits(it: Any, items: Any, counts: Any, by: Any, plan: Any) -> None:
    """Count the highest digits of a chunk."""
    c, parts, own = it.get_group(0), it.get_group_range(0), by.own
    shift = by.low_bits()
    for d in range(1 << by.bits):
        own[d] = np.int64(0)
    for k in range(c * plan.part, min((c + 1) * plan.part, plan.count)):
        own[by.digit(items.load(k), shift)] += np.int64(1)
    for d in range(1 << by.bits):
        counts.store(d * parts + c, own[d])


def distribute(it: Any, items: Any, target: Any, counts: Any, by: Any, plan: Any) -> None:
    """Write each element of a chunk to the part of its highest digit."""
    c, parts, own = it.get_group(0), it.get_group_range(0), by.own
    shift = by.low_bits()
    for d in range(1 << by.bits):
        own[d] = counts.load(d * parts + c)
    for k in range(c * plan.part, min((c + 1) * plan.part, plan.count)):
        item = items.load(k)
        d = by.digit(item, shift)
        at = own[d]
        target.store(at, item)
        own[d] = at + np.int64(1)


def sort_parts(it: Any, items: Any, target: Any, counts: Any, by: Any, parts: Any) -> None:
    """Sort the part of one digit by the digits below; it ends in the target."""
    d = it.get_group(0)
    sort_part(items, target, by, counts.load(d * parts), counts.load((d + 1) * parts))


def sort_whole(it: Any, items: Any, target: Any, by: Any, count: Any) -> None:
    """Sort few elements in one work-item, by all their digits; they end in the target."""
    if count <= FEW:
        insert(items, target, by, 0, count)
    else:
        by_digits(items, target, by, 0, count, max(64 - int(sycl.clz(np.uint64(
            by.varying.load(0)))), 1))


def sort_part(items: Any, target: Any, by: Any, first: Any, last: Any) -> None:
    """Sort a part by the bits below the highest digit."""
    if last - first <= FEW:
        insert(items, target, by, first, last)
    else:
        by_digits(items, target, by, first, last, by.low_bits())


def by_digits(items: Any, target: Any, by: Any, first: Any, last: Any, bits: Any) -> None:
    """Sort by so many low bits, digit after digit, to and fro; end in the target."""
    turns = (bits + by.bits - 1) // by.bits
    for turn in range(turns):
        if turn % 2 == 0:
            one_digit(items, target, by, first, last, turn * by.bits)
        else:
            one_digit(target, items, by, first, last, turn * by.bits)
    if turns % 2 == 0:
        for k in range(first, last):
            target.store(k, items.load(k))


def one_digit(items: Any, target: Any, by: Any, first: Any, last: Any, shift: Any) -> None:
    """Distribute a part by one digit."""
    own = by.own
    for d in range(1 << by.bits):
        own[d] = np.int64(0)
    for k in range(first, last):
        own[by.digit(items.load(k), shift)] += np.int64(1)
    at = np.int64(first)
    for d in range(1 << by.bits):
        found = own[d]
        own[d] = at
        at += found
    for k in range(first, last):
        item = items.load(k)
        d = by.digit(item, shift)
        place = own[d]
        target.store(place, item)
        own[d] = place + np.int64(1)


def insert(items: Any, target: Any, by: Any, first: Any, last: Any) -> None:
    """Sort a few elements by putting each where it belongs."""
    for k in range(first, last):
        item = items.load(k)
        rank = by.rank.of(item)
        j = k
        while j > first and rank < by.rank.of(target.load(j - 1)):
            target.store(j, target.load(j - 1))
            j -= 1
        target.store(j, item)
