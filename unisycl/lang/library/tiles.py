"""Tiles of matrices that a work-group copies to local memory while it computes with others.

``copy_tile`` begins a copy, ``end_batch`` closes a batch of them, ``await_tiles`` waits until all
but the latest batches are there. Written in the kernel language: where no hardware copies beside
the work-items, they copy at once. Non-goals: other shapes than rows of a matrix. Invariants: all
work-items of the group call ``copy_tile`` with the same arguments, and ``await_tiles`` together;
a tile is read behind an ``await_tiles`` that waited for it.
"""

from __future__ import annotations

from typing import Any

from unisycl.lang.groups.group_functions import group_barrier, group_size

__kernel_language__ = True


def copy_tile(group: Any, target: Any, source: Any, shape: Any, strides: Any) -> None:
    """Begin to copy rows of a matrix from global to local memory.

    Args:
        group: the work-group.
        target: where the tile begins in local memory; source: where in global memory.
        shape: how many rows and columns it has, as constants.
        strides: how many elements lie between the beginnings of two rows, there and in the source.

    Rows of a multiple of 16 bytes that begin at such in both memories are copied by hardware where
    there is some.
    """
    rows, cols = shape
    there, here = strides
    for k in range(group.get_local_linear_id(), rows * cols, group_size(group)):
        row, column = k // cols, k % cols
        target[row * there + column] = source[row * here + column]


def end_batch() -> None:
    """End a batch of copies: those that the work-item began behind the end of the last one."""


def await_tiles(group: Any, pending: int = 0) -> None:
    """Wait until the work-group's tiles are there, and for the work-items to meet.

    Args:
        group: the work-group.
        pending: how many of the latest batches may be under way still; a constant.
    """
    group_barrier(group)
