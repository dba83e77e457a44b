"""Half precision in CUDA C++: a type of 16 bits with arithmetic of its own, of PTX.

The compiler's headers have such a type, too; ours needs no headers, and its sums and products are
never fused. Non-goals: functions, which are computed in single precision and rounded
(``builtins``). Invariant: each operation rounds once, to nearest.
"""

from __future__ import annotations

from unisycl.backends.cfamily.dialect import Helper

_FROM = (("float", "f32", "f"), ("double", "f64", "d"), ("int", "s32", "r"),
         ("unsigned int", "u32", "r"), ("long long", "s64", "l"),
         ("unsigned long long", "u64", "l"))


def _definition() -> str:
    lines = ["struct float16 {", "    unsigned short bits;", "    float16() = default;"]
    lines += [
        f"    explicit __device__ __forceinline__ float16({type} x) "
        f'{{ asm("cvt.rn.f16.{ptx} %0, %1;" : "=h"(bits) : "{letter}"(x)); }}'
        for type, ptx, letter in _FROM]
    lines += ["    __device__ __forceinline__ operator float() const {", "        float x;",
              '        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));', "        return x;",
              "    }", "};"]
    for symbol, word in (("+", "add"), ("-", "sub"), ("*", "mul")):
        lines += [
            f"static __device__ __forceinline__ float16 operator{symbol}(float16 a, float16 b)",
            "{", "    float16 c;",
            f'    asm("{word}.rn.f16 %0, %1, %2;" : "=h"(c.bits) : "h"(a.bits), "h"(b.bits));',
            "    return c;", "}"]
    lines += ["static __device__ __forceinline__ float16 operator/(float16 a, float16 b)", "{",
              "    return float16((float)a / (float)b);", "}",
              "static __device__ __forceinline__ float16 operator-(float16 a)", "{",
              "    a.bits ^= 0x8000;", "    return a;", "}"]
    return "\n".join(lines)


DEFINITION = _definition()

HELPERS: dict[str, Helper] = {
    "fused_f16": Helper("""{T} {name}({T} a, {T} b, {T} c)
{{
    {T} result;
    asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(result.bits) : "h"(a.bits), "h"(b.bits), "h"(c.bits));
    return result;
}}"""),
    "next_f16": Helper("""{T} {name}({T} x, {T} y)
{{
    if (x != x) return x;
    if (y != y) return y;
    if (x == y) return y;
    const bool up = x < y;
    if (x == 0) x.bits = up ? 1 : 0x8001;
    else x.bits += (x > 0) == up ? 1 : -1;
    return x;
}}"""),
    "is_normal_f16": Helper("""bool {name}({T} x)
{{
    const float wide = x;
    return isfinite(wide) && fabsf(wide) >= 6.103515625e-05f;
}}"""),
    "fraction_f16": Helper("""{T} {name}({T} x)
{{
    const float wide = x;
    if (wide == 0 || isinf(wide)) return ({T})copysignf(0.0f, wide);
    const float part = wide - floorf(wide);
    return ({T})(part > 0.99951171875f ? 0.99951171875f : part);
}}"""),
}
