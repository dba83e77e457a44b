"""Scans, selections and sorts in one pass over memory, on devices made for wide work-groups.

Where work-groups that have begun go on (``Shape.once``), a tile waits for those before it. What is
not for these is told by a None or False, and goes the other way. Non-goals: processors. Invariant:
results are the same as those of the other ways, but that floats may be combined in other groups.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.elementwise import each
from unisycl.oneapi.dpl.kernels import chains, digits, maps, sweeps
from unisycl.oneapi.dpl.places import Asked
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Memory, Operand, Record

_WORDS = 1 << 31
"""Counts below this are told in one word."""
_FEW_BINS = 1 << 12
"""As many bins, or fewer, are counted in local memory."""
_GROUPS = 1 << 10
"""Work-groups that count, at most."""
_ITEMS = {1: 20, 2: 20, 4: 20, 8: 10}
"""Keys of a work-item that sorts at most, by the size of what is moved."""
_LOCAL = 36 << 10
"""Bytes of local memory for keys and values: with counts, fewer than the 48 KiB of any card."""


def _is_number(dtype: Any, *, most: int = 8) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "iuf" and dtype.itemsize <= most


def _chain(call: Call, dtype: np.dtype[Any], count: int) -> tuple[sycl.nd_range, Operand]:
    """Return the index space of tiles, and what links them."""
    width = call.shape.width
    tiles = -(-count // (width * sweeps.ITEMS))
    two = dtype.itemsize == 8
    bits = np.dtype(f"u{dtype.itemsize}").type
    how = (chains.two_words if two else chains.one_word)(dtype.type, bits)
    words = _zeros(call, (tiles + tiles // width + 2) * (1 + two), np.uint64)
    claims = _zeros(call, 1, np.uint32)
    own = sycl.local_accessor(np.uint32, 1), sycl.local_accessor(dtype, 1)
    return (sycl.nd_range(tiles * width, width),
            Record(chains.chain, words, claims, how, np.int64(tiles), *own))


def _zeros(call: Call, count: int, dtype: Any) -> Memory:
    found = call.own(count, dtype)
    each(call, found.size or 0, maps.fill, found, dtype(0))
    return found


def scanned_once(call: Call, source: Operand, target: Operand, plan: Any) -> bool:
    """Write running combinations; ``plan.part`` says whether each has its own element in it."""
    dtype = np.dtype(plan.kind)
    if not call.shape.once or not _is_number(dtype):
        return False
    space, chain = _chain(call, dtype, plan.count)
    cells = sycl.local_accessor(dtype, call.shape.width * sweeps.ITEMS)
    call.launch(space, sweeps.scan, source, target, cells, chain, plan)
    return True


def selected_once(call: Call, flags: Operand, source: Operand, targets: Any) -> Memory | None:
    """Write the elements whose flags are set, and the others; return memory of how many are."""
    if not call.shape.once or not _is_number(source.dtype):
        return None
    count = source.size or 0
    kind = np.dtype(np.uint32 if count < _WORDS else np.uint64)
    space, chain = _chain(call, kind, count)
    found, size = call.scratch(1, np.int64), call.shape.width * sweeps.ITEMS
    own = views.sides(sycl.local_accessor(np.int32, size),
                      sycl.local_accessor(source.dtype, size))
    asked = flags.predicate if isinstance(flags, Asked) else None
    call.launch(space, sweeps.choose, Record(views.sides, source, None if asked else flags),
                Record(views.sides, *targets), own, chain,
                Record(views.plan, count, None, asked, kind.type, found))
    return found


def counted_once(call: Call, source: Operand, rule: Any, target: Operand, bins: int) -> bool:
    """Write how many elements are in each bin, counted in local memory."""
    if not call.shape.wide or bins > _FEW_BINS:
        return False
    counts, width, count = _zeros(call, bins, np.uint64), call.shape.width, source.size or 0
    copies = max(1, min(width // 32, _FEW_BINS // (bins + 1)))
    groups = min(_GROUPS, -(-count // (width * sweeps.UNROLLED)))
    if groups:
        call.launch(sycl.nd_range(groups * width, width), sweeps.count_bins, source, rule, counts,
                    sycl.local_accessor(np.uint32, (bins + 1) * copies),
                    views.plan(count, copies, None, None, bins))
    each(call, bins, maps.copy, counts, target)
    return True


def sorted_once(call: Call, keys: Operand, values: Operand | None, rank: Any, kind: Any) -> bool:
    """Sort keys in place, and values along with them, digit after digit from the lowest on."""
    pair = [keys] if values is None else [keys, values]
    dtypes = [np.dtype(x.dtype) for x in pair if _is_number(x.dtype)]
    if not (call.shape.once and call.shape.votes) or len(dtypes) < len(pair):
        return False
    n, turns, width = keys.size or 0, kind.itemsize, digits.DIGITS
    items = min(_ITEMS[max(t.itemsize for t in dtypes)],
                _LOCAL // (width * sum(t.itemsize for t in dtypes)))
    begins = _begins(call, keys, rank, kind, turns)
    tiles = -(-n // (width * items))
    word = np.uint32 if n < 1 << 30 else np.uint64
    words, claims = call.own(tiles * width, word), _zeros(call, turns, np.uint32)
    cells = [sycl.local_accessor(t, width * items) for t in dtypes]
    own = digits.shared(
        sycl.local_accessor(np.int32, width * digits.ROWS), sycl.local_accessor(np.int64, width),
        cells[0], None if values is None else cells[1], sycl.local_accessor(np.uint32, 1))
    here: list[Operand] = list(pair)
    there: list[Operand] = [call.own(n, t) for t in dtypes]
    for turn in range(turns):
        each(call, tiles * width, maps.fill, words, word(0))
        moved = None if values is None else Record(views.sides, here[1], there[1])
        by = Record(digits.sweep, rank, np.int32(turn * digits.BITS), n, word, words, begins,
                    claims, (0,) * items)
        call.launch(sycl.nd_range(tiles * width, width), digits.distribute, here[0], there[0],
                    moved, own, by)
        here, there = there, here
    if turns % 2:
        for a, b in zip(here, there, strict=True):
            each(call, n, maps.copy, a, b)
    return True


def _begins(call: Call, keys: Operand, rank: Any, kind: Any, turns: int) -> Memory:
    """Return where the keys of each digit begin, for all digits."""
    width, n = digits.DIGITS, keys.size or 0
    begins = _zeros(call, turns * width, np.uint64)
    groups = min(_GROUPS, -(-n // (width * digits.READ)))
    call.launch(sycl.nd_range(groups * width, width), digits.count_all, keys, begins, rank,
                sycl.local_accessor(np.uint32, turns * width),
                views.plan(n, turns, None, kind.type, digits.BITS if turns > 1 else 0))
    call.launch(sycl.nd_range(turns * width, width), digits.begin_digits, begins)
    return begins
