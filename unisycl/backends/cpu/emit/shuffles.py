"""Moving values between the lanes of a sub-group: shuffles, by instructions of the machine.

A pattern known while compiling is a ``shufflevector``; any other a permute instruction where the
machine has one, else a round through the frame. Non-goals: what a group function means
(collectives). Invariant: a lane number outside the sub-group is taken modulo its size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, VECTOR, Lanes, Val
from unisycl.backends.cpu.emit.text import Function, llvm_type
from unisycl.base.dtypes import INT32, INT64, UINT32, UINT64, DType

_LETTER = {True: {32: "sf", 64: "df"}, False: {32: "si", 64: "di"}}
_LETTER_OF_TWO = {True: {32: "ps", 64: "pd"}, False: {32: "d", 64: "q"}}


def pattern(lanes: Lanes, v: Val, numbers: Sequence[int], other: str = "poison") -> Val:
    """Return lanes in a fixed order; numbers from ``lanes`` on are those of a second vector."""
    t = llvm_type(v.dtype, lanes.lanes)
    ref = lanes.f.op(f"shufflevector {t} {lanes.vector(v)}, {t} {other}, {mask(numbers)}")
    return Val(VECTOR, v.dtype, ref)


def mask(numbers: Sequence[int]) -> str:
    """Return the constant that says which lanes a shuffle takes."""
    return f"<{len(numbers)} x i32> <{', '.join(f'i32 {k}' for k in numbers)}>"


def part(lanes: Lanes, v: Val, first: int, count: int) -> Val:
    """Return ``count`` neighbouring lanes as a narrower vector."""
    t = llvm_type(v.dtype, lanes.lanes)
    ref = lanes.f.op(f"shufflevector {t} {v.ref}, {t} poison, {mask(range(first, first + count))}")
    return Val(VECTOR, v.dtype, ref)


def one(lanes: Lanes, v: Val, lane: str) -> Val:
    """Return one lane's value as a scalar; ``lane`` is an i64 below the size."""
    if v.form == UNIFORM:
        return v
    t = llvm_type(v.dtype, lanes.lanes)
    return Val(UNIFORM, v.dtype,
               lanes.f.op(f"extractelement {t} {lanes.vector(v)}, i64 {lane}"))


def select(e: Emitter, v: Val, partner: Val) -> Val:
    """Return, in every lane, the value of the lane that ``partner`` names there."""
    lanes, w = e.lanes, e.lanes.lanes
    if v.form == UNIFORM:
        return v
    if partner.form == UNIFORM:
        return one(lanes, v, lanes.logic("and", lanes.cast(partner, INT64),
                                         lanes.const(w - 1, INT64)).ref)
    if partner.form == LINEAR and not partner.ref.startswith("%"):
        first, step = int(partner.ref), partner.stride
        return pattern(lanes, v, [(first + k * step) & (w - 1) for k in range(w)])
    if v.dtype.bits < 32:
        return _through_words(e, v, partner)
    index = lanes.vector(lanes.cast(partner, INT32))
    index = lanes.f.op(f"and <{w} x i32> {index}, splat (i32 {w - 1})")
    if not e.f.module.triple.startswith("x86_64") or e.widest < 256:
        return _through_memory(e, v, index)
    if e.widest == 256 and v.dtype.bits == 64:
        return _through_halves(e, v, index)
    pick, size = picker(e.widest, v.dtype)
    return Val(VECTOR, v.dtype, _permute(e.f, v.dtype, lanes.vector(v), index, w, pick, size=size))


def _through_words(e: Emitter, v: Val, partner: Val) -> Val:
    """Move narrow values as 32-bit ones."""
    lanes = e.lanes
    bits = v if not v.dtype.is_float else lanes.map(
        DType("bits16", "u", 16), "bitcast {t} {0} to {to}", v)
    bits = Val(bits.form, DType("bits", "u", bits.dtype.bits), lanes.vector(bits))
    t, wide = llvm_type(bits.dtype, lanes.lanes), llvm_type(UINT32, lanes.lanes)
    word = Val(VECTOR, UINT32, lanes.f.op(f"zext {t} {bits.ref} to {wide}"))
    moved = select(e, word, partner)
    narrow = lanes.f.op(f"trunc {wide} {moved.ref} to {t}")
    if v.dtype.is_float:
        narrow = lanes.f.op(f"bitcast {t} {narrow} to {llvm_type(v.dtype, lanes.lanes)}")
    return Val(VECTOR, v.dtype, narrow)


_Pick = Callable[[Function, DType, list[str], str], str]


def picker(widest: int, dtype: DType) -> tuple[_Pick, int]:
    """Return what picks from registers by 32-bit numbers, and how many elements one has.

    Registers of 256 bits have elements of 32.
    """
    return (_pick_256, 8) if widest == 256 else (_pick_512, 512 // dtype.bits)


def _permute(f: Function, dtype: DType, vector: str, index: str, w: int, pick: _Pick,
             *, size: int) -> str:
    """Permute a vector cut into registers of ``size`` elements."""
    t, it = llvm_type(dtype, w), f"<{w} x i32>"
    if w < size:
        wider = mask([k if k < w else 0 for k in range(size)])
        vector = f.op(f"shufflevector {t} {vector}, {t} poison, {wider}")
        index = f.op(f"shufflevector {it} {index}, {it} poison, {wider}")
        whole = pick(f, dtype, [vector], index)
        wide = llvm_type(dtype, size)
        return f.op(f"shufflevector {wide} {whole}, {wide} poison, {mask(range(w))}")

    def cut(type: str, ref: str) -> list[str]:
        return [ref] if w == size else [
            f.op(f"shufflevector {type} {ref}, {type} poison, {mask(range(k, k + size))}")
            for k in range(0, w, size)]
    registers = cut(t, vector)
    return joined(f, dtype, [pick(f, dtype, registers, i) for i in cut(it, index)], size)


def _pick_512(f: Function, dtype: DType, registers: list[str], index: str) -> str:
    """Return elements of 512-bit registers by number: AVX-512 permutes one or two of them."""
    size = 512 // dtype.bits
    if len(registers) > 2:
        return _halves(f, dtype, registers, index, _pick_512, size)
    t, it = llvm_type(dtype, size), f"<{size} x i{dtype.bits}>"
    wide = index if dtype.bits == 32 else f.op(f"zext <{size} x i32> {index} to {it}")
    if len(registers) == 1:
        name = f"llvm.x86.avx512.permvar.{_LETTER[dtype.is_float][dtype.bits]}.512"
        f.module.declare(name, f"{t} @({t}, {it})")
        return f.op(f"call {t} @{name}({t} {registers[0]}, {it} {wide})")
    name = f"llvm.x86.avx512.vpermi2var.{_LETTER_OF_TWO[dtype.is_float][dtype.bits]}.512"
    f.module.declare(name, f"{t} @({t}, {it}, {t})")
    return f.op(f"call {t} @{name}({t} {registers[0]}, {it} {wide}, {t} {registers[1]})")


def _pick_256(f: Function, dtype: DType, registers: list[str], index: str) -> str:
    """Return 32-bit elements of 256-bit registers by number: AVX2 permutes one."""
    if len(registers) > 1:
        return _halves(f, dtype, registers, index, _pick_256, 8)
    t = llvm_type(dtype, 8)
    name = f"llvm.x86.avx2.perm{'ps' if dtype.is_float else 'd'}"
    f.module.declare(name, f"{t} @({t}, <8 x i32>)")
    return f.op(f"call {t} @{name}({t} {registers[0]}, <8 x i32> {index})")


def _halves(f: Function, dtype: DType, registers: list[str], index: str, pick: _Pick,
            size: int) -> str:
    """Pick from the lower and the upper registers, then choose by a bit of the number."""
    half = len(registers) // 2
    low, high = (pick(f, dtype, r, index) for r in (registers[:half], registers[half:]))
    t, it = llvm_type(dtype, size), f"<{size} x i32>"
    some = f.op(f"and {it} {index}, splat (i32 {half * size})")
    upper = f.op(f"icmp ne {it} {some}, zeroinitializer")
    return f.op(f"select <{size} x i1> {upper}, {t} {high}, {t} {low}")


def _through_halves(e: Emitter, v: Val, index: str) -> Val:
    """Permute 64-bit values by AVX2 as two vectors of 32 bits."""
    f, w = e.f, e.lanes.lanes
    t, whole = llvm_type(v.dtype, w), llvm_type(UINT64, w)
    bits = e.lanes.vector(v)
    if v.dtype.is_float:
        bits = f.op(f"bitcast {t} {bits} to {whole}")
    both = []
    for shift in (0, 32):
        shifted = f.op(f"lshr {whole} {bits}, splat (i64 {shift})")
        half = f.op(f"trunc {whole} {shifted} to <{w} x i32>")
        moved = _permute(f, UINT32, half, index, w, _pick_256, size=8)
        wide = f.op(f"zext <{w} x i32> {moved} to {whole}")
        both.append(f.op(f"shl {whole} {wide}, splat (i64 {shift})"))
    ref = f.op(f"or {whole} {both[0]}, {both[1]}")
    if v.dtype.is_float:
        ref = f.op(f"bitcast {whole} {ref} to {t}")
    return Val(VECTOR, v.dtype, ref)


def _through_memory(e: Emitter, v: Val, index: str) -> Val:
    """Write all lanes to the frame and read each lane's partner."""
    f, w = e.f, e.lanes.lanes
    vector, t = llvm_type(v.dtype, w), llvm_type(v.dtype)
    where = f.alloca(vector, 64)
    f.store(vector, e.lanes.vector(v), where)
    result = "poison"
    for k in range(w):
        at = f.op(f"extractelement <{w} x i32> {index}, i64 {k}")
        here = f.load(t, f.gep(t, where, f.op(f"zext i32 {at} to i64")))
        result = f.op(f"insertelement {vector} {result}, {t} {here}, i64 {k}")
    return Val(VECTOR, v.dtype, result)


def joined(f: Function, dtype: DType, parts: list[str], size: int) -> str:
    """Return registers side by side as one vector."""
    while len(parts) > 1:
        t = llvm_type(dtype, size)
        parts = [f.op(f"shufflevector {t} {a}, {t} {b}, {mask(range(2 * size))}")
                 for a, b in zip(parts[::2], parts[1::2], strict=True)]
        size *= 2
    return parts[0]
