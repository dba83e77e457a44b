"""Mathematical functions (SYCL 2020 §4.17.5): one row each, with the bounds of its tables.

Non-goals: how a target computes them. Invariant: ``host`` keeps its operands' dtype.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.ir.builtins import reference as m
from unisycl.ir.builtins.row import EXACT, ROUNDED, UNSPECIFIED, Bound, Builtin


def _within(ulp: float, half: float = 2) -> Bound:
    return Bound(min(half, ulp), ulp, ulp)


def _of(name: str, host: Callable[..., Any], ulp: float, doc: str, *, signature: str = "f>f",
        half: float = 2, **more: Any) -> Builtin:
    """Return the row of a function that every backend writes out under the row's own name."""
    return Builtin(name, signature, host, f"expand:{name}", bound=_within(ulp, half), doc=doc,
                   **more)


def _exact(name: str, host: Callable[..., Any], llvm: str, doc: str, *, signature: str = "f>f",
           bound: Bound = EXACT, **more: Any) -> Builtin:
    return Builtin(name, signature, host, llvm, bound=bound, doc=doc, **more)


def _several(name: str, signature: str, parts: tuple[str, ...], host: Callable[..., Any],
             doc: str, **more: Any) -> Builtin:
    return Builtin(name, signature, host, "", parts, doc=doc, **more)


_ROUNDING = (
    _exact("floor", np.floor, "llvm.floor", "Round towards minus infinity.", numpy=("floor",),
           bound=ROUNDED),
    _exact("ceil", np.ceil, "llvm.ceil", "Round towards plus infinity.", numpy=("ceil",),
           bound=ROUNDED),
    _exact("trunc", np.trunc, "llvm.trunc", "Round towards zero.", numpy=("trunc",),
           bound=ROUNDED),
    _exact("rint", np.rint, "llvm.roundeven", "Round to nearest, halves to even.",
           numpy=("rint",), bound=ROUNDED),
    _exact("round", m.away, "llvm.round", "Round to nearest, halves away from zero.",
           bound=ROUNDED),
)

_PARTS = (
    _exact("fabs", np.fabs, "llvm.fabs", "Magnitude.", numpy=("fabs",), math=("fabs",)),
    _exact("copysign", np.copysign, "llvm.copysign",
           "Magnitude of the first, sign of the second.", signature="ff>f",
           numpy=("copysign",), math=("copysign",)),
    _exact("fmin", np.fmin, "llvm.minnum", "The smaller; a NaN operand is ignored.",
           signature="ff>f", numpy=("fmin",)),
    _exact("fmax", np.fmax, "llvm.maxnum", "The larger; a NaN operand is ignored.",
           signature="ff>f", numpy=("fmax",)),
    _exact("maxmag", m.maxmag, "expand:maxmag", "The one of larger magnitude, else the larger.",
           signature="ff>f"),
    _exact("minmag", m.minmag, "expand:minmag", "The one of smaller magnitude, else the smaller.",
           signature="ff>f"),
    _exact("fdim", m.fdim, "expand:fdim", "Positive difference.", signature="ff>f",
           bound=ROUNDED),
    _exact("fmod", np.fmod, "expand:fmod", "Remainder with the dividend's sign.",
           signature="ff>f", numpy=("fmod",), math=("fmod",)),
    _exact("remainder", m.remainder, "expand:remainder",
           "x - n*y for the whole n nearest to x/y, halves to even.", signature="ff>f",
           math=("remainder",)),
    _exact("remquo.quotient", m.remquo_quotient, "expand:remquo.quotient",
           "The lowest seven bits of that n, with its sign.", signature="ff>k"),
    _several("remquo", "ff>fk", ("remainder", "remquo.quotient"),
             lambda x, y: (m.remainder(x, y), m.remquo_quotient(x, y)),
             "(remainder(x, y), the lowest seven bits of its n, with the sign of x/y)."),
    _exact("fract.fraction", m.fraction, "expand:fract", "x - floor(x), below 1.",
           bound=ROUNDED),
    _several("fract", "f>ff", ("fract.fraction", "floor"),
             lambda x: (m.fraction(x), np.floor(x)),
             "(x - floor(x), kept below 1; floor(x))."),
    _exact("modf.fraction", m.modf_fraction, "expand:modf.fraction",
           "What is behind the point, with x's sign."),
    _several("modf", "f>ff", ("modf.fraction", "trunc"),
             lambda x: (m.modf_fraction(x), np.trunc(x)),
             "(what is behind the point; what is before it), both with x's sign.",
             numpy=("modf",), math=("modf",)),
    _exact("frexp.fraction", lambda x: np.frexp(x)[0] if np.isfinite(x) else x,
           "expand:frexp.fraction", "x over a power of 2, in [1/2, 1)."),
    _exact("frexp.exponent", m.frexp_exponent, "expand:frexp.exponent", "That power.",
           signature="f>k"),
    _several("frexp", "f>fk", ("frexp.fraction", "frexp.exponent"),
             lambda x: (np.frexp(x)[0] if np.isfinite(x) else x, m.frexp_exponent(x)),
             "(f, e) with x = f * 2**e and f in [1/2, 1), or 0.",
             numpy=("frexp",), math=("frexp",)),
    _exact("ldexp", np.ldexp, "expand:ldexp", "x * 2**k, rounded once.",
           signature="fk>f", bound=ROUNDED, numpy=("ldexp",), math=("ldexp",)),
    _exact("ilogb", m.ilogb, "expand:ilogb",
           "The exponent of x as an int32; -2**31 for 0 and NaN, 2**31 - 1 for infinity.",
           signature="f>k"),
    _exact("logb", m.logb, "expand:logb", "The exponent of x: the whole part of log2|x|."),
    _exact("nan", m.nan, "expand:nan", "A quiet NaN with a payload.", signature="u>v"),
    _exact("nextafter", m.nextafter, "expand:nextafter", "The next number from x towards y.",
           signature="ff>f", numpy=("nextafter",), math=("nextafter",)),
    _exact("fma", m.fma, "llvm.fma", "a*b+c rounded once.", signature="fff>f", bound=ROUNDED),
    Builtin("mad", "fff>f", lambda a, b, c: a * b + c, "expand:mad", bound=UNSPECIFIED,
            doc="a*b+c, rounded once or twice."),
)

_ROOTS = (
    Builtin("sqrt", "f>f", np.sqrt, "llvm.sqrt", bound=Bound(1.5, 3, 0.5), numpy=("sqrt",),
            math=("sqrt",), doc="Square root."),
    _of("rsqrt", m.widened(lambda x: np.float64(1) / np.sqrt(x)), 2, "Reciprocal square root.",
        half=1),
    _of("cbrt", m.cbrt, 2, "Cube root.", numpy=("cbrt",), math=("cbrt",)),
    _of("hypot", np.hypot, 4, "sqrt(x*x + y*y) without undue overflow.", signature="ff>f",
        numpy=("hypot",), math=("hypot",)),
    _of("rootn", m.rootn, 16, "The k-th root of x.", signature="fk>f", half=4),
)

_POWERS = (
    _of("exp", np.exp, 3, "e to the power x.", numpy=("exp",), math=("exp",)),
    _of("exp2", np.exp2, 3, "2 to the power x.", numpy=("exp2",), math=("exp2",)),
    _of("exp10", m.widened(lambda x: np.power(np.float64(10), x)), 3, "10 to the power x."),
    _of("expm1", np.expm1, 3, "exp(x) - 1, accurate near 0.", numpy=("expm1",), math=("expm1",)),
    _of("log", np.log, 3, "Natural logarithm.", numpy=("log",), math=("log",)),
    _of("log2", np.log2, 3, "Logarithm to base 2.", numpy=("log2",), math=("log2",)),
    _of("log10", np.log10, 3, "Logarithm to base 10.", numpy=("log10",), math=("log10",)),
    _of("log1p", np.log1p, 2, "log(1 + x), accurate near 0.", numpy=("log1p",), math=("log1p",)),
    _of("pow", m.power, 16, "x to the power y.", signature="ff>f", half=4, math=("pow",)),
    _of("pown", m.pown, 16, "x to the whole power k.", signature="fk>f", half=4),
    _of("powr", m.powr, 16, "x to the power y, for x not below 0.", signature="ff>f", half=4),
)

_ANGLES = (
    _of("sin", np.sin, 4, "Sine of radians.", numpy=("sin",), math=("sin",)),
    _of("cos", np.cos, 4, "Cosine of radians.", numpy=("cos",), math=("cos",)),
    _several("sincos", "f>ff", ("sin", "cos"), lambda x: (np.sin(x), np.cos(x)),
             "(sin(x), cos(x))."),
    _of("tan", np.tan, 5, "Tangent of radians.", half=2.5, numpy=("tan",), math=("tan",)),
    _of("sinpi", m.sinpi, 4, "sin(pi * x), 0 at whole numbers."),
    _of("cospi", m.cospi, 4, "cos(pi * x), 0 in the middle between whole numbers."),
    _of("tanpi", m.tanpi, 6, "tan(pi * x)."),
    _of("asin", np.arcsin, 4, "Arc sine.", numpy=("arcsin",), math=("asin",)),
    _of("acos", np.arccos, 4, "Arc cosine.", numpy=("arccos",), math=("acos",)),
    _of("atan", np.arctan, 5, "Arc tangent.", numpy=("arctan",), math=("atan",)),
    _of("atan2", np.arctan2, 6, "Angle of the point (y, x): first y, then x.", signature="ff>f",
        numpy=("arctan2",), math=("atan2",)),
    _of("asinpi", m.widened(lambda x: np.arcsin(x) / np.pi), 5, "asin(x) / pi."),
    _of("acospi", m.widened(lambda x: np.arccos(x) / np.pi), 5, "acos(x) / pi."),
    _of("atanpi", m.widened(lambda x: np.arctan(x) / np.pi), 5, "atan(x) / pi."),
    _of("atan2pi", m.widened(lambda y, x: np.arctan2(y, x) / np.pi), 6, "atan2(y, x) / pi.",
        signature="ff>f"),
)

_HYPERBOLIC = (
    _of("sinh", np.sinh, 4, "Hyperbolic sine.", numpy=("sinh",), math=("sinh",)),
    _of("cosh", np.cosh, 4, "Hyperbolic cosine.", numpy=("cosh",), math=("cosh",)),
    _of("tanh", np.tanh, 5, "Hyperbolic tangent.", numpy=("tanh",), math=("tanh",)),
    _of("asinh", np.arcsinh, 4, "Inverse hyperbolic sine.", numpy=("arcsinh",),
        math=("asinh",)),
    _of("acosh", np.arccosh, 4, "Inverse hyperbolic cosine.", numpy=("arccosh",),
        math=("acosh",)),
    _of("atanh", np.arctanh, 5, "Inverse hyperbolic tangent.", numpy=("arctanh",),
        math=("atanh",)),
)

_SPECIAL = (
    _of("erf", m.keep(math.erf), 16, "Error function.", half=4, math=("erf",)),
    _of("erfc", m.keep(math.erfc), 16, "Complementary error function.", half=4, math=("erfc",)),
    _of("tgamma", m.tgamma, 16, "Gamma function.", half=4, math=("gamma",)),
    Builtin("lgamma", "f>f", m.lgamma, "expand:lgamma", bound=UNSPECIFIED, math=("lgamma",),
            doc="Logarithm of the gamma function's magnitude."),
    _exact("lgamma_r.sign", m.lgamma_sign, "expand:lgamma_r.sign", "The sign of gamma: -1 or 1.",
           signature="f>k"),
    _several("lgamma_r", "f>fk", ("lgamma", "lgamma_r.sign"),
             lambda x: (m.lgamma(x), m.lgamma_sign(x)), "(lgamma(x), the sign of gamma: -1 or 1)."),
)

ROWS = (*_ROUNDING, *_PARTS, *_ROOTS, *_POWERS, *_ANGLES, *_HYPERBOLIC, *_SPECIAL)
