"""Products of tiles by a whole work-group, which some hardware does faster than sub-groups can.

A ``group_product`` is a sum of ``rows`` x ``cols`` numbers, and stages of local memory with tiles
of A and B of a depth of 64. Written in the kernel language by matrices of sub-groups; where the
hardware multiplies for a work-group, tiles lie as it wants them. Non-goals: other depths.
Invariants: all work-items of the group call together; the group has a sub-group for each 64 x 64
numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.base.matrices import layout, use
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
from unisycl.lang.memory.joint_matrix import joint_matrix
from unisycl.lang.memory.pointer import multi_ptr

__kernel_language__ = True
DEPTH = 64


@dataclass(eq=False)
class product:
    """A product of a work-group, where sub-groups multiply."""

    tile: Any
    ours: Any
    theirs: Any
    x: Any
    y: Any
    total: Any


def group_product(group: Any, tile: Any) -> Any:
    """Return a product of a work-group, zero at first.

    Args:
        group: the work-group.
        tile: a class of constants: ``element`` is bfloat16 or float16, ``rows`` and ``cols`` are
            multiples of 64, ``stages`` says how many tiles of A and of B there is room for.
    """
    part = this_sub_group()
    ours = group_local_memory_for_overwrite((tile.element, tile.stages * tile.rows * 72), group)
    theirs = group_local_memory_for_overwrite(
        (tile.element, tile.stages * 64 * (tile.cols + 8)), group)
    x = joint_matrix(part, tile.element, use.a, 64, 16, layout.row_major)
    y = joint_matrix(part, tile.element, use.b, 16, 64, layout.row_major)
    total = joint_matrix(part, np.float32, use.accumulator, 64, 64)
    joint_matrix_fill(part, total, 0)
    return product(tile, ours, theirs, x, y, total)


def load_stage(group: Any, p: Any, stage: Any, a: Any, b: Any, strides: Any) -> None:
    """Begin to copy a tile of A and one of B, row after row, to a stage.

    Args:
        group: the work-group; p: the product.
        stage: which of the stages is written.
        a, b: where the tiles begin in global memory.
        strides: how many elements lie between the beginnings of two rows, of A and of B.
    """
    first, second = strides
    copy_tile(group, multi_ptr(p.ours) + stage * (p.tile.rows * 72), a, (p.tile.rows, 64),
              (72, first))
    copy_tile(group, multi_ptr(p.theirs) + stage * (64 * (p.tile.cols + 8)), b,
              (64, p.tile.cols), (p.tile.cols + 8, second))


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
    number = part.get_group_linear_id()
    row, column = number // (p.tile.cols // 64) * 64, number % (p.tile.cols // 64) * 64
    for z in range(0, 64, 16):
        joint_matrix_load(part, p.x, multi_ptr(p.ours) + (
            stage * (p.tile.rows * 72) + row * 72 + z), 72)
        joint_matrix_load(part, p.y, multi_ptr(p.theirs) + (
            stage * (64 * (p.tile.cols + 8)) + z * (p.tile.cols + 8) + column), p.tile.cols + 8)
        joint_matrix_mad(part, p.total, p.x, p.y, p.total)


def multiply_along(group: Any, p: Any, a: Any, b: Any, strides: Any, depth: Any) -> None:
    """Add the product of rows of A and columns of B along a depth, which copies tiles ahead.

    Args:
        group: the work-group; p: the product, whose stages are free: no stage is under way.
        a, b: where the rows of A and the columns of B begin in global memory.
        strides: how many elements lie between the beginnings of two rows, of A and of B.
        depth: how many columns of A and rows of B there are; any number.

    The work-group meets before and behind it.
    """
    _, second = strides
    whole = depth // DEPTH
    ahead = p.tile.stages - 1
    group_barrier(group)
    for s in range(ahead):
        if s < whole:
            load_stage(group, p, s, a + s * DEPTH, b + s * DEPTH * second, strides)
        end_batch()
    for t in range(whole):
        if ahead == 0:
            load_stage(group, p, 0, a + t * DEPTH, b + t * DEPTH * second, strides)
            end_batch()
            await_tiles(group, 0)
        else:
            await_tiles(group, ahead - 1)
        multiply_stage(group, p, t % p.tile.stages)
        coming = t + ahead
        if ahead > 0 and coming < whole:
            load_stage(group, p, coming % p.tile.stages, a + coming * DEPTH,
                       b + coming * DEPTH * second, strides)
        finish_stage(group, p)
        if ahead == 0:
            group_barrier(group)
    if depth > whole * DEPTH:
        await_tiles(group, 0)
        load_rest(group, p, a + whole * DEPTH, b + whole * DEPTH * second, strides,
                  depth - whole * DEPTH)
        group_barrier(group)
        multiply_stage(group, p, 0)
    group_barrier(group)


def load_rest(group: Any, p: Any, a: Any, b: Any, strides: Any, depth: Any) -> None:
    """Copy the last tiles of A and B to the first stage, with zeros beyond their depth."""
    first, second = strides
    cols = p.tile.cols
    zero = p.tile.element(0)
    for k in range(group.get_local_linear_id(), p.tile.rows * DEPTH, group_size(group)):
        row, column = k // DEPTH, k % DEPTH
        p.ours[row * 72 + column] = a[row * first + column] if column < depth else zero
    for k in range(group.get_local_linear_id(), DEPTH * cols, group_size(group)):
        row, column = k // cols, k % cols
        p.theirs[row * (cols + 8) + column] = b[row * second + column] if row < depth else zero


def store_product(group: Any, p: Any, target: Any, stride: Any) -> None:
    """Store the numbers to memory of float32, row after row.

    Args:
        group: the work-group; p: the product.
        target: where they begin; stride: how many elements lie between the beginnings of two rows.
    """
    part = this_sub_group()
    number = part.get_group_linear_id()
    row, column = number // (p.tile.cols // 64) * 64, number % (p.tile.cols // 64) * 64
    joint_matrix_store(part, p.total, multi_ptr(target) + (row * stride + column), stride,
                       layout.row_major)
