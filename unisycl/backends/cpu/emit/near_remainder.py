"""Remainders of numbers near their divisor: a neighbour's, in memory that goes round.

No processor divides vectors of integers: 64-bit lanes are divided one by one. Numbers such as
``x - 1`` and ``x + c`` mostly are within a divisor of where they belong, so that one addition does.
Non-goals: quotients, divisors of each lane. Invariant: the remainder is Python's either way.
"""

from __future__ import annotations

from collections.abc import Callable

from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import UNIFORM, VECTOR, Val, as_int
from unisycl.backends.cpu.emit.text import llvm_type
from unisycl.ir import nodes as n


def serves(x: n.Binary, a: Val, b: Val) -> bool:
    """Say whether a remainder is one of a sum in each lane, by what all of them share."""
    inner = x.a
    while isinstance(inner, n.Cast | n.Narrow):
        inner = inner.x
    return x.op == "mod" and a.dtype.kind == "i" and a.dtype.bits in (32, 64) \
        and a.form != UNIFORM and b.form == UNIFORM and as_int(b) is None \
        and isinstance(inner, n.Binary) and inner.op in ("add", "sub")


def emit(e: Emitter, a: Val, b: Val, far: Callable[[], Val]) -> Val:
    """Emit a remainder; ``far`` divides."""
    f, lanes, dtype = e.f, e.lanes, a.dtype
    type, home = llvm_type(dtype, lanes.lanes), f.alloca(llvm_type(dtype, lanes.lanes))
    near, divide, done = f.label("near"), f.label("divide"), f.label("rest")
    f.branch(_is_near(e, a, b), near, divide)
    f.start(near)
    below = lanes.compare("slt", a, lanes.const(0, dtype))
    above = lanes.compare("sge", a, b)
    moved = lanes.select(below, lanes.add(a, b), lanes.select(above, lanes.sub(a, b), a))
    f.store(type, lanes.vector(moved), home)
    f.jump(done)
    f.start(divide)
    f.store(type, lanes.vector(far()), home)
    f.jump(done)
    f.start(done)
    return Val(VECTOR, dtype, f.load(type, home))


def _is_near(e: Emitter, a: Val, b: Val) -> str:
    """Return whether all lanes that are on lie from -b to below 2 * b, and b is above 0.

    It is small enough for 3 * b not to wrap, nor any sum that wraps to be below that.
    """
    f, lanes, dtype = e.f, e.lanes, a.dtype
    t = llvm_type(dtype)
    some = f.op(f"icmp ult {t} {f.op(f'sub {t} {b.ref}, 1')}, {1 << (dtype.bits - 3)}")
    moved = lanes.add(Val(VECTOR, dtype, lanes.vector(a)), b)
    width = Val(UNIFORM, dtype, f.op(f"mul {t} {b.ref}, 3"))
    inside = lanes.vector(lanes.compare("ult", moved, width))
    if e.mask is not None:
        off = f.op(f"xor {e.mask_type} {e.mask}, splat (i1 true)")
        inside = f.op(f"or {e.mask_type} {inside}, {off}")
    return f.op(f"and i1 {some}, {f.op(f'icmp eq {e.mask_bits} {e.bits(inside)}, -1')}")
