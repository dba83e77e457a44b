"""tgamma and lgamma (SYCL 2020 §4.17.5), computed in float64 for every type.

Small operands take steps into [2, 3), large ones Stirling's series; far below 0 gamma is reflected,
with the sine of half turns. Non-goals: a relative error of lgamma at its zeros below 0, which the
specification leaves open. Invariant: operands next to a pole lose nothing.
"""

from __future__ import annotations

import math

from unisycl.backends.cpu.maths import coefficients as c
from unisycl.backends.cpu.maths.logarithm import log, log1p
from unisycl.backends.cpu.maths.powers import log2_parts, product_of, sum_of
from unisycl.backends.cpu.maths.terms import Sheet, Term
from unisycl.backends.cpu.maths.trigonometry import sinpi
from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import FLOAT64

_INF = float("inf")
_REFLECTED = -4.0  # below here gamma is reflected
_SERIES = 8.0  # from here up it is Stirling's series
_LARGEST = 200.0  # gamma is infinite, and one over it 0, from well below here up
_HALF_LOG_TURN = 0.918938533204672742  # log(sqrt(2 * pi))


@dataclass(frozen=True)
class _Near:
    """gamma(z) for z from -4 to 8: the value, and gamma(z) - 1 that is exact near 1 and 2."""

    value: Term
    beyond: Term


def _near(s: Sheet, z: Term) -> _Near:
    above, below, at = s.const(1.0, FLOAT64), s.const(1.0, FLOAT64), z
    for _ in range(int(_SERIES) - 3):
        high = at >= 3.0
        at = s.where(high, at - 1.0, at)
        above = s.where(high, above * at, above)
    for _ in range(2 - int(_REFLECTED)):
        low = at < 2.0
        below = s.where(low, below * at, below)
        at = s.where(low, at + 1.0, at)
    f = at - 2.0
    slope = s.poly(f, c.GAMMA_64)
    value = s.fma(f, slope, 1.0) * above / below
    # In [1, 2) one step was taken, and z - 1 is f: (1 + f*slope) / (1 + f) - 1.
    unstepped = s.where(z < 2.0, (slope - 1.0) * f / z, slope * f)
    return _Near(value, s.where((z >= 1.0) & (z < 3.0), unstepped, s.abs(value) - 1.0))


def _series(s: Sheet, z: Term) -> tuple[Term, Term]:
    """Return (m, n) with gamma(z) = m * 2**n, for z from 8 up."""
    high, low = log2_parts(s, z)
    less = z - 0.5
    main, rest = product_of(s, less, high)
    rest = s.fma(less, low, rest)
    per, per_rest = c.LOG2_E_PARTS[64]
    down, down_rest = product_of(s, z, per)
    rest = rest - s.fma(z, per_rest, down_rest)
    inverse = 1.0 / z
    bent = s.poly(inverse * inverse, c.STIRLING_64) * inverse
    rest = s.fma(bent, per, rest) + _HALF_LOG_TURN * per
    total, more = sum_of(s, main, -down)
    total, more = sum_of(s, total, more + rest)
    n = s.rint(total)
    return s.poly((total - n) + more, c.EXP2_64), n


def tgamma(s: Sheet, x: Term) -> Term:
    """Gamma function."""
    wide = s.cast(x, FLOAT64)
    return s.cast(_tgamma(s, wide), x.dtype)


def _tgamma(s: Sheet, x: Term) -> Term:
    reflected = x < _REFLECTED
    z = s.where(reflected, -x, x)
    large = z >= _SERIES
    m, n = _series(s, s.clamp(z, _SERIES, _LARGEST))
    m = s.where(large, m, _near(s, s.clamp(z, _REFLECTED, _SERIES)).value)
    n = s.where(large, n, 0.0)
    turned = -math.pi / (z * sinpi(s, z) * m)
    result = s.scale(s.where(reflected, turned, m), s.where(reflected, -n, n))
    pole = (x < 0.0) & s.floor(x).equals(x)
    return s.where(pole, float("nan"), result)


def lgamma(s: Sheet, x: Term) -> Term:
    """Logarithm of gamma's magnitude."""
    wide = s.cast(x, FLOAT64)
    return s.cast(_lgamma(s, wide), x.dtype)


def _lgamma(s: Sheet, x: Term) -> Term:
    reflected = x < _REFLECTED
    z = s.where(reflected, -x, x)
    inverse = 1.0 / z
    bent = s.poly(inverse * inverse, c.STIRLING_64) * inverse
    far = s.fma(z - 0.5, log(s, z) - 1.0, bent + (_HALF_LOG_TURN - 0.5))
    tiny = s.abs(z) < 2.0 ** -900  # gamma overflows there
    beyond = _near(s, s.where(tiny, z * 2.0 ** 100, s.clamp(z, _REFLECTED, _SERIES))).beyond
    near = log1p(s, beyond) + s.where(tiny, 100 * math.log(2), s.const(0.0, FLOAT64))
    result = s.where(z >= _SERIES, far, near)
    turned = log(s, math.pi / s.abs(z * sinpi(s, z))) - result
    result = s.where(reflected, turned, result)
    pole = ((x <= 0.0) & s.floor(x).equals(x)) | s.abs(x).equals(_INF)
    return s.where(pole, _INF, result)


def lgamma_sign(s: Sheet, x: Term) -> Term:
    """The sign of gamma as a whole number: -1 between odd and even numbers below 0, and at -0."""
    down = s.floor(x)
    inside = (x < 0.0) & down.differs(x)
    half = down * 0.5
    odd = s.floor(half).differs(half)
    minus = (inside & odd) | (x.equals(0.0) & (s.bits(x) < 0))
    return s.where(minus, -1.0, s.const(1.0, x.dtype))
