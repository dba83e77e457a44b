"""exp, exp2, exp10, expm1 (SYCL 2020 §4.17.5): 2**n times a polynomial of what is left.

Non-goals: tables. Invariant: results below the least normal number are rounded once.
"""

from __future__ import annotations

from collections.abc import Mapping

from unisycl.backends.cpu.maths import coefficients as c
from unisycl.backends.cpu.maths.terms import Sheet, Term
from unisycl.base.dataclass import dataclass


@dataclass(frozen=True)
class Base:
    """A base, by the bits of the type: operands beyond ``limits`` give 0 or infinity.

    ``per`` is the base's logarithm to base 2, ``parts`` one over it.
    """

    limits: Mapping[int, tuple[float, float]]
    per: float
    parts: Mapping[int, tuple[float, ...]]
    poly: Mapping[int, tuple[float, ...]]


E = Base({32: (-104.0, 89.0), 64: (-746.0, 710.0)}, 1.44269504088896341, c.LN2_PARTS, c.EXP)
TEN = Base({32: (-46.0, 39.0), 64: (-325.0, 309.0)}, 3.32192809488736235, c.LOG10_2_PARTS, c.EXP10)
TWO = Base({32: (-151.0, 129.0), 64: (-1080.0, 1025.0)}, 1.0, {32: (1.0,), 64: (1.0,)}, c.EXP2)
TINY = 2.0 ** -80  # below here odd functions of slope 1 are their operand
_NOTHING = {32: -18.0, 64: -38.0}  # from here down exp(x) - 1 is -1


def reduce(s: Sheet, x: Term, base: Base) -> tuple[Term, Term]:
    """Return whole n and what is left of x after n / log2(base)."""
    n = s.rint(x if base.per == 1.0 else x * base.per)
    for part in base.parts[x.dtype.bits]:
        x = s.fma(n, -part, x)
    return n, x


def _power(s: Sheet, x: Term, base: Base) -> Term:
    n, r = reduce(s, s.clamp(x, *base.limits[x.dtype.bits]), base)
    return s.scale(s.poly(r, base.poly[x.dtype.bits]), n)


def exp(s: Sheet, x: Term) -> Term:
    """E to the power x."""
    return _power(s, x, E)


def exp2(s: Sheet, x: Term) -> Term:
    """2 to the power x."""
    return _power(s, x, TWO)


def exp10(s: Sheet, x: Term) -> Term:
    """10 to the power x."""
    return _power(s, x, TEN)


def expm1(s: Sheet, x: Term) -> Term:
    """exp(x) - 1: 2 * (2**(n-1) * (exp(r) - 1) + (2**(n-1) - 1/2)), which never overflows early."""
    bits = x.dtype.bits
    n, r = reduce(s, s.clamp(x, _NOTHING[bits], E.limits[bits][1]), E)
    minus = s.fma(r * r, s.poly(r, c.EXP[bits][2:]), r)
    half = s.scale(s.const(0.5, x.dtype), n)
    result = s.copysign(s.fma(half, minus, half - 0.5) * 2.0, x)
    return s.where(s.abs(x) < TINY, x, result)
