"""log, log2, log10, log1p (SYCL 2020 §4.17.5): the exponent, and a polynomial of m - 1.

Non-goals: tables. Invariant: near 1 the exponent is 0 and the polynomial alone is relative to the
result.
"""

from __future__ import annotations

from unisycl.backends.cpu.maths import coefficients as c
from unisycl.backends.cpu.maths.terms import Sheet, Term

_INF = float("inf")
_EXPONENTS = {32: (-150.0, 150.0), 64: (-1080.0, 1080.0)}


def natural(s: Sheet, r: Term, e: Term) -> Term:
    """log(1 + r) + e * log(2) for 1 + r in [3/4, 3/2)."""
    high, low = c.LN2_PARTS[r.dtype.bits]
    square = r * r
    bent = s.poly(r, c.LOG[r.dtype.bits])
    if r.dtype.bits == 64:
        return s.fma(e, high, s.fma(square, bent, r) + e * low)
    return s.fma(e, high, s.fma(square, bent, r))


def log(s: Sheet, x: Term) -> Term:
    """Natural logarithm."""
    m, e = s.split(x)
    return natural(s, m - 1.0, e)


def log2(s: Sheet, x: Term) -> Term:
    """Logarithm to base 2."""
    m, e = s.split(x)
    r = m - 1.0
    return s.fma(r, s.poly(r, c.LOG2[x.dtype.bits]), e)


def log10(s: Sheet, x: Term) -> Term:
    """Logarithm to base 10."""
    m, e = s.split(x)
    r = m - 1.0
    high, low = c.LOG10_2_PARTS[x.dtype.bits]
    scale, scale_rest = c.LOG10_E_PARTS[x.dtype.bits]
    rest = s.fma(e, low, r * scale_rest)
    rest = s.fma(r * r, s.poly(r, c.LOG10[x.dtype.bits]), rest)
    return s.fma(e, high, s.fma(r, scale, rest))


def log1p(s: Sheet, x: Term) -> Term:
    """log(1 + x): the fraction of 1 + x is x / 2**e + (1 / 2**e - 1), rounded once."""
    u = x + 1.0
    m, e = s.split(u)
    factor = s.scale(s.const(1.0, x.dtype), -s.clamp(e, *_EXPONENTS[x.dtype.bits]))
    r = s.fma(x, factor, factor - 1.0)
    result = s.copysign(natural(s, r, e), x)
    # Elsewhere the parts of u say it: (1, -inf) for 0, (1, inf) for inf, NaN for what is below 0.
    return s.where((u > 0.0) & (x < _INF), result, e * m)
