"""Kernels that keep some of the elements, in their order.

Written in the kernel language. A work-item goes through a chunk in blocks: the positions of what is
kept are noted without a branch, then the elements are moved. Non-goals: what is kept; flags say so.
Invariant: a flag is asked for twice and must say the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__kernel_language__ = True
BLOCK = 1 << 10


@dataclass(eq=False)
class heads:
    """Flags of the elements that differ from the one before them."""

    base: Any
    same: Any

    def load(self, i: Any) -> Any:
        """Say whether element ``i`` begins a run of equal ones."""
        return i == 0 or not self.same(self.base.load(max(i - 1, 0)), self.base.load(i))


def count_kept(it: Any, flags: Any, counts: Any, plan: Any) -> None:
    """Count the flags of a chunk."""
    first = it.get_group(0) * plan.part
    kept = np.int64(0)
    for k in range(first, min(first + plan.part, plan.count)):
        kept += np.int64(1) if flags.load(k) else np.int64(0)
    counts.store(it.get_group(0), kept)


def keep(it: Any, flags: Any, source: Any, target: Any, counts: Any, plan: Any) -> None:
    """Write the elements of a chunk that are kept."""
    first = it.get_group(0) * plan.part
    last = min(first + plan.part, plan.count)
    at = counts.load(it.get_group(0))
    for block in range(first, last, BLOCK):
        kept = np.int32(0)
        for k in range(block, min(block + BLOCK, last)):
            plan.noted[kept] = np.int32(k - block)
            kept += np.int32(1) if flags.load(k) else np.int32(0)
        for j in range(kept):
            target.store(at + j, source.load(block + int(plan.noted[j])))
        at += kept


def divide(it: Any, flags: Any, source: Any, targets: Any, counts: Any, plan: Any) -> None:
    """Write the elements of a chunk that are kept to one place, and the others to another."""
    first = it.get_group(0) * plan.part
    last = min(first + plan.part, plan.count)
    at = counts.load(it.get_group(0))
    rest_at = first - at
    for block in range(first, last, BLOCK):
        kept = np.int32(0)
        rest = np.int32(0)
        for k in range(block, min(block + BLOCK, last)):
            flag = np.int32(1) if flags.load(k) else np.int32(0)
            plan.noted[kept] = np.int32(k - block)
            plan.others[rest] = np.int32(k - block)
            kept += flag
            rest += np.int32(1) - flag
        for j in range(kept):
            targets.a.store(at + j, source.load(block + int(plan.noted[j])))
        for j in range(rest):
            targets.b.store(rest_at + j, source.load(block + int(plan.others[j])))
        at += kept
        rest_at += rest


def copy_counted(k: Any, source: Any, target: Any, counts: Any, which: Any) -> None:
    """Copy an element if it is among as many as a count says."""
    if k < counts.load(which):
        target.store(k, source.load(k))


def join(k: Any, kept: Any, rest: Any, target: Any, counts: Any, which: Any) -> None:
    """Copy an element of those that were kept, or behind them of the others."""
    n = counts.load(which)
    if k < n:
        target.store(k, kept.load(k))
    else:
        target.store(k, rest.load(k - n))
