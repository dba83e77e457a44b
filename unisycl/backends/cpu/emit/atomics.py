"""Atomics and fences (SYCL 2020 §4.15): which lanes act, on which elements.

Lanes that are on take turns; lanes that share one address are combined first. Memory that only one
work-group can change meanwhile belongs to one thread here, so its atomics are plain loads and
stores. Non-goals: typing. Invariant: each active lane's operation happens exactly once.
"""

from __future__ import annotations

from unisycl.backends.cpu.emit import combined_atomics, memory
from unisycl.backends.cpu.emit.atomic_operation import ORDER, is_local, one
from unisycl.backends.cpu.emit.emitter import Emitter, Own
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, VECTOR, Val
from unisycl.backends.cpu.emit.memory import Address
from unisycl.backends.cpu.emit.text import llvm_type
from unisycl.base.dataclass import replace
from unisycl.base.dtypes import INT64, UINT32
from unisycl.base.enums import memory_order, memory_scope
from unisycl.ir import nodes as n


def fence(e: Emitter, stmt: n.Fence) -> None:
    """Emit an atomic_fence."""
    if stmt.order is memory_order.relaxed:
        return
    own = memory_scope.sub_group if e.kernel.apart else memory_scope.work_group
    scope = ' syncscope("singlethread")' if stmt.scope <= own else ""
    e.f.do(f"fence{scope} {ORDER[stmt.order]}")


def emit(e: Emitter, stmt: n.Atomic) -> None:
    """Emit an atomic operation."""
    at = memory.address(e, stmt.place)
    operands = [e.emit(e, x) for x in stmt.operands]
    own = e.own.get(stmt.place.base) if isinstance(stmt.place.base, n.Param) else None
    if own is None:
        _act(e, stmt, at, operands)
        return
    f, maybe_empty = e.f, e.maybe_empty
    mine, shared, done = f.label("own"), f.label("shared"), f.label("added")
    f.branch(_within(e, own, at), mine, shared)
    f.start(mine)
    alone = replace(stmt, scope=memory_scope.work_group)
    _act(e, alone, replace(at, base=own.base), operands, few=True)
    f.jump(done)
    f.start(shared)
    e.maybe_empty = maybe_empty
    _act(e, stmt, at, operands)
    f.jump(done)
    f.start(done)


def _within(e: Emitter, own: Own, at: Address) -> str:
    """Return whether all lanes that are on add to elements that the call has sums for."""
    f, w = e.f, e.lanes.lanes
    if at.index.form == UNIFORM:
        return f.op(f"icmp ult i64 {at.index.ref}, {own.limit}")
    limit = e.lanes.vector(Val(UNIFORM, INT64, own.limit))
    fits = f.op(f"icmp ult <{w} x i64> {e.lanes.vector(at.index)}, {limit}")
    if e.mask is not None:
        off = f.op(f"xor {e.mask_type} {e.mask}, splat (i1 true)")
        fits = f.op(f"or {e.mask_type} {fits}, {off}")
    return f.op(f"icmp eq {e.mask_bits} {e.bits(fits)}, -1")


def _act(e: Emitter, stmt: n.Atomic, at: Address, operands: list[Val], *,
         few: bool = False) -> None:
    """Emit an operation of the lanes that are on; ``few``: the memory is small."""
    wanted = stmt.result in e.read_locals
    alike = at.index.form == UNIFORM
    same = alike and all(o.form == UNIFORM for o in operands)
    once = e.in_group or (stmt.op in ("load", "store") and not e.maybe_empty)
    if same and once:
        pointer = memory.scalar_pointer(e, at, at.index.ref)
        _keep(e, stmt, UNIFORM, one(e, stmt, pointer, [o.ref for o in operands]))
    elif alike and stmt.op in combined_atomics.OPERATIONS and e.lanes.lanes > 1:
        _keep(e, stmt, VECTOR, combined_atomics.emit(e, stmt, at, operands[0], wanted=wanted))
    elif e.mask is None:
        _every_lane(e, stmt, at, operands, wanted=wanted, few=few or is_local(stmt.place))
    else:
        _in_turn(e, stmt, at, operands, wanted=wanted)


def _keep(e: Emitter, stmt: n.Atomic, form: int, old: str) -> None:
    """Give the statement's result to its local."""
    if stmt.result is not None and old:
        value = Val(form, stmt.place.type.dtype, old)
        e.write(stmt.result, value, blend=id(stmt) in e.shapes.blends)


def _every_lane(e: Emitter, stmt: n.Atomic, at: Address, operands: list[Val], *,
                wanted: bool, few: bool) -> None:
    """Let all lanes act one after another, in straight code; ``few``: there are below 2**31."""
    dtype, w = stmt.place.type.dtype, e.lanes.lanes
    vector = llvm_type(dtype, w)
    result = "poison"
    index = at.index
    if index.form == VECTOR and few:
        index = Val(VECTOR, UINT32, e.f.op(f"trunc <{w} x i64> {index.ref} to <{w} x i32>"))
    places, parts = _each(e, index), [_each(e, o) for o in operands]
    for k in range(w):
        place = places[k]
        if index.dtype is UINT32:
            place = e.f.op(f"zext i32 {place} to i64")
        pointer = memory.scalar_pointer(e, at, place)
        old = one(e, stmt, pointer, [p[k] for p in parts])
        if wanted and old:
            result = e.f.op(f"insertelement {vector} {result}, {llvm_type(dtype)} {old}, i64 {k}")
    if wanted:
        _keep(e, stmt, VECTOR, result)


def _each(e: Emitter, value: Val) -> list[str]:
    """Return every lane of a value.

    Vectors go through memory, integers of 32 bits two to a load: extracting costs more. The store
    is volatile lest LLVM turns it back into extracting.
    """
    f, w, t = e.f, e.lanes.lanes, llvm_type(value.dtype)
    if value.form == UNIFORM:
        return [value.ref] * w
    if value.form == LINEAR:
        return [f.op(f"add {t} {value.ref}, {k * value.stride}") for k in range(w)]
    where = f.alloca(llvm_type(value.dtype, w), 64)
    f.do(f"store volatile {llvm_type(value.dtype, w)} {value.ref}, ptr {where}, align 64")
    if value.dtype.is_float or value.dtype.bits != 32 or w < 2:
        return [f.load(t, f.gep(t, where, str(k))) for k in range(w)]
    out = []
    for k in range(0, w, 2):
        pair = f.load("i64", f.gep(t, where, str(k)), 8)
        out += [f.op(f"trunc i64 {x} to i32") for x in (pair, f.op(f"lshr i64 {pair}, 32"))]
    return out


def _in_turn(e: Emitter, stmt: n.Atomic, at: Address, operands: list[Val], *,
             wanted: bool) -> None:
    """Let the active lanes act one after another, lowest first."""
    f, w = e.f, e.lanes.lanes
    index = _spill(e, Val(VECTOR, INT64, e.lanes.vector(at.index)))
    spilled = [_spill(e, o) for o in operands]
    dtype = stmt.place.type.dtype
    results = f.alloca(llvm_type(dtype, w)) if wanted else ""
    left = f.alloca(e.mask_bits)
    f.store(e.mask_bits, e.bits(e.full()) if e.mask is not None else "-1", left)
    head, body, done = f.label("turn"), f.label("act"), f.label("done")
    f.jump(head)
    f.start(head)
    bits = f.load(e.mask_bits, left)
    f.branch(f.op(f"icmp ne {e.mask_bits} {bits}, 0"), body, done)
    f.start(body)
    lane = e.lowest(bits)
    less = f.op(f"sub {e.mask_bits} {bits}, 1")
    f.store(e.mask_bits, f.op(f"and {e.mask_bits} {bits}, {less}"), left)
    place = f.load("i64", f.gep("i64", index, lane))
    parts = [f.load(llvm_type(o.dtype), f.gep(llvm_type(o.dtype), s, lane))
             for o, s in zip(operands, spilled, strict=True)]
    old = one(e, stmt, memory.scalar_pointer(e, at, place), parts)
    if results and old:
        f.store(llvm_type(dtype), old, f.gep(llvm_type(dtype), results, lane))
    f.jump(head)
    f.start(done)
    if wanted:
        _keep(e, stmt, VECTOR, f.load(llvm_type(dtype, w), results))


def _spill(e: Emitter, value: Val) -> str:
    t = llvm_type(value.dtype, e.lanes.lanes)
    where = e.f.alloca(t)
    e.f.store(t, e.lanes.vector(value), where)
    return where
