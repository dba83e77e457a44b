"""fmod, remainder, the quotient of remquo (SYCL 2020 §4.17.5): exact, in as many steps as needed.

Non-goals: Python's %, whose sign differs. Invariant: every step takes off a multiple of the divisor
that is exact in the type, so what is left is exact.
"""

from __future__ import annotations

from unisycl.backends.cpu.maths.terms import Sheet, Term

_INF = float("inf")
_FACTOR = {32: 2.0 ** 100, 64: 2.0 ** 600}
_WHOLE = {32: 2.0 ** 23, 64: 2.0 ** 52}  # every float from here up is a whole number


def _reduced(s: Sheet, x: Term, d: Term) -> Term:
    """Return what is left of x after whole multiples of d; both are magnitudes."""
    bits = x.dtype.bits

    def more(x: Term, d: Term) -> Term:
        return (x >= d) & (d > 0.0) & (x < _INF)

    def step(x: Term, d: Term) -> list[Term]:
        large = d  # where the quotient overflows, a multiple of the divisor takes its place
        for _ in range(2):
            large = s.where((x / large).equals(_INF), large * _FACTOR[bits], large)
        ratio = x / large
        quotient = s.trunc(ratio)
        left = s.fma(-quotient, large, x)
        # The quotient may have been rounded up: take the one below, whose product is exact too.
        below = s.where(ratio < _WHOLE[bits], quotient - 1.0, s.float_of(s.bits(quotient) - 1))
        return [s.where(left < 0.0, s.fma(-below, large, x), left), d]
    return s.repeat([x, d], more, step)[0]


def _valid(s: Sheet, x: Term, y: Term) -> Term:
    """Say where a remainder is defined."""
    return (s.abs(x) < _INF) & (s.abs(y) > 0.0)


def fmod(s: Sheet, x: Term, y: Term) -> Term:
    """Remainder with the dividend's sign."""
    left = s.copysign(_reduced(s, s.abs(x), s.abs(y)), x)
    return s.where(_valid(s, x, y), left, float("nan"))


def remainder(s: Sheet, x: Term, y: Term) -> Term:
    """Remainder of the nearest quotient, halves to even."""
    d = s.abs(y)
    left = _reduced(s, s.abs(x), d + d)
    # Now one or two divisors may still come off: the nearest, and of two as near the even one.
    once = left > d - left
    left = s.where(once, left - d, left)
    twice = left >= d - left
    left = s.where(once & twice, left - d, left)
    result = s.float_of(s.bits(left) ^ (s.bits(x) & s.sign_bit(x.dtype)))
    return s.where(_valid(s, x, y), result, float("nan"))


def quotient_bits(s: Sheet, x: Term, y: Term) -> Term:
    """The lowest seven bits of the nearest quotient, with its sign, as a float."""
    d = s.abs(y)
    left = _reduced(s, s.abs(x), d * 128.0)
    n = s.trunc(left / d)
    left = s.fma(-n, d, left)
    over = left < 0.0
    n, left = s.where(over, n - 1.0, n), s.where(over, left + d, left)
    half = n * 0.5
    odd = s.floor(half).differs(half)
    up = (left > d - left) | (odd & left.equals(d - left))
    n = s.where(up, n + 1.0, n)
    n = s.where(n >= 128.0, 0.0, n)
    negative = (s.bits(x) ^ s.bits(y)) < 0
    return s.where(_valid(s, x, y), s.where(negative, -n, n), 0.0)
