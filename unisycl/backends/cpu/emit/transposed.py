"""Several scalars of each lane, lanes in rows of their own: short vectors, turned in registers.

A register takes in parts of several rows, whole sixteen bytes, and two exchanges inside it make
columns of them, or rows of columns: a few shuffles where a gather or a scatter for each scalar
would be. Non-goals: lanes whose scalars follow one another (``neighbours``). Invariants: a lane
that is off touches no memory of the user's; where an address comes from plays no part.
"""

from __future__ import annotations

from collections.abc import Sequence

from unisycl.backends.cpu.emit import memory
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, Val
from unisycl.backends.cpu.emit.text import llvm_type
from unisycl.base.dtypes import INT64, DType
from unisycl.ir import nodes as n
from unisycl.ir.types import View

_PART = 128  # bits: what instructions of all widths move as one


def fits(e: Emitter, place: n.Place, dtype: DType, count: int) -> bool:
    """Say whether lanes fill whole registers, and the scalars of each whole parts of one."""
    width = e.widest // dtype.bits
    return (dtype.bits in (32, 64) and isinstance(place.base.type, View)
            and not isinstance(place.base, n.Heap)
            and e.lanes.lanes % width == 0 and count % (_PART // dtype.bits) == 0)


def load(e: Emitter, place: n.Place, dtype: DType, count: int) -> list[str]:
    """Return a vector of all lanes for each of the scalars."""
    turning = _Turning(e, dtype, _pointers(e, place, count * dtype.size), e.widest // dtype.bits)
    turning.align = _alignment(place, dtype)
    width = turning.width
    blocks = [turning.block(first, count) for first in range(0, e.lanes.lanes, width)]
    return [turning.joined([block[c] for block in blocks], width) for c in range(count)]


def store(e: Emitter, place: n.Place, dtype: DType, refs: Sequence[str]) -> None:
    """Store the scalars of each lane one after another; ``refs``: a vector of lanes for each."""
    count, lanes = len(refs), e.lanes.lanes
    turning = _Turning(e, dtype, _pointers(e, place, count * dtype.size), e.widest // dtype.bits)
    turning.align = _alignment(place, dtype)
    for first in range(0, lanes, turning.width):
        order = range(first, first + turning.width)
        turning.write(first, [turning.shuffled(ref, "poison", lanes, order) for ref in refs])


def _alignment(place: n.Place, dtype: DType) -> int:
    """Return what addresses are multiples of: members of packed records of nothing."""
    assert isinstance(place.base.type, View)
    steps = (place.base.type.elem.size, place.offset, *(width for _, width in place.inner))
    return dtype.size if all(step % dtype.size == 0 for step in steps) else 1


def _pointers(e: Emitter, place: n.Place, room: int) -> list[str]:
    """Return the address of each lane's first scalar, in scalar arithmetic that loops can leave.

    Lanes that are off read ``room`` bytes of our own.
    """
    steps = [e.lanes.index(e.emit(e, x)) for x in place.index]
    inner = [(e.lanes.index(e.emit(e, x)), width) for x, width in place.inner]
    start, base = memory.view_pointer(e, place.base), place.base
    assert isinstance(base, n.Param | n.Array)
    assert isinstance(base.type, View)
    size = base.type.elem.size
    pitches = [memory.view_pitch(e, base, d) for d in range(len(steps))]
    safe = ""
    if e.mask is not None:
        zeros = f"[{room} x i8]"
        safe = e.f.alloca(zeros, 64)
        e.f.store(zeros, "zeroinitializer", safe)
    out = []
    for lane in range(e.lanes.lanes):
        total = e.lanes.const(place.offset, INT64)
        for step, pitch in zip(steps, pitches, strict=True):
            at = _of_lane(e, step, lane)
            at = at if pitch is None else e.lanes.mul(at, pitch)
            total = e.lanes.add(total, e.lanes.mul(at, e.lanes.const(size, INT64)))
        for step, width in inner:
            total = e.lanes.add(total, e.lanes.mul(_of_lane(e, step, lane),
                                                   e.lanes.const(width, INT64)))
        pointer = e.f.gep("i8", start, total.ref)
        if safe:
            on = e.f.op(f"extractelement {e.mask_type} {e.mask}, i64 {lane}")
            pointer = e.f.op(f"select i1 {on}, ptr {pointer}, ptr {safe}")
        out.append(pointer)
    return out


def _of_lane(e: Emitter, v: Val, lane: int) -> Val:
    """Return what an index is in one lane."""
    if v.form == UNIFORM:
        return v
    if v.form == LINEAR:
        return e.lanes.add(Val(UNIFORM, INT64, v.ref), e.lanes.const(lane * v.stride, INT64))
    vector = llvm_type(INT64, e.lanes.lanes)
    return Val(UNIFORM, INT64, e.f.op(f"extractelement {vector} {v.ref}, i64 {lane}"))


class _Turning:
    """Turns rows into columns; ``width`` elements fill a register, ``part`` sixteen bytes."""

    def __init__(self, e: Emitter, dtype: DType, rows: list[str], width: int) -> None:
        self.e = e
        self.dtype = dtype
        self.rows = rows
        self.width = width
        self.part = _PART // dtype.bits
        self.align = dtype.size

    def block(self, first: int, count: int) -> list[str]:
        """Return the columns of as many rows as a register has elements."""
        out: list[str] = []
        at = 0
        while at < count:
            wide = 2 if self.width > 2 * self.part and count - at >= 2 * self.part else 1
            groups = [self.parts(first + s, at, wide) for s in range(self.part)]
            for k in range(wide):
                out += self.turned([group[k] for group in groups])
            at += wide * self.part
        return out

    def parts(self, first: int, at: int, wide: int) -> list[str]:
        """Return ``wide`` registers, each with one part of every ``part``-th row from a row on."""
        rows = range(first, first + self.width, self.part)
        pieces = [self.read(row, at, wide * self.part) for row in rows]
        if wide == 1:
            return [self.joined(pieces, self.part)]
        half = len(pieces) // 2
        size = 2 * self.part
        low = self.joined(pieces[:half], size)
        high = self.joined(pieces[half:], size)
        return [self.shuffled(low, high, self.width, [
            (2 * row + k) * self.part + c for row in range(len(pieces)) for c in range(self.part)])
            for k in range(2)]

    def write(self, first: int, columns: list[str]) -> None:
        """Store the columns of as many rows as a register has elements."""
        part = self.part
        groups = [self.turned(columns[at:at + part]) for at in range(0, len(columns), part)]
        for row in range(self.width):
            start, k = row // part * part, row % part
            for g in range(0, len(groups), 2):
                some = [group[k] for group in groups[g:g + 2]]
                order = [which * self.width + start + c
                         for which in range(len(some)) for c in range(part)]
                piece = self.shuffled(some[0], some[-1], self.width, order)
                pointer = self.rows[first + row]
                if g:
                    pointer = self.e.f.gep("i8", pointer, str(g * part * self.dtype.size))
                self.e.f.store(llvm_type(self.dtype, len(order)), piece, pointer, self.align)

    def turned(self, rows: list[str]) -> list[str]:
        """Return columns of registers that hold parts of rows, each sixteen bytes by itself."""
        if len(rows) == 1:
            return rows
        half = len(rows) // 2
        pairs = [(rows[k], rows[k + half]) for k in range(half)]
        out: list[str] = []
        for high in (0, 1):
            columns = self.turned([self.mixed(a, b, high) for a, b in pairs])
            out += columns
        return out

    def mixed(self, a: str, b: str, high: int) -> str:
        """Return elements of two registers in turn: of each part the low or the high half."""
        half = self.part // 2
        order = [start + high * half + k + which * self.width
                 for start in range(0, self.width, self.part)
                 for k in range(half) for which in (0, 1)]
        return self.shuffled(a, b, self.width, order)

    # ---- instructions
    def read(self, row: int, at: int, count: int) -> str:
        pointer = self.rows[row]
        if at:
            pointer = self.e.f.gep("i8", pointer, str(at * self.dtype.size))
        return self.e.f.load(llvm_type(self.dtype, count), pointer, self.align)

    def joined(self, pieces: Sequence[str], size: int) -> str:
        """Return vectors of ``size`` elements one behind the other."""
        while len(pieces) > 1:
            pieces = [self.shuffled(a, b, size, range(2 * size))
                      for a, b in zip(pieces[::2], pieces[1::2], strict=True)]
            size *= 2
        return pieces[0]

    def shuffled(self, a: str, b: str, size: int, order: Sequence[int]) -> str:
        type = llvm_type(self.dtype, size)
        mask = f"<{len(order)} x i32> <" + ", ".join(f"i32 {k}" for k in order) + ">"
        return self.e.f.op(f"shufflevector {type} {a}, {type} {b}, {mask}")
