"""Group functions inside a sub-group, whose items are the lanes of one vector.

Reductions halve the vector until one lane is left, scans double the reach of each lane, both in
registers; lanes that are off count as the operator's neutral value. Non-goals: work-groups
(group_calls). Invariant: the order of combination depends on the number of lanes only, so a launch
repeated gives the same bits (SYCL 2020 §4.17.4).
"""

from __future__ import annotations

from unisycl.backends.cpu.emit import shuffles
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, VECTOR, Lanes, Val, as_int
from unisycl.backends.cpu.emit.text import llvm_type
from unisycl.base.dtypes import BOOL, INT32, UINT64
from unisycl.ir import nodes as n
from unisycl.ir import operators

VOTES = ("any", "all", "none")
_BOOLEAN = {"plus": "or", "multiplies": "and", "minimum": "and", "maximum": "or"}


def combine(lanes: Lanes, name: str, a: Val, b: Val) -> Val:
    """Return two values joined by one of SYCL's function objects; ``a`` is the earlier one."""
    dtype = a.dtype
    if dtype.kind == "b":
        return lanes.logic(_BOOLEAN.get(name) or name.partition("_")[2], a, b)
    if name in ("minimum", "maximum"):
        word = {"f": "o", "i": "s", "u": "u"}[dtype.kind] + ("lt" if name == "minimum" else "gt")
        return lanes.select(lanes.compare(word, a, b), a, b)
    if name.startswith("logical"):
        both = lanes.logic(name[8:], lanes.cast(a, BOOL), lanes.cast(b, BOOL))
        return lanes.cast(both, dtype)
    if name == "plus":
        return lanes.add(a, b)
    return lanes.mul(a, b) if name == "multiplies" else lanes.logic(name[4:], a, b)


def neutral(e: Emitter, name: str, v: Val) -> Val:
    """Return the value that changes nothing when combined with others of a type."""
    return e.lanes.const(operators.neutral(name, v.dtype), v.dtype)


def present(e: Emitter, name: str, v: Val) -> Val:
    """Return operands as a vector, made neutral where lanes are off.

    Those of logical operators count as their truth.
    """
    if name.startswith("logical"):
        v = e.lanes.cast(e.lanes.cast(v, BOOL), v.dtype)
    vector = Val(VECTOR, v.dtype, e.lanes.vector(v))
    if e.mask is None:
        return vector
    return e.lanes.select(Val(VECTOR, BOOL, e.mask), vector, neutral(e, name, v))


def fold(e: Emitter, name: str, v: Val) -> Val:
    """Return all lanes of a vector combined, as a scalar: upper half with lower half, and again."""
    size = e.lanes.lanes
    while size > 1:
        lanes, size = Lanes(e.f, size), size // 2
        low, high = shuffles.part(lanes, v, 0, size), shuffles.part(lanes, v, size, size)
        v = combine(Lanes(e.f, size), name, low, high)
    return shuffles.one(Lanes(e.f, 1), v, "0")


_SEGMENT = 16
"""Bytes within which a vector's elements move in one cheap instruction."""


def running(e: Emitter, name: str, v: Val) -> Val:
    """Return each lane combined with all lanes before it.

    In segments each lane's reach is doubled; then what a segment, and two, four ... of them
    combine to is handed on to as many behind them.
    """
    lanes, w = e.lanes, e.lanes.lanes
    segment = max(_SEGMENT * 8 // v.dtype.bits, 1)
    zero = not v.dtype.is_float and operators.identity(name, v.dtype) == 0
    reach = 1
    while reach < w:
        inside = reach < segment
        on = [k % segment >= reach if inside else k // reach % 2 == 1 for k in range(w)]
        giver = [k - reach if inside else k // reach * reach - 1 for k in range(w)]
        numbers = [g if here else w if zero else k
                   for k, (here, g) in enumerate(zip(on, giver, strict=True))]
        before = shuffles.pattern(lanes, v, numbers, "zeroinitializer" if zero else "poison")
        found = combine(lanes, name, before, v)
        if not zero:
            bits = ", ".join(f"i1 {str(here).lower()}" for here in on)
            found = lanes.select(Val(VECTOR, BOOL, f"<{bits}>"), found, v)
        v = found
        reach *= 2
    return v


def behind(e: Emitter, v: Val, first: Val) -> Val:
    """Return every lane's predecessor; lane 0 gets ``first``."""
    w = e.lanes.lanes
    other = e.lanes.splat(first.ref, first.dtype)
    return shuffles.pattern(e.lanes, v, [w, *range(w - 1)], other)


def vote(e: Emitter, op: str, v: Val) -> str:
    """Return an i1: whether some lane decides the vote (a true one, for ``all`` a false one)."""
    if op == "all":
        v = e.lanes.invert(v)
    return e.any(e.and_mask(e.lanes.vector(v)))


def ballot(e: Emitter, v: Val) -> Val:
    """Return the lanes for which a condition holds as an integer, lane 0 lowest."""
    bits = e.bits(e.and_mask(e.lanes.vector(v)))
    ref = bits if e.mask_bits == "i64" else e.f.op(f"zext {e.mask_bits} {bits} to i64")
    return Val(UNIFORM, UINT64, ref)


def match(e: Emitter, v: Val) -> Val:
    """Return, in each lane, the lanes that hold the same integer, lane 0 lowest."""
    lanes, w = e.lanes, e.lanes.lanes
    if v.form == UNIFORM:
        return ballot(e, lanes.const(True, BOOL))
    whole = Val(VECTOR, v.dtype, lanes.vector(v))
    found, t = "poison", llvm_type(UINT64, w)
    for lane in range(w):
        same = ballot(e, lanes.compare("eq", whole, shuffles.one(lanes, whole, str(lane))))
        found = e.f.op(f"insertelement {t} {found}, i64 {same.ref}, i64 {lane}")
    return Val(VECTOR, UINT64, found)


def verdict(e: Emitter, op: str, decided: str) -> Val:
    """Return the result of a vote."""
    found = Val(UNIFORM, BOOL, decided)
    return found if op == "any" else e.lanes.invert(found)


def emit_sub_group(e: Emitter, stmt: n.GroupCall) -> None:
    """Emit a collective of a sub-group inside a region."""
    values = [e.emit(e, x) for x in stmt.args]
    x = values[0]
    if stmt.op in VOTES:
        result = verdict(e, stmt.op, vote(e, stmt.op, x))
    elif stmt.op in ("reduce", "inclusive_scan", "exclusive_scan"):
        result = _combined(e, stmt, x, shared(e, values[1]) if len(values) > 1 else None)
    elif stmt.op == "ballot":
        result = ballot(e, x)
    elif stmt.op == "match":
        result = match(e, x)
    elif stmt.op == "broadcast":
        result = shuffles.select(e, x, shared(e, values[1]))
    else:
        result = _moved(e, stmt.op, x, values[1])
    e.write(stmt.result, result, blend=id(stmt) in e.shapes.blends)


def _combined(e: Emitter, stmt: n.GroupCall, x: Val, init: Val | None) -> Val:
    name, lanes = stmt.combine, e.lanes
    x = present(e, name, x)
    if stmt.op == "reduce":
        total = fold(e, name, x)
        return total if init is None else combine(lanes, name, init, total)
    found = running(e, name, x)
    if stmt.op == "exclusive_scan" and init is None:
        init = start(e, name, x)
    if init is None:
        return found
    found = combine(lanes, name, init, found)
    return found if stmt.op == "inclusive_scan" else behind(e, found, init)


def start(e: Emitter, name: str, x: Val) -> Val:
    """Return what an exclusive scan begins with: the operator's identity."""
    known = operators.identity(name, x.dtype)
    return neutral(e, name, x) if known is None else e.lanes.const(known, x.dtype)


def shared(e: Emitter, v: Val) -> Val:
    """Return a value that all lanes that are on agree on as a scalar."""
    if v.form == UNIFORM:
        return v
    if e.mask is None:
        return shuffles.one(e.lanes, v, "0")
    # Of no lane on, the last one's.
    bits = e.f.op(f"or {e.mask_bits} {e.bits(e.mask)}, {-1 << (e.lanes.lanes - 1)}")
    return shuffles.one(e.lanes, v, e.lowest(bits))


def _moved(e: Emitter, op: str, x: Val, where: Val) -> Val:
    """Return every lane's partner; partners outside the sub-group give an unspecified value."""
    lanes, w = e.lanes, e.lanes.lanes
    by = as_int(where)
    if by is not None and op != "select":
        to = range(by, by + w) if op == "shift_left" else range(-by, w - by) \
            if op == "shift_right" else [k ^ by for k in range(w)]
        return shuffles.pattern(lanes, x, [k & (w - 1) for k in to])
    short = lanes.cast if where.dtype.bits < 32 else lanes.narrow
    partner, lane = short(where, INT32), Val(LINEAR, INT32, "0", 1)
    if op == "shift_left":
        partner = lanes.add(lane, partner)
    elif op == "shift_right":
        partner = lanes.sub(lane, partner)
    elif op == "permute_xor":
        partner = lanes.logic("xor", lane, partner)
    return shuffles.select(e, x, partner)
