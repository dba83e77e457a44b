"""Dataclasses in kernels: values made there, and records in memory that have a class.

A value is its fields, each a variable of its own. Non-goals: captured objects, whose attributes are
captured one by one. Invariants: what ``dataclasses`` generates is understood, what the user wrote
is inlined; names share objects as ``variables`` says.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from types import CodeType, FunctionType
from typing import Any

from unisycl.base.dataclass import dataclass, replace
from unisycl.base.generated_code import is_by_dataclass
from unisycl.frontend import captures, coerce, guards
from unisycl.frontend.parameters import default_steps, match, spell
from unisycl.frontend.spelling import suggest
from unisycl.frontend.values import vectors
from unisycl.frontend.values.classes import OfClass, class_path, is_named
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.joins import (
    adopted_part,
    form_of,
    meet_parts,
    same_parts,
    variable_part,
)
from unisycl.frontend.values.kind import Form, Kind, Lowering, Met, Target, Value, VariableForm
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n

_FIELDS = "__dataclass_fields__"
_OF_SEQUENCES = ("__iter__", "__len__", "__getitem__", "__contains__")
_OF_OBJECTS = ("__setattr__", "__getattribute__", "__new__", "__delattr__")


@dataclass(frozen=True, slots=True)
class Untold(Kind):
    """A field that only a run could tell, and that exists while compiling only: one of texts."""

    def describe(self) -> str:
        return "one of several texts"


@dataclass(frozen=True, slots=True)
class Instance(OfClass):
    """A value of a dataclass: its fields, in order; ``homes`` and ``exact`` as in ``Vector``.

    ``fixed``: it is, or may be, an object that the kernel captures, which it cannot change.
    """

    cls: Any
    fields: tuple[str, ...]
    items: tuple[Value, ...]
    homes: frozenset[Any] = frozenset()
    name: str = ""
    exact: bool = False
    fixed: bool = False

    def describe(self) -> str:
        return str(self.cls.__name__)

    def owner_class(self) -> Any:
        return self.cls

    def field(self, name: str) -> Value:
        """Return the value of a field."""
        return self.items[self.fields.index(name)]

    def told(self, ctx: Lowering, name: str, node: ast.AST) -> Value:
        """Return the value of a field; refuse one that only a run could tell."""
        found = self.field(name)
        if isinstance(found, Untold):
            raise ctx.refuse("K046", node, what=f"'{name}' of one of several objects",
                             help="texts exist while compiling only: compare numbers")
        return found

    def as_tuple(self) -> Value:
        own = any(map(self.has_operator, _OF_SEQUENCES))
        return Several(self.items) if is_named(self.cls) and not own else self

    def known_truth(self) -> bool | None:
        if self.has_operator("__bool__") or self.has_operator("__len__"):
            return None
        return not is_named(self.cls) or bool(self.items)

    # ---- parts
    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        if self.has_operator("__getitem__"):
            return self.call_operator(ctx, "__getitem__", [ctx.value(node.slice)], node)
        if is_named(self.cls):
            return Several(self.items).subscript(ctx, node)
        return Kind.subscript(self, ctx, node)

    def listed(self, ctx: Lowering) -> tuple[Value, ...] | None:
        if not self.has_operator("__iter__"):
            return self.items if is_named(self.cls) else None
        node = ctx.at or ctx.frames[-1].source.node
        made = self.call_operator(ctx, "__iter__", [], node)
        found = ctx.of(made).listed(ctx)
        if found is None:
            raise ctx.refuse("K049", node, found=made.describe() if isinstance(made, Kind)
                             else made.type, expected="an iterator",
                             help="end __iter__ by: return iter((self.x, self.y))")
        return found

    def as_static(self, ctx: Lowering) -> Value:
        found = self.listed(ctx)
        return self if found is None else Several(found)

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        found = self.listed(ctx)
        return Kind.unpacked(self, ctx, node) if found is None else found

    def length(self) -> n.Expr | None:
        return coerce.weak_scalar(len(self.items)) if is_named(self.cls) else None

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        return self.told(ctx, name, node) if name in self.fields else self.class_attribute(
            ctx, name, node)

    def names(self) -> Iterable[str]:
        return frozenset(dir(self.cls)) | frozenset(self.fields)

    def given_fields(self) -> dict[str, Value] | None:
        return dict(zip(self.fields, self.items, strict=True))

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        own = None if isinstance(node, ast.Attribute) and node.attr in self.fields \
            else self.own_target(ctx, node)
        if own is not None:
            return own
        if not isinstance(node, ast.Attribute):
            return Kind.target(self, ctx, node, read=read)
        if node.attr not in self.fields:
            raise ctx.refuse("K032", node, what=self.describe(), name=node.attr,
                             help=suggest(node.attr, self.fields,
                                          f"it has {', '.join(self.fields)}"))
        if is_named(self.cls) or getattr(getattr(
                self.cls, "__dataclass_params__", None), "frozen", False):
            raise ctx.refuse("K054", node, what=f"'{self.cls.__name__}' is frozen: its fields "
                             "cannot be assigned", help="make a new one")
        if self.fixed:
            raise ctx.refuse("K041", node, name=ast.unparse(node))
        vectors.check_unshared(ctx, self, node)
        if not self.exact:
            raise ctx.refuse("K083", node, what=self.describe())
        return Slot(self, node.attr)

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        if name == "_replace" and is_named(self.cls) and not args:
            return self._replaced(ctx, keywords, node)
        return OfClass.call_method(self, ctx, name, args, keywords, node)

    def _replaced(self, ctx: Lowering, named: dict[str, Value], node: ast.AST) -> Value:
        """Return ``_replace(...)`` of a NamedTuple."""
        match(ctx, node, "_replace", (), named, (), self.fields)
        return replace(self, homes=frozenset(), exact=False, items=tuple(
            ctx.as_number(named.get(f, v), node)
            for f, v in zip(self.fields, self.items, strict=True)))

    # ---- names and paths
    @property
    def in_variables(self) -> bool:
        return True

    def form(self) -> Form:
        return ObjectForm(self.cls, self.fields, tuple(map(form_of, self.items)), self.fixed)

    def meet(self, values: list[Met], *, unsure: bool) -> Form | None:
        rows = [[v.part(x) for x in v.value.items] for v in values if isinstance(
            v.value, Instance) and (v.value.cls, v.value.fields) == (self.cls, self.fields)]
        fixed = any(isinstance(v.value, Instance) and v.value.fixed for v in values)
        if len(rows) < len(values):
            return None
        parts = meet_parts(rows, unsure=unsure)
        return None if parts is None else ObjectForm(self.cls, self.fields, parts, fixed)

    def same(self, other: Value | n.Local) -> Value | n.Local | None:
        if not isinstance(other, Instance) or (other.cls, other.fields) != (
                self.cls, self.fields):
            return None
        parts = same_parts(self.items, other.items)
        return None if parts is None else replace(
            self, items=parts, homes=self.homes | other.homes, exact=self.exact and other.exact,
            fixed=self.fixed or other.fixed)

    # ---- what keeps it
    def hold(self, ctx: Lowering) -> Value:
        return replace(self, items=tuple(ctx.hold_value(v) for v in self.items), exact=False)

    def keep(self, ctx: Lowering, position: int) -> Value:
        parts = tuple(ctx.keep(v, position) for v in self.items)
        return replace(self, items=parts, exact=parts == self.items and self.exact)

    def without_homes(self, gone: Callable[[Any], bool]) -> Value:
        return replace(self, homes=frozenset(h for h in self.homes if not gone(h)), items=tuple(
            v.without_homes(gone) if isinstance(v, Kind) else v for v in self.items))


@dataclass(frozen=True, slots=True)
class ObjectForm(VariableForm):
    """An object of a dataclass, field by field."""

    cls: Any
    fields: tuple[str, ...]
    items: tuple[Form, ...]
    fixed: bool = False

    @property
    def beside_none(self) -> bool:
        return True

    def adopt(self, ctx: Lowering, key: Any, name: str, value: Any, node: ast.AST,
              old: Value | n.Local | None) -> Value:
        nothing: Any = (None,) * len(self.items)
        held = nothing if value is None else [ctx.hold_value(v) for v in value.items]
        olds = old.items if isinstance(old, Instance) and old.cls is self.cls else nothing
        items = tuple(adopted_part(ctx, (*key, f), f"{name}.{f}", part, v, node, old=o)
                      for f, part, v, o in zip(self.fields, self.items, held, olds, strict=True))
        if value is not None:
            ctx.share(key, name, value)
        return self._made(key, name, items)

    def variable(self, ctx: Lowering, key: Any, name: str, like: Any) -> Value | n.Local:
        return self._made(key, name, tuple(
            variable_part(ctx, (*key, f), name, part, v)
            for f, part, v in zip(self.fields, self.items, like.items, strict=True)))

    def _made(self, key: Any, name: str, items: tuple[Value, ...]) -> Instance:
        return Instance(self.cls, self.fields, items, frozenset((key,)), name, exact=True,
                        fixed=self.fixed)


@dataclass(frozen=True, slots=True)
class Slot(Target):
    """A field of an object that a variable holds."""

    of: Instance
    name: str

    def read(self, ctx: Lowering, node: ast.AST) -> Value:
        return self.of.field(self.name)

    def write(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        ctx.set_field(self.of, self.name, value, node)


def is_dataclass(obj: object) -> bool:
    """Say whether an object is a class whose constructor ``dataclasses`` wrote."""
    if not (isinstance(obj, type) and dataclasses.is_dataclass(obj)):
        return False
    init = getattr(obj, "__init__", None)
    # What it generates has no text; a constructor of the user's own has.
    return is_by_dataclass(init)


def construct(ctx: Lowering, cls: Any, args: Sequence[Value], named: dict[str, Value],
              node: ast.AST) -> Value:
    """Return a call of a dataclass: a value with these fields."""
    init: FunctionType = cls.__init__
    ctx.guard(class_path(cls, "__init__"), init)
    ctx.needs.guards[class_path(cls, _FIELDS), True] = guards.Same(getattr(cls, _FIELDS))
    fields = [f for f in dataclasses.fields(cls) if f.init]
    code = init.__code__
    steps = default_steps(init, code.co_varnames[1:code.co_argcount])
    check_plain(ctx, cls, node)
    args, named = _by_name(ctx, cls, code, args, named, node)
    required = [f.name for f in fields if f.name not in steps]
    found = match(ctx, node, cls.__name__, args, named, required,
                  [f.name for f in fields if f.name not in required])
    values = []
    for f in dataclasses.fields(cls):
        value = found.get(f.name)
        if value is None:
            value = _default(ctx, cls, f, steps.get(f.name), node)
        values.append(ctx.as_number(value, node))
    made = Instance(cls, tuple(f.name for f in dataclasses.fields(cls)), tuple(values))
    if "__post_init__" not in init.__code__.co_names:  # decided when the class was decorated
        return made
    return initialised(ctx, made, "__post_init__", (), {}, node)


def initialised(ctx: Lowering, made: Instance, method: str, args: Sequence[Value],
                named: dict[str, Value], node: ast.AST) -> Value:
    """Return an object after a method of its class that makes it what it is."""
    cls: Any = made.cls
    held = ctx.hold_object(made, cls.__name__, node)
    hidden = f"new {cls.__name__}"  # so that it is known what becomes of it
    before = ctx.frame.names.get(hidden), ctx.frame.definitions.get(hidden)
    ctx.frame.names[hidden] = held
    function = Constant(getattr(cls, method), class_path(cls, method))
    ctx.call(ctx, function, [held, *args], node, named)
    ctx.frame.definitions.pop(hidden, None)
    became = ctx.frame.names.pop(hidden)
    if before[0] is not None:
        ctx.frame.names[hidden] = before[0]
        if before[1] is not None:
            ctx.frame.definitions[hidden] = before[1]
    assert isinstance(became, Instance)
    kept = became.without_homes(lambda home: home not in ctx.shared)
    assert isinstance(kept, Instance)
    return replace(kept, exact=False)


def check_plain(ctx: Lowering, cls: Any, node: ast.AST) -> None:
    """Refuse a class that makes objects, or keeps what they hold, in a way of its own."""
    for name in _OF_OBJECTS:
        own = getattr(cls, name, None)
        if isinstance(own, FunctionType) and not is_by_dataclass(own):
            raise ctx.refuse("K054", node, what=f"{cls.__name__} has a {name} of its own",
                             help="leave it out, or use a property")


def _by_name(ctx: Lowering, cls: Any, code: CodeType, args: Sequence[Value],
             named: dict[str, Value], node: ast.AST) -> tuple[Sequence[Value], dict[str, Value]]:
    """Name the arguments of a class with fields that are given by keyword only."""
    places = code.co_varnames[1:code.co_argcount]
    if not code.co_kwonlyargcount:
        return args, named
    given = dict(zip(places, args, strict=False))
    if len(args) > len(places) or given.keys() & named.keys():
        raise ctx.refuse("K034", node, what=f"'{cls.__name__}'", expected=spell(places),
                         found=len(args) + len(named))
    return (), given | named


def construct_named(ctx: Lowering, cls: Any, args: Sequence[Value], named: dict[str, Value],
                    node: ast.AST) -> Value:
    """Return a call of a NamedTuple class."""
    names, defaults = cls._fields, cls._field_defaults
    found = match(ctx, node, cls.__name__, args, named, [f for f in names if f not in defaults],
                  [f for f in names if f in defaults])
    values = [found[f] if f in found else ctx.capture(
        (*class_path(cls, "_field_defaults"), ("item", f)), defaults[f], f, node, frozen=True)
        for f in names]
    return Instance(cls, names, tuple(ctx.as_number(v, node) for v in values))


def _default(ctx: Lowering, cls: Any, field: Any, step: tuple[str, Any] | None,
             node: ast.AST) -> Value:
    """Return a field that is not given: the constructor's default, or the class's attribute."""
    if field.default_factory is not dataclasses.MISSING:
        raise ctx.refuse("K054", node, what=f"the default of {cls.__name__}.{field.name} is made "
                         "by a function", help="give the field a value here")
    path, obj = class_path(cls, field.name), getattr(cls, field.name, None)
    if step is not None:
        path = (*class_path(cls, "__init__"), step)
        obj = captures.follow(cls.__init__, *step)
    elif field.default is dataclasses.MISSING:
        raise ctx.refuse("K054", node, what=f"{cls.__name__}.{field.name} is not given a value",
                         help="give the field a default")
    return ctx.capture(path, obj, field.name, node, frozen=True)
