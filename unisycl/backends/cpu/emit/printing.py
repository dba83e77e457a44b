"""``print``, streams and checks on the CPU: active lanes call into Python, one after another.

Non-goals: speed, and what Python does (``reports``). Invariant: kernels without such statements
have no trace of them; where a check fails, no lane goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.lanes import UNIFORM, Val
from unisycl.backends.cpu.emit.text import llvm_type
from unisycl.backends.reports import Site, id_names, spelling
from unisycl.base.dtypes import INT64
from unisycl.base.value_text import Part, Shown
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar


def emit(e: Emitter, stmt: n.Print) -> None:
    """Emit a text: the active lanes one after another."""
    parts, types, values = spelled(e, stmt.pieces)
    kind, head = "print", []
    if stmt.stream is not None:
        kind = "end" if stmt.end else "stream"
        head = [e.emit(e, stmt.stream), _number(e)]
    site = Site(kind, parts, types, stmt.span, group=e.in_group)
    if e.in_group:
        _call(e, site, [_spill(e, v) for v in (*head, *values)], "0")
        return
    _each_lane(e, site, [_spill(e, v) for v in (*head, *values)])


def check(e: Emitter, stmt: n.Check) -> None:
    """Emit a check: a branch that is never taken, unless the condition fails."""
    f = e.f
    cond = e.emit(e, stmt.cond)
    fails, holds = f.label("fails"), f.label("holds")
    inverse = e.lanes.invert(cond)
    if cond.form == UNIFORM and (e.mask is None or not e.maybe_empty):
        bad, lane = inverse.ref, "0"
        if e.mask is not None:
            lane = e.lowest(e.bits(e.mask))
        f.branch(bad, fails, holds)
        f.start(fails)
    else:
        # Lanes that are off have loaded nothing: frozen first, for poison stays so in an ``and``.
        frozen = e.and_mask(f.op(f"freeze {e.mask_type} {e.lanes.vector(inverse)}"))
        f.branch(e.any(frozen), fails, holds)
        f.start(fails)
        lane = e.lowest(e.bits(frozen))
    parts, types, values = spelled(e, stmt.pieces)
    whose, counts = ids(e)
    site = Site("check", parts, types, stmt.span, counts, e.in_group)
    _call(e, site, [_spill(e, v) for v in (*whose, *values)], lane)
    f.jump(e.abort)
    f.start(holds)


def spelled(e: Emitter, pieces: Sequence[str | Shown | n.Expr]
              ) -> tuple[tuple[Part, ...], tuple[Scalar, ...], list[Val]]:
    """Return the parts of a text, and the types and values of what they show."""
    parts, values = spelling(pieces)
    return parts, tuple(x.type for x in values), [e.emit(e, x) for x in values]


# ---- work-items
def _number(e: Emitter) -> Val:
    """Return a number that tells the work-items of a launch apart."""
    kind, ndim = e.kernel.index_kind, e.kernel.ndim
    zero = e.lanes.const(0, INT64)
    if kind == "single":
        return zero
    if kind != "work_group":
        return _linear(e, zero, "global_id", "global_range", ndim)
    group = _linear(e, zero, "group_id", "group_range", ndim)
    return group if e.in_group else _linear(e, group, "logical_id", "logical_range", ndim)


def _linear(e: Emitter, number: Val, ids: str, ranges: str, ndim: int) -> Val:
    for d in range(ndim):
        number = e.lanes.add(e.lanes.mul(number, e.queries(ranges, d)), e.queries(ids, d))
    return number


def ids(e: Emitter) -> tuple[list[Val], tuple[int, ...]]:
    """Return the ids that say which work-item failed, and how many there are of each kind."""
    ndim = e.kernel.ndim
    names = id_names(e.kernel.index_kind, in_group=e.in_group)
    values = [e.queries(name, d) for name in names for d in range(ndim)]
    return values, (ndim,) * len(names)


# ---- calling
def tell(e: Emitter, site: Site, values: Sequence[Val], lane: str) -> None:
    """Call with the values of one lane; what comes back fails the command."""
    _call(e, site, [_spill(e, v) for v in values], lane)


def _each_lane(e: Emitter, site: Site, spilled: list[str]) -> None:
    """Call once for every lane that is on."""
    f = e.f
    at = f.alloca("i64")
    f.store("i64", "0", at)
    head, body, act, step, done = (f.label(s) for s in ("print", "lane", "say", "next", "said"))
    f.jump(head)
    f.start(head)
    lane = f.load("i64", at)
    f.branch(f.op(f"icmp ult i64 {lane}, {e.lanes.lanes}"), body, done)
    f.start(body)
    on = "true"
    if e.mask is not None:
        short = f.op(f"trunc i64 {lane} to {e.mask_bits}") if e.lanes.lanes < 64 else lane
        bit = f.op(f"lshr {e.mask_bits} {e.bits(e.mask)}, {short}")
        on = f.op(f"trunc {e.mask_bits} {bit} to i1") if e.mask_bits != "i1" else bit
    f.branch(on, act, step)
    f.start(act)
    _call(e, site, spilled, lane)
    f.jump(step)
    f.start(step)
    f.store("i64", f.op(f"add i64 {lane}, 1"), at)
    f.jump(head)
    f.start(done)


def _call(e: Emitter, site: Site, spilled: list[str], lane: str) -> None:
    """Call with the values of one lane; what comes back fails the command."""
    f = e.f
    e.sites.append(site)
    cells = f.alloca(f"[{max(1, len(spilled))} x i64]", 8)
    for k, where in enumerate(spilled):
        f.store("i64", f.load("i64", f.gep("i64", where, lane)), f.gep("i64", cells, str(k)))
    at = e.layout.reports
    tell, launch = e.slot(at, "ptr"), e.slot(at + 1)
    code = f.op(f"call i64 {tell}(i64 {launch}, i64 {len(e.sites) - 1}, ptr {cells})")
    failed, told = f.label("failed"), f.label("told")
    f.branch(f.op(f"icmp ne i64 {code}, 0"), failed, told)
    f.start(failed)
    f.do(f"store atomic i64 {code}, ptr {e.slot(at + 2, 'ptr')} monotonic, align 8")
    f.jump(told)
    f.start(told)


def _spill(e: Emitter, value: Val) -> str:
    """Write the bits of all lanes to memory, 64 for each."""
    f, w = e.f, e.lanes.lanes
    dtype = value.dtype
    vector = e.lanes.vector(value)
    whole = f"<{w} x i{dtype.bits}>"
    if dtype.is_float:
        vector = f.op(f"bitcast {llvm_type(dtype, w)} {vector} to {whole}")
    if dtype.bits < 64:
        vector = f.op(f"zext {whole} {vector} to <{w} x i64>")
    where = f.alloca(f"<{w} x i64>")
    f.store(f"<{w} x i64>", vector, where)
    return where
