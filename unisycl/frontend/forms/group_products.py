"""Products of work-groups: the hardware's where it has them, else our own functions.

Non-goals: what they are (``lang.library.group_products``). Invariant: a kernel with one has asked
its device what it has for matrices.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from unisycl.base import architecture, dtypes
from unisycl.base.enums import address_space, memory_scope
from unisycl.base.errors import UsageError
from unisycl.base.matrices import layout, matrix_type, unit_of
from unisycl.frontend.context import Context
from unisycl.frontend.form_registry import form
from unisycl.frontend.forms.arrays import declared, filled, group_memory
from unisycl.frontend.parameters import parameters
from unisycl.frontend.values import pointers
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.group_products import GroupProduct
from unisycl.frontend.values.hardware_calls import call, start
from unisycl.frontend.values.items import Item
from unisycl.frontend.values.kind import Value, describe
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.tuples import Several
from unisycl.ir import nodes as n
from unisycl.ir.types import Scalar, element_type
from unisycl.lang.library import group_products as library
from unisycl.lang.memory import joint_matrix as own

_WIDE = 256
_LINE = 1024
_HALVES = (matrix_type.bf16, matrix_type.fp16)
_SHORT = (*_HALVES, matrix_type.tf32, matrix_type.sint8, matrix_type.uint8, matrix_type.e4m3,
          matrix_type.e5m2)
_LAYOUTS = (layout.row_major, layout.col_major)


def _own(ctx: Context, name: str, args: list[Value], node: ast.AST) -> Value:
    return ctx.call(ctx, Constant(getattr(library, name), (("library", name),)), args, node)


@form(library.group_product)
def make(ctx: Context, node: ast.Call) -> Value:
    """Lower ``group_product(group, tile, b_layout)``."""
    found = parameters(ctx, node, "group_product", ("group", "tile"), ("b_layout",))
    group, tile = found["group"], found["tile"]
    if ctx.shape.kind != "nd_range":
        raise ctx.refuse("K050", node, what="'group_product'")
    if not isinstance(group, Item) or group.kind != "group":
        raise ctx.refuse("K049", node, found=describe(group), expected="a group",
                         help="pass it.get_group()")
    if not isinstance(tile, Constant) or not isinstance(tile.object, type):
        raise ctx.refuse("K049", node, found=describe(tile), expected="a class of constants",
                         help="with element, rows, cols and stages")
    rows, cols, stages = (_constant(ctx, tile, name, node) for name in ("rows", "cols", "stages"))
    element = getattr(tile.object, "element", None)
    try:
        kind = own.kind_of(element)
    except UsageError:
        kind = matrix_type.fp32
    if kind not in _SHORT or rows % 64 or cols % 64:
        raise ctx.refuse("K054", node, what="a group_product has elements of 8 or 16 bits or tf32, "
                         "and rows and columns in multiples of 64", help="")
    order = _layout(ctx, found.get("b_layout"), node)
    ctx.guard((*tile.path, ("attr", "element")), element)
    unit = unit_of(ctx.target)
    ctx.needs.asked[unit] = architecture.fits(ctx.target, unit)
    items = math.prod(ctx.shape.local)
    if items * 4096 != rows * cols * (ctx.shape.sub_group or unit.sub_group):
        raise ctx.refuse("K054", node, what=f"a group_product of {rows} x {cols} takes work-groups "
                         f"of {rows * cols // 4096} sub-groups", help=f"of "
                         f"{ctx.shape.sub_group or unit.sub_group} work-items each")
    turned = order is layout.col_major
    if not (unit.wide and cols == _WIDE and (turned or kind in _HALVES)):
        return _own(ctx, "group_product", [group, tile, Constant(order)], node)
    ctx.needs.sub_group = unit.sub_group
    memory = group_memory(ctx, Scalar(dtypes.UINT8),
                          (2 * _LINE + stages * library.LINE * (rows + cols),))
    whole = kind in (matrix_type.sint8, matrix_type.uint8)
    elem = Scalar(dtypes.INT32 if whole else dtypes.FLOAT32)
    cells = declared(ctx, elem, (rows * cols // items,))
    filled(ctx, cells, n.Const(elem, 0 if whole else 0.0))
    return GroupProduct(kind, rows, stages, turned, memory, cells)


@form(library.plan_of)
def plan(ctx: Context, node: ast.Call) -> Value:
    """Lower ``plan_of(tile, b_layout)`` of a product, whose tile and layout have been looked at."""
    tile, order = ctx.operands(*node.args)
    assert isinstance(tile, Constant)
    assert isinstance(order, Constant)
    return Constant(library.plan_of(tile.object, order.object),
                    (("library", "group_product"), ("argument", "plan")))


def _layout(ctx: Context, given: Value | None, node: ast.AST) -> layout:
    if given is None:
        return layout.row_major
    if not isinstance(given, Constant) or given.object not in _LAYOUTS:
        raise ctx.refuse("K049", node, found=describe(given), expected="a layout of B",
                         help="write layout.row_major or layout.col_major")
    found: layout = given.settled(ctx)
    return found


def _constant(ctx: Context, tile: Constant, name: str, node: ast.AST) -> int:
    found = getattr(tile.object, name, None)
    if type(found) is not int or found < 1:
        raise ctx.refuse("K046", node, what=f"'{name}' of the tile of a group_product")
    ctx.capture((*tile.path, ("attr", name)), found, name, node, frozen=True)
    return found


_Hardware = Callable[[Context, GroupProduct, dict[str, Value], ast.AST], None]


def _function(name: str, required: tuple[str, ...],
              hardware: _Hardware) -> Callable[[Context, ast.Call], Value]:
    """Make the lowering of a function of a product."""
    def lower(ctx: Context, node: ast.Call) -> Value:
        found = parameters(ctx, node, name, required)
        p = found["p"]
        if not isinstance(p, GroupProduct):
            return _own(ctx, name, [found[x] for x in required], node)
        hardware(ctx, p, found, node)
        return Nothing()
    return lower


def _number(ctx: Context, value: Value, node: ast.AST) -> n.Expr:
    return ctx.hold(ctx.exactly(value, node))


def _memory(ctx: Context, value: Value, kind: object, node: ast.AST) -> Memory:
    found = pointers.point(ctx, ctx.of(value).decayed(ctx), None, node)
    if found.view.elem != kind or found.view.space is not address_space.global_space:
        raise ctx.refuse("K049", node, found=describe(found),
                         expected=f"global memory of {kind}", help="")
    return found


def _sources(ctx: Context, p: GroupProduct, found: dict[str, Value], node: ast.AST) -> tuple[
        tuple[n.Expr, ...], tuple[n.Expr, ...]]:
    """Return where the stages, A and B begin, and the strides of A and B."""
    elem = element_type(own.stored_type(p.kind))
    strides = found["strides"]
    if not isinstance(strides, Several) or len(strides.items) != 2:
        raise ctx.refuse("K049", node, found=describe(strides), expected="a tuple of two numbers",
                         help="write (stride of A, stride of B)")
    memories = tuple(start(ctx, m, node) for m in (
        p.memory, _memory(ctx, found["a"], elem, node), _memory(ctx, found["b"], elem, node)))
    return memories, tuple(_number(ctx, x, node) for x in strides.items)


def _load(ctx: Context, p: GroupProduct, found: dict[str, Value], node: ast.AST) -> None:
    memories, strides = _sources(ctx, p, found, node)
    call(ctx, f"product_load_{p.suffix}", memories,
         (_number(ctx, found["stage"], node), *strides), node)


def _along(ctx: Context, p: GroupProduct, found: dict[str, Value], node: ast.AST) -> None:
    ctx.converge(node, "multiply_along")
    memories, strides = _sources(ctx, p, found, node)
    depth = _number(ctx, found["depth"], node)
    meeting = n.Barrier(memory_scope.work_group, span=ctx.span(node))
    ctx.emit(meeting)
    call(ctx, f"product_along_{p.suffix}",
         (start(ctx, p.cells, node), *memories), (*strides, depth), node)
    ctx.emit(meeting)


def _multiply(ctx: Context, p: GroupProduct, found: dict[str, Value], node: ast.AST) -> None:
    ctx.converge(node, "multiply_stage")
    call(ctx, f"product_mad_{p.suffix}",
         (start(ctx, p.cells, node), start(ctx, p.memory, node)),
         (_number(ctx, found["stage"], node),), node)


def _finish(ctx: Context, p: GroupProduct, found: dict[str, Value], node: ast.AST) -> None:
    ctx.converge(node, "finish_stage")
    call(ctx, "product_finish", (), (), node)


def _await(ctx: Context, p: GroupProduct, found: dict[str, Value], node: ast.AST) -> None:
    known = ctx.constant(found["pending"])
    if known is None or not known.type.dtype.is_integer or known.value < 0:
        raise ctx.refuse("K046", node, what="how many batches 'await_stages' leaves under way")
    ctx.converge(node, "await_stages")
    call(ctx, f"product_wait_{known.value}", (), (), node)
    ctx.emit(n.Barrier(memory_scope.work_group, span=ctx.span(node)))


def _store(ctx: Context, p: GroupProduct, found: dict[str, Value], node: ast.AST) -> None:
    ctx.converge(node, "store_product")
    elem = p.cells.view.elem
    target = _memory(ctx, found["target"], elem, node)
    if not target.view.mode.writes:
        raise ctx.refuse("K039", node, name=target.name)
    sums = "int" if elem == Scalar(dtypes.INT32) else "float"
    call(ctx, f"product_store_{sums}", (start(ctx, p.cells, node), start(ctx, target, node)),
         (_number(ctx, found["stride"], node),), node)


form(library.load_stage)(_function(
    "load_stage", ("group", "p", "stage", "a", "b", "strides"), _load))
form(library.multiply_along)(_function(
    "multiply_along", ("group", "p", "a", "b", "strides", "depth"), _along))
form(library.multiply_stage)(_function("multiply_stage", ("group", "p", "stage"), _multiply))
form(library.finish_stage)(_function("finish_stage", ("group", "p"), _finish))
form(library.await_stages)(_function("await_stages", ("group", "p", "pending"), _await))
form(library.store_product)(_function(
    "store_product", ("group", "p", "target", "stride"), _store))
