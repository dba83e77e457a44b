"""The function a worker calls: loops over its share of the index space around the kernel's body.

``void entry(ptr args, i64 begin, i64 end, i64 worker)``: units are tiles of a range, work-groups of
an nd_range, or the one item of a single task. Non-goals: the body. Invariant: the unmasked body
runs wherever a whole vector fits; only the edge is masked.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence

from unisycl.backends.cpu.abi import Layout
from unisycl.backends.cpu.emit import (
    expressions,
    own_sums,
    queries,
    reductions,
    rows,
    slots,
    watched_accesses,
    widths,
)
from unisycl.backends.cpu.emit.concurrent_sub_groups import Apart, begin
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.group_calls import Split
from unisycl.backends.cpu.emit.hierarchical import Hierarchy
from unisycl.backends.cpu.emit.lanes import UNIFORM, Lanes, Val
from unisycl.backends.cpu.emit.regions import Group, without_continue
from unisycl.backends.cpu.emit.statements import emit_block
from unisycl.backends.cpu.emit.text import STACK_LIMIT, Function, Module, vectors
from unisycl.backends.reports import Site
from unisycl.base.dataclass import dataclass, replace
from unisycl.base.dtypes import INT64
from unisycl.base.enums import address_space
from unisycl.base.errors import UnsupportedError, errc
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View
from unisycl.passes import pipeline
from unisycl.passes.checks import watches
from unisycl.passes.interior import interior as interiors
from unisycl.passes.interior import rows_together
from unisycl.passes.simd import shapes as sh
from unisycl.passes.simd import shared_arrays, streams

Unit = Callable[[Emitter, str, bool], None]
_ARRAY_LIMIT = 256 << 20
PARAMETERS = "ptr noalias %args, i64 %begin, i64 %end, i64 %worker"


@dataclass(frozen=True, slots=True)
class Bodies:
    """What a kernel is emitted as: for any vector, for those inside guards, for several rows.

    ``stream``: the output that is stored past the caches; ``lined``: an element where vectors begin
    at lines.
    """

    kernel: n.Kernel
    shapes: sh.Shapes
    inner: rows.Inside | None
    together: rows.Several | None
    stream: streams.Stream | None
    lined: n.Place | None

    @property
    def every(self) -> tuple[tuple[sh.Shapes, n.Block], ...]:
        """All bodies, each with its shapes."""
        inner, several = self.inner, self.together
        return ((self.shapes, self.kernel.body),
                *(((inner.shapes, inner.body),) if inner is not None else ()),
                *(((several.shapes, several.together.body),) if several is not None else ()))


@dataclass(frozen=True, slots=True)
class Flat:
    """When so many of the last dimensions are run as one, in terms of a launch's arguments."""

    count: int
    holds: tuple[n.Expr, ...]
    ids_below: int


def bodies(kernel: n.Kernel, lanes: int, widest: int, *, stream: bool, lines: bool, ids_below: int,
           units: int, flat: int = 0) -> Bodies:
    """Return the bodies that a kernel is emitted as; see ``build``."""
    own = {"continues": _without_continue}
    kernel = pipeline.run(kernel, "simd", "loops", pipeline.Facts(own=own))
    seeds = _seeds(kernel)
    query = queries.shapes(kernel, lanes, units)
    finder = interiors.Search(query, lanes, ids_below, units)
    inner = _interior(kernel, finder, seeds)
    kernel, shapes = _analysed(kernel, query, seeds)
    several = None if flat else _together(kernel, shapes, inner, finder, seeds, widest)
    body = inner.interior.body if inner else None
    if inner is not None and inner.interior.aligned:
        stream = lines = False  # vectors would begin elsewhere
    output = streams.output(kernel, body) if stream else None
    lined = streams.lines(kernel, body, output.param) if output is not None else \
        streams.lines(kernel, body) if lines and several is None else None
    return Bodies(kernel, shapes, inner, several,
                  output if lined is not None else None, lined)


def _seeds(kernel: n.Kernel) -> dict[n.Local, sh.Shape]:
    """Return the shapes of what reductions keep."""
    return {x: sh.ANY for r in kernel.reducers for x in (r.acc, r.valid) if x is not None}


def build(kernel: n.Kernel, module: Module, name: str, lanes: int, widest: int, *,
          edge: bool, stream: bool = False, lines: bool = False, ids_below: int = 1 << 63,
          units: int = 0, flat: int = 0) -> tuple[Layout, tuple[Site, ...]]:
    """Write a kernel's entry into a module; return its layout and the places that report.

    ``edge``: the last dimension may end within a vector. ``stream``: the kernel's output stream,
    if it has one, is larger than the caches and is written past them. ``lines``: vectors begin
    where lines of an output do. No id reaches ``ids_below``.
    The last ``units`` dimensions of a range have one item; the last ``flat`` are run as one.
    """
    made = bodies(kernel, lanes, widest, stream=stream, lines=lines, ids_below=ids_below,
                  units=units, flat=flat)
    kernel, shapes, inner = made.kernel, made.shapes, made.inner
    found = slots.layout(kernel)
    f = Function(module, name, PARAMETERS, vectors(widest))
    e = Emitter(kernel, found, shapes, f, Lanes(f, lanes), widest, lambda _name, _dim: Val(
        UNIFORM, INT64, "0"), expressions.emit)
    e.read_locals = frozenset(x.local for x in visit.all_expressions(kernel.body)
                              if isinstance(x, n.Read))
    e.reducer_locals = frozenset(_seeds(kernel))
    e.stream, e.lined = made.stream, made.lined
    e.bodies = made.every
    e.watched, e.granule = watches.bases(kernel), watches.granule(kernel)
    e.written = watches.written(kernel)
    if not kernel.apart and any(
            isinstance(p.type, View) and p.type.space is address_space.local_space
            for p in kernel.params):
        e.local_base = f.op(f"alloca i8, i64 {_twice(e, found)}, align 64")
    _arrays(e)
    in_range: Unit = functools.partial(_range_unit, inner=inner, units=units, flat=flat,
                                       jam=made.together)
    in_groups: Unit = functools.partial(_group_unit, inner=inner)
    _units(e, {"range": in_range, "single": _single_unit, "nd_range": in_groups,
               "work_group": _hierarchy_unit}[kernel.index_kind], edge)
    if e.stream is not None or (f.module.triple.startswith("x86_64") and any(
            isinstance(s, n.StoreMany) and s.past for s in visit.statements(kernel.body))):
        f.module.declare("llvm.x86.sse.sfence", "void @()")
        f.do("call void @llvm.x86.sse.sfence()")
    f.finish()
    if kernel.reducers:
        reductions.build_finish(kernel, module, name + ".finish", found, widest)
    return found, tuple(e.sites)


def _analysed(kernel: n.Kernel, query: sh.QueryShape, seeds: dict[n.Local, sh.Shape],
              given: Sequence[n.Local] = ()) -> tuple[n.Kernel, sh.Shapes]:
    """Return a kernel as it is emitted, with the shapes of its values.

    ``given``: locals that have a value before its body.
    """
    last: list[tuple[n.Kernel, sh.Shapes]] = []

    def shapes(kernel: n.Kernel) -> sh.Shapes:
        if not last or last[0][0] is not kernel:
            last[:] = [(kernel, sh.analyse(
                kernel.body, query, seeds, at_group=kernel.index_kind == "work_group",
                arrays=shared_arrays.candidates(kernel)))]
        return last[0][1]
    kernel = pipeline.run(kernel, "simd", "lanes", pipeline.Facts(shapes=shapes, ids=given))
    return kernel, shapes(kernel)


def _interior(kernel: n.Kernel, finder: interiors.Search,
              seeds: dict[n.Local, sh.Shape]) -> rows.Inside | None:
    """Return the interior of a kernel whose items never meet, as it is emitted, if it has one."""
    if kernel.index_kind not in ("range", "nd_range") or kernel.apart \
            or visit.contains(kernel.body, (n.Barrier, n.GroupCall, n.Agree)):
        return None
    found: list[interiors.Interior] = []
    given: list[n.Local] = []

    def within(kernel: n.Kernel) -> n.Kernel:
        inner = interiors.find(kernel, finder)
        if inner is None:
            return kernel
        found.append(inner)
        given.extend(inner.seeds)
        return replace(kernel, body=inner.body)
    made = pipeline.run(kernel, "simd", "interior", pipeline.Facts(
        own={"interior": within}, ids=given))
    if not found:
        return None
    made, shapes = _analysed(made, finder.query, {**seeds, **found[0].seeds}, given)
    return rows.Inside(found[0], made.body, shapes)


def _together(kernel: n.Kernel, shapes: sh.Shapes, inner: rows.Inside | None,
              finder: interiors.Search, seeds: dict[n.Local, sh.Shape],
              widest: int) -> rows.Several | None:
    """Return how several rows of a range run in one body, if that gains anything."""
    dim = kernel.ndim - finder.units - 2
    if kernel.index_kind != "range" or dim < 0 or finder.lanes < 2:
        return None
    body, found = (kernel.body, shapes) if inner is None else (inner.body, inner.shapes)
    names = 32 if widest == 512 else 16
    per_vector = max(1, finder.lanes * widths.widest_element(kernel) // widest)
    made = rows_together.find(kernel, body, found, inner.interior if inner else None, dim,
                              names // per_vector)
    if made is None:
        return None
    given = {s.local: sh.PER_LANES for s in made.lead}
    return rows.Several(made, sh.analyse(made.body, finder.query, {**seeds, **given}))


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
        e.arrays[array] = e.f.heap(size) if size > STACK_LIMIT else \
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


def _units(e: Emitter, unit: Unit, edge: bool) -> None:
    """Loop over the units of this call."""
    f = e.f
    reductions.begin(e)
    own_sums.begin(e)
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
    f.again(head)
    f.start(done)
    reductions.end(e)
    own_sums.end(e)


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
def _range_unit(e: Emitter, number: str, edge: bool, *, inner: rows.Inside | None,
                units: int, flat: int, jam: rows.Several | None) -> None:
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
    fixed, shapes = dict(e.homes), e.shapes

    single = [Val(UNIFORM, INT64, low) for low in lows[ndim - units:]]
    if flat:
        lows, highs = _one_row(e, lows, highs, ranges, ndim - flat)
    first = [Val(UNIFORM, INT64, "0")] * (flat - 1)

    def asked(ids: list[Val]) -> Callable[[str, int], Val]:
        return queries.range_queries(e, [*ids[:-1], *first, ids[-1], *single])

    def body(ids: list[Val]) -> None:
        e.homes, e.shapes = dict(fixed), shapes
        e.queries = asked(ids)
        emit_block(e, e.kernel.body)
        e.dead = ""

    def test(ids: list[Val]) -> str:
        assert inner is not None
        e.homes = dict(fixed)
        e.queries = asked(ids)
        return inner.test(e)

    def interior(ids: list[Val]) -> None:
        assert inner is not None
        first = e.queries
        e.queries = asked(ids)
        inner.run(e)
        e.dead, e.queries = "", first
    row = rows.Row(body) if inner is None else rows.Row(
        body, test, interior, functools.partial(inner.resume, e), inner.interior.aligned)
    if units:
        lows, highs = lows[:-units], highs[:-units]

    def prepared(ids: list[Val]) -> None:
        e.homes = dict(fixed)
        e.queries = asked(ids)
    box(e, lows, highs, row, edge=edge,
        several=None if jam is None else functools.partial(jam.run, e, prepared, edge))
    e.shapes = shapes


def _one_row(e: Emitter, lows: list[str], highs: list[str], ranges: list[str],
             first: int) -> tuple[list[str], list[str]]:
    """Return a box whose dimensions from ``first`` on are one; it has all of those behind it."""
    low, high = lows[first], highs[first]
    for size in ranges[first + 1:]:
        low, high = e.f.op(f"mul i64 {low}, {size}"), e.f.op(f"mul i64 {high}, {size}")
    return [*lows[:first], low], [*highs[:first], high]


def choose(kernel: n.Kernel, module: Module, name: str, widest: int, flat: Flat) -> None:
    """Write the entry that takes ``name.flat`` where that is right, else ``name.rows``."""
    f, found = Function(module, name, PARAMETERS, vectors(widest)), slots.layout(kernel)
    nothing = sh.analyse((), queries.shapes(kernel, 1), {})
    e = Emitter(kernel, found, nothing, f, Lanes(f, 1), widest, lambda _name, _dim: Val(
        UNIFORM, INT64, "0"), expressions.emit)
    zero = Val(UNIFORM, INT64, "0")
    e.queries = queries.range_queries(e, [zero] * kernel.ndim)
    holds = [e.emit(e, x).ref for x in flat.holds]
    items = "1"
    for d in range(kernel.ndim - flat.count, kernel.ndim):
        size = e.slot(found.global_range + d)
        items = f.op(f"mul i64 {items}, {size}")
        if d > kernel.ndim - flat.count:
            holds.append(f.op(f"icmp uge i64 {e.slot(found.tile + d)}, {size}"))
    if flat.ids_below < 1 << 63:
        items = f.op(f"add i64 {items}, {e.slot(found.offset + kernel.ndim - 1)}")
        holds.append(f.op(f"icmp ult i64 {items}, {flat.ids_below}"))
    yes, no, done = f.label("flat"), f.label("rows"), f.label("done")
    f.branch(functools.reduce(lambda a, b: f.op(f"and i1 {a}, {b}"), holds), yes, no)
    for label, which in (yes, "flat"), (no, "rows"):
        f.start(label)
        f.do(f"call void @{name}.{which}(ptr %args, i64 %begin, i64 %end, i64 %worker)")
        f.jump(done)
    f.start(done)
    f.finish()


def box(e: Emitter, lows: list[str], highs: list[str], row: rows.Row, *, edge: bool,
        several: rows.Some | None = None) -> None:
    """Run a box: loops over outer dimensions, lanes along the rows of the last.

    ``several`` runs the beginnings of several rows at once, where there are so many.
    """
    f = e.f
    outer: list[Val] = []
    closers: list[tuple[str, str, str]] = []
    start = lows[-1]
    for d, (low, high) in enumerate(zip(lows[:-1], highs[:-1], strict=True)):
        counter = f.alloca("i64")
        f.store("i64", low, counter)
        begun = f.alloca("i64") if several is not None and d == len(lows) - 2 else ""
        if begun and several is not None:
            until = f.alloca("i64")
            f.store("i64", low, until)
        head, inside, done = f.label("row"), f.label("inrow"), f.label("rowend")
        f.jump(head)
        f.start(head)
        now = f.load("i64", counter)
        f.branch(f.op(f"icmp ult i64 {now}, {high}"), inside, done)
        f.start(inside)
        if begun and several is not None:
            several(rows.Ends(now, high, lows[-1], highs[-1], begun, until), outer)
            start = f.load("i64", begun)
        outer.append(Val(UNIFORM, INT64, now))
        closers.append((counter, head, done))
    rows.along(e, start, highs[-1], outer, row, edge=edge)
    for (counter, head, done), now_id in zip(reversed(closers), reversed(outer), strict=True):
        f.store("i64", f.op(f"add nuw i64 {now_id.ref}, 1"), counter)
        f.again(head)
        f.start(done)


# ---- work-groups
def _groups(e: Emitter, number: str) -> list[str]:
    counts = [e.slot(e.layout.global_range + d) for d in range(e.kernel.ndim)]
    return _unravel(e, number, counts)


def _group_unit(e: Emitter, number: str, edge: bool, inner: rows.Inside | None) -> None:
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
    if inner is not None:
        group.each(e.kernel.body, functools.partial(rows.sub_group, e, inner))
    else:
        group.block(e.kernel.body)
    e.dead, e.mask = "", None


def _hierarchy_unit(e: Emitter, number: str, edge: bool) -> None:
    """Run one work-group of a hierarchical kernel."""
    groups = _groups(e, number)
    if watches.twins(e.kernel):
        watched_accesses.begin_group(e)
    Hierarchy(e, groups, lambda lows, highs, body: box(
        e, lows, highs, rows.Row(body), edge=True)).run()
    e.dead, e.mask = "", None
