"""Emission of statements inside a region: masks follow the nesting of control flow.

A branch all lanes take alike is a branch; any other runs each side under the lanes it concerns, and
is jumped over when there are none. Non-goals: barriers (regions). Invariant: after a statement the
mask is the lanes that go on behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unisycl.backends.cpu.emit import (
    atomics,
    collectives,
    endless,
    memory,
    neighbours,
    printing,
    stacks,
    watched_accesses,
)
from unisycl.backends.cpu.emit.emitter import Emitter, Loop, ScopeState
from unisycl.backends.cpu.emit.lanes import LINEAR, UNIFORM, VECTOR, Val
from unisycl.backends.cpu.emit.text import NOT_AT_RUN_TIME
from unisycl.backends.cpu.emit.waiting import begin_wait, emit_pause
from unisycl.base.dtypes import INT64
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.stack_statements import Begun, Ended, Popped, Pushed
from unisycl.ir.watch_statements import Asked, Synced, Unwritten, Watch
from unisycl.passes.shared import loop_steps

_CHEAP_STATEMENTS = 8
_SPLIT_EXPRESSIONS = 400
_LONG = 40


def emit_block(e: Emitter, block: n.Block) -> None:
    """Emit statements until control cannot go on."""
    for stmt in block:
        if e.dead:
            return
        if e.f.module.lines is not None:
            e.f.place(stmt.span)
        EMIT[type(stmt)](e, stmt)


def _assign(e: Emitter, stmt: n.Assign) -> None:
    e.write(stmt.local, e.emit(e, stmt.value), blend=id(stmt) in e.shapes.blends)


def _store(e: Emitter, stmt: n.Store) -> None:
    value = e.emit(e, stmt.value)
    memory.store(e, stmt.place, value)


# ---- branches
def _leaves(e: Emitter, block: n.Block) -> bool:
    """Say whether a jump in a block may go further than the block."""
    breaks, left = _jumps(e, block)
    return breaks or bool(left)


def _jumps(e: Emitter, block: n.Block) -> tuple[bool, frozenset[int]]:
    """Say whether a break or continue belongs to a loop around a block; return scopes it leaves."""
    known = e.jumps.get(id(block))
    if known is None:
        breaks = False
        left: set[int] = set()
        for stmt in block:
            inner = [_jumps(e, b) for b in visit.blocks(stmt)]
            breaks |= isinstance(stmt, n.Break | n.Continue) or (
                not isinstance(stmt, n.For | n.While) and any(j[0] for j in inner))
            left.update(*(j[1] for j in inner))
            if isinstance(stmt, n.Leave):
                left.add(stmt.number)
            if isinstance(stmt, n.Scope):
                left.discard(stmt.number)
        known = e.jumps[id(block)] = block, (breaks, frozenset(left))
    return known[1]


def _if(e: Emitter, stmt: n.If) -> None:
    cond = e.emit(e, stmt.cond)
    ref = _settled(e, cond)
    if cond.form == UNIFORM:
        _uniform_if(e, stmt, ref)
    else:
        _varying_if(e, stmt, ref)


def _settled(e: Emitter, cond: Val) -> str:
    """Return a condition that is safe to branch on: lanes that are off may have loaded nothing."""
    if e.mask is None or not cond.ref.startswith("%") or (
            cond.form == UNIFORM and not e.maybe_empty):
        return cond.ref
    return e.f.op(f"freeze {e.lanes.type(cond.dtype, cond.form)} {cond.ref}")


def _uniform_if(e: Emitter, stmt: n.If, cond: str) -> None:
    f = e.f
    leaves = _parts(e, stmt)
    after = f.alloca(e.mask_type) if leaves else ""
    then, orelse, end = f.label("then"), f.label("else"), f.label("end")
    f.branch(cond, then, orelse if stmt.orelse else end)
    before, empty = e.mask, e.maybe_empty
    if leaves and not stmt.orelse:
        _patch_default(e, after)
    ends = []
    for label, block in ((then, stmt.then), (orelse, stmt.orelse)):
        if label == orelse and not stmt.orelse:
            ends.append(True)
            continue
        f.start(label)
        e.mask, e.maybe_empty = before, empty
        ends.append(_branch_end(e, block, after, end))
    f.start(end)
    e.mask = f.load(e.mask_type, after) if leaves else before
    e.maybe_empty = empty or leaves
    e.dead = "" if any(ends) else "unreachable"
    if e.dead:
        f.do("unreachable")


def _parts(e: Emitter, stmt: n.If) -> bool:
    """Say whether lanes may part ways inside a statement."""
    return any(isinstance(s, n.Break | n.Continue | n.Leave) and id(s) in e.shapes.divergent
               for block in (stmt.then, stmt.orelse) for s in visit.statements(block))


def _patch_default(e: Emitter, after: str) -> None:
    """Give the mask behind a branch its value for the way around: set where the branch starts."""
    e.f.before_last(f"store {e.mask_type} {e.full()}, ptr {after}")


def _branch_end(e: Emitter, block: n.Block, after: str, end: str) -> bool:
    """Emit one side of a branch; return whether control can reach the end from it."""
    e.dead = ""
    emit_block(e, block)
    reached = e.dead != "unreachable"
    if reached:
        if after:
            e.f.store(e.mask_type, "zeroinitializer" if e.dead else e.full(), after)
        e.f.jump(end)
    e.dead = ""
    return reached


def _varying_if(e: Emitter, stmt: n.If, cond: str) -> None:
    before, empty = e.mask, e.maybe_empty
    yes = e.and_mask(cond)
    no = e.and_not(e.full(), cond) if stmt.orelse or _leaves(e, stmt.then) else ""
    outs = []
    for mask, block in ((yes, stmt.then), (no, stmt.orelse)):
        if block:
            outs.append(_masked(e, block, mask))
        elif mask:
            outs.append(mask)
        e.dead = ""
    if _leaves(e, stmt.then) or _leaves(e, stmt.orelse):
        e.mask = e.f.op(f"or {e.mask_type} {outs[0]}, {outs[1]}")
        e.maybe_empty = True
    else:
        e.mask, e.maybe_empty = before, empty


def _masked(e: Emitter, block: n.Block, mask: str) -> str:
    """Emit a block under a mask and return the lanes that reach its end."""
    if _is_cheap(block):
        e.mask, e.maybe_empty = mask, True
        emit_block(e, block)
        return mask
    f = e.f
    out = f.alloca(e.mask_type) if _leaves(e, block) else ""
    if out:
        f.store(e.mask_type, mask, out)
    some, done = f.label("some"), f.label("none")
    f.branch(e.any(mask), some, done)
    f.start(some)
    e.mask, e.maybe_empty = mask, False
    _branch_end(e, block, out, done)
    f.start(done)
    return f.load(e.mask_type, out) if out else mask


def _is_cheap(block: n.Block) -> bool:
    """Say whether running a block with no lane on costs less than finding out."""
    size = 0
    for stmt in block:
        if not isinstance(stmt, n.Assign):
            return False
        for x in visit.walk(stmt.value):
            size += 1
            if isinstance(x, n.Load | n.Call) or (
                    isinstance(x, n.Binary) and x.op in ("div", "floordiv", "mod")):
                return False
    return size <= _CHEAP_STATEMENTS


# ---- loops
def _while(e: Emitter, stmt: n.While) -> None:
    def head(loop: Loop) -> Val:
        emit_block(e, stmt.pre)
        return e.emit(e, stmt.cond)
    turns, spun = begin_wait(e, stmt), endless.begin(e, stmt)
    _loop(e, stmt, stmt.body, head, lambda: emit_pause(e, turns),
          lambda: endless.poll(e, stmt, spun))


def _for(e: Emitter, stmt: n.For) -> None:
    f = e.f
    start, stop, step = (e.emit(e, x) for x in (stmt.start, stmt.stop, stmt.step))
    ahead = int(stmt.step.value) if isinstance(stmt.step, n.Const) else 1
    before = "sgt" if ahead < 0 else "slt"
    form, stride = start.form, start.stride
    if step.form == VECTOR:
        start, form, stride = e.lanes.to_form(start, VECTOR), VECTOR, 0
    type = e.lanes.type(INT64, form)
    counter = f.alloca(type)
    f.store(type, start.ref, counter)
    far = loop_steps.overflows(stmt)
    bounded = far and form == LINEAR and stop.form == UNIFORM and stride * ahead > 0
    left = ""
    if far and form == UNIFORM and stop.form == UNIFORM:
        left = f.alloca("i64")
        f.store("i64", _turns(e, start, stop, step, up=ahead > 0), left)

    def now() -> Val:
        return Val(form, INT64, f.load(type, counter), stride)

    def head(loop: Loop) -> Val:
        if left:
            turns = Val(UNIFORM, INT64, f.load("i64", left))
            return e.lanes.compare("ne", turns, e.lanes.const(0, INT64))
        if bounded:
            return e.lanes.compare("ugt", _left(e, now(), stop, before), Val(
                VECTOR, INT64, e.lanes.iota(INT64, abs(stride))))
        return e.lanes.compare(before, _reached(e, now()) if far else now(), stop)

    def enter() -> None:
        e.write(stmt.local, now(), blend=id(stmt) in e.shapes.blends)
        endless.poll(e, stmt, "")

    def advance() -> None:
        if far and not left:
            at = Val(UNIFORM if form == LINEAR else form, INT64, now().ref)
            f.store(type, e.lanes.call("llvm.sadd.sat", INT64, at, step).ref, counter)
            return
        if left:
            f.store("i64", f.op(f"sub i64 {f.load('i64', left)}, 1"), left)
        step_on("" if left else "nsw ")

    def step_on(flags: str = "nsw ") -> None:
        by = e.lanes.vector(step) if form == VECTOR else step.ref
        f.store(type, f.op(f"add {flags}{type} {now().ref}, {by}"), counter)
    if form == LINEAR and stop.form == UNIFORM and stride * ahead > 0 \
            and _is_split(e, stmt.body):
        most = e.lanes.const((e.lanes.lanes - 1) * stride, INT64)
        end = _end_together(e, stop, most, step, ahead > 0) if far else None

        def last(loop: Loop) -> Val:
            if end is not None:
                return e.lanes.compare(before, Val(UNIFORM, INT64, now().ref), end)
            reached = f.op(f"add i64 {now().ref}, {most.ref}")
            return e.lanes.compare(before, Val(UNIFORM, INT64, reached), stop)
        _loop(e, stmt, stmt.body, last, step_on, enter, together=True)
    _loop(e, stmt, stmt.body, head, advance, enter)


def _turns(e: Emitter, start: Val, stop: Val, step: Val, *, up: bool) -> str:
    """Return how many turns a loop of all lanes takes, whatever the numbers.

    Such a loop counts them, so that its counter may wrap behind the last one.
    """
    f = e.f
    low, high = (start.ref, stop.ref) if up else (stop.ref, start.ref)
    some = f.op(f"icmp slt i64 {low}, {high}")
    size = step.ref if up else f.op(f"sub i64 0, {step.ref}")
    size = f.op(f"select i1 {some}, i64 {size}, i64 1")  # it may be 0 where there is no turn
    far = f.op(f"sub i64 {f.op(f'sub i64 {high}, {low}')}, 1")
    turns = f.op(f"add i64 {f.op(f'udiv i64 {far}, {size}')}, 1")
    return f.op(f"select i1 {some}, i64 {turns}, i64 0")


def _end_together(e: Emitter, stop: Val, most: Val, step: Val, up: bool) -> Val:
    """Return where lane 0 has to be before for all lanes to take a turn, and a step to fit."""
    lanes = e.lanes
    edge = lanes.const((1 << 63) - 1 if up else -(1 << 63), INT64)
    return lanes.call("llvm.smin" if up else "llvm.smax", INT64,
                      lanes.call("llvm.ssub.sat", INT64, stop, most), lanes.sub(edge, step))


def _left(e: Emitter, now: Val, stop: Val, before: str) -> Val:
    """Return how far lane 0 is from the end, 0 behind it: exact, whatever the numbers."""
    f = e.f
    a, b = (stop.ref, now.ref) if before == "slt" else (now.ref, stop.ref)
    inside = f.op(f"icmp {before} i64 {now.ref}, {stop.ref}")
    return Val(UNIFORM, INT64, f.op(f"select i1 {inside}, i64 {f.op(f'sub i64 {a}, {b}')}, i64 0"))


def _reached(e: Emitter, now: Val) -> Val:
    """Return where each lane is, at the end of all numbers if it is beyond."""
    if now.form != LINEAR:
        return now
    steps_of = Val(VECTOR, INT64, e.lanes.iota(INT64, now.stride))
    return e.lanes.call("llvm.sadd.sat", INT64, Val(UNIFORM, INT64, now.ref), steps_of)


def _is_split(e: Emitter, body: n.Block) -> bool:
    """Say whether a loop whose lanes leave one by one first runs as long as none does.

    Its body is emitted twice then.
    """
    return not _leaves(e, body) and (
        sum(1 for _ in visit.all_expressions(body)) <= _SPLIT_EXPRESSIONS)


def _loop(e: Emitter, stmt: n.Stmt, body: n.Block, head: Callable[[Loop], Val],
          advance: Callable[[], None], enter: Callable[[], None] = lambda: None, *,
          together: bool = False) -> None:
    """Emit a loop; ``together``: no lane leaves it before the others."""
    f = e.f
    before, empty = e.mask, e.maybe_empty
    top, inside, latch, exit = (f.label(s) for s in ("head", "body", "latch", "exit"))
    parts = id(stmt) in e.shapes.divergent and not together
    loop = Loop(latch, exit)
    if parts:
        loop.exec, loop.cont = f.alloca(e.mask_type), f.alloca(e.mask_type)
        f.store(e.mask_type, e.full(), loop.exec)
    if not parts and e.mask is not None and e.maybe_empty:
        f.branch(e.any(e.mask), top, exit)
        e.maybe_empty = False
    else:
        f.jump(top)
    f.start(top)
    if parts:
        # Lanes that go round are those that went into the body, unless some left it by a jump.
        gone = empty or any(_leaves(e, block) for block in visit.blocks(stmt))
        e.mask, e.maybe_empty = f.load(e.mask_type, loop.exec), gone
        f.store(e.mask_type, "zeroinitializer", loop.cont)
    cond = head(loop)
    _enter_loop(e, cond, loop, inside, exit)
    f.start(inside)
    if parts:
        e.maybe_empty = False
    e.loops.append(loop)
    enter()
    emit_block(e, body)
    e.loops.pop()
    if e.dead != "unreachable":
        if parts:
            _keep_going(e, loop)
        f.jump(latch)
    e.dead = ""
    f.start(latch)
    advance()
    f.do(f"br label %{top}{_repeated(e, stmt)}")
    f.start(exit)
    e.mask, e.maybe_empty = before, empty
    _without_gone(e, body)


def _is_long(body: n.Block) -> bool:
    """Say whether a body is so long, or has loops, that its own branch back counts for nothing."""
    return any(isinstance(s, n.For | n.While) for s in visit.statements(body)) or (
        sum(1 for _ in visit.all_expressions(body)) > _LONG)


def _repeated(e: Emitter, stmt: n.Stmt) -> str:
    """Return what the branch back of a loop says about repeating its body."""
    asked = dict(stmt.controls) if isinstance(stmt, n.For) else {}
    if "unroll" not in asked:
        long = isinstance(stmt, n.For | n.While) and _is_long(stmt.body)
        return e.f.module.loop(NOT_AT_RUN_TIME) if long else ""
    count = asked["unroll"]
    word = f'!{{!"llvm.loop.unroll.count", i32 {count}}}' if count > 1 else \
        f'!{{!"llvm.loop.unroll.{"disable" if count == 1 else "full"}"}}'
    return e.f.module.loop(word)


def _enter_loop(e: Emitter, cond: Val, loop: Loop, inside: str, exit: str) -> None:
    """Branch into the body if some lane goes on."""
    if not loop.exec:
        e.f.branch(cond.ref, inside, exit)
        return
    assert e.mask is not None
    ref = _settled(e, cond)
    if cond.form == UNIFORM:
        some = e.any(e.mask)
        go = some if ref == "true" else e.f.op(f"and i1 {some}, {ref}")
    else:
        e.mask = e.and_mask(ref)
        go = e.any(e.mask)
    e.f.branch(go, inside, exit)


def _keep_going(e: Emitter, loop: Loop) -> None:
    """Note the lanes that start the next iteration: those here and those that said continue."""
    waiting = e.f.load(e.mask_type, loop.cont)
    here = "zeroinitializer" if e.dead else e.full()
    e.f.store(e.mask_type, e.f.op(f"or {e.mask_type} {here}, {waiting}"), loop.exec)


def _without_gone(e: Emitter, body: n.Block) -> None:
    """Take the lanes off that left a function around a loop or scope from inside it."""
    numbers = {s.number for s in visit.statements(body)
               if isinstance(s, n.Leave) and id(s) in e.shapes.divergent}
    for number in sorted(numbers):
        scope = e.scopes.get(number)
        if scope is not None and scope.gone:
            e.mask = e.and_not(e.full(), e.f.load(e.mask_type, scope.gone))
            e.maybe_empty = True


def _break(e: Emitter, stmt: n.Break) -> None:
    if id(stmt) in e.shapes.divergent:
        e.dead = "lanes"
        return
    e.f.jump(e.loops[-1].exit)
    e.dead = "unreachable"


def _continue(e: Emitter, stmt: n.Continue) -> None:
    loop = e.loops[-1]
    if id(stmt) in e.shapes.divergent:
        waiting = e.f.load(e.mask_type, loop.cont)
        e.f.store(e.mask_type, e.f.op(f"or {e.mask_type} {e.full()}, {waiting}"), loop.cont)
        e.dead = "lanes"
        return
    if loop.exec:
        _keep_going(e, loop)
    e.f.jump(loop.head)
    e.dead = "unreachable"


# ---- functions
def _scope(e: Emitter, stmt: n.Scope) -> None:
    f = e.f
    parts = any(isinstance(s, n.Leave) and s.number == stmt.number and id(s) in e.shapes.divergent
                for s in visit.statements(stmt.body))
    gone = f.alloca(e.mask_type) if parts else ""
    if gone:
        f.store(e.mask_type, "zeroinitializer", gone)
    here = f.alloca(e.mask_type) if _jumps_out(e, stmt) else ""
    exit = f.label("return")
    before, empty = e.mask, e.maybe_empty
    e.scopes[stmt.number] = ScopeState(exit, gone, here=here)
    loops, e.loops = e.loops, list(e.loops)
    emit_block(e, stmt.body)
    e.loops = loops
    del e.scopes[stmt.number]
    if e.dead != "unreachable":
        if here:
            f.store(e.mask_type, "zeroinitializer" if e.dead else e.full(), here)
        f.jump(exit)
    e.dead = ""
    f.start(exit)
    e.mask, e.maybe_empty = before, empty
    if here:
        e.mask, e.maybe_empty = f.load(e.mask_type, here), True
        if gone:
            e.mask = f.op(f"or {e.mask_type} {e.mask}, {f.load(e.mask_type, gone)}")
    _without_gone(e, stmt.body)


def _jumps_out(e: Emitter, stmt: n.Scope) -> bool:
    """Say whether lanes may break or continue a loop around a scope from inside it."""
    return _jumps(e, stmt.body)[0] and any(
        isinstance(s, n.Break | n.Continue) and id(s) in e.shapes.divergent
        for s in visit.statements(stmt.body))


def _leave(e: Emitter, stmt: n.Leave) -> None:
    scope = e.scopes[stmt.number]
    if id(stmt) in e.shapes.divergent:
        gone = e.f.load(e.mask_type, scope.gone)
        e.f.store(e.mask_type, e.f.op(f"or {e.mask_type} {e.full()}, {gone}"), scope.gone)
        e.dead = "lanes"
        return
    if scope.here:
        e.f.store(e.mask_type, e.full(), scope.here)
    if scope.spanning:
        e.f.store("i1", "true", scope.left)
    e.f.jump(e.region_exit if scope.spanning else scope.exit)
    e.dead = "unreachable"


# ---- effects
def _fence(e: Emitter, stmt: n.Fence) -> None:
    atomics.fence(e, stmt)


def _atomic(e: Emitter, stmt: n.Atomic) -> None:
    atomics.emit(e, stmt)


def _barrier(e: Emitter, stmt: n.Barrier) -> None:
    """A sub-group's lanes run together: nothing to wait for."""


def _work_items(e: Emitter, stmt: n.WorkItems) -> None:
    assert e.work_items is not None
    e.work_items(stmt)


EMIT: dict[type[n.Stmt], Callable[[Emitter, Any], None]] = {
    n.Assign: _assign, n.Store: _store, n.If: _if, n.While: _while, n.For: _for,
    n.Break: _break, n.Continue: _continue, n.Scope: _scope, n.Leave: _leave,
    n.Fence: _fence, n.Atomic: _atomic, n.Barrier: _barrier,
    n.WorkItems: _work_items,
    n.Print: printing.emit, n.Check: printing.check, n.GroupCall: collectives.emit_sub_group,
    n.LoadMany: neighbours.load, n.StoreMany: neighbours.store,
    Begun: stacks.begin, Pushed: stacks.push, Popped: stacks.pop, Ended: stacks.end,
    Watch: watched_accesses.emit, Synced: watched_accesses.synced,
    Unwritten: watched_accesses.unwritten, Asked: endless.asked,
}
