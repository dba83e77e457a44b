"""Group functions over values in memory: reductions, scans, broadcasts, shuffles.

Operands of all items are spilled to the frame and combined by one loop, in local linear order.
Non-goals: gathering the operands of a work-group (regions). Invariant: the loop sees exactly the
group's items (SYCL 2020 §4.17.3).
"""

from __future__ import annotations

import math

from unisycl.backends.cpu import emit_expr
from unisycl.backends.cpu.emitter import Emitter
from unisycl.backends.cpu.lanes import UNIFORM, VECTOR, Val
from unisycl.backends.cpu.lowerings import EXPAND
from unisycl.backends.cpu.text import llvm_type
from unisycl.base.dtypes import BOOL, INT64, DType
from unisycl.ir import nodes as n

_BINARY = {"plus": "add", "multiplies": "mul", "bit_and": "and", "bit_or": "or", "bit_xor": "xor"}


def combine(e: Emitter, name: str, a: Val, b: Val) -> Val:
    """Return two values joined by one of SYCL's function objects."""
    if name in _BINARY:
        return emit_expr.binary(e, _BINARY[name], a, b)
    if name in ("minimum", "maximum"):
        if a.dtype.kind == "b":
            return e.lanes.logic("and" if name == "minimum" else "or", a, b)
        return EXPAND[name[:3]](e.lanes, a, b)
    both = e.lanes.logic(name[8:], e.lanes.cast(a, BOOL), e.lanes.cast(b, BOOL))
    return e.lanes.cast(both, a.dtype)


def fold(e: Emitter, stmt: n.GroupCall, source: str, count: str, init: Val | None,
         target: str = "") -> Val:
    """Combine ``count`` spilled operands in order; scans also write each step to ``target``."""
    f = e.f
    dtype = stmt.args[0].type.dtype
    t = llvm_type(dtype)
    op = {"any": "logical_or", "none": "logical_or", "all": "logical_and"}.get(
        stmt.op, stmt.combine)
    total, at = f.alloca(t), f.alloca("i64")
    first = init
    if stmt.op in ("any", "none", "all"):
        first = e.lanes.const(stmt.op == "all", BOOL)
    elif stmt.op == "exclusive_scan" and init is None:
        first = identity(e, stmt.combine, dtype)
    if first is None:
        f.store(t, f.load(t, source), total)
        if target:
            f.store(t, f.load(t, source), target)
        f.store("i64", "1", at)
    else:
        f.store(t, first.ref, total)
        f.store("i64", "0", at)
    head, body, done = f.label("fold"), f.label("each"), f.label("folded")
    f.jump(head)
    f.start(head)
    k = f.load("i64", at)
    f.branch(f.op(f"icmp ult i64 {k}, {count}"), body, done)
    f.start(body)
    before = Val(UNIFORM, dtype, f.load(t, total))
    x = Val(UNIFORM, dtype, f.load(t, f.gep(t, source, k)))
    after = combine(e, op, before, x)
    f.store(t, after.ref, total)
    if target:
        step = before if stmt.op == "exclusive_scan" else after
        f.store(t, step.ref, f.gep(t, target, k))
    f.store("i64", f.op(f"add i64 {k}, 1"), at)
    f.jump(head)
    f.start(done)
    result = Val(UNIFORM, dtype, f.load(t, total))
    return e.lanes.invert(result) if stmt.op == "none" else result


def identity(e: Emitter, name: str, dtype: DType) -> Val:
    """Return the value that changes nothing when combined (SYCL 2020 §4.17.2.1)."""
    if name in ("minimum", "maximum"):
        return e.lanes.const(_limit(dtype, largest=name == "minimum"), dtype)
    value = {"multiplies": 1, "bit_and": -1, "logical_and": 1}.get(name, 0)
    if value == -1 and dtype.kind != "i":
        return e.lanes.const(_limit(dtype, largest=True), dtype)
    return e.lanes.const(bool(value) if dtype.kind == "b" else value, dtype)


def _limit(dtype: DType, *, largest: bool) -> bool | int | float:
    """Return the largest or smallest value of a type."""
    if dtype.is_float:
        return math.inf if largest else -math.inf
    if dtype.kind == "b":
        return largest
    if dtype.kind == "u":
        return (1 << dtype.bits) - 1 if largest else 0
    return (1 << (dtype.bits - 1)) - 1 if largest else -(1 << (dtype.bits - 1))


def spill(e: Emitter, value: Val, where: str) -> None:
    """Write one sub-group's operands side by side (bools as bytes of their own bit)."""
    vector = e.lanes.vector(value)
    w, t = e.lanes.lanes, llvm_type(value.dtype)
    if value.dtype.kind != "b":
        e.f.store(llvm_type(value.dtype, w), vector, where, value.dtype.size)
        return
    for k in range(w):
        one = e.f.op(f"extractelement <{w} x i1> {vector}, i64 {k}")
        e.f.store(t, one, e.f.gep(t, where, str(k)))


def row(e: Emitter, dtype: DType, where: str) -> str:
    """Read one sub-group's results that lie side by side, as ``fold`` wrote them."""
    w = e.lanes.lanes
    if dtype.kind != "b":
        return e.f.load(llvm_type(dtype, w), where, dtype.size)
    return e.f.op(f"trunc <{w} x i8> {e.f.load(f'<{w} x i8>', where, 1)} to <{w} x i1>")


def emit_sub_group(e: Emitter, stmt: n.GroupCall) -> None:
    """Emit a collective of a sub-group inside a region."""
    f, w = e.f, e.lanes.lanes
    values = [e.emit(e, x) for x in stmt.args]
    dtype = values[0].dtype
    t = llvm_type(dtype)
    source = f.alloca(f"[{w} x {t}]", 64)
    spill(e, values[0], source)
    blend = id(stmt) in e.shapes.blends
    if stmt.op in ("shift_left", "shift_right", "permute_xor", "select", "broadcast"):
        e.write(stmt.result, _moved(e, stmt, values, source), blend=blend)
        return
    size = e.queries("sub_group_local_range", 0)
    init = values[1] if len(values) > 1 else None
    scan = stmt.op.endswith("scan")
    target = f.alloca(f"[{w} x {t}]", 64) if scan else ""
    result = fold(e, stmt, source, size.ref, init, target)
    if scan:
        result = Val(VECTOR, dtype, row(e, dtype, target))
    e.write(stmt.result, result, blend=blend)


def _moved(e: Emitter, stmt: n.GroupCall, values: list[Val], source: str) -> Val:
    """Read every lane's partner; partners outside the sub-group give an unspecified value."""
    lanes, dtype = e.lanes, values[0].dtype
    lane = Val(VECTOR, INT64, lanes.iota(INT64))
    where = lanes.cast(values[1], INT64)
    partner = {"shift_left": lambda: lanes.add(lane, where),
               "shift_right": lambda: lanes.sub(lane, where),
               "permute_xor": lambda: lanes.logic("xor", lane, where),
               "select": lambda: where, "broadcast": lambda: where}[stmt.op]()
    partner = lanes.logic("and", partner, lanes.const(lanes.lanes - 1, INT64))
    t = llvm_type(dtype)
    if partner.form == UNIFORM:
        return Val(UNIFORM, dtype, e.f.load(t, e.f.gep(t, source, partner.ref)))
    result, w = "poison", lanes.lanes
    many, vector = lanes.vector(partner), llvm_type(dtype, w)
    for k in range(w):
        at = e.f.op(f"extractelement <{w} x i64> {many}, i64 {k}")
        one = e.f.load(t, e.f.gep(t, source, at))
        result = e.f.op(f"insertelement {vector} {result}, {t} {one}, i64 {k}")
    return Val(VECTOR, dtype, result)
