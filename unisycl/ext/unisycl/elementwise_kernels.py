"""The kernels of ``vectorize``: one for each number of operands.

Written in the kernel language. Non-goals: shapes, which the host makes equal (``elementwise``).
Invariant: a work-item writes the element that it has the index of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__kernel_language__ = True


@dataclass(eq=False)
class elements:
    """Elements of memory."""

    at: Any

    def load(self, i: Any) -> Any:
        """Return the element of an index."""
        return self.at[i]


    def store(self, i: Any, value: Any) -> None:
        """Write the element of an index."""
        self.at[i] = value


@dataclass(eq=False)
class several:
    """Elements of several memories, side by side."""

    parts: Any

    def store(self, i: Any, values: Any) -> None:
        """Write the elements of an index, one value into each memory."""
        for part, value in zip(self.parts, values):  # noqa: B905 (as many, which the host knows)
            part.store(i, value)


@dataclass(eq=False)
class number:
    """One number for all."""

    value: Any

    def load(self, i: Any) -> Any:
        """Return the number."""
        return self.value


def one(i: Any, f: Any, out: Any, a: Any) -> None:
    """Write the function of one number."""
    out.store(i, f(a.load(i)))


def two(i: Any, f: Any, out: Any, a: Any, b: Any) -> None:
    """Write the function of two numbers."""
    out.store(i, f(a.load(i), b.load(i)))


def three(i: Any, f: Any, out: Any, a: Any, b: Any, *rest: Any) -> None:
    """Write the function of three numbers."""
    out.store(i, f(a.load(i), b.load(i), rest[0].load(i)))


def four(i: Any, f: Any, out: Any, a: Any, b: Any, *rest: Any) -> None:
    """Write the function of four numbers."""
    out.store(i, f(a.load(i), b.load(i), rest[0].load(i), rest[1].load(i)))


def five(i: Any, f: Any, out: Any, a: Any, b: Any, *rest: Any) -> None:
    """Write the function of five numbers."""
    out.store(i, f(a.load(i), b.load(i), rest[0].load(i), rest[1].load(i), rest[2].load(i)))


def six(i: Any, f: Any, out: Any, a: Any, b: Any, *rest: Any) -> None:
    """Write the function of six numbers."""
    out.store(i, f(a.load(i), b.load(i), rest[0].load(i), rest[1].load(i), rest[2].load(i),
               rest[3].load(i)))


OF = (one, two, three, four, five, six)
"""The kernels, by how many operands there are."""
