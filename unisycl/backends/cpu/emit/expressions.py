"""Emission of expressions: one function per node class.

Non-goals: masks (expressions are pure; only loads look at them). Invariant: integer division never
traps, whatever the operands (NumPy: x // 0 is 0, and the most negative number // -1 wraps).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unisycl.backends.cpu.emit import (
    indirect,
    memory,
    near_remainder,
    power_division,
    repeated_rows,
    wide_division,
)
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, Lanes, Val, as_int
from unisycl.backends.cpu.emit.lowerings import call_builtin
from unisycl.backends.cpu.emit.text import LOOSE
from unisycl.base.dtypes import FLOAT32, FLOAT64, INT32, INT64
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS

_ROUNDED = ("add", "sub", "mul")
_PREDICATE = {
    "f": {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"},
    "i": {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"},
    "u": {"eq": "eq", "ne": "ne", "lt": "ult", "le": "ule", "gt": "ugt", "ge": "uge"},
}
_PREDICATE["b"] = _PREDICATE["u"]
_TURNED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
_SHORT = 1 << 20


def emit(e: Emitter, x: n.Expr) -> Val:
    """Emit an expression and return its value in the cheapest form."""
    return EMIT[type(x)](e, x)


def _const(e: Emitter, x: n.Const) -> Val:
    return e.lanes.const(x.value, x.type.dtype)


def _read(e: Emitter, x: n.Read) -> Val:
    return e.read(x.local)


def _param(e: Emitter, x: n.ParamRead) -> Val:
    slot = e.layout.params[x.param.index]
    dtype = x.type.dtype
    if dtype is INT64:
        return Val(UNIFORM, dtype, e.slot(slot))
    stored = memory.storage(dtype)
    t = e.lanes.type(stored, UNIFORM)
    value = Val(UNIFORM, stored, e.slot(slot, t))
    return e.lanes.compare("ne", value, e.lanes.const(0, stored)) if dtype.kind == "b" else value


def _query(e: Emitter, x: n.Query) -> Val:
    return e.queries(x.name, x.dim)


def _unary(e: Emitter, x: n.Unary) -> Val:
    v = emit(e, x.x)
    return e.lanes.negate(v) if x.op == "neg" else e.lanes.invert(v)


def _binary(e: Emitter, x: n.Binary) -> Val:
    dtype, op = x.type.dtype, x.op
    if dtype.is_float and op in _ROUNDED and dtype.bits >= FLOAT32.bits \
            and e.f.module.flags != LOOSE:
        found = None if x.exact or op == "mul" or not e.f.module.fuses else _fused(e, x)
        return _exactly(e, f"f{op}", emit(e, x.a), emit(e, x.b)) if found is None else found
    a, b = emit(e, x.a), emit(e, x.b)
    if x.exact and dtype.is_float:
        return _exactly(e, f"f{op}", a, b)
    if near_remainder.serves(x, a, b):
        return near_remainder.emit(e, a, b, lambda: _by_any(e, x.op, a, b))
    return binary(e, x.op, a, b)


def binary(e: Emitter, op: str, a: Val, b: Val) -> Val:
    """Emit Python's arithmetic on two values of one type."""
    lanes, dtype = e.lanes, a.dtype
    if dtype.kind == "b":
        return lanes.logic({"add": "or", "mul": "and"}.get(op, op), a, b)
    match op:
        case "add":
            return lanes.add(a, b)
        case "sub":
            return lanes.sub(a, b)
        case "mul":
            return lanes.mul(a, b)
        case "and" | "or" | "xor":
            return lanes.logic(op, a, b)
        case "shl" | "shr":
            return _shift(e, op, a, b)
        case "div":
            loose = LOOSE + " " if e.f.module.flags == LOOSE else ""
            return lanes.map(dtype, f"fdiv {loose}{{t}} {{0}}, {{1}}", a, b)
    if dtype.is_float:
        return _float_division(e, op, a, b)
    return _int_division(e, op, a, b)


def _shift(e: Emitter, op: str, a: Val, b: Val) -> Val:
    """Shift; counts beyond the width give 0 (or -1 for negative numbers shifted right)."""
    lanes, dtype = e.lanes, a.dtype
    count = as_int(b)
    word = "shl" if op == "shl" else "ashr" if dtype.kind == "i" else "lshr"
    if count is not None and 0 <= count < dtype.bits:
        if a.form == LINEAR and op == "shl":
            return lanes.mul(a, lanes.const(1 << count, dtype))
        return lanes.map(dtype, word + " {t} {0}, {1}", a, b)
    last = lanes.const(dtype.bits - 1, dtype)
    inside = lanes.compare("ule", b, last)
    shifted = lanes.map(dtype, word + " {t} {0}, {1}", a, lanes.select(inside, b, last))
    if word == "ashr":
        return shifted
    return lanes.select(inside, shifted, lanes.const(0, dtype))


def _float_division(e: Emitter, op: str, a: Val, b: Val) -> Val:
    """NumPy's floor_divide and remainder: the remainder has the divisor's sign.

    float16 goes through float32, as in NumPy.
    """
    lanes, dtype = e.lanes, a.dtype
    if dtype.bits == 16:
        wide = _float_division(e, op, lanes.cast(a, FLOAT32), lanes.cast(b, FLOAT32))
        return lanes.cast(wide, dtype)
    zero = lanes.const(0.0, dtype)
    rest = call_builtin(lanes, BUILTINS["fmod"], [a, b], dtype, e.widest)
    differ = lanes.logic("xor", lanes.compare("olt", b, zero), lanes.compare("olt", rest, zero))
    fix = lanes.logic("and", lanes.compare("une", rest, zero), differ)
    if op == "mod":
        signed = lanes.call("llvm.copysign", dtype, zero, b)
        moved = lanes.select(fix, _exactly(e, "fadd", rest, b), rest)
        return lanes.select(lanes.compare("oeq", rest, zero), signed, moved)
    quotient = lanes.map(dtype, "fdiv {t} {0}, {1}", _exactly(e, "fsub", a, rest), b)
    quotient = lanes.select(fix, _exactly(e, "fsub", quotient, lanes.const(1.0, dtype)), quotient)
    whole = lanes.call("llvm.floor", dtype, quotient)
    above = lanes.compare("ogt", _exactly(e, "fsub", quotient, whole), lanes.const(0.5, dtype))
    whole = lanes.select(above, _exactly(e, "fadd", whole, lanes.const(1.0, dtype)), whole)
    plain = lanes.map(dtype, "fdiv {t} {0}, {1}", a, b)
    nothing = lanes.call("llvm.copysign", dtype, zero, plain)
    whole = lanes.select(lanes.compare("une", quotient, zero), whole, nothing)
    return lanes.select(lanes.compare("oeq", b, zero), plain, whole)


def _fused(e: Emitter, x: n.Binary) -> Val | None:
    """Add to or subtract from a product that stands there, rounding once; None if none does.

    LLVM would fuse what it finds when it has moved things about, so that results depended on it.
    """
    lanes, less = e.lanes, x.op == "sub"
    for product, other in ((x.a, x.b), (x.b, x.a)):
        if isinstance(product, n.Binary) and product.op == "mul" and not product.exact:
            a, b, c = emit(e, product.a), emit(e, product.b), emit(e, other)
            if less and other is x.b:
                c = lanes.negate(c)
            elif less:
                a = lanes.negate(a)
            return lanes.call("llvm.fma", x.type.dtype, a, b, c)
    return None


def _exactly(e: Emitter, word: str, a: Val, b: Val) -> Val:
    """Add or subtract rounding once, never contracted with what comes before."""
    return e.lanes.map(a.dtype, word + " {t} {0}, {1}", a, b)


def _int_division(e: Emitter, op: str, a: Val, b: Val) -> Val:
    lanes, dtype = e.lanes, a.dtype
    divisor = as_int(b)
    if divisor is not None and divisor > 0:
        if divisor & (divisor - 1) == 0:
            if op == "mod":
                return lanes.logic("and", a, lanes.const(divisor - 1, dtype))
            word = "ashr" if dtype.kind == "i" else "lshr"
            shift = lanes.const(divisor.bit_length() - 1, dtype)
            return lanes.map(dtype, word + " {t} {0}, {1}", a, shift)
        if not wide_division.serves(e, a, b):
            return _floored(e, op, a, b)
    if power_division.serves(e, a, b):
        return power_division.emit(e, op, a, b, lambda: _by_any(e, op, a, b))
    return _by_any(e, op, a, b)


def _by_any(e: Emitter, op: str, a: Val, b: Val) -> Val:
    lanes, dtype = e.lanes, a.dtype
    if wide_division.serves(e, a, b):
        return wide_division.emit(e, op, a, b, _int_division)
    zero = lanes.const(0, dtype)
    by_zero = lanes.compare("eq", b, zero)
    bad = by_zero
    if dtype.kind == "i":
        lowest = lanes.compare("eq", a, lanes.const(-(1 << (dtype.bits - 1)), dtype))
        minus = lanes.compare("eq", b, lanes.const(-1, dtype))
        bad = lanes.logic("or", bad, lanes.logic("and", lowest, minus))
    result = _floored(e, op, a, lanes.select(bad, lanes.const(1, dtype), b))
    return lanes.select(by_zero, zero, result)


def _floored(e: Emitter, op: str, a: Val, b: Val) -> Val:
    """Divide by something that is neither 0 nor -1 with the lowest number, rounding down."""
    lanes, dtype = e.lanes, a.dtype
    quotient = _quotient(e, a, b)
    if dtype.kind == "u":
        if op == "floordiv":
            return quotient
        return lanes.sub(a, lanes.mul(quotient, b))
    rest = lanes.sub(a, lanes.mul(quotient, b))
    zero = lanes.const(0, dtype)
    wrong = lanes.logic("and", lanes.compare("ne", rest, zero), lanes.logic(
        "xor", lanes.compare("slt", rest, zero), lanes.compare("slt", b, zero)))
    if op == "floordiv":
        one = lanes.const(1, dtype)
        return lanes.select(wrong, lanes.sub(quotient, one), quotient)
    return lanes.select(wrong, lanes.add(rest, b), rest)


def _quotient(e: Emitter, a: Val, b: Val) -> Val:
    """Divide truncating; vectors of up to 32 bits go through exact float64 division."""
    lanes, dtype = e.lanes, a.dtype
    word = "sdiv" if dtype.kind == "i" else "udiv"
    scalar = a.form == UNIFORM and b.form == UNIFORM
    if scalar or as_int(b) is not None or dtype.bits > 32:
        return lanes.map(dtype, word + " {t} {0}, {1}", a, b)
    wide = lanes.map(FLOAT64, "fdiv {t} {0}, {1}", lanes.cast(a, FLOAT64), lanes.cast(b, FLOAT64))
    return lanes.cast(lanes.cast(wide, INT64), dtype)


def _compare(e: Emitter, x: n.Compare) -> Val:
    a, b = emit(e, x.a), emit(e, x.b)
    if b.form == UNIFORM and _short_line(x.a, a):
        return _compare_line(e.lanes, _PREDICATE["i"][x.op], a, b)
    if a.form == UNIFORM and _short_line(x.b, b):
        return _compare_line(e.lanes, _PREDICATE["i"][_TURNED.get(x.op, x.op)], b, a)
    return e.lanes.compare(_PREDICATE[a.dtype.kind][x.op], a, b)


def _compare_line(lanes: Lanes, predicate: str, line: Val, bound: Val) -> Val:
    """Compare a LINEAR int64, no lane of which wraps around, with a UNIFORM one in 32 bits.

    The distance to the bound is a scalar, so lanes compare their multiples of the stride with
    it: a distance beyond what they reach is as good as the next one that they do not reach.
    """
    reach = abs(line.stride) * lanes.lanes
    away = lanes.call("llvm.ssub.sat", INT64, bound, Val(UNIFORM, INT64, line.ref))
    away = lanes.call("llvm.smin", INT64, away, lanes.const(reach, INT64))
    away = lanes.call("llvm.smax", INT64, away, lanes.const(-reach, INT64))
    near = Val(LINEAR, INT32, "0", line.stride)
    return lanes.compare(predicate, near, lanes.narrow(away, INT32))


def _short_line(x: n.Expr, v: Val) -> bool:
    """Whether a value is a line of 64 bits made of 32, so that no lane of it wraps around."""
    return v.form == LINEAR and v.dtype is INT64 and abs(v.stride) < _SHORT \
        and isinstance(x, n.Cast) and x.x.type.dtype.bits <= 32


def _select(e: Emitter, x: n.Select) -> Val:
    return e.lanes.select(emit(e, x.cond), emit(e, x.a), emit(e, x.b))


def _cast(e: Emitter, x: n.Cast) -> Val:
    return e.lanes.cast(emit(e, x.x), x.type.dtype)


def _narrow(e: Emitter, x: n.Narrow) -> Val:
    return e.lanes.narrow(emit(e, x.x), x.type.dtype)


def _bitcast(e: Emitter, x: n.Bitcast) -> Val:
    return e.lanes.map(x.type.dtype, "bitcast {t} {0} to {to}", emit(e, x.x))


def _call(e: Emitter, x: n.Call) -> Val:
    args = [emit(e, a) for a in x.args]
    return call_builtin(e.lanes, x.builtin, args, x.type.dtype, e.widest)


def _load(e: Emitter, x: n.Load) -> Val:
    found = repeated_rows.load(e, x.place)
    return indirect.load(e, x.place) if found is None else found


def _address(e: Emitter, x: n.Address) -> Val:
    return memory.number(e, x.place)


def _extent(e: Emitter, x: n.Extent) -> Val:
    return memory.view_extent(e, x.base, x.dim)


def _pitch(e: Emitter, x: n.Pitch) -> Val:
    pitch = memory.view_pitch(e, x.base, x.dim)
    return e.lanes.const(1, INT64) if pitch is None else pitch


EMIT: dict[type[n.Expr], Callable[[Emitter, Any], Val]] = {
    n.Const: _const, n.Read: _read, n.ParamRead: _param, n.Query: _query, n.Unary: _unary,
    n.Binary: _binary, n.Compare: _compare, n.Select: _select, n.Cast: _cast,
    n.Narrow: _narrow, n.Bitcast: _bitcast, n.Call: _call, n.Load: _load, n.Extent: _extent,
    n.Pitch: _pitch, n.Address: _address,
}
