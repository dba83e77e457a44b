"""Arrays a kernel declares itself, of constant shape: private ones, or the group's at group scope.

Non-goals: local memory that the launch allocates. Invariant: shape and type are constants
(SYCL 2020 §3.8.2, §4.9.4.2.3).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

import numpy as np

from unisycl.base.dataclass import replace
from unisycl.base.enums import access_mode, address_space
from unisycl.base.errors import errc, exception
from unisycl.frontend import coerce
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.parameters import parameters
from unisycl.frontend.values import choices
from unisycl.frontend.values.constants import Constant, as_element
from unisycl.frontend.values.items import Item, query
from unisycl.frontend.values.kind import Value, describe
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT, PointerType, Scalar, Struct, View, numbers
from unisycl.ir.watch_statements import PER_ITEM
from unisycl.lang.groups import group_functions
from unisycl.lang.index.groups import private_memory
from unisycl.lang.memory import scratch
from unisycl.lang.memory.views import private_array


@form(private_array)
def lower_private_array(ctx: Context, node: ast.Call) -> Value:
    """Declare a private array: constant dtype and shape (SYCL 2020 §3.8.2)."""
    found = parameters(ctx, node, "private_array", ("dtype", "shape"))
    return _declare(ctx, found["dtype"], found["shape"], node)


def _declare(ctx: Context, kind: Value, shape: Value, node: ast.AST) -> Memory:
    return declared(ctx, *_described(ctx, kind, shape, "a private array", node))


def _described(ctx: Context, kind: Value, shape: Value, what: str,
               node: ast.AST) -> tuple[Scalar | Struct, tuple[int, ...]]:
    """Return the element type and the extents that constants name."""
    elem = as_element(kind)
    if elem is None:
        raise ctx.refuse("K046", node, what=f"the dtype of {what}",
                         help="name one of NumPy's number types: np.float32, np.int32, ...")
    items = shape.items if isinstance(shape, Several) else (shape,)
    extents = tuple(int(c.value) for x in items if (c := ctx.constant(x)) is not None
                    and c.type.dtype.is_integer)
    if len(extents) != len(items):
        raise ctx.refuse("K046", node, what=f"the shape of {what}",
                         help="use literals, captured Python integers or tuples of them")
    if not 1 <= len(extents) <= 3 or min(extents) < 1:
        raise ctx.refuse("K054", node, what=f"{what} cannot have the shape {extents}",
                         help="give 1 to 3 positive extents")
    return elem, extents


def declared(ctx: Context, elem: Scalar | Struct, extents: tuple[int, ...]) -> Memory:
    """Return an array of the work-item, at group scope one of the group."""
    ctx.need_all(elem)
    if ctx.shape.kind == "work_group" and not ctx.in_items:
        # What is declared at group scope belongs to the group (SYCL 2020 §4.9.4.2.3).
        made = _memory(ctx, elem, extents, address_space.local_space, "the group's array")
    else:
        made = _memory(ctx, elem, extents, address_space.private_space, "the private array")
    choices.made_anew(ctx, made)
    return made


def _memory(ctx: Context, elem: Scalar | Struct, extents: tuple[int, ...], space: address_space,
            name: str, called: str = "") -> Memory:
    type = View(elem, len(extents), space, access_mode.read_write)
    made = ctx.span(ctx.at) if ctx.at is not None else None
    array = n.Array(called or space.name.partition("_")[0], type, extents, made)
    ctx.storage.arrays.append(array)
    return Memory(array, type, name=name)


def group_cells(ctx: Context, elem: Scalar, group: Item, each: int = 1) -> Memory:
    """Declare cells for each work-item of a group, in local memory; a sub-group has a part."""
    made = _memory(ctx, elem, (math.prod(ctx.shape.local) * each,), address_space.local_space,
                   "the cells")
    if group.kind != "sub_group":
        return made
    count = coerce.weak_scalar(each)
    full, here = (coerce.binary("mul", query(name, 0, group), count, WEAK_INT) for name in (
        "sub_group_max_local_range", "sub_group_local_range"))
    first = coerce.binary("mul", query("sub_group_id", 0, group), full, WEAK_INT)
    return replace(made, window=(first, here))


def group_memory(ctx: Context, elem: Scalar, extents: tuple[int, ...]) -> Memory:
    """Declare memory of the work-group."""
    return _memory(ctx, elem, extents, address_space.local_space, "the group's memory")


def local_memory(ctx: Context, kind: Value, node: ast.AST) -> Memory:
    """Declare memory of the work-group: an element type, or a pair of it and a shape."""
    parts = kind.items if isinstance(kind, Several) else (kind,)
    shape = parts[1] if len(parts) == 2 else coerce.weak_scalar(1)
    elem, extents = _described(ctx, parts[0], shape, "group_local_memory", node)
    ctx.need_all(elem)
    return _memory(ctx, elem, extents, address_space.local_space, "the group's memory")


@form(scratch.get_work_group_scratch_memory)
def scratch_memory(ctx: Context, node: ast.Call) -> Value:
    """Return the local memory whose size a property of the launch tells."""
    name = "get_work_group_scratch_memory"
    found = parameters(ctx, node, name, (), ("dtype",))
    elem = as_element(found.get("dtype", Constant(np.uint8)))
    if elem is None:
        raise ctx.refuse("K046", node, what=f"the dtype of {name}",
                         help="name one of NumPy's number types: np.float32, np.int32, ...")
    if ctx.shape.kind != "nd_range":
        raise ctx.refuse("K050", node, what=f"'{name}'")
    nbytes = dict(ctx.shape.traits).get(scratch.work_group_scratch_size.name)
    if nbytes is None:
        raise scratch.missing()
    ctx.facts.add("asks")
    known = ctx.storage.memories.get(name)
    if known is None:
        count = int(nbytes[0]) // elem.size
        if count == 0:
            raise exception(errc.memory_allocation, f"{name}: the launch gives {nbytes[0]} bytes, "
                            f"too few for one {elem}; give more by work_group_scratch_size")
        ctx.need_all(elem)
        known = ctx.storage.memories[name] = _memory(ctx, elem, (count,), address_space.local_space,
                                             "the scratch memory")
    if known.view.elem != elem:
        raise ctx.refuse("K049", node, found=f"scratch memory of {elem}",
                         expected=f"{known.view.elem}, as asked for before,",
                         help="a work-group's scratch memory has one type in a kernel; store "
                         "other numbers with sycl.bit_cast")
    return known


@form(group_functions.zero_element)
def zero_element(ctx: Context, node: ast.Call) -> Value:
    """Return what memory of an element type, or a pair of it and a shape, holds if all is zero."""
    kind = parameters(ctx, node, "zero_element", ("dtype",))["dtype"]
    elem, _ = _described(ctx, kind.items[0] if isinstance(kind, Several) else kind,
                         coerce.weak_scalar(1), "group_local_memory", node)
    if isinstance(elem, Scalar):
        return Constant(None) if isinstance(elem, PointerType) else coerce.weak_scalar(0)
    memory = _memory(ctx, elem, (1,), address_space.private_space, "zero")
    filled(ctx, memory, n.Const(WEAK_INT, 0))
    return replace(memory, index=(coerce.weak_scalar(0),)).read(ctx, node)


def own_elements(ctx: Context, value: Value, node: ast.AST) -> int:
    """Return how many elements an array of the work-item has; refuse other memory."""
    if isinstance(value, Memory) and isinstance(value.base, n.Array) and value.view.ndim == 1 \
            and value.window is None and value.view.space is address_space.private_space:
        return value.base.shape[0]
    raise ctx.refuse("K049", node, found=describe(value), expected="a private array",
                     help="give each work-item one: sycl.private_array(dtype, n)")


@form(private_memory)
def lower_private_memory(ctx: Context, node: ast.Call) -> Value:
    """Declare an element for each work-item of the group (SYCL 2020 §4.9.4.2.3)."""
    if ctx.shape.kind != "work_group":
        raise ctx.refuse("K052", node, what="private_memory", where="here",
                         help="it belongs to parallel_for_work_group; an array of each work-item's "
                         "own is sycl.private_array(dtype, n)")
    found = parameters(ctx, node, "private_memory", ("dtype", "group"))
    elem, group = as_element(found["dtype"]), found["group"]
    if elem is None:
        raise ctx.refuse("K046", node, what="the dtype of private_memory",
                         help="name one of NumPy's number types: np.float32, np.int32, ...")
    if not isinstance(group, Item) or group.kind != "group":
        raise ctx.refuse("K049", node, found=describe(group), expected="a group",
                         help="pass the group that the kernel got")
    if ctx.in_items:
        raise ctx.refuse("K052", node, what="private_memory", where="here",
                         help="make it at the group scope of parallel_for_work_group")
    if not ctx.shape.local:
        raise ctx.refuse("K052", node, what="private_memory",
                         where="when the launch left the local size open",
                         help="give the local size at the launch")
    ctx.need_all(elem)
    made = _memory(ctx, elem, ctx.shape.local, address_space.local_space, "the private memory",
                   PER_ITEM)
    return replace(made, per_item=True)


def _filled_with(name: str, value: int | None) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of numpy.zeros and its kin: a private array with these elements."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        found = parameters(ctx, node, f"numpy.{name}", ("shape",), ("dtype",))
        memory = _declare(ctx, found.get("dtype", Constant(np.float64)), found["shape"], node)
        if value is not None:
            filled(ctx, memory, n.Const(WEAK_INT, value))
        return memory
    return lower


form(np.zeros)(_filled_with("zeros", 0))
form(np.ones)(_filled_with("ones", 1))
form(np.empty)(_filled_with("empty", None))


@form(np.full)
def full(ctx: Context, node: ast.Call) -> Value:
    """Lower ``numpy.full(shape, value)``: of the value's type if no other is named."""
    found = parameters(ctx, node, "numpy.full", ("shape", "fill_value"), ("dtype",))
    value = ctx.hold(ctx.to_scalar(found["fill_value"], node))
    kind = found.get("dtype", Constant(value.type.dtype.numpy))
    memory = _declare(ctx, kind, found["shape"], node)
    filled(ctx, memory, value)
    return memory


def filled(ctx: Context, memory: Memory, value: n.Expr) -> None:
    """Store one value in every element of a private array."""
    if not isinstance(memory.base, n.Array):
        return
    counters = [n.Local("k", WEAK_INT) for _ in memory.base.shape]
    index = tuple(n.Read(WEAK_INT, c) for c in counters)
    body: n.Block = tuple(n.Store(n.Place(memory.base, index, type, offset),
                                  coerce.convert(value, type))
                          for type, offset in numbers(memory.view.elem))
    for counter, extent in zip(reversed(counters), reversed(memory.base.shape), strict=True):
        body = (n.For(counter, n.Const(WEAK_INT, 0), n.Const(WEAK_INT, extent),
                     n.Const(WEAK_INT, 1), body),)
    ctx.block.extend(body)
