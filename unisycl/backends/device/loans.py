"""Memory for one launch each, used again: allocating takes longer than many a kernel does.

Non-goals: whose memory it is. Invariant: memory on loan belongs to nobody else until the loan is
gone, and to nobody ever again once it is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

M = TypeVar("M")
_PAGE = 1 << 12
_LARGEST = 1 << 22  # larger memory is not kept for the next launch
_KEPT = 8  # of each size


class Pool(Generic[M]):
    """Memory of one device, by size."""

    def __init__(self) -> None:
        self._free: dict[int, list[M]] = {}

    def take(self, nbytes: int, allocate: Callable[[int], M]) -> Loan[M]:
        """Return at least so many bytes, not initialised."""
        size = max(_PAGE, 1 << max(0, nbytes - 1).bit_length())
        if size > _LARGEST:
            return Loan(None, allocate(nbytes))
        free = self._free.setdefault(size, [])
        try:
            return Loan(free, free.pop())
        except IndexError:
            return Loan(free, allocate(size))


class Loan(Generic[M]):
    """Memory that goes back to its pool when nobody needs it."""

    __slots__ = ("_free", "memory")

    def __init__(self, free: list[M] | None, memory: M) -> None:
        self._free = free
        self.memory = memory

    def forget(self) -> None:
        """Have nobody use the memory again."""
        self._free = None

    def __del__(self, most: int = _KEPT) -> None:  # names of modules are gone at the very end
        if self._free is not None and len(self._free) < most:
            self._free.append(self.memory)


def spoil(keep: object) -> None:
    """Have memory on loan not be used again: a kernel that fails leaves anything in it."""
    for thing in keep if isinstance(keep, tuple) else (keep,):
        loans: Any = getattr(thing, "loans", ())
        for loan in loans:
            loan.forget()
