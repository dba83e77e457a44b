"""A matrix product on tensor cores: ``joint_matrix``, and tiles that are copied ahead.

``python -m unisycl.examples.gemm [--m M] [--n N] [--k K] [--device D]
[--type bfloat16|tf32|groups|tf32_groups|int8_groups]``

C = A · B, rows after rows, of sizes that tiles divide. A work-group computes a tile of C with eight
sub-groups. Along K it keeps several tiles of A and B in local memory: while the sub-groups multiply
one, the next ones are on their way. Rows of tiles in local memory are 16 bytes longer than they
need be, so that eight rows lie in different banks. With ``groups`` the work-group multiplies as a
whole, which some hardware does faster; of numbers that are not of 16 bits it wants columns of B to
lie together, so ``turn`` puts them so before.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.ext.intel import unroll
from unisycl.ext.oneapi import bfloat16
from unisycl.ext.oneapi.experimental import info
from unisycl.ext.oneapi.experimental import matrix as mx
from unisycl.ext.unisycl.tiles import (
    await_tiles,
    copy_tile,
    end_batch,
    group_product,
    multiply_along,
    store_product,
)

Array = npt.NDArray[Any]


class bf16:
    """The tiles of a product of bfloat16 numbers, added in float32."""

    element: Any = bfloat16
    stored: Any = bfloat16
    rows, cols, depth, step, stages = 128, 256, 32, 16, 4
    tall, wide = 64, 64  # what a sub-group computes
    pitch_a, pitch_b = depth + 8, cols + 8
    size_a, size_b = rows * pitch_a, depth * pitch_b
    room_a, room_b = stages * size_a, stages * size_b


class tf32:
    """The tiles of a product of float32 numbers of which the upper 19 bits count."""

    element: Any = mx.precision.tf32
    stored: Any = np.float32
    rows, cols, depth, step, stages = 128, 128, 32, 8, 4
    tall, wide = 64, 32
    pitch_a, pitch_b = depth + 4, cols + 8
    size_a, size_b = rows * pitch_a, depth * pitch_b
    room_a, room_b = stages * size_a, stages * size_b


class groups:
    """The tiles of a product of bfloat16 numbers that a work-group multiplies as a whole."""

    element: Any = bfloat16
    stored: Any = bfloat16
    rows, cols, depth, stages = 128, 256, 64, 4
    sum: Any = np.float32
    order: Any = mx.layout.row_major


class tf32_groups(groups):
    """Such tiles of tf32 numbers, where columns of B lie together."""

    element: Any = mx.precision.tf32
    stored: Any = np.float32
    depth = 32
    order: Any = mx.layout.col_major


class int8_groups(groups):
    """Such tiles of bytes, which are added as whole numbers."""

    element: Any = np.int8
    stored: Any = np.int8
    depth = 128
    sum: Any = np.int32
    order: Any = mx.layout.col_major


SUB_GROUPS = 8
TOGETHER = 8  # rows of tiles whose work-groups follow one another, so that they share tiles of B


def kernel_of(tile: Any) -> Any:
    """Return the kernel for tiles of a kind."""
    if issubclass(tile, groups):
        return kernel_of_groups(tile)

    def gemm(it: sycl.nd_item, a: Any, b: Any, c: Any, shape: tuple[int, int, int]) -> None:
        m, n, k = shape
        whole, part = it.get_group(), it.get_sub_group()
        down, across = m // tile.rows, n // tile.cols
        band = it.get_group(0) // (TOGETHER * across)
        height = min(TOGETHER, down - band * TOGETHER)
        within = it.get_group(0) - band * TOGETHER * across
        top = (band * TOGETHER + within % height) * tile.rows
        left = within // height * tile.cols

        ours = sycl.ext.oneapi.group_local_memory_for_overwrite((tile.stored, tile.room_a), whole)
        theirs = sycl.ext.oneapi.group_local_memory_for_overwrite((tile.stored, tile.room_b), whole)
        at_a, at_b = sycl.multi_ptr(ours), sycl.multi_ptr(theirs)
        from_a, from_b = sycl.multi_ptr(a) + top * k, sycl.multi_ptr(b) + left

        number = part.get_group_linear_id()
        row = number // (tile.cols // tile.wide) * tile.tall
        column = number % (tile.cols // tile.wide) * tile.wide
        x = mx.joint_matrix(part, tile.element, mx.use.a, tile.tall, tile.step,
                            mx.layout.row_major)
        y = mx.joint_matrix(part, tile.element, mx.use.b, tile.step, tile.wide,
                            mx.layout.row_major)
        total = mx.joint_matrix(part, np.float32, mx.use.accumulator, tile.tall, tile.wide)
        mx.joint_matrix_fill(part, total, 0)

        for s in range(tile.stages - 1):
            if s * tile.depth < k:
                copy_tile(whole, at_a + s * tile.size_a, from_a + s * tile.depth,
                          (tile.rows, tile.depth), (tile.pitch_a, k))
                copy_tile(whole, at_b + s * tile.size_b, from_b + s * tile.depth * n,
                          (tile.depth, tile.cols), (tile.pitch_b, n))
            end_batch()
        stage, free = 0, tile.stages - 1
        for done in range(0, k, tile.depth):
            await_tiles(whole, tile.stages - 2)
            coming = done + (tile.stages - 1) * tile.depth
            if coming < k:
                copy_tile(whole, at_a + free * tile.size_a, from_a + coming,
                          (tile.rows, tile.depth), (tile.pitch_a, k))
                copy_tile(whole, at_b + free * tile.size_b, from_b + coming * n,
                          (tile.depth, tile.cols), (tile.pitch_b, n))
            end_batch()
            first = at_a + (stage * tile.size_a + row * tile.pitch_a)
            second = at_b + (stage * tile.size_b + column)
            for z in unroll(range(0, tile.depth, tile.step)):
                mx.joint_matrix_load(part, x, first + z, tile.pitch_a)
                mx.joint_matrix_load(part, y, second + z * tile.pitch_b, tile.pitch_b)
                mx.joint_matrix_mad(part, total, x, y, total)
            stage = stage + 1 if stage < tile.stages - 1 else 0
            free = free + 1 if free < tile.stages - 1 else 0
        mx.joint_matrix_store(part, total, sycl.multi_ptr(c) + ((top + row) * n + left + column), n,
                              mx.layout.row_major)

    return gemm


def kernel_of_groups(tile: Any) -> Any:
    """Return the kernel in which work-groups multiply as a whole."""
    def gemm(it: sycl.nd_item, a: Any, b: Any, c: Any, shape: tuple[int, int, int]) -> None:
        m, n, k = shape
        whole = it.get_group()
        down, across = m // tile.rows, n // tile.cols
        band = it.get_group(0) // (TOGETHER * across)
        height = min(TOGETHER, down - band * TOGETHER)
        within = it.get_group(0) - band * TOGETHER * across
        top = (band * TOGETHER + within % height) * tile.rows
        left = within // height * tile.cols
        columns = tile.order is mx.layout.col_major
        from_a = sycl.multi_ptr(a) + top * k
        from_b = sycl.multi_ptr(b) + (left * k if columns else left)
        product = group_product(whole, tile, tile.order)
        multiply_along(whole, product, from_a, from_b, (k, k if columns else n), k)
        store_product(whole, product, sycl.multi_ptr(c) + (top * n + left), n)

    return gemm


def turn(queue: sycl.queue, b: Any, columns: Any, k: int, n: int) -> sycl.event:
    """Write the columns of B one after another; B has k rows and n columns, multiples of 32."""
    def turned(it: sycl.nd_item, b: Any, columns: Any, k: int, n: int) -> None:
        square = sycl.ext.oneapi.group_local_memory_for_overwrite((b.dtype, (32, 33)),
                                                                  it.get_group())
        y, x = it.get_local_id(0), it.get_local_id(1)
        top, left = 32 * it.get_group(0), 32 * it.get_group(1)
        for j in range(0, 32, 8):
            square[y + j, x] = b[(top + y + j) * n + left + x]
        sycl.group_barrier(it.get_group())
        for j in range(0, 32, 8):
            columns[(left + y + j) * k + top + x] = square[x, y + j]

    index = sycl.nd_range((k // 4, n), (8, 32))
    done: sycl.event = queue.parallel_for(index, turned, b, columns, k, n)
    return done


def launch(queue: sycl.queue, tile: Any, kernel: Any, a: Any, b: Any, c: Any, *,
           shape: tuple[int, int, int]) -> sycl.event:
    """Multiply what lies in USM memory, or in buffers' memory as pointers."""
    m, n, k = shape
    if m % tile.rows or n % tile.cols or k % tile.depth:
        raise ValueError(f"{shape} is not made of tiles of {tile.rows}, {tile.cols} and "
                         f"{tile.depth}")
    items = SUB_GROUPS * queue.get_device().get_info(
        info.device.ext_unisycl_matrix_sub_group_size)
    groups = (m // tile.rows) * (n // tile.cols)
    index = sycl.nd_range((groups * items,), (items,))
    done: sycl.event = queue.parallel_for(index, kernel, a, b, c, shape)
    return done


def main(arguments: Sequence[str] | None = None) -> None:
    """Multiply random matrices, compare some rows with NumPy, and tell how long it took."""
    parser = argparse.ArgumentParser(prog="python -m unisycl.examples.gemm")
    for name, size in (("m", 256), ("n", 256), ("k", 128), ("times", 3)):
        parser.add_argument(f"--{name}", type=int, default=size)
    kinds: dict[str, Any] = {"bfloat16": bf16, "tf32": tf32, "groups": groups,
                             "tf32_groups": tf32_groups, "int8_groups": int8_groups}
    parser.add_argument("--type", choices=tuple(kinds), default="bfloat16")
    parser.add_argument("--device", default="")
    given = parser.parse_args(arguments)
    tile = kinds[given.type]
    queue = sycl.queue(sycl.device(given.device)) if given.device else sycl.queue()
    shape = given.m, given.n, given.k
    rng = np.random.default_rng(1)
    scale = 40 if tile is int8_groups else 1
    x = (scale * rng.standard_normal((given.m, given.k), np.float32)).astype(tile.stored)
    y = (scale * rng.standard_normal((given.k, given.n), np.float32)).astype(tile.stored)
    a, b, columns = (sycl.malloc_device(z.size, z.dtype, queue) for z in (x, y, y))
    sums = getattr(tile, "sum", np.float32)
    c = sycl.malloc_device(given.m * given.n, sums, queue)
    queue.memcpy(a, x.reshape(-1))
    queue.memcpy(b, y.reshape(-1)).wait()
    queue.wait()
    kernel, best = kernel_of(tile), float("inf")
    for _ in range(given.times):
        start = time.perf_counter()
        if getattr(tile, "order", None) is mx.layout.col_major:
            turn(queue, b, columns, given.k, given.n).wait()
            launch(queue, tile, kernel, a, columns, c, shape=shape).wait()
        else:
            launch(queue, tile, kernel, a, b, c, shape=shape).wait()
        best = min(best, time.perf_counter() - start)
    found = np.empty((given.m, given.n), sums)
    queue.memcpy(found.reshape(-1), c).wait()
    some = x[::97].astype(np.float64) @ y.astype(np.float64)
    worst = float(np.abs(found[::97] - some).max())
    print(f"{given.m} x {given.n} x {given.k}, {given.type}: {best * 1e3:.3f} ms, "
          f"{2 * given.m * given.n * given.k / best / 1e12:.3f} TFLOP/s; "
          f"largest difference from NumPy {worst:.2e}")


if __name__ == "__main__":
    main()
