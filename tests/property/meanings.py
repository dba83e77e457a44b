"""What the functions with exact results mean: in Python's whole numbers and fractions.

``MEANINGS`` has one function for each row of the table of builtins whose bound is at most one
rounding; none uses NumPy's arithmetic or the table's own meaning. Each takes Python numbers and a
``Form``, and returns a Python number, a fraction (rounded here, once) or a tuple of these.
Non-goals: functions with an error, which ``reference`` has.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

inf, nan = math.inf, math.nan
Number = Any
"""An int, a float, a bool or a fraction."""


@dataclass(frozen=True)
class Form:
    """The shared type of the operands: its letter ('f', 'i' or 'u') and its bits."""

    letter: str
    bits: int

    @property
    def fraction(self) -> int:
        """The bits of a float's fraction."""
        return {16: 10, 32: 23, 64: 52}[self.bits]

    @property
    def most(self) -> int:
        """The largest exponent of a float."""
        return {16: 15, 32: 127, 64: 1023}[self.bits]

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the largest integer."""
        return (-(1 << self.bits - 1), (1 << self.bits - 1) - 1) if self.letter == "i" else (
            0, (1 << self.bits) - 1)


def form_of(kind: np.dtype[Any]) -> Form:
    """Return the form of a dtype."""
    return Form(kind.kind, 8 * kind.itemsize)


def expected(name: str, operands: list[np.ndarray], outs: list[np.ndarray]) -> list[np.ndarray]:
    """Return what a function of arrays gives, as arrays like ``outs``."""
    form, meaning = form_of(operands[0].dtype), MEANINGS[name]
    rows = [meaning(form, *xs) for xs in zip(*(x.tolist() for x in operands), strict=True)]
    several = rows if len(outs) > 1 else [(row,) for row in rows]
    made = [np.zeros_like(out) for out in outs]
    for k, row in enumerate(several):
        for array, value in zip(made, row, strict=True):
            array[k] = rounded(value, form) if isinstance(value, Fraction) else value
    return made


# ---------------------------------------------------------------------- floats
def exponent(x: Fraction) -> int:
    """Return the whole part of the logarithm to base 2 of a magnitude."""
    up, down = abs(x.numerator), x.denominator
    guess = up.bit_length() - down.bit_length()
    return guess if Fraction(2) ** guess <= abs(x) else guess - 1


def rounded(x: Fraction, form: Form) -> float:
    """Return the nearest float of a form, halves to even."""
    if x == 0:
        return 0.0
    unit = Fraction(2) ** (max(exponent(x), 1 - form.most) - form.fraction)
    near = round(x / unit) * unit
    size = inf if abs(near) >= Fraction(2) ** (form.most + 1) else float(abs(near))
    return -size if x < 0 else size


def bits_of(x: float, form: Form) -> int:
    """Return the bits of a float of a form."""
    sign = int(math.copysign(1, x) < 0) << form.bits - 1
    if math.isnan(x) or math.isinf(x):
        return sign | (2 * form.most + 1) << form.fraction | (
            1 << form.fraction - 1 if math.isnan(x) else 0)
    if x == 0:
        return sign
    at = max(exponent(Fraction(x)), 1 - form.most)
    whole = abs(Fraction(x)) / Fraction(2) ** (at - form.fraction)
    assert whole.denominator == 1, (x, form)
    return sign | int(whole) + ((at + form.most - 1) << form.fraction)


def of_bits(bits: int, form: Form) -> float:
    """Return the float that some bits are."""
    sign = -1.0 if bits >> form.bits - 1 else 1.0
    rest = bits & (1 << form.bits - 1) - 1
    at, part = rest >> form.fraction, rest & (1 << form.fraction) - 1
    if at == 2 * form.most + 1:
        return nan if part else sign * inf
    whole = part + (1 << form.fraction if at else 0)
    return sign * float(whole * Fraction(2) ** (max(at, 1) - form.most - form.fraction))


def _whole(to: Callable[[Fraction], int]) -> Callable[[Form, float], float]:
    """Round to a whole number that keeps the operand's sign."""
    def meaning(_form: Form, x: float) -> float:
        return math.copysign(to(Fraction(x)), x) if math.isfinite(x) else x
    return meaning


def _half_away(x: Fraction) -> int:
    return math.floor(abs(x) + Fraction(1, 2)) * (-1 if x < 0 else 1)


FLOOR, TRUNC = _whole(math.floor), _whole(math.trunc)


def _other_than_nan(pick: Callable[[float, float], float]) -> Callable[..., float]:
    def meaning(_form: Form, x: float, y: float) -> float:
        return y if math.isnan(x) else x if math.isnan(y) else pick(x, y)
    return meaning


def _by_size(larger: bool) -> Callable[..., float]:
    pick = _other_than_nan(max if larger else min)

    def meaning(form: Form, x: float, y: float) -> float:
        if math.isnan(x) or math.isnan(y) or abs(x) == abs(y):
            return pick(form, x, y)
        return x if (abs(x) > abs(y)) == larger else y
    return meaning


def _difference(x: float, y: float) -> Number:
    """Return x - y: exact, or what infinities and NaN give."""
    return Fraction(x) - Fraction(y) if math.isfinite(x) and math.isfinite(y) else x - y


def _fdim(_form: Form, x: float, y: float) -> Number:
    return nan if math.isnan(x) or math.isnan(y) else _difference(x, y) if x > y else 0.0


def _divided(to: Callable[[Fraction], int], x: float, y: float) -> tuple[float, int]:
    """Return x - n*y with x's sign if it is 0, and n, the quotient as ``to`` makes it whole."""
    if not math.isfinite(x) or math.isnan(y) or y == 0:
        return nan, 0
    if math.isinf(y):
        return x, 0
    n = to(Fraction(x) / Fraction(y))
    left = Fraction(x) - n * Fraction(y)
    return math.copysign(0.0, x) if left == 0 else float(left), n


def _remquo(_form: Form, x: float, y: float) -> tuple[float, int]:
    left, n = _divided(round, x, y)
    return left, (abs(n) % 128) * (-1 if n < 0 else 1)


def _fraction(form: Form, x: float) -> Number:
    if math.isnan(x):
        return nan
    if math.isinf(x) or x == 0:
        return math.copysign(0.0, x)
    below = 1 - Fraction(1, 2 << form.fraction)
    exact = Fraction(x) - math.floor(Fraction(x))
    return Fraction(min(Fraction(rounded(exact, form)), below))


def _behind(_form: Form, x: float) -> float:
    if not math.isfinite(x):
        return math.copysign(0.0, x) if math.isinf(x) else nan
    return math.copysign(float(abs(Fraction(x)) % 1), x)


def _frexp(_form: Form, x: float) -> tuple[float, int]:
    if x == 0 or not math.isfinite(x):
        return x, 0
    by = exponent(Fraction(x)) + 1
    return float(Fraction(x) / Fraction(2) ** by), by


def _ldexp(_form: Form, x: float, k: int) -> Number:
    if x == 0 or not math.isfinite(x):
        return x
    return Fraction(x) * Fraction(2) ** max(-4000, min(4000, k))


def _ilogb(_form: Form, x: float) -> int:
    if x == 0 or math.isnan(x):
        return -2 ** 31
    return 2 ** 31 - 1 if math.isinf(x) else exponent(Fraction(x))


def _logb(_form: Form, x: float) -> float:
    if x == 0:
        return -inf
    return float(exponent(Fraction(x))) if math.isfinite(x) else abs(x)


def _nextafter(form: Form, x: float, y: float) -> float:
    if math.isnan(x) or math.isnan(y):
        return nan
    if x == y:
        return y
    if x == 0:
        return math.copysign(of_bits(1, form), y)
    away = (y > x) == (x > 0)
    return of_bits(bits_of(x, form) + (1 if away else -1), form)


def _fma(_form: Form, a: float, b: float, c: float) -> Number:
    if not all(map(math.isfinite, (a, b, c))):
        whole = nan if math.isnan(a) or math.isnan(b) or inf in (abs(a), abs(b)) and 0 in (a, b) \
            else math.copysign(inf, math.copysign(1, a) * math.copysign(1, b)) \
            if inf in (abs(a), abs(b)) else 0.0
        return whole + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact:
        return exact
    sign = math.copysign(1, a) * math.copysign(1, b)
    both = math.copysign(1, c) == sign and c == 0 and 0 in (a, b)
    return math.copysign(0.0, sign) if both else 0.0


def _sign(_form: Form, x: float) -> float:
    return 0.0 if math.isnan(x) else x if x == 0 else math.copysign(1.0, x)


def _unit(_form: Form, x: float) -> float:
    return x if x == 0 or math.isnan(x) else math.copysign(1.0, x)


def _distance(_form: Form, x: float, y: float) -> Number:
    found = _difference(x, y)
    return abs(found)


def _product(form: Form, x: float, y: float) -> Number:
    return _fma(form, x, y, math.copysign(0.0, math.copysign(1, x) * math.copysign(1, y)))


def _normal(form: Form, x: float) -> bool:
    return 0 < bits_of(x, form) >> form.fraction & 2 * form.most + 1 < 2 * form.most + 1


def _test(holds: Callable[[float, float], bool], unordered: bool) -> Callable[..., bool]:
    def meaning(_form: Form, x: float, y: float) -> bool:
        return unordered if math.isnan(x) or math.isnan(y) else holds(x, y)
    return meaning


# ---------------------------------------------------------------------- integers
def wrapped(value: int, form: Form) -> int:
    """Return a whole number modulo what a form holds."""
    low, high = form.ends
    return (value - low) % (high - low + 1) + low


def _limited(value: int, form: Form) -> int:
    low, high = form.ends
    return max(low, min(value, high))


def _digits(x: int, form: Form) -> str:
    """Return the binary digits of an integer, all of them."""
    return format(x % (1 << form.bits), f"0{form.bits}b")


def _of_digits(digits: str, form: Form) -> int:
    return wrapped(int(digits, 2), form)


def _rotate(form: Form, x: int, by: int) -> int:
    digits, k = _digits(x, form), by % form.bits
    return _of_digits(digits[k:] + digits[:k], form)


def _bitselect(form: Form, a: Number, b: Number, c: Number) -> Number:
    rows = [_digits(x if form.letter != "f" else bits_of(x, form), form) for x in (a, b, c)]
    mixed = "".join(y if z == "1" else x for x, y, z in zip(*rows, strict=True))
    return of_bits(int(mixed, 2), form) if form.letter == "f" else _of_digits(mixed, form)


def _joined(form: Form, high: int, low: int) -> int:
    return high * (1 << form.bits) + low


def _quiet(form: Form, payload: int) -> float:
    return nan


def _zeros(digits: str) -> int:
    return len(digits) - len(digits.lstrip("0"))


def _of_both(pick: Callable[[float, float], float]) -> Callable[..., float]:
    def meaning(_form: Form, x: float, y: float) -> float:
        return nan if math.isnan(x) or math.isnan(y) else pick(x, y)
    return meaning


def _clamp(_form: Form, x: Number, low: Number, high: Number) -> Number:
    return min(max(x, low), high)


MEANINGS: dict[str, Callable[..., Any]] = {
    "floor": FLOOR, "ceil": _whole(math.ceil), "trunc": TRUNC, "rint": _whole(round),
    "round": _whole(_half_away),
    "fabs": lambda _, x: math.copysign(x, 1), "copysign": lambda _, x, y: math.copysign(x, y),
    "fmin": _other_than_nan(min), "fmax": _other_than_nan(max), "maxmag": _by_size(True),
    "minmag": _by_size(False), "fdim": _fdim,
    "fmod": lambda _, x, y: _divided(math.trunc, x, y)[0],
    "remainder": lambda _, x, y: _divided(round, x, y)[0], "remquo": _remquo,
    "fract": lambda form, x: (_fraction(form, x), FLOOR(form, x)),
    "modf": lambda form, x: (_behind(form, x), TRUNC(form, x)), "frexp": _frexp, "ldexp": _ldexp,
    "ilogb": _ilogb, "logb": _logb, "nan": _quiet, "nextafter": _nextafter, "fma": _fma,
    "step": lambda _, edge, x: 0.0 if x < edge else 1.0, "sign": _sign, "dot": _product,
    "length": lambda _, x: abs(x), "distance": _distance, "normalize": _unit,
    "fast_length": lambda _, x: abs(x), "fast_distance": _distance, "fast_normalize": _unit,
    "clamp": _clamp,
    "abs": lambda form, x: abs(x) if form.letter == "f" else wrapped(abs(x), form),
    "min": lambda _, a, b: min(a, b), "max": lambda _, a, b: max(a, b),
    "minimum_of": _of_both(min), "maximum_of": _of_both(max),
    "isnan": lambda _, x: x != x, "isinf": lambda _, x: abs(x) == inf,
    "isfinite": lambda _, x: abs(x) < inf, "isnormal": _normal,
    "signbit": lambda form, x: bits_of(x, form) >> form.bits - 1 == 1,
    "isequal": _test(lambda x, y: x == y, False), "isnotequal": _test(lambda x, y: x != y, True),
    "isgreater": _test(lambda x, y: x > y, False),
    "isgreaterequal": _test(lambda x, y: x >= y, False),
    "isless": _test(lambda x, y: x < y, False), "islessequal": _test(lambda x, y: x <= y, False),
    "islessgreater": _test(lambda x, y: x != y, False),
    "isordered": _test(lambda x, y: True, False), "isunordered": _test(lambda x, y: False, True),
    "any": lambda form, x: _digits(x, form)[0] == "1",
    "all": lambda form, x: _digits(x, form)[0] == "1", "bitselect": _bitselect,
    "select": lambda _, a, b, c: b if c else a,
    "abs_diff": lambda form, a, b: wrapped(abs(a - b), form),
    "clz": lambda form, x: _zeros(_digits(x, form)),
    "ctz": lambda form, x: _zeros(_digits(x, form)[::-1]),
    "popcount": lambda form, x: _digits(x, form).count("1"), "rotate": _rotate,
    "add_sat": lambda form, a, b: _limited(a + b, form),
    "sub_sat": lambda form, a, b: _limited(a - b, form),
    "hadd": lambda _, a, b: math.floor(Fraction(a + b, 2)),
    "rhadd": lambda _, a, b: math.ceil(Fraction(a + b, 2)),
    "mul_hi": lambda form, a, b: math.floor(Fraction(a * b, 1 << form.bits)),
    "mad_hi": lambda form, a, b, c: wrapped(math.floor(Fraction(a * b, 1 << form.bits)) + c, form),
    "mad_sat": lambda form, a, b, c: _limited(a * b + c, form),
    "mul24": lambda form, a, b: wrapped(a * b, form),
    "mad24": lambda form, a, b, c: wrapped(a * b + c, form), "upsample": _joined,
}


# ---------------------------------------------------------------------- loosely defined ones
def _mix(x: Fraction, y: Fraction, a: Fraction) -> Fraction:
    return x * (1 - a) + y * a


def _smoothstep(low: Fraction, high: Fraction, x: Fraction) -> Fraction:
    t = min(max((x - low) / (high - low), Fraction(0)), Fraction(1))
    return 3 * t ** 2 - 2 * t ** 3


PARTS: dict[str, tuple[str, ...]] = {"sincos": ("sin", "cos"), "lgamma_r": ("lgamma",)}
"""Functions of several results, and whose errors the first ones are judged by."""

LOOSE: dict[str, Callable[..., Fraction]] = {
    "mad": lambda a, b, c: a * b + c, "mix": _mix, "smoothstep": _smoothstep}
"""Exact results of functions whose bound is absolute, or open."""


def off(name: str, operands: list[np.ndarray], found: np.ndarray) -> list[float]:
    """Return how far results of a function of ``LOOSE`` are from the exact ones."""
    rows = zip(*(x.tolist() for x in operands), found.tolist(), strict=True)
    return [abs(float(LOOSE[name](*map(Fraction, xs)) - Fraction(y))) for *xs, y in rows]
