"""Commands so small that handing them to another thread costs more than doing them.

They run in the thread that submits them, as code of a few microseconds. Non-goals: loops whose
turns are not known, barriers, ``print``, checks and anything that can be long: those go to the
pool. Invariant:
what runs here can neither wait for another command nor fail.
"""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from collections.abc import Callable

from unisycl.backends.base import Geometry
from unisycl.backends.cpu.abi import unit_dimensions
from unisycl.backends.cpu.emit import float_mode, reductions
from unisycl.backends.cpu.emit.text import Function, Module
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import View

MOST_STEPS = 262_144
"""Steps, each an operation of a vector: some 30 us. Two threads would take 15, and handing a launch
to them takes as much, of which ten in the submitting thread."""

_MOST_STACK = 32 << 10
_KINDS = ("range", "nd_range", "single")
_LONG = (n.While, n.Print, n.Check, n.Barrier, n.GroupCall, n.Agree)
_ACCESSED, _GATHERED, _CALLED, _DIVIDED = 6, 40, 16, 4
_FREE = (n.Const, n.Read, n.Query, n.Cast, n.Narrow)
_SLOW = ("div", "floordiv", "mod")
_SUFFIX = ".direct"

Direct = Callable[[bytes], None]
_prototype = ctypes.PYFUNCTYPE(None, ctypes.c_char_p)  # keeps the GIL: too short to give it up


def steps(kernel: n.Kernel, lanes: int) -> int:
    """Return the vector operations of one sub-group; 0 if the kernel is never run directly."""
    if kernel.index_kind not in _KINDS or kernel.enqueues or kernel.apart:
        return 0
    joined = _joined(kernel, lanes)
    if joined < 0:
        return 0
    together = -(-math.prod(kernel.local) // lanes)  # each sub-group of a group has its arrays
    stack = sum(math.prod(a.shape) * a.type.elem.size for a in kernel.arrays) * lanes * together
    if stack > _MOST_STACK or _shares_memory(kernel):
        return 0
    if visit.contains(kernel.body, _LONG):
        return 0
    total, todo, known = 1 + joined, [(kernel.body, 1)], _constants(kernel.body)
    while todo:
        block, times = todo.pop()
        for stmt in block:
            total += times * (_stored(stmt, lanes) + sum(
                _weight(x) for e in visit.expressions(stmt) for x in visit.walk(e)))
            turns = _turns(stmt, known) if isinstance(stmt, n.For) else 1
            if turns < 0 or total > MOST_STEPS:
                return 0
            todo += [(b, times * turns) for b in visit.blocks(stmt)]
    return total


def _joined(kernel: n.Kernel, lanes: int) -> int:
    """Return the steps for joining reduction variables; -1 where a combination can be long.

    Lanes are joined once a chunk: a group of an nd_range, at the least, but thousands of items of a
    range.
    """
    total = 0
    for r in kernel.reducers:
        blocks = (r.combine, *((r.stored.load, r.stored.store) if r.stored is not None else ()))
        if any(visit.contains(b, (*_LONG, n.For)) for b in blocks):
            return -1
        once = r.cells is None and kernel.index_kind != "nd_range"
        total += r.words * r.extent * (1 if once else lanes) * (
            1 + sum(_weight(x) for x in visit.all_expressions(r.combine)))
    return total


def _turns(loop: n.For, known: dict[n.Local, n.Const]) -> int:
    """Return how often a loop runs; -1 where only the launch says."""
    start, stop, step = (_number(x, known) for x in (loop.start, loop.stop, loop.step))
    return -1 if start is None or stop is None or not step else len(range(start, stop, step))


def _number(x: n.Expr, known: dict[n.Local, n.Const]) -> int | None:
    """Return the value of an integer constant; None of anything else."""
    found = known.get(x.local) if isinstance(x, n.Read) else x
    return int(found.value) if isinstance(found, n.Const) else None


def _constants(body: n.Block) -> dict[n.Local, n.Const]:
    """Return the locals that are given one constant and nothing else."""
    counts = Counter(x for s in visit.statements(body) for x in visit.targets(s))
    return {s.local: s.value for s in visit.statements(body) if isinstance(s, n.Assign)
            and isinstance(s.value, n.Const) and counts[s.local] == 1}


def _weight(x: n.Expr) -> int:
    """Return how many steps an operation counts as; as ``python -m bench.launches`` finds them."""
    if isinstance(x, _FREE):
        return 0
    if isinstance(x, n.Load):
        return _reached(x.place)
    if isinstance(x, n.Call):
        return _CALLED
    return _DIVIDED if isinstance(x, n.Binary) and x.op in _SLOW else 1


def _stored(stmt: n.Stmt, lanes: int) -> int:
    """Return how many steps a statement counts as, besides its expressions."""
    if isinstance(stmt, n.Store):
        return _reached(stmt.place)
    if isinstance(stmt, n.LoadMany | n.StoreMany):
        return _GATHERED
    return 4 * lanes if isinstance(stmt, n.Atomic) else 0


def _reached(place: n.Place) -> int:
    """Return what reaching memory counts as: more where lanes do not seem to be neighbours."""
    apart = any(isinstance(x, n.Load | n.Call) or (isinstance(x, n.Binary) and x.op in _SLOW)
                for index in place.index for x in visit.walk(index))
    return _GATHERED if apart or place.inner else _ACCESSED


def _shares_memory(kernel: n.Kernel) -> bool:
    """Say whether a work-group has memory of its own."""
    kinds = [p.type for p in kernel.params] + [a.type for a in kernel.arrays]
    return any(isinstance(kind, View) and kind.space is address_space.local_space
               for kind in kinds)


def fits(per_sub_group: int, geometry: Geometry, lanes: int) -> bool:
    """Say whether a launch of this geometry is small enough."""
    if not per_sub_group or 0 in geometry.global_:
        return False
    return per_sub_group * vectors(geometry, lanes) <= MOST_STEPS


def vectors(geometry: Geometry, lanes: int) -> int:
    """Return how many vectors a range or nd_range is."""
    if geometry.kind == "nd_range":
        size = math.prod(geometry.local)
        return math.prod(geometry.global_) // size * -(-size // lanes)
    units = unit_dimensions(geometry.global_)
    *outer, last = geometry.global_[:len(geometry.global_) - units]
    return math.prod(outer) * -(-last // lanes)


def symbol(entry: str) -> str:
    """Return the name of the function for direct calls beside an entry."""
    return entry + _SUFFIX


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


def function(address: int) -> Direct:
    """Return the function at an address as something Python can call with the bytes."""
    return _prototype(address)
