"""The arithmetic of images on NumPy numbers: what the host device computes pixels with.

Non-goals: the rules (``ir.imaging``). Invariants: rounds as compiled code does; the callers of
``Scalars`` silence NumPy's warnings themselves, once for a whole pixel.
"""

from __future__ import annotations

import math
import operator
import struct
from typing import Any

import numpy as np

from unisycl.base.dtypes import DTYPES, DType
from unisycl.ir.builtins import BUILTINS

_OPERATIONS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "and": operator.and_, "or": operator.or_, "shl": operator.lshift, "shr": operator.rshift,
}
_KINDS = {name: row.numpy for name, row in DTYPES.items()}
_MAKERS = {name: kind.type for name, kind in _KINDS.items()}
_TESTS = {"eq": operator.eq, "lt": operator.lt, "le": operator.le, "gt": operator.gt}


class Numbers:
    """``ir.imaging.Algebra`` of NumPy scalars and arrays. Without state."""

    def const(self, value: float, dtype: DType) -> Any:
        """Return a literal."""
        return _MAKERS[dtype.name](value)

    def binary(self, op: str, a: Any, b: Any) -> Any:
        """Return an arithmetic operation, wrapping and dividing as devices do."""
        return _OPERATIONS[op](a, b)

    def compare(self, op: str, a: Any, b: Any) -> Any:
        """Return a comparison."""
        return _TESTS[op](a, b)

    def select(self, cond: Any, a: Any, b: Any) -> Any:
        """Return ``a`` where the condition holds, else ``b``."""
        return np.where(cond, a, b)[()]

    def cast(self, x: Any, dtype: DType) -> Any:
        """Return a number converted as C does."""
        return x.astype(_KINDS[dtype.name])

    def bitcast(self, x: Any, dtype: DType) -> Any:
        """Return the same bits as another type."""
        return x.view(_KINDS[dtype.name])

    def call(self, name: str, *args: Any) -> Any:
        """Return a builtin of numbers."""
        return fused(*args) if name == "fma" else BUILTINS[name].host(*args)

    def keep(self, x: Any) -> Any:
        """Return the number itself."""
        return x


class Scalars(Numbers):
    """The same of scalars only, and quicker."""

    def select(self, cond: Any, a: Any, b: Any) -> Any:
        """Return ``a`` if the condition holds, else ``b``."""
        return a if cond else b

    def call(self, name: str, *args: Any) -> Any:
        """Return a builtin of numbers."""
        match name:
            case "fma":
                return fused_one(*args)
            case "max":
                return max(args)
            case "min":
                return min(args)
        return BUILTINS[name].host(*args)


def fused(a: Any, b: Any, c: Any) -> Any:
    """Return ``a * b + c`` of float32 numbers, rounded once.

    The product is exact in float64; the sum is rounded to odd there, so that rounding it to float32
    is the only one that counts.
    """
    product, addend = np.float64(a) * np.float64(b), np.float64(c)
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)
    even = np.asarray(total).view(np.int64) & 1 == 0
    towards = np.where(error > 0, np.inf, -np.inf)
    odd = np.where(even & (error != 0) & np.isfinite(total), np.nextafter(total, towards), total)
    return odd.astype(np.float32)[()]


def fused_one(a: Any, b: Any, c: Any) -> Any:
    """Return ``fused`` of three scalars."""
    product, addend = float(a) * float(b), float(c)
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)
    if error and math.isfinite(error) and not struct.pack("<d", total)[0] & 1:
        total = math.nextafter(total, math.inf if error > 0 else -math.inf)
    return np.float32(total)
