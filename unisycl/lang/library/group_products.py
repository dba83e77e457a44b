"""Products of tiles by a whole work-group, which some hardware does faster than sub-groups can.

A ``group_product`` is a sum of ``rows`` x ``cols`` numbers, and stages of local memory with tiles
of A and B of a depth of 128 bytes. Written in the kernel language by matrices of sub-groups; where
the hardware multiplies for a work-group, tiles lie as it wants them. Non-goals: other depths.
Invariants: all work-items of the group call together; the group has a sub-group for each 64 x 64
numbers.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from unisycl.base.matrices import layout, matrix_type, tf32, use
from unisycl.lang.groups.group_functions import (
    group_barrier,
    group_local_memory_for_overwrite,
    group_size,
)
from unisycl.lang.index.this import this_sub_group
from unisycl.lang.library.joint_matrices import (
    joint_matrix_fill,
    joint_matrix_load,
    joint_matrix_mad,
    joint_matrix_store,
)
from unisycl.lang.library.tiles import await_tiles, copy_tile, end_batch
from unisycl.lang.memory.joint_matrix import joint_matrix, kind_of, stored_type, wide_type
from unisycl.lang.memory.pointer import multi_ptr

__kernel_language__ = True
LINE = 128
"""How many bytes a row of a tile has."""


@dataclass(eq=False)
class product:
    """A product of a work-group, where sub-groups multiply."""

    plan: Any
    ours: Any
    theirs: Any
    x: Any
    y: Any
    total: Any


def plan_of(tile: Any, b_layout: Any) -> Any:
    """Return a class of constants: what follows from a tile and the layout of B."""
    return _plan(kind_of(tile.element), tile.rows, tile.cols, tile.stages, b_layout)


@functools.cache
def _plan(kind: matrix_type, rows: int, cols: int, stages: int, order: layout) -> type:
    stored = stored_type(kind)
    size = stored.itemsize
    depth, beyond = LINE // size, 16 // size
    turned = order is layout.col_major
    return type("plan", (), {
        "element": tf32 if kind is matrix_type.tf32 else stored.type, "stored": stored.type,
        "sum": wide_type(kind), "rows": rows, "cols": cols, "stages": stages, "layout": order,
        "turned": turned, "depth": depth, "step": 32 // size, "pitch": depth + beyond,
        "lines": cols if turned else depth, "width": depth if turned else cols,
        "other_pitch": (depth if turned else cols) + beyond})


def group_product(group: Any, tile: Any, b_layout: Any = layout.row_major) -> Any:
    """Return a product of a work-group, zero at first.

    Args:
        group: the work-group.
        tile: a class of constants: ``element`` is a type of elements of matrices that is added in
            float32 or int32, ``rows`` and ``cols`` are multiples of 64, ``stages`` says how many
            tiles of A and of B there is room for.
        b_layout: whether rows or columns of B lie together; a constant.
    """
    plan = plan_of(tile, b_layout)
    part = this_sub_group()
    ours = group_local_memory_for_overwrite(
        (plan.stored, plan.stages * plan.rows * plan.pitch), group)
    theirs = group_local_memory_for_overwrite(
        (plan.stored, plan.stages * plan.lines * plan.other_pitch), group)
    x = joint_matrix(part, plan.element, use.a, 64, plan.step, layout.row_major)
    y = joint_matrix(part, plan.element, use.b, plan.step, 64, plan.layout)
    total = joint_matrix(part, plan.sum, use.accumulator, 64, 64)
    joint_matrix_fill(part, total, 0)
    return product(plan, ours, theirs, x, y, total)


def load_stage(group: Any, p: Any, stage: Any, a: Any, b: Any, strides: Any) -> None:
    """Begin to copy a tile of A and one of B to a stage.

    Args:
        group: the work-group; p: the product.
        stage: which of the stages is written.
        a, b: where the tiles begin in global memory.
        strides: how many elements lie between the beginnings of two rows of A, and of two rows or
            columns of B.
    """
    first, second = strides
    plan = p.plan
    copy_tile(group, multi_ptr(p.ours) + stage * (plan.rows * plan.pitch), a,
              (plan.rows, plan.depth), (plan.pitch, first))
    copy_tile(group, multi_ptr(p.theirs) + stage * (plan.lines * plan.other_pitch), b,
              (plan.lines, plan.width), (plan.other_pitch, second))


def finish_stage(group: Any, p: Any) -> None:
    """End a batch of copies, and wait for the product that ``multiply_stage`` began."""
    end_batch()


def await_stages(group: Any, p: Any, pending: int) -> None:
    """Wait until all batches of copies but the latest are there, and for the work-items to meet.

    Args:
        group: the work-group; p: the product.
        pending: how many batches may be under way still; a constant.
    """
    await_tiles(group, pending)


def multiply_stage(group: Any, p: Any, stage: Any) -> None:
    """Begin to add the product of the tiles of a stage; ``finish_stage`` waits for it."""
    part = this_sub_group()
    plan = p.plan
    number = part.get_group_linear_id()
    row, column = number // (plan.cols // 64) * 64, number % (plan.cols // 64) * 64
    first = multi_ptr(p.ours) + (stage * (plan.rows * plan.pitch) + row * plan.pitch)
    second = multi_ptr(p.theirs) + stage * (plan.lines * plan.other_pitch)
    for z in range(0, plan.depth, plan.step):
        joint_matrix_load(part, p.x, first + z, plan.pitch)
        joint_matrix_load(part, p.y, second + (
            column * plan.other_pitch + z if plan.turned else z * plan.other_pitch + column),
            plan.other_pitch)
        joint_matrix_mad(part, p.total, p.x, p.y, p.total)


def multiply_along(group: Any, p: Any, a: Any, b: Any, strides: Any, depth: Any) -> None:
    """Add the product of rows of A and columns of B along a depth, which copies tiles ahead.

    Args:
        group: the work-group; p: the product, whose stages are free: no stage is under way.
        a, b: where the rows of A and the columns of B begin in global memory.
        strides: how many elements lie between the beginnings of two rows of A, and of two rows or
            columns of B.
        depth: how many columns of A and rows of B there are; any number.

    The work-group meets before and behind it.
    """
    _, second = strides
    plan = p.plan
    each = plan.depth
    step = each if plan.turned else each * second
    whole = depth // each
    ahead = plan.stages - 1
    group_barrier(group)
    for s in range(ahead):
        if s < whole:
            load_stage(group, p, s, a + s * each, b + s * step, strides)
        end_batch()
    for t in range(whole):
        if ahead == 0:
            load_stage(group, p, 0, a + t * each, b + t * step, strides)
            end_batch()
            await_tiles(group, 0)
        else:
            await_tiles(group, ahead - 1)
        multiply_stage(group, p, t % plan.stages)
        coming = t + ahead
        if ahead > 0 and coming < whole:
            load_stage(group, p, coming % plan.stages, a + coming * each, b + coming * step,
                       strides)
        finish_stage(group, p)
        if ahead == 0:
            group_barrier(group)
    if depth > whole * each:
        await_tiles(group, 0)
        load_rest(group, p, a + whole * each, b + whole * step, strides, depth - whole * each)
        group_barrier(group)
        multiply_stage(group, p, 0)
    group_barrier(group)


def load_rest(group: Any, p: Any, a: Any, b: Any, strides: Any, depth: Any) -> None:
    """Copy the last tiles of A and B to the first stage, with zeros beyond their depth."""
    first, second = strides
    plan = p.plan
    zero = plan.stored(0)
    for k in range(group.get_local_linear_id(), plan.rows * plan.depth, group_size(group)):
        row, column = k // plan.depth, k % plan.depth
        p.ours[row * plan.pitch + column] = a[row * first + column] if column < depth else zero
    for k in range(group.get_local_linear_id(), plan.lines * plan.width, group_size(group)):
        row, column = k // plan.width, k % plan.width
        there = column < depth if plan.turned else row < depth
        p.theirs[row * plan.other_pitch + column] = b[row * second + column] if there else zero


def store_product(group: Any, p: Any, target: Any, stride: Any) -> None:
    """Store the numbers to memory of float32, of int32 those of integers, row after row.

    Args:
        group: the work-group; p: the product.
        target: where they begin; stride: how many elements lie between the beginnings of two rows.
    """
    part = this_sub_group()
    number = part.get_group_linear_id()
    row, column = number // (p.plan.cols // 64) * 64, number % (p.plan.cols // 64) * 64
    joint_matrix_store(part, p.total, multi_ptr(target) + (row * stride + column), stride,
                       layout.row_major)
