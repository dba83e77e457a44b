"""Python's arithmetic where C's differs: helper functions common to all dialects.

Non-goals: what the operators mean (``ir.nodes``). Invariant: integer division never traps, whatever
the operands (NumPy: x // 0 is 0); shifts by too much give 0 or -1; a float that no integer of 32
or 64 bits holds becomes the lowest one, as on x86.
"""

from __future__ import annotations

from unisycl.backends.cfamily.dialect import Helper

FLOORDIV = Helper("""{T} {name}({T} a, {T} b)
{{
    if (b == 0) return 0;
    if (b == -1) return ({T})(0 - ({U})a);
    const {T} q = a / b, r = a % b;
    return ({T})(r != 0 && (r < 0) != (b < 0) ? q - 1 : q);
}}""")
MOD = Helper("""{T} {name}({T} a, {T} b)
{{
    if (b == 0 || b == -1) return 0;
    const {T} r = a % b;
    return ({T})(r != 0 && (r < 0) != (b < 0) ? r + b : r);
}}""")
UFLOORDIV = Helper("""{T} {name}({T} a, {T} b)
{{
    return ({T})(b == 0 ? 0 : a / b);
}}""")
UMOD = Helper("""{T} {name}({T} a, {T} b)
{{
    return ({T})(b == 0 ? 0 : a % b);
}}""")
SHL = Helper("""{T} {name}({T} a, {T} b)
{{
    return ({T})(({U})b < {bits} ? ({U})a << ({U})b : 0);
}}""")
SHR = Helper("""{T} {name}({T} a, {T} b)
{{
    return ({T})(a >> (({U})b < {bits} ? b : {last}));
}}""")
USHR = Helper("""{T} {name}({T} a, {T} b)
{{
    return ({T})(b < {bits} ? a >> b : 0);
}}""")
FMOD = Helper("""{T} {name}({T} a, {T} b)
{{
    {exact}
    const {T} r = fmod(a, b);
    if (r == 0) return copysign(({T})0, b);
    return (b < 0) != (r < 0) ? r + b : r;
}}""")
FFLOORDIV = Helper("""{T} {name}({T} a, {T} b)
{{
    {exact}
    if (b == 0) return a / b;
    const {T} r = fmod(a, b);
    {T} q = (a - r) / b;
    if (r != 0 && (b < 0) != (r < 0)) q = q - 1;
    if (q == 0) return copysign(({T})0, a / b);
    const {T} f = floor(q);
    return q - f > ({T})0.5 ? f + 1 : f;
}}""")

EXACT_ADD = Helper("""{T} {name}({T} a, {T} b)
{{
    {exact}
    return a + b;
}}""")
EXACT_SUB = Helper("""{T} {name}({T} a, {T} b)
{{
    {exact}
    return a - b;
}}""")
TO_INT = Helper("""{int32} {name}({T} x)
{{
    return fabs(x) < ({T})2147483648.0f ? ({int32})x : -2147483647 - 1;
}}""")
TO_LONG = Helper("""{int64} {name}({T} x)
{{
    return fabs(x) < ({T})9223372036854775808.0f ? ({int64})x
        : -({int64})9223372036854775807 - 1;
}}""")
TO_ULONG = Helper("""{uint64} {name}({T} x)
{{
    const {T} most = ({T})9223372036854775808.0f;
    const {uint64} top = x >= most ? 0x8000000000000000UL : 0;
    return ({uint64}){helper:to_long}(top ? x - most : x) ^ top;
}}""")

HELPERS: dict[str, Helper] = {
    "floordiv": FLOORDIV, "mod": MOD, "ufloordiv": UFLOORDIV, "umod": UMOD, "shl": SHL, "shr": SHR,
    "ushr": USHR, "fmod_floored": FMOD, "ffloordiv": FFLOORDIV,
    "to_int": TO_INT, "to_long": TO_LONG, "to_ulong": TO_ULONG, "exact_add": EXACT_ADD,
    "exact_sub": EXACT_SUB,
}
