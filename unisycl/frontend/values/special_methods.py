"""Python's special methods: which of them the class of a value has, and what calls of them give.

They decide wherever Python asks the class: operators, comparisons, truth, length, membership,
conversions. Non-goals: what a kind of value does without a class. Invariants: the order in which
classes are asked is Python's; a method of the user's is never passed over.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from unisycl.base.generated_code import is_by_dataclass
from unisycl.frontend import coerce
from unisycl.frontend.values.classes import OfClass, class_path, is_named
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.kind import Lowering, Value, describe
from unisycl.frontend.values.records import Record
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_BOOL, WEAK_INT

_WORDS = {"div": "truediv", "shl": "lshift", "shr": "rshift"}
_TURNED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
SYMBOLS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_CHANGING = frozenset(f"__i{op}__" for op in (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and",
    "or", "xor"))
_GENERATED = frozenset(f"__{op}__" for op in _TURNED)


def class_of(value: Value) -> Any:
    """Return the class whose methods decide about a value; None if that is no user's class."""
    return value.owner_class() if isinstance(value, OfClass | Constant) else None


def method_of(value: Value, name: str) -> FunctionType | None:
    """Return the function that a user's class has under a special name; None without one."""
    cls = class_of(value)
    found = getattr(cls, name, None) if cls is not None else None
    return found if isinstance(found, FunctionType) else None


def called(ctx: Lowering, value: Value, name: str, args: Sequence[Value],
           node: ast.AST) -> Value | None:
    """Return what a special method gives; None if the class has none, or does not know."""
    found = _asked(ctx, value, name, args, node)
    if _unknown(found):
        raise ctx.refuse("K036", node, op=name.strip("_"), types=describe(value), help="")
    return found


def _asked(ctx: Lowering, value: Value, name: str, args: Sequence[Value],
           node: ast.AST) -> Value | None:
    """Call a special method; None if the class has none."""
    function = method_of(value, name)
    if function is None:
        return None
    found = ctx.call(ctx, Constant(function, class_path(class_of(value), name)), [value, *args],
                     node)
    if isinstance(found, Constant) or name in _CHANGING:
        return found
    return ctx.hold_value(found)  # what stands here may call it again: x in (a, b)


def _unknown(found: Value | None) -> bool:
    return isinstance(found, Constant) and found.object is NotImplemented


# ---- operators
def operated(ctx: Lowering, op: str, symbol: str, left: Value, right: Value,
             node: ast.AST) -> Value | None:
    """Return ``left op right`` where a class has a method for it; None if neither has."""
    a, b = class_of(left), class_of(right)
    if a is None and b is None:
        return None
    word = _WORDS.get(op, op)
    turns = [(left, f"__{word}__", right)]
    if a is not b:
        turns.insert(0 if _derived(b, a) else 1, (right, f"__r{word}__", left))
    return _first(ctx, turns, symbol, node)


def updated(ctx: Lowering, op: str, left: Value, right: Value, node: ast.AST) -> Value | None:
    """Return what ``left op= right`` gives by a method for that; None without one."""
    found = _asked(ctx, left, f"__i{_WORDS.get(op, op)}__", [right], node)
    return None if _unknown(found) else found


def _derived(cls: Any, base: Any) -> bool:
    return cls is not None and base is not None and cls is not base and issubclass(cls, base)


def _first(ctx: Lowering, turns: list[tuple[Value, str, Value]], symbol: str,
           node: ast.AST) -> Value | None:
    """Return what the first class says that knows; None if none has the method."""
    asked = False
    for owner, name, other in turns:
        found = _asked(ctx, owner, name, [other], node)
        if found is not None and not _unknown(found):
            return found
        asked = asked or found is not None
    if asked:
        first, _, second = turns[0]
        raise ctx.refuse("K036", node, op=symbol, types=f"{describe(first)} and "
                         f"{describe(second)}", help="the method gives NotImplemented for these")
    return None


@functools.lru_cache(maxsize=1024)
def returns_self(function: ast.FunctionDef | ast.Lambda) -> bool:
    """Say whether a method for ``op=`` gives the object itself, wherever it returns."""
    return getattr(function, "name", "") in _CHANGING and gives_first(function)


@functools.lru_cache(maxsize=1024)
def gives_first(function: ast.FunctionDef | ast.Lambda) -> bool:
    """Say whether a function gives what its first parameter is, wherever it returns."""
    if isinstance(function, ast.Lambda):
        return False
    names = [a.arg for a in [*function.args.posonlyargs, *function.args.args]]
    inside = [x for x in ast.walk(function) if x is not function]
    returned = [x.value for x in inside if isinstance(x, ast.Return)]
    kept = not any(isinstance(x, ast.FunctionDef | ast.Lambda) or (
        isinstance(x, ast.Name) and not isinstance(x.ctx, ast.Load) and x.id == names[0])
        for x in inside) if names else False
    return kept and isinstance(function.body[-1], ast.Return) and all(
        isinstance(x, ast.Name) and x.id == names[0] for x in returned)


# ---- comparisons
def compared(ctx: Lowering, op: str, left: Value, right: Value, node: ast.AST,
             tuples: Callable[[str, Value, Value], Value]) -> Value | None:
    """Return ``left op right`` where a class has a method for it; None if neither has.

    ``tuples`` compares two tuples, as the methods that ``dataclass`` writes do.
    """
    a, b = class_of(left), class_of(right)
    if a is None and b is None:
        return None
    turns = [(left, op, right), (right, _TURNED[op], left)]
    if _derived(b, a):
        turns.reverse()
    asked = False
    for owner, name, other in turns:
        found = _said(ctx, name, owner, other, node, tuples)
        if found is not None and not _unknown(found):
            return found
        asked = asked or found is not None
    if asked and op in ("eq", "ne") and a is not b:
        return coerce.weak_scalar(op == "ne")  # two objects, neither of which knows the other
    if asked:
        raise ctx.refuse("K036", node, op=SYMBOLS[op], types=f"{describe(left)} and "
                         f"{describe(right)}", help="the method gives NotImplemented for these")
    return None


def _said(ctx: Lowering, op: str, owner: Value, other: Value, node: ast.AST,
          tuples: Callable[[str, Value, Value], Value]) -> Value | None:
    """Return what one class says of a comparison; None if it has no method for it."""
    name, cls = f"__{op}__", class_of(owner)
    function = method_of(owner, name)
    if function is None and op == "ne" and not is_named(cls) and method_of(owner, "__eq__"):
        found = _said(ctx, "eq", owner, other, node, tuples)
        return found if found is None or _unknown(found) else coerce.negate(
            coerce.convert(ctx.truth(found, node), WEAK_BOOL))
    if function is None:
        return _by_elements(op, owner, other, tuples) if is_named(cls) else None
    if not is_generated(cls, function):
        return _asked(ctx, owner, name, [other], node)
    if class_of(other) is not cls:
        return Constant(NotImplemented)
    home = next(c for c in cls.__mro__ if vars(c).get(name) is function)
    names = [f.name for f in dataclasses.fields(home) if f.compare]
    ctx.guard(class_path(cls, name), function)
    mine, others = (_fields(ctx, v, names, node) for v in (owner, other))
    return None if mine is None or others is None else tuples(op, mine, others)


def _by_elements(op: str, owner: Value, other: Value,
                 tuples: Callable[[str, Value, Value], Value]) -> Value | None:
    """Compare a NamedTuple as a tuple does, whose methods it has where it has none of its own."""
    if isinstance(owner, Instance) and isinstance(other, Instance) and is_named(other.cls):
        return tuples(op, Several(owner.items), Several(other.items))
    if isinstance(owner, Instance) and isinstance(other, Several) and other.kind == "tuple":
        return tuples(op, Several(owner.items), other)
    return None


def is_generated(cls: Any, function: FunctionType) -> bool:
    """Say whether ``dataclass`` wrote a comparison of a class."""
    return function.__name__ in _GENERATED and is_by_dataclass(function) \
        and dataclasses.is_dataclass(cls)


def _fields(ctx: Lowering, value: Value, names: list[str], node: ast.AST) -> Several | None:
    """Return fields of an object as a tuple; None of a record, which no device compares."""
    if isinstance(value, Instance):
        return Several(tuple(value.told(ctx, name, node) for name in names))
    if isinstance(value, Constant):
        return Several(tuple(ctx.capture((*value.path, ("attr", name)), getattr(
            value.object, name), name, node) for name in names))
    return None


# ---- conversions and questions
def number(ctx: Lowering, value: Value, names: Sequence[str], kinds: str, what: str,
           node: ast.AST) -> n.Expr | None:
    """Return the number that the first of several methods gives; None if there is none of them.

    As in Python it has to be Python's number of a kind in ``kinds``, or a float64 for a float.
    """
    for name in names:
        found = called(ctx, value, name, [], node)
        if found is None:
            continue
        x = ctx.to_scalar(found, node)
        fits = x.type.dtype.kind in ("bi" if name == "__index__" else kinds)
        if not fits or not (x.type.weak or x.type.dtype.name == "float64"):
            raise ctx.refuse("K049", node, found=f"{x.type}, which {name} gives", expected=what,
                             help="as Python says, too: convert it in the method")
        return x
    return None


def truth_of(ctx: Lowering, value: Value, node: ast.AST) -> n.Expr | None:
    """Return ``bool(value)`` by the methods of its class; None if it has none for it."""
    found = number(ctx, value, ("__bool__",), "b", "a bool of Python's", node)
    if found is None and not isinstance(value, Record):  # NumPy's records have a truth
        found = number(ctx, value, ("__len__",), "bi", "an int", node)
    return None if found is None else coerce.truth(found)


def length_of(ctx: Lowering, value: Value, node: ast.AST) -> n.Expr | None:
    """Return ``len(value)`` by the method of its class; None without one."""
    found = number(ctx, value, ("__len__",), "bi", "an int", node)
    return None if found is None else coerce.convert(found, WEAK_INT)


__all__ = ["SYMBOLS", "called", "class_of", "compared", "is_generated", "length_of", "method_of",
           "number", "operated", "truth_of", "updated"]
