"""Which element of memory an ``atomic_ref`` is over: its container, and the steps from there.

Non-goals: the operations (``atomics``). Invariants: the element is a number or a pointer that
kernels can change as a whole, lies at a multiple of its size, and other work-items can reach it.
"""

from __future__ import annotations

import ast
import enum
import math
from collections.abc import Sequence
from typing import TypeVar

from unisycl.base.dataclass import replace
from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.frontend import coerce, faults
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.parameters import parameters
from unisycl.frontend.syntax.given import given
from unisycl.frontend.values import atomics, stored_pointers
from unisycl.frontend.values.atomics import Atomic
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.items import ITEM_KINDS, Item, item_ids
from unisycl.frontend.values.kind import Value, describe
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.records import Record
from unisycl.frontend.values.slices import inside
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.unsure import plain as held
from unisycl.frontend.values.vectors import Vector, own_type
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar, Struct, View
from unisycl.lang.memory.atomic import atomic_ref
from unisycl.lang.numbers.swizzle import positions

_E = TypeVar("_E", bound=enum.Enum)
_FORM = "atomic_ref(acc[i]), atomic_ref(acc, i), atomic_ref(acc[i].member) or atomic_ref(pointer)"


@form(atomic_ref)
def lower_atomic_ref(ctx: Context, node: ast.Call) -> Value:
    """Lower ``atomic_ref(view, index, order, scope)``, or ``atomic_ref(view[index], order)``."""
    node = _by_name(ctx, _of_element(ctx, node))
    found = parameters(ctx, node, "atomic_ref", ("view",), ("index", "order", "scope", "space"))
    view = found["view"]
    if isinstance(view, n.Expr) and not stored_pointers.kind_of(view):
        raise _no_memory(ctx, view, node)
    order = _constant(ctx, found, "order", memory_order, memory_order.relaxed, node)
    scope = _constant(ctx, found, "scope", memory_scope, memory_scope.device, node)
    if order in (memory_order.acquire, memory_order.release):
        raise ctx.refuse("K056", node, found=order.name, what="an atomic_ref's default",
                         help="use relaxed, acq_rel or seq_cst; a load then acquires and a store "
                         "releases (SYCL 2020 §4.15.3)")
    atomics.check_scope(ctx, scope, node)
    record, kind = _element(ctx, found["view"], _parts(ctx, found.get("index"), node), node)
    _check_memory(ctx, record, node)
    _check_space(ctx, record.base, found.get("space"), node)
    atomics.check_type(ctx, kind, node)
    _check_alignment(ctx, record, kind, node)
    index = tuple(map(ctx.hold, record.index))
    inner = tuple((ctx.hold(x), size) for x, size in record.inner)
    place = n.Place(record.base, index, kind, record.offset, inner, ctx.span(node))
    return Atomic(place, order, scope)


def _of_element(ctx: Context, node: ast.Call) -> ast.Call:
    """Return the call with memory and where in it, if the element itself was written, as in C++."""
    first = node.args[0] if node.args else None
    if not isinstance(first, ast.Subscript | ast.Attribute):
        return node
    owner = ctx.value(first.value)
    of: ast.expr = given(owner, first.value)
    key: ast.expr = ast.copy_location(ast.Constant(getattr(first, "attr", "")), first)
    if isinstance(first, ast.Subscript):
        parted = isinstance(owner, Memory | Record) and not isinstance(first.slice, ast.Slice)
        key = given(ctx.hold_value(ctx.value(first.slice)), first.slice) if parted else first.slice
        again: ast.expr = ast.Subscript(of, key, ast.Load())
    else:
        again = ast.Attribute(of, first.attr, ast.Load())
    again = ast.copy_location(again, first)
    args = [again]
    if isinstance(owner, Memory | Record):
        with ctx.into():
            value = ctx.value(again)
        if isinstance(value, n.Expr) and not stored_pointers.kind_of(value):
            args = [of, key]
            ctx.note_place(node)
    return ast.copy_location(ast.Call(node.func, [*args, *node.args[1:]], node.keywords), node)


def _by_name(ctx: Context, node: ast.Call) -> ast.Call:
    """Return the call with its order and scope by name, if the order follows the place at once."""
    second = node.args[1] if len(node.args) > 1 else None
    if not isinstance(second, ast.Name | ast.Attribute):
        return node
    value = ctx.value(second)
    if not isinstance(value, Constant) or not isinstance(value.object, memory_order):
        return node
    named = [ast.copy_location(ast.keyword(name, arg), arg)
             for name, arg in zip(("order", "scope", "space"), node.args[1:4], strict=False)]
    call = ast.Call(node.func, [node.args[0], *node.args[4:]], [*named, *node.keywords])
    return ast.copy_location(call, node)


def _constant(ctx: Context, found: dict[str, Value], name: str, kind: type[_E], default: _E,
              node: ast.AST) -> _E:
    """Return an argument that names one of an enumeration; its default where it is left out."""
    value = found.get(name)
    if value is None:
        return default
    known = value.object if isinstance(value, Constant) else None
    if not isinstance(known, kind):
        raise ctx.refuse("K053", node, what=name, kind=kind.__name__)
    return known


# ---- steps
def _parts(ctx: Context, index: Value | None, node: ast.AST) -> list[n.Expr | str] | None:
    """Return what follows one another in an index: integers and names of members."""
    if index is None:
        return None
    out: list[n.Expr | str] = []
    plain = isinstance(index, Several) and index.kind == "tuple"
    for item in index.items if plain and isinstance(index, Several) else (index,):
        if isinstance(item, Constant) and isinstance(item.object, str):
            out.append(item.object)
            continue
        if isinstance(item, Item) and item.kind in ITEM_KINDS:
            item = item_ids(item)
        for x in item.items if isinstance(item, Several) and item.kind != "tuple" else (item,):
            number = held(ctx.exactly(x, node))
            if not number.type.dtype.is_integer:
                raise ctx.refuse("K038", node, found=number.type,
                                 help="convert it first: int(...)")
            out.append(ctx.hold(number))
    return out


def _element(ctx: Context, view: Value, parts: list[n.Expr | str] | None,
             node: ast.AST) -> tuple[Record, Scalar]:
    """Return the place of the element and its type."""
    rest: Sequence[n.Expr | str]
    if isinstance(view, Record):
        record, rest = view, parts or []
    elif isinstance(view, n.Expr) and stored_pointers.kind_of(view):
        record, rest = _followed(ctx, view, parts, node)
    elif isinstance(view, Memory) and not view.per_item:
        record, rest = _indexed(ctx, view, parts, node)
    elif isinstance(view, Vector):
        raise ctx.refuse("K054", node, what=f"this {describe(view)} is a value of its own, no "
                         "place in memory", help="give the memory, and where it is in it: "
                         "atomic_ref(acc, (i, 'x'))")
    else:
        raise _no_memory(ctx, view, node)
    for part in rest:
        record = _step(ctx, record, part, node)
    if not isinstance(record.type, Scalar) or record.shape:
        raise ctx.refuse("K054", node, what="atomic_ref is over one number, not "
                         f"{describe(record)}", help="say which part: " + _example(record))
    return record, record.type


def _no_memory(ctx: Context, view: Value, node: ast.AST) -> Exception:
    return ctx.refuse("K054", node, what="atomic_ref needs memory and where in it, not "
                      f"{describe(view)}", help=f"write {_FORM}")


def _example(record: Record) -> str:
    part = "0"
    if not record.shape and isinstance(record.type, Struct) and record.type.fields:
        part = "'x'" if own_type(record.type) else repr(record.type.fields[0].name)
    return f"atomic_ref(acc, (i, {part}))"


def _followed(ctx: Context, pointer: n.Expr, parts: list[n.Expr | str] | None,
              node: ast.AST) -> tuple[Record, Sequence[n.Expr | str]]:
    first = parts[0] if parts else coerce.weak_scalar(0)
    if isinstance(first, str):  # p->member
        return stored_pointers.element(ctx, pointer, None, node), parts or []
    return stored_pointers.element(ctx, pointer, first, node), (parts or [])[1:]


def _indexed(ctx: Context, view: Memory, parts: list[n.Expr | str] | None,
             node: ast.AST) -> tuple[Record, Sequence[n.Expr | str]]:
    """Return the element of a view, and the steps that are left."""
    left = view.view.ndim - len(view.index)
    given = list(parts or [])
    elem = view.view.elem
    if view.reference and view.index and isinstance(elem, Scalar) \
            and given == [coerce.weak_scalar(0)]:
        given = []
    if view.pointer is not None and (not given or isinstance(given[0], str)):
        given.insert(0, coerce.weak_scalar(0))  # the element it points to
    numbers: list[n.Expr] = []
    for part in given[:left]:
        if isinstance(part, str):
            break
        _check_sign(ctx, view, part, node)
        numbers.append(part if numbers else inside(ctx, view, part, node))
    count = len(given) if isinstance(elem, Scalar) else len(numbers)
    if count != left or len(numbers) != left:
        raise ctx.refuse("K037", node, what=f"'{view.name}'", expected=view.view.ndim,
                         found=len(view.index) + count, help="give one index for each dimension")
    whole = replace(view, index=view.index + tuple(numbers), window=None)
    if isinstance(elem, Struct):
        return whole.record(), given[left:]
    mode = view.view.mode
    return Record(view.base, whole.index, elem, writable=mode.writes, readable=mode.reads,
                  name=view.name), ()


def _check_sign(ctx: Context, view: Memory, x: n.Expr, node: ast.AST) -> None:
    if isinstance(x, n.Const) and x.value < 0 and view.pointer is None:
        raise ctx.refuse("K059", node, found=x.value)
    if view.pointer is None and isinstance(node, ast.expr):
        ctx.doubts.indices[ctx.span(node)] = f"of {ast.unparse(node)}", x


def _step(ctx: Context, record: Record, part: n.Expr | str, node: ast.AST) -> Record:
    """Return a member of a record, or an element of an array or vec in one."""
    vector = None if record.shape else own_type(record.type)
    if isinstance(part, str):
        if vector is not None:
            found = positions(part, vector.count) if vector.kind == "vec" else None
            if found is None or len(found) != 1:
                raise ctx.refuse("K054", node, what=f"'{part}' is no single element of "
                                 f"{vector.__name__}", help="name one: 'x', 's1', or its number")
            part = coerce.weak_scalar(found[0])
        elif not isinstance(record.type, Struct) or record.shape:
            raise ctx.refuse("K054", node, what=f"{describe(record)} has no member '{part}'",
                             help=f"write {_FORM}")
        else:
            return record.member(ctx, part, node)
    if vector is not None:
        return _lane(ctx, record, vector.count, part, node)
    if not record.shape:
        raise ctx.refuse("K037", node, what=f"'{record.name}'", expected=0, found=1,
                         help="name a member: " + _example(record))
    if isinstance(part, n.Const) and not 0 <= part.value < record.shape[0]:
        raise ctx.refuse("K060", node, found=part.value, count=record.shape[0])
    part = faults.of_axis(ctx, part, 0, record.shape[0], node)
    width = record.type.size * math.prod(record.shape[1:])
    return replace(record, shape=record.shape[1:], inner=(*record.inner, (part, width)))


def _lane(ctx: Context, record: Record, count: int, part: n.Expr, node: ast.AST) -> Record:
    """Return an element of a vec or marray in memory."""
    assert isinstance(record.type, Struct)
    elem = record.type.fields[0].type
    if isinstance(part, n.Const) and not 0 <= part.value < count:
        raise ctx.refuse("K081", node, found=part.value, what=str(record.type), count=count)
    part = faults.of_elements(ctx, part, str(record.type), count, node)
    return replace(record, type=elem, inner=(*record.inner, (part, elem.size)))


# ---- what it must be
def _check_memory(ctx: Context, record: Record, node: ast.AST) -> None:
    """Refuse memory that nobody else sees, and memory that cannot be read and written."""
    if _space(record.base) is address_space.private_space:
        raise ctx.refuse("K054", node, what="private memory cannot be atomic",
                         help="no other work-item sees it: use plain loads and stores")
    if not record.writable:
        raise ctx.refuse("K039", node, name=record.name)
    if not record.readable:
        raise ctx.refuse("K058", node, name=record.name)


def _space(base: n.Base) -> address_space:
    return base.type.space if isinstance(base.type, View) else address_space.private_space


def _check_space(ctx: Context, base: n.Base, given: Value | None, node: ast.AST) -> None:
    """Refuse an address space that has no atomics, or that the memory is not in."""
    if given is None:
        return
    space = given.object if isinstance(given, Constant) else None
    if not isinstance(space, address_space):
        raise ctx.refuse("K049", node, found=describe(given), expected="an address_space",
                         help="name one of unisycl.address_space, or leave it out")
    real = _space(base)
    if space in (address_space.constant_space, address_space.private_space):
        raise ctx.refuse("K054", node, what=f"no atomics in {space.value} memory",
                         help="use global or local memory")
    if space is not address_space.generic_space and space is not real:
        raise ctx.refuse("K054", node, what=f"this is {real.value} memory, not {space.value}",
                         help="leave the address space out, or name the right one")


def _check_alignment(ctx: Context, record: Record, kind: Scalar, node: ast.AST) -> None:
    """Refuse a member at an address that is no multiple of its size: no device can do it whole."""
    base = record.base.type
    steps = [size for _, size in record.inner]
    if isinstance(record.base, n.Heap):
        pointer = stored_pointers.kind_of(record.inner[0][0])
        assert pointer is not None
        steps[0] = pointer.elem.size
    elif isinstance(base, View):
        steps.append(base.elem.size)
    if any(step % kind.size for step in (record.offset, *steps)):
        raise ctx.refuse("K054", node, what=f"'{record.name}' is not at a multiple of its "
                         f"{kind.size} bytes in every record, so nothing changes it as a whole",
                         help="give the record such a layout: np.dtype(..., align=True), larger "
                         "members first")
