"""One atomic operation on one element, for one lane (SYCL 2020 §4.15.3).

Non-goals: which lanes act, and where. Invariant: min and max keep the old value unless the operand
is less (or more), on every kind of memory: a NaN in memory stays, a NaN operand changes nothing.
Comparing and exchanging compares bits, as C++ does.
"""

from __future__ import annotations

from collections.abc import Callable

from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.text import llvm_type
from unisycl.base.dtypes import DType
from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.ir import nodes as n
from unisycl.ir.types import View

ORDER = {memory_order.relaxed: "monotonic", memory_order.acquire: "acquire",
         memory_order.release: "release", memory_order.acq_rel: "acq_rel",
         memory_order.seq_cst: "seq_cst"}
_READ = {"release": "monotonic", "acq_rel": "acquire"}
_WORD = {"exchange": "xchg", "min": {"i": "min", "u": "umin"}, "max": {"i": "max", "u": "umax"}}

Update = Callable[[str], str]
"""What an element's old value becomes, as LLVM values."""


def is_local(place: n.Place) -> bool:
    """Say whether a place is in the work-group's own memory."""
    return isinstance(place.base.type, View) and \
        place.base.type.space is address_space.local_space


def is_alone(e: Emitter, stmt: n.Atomic) -> bool:
    """Say whether only this thread can take part in an operation.

    It runs a whole work-group, or a sub-group where those are to make progress of their own.
    """
    if e.kernel.apart:
        return stmt.scope <= memory_scope.sub_group
    return is_local(stmt.place) or stmt.scope <= memory_scope.work_group


def one(e: Emitter, stmt: n.Atomic, pointer: str, operands: list[str]) -> str:
    """Emit one operation and return the old value ('' for a store)."""
    dtype = stmt.place.type.dtype
    if is_alone(e, stmt):
        return _plain(e, stmt, pointer, operands)
    t, order = llvm_type(dtype), ORDER[stmt.order]
    tail = f"{order}, align {dtype.size}"
    if stmt.op == "load":
        return e.f.op(f"load atomic {t}, ptr {pointer} {tail}")
    if stmt.op == "store":
        e.f.do(f"store atomic {t} {operands[0]}, ptr {pointer} {tail}")
        return ""
    if stmt.op == "compare_exchange":
        return _exchanged(e, stmt, pointer, operands)
    if dtype.is_float and stmt.op in ("min", "max"):
        return change(e, stmt, pointer, lambda old: updated(e, stmt.op, dtype, old, operands))
    word = _WORD.get(stmt.op, stmt.op)
    if isinstance(word, dict):
        word = word[dtype.kind]
    elif dtype.is_float and stmt.op in ("add", "sub"):
        word = "f" + stmt.op
    return e.f.op(f"atomicrmw {word} ptr {pointer}, {t} {operands[0]} {tail}")


def _exchanged(e: Emitter, stmt: n.Atomic, pointer: str, operands: list[str]) -> str:
    dtype, order = stmt.place.type.dtype, ORDER[stmt.order]
    whole = f"i{dtype.bits}"
    old, new = (_bits(e, dtype, o) for o in operands)
    pair = e.f.op(f"cmpxchg ptr {pointer}, {whole} {old}, {whole} {new} "
                  f"{order} {_READ.get(order, order)}, align {dtype.size}")
    return _value(e, dtype, e.f.op(f"extractvalue {{ {whole}, i1 }} {pair}, 0"))


def _bits(e: Emitter, dtype: DType, value: str) -> str:
    """Return a value as an integer of the same bits."""
    if not dtype.is_float:
        return value
    return e.f.op(f"bitcast {llvm_type(dtype)} {value} to i{dtype.bits}")


def _value(e: Emitter, dtype: DType, bits: str) -> str:
    """Return the value that bits stand for."""
    return e.f.op(f"bitcast i{dtype.bits} {bits} to {llvm_type(dtype)}") if dtype.is_float else bits


def change(e: Emitter, stmt: n.Atomic, pointer: str, update: Update) -> str:
    """Replace an element by what ``update`` makes of it; return the old value."""
    f, dtype = e.f, stmt.place.type.dtype
    t, whole, align = llvm_type(dtype), f"i{dtype.bits}", f"align {dtype.size}"
    if is_alone(e, stmt):
        old = f.op(f"load atomic {t}, ptr {pointer} monotonic, {align}")
        f.do(f"store atomic {t} {update(old)}, ptr {pointer} monotonic, {align}")
        return old
    order = ORDER[stmt.order]
    seen = f.alloca(whole)
    f.store(whole, f.op(f"load atomic {whole}, ptr {pointer} monotonic, {align}"), seen)
    again, done = f.label("again"), f.label("changed")
    f.jump(again)
    f.start(again)
    bits = f.load(whole, seen)
    old = _value(e, dtype, bits)
    made = _bits(e, dtype, update(old))
    pair = f.op(f"cmpxchg ptr {pointer}, {whole} {bits}, {whole} {made} "
                f"{order} {_READ.get(order, order)}, {align}")
    f.store(whole, f.op(f"extractvalue {{ {whole}, i1 }} {pair}, 0"), seen)
    f.branch(f.op(f"extractvalue {{ {whole}, i1 }} {pair}, 1"), done, again)
    f.start(done)
    return old


def _plain(e: Emitter, stmt: n.Atomic, pointer: str, operands: list[str]) -> str:
    """Do the operation on memory that only this thread changes meanwhile.

    In global memory accesses stay whole, for what other threads may look at it.
    """
    dtype = stmt.place.type.dtype
    t = llvm_type(dtype)
    word = "" if is_local(stmt.place) else "atomic "
    tail = f"{'monotonic' if word else ''}, align {dtype.size}"
    if stmt.op == "store":
        e.f.do(f"store {word}{t} {operands[0]}, ptr {pointer} {tail}")
        return ""
    old = e.f.op(f"load {word}{t}, ptr {pointer} {tail}")
    if stmt.op != "load":
        new = updated(e, stmt.op, dtype, old, operands)
        e.f.do(f"store {word}{t} {new}, ptr {pointer} {tail}")
    return old


def updated(e: Emitter, op: str, dtype: DType, old: str, operands: list[str]) -> str:
    """Return what an operation makes of an old value."""
    t = llvm_type(dtype)
    if op == "exchange":
        return operands[0]
    if op == "compare_exchange":
        wanted = _bits(e, dtype, operands[0])
        same = e.f.op(f"icmp eq i{dtype.bits} {_bits(e, dtype, old)}, {wanted}")
        return e.f.op(f"select i1 {same}, {t} {operands[1]}, {t} {old}")
    if op in ("min", "max"):
        kind = "fcmp" if dtype.is_float else "icmp"
        word = "olt" if dtype.is_float else "slt" if dtype.kind == "i" else "ult"
        a, b = (operands[0], old) if op == "min" else (old, operands[0])
        less = e.f.op(f"{kind} {word} {t} {a}, {b}")
        return e.f.op(f"select i1 {less}, {t} {operands[0]}, {t} {old}")
    return e.f.op(f"{'f' + op if dtype.is_float else op} {t} {old}, {operands[0]}")
