"""What names of a frame denote, and what an assignment emits.

A number lives in a typed variable of the IR, a tuple or vec in one for each of its elements.
Non-goals: how an expression is lowered. Invariants: a variable's type joins all it is given over
all rounds; an object that two names may share is never changed in place, because Python would
change both and C++ one: such programs are refused.
"""

from __future__ import annotations

import ast
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unisycl.base.span import Span
from unisycl.frontend import coerce, stored
from unisycl.frontend.items import ITEM_KINDS
from unisycl.frontend.values import (
    Instance,
    Item,
    Memory,
    Poison,
    Record,
    Several,
    Value,
    Vector,
    describe,
)
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import WEAK_INT, PointerType, Struct, numbers

if TYPE_CHECKING:
    from unisycl.frontend.context import Frame, Refused


class Variables(ABC):
    """The part of a ``Context`` that binds names."""

    types: dict[Any, Any]
    changed: bool
    block: list[n.Stmt]
    frames: list[Frame]
    loops: list[Any]
    regions: tuple[int, ...]
    shared: dict[Any, str]
    unrolled: list[int]
    copies: set[n.Param | n.Array]
    fresh: set[n.Param | n.Array]
    indices: set[Any]
    """The keys of names that were left to be the index object they were given."""

    @abstractmethod
    def span(self, node: ast.AST) -> Span: ...
    @abstractmethod
    def refuse(self, id: str, node: ast.AST, **facts: object) -> Refused: ...
    @abstractmethod
    def to_scalar(self, value: Value, node: ast.AST) -> n.Expr: ...
    @abstractmethod
    def emit(self, stmt: n.Stmt) -> None: ...
    @abstractmethod
    def too_large(self, problem: coerce.DoesNotFit, node: ast.AST) -> Refused: ...

    @abstractmethod
    def to_pointer(self, value: Value, kind: PointerType, node: ast.AST) -> n.Expr: ...

    @abstractmethod
    def joined_pointer(self, old: Value | n.Local | None,
                       value: Value) -> PointerType | None: ...

    @abstractmethod
    def as_pointers(self, known: object, old: Value | n.Local | None,
                    value: Value) -> tuple[Any, Value]: ...

    @abstractmethod
    def loaded(self, value: Vector) -> Vector: ...

    # ---- values that stay what they are
    def hold(self, x: n.Expr, name: str = "t") -> n.Expr:
        """Return an expression of the same value that later statements cannot change."""
        if is_stable(x):
            return x
        local = n.Local(name, x.type)
        self.emit(n.Assign(local, x))
        return n.Read(local.type, local)

    def hold_value(self, value: Value) -> Value:
        """Return a value that later statements cannot change, whatever it is made of."""
        if isinstance(value, n.Expr):
            return self.hold(value)
        if isinstance(value, Vector):
            value = self.loaded(value)
            return replace(value, items=tuple(self.hold(x) for x in value.items), exact=False)
        if isinstance(value, Instance):
            return replace(value, items=tuple(self.hold_value(v) for v in value.items),
                           exact=False)
        if isinstance(value, Several):
            return replace(value, items=tuple(self.hold_value(v) for v in value.items))
        return value

    def once(self, x: n.Expr) -> n.Expr:
        """Return an expression of the same value that may be used several times."""
        if isinstance(x, n.Const | n.Read | n.ParamRead | n.Query):
            return x
        local = n.Local("t", x.type)
        self.emit(n.Assign(local, x))
        return n.Read(local.type, local)

    def keep(self, value: Value, position: int) -> Value:
        """Save a value before the statements at ``position`` if they could change it."""
        if isinstance(value, n.Expr):
            return self.keep_number(value, position)
        if isinstance(value, Several):
            return Several(tuple(self.keep(v, position) for v in value.items), value.kind)
        if isinstance(value, Vector):
            kept = tuple(self.keep_number(x, position) for x in value.items)
            return replace(value, items=kept, exact=kept == value.items and value.exact)
        if isinstance(value, Instance):
            parts = tuple(self.keep(v, position) for v in value.items)
            return replace(value, items=parts, exact=parts == value.items and value.exact)
        return value

    def keep_number(self, x: n.Expr, position: int) -> n.Expr:
        """Save a number before the statements at ``position`` if they could change it."""
        if is_stable(x):
            return x
        local = n.Local("t", x.type)
        self.block.insert(position, n.Assign(local, x))
        return n.Read(local.type, local)

    # ---- names
    def assign(self, name: str, value: Value, node: ast.AST) -> None:
        """Bind a name in the current frame, as ``name = value`` does."""
        frame = self.frames[-1]
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
        if self.loops and getattr(self.loops[-1], "left", False) and _alike(old, value):
            return False  # a later turn may not run: it must change the same variables
        same = (isinstance(old, Vector) and isinstance(value, Vector) and old.type == value.type) \
            or (isinstance(old, Instance) and isinstance(value, Instance) and old.cls is value.cls)
        return not same and not (isinstance(old, n.Local) and isinstance(value, n.Expr))

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
        if isinstance(value, Memory) or isinstance(old, Memory):
            old, value = self.as_pointers(self.types.get(key), old, value)
        pointer = stored.settle(value, self.types.get(key)) or self.joined_pointer(old, value)
        if pointer is not None:
            if old is not None and not isinstance(old, n.Local) and stored.leads(old):
                self.types[key], self.changed, old = pointer, True, None
            value = self.to_pointer(value, pointer, node)
        if is_one(value) and (isinstance(old, n.Local) or key in self.types):
            value = self.to_scalar(value, node)  # an id of one dimension is its integer, too
        elif is_one(value):
            self.indices.add(key)
        if isinstance(value, n.Expr):
            old = None if old is not None and not isinstance(old, n.Local) and is_one(old) else old
            if old is not None and not isinstance(old, n.Local):
                raise self._two_kinds(name, old, value, node)
            return self.assign_scalar(key, name, old, value, node)
        if isinstance(value, Vector):
            return self._bind_vector(key, name, old, value, node)
        if isinstance(value, Instance):
            return self._bind_instance(key, name, old, value, node)
        if isinstance(value, Several):
            if old is not None and not (isinstance(old, Several)
                                        and len(old.items) == len(value.items)):
                raise self._two_kinds(name, old, value, node)
            held = [self.hold_value(v) for v in value.items]
            olds = old.items if isinstance(old, Several) else [None] * len(held)
            items = [self.bind((*key, k), f"{name}.{k}", _local_of(o), v, node)
                     for k, (o, v) in enumerate(zip(olds, held, strict=True))]
            return Several(tuple(n.Read(i.type, i) if isinstance(i, n.Local) else i
                                 for i in items), value.kind)
        if isinstance(value, Memory | Record) and _steps(value):
            return self._bind_place(key, name, old, value, node)
        if old is not None and old != value:
            raise self._two_kinds(name, old, value, node)
        return value

    def _bind_vector(self, key: Any, name: str, old: Value | n.Local | None, value: Vector,
                     node: ast.AST) -> Vector:
        """Copy the elements of a vec to a variable's own."""
        if old is not None and not (isinstance(old, Vector) and old.type == value.type):
            raise self._two_kinds(name, old, value, node)
        spot = (*key, value.type)
        targets: list[n.Local | None] = [None] * len(value.items)
        if isinstance(old, Vector):
            targets = [x.local if isinstance(x, n.Read) else None for x in old.items]
        items = self.loaded(value).items
        if any(isinstance(e, n.Read) and e.local in targets for x in items for e in visit.walk(x)):
            items = tuple(self.hold(x) for x in items)
        locals = [self.assign_scalar((*spot, k), f"{name}.{k}", target, x, node)
                  for k, (target, x) in enumerate(zip(targets, items, strict=True))]
        # A name may be of one type after another; one read before that is unsure anyway.
        self.types.setdefault((*key, "vector"), value.type)
        self.share(key, name, value)
        return variable(key, name, value, locals)

    def _bind_instance(self, key: Any, name: str, old: Value | n.Local | None, value: Instance,
                       node: ast.AST) -> Instance:
        """Copy the fields of an object to a variable's own."""
        if old is not None and not (isinstance(old, Instance) and old.cls is value.cls):
            raise self._two_kinds(name, old, value, node)
        olds = old.items if isinstance(old, Instance) else (None,) * len(value.items)
        held = [self.hold_value(v) for v in value.items]
        items = [self.bind((*key, f), f"{name}.{f}", _local_of(o), v, node)
                 for f, o, v in zip(value.names, olds, held, strict=True)]
        self.share(key, name, value)
        return Instance(value.cls, value.names, tuple(
            n.Read(i.type, i) if isinstance(i, n.Local) else i for i in items),
            frozenset((key,)), name, exact=True)

    def hold_object(self, value: Instance, name: str, node: ast.AST) -> Instance:
        """Give an object variables of its own, as a name would."""
        key = (self.frames[-1].key, "object", self.span(node), *self.unrolled)
        return self._bind_instance(key, name, None, value, node)

    def set_field(self, target: Instance, field: str, value: Value, node: ast.AST) -> None:
        """Do ``object.field = value`` for an object that a variable holds."""
        (key,) = target.homes
        old = _local_of(target.field(field))
        new = self.bind((*key, field), f"{target.name}.{field}", old, value, node)
        if isinstance(new, n.Local):
            new = n.Read(new.type, new)
        if new == target.field(field):
            return
        k = target.names.index(field)
        changed = replace(target, items=(*target.items[:k], new, *target.items[k + 1:]))
        for frame in self.frames:
            for name, bound in frame.names.items():
                if isinstance(bound, Instance):
                    frame.names[name] = _exchanged(bound, key, changed)

    def share(self, key: Any, name: str, value: Vector | Instance) -> None:
        """Note which variables an object may belong to once it was given to another one."""
        others = value.homes - {key}
        if not value.homes:
            self.shared.pop(key, None)
        for home in others:
            self.shared[home] = name
            self.shared[key] = value.name

    def _bind_place(self, key: Any, name: str, old: Value | n.Local | None, value: Memory | Record,
                    node: ast.AST) -> Value:
        """Bind a row, span or record: its indices are kept as they are now, in locals."""
        if isinstance(old, Record) and isinstance(value, Record) and value.base in self.fresh \
                and (value.type, value.shape) == (old.type, old.shape) and self._is_own(key, old):
            self._move(old, value)  # nobody else has what is copied, so it may change places
            return old
        steps = _steps(value)
        zeros = (coerce.weak_scalar(0),) * len(steps)
        if isinstance(old, Memory | Record) and (
                len(_steps(old)) != len(steps) or _with_steps(replace(old, name=""), zeros)
                != _with_steps(replace(value, name=""), zeros)):
            raise self._two_kinds(name, old, value, node)
        if old is not None and not isinstance(old, Memory | Record):
            raise self._two_kinds(name, old, value, node)
        if isinstance(value, Record):
            self.fresh.discard(value.base)
        olds = _steps(old) if old is not None else (None,) * len(zeros)
        held = [self.hold(x) for x in steps]
        index = []
        for k, (o, x) in enumerate(zip(olds, held, strict=True)):
            local = self.assign_scalar((*key, "index", k), name, o.local if isinstance(o, n.Read)
                                       else None, coerce.convert(x, WEAK_INT), node)
            index.append(n.Read(local.type, local))
        return _with_steps(value, tuple(index))

    def _is_own(self, key: Any, field: Record) -> bool:
        """Say whether a field's array is the work-item's, and its object has no other name."""
        return field.base in self.copies and len(key) > 2 and isinstance(key[-1], str) \
            and not any(key[:k] in self.shared for k in range(2, len(key)))

    def _move(self, target: Record, value: Record) -> None:
        """Write the numbers of one record to another."""
        size = value.type.size if isinstance(value.type, Struct) else value.type.dtype.size
        for k in range(math.prod(value.shape)):
            for kind, offset in numbers(value.type, k * size):
                source, place = (n.Place(r.base, r.index, kind, r.offset + offset, r.inner)
                                 for r in (value, target))
                self.emit(n.Store(place, n.Load(kind, source)))

    def assign_scalar(self, key: Any, name: str, old: n.Local | None, value: n.Expr,
                      node: ast.AST) -> n.Local:
        """Give the variable of a key a value; its type joins all it is ever given."""
        known = self.types.get(key)
        joined = value.type if known is None else coerce.join(known, value.type)
        if joined is None:
            assert known is not None
            raise self.refuse("K035", node, name=name, first=known, second=value.type)
        if joined != known:
            # A first type changes nothing that was lowered so far, since nobody can have asked.
            self.types[key] = joined
            self.changed = self.changed or known is not None or key in self.indices
        local = old if old is not None and old.type == joined else n.Local(name, joined)
        if local is not old and old is not None:
            self.changed = True
        try:
            self.emit(n.Assign(local, coerce.cast(value, joined), span=self.span(node)))
        except coerce.DoesNotFit as problem:
            raise self.too_large(problem, node) from None
        return local

    def _two_kinds(self, name: str, old: Any, value: Value, node: ast.AST) -> Refused:
        if isinstance(old, Memory) and isinstance(value, Memory) and old.pointer and value.pointer:
            spaces = [m.view.space.value for m in (old, value)]
            names = [f"'{m.name}'" for m in (old, value)]
            first, second = spaces if spaces[0] != spaces[1] else names
            kind = "memory" if spaces[0] != spaces[1] else "elements"
            return self.refuse("K085", node, what=f"'{name}' would point to {first} {kind} on one "
                               f"path and to {second} {kind} on another", help="a pointer stays in "
                               "one memory, which is inferred from where it is made (SYCL 2020 "
                               "§5.9): use two names, or choose between elements")
        first = str(old.type) if isinstance(old, n.Local) else describe(old)
        return self.refuse("K035", node, name=name, first=first, second=describe(value))


def _alike(old: Value | n.Local, value: Value) -> bool:
    """Say whether two values are tuples of numbers of one length, tuples inside them included."""
    if isinstance(old, Several) and isinstance(value, Several):
        return old.kind == value.kind and len(old.items) == len(value.items) and all(
            _alike(a, b) for a, b in zip(old.items, value.items, strict=True))
    return isinstance(old, n.Expr) and isinstance(value, n.Expr)


def variable(key: Any, name: str, like: Vector, locals: list[n.Local]) -> Vector:
    """Return the vec that a variable's own elements are."""
    items = tuple(n.Read(x.type, x) for x in locals)
    return Vector(like.type, items, frozenset((key,)), name)


def _steps(place: Memory | Record) -> tuple[n.Expr, ...]:
    """Return all expressions that say where a place is: indices, and the window of a span."""
    if isinstance(place, Record):
        return place.index + tuple(x for x, _ in place.inner)
    return place.index + (place.window or ())


def _with_steps(place: Memory | Record, steps: tuple[n.Expr, ...]) -> Memory | Record:
    count = len(place.index)
    if isinstance(place, Record):
        inner = tuple((x, size) for x, (_, size) in zip(steps[count:], place.inner, strict=True))
        return replace(place, index=steps[:count], inner=inner)
    if place.window is None:
        return replace(place, index=steps)
    return replace(place, index=steps[:count], window=(steps[count], steps[count + 1]))


def _exchanged(value: Value, key: Any, new: Instance) -> Value:
    """Return a value in which the object of a variable is another one."""
    if not isinstance(value, Instance):
        return value
    if value.homes == {key}:
        return new
    return replace(value, items=tuple(_exchanged(v, key, new) for v in value.items))


def local_homes(value: Value, gone: Callable[[Any], bool]) -> Value:
    """Return a value without those variables that may hold it which end here."""
    if isinstance(value, Several):
        return replace(value, items=tuple(local_homes(v, gone) for v in value.items))
    if isinstance(value, Instance):
        value = replace(value, items=tuple(local_homes(v, gone) for v in value.items))
    if isinstance(value, Vector | Instance):
        return replace(value, homes=frozenset(h for h in value.homes if not gone(h)))
    return value


def _local_of(value: Value | n.Local | None) -> Value | n.Local | None:
    return value.local if isinstance(value, n.Read) else value


def is_one(value: Value | n.Local) -> bool:
    """Say whether a value is an id or range of one dimension."""
    return isinstance(value, Several) and value.kind in ("id", "range") and len(value.items) == 1


def is_stable(x: n.Expr) -> bool:
    """Say whether no statement can change the value of an expression."""
    return not any(isinstance(e, n.Load | n.Read) for e in visit.walk(x))
