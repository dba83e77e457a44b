"""The order of floats: by ``<``, -0.0 and 0.0 equal, and all NaN equal and behind all numbers.

Written in the kernel language. It is the order of NumPy's sort. Non-goals: other types, for which
``<`` is an order as it is. Invariant: these are strict weak orders, NaN or not.
"""

from __future__ import annotations

from typing import Any

__kernel_language__ = True


def ascending(a: Any, b: Any) -> Any:
    """Say whether ``a`` comes before ``b``."""
    return a < b or (a == a and b != b)


def descending(a: Any, b: Any) -> Any:
    """Say whether ``a`` comes before ``b`` where the greatest is first; NaN are last here, too."""
    return a > b or (a == a and b != b)
