"""What assignments to subscripts and members do: places in memory, and elements of vectors.

Non-goals: names and tuples (``assign``). Invariants: what is written was evaluated before; nothing
that is only passed through on the way to a place is read.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from unisycl.base.dataclass import dataclass
from unisycl.base.enums import access_mode
from unisycl.frontend import coerce
from unisycl.frontend.context import Context, position
from unisycl.frontend.syntax import rows
from unisycl.frontend.syntax.access import (
    attribute_of,
    choice_at,
    index_memory,
    index_pointer,
    index_record,
    is_vector,
    member_of,
    no_memory,
    record_of,
    referent,
    subscript_of,
)
from unisycl.frontend.syntax.names import suggest
from unisycl.frontend.values import images, memories, stored_pointers, vectors
from unisycl.frontend.values.kind import Value
from unisycl.frontend.values.kinds import (
    Choice,
    Image,
    Instance,
    Item,
    Memory,
    Record,
    Reduction,
    Several,
    Vector,
    describe,
    record_help,
)
from unisycl.frontend.values.objects import is_named
from unisycl.frontend.values.slices import span_of
from unisycl.ir import nodes as n
from unisycl.ir.types import PointerType, Scalar, Struct

_COPIED = 64


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a vec, at a place known at run time only."""

    of: Vector
    index: n.Expr


@dataclass(frozen=True, slots=True)
class Slot:
    """A field of an object that a variable holds."""

    of: Instance
    name: str


Target: TypeAlias = (Memory | Choice | Record | Image | Vector | Element | Slot | n.Read | n.Load
                     | n.Place)


def target_of(ctx: Context, node: ast.Subscript | ast.Attribute, *,
              read: bool = False) -> Target:
    """Return what a subscript or member denotes, to be written; refuse what is not.

    Unless it is read, too, that may be a row or window of memory with numbers.
    """
    base = referent(ctx, _owner(ctx, node.value), node)
    if isinstance(base, Memory) and isinstance(node, ast.Subscript):
        rows = not read and base.pointer is None and isinstance(base.view.elem, Scalar)
        memory = span_of(ctx, base, node) if rows and isinstance(node.slice, ast.Slice) else \
            index_memory(ctx, base, node)
        if not (rows or len(memory.index) == memory.view.ndim):
            raise ctx.refuse("K037", node, what=f"'{memory.name}'", expected=memory.view.ndim,
                             found=len(memory.index), help="give one index for each dimension")
        if not memory.view.mode.writes:
            raise ctx.refuse("K039", node, name=memory.name)
        if memory.view.mode is access_mode.atomic:
            raise ctx.refuse("K072", node, name=memory.name)
        if len(memory.index) != memory.view.ndim:
            return memory
        return _as_target(ctx, record_of(memory), node) \
            if isinstance(memory.view.elem, Struct) else memory
    if isinstance(base, n.Expr) and isinstance(
            node, ast.Subscript) and stored_pointers.kind_of(base):
        return _as_target(ctx, index_pointer(ctx, base, node), node)
    if isinstance(base, Image) and isinstance(node, ast.Subscript):
        return images.indexed(ctx, base, node)
    if isinstance(base, Choice) and isinstance(node, ast.Subscript):
        return _chosen(ctx, choice_at(ctx, base, node), node)
    if isinstance(base, Instance) and isinstance(node, ast.Attribute):
        return _slot(ctx, base, node)
    if isinstance(base, Vector):
        return _in_vector(ctx, base, node, read=read)
    if isinstance(base, Record) and (isinstance(node, ast.Subscript)
                                     or (isinstance(base.type, Struct) and not base.shape)):
        target = index_record(ctx, base, node) if isinstance(node, ast.Subscript) else member_of(
            ctx, base, node.attr, node)
        if not target.writable:
            id = "K041" if isinstance(target.base, n.Param) and not target.index else "K039"
            raise ctx.refuse(id, node, name=target.name)
        return _as_target(ctx, target, node)
    if isinstance(base, Reduction):
        raise ctx.refuse("K055", node)
    if isinstance(base, Several | Item) and isinstance(node, ast.Subscript):
        raise ctx.refuse("K036", node, op="item assignment", types=describe(base),
                         help="tuples and ids cannot change; use sycl.private_array(dtype, n)")
    if isinstance(base, n.Expr) and base.type.dtype.kind == "c":
        raise ctx.refuse("K054", node, what="the parts of a complex number cannot be assigned",
                         help="make a new one: z = complex(x, z.imag)")
    if isinstance(node, ast.Attribute):
        raise ctx.refuse("K041", node, name=ast.unparse(node))
    raise ctx.refuse("K049", node, found=describe(base), expected="memory", help=no_memory(base))


def _chosen(ctx: Context, choice: Choice, node: ast.AST) -> Choice:
    """Return an element of the memory that a name stands for; refuse rows and what is read-only."""
    memory = memories.first(ctx, choice, node)
    if len(choice.index) != memory.view.ndim:
        raise ctx.refuse("K037", node, what=f"'{choice.name}'", expected=memory.view.ndim,
                         found=len(choice.index), help="give one index for each dimension")
    if not memory.view.mode.writes:
        raise ctx.refuse("K039", node, name=choice.name)
    return choice


def _as_target(ctx: Context, record: Record, node: ast.AST) -> Record | Vector:
    if not is_vector(record):
        return record
    held = replace(record, index=tuple(ctx.hold(x) for x in record.index),
                   inner=tuple((ctx.hold(x), size) for x, size in record.inner))
    return ctx.load_vector(held, node)


def _owner(ctx: Context, node: ast.expr) -> Value:
    """Return what the last step of a target starts from: places stay places, nothing is read."""
    if not isinstance(node, ast.Subscript | ast.Attribute):
        return ctx.value(node)
    base = referent(ctx, _owner(ctx, node.value), node)
    place: Memory | Record | None = None
    if isinstance(base, Memory) and isinstance(node, ast.Subscript):
        place = index_memory(ctx, base, node)
        if len(place.index) == place.view.ndim and isinstance(place.view.elem, Struct):
            place = record_of(place)
    elif isinstance(base, n.Expr) and isinstance(
            node, ast.Subscript) and stored_pointers.kind_of(base):
        place = index_pointer(ctx, base, node)
    elif isinstance(base, Record) and isinstance(node, ast.Subscript):
        place = index_record(ctx, base, node)
    elif isinstance(base, Record) and isinstance(base.type, Struct) and not base.shape \
            and base.type.field(getattr(node, "attr", "")) is not None:
        place = member_of(ctx, base, node.attr, node)  # type: ignore[union-attr]
    if isinstance(place, Record) and is_vector(place):
        _note_place(ctx, node)
        return ctx.load_vector(place, node)
    if isinstance(place, Record) and (place.shape or isinstance(place.type, Struct)):
        return place
    if isinstance(place, Memory) and len(place.index) < place.view.ndim:
        return place
    if isinstance(node, ast.Subscript):
        return subscript_of(ctx, base, node)
    view = vectors.attribute(ctx, base, node.attr) if isinstance(base, Vector) else None
    return attribute_of(ctx, base, node) if view is None else view


def _note_place(ctx: Context, node: ast.AST) -> None:
    """Note that Python has to take an expression for a place in memory, not for its value."""
    code = ctx.function_at_hand()
    if code is not None:
        ctx.places.setdefault(code, set()).add(position(node))


def _in_vector(ctx: Context, base: Vector, node: ast.Subscript | ast.Attribute, *,
               read: bool) -> Target:
    """Return an element or swizzle of a vec."""
    if read and not base.readable:
        raise ctx.refuse("K058", node, name=base.name)
    if isinstance(node, ast.Subscript):
        index = ctx.exactly(ctx.value(node.slice), node.slice)
        k = vectors.constant_element(ctx, base, index, node)
        if k is None:
            return Element(base, index)
        found: Value | None = vectors.picked(ctx, base, (k,))
    else:
        found = vectors.attribute(ctx, base, node.attr)
    if found is None:
        found = attribute_of(ctx, base, node)  # type: ignore[arg-type]  # it refuses
    if isinstance(found, Vector):
        return found
    vectors.check_assignable(ctx, base, node)
    if not isinstance(found, n.Read | n.Load):
        raise ctx.refuse("K083", node, what=describe(base))
    return found


def _slot(ctx: Context, base: Instance, node: ast.Attribute) -> Slot:
    """Return a field to be assigned; refuse what cannot change."""
    if node.attr not in base.names:
        raise ctx.refuse("K032", node, what=describe(base), name=node.attr,
                         help=suggest(node.attr, base.names, f"it has {', '.join(base.names)}"))
    if is_named(base.cls) or base.cls.__dataclass_params__.frozen:
        raise ctx.refuse("K054", node, what=f"'{base.cls.__name__}' is frozen: its fields cannot "
                         "be assigned", help="make a new one")
    vectors.check_unshared(ctx, base, node)
    if not base.exact:
        raise ctx.refuse("K083", node, what=describe(base))
    return Slot(base, node.attr)


def update(ctx: Context, node: ast.Subscript | ast.Attribute, operand: ast.expr,
           compute: Callable[[Value, Value], Value]) -> None:
    """Do ``node = compute(node, operand)``, finding the place once."""
    target = _settled(ctx, target_of(ctx, node, read=True), node, read=True)
    old = _read(ctx, target, node)
    before = len(ctx.block)
    right = ctx.value(operand)
    if len(ctx.block) > before:
        old = ctx.keep(old, before)
    _write(ctx, target, compute(old, right), node, node)


def update_whole(ctx: Context, memory: Memory, node: ast.AST, operand: ast.expr,
                 compute: Callable[[Value, Value], Value]) -> None:
    """Do ``x = compute(x, operand)`` for an ``x`` that stands for its element in memory."""
    if len(memory.index) < memory.view.ndim:
        raise ctx.refuse("K037", node, what=f"'{memory.name}'", expected=memory.view.ndim, found=0,
                         help="give one index for each dimension")
    target = _settled(ctx, _as_target(ctx, record_of(memory), node) if isinstance(
        memory.view.elem, Struct) else memory, node, read=True)
    old = _read(ctx, target, node)
    before = len(ctx.block)
    right = ctx.value(operand)
    if len(ctx.block) > before:
        old = ctx.keep(old, before)
    _write(ctx, target, compute(old, right), node, node)


def store(ctx: Context, node: ast.Subscript | ast.Attribute, value: Value,
          origin: ast.AST) -> None:
    """Do ``node = value`` for a subscript or a member."""
    if _has_effects(node):
        value = ctx.hold_value(value)
    target = target_of(ctx, node)
    if isinstance(target, Memory) and len(target.index) < target.view.ndim:
        rows.fill(ctx, target, value, node, origin)
        return
    if isinstance(value, Memory) and isinstance(value.view.elem, Struct) \
            and len(value.index) == value.view.ndim:
        value = record_of(value)
    if isinstance(target, Record) and isinstance(value, Record) \
            and (target.shape or isinstance(target.type, Struct)):
        copy_record(ctx, target, value, node)
        return
    if isinstance(target, Image):
        images.assign(ctx, target, value, node)
        return
    if isinstance(target, Record) and isinstance(value, Instance) and not target.shape:
        _fill(ctx, target, ctx.hold_value(value), node)
        ctx.overwrites.note(ctx, target, node)
        return
    _write(ctx, _settled(ctx, target, node, read=False), value, node, origin)


def _fill(ctx: Context, target: Record, value: Value, node: ast.AST) -> None:
    """Write the fields of an object to a record, all evaluated before."""
    assert isinstance(value, Instance)
    if not isinstance(target.type, Struct) or tuple(
            f.name for f in target.type.fields) != value.names:
        raise ctx.refuse("K049", node, found=describe(value), expected=describe(target), help="")
    for f, item in zip(target.type.fields, value.items, strict=True):
        place = member_of(ctx, target, f.name, node)
        if isinstance(item, Instance) and not place.shape:
            _fill(ctx, place, item, node)
        elif isinstance(item, Record) and (place.shape or isinstance(place.type, Struct)):
            copy_record(ctx, place, item, node)
        else:
            _write(ctx, _settled(ctx, _as_target(ctx, place, node), node, read=False), item, node,
                   node)


def _settled(ctx: Context, target: Target, node: ast.AST, *, read: bool) -> Target:
    """Return the place of a number in memory; other targets as they are."""
    if not isinstance(target, Memory | Record):
        return target
    reads = target.view.mode.reads if isinstance(target, Memory) else target.readable
    if read and not reads:
        raise ctx.refuse("K058", node, name=target.name)
    return _place(ctx, target, node)


def _read(ctx: Context, target: Target, node: ast.AST) -> Value:
    """Return the value of a target."""
    match target:
        case n.Place():
            return n.Load(target.type, target)
        case Element():
            return vectors.element(ctx, target.of, target.index, node)
        case Choice():
            return memories.load(ctx, target, node)
        case Slot():
            return target.of.field(target.name)
        case Vector() | n.Read() | n.Load():
            if isinstance(target, Vector) and not target.readable:
                raise ctx.refuse("K058", node, name=target.name)
            return target
        case Image():
            return images.read(ctx, target, target.index, node)
    raise AssertionError(target)


def _write(ctx: Context, target: Target, value: Value, node: ast.AST, origin: ast.AST) -> None:
    """Give a target a value."""
    match target:
        case n.Place() if isinstance(target.type, PointerType):
            x = ctx.to_pointer(value, target.type, origin)
            ctx.emit(n.Store(target, x, span=ctx.span(node)))
        case n.Place():
            x = ctx.to_scalar(value, origin, unsure=True)
            try:
                x = coerce.stored(x, target.type)
            except (coerce.LosesPart, coerce.Ambiguous):
                raise
            except coerce.DoesNotFit as problem:
                raise ctx.refuse("K057", origin, value=problem.value, type=problem.type.dtype,
                                 help="store a number of another type, which wraps: "
                                 f"np.int64({problem.value})") from None
            ctx.emit(n.Store(target, x, span=ctx.span(node)))
        case Choice():
            x = ctx.hold(ctx.to_scalar(value, origin, unsure=True))
            memories.each(ctx, target, lambda memory: _write(
                ctx, _place(ctx, memory, node), x, node, origin), node)
        case Vector():
            vectors.assign(ctx, target, value, node)
        case Element():
            x = ctx.to_scalar(value, origin, unsure=True)
            vectors.assign_element(ctx, target.of, target.index, x, node)
        case Slot():
            ctx.set_field(target.of, target.name, value, node)
        case n.Read() | n.Load():
            vectors.put(ctx, target, ctx.to_scalar(value, origin, unsure=True), node)


def _place(ctx: Context, target: Memory | Record, node: ast.AST) -> n.Place:
    kind = target.view.elem if isinstance(target, Memory) else target.type
    if not isinstance(kind, Scalar) or (isinstance(target, Record) and target.shape):
        raise ctx.refuse("K049", node, found=describe(target), expected="a number",
                         help=record_help(kind, "assign its elements one by one"))
    ctx.need(kind)
    index = tuple(ctx.hold(x) for x in target.index)
    if isinstance(target, Memory):
        return n.Place(target.base, index, kind, span=ctx.span(node))
    inner = tuple((ctx.hold(x), s) for x, s in target.inner)
    return n.Place(target.base, index, kind, target.offset, inner, ctx.span(node))


def copy_record(ctx: Context, target: Record, value: Record, node: ast.AST) -> None:
    """Copy a struct or an array member, number by number, all read before any is written."""
    if (target.type, target.shape) != (value.type, value.shape):
        raise ctx.refuse("K049", node, found=describe(value), expected=describe(target), help="")
    ctx.overwrites.check(ctx, value, node)
    held = [ctx.hold(ctx.load_member(leaf, node)) for leaf in _leaves(ctx, value, node)]
    ctx.overwrites.note(ctx, target, node)
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


def _has_effects(target: ast.AST) -> bool:
    return any(isinstance(node, ast.Call | ast.NamedExpr | ast.IfExp | ast.BoolOp)
               for node in ast.walk(target))


