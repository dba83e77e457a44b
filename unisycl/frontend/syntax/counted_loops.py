"""Loops over memory, and over ``enumerate``, ``zip`` and ``reversed`` of memory and ranges.

How long these are only a run tells: they are loops over turns, whose number is computed first.
Non-goals: plain ranges (``loops``), and what is known while compiling, which is repeated.
Invariants: what is gone over is evaluated once, in Python's order; an element is read when its turn
comes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from unisycl.base.dataclass import dataclass
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.syntax.generators import items_of
from unisycl.frontend.syntax.given import Given, doing, given, placed
from unisycl.frontend.syntax.loops import range_bounds, whole_bound
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Value
from unisycl.frontend.values.memory import is_array
from unisycl.frontend.values.memory_places import MemoryPlace
from unisycl.frontend.values.records import Record
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.windows import Window
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT

Element: TypeAlias = Callable[[ast.expr], ast.expr]
_BUILTINS = (enumerate, zip, reversed)
_COUNT = "MAX(0, -((FIRST - STOP) // STEP))"
_TURN = "FIRST + TURN * STEP"
_BACK = "COUNT - 1 - TURN"
_NUMBER = "BEGIN + TURN"
_LEAST = "MIN(COUNT, OTHER)"
_INSIDE = "(FIRST <= X < STOP if STEP > 0 else STOP < X <= FIRST) and (X - FIRST) % STEP == 0"


@dataclass(frozen=True, slots=True)
class Source:
    """What a loop goes over: how many elements there are, and the one of a turn."""

    count: n.Expr
    element: Element
    parts: tuple[n.Expr, ...] = ()
    reversible: bool = True


def rewritten(ctx: Context, node: ast.For) -> list[ast.stmt] | None:
    """Return the statements that such a loop means; None for any other loop."""
    if _callee(ctx, node.iter) is range or not counted(ctx, node.iter):
        return None
    source = _source(ctx, node.iter)
    at = node.iter
    turn = f"turn at {at.lineno}:{at.col_offset}-{at.end_lineno}:{at.end_col_offset}"
    over = ast.Call(given(Constant(range), at), [given(source.count, at)], [])
    first = ast.Assign([node.target], source.element(ast.Name(turn, ast.Load())))
    made = ast.copy_location(ast.For(
        ast.Name(turn, ast.Store()), over, [placed(first, at), *node.body],
        [*_ends_alike(ctx, node.iter, source), *node.orelse]), node)
    return [placed(made, at)]


def length(ctx: Context, node: ast.expr) -> n.Expr | None:
    """Return how many numbers a call of ``range`` stands for; None if it is something else."""
    return _source(ctx, node).count if _callee(ctx, node) is range else None


def is_range(ctx: Context, node: ast.expr) -> bool:
    """Say whether an expression is a call of ``range``."""
    return _callee(ctx, node) is range


def among(ctx: Context, x: Value, over: ast.expr, node: ast.AST) -> Value:
    """Return whether a number is one of a range's."""
    number = ctx.to_scalar(x, node)
    if number.type.dtype.is_float or number.type.dtype.kind == "c":
        raise ctx.refuse("K036", node, op="in", types=f"{number.type} and a range",
                         help="compare it: a <= x < b")
    whole = ctx.hold(coerce.convert(number, WEAK_INT))
    start, stop, step = _source(ctx, over).parts
    return ctx.value(_filled(_INSIDE, over, FIRST=start, STOP=stop, STEP=step, X=whole))


# ---- which loops
def _callee(ctx: Context, node: ast.expr) -> object:
    """Return the builtin that a call is of; None of anything else."""
    if not isinstance(node, ast.Call):
        return None
    if not isinstance(node.func, ast.Name | Given):
        return None
    callee = ctx.value(node.func)
    known = callee.object if isinstance(callee, Constant) else None
    return known if known is range or known in _BUILTINS else None


def counted(ctx: Context, node: ast.expr) -> bool:
    """Say whether only a run tells how many elements there are."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | Given):
        return is_array(_looked_at(ctx, node))
    form = _callee(ctx, node)
    if form is None or not isinstance(node, ast.Call):
        return False
    if form is range:
        return not _is_known(ctx, node)
    passed = node.args if form is zip else node.args[:1]
    return any(_callee(ctx, arg) is range for arg in passed if form is not zip) or any(
        counted(ctx, arg) for arg in passed)


def _looked_at(ctx: Context, node: ast.expr) -> Value:
    """Return what a name, a member or a part of something is; nothing is emitted."""
    with ctx.into():
        return ctx.value(node)


def _is_known(ctx: Context, node: ast.Call) -> bool:
    """Say whether the numbers of a range are known while compiling."""
    if any(isinstance(x, ast.NamedExpr) for x in ast.walk(node)):
        return False
    with ctx.into():
        return all(ctx.constant(v) is not None for v in ctx.operands(*node.args))


# ---- what they go over
def _source(ctx: Context, node: ast.expr) -> Source:
    form = _callee(ctx, node)
    if form is not None and isinstance(node, ast.Call):
        if form is range:
            return _range(ctx, node)
        return _LOWER[form](ctx, node)
    value = ctx.hold_value(ctx.value(node))
    if isinstance(value, MemoryPlace | Window) and is_array(value):
        count = value.length()
        assert count is not None
        return _indexed(ctx.hold(count), value, node)
    if isinstance(value, Record) and value.shape:
        return _indexed(coerce.weak_scalar(value.shape[0]), value, node)
    items = tuple(items_of(ctx, value, node))
    return _indexed(coerce.weak_scalar(len(items)), Several(items), node)


def _indexed(count: n.Expr, value: Value, node: ast.expr) -> Source:
    return Source(count, lambda turn: ast.Subscript(given(value, node), turn, ast.Load()))


def _range(ctx: Context, node: ast.Call) -> Source:
    start, stop, step = parts = tuple(map(ctx.hold, range_bounds(ctx, node)))
    count = _number(ctx, _COUNT, node, FIRST=start, STOP=stop, STEP=step, MAX=max)
    return Source(count, lambda turn: _filled(_TURN, node, FIRST=start, STEP=step, TURN=turn),
                  parts)


def _enumerate(ctx: Context, node: ast.Call) -> Source:
    start = [*node.args[1:], *(k.value for k in node.keywords if k.arg == "start")]
    if not node.args or len(start) > 1 or len(node.args) + len(node.keywords) != 1 + len(start):
        raise _wrong(ctx, node)
    inner = _source(ctx, node.args[0])
    begin = ctx.hold(whole_bound(ctx, ctx.value(start[0]), start[0])) if start else \
        coerce.weak_scalar(0)
    return Source(inner.count, lambda turn: ast.Tuple([
        _filled(_NUMBER, node, BEGIN=begin, TURN=turn), inner.element(turn)], ast.Load()),
        reversible=False)


def _zip(ctx: Context, node: ast.Call) -> Source:
    if not node.args or any(k.arg != "strict" for k in node.keywords):
        raise _wrong(ctx, node)
    sources = [_source(ctx, arg) for arg in node.args]
    count = sources[0].count
    for other in sources[1:]:
        count = _number(ctx, _LEAST, node, COUNT=count, OTHER=other.count, MIN=min)
    strict = _is_strict(ctx, node)
    return Source(count, lambda turn: ast.Tuple([s.element(turn) for s in sources], ast.Load()),
                  tuple(s.count for s in sources) if strict else (), reversible=False)


def _is_strict(ctx: Context, node: ast.Call) -> bool:
    """Return whether ``zip`` is told that all are of one length."""
    if not node.keywords:
        return False
    known = ctx.constant(ctx.value(node.keywords[0].value))
    if known is None:
        raise ctx.refuse("K046", node, what="'strict' of zip()", help="write True or False")
    return bool(known.value)


def _reversed(ctx: Context, node: ast.Call) -> Source:
    if len(node.args) != 1 or node.keywords:
        raise _wrong(ctx, node)
    inner = _source(ctx, node.args[0])
    if not inner.reversible:
        raise ctx.refuse("K049", node, found=f"'{ast.unparse(node.args[0])}'",
                         expected="something with a length and an order",
                         help="reverse what it goes over: zip(reversed(a), reversed(b))")
    count = ctx.hold(inner.count)
    return Source(count, lambda turn: inner.element(_filled(_BACK, node, COUNT=count, TURN=turn)))


_LOWER: dict[object, Callable[[Context, ast.Call], Source]] = {
    enumerate: _enumerate, zip: _zip, reversed: _reversed}


def _wrong(ctx: Context, node: ast.Call) -> Exception:
    name = ast.unparse(node.func)
    return ctx.refuse("K034", node, what=f"'{name}'", found=len(node.args) + len(node.keywords),
                      expected="what it goes over" if name != "enumerate" else
                      "what it goes over, and a start")


def _ends_alike(ctx: Context, node: ast.expr, source: Source) -> list[ast.stmt]:
    """Return the check, behind the last turn, of what ``zip(..., strict=True)`` promises."""
    if not source.parts or _callee(ctx, node) is not zip or "assert" not in ctx.shape.checks:
        return []
    first, *others = source.parts

    def check(ctx: Context) -> None:
        for k, other in enumerate(others):
            before = "argument 1" if not k else f"arguments 1-{k + 1}"
            for op, word in (("le", "shorter"), ("ge", "longer")):
                ctx.emit(n.Check(n.Compare(BOOL, op, first, other), (
                    f"ValueError: zip() argument {k + 2} is {word} than {before}",),
                    span=ctx.span(node)))
    return [doing(check, node)]


# ---- expressions
def _filled(form: str, at: ast.AST, **parts: object) -> ast.expr:
    """Return a form with its names replaced."""
    made: ast.expr = _Filler(parts, at).visit(ast.parse(form, mode="eval").body)
    return placed(made, at)


def _number(ctx: Context, form: str, at: ast.AST, **parts: object) -> n.Expr:
    return ctx.hold(ctx.to_scalar(ctx.value(_filled(form, at, **parts)), at))


class _Filler(ast.NodeTransformer):
    """Puts values, expressions and functions into a form."""

    def __init__(self, parts: dict[str, object], at: ast.AST) -> None:
        self.parts = parts
        self.at = at

    def visit_Name(self, node: ast.Name) -> ast.AST:
        part = self.parts[node.id]
        if isinstance(part, ast.expr):
            return part
        return given(part if isinstance(part, n.Expr) else Constant(part), self.at)


__all__ = ["among", "is_range", "length", "rewritten"]
