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

import numpy as np

from unisycl.base.enums import access_mode, memory_scope
from unisycl.frontend import captures, coerce, faults
from unisycl.frontend.context import Context
from unisycl.frontend.forms import numpy_functions
from unisycl.frontend.forms.atomics import atomic_attribute, atomic_attributes, atomic_element
from unisycl.frontend.handlers import METHODS as HANDLER_METHODS
from unisycl.frontend.syntax import chosen_functions
from unisycl.frontend.syntax.given import given
from unisycl.frontend.syntax.names import suggest
from unisycl.frontend.values import (
    complexes,
    images,
    instances,
    memories,
    pointers,
    stored_pointers,
    tables,
    vec_methods,
    vectors,
)
from unisycl.frontend.values.items import ITEM_KINDS, ITEM_METHODS, item_ids, queries
from unisycl.frontend.values.joins import Met, meet
from unisycl.frontend.values.kind import Value
from unisycl.frontend.values.kinds import (
    Atomic,
    Choice,
    Constant,
    Image,
    Instance,
    Item,
    KernelHandler,
    Memory,
    Method,
    Record,
    Reduction,
    Several,
    Vector,
    as_tuple,
    describe,
    own_type,
    record_help,
)
from unisycl.frontend.values.reducers import element, operator_name
from unisycl.frontend.values.slices import inside, span_of
from unisycl.frontend.values.unsure import Unsure, plain
from unisycl.ir import nodes as n
from unisycl.ir.types import BOOL, PointerType, Scalar, Struct, element_type
from unisycl.lang.memory.pointer import pointer_type
from unisycl.lang.numbers.elements import elements_type

MEMORY_METHODS = frozenset(("size", "get_range", "byte_size", "empty", "get_size", "get_count",
                            "get_pointer", "get_multi_ptr"))
_CHAIN = 8  # so many elements of a tuple are compared one by one
_REFERENCE = frozenset(("get", "shape", "ndim", "dtype"))
_ND_RANGE = ("get_global_range", "get_local_range", "get_group_range", "get_offset")


def lower_subscript(ctx: Context, node: ast.Subscript) -> Value:
    return subscript_of(ctx, ctx.value(node.value), node)


def subscript_of(ctx: Context, base: Value, node: ast.Subscript) -> Value:
    """Return ``base[...]``."""
    base = as_tuple(referent(ctx, base, node))
    if isinstance(base, Instance) and instances.operator_method(base, "__getitem__"):
        return instances.call_method(ctx, base, "__getitem__", [ctx.value(node.slice)], {}, node)
    match base:
        case Memory() if isinstance(node.slice, ast.Slice):
            return span_of(ctx, base, node)
        case Choice():
            return indexed_choice(ctx, base, node)
        case Memory():
            return element_at(ctx, index_memory(ctx, base, node), node)
        case n.Expr() if isinstance(base.type, PointerType):
            return _read(ctx, index_pointer(ctx, base, node), node)
        case Record():
            return _read(ctx, index_record(ctx, base, node), node)
        case Several():
            return _pick(ctx, base, node)
        case Vector():
            return vectors.element(ctx, base, ctx.exactly(ctx.value(node.slice), node.slice), node)
        case Item() if base.kind in (*ITEM_KINDS, "group"):
            return _dimension(ctx, item_ids(base), node)
        case Reduction():
            return element(ctx, base, node)
        case Image():
            return images.subscript(ctx, base, node)
        case Constant() if isinstance(base.object, bytes) and not isinstance(
                node.slice, ast.Slice):
            return _pick(ctx, numbers_of(ctx, base), node)
        case Constant() if isinstance(base.object, str | bytes):
            raise ctx.refuse("K019", node)
        case Constant() if operator_name(base.object):
            return base  # plus[np.float32], as C++ writes plus<float>
        case Constant() if isinstance(base.object, pointer_type):
            return base  # local_ptr[np.float32], as C++ writes local_ptr<float>
        case Constant() if isinstance(base.object, elements_type):
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return vectors.call_type(ctx, base.object, ctx.operands(*parts), node)
    raise ctx.refuse("K049", node, found=describe(base), expected="memory, a tuple or an id",
                     help=no_memory(base))


def indexed_choice(ctx: Context, base: Choice, node: ast.Subscript) -> Value:
    """Return an element, or a row, of the memory that a name stands for at run time."""
    found = choice_at(ctx, base, node)
    whole = len(found.index) == memories.first(ctx, found, node).view.ndim
    return memories.load(ctx, found, node) if whole else found


def choice_at(ctx: Context, base: Choice, node: ast.Subscript) -> Choice:
    """Add the subscript's indices to those of each memory; they are evaluated once."""
    if isinstance(node.slice, ast.Slice):
        raise ctx.refuse("K049", node, found=describe(base), expected="one memory",
                         help="a slice is of one memory: add the start to the index instead")
    memory = index_memory(ctx, memories.first(ctx, base, node), node)
    return replace(base, index=tuple(ctx.hold(x) for x in memory.index))


def numbers_of(ctx: Context, text: Constant) -> Several:
    """Return the numbers that bytes are."""
    if text.path:
        ctx.guard(text.path, text.object, frozen=True)
    return Several(tuple(map(coerce.weak_scalar, text.object)))


def no_memory(base: Value) -> str:
    """Return the way out for what is used as memory and is none."""
    if isinstance(base, Item):
        return "take one dimension of it: get_global_id(0), get_local_id(0), ..."
    if isinstance(base, Constant) and base.object is None:
        return "pass memory, a tuple or an id"
    return ""


def _read(ctx: Context, member: Record, node: ast.AST) -> Value:
    """Read a member now if it is a number; a struct or array stays a place."""
    if isinstance(member.type, Scalar) and not member.shape:
        return ctx.load_member(member, node)
    if is_vector(member):
        if not member.readable:
            raise ctx.refuse("K058", node, name=member.name)
        return ctx.load_vector(member, node)
    return member


def is_vector(member: Record) -> bool:
    """Say whether a place in memory holds a vec or marray."""
    return not member.shape and own_type(member.type) is not None


def element_at(ctx: Context, memory: Memory | Record, node: ast.AST) -> Value:
    """Leave a subscript as a place unless it is a scalar that can be read now."""
    if isinstance(memory, Memory) and len(memory.index) == memory.view.ndim:
        if isinstance(memory.view.elem, Struct):
            return _read(ctx, record_of(memory), node)
        if memory.view.mode is access_mode.atomic:
            return atomic_element(ctx, memory, node)
        return ctx.load(memory, node)
    return memory


def referent(ctx: Context, base: Value, node: ast.Subscript | ast.Attribute) -> Value:
    """Return what a reference stands for, or a pointer leads to, where a part of it is wanted."""
    pointee = stored_pointers.pointee(ctx, base, node)
    if pointee is not None:
        return _read(ctx, pointee, node)
    if not isinstance(base, Memory) or not base.reference \
            or len(base.index) < base.view.ndim or not isinstance(base.view.elem, Struct):
        return base
    whole = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) \
        and not node.slice.elts
    if whole or (isinstance(node, ast.Attribute) and node.attr in MEMORY_METHODS | _REFERENCE):
        return base
    return _read(ctx, record_of(base), node)


def record_of(memory: Memory) -> Record:
    """Return the record a fully indexed view denotes."""
    assert isinstance(memory.view.elem, Struct)
    mode = memory.view.mode
    return Record(memory.base, memory.index, memory.view.elem, writable=mode.writes,
                  readable=mode.reads, name=memory.name)


def index_memory(ctx: Context, memory: Memory, node: ast.Subscript) -> Memory:
    """Add the subscript's indices to a view's."""
    if memory.per_item:
        return element_of(ctx, memory, ctx.value(node.slice), node.slice)
    new = _indices(ctx, node.slice, negative=memory.pointer is not None)
    if len(memory.index) == memory.view.ndim and (memory.reference or not memory.index) \
            and new == [coerce.weak_scalar(0)]:
        new = []
    if len(memory.index) + len(new) > memory.view.ndim or (
            len(new) > 1 and len(memory.index) + len(new) < memory.view.ndim):
        raise ctx.refuse("K037", node, what=f"'{memory.name}'", expected=memory.view.ndim,
                         found=len(memory.index) + len(new),
                         help="give one index for each dimension")
    if new and memory.window is not None:
        new[0] = inside(ctx, memory, new[0], node)
    return Memory(memory.base, memory.view, memory.index + tuple(new), memory.name)


def index_pointer(ctx: Context, pointer: n.Expr, node: ast.Subscript) -> Record:
    """Return ``p[i]`` of a pointer read from memory."""
    indices = _indices(ctx, node.slice, negative=True)
    if len(indices) != 1:
        raise ctx.refuse("K037", node, what="a pointer", expected=1, found=len(indices), help="")
    return stored_pointers.element(ctx, pointer, indices[0], node)


def read_element(ctx: Context, memory: Memory, item: Value, node: ast.AST) -> Value:
    """Return what a private_memory holds for an h_item."""
    return element_at(ctx, element_of(ctx, memory, item, node), node)


def element_of(ctx: Context, memory: Memory, item: Value, node: ast.AST) -> Memory:
    """Return the element of a private_memory that belongs to an h_item."""
    if not isinstance(item, Item) or item.kind != "h_item":
        raise ctx.refuse("K049", node, found=describe(item), expected="an h_item",
                         help="private_memory is indexed by what parallel_for_work_item passes")
    ids = queries("h_physical_id", item).items
    return Memory(memory.base, memory.view, tuple(ctx.to_scalar(x, node) for x in ids), memory.name)


def _indices(ctx: Context, node: ast.expr, *, negative: bool = False) -> list[n.Expr]:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    out: list[n.Expr] = []
    for value, part in zip(ctx.operands(*parts), parts, strict=True):
        for x in _spread(ctx, value, part):
            if x.type.dtype.kind not in "iu":
                raise ctx.refuse("K038", part, found=str(x.type), help="convert it first: int(...)")
            if isinstance(x, n.Const) and x.value < 0 and not negative:
                raise ctx.refuse("K059", part, found=x.value)
            out.append(x)
    return out


def _spread(ctx: Context, value: Value, node: ast.AST) -> list[n.Expr]:
    if isinstance(value, Several):
        return [ctx.exactly(v, node) for v in value.items]
    if isinstance(value, Item):
        if value.kind not in ITEM_KINDS:
            raise ctx.refuse("K038", node, found=describe(value),
                             help="take its id: get_global_id() or get_local_id()"
                             if "item" in value.kind else "take its id: get_group_id()")
        ids = item_ids(value)
        return [ctx.to_scalar(v, node) for v in ids.items]
    if not isinstance(value, n.Expr | Memory | Record):
        raise ctx.refuse("K038", node, found=describe(value), help="")
    return [ctx.exactly(value, node)]


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
        x = faults.of_axis(ctx, x, k, record.shape[k], node)
        inner.append((x, size * math.prod(record.shape[k + 1:])))
    return replace(record, shape=record.shape[len(indices):], inner=tuple(inner))


def member_of(ctx: Context, record: Record, name: str, node: ast.AST) -> Record:
    """Return a member of a struct by name."""
    assert isinstance(record.type, Struct)
    member = record.type.field(name)
    if member is None:
        names = [f.name for f in record.type.fields]
        raise ctx.refuse("K032", node, what=str(record.type), name=name,
                         help=record_help(record.type, suggest(
                             name, names, f"it has {', '.join(names)}")))
    return replace(record, type=member.type, shape=member.shape, name=f"{record.name}.{name}",
                   offset=record.offset + member.offset)


def _pick(ctx: Context, several: Several, node: ast.Subscript) -> Value:
    """Return one of several values: by a constant, or by a chain of selections."""
    if isinstance(node.slice, ast.Slice):
        parts = [None if p is None else ctx.constant(ctx.scalar(p))
                 for p in (node.slice.lower, node.slice.upper, node.slice.step)]
        bounds = (node.slice.lower, node.slice.upper, node.slice.step)
        if any(p is None and b is not None for p, b in zip(parts, bounds, strict=True)):
            raise ctx.refuse("K046", node, what="a slice of a tuple",
                             help="use literals, or index single elements")
        cut = [None if p is None else int(p.value) for p in parts]
        return Several(several.items[slice(*cut)], several.kind)
    if several.kind != "tuple":
        return _dimension(ctx, several, node)
    index = ctx.exactly(ctx.value(node.slice), node.slice)
    if index.type.dtype.kind not in "iu":
        raise ctx.refuse("K038", node.slice, found=str(index.type),
                         help="convert it first: int(...)")
    if isinstance(index, n.Const):
        k = int(index.value)
        if not -len(several.items) <= k < len(several.items):
            raise ctx.refuse("K060", node, found=k, count=len(several.items))
        return several.items[k]
    index = faults.of_tuple(ctx, index, len(several.items), node)
    first = several.items[0] if several.items else None
    if isinstance(first, Vector):
        return _pick_vector(ctx, several, first, ctx.hold(index), node)
    lengths = {len(v.items) if isinstance(v, Several) and v.kind == "tuple" else -1
               for v in several.items}
    if len(lengths) == 1 and -1 not in lengths:  # a table of rows: a choice in each column
        index = ctx.hold(index)
        columns = zip(*(v.items for v in several.items if isinstance(v, Several)), strict=True)
        return Several(tuple(_pick(ctx, Several(column), ast.copy_location(ast.Subscript(
            node.value, given(index, node.slice)), node)) for column in columns))
    function = chosen_functions.of_table(ctx, several.items, ctx.hold(index))
    if function is not None:
        return function
    if not all(isinstance(ctx.as_number(v, node), n.Expr) for v in several.items):
        raise ctx.refuse("K046", node, what="the index of a tuple that holds more than numbers",
                         help="choose by if / elif, or loop over the tuple")
    return choose(ctx, several, ctx.hold(index), node)


def _pick_vector(ctx: Context, several: Several, first: Vector, index: n.Expr,
                 node: ast.AST) -> Vector:
    """Return ``several[index]`` of vectors of one type."""
    rows = []
    for v in several.items:
        if not isinstance(v, Vector) or v.type != first.type:
            raise ctx.refuse("K035", node, name="the element", first=describe(first),
                             second=describe(v))
        rows.append(ctx.loaded(v).items)
    items = [choose(ctx, Several(column), index, node) for column in zip(*rows, strict=True)]
    homes = frozenset(h for v in several.items if isinstance(v, Vector) for h in v.homes)
    return Vector(first.type, tuple(items), homes, first.name, exact=False)


def choose(ctx: Context, several: Several, index: n.Expr, node: ast.AST) -> n.Expr:
    """Return ``several[index]`` for an index known at run time only, of many by halves."""
    values = [ctx.to_scalar(v, node, unsure=True) for v in several.items]
    if not values:
        raise ctx.refuse("K060", node, found=0, count=0)
    form = meet([Met(v, ctx.known) for v in values])
    if isinstance(form, Unsure):
        unsure = replace(form, name="the element", places=tuple(
            {v.type: ctx.span(node) for v in values}.items()))
        chosen = choose(ctx, Several(tuple(coerce.cast(plain(v), form.plain) for v in values),
                                     several.kind), index, node)
        return n.Read(unsure, ctx.named(chosen))
    type = form if isinstance(form, Scalar) else None
    if type is None:
        raise ctx.refuse("K035", node, name="the element", first=values[0].type,
                         second=values[-1].type)
    count = len(values)
    from_end = index.type.dtype.kind == "i" and several.kind == "tuple"  # as Python counts
    read = tables.element(values, type, index, ctx.span(node), from_end=from_end)
    if read is not None:
        return read
    if count > _CHAIN and from_end:
        index = coerce.cast(index, coerce.weak_scalar(count).type)
        below = coerce.truth(_compare("lt", index, 0))
        moved = coerce.binary("add", index, coerce.weak_scalar(count), index.type)
        index, from_end = ctx.hold(coerce.select(below, moved, index, index.type)), False

    def chain(low: int, high: int) -> n.Expr:
        result = coerce.cast(values[high - 1], type)
        for k in range(high - 2, low - 1, -1):
            test = _compare("eq", index, k)
            if from_end:
                other = coerce.cast(_compare("eq", index, k - count), BOOL)
                test = coerce.binary("or", coerce.cast(test, BOOL), other, BOOL)
            result = coerce.select(coerce.truth(test), values[k], result, type)
        return result

    def tree(low: int, high: int) -> n.Expr:
        if high - low <= _CHAIN:
            return chain(low, high)
        middle = (low + high) // 2
        left = coerce.truth(_compare("lt", index, middle))
        return coerce.select(left, tree(low, middle), tree(middle, high), type)
    return tree(0, count)


def _compare(op: str, index: n.Expr, k: int) -> n.Expr:
    test = coerce.compare(op, index, coerce.weak_scalar(k))
    assert test is not None
    return test


def _dimension(ctx: Context, ids: Several, node: ast.Subscript) -> Value:
    index = ctx.exactly(ctx.value(node.slice), node.slice)
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


# ---- attributes
def lower_attribute(ctx: Context, node: ast.Attribute) -> Value:
    return attribute_of(ctx, ctx.value(node.value), node)


def _reached(ctx: Context, owner: Value, node: ast.Attribute) -> Value:
    """Return what has the attribute: of USM memory, which has no such one, its first element."""
    owner = referent(ctx, owner, node)
    if isinstance(owner, Memory) and isinstance(owner.view.elem, Struct) \
            and _memory_attribute(ctx, owner, node.attr) is None:
        return referent(ctx, stored_pointers.decayed(ctx, owner), node)
    return owner


def _of_number(owner: n.Expr, name: str) -> Value | None:
    return stored_pointers.attribute(owner, name) or complexes.attribute(owner, name)


def attribute_of(ctx: Context, owner: Value, node: ast.Attribute) -> Value:
    """Return ``owner.name``."""
    owner = _reached(ctx, owner, node)
    match owner:
        case n.Expr():
            found = _of_number(owner, node.attr)
            if found is None and numpy_functions.method(owner, node.attr):
                return Method(owner, node.attr)
            if found is not None:
                return found
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
            found = _memory_attribute(ctx, owner, node.attr)
            if found is not None:
                return found
        case Several() if owner.kind != "tuple":
            if node.attr == "dimensions" and owner.kind != "nd_range":
                return coerce.weak_scalar(len(owner.items))
            if node.attr in (_ND_RANGE if owner.kind == "nd_range" else ("get", "size")):
                return Method(owner, node.attr)
        case Vector():
            found = vectors.read_attribute(ctx, owner, node.attr)
            if found is not None:
                return found
            if node.attr in vec_methods.methods(owner):
                return Method(owner, node.attr)
        case Record() if isinstance(owner.type, Struct) and not owner.shape:
            if owner.type.field(node.attr) is None:
                method = instances.attribute(ctx, owner, node.attr, node)
                if method is not None:
                    return method
            return _read(ctx, member_of(ctx, owner, node.attr, node), node)
        case Image() if node.attr in images.IMAGE_METHODS:
            return Method(owner, node.attr)
        case Instance():
            found = instances.attribute(ctx, owner, node.attr, node)
            if found is not None:
                return found
        case Reduction():
            if node.attr in ("combine", "identity"):
                return Method(owner, node.attr)
            raise ctx.refuse("K055", node)
        case KernelHandler() if node.attr in HANDLER_METHODS:
            return Method(owner, node.attr)
        case Atomic():
            found = atomic_attribute(owner, node.attr)
            if found is not None:
                return found
    if isinstance(owner, Item) and owner.kind == "item" and node.attr in ITEM_METHODS["nd_item"]:
        raise ctx.refuse("K050", node, what=f"'{node.attr}'")
    raise ctx.refuse("K032", node, what=describe(owner), name=node.attr,
                     help=suggest(node.attr, _attributes(owner)))


def _memory_attribute(ctx: Context, owner: Memory, name: str) -> Value | None:
    """Return an attribute or method of memory or of a pointer; None if it has no such one."""
    if name == "shape":
        left = range(len(owner.index), owner.view.ndim)
        return Several(tuple(ctx.extent(owner, d) for d in left))
    if name == "ndim":
        return coerce.weak_scalar(owner.view.ndim - len(owner.index))
    if name == "dtype" and isinstance(owner.view.elem, Scalar):
        return Constant(owner.view.elem.dtype.numpy)
    if owner.reference and name == "get":
        return Method(owner, name)
    found = pointers.attribute(ctx, owner, name) if owner.pointer else None
    if found is None and name in (pointers.METHODS if owner.pointer else MEMORY_METHODS):
        return Method(owner, name)
    return found


def _attributes(owner: Value) -> frozenset[str]:
    """Return the attributes a value has in a kernel."""
    match owner:
        case n.Expr():
            return complexes.ATTRIBUTES
        case Item():
            return frozenset(ITEM_METHODS[owner.kind])
        case Memory():
            return pointers.METHODS if owner.pointer else MEMORY_METHODS | {"shape", "ndim",
                                                                            "dtype"}
        case Several() if owner.kind != "tuple":
            return frozenset(_ND_RANGE if owner.kind == "nd_range" else ("get", "size"))
        case Atomic():
            return atomic_attributes()
        case Image():
            return images.IMAGE_METHODS
        case KernelHandler():
            return HANDLER_METHODS
        case Vector():
            return vec_methods.attributes(owner)
        case Instance():
            return frozenset(dir(owner.cls)) | frozenset(owner.names)
    return frozenset()


def _constant_attribute(ctx: Context, owner: Constant, node: ast.Attribute) -> Value:
    obj = owner.object
    try:
        found = getattr(obj, node.attr)
    except AttributeError:
        raise ctx.refuse("K032", node, what=describe(owner), name=node.attr,
                         help=suggest(node.attr, dir(obj))) from None
    if isinstance(obj, np.iinfo | np.finfo | np.dtype):
        return numpy_functions.answer(found)
    path = (*owner.path, ("attr", node.attr))
    module = isinstance(obj, ModuleType)
    if module and obj.__name__.split(".")[0] in _LIBRARIES and not isinstance(
            found, bool | int | float | list | dict):
        return Constant(found, path)
    return ctx.capture(path, found, node.attr, node, frozen=module or isinstance(obj, type))


_LIBRARIES = frozenset(("numpy", "math", "unisycl", "operator", "builtins"))


def as_element(value: Value) -> Scalar | Struct | None:
    """Return the element type a compile-time object names (np.float32, 'int32', float4)."""
    if not isinstance(value, Constant) or isinstance(value.object, captures.Missing):
        return None
    try:
        return element_type(np.dtype(value.object))
    except TypeError:
        return None


LOWER: dict[type[ast.AST], Callable[[Context, Any], Value]] = {
    ast.Subscript: lower_subscript, ast.Attribute: lower_attribute,
}

__all__ = ["LOWER", "as_element", "choose"]
