"""Sums of a worker's own: relaxed additions go to numbers on its stack, and to memory at the end.

A locked addition takes some twenty cycles where nobody else adds, and ten times that where others
do. One call of the entry has numbers for each element, if that are few and there is much to add.
Non-goals: which memories serve (``passes.simd.own_sums``). Invariant: what a call adds up is in
memory when it returns, and elements that it adds nothing to are not written.
"""

from __future__ import annotations

from functools import partial

from unisycl.backends.cpu.emit import memory, reductions
from unisycl.backends.cpu.emit.emitter import Emitter, Own
from unisycl.backends.cpu.emit.text import constant, llvm_type
from unisycl.base.dtypes import DType
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar, View
from unisycl.passes.simd import own_sums, registers

_BYTES = 16 << 10
_ITEMS = 4  # for each element: what it takes to set it to nothing and to add it at the end


def begin(e: Emitter) -> None:
    """Start a call: there are no sums yet, and as many of them as elements if that is worth it."""
    found = own_sums.find(e.kernel)
    test = registers.apart(found, [*own_sums.others(e.kernel, found), *found])
    for base in found:
        f, dtype = e.f, _dtype(base)
        count = _elements(e, base)
        short = f.op(f"icmp ule i64 {count}, {_BYTES // dtype.size}")
        worth = f.op(f"icmp ule i64 {f.op(f'mul i64 {count}, {_ITEMS}')}, {_items(e)}")
        holds = f.op(f"and i1 {short}, {worth}")
        if test is not None:
            holds = f.op(f"and i1 {holds}, {e.emit(e, test).ref}")
        own = Own(f.alloca(f"[{_BYTES} x i8]", 64), f.op(f"select i1 {holds}, i64 {count}, i64 0"))
        e.own[base] = own
        reductions.count(f, own.limit, partial(_clear, e, own, dtype))


def _clear(e: Emitter, own: Own, dtype: DType, number: str) -> None:
    type = llvm_type(dtype)
    e.f.store(type, _nothing(dtype), e.f.gep(type, own.base, number))


def _dtype(base: n.Param) -> DType:
    assert isinstance(base.type, View)
    assert isinstance(base.type.elem, Scalar)
    return base.type.elem.dtype


def _nothing(dtype: DType) -> str:
    """Return the number that changes none by being added to it."""
    return constant(-0.0 if dtype.is_float else 0, dtype)


def _elements(e: Emitter, base: n.Param) -> str:
    """Return over how many elements a memory reaches; none or too many where rows go back."""
    assert isinstance(base.type, View)
    first, pitch = memory.view_extent(e, base, 0), memory.view_pitch(e, base, 0)
    return (first if pitch is None else e.lanes.mul(first, pitch)).ref


def _items(e: Emitter) -> str:
    """Return about how many work-items this call has."""
    f, kernel = e.f, e.kernel
    items = f.op("sub i64 %end, %begin")
    sizes = [str(x) for x in kernel.local] if kernel.index_kind == "nd_range" else [
        e.slot(e.layout.tile + d) for d in range(kernel.ndim)]
    for size in sizes:
        items = f.op(f"mul i64 {items}, {size}")
    return items


def end(e: Emitter) -> None:
    """Finish a call: add its sums to memory."""
    for base, own in e.own.items():
        reductions.count(e.f, own.limit, partial(_give, e, base, own))


def _give(e: Emitter, base: n.Param, own: Own, number: str) -> None:
    """Add one sum to memory, if there is any."""
    f, dtype = e.f, _dtype(base)
    type, bits = llvm_type(dtype), f"i{dtype.bits}"
    some, none = f.label("some"), f.label("none")
    value = f.load(type, f.gep(type, own.base, number))
    raw, zero = (f.op(f"bitcast {type} {x} to {bits}") for x in (value, _nothing(dtype)))
    f.branch(f.op(f"icmp ne {bits} {raw}, {zero}"), some, none)
    f.start(some)
    pointer = f.gep(type, memory.view_pointer(e, base), number)
    f.op(f"atomicrmw {'fadd' if dtype.is_float else 'add'} ptr {pointer}, {type} {value} "
         f"monotonic, align {dtype.size}")
    f.jump(none)
    f.start(none)
