"""The atomic operations of SYCL 1.2 as functions (§3.4, Table 3.3), usable in kernels.

Each takes an element of an accessor of mode ``access.atomic`` first. Non-goals: other orders than
``memory_order_relaxed``, which 1.2 does not have. Invariant: the same as the element's own method.
"""

from __future__ import annotations

from typing import Any


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
