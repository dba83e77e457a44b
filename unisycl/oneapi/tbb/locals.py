"""What each thread has of its own in a loop: partial sums, buffers.

Non-goals: what lasts longer than its threads' work. Invariant: a thread sees its own value alone
until they are combined.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from unisycl.oneapi.frame.refusals import refuse
from unisycl.oneapi.tbb.bodies import own_copy

_T = TypeVar("_T")


class enumerable_thread_specific(Generic[_T]):
    """A value for each thread, made when the thread first asks for it.

    Args:
        make: a function without arguments that makes a value.
    """

    def __init__(self, make: Callable[[], _T]) -> None:
        if not callable(make):
            refuse(type(self).__name__, f"a function that makes a value is needed, got {make!r}; "
                   "write lambda: value")
        self._make = make
        self._of: dict[int, list[_T]] = {}
        self._lock = threading.Lock()
        self._here = threading.local()

    def _cell(self) -> list[_T]:
        cell: list[_T] | None = getattr(self._here, "cell", None)
        if cell is None:
            cell = self._here.cell = [self._make()]
            with self._lock:
                self._of[id(cell)] = cell
        return cell

    def local(self) -> _T:
        """Return the calling thread's value."""
        return self._cell()[0]

    def set(self, value: _T) -> None:
        """Make something else the calling thread's value: numbers cannot be changed in place."""
        self._cell()[0] = value

    def size(self) -> int:
        """Return how many threads have a value."""
        return len(self._of)

    def empty(self) -> bool:
        """Say whether no thread has a value."""
        return not self._of

    def clear(self) -> None:
        """Drop all values; no thread may use them."""
        self._of.clear()
        self._here = threading.local()

    def __iter__(self) -> Iterator[_T]:
        return iter([cell[0] for cell in list(self._of.values())])

    def __len__(self) -> int:
        return len(self._of)

    def combine(self, join: Callable[[_T, _T], _T]) -> _T:
        """Return all values joined; a new value where no thread has one.

        The first value is copied, so ``join`` may change its first argument.
        """
        values = list(self)
        if not values:
            return self._make()
        return functools.reduce(join, values[1:], own_copy(values[0]))

    def combine_each(self, body: Callable[[_T], object]) -> None:
        """Call a function with each value."""
        for value in self:
            body(value)


class combinable(enumerable_thread_specific[_T]):
    """As ``enumerable_thread_specific``; the name of PPL's that oneTBB keeps."""
