"""``bit_cast``: the same bytes as a value of another type (SYCL 2020 §3.9.2).

Non-goals: conversions of values. Invariant: nothing is rounded; sizes are equal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.base.dtypes import find_dtype
from unisycl.base.errors import UsageError, errc
from unisycl.lang.index.item import item
from unisycl.lang.numbers.elements import Operators, elements_type


def bit_cast(to: npt.DTypeLike, value: Any) -> Any:
    """Return a value of another type with the same bytes (SYCL 2020 §3.9.2).

    Args:
        to: a number type, or a vec or marray type, as large as the value.
        value: a number, a vec or an marray. Python's int and float have 64 bits.

    Raises ``errc.invalid`` where the sizes differ.

    Example:
        >>> hex(bit_cast(np.uint32, np.float32(1)))
        '0x3f800000'
    """
    data = _bytes(value)
    own = to if isinstance(to, elements_type) else None
    kind = np.dtype(to)
    if own is None and not _has_bits(kind):
        raise UsageError(errc.invalid, f"bit_cast: kernels have no type {kind}")
    if kind.itemsize != len(data):
        raise UsageError(errc.invalid, f"bit_cast: the value has {len(data)} bytes, {kind} has "
                         f"{kind.itemsize}")
    if own is None:
        return np.frombuffer(data, kind)[0]
    return own._of(np.frombuffer(data, own.element)[:own.count])


def _has_bits(kind: np.dtype[Any]) -> bool:
    """Say whether kernels have a type, and cast its bits: those of complex numbers they do not."""
    row = find_dtype(kind)
    return row is not None and row.kind != "c"


def _bytes(value: Any) -> bytes:
    """Return the bytes of a number, vec or marray; padding is zero."""
    if isinstance(value, item):
        value = value.__index__()
    if isinstance(value, Operators):
        own = value._type
        return value._get().tobytes().ljust(own.dtype.itemsize, b"\0")
    found = np.asarray(value)
    if found.ndim or not _has_bits(found.dtype):
        raise UsageError(errc.invalid, f"bit_cast takes a number or a vec, not "
                         f"{type(value).__name__}")
    return found.tobytes()
