"""Methods of ``vec`` in kernels: conversions, bits, memory (SYCL 2020 §4.14.2.1, §4.14.2.5).

Non-goals: operators and elements (``vectors``). Invariant: each equals the method of
``lang.numbers.vec``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from unisycl.base import dtypes
from unisycl.base.dtypes import DTYPES
from unisycl.base.enums import rounding_mode
from unisycl.frontend import coerce, rounding
from unisycl.frontend.form_registry import form
from unisycl.frontend.parameters import match, parameters
from unisycl.frontend.values import stored_pointers, vectors
from unisycl.frontend.values.kind import Lowering, Value
from unisycl.frontend.values.kinds import Constant, Memory, Nothing, Vector, describe
from unisycl.frontend.values.slices import shifted
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT, Scalar, View
from unisycl.lang.numbers import bits, swizzle
from unisycl.lang.numbers.elements import elements_type
from unisycl.lang.numbers.vec import is_vec_type, vec


def call(ctx: Lowering, value: Vector, name: str, args: Sequence[Value], named: dict[str, Value],
         node: ast.AST) -> Value:
    """Return a call of a method of a vec or marray."""
    lower, required, optional = METHODS[name]
    if name == "swizzle":
        return _swizzle(ctx, ctx.loaded(value), args, node)
    if name in ("convert", "as_"):
        value = ctx.loaded(value)
    return lower(ctx, value, match(ctx, node, name, args, named, required, optional), node)


def _swizzle(ctx: Lowering, value: Vector, args: Sequence[Value], node: ast.AST) -> Value:
    places = []
    for arg in args:
        index = ctx.constant(ctx.to_scalar(arg, node))
        if index is None:
            raise ctx.refuse("K046", node, what="an element of a swizzle",
                             help="index by v[k] where k is known at run time only")
        k = vectors.constant_element(ctx, value, index, node)
        assert k is not None
        places.append(k)
    if len(places) not in swizzle.SIZES:
        raise ctx.refuse("K080", node, what=f"a swizzle of {len(places)} elements is not possible",
                         help="name 1, 2, 3, 4, 8 or 16 elements")
    return vectors.picked(ctx, value, places)


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
    return vectors.of(vectors.type_of(value)._like(row.numpy), items)


def _as(ctx: Lowering, value: Vector, found: dict[str, Value], node: ast.AST) -> Value:
    kind = found["type"]
    to = kind.object if isinstance(kind, Constant) else None
    if not is_vec_type(to) or to is vec:
        raise ctx.refuse("K046", node, what="the type of as_()", help="write v.as_(sycl.int4)")
    if to.dtype.itemsize != value.type.size:
        raise ctx.refuse("K080", node, what=f"as_() keeps all bytes, and {to.__name__} has "
                         f"{to.dtype.itemsize} where {value.type} has {value.type.size}",
                         help="use convert() to change the values' type")
    elem = vectors.scalar_of(to)
    ctx.need(elem)
    return vectors.of(to, regrouped(ctx, value.items, elem, to.count))


def regrouped(ctx: Lowering, items: Sequence[n.Expr], kind: Scalar, count: int) -> list[n.Expr]:
    """Return the bits of elements as those of another type; what is missing is zero."""
    parts = [as_bits(x) for x in items]
    have, want = parts[0].type.dtype.bits, 8 * kind.dtype.size
    word = Scalar(DTYPES[f"uint{want}"])
    zero = n.Const(parts[0].type, 0)
    bits: list[n.Expr]
    if have >= want:
        ratio = have // want
        parts = [ctx.once(x) for x in parts] if ratio > 1 else parts
        parts += [zero] * (-(-count // ratio) - len(parts))
        bits = [coerce.convert(_shifted("shr", parts[k // ratio], want * (k % ratio)), word)
                for k in range(count)]
    else:
        ratio = want // have
        parts += [zero] * (count * ratio - len(parts))
        bits = [_joined([coerce.convert(x, word) for x in parts[k * ratio:(k + 1) * ratio]], have)
                for k in range(count)]
    return [from_bits(x, kind) for x in bits]


def _shifted(op: str, x: n.Expr, by: int) -> n.Expr:
    return coerce.binary(op, x, n.Const(x.type, by), x.type)


def _joined(parts: list[n.Expr], width: int) -> n.Expr:
    result = parts[0]
    for k, part in enumerate(parts[1:], 1):
        result = coerce.binary("or", result, _shifted("shl", part, width * k), part.type)
    return result


def as_bits(x: n.Expr) -> n.Expr:
    """Return a number's bits as an unsigned integer of its size."""
    word = Scalar(DTYPES[f"uint{8 * x.type.dtype.size}"])
    if x.type.dtype.is_float:
        return n.Bitcast(word, x)
    return coerce.convert(x, word)


def from_bits(x: n.Expr, kind: Scalar) -> n.Expr:
    """Return the number of a type that has these bits."""
    if kind.dtype.is_float:
        return n.Bitcast(kind, x)
    return coerce.cast(coerce.truth(x), BOOL) if kind.dtype.kind == "b" else coerce.convert(x, kind)


@form(bits.bit_cast)
def bit_cast(ctx: Lowering, node: ast.Call) -> Value:
    """Lower ``bit_cast(type, value)`` (SYCL 2020 §3.9.2)."""
    found = parameters(ctx, node, "bit_cast", ("to", "value"))
    kind = found["to"].object if isinstance(found["to"], Constant) else None
    own = kind if isinstance(kind, elements_type) and hasattr(kind, "count") else None
    row = dtypes.find_dtype(kind) if isinstance(kind, type) and own is None else None
    if own is None and row is None:
        raise ctx.refuse("K046", node, what="the type of bit_cast()",
                         help="write sycl.bit_cast(np.uint32, x)")
    value = found["value"]
    if isinstance(value, Vector):
        items, have = ctx.loaded(value).items, value.type.size
    else:
        x = ctx.to_scalar(value, node)
        items, have = (coerce.convert(x, Scalar(x.type.dtype)),), x.type.size
    to = vectors.scalar_of(own) if own is not None else Scalar(row)  # type: ignore[arg-type]
    if "c" in (to.dtype.kind, items[0].type.dtype.kind):
        raise ctx.refuse("K080", node, what="bit_cast has no complex numbers",
                         help="cast their parts: z.real, z.imag")
    want = own.dtype.itemsize if own is not None else row.size if row is not None else 0
    if have != want:
        raise ctx.refuse("K080", node, what=f"bit_cast keeps all bytes, and {describe(value)} has "
                         f"{have} where the new type has {want}", help="convert the value instead")
    ctx.need(to)
    bits = regrouped(ctx, items, to, own.count if own is not None else 1)
    return bits[0] if own is None else vectors.of(own, bits)


def _load(ctx: Lowering, value: Vector, found: dict[str, Value], node: ast.AST) -> Value:
    place = _place(ctx, value, found["offset"], found["source"], node)
    memory = found["source"]
    if isinstance(memory, Memory) and not memory.view.mode.reads:
        raise ctx.refuse("K058", node, name=memory.name)
    vectors.check_assignable(ctx, value, node)
    for item, x in zip(value.items, _loaded(ctx, place, len(value.items)), strict=True):
        vectors.put(ctx, item, x, node)
    return Nothing()


def _loaded(ctx: Lowering, place: n.Place, count: int) -> list[n.Expr]:
    """Read elements from a place on, each by itself where they do not follow one another."""
    if not _is_spread(place):
        return ctx.load_many(place, count)
    place = replace(place, index=tuple(map(ctx.hold, place.index)))
    return [ctx.hold(n.Load(place.type, _behind(place, k))) for k in range(count)]


def _is_spread(place: n.Place) -> bool:
    return isinstance(place.base.type, View) and place.base.type.spread


def _behind(place: n.Place, count: int) -> n.Place:
    *front, last = place.index
    index = coerce.binary("add", last, coerce.weak_scalar(count), WEAK_INT)
    return replace(place, index=(*front, index))


def _store(ctx: Lowering, value: Vector, found: dict[str, Value], node: ast.AST) -> Value:
    value = ctx.loaded(value)
    memory = found["target"]
    if isinstance(memory, Memory) and not memory.view.mode.writes:
        raise ctx.refuse("K039", node, name=memory.name)
    place = _place(ctx, value, found["offset"], memory, node)
    if not _is_spread(place):
        ctx.store_many(place, value.items, node)
        return Nothing()
    held = [ctx.hold(x) for x in value.items]
    place = replace(place, index=tuple(map(ctx.hold, place.index)))
    for k, x in enumerate(held):
        ctx.emit(n.Store(_behind(place, k), x, span=ctx.span(node)))
    return Nothing()


def _place(ctx: Lowering, value: Vector, offset: Value, memory: Value, node: ast.AST) -> n.Place:
    """Return the place of the first element: that of ``offset * n``."""
    step = coerce.convert(ctx.exactly(offset, node), WEAK_INT)
    start = coerce.binary("mul", step, coerce.weak_scalar(len(value.items)), WEAK_INT)
    pointer = stored_pointers.kind_of(memory)
    if pointer is not None and pointer.elem == value.elem:
        assert isinstance(memory, n.Expr)
        return n.Place(n.HEAP, (), value.elem, inner=stored_pointers.element(
            ctx, memory, start, node).inner, span=ctx.span(node))
    if not isinstance(memory, Memory) or memory.view.ndim != len(memory.index) + 1:
        raise ctx.refuse("K049", node, found=describe(memory), expected="memory of one dimension",
                         help="pass memory of one dimension, or a pointer to it: multi_ptr(a)")
    if memory.view.elem != value.elem:
        raise ctx.refuse("K036", node, op="load and store",
                         types=f"{describe(value)} and memory of {memory.view.elem}",
                         help="the memory has elements of the vec's own type")
    return n.Place(memory.base, (*memory.index, shifted(memory, start)), value.elem,
                   span=ctx.span(node))


def _size(ctx: Lowering, value: Vector, found: dict[str, Value], node: ast.AST) -> Value:
    return coerce.weak_scalar(len(value.items))


def _bytes(ctx: Lowering, value: Vector, found: dict[str, Value], node: ast.AST) -> Value:
    return coerce.weak_scalar(value.type.size)


_Lower = Callable[[Lowering, Vector, dict[str, Value], ast.AST], Value]
METHODS: dict[str, tuple[_Lower, tuple[str, ...], tuple[str, ...]]] = {
    "convert": (_convert, ("dtype",), ("mode",)), "as_": (_as, ("type",), ()),
    "swizzle": (_size, (), ()), "load": (_load, ("offset", "source"), ()),
    "store": (_store, ("offset", "target"), ()), "size": (_size, (), ()),
    "get_count": (_size, (), ()), "byte_size": (_bytes, (), ()), "get_size": (_bytes, (), ()),
}

_COMMON = frozenset(("size", "get_count", "byte_size", "get_size"))


def methods(value: Vector) -> frozenset[str]:
    """Return the methods a vec, or an marray, has."""
    return frozenset(METHODS) if vectors.type_of(value).kind == "vec" else _COMMON


def attributes(value: Vector) -> frozenset[str]:
    """Return every name a vec, or an marray, has."""
    own = vectors.type_of(value)
    elements = swizzle.names(own.count) if own.kind == "vec" else ()
    return methods(value) | frozenset(elements)


__all__ = ["METHODS", "attributes", "bit_cast", "call", "methods"]
