"""Watched accesses: what nobody wrote, and races, by memory that shadows the kernel's own.

Of local and private memory a twin of equal size stands behind it, which has bits where somebody
wrote. For races each cell of memory has three words: who wrote it last, and two of those who read
it since (``passes.checks.watches`` says what for, ``watch_words`` how they look). Non-goals: memory
of the words (``watching``). Invariant: a launch that looks for races runs on one thread, so that
words change in the order of the accesses; lanes that are off are not seen.
"""

from __future__ import annotations

from unisycl.backends.cpu.checks import watching
from unisycl.backends.cpu.emit import memory, printing, watch_words
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, VECTOR, Val
from unisycl.backends.cpu.emit.memory import Address
from unisycl.backends.reports import Site, Watched
from unisycl.base.checked_mode import UNWRITTEN
from unisycl.base.dataclass import replace
from unisycl.base.dtypes import BOOL, INT8, INT16, INT32, INT64, UINT64, DType
from unisycl.base.enums import address_space, memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import shadow_words
from unisycl.ir.types import Scalar, Struct, View
from unisycl.ir.watch_statements import Synced, Unwritten, Watch
from unisycl.passes.checks import watches

_OF_SIZE = {1: INT8, 2: INT16, 4: INT32, 8: INT64}


def emit(e: Emitter, stmt: Watch) -> None:
    """Emit what is done before an access."""
    if stmt.fresh:
        for k in range(stmt.count):
            _fresh(e, stmt, replace(stmt.place, offset=stmt.place.offset + k * _size(stmt)))
    if stmt.races:
        _races(e, stmt)


def synced(e: Emitter, stmt: Synced) -> None:
    """Count something that may order accesses of several items."""
    where, f = _table(e), e.f
    now = f.load("i64", where)
    f.store("i64", f.op(f"add i64 {now}, 1"), where)


def unwritten(e: Emitter, stmt: Unwritten) -> None:
    """Clear the twins of the private arrays of the work-items that run together."""
    for array, size in e.twins.items():
        if array in stmt.arrays and array in e.arrays:
            clear(e, e.f.gep("i8", e.arrays[array], str(size)),
                  str(array.nbytes * e.lanes.lanes))


def begin_group(e: Emitter) -> None:
    """Clear the twins of local memory, in front of a work-group."""
    if e.local_base:
        size = e.slot(e.layout.local_bytes)
        clear(e, e.f.gep("i8", e.local_base, size), size)
    for array, bytes in e.twins.items():
        if array.type.space is not address_space.private_space:
            clear(e, e.f.gep("i8", e.arrays[array], str(bytes)), str(bytes))


def clear(e: Emitter, where: str, size: str) -> None:
    """Emit a fill with zeros."""
    e.f.module.declare("llvm.memset.p0.i64", "void @(ptr, i8, i64, i1)")
    e.f.do(f"call void @llvm.memset.p0.i64(ptr {where}, i8 0, i64 {size}, i1 false)")


def _size(stmt: Watch) -> int:
    return memory.storage(stmt.place.type.dtype).size


# ---- what nobody wrote
def _fresh(e: Emitter, stmt: Watch, place: n.Place) -> None:
    """Mark a number as written, or report that it is not."""
    base = place.base
    assert isinstance(base.type, View)
    if isinstance(base, n.Heap) or base.type.space not in (
            address_space.local_space, address_space.private_space):
        _filled(e, stmt, place)
        return
    at = memory.address(e, place)
    twin = e.twins[base] if isinstance(base, n.Array) else None
    behind = str(twin) if twin is not None else e.slot(e.layout.local_bytes)
    at = Address(e.f.gep("i8", at.base, behind), at.index, at.scale, at.fixed)
    dtype = _OF_SIZE[_size(stmt)]
    if stmt.writes:
        memory.store_at(e, at, dtype, e.lanes.const(-1, dtype))
        return
    known = memory.load_at(e, at, dtype)
    missing = e.lanes.compare("eq", known, e.lanes.const(0, dtype))
    _report_if(e, missing, stmt, ())


def _filled(e: Emitter, stmt: Watch, place: n.Place) -> None:
    """Report a number of global memory that is, with its neighbour, as fresh USM is filled."""
    f, lanes = e.f, e.lanes
    dtype = _OF_SIZE[_size(stmt)]
    found = memory.load_at(e, memory.address(e, place), dtype)
    like = lanes.compare("eq", found, lanes.const(_filling(dtype), dtype))
    some, done = f.label("alike"), f.label("other")
    frozen = e.and_mask(f.op(f"freeze {e.mask_type} {lanes.vector(like)}"))
    f.branch(e.any(frozen), some, done, unlikely=True)
    f.start(some)
    number = lanes.cast(memory.number(e, place), INT64)
    around = Val(VECTOR, INT64, lanes.vector(lanes.logic("and", number, lanes.const(-8, INT64))))
    word = memory.load_at(e, Address("null", around, 1), INT64)
    whole = lanes.compare("eq", word, lanes.const(_filling(INT64), INT64))
    _report_if(e, lanes.logic("and", like, whole), stmt, ())
    f.jump(done)
    f.start(done)


def _filling(dtype: DType) -> int:
    """Return the number that fresh USM holds."""
    return int.from_bytes(bytes([UNWRITTEN] * dtype.size), "little", signed=True)


# ---- races
def _table(e: Emitter) -> str:
    """Return where the words of a launch are told (``watching``)."""
    return e.slot(e.layout.watch, "ptr")


def _entry(e: Emitter, number: int) -> str:
    return e.f.load("i64", e.f.gep("i64", _table(e), str(number)))


def _races(e: Emitter, stmt: Watch) -> None:
    f, base = e.f, stmt.place.base
    number = watching.BASES + 2 * e.watched.index(base)
    words = _entry(e, number)
    look, done = f.label("watched"), f.label("seen")
    f.branch(f.op(f"icmp ne i64 {words}, 0"), look, done)
    f.start(look)
    stride = _entry(e, watching.STRIDE)
    local = isinstance(base.type, View) and base.type.space is address_space.local_space
    mask = e.full()
    cells = stmt.count * _size(stmt) // e.granule
    key = _key(e, stmt) if local and watch_words.calms(stmt) else ""
    if key and cells == 1 and not stmt.writes:
        _pass_calm(e, stmt, words, stride, key, done)
    if isinstance(base, n.Heap):
        where = watch_words.region(e, _cells(e, stmt), words, _entry(e, number + 1))
        mask = f.op(f"icmp ne {_wide(e)} {where}, zeroinitializer")
        mask = e.and_mask(mask)
    else:
        where = watch_words.cell(e, _cells(e, stmt), words)
    site = len(e.sites)
    now = _now(e, stmt, site)
    if not local and not isinstance(base, n.Heap) and base not in e.written:
        mark, full = f.label("mark"), f.label("full")
        f.branch(f.op(f"icmp ne i64 {_entry(e, number + 1)}, 0"), mark, full)
        f.start(mark)
        for k in range(cells):
            watch_words.mark(e, where, 8 * k, now)
        f.jump(done)
        f.start(full)
    found, lie = "", _lie(e, stmt) if cells == 1 else watch_words.MANY
    for k in range(cells):
        other = watch_words.look(e, where, 8 * k, (stride, mask, now, key), stmt, local=local,
                                 lie=lie)
        found = other if not found else e.f.op(
            f"select {e.mask_type} {_some(e, found)}, {_wide(e)} {found}, {_wide(e)} {other}")
    _report_if(e, Val(VECTOR, BOOL, _some(e, found)), stmt, (Val(VECTOR, UINT64, found),))
    f.jump(done)
    f.start(done)


def _lie(e: Emitter, stmt: Watch) -> str:
    """Return how the cells of the lanes lie, if each has one."""
    if isinstance(stmt.place.base, n.Heap) or e.lanes.lanes == 1:
        return watch_words.MANY
    at = memory.address(e, stmt.place)
    if at.index.form == LINEAR and at.index.stride * at.scale == e.granule:
        return watch_words.ROW
    nobody = e.mask is not None and e.maybe_empty
    if at.index.form == UNIFORM and not (nobody or stmt.writes or stmt.scope is not None
                                         or stmt.who.parts):
        return watch_words.ONE
    return watch_words.MANY


def _key(e: Emitter, stmt: Watch) -> str:
    """Return what marks cells of local memory in which this stretch of the group is calm."""
    lanes = e.lanes
    _, first, turn, _ = (e.emit(e, x) for x in stmt.here)
    at, most = shadow_words.TURN
    word = lanes.logic("and", _form(e, first), lanes.const(shadow_words.ITEM, INT64))
    parts = [(_form(e, turn), at, most)]
    if stmt.who.syncs:
        parts.append((Val(UNIFORM, INT64, _entry(e, watching.SYNC)), *shadow_words.SYNC))
    for value, at, most in parts:
        cut = lanes.call("llvm.umin", INT64, value, lanes.const(most, INT64))
        word = lanes.logic("or", word, lanes.map(INT64, "shl {t} {0}, {1}", cut,
                                                 lanes.const(at, INT64)))
    return lanes.vector(lanes.logic("or", word, lanes.const(-(1 << 63), INT64)))


def _form(e: Emitter, value: Val) -> Val:
    return Val(VECTOR, INT64, e.lanes.vector(value)) if value.form == LINEAR else value


def _pass_calm(e: Emitter, stmt: Watch, words: str, stride: str, key: str, done: str) -> None:
    """Go on at once where two others have read what is read, since it was written long ago."""
    f, lanes, w = e.f, e.lanes, e.lanes.lanes
    at = memory.address(e, stmt.place)
    shift = e.granule.bit_length() - 1
    start = f.op(f"sub i64 {f.op(f'ptrtoint ptr {at.base} to i64')}, {_origin(e, stmt)}")
    plane = f.op(f"add i64 {words}, {f.op(f'mul i64 {stride}, 3')}")
    nobody = e.mask is not None and e.maybe_empty  # whose index may lead anywhere
    if at.index.form == VECTOR or w == 1 or (nobody and at.index.form == UNIFORM):
        where = watch_words.cell(e, _cells(e, stmt), plane)
        found = watch_words.gather(e, where)
    else:
        first = f.op(f"mul i64 {at.index.ref}, {at.scale}")
        first = f.op(f"add i64 {f.op(f'add i64 {first}, {start}')}, {at.fixed}")
        first = f.op(f"shl i64 {f.op(f'lshr i64 {first}, {shift}')}, 3")
        place = f.op(f"inttoptr i64 {f.op(f'add i64 {first}, {plane}')} to ptr")
        if at.index.form == UNIFORM:
            found = lanes.vector(Val(UNIFORM, INT64, f.load("i64", place)))
        elif at.index.stride * at.scale == e.granule:
            name = f"llvm.masked.load.v{w}i64.p0"
            f.module.declare(name, f"{_wide(e)} @(ptr, i32, {e.mask_type}, {_wide(e)})")
            found = f.op(f"call {_wide(e)} @{name}(ptr {place}, i32 8, {e.mask_type} {e.full()}, "
                         f"{_wide(e)} {key})")
        else:
            where = watch_words.cell(e, _cells(e, stmt), plane)
            found = watch_words.gather(e, where)
    other = e.and_mask(f.op(f"icmp ne {_wide(e)} {found}, {key}"))
    slow = f.label("restless")
    f.branch(e.any(other), slow, done, unlikely=True)
    f.start(slow)


def _wide(e: Emitter) -> str:
    return f"<{e.lanes.lanes} x i64>"


def _some(e: Emitter, found: str) -> str:
    return e.f.op(f"icmp ne {_wide(e)} {found}, zeroinitializer")


def _cells(e: Emitter, stmt: Watch) -> str:
    """Return the numbers of the first cells of a place, for all lanes."""
    lanes = e.lanes
    at = memory.number(e, stmt.place)
    shift = e.granule.bit_length() - 1
    origin = _origin(e, stmt)
    if origin != "0":
        at = lanes.sub(at, Val(UNIFORM, UINT64, origin))
    return lanes.vector(lanes.map(UINT64, "lshr {t} {0}, {1}", at, lanes.const(shift, UINT64)))


def _origin(e: Emitter, stmt: Watch) -> str:
    """Return the address that cells of local memory are counted from, 0 of other memory."""
    base = stmt.place.base
    if isinstance(base, n.Array):
        return e.f.op(f"ptrtoint ptr {e.arrays[base]} to i64")
    if isinstance(base, n.Param) and isinstance(base.type, View) and (
            base.type.space is address_space.local_space):
        return e.f.op(f"ptrtoint ptr {memory.view_pointer(e, base)} to i64")
    return "0"


def _now(e: Emitter, stmt: Watch, site: int) -> str:
    """Return the word of this access."""
    lanes, f = e.lanes, e.f
    item, _, turn, part = (e.emit(e, x) for x in stmt.here)
    sync = Val(UNIFORM, INT64, f.load("i64", _table(e)))
    word = lanes.logic("and", Val(item.form, item.dtype, item.ref, item.stride)
                       if item.form != LINEAR else Val(VECTOR, INT64, lanes.vector(item)),
                       lanes.const(shadow_words.ITEM, INT64))
    for value, (at, most) in ((turn, shadow_words.TURN), (part, shadow_words.PART),
                              (sync, shadow_words.SYNC)):
        value = Val(VECTOR, INT64, lanes.vector(value)) if value.form == LINEAR else value
        cut = lanes.call("llvm.umin", INT64, value, lanes.const(most, INT64))
        moved = lanes.map(INT64, "shl {t} {0}, {1}", cut, lanes.const(at, INT64))
        word = lanes.logic("or", word, moved)
    narrow = stmt.scope is not None and stmt.scope <= memory_scope.work_group
    facts = shadow_words.facts(min(site, shadow_words.SITES), writes=stmt.writes,
                              atomic=stmt.scope is not None, narrow=narrow)
    word = lanes.logic("or", word, lanes.const(facts, INT64))
    return lanes.vector(word)


# ---- reports
def _report_if(e: Emitter, wrong: Val, stmt: Watch, more: tuple[Val, ...]) -> None:
    """Report the first lane for which a condition holds, and go no further."""
    f = e.f
    # Lanes that are off have loaded nothing: frozen first, for poison stays so in an ``and``.
    frozen = e.and_mask(f.op(f"freeze {e.mask_type} {e.lanes.vector(wrong)}"))
    fails, holds = f.label("fails"), f.label("holds")
    f.branch(e.any(frozen), fails, holds, unlikely=True)
    f.start(fails)
    lane = e.lowest(e.bits(frozen))
    place = stmt.place
    pieces: list[str | n.Expr] = []
    for x in place.index:
        pieces += [", ", x] if pieces else [x]
    parts, types, values = printing.spelled(e, pieces)
    ids, counts = printing.ids(e)
    ndim = e.kernel.ndim
    whole = "group_range" if e.kernel.index_kind == "work_group" else "global_range"
    space = [e.queries(name, d) for name in (whole, "offset") for d in range(ndim)] \
        if more else []
    base = place.base
    private = isinstance(base, n.Array) and base.type.space is address_space.private_space
    if isinstance(base, n.Heap):
        parts, types, values = (), (Scalar(UINT64),), [memory.number(e, place)]
    facts = Watched("private array" if private else base.name,
                    base.span if isinstance(base, n.Array) else None, stmt.writes,
                    stmt.scope is not None, stmt.who.sizes, ndim, stmt.who.slot, stmt.extent,
                    isinstance(base, n.Heap), _member(place))
    site = Site("race" if more else "fresh", parts, types, stmt.span, counts, e.in_group, facts)
    printing.tell(e, site, [*ids, *more, *space, *values], lane)
    f.jump(e.abort)
    f.start(holds)


def reserve(e: Emitter, array: n.Array, size: int) -> int:
    """Return the bytes to reserve for an array, and remember its twin."""
    if not watches.twins(e.kernel):
        return size
    e.twins[array] = size
    return 2 * size


def _member(place: n.Place) -> str:
    """Return which member of a record or element of a vector a place is, as ".name"."""
    base, at, out = place.base, place.offset, ""
    kind = None if isinstance(base, n.Heap) or not isinstance(base.type, View) else base.type.elem
    while isinstance(kind, Struct):
        found = [f for f in kind.fields if f.offset <= at]
        if not found:
            break
        last = max(found, key=lambda f: f.offset)
        out, at, kind = f"{out}.{last.name}", at - last.offset, last.type
    return out
