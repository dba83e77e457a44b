"""What iterators are in kernels: objects with ``load`` and ``store``, compiled into the algorithm.

Written in the kernel language. Non-goals: sizes and types, which the host knows
(``dpl.iterators``). Invariant: nothing is kept in memory; a ``load`` computes the element.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__kernel_language__ = True


@dataclass(eq=False)
class counting:
    """Numbers that count up."""

    start: Any
    kind: Any

    def load(self, i: Any) -> Any:
        """Return number ``i``."""
        return self.kind(self.start + i)


@dataclass(eq=False)
class constant:
    """One value everywhere."""

    value: Any

    def load(self, i: Any) -> Any:
        """Return the value."""
        return self.value


@dataclass(eq=False)
class transformed:
    """A function of the elements of another iterator."""

    base: Any
    function: Any

    def load(self, i: Any) -> Any:
        """Return the function of element ``i``."""
        return self.function(self.base.load(i))


@dataclass(eq=False)
class storing:
    """Memory that gets a function of what is written."""

    base: Any
    function: Any

    def store(self, i: Any, value: Any) -> None:
        """Write the function of a value."""
        self.base.store(i, self.function(value))


@dataclass(eq=False)
class permuted:
    """Elements of one iterator at the positions that another one has."""

    base: Any
    index: Any

    def load(self, i: Any) -> Any:
        """Return the element at position ``index[i]``."""
        return self.base.load(self.index.load(i))

    def store(self, i: Any, value: Any) -> None:
        """Write the element at position ``index[i]``."""
        self.base.store(self.index.load(i), value)


@dataclass(eq=False)
class backwards:
    """Elements from the last one to the first."""

    base: Any
    last: Any

    def load(self, i: Any) -> Any:
        """Return the element ``i`` places before the last one."""
        return self.base.load(self.last - i)

    def store(self, i: Any, value: Any) -> None:
        """Write the element ``i`` places before the last one."""
        self.base.store(self.last - i, value)


@dataclass(eq=False)
class shifted:
    """An iterator from an element on."""

    base: Any
    first: Any

    def load(self, i: Any) -> Any:
        """Return the element ``i`` places behind the first one."""
        return self.base.load(self.first + i)

    def store(self, i: Any, value: Any) -> None:
        """Write the element ``i`` places behind the first one."""
        self.base.store(self.first + i, value)


@dataclass(eq=False)
class nowhere:
    """What takes elements and keeps none."""

    def store(self, i: Any, value: Any) -> None:
        """Do nothing."""


@dataclass(eq=False)
class pair:
    """Two iterators side by side: elements are tuples."""

    a: Any
    b: Any

    def load(self, i: Any) -> Any:
        """Return both elements."""
        return self.a.load(i), self.b.load(i)

    def store(self, i: Any, value: Any) -> None:
        """Write both elements."""
        self.a.store(i, value[0])
        self.b.store(i, value[1])


@dataclass(eq=False)
class triple:
    """Three iterators side by side."""

    a: Any
    b: Any
    c: Any

    def load(self, i: Any) -> Any:
        """Return the three elements."""
        return self.a.load(i), self.b.load(i), self.c.load(i)

    def store(self, i: Any, value: Any) -> None:
        """Write the three elements."""
        self.a.store(i, value[0])
        self.b.store(i, value[1])
        self.c.store(i, value[2])


@dataclass(eq=False)
class quadruple:
    """Four iterators side by side."""

    a: Any
    b: Any
    c: Any
    d: Any

    def load(self, i: Any) -> Any:
        """Return the four elements."""
        return self.a.load(i), self.b.load(i), self.c.load(i), self.d.load(i)

    def store(self, i: Any, value: Any) -> None:
        """Write the four elements."""
        self.a.store(i, value[0])
        self.b.store(i, value[1])
        self.c.store(i, value[2])
        self.d.store(i, value[3])


@dataclass(eq=False)
class together:
    """More iterators side by side; ``bases`` is a tuple of them."""

    bases: Any

    def load(self, i: Any) -> Any:
        """Return the elements."""
        return tuple(base.load(i) for base in self.bases)

    def store(self, i: Any, value: Any) -> None:
        """Write the elements."""
        for base, x in zip(self.bases, value, strict=True):
            base.store(i, x)
