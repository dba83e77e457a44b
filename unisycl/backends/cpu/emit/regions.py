"""Kernels with work-groups: barriers split them into regions, each a loop over sub-groups.

A local that lives across regions has a slot per sub-group; a value the whole group shares is one
scalar; control flow that holds barriers stays outside the sub-group loops. Non-goals: what happens
inside a region (emit_stmt). Invariant: between two regions every item of the group has arrived.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from unisycl.backends.cpu.emit import endless, group_calls
from unisycl.backends.cpu.emit.emitter import Emitter, Home, Loop, ScopeState
from unisycl.backends.cpu.emit.group_calls import Split
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, Val
from unisycl.backends.cpu.emit.statements import emit_block
from unisycl.backends.cpu.emit.text import NOT_AT_RUN_TIME, llvm_type
from unisycl.base.dataclass import dataclass, field, replace
from unisycl.base.dtypes import INT64
from unisycl.base.enums import address_space, memory_scope
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd.shapes import GROUP, Mentions, assigns_first, holds_barrier
from unisycl.passes.simd.shapes import UNIFORM as UNIFORM_SHAPE

Part = tuple[str, tuple[n.Stmt, ...]]


def splits(stmt: n.Stmt, *, in_loop: bool) -> bool:
    """Say whether a statement belongs to the group level: a barrier in it, or a jump out of it.

    ``in_loop``: the innermost loop around it is itself at the group level.
    """
    match stmt:
        case n.Barrier() | n.GroupCall():
            return stmt.scope is memory_scope.work_group
        case n.WorkItems():
            return True
        case n.Break() | n.Continue():
            return in_loop
        case n.For() | n.While():
            return holds_barrier(stmt)
    return any(splits(s, in_loop=in_loop) for block in visit.blocks(stmt) for s in block)


def without_continue(block: n.Block, numbers: Iterator[int]) -> n.Block:
    """Return a block in which ``continue`` of loops with barriers leaves a scope around the body.

    Lanes that left a scope wait behind it, so items may continue one by one where the rest of the
    body has no barrier. ``numbers`` gives scopes no one else uses.
    """
    def own(stmts: n.Block, number: int) -> n.Block:
        return tuple(
            n.Leave(number, span=s.span) if isinstance(s, n.Continue)
            else visit.map_blocks(s, lambda b: own(b, number))
            if isinstance(s, n.If | n.Scope) and visit.contains((s,), n.Continue) else s
            for s in stmts)

    def one(stmt: n.Stmt) -> n.Stmt:
        match stmt:
            case n.If() | n.Scope():
                return visit.map_blocks(stmt, lambda b: without_continue(b, numbers))
            case n.For() | n.While():
                number = next(numbers)
                body = without_continue(stmt.body, numbers)
                mine = own(body, number)
                left = any(isinstance(s, n.Leave) and s.number == number
                           for s in visit.statements(mine))
                return replace(stmt, body=(n.Scope(number, mine),) if left else body)
        return stmt
    return tuple(one(s) if holds_barrier(s) else s for s in block)


def partition(block: n.Block, *, in_loop: bool) -> Iterator[Part]:
    """Cut a block into runs without barriers and single statements of the group level.

    A collective comes with the run before it, which computes what it combines ("call").
    """
    run: list[n.Stmt] = []
    for stmt in block:
        if not splits(stmt, in_loop=in_loop):
            run.append(stmt)
            continue
        if isinstance(stmt, n.GroupCall) and group_calls.joins_run(stmt, run):
            yield "call", (*run, stmt)
            run = []
            continue
        if run:
            yield "run", tuple(run)
        run = []
        yield "call" if isinstance(stmt, n.GroupCall) else "group", (stmt,)
    if run:
        yield "run", tuple(run)


@dataclass(slots=True)
class Group:
    """Emits the body of one work-group."""

    e: Emitter
    split: Split
    homes: dict[n.Local, Home] = field(default_factory=dict)
    slots: dict[n.Local, tuple[str, Home]] = field(default_factory=dict)
    crossing: dict[n.Local, None] = field(default_factory=dict)
    common: dict[n.Local, None] = field(default_factory=dict)  # one value, across regions

    # ---- planning
    def plan(self, body: n.Block) -> None:
        """Find the locals that live across regions and give them slots."""
        self.common.update(_counters(body))
        seen: dict[n.Local, int] = {}
        for number, (run, looped) in enumerate(self._runs(body, in_loop=False)):
            known = Mentions()
            for local in _mentioned(run):
                if local not in self.homes and (seen.setdefault(local, number) != number or (
                        looped and not assigns_first(run, local, known))):
                    (self.common if self.rank(local) == GROUP else self.crossing)[local] = None
        for local in sorted(self.crossing, key=lambda x: x.name):
            home = self.e.new_home(local)
            type = self.e.lanes.type(local.type.dtype, home.form)
            self.slots[local] = (self.e.f.alloca(f"[{self.copies()} x {type}]", 64), home)

    def _runs(self, block: n.Block, *, in_loop: bool) -> Iterator[tuple[n.Block, bool]]:
        for kind, stmts in partition(block, in_loop=in_loop):
            if kind == "run":
                yield stmts, in_loop
                continue
            stmt = stmts[-1]
            if isinstance(stmt, n.GroupCall):
                yield from ((run, in_loop) for run in group_calls.runs(stmt, stmts[:-1]))
                continue
            for x in visit.expressions(stmt):
                yield (n.Assign(n.Local("cond", x.type), x),), in_loop
            looped = in_loop or isinstance(stmt, n.For | n.While)
            for inner in visit.blocks(stmt):
                if not isinstance(stmt, n.WorkItems):
                    yield from self._runs(inner, in_loop=looped)

    def rank(self, local: n.Local) -> int:
        return self.e.shapes.locals.get(local, UNIFORM_SHAPE).rank

    # ---- the group level
    def block(self, block: n.Block, *, in_loop: bool = False) -> None:
        """Emit a block of the group level."""
        for kind, stmts in partition(block, in_loop=in_loop):
            if self.e.dead:
                return
            if kind == "run":
                self.region(stmts)
            elif kind == "call":
                call = stmts[-1]
                assert isinstance(call, n.GroupCall)
                self.call(call, stmts[:-1])
            else:
                self.stmt(stmts[0], in_loop=in_loop)

    def call(self, stmt: n.GroupCall, before: n.Block) -> None:
        """Emit a group function and the statements that lead to it."""
        group_calls.emit(self, stmt, before)

    def stmt(self, stmt: n.Stmt, *, in_loop: bool) -> None:
        match stmt:
            case n.If():
                self.branch(stmt, in_loop=in_loop)
            case n.While() | n.For():
                self.loop(stmt)
            case n.Scope():
                self.scope(stmt, in_loop=in_loop)
            case n.Break():
                self.e.f.jump(self.e.loops[-1].exit)
                self.e.dead = "unreachable"
            case n.Continue():
                self.e.f.jump(self.e.loops[-1].head)
                self.e.dead = "unreachable"
            case n.WorkItems():
                raise AssertionError("work-item loops stand in hierarchical kernels only")

    def branch(self, stmt: n.If, *, in_loop: bool) -> None:
        f = self.e.f
        cond = self.value(stmt.cond)
        then, orelse, end = f.label("then"), f.label("else"), f.label("end")
        f.branch(cond, then, orelse)
        reached = []
        for label, block in ((then, stmt.then), (orelse, stmt.orelse)):
            f.start(label)
            self.block(block, in_loop=in_loop)
            reached.append(not self.e.dead)
            if not self.e.dead:
                f.jump(end)
            self.e.dead = ""
        f.start(end)
        if not any(reached):
            f.do("unreachable")
            self.e.dead = "unreachable"

    def loop(self, stmt: n.While | n.For) -> None:
        e, f = self.e, self.e.f
        top, inside, latch, exit = (f.label(s) for s in ("head", "body", "latch", "exit"))
        counter = ""
        if isinstance(stmt, n.For):
            start, stop, step = (self.value(x) for x in (stmt.start, stmt.stop, stmt.step))
            counter = f.alloca("i64")
            f.store("i64", start, counter)
        f.jump(top)
        f.start(top)
        if isinstance(stmt, n.For):
            down = isinstance(stmt.step, n.Const) and stmt.step.value < 0
            word = "sgt" if down else "slt"
            cond = f.op(f"icmp {word} i64 {f.load('i64', counter)}, {stop}")
        else:
            self.block(stmt.pre, in_loop=True)
            cond = self.value(stmt.cond)
        f.branch(cond, inside, exit)
        f.start(inside)
        if isinstance(stmt, n.For):
            now = Val(UNIFORM, INT64, f.load("i64", counter))
            self.assign_group(stmt.local, now)
        e.loops.append(Loop(latch, exit))
        self.block((*endless.turn(e, stmt), *stmt.body), in_loop=True)
        e.loops.pop()
        if not e.dead:
            f.jump(latch)
        e.dead = ""
        f.start(latch)
        if isinstance(stmt, n.For):
            f.module.declare("llvm.sadd.sat.i64", "i64 @(i64, i64)")
            at = f.load("i64", counter)
            f.store("i64", f.op(f"call i64 @llvm.sadd.sat.i64(i64 {at}, i64 {step})"), counter)
        f.again(top, NOT_AT_RUN_TIME)
        f.start(exit)

    def scope(self, stmt: n.Scope, *, in_loop: bool) -> None:
        """Emit a function with barriers: items that return are switched off from then on."""
        e, f = self.e, self.e.f
        apart = {id(s) in e.shapes.divergent for s in visit.statements(stmt.body)
                 if isinstance(s, n.Leave) and s.number == stmt.number}
        gone = ""
        if True in apart:
            gone = f.alloca(f"[{self.copies()} x {e.mask_type}]", 64)
            for k in range(self.copies()):
                f.store(e.mask_type, "zeroinitializer", self.element(gone, e.mask_type, str(k)))
        exit = f.label("return")
        left = f.alloca("i1") if False in apart else ""
        if left:
            f.store("i1", "false", left)
        e.scopes[stmt.number] = ScopeState(exit, gone, spanning=True, left=left)
        self.block(stmt.body, in_loop=in_loop)
        del e.scopes[stmt.number]
        if not e.dead:
            f.jump(exit)
        e.dead = ""
        f.start(exit)

    def assign_group(self, local: n.Local, value: Val) -> None:
        """Give a local a value for every item of the group."""
        if self.rank(local) == GROUP:
            self.group_home(local)
            self.e.f.store(llvm_type(value.dtype), value.ref, self.homes[local].address)
            return
        if local not in self.slots:
            home = self.e.new_home(local)
            type = self.e.lanes.type(local.type.dtype, home.form)
            self.slots[local] = (self.e.f.alloca(f"[{self.copies()} x {type}]", 64), home)
        array, home = self.slots[local]
        type = self.e.lanes.type(local.type.dtype, home.form)
        ref = value.ref if home.form == UNIFORM else self.e.lanes.vector(value)
        for k in range(self.copies()):
            self.e.f.store(type, ref, self.element(array, type, str(k)))

    def group_home(self, local: n.Local) -> Home:
        """Return where the group keeps a value all its items share."""
        if local not in self.homes:
            self.homes[local] = self.e.new_home(local)
        return self.homes[local]

    def value(self, expr: n.Expr) -> str:
        """Return a scalar the group agrees on; of what data decides, its first item's.

        Control flow never asks for that (``passes.shared.lockstep``), only what a group function
        shares.
        """
        if self.e.shapes.of(expr).rank == GROUP:
            for x in visit.walk(expr):
                if isinstance(x, n.Read):
                    self.group_home(x.local)
            self.e.homes = dict(self.homes)
            return self.e.emit(self.e, expr).ref
        dtype = expr.type.dtype
        out = self.e.f.alloca(llvm_type(dtype))
        if self.left():
            return self.first(expr, out)

        def take(number: str) -> None:
            value = self.e.emit(self.e, expr)
            ref = value.ref
            if value.form not in (UNIFORM, LINEAR):
                t = llvm_type(dtype, self.e.lanes.lanes)
                ref = self.e.f.op(f"extractelement {t} {value.ref}, i64 0")
            self.e.f.store(llvm_type(dtype), ref, out)
        number, mask = self.one()
        self.sub_group((n.Assign(n.Local("cond", expr.type), expr),), number, mask, take)
        self.e.mask, self.e.maybe_empty = None, False
        return self.e.f.load(llvm_type(dtype), out)

    def left(self) -> bool:
        """Say whether items may have left a function that the code at hand is in."""
        return any(s.spanning and s.gone for s in self.e.scopes.values())

    def first(self, expr: n.Expr, out: str) -> str:
        """Return a value of the first item that has not left; 0 if all have."""
        e, f = self.e, self.e.f
        t, found = llvm_type(expr.type.dtype), f.alloca("i1")
        f.store("i1", "false", found)
        f.store(t, "zeroinitializer", out)

        def take(_number: str) -> None:
            value = e.lanes.vector(e.emit(e, expr))
            bits = e.bits(e.full())
            mine, done = f.label("mine"), f.label("other")
            some = f.op(f"icmp ne {e.mask_bits} {bits}, 0")
            fresh = f.op(f"xor i1 {f.load('i1', found)}, true")
            f.branch(f.op(f"and i1 {some}, {fresh}"), mine, done)
            f.start(mine)
            wide = llvm_type(expr.type.dtype, e.lanes.lanes)
            f.store(t, f.op(f"extractelement {wide} {value}, i64 {e.lowest(bits)}"), out)
            f.store("i1", "true", found)
            f.jump(done)
            f.start(done)
        self.each((n.Assign(n.Local("cond", expr.type), expr),), take)
        return f.load(t, out)

    def one(self) -> tuple[str, str | None]:
        """Return the sub-group that speaks for all, and its mask."""
        return "0", self.rest_mask() if not self.split.full else None

    def copies(self) -> int:
        """Return for how many sub-groups this function keeps values."""
        return self.split.count

    # ---- regions
    def element(self, array: str, type: str, index: str) -> str:
        return self.e.f.gep(type, array, index)

    def region(self, stmts: n.Block) -> None:
        """Emit statements once for each sub-group of the work-group."""
        e, f = self.e, self.e.f

        def body(number: str) -> None:
            e.region_exit = f.label("out")
            emit_block(e, stmts)
            if e.dead != "unreachable":
                f.jump(e.region_exit)
            f.start(e.region_exit)
        self.each(stmts, body)
        together = {s.number for s in visit.statements(stmts) if isinstance(s, n.Leave)
                    and s.number in e.scopes and id(s) not in e.shapes.divergent}
        for number in sorted(together):
            stay = f.label("stay")
            f.branch(f.load("i1", e.scopes[number].left), e.scopes[number].exit, stay)
            f.start(stay)

    def each(self, stmts: n.Block, body: object) -> None:
        """Run ``body`` for every sub-group, the last one under a mask if it is not full."""
        e, f = self.e, self.e.f
        if self.split.full == 1:
            self.sub_group(stmts, "0", None, body)
        elif self.split.full > 1:
            at = f.alloca("i64")
            f.store("i64", "0", at)
            head, inside, done = f.label("subs"), f.label("sub"), f.label("subsdone")
            f.jump(head)
            f.start(head)
            number = f.load("i64", at)
            f.branch(f.op(f"icmp ult i64 {number}, {self.split.full}"), inside, done)
            f.start(inside)
            self.sub_group(stmts, number, None, body)
            f.store("i64", f.op(f"add nuw nsw i64 {number}, 1"), at)
            f.jump(head)
            f.start(done)
        if self.split.rest:
            self.sub_group(stmts, str(self.split.full), self.rest_mask(), body)
        e.mask, e.maybe_empty = None, False

    def rest_mask(self) -> str:
        """Return the lanes of the sub-group that is not full."""
        on = [f"i1 {str(k < self.split.rest).lower()}" for k in range(self.split.lanes)]
        return "<" + ", ".join(on) + ">"

    def mask_of(self, number: str) -> str | None:
        """Return the lanes of a sub-group; None if all of them."""
        split, e = self.split, self.e
        if not split.rest or (not number.startswith("%") and int(number) < split.full):
            return None
        rest = self.rest_mask()
        if not number.startswith("%") or not split.full:
            return rest
        last = e.f.op(f"icmp eq i64 {number}, {split.full}")
        return e.f.op(f"select i1 {last}, {e.mask_type} {rest}, {e.mask_type} splat (i1 true)")

    def sub_group(self, stmts: n.Block, number: str, mask: str | None, body: object) -> None:
        """Run ``body`` for one sub-group: slots in, statements, slots out."""
        e, f = self.e, self.e.f
        mentioned = _mentioned(stmts)
        assigned = visit.assigned(stmts)
        e.homes = dict(self.homes)
        e.sub_group = Val(UNIFORM, INT64, number)
        e.mask, e.maybe_empty, e.dead = mask, False, ""
        scopes = {k: s.gone for k, s in e.scopes.items()}
        self._mask_of(number)
        outer_arrays = dict(e.arrays)
        self._own_arrays(number)
        copies = []
        for local in sorted(mentioned, key=lambda x: x.name):
            type = e.lanes.type(local.type.dtype, e.new_form(local))
            if local in self.slots:
                array, home = self.slots[local]
                f.store(type, f.load(type, self.element(array, type, number)), home.address)
                e.homes[local] = home
                if local in assigned:
                    copies.append((type, home.address, self.element(array, type, number)))
            elif self.rank(local) == GROUP and local in self.common:
                shared = self.group_home(local)
                e.homes[local] = shared
                if local in assigned:
                    before, own = f.alloca(type), e.new_home(local)
                    self._enter_shared(number, type, shared.address, before)
                    f.store(type, f.load(type, before), own.address)
                    e.homes[local] = own
                    copies.append((type, own.address, shared.address))
        e.loops, outer = [], e.loops
        body(number)  # type: ignore[operator]
        e.loops, e.arrays = outer, outer_arrays
        for k, gone in scopes.items():
            e.scopes[k].gone = gone
        for type, source, target in copies:
            f.store(type, f.load(type, source), target)
        e.dead, e.sub_group = "", None

    def _enter_shared(self, number: str, type: str, shared: str, before: str) -> None:
        """Keep what a shared value was before the region: every sub-group starts from that."""
        f = self.e.f
        if not number.startswith("%"):
            if number == "0" or self.split.full == 0:
                f.store(type, f.load(type, shared), before)
            else:
                f.store(type, f.load(type, self._first[shared]), before)
            self._first[shared] = before
            return
        first = f.op(f"icmp eq i64 {number}, 0")
        now = f.load(type, shared)
        old = f.load(type, before)
        f.store(type, f.op(f"select i1 {first}, {type} {now}, {type} {old}"), before)
        self._first[shared] = before

    _first: dict[str, str] = field(default_factory=dict)

    def _own_arrays(self, number: str) -> None:
        """Point private arrays at this sub-group's part of them."""
        e = self.e
        if number == "0":
            return
        for array in e.kernel.arrays:
            if array.type.space is not address_space.private_space:
                continue
            size = math.prod(array.shape) * self.split.lanes * array.type.elem.size
            e.arrays[array] = e.f.gep(f"[{size} x i8]", e.arrays[array], number)

    def _mask_of(self, number: str) -> None:
        """Start a sub-group without the items that have returned."""
        e = self.e
        for scope in e.scopes.values():
            if scope.spanning and scope.gone:
                scope.gone = self.element(scope.gone, e.mask_type, number)
                e.mask = e.and_not(e.full(), e.f.load(e.mask_type, scope.gone))
                e.maybe_empty = True


def _counters(block: n.Block) -> dict[n.Local, None]:
    """Return what loops with barriers count, which is given values outside regions."""
    return {s.local: None for s in visit.statements(block)
            if isinstance(s, n.For) and holds_barrier(s)}


def _mentioned(block: n.Block) -> dict[n.Local, None]:
    """Return locals in an order that is the same in every process, as the cache needs it."""
    found = dict.fromkeys(x.local for x in visit.all_expressions(block) if isinstance(x, n.Read))
    for stmt in visit.statements(block):
        found.update(dict.fromkeys(visit.targets(stmt)))
    return found
