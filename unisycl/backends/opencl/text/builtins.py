"""How the builtins are spelled in OpenCL C: the same name, or a template over the operands.

Non-goals: typing. Invariant: a builtin that is in neither table has no spelling, and a kernel that
calls it is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable

from unisycl.backends.cfamily.dialect import Helper
from unisycl.backends.opencl.text.gamma import TGAMMA
from unisycl.base.dtypes import DType
from unisycl.ir.builtins import Builtin

_FLOAT = frozenset((
    "acos", "acosh", "acospi", "asin", "asinh", "asinpi", "atan", "atan2", "atanh", "atanpi",
    "atan2pi", "cbrt", "ceil", "copysign", "cos", "cosh", "cospi", "erfc", "erf", "exp", "exp2",
    "exp10", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "hypot", "ilogb",
    "ldexp", "lgamma", "log", "log2", "log10", "log1p", "logb", "mad", "maxmag", "minmag",
    "nextafter", "pow", "pown", "powr", "remainder", "rint", "rootn", "round", "rsqrt", "sin",
    "sinh", "sinpi", "sqrt", "tan", "tanh", "tanpi", "tgamma", "trunc", "degrees", "radians",
    "smoothstep", "sign", "isequal", "isnotequal", "isgreater", "isgreaterequal", "isless",
    "islessequal", "islessgreater", "isfinite", "isinf", "isnan", "isnormal", "isordered",
    "isunordered", "signbit", "native_cos", "native_divide", "native_exp", "native_exp2",
    "native_exp10", "native_log", "native_log2", "native_log10", "native_powr", "native_recip",
    "native_rsqrt", "native_sin", "native_sqrt", "native_tan", "half_cos", "half_divide",
    "half_exp", "half_exp2", "half_exp10", "half_log", "half_log2", "half_log10", "half_powr",
    "half_recip", "half_rsqrt", "half_sin", "half_sqrt", "half_tan",
))
_INTEGER = frozenset((
    "min", "max", "clamp", "clz", "popcount", "rotate", "add_sat", "sub_sat", "hadd", "rhadd",
    "mul_hi", "mad_hi", "mad_sat", "mul24", "mad24", "upsample",
))

# name -> kind of the operand ('f', 'i', 'u', 'b' or '*' for any) -> template
_SPECIAL: dict[str, dict[str, str]] = {
    "min": {"f": "{helper:lesser}({0}, {1})", "b": "{0} & {1}"},
    "max": {"f": "{helper:greater}({0}, {1})", "b": "{0} | {1}"},
    "minimum_of": {"f": "{helper:minimum}({0}, {1})", "*": "min({0}, {1})", "b": "{0} & {1}"},
    "maximum_of": {"f": "{helper:maximum}({0}, {1})", "*": "max({0}, {1})", "b": "{0} | {1}"},
    "clamp": {"f": "{helper:limited}({0}, {1}, {2})", "*": "min(max({0}, {1}), {2})"},
    "abs": {"f": "fabs({0})", "i": "{helper:magnitude}({0})", "u": "{0}"},
    "ctz": {"*": "{helper:ctz}({0})"},
    "step": {"f": "{helper:edge}({0}, {1})"},
    "fract.fraction": {"f": "{helper:fraction}({0})"},
    "modf.fraction": {"f": "{helper:behind_point}({0})"},
    "frexp.fraction": {"f": "{helper:frexp_fraction}({0})"},
    "frexp.exponent": {"f": "{helper:frexp_exponent}({0})"},
    "remquo.quotient": {"f": "{helper:quotient}({0}, {1})"},
    "lgamma_r.sign": {"f": "{helper:gamma_sign}({0})"},
    "ilogb": {"f": "{helper:exponent}({0})"},
    "abs_diff": {"*": "({T})abs_diff({0}, {1})"},
    "any": {"i": "{0} < 0", "u": "({0} >> (8 * sizeof({T}) - 1)) != 0"},
    "all": {"i": "{0} < 0", "u": "({0} >> (8 * sizeof({T}) - 1)) != 0"},
    "bitselect": {"*": "bitselect({0}, {1}, {2})", "b": "{2} ? {1} : {0}"},
    "select": {"*": "{2} ? {1} : {0}", "i": "({T})({2} ? {1} : {0})",
               "u": "({T})({2} ? {1} : {0})"},  # C makes ints of small ones
    "dot": {"f": "{0} * {1}"},
    "length": {"f": "fabs({0})"}, "fast_length": {"f": "fabs({0})"},
    "distance": {"f": "fabs(({0}) - ({1}))"}, "fast_distance": {"f": "fabs(({0}) - ({1}))"},
    "normalize": {"f": "{helper:direction}({0})"},
    "fast_normalize": {"f": "{helper:direction}({0})"},
    "mix": {"f": "{0} + ({1} - {0}) * {2}"},
}

# what stands for functions that a driver gets wrong (``Quirks.weak_functions``)
CAREFUL = {name: f"{{helper:{name}_careful}}({{0}})"
            for name in ("sinpi", "cospi", "tanpi", "atanpi", "expm1", "log1p", "tgamma",
                         "sign")}
CAREFUL["rootn"] = "({1} == 1 ? {0} : rootn({0}, {1}))"
CAREFUL |= {f"native_{name}": f"half_{name}({{0}})" for name in ("sin", "cos", "tan")}

# what stands for sums that must not be fused with a product, where FP_CONTRACT OFF is not obeyed
_UNFUSED = """{T} {name}({T} a, {T} b)
{{
    {T} result;
    asm("OPERATION.rn.f{bits} %0, %1, %2;" : "={T[0]}"(result) : "{T[0]}"(a), "{T[0]}"(b));
    return result;
}}"""
UNFUSED = {f"exact_{word}": Helper(_UNFUSED.replace("OPERATION", word)) for word in ("add", "sub")}
_NAN = {"uint16": "as_half((ushort)(({0}) & 0x3ffu | 0x7e00u))",
        "uint32": "as_float(({0}) & 0x7fffffu | 0x7fc00000u)",
        "uint64": "as_double(({0}) & 0xffffffffffffful | 0x7ff8000000000000ul)"}

HELPERS: dict[str, Helper] = {
    "magnitude": Helper("{T} {name}({T} x)\n{{\n    return x < 0 ? ({T})(({U})0 - ({U})x) : x;\n"
                        "}}"),  # PoCL's own abs promises that no result is negative
    "low_half": Helper("""{T} {name}(int x)
{{
    int y;
    asm("mov.b32 %0, %1;" : "=r"(y) : "r"(x));
    return ({T})y;
}}"""),
    "lesser": Helper("{T} {name}({T} a, {T} b)\n{{\n    return b < a ? b : a;\n}}"),
    "greater": Helper("{T} {name}({T} a, {T} b)\n{{\n    return a < b ? b : a;\n}}"),
    "minimum": Helper("{T} {name}({T} a, {T} b)\n{{\n    return isnan(a) ? a : isnan(b) ? b : "
                      "b < a ? b : a;\n}}"),
    "maximum": Helper("{T} {name}({T} a, {T} b)\n{{\n    return isnan(a) ? a : isnan(b) ? b : "
                      "a < b ? b : a;\n}}"),
    "limited": Helper("{T} {name}({T} x, {T} low, {T} high)\n{{\n    const {T} least = x < low ? "
                      "low : x;\n    return high < least ? high : least;\n}}"),
    "ctz": Helper("{T} {name}({T} x)\n{{\n    return ({T})(x ? popcount(({U})((x & -x) - 1)) : "
                  "{bits});\n}}"),
    "fraction": Helper("""{T} {name}({T} x)
{{
    if (x == 0 || isinf(x)) return copysign(({T})0, x);
    const {T} part = x - floor(x);
    const {T} most = nextafter(({T})1, ({T})0);
    return part > most ? most : part;
}}"""),
    "behind_point": Helper("""{T} {name}({T} x)
{{
    return copysign(isinf(x) ? ({T})0 : x - trunc(x), x);
}}"""),
    "frexp_fraction": Helper("{T} {name}({T} x)\n{{\n    int exponent;\n"
                             "    return frexp(x, &exponent);\n}}"),
    "frexp_exponent": Helper("int {name}({T} x)\n{{\n    int exponent;\n    frexp(x, &exponent);\n"
                             "    return isfinite(x) ? exponent : 0;\n}}"),
    "quotient": Helper("""int {name}({T} x, {T} y)
{{
    if (!isfinite(x) || !isfinite(y) || y == 0) return 0;
    int q;
    remquo(x, y, &q);
    return q < 0 ? -(-q & 127) : q & 127;
}}"""),
    "gamma_sign": Helper("""int {name}({T} x)
{{
    if (x == 0) return signbit(x) ? -1 : 1;
    const {T} whole = floor(x);
    return x < 0 && isfinite(x) && x != whole && fmod(whole, ({T})2) != 0 ? -1 : 1;
}}"""),
    "exponent": Helper("""int {name}({T} x)
{{
    if (x == 0 || isnan(x)) return -2147483647 - 1;
    return isinf(x) ? 2147483647 : ilogb(x);
}}"""),
    "sinpi_careful": Helper("""{T} {name}({T} x)
{{
    return isfinite(x) && x == trunc(x) ? copysign(({T})0, x) : sinpi(x);
}}"""),
    "cospi_careful": Helper("""{T} {name}({T} x)
{{
    const {T} turn = fmod(fabs(x), ({T})2);
    return turn == ({T})0.5 || turn == ({T})1.5 ? 0 : cospi(turn);
}}"""),
    "tanpi_careful": Helper("""{T} {name}({T} x)
{{
    const {T} turn = fmod(fabs(x), ({T})2);
    if (turn == 0 || turn == 1) return copysign(({T})0, turn == 1 ? -x : x);
    if (turn == ({T})0.5 || turn == ({T})1.5) return copysign(({T})INFINITY, turn > 1 ? -x : x);
    return tanpi(x);
}}"""),
    "atanpi_careful": Helper("""{T} {name}({T} x)
{{
    return copysign(atanpi(x), x);
}}"""),
    "sign_careful": Helper("""{T} {name}({T} x)
{{
    return x == 0 ? x : sign(x);
}}"""),
    "expm1_careful": Helper("""{T} {name}({T} x)
{{
    return copysign(expm1(x), x);
}}"""),
    "log1p_careful": Helper("""{T} {name}({T} x)
{{
    return fabs(x) < ({T})1e-30 ? x : log1p(x);
}}"""),
    "tgamma_careful": TGAMMA,
    "mad_sat_i64": Helper("""long {name}(long a, long b, long c)
{{
    const ulong product = (ulong)a * (ulong)b;
    const ulong low = product + (ulong)c;
    const long high = mul_hi(a, b) + (c < 0 ? -1 : 0) + (low < product ? 1 : 0);
    return high == ((long)low >> 63) ? (long)low : high < 0 ? LONG_MIN : LONG_MAX;
}}"""),
    "mad_sat_u64": Helper("""ulong {name}(ulong a, ulong b, ulong c)
{{
    const ulong product = a * b, low = product + c;
    return mul_hi(a, b) + (low < product ? 1 : 0) != 0 ? ULONG_MAX : low;
}}"""),
    "half_to_float": Helper("""float {name}({T} bits)
{{
    return vload_half(0, (const half *)&bits);
}}"""),
    "float_to_half": Helper("""{T} {name}(float x)
{{
    {T} bits;
    vstore_half_rte(x, 0, (half *)&bits);
    return bits;
}}"""),
    "put_cell": Helper("""void {name}(__global uint *cell, {T} bits)
{{
    cell[0] = (uint)bits;
    cell[1] = (uint)(bits >> 32);
}}"""),
    # There are 1 to 3 dimensions: shifts by 0, which no compiler knows or moves past a xor.
    "negated": Helper("""{T} {name}({T} x)
{{
    return as_{T}(({U})(as_{U}(x) ^ ({U})(({U})1 << {last} << (get_work_dim() >> 8))));
}}"""),
    "hidden": Helper("""{T} {name}({T} x)
{{
    return as_{T}(({U})(as_{U}(x) << (get_work_dim() >> 8)));
}}"""),
    # No group has 65,536 items: a shift by 0 again, but one that differs between items.
    "own": Helper("""{T} {name}({T} x)
{{
    return as_{T}(({U})(as_{U}(x) << (get_local_id(0) >> 16)));
}}"""),
    "direction": Helper("{T} {name}({T} x)\n{{\n    return x == 0 || isnan(x) ? x : "
                        "copysign(({T})1, x);\n}}"),
    "edge": Helper("{T} {name}({T} edge, {T} x)\n{{\n    return x < edge ? 0 : 1;\n}}"),
}


def careful(weak: tuple[str, ...]) -> Callable[[Builtin, DType], str | None]:
    """Return ``spelling`` for a driver whose functions of these names are wrong."""
    instead = {name: CAREFUL[name] for name in weak}
    return lambda row, dtype: instead.get(row.name) or spelling(row, dtype)


def spelling(row: Builtin, dtype: DType) -> str | None:
    """Return the template of a builtin for operands of a type; None if OpenCL C has none."""
    if row.name == "nan":
        return _NAN.get(dtype.name)
    if row.name == "mad_sat":
        return _mad_sat(dtype)
    special = _SPECIAL.get(row.name, {})
    found = special.get(dtype.kind) or special.get("*")
    if found is not None:
        return found
    known = _FLOAT if dtype.is_float else _INTEGER
    if row.name in known:
        return f"{row.name}({', '.join(f'{{{k}}}' for k in range(row.arity))})"
    return None


def _mad_sat(dtype: DType) -> str:
    """Return ``mad_sat`` by way of wider integers.

    Intel 2026.2: mad_sat(0, 944792641, -1227) is 2147483647, and where a kernel is made of 32
    work-items a vector convert_char_sat(long) is refused: "Symbols not found:
    [ _Z18convert_char32_satDv32_l ]".
    """
    if dtype.bits == 64:
        return f"{{helper:mad_sat_{dtype.kind}64}}({{0}}, {{1}}, {{2}})"
    if dtype.kind == "u":
        largest = f"{(1 << dtype.bits) - 1}ul"
        return f"({{T}})min((ulong){{0}} * (ulong){{1}} + (ulong){{2}}, {largest})"
    most = 1 << (dtype.bits - 1)
    return f"({{T}})clamp((long){{0}} * (long){{1}} + (long){{2}}, {-most}L, {most - 1}L)"
