"""Instructions that only AVX-512 has, on vectors of any length from one number up.

Non-goals: deciding where they are used. Invariant: lanes beyond a value's own are zeros.
"""

from __future__ import annotations

from collections.abc import Sequence

from unisycl.backends.cpu.emit.lanes import UNIFORM, VECTOR, Lanes, Val
from unisycl.backends.cpu.emit.text import constant, llvm_type
from unisycl.base.dtypes import DType

_UNMASKED = frozenset(("rsqrt14", "rcp14"))  # words whose intrinsics have no 'mask' in their name


def special(lanes: Lanes, word: str, *values: Val, immediate: int | None = None) -> Val:
    """Apply an instruction of float32 or float64 operands: scalef, getexp, getmant, rsqrt14."""
    dtype = values[0].dtype
    form, refs = lanes.align(*values)
    count = lanes.lanes if form == VECTOR else 1
    size = next((s for s in (512, 256, 128) if count * dtype.bits >= s), 128)
    width = size // dtype.bits
    vector, mask = llvm_type(dtype, width), f"i{max(8, width)}"
    stem = word if word in _UNMASKED else f"mask.{word}"
    name = f"llvm.x86.avx512.{stem}.p{_letter(dtype)}.{size}"
    given = [f"{vector} {{{k}}}" for k in range(len(refs))]
    kinds = [vector] * len(refs)
    if immediate is not None:
        given.append(f"i32 {immediate}")
        kinds.append("i32")
    given += [f"{vector} zeroinitializer", f"{mask} -1"]
    kinds += [vector, mask]
    if size == 512 and word not in _UNMASKED:
        given.append("i32 4")
        kinds.append("i32")
    lanes.f.module.declare(name, f"{vector} @({', '.join(kinds)})")
    template = f"call {vector} @{name}({', '.join(given)})"
    if form == VECTOR and count >= width:
        return in_parts(lanes, dtype, width, template, *values)
    return _padded(lanes, dtype, width, template, form, refs)


def _letter(dtype: DType) -> str:
    return "s" if dtype.bits == 32 else "d"


def _padded(lanes: Lanes, dtype: DType, width: int, template: str, form: int,
            refs: list[str]) -> Val:
    """Apply an instruction to fewer numbers than it takes."""
    f, wide, t = lanes.f, llvm_type(dtype, width), llvm_type(dtype)
    if form == UNIFORM:
        whole = [f.op(f"insertelement {wide} zeroinitializer, {t} {r}, i64 0") for r in refs]
        found = f.op(template.format(*whole))
        return Val(UNIFORM, dtype, f.op(f"extractelement {wide} {found}, i64 0"))
    count = lanes.lanes
    narrow = llvm_type(dtype, count)
    grow = numbers([min(k, count) for k in range(width)])
    whole = [f.op(f"shufflevector {narrow} {r}, {narrow} zeroinitializer, {grow}") for r in refs]
    found = f.op(template.format(*whole))
    cut = f.op(f"shufflevector {wide} {found}, {wide} poison, {numbers(range(count))}")
    return Val(VECTOR, dtype, cut)


def fits(lanes: Lanes, table: Sequence[float], dtype: DType, index: Val) -> bool:
    """Say whether a table can be looked up in registers."""
    width = 512 // dtype.bits
    return dtype.is_float and index.form == VECTOR and len(table) in (width, 2 * width) \
        and lanes.lanes >= width


def permuted(lanes: Lanes, table: Sequence[float], dtype: DType, index: Val) -> Val:
    """Return table[index]; only the bits of the index that count are looked at."""
    width = 512 // dtype.bits
    kind, whole = llvm_type(dtype, width), llvm_type(index.dtype, width)
    rows = [vector_of(table[k:k + width], dtype) for k in range(0, len(table), width)]
    if len(rows) == 1:
        name = f"llvm.x86.avx512.permvar.{_letter(dtype)}f.512"
        kinds, given = f"{kind}, {whole}", f"{kind} {rows[0]}, {whole} {{0}}"
    else:
        name = f"llvm.x86.avx512.vpermi2var.p{_letter(dtype)}.512"
        kinds = f"{kind}, {whole}, {kind}"
        given = f"{kind} {rows[0]}, {whole} {{0}}, {kind} {rows[1]}"
    lanes.f.module.declare(name, f"{kind} @({kinds})")
    return in_parts(lanes, dtype, width, f"call {kind} @{name}({given})", index)


def in_parts(lanes: Lanes, dtype: DType, width: int, template: str, *values: Val) -> Val:
    """Apply an instruction of ``width`` lanes to each part of wider vectors."""
    f, count = lanes.f, lanes.lanes
    refs = [(llvm_type(v.dtype, count), lanes.vector(v)) for v in values]
    if count == width:
        return Val(VECTOR, dtype, f.op(template.format(*(r for _, r in refs))))
    parts = []
    for start in range(0, count, width):
        cut = numbers(range(start, start + width))
        given = [f.op(f"shufflevector {t} {r}, {t} poison, {cut}") for t, r in refs]
        parts.append(f.op(template.format(*given)))
    return Val(VECTOR, dtype, joined(lanes, dtype, width, parts))


def joined(lanes: Lanes, dtype: DType, width: int, parts: list[str]) -> str:
    """Return vectors of ``width`` numbers side by side."""
    while len(parts) > 1:
        t = llvm_type(dtype, width)
        width *= 2
        parts = [lanes.f.op(f"shufflevector {t} {a}, {t} {b}, {numbers(range(width))}")
                 for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def numbers(values: Sequence[int]) -> str:
    """Return the spelling of a vector of 32-bit integers, as shuffles take them."""
    return f"<{len(values)} x i32> <" + ", ".join(f"i32 {k}" for k in values) + ">"


def vector_of(values: Sequence[float], dtype: DType, *, array: bool = False) -> str:
    """Return the spelling of a constant vector, or array."""
    t = llvm_type(dtype)
    inside = ", ".join(f"{t} {constant(v, dtype)}" for v in values)
    return f"[{inside}]" if array else f"<{inside}>"
