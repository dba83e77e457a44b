"""Functions of integers in CUDA C++: intrinsics where there are, else arithmetic in wider types.

Non-goals: typing. Invariant: what a type cannot hold wraps, unless the function says otherwise.
"""

from __future__ import annotations

from unisycl.backends.cfamily.dialect import Helper
from unisycl.base.dtypes import DType
from unisycl.ir.builtins import Builtin

_WIDER = {"int8": "short", "uint8": "unsigned short", "int16": "int", "uint16": "unsigned int",
          "int32": "long long", "uint32": "unsigned long long"}
_ANY = {
    "min": "{helper:lesser}({0}, {1})", "max": "{helper:greater}({0}, {1})",
    "minimum_of": "{helper:lesser}({0}, {1})", "maximum_of": "{helper:greater}({0}, {1})",
    "clamp": "{helper:limited}({0}, {1}, {2})", "rotate": "{helper:turned}({0}, {1})",
    "hadd": "({T})(({0} >> 1) + ({1} >> 1) + ({0} & {1} & 1))",
    "rhadd": "({T})(({0} >> 1) + ({1} >> 1) + (({0} | {1}) & 1))",
    "abs_diff": "{helper:apart}({0}, {1})", "ctz": "{helper:ctz}({0})",
    "mul24": "({T})(({U}){0} * ({U}){1})", "mad24": "({T})(({U}){0} * ({U}){1} + ({U}){2})",
    "bitselect": "({T})(({0} & ~{2}) | ({1} & {2}))", "select": "({T})({2} ? {1} : {0})",
    "mad_hi": "({T})(({U}){helper:high}({0}, {1}) + ({U}){2})", "mul_hi": "{helper:high}({0}, {1})",
}
_SIGNED = {"abs": "{helper:magnitude}({0})", "any": "{0} < 0", "all": "{0} < 0"}
_UNSIGNED = {"abs": "{0}", "any": "({0} >> (8 * sizeof({T}) - 1)) != 0",
             "all": "({0} >> (8 * sizeof({T}) - 1)) != 0"}
_COUNTS = {"clz": ("__clz((int){0})", "__clzll((long long){0})", "__clz((int)({U}){0}) - {less}"),
           "popcount": ("__popc((unsigned int){0})", "__popcll((unsigned long long){0})",
                        "__popc(({U}){0})")}

HELPERS: dict[str, Helper] = {
    "magnitude": Helper("""{T} {name}({T} x)
{{
    return x < 0 ? ({T})(({U})0 - ({U})x) : x;
}}"""),
    "low_half": Helper("""{T} {name}(int x)
{{
    int y;
    asm("mov.b32 %0, %1;" : "=r"(y) : "r"(x));
    return ({T})y;
}}"""),
    "turned": Helper("""{T} {name}({T} x, {T} by)
{{
    const unsigned int k = (unsigned int)by & {last};
    return ({T})({U})(({U})x << k | ({U})x >> (-k & {last}));
}}"""),
    "apart": Helper("""{T} {name}({T} a, {T} b)
{{
    return ({T})(a < b ? ({U})b - ({U})a : ({U})a - ({U})b);
}}"""),
    "ctz": Helper("""{T} {name}({T} x)
{{
    return ({T})(x ? __ffsll((long long)x) - 1 : {bits});
}}"""),
    "high_small": Helper("""{T} {name}({T} a, {T} b)
{{
    return ({T})(((long long)a * (long long)b) >> {bits});
}}"""),
    "high_i32": Helper("{T} {name}({T} a, {T} b)\n{{\n    return __mulhi(a, b);\n}}"),
    "high_u32": Helper("{T} {name}({T} a, {T} b)\n{{\n    return __umulhi(a, b);\n}}"),
    "high_i64": Helper("{T} {name}({T} a, {T} b)\n{{\n    return __mul64hi(a, b);\n}}"),
    "high_u64": Helper("{T} {name}({T} a, {T} b)\n{{\n    return __umul64hi(a, b);\n}}"),
    "sum_i64": Helper("""{T} {name}({T} a, {T} b)
{{
    const {T} sum = ({T})(({U})a + ({U})b);
    return ((a ^ sum) & (b ^ sum)) < 0 ? (a < 0 ? -{most}ll - 1 : {most}ll) : sum;
}}""".replace("{most}", "9223372036854775807")),
    "difference_i64": Helper("""{T} {name}({T} a, {T} b)
{{
    const {T} rest = ({T})(({U})a - ({U})b);
    return ((a ^ b) & (a ^ rest)) < 0 ? (a < 0 ? -{most}ll - 1 : {most}ll) : rest;
}}""".replace("{most}", "9223372036854775807")),
    "sum_u64": Helper("{T} {name}({T} a, {T} b)\n{{\n    return a + b < a ? ~({T})0 : a + b;\n}}"),
    "difference_u64": Helper("{T} {name}({T} a, {T} b)\n{{\n    return a < b ? 0 : a - b;\n}}"),
    "fused_i64": Helper("""{T} {name}({T} a, {T} b, {T} c)
{{
    const {U} product = ({U})a * ({U})b, low = product + ({U})c;
    const {T} high = __mul64hi(a, b) + (c < 0 ? -1 : 0) + (low < product ? 1 : 0);
    if (high == (({T})low >> 63)) return ({T})low;
    return high < 0 ? -9223372036854775807ll - 1 : 9223372036854775807ll;
}}"""),
    "fused_u64": Helper("""{T} {name}({T} a, {T} b, {T} c)
{{
    const {T} product = a * b, low = product + c;
    return __umul64hi(a, b) + (low < product ? 1 : 0) != 0 ? ~({T})0 : low;
}}"""),
}


def spelling(row: Builtin, dtype: DType) -> str | None:
    """Return the template of a builtin for integers of a type; None if there is none."""
    name, signed = row.name, dtype.kind == "i"
    if name in _COUNTS:
        plain, wide, small = _COUNTS[name]
        text = wide if dtype.bits == 64 else plain if dtype.bits == 32 else small
        return f"({{T}})({text.replace('{less}', str(32 - dtype.bits))})"
    if name in ("add_sat", "sub_sat", "mad_sat"):
        return _limited(name, dtype)
    if name == "upsample":
        wide, bits = _WIDER[dtype.name], dtype.bits
        return f"({wide})((unsigned long long){{0}} << {bits} | (unsigned long long){{1}})"
    found = (_SIGNED if signed else _UNSIGNED).get(name) or _ANY.get(name)
    if found is None:
        return None
    high = f"high_{dtype.kind}{dtype.bits}" if dtype.bits >= 32 else "high_small"
    return found.replace("{helper:high}", f"{{helper:{high}}}")


def _limited(name: str, dtype: DType) -> str:
    """Return an operation whose result stays within its type."""
    if dtype.bits == 64:
        word = {"add_sat": "sum", "sub_sat": "difference", "mad_sat": "fused"}[name]
        places = ", ".join(f"{{{k}}}" for k in range(3 if name == "mad_sat" else 2))
        return f"{{helper:{word}_{dtype.kind}64}}({places})"
    if dtype.kind == "u" and name == "mad_sat":  # of 32 bits, more than signed numbers hold
        text = "(unsigned long long){0} * (unsigned long long){1} + (unsigned long long){2}"
        return f"({{T}})min({text}, {(1 << dtype.bits) - 1}ull)"
    text = {"add_sat": "(long long){0} + (long long){1}",
            "sub_sat": "(long long){0} - (long long){1}",
            "mad_sat": "(long long){0} * (long long){1} + (long long){2}"}[name]
    low, high = (0, (1 << dtype.bits) - 1) if dtype.kind == "u" else (
        -(1 << (dtype.bits - 1)), (1 << (dtype.bits - 1)) - 1)
    return f"({{T}})max({low}ll, min({text}, {high}ll))"
