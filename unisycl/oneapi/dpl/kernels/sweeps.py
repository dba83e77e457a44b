"""Kernels of one pass: each tile is read once, while it waits for what stands before it.

Written in the kernel language. Tiles are read and written side by side, and turned round in local
memory, where a work-item has neighbours. Non-goals: devices that promise no progress (``scans``,
``selections``). Invariant: a tile is read before it is written, by the same group, so a scan may be
in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True
ITEMS = 15
"""Elements of a tile for each work-item: odd, so that items read different banks."""
VOTERS = 32
"""Work-items of a sub-group that votes."""


def scan(it: Any, source: Any, target: Any, cells: Any, chain: Any, plan: Any) -> None:
    """Write the combinations up to each element of a tile, or before it (``plan.part``)."""
    group, width, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    tile = chain.claim(it)
    first = np.int64(tile) * (width * ITEMS)
    identity, start = plan.identity
    size = np.int32(min(width * ITEMS, plan.count - first))
    read = sycl.private_array(plan.kind, ITEMS)
    for turn in sycl.ext.intel.unroll(range(ITEMS)):
        k = np.int32(turn * width + mine)
        read[turn] = plan.kind(source.load(first + min(k, size - 1)))
    for turn in sycl.ext.intel.unroll(range(ITEMS)):
        k = np.int32(turn * width + mine)
        cells[k] = read[turn] if k < size else identity
    sycl.group_barrier(group)
    row = mine * ITEMS
    total = cells[row]
    for j in sycl.ext.intel.unroll(range(1, ITEMS)):
        total = plan.kind(plan.op(total, cells[row + j]))
    upto = plan.kind(sycl.exclusive_scan_over_group(group, total, plan.op))
    whole = sycl.group_broadcast(group, plan.kind(plan.op(upto, total)), width - 1)
    chain.tell(it, tile, whole)
    carry = chain.before(it, tile, whole, plan.op, (identity, start))
    carry = plan.kind(plan.op(carry, upto))
    for j in sycl.ext.intel.unroll(range(ITEMS)):
        x = cells[row + j]
        after = plan.kind(plan.op(carry, x))
        cells[row + j] = after if plan.part else carry
        carry = after
    sycl.group_barrier(group)
    for turn in sycl.ext.intel.unroll(range(ITEMS)):
        k = np.int32(turn * width + mine)
        if k < size:
            target.store(first + k, cells[k])


@sycl.kernel(reqd_sub_group_size=VOTERS)
def choose(it: Any, data: Any, targets: Any, own: Any, chain: Any, plan: Any) -> None:
    """Write the elements of a tile whose flags are set; ``plan.identity`` takes how many are.

    ``data`` are elements and flags. Where these are a predicate of the elements, ``plan.op`` is
    that, and there are no others; where they say that an element differs from the one before it,
    ``plan.op`` says that two are equal. A sub-group has neighbours; its votes say where each goes.

    ``targets`` are where they go, and where the others go, if anywhere. ``own`` is local memory for
    elements, ``plan.part`` the type of positions: of 32 bits where they are enough.
    """
    group, width, mine = it.get_group(), it.get_local_range(0), np.int32(it.get_local_id(0))
    tile = chain.claim(it)
    first = plan.part(tile) * plan.part(width * ITEMS)
    size = np.int32(min(width * ITEMS, plan.count - first))
    lane = mine % VOTERS
    start = mine // VOTERS * (VOTERS * ITEMS) + lane
    below = (np.uint32(1) << np.uint32(lane)) - np.uint32(1)
    elements = sycl.private_array(own.dtype, ITEMS)
    for j in sycl.ext.intel.unroll(range(ITEMS)):
        elements[j] = data.a.load(first + min(start + j * VOTERS, size - 1))
    left = elements[0]
    if data.b is not None and plan.op is not None:
        left = data.a.load(max(first + min(start - lane, size - 1) - plan.part(1), plan.part(0)))
    here, base = np.int32(0), mine // VOTERS * (VOTERS * ITEMS)
    for j in sycl.ext.intel.unroll(range(ITEMS)):
        k = start + j * VOTERS
        if data.b is None:
            mark = k < size and plan.op(elements[j])
        elif plan.op is not None:
            turned = sycl.select_from_group(it.get_sub_group(), elements[j],
                                            (lane + VOTERS - 1) % VOTERS)
            before = left if lane == 0 else turned
            left = turned
            mark = k < size and (first + k == 0 or not plan.op(before, elements[j]))
        else:
            mark = k < size and data.b.load(first + min(k, size - 1))
        votes = np.uint32(sycl.ext.oneapi.group_ballot(it.get_sub_group(), mark).bits)
        place = base + here + np.int32(sycl.popcount(votes & below))
        if mark:
            own[place] = elements[j]
        elif targets.b is not None and k < size:  # from the end of the row backwards
            own[base + VOTERS * ITEMS - 1 - (k - place)] = elements[j]
        here += np.int32(sycl.popcount(votes))
    mine_kept = here if lane == 0 else np.int32(0)
    upto = np.int32(sycl.exclusive_scan_over_group(group, mine_kept, sycl.plus))
    kept = np.int32(sycl.group_broadcast(group, upto + mine_kept, width - 1))
    upto -= np.int32(0) if lane == 0 else here
    chain.tell(it, tile, plan.kind(kept))
    zero = plan.kind(0)
    begin = np.int64(chain.before(it, tile, plan.kind(kept), sycl.plus, (zero, zero)))
    for turn in sycl.ext.intel.unroll(range(ITEMS)):
        k = turn * VOTERS + lane
        if k < here:
            targets.a.store(begin + upto + k, own[base + k])
        elif targets.b is not None and base + k < size:
            targets.b.store(first - begin + base - upto + k - here,
                            own[base + VOTERS * ITEMS - 1 - (k - here)])
    if mine == 0 and first + size == plan.count:
        plan.identity.store(0, begin + kept)


def count_bins(it: Any, source: Any, rule: Any, counts: Any, own: Any, plan: Any) -> None:
    """Count the elements of every so many tiles in local memory, then add that to all counts.

    There are ``plan.identity`` bins. Neighbouring sub-groups have counters of their own:
    ``plan.part`` copies of them.
    """
    group, width, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    bins = plan.identity
    size = (bins + 1) * plan.part
    for k in range(mine, size, width):
        own[k] = np.uint32(0)
    sycl.group_barrier(group)
    row = mine // 32 % plan.part * (bins + 1)
    step = width * UNROLLED
    for first in range(it.get_group(0) * step, plan.count, it.get_group_range(0) * step):
        places = sycl.private_array(np.int32, UNROLLED)
        for j in sycl.ext.intel.unroll(range(UNROLLED)):
            k = first + j * width + mine
            place = bins
            if k < plan.count:
                place = rule.place(source.load(k), bins)
            places[j] = np.int32(place)
        for j in sycl.ext.intel.unroll(range(UNROLLED)):
            sycl.atomic_ref(own, row + int(places[j]), sycl.memory_order.relaxed,
                            sycl.memory_scope.work_group).fetch_add(np.uint32(1))
    sycl.group_barrier(group)
    for b in range(mine, bins, width):
        found = np.uint32(0)
        for c in range(plan.part):
            found += own[c * (bins + 1) + b]
        if found > 0:
            sycl.atomic_ref(counts.at, b).fetch_add(np.uint64(found))


UNROLLED = 8
"""Elements that a work-item reads before it counts them."""


def reduce(it: Any, source: Any, out: Any, plan: Any) -> None:
    """Combine every so many tiles, by an operator with an identity."""
    group, width, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    step = width * UNROLLED
    first = it.get_group(0) * plan.part
    last = min(first + plan.part, plan.count)
    total = plan.identity
    whole = first + (last - first) // step * step
    for begin in range(first, whole, step):
        found = sycl.private_array(plan.kind, UNROLLED)
        for j in sycl.ext.intel.unroll(range(UNROLLED)):
            found[j] = plan.kind(source.load(begin + j * width + mine))
        for j in sycl.ext.intel.unroll(range(UNROLLED)):
            total = plan.kind(plan.op(total, found[j]))
    for k in range(whole + mine, last, width):
        total = plan.kind(plan.op(total, plan.kind(source.load(k))))
    total = plan.kind(sycl.reduce_over_group(group, total, plan.op))
    if group.leader():
        out.store(it.get_group(0), total)
