"""What is approximated by a polynomial: one row each, read by ``bench.minimax``.

``function`` is fitted in the variable the code uses, with the error weighted by ``weight`` so that
the fit is best relative to the result. ``fixed`` are leading coefficients that must be exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import mpmath as mp

Function = Callable[[Any], Any]


@dataclass(frozen=True)
class Approximant:
    """A polynomial to make; ``degrees`` are those for float32 and float64."""

    name: str
    function: Function
    weight: Function
    low: Any
    high: Any
    degrees: tuple[int, int]
    fixed: tuple[float, ...] = ()


mp.mp.prec = 200
TINY = mp.mpf(2) ** -60
LN2, LN10, PI, THIRD = mp.log(2), mp.log(10), mp.pi, mp.mpf(1) / 3
EIGHTH = mp.pi / 4 * mp.mpf("1.02")  # a little beyond an eighth of a turn
NONE = -1  # no polynomial for this type
ERFC_MIDDLE = 3  # where the variable of erfc is 0


def _row(name: str, f: Function, w: Function, low: Any, high: Any, degree32: int, degree64: int,
         *fixed: float) -> Approximant:
    # Intervals that end at 0 start next to it: the functions are quotients there.
    return Approximant(name, f, w, low or TINY, high or -TINY, (degree32, degree64), fixed)


def _odd(f: Function, low: Any, high: Any) -> tuple[Function, Function, Any, Any]:
    """Return the row of P with f(x) = x + x*u*P(u), u = x*x."""
    def ratio(u: Any) -> Any:
        x = mp.sqrt(u)
        return f(x) / x
    return lambda u: (ratio(u) - 1) / u, lambda u: u / ratio(u), low, high


def _erfcx(t: Any) -> Any:
    x = ERFC_MIDDLE * (1 + t) / (1 - t)
    return mp.exp(x * x) * mp.erfc(x)


def _stirling(u: Any) -> Any:
    """The logarithm of gamma(z) without its leading terms, times z, as a function of 1/z**2."""
    z = 1 / mp.sqrt(u)
    with mp.workprec(400):
        left = mp.loggamma(z) - (z - mp.mpf(1) / 2) * mp.log(z) + z - mp.log(2 * mp.pi) / 2
    return left * z


_LOG = (-mp.mpf("0.2501"), mp.mpf("0.5001"))

ROWS = (
    _row("EXP", mp.exp, lambda x: mp.exp(-x), -LN2 * 0.505, LN2 * 0.505, 6, 11, 1.0, 1.0),
    _row("EXP2", lambda x: mp.mpf(2) ** x, lambda x: mp.mpf(2) ** -x, -0.505, 0.505, 6, 12, 1.0),
    _row("EXP10", lambda x: mp.mpf(10) ** x, lambda x: mp.mpf(10) ** -x,
         -LN2 / LN10 * 0.505, LN2 / LN10 * 0.505, 6, 12, 1.0),
    # exp(r) = 1 + u * C(u) + r + r * u * S(u), u = r*r: its even and odd parts
    _row("COSH", lambda u: (mp.cosh(mp.sqrt(u)) - 1) / u, lambda u: u / mp.cosh(mp.sqrt(u)), 0,
         (LN2 * 0.505) ** 2, 2, 4),
    _row("SINH", *_odd(mp.sinh, 0, (LN2 * 0.505) ** 2), 2, 5),
    # log(1 + r) = r + r*r * P(r); log2(1 + r) = r * P(r); log10(1 + r) = r/ln10 + r*r * P(r)
    _row("LOG", lambda r: (mp.log1p(r) - r) / r ** 2, lambda r: r ** 2 / mp.log1p(r), *_LOG, 8, 19),
    _row("LOG2", lambda r: mp.log1p(r) / r / LN2, lambda r: r * LN2 / mp.log1p(r), *_LOG, 9, 20),
    _row("LOG10", lambda r: (mp.log1p(r) - r) / r ** 2 / LN10,
         lambda r: r ** 2 * LN10 / mp.log1p(r), *_LOG, 8, 19),
    # log2(1 + r) = r/ln2 - r*r/(2 ln2) + r**3 * P(r) for small r, for pow
    _row("POW_LOG", lambda r: (mp.log1p(r) - r + r * r / 2) / LN2 / r ** 3,
         lambda r: r ** 3 * LN2 / mp.log1p(r), -0.0334, 0.0626, 3, 8),
    # sin r = r + r * u * P(u) and cos r = 1 + u * P(u), u = r*r
    _row("SIN", *_odd(mp.sin, 0, EIGHTH ** 2), 2, 5),
    _row("COS", lambda u: (mp.cos(mp.sqrt(u)) - 1) / u, lambda u: u / mp.cos(mp.sqrt(u)), 0,
         EIGHTH ** 2, 2, 6),
    # sin(pi r) = r * P(u) and cos(pi r) = 1 + u * P(u)
    _row("SINPI", lambda u: mp.sin(PI * mp.sqrt(u)) / mp.sqrt(u),
         lambda u: mp.sqrt(u) / mp.sin(PI * mp.sqrt(u)), 0, mp.mpf("0.2501") ** 2, 3, 6),
    _row("COSPI", lambda u: (mp.cos(PI * mp.sqrt(u)) - 1) / u,
         lambda u: u / mp.cos(PI * mp.sqrt(u)), 0, mp.mpf("0.2501") ** 2, 2, 6),
    _row("ASIN", *_odd(mp.asin, 0, mp.mpf("0.2501")), 4, 11),
    _row("ATAN", *_odd(mp.atan, 0, mp.mpf("1.0001")), 8, 20),
    # one over the cube root
    _row("CBRT", lambda m: m ** -THIRD, lambda m: m ** THIRD, 0.75, 1.5, 4, 4),
    # erf(x) / x as a function of x*x; exp(x*x) * erfc(x) as one of (x - m) / (x + m)
    _row("ERF", lambda u: mp.erf(mp.sqrt(u)) / mp.sqrt(u), lambda u: mp.sqrt(u) /
         mp.erf(mp.sqrt(u)), 0, mp.mpf("1.0001"), 6, 11),
    # the logarithm of erfc to base 2, as a function of x - 1, good for 1 - erfc
    _row("ERF_FAR", lambda t: mp.log(mp.erfc(1 + t)) / LN2, lambda t: mp.erfc(1 + t), 0, mp.mpf(5),
         5, 17),
    _row("ERFC", _erfcx, lambda t: 1 / _erfcx(t), -1, mp.mpf("0.81"), 12, 24),
    _row("STIRLING", _stirling, mp.sqrt, 0, mp.mpf(1) / 64, NONE, 6),
    # rough ones for native
    _row("NATIVE_EXP2", lambda x: mp.mpf(2) ** x, lambda x: mp.mpf(2) ** -x, -0.505, 0.505, 4,
         NONE, 1.0),
    _row("NATIVE_LOG2", lambda r: mp.log1p(r) / r / LN2, lambda r: r * LN2 / mp.log1p(r), *_LOG, 5,
         NONE),
    _row("NATIVE_SIN", lambda u: mp.sin(mp.sqrt(u)) / mp.sqrt(u),
         lambda u: mp.sqrt(u) / mp.sin(mp.sqrt(u)), 0, EIGHTH ** 2, 2, NONE, 1.0),
    _row("NATIVE_COS", lambda u: mp.cos(mp.sqrt(u)), lambda u: 1 / mp.cos(mp.sqrt(u)), 0,
         EIGHTH ** 2, 3, NONE, 1.0),
    # the slope of gamma from 2 on
    _row("GAMMA", lambda f: (mp.gamma(2 + f) - 1) / f, lambda f: 1 / (mp.gamma(2 + f) - 1) * f, 0,
         mp.mpf("1.0001"), NONE, 18),
)


@dataclass(frozen=True)
class Pieces:
    """Polynomials for the intervals around whole numbers k: of ``function`` in t = u - k."""

    name: str
    function: Function
    weight: Function
    count: int
    degree: int
    bits: int


def _erf_ratio(u: Any) -> Any:
    x = max(u, TINY) * ERF_WIDTH
    return mp.erf(x) / x


ERF_WIDTH = mp.mpf(1) / 4
PIECES = (
    Pieces("ERF_PIECES_32", _erf_ratio, lambda u: 1 / _erf_ratio(u), 16, 5, 32),
)


def _pow_table(bits: int) -> tuple[tuple[float, ...], ...]:
    """1/m, rounded, and its negative logarithm to base 2 in two parts, by m's first four bits.

    m is in [3/4, 3/2); next to 1 the factor is 1, so that small logarithms stay exact.
    """
    factors, high, low = [], [], []
    unit = mp.mpf(2) ** (15 if bits == 32 else 41)
    for k in range(16):
        m = mp.mpf(1 + (k + 0.5) / 16) if k < 8 else mp.mpf(0.5 + (k + 0.5) / 32)
        factor = mp.mpf(1) if k in (0, 15) else mp.nint(256 / m) / 256
        log = -mp.log(factor, 2)
        factors.append(float(factor))
        high.append(float(mp.nint(log * unit) / unit))
        low.append(float(log - high[-1]))
    return tuple(factors), tuple(high), tuple(low)


TABLES = {"POW_TABLE_32": _pow_table(32), "POW_TABLE_64": _pow_table(64)}


def _parts() -> Iterator[tuple[str, Any, int, int, bool]]:
    """Yield numbers needed in several parts: name, value, bits, count, whether rounded down.

    Multiples of parts that are all positive, taken from -0, leave -0, and those of infinity have
    one sign.
    """
    for bits in (32, 64):
        yield f"LN2_PARTS_{bits}", LN2, bits, 2, False
        yield f"LOG10_2_PARTS_{bits}", LN2 / LN10, bits, 2, True
        yield f"HALF_PI_PARTS_{bits}", PI / 2, bits, 3, True
        yield f"LOG2_E_PARTS_{bits}", 1 / LN2, bits, 2, False
        yield f"LOG10_E_PARTS_{bits}", 1 / LN10, bits, 2, False


PARTS = tuple(_parts())
