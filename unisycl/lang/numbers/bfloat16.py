"""bfloat16: the type that the package ml_dtypes gives NumPy, and its arithmetic on the host.

Non-goals: kernels on other devices (``passes.shared.scalars``). Invariants: ml_dtypes is imported
when the type is first asked for, and never needed by who does not; a function of bfloat16 is
computed in float32 and rounded once, to nearest even.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from unisycl.base.dtypes import BFLOAT16, find_dtype
from unisycl.base.errors import UnsupportedError, errc

_FLOAT32 = np.dtype(np.float32)


def bfloat16_type() -> Any:
    """Return the class of bfloat16 numbers (SYCL_EXT_ONEAPI_BFLOAT16), a NumPy scalar type.

    Raises ``errc.feature_not_supported`` where ml_dtypes is not installed.
    """
    try:
        return importlib.import_module("ml_dtypes").bfloat16
    except ImportError:
        raise UnsupportedError(
            errc.feature_not_supported, "bfloat16 is a type of the package ml_dtypes, which is not "
            "installed here; install it with: pip install ml_dtypes") from None


def is_bfloat16(kind: np.dtype[Any]) -> bool:
    """Say whether a dtype is bfloat16."""
    return kind.kind == "V" and find_dtype(kind) is BFLOAT16


def result_type(*numbers: Any) -> np.dtype[Any]:
    """Return what NumPy's operators make of numbers, Python's being weak (NEP 50)."""
    strong = [x.dtype for x in numbers if isinstance(x, np.generic)]
    if not any(map(is_bfloat16, strong)):
        return np.result_type(*numbers)
    shared = functools.reduce(np.promote_types, strong)
    weak = [x for x in numbers if not isinstance(x, np.generic)]
    if is_bfloat16(shared) and any(isinstance(x, float | complex) for x in weak):
        shared = np.promote_types(shared, _FLOAT32)
    return shared


def widened(kinds: Sequence[np.dtype[Any]]) -> list[np.dtype[Any]]:
    """Return the types that a function of operands of these types computes in."""
    return [_FLOAT32 if is_bfloat16(k) else k for k in kinds]


def narrowed(results: Any, kind: np.dtype[Any]) -> Any:
    """Return float32 results rounded; others as they are."""
    if isinstance(results, tuple):
        return tuple(narrowed(x, kind) for x in results)
    return results.astype(kind) if isinstance(results, np.float32) else results
