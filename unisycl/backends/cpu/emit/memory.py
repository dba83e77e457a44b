"""Loads and stores: picks scalar, contiguous, masked, strided or gathered access from the address.

Non-goals: what is stored. Invariant: nothing else in the backend looks at strides; a lane that is
off touches no memory.
"""

from __future__ import annotations

import math

from unisycl.backends.cpu.emit import small_tables
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, VECTOR, Val
from unisycl.backends.cpu.emit.text import constant, llvm_type
from unisycl.base.dataclass import dataclass, replace
from unisycl.base.dtypes import BOOL, INT64, UINT8, UINT64, DType
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir.constant_tables import Table
from unisycl.ir.types import Scalar, View
from unisycl.passes.simd import costs

STREAM_ALIGN = 64
_AVX2 = 256


@dataclass(slots=True)
class Address:
    """A base pointer and a byte or element offset; ``scale`` is what one step of index spans.

    ``strided``: lanes are as far apart as their neighbours, in each dimension. ``even``: the index
    of the first lane and the distance to the next, of places whose index tells both.
    ``own``: each lane has an element there, also one that is off, and nobody else looks at it.
    """

    base: str
    index: Val
    scale: int
    fixed: int = 0
    strided: bool = False
    even: tuple[Val, Val] | None = None
    own: bool = False


def storage(dtype: DType) -> DType:
    """Return the type a scalar has in memory."""
    return UINT8 if dtype is BOOL or dtype.kind == "b" else dtype


# ---- addresses
def address(e: Emitter, place: n.Place, *, near: bool = False) -> Address:
    """Return where a place lies; ``near``: from a pointer to where what lanes share leads."""
    base = place.base
    if isinstance(base, n.Array) and is_private(place):
        return _private(e, place, base)
    lanes = e.lanes
    if isinstance(base.type, View):
        pointer, size = view_pointer(e, base), base.type.elem.size
        steps = [e.emit(e, x) for x in place.index]
        shared, index = sums(e, base, steps, apart=near)
        even = None if place.inner else _even(e, base, steps, index)
        if shared.ref != "0":
            pointer = e.f.op(f"getelementptr [{size} x i8], ptr {pointer}, i64 {shared.ref}")
    else:
        assert isinstance(base, n.Param)
        pointer = e.slot_address(e.layout.params[base.index])
        index, even = lanes.const(0, INT64), None
        size = 1
    if not place.inner:
        return Address(pointer, index, size, place.offset, even=even)
    if len(place.inner) == 1 and index.ref == "0" and index.form == UNIFORM:
        x, width = place.inner[0]  # gathers scale by such widths themselves
        return Address(pointer, lanes.index(e.emit(e, x)), width, place.offset)
    total = lanes.mul(index, lanes.const(size, INT64))
    for x, width in place.inner:
        total = lanes.add(total, lanes.mul(lanes.index(e.emit(e, x)),
                                           lanes.const(width, INT64)))
    return Address(pointer, total, 1, place.offset)


def sums(e: Emitter, base: n.Base, values: list[Val], *, apart: bool = True) -> tuple[Val, Val]:
    """Return what all lanes share of an index, if that is to be ``apart``, and the rest.

    Gathers add a pointer by themselves.
    """
    lanes, zero = e.lanes, e.lanes.const(0, INT64)
    apart = apart and any(x.form == VECTOR for x in values) and not isinstance(base, n.Heap)
    shared, index = zero, zero
    for d, x in enumerate(values):
        pitch = None if isinstance(base, n.Heap) else view_pitch(e, base, d)
        part = lanes.index(x) if pitch is None else lanes.mul(lanes.index(x), pitch)
        if apart and x.form == UNIFORM:
            shared = lanes.add(shared, part)
        else:
            index = lanes.add(index, part)
    return shared, index


def _even(e: Emitter, base: n.Base, steps: list[Val], index: Val) -> tuple[Val, Val] | None:
    """Return the index of the first lane and how far the next is; None if lanes differ more."""
    if index.form != VECTOR:
        return None if index.form == UNIFORM else (
            Val(UNIFORM, INT64, index.ref), e.lanes.const(index.stride, INT64))
    if isinstance(base, n.Heap) or any(x.form == VECTOR for x in steps):
        return None
    assert isinstance(base, n.Param | n.Array)
    lanes = e.lanes
    first = apart = lanes.const(0, INT64)
    for d, x in enumerate(steps):
        step, pitch = lanes.index(x), view_pitch(e, base, d)
        here, far = Val(UNIFORM, INT64, step.ref), lanes.const(step.stride, INT64)
        first = lanes.add(first, here if pitch is None else lanes.mul(here, pitch))
        if step.form == LINEAR:
            apart = lanes.add(apart, far if pitch is None else lanes.mul(far, pitch))
    return first, apart


def view_pointer(e: Emitter, base: n.Base) -> str:
    """Return the address of a view's first element."""
    if isinstance(base, Table):
        return _table(e, base)
    if isinstance(base, n.Array):
        return e.arrays[base]
    if isinstance(base, n.Heap):
        return _nowhere(e)
    slot = e.layout.params[base.index]
    assert isinstance(base.type, View)
    if base.type.space is address_space.local_space:
        return e.f.gep("i8", e.local_base, e.slot(slot))
    return e.slot(slot, "ptr")


def _table(e: Emitter, table: Table) -> str:
    """Return the name of a constant in memory."""
    assert isinstance(table.type.elem, Scalar)
    dtype = table.type.elem.dtype
    type = llvm_type(dtype)
    numbers = ", ".join(f"{type} {constant(x, dtype)}" for x in table.values)
    return e.f.module.table(f"[{numbers}]", f"[{len(table.values)} x {type}]")


def _nowhere(e: Emitter) -> str:
    """Return the address 0 that the optimiser takes for any: what is known addresses start from."""
    key = (-2, "i64")
    if key not in e.cache:
        e.cache[key] = e.f.hidden_zero("i64", "ptr")
    return e.cache[key]


def number(e: Emitter, place: n.Place) -> Val:
    """Return the address of a place as an integer."""
    at, lanes = address(e, place), e.lanes
    start = Val(UNIFORM, INT64, e.f.op(f"ptrtoint ptr {at.base} to i64"))
    offset = lanes.mul(at.index, lanes.const(at.scale, INT64))
    whole = lanes.add(lanes.add(start, offset), lanes.const(at.fixed, INT64))
    if whole.form == UNIFORM:
        return Val(UNIFORM, UINT64, whole.ref)
    return Val(VECTOR, UINT64, lanes.vector(whole))


def view_extent(e: Emitter, base: n.Param | n.Array, dim: int) -> Val:
    """Return the extent of a view in one dimension."""
    if isinstance(base, n.Array):
        return e.lanes.const(base.shape[dim], INT64)
    return Val(UNIFORM, INT64, e.slot(e.layout.params[base.index] + 1 + dim))


def view_pitch(e: Emitter, base: n.Param | n.Array, dim: int) -> Val | None:
    """Return how many elements one step in a dimension spans; None for the last one, where 1."""
    assert isinstance(base.type, View)
    last = base.type.ndim - 1
    if dim == last and not base.type.spread:
        return None
    if isinstance(base, n.Param) and base.type.space is not address_space.local_space:
        slot = e.layout.params[base.index] + 1 + base.type.ndim + dim
        return Val(UNIFORM, INT64, e.slot(slot))
    pitch = view_extent(e, base, last)
    for d in range(dim + 1, last):
        pitch = e.lanes.mul(pitch, view_extent(e, base, d))
    return pitch


def _private(e: Emitter, place: n.Place, array: n.Array) -> Address:
    """Private arrays lie number by number, lanes side by side, also inside records.

    One that all lanes have in common has each number once.
    """
    lanes, common = e.lanes, e.shapes.one_copy(array)
    elem, size = array.type.elem, storage(place.type.dtype).size
    steps = [elem.size * math.prod(array.shape[d + 1:]) for d in range(len(array.shape))]
    steps += [step for _, step in place.inner]
    unit = size if all(s % size == 0 for s in (*steps, place.offset)) else 1
    width = 1 if common else lanes.lanes
    index = lanes.const(place.offset // unit * width, INT64)
    for x, step in zip((*place.index, *(x for x, _ in place.inner)), steps, strict=True):
        index = lanes.add(index, lanes.mul(lanes.index(e.emit(e, x)),
                                           lanes.const(step // unit * width, INT64)))
    stride = size // unit
    if width == 1 and (common or index.form == UNIFORM):
        full = index
    elif index.form == UNIFORM:
        full = Val(LINEAR, INT64, index.ref, stride)
    else:
        full = lanes.add(index, Val(VECTOR, INT64, lanes.iota(INT64, stride)))
    return Address(e.arrays[array], full, unit, own=not common)


def is_private(place: n.Place) -> bool:
    """Say whether a place lies in a private array."""
    base = place.base
    return isinstance(base, n.Array) and base.type.space is address_space.private_space


def scalar_pointer(e: Emitter, at: Address, ref: str) -> str:
    """Return the pointer of one lane's element, given its index."""
    pointer = e.f.gep(f"[{at.scale} x i8]", at.base, ref)
    return e.f.gep("i8", pointer, str(at.fixed)) if at.fixed else pointer


def pointers(e: Emitter, at: Address) -> str:
    """Return a vector of pointers.

    Where lanes are evenly apart, they are the first lane's and a distance that loops leave alone.
    """
    w, lanes, base = e.lanes.lanes, e.lanes, at.base
    if at.even is None:
        index = lanes.vector(at.index)
    else:
        first, apart = at.even
        base = _lonely(e, at, first.ref)
        index = lanes.vector(lanes.mul(Val(VECTOR, INT64, lanes.iota(INT64, 1)), apart))
    many = e.f.op(f"getelementptr inbounds [{at.scale} x i8], ptr {base}, <{w} x i64> {index}")
    if at.fixed:
        many = e.f.op(f"getelementptr inbounds i8, <{w} x ptr> {many}, i64 {at.fixed}")
    return many


def _lonely(e: Emitter, at: Address, index: str) -> str:
    """Return the pointer of a lane by a sum of integers.

    LLVM would add what loops leave alone to the pointer first, and then to a vector of pointers
    what they do not. And the first lane may be off, and outside of the memory.
    """
    start = e.f.op(f"ptrtoint ptr {at.base} to i64")
    behind = e.f.op(f"mul i64 {index}, {at.scale}")
    return e.f.op(f"inttoptr i64 {e.f.op(f'add i64 {start}, {behind}')} to ptr")


def alignment(at: Address, dtype: DType) -> int:
    """Return what an element's address is a multiple of: members of packed records of nothing."""
    size = dtype.size
    return size if at.scale % size == 0 and at.fixed % size == 0 else 1


# ---- loads
def load(e: Emitter, place: n.Place) -> Val:
    """Emit a load."""
    found = small_tables.look_up(e, place)
    if found is not None:
        return loaded(e, place, found)
    at = address(e, place, near=True)
    at.strided = not is_private(place) and costs.is_strided(place, e.shapes)
    return loaded(e, place, load_at(e, at, storage(place.type.dtype)))


def loaded(e: Emitter, place: n.Place, value: Val) -> Val:
    """Return what was read from a place as a value."""
    if place.type.dtype.kind == "b":
        return e.lanes.compare("ne", value, e.lanes.const(0, UINT8))
    return value


def load_at(e: Emitter, at: Address, dtype: DType) -> Val:
    """Emit a load of numbers at an address."""
    if at.index.form == UNIFORM:
        return Val(UNIFORM, dtype, load_one(e, at, dtype))
    if at.index.form == LINEAR and at.index.stride * at.scale == dtype.size:
        return Val(VECTOR, dtype, _load_row(e, at, dtype))
    if _is_backwards(at, dtype):
        mask, t = e.mask, llvm_type(dtype, e.lanes.lanes)
        e.mask = None if mask is None else _turned(e, e.mask_type, mask)
        row = _load_row(e, _from_last(e, at), dtype)
        e.mask = mask
        return Val(VECTOR, dtype, _turned(e, t, row))
    return Val(VECTOR, dtype, _gather(e, at, dtype))


def _is_backwards(at: Address, dtype: DType) -> bool:
    """Say whether lanes reach elements side by side, the last one the first."""
    return at.index.form == LINEAR and at.index.stride * at.scale == -dtype.size


def _from_last(e: Emitter, at: Address) -> Address:
    """Return a row from the address of the last lane on."""
    far = (e.lanes.lanes - 1) * at.index.stride
    first, step = e.f.op(f"add i64 {at.index.ref}, {far}"), -at.index.stride
    return replace(at, index=Val(LINEAR, INT64, first, step),
                   even=(Val(UNIFORM, INT64, first), e.lanes.const(step, INT64)))


def _turned(e: Emitter, type: str, value: str) -> str:
    """Return a vector with its lanes the other way round."""
    w = e.lanes.lanes
    places = ", ".join(f"i32 {w - 1 - k}" for k in range(w))
    return e.f.op(f"shufflevector {type} {value}, {type} poison, <{w} x i32> <{places}>")


def load_one(e: Emitter, at: Address, dtype: DType) -> str:
    """Load the scalar that all lanes share."""
    t = llvm_type(dtype)
    pointer = scalar_pointer(e, at, at.index.ref)
    if e.mask is not None and e.maybe_empty:
        safe = e.f.alloca(t)
        e.f.store(t, "zeroinitializer", safe)
        pointer = e.f.op(f"select i1 {e.any(e.mask)}, ptr {pointer}, ptr {safe}")
    return e.f.load(t, pointer, alignment(at, dtype))


def _load_row(e: Emitter, at: Address, dtype: DType) -> str:
    t = llvm_type(dtype, e.lanes.lanes)
    pointer = scalar_pointer(e, at, at.index.ref)
    if e.mask is None or _is_there(e, at):
        return e.f.load(t, pointer, alignment(at, dtype))
    if _is_short(e, dtype):
        return _one_by_one(e, at, dtype)
    name = f"llvm.masked.load.v{e.lanes.lanes}{mangled(dtype)}.p0"
    e.f.module.declare(name, f"{t} @(ptr, i32, {e.mask_type}, {t})")
    return e.f.op(f"call {t} @{name}(ptr {pointer}, i32 {alignment(at, dtype)}, "
                  f"{e.mask_type} {e.mask}, {t} poison)")


def _is_there(e: Emitter, at: Address) -> bool:
    """Say whether a row may be touched in all lanes: its place is right, as some lane is on."""
    return at.own and not e.maybe_empty


def _is_short(e: Emitter, dtype: DType) -> bool:
    """Say whether rows of a type have no instruction under a mask: LLVM branches for each lane."""
    return e.widest == _AVX2 and dtype.size < 4


def _branches(e: Emitter, dtype: DType) -> bool:
    """Say whether LLVM makes a branch for each lane of a gather or scatter of a type.

    AVX-512 has none of short elements, and the mask of all lanes is one that LLVM does not know.
    """
    return e.widest > _AVX2 and dtype.size < 4


def mangled(dtype: DType) -> str:
    """Return how a type is spelt in the name of an intrinsic."""
    return ("f" if dtype.is_float else "i") + str(dtype.bits)


def _gather(e: Emitter, at: Address, dtype: DType) -> str:
    w = e.lanes.lanes
    t = llvm_type(dtype, w)
    if (e.widest == _AVX2 and (at.strided or (e.mask is None and dtype.size == 8))) \
            or _branches(e, dtype):
        return _one_by_one(e, at, dtype)
    name = f"llvm.masked.gather.v{w}{mangled(dtype)}.v{w}p0"
    e.f.module.declare(name, f"{t} @(<{w} x ptr>, i32, {e.mask_type}, {t})")
    mask = e.mask if e.mask is not None else every_lane(e)
    return e.f.op(f"call {t} @{name}(<{w} x ptr> {pointers(e, at)}, i32 {alignment(at, dtype)}, "
                  f"{e.mask_type} {mask}, {t} poison)")


def _one_by_one(e: Emitter, at: Address, dtype: DType) -> str:
    """Load each lane's element by itself.

    Their places cost little where they follow one another, and what a kernel has just written there
    reaches such loads before it reaches a gather of AVX2. A gather of four elements of 8 bytes
    costs more than four loads where no mask is to be asked (decision 0230). Lanes that are off read
    a zero.
    """
    t, found = llvm_type(dtype, e.lanes.lanes), "poison"
    for k, one in enumerate(_each_pointer(e, at)):
        one = e.f.load(llvm_type(dtype), one, alignment(at, dtype))
        found = e.f.op(f"insertelement {t} {found}, {llvm_type(dtype)} {one}, i64 {k}")
    return found


def _each_pointer(e: Emitter, at: Address) -> list[str]:
    """Return the pointer of each lane, in scalar arithmetic where lanes are as far apart."""
    w = e.lanes.lanes
    if at.even is None or e.mask is not None:
        many = _safe_pointers(e, at)
        return [e.f.op(f"extractelement <{w} x ptr> {many}, i64 {k}") for k in range(w)]
    first, apart = at.even
    start = scalar_pointer(e, at, first.ref)
    return [e.f.gep(f"[{at.scale} x i8]", start, e.f.op(f"mul i64 {apart.ref}, {k}"))
            for k in range(w)]


def _safe_pointers(e: Emitter, at: Address) -> str:
    """Return a vector of pointers, to a number of our own for lanes that are off."""
    many = pointers(e, at)
    if e.mask is None:
        return many
    safe, kind = e.f.alloca("i64"), f"<{e.lanes.lanes} x ptr>"
    e.f.store("i64", "0", safe)
    one = e.f.op(f"insertelement {kind} poison, ptr {safe}, i64 0")
    nowhere = e.f.op(f"shufflevector {kind} {one}, {kind} poison, "
                     f"<{e.lanes.lanes} x i32> zeroinitializer")
    return e.f.op(f"select {e.mask_type} {e.mask}, {kind} {many}, {kind} {nowhere}")


# ---- stores
def store(e: Emitter, place: n.Place, value: Val) -> None:
    """Emit a store; lanes that write one address leave the value of the last of them."""
    at = address(e, place, near=True)
    dtype = storage(place.type.dtype)
    if place.type.dtype.kind == "b":
        value = e.lanes.map(UINT8, "zext {t} {0} to {to}", value)
    store_at(e, at, dtype, value, past=e.streaming and e.stream is not None
             and place.base is e.stream.param)


def store_at(e: Emitter, at: Address, dtype: DType, value: Val, *, past: bool = False) -> None:
    """Emit a store of numbers at an address, ``past`` the caches if they lie side by side."""
    if at.index.form == UNIFORM:
        store_one(e, at, dtype, value)
    elif at.index.form == LINEAR and at.index.stride * at.scale == dtype.size:
        _store_row(e, at, dtype, e.lanes.vector(value), past_caches=past)
    elif _is_backwards(at, dtype):
        mask, t = e.mask, llvm_type(dtype, e.lanes.lanes)
        e.mask = None if mask is None else _turned(e, e.mask_type, mask)
        _store_row(e, _from_last(e, at), dtype, _turned(e, t, e.lanes.vector(value)),
                   past_caches=False)
        e.mask = mask
    else:
        scatter(e, at, dtype, e.lanes.vector(value))


def store_one(e: Emitter, at: Address, dtype: DType, value: Val) -> None:
    """Store to an address that all lanes share: the last lane's value stays."""
    t = llvm_type(dtype)
    pointer = scalar_pointer(e, at, at.index.ref)
    if e.mask is None:
        ref = value.ref
        if value.form != UNIFORM:
            vector = llvm_type(dtype, e.lanes.lanes)
            ref = e.f.op(f"extractelement {vector} {e.lanes.vector(value)}, "
                         f"i64 {e.lanes.lanes - 1}")
        e.f.store(t, ref, pointer, alignment(at, dtype))
        return
    bits = e.bits(e.mask)
    some, done = e.f.label("one"), e.f.label("done")
    e.f.branch(e.f.op(f"icmp ne {e.mask_bits} {bits}, 0"), some, done)
    e.f.start(some)
    e.f.store(t, value.ref if value.form == UNIFORM else last_active(e, bits, value), pointer,
              alignment(at, dtype))
    e.f.jump(done)
    e.f.start(done)


def last_active(e: Emitter, bits: str, value: Val) -> str:
    """Return the value of the highest lane that is on."""
    b = e.mask_bits
    e.f.module.declare(f"llvm.ctlz.{b}", f"{b} @({b}, i1)")
    zeros = e.f.op(f"call {b} @llvm.ctlz.{b}({b} {bits}, i1 true)")
    lane = e.f.op(f"sub {b} {e.lanes.lanes - 1}, {zeros}")
    vector = llvm_type(value.dtype, e.lanes.lanes)
    return e.f.op(f"extractelement {vector} {e.lanes.vector(value)}, {b} {lane}")


def _store_row(e: Emitter, at: Address, dtype: DType, value: str, *, past_caches: bool) -> None:
    t = llvm_type(dtype, e.lanes.lanes)
    pointer = scalar_pointer(e, at, at.index.ref)
    if e.mask is None and past_caches:
        e.f.do(f"store {t} {value}, ptr {pointer}, align {STREAM_ALIGN}, !nontemporal !1")
        return
    if e.mask is not None and _is_there(e, at):
        old = e.f.load(t, pointer, alignment(at, dtype))
        value = e.f.op(f"select {e.mask_type} {e.mask}, {t} {value}, {t} {old}")
    if e.mask is None or _is_there(e, at):
        e.f.store(t, value, pointer, alignment(at, dtype))
        return
    if _is_short(e, dtype):
        scatter(e, at, dtype, value)
        return
    mask = e.mask
    if not dtype.is_float and dtype.bits < 64:
        mask = e.f.op(f"xor {e.mask_type} {mask}, {no_lanes(e)}")
    name = f"llvm.masked.store.v{e.lanes.lanes}{mangled(dtype)}.p0"
    e.f.module.declare(name, f"void @({t}, ptr, i32, {e.mask_type})")
    e.f.do(f"call void @{name}({t} {value}, ptr {pointer}, i32 {alignment(at, dtype)}, "
           f"{e.mask_type} {mask})")


def no_lanes(e: Emitter) -> str:
    """Return a mask without lanes that LLVM cannot see through.

    X86 in LLVM 20 to 22 turns a masked store of a truncated vector whose mask is a constant with
    one lane on into a scalar store of the wide element (X86ISelLowering, combineMaskedStore).
    """
    key = (-1, e.mask_bits)
    if key not in e.cache:
        e.cache[key] = e.f.hidden_zero(e.mask_bits, e.mask_type)
    return e.cache[key]


def every_lane(e: Emitter) -> str:
    """Return a mask of all lanes for a gather, which clears the register that its mask is in.

    Where masks have registers, LLVM makes a constant one anew for each gather from a register
    that comparisons write meanwhile, so that gathers wait for these; one that it cannot see
    through it copies.
    """
    if e.widest < 512:
        return "splat (i1 true)"
    key = (-3, e.mask_bits)
    if key not in e.cache:
        zero = e.f.hidden_zero(e.mask_bits, e.mask_bits)
        ones = e.f.early(f"xor {e.mask_bits} {zero}, -1")
        e.cache[key] = e.f.early(f"bitcast {e.mask_bits} {ones} to {e.mask_type}")
    return e.cache[key]


def scatter(e: Emitter, at: Address, dtype: DType, value: str) -> None:
    """Store a vector lane by lane.

    AVX2 has no instruction for that, nor has AVX-512 of short elements, and LLVM makes a branch
    for each lane that a mask turns off; such lanes store where nobody looks instead.
    """
    w = e.lanes.lanes
    t = llvm_type(dtype, w)
    if e.widest == _AVX2 or _branches(e, dtype):
        for k, one in enumerate(_each_pointer(e, at)):
            part = e.f.op(f"extractelement {t} {value}, i64 {k}")
            e.f.store(llvm_type(dtype), part, one, alignment(at, dtype))
        return
    name = f"llvm.masked.scatter.v{w}{mangled(dtype)}.v{w}p0"
    e.f.module.declare(name, f"void @({t}, <{w} x ptr>, i32, {e.mask_type})")
    mask = e.mask if e.mask is not None else every_lane(e)
    e.f.do(f"call void @{name}({t} {value}, <{w} x ptr> {pointers(e, at)}, "
           f"i32 {alignment(at, dtype)}, {e.mask_type} {mask})")
