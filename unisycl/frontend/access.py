"""Subscripts and attributes: reaching into views, records, tuples, index objects and modules.

Non-goals: calls. Invariant: a subscript of memory becomes a ``Place`` whose index expressions were
evaluated where the subscript stands.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

from unisycl.base import dtypes
from unisycl.base.enums import memory_scope
from unisycl.frontend import captures, coerce
from unisycl.frontend.context import Context
from unisycl.frontend.items import ITEM_KINDS, ITEM_METHODS, item_ids
from unisycl.frontend.names import suggest
from unisycl.frontend.reducers import operator_name
from unisycl.frontend.values import (
    Atomic,
    Constant,
    Item,
    Memory,
    Method,
    Record,
    Reduction,
    Several,
    Value,
    describe,
)
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, WEAK_INT, Scalar, Struct

MEMORY_METHODS = frozenset(("size", "get_range", "byte_size", "empty", "get_size", "get_count"))
ATOMIC_METHODS = frozenset((
    "load", "store", "exchange", "compare_exchange_strong", "compare_exchange_weak", "fetch_add",
    "fetch_sub", "fetch_and", "fetch_or", "fetch_xor", "fetch_min", "fetch_max", "is_lock_free"))
_ND_RANGE = ("get_global_range", "get_local_range", "get_group_range", "get_offset")


def lower_subscript(ctx: Context, node: ast.Subscript) -> Value:
    base = ctx.value(node.value)
    match base:
        case Memory():
            return _finish(ctx, index_memory(ctx, base, node), node)
        case Record():
            return _read(ctx, index_record(ctx, base, node), node)
        case Several():
            return _pick(ctx, base, node)
        case Item() if base.kind in (*ITEM_KINDS, "group"):
            return _dimension(ctx, item_ids(base), node)
        case Reduction():
            raise ctx.refuse("K055", node)
        case Constant() if isinstance(base.object, str | bytes):
            raise ctx.refuse("K019", node)
        case Constant() if operator_name(base.object):
            return base  # plus[np.float32], as C++ writes plus<float>
    raise ctx.refuse("K049", node, found=describe(base), expected="memory, a tuple or an id",
                     help="take one dimension of it: get_global_id(0), get_local_id(0), ..."
                     if isinstance(base, Item) else "")


def _read(ctx: Context, member: Record, node: ast.AST) -> Value:
    """Read a member now if it is a number; a struct or array stays a place."""
    if isinstance(member.type, Scalar) and not member.shape:
        return ctx.load_member(member, node)
    return member


def _finish(ctx: Context, memory: Memory | Record, node: ast.AST) -> Value:
    """Leave a subscript as a place unless it is a scalar that can be read now."""
    if isinstance(memory, Memory) and len(memory.index) == memory.view.ndim:
        if isinstance(memory.view.elem, Struct):
            return _record(memory)
        return ctx.load(memory, node)
    return memory


def _record(memory: Memory) -> Record:
    assert isinstance(memory.view.elem, Struct)
    mode = memory.view.mode
    return Record(memory.base, memory.index, memory.view.elem, writable=mode.writes,
                  readable=mode.reads, name=memory.name)


def index_memory(ctx: Context, memory: Memory, node: ast.Subscript) -> Memory:
    """Add the subscript's indices to a view's."""
    new = _indices(ctx, node.slice)
    if memory.view.ndim == 0 and new == [coerce.weak_scalar(0)]:
        new = []
    if len(memory.index) + len(new) > memory.view.ndim or (
            len(new) > 1 and len(memory.index) + len(new) < memory.view.ndim):
        raise ctx.refuse("K037", node, what=f"'{memory.name}'", expected=memory.view.ndim,
                         found=len(memory.index) + len(new),
                         help="give one index for each dimension")
    return Memory(memory.base, memory.view, memory.index + tuple(new), memory.name)


def _indices(ctx: Context, node: ast.expr) -> list[n.Expr]:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    out: list[n.Expr] = []
    for value, part in zip(ctx.operands(*parts), parts, strict=True):
        for x in _spread(ctx, value, part):
            if x.type.dtype.kind not in "iu":
                raise ctx.refuse("K038", part, found=str(x.type), help="convert it first: int(...)")
            if isinstance(x, n.Const) and x.value < 0:
                raise ctx.refuse("K059", part, found=x.value)
            out.append(x)
    return out


def _spread(ctx: Context, value: Value, node: ast.AST) -> list[n.Expr]:
    if isinstance(value, Several):
        return [ctx.to_scalar(v, node) for v in value.items]
    if isinstance(value, Item):
        if value.kind not in ITEM_KINDS:
            raise ctx.refuse("K038", node, found=describe(value),
                             help="take its id: get_global_id() or get_local_id()"
                             if "item" in value.kind else "take its id: get_group_id()")
        ids = item_ids(value)
        return [ctx.to_scalar(v, node) for v in ids.items]
    if not isinstance(value, n.Expr | Memory | Record):
        raise ctx.refuse("K038", node, found=describe(value), help="")
    return [ctx.to_scalar(value, node)]


def index_record(ctx: Context, record: Record, node: ast.Subscript) -> Record:
    """Return a member of a struct by constant name, or an element of an array member."""
    key = node.slice
    if isinstance(record.type, Struct) and not record.shape:
        name = ctx.value(key)
        if not (isinstance(name, Constant) and isinstance(name.object, str)):
            raise ctx.refuse("K046", node, what="the name of a member",
                             help="write it as a literal: a[i]['x']")
        return member_of(ctx, record, name.object, node)
    if not record.shape:
        raise ctx.refuse("K037", node, what=f"'{record.name}'", expected=0, found=1, help="")
    indices = _indices(ctx, key)
    if len(indices) > len(record.shape):
        raise ctx.refuse("K037", node, what=f"'{record.name}'", expected=len(record.shape),
                         found=len(indices), help="")
    size = record.type.size if isinstance(record.type, Struct) else record.type.dtype.size
    inner = list(record.inner)
    for k, x in enumerate(indices):
        inner.append((x, size * math.prod(record.shape[k + 1:])))
    return replace(record, shape=record.shape[len(indices):], inner=tuple(inner))


def member_of(ctx: Context, record: Record, name: str, node: ast.AST) -> Record:
    """Return a member of a struct by name."""
    assert isinstance(record.type, Struct)
    member = record.type.field(name)
    if member is None:
        names = [f.name for f in record.type.fields]
        raise ctx.refuse("K032", node, what=str(record.type), name=name,
                         help=suggest(name, names, f"it has {', '.join(names)}"))
    return replace(record, type=member.type, shape=member.shape, name=f"{record.name}.{name}",
                   offset=record.offset + member.offset)


def _pick(ctx: Context, several: Several, node: ast.Subscript) -> Value:
    """Return one of several values: by a constant, or by a chain of selections."""
    if isinstance(node.slice, ast.Slice):
        parts = [None if p is None else ctx.constant(ctx.scalar(p))
                 for p in (node.slice.lower, node.slice.upper, node.slice.step)]
        given = (node.slice.lower, node.slice.upper, node.slice.step)
        if any(p is None and g is not None for p, g in zip(parts, given, strict=True)):
            raise ctx.refuse("K046", node, what="a slice of a tuple",
                             help="use literals, or index single elements")
        cut = [None if p is None else int(p.value) for p in parts]
        return Several(several.items[slice(*cut)], several.kind)
    if several.kind != "tuple":
        return _dimension(ctx, several, node)
    index = ctx.scalar(node.slice)
    if index.type.dtype.kind not in "iu":
        raise ctx.refuse("K038", node.slice, found=str(index.type),
                         help="convert it first: int(...)")
    if isinstance(index, n.Const):
        k = int(index.value)
        if not -len(several.items) <= k < len(several.items):
            raise ctx.refuse("K060", node, found=k, count=len(several.items))
        return several.items[k]
    if not all(isinstance(ctx.as_number(v, node), n.Expr) for v in several.items):
        raise ctx.refuse("K046", node, what="the index of a tuple that holds more than numbers",
                         help="choose by if / elif, or loop over the tuple")
    return choose(ctx, several, ctx.hold(index), node)


def choose(ctx: Context, several: Several, index: n.Expr, node: ast.AST) -> n.Expr:
    """Return ``several[index]`` for an index known at run time only."""
    values = [ctx.to_scalar(v, node) for v in several.items]
    if not values:
        raise ctx.refuse("K060", node, found=0, count=0)
    type: Scalar | None = values[0].type
    for v in values[1:]:
        type = coerce.join(type, v.type) if type else None
    if type is None:
        raise ctx.refuse("K035", node, name="the element", first=values[0].type,
                         second=values[-1].type)
    result = coerce.cast(values[-1], type)
    count = len(values)
    negative = index.type.dtype.kind == "i"
    for k in range(count - 2, -1, -1):
        test = coerce.compare("eq", index, coerce.weak_scalar(k))
        assert test is not None
        if negative and several.kind == "tuple":  # Python counts from the end, too
            other = coerce.compare("eq", index, coerce.weak_scalar(k - count))
            assert other is not None
            test = coerce.binary("or", coerce.cast(test, BOOL), coerce.cast(other, BOOL), BOOL)
        result = coerce.select(coerce.truth(test), values[k], result, type)
    return result


def _dimension(ctx: Context, ids: Several, node: ast.Subscript) -> Value:
    index = ctx.scalar(node.slice)
    if index.type.dtype.kind not in "iu":
        raise ctx.refuse("K038", node.slice, found=str(index.type),
                         help="convert it first: int(...)")
    if not isinstance(index, n.Const):
        return choose(ctx, ids, ctx.hold(index), node)
    return dimension(ctx, ids, int(index.value), node, f"the {ids.kind}")


def dimension(ctx: Context, ids: Several, d: int, node: ast.AST, what: str) -> Value:
    """Return one dimension of an id or range, or refuse one that does not exist."""
    if not 0 <= d < len(ids.items):
        raise ctx.refuse("K045", node, found=d, what=what,
                         expected=f"{len(ids.items)} dimension(s)")
    return ids.items[d]


# ---- places that are written
def target_of(ctx: Context, node: ast.Subscript | ast.Attribute) -> Memory | Record:
    """Return the memory a subscript or member denotes, to be written; refuse what is not."""
    base = ctx.value(node.value)
    if isinstance(base, Memory) and isinstance(node, ast.Subscript):
        memory = index_memory(ctx, base, node)
        if len(memory.index) != memory.view.ndim:
            raise ctx.refuse("K037", node, what=f"'{memory.name}'", expected=memory.view.ndim,
                             found=len(memory.index), help="give one index for each dimension")
        if not memory.view.mode.writes:
            raise ctx.refuse("K039", node, name=memory.name)
        return _record(memory) if isinstance(memory.view.elem, Struct) else memory
    if isinstance(base, Record) and (isinstance(node, ast.Subscript)
                                     or (isinstance(base.type, Struct) and not base.shape)):
        target = index_record(ctx, base, node) if isinstance(node, ast.Subscript) else member_of(
            ctx, base, node.attr, node)
        if not target.writable:
            id = "K041" if isinstance(target.base, n.Param) and not target.index else "K039"
            raise ctx.refuse(id, node, name=target.name)
        return target
    if isinstance(base, Reduction):
        raise ctx.refuse("K055", node)
    if isinstance(base, Several | Item) and isinstance(node, ast.Subscript):
        raise ctx.refuse("K036", node, op="item assignment", types=describe(base),
                         help="tuples and ids cannot change; use sycl.private_array(dtype, n)")
    if isinstance(node, ast.Attribute):
        raise ctx.refuse("K041", node, name=ast.unparse(node))
    raise ctx.refuse("K049", node, found=describe(base), expected="memory", help="")


def place_of(ctx: Context, node: ast.Subscript | ast.Attribute, *, read: bool) -> n.Place:
    """Return the place of the number a subscript or member denotes, for a store or an update."""
    target = target_of(ctx, node)
    reads = target.view.mode.reads if isinstance(target, Memory) else target.readable
    if read and not reads:
        raise ctx.refuse("K058", node, name=target.name)
    return _place(ctx, target, node)


def _place(ctx: Context, target: Memory | Record, node: ast.AST) -> n.Place:
    kind = target.view.elem if isinstance(target, Memory) else target.type
    if not isinstance(kind, Scalar) or (isinstance(target, Record) and target.shape):
        raise ctx.refuse("K049", node, found=describe(target), expected="a number",
                         help="assign its elements one by one")
    ctx.need(kind)
    index = tuple(ctx.hold(x) for x in target.index)
    if isinstance(target, Memory):
        return n.Place(target.base, index, kind, span=ctx.span(node))
    inner = tuple((ctx.hold(x), s) for x, s in target.inner)
    return n.Place(target.base, index, kind, target.offset, inner, ctx.span(node))


def store(ctx: Context, node: ast.Subscript | ast.Attribute, value: Value,
          origin: ast.AST) -> None:
    """Do ``node = value`` for a subscript or a member."""
    if isinstance(value, n.Expr):
        value = ctx.hold(value) if _has_effects(node) else value
    target = target_of(ctx, node)
    if isinstance(value, Memory) and isinstance(value.view.elem, Struct) \
            and len(value.index) == value.view.ndim:
        value = _record(value)
    if isinstance(target, Record) and isinstance(value, Record) \
            and (target.shape or isinstance(target.type, Struct)):
        _copy(ctx, target, value, node)
        return
    place = _place(ctx, target, node)
    x = ctx.to_scalar(value, origin)
    ctx.emit(n.Store(place, coerce.convert(x, place.type), span=ctx.span(node)))


def _copy(ctx: Context, target: Record, value: Record, node: ast.AST) -> None:
    """Copy a struct or an array member, number by number, all read before any is written."""
    if (target.type, target.shape) != (value.type, value.shape):
        raise ctx.refuse("K049", node, found=describe(value), expected=describe(target), help="")
    held = [ctx.hold(ctx.load_member(leaf, node)) for leaf in _leaves(ctx, value, node)]
    for leaf, x in zip(_leaves(ctx, target, node), held, strict=True):
        ctx.emit(n.Store(_place(ctx, leaf, node), x, span=ctx.span(node)))


def _leaves(ctx: Context, record: Record, node: ast.AST) -> list[Record]:
    """Return the numbers a struct or array member is made of."""
    if record.shape:
        size = record.type.size if isinstance(record.type, Struct) else record.type.dtype.size
        if math.prod(record.shape) > _COPIED:
            raise ctx.refuse("K049", node, found=describe(record), expected="a smaller record",
                             help=f"copy arrays of more than {_COPIED} elements in a loop")
        return [leaf for k in range(math.prod(record.shape))
                for leaf in _leaves(ctx, replace(record, shape=(),
                                                 offset=record.offset + k * size), node)]
    if isinstance(record.type, Struct):
        return [leaf for f in record.type.fields
                for leaf in _leaves(ctx, member_of(ctx, record, f.name, node), node)]
    return [record]


_COPIED = 64


def _has_effects(target: ast.AST) -> bool:
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
            if node.attr == "dimensions":
                return coerce.weak_scalar(owner.ndim)
            if node.attr == "fence_scope" and owner.kind.endswith("group"):
                return Constant(memory_scope.sub_group if owner.kind == "sub_group"
                                else memory_scope.work_group)
        case Memory():
            if node.attr == "shape":
                left = range(len(owner.index), owner.view.ndim)
                return Several(tuple(n.Extent(WEAK_INT, owner.base, d) for d in left))
            if node.attr == "ndim":
                return coerce.weak_scalar(owner.view.ndim - len(owner.index))
            if node.attr == "dtype" and isinstance(owner.view.elem, Scalar):
                return Constant(owner.view.elem.dtype.numpy)
            if node.attr in MEMORY_METHODS:
                return Method(owner, node.attr)
        case Several() if owner.kind != "tuple":
            if node.attr == "dimensions" and owner.kind != "nd_range":
                return coerce.weak_scalar(len(owner.items))
            if node.attr in (_ND_RANGE if owner.kind == "nd_range" else ("get", "size")):
                return Method(owner, node.attr)
        case Record() if isinstance(owner.type, Struct) and not owner.shape and owner.index:
            return _read(ctx, member_of(ctx, owner, node.attr, node), node)
        case Reduction():
            if node.attr in ("combine", "identity"):
                return Method(owner, node.attr)
            raise ctx.refuse("K055", node)
        case Atomic() if node.attr in ATOMIC_METHODS:
            return Method(owner, node.attr)
    if isinstance(owner, Item) and owner.kind == "item" and node.attr in ITEM_METHODS["nd_item"]:
        raise ctx.refuse("K050", node, what=f"'{node.attr}'")
    raise ctx.refuse("K032", node, what=describe(owner), name=node.attr,
                     help=suggest(node.attr, _attributes(owner)))


def _attributes(owner: Value) -> frozenset[str]:
    """Return the attributes a value has in a kernel."""
    match owner:
        case Item():
            return frozenset(ITEM_METHODS[owner.kind])
        case Memory():
            return MEMORY_METHODS | {"shape", "ndim", "dtype"}
        case Several() if owner.kind != "tuple":
            return frozenset(_ND_RANGE if owner.kind == "nd_range" else ("get", "size"))
        case Atomic():
            return ATOMIC_METHODS
    return frozenset()


def _constant_attribute(ctx: Context, owner: Constant, node: ast.Attribute) -> Value:
    obj = owner.object
    try:
        found = getattr(obj, node.attr)
    except AttributeError:
        raise ctx.refuse("K032", node, what=describe(owner), name=node.attr,
                         help=suggest(node.attr, dir(obj))) from None
    path = (*owner.path, ("attr", node.attr))
    module = isinstance(obj, ModuleType)
    if module and obj.__name__.split(".")[0] in _LIBRARIES and not isinstance(
            found, bool | int | float | list | dict):
        return Constant(found, path)
    return ctx.capture(path, found, node.attr, node, frozen=module or isinstance(obj, type))


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

__all__ = ["LOWER", "as_dtype", "choose", "place_of", "store"]
