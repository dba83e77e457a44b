"""A row of a range: whole vectors where they fit and nothing differs between lanes, else masks.

Two bodies are written mostly. Where a kernel has an interior (``passes.interior``), or an output
whose lines vectors begin at, one runs as long as all that is so; the other one, under a mask, for
the vectors in between, and once more without where these may be all of a launch. Non-goals: rows
of outer dimensions (``entry``). Invariant: each item of a row runs once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from unisycl.backends.cpu.emit import memory, queries
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, Val
from unisycl.backends.cpu.emit.statements import emit_block
from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import INT64
from unisycl.ir import nodes as n
from unisycl.passes.interior.interior import Interior
from unisycl.passes.interior.rows_together import Together
from unisycl.passes.simd.shapes import Shapes

Body = Callable[[list[Val]], None]


@dataclass(frozen=True, slots=True)
class Inside:
    """The interior of a kernel as it is emitted, and the shapes of its values."""

    interior: Interior
    body: n.Block
    shapes: Shapes

    def test(self, e: Emitter) -> str:
        """Emit what is known of the first lane, whose ids are asked for; return if all holds."""
        e.shapes = self.shapes
        emit_block(e, self.interior.lead)
        return e.emit(e, self.interior.holds).ref

    def resume(self, e: Emitter, now: str, end: str) -> str:
        """Emit where the next vector begins, which is in a test's terms and not after ``end``."""
        f, w = e.f, e.lanes.lanes
        for x in self.interior.ahead:
            bits = x.type.dtype.bits
            far = e.emit(e, x).ref
            before = f.op(f"sub i{bits} {far}, 1")
            near = f.op(f"icmp ult i{bits} {before}, {w - 1}")
            wide = far if bits == 64 else f.op(f"zext i{bits} {far} to i64")
            there = f.op(f"add i64 {now}, {wide}")
            there = f.op(f"select i1 {near}, i64 {there}, i64 {end}")
            end = f.op(f"call i64 @llvm.umin.i64(i64 {end}, i64 {there})")
        return end

    def run(self, e: Emitter) -> None:
        """Emit the body."""
        e.shapes = self.shapes
        emit_block(e, self.body)


@dataclass(frozen=True, slots=True)
class Row:
    """What runs in a row.

    ``body`` serves any vector. Where there is a ``test``, called with the ids of the first lane,
    ``interior`` serves those that it allows, and ``resume`` says where such may begin. ``apart``:
    many vectors may have no interior, so whole ones of those have no mask either.
    """

    body: Body
    test: Callable[[list[Val]], str] | None = None
    interior: Body | None = None
    resume: Callable[[str, str], str] = lambda now, end: end
    apart: bool = False


class Ends(NamedTuple):
    """A row and the end of the rows behind it, the items of each, and two numbers in memory.

    ``begun``: where rows are to go on; ``until``: up to which row they have begun there.
    """

    now: str
    high: str
    low: str
    end: str
    begun: str
    until: str


Some = Callable[[Ends, list[Val]], None]


@dataclass(frozen=True, slots=True)
class Several:
    """A body for several rows at once, and the shapes of its values."""

    together: Together
    shapes: Shapes

    def run(self, e: Emitter, prepare: Callable[[list[Val]], None], edge: bool, at: Ends,
            outer: list[Val]) -> None:
        """Run the vectors of as many rows as the body is for, if nobody has begun them.

        ``edge``: rows may end within a vector, which runs under a mask.
        """
        f = e.f
        known, fits = f.label("known"), f.label("fits")
        several, single, done = f.label("several"), f.label("single"), f.label("begun")
        f.branch(f.op(f"icmp ult i64 {at.now}, {f.load('i64', at.until)}"), done, known)
        f.start(known)
        f.store("i64", at.low, at.begun)
        f.jump(fits)
        f.start(fits)
        behind = f.op(f"add nuw i64 {at.now}, {self.together.rows}")
        f.branch(f.op(f"icmp ule i64 {behind}, {at.high}"), several, single)
        f.start(several)
        f.store("i64", behind, at.until)
        self.vectors(e, prepare, edge, at, [*outer, Val(UNIFORM, INT64, at.now)])
        f.jump(done)
        f.start(single)
        f.jump(done)
        f.start(done)

    def vectors(self, e: Emitter, prepare: Callable[[list[Val]], None], edge: bool, at: Ends,
                outer: list[Val]) -> None:
        """Run vectors from the beginning of rows on, as long as tests hold."""
        f, w, shapes = e.f, e.lanes.lanes, e.shapes
        look, fast, short, done = f.label("look"), f.label("jam"), f.label("jamrest"), f.label(
            "jamend")
        f.jump(look)
        f.start(look)
        now = f.load("i64", at.begun)
        behind = f.op(f"add nuw i64 {now}, {w}")
        whole = f.op(f"icmp ule i64 {behind}, {at.end}")
        holds = f.op(f"icmp ult i64 {now}, {at.end}") if edge else whole
        e.mask, e.maybe_empty, e.shapes = None, False, self.shapes
        prepare([*outer, Val(UNIFORM, INT64, now)])
        homes = e.homes
        emit_block(e, self.together.lead)
        if self.together.holds is not None:
            holds = f.op(f"and i1 {holds}, {e.emit(e, self.together.holds).ref}")

        def body(end: str, then: str) -> None:
            prepare([*outer, Val(LINEAR, INT64, now, 1)])
            e.homes = dict(homes)
            emit_block(e, self.together.body)
            e.dead = ""
            f.store("i64", end, at.begun)
            f.jump(then)
        if edge:
            some = f.label("jamsome")
            f.branch(holds, some, done)
            f.start(some)
            f.branch(whole, fast, short)
            f.start(short)
            e.mask = _first_lanes(e, f.op(f"sub i64 {at.end}, {now}"))
            body(at.end, done)
            e.mask, e.maybe_empty = None, False
        else:
            f.branch(holds, fast, done)
        f.start(fast)
        body(behind, look)
        e.shapes = shapes
        f.start(done)


def along(e: Emitter, low: str, high: str, outer: list[Val], row: Row, *, edge: bool) -> None:
    """Run all items of a row."""
    if row.test is None and e.lined is None:
        _whole_vectors(e, low, high, outer, row.body, edge=edge)
        return
    f, w = e.f, e.lanes.lanes
    f.module.declare("llvm.umin.i64", "i64 @(i64, i64)")
    aligned = low if e.lined is None else _aligned(e, low, outer)
    counter = f.alloca("i64")
    f.store("i64", low, counter)
    more, look, fast = f.label("vecs"), f.label("vec"), f.label("invec")
    rest, slow, done = f.label("rest"), f.label("edge"), f.label("vecend")
    f.jump(more)
    f.start(more)
    f.branch(f.op(f"icmp ult i64 {f.load('i64', counter)}, {high}"), look, done)
    f.start(look)
    now = f.load("i64", counter)
    behind = f.op(f"add nuw i64 {now}, {w}")
    fits = f.op(f"icmp ule i64 {behind}, {high}")
    if e.lined is not None:
        fits = f.op(f"and i1 {fits}, {f.op(f'icmp eq i64 {_past(e, now, aligned)}, 0')}")
    e.mask, e.maybe_empty = None, False
    if row.test is not None:
        fits = f.op(f"and i1 {fits}, {row.test([*outer, Val(UNIFORM, INT64, now)])}")
    f.branch(fits, fast, rest)
    f.start(fast)
    e.streaming = e.stream is not None
    (row.interior or row.body)([*outer, Val(LINEAR, INT64, now, 1)])
    e.streaming = False
    f.store("i64", behind, counter)
    f.jump(look)
    f.start(rest)
    f.branch(f.op(f"icmp ult i64 {now}, {high}"), slow, done)
    f.start(slow)
    if row.apart:
        whole, part = f.label("whole"), f.label("part")
        f.branch(f.op(f"icmp ule i64 {behind}, {high}"), whole, part)
        f.start(whole)
        row.body([*outer, Val(LINEAR, INT64, now, 1)])
        f.store("i64", behind, counter)
        f.jump(more)
        f.start(part)
        e.seldom = True
    end = row.resume(now, behind)
    if e.lined is not None:
        left = f.op(f"sub i64 {_line(e)}, {_past(e, now, aligned)}")
        end = f.op(f"call i64 @llvm.umin.i64(i64 {end}, i64 {f.op(f'add i64 {now}, {left}')})")
    end = f.op(f"call i64 @llvm.umin.i64(i64 {end}, i64 {high})")
    e.mask = _first_lanes(e, f.op(f"sub i64 {end}, {now}"))
    row.body([*outer, Val(LINEAR, INT64, now, 1)])
    e.mask, e.maybe_empty, e.seldom = None, False, False
    f.store("i64", end, counter)
    f.again(more)
    f.start(done)


def sub_group(e: Emitter, inner: Inside, _number: str) -> None:
    """Run a kernel for a sub-group, its interior where all lanes are on and its test holds."""
    f, asked, homes, shapes = e.f, e.queries, dict(e.homes), e.shapes
    fast, slow, done = f.label("invec"), f.label("edge"), f.label("vecend")
    e.region_exit = done

    def of_first(name: str, dim: int) -> Val:
        found = asked(name, dim)
        return Val(UNIFORM, found.dtype, found.ref) if found.form == LINEAR else found

    def run(emit: Callable[[], None]) -> None:
        emit()
        if e.dead != "unreachable":
            f.jump(done)
        e.dead, e.mask, e.maybe_empty = "", None, False
    if e.mask is None:
        e.queries = of_first
        f.branch(inner.test(e), fast, slow)
        f.start(fast)
        e.queries = asked
        run(lambda: inner.run(e))
        f.start(slow)
        e.homes, e.shapes = homes, shapes
    run(lambda: emit_block(e, e.kernel.body))
    f.start(done)


def _past(e: Emitter, now: str, aligned: str) -> str:
    """Return how many items an item is behind one whose element is aligned."""
    return e.f.op(f"and i64 {e.f.op(f'sub i64 {now}, {aligned}')}, {_line(e) - 1}")


def _whole_vectors(e: Emitter, low: str, high: str, outer: list[Val], body: Body, *,
                   edge: bool) -> None:
    """Run ``body`` for whole vectors from ``low``, then once under a mask for what is left."""
    f, w = e.f, e.lanes.lanes
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
    e.mask, e.maybe_empty = None, False
    body([*outer, Val(LINEAR, INT64, now, 1) if w > 1 else Val(UNIFORM, INT64, now)])
    f.store("i64", f.op(f"add nuw i64 {now}, {w}"), counter)
    f.jump(head)
    f.start(done)
    e.mask = None
    if not edge:
        return
    some, end = f.label("edge"), f.label("edgeend")
    count = f.op(f"sub i64 {high}, {stop}")
    f.branch(f.op(f"icmp ne i64 {count}, 0"), some, end)
    f.start(some)
    e.mask, e.seldom = _first_lanes(e, count), True
    body([*outer, Val(LINEAR, INT64, stop, 1)])
    e.mask, e.maybe_empty, e.seldom = None, False, False
    f.jump(end)
    f.start(end)


def _first_lanes(e: Emitter, count: str) -> str:
    """Return the mask of the first ``count`` lanes."""
    f, w = e.f, e.lanes.lanes
    short = f.op(f"trunc i64 {count} to i32")
    many = f.op(f"insertelement <{w} x i32> poison, i32 {short}, i64 0")
    many = f.op(f"shufflevector <{w} x i32> {many}, <{w} x i32> poison, "
                f"<{w} x i32> zeroinitializer")
    lanes = "<" + ", ".join(f"i32 {k}" for k in range(w)) + ">"
    return f.op(f"icmp ult <{w} x i32> {lanes}, {many}")


def _aligned(e: Emitter, low: str, outer: list[Val]) -> str:
    """Return the first item of a row whose element is aligned."""
    f = e.f
    assert e.lined is not None
    e.queries = queries.range_queries(e, [*outer, Val(LINEAR, INT64, low, 1)])
    at = memory.address(e, e.lined)
    pointer = memory.scalar_pointer(e, at, at.index.ref)
    address = f.op(f"ptrtoint ptr {pointer} to i64")
    size = e.lined.type.size
    behind = f.op(f"and i64 {f.op(f'sub i64 0, {address}')}, {_line(e) * size - 1}")
    return f.op(f"add i64 {low}, {f.op(f'udiv i64 {behind}, {size}')}")


def _line(e: Emitter) -> int:
    """Return how many elements lie between aligned ones."""
    assert e.lined is not None
    return min(memory.STREAM_ALIGN // e.lined.type.size, e.lanes.lanes)
