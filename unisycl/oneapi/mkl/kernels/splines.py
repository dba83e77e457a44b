"""Kernels of splines: slopes at partition points, coefficients of cells, values at sites.

Written in the kernel language. A ``knots`` gives partition points and function values, wherever
they lie. Non-goals: which splines there are. Invariants: a coefficient depends on neighbours in a
fixed order, so results are the same in every run; sites outside the partition belong to the first
or the last cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__kernel_language__ = True

# Conditions at an end.
FREE, SLOPE, CURVATURE, SMOOTH, AKIMA = 0, 1, 2, 3, 4


@dataclass(eq=False)
class knots:
    """Partition points and function values: n points, evenly apart or each for itself.

    ``number`` makes a number of their type.
    """

    points: Any
    even: Any
    n: Any
    values: Any
    down: Any
    along: Any
    number: Any

    def x(self, i: Any) -> Any:
        """Return a partition point."""
        if self.even:
            first = self.points.load(0)
            step = (self.points.load(1) - first) / self.number(self.n - 1)
            return first + step * self.number(i)
        return self.points.load(i)

    def h(self, i: Any) -> Any:
        """Return the width of a cell."""
        return self.x(i + 1) - self.x(i)

    def y(self, f: Any, i: Any) -> Any:
        """Return the value of a function at a partition point."""
        return self.values.load(f * self.down + i * self.along)

    def s(self, f: Any, i: Any) -> Any:
        """Return the slope of the line through a cell."""
        return (self.y(f, i + 1) - self.y(f, i)) / self.h(i)

    def beyond(self, f: Any, i: Any) -> Any:
        """Return the slope of a cell, or what Akima's method has beyond both ends."""
        last = self.n - 2
        if last == 0:
            return self.s(f, 0)
        if i < 0:
            step = self.s(f, 1) - self.s(f, 0)
            return self.s(f, 0) + step * self.number(i)
        if i > last:
            step = self.s(f, last) - self.s(f, last - 1)
            return self.s(f, last) + step * self.number(i - last)
        return self.s(f, i)


@dataclass(eq=False)
class ends:
    """What is asked for at the left and the right end, and the numbers that go with it."""

    left: Any
    right: Any
    left_value: Any
    right_value: Any


@dataclass(eq=False)
class scratch:
    """Memory of a solution: two numbers for each point of each function."""

    factor: Any
    right: Any


def first_slope(k: Any, f: Any, end: Any, next_slope: Any) -> Any:
    """Return the slope at the left end, from that of the point beside it."""
    h, s = k.h(0), k.s(f, 0)
    if end.left == SLOPE:
        return end.left_value.load(f)
    if end.left == CURVATURE:
        return (3 * s - next_slope - h * end.left_value.load(f) / 2) / 2
    if end.left == SMOOTH:
        w = k.h(1)
        both = h + w
        return ((h + 2 * both) * w * s + h * h * k.s(f, 1)) / both / w - both / w * next_slope
    return (3 * s - next_slope) / 2


def last_slope(k: Any, f: Any, end: Any, before: Any) -> Any:
    """Return the slope at the right end, from that of the point beside it."""
    n = k.n
    h, s = k.h(n - 2), k.s(f, n - 2)
    if end.right == SLOPE:
        return end.right_value.load(f)
    if end.right == CURVATURE:
        return (3 * s - before + h * end.right_value.load(f) / 2) / 2
    if end.right == SMOOTH:
        w = k.h(n - 3)
        both = h + w
        return ((h + 2 * both) * w * s + h * h * k.s(f, n - 3)) / both / w - both / w * before
    return (3 * s - before) / 2


def bessel(k: Any, f: Any, i: Any) -> Any:
    """Return the slope of the parabola through a point and its neighbours."""
    a, b = k.h(i - 1), k.h(i)
    return (b * k.s(f, i - 1) + a * k.s(f, i)) / (a + b)


def akima(k: Any, f: Any, i: Any) -> Any:
    """Return the slope by Akima's weights."""
    a, b = k.beyond(f, i - 2), k.beyond(f, i - 1)
    c, d = k.beyond(f, i), k.beyond(f, i + 1)
    left, right = abs(d - c), abs(b - a)
    if left + right == 0:
        return (b + c) / 2
    return (left * b + right * c) / (left + right)


def bessel_slopes(f: Any, k: Any, end: Any, out: Any) -> None:
    """Write the slopes of one function by parabolas."""
    n = k.n
    for i in range(1, n - 1):
        out.store(f * n + i, bessel(k, f, i))
    finish(f, k, end, out)


def akima_slopes(f: Any, k: Any, end: Any, out: Any) -> None:
    """Write the slopes of one function by Akima's weights, at the ends as well if these ask."""
    n = k.n
    for i in range(n):
        out.store(f * n + i, akima(k, f, i))
    if end.left != AKIMA:
        finish(f, k, end, out)


def finish(f: Any, k: Any, end: Any, out: Any) -> None:
    """Write the slopes at both ends, from those beside them."""
    n = k.n
    if n == 2:
        two_ends(f, k, end, out)
    else:
        out.store(f * n, first_slope(k, f, end, out.load(f * n + 1)))
        out.store(f * n + n - 1, last_slope(k, f, end, out.load(f * n + n - 2)))


def given_slopes(f: Any, k: Any, end: Any, given: Any, out: Any) -> None:
    """Write the slopes of one function, which are given for each point inside."""
    n = k.n
    for i in range(1, n - 1):
        out.store(f * n + i, given.load(f * (n - 2) + i - 1))
    finish(f, k, end, out)


def two_ends(f: Any, k: Any, end: Any, out: Any) -> None:
    """Write both slopes of a single cell: each end's condition is one equation of two."""
    s, h = k.s(f, 0), k.h(0)
    a, left = s * 0, s
    b, right = s * 0, s
    if end.left == SLOPE:
        left = end.left_value.load(f)
    else:  # left + next / 2 = (3 s - h c / 2) / 2
        a, left = s * 0 + 0.5, s * 1.5
        if end.left == CURVATURE:
            left = (3 * s - h * end.left_value.load(f) / 2) / 2
    if end.right == SLOPE:
        right = end.right_value.load(f)
    else:
        b, right = s * 0 + 0.5, s * 1.5
        if end.right == CURVATURE:
            right = (3 * s + h * end.right_value.load(f) / 2) / 2
    first = (left - a * right) / (1 - a * b)
    out.store(f * 2, first)
    out.store(f * 2 + 1, right - b * first)


def smooth_slopes(f: Any, k: Any, end: Any, room: Any, out: Any) -> None:
    """Write the slopes of one function with which the second derivative has no steps."""
    n = k.n
    if n == 2:
        two_ends(f, k, end, out)
    else:
        smooth_inside(f, k, end, room, out)


def smooth_inside(f: Any, k: Any, end: Any, room: Any, out: Any) -> None:
    """Solve the equations of three slopes each, forwards and back."""
    n = k.n
    at = f * n
    h, s = k.h(0), k.s(f, 0)
    factor, right = s * 0 + 0.5, s * 1.5
    if end.left == SLOPE:
        factor, right = s * 0, end.left_value.load(f)
    elif end.left == CURVATURE:
        right = (3 * s - h * end.left_value.load(f) / 2) / 2
    elif end.left == SMOOTH:
        w = k.h(1)
        both = h + w
        factor = both / w
        right = ((h + 2 * both) * w * s + h * h * k.s(f, 1)) / both / w
    room.factor.store(at, factor)
    room.right.store(at, right)
    for i in range(1, n - 1):
        a, b = k.h(i), k.h(i - 1)
        t = 3 * (a * k.s(f, i - 1) + b * k.s(f, i))
        below = 2 * (a + b) - a * factor
        right = (t - a * right) / below
        factor = b / below
        room.factor.store(at + i, factor)
        room.right.store(at + i, right)
    last, edge = k.s(f, n - 2), k.h(n - 2)
    low, t = s * 0 + 0.5, last * 1.5
    if end.right == SLOPE:
        low, t = s * 0, end.right_value.load(f)
    elif end.right == CURVATURE:
        t = (3 * last + edge * end.right_value.load(f) / 2) / 2
    elif end.right == SMOOTH:
        w = k.h(n - 3)
        both = edge + w
        low = both / w
        t = ((edge + 2 * both) * w * last + edge * edge * k.s(f, n - 3)) / both / w
    found = (t - low * right) / (1 - low * factor)
    out.store(at + n - 1, found)
    for step in range(n - 1):
        i = n - 2 - step
        found = room.right.load(at + i) - room.factor.load(at + i) * found
        out.store(at + i, found)


def lines(e: Any, k: Any, out: Any) -> None:
    """Write the coefficients of a cell of a linear spline."""
    cells = k.n - 1
    f, i = e // cells, e % cells
    out.store(e * 2, k.y(f, i))
    out.store(e * 2 + 1, k.s(f, i))


def cubics(e: Any, k: Any, slopes: Any, out: Any) -> None:
    """Write the coefficients of a cell of a cubic spline."""
    cells = k.n - 1
    f, i = e // cells, e % cells
    a, b = slopes.load(f * k.n + i), slopes.load(f * k.n + i + 1)
    h, s = k.h(i), k.s(f, i)
    out.store(e * 4, k.y(f, i))
    out.store(e * 4 + 1, a)
    out.store(e * 4 + 2, (3 * s - 2 * a - b) / h)
    out.store(e * 4 + 3, (a + b - 2 * s) / h / h)


@dataclass(eq=False)
class request:
    """What is asked for: how many functions and sites, which derivatives, and where they go.

    Cells have ``order`` coefficients.
    """

    order: Any
    functions: Any
    sites: Any
    first: Any
    second: Any
    third: Any
    value: Any
    of_function: Any
    of_site: Any
    of_derivative: Any


def cell_of(k: Any, x: Any) -> Any:
    """Return the cell in which a site lies: the last one that begins at or before it."""
    low, high = 0, k.n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x < k.x(middle):
            high = middle
        else:
            low = middle
    return low


def interpolate(e: Any, k: Any, coefficients: Any, sites: Any, out: Any, asked: Any) -> None:
    """Write what is asked for at one site, of all functions."""
    x = sites.load(e)
    i = cell_of(k, x)
    t = x - k.x(i)
    cells = k.n - 1
    for f in range(asked.functions):
        at = (f * cells + i) * asked.order
        a, b = coefficients.load(at), coefficients.load(at + 1)
        c, d = a * 0, a * 0
        if asked.order == 4:
            c, d = coefficients.load(at + 2), coefficients.load(at + 3)
        p = f * asked.of_function + e * asked.of_site
        if asked.value:
            out.store(p, a + t * (b + t * (c + t * d)))
            p += asked.of_derivative
        if asked.first:
            out.store(p, b + t * (2 * c + t * (3 * d)))
            p += asked.of_derivative
        if asked.second:
            out.store(p, 2 * c + t * (6 * d))
            p += asked.of_derivative
        if asked.third:
            out.store(p, 6 * d)
