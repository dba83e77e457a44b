"""Names that stand for one of several functions, which one being known at run time only.

``if c: f = g`` / ``else: f = h``: the name is a number, which says what to call. A function may
hold numbers, as ``functools.partial`` does; those of each function are variables. Non-goals: calls
(``chosen_functions``). Invariant: what a name stands for depends on its own variables only.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.base.dataclass import dataclass, field, replace
from unisycl.frontend import coerce
from unisycl.frontend.values.constants import Constant, are_of_numbers
from unisycl.frontend.values.items import Item
from unisycl.frontend.values.kind import Frame, Kind, Lowering, Met, Value, VariableForm
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.unsure import Unsure
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT, PointerType


class Function(Kind):
    """A value that can be called and is nothing else."""

    __slots__ = ()

    def describe(self) -> str:
        return "a function"

    @property
    def is_function(self) -> bool:
        return True

    def known_truth(self) -> bool | None:
        return True

    def as_thing(self, ctx: Lowering) -> Value:
        return held(ctx, self)  # it may be another name's, given something else

    def hold(self, ctx: Lowering) -> Value:
        return held(ctx, self)

    def keep(self, ctx: Lowering, position: int) -> Value:
        return kept_before(ctx, self, position)


@dataclass(frozen=True, slots=True)
class Closure(Function):
    """A function defined inside the kernel, with the frame it sees and the defaults it got."""

    node: ast.FunctionDef | ast.Lambda
    frame: Frame = field(compare=False)
    defaults: tuple[tuple[str, Value], ...] = ()

    def call(self, ctx: Lowering, args: list[Value], keywords: dict[str, Value],
             node: ast.AST) -> Value:
        return ctx.syntax.call_closure(ctx, self, args, keywords, node)


@dataclass(frozen=True, slots=True)
class Either(Function):
    """One of two functions, by a condition that nothing changes any more."""

    cond: n.Expr
    then: Value
    orelse: Value

    @property
    def in_variables(self) -> bool:
        return True

    def call(self, ctx: Lowering, args: list[Value], keywords: dict[str, Value],
             node: ast.AST) -> Value:
        return ctx.syntax.call_either(ctx, self, args, keywords, node)


@dataclass(frozen=True, slots=True)
class Partial(Function):
    """A function with some of its arguments (``functools.partial``)."""

    callee: Value
    args: tuple[Value, ...]
    named_args: tuple[tuple[str, Value], ...] = ()

    def describe(self) -> str:
        held = (*self.args, *(v for _, v in self.named_args))
        unsure = next((x.type for x in held if isinstance(x, n.Expr)
                       and isinstance(x.type, Unsure)), None)
        return "a function" if unsure is None else f"a function that holds one {unsure}"

    def call(self, ctx: Lowering, args: list[Value], keywords: dict[str, Value],
             node: ast.AST) -> Value:
        return ctx.syntax.call_function(ctx, self.callee, [*self.args, *args], node,
                                        {**dict(self.named_args), **keywords})



@dataclass(frozen=True, slots=True)
class Option:
    """A function that a name may stand for, with the types of the numbers that it holds."""

    key: Any
    types: tuple[Any, ...]
    like: Any = field(compare=False)


Options = tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class FunctionForm(VariableForm):
    """One of several functions: a number says which."""

    options: Options

    def adopt(self, ctx: Lowering, key: Any, name: str, value: Any, node: ast.AST,
              old: Value | n.Local | None) -> Value:
        return kept(ctx, key, name, self.options, value, node)

    def variable(self, ctx: Lowering, key: Any, name: str, like: Any) -> Value | n.Local:
        return named(ctx, key, name, self.options)


def leaves(value: object) -> list[Any] | None:
    """Return the functions that a value may be; None if it may be something else."""
    if isinstance(value, Either):
        then, orelse = leaves(value.then), leaves(value.orelse)
        return None if then is None or orelse is None else then + orelse
    return None if _key(value) is None else [value]


def _key(value: object) -> tuple[Any, ...] | None:
    """Return what tells a function from others in every round; None if it is none of these."""
    match value:
        case Constant() if callable(value.object):
            return "object", id(value.object), value.path
        case Closure():
            given = [_default(v) for _, v in value.defaults]
            if None in given:
                return None
            return "closure", id(value.node), value.frame.key, *given
        case Partial():
            parts = [_part(v) for v in _within(value)]
            if any(p is None for p in parts):
                return None
            return "partial", len(value.args), tuple(k for k, _ in value.named_args), *parts
    return None


def _part(value: Value) -> tuple[Any, ...] | None:
    """Return what tells a part of a partial from others; all numbers are alike."""
    if isinstance(value, n.Expr | Item):
        return "number" if isinstance(value, n.Expr) else value.kind,
    return _key(value)


def _default(value: Value) -> tuple[Any, ...] | None:
    """Return what tells a default from others: what is known while compiling stays known."""
    if isinstance(value, n.Const):
        return "known", value.type, repr(value.value)
    if isinstance(value, Constant):
        return "object", id(value.object), value.path
    if isinstance(value, Several):
        parts = [_default(v) for v in value.items]
        return None if None in parts else ("tuple", value.kind, *parts)
    return _part(value)


def _within(value: Partial) -> list[Value]:
    return [value.callee, *value.args, *(v for _, v in value.named_args)]


def numbers(value: object) -> list[n.Expr]:
    """Return the numbers that a function holds, in order."""
    if isinstance(value, Closure | Several):
        parts = value.items if isinstance(value, Several) else [v for _, v in value.defaults]
        return [x for v in parts if not isinstance(v, n.Const)
                for x in ([v] if isinstance(v, n.Expr) else numbers(v))]
    if not isinstance(value, Partial):
        return []
    return [x for v in _within(value) for x in ([v] if isinstance(v, n.Expr) else numbers(v))]


def rebuilt(value: Any, change: Callable[[n.Expr], n.Expr]) -> Any:
    """Return a function, or a choice of some, with other conditions and numbers."""
    if isinstance(value, n.Expr):
        return change(value)
    if isinstance(value, Closure):
        return replace(value, defaults=tuple((p, _changed(v, change)) for p, v in value.defaults))
    if isinstance(value, Either):
        return Either(change(value.cond), rebuilt(value.then, change),
                      rebuilt(value.orelse, change))
    if isinstance(value, Partial):
        return Partial(rebuilt(value.callee, change),
                       tuple(rebuilt(v, change) for v in value.args),
                       tuple((k, rebuilt(v, change)) for k, v in value.named_args))
    return value


def _changed(value: Any, change: Callable[[n.Expr], n.Expr]) -> Any:
    """Return a default with other numbers, those that are known while compiling as they are."""
    if isinstance(value, Several):
        return replace(value, items=tuple(_changed(v, change) for v in value.items))
    return value if isinstance(value, n.Const) else rebuilt(value, change)


def options(values: Sequence[Met]) -> Options | None:
    """Return the functions that a name may be which is given all of these; None if it is one.

    Those that hold numbers of other types are other functions, so that no number changes its type.
    """
    if are_of_numbers([met.value for met in values]):
        return None
    found: dict[Any, Option] = {}
    for met in values:
        given = leaves(met.value)
        if given is None:
            return None
        for value in given:
            types = tuple(x.type for x in numbers(value))
            if any(isinstance(t, Unsure | PointerType) for t in types):
                return None
            found.setdefault((_key(value), types), Option(_key(value), types, value))
    if len(found) == 1 and not any(option.types for option in found.values()):
        return None
    return tuple(sorted(found.values(), key=_order))


def _order(option: Option) -> tuple[str, str]:
    """Return where a function stands among others, alike in every round and every process."""
    return repr((_place(option.like), option.types)), repr(option.key)


def _place(value: object) -> tuple[Any, ...]:
    """Return where a function is written; addresses decide only where that is the same place."""
    match value:
        case Closure():
            return "closure", value.node.lineno, value.node.col_offset
        case Constant():
            code = getattr(value.object, "__code__", None)
            return ("object", getattr(value.object, "__module__", ""),
                    getattr(value.object, "__qualname__", ""), getattr(code, "co_firstlineno", 0))
        case Partial():
            return "partial", *(_place(v) for v in _within(value))
    return ()


def kept(ctx: Lowering, key: Any, name: str, together: Options, value: object,
         node: ast.AST) -> Value:
    """Give a name's variables a function, or one of several; None: the first. Return the name's."""
    if isinstance(value, Either):
        value = held(ctx, value)
    _give(ctx, key, name, together, value, node)
    return named(ctx, key, name, together)


def _give(ctx: Lowering, key: Any, name: str, together: Options, value: object,
          node: ast.AST) -> None:
    which = ctx.local((*key, "function"), name, WEAK_INT)
    if isinstance(value, Either):
        blocks = []
        for part in (value.then, value.orelse):
            with ctx.into() as block:
                _give(ctx, key, name, together, part, node)
            blocks.append(tuple(block))
        ctx.emit(n.If(value.cond, blocks[0], blocks[1], span=ctx.span(node)))
        return
    given = [ctx.hold(x) for x in numbers(value)]
    like = _key(value), tuple(x.type for x in given)
    at = next((k for k, x in enumerate(together) if (x.key, x.types) == like), 0)
    if together[at].types != like[1]:  # of the round before, which is corrected in the next one
        given = [coerce.convert(coerce.weak_scalar(0), t) for t in together[at].types]
    ctx.emit(n.Assign(which, coerce.weak_scalar(at), span=ctx.span(node)))
    for local, x in zip(_variables(ctx, key, name, together, at), given, strict=True):
        ctx.emit(n.Assign(local, coerce.cast(x, local.type), span=ctx.span(node)))


def _variables(ctx: Lowering, key: Any, name: str, together: Options, at: int) -> list[n.Local]:
    option = together[at]
    return [ctx.local((*key, "given", option.key, option.types, k), name, type)
            for k, type in enumerate(option.types)]


def named(ctx: Lowering, key: Any, name: str, together: Options) -> Value:
    """Return what a name stands for whose variables say which function that is."""
    which = n.Read(WEAK_INT, ctx.local((*key, "function"), name, WEAK_INT))
    found: list[Value] = []
    for k, option in enumerate(together):
        own = [n.Read(x.type, x) for x in _variables(ctx, key, name, together, k)]
        found.append(_filled(_here(ctx, option.like), own))
    result = found[-1]
    for k in range(len(found) - 2, -1, -1):
        result = Either(n.Compare(BOOL, "eq", which, coerce.weak_scalar(k)), found[k], result)
    return result


def _filled(value: Any, numbers: list[n.Read]) -> Any:
    """Return a function that holds these numbers."""
    left = iter(numbers)
    return rebuilt(value, lambda _: next(left))


def _here(ctx: Lowering, value: Any) -> Any:
    """Return a function of another round in this one: its frames have been made anew."""
    if isinstance(value, Closure):
        frame = next((f for f in ctx.frames if f.key == value.frame.key), value.frame)
        return replace(value, frame=frame, defaults=tuple(
            (p, _here(ctx, v)) for p, v in value.defaults))
    if isinstance(value, Partial):
        return Partial(_here(ctx, value.callee), tuple(_here(ctx, v) for v in value.args),
                       tuple((k, _here(ctx, v)) for k, v in value.named_args))
    return value


def held(ctx: Lowering, value: Value) -> Value:
    """Return a function that later statements cannot change."""
    kept: Value = rebuilt(value, ctx.hold)
    return kept


def kept_before(ctx: Lowering, value: Value, position: int) -> Value:
    """Return a function that statements from ``position`` on cannot change."""
    kept: Value = rebuilt(value, lambda x: ctx.keep_number(x, position))
    return kept
