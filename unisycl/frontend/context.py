"""The state of compiling one kernel: frames, blocks, variables, captures and diagnostics.

Non-goals: the meaning of syntax (expr, stmt, call). A kernel is lowered again and again until the
types of its variables no longer change. Invariant: statements are only ever appended to ``block``,
so evaluation order is Python's.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import Any, TypeAlias

from unisycl.base import diagnostics
from unisycl.base.architecture import Target
from unisycl.base.dataclass import dataclass
from unisycl.base.errors import Diagnostic
from unisycl.base.spans import Span
from unisycl.frontend import coerce, guards
from unisycl.frontend.findings import Dependencies, Doubts, Storage
from unisycl.frontend.kernel_shape import KernelShape
from unisycl.frontend.paths import Path
from unisycl.frontend.syntax.flow import Condition, Head, Label
from unisycl.frontend.syntax.overwrites import Overwrites
from unisycl.frontend.syntax.variables import Variables
from unisycl.frontend.values import objects, special_methods
from unisycl.frontend.values.absent import Poison
from unisycl.frontend.values.kind import Frame, Kind, Refused, Value
from unisycl.frontend.values.numbers import kind_of
from unisycl.frontend.values.unsure import Unsure, exact, plain
from unisycl.ir import nodes as n
from unisycl.ir.function_uses import Position
from unisycl.ir.types import (
    Scalar,
    Struct,
)

Tail: TypeAlias = frozenset[str]
"""What falling off the end of a block amounts to: 'return', 'continue', or neither."""

NOWHERE: Tail = frozenset()


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


@dataclass(frozen=True, slots=True)
class Syntax:
    """How syntax is lowered, which stands above the kinds of values: a function for each demand."""

    lower_expr: Callable[[Context, ast.expr], Value]
    lower_body: Callable[..., bool]
    settle_returns: Callable[[Context, Frame], None]
    start_result: Callable[[Context, Frame], None]
    operate: Callable[..., Value]
    call: Callable[..., Value]
    call_object: Callable[..., Value]
    call_function: Callable[..., Value]
    call_closure: Callable[..., Value]
    call_either: Callable[..., Value]
    one_of_several: Callable[..., Value | None]
    fill_row: Callable[..., None]
    iterates: Callable[[Context, ast.expr], bool]
    tuple_method: Callable[..., Value]
    new_list: Callable[..., Value]
    order_list: Callable[..., Value]


class Context(Variables):
    """Everything the lowering functions share. Owned by one ``specialize`` call, one thread."""

    def __init__(self, function: Any, arguments: tuple[Any, ...], shape: KernelShape,
                 types: dict[Any, Any], facts: set[str], syntax: Syntax) -> None:
        self.function = function
        self.arguments = arguments
        self.shape = shape
        self.types = types
        self.facts = facts
        self.changed = False
        self.unsure = False
        self.undecided = False
        self.locals: dict[Any, n.Local] = {}
        self.known: dict[n.Local, n.Const] = {}
        self.derived: dict[n.Local, Value] = {}
        self.path: tuple[Condition, ...] = ()
        self.heads: list[Head] = []
        self.doubts = Doubts()
        self.storage = Storage()
        self.needs = Dependencies()
        self.diagnostics: list[Diagnostic] = []
        self.refusals = 0
        self.block: list[n.Stmt] = []
        self.overwrites = Overwrites()
        self.reducers: list[n.Reducer] = []
        self.frames: list[Frame] = []
        self.loops: list[Loop | None] = []
        self.shared: dict[Any, str] = {}
        self.rebound: dict[Any, int] = {}
        self.unrolled: list[Any] = []
        self.yielding: list[Any] = []
        self.inlined = 0
        self.endless: set[Any] = set()
        self.reductions: tuple[Any, ...] = ()
        self.in_items = False
        self.handled = False
        self.result: Value | None = None
        self.required: tuple[int, ...] = ()
        self.target: Target | None = None
        self.limited = False
        self.at: ast.AST | None = None
        self.at_in: Frame | None = None
        self._numbers = itertools.count(1)
        self.syntax: Syntax = syntax
        self.call: Callable[..., Value] = syntax.call
        self.lower_body: Callable[..., bool] = syntax.lower_body

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

        ``notes`` among the facts are texts with their places; ``once``: what is said of a name is
        said at the first of its uses only.
        """
        self.refusals += 1
        notes: tuple[tuple[str, Span | None], ...] = facts.pop("notes", ())
        once = facts.pop("once", False)
        found = diagnostics.diagnostic(id, self.span(node), **facts)
        library = any(frame.library for frame in self.frames)
        said = (id, found.message)  # one for a call of ours; the rest would mislead
        if not any((d.span == found.span and (library or (d.id, d.message) == said))
                   or (once and (d.id, d.message) == said and d.notes[:len(notes)] == notes)
                   for d in self.diagnostics):
            calls = tuple(
                (f"called from here, in '{outer.source.name}'", outer.source.span(inner.call))
                for outer, inner in itertools.pairwise(standing(self.frames))
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
        frames = standing(self.frames)
        if any(frame.source.name[0] == "<" or frame.yielding for frame in frames):
            raise self.refuse("K052", node, what=what, where="in a generator",
                              help="write a for loop")
        self.overwrites.meet(self, node)
        self.facts.add("convergent")
        at: ast.AST | None = node
        for frame in reversed(frames):
            code = code_of(frame)
            if code is not None and at is not None:
                self.needs.uses[code][1].add(position(at))
            at = frame.call

    def note_place(self, node: ast.AST) -> None:
        """Note that Python has to take an expression for a place in memory, not for its value."""
        code = self.function_at_hand()
        if code is not None:
            self.needs.places.setdefault(code, set()).add(position(node))

    def function_at_hand(self) -> CodeType | None:
        """Return the code of the Python function that is being lowered."""
        return code_of(self.frame)

    # ---- expressions
    def value(self, node: ast.expr) -> Value:
        """Lower an expression to whatever it denotes; a poisoned one gives up the statement."""
        self.at, self.at_in = node, self.frames[-1]
        try:
            result = self.syntax.lower_expr(self, node)
        except coerce.DoesNotFit as problem:
            raise self.too_large(problem, node) from None
        self.at, self.at_in = node, self.frames[-1]
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
        return self.refuse("K087", node, name=type.name or "this", types=type, notes=tuple(
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

    def of(self, value: Value) -> Kind:
        """Return a value as an object of its kind."""
        return value if isinstance(value, Kind) else kind_of(value)

    def to_scalar(self, value: Value, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        """Turn a value into a scalar expression, or refuse; ``unsure``: one of several types, too.

        Who allows that has to use the number so that its type makes no difference.
        """
        return self.of(value).number(self, node, unsure=unsure)

    def truth(self, value: Value, node: ast.AST) -> n.Expr:
        """Return ``bool(value)``; refuse what has no truth."""
        own = special_methods.truth_of(self, value, node)
        return self.of(value).truth(self, node) if own is None else own

    def load_many(self, place: n.Place, count: int) -> list[n.Expr]:
        """Read scalars that follow one another in memory."""
        locals = tuple(n.Local("t", place.type) for _ in range(count))
        self.emit(n.LoadMany(locals, place, span=place.span))
        return [n.Read(x.type, x) for x in locals]

    def store_many(self, place: n.Place, values: Sequence[n.Expr], node: ast.AST, *,
                   past: bool = False) -> None:
        """Write scalars that follow one another in memory; all are evaluated before."""
        if len(values) == 1 and not past:
            self.emit(n.Store(place, values[0], span=self.span(node)))
        else:
            self.emit(n.StoreMany(place, tuple(self.hold(x) for x in values), past,
                                  span=self.span(node)))

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
        self.needs.aspects.add(name)

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
        """Lower several expressions in order; earlier ones keep the value they had then.

        Objects that names hold are no values: they are what later ones have made of them.
        """
        values: list[Value] = []
        given: list[tuple[Value, int]] = []
        for node in nodes:
            before = len(self.block)
            value = self.value(node)
            if len(self.block) > before:
                for k, old in enumerate(values):
                    values[k] = self.keep(old, before)
            values.append(value)
            given.append((value, self.rebound.get(self.home_of(value), 0)))
        return [kept if kept is value or self.rebound.get(self.home_of(value), 0) != count
                else self.current(value, kept)
                for kept, (value, count) in zip(values, given, strict=True)]

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
        if any(path[:len(p)] == p != path for p in self.needs.libraries):
            return
        if (path, frozen) not in self.needs.guards and (path, True) not in self.needs.guards:
            self.needs.guards[path, frozen] = guards.test(obj, frozen=frozen)

    def capture(self, path: Path, obj: Any, name: str, node: ast.AST, *,
                frozen: bool = False) -> Value:
        """Turn a Python object into a value; ``frozen`` numbers become constants."""
        return objects.captured(self, path, obj, name, node, frozen=frozen)

    def constant(self, value: Value, *, bools: bool = False) -> n.Const | None:
        """Return a number known while compiling; captured ones are made known by their values."""
        return objects.constant(self, value, bools=bools)


def standing(frames: list[Frame]) -> list[Frame]:
    """Return the functions being run, without generators whose loops' bodies are."""
    found: list[Frame] = []
    for frame in frames:
        again = next((k for k, f in enumerate(found) if f is frame), None)
        found = [*found, frame] if again is None else found[:again + 1]
    return found


def code_of(frame: Frame | None) -> CodeType | None:
    """Return the code of the function whose text a frame's statements stand in."""
    while frame is not None and frame.function is None:
        frame = frame.parent
    return None if frame is None or frame.function is None else frame.function.__code__


def position(node: Any) -> Position:
    """Return where a node stands in its tree, as the key ``FunctionUse`` uses."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
