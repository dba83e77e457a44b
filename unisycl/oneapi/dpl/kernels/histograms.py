"""Kernels that count elements by bins: each chunk for itself, then all together.

Written in the kernel language. Non-goals: what a bin is; ``place`` of an object says so. Invariant:
nothing is atomic, so counts are exact and memory is as large as chunks times bins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.oneapi.dpl.kernels.merging import upper

__kernel_language__ = True


@dataclass(eq=False)
class shifted_bins:
    """Bins of whole numbers that are a power of two wide."""

    low: Any
    high: Any
    shift: Any

    def place(self, x: Any, bins: Any) -> Any:
        """Return the bin of a number; one beyond the last if it is in none."""
        inside = self.low <= x and x < self.high
        return int((np.int64(x) - self.low) >> self.shift) if inside else bins


@dataclass(eq=False)
class whole_bins:
    """Bins of whole numbers, of one width but for rounding."""

    low: Any
    high: Any

    def place(self, x: Any, bins: Any) -> Any:
        """Return the bin of a number; one beyond the last if it is in none."""
        inside = self.low <= x and x < self.high
        return int((np.int64(x) - self.low) * bins // (self.high - self.low)) if inside else bins


@dataclass(eq=False)
class even_bins:
    """Bins of floats, of one width: the distance to the lowest, times a scale, cut."""

    low: Any
    high: Any
    scale: Any

    def place(self, x: Any, bins: Any) -> Any:
        """Return the bin of a number; one beyond the last if it is in none, as NaN is."""
        inside = self.low <= x and x < self.high
        return min(int((x - self.low) * self.scale), bins - 1) if inside else bins


@dataclass(eq=False)
class bins_between:
    """Bins between limits that are sorted; each has its lower limit in it."""

    limits: Any

    def place(self, x: Any, bins: Any) -> Any:
        """Return the bin of a number; one beyond the last if it is in none, as NaN is."""
        at = upper(self.limits, bins + 1, x, less) - 1
        inside = at >= 0 and x == x
        return min(at, bins) if inside else bins


def less(a: Any, b: Any) -> Any:
    """Say whether a number is less than another."""
    return a < b


def count_chunk(it: Any, source: Any, rule: Any, partial: Any, bins: Any, plan: Any) -> None:
    """Count the elements of a chunk; those in no bin are counted behind the last."""
    c = it.get_group(0)
    row = c * (bins + 1)
    for b in range(bins + 1):
        partial.store(row + b, np.int64(0))
    for k in range(c * plan.part, min((c + 1) * plan.part, plan.count)):
        at = row + rule.place(source.load(k), bins)
        partial.store(at, partial.load(at) + np.int64(1))


def join(k: Any, partial: Any, target: Any, bins: Any, parts: Any) -> None:
    """Add up the counts of a bin."""
    total = np.int64(0)
    for c in range(parts):
        total += partial.load(c * (bins + 1) + k)
    target.store(k, total)
