"""Names that are None on some paths: a truth value beside what they are on the others.

``best = None`` before a loop with ``if best is None or x < best: best = x``. Non-goals: where the
flow shows that such a name has a value (``syntax.narrowing``), pointers and memory, whose None is
an address. Invariant: what stands there while it is None is never read: whoever asks for more than
whether it is None, or equal to something, is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.base.dataclass import dataclass, field, replace
from unisycl.frontend import coerce
from unisycl.frontend.values import members
from unisycl.frontend.values.absent import MayBeNone
from unisycl.frontend.values.joins import form_of as form_of_value
from unisycl.frontend.values.joins import is_none, meet
from unisycl.frontend.values.kind import (
    Form,
    Lowering,
    Met,
    Target,
    Value,
    VariableForm,
    describe,
)
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_BOOL, PointerType, Scalar


@dataclass(frozen=True, slots=True)
class Optional(MayBeNone):
    """A value, or None: ``has`` says at run time whether it is ``some``."""

    has: n.Expr
    some: Value
    name: str = field(default="", compare=False)

    def describe(self) -> str:
        return f"{describe(self.some)} or None"

    def refused(self, ctx: Lowering, node: ast.AST) -> Exception:
        """Refuse what Python could only do if it were not None."""
        name = self.name if self.name.isidentifier() else "x"
        first = "" if name == self.name else f"give it a name, {name} = ..., and "
        return ctx.refuse("K127", node, name=self.name or "this", help=(
            f"{first}ask before, in the same function: if {name} is not None: ...; or give it a "
            "value other than None on each path"))

    def number(self, ctx: Lowering, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        raise self.refused(ctx, node)

    def truth(self, ctx: Lowering, node: ast.AST) -> n.Expr:
        return coerce.binary("and", self.has, ctx.truth(self.some, node), BOOL)

    def is_nothing(self) -> n.Expr:
        """Return whether it is None."""
        return coerce.convert(coerce.negate(self.has), WEAK_BOOL)

    # ---- parts
    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        raise self.refused(ctx, node)

    def attribute(self, ctx: Lowering, node: ast.Attribute) -> Value:
        raise self.refused(ctx, node)

    def indices(self, ctx: Lowering, node: ast.AST) -> list[n.Expr]:
        raise self.refused(ctx, node)

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        raise self.refused(ctx, node)

    def components(self, ctx: Lowering, node: ast.AST) -> list[n.Expr]:
        raise self.refused(ctx, node)

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        raise self.refused(ctx, node)

    def spelt(self, ctx: Lowering, node: ast.AST, *, inside: bool) -> Any:
        raise self.refused(ctx, node)

    def call(self, ctx: Lowering, args: list[Value], keywords: dict[str, Value],
             node: ast.AST) -> Value:
        raise self.refused(ctx, node)

    # ---- names and paths
    @property
    def in_variables(self) -> bool:
        return True

    def form(self) -> Form:
        return OptionalForm(form_of_value(self.some))

    def meet(self, values: list[Met], *, unsure: bool) -> Form | None:
        return form_of(values, unsure=unsure)

    def as_number(self, ctx: Lowering, node: ast.AST) -> Value:
        return replace(self, some=ctx.as_number(self.some, node))

    def without_homes(self, gone: Callable[[Any], bool]) -> Value:
        return self if isinstance(self.some, n.Expr) else replace(
            self, some=self.some.without_homes(gone))

    def hold(self, ctx: Lowering) -> Value:
        return replace(self, has=ctx.hold(self.has), some=ctx.hold_value(self.some))

    def keep(self, ctx: Lowering, position: int) -> Value:
        return replace(self, has=ctx.keep_number(self.has, position),
                       some=ctx.keep(self.some, position))


@dataclass(frozen=True, slots=True)
class OptionalForm(VariableForm):
    """None, or a value of a form: a truth value says which."""

    some: Form

    @property
    def beside_none(self) -> bool:
        return True

    def adopt(self, ctx: Lowering, key: Any, name: str, value: Any, node: ast.AST,
              old: Value | n.Local | None) -> Value:
        """Give the variables a value, or None; what they hold beside None is zero."""
        given: Any = None if value is None or is_none(value) else value
        has: n.Expr = n.Const(BOOL, given is not None)
        if isinstance(given, Optional):
            has, given = ctx.hold(given.has), given.some
        held = ctx.adopt(key, name, self.some, given, node)
        flag = ctx.local((*key, "some?"), f"{name}.some", BOOL)
        if not (isinstance(has, n.Read) and has.local is flag):
            ctx.emit(n.Assign(flag, has, span=ctx.span(node)))
        return _made(flag, held, name)

    def variable(self, ctx: Lowering, key: Any, name: str, like: Any) -> Value | n.Local:
        if isinstance(like, Optional):
            like = like.some
        if is_none(like) or isinstance(like, n.Local):
            like = None
        held = ctx.adopt(key, name, self.some, None, ctx.at or ctx.frames[-1].source.node) \
            if like is None else ctx.variable(key, name, self.some, like)
        return _made(ctx.local((*key, "some?"), f"{name}.some", BOOL), held, name)


def _made(flag: n.Local, held: Value | n.Local, name: str) -> Optional:
    some = n.Read(held.type, held) if isinstance(held, n.Local) else held
    return Optional(n.Read(BOOL, flag), some, name)


def form_of(values: Sequence[Met], *, unsure: bool = True, among: bool = False) -> Form | None:
    """Return the form of a name that is given all of these, None among them; None: there is none.

    ``among``: None may be missing among them. What is known while compiling only is not kept so.
    """
    rest: list[Met] = []
    for met in values:
        if isinstance(met.value, Optional):
            rest.append(met.part(met.value.some))
        elif not is_none(met.value):
            rest.append(met)
    if among and len(rest) == len(values) and not any(
            isinstance(v.value, Optional) for v in values):
        return None
    form = members.form_of([v.value for v in rest]) or meet(rest, unsure=unsure) if rest else None
    return None if form is None or not _may_be_none(form) else OptionalForm(form)


def _may_be_none(form: Form) -> bool:
    if isinstance(form, Scalar):
        return not isinstance(form, PointerType)
    return form.beside_none and all(map(_may_be_none, getattr(form, "items", ())))


def compare(ctx: Lowering, op: str, left: Value, right: Value, node: ast.AST,
            equal: Callable[[Value, Value], Value]) -> n.Expr:
    """Return ``is`` (``op``: is), ``==`` or ``!=`` of what may be None; any other is refused.

    ``equal`` compares two values.
    """
    one, other = (left, right) if isinstance(left, Optional) else (right, left)
    assert isinstance(one, Optional)
    if op not in ("is", "eq", "ne"):
        raise one.refused(ctx, node)
    if is_none(other):
        nothing = one.is_nothing()
        return coerce.negate(nothing) if op == "ne" else nothing
    some = other.some if isinstance(other, Optional) else other
    if op == "is" and None in (members.class_of(one.some), members.class_of(some)):
        raise one.refused(ctx, node)
    same = coerce.truth(ctx.to_scalar(equal(one.some, some), node))
    if isinstance(other, Optional):
        both = coerce.binary("and", one.has, other.has, BOOL)
        none = coerce.negate(coerce.binary("or", one.has, other.has, BOOL))
        found = coerce.binary("or", none, coerce.binary("and", both, same, BOOL), BOOL)
    else:
        found = coerce.binary("and", one.has, same, BOOL)
    found = coerce.convert(found, WEAK_BOOL)
    return coerce.negate(found) if op == "ne" else found


__all__ = ["Optional", "OptionalForm", "compare", "form_of"]
