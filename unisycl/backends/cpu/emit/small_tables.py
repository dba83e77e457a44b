"""Elements of small tables, taken from registers: of constants, and of numbers a launch gives.

A gather costs a cycle or two an element, a permutation of a register as much for all of a vector.
Non-goals: tables in memory (``memory``). Invariant: an index within the table
finds its number; others find some number and touch no memory.
"""

from __future__ import annotations

from unisycl.backends.cpu.emit import shuffles
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import VECTOR, Val
from unisycl.backends.cpu.emit.text import constant, llvm_type
from unisycl.base.dtypes import INT32, DType
from unisycl.ir import nodes as n
from unisycl.ir.constant_tables import Table
from unisycl.ir.types import Scalar
from unisycl.passes.simd import shapes as sh

_AVX2, _WIDE = 256, 512
_MOST = 4  # registers of a table: AVX2 has few for more, AVX-512 permutes two at once
_SLOT = 8


def look_up(e: Emitter, place: n.Place) -> Val | None:
    """Return the elements of a place in a table; None if it is not for this module."""
    if not e.f.module.triple.startswith("x86_64") or e.widest not in (_AVX2, _WIDE) or place.offset:
        return None
    dtype = place.type.dtype
    if dtype.kind not in "iuf" or dtype.bits not in ((32,) if e.widest == _AVX2 else (32, 64)):
        return None
    at, count = _held(e, place)
    size = e.widest // dtype.bits
    full = 1 << max(0, -(-count // size) - 1).bit_length()
    if at is None or full > _MOST or e.shapes.of(at).rank < sh.LINEAR:
        return None
    index = e.emit(e, at)
    if index.form != VECTOR:
        return None
    base = place.base
    registers = _constants(base, dtype, size, full) if isinstance(base, Table) else \
        _arguments(e, base, dtype, (count, size, full))
    return Val(VECTOR, dtype, _picked(e, registers, dtype,
                                      e.lanes.vector(e.lanes.cast(index, INT32))))


def _held(e: Emitter, place: n.Place) -> tuple[n.Expr | None, int]:
    """Return the index of a table and how many numbers it has; None of other places.

    Numbers that a launch gives lie in slots one after another; those behind a table do no harm.
    """
    base = place.base
    if isinstance(base, Table):
        return (place.index[0], len(base.values)) if len(place.index) == 1 else (None, 0)
    if not isinstance(base, n.Param) or not isinstance(base.type, Scalar) \
            or len(place.inner) != 1 or place.inner[0][1] != _SLOT:
        return None, 0
    first, params = base.index, e.kernel.params
    last = first
    for param in params[first:]:
        if not isinstance(param.type, Scalar) or param.type.size > _SLOT \
                or e.layout.params[last] != e.layout.params[first] + last - first:
            break
        last += 1
    return place.inner[0][0], last - first


def _constants(table: Table, dtype: DType, size: int, full: int) -> list[str]:
    """Return a table as constant vectors, filled up with zeros."""
    values = [constant(x, dtype) for x in table.values]
    values += [constant(0, dtype)] * (size * full - len(values))
    type = llvm_type(dtype)
    return ["<" + ", ".join(f"{type} {x}" for x in values[k:k + size]) + ">"
            for k in range(0, size * full, size)]


def _arguments(e: Emitter, base: n.Base, dtype: DType, sizes: tuple[int, int, int]) -> list[str]:
    """Return slots as vectors, which are read where the kernel begins."""
    count, size, full = sizes
    assert isinstance(base, n.Param)
    f, words, t = e.f, f"<{count} x i64>", llvm_type(dtype, count)
    slot = f.early(f"getelementptr i64, ptr %args, i64 {e.layout.params[base.index]}")
    read = f.early(f"load {words}, ptr {slot}, align {_SLOT}")
    if dtype.bits < 64:
        words = f"<{count} x i{dtype.bits}>"
        read = f.early(f"trunc <{count} x i64> {read} to {words}")
    read = f.early(f"bitcast {words} {read} to {t}")
    return [f.early(f"shufflevector {t} {read}, {t} poison, "
                    + shuffles.mask([min(k + lane, count - 1) for lane in range(size)]))
            for k in range(0, size * full, size)]


def _picked(e: Emitter, registers: list[str], dtype: DType, index: str) -> str:
    f, w = e.f, e.lanes.lanes
    pick, size = shuffles.picker(e.widest, dtype)
    it = f"<{w} x i32>"
    if w < size:
        wider = shuffles.mask([k if k < w else 0 for k in range(size)])
        index = f.op(f"shufflevector {it} {index}, {it} poison, {wider}")
        t, whole = llvm_type(dtype, size), pick(f, dtype, registers, index)
        return f.op(f"shufflevector {t} {whole}, {t} poison, {shuffles.mask(range(w))}")
    parts = [index] if w == size else [
        f.op(f"shufflevector {it} {index}, {it} poison, {shuffles.mask(range(k, k + size))}")
        for k in range(0, w, size)]
    return shuffles.joined(f, dtype, [pick(f, dtype, registers, x) for x in parts], size)
