"""Expressions in C: one function per node class. The C type of each text is the node's type.

Non-goals: builtins' spellings and anything else a dialect says. Invariants: small integers are cast
back after every operation; signed integers that may overflow are computed unsigned, so they wrap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unisycl.backends.cfamily import memory
from unisycl.backends.cfamily.printer import (
    BITS,
    EQUAL,
    PRIMARY,
    PRODUCT,
    RELATION,
    SUM,
    TERNARY,
    UNARY,
    Printer,
    Text,
)
from unisycl.backends.cfamily.printing import FAILED
from unisycl.backends.cfamily.waits import Failed
from unisycl.base.dtypes import FLOAT16, FLOAT32, INT16, INT32, INT64, UINT16, UINT32, DType
from unisycl.base.enums import address_space
from unisycl.base.errors import UnsupportedError, errc
from unisycl.ir import nodes as n
from unisycl.ir.builtins import Builtin

_NEGATING = ("abs", "abs_diff")  # builtins that may give the negative of what they are given
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_SYMBOL = {"add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT), "and": ("&", BITS),
           "or": ("|", BITS), "xor": ("^", BITS)}
_LOGIC = {"and": "&", "or": "|", "xor": "^", "add": "|", "mul": "&"}
"""Operators of truth values. Both sides are evaluated, as the IR says: no branches."""
_WRAPS = frozenset(("add", "sub", "mul"))


def emit(p: Printer, x: n.Expr) -> Text:
    """Return an expression in C."""
    return EMIT[type(x)](p, x)


def cast(p: Printer, text: Text, dtype: DType) -> Text:
    """Return a C cast, or what does the same out of the compiler's sight."""
    if p.d.hides_narrowing and dtype is INT16 and not text.c.isdigit():
        return _through(p, "low_half", text, dtype)
    return Text(f"({p.type(dtype)}){text.at(UNARY)}", UNARY)


def _const(p: Printer, x: n.Const) -> Text:
    text = p.literal(x.value, x.type.dtype)
    return Text(text, UNARY if text[0] == "-" or text.startswith("(") else PRIMARY)


def _read(p: Printer, x: n.Read) -> Text:
    text, dtype = Text(p.names.of(x.local, x.local.name)), x.type.dtype
    if dtype.kind in "iuf" and p.left.comes_out(x.local):
        return _through(p, "own", text, dtype)
    return text


def _param(p: Printer, x: n.ParamRead) -> Text:
    dtype = x.type.dtype
    name = p.argument("scalar", f"const {p.storage(dtype)}", x.param.name, x.param.index)
    return Text(f"{name} != 0", EQUAL) if dtype.kind == "b" else Text(name)


def _query(p: Printer, x: n.Query) -> Text:
    found = p.query(x.name, x.dim)
    if found.c.isdigit():  # a size known now; as a mere int it would choose other functions
        return Text(p.literal(int(found.c), x.type.dtype))
    if x.type.dtype is INT32 and (x.name, x.dim) not in p.small_ids:
        return cast(p, found, INT32)
    return found


def _unary(p: Printer, x: n.Unary) -> Text:
    v, dtype = emit(p, x.x), x.type.dtype
    if dtype.kind == "b":
        return Text(f"!{v.at(UNARY)}", UNARY)
    if x.op == "invert":
        text = Text(f"~{v.at(UNARY)}", UNARY)
        text = cast(p, text, dtype) if dtype.bits < 32 else text
        return _through(p, "hidden", text, dtype) if p.d.hides_inversions else text
    if p.signs is not None and dtype.is_float:
        return _through(p, "negated", v, dtype)
    if dtype.is_float or _is_exact(p, x):
        return Text(f"-{_spaced(v.at(UNARY))}", UNARY)
    if dtype.bits < 32:
        return cast(p, Text(f"-{_spaced(v.at(UNARY))}", UNARY), dtype)
    return cast(p, Text(f"0 - {unsigned(p, x.x).at(PRODUCT)}", SUM), dtype)


def _spaced(text: str) -> str:
    """Keep two minus signs apart."""
    return f" {text}" if text.startswith("-") else text


def _through(p: Printer, name: str, x: Text, dtype: DType) -> Text:
    """Return what a helper function makes of a text of its type."""
    return Text(f"{p.helper(name, dtype)}({x.c})")


def _binary(p: Printer, x: n.Binary) -> Text:
    a, b, dtype = emit(p, x.a), emit(p, x.b), x.type.dtype
    if p.signs is not None and dtype.is_float:
        a, b = (_through(p, "hidden", text, dtype) if hide else text
                for text, hide in zip((a, b), p.signs.hidden(x), strict=True))
    text = binary(p, x.op, a, b, dtype, x)
    return _through(p, "hidden", text, dtype) if p.d.hides_inversions and inverts(x) else text


def inverts(x: n.Binary) -> bool:
    """Say whether an operation turns all bits of an operand: -1 - a, -a - 1, a ^ -1."""
    if x.type.dtype.kind not in "iu":
        return False
    one, ones = 1, (1 << x.type.dtype.bits) - 1
    a, b = (y.value & ones if isinstance(y, n.Const) else y for y in (x.a, x.b))
    match x.op:
        case "xor":
            return ones in (a, b)
        case "sub":
            return a == ones or (b == one and _is_negation(a))
        case "add":
            return (b == ones and _is_negation(a)) or (a == ones and _is_negation(b))
    return False


def _is_negation(x: object) -> bool:
    return (isinstance(x, n.Unary) and x.op == "neg") or (
        isinstance(x, n.Binary) and x.op == "sub" and isinstance(x.a, n.Const) and x.a.value == 0)


def binary(p: Printer, op: str, a: Text, b: Text, dtype: DType, x: n.Binary | None = None) -> Text:
    """Return Python's arithmetic on two texts of one type; ``x`` is the node if there is one."""
    if dtype.kind == "b":
        first = a.c if x is not None and _same(x, x.a) else a.at(UNARY)
        second = b.c if x is not None and _same(x, x.b) else b.at(UNARY)
        return Text(f"{first} {_LOGIC[op]} {second}", BITS)
    if op == "div":
        return p.call(p.d.divide(dtype), [a, b], dtype)
    if op in ("floordiv", "mod"):
        if p.d.hides_narrowing and dtype is INT16:
            wide = _division(p, op, cast(p, a, INT32), cast(p, b, INT32), INT32, None)
            return cast(p, wide, dtype)
        return _division(p, op, a, b, dtype, x)
    if op in ("shl", "shr"):
        return _shift(p, op, a, b, dtype, x)
    if x is not None and x.exact and op in ("add", "sub"):  # never fused with a product
        return Text(f"{p.helper(f'exact_{op}', dtype)}({a.c}, {b.c})")
    word, level = _SYMBOL[op]
    if op in _WRAPS and dtype.kind == "i" and dtype.bits >= 32 and not (x and _is_exact(p, x)):
        left = unsigned(p, x.a) if x else cast(p, a, p.unsigned(dtype))
        right = unsigned(p, x.b) if x else cast(p, b, p.unsigned(dtype))
        whole = Text(f"{left.at(level)} {word} {right.at(level + 1)}", level)
        return cast(p, whole, dtype)
    if op in _WRAPS and dtype.bits == 16 and op == "mul" and not dtype.is_float:
        a = cast(p, a, p.unsigned(INT64))  # the product of two 16-bit numbers may exceed an int
    whole = _joined(a, word, b, level)
    return cast(p, whole, dtype) if not dtype.is_float and dtype.bits < 32 else whole


def _joined(a: Text, word: str, b: Text, level: int) -> Text:
    """Return two operands with an operator between them."""
    if level == BITS:  # C's order among these surprises people: always in parentheses
        return Text(f"{a.at(UNARY)} {word} {b.at(UNARY)}", BITS)
    return Text(f"{a.at(level)} {word} {b.at(level + 1)}", level)


def _same(x: n.Binary, part: n.Expr) -> bool:
    """Say whether an operand is the same operation again: compilers nest few parentheses."""
    return isinstance(part, n.Binary) and (part.op, part.type) == (x.op, x.type)


def _is_exact(p: Printer, x: n.Expr) -> bool:
    """Say whether an operation cannot overflow: indices of Python ints, and what a pass proved."""
    return x.type.weak or id(x) in p.exact


def unsigned(p: Printer, x: n.Expr) -> Text:
    """Return the bits of a signed integer expression, computed unsigned as far down as it goes."""
    dtype = p.unsigned(x.type.dtype)
    if isinstance(x, n.Binary) and x.op in _WRAPS and not _is_exact(p, x):
        word, level = _SYMBOL[x.op]
        return Text(f"{unsigned(p, x.a).at(level)} {word} {unsigned(p, x.b).at(level + 1)}", level)
    if isinstance(x, n.Const) and x.value >= 0:
        return _const(p, n.Const(type(x.type)(dtype), x.value))
    return cast(p, emit(p, x), dtype)


def _constant(x: n.Expr | None) -> int | None:
    return int(x.value) if isinstance(x, n.Const) else None


def _division(p: Printer, op: str, a: Text, b: Text, dtype: DType, x: n.Binary | None) -> Text:
    """Return floor division or its remainder."""
    if dtype.is_float:
        if dtype.bits == 16:
            wide = [cast(p, t, FLOAT32) for t in (a, b)]
            return cast(p, _division(p, op, wide[0], wide[1], FLOAT32, None), dtype)
        name = p.helper("ffloordiv" if op == "floordiv" else "fmod_floored", dtype)
        return Text(f"{name}({a.c}, {b.c})")
    divisor = _constant(x.b if x else None)
    proved = x is not None and x.type.weak  # not 0 (passes.clike.positions)
    if dtype.kind == "u" and (proved or (divisor or 0) > 0):
        word = "/" if op == "floordiv" else "%"
        return _back(p, Text(f"{a.at(PRODUCT)} {word} {b.at(UNARY)}", PRODUCT), dtype)
    if divisor is not None and divisor > 0 and divisor & (divisor - 1) == 0:
        if op == "mod":
            mask = p.literal(divisor - 1, dtype)
            return _back(p, Text(f"{a.at(UNARY)} & {mask}", BITS), dtype)
        bits = divisor.bit_length() - 1
        return _back(p, Text(f"{a.at(UNARY)} >> {bits}", BITS), dtype)
    prefix = "u" if dtype.kind == "u" else ""
    return Text(f"{p.helper(prefix + op, dtype)}({a.c}, {b.c})")


def _back(p: Printer, text: Text, dtype: DType) -> Text:
    """Cast what C computed as an int to the small type it has."""
    return cast(p, text, dtype) if dtype.bits < 32 else text


def _shift(p: Printer, op: str, a: Text, b: Text, dtype: DType, x: n.Binary | None) -> Text:
    count = _constant(x.b if x else None)
    if count is not None and 0 <= count < dtype.bits:
        if op == "shl" and dtype.kind == "i" and not (x and _is_exact(p, x)):
            left = cast(p, a, p.unsigned(dtype))
            return cast(p, Text(f"{left.at(UNARY)} << {count}", BITS), dtype)
        word = "<<" if op == "shl" else ">>"
        return _back(p, Text(f"{a.at(UNARY)} {word} {count}", BITS), dtype)
    name = "shl" if op == "shl" else "shr" if dtype.kind == "i" else "ushr"
    return Text(f"{p.helper(name, dtype)}({a.c}, {b.c})")


def _compare(p: Printer, x: n.Compare) -> Text:
    a, b = emit(p, x.a), emit(p, x.b)
    level = EQUAL if x.op in ("eq", "ne") else RELATION
    return Text(f"{a.at(level + 1)} {_COMPARE[x.op]} {b.at(level + 1)}", level)


def _select(p: Printer, x: n.Select) -> Text:
    cond, a, b = (emit(p, e).at(TERNARY + 1) for e in (x.cond, x.a, x.b))
    whole = Text(f"{cond} ? {a} : {b}", TERNARY)
    dtype = x.type.dtype
    return cast(p, whole, dtype) if dtype.kind in "iu" and dtype.bits < 32 else whole


def _cast(p: Printer, x: n.Cast) -> Text:
    if not p.d.halves and isinstance(x.x, n.Bitcast) and x.x.type.dtype is FLOAT16:
        number = Text(f"{p.helper('half_to_float', UINT16)}({emit(p, x.x.x).c})")
        return convert(p, number, FLOAT32, x.type.dtype)
    return convert(p, emit(p, x.x), x.x.type.dtype, x.type.dtype)


def convert(p: Printer, v: Text, source: DType, to: DType) -> Text:
    """Return a conversion as NumPy does it: narrow integers take the low bits of an int's."""
    if source is to:
        return v
    if to.kind == "b":
        zero = "0" if source.kind in "iu" else p.literal(0.0, source)
        return Text(f"{v.at(RELATION)} != {zero}", EQUAL)
    if not (source.is_float and to.is_integer):
        return cast(p, v, to)
    if to.kind == "u" and to.bits == 64:
        return Text(f"{p.helper('to_ulong', source)}({v.c})")
    by = INT64 if to.bits == 64 or to is UINT32 else INT32
    if p.d.ends_low:
        whole = cast(p, v, by)
    else:
        whole = Text(f"{p.helper('to_long' if by is INT64 else 'to_int', source)}({v.c})")
    return whole if to is by else cast(p, whole, to)


def _narrow(p: Printer, x: n.Narrow) -> Text:
    return cast(p, emit(p, x.x), x.type.dtype)


def _bitcast(p: Printer, x: n.Bitcast) -> Text:
    if not p.d.halves and isinstance(x.x, n.Cast) and x.x.type.dtype is FLOAT16:
        number = convert(p, emit(p, x.x.x), x.x.x.type.dtype, FLOAT32)
        return Text(f"{p.helper('float_to_half', UINT16)}({number.c})")
    source, to, bits = x.x.type.dtype, x.type.dtype, emit(p, x.x)
    crosses = p.signs is not None and source.is_float is not to.is_float
    if crosses and to.is_float:  # else a compiler sees a negation where the top bit is flipped
        bits = _through(p, "hidden", bits, source)
    if p.d.hides_narrowing and source is UINT16 and to is INT16:
        return cast(p, bits, to)
    text = Text(p.d.bitcast.format(type=p.type(to), x=bits.c))
    return _through(p, "hidden", text, to) if crosses and source.is_float else text


def _call(p: Printer, x: n.Call) -> Text:
    dtype = x.args[0].type.dtype if x.args else x.type.dtype
    args = [(_operand(p, a), a.type.dtype) for a in x.args]
    return call_builtin(p, x.builtin, dtype, args, x.type.dtype)


def _operand(p: Printer, x: n.Expr) -> Text:
    """Return an operand in its own type: an extent that is known would be an int."""
    text = emit(p, x)
    known = isinstance(x, n.Extent | n.Pitch) and text.c.isdigit()
    return emit(p, n.Const(x.type, int(text.c))) if known else text


def call_builtin(p: Printer, row: Builtin, dtype: DType, args: list[tuple[Text, DType]],
                 to: DType) -> Text:
    """Return a call of a builtin of a type, given its operands and the type of its result."""
    wide = p.d.computes(row, dtype)
    if p.d.hides_narrowing and dtype is INT16 and row.name in _NEGATING:
        wide = INT32
    template = p.d.builtin(row, wide)
    if template is None:
        raise UnsupportedError(errc.kernel_not_supported, f"kernel '{p.kernel.name}' calls "
                               f"{row.name}({dtype}), which this device's backend has no "
                               "function for; compute it from others")
    if wide is dtype:
        return p.call(template, [text for text, _ in args], dtype)
    result = p.call(template, [convert(p, text, dtype, wide) if own is dtype else text
                               for text, own in args], wide)
    return convert(p, result, wide, dtype) if to is dtype else result


def _load(p: Printer, x: n.Load) -> Text:
    text = memory.lvalue(p, x.place, emit)
    if p.shared is not None and p.shared.has(x.place):
        text = memory.anew(p, x.place, text)
    level = UNARY if text.startswith("*") else PRIMARY
    return Text(f"{text} != 0", EQUAL) if x.type.dtype.kind == "b" else Text(text, level)


def _address(p: Printer, x: n.Address) -> Text:
    return memory.address(p, x.place, emit)


def _failed(p: Printer, x: Failed) -> Text:
    buffer, type = reports(p)
    return Text(f"*(volatile {type})&{buffer}[{FAILED}] != 0u", EQUAL)


def reports(p: Printer) -> tuple[str, str]:
    """Return the argument that records go to, and its type."""
    type = f"{p.d.spaces[address_space.global_space]} {p.d.types['uint32']} *".lstrip()
    return p.argument("report", type, "reports"), type


def _extent(p: Printer, x: n.Extent) -> Text:
    return _sized(p, x, memory.extent(p, x.base, x.dim))


def _pitch(p: Printer, x: n.Pitch) -> Text:
    found = memory.pitch(p, x.base, x.dim)
    return _sized(p, x, found) if found is not None else Text("1")


def _sized(p: Printer, x: n.Extent | n.Pitch, found: Text) -> Text:
    """Return an extent or pitch in the type of its node."""
    small = memory.small(p, x.base)
    return found if small is (x.type.dtype is INT32) else cast(p, found, x.type.dtype)


EMIT: dict[type[n.Expr], Callable[[Printer, Any], Text]] = {
    n.Const: _const, n.Read: _read, n.ParamRead: _param, n.Query: _query, n.Unary: _unary,
    n.Binary: _binary, n.Compare: _compare, n.Select: _select, n.Cast: _cast, n.Narrow: _narrow,
    n.Bitcast: _bitcast, n.Call: _call, n.Load: _load, n.Extent: _extent,
    n.Pitch: _pitch, n.Address: _address, Failed: _failed,
}
