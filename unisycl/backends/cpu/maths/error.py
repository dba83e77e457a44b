"""erf and erfc (SYCL 2020 §4.17.5).

Non-goals: their inverses. Invariants: erf is odd and at most 1; erfc is relative to its own small
results.
"""

from __future__ import annotations

from unisycl.backends.cpu.maths import coefficients as c
from unisycl.backends.cpu.maths.exponential import E, reduce
from unisycl.backends.cpu.maths.terms import Sheet, Term

_MAGIC = 1.5 * 2.0 ** 23
_ONE_FROM = {32: 3.875, 64: 6.0}  # here erf is 1 to the type's precision
_NOTHING_FROM = {32: 10.1, 64: 27.3}  # here erfc is 0
_MIDDLE = 3.0  # as in bench/approximants.py


def erf(s: Sheet, x: Term) -> Term:
    """Error function."""
    if x.dtype.bits == 32 and s.tables:
        return _erf_by_pieces(s, x)
    size = s.abs(x)
    near = size * s.poly(size * size, c.ERF[x.dtype.bits])
    # From 1 up only the tail's first digits matter: 2 to a polynomial.
    q = s.poly(s.least(size, _ONE_FROM[x.dtype.bits]) - 1.0, c.ERF_FAR[x.dtype.bits])
    n = s.rint(q)
    far = 1.0 - s.scale(s.poly(q - n, c.EXP2[x.dtype.bits]), n)
    result = s.where(size > 1.0, far, near)
    return s.copysign(result, x)


def _erf_by_pieces(s: Sheet, x: Term) -> Term:
    """X times one of sixteen polynomials of |x|, looked up in registers."""
    size = s.abs(x)
    marked = s.fma(size, 4.0, _MAGIC)
    t = s.fma(size, 4.0, _MAGIC - marked)
    at = s.bits(marked)
    ratio = s.lookup(c.ERF_PIECES_32[-1], at)
    for column in reversed(c.ERF_PIECES_32[:-1]):
        ratio = s.fma(ratio, t, s.lookup(column, at))
    result = s.least(size * ratio, 1.0)
    return s.copysign(s.where(size >= _ONE_FROM[32], 1.0, result), x)


def _tail(s: Sheet, x: Term) -> Term:
    """erfc(x) for x from 0 to where it vanishes: exp(-x*x) times a polynomial."""
    bits = x.dtype.bits
    square = x * x
    rest = s.fma(x, x, -square)
    t = (x - _MIDDLE) / (x + _MIDDLE)
    n, r = reduce(s, -square, E)
    power = s.poly(r - rest, c.EXP[bits])
    return s.scale(power * s.poly(t, c.ERFC[bits]), n)


def erfc(s: Sheet, x: Term) -> Term:
    """Complementary error function."""
    bits = x.dtype.bits
    size = s.abs(x)
    tail = _tail(s, s.least(size, _NOTHING_FROM[bits]))
    result = s.where(x < 0.0, 2.0 - tail, tail)
    near = s.fma(-x, s.poly(x * x, c.ERF[bits]), 1.0)
    return s.where(size < 0.5, near, result)
