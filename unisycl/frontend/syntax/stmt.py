"""Lowering of statements: one function per AST class, and the shape of control flow.

A guard that leaves (``if c: return`` / ``continue``) takes the rest of its block as its else
branch, so most kernels need no jumps at all. Non-goals: expressions. Invariant: each function
returns True if control cannot go on behind the statement.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unisycl.frontend import captures, coerce
from unisycl.frontend.context import NOWHERE, Context, Tail
from unisycl.frontend.forms import output
from unisycl.frontend.syntax import (
    counted_loops,
    flow,
    iterators,
    loops,
    nested_loops,
    places,
    yields,
)
from unisycl.frontend.syntax.assign import assign_target
from unisycl.frontend.syntax.call import call_value
from unisycl.frontend.syntax.compare import decided, static_truth, tested
from unisycl.frontend.syntax.expr import BINARY, SYMBOL, lower_lambda, operate, update
from unisycl.frontend.syntax.flow import (
    Condition,
    Definition,
    Edge,
    Label,
    condition,
    site,
    state,
    two_kinds,
)
from unisycl.frontend.syntax.generators import lower_comprehension
from unisycl.frontend.syntax.given import Do
from unisycl.frontend.syntax.loops import look_into
from unisycl.frontend.syntax.match import lower_match
from unisycl.frontend.syntax.names import stored_names
from unisycl.frontend.syntax.narrowing import Narrowed, narrow, widen
from unisycl.frontend.syntax.subset import refusal
from unisycl.frontend.values.absent import Nothing, Poison
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.functions import Closure
from unisycl.frontend.values.joins import form_of, is_none
from unisycl.frontend.values.kind import Frame, Met, Refused, Value, describe
from unisycl.frontend.values.lists import is_memory_now
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.optionals import OptionalForm
from unisycl.frontend.values.reducers import Reduction, combine_with, element
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, PointerType, Scalar


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
            if isinstance(ctx.frame.names.get(name), n.Local):  # of an earlier round of a loop
                ctx.frame.names[name] = Poison()
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
    if isinstance(node.value, ast.GeneratorExp) and len(node.targets) == 1 \
            and isinstance(node.targets[0], ast.Tuple | ast.List):
        value: Value = lower_comprehension(ctx, node.value)  # all of it is taken here
    else:
        value = ctx.value(node.value)
    if len(node.targets) > 1 and isinstance(value, n.Expr):
        value = ctx.hold(value)
    for target in node.targets:
        assign_target(ctx, target, value, node.value)
    return False


def lower_annassign(ctx: Context, node: ast.AnnAssign, tail: Tail) -> bool:
    if node.value is not None:
        assign_target(ctx, node.target, ctx.value(node.value), node.value)
    return False


def lower_augassign(ctx: Context, node: ast.AugAssign, tail: Tail) -> bool:
    op = BINARY.get(type(node.op), "matmul")
    if isinstance(node.target, ast.Name):
        old = ctx.value(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
        if ctx.of(old).augment(ctx, op, SYMBOL[op], node.value, node):
            return False
        if isinstance(old, Memory) and old.reference:
            places.update_whole(ctx, old, node.target, node.value,
                                lambda old, right: operate(ctx, op, old, right, node))
            return False
        left, right = ctx.operands(
            ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target), node.value)
        if "lists" in ctx.facts and isinstance(left, Several) and left.kind == "tuple":
            raise ctx.refuse("K054", node, what="a list cannot change in a kernel",
                             help=f"bind the name anew: x = x {SYMBOL[op]} ...")
        made = update(ctx, op, left, right, node)
        if made is not None:
            ctx.assign(node.target.id, made, node)
        return False
    if isinstance(node.target, ast.Subscript | ast.Attribute):
        if isinstance(node.target, ast.Subscript) and isinstance(node.target.value, ast.Name):
            owner = ctx.value(node.target.value)
            if isinstance(owner, Reduction):
                combine_with(ctx, element(ctx, owner, node.target), SYMBOL[op], node.value, node)
                return False
        places.update(ctx, node.target, node.value,
                      lambda old, right: update(ctx, op, old, right, node))
    return False


def lower_global(ctx: Context, node: ast.Global, tail: Tail) -> bool:
    """Allow ``global x`` for variables that live on devices, so that ``x += 1`` is theirs."""
    for name in node.names:
        if not captures.names_reference(ctx.frame.function, name):
            raise ctx.refuse("K015", node, what="global", name=name)
    return False


def lower_nonlocal(ctx: Context, node: ast.Nonlocal, tail: Tail) -> bool:
    """Allow ``nonlocal x`` for variables of functions that are being run around this one."""
    for name in node.names:
        home = flow.owner(ctx.frame, name)
        if home is ctx.frame or home not in ctx.frames:
            raise ctx.refuse("K015", node, what="nonlocal", name=name)
    return False


# ---- control flow
def lower_if(ctx: Context, node: ast.If, tail: Tail) -> bool:
    try:
        test = ctx.value(tested(node.test))
        fixed = decided(ctx, test)
        cond = ctx.truth(test, node.test) if fixed is None else n.true()
    except Refused:
        look_into(ctx, [*node.body, *node.orelse])
        raise
    if fixed is not None:
        return lower_body(ctx, node.body if fixed else node.orelse, tail)
    part = condition(ctx, node.test)
    before, label = state(ctx), Label(site(ctx, node, "if"))
    narrowed: list[Narrowed] = []
    then, left = _way(ctx, (part, True), label, node, tail, narrowed)
    before.restore(ctx)
    orelse, right = _way(ctx, (part, False), label, node, tail, narrowed)
    widen(label, narrowed)
    if then or orelse:
        ctx.emit(n.If(cond, tuple(then), tuple(orelse), span=ctx.span(node)))
    label.land(ctx)
    return left and right


def _way(ctx: Context, taken: Condition, label: Label, node: ast.If, tail: Tail,
         narrowed: list[Narrowed]) -> tuple[list[n.Stmt], bool]:
    """Lower one branch, and let it meet the other one unless it leaves."""
    ctx.path = (*ctx.path, taken)
    narrowed += narrow(ctx, node.test, truth=taken[1])
    with ctx.branch() as block:
        left = lower_body(ctx, node.body if taken[1] else node.orelse, tail)
        if not left:
            label.jump(ctx, node)
    return block, left


def lower_return(ctx: Context, node: ast.Return, tail: Tail) -> bool:
    frame = ctx.frame
    value = Nothing() if node.value is None or frame.in_place else ctx.value(node.value)
    if is_none(value) and not isinstance(
            ctx.types.get((frame.key, "return")), PointerType | OptionalForm):
        value = Nothing()
    if isinstance(value, Nothing):
        frame.falls = True
    elif frame is ctx.frames[0]:
        raise ctx.refuse("K042", node)
    else:
        give_back(ctx, frame, value, node)
    brings = frame.end is not None and frame.end.takes(ctx)  # the end of the body brings others
    if frame.end is not None:
        frame.end.jump(ctx, node)
    if brings or "return" not in tail:
        frame.needs_scope = True
        ctx.emit(n.Leave(frame.scope, span=ctx.span(node)))
    return True


def start_result(ctx: Context, frame: Frame) -> None:
    """Let a function that may return None do so unless it gets to a return of something else."""
    key = (frame.key, "return")
    if isinstance(ctx.types.get(key), OptionalForm):
        frame.result = ctx.adopt(key, _result_name(frame), ctx.types[key], Constant(None),
                                 frame.source.node)


def give_back(ctx: Context, frame: Frame, value: Value, node: ast.AST) -> None:
    """Make a value the result of the function being inlined: all that it returns meet there."""
    # Its own variables end here: what they held is the caller's.
    value = ctx.of(value).without_homes(
        lambda home: home[0] == frame.key and home not in ctx.shared)
    alike = bool(frame.returned) and isinstance(form_of(value), Scalar) and (
        form_of(frame.returned[-1][0].value) == form_of(value))
    frame.returned.append((Met(value, dict(ctx.known)), Definition(ctx.span(node))))
    if not alike and ctx.meet([met for met, _ in frame.returned]) is None:
        raise two_kinds(ctx, _result_name(frame), [met for met, _ in frame.returned],
                        _returned(frame), node)
    key = (frame.key, "return")
    if is_memory_now(ctx.types.get(key), value):  # the next round asks anew
        ctx.types.pop(key)
        ctx.changed = True
    frame.result = ctx.adopt(key, _result_name(frame), ctx.types.get(key) or form_of(value), value,
                             node)


def settle_returns(ctx: Context, frame: Frame) -> None:
    """Ask the next round for one variable if a function returns values of several forms."""
    values = [met for met, _ in frame.returned]
    if values and frame.falls and isinstance(
            ctx.meet([*values, Met(Constant(None), {})]), OptionalForm):
        values.append(Met(Constant(None), {}))
    if values and ctx.meet(values) is not None:  # else it was refused where it was returned
        flow.settle(ctx, (frame.key, "return"), _result_name(frame), values, _returned(frame),
                    frame.source.node)


def _result_name(frame: Frame) -> str:
    return f"result of {frame.source.name}"


def _returned(frame: Frame) -> Definition:
    return Definition(edges=[Edge(d) for _, d in frame.returned])


def lower_expr_stmt(ctx: Context, node: ast.Expr, tail: Tail) -> bool:
    if isinstance(node.value, ast.Yield):
        return yields.lower_yield(ctx, node.value)
    if isinstance(node.value, ast.YieldFrom):
        return yields.lower_yield_from(ctx, node.value)
    if not isinstance(node.value, ast.Constant):
        ctx.value(node.value)
    return False


def lower_assert(ctx: Context, node: ast.Assert, tail: Tail) -> bool:
    if "assert" not in ctx.shape.checks:
        with ctx.into():
            ctx.value(tested(node.test))
        narrow(ctx, node.test, truth=True)
        return False
    test = ctx.value(tested(node.test))
    if static_truth(test) is not True:
        cond = ctx.truth(test, node.test)
        with ctx.into() as said:
            pieces = output.assertion(ctx, node)
        if said:  # what the message calls runs only if it is needed
            said.append(n.Check(n.Const(BOOL, False), pieces, span=ctx.span(node)))
            ctx.emit(n.If(n.Unary(BOOL, "not", cond), tuple(said), span=ctx.span(node)))
        else:
            ctx.emit(n.Check(cond, pieces, span=ctx.span(node)))
        narrow(ctx, node.test, truth=True)
    return False


def lower_pass(ctx: Context, node: ast.Pass, tail: Tail) -> bool:
    return False


def lower_for(ctx: Context, node: ast.For, tail: Tail) -> bool:
    try:
        rows = counted_loops.rewritten(ctx, node) or nested_loops.rewritten(ctx, node)
        call = None if rows else iterators.iterated(ctx, node.iter)
    except Refused:
        loops.give_up(ctx, node)
        raise
    if call is not None:
        return loops.lower_loop(ctx, node, tail, functools.partial(
            yields.lower_generator_loop, call=call))
    return loops.lower_loop(ctx, node, tail) if rows is None else lower_body(ctx, rows, tail)


def lower_try(ctx: Context, node: ast.Try, tail: Tail) -> bool:
    """Lower ``try`` and ``finally`` without a way out in between: kernels raise nothing."""
    leaves = any(isinstance(x, ast.Return | ast.Break | ast.Continue) for s in node.body
                 for x in ast.walk(s))
    if node.handlers or node.orelse or leaves:
        id, facts = refusal(node)
        raise ctx.refuse(id, node, **facts)
    return lower_body(ctx, [*node.body, *node.finalbody], tail)


def lower_with(ctx: Context, node: ast.With, tail: Tail) -> bool:
    """Lower ``with np.errstate(...)``, which changes nothing in kernels."""
    for item in node.items:
        call = item.context_expr
        callee = ctx.value(call.func) if isinstance(call, ast.Call) else None
        if not isinstance(callee, Constant) or callee.object is not np.errstate \
                or item.optional_vars is not None:
            id, facts = refusal(node)
            raise ctx.refuse(id, node, **facts)
    return lower_body(ctx, node.body, tail)


def lower_do(ctx: Context, node: Do, tail: Tail) -> bool:
    node.do(ctx)
    return False


def lower_functiondef(ctx: Context, node: ast.FunctionDef, tail: Tail) -> bool:
    value = lower_lambda(ctx, node)
    for decorator in reversed(node.decorator_list):
        callee = ctx.value(decorator)
        if not isinstance(callee, Method | Constant | Closure):
            raise ctx.refuse("K033", decorator, what=describe(callee), help="")
        value = call_value(ctx, callee, [value], decorator)
    if not isinstance(value, Nothing):
        ctx.define(ctx.frame, node.name, value, node)
    return False


LOWER: dict[type[ast.AST], Callable[[Context, Any, Tail], bool]] = {
    ast.Assign: lower_assign, ast.AnnAssign: lower_annassign, ast.AugAssign: lower_augassign,
    ast.If: lower_if, ast.Return: lower_return, ast.Expr: lower_expr_stmt,
    ast.Assert: lower_assert, ast.Global: lower_global,
    ast.Nonlocal: lower_nonlocal, ast.Pass: lower_pass,
    ast.FunctionDef: lower_functiondef, Do: lower_do, ast.Match: lower_match,
    **loops.LOWER, ast.For: lower_for, ast.Try: lower_try, ast.With: lower_with,
}

__all__ = ["LOWER", "lower_body"]
