"""Work-groups whose sub-groups run at the same time, each on a thread of its own.

Units of work are sub-groups then. Those of one work-group share a block of the launch's memory: a
barrier's two words, a cell for what each gives to group functions, and local memory. Non-goals:
finding the threads (``driver``), and kernels that do not ask for it, which have none of this.
Invariants: values that the whole group shares are computed by each sub-group for itself; results of
group functions have the same bits as those of sub-groups that run one after another.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from unisycl.backends.cpu.emit import collectives, shuffles
from unisycl.backends.cpu.emit.emitter import Emitter
from unisycl.backends.cpu.emit.group_calls import Call, Split
from unisycl.backends.cpu.emit.lanes import UNIFORM, VECTOR, Val
from unisycl.backends.cpu.emit.regions import Group
from unisycl.backends.cpu.emit.text import llvm_type
from unisycl.backends.cpu.emit.waiting import emit_meeting
from unisycl.base.dataclass import dataclass
from unisycl.base.dtypes import INT64
from unisycl.base.enums import address_space, memory_scope
from unisycl.ir import nodes as n

_WORDS = 64
_ALIGN = 64


class Shared(NamedTuple):
    """The block of one work-group: where its parts begin; local_accessors follow at ``size``."""

    cells: int
    cell: int
    arrays: tuple[int, ...]
    size: int


def sub_groups(kernel: n.Kernel, lanes: int) -> int:
    """Return how many sub-groups a work-group has."""
    return -(-math.prod(kernel.local) // lanes)


def shared(kernel: n.Kernel, lanes: int) -> Shared:
    """Return how the block of one work-group is laid out."""
    cell = -(-8 * lanes // _ALIGN) * _ALIGN
    at = _WORDS + cell * sub_groups(kernel, lanes)
    arrays = []
    for array in kernel.arrays:
        arrays.append(at)
        if array.type.space is not address_space.private_space:
            at += -(-math.prod(array.shape) * array.type.elem.size // _ALIGN) * _ALIGN
    return Shared(_WORDS, cell, tuple(arrays), at)


def begin(e: Emitter, number: str, split: Split) -> tuple[str, str]:
    """Find a unit's work-group and its place in it; make the group's memory the kernel's."""
    f, at = e.f, e.layout
    mine = f.op(f"urem i64 {number}, {split.count}")
    group = f.op(f"udiv i64 {number}, {split.count}")
    found = shared(e.kernel, split.lanes)
    size = f.op(f"add i64 {e.slot(at.local_bytes)}, {found.size}")
    base = f.gep("i8", e.slot(at.reducer(len(e.kernel.reducers)), "ptr"),
                 f.op(f"mul i64 {size}, {group}"))
    e.meeting = base
    e.local_base = f.gep("i8", base, str(found.size))
    for array, where in zip(e.kernel.arrays, found.arrays, strict=True):
        if array.type.space is not address_space.private_space:
            e.arrays[array] = f.gep("i8", base, str(where))
    return group, mine


@dataclass(slots=True)
class Apart(Group):
    """Emits what one sub-group does of a work-group: ``mine`` is its number."""

    mine: str = ""

    # ---- waiting for the others
    def stmt(self, stmt: n.Stmt, *, in_loop: bool) -> None:
        if isinstance(stmt, n.Barrier) and stmt.scope is memory_scope.work_group:
            self.meet()
        else:
            Group.stmt(self, stmt, in_loop=in_loop)

    def meet(self) -> None:
        """Wait until all sub-groups of the work-group are here."""
        emit_meeting(self.e, self.e.meeting, self.split.count)

    # ---- one sub-group instead of a loop over all
    def each(self, stmts: n.Block, body: object) -> None:
        self.sub_group(stmts, self.mine, self.own_mask(), body)
        self.e.mask, self.e.maybe_empty = None, False

    def one(self) -> tuple[str, str | None]:
        return self.mine, self.own_mask()

    def own_mask(self) -> str | None:
        """Return the lanes there are; None if all of them."""
        return self.mask_of(self.mine)

    def element(self, array: str, type: str, index: str) -> str:
        return array

    def copies(self) -> int:
        return 1

    def _enter_shared(self, number: str, type: str, shared: str, before: str) -> None:
        self.e.f.store(type, self.e.f.load(type, shared), before)

    def _own_arrays(self, number: str) -> None:
        """There is one part of each private array: this sub-group's."""

    def call(self, stmt: n.GroupCall, before: n.Block) -> None:
        _Call(self, stmt, before).emit()

    # ---- telling the others
    def _cell(self, number: str) -> str:
        found = shared(self.e.kernel, self.split.lanes)
        cells = self.e.f.gep("i8", self.e.meeting, str(found.cells))
        return self.e.f.gep(f"[{found.cell} x i8]", cells, number)

    def tell(self, type: str, ref: str) -> None:
        """Give a value to the others, and wait until all have given theirs."""
        self.e.f.store(type, ref, self._cell(self.mine), 8)
        self.meet()

    def told(self, type: str, number: str) -> str:
        """Return the value of one sub-group."""
        return self.e.f.load(type, self._cell(number), 8)

    def gathered(self, type: str, before: str, update: Callable[[str, str], str],
                 stop: str) -> str:
        """Return ``before``, updated with what the sub-groups below ``stop`` told, in order."""
        f = self.e.f
        found, at = f.alloca(type, 64), f.alloca("i64")
        f.store(type, before, found)
        f.store("i64", "0", at)
        head, inside, done = f.label("tell"), f.label("told"), f.label("heard")
        f.jump(head)
        f.start(head)
        number = f.load("i64", at)
        f.branch(f.op(f"icmp ult i64 {number}, {stop}"), inside, done)
        f.start(inside)
        f.store(type, update(f.load(type, found), self.told(type, number)), found)
        f.store("i64", f.op(f"add nuw nsw i64 {number}, 1"), at)
        f.jump(head)
        f.start(done)
        return f.load(type, found)


class _Call(Call):
    """One call of a group function: each sub-group tells what it has and combines what all have."""

    group: Apart

    def _tell(self, type: str, make: Callable[[], str]) -> None:
        """Run the statements before the call and tell the others what ``make`` makes of it."""
        kept = self.f.alloca(type, 64)
        self.group.each(self.block, lambda _number: self.f.store(type, make(), kept))
        self.group.tell(type, self.f.load(type, kept))

    def _combined(self, type: str, form: int, before: Val, stop: str) -> Val:
        def update(old: str, new: str) -> str:
            return collectives.combine(self.e.lanes, self.stmt.combine, Val(form, self.dtype, old),
                                       Val(form, self.dtype, new)).ref
        found = self.group.gathered(type, before.ref, update, stop)
        return Val(form, self.dtype, found)

    @property
    def _all(self) -> str:
        return str(self.group.split.count)

    def broadcast(self) -> None:
        giver = self.other()
        assert giver is not None
        place = self.e.lanes.cast(giver, INT64).ref
        number, lane = self.number(place), self.f.op(f"and i64 {place}, {self.e.lanes.lanes - 1}")
        t = llvm_type(self.dtype)
        self._tell(t, lambda: shuffles.one(self.e.lanes, self.operand(), lane).ref)
        self._done(Val(UNIFORM, self.dtype, self.group.told(t, number)))

    def vote(self) -> None:
        f, op = self.f, self.stmt.op
        self._tell("i8", lambda: f.op(f"zext i1 {collectives.vote(self.e, op, self.operand())} "
                                      "to i8"))
        found = self.group.gathered("i8", "0", lambda a, b: f.op(f"or i8 {a}, {b}"), self._all)
        self._done(collectives.verdict(self.e, op, f.op(f"icmp ne i8 {found}, 0")))

    def reduce(self) -> None:
        e, name = self.e, self.stmt.combine
        self._tell(self.vector, lambda: collectives.present(e, name, self.operand()).ref)
        nothing = collectives.neutral(e, name, Val(VECTOR, self.dtype, ""))
        nothing = Val(VECTOR, self.dtype, e.lanes.vector(nothing))
        found = collectives.fold(e, name, self._combined(self.vector, VECTOR, nothing, self._all))
        init = self.other()
        self._done(found if init is None else collectives.combine(e.lanes, name, init, found))

    def scan(self) -> None:
        e, f, name = self.e, self.f, self.stmt.combine
        exclusive, t = self.stmt.op == "exclusive_scan", llvm_type(self.dtype)
        init = self.start()
        own = f.alloca(self.vector, 64)

        def last() -> str:
            found = collectives.running(e, name, collectives.present(e, name, self.operand()))
            f.store(self.vector, found.ref, own)
            return shuffles.one(e.lanes, found, str(e.lanes.lanes - 1)).ref
        self._tell(t, last)
        so_far = self._combined(t, UNIFORM, init, self.group.mine)
        running = Val(VECTOR, self.dtype, f.load(self.vector, own))
        found = collectives.combine(e.lanes, name, so_far, running)
        if exclusive:
            found = collectives.behind(e, found, so_far)
        self.group.meet()
        kept = self.group.slots.get(self.stmt.result)
        if kept is not None:
            f.store(self.vector, found.ref, kept[0])

    def _done(self, result: Val) -> None:
        """Give the result to the group; the cells are free again when all have read them."""
        self.group.meet()
        self.group.assign_group(self.stmt.result, result)
