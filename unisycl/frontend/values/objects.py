"""Captured objects made of others, partial functions and tuples with names, and constants.

Non-goals: what is done with them (``chosen_functions``, ``instances``). Invariant: each part is
captured by a path of its own, so that a kernel depends on nothing but what it uses.
"""

from __future__ import annotations

import ast
import functools
from typing import Any

import numpy as np

from unisycl.base import foreign_objects, geometry
from unisycl.base.dataclass import replace
from unisycl.base.enums import address_space
from unisycl.frontend import captures, coerce
from unisycl.frontend.paths import Path
from unisycl.frontend.values import constant_sets
from unisycl.frontend.values.classes import is_named
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.functions import Partial
from unisycl.frontend.values.images import Image
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.kind import Lowering, Value
from unisycl.frontend.values.mappings import Mapping
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.records import Record
from unisycl.frontend.values.streams import Stream
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.vectors import own_type
from unisycl.ir import nodes as n
from unisycl.ir.types import ImageView, PointerType, Scalar, StreamType, Struct, View


def captured(ctx: Lowering, path: Path, obj: Any, name: str, node: ast.AST, *,
             frozen: bool = False) -> Value:
    """Turn a Python object into a value; ``frozen`` numbers become constants."""
    ctx.guard(path, obj, frozen=frozen)
    kind = captures.data_type(obj)
    if frozen and isinstance(obj, bool | int | float | complex) and isinstance(kind, Scalar) \
            and kind.weak:
        return coerce.weak_scalar(obj)
    if getattr(type(obj), "__kernel_waits__", False):
        ctx.facts.add("waits")
    if getattr(type(obj), "__kernel_commands__", False):
        ctx.facts.add("enqueues")
    if kind is not None:
        value = _parameter(ctx, path, obj, kind, name, node)
        if captures.is_reference(obj) and isinstance(value, Memory):
            if not obj.name():
                raise ctx.refuse("K114", node, name=name)
            only = () if obj.shape else (coerce.weak_scalar(0),)
            return replace(value, index=only, reference=True)
        return value
    made = _of_parts(ctx, path, obj, name, node)
    if made is not None:
        return made
    if captures.is_table(obj):  # its own guard asks for each number
        return _table(obj)
    if isinstance(obj, tuple):
        return Several(tuple(ctx.capture((*path, ("item", k)), v, f"{name}[{k}]", node,
                                          frozen=captures.counts_by_value(v))
                              for k, v in enumerate(obj)))
    if isinstance(obj, geometry.range | geometry.id):
        what = "range" if isinstance(obj, geometry.range) else "id"
        return Several(tuple(ctx.capture((*path, ("item", k)), v, f"{name}[{k}]", node)
                             for k, v in enumerate(obj)), what)
    if type(obj) in captures.MAPPINGS and path[-1][0] != "global":
        return Mapping(obj, path, name)
    if type(obj) is frozenset or (type(obj) is set and path[-1][0] != "global"):
        made = constant_sets.captured(obj, name)
        if made is not None:
            ctx.guard((*path, ("keys", None)), tuple(obj))
            return made
    if isinstance(obj, list | dict | set | bytearray | np.ndarray | np.generic) \
            or captures.is_host_object(obj) or foreign_objects.description(obj) is not None:
        described, help = captures.why_not(obj)
        if path and path[-1][0] == "global" and isinstance(obj, list | dict | set):
            raise ctx.refuse("K048", node, name=name, kind=described)
        raise ctx.refuse("K040", node, name=name, kind=described, help=help)
    return Constant(obj, path)


def _table(obj: tuple[Any, ...]) -> Several:
    """Return a tuple of numbers, or of such tuples."""
    return Several(tuple(_table(x) if isinstance(x, tuple) else coerce.weak_scalar(x)
                         for x in obj))


def _parameter(ctx: Lowering, path: Path, obj: Any, kind: Scalar | Struct | View, name: str,
               node: ast.AST) -> Value:
    if path[0][0] == "reduction":
        raise ctx.refuse("K054", node, what=f"the operator of a reduction cannot capture "
                          f"data ('{name}')", help="use constants and its two arguments only")
    if isinstance(kind, View) and kind.space is address_space.local_space:
        path = _first_path(ctx, path, obj, kind)  # by two parameters it would be two memories
    param = ctx.storage.params.get(path)
    if param is None:
        param = ctx.storage.params[path] = n.Param(name, kind, len(ctx.storage.params), path)
    if isinstance(kind, ImageView):
        return Image(param, kind, name, kind.sampler)
    if isinstance(kind, View):
        if isinstance(kind.elem, Scalar):
            ctx.need(kind.elem)
        return Memory(param, kind, name=param.name)
    if isinstance(kind, Struct):
        record = Record(param, (), kind, writable=False, name=name)
        return record if own_type(kind) is None else record.load_vector(ctx, node)
    if isinstance(kind, PointerType):
        return n.ParamRead(kind, param)
    if isinstance(kind, StreamType):
        ctx.storage.streams[path] = n.ParamRead(kind, param)
        return Stream(ctx.storage.streams[path])
    ctx.need(kind)
    return n.ParamRead(kind, param)


def _first_path(ctx: Lowering, path: Path, obj: Any, kind: View) -> Path:
    """Return the path by which this memory of a group was captured first.

    Each launch says anew which paths lead to one memory, so the code depends on it.
    """
    owned = ctx.storage.owned
    if path not in owned:
        known = [p for p, (_, first) in owned.items()
                 if p == first and ctx.storage.params[p].type == kind]
        first = next((p for p in known if owned[p][0] is obj), path)
        for p in known if first == path else (first,):
            ctx.needs.meetings[path, p] = first != path
        owned[path] = obj, first
    return owned[path][1]


def is_same(ctx: Lowering, one: n.Param | n.Array, other: n.Param | n.Array) -> bool:
    """Say whether two memories are one object of the program's; each launch says it anew."""
    if one is other or not (isinstance(one, n.Param) and isinstance(other, n.Param)):
        return one is other
    paths = one.path, other.path
    a, b = (captures.fetch(p, ctx.function, ctx.arguments) for p in paths)
    ctx.needs.meetings[paths] = a is b
    return a is b


def _of_parts(ctx: Lowering, path: Path, obj: Any, name: str, node: ast.AST) -> Value | None:
    """Return the value of such an object; None for any other."""
    def part(steps: Path, value: Any, label: str, *, frozen: bool = True) -> Value:
        return ctx.capture((*path, *steps), value, label, node, frozen=frozen)

    if is_named(type(obj)):
        items = tuple(part((("item", k),), v, f"{name}.{f}")
                      for k, (f, v) in enumerate(zip(obj._fields, obj, strict=True)))
        return Instance(type(obj), tuple(obj._fields), items, fixed=True)
    if not isinstance(obj, functools.partial):
        return None
    ctx.guard((*path, ("attr", "args")), obj.args)
    args = tuple(part((("attr", "args"), ("item", k)), v, f"{name}[{k}]")
                 for k, v in enumerate(obj.args))
    if obj.keywords:
        ctx.guard((*path, ("attr", "keywords")), obj.keywords, frozen=True)
    named = tuple((k, part((("attr", "keywords"), ("item", k)), v, k))
                  for k, v in obj.keywords.items())
    return Partial(part((("attr", "func"),), obj.func, name, frozen=False), args, named)


def constant(ctx: Lowering, value: Value, *, bools: bool = False) -> n.Const | None:
    """Return a number known while compiling, computed from captured ones if need be.

    The code depends on them from then on, and on none where the number is not known. ``bools``:
    it is known only if no captured number but bools is asked for it.
    """
    asked: dict[Path, Any] = {}
    found = _constant(ctx, value, asked)
    if found is None or (bools and not all(isinstance(x, bool) for x in asked.values())):
        return None
    for path, obj in asked.items():
        ctx.guard(path, obj, frozen=True)
    return found


def _constant(ctx: Lowering, value: Value, asked: dict[Path, Any]) -> n.Const | None:
    """Return such a number, and note what was asked for it."""
    known = functools.partial(_constant, ctx, asked=asked)
    match value:
        case n.Const():
            return value
        case n.ParamRead() if value.type.weak and value.param.path:
            obj = captures.fetch(value.param.path, ctx.function, ctx.arguments)
            if isinstance(obj, captures.Later | np.generic):  # a parent kernel will give it
                return None
            asked[value.param.path] = obj
            return coerce.weak_scalar(obj)
        case n.Read() if value.type.weak and value.local in ctx.derived:
            return known(ctx.derived[value.local])  # a name with one assignment
        case n.Binary() if value.type.weak:
            a, b = known(value.a), known(value.b)
            found = None if a is None or b is None else coerce.binary(
                value.op, a, b, value.type)
            return found if isinstance(found, n.Const) else None
        case n.Compare() if value.type.weak:
            a, b = known(value.a), known(value.b)
            found = None if a is None or b is None else coerce.compare(value.op, a, b)
            return found if isinstance(found, n.Const) else None
        case n.Unary() if value.type.weak and value.op == "neg":
            x = known(value.x)
            return None if x is None else n.Const(value.type, -x.value)
        case n.Unary() if value.type.weak and value.op == "not":
            x = known(value.x)
            return None if x is None else n.Const(value.type, not x.value)
        case n.Cast() if value.type.weak and value.x.type.weak:
            x = known(value.x)
            made = None if x is None else coerce.convert(x, value.type)
            return made if isinstance(made, n.Const) else None
        case n.Call() if value.type.weak and value.builtin.name in ("min", "max", "abs"):
            parts = [x.value for x in map(known, value.args) if x is not None]
            function: Any = {"min": min, "max": max, "abs": abs}[value.builtin.name]
            return n.Const(value.type, function(*parts)) if len(parts) == len(value.args) else None
    return None
