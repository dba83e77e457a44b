"""Loops: ``while`` and ``for`` over ranges stay loops, ``for`` over constants is repeated.

Non-goals: other statements. Invariant: as in ``stmt``, each function returns True if control
cannot go on behind the statement.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.frontend import coerce
from unisycl.frontend.context import Context, Loop, Tail
from unisycl.frontend.faults import moving_step
from unisycl.frontend.forms.hardware import Controls, controlled
from unisycl.frontend.syntax.assign import assign_target, unpacked
from unisycl.frontend.syntax.compare import decided, tested
from unisycl.frontend.syntax.flow import (
    Head,
    Label,
    condition,
    owner,
    site,
    state,
    wanted,
)
from unisycl.frontend.syntax.generators import unrolled
from unisycl.frontend.syntax.names import lent_names, loop_names, nonlocal_names, stored_names
from unisycl.frontend.syntax.narrowing import narrow
from unisycl.frontend.syntax.variables import is_stable
from unisycl.frontend.values.absent import Poison
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Refused, Value
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import WEAK_INT


def lower_loop(ctx: Context, node: ast.While | ast.For, tail: Tail, lower: Any = None) -> bool:
    """Lower a loop, and what its ``else`` does where no ``break`` left it; ``lower``: how."""
    lower = lower or (_while if isinstance(node, ast.While) else _for)
    exit = Label(site(ctx, node, "exit"))
    if not node.orelse or not leaves_loop(node.body):
        left = lower(ctx, node, None, exit)
        exit.land(ctx)
        if isinstance(node, ast.While) and not left and not leaves_loop(node.body):
            narrow(ctx, node.test, truth=False)
        return left or bool(node.orelse and ctx.lower_body(ctx, node.orelse, tail))
    outer = ctx.number()
    with ctx.into() as whole:
        usual = Label(site(ctx, node, "end"))
        if not lower(ctx, node, outer, usual, exit):
            usual.land(ctx)
            with ctx.branch() as orelse:
                if not ctx.lower_body(ctx, node.orelse):
                    exit.jump(ctx, node)
            ctx.block.extend(orelse)
    ctx.block.extend(scoped(outer, whole))
    exit.land(ctx)
    return not exit.states


def _while(ctx: Context, node: ast.While, outer: int | None, end: Label,
           exit: Label | None = None) -> bool:
    """Lower a loop; ``end`` is where it leads by itself, ``exit`` where ``break`` does."""
    fixed: bool | None = None
    before = state(ctx)
    with ctx.into() as entry:
        head = Head(ctx, site(ctx, node, "loop"), stored_names([node]), node)
    try:
        with ctx.into() as pre:
            test = ctx.value(tested(node.test))
            fixed = decided(ctx, test)
            cond = n.true() if fixed else ctx.truth(test, node.test) \
                if fixed is None else None
            if not fixed:
                cond = cond if cond is None or not wanted(ctx, end.site) else ctx.hold(cond)
                end.jump(ctx, node)
    except Refused:
        look_into(ctx, node.body)
        raise
    if cond is None:
        ctx.heads.remove(head)
        before.restore(ctx)
        end.states.clear()
        end.jump(ctx, node)
        return False
    ctx.block.extend(entry)
    ctx.loops.append(Loop(exit or end, head, outer))
    with ctx.repeated(node) as body:
        ctx.path = (*ctx.path, (condition(ctx, node.test), True))
        narrow(ctx, node.test, truth=True)
        if not ctx.lower_body(ctx, node.body, frozenset(("continue",))):
            head.turn(ctx, node)
    ctx.loops.pop()
    if not fixed:
        head.lead_on(end)
    ctx.emit(n.While(tuple(pre), cond, tuple(body), span=ctx.span(node)))
    return bool(fixed) and (outer is not None or not leaves_loop(node.body))


def _for(ctx: Context, node: ast.For, outer: int | None, end: Label,
         exit: Label | None = None) -> bool:
    try:
        over, controls = controlled(ctx, node.iter)
        if isinstance(over, ast.Call) and _is_range(ctx, over):
            _range_loop(ctx, node, over, controls, (outer, end, exit))
            return False
        items: Sequence[Value] | None = unrolled(ctx, over)
        if items is None:
            items = unpacked(ctx, ctx.value(over), over)
    except Refused:
        give_up(ctx, node)
        raise
    # The body may change what the values were made of.
    _unrolled_loop(ctx, node, [ctx.hold_value(item) for item in items], outer, end, exit or end)
    return False


def give_up(ctx: Context, node: ast.For) -> None:
    """Find what else is wrong in a loop of which nobody knows what it goes over."""
    for name in stored_names([ast.Assign([node.target], ast.Constant(0))]):
        ctx.frame.names.setdefault(name, Poison())
    look_into(ctx, node.body)


def _is_range(ctx: Context, node: ast.Call) -> bool:
    callee = ctx.value(node.func)
    return isinstance(callee, Constant) and callee.object is range


def _range_loop(ctx: Context, node: ast.For, call: ast.Call, controls: Controls,
                ways: tuple[int | None, Label, Label | None]) -> None:
    outer, end, exit = ways
    start, stop, step = range_bounds(ctx, call)
    if not isinstance(node.target, ast.Name):
        raise ctx.refuse("K047", node.target, found=1, expected="several")
    counter = n.Local(node.target.id, WEAK_INT)
    name = node.target.id
    at = site(ctx, node, "loop")
    if wanted(ctx, at) or wanted(ctx, end.site):  # what the loop starts with may be among it
        start, stop, step = ctx.hold(start), ctx.hold(stop), ctx.hold(step)
    head = Head(ctx, at, stored_names([node]), node)
    head.lead_out(ctx, end, node)
    ctx.loops.append(Loop(exit or end, head, outer))
    with ctx.repeated(node) as body:
        home = owner(ctx.frame, name)
        if name in loop_names(node) | lent_names(home.source.node) \
                or home is not ctx.frame or (home.key, name) in wanted(ctx, at):
            ctx.assign(name, n.Read(WEAK_INT, counter), node.target)
        else:
            ctx.define(ctx.frame, name, counter, node.target)
        if not ctx.lower_body(ctx, node.body, frozenset(("continue",))):
            head.turn(ctx, node)
    ctx.loops.pop()
    ctx.emit(n.For(counter, start, stop, step, tuple(body), controls=controls,
                   span=ctx.span(node)))
    end.states.append(head.leave(ctx, surely=_runs(start, stop, step)))


def _runs(start: n.Expr, stop: n.Expr, step: n.Expr) -> bool:
    """Say whether a range certainly has an element."""
    return isinstance(start, n.Const) and isinstance(stop, n.Const) and isinstance(step, n.Const) \
        and len(range(start.value, stop.value, step.value)) > 0


def range_bounds(ctx: Context, call: ast.Call) -> tuple[n.Expr, n.Expr, n.Expr]:
    """Return where a range begins, where it ends, and its step."""
    if call.keywords or not 1 <= len(call.args) <= 3:
        raise ctx.refuse("K034", call, what="'range'", expected="1 to 3 integers",
                         found=len(call.args) + len(call.keywords))
    bounds = [whole_bound(ctx, v, a) for v, a in
              zip(ctx.operands(*call.args), call.args, strict=True)]
    start = bounds[0] if len(bounds) > 1 else n.Const(WEAK_INT, 0)
    stop = bounds[1] if len(bounds) > 1 else bounds[0]
    step = moving_step(ctx, (start, stop, bounds[2]), call) if len(bounds) > 2 \
        else n.Const(WEAK_INT, 1)
    return start, stop, step


def whole_bound(ctx: Context, value: Value, node: ast.expr) -> n.Expr:
    """Return an integer as Python's, which is what ``range`` makes of it."""
    x = ctx.to_scalar(value, node, unsure=True)
    if x.type.dtype.is_float:
        raise ctx.refuse("K049", node, found=x.type, expected="an integer", help="use int(...)")
    return coerce.cast(x, WEAK_INT)


def _unrolled_loop(ctx: Context, node: ast.For, items: Sequence[Value], around: int | None,
                   end: Label, exit: Label) -> None:
    """Repeat the body once per value; break and continue become jumps out of scopes."""
    outer = ctx.number() if around is None else around
    stored = loop_names(node) | lent_names(ctx.frame.source.node) | nonlocal_names(
        ctx.frame.source.node)
    alive = True
    with ctx.into() as whole:
        for k, item in enumerate(items):
            inner = ctx.number()
            ctx.unrolled.append(k)
            next_turn = Label(site(ctx, node, "turn"))
            ctx.loops.append(Loop(exit, next_turn, outer, inner))
            with ctx.into() as body:
                _bind_item(ctx, node.target, item, stored)
                if not ctx.lower_body(ctx, node.body, frozenset(("continue",))):
                    next_turn.jump(ctx, node)
            ctx.loops.pop()
            ctx.unrolled.pop()
            ctx.block.extend(scoped(inner, body))
            alive = bool(next_turn.states)
            next_turn.land(ctx)
            if not alive:
                break
        if alive:
            end.jump(ctx, node)
    ctx.block.extend(scoped(outer, whole) if around is None else whole)


def _bind_item(ctx: Context, target: ast.expr, item: Value, stored: frozenset[str]) -> None:
    """Give the loop's names their values; one that the body does not assign stays known."""
    if isinstance(target, ast.Tuple | ast.List) and isinstance(item, Several) \
            and len(item.items) == len(target.elts):
        for part, value in zip(target.elts, item.items, strict=True):
            _bind_item(ctx, part, value, stored)
        return
    name = target.id if isinstance(target, ast.Name) else ""
    if not name or name in stored or (isinstance(item, n.Expr) and not is_stable(item)):
        assign_target(ctx, target, item, target)
    else:
        ctx.define(ctx.frame, name, item, target)


def leaves_loop(body: Sequence[ast.stmt], kinds: Any = ast.Break) -> bool:
    """Say whether a ``break`` (or ``continue``, if asked for) concerns the loop of this body."""
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, kinds):
            return True
        if isinstance(node, ast.For | ast.While):
            todo.extend(node.orelse)
        elif not isinstance(node, ast.FunctionDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(node))
    return False


def scoped(number: int, body: list[n.Stmt]) -> list[n.Stmt]:
    """Return statements inside the scope that some of them leave, if any does."""
    leaves = any(isinstance(s, n.Leave) and s.number == number
                 for s in visit.statements(tuple(body)))
    return [n.Scope(number, tuple(body))] if leaves else body


def lower_break(ctx: Context, node: ast.Break, tail: Tail) -> bool:
    loop = ctx.loops[-1]
    if loop is not None:
        loop.exit.jump(ctx, node)
    ctx.emit(n.Break(span=ctx.span(node)) if loop is None or loop.outer is None
             else n.Leave(loop.outer, span=ctx.span(node)))
    return True


def lower_continue(ctx: Context, node: ast.Continue, tail: Tail) -> bool:
    loop = ctx.loops[-1]
    brings = loop is not None and loop.next.takes(ctx)  # the end of the body brings other things
    if loop is not None:
        loop.next.jump(ctx, node)
    if brings or "continue" not in tail:
        ctx.emit(n.Continue(span=ctx.span(node)) if loop is None or loop.inner is None
                 else n.Leave(loop.inner, span=ctx.span(node)))
    return True


def look_into(ctx: Context, body: Sequence[ast.stmt]) -> None:
    """Find what else is wrong inside a statement whose head was refused."""
    before = state(ctx)
    ctx.loops.append(None)
    with ctx.branch():
        ctx.lower_body(ctx, body)
    ctx.loops.pop()
    for frame, names, _ in before.frames:
        for name in frame.names.keys() - names.keys():
            names[name] = Poison()
    before.restore(ctx)


LOWER: dict[type[ast.AST], Callable[[Context, Any, Tail], bool]] = {
    ast.While: lower_loop, ast.For: lower_loop, ast.Break: lower_break,
    ast.Continue: lower_continue,
}

__all__ = ["LOWER", "give_up", "look_into", "range_bounds", "scoped", "whole_bound"]
