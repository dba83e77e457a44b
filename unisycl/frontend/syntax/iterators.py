"""Iterators that a loop goes over: generator expressions, ``map``, ``itertools.takewhile``, ...

Each is the generator function that Python's documentation gives for it. Non-goals: what goes over
them (``yields``), those of what is known while compiling, which are tuples (``forms.iterations``).
Invariant: the names of such a function are none of the user's.
"""

from __future__ import annotations

import ast
import functools
import itertools

from unisycl.frontend.context import Context
from unisycl.frontend.syntax import counted_loops, yields
from unisycl.frontend.syntax.generators import mapped, renamed
from unisycl.frontend.syntax.given import Given, given, placed
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.functions import Closure

_NAME = "<iterator>"
_EACH = "for e in X:\n"
_SLICE = f"k = 0\nif k >= STOP: return\n{_EACH} if k >= START: yield e\n k = k + 1\n"
_LATE = f"d = True\n{_EACH} if d and P(e): continue\n d = False\n yield e"
_TEXTS: dict[object, tuple[tuple[str, ...], str]] = {
    itertools.takewhile: (("P", "X"), f"{_EACH} if not P(e): return\n yield e"),
    itertools.dropwhile: (("P", "X"), _LATE),
    itertools.filterfalse: (("P", "X"), f"{_EACH} if P(e): continue\n yield e"),
    itertools.starmap: (("P", "X"), f"{_EACH} yield P(*e)"),
    enumerate: (("X", "START"), f"k = START\n{_EACH} yield (k, e)\n k = k + 1"),
    itertools.islice: (("X", "START", "STOP"), _SLICE + " if k >= STOP: return"),
}
"""Of each the parameters and the text; X is what it goes over, P is called."""

_ALWAYS = (map, filter, itertools.takewhile, itertools.dropwhile, itertools.filterfalse)
_IF_MOVING = (enumerate, itertools.chain, itertools.islice, itertools.starmap)
"""Those that are tuples, or other loops, unless only a run tells how many elements there are."""


def iterated(ctx: Context, node: ast.expr) -> ast.Call | None:
    """Return the call of a generator function that a loop over an expression goes over."""
    if isinstance(node, ast.GeneratorExp):
        return _call(ctx, _of_expression(node), node)
    known = _known(ctx, node)
    if known is None or not isinstance(node, ast.Call):
        return yields.call_of(ctx, node)
    if known in (map, filter):
        return _call(ctx, _of_expression(mapped(ctx, known, node)), node)
    if known in _ALWAYS or any(moves(ctx, arg) for arg in node.args):
        return _of_call(ctx, known, node)
    return None


def goes_over(ctx: Context, node: ast.expr) -> bool:
    """Say whether an expression is an iterator of these, or of a generator function."""
    known = _known(ctx, node)
    if known in (map, filter, enumerate) or isinstance(node, ast.GeneratorExp):
        return False  # the functions that take one ask for these themselves
    return moves(ctx, node)


def moves(ctx: Context, node: ast.expr) -> bool:
    """Say whether a loop over an expression is one of which only a run knows the turns."""
    if isinstance(node, ast.GeneratorExp) or counted_loops.counted(ctx, node):
        return True
    known = _known(ctx, node)
    if known is None or not isinstance(node, ast.Call):
        with ctx.into():
            return yields.call_of(ctx, node) is not None
    return known in _ALWAYS or any(moves(ctx, arg) for arg in node.args)


def _known(ctx: Context, node: ast.expr) -> object:
    """Return which of these functions a call is of."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute) \
            or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    callee = ctx.value(node.func)
    found = callee.object if isinstance(callee, Constant) else None
    return next((f for f in (*_ALWAYS, *_IF_MOVING) if f is found), None)


def _call(ctx: Context, function: ast.FunctionDef, at: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(given(Closure(function, ctx.frame), at), [], []), at)


@functools.lru_cache(maxsize=1024)
def _of_expression(node: ast.GeneratorExp) -> ast.FunctionDef:
    """Return the function whose generator an expression is."""
    over = renamed(node)
    body: list[ast.stmt] = [ast.Expr(ast.Yield(over.elt))]
    for part in reversed(over.generators):
        for test in reversed(part.ifs):
            body = [ast.copy_location(ast.If(test, body, []), test)]
        body = [ast.copy_location(ast.For(part.target, part.iter, body, []), part.iter)]
    return _function(body, node)


def _of_call(ctx: Context, known: object, node: ast.Call) -> ast.Call | None:
    """Return the call of the function that a call means; None if its arguments are others."""
    if known is itertools.chain:
        parts = [s for arg in node.args for s in _filled(f"{_EACH} yield e", {"X": arg}, arg)]
        return None if node.keywords else _call(ctx, _function(parts, node), node)
    parameters, text = _TEXTS[known]
    args = dict(zip(parameters, node.args, strict=False))
    args |= {str(k.arg).upper(): k.value for k in node.keywords}  # of enumerate: start
    zero = ast.copy_location(ast.Constant(0), node)
    if known is enumerate:
        args.setdefault("START", zero)
    if known is itertools.islice and len(args) == 2:
        args = {"X": node.args[0], "START": zero, "STOP": node.args[1]}
    if args.keys() != set(parameters):
        return None
    put: dict[str, ast.expr] = {k: given(ctx.hold_value(ctx.value(v)), v)
                                for k, v in args.items() if k != "X"} | {"X": args["X"]}
    chosen = put.get("P")
    if isinstance(chosen, Given) and isinstance(chosen.value, Constant) \
            and chosen.value.object is None:
        put["P"] = given(Constant(bool), node)
    return _call(ctx, _function(_filled(text, put, node), node), node)


def _filled(text: str, put: dict[str, ast.expr], at: ast.AST) -> list[ast.stmt]:
    """Return a text's statements with what its names stand for, and with names of its own."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            ast.copy_location(node, at)
    return [_Names(put).visit(stmt) for stmt in tree.body]


class _Names(ast.NodeTransformer):
    """Puts in what names stand for; the others are no identifiers any more."""

    def __init__(self, put: dict[str, ast.expr]) -> None:
        self.put = put

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.put.get(node.id) or ast.copy_location(
            ast.Name(f"{node.id} of {_NAME}", node.ctx), node)


def _function(body: list[ast.stmt], at: ast.expr) -> ast.FunctionDef:
    arguments = ast.arguments([], [], None, [], [], None, [])
    return placed(ast.FunctionDef(_NAME, arguments, body, []), at)


__all__ = ["iterated", "moves"]
