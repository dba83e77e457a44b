"""Reads of names that not every way to them has assigned.

A way without loops that certainly leads to such a read is refused, as Python raises there. On other
ways (round loops, through conditions that may exclude each other) the name is zero, a warning
says so, and in kernels that are debugged the read is checked. Non-goals: which definitions reach a
read (``flow``). Invariant: conditions are taken for free unless they are comparisons of the same
operands, or the same text about the same values.
"""

from __future__ import annotations

import ast
import itertools
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from unisycl.base.errors import KernelWarning
from unisycl.frontend.syntax.flow import GIVEN, UNSET, Condition, Definition, Test, want
from unisycl.frontend.values.kind import Frame, Lowering
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL

_MOST_PATHS = 256
_MOST_ATOMS = 10
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq}
_SIGNS: dict[type[ast.cmpop], tuple[int, ...]] = {
    ast.Lt: (-1,), ast.LtE: (-1, 0), ast.Gt: (1,), ast.GtE: (0, 1), ast.Eq: (0,),
    ast.NotEq: (-1, 1)}


def check_read(ctx: Lowering, frame: Frame, name: str, made: Definition, node: ast.AST) -> None:
    """Refuse, or warn of, a read on a way on which a name may have no value."""
    if not _reaches_nothing(ctx, made):
        return
    open_ways = shaky = False
    since = ctx.path[made.depth:]
    for conditions, certain in _ways(ctx, made):
        possible = feasible((*conditions, *since))
        open_ways = open_ways or possible is not False
        shaky = shaky or any(_changes(test.node) for test, _ in (*conditions, *since))
        if certain and possible and not since:
            raise ctx.refuse("K031", node, name=name, notes=tuple(
                (f"'{name}' gets a value here, on other paths", d.span)
                for d in made.assignments()))
    if not open_ways and not shaky:
        return  # the conditions of each such way exclude each other
    for part in made.parts():
        if part.hole is not None:
            want(ctx, part.hole[0], (frame.key, name), part.hole[1])
    if open_ways:
        ctx.doubts.unassigned[ctx.span(node)] = (name, made)
    if "uninitialised" in ctx.shape.checks:
        _check(ctx, frame, name, node)


def warn(ctx: Lowering) -> bool:
    """Warn of names that may be read before they have a value, each at its line; say if any are."""
    for span, (name, made) in ctx.doubts.unassigned.items():
        lines = dict.fromkeys(d.span.line for d in made.assignments() if d.span)
        where = f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"
        warnings.warn_explicit(
            f"'{name}' may be read here before it has a value, if no assignment of it ({where}) "
            "ran: it is zero then, where Python raises UnboundLocalError; assign it before",
            KernelWarning, span.file.name, span.line)
    return bool(ctx.doubts.unassigned)


def _check(ctx: Lowering, frame: Frame, name: str, node: ast.AST) -> None:
    """Check at run time that a name has a value."""
    flagged = ctx.types.setdefault(("assigned", frame.key), {})
    if name not in flagged:
        flagged[name] = None
        ctx.changed = True
    flag = ctx.local((frame.key, name, "assigned"), f"{name}.assigned", BOOL)
    text = (f"UnboundLocalError: cannot access local variable '{name}' where it is not associated "
            "with a value")
    ctx.emit(n.Check(n.Read(BOOL, flag), (text,), span=ctx.span(node)))


def start_flags(ctx: Lowering, frame: Frame) -> None:
    """Note at the beginning of a function that names it checks have no value yet."""
    for name in ctx.types.get(("assigned", frame.key), ()):
        note_flag(ctx, frame, name, value=name in frame.names)


def note_flag(ctx: Lowering, frame: Frame, name: str, *, value: bool = True) -> None:
    """Note whether a name has a value, if its reads are checked."""
    if name in ctx.types.get(("assigned", frame.key), ()):
        flag = ctx.local((frame.key, name, "assigned"), f"{name}.assigned", BOOL)
        ctx.emit(n.Assign(flag, n.Const(BOOL, value)))


def _reaches_nothing(ctx: Lowering, made: Definition) -> bool:
    """Say whether one of the ways to a definition brings nothing.

    What was found to come from assignments only is not gone through again, until a loop has ended:
    its head gets ways then.
    """
    turns = sum(len(head.turns) for head in ctx.heads)
    seen: dict[int, Definition] = {}
    todo = [made]
    while todo:
        at = todo.pop()
        if at is UNSET:
            return True
        if at is not GIVEN and at.whole != turns and id(at) not in seen:
            seen[id(at)] = at
            todo.extend(edge.source for edge in at.edges)
    for at in seen.values():
        at.whole = turns
    return False


def _ways(ctx: Lowering, made: Definition) -> Iterator[tuple[tuple[Condition, ...], bool]]:
    """Yield the conditions of each way on which a name has no value, and whether no loop counts."""
    todo: list[tuple[Definition, tuple[Condition, ...], bool, tuple[int, ...]]] = [
        (made, (), True, ())]
    for _ in range(_MOST_PATHS):
        if not todo:
            return
        at, conditions, certain, seen = todo.pop()
        if at is UNSET:
            yield conditions, certain
            continue
        if id(at) in seen:
            continue
        for edge in at.edges:
            sure = certain and edge.kind != "loop"
            if edge.kind == "entry":  # the first turn may be one in which nobody asks
                sure = sure and not conditions and len(ctx.path) <= at.depth
            todo.append((edge.source, (*edge.conditions, *conditions), sure, (*seen, id(at))))


# ---- whether conditions can hold together
def _changes(node: ast.expr) -> bool:
    """Say whether a condition may be another one the second time, about the same values."""
    return any(isinstance(x, ast.Call | ast.Subscript | ast.Attribute | ast.NamedExpr)
               for x in ast.walk(node))


def feasible(conditions: Sequence[Condition]) -> bool | None:
    """Say whether conditions can hold together; None: perhaps.

    Certain are those of one statement, and comparisons of one operand with numbers or with one
    other operand. Different conditions may have to do with each other, so they perhaps hold.
    """
    variables: dict[Any, list[Any]] = {}
    formulas = [(_formula(test.node, test, variables), truth) for test, truth in conditions]
    if len(variables) > _MOST_ATOMS:
        return None
    if _solved(formulas, variables):
        return True if len(variables) <= 1 or len({id(t) for t, _ in conditions}) == 1 else None
    for key, values in variables.items():
        if key[0] == "number":  # a float may lie between
            variables[key] = sorted({v + d for v in values for d in (-0.5, 0, 0.5)})
    return None if _solved(formulas, variables) else False


def _solved(formulas: Sequence[tuple[Any, bool]], variables: dict[Any, list[Any]]) -> bool:
    keys = list(variables)
    for values in itertools.product(*(variables[k] for k in keys)):
        at = dict(zip(keys, values, strict=True))
        if all(_holds(f, at) is truth for f, truth in formulas):
            return True
    return False


def _formula(node: ast.expr, test: Test, variables: dict[Any, list[Any]]) -> Any:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ("not", _formula(node.operand, test, variables))
    if isinstance(node, ast.BoolOp):
        kind = "and" if isinstance(node.op, ast.And) else "or"
        return (kind, *(_formula(v, test, variables) for v in node.values))
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        sides = [node.left, *node.comparators]
        return ("and", *(_formula(ast.Compare(a, [op], [b]), test, variables) for a, op, b in zip(
            sides, node.ops, sides[1:], strict=False)))
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _SIGNS:
        return _comparison(node, test, variables)
    key = _spelt(node, test)
    variables.setdefault(("is", key), [False, True])
    return ("is", ("is", key))


def _comparison(node: ast.Compare, test: Test, variables: dict[Any, list[Any]]) -> Any:
    op, a, b = type(node.ops[0]), node.left, node.comparators[0]
    left, right = _number(a), _number(b)
    if left is not None and right is None:
        a, b, left, right, op = b, a, right, left, _MIRRORED[op]
    if right is not None and left is None:
        key = ("number", _spelt(a, test))
        known = variables.setdefault(key, [])
        for x in (right - 1, right, right + 1):
            if x not in known:
                known.append(x)
        return ("number", key, op, right)
    first, second = _spelt(a, test), _spelt(b, test)
    if first > second:
        first, second, op = second, first, _MIRRORED[op]
    sign = ("sign", first, second)
    variables.setdefault(sign, [-1, 0, 1])
    return ("sign", sign, op)


def _number(node: ast.expr) -> float | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    return None


def _spelt(node: ast.expr, test: Test) -> str:
    """Return the text of an expression, with the definitions its names have."""
    if any(isinstance(x, ast.NamedExpr) for x in ast.walk(node)):
        return f"what is computed at {id(node)}"  # the names in it change while it is computed
    names = sorted({x.id for x in ast.walk(node) if isinstance(x, ast.Name)})
    return ast.dump(node) + str([(name, id(test.meant.get(name))) for name in names])


def _holds(formula: Any, at: dict[Any, Any]) -> bool:
    match formula[0]:
        case "not":
            return not _holds(formula[1], at)
        case "and":
            return all(_holds(f, at) for f in formula[1:])
        case "or":
            return any(_holds(f, at) for f in formula[1:])
        case "is":
            return bool(at[formula[1]])
        case "number":
            value, bound = at[formula[1]], formula[3]
            return (value > bound) - (value < bound) in _SIGNS[formula[2]]
    return at[formula[1]] in _SIGNS[formula[2]]
