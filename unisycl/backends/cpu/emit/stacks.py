"""Stacks that lanes have in common: numbers, and with each the lanes it is for as bits.

Non-goals: stacks of one lane (private arrays). Invariant: each entry is some lane's, so that there
are no more of them than all lanes together may have.
"""

from __future__ import annotations

from unisycl.backends.cpu.emit import shuffles
from unisycl.backends.cpu.emit.emitter import Emitter, SharedStack
from unisycl.backends.cpu.emit.lanes import UNIFORM, VECTOR, Val
from unisycl.backends.cpu.emit.text import STACK_LIMIT, llvm_type
from unisycl.base.dtypes import BOOL
from unisycl.ir.stack_statements import Begun, Ended, Popped, Pushed, Stack

_LINE = 64


def _kept(e: Emitter) -> str:
    """Return the type of lanes as they are noted in memory."""
    return f"i{max(8, e.lanes.lanes)}"


def _of(e: Emitter, stack: Stack) -> SharedStack:
    """Return where a stack lies, reserving memory on first sight."""
    found = e.stacks.get(stack)
    if found is None:
        room, lanes = stack.room * e.lanes.lanes, max(8, e.lanes.lanes) // 8
        found = e.stacks[stack] = SharedStack(
            _memory(e, room * stack.type.size), _memory(e, room * lanes), e.f.alloca("i64"),
            e.f.alloca(e.mask_bits))
    return found


def _memory(e: Emitter, size: int) -> str:
    return e.f.heap(size) if size > STACK_LIMIT else e.f.alloca(f"[{size} x i8]", _LINE)


def begin(e: Emitter, stmt: Begun) -> None:
    """Empty a stack."""
    stack = _of(e, stmt.stack)
    e.f.store("i64", "0", stack.height)
    e.f.store(e.mask_bits, "-1", stack.present)


def push(e: Emitter, stmt: Pushed) -> None:
    """Push a number for the lanes that are on; different numbers are an entry each."""
    f, stack = e.f, _of(e, stmt.stack)
    value = e.lanes.cast(e.emit(e, stmt.value), stmt.stack.type.dtype)
    bits = e.bits(e.full())
    done = f.label("pushed")
    if e.mask is not None and e.maybe_empty:
        some = f.label("push")
        f.branch(f.op(f"icmp ne {e.mask_bits} {bits}, 0"), some, done)
        f.start(some)
    if value.form == UNIFORM:
        _note(e, stack, value, bits)
        f.jump(done)
    else:
        _each(e, stack, Val(VECTOR, value.dtype, e.lanes.vector(value)), bits, done)
    f.start(done)


def _note(e: Emitter, stack: SharedStack, value: Val, bits: str) -> None:
    f, kept = e.f, _kept(e)
    at = f.load("i64", stack.height)
    f.store(llvm_type(value.dtype), value.ref, f.gep(llvm_type(value.dtype), stack.values, at))
    if kept != e.mask_bits:
        bits = f.op(f"zext {e.mask_bits} {bits} to {kept}")
    f.store(kept, bits, f.gep(kept, stack.lanes, at))
    f.store("i64", f.op(f"add nuw nsw i64 {at}, 1"), stack.height)


def _each(e: Emitter, stack: SharedStack, values: Val, bits: str, done: str) -> None:
    """Push the number of the first lane for all that have the same, until none is left."""
    f, b = e.f, e.mask_bits
    rest, turn = f.alloca(b), f.label("each")
    f.store(b, bits, rest)
    f.jump(turn)
    f.start(turn)
    left = f.load(b, rest)
    first = shuffles.one(e.lanes, values, e.lowest(left))
    same = e.lanes.compare("eq", values, first)
    those = f.op(f"and {b} {e.bits(e.lanes.vector(same))}, {left}")
    _note(e, stack, first, those)
    after = f.op(f"xor {b} {left}, {those}")
    f.store(b, after, rest)
    f.branch(f.op(f"icmp ne {b} {after}, 0"), turn, done)


def pop(e: Emitter, stmt: Popped) -> None:
    """Take the last entry off, if there is one."""
    f, stack, kept = e.f, _of(e, stmt.stack), _kept(e)
    height = f.load("i64", stack.height)
    some = f.op(f"icmp ne i64 {height}, 0")
    at = f.op(f"select i1 {some}, i64 {f.op(f'add i64 {height}, -1')}, i64 0")
    f.store("i64", at, stack.height)
    type = llvm_type(stmt.stack.type.dtype)
    value = f.load(type, f.gep(type, stack.values, at))
    bits = f.load(kept, f.gep(kept, stack.lanes, at))
    if kept != e.mask_bits:
        bits = f.op(f"trunc {kept} {bits} to {e.mask_bits}")
    bits = f.op(f"and {e.mask_bits} {bits}, {f.load(e.mask_bits, stack.present)}")
    mine = f.op(f"bitcast {e.mask_bits} {bits} to {e.mask_type}")
    blend = id(stmt) in e.shapes.blends
    e.write(stmt.some, Val(UNIFORM, BOOL, some), blend=blend)
    e.write(stmt.value, Val(UNIFORM, stmt.value.type.dtype, value), blend=blend)
    e.write(stmt.mine, Val(VECTOR, BOOL, mine), blend=blend)


def end(e: Emitter, stmt: Ended) -> None:
    """Take the lanes that are on off all entries."""
    stack, b = _of(e, stmt.stack), e.mask_bits
    gone = e.f.op(f"xor {b} {e.bits(e.full())}, -1")
    e.f.store(b, e.f.op(f"and {b} {e.f.load(b, stack.present)}, {gone}"), stack.present)
