"""What ``compare_exchange`` of an ``atomic_ref`` gives, written in the kernel language.

Non-goals: the exchange. Invariant: it is a tuple of two, but true only if the exchange was made,
so that ``if ref.compare_exchange_strong(a, b):`` means what it means in C++.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__kernel_language__ = True


class exchanged(NamedTuple):
    """Whether the value was what had been expected, and what it was (SYCL 2020 §4.15.3)."""

    success: bool
    old: Any

    def __bool__(self) -> bool:
        return self.success
