"""sinh, cosh, tanh and their inverses (SYCL 2020 §4.17.5).

Non-goals: tables. Invariant: odd functions are computed of magnitudes and get the sign back.
"""

from __future__ import annotations

from unisycl.backends.cpu.maths import coefficients as c
from unisycl.backends.cpu.maths import exponential, logarithm
from unisycl.backends.cpu.maths.terms import Sheet, Term

_TANH_IS_ONE = {32: 10.0, 64: 20.0}
_OVERFLOWN = {32: 89.6, 64: 710.6}
_LARGE = {32: 2.0 ** 12, 64: 2.0 ** 28}  # from here up the results are log(2x)
_LN2 = 0.693147180559945309


def _halves(s: Sheet, x: Term) -> tuple[Term, Term, Term, Term]:
    """Return a, b, C, S of |x|: sinh is 2 * (a*(1 + C) + b*S), cosh 2 * (b*(1 + C) + a*S).

    With r what is left of |x| after n * ln 2, C = cosh(r) - 1, S = sinh(r), and a and b are the
    difference and the sum of 2**(n-2) and 2**(-n-2).
    """
    bits = x.dtype.bits
    n, r = exponential.reduce(s, s.least(s.abs(x), _OVERFLOWN[bits]), exponential.E)
    u = r * r
    even = u * s.poly(u, c.COSH[bits])
    odd = s.fma(u * r, s.poly(u, c.SINH[bits]), r)
    quarter = s.const(0.25, x.dtype)
    up, down = s.scale(quarter, n), s.scale(quarter, -n)
    return up - down, up + down, even, odd


def sinh(s: Sheet, x: Term) -> Term:
    """Hyperbolic sine."""
    a, b, even, odd = _halves(s, x)
    result = s.copysign((a + s.fma(a, even, b * odd)) * 2.0, x)
    return s.where(s.abs(x) < exponential.TINY, x, result)


def cosh(s: Sheet, x: Term) -> Term:
    """Hyperbolic cosine."""
    a, b, even, odd = _halves(s, x)
    return (b + s.fma(b, even, a * odd)) * 2.0


def tanh(s: Sheet, x: Term) -> Term:
    """Hyperbolic tangent, from exp(2|x|) - 1."""
    grown = exponential.expm1(s, s.least(s.abs(x), _TANH_IS_ONE[x.dtype.bits]) * 2.0)
    return s.copysign(grown / (grown + 2.0), x)


def asinh(s: Sheet, x: Term) -> Term:
    """Inverse hyperbolic sine: log(1 + (t + t*t/(1 + sqrt(t*t + 1)))), t = |x|."""
    t = s.abs(x)
    large = t > _LARGE[x.dtype.bits]
    square = t * t
    near = t + square / (s.sqrt(square + 1.0) + 1.0)
    result = logarithm.log1p(s, s.where(large, t - 1.0, near))
    return s.copysign(s.where(large, result + _LN2, result), x)


def acosh(s: Sheet, x: Term) -> Term:
    """Inverse hyperbolic cosine: log(1 + (t + sqrt(t*(t + 2)))), t = x - 1."""
    t = x - 1.0
    large = x > _LARGE[x.dtype.bits]
    near = t + s.sqrt(s.fma(t, t, t + t))
    result = logarithm.log1p(s, s.where(large, t, near))
    return s.where(large, result + _LN2, result)


def atanh(s: Sheet, x: Term) -> Term:
    """Inverse hyperbolic tangent: half of log(1 + 2t/(1 - t)), t = |x|."""
    t = s.abs(x)
    return s.copysign(logarithm.log1p(s, (t + t) / (1.0 - t)) * 0.5, x)
