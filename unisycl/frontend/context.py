"""The state of compiling one kernel: frames, blocks, variables, captures and diagnostics.

Non-goals: the meaning of syntax (expr, stmt, call). A kernel is lowered again and again until the
types of its variables no longer change. Invariant: statements are only ever appended to ``block``,
so evaluation order is Python's.
"""

from __future__ import annotations

import ast
import enum
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import CodeType
from typing import Any, TypeAlias

import numpy as np

from unisycl.base import diagnostics, foreign_objects, geometry
from unisycl.base.architecture import Target
from unisycl.base.dataclass import dataclass
from unisycl.base.errors import Diagnostic
from unisycl.base.spans import Span
from unisycl.frontend import captures, coerce, guards
from unisycl.frontend.kernel_shape import KernelShape
from unisycl.frontend.source import FunctionSource
from unisycl.frontend.syntax.flow import Condition, Definition, Head, Label
from unisycl.frontend.syntax.overwrites import Overwrites
from unisycl.frontend.syntax.variables import Variables
from unisycl.frontend.values import objects, stored_pointers
from unisycl.frontend.values.items import ITEM_KINDS
from unisycl.frontend.values.kind import Frame, Path, Refused, Value
from unisycl.frontend.values.kinds import (
    Constant,
    Image,
    Item,
    Memory,
    Method,
    Poison,
    Record,
    Reduction,
    Several,
    Stream,
    Vector,
    describe,
    own_type,
    scalar_help,
)
from unisycl.frontend.values.unsure import Unsure, exact, plain
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.function_uses import ChildUse, Position
from unisycl.ir.types import (
    WEAK_INT,
    Field,
    ImageView,
    PointerType,
    Scalar,
    StreamType,
    Struct,
    View,
)

Tail: TypeAlias = frozenset[str]
"""What falling off the end of a block amounts to: 'return', 'continue', or neither."""

NOWHERE: Tail = frozenset()
_SIMPLE = 4


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop whose body is being lowered: where ``break`` and ``continue`` go.

    ``outer`` and ``inner`` are the scopes that they leave, None where the loop of the IR is meant;
    ``exit`` is where ``break`` leads, ``next`` where ``continue`` does.
    """

    exit: Label
    next: Label | Head
    outer: int | None = None
    inner: int | None = None


class Context(Variables):
    """Everything the lowering functions share. Owned by one ``specialize`` call, one thread."""

    def __init__(self, function: Any, arguments: tuple[Any, ...], shape: KernelShape,
                 types: dict[Any, Any], facts: set[str],
                 lower_expr: Callable[[Context, ast.expr], Value],
                 lower_body: Callable[..., bool], call: Callable[..., Value],
                 settle_returns: Callable[[Context, Frame], None]) -> None:
        self.function = function
        self.arguments = arguments
        self.shape = shape
        self.types = types
        self.facts = facts
        self.changed = False
        self.unsure = False
        self.locals: dict[Any, n.Local] = {}
        self.known: dict[n.Local, n.Const] = {}
        self.derived: dict[n.Local, Value] = {}
        self.path: tuple[Condition, ...] = ()
        self.heads: list[Head] = []
        self.sums: dict[Span, Scalar] = {}
        self.beyond: dict[Span, tuple[str, Scalar, int]] = {}
        self.absorbed: dict[int, tuple[object, set[int]]] = {}
        self.powers: dict[Span, n.Expr] = {}
        self.unassigned: dict[Span, tuple[str, Definition]] = {}
        self.diagnostics: list[Diagnostic] = []
        self.refusals = 0
        self.block: list[n.Stmt] = []
        self.params: dict[Path, n.Param] = {}
        self.arrays: list[n.Array] = []
        self.copies: set[n.Param | n.Array] = set()
        self.fresh: set[n.Param | n.Array] = set()
        self.overwrites = Overwrites()
        self.memories: dict[Any, Memory] = {}
        self.reducers: list[n.Reducer] = []
        self.guards: dict[tuple[Path, bool], guards.Test] = {}
        self.uses: dict[CodeType, tuple[FunctionSource, set[Position]]] = {}
        self.frames: list[Frame] = []
        self.loops: list[Loop | None] = []
        self.aspects: set[str] = set()
        self.shared: dict[Any, str] = {}
        self.places: dict[CodeType, set[Position]] = {}
        self.streams: dict[Path, n.Expr] = {}
        self.unrolled: list[int] = []
        self.libraries: set[Path] = set()
        self.children: list[ChildUse] = []
        self.inlined = 0
        self.endless: set[Any] = set()
        self.reductions: tuple[Any, ...] = ()
        self.in_items = False
        self.handled = False
        self.required: tuple[int, ...] = ()
        self.target: Target | None = None
        self.asked: dict[Any, bool] = {}
        self.notes: list[tuple[str, str]] = []
        self.pointed: dict[n.Param | n.Array, None] = {}
        self.limited = False
        self.at: ast.AST | None = None
        self._numbers = itertools.count(1)
        self._lower_expr = lower_expr
        self.lower_body: Callable[..., bool] = lower_body
        self.call: Callable[..., Value] = call
        self.settle_returns = settle_returns

    # ---- places and problems
    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    def span(self, node: ast.AST) -> Span:
        """Return where a node of the current function stands, or the user's call of a library."""
        for frame in reversed(self.frames):
            if not frame.library or frame.call is None:
                return frame.source.span(node)
            node = frame.call
        return self.frame.source.span(node)

    def refuse(self, id: str, node: ast.AST, **facts: Any) -> Refused:
        """Report a diagnostic and return the exception that gives up the statement.

        ``notes`` among the facts are texts with their places.
        """
        self.refusals += 1
        notes: tuple[tuple[str, Span | None], ...] = facts.pop("notes", ())
        found = diagnostics.diagnostic(id, self.span(node), **facts)
        library = any(frame.library for frame in self.frames)
        if not any(d.span == found.span and (library or (d.id, d.message) == (id, found.message))
                   for d in self.diagnostics):  # one for a call of ours; the rest would mislead
            calls = tuple(
                (f"called from here, in '{outer.source.name}'", outer.source.span(inner.call))
                for outer, inner in itertools.pairwise(self.frames)
                if inner.call is not None and not inner.library and inner.source.name[0] != "<")
            self.diagnostics.append(
                Diagnostic(found.id, found.message, found.span, found.help,
                           (*notes, *calls[::-1])))
        return Refused()

    def number(self) -> int:
        """Return a fresh scope number."""
        return next(self._numbers)

    def converge(self, node: ast.AST, what: str) -> None:
        """Note a call that all work-items of a group make together."""
        if self.shape.kind not in ("nd_range", "work_group"):
            raise self.refuse("K050", node, what=what)
        if any(frame.source.name[0] == "<" for frame in self.frames):
            raise self.refuse("K052", node, what=what, where="in a generator expression",
                              help="write a for loop")
        self.overwrites.meet(self, node)
        self.facts.add("convergent")
        at: ast.AST | None = node
        for frame in reversed(self.frames):
            code = code_of(frame)
            if code is not None and at is not None:
                self.uses[code][1].add(position(at))
            at = frame.call

    def function_at_hand(self) -> CodeType | None:
        """Return the code of the Python function that is being lowered."""
        return code_of(self.frame)

    # ---- expressions
    def value(self, node: ast.expr) -> Value:
        """Lower an expression to whatever it denotes; a poisoned one gives up the statement."""
        self.at = node
        try:
            result = self._lower_expr(self, node)
        except coerce.DoesNotFit as problem:
            raise self.too_large(problem, node) from None
        if isinstance(result, Poison):
            raise self.unknown(node)
        return result

    def too_large(self, problem: coerce.DoesNotFit, node: ast.AST) -> Refused:
        """Refuse a number that the type it would get cannot hold."""
        if isinstance(problem, coerce.Ambiguous):
            return self.unsettled(problem.type, node)
        if isinstance(problem, coerce.LosesPart):
            return self.refuse("K049", node, found=problem.found, expected=f"{problem.type}",
                               help="take z.real, z.imag or abs(z)")
        return self.refuse("K057", node, value=problem.value, type=problem.type.dtype,
                           help="convert the other operand to a wider type first")

    def unsettled(self, type: Scalar, node: ast.AST) -> Refused:
        """Refuse what would depend on which of several types a number has."""
        assert isinstance(type, Unsure)
        return self.refuse("K087", node, name=type.name, types=type, notes=tuple(
            (f"{kind} here", span) for kind, span in type.places))

    def scalar(self, node: ast.expr) -> n.Expr:
        """Lower an expression that must be a number or truth value."""
        return self.to_scalar(self.value(node), node)

    def exactly(self, value: Value, node: ast.AST) -> n.Expr:
        """Return a value as a number whose type makes no difference, or refuse it."""
        x = self.to_scalar(value, node, unsure=True)
        if not exact(x.type):
            raise self.unsettled(x.type, node)
        return plain(x)

    def to_scalar(self, value: Value, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        """Turn a value into a scalar expression, or refuse; ``unsure``: one of several types, too.

        Who allows that has to use the number so that its type makes no difference.
        """
        if isinstance(value, n.Expr):
            if isinstance(value.type, Unsure) and not unsure:
                raise self.unsettled(value.type, node)
            if isinstance(value.type, PointerType):
                raise self.refuse("K049", node, found=describe(value), expected="a number",
                                  help="follow it: p[0], p.name")
            return value
        if isinstance(value, Several) and value.kind in ("id", "range") and len(value.items) == 1:
            return self.to_scalar(value.items[0], node, unsure=unsure)
        if isinstance(value, Vector) and len(value.items) == 1:
            return value.items[0]
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
            raise self.unknown(node)
        if isinstance(value, Reduction):
            raise self.refuse("K055", node)
        raise self.refuse("K049", node, found=describe(value), expected="a number",
                          help=scalar_help(value))

    def truth(self, value: Value, node: ast.AST) -> n.Expr:
        """Return ``bool(value)``; refuse what has no truth."""
        if isinstance(value, n.Expr) and stored_pointers.kind_of(value) is not None:
            return coerce.truth(value)
        if isinstance(value, Memory) and getattr(
                stored_pointers.decayed(self, value), "pointer", None):
            return n.true()  # it points to memory that is there
        return coerce.truth(self.to_scalar(value, node, unsure=True))

    def to_pointer(self, value: Value, kind: PointerType, node: ast.AST) -> n.Expr:
        """Turn a value into a pointer that memory can hold, or refuse."""
        return stored_pointers.to_pointer(self, value, kind, node)

    def one_kind(self, old: Value, value: Value) -> tuple[Any, Any]:
        """Return two values that a name gets, USM memory as a pointer where the other is one."""
        return stored_pointers.one_kind(self, old, value)

    def size_of(self, memory: Memory) -> n.Expr:
        """Return the number of elements of a view."""
        size: n.Expr = coerce.weak_scalar(1)
        for d in range(len(memory.index), memory.view.ndim):
            size = coerce.binary("mul", size, self.extent(memory, d), WEAK_INT)
        return size

    def extent(self, memory: Memory, d: int) -> n.Expr:
        """Return how many elements a view, or a slice of it, has in one dimension."""
        if memory.window is not None and d == len(memory.index):
            return memory.window[1]
        return n.Extent(WEAK_INT, memory.base, d)

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
        self.overwrites.check(self, member, node)
        if not member.readable:
            raise self.refuse("K058", node, name=member.name)
        self.need(member.type)
        return n.Load(member.type, n.Place(member.base, member.index, member.type, member.offset,
                                           member.inner, self.span(node)))

    def member(self, record: Record, field: Field, node: ast.AST) -> Value:
        """Read a member of a record: a number or vec; a struct or array stays a place."""
        found = replace(record, type=field.type, shape=field.shape, offset=record.offset
                        + field.offset, name=f"{record.name}.{field.name}")
        if isinstance(field.type, Scalar) and not field.shape:
            return self.load_member(found, node)
        if own_type(field.type) is None or field.shape:
            return found
        if not record.readable:
            raise self.refuse("K058", node, name=found.name)
        return self.load_vector(found, node)

    def load_vector(self, record: Record, node: ast.AST) -> Vector:
        """Return a vec in memory: loads of its elements, each done only where it is used."""
        assert isinstance(record.type, Struct)
        self.overwrites.check(self, record, node)
        index = tuple(self._repeatable(x) for x in record.index)
        inner = tuple((self._repeatable(x), size) for x, size in record.inner)
        items = []
        for f in record.type.fields:
            assert isinstance(f.type, Scalar)
            items.append(n.Load(f.type, n.Place(record.base, index, f.type,
                                                record.offset + f.offset, inner, self.span(node))))
            self.need(f.type)
        return Vector(record.type, tuple(items), name=record.name, writable=record.writable,
                      readable=record.readable, room=record.type.size // items[0].type.size)

    def loaded(self, value: Vector) -> Vector:
        """Return a vec whose elements are at hand: one in memory is read whole, by one access."""
        place = value.place
        if place is None:
            return value
        items = self.load_many(place, max(value.room, len(value.items)))
        return replace(value, items=tuple(items[:len(value.items)]), exact=False)

    def load_many(self, place: n.Place, count: int) -> list[n.Expr]:
        """Read scalars that follow one another in memory."""
        locals = tuple(n.Local("t", place.type) for _ in range(count))
        self.emit(n.LoadMany(locals, place, span=place.span))
        return [n.Read(x.type, x) for x in locals]

    def store_many(self, place: n.Place, values: Sequence[n.Expr], node: ast.AST) -> None:
        """Write scalars that follow one another in memory; all are evaluated before."""
        if len(values) == 1:
            self.emit(n.Store(place, values[0], span=self.span(node)))
        else:
            self.emit(n.StoreMany(place, tuple(self.hold(x) for x in values),
                                  span=self.span(node)))

    def _repeatable(self, x: n.Expr) -> n.Expr:
        """Keep an index that costs something to compute, for it is used for every element."""
        costs = sum(1 for _ in visit.walk(x)) > _SIMPLE or any(
            isinstance(e, n.Load | n.Call) for e in visit.walk(x))
        return self.once(x) if costs else x

    def need(self, type: Scalar, node: ast.AST | None = None) -> None:
        """Note the aspect a type asks of the device."""
        if type.dtype.aspect and not type.weak:
            self.need_aspect(type.dtype.aspect, node)

    def need_aspect(self, name: str, node: ast.AST | None = None) -> None:
        """Note an aspect; refuse it where a function promises to do without."""
        for frame in reversed(self.frames if self.limited else ()):
            if frame.allowed is not None and name not in frame.allowed:
                raise self.refuse("K070", node or self.at or self.frame.source.node, aspect=name,
                                  name=frame.source.name)
        self.aspects.add(name)

    def enter(self, frame: Frame) -> None:
        """Heed what a function that is about to be lowered promises about itself."""
        marked = getattr(frame.function, "__unisycl_device_has__", None)
        if marked is not None:
            for name in sorted(marked):
                self.need_aspect(name, frame.call)
            frame.allowed = marked
            self.limited = True

    def need_all(self, kind: Scalar | Struct) -> None:
        """Note the aspects of every number in an element."""
        for f in kind.fields if isinstance(kind, Struct) else ():
            self.need_all(f.type)
        if isinstance(kind, Scalar):
            self.need(kind)

    def operands(self, *nodes: ast.expr) -> list[Value]:
        """Lower several expressions in order; earlier ones keep the value they had then."""
        values: list[Value] = []
        for node in nodes:
            before = len(self.block)
            value = self.value(node)
            if len(self.block) > before:
                for k, old in enumerate(values):
                    values[k] = self.keep(old, before)
            values.append(value)
        return values

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
        before = dict(self.shared)
        try:
            with self.into() as block:
                yield block
        finally:
            self.shared = {**before, **self.shared}  # it may not have run

    @contextmanager
    def repeated(self, node: ast.AST) -> Iterator[list[n.Stmt]]:
        """Collect the body of a loop: what one turn shares, the next one starts with."""
        key = ("shared", self.frame.key, position(node))
        self.shared.update(self.types.get(key, {}))
        with self.overwrites.loop(self, node), self.branch() as block:
            yield block
        if self.shared.keys() - self.types.get(key, {}).keys():
            self.types[key] = dict(self.shared)
            self.changed = True

    # ---- captures
    def guard(self, path: Path, obj: Any, *, frozen: bool = False) -> None:
        """Note that the code depends on the signature of an object."""
        if any(path[:len(p)] == p != path for p in self.libraries):
            return
        if (path, frozen) not in self.guards and (path, True) not in self.guards:
            self.guards[path, frozen] = guards.test(obj, frozen=frozen)

    def capture(self, path: Path, obj: Any, name: str, node: ast.AST, *,
                frozen: bool = False) -> Value:
        """Turn a Python object into a value; ``frozen`` numbers become constants."""
        self.guard(path, obj, frozen=frozen)
        kind = captures.data_type(obj)
        if frozen and isinstance(obj, bool | int | float | complex) and isinstance(kind, Scalar) \
                and kind.weak:
            return coerce.weak_scalar(obj)
        if getattr(type(obj), "__kernel_waits__", False):
            self.facts.add("waits")
        if getattr(type(obj), "__kernel_commands__", False):
            self.facts.add("enqueues")
        if kind is not None:
            value = self._parameter(path, kind, name, node)
            if captures.is_reference(obj) and isinstance(value, Memory):
                if not obj.name():
                    raise self.refuse("K114", node, name=name)
                only = () if obj.shape else (coerce.weak_scalar(0),)
                return replace(value, index=only, reference=True)
            return value
        made = objects.captured(self, path, obj, name, node)
        if made is not None:
            return made
        if isinstance(obj, tuple):
            return Several(tuple(self.capture((*path, ("item", k)), v, f"{name}[{k}]", node,
                                              frozen=True) for k, v in enumerate(obj)))
        if isinstance(obj, geometry.range | geometry.id):
            what = "range" if isinstance(obj, geometry.range) else "id"
            return Several(tuple(self.capture((*path, ("item", k)), v, f"{name}[{k}]", node)
                                 for k, v in enumerate(obj)), what)
        if isinstance(obj, list | dict | set | bytearray | np.ndarray | np.generic) \
                or captures.is_host_object(obj) or foreign_objects.description(obj) is not None:
            described, help = captures.why_not(obj)
            if path and path[-1][0] == "global" and isinstance(obj, list | dict | set):
                raise self.refuse("K048", node, name=name, kind=described)
            raise self.refuse("K040", node, name=name, kind=described, help=help)
        return Constant(obj, path)

    def constant(self, value: Value) -> n.Const | None:
        """Return a number known while compiling; captured ones are made known by their values."""
        return objects.constant(self, value)

    def _parameter(self, path: Path, kind: Scalar | Struct | View, name: str,
                   node: ast.AST) -> Value:
        if path[0][0] == "reduction":
            raise self.refuse("K054", node, what=f"the operator of a reduction cannot capture "
                              f"data ('{name}')", help="use constants and its two arguments only")
        param = self.params.get(path)
        if param is None:
            param = self.params[path] = n.Param(name, kind, len(self.params), path)
        if isinstance(kind, ImageView):
            return Image(param, kind, name, kind.sampler)
        if isinstance(kind, View):
            if isinstance(kind.elem, Scalar):
                self.need(kind.elem)
            return Memory(param, kind, name=name)
        if isinstance(kind, Struct):
            record = Record(param, (), kind, writable=False, name=name)
            return record if own_type(kind) is None else self.load_vector(record, node)
        if isinstance(kind, PointerType):
            return n.ParamRead(kind, param)
        if isinstance(kind, StreamType):
            self.streams[path] = n.ParamRead(kind, param)
            return Stream(self.streams[path])
        self.need(kind)
        return n.ParamRead(kind, param)


def code_of(frame: Frame | None) -> CodeType | None:
    """Return the code of the function whose text a frame's statements stand in."""
    while frame is not None and frame.function is None:
        frame = frame.parent
    return None if frame is None or frame.function is None else frame.function.__code__


def position(node: Any) -> Position:
    """Return where a node stands in its tree, as the key ``FunctionUse`` uses."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
