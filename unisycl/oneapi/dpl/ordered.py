"""Algorithms over sorted ranges: merge, searches, and operations of sets.

Results are the same, bit for bit, on every device. Ranges are sorted by the order that is given,
the numbers' own if none is (``sort``), and this is not checked. Sets are multisets, as in C++: of
equal elements the k-th of one range is the partner of the k-th of the other. Non-goals: sorting.
Invariant: outputs have room for all that may come, and overlap nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.oneapi.dpl.elementwise import each
from unisycl.oneapi.dpl.iterators import Computed
from unisycl.oneapi.dpl.kernels import maps, merging
from unisycl.oneapi.dpl.operators import order_of
from unisycl.oneapi.dpl.places import room
from unisycl.oneapi.dpl.selections import counted, kept
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call, routine
from unisycl.oneapi.frame.operands import Memory, Operand, Record
from unisycl.oneapi.frame.refusals import whole
from unisycl.oneapi.frame.results import future
from unisycl.oneapi.frame.types import check_room


class _Matched(Computed):
    """Flags of the elements of a sorted range with, or without, a partner in another one."""

    def __init__(self, mine: Operand, others: Operand, before: Any, *, wanted: bool) -> None:
        self._over(mine, others)
        self.size, self.dtype = mine.size, np.dtype(np.bool_)
        self.before, self.wanted = before, wanted
        self.counts = np.int64(mine.size or 0), np.int64(others.size or 0)

    def _made(self, *bases: Any) -> Any:
        found = merging.matched(bases[0], bases[1], self.counts, self.before)
        return found if self.wanted else merging.unmatched(found)


def _two(call: Call, first: Any, second: Any, comp: Any) -> tuple[Any, Any, Any]:
    a, b = call.source("the first argument", first), call.source("the second argument", second)
    return a, b, order_of(comp, a.dtype, b.dtype)


def merged(call: Call, a: Operand, b: Operand, sizes: Operand, target: Operand,
           before: Any) -> None:
    """Write two sorted ranges as one; how many elements they have is in memory."""
    n = (a.size or 0) + (b.size or 0)
    if n:
        piece = call.shape.piece(n)
        call.launch(call.shape.piece_space(-(-n // piece)), merging.merge,
                    Record(merging.sorted_pair, a, b, merging.wholes(before)), target, sizes,
                    views.chunks(n, piece))


def _size(call: Call, count: int) -> Memory:
    found = call.result(np.int64)
    each(call, 1, maps.fill, found, np.int64(count))
    return found


@routine
def merge(call: Call, first: Any, second: Any, out: Any, comp: Any = None) -> future:
    """Write the elements of two sorted ranges as one sorted range.

    Of equal elements those of the first range come first, and each range keeps its order.

    Args:
        call: the policy, or a queue.
        first: sorted elements.
        second: others.
        out: where they go; other memory.
        comp: the order, as in ``sort``.
    """
    a, b, before = _two(call, first, second, comp)
    target = call.target("the output", out, a.size + b.size)
    call.apart(target, a, b)
    merged(call, a, b, Record(views.sides, _size(call, a.size), _size(call, b.size)), target,
           before)
    return call.done()


@routine
def inplace_merge(call: Call, data: Any, middle: Any, comp: Any = None) -> future:
    """Make one sorted range of two that stand behind one another.

    Args:
        call: the policy, or a queue.
        data: the memory.
        middle: where the second range begins.
        comp: the order, as in ``sort``.
    """
    target = call.memory("the memory", data)
    n = target.size or 0
    at = whole(call.name, "middle", middle)
    if at > n:
        call.refuse(f"middle is {at}, and there are {n} elements")
    if 0 < at < n:
        before = order_of(comp, target.dtype)
        old = room(call, n, target.dtype)
        each(call, n, maps.copy, target, old)
        merged(call, old.part(0, at), old.part(at, n),
               Record(views.sides, _size(call, at), _size(call, n - at)), target, before)
    return call.done()


# ---------------------------------------------------------------------------- searches
def _searched(call: Call, data: Any, values: Any, out: Any, comp: Any, kernel: Any) -> future:
    source, wanted = call.source("the input", data), call.source("the values", values)
    target = call.target("the output", out, wanted.size)
    if kernel is not merging.found:
        check_room(call.name, "the output", target.dtype, source.size)
    call.apart(target, source)
    call.apart(target, wanted, same=True)
    each(call, wanted.size, kernel, wanted, source, np.int64(source.size),
         order_of(comp, source.dtype, wanted.dtype), target)
    return call.done()


@routine
def lower_bound(call: Call, data: Any, values: Any, out: Any, comp: Any = None) -> future:
    """Write the first position at which each value could stand in a sorted range.

    Args:
        call: the policy, or a queue.
        data: the sorted elements.
        values: what is looked for.
        out: where the positions go, one for each value.
        comp: the order, as in ``sort``.
    """
    return _searched(call, data, values, out, comp, merging.lower_bounds)


@routine
def upper_bound(call: Call, data: Any, values: Any, out: Any, comp: Any = None) -> future:
    """Write the last position at which each value could stand; see ``lower_bound``."""
    return _searched(call, data, values, out, comp, merging.upper_bounds)


@routine
def binary_search(call: Call, data: Any, values: Any, out: Any, comp: Any = None) -> future:
    """Write whether each value is in a sorted range; see ``lower_bound``."""
    return _searched(call, data, values, out, comp, merging.found)


# ---------------------------------------------------------------------------- sets
def _selected(call: Call, first: Any, second: Any, out: Any, comp: Any, *, wanted: bool) -> future:
    a, b, before = _two(call, first, second, comp)
    n = a.size
    target = call.target("the output", out, n, exact=False)
    call.apart(target, a, b)
    if not n:
        return call.done(lambda: 0)
    counts, parts = kept(call, _Matched(a, b, before, wanted=wanted), a, target, n)
    return call.done(lambda: int(counts.base[parts]))


@routine
def set_intersection(call: Call, first: Any, second: Any, out: Any, comp: Any = None) -> future:
    """Write the elements of a sorted range that are in another one, too.

    Args:
        call: the policy, or a queue.
        first: sorted elements, those that are written.
        second: other sorted elements.
        out: where they go, with room for all of the first range.
        comp: the order, as in ``sort``.

    Returns how many were written.
    """
    return _selected(call, first, second, out, comp, wanted=True)


@routine
def set_difference(call: Call, first: Any, second: Any, out: Any, comp: Any = None) -> future:
    """Write the elements of a sorted range that are not in another; see ``set_intersection``."""
    return _selected(call, first, second, out, comp, wanted=False)


def _alone(call: Call, mine: Operand, others: Operand, before: Any) -> tuple[Operand, Memory]:
    """Return the elements without a partner, and the memory of how many there are."""
    n = mine.size or 0
    found = room(call, n, mine.dtype)
    if not n:
        return found.part(0, 0), _size(call, 0)
    counts, parts = kept(call, _Matched(mine, others, before, wanted=False), mine, found, n)
    return found, counts.part(parts, parts + 1)


def _joined(call: Call, first: Any, second: Any, out: Any, comp: Any, *, both: bool) -> future:
    a, b, before = _two(call, first, second, comp)
    target = call.target("the output", out, a.size + b.size, exact=False)
    call.apart(target, a, b)
    rest, of_rest = _alone(call, b, a, before)
    mine, of_mine = (a, _size(call, a.size)) if both else _alone(call, a, b, before)
    merged(call, mine, rest, Record(views.sides, of_mine, of_rest), target, before)
    return call.done(lambda: int(_first(of_mine)) + int(_first(of_rest)))


def _first(memory: Any) -> Any:
    return memory.base[memory.first]


@routine
def set_union(call: Call, first: Any, second: Any, out: Any, comp: Any = None) -> future:
    """Write the elements of two sorted ranges, partners once, those of the first range.

    Args:
        call: the policy, or a queue.
        first: sorted elements.
        second: others.
        out: where they go, with room for all of both.
        comp: the order, as in ``sort``.

    Returns how many were written.
    """
    return _joined(call, first, second, out, comp, both=True)


@routine
def set_symmetric_difference(call: Call, first: Any, second: Any, out: Any,
                             comp: Any = None) -> future:
    """Write the elements of two sorted ranges that have no partner; see ``set_union``."""
    return _joined(call, first, second, out, comp, both=False)


@routine
def includes(call: Call, first: Any, second: Any, comp: Any = None) -> future:
    """Say whether every element of the second sorted range has a partner in the first."""
    a, b, before = _two(call, first, second, comp)
    n = b.size
    if not n:
        return call.done(lambda: True)
    counts, parts = counted(call, _Matched(b, a, before, wanted=True), n)
    return call.done(lambda: int(counts.base[parts]) == n)
