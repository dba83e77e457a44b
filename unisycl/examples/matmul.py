"""A matrix product: element by element, and by tiles in local memory.

``python -m unisycl.examples.matmul [--m M] [--n N] [--k K] [--device D]``

C = A · B with A of M x K and B of K x N numbers, rows after rows, of any sizes. A group computes a
square of C; along K it loads one square of A and one of B at a time, and uses each number as often
as the square is wide.
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


def submit_naive(queue: sycl.queue, a: sycl.buffer, b: sycl.buffer, c: sycl.buffer) -> sycl.event:
    """One element of C a work-item."""
    depth = a.get_range()[1]

    def product(h: sycl.handler) -> None:
        x = sycl.accessor(a, h, sycl.read_only)
        y = sycl.accessor(b, h, sycl.read_only)
        out = sycl.accessor(c, h, sycl.write_only, sycl.no_init)

        @h.parallel_for(c.get_range())
        def naive_kernel(it: sycl.item) -> None:
            row, column = it
            total = 0.0
            for k in range(depth):
                total += x[row, k] * y[k, column]
            out[it] = total
    return queue.submit(product)


def submit_tiled(queue: sycl.queue, a: sycl.buffer, b: sycl.buffer, c: sycl.buffer) -> sycl.event:
    """One square of C a work-group."""
    rows, depth = a.get_range()
    columns = b.get_range()[1]
    space = sycl.nd_range((rounded_up(rows, SIDE), rounded_up(columns, SIDE)), (SIDE, SIDE))
    zero = a.dtype.type(0)

    def product(h: sycl.handler) -> None:
        x = sycl.accessor(a, h, sycl.read_only)
        y = sycl.accessor(b, h, sycl.read_only)
        out = sycl.accessor(c, h, sycl.write_only, sycl.no_init)
        tile_x = sycl.local_accessor(a.dtype, (SIDE, SIDE), h)
        tile_y = sycl.local_accessor(a.dtype, (SIDE, SIDE), h)

        @h.parallel_for(space)
        def tiled_kernel(it: sycl.nd_item) -> None:
            row, column = it.get_global_id(0), it.get_global_id(1)
            ly, lx = it.get_local_id(0), it.get_local_id(1)
            total = 0.0
            for first in range(0, depth, SIDE):
                # What lies beyond the matrices counts as zero.
                left, right = zero, zero
                if row < rows and first + lx < depth:
                    left = x[row, first + lx]
                if first + ly < depth and column < columns:
                    right = y[first + ly, column]
                tile_x[ly, lx] = left
                tile_y[ly, lx] = right
                sycl.group_barrier(it.get_group())  # both squares are complete
                for k in range(SIDE):
                    total += tile_x[ly, k] * tile_y[k, lx]
                sycl.group_barrier(it.get_group())  # all have used them
            if row < rows and column < columns:
                out[row, column] = total
    return queue.submit(product)


def multiply(queue: sycl.queue, submit: Any, a: Array, b: Array) -> Array:
    """Return the product that one of the two forms computes."""
    result = np.empty((a.shape[0], b.shape[1]), a.dtype)
    with sycl.buffer(a) as ba, sycl.buffer(b) as bb, sycl.buffer(result) as bc:
        submit(queue, ba, bb, bc)
    return result


def error_bound(a: Array, b: Array) -> float:
    """Return what k products and additions may be off by, each rounded once."""
    reach = np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)
    return float(a.shape[1] * np.finfo(a.dtype).eps * reach.max(initial=0))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example from the command line."""
    parser = command_line("matmul", "Multiplies two matrices in two ways.")
    for name in ("m", "n", "k"):
        parser.add_argument(f"--{name}", type=int, help="default 500, on the host device 20")
    options = parser.parse_args(arguments)
    compare = Comparison(options.device)
    queue = compare.queue
    m, n, k = (pick_size(queue, size, 500, 20) for size in (options.m, options.n, options.k))
    at_least(1, m=m, n=n, k=k)

    generator = np.random.default_rng(5)
    a, b = generator.random((m, k), np.float32), generator.random((k, n), np.float32)
    expected, bound = a.astype(np.float64) @ b.astype(np.float64), error_bound(a, b)
    compare.introduce(f"product of {m} x {k} and {k} x {n} numbers")
    compare.run("element by element", lambda: multiply(queue, submit_naive, a, b), expected, bound)
    compare.run("tiles in local memory", lambda: multiply(queue, submit_tiled, a, b), expected,
                bound)
    return compare.finish()


if __name__ == "__main__":
    raise SystemExit(main())
