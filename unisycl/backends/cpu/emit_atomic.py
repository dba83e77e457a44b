"""Atomics and fences (SYCL 2020 §4.15).

Lanes that are on take turns; lanes that share one address and do not look at the old value are
reduced first. Local memory belongs to one thread here, so its atomics are plain loads and stores.
Non-goals: typing. Invariant: each active lane's operation happens exactly once.
"""

from __future__ import annotations

from unisycl.backends.cpu import emit_memory
from unisycl.backends.cpu.emit_memory import Address
from unisycl.backends.cpu.emitter import Emitter
from unisycl.backends.cpu.lanes import LINEAR, UNIFORM, VECTOR, Val
from unisycl.backends.cpu.text import llvm_type
from unisycl.base.dtypes import INT64, DType
from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.ir import nodes as n
from unisycl.ir.types import View

_ORDER = {memory_order.relaxed: "monotonic", memory_order.acquire: "acquire",
          memory_order.release: "release", memory_order.acq_rel: "acq_rel",
          memory_order.seq_cst: "seq_cst"}
_REDUCE = {"add": "add", "and": "and", "or": "or", "xor": "xor"}


def fence(e: Emitter, stmt: n.Fence) -> None:
    """Emit an atomic_fence."""
    if stmt.order is memory_order.relaxed:
        return
    scope = ' syncscope("singlethread")' if stmt.scope <= memory_scope.work_group else ""
    e.f.do(f"fence{scope} {_ORDER[stmt.order]}")


def emit(e: Emitter, stmt: n.Atomic) -> None:
    """Emit an atomic operation."""
    at = emit_memory.address(e, stmt.place)
    operands = [e.emit(e, x) for x in stmt.operands]
    uniform = at.index.form == UNIFORM and all(o.form == UNIFORM for o in operands)
    once = e.in_group or (stmt.op in ("load", "store") and not e.maybe_empty)
    if uniform and once:
        old = _one(e, stmt, at, at.index.ref, [o.ref for o in operands])
        if stmt.result is not None and old:
            value = Val(UNIFORM, stmt.place.type.dtype, old)
            e.write(stmt.result, value, blend=id(stmt) in e.shapes.blends)
        return
    if at.index.form == UNIFORM and stmt.op in _REDUCE and not _is_read(e, stmt) \
            and not stmt.place.type.dtype.is_float:
        _reduced(e, stmt, at, operands[0])
        return
    if e.mask is None:
        _every_lane(e, stmt, at, operands)
    else:
        _in_turn(e, stmt, at, operands)


def _every_lane(e: Emitter, stmt: n.Atomic, at: Address, operands: list[Val]) -> None:
    """Let all lanes act one after another, in straight code."""
    dtype, w = stmt.place.type.dtype, e.lanes.lanes
    vector = llvm_type(dtype, w)
    wanted = stmt.result is not None and _is_read(e, stmt)
    result = "poison"
    for k in range(w):
        place = _lane(e, at.index, k)
        old = _one(e, stmt, at, place, [_lane(e, o, k) for o in operands])
        if wanted and old:
            result = e.f.op(f"insertelement {vector} {result}, {llvm_type(dtype)} {old}, i64 {k}")
    if wanted and stmt.result is not None:
        e.write(stmt.result, Val(VECTOR, dtype, result), blend=id(stmt) in e.shapes.blends)


def _lane(e: Emitter, value: Val, k: int) -> str:
    """Return one lane of a value."""
    if value.form == UNIFORM:
        return value.ref
    if value.form == LINEAR:
        return e.f.op(f"add {llvm_type(value.dtype)} {value.ref}, {k * value.stride}")
    return e.f.op(f"extractelement {llvm_type(value.dtype, e.lanes.lanes)} {value.ref}, i64 {k}")


def _is_read(e: Emitter, stmt: n.Atomic) -> bool:
    return stmt.result in e.read_locals


def _reduced(e: Emitter, stmt: n.Atomic, at: Address, value: Val) -> None:
    """Combine the lanes' operands, then do one operation."""
    dtype, lanes = value.dtype, e.lanes
    vector = lanes.vector(value)
    t = llvm_type(dtype, lanes.lanes)
    if e.mask is not None:
        neutral = lanes.splat("-1" if stmt.op == "and" else "0", dtype)
        vector = e.f.op(f"select {e.mask_type} {e.mask}, {t} {vector}, {t} {neutral}")
    name = f"llvm.vector.reduce.{_REDUCE[stmt.op]}.v{lanes.lanes}i{dtype.bits}"
    scalar = llvm_type(dtype)
    e.f.module.declare(name, f"{scalar} @({t})")
    total = e.f.op(f"call {scalar} @{name}({t} {vector})")
    if e.mask is None or not e.maybe_empty:
        _one(e, stmt, at, at.index.ref, [total])
        return
    some, done = e.f.label("some"), e.f.label("none")
    e.f.branch(e.any(e.mask), some, done)
    e.f.start(some)
    _one(e, stmt, at, at.index.ref, [total])
    e.f.jump(done)
    e.f.start(done)


def _in_turn(e: Emitter, stmt: n.Atomic, at: Address, operands: list[Val]) -> None:
    """Let the active lanes act one after another, lowest first."""
    f, w = e.f, e.lanes.lanes
    index = _spill(e, Val(VECTOR, INT64, e.lanes.vector(at.index)))
    spilled = [_spill(e, o) for o in operands]
    dtype = stmt.place.type.dtype
    wanted = stmt.result is not None and _is_read(e, stmt)
    results = f.alloca(llvm_type(dtype, w)) if wanted else ""
    left = f.alloca(e.mask_bits)
    f.store(e.mask_bits, e.bits(e.full()) if e.mask is not None else "-1", left)
    head, body, done = f.label("turn"), f.label("act"), f.label("done")
    f.jump(head)
    f.start(head)
    bits = f.load(e.mask_bits, left)
    f.branch(f.op(f"icmp ne {e.mask_bits} {bits}, 0"), body, done)
    f.start(body)
    lane = _lowest(e, bits)
    less = f.op(f"sub {e.mask_bits} {bits}, 1")
    f.store(e.mask_bits, f.op(f"and {e.mask_bits} {bits}, {less}"), left)
    place = f.load("i64", f.gep("i64", index, lane))
    parts = [f.load(llvm_type(o.dtype), f.gep(llvm_type(o.dtype), s, lane))
             for o, s in zip(operands, spilled, strict=True)]
    old = _one(e, stmt, at, place, parts)
    if results and old:
        f.store(llvm_type(dtype), old, f.gep(llvm_type(dtype), results, lane))
    f.jump(head)
    f.start(done)
    if wanted and stmt.result is not None:
        value = Val(VECTOR, dtype, f.load(llvm_type(dtype, w), results))
        e.write(stmt.result, value, blend=id(stmt) in e.shapes.blends)


def _spill(e: Emitter, value: Val) -> str:
    t = llvm_type(value.dtype, e.lanes.lanes)
    where = e.f.alloca(t)
    e.f.store(t, e.lanes.vector(value), where)
    return where


def _lowest(e: Emitter, bits: str) -> str:
    """Return the number of the lowest lane that is set, as an index."""
    b = e.mask_bits
    e.f.module.declare(f"llvm.cttz.{b}", f"{b} @({b}, i1)")
    lane = e.f.op(f"call {b} @llvm.cttz.{b}({b} {bits}, i1 true)")
    return e.f.op(f"zext {b} {lane} to i64") if e.lanes.lanes < 64 else lane


def _one(e: Emitter, stmt: n.Atomic, at: Address, index: str, operands: list[str]) -> str:
    """Emit one scalar operation and return the old value ('' for a store)."""
    dtype = stmt.place.type.dtype
    pointer = emit_memory.scalar_pointer(e, at, index)
    base = stmt.place.base
    local = isinstance(base.type, View) and base.type.space is address_space.local_space
    if local:
        return _plain(e, stmt.op, pointer, dtype, operands)
    t, order = llvm_type(dtype), _ORDER[stmt.order]
    tail = f"{order}, align {dtype.size}"
    if stmt.op == "load":
        return e.f.op(f"load atomic {t}, ptr {pointer} {tail}")
    if stmt.op == "store":
        e.f.do(f"store atomic {t} {operands[0]}, ptr {pointer} {tail}")
        return ""
    if stmt.op == "compare_exchange":
        failure = {"acq_rel": "acquire", "release": "monotonic"}.get(order, order)
        return _exchanged(e, pointer, dtype, operands, f"{order} {failure}, align {dtype.size}")
    word = {"exchange": "xchg", "min": "fmin" if dtype.is_float else
            "min" if dtype.kind == "i" else "umin", "max": "fmax" if dtype.is_float else
            "max" if dtype.kind == "i" else "umax"}.get(stmt.op, stmt.op)
    if dtype.is_float and stmt.op in ("add", "sub"):
        word = "f" + stmt.op
    return e.f.op(f"atomicrmw {word} ptr {pointer}, {t} {operands[0]} {tail}")


def _exchanged(e: Emitter, pointer: str, dtype: DType, operands: list[str], tail: str) -> str:
    t = llvm_type(dtype)
    whole = f"i{dtype.bits}"
    if dtype.is_float:
        operands = [e.f.op(f"bitcast {t} {o} to {whole}") for o in operands]
    pair = e.f.op(f"cmpxchg ptr {pointer}, {whole} {operands[0]}, {whole} {operands[1]} {tail}")
    old = e.f.op(f"extractvalue {{ {whole}, i1 }} {pair}, 0")
    return e.f.op(f"bitcast {whole} {old} to {t}") if dtype.is_float else old


def _plain(e: Emitter, op: str, pointer: str, dtype: DType, operands: list[str]) -> str:
    """Do the operation on memory that only this thread sees."""
    t = llvm_type(dtype)
    if op == "store":
        e.f.store(t, operands[0], pointer, dtype.size)
        return ""
    old = e.f.load(t, pointer, dtype.size)
    if op == "load":
        return old
    if op == "exchange":
        new = operands[0]
    elif op == "compare_exchange":
        word = "fcmp oeq" if dtype.is_float else "icmp eq"
        same = e.f.op(f"{word} {t} {old}, {operands[0]}")
        new = e.f.op(f"select i1 {same}, {t} {operands[1]}, {t} {old}")
    elif op in ("min", "max"):
        word = "olt" if dtype.is_float else "slt" if dtype.kind == "i" else "ult"
        kind = "fcmp" if dtype.is_float else "icmp"
        a, b = (operands[0], old) if op == "min" else (old, operands[0])
        new = e.f.op(f"select i1 {e.f.op(f'{kind} {word} {t} {a}, {b}')}, {t} {operands[0]}, "
                     f"{t} {old}")
    else:
        word = "f" + op if dtype.is_float else op
        new = e.f.op(f"{word} {t} {old}, {operands[0]}")
    e.f.store(t, new, pointer, dtype.size)
    return old
