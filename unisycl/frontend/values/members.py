"""Names that stand for a member of an enumeration, which one being known at run time only.

``state = State.RUN`` here and ``state = State.DONE`` there, ``Colour(a[i])``: the name is a number,
which says the place of the member among all. Non-goals: members known while compiling
(``constants``), flags, whose combinations are members of no list. Invariant: a member equals
what Python says that it equals; one of an ``IntEnum`` is its number, any other is none.
"""

from __future__ import annotations

import ast
import enum
import inspect
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from unisycl.base.dataclass import dataclass, replace
from unisycl.frontend import coerce
from unisycl.frontend.paths import Path
from unisycl.frontend.values.kind import Form, Kind, Lowering, Met, Value, VariableForm
from unisycl.frontend.values.methods import Method
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_BOOL, WEAK_INT


@dataclass(frozen=True, slots=True)
class Member(Kind):
    """One of the members of ``cls``, by its place among them."""

    cls: Any
    which: n.Expr

    def describe(self) -> str:
        return f"a member of '{self.cls.__name__}'"

    def number_help(self) -> str:
        return "take its value: .value"

    def is_instance(self, classes: tuple[type, ...]) -> bool:
        return issubclass(self.cls, classes)

    def number(self, ctx: Lowering, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        if not issubclass(self.cls, int | float):
            return Kind.number(self, ctx, node, unsure=unsure)
        return self._value(ctx, node)

    def truth(self, ctx: Lowering, node: ast.AST) -> n.Expr:
        if issubclass(self.cls, int | float):
            return coerce.truth(self._value(ctx, node))
        return n.Const(BOOL, True)

    @property
    def enumeration(self) -> Any:
        """The enumeration that it is a member of."""
        return self.cls

    def _value(self, ctx: Lowering, node: ast.AST) -> n.Expr:
        """Return what a member has as its value."""
        values = [m.value for m in self.cls]
        if not all(isinstance(v, bool | int | float) for v in values):
            raise ctx.refuse("K046", node, what=f"the value of a member of {self.cls.__name__}",
                             help="values that are no numbers exist while compiling only: "
                             "compare members, by if / elif")
        first = values[0]
        if all(type(v) is int and v == first + k for k, v in enumerate(values)):
            return coerce.binary("add", self.which, coerce.weak_scalar(first), WEAK_INT)
        numbers = tuple(coerce.weak_scalar(v) for v in values)
        return ctx.to_scalar(ctx.of(numbers[0]).one_of(ctx, numbers, "tuple", self.which, node),
                             node)

    # ---- parts
    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        if name == "value":
            tuples = all(isinstance(m.value, tuple) for m in self.cls)
            return self._each(ctx, name, node) if tuples else self._value(ctx, node)
        path, static = self._path(name), inspect.getattr_static(self.cls, name, None)
        if isinstance(static, property) and static.fget is not None:
            getter = ctx.capture((*path, ("attr", "fget")), static.fget, name, node, frozen=True)
            return ctx.call(ctx, getter, [self], node)
        if isinstance(static, FunctionType) and static.__module__ != "enum":
            return Method(self, name)
        if isinstance(static, classmethod | staticmethod):
            return ctx.capture(path, getattr(self.cls, name), name, node, frozen=True)
        return self._each(ctx, name, node) if hasattr(next(iter(self.cls)), name) else None

    def _each(self, ctx: Lowering, name: str, node: ast.AST) -> Value:
        """Return an attribute that each member has for itself."""
        found = [getattr(m, name) for m in self.cls]
        numbers = all(isinstance(v, bool | int | float) for v in found)
        if not numbers and not (all(isinstance(v, tuple) and len(v) == len(found[0]) and all(
                isinstance(x, bool | int | float) for x in v) for v in found)):
            raise ctx.refuse("K046", node, what=f"'.{name}' of a member of {self.cls.__name__}",
                             help="which member it is, is known at run time only: compare it with "
                             "members, by if / elif")
        values = tuple(ctx.capture((*self._path(m.name), ("attr", name)), v, name, node,
                                   frozen=True) for m, v in zip(self.cls, found, strict=True))
        return ctx.of(values[0]).one_of(ctx, values, "tuple", self.which, node)

    def _path(self, name: str) -> Path:
        return (("object", self.cls), ("attr", name))

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        method = ctx.capture(self._path(name), getattr(self.cls, name), name, node, frozen=True)
        return ctx.call(ctx, method, [self, *args], node, keywords)

    # ---- names and paths
    @property
    def in_variables(self) -> bool:
        return True

    def form(self) -> Form:
        return MemberForm(self.cls)

    def meet(self, values: list[Met], *, unsure: bool) -> Form | None:
        return form_of([v.value for v in values])

    def hold(self, ctx: Lowering) -> Value:
        return replace(self, which=ctx.hold(self.which))

    def keep(self, ctx: Lowering, position: int) -> Value:
        return replace(self, which=ctx.keep_number(self.which, position))


@dataclass(frozen=True, slots=True)
class MemberForm(VariableForm):
    """A member of an enumeration: a number says which."""

    cls: Any

    @property
    def beside_none(self) -> bool:
        return True

    def adopt(self, ctx: Lowering, key: Any, name: str, value: Any, node: ast.AST,
              old: Value | n.Local | None) -> Value:
        """Give the number the place of a member; None: of the first."""
        which = ctx.local((*key, "member"), name, WEAK_INT)
        ctx.emit(n.Assign(which, coerce.weak_scalar(0) if value is None
                          else member(ctx, value).which))
        return Member(self.cls, n.Read(WEAK_INT, which))

    def variable(self, ctx: Lowering, key: Any, name: str, like: Any) -> Value | n.Local:
        return Member(self.cls, n.Read(WEAK_INT, ctx.local((*key, "member"), name, WEAK_INT)))


def class_of(value: object) -> Any:
    """Return the enumeration that a value is a member of, if it may be chosen at run time."""
    return getattr(value, "enumeration", None)


def form_of(values: Sequence[object]) -> Form | None:
    """Return the form of a name that is given all of these; None if they have no enumeration."""
    classes = {class_of(v) for v in values}
    return MemberForm(classes.pop()) if len(classes) == 1 and None not in classes else None


def member(ctx: Lowering, value: Any) -> Member:
    """Return a member of an enumeration, known or not, by its place among them."""
    if isinstance(value, Member):
        return value
    known: enum.Enum = value.settled(ctx)
    return Member(type(known), coerce.weak_scalar([*type(known)].index(known)))


def chosen(ctx: Lowering, items: Sequence[Value], index: n.Expr, node: ast.AST) -> Value | None:
    """Return one of several members by an index; None if they are of no one enumeration."""
    if form_of(items) is None:
        return None
    places = tuple(member(ctx, v).which for v in items)
    which = ctx.of(places[0]).one_of(ctx, places, "tuple", index, node)
    return Member(class_of(items[0]), ctx.to_scalar(which, node))


def of_value(ctx: Lowering, cls: Any, members: Sequence[Value], value: n.Expr,
             node: ast.AST) -> Value | None:
    """Return the member that has a number as its value; None if not all of them are numbers."""
    if form_of(members) is None or class_of(members[0]) is not cls:
        return None
    known = [m.value for m in cls]
    if cls._missing_.__qualname__ != "Enum._missing_" \
            or not all(isinstance(v, bool | int | float) for v in known):
        return None
    x = ctx.once(value)
    tests = [coerce.compare("eq", x, coerce.weak_scalar(v)) for v in known]
    which: n.Expr = coerce.weak_scalar(0)
    among: n.Expr = n.Const(BOOL, False)
    for k in range(len(tests) - 1, -1, -1):
        test = tests[k]
        if test is None:
            return None
        which = coerce.select(coerce.truth(test), coerce.weak_scalar(k), which, WEAK_INT)
        among = coerce.binary("or", among, coerce.truth(test), BOOL)
    if "assert" in ctx.shape.checks:
        text = f" is not a valid {cls.__qualname__}"
        ctx.emit(n.Check(among, ("ValueError: ", x, text), span=ctx.span(node)))
    return Member(cls, which)


def compare(ctx: Lowering, op: str, left: Value, right: Value) -> n.Expr | None:
    """Return whether a member known at run time only is another one; None of anything else.

    ``op``: is, eq or ne; by the last two members of an ``IntEnum`` are compared as numbers.
    """
    if op not in ("is", "eq", "ne") or not (
            isinstance(left, Member) or isinstance(right, Member)):
        return None
    one, other = class_of(left), class_of(right)
    if one is None or one is not other:
        numbers = [isinstance(v, n.Expr) or (
            c is not None and issubclass(c, int | float)) for v, c in ((left, one), (right, other))]
        return None if all(numbers) and op != "is" else coerce.weak_scalar(op == "ne")
    found = coerce.compare("eq", member(ctx, left).which, member(ctx, right).which)
    assert found is not None
    found = coerce.convert(found, WEAK_BOOL)
    return coerce.negate(found) if op == "ne" else found
