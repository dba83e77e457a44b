"""Loads and stores of several scalars that follow one another, such as the components of a pixel.

Side by side they are one wide access and shuffles; apart, one short vector for each lane, which
costs less than a gather for each component. Non-goals: single scalars (``memory``). Invariant:
a lane that is off touches no memory of the user's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from unisycl.backends.cpu.emit import masked_rows, memory, transposed
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, VECTOR, Val
from unisycl.backends.cpu.emit.memory import Address, alignment, storage
from unisycl.backends.cpu.emit.text import llvm_type
from unisycl.base.dataclass import dataclass, replace
from unisycl.base.dtypes import INT64, UINT8, DType
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar, View
from unisycl.passes.simd import shapes as sh


def load(e: Emitter, stmt: n.LoadMany) -> None:
    """Emit a ``LoadMany``."""
    if memory.is_private(stmt.place):
        for k, local in enumerate(stmt.results):
            value = memory.load(e, _next(stmt.place, k))
            e.write(local, value, blend=id(stmt) in e.shapes.blends)
        return
    dtype, count = storage(stmt.place.type.dtype), len(stmt.results)
    row = short_row(e, stmt.place)
    if row is not None:
        refs = _either(e, row, dtype, {
            step: partial(_load_stepped, e, row.first, dtype, count, step)
            for step in (count, *_padded(e, count, stores=False))}, lambda: _load_each(
                e, stmt.place, memory.address(e, stmt.place), dtype, count))
        values = [Val(VECTOR, dtype, ref) for ref in refs]
    else:
        values = _loaded(e, stmt.place, dtype, count)
    for local, value in zip(stmt.results, values, strict=True):
        if stmt.place.type.dtype.kind == "b":
            value = e.lanes.compare("ne", value, e.lanes.const(0, UINT8))
        e.write(local, value, blend=id(stmt) in e.shapes.blends)


def _loaded(e: Emitter, place: n.Place, dtype: DType, count: int) -> list[Val]:
    """Load scalars from a place on."""
    at = memory.address(e, place)
    if at.index.form == UNIFORM:
        if _is_wide(e, dtype, count):
            return _load_wide(e, at, dtype, count)
        return [Val(UNIFORM, dtype, memory.load_one(e, _part(at, k, dtype), dtype))
                for k in range(count)]
    if _is_row(at, dtype, count):
        refs = _load_stepped(e, at, dtype, count, count)
    elif step := _gap(e, at, dtype, count):
        if e.mask is not None and not masked_rows.serves(e, step):
            return [memory.load(e, _next(place, k)) for k in range(count)]
        refs = _load_stepped(e, at, dtype, count, step)
    else:
        refs = _load_each(e, place, at, dtype, count)
    return [Val(VECTOR, dtype, ref) for ref in refs]


def _load_each(e: Emitter, place: n.Place, at: Address, dtype: DType, count: int) -> list[str]:
    """Load the scalars of lanes that are apart."""
    if transposed.fits(e, place, dtype, count):
        return transposed.load(e, place, dtype, count)
    if at.even is not None and _padded(e, count, stores=True):  # less code than short vectors
        return [e.lanes.vector(memory.load_at(e, _part(at, k, dtype), dtype))
                for k in range(count)]
    return _columns(e, _load_apart(e, at, dtype, count), dtype, count)


def _load_stepped(e: Emitter, at: Address, dtype: DType, count: int, step: int) -> list[str]:
    """Load the scalars of lanes that are ``step`` scalars apart."""
    if e.mask is not None and masked_rows.serves(e, step):
        pieces = masked_rows.load(e, at, dtype, count, step)
        size = pieces[0][1]
        refs = [ref for ref, _ in pieces]
        refs += ["poison"] * ((1 << (len(refs) - 1).bit_length()) - len(refs))
        whole, full = _joined(e, dtype, refs, size), len(refs) * size
        return [_shuffle(e, llvm_type(dtype, full), whole, "poison",
                         range(k, step * e.lanes.lanes, step)) for k in range(count)]
    if step != count:
        return _load_spaced(e, at, dtype, count, step)
    return _columns(e, _load_rows(e, at, dtype, count), dtype, count)


def _columns(e: Emitter, whole: str, dtype: DType, count: int) -> list[str]:
    """Return the first scalar of every lane, the second of every lane, and so on."""
    size = count * e.lanes.lanes
    return [_shuffle(e, llvm_type(dtype, size), whole, "poison", range(k, size, count))
            for k in range(count)]


def store(e: Emitter, stmt: n.StoreMany) -> None:
    """Emit a ``StoreMany``; lanes that write one address leave the values of the last of them."""
    values = [e.emit(e, x) for x in stmt.values]
    if memory.is_private(stmt.place):
        for k, v in enumerate(values):
            memory.store(e, _next(stmt.place, k), v)
        return
    dtype, count = storage(stmt.place.type.dtype), len(values)
    if stmt.place.type.dtype.kind == "b":
        values = [e.lanes.map(UINT8, "zext {t} {0} to {to}", v) for v in values]
    row = short_row(e, stmt.place)
    if row is None:
        _stored(e, stmt.place, dtype, values, past=stmt.past)
        return

    def rows(step: int) -> list[str]:
        _store_stepped(e, row.first, dtype, values, step)
        return []

    def apart() -> list[str]:
        _stored(e, stmt.place, dtype, values)
        return []
    _either(e, row, dtype, {
        step: partial(rows, step) for step in (count, *_padded(e, count, stores=True))}, apart)


def _stored(e: Emitter, place: n.Place, dtype: DType, values: list[Val], *,
            past: bool = False) -> None:
    """Store scalars from a place on."""
    at, count = memory.address(e, place), len(values)
    if at.index.form == UNIFORM:
        if _is_wide(e, dtype, count) and all(v.form == UNIFORM for v in values):
            _store_wide(e, at, dtype, values, past=past)
            return
        for k, v in enumerate(values):
            memory.store_one(e, _part(at, k, dtype), dtype, v)
    elif past and count == 1 and _goes_past(e, at, dtype):
        _store_past(e, at, dtype, e.lanes.vector(values[0]), e.lanes.lanes)
    elif _is_row(at, dtype, count):
        _store_stepped(e, at, dtype, values, count)
    elif transposed.fits(e, place, dtype, count):
        transposed.store(e, place, dtype, [e.lanes.vector(v) for v in values])
    elif (step := _gap(e, at, dtype, count)) and masked_rows.serves(e, step):
        _store_stepped(e, at, dtype, values, step)
    elif e.mask is None:
        _store_apart(e, at, dtype, _interleaved(e, dtype, values, count), count)
    else:
        for k, v in enumerate(values):
            memory.scatter(e, _part(at, k, dtype), dtype, e.lanes.vector(v))


def _store_stepped(e: Emitter, at: Address, dtype: DType, values: Sequence[Val],
                   step: int) -> None:
    """Store the scalars of lanes that are ``step`` scalars apart."""
    count = len(values)
    if (e.mask is None and step == count) or not masked_rows.serves(e, step):
        _store_rows(e, at, dtype, _interleaved(e, dtype, values, count), count)
    else:
        masked_rows.store(e, at, dtype, _interleaved(e, dtype, values, step), (count, step))


# ---- what all lanes share
_WIDEST = 64


def _is_wide(e: Emitter, dtype: DType, count: int) -> bool:
    """Say whether scalars that all lanes share are worth one vector of the machine's."""
    someone = e.mask is None or "i1 true" in e.mask  # a mask of constants
    return someone and count & (count - 1) == 0 and 16 <= count * dtype.size <= _WIDEST


def _load_wide(e: Emitter, at: Address, dtype: DType, count: int) -> list[Val]:
    t = llvm_type(dtype, count)
    whole = e.f.load(t, memory.scalar_pointer(e, at, at.index.ref), alignment(at, dtype))
    return [Val(UNIFORM, dtype, e.f.op(f"extractelement {t} {whole}, i64 {k}"))
            for k in range(count)]


def _store_wide(e: Emitter, at: Address, dtype: DType, values: Sequence[Val], *,
                past: bool) -> None:
    t, whole = llvm_type(dtype, len(values)), "poison"
    for k, v in enumerate(values):
        whole = e.f.op(f"insertelement {t} {whole}, {llvm_type(dtype)} {v.ref}, i64 {k}")
    if past and len(values) * dtype.size >= memory.STREAM_ALIGN \
            and e.f.module.triple.startswith("x86_64"):
        _store_past(e, at, dtype, whole, len(values))
    else:
        e.f.store(t, whole, memory.scalar_pointer(e, at, at.index.ref), alignment(at, dtype))


_PIECE = 16
"""Bytes that are written past the caches at once where no line begins: NumPy's arrays begin so."""


def _goes_past(e: Emitter, at: Address, dtype: DType) -> bool:
    """Say whether lanes write side by side, as much as is written past the caches at once."""
    return e.mask is None and at.index.form == LINEAR and at.index.stride * at.scale == dtype.size \
        and e.lanes.lanes * dtype.size % _PIECE == 0 and e.f.module.triple.startswith("x86_64")


def _store_past(e: Emitter, at: Address, dtype: DType, whole: str, count: int) -> None:
    """Store a vector past the caches, at once if it begins at a line, or in pieces."""
    f, t, pointer = e.f, llvm_type(dtype, count), memory.scalar_pointer(e, at, at.index.ref)
    low = f.op(f"ptrtoint ptr {pointer} to i64")
    done = f.label("written")
    most = count * dtype.size
    for align, size in (min(most, memory.STREAM_ALIGN), most), (_PIECE, _PIECE):
        fits, other = f.label("line"), f.label("lines")
        f.branch(f.op(f"icmp eq i64 {f.op(f'and i64 {low}, {align - 1}')}, 0"), fits, other)
        f.start(fits)
        for place, part_type, part in _pieces(e, pointer, dtype, whole, (count, size)):
            f.do(f"store {part_type} {part}, ptr {place}, align {align}, !nontemporal !1")
        f.jump(done)
        f.start(other)
    f.store(t, whole, pointer, alignment(at, dtype))
    f.jump(done)
    f.start(done)


def _pieces(e: Emitter, pointer: str, dtype: DType, whole: str,
            sizes: tuple[int, int]) -> Iterable[tuple[str, str, str]]:
    """Return where each piece of a vector goes, its type, and the piece."""
    count, size = sizes
    t, many = llvm_type(dtype, count), size // dtype.size
    if many == count:
        yield pointer, t, whole
        return
    for first in range(0, count, many):
        yield e.f.gep(llvm_type(dtype), pointer, str(first)), llvm_type(dtype, many), \
            _shuffle(e, t, whole, "poison", range(first, first + many))


# ---- short rows of arrays
@dataclass(frozen=True, slots=True)
class ShortRow:
    """Elements of rows that may follow one another: if ``pitch`` is how many there are."""

    first: Address
    pitch: str


def short_row(e: Emitter, place: n.Place) -> ShortRow | None:
    """Return the rows that lanes are in, one by one; None if they are not in such rows."""
    base = place.base
    if not isinstance(base, n.Param) or not isinstance(base.type, View) \
            or not isinstance(base.type.elem, Scalar) or len(place.index) < 2 or place.inner \
            or not isinstance(place.index[-1], n.Const):
        return None
    *outer, row = [e.shapes.of(x) for x in place.index[:-1]]
    if row != sh.Shape(sh.LINEAR, 1) or any(x.rank >= sh.LINEAR for x in outer):
        return None
    total, pitch = e.lanes.const(0, INT64), None
    for d, x in enumerate(place.index):
        at = e.lanes.index(e.emit(e, x))
        pitches = memory.view_pitch(e, base, d)
        at = Val(UNIFORM, INT64, at.ref)
        total = e.lanes.add(total, at if pitches is None else e.lanes.mul(at, pitches))
        pitch = pitches if d == len(place.index) - 2 else pitch
    if pitch is None:
        return None
    size = base.type.elem.size
    return ShortRow(Address(memory.view_pointer(e, base), total, size, place.offset), pitch.ref)


_PADDED = {3: 4}
"""Of so many elements of a row that are asked for, how many it mostly has if it has more."""


def _padded(e: Emitter, count: int, *, stores: bool) -> tuple[int, ...]:
    """Return how far rows may be apart that have some elements more than are asked for."""
    step = _PADDED.get(count, 0)
    served = step and (masked_rows.serves(e, step) or (e.mask is None and not stores))
    return (step,) if served else ()


def _either(e: Emitter, row: ShortRow, dtype: DType,
            ways: dict[int, Callable[[], list[str]]], apart: Callable[[], list[str]]) -> list[str]:
    """Emit what serves rows of so many elements, and what serves others; return vectors."""
    f, type = e.f, llvm_type(dtype, e.lanes.lanes)
    done, homes = f.label("read"), list[str]()

    def write(emit: Callable[[], list[str]]) -> None:
        refs = emit()
        homes.extend([f.alloca(type) for _ in refs] if not homes else [])
        for home, ref in zip(homes, refs, strict=True):
            f.store(type, ref, home)
        f.jump(done)
    for step, emit in ways.items():
        fits, other = f.label("rows"), f.label("apart")
        f.branch(f.op(f"icmp eq i64 {row.pitch}, {step}"), fits, other)
        f.start(fits)
        write(emit)
        f.start(other)
    write(apart)
    f.start(done)
    return [f.load(type, home) for home in homes]


def _next(place: n.Place, k: int) -> n.Place:
    return replace(place, offset=place.offset + k * place.type.size)


def _part(at: Address, k: int, dtype: DType) -> Address:
    return replace(at, fixed=at.fixed + k * dtype.size)


def _is_row(at: Address, dtype: DType, count: int) -> bool:
    """Say whether the lanes' scalars follow one another from lane to lane."""
    return at.index.form == LINEAR and at.index.stride * at.scale == count * dtype.size


def _gap(e: Emitter, at: Address, dtype: DType, count: int) -> int:
    """Return how many scalars lanes are apart if that is a few more than ``count``, else 0."""
    step, left = divmod(at.index.stride * at.scale, dtype.size) if at.index.form == LINEAR \
        else (0, 0)
    return step if not left and count < step <= 2 * count and e.lanes.lanes > 1 else 0


# ---- shuffles
def _shuffle(e: Emitter, type: str, a: str, b: str, places: Iterable[int]) -> str:
    numbers = list(places)
    mask = f"<{len(numbers)} x i32> <" + ", ".join(f"i32 {k}" for k in numbers) + ">"
    return e.f.op(f"shufflevector {type} {a}, {type} {b}, {mask}")


def _joined(e: Emitter, dtype: DType, parts: Sequence[str], size: int) -> str:
    """Return vectors of ``size`` elements one after another; their number is a power of two."""
    while len(parts) > 1:
        type = llvm_type(dtype, size)
        size *= 2
        parts = [_shuffle(e, type, a, b, range(size))
                 for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def _interleaved(e: Emitter, dtype: DType, values: Sequence[Val], step: int) -> str:
    """Return the values of lane 0, then those of lane 1, and so on, ``step`` places apart."""
    w, count = e.lanes.lanes, len(values)
    refs = [e.lanes.vector(v) for v in values]
    full = 1 << (step - 1).bit_length()
    whole = _joined(e, dtype, refs + ["poison"] * (full - count), w)
    return _shuffle(e, llvm_type(dtype, full * w), whole, "poison",
                    (c * w + lane for lane in range(w) for c in range(step)))


def _wide_mask(e: Emitter, mask: str, count: int) -> str:
    """Return a mask with every lane's bit ``count`` times."""
    return _shuffle(e, e.mask_type, mask, "poison", (
        lane for lane in range(e.lanes.lanes) for _ in range(count)))


# ---- memory
def _load_rows(e: Emitter, at: Address, dtype: DType, count: int) -> str:
    size = count * e.lanes.lanes
    t, align = llvm_type(dtype, size), alignment(at, dtype)
    pointer = memory.scalar_pointer(e, at, at.index.ref)
    if e.mask is None:
        return e.f.load(t, pointer, align)
    name = f"llvm.masked.load.v{size}{memory.mangled(dtype)}.p0"
    e.f.module.declare(name, f"{t} @(ptr, i32, <{size} x i1>, {t})")
    return e.f.op(f"call {t} @{name}(ptr {pointer}, i32 {align}, <{size} x i1> "
                  f"{_wide_mask(e, e.mask, count)}, {t} poison)")


def _load_spaced(e: Emitter, at: Address, dtype: DType, count: int, step: int) -> list[str]:
    """Load scalars with gaps between lanes as two vectors that end with the last one asked for."""
    w = e.lanes.lanes
    half, whole = step * w // 2, step * (w - 1) + count
    t, align = llvm_type(dtype, half), alignment(at, dtype)
    pointer = memory.scalar_pointer(e, at, at.index.ref)
    low = e.f.load(t, pointer, align)
    high = e.f.load(t, e.f.gep(llvm_type(dtype), pointer, str(whole - half)), align)
    back = 2 * half - whole
    return [_shuffle(e, t, low, high, (
        step * lane + k + (back if lane >= w // 2 else 0) for lane in range(w)))
        for k in range(count)]


def _load_apart(e: Emitter, at: Address, dtype: DType, count: int) -> str:
    """Load a short vector for each lane; lanes that are off load zeros of our own."""
    w, t = e.lanes.lanes, llvm_type(dtype, count)
    many = memory.pointers(e, at)
    if e.mask is not None:
        safe = e.f.alloca(t)
        e.f.store(t, "zeroinitializer", safe)
        one = e.f.op(f"insertelement <{w} x ptr> poison, ptr {safe}, i64 0")
        spare = _shuffle(e, f"<{w} x ptr>", one, "poison", [0] * w)
        many = e.f.op(f"select {e.mask_type} {e.mask}, <{w} x ptr> {many}, <{w} x ptr> {spare}")
    parts = []
    for lane in range(w):
        pointer = e.f.op(f"extractelement <{w} x ptr> {many}, i64 {lane}")
        parts.append(e.f.load(t, pointer, alignment(at, dtype)))
    return _joined(e, dtype, parts, count)


def _store_rows(e: Emitter, at: Address, dtype: DType, whole: str, count: int) -> None:
    size = count * e.lanes.lanes
    t, align = llvm_type(dtype, size), alignment(at, dtype)
    pointer = memory.scalar_pointer(e, at, at.index.ref)
    if e.mask is None:
        e.f.store(t, whole, pointer, align)
        return
    mask = e.f.op(f"xor {e.mask_type} {e.mask}, {memory.no_lanes(e)}")
    name = f"llvm.masked.store.v{size}{memory.mangled(dtype)}.p0"
    e.f.module.declare(name, f"void @({t}, ptr, i32, <{size} x i1>)")
    e.f.do(f"call void @{name}({t} {whole}, ptr {pointer}, i32 {align}, <{size} x i1> "
           f"{_wide_mask(e, mask, count)})")


def _store_apart(e: Emitter, at: Address, dtype: DType, whole: str, count: int) -> None:
    """Store a short vector for each lane, the last lane last."""
    w = e.lanes.lanes
    wide, t = llvm_type(dtype, count * w), llvm_type(dtype, count)
    many = memory.pointers(e, at)
    for lane in range(w):
        pointer = e.f.op(f"extractelement <{w} x ptr> {many}, i64 {lane}")
        part = _shuffle(e, wide, whole, "poison", range(lane * count, (lane + 1) * count))
        e.f.store(t, part, pointer, alignment(at, dtype))
