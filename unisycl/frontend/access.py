"""Subscripts and attributes: reaching into views, records, tuples, index objects and modules.

Non-goals: calls. Invariant: a subscript of memory becomes a ``Place`` whose index expressions were
evaluated where the subscript stands.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.base import dtypes
from unisycl.base.enums import access_mode
from unisycl.frontend import captures, coerce
from unisycl.frontend.context import Context
from unisycl.frontend.items import ITEM_METHODS, item_ids
from unisycl.frontend.values import (
    Closure,
    Constant,
    Item,
    Memory,
    Method,
    Poison,
    Record,
    Reduction,
    Several,
    Value,
    describe,
)
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT, Scalar, Struct

MEMORY_METHODS = frozenset(("size", "get_range", "byte_size", "empty", "get_size", "get_count"))
ATOMIC_METHODS = frozenset((
    "load", "store", "exchange", "compare_exchange_strong", "compare_exchange_weak", "fetch_add",
    "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_min", "fetch_max", "is_lock_free"))


def lower_subscript(ctx: Context, node: ast.Subscript) -> Value:
    base = ctx.value(node.value)
    match base:
        case Memory():
            return _finish(ctx, index_memory(ctx, base, node), node)
        case Record():
            return index_record(ctx, base, node)
        case Several():
            return _pick(ctx, base, node)
        case Item():
            return _dimension(ctx, item_ids(base), node)
        case Reduction():
            raise ctx.refuse("K055", node, op="+")
        case Constant() if isinstance(base.object, tuple | str | range | type):
            pass
    raise ctx.refuse("K049", node, found=describe(base), expected="memory, a tuple or an id",
                     help="")


def _finish(ctx: Context, memory: Memory | Record, node: ast.AST) -> Value:
    """Leave a subscript as a place unless it is a scalar that can be read now."""
    if isinstance(memory, Memory) and len(memory.index) == memory.view.ndim:
        if isinstance(memory.view.elem, Struct):
            return Record(memory.base, memory.index, memory.view.elem,
                          writable=memory.view.mode.writes, name=memory.name)
        return ctx.load(memory, node)
    return memory


def index_memory(ctx: Context, memory: Memory, node: ast.Subscript) -> Memory:
    """Add the subscript's indices to a view's."""
    new = _indices(ctx, node.slice, memory.view.ndim - len(memory.index))
    if len(memory.index) + len(new) > memory.view.ndim:
        raise ctx.refuse("K037", node, what=f"'{memory.name}'", expected=memory.view.ndim,
                         found=len(memory.index) + len(new), help="")
    return Memory(memory.base, memory.view, memory.index + tuple(new), memory.name)


def _indices(ctx: Context, node: ast.expr, left: int) -> list[n.Expr]:
    if isinstance(node, ast.Slice):
        raise ctx.refuse("K001", node, what="a slice", help="index single elements in a loop")
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    out: list[n.Expr] = []
    for value, part in zip(ctx.operands(*parts), parts, strict=True):
        for x in _spread(ctx, value, part, left):
            if x.type.dtype.kind not in "iu":
                raise ctx.refuse("K038", part, found=str(x.type))
            out.append(x)
    return out


def _spread(ctx: Context, value: Value, node: ast.AST, left: int) -> list[n.Expr]:
    if isinstance(value, Several):
        return [ctx.to_scalar(v, node) for v in value.items]
    if isinstance(value, Item):
        if value.kind not in ("item", "h_item"):
            raise ctx.refuse("K038", node, found=f"a {value.kind}; use its get_global_id()")
        ids = item_ids(value)
        return [ctx.to_scalar(v, node) for v in ids.items]
    if not isinstance(value, n.Expr | Memory | Record):
        raise ctx.refuse("K038", node, found=describe(value))
    return [ctx.to_scalar(value, node)]


def index_record(ctx: Context, record: Record, node: ast.Subscript) -> Value:
    """Return a member of a struct by constant name, or an element of an array member."""
    key = node.slice
    if isinstance(record.type, Struct) and not record.shape:
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            raise ctx.refuse("K046", node, what="the name of a member")
        member = record.type.field(key.value)
        if member is None:
            raise ctx.refuse("K032", node, what=str(record.type), name=key.value,
                             help=f"it has {', '.join(f.name for f in record.type.fields)}")
        return Record(record.base, record.index, member.type, member.shape,
                      record.offset + member.offset, record.inner, record.writable,
                      f"{record.name}.{key.value}")
    if not record.shape:
        raise ctx.refuse("K037", node, what=f"'{record.name}'", expected=0, found=1, help="")
    indices = _indices(ctx, key, len(record.shape))
    if len(indices) > len(record.shape):
        raise ctx.refuse("K037", node, what=f"'{record.name}'", expected=len(record.shape),
                         found=len(indices), help="")
    size = record.type.size if isinstance(record.type, Struct) else record.type.dtype.size
    inner = list(record.inner)
    for k, x in enumerate(indices):
        inner.append((x, size * int(np.prod(record.shape[k + 1:], dtype=int))))
    return Record(record.base, record.index, record.type, record.shape[len(indices):],
                  record.offset, tuple(inner), record.writable, record.name)


def _pick(ctx: Context, several: Several, node: ast.Subscript) -> Value:
    """Return one of several values: by a constant, or by a chain of selections."""
    if isinstance(node.slice, ast.Slice):
        parts = [None if p is None else ctx.scalar(p)
                 for p in (node.slice.lower, node.slice.upper, node.slice.step)]
        if not all(p is None or isinstance(p, n.Const) for p in parts):
            raise ctx.refuse("K046", node, what="a slice of a tuple")
        cut = slice(*(None if p is None else int(p.value) for p in parts))  # type: ignore[union-attr]
        return Several(several.items[cut], several.kind)
    if several.kind != "tuple":
        return _dimension(ctx, several, node)
    index = ctx.scalar(node.slice)
    if isinstance(index, n.Const):
        k = int(index.value)
        if not -len(several.items) <= k < len(several.items):
            raise ctx.refuse("K037", node, what="the tuple", expected=len(several.items), found=k,
                             help="the index is out of range")
        return several.items[k]
    return choose(ctx, several, ctx.hold(index), node)


def choose(ctx: Context, several: Several, index: n.Expr, node: ast.AST) -> n.Expr:
    """Return ``several[index]`` for an index known at run time only."""
    values = [ctx.to_scalar(v, node) for v in several.items]
    if not values:
        raise ctx.refuse("K037", node, what="the tuple", expected=0, found=1, help="")
    type: Scalar | None = values[0].type
    for v in values[1:]:
        type = coerce.join(type, v.type) if type else None
    if type is None:
        raise ctx.refuse("K035", node, name="the element", first=values[0].type,
                         second=values[-1].type)
    result = coerce.cast(values[-1], type)
    for k in range(len(values) - 2, -1, -1):
        test = coerce.compare("eq", index, coerce.weak_scalar(k))
        assert test is not None
        result = coerce.select(coerce.truth(test), values[k], result, type)
    return result


def _dimension(ctx: Context, ids: Several, node: ast.Subscript) -> Value:
    index = ctx.scalar(node.slice)
    if not isinstance(index, n.Const):
        return choose(ctx, ids, ctx.hold(index), node)
    return dimension(ctx, ids, int(index.value), node, f"the {ids.kind}")


def dimension(ctx: Context, ids: Several, d: int, node: ast.AST, what: str) -> Value:
    """Return one dimension of an id or range, or refuse one that does not exist."""
    if not 0 <= d < len(ids.items):
        raise ctx.refuse("K045", node, found=d, what=what, expected=f"{len(ids.items)} dimension(s)")
    return ids.items[d]


# ---- places that are written
def place_of(ctx: Context, node: ast.Subscript, *, write: bool) -> n.Place:
    """Return the place a subscript denotes, for a store or an update."""
    base = ctx.value(node.value)
    if isinstance(base, Memory):
        memory = index_memory(ctx, base, node)
        if write and not memory.view.mode.writes:
            raise ctx.refuse("K039", node, name=memory.name)
        if len(memory.index) != memory.view.ndim:
            raise ctx.refuse("K037", node, what=f"'{memory.name}'", expected=memory.view.ndim,
                             found=len(memory.index), help="give one index for each dimension")
        if isinstance(memory.view.elem, Struct):
            raise ctx.refuse("K049", node, found=str(memory.view.elem), expected="a number",
                             help="assign its members one by one: a[i]['name'] = ...")
        index = tuple(ctx.hold(x) for x in memory.index)
        return n.Place(memory.base, index, memory.view.elem, span=ctx.span(node))
    if isinstance(base, Record):
        member = index_record(ctx, base, node)
        assert isinstance(member, Record)
        if not member.writable:
            raise ctx.refuse("K041", node, name=member.name)
        if member.shape or not isinstance(member.type, Scalar):
            raise ctx.refuse("K049", node, found=describe(member), expected="a number", help="")
        return n.Place(member.base, tuple(ctx.hold(x) for x in member.index), member.type,
                       member.offset, tuple((ctx.hold(x), s) for x, s in member.inner),
                       ctx.span(node))
    if isinstance(base, Reduction):
        raise ctx.refuse("K055", node, op="+")
    if isinstance(base, Several | Item):
        raise ctx.refuse("K036", node, op="item assignment", types=describe(base),
                         help="tuples and ids cannot change; use sycl.private_array(dtype, n)")
    raise ctx.refuse("K049", node, found=describe(base), expected="memory", help="")


def store(ctx: Context, target: ast.Subscript, value: Value) -> None:
    """Do ``target = value`` for a subscript."""
    if isinstance(value, n.Expr):
        value = ctx.hold(value) if _has_effects(target) else value
    place = place_of(ctx, target, write=True)
    x = ctx.to_scalar(value, target)
    ctx.emit(n.Store(place, coerce.cast(x, place.type), span=ctx.span(target)))


def _has_effects(target: ast.Subscript) -> bool:
    return any(isinstance(node, ast.Call | ast.NamedExpr | ast.IfExp | ast.BoolOp)
               for node in ast.walk(target))


# ---- attributes
def lower_attribute(ctx: Context, node: ast.Attribute) -> Value:
    owner = ctx.value(node.value)
    match owner:
        case Constant():
            return _constant_attribute(ctx, owner, node)
        case Item():
            if node.attr in ITEM_METHODS.get(owner.kind, {}):
                return Method(owner, node.attr)
        case Memory():
            if node.attr == "shape":
                left = range(len(owner.index), owner.view.ndim)
                return Several(tuple(n.Extent(WEAK_INT, owner.base, d) for d in left))
            if node.attr == "ndim":
                return coerce.weak_scalar(owner.view.ndim - len(owner.index))
            if node.attr in MEMORY_METHODS:
                return Method(owner, node.attr)
        case Several() if owner.kind != "tuple":
            if node.attr in ("get", "size"):
                return Method(owner, node.attr)
        case Reduction():
            if node.attr in ("combine", "identity"):
                return Method(owner, node.attr)
            raise ctx.refuse("K055", node, op="+")
        case _ if hasattr(owner, "place") and node.attr in ATOMIC_METHODS:
            return Method(owner, node.attr)
    raise ctx.refuse("K032", node, what=describe(owner), name=node.attr, help="")


def _constant_attribute(ctx: Context, owner: Constant, node: ast.Attribute) -> Value:
    obj = owner.object
    try:
        found = getattr(obj, node.attr)
    except AttributeError:
        raise ctx.refuse("K032", node, what=describe(owner), name=node.attr, help="") from None
    path = (*owner.path, ("attr", node.attr))
    frozen = isinstance(obj, type) or hasattr(obj, "__spec__")
    library = hasattr(obj, "__spec__") and obj.__name__.split(".")[0] in _LIBRARIES
    if library and not isinstance(found, bool | int | float | list | dict):
        return Constant(found, path)
    return ctx.capture(path, found, node.attr, node, frozen=frozen)


_LIBRARIES = frozenset(("numpy", "math", "unisycl", "operator", "builtins"))


def as_dtype(value: Value) -> dtypes.DType | None:
    """Return the scalar type a compile-time object names (np.float32, 'int32', float)."""
    if not isinstance(value, Constant) or isinstance(value.object, captures.Missing):
        return None
    try:
        return dtypes.find_dtype(value.object)
    except TypeError:
        return None


LOWER: dict[type[ast.AST], Callable[[Context, Any], Value]] = {
    ast.Subscript: lower_subscript, ast.Attribute: lower_attribute,
}

__all__ = ["LOWER", "Closure", "Poison", "access_mode", "place_of", "store"]
