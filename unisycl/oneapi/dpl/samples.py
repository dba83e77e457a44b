"""Sorting numbers by a function of two on processors: buckets and leaves between sorted samples.

Non-goals: records, tuples, and devices that are not the native CPU, for which ``sorting`` merges.
Invariant: stable; results are those of merging wherever the function is a strict weak order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.elementwise import each
from unisycl.oneapi.dpl.iterators import zip_iterator
from unisycl.oneapi.dpl.kernels import maps, merging, samples, scans
from unisycl.oneapi.dpl.lines import lines_of
from unisycl.oneapi.dpl.scans import ONE, single
from unisycl.oneapi.dpl.single_pass import is_number
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Memory, Operand, Record

_BUCKET = 1 << 14
"""Elements that a bucket shall have."""
_OVER = 4
"""Samples for each bucket, of which one divides."""
_LEAF = 32
"""Elements that a leaf shall have."""
_OF_LEAVES = 2
"""Samples for each leaf, of which one divides."""
_LEAVES = 9
"""A bucket is divided into leaves as many as this power of two at most."""
_LEAST = 1 << 16
"""Fewer elements are merged, which takes less to compile."""
_MOST = 1 << 30
"""As many or more are merged: positions are of 32 bits."""
_CHUNKS = 4
"""Chunks of each processor."""


def sorted_by_samples(call: Call, keys: Operand, values: Operand | None, before: Any) -> bool:
    """Sort keys in place by a function of two, and values along; return whether this is the way."""
    n = keys.size or 0
    pair = [keys] if values is None else [keys, values]
    if (not call.shape.packs or call.checked or call.in_order or not _LEAST <= n < _MOST
            or not all(isinstance(x, Memory) for x in pair)):
        return False
    items = keys if values is None else zip_iterator(keys, values)
    most, lines = lines_of(call, items)
    if lines is None:
        return False
    dtypes = [np.dtype(x.dtype) for x in pair if is_number(x.dtype)]
    others = [call.own(n, t) for t in dtypes]
    other = others[0] if values is None else zip_iterator(*others)
    bits = max(min((most + 1).bit_length() - 2, (n // _BUCKET).bit_length()), 1)
    buckets, ids, kind = 2 << bits, call.own(n, np.uint16), np.int64
    units = int(call.queue.get_device().get_info(sycl.info.device.max_compute_units))
    part = max(call.shape.chunk(n), -(-n // min(_CHUNKS * units, call.shape.chunks)))
    chunks = -(-n // part)
    bounds, counts = call.own(chunks + 1, kind), call.own(chunks * buckets + 1, kind)
    each(call, chunks + 1, maps.iota, bounds, kind(0), kind(part), kind)
    table = call.own(1 << bits, dtypes[0])
    cells = sycl.local_accessor(dtypes[0], max(_OVER << bits, _OF_LEAVES << _LEAVES))
    by = [Record(samples.division, table, np.int32(bits), kind(0), np.int32(_OVER), step, 0, 0,
                 kind(n), before) for step in (chunks, 1)]
    call.launch(sycl.nd_range(samples.ROW, samples.ROW), samples.choose, keys, bounds, cells, by[0])
    call.launch(sycl.nd_range(chunks * samples.LANES, samples.LANES), samples.classify, keys, ids,
                bounds, cells, by[1])
    space = sycl.nd_range(chunks, 1)
    call.launch(space, samples.count_ids, ids, counts,
                views.chunks(n, part, sycl.local_accessor(np.uint32, buckets), buckets))
    call.launch(ONE, single, scans.before_all, counts, chunks * buckets)
    call.launch(space, samples.distribute_ids, items, other, ids, counts,
                Record(views.chunks, n, part, lines, buckets))
    tables = call.own(buckets << _LEAVES, dtypes[0])
    leaves = Record(samples.division, tables, np.int32(_LEAVES), kind(_LEAF), np.int32(_OF_LEAVES),
                    chunks, 1, 1 << _LEAVES, kind(n), before)
    _by_leaves(call, (items, other, others[0], ids, counts), cells, leaves, dtypes)
    return True


def _by_leaves(call: Call, memory: tuple[Operand, ...], cells: Any, by: Operand,
               dtypes: list[np.dtype[Any]]) -> None:
    """Sort buckets, which stand in other memory, into place."""
    items, other, keys, ids, bounds = memory
    assert isinstance(by, Record)
    chunks, before = by.fields[4], by.fields[-1]
    buckets = (bounds.size or 0) // chunks
    ends = call.own(buckets << (_LEAVES + 1), np.int32)
    call.launch(sycl.nd_range(buckets * samples.ROW, samples.ROW), samples.choose, keys, bounds,
                cells, by)
    call.launch(sycl.nd_range(buckets * samples.LANES, samples.LANES), samples.classify, keys, ids,
                bounds, cells, by)
    space = sycl.nd_range(buckets, 1)
    call.launch(space, samples.divide, other, items, ids, bounds,
                sycl.local_accessor(np.int32, 2 << _LEAVES), ends, by)
    own = (samples.one_leaf if len(dtypes) == 1 else samples.two_leaves)(
        sycl.local_accessor(np.int32, samples.LEAF),
        *(sycl.local_accessor(t, samples.LEAF) for t in dtypes))
    call.launch(sycl.nd_range(buckets * samples.ROW, samples.ROW), samples.sort_leaves, items,
                bounds, ends, own, by)
    order = (merging.wholes if len(dtypes) == 1 else merging.firsts)(before)
    call.launch(space, samples.merge_rest, items, other, bounds, ends, order, by)
