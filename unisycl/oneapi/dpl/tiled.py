"""Sorting by a function of two elements on devices made for wide work-groups, tile by tile.

Non-goals: processors, and elements that are no numbers, which ``sorting`` merges one by one.
Invariant: stable; results are the same, bit for bit, as of the other ways.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.elementwise import each
from unisycl.oneapi.dpl.kernels import tiles
from unisycl.oneapi.dpl.single_pass import is_number
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Operand, Record

_ITEMS = (3, 5, 7, 9, 11)
"""Elements of a work-item: odd, so that items read different banks."""
_LOCAL = 24 << 10
"""Bytes of local memory for what a group merges."""


def sorted_by_tiles(call: Call, keys: Operand, values: Operand | None, before: Any) -> bool:
    """Sort keys in place by a function of two, and values along with them."""
    pair = [keys] if values is None else [keys, values]
    dtypes = [np.dtype(x.dtype) for x in pair if is_number(x.dtype)]
    n, width, shape = keys.size or 0, call.shape.width, call.shape
    if not shape.wide or len(dtypes) < len(pair):
        return False
    both = sum(t.itemsize for t in dtypes)
    items = max(k for k in _ITEMS if k == _ITEMS[0] or k * both * width <= _LOCAL)
    cells = [sycl.local_accessor(t, width * items) for t in dtypes]
    by = Record(tiles.work, np.int64(n), before, (0,) * items, cells[0],
                None if values is None else cells[1])
    tile = width * items
    count = -(-n // tile)
    here: list[Operand] = list(pair)
    there: list[Operand] = [call.own(n, t) for t in dtypes]
    splits = call.own(count, np.int64)
    sides = [Record(views.sides, x[0], None if values is None else x[1]) for x in (here, there)]
    space = sycl.nd_range(count * width, width)
    stretch, turns = tile, 0
    while stretch < n:
        stretch, turns = 2 * stretch, turns + 1
    call.launch(space, tiles.sort_tile, sides[0], sides[turns % 2], by)
    stretch, at = tile, turns % 2
    while stretch < n:
        each(call, count, tiles.split_tiles, (here, there)[at][0], splits, np.int64(stretch),
             Record(tiles.work, np.int64(n), before, np.int64(tile), None, None))
        call.launch(space, tiles.merge_tile, sides[at], sides[1 - at], splits,
                    np.int64(stretch), by)
        stretch, at = 2 * stretch, 1 - at
    return True
