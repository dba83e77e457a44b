"""Running combinations: inclusive and exclusive scans, also of a function of each element.

Elements are combined in parts whose size depends on the kind of device and the number of elements
alone: the same bits on every run and for any number of threads. Between kinds of devices, and
policies, sums of floats may be rounded otherwise. Non-goals: scans by segment (``segments``).
Invariant: the output may be the very elements that are read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl import composites
from unisycl.oneapi.dpl.elementwise import each
from unisycl.oneapi.dpl.iterators import constant_iterator, transform_iterator
from unisycl.oneapi.dpl.kernels import maps, reductions, scans
from unisycl.oneapi.dpl.operators import check_associative, identity_of, known
from unisycl.oneapi.dpl.single_pass import scanned_once
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call, routine
from unisycl.oneapi.frame.operands import Memory, Operand, Past, Record
from unisycl.oneapi.frame.results import future
from unisycl.oneapi.frame.types import number, scalar, type_of

ONE = sycl.nd_range(1, 1)


def scanned(call: Call, source: Operand, target: Operand, op: Any, dtype: np.dtype[Any], *,
            start: Any = None, exclusive: bool = False) -> None:
    """Write the running combinations of elements, of which there is one at least."""
    op = known(op)
    identity = None if call.in_order else identity_of(op, dtype)
    if identity is None:
        _by_chunks(call, source, target, op, dtype, start=start, exclusive=exclusive)
        return
    kind, shape, count = dtype.type, call.shape, source.size or 0
    begin = identity if start is None else start
    if scanned_once(call, source, target,
                    views.plan(count, not exclusive, op, kind, (identity, begin))):
        return
    row = scans.exclusive_row if exclusive else scans.inclusive_row
    if shape.tiles(count) == 1:
        call.launch(shape.tile_space(count), scans.tile_of_rows, source, target,
                    constant_iterator(begin), views.plan(count, shape.tile, op, kind, identity),
                    row)
        return
    totals = call.own(shape.tiles(count), dtype)
    space, plan = shape.tile_space(count), views.plan(count, shape.tile, op, kind, identity)
    if shape.turns and not call.checked:
        words = call.own(shape.tiles(count) + 1, np.uint32)
        each(call, words.size or 0, maps.fill, words, np.uint32(0))
        units = int(call.queue.get_device().get_info(sycl.info.device.max_compute_units))
        groups = min(units, shape.tiles(count))
        call.launch(sycl.nd_range(groups * shape.width, shape.width), scans.tiles_in_turn, source,
                    unread(source, target), Record(views.candidates, totals, words), plan, row,
                    kind(begin))
        return
    call.launch(space, reductions.joined, source, totals, plan)
    call.launch(ONE, single, scans.before_parts, totals, shape.tiles(count), op, kind,
                begin)
    call.launch(space, scans.tile_of_rows, source, target, totals, plan, row)


_LARGE = 32 << 20
"""Bytes that are more than a cache keeps until they are read."""


def unread(source: Operand, target: Operand) -> Operand:
    """Return an output on processors, past the caches where it is large and not what is read."""
    if isinstance(target, Memory) and np.dtype(target.dtype).kind in "iuf" \
            and (target.size or 0) * np.dtype(target.dtype).itemsize >= _LARGE \
            and target.is_contiguous() \
            and not any(a.meets(b) for a in target.extents() for b in source.extents()):
        return Past(target)
    return target


def single(it: Any, work: Any, *args: Any) -> None:
    """Do a work in one work-item."""
    work(*args)


def _by_chunks(call: Call, source: Operand, target: Operand, op: Any, dtype: np.dtype[Any], *,
               start: Any, exclusive: bool) -> None:
    kind, shape, count = dtype.type, call.shape, source.size or 0
    plan, space = views.plan(count, shape.chunk(count), op, kind), shape.chunk_space(count)
    parts = space.get_group_range()[0]
    totals = call.own(parts, dtype)
    call.launch(space, scans.total_of_chunk, source, totals, plan)
    if start is None:
        call.launch(ONE, single, scans.before_chunks, totals, parts, op, kind)
        kernel = scans.inclusive_chunk
    else:
        call.launch(ONE, single, scans.before_parts, totals, parts, op, kind, start)
        kernel = scans.exclusive_chunk if exclusive else scans.started_chunk
    call.launch(space, kernel, source, target, totals, plan)


def _scan(call: Call, source: Operand, out: Any, op: Any, start: Any, *, dtype: Any,
          exclusive: bool) -> future:
    target = call.target("the output", out, source.size or 0)
    call.apart(target, source, same=True)
    if dtype is None and composites.is_composite(source.dtype):
        composites.scanned(call, source, target, op, start=start, exclusive=exclusive)
        return call.done()
    if dtype is None:
        dtype = type_of(start) if isinstance(start, np.generic) else source.dtype
    kind = scalar(call.name, "the elements", dtype)
    if start is not None:
        start = number(call.name, "the start", start, kind)
    if call.checked:
        check_associative(call.name, known(op), kind)
    if source.size:
        scanned(call, source, target, op, kind, start=start, exclusive=exclusive)
    return call.done()


@routine
def inclusive_scan(call: Call, data: Any, out: Any, op: Any = sycl.plus, start: Any = None,
                   dtype: Any = None) -> future:
    """Write the combination of all elements up to each one, itself included.

    Args:
        call: the policy, or a queue.
        data: the elements.
        out: where the results go; may be the elements.
        op: one of SYCL's function objects, or any associative function of two.
        start: what the first one is combined with.
        dtype: the type to combine in; left out, that of a start of NumPy's, or of the elements.
    """
    return _scan(call, call.source("the input", data), out, op, start, dtype=dtype,
                 exclusive=False)


@routine
def exclusive_scan(call: Call, data: Any, out: Any, start: Any = 0, op: Any = sycl.plus,
                   dtype: Any = None) -> future:
    """Write the combination of all elements before each one; see ``inclusive_scan``.

    Args:
        call: the policy, or a queue.
        data: the elements.
        out: where the results go; may be the elements.
        start: what the first one gets.
        op: the operator.
        dtype: the type to combine in.
    """
    return _scan(call, call.source("the input", data), out, op, start, dtype=dtype,
                 exclusive=True)


@routine
def transform_inclusive_scan(call: Call, data: Any, out: Any, op: Any, function: Any,
                             start: Any = None, *, dtype: Any = None) -> future:
    """Write the running combinations of a function of each element; see ``inclusive_scan``."""
    source = transform_iterator(call.source("the input", data), function)
    return _scan(call, source, out, op, start, dtype=dtype, exclusive=False)


@routine
def transform_exclusive_scan(call: Call, data: Any, out: Any, start: Any, op: Any, function: Any,
                             *, dtype: Any = None) -> future:
    """Write the combinations of a function of all elements before each; see ``exclusive_scan``."""
    source = transform_iterator(call.source("the input", data), function)
    return _scan(call, source, out, op, start, dtype=dtype, exclusive=True)
