"""``match`` on values: literals, names with dots, alternatives, captures, tuples of known length.

It becomes the chain of ``if`` that it means, over the subject's value, whose class is known.
Non-goals: patterns of mappings. Invariant: the subject is evaluated once, a pattern only if none
before it matched, and its names are bound before its guard is asked. Behind a case that takes None,
and in one that does not, what may be None is not.
"""

from __future__ import annotations

import ast
import copy
import enum

from unisycl.base.dataclass import dataclass, replace
from unisycl.frontend.context import Context, Tail
from unisycl.frontend.syntax.given import given, placed
from unisycl.frontend.syntax.names import lent_names
from unisycl.frontend.values import special_methods
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.joins import is_none
from unisycl.frontend.values.kind import Value, as_tuple
from unisycl.frontend.values.optionals import Optional
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_BOOL

_NUMBERS = frozenset((int, float, complex, bool))


@dataclass(frozen=True, slots=True)
class Matched:
    """What a pattern asks of a value: tests in turn, and the names it binds; None: never."""

    tests: tuple[ast.expr, ...] = ()
    names: tuple[tuple[str, Value], ...] = ()


def lower_match(ctx: Context, node: ast.Match, tail: Tail) -> bool:
    """Lower a match statement."""
    subject = ctx.hold_value(ctx.value(node.subject))
    name = _tested_name(ctx, node, subject)
    left = _members(subject)
    rows: list[tuple[ast.match_case, Matched]] = []
    for case in node.cases:
        found = _pattern(ctx, case.pattern, subject, name)
        if found is None:
            continue
        if case.guard is None:
            if isinstance(subject, Optional) and _takes_none(ctx, case.pattern, sure=True):
                subject, name = subject.some, None  # what the next cases are asked about
            elif left:
                left -= _matched_members(ctx, case.pattern)
                if not left and not isinstance(subject, Optional):
                    found = replace(found, tests=())  # there is no other member
        rows.append((case, found))
    chain: list[ast.stmt] = []
    for case, found in reversed(rows):
        chain = _branch(case, found, chain)
    return bool(ctx.lower_body(ctx, chain, tail))


def _tested_name(ctx: Context, node: ast.Match, subject: Value) -> str | None:
    """Return the subject's name, if tests of it show for the statements behind what it is."""
    if not (isinstance(node.subject, ast.Name) and isinstance(subject, Optional)):
        return None
    name, guards = node.subject.id, [case.guard for case in node.cases if case.guard is not None]
    given_anew = any(isinstance(x, ast.NamedExpr) and x.target.id == name
                     for guard in guards for x in ast.walk(guard))
    return None if given_anew or name in lent_names(ctx.frame.source.node) else name


def _members(subject: Value) -> set[str] | None:
    """Return the names of members of which a run tells the subject, if it is any; else None."""
    cls = getattr(subject.some if isinstance(subject, Optional) else subject, "enumeration", None)
    if cls is None or isinstance(subject, Constant) or issubclass(cls, enum.Flag):
        return None
    return {member.name for member in cls}


def _matched_members(ctx: Context, pattern: ast.pattern | None) -> set[str]:
    """Return the names of members of enumerations that a pattern takes for certain."""
    match pattern:
        case ast.MatchAs():
            return _matched_members(ctx, pattern.pattern)
        case ast.MatchOr():
            return set().union(*(_matched_members(ctx, p) for p in pattern.patterns))
        case ast.MatchValue(value=ast.Attribute()):
            known = ctx.value(pattern.value)
            return {known.object.name} if isinstance(known, Constant) \
                and isinstance(known.object, enum.Enum) else set()
    return set()


def _branch(case: ast.match_case, found: Matched, rest: list[ast.stmt]) -> list[ast.stmt]:
    """Return one case as a branch before the rest of the chain."""
    tests = list(found.tests)
    if case.guard is not None:
        names = dict(found.names)
        tests.append(_Bound(names).visit(copy.deepcopy(case.guard)) if names else case.guard)
    bound: list[ast.stmt] = [placed(ast.Assign([ast.Name(name, ast.Store())],
                                               given(value, case.pattern)), case.pattern)
                             for name, value in found.names]
    body = [*bound, *case.body]
    if not tests:
        return body
    test = tests[0] if len(tests) == 1 else placed(ast.BoolOp(ast.And(), tests), case.pattern)
    # all in it is placed: going through the rest for each case would take the square of time
    return [ast.copy_location(ast.If(test, body, rest), case.pattern)]


class _Bound(ast.NodeTransformer):
    """Puts the values of a pattern's names into its guard."""

    def __init__(self, names: dict[str, Value]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return given(self.names[node.id], node) if node.id in self.names else node


def _pattern(ctx: Context, pattern: ast.pattern, value: Value,
             name: str | None = None) -> Matched | None:
    """Return what a pattern asks of a value; None if it never matches.

    ``name``: the name that has the value, if a test may ask for it by its name.
    """
    if isinstance(value, Optional) and not _takes_none(ctx, pattern):
        found = _pattern(ctx, pattern, value.some)
        some = placed(ast.UnaryOp(ast.Not(), _is_none(pattern, value, name)), pattern)
        return found and replace(found, tests=(some, *found.tests))
    match pattern:
        case ast.MatchValue():
            return Matched((_equal(pattern, value, pattern.value),))
        case ast.MatchSingleton():
            return _singleton(pattern, value, name)
        case ast.MatchAs(pattern=None):
            return Matched() if pattern.name is None else Matched((), ((pattern.name, value),))
        case ast.MatchAs() if pattern.pattern is not None and pattern.name is not None:
            found = _pattern(ctx, pattern.pattern, value, name)
            return found and replace(found, names=(*found.names, (pattern.name, value)))
        case ast.MatchOr():
            return _alternatives(ctx, pattern, value, name)
        case ast.MatchSequence():
            return _sequence(ctx, pattern, value)
        case ast.MatchClass():
            return _class(ctx, pattern, value)
    raise ctx.refuse("K001", pattern, what="patterns of mappings",
                     help="compare values: literals, names with a dot, tuples of them, _")


def _takes_none(ctx: Context, pattern: ast.pattern, *, sure: bool = False) -> bool:
    """Say whether a pattern may match None, or matches it for sure."""
    match pattern:
        case ast.MatchAs():
            return pattern.pattern is None or _takes_none(ctx, pattern.pattern, sure=sure)
        case ast.MatchOr():
            return any(_takes_none(ctx, p, sure=sure) for p in pattern.patterns)
        case ast.MatchValue(value=ast.Attribute()) if not sure:
            known = ctx.value(pattern.value)
            return is_none(known) or isinstance(known, Optional)
        case ast.MatchSingleton():
            return pattern.value is None
    return False


def _is_none(pattern: ast.pattern, value: Value, name: str | None) -> ast.expr:
    of: ast.expr = given(value, pattern) if name is None else ast.Name(name, ast.Load())
    return placed(ast.Compare(of, [ast.Is()], [ast.Constant(None)]), pattern)


def _equal(pattern: ast.pattern, value: Value, other: ast.expr) -> ast.expr:
    return placed(ast.Compare(given(value, pattern), [ast.Eq()], [other]), pattern)


def _singleton(pattern: ast.MatchSingleton, value: Value, name: str | None) -> Matched | None:
    """Match None, True or False: the very objects, which NumPy's truth values are not."""
    if pattern.value is None:
        return Matched((_is_none(pattern, value, name),))
    if not isinstance(value, n.Expr) or value.type != WEAK_BOOL:
        return None
    truth: ast.expr = given(value, pattern)
    return Matched((truth if pattern.value else placed(ast.UnaryOp(ast.Not(), truth), pattern),))


def _alternatives(ctx: Context, pattern: ast.MatchOr, value: Value,
                  name: str | None) -> Matched | None:
    tests: list[ast.expr] = []
    for part in pattern.patterns:
        found = _pattern(ctx, part, value, name)
        if found is None:
            continue
        if found.names:
            raise ctx.refuse("K001", part, what="alternatives of a pattern that bind names",
                             help="write one case for each")
        if not found.tests:
            return Matched()
        tests.append(found.tests[0] if len(found.tests) == 1 else placed(
            ast.BoolOp(ast.And(), list(found.tests)), part))
    if not tests:
        return None
    return Matched((tests[0] if len(tests) == 1 else placed(
        ast.BoolOp(ast.Or(), tests), pattern),))


def _class(ctx: Context, pattern: ast.MatchClass, value: Value) -> Matched | None:
    """Match an object of a class by its attributes; the class is known while compiling."""
    cls = ctx.value(pattern.cls)
    kind = cls.object if isinstance(cls, Constant) and isinstance(cls.object, type) else None
    places = getattr(kind, "__match_args__", ())
    if kind in _NUMBERS and len(pattern.patterns) < 2 and not pattern.kwd_patterns:
        if not ctx.of(value).is_instance((kind,)):
            return None
        return _pattern(ctx, pattern.patterns[0], value) if pattern.patterns else Matched()
    if kind is None or (special_methods.class_of(value) is None and (
            pattern.patterns or pattern.kwd_patterns)) or len(pattern.patterns) > len(places):
        raise ctx.refuse("K001", pattern, what="such a pattern of a class",
                         help="match objects of dataclasses: case Point(x=0, y=y)")
    if not ctx.of(value).is_instance((kind,)):
        return None
    parts = [*zip(places, pattern.patterns, strict=False),
             *zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True)]
    tests: list[ast.expr] = []
    names: list[tuple[str, Value]] = []
    for name, part in parts:
        inner = ctx.hold_value(ctx.value(placed(
            ast.Attribute(given(value, pattern), name, ast.Load()), pattern)))
        found = _pattern(ctx, part, inner)
        if found is None:
            return None
        tests += found.tests
        names += found.names
    return Matched(tuple(tests), tuple(names))


def _sequence(ctx: Context, pattern: ast.MatchSequence, value: Value) -> Matched | None:
    """Match a tuple element by element; a star takes what is left."""
    value = as_tuple(value)
    if isinstance(value, n.Expr | Constant):
        return None  # neither numbers nor text are sequences
    if not isinstance(value, Several) or value.kind != "tuple":
        raise ctx.refuse("K001", pattern, what="a pattern of a sequence for what is no tuple",
                         help="match a tuple of its elements: match (v[0], v[1]): ...")
    parts, items = list(pattern.patterns), list(value.items)
    stars = [k for k, p in enumerate(parts) if isinstance(p, ast.MatchStar)]
    spare = len(items) - len(parts) + 1
    if spare < 0 or (not stars and spare != 1):
        return None
    tests: list[ast.expr] = []
    names: list[tuple[str, Value]] = []
    for k, part in enumerate(parts):
        if isinstance(part, ast.MatchStar):
            rest, items[k:k + spare] = items[k:k + spare], [Several(())]
            names += [(part.name, Several(tuple(rest)))] if part.name else []
            continue
        found = _pattern(ctx, part, items[k])
        if found is None:
            return None
        tests += found.tests
        names += found.names
    return Matched(tuple(tests), tuple(names))


__all__ = ["lower_match"]
