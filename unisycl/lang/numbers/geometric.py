"""Geometric functions and tests of vectors that give fewer values (SYCL 2020 §4.17.9, §4.17.10).

Non-goals: functions that work element by element (``math``). Invariant: lengths neither overflow
nor underflow on the way to a result that is representable.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.base.errors import UsageError, errc
from unisycl.lang.numbers.elements import Operators, elements_type, silent
from unisycl.lang.numbers.written import WRITTEN

_FEW = 8


def cross(p0: Any, p1: Any) -> Any:
    """Return the cross product of two vectors of 3 elements, or of 4, whose last is then 0.

    SYCL 2020 §4.17.9. Both are of one type with floating-point elements.
    """
    kind = type(p0)
    quick = WRITTEN["cross"].get(kind)
    return quick(p0, p1) if quick is not None and kind is type(p1) else _cross(p0, p1)


def _cross(p0: Any, p1: Any) -> Any:
    own = _same("cross", p0, p1)
    if own.count not in (3, 4):
        raise UsageError(errc.invalid, f"cross takes vectors of 3 or 4 elements, not {own.count}")
    return own._of([*silent(_crossed, p0._look(), p1._look()), 0][:own.count])


def _crossed(p0: Any, p1: Any) -> Any:
    ax, ay, az, *_ = p0
    bx, by, bz, *_ = p1
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def _same(name: str, *vectors: Any) -> Any:
    """Return the type vectors share, floats; raise if there is none."""
    known: Any = getattr(vectors[0].__class__, "_type", None)
    if type(known) is elements_type and known.element.kind == "f" and all(
            v.__class__ is known.value for v in vectors):
        return known
    for v in vectors:
        if not isinstance(v, Operators) or v._type is not vectors[0]._type \
                or v._type.element.kind != "f":
            raise UsageError(errc.invalid, f"{name} takes vectors of one type with floating-point "
                             f"elements, not {', '.join(_named(x) for x in vectors)}")
    return vectors[0]._type


def _named(x: Any) -> str:
    return x._type.__name__ if isinstance(x, Operators) else type(x).__name__


def _dot(a: Any, b: Any) -> Any:
    _same("dot", a, b)
    total, *others = np.multiply(a._look(), b._look())
    for product in others:
        total = total + product
    return total


def _length(v: Any) -> Any:
    element = _same("length", v).element
    return element.type(_norm(v._look().astype(np.float64)))


def _norm(x: Any) -> Any:
    """Return the length of float64 elements, scaled so that no square overflows."""
    if len(x) < _FEW:
        # The same operations, one by one: NumPy adds fewer than 8 numbers in their order.
        numbers = x.tolist()
        longest = max(map(abs, numbers))
        if 0 < longest < math.inf and not any(map(math.isnan, numbers)):
            parts = [p / longest for p in numbers]
            total = parts[0] * parts[0]
            for p in parts[1:]:
                total += p * p
            return np.float64(longest * math.sqrt(total))
    most = np.max(np.abs(x))
    if most == 0 or not np.isfinite(most):
        return most
    return most * np.sqrt(np.sum((x / most) ** 2))


def _distance(a: Any, b: Any) -> Any:
    _same("distance", a, b)
    return _length(a - b)


def _normalize(v: Any) -> Any:
    own = _same("normalize", v)
    x = v._look().astype(np.float64)
    if not math.isfinite(sum(x.tolist())) and np.isinf(x).any() and not np.isnan(x).any():
        x = np.where(np.isinf(x), np.copysign(1.0, x), np.copysign(0.0, x))
    norm = _norm(x)
    return own._of(x if norm == 0 else x / norm)


def _top_bits(v: Any) -> Any:
    x = v._look()
    if x.dtype.kind == "b":
        return x
    if x.dtype.kind not in "iu":
        raise UsageError(errc.invalid, f"any and all take integers, not {v._type.__name__}")
    return x.view(f"i{x.itemsize}") < 0


def _any(v: Any) -> Any:
    return np.bool_(_top_bits(v).any())


def _all(v: Any) -> Any:
    return np.bool_(_top_bits(v).all())


def _select(a: Any, b: Any, c: Any) -> Any:
    """Return elements of b where c's top bits are set (of an marray: where c is true), else a's."""
    if not isinstance(c, Operators):
        raise UsageError(errc.invalid, "select of vectors takes a vector of conditions")
    own = (a if isinstance(a, Operators) else b)._type
    if (c._type.kind, c._type.count) != (own.kind, own.count) or (
            own.kind == "vec" and c._type.element.itemsize != own.element.itemsize):
        raise UsageError(errc.invalid, f"select of {own.__name__} takes conditions of equal width "
                         f"and number, not {c._type.__name__}")
    x, y = (v._look() if isinstance(v, Operators) else own.element.type(v) for v in (a, b))
    return own._of(np.where(_top_bits(c), y, x))


OF_VECTORS: dict[str, Callable[..., Any]] = {
    "dot": _dot, "length": _length, "distance": _distance, "normalize": _normalize,
    "fast_length": _length, "fast_distance": _distance, "fast_normalize": _normalize,
    "any": _any, "all": _all, "select": _select,
}
"""What functions of the table of builtins mean for vectors where not element by element."""


QUICK: dict[str, str] = {
    "dot": "dot", "length": "length", "normalize": "normalize", "fast_length": "length",
    "fast_normalize": "normalize",
}
"""Which quick function stands for one of the table of builtins, of operands of one class."""
LONG: dict[str, Callable[..., Any]] = {
    "dot": _dot, "length": _length, "normalize": _normalize, "cross": _cross}
"""What quick functions call where they have no short way."""
