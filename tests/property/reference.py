"""What mathematical functions are exactly: in extended precision, and in 200 bits.

``WIDE`` works on arrays of ``longdouble`` and is good enough to judge float32 and float16;
``EXACT`` works on one ``mpmath`` number and judges float64. Non-goals: NaN, infinities and signs of
zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import scipy.special as special

Wide = np.longdouble
PI = Wide("3.14159265358979323846264338327950288")


def _sinpi(x: Any) -> Any:
    turn = x - 2 * np.rint(x / 2)
    near = np.where(np.abs(turn) > 0.5, np.copysign(1 - np.abs(turn), turn), turn)
    return np.sin(PI * near)


def _cospi(x: Any) -> Any:
    turn = np.abs(x - 2 * np.rint(x / 2))
    return np.sin(PI * (Wide(0.5) - turn))


def _root(x: Any, n: Any) -> Any:
    root = np.power(np.abs(x), 1 / n)
    return np.where(x >= 0, root, np.where(n % 2 == 0, np.nan, -root))


def _powr(x: Any, y: Any) -> Any:
    plain = (x > 0) & (x < np.inf) & (np.abs(y) < np.inf)
    return np.where(plain, np.power(np.abs(x), y), np.nan)


def _double(fn: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *xs: fn(*(x.astype(np.float64) for x in xs)).astype(Wide)


WIDE: dict[str, Callable[..., Any]] = {
    "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "cbrt": np.cbrt, "hypot": np.hypot,
    "rootn": _root, "exp": np.exp, "exp2": np.exp2, "exp10": lambda x: np.power(Wide(10), x),
    "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
    "pow": np.power, "pown": np.power, "powr": _powr, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "sinpi": _sinpi, "cospi": _cospi, "tanpi": lambda x: _sinpi(x) / _cospi(x),
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2,
    "asinpi": lambda x: np.arcsin(x) / PI, "acospi": lambda x: np.arccos(x) / PI,
    "atanpi": lambda x: np.arctan(x) / PI, "atan2pi": lambda y, x: np.arctan2(y, x) / PI,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh,
    "atanh": np.arctanh, "erf": _double(special.erf), "erfc": _double(special.erfc),
    "tgamma": _double(special.gamma), "lgamma": _double(special.gammaln),
    "degrees": lambda x: x * 180 / PI, "radians": lambda x: x * PI / 180,
    "divide": np.divide, "recip": lambda x: 1 / x,
}


def _angle(y: Any, x: Any) -> Any:
    return mp.atan2(y, x) if y or x > 0 else mp.nan  # zeros have no sign here


def _real_power(x: Any, y: Any) -> Any:
    return mp.power(x, y) if x > 0 else mp.nan


def _real_root(x: Any, n: Any) -> Any:
    if x < 0 and int(n) % 2 == 0:
        return mp.nan
    root = mp.power(abs(x), 1 / mp.mpf(int(n)))
    return -root if x < 0 else root


EXACT: dict[str, Callable[..., Any]] = {
    "sqrt": mp.sqrt, "rsqrt": lambda x: 1 / mp.sqrt(x),
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)), "hypot": mp.hypot, "rootn": _real_root,
    "exp": mp.exp, "exp2": lambda x: mp.power(2, x), "exp10": lambda x: mp.power(10, x),
    "expm1": mp.expm1, "log": mp.log, "log2": lambda x: mp.log(x) / mp.ln2,
    "log10": lambda x: mp.log(x) / mp.ln10, "log1p": mp.log1p, "pow": mp.power, "pown": mp.power,
    "powr": _real_power, "sin": mp.sin, "cos": mp.cos, "tan": mp.tan, "sinpi": mp.sinpi,
    "cospi": mp.cospi, "tanpi": lambda x: mp.sinpi(x) / mp.cospi(x), "asin": mp.asin,
    "acos": mp.acos, "atan": mp.atan, "atan2": _angle, "asinpi": lambda x: mp.asin(x) / mp.pi,
    "acospi": lambda x: mp.acos(x) / mp.pi, "atanpi": lambda x: mp.atan(x) / mp.pi,
    "atan2pi": lambda y, x: _angle(y, x) / mp.pi, "sinh": mp.sinh, "cosh": mp.cosh,
    "tanh": mp.tanh, "asinh": mp.asinh, "acosh": mp.acosh, "atanh": mp.atanh, "erf": mp.erf,
    "erfc": mp.erfc, "tgamma": mp.gamma, "lgamma": lambda x: mp.re(mp.loggamma(x)),
    "degrees": mp.degrees, "radians": mp.radians,
}
NAMES = tuple(EXACT)
ROUGH = {"divide", "recip"}
"""Functions there are for float32 alone, which ``WIDE`` judges."""


def errors(name: str, operands: list[np.ndarray], found: np.ndarray) -> np.ndarray:
    """Return how far results are from the exact ones, in units in the last place.

    A unit is that of the exact result, never below the least number of the type; infinity counts
    as the power of 2 above the greatest number. Operands without an exact result give 0.
    """
    name = name.removeprefix("native_").removeprefix("half_")
    if found.dtype.itemsize < 8:
        return _wide_errors(WIDE[name], operands, found)
    with mp.workprec(200):
        return np.array([_exact_error(EXACT[name], xs, float(y))
                         for xs, y in zip(zip(*operands, strict=True), found, strict=True)])


def _wide_errors(function: Callable[..., Any], operands: list[np.ndarray],
                 found: np.ndarray) -> np.ndarray:
    info = np.finfo(found.dtype)
    with np.errstate(all="ignore"):
        exact = function(*(x.astype(Wide) for x in operands)).astype(Wide)
        size = np.abs(exact)
        unit = np.exp2(np.clip(np.floor(np.log2(size)), info.minexp, info.maxexp - 1)
                       - info.nmant)
        known = np.isfinite(exact)
        beyond = Wide(2) ** info.maxexp
        exact = np.where(size > beyond, np.copysign(beyond, exact), exact)
        got = found.astype(Wide)
        got = np.where(np.isinf(got), np.copysign(beyond, got), got)
        error = np.abs(got - exact) / unit
    error = np.where(np.isnan(error), np.inf, error)
    return np.where(known, error, 0).astype(np.float64)


def _exact_error(function: Callable[..., Any], operands: tuple[Any, ...], found: float) -> float:
    numbers = [mp.mpf(x.item()) for x in operands]
    if not all(map(mp.isfinite, numbers)):
        return 0.0
    try:
        exact = function(*numbers)
    except (ValueError, ZeroDivisionError, OverflowError):
        return 0.0
    if isinstance(exact, mp.mpc):
        if exact.imag != 0:
            return 0.0
        exact = exact.real
    if not mp.isfinite(exact):
        return 0.0
    if np.isnan(found):
        return float("inf")
    beyond = mp.mpf(2) ** 1024
    exact = min(max(exact, -beyond), beyond)
    got = mp.mpf(found) if np.isfinite(found) else beyond * int(np.sign(found))
    exponent = max(mp.mag(exact) - 1, -1022) if exact else -1022
    return float(abs(got - exact) / mp.mpf(2) ** (min(exponent, 1023) - 52))


# ---------------------------------------------------------------------- vectors
Vector = list[Any]


def _length(a: Vector) -> Any:
    return mp.sqrt(sum(x * x for x in a))


def _away(a: Vector, b: Vector) -> Any:
    return _length([x - y for x, y in zip(a, b, strict=True)])


def _unit(a: Vector) -> Vector:
    size = _length(a)
    return [x / size if size else x for x in a]


def _cross(a: Vector, b: Vector) -> Vector:
    return [a[j] * b[k] - a[k] * b[j] for j, k in ((1, 2), (2, 0), (0, 1))]


VECTORS: dict[str, tuple[Callable[..., Any], dict[int, tuple[float, float]]]] = {
    "length": (_length, {16: (0.25, 0.5), 32: (2.75, 0.5), 64: (5.5, 1)}),
    "distance": (_away, {16: (0.25, 2), 32: (2.5, 2), 64: (5.5, 2)}),
    "normalize": (_unit, {16: (1, 1), 32: (2, 1), 64: (4.5, 1)}),
    "fast_length": (_length, {32: (8191.5, 1)}), "fast_distance": (_away, {32: (8191.5, 2)}),
    "fast_normalize": (_unit, {32: (8192, 1)}),
    "dot": (lambda a, b: sum(x * y for x, y in zip(a, b, strict=True)), {}), "cross": (_cross, {}),
}
"""What functions of vectors are, and (c, k) of their bounds, c + k * n units, by a float's bits.

The bounds of ``dot`` and ``cross`` are absolute: largest operand squared times (2n - 1) and 3
epsilons (OpenCL C §7.4)."""


def beyond(name: str, operands: list[np.ndarray], found: np.ndarray) -> list[str]:
    """Return which results of a function of vectors are further from the exact ones than allowed.

    Operands have a row for each vector; results a number, or a row.
    """
    function, bounds = VECTORS[name]
    info, n = np.finfo(found.dtype), operands[0].shape[1]
    epsilons = 3 if name == "cross" else 2 * n - 1
    wrong = []
    with mp.workprec(200):
        for *rows, got in zip(*operands, found, strict=True):
            numbers = [[mp.mpf(x.item()) for x in row] for row in rows]
            exact = function(*numbers)
            most = max(abs(x) for row in numbers for x in row)
            for want, x in zip(np.atleast_1d(exact), np.atleast_1d(got), strict=True):
                if bounds:
                    step = mp.mpf(2) ** (max(mp.mag(want) - 1 if want else info.minexp, info.minexp)
                                         - info.nmant)
                    c, k = bounds[info.bits]
                    limit = (c + k * n) * step
                else:
                    limit = most * most * epsilons * mp.mpf(float(info.eps))
                if not abs(mp.mpf(x.item()) - want) <= limit:
                    wrong.append(f"{name}{rows}: {x} is not {mp.nstr(want, 20)}")
    return wrong
