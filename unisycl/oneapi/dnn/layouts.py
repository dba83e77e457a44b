"""Where a tensor's elements lie: strides of the outer dimensions, and blocks within.

Non-goals: types. Invariant: the place of an element is a sum of one number for each dimension, so
a table of these numbers says any layout.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.oneapi.dnn.tags import Tag


@dataclass(frozen=True)
class Layout:
    """A layout of elements.

    Args:
        dims: the sizes.
        padded: the sizes in memory.
        strides: of steps of one block, or of one element where a dimension has no blocks.
        blocks: pairs of a dimension and a size, from the outermost.
        offset: where the first element lies.
    """

    dims: tuple[int, ...]
    padded: tuple[int, ...]
    strides: tuple[int, ...]
    blocks: tuple[tuple[int, int], ...] = ()
    offset: int = 0

    def volume(self) -> int:
        """Return how many elements there are."""
        return math.prod(self.dims)

    def block(self, dim: int) -> int:
        """Return how many elements of a dimension its blocks hold."""
        return math.prod(n for d, n in self.blocks if d == dim)

    def extent(self) -> int:
        """Return how many elements of memory it takes, from the very first one on."""
        if not self.volume():
            return 0
        inner = math.prod(n for _, n in self.blocks)
        return self.offset + inner + sum(
            (p // self.block(k) - 1) * s
            for k, (p, s) in enumerate(zip(self.padded, self.strides, strict=True)))

    def is_plain(self) -> bool:
        """Say whether there are no blocks."""
        return not self.blocks

    def is_dense(self) -> bool:
        """Say whether elements lie row by row without gaps, from the first on."""
        return self.is_plain() and not self.offset and all(
            n == 1 or s == t for n, s, t in
            zip(self.dims, self.strides, dense(self.dims).strides, strict=True))

    def table(self) -> tuple[Any, tuple[int, ...]]:
        """Return for each position in each dimension where it leads, and where dimensions begin."""
        parts, starts, at = [], [], 0
        for k, n in enumerate(self.dims):
            place, step = np.arange(n), 1
            found = np.zeros(n, np.int64)
            for d, size in reversed(self.blocks):
                if d == k:
                    found += place % size * step
                    place = place // size
                step *= size
            parts.append(found + place * self.strides[k])
            starts.append(at)
            at += n
        return np.concatenate(parts) if parts else np.zeros(1, np.int64), tuple(starts)


def dense(dims: tuple[int, ...]) -> Layout:
    """Return the layout row by row."""
    strides, step = [1] * len(dims), 1
    for k in reversed(range(len(dims))):
        strides[k] = step
        step *= max(dims[k], 1)
    return Layout(dims, dims, tuple(strides))


def of_tag(dims: tuple[int, ...], tag: Tag) -> Layout:
    """Return the layout that a tag gives tensors of some sizes."""
    blocks = tag.blocks
    held = [math.prod(n for d, n in blocks if d == k) for k in range(len(dims))]
    padded = tuple(-(-n // b) * b for n, b in zip(dims, held, strict=True))
    strides, step = [0] * len(dims), math.prod(n for _, n in blocks)
    for k in reversed(tag.order):
        strides[k] = step
        step *= max(padded[k] // held[k], 1)
    return Layout(dims, padded, tuple(strides), blocks)
