"""Engines and distributions inside kernels: ``generate(distribution, engine)`` returns a number.

Written in the kernel language. A work-item makes an engine of its own, mostly of one seed and an
offset that is far from those of others. Numbers are those of the engines of the same name over
memory. Non-goals: seeds that are lists. Invariant: an engine's state is the work-item's own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.oneapi.mkl.rng import kernels

__kernel_language__ = True


@dataclass(eq=False)
class _philox:
    """A key, the next number's place in the stream, and the words around it."""

    key: Any
    at: Any
    w0: Any
    w1: Any
    w2: Any
    w3: Any
    bits = 32

    def next(self) -> Any:
        """Return the next number of 32 bits."""
        j = self.at & np.uint64(3)
        low, high = self.w1 if j == 1 else self.w0, self.w3 if j == 3 else self.w2
        self.at = self.at + np.uint64(1)
        if j == 3:
            self.w0, self.w1, self.w2, self.w3 = kernels.philox(
                self.key, self.at >> np.uint64(2), np.uint64(0))
        return high if j > 1 else low


def philox4x32x10(seed: Any, offset: Any = 0) -> Any:
    """Return an engine at a place of the stream of ``rng.philox4x32x10(queue, seed)``."""
    key, at = np.uint64(seed), np.uint64(offset)
    w = kernels.philox(key, at >> np.uint64(2), np.uint64(0))
    return _philox(key, at, w[0], w[1], w[2], w[3])


@dataclass(eq=False)
class _mcg59:
    """The next number."""

    x: Any
    bits = 59

    def next(self) -> Any:
        """Return the next number of 59 bits."""
        found = self.x
        self.x = (found * np.uint64(302875106592253)) & np.uint64((1 << 59) - 1)
        return found


def mcg59(seed: Any, offset: Any = 0) -> Any:
    """Return an engine at a place of the stream of ``rng.mcg59(queue, seed)``."""
    every = np.uint64((1 << 59) - 1)
    x = np.uint64(seed) & every
    if x == np.uint64(0):
        x = np.uint64(1)
    left, power = np.uint64(offset), np.uint64(302875106592253)
    while left > np.uint64(0):
        if left & np.uint64(1) != 0:
            x = (x * power) & every
        power = (power * power) & every
        left = left >> np.uint64(1)
    return _mcg59(x)


@dataclass(eq=False)
class uniform:
    """Uniform numbers from ``a`` on, of the type of the bounds."""

    a: Any
    b: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        kind = self.a.dtype.type
        word = engine.next()
        if kind is np.float32:
            return kernels.in_float(self.a, self.b - self.a, word.dtype.type(
                engine.bits - 24)).of(word)
        drop = max(engine.bits - 53, 0)
        return kernels.in_double(self.a, self.b - self.a, word.dtype.type(drop), kind(
            2.0 ** (drop - engine.bits))).of(word)


@dataclass(eq=False)
class gaussian:
    """Normal numbers, the first of each two that Box's and Muller's method makes."""

    mean: Any
    stddev: Any

    def of(self, engine: Any) -> Any:
        """Return a number."""
        return self.both(engine)[0]

    def both(self, engine: Any) -> Any:
        """Return two numbers."""
        kind = self.mean.dtype.type
        first, second = engine.next(), engine.next()
        drop = max(engine.bits - 53, 0)
        if kind is np.float32:
            unit = kernels.in_float(kind(0), kind(1), first.dtype.type(engine.bits - 24))
            return kernels.normal(unit, self.mean, self.stddev, kind).of_two(first, second)
        wide = kernels.in_double(kind(0), kind(1), first.dtype.type(drop),
                                 kind(2.0 ** (drop - engine.bits)))
        return kernels.normal(wide, self.mean, self.stddev, kind).of_two(first, second)


@dataclass(eq=False)
class bits:
    """The engine's own numbers."""

    def of(self, engine: Any) -> Any:
        """Return a number."""
        return engine.next()


def generate(distribution: Any, engine: Any) -> Any:
    """Return a number of a distribution; the engine goes on."""
    return distribution.of(engine)


def skip_ahead(engine: Any, count: Any) -> None:
    """Go on by so many numbers, one by one."""
    for _ in range(count):
        engine.next()
