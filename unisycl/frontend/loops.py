"""Loops: ``while`` and ``for`` over ranges stay loops, ``for`` over constants is repeated.

Non-goals: other statements. Invariant: as in ``stmt``, each function returns True if control
cannot go on behind the statement.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.frontend import coerce
from unisycl.frontend.assign import assign_target, unpacked
from unisycl.frontend.call import unrolled
from unisycl.frontend.compare import static_truth
from unisycl.frontend.context import Context, Refused, Scoped, Tail
from unisycl.frontend.hardware import Controls, controlled
from unisycl.frontend.names import loop_names, stored_names
from unisycl.frontend.values import (
    Constant,
    Poison,
    Several,
    Value,
    Vector,
    describe,
)
from unisycl.frontend.variables import is_stable
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import WEAK_INT


def lower_loop(ctx: Context, node: ast.While | ast.For, tail: Tail) -> bool:
    """Lower a loop, and what its ``else`` does where no ``break`` left it."""
    lower: Any = _while if isinstance(node, ast.While) else _for
    if not node.orelse:
        return bool(lower(ctx, node, None))
    if not leaves_loop(node.body):
        return lower(ctx, node, None) or ctx.lower_body(ctx, node.orelse, tail)
    outer = ctx.number()
    with ctx.into() as whole:
        if not lower(ctx, node, outer):
            with ctx.branch() as orelse:
                ctx.lower_body(ctx, node.orelse)
            ctx.block.extend(orelse)
    ctx.block.extend(_scoped(outer, whole))
    return False


def _while(ctx: Context, node: ast.While, outer: int | None) -> bool:
    fixed: bool | None = None
    try:
        with ctx.into() as pre:
            test = ctx.value(node.test)
            fixed = static_truth(test)
            cond = n.true() if fixed else ctx.truth(test, node.test) \
                if fixed is None else None
    except Refused:
        look_into(ctx, node.body)
        raise
    if cond is None:
        return False
    ctx.loops.append(None if outer is None else Scoped(outer, None))
    with ctx.repeated(node) as body:
        ctx.lower_body(ctx, node.body, frozenset(("continue",)))
    ctx.loops.pop()
    ctx.emit(n.While(tuple(pre), cond, tuple(body), span=ctx.span(node)))
    return bool(fixed) and (outer is not None or not leaves_loop(node.body))


def _for(ctx: Context, node: ast.For, outer: int | None) -> bool:
    try:
        over, controls = controlled(ctx, node.iter)
        if isinstance(over, ast.Call) and _is_range(ctx, over):
            _range_loop(ctx, node, over, outer, controls)
            return False
        items: Sequence[Value] | None = unrolled(ctx, over)
        if items is None:
            items = unpacked(ctx, ctx.value(over), over)
    except Refused:
        for name in stored_names([ast.Assign([node.target], ast.Constant(0))]):
            ctx.frame.names.setdefault(name, Poison())
        look_into(ctx, node.body)
        raise
    # The body may change what the values were made of.
    _unrolled_loop(ctx, node, [ctx.hold_value(item) for item in items], outer)
    return False


def _is_range(ctx: Context, node: ast.Call) -> bool:
    callee = ctx.value(node.func)
    return isinstance(callee, Constant) and callee.object is range


def _range_loop(ctx: Context, node: ast.For, call: ast.Call, outer: int | None,
                controls: Controls) -> None:
    if call.keywords or not 1 <= len(call.args) <= 3:
        raise ctx.refuse("K034", call, what="'range'", expected="1 to 3 integers",
                         found=len(call.args) + len(call.keywords))
    bounds = [_bound(ctx, v, a) for v, a in zip(ctx.operands(*call.args), call.args, strict=True)]
    start = bounds[0] if len(bounds) > 1 else n.Const(WEAK_INT, 0)
    stop = bounds[1] if len(bounds) > 1 else bounds[0]
    step = ctx.constant(bounds[2]) if len(bounds) > 2 else n.Const(WEAK_INT, 1)
    if step is None or step.value == 0:
        raise ctx.refuse("K044", call)
    if not isinstance(node.target, ast.Name):
        raise ctx.refuse("K047", node.target, found=1, expected="several")
    counter = n.Local(node.target.id, WEAK_INT)
    name = node.target.id
    key = (ctx.frame.key, name)
    direct = ctx.types.get(key, WEAK_INT) == WEAK_INT and name not in loop_names(node) \
        and not isinstance(ctx.frame.names.get(name), n.Local)
    ctx.loops.append(None if outer is None else Scoped(outer, None))
    with ctx.repeated(node) as body:
        if direct:
            ctx.types[key] = WEAK_INT
            ctx.frame.names[name] = counter
        else:
            ctx.assign(name, n.Read(WEAK_INT, counter), node.target)
        ctx.lower_body(ctx, node.body, frozenset(("continue",)))
    ctx.loops.pop()
    ctx.emit(n.For(counter, start, stop, step, tuple(body), controls=controls,
                   span=ctx.span(node)))


def _bound(ctx: Context, value: Value, node: ast.expr) -> n.Expr:
    x = ctx.to_scalar(value, node)
    if x.type.dtype.is_float:
        raise ctx.refuse("K049", node, found=x.type, expected="an integer", help="use int(...)")
    return coerce.cast(x, WEAK_INT)


def _unrolled_loop(ctx: Context, node: ast.For, items: Sequence[Value],
                   around: int | None) -> None:
    """Repeat the body once per value; break and continue become jumps out of scopes."""
    outer = ctx.number() if around is None else around
    stored = loop_names(node)
    kept: dict[str, Value | n.Local] = {}
    before = dict(ctx.frame.names)
    left = leaves_loop(node.body, ast.Break | ast.Continue)
    with ctx.into() as whole:
        for k, item in enumerate(items):
            inner = ctx.number()
            ctx.loops.append(Scoped(outer, inner, left))
            ctx.unrolled.append(k)
            with ctx.into() as body:
                _bind_item(ctx, node.target, item, stored, kept)
                ctx.lower_body(ctx, node.body, frozenset(("continue",)))
            ctx.unrolled.pop()
            ctx.loops.pop()
            ctx.block.extend(_scoped(inner, body))
    ctx.block.extend(_scoped(outer, whole) if around is None else whole)
    if leaves_loop(node.body):  # the names have the values of the turn that was left
        for name in set(stored_names([ast.Assign([node.target], ast.Constant(0))])) - stored:
            ctx.frame.names.pop(name, None)
        ctx.frame.names.update(kept)
    if left:
        for name in stored:  # which of its things such a name stands for is known at run time only
            value, old = ctx.frame.names.get(name), before.get(name)
            if not isinstance(value, n.Local | n.Expr | Vector) and value != old:
                ctx.frame.names.pop(name, None)
                if old is not None and value is not None:
                    ctx.frame.lost[name] = describe(value)


def _bind_item(ctx: Context, target: ast.expr, item: Value, stored: frozenset[str],
               kept: dict[str, Value | n.Local]) -> None:
    """Give the loop's names their values; one that the body does not assign stays known.

    ``kept`` are variables that follow the numbers, for the time after a loop that is left.
    """
    if isinstance(target, ast.Tuple | ast.List) and isinstance(item, Several) \
            and len(item.items) == len(target.elts):
        for part, value in zip(target.elts, item.items, strict=True):
            _bind_item(ctx, part, value, stored, kept)
        return
    name = target.id if isinstance(target, ast.Name) else ""
    if not name or name in stored or (isinstance(item, n.Expr) and not is_stable(item)):
        for bound in stored_names([ast.Assign([target], ast.Constant(0))]):
            if not isinstance(ctx.frame.names.get(bound), n.Local):
                ctx.frame.names.pop(bound, None)
        assign_target(ctx, target, item, target)
        return
    if isinstance(item, n.Expr):
        old = kept.get(name)
        kept[name] = ctx.assign_scalar((ctx.frame.key, name, "kept"), name,
                                       old if isinstance(old, n.Local) else None, item, target)
    ctx.frame.names[name] = item


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


def _scoped(number: int, body: list[n.Stmt]) -> list[n.Stmt]:
    leaves = any(isinstance(s, n.Leave) and s.number == number
                 for s in visit.statements(tuple(body)))
    return [n.Scope(number, tuple(body))] if leaves else body


def lower_break(ctx: Context, node: ast.Break, tail: Tail) -> bool:
    loop = ctx.loops[-1]
    ctx.emit(n.Break(span=ctx.span(node)) if loop is None
             else n.Leave(loop.outer, span=ctx.span(node)))
    return True


def lower_continue(ctx: Context, node: ast.Continue, tail: Tail) -> bool:
    if "continue" not in tail:
        loop = ctx.loops[-1]
        ctx.emit(n.Continue(span=ctx.span(node)) if loop is None or loop.inner is None
                 else n.Leave(loop.inner, span=ctx.span(node)))
    return True


def look_into(ctx: Context, body: Sequence[ast.stmt]) -> None:
    """Find what else is wrong inside a statement whose head was refused."""
    ctx.loops.append(None)
    with ctx.branch():
        ctx.lower_body(ctx, body)
    ctx.loops.pop()


LOWER: dict[type[ast.AST], Callable[[Context, Any, Tail], bool]] = {
    ast.While: lower_loop, ast.For: lower_loop, ast.Break: lower_break,
    ast.Continue: lower_continue,
}

__all__ = ["LOWER", "look_into"]
