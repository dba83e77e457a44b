"""Constant numbers in memory: a tuple that is indexed at run time.

Non-goals: which tuples are worth one. Invariant: it is only read, within its extent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unisycl.base import dtypes
from unisycl.base.dataclass import dataclass
from unisycl.ir.nodes import Array
from unisycl.ir.types import Scalar


@dataclass(frozen=True, eq=False, slots=True)
class Table(Array):
    """An array of constant memory that holds these numbers; no kernel declares it."""

    values: tuple[int | float, ...] = ()


def holding(type: Scalar, numbers: Sequence[int | float]) -> Scalar:
    """Return a type that holds all numbers exactly: of 32 bits, which processors gather best."""
    kind = type.dtype
    if not type.weak:
        return type
    if kind.kind == "i":
        small = all(-(1 << 31) <= x < 1 << 31 for x in numbers)
        return Scalar(dtypes.INT32 if small else dtypes.INT64)
    with np.errstate(over="ignore"):
        small = all(x != x or float(np.float32(x)) == x for x in numbers)
    return Scalar(dtypes.FLOAT32 if small else dtypes.FLOAT64)
