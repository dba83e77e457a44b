"""Sorting: by the digits of keys where the order is the numbers' own, else by merging.

Both are stable, so ``sort`` is ``stable_sort``, and results are the same, bit for bit, on every
device. The numbers' own order has -0.0 equal to 0.0, and NaN equal to one another and behind all
numbers, descending, too. Non-goals: sorting in a group, which kernels do (``joint_sort``).
Invariant: memory of the routine's own, as large as what is sorted, is taken and given back.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl import picks
from unisycl.oneapi.dpl.elementwise import each
from unisycl.oneapi.dpl.iterators import (
    counting_iterator,
    permutation_iterator,
    zip_iterator,
)
from unisycl.oneapi.dpl.kernels import maps, merging, parts, radix, scans
from unisycl.oneapi.dpl.lines import lines_of
from unisycl.oneapi.dpl.operators import order_of
from unisycl.oneapi.dpl.places import room
from unisycl.oneapi.dpl.ranks import rank_by
from unisycl.oneapi.dpl.samples import sorted_by_samples
from unisycl.oneapi.dpl.scans import ONE, single
from unisycl.oneapi.dpl.single_pass import sorted_once
from unisycl.oneapi.dpl.tiled import sorted_by_tiles
from unisycl.oneapi.dpl.words import sorted_by_words
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call, routine
from unisycl.oneapi.frame.operands import Memory, Operand, Record
from unisycl.oneapi.frame.refusals import whole
from unisycl.oneapi.frame.results import future
from unisycl.oneapi.frame.types import check_room


def _sorted(call: Call, keys: Operand, values: Operand | None, comp: Any,
            window: tuple[int, int] | None = None) -> None:
    """Sort keys in place, and values along with them.

    Of a window of positions it is enough that these have what all sorted would have there, and
    that nothing greater stands before them and nothing less behind.
    """
    n = keys.size or 0
    if n < 2:
        return
    rank, kind = rank_by(keys.dtype, comp)
    if rank is not None and sorted_once(call, keys, values, rank, kind):
        return
    if rank is not None and values is None and window is None and sorted_by_words(
            call, keys, n, rank, kind):
        return
    if rank is None and (sorted_by_tiles(call, keys, values, order_of(comp, keys.dtype))
                         or sorted_by_samples(call, keys, values, order_of(comp, keys.dtype))):
        return
    other: Operand = room(call, n, keys.dtype)
    items: Operand = keys
    if values is not None:
        items = zip_iterator(keys, values)
        other = zip_iterator(other, room(call, n, values.dtype))
    if rank is not None:
        if values is not None:
            rank = radix.of_first(rank)
        _by_digits(call, items, other, n, rank, kind, window=window or (0, n))
    else:
        before = order_of(comp, keys.dtype)
        order = merging.wholes(before) if values is None else merging.firsts(before)
        by_merging(call, items, other, n, order)


def _by_digits(call: Call, items: Operand, other: Operand, n: int, rank: Any, kind: Any, *,
               window: tuple[int, int], first: Operand | None = None) -> None:
    """Sort elements by ranks, by way of other memory; or write the first of them elsewhere."""
    shape, bits = call.shape, min(call.shape.digit, 8 * kind.itemsize)
    digits = parts.digits(rank, sycl.local_accessor(np.uint32, parts.TOGETHER << bits), bits)
    if n <= shape.few:
        each(call, n, maps.copy, items, other)
        call.launch(ONE, parts.sort_whole, other, items, digits, n)
        return
    most, lines = lines_of(call, items if first is None else None)
    wide = np.dtype(np.uint64 if kind.itemsize == 8 else np.uint32)
    cells = max(min(most // 4, n // shape.few, 1 << 10).bit_length() - 1, 1)
    ends, table = call.own(2, wide), call.own((2 << cells) + 4, np.int32)
    by = Record(parts.division, rank, wide.type, ends, table, cells, most)
    size = max(min(n // 256, 3 << 14), 2 * n // most, 1)
    call.launch(ONE, single, parts.cut, items, by, sycl.local_accessor(np.int32, (1 << cells) + 1),
                n, min(n, 4 << cells), size)
    plan = views.chunks(n, max(shape.chunk(n), -(-n // 256)), sycl.local_accessor(np.int64, most))
    chunks = -(-n // plan.part)
    space = sycl.nd_range(chunks, 1)
    counts = call.own(chunks * most + 1, np.int64)
    call.launch(space, parts.count_parts, items, counts, by, plan)
    call.launch(ONE, single, scans.before_all, counts, chunks * most)
    if first is not None:
        call.launch(space, parts.distribute_first, items, other, counts, by,
                    views.chunks(n, plan.part, plan.noted, np.int64(window[1])))
    elif lines is None:
        call.launch(space, parts.distribute, items, other, counts, by, plan)
    else:
        call.launch(space, parts.distribute_by_lines, items, other, counts, by,
                    Record(views.chunks, n, plan.part, lines))
    call.launch(sycl.nd_range(most, 1), parts.sort_parts, other, items if first is None else first,
                counts, digits, parts.wanted(chunks, np.int64(window[0]), np.int64(window[1]),
                                             first is None))


def by_merging(call: Call, items: Operand, other: Operand, n: int, order: Any) -> None:
    """Sort elements in place by an order that is a function."""
    part = merging.RUN
    while part < n and part < call.shape.piece(n):
        part *= 4
    call.launch(call.shape.piece_space(-(-n // part)), merging.sort_chunk, items, other, order,
                views.chunks(n, part))
    width, piece = part, call.shape.piece(n)
    source, target = items, other
    while width < n:
        call.launch(call.shape.piece_space(-(-n // piece)), merging.merge_neighbours, source,
                    target, order, width, views.chunks(n, piece))
        source, target, width = target, source, 2 * width
    if source is not items:
        each(call, n, maps.copy, source, items)


@routine
def sort(call: Call, data: Any, comp: Any = None) -> future:
    """Sort memory in place; equal elements keep their order.

    Numbers are sorted by ``<``, -0.0 equal to 0.0 and NaN last, as NumPy sorts.

    Args:
        call: the policy, or a queue.
        data: the memory.
        comp: a function of two that says whether the first comes before the second: a strict weak
            order. ``operator.gt`` is the numbers' own, descending, and as fast.
    """
    _sorted(call, call.memory("the memory", data), None, comp)
    return call.done()


@routine
def stable_sort(call: Call, data: Any, comp: Any = None) -> future:
    """Sort memory in place; equal elements keep their order; see ``sort``."""
    _sorted(call, call.memory("the memory", data), None, comp)
    return call.done()


def _by_key(call: Call, keys: Any, values: Any, comp: Any) -> future:
    a, b = call.memory("the keys", keys), call.memory("the values", values)
    if a.size != b.size:
        call.refuse(f"there are {a.size} keys and {b.size} values")
    call.apart(a, b)
    _sorted(call, a, b, comp)
    return call.done()


@routine
def sort_by_key(call: Call, keys: Any, values: Any, comp: Any = None) -> future:
    """Sort keys in place, and values along with them; equal keys keep their order.

    Args:
        call: the policy, or a queue.
        keys: the memory that is compared.
        values: as much other memory.
        comp: an order of two keys, as in ``sort``.
    """
    return _by_key(call, keys, values, comp)


@routine
def stable_sort_by_key(call: Call, keys: Any, values: Any, comp: Any = None) -> future:
    """Sort keys in place, and values along with them; see ``sort_by_key``."""
    return _by_key(call, keys, values, comp)


@routine
def partial_sort(call: Call, data: Any, middle: Any, comp: Any = None) -> future:
    """Bring the least ``middle`` elements to the front, sorted.

    By the numbers' own order processors sort no others; else all are sorted.

    Args:
        call: the policy, or a queue.
        data: the memory.
        middle: how many.
        comp: the order, as in ``sort``.
    """
    return _up_to(call, data, middle, comp, whole_front=True)


@routine
def nth_element(call: Call, data: Any, nth: Any, comp: Any = None) -> future:
    """Bring element ``nth`` of the sorted order to its place, none greater before it.

    By the numbers' own order processors sort only what may be that element, and move only what
    stands on its wrong side; else all are sorted.

    Args:
        call: the policy, or a queue.
        data: the memory.
        nth: the position; that of the end moves nothing.
        comp: the order, as in ``sort``.
    """
    return _up_to(call, data, nth, comp, whole_front=False)


def _up_to(call: Call, data: Any, place: Any, comp: Any, *, whole_front: bool) -> future:
    target = call.memory("the memory", data)
    n, last = target.size or 0, whole(call.name, "the position", place)
    if last > n:
        call.refuse(f"the position is {place}, and there are {n} elements")
    window = (0, last) if whole_front else (last, min(last + 1, n))
    if window[0] == window[1]:
        return call.done()
    rank, kind = rank_by(target.dtype, comp)
    if rank is not None and picks.is_small(call, n, window):
        picks.brought(call, target, (rank, kind), window)
    else:
        _sorted(call, target, None, comp, window)
    return call.done()


@routine
def partial_sort_copy(call: Call, data: Any, out: Any, comp: Any = None) -> future:
    """Write the least elements, sorted, as many as there is room for.

    Args:
        call: the policy, or a queue.
        data: the elements.
        out: where they go; other memory.
        comp: the order, as in ``sort``.

    Returns how many were written.
    """
    source = call.source("the input", data)
    target = call.memory("the output", out)
    call.apart(target, source)
    n = min(source.size, target.size or 0)
    _least(call, source, target.part(0, n), comp)
    return call.done(lambda: n)


def _least(call: Call, source: Operand, target: Operand, comp: Any,
           places: Operand | None = None) -> None:
    """Write the first elements of the sorted order, and where they were."""
    n, k = source.size or 0, target.size or 0
    if not k or _selected(call, source, target, comp, places):
        return
    old = room(call, n, source.dtype)
    each(call, n, maps.copy, source, old)
    at = None
    if places is not None:
        at = call.own(n, np.int64)
        each(call, n, maps.copy, counting_iterator(0, n), at)
    _sorted(call, old, at, comp)
    each(call, k, maps.copy, old, target)
    if at is not None and places is not None:
        each(call, k, maps.copy, at, places)


def _selected(call: Call, source: Operand, target: Operand, comp: Any,
              places: Operand | None) -> bool:
    """Do so without sorting the others, where the order is the numbers' own; say whether it is."""
    n, k = source.size or 0, target.size or 0
    rank, kind = rank_by(source.dtype, comp)
    if rank is None or call.shape.wide or n <= call.shape.few:
        return False
    items, dtype, of_keys = source, np.dtype(source.dtype), rank
    other, found = ([call.own(n, dtype)] for _ in range(2))
    if places is not None:
        items = zip_iterator(source, counting_iterator(np.int64(0), n))
        rank = radix.of_first(rank)
        other.append(call.own(n, np.int64))
        found.append(call.own(n, np.int64))
    if picks.is_small(call, n, (0, k)):
        picks.gathered(call, source, items, (of_keys, rank, kind),
                       (_together(other), _together(found)), k)
    else:
        _by_digits(call, items, _together(other), n, rank, kind, window=(0, k),
                   first=_together(found))
    for own, out in zip(found, (target, places), strict=False):
        each(call, k, maps.copy, own, out)
    return True


def _together(memory: list[Memory]) -> Operand:
    return memory[0] if len(memory) == 1 else zip_iterator(*memory)


@routine
def top_k(call: Call, data: Any, k: Any, out: Any, places: Any = None, *,
          comp: Any = operator.gt) -> future:
    """Write the ``k`` greatest elements, the greatest first, and where they are.

    Of equal elements those that come first are taken. NaN count as less than all numbers.

    Args:
        call: the policy, or a queue.
        data: the elements, which are left as they are.
        k: how many.
        out: where they go; other memory.
        places: where their positions go, if anywhere.
        comp: another order: what comes before what; ``operator.lt`` gives the least.
    """
    source, count = call.source("the input", data), whole(call.name, "k", k)
    if count > source.size:
        call.refuse(f"k is {count}, and there are {source.size} elements")
    target = call.target("the output", out, count, exact=False).part(0, count)
    at = None
    if places is not None:
        at = call.target("the output of positions", places, count, exact=False).part(0, count)
        check_room(call.name, "the output of positions", at.dtype, source.size - 1)
        call.apart(at, source, target)
    call.apart(target, source)
    _least(call, source, target, comp, at)
    return call.done()


def _segmented(call: Call, keys: Operand, values: Operand | None, offsets: Any,
               comp: Any) -> future:
    begins = np.asarray(offsets)
    n = keys.size or 0
    if begins.ndim != 1 or begins.dtype.kind not in "iu" or (begins.size and (
            begins[0] != 0 or begins[-1] != n or (np.diff(begins.astype(np.int64)) < 0).any())):
        call.refuse(f"the offsets are whole numbers from 0 to {n}, the number of elements, each as "
                    "great as the one before it: segment k goes from offsets[k] to offsets[k + 1]")
    if n < 2 or begins.size < 2:
        return call.done()
    starts = Memory(call.kept(begins[1:-1].astype(np.int64)), 0, begins.size - 2)
    order, segments = call.own(n, np.int64), call.own(n, np.int64)
    each(call, n, maps.copy, counting_iterator(0, n), order)
    old = room(call, n, keys.dtype)
    each(call, n, maps.copy, keys, old)
    _sorted(call, old, order, comp)
    each(call, n, merging.upper_bounds, order, starts, np.int64(begins.size - 2), operator.lt,
         segments)
    _sorted(call, segments, order, None)
    for memory in (keys, values):
        if memory is not None:
            other = room(call, n, memory.dtype)
            each(call, n, maps.copy, permutation_iterator(memory, order), other)
            each(call, n, maps.copy, other, memory)
    return call.done()


@routine
def segmented_sort(call: Call, data: Any, offsets: Any, comp: Any = None) -> future:
    """Sort each segment of memory in place; equal elements keep their order.

    All segments are sorted together, twice, so their sizes do not matter.

    Args:
        call: the policy, or a queue.
        data: the memory.
        offsets: where segments begin, and last where they end: numbers of the host.
        comp: the order, as in ``sort``.
    """
    return _segmented(call, call.memory("the memory", data), None, offsets, comp)


@routine
def segmented_sort_by_key(call: Call, keys: Any, values: Any, offsets: Any,
                          comp: Any = None) -> future:
    """Sort each segment of keys in place, and values along with them; see ``segmented_sort``."""
    a, b = call.memory("the keys", keys), call.memory("the values", values)
    if a.size != b.size:
        call.refuse(f"there are {a.size} keys and {b.size} values")
    call.apart(a, b)
    return _segmented(call, a, b, offsets, comp)
