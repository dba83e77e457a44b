"""The Mandelbrot set by subdivision: kernels enqueue kernels where the picture has detail.

``python -m unisycl.examples.subdivision [-o OUT.png] [--size N] [--most M] [--device D]``

A kernel computes the edge of its square. If all of it has one value, so has the inside (the sets of
equal counts have no holes: Mariani and Silver's algorithm), and it is filled. Otherwise the square
is cut into four, each a kernel enqueued by this one; small squares are computed whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.examples.comparison import (
    Comparison,
    at_least,
    command_line,
    pick_size,
    power_of_two,
)
from unisycl.examples.program import optional, write_picture
from unisycl.ext.unisycl import enqueue_kernel, enqueue_task, kernel_enqueue_flags

AFTER = kernel_enqueue_flags.wait_kernel
LEFT, TOP, WIDTH = -2.0, -1.25, 2.5
SMALL = 32
Counts = npt.NDArray[np.int32]


def count(x: Any, y: Any, size: Any, most: Any) -> Any:
    """Return after how many steps the point of a pixel escapes, at most ``most``."""
    scale = np.float64(WIDTH) / size
    cr = np.float64(LEFT) + x * scale
    ci = np.float64(TOP) + y * scale
    zr = np.float64(0)
    zi = np.float64(0)
    k = np.int32(0)
    while k < most and zr * zr + zi * zi <= 4:
        held = zr * zr - zi * zi + cr
        zi = 2 * zr * zi + ci
        zr = held
        k += 1
    return k


def edge(it: Any, out: Any, x: Any, y: Any, n: Any, size: Any, most: Any) -> None:
    """Compute the pixels on the edge of a square: it[0] says where, it[1] on which side."""
    side, k = it
    px = x + k if side < 2 else x + (side - 2) * (n - 1)
    py = y + side * (n - 1) if side < 2 else y + k
    if side < 2 or 0 < k < n - 1:  # each corner is of one side
        out[py, px] = count(px, py, size, most)


def whole(it: Any, out: Any, x: Any, y: Any, size: Any, most: Any) -> None:
    """Compute a pixel of a square."""
    out[y + it[0], x + it[1]] = count(x + it[1], y + it[0], size, most)


def fill(it: Any, out: Any, x: Any, y: Any, value: Any) -> None:
    """Give a pixel inside a square its edge's value."""
    out[y + 1 + it[0], x + 1 + it[1]] = value


def square(out: Any, x: Any, y: Any, n: Any, size: Any, most: Any) -> None:
    """Look at the edge of a square, and enqueue what its inside needs."""
    value = out[y, x]
    same = True
    for k in range(n):
        same = (same and out[y, x + k] == value and out[y + n - 1, x + k] == value
                and out[y + k, x] == value and out[y + k, x + n - 1] == value)
    if same:
        enqueue_kernel(AFTER, (n - 2, n - 2), fill, out, x, y, value)
    elif n <= SMALL:
        enqueue_kernel(AFTER, (n, n), whole, out, x, y, size, most)
    else:
        half = n // 2
        for part in range(4):
            px = x + (part % 2) * half
            py = y + (part // 2) * half
            done = enqueue_kernel(AFTER, (4, half), edge, out, px, py, half, size, most)
            enqueue_task(AFTER, square, out, px, py, half, size, most, wait_list=(done,))


def start(out: Any, size: Any, most: Any) -> None:
    """Enqueue the edge of the picture, and then what is inside."""
    done = enqueue_kernel(AFTER, (4, size), edge, out, 0, 0, size, size, most)
    enqueue_task(AFTER, square, out, 0, 0, size, size, most, wait_list=(done,))


def by_subdivision(queue: sycl.queue, size: int, most: int) -> Counts:
    """Return the counts of all pixels: one kernel and its children."""
    out = np.zeros((size, size), np.int32)
    queue.single_task(start, out, size, most).wait_and_throw()
    return out


def flat(queue: sycl.queue, size: int, most: int) -> Counts:
    """Return the counts of all pixels, each computed."""
    out = np.zeros((size, size), np.int32)
    queue.parallel_for((size, size), whole, out, 0, 0, size, most).wait_and_throw()
    return out


def reference(size: int, most: int) -> Counts:
    """Return the same by NumPy, all pixels at once."""
    scale = WIDTH / size
    ci, cr = np.meshgrid(TOP + np.arange(size) * scale, LEFT + np.arange(size) * scale,
                         indexing="ij")
    zr, zi = np.zeros((2, size, size))
    counts = np.zeros((size, size), np.int32)
    for _ in range(most):
        inside = zr * zr + zi * zi <= 4
        counts += inside
        zr, zi = (np.where(inside, zr * zr - zi * zi + cr, zr),
                  np.where(inside, 2 * zr * zi + ci, zi))
    return counts


def picture(counts: Counts, most: int) -> npt.NDArray[np.uint8]:
    """Return the counts as colours."""
    def load() -> Any:
        from matplotlib import colormaps  # noqa: PLC0415 - optional

        return colormaps

    magma = optional("matplotlib", load)["magma"]
    grey = np.log1p(counts) / np.log1p(most)
    colours: npt.NDArray[np.uint8] = magma(np.where(counts >= most, 0, grey), bytes=True)[..., :3]
    return np.ascontiguousarray(colours)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example from the command line."""
    parser = command_line("subdivision", "Draws the Mandelbrot set by kernels that enqueue others.")
    parser.add_argument("--size", type=int, help="pixels along an edge, a power of two; default "
                        "1024, on the host device 64")
    parser.add_argument("--most", type=int, help="steps at most; default 1000, on the host 30")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT.png", help="write a picture")
    options = parser.parse_args(arguments)
    compare = Comparison(options.device)
    queue = compare.queue
    size = pick_size(queue, options.size, 1024, 64)
    most = pick_size(queue, options.most, 1000, 30)
    power_of_two(size=size)
    at_least(1, most=most)
    expected = flat(queue, size, most)
    if size * size * most <= 1 << 24:
        expected = reference(size, most)
    compare.introduce(f"{size} x {size} pixels, {most} steps at most")
    counts = compare.run("kernels that enqueue kernels",
                         lambda: by_subdivision(queue, size, most), expected)
    compare.run("every pixel computed", lambda: flat(queue, size, most), expected)
    if options.output is not None:
        write_picture(options.output, picture(counts, most))
    return compare.finish()


if __name__ == "__main__":
    raise SystemExit(main())
