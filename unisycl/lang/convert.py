"""Conversion of any number to an element type, as a store to device memory converts.

Non-goals: deciding types. Invariant: never raises for a number: integers wrap, floats truncate
towards zero, and what does not fit a target integer is some value of that type.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def convert(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return ``value`` as a NumPy scalar of ``dtype``."""
    if value.__class__ is dtype.type:
        return value
    if dtype.kind in "iu" and not isinstance(value, float | np.floating):
        return wrap_integer(int(value), dtype)
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype)[()]


def wrap_integer(value: int, dtype: np.dtype[Any]) -> Any:
    """Return an integer reduced modulo two to the width of an integer dtype."""
    bits = 8 * dtype.itemsize
    value &= (1 << bits) - 1
    if dtype.kind == "i" and value >> (bits - 1):
        value -= 1 << bits
    return dtype.type(value)
