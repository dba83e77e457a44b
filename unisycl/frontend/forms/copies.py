"""``copy.copy`` in kernels: objects that no name holds yet.

A record's numbers become variables of the copy; its array members, which are indexed at run time,
get private memory. Non-goals: vectors' constructors. Invariant: as in Python, a copy of an object
made in the kernel shares what the fields hold, and a copy of a record in memory shares nothing.
"""

from __future__ import annotations

import ast
import math

from unisycl.base.dataclass import replace
from unisycl.frontend.context import Context
from unisycl.frontend.forms.arrays import declared
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.kind import Value, describe
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.records import Record, copy_record
from unisycl.frontend.values.vectors import Vector
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT, Field, Struct


def copied(ctx: Context, value: Value, node: ast.AST) -> Value:
    """Return ``copy.copy(value)``."""
    if isinstance(value, Instance):
        return replace(value, homes=frozenset(), exact=False, fixed=False)
    if isinstance(value, Vector):
        return replace(value.loaded(ctx), homes=frozenset(), exact=False)
    if isinstance(value, Memory):
        raise ctx.refuse("K054", node, what=f"copy.copy takes objects, not {describe(value)}",
                         help="copy the elements in a loop")
    if not isinstance(value, Record):
        return value
    if value.shape or value.owner_class() is None:
        whole = _own(ctx, value)
        copy_record(ctx, whole, value, node)
        return whole
    assert isinstance(value.type, Struct)
    return _instance(ctx, value, _own(ctx, value) if _has_arrays(value.type) else None, node)


def _own(ctx: Context, like: Record) -> Record:
    """Declare private memory for what a record holds."""
    kind = like.type
    if like.shape or not isinstance(kind, Struct):  # a struct of one member, so it is one place
        size = kind.size if isinstance(kind, Struct) else kind.dtype.size
        kind = Struct("array", (Field("items", kind, 0, like.shape),),
                      size * math.prod(like.shape))
    memory = declared(ctx, kind, (1,))
    ctx.storage.copies.add(memory.base)
    ctx.storage.fresh.add(memory.base)
    return Record(memory.base, (n.Const(WEAK_INT, 0),), like.type, like.shape, name="the copy")


def _instance(ctx: Context, record: Record, own: Record | None, node: ast.AST) -> Instance:
    """Return an object with the fields of a record; arrays lie in memory of its own."""
    assert isinstance(record.type, Struct)
    items: list[Value] = []
    for f in record.type.fields:
        value = record.of_field(f).read(ctx, node)
        place = None if own is None else own.of_field(f).read(ctx, node)
        if isinstance(value, Record) and value.shape:
            assert isinstance(place, Record)
            copy_record(ctx, place, value, node)
            items.append(place)
        elif isinstance(value, Record) and value.owner_class() is not None:
            items.append(_instance(ctx, value, place if isinstance(place, Record) else None, node))
        elif isinstance(value, Record):
            items.append(copied(ctx, value, node))
        elif isinstance(value, Vector):
            items.append(replace(value.loaded(ctx), homes=frozenset(), exact=False))
        else:
            items.append(value)
    return Instance(record.owner_class(), tuple(f.name for f in record.type.fields), tuple(items))


def _has_arrays(kind: Struct) -> bool:
    return any(f.shape or (isinstance(f.type, Struct) and _has_arrays(f.type))
               for f in kind.fields)
