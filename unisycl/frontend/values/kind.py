"""What every kind of value is, and what kinds ask of the context that lowers them.

A scalar is an expression of the IR; any other value exists at compile time only and is an object of
a class below ``Kind``, which knows what can be done with it. Non-goals: particular kinds, one file
each beside this one. Invariants: values are immutable; what a kind does not override is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import CodeType
from typing import Any, Protocol, TypeAlias

from unisycl.base.architecture import Target
from unisycl.base.dataclass import dataclass, field
from unisycl.base.spans import Span
from unisycl.frontend.kernel_shape import KernelShape
from unisycl.frontend.source import FunctionSource
from unisycl.ir import nodes as n
from unisycl.ir.function_uses import ChildUse, Position
from unisycl.ir.types import PointerType, Scalar, Struct

Path: TypeAlias = tuple[tuple[str, Any], ...]


class Kind:
    """A value that is no number of the IR, and what Python's operations do with it."""

    __slots__ = ()

    def describe(self) -> str:
        """Name the value for a message, in the user's words."""
        return "nothing"


Value: TypeAlias = n.Expr | Kind


def describe(value: Value) -> str:
    """Name a value for a message, in the user's words."""
    return value.describe() if isinstance(value, Kind) else str(value.type)


class Refused(Exception):
    """Something was reported (or poisoned); the statement at hand is given up."""


@dataclass(eq=False, slots=True)
class Frame:
    """One function being inlined: its names, and where ``return`` goes.

    ``library``: a function of unisycl's own, written in the kernel language; what is wrong in it is
    reported where the user calls it. ``key`` names the inlined instance the same way in every
    round. ``definitions`` say where each name got what it stands for, ``seen`` of which form.
    ``result`` is what returns give, ``returned`` which values; ``falls``: one returns nothing.
    ``assigned`` are the names the function binds, ``once`` those that one plain assignment binds,
    so that a constant given to one stays one. ``allowed`` are the aspects that ``device_has``
    lists, None where it says nothing.
    """

    source: FunctionSource
    function: Any  # FunctionType | None; type checkers would bind it as a method
    path: Path
    key: tuple[Any, ...]
    parent: Frame | None = None
    defaults: tuple[tuple[str, Value], ...] = ()
    names: dict[str, Value | n.Local] = field(default_factory=dict)
    definitions: dict[str, Any] = field(default_factory=dict)
    seen: dict[str, Any] = field(default_factory=dict)
    assigned: frozenset[str] = frozenset()
    once: frozenset[str] = frozenset()
    scope: int = 0
    needs_scope: bool = False
    falls: bool = False
    result: Value | n.Local | None = None
    returned: list[Any] = field(default_factory=list)
    call: ast.AST | None = None
    allowed: frozenset[str] | None = None
    library: bool = False


class Problems(Protocol):
    """The part of ``Lowering`` that knows where code stands, and what is wrong there."""

    @property
    def frame(self) -> Frame: ...
    def span(self, node: ast.AST) -> Span: ...
    def refuse(self, id: str, node: ast.AST, **facts: Any) -> Refused: ...
    def unsettled(self, type: Scalar, node: ast.AST) -> Refused: ...
    def too_large(self, problem: Any, node: ast.AST) -> Refused: ...
    def unknown(self, node: ast.AST) -> Refused: ...
    def converge(self, node: ast.AST, what: str) -> None: ...
    def need(self, type: Scalar, node: ast.AST | None = None) -> None: ...
    def need_all(self, kind: Scalar | Struct) -> None: ...
    def need_aspect(self, name: str, node: ast.AST | None = None) -> None: ...
    def function_at_hand(self) -> CodeType | None: ...


class Expressions(Protocol):
    """The part of ``Lowering`` that turns syntax and values into expressions."""

    def value(self, node: ast.expr) -> Value: ...
    def scalar(self, node: ast.expr) -> n.Expr: ...
    def operands(self, *nodes: ast.expr) -> list[Value]: ...
    def to_scalar(self, value: Value, node: ast.AST, *, unsure: bool = False) -> n.Expr: ...
    def exactly(self, value: Value, node: ast.AST) -> n.Expr: ...
    def truth(self, value: Value, node: ast.AST) -> n.Expr: ...
    def to_pointer(self, value: Value, kind: PointerType, node: ast.AST) -> n.Expr: ...
    def one_kind(self, old: Value, value: Value) -> tuple[Any, Any]: ...
    def as_number(self, value: Value, node: ast.AST) -> Value: ...
    def constant(self, value: Value) -> n.Const | None: ...


class Blocks(Protocol):
    """The part of ``Lowering`` that emits statements and keeps what they may change."""

    def emit(self, stmt: n.Stmt) -> None: ...
    def into(self) -> AbstractContextManager[list[n.Stmt]]: ...
    def branch(self) -> AbstractContextManager[list[n.Stmt]]: ...
    def hold(self, x: n.Expr, name: str = "t") -> n.Expr: ...
    def once(self, x: n.Expr) -> n.Expr: ...
    def named(self, x: n.Expr) -> n.Local: ...
    def hold_value(self, value: Value) -> Value: ...
    def keep(self, value: Value, position: int) -> Value: ...
    def keep_number(self, x: n.Expr, position: int) -> n.Expr: ...
    def load_many(self, place: n.Place, count: int) -> list[n.Expr]: ...
    def store_many(self, place: n.Place, values: Sequence[n.Expr], node: ast.AST) -> None: ...
    def load(self, memory: Any, node: ast.AST) -> n.Expr: ...
    def load_member(self, member: Any, node: ast.AST) -> n.Expr: ...
    def load_vector(self, record: Any, node: ast.AST) -> Any: ...
    def member(self, record: Any, field: Any, node: ast.AST) -> Value: ...
    def loaded(self, value: Any) -> Any: ...
    def size_of(self, memory: Any) -> n.Expr: ...
    def extent(self, memory: Any, d: int) -> n.Expr: ...


class Names(Protocol):
    """The part of ``Lowering`` that binds names and captures objects."""

    def local(self, key: Any, name: str, type: Scalar) -> n.Local: ...
    def adopt(self, key: Any, name: str, form: Any, value: Value | n.Local | None,
              node: ast.AST, old: Value | n.Local | None = None) -> Value | n.Local: ...
    def bring(self, key: Any, name: str, form: Any, value: Value | n.Local | None,
              node: ast.AST) -> Value | n.Local: ...
    def variable(self, key: Any, name: str, form: Any,
                 like: Value | n.Local) -> Value | n.Local: ...
    def meet(self, values: Sequence[Any]) -> Any: ...
    def define(self, frame: Frame, name: str, bound: Value | n.Local, node: ast.AST) -> None: ...
    def assign(self, name: str, value: Value, node: ast.AST) -> None: ...
    def hold_object(self, value: Any, name: str, node: ast.AST) -> Any: ...
    def set_field(self, target: Any, field: str, value: Value, node: ast.AST) -> None: ...
    def guard(self, path: Path, obj: Any, *, frozen: bool = False) -> None: ...
    def capture(self, path: Path, obj: Any, name: str, node: ast.AST, *,
                frozen: bool = False) -> Value: ...


class Lowering(Problems, Expressions, Blocks, Names, Protocol):
    """What lowering a value asks of the context."""

    function: Any
    arguments: tuple[Any, ...]
    shape: KernelShape
    target: Target | None
    types: dict[Any, Any]
    facts: set[str]
    changed: bool
    unsure: bool
    refusals: int
    block: list[n.Stmt]
    frames: list[Frame]
    loops: list[Any]
    heads: list[Any]
    path: tuple[Any, ...]
    unrolled: list[int]
    at: ast.AST | None
    locals: dict[Any, n.Local]
    known: dict[n.Local, n.Const]
    derived: dict[n.Local, Value]
    shared: dict[Any, str]
    sums: dict[Span, Scalar]
    beyond: dict[Span, tuple[str, Scalar, int]]
    absorbed: dict[int, tuple[object, set[int]]]
    powers: dict[Span, n.Expr]
    unassigned: dict[Span, tuple[str, Any]]
    params: dict[Path, n.Param]
    arrays: list[n.Array]
    copies: set[n.Param | n.Array]
    fresh: set[n.Param | n.Array]
    pointed: dict[n.Param | n.Array, None]
    memories: dict[Any, Any]
    overwrites: Any
    reducers: list[n.Reducer]
    reductions: tuple[Any, ...]
    streams: dict[Path, n.Expr]
    guards: dict[tuple[Path, bool], Callable[[Any], bool]]
    aspects: set[str]
    children: list[ChildUse]
    asked: dict[Any, bool]
    notes: list[tuple[str, str]]
    uses: dict[CodeType, tuple[FunctionSource, set[Position]]]
    places: dict[CodeType, set[Position]]
    in_items: bool
    call: Callable[..., Value]
    lower_body: Callable[..., bool]
