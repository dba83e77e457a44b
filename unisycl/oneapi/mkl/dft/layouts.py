"""How the data of a Fourier transform lie in memory: lengths, strides, distances, batches.

Non-goals: computing. Invariant: positions count elements of the side's own type: complex numbers,
or real ones on the forward side of real transforms.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.oneapi.mkl import names


@dataclass(frozen=True)
class Side:
    """One side of a transform: of what shape, from where, how far apart."""

    shape: tuple[int, ...]
    offset: int
    strides: tuple[int, ...]
    distance: int
    count: int

    def need(self) -> int:
        """Return how many elements the memory must have."""
        return self._need

    @functools.cached_property
    def _need(self) -> int:
        last = self.offset + (self.count - 1) * self.distance
        return last + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)) + 1

    def view(self, elements: Any) -> Any:
        """Return an array of all transforms over memory, without a copy."""
        if self._packed:
            return elements[:self.count * volume(self.shape)].reshape(self.count, *self.shape)
        item = elements.itemsize
        return np.lib.stride_tricks.as_strided(
            elements[self.offset:], (self.count, *self.shape),
            (self.distance * item, *(s * item for s in self.strides)))

    def packed(self) -> bool:
        """Say whether nothing lies between the elements, rows behind one another."""
        return self._packed

    @functools.cached_property
    def _packed(self) -> bool:
        return self.strides == dense(self.shape) and self.offset == 0 and (
            self.count == 1 or self.distance == volume(self.shape))

    def nested(self) -> bool:
        """Say whether each stride is a multiple of the next one, and rows fit one another."""
        steps = self.strides
        return steps[-1] > 0 and all(
            a % b == 0 and a >= b * n for a, b, n in zip(
                steps[:-1], steps[1:], self.shape[1:], strict=True))

    def check(self, what: str) -> None:
        """Refuse a layout in which two elements lie in one place."""
        extents = [*zip(self.strides, self.shape, strict=True)]
        if self.count > 1:
            extents.append((self.distance, self.count))
        extents = sorted((abs(s), n) for s, n in extents if n > 1)
        reach = 0
        for step, n in extents:
            if step <= reach:
                raise names.invalid_argument(f"descriptor.commit: {what}: elements overlap in "
                                             f"memory (a step of {step} after {reach + 1} "
                                             "elements)")
            reach += step * (n - 1)


def volume(shape: tuple[int, ...]) -> int:
    """Return how many elements a shape has."""
    found = 1
    for n in shape:
        found *= n
    return found


def dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of rows that lie behind one another."""
    found = [1]
    for n in reversed(shape[1:]):
        found.append(found[-1] * n)
    return tuple(reversed(found))


LARGEST = 97
"""The largest prime factor that passes of small radices are for."""


def smooth(n: int) -> bool:
    """Say whether a length has no larger prime factor."""
    for r in (2, *range(3, LARGEST + 1, 2)):
        while n % r == 0:
            n //= r
    return n == 1
