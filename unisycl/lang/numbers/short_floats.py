"""Short floats, types that the package ml_dtypes gives NumPy, and their arithmetic on the host.

Non-goals: kernels on other devices (``passes.shared.scalars``). Invariants: ml_dtypes is imported
when a type is first asked for, and never needed by who does not; a function of such numbers is
computed in float32 and rounded once, to nearest even.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from unisycl.base.dtypes import find_dtype
from unisycl.base.errors import UnsupportedError, errc


def class_of(name: str) -> Any:
    """Return the class of a short float's numbers, a NumPy scalar type.

    Raises ``errc.feature_not_supported`` where ml_dtypes is not installed.
    """
    try:
        return getattr(importlib.import_module("ml_dtypes"), name)
    except ImportError:
        raise UnsupportedError(
            errc.feature_not_supported, f"{name} is a type of the package ml_dtypes, which is not "
            "installed here; install it with: pip install ml_dtypes") from None


def wide(kind: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type that functions of a type are computed in: of a short float float32."""
    if kind.isbuiltin != 1:  # not NumPy's own, so this is looked at first
        row = find_dtype(kind)
        return row.wide.numpy if row is not None and row.is_short else kind
    return kind


def is_short(kind: np.dtype[Any]) -> bool:
    """Say whether a dtype is a short float."""
    return wide(kind) is not kind


def result_type(*numbers: Any) -> np.dtype[Any]:
    """Return what NumPy's operators make of numbers, Python's being weak (NEP 50)."""
    strong = [x.dtype for x in numbers if isinstance(x, np.generic)]
    if not any(map(is_short, strong)):
        return np.result_type(*numbers)
    shared = functools.reduce(np.promote_types, strong)
    weak = [x for x in numbers if not isinstance(x, np.generic)]
    if any(isinstance(x, float | complex) for x in weak):
        shared = np.promote_types(shared, wide(shared))
    return shared


def widened(kinds: Sequence[np.dtype[Any]]) -> list[np.dtype[Any]]:
    """Return the types that a function of operands of these types computes in."""
    return [wide(k) for k in kinds]


def narrowed(results: Any, kind: np.dtype[Any]) -> Any:
    """Return float32 results rounded; others as they are."""
    if isinstance(results, tuple):
        return tuple(narrowed(x, kind) for x in results)
    return results.astype(kind) if isinstance(results, np.float32) else results
