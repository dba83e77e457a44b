"""Kernels of BLAS: products of matrices and vectors, and what is done to each element.

Written in the kernel language. A ``grid`` reads a matrix of any layout, transposed or not, by two
steps. Non-goals: special matrices. Invariant: an element is written by one work-item, and what
stands where beta is 0 is not read; callers see to it that nothing is where alpha is 0.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import unisycl as sycl

__kernel_language__ = True

SIDE = 16
EACH = 4
DEEP = 128
"""On processors: how many rows of b are copied at a time."""


@dataclass(eq=False)
class grid:
    """A matrix in memory: element (i, j) lies ``i * down + j * along`` behind the first."""

    at: Any
    down: Any
    along: Any
    turned: Any

    def get(self, i: Any, j: Any) -> Any:
        """Return an element, conjugated where the matrix is."""
        x = self.at.load(i * self.down + j * self.along)
        if self.turned:
            return x.conjugate()
        return x

    def put(self, i: Any, j: Any, value: Any) -> None:
        """Write an element."""
        self.at.store(i * self.down + j * self.along, value)


@dataclass(eq=False)
class plane:
    """A matrix one of whose steps is 1, as ``place`` knows: ``by_rows`` or ``by_columns``."""

    at: Any
    ld: Any
    place: Any
    turned: Any

    def get(self, i: Any, j: Any) -> Any:
        """Return an element, conjugated where the matrix is."""
        x = self.at.load(self.place(i, j, self.ld))
        if self.turned:
            return x.conjugate()
        return x

    def put(self, i: Any, j: Any, value: Any) -> None:
        """Write an element."""
        self.at.store(self.place(i, j, self.ld), value)


def by_rows(i: Any, j: Any, ld: Any) -> Any:
    """Return where an element lies if rows do."""
    return i * ld + j


def by_columns(i: Any, j: Any, ld: Any) -> Any:
    """Return where an element lies if columns do."""
    return i + j * ld


@dataclass(eq=False)
class line:
    """A vector in memory: element i lies ``first + i * step`` behind the first."""

    at: Any
    first: Any
    step: Any

    def get(self, i: Any) -> Any:
        """Return an element."""
        return self.at.load(self.first + i * self.step)

    def put(self, i: Any, value: Any) -> None:
        """Write an element."""
        self.at.store(self.first + i * self.step, value)


def gemm(it: sycl.nd_item, sizes: Any, a: Any, b: Any, c: Any, numbers: Any) -> None:
    """Compute a square of c: each work-item 4 by 4 elements, 16 apart in both directions."""
    ly, lx = it.get_local_id(0), it.get_local_id(1)
    top = it.get_group(0) * (SIDE * EACH)
    left = it.get_group(1) * (SIDE * EACH)
    zero = numbers.zero
    total = sycl.private_array(numbers.kind, EACH * EACH)
    for e in range(EACH * EACH):
        total[e] = zero
    for first in range(0, sizes.k, SIDE):
        for e in range(EACH):
            i, k = top + ly + e * SIDE, first + lx
            x = zero
            if i < sizes.m and k < sizes.k:
                x = numbers.kind(a.get(i, k))
            sizes.left[ly + e * SIDE, lx] = x
            k, j = first + ly, left + lx + e * SIDE
            y = zero
            if k < sizes.k and j < sizes.n:
                y = numbers.kind(b.get(k, j))
            sizes.right[ly, lx + e * SIDE] = y
        sycl.group_barrier(it.get_group())
        for k in range(SIDE):
            for e in range(EACH):
                x = sizes.left[ly + e * SIDE, k]
                for f in range(EACH):
                    total[e * EACH + f] += x * sizes.right[k, lx + f * SIDE]
        sycl.group_barrier(it.get_group())
    for e in range(EACH):
        for f in range(EACH):
            i, j = top + ly + e * SIDE, left + lx + f * SIDE
            if i < sizes.m and j < sizes.n:
                found = numbers.alpha * total[e * EACH + f]
                if numbers.beta != zero:
                    found += numbers.beta * numbers.kind(c.get(i, j))
                c.put(i, j, numbers.written(found))


@functools.cache
def on_processors(cut: tuple[int, int, int]) -> Any:
    """Return the product of a cut: rows of work-items, rows and columns of c that each computes.

    Args:
        cut: a tuple, as kernels know the elements of tuples while they are compiled.
    """
    def gemm_on_processors(it: sycl.nd_item, sizes: Any, a: Any, b: Any, c: Any,
                           numbers: Any) -> None:
        """Compute a part of c: rows of a are read in place, rows of b are copied."""
        row, lane = it.get_local_id(0), it.get_local_id(1)
        top = (it.get_group(0) * cut[0] + row) * cut[1]
        left = it.get_group(1) * (SIDE * cut[2])
        zero = numbers.zero
        total = sycl.private_array(numbers.kind, cut[1] * cut[2])
        for e in range(cut[1] * cut[2]):
            total[e] = zero
        for first in range(0, sizes.k, DEEP):
            for e in range(DEEP // cut[0]):
                k = e * cut[0] + row
                for f in range(cut[2]):
                    column = left + lane + f * SIDE
                    y = zero
                    if first + k < sizes.k and column < sizes.n:
                        y = numbers.kind(b.get(first + k, column))
                    sizes.right[k, lane + f * SIDE] = y
            sycl.group_barrier(it.get_group())
            for k in range(min(DEEP, sizes.k - first)):
                for e in range(cut[1]):
                    x = numbers.kind(a.get(min(top + e, sizes.m - 1), first + k))
                    for f in range(cut[2]):
                        total[e * cut[2] + f] += x * sizes.right[k, lane + f * SIDE]
            sycl.group_barrier(it.get_group())
        for e in range(cut[1]):
            for f in range(cut[2]):
                i, j = top + e, left + lane + f * SIDE
                if i < sizes.m and j < sizes.n:
                    found = numbers.alpha * total[e * cut[2] + f]
                    if numbers.beta != zero:
                        found += numbers.beta * numbers.kind(c.get(i, j))
                    c.put(i, j, numbers.written(found))

    return gemm_on_processors


def gemv(i: Any, n: Any, a: Any, x: Any, y: Any, numbers: Any) -> None:
    """Compute element i of y."""
    total = numbers.zero
    for j in range(n):
        total += a.get(i, j) * x.get(j)
    found = numbers.alpha * total
    if numbers.beta != numbers.zero:
        found += numbers.beta * y.get(i)
    y.put(i, found)


def combine(e: Any, columns: Any, a: Any, c: Any, numbers: Any) -> None:
    """Write a multiple of a matrix."""
    i, j = e // columns, e % columns
    c.put(i, j, numbers.alpha * a.get(i, j))


def combine_two(e: Any, columns: Any, a: Any, b: Any, c: Any, numbers: Any) -> None:
    """Write the sum of multiples of two matrices."""
    i, j = e // columns, e % columns
    c.put(i, j, numbers.alpha * a.get(i, j) + numbers.beta * b.get(i, j))


def axpby(i: Any, x: Any, y: Any, numbers: Any) -> None:
    """Add a multiple of x to a multiple of y."""
    found = numbers.alpha * x.get(i)
    if numbers.beta != numbers.zero:
        found += numbers.beta * y.get(i)
    y.put(i, found)


def scal(i: Any, x: Any, numbers: Any) -> None:
    """Multiply by a number."""
    x.put(i, numbers.alpha * x.get(i))


def clear(i: Any, x: Any, numbers: Any) -> None:
    """Write zeros."""
    x.put(i, numbers.zero)


def copy(i: Any, x: Any, y: Any) -> None:
    """Write x to y."""
    y.put(i, x.get(i))


def swap(i: Any, x: Any, y: Any) -> None:
    """Exchange elements."""
    u, v = x.get(i), y.get(i)
    x.put(i, v)
    y.put(i, u)


def dots(p: Any, x: Any, y: Any, rule: Any, out: Any) -> None:
    """Add up the products of a part; ``rule`` has the product and what sums begin with."""
    total = rule.zero
    last = min((p + 1) * rule.part, rule.count)
    for i in range(p * rule.part, last):
        total += rule.of(x.get(i), y.get(i))
    out.store(p, total)


def total(i: Any, parts: Any, zero: Any, source: Any, out: Any) -> None:
    """Add up parts, in order."""
    found = zero
    for p in range(parts):
        found += source.load(p)
    out.store(i, found)


@dataclass(eq=False)
class numbers:
    """Numbers of a routine: factors, zero, the type to add up in, and that of what is written."""

    alpha: Any
    beta: Any
    zero: Any
    kind: Any
    written: Any = None


@dataclass(eq=False)
class sizes:
    """How large a product is, and what a group has copied of both factors, or of one."""

    m: Any
    n: Any
    k: Any
    left: Any
    right: Any


@dataclass(eq=False)
class rule:
    """What is added up, what sums begin with, how many elements there are, and in a part."""

    of: Any
    zero: Any
    count: Any
    part: Any


def times(x: Any, y: Any) -> Any:
    """Multiply."""
    return x * y


def conjugate_times(x: Any, y: Any) -> Any:
    """Multiply by the conjugate."""
    return x.conjugate() * y


def magnitude(x: Any, y: Any) -> Any:
    """Return what ``asum`` adds up of a real number."""
    return abs(x)


def magnitudes(x: Any, y: Any) -> Any:
    """Return what ``asum`` adds up of a complex number."""
    return abs(x.real) + abs(x.imag)
