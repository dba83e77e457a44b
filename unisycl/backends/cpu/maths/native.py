"""What ``native`` and ``half_precision`` have (SYCL 2020 §4.17.6): float32, few instructions.

Non-goals: accuracy beyond some 15 bits, results below the least normal number, sines of operands
beyond 2**16. Invariant: edges that cost nothing are right; the others are undefined.
"""

from __future__ import annotations

import math

from unisycl.backends.cpu.maths import coefficients as c
from unisycl.backends.cpu.maths.terms import Sheet, Term

_MAGIC = 1.5 * 2.0 ** 23


def _power_of_two(s: Sheet, x: Term) -> Term:
    n = s.rint(x)
    return s.scale(s.poly(x - n, c.NATIVE_EXP2_32), n)


def _bounded(s: Sheet, x: Term, limit: float) -> Term:
    return s.clamp(x, -limit, limit)


def exp(s: Sheet, x: Term) -> Term:
    """E to the power x."""
    return _power_of_two(s, _bounded(s, x, 104.0) * (1 / math.log(2)))


def exp2(s: Sheet, x: Term) -> Term:
    """2 to the power x."""
    return _power_of_two(s, _bounded(s, x, 150.0))


def exp10(s: Sheet, x: Term) -> Term:
    """10 to the power x."""
    return _power_of_two(s, _bounded(s, x, 46.0) * math.log2(10))


def log2(s: Sheet, x: Term) -> Term:
    """Logarithm to base 2."""
    m, e = s.split(x)
    r = m - 1.0
    return s.fma(r, s.poly(r, c.NATIVE_LOG2_32), e)


def log(s: Sheet, x: Term) -> Term:
    """Natural logarithm."""
    return log2(s, x) * math.log(2)


def log10(s: Sheet, x: Term) -> Term:
    """Logarithm to base 10."""
    return log2(s, x) * math.log10(2)


def powr(s: Sheet, x: Term, y: Term) -> Term:
    """X to the power y, for x above 0."""
    m, e = s.split(x)
    r = m - 1.0  # exponents multiply the logarithm's error: this one is not rough
    return _power_of_two(s, _bounded(s, s.fma(r, s.poly(r, c.LOG2_32), e) * y, 150.0))


def recip(s: Sheet, x: Term) -> Term:
    """1 / x."""
    return s.reciprocal(x) if s.wide else 1.0 / x


def divide(s: Sheet, x: Term, y: Term) -> Term:
    """X / y."""
    return x * s.reciprocal(y) if s.wide else x / y


def rsqrt(s: Sheet, x: Term) -> Term:
    """1 / sqrt(x)."""
    return s.reciprocal_root(x) if s.wide else 1.0 / s.sqrt(x)


def sqrt(s: Sheet, x: Term) -> Term:
    """Square root."""
    return s.sqrt(x)


def _waves(s: Sheet, x: Term) -> tuple[Term, Term, Term]:
    marked = s.fma(x, 2 / math.pi, _MAGIC)
    n, r = marked - _MAGIC, x
    for part in c.HALF_PI_PARTS_32:
        r = s.fma(n, -part, r)
    u = r * r
    return s.bits(marked), r * s.poly(u, c.NATIVE_SIN_32), s.poly(u, c.NATIVE_COS_32)


def _turned(s: Sheet, quarters: Term, sine: Term, cosine: Term) -> Term:
    result = s.where((quarters & 1).differs(0), cosine, sine)
    return s.float_of(s.bits(result) ^ ((quarters << 30) & s.sign_bit(result.dtype)))


def sin(s: Sheet, x: Term) -> Term:
    """Sine."""
    return _turned(s, *_waves(s, x))


def cos(s: Sheet, x: Term) -> Term:
    """Cosine."""
    quarters, sine, cosine = _waves(s, x)
    return _turned(s, quarters + 1, sine, cosine)


def tan(s: Sheet, x: Term) -> Term:
    """Tangent."""
    quarters, sine, cosine = _waves(s, x)
    odd = (quarters & 1).differs(0)
    return s.where(odd, -cosine, sine) / s.where(odd, sine, cosine)
