"""Quotients and remainders of 64-bit integers in vectors: by float64 where it says them exactly.

No processor divides vectors of integers, and those of Python are of 64 bits. A quotient of two
numbers below 2**50 cannot be rounded to a whole number that it does not reach, so its floor is
Python's. Other lanes are divided one by one. Non-goals: 32 bits, which always go through float64
(``expressions``). Invariant: both ways give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable

from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import UNIFORM, VECTOR, Lanes, Val
from unisycl.backends.cpu.emit.text import Function, llvm_type, vectors
from unisycl.base.dataclass import replace
from unisycl.base.dtypes import FLOAT64, DType

One = Callable[[Emitter, str, Val, Val], Val]

_BITS = 50
_MAGIC = 1.5 * 2.0 ** 52
"""A number of less than 51 bits added to it stands in its lowest bits."""
_MAGIC_BITS = 0x4338 << 48
_FEWEST = 4  # lanes


def serves(e: Emitter, a: Val, b: Val) -> bool:
    """Say whether a division is one of vectors of 64 bits."""
    return a.dtype.is_integer and a.dtype.bits == 64 and e.lanes.lanes >= _FEWEST \
        and not a.form == b.form == UNIFORM


def emit(e: Emitter, op: str, a: Val, b: Val, one: One) -> Val:
    """Emit a quotient (``floordiv``) or remainder (``mod``); ``one`` divides a single lane."""
    lanes = e.lanes
    a, b = Val(VECTOR, a.dtype, lanes.vector(a)), Val(VECTOR, b.dtype, lanes.vector(b))
    high = lanes.logic("or", _beyond(e, a), _beyond(e, b))
    return lanes.either(lanes.compare("eq", high, lanes.const(0, a.dtype)), a.dtype,
                        lambda: _near(e, op, a, b), lambda: _apart(e, op, a, b, one))


def _beyond(e: Emitter, x: Val) -> Val:
    """Return bits that are all 0 where a number may be divided as a float."""
    lanes, signed = e.lanes, x.dtype.kind == "i"
    if signed:
        x = lanes.add(x, lanes.const(1 << _BITS, x.dtype))
    return lanes.map(x.dtype, "lshr {t} {0}, {1}", x, lanes.const(_BITS + signed, x.dtype))


def _near(e: Emitter, op: str, a: Val, b: Val) -> Val:
    lanes, magic = e.lanes, e.lanes.const(_MAGIC, FLOAT64)
    over, under = _float(e, a), _float(e, b)
    quotient = lanes.call("llvm.floor", FLOAT64, lanes.map(
        FLOAT64, "fdiv {t} {0}, {1}", over, under))
    exact = op == "mod" and e.f.module.fuses
    if exact:
        minus = lanes.map(FLOAT64, "fneg {t} {0}", quotient)
        quotient = lanes.call("llvm.fma", FLOAT64, minus, under, over)
    moved = lanes.map(FLOAT64, "fadd {t} {0}, {1}", quotient, magic)
    found = lanes.map(a.dtype, "bitcast {t} {0} to {to}", moved)
    found = lanes.sub(found, lanes.const(_MAGIC_BITS, a.dtype))
    if op == "mod" and not exact:
        found = lanes.sub(a, lanes.mul(found, b))
    zero = lanes.const(0, a.dtype)
    return lanes.select(lanes.compare("eq", b, zero), zero, found)


def _float(e: Emitter, x: Val) -> Val:
    """Return an integer of at most 51 bits as a float."""
    lanes = e.lanes
    bits = lanes.add(x, lanes.const(_MAGIC_BITS, x.dtype))
    return lanes.map(FLOAT64, "fsub {t} {0}, {1}", lanes.map(
        FLOAT64, "bitcast {t} {0} to {to}", bits), lanes.const(_MAGIC, FLOAT64))


def _apart(e: Emitter, op: str, a: Val, b: Val, one: One) -> Val:
    """Divide lane by lane, by a function that all such divisions of a kernel share."""
    type = llvm_type(a.dtype, e.lanes.lanes)
    symbol = f"divide.{op}.{a.dtype.name}.{e.lanes.lanes}"
    if symbol not in e.f.module.results:
        e.f.module.results[symbol] = [a.dtype]
        _write(e, symbol, op, a.dtype, one)
    return Val(VECTOR, a.dtype, e.f.op(
        f"call fastcc {type} @{symbol}({type} {a.ref}, {type} {b.ref})"))


def _write(e: Emitter, symbol: str, op: str, dtype: DType, one: One) -> None:
    """Write the function: a loop over lanes, so that there is little to compile."""
    count = e.lanes.lanes
    scalar, vector = llvm_type(dtype), llvm_type(dtype, count)
    f = Function(e.f.module, symbol, f"{vector} %a, {vector} %b",
                 f"noinline cold optsize {vectors(e.widest)}", "internal fastcc")
    f.result = vector
    alone = replace(e, f=f, lanes=Lanes(f, 1))
    places = [f.alloca(vector) for _ in range(3)]
    for x, place in zip(("%a", "%b"), places, strict=False):
        f.store(vector, x, place)
    at = f.alloca("i64")
    f.store("i64", "0", at)
    turn, done = f.label("lane"), f.label("lanes")
    f.jump(turn)
    f.start(turn)
    lane = f.load("i64", at)
    over, under, found = (f.gep(scalar, place, lane) for place in places)
    f.store(scalar, one(alone, op, Val(UNIFORM, dtype, f.load(scalar, over)),
                        Val(UNIFORM, dtype, f.load(scalar, under))).ref, found)
    f.store("i64", f.op(f"add i64 {lane}, 1"), at)
    f.branch(f.op(f"icmp ult i64 {lane}, {count - 1}"), turn, done)
    f.start(done)
    f.finish(f.load(vector, places[2]))
