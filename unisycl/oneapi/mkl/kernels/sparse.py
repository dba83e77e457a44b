"""Kernels over sparse matrices in compressed rows.

Written in the kernel language. Non-goals: other formats. Invariant: sums are added in the order of
the stored elements, so results are the same in every run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__kernel_language__ = True


@dataclass(eq=False)
class rows:
    """A matrix: where rows begin, the columns of their elements, and the elements."""

    starts: Any
    columns: Any
    values: Any
    base: Any
    turned: Any
    height: Any

    def first(self, i: Any) -> Any:
        """Return where a row begins."""
        return self.starts.load(i) - self.base

    def column(self, p: Any) -> Any:
        """Return the column of a stored element."""
        return self.columns.load(p) - self.base

    def value(self, p: Any) -> Any:
        """Return a stored element, conjugated where the matrix is."""
        x = self.values.load(p)
        if self.turned:
            return x.conjugate()
        return x


def product(e: Any, columns: Any, a: Any, x: Any, y: Any, numbers: Any) -> None:
    """Compute one element of the product of the matrix and a dense one."""
    i, j = e // columns, e % columns
    total = numbers.zero
    for p in range(a.first(i), a.first(i + 1)):
        total += a.value(p) * x.get(a.column(p), j)
    found = numbers.alpha * total
    if numbers.beta != numbers.zero:
        found += numbers.beta * y.get(i, j)
    y.at.store(i * y.down + j * y.along, found)


def turned_product(j: Any, width: Any, a: Any, x: Any, y: Any, numbers: Any) -> None:
    """Compute one column of the product of the transposed matrix and a dense one."""
    for i in range(width):
        at = i * y.down + j * y.along
        if numbers.beta != numbers.zero:
            y.at.store(at, numbers.beta * y.get(i, j))
        else:
            y.at.store(at, numbers.zero)
    for i in range(a.height):
        scaled = numbers.alpha * x.get(i, j)
        for p in range(a.first(i), a.first(i + 1)):
            at = a.column(p) * y.down + j * y.along
            y.at.store(at, y.at.load(at) + a.value(p) * scaled)


def solve(it: Any, a: Any, x: Any, y: Any, way: Any) -> None:
    """Solve with a triangle of the matrix, row by row."""
    for step in range(a.height):
        i = a.height - 1 - step if way.upper else step
        total = way.alpha * x.load(i)
        diagonal = way.one
        for p in range(a.first(i), a.first(i + 1)):
            j = a.column(p)
            if (way.upper and j > i) or (not way.upper and j < i):
                total -= a.value(p) * y.load(j)
            if j == i and not way.unit:
                diagonal = a.value(p)
        y.store(i, total / diagonal)


def solve_turned(it: Any, a: Any, x: Any, y: Any, way: Any) -> None:
    """Solve with a triangle of the matrix, transposed: each row's part is taken from the rest."""
    for i in range(a.height):
        y.store(i, way.alpha * x.load(i))
    for step in range(a.height):
        i = step if way.upper else a.height - 1 - step
        diagonal = way.one
        for p in range(a.first(i), a.first(i + 1)):
            if a.column(p) == i and not way.unit:
                diagonal = a.value(p)
        found = y.load(i) / diagonal
        y.store(i, found)
        for p in range(a.first(i), a.first(i + 1)):
            j = a.column(p)
            if (way.upper and j > i) or (not way.upper and j < i):
                y.store(j, y.load(j) - a.value(p) * found)


@dataclass(eq=False)
class way:
    """Which triangle is meant, whether its diagonal is ones, and numbers of the solution."""

    upper: Any
    unit: Any
    alpha: Any
    one: Any
