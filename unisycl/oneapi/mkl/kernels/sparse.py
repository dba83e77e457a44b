"""Kernels over sparse matrices: in compressed rows, in rows of blocks, and either turned over.

Written in the kernel language. A matrix has places of elements: those of row i are ``first(i)`` to
``last(i)``, each with its ``column`` and ``value``. Non-goals: other formats. Invariant: sums are
added in the order of the places, so results are the same in every run.
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

    def last(self, i: Any) -> Any:
        """Return where a row ends."""
        return self.starts.load(i + 1) - self.base

    def column(self, p: Any) -> Any:
        """Return the column of a stored element."""
        return self.columns.load(p) - self.base

    def value(self, i: Any, p: Any) -> Any:
        """Return a stored element of row i, conjugated where the matrix is."""
        x = self.values.load(p)
        if self.turned:
            return x.conjugate()
        return x


@dataclass(eq=False)
class blocks:
    """A matrix of blocks: where rows of blocks begin, the blocks' columns, and their elements.

    A block is ``high`` by ``wide`` elements, in ``down`` and ``along`` steps of one another.
    """

    starts: Any
    columns: Any
    values: Any
    base: Any
    turned: Any
    height: Any
    high: Any
    wide: Any
    down: Any
    along: Any

    def first(self, i: Any) -> Any:
        """Return the place of the first element of a row."""
        return (self.starts.load(i // self.high) - self.base) * self.wide

    def last(self, i: Any) -> Any:
        """Return the place behind the last element of a row."""
        return (self.starts.load(i // self.high + 1) - self.base) * self.wide

    def column(self, p: Any) -> Any:
        """Return the column of an element."""
        return (self.columns.load(p // self.wide) - self.base) * self.wide + p % self.wide

    def value(self, i: Any, p: Any) -> Any:
        """Return an element of row i, conjugated where the matrix is."""
        begin = p // self.wide * (self.high * self.wide)
        x = self.values.load(begin + i % self.high * self.down + p % self.wide * self.along)
        if self.turned:
            return x.conjugate()
        return x


@dataclass(eq=False)
class ordered:
    """A matrix whose rows go in order of columns: their elements' columns and places in ``of``."""

    starts: Any
    columns: Any
    places: Any
    of: Any

    def first(self, i: Any) -> Any:
        """Return the place of the first element of a row."""
        return self.starts.load(i)

    def last(self, i: Any) -> Any:
        """Return the place behind the last element of a row."""
        return self.starts.load(i + 1)

    def column(self, p: Any) -> Any:
        """Return the column of an element."""
        return self.columns.load(p)

    def value(self, i: Any, p: Any) -> Any:
        """Return an element of row i."""
        return self.of.value(i, self.places.load(p))


@dataclass(eq=False)
class columns:
    """A matrix turned over: where its rows begin, and row and place of each element in ``of``."""

    starts: Any
    rows: Any
    places: Any
    of: Any
    height: Any

    def first(self, i: Any) -> Any:
        """Return the place of the first element of a row."""
        return self.starts.load(i)

    def last(self, i: Any) -> Any:
        """Return the place behind the last element of a row."""
        return self.starts.load(i + 1)

    def column(self, p: Any) -> Any:
        """Return the column of an element."""
        return self.rows.load(p)

    def value(self, i: Any, p: Any) -> Any:
        """Return an element of row i, conjugated where the matrix is."""
        return self.of.value(self.rows.load(p), self.places.load(p))


def product(e: Any, columns: Any, a: Any, x: Any, y: Any, numbers: Any) -> None:
    """Compute one element of the product of the matrix and a dense one."""
    i, j = e // columns, e % columns
    total = numbers.zero
    for p in range(a.first(i), a.last(i)):
        total += a.value(i, p) * x.get(a.column(p), j)
    found = numbers.alpha * total
    if numbers.beta != numbers.zero:
        found += numbers.beta * y.get(i, j)
    y.at.store(i * y.down + j * y.along, found)


def scaled(e: Any, columns: Any, y: Any, numbers: Any) -> None:
    """Write a multiple of an element, for products whose factor is 0: they read nothing else."""
    at = e // columns * y.down + e % columns * y.along
    if numbers.beta != numbers.zero:
        y.at.store(at, numbers.beta * y.at.load(at))
    else:
        y.at.store(at, numbers.zero)


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
        for p in range(a.first(i), a.last(i)):
            at = a.column(p) * y.down + j * y.along
            y.at.store(at, y.at.load(at) + a.value(i, p) * scaled)


def solve_row(i: Any, a: Any, x: Any, y: Any, way: Any) -> None:
    """Solve a row of a triangle, behind the rows that it needs."""
    total = way.alpha * x.load(i)
    diagonal, stored = way.one - way.one, False
    for p in range(a.first(i), a.last(i)):
        j = a.column(p)
        if (way.upper and j > i) or (not way.upper and j < i):
            total -= a.value(i, p) * y.load(j)
        if j == i and not way.unit:
            diagonal += a.value(i, p)
            stored = True
    y.store(i, total / diagonal if stored else total)


def solve(it: Any, a: Any, x: Any, y: Any, way: Any) -> None:
    """Solve with a triangle of the matrix, row by row."""
    for step in range(a.height):
        i = a.height - 1 - step if way.upper else step
        solve_row(i, a, x, y, way)


def solve_turned(it: Any, a: Any, x: Any, y: Any, way: Any) -> None:
    """Solve with a triangle of the matrix, transposed: each row's part is taken from the rest."""
    for i in range(a.height):
        y.store(i, way.alpha * x.load(i))
    for step in range(a.height):
        i = step if way.upper else a.height - 1 - step
        diagonal, stored = way.one - way.one, False
        for p in range(a.first(i), a.last(i)):
            if a.column(p) == i and not way.unit:
                diagonal += a.value(i, p)
                stored = True
        found = y.load(i)
        if stored:
            found = found / diagonal
        y.store(i, found)
        for p in range(a.first(i), a.last(i)):
            j = a.column(p)
            if (way.upper and j > i) or (not way.upper and j < i):
                y.store(j, y.load(j) - a.value(i, p) * found)


def find_levels(it: Any, a: Any, level: Any, way: Any) -> None:
    """Note for each row of a triangle how many rows must be solved one after another before it."""
    for step in range(a.height):
        i = a.height - 1 - step if way.upper else step
        most = 0
        for p in range(a.first(i), a.last(i)):
            j = a.column(p)
            if (way.upper and j > i) or (not way.upper and j < i):
                most = max(most, level.load(j) + 1)
        level.store(i, most)


def solve_level(e: Any, order: Any, a: Any, x: Any, y: Any, way: Any) -> None:
    """Solve one row of those that wait for solved rows only."""
    solve_row(order.load(e), a, x, y, way)


def copy_row(i: Any, a: Any, starts: Any, indices: Any, values: Any) -> None:
    """Write a row as compressed rows have it."""
    at = starts.load(i)
    for p in range(a.first(i), a.last(i)):
        indices.store(at, a.column(p))
        values.store(at, a.value(i, p))
        at += 1


def count_products(i: Any, a: Any, b: Any, counts: Any) -> None:
    """Count the products of elements that a row of a matrix of a and b is made of."""
    found = counts.load(i) * 0
    for p in range(a.first(i), a.last(i)):
        j = a.column(p)
        found += b.last(j) - b.first(j)
    counts.store(i, found)


def write_products(i: Any, width: Any, a: Any, b: Any, starts: Any, made: Any) -> None:
    """Write the products of elements of a row: where they belong, and what they are."""
    at = starts.load(i)
    for p in range(a.first(i), a.last(i)):
        j = a.column(p)
        for r in range(b.first(j), b.last(j)):
            made.keys.store(at, i * width + b.column(r))
            made.values.store(at, a.value(i, p) * b.value(j, r))
            made.order.store(at, at)
            at += 1


def mark_firsts(e: Any, made: Any, marks: Any) -> None:
    """Mark the first product of each element."""
    if e == 0 or made.keys.load(e) != made.keys.load(e - 1):
        marks.store(e, 1)
    else:
        marks.store(e, 0)


def add_products(e: Any, count: Any, width: Any, made: Any, places: Any, out: Any) -> None:
    """Add up the products of an element, in their order."""
    at = places.load(e)
    key = made.keys.load(e)
    starts = True
    if e > 0:
        starts = made.keys.load(e - 1) != key
    if starts:
        total = made.values.load(made.order.load(e))
        p = e + 1
        more = p < count
        while more:
            if made.keys.load(p) == key:
                total += made.values.load(made.order.load(p))
                p += 1
                more = p < count
            else:
                more = False
        out.indices.store(at - 1, key % width)
        out.rows.store(at - 1, key // width)
        out.values.store(at - 1, total)


@dataclass(eq=False)
class products_made:
    """Products of elements: the place of each, in row-by-row order, which is next, and values."""

    keys: Any
    order: Any
    values: Any


@dataclass(eq=False)
class elements_made:
    """Elements of a product: their rows, columns and values."""

    rows: Any
    indices: Any
    values: Any


@dataclass(eq=False)
class way:
    """Which triangle is meant, whether its diagonal is ones, and numbers of the solution."""

    upper: Any
    unit: Any
    alpha: Any
    one: Any
