"""Combinations of tuples and records: reduce and scans where an element is more than one number.

A work-item goes through a chunk in order; chunks depend on the kind of device and the number of
elements alone, so results are the same bits on every run. Non-goals: numbers (``reductions``,
``scans``), which groups combine together. Invariant: an element is what the operator returned, in
the types of the elements.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.elementwise import each
from unisycl.oneapi.dpl.iterators import zip_iterator
from unisycl.oneapi.dpl.kernels import composites, maps, scans
from unisycl.oneapi.dpl.operators import check_associative, known
from unisycl.oneapi.dpl.places import room
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call
from unisycl.oneapi.frame.operands import Memory, Operand, Type
from unisycl.oneapi.frame.results import future
from unisycl.oneapi.frame.types import number


def is_composite(dtype: Any) -> bool:
    """Say whether elements are tuples or records."""
    return isinstance(dtype, tuple) or np.dtype(dtype).names is not None


class _Ways(NamedTuple):
    """The kernels for one sort of elements."""

    total: Any
    with_start: Any
    before: Any
    inclusive: Any
    started: Any
    exclusive: Any


_TUPLES = _Ways(scans.total_of_chunk, composites.with_start, composites.before,
                scans.inclusive_chunk, scans.started_chunk, scans.exclusive_chunk)
_RECORDS = _Ways(composites.record_total, composites.record_with_start, composites.record_before,
                 composites.record_inclusive, composites.record_started,
                 composites.record_exclusive)


def _ways(dtype: Type) -> _Ways:
    return _TUPLES if isinstance(dtype, tuple) else _RECORDS


def _operator(call: Call, op: Any, dtype: Type, *, turned: bool) -> Any:
    """Return the operator; refuse SYCL's own, which are of numbers."""
    op = known(op)
    if isinstance(op, type(sycl.plus)):
        what = "tuples" if isinstance(dtype, tuple) else "records"
        call.refuse(f"the elements are {what}, of which op has to be a function of two that "
                    "returns one, such as lambda a, b: (a[0] + b[0], max(a[1], b[1])); or make "
                    "numbers of them by transform_iterator")
    if call.checked:
        check_associative(call.name, op, dtype, turned=turned)
    return op


def _kept(call: Call, value: Any, dtype: Type) -> Operand:
    """Return memory of one element, the start."""
    if not isinstance(dtype, tuple):
        found = np.zeros(1, dtype)
        try:
            found[0] = value
        except (TypeError, ValueError) as error:
            call.refuse(f"the start, {value!r}, is no record of {dtype} ({error})")
        return call.table(found)
    if not isinstance(value, tuple) or len(value) != len(dtype):
        call.refuse(f"the start, {value!r}, is no tuple of {len(dtype)}, as the elements are")
    return zip_iterator(*(_kept(call, v if is_composite(t) else number(
        call.name, "a place of the start", v, t), t)
        for v, t in zip(value, dtype, strict=True)))


def _results(call: Call, dtype: Type) -> Operand:
    """Return memory of one element that the host reads."""
    if isinstance(dtype, tuple):
        return zip_iterator(*(_results(call, t) for t in dtype))
    return call.result(dtype)


def _value(found: Operand) -> Any:
    """Return the element of such memory."""
    if isinstance(found, Memory):
        value = found.base[0]
        return value.copy() if isinstance(value, np.void) else value
    assert isinstance(found, zip_iterator)
    return tuple(_value(b) for b in found.bases)


def reduced(call: Call, source: Operand, start: Any, op: Any) -> future:
    """Combine all elements."""
    dtype, count = source.dtype, source.size or 0
    op = _operator(call, op, dtype, turned=True)
    begin = None if start is None else _kept(call, start, dtype)
    if not count:
        if begin is None:
            call.refuse("there is no element, and the operator has no identity that is known; "
                        "give a start")
        empty = _results(call, dtype)
        each(call, 1, maps.copy, begin, empty)
        return call.done(lambda: _value(empty))
    part, ways = call.shape.chunk(count), _ways(dtype)
    while True:
        parts = -(-count // part)
        out = _results(call, dtype) if parts == 1 else room(call, parts, dtype)
        call.launch(sycl.nd_range(parts, 1), ways.total, source, out,
                    views.plan(count, part, op, composites.kind_of(dtype)))
        if parts == 1:
            break
        source, count, part = out, parts, parts
    if begin is not None:
        call.launch(sycl.nd_range(1, 1), ways.with_start, out, begin, op,
                    composites.kind_of(dtype))
    return call.done(lambda: _value(out))


def scanned(call: Call, source: Operand, target: Operand, op: Any, *, start: Any,
            exclusive: bool) -> None:
    """Write the running combinations."""
    dtype, count = source.dtype, source.size or 0
    op = _operator(call, op, dtype, turned=False)
    begin = None if start is None else _kept(call, start, dtype)
    if not count:
        return
    plan = views.plan(count, call.shape.chunk(count), op, composites.kind_of(dtype))
    space = call.shape.chunk_space(count)
    parts = space.get_group_range()[0]
    totals, ways = room(call, parts, dtype), _ways(dtype)
    call.launch(space, ways.total, source, totals, plan)
    call.launch(sycl.nd_range(1, 1), ways.before, totals, parts, op, plan.kind, begin)
    call.launch(space, ways.inclusive if begin is None else
                ways.exclusive if exclusive else ways.started, source, target, totals, plan)
