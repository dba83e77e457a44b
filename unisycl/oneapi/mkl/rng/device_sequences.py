"""The engines ``mt19937`` and ``sobol`` inside kernels.

Written in the kernel language. A twister keeps its 624 words in the work-item's private memory and
computes one more with each number; Sobol's points are a table's words, so their engine is a
position. Non-goals: seeds that are lists, scrambled points. Invariant: numbers are those of the
engines of the same name over memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.mkl.rng.directions import DIMENSIONS, directions
from unisycl.oneapi.mkl.rng.sequence_kernels import MIDDLE, STATE, tempered_word

__kernel_language__ = True
_BITS = 32
_DIRECTIONS = tuple(v for d in range(len(DIMENSIONS) + 1) for v in directions(d))
"""The directions of all dimensions, one dimension after the other."""


@dataclass(eq=False)
class _mt19937:
    """The last 624 words, and which of them is the oldest."""

    words: Any
    at: Any
    bits = 32
    modulus = 1 << 32

    def step(self) -> Any:
        """Replace the oldest word by the next one, and return it."""
        here = self.at
        follows = here + np.int32(1) if here < np.int32(STATE - 1) else np.int32(0)
        middle = here + np.int32(MIDDLE)
        if middle >= np.int32(STATE):
            middle -= np.int32(STATE)
        low = self.words[follows]
        y = (self.words[here] & np.uint32(0x80000000)) | (low & np.uint32(0x7FFFFFFF))
        odd = np.uint32(0x9908B0DF) if low & np.uint32(1) != 0 else np.uint32(0)
        found = self.words[middle] ^ (y >> np.uint32(1)) ^ odd
        self.words[here] = found
        self.at = follows
        return found

    def next(self) -> Any:
        """Return the next number of 32 bits."""
        return tempered_word(self.step())

    def skip(self, count: Any) -> None:
        """Go on by so many numbers, each of which is computed."""
        for _ in range(count):
            self.step()


def mt19937(seed: Any, offset: Any = 0) -> Any:
    """Return an engine at a place of the stream of ``rng.mt19937(queue, seed)``.

    It takes 2.5 KB of the work-item's private memory and computes all numbers before the place.
    """
    words = sycl.private_array(np.uint32, STATE)
    word = np.uint32(seed)
    words[0] = word
    for k in range(1, STATE):
        word = np.uint32(1812433253) * (word ^ (word >> np.uint32(30))) + np.uint32(k)
        words[k] = word
    engine = _mt19937(words, np.int32(0))
    engine.skip(offset)
    return engine


@dataclass(eq=False)
class _sobol:
    """The next coordinate: which point's it is, and in which dimension."""

    dimensions: Any
    point: Any
    dimension: Any
    bits = 32
    modulus = 1 << 32

    def next(self) -> Any:
        """Return the next coordinate, of 32 bits."""
        code = self.point ^ (self.point >> np.uint32(1))
        at, found = self.dimension * np.int32(_BITS), np.uint32(0)
        while code != np.uint32(0):
            mask = np.uint32(0) - (code & np.uint32(1))
            found = found ^ (np.uint32(_DIRECTIONS[at]) & mask)
            code, at = code >> np.uint32(1), at + np.int32(1)
        last = self.dimension + np.int32(1) == self.dimensions
        self.point = self.point + (np.uint32(1) if last else np.uint32(0))
        self.dimension = np.int32(0) if last else self.dimension + np.int32(1)
        return found

    def skip(self, count: Any) -> None:
        """Go on by so many coordinates."""
        many = np.uint64(self.dimensions)
        ahead = np.uint64(count) + np.uint64(self.dimension)
        self.point = self.point + np.uint32(ahead // many)
        self.dimension = np.int32(ahead % many)


def sobol(dimensions: Any, offset: Any = 0) -> Any:
    """Return an engine at a coordinate of ``rng.sobol(queue, dimensions)``, of 1 to 40 dimensions.

    Point ``k`` begins at ``k * dimensions``; there are 2**32 points, after which they come again.
    """
    engine = _sobol(np.int32(dimensions), np.uint32(0), np.int32(0))
    engine.skip(offset)
    return engine
