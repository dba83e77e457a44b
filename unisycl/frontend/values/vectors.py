"""``vec`` and ``marray`` in kernels: elements, methods, assignment (SYCL 2020 §4.14.2).

A vec is its elements, each a scalar expression: lanes run across work-items, so elements lie in
registers of their own. Non-goals: operators (``vector_operators``). Invariant: each rule here is
that of ``lang.numbers.elements`` and ``lang.numbers.vec``.
"""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from unisycl.base import dtypes
from unisycl.base.dataclass import dataclass, replace
from unisycl.base.enums import rounding_mode
from unisycl.frontend import coerce, faults, rounding
from unisycl.frontend.parameters import match
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.bit_patterns import regrouped
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import (
    Form,
    Kind,
    Lowering,
    Met,
    Piece,
    Target,
    Value,
    VariableForm,
    describe,
)
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.pieces import components, shown
from unisycl.frontend.values.single_elements import chosen, is_at, read_apart, reads_apart
from unisycl.frontend.values.targets import behind, is_spread, load_each
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import WEAK_INT, Scalar, Struct, element_type
from unisycl.lang.numbers import swizzle
from unisycl.lang.numbers.elements import elements_type, made
from unisycl.lang.numbers.vec import is_vec_type, vec


@dataclass(frozen=True, slots=True)
class Vector(Kind):
    """A vec or marray: its elements, one after another.

    ``homes`` are the variables that may hold this very object. ``exact``: the elements are those of
    the object itself (reads of its variables, or loads from its memory), so they can be assigned.
    ``room`` is how many elements' room it takes in memory, if that is more than there are.
    """

    type: Struct
    items: tuple[n.Expr, ...]
    homes: frozenset[Any] = frozenset()
    name: str = ""
    exact: bool = True
    writable: bool = True
    readable: bool = True
    room: int = 0

    @property
    def elem(self) -> Scalar:
        """The type of an element."""
        elem = self.type.fields[0].type
        assert isinstance(elem, Scalar)
        return elem

    @property
    def place(self) -> n.Place | None:
        """Where the elements follow one another in memory; None if they do not."""
        first = self.items[0]
        if not isinstance(first, n.Load) or len(self.items) == 1:
            return None
        for k, x in enumerate(self.items):
            if not isinstance(x, n.Load) or x.place != replace(
                    first.place, offset=first.place.offset + k * self.elem.size):
                return None
        return first.place

    def describe(self) -> str:
        return str(self.type)

    def number_help(self) -> str:
        return "take one element of it, or ask sycl.any(v) or sycl.all(v) of a condition"

    def is_instance(self, classes: tuple[builtins.type, ...]) -> bool:
        return any(isinstance(c, elements_type) and issubclass(type_of(self), c) for c in classes)

    def number(self, ctx: Lowering, node: ast.AST, *, unsure: bool = False) -> n.Expr:
        if len(self.items) == 1:
            return self.items[0]
        return Kind.number(self, ctx, node, unsure=unsure)

    def loaded(self, ctx: Lowering) -> Vector:
        """Return the vec with elements at hand: one in memory is read whole, by one access."""
        place = self.place
        if place is None:
            return self
        room = 0 if reads_apart(ctx, self) else self.room
        items = ctx.load_many(place, max(room, len(self.items)))
        return replace(self, items=tuple(items[:len(self.items)]), exact=False)

    # ---- parts
    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        return element(ctx, self, ctx.exactly(ctx.value(node.slice), node.slice), node)

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        found = attribute(ctx, self, name)
        if isinstance(found, Vector) and self.place is not None:  # several are read at once
            return read_apart(ctx, found) if reads_apart(ctx, self) \
                else attribute(ctx, self.loaded(ctx), name)
        return Method(self, name) if found is None and name in self._methods() else found

    def names(self) -> Iterable[str]:
        own = type_of(self)
        elements = swizzle.names(own.count) if own.kind == "vec" else ()
        return self._methods() | frozenset(elements)

    def _methods(self) -> frozenset[str]:
        return frozenset(METHODS) if type_of(self).kind == "vec" else _COMMON

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        return call(ctx, self, name, args, keywords, node)

    def length(self) -> n.Expr | None:
        return coerce.weak_scalar(len(self.items))

    def listed(self, ctx: Lowering) -> tuple[Value, ...] | None:
        return self.loaded(ctx).items

    def components(self, ctx: Lowering, node: ast.AST) -> list[n.Expr]:
        return list(self.loaded(ctx).items)

    def unpacked(self, ctx: Lowering, node: ast.AST) -> tuple[Value, ...]:
        return self.loaded(ctx).items

    def one_of(self, ctx: Lowering, table: tuple[Value, ...], kind: str, index: n.Expr,
               node: ast.AST) -> Value:
        rows, homes = [], frozenset[Any]()
        for v in table:
            if not isinstance(v, Vector) or v.type != self.type:
                raise ctx.refuse("K035", node, name="the element", first=self.describe(),
                                 second=describe(v))
            rows.append(v.loaded(ctx).items)
            homes |= v.homes
        items = [ctx.of(column[0]).one_of(ctx, column, "tuple", index, node)
                 for column in zip(*rows, strict=True)]
        return Vector(self.type, tuple(ctx.to_scalar(x, node) for x in items), homes, self.name,
                      exact=False)

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        if read and not self.readable:
            raise ctx.refuse("K058", node, name=self.name)
        if isinstance(node, ast.Subscript):
            index = ctx.exactly(ctx.value(node.slice), node.slice)
            k = constant_element(ctx, self, index, node)
            if k is None:
                return ElementPlace(self, index)
            found: Value | None = picked(ctx, self, (k,))
        else:
            found = attribute(ctx, self, node.attr)
        if found is None:
            found = self.attribute(ctx, node)  # type: ignore[arg-type]  # it refuses
        if isinstance(found, Vector):
            return VectorPlace(found)
        check_assignable(ctx, self, node)
        if not isinstance(found, n.Read | n.Load):
            raise ctx.refuse("K083", node, what=self.describe())
        return NumberPlace(found)

    def step(self, ctx: Lowering, node: ast.Subscript | ast.Attribute) -> Value | None:
        return attribute(ctx, self, node.attr) if isinstance(node, ast.Attribute) else None

    # ---- text
    def spelt(self, ctx: Lowering, node: ast.AST, *, inside: bool) -> list[Piece] | None:
        out: list[Piece] = []
        for k, x in enumerate(components(ctx, self, node)):
            out += [", ", x] if k else [x]
        return [f"{type_of(self).__name__}(", *out, ")"]

    def streamed(self, ctx: Lowering, node: ast.AST) -> list[Piece] | None:
        return shown(ctx, "list", self, node)

    # ---- names and paths
    @property
    def in_variables(self) -> bool:
        return True

    def form(self) -> Form:
        return VectorForm(self.type)

    def meet(self, values: list[Met], *, unsure: bool) -> Form | None:
        alike = all(isinstance(v.value, Vector) and v.value.type == self.type for v in values)
        return VectorForm(self.type) if alike else None

    def as_met(self) -> n.Expr | None:
        return self.items[0] if len(self.items) == 1 else None

    def same(self, other: Value | n.Local) -> Value | n.Local | None:
        if not isinstance(other, Vector) or (self.type, self.items, self.room) != (
                other.type, other.items, other.room):
            return None
        return replace(self, homes=self.homes | other.homes, exact=self.exact and other.exact)

    # ---- what keeps it
    def hold(self, ctx: Lowering) -> Value:
        value = self.loaded(ctx)
        return replace(value, items=tuple(ctx.hold(x) for x in value.items), exact=False)

    def keep(self, ctx: Lowering, position: int) -> Value:
        kept = tuple(ctx.keep_number(x, position) for x in self.items)
        return replace(self, items=kept, exact=kept == self.items and self.exact)

    def without_homes(self, gone: Callable[[Any], bool]) -> Value:
        return replace(self, homes=frozenset(h for h in self.homes if not gone(h)))


@dataclass(frozen=True, slots=True)
class VectorForm(VariableForm):
    """A vec or marray: a variable for each element."""

    type: Struct

    def adopt(self, ctx: Lowering, key: Any, name: str, value: Any, node: ast.AST,
              old: Value | n.Local | None) -> Value:
        targets = [ctx.local((*key, self.type, k), f"{name}.{k}", f.type)  # type: ignore[arg-type]
                   for k, f in enumerate(self.type.fields)]
        if value is None:
            items: tuple[n.Expr, ...] = tuple(
                coerce.convert(coerce.weak_scalar(0), x.type) for x in targets)
        else:
            items = value.loaded(ctx).items
            if any(isinstance(e, n.Read) and e.local in targets for x in items
                   for e in visit.walk(x)):
                items = tuple(ctx.hold(x) for x in items)
        for target, x in zip(targets, items, strict=True):
            ctx.emit(n.Assign(target, coerce.cast(x, target.type), span=ctx.span(node)))
        if value is not None:
            ctx.share(key, name, value)
        made = tuple(n.Read(x.type, x) for x in targets)
        return Vector(self.type, made, frozenset((key,)), name)


@dataclass(frozen=True, slots=True)
class VectorPlace(Target):
    """A vec, or several elements of one, that are written."""

    of: Vector

    def read(self, ctx: Lowering, node: ast.AST) -> Value:
        if not self.of.readable:
            raise ctx.refuse("K058", node, name=self.of.name)
        return self.of

    def write(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        assign(ctx, self.of, value, node)


@dataclass(frozen=True, slots=True)
class ElementPlace(Target):
    """One element of a vec, at a place known at run time only."""

    of: Vector
    index: n.Expr

    def read(self, ctx: Lowering, node: ast.AST) -> Value:
        return element(ctx, self.of, self.index, node)

    def write(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        x = ctx.to_scalar(value, origin, unsure=True)
        assign_element(ctx, self.of, self.index, x, node)


@dataclass(frozen=True, slots=True)
class NumberPlace(Target):
    """One element of a vec: its variable, or its place in memory."""

    x: n.Read | n.Load

    def read(self, ctx: Lowering, node: ast.AST) -> Value:
        return self.x

    def write(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        put(ctx, self.x, ctx.to_scalar(value, origin, unsure=True), node)


# ---- types
@functools.cache
def layout_of(own: elements_type) -> Struct:
    """Return the layout of a vec or marray type."""
    kind = element_type(own.dtype)
    assert isinstance(kind, Struct)
    return kind


def own_type(kind: object) -> elements_type | None:
    """Return the vec or marray type of a layout; None for any other type."""
    found = getattr(getattr(kind, "owner", None), "_type", None)
    return found if isinstance(found, elements_type) else None


def type_of(value: Vector) -> elements_type:
    """Return the type of a vec or marray."""
    found = own_type(value.type)
    assert found is not None
    return found


def of(own: elements_type, items: Sequence[n.Expr]) -> Vector:
    """Return a value that no name holds yet."""
    return Vector(layout_of(own), tuple(items), exact=False)


def scalar_of(own: elements_type) -> Scalar:
    """Return the type of an element."""
    row = dtypes.find_dtype(own.element)
    assert row is not None
    return Scalar(row)


# ---- constructors
def construct(ctx: Lowering, own: elements_type, args: Sequence[Value], node: ast.AST) -> Value:
    """Return ``float4(...)``: zeros, one number for all elements, or parts that make it up."""
    parts = list(args)
    if len(parts) == 1 and isinstance(parts[0], Several):
        parts = list(parts[0].items)
    kind = scalar_of(own)
    ctx.need(kind)
    items: list[n.Expr] = []
    for part in parts:
        if isinstance(part, Vector):
            theirs = type_of(part)
            if (theirs.kind, theirs.element) != (own.kind, own.element):
                raise ctx.refuse("K036", node, op=own.__name__, types=theirs.__name__,
                                 help=f"convert it first: .convert(np.{own.element})")
            items += part.loaded(ctx).items
        else:
            items.append(coerce.cast(ctx.to_scalar(part, node, unsure=True), kind))
    if not items:
        items = [coerce.cast(coerce.weak_scalar(0), kind)]
    if len(items) == 1:
        items = [ctx.once(items[0])] * own.count if own.count > 1 else items
    if len(items) != own.count:
        raise ctx.refuse("K080", node, what=f"{own.__name__} has {own.count} elements, and "
                         f"{len(items)} are given", help="give one number for all of them, or "
                         "numbers and vectors that make them up together")
    return of(own, items)


# ---- elements
def picked(ctx: Lowering, value: Vector, places: Sequence[int]) -> Value:
    """Return some elements in some order; a single one is a number."""
    if len(places) == 1:
        return value.items[places[0]]
    like = layout_of(made("vec", type_of(value).element, len(places)))
    items = (*value.items, _nowhere(value.elem))  # three elements count as four
    return replace(value, type=like, room=0, items=tuple(items[k] for k in places))


@functools.cache
def _nowhere(kind: Scalar) -> n.Const:
    """Return what stands for the fourth of three elements; known by its identity."""
    return n.Const(kind, 0)


def attribute(ctx: Lowering, value: Vector, name: str) -> Value | None:
    """Return the elements a name such as ``xy`` or ``lo`` denotes; None if it is no such name."""
    own = type_of(value)
    places = swizzle.positions(name, own.count) if own.kind == "vec" else None
    return None if places is None else picked(ctx, value, places)


def constant_element(ctx: Lowering, value: Vector, index: n.Expr, node: ast.AST) -> int | None:
    """Return the place an index names, refusing one outside; None if it is not known yet."""
    if index.type.dtype.kind not in "iu":
        raise ctx.refuse("K038", node, found=str(index.type), help="convert it first: int(...)")
    if not isinstance(index, n.Const):
        faults.of_elements(ctx, index, describe(value), len(value.items), node)
        return None
    k, count = int(index.value), len(value.items)
    if not 0 <= k < count:
        raise ctx.refuse("K081", node, found=k, what=describe(value), count=count)
    return k


def element(ctx: Lowering, value: Vector, index: n.Expr, node: ast.AST) -> n.Expr:
    """Return ``v[index]``."""
    k = constant_element(ctx, value, index, node)
    if k is not None:
        return value.items[k]
    index = ctx.once(index)
    if reads_apart(ctx, value):
        return chosen(ctx, value.items, index, node)
    items = [ctx.once(x) for x in value.loaded(ctx).items]
    result = items[-1]
    for k in range(len(items) - 2, -1, -1):
        result = coerce.select(is_at(index, k), items[k], result, value.elem)
    return result


# ---- assignment to elements
def assign(ctx: Lowering, target: Vector, value: Value, node: ast.AST, *, name: str = "") -> None:
    """Do ``v.xy = value`` for a vec in variables or in memory."""
    own = type_of(target)
    check_assignable(ctx, target, node)
    places = [_place_of(x) for x in target.items]
    if len(set(places)) != len(places):
        raise ctx.refuse("K082", node, name=name or ast.unparse(node))
    items = _assigned(ctx, own, value, node)
    where = target.place
    if where is None:
        for item, x in zip(target.items, items, strict=True):
            if item is not _nowhere(target.elem):
                put(ctx, item, x, node)
        return
    padding = [n.Const(target.elem, 0)] * (max(target.room, len(items)) - len(items))
    ctx.store_many(where, [*items, *padding], node)


def _place_of(x: n.Expr) -> Any:
    return x.local if isinstance(x, n.Read) else x


def _assigned(ctx: Lowering, own: elements_type, value: Value, node: ast.AST) -> list[n.Expr]:
    """Return the elements an assignment gives, all evaluated before any is written."""
    kind = scalar_of(own)
    if isinstance(value, Several):
        value = construct(ctx, own, [value], node)
    ctx.of(value).check_elements(ctx, own.__name__, node)
    if not isinstance(value, Vector) or len(value.items) == 1:
        x = coerce.cast(ctx.to_scalar(value, node, unsure=True), kind)
        return [ctx.once(x)] * own.count
    theirs = type_of(value)
    if theirs.count != own.count:
        raise ctx.refuse("K080", node, what=f"{theirs.count} elements cannot be assigned to "
                         f"{own.count}", help="take as many as there are targets, such as v.xy")
    if theirs.element != own.element:
        raise ctx.refuse("K036", node, op="=", types=f"{own.__name__} and {theirs.__name__}",
                         help=f"convert it first: .convert(np.{own.element})")
    return [ctx.hold(x) for x in value.loaded(ctx).items]


def put(ctx: Lowering, item: n.Expr, x: n.Expr, node: ast.AST) -> None:
    """Write one element: to its variable or to its place in memory."""
    if isinstance(item, n.Read):
        ctx.emit(n.Assign(item.local, coerce.cast(x, item.type), span=ctx.span(node)))
    else:
        assert isinstance(item, n.Load)
        ctx.emit(n.Store(item.place, coerce.cast(x, item.type), span=ctx.span(node)))


def check_assignable(ctx: Lowering, target: Vector, node: ast.AST) -> None:
    """Refuse to change what is no variable or memory, or what two names may share."""
    nowhere = _nowhere(target.elem)
    if not target.exact or not all(isinstance(x, n.Read | n.Load) or x is nowhere
                                   for x in target.items):
        raise ctx.refuse("K083", node, what=describe(target))
    if not target.writable:
        memory = next(x.place for x in target.items if isinstance(x, n.Load))
        by_value = isinstance(memory.base, n.Param) and not memory.index
        raise ctx.refuse("K041" if by_value else "K039", node, name=target.name)
    check_unshared(ctx, target, node)


def check_unshared(ctx: Lowering, target: Any, node: ast.AST) -> None:
    """Refuse to change what two names may share."""
    for home in target.homes:
        if home in ctx.shared:
            other = ctx.shared[home].partition(".")[0]
            raise ctx.refuse("K084", node, name=target.name, type=describe(target),
                             other=f"'{other}'" if other else "another name")


def assign_element(ctx: Lowering, target: Vector, index: n.Expr, value: n.Expr,
                   node: ast.AST) -> None:
    """Do ``v[index] = value`` for an index known at run time only."""
    check_assignable(ctx, target, node)
    index, x = ctx.once(index), ctx.once(coerce.cast(value, target.elem))
    for k, item in enumerate(target.items):
        if item is _nowhere(target.elem):
            continue
        if isinstance(item, n.Read):
            put(ctx, item, coerce.select(is_at(index, k), x, item, target.elem), node)
        else:
            with ctx.into() as block:
                put(ctx, item, x, node)
            ctx.emit(n.If(is_at(index, k), tuple(block), span=ctx.span(node)))


# ---- methods
def call(ctx: Lowering, value: Vector, name: str, args: Sequence[Value], named: dict[str, Value],
         node: ast.AST) -> Value:
    """Return a call of a method of a vec or marray."""
    lower, required, optional = METHODS[name]
    if name in ("convert", "as_") or (name == "swizzle" and not reads_apart(ctx, value)):
        value = value.loaded(ctx)
    if name == "swizzle":
        return read_apart(ctx, _swizzle(ctx, value, args, node))
    return lower(ctx, value, match(ctx, node, name, args, named, required, optional), node)


def _swizzle(ctx: Lowering, value: Vector, args: Sequence[Value], node: ast.AST) -> Value:
    places = []
    for arg in args:
        index = ctx.constant(ctx.to_scalar(arg, node))
        if index is None:
            raise ctx.refuse("K046", node, what="an element of a swizzle",
                             help="index by v[k] where k is known at run time only")
        k = constant_element(ctx, value, index, node)
        assert k is not None
        places.append(k)
    if len(places) not in swizzle.SIZES:
        raise ctx.refuse("K080", node, what=f"a swizzle of {len(places)} elements is not possible",
                         help="name 1, 2, 3, 4, 8 or 16 elements")
    return picked(ctx, value, places)


def _convert(ctx: Lowering, value: Vector, found: dict[str, Value], node: ast.AST) -> Value:
    kind = found["dtype"]
    row = dtypes.find_dtype(kind.object) if isinstance(kind, Constant) else None
    mode = found.get("mode", Constant(rounding_mode.automatic))
    if row is None or not isinstance(mode, Constant) or not isinstance(mode.object, rounding_mode):
        raise ctx.refuse("K046", node, what="the type and rounding of convert()",
                         help="write v.convert(np.int32) or "
                         "v.convert(np.int32, sycl.rounding_mode.rte)")
    to = Scalar(row)
    ctx.need(to)
    items = [rounding.convert(ctx, x, to, mode.object) for x in value.items]
    return of(type_of(value)._like(row.numpy), items)


def _as(ctx: Lowering, value: Vector, found: dict[str, Value], node: ast.AST) -> Value:
    kind = found["type"]
    to = kind.object if isinstance(kind, Constant) else None
    if not is_vec_type(to) or to is vec:
        raise ctx.refuse("K046", node, what="the type of as_()", help="write v.as_(sycl.int4)")
    if to.dtype.itemsize != value.type.size:
        raise ctx.refuse("K080", node, what=f"as_() keeps all bytes, and {to.__name__} has "
                         f"{to.dtype.itemsize} where {value.type} has {value.type.size}",
                         help="use convert() to change the values' type")
    elem = scalar_of(to)
    ctx.need(elem)
    return of(to, regrouped(ctx, value.items, elem, to.count))


def _load(ctx: Lowering, value: Vector, found: dict[str, Value], node: ast.AST) -> Value:
    place = _place(ctx, value, found["offset"], found["source"], node)
    check_assignable(ctx, value, node)
    for item, x in zip(value.items, load_each(ctx, place, len(value.items)), strict=True):
        put(ctx, item, x, node)
    return Nothing()


def _store(ctx: Lowering, value: Vector, found: dict[str, Value], node: ast.AST) -> Value:
    value = value.loaded(ctx)
    place = _place(ctx, value, found["offset"], found["target"], node, write=True)
    if not is_spread(place):
        hint = ctx.constant(found["streaming"]) if "streaming" in found else None
        ctx.store_many(place, value.items, node, past=hint is not None and bool(hint.value))
        return Nothing()
    held = [ctx.hold(x) for x in value.items]
    place = replace(place, index=tuple(map(ctx.hold, place.index)))
    for k, x in enumerate(held):
        ctx.emit(n.Store(behind(place, k), x, span=ctx.span(node)))
    return Nothing()


def _place(ctx: Lowering, value: Vector, offset: Value, memory: Value, node: ast.AST, *,
           write: bool = False) -> n.Place:
    """Return the place of the first element: that of ``offset * n``."""
    step = coerce.convert(ctx.exactly(offset, node), WEAK_INT)
    start = coerce.binary("mul", step, coerce.weak_scalar(len(value.items)), WEAK_INT)
    return ctx.of(memory).elements(ctx, value, start, node, write=write)


def _size(ctx: Lowering, value: Vector, found: dict[str, Value], node: ast.AST) -> Value:
    return coerce.weak_scalar(len(value.items))


def _bytes(ctx: Lowering, value: Vector, found: dict[str, Value], node: ast.AST) -> Value:
    return coerce.weak_scalar(value.type.size)


_Lower = Callable[[Lowering, Vector, dict[str, Value], ast.AST], Value]
METHODS: dict[str, tuple[_Lower, tuple[str, ...], tuple[str, ...]]] = {
    "convert": (_convert, ("dtype",), ("mode",)), "as_": (_as, ("type",), ()),
    "swizzle": (_size, (), ()), "load": (_load, ("offset", "source"), ()),
    "store": (_store, ("offset", "target"), ("streaming",)), "size": (_size, (), ()),
    "get_count": (_size, (), ()), "byte_size": (_bytes, (), ()), "get_size": (_bytes, (), ()),
}

_COMMON = frozenset(("size", "get_count", "byte_size", "get_size"))
