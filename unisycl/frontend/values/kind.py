"""What every kind of value is, and what kinds ask of the context that lowers them.

A scalar is an expression of the IR; any other value exists at compile time only and is an object of
a class below ``Kind``, which knows what can be done with it. Non-goals: particular kinds, one file
each beside this one. Invariants: values are immutable; what a kind does not override is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from types import CodeType
from typing import Any, Protocol, TypeAlias

from unisycl.base import architecture, other_names
from unisycl.base.dataclass import dataclass, field
from unisycl.base.spans import Span
from unisycl.base.value_text import Shown
from unisycl.frontend import coerce
from unisycl.frontend.findings import Dependencies, Doubts, Storage
from unisycl.frontend.kernel_shape import KernelShape
from unisycl.frontend.paths import Path
from unisycl.frontend.source import FunctionSource
from unisycl.frontend.spelling import suggest
from unisycl.frontend.values.unsure import Unsure
from unisycl.ir import nodes as n
from unisycl.ir.types import PointerType, Scalar, Struct

_GROWING = frozenset(("append", "extend", "insert", "pop", "remove", "clear"))
_FIXED = ("nothing grows or shrinks in a kernel: make a list as long as it gets, [0] * n, or a "
          "sycl.private_array(dtype, n), and count its elements; or write to memory")


class Kind:
    """A value that is no number of the IR, and what Python's operations do with it."""

    __slots__ = ()

    # ---- what it is called
    def describe(self) -> str:
        """Name the value for a message, in the user's words."""
        return "nothing"

    def number_help(self) -> str:
        """Return the way out where a number is needed."""
        return ""

    def memory_help(self) -> str:
        """Return the way out where the value is used as memory and is none."""
        return ""

    def is_instance(self, classes: tuple[type, ...]) -> bool:
        """Say what ``isinstance`` says of the value."""
        return False

    @property
    def is_function(self) -> bool:
        """Whether the value can be called and is nothing else."""
        return False

    @property
    def leads(self) -> bool:
        """Whether it can become a pointer in memory: None, or a pointer into known memory."""
        return False

    # ---- numbers and truth
    def number(self, ctx: Lowering, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        """Return the value as a number; ``unsure``: one of several types, too."""
        raise ctx.refuse("K049", node, found=self.describe(), expected="a number",
                         help=self.number_help())

    def truth(self, ctx: Lowering, node: ast.AST) -> n.Expr:
        """Return ``bool(value)``; refuse what has no truth."""
        known = self.known_truth()
        if known is not None:
            return n.true() if known else coerce.negate(n.true())
        return coerce.truth(self.number(ctx, node, unsure=True))

    def known_truth(self) -> bool | None:
        """Return a truth that is known while compiling; None if it is not."""
        return None

    def as_number(self, ctx: Lowering, node: ast.AST) -> Value:
        """Return the integer a one-dimensional index is, also inside tuples; others as they are."""
        return self.value

    def when_bound(self, ctx: Lowering, node: ast.AST) -> Value:
        """Return what a name stands for that is given the value."""
        return self.value

    def as_pointer(self, ctx: Lowering, kind: PointerType, node: ast.AST) -> n.Expr:
        """Turn the value into a pointer that memory can hold, or refuse."""
        raise ctx.refuse("K085", node, what=f"{self.describe()} is stored where {kind} is",
                         help="store a pointer to the same type, or None")

    def decayed(self, ctx: Lowering) -> Value:
        """Return USM memory as the pointer it is outside of kernels; others as they are."""
        return self.value

    # ---- parts
    @property
    def value(self) -> Value:
        """The value itself; of a number, the expression that it is."""
        return self

    def as_tuple(self) -> Value:
        """Return the plain tuple that a NamedTuple is; any other value as it is."""
        return self.value

    def as_static(self, ctx: Lowering) -> Value:
        """Return a NamedTuple, or bytes, as a plain tuple; any other value as it is."""
        return self.as_tuple()

    def referent(self, ctx: Lowering, node: ast.Subscript | ast.Attribute) -> Value:
        """Return what a reference stands for, or a pointer leads to, where a part is wanted."""
        return self.value

    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        """Return ``value[...]``."""
        raise ctx.refuse("K049", node, found=self.describe(), expected="memory, a tuple or an id",
                         help=self.memory_help())

    def attribute(self, ctx: Lowering, node: ast.Attribute) -> Value:
        """Return ``value.name``."""
        found = self.named(ctx, node.attr, node)
        if found is None:
            raise ctx.refuse("K032", node, what=self.describe(), name=node.attr,
                             help=_FIXED if node.attr in _GROWING else other_names.of_value(
                                 node.attr) or suggest(node.attr, self.names()))
        return found

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        """Return an attribute or method; None if there is no such one."""
        return None

    def names(self) -> Iterable[str]:
        """Return the attributes that messages suggest."""
        return ()

    def indices(self, ctx: Lowering, node: ast.AST) -> list[n.Expr]:
        """Return the numbers that the value gives where memory is indexed."""
        raise ctx.refuse("K038", node, found=self.describe(), help="")

    def private_index(self, ctx: Lowering, node: ast.AST) -> tuple[n.Expr, ...]:
        """Return where the element of a private_memory is that belongs to an h_item."""
        raise ctx.refuse("K049", node, found=self.describe(), expected="an h_item",
                         help="private_memory is indexed by what parallel_for_work_item passes")

    def elements(self, ctx: Lowering, like: Any, start: n.Expr, node: ast.AST, *,
                 write: bool) -> n.Place:
        """Return the place of elements of a vec in memory, from one of them on."""
        raise ctx.refuse("K049", node, found=self.describe(), expected="memory of one dimension",
                         help="pass memory of one dimension, or a pointer to it: multi_ptr(a)")

    def check_elements(self, ctx: Lowering, expected: str, node: ast.AST) -> None:
        """Refuse what cannot give a vec its elements, and is no number either."""

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        """Return the values a static iterable yields."""
        raise ctx.refuse("K049", node, found=self.describe(), expected="a tuple, id or range",
                         help="only these can be taken apart")

    def length(self) -> n.Expr | None:
        """Return what ``len`` says of the value; None if it has no length."""
        return None

    def listed(self, ctx: Lowering) -> tuple[Value, ...] | None:
        """Return the elements of what is a tuple to kernels; None if it is none."""
        return None

    def augment(self, ctx: Lowering, op: str, symbol: str, operand: ast.expr,
                node: ast.AST) -> bool:
        """Do ``name op= operand`` if that changes the value itself, and say whether."""
        return False

    def components(self, ctx: Lowering, node: ast.AST) -> list[n.Expr]:
        """Return the numbers of a tuple, id, range or vector; of a number that one."""
        return [self.number(ctx, node)]

    def one_of(self, ctx: Lowering, table: tuple[Value, ...], kind: str, index: n.Expr,
               node: ast.AST) -> Value:
        """Return one of several values of a ``kind``, the first of which this is, by an index."""
        found = ctx.syntax.one_of_several(ctx, table, index)
        if found is not None:
            return found
        raise ctx.refuse("K046", node, what="the index of a tuple that holds more than numbers",
                         help="choose by if / elif, or loop over the tuple")

    def size(self, ctx: Lowering) -> n.Expr | None:
        """Return the number of elements in memory; None if it is no memory."""
        return None

    # ---- names and paths
    def form(self) -> Form:
        """Return what variables hold the value."""
        return ThingForm()

    def meet(self, values: list[Met], *, unsure: bool) -> Form | None:
        """Return the form of a variable that is given all these values, this first; None: none."""
        return ThingForm() if all(v.value == self for v in values) else None

    def as_met(self) -> n.Expr | None:
        """Return the number that the value is where it meets a number; None if it is none."""
        return None

    def same(self, other: Value | n.Local) -> Value | n.Local | None:
        """Return the one variable or thing that both values are; None if they are two."""
        return self.value if self == other else None

    @property
    def in_variables(self) -> bool:
        """Whether the value may be in variables already, so that nothing is to be copied."""
        return False

    def as_thing(self, ctx: Lowering) -> Value:
        """Return what a name stands for that has no variables."""
        return self.value

    # ---- assignment
    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        """Return what a subscript or member of the value denotes, to be written, or refuse."""
        if isinstance(node, ast.Attribute):
            raise ctx.refuse("K041", node, name=ast.unparse(node))
        raise ctx.refuse("K049", node, found=self.describe(), expected="memory",
                         help=self.memory_help())

    def step(self, ctx: Lowering, node: ast.Subscript | ast.Attribute) -> Value | None:
        """Return a part that is a place and stays one on the way to another; None: it is read."""
        return None

    def as_record(self) -> Value:
        """Return the record that a fully indexed view of such denotes; others as they are."""
        return self.value

    def given_fields(self) -> dict[str, Value] | None:
        """Return the fields of an object that was made here; None for any other value."""
        return None

    # ---- text
    def spelt(self, ctx: Lowering, node: ast.AST, *, inside: bool) -> list[Piece] | None:
        """Return what ``str`` says, ``repr`` inside of a tuple; None: what it says of a number."""
        return None

    def streamed(self, ctx: Lowering, node: ast.AST) -> list[Piece] | None:
        """Return what ``<<`` puts into a stream; None: what it does of a number."""
        return None

    # ---- calls
    def call(self, ctx: Lowering, args: list[Value], keywords: dict[str, Value],
             node: ast.AST) -> Value:
        """Return ``value(...)``."""
        raise ctx.refuse("K033", node, what=spelt(node, self.describe()),
                         help="only functions, types and objects with __call__ can be called")

    def has_operator(self, name: str) -> bool:
        """Say whether the value's class has a method for an operator."""
        return False

    def call_operator(self, ctx: Lowering, name: str, args: Sequence[Value],
                      node: ast.AST) -> Value:
        """Return a call of a method that ``has_operator`` found."""
        raise AssertionError(name)

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        """Return ``value.name(...)``, a method that ``named`` found."""
        raise ctx.refuse("K033", node, what=f"the method '{name}'", help="")

    # ---- what keeps it
    def hold(self, ctx: Lowering) -> Value:
        """Return a value that later statements cannot change, whatever it is made of."""
        return self.value

    def keep(self, ctx: Lowering, position: int) -> Value:
        """Save the value before the statements at ``position`` if they could change it."""
        return self.value

    def without_homes(self, gone: Callable[[Any], bool]) -> Value:
        """Return the value without those variables that may hold it which end here."""
        return self.value


Value: TypeAlias = n.Expr | Kind
Piece: TypeAlias = str | Shown | n.Expr
"""A part of a text that work-items write; what shows a number stands before it."""


def describe(value: Value) -> str:
    """Name a value for a message, in the user's words."""
    return value.describe() if isinstance(value, Kind) else str(value.type)


@dataclass(frozen=True, slots=True)
class Met:
    """One of the values that meet, with the numbers among it that are known there."""

    value: Value | n.Local
    known: dict[n.Local, n.Const]

    def part(self, value: Value | n.Local) -> Met:
        """Return a part of it."""
        return Met(value.local if isinstance(value, n.Read) and not isinstance(value.type, Unsure)
                   else value, self.known)

    @property
    def const(self) -> n.Const | None:
        """The number it is known to be; None if it is not known."""
        if isinstance(self.value, n.Local):
            return self.known.get(self.value)
        return self.value if isinstance(self.value, n.Const) else None


class VariableForm:
    """What variables hold a value that is no number, which is one variable of its type."""

    __slots__ = ()

    @property
    def beside_none(self) -> bool:
        """Whether a name may be None on other paths."""
        return False

    def adopt(self, ctx: Lowering, key: Any, name: str, value: Any, node: ast.AST,
              old: Value | n.Local | None) -> Value:
        """Give the variables a value; None: zero. Return what the name then stands for."""
        raise NotImplementedError

    def variable(self, ctx: Lowering, key: Any, name: str, like: Any) -> Value | n.Local:
        """Return what a name stands for that these variables hold; what is emitted is dropped."""
        return ctx.adopt(key, name, self, None, ctx.at or ctx.frames[-1].source.node)


Form: TypeAlias = Scalar | VariableForm


@dataclass(frozen=True, slots=True)
class ThingForm(VariableForm):
    """No variables: the value is known while compiling, so it is the same on all paths."""

    def adopt(self, ctx: Lowering, key: Any, name: str, value: Any, node: ast.AST,
              old: Value | n.Local | None) -> Value:
        found: Value = ctx.of(value).as_thing(ctx)
        return found

    def variable(self, ctx: Lowering, key: Any, name: str, like: Any) -> Value | n.Local:
        found: Value | n.Local = like
        return found


class Target:
    """What can stand left of ``=``, besides names."""

    __slots__ = ()

    def settled(self, ctx: Lowering, node: ast.AST, *, read: bool) -> Target:
        """Return the place of a number in memory, its indices held; other targets as they are."""
        return self

    def read(self, ctx: Lowering, node: ast.AST) -> Value:
        """Return the value that is there."""
        raise NotImplementedError

    def write(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        """Put a value there; ``origin`` is where it stands."""
        raise NotImplementedError

    def store(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        """Do ``target = value``: what is wider than a number is copied whole."""
        self.settled(ctx, node, read=False).write(ctx, value, node, origin)


def as_tuple(value: Value) -> Value:
    """Return the plain tuple that a NamedTuple is; any other value as it is."""
    return value.as_tuple() if isinstance(value, Kind) else value


def spelt(node: ast.AST, what: str) -> str:
    """Return what is called as the user wrote it, and what it is where that is no name."""
    if not isinstance(node, ast.Call):
        return what
    text = ast.unparse(node.func)
    plain = text.replace(".", "").replace("_", "").isalnum() and what.startswith("'")
    return f"'{text}'" if plain else f"'{text}' ({what})"


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
    so that a constant given to one stays one. ``left``: by names that have no value before a loop,
    their definition at its head and the memories that a turn before may have left them.
    ``allowed`` are the aspects that ``device_has`` lists, None where it says nothing.
    ``in_place``: it returns the object that it was given, which whoever calls it has. ``end``:
    where returns lead, if there are several. ``yielding``: the loop that goes over this generator.
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
    left: dict[str, tuple[Any, frozenset[Any]]] = field(default_factory=dict)
    assigned: frozenset[str] = frozenset()
    once: frozenset[str] = frozenset()
    scope: int = 0
    needs_scope: bool = False
    falls: bool = False
    result: Value | n.Local | None = None
    returned: list[Any] = field(default_factory=list)
    call: ast.AST | None = None
    allowed: frozenset[str] | None = None
    in_place: bool = False
    library: bool = False
    end: Any = None
    yielding: Any = None


class Syntax(Protocol):
    """What kinds of values ask of the lowering of syntax, which stands above them."""

    @property
    def operate(self) -> Callable[..., Value]: ...
    @property
    def call_object(self) -> Callable[..., Value]: ...
    @property
    def call_function(self) -> Callable[..., Value]: ...
    @property
    def call_closure(self) -> Callable[..., Value]: ...
    @property
    def one_of_several(self) -> Callable[..., Value | None]: ...
    @property
    def call_either(self) -> Callable[..., Value]: ...
    @property
    def fill_row(self) -> Callable[..., None]: ...
    @property
    def tuple_method(self) -> Callable[..., Value]: ...
    @property
    def new_list(self) -> Callable[..., Value]: ...
    @property
    def order_list(self) -> Callable[..., Value]: ...


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
    def note_place(self, node: ast.AST) -> None: ...


class Expressions(Protocol):
    """The part of ``Lowering`` that turns syntax and values into expressions."""

    def value(self, node: ast.expr) -> Value: ...
    def of(self, value: Value) -> Kind: ...
    def scalar(self, node: ast.expr) -> n.Expr: ...
    def operands(self, *nodes: ast.expr) -> list[Value]: ...
    def to_scalar(self, value: Value, node: ast.AST, *, unsure: bool = False) -> n.Expr: ...
    def exactly(self, value: Value, node: ast.AST) -> n.Expr: ...
    def truth(self, value: Value, node: ast.AST) -> n.Expr: ...
    def as_number(self, value: Value, node: ast.AST) -> Value: ...
    def constant(self, value: Value, *, bools: bool = False) -> n.Const | None: ...


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
    def store_many(self, place: n.Place, values: Sequence[n.Expr], node: ast.AST, *,
                   past: bool = False) -> None: ...


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
    def share(self, key: Any, name: str, value: Any) -> None: ...
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
    target: architecture.Target | None
    doubts: Doubts
    storage: Storage
    needs: Dependencies
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
    at_in: Frame | None
    locals: dict[Any, n.Local]
    known: dict[n.Local, n.Const]
    derived: dict[n.Local, Value]
    shared: dict[Any, str]
    overwrites: Any
    reducers: list[n.Reducer]
    reductions: tuple[Any, ...]
    in_items: bool
    syntax: Syntax
    call: Callable[..., Value]
    lower_body: Callable[..., bool]
