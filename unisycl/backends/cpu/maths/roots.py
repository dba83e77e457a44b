"""rsqrt, cbrt, hypot (SYCL 2020 §4.17.5): estimates and steps of Newton's.

Non-goals: sqrt, an instruction everywhere. Invariant: 0 and infinity come out exact.
"""

from __future__ import annotations

from unisycl.backends.cpu.maths import coefficients as c
from unisycl.backends.cpu.maths.terms import Sheet, Term

_INF = float("inf")
_MOST = 3.4028234663852886e38  # the largest float32
_EXPONENTS = {32: (-150.0, 150.0), 64: (-1080.0, 1080.0)}


def rsqrt(s: Sheet, x: Term) -> Term:
    """1 / sqrt(x): an estimate and steps of Newton's; the estimate is exact at the edges."""
    if not s.wide:
        return 1.0 / s.sqrt(x)
    y = s.reciprocal_root(x)
    return _single_step(s, x, y) if x.dtype.bits == 32 else _two_steps(s, x, y)


def _single_step(s: Sheet, x: Term, y: Term) -> Term:
    """One step, in which the largest number stands for infinity at the edges.

    So no product is 0 times infinity; the step then overflows, or adds nothing to zero.
    """
    y = s.where(y > _MOST, _MOST, y)
    y = s.where(y < -_MOST, -_MOST, y)
    left = s.fma(-(s.where(x > _MOST, _MOST, x) * y), y, 1.0)
    return s.fma(y * left, 0.5, y)


def _two_steps(s: Sheet, x: Term, y: Term) -> Term:
    left = s.fma(-(x * y), y, 1.0)
    better = s.fma(y * left, 0.5, y)
    rest = s.fma(-(x * better), better, 1.0)
    return s.where(left.is_nan(), y, s.fma(better * rest, 0.5, better))


def cbrt(s: Sheet, x: Term) -> Term:
    """Cube root: a polynomial's m**(-1/3) times one of 2, and a step of Newton's."""
    m, e = s.split(s.abs(x))
    third = s.rint(e * (1 / 3))
    k = e - third * 3.0
    two = s.where(k > 0.0, 2 ** (-1 / 3), s.where(k < 0.0, 2 ** (1 / 3), s.const(1.0, x.dtype)))
    r = s.poly(m, c.CBRT[x.dtype.bits]) * two
    m = s.scale(m, k)
    if x.dtype.bits == 64:  # (1 - h)**(-1/3) is 1 + h/3 + 2*h*h/9 + ...
        h = s.fma(-(m * r), r * r, 1.0)
        r = s.fma(r * h, s.fma(h, 2 / 9, 1 / 3), r)
    square = r * r
    root = m * square
    left = s.fma(-(root * root), root, m)
    result = s.copysign(s.scale(s.fma(left * square, 1 / 3, root), third), x)
    return s.where(s.abs(e) < _INF, result, x)


def hypot(s: Sheet, x: Term, y: Term) -> Term:
    """sqrt(x*x + y*y), both first divided by a power of 2; infinite if either is."""
    a, b = s.abs(x), s.abs(y)
    e = s.clamp(s.exponent(s.where(a > b, a, b)), *_EXPONENTS[x.dtype.bits])
    a_small, b_small = s.scale(a, -e), s.scale(b, -e)
    root = s.scale(s.sqrt(s.fma(a_small, a_small, b_small * b_small)), e)
    return s.where(a.equals(_INF) | b.equals(_INF), _INF, root)
