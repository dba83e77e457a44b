"""Python objects that are known while compiling: functions, types, modules, text, None, enums.

Non-goals: calls (``syntax.call``), which objects may be captured (``captures``). Invariant: code
that depends on one is guarded by it.
"""

from __future__ import annotations

import ast
import enum
import sys
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from unisycl.base import dtypes, other_names
from unisycl.base.dataclass import dataclass
from unisycl.base.enums import stream_manipulator
from unisycl.base.value_text import Shown
from unisycl.frontend import captures, coerce
from unisycl.frontend.paths import Path
from unisycl.frontend.spelling import suggest
from unisycl.frontend.values import members, optionals
from unisycl.frontend.values.kind import Form, Kind, Lowering, Met, Piece, Value
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir.types import PointerType, Scalar, Struct, element_type
from unisycl.lang.memory.pointer import pointer_type
from unisycl.lang.numbers.elements import elements_type
from unisycl.lang.numbers.function_objects import function_object

_OF_MEMBERS = ("__eq__", "__ne__", "__bool__", "__len__", "__hash__")  # asked while it runs
_MADE_BY_CLASS = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_NOT_USERS = frozenset((*sys.stdlib_module_names, "numpy", "unisycl"))
_LIBRARIES = frozenset(("numpy", "math", "unisycl", "operator", "builtins"))


@dataclass(frozen=True, slots=True)
class Constant(Kind):
    """A Python object known while compiling, and the path it was captured by."""

    object: Any
    path: Path = ()

    def describe(self) -> str:
        obj = self.object
        if isinstance(obj, type):
            return f"the type '{obj.__name__}'"
        if obj is None or isinstance(obj, str):
            return repr(obj)
        name = getattr(obj, "__name__", None)
        return f"'{name}'" if name else f"an object of type '{type(obj).__name__}'"

    def number_help(self) -> str:
        return "ask before whether it is None, or give it a number" if self.object is None else ""

    def memory_help(self) -> str:
        return "pass memory, a tuple or an id" if self.object is None else ""

    def is_instance(self, classes: tuple[type, ...]) -> bool:
        return isinstance(self.object, classes)

    @property
    def is_function(self) -> bool:
        return callable(self.object)

    @property
    def leads(self) -> bool:
        return self.object is None

    def number(self, ctx: Lowering, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        if isinstance(self.object, enum.Enum) and isinstance(self.object, int | float):
            return coerce.weak_scalar(self.object.value)
        return Kind.number(self, ctx, node, unsure=unsure)

    def owner_class(self) -> Any:
        """Return the user's class that the object is of; None for objects of other kinds."""
        cls = type(self.object)
        if isinstance(self.object, type | enum.Enum | ModuleType) or not is_of_user(cls):
            return None
        return cls

    def known_truth(self) -> bool | None:
        cls = self.owner_class()
        if cls is not None and any(isinstance(getattr(cls, name, None), FunctionType)
                                   for name in ("__bool__", "__len__")):
            return None  # it may depend on what the object holds
        return bool(self.object)

    @property
    def enumeration(self) -> Any:
        """The enumeration that it is a member of, if names may stand for any of them; or None."""
        cls = type(self.object)
        if not isinstance(self.object, enum.Enum) or isinstance(self.object, enum.Flag) or (
                cls._member_type_ not in (object, int, float)):  # others are their values, too
            return None
        own = (getattr(cls, name, None) for name in _OF_MEMBERS)
        return None if any(isinstance(f, FunctionType) and f.__module__ != "enum"
                           for f in own) else cls

    def meet(self, values: list[Met], *, unsure: bool) -> Form | None:
        return Kind.meet(self, values, unsure=unsure) or members.form_of(
            [v.value for v in values]) or (
            optionals.form_of(values, unsure=unsure) if self.object is None else None)

    def as_pointer(self, ctx: Lowering, kind: PointerType, node: ast.AST) -> n.Expr:
        return n.Const(kind, 0) if self.object is None else Kind.as_pointer(self, ctx, kind, node)

    # ---- parts
    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        obj = self.object
        if isinstance(obj, bytes) and not isinstance(node.slice, ast.Slice):
            return self.numbers(ctx).subscript(ctx, node)
        if isinstance(obj, str | bytes):
            return self._part(ctx, node)
        if isinstance(obj, enum.EnumMeta):
            name = ctx.value(node.slice)
            if isinstance(name, Constant) and name.object in obj.__members__:
                return self.member(ctx, name.object, node)
            raise ctx.refuse("K046", node, what=f"the name of a member of {obj.__name__}",
                             help=f"it has {', '.join(obj.__members__)}")
        if isinstance(obj, function_object | pointer_type):
            return self  # plus[np.float32], local_ptr[np.float32], as C++ writes plus<float>
        if isinstance(obj, type) and is_of_user(obj) and hasattr(obj, "__class_getitem__"):
            return self  # of Vector[float], what it is for type checkers
        if isinstance(obj, elements_type):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return ctx.call(ctx, self, ctx.operands(*parts), node)
        return Kind.subscript(self, ctx, node)

    def _part(self, ctx: Lowering, node: ast.Subscript) -> Value:
        """Return a character of a text, or some of them."""
        cut = node.slice
        nodes = [cut.lower, cut.upper, cut.step] if isinstance(cut, ast.Slice) else [cut]
        bounds = [None if x is None else ctx.constant(ctx.scalar(x)) for x in nodes]
        if any(b is None and x is not None for b, x in zip(bounds, nodes, strict=True)):
            raise ctx.refuse("K019", node)
        self.settled(ctx)
        known = [None if b is None else int(b.value) for b in bounds]
        try:
            return plain(self.object[slice(*known) if isinstance(cut, ast.Slice) else known[0]])
        except IndexError as error:
            raise ctx.refuse("K054", node, what=f"this raises IndexError: {error}",
                             help="") from None

    def settled(self, ctx: Lowering) -> Any:
        """Return the object; the code depends on it from now on."""
        if self.path:
            ctx.guard(self.path, self.object, frozen=True)
        return self.object

    def member(self, ctx: Lowering, name: str, node: ast.AST) -> Value:
        """Return a member of an enumeration."""
        return ctx.capture((*self.path, ("attr", name)), self.object.__members__[name], name, node,
                           frozen=True)

    def members(self, ctx: Lowering) -> tuple[Value, ...]:
        """Return the members of an enumeration, or the characters of a text, in order."""
        if isinstance(self.object, str):
            return tuple(map(Constant, self.settled(ctx)))
        node = ctx.at or ctx.frames[-1].source.node
        return tuple(self.member(ctx, m.name, node) for m in self.object)

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        """Return what a method of a text gives for what is known while compiling."""
        given = [_object(ctx, v) for v in (*args, *keywords.values())]
        if None in given:
            raise ctx.refuse("K046", node, what=f"what '{name}' of a text is given", help="texts "
                             "exist while compiling only; work on numbers")
        known = [x[0] for x in given if x is not None]
        named = dict(zip(keywords, known[len(args):], strict=True))
        try:
            return plain(getattr(self.settled(ctx), name)(*known[:len(args)], **named))
        except (TypeError, ValueError, LookupError) as error:
            raise ctx.refuse("K054", node, what=f"this raises {type(error).__name__}: {error}",
                             help="") from None

    def numbers(self, ctx: Lowering) -> Several:
        """Return the numbers that bytes are."""
        if self.path:
            ctx.guard(self.path, self.object, frozen=True)
        return Several(tuple(map(coerce.weak_scalar, self.object)))

    def as_static(self, ctx: Lowering) -> Value:
        return self.numbers(ctx) if isinstance(self.object, bytes) else self

    def length(self) -> n.Expr | None:
        known = isinstance(self.object, str | bytes | enum.EnumMeta)
        return coerce.weak_scalar(len(self.object)) if known else None

    def listed(self, ctx: Lowering) -> tuple[Value, ...] | None:
        if isinstance(self.object, str | enum.EnumMeta):
            return self.members(ctx)
        return self.numbers(ctx).items if isinstance(self.object, bytes) else None

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        if isinstance(self.object, bytes):
            return self.numbers(ctx).items
        if isinstance(self.object, str | enum.EnumMeta):
            return self.members(ctx)
        return Kind.unpacked(self, ctx, node)

    def attribute(self, ctx: Lowering, node: ast.Attribute) -> Value:
        obj = self.object
        try:
            found = getattr(obj, node.attr)
        except AttributeError:
            raise ctx.refuse("K032", node, what=self.describe(), name=node.attr,
                             help=other_names.advice(node.attr) or suggest(
                                 node.attr, dir(obj))) from None
        if isinstance(obj, np.iinfo | np.finfo | np.dtype):
            return answer(found)
        if isinstance(obj, str | bytes) and callable(found):
            return Method(self, node.attr)
        path = (*self.path, ("attr", node.attr))
        module = isinstance(obj, ModuleType)
        if module and obj.__name__.split(".")[0] in _LIBRARIES and not isinstance(
                found, bool | int | float | list | dict):
            return Constant(found, path)
        return ctx.capture(path, found, node.attr, node, frozen=module or isinstance(obj, type))

    def spelt(self, ctx: Lowering, node: ast.AST, *, inside: bool) -> list[Piece] | None:
        return [repr(self.object) if inside else str(self.object)]

    def streamed(self, ctx: Lowering, node: ast.AST) -> list[Piece] | None:
        if isinstance(self.object, stream_manipulator):
            return [Shown(self.object.name, 0)]
        return [self.object] if isinstance(self.object, str) else None

    def call(self, ctx: Lowering, args: list[Value], keywords: dict[str, Value],
             node: ast.AST) -> Value:
        if isinstance(self.object, enum.EnumMeta) and len(args) == 1 and not keywords:
            return self._by_value(ctx, args[0], node)
        return ctx.syntax.call_object(ctx, self, args, keywords, node)


    def _by_value(self, ctx: Lowering, value: Value, node: ast.AST) -> Value:
        """Return the member of an enumeration that has a value known while compiling."""
        known = _object(ctx, value)
        if known is None and isinstance(value, n.Expr):
            member = members.of_value(ctx, self.object, self.members(ctx), value, node)
            if member is not None:
                return member
        if known is None:
            raise ctx.refuse("K046", node, what=f"the value of a member of {self.object.__name__}",
                             help="compare numbers with members' values")
        try:
            found = self.object(known[0])
        except ValueError as error:
            raise ctx.refuse("K054", node, what=f"this raises ValueError: {error}",
                             help="") from None
        if found.name not in self.object.__members__:
            return coerce.weak_scalar(found.value)  # several flags
        return self.member(ctx, found.name, node)


def plain(found: Any) -> Value:
    """Return a number, a text or a tuple of such as what they are in kernels."""
    if isinstance(found, bool | int | float):
        return coerce.weak_scalar(found)
    if isinstance(found, tuple | list):
        return Several(tuple(map(plain, found)))
    return Constant(found)


def _object(ctx: Lowering, value: Value) -> tuple[Any] | None:
    """Return the object that a value is, alone in a tuple; None if only a run tells."""
    if isinstance(value, Constant):
        return (value.settled(ctx),)
    if isinstance(value, Several):
        parts = [_object(ctx, v) for v in value.items]
        return None if None in parts else (tuple(p[0] for p in parts if p is not None),)
    number = ctx.constant(value)
    return None if number is None else (number.value,)


def is_of_user(cls: Any) -> bool:
    """Say whether a class is one of the program's, or of a package that is not known here."""
    home = getattr(cls, "__module__", None) or ""
    return bool(cls.__flags__ & _MADE_BY_CLASS) and home.split(".")[0] not in _NOT_USERS


def answer(found: Any) -> Value:
    """Return what a question about types gives: numbers as constants, objects as they are."""
    if isinstance(found, bool | int | float):
        return coerce.weak_scalar(found)
    row = dtypes.find_dtype(found.dtype) if isinstance(found, np.generic) else None
    if row is not None and isinstance(found, np.bool_ | np.integer | np.floating):
        return n.Const(Scalar(row), found.item())
    return Constant(found, (("object", found),))


def as_element(value: Value) -> Scalar | Struct | None:
    """Return the element type a compile-time object names (np.float32, 'int32', float4)."""
    if not isinstance(value, Constant) or isinstance(value.object, captures.Missing):
        return None
    try:
        return element_type(np.dtype(value.object))
    except TypeError:
        return None


def are_of_numbers(values: Iterable[object]) -> bool:
    """Say whether all are objects of one class of the program that hold numbers, of one type each.

    Such objects are chosen field by field, also where they may be called.
    """
    kinds = {_held(v.object) if isinstance(v, Constant) and v.owner_class() is not None else None
             for v in values}
    return len(kinds) == 1 and None not in kinds


def _held(obj: Any) -> tuple[Any, ...] | None:
    """Return the class of an object and of the numbers that it holds; None if it holds others."""
    held = getattr(obj, "__dict__", None)
    if not held or not all(isinstance(x, bool | int | float | np.number | np.bool_)
                           and not isinstance(x, enum.Enum) for x in held.values()):
        return None
    return type(obj), *((name, type(x)) for name, x in held.items())
