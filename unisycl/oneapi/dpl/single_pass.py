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
from unisycl.oneapi.dpl.kernels import chains, digits, maps, runs, sweeps
from unisycl.oneapi.dpl.places import Asked, Heads
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
_RUNS = 34 << 10
"""Bytes of local memory for keys and values of runs."""
_LOCAL = 36 << 10
"""Bytes of local memory for keys and values: with counts, fewer than the 48 KiB of any card."""


def is_number(dtype: Any, *, most: int = 8) -> bool:
    """Say whether elements are numbers that local memory and one or two words hold."""
    return isinstance(dtype, np.dtype) and dtype.kind in "iuf" and dtype.itemsize <= most


def _chain(call: Call, dtype: np.dtype[Any], count: int, items: int = sweeps.ITEMS) -> tuple[
        sycl.nd_range, Operand]:
    """Return the index space of tiles, and what links them."""
    width = call.shape.width
    many = -(-count // (width * items))
    words = _zeros(call, _words(call, dtype, count, items) + 1, np.uint64)
    return (sycl.nd_range(many * width, width),
            Record(chains.chain, words, _how(dtype), np.int64(many),
                   sycl.local_accessor(np.uint32, 1)))


def _how(dtype: np.dtype[Any]) -> Any:
    """Return how a value is told."""
    bits = np.dtype(f"u{dtype.itemsize}").type
    return (chains.two_words if dtype.itemsize == 8 else chains.one_word)(dtype.type, bits)


def _words(call: Call, dtype: np.dtype[Any], count: int, items: int) -> int:
    """Return how many words tiles and windows need."""
    width = call.shape.width
    many = -(-count // (width * items))
    return (many + many // width + 2) * (2 if dtype.itemsize == 8 else 1)


def _zeros(call: Call, count: int, dtype: Any) -> Memory:
    found = call.own(count, dtype)
    each(call, found.size or 0, maps.fill, found, dtype(0))
    return found


def scanned_once(call: Call, source: Operand, target: Operand, plan: Any) -> bool:
    """Write running combinations; ``plan.part`` says whether each has its own element in it."""
    dtype = np.dtype(plan.kind)
    if not call.shape.once or not is_number(dtype):
        return False
    space, chain = _chain(call, dtype, plan.count)
    cells = sycl.local_accessor(dtype, call.shape.width * sweeps.ITEMS)
    call.launch(space, sweeps.scan, source, target, cells, chain, plan)
    return True


def selected_once(call: Call, flags: Operand, source: Operand, targets: Any) -> Memory | None:
    """Write the elements whose flags are set, and the others; return memory of how many are."""
    if not (call.shape.once and call.shape.votes) or not is_number(source.dtype):
        return None
    count = source.size or 0
    kind = np.dtype(np.uint32 if count < _WORDS else np.uint64)
    space, chain = _chain(call, kind, count)
    found = call.result(np.int64)
    own = sycl.local_accessor(source.dtype, call.shape.width * sweeps.ITEMS)
    asked = flags.predicate if isinstance(flags, Asked) else None
    if isinstance(flags, Heads) and flags.bases[0] is source:
        asked = flags.same
    call.launch(space, sweeps.choose,
                Record(views.sides, source, None if isinstance(flags, Asked) else flags),
                Record(views.sides, *targets), own, chain,
                Record(views.plan, count, np.int32 if kind.itemsize == 4 else np.int64, asked,
                       kind.type, found))
    return found


def runs_once(call: Call, kernel: Any, data: tuple[Operand, Operand], target: Any, same: Any,
              plan: Any) -> Memory | None:
    """Reduce or scan by runs of equal keys; return memory of how many there are.

    ``plan.identity`` are the operator's, and the start of an exclusive scan, which ``plan.part``
    says that it is.
    """
    keys, dtype, many = data[0].dtype, np.dtype(plan.kind), None
    if not (call.shape.once and call.shape.votes and is_number(keys) and is_number(dtype)):
        return None
    both = np.dtype(keys).itemsize + dtype.itemsize
    items = max(k for k in (5, 7, 9, 11, 15) if k == 5 or k * both * call.shape.width <= _RUNS)
    space, chain = _chain(call, dtype, plan.count, items)
    words, found = None, call.result(np.int64)
    if kernel is runs.reduce:
        kind = np.dtype(np.uint32 if plan.count < _WORDS else np.uint64)
        many = _how(kind)
        words = _zeros(call, _words(call, kind, plan.count, items), np.uint64)
    rows, width = call.shape.width // runs.VOTERS, call.shape.width
    own = runs.room(sycl.local_accessor(keys, width * items),
                    sycl.local_accessor(dtype, width * items),
                    sycl.local_accessor(dtype, rows), sycl.local_accessor(np.int32, rows))
    by = Record(runs.order, plan.count, same, plan.op, plan.kind, plan.identity, (0,) * items,
                None if plan.part else found)
    call.launch(space, kernel, Record(views.sides, *data), target, own,
                Record(chains.runs, chain, many, words), by)
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
    dtypes = [np.dtype(x.dtype) for x in pair if is_number(x.dtype)]
    if not (call.shape.once and call.shape.votes) or len(dtypes) < len(pair):
        return False
    n, turns, width = keys.size or 0, kind.itemsize, digits.DIGITS
    items = min(_ITEMS[max(t.itemsize for t in dtypes)],
                _LOCAL // (width * sum(t.itemsize for t in dtypes)))
    begins = _begins(call, keys, rank, kind, turns)
    many = -(-n // (width * items))
    word, place = (np.uint32 if n < 1 << 30 else np.uint64), (np.int32 if n < 1 << 31 else np.int64)
    words, claims = call.own(many * width, word), _zeros(call, turns, np.uint32)
    cells = [sycl.local_accessor(t, width * items) for t in dtypes]
    own = digits.shared(
        sycl.local_accessor(np.int32, width * digits.ROWS), sycl.local_accessor(place, width),
        cells[0], None if values is None else cells[1], sycl.local_accessor(np.uint32, 1))
    here: list[Operand] = list(pair)
    there: list[Operand] = [call.own(n, t) for t in dtypes]
    for turn in range(turns):
        each(call, many * width, maps.fill, words, word(0))
        moved = None if values is None else Record(views.sides, here[1], there[1])
        whole = n // (width * items)
        for tiles, full in ((whole, True), (many - whole, None)):
            if tiles:  # they go on where those before them ended: all claim from one counter
                by = Record(digits.sweep, rank, np.int32(turn * digits.BITS), n, word, words,
                            begins, claims, (0,) * items, place, np.uint32(1), full)
                call.launch(sycl.nd_range(tiles * width, width), digits.distribute, here[0],
                            there[0], moved, own, by)
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
