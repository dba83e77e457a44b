"""Structs, and array members of structs, in memory: where they are, and how they are read.

Non-goals: objects made in kernels (``instances``). Invariant: a struct or array stays a place;
numbers and vectors in one are read where they are named.
"""

from __future__ import annotations

import ast
import math
from typing import Any

from unisycl.base.dataclass import dataclass, field, replace
from unisycl.frontend import coerce, faults
from unisycl.frontend.spelling import suggest
from unisycl.frontend.values import row_functions
from unisycl.frontend.values.absent import Poison
from unisycl.frontend.values.classes import OfClass
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.indexing import indices_of
from unisycl.frontend.values.kind import (
    Form,
    Kind,
    Lowering,
    Met,
    Target,
    ThingForm,
    Value,
    VariableForm,
    describe,
)
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.rows import RowMemory
from unisycl.frontend.values.targets import Cell
from unisycl.frontend.values.vectors import Vector, VectorPlace, own_type
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import WEAK_INT, Field, Scalar, Struct, numbers
from unisycl.lang.numbers.swizzle import SIZES
from unisycl.lang.numbers.vec import vec_of

_SIMPLE = 4
_COPIED = 64


class _ArrayMember(RowMemory, OfClass):
    """What an array member has as a row of numbers."""

    __slots__ = ()
    type: Scalar | Struct
    shape: tuple[int, ...]

    def row_of_numbers(self) -> tuple[Scalar, int] | None:
        kind = self.type
        return (kind, len(self.shape)) if self.shape and isinstance(kind, Scalar) else None

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        if self.shape:
            return row_functions.call(ctx, name, self, args, keywords, node)
        return OfClass.call_method(self, ctx, name, args, keywords, node)


@dataclass(frozen=True, slots=True)
class Record(_ArrayMember):
    """A struct, or an array member of one, in memory; ``shape`` is what is left to index.

    ``since``: when it got the name it goes by (``overwrites``); None if it has none.
    """

    base: n.Base
    index: tuple[n.Expr, ...]
    type: Scalar | Struct
    shape: tuple[int, ...] = ()
    offset: int = 0
    inner: tuple[tuple[n.Expr, int], ...] = ()
    writable: bool = True
    readable: bool = True
    name: str = ""
    since: int | None = field(default=None, compare=False)

    def describe(self) -> str:
        return str(self.type) + ("".join(f"[{e}]" for e in self.shape))

    def number_help(self) -> str:
        return record_help(self.type)

    def owner_class(self) -> Any:
        if self.shape or not isinstance(self.type, Struct):
            return None
        return getattr(self.type.owner, "_struct", None)

    @property
    def is_number(self) -> bool:
        """Whether the place holds one number."""
        return isinstance(self.type, Scalar) and not self.shape

    @property
    def is_vector(self) -> bool:
        """Whether the place holds a vec or marray."""
        return not self.shape and own_type(self.type) is not None

    def number(self, ctx: Lowering, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        return self.load(ctx, node) if self.is_number else \
            Kind.number(self, ctx, node, unsure=unsure)

    def check_elements(self, ctx: Lowering, expected: str, node: ast.AST) -> None:
        raise ctx.refuse("K049", node, found=self.describe(), expected=expected, help="")

    # ---- reading
    def load(self, ctx: Lowering, node: ast.AST) -> n.Expr:
        """Read a number."""
        assert isinstance(self.type, Scalar)
        ctx.overwrites.check(ctx, self, node)
        if not self.readable:
            raise ctx.refuse("K058", node, name=self.name)
        ctx.need(self.type)
        return n.Load(self.type, n.Place(self.base, self.index, self.type, self.offset,
                                         self.inner, ctx.span(node)))

    def load_vector(self, ctx: Lowering, node: ast.AST) -> Vector:
        """Return a vec in memory: loads of its elements, each done only where it is used."""
        assert isinstance(self.type, Struct)
        ctx.overwrites.check(ctx, self, node)
        index = tuple(_repeatable(ctx, x) for x in self.index)
        inner = tuple((_repeatable(ctx, x), size) for x, size in self.inner)
        items = []
        for f in self.type.fields:
            assert isinstance(f.type, Scalar)
            items.append(n.Load(f.type, n.Place(self.base, index, f.type, self.offset + f.offset,
                                                inner, ctx.span(node))))
            ctx.need(f.type)
        return Vector(self.type, tuple(items), name=self.name, writable=self.writable,
                      readable=self.readable, room=self.type.size // items[0].type.size)

    def read(self, ctx: Lowering, node: ast.AST) -> Value:
        """Read a number or vec now; a struct or array stays a place."""
        if self.is_number:
            return self.load(ctx, node)
        if not self.is_vector:
            return self
        if not self.readable:
            raise ctx.refuse("K058", node, name=self.name)
        return self.load_vector(ctx, node)

    def cell(self, ctx: Lowering, node: ast.AST) -> Cell:
        """Return the place of a number, its indices held; refuse anything wider."""
        if not self.is_number:
            raise ctx.refuse("K049", node, found=self.describe(), expected="a number",
                             help=record_help(self.type, "assign its elements one by one"))
        assert isinstance(self.type, Scalar)
        ctx.need(self.type)
        held = self.moved(tuple(ctx.hold(x) for x in self.steps()))
        return Cell(n.Place(self.base, held.index, self.type, self.offset, held.inner,
                            ctx.span(node)))

    # ---- parts
    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        return self.at(ctx, node).read(ctx, node)

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        if name in row_functions.METHODS and self.row_of_numbers() is not None:
            return Method(self, name)
        if not isinstance(self.type, Struct) or self.shape:
            return None
        if self.type.field(name) is None:
            found = self.class_attribute(ctx, name, node)
            if found is not None:
                return found
        return self.member(ctx, name, node).read(ctx, node)

    def at(self, ctx: Lowering, node: ast.Subscript) -> Record:
        """Return a member of a struct by constant name, or an element of an array member."""
        if isinstance(self.type, Struct) and not self.shape:
            name = ctx.value(node.slice)
            if not (isinstance(name, Constant) and isinstance(name.object, str)):
                raise ctx.refuse("K046", node, what="the name of a member",
                                 help="write it as a literal: a[i]['x']")
            return self.member(ctx, name.object, node)
        if not self.shape:
            raise ctx.refuse("K037", node, what=f"'{self.name}'", expected=0, found=1, help="")
        indices = indices_of(ctx, node.slice, lambda k: coerce.weak_scalar(
            self.shape[min(k, len(self.shape) - 1)]))
        if len(indices) > len(self.shape):
            raise ctx.refuse("K037", node, what=f"'{self.name}'", expected=len(self.shape),
                             found=len(indices), help="")
        inner = list(self.inner)
        for k, x in enumerate(indices):
            x = faults.of_axis(ctx, x, k, self.shape[k], node)
            inner.append((x, _element_size(self) * math.prod(self.shape[k + 1:])))
        return replace(self, shape=self.shape[len(indices):], inner=tuple(inner))

    def member(self, ctx: Lowering, name: str, node: ast.AST) -> Record:
        """Return a member of a struct by name."""
        assert isinstance(self.type, Struct)
        found = self.type.field(name)
        if found is None:
            names = [f.name for f in self.type.fields]
            raise ctx.refuse("K032", node, what=str(self.type), name=name,
                             help=record_help(self.type, suggest(
                                 name, names, f"it has {', '.join(names)}")))
        return self.of_field(found)

    def of_field(self, found: Field) -> Record:
        """Return where a member is."""
        return replace(self, type=found.type, shape=found.shape, name=f"{self.name}.{found.name}",
                       offset=self.offset + found.offset)

    def step(self, ctx: Lowering, node: ast.Subscript | ast.Attribute) -> Value | None:
        if isinstance(node, ast.Subscript):
            return staying(ctx, self.at(ctx, node), node)
        if not isinstance(self.type, Struct) or self.shape or self.type.field(node.attr) is None:
            return None
        return staying(ctx, self.member(ctx, node.attr, node), node)

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        if isinstance(node, ast.Attribute) and (
                not isinstance(self.type, Struct) or self.shape):
            return Kind.target(self, ctx, node, read=read)
        member = isinstance(node, ast.Attribute) and any(
            f.name == node.attr for f in getattr(self.type, "fields", ()))
        own = self.own_target(ctx, node) if isinstance(node, ast.Attribute) and not member else None
        if own is not None:
            return own
        found = self.at(ctx, node) if isinstance(node, ast.Subscript) else self.member(
            ctx, node.attr, node)
        if not found.writable:
            id = "K041" if isinstance(found.base, n.Param) and not found.index else "K039"
            raise ctx.refuse(id, node, name=found.name)
        return found.as_target(ctx, node)

    def as_target(self, ctx: Lowering, node: ast.AST) -> Target:
        """Return the place as one to be written."""
        if not self.is_vector:
            return RecordPlace(self)
        held = self.moved(tuple(ctx.hold(x) for x in self.steps()))
        return VectorPlace(held.load_vector(ctx, node))

    def length(self) -> n.Expr | None:
        return coerce.weak_scalar(self.shape[0]) if self.shape else None

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        if not self.shape:
            return Kind.unpacked(self, ctx, node)
        if self.shape[0] > _COPIED:
            raise ctx.refuse("K049", node, found=self.describe(), expected="a shorter array",
                             help=f"go over more than {_COPIED} elements in a loop")
        size = _element_size(self) * math.prod(self.shape[1:])
        return tuple(replace(self, shape=self.shape[1:], offset=self.offset + k * size).read(
            ctx, node) for k in range(self.shape[0]))

    def indices(self, ctx: Lowering, node: ast.AST) -> list[n.Expr]:
        return [ctx.exactly(self, node)]

    # ---- names and paths
    @property
    def in_variables(self) -> bool:
        return True

    def form(self) -> Form:
        return PlaceForm(len(self.steps())) if self.steps() else ThingForm()

    def meet(self, values: list[Met], *, unsure: bool) -> Form | None:
        if not self.steps():
            return Kind.meet(self, values, unsure=unsure)
        return self.form() if all(one_memory(self, v.value) for v in values) else None

    def same(self, other: Value | n.Local) -> Value | n.Local | None:
        if not isinstance(other, Record) or self != other:
            return None
        older = self.since is None or (other.since or 0) >= self.since  # the older name counts
        return self if older else other

    def as_thing(self, ctx: Lowering) -> Value:
        if isinstance(self.base, n.Param | n.Array):
            ctx.storage.fresh.discard(self.base)
        found: Value = ctx.overwrites.named(self)
        return found

    # ---- what keeps it
    def steps(self) -> tuple[n.Expr, ...]:
        """Return all expressions that say where the place is."""
        return self.index + tuple(x for x, _ in self.inner)

    def moved(self, steps: tuple[n.Expr, ...]) -> Record:
        """Return a place in the same memory, elsewhere."""
        count = len(self.index)
        inner = tuple((x, size) for x, (_, size) in zip(steps[count:], self.inner, strict=True))
        return replace(self, index=steps[:count], inner=inner)

    def hold(self, ctx: Lowering) -> Value:
        steps = self.steps()
        held = self.moved(tuple(ctx.hold(x) for x in steps)) if steps else self
        found: Value = ctx.overwrites.named(held)
        return found


def _element_size(record: Record) -> int:
    """Return how many bytes an element of an array member, or a struct, has."""
    kind = record.type
    return kind.size if isinstance(kind, Struct) else kind.dtype.size


def staying(ctx: Lowering, place: Record, node: ast.AST) -> Value | None:
    """Return a place that stays one on the way to another: a struct, an array, a vector."""
    if place.is_vector:
        ctx.note_place(node)
        return place.load_vector(ctx, node)
    return place if place.shape or isinstance(place.type, Struct) else None


def one_memory(a: Any, b: Any) -> bool:
    """Say whether two places differ in nothing but the numbers that say where they are."""
    if type(a) is not type(b) or len(a.steps()) != len(b.steps()):
        return False
    zeros = (coerce.weak_scalar(0),) * len(a.steps())
    return bool(replace(a, name="").moved(zeros) == replace(b, name="").moved(zeros))


@dataclass(frozen=True, slots=True)
class PlaceForm(VariableForm):
    """A row, window or record: memory known while compiling, and this many numbers that say where.

    Which memory that is differs from round to round of lowering, so it is no part of the form.
    """

    steps: int

    def adopt(self, ctx: Lowering, key: Any, name: str, value: Any, node: ast.AST,
              old: Value | n.Local | None) -> Value:
        """Bind a place: its indices are kept as they are now, in locals."""
        if isinstance(old, Record) and isinstance(value, Record) \
                and value.base in ctx.storage.fresh \
                and (value.type, value.shape) == (old.type, old.shape) and _is_own(ctx, key, old):
            _move(ctx, old, value)  # nobody else has what is copied, so it may change places
            return old
        spots = self._spots(ctx, key, name)
        if value is None:  # which memory it is, is known all the same
            for spot in spots:
                ctx.emit(n.Assign(spot, coerce.weak_scalar(0), span=ctx.span(node)))
            return Poison(missing=True)
        value = value.as_thing(ctx)
        held = [ctx.hold(x) for x in value.steps()]
        for spot, x in zip(spots, held, strict=True):
            ctx.emit(n.Assign(spot, coerce.cast(x, WEAK_INT), span=ctx.span(node)))
        found: Value = value.moved(tuple(n.Read(x.type, x) for x in spots))
        return found

    def variable(self, ctx: Lowering, key: Any, name: str, like: Any) -> Value | n.Local:
        found: Value = like.moved(tuple(n.Read(x.type, x) for x in self._spots(ctx, key, name)))
        return found

    def _spots(self, ctx: Lowering, key: Any, name: str) -> list[n.Local]:
        return [ctx.local((*key, "index", k), name, WEAK_INT) for k in range(self.steps)]


def _is_own(ctx: Lowering, key: Any, field: Record) -> bool:
    """Say whether a field's array is the work-item's, and its object has no other name."""
    return field.base in ctx.storage.copies and len(key) > 2 and isinstance(key[-1], str) \
        and not any(key[:k] in ctx.shared for k in range(2, len(key)))


def _move(ctx: Lowering, target: Record, value: Record) -> None:
    """Write the numbers of one record to another."""
    for k in range(math.prod(value.shape)):
        for kind, offset in numbers(value.type, k * _element_size(value)):
            source, place = (n.Place(r.base, r.index, kind, r.offset + offset, r.inner)
                             for r in (value, target))
            ctx.emit(n.Store(place, n.Load(kind, source)))


@dataclass(frozen=True, slots=True)
class RecordPlace(Target):
    """A number, struct or array in memory that is written."""

    of: Record

    def settled(self, ctx: Lowering, node: ast.AST, *, read: bool) -> Target:
        if read and not self.of.readable:
            raise ctx.refuse("K058", node, name=self.of.name)
        return self.of.cell(ctx, node)

    def store(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        if isinstance(value, Record) and not self.of.is_number:
            copy_record(ctx, self.of, value, node)
        elif ctx.of(value).given_fields() is not None and not self.of.shape:
            self._fill(ctx, ctx.hold_value(value), node)
            ctx.overwrites.note(ctx, self.of, node)
        else:
            Target.store(self, ctx, value, node, origin)

    def _fill(self, ctx: Lowering, value: Value, node: ast.AST) -> None:
        """Write the fields of an object, all evaluated before."""
        given, kind = ctx.of(value).given_fields(), self.of.type
        if given is None or not isinstance(kind, Struct) or tuple(
                f.name for f in kind.fields) != tuple(given):
            raise ctx.refuse("K049", node, found=describe(value), expected=self.of.describe(),
                             help="")
        for f, item in zip(kind.fields, given.values(), strict=True):
            place = self.of.of_field(f)
            if ctx.of(item).given_fields() is not None and not place.shape:
                RecordPlace(place)._fill(ctx, item, node)
            elif isinstance(item, Record) and not place.is_number:
                copy_record(ctx, place, item, node)
            else:
                place.as_target(ctx, node).settled(ctx, node, read=False).write(
                    ctx, item, node, node)


def copy_record(ctx: Lowering, target: Record, value: Record, node: ast.AST) -> None:
    """Copy a struct or an array member, number by number, all read before any is written."""
    if (target.type, target.shape) != (value.type, value.shape):
        raise ctx.refuse("K049", node, found=value.describe(), expected=target.describe(), help="")
    ctx.overwrites.check(ctx, value, node)
    held = [ctx.hold(leaf.load(ctx, node)) for leaf in _leaves(ctx, value, node)]
    ctx.overwrites.note(ctx, target, node)
    for leaf, x in zip(_leaves(ctx, target, node), held, strict=True):
        ctx.emit(n.Store(leaf.cell(ctx, node).place, x, span=ctx.span(node)))


def _leaves(ctx: Lowering, record: Record, node: ast.AST) -> list[Record]:
    """Return the numbers a struct or array member is made of."""
    if record.shape:
        if math.prod(record.shape) > _COPIED:
            raise ctx.refuse("K049", node, found=record.describe(), expected="a smaller record",
                             help=f"copy arrays of more than {_COPIED} elements in a loop")
        return [leaf for k in range(math.prod(record.shape)) for leaf in _leaves(ctx, replace(
            record, shape=(), offset=record.offset + k * _element_size(record)), node)]
    if isinstance(record.type, Struct):
        return [leaf for f in record.type.fields
                for leaf in _leaves(ctx, record.of_field(f), node)]
    return [record]


def _repeatable(ctx: Lowering, x: n.Expr) -> n.Expr:
    """Keep an index that costs something to compute, for it is used for every element."""
    costs = sum(1 for _ in visit.walk(x)) > _SIMPLE or any(
        isinstance(e, n.Load | n.Call) for e in visit.walk(x))
    return ctx.once(x) if costs else x


def record_help(kind: Any, otherwise: str = "") -> str:
    """Say how records that another library keeps vectors in become vectors; else ``otherwise``."""
    if not isinstance(kind, Struct) or kind.owner is not None:
        return otherwise
    count = sum(f.name == f"s{k}" for k, f in enumerate(kind.fields))
    first = kind.fields[0].type if kind.fields else None
    if count not in SIZES or not isinstance(first, Scalar) or any(
            f.type != first or f.shape for f in kind.fields[:count]):
        return otherwise
    name = vec_of(first.dtype.numpy, count).__name__
    return f"to use it as a vector, pass the memory as array.view(np.dtype(sycl.{name}))"
