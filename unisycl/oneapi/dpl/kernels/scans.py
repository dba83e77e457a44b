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


def inclusive_row(group: Any, x: Any, plan: Any, carry: Any, last: Any) -> Any:
    """Return what is up to each element of a row, and up to its last one."""
    found = plan.kind(sycl.inclusive_scan_over_group(group, x, plan.op))
    end = plan.kind(sycl.group_broadcast(group, found, last))
    return plan.kind(plan.op(carry, found)), plan.kind(plan.op(carry, end))


def exclusive_row(group: Any, x: Any, plan: Any, carry: Any, last: Any) -> Any:
    """Return what is before each element of a row, and up to its last one."""
    found = plan.kind(sycl.exclusive_scan_over_group(group, x, plan.op))
    end = plan.kind(sycl.group_broadcast(group, plan.kind(plan.op(found, x)), last))
    return plan.kind(plan.op(carry, found)), plan.kind(plan.op(carry, end))


def tile_of_rows(it: Any, source: Any, target: Any, before: Any, plan: Any, row: Any) -> None:
    """Write the combinations of each element of a tile, a row of the group's width at a time."""
    group, size, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    tile = it.get_group(0)
    first, carry = tile * plan.part, plan.kind(before.load(tile))
    if first + plan.part <= plan.count:
        for turn in range(plan.part // size):
            k = first + turn * size + mine
            found, carry = row(group, plan.kind(source.load(k)), plan, carry, size - 1)
            target.store(k, found)
    else:
        rest_of_rows(it, source, target, plan, first, carry, row)


def rest_of_rows(it: Any, source: Any, target: Any, plan: Any, *of: Any) -> None:
    """Write those of a tile that may end anywhere; ``of`` are its begin, a carry, and rows."""
    first, carry, row = of
    group, size, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    for turn in range((plan.count - first + size - 1) // size):
        k = first + turn * size + mine
        x = plan.identity
        if k < plan.count:
            x = plan.kind(source.load(k))
        found, carry = row(group, x, plan, carry, size - 1)
        if k < plan.count:
            target.store(k, found)


@sycl.kernel(reqd_sub_group_size=16)
def tiles_in_turn(it: Any, source: Any, target: Any, chain: Any, plan: Any, *of: Any) -> None:
    """Write the combinations of each element, tile after tile, the next one read meanwhile.

    A group combines the tile that it takes next while it writes one, so that memory is read and
    written at once. ``chain`` are memory of what stands behind each tile, and words: how many tiles
    have begun, and for each whether what stands behind it is known.
    """
    row, start = of
    group, size, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    whole = plan.count // plan.part
    here = claimed(group, chain)
    total = plan.identity
    if here * plan.part < plan.count:
        total = total_from(it, source, plan, here * plan.part)
    while here * plan.part < plan.count:
        after = claimed(group, chain)
        carry = before_tile(it, source, chain, plan, here, start)
        tell(group, chain, here + 1, plan.kind(plan.op(carry, total)))
        first = here * plan.part
        if here < whole:
            ahead = (after if after < whole else here) * plan.part
            so_far = plan.identity
            for turn in range(plan.part // size):
                k = turn * size + mine
                so_far = plan.kind(plan.op(so_far, plan.kind(source.load(ahead + k))))
                found, carry = row(group, plan.kind(source.load(first + k)), plan, carry, size - 1)
                target.store(first + k, found)
            total = plan.kind(sycl.reduce_over_group(group, so_far, plan.op))
        else:
            rest_of_rows(it, source, target, plan, first, carry, row)
        here = after


def claimed(group: Any, chain: Any) -> Any:
    """Return the number of the next tile, to all work-items of a group."""
    tile = np.uint32(0)
    if group.leader():
        tile = sycl.atomic_ref(chain.places.at, 0).fetch_add(np.uint32(1))
    return int(sycl.group_broadcast(group, tile, 0))


PATIENCE = 2000
"""How often a group looks whether a tile was told, before it combines that tile itself."""


def known(chain: Any, tile: Any) -> Any:
    """Say whether what stands before a tile was told."""
    return sycl.atomic_ref(chain.places.at, tile, sycl.memory_order.acq_rel,
                           sycl.memory_scope.device).load() != np.uint32(0)


def before_tile(it: Any, source: Any, chain: Any, plan: Any, *of: Any) -> Any:
    """Return what stands before a tile; ``of`` are its number and what stands before all.

    Who works on a tile before it may have been stopped, so nobody is waited for forever: the group
    combines such tiles itself, in the same order. A tile may be written in place once what stands
    behind it was told, so that is asked for again.
    """
    here, start = of
    group = it.get_group()
    begin, turns = np.int64(here), 0
    if group.leader() and here > 0:
        while turns < PATIENCE and not known(chain, here):
            turns += 1
        while begin > 0 and not known(chain, int(begin)):
            begin -= np.int64(1)
    first = int(sycl.group_broadcast(group, begin, 0))
    before = plan.kind(start)
    if first > 0:
        before = plan.kind(chain.values.load(first - 1))
    for tile in range(first, here):
        total = total_from(it, source, plan, tile * plan.part)
        sycl.atomic_fence(sycl.memory_order.acq_rel, sycl.memory_scope.device)
        before = plan.kind(plan.op(before, total))
        if sycl.group_broadcast(group, known(chain, tile + 1), 0):
            before = plan.kind(chain.values.load(tile))
    return before


def tell(group: Any, chain: Any, tile: Any, value: Any) -> None:
    """Tell what stands before a tile."""
    if group.leader():
        chain.values.store(tile - 1, value)
        sycl.atomic_ref(chain.places.at, tile, sycl.memory_order.acq_rel,
                        sycl.memory_scope.device).store(np.uint32(1))


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
