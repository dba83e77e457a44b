"""Atomic access to words of memory from Python's threads, as a backend may offer it.

Non-goals: element types. Invariant: operations are sequentially consistent with those of kernels.
"""

from __future__ import annotations

from typing import Protocol


class Words(Protocol):
    """Words of 1, 2, 4 and 8 bytes, by address, as unsigned integers. Any thread may call."""

    def load(self, address: int, size: int) -> int:
        """Return a word."""

    def store(self, address: int, size: int, word: int) -> None:
        """Write a word."""

    def compare_exchange(self, address: int, size: int, expected: int, desired: int) -> int:
        """Write a word if it is the expected one; return what it was."""
