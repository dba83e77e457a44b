"""Rows of several scalars a lane under a mask, where masks have registers of their own.

LLVM repeats the bits of a mask one after the other, a few instructions each. Here one instruction
puts every lane's bit where its scalars begin, and a product repeats it. Non-goals: processors
whose masks are vectors, which are permuted as such (``neighbours``). Invariant: what a mask turns
off, and what lies between lanes, is not touched.
"""

from __future__ import annotations

from unisycl.backends.cpu.emit import memory
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.memory import Address, alignment
from unisycl.backends.cpu.emit.text import llvm_type
from unisycl.base.dtypes import DType

_WIDE = 512
_WORD = 64  # bits that are spread at once
_MOST_APART = 8  # scalars from lane to lane, so that pieces are vectors


def serves(e: Emitter, step: int) -> bool:
    """Say whether rows of so many scalars a lane are for this module."""
    return e.widest >= _WIDE and e.f.module.triple.startswith("x86_64") and 1 < step <= _MOST_APART


def load(e: Emitter, at: Address, dtype: DType, count: int, step: int) -> list[tuple[str, int]]:
    """Load ``count`` scalars of each lane, lanes ``step`` apart; return pieces and their sizes."""
    return [(_load(e, pointer, dtype, size, mask, alignment(at, dtype)), size)
            for pointer, size, mask in _pieces(e, at, dtype, count, step)]


def store(e: Emitter, at: Address, dtype: DType, whole: str, counts: tuple[int, int]) -> None:
    """Store scalars, ``counts``: how many of each lane and how far lanes are apart.

    ``whole`` has a place for each scalar between lanes, too.
    """
    count, step = counts
    f, full = e.f, llvm_type(dtype, step * e.lanes.lanes)
    first = 0
    for pointer, size, mask in _pieces(e, at, dtype, count, step, stores=True):
        t = llvm_type(dtype, size)
        places = ", ".join(f"i32 {first + k}" for k in range(size))
        part = f.op(f"shufflevector {full} {whole}, {full} poison, <{size} x i32> <{places}>")
        name = f"llvm.masked.store.v{size}{memory.mangled(dtype)}.p0"
        f.module.declare(name, f"void @({t}, ptr, i32, <{size} x i1>)")
        f.do(f"call void @{name}({t} {part}, ptr {pointer}, i32 {alignment(at, dtype)}, "
             f"<{size} x i1> {mask})")
        first += size


def _load(e: Emitter, pointer: str, dtype: DType, size: int, mask: str, align: int) -> str:
    t, name = llvm_type(dtype, size), f"llvm.masked.load.v{size}{memory.mangled(dtype)}.p0"
    e.f.module.declare(name, f"{t} @(ptr, i32, <{size} x i1>, {t})")
    return e.f.op(f"call {t} @{name}(ptr {pointer}, i32 {align}, <{size} x i1> {mask}, {t} poison)")


def _pieces(e: Emitter, at: Address, dtype: DType, count: int, step: int, *,
            stores: bool = False) -> list[tuple[str, int, str]]:
    """Return the pointer, the elements and the mask of each piece of a row, of one register."""
    f, w = e.f, e.lanes.lanes
    group = min(w, 1 << (_WORD // step).bit_length() - 1)
    size = min(_WIDE // dtype.bits, group)
    start = memory.scalar_pointer(e, at, at.index.ref)
    bits = _bits(e, stores=stores)
    out: list[tuple[str, int, str]] = []
    for lane in range(0, w, group):
        word = _spread(e, bits, lane, group, count, step)
        for k in range(0, group * step, size):
            moved = f.op(f"lshr i64 {word}, {k}") if k else word
            short = moved if size == _WORD else f.op(f"trunc i64 {moved} to i{size}")
            mask = f.op(f"bitcast i{size} {short} to <{size} x i1>")
            out.append((f.gep(llvm_type(dtype), start, str(lane * step + k)), size, mask))
    return out


def _bits(e: Emitter, *, stores: bool) -> str:
    """Return the bits of the lanes that are on.

    Those of stores LLVM must not see through (``memory.no_lanes``).
    """
    b, f = e.mask_bits, e.f
    mask = "splat (i1 true)" if e.mask is None else e.mask
    if stores:
        mask = f.op(f"xor {e.mask_type} {mask}, {memory.no_lanes(e)}")
    return f.op(f"bitcast {e.mask_type} {mask} to {b}")


def _spread(e: Emitter, bits: str, lane: int, group: int, count: int, step: int) -> str:
    """Return a word with the bit of each lane of a group ``count`` times, lanes ``step`` apart."""
    f, b, w = e.f, e.mask_bits, e.lanes.lanes
    if lane:
        bits = f.op(f"lshr {b} {bits}, {lane}")
    word = bits if w == _WORD else f.op(f"zext {b} {bits} to i64")
    begins = sum(1 << step * k for k in range(group))
    f.module.declare("llvm.x86.bmi.pdep.64", "i64 @(i64, i64)")
    spread = f.op(f"call i64 @llvm.x86.bmi.pdep.64(i64 {word}, i64 {_signed(begins)})")
    return spread if count == 1 else f.op(f"mul i64 {spread}, {(1 << count) - 1}")


def _signed(word: int) -> int:
    """Return a word of 64 bits as LLVM writes it."""
    return word - (1 << _WORD) if word >> _WORD - 1 else word
