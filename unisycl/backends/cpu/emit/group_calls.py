"""Group functions of a work-group: one loop over its sub-groups, the rest in registers.

A reduction adds the sub-groups' vectors lane by lane and folds the one that is left; a scan carries
the last lane on to the next sub-group. The statements before a call run in the same loop, so that
what they compute for it needs no memory. Non-goals: what happens in one vector (collectives).
Invariant: the order of combination depends on the work-group's size and the number of lanes only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from unisycl.backends.cpu.emit import collectives, shuffles
from unisycl.backends.cpu.emit.emitter import Emitter, Home
from unisycl.backends.cpu.emit.lanes import UNIFORM, VECTOR, Val
from unisycl.backends.cpu.emit.statements import emit_block
from unisycl.backends.cpu.emit.text import llvm_type
from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import INT64
from unisycl.ir import nodes as n
from unisycl.ir import visit


@dataclass(slots=True)
class Split:
    """How a work-group lies on sub-groups: ``full`` whole ones, then ``rest`` items in one more."""

    lanes: int
    full: int
    rest: int

    @property
    def count(self) -> int:
        return self.full + bool(self.rest)


class WorkGroup(Protocol):
    """What emits the body of the work-group that calls (``regions.Group``)."""

    e: Emitter
    split: Split
    slots: dict[n.Local, tuple[str, Home]]

    def left(self) -> bool:
        """Say whether items may have left a function that the code at hand is in."""

    def value(self, expr: n.Expr) -> str:
        """Return a scalar the group agrees on."""

    def mask_of(self, number: str) -> str | None:
        """Return the lanes of a sub-group; None if all of them."""

    def element(self, array: str, type: str, index: str) -> str:
        """Return where a sub-group has its element of a slot."""

    def each(self, stmts: n.Block, body: object) -> None:
        """Run ``body`` for every sub-group."""

    def sub_group(self, stmts: n.Block, number: str, mask: str | None, body: object) -> None:
        """Run ``body`` for one sub-group."""

    def assign_group(self, local: n.Local, value: Val) -> None:
        """Give a local a value for every item of the group."""


def joins_run(stmt: n.GroupCall, run: Sequence[n.Stmt]) -> bool:
    """Say whether the statements before a call can share its loop.

    Nobody may leave them early, and what is evaluated before the loop may not depend on them.
    """
    early = stmt.args[1:] if stmt.op.endswith("scan") else ()
    if any(isinstance(x, n.Read | n.Load) for arg in early for x in visit.walk(arg)):
        return False
    inside = {s.number for s in visit.statements(tuple(run)) if isinstance(s, n.Scope)}
    return stmt.op != "broadcast" and not any(
        isinstance(s, n.Break | n.Continue)
        or (isinstance(s, n.Leave) and s.number not in inside)
        for s in visit.statements(tuple(run)))


def runs(stmt: n.GroupCall, before: n.Block) -> Iterator[n.Block]:
    """Return what a call evaluates, loop by loop, for the search of values that cross them."""
    first, *rest = (_evaluates(x) for x in stmt.args)
    yield (*before, first)
    for other in rest:
        yield (other,)
    yield (n.Assign(stmt.result, n.Read(stmt.result.type, stmt.result)),)


def _evaluates(x: n.Expr) -> n.Stmt:
    """Return a statement that reads what an expression reads and gives no local a value."""
    return n.Print((x,))


def emit(group: WorkGroup, stmt: n.GroupCall, before: n.Block) -> None:
    """Emit a call and the statements that lead to it."""
    Call(group, stmt, before).emit()


class Call:
    """One call of a work-group."""

    def __init__(self, group: WorkGroup, stmt: n.GroupCall, before: n.Block) -> None:
        self.group, self.stmt, self.before = group, stmt, before
        self.e, self.f = group.e, group.e.f
        self.dtype = stmt.args[0].type.dtype
        self.vector = llvm_type(self.dtype, group.split.lanes)
        self.block = (*before, _evaluates(stmt.args[0]))

    def emit(self) -> None:
        if self.stmt.op == "broadcast":
            self.broadcast()
        elif self.stmt.op in collectives.VOTES:
            self.vote()
        elif self.stmt.op == "reduce":
            self.reduce()
        else:
            self.scan()

    def operand(self) -> Val:
        """Run the statements before the call for one sub-group and return what it gives."""
        emit_block(self.e, self.before)
        return self.e.emit(self.e, self.stmt.args[0])

    def other(self) -> Val | None:
        """Return the initial value, which the group agrees on."""
        if len(self.stmt.args) < 2:
            return None
        x = self.stmt.args[1]
        return Val(UNIFORM, x.type.dtype, self.group.value(x))

    def broadcast(self) -> None:
        """Evaluate the operand for the giver's sub-group and take its lane."""
        group, f, w = self.group, self.f, self.group.split.lanes
        giver = self.other()
        assert giver is not None
        place = self.e.lanes.cast(giver, INT64).ref
        number = self.number(place)
        lane = f.op(f"and i64 {place}, {w - 1}")
        found = f.alloca(llvm_type(self.dtype))

        def take(_number: str) -> None:
            t, x = llvm_type(self.dtype), shuffles.one(self.e.lanes, self.operand(), lane).ref
            if group.left():  # the giver may have left, and have loaded nothing
                x = f.op(f"freeze {t} {x}")
            f.store(t, x, found)
        group.sub_group(self.block, number, group.mask_of(number), take)
        self.e.mask, self.e.maybe_empty = None, False
        group.assign_group(self.stmt.result, Val(UNIFORM, self.dtype,
                                                 f.load(llvm_type(self.dtype), found)))

    def number(self, place: str) -> str:
        """Return the sub-group an item is in; ids beyond the group's end up in the last."""
        split, f = self.group.split, self.f
        if not place.startswith("%"):
            return str(min(max(int(place), 0) // split.lanes, split.count - 1))
        number = f.op(f"lshr i64 {place}, {split.lanes.bit_length() - 1}")
        f.module.declare("llvm.umin.i64", "i64 @(i64, i64)")
        return f.op(f"call i64 @llvm.umin.i64(i64 {number}, i64 {split.count - 1})")

    def vote(self) -> None:
        decided = self.f.alloca("i1")
        self.f.store("i1", "false", decided)

        def take(_number: str) -> None:
            here = collectives.vote(self.e, self.stmt.op, self.operand())
            self.f.store("i1", self.f.op(f"or i1 {self.f.load('i1', decided)}, {here}"), decided)
        self.group.each(self.block, take)
        result = collectives.verdict(self.e, self.stmt.op, self.f.load("i1", decided))
        self.group.assign_group(self.stmt.result, result)

    def reduce(self) -> None:
        e, f, name = self.e, self.f, self.stmt.combine
        total = f.alloca(self.vector, 64)
        nothing = collectives.neutral(e, name, Val(VECTOR, self.dtype, ""))
        f.store(self.vector, e.lanes.vector(nothing), total)

        def take(_number: str) -> None:
            x = collectives.present(e, name, self.operand())
            so_far = Val(VECTOR, self.dtype, f.load(self.vector, total))
            f.store(self.vector, collectives.combine(e.lanes, name, so_far, x).ref, total)
        self.group.each(self.block, take)
        found = collectives.fold(e, name, Val(VECTOR, self.dtype, f.load(self.vector, total)))
        init = self.other()
        if init is not None:
            found = collectives.combine(e.lanes, name, init, found)
        self.group.assign_group(self.stmt.result, found)

    def scan(self) -> None:
        e, f, name = self.e, self.f, self.stmt.combine
        exclusive = self.stmt.op == "exclusive_scan"
        t, w = llvm_type(self.dtype), self.group.split.lanes
        kept = self.group.slots.get(self.stmt.result)
        carry = f.alloca(t)
        f.store(t, self.start().ref, carry)

        def take(number: str) -> None:
            x = collectives.present(e, name, self.operand())
            so_far = Val(UNIFORM, self.dtype, f.load(t, carry))
            found = collectives.combine(e.lanes, name, so_far, collectives.running(e, name, x))
            f.store(t, shuffles.one(e.lanes, found, str(w - 1)).ref, carry)
            if exclusive:
                found = collectives.behind(e, found, so_far)
            if kept is not None:
                f.store(self.vector, found.ref, self.group.element(kept[0], self.vector, number))
        self.group.each(self.block, take)

    def start(self) -> Val:
        """Return what a scan begins with."""
        init = self.other()
        if init is not None:
            return init
        like = Val(VECTOR, self.dtype, "")
        exclusive = self.stmt.op == "exclusive_scan"
        return collectives.start(self.e, self.stmt.combine, like) if exclusive else \
            collectives.neutral(self.e, self.stmt.combine, like)
