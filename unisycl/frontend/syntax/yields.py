"""Loops over generator functions: the body of the loop stands where the generator yields.

The generator is compiled in place, as any function is; each ``yield`` in it runs the body in the
function around the loop; ``break`` leaves the generator, too. Non-goals: generators as values, what
is sent to them. Invariants: what the generator and the body change, both see, in Python's order; a
generator that is called where nothing goes over it is refused.
"""

from __future__ import annotations

import ast
import functools
import inspect
from types import FunctionType, MethodType

from unisycl.base.dataclass import dataclass
from unisycl.frontend import captures
from unisycl.frontend.context import Context, Loop, position
from unisycl.frontend.syntax.assign import assign_target
from unisycl.frontend.syntax.flow import Label, site
from unisycl.frontend.syntax.given import Given, given
from unisycl.frontend.syntax.loops import look_into, scoped
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.functions import Closure
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.kind import Frame, Refused, Value
from unisycl.frontend.values.methods import Method


@dataclass(eq=False, slots=True)
class Yielding:
    """A loop over a generator: where its body stands, and where ``break`` leads."""

    node: ast.For
    frame: Frame
    loops: list[Loop | None]
    exit: Label
    outer: int
    call: tuple[int, int, int, int]
    ended: bool = False


def call_of(ctx: Context, node: ast.expr) -> ast.Call | None:
    """Return the call of a generator function that an expression is, or iterates by."""
    if isinstance(node, ast.Call) and not isinstance(node.func, ast.Lambda):
        callee = ctx.value(node.func)
        made = ast.copy_location(ast.Call(given(callee, node.func), node.args, node.keywords),
                                 node)
        if is_generator(callee):
            return made
        cls = callee.object if isinstance(callee, Constant) else None
        if isinstance(cls, type) and _iterates(cls):
            return _iteration(ctx.hold_value(ctx.value(made)), node)
    if isinstance(node, ast.Name | ast.Attribute | Given):
        with ctx.into():
            value = ctx.value(node)
        found = value.cls if isinstance(value, Instance) else \
            type(value.object) if isinstance(value, Constant) else None
        if found is not None and _iterates(found):
            return _iteration(value, node)
    return None


def _iterates(cls: type) -> bool:
    function = inspect.getattr_static(cls, "__iter__", None)
    return isinstance(function, FunctionType) and inspect.isgeneratorfunction(function)


def _iteration(value: Value, node: ast.expr) -> ast.Call:
    method = ast.copy_location(ast.Attribute(given(value, node), "__iter__", ast.Load()), node)
    return ast.copy_location(ast.Call(method, [], []), node)


def is_generator(callee: Value) -> bool:
    """Say whether a call of something gives a generator."""
    if isinstance(callee, Closure):
        return _yields(callee.node)
    function: object = None
    if isinstance(callee, Constant):
        function = captures.unwrap(callee.object)
    elif isinstance(callee, Method) and isinstance(callee.owner, Instance):
        function = inspect.getattr_static(callee.owner.cls, callee.name, None)
    if isinstance(function, MethodType):
        function = function.__func__
    return isinstance(function, FunctionType) and inspect.isgeneratorfunction(function)


@functools.lru_cache(maxsize=1024)
def _yields(function: ast.FunctionDef | ast.Lambda) -> bool:
    todo: list[ast.AST] = list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, ast.FunctionDef | ast.Lambda):
            todo.extend(ast.iter_child_nodes(node))
    return False


def lower_generator_loop(ctx: Context, node: ast.For, outer: int | None, end: Label,
                         exit: Label | None = None, *, call: ast.Call) -> bool:
    """Lower a loop over what a generator function yields; True if nothing comes out of its end."""
    exit = exit or end
    exit.depth = end.depth = len(ctx.frames)
    number = ctx.number() if outer is None else outer
    loop = Yielding(node, ctx.frame, list(ctx.loops), exit, number, position(call))
    depth = len(ctx.yielding)
    ctx.yielding.append(loop)
    with ctx.into() as whole:
        try:
            ctx.value(call)
        except Refused:
            look_into(ctx, node.body)
            raise
        finally:
            del ctx.yielding[depth:]
        if not loop.ended:
            end.jump(ctx, node)
    ctx.block.extend(scoped(number, whole) if outer is None else whole)
    return loop.ended and not (exit is end and exit.states)


def lower_yield(ctx: Context, node: ast.Yield) -> bool:
    """Run the body of the loop that goes over this generator; True if it never comes back."""
    frame = ctx.frame
    loop = frame.yielding
    if loop is None:
        raise ctx.refuse("K012", node, what="yield")
    value = ctx.hold_value(Constant(None) if node.value is None else ctx.value(node.value))
    inner = ctx.number()
    loops, ctx.loops = ctx.loops, list(loop.loops)
    ctx.unrolled.append((frame.key, position(node)))
    ctx.frames.append(loop.frame)
    try:
        again = Label(site(ctx, loop.node, "turn"))
        ctx.loops.append(Loop(loop.exit, again, loop.outer, inner))
        with ctx.into() as body:
            assign_target(ctx, loop.node.target, value, loop.node.target)
            if not ctx.lower_body(ctx, loop.node.body, frozenset(("continue",))):
                again.jump(ctx, loop.node)
        ctx.block.extend(scoped(inner, body))
        again.land(ctx)
    finally:
        ctx.frames.pop()
        ctx.unrolled.pop()
        ctx.loops = loops
    return not again.states


def lower_yield_from(ctx: Context, node: ast.YieldFrom) -> bool:
    """Lower ``yield from``: a loop that yields."""
    name = f"yielded at {node.lineno}:{node.col_offset}"
    element = ast.Expr(ast.Yield(ast.Name(name, ast.Load())))
    loop = ast.For(ast.Name(name, ast.Store()), node.value, [element], [])
    for part in ast.walk(loop):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, node)
    return ctx.lower_body(ctx, [loop])


def lower_yielded(ctx: Context, node: ast.Yield) -> Value:
    """Lower a ``yield`` whose value is used, which is None in a loop."""
    lower_yield(ctx, node)
    return Constant(None)


def taken(ctx: Context, function: ast.FunctionDef | ast.Lambda,
          node: ast.AST) -> Yielding | None:
    """Return the loop that goes over a function about to be run; refuse one that nothing does."""
    if not _yields(function):
        return None
    if not ctx.yielding or ctx.yielding[-1].call != position(node):
        raise ctx.refuse("K052", node, what="a generator", where="here", help="go over it by a "
                         "loop where it is called, for x in g(n), or by sum(), min(), any() ...")
    loop: Yielding = ctx.yielding.pop()
    return loop


__all__ = ["call_of", "lower_generator_loop", "lower_yield", "lower_yield_from", "lower_yielded",
           "taken"]
