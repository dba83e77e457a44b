"""Functions of vector mathematics, for one element.

Written in the kernel language. Non-goals: loops. Invariant: a function is the builtin of its name,
with its accuracy (docs/builtins.md).
"""

from __future__ import annotations

from typing import Any

import unisycl as sycl

__kernel_language__ = True


def one(i: Any, function: Any, x: Any, y: Any) -> None:
    """Write the function of an element."""
    y.store(i, function(x.load(i)))


def two(i: Any, function: Any, a: Any, b: Any, y: Any) -> None:
    """Write the function of two elements."""
    y.store(i, function(a.load(i), b.load(i)))


def pair(i: Any, x: Any, y: Any, z: Any) -> None:
    """Write sine and cosine of an element."""
    v = x.load(i)
    y.store(i, sycl.sin(v))
    z.store(i, sycl.cos(v))


def split(i: Any, x: Any, y: Any, z: Any) -> None:
    """Write the whole part and the rest of an element; of infinities the rest is 0."""
    v = x.load(i)
    whole = sycl.trunc(v)
    y.store(i, whole)
    rest = v - whole
    if sycl.isinf(v):
        rest = 1 / v
    z.store(i, sycl.copysign(rest, v))


def sqr(x: Any) -> Any:
    """Return the square."""
    return x * x


def inv(x: Any) -> Any:
    """Return one over it."""
    return 1 / x


def conj(x: Any) -> Any:
    """Return the conjugate."""
    return x.conjugate()


def magnitude(x: Any) -> Any:
    """Return the magnitude."""
    return abs(x)


def add(a: Any, b: Any) -> Any:
    """Add."""
    return a + b


def sub(a: Any, b: Any) -> Any:
    """Subtract."""
    return a - b


def mul(a: Any, b: Any) -> Any:
    """Multiply."""
    return a * b


def mulbyconj(a: Any, b: Any) -> Any:
    """Multiply by the conjugate."""
    return a * b.conjugate()


def div(a: Any, b: Any) -> Any:
    """Divide."""
    return a / b


def pow2o3(x: Any) -> Any:
    """Return the cube root of the square."""
    r = sycl.cbrt(x)
    return r * r


def pow3o2(x: Any) -> Any:
    """Return the square root of the cube."""
    return x * sycl.sqrt(x)
