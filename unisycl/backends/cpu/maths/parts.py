"""Functions of a float's parts (SYCL 2020 §4.17.5): exponents, fractions, neighbours; all exact.

Non-goals: rounding, which is one instruction. Invariant: whole results are floats here; who calls
makes integers of them.
"""

from __future__ import annotations

from unisycl.backends.cpu.maths.terms import Sheet, Term
from unisycl.base.dtypes import INT32

_INF = float("inf")
_BELOW_ONE = {16: 1 - 2.0 ** -11, 32: 1 - 2.0 ** -24, 64: 1 - 2.0 ** -53}


def maxmag(s: Sheet, x: Term, y: Term) -> Term:
    """The one of larger magnitude, else the larger."""
    a, b = s.abs(x), s.abs(y)
    return s.where(a > b, x, s.where(b > a, y, s.largest(x, y)))


def minmag(s: Sheet, x: Term, y: Term) -> Term:
    """The one of smaller magnitude, else the smaller."""
    a, b = s.abs(x), s.abs(y)
    return s.where(a < b, x, s.where(b < a, y, s.smallest(x, y)))


def fract(s: Sheet, x: Term) -> Term:
    """What is above the floor, below 1, with x's sign where it is 0 or infinite."""
    left = s.least(x - s.floor(x), _BELOW_ONE[x.dtype.bits])
    edge = x.equals(0.0) | s.abs(x).equals(_INF)
    return s.where(edge, s.copysign(0.0, x), left)


def modf_fraction(s: Sheet, x: Term) -> Term:
    """What is behind the point, with x's sign."""
    return s.copysign(s.where(s.abs(x).equals(_INF), 0.0, x - s.trunc(x)), x)


def _finite(s: Sheet, x: Term) -> Term:
    return (s.abs(x) < _INF) & x.differs(0.0)


def frexp_fraction(s: Sheet, x: Term) -> Term:
    """X over a power of 2, in [1/2, 1)."""
    exponent = s.exponent(x) + 1.0
    return s.where(_finite(s, x), s.scale(x, -exponent), x)


def frexp_exponent(s: Sheet, x: Term) -> Term:
    """That power."""
    return s.where(_finite(s, x), s.exponent(x) + 1.0, 0.0)


def logb(s: Sheet, x: Term) -> Term:
    """The exponent."""
    return s.exponent(x)


def ilogb(s: Sheet, x: Term) -> Term:
    """The exponent as an int32; the edges are its least and its greatest number."""
    whole = s.cast(s.where(_finite(s, x), s.exponent(x), 0.0), INT32)
    edge = s.where(s.abs(x).equals(_INF), s.const((1 << 31) - 1, INT32), -(1 << 31))
    return s.where(_finite(s, x), whole, edge)


def ldexp(s: Sheet, x: Term, k: Term) -> Term:
    """X * 2**k rounded once."""
    limit = 3000.0 if x.dtype.bits == 64 else 400.0
    return s.scale_any(x, s.clamp(s.cast(k, x.dtype), -limit, limit))


def nextafter(s: Sheet, x: Term, y: Term) -> Term:
    """The next number from x towards y: the pattern of bits above or below its own."""
    raw = s.bits(x)
    outward = (x < y) ^ (x < 0.0)
    one = s.const(1, raw.dtype)
    moved = s.float_of(raw + s.where(outward, one, -1))
    least = s.copysign(s.float_of(one), y)
    result = s.where(x.equals(0.0), least, moved)
    result = s.where(x.equals(y), y, result)
    return s.where(x.is_nan() | y.is_nan(), x + y, result)


def nan(s: Sheet, payload: Term) -> Term:
    """A quiet NaN with these bits in its fraction."""
    width = payload.dtype.bits
    fraction = {16: 10, 32: 23, 64: 52}[width]
    quiet = ((1 << (width - 1)) - 1) ^ ((1 << (fraction - 1)) - 1)
    return s.float_of((payload & ((1 << fraction) - 1)) | quiet)
