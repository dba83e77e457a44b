"""How the builtins are spelled in CUDA C++: a function of its library, or one written out here.

Functions of half precision are computed in single precision and rounded. Non-goals: typing.
Invariant: a builtin that is in no table has no spelling, and a kernel that calls it is refused by
name.
"""

from __future__ import annotations

from unisycl.backends.cfamily.dialect import Helper
from unisycl.backends.cuda.text import half
from unisycl.backends.cuda.text.functions import HELPERS as FUNCTIONS
from unisycl.backends.cuda.text.integers import HELPERS as INTEGERS
from unisycl.backends.cuda.text.integers import spelling as of_integers
from unisycl.base.dtypes import FLOAT16, FLOAT32, DType
from unisycl.ir.builtins import Builtin

# functions of the library; those of single precision end in f
_LIBRARY = frozenset((
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "erf", "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax",
    "fmin", "fmod", "hypot", "ldexp", "lgamma", "log", "log10", "log1p", "log2", "logb",
    "nextafter", "pow", "remainder", "rint", "round", "rsqrt", "sin", "sinh", "sqrt", "tan",
    "tanh", "trunc",
))
# written out in ``functions``
_OWN = {
    "sinpi": "sinpi", "cospi": "cospi", "tanpi": "tanpi", "tgamma": "tgamma", "pown": "pown",
    "powr": "powr", "rootn": "rootn", "maxmag": "maxmag", "minmag": "minmag", "sign": "sign",
    "smoothstep": "smoothstep", "isnormal": "is_normal", "islessgreater": "is_apart",
    "isordered": "is_ordered", "isunordered": "is_unordered", "step": "edge",
    "fract.fraction": "fraction", "modf.fraction": "behind_point",
    "frexp.fraction": "frexp_fraction", "frexp.exponent": "frexp_exponent",
    "remquo.quotient": "quotient", "lgamma_r.sign": "gamma_sign", "ilogb": "exponent",
    "normalize": "direction", "fast_normalize": "direction", "min": "lesser", "max": "greater",
    "minimum_of": "minimum", "maximum_of": "maximum", "clamp": "limited",
    "bitselect": "of_bits",
}
_PI = {32: ("0.318309886f", "57.2957795f", "0.0174532925f"),
       64: ("0.3183098861837907", "57.29577951308232", "0.017453292519943295")}
_PLAIN = {
    "abs": "fabs{f}({0})", "length": "fabs{f}({0})", "fast_length": "fabs{f}({0})",
    "distance": "fabs{f}(({0}) - ({1}))", "fast_distance": "fabs{f}(({0}) - ({1}))",
    "dot": "{0} * {1}", "mad": "{0} * {1} + {2}", "mix": "{0} + ({1} - {0}) * {2}",
    "acospi": "acos{f}({0}) * {inverse}", "asinpi": "asin{f}({0}) * {inverse}",
    "atanpi": "atan{f}({0}) * {inverse}", "atan2pi": "atan2{f}({0}, {1}) * {inverse}",
    "degrees": "{0} * {degrees}", "radians": "{0} * {radians}",
    "isnan": "isnan({0})", "isinf": "isinf({0})", "isfinite": "isfinite({0})",
    "signbit": "signbit({0})", "select": "{2} ? {1} : {0}",
    "isequal": "{0} == {1}", "isnotequal": "{0} != {1}", "isgreater": "{0} > {1}",
    "isgreaterequal": "{0} >= {1}", "isless": "{0} < {1}", "islessequal": "{0} <= {1}",
}
_ROUGH = {
    "cos": "cosf({0})", "sin": "sinf({0})", "tan": "tanf({0})", "exp": "__expf({0})",
    "exp2": "exp2f({0})", "exp10": "__exp10f({0})", "log": "logf({0})", "log2": "log2f({0})",
    "log10": "log10f({0})", "powr": "{helper:powr}({0}, {1})", "rsqrt": "rsqrtf({0})",
    "divide": "{helper:rough_quotient}({0}, {1})", "recip": "{helper:rough_inverse}({0})",
    "sqrt": "{helper:rough_root}({0})",
}
"""The fast ones whose errors are relative, as their bounds are: ``__sinf`` and ``__logf`` err by
2**-21 wherever they are near 0."""
_BOOL = {
    "min": "{0} & {1}", "max": "{0} | {1}", "minimum_of": "{0} & {1}", "maximum_of": "{0} | {1}",
    "bitselect": "{2} ? {1} : {0}", "select": "{2} ? {1} : {0}", "abs": "{0}",
}
_NAN = {"uint16": ("float16", "(unsigned short)(({0}) & 0x3ffu | 0x7e00u)"),
        "uint32": ("float", "({0}) & 0x7fffffu | 0x7fc00000u"),
        "uint64": ("double", "({0}) & 0xfffffffffffffull | 0x7ff8000000000000ull")}
_OF_HALVES = {"fma": "{helper:fused_f16}({0}, {1}, {2})",
              "nextafter": "{helper:next_f16}({0}, {1})",
              "fract.fraction": "{helper:fraction_f16}({0})",
              "bitselect": "{helper:of_bits}({0}, {1}, {2})",
              "isnormal": "{helper:is_normal_f16}({0})"}
HELPERS: dict[str, Helper] = {**FUNCTIONS, **INTEGERS, **half.HELPERS}


def computes(row: Builtin, dtype: DType) -> DType:
    """Return the type that a builtin is computed in: halves are widened."""
    return FLOAT32 if dtype is FLOAT16 and row.name not in _OF_HALVES else dtype


def spelling(row: Builtin, dtype: DType) -> str | None:
    """Return the template of a builtin for operands of a type; None if there is none."""
    if row.name == "nan":
        type, bits = _NAN[dtype.name]
        return f"__builtin_bit_cast({type}, {bits})"
    if dtype.kind == "b":
        return _BOOL.get(row.name)
    if dtype.is_integer:
        return of_integers(row, dtype)
    if dtype is FLOAT16:
        return _OF_HALVES.get(row.name)
    return _of_floats(row, dtype)


def _of_floats(row: Builtin, dtype: DType) -> str | None:
    family, _, word = row.name.partition("_")
    if family in ("native", "half") and word in _ROUGH:
        return _ROUGH[word]
    f = "f" if dtype.bits == 32 else ""
    places = ", ".join(f"{{{k}}}" for k in range(row.arity))
    if row.name == "hypot" and not f:
        return f"{{helper:hypotenuse}}({places})"
    if row.name in _LIBRARY:
        return f"{row.name}{f}({places})"
    if row.name in _OWN:
        return f"{{helper:{_OWN[row.name]}}}({places})"
    found = _PLAIN.get(row.name)
    if found is None:
        return None
    inverse, degrees, radians = _PI[dtype.bits]
    for word, text in (("f", f), ("inverse", inverse), ("degrees", degrees), ("radians", radians)):
        found = found.replace(f"{{{word}}}", text)
    return found
