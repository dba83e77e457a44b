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
from unisycl.oneapi.dpl.kernels.reductions import total_from

__kernel_language__ = True


def inclusive_tile(it: Any, source: Any, target: Any, before: Any, plan: Any) -> None:
    """Write the combinations up to each element of a tile."""
    tile = it.get_group(0)
    inclusive_from(it, source, target, plan, tile * plan.part, plan.kind(before.load(tile)))


def inclusive_from(it: Any, source: Any, target: Any, plan: Any, first: Any, carry: Any) -> None:
    """Write the combinations up to each element of a tile that begins somewhere."""
    group, size, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
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
    tile = it.get_group(0)
    exclusive_from(it, source, target, plan, tile * plan.part, plan.kind(before.load(tile)))


def exclusive_from(it: Any, source: Any, target: Any, plan: Any, first: Any, carry: Any) -> None:
    """Write the combinations before each element of a tile that begins somewhere."""
    group, size, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
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


def tile_in_turn(it: Any, source: Any, target: Any, chain: Any, plan: Any, *of: Any) -> None:
    """Combine a tile while it comes into the cache, and write what is up to each element.

    ``chain`` are memory of what stands behind each tile, and words: how many tiles have begun, and
    for each whether what stands behind it is known. A tile waits only for one that has begun.
    """
    work, start = of
    group = it.get_group()
    tile = np.uint32(0)
    if group.leader():
        tile = sycl.atomic_ref(chain.places.at, 0).fetch_add(np.uint32(1))
    here = int(sycl.group_broadcast(group, tile, 0))
    first = here * plan.part
    total = total_from(it, source, plan, first)
    before = plan.kind(start)
    if group.leader():
        if here > 0:
            known = sycl.atomic_ref(chain.places.at, here, sycl.memory_order.acq_rel,
                                    sycl.memory_scope.device)
            while known.load() == np.uint32(0):
                pass
            before = chain.values.load(here - 1)
        chain.values.store(here, plan.kind(plan.op(before, total)))
        sycl.atomic_ref(chain.places.at, here + 1, sycl.memory_order.acq_rel,
                        sycl.memory_scope.device).store(np.uint32(1))
    work(it, source, target, plan, first, sycl.group_broadcast(group, before, 0))


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
