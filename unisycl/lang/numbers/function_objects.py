"""SYCL's function objects and their identities (SYCL 2020 §4.17.1).

Non-goals: operators of the user's own, which are plain functions. Invariant: each object is the one
of its name, so code compares operators with ``is``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.base.dtypes import find_dtype
from unisycl.base.errors import UsageError, errc
from unisycl.ir import operators
from unisycl.lang.numbers.elements import Operators, elementwise


class function_object:
    """A binary operator that reductions, scans and kernels take (SYCL 2020 §4.17.1).

    Called with two operands it combines them; called with none, as ``plus()`` in C++ style, or
    subscripted with a type, as ``plus[np.float32]``, it is itself.
    """

    def __init__(self, name: str, fn: Callable[[Any, Any], Any], doc: str) -> None:
        self.__name__ = name
        self._fn = fn
        self.__doc__ = doc

    def __call__(self, *operands: Any) -> Any:
        """Combine two operands; with none, return the object itself."""
        if len(operands) == 2:
            if isinstance(operands[0], Operators) or isinstance(operands[1], Operators):
                return elementwise(self._fn, self.__name__, operands)
            return self._fn(*operands)
        if not operands:
            return self
        raise UsageError(errc.invalid, f"{self.__name__} combines 2 operands, got {len(operands)}")

    def __getitem__(self, dtype: npt.DTypeLike) -> function_object:
        return self

    def __reduce__(self) -> str:
        return self.__name__

    def __repr__(self) -> str:
        return f"unisycl.{self.__name__}"


plus = function_object("plus", operator.add, "x + y")
multiplies = function_object("multiplies", operator.mul, "x * y")
bit_and = function_object("bit_and", operator.and_, "x & y")
bit_or = function_object("bit_or", operator.or_, "x | y")
bit_xor = function_object("bit_xor", operator.xor, "x ^ y")
logical_and = function_object("logical_and", lambda x, y: bool(x) and bool(y), "x and y, as a bool")
logical_or = function_object("logical_or", lambda x, y: bool(x) or bool(y), "x or y, as a bool")
minimum = function_object("minimum", lambda x, y: min(y, x), "The smaller of x and y")
maximum = function_object("maximum", lambda x, y: max(y, x), "The larger of x and y")


def _identity(op: Any, dtype: np.dtype[Any]) -> Any:
    """Return the identity as any number, or None where SYCL knows none (§4.17.1 table)."""
    kind = find_dtype(dtype)
    known = isinstance(op, function_object) and kind is not None
    return operators.identity(op.__name__, kind) if known and kind is not None else None


def has_known_identity(op: Any, dtype: npt.DTypeLike) -> bool:
    """Say whether SYCL knows the identity of an operator on a type (SYCL 2020 §4.17.1)."""
    return _identity(op, np.dtype(dtype)) is not None


def known_identity(op: Any, dtype: npt.DTypeLike) -> Any:
    """Return the identity of an operator on a type (SYCL 2020 §4.17.1).

    Args:
        op: one of SYCL's function objects.
        dtype: the type of the operands.

    Raises ``errc.invalid`` where there is none; ``has_known_identity`` asks first.

    Example:
        >>> known_identity(minimum, np.int16)
        np.int16(32767)
    """
    kind = np.dtype(dtype)
    value = _identity(op, kind)
    if value is None:
        name = getattr(op, "__name__", repr(op))
        raise UsageError(errc.invalid, f"no identity is known for {name} on {kind}; give one")
    return kind.type(value)


def neutral(op: Any, dtype: npt.DTypeLike) -> Any:
    """Return what combines with any value to that value, also where SYCL knows no identity."""
    kind = find_dtype(dtype)
    assert isinstance(op, function_object)
    assert kind is not None
    return kind.numpy.type(operators.neutral(op.__name__, kind))
