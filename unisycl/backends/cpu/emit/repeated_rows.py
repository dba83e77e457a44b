"""Loads of rows that lanes read several times: once, and repeated in registers.

A vector that begins where a period does has the row's elements in order; others gather. Non-goals:
which rows these are (``passes.simd.repeated_rows``). Invariant: nothing but the row is read.
"""

from __future__ import annotations

from unisycl.backends.cpu.emit import memory
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import LINEAR, VECTOR, Val
from unisycl.backends.cpu.emit.text import llvm_type
from unisycl.base.dtypes import INT64
from unisycl.ir import nodes as n
from unisycl.passes.simd import repeated_rows


def load(e: Emitter, place: n.Place) -> Val | None:
    """Return the elements of a place that lanes read again and again; None of other places."""
    w = e.lanes.lanes
    found = repeated_rows.period(place, e.shapes, w) if e.mask is None and w > 1 else None
    if found is None:
        return None
    count, counter = found
    at = e.emit(e, counter)
    if at.form != LINEAR:
        return None
    f, t, dtype = e.f, llvm_type(at.dtype), place.type.dtype
    whole, row = llvm_type(dtype, w), llvm_type(dtype, count)
    home = f.alloca(whole)
    begins, between, done = f.label("begins"), f.label("between"), f.label("repeated")
    inside = f.op(f"and {t} {at.ref}, {count - 1}")
    f.branch(f.op(f"icmp ne {t} {inside}, 0"), between, begins, unlikely=True)
    f.start(begins)
    once = f.load(row, _start(e, place), dtype.size)
    lanes = ", ".join(f"i32 {k % count}" for k in range(w))
    f.store(whole, f.op(f"shufflevector {row} {once}, {row} poison, <{w} x i32> <{lanes}>"), home)
    f.jump(done)
    f.start(between)
    f.store(whole, e.lanes.vector(memory.load(e, place)), home)
    f.jump(done)
    f.start(done)
    return Val(VECTOR, dtype, f.load(whole, home))


def _start(e: Emitter, place: n.Place) -> str:
    """Return the address of a row's first element."""
    values = [*(e.emit(e, x) for x in place.index[:-1]), e.lanes.const(0, INT64)]
    _, index = memory.sums(e, place.base, values, apart=False)
    at = memory.Address(memory.view_pointer(e, place.base), index, place.type.size)
    return memory.scalar_pointer(e, at, index.ref)
