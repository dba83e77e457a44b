"""Constants as C text, exactly.

Non-goals: what type a constant has. Invariant: the text, read by a C compiler, is the same bits.
"""

from __future__ import annotations

import math

import numpy as np

from unisycl.backends.cfamily.dialect import Dialect
from unisycl.base.dtypes import DType


def literal(value: bool | int | float, dtype: DType, d: Dialect) -> str:
    """Return a constant of a type; negative numbers are not in parentheses."""
    if dtype.kind == "b":
        return "true" if value else "false"
    return _float(float(value), dtype, d) if dtype.is_float else _integer(int(value), dtype, d)


def _integer(value: int, dtype: DType, d: Dialect) -> str:
    suffix = d.suffixes.get(dtype.name, "")
    if dtype.kind == "i" and dtype.bits >= 32 and value == -(1 << (dtype.bits - 1)):
        return f"(-{-(value + 1)}{suffix} - 1)"
    text = f"{value}{suffix}"
    return text if dtype.bits >= 32 else f"({d.types[dtype.name]}){text}"


def _float(value: float, dtype: DType, d: Dialect) -> str:
    suffix = d.suffixes.get(dtype.name, "")
    if math.isnan(value):
        return f"({d.types[dtype.name]}){d.infinities['nan']}"
    if math.isinf(value):
        text = f"({d.types[dtype.name]}){d.infinities['inf']}"
        return text if value > 0 else f"-{text}"
    number = dtype.numpy.type(value)
    if dtype.bits == 16:  # exact in float32, and some compilers have no literals of it
        return f"({d.types[dtype.name]}){_point(repr(float(number)))}f"
    text = repr(float(number)) if dtype.bits == 64 else str(np.float32(number))
    return _point(text) + suffix


def _point(text: str) -> str:
    """Return a number that C reads as floating."""
    return text if any(c in text for c in ".en") else text + ".0"
