"""Copies of tiles: by hardware where the device has some, else by our own functions.

Non-goals: what they are (``lang.library.tiles``). Invariant: a kernel that copies by hardware has
asked its device for it.
"""

from __future__ import annotations

import ast
import math

from unisycl.base import architecture
from unisycl.base.enums import address_space, memory_scope
from unisycl.base.matrices import unit_of
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.parameters import parameters
from unisycl.frontend.values import pointers
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.hardware_calls import call, start
from unisycl.frontend.values.items import Item
from unisycl.frontend.values.kind import Value, describe
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar
from unisycl.lang.library import tiles

_CHUNK = 16


def _by_hardware(ctx: Context) -> bool:
    found = unit_of(ctx.target)
    ctx.needs.asked[found] = architecture.fits(ctx.target, found)
    return found.copies


def _group(ctx: Context, value: Value, node: ast.AST, what: str) -> None:
    if ctx.shape.kind != "nd_range":
        raise ctx.refuse("K050", node, what=f"'{what}'")
    if not isinstance(value, Item) or value.kind != "group":
        raise ctx.refuse("K049", node, found=describe(value), expected="a group",
                         help="pass it.get_group()")


@form(tiles.copy_tile)
def copy_tile(ctx: Context, node: ast.Call) -> Value:
    """Lower ``copy_tile(group, target, source, shape, strides)``."""
    found = parameters(ctx, node, "copy_tile", ("group", "target", "source", "shape", "strides"))
    _group(ctx, found["group"], node, "copy_tile")
    target, source = (_memory(ctx, found[name], node) for name in ("target", "source"))
    if target.view.space is not address_space.local_space \
            or source.view.space is not address_space.global_space:
        raise ctx.refuse("K054", node, what="copy_tile copies from global to local memory",
                         help="write results in a loop")
    if target.view.elem != source.view.elem or not isinstance(target.view.elem, Scalar):
        raise ctx.refuse("K049", node, found=describe(source),
                         expected=f"memory of {target.view.elem}", help="")
    rows, cols = (_constant(ctx, x, node) for x in _pair(ctx, found["shape"], node))
    strides = [ctx.hold(ctx.exactly(x, node)) for x in _pair(ctx, found["strides"], node)]
    size = target.view.elem.dtype.size
    if _by_hardware(ctx) and cols * size % _CHUNK == 0:
        items = math.prod(ctx.shape.local)
        known = ctx.constant(_pair(ctx, found["strides"], node)[0])
        call(ctx, f"tile_copy_{size}_{rows}_{cols}_{items}",
             (start(ctx, target, node), start(ctx, source, node)),
             (strides[0] if known is None else known, strides[1]), node)
        return Nothing()
    function = Constant(tiles.copy_tile, (("library", "copy_tile"),))
    shape = Several((n.Const(strides[0].type, rows), n.Const(strides[0].type, cols)))
    return ctx.call(ctx, function, [found["group"], target, source, shape,
                                    Several(tuple(strides))], node)


def _memory(ctx: Context, value: Value, node: ast.AST) -> Memory:
    return pointers.point(ctx, ctx.of(value).decayed(ctx), None, node)


def _pair(ctx: Context, value: Value, node: ast.AST) -> tuple[Value, ...]:
    if isinstance(value, Several) and len(value.items) == 2:
        return value.items
    raise ctx.refuse("K049", node, found=describe(value), expected="a tuple of two numbers",
                     help="write (rows, columns)")


def _constant(ctx: Context, value: Value, node: ast.AST) -> int:
    known = ctx.constant(value)
    if known is None or not known.type.dtype.is_integer or known.value < 1:
        raise ctx.refuse("K046", node, what="the shape of a tile")
    return int(known.value)


@form(tiles.end_batch)
def end_batch(ctx: Context, node: ast.Call) -> Value:
    """Lower ``end_batch()``."""
    parameters(ctx, node, "end_batch", ())
    if _by_hardware(ctx):
        call(ctx, "tile_batch", (), (), node)
    return Nothing()


@form(tiles.await_tiles)
def await_tiles(ctx: Context, node: ast.Call) -> Value:
    """Lower ``await_tiles(group, pending)``: copies that are under way, then a barrier."""
    found = parameters(ctx, node, "await_tiles", ("group",), ("pending",))
    _group(ctx, found["group"], node, "await_tiles")
    known = ctx.constant(found["pending"]) if "pending" in found else None
    if "pending" in found and (known is None or not known.type.dtype.is_integer
                               or known.value < 0):
        raise ctx.refuse("K046", node, what="how many batches 'await_tiles' leaves under way")
    if not _by_hardware(ctx):
        function = Constant(tiles.await_tiles, (("library", "await_tiles"),))
        return ctx.call(ctx, function, [found["group"]], node)
    ctx.converge(node, "await_tiles")
    call(ctx, f"tile_wait_{0 if known is None else known.value}", (), (), node)
    ctx.emit(n.Barrier(memory_scope.work_group, span=ctx.span(node)))
    return Nothing()
