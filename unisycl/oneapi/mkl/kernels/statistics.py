"""Kernels of summary statistics: sums and extremes of each dimension, in parts.

Written in the kernel language. Non-goals: what is made of sums. Invariant: parts depend on sizes
alone and are added in order, so results are the same in every run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__kernel_language__ = True


@dataclass(eq=False)
class data:
    """Observations: of dimension d, number k lies ``d * down + k * along`` behind the first."""

    at: Any
    down: Any
    along: Any
    count: Any
    part: Any
    parts: Any

    def get(self, d: Any, k: Any) -> Any:
        """Return an observation."""
        return self.at.load(d * self.down + k * self.along)


def powers(e: Any, x: Any, means: Any, power: Any, wide: Any, out: Any) -> None:
    """Add up powers of what a part's observations differ from the mean of their dimension.

    Differences and sums are of the type ``wide``.
    """
    d, p = e // x.parts, e % x.parts
    mean = means.load(d)
    total = wide(0)
    last = min((p + 1) * x.part, x.count)
    for k in range(p * x.part, last):
        term = wide(x.get(d, k)) - mean
        factor = term
        for _ in range(power - 1):
            term = term * factor
        total += term
    out.store(e, total)


def extremes(e: Any, x: Any, least: Any, most: Any) -> None:
    """Find the least and the greatest observation of a part; NaN stay."""
    d, p = e // x.parts, e % x.parts
    low = x.get(d, p * x.part)
    high = low
    last = min((p + 1) * x.part, x.count)
    for k in range(p * x.part, last):
        v = x.get(d, k)
        if v < low or v != v:
            low = v
        if v > high or v != v:
            high = v
    least.store(e, low)
    most.store(e, high)


def joined(d: Any, parts: Any, source: Any, scale: Any, kind: Any, out: Any) -> None:
    """Add up the parts of a dimension, and scale; the result is of the type ``kind``."""
    total = source.load(d * parts)
    for p in range(1, parts):
        total += source.load(d * parts + p)
    out.store(d, kind(total * scale))


def least_of(d: Any, parts: Any, source: Any, out: Any) -> None:
    """Find the least of a dimension's parts."""
    found = source.load(d * parts)
    for p in range(1, parts):
        v = source.load(d * parts + p)
        if v < found or v != v:
            found = v
    out.store(d, found)


def greatest_of(d: Any, parts: Any, source: Any, out: Any) -> None:
    """Find the greatest of a dimension's parts."""
    found = source.load(d * parts)
    for p in range(1, parts):
        v = source.load(d * parts + p)
        if v > found or v != v:
            found = v
    out.store(d, found)


def ratio(d: Any, upper: Any, lower: Any, which: Any, kind: Any, out: Any) -> None:
    """Make skewness (1), kurtosis (2) or variation (0) of moments."""
    a, b = upper.load(d), lower.load(d)
    if which == 1:
        out.store(d, kind(a / (b * b**0.5)))
    elif which == 2:
        out.store(d, kind(a / (b * b) - 3))
    else:
        out.store(d, kind(b**0.5 / a))


def column(k: Any, x: Any, d: Any, out: Any) -> None:
    """Bring an observation of one dimension where they follow one another."""
    out.store(k, x.get(d, k))


def keep(i: Any, source: Any, out: Any) -> None:
    """Write what the host found."""
    out.store(i, source.load(i))
