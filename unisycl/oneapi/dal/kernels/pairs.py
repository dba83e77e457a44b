"""Kernels over all pairs of rows: distances, inner products, and functions of both.

Written in the kernel language. One side lies column by column, so that neighbours are read; of the
other, ``ROWS`` rows are compared at once. Invariant: sums go over the columns in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True

ROWS = 4


def pairs(it: Any, a: Any, b: Any, rule: Any, out: Any) -> None:
    """Compare ``ROWS`` rows of ``a`` with a row of ``b``, whose columns follow one another."""
    first, j = it[0] * ROWS, it[1]
    total = sycl.private_array(rule.kind, ROWS)
    for c in range(ROWS):
        total[c] = 0
    for f in range(a.width):
        v = b.at[f * b.count + j]
        for c in range(ROWS):
            total[c] = rule.step(total[c], a.at[min(first + c, a.count - 1) * a.width + f], v,
                                 rule.a)
    for c in range(ROWS):
        if first + c < a.count:
            out[(first + c) * b.count + j] = rule.last(total[c], rule.a, rule.b)


def scaled(it: Any, a: Any, b: Any, rule: Any, out: Any) -> None:
    """Compare two rows by their differences over the greatest one, whose powers are in range."""
    i, j = it[0], it[1]
    most = rule.kind(0)
    for f in range(a.width):
        most = max(most, abs(a.at[i * a.width + f] - b.at[f * b.count + j]))
    total = rule.kind(0)
    if most > 0:
        for f in range(a.width):
            total = rule.step(total, (a.at[i * a.width + f] - b.at[f * b.count + j]) / most,
                              rule.kind(0), rule.a)
    out[i * b.count + j] = most * rule.last(total, rule.a, rule.b)


def product(total: Any, x: Any, y: Any, a: Any) -> Any:
    """Add a product."""
    return total + x * y


def square(total: Any, x: Any, y: Any, a: Any) -> Any:
    """Add the square of a difference."""
    return total + (x - y) * (x - y)


def magnitude(total: Any, x: Any, y: Any, a: Any) -> Any:
    """Add a difference without its sign."""
    return total + abs(x - y)


def greatest(total: Any, x: Any, y: Any, a: Any) -> Any:
    """Keep the greatest difference."""
    return max(total, abs(x - y))


def power(total: Any, x: Any, y: Any, a: Any) -> Any:
    """Add a power of a difference without its sign."""
    return total + sycl.pow(abs(x - y), a)


def same(total: Any, a: Any, b: Any) -> Any:
    """Keep the sum."""
    return total


def root(total: Any, a: Any, b: Any) -> Any:
    """Take the square root of the sum."""
    return sycl.sqrt(total)


def any_root(total: Any, a: Any, b: Any) -> Any:
    """Take the root that belongs to ``power``."""
    return sycl.pow(total, b)


def rest(total: Any, a: Any, b: Any) -> Any:
    """Return what lacks to one."""
    return 1 - total


def line(total: Any, a: Any, b: Any) -> Any:
    """Scale and shift."""
    return a * total + b


def bell(total: Any, a: Any, b: Any) -> Any:
    """Return the radial basis function of a squared distance."""
    return sycl.exp(a * total)


def tangent(total: Any, a: Any, b: Any) -> Any:
    """Return the hyperbolic tangent of an inner product, scaled and shifted."""
    return sycl.tanh(a * total + b)


def polynomial(degree: int) -> Any:
    """Return what makes a polynomial of an inner product."""
    def last(total: Any, a: Any, b: Any) -> Any:
        x = a * total + b
        found = x
        for _ in range(degree - 1):
            found = found * x
        return found
    return last if degree else one


def one(total: Any, a: Any, b: Any) -> Any:
    """Return 1."""
    return np.float32(1)
