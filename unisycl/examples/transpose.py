"""A matrix transposed: element by element, and by tiles that keep both sides contiguous.

``python -m unisycl.examples.transpose [--rows R] [--columns C] [--device D]``

The naive kernel reads along rows and writes along columns: neighbouring work-items write far
apart. The tiled one turns a square in local memory, so that both sides are runs of neighbours. Its
rows are one element longer than the square: else a column would lie in one bank of a GPU's local
memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.examples.comparison import Comparison, at_least, command_line, pick_size, rounded_up

Array = npt.NDArray[Any]
SIDE = 16


def naive(queue: sycl.queue, matrix: Array) -> Array:
    """One element a work-item."""
    rows, columns = matrix.shape
    result = np.empty((columns, rows), matrix.dtype)
    with sycl.buffer(matrix) as source, sycl.buffer(result) as target:
        @queue.submit
        def transpose(h: sycl.handler) -> None:
            x = sycl.accessor(source, h, sycl.read_only)
            out = sycl.accessor(target, h, sycl.write_only, sycl.no_init)

            @h.parallel_for((rows, columns))
            def naive_kernel(it: sycl.item) -> None:
                out[it[1], it[0]] = x[it]
    return result


def tiled(queue: sycl.queue, matrix: Array, padding: int = 1) -> Array:
    """One square a work-group, through local memory."""
    rows, columns = matrix.shape
    result = np.empty((columns, rows), matrix.dtype)
    space = sycl.nd_range((rounded_up(rows, SIDE), rounded_up(columns, SIDE)), (SIDE, SIDE))
    with sycl.buffer(matrix) as source, sycl.buffer(result) as target:
        @queue.submit
        def transpose(h: sycl.handler) -> None:
            x = sycl.accessor(source, h, sycl.read_only)
            out = sycl.accessor(target, h, sycl.write_only, sycl.no_init)
            tile = sycl.local_accessor(matrix.dtype, (SIDE, SIDE + padding), h)

            @h.parallel_for(space)
            def tiled_kernel(it: sycl.nd_item) -> None:
                y, x0 = it.get_local_id(0), it.get_local_id(1)
                row, column = it.get_global_id(0), it.get_global_id(1)
                if row < rows and column < columns:
                    tile[y, x0] = x[row, column]
                sycl.group_barrier(it.get_group())
                # The group's square lies at (group 1, group 0) of the result.
                row = it.get_group(1) * SIDE + y
                column = it.get_group(0) * SIDE + x0
                if row < columns and column < rows:
                    out[row, column] = tile[x0, y]
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example from the command line."""
    parser = command_line("transpose", "Transposes a matrix in two ways.")
    parser.add_argument("--rows", type=int, help="default 2000, on the host device 40")
    parser.add_argument("--columns", type=int, help="default 3000, on the host device 60")
    options = parser.parse_args(arguments)
    compare = Comparison(options.device)
    queue = compare.queue
    rows = pick_size(queue, options.rows, 2000, 40)
    columns = pick_size(queue, options.columns, 3000, 60)
    at_least(1, rows=rows, columns=columns)

    matrix = np.random.default_rng(4).random((rows, columns), np.float32)
    compare.introduce(f"transpose of {rows} x {columns} numbers")
    compare.run("element by element", lambda: naive(queue, matrix), matrix.T)
    compare.run("tiles, rows padded by one", lambda: tiled(queue, matrix), matrix.T)
    compare.run("tiles, not padded", lambda: tiled(queue, matrix, 0), matrix.T)
    return compare.finish()


if __name__ == "__main__":
    raise SystemExit(main())
