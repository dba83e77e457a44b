"""Kernels of running combinations: totals of parts, what stands before each part, the parts again.

Written in the kernel language. ``..._tile`` kernels have operators with an identity and scan by
work-groups; ``..._chunk`` kernels have any operator, and one work-item goes through a chunk in
order. Non-goals: what is scanned. Invariant: an element is read before it is written, by the same
work-item, so a scan may be in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True


def inclusive_tile(it: Any, source: Any, target: Any, before: Any, plan: Any) -> None:
    """Write the combinations up to each element of a tile."""
    group, size, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    first = it.get_group(0) * plan.part
    carry = plan.kind(before.load(it.get_group(0)))
    if first + plan.part <= plan.count:
        for turn in range(plan.part // size):
            k = first + turn * size + mine
            x = plan.kind(source.load(k))
            found = plan.kind(sycl.inclusive_scan_over_group(group, x, plan.op, carry))
            target.store(k, found)
            carry = sycl.group_broadcast(group, found, size - 1)
    else:
        for turn in range((plan.count - first + size - 1) // size):
            k = first + turn * size + mine
            x = plan.identity
            if k < plan.count:
                x = plan.kind(source.load(k))
            found = plan.kind(sycl.inclusive_scan_over_group(group, x, plan.op, carry))
            if k < plan.count:
                target.store(k, found)
            carry = sycl.group_broadcast(group, found, size - 1)


def exclusive_tile(it: Any, source: Any, target: Any, before: Any, plan: Any) -> None:
    """Write the combinations before each element of a tile."""
    group, size, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    first = it.get_group(0) * plan.part
    carry = plan.kind(before.load(it.get_group(0)))
    if first + plan.part <= plan.count:
        for turn in range(plan.part // size):
            k = first + turn * size + mine
            x = plan.kind(source.load(k))
            found = plan.kind(sycl.exclusive_scan_over_group(group, x, carry, plan.op))
            target.store(k, found)
            carry = sycl.group_broadcast(group, plan.kind(plan.op(found, x)), size - 1)
    else:
        for turn in range((plan.count - first + size - 1) // size):
            k = first + turn * size + mine
            x = plan.identity
            if k < plan.count:
                x = plan.kind(source.load(k))
            found = plan.kind(sycl.exclusive_scan_over_group(group, x, carry, plan.op))
            if k < plan.count:
                target.store(k, found)
            carry = sycl.group_broadcast(group, plan.kind(plan.op(found, x)), size - 1)


def before_parts(totals: Any, count: Any, op: Any, kind: Any, start: Any) -> None:
    """Replace the total of each part by what stands before it, beginning with a start."""
    carry = start
    for k in range(count):
        total = totals.load(k)
        totals.store(k, carry)
        carry = kind(op(carry, total))


def before_all(counts: Any, count: Any) -> None:
    """Replace each count by the sum of those before it; that of all stands behind the last."""
    at = np.int64(0)
    for k in range(count):
        found = counts.load(k)
        counts.store(k, at)
        at += found
    counts.store(count, at)


def before_chunks(totals: Any, count: Any, op: Any, kind: Any) -> None:
    """Replace the total of each part by what stands before it; nothing before the first."""
    carry = totals.load(0)
    for k in range(1, count):
        total = totals.load(k)
        totals.store(k, carry)
        carry = kind(op(carry, total))


def total_of_chunk(it: Any, source: Any, totals: Any, plan: Any) -> None:
    """Combine a chunk in order."""
    first = it.get_group(0) * plan.part
    total = plan.kind(source.load(first))
    for k in range(first + 1, min(first + plan.part, plan.count)):
        total = plan.kind(plan.op(total, plan.kind(source.load(k))))
    totals.store(it.get_group(0), total)


def inclusive_chunk(it: Any, source: Any, target: Any, before: Any, plan: Any) -> None:
    """Write the combinations up to each element of a chunk."""
    first = it.get_group(0) * plan.part
    carry = plan.kind(source.load(first))
    if it.get_group(0) > 0:
        carry = plan.kind(plan.op(before.load(it.get_group(0)), carry))
    target.store(first, carry)
    for k in range(first + 1, min(first + plan.part, plan.count)):
        carry = plan.kind(plan.op(carry, plan.kind(source.load(k))))
        target.store(k, carry)


def started_chunk(it: Any, source: Any, target: Any, before: Any, plan: Any) -> None:
    """Write the combinations up to each element of a chunk, where there is a start."""
    first = it.get_group(0) * plan.part
    carry = before.load(it.get_group(0))
    for k in range(first, min(first + plan.part, plan.count)):
        carry = plan.kind(plan.op(carry, plan.kind(source.load(k))))
        target.store(k, carry)


def exclusive_chunk(it: Any, source: Any, target: Any, before: Any, plan: Any) -> None:
    """Write the combinations before each element of a chunk."""
    first = it.get_group(0) * plan.part
    carry = before.load(it.get_group(0))
    for k in range(first, min(first + plan.part, plan.count)):
        x = plan.kind(source.load(k))
        target.store(k, carry)
        carry = plan.kind(plan.op(carry, x))
