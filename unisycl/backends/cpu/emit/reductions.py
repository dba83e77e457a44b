"""Reducers: accumulators of all lanes for each chunk of work, and a step that joins the chunks.

A chunk is what one call of the kernel's entry gets. Non-goals: how ``combine`` is lowered (front
end). Invariant: chunks are cut the same in every launch of a geometry and joined in their order,
so a launch repeated gives the same bits, whichever threads ran it (SYCL 2020 §4.9.2).
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from unisycl.backends.cpu.abi import Layout
from unisycl.backends.cpu.emit import collectives, expressions
from unisycl.backends.cpu.emit.emitter import Emitter, Home
from unisycl.backends.cpu.emit.lanes import UNIFORM, VECTOR, Lanes, Val
from unisycl.backends.cpu.emit.memory import storage
from unisycl.backends.cpu.emit.statements import emit_block
from unisycl.backends.cpu.emit.text import STACK_LIMIT, Function, Module, llvm_type
from unisycl.base.dtypes import BOOL, INT64, DType
from unisycl.ir import nodes as n
from unisycl.passes.simd import shapes as sh

CHUNKS, GRAIN = 2, 5
"""Slots of a reducer: how many chunks there are, and the units in one."""


def begin(e: Emitter) -> None:
    """Start a chunk: accumulators hold the identity, or nothing yet."""
    for r in e.kernel.reducers:
        first = [e.lanes.const(x, r.acc.type.dtype) for x in _start(r)]
        nothing = e.lanes.const(False, BOOL)
        if r.cells is None:
            _keep(e, r.acc, first[0])
            if r.valid is not None:
                _keep(e, r.valid, nothing)
            continue
        _fill(e, r.cells, first)
        if r.filled is not None:
            _fill(e, r.filled, [nothing])


def _start(r: n.Reducer) -> list[bool | int | float]:
    return [x.value for x in r.identity] if r.identity is not None else [0] * r.words


def _word(f: Function, number: str, words: int, k: int) -> str:
    """Return the place of one number of a variable."""
    if words == 1:
        return number
    first = f.op(f"mul i64 {number}, {words}")
    return f.op(f"add i64 {first}, {k}") if k else first


def _keep(e: Emitter, local: n.Local, value: Val) -> None:
    type = llvm_type(value.dtype, e.lanes.lanes)
    home = e.homes[local] = Home(e.f.alloca(type), VECTOR)
    e.f.store(type, e.lanes.vector(value), home.address)


def _fill(e: Emitter, array: n.Array, values: list[Val]) -> None:
    """Reserve an array, its lanes side by side, and give every variable its first values."""
    kind, words = storage(values[0].dtype), len(values)
    type, size = llvm_type(kind, e.lanes.lanes), array.shape[0] * e.lanes.lanes * kind.size
    e.arrays[array] = e.f.heap(size) if size > STACK_LIMIT else e.f.alloca(f"[{size} x i8]", 64)
    stored = [e.lanes.vector(_stored(e.lanes, value)) for value in values]

    def one(number: str) -> None:
        for k, x in enumerate(stored):
            place = e.f.gep(type, e.arrays[array], _word(e.f, number, words, k))
            e.f.store(type, x, place, kind.size)
    count(e.f, str(array.shape[0] // words), one)


def _stored(lanes: Lanes, v: Val) -> Val:
    """Return a value as memory holds it."""
    if v.dtype.kind != "b":
        return v
    return lanes.map(storage(v.dtype), "zext {t} {0} to {to}", v)


def count(f: Function, stop: str, body: Callable[[str], None]) -> None:
    """Run ``body`` for every number below ``stop``."""
    at = f.alloca("i64")
    f.store("i64", "0", at)
    head, inside, done = f.label("each"), f.label("one"), f.label("all")
    f.jump(head)
    f.start(head)
    number = f.load("i64", at)
    f.branch(f.op(f"icmp ult i64 {number}, {stop}"), inside, done)
    f.start(inside)
    body(number)
    f.store("i64", f.op(f"add nuw i64 {number}, 1"), at)
    f.jump(head)
    f.start(done)


def end(e: Emitter) -> None:
    """Finish a chunk: join the lanes of each variable and write the partials."""
    f, w = e.f, e.lanes.lanes
    e.mask, e.maybe_empty = None, False
    for k, r in enumerate(e.kernel.reducers):
        slot, dtype = e.layout.reducer(k), r.acc.type.dtype
        chunk = f.op(f"udiv i64 %begin, {e.slot(slot + GRAIN)}")
        total = _Total(e, r)
        if r.cells is None:
            flags = f.load(e.mask_type, e.homes[r.valid].address) if r.valid is not None else ""
            total.join_lanes([f.load(llvm_type(dtype, w), e.homes[r.acc].address)], flags)
            total.write(slot, chunk)
            continue
        count(f, str(r.extent), functools.partial(_end_cell, e, total, slot, chunk))


def _end_cell(e: Emitter, total: _Total, slot: int, chunk: str, number: str) -> None:
    """Join the lanes of one element of an array and write its partial."""
    f, w, r = e.f, e.lanes.lanes, total.r
    type, flag = llvm_type(storage(r.acc.type.dtype), w), llvm_type(storage(BOOL), w)
    assert r.cells is not None
    vectors = [f.load(type, f.gep(type, e.arrays[r.cells], _word(f, number, r.words, k)), 1)
               for k in range(r.words)]
    if r.acc.type.dtype.kind == "b":
        vectors = [f.op(f"icmp ne {type} {x}, zeroinitializer") for x in vectors]
    flags = ""
    if r.filled is not None:
        flags = f.load(flag, f.gep(flag, e.arrays[r.filled], number), 1)
        flags = f.op(f"icmp ne {flag} {flags}, zeroinitializer")
    total.join_lanes(vectors, flags)
    first = f.op(f"mul i64 {chunk}, {r.extent}")
    total.write(slot, f.op(f"add i64 {first}, {number}"))


def _read(e: Emitter, dtype: DType, address: str) -> str:
    ref = e.f.load(llvm_type(storage(dtype)), address)
    return e.f.op(f"icmp ne i8 {ref}, 0") if dtype.kind == "b" else ref


class _Total:
    """A running total in memory, a scalar or several, joined by the reducer's own operator."""

    def __init__(self, e: Emitter, reducer: n.Reducer) -> None:
        self.e, self.r = e, reducer
        self.dtype = reducer.acc.type.dtype
        self.t = llvm_type(self.dtype)
        self.where = [e.f.alloca(self.t) for _ in reducer.left]
        self.flag = e.f.alloca("i1")

    def start(self) -> None:
        """Begin with the identity, or with nothing."""
        e = self.e
        known = self.r.identity is not None
        self._set([e.lanes.const(x, self.dtype).ref for x in _start(self.r)])
        e.f.store("i1", "true" if known else "false", self.flag)

    def _set(self, xs: list[str]) -> None:
        for x, where in zip(xs, self.where, strict=True):
            self.e.f.store(self.t, x, where)

    def join_lanes(self, vectors: list[str], flags: str) -> None:
        """Begin with the lanes of vectors: all, or those of which ``flags`` says so."""
        e, w = self.e, self.e.lanes.lanes
        self.start()
        if self.r.op and not flags and len(vectors) == 1:
            found = collectives.fold(e, self.r.op, Val(VECTOR, self.dtype, vectors[0]))
            self._set([found.ref])
            return
        for lane in range(w):
            x = [e.f.op(f"extractelement {llvm_type(self.dtype, w)} {vector}, i64 {lane}")
                 for vector in vectors]
            on = e.f.op(f"extractelement {e.mask_type} {flags}, i64 {lane}") if flags else "true"
            self.add(x, on)

    def add(self, x: list[str], on: str) -> None:
        """Join one value if ``on``."""
        e, f, r = self.e, self.e.f, self.r
        if on == "true" and r.identity is not None:
            self._combine(x)
            return
        have, skip, join, take = (f.label(s) for s in ("have", "skip", "join", "take"))
        f.branch(on, have, skip)
        f.start(have)
        f.branch(f.load("i1", self.flag), join, take)
        f.start(join)
        self._combine(x)
        f.jump(skip)
        f.start(take)
        self._set(x)
        f.store("i1", "true", self.flag)
        f.jump(skip)
        f.start(skip)
        e.dead = ""

    def _combine(self, xs: list[str]) -> None:
        r = self.r
        given = [*zip(r.left, (x.ref for x in self.values()), strict=True),
                 *zip(r.right, xs, strict=True)]
        self._set(self._run(r.combine, given, r.result))

    def _run(self, block: n.Block, given: list[tuple[n.Local, str]],
             results: tuple[n.Local, ...]) -> list[str]:
        """Run a block on scalars; return some of its locals."""
        e = self.e
        mask, shapes, e.mask = e.mask, e.shapes, None
        e.shapes = sh.analyse(
            block, lambda name, _dim: sh.ANY if name == sh.PRIVATE else sh.UNIFORM, {})
        homes, e.homes = e.homes, {}
        for local, x in given:
            e.write(local, Val(UNIFORM, local.type.dtype, x), blend=False)
        emit_block(e, block)
        found = [e.read(x).ref for x in results]
        e.homes, e.shapes, e.mask = homes, shapes, mask
        return found

    def values(self) -> list[Val]:
        return [Val(UNIFORM, self.dtype, self.e.f.load(self.t, where)) for where in self.where]

    def read_result(self, address: str) -> list[str]:
        """Return the old value of a variable."""
        e, stored = self.e, self.r.stored
        if stored is None:
            return [_read(e, self.dtype, e.f.gep(self.t, address, str(k)) if k else address)
                    for k in range(self.r.words)]
        bits = _read(e, stored.bits.type.dtype, address)
        return self._run(stored.load, [(stored.bits, bits)], self.r.left)

    def write_result(self, address: str) -> None:
        """Write a variable."""
        e, r = self.e, self.r
        if r.stored is None:
            self._put(address)
            return
        bits = self._run(r.stored.store, [(r.result[0], self.values()[0].ref)], (r.stored.bits,))
        e.f.store(llvm_type(r.stored.bits.type.dtype), bits[0], address)

    def _put(self, address: str) -> None:
        e, t = self.e, llvm_type(storage(self.dtype))
        for k, value in enumerate(self.values()):
            e.f.store(t, _stored(e.lanes, value).ref, e.f.gep(t, address, str(k)) if k else address)

    def valid(self) -> str:
        return self.e.f.load("i1", self.flag)

    def write(self, slot: int, number: str) -> None:
        """Write the total as one partial."""
        e = self.e
        t = llvm_type(storage(self.dtype))
        for k, value in enumerate(self.values()):
            ref = _stored(e.lanes, value).ref
            place = _word(e.f, number, self.r.words, k)
            e.f.store(t, ref, e.f.gep(t, e.slot(slot, "ptr"), place))
        if self.r.identity is None:
            flag = e.f.op(f"zext i1 {self.valid()} to i8")
            e.f.store("i8", flag, e.f.gep("i8", e.slot(slot + 1, "ptr"), number))


def build_finish(kernel: n.Kernel, module: Module, name: str, layout: Layout, widest: int) -> None:
    """Write the function that joins the partials of all chunks into the result."""
    f = Function(module, name, "ptr noalias %args, i64 %begin, i64 %end, i64 %worker", "nounwind")
    e = Emitter(kernel, layout, sh.Shapes(), f, Lanes(f, 1), widest,
                lambda _name, _dim: Val(UNIFORM, INT64, "0"), expressions.emit)
    for k, r in enumerate(kernel.reducers):
        total, slot = _Total(e, r), layout.reducer(k)

        def one(number: str, r: n.Reducer = r, total: _Total = total, slot: int = slot) -> None:
            _finish(e, r, total, slot, number)
        count(f, str(r.extent), one)
    f.finish()


def _finish(e: Emitter, r: n.Reducer, total: _Total, slot: int, number: str) -> None:
    """Join the partials of one variable and write its result."""
    f, dtype = e.f, r.acc.type.dtype
    t = llvm_type(storage(dtype))
    target = f.gep(t if r.stored is None else llvm_type(r.stored.bits.type.dtype),
                   e.slot(slot + 3, "ptr"), _word(f, number, r.words, 0))
    total.start()
    keep, fresh = f.label("keep"), f.label("fresh")
    f.branch(f.op(f"icmp ne i64 {e.slot(slot + 4)}, 0"), keep, fresh)
    f.start(keep)
    total.add(total.read_result(target), "true")
    f.jump(fresh)
    f.start(fresh)

    def join(chunk: str) -> None:
        place = f.op(f"mul i64 {chunk}, {r.extent}")
        place = f.op(f"add i64 {place}, {number}")
        x, on = [_read(e, dtype, f.gep(t, e.slot(slot, "ptr"), _word(f, place, r.words, k)))
                 for k in range(r.words)], "true"
        if r.identity is None:
            flag = f.load("i8", f.gep("i8", e.slot(slot + 1, "ptr"), place))
            on = f.op(f"icmp ne i8 {flag}, 0")
        total.add(x, on)
    count(f, e.slot(slot + CHUNKS), join)
    write, skip = f.label("write"), f.label("written")
    f.branch(total.valid(), write, skip)
    f.start(write)
    total.write_result(target)
    f.jump(skip)
    f.start(skip)
