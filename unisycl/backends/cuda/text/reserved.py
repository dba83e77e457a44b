"""Names that a program in CUDA C++ must not give to things of its own.

Words of C++ that C lacks, what the compiler declares in every program (functions of its library,
vectors, built-in variables) and our own type of half precision. Non-goals: keywords that every C
has (``backends.cfamily.names``). Invariant: a name is reserved whatever the device.
"""

from __future__ import annotations

import re
from functools import cache

_SHORT = ("char|uchar|short|ushort|int|uint|long|ulong|longlong|ulonglong|float|double")
_MATHS = (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign",
    "cos", "cosh", "cospi", "cyl_bessel_i0", "cyl_bessel_i1", "erf", "erfc", "erfcinv", "erfcx",
    "erfinv", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "fdivide", "floor", "fma", "fmax",
    "fmin", "fmod", "frexp", "hypot", "ilogb", "isfinite", "isinf", "isnan", "j0", "j1", "jn",
    "labs", "ldexp", "lgamma", "llabs", "llmax", "llmin", "llrint", "llround", "log", "log10",
    "log1p", "log2", "logb", "lrint", "lround", "max", "min", "modf", "nan", "nearbyint",
    "nextafter", "norm", "norm3d", "norm4d", "normcdf", "normcdfinv", "pow", "powi", "rcbrt",
    "remainder", "remquo", "rhypot", "rint", "rnorm", "rnorm3d", "rnorm4d", "round", "rsqrt",
    "scalbln", "scalbn", "signbit", "sin", "sincos", "sincospi", "sinh", "sinpi", "sqrt", "tan",
    "tanh", "tgamma", "trunc", "ullmax", "ullmin", "umax", "umin", "y0", "y1", "yn",
)
_FAMILIES = (
    rf"(?:{'|'.join(_MATHS)})[fl]?",
    rf"(?:{_SHORT})[1-4](?:_(?:16|32)a)?",
    rf"make_(?:{_SHORT})[1-4](?:_(?:16|32)a)?",
    r"atomic(?:Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(?:_block|_system)?",
    r"(?:cuda|CUDA|cu|CU|nv|NV|sm|SM)_?\w*",
    r"(?:tex|surf)[123]?D?\w*",
    r"(?:HUGE_VAL|M_|FLT_|DBL_|INT_|UINT_|LONG_|LLONG_|CHAR_|SHRT_|UCHAR_|ULONG_)\w*",
    r"u?int(?:_fast|_least)?(?:8|16|32|64|max|ptr)_t",
    r"(?:u?char|u?short|uint|ulong)",
    r"_[A-Z_]\w*",
)
_PATTERN = re.compile("|".join(f"(?:{family})" for family in _FAMILIES))

_WORDS = frozenset((
    "alignas", "alignof", "and_eq", "asm", "bitand", "bitor", "char16_t", "char32_t", "char8_t",
    "compl", "concept", "const_cast", "consteval", "constexpr", "constinit", "co_await",
    "co_return", "co_yield", "decltype", "dynamic_cast", "final", "noexcept", "not_eq", "or_eq",
    "override", "reinterpret_cast", "requires", "static_assert", "static_cast", "thread_local",
    "typeid", "typename", "union", "virtual", "volatile", "wchar_t", "xor_eq", "inline",
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "dim3", "size_t", "ptrdiff_t",
    "_",  # alone no name in PTX
    "std", "memcpy", "memset", "memcmp", "memmove", "malloc", "free", "printf", "assert", "clock",
    "clock64", "INFINITY", "NAN", "NULL", "float16", "linux", "unix", "defined", "offsetof",
    "va_list", "operator", "register", "isnormal", "isunordered", "isless", "isgreater",
    "islessequal", "isgreaterequal", "islessgreater", "fpclassify", "exit", "abort", "div",
    "ldiv", "lldiv", "strlen", "strcmp", "strcpy", "time", "signed", "trap", "rand", "srand",
))


@cache
def is_reserved(name: str) -> bool:
    """Say whether nothing in a program may be called so."""
    return name in _WORDS or _PATTERN.fullmatch(name) is not None
