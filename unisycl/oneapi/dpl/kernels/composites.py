"""Kernels of combinations of tuples and records, beside those of any operator (``scans``).

Written in the kernel language. Non-goals: groups that combine together, which are for numbers.
Invariant: an element has the types that elements have, whatever the operator returned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dpl.kernels import scans

__kernel_language__ = True


@dataclass(frozen=True)
class places:
    """What makes a tuple of a value, place by place; ``kinds`` are the types of its places."""

    kinds: tuple[Any, ...]

    def __call__(self, x: Any) -> Any:
        """Return a tuple in these types."""
        return tuple(kind(y) for kind, y in zip(self.kinds, x, strict=True))


def kind_of(dtype: Any) -> Any:
    """Return what makes an element of a type."""
    if isinstance(dtype, tuple):
        return places(tuple(kind_of(t) for t in dtype))
    return np.dtype(dtype) if np.dtype(dtype).names is not None else np.dtype(dtype).type


# ---- tuples
def with_start(it: Any, out: Any, start: Any, op: Any, kind: Any) -> None:
    """Combine a start with the one element that is left."""
    out.store(0, kind(op(start.load(0), out.load(0))))


def before(it: Any, totals: Any, count: Any, op: Any, kind: Any, start: Any) -> None:
    """Replace the total of each part by what stands before it; without a start from the second."""
    if start is None:
        scans.before_chunks(totals, count, op, kind)
    else:
        scans.before_parts(totals, count, op, kind, start.load(0))


# ---- records: two places of one memory, of which an operator may return either
def record_total(it: Any, source: Any, totals: Any, plan: Any) -> None:
    """Combine a chunk in order."""
    first = it.get_group(0) * plan.part
    own = sycl.private_array(plan.kind, 2)
    own[0] = source.load(first)
    for k in range(first + 1, min(first + plan.part, plan.count)):
        own[1] = source.load(k)
        own[0] = plan.op(own[0], own[1])
    totals.store(it.get_group(0), own[0])


def record_with_start(it: Any, out: Any, start: Any, op: Any, kind: Any) -> None:
    """Combine a start with the one element that is left."""
    own = sycl.private_array(kind, 2)
    own[0] = start.load(0)
    own[1] = out.load(0)
    out.store(0, op(own[0], own[1]))


def record_before(it: Any, totals: Any, count: Any, op: Any, kind: Any, start: Any) -> None:
    """Replace the total of each part by what stands before it; without a start from the second."""
    own = sycl.private_array(kind, 2)
    first = 0
    if start is None:
        first = 1
        own[0] = totals.load(0)
    else:
        own[0] = start.load(0)
    for k in range(first, count):
        own[1] = totals.load(k)
        totals.store(k, own[0])
        own[0] = op(own[0], own[1])


def record_inclusive(it: Any, source: Any, target: Any, before: Any, plan: Any) -> None:
    """Write the combinations up to each element of a chunk; before the first chunk is nothing."""
    first = it.get_group(0) * plan.part
    own = sycl.private_array(plan.kind, 2)
    if it.get_group(0) > 0:
        own[0] = before.load(it.get_group(0))
        own[1] = source.load(first)
        own[0] = plan.op(own[0], own[1])
    else:
        own[0] = source.load(first)
    target.store(first, own[0])
    for k in range(first + 1, min(first + plan.part, plan.count)):
        own[1] = source.load(k)
        own[0] = plan.op(own[0], own[1])
        target.store(k, own[0])


def record_started(it: Any, source: Any, target: Any, before: Any, plan: Any) -> None:
    """Write the combinations up to each element of a chunk, where there is a start."""
    first = it.get_group(0) * plan.part
    own = sycl.private_array(plan.kind, 2)
    own[0] = before.load(it.get_group(0))
    for k in range(first, min(first + plan.part, plan.count)):
        own[1] = source.load(k)
        own[0] = plan.op(own[0], own[1])
        target.store(k, own[0])


def record_exclusive(it: Any, source: Any, target: Any, before: Any, plan: Any) -> None:
    """Write the combinations before each element of a chunk."""
    first = it.get_group(0) * plan.part
    own = sycl.private_array(plan.kind, 2)
    own[0] = before.load(it.get_group(0))
    for k in range(first, min(first + plan.part, plan.count)):
        own[1] = source.load(k)
        target.store(k, own[0])
        own[0] = plan.op(own[0], own[1])
