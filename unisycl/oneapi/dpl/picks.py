"""Elements by their place in an order, on processors: what nth_element and top_k are made of.

Two ranks from a sample enclose the places that are wanted; then only what lies between them is
sorted. Nothing comes to the host in between. Non-goals: windows that are not small beside the rest
(``sorting``), orders that are functions.
Invariant: results do not depend on the sample, but the order of elements that nobody asked for.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.kernels import parts, picks, selections
from unisycl.oneapi.dpl.places import room
from unisycl.oneapi.dpl.scans import ONE, single
from unisycl.oneapi.dpl.single_pass import is_number
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Operand, Record

_SMALL = 64  # a window is small that is such a part of all elements, or less
_SAMPLE = 1 << 16
_MARGIN = 5.0  # deviations of what a sample tells


def is_small(call: Call, count: int, window: tuple[int, int]) -> bool:
    """Say whether a window of positions is found without sorting in parts."""
    return (not call.shape.wide and not call.in_order and count > 2 * call.shape.few
            and (window[1] - window[0]) * _SMALL <= count)


def _between(call: Call, keys: Operand, items: Operand, ranks: tuple[Any, Any, Any],
             window: tuple[int, int]) -> tuple[Any, Any, Any]:
    """Find two ranks around a window and count blocks; return what is known, and digits."""
    of_keys, of_items, kind = ranks
    n, bits = keys.size or 0, min(call.shape.digit, 8 * kind.itemsize)
    samples = min(max(n >> 8, 1 << 10), _SAMPLE, n)
    found, ends = call.own(2, np.int64), call.own(2, kind)
    blocks = -(-n // picks.BLOCK)
    by = Record(picks.picked, of_items, kind.type, ends,
                call.own(3 * blocks, np.int64), found, n)
    of_pool, of_all = (parts.digits(rank, sycl.local_accessor(
        np.uint32, parts.TOGETHER << bits), bits) for rank in (of_keys, of_items))
    pool = Record(views.sides, call.own(samples, keys.dtype), call.own(samples, keys.dtype))
    call.launch(ONE, single, picks.choose, keys, pool, by, ends, of_pool, (
        samples, _place(window[0], n, samples, -1), _place(window[1], n, samples, 1)))
    groups = -(-blocks // picks.TOGETHER)
    call.launch(sycl.nd_range(groups * call.shape.width, call.shape.width), picks.count_classes,
                items, by)
    return by, of_all, sycl.nd_range(groups, 1)


def _place(position: int, count: int, samples: int, side: int) -> int:
    """Return the place in a sorted sample that surely is on one side of a position; or beyond."""
    part = position / count
    margin = _MARGIN * math.sqrt(samples * part * (1 - part)) + _MARGIN
    return math.floor(part * samples + side * margin)


def brought(call: Call, items: Operand, ranks: tuple[Any, Any], window: tuple[int, int]) -> None:
    """Bring what belongs to a window of positions there, nothing greater before it."""
    n = items.size or 0
    rank, kind = ranks
    by, digits, space = _between(call, items, items, (rank, rank, kind), window)
    other = room(call, n, items.dtype)
    call.launch(ONE, single, picks.place_classes, by, (np.int64(window[0]), np.int64(window[1])))
    if call.shape.packs and not call.checked:
        kind = np.dtype(items.dtype) if is_number(items.dtype) else np.dtype(np.void)
        direct = kind.kind in "iuf" and kind.itemsize == 4
        cells = (sycl.local_accessor(kind if direct else np.int32, picks.BLOCK + selections.ROW)
                 for _ in range(3))
        groups = space.get_global_range()[0]
        call.launch(sycl.nd_range(groups * selections.ROW, selections.ROW), picks.pack_classes,
                    items, other, by, Record(picks.packs, *cells, direct))
    else:
        call.launch(space, picks.move_classes, items, other, by)
    call.launch(ONE, single, picks.sort_wanted, items, other, by, digits)
    call.launch(space, picks.copy_others, items, other, by)


def gathered(call: Call, keys: Operand, items: Operand, ranks: tuple[Any, Any, Any],
             memory: tuple[Operand, Operand], count: int) -> None:
    """Write the first elements of the sorted order to the second memory; both have room for all."""
    other, target = memory
    by, digits, space = _between(call, keys, items, ranks, (0, count))
    call.launch(ONE, single, picks.place_first, by, np.int64(count))
    call.launch(space, picks.gather, items, other, by,
                sycl.local_accessor(np.int32, picks.BLOCK + 1))
    call.launch(ONE, single, picks.sort_first, other, target, by, digits)
