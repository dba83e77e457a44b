"""``histogram``: counts by bins, of one width or between given limits.

Counts are exact, and the same on every device. Non-goals: weights. Invariant: what lies in no bin,
NaN among it, is not counted.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.elementwise import each
from unisycl.oneapi.dpl.kernels import histograms
from unisycl.oneapi.dpl.single_pass import counted_once
from unisycl.oneapi.frame import views
from unisycl.oneapi.frame.call import Call, routine
from unisycl.oneapi.frame.operands import Memory, Operand, Record
from unisycl.oneapi.frame.refusals import whole
from unisycl.oneapi.frame.results import future
from unisycl.oneapi.frame.types import check_room, scalar

MOST = 1 << 22
"""The counts that chunks keep for themselves, all together."""


def _even(call: Call, dtype: np.dtype[Any], bins: int, low: Any, high: Any) -> Any:
    if not low < high:
        call.refuse(f"the range must not be empty, got {low} to {high}")
    if dtype.kind == "f":
        if not (math.isfinite(low) and math.isfinite(high)):
            call.refuse(f"the range must be finite, got {low} to {high}")
        make = dtype.type
        return histograms.even_bins(make(low), make(high),
                                    make(bins / (float(high) - float(low))))
    if not (low == int(low) and high == int(high)):
        call.refuse(f"the range of whole numbers is of whole numbers, got {low} to {high}")
    low, high = int(low), int(high)
    top = np.iinfo(np.int64).max
    if not -top <= low <= high <= top or (high - low) * bins > top:
        call.refuse(f"a range from {low} to {high} in {bins} bins needs more than 64 bits")
    wide = np.int64
    width, rest = divmod(high - low, bins)
    if rest == 0 and width & (width - 1) == 0:
        return histograms.shifted_bins(wide(low), wide(high), wide(width.bit_length() - 1))
    return histograms.whole_bins(wide(low), wide(high))


def _check_sorted(call: Call, limits: Operand) -> None:
    """Refuse limits that are not sorted, where the host has them."""
    if isinstance(limits, Memory) and isinstance(limits.base, np.ndarray):
        known = limits.base[limits.first:limits.first + (limits.size or 0)]
        if not (known[:-1] <= known[1:]).all():
            call.refuse("the limits must be sorted, each no less than the one before it")


@routine
def histogram(call: Call, data: Any, bins: Any, *more: Any) -> future:
    """Count elements by bins.

    Called as ``histogram(policy, x, bins, low, high, out)`` for bins of one width from ``low`` to
    ``high``, exclusively, or as ``histogram(policy, x, limits, out)`` for bins between neighbours
    of sorted limits. Each bin has its lower limit in it and not its upper one.

    Args:
        call: the policy, or a queue.
        data: the numbers. Of floats, bin ``int((x - low) * (bins / (high - low)))`` in their type.
        bins: how many bins there are; or the limits, memory of the numbers' type.
        more: ``low``, ``high`` and where the counts go; or only where the counts go.
    """
    source = call.source("the input", data)
    dtype = scalar(call.name, "the elements", source.dtype)
    if dtype.kind not in "iuf":
        call.refuse(f"elements are whole numbers or floats, not {dtype}")
    rule: Any
    if len(more) == 1:
        limits = call.source("the limits", bins)
        count = limits.size - 1
        if count < 1:
            call.refuse("there must be two limits at least")
        _check_sorted(call, limits)
        rule, out = Record(histograms.bins_between, limits), more[0]
    elif len(more) == 3:
        count = whole(call.name, "the number of bins", bins, 1)
        rule, out = _even(call, dtype, count, more[0], more[1]), more[2]
    else:
        call.refuse("give (x, bins, low, high, out) or (x, limits, out)")
    target = call.target("the output", out, count)
    check_room(call.name, "the output", target.dtype, source.size)
    call.apart(target, source)
    _counted(call, source, rule, target, count)
    return call.done()


def _counted(call: Call, source: Operand, rule: Any, target: Operand, bins: int) -> None:
    if counted_once(call, source, rule, target, bins):
        return
    n = source.size or 0
    parts = min(call.shape.chunks, max(MOST // bins, 1), -(-n // call.shape.least))
    partial = call.own(max(parts, 1) * (bins + 1), np.int64)
    if n:
        plan = views.chunks(n, -(-n // parts))
        parts = -(-n // plan.part)
        call.launch(sycl.nd_range(parts, 1), histograms.count_chunk, source, rule, partial, bins,
                    plan)
    each(call, bins, histograms.join, partial, target, bins, parts)
