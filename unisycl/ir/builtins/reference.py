"""What the mathematical functions mean that neither NumPy nor ``math`` has as it is needed.

Operands are NumPy scalars of one floating type, whole numbers NumPy integers; results have the
operands' type. Non-goals: speed. Invariant: no function raises for a number.
"""

from __future__ import annotations

import fractions
import math
from collections.abc import Callable
from typing import Any

import numpy as np

_LEAST = -(1 << 31)  # ilogb of 0 and NaN
_MOST = (1 << 31) - 1  # ilogb of infinity


def keep(fn: Callable[..., float]) -> Callable[..., Any]:
    """Make a function of Python floats keep NumPy's dtype; domain errors give NaN, poles inf."""
    def host(*args: Any) -> Any:
        kind = np.result_type(args[0])
        try:
            return kind.type(fn(*(a.item() for a in args)))
        except ValueError:
            return kind.type(math.nan)
        except OverflowError:
            return kind.type(math.inf)
    return host


def widened(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of NumPy floats compute in float64 and round the result once."""
    def host(*args: Any) -> Any:
        kind = np.result_type(args[0])
        return kind.type(fn(*(np.float64(a) for a in args)))
    return host


# ---- rounding and parts
def fma(a: Any, b: Any, c: Any) -> Any:
    """a*b + c rounded once."""
    kind = np.result_type(a, b, c)
    if not all(map(math.isfinite, (a, b, c))):
        return kind.type(float(a) * float(b) + float(c))
    x, y, z = (fractions.Fraction(float(v)) for v in (a, b, c))
    exact = x * y + z
    if exact == 0:
        return kind.type(float(a) * float(b) + float(c))
    try:
        return _rounded(exact, kind)
    except OverflowError:
        return kind.type(math.inf if exact > 0 else -math.inf)


def _rounded(exact: fractions.Fraction, kind: np.dtype[Any]) -> Any:
    """Return a rational rounded once; ``OverflowError`` beyond float64."""
    near = float(exact)
    if kind.itemsize == 8:
        return kind.type(near)
    # Towards an odd last bit first: rounding again cannot meet a tie that is none.
    if near != exact and not int(np.float64(near).view(np.int64)) & 1:
        near = float(np.nextafter(near, math.inf if exact > near else -math.inf))
    return kind.type(near)


def away(x: Any) -> Any:
    """The nearest whole number, halves away from zero."""
    whole = np.trunc(x)
    step = np.copysign(np.ones_like(x), x) * (np.abs(x - whole) >= 0.5)
    return np.copysign(whole + step, x)


def fdim(x: Any, y: Any) -> Any:
    """The positive difference."""
    if np.isnan(x) or np.isnan(y):
        return x + y
    return x - y if x > y else np.result_type(x, y).type(0)


def fraction(x: Any) -> Any:
    """What is above the floor, below 1, with the operand's sign if it is 0 or infinite."""
    kind = np.result_type(x)
    if np.isinf(x) or x == 0:
        return np.copysign(kind.type(0), x)
    below = np.nextafter(kind.type(1), kind.type(0))
    left = x - np.floor(x)
    return left if np.isnan(left) else np.minimum(left, below)


def modf_fraction(x: Any) -> Any:
    """What is behind the point, with the operand's sign."""
    return np.copysign(np.result_type(x).type(0) if np.isinf(x) else x - np.trunc(x), x)


def frexp_exponent(x: Any) -> Any:
    """The exponent of a fraction in [1/2, 1)."""
    return np.int32(np.frexp(x)[1] if np.isfinite(x) else 0)


def ilogb(x: Any) -> Any:
    """The exponent as an integer."""
    if x == 0 or np.isnan(x):
        return np.int32(_LEAST)
    return np.int32(_MOST if np.isinf(x) else np.frexp(x)[1] - 1)


def logb(x: Any) -> Any:
    """The exponent as a float."""
    kind = np.result_type(x)
    if x == 0:
        return kind.type(-math.inf)
    return np.abs(x) if not np.isfinite(x) else kind.type(np.frexp(x)[1] - 1)


def maxmag(x: Any, y: Any) -> Any:
    """The one of larger magnitude, else the larger."""
    return x if abs(x) > abs(y) else y if abs(y) > abs(x) else np.fmax(x, y)


def minmag(x: Any, y: Any) -> Any:
    """The one of smaller magnitude, else the smaller."""
    return x if abs(x) < abs(y) else y if abs(y) < abs(x) else np.fmin(x, y)


def nextafter(x: Any, y: Any) -> Any:
    """The next number from x towards y."""
    return y if x == y else np.nextafter(x, y)


def nan(payload: Any) -> Any:
    """A quiet NaN with these bits in its fraction."""
    bits = 8 * payload.itemsize
    quiet = {16: 0x7E00, 32: 0x7FC00000, 64: 0x7FF8000000000000}[bits]
    keep_ = {16: 0x3FF, 32: 0x7FFFFF, 64: 0xFFFFFFFFFFFFF}[bits]
    whole = np.asarray(int(payload) & keep_ | quiet, payload.dtype)
    return whole.view(f"f{payload.itemsize}")[()]


def _quotient(x: Any, y: Any) -> tuple[float, int]:
    """Return the remainder of the nearest quotient, halves to even, and that quotient."""
    x, y = float(x), float(y)
    if not math.isfinite(x) or math.isnan(y) or y == 0:
        return math.nan, 0
    if math.isinf(y):
        return x, 0
    return math.remainder(x, y), round(fractions.Fraction(x) / fractions.Fraction(y))


def remainder(x: Any, y: Any) -> Any:
    """Return x - n*y for the whole n nearest to x/y."""
    return np.result_type(x, y).type(_quotient(x, y)[0])


def remquo_quotient(x: Any, y: Any) -> Any:
    """The lowest seven bits of that n, with its sign."""
    n = _quotient(x, y)[1]
    return np.int32((abs(n) & 127) * (-1 if n < 0 else 1))


# ---- half turns
def _half_turns(x: Any) -> tuple[int, float]:
    """Return the quarter turns in |x| half turns, and the half turns left, in [-1/4, 1/4]."""
    rest = math.fmod(abs(float(x)), 2.0)
    quarters = round(rest * 2)
    return quarters & 3, rest - quarters / 2


def sinpi(x: Any) -> Any:
    """sin(pi * x), 0 at whole numbers."""
    kind = np.result_type(x)
    if not np.isfinite(x):
        return kind.type(math.nan)
    quarters, rest = _half_turns(x)
    value = (math.sin, math.cos)[quarters & 1](math.pi * rest) * (1 if quarters < 2 else -1)
    return kind.type(math.copysign(value, x) if value == 0 else math.copysign(1, x) * value)


def cospi(x: Any) -> Any:
    """cos(pi * x), 0 in the middle between whole numbers."""
    kind = np.result_type(x)
    if not np.isfinite(x):
        return kind.type(math.nan)
    quarters, rest = _half_turns(x)
    value = (math.cos, math.sin)[quarters & 1](math.pi * rest)
    return kind.type(value * (-1 if quarters in (1, 2) else 1) + 0.0)


def tanpi(x: Any) -> Any:
    """tan(pi * x); poles alternate in sign, as do the zeros between them."""
    kind = np.result_type(x)
    if not np.isfinite(x):
        return kind.type(math.nan)
    quarters, rest = _half_turns(x)
    if rest == 0:
        value = (0.0, math.inf, -0.0, -math.inf)[quarters]
    else:
        value = math.tan(math.pi * rest)
        value = -1 / value if quarters & 1 else value
    return kind.type(math.copysign(1, x) * value)


# ---- powers
def power(x: Any, y: Any) -> Any:
    """X to the power y as C has it; NumPy takes a square root for one half."""
    if y == 0.5 and (x == 0 or np.isinf(x)):
        return np.abs(x)
    return np.power(x, y)


def powr(x: Any, y: Any) -> Any:
    """X to the power y as exp(y * log(x)): only of what is not negative."""
    kind = np.result_type(x, y)
    undefined = x < 0 or np.isnan(x) or np.isnan(y) or (y == 0 and (x == 0 or np.isinf(x))) \
        or (x == 1 and np.isinf(y))
    return kind.type(math.nan) if undefined else np.power(np.abs(x), y)


def pown(x: Any, n: Any) -> Any:
    """X to a whole power."""
    return np.result_type(x).type(np.power(np.float64(x), np.float64(n)))


def rootn(x: Any, n: Any) -> Any:
    """The n-th root."""
    kind, size, count = np.result_type(x), abs(float(x)), int(n)
    if count == 0 or np.isnan(x) or (x < 0 and count % 2 == 0):
        return kind.type(math.nan)
    if size == 0 or math.isinf(size):
        value = size if count > 0 else math.inf if size == 0 else 0.0
    else:
        value = _root(size, count)
    return kind.type(math.copysign(value, x) if count % 2 else value)


def _root(x: float, count: int) -> float:
    """Return the root of a positive number; the power's rounded exponent is made up for."""
    near = float(np.power(np.float64(x), np.float64(1 / count)))
    if not 3 <= abs(count) <= 64 or not math.isfinite(near) or near == 0:
        return near
    left = fractions.Fraction(near) ** count / fractions.Fraction(x) - 1
    return near - near * float(left) / count


# ---- gamma
def cbrt(x: Any) -> Any:
    """The cube root, which some libraries give with an error of more than 2 ULP."""
    return np.result_type(x).type(np.cbrt(np.longdouble(x)))


def tgamma(x: Any) -> Any:
    """The gamma function; infinite at 0, NaN at other poles."""
    kind = np.result_type(x)
    if x == 0:
        return np.copysign(kind.type(math.inf), x)
    return keep(math.gamma)(x)


def lgamma(x: Any) -> Any:
    """The logarithm of gamma's magnitude; infinite at its poles."""
    if x <= 0 and x == np.floor(x):
        return np.result_type(x).type(math.inf)
    return keep(math.lgamma)(x)


def lgamma_sign(x: Any) -> Any:
    """The sign of gamma: -1 or 1."""
    if x == 0:
        return np.int32(-1 if np.signbit(x) else 1)
    return np.int32(-1 if x < 0 and np.isfinite(x) and x != np.floor(x) and int(np.floor(x)) % 2
                    else 1)
