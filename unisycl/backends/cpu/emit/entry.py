"""The function a worker calls: loops over its share of the index space around the kernel's body.

``void entry(ptr args, i64 begin, i64 end, i64 worker)``: units are tiles of a range, work-groups of
an nd_range, or the one item of a single task. Non-goals: the body. Invariant: the unmasked body
runs wherever a whole vector fits; only the edge is masked.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

from unisycl.backends.cpu.abi import Layout, layout
from unisycl.backends.cpu.emit import expressions, memory, queries, reductions, watched_accesses
from unisycl.backends.cpu.emit.concurrent_sub_groups import Apart, begin
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.group_calls import Split
from unisycl.backends.cpu.emit.hierarchical import Hierarchy
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, Lanes, Val
from unisycl.backends.cpu.emit.regions import Group, without_continue
from unisycl.backends.cpu.emit.statements import emit_block
from unisycl.backends.cpu.emit.text import Function, Module, vectors
from unisycl.backends.reports import Site
from unisycl.base.dtypes import INT64
from unisycl.base.enums import address_space
from unisycl.base.errors import UnsupportedError, errc
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View
from unisycl.passes import pipeline
from unisycl.passes.checks import watches
from unisycl.passes.simd import shapes as sh
from unisycl.passes.simd import streams

_ARRAY_LIMIT = 256 << 20
PARAMETERS = "ptr noalias %args, i64 %begin, i64 %end, i64 %worker"


def build(kernel: n.Kernel, module: Module, name: str, lanes: int, widest: int, *,
          edge: bool, stream: bool = False) -> tuple[Layout, tuple[Site, ...]]:
    """Write a kernel's entry into a module; return its layout and the places that report.

    ``edge``: the last dimension may end within a vector. ``stream``: the kernel's output stream,
    if it has one, is larger than the caches and is written past them.
    """
    own = {"continues": _without_continue}
    kernel = pipeline.run(kernel, "simd", "loops", pipeline.Facts(own=own))
    found = layout(kernel)
    seeds = {x: sh.ANY for r in kernel.reducers for x in (r.acc, r.valid) if x is not None}
    kernel, shapes = _analysed(kernel, lanes, seeds)
    f = Function(module, name, PARAMETERS, vectors(widest))
    e = Emitter(kernel, found, shapes, f, Lanes(f, lanes), widest, lambda _name, _dim: Val(
        UNIFORM, INT64, "0"), expressions.emit)
    e.read_locals = frozenset(x.local for x in visit.all_expressions(kernel.body)
                              if isinstance(x, n.Read))
    e.reducer_locals = frozenset(seeds)
    e.stream = streams.output(kernel) if stream else None
    e.watched, e.granule = watches.bases(kernel), watches.granule(kernel)
    e.written = watches.written(kernel)
    if not kernel.apart and any(
            isinstance(p.type, View) and p.type.space is address_space.local_space
            for p in kernel.params):
        e.local_base = f.op(f"alloca i8, i64 {_twice(e, found)}, align 64")
    _arrays(e)
    _units(e, {"range": _range_unit, "single": _single_unit, "nd_range": _group_unit,
               "work_group": _hierarchy_unit}[kernel.index_kind], edge)
    if e.stream is not None:
        f.module.declare("llvm.x86.sse.sfence", "void @()")
        f.do("call void @llvm.x86.sse.sfence()")
    f.finish()
    if kernel.reducers:
        reductions.build_finish(kernel, module, name + ".finish", found, widest)
    return found, tuple(e.sites)


def _analysed(kernel: n.Kernel, lanes: int, seeds: dict[n.Local, sh.Shape]
              ) -> tuple[n.Kernel, sh.Shapes]:
    """Return a kernel as it is emitted, with the shapes of its values."""
    last: list[tuple[n.Kernel, sh.Shapes]] = []

    def shapes(kernel: n.Kernel) -> sh.Shapes:
        if not last or last[0][0] is not kernel:
            last[:] = [(kernel, sh.analyse(
                kernel.body, queries.shapes(kernel, lanes), seeds,
                at_group=kernel.index_kind == "work_group"))]
        return last[0][1]
    kernel = pipeline.run(kernel, "simd", "lanes", pipeline.Facts(shapes=shapes))
    return kernel, shapes(kernel)


def _without_continue(kernel: n.Kernel) -> n.Kernel:
    if kernel.index_kind != "nd_range":
        return kernel
    return replace(kernel, body=without_continue(kernel.body, itertools.count(1 << 20)))


def _arrays(e: Emitter) -> None:
    """Reserve the kernel's own arrays: one of the group's, those of work-items for each sub-group.

    Those lie element by element, lanes side by side.
    """
    own = e.kernel.apart
    for array in e.kernel.arrays:
        if own and array.type.space is not address_space.private_space:
            continue
        size = array.nbytes
        if array.type.space is address_space.private_space:
            size *= e.lanes.lanes * _copies(e)
        if size > _ARRAY_LIMIT:
            raise UnsupportedError(
                errc.memory_allocation, f"kernel '{e.kernel.name}': a private array of shape "
                f"{array.shape} takes {size >> 20} MiB for the work-items that run together, more "
                f"than {_ARRAY_LIMIT >> 20}; use USM memory with a row for each work-item")
        size = watched_accesses.reserve(e, array, size)
        e.arrays[array] = e.f.heap(size) if size > reductions.STACK_LIMIT else \
            e.f.alloca(f"[{size} x i8]", 64)


def _twice(e: Emitter, found: Layout) -> str:
    """Return the bytes of local memory, with its twin if there is one."""
    size = e.slot(found.local_bytes)
    return e.f.op(f"shl i64 {size}, 1") if watches.twins(e.kernel) else size


def _copies(e: Emitter) -> int:
    kernel = e.kernel
    if kernel.index_kind != "nd_range" or kernel.apart:
        return 1
    return -(-math.prod(kernel.local) // e.lanes.lanes)


def _units(e: Emitter, unit: Callable[[Emitter, str, bool], None], edge: bool) -> None:
    """Loop over the units of this call."""
    f = e.f
    reductions.begin(e)
    at = f.alloca("i64")
    f.store("i64", "%begin", at)
    head, body, done = f.label("units"), f.label("unit"), f.label("finished")
    e.abort = done
    f.jump(head)
    f.start(head)
    number = f.load("i64", at)
    f.branch(f.op(f"icmp ult i64 {number}, %end"), body, done)
    f.start(body)
    fixed = dict(e.homes)
    unit(e, number, edge)
    e.homes = fixed
    f.store("i64", f.op(f"add nuw i64 {number}, 1"), at)
    f.jump(head)
    f.start(done)
    reductions.end(e)


def _single_unit(e: Emitter, number: str, edge: bool) -> None:
    e.homes = dict(e.homes)
    emit_block(e, e.kernel.body)
    e.dead = ""


def _unravel(e: Emitter, number: str, counts: list[str]) -> list[str]:
    """Return the row-major coordinates of a linear number."""
    f, out = e.f, []
    for count in reversed(counts[1:]):
        out.append(f.op(f"urem i64 {number}, {count}"))
        number = f.op(f"udiv i64 {number}, {count}")
    return [number, *reversed(out)]


# ---- plain ranges
def _range_unit(e: Emitter, number: str, edge: bool) -> None:
    """Run one tile: rows of the outer dimensions, vectors along the last."""
    f, at, ndim = e.f, e.layout, e.kernel.ndim
    ranges = [e.slot(at.global_range + d) for d in range(ndim)]
    tiles = [e.slot(at.tile + d) for d in range(ndim)]
    counts = []
    for whole, tile in zip(ranges, tiles, strict=True):
        up = f.op(f"add i64 {whole}, {tile}")
        counts.append(f.op(f"udiv i64 {f.op(f'sub i64 {up}, 1')}, {tile}"))
    f.module.declare("llvm.umin.i64", "i64 @(i64, i64)")
    lows, highs = [], []
    for place, tile, whole in zip(_unravel(e, number, counts), tiles, ranges, strict=True):
        low = f.op(f"mul i64 {place}, {tile}")
        end = f.op(f"add i64 {low}, {tile}")
        lows.append(low)
        highs.append(f.op(f"call i64 @llvm.umin.i64(i64 {end}, i64 {whole})"))
    fixed = dict(e.homes)

    def body(ids: list[Val]) -> None:
        e.homes = dict(fixed)
        e.queries = queries.range_queries(e, ids)
        emit_block(e, e.kernel.body)
        e.dead = ""
    box(e, lows, highs, body, edge=edge)


def box(e: Emitter, lows: list[str], highs: list[str], body: Callable[[list[Val]], None], *,
        edge: bool) -> None:
    """Run ``body`` over a box: loops over outer dimensions, lanes along the last."""
    f = e.f
    outer: list[Val] = []
    closers: list[tuple[str, str, str]] = []
    for low, high in zip(lows[:-1], highs[:-1], strict=True):
        counter = f.alloca("i64")
        f.store("i64", low, counter)
        head, inside, done = f.label("row"), f.label("inrow"), f.label("rowend")
        f.jump(head)
        f.start(head)
        now = f.load("i64", counter)
        f.branch(f.op(f"icmp ult i64 {now}, {high}"), inside, done)
        f.start(inside)
        outer.append(Val(UNIFORM, INT64, now))
        closers.append((counter, head, done))
    _along(e, lows[-1], highs[-1], outer, body, edge=edge)
    for (counter, head, done), now_id in zip(reversed(closers), reversed(outer), strict=True):
        f.store("i64", f.op(f"add nuw i64 {now_id.ref}, 1"), counter)
        f.jump(head)
        f.start(done)


def _along(e: Emitter, low: str, high: str, outer: list[Val], body: Callable[[list[Val]], None], *,
           edge: bool) -> None:
    """Run ``body`` for whole vectors from ``low``, then once under a mask for what is left."""
    f, w = e.f, e.lanes.lanes
    if e.stream is not None:
        low = _until_aligned(e, low, high, outer, body)
    length = f.op(f"sub i64 {high}, {low}")
    whole = f.op(f"and i64 {length}, {-w}")
    stop = f.op(f"add i64 {low}, {whole}")
    counter = f.alloca("i64")
    f.store("i64", low, counter)
    head, inside, done = f.label("vec"), f.label("invec"), f.label("vecend")
    f.jump(head)
    f.start(head)
    now = f.load("i64", counter)
    f.branch(f.op(f"icmp ult i64 {now}, {stop}"), inside, done)
    f.start(inside)
    e.mask, e.maybe_empty, e.streaming = None, False, e.stream is not None
    body([*outer, Val(LINEAR, INT64, now, 1) if w > 1 else Val(UNIFORM, INT64, now)])
    e.streaming = False
    f.store("i64", f.op(f"add nuw i64 {now}, {w}"), counter)
    f.jump(head)
    f.start(done)
    e.mask = None
    if not edge:
        return
    _under_mask(e, f.op(f"sub i64 {high}, {stop}"), [*outer, Val(LINEAR, INT64, stop, 1)], body)


def _under_mask(e: Emitter, count: str, ids: list[Val],
                body: Callable[[list[Val]], None]) -> None:
    """Run ``body`` once for the first ``count`` lanes, if there are any."""
    f, w = e.f, e.lanes.lanes
    some, end = f.label("edge"), f.label("edgeend")
    f.branch(f.op(f"icmp ne i64 {count}, 0"), some, end)
    f.start(some)
    short = f.op(f"trunc i64 {count} to i32")
    many = f.op(f"insertelement <{w} x i32> poison, i32 {short}, i64 0")
    many = f.op(f"shufflevector <{w} x i32> {many}, <{w} x i32> poison, "
                f"<{w} x i32> zeroinitializer")
    lanes = "<" + ", ".join(f"i32 {k}" for k in range(w)) + ">"
    e.mask = f.op(f"icmp ult <{w} x i32> {lanes}, {many}")
    body(ids)
    e.mask, e.maybe_empty = None, False
    f.jump(end)
    f.start(end)


def _until_aligned(e: Emitter, low: str, high: str, outer: list[Val],
                   body: Callable[[list[Val]], None]) -> str:
    """Run the items before the first aligned element of the stream; return where that is."""
    f = e.f
    assert e.stream is not None
    param = e.stream.param
    assert isinstance(param.type, View)
    size = param.type.elem.size
    ids = [*outer, Val(LINEAR, INT64, low, 1)]
    index = e.lanes.const(0, INT64)
    for d, place in enumerate(queries.range_queries(e, ids)("global_id", d)
                              for d in range(e.kernel.ndim)):
        pitch = memory.view_pitch(e, param, d)
        place = e.lanes.add(place, e.lanes.const(e.stream.shift[d], INT64))
        index = e.lanes.add(index, place if pitch is None else e.lanes.mul(place, pitch))
    pointer = f.gep(f"[{size} x i8]", memory.view_pointer(e, param), index.ref)
    address = f.op(f"ptrtoint ptr {pointer} to i64")
    behind = f.op(f"and i64 {f.op(f'sub i64 0, {address}')}, {memory.STREAM_ALIGN - 1}")
    items = f.op(f"udiv i64 {behind}, {size}")
    length = f.op(f"sub i64 {high}, {low}")
    count = f.op(f"call i64 @llvm.umin.i64(i64 {items}, i64 {length})")
    _under_mask(e, count, ids, body)
    return f.op(f"add i64 {low}, {count}")


# ---- work-groups
def _groups(e: Emitter, number: str) -> list[str]:
    counts = [e.slot(e.layout.global_range + d) for d in range(e.kernel.ndim)]
    return _unravel(e, number, counts)


def _group_unit(e: Emitter, number: str, edge: bool) -> None:
    """Run one work-group of an nd_range, or one sub-group of it."""
    items, w = math.prod(e.kernel.local), e.lanes.lanes
    split = Split(w, items // w, items % w)
    mine = ""
    if e.kernel.apart:
        number, mine = begin(e, number, split)
    e.queries = queries.group_queries(e, _groups(e, number), split.full, split.rest)
    group = Apart(e, split, dict(e.homes), mine=mine) if mine else Group(e, split, dict(e.homes))
    if watches.twins(e.kernel):
        watched_accesses.begin_group(e)
    group.plan(e.kernel.body)
    group.block(e.kernel.body)
    e.dead, e.mask = "", None


def _hierarchy_unit(e: Emitter, number: str, edge: bool) -> None:
    """Run one work-group of a hierarchical kernel."""
    groups = _groups(e, number)
    if watches.twins(e.kernel):
        watched_accesses.begin_group(e)
    Hierarchy(e, groups, lambda lows, highs, body: box(e, lows, highs, body, edge=True)).run()
    e.dead, e.mask = "", None
