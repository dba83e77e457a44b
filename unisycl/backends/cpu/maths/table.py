"""Mathematical functions as vector code, by the name of their row; internal.

Non-goals: typing (the row has it). Invariants: those of ``FLOATS`` take and give float32 or float64
terms, whole results as floats or int32; those of ``ANY_FLOATS`` take float16 as well.
"""

from __future__ import annotations

from collections.abc import Callable

from unisycl.backends.cpu.maths import (
    division,
    error,
    exponential,
    gamma,
    hyperbolic,
    inverse,
    logarithm,
    native,
    parts,
    powers,
    roots,
    trigonometry,
)
from unisycl.backends.cpu.maths.terms import Term

Function = Callable[..., Term]

FLOATS: dict[str, Function] = {f.__name__: f for f in (
    exponential.exp, exponential.exp2, exponential.exp10, exponential.expm1,
    logarithm.log, logarithm.log2, logarithm.log10, logarithm.log1p,
    trigonometry.sin, trigonometry.cos, trigonometry.tan,
    trigonometry.sinpi, trigonometry.cospi, trigonometry.tanpi,
    inverse.asin, inverse.acos, inverse.atan, inverse.atan2,
    inverse.asinpi, inverse.acospi, inverse.atanpi, inverse.atan2pi,
    hyperbolic.sinh, hyperbolic.cosh, hyperbolic.tanh,
    hyperbolic.asinh, hyperbolic.acosh, hyperbolic.atanh,
    powers.pow, powers.powr, powers.pown, powers.rootn, roots.rsqrt, roots.cbrt, roots.hypot,
    error.erf, error.erfc, gamma.tgamma, gamma.lgamma,
    division.fmod, division.remainder,
    parts.maxmag, parts.minmag, parts.ldexp, parts.logb, parts.ilogb)}
FLOATS |= {
    "lgamma_r.sign": gamma.lgamma_sign, "remquo.quotient": division.quotient_bits,
    "modf.fraction": parts.modf_fraction, "frexp.fraction": parts.frexp_fraction,
    "frexp.exponent": parts.frexp_exponent}
FLOATS |= {f"native_{f.__name__}": f for f in (
    native.cos, native.divide, native.exp, native.exp2, native.exp10, native.log, native.log2,
    native.log10, native.powr, native.recip, native.rsqrt, native.sin, native.sqrt, native.tan)}

ANY_FLOATS: dict[str, Function] = {"nextafter": parts.nextafter, "nan": parts.nan,
                                   "fract": parts.fract}

# Written once a module: long enough that a kernel with several calls would grow too much.
LONG = frozenset(("pow", "powr", "pown", "rootn", "erf", "erfc", "tgamma", "lgamma", "atan2",
                  "atan2pi"))

# Computed in float64 for every type.
WIDE = frozenset(("tgamma", "lgamma"))
