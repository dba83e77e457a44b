"""Kernels that combine all elements: tiles by work-groups, then the tiles by one group.

Written in the kernel language. ``joined`` kernels have operators that SYCL knows with an identity,
and combine groups by its group functions. ``plain`` ones have any operator: each work-item combines
what it meets, and one combines these. Non-goals: what is combined; sources compute it. Invariant:
who combines what depends on sizes alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True


def joined(it: Any, source: Any, out: Any, plan: Any) -> None:
    """Combine a tile, by an operator with an identity."""
    total = total_from(it, source, plan, it.get_group(0) * plan.part)
    if it.get_group().leader():
        out.store(it.get_group(0), total)


def total_from(it: Any, source: Any, plan: Any, first: Any) -> Any:
    """Return the combination of a tile that begins somewhere, to all of its work-items."""
    group, size, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    total = plan.identity
    many = min(plan.part, plan.count - first)
    for turn in range(many // size):
        total = plan.kind(plan.op(total, plan.kind(source.load(first + turn * size + mine))))
    rest = many // size * size + mine
    if rest < many:
        total = plan.kind(plan.op(total, plan.kind(source.load(first + rest))))
    return plan.kind(sycl.reduce_over_group(group, total, plan.op))


def plain(it: Any, source: Any, cells: Any, out: Any, plan: Any) -> None:
    """Combine a tile, by any operator whose order does not matter."""
    group, size, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    first = it.get_group(0) * plan.part
    last = min(first + plan.part, plan.count)
    if first + mine < last:
        total = plan.kind(source.load(first + mine))
        for turn in range(1, (last - first + size - 1) // size):
            k = first + turn * size + mine
            if k < last:
                total = plan.kind(plan.op(total, plan.kind(source.load(k))))
        cells[mine] = total
    sycl.group_barrier(group)
    if mine == 0:
        total = cells[0]
        for k in range(1, min(size, last - first)):
            total = plan.kind(plan.op(total, cells[k]))
        out.store(it.get_group(0), total)


def first_best(it: Any, source: Any, places: Any, own: Any, out: Any, plan: Any) -> None:
    """Find where the first element of a tile is that no other comes before; of any elements."""
    group, size, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    first = it.get_group(0) * plan.part
    last = min(first + plan.part, plan.count)
    if first + mine < last:
        at = first + mine
        for turn in range(1, (last - first + size - 1) // size):
            k = first + turn * size + mine
            if k < last:
                at = k if plan.op(source.load(k), source.load(at)) else at
        own[mine] = at
    sycl.group_barrier(group)
    if mine == 0:
        at = own[0]
        for k in range(1, min(size, last - first)):
            other = own[k]
            x, found = source.load(other), source.load(at)
            if plan.op(x, found) or (not plan.op(found, x) and other < at):
                at = other
        out.store(it.get_group(0), places.load(at))


def first_place(it: Any, source: Any, bests: Any, out: Any, plan: Any) -> None:
    """Find where the first element is that equals the best of all tiles, which are combined."""
    group = it.get_group()
    tiles = (plan.count + plan.part - 1) // plan.part
    best = best_of(it, bests, tiles, plan)
    end = np.int64(plan.count)
    tile = first_equal(it, bests, best, (0, tiles), end)
    tile = sycl.reduce_over_group(group, tile, sycl.minimum)
    first = tile * plan.part
    at = first_equal(it, source, best, (first, min(first + plan.part, plan.count)), end)
    at = sycl.reduce_over_group(group, at, sycl.minimum)
    if group.leader():
        out.store(0, at)


def last_place(it: Any, source: Any, bests: Any, out: Any, plan: Any) -> None:
    """Find where the last such element is."""
    group = it.get_group()
    tiles = (plan.count + plan.part - 1) // plan.part
    best = best_of(it, bests, tiles, plan)
    tile = last_equal(it, bests, best, (0, tiles))
    tile = sycl.reduce_over_group(group, tile, sycl.maximum)
    first = tile * plan.part
    at = last_equal(it, source, best, (first, min(first + plan.part, plan.count)))
    at = sycl.reduce_over_group(group, at, sycl.maximum)
    if group.leader():
        out.store(0, at)


def best_of(it: Any, bests: Any, tiles: Any, plan: Any) -> Any:
    """Return the combination of what tiles were combined to, to all work-items of a group."""
    best = plan.identity
    for k in range(it.get_local_id(0), tiles, it.get_local_range(0)):
        best = plan.kind(plan.op(best, bests.load(k)))
    return plan.kind(sycl.reduce_over_group(it.get_group(), best, plan.op))


def first_equal(it: Any, source: Any, value: Any, bounds: Any, end: Any) -> Any:
    """Return the first of a work-item's places that has a value, or the end."""
    first, last = bounds
    at = end
    for k in range(first + it.get_local_id(0), last, it.get_local_range(0)):
        at = min(at, np.int64(k) if source.load(k) == value else end)
    return at


def last_equal(it: Any, source: Any, value: Any, bounds: Any) -> Any:
    """Return the last of a work-item's places that has a value."""
    first, last = bounds
    at = np.int64(0)
    for k in range(first + it.get_local_id(0), last, it.get_local_range(0)):
        at = max(at, np.int64(k) if source.load(k) == value else np.int64(0))
    return at


def with_start(it: Any, out: Any, start: Any, op: Any, kind: Any) -> None:
    """Combine a start with the one element that is left."""
    out.store(0, kind(op(start, out.load(0))))


def best(it: Any, source: Any, places: Any, own: Any, out: Any, plan: Any) -> None:
    """Find the first element of a tile that no other comes before, and where it is."""
    group, size, mine = it.get_group(), it.get_local_range(0), it.get_local_id(0)
    first = it.get_group(0) * plan.part
    last = min(first + plan.part, plan.count)
    if first + mine < last:
        found = source.load(first + mine)
        at = first + mine
        for turn in range(1, (last - first + size - 1) // size):
            k = first + turn * size + mine
            if k < last:
                x = source.load(k)
                if plan.op(x, found):
                    found = x
                    at = k
        own.values[mine] = found
        own.places[mine] = at
    sycl.group_barrier(group)
    if mine == 0:
        found = own.values[0]
        at = own.places[0]
        for k in range(1, min(size, last - first)):
            x = own.values[k]
            if plan.op(x, found) or (not plan.op(found, x) and own.places[k] < at):
                found = x
                at = own.places[k]
        out.values.store(it.get_group(0), found)
        out.places.store(it.get_group(0), places.load(at))
