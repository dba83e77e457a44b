"""The atomic operations of SYCL 1.2 as functions (§3.4, Table 3.3), usable in kernels.

Each takes an element of an accessor of mode ``access.atomic`` first. Non-goals: other orders than
``memory_order_relaxed``, which 1.2 does not have. Invariant: the same as the element's own method.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.base.errors import UsageError, errc


class atomic:
    """The type of an element of an atomic accessor, for annotations: ``atomic[np.int32]`` (§3.4).

    A program cannot make one: it indexes an accessor of mode ``access.atomic``.
    """

    value_type: np.dtype[Any]

    def __init__(self, *_: object) -> None:
        raise UsageError(errc.invalid, f"a program cannot make an {type(self).__name__}; index an "
                         "accessor of mode access.atomic")

    def __class_getitem__(cls, dtype: npt.DTypeLike) -> type[atomic]:
        kind = np.dtype(dtype)
        for known in (atomic_int, atomic_uint, atomic_float):
            if known.value_type == kind:
                return known
        raise UsageError(errc.invalid, "atomic: SYCL 1.2 has atomic elements of int32, uint32 and "
                         f"float32, not of {kind}; atomic_ref knows others")


class atomic_int(atomic):
    """An atomic int32."""

    value_type = np.dtype(np.int32)


class atomic_uint(atomic):
    """An atomic uint32."""

    value_type = np.dtype(np.uint32)


class atomic_float(atomic):
    """An atomic float32."""

    value_type = np.dtype(np.float32)


def atomic_load_explicit(object: Any, order: Any) -> Any:
    """Return the value."""
    return object.load(order)


def atomic_store_explicit(object: Any, operand: Any, order: Any) -> None:
    """Write ``operand``."""
    object.store(operand, order)


def atomic_compare_exchange_strong_explicit(object: Any, expected: Any, desired: Any,
                                            successes: Any, fail: Any) -> Any:
    """Write ``desired`` where ``expected`` was; return success, and what was there instead."""
    return object.compare_exchange_strong(expected, desired, successes, fail)


def atomic_exchange_explicit(object: Any, operand: Any, order: Any) -> Any:
    """Write ``operand`` and return the value before."""
    return object.exchange(operand, order)


def atomic_fetch_add_explicit(object: Any, operand: Any, order: Any) -> Any:
    """Add ``operand`` and return the value before."""
    return object.fetch_add(operand, order)


def atomic_fetch_sub_explicit(object: Any, operand: Any, order: Any) -> Any:
    """Subtract ``operand`` and return the value before."""
    return object.fetch_sub(operand, order)


def atomic_fetch_and_explicit(object: Any, operand: Any, order: Any) -> Any:
    """Combine by bitwise and; return the value before."""
    return object.fetch_and(operand, order)


def atomic_fetch_or_explicit(object: Any, operand: Any, order: Any) -> Any:
    """Combine by bitwise or; return the value before."""
    return object.fetch_or(operand, order)


def atomic_fetch_xor_explicit(object: Any, operand: Any, order: Any) -> Any:
    """Combine by bitwise exclusive or; return the value before."""
    return object.fetch_xor(operand, order)


def atomic_fetch_min_explicit(object: Any, operand: Any, order: Any) -> Any:
    """Keep the smaller of the two; return the value before."""
    return object.fetch_min(operand, order)


def atomic_fetch_max_explicit(object: Any, operand: Any, order: Any) -> Any:
    """Keep the greater of the two; return the value before."""
    return object.fetch_max(operand, order)
