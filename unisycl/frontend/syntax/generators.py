"""Generator expressions and comprehensions: loops inside an expression.

``sum``, ``any``, ``all``, ``min``, ``max`` and ``math.prod`` of one become a function with the loop
that Python would run; over constants a comprehension is a tuple. Non-goals: generators as values.
Invariant: what the expression binds are names of its own.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.source import FunctionSource
from unisycl.frontend.syntax.compare import decided, static_truth
from unisycl.frontend.syntax.expr import operate
from unisycl.frontend.syntax.given import Asked, Given, asked, doing, given, placed
from unisycl.frontend.syntax.names import stored_names
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.functions import Closure
from unisycl.frontend.values.joins import form_of
from unisycl.frontend.values.kind import Frame, Value, as_tuple, describe
from unisycl.frontend.values.lists import new_list
from unisycl.frontend.values.memory import Memory, is_array
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.vectors import Vector
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, Scalar

Comprehension: TypeAlias = ast.GeneratorExp | ast.ListComp
NAME = "<generator>"
_FORMS = {
    "sum": "def f(start):\n total = start\n LOOP: total = total + ELEMENT\n return total",
    "prod": "def f(start):\n total = start\n LOOP: total = total * ELEMENT\n return total",
    "fold": "def f(step, start):\n total = start\n LOOP: total = step(total, ELEMENT)\n"
            " return total",
    "first": "def f(default):\n LOOP:\n  return ELEMENT\n return default",
    "any": "def f():\n LOOP:\n  if ELEMENT: return True\n return False",
    "all": "def f():\n LOOP:\n  if not ELEMENT: return False\n return True",
    "any of all": "def f():\n found = False\n LOOP:\n  if ELEMENT: found = True\n return found",
    "all of all": "def f():\n found = True\n LOOP:\n  if not ELEMENT: found = False\n return found",
    "extreme": "def f():\n best = START\n found = False\n LOOP:\n  value = ELEMENT\n"
               "  if KNOWN:\n   if found: best = EXTREME(best, value)\n"
               "   else:\n    best = value\n    found = True\n if not found: EMPTY\n"
               " return best",
    "extreme or": "def f(default):\n best = START\n found = False\n LOOP:\n  value = ELEMENT\n"
                  "  if KNOWN:\n   if found: best = EXTREME(best, value)\n"
                  "   else:\n    best = value\n    found = True\n"
                  " if not found: best = default\n return best",
    **{f"least {name}".strip(): f"def f({args}):\n"
       " best = START\n lowest = LOWEST\n found = False\n LOOP:\n"
       "  value = ELEMENT\n  rank = key(value)\n"
       "  if KNOWN and (not found or BETTER):\n   best = value\n   lowest = rank\n"
       f"   found = True\n if not found: {last}\n return best"
       for name, args, last in (("", "key", "EMPTY"), ("or", "key, default", "best = default"))},
}
"""What each function does with a comprehension; LOOP stands for its loops and conditions."""


# ---- comprehensions as loops
def reduced(ctx: Context, form: str, over: Comprehension, args: list[Value], node: ast.AST,
            extreme: Callable[..., Any] | None = None) -> Value:
    """Return what the function of a form makes of a comprehension's elements."""
    _check(ctx, over)
    function = _function(form, over, extreme)
    return ctx.call(ctx, Closure(function, ctx.frame), args, node)


def _check(ctx: Context, over: ast.expr) -> None:
    for inner in ast.walk(over):
        if isinstance(inner, ast.NamedExpr):
            raise ctx.refuse("K001", inner, what="':=' in a generator expression or comprehension",
                             help="write a for loop")
        if isinstance(inner, ast.comprehension) and inner.is_async:
            raise ctx.refuse("K012", over, what="async for")


@functools.lru_cache(maxsize=1024)
def _function(form: str, over: Comprehension,
              extreme: Callable[..., Any] | None) -> ast.FunctionDef:
    """Return the function that goes over a comprehension; its own names are no identifiers."""
    over = renamed(over)
    made = ast.parse(_FORMS[form].replace("LOOP:", "with LOOP:")).body[0]
    assert isinstance(made, ast.FunctionDef)
    filled = _Filler(over, extreme).visit(made)
    assert isinstance(filled, ast.FunctionDef)
    filled.name = NAME
    return placed(filled, over)


class _Filler(ast.NodeTransformer):
    """Puts the parts of a comprehension into a form."""

    def __init__(self, over: Comprehension, extreme: Callable[..., Any] | None) -> None:
        self.over = over
        self.extreme = extreme

    def visit_With(self, node: ast.With) -> ast.AST:
        body: list[ast.stmt] = [self.visit(s) for s in node.body]
        for part in reversed(self.over.generators):
            for test in reversed(part.ifs):
                body = [ast.copy_location(ast.If(test, body, []), test)]
            body = [ast.copy_location(ast.For(part.target, part.iter, body, []), part.iter)]
        return body[0]

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == "ELEMENT":
            return self.over.elt
        if node.id == "BETTER":
            op = ast.Lt() if self.extreme is min else ast.Gt()
            rank, lowest = (self.visit_Name(ast.Name(x, ast.Load())) for x in ("rank", "lowest"))
            return ast.Compare(rank, [op], [lowest])  # type: ignore[arg-type, list-item]
        if node.id in _ASKED:
            return asked(_ASKED[node.id], self.over)
        if node.id == "EXTREME":
            return given(Constant(self.extreme), self.over)
        return ast.Name(f"{node.id} of {NAME}", node.ctx)  # never one of the user's

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(f"{node.arg} of {NAME}")

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        name = getattr(self.extreme, "__name__", "")
        return doing(functools.partial(_empty, name, self.over), self.over)


def _known(ctx: Context) -> Value:
    """Ask for variables of the elements' kind, where that is no number; True once there are."""
    for name in ("value", "rank"):
        bound = ctx.frame.names.get(f"{name} of {NAME}")
        form = None if bound is None else form_of(bound)
        key = (ctx.frame.key, "first", name)
        if form is not None and not isinstance(form, Scalar) and ctx.types.get(key) != form:
            ctx.types[key] = form
            ctx.changed = True
            raise ctx.unknown(ctx.at or ctx.frame.source.node)
    return coerce.weak_scalar(True)


def _first(name: str, ctx: Context) -> Value:
    """Return what stands for the best element before there is one."""
    key = (ctx.frame.key, "first", name)
    form = ctx.types.get(key)
    if form is None:
        return coerce.weak_scalar(False)
    made = ctx.adopt(key, name, form, None, ctx.at or ctx.frame.source.node)
    return n.Read(made.type, made) if isinstance(made, n.Local) else made


_ASKED: dict[str, Callable[[Context], Value]] = {
    "KNOWN": _known, "START": functools.partial(_first, "value"),
    "LOWEST": functools.partial(_first, "rank")}


def _empty(name: str, node: ast.AST, ctx: Context) -> None:
    """Report in debug mode what Python raises for the extreme of nothing."""
    if "assert" in ctx.shape.checks:
        ctx.emit(n.Check(n.Const(BOOL, False), (_said(name),), span=ctx.span(node)))


def _said(name: str) -> str:
    try:
        (min if name == "min" else max)(())
    except ValueError as error:
        return f"ValueError: {error}"
    raise AssertionError(name)


def _targets(over: Comprehension) -> frozenset[str]:
    return stored_names([ast.Assign([part.target], ast.Constant(0)) for part in over.generators])


def renamed(over: Comprehension) -> Comprehension:
    """Return a comprehension none of whose names is one that its first iterable reads."""
    first = over.generators[0].iter
    read = {x.id for x in ast.walk(first) if isinstance(x, ast.Name)}
    clash = _targets(over) & read
    if not clash:
        return over
    made = copy.deepcopy(over)
    made.generators[0].iter = ast.Constant(0)
    for node in ast.walk(made):
        if isinstance(node, ast.Name) and node.id in clash:
            node.id = f"{node.id} of {NAME}"
        if isinstance(node, ast.arg) and node.arg in clash:
            node.arg = f"{node.arg} of {NAME}"
    made.generators[0].iter = first
    return made


# ---- tuples
def lower_tuple(ctx: Context, node: ast.Tuple | ast.List) -> Value:
    """Lower a tuple, or a list, as it is written; a star spreads another one."""
    if isinstance(node, ast.List):
        ctx.facts.add("lists")
    values = ctx.operands(*(e.value if isinstance(e, ast.Starred) else e for e in node.elts))
    found: list[Value] = []
    for part, value in zip(node.elts, values, strict=True):
        found += items_of(ctx, value, part) if isinstance(part, ast.Starred) else (value,)
    return new_list(ctx, found, node) if isinstance(node, ast.List) else Several(tuple(found))


def lower_comprehension(ctx: Context, node: Comprehension) -> Value:
    """Lower a comprehension over what is known while compiling: a tuple."""
    _check(ctx, node)
    if isinstance(node, ast.ListComp):
        ctx.facts.add("lists")
    frame = Frame(FunctionSource(ctx.frame.source.node, ctx.frame.source.file), None,
                  ctx.frame.path, (*ctx.frame.key, "comprehension", ctx.span(node)),
                  parent=ctx.frame, library=ctx.frame.library)
    frame.assigned = _targets(renamed(node))
    found: list[Value] = []
    _collect(ctx, frame, renamed(node), 0, found)
    return new_list(ctx, found, node) if isinstance(node, ast.ListComp) else Several(tuple(found))


def _collect(ctx: Context, frame: Frame, over: Comprehension, depth: int,
             found: list[Value]) -> None:
    """Add the elements of a comprehension's loops from ``depth`` on."""
    if depth == len(over.generators):
        found.append(ctx.hold_value(_inside(ctx, frame, over.elt)))
        return
    part = over.generators[depth]
    items = items_of(ctx, ctx.value(part.iter) if depth == 0 else _inside(ctx, frame, part.iter),
                     part.iter)
    for k, item in enumerate(items):
        _bind(ctx, frame, part.target, ctx.hold_value(item))
        ctx.unrolled.append(k)
        try:
            if all(_decided(ctx, _inside(ctx, frame, test), test) for test in part.ifs):
                _collect(ctx, frame, over, depth + 1, found)
        finally:
            ctx.unrolled.pop()


def _inside(ctx: Context, frame: Frame, node: ast.expr) -> Value:
    ctx.frames.append(frame)
    try:
        return ctx.value(node)
    finally:
        ctx.frames.pop()


def _decided(ctx: Context, value: Value, node: ast.AST) -> bool:
    truth = decided(ctx, value)
    if truth is None:
        raise ctx.refuse("K046", node, what="the condition of a comprehension",
                         help="how many elements there are must be known: write a for loop, or "
                         "add up with sum(x for ... if ...)")
    return truth


def _bind(ctx: Context, frame: Frame, target: ast.expr, value: Value) -> None:
    if isinstance(target, ast.Name):
        frame.names[target.id] = value
        return
    if not isinstance(target, ast.Tuple | ast.List):
        raise ctx.refuse("K001", target, what="such a target of a comprehension",
                         help="name the elements")
    parts = items_of(ctx, value, target)
    if len(parts) != len(target.elts):
        raise ctx.refuse("K047", target, found=len(parts), expected=len(target.elts))
    for inner, part in zip(target.elts, parts, strict=True):
        _bind(ctx, frame, inner, part)


def items_of(ctx: Context, value: Value, node: ast.AST) -> Sequence[Value]:
    """Return the elements of something whose number is known while compiling."""
    value = as_tuple(value)
    listed = ctx.of(value).listed(ctx)
    if listed is not None:
        return listed
    raise ctx.refuse("K046", node, what="what a comprehension goes over" if not isinstance(
        value, Constant) else f"the elements of {describe(value)}",
        help="go over constants: range() of literals or captured integers, or a tuple; or take "
        "the elements of memory by their number, [a[k] for k in range(3)]")


# ---- calls
def over_loop(ctx: Context, node: ast.Call) -> Comprehension | None:
    """Return the comprehension that a call's first argument is; a range, or memory, counts."""
    if not node.args:
        return None
    first = node.args[0]
    if isinstance(first, ast.GeneratorExp | ast.ListComp):
        return first
    func = first.func if isinstance(first, ast.Call) else None
    if isinstance(first, ast.Call) and ctx.syntax.iterates(ctx, first):
        return of_values(first)
    if isinstance(first, ast.Call) and isinstance(func, ast.Name) \
            and func.id in ("range", "map", "filter", "zip", "enumerate", "reversed"):
        callee = ctx.value(func)
        known = callee.object if isinstance(callee, Constant) else None
        if known in (range, zip, enumerate, reversed):
            return of_values(first)
        if known in (map, filter):
            return mapped(ctx, known, first)
    if isinstance(first, ast.Name | ast.Attribute | ast.Subscript):
        with ctx.into():
            value = ctx.value(first)
        if is_array(value):
            return of_values(first)
    return None


@functools.lru_cache(maxsize=1024)
def of_values(values: ast.expr) -> ast.GeneratorExp:
    """Return the generator of what an expression holds."""
    name = f"element of {NAME}"
    part = ast.comprehension(ast.Name(name, ast.Store()), values, [], 0)
    return placed(ast.GeneratorExp(ast.Name(name, ast.Load()), [part]), values)


def mapped(ctx: Context, form: object, node: ast.Call) -> ast.GeneratorExp:
    """Return the generator that a call of ``map`` or ``filter`` means."""
    if node.keywords or len(node.args) < 2 or (form is filter and len(node.args) > 2):
        raise ctx.refuse("K034", node, what=f"'{ast.unparse(node.func)}'",
                         expected="a function and what it goes over", found=len(node.args))
    function = ctx.value(node.args[0])
    loop = of_values(node.args[1] if len(node.args) == 2 else ast.copy_location(
        ast.Call(given(Constant(zip), node), node.args[1:], []), node))
    element: ast.expr = ast.Name(f"element of {NAME}", ast.Load())
    passed = ast.Starred(element, ast.Load()) if len(node.args) > 2 else element
    part = loop.generators[0]
    call: ast.expr = ast.Call(given(function, node.args[0]), [passed], [])
    if form is map:
        return placed(ast.GeneratorExp(call, [part]), node)
    if isinstance(function, Constant) and function.object is None:
        call = element
    kept = ast.comprehension(part.target, part.iter, [call], 0)
    return placed(ast.GeneratorExp(element, [kept]), node)


def as_list(over: ast.GeneratorExp) -> ast.ListComp:
    """Return the comprehension that makes all elements of a generator at once."""
    return ast.copy_location(ast.ListComp(over.elt, over.generators), over)


def eager(over: Comprehension) -> bool:
    """Say whether all elements are evaluated, whatever the first ones are."""
    return isinstance(over, ast.ListComp)


def unrolled(ctx: Context, node: ast.expr) -> list[Value] | None:
    """Return what enumerate(), zip() or reversed() of static values yields; None otherwise."""
    if not isinstance(node, ast.Call):
        return None
    callee = ctx.value(node.func)
    fn = callee.object if isinstance(callee, Constant) else None
    if fn not in (enumerate, zip, reversed):
        return None
    passed = [*node.args, *(k.value for k in node.keywords if k.arg == "start")]
    first: Value = coerce.weak_scalar(0)
    strict = fn is zip and [k.arg for k in node.keywords] == ["strict"] \
        and static_truth(ctx.value(node.keywords[0].value))
    if fn is enumerate and len(passed) == 2:
        first = ctx.value(passed.pop())
    elif node.keywords and strict not in (True, False):
        return None
    lists = []
    for arg in passed:
        inner = unrolled(ctx, arg)
        value = Several(tuple(inner)) if inner is not None else ctx.of(
            ctx.value(arg)).as_static(ctx)
        if isinstance(value, Vector):
            value = Several(value.unpacked(ctx, arg))
        listed = ctx.of(value).listed(ctx) if isinstance(value, Constant) else None
        value = value if listed is None else Several(listed)
        if not isinstance(value, Several):
            raise ctx.refuse("K046", arg, what=f"what {fn.__name__}() goes over",
                             help="loop over range(len(a)) and index" if isinstance(value, Memory)
                             else "it goes over tuples")
        lists.append(value.items)
    if not lists or (fn is not zip and len(lists) > 1):
        raise ctx.refuse("K034", node, what=f"'{fn.__name__}'", expected="one tuple",
                         found=len(lists))
    if fn is reversed:
        return list(reversed(lists[0]))
    if fn is enumerate:
        return [Several((operate(ctx, "add", first, coerce.weak_scalar(k), node), v))
                for k, v in enumerate(lists[0])]
    if strict and len({len(x) for x in lists}) > 1:
        raise ctx.refuse("K054", node, what="zip(strict=True) of tuples of "
                         f"{', '.join(str(len(x)) for x in lists)} elements", help="")
    return [Several(tuple(row)) for row in zip(*lists, strict=False)]


LOWER: dict[type[ast.AST], Callable[[Context, Any], Value]] = {
    ast.ListComp: lower_comprehension, ast.Tuple: lower_tuple, ast.List: lower_tuple,
    Given: lambda ctx, node: node.value, Asked: lambda ctx, node: node.ask(ctx),
}

__all__ = ["LOWER", "items_of", "lower_comprehension", "over_loop", "reduced", "unrolled"]
