"""Kernels that sort keys alone, by way of words: ranks from which keys come back.

Written in the kernel language. Keys are divided into parts of a cache's size, as in ``parts``, but
what is written are their ranks, so that these are told once, and a part goes by its digits through
local memory to where it belongs. Where keys of one rank differ in bits (NaN, and -0.0 beside 0.0)
words are the keys' bits, and ranks are told anew. Non-goals: values beside keys, and orders that
are functions. Invariant: each distribution is stable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.kernels.parts import (
    FEW,
    TOGETHER,
    count_digits,
    differing,
    one_digit,
    sampled,
)

__kernel_language__ = True
SHIFT = 6
"""Low bits of a cell's word, which say how far ranks are shifted; the others are added."""


@dataclass(eq=False)
class ranked:
    """Words that are ranks."""

    rank: Any
    dtype: Any

    def word(self, key: Any) -> Any:
        """Return the word of a key."""
        return self.rank.of(key)

    def of(self, word: Any) -> Any:
        """Return the rank of a word."""
        return word

    def back(self, word: Any) -> Any:
        """Return the key of a word."""
        return self.rank.back(word, self.dtype)


@dataclass(eq=False)
class plain:
    """Words that are the bits of keys."""

    rank: Any
    dtype: Any
    kind: Any

    def word(self, key: Any) -> Any:
        """Return the word of a key."""
        return sycl.bit_cast(self.kind, key)

    def of(self, word: Any) -> Any:
        """Return the rank of a word."""
        return self.rank.of(sycl.bit_cast(self.dtype, word))

    def back(self, word: Any) -> Any:
        """Return the key of a word."""
        return sycl.bit_cast(self.dtype, word)


@dataclass(eq=False)
class division:
    """How ranks are cut into parts.

    Args:
        rank: what tells the rank of a key.
        kind: the unsigned type of ranks, of 32 or 64 bits.
        ends: memory of the least rank and of the width of all, so that others count as these.
        cells: memory of the shift that makes cells, then a word of each.
        varying: memory of how many low bits ranks of a part differ in at most, of each part;
            less than 0 if that is not known.
        odd: memory of whether there are keys of one rank that differ in bits.
        bits: there are ``1 << bits`` cells, and one for what lies beyond the sample.
        most: how many parts there are at most.
    """

    rank: Any
    kind: Any
    ends: Any
    cells: Any
    varying: Any
    odd: Any
    bits: Any
    most: Any

    def place(self, rank: Any, low: Any, high: Any, shift: Any) -> Any:
        """Return the part of a rank."""
        above = min(max(rank, low) - low, high)
        word = self.cells.load(int(above >> shift) + 1)
        finer = self.kind(word) & self.kind(np.iinfo(self.kind).bits - 1)
        return int(above >> finer) + int(word >> np.int32(SHIFT))

    def shift(self) -> Any:
        """Return the shift that makes cells, less than ranks have bits."""
        return self.kind(self.cells.load(0)) & self.kind(np.iinfo(self.kind).bits - 1)


def cut(items: Any, by: Any, counts: Any, count: Any, samples: Any, size: Any) -> None:
    """Find cells from a sample, in one work-item, so that parts have about ``size`` elements.

    The least rank is rounded down to a cell, so that a part's ranks differ in low bits alone.
    """
    step = max(count // samples, 1)
    low = by.kind(by.rank.of(items.load(0)))
    high = low
    for k in range(samples):
        rank = by.kind(by.rank.of(items.load(sampled(k, step, count))))
        low = min(low, rank)
        high = max(high, rank)
    cells, most = 1 << by.bits, np.iinfo(by.kind).bits
    shift = max(most - int(sycl.clz(high - low)) - by.bits, 0)
    least = low >> by.kind(shift) << by.kind(shift)
    if (high - least) >> by.kind(shift) >= by.kind(cells):
        shift += 1
        least = low >> by.kind(shift) << by.kind(shift)
    beyond = by.kind(np.iinfo(by.kind).max)
    if shift + by.bits < most:
        beyond = by.kind(1) << by.kind(shift + by.bits)
    by.ends.store(0, least)
    by.ends.store(1, beyond)
    for d in range(cells + 1):
        counts[d] = np.int32(0)
    for k in range(samples):
        rank = by.kind(by.rank.of(items.load(sampled(k, step, count))))
        counts[int((rank - least) >> by.kind(shift))] += np.int32(1)
    assign(by, counts, shift, size * samples // count + 1)
    by.odd.store(0, np.uint32(0))


def assign(by: Any, counts: Any, shift: Any, size: Any) -> None:
    """Give each cell its parts, as many as its samples ask for."""
    cells = 1 << by.bits
    by.cells.store(0, np.int32(shift))
    parts = by.most + 1
    while parts > by.most:
        parts = 0
        for d in range(cells):
            finer = 0
            while finer < shift and (size << finer) < int(counts[d]):
                finer += 1
            by.cells.store(d + 1, np.int32(((parts - (d << finer)) << SHIFT) + shift - finer))
            for part in range(parts, min(parts + (1 << finer), by.most)):
                by.varying.store(part, np.int32(shift - finer))
            parts += 1 << finer
        by.cells.store(cells + 1, np.int32(((parts - cells) << SHIFT) + shift))
        parts += 1
        size *= 2
    for part in range(parts - 1, by.most):
        by.varying.store(part, np.int32(-1))
    by.varying.store(0, np.int32(-1))


def count_words(it: Any, items: Any, counts: Any, by: Any, plan: Any) -> None:
    """Count the keys of a chunk for each part, and tell whether there are odd ones."""
    c, chunks, own = it.get_group(0), it.get_group_range(0), plan.noted
    low, high, shift = by.ends.load(0), by.ends.load(1), by.shift()
    for d in range(by.most):
        own[d] = np.uint32(0)
    odd = False
    for k in range(c * plan.part, min((c + 1) * plan.part, plan.count)):
        key = items.load(k)
        odd = odd | by.rank.odd(key)
        own[by.place(by.kind(by.rank.of(key)), low, high, shift)] += np.uint32(1)
    for d in range(by.most):
        counts.store(d * chunks + c, np.int64(own[d]))
    if odd:
        sycl.atomic_ref(by.odd.at, 0).store(np.uint32(1))


@dataclass(eq=False)
class rows:
    """Local memory of a chunk: of each part a line of words, where it goes, where it began.

    ``like`` is a tuple as long as a line has words, ``line`` the vector of a line.
    """

    own: Any
    kind: Any
    line: Any
    like: Any

    def flush(self, row: Any, first: Any, last: Any, target: Any) -> None:
        """Write a part of a line."""
        for j in range(first, last):
            target.store(j, self.own[row + (j & (len(self.like) - 1))])


def distribute_words(it: Any, items: Any, target: Any, counts: Any, by: Any, *of: Any) -> None:
    """Write the word of each key of a chunk to its part, a line at a time.

    ``of`` are a plan with rows, what words are, and whether they are for odd keys.
    """
    plan, code, odd = of
    if by.odd.load(0) == np.uint32(odd):
        c, chunks, own = it.get_group(0), it.get_group_range(0), plan.noted.own
        kind, size = by.kind, len(plan.noted.like)
        width = size + 2
        low, high, shift = by.ends.load(0), by.ends.load(1), by.shift()
        for d in range(by.most):
            begin = kind(counts.load(d * chunks + c))
            own[d * width + size] = begin
            own[d * width + size + 1] = begin
        for k in range(c * plan.part, min((c + 1) * plan.part, plan.count)):
            word = code.word(items.load(k))
            row = by.place(code.of(word), low, high, shift) * width
            at = own[row + size]
            own[row + size] = at + kind(1)
            column = int(at & kind(size - 1))
            own[row + column] = word
            if column == size - 1:
                first, begin = int(at) - (size - 1), int(own[row + size + 1])
                if first >= begin:
                    line = plan.noted.line()
                    line.load(0, sycl.local_ptr(own) + row)
                    line.store(0, sycl.global_ptr(target.at) + first, streaming=True)
                else:
                    plan.noted.flush(row, begin, int(at) + 1, target)
        for d in range(by.most):
            row = d * width
            end, begin = int(own[row + size]), int(own[row + size + 1])
            plan.noted.flush(row, max(end - (end & (size - 1)), begin), end, target)


# ---- part by part
@dataclass(eq=False)
class placed:
    """Local memory that stands for memory from a position on."""

    at: Any
    first: Any

    def load(self, i: Any) -> Any:
        """Return a word."""
        return self.at[i - self.first]

    def store(self, i: Any, value: Any) -> None:
        """Write a word."""
        self.at[i - self.first] = value


@dataclass(eq=False)
class final:
    """The keys' memory, into which words go as keys."""

    target: Any
    code: Any

    def store(self, i: Any, word: Any) -> None:
        """Write a key."""
        self.target.store(i, self.code.back(word))


@dataclass(eq=False)
class bare:
    """The keys' memory as that of words."""

    target: Any
    dtype: Any
    kind: Any

    def load(self, i: Any) -> Any:
        """Return a word."""
        return sycl.bit_cast(self.kind, self.target.load(i))

    def store(self, i: Any, word: Any) -> None:
        """Write a word."""
        self.target.store(i, sycl.bit_cast(self.dtype, word))


@dataclass(eq=False)
class digits:
    """Local memory for counts and for the words of a part, how many these may be, and bits.

    Without such memory for words, which saves code where speed counts less, all parts go by way of
    the keys' memory.
    """

    own: Any
    words: Any
    size: Any
    bits: Any


def sort_words(it: Any, items: Any, target: Any, counts: Any, by: Any, *of: Any) -> None:
    """Sort the words of a part; they end as keys in the target.

    ``of`` are local memory, what words are, how many chunks were counted, and whether they are for
    odd keys.
    """
    with_, code, chunks, odd = of
    if by.odd.load(0) == np.uint32(odd):
        d = it.get_group(0)
        first, last = counts.load(d * chunks), counts.load((d + 1) * chunks)
        bounds, keys = (first, last), final(target, code)
        if with_.words is not None and last - first <= FEW:
            insert(items, placed(with_.words, first), keys, code, bounds)
        elif last > first:
            low, high = 0, int(by.varying.load(d))
            if high < 0:
                varying = differing(items, code, first, last)
                high = 64 - int(sycl.clz(varying))
                low = min(int(sycl.ctz(varying)), high)
            most = min(with_.bits, 11 if last - first > 4096 else 8 if last - first > 512 else 6)
            turns = (high - low + most - 1) // most
            how = (turns, low, (high - low + turns - 1) // max(turns, 1))
            if with_.words is not None and last - first <= with_.size:
                by_turns(items, placed(with_.words, first), keys, with_.own, code, bounds, how)
            else:
                to_and_fro(items, bare(target, code.dtype, by.kind), keys, with_.own, code, bounds,
                           how)


def by_turns(items: Any, other: Any, keys: Any, own: Any, code: Any, *of: Any) -> None:
    """Distribute words by one digit after the other, to and fro, and last as keys."""
    bounds, (turns, low, width) = of
    for turn in range(turns):
        shift = low + turn * width
        there = turn % 2 != 0
        if turn % TOGETHER == 0:
            count_digits(items, own, code, bounds, (shift, width))
        how = (shift, width, (turn % TOGETHER) << width)
        if turn == turns - 1:
            if there:
                one_digit(other, keys, own, code, bounds, how)
            else:
                one_digit(items, keys, own, code, bounds, how)
        elif there:
            one_digit(other, items, own, code, bounds, how)
        else:
            one_digit(items, other, own, code, bounds, how)
    if turns == 0:
        for k in range(bounds[0], bounds[1]):
            keys.store(k, items.load(k))


def insert(items: Any, own: Any, keys: Any, code: Any, bounds: Any) -> None:
    """Sort a few words by putting each where it belongs."""
    first, last = bounds
    for k in range(first, last):
        word = items.load(k)
        rank = code.of(word)
        j = k
        while j > first and rank < code.of(own.load(j - 1)):
            own.store(j, own.load(j - 1))
            j -= 1
        own.store(j, word)
    for k in range(first, last):
        keys.store(k, own.load(k))


def to_and_fro(items: Any, other: Any, keys: Any, own: Any, code: Any, *of: Any) -> None:
    """Do so with a part that is too large for local memory, by way of the keys' memory."""
    bounds, (turns, low, width) = of
    for turn in range(turns):
        shift = low + turn * width
        how = (shift, width, (turn % TOGETHER) << width)
        if turn % 2 == 0:
            if turn % TOGETHER == 0:
                count_digits(items, own, code, bounds, (shift, width))
            one_digit(items, other, own, code, bounds, how)
        else:
            one_digit(other, items, own, code, bounds, how)
    for k in range(bounds[0], bounds[1]):
        keys.store(k, items.load(k) if turns % 2 == 0 else other.load(k))
