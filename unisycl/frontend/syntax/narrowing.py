"""What a condition shows of names that may be None, on the way that it leads to.

``if best is not None and best < x:``: behind the first test the name is its value, and so it is in
the branch. Non-goals: attributes and elements, which have no definitions: they are given a name.
Invariant: a name is narrowed from where the test is known to have been asked about its very
definition, until it is given something else or meets a way that knows less.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from unisycl.base.dataclass import dataclass
from unisycl.frontend.syntax.flow import GIVEN, Definition, Edge, Label, definition
from unisycl.frontend.syntax.names import lent_names
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Frame, Lowering, Value
from unisycl.frontend.values.optionals import Optional
from unisycl.ir import nodes as n


@dataclass(frozen=True, eq=False, slots=True)
class Narrowed:
    """A name that stands for less than before: what it stood for, and the definition it has now."""

    frame: Frame
    name: str
    before: Value | n.Local
    old: Definition
    made: Definition


def narrow(ctx: Lowering, test: ast.expr, *, truth: bool) -> list[Narrowed]:
    """Let names stand for what they are where a condition has this truth; return which do."""
    bound = [x.target.id for x in ast.walk(test) if isinstance(x, ast.NamedExpr)]
    frame, found = ctx.frame, []
    lent = lent_names(frame.source.node)
    for name, some, walrus in _shown(test, truth):
        before = frame.names.get(name)
        if not isinstance(before, Optional) or bound.count(name) != walrus or name in lent:
            continue
        old, made = definition(frame, name), Definition()
        made.add(Edge(old))
        value: Value | n.Local = before.some if some else Constant(None)
        frame.names[name] = value.local if type(value) is n.Read \
            and value.type == value.local.type else value
        frame.definitions[name] = made
        found.append(Narrowed(frame, name, before, old, made))
    return found


def widen(label: Label, narrowed: Sequence[Narrowed]) -> None:
    """Let names that a condition alone has narrowed be what they were, where its ways meet."""
    if len(label.states) < 2:
        return
    for x in narrowed:
        same = [x.old, *(y.made for y in narrowed if y.frame is x.frame and y.name == x.name)]
        rows = [(names, definitions) for s in label.states
                for frame, names, definitions in s.frames if frame is x.frame]
        if all(definitions.get(x.name, GIVEN) in same for _, definitions in rows):
            for names, definitions in rows:
                names[x.name], definitions[x.name] = x.before, x.old


def _shown(test: ast.expr, truth: bool) -> Iterator[tuple[str, bool, int]]:
    """Yield names of which a condition shows whether they are None, and if it names them so."""
    match test:
        case ast.UnaryOp(op=ast.Not()):
            yield from _shown(test.operand, not truth)
        case ast.BoolOp():
            if isinstance(test.op, ast.And) == truth:
                for part in test.values:
                    yield from _shown(part, truth)
        case ast.Compare(ops=[ast.Is() | ast.Eq() as op]) | ast.Compare(
                ops=[ast.IsNot() | ast.NotEq() as op]):
            sides = [test.left, *test.comparators]
            others = [x for x in sides if not (isinstance(x, ast.Constant) and x.value is None)]
            if len(others) == 1:
                some = isinstance(op, ast.IsNot | ast.NotEq) == truth
                yield from _of(others[0], some)
        case ast.Name() | ast.NamedExpr() if truth:
            yield from _of(test, True)


def _of(node: ast.expr, some: bool) -> Iterator[tuple[str, bool, int]]:
    if isinstance(node, ast.NamedExpr):
        yield node.target.id, some, 1
    elif isinstance(node, ast.Name):
        yield node.id, some, 0


__all__ = ["Narrowed", "narrow", "widen"]
