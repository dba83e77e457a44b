"""Functions of floats that CUDA's library lacks, or whose edges differ, in CUDA C++.

Each is written for float and double alike: the library's names are overloaded. Non-goals: half
precision. Invariant: nothing here depends on whether products are fused with sums.
"""

from __future__ import annotations

from unisycl.backends.cfamily.dialect import Helper

_ORDER = {
    "lesser": "{T} {name}({T} a, {T} b)\n{{\n    return b < a ? b : a;\n}}",
    "greater": "{T} {name}({T} a, {T} b)\n{{\n    return a < b ? b : a;\n}}",
    "minimum": "{T} {name}({T} a, {T} b)\n{{\n    return a != a ? a : b != b ? b : b < a ? b : a;\n"
               "}}",
    "maximum": "{T} {name}({T} a, {T} b)\n{{\n    return a != a ? a : b != b ? b : a < b ? b : a;\n"
               "}}",
    "limited": "{T} {name}({T} x, {T} low, {T} high)\n{{\n"
               "    const {T} least = x < low ? low : x;\n"
               "    return high < least ? high : least;\n}}",
    "edge": "{T} {name}({T} edge, {T} x)\n{{\n    return x < edge ? ({T})0 : ({T})1;\n}}",
    "is_apart": "bool {name}({T} a, {T} b)\n{{\n    return a < b || b < a;\n}}",
    "is_ordered": "bool {name}({T} a, {T} b)\n{{\n    return a == a && b == b;\n}}",
    "is_unordered": "bool {name}({T} a, {T} b)\n{{\n    return a != a || b != b;\n}}",
    "is_normal": "bool {name}({T} x)\n{{\n    return isfinite(x) && fabs(x) >= {least};\n}}",
    "sign": "{T} {name}({T} x)\n{{\n    return x > 0 ? ({T})1 : x < 0 ? ({T})-1 : x == 0 ? x : "
            "({T})0;\n}}",
    "direction": "{T} {name}({T} x)\n{{\n    return x == 0 || x != x ? x : copysign(({T})1, x);\n"
                 "}}",
    "of_bits": """{T} {name}({T} a, {T} b, {T} c)
{{
    const {U} chosen = __builtin_bit_cast({U}, c);
    return __builtin_bit_cast({T}, ({U})((__builtin_bit_cast({U}, a) & ~chosen)
                                         | (__builtin_bit_cast({U}, b) & chosen)));
}}""",
}
_PARTS = {
    "fraction": """{T} {name}({T} x)
{{
    if (x == 0 || isinf(x)) return copysign(({T})0, x);
    const {T} part = x - floor(x), most = nextafter(({T})1, ({T})0);
    return part > most ? most : part;
}}""",
    "behind_point": """{T} {name}({T} x)
{{
    return copysign(isinf(x) ? ({T})0 : x - trunc(x), x);
}}""",
    "frexp_fraction": """{T} {name}({T} x)
{{
    int exponent;
    return frexp(x, &exponent);
}}""",
    "frexp_exponent": """int {name}({T} x)
{{
    int exponent = 0;
    frexp(x, &exponent);
    return isfinite(x) ? exponent : 0;
}}""",
    "quotient": """int {name}({T} x, {T} y)
{{
    if (!isfinite(x) || !isfinite(y) || y == 0) return 0;
    const {T} part = fmod(fabs(x), 128 * fabs(y)), b = fabs(y);  // remquo has three bits here
    const int q = (int)rint(part / b - remainder(part, b) / b) & 127;
    return (x < 0) != (y < 0) ? -q : q;
}}""",
    "hypotenuse": """{T} {name}({T} x, {T} y)
{{
    const {T} p = fabs(x), q = fabs(y);
    if (!(fmax(p, q) > 1e300) || !isfinite(p) || !isfinite(q)) return hypot(x, y);
    const {T} scale = 2.409919865102884e-181;  // the library may be a step too great: infinite
    const {T} a = fmax(p, q) * scale, b = fmin(p, q) * scale, h = sqrt(fma(a, a, b * b));
    const {T} hh = fma(h, h, ({T})0), aa = fma(a, a, ({T})0);  // rounded, never fused
    const {T} more = fma(-b, b, hh - aa) + fma(h, h, -hh) - fma(a, a, -aa);
    return (h - more / (2 * h)) / scale;
}}""",
    "gamma_sign": """int {name}({T} x)
{{
    if (x == 0) return signbit(x) ? -1 : 1;
    const {T} whole = floor(x);
    return x < 0 && isfinite(x) && x != whole && fmod(whole, ({T})2) != 0 ? -1 : 1;
}}""",
    "exponent": """int {name}({T} x)
{{
    if (x == 0 || x != x) return -2147483647 - 1;
    return isinf(x) ? 2147483647 : ilogb(x);
}}""",
    "maxmag": """{T} {name}({T} a, {T} b)
{{
    return fabs(a) > fabs(b) ? a : fabs(b) > fabs(a) ? b : fmax(a, b);
}}""",
    "minmag": """{T} {name}({T} a, {T} b)
{{
    return fabs(a) < fabs(b) ? a : fabs(b) < fabs(a) ? b : fmin(a, b);
}}""",
    "smoothstep": """{T} {name}({T} low, {T} high, {T} x)
{{
    const {T} part = (x - low) / (high - low), t = part < 0 ? ({T})0 : part > 1 ? ({T})1 : part;
    return t * t * (3 - 2 * t);
}}""",
}
_TURNS = {
    "sinpi": """{T} {name}({T} x)
{{
    return isfinite(x) && x == trunc(x) ? copysign(({T})0, x) : ::sinpi(x);
}}""",
    "cospi": """{T} {name}({T} x)
{{
    const {T} turn = fabs(x) - 2 * floor(fabs(x) * ({T})0.5);
    return turn == ({T})0.5 || turn == ({T})1.5 ? ({T})0 : ::cospi(turn);
}}""",
    "tanpi": """{T} {name}({T} x)
{{
    const {T} turn = fabs(x) - 2 * floor(fabs(x) * ({T})0.5);
    if (turn == 0 || turn == 1) return copysign(({T})0, turn == 1 ? -x : x);
    if (turn == ({T})0.5 || turn == ({T})1.5) return copysign(({T})INFINITY, turn > 1 ? -x : x);
    const {T} value = ::sinpi(turn) / ::cospi(turn);
    return x < 0 ? -value : value;
}}""",
}
_POWERS = {
    "powr": """{T} {name}({T} x, {T} y)
{{
    const bool undefined = x < 0 || x != x || y != y || (y == 0 && (x == 0 || isinf(x)))
        || (x == 1 && isinf(y));
    return undefined ? ({T})NAN : pow(fabs(x), y);
}}""",
    # a whole number of 32 bits may be none of single precision
    "pown": """{T} {name}({T} x, int k)
{{
    if (sizeof({T}) == 4 && (k > 16777216 || k < -16777216))
        return ({T})pow((double)x, (double)k);
    return pow(x, ({T})k);
}}""",
    # the rounded 1 / k is made up for by a step of Newton's, or by double precision
    "rootn": """{T} {name}({T} x, int k)
{{
    if (k == 0 || x != x || (x < 0 && k % 2 == 0)) return ({T})NAN;
    const {T} size = fabs(x);
    {T} root;
    if (size == 0 || isinf(size)) root = (k > 0) == (size == 0) ? ({T})0 : ({T})INFINITY;
    else if (k == 1) root = size;
    else if (sizeof({T}) == 4) root = ({T})pow((double)size, 1.0 / k);
    else {{
        root = pow(size, ({T})1 / k);
        const {T} left = pow(root, ({T})k) / size - 1;
        if (isfinite(left) && fabs(left) < ({T})0.001) root -= root * (left / k);
    }}
    return k % 2 ? copysign(root, x) : root;
}}""",
    "tgamma": """{T} {name}({T} x)
{{
    if (x == 0) return copysign(({T})INFINITY, x);
    if (x < 0 && x == floor(x)) return ({T})NAN;
    return ::tgamma(x);
}}""",
}
# sums that no product of their operands may be fused with
_EXACT = {
    f"exact_{word}": f"""{{T}} {{name}}({{T}} a, {{T}} b)
{{{{
    if (sizeof({{T}}) == 4) return ({{T}})__f{word}_rn(a, b);
    return sizeof({{T}}) == 8 ? ({{T}})__d{word}_rn(a, b) : a {symbol} b;
}}}}"""
    for word, symbol in (("add", "+"), ("sub", "-"))}
_DIVISIONS = {
    "fmod_floored": """{T} {name}({T} a, {T} b)
{{
    const {T} r = fmod(a, b);
    if (r == 0) return copysign(({T})0, b);
    return (b < 0) != (r < 0) ? {helper:exact_add}(r, b) : r;
}}""",
    "ffloordiv": """{T} {name}({T} a, {T} b)
{{
    if (b == 0) return a / b;
    const {T} r = fmod(a, b);
    {T} q = {helper:exact_sub}(a, r) / b;
    if (r != 0 && (b < 0) != (r < 0)) q = q - 1;
    if (q == 0) return copysign(({T})0, a / b);
    const {T} f = floor(q);
    return q - f > ({T})0.5 ? f + 1 : f;
}}""",
    "to_ulong": """{uint64} {name}({T} x)
{{
    const {T} most = ({T})9223372036854775808.0f;
    const {uint64} top = x >= most ? 0x8000000000000000ull : 0;
    return ({uint64}){helper:to_long}(top ? {helper:exact_sub}(x, most) : x) ^ top;
}}""",
}
# single precision only: within two units in the last place
_ROUGH = {
    "rough_quotient": """{T} {name}({T} a, {T} b)
{{
    {T} result;
    asm("div.full.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
    return result;
}}""",
    "rough_inverse": """{T} {name}({T} x)
{{
    {T} result;
    asm("rcp.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}}""",
    "rough_root": """{T} {name}({T} x)
{{
    {T} result;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}}""",
}
_LEAST = "(sizeof({T}) == 4 ? ({T})1.1754943508222875e-38 : ({T})2.2250738585072014e-308)"

HELPERS: dict[str, Helper] = {
    name: Helper(text.replace("{least}", _LEAST))
    for name, text in {**_ORDER, **_PARTS, **_TURNS, **_POWERS, **_EXACT,
                       **_DIVISIONS, **_ROUGH}.items()}
