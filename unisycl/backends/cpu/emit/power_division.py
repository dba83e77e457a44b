"""Quotients and remainders by a power of two that only a launch knows: shifts and masks.

All lanes divide by the same number, so one comparison of scalars tells, and vectors of numbers need
neither conversions to floats nor products. Non-goals: constants, which ``expressions`` knows;
numbers of up to 16 bits. Invariant: what Python rounds down is what a shift leaves, of numbers
below 0, too, and both ways give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable

from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import UNIFORM, VECTOR, Val, as_int
from unisycl.backends.cpu.emit.text import llvm_type


def serves(e: Emitter, a: Val, b: Val) -> bool:
    """Say whether a division is one of many vectors by what all lanes share."""
    return e.lanes.lanes > 1 and not e.seldom and a.form != UNIFORM and b.form == UNIFORM \
        and as_int(b) is None and a.dtype.bits in (32, 64)


def emit(e: Emitter, op: str, a: Val, b: Val, other: Callable[[], Val]) -> Val:
    """Emit a quotient (``floordiv``) or remainder (``mod``); ``other`` divides by any number."""
    f, lanes, dtype = e.f, e.lanes, a.dtype
    type, home = llvm_type(dtype, lanes.lanes), f.alloca(llvm_type(dtype, lanes.lanes))
    power, divide, done = f.label("power"), f.label("any"), f.label("divided")
    f.branch(_is_power(e, b), power, divide)
    f.start(power)
    f.store(type, lanes.vector(_by_bits(e, op, a, b)), home)
    f.jump(done)
    f.start(divide)
    f.store(type, lanes.vector(other()), home)
    f.jump(done)
    f.start(done)
    return Val(VECTOR, dtype, f.load(type, home))


def _is_power(e: Emitter, b: Val) -> str:
    """Return whether one bit of a number is set, which is not that of its sign."""
    f, t = e.f, llvm_type(b.dtype)
    below = f.op(f"sub {t} {b.ref}, 1")
    none = f.op(f"icmp eq {t} {f.op(f'and {t} {b.ref}, {below}')}, 0")
    some = f.op(f"icmp {'sgt' if b.dtype.kind == 'i' else 'ne'} {t} {b.ref}, 0")
    return f.op(f"and i1 {none}, {some}")


def _by_bits(e: Emitter, op: str, a: Val, b: Val) -> Val:
    f, lanes, dtype = e.f, e.lanes, a.dtype
    t = llvm_type(dtype)
    if op == "mod":
        below = Val(UNIFORM, dtype, f.op(f"sub {t} {b.ref}, 1"))
        return lanes.logic("and", a, below)
    f.module.declare(f"llvm.cttz.{t}", f"{t} @({t}, i1)")
    count = Val(UNIFORM, dtype, f.op(f"call {t} @llvm.cttz.{t}({t} {b.ref}, i1 true)"))
    return lanes.map(dtype, ("ashr" if dtype.kind == "i" else "lshr") + " {t} {0}, {1}", a, count)
