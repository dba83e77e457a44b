"""Kernels that merge and sort by a function of two elements, and search in what is sorted.

Written in the kernel language. What a work-item merges is found by binary search (merge path), so
parts are of one size whatever the elements are. Non-goals: keys with digits (``radix``).
Invariant: of equal elements those of the first range come first, and each range keeps its order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__kernel_language__ = True
RUN = 16
"""Elements that are inserted one by one before merging begins."""


@dataclass(eq=False)
class firsts:
    """An order of pairs: by their keys."""

    before: Any

    def of(self, s: Any, t: Any) -> Any:
        """Say whether the first pair comes before the second."""
        return self.before(s[0], t[0])


@dataclass(eq=False)
class wholes:
    """An order of elements themselves."""

    before: Any

    def of(self, s: Any, t: Any) -> Any:
        """Say whether the first element comes before the second."""
        return self.before(s, t)


@dataclass(eq=False)
class sorted_pair:
    """Two sorted ranges, and their order."""

    a: Any
    b: Any
    order: Any

    def split(self, na: Any, nb: Any, bounds: Any, k: Any) -> Any:
        """Return how many of the first ``k`` merged elements are of the first range."""
        low, high = max(k - nb, 0), min(k, na)
        while low < high:
            middle = (low + high) // 2
            if self.order.of(self.b.load(bounds[1] + k - 1 - middle),
                             self.a.load(bounds[0] + middle)):
                high = middle
            else:
                low = middle + 1
        return low


def merge_between(two: Any, target: Any, bounds: Any, sizes: Any, first: Any, last: Any) -> None:
    """Write the merged elements from position ``first`` to ``last`` of two ranges.

    ``bounds`` are where the ranges begin, and where what is merged of them goes.
    """
    na, nb = sizes
    i = two.split(na, nb, bounds, first)
    j = first - i
    k = first
    while k < last and i < na and j < nb:
        x, y = two.a.load(bounds[0] + i), two.b.load(bounds[1] + j)
        from_b = bool(two.order.of(y, x))
        if from_b:  # one store of either for numbers; records are no choice of values
            target.store(bounds[2] + k, y)
        else:
            target.store(bounds[2] + k, x)
        j += 1 if from_b else 0
        i += 0 if from_b else 1
        k += 1
    while k < last and i < na:
        target.store(bounds[2] + k, two.a.load(bounds[0] + i))
        i += 1
        k += 1
    while k < last:
        target.store(bounds[2] + k, two.b.load(bounds[1] + j))
        j += 1
        k += 1


def merge(it: Any, two: Any, target: Any, sizes: Any, plan: Any) -> None:
    """Write a chunk of two merged ranges; their sizes may be in memory."""
    na, nb = sizes.a.load(0), sizes.b.load(0)
    first = it.get_global_id(0) * plan.part
    last = min(first + plan.part, na + nb)
    if first < last:
        merge_between(two, target, (0, 0, 0), (na, nb), first, last)


def merge_neighbours(it: Any, items: Any, target: Any, order: Any, width: Any, plan: Any) -> None:
    """Write a chunk of a range whose sorted stretches are merged two by two."""
    first = it.get_global_id(0) * plan.part
    last = min(first + plan.part, plan.count)
    two = sorted_pair(items, items, order)
    while first < last:
        left = first // (2 * width) * (2 * width)
        middle, end = min(left + width, plan.count), min(left + 2 * width, plan.count)
        upto = min(last, end)
        merge_between(two, target, (left, middle, left), (middle - left, end - middle),
                      first - left, upto - left)
        first = upto


def sort_chunk(it: Any, items: Any, other: Any, order: Any, plan: Any) -> None:
    """Sort a chunk in one work-item: short runs by insertion, then merged to and fro."""
    first = it.get_global_id(0) * plan.part
    sort_stretch(items, other, order, first, min(first + plan.part, plan.count))


def sort_stretch(items: Any, other: Any, order: Any, first: Any, last: Any) -> None:
    """Sort elements from one position to another in place, by way of other memory."""
    for run in range(first, last, RUN):
        insert(items, order, run, min(run + RUN, last))
    width = RUN
    while width < last - first:
        merge_runs(items, other, order, first, last, width)
        merge_runs(other, items, order, first, last, 2 * width)
        width *= 4


def merge_runs(items: Any, target: Any, order: Any, first: Any, last: Any, width: Any) -> None:
    """Merge the runs of a chunk two by two."""
    two = sorted_pair(items, items, order)
    for left in range(first, last, 2 * width):
        middle, end = min(left + width, last), min(left + 2 * width, last)
        merge_between(two, target, (left, middle, left), (middle - left, end - middle), 0,
                      end - left)


def insert(items: Any, order: Any, first: Any, last: Any) -> None:
    """Sort a few elements in place by putting each where it belongs."""
    for k in range(first + 1, last):
        item = items.load(k)
        j = k
        while j > first and order.of(item, items.load(j - 1)):
            items.store(j, items.load(j - 1))
            j -= 1
        items.store(j, item)


# ---- searches in sorted memory
def lower(data: Any, count: Any, value: Any, before: Any) -> Any:
    """Return the first position at which a value could stand."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if before(data.load(middle), value):
            low = middle + 1
        else:
            high = middle
    return low


def upper(data: Any, count: Any, value: Any, before: Any) -> Any:
    """Return the last position at which a value could stand."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if before(value, data.load(middle)):
            high = middle
        else:
            low = middle + 1
    return low


def lower_bounds(k: Any, values: Any, data: Any, count: Any, before: Any, target: Any) -> None:
    """Write where a value could stand first."""
    target.store(k, lower(data, count, values.load(k), before))


def upper_bounds(k: Any, values: Any, data: Any, count: Any, before: Any, target: Any) -> None:
    """Write where a value could stand last."""
    target.store(k, upper(data, count, values.load(k), before))


def found(k: Any, values: Any, data: Any, count: Any, before: Any, target: Any) -> None:
    """Write whether a value is there."""
    value = values.load(k)
    at = lower(data, count, value, before)
    there = False
    if at < count:
        there = not before(value, data.load(at))
    target.store(k, there)


@dataclass(eq=False)
class matched:
    """Flags of the elements of a sorted range that have a partner in another one."""

    mine: Any
    others: Any
    counts: Any
    before: Any

    def load(self, i: Any) -> Any:
        """Say whether element ``i`` has a partner: the k-th of equal ones has the k-th there."""
        x = self.mine.load(i)
        rank = i - lower(self.mine, self.counts[0], x, self.before)
        there = (upper(self.others, self.counts[1], x, self.before)
                 - lower(self.others, self.counts[1], x, self.before))
        return rank < there


@dataclass(eq=False)
class unmatched:
    """Flags of the elements of a sorted range that have no partner in another one."""

    flags: Any

    def load(self, i: Any) -> Any:
        """Say whether element ``i`` has none."""
        return not self.flags.load(i)
