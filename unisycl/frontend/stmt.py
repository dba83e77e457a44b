"""Lowering of statements: one function per AST class, and the shape of control flow.

A guard that leaves (``if c: return`` / ``continue``) takes the rest of its block as its else
branch, so most kernels need no jumps at all. Non-goals: expressions. Invariant: each function
returns True if control cannot go on behind the statement.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.frontend import coerce
from unisycl.frontend.access import place_of, store
from unisycl.frontend.atomics import update
from unisycl.frontend.call import call_value, unrolled
from unisycl.frontend.context import Context, Frame, Refused, Unrolled, is_stable
from unisycl.frontend.expr import BINARY, SYMBOL, operate, static_truth
from unisycl.frontend.items import ITEM_KINDS, item_ids
from unisycl.frontend.names import stored_names
from unisycl.frontend.reducers import combine_with
from unisycl.frontend.subset import refusal
from unisycl.frontend.values import (
    Atomic,
    Closure,
    Constant,
    Item,
    Memory,
    Method,
    Nothing,
    Poison,
    Reduction,
    Several,
    Value,
    describe,
)
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import WEAK_INT

Tail = frozenset[str]
NOWHERE: Tail = frozenset()


def lower_body(ctx: Context, stmts: Sequence[ast.stmt], tail: Tail = NOWHERE) -> bool:
    """Lower statements in order; ``tail`` says what falling off their end amounts to."""
    for k, stmt in enumerate(stmts):
        rest = stmts[k + 1:]
        if isinstance(stmt, ast.If) and rest and _guards(ctx, stmt, tail):
            merged = ast.copy_location(
                ast.If(stmt.test, stmt.body, [*stmt.orelse, *rest]), stmt)
            return _one(ctx, merged, tail)
        if _one(ctx, stmt, NOWHERE if rest else tail):
            return True
    return False


def _one(ctx: Context, stmt: ast.stmt, tail: Tail) -> bool:
    lower = LOWER.get(type(stmt))
    try:
        if lower is None:
            id, facts = refusal(stmt)
            raise ctx.refuse(id, stmt, **facts)
        return lower(ctx, stmt, tail)
    except coerce.DoesNotFit as problem:
        ctx.too_large(problem, stmt)
        return False
    except Refused:
        for name in stored_names([stmt]):
            ctx.frame.names.setdefault(name, Poison())
        return False


def _guards(ctx: Context, stmt: ast.If, tail: Tail) -> bool:
    """Say whether the rest of the block may become the else branch of this statement."""
    if not stmt.body or stmt.orelse:
        return False
    last = stmt.body[-1]
    if isinstance(last, ast.Return):
        return "return" in tail and "convergent" not in ctx.facts
    return isinstance(last, ast.Continue) and "continue" in tail


# ---- assignment
def lower_assign(ctx: Context, node: ast.Assign, tail: Tail) -> bool:
    value = ctx.value(node.value)
    if len(node.targets) > 1 and isinstance(value, n.Expr):
        value = ctx.hold(value)
    for target in node.targets:
        assign_target(ctx, target, value)
    return False


def lower_annassign(ctx: Context, node: ast.AnnAssign, tail: Tail) -> bool:
    if node.value is not None:
        assign_target(ctx, node.target, ctx.value(node.value))
    return False


def assign_target(ctx: Context, target: ast.expr, value: Value) -> None:
    """Do ``target = value``."""
    match target:
        case ast.Name():
            if isinstance(value, Nothing):
                raise ctx.refuse("K049", target, found="nothing", expected="a value",
                                 help="the function called here returns nothing")
            ctx.assign(target.id, value, target)
        case ast.Tuple() | ast.List():
            _unpack(ctx, target, value)
        case ast.Subscript() | ast.Attribute():
            store(ctx, target, value)
        case _:
            id, facts = refusal(target)
            raise ctx.refuse(id, target, **facts)


def _unpack(ctx: Context, target: ast.Tuple | ast.List, value: Value) -> None:
    items = unpacked(ctx, value, target)
    if len(items) != len(target.elts):
        raise ctx.refuse("K047", target, found=len(items), expected=len(target.elts))
    held = [ctx.hold(v) if isinstance(v, n.Expr) else v for v in items]
    for part, item in zip(target.elts, held, strict=True):
        assign_target(ctx, part, item)


def unpacked(ctx: Context, value: Value, node: ast.AST) -> tuple[Value, ...]:
    """Return the values a static iterable yields."""
    if isinstance(value, Several):
        return value.items
    if isinstance(value, Item) and value.kind in ITEM_KINDS:
        return item_ids(value).items
    raise ctx.refuse("K049", node, found=describe(value), expected="a tuple, id or range",
                     help="loop over range(...) and index instead"
                     if isinstance(value, Memory) else "")


def lower_augassign(ctx: Context, node: ast.AugAssign, tail: Tail) -> bool:
    op = BINARY.get(type(node.op), "matmul")
    if isinstance(node.target, ast.Name):
        old = ctx.value(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
        if isinstance(old, Reduction):
            combine_with(ctx, old, SYMBOL[op], node.value, node)
            return False
        if isinstance(old, Atomic):
            update(ctx, old, op, ctx.value(node.value), node)
            return False
        left, right = ctx.operands(
            ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target), node.value)
        ctx.assign(node.target.id, operate(ctx, op, left, right, node), node)
        return False
    if isinstance(node.target, ast.Subscript | ast.Attribute):
        place = place_of(ctx, node.target, read=True)
        before = len(ctx.block)
        old_value: Value = n.Load(place.type, place)
        right = ctx.value(node.value)
        if len(ctx.block) > before:
            held = n.Local("t", place.type)
            ctx.block.insert(before, n.Assign(held, n.Load(place.type, place)))
            old_value = n.Read(place.type, held)
        result = ctx.to_scalar(operate(ctx, op, old_value, right, node), node)
        ctx.emit(n.Store(place, coerce.convert(result, place.type), span=ctx.span(node)))
    return False


# ---- control flow
def lower_if(ctx: Context, node: ast.If, tail: Tail) -> bool:
    try:
        test = ctx.value(node.test)
        fixed = static_truth(test)
        cond = coerce.truth(ctx.to_scalar(test, node.test)) if fixed is None else n.true()
    except Refused:
        _look_into(ctx, [*node.body, *node.orelse])
        raise
    if fixed is not None:
        return lower_body(ctx, node.body if fixed else node.orelse, tail)
    with ctx.into() as then:
        left = lower_body(ctx, node.body, tail)
    with ctx.into() as orelse:
        right = lower_body(ctx, node.orelse, tail)
    if then or orelse:
        ctx.emit(n.If(cond, tuple(then), tuple(orelse), span=ctx.span(node)))
    return left and right


def lower_while(ctx: Context, node: ast.While, tail: Tail) -> bool:
    _no_else(ctx, node)
    fixed: bool | None = None
    try:
        with ctx.into() as pre:
            test = ctx.value(node.test)
            fixed = static_truth(test)
            cond = n.true() if fixed else coerce.truth(ctx.to_scalar(test, node.test)) \
                if fixed is None else None
    except Refused:
        _look_into(ctx, node.body)
        raise
    if cond is None:
        return False
    ctx.loops.append(None)
    with ctx.into() as body:
        lower_body(ctx, node.body, frozenset(("continue",)))
    ctx.loops.pop()
    ctx.emit(n.While(tuple(pre), cond, tuple(body), span=ctx.span(node)))
    return bool(fixed) and not leaves_loop(node.body)


def _look_into(ctx: Context, body: Sequence[ast.stmt]) -> None:
    """Find what else is wrong inside a statement whose head was refused."""
    ctx.loops.append(None)
    with ctx.into():
        lower_body(ctx, body)
    ctx.loops.pop()


def _no_else(ctx: Context, node: ast.While | ast.For) -> None:
    if node.orelse:
        raise ctx.refuse("K001", node.orelse[0], what="an else branch on a loop",
                         help="set a flag before 'break' and test it behind the loop")


def lower_for(ctx: Context, node: ast.For, tail: Tail) -> bool:
    _no_else(ctx, node)
    try:
        if isinstance(node.iter, ast.Call) and _is_range(ctx, node.iter):
            _range_loop(ctx, node, node.iter)
            return False
        items: Sequence[Value] | None = unrolled(ctx, node.iter)
        if items is None:
            items = unpacked(ctx, ctx.value(node.iter), node.iter)
    except Refused:
        for name in stored_names([ast.Assign([node.target], ast.Constant(0))]):
            ctx.frame.names.setdefault(name, Poison())
        _look_into(ctx, node.body)
        raise
    _unrolled_loop(ctx, node, items)
    return False


def _is_range(ctx: Context, node: ast.Call) -> bool:
    callee = ctx.value(node.func)
    return isinstance(callee, Constant) and callee.object is range


def _range_loop(ctx: Context, node: ast.For, call: ast.Call) -> None:
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
    direct = ctx.types.get(key, WEAK_INT) == WEAK_INT and name not in stored_names(node.body) \
        and not isinstance(ctx.frame.names.get(name), n.Local)
    ctx.loops.append(None)
    with ctx.into() as body:
        if direct:
            ctx.types[key] = WEAK_INT
            ctx.frame.names[name] = counter
        else:
            ctx.assign(name, n.Read(WEAK_INT, counter), node.target)
        lower_body(ctx, node.body, frozenset(("continue",)))
    ctx.loops.pop()
    ctx.emit(n.For(counter, start, stop, step, tuple(body), span=ctx.span(node)))


def _bound(ctx: Context, value: Value, node: ast.expr) -> n.Expr:
    x = ctx.to_scalar(value, node)
    if x.type.dtype.is_float:
        raise ctx.refuse("K049", node, found=x.type, expected="an integer", help="use int(...)")
    return coerce.cast(x, WEAK_INT)


def _unrolled_loop(ctx: Context, node: ast.For, items: Sequence[Value]) -> None:
    """Repeat the body once per value; break and continue become jumps out of scopes."""
    outer = ctx.number()
    stored = stored_names(node.body)
    kept: dict[str, Value | n.Local] = {}
    with ctx.into() as whole:
        for k, item in enumerate(items):
            inner = ctx.number()
            ctx.loops.append(Unrolled(outer, inner))
            ctx.unrolled.append(k)
            with ctx.into() as body:
                _bind_item(ctx, node.target, item, stored, kept)
                lower_body(ctx, node.body, frozenset(("continue",)))
            ctx.unrolled.pop()
            ctx.loops.pop()
            ctx.block.extend(_scoped(inner, body))
    ctx.block.extend(_scoped(outer, whole))
    if leaves_loop(node.body):  # the names have the values of the turn that was left
        for name in set(stored_names([ast.Assign([node.target], ast.Constant(0))])) - stored:
            ctx.frame.names.pop(name, None)
        ctx.frame.names.update(kept)


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
        assign_target(ctx, target, item)
        return
    if isinstance(item, n.Expr):
        old = kept.get(name)
        kept[name] = ctx.assign_scalar((ctx.frame.key, name, "kept"), name,
                                       old if isinstance(old, n.Local) else None, item, target)
    ctx.frame.names[name] = item


def leaves_loop(body: Sequence[ast.stmt]) -> bool:
    """Say whether a ``break`` leaves the loop of this body."""
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Break):
            return True
        if not isinstance(node, ast.For | ast.While | ast.FunctionDef | ast.Lambda):
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
        ctx.emit(n.Continue(span=ctx.span(node)) if loop is None
                 else n.Leave(loop.inner, span=ctx.span(node)))
    return True


def lower_return(ctx: Context, node: ast.Return, tail: Tail) -> bool:
    frame = ctx.frame
    if node.value is not None and not (isinstance(node.value, ast.Constant)
                                       and node.value.value is None):
        if len(ctx.frames) == 1:
            value = ctx.value(node.value)
            if not isinstance(value, Nothing):
                raise ctx.refuse("K042", node)
        else:
            give_back(ctx, frame, ctx.value(node.value), node)
    else:
        frame.falls = True
    if "return" not in tail:
        frame.needs_scope = True
        ctx.emit(n.Leave(frame.scope, span=ctx.span(node)))
    return True


def give_back(ctx: Context, frame: Frame, value: Value, node: ast.AST) -> None:
    """Make a value the result of the function being inlined."""
    if isinstance(value, Nothing):
        frame.falls = True
        return
    frame.result = ctx.bind((frame.key, "return"), f"result of {frame.source.name}", frame.result,
                            value, node)


def lower_expr_stmt(ctx: Context, node: ast.Expr, tail: Tail) -> bool:
    if not isinstance(node.value, ast.Constant):
        ctx.value(node.value)
    return False


def lower_assert(ctx: Context, node: ast.Assert, tail: Tail) -> bool:
    with ctx.into():
        ctx.value(node.test)
    return False


def lower_pass(ctx: Context, node: ast.Pass, tail: Tail) -> bool:
    return False


def lower_functiondef(ctx: Context, node: ast.FunctionDef, tail: Tail) -> bool:
    value: Value = Closure(node, ctx.frame)
    for decorator in reversed(node.decorator_list):
        callee = ctx.value(decorator)
        if not isinstance(callee, Method | Constant):
            raise ctx.refuse("K033", decorator, what=describe(callee), help="")
        value = call_value(ctx, callee, [value], decorator)
    if not isinstance(value, Nothing):
        ctx.frame.names[node.name] = value
    return False


LOWER: dict[type[ast.AST], Callable[[Context, Any, Tail], bool]] = {
    ast.Assign: lower_assign, ast.AnnAssign: lower_annassign, ast.AugAssign: lower_augassign,
    ast.If: lower_if, ast.While: lower_while, ast.For: lower_for, ast.Break: lower_break,
    ast.Continue: lower_continue, ast.Return: lower_return, ast.Expr: lower_expr_stmt,
    ast.Assert: lower_assert, ast.Pass: lower_pass, ast.FunctionDef: lower_functiondef,
}

__all__ = ["LOWER", "lower_body"]
