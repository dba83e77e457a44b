"""Kernels over segments: runs of neighbours with equal keys.

Written in the kernel language. A work-item goes through a chunk in order; a segment is written by
the chunk in which it ends. Non-goals: what a key is. Invariant: values of a segment are combined in
their order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__kernel_language__ = True


def summary(it: Any, heads: Any, values: Any, tails: Any, counts: Any, plan: Any) -> None:
    """Count the segments that begin in a chunk, and combine its last values of one segment."""
    first = it.get_group(0) * plan.part
    begun = np.int64(0)
    total = plan.kind(values.load(first))
    if heads.load(first):
        begun += np.int64(1)
    for k in range(first + 1, min(first + plan.part, plan.count)):
        x = plan.kind(values.load(k))
        if heads.load(k):
            begun += np.int64(1)
            total = x
        else:
            total = plan.kind(plan.op(total, x))
    tails.store(it.get_group(0), total)
    counts.store(it.get_group(0), begun)


def carry(tails: Any, counts: Any, parts: Any, op: Any, kind: Any) -> None:
    """Replace tails by what enters each chunk, and counts by the segments begun before it."""
    at = np.int64(0)
    total = tails.load(0)
    for k in range(parts):
        tail, begun = tails.load(k), counts.load(k)
        tails.store(k, total)
        counts.store(k, at)
        total = tail if begun > 0 or k == 0 else kind(op(total, tail))
        at += begun
    counts.store(parts, at)


def reduced(it: Any, heads: Any, data: Any, target: Any, before: Any, plan: Any) -> None:
    """Write the key of each segment that begins in a chunk, the total of each that ends there."""
    c = it.get_group(0)
    first = c * plan.part
    last = min(first + plan.part, plan.count)
    segment = before.places.load(c) - 1
    total = before.values.load(c)
    for k in range(first, last):
        x = plan.kind(data.b.load(k))
        if heads.load(k):
            if k > 0:
                target.b.store(segment, total)
            segment += 1
            target.a.store(segment, data.a.load(k))
            total = x
        else:
            total = plan.kind(plan.op(total, x))
    if last == plan.count:
        target.b.store(segment, total)


def inclusive(it: Any, heads: Any, values: Any, target: Any, before: Any, plan: Any) -> None:
    """Write the combinations of the values of a segment up to each one."""
    c = it.get_group(0)
    first = c * plan.part
    total = before.values.load(c)
    for k in range(first, min(first + plan.part, plan.count)):
        x = plan.kind(values.load(k))
        total = x if heads.load(k) else plan.kind(plan.op(total, x))
        target.store(k, total)


def exclusive(it: Any, heads: Any, values: Any, target: Any, before: Any, plan: Any) -> None:
    """Write the combinations of the values of a segment before each one, from a start on."""
    c = it.get_group(0)
    first = c * plan.part
    start = plan.identity
    total = plan.kind(plan.op(start, before.values.load(c)))
    for k in range(first, min(first + plan.part, plan.count)):
        x = plan.kind(values.load(k))
        if heads.load(k):
            total = start
        target.store(k, total)
        total = plan.kind(plan.op(total, x))
