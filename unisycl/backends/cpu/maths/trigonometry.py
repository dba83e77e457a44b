"""sin, cos, tan, sinpi, cospi, tanpi (SYCL 2020 §4.17.5): what quarter turns leave, in polynomials.

Non-goals: tables. Invariants: operands beyond what the reduction in parts can do take the slow way,
so that every finite operand is reduced exactly; no sine is above 1.
"""

from __future__ import annotations

import math

from unisycl.backends.cpu.maths import coefficients as c
from unisycl.backends.cpu.maths.reduction import reduce_huge
from unisycl.backends.cpu.maths.terms import Sheet, Term

_INF = float("inf")
_FAST = {32: 2.0 ** 17, 64: 2.0 ** 23}
_MAGIC = {32: 1.5 * 2.0 ** 23, 64: 1.5 * 2.0 ** 52}  # a number plus this is the nearest whole one


def _reduced(s: Sheet, x: Term) -> tuple[Term, Term]:
    """Return the quarter turns in an angle, counted in the lowest bits, and the radians left."""
    magic = _MAGIC[x.dtype.bits]
    marked = s.fma(x, 2 / math.pi, magic)
    n, r = marked - magic, x
    for part in c.HALF_PI_PARTS[x.dtype.bits]:
        r = s.fma(n, -part, r)
    size = s.abs(x)
    huge = (size > _FAST[x.dtype.bits]) & (size < _INF)

    def slow() -> list[Term]:
        count, rest = reduce_huge(s, x)
        return [s.whole_like(count, x), rest]
    quarters, r = s.patch(huge, [s.bits(marked), r], slow)
    return quarters, r


def _waves(s: Sheet, r: Term) -> tuple[Term, Term]:
    """Return sine and cosine of what is left of an angle."""
    u, bits = r * r, r.dtype.bits
    sine = s.fma(u, s.poly(u, c.SIN[bits]), 1.0) * r  # a product keeps the sign of 0
    return sine, s.fma(u, s.poly(u, c.COS[bits]), 1.0)


def _turned(s: Sheet, quarters: Term, sine: Term, cosine: Term) -> Term:
    """Return the sine of an angle after quarter turns."""
    result = s.where((quarters & 1).differs(0), cosine, sine)
    bits = result.dtype.bits
    sign = (quarters << (bits - 2)) & -(1 << (bits - 1))
    return s.float_of(s.bits(result) ^ sign)


def _quotient(s: Sheet, quarters: Term, sine: Term, cosine: Term) -> Term:
    """Return the tangent of an angle after quarter turns."""
    odd = (quarters & 1).differs(0)
    return s.where(odd, -cosine, sine) / s.where(odd, sine, cosine)


def sin(s: Sheet, x: Term) -> Term:
    """Sine."""
    quarters, r = _reduced(s, x)
    return _turned(s, quarters, *_waves(s, r))


def cos(s: Sheet, x: Term) -> Term:
    """Cosine."""
    quarters, r = _reduced(s, x)
    return _turned(s, quarters + 1, *_waves(s, r))


def tan(s: Sheet, x: Term) -> Term:
    """Tangent."""
    quarters, r = _reduced(s, x)
    return _quotient(s, quarters, *_waves(s, r))


# ---- half turns
def _half_turns(s: Sheet, x: Term) -> tuple[Term, Term, Term]:
    """Return the quarter turns in so many half turns, sine and cosine of what is left."""
    bits, magic = x.dtype.bits, _MAGIC[x.dtype.bits]
    # Within one turn either way first: what is taken off is exact, and so is what is left.
    turn = s.fma(s.rint(x * 0.5), -2.0, x)
    marked = turn * 2.0 + magic
    r = s.fma(marked - magic, -0.5, turn)
    u = r * r
    sine = r * s.poly(u, c.SINPI[bits])
    return s.bits(marked), sine, s.fma(u, s.poly(u, c.COSPI[bits]), 1.0)


def sinpi(s: Sheet, x: Term) -> Term:
    """sin(pi * x); zeros have the operand's sign."""
    result = _turned(s, *_half_turns(s, x))
    return s.where(result.equals(0.0), s.copysign(0.0, x), result)


def cospi(s: Sheet, x: Term) -> Term:
    """cos(pi * x); zeros are positive."""
    quarters, sine, cosine = _half_turns(s, x)
    return _turned(s, quarters + 1, sine, cosine) + 0.0


def tanpi(s: Sheet, x: Term) -> Term:
    """tan(pi * x) of the magnitude; zeros and poles alternate in sign."""
    quarters, sine, cosine = _half_turns(s, s.abs(x))
    sine = sine + 0.0
    result = _quotient(s, quarters, sine, cosine)
    # Where nothing is left the quarter turns alone tell the sign: 0, inf, -0, -inf.
    back = (quarters & 2).differs(0)
    limit = s.where((quarters & 1).differs(0), _INF, s.const(0.0, x.dtype))
    result = s.where(sine.equals(0.0), s.where(back, -limit, limit), result)
    return s.float_of(s.bits(result) ^ (s.bits(x) & -(1 << (x.dtype.bits - 1))))
