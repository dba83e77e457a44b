"""Algorithms by segment: runs of neighbours whose keys are equal.

Values are combined in their order, in chunks whose size depends on the kind of device and the
number of elements alone: the same bits on every run and for any number of threads; between kinds of
devices, and policies, sums of floats may be rounded otherwise. Non-goals: keys that are not
neighbours; sort them first. Invariant: outputs overlap nothing, but that a scan may be in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.iterators import zip_iterator
from unisycl.oneapi.dpl.kernels import predicates, runs, segments
from unisycl.oneapi.dpl.operators import check_associative, identity_of, known
from unisycl.oneapi.dpl.places import Heads
from unisycl.oneapi.dpl.scans import ONE, single
from unisycl.oneapi.dpl.single_pass import runs_once
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call, routine
from unisycl.oneapi.frame.operands import Memory, Operand, Record
from unisycl.oneapi.frame.results import future
from unisycl.oneapi.frame.types import number, scalar, type_of


class _Segments:
    """Keys and values of a call, and what enters each chunk."""

    def __init__(self, call: Call, keys: Any, values: Any, same: Any, op: Any,
                 start: Any = None) -> None:
        self.call = call
        self.keys = call.source("the keys", keys)
        self.count: int = self.keys.size
        self.values = call.source("the values", values, self.count)
        self.heads = Heads(self.keys, predicates.equal if same is None else same)
        kind = type_of(start) if isinstance(start, np.generic) else self.values.dtype
        self.dtype = scalar(call.name, "the values", kind)
        self.op = known(op)
        if call.checked:
            check_associative(call.name, self.op, self.dtype)
        if start is not None:
            start = number(call.name, "the start", start, self.dtype)
        self.plan = views.plan(self.count, call.shape.chunk(self.count), self.op, self.dtype.type,
                               start)

    def once(self, kernel: Any, target: Operand, *, exclusive: bool = False) -> Memory | None:
        """Do it in one pass, where the device and the operator are for that."""
        identity, kind = identity_of(self.op, self.dtype), self.dtype.type
        if identity is None or self.call.in_order:
            return None
        start = self.plan.identity
        return runs_once(
            self.call, kernel, (self.keys, self.values), target, self.heads.same,
            views.plan(self.count, exclusive, self.op, kind,
                       (kind(identity), kind(identity) if start is None else start)))

    def enter(self) -> tuple[Operand, Memory, int]:
        """Find what enters each chunk; return it, the counts, and the index of their sum."""
        call, space = self.call, self.call.shape.chunk_space(self.count)
        parts = int(space.get_group_range()[0])
        tails, counts = call.scratch(parts, self.dtype), call.scratch(parts + 1, np.int64)
        call.launch(space, segments.summary, self.heads, self.values, tails, counts, self.plan)
        call.launch(ONE, single, segments.carry, tails, counts, parts, self.op, self.dtype.type)
        return Record(views.candidates, tails, counts), counts, parts


@routine
def reduce_by_segment(call: Call, keys: Any, values: Any, out_keys: Any, out_values: Any,
                      same: Any = None, *, op: Any = sycl.plus) -> future:
    """Combine the values of each run of equal keys.

    Args:
        call: the policy, or a queue.
        keys: the keys.
        values: as many values.
        out_keys: where the first key of each run goes, with room for all.
        out_values: where the combined values go, with room for all.
        same: a function of two neighbouring keys that says whether they count as equal.
        op: one of SYCL's function objects, or any associative function of two.

    Returns how many runs there are.
    """
    by = _Segments(call, keys, values, same, op)
    n = by.count
    a = call.target("the output of keys", out_keys, n, exact=False)
    b = call.target("the output of values", out_values, n, exact=False)
    call.apart(a, by.keys, by.values, b)
    call.apart(b, by.keys, by.values)
    if not n:
        return call.done(lambda: 0)
    once = by.once(runs.reduce, Record(views.sides, a, b))
    if once is not None:
        return call.done(lambda: int(once.base[0]))
    entering, counts, parts = by.enter()
    call.launch(call.shape.chunk_space(n), segments.reduced, by.heads,
                zip_iterator(by.keys, by.values), zip_iterator(a, b), entering, by.plan)
    return call.done(lambda: int(counts.base[parts]))


def _scan(by: _Segments, out: Any, kernel: Any) -> future:
    call = by.call
    target = call.target("the output", out, by.count)
    call.apart(target, by.values, same=True)
    call.apart(target, by.keys)
    exclusive = kernel is segments.exclusive
    if by.count and by.once(runs.scan, target, exclusive=exclusive) is None:
        entering, _, _ = by.enter()
        call.launch(call.shape.chunk_space(by.count), kernel, by.heads, by.values, target, entering,
                    by.plan)
    return call.done()


@routine
def inclusive_scan_by_segment(call: Call, keys: Any, values: Any, out: Any, same: Any = None,
                              *, op: Any = sycl.plus) -> future:
    """Write the combination of the values of a run of equal keys up to each one.

    Args:
        call: the policy, or a queue.
        keys: the keys.
        values: as many values.
        out: where the results go; may be the values.
        same: a function of two neighbouring keys that says whether they count as equal.
        op: one of SYCL's function objects, or any associative function of two.
    """
    return _scan(_Segments(call, keys, values, same, op), out, segments.inclusive)


@routine
def exclusive_scan_by_segment(call: Call, keys: Any, values: Any, out: Any, start: Any = 0,
                              same: Any = None, *, op: Any = sycl.plus) -> future:
    """Write the combination of the values of a run before each one, beginning with a start.

    See ``inclusive_scan_by_segment``.
    """
    return _scan(_Segments(call, keys, values, same, op, start), out, segments.exclusive)
