"""The state of compiling one kernel: frames, blocks, variables, captures and diagnostics.

Non-goals: the meaning of syntax (expr, stmt, call). A kernel is lowered again and again until the
types of its variables no longer change. Invariant: statements are only ever appended to ``block``,
so evaluation order is Python's.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any

from unisycl.base import diagnostics
from unisycl.base.errors import Diagnostic
from unisycl.base.span import Span
from unisycl.frontend import captures, coerce
from unisycl.frontend.source import FunctionSource
from unisycl.frontend.values import Constant, Memory, Path, Poison, Record, Several, Value, describe
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import Scalar, Struct, View
from unisycl.ir.uses import Position


class Refused(Exception):
    """Something was reported (or poisoned); the statement at hand is given up."""


@dataclass(eq=False, slots=True)
class Frame:
    """One function being inlined: its names, and where ``return`` goes.

    ``key`` names the inlined instance the same way in every round. ``result`` collects returns.
    """

    source: FunctionSource
    function: FunctionType | None
    path: Path
    key: tuple[Any, ...]
    parent: Frame | None = None
    names: dict[str, Value | n.Local] = field(default_factory=dict)
    assigned: frozenset[str] = frozenset()
    scope: int = 0
    needs_scope: bool = False
    result: Value | n.Local | None = None
    call: ast.AST | None = None


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
        self.block: list[n.Stmt] = []
        self.params: dict[Path, n.Param] = {}
        self.arrays: list[n.Array] = []
        self.reducers: list[n.Reducer] = []
        self.guards: dict[tuple[Path, bool], Any] = {}
        self.uses: dict[CodeType, tuple[FunctionSource, set[Position]]] = {}
        self.frames: list[Frame] = []
        self.loops: list[tuple[int, int] | None] = []
        self.aspects: set[str] = set()
        self.unrolled: list[int] = []
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
        found = diagnostics.diagnostic(id, self.span(node), **facts)
        if found not in self.diagnostics:
            notes = tuple((f"called from here, in '{f.source.node.name}'"
                           if isinstance(f.source.node, ast.FunctionDef) else "called from here", s)
                          for f, s in self._call_sites())
            self.diagnostics.append(
                Diagnostic(found.id, found.message, found.span, found.help, notes))
        return Refused()

    def _call_sites(self) -> Iterator[tuple[Frame, Span]]:
        for outer, inner in itertools.pairwise(self.frames):
            site = inner.key[-1] if inner.key else None
            if isinstance(site, Span):
                yield outer, site

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
        result = self._lower_expr(self, node)
        if isinstance(result, Poison):
            raise Refused
        return result

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
            return n.Load(value.type, n.Place(value.base, value.index, value.type, value.offset,
                                              value.inner, self.span(node)))
        if getattr(value, "name", "") == "size" and isinstance(getattr(value, "owner", None), Memory):
            return self.size_of(value.owner)  # type: ignore[union-attr]
        item = self.item_as_int(value)
        if item is not None:
            return item
        if isinstance(value, Poison):
            raise Refused
        raise self.refuse("K049", node, found=describe(value), expected="a number",
                          help=_scalar_help(value))

    def size_of(self, memory: Memory) -> n.Expr:
        """Return the number of elements of a view."""
        size: n.Expr = coerce.weak_scalar(1)
        for d in range(memory.view.ndim):
            size = coerce.binary("mul", size, n.Extent(coerce.WEAK_INT, memory.base, d),
                                 coerce.WEAK_INT)
        return size

    def item_as_int(self, value: Value) -> n.Expr | None:
        """Return the id a one-dimensional item converts to."""
        from_item = getattr(value, "kind", None) == "item" and getattr(value, "ndim", 0) == 1
        return n.Query(coerce.WEAK_INT, "global_id", 0) if from_item else None

    def load(self, memory: Memory, node: ast.AST) -> n.Expr:
        """Read the element a fully indexed view denotes."""
        if not memory.view.mode.reads:
            raise self.refuse("K054", node, what=f"'{memory.name}' is write-only here",
                              help="request access_mode read or read_write for it")
        elem = memory.view.elem
        assert isinstance(elem, Scalar)
        self.need(elem)
        return n.Load(elem, n.Place(memory.base, memory.index, elem, span=self.span(node)))

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

    # ---- variables
    def assign(self, name: str, value: Value, node: ast.AST) -> None:
        """Bind a name in the current frame, as ``name = value`` does."""
        frame = self.frame
        frame.names[name] = self.bind((frame.key, name), name, frame.names.get(name), value, node)

    def bind(self, key: Any, name: str, old: Value | n.Local | None, value: Value,
              node: ast.AST) -> Value | n.Local:
        if isinstance(old, Poison) or isinstance(value, Poison):
            return Poison()
        if isinstance(value, n.Expr):
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
        if old is not None and old != value:
            raise self._two_kinds(name, old, value, node)
        return value

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
        self.emit(n.Assign(local, coerce.cast(value, joined), span=self.span(node)))
        return local

    def _two_kinds(self, name: str, old: Any, value: Value, node: ast.AST) -> Refused:
        first = str(old.type) if isinstance(old, n.Local) else describe(old)
        return self.refuse("K035", node, name=name, first=first, second=describe(value))

    # ---- captures
    def guard(self, path: Path, obj: Any, *, frozen: bool = False) -> None:
        """Note that the code depends on the signature of an object."""
        self.guards[path, frozen] = captures.signature(obj, frozen=frozen)

    def capture(self, path: Path, obj: Any, name: str, node: ast.AST, *,
                frozen: bool = False) -> Value:
        """Turn a Python object into a value; ``frozen`` numbers become constants."""
        self.guard(path, obj, frozen=frozen)
        if frozen and isinstance(obj, bool | int | float) and captures.data_type(obj) is not None:
            return coerce.weak_scalar(obj)
        kind = captures.data_type(obj)
        if kind is not None:
            return self._parameter(path, kind, name)
        if isinstance(obj, tuple):
            return Several(tuple(self.capture((*path, ("item", k)), v, f"{name}[{k}]", node,
                                              frozen=True) for k, v in enumerate(obj)))
        if isinstance(obj, captures.geometry.range | captures.geometry.id):
            what = "range" if isinstance(obj, captures.geometry.range) else "id"
            return Several(tuple(self.capture((*path, ("item", k)), v, f"{name}[{k}]", node)
                                 for k, v in enumerate(obj)), what)
        if isinstance(obj, list | dict | set | bytearray | complex) or isinstance(
                obj, captures.np.ndarray | captures.np.generic) or _is_host_object(obj):
            described, help = captures.why_not(obj)
            if path and path[-1][0] == "global" and isinstance(obj, list | dict | set):
                raise self.refuse("K048", node, name=name, kind=described)
            raise self.refuse("K040", node, name=name, kind=described, help=help)
        return Constant(obj, path)

    def _parameter(self, path: Path, kind: Scalar | Struct | View, name: str) -> Value:
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


def _scalar_help(value: Value) -> str:
    if isinstance(value, Memory):
        return "index it with one integer for each dimension"
    if getattr(value, "kind", "") in ("item", "nd_item", "h_item", "id", "range"):
        return "take one dimension of it, e.g. index[0] or get_global_id(0)"
    return ""


def is_stable(x: n.Expr) -> bool:
    """Say whether no statement can change the value of an expression."""
    return not any(isinstance(e, n.Load | n.Read) for e in visit.walk(x))
