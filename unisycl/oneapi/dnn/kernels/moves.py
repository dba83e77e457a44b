"""Kernels that bring elements from one layout and type to another.

Written in the kernel language. A place says where element ``e``, counted row by row, lies.
Invariant: whole numbers are rounded to the nearest even and kept within their type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import unisycl as sycl

__kernel_language__ = True


@dataclass(eq=False)
class straight:
    """Elements row by row, from one on."""

    first: Any

    def at(self, e: Any) -> Any:
        """Return where an element lies."""
        return self.first + e


@dataclass(eq=False)
class repeated:
    """Elements of which each stands for ``inner`` neighbours, and ``count`` of them for a round."""

    inner: Any
    count: Any

    def at(self, e: Any) -> Any:
        """Return where an element lies."""
        return e // self.inner % self.count


@dataclass(eq=False)
class strided:
    """Elements of up to six dimensions, by strides."""

    first: Any
    d1: Any
    d2: Any
    d3: Any
    d4: Any
    d5: Any
    s0: Any
    s1: Any
    s2: Any
    s3: Any
    s4: Any
    s5: Any

    def at(self, e: Any) -> Any:
        """Return where an element lies."""
        found = self.first + e % self.d5 * self.s5
        rest = e // self.d5
        found += rest % self.d4 * self.s4
        rest = rest // self.d4
        found += rest % self.d3 * self.s3
        rest = rest // self.d3
        found += rest % self.d2 * self.s2
        rest = rest // self.d2
        found += rest % self.d1 * self.s1
        return found + rest // self.d1 * self.s0


@dataclass(eq=False)
class tabled:
    """Elements of up to six dimensions, each position by a table."""

    table: Any
    first: Any
    d1: Any
    d2: Any
    d3: Any
    d4: Any
    d5: Any
    s0: Any
    s1: Any
    s2: Any
    s3: Any
    s4: Any
    s5: Any

    def at(self, e: Any) -> Any:
        """Return where an element lies."""
        found = self.first + self.table.load(self.s5 + e % self.d5)
        rest = e // self.d5
        found += self.table.load(self.s4 + rest % self.d4)
        rest = rest // self.d4
        found += self.table.load(self.s3 + rest % self.d3)
        rest = rest // self.d3
        found += self.table.load(self.s2 + rest % self.d2)
        rest = rest // self.d2
        found += self.table.load(self.s1 + rest % self.d1)
        return found + self.table.load(self.s0 + rest // self.d1)


def widen(e: Any, source: Any, place: Any, kind: Any, target: Any) -> None:
    """Bring an element to the type that is computed in."""
    target.store(e, kind(source.load(place.at(e))))


def narrow(e: Any, source: Any, target: Any, place: Any, kind: Any) -> None:
    """Store a float."""
    target.store(place.at(e), kind(source.load(e)))


def to_integer(e: Any, source: Any, target: Any, place: Any, limits: Any) -> None:
    """Store a float as a whole number."""
    x = sycl.rint(source.load(e))
    target.store(place.at(e), limits.kind(sycl.fmin(sycl.fmax(x, limits.low), limits.high)))


@dataclass(eq=False)
class limits:
    """A type of whole numbers, and the floats within it."""

    kind: Any
    low: Any
    high: Any


def fill(e: Any, source: Any, target: Any, place: Any, kind: Any) -> None:
    """Write one value everywhere."""
    target.store(place.at(e), kind(source.load(0)))
