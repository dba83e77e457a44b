"""Atomics of all lanes on one element: the lanes are combined first, then one operation is done.

The result is that of the active lanes acting one right after another, lowest first. Floats are
combined in exactly that order, so that rounding is the same. Non-goals: lanes with addresses of
their own. Invariant: nothing is touched where no lane is on.
"""

from __future__ import annotations

from unisycl.backends.cpu.emit import atomic_operation as operation
from unisycl.backends.cpu.emit import memory
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import VECTOR, Val
from unisycl.backends.cpu.emit.memory import Address
from unisycl.backends.cpu.emit.sequences import EXPAND
from unisycl.backends.cpu.emit.text import constant, llvm_type
from unisycl.base.dtypes import DType
from unisycl.ir import nodes as n

OPERATIONS = frozenset(("add", "sub", "and", "or", "xor", "min", "max"))


def emit(e: Emitter, stmt: n.Atomic, at: Address, value: Val, *, wanted: bool) -> str:
    """Emit a read-modify-write of one element; return the lanes' old values if ``wanted``."""
    f, dtype, w = e.f, stmt.place.type.dtype, e.lanes.lanes
    t = llvm_type(dtype, w)
    vector = _active(e, stmt.op, e.lanes.vector(value), dtype)
    old = f.alloca(t) if wanted and e.maybe_empty else ""
    some, none = f.label("some"), f.label("none")
    guarded = e.mask is not None and e.maybe_empty
    if guarded:
        if old:
            f.store(t, "zeroinitializer", old)
        f.branch(e.any(e.full()), some, none)
        f.start(some)
    pointer = memory.scalar_pointer(e, at, at.index.ref)
    found = (_floats if dtype.is_float else _integers)(e, stmt, pointer, vector, wanted=wanted)
    if guarded:
        if old:
            f.store(t, found, old)
        f.jump(none)
        f.start(none)
        if old:
            return f.load(t, old)
    return found


def _active(e: Emitter, op: str, vector: str, dtype: DType) -> str:
    """Give lanes that are off an operand that changes nothing."""
    if e.mask is None:
        return vector
    t = llvm_type(dtype, e.lanes.lanes)
    return e.f.op(f"select {e.mask_type} {e.mask}, {t} {vector}, {t} "
                  f"{e.lanes.splat(_neutral(op, dtype), dtype)}")


def _neutral(op: str, dtype: DType) -> str:
    if dtype.is_float:
        return constant({"add": -0.0, "sub": 0.0}.get(op, float("nan")), dtype)
    low, high = (-1 << (dtype.bits - 1), (1 << (dtype.bits - 1)) - 1) if dtype.kind == "i" \
        else (0, (1 << dtype.bits) - 1)
    return constant({"and": -1, "min": high, "max": low}.get(op, 0), dtype)


# ---- integers
def _integers(e: Emitter, stmt: n.Atomic, pointer: str, vector: str, *, wanted: bool) -> str:
    """Reduce the lanes, do one operation; each lane's old value follows from those below it."""
    f, dtype, w = e.f, stmt.place.type.dtype, e.lanes.lanes
    join = "add" if stmt.op == "sub" else stmt.op
    name = ("s" if dtype.kind == "i" else "u") + join if join in ("min", "max") else join
    scalar, t = llvm_type(dtype), llvm_type(dtype, w)
    full = f"llvm.vector.reduce.{name}.v{w}i{dtype.bits}"
    f.module.declare(full, f"{scalar} @({t})")
    total = f.op(f"call {scalar} @{full}({t} {vector})")
    old = operation.one(e, stmt, pointer, [total])
    if not wanted:
        return ""
    before = _below(e, join, Val(VECTOR, dtype, vector))
    return _join(e, stmt.op, Val(VECTOR, dtype, e.lanes.splat(old, dtype)), before).ref


def _below(e: Emitter, op: str, value: Val) -> Val:
    """Return for each lane the operands of all lanes below it, combined."""
    w, t = e.lanes.lanes, llvm_type(value.dtype, e.lanes.lanes)
    rest = e.lanes.splat(_neutral(op, value.dtype), value.dtype)

    def up(x: Val, by: int) -> Val:
        which = ", ".join(f"i32 {k - by if k >= by else w}" for k in range(w))
        return Val(VECTOR, x.dtype, e.f.op(
            f"shufflevector {t} {x.ref}, {t} {rest}, <{w} x i32> <{which}>"))
    found, by = up(value, 1), 1
    while by < w - 1:
        found = _join(e, op, found, up(found, by))
        by *= 2
    return found


def _join(e: Emitter, op: str, a: Val, b: Val) -> Val:
    if op in ("min", "max"):
        return EXPAND[op](e.lanes, a, b)
    return e.lanes.map(a.dtype, op + " {t} {0}, {1}", a, b)


# ---- floats
def _floats(e: Emitter, stmt: n.Atomic, pointer: str, vector: str, *, wanted: bool) -> str:
    """Let the lanes act in turn on a copy, and put it back if nothing came between."""
    f, dtype, w = e.f, stmt.place.type.dtype, e.lanes.lanes
    scalar, t = llvm_type(dtype), llvm_type(dtype, w)
    lanes = [f.op(f"extractelement {t} {vector}, i64 {k}") for k in range(w)]
    seen: list[str] = []

    def update(old: str) -> str:
        for lane in lanes:
            seen.append(old)
            old = operation.updated(e, stmt.op, dtype, old, [lane])
        return old
    operation.change(e, stmt, pointer, update)
    if not wanted:
        return ""
    result = "poison"
    for k, old in enumerate(seen):
        result = f.op(f"insertelement {t} {result}, {scalar} {old}, i64 {k}")
    return result
