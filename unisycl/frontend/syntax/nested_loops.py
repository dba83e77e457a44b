"""Loops over ``itertools.product``, ``combinations`` and ``count``: loops inside one another.

How many turns they take only a run may tell. Non-goals: these as values (``forms.iterations``).
Invariants: what is gone over is evaluated once, before the first turn; ``break`` leaves all of the
loops.
"""

from __future__ import annotations

import ast
import copy
import functools
import itertools
from collections.abc import Sequence

from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.syntax import counted_loops
from unisycl.frontend.syntax.generators import items_of
from unisycl.frontend.syntax.given import given, placed
from unisycl.frontend.syntax.loops import leaves_loop, range_bounds, whole_bound
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Value
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n

_LEAST, _LARGEST = -(1 << 63), (1 << 63) - 1


def rewritten(ctx: Context, node: ast.For) -> list[ast.stmt] | None:
    """Return the statements that such a loop means; None for any other loop."""
    call = node.iter
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name | ast.Attribute) \
            or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    callee = ctx.value(call.func)
    found = callee.object if isinstance(callee, Constant) else None
    if found is itertools.product and call.args:
        return _product(ctx, node, call)
    if found is itertools.combinations and len(call.args) == 2 and not call.keywords \
            and counted_loops.is_range(ctx, call.args[0]):
        return _combinations(ctx, node, call)
    if found is itertools.count and len(call.args) + len(call.keywords) <= 2:
        return _count(ctx, node, call)
    return None


def _product(ctx: Context, node: ast.For, call: ast.Call) -> list[ast.stmt] | None:
    times = 1
    for keyword in call.keywords:
        known = ctx.constant(ctx.value(keyword.value)) if keyword.arg == "repeat" else None
        if known is None or not known.type.dtype.is_integer:
            return None  # the form says what is wrong
        times = int(known.value)
    if times < 1:
        return None
    pools = [_pool(ctx, arg) for arg in call.args] * times
    names = [_name(call, k) for k in range(len(pools))]
    return _nest(node, list(zip(names, pools, strict=True)),
                 ast.Tuple([ast.Name(x, ast.Load()) for x in names], ast.Load()))


def _combinations(ctx: Context, node: ast.For, call: ast.Call) -> list[ast.stmt] | None:
    many = ctx.constant(ctx.value(call.args[1]))
    if many is None or not many.type.dtype.is_integer or many.value < 1:
        return None
    pool = call.args[0]
    assert isinstance(pool, ast.Call)
    start, stop, step = (given(ctx.hold(x), call) for x in range_bounds(ctx, pool))
    names = [_name(call, k) for k in range(int(many.value))]
    first: ast.expr = start
    loops = []
    for name in names:
        loops.append((name, _range(call, first, stop, step)))
        first = ast.BinOp(ast.Name(name, ast.Load()), ast.Add(), step)
    return _nest(node, loops, ast.Tuple([ast.Name(x, ast.Load()) for x in names], ast.Load()))


def _count(ctx: Context, node: ast.For, call: ast.Call) -> list[ast.stmt] | None:
    passed = dict(zip(("start", "step"), call.args, strict=False))
    passed |= {str(k.arg): k.value for k in call.keywords}
    if passed.keys() - {"start", "step"}:
        return None
    start: n.Expr = coerce.weak_scalar(0)
    if "start" in passed:
        start = ctx.hold(whole_bound(ctx, ctx.value(passed["start"]), passed["start"]))
    step = ctx.constant(ctx.value(passed["step"])) if "step" in passed else coerce.weak_scalar(1)
    if not isinstance(step, n.Const) or not step.type.dtype.is_integer or not step.value:
        raise ctx.refuse("K046", call, what="the step of count()", help="write a while loop")
    end = coerce.weak_scalar(_LARGEST if step.value > 0 else _LEAST)
    over = _range(call, *(given(x, call) for x in (start, end, step)))
    return _nest(node, [(_name(call, 0), over)], ast.Name(_name(call, 0), ast.Load()))


def _pool(ctx: Context, arg: ast.expr) -> ast.expr:
    """Return what one of the loops goes over, evaluated."""
    if counted_loops.is_range(ctx, arg) and isinstance(arg, ast.Call):
        return _range(arg, *(given(ctx.hold(x), arg) for x in range_bounds(ctx, arg)))
    items: Sequence[Value] = items_of(ctx, ctx.value(arg), arg)
    return given(Several(tuple(map(ctx.hold_value, items))), arg)


def _range(at: ast.AST, *bounds: ast.expr) -> ast.Call:
    return ast.Call(given(Constant(range), at), list(bounds), [])


def _name(call: ast.Call, k: int) -> str:
    return f"loop {k} at {call.lineno}:{call.col_offset}"


def _nest(node: ast.For, loops: Sequence[tuple[str, ast.expr]],
          element: ast.expr) -> list[ast.stmt]:
    """Return loops inside one another, with the user's body in the last."""
    leaves = len(loops) > 1 and leaves_loop(node.body)
    flag = f"left at {node.lineno}:{node.col_offset}"
    body: list[ast.stmt] = [ast.Assign([node.target], element),
                            *(_leaving(node, flag).body if leaves else node.body)]
    for k, (name, over) in enumerate(reversed(loops)):
        out: list[ast.stmt] = [ast.If(ast.Name(flag, ast.Load()), [ast.Break()], [])] \
            if leaves and k else []
        last = k == len(loops) - 1 and not leaves
        body = [ast.For(ast.Name(name, ast.Store()), over, [*body, *out],
                        node.orelse if last else [])]
    if leaves:
        body.insert(0, ast.Assign([ast.Name(flag, ast.Store())], ast.Constant(False)))
        if node.orelse:
            body.append(ast.If(ast.UnaryOp(ast.Not(), ast.Name(flag, ast.Load())), node.orelse,
                               []))
    return [placed(made, node.iter) for made in body]


@functools.lru_cache(maxsize=1024)
def _leaving(node: ast.For, flag: str) -> ast.For:
    """Return a loop that says in a flag that it was left."""
    made = copy.deepcopy(node)
    made.body = [x for stmt in made.body for x in _Leaver(flag).of(stmt)]
    return made


class _Leaver(ast.NodeTransformer):
    """Sets a flag before each ``break`` of one loop."""

    def __init__(self, flag: str) -> None:
        self.flag = flag

    def of(self, stmt: ast.stmt) -> list[ast.stmt]:
        found = self.visit(stmt)
        return found if isinstance(found, list) else [found]

    def visit_Break(self, node: ast.Break) -> list[ast.stmt]:
        noted = ast.Assign([ast.Name(self.flag, ast.Store())], ast.Constant(True))
        return [placed(ast.copy_location(noted, node), node), node]

    def visit_For(self, node: ast.For) -> ast.For:
        node.orelse = [x for stmt in node.orelse for x in self.of(stmt)]
        return node

    def visit_While(self, node: ast.While) -> ast.While:
        node.orelse = [x for stmt in node.orelse for x in self.of(stmt)]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node


__all__ = ["rewritten"]
