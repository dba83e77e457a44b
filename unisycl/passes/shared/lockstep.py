"""Work-items that part ways around a barrier, made to go the same way with flags of their own.

A branch or loop that holds a barrier or group function, and that not all items of a work-group are
known to take alike, is run by the whole group while any item is in it. A flag of each item says
whether it is: what stands between the meetings is done by those whose flag is set, and the others
keep what they have. Group functions combine what those bring that are there. So each item's own
condition counts, and on every device all items of a group pass every barrier together.

So do sub-groups around meetings of theirs (``sub_groups``), for targets on which who is there has
to be named: parts of a sub-group, as fragments and tangles have them, are told apart by what they
bring, and all items of the sub-group are at each of its functions.

Non-goals: control flow without meetings. Invariants: statements outside such branches and loops
stay what they are; behind the pass, every condition around a meeting of a work-group is one that
the group shares, behind ``sub_groups`` that around one of a sub-group's is the sub-group's.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence

from unisycl.base.dataclass import dataclass, replace
from unisycl.base.enums import memory_scope
from unisycl.base.spans import Span
from unisycl.ir import nodes as n
from unisycl.ir import operators, visit
from unisycl.ir.types import BOOL, INT64
from unisycl.passes.simd.shapes import (
    ANY,
    GROUP,
    PER_LANES,
    UNIFORM,
    Shape,
    Shapes,
    analyse,
    holds_barrier,
)

Meeting = n.Barrier | n.GroupCall
Watch = Callable[[Meeting, n.Local | None], Sequence[n.Stmt]]
"""What is put in front of a meeting, given the flag of the items that come; None: all do."""
_FALSE, _TRUE = n.Const(BOOL, value=False), n.Const(BOOL, value=True)


# ---------------------------------------------------------------- which ones
_GROUP, _SUB_GROUP = memory_scope.work_group, memory_scope.sub_group


def _holds(stmt: n.Stmt, scope: memory_scope) -> bool:
    """Say whether items of a group meet in a statement."""
    if scope is _GROUP:
        return holds_barrier(stmt)
    return any(isinstance(s, n.Barrier | n.GroupCall) and s.scope is scope
               for s in visit.statements((stmt,)))


def parting(body: n.Block, shapes: Shapes, *, returns: bool, scope: memory_scope = _GROUP,
            ) -> frozenset[int]:
    """Return, by id, the statements with meetings that items of a group may not take alike.

    Args:
        body: a kernel's body.
        shapes: how its values and jumps vary.
        returns: functions that some items leave early count, too. Without, they do only where that
            happens in such a statement, or in a loop that might never end once all have left.
        scope: which groups.
    """
    finder = _Finder(shapes, scope, returns=returns)
    before = -1
    while len(finder.found) > before:  # what a jump leaves may be found behind it
        before = len(finder.found)
        finder.block(body, ())
    return frozenset(finder.found)


class _Finder:
    """Walks a body with the statements around the one at hand, from outside to inside."""

    def __init__(self, shapes: Shapes, scope: memory_scope, *, returns: bool) -> None:
        self.shapes = shapes
        self.scope = scope
        self.apart = shapes.apart if scope is _GROUP else shapes.divergent
        self.returns = returns
        self.found: set[int] = set()

    def block(self, block: n.Block, around: tuple[n.Stmt, ...]) -> None:
        for stmt in block:
            if isinstance(stmt, n.Break | n.Continue | n.Leave):
                self.jump(stmt, around)
                continue
            if self.uneven(stmt) and _holds(stmt, self.scope):
                self.found.add(id(stmt))
            for inner in visit.blocks(stmt):
                self.block(inner, (*around, stmt))

    def uneven(self, stmt: n.Stmt) -> bool:
        """Say whether a statement's condition or bounds may differ within a group."""
        if self.scope is _SUB_GROUP:
            return isinstance(stmt, n.If | n.While | n.For) and id(stmt) in self.shapes.divergent
        match stmt:
            case n.If() | n.While():
                deciding: tuple[n.Expr, ...] = (stmt.cond,)
            case n.For():
                deciding = (stmt.start, stmt.stop, stmt.step)
            case _:
                return False
        return any(self.shapes.of(x).rank > GROUP for x in deciding)

    def jump(self, stmt: n.Stmt, around: tuple[n.Stmt, ...]) -> None:
        """Note where a jump goes that leaves such a statement, or that not all items take."""
        place = next(k for k in range(len(around) - 1, -1, -1) if _is_target(stmt, around[k]))
        target, between = around[place], around[place + 1:]
        if not _holds(target, self.scope):
            return
        crossed = any(id(s) in self.found for s in between)
        apart = id(stmt) in self.apart
        if isinstance(stmt, n.Leave) and not self.returns:
            apart = apart and any(isinstance(s, n.While) and holds_barrier(s) for s in between)
        if crossed or apart:
            self.found.add(id(target))


def _is_target(jump: n.Stmt, stmt: n.Stmt) -> bool:
    if isinstance(jump, n.Leave):
        return isinstance(stmt, n.Scope) and stmt.number == jump.number
    return isinstance(stmt, n.For | n.While)


def whole(kernel: n.Kernel, watch: Watch | None = None) -> n.Kernel:
    """Return a kernel that all items of a group go through together, for any target.

    ``watch``: statements to put in front of meetings.
    """
    if kernel.index_kind != "nd_range" or not any(map(holds_barrier, kernel.body)):
        return kernel
    while True:
        found = _anywhere(kernel)
        if not found and watch is None:
            return kernel
        kernel, watch = run(kernel, found, watch), None


def needed(kernel: n.Kernel) -> bool:
    """Say whether a kernel has statements with meetings that items may not take alike."""
    return kernel.index_kind == "nd_range" and any(map(holds_barrier, kernel.body)) \
        and bool(_anywhere(kernel))


def sub_groups(kernel: n.Kernel) -> n.Kernel:
    """Return a kernel that all items of each sub-group go through together where these meet."""
    if kernel.index_kind != "nd_range" or not any(_holds(s, _SUB_GROUP) for s in kernel.body):
        return kernel
    while found := _anywhere(kernel, _SUB_GROUP):
        if any(id(s) in found and holds_barrier(s) for s in visit.statements(kernel.body)) \
                and needed(kernel):  # a work-group goes that way as one
            kernel = whole(kernel)
            continue
        kernel = run(kernel, found, scope=_SUB_GROUP)
    return kernel


def _anywhere(kernel: n.Kernel, scope: memory_scope = _GROUP) -> frozenset[int]:
    """Return what ``parting`` does where nothing is known of the target."""
    kept: dict[n.Local, Shape] = {
        x: ANY for r in kernel.reducers for x in (r.acc, r.valid) if x is not None}
    query = _of_any_target if scope is _GROUP else _of_sub_groups
    return parting(kernel.body, analyse(kernel.body, query, kept), returns=True, scope=scope)


def _of_any_target(name: str, dim: int) -> Shape:
    """Return how an id varies where nothing is known of sub-groups."""
    shared = name in ("group_id", "offset", "sub_group_max_local_range", "sub_group_group_range")
    sizes = name.endswith("range") and name != "sub_group_local_range"
    return UNIFORM if shared or sizes else ANY


def _of_sub_groups(name: str, dim: int) -> Shape:
    """Return how an id varies over the items of a sub-group."""
    if name in ("sub_group_id", "sub_group_local_range"):
        return PER_LANES
    return _of_any_target(name, dim)


# ---------------------------------------------------------------- what becomes of them
def run(kernel: n.Kernel, apart: frozenset[int], watch: Watch | None = None, *,
        scope: memory_scope = _GROUP) -> n.Kernel:
    """Return a kernel whose items take the statements ``apart`` (by id) together."""
    if not apart and watch is None:
        return kernel
    numbers = [s.number for s in visit.statements(kernel.body) if isinstance(s, n.Scope)]
    steps = _Steps(kernel.ndim, apart, itertools.count(max(numbers, default=0) + 1), watch,
                   scope)
    return replace(kernel, body=tuple(steps.block(kernel.body, None)))


@dataclass(slots=True)
class _Loop:
    """Where ``break`` and ``continue`` of a loop lead: how many flags stay set."""

    leave: int
    again: int


class _Steps:
    """Rewrites the blocks of one kernel; ``flags`` are those of the levels around, outside first.

    An item's flag of a level is set while it goes on there; a jump clears it on all the levels that
    it leaves. ``on`` is the innermost one, None where all items are known to be.
    """

    def __init__(self, ndim: int, apart: frozenset[int], numbers: Iterator[int],
                 watch: Watch | None, scope: memory_scope) -> None:
        self.scope = scope
        self.ndim = ndim
        self.apart = apart
        self.numbers = numbers
        self.watch = watch
        self.flags: list[n.Local] = []
        self.scopes: dict[int, int] = {}
        self.loops: list[_Loop] = []

    # ---- blocks
    def block(self, block: n.Block, on: n.Local | None) -> list[n.Stmt]:
        """Return a block's statements, the runs between meetings under their items' flag."""
        out: list[n.Stmt] = []
        run: list[n.Stmt] = []
        for stmt in block:
            if not _holds(stmt, self.scope):
                run.append(stmt)
                continue
            out += self.alone(tuple(run), on)
            out += self.one(stmt, on)
            run = []
        return [*out, *self.alone(tuple(run), on)]

    def alone(self, run: n.Block, on: n.Local | None) -> list[n.Stmt]:
        """Return statements without meetings for the items whose flag is set."""
        if not run or on is None:
            return list(run)
        number = next(self.numbers)
        inner = self.redirected(run, number, own_loop=True)
        if any(isinstance(s, n.Leave) and s.number == number for s in visit.statements(inner)):
            inner = (n.Scope(number, inner),)
        return [n.If(_read(on), inner, span=run[0].span)]

    def redirected(self, block: n.Block, number: int, *, own_loop: bool) -> n.Block:
        """Return a run in which jumps out of it clear flags and go behind scope ``number``.

        ``own_loop``: the innermost loop around is one with meetings.
        """
        out: list[n.Stmt] = []
        for stmt in block:
            kept = self.kept(stmt, own_loop=own_loop)
            if kept is not None:
                out += [n.Assign(x, _FALSE, span=stmt.span) for x in self.flags[kept:]]
                out.append(n.Leave(number, span=stmt.span))
            else:
                inside = own_loop and not isinstance(stmt, n.For | n.While)
                out.append(visit.map_blocks(stmt, functools.partial(
                    self.redirected, number=number, own_loop=inside)))
        return tuple(out)

    def kept(self, stmt: n.Stmt, *, own_loop: bool) -> int | None:
        """Return how many flags a jump leaves set; None for what is no jump to such a place."""
        match stmt:
            case n.Leave():
                return self.scopes.get(stmt.number)
            case n.Break() if own_loop:
                return self.loops[-1].leave
            case n.Continue() if own_loop:
                return self.loops[-1].again
        return None

    # ---- statements with meetings
    def one(self, stmt: n.Stmt, on: n.Local | None) -> list[n.Stmt]:
        """Return a statement with meetings, for the items whose flag is set."""
        if isinstance(stmt, n.Barrier | n.GroupCall):
            before = self.watch(stmt, on) if self.watch is not None else ()
            whole = isinstance(stmt, n.Barrier) or on is None
            return [*before, *([stmt] if whole else self.call(stmt, on))]  # type: ignore[arg-type]
        if on is None and id(stmt) not in self.apart:
            return [visit.map_blocks(stmt, lambda b: tuple(self.block(b, None)))]
        match stmt:
            case n.If():
                return self.branch(stmt, on)
            case n.While():
                return self.loop(stmt, on)
            case n.For():
                return self.counted(stmt, on)
            case n.Scope():
                return self.function(stmt, on)
        raise AssertionError(stmt)

    def flag(self, name: str, on: n.Local | None) -> tuple[n.Local, n.Stmt]:
        """Return a new flag, and what sets it for the items that are there."""
        local = n.Local(name, BOOL)
        return local, n.Assign(local, _TRUE if on is None else _read(on))

    def branch(self, stmt: n.If, on: n.Local | None) -> list[n.Stmt]:
        """Run both sides one after the other, each with its items, if it has any."""
        cond, span = n.Local("taken", BOOL), stmt.span
        out: list[n.Stmt] = [n.Assign(cond, _FALSE)] if on is not None else []
        out += self.alone((n.Assign(cond, stmt.cond, span=span),), on)
        sides = [(n.Local("here", BOOL), side, block) for side, block in (
            (_read(cond), stmt.then), (n.Unary(BOOL, "not", _read(cond)), stmt.orelse)) if block]
        for mine, side, _ in sides:
            out.append(n.Assign(mine, side if on is None
                                else n.Binary(BOOL, "and", _read(on), side)))
        for mine, _, block in sides:
            some = n.Local("some", BOOL)
            self.flags.append(mine)
            out.append(self.any(some, mine, span))
            out.append(n.If(_read(some), tuple(self.block(block, mine)), span=span))
            self.flags.pop()
        return out

    def loop(self, stmt: n.While, on: n.Local | None) -> list[n.Stmt]:
        def head(leave: n.Block, again: n.Local) -> list[n.Stmt]:
            ends = n.If(n.Unary(BOOL, "not", stmt.cond), leave, span=stmt.span)
            return [*self.block(stmt.pre, again), *self.alone((ends,), again)]
        return self.turns(stmt, stmt.body, head, on)

    def counted(self, stmt: n.For, on: n.Local | None) -> list[n.Stmt]:
        """Run a counted loop: each item counts for itself."""
        span, type = stmt.span, stmt.start.type
        at, stop = n.Local(f"{stmt.local.name}_at", type), n.Local("stop", type)
        before: list[n.Stmt] = [n.Assign(at, stmt.start, span=span),
                                n.Assign(stop, stmt.stop, span=span)]
        step = stmt.step
        if not isinstance(step, n.Const):
            kept = n.Local("step", step.type)
            before.append(n.Assign(kept, step, span=span))
            step = _read(kept)

        def head(leave: n.Block, again: n.Local) -> list[n.Stmt]:
            after = n.Binary(type, "add", _read(at), step)
            return [n.If(_read(again), (n.If(_more(at, stop, step), (
                n.Assign(stmt.local, _read(at), span=span), n.Assign(at, after, span=span)),
                leave, span=span),), span=span)]
        return [*self.alone(tuple(before), on), *self.turns(stmt, stmt.body, head, on)]

    def turns(self, stmt: n.Stmt, body: n.Block,
              head: Callable[[n.Block, n.Local], list[n.Stmt]], on: n.Local | None) -> list[n.Stmt]:
        """Run a loop while any item is in it; ``head`` clears the flags of those that leave."""
        inside, start = self.flag("inside", on)
        turn, begin = self.flag("turn", inside)
        some, span = n.Local("some", BOOL), stmt.span
        self.loops.append(_Loop(len(self.flags), len(self.flags) + 1))
        self.flags += [inside, turn]
        leave = (n.Assign(inside, _FALSE, span=span), n.Assign(turn, _FALSE, span=span))
        whole = (begin, *head(leave, turn), *self.block(body, turn))
        del self.flags[-2:]
        self.loops.pop()
        whole = (*whole, self.any(some, inside, span))
        return [start, self.any(some, inside, span), n.While((), _read(some), whole, span=span)]

    def function(self, stmt: n.Scope, on: n.Local | None) -> list[n.Stmt]:
        """Run a function's body; items that returned wait behind it."""
        left = any(isinstance(s, n.Leave) and s.number == stmt.number
                   for s in visit.statements(stmt.body))
        if not left:
            return [replace(stmt, body=tuple(self.block(stmt.body, on)))]
        mine, start = self.flag("running", on)
        self.scopes[stmt.number] = len(self.flags)
        self.flags.append(mine)
        body = self.block(stmt.body, mine)
        self.flags.pop()
        del self.scopes[stmt.number]
        return [start, *body]

    # ---- group functions
    def any(self, result: n.Local, flag: n.Local, span: Span | None) -> n.Stmt:
        """Ask whether there is any item whose flag is set."""
        return n.GroupCall(result, "any", (_read(flag),), self.scope, span=span)

    def call(self, stmt: n.GroupCall, on: n.Local) -> list[n.Stmt]:
        """Combine what the items bring that are there; the others bring what changes nothing."""
        span = stmt.span
        own, *more = (n.Local("operand", x.type) for x in stmt.args)
        out: list[n.Stmt] = [n.Assign(x, _nothing(stmt, x), span=span) for x in (own, *more)]
        out += self.alone(tuple(n.Assign(x, value, span=span)
                                for x, value in zip((own, *more), stmt.args, strict=True)), on)
        args: list[n.Expr] = [_read(own)]
        if self.scope is _SUB_GROUP:  # each item says itself whose value it wants
            args += map(_read, more)
        elif more:
            giver, given = n.Local("giver", INT64), n.Local("given", more[0].type)
            out += [first_of(giver, _read(on), self.ndim, span),
                    n.GroupCall(given, "broadcast", (_read(more[0]), _at_least_first(giver)),
                                memory_scope.work_group, span=span)]
            args.append(_read(given))
        result = n.Local(stmt.result.name, stmt.result.type)
        out.append(replace(stmt, result=result, args=tuple(args)))
        return [*out, *self.alone((n.Assign(stmt.result, _read(result), span=span),), on)]


# ---------------------------------------------------------------- pieces
NOBODY = (1 << 31) - 1
"""What ``first_of`` gives where no item is meant."""


def first_of(result: n.Local, which: n.Expr, ndim: int, span: Span | None) -> n.GroupCall:
    """Find the first item of a group, by its linear local id, for which a condition holds."""
    mine = n.Select(INT64, which, linear_id(ndim), n.Const(INT64, NOBODY))
    return n.GroupCall(result, "reduce", (mine,), memory_scope.work_group, "minimum", span=span)


def linear_id(ndim: int) -> n.Expr:
    """Return an item's linear local id."""
    total: n.Expr = n.Query(INT64, "local_id", 0)
    for dim in range(1, ndim):
        row = n.Binary(INT64, "mul", total, n.Query(INT64, "local_range", dim))
        total = n.Binary(INT64, "add", row, n.Query(INT64, "local_id", dim))
    return total


def _at_least_first(giver: n.Local) -> n.Expr:
    """Return an item that exists even where none is there."""
    none = n.Compare(BOOL, "eq", _read(giver), n.Const(INT64, NOBODY))
    return n.Select(INT64, none, n.Const(INT64, 0), _read(giver))


def _more(at: n.Local, stop: n.Local, step: n.Expr) -> n.Expr:
    """Say whether a counter has not reached its end; a step of 0 takes no turns."""
    def ahead(op: str) -> n.Expr:
        return n.Compare(BOOL, op, _read(at), _read(stop))
    if isinstance(step, n.Const):
        return ahead("lt" if step.value > 0 else "gt")
    zero = n.Const(step.type, 0)
    up, down = (n.Binary(BOOL, "and", n.Compare(BOOL, sign, step, zero), ahead(op))
                for sign, op in (("gt", "lt"), ("lt", "gt")))
    return n.Binary(BOOL, "or", up, down)


def _nothing(stmt: n.GroupCall, operand: n.Local) -> n.Const:
    """Return what an item brings to a group function that it does not take part in."""
    dtype = operand.type.dtype
    if stmt.combine:
        return n.Const(operand.type, operators.neutral(stmt.combine, dtype))
    if stmt.op == "all":
        return n.Const(operand.type, value=True)
    zero = False if dtype.kind == "b" else 0.0 if dtype.is_float else 0
    return n.Const(operand.type, complex(0) if dtype.kind == "c" else zero)


def _read(local: n.Local) -> n.Read:
    return n.Read(local.type, local)
