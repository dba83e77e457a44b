"""pow, powr, pown, rootn (SYCL 2020 §4.17.5): 2 to the power y * log2(x).

Non-goals: small whole exponents, which the front end multiplies out. Invariant: the logarithm and
the product are sums of two numbers each, so that large exponents lose nothing.
"""

from __future__ import annotations

from unisycl.backends.cpu.maths import coefficients as c
from unisycl.backends.cpu.maths.terms import Sheet, Term

_INF = float("inf")
_LIMITS = {32: (-152.0, 129.0), 64: (-1080.0, 1025.0)}
_INDEX = {32: 19, 64: 48}  # the first four bits of the fraction, moved to the right end


def sum_of(s: Sheet, a: Term, b: Term) -> tuple[Term, Term]:
    """Return a + b and its rounding error; |a| >= |b| or a is 0."""
    total = a + b
    return total, b - (total - a)


def product_of(s: Sheet, a: Term, b: Term | float) -> tuple[Term, Term]:
    """Return a * b and its rounding error."""
    product = a * b
    return product, s.fma(a, b, -product)


def log2_parts(s: Sheet, x: Term) -> tuple[Term, Term]:
    """Return log2(x) as a sum of two numbers: of the exponent, a table's factor, and the rest."""
    m, e = s.split(x)
    bits = x.dtype.bits
    at = s.bits(m) >> _INDEX[bits]
    factors, logs, log_rests = c.POW_TABLE[bits]
    product, r_rest = product_of(s, m, s.lookup(factors, at))
    r = product - 1.0
    r_rest = s.fma(-r_rest, r, r_rest)  # what it adds to the logarithm of 1 + r
    high, low = c.LOG2_E_PARTS[bits]
    linear, rest = product_of(s, r, high)
    rest = s.fma(r_rest, high, s.fma(r, low, rest)) + s.lookup(log_rests, at)
    square, square_rest = product_of(s, r, r)
    half = -0.5 * high
    if bits == 64:  # the square matters beyond its first 53 bits
        bent, bent_rest = product_of(s, square, half)
        linear, more = sum_of(s, linear, bent)
        rest = s.fma(square_rest, half, rest) + (more + bent_rest)
        rest = s.fma(square * r, s.poly(r, c.POW_LOG[bits]), rest)
    else:
        rest = s.fma(square, s.fma(r, s.poly(r, c.POW_LOG[bits]), half), rest)
    total, total_rest = sum_of(s, e + s.lookup(logs, at), linear)
    return sum_of(s, total, total_rest + rest)


def power_of(s: Sheet, size: Term, y: Term, y_rest: Term | None = None) -> Term:
    """Return a positive number to the power y, which may have a second part."""
    high, low = log2_parts(s, size)
    bits = size.dtype.bits
    product = high * y
    t = s.clamp(product, *_LIMITS[bits])
    rest = s.fma(low, y, s.fma(high, y, -t))
    if y_rest is not None:
        rest = s.fma(high, y_rest, rest)
    rest = s.where(t.equals(product), rest, 0.0)
    n = s.rint(t)
    return s.scale(s.poly((t - n) + rest, c.EXP2[bits]), n)


def pow(s: Sheet, x: Term, y: Term) -> Term:
    """X to the power y, with C's special cases."""
    result = power_of(s, s.abs(x), y)
    plain = (x > 0.0) & (x < _INF) & (s.abs(y) < _INF)
    return s.patch(~plain, [result], lambda: [_special(s, x, y, result)])[0]


def _special(s: Sheet, x: Term, y: Term, result: Term) -> Term:
    """Return x to the power y where one is 0, infinite, NaN or x is negative.

    ``result`` is that of the magnitude of x, right where it is finite and not 0 and y is finite.
    """
    result = _limits(s, s.abs(x), y, result)
    whole = s.rint(y).equals(y)
    odd = whole & s.rint(y * 0.5).differs(y * 0.5)
    result = s.where(odd, s.copysign(result, x), result)
    result = s.where((x < 0.0) & (x > -_INF) & ~whole, float("nan"), result)
    result = s.where(x.is_nan() | y.is_nan(), x + y, result)
    return s.where(y.equals(0.0) | x.equals(1.0), 1.0, result)


def _limits(s: Sheet, size: Term, y: Term, result: Term) -> Term:
    """Return a power of a magnitude where that or the exponent is infinite, or the magnitude 0."""
    edge = size.equals(0.0) | size.equals(_INF) | s.abs(y).equals(_INF)
    limit = s.where((size > 1.0) ^ (y < 0.0), _INF, s.const(0.0, size.dtype))
    return s.where(edge, s.where(size.equals(1.0), 1.0, limit), result)


def powr(s: Sheet, x: Term, y: Term) -> Term:
    """X to the power y as exp(y * log(x)): NaN where that is undefined."""
    result = power_of(s, s.abs(x), y)
    plain = (x > 0.0) & (x < _INF) & (s.abs(y) < _INF)

    def special() -> list[Term]:
        size = s.abs(x)
        found = _limits(s, size, y, result)
        endless = s.abs(y).equals(_INF)
        empty = size.equals(0.0) | size.equals(_INF)
        undefined = (x < 0.0) | x.is_nan() | y.is_nan() | (y.equals(0.0) & empty) \
            | (x.equals(1.0) & endless)
        return [s.where(undefined, float("nan"), found)]
    return s.patch(~plain, [result], special)[0]


def _signed(s: Sheet, x: Term, k: Term, result: Term, *, positive: bool) -> Term:
    """Return the result for a magnitude as one for x and a whole k: the sign, 0 and infinity.

    ``positive``: even roots of negative numbers are NaN.
    """
    size = s.abs(x)
    odd = (k & 1).differs(0)
    empty, grows = size.equals(0.0), k > 0
    ends = s.where(empty ^ grows, _INF, s.const(0.0, x.dtype))
    result = s.where(empty | size.equals(_INF), ends, result)
    result = s.where(odd, s.copysign(result, x), result)
    if positive:
        result = s.where((x < 0.0) & ~odd, float("nan"), result)
    return s.where(x.is_nan(), x, result)


def pown(s: Sheet, x: Term, k: Term) -> Term:
    """X to the whole power k."""
    y = s.cast(k, x.dtype)
    y_rest = s.cast(k - s.cast(y, k.dtype), x.dtype) if x.dtype.bits == 32 else None
    result = power_of(s, s.abs(x), y, y_rest)
    plain = (x > 0.0) & (x < _INF)

    def special() -> list[Term]:
        found = _signed(s, x, k, result, positive=False)
        return [s.where(k.equals(0), 1.0, found)]
    return s.patch(~plain, [result], special)[0]


def rootn(s: Sheet, x: Term, k: Term) -> Term:
    """The k-th root of x."""
    n = s.cast(k, x.dtype)
    y = 1.0 / n
    y_rest = s.fma(-y, n, 1.0) * y
    if x.dtype.bits == 32:
        y_rest = s.fma(-y, s.cast(k - s.cast(n, k.dtype), x.dtype) * y, y_rest)
    result = power_of(s, s.abs(x), y, y_rest)
    plain = (x > 0.0) & (x < _INF) & k.differs(0)

    def special() -> list[Term]:
        found = _signed(s, x, k, result, positive=True)
        return [s.where(k.equals(0), float("nan"), found)]
    return s.patch(~plain, [result], special)[0]
