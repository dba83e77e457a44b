"""The state of compiling one kernel: frames, blocks, variables, captures and diagnostics.

Non-goals: the meaning of syntax (expr, stmt, call). A kernel is lowered again and again until the
types of its variables no longer change. Invariant: statements are only ever appended to ``block``,
so evaluation order is Python's.
"""

from __future__ import annotations

import ast
import enum
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import CodeType, FunctionType
from typing import Any, TypeAlias

import numpy as np

from unisycl.base import diagnostics, geometry
from unisycl.base.errors import Diagnostic
from unisycl.base.span import Span
from unisycl.frontend import captures, coerce, guards
from unisycl.frontend.items import ITEM_KINDS
from unisycl.frontend.source import FunctionSource
from unisycl.frontend.values import (
    Constant,
    Item,
    Memory,
    Method,
    Path,
    Poison,
    Record,
    Reduction,
    Several,
    Value,
    describe,
)
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import WEAK_INT, Scalar, Struct, View
from unisycl.ir.uses import Position

Tail: TypeAlias = frozenset[str]
"""What falling off the end of a block amounts to: 'return', 'continue', or neither."""

NOWHERE: Tail = frozenset()


class Refused(Exception):
    """Something was reported (or poisoned); the statement at hand is given up."""


@dataclass(eq=False, slots=True)
class Frame:
    """One function being inlined: its names, and where ``return`` goes.

    ``key`` names the inlined instance the same way in every round. ``result`` collects returns;
    ``falls`` says that one returns nothing. ``entry`` is the region of its call, ``where`` the
    region in which each name got its value. ``assigned`` are the names the function binds, ``once``
    those that one plain assignment binds, so that a constant given to one stays a constant.
    """

    source: FunctionSource
    function: FunctionType | None
    path: Path
    key: tuple[Any, ...]
    parent: Frame | None = None
    names: dict[str, Value | n.Local] = field(default_factory=dict)
    assigned: frozenset[str] = frozenset()
    once: frozenset[str] = frozenset()
    scope: int = 0
    needs_scope: bool = False
    falls: bool = False
    entry: tuple[int, ...] = ()
    where: dict[str, tuple[int, ...]] = field(default_factory=dict)
    result: Value | n.Local | None = None
    call: ast.AST | None = None


@dataclass(frozen=True, slots=True)
class Unrolled:
    """A loop that is repeated while compiling: the scopes that break and continue leave."""

    outer: int
    inner: int


@dataclass(frozen=True, slots=True)
class KernelShape:
    """What a launch fixes before the kernel is compiled."""

    kind: str
    ndim: int
    local: tuple[int, ...] = ()
    sub_group: int = 0


class Context:
    """Everything the lowering functions share. Owned by one ``specialize`` call, one thread."""

    def __init__(self, function: Any, arguments: tuple[Any, ...], shape: KernelShape,
                 types: dict[Any, Scalar], facts: set[str],
                 lower_expr: Callable[[Context, ast.expr], Value],
                 lower_body: Callable[..., bool], call: Callable[..., Value]) -> None:
        self.function = function
        self.arguments = arguments
        self.shape = shape
        self.types = types
        self.facts = facts
        self.changed = False
        self.diagnostics: list[Diagnostic] = []
        self.refusals = 0
        self.block: list[n.Stmt] = []
        self.params: dict[Path, n.Param] = {}
        self.arrays: list[n.Array] = []
        self.reducers: list[n.Reducer] = []
        self.guards: dict[tuple[Path, bool], guards.Test] = {}
        self.uses: dict[CodeType, tuple[FunctionSource, set[Position]]] = {}
        self.frames: list[Frame] = []
        self.loops: list[Unrolled | None] = []
        self.regions: tuple[int, ...] = ()
        self.aspects: set[str] = set()
        self.unrolled: list[int] = []
        self.inlined = 0
        self.reductions: tuple[Any, ...] = ()
        self.in_items = False
        self._numbers = itertools.count(1)
        self._lower_expr = lower_expr
        self.lower_body: Callable[..., bool] = lower_body
        self.call: Callable[..., Value] = call

    # ---- places and problems
    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def span(self, node: ast.AST) -> Span:
        """Return where a node of the current function stands."""
        return self.frame.source.span(node)

    def refuse(self, id: str, node: ast.AST, **facts: object) -> Refused:
        """Report a diagnostic and return the exception that gives up the statement."""
        self.refusals += 1
        found = diagnostics.diagnostic(id, self.span(node), **facts)
        if not any((d.id, d.message, d.span) == (id, found.message, found.span)
                   for d in self.diagnostics):
            notes = tuple(
                (f"called from here, in '{outer.source.name}'", outer.source.span(inner.call))
                for outer, inner in itertools.pairwise(self.frames) if inner.call is not None)
            self.diagnostics.append(
                Diagnostic(found.id, found.message, found.span, found.help, notes[::-1]))
        return Refused()

    def number(self) -> int:
        """Return a fresh scope number."""
        return next(self._numbers)

    def converge(self, node: ast.AST, what: str) -> None:
        """Note a call that all work-items of a group make together."""
        if self.shape.kind not in ("nd_range", "work_group"):
            raise self.refuse("K050", node, what=what)
        self.facts.add("convergent")
        at: ast.AST | None = node
        for frame in reversed(self.frames):
            owner: Frame | None = frame
            while owner is not None and owner.function is None:
                owner = owner.parent
            if owner is not None and owner.function is not None and at is not None:
                self.uses[owner.function.__code__][1].add(position(at))
            at = frame.call

    # ---- expressions
    def value(self, node: ast.expr) -> Value:
        """Lower an expression to whatever it denotes; a poisoned one gives up the statement."""
        try:
            result = self._lower_expr(self, node)
        except coerce.DoesNotFit as problem:
            raise self.too_large(problem, node) from None
        if isinstance(result, Poison):
            raise Refused
        return result

    def too_large(self, problem: coerce.DoesNotFit, node: ast.AST) -> Refused:
        """Refuse a Python integer that the type it would get cannot hold."""
        return self.refuse("K057", node, value=problem.value, type=problem.type.dtype)

    def scalar(self, node: ast.expr) -> n.Expr:
        """Lower an expression that must be a number or truth value."""
        return self.to_scalar(self.value(node), node)

    def to_scalar(self, value: Value, node: ast.AST) -> n.Expr:
        """Turn a value into a scalar expression, or refuse."""
        if isinstance(value, n.Expr):
            return value
        if isinstance(value, Several) and value.kind in ("id", "range") and len(value.items) == 1:
            return self.to_scalar(value.items[0], node)
        if isinstance(value, Memory) and len(value.index) == value.view.ndim \
                and isinstance(value.view.elem, Scalar):
            return self.load(value, node)
        if isinstance(value, Record) and not value.shape and isinstance(value.type, Scalar):
            return self.load_member(value, node)
        if isinstance(value, Method) and value.name == "size" and isinstance(value.owner, Memory):
            return self.size_of(value.owner)  # NumPy's attribute, where SYCL has a method
        if isinstance(value, Item) and value.ndim == 1 and value.kind in ITEM_KINDS:
            return n.Query(WEAK_INT, "global_id", 0) if value.kind == "item" else \
                self.to_scalar(self.call(self, Method(value, "get_linear_id"), [], node), node)
        if isinstance(value, Constant) and isinstance(value.object, enum.Enum) \
                and isinstance(value.object, int | float):
            return coerce.weak_scalar(value.object.value)
        if isinstance(value, Poison):
            raise Refused
        if isinstance(value, Reduction):
            raise self.refuse("K055", node)
        raise self.refuse("K049", node, found=describe(value), expected="a number",
                          help=_scalar_help(value))

    def size_of(self, memory: Memory) -> n.Expr:
        """Return the number of elements of a view."""
        size: n.Expr = coerce.weak_scalar(1)
        for d in range(len(memory.index), memory.view.ndim):
            size = coerce.binary("mul", size, n.Extent(WEAK_INT, memory.base, d), WEAK_INT)
        return size

    def load(self, memory: Memory, node: ast.AST) -> n.Expr:
        """Read the element a fully indexed view denotes."""
        if not memory.view.mode.reads:
            raise self.refuse("K058", node, name=memory.name)
        elem = memory.view.elem
        assert isinstance(elem, Scalar)
        self.need(elem)
        return n.Load(elem, n.Place(memory.base, memory.index, elem, span=self.span(node)))

    def load_member(self, member: Record, node: ast.AST) -> n.Expr:
        """Read a number inside a struct."""
        assert isinstance(member.type, Scalar)
        if not member.readable:
            raise self.refuse("K058", node, name=member.name)
        self.need(member.type)
        return n.Load(member.type, n.Place(member.base, member.index, member.type, member.offset,
                                           member.inner, self.span(node)))

    def need(self, type: Scalar) -> None:
        """Note the aspect a type asks of the device."""
        if type.dtype.aspect and not type.weak:
            self.aspects.add(type.dtype.aspect)

    def operands(self, *nodes: ast.expr) -> list[Value]:
        """Lower several expressions in order; earlier ones keep the value they had then."""
        values: list[Value] = []
        for node in nodes:
            before = len(self.block)
            value = self.value(node)
            if len(self.block) > before:
                for k, old in enumerate(values):
                    values[k] = self._keep(old, before)
            values.append(value)
        return values

    def _keep(self, value: Value, position: int) -> Value:
        """Save a value before the statements at ``position`` if they could change it."""
        if isinstance(value, n.Expr) and not is_stable(value):
            local = n.Local("t", value.type)
            self.block.insert(position, n.Assign(local, value))
            return n.Read(local.type, local)
        if isinstance(value, Several):
            return Several(tuple(self._keep(v, position) for v in value.items), value.kind)
        return value

    def hold(self, x: n.Expr, name: str = "t") -> n.Expr:
        """Return an expression of the same value that later statements cannot change."""
        if is_stable(x):
            return x
        local = n.Local(name, x.type)
        self.emit(n.Assign(local, x))
        return n.Read(local.type, local)

    # ---- statements
    def emit(self, stmt: n.Stmt) -> None:
        """Append a statement to the block at hand."""
        self.block.append(stmt)

    @contextmanager
    def into(self) -> Iterator[list[n.Stmt]]:
        """Collect the statements lowered inside into a block of their own."""
        outer, self.block = self.block, []
        try:
            yield self.block
        finally:
            self.block = outer

    @contextmanager
    def branch(self) -> Iterator[list[n.Stmt]]:
        """Collect statements that may not run, or run again: a region of control flow."""
        outer, self.regions = self.regions, (*self.regions, self.number())
        try:
            with self.into() as block:
                yield block
        finally:
            self.regions = outer

    # ---- variables
    def assign(self, name: str, value: Value, node: ast.AST) -> None:
        """Bind a name in the current frame, as ``name = value`` does."""
        frame = self.frame
        if isinstance(value, n.Const) and name in frame.once and not self.loops:
            frame.names[name] = value
            return
        if name not in frame.once:
            value = self.as_number(value, node)
        old = frame.names.get(name)
        if old is not None and self._replaces(frame, name, old, value):
            old = None
        frame.names[name] = self.bind((frame.key, name), name, old, value, node)
        frame.where[name] = self.regions

    def _replaces(self, frame: Frame, name: str, old: Value | n.Local, value: Value) -> bool:
        """Say whether a value of another kind may take a name over: where no path keeps the old.

        That is so where the name got its old value in this region of control flow or inside it.
        """
        region = self.regions
        if isinstance(old, Poison) or frame.where.get(name, frame.entry)[:len(region)] != region:
            return False
        return not (isinstance(old, n.Local) and isinstance(value, n.Expr))

    def as_number(self, value: Value, node: ast.AST) -> Value:
        """Return the integer a one-dimensional index is, also inside tuples; others as they are."""
        if isinstance(value, Several) and value.kind == "tuple":
            return Several(tuple(self.as_number(v, node) for v in value.items))
        is_index = isinstance(value, Item) and value.ndim == 1 and value.kind in ITEM_KINDS
        return self.to_scalar(value, node) if is_index else value

    def bind(self, key: Any, name: str, old: Value | n.Local | None, value: Value,
             node: ast.AST) -> Value | n.Local:
        """Return what a name denotes once it was given a value, emitting what that takes."""
        if isinstance(old, Poison) or isinstance(value, Poison):
            return Poison()
        if is_one(value) and (isinstance(old, n.Local) or key in self.types):
            value = self.to_scalar(value, node)  # an id of one dimension is its integer, too
        if isinstance(value, n.Expr):
            old = None if old is not None and not isinstance(old, n.Local) and is_one(old) else old
            if old is not None and not isinstance(old, n.Local):
                raise self._two_kinds(name, old, value, node)
            return self.assign_scalar(key, name, old, value, node)
        if isinstance(value, Several):
            if old is not None and not (isinstance(old, Several)
                                        and len(old.items) == len(value.items)):
                raise self._two_kinds(name, old, value, node)
            held = [self.hold(v) if isinstance(v, n.Expr) else v for v in value.items]
            olds = old.items if isinstance(old, Several) else [None] * len(held)
            items = [self.bind((*key, k), f"{name}.{k}", _local_of(o), v, node)
                     for k, (o, v) in enumerate(zip(olds, held, strict=True))]
            return Several(tuple(n.Read(i.type, i) if isinstance(i, n.Local) else i
                                 for i in items), value.kind)
        if isinstance(value, Memory | Record) and value.index:
            return self._bind_place(key, name, old, value, node)
        if old is not None and old != value:
            raise self._two_kinds(name, old, value, node)
        return value

    def _bind_place(self, key: Any, name: str, old: Value | n.Local | None, value: Memory | Record,
                    node: ast.AST) -> Value:
        """Bind a row or a record: its indices are kept as they are now, in locals of the name."""
        zeros = (coerce.weak_scalar(0),) * len(value.index)
        if isinstance(old, Memory | Record) and replace(old, index=zeros, name="") != replace(
                value, index=zeros, name=""):
            raise self._two_kinds(name, old, value, node)
        if old is not None and not isinstance(old, Memory | Record):
            raise self._two_kinds(name, old, value, node)
        olds = old.index if old is not None else (None,) * len(zeros)
        held = [self.hold(x) for x in value.index]
        index = []
        for k, (o, x) in enumerate(zip(olds, held, strict=True)):
            local = self.assign_scalar((*key, "index", k), name, o.local if isinstance(o, n.Read)
                                       else None, coerce.convert(x, WEAK_INT), node)
            index.append(n.Read(local.type, local))
        return replace(value, index=tuple(index))

    def assign_scalar(self, key: Any, name: str, old: n.Local | None, value: n.Expr,
                      node: ast.AST) -> n.Local:
        """Give the variable of a key a value; its type joins all it is ever given."""
        known = self.types.get(key)
        joined = value.type if known is None else coerce.join(known, value.type)
        if joined is None:
            assert known is not None
            raise self.refuse("K035", node, name=name, first=known, second=value.type)
        if joined != known:
            self.types[key] = joined
            self.changed = True
        local = old if old is not None and old.type == joined else n.Local(name, joined)
        if local is not old and old is not None:
            self.changed = True
        try:
            self.emit(n.Assign(local, coerce.cast(value, joined), span=self.span(node)))
        except coerce.DoesNotFit as problem:
            raise self.too_large(problem, node) from None
        return local

    def _two_kinds(self, name: str, old: Any, value: Value, node: ast.AST) -> Refused:
        first = str(old.type) if isinstance(old, n.Local) else describe(old)
        return self.refuse("K035", node, name=name, first=first, second=describe(value))

    # ---- captures
    def guard(self, path: Path, obj: Any, *, frozen: bool = False) -> None:
        """Note that the code depends on the signature of an object."""
        if (path, frozen) not in self.guards and (path, True) not in self.guards:
            self.guards[path, frozen] = guards.test(obj, frozen=frozen)

    def capture(self, path: Path, obj: Any, name: str, node: ast.AST, *,
                frozen: bool = False) -> Value:
        """Turn a Python object into a value; ``frozen`` numbers become constants."""
        self.guard(path, obj, frozen=frozen)
        kind = captures.data_type(obj)
        if frozen and isinstance(obj, bool | int | float) and isinstance(kind, Scalar) \
                and kind.weak:
            return coerce.weak_scalar(obj)
        if kind is not None:
            return self._parameter(path, kind, name, node)
        if isinstance(obj, tuple):
            return Several(tuple(self.capture((*path, ("item", k)), v, f"{name}[{k}]", node,
                                              frozen=True) for k, v in enumerate(obj)))
        if isinstance(obj, geometry.range | geometry.id):
            what = "range" if isinstance(obj, geometry.range) else "id"
            return Several(tuple(self.capture((*path, ("item", k)), v, f"{name}[{k}]", node)
                                 for k, v in enumerate(obj)), what)
        if isinstance(obj, list | dict | set | bytearray | complex | np.ndarray | np.generic) \
                or _is_host_object(obj):
            described, help = captures.why_not(obj)
            if path and path[-1][0] == "global" and isinstance(obj, list | dict | set):
                raise self.refuse("K048", node, name=name, kind=described)
            raise self.refuse("K040", node, name=name, kind=described, help=help)
        return Constant(obj, path)

    def constant(self, value: Value) -> n.Const | None:
        """Return a number known while compiling; a captured one is made known by its value."""
        if isinstance(value, n.ParamRead) and value.type.weak and value.param.path:
            path = value.param.path
            obj = captures.fetch(path, self.function, self.arguments)
            self.guard(path, obj, frozen=True)
            return coerce.weak_scalar(obj)
        return value if isinstance(value, n.Const) else None

    def _parameter(self, path: Path, kind: Scalar | Struct | View, name: str,
                   node: ast.AST) -> Value:
        if path[0][0] == "reduction":
            raise self.refuse("K054", node, what=f"the operator of a reduction cannot capture "
                              f"data ('{name}')", help="use constants and its two arguments only")
        param = self.params.get(path)
        if param is None:
            param = self.params[path] = n.Param(name, kind, len(self.params), path)
        if isinstance(kind, View):
            if isinstance(kind.elem, Scalar):
                self.need(kind.elem)
            return Memory(param, kind, name=name)
        if isinstance(kind, Struct):
            return Record(param, (), kind, writable=False, name=name)
        self.need(kind)
        return n.ParamRead(kind, param)


def position(node: Any) -> Position:
    """Return where a node stands in its tree, as the key ``FunctionUse`` uses."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def _is_host_object(obj: Any) -> bool:
    """Say whether an object is one of the host API's that no kernel takes."""
    return type(obj).__module__.startswith("unisycl.api.") and type(obj).__name__ in (
        "buffer", "queue", "handler", "context", "device", "platform", "event", "host_accessor")


def _local_of(value: Value | n.Local | None) -> Value | n.Local | None:
    return value.local if isinstance(value, n.Read) else value


def is_one(value: Value | n.Local) -> bool:
    """Say whether a value is an id or range of one dimension."""
    return isinstance(value, Several) and value.kind in ("id", "range") and len(value.items) == 1


def _scalar_help(value: Value) -> str:
    if isinstance(value, Memory):
        return "index it with one integer for each dimension"
    if getattr(value, "kind", "") in ("item", "nd_item", "h_item", "id", "range"):
        return "take one dimension of it, e.g. index[0] or get_global_id(0)"
    return ""


def is_stable(x: n.Expr) -> bool:
    """Say whether no statement can change the value of an expression."""
    return not any(isinstance(e, n.Load | n.Read) for e in visit.walk(x))
