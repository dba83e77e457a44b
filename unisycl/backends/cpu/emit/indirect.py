"""Loads whose index is read from memory: one vector where the indices follow one another.

Lists of zones, neighbours and active cells mostly hold runs of numbers. Whether a vector's indices
are such a run is asked before its gather, which costs many times the question. Non-goals: indices
that are computed (``memory``), stores. Invariant: the same elements are read either way; signed
indices that wrap are outside all memory.
"""

from __future__ import annotations

from collections import Counter

from unisycl.backends.cpu.emit import memory
from unisycl.backends.cpu.emit.emitter import Emitter, Lists
from unisycl.backends.cpu.emit.lanes import LINEAR, VECTOR, Val
from unisycl.backends.cpu.emit.text import llvm_type
from unisycl.base.dataclass import replace
from unisycl.base.dtypes import INT32, INT64
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar, View
from unisycl.passes.simd import shapes as sh

_AVX2 = 256
_FEWEST = 8
_WORD = 4


def load(e: Emitter, place: n.Place) -> Val:
    """Emit a load."""
    core = listed(e, place)
    if core is None:
        alone = _looked_up(e, place)
        return memory.load(e, place) if alone is None else _one_by_one(e, place, alone)
    f, lanes, w = e.f, e.lanes, e.lanes.lanes
    dtype = place.type.dtype
    type = llvm_type(dtype, w)
    found, home = e.emit(e, core), f.alloca(type)
    at = memory.address(e, place)
    kind = llvm_type(found.dtype, w)
    first = f.op(f"extractelement {kind} {lanes.vector(found)}, i64 0")
    run = lanes.vector(Val(LINEAR, found.dtype, first, 1))
    same = f.op(f"icmp eq {kind} {lanes.vector(found)}, {run}")
    every = f.op(f"icmp eq {e.mask_bits} {e.bits(same)}, -1")
    row, apart, done = f.label("run"), f.label("apart"), f.label("read")
    f.branch(every, row, apart)
    f.start(row)
    index = f.op(f"extractelement <{w} x i64> {lanes.vector(at.index)}, i64 0")
    near = memory.Address(at.base, Val(LINEAR, INT64, index, 1), at.scale, at.fixed)
    f.store(type, lanes.vector(memory.load_at(e, near, dtype)), home)
    f.jump(done)
    f.start(apart)
    f.store(type, lanes.vector(memory.load_at(e, at, dtype)), home)
    f.jump(done)
    f.start(done)
    return Val(VECTOR, dtype, f.load(type, home))


def _one_by_one(e: Emitter, place: n.Place, at: n.Expr) -> Val:
    """Emit a load for each lane, at a number that is read from a list for this alone.

    LLVM then reads each number where it lies, and no vector of addresses is taken apart.
    """
    f, w, dtype = e.f, e.lanes.lanes, place.type.dtype
    numbers = e.emit(e, at)
    kind = llvm_type(numbers.dtype, w)
    zero = n.Const(Scalar(INT64), 0)
    row = memory.address(e, replace(place, index=(*place.index[:-1], zero)))
    start = memory.scalar_pointer(e, row, row.index.ref)
    type, one = llvm_type(dtype, w), llvm_type(dtype)
    found = "poison"
    for k in range(w):
        number = f.op(f"extractelement {kind} {numbers.ref}, i64 {k}")
        if numbers.dtype is not INT64:
            number = f.op(f"sext {llvm_type(numbers.dtype)} {number} to i64")
        element = f.load(one, f.gep(f"[{row.scale} x i8]", start, number),
                         memory.alignment(row, dtype))
        found = f.op(f"insertelement {type} {found}, {one} {element}, i64 {k}")
    return Val(VECTOR, dtype, found)


def _looked_up(e: Emitter, place: n.Place) -> n.Expr | None:
    """Return the number that a place's last index is, if it is read from a list for it alone.

    A gather of AVX2 costs more than elements one by one then, as long as no lane is off.
    """
    if e.widest != _AVX2 or place.type.dtype.size != _WORD or not _serves(e, place) \
            or not e.f.module.triple.startswith("x86_64"):
        return None
    core = place.index[-1]
    while isinstance(core, n.Cast | n.Narrow) and (
            isinstance(core, n.Narrow) or core.x.type.dtype.bits <= core.type.dtype.bits):
        core = core.x
    if core.type.dtype not in (INT32, INT64):
        return None
    if isinstance(core, n.Read):
        return core if core.local in _lists(e).once else None
    return core if _is_row(e, core) else None


def listed(e: Emitter, place: n.Place) -> n.Expr | None:
    """Return the number from memory that a place's last index goes on from, if it is one."""
    if not _serves(e, place):
        return None
    core = place.index[-1]
    while True:
        match core:
            case n.Cast(x=inner) if inner.type.dtype in (INT32, INT64) \
                    and inner.type.dtype.bits <= core.type.dtype.bits:
                core = inner
            case n.Binary(op="add" | "sub", a=a, b=b) if e.shapes.of(b).rank < sh.LINEAR \
                    and core.type.dtype in (INT32, INT64):
                core = a
            case n.Binary(op="add", a=a, b=b) if e.shapes.of(a).rank < sh.LINEAR \
                    and core.type.dtype in (INT32, INT64):
                core = b
            case _:
                break
    if core.type.dtype not in (INT32, INT64) or e.shapes.of(core).rank < sh.VARYING:
        return None
    found = _lists(e)
    if isinstance(core, n.Read) and core.local in found.runs:
        return core
    near = place.base in found.bases and (
        core.local in found.once if isinstance(core, n.Read) else _is_row(e, core))
    return core if near else None


def _serves(e: Emitter, place: n.Place) -> bool:
    """Say whether all lanes read numbers of the user's memory, in one row."""
    kind = place.base.type
    return (e.mask is None and e.lanes.lanes >= _FEWEST and not e.watched
            and isinstance(place.base, n.Param) and isinstance(kind, View)
            and isinstance(kind.elem, Scalar) and not kind.spread
            and kind.space is address_space.global_space
            and bool(place.index) and not place.inner and not place.offset
            and place.type.dtype.size in (_WORD, 2 * _WORD) and place.type.dtype.kind in "iuf"
            and all(e.shapes.of(x).rank < sh.LINEAR for x in place.index[:-1]))


def _is_row(e: Emitter, x: n.Expr) -> bool:
    """Say whether a number is read side by side with those of the other lanes."""
    x = _plain(x)
    return isinstance(x, n.Load) and isinstance(x.place.base, n.Param) and bool(x.place.index) \
        and all(e.shapes.of(i).rank < sh.LINEAR for i in x.place.index[:-1]) \
        and e.shapes.of(x.place.index[-1]) == sh.Shape(sh.LINEAR, 1)


def _plain(x: n.Expr) -> n.Expr:
    while isinstance(x, n.Cast | n.Narrow):
        x = x.x
    return x


def _lists(e: Emitter) -> Lists:
    """Return what the body that is emitted now reads from lists."""
    known = e.listed.get(id(e.shapes))
    if known is not None:
        return known
    given: dict[n.Local, list[n.Expr]] = {}
    every = [body for shapes, body in e.bodies if shapes is e.shapes]
    for stmt in (s for body in every for s in visit.statements(body)):
        if isinstance(stmt, n.Assign):
            given.setdefault(stmt.local, []).append(stmt.value)

    def origin(local: n.Local) -> n.Local:
        """Return the local that this one is another name of, or itself."""
        values = given.get(local, ())
        value = _plain(values[0]) if len(values) == 1 else None
        return origin(value.local) if isinstance(value, n.Read) and value.local is not local \
            else local
    uses: Counter[n.Local] = Counter()
    asked: Counter[n.Local] = Counter()
    for x in (x for body in every for x in visit.all_expressions(body)):
        if isinstance(x, n.Load) and x.place.index:
            uses.update({origin(y.local) for y in visit.walk(x.place.index[-1])
                         if isinstance(y, n.Read)})
        elif isinstance(x, n.Read):
            asked[x.local] += 1
    rows = [x for x in given if len(given.get(origin(x), ())) == 1
            and _is_row(e, given[origin(x)][0])]
    places = [x.place for body in every for x in visit.all_expressions(body)
              if isinstance(x, n.Load)]
    found = e.listed[id(e.shapes)] = Lists(
        frozenset(x for x in rows if uses[origin(x)] > 1),
        frozenset(x for x in rows if asked[x] == 1 and origin(x) is x),
        frozenset(p.base for p in places if p.index
                  and e.shapes.of(p.index[-1]) == sh.Shape(sh.LINEAR, 1)))
    return found
