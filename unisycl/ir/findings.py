"""What is found out about kernels, each once.

Non-goals: what is to be found. Invariants: a kernel that something is known about is kept, so that
its ``id`` stays its own; of very many kernels all is forgotten, and found out again when asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from unisycl.ir.nodes import Kernel

_T = TypeVar("_T")
_MOST = 1024


class Findings(Generic[_T]):
    """The results of a function of kernels, by the kernel object. Any thread may ask."""

    __slots__ = ("_find", "_known")

    def __init__(self, find: Callable[[Kernel], _T]) -> None:
        self._find = find
        self._known: dict[int, tuple[Kernel, _T]] = {}

    def of(self, kernel: Kernel) -> _T:
        """Return what the function makes of a kernel."""
        known = self._known.get(id(kernel))
        if known is None:
            found = self._find(kernel)
            self.note(kernel, found)
            return found
        return known[1]

    def note(self, kernel: Kernel, found: _T) -> None:
        """Take what was found out about a kernel elsewhere."""
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[id(kernel)] = kernel, found
