"""Which kernels are run where they are submitted if they are small, and the function for it.

Non-goals: loops whose turns no launch knows, groups that wait for one another, ``print``, checks
and anything that can be long: those go to the pool. Invariant: what is let through can neither
wait for another command nor fail.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from unisycl.backends.cpu.emit import float_mode, reductions
from unisycl.backends.cpu.emit.text import Function, Module
from unisycl.backends.cpu.pool import bounds
from unisycl.backends.cpu.pool.bounds import Bound
from unisycl.backends.cpu.pool.direct import MOST_STACK, MOST_STEPS, Steps, symbol
from unisycl.backends.cpu.pool.turns import Turns
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit

_LONG = (n.Print, n.Check, n.Agree)
_ACCESSED, _GATHERED, _CALLED, _DIVIDED, _MET = 6, 40, 16, 4, 12
_FREE = (n.Const, n.Read, n.Query, n.Cast, n.Narrow)
_SLOW = ("div", "floordiv", "mod")
_MOST_TERMS = 64

Varying: TypeAlias = Callable[[n.Expr], bool]


def steps(kernel: n.Kernel, lanes: int, params: Sequence[n.Param], pairs: int = 1,
          lines: int = 1) -> Steps:
    """Return the vector operations of one sub-group; 0 if the kernel is never run directly.

    Where only a launch knows how often loops run: terms, each of steps and of the turns of the
    loops around them. ``params``: those that a launch has values for. ``pairs``: how many pairs of
    the processor's vectors a sub-group is, each of which a step is counted for; ``lines``: how many
    lines of a cache a pair is, by which the outer caches count.
    """
    if kernel.enqueues or kernel.apart or kernel.waits or kernel.progress:
        return 0
    joined = _joined(kernel, lanes)
    if joined < 0:
        return 0
    if visit.contains(kernel.body, _LONG) or _stack(kernel, lanes) > MOST_STACK:
        return 0
    weights = _Weights(lanes, pairs, _ACCESSED * lines, _varying(kernel))
    return _terms(kernel, weights, Turns(kernel.body, params), (1 + joined) * pairs)


class _Weights(NamedTuple):
    """What steps depend on: lanes, their pairs of vectors, reaching memory, what says of lanes."""

    lanes: int
    pairs: int
    accessed: int
    varying: Varying


def _terms(kernel: n.Kernel, weights: _Weights, found: Turns, total: int) -> Steps:
    """Return the steps of a kernel's statements, and of ``total`` more."""
    lanes, pairs = weights.lanes, weights.pairs
    terms: list[tuple[int, tuple[Bound, ...]]] = []
    todo: list[tuple[n.Block, int, tuple[Bound, ...]]] = [(kernel.body, 1, ())]
    while todo:
        block, times, within = todo.pop()
        each = 0
        for at, stmt in enumerate(block):
            often, around = times, within
            if isinstance(stmt, n.For | n.While | n.WorkItems):
                bound = found.of(block, at) if not isinstance(stmt, n.WorkItems) else (
                    found.vectors(stmt, kernel.local, lanes))
                if bound is None:
                    return 0
                known = bounds.constant(bound)
                often, around = (times, (*within, bound)) if known is None else (
                    times * known, within)
            each += pairs * _of_statement(stmt, weights)
            todo += [(b, often, around) for b in visit.blocks(stmt)]
        if within:
            terms.append((times * each, within))
        else:
            total += times * each
        if total > MOST_STEPS or len(terms) > _MOST_TERMS:
            return 0
    return ((total, ()), *terms) if terms else total


def _of_statement(stmt: n.Stmt, weights: _Weights) -> int:
    """Return the steps of a statement without its blocks."""
    return _stored(stmt, weights) + sum(
        _weight(x, weights) for e in visit.expressions(stmt) for x in visit.walk(e))


def _varying(kernel: n.Kernel) -> Varying:
    """Return what says whether an index differs from lane to lane; a guess, for costs alone."""
    names, last = ("global_id", "local_id"), kernel.ndim - 1
    locals_: set[n.Local] = set()

    def varies(x: n.Expr) -> bool:
        return any((isinstance(y, n.Query) and y.name in names and y.dim == last)
                   or (isinstance(y, n.Read) and y.local in locals_) for y in visit.walk(x))

    for stmt in visit.statements(kernel.body):
        if isinstance(stmt, n.Assign) and varies(stmt.value):
            locals_.add(stmt.local)
    return varies


def _joined(kernel: n.Kernel, lanes: int) -> int:
    """Return the steps for joining reduction variables; -1 where a combination can be long.

    Lanes are joined once a chunk: a group of an nd_range, at the least, but thousands of items of a
    range.
    """
    total, uniform = 0, _Weights(lanes, 1, _ACCESSED, lambda _: False)
    for r in kernel.reducers:
        blocks = (r.combine, *((r.stored.load, r.stored.store) if r.stored is not None else ()))
        if any(visit.contains(b, (*_LONG, n.For, n.While)) for b in blocks):
            return -1
        once = r.cells is None and kernel.index_kind != "nd_range"
        total += r.words * r.extent * (1 if once else lanes) * (
            1 + sum(_weight(x, uniform) for x in visit.all_expressions(r.combine)))
    return total


def _weight(x: n.Expr, weights: _Weights) -> int:
    """Return how many steps an operation counts as; as ``python -m bench.launches`` finds them."""
    if isinstance(x, _FREE):
        return 0
    if isinstance(x, n.Load):
        return _reached(x.place, weights)
    if isinstance(x, n.Call):
        return _CALLED
    return _DIVIDED if isinstance(x, n.Binary) and x.op in _SLOW else 1


def _stored(stmt: n.Stmt, weights: _Weights) -> int:
    """Return how many steps a statement counts as, besides its expressions."""
    if isinstance(stmt, n.Store):
        return _reached(stmt.place, weights)
    if isinstance(stmt, n.LoadMany | n.StoreMany):
        return _GATHERED
    if isinstance(stmt, n.Barrier | n.GroupCall):
        return _MET
    return 4 * weights.lanes if isinstance(stmt, n.Atomic) else 0


def _reached(place: n.Place, weights: _Weights) -> int:
    """Return what reaching memory counts as: more where lanes do not seem to be neighbours."""
    apart = any(isinstance(x, n.Load | n.Call) or (isinstance(x, n.Binary) and x.op in _SLOW)
                for index in place.index for x in visit.walk(index))
    rows = any(map(weights.varying, place.index[:-1]))
    return _GATHERED if apart or rows or place.inner else weights.accessed


def _stack(kernel: n.Kernel, lanes: int) -> int:
    """Return the most bytes of a kernel's arrays, and of locals that are kept while items meet."""
    together = lanes * -(-math.prod(kernel.local) // lanes)
    kept = {x for s in visit.statements(kernel.body) for x in visit.targets(s)} if visit.contains(
        kernel.body, (n.Barrier, n.GroupCall, n.WorkItems)) else ()
    return together * sum(x.type.size for x in kept) + sum(
        a.nbytes * (1 if a.type.space is address_space.local_space else together)
        for a in kernel.arrays)


def emit(module: Module, entry: str, chunks: int | None = None) -> None:
    """Write the function: it takes the number of units followed by the argument block.

    ``chunks``: the slot of the first reducer of a kernel that has one, whose chunks run one after
    the other and are joined then, all as the pool does it.
    """
    whole = f"call void @{entry}(ptr {{}}, i64 0, i64 {{}}, i64 0)"
    if chunks is not None:
        whole = f"call void @{_chunks(module, entry, chunks)}(ptr {{}}, i64 {{}})"
    f = Function(module, symbol(entry), "ptr %block", "nounwind")
    units = f.load("i64", "%block")
    args = f.op("getelementptr i8, ptr %block, i64 8")
    float_mode.around(f, whole.format(args, units) + " noinline")
    f.finish()


def _chunks(module: Module, entry: str, slot: int) -> str:
    """Write what runs all chunks of a kernel with reducers and joins them; return its name."""
    f = Function(module, entry + ".chunks", "ptr %args, i64 %units", "nounwind")
    chunks, grain = (f.load("i64", f.gep("i64", "%args", str(slot + k)))
                     for k in (reductions.CHUNKS, reductions.GRAIN))

    def one(number: str) -> None:
        begin = f.op(f"mul i64 {number}, {grain}")
        end = f.op(f"add i64 {begin}, {grain}")
        last = f.op(f"icmp slt i64 %units, {end}")
        end = f.op(f"select i1 {last}, i64 %units, i64 {end}")
        f.do(f"call void @{entry}(ptr %args, i64 {begin}, i64 {end}, i64 0) noinline")
    reductions.count(f, chunks, one)
    f.do(f"call void @{entry}.finish(ptr %args, i64 0, i64 1, i64 0) noinline")
    f.finish()
    return entry + ".chunks"
