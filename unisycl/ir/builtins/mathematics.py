"""Floating-point functions (SYCL 2020 §4.17.5): one row each.

Non-goals: accuracy of a target's own library. Invariant: ``host`` keeps its operands' dtype.
"""

from __future__ import annotations

import fractions
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.ir.builtins.row import Builtin


def _keep(fn: Callable[..., float]) -> Callable[..., Any]:
    """Make a function of Python floats keep NumPy's dtype; domain errors give NaN, poles inf."""
    def host(*args: Any) -> Any:
        kind = np.result_type(*args)
        try:
            return kind.type(fn(*(float(a) for a in args)))
        except ValueError:
            return kind.type(math.nan)
        except OverflowError:
            return kind.type(math.inf)
    return host


def _fma(a: Any, b: Any, c: Any) -> Any:
    kind = np.result_type(a, b, c)
    if not all(map(math.isfinite, (a, b, c))):
        return kind.type(float(a) * float(b) + float(c))
    x, y, z = (fractions.Fraction(float(v)) for v in (a, b, c))
    exact = x * y + z
    if exact == 0:
        return kind.type(float(a) * float(b) + float(c))
    try:
        return kind.type(float(exact))
    except OverflowError:
        return kind.type(math.inf if exact > 0 else -math.inf)


def _round(x: Any) -> Any:
    whole = np.trunc(x)
    return whole + (np.abs(x - whole) >= 0.5) * np.copysign(np.ones_like(x), x)


def _fdim(x: Any, y: Any) -> Any:
    if np.isnan(x) or np.isnan(y):
        return x + y
    return x - y if x > y else np.result_type(x, y).type(0)


def _fract(x: Any) -> Any:
    kind = np.result_type(x)
    return np.minimum(x - np.floor(x), np.nextafter(kind.type(1), kind.type(0)))


def _libm(name: str, host: Callable[..., Any], arity: int = 1, **more: Any) -> Builtin:
    return Builtin(name, arity, "float", host, f"libm:{name}", **more)


ROWS = (
    Builtin("sqrt", 1, "float", np.sqrt, "llvm.sqrt", numpy=("sqrt",), math=("sqrt",),
            doc="Square root."),
    Builtin("rsqrt", 1, "float", lambda x: np.divide(np.ones_like(x), np.sqrt(x)), "expand:rsqrt",
            doc="Reciprocal square root."),
    Builtin("fabs", 1, "float", np.fabs, "llvm.fabs", numpy=("fabs",), math=("fabs",),
            doc="Magnitude."),
    Builtin("floor", 1, "float", np.floor, "llvm.floor", numpy=("floor",),
            doc="Round towards minus infinity."),
    Builtin("ceil", 1, "float", np.ceil, "llvm.ceil", numpy=("ceil",),
            doc="Round towards plus infinity."),
    Builtin("trunc", 1, "float", np.trunc, "llvm.trunc", numpy=("trunc",),
            doc="Round towards zero."),
    Builtin("rint", 1, "float", np.rint, "llvm.roundeven", numpy=("rint",),
            doc="Round to nearest, halves to even."),
    Builtin("round", 1, "float", _round, "llvm.round",
            doc="Round to nearest, halves away from zero."),
    Builtin("fract", 1, "float", _fract, "expand:fract", doc="Fraction above the floor, below 1."),
    Builtin("copysign", 2, "float", np.copysign, "llvm.copysign", numpy=("copysign",),
            math=("copysign",), doc="Magnitude of the first, sign of the second."),
    Builtin("fmin", 2, "float", np.fmin, "llvm.minnum", numpy=("fmin",),
            doc="The smaller; a NaN operand is ignored."),
    Builtin("fmax", 2, "float", np.fmax, "llvm.maxnum", numpy=("fmax",),
            doc="The larger; a NaN operand is ignored."),
    Builtin("fmod", 2, "float", np.fmod, "expand:fmod", numpy=("fmod",), math=("fmod",),
            doc="Remainder with the dividend's sign."),
    Builtin("fdim", 2, "float", _fdim, "expand:fdim", doc="Positive difference."),
    Builtin("fma", 3, "float", _fma, "llvm.fma", doc="a*b+c rounded once."),
    Builtin("mad", 3, "float", lambda a, b, c: a * b + c, "expand:mad",
            doc="a*b+c, rounded once or twice."),
    _libm("exp", np.exp, numpy=("exp",), math=("exp",), doc="e to the power x."),
    _libm("exp2", np.exp2, numpy=("exp2",), math=("exp2",), doc="2 to the power x."),
    _libm("exp10", lambda x: np.power(np.result_type(x).type(10), x), doc="10 to the power x."),
    _libm("expm1", np.expm1, numpy=("expm1",), math=("expm1",), doc="exp(x) - 1, accurate near 0."),
    _libm("log", np.log, numpy=("log",), math=("log",), doc="Natural logarithm."),
    _libm("log2", np.log2, numpy=("log2",), math=("log2",), doc="Logarithm to base 2."),
    _libm("log10", np.log10, numpy=("log10",), math=("log10",), doc="Logarithm to base 10."),
    _libm("log1p", np.log1p, numpy=("log1p",), math=("log1p",), doc="log(1 + x), accurate near 0."),
    _libm("sin", np.sin, numpy=("sin",), math=("sin",), doc="Sine of radians."),
    _libm("cos", np.cos, numpy=("cos",), math=("cos",), doc="Cosine of radians."),
    _libm("tan", np.tan, numpy=("tan",), math=("tan",), doc="Tangent of radians."),
    _libm("asin", np.arcsin, numpy=("arcsin",), math=("asin",), doc="Arc sine."),
    _libm("acos", np.arccos, numpy=("arccos",), math=("acos",), doc="Arc cosine."),
    _libm("atan", np.arctan, numpy=("arctan",), math=("atan",), doc="Arc tangent."),
    _libm("atan2", np.arctan2, 2, numpy=("arctan2",), math=("atan2",),
          doc="Angle of the point (y, x): first y, then x."),
    _libm("sinh", np.sinh, numpy=("sinh",), math=("sinh",), doc="Hyperbolic sine."),
    _libm("cosh", np.cosh, numpy=("cosh",), math=("cosh",), doc="Hyperbolic cosine."),
    _libm("tanh", np.tanh, numpy=("tanh",), math=("tanh",), doc="Hyperbolic tangent."),
    _libm("asinh", np.arcsinh, numpy=("arcsinh",), math=("asinh",), doc="Inverse hyperbolic sine."),
    _libm("acosh", np.arccosh, numpy=("arccosh",), math=("acosh",),
          doc="Inverse hyperbolic cosine."),
    _libm("atanh", np.arctanh, numpy=("arctanh",), math=("atanh",),
          doc="Inverse hyperbolic tangent."),
    _libm("pow", np.power, 2, math=("pow",), doc="x to the power y."),
    _libm("hypot", np.hypot, 2, numpy=("hypot",), math=("hypot",),
          doc="sqrt(x*x + y*y) without undue overflow."),
    _libm("cbrt", np.cbrt, numpy=("cbrt",), math=("cbrt",), doc="Cube root."),
    _libm("erf", _keep(math.erf), math=("erf",), doc="Error function."),
    _libm("erfc", _keep(math.erfc), math=("erfc",), doc="Complementary error function."),
)
