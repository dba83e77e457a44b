"""Elements of memory that a loop adds to again and again are kept in a local meanwhile.

``for k in range(n): c[i, j] += a[k, i] * a[k, j]`` reads and writes ``c[i, j]`` in each turn, since
``a`` may be the same memory. Where the ends of the memories show that it is not, the loop has a
local in place of the element. Non-goals: elements that a branch writes, loops that are left early.
Invariant: the element has its value behind the loop, and is written only if the loop wrote it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from unisycl.base.dataclass import replace
from unisycl.base.dtypes import INT64, UINT8, UINT64
from unisycl.base.enums import address_space
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.constant_tables import Table
from unisycl.ir.types import BOOL, Scalar, View
from unisycl.passes.simd.other_names import Names

_MOST_EXPRESSIONS = 120
_OTHERS = (n.Assign, n.Store, n.If, n.For, n.While)
_INDEX = Scalar(INT64, weak=True)
_BYTE, _ADDRESS = Scalar(UINT8), Scalar(UINT64)


def run(kernel: n.Kernel) -> n.Kernel:
    """Return a kernel whose loops keep elements in locals where they may."""
    if kernel.checks or kernel.pointed or not visit.contains(kernel.body, n.For):
        return kernel
    body = _Keeping(Names(kernel.body)).block(kernel.body)
    return kernel if body is kernel.body else replace(kernel, body=body)


def likely(block: n.Block) -> n.Block:
    """Return a block without the loops for memories that overlap, for whoever weighs it."""
    return tuple(chain.from_iterable(
        likely(s.then) if isinstance(s, n.If) and any(
            isinstance(x, n.Address) for x in visit.walk(s.cond)) else (_with(s, **{
                name: likely(getattr(s, name)) for name in ("then", "orelse", "pre", "body")
                if isinstance(getattr(s, name, None), tuple)}),) for s in block))


class _Keeping:
    """Rewrites blocks; ``names`` are other names of locals."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def block(self, block: n.Block) -> n.Block:
        """Return a block with elements kept in locals."""
        new = tuple(chain.from_iterable(map(self.statement, block)))
        same = len(new) == len(block) and all(a is b for a, b in zip(new, block, strict=True))
        return block if same else new

    def statement(self, stmt: n.Stmt) -> n.Block:
        match stmt:
            case n.For():
                places = [p for p in self.candidates(stmt) if _is_steady(p, stmt)]
                if places:
                    return self.kept(stmt, places)
                return (_with(stmt, body=self.block(stmt.body)),)
            case n.If():
                return (_with(stmt, then=self.block(stmt.then), orelse=self.block(stmt.orelse)),)
            case n.While():
                return (_with(stmt, pre=self.block(stmt.pre), body=self.block(stmt.body)),)
            case n.Scope() | n.WorkItems():
                return (_with(stmt, body=self.block(stmt.body)),)
        return (stmt,)

    def candidates(self, loop: n.For) -> list[n.Place]:
        """Return the elements that every turn of a loop writes, and that it reads, too."""
        if any(isinstance(x, n.Load) for x in visit.walk(loop.step)) or not _is_plain(loop):
            return []
        every = [self.names.of(s.place) for s in visit.statements(loop.body)
                 if isinstance(s, n.Store)]
        read = [self.names.of(x.place) for x in visit.all_expressions(loop.body)
                if isinstance(x, n.Load)]
        found: list[n.Place] = []
        for stmt in _always(loop.body):
            place = self.names.of(stmt.place) if isinstance(stmt, n.Store) else None
            if place is not None and place not in found and place in read and all(
                    p == place for p in (*every, *read) if p.base is place.base):
                found.append(place)
        return found

    def kept(self, loop: n.For, places: list[n.Place]) -> n.Block:
        """Return a loop with locals for elements, where it is known that nothing else is they."""
        start, stop = (n.Local(word, loop.local.type) for word in ("first", "end"))
        head: n.Block = (n.Assign(start, loop.start, span=loop.span),
                         n.Assign(stop, loop.stop, span=loop.span))
        bounds = (n.Read(loop.start.type, start), n.Read(loop.stop.type, stop))
        again = replace(loop, start=bounds[0], stop=bounds[1])
        # A step that is no constant is positive (``shared.loop_steps``).
        down = isinstance(loop.step, n.Const) and loop.step.value < 0
        some = n.Compare(BOOL, "gt" if down else "lt", *bounds)
        found = n.If(some, self.in_locals(again, places), span=loop.span)
        test = _tests(loop, places)
        if test is None:
            return (*head, found)
        return (*head, n.If(test, (found,), (again,), span=loop.span))

    def in_locals(self, loop: n.For, places: list[n.Place]) -> n.Block:
        accs = [n.Local("kept", p.type) for p in places]

        def swap(x: n.Expr) -> n.Expr:
            place = self.names.of(x.place) if isinstance(x, n.Load) else None
            if place is None or place not in places:
                return x
            return n.Read(x.type, accs[places.index(place)])

        def stored(block: n.Block) -> n.Block:
            return tuple(map(inside, block))

        def inside(stmt: n.Stmt) -> n.Stmt:
            match stmt:
                case n.Store() if (place := self.names.of(stmt.place)) in places:
                    return n.Assign(accs[places.index(place)], stmt.value, span=stmt.span)
                case n.If():
                    return replace(stmt, then=stored(stmt.then), orelse=stored(stmt.orelse))
                case n.For():
                    return replace(stmt, body=stored(stmt.body))
            return stmt
        body = stored(visit.rewrite_block(loop.body, swap))
        pairs = list(zip(accs, places, strict=True))
        return (*(n.Assign(a, n.Load(p.type, p), span=loop.span) for a, p in pairs),
                replace(loop, body=body),
                *(n.Store(p, n.Read(p.type, a), span=loop.span) for a, p in pairs))


def _with(stmt: n.Stmt, **blocks: n.Block) -> n.Stmt:
    new: dict[str, Any] = {
        name: x for name, x in blocks.items() if x is not getattr(stmt, name)}
    return replace(stmt, **new) if new else stmt


# ---- which elements
def _is_plain(loop: n.For) -> bool:
    """Say whether a loop is small, is never left early, and has no effects but stores."""
    inside = list(visit.statements(loop.body))
    return all(isinstance(s, _OTHERS) for s in inside) and not any(
        isinstance(s, n.While) for s in inside) and (
        sum(1 for _ in visit.all_expressions(loop.body)) <= _MOST_EXPRESSIONS)


def _always(block: n.Block) -> list[n.Stmt]:
    """Return the statements that run whenever a block does."""
    found: list[n.Stmt] = []
    for stmt in block:
        found.append(stmt)
        if isinstance(stmt, n.For) and visit.fixed_turns(stmt):
            found += _always(stmt.body)
    return found


def _is_steady(place: n.Place, loop: n.For) -> bool:
    """Say whether a place is one element of global memory, the same in all turns of a loop."""
    changes = visit.assigned((loop,))
    kind = place.base.type
    asked = [e for x in (*place.index, *(x for x, _ in place.inner)) for e in visit.walk(x)]
    return (isinstance(place.base, n.Param) and is_whole(place.base) and isinstance(kind, View)
            and not any(isinstance(e, n.Load | n.Call) for e in asked)
            and not any(isinstance(e, n.Read) and e.local in changes for e in asked)
            and all(is_apart(b) or is_whole(b) for b in _bases(loop)))


def is_whole(base: n.Base) -> bool:
    """Say whether it is known where a memory begins and ends."""
    kind = base.type
    return isinstance(base, n.Param) and isinstance(kind, View) and not kind.spread \
        and kind.space is address_space.global_space and kind.ndim > 0


def is_apart(base: n.Base) -> bool:
    """Say whether a memory is never a parameter's: the kernel's own, or a value."""
    kind = base.type
    return isinstance(base, Table | n.Array) or (
        isinstance(base, n.Param) and (not isinstance(kind, View)
                                       or kind.space is address_space.local_space))


def _bases(loop: n.For) -> list[n.Base]:
    """Return the memories that a loop reads or writes."""
    every = [s.place.base for s in visit.statements(loop.body) if isinstance(s, n.Store)]
    every += [x.place.base for x in visit.all_expressions((loop,)) if isinstance(x, n.Load)]
    return list(dict.fromkeys(every))


# ---- what has to hold
def _tests(loop: n.For, places: list[n.Place]) -> n.Expr | None:
    """Return whether the memories of elements share nothing with others; None: they never do."""
    return apart([p.base for p in places], [b for b in _bases(loop) if not is_apart(b)])


def apart(some: Iterable[n.Base], others: Iterable[n.Base]) -> n.Expr | None:
    """Return whether some memories share nothing with others; None: they never do."""
    test: n.Expr | None = None
    mine, rest = dict.fromkeys(some), list(others)
    pairs = {frozenset((a, b)): (a, b) for a in mine for b in rest if a is not b}
    for a, b in pairs.values():
        (low, high), (start, end) = _ends(a), _ends(b)
        one = n.Binary(BOOL, "or", n.Compare(BOOL, "le", high, start),
                       n.Compare(BOOL, "le", end, low))
        test = one if test is None else n.Binary(BOOL, "and", test, one)
    return test


def _ends(base: n.Base) -> tuple[n.Expr, n.Expr]:
    """Return the address of a memory's first byte, and that behind its last one."""
    assert isinstance(base, n.Param)
    assert isinstance(base.type, View)
    index = [n.Extent(_INDEX, base, d) for d in range(base.type.ndim)]
    none = tuple(n.Const(_INDEX, 0) for _ in index)
    last = tuple(n.Binary(_INDEX, "sub", x, n.Const(_INDEX, 1)) for x in index)
    end = n.Address(_ADDRESS, n.Place(base, last, _BYTE))
    return n.Address(_ADDRESS, n.Place(base, none, _BYTE)), n.Binary(
        _ADDRESS, "add", end, n.Const(_ADDRESS, base.type.elem.size))
