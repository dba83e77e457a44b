"""What kernels of the libraries read and write through: memory, and a part of it.

Written in the kernel language. ``plan`` and the other records carry what a kernel is told besides.
Non-goals: iterators, which are objects with the same two methods (``dpl.kernels.iterators``).
Invariant: memory has ``load(i)`` and ``store(i, value)``.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

__kernel_language__ = True


@dataclass(eq=False)
class cells:
    """Memory from its first element on."""

    at: Any

    def load(self, i: Any) -> Any:
        """Return element ``i``."""
        return self.at[i]

    def store(self, i: Any, value: Any) -> None:
        """Write element ``i``."""
        self.at[i] = value


@dataclass(eq=False)
class window:
    """Memory from an element on."""

    at: Any
    first: Any

    def load(self, i: Any) -> Any:
        """Return element ``i`` of the window."""
        return self.at[self.first + i]

    def store(self, i: Any, value: Any) -> None:
        """Write element ``i`` of the window."""
        self.at[self.first + i] = value


@dataclass(eq=False)
class past:
    """Memory that is large and not read soon; ``one`` is the vector of one element."""

    at: Any
    first: Any
    one: Any

    def store(self, i: Any, value: Any) -> None:
        """Write element ``i``, past the caches where neighbours write whole lines together."""
        self.one(value).store(self.first + i, self.at, streaming=True)


@dataclass(eq=False)
class records:
    """Memory of records from an element on; what is loaded is a copy, as it is of numbers."""

    at: Any
    first: Any

    def load(self, i: Any) -> Any:
        """Return a copy of record ``i``."""
        return copy.copy(self.at[self.first + i])

    def store(self, i: Any, value: Any) -> None:
        """Write record ``i``."""
        self.at[self.first + i] = value


@dataclass(eq=False)
class plan:
    """How elements are combined in parts: how many, of what size, by what, in which type."""

    count: Any
    part: Any
    op: Any
    kind: Any
    identity: Any = None


@dataclass(eq=False)
class chunks:
    """Elements in chunks, and the local memory that going through one takes.

    ``direct`` says that elements go through it, not their positions, ``runs`` that flags are of
    what begins a run.
    """

    count: Any
    part: Any
    noted: Any = None
    others: Any = None
    direct: Any = False
    runs: Any = False


@dataclass(eq=False)
class candidates:
    """Values, and where they were found."""

    values: Any
    places: Any


@dataclass(eq=False)
class sides:
    """Two memories that go together."""

    a: Any
    b: Any
