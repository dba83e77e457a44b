"""Conversion of any number to an element type, as a store to device memory converts.

Non-goals: deciding types. Invariant: never raises for a number: integers wrap, floats truncate
towards zero, and what does not fit a target integer is some value of that type.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from unisycl.base.enums import rounding_mode


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


_WHOLE = {rounding_mode.rte: np.rint, rounding_mode.rtp: np.ceil, rounding_mode.rtn: np.floor}


def round_to(x: Any, dtype: np.dtype[Any], mode: rounding_mode) -> Any:
    """Return a NumPy scalar converted as ``vec.convert`` does (SYCL 2020 §4.14.2.5)."""
    if dtype.kind != "f":
        whole = _WHOLE.get(mode) if x.dtype.kind == "f" else None
        return convert(x if whole is None else whole(x), dtype)
    near = convert(x, dtype)
    if mode in (rounding_mode.automatic, rounding_mode.rte) or not np.isfinite(x):
        return near
    Fraction: Any = importlib.import_module("fractions").Fraction
    exact = Fraction(int(x)) if x.dtype.kind in "biu" else Fraction(float(x))
    above = near > 0 if np.isinf(near) else Fraction(float(near)) > exact
    below = near < 0 if np.isinf(near) else Fraction(float(near)) < exact
    down = mode is rounding_mode.rtn or (mode is rounding_mode.rtz and exact > 0)
    if above and down:
        return np.nextafter(near, dtype.type(-np.inf))
    if below and not down:
        return np.nextafter(near, dtype.type(np.inf))
    return near
