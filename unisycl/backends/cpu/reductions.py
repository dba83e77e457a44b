"""Reducers: an accumulator of all lanes per unit, then a step that joins the units in order.

Non-goals: how ``combine`` is lowered (front end). Invariant: the result depends on the units only,
not on which thread ran which, so a launch repeated gives the same bits (SYCL 2020 §4.9.2).
"""

from __future__ import annotations

from unisycl.backends.cpu import emit_expr
from unisycl.backends.cpu.abi import Layout
from unisycl.backends.cpu.emit_memory import storage
from unisycl.backends.cpu.emit_stmt import emit_block
from unisycl.backends.cpu.emitter import Emitter, Home
from unisycl.backends.cpu.lanes import UNIFORM, VECTOR, Lanes, Val
from unisycl.backends.cpu.text import Function, Module, llvm_type
from unisycl.base.dtypes import INT64, DType
from unisycl.ir import nodes as n
from unisycl.passes import shapes as sh


def begin(e: Emitter) -> None:
    """Start a unit: accumulators hold the identity, or nothing yet."""
    w = e.lanes.lanes
    for r in e.kernel.reducers:
        home = e.homes.get(r.acc) or Home(e.f.alloca(llvm_type(r.acc.type.dtype, w)), VECTOR)
        e.homes[r.acc] = home
        start = r.identity.value if isinstance(r.identity, n.Const) else 0
        first = e.lanes.const(start, r.acc.type.dtype)
        e.f.store(llvm_type(r.acc.type.dtype, w), e.lanes.vector(first), home.address)
        if r.valid is not None:
            flag = e.homes.get(r.valid) or Home(e.f.alloca(e.mask_type), VECTOR)
            e.homes[r.valid] = flag
            e.f.store(e.mask_type, "zeroinitializer", flag.address)


def end(e: Emitter, unit: str) -> None:
    """Finish a unit: join its lanes and write the partial."""
    for k, r in enumerate(e.kernel.reducers):
        dtype, w = r.acc.type.dtype, e.lanes.lanes
        vector = e.f.load(llvm_type(dtype, w), e.homes[r.acc].address)
        flags = e.f.load(e.mask_type, e.homes[r.valid].address) if r.valid is not None else ""
        total = _Total(e, r)
        for lane in range(w):
            x = e.f.op(f"extractelement {llvm_type(dtype, w)} {vector}, i64 {lane}")
            on = e.f.op(f"extractelement {e.mask_type} {flags}, i64 {lane}") if flags else "true"
            total.add(x, on)
        first = e.layout.reducer(k)
        _write(e, dtype, total.value(), e.f.gep(llvm_type(storage(dtype)), e.slot(first, "ptr"),
                                                unit))
        if flags:
            flag = e.f.op(f"zext i1 {total.valid()} to i8")
            e.f.store("i8", flag, e.f.gep("i8", e.slot(first + 1, "ptr"), unit))


def _write(e: Emitter, dtype: DType, ref: str, address: str) -> None:
    if dtype.kind == "b":
        ref = e.f.op(f"zext i1 {ref} to i8")
    e.f.store(llvm_type(storage(dtype)), ref, address)


def _read(e: Emitter, dtype: DType, address: str) -> str:
    ref = e.f.load(llvm_type(storage(dtype)), address)
    return e.f.op(f"icmp ne i8 {ref}, 0") if dtype.kind == "b" else ref


class _Total:
    """A running scalar total in memory, joined by the reducer's own operator."""

    def __init__(self, e: Emitter, reducer: n.Reducer) -> None:
        self.e, self.r = e, reducer
        self.t = llvm_type(reducer.acc.type.dtype)
        self.where, self.flag = e.f.alloca(self.t), e.f.alloca("i1")
        known = isinstance(reducer.identity, n.Const)
        value = reducer.identity.value if isinstance(reducer.identity, n.Const) else 0
        start = e.lanes.const(value, reducer.acc.type.dtype)
        e.f.store(self.t, start.ref, self.where)
        e.f.store("i1", "true" if known else "false", self.flag)

    def add(self, x: str, on: str) -> None:
        """Join one value if ``on``."""
        e, f, r = self.e, self.e.f, self.r
        if on == "true" and r.valid is None:
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
        f.store(self.t, x, self.where)
        f.store("i1", "true", self.flag)
        f.jump(skip)
        f.start(skip)
        e.dead = ""

    def _combine(self, x: str) -> None:
        e, r = self.e, self.r
        mask, shapes, e.mask = e.mask, e.shapes, None
        e.shapes = sh.analyse(r.combine, lambda _name, _dim: sh.UNIFORM, {})
        homes, e.homes = e.homes, {}
        dtype = r.acc.type.dtype
        e.write(r.left, Val(UNIFORM, dtype, e.f.load(self.t, self.where)), blend=False)
        e.write(r.right, Val(UNIFORM, dtype, x), blend=False)
        emit_block(e, r.combine)
        e.f.store(self.t, e.read(r.result).ref, self.where)
        e.homes, e.shapes, e.mask = homes, shapes, mask

    def value(self) -> str:
        return self.e.f.load(self.t, self.where)

    def valid(self) -> str:
        return self.e.f.load("i1", self.flag)


def build_finish(kernel: n.Kernel, module: Module, name: str, layout: Layout, widest: int) -> None:
    """Write the function that joins the partials of all units into the result."""
    f = Function(module, name, "ptr noalias %args, i64 %begin, i64 %end, i64 %worker", "nounwind")
    e = Emitter(kernel, layout, sh.Shapes(), f, Lanes(f, 1), widest,
                lambda _name, _dim: Val(UNIFORM, INT64, "0"), emit_expr.emit)
    for k, r in enumerate(kernel.reducers):
        slot, dtype = layout.reducer(k), r.acc.type.dtype
        t = llvm_type(storage(dtype))
        total = _Total(e, r)
        target = e.slot(slot + 3, "ptr")
        old = f.op(f"icmp ne i64 {e.slot(slot + 4)}, 0")
        keep, fresh = f.label("keep"), f.label("fresh")
        f.branch(old, keep, fresh)
        f.start(keep)
        total.add(_read(e, dtype, target), "true")
        f.jump(fresh)
        f.start(fresh)
        at = f.alloca("i64")
        f.store("i64", "0", at)
        head, body, done = f.label("part"), f.label("inpart"), f.label("parts")
        f.jump(head)
        f.start(head)
        number = f.load("i64", at)
        f.branch(f.op(f"icmp ult i64 {number}, {e.slot(slot + 2)}"), body, done)
        f.start(body)
        x = _read(e, dtype, f.gep(t, e.slot(slot, "ptr"), number))
        on = "true"
        if r.valid is not None:
            flag = f.load("i8", f.gep("i8", e.slot(slot + 1, "ptr"), number))
            on = f.op(f"icmp ne i8 {flag}, 0")
        total.add(x, on)
        f.store("i64", f.op(f"add nuw i64 {number}, 1"), at)
        f.jump(head)
        f.start(done)
        write, skip = f.label("write"), f.label("written")
        f.branch(total.valid(), write, skip)
        f.start(write)
        _write(e, dtype, total.value(), target)
        f.jump(skip)
        f.start(skip)
    f.finish()
