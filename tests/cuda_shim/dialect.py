"""The dialect of CUDA C++ with what is PTX in it written in C++, for the shim.

Non-goals: orders and scopes of atomics: the items of the shim take turns. Invariant: everything
that is C++ in the dialect stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import replace

from unisycl.backends.cfamily.dialect import Dialect, Helper
from unisycl.backends.cuda.text import atomics
from unisycl.backends.cuda.text.dialect import make_dialect
from unisycl.backends.cuda.text.target import Target

_HALF = """struct float16 {
    unsigned short bits;
    float16() = default;
    template<class T> explicit float16(T x) {
        bits = __builtin_bit_cast(unsigned short, (_Float16)x);
    }
    operator float() const { return (float)__builtin_bit_cast(_Float16, bits); }
};
static float16 operator+(float16 a, float16 b) { return float16((float)a + (float)b); }
static float16 operator-(float16 a, float16 b) { return float16((float)a - (float)b); }
static float16 operator*(float16 a, float16 b) { return float16((float)a * (float)b); }
static float16 operator/(float16 a, float16 b) { return float16((float)a / (float)b); }
static float16 operator-(float16 a) { a.bits ^= 0x8000; return a; }"""
_PLAIN = {
    "fused_f16": "{T} {name}({T} a, {T} b, {T} c)\n{{\n"
                 "    return ({T})(_Float16)fma((double)a, (double)b, (double)c);\n}}",
    "rough_quotient": "{T} {name}({T} a, {T} b)\n{{\n    return a / b;\n}}",
    "rough_inverse": "{T} {name}({T} x)\n{{\n    return 1 / x;\n}}",
    "rough_root": "{T} {name}({T} x)\n{{\n    return sqrt(x);\n}}",
}
_ATOMIC = re.compile(r"atomic_([a-z_]+)_(global|local|generic)_.*")


def host_dialect(target: Target) -> Dialect:
    """Return the dialect for a compiler of the host."""
    d = make_dialect(target)

    def helper(name: str) -> Helper | None:
        if name in _PLAIN:
            return Helper(_PLAIN[name])
        found = _ATOMIC.fullmatch(name)
        return _atomic(found[1]) if found is not None else d.helper(name)

    return replace(d, helper=helper, fence=lambda order, scope: "shim_yield();",
                   definitions={"float16": _HALF}, packed="__attribute__((packed, may_alias))",
                   dynamic="unsigned char *{name} = shim_dynamic;", aligned="", wide={})


def _atomic(op: str) -> Helper:
    params = {"load": "", "compare_exchange": ", {T} expected, {T} desired"}.get(op, ", {T} x")
    same = "__builtin_bit_cast({U}, old) == __builtin_bit_cast({U}, expected)"
    when = f"if ({same}) " if op == "compare_exchange" else ""
    return Helper(f"""{{T}} {{name}}({{T}} *p{params})
{{{{
    shim_yield();
    const {{T}} old = *p;
    {when}*p = ({{T}})({atomics.NEXT[op]});
    return old;
}}}}""")
