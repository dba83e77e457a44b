"""Edges of a photograph, equalised: six kernels chained by nothing but their accessors.

``python -m unisycl.examples.photo [IMAGE] [-o OUT.png] [--device cpu|host|default]``

Luminance, separable Gaussian blur with tiles in local memory, Sobel magnitude, histogram by
atomics, prefix sum, equalisation. Each kernel is a closure over accessors, as in SYCL C++.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.examples.program import (
    Picture,
    Timeline,
    make_queue,
    optional,
    print_difference,
    print_times,
    read_picture,
    sample,
    twice,
    write_picture,
)

SIDE = 16  # work-groups of the tiled kernels are SIDE x SIDE
BINS = 256
SIGMA = 2.0
RADIUS = 6

# A Gaussian, cut at three sigma. A tuple of numbers is a compile-time constant of the kernels that
# mention it: their loops over it are unrolled and the weights end up in the instructions.
_BELL = [math.exp(-0.5 * (k / SIGMA) ** 2) for k in range(-RADIUS, RADIUS + 1)]
WEIGHTS = tuple(w / sum(_BELL) for w in _BELL)

RED, GREEN, BLUE = 0.2126, 0.7152, 0.0722
GAIN = 1.0  # from Sobel magnitude to bins; what exceeds the last bin stays in it


def padded(height: int, width: int) -> sycl.nd_range:
    """Return the index space of SIDE x SIDE groups that covers the picture.

    A work-group size must divide the global size, so that is rounded up; kernels guard what they
    load and store. Returning early instead would leave barriers that not every work-item reaches.
    """
    whole = tuple(-(-n // SIDE) * SIDE for n in (height, width))
    return sycl.nd_range(whole, (SIDE, SIDE))


def submit_luminance(line: Timeline, rgb: sycl.buffer, grey: sycl.buffer) -> None:
    """Colour to luminance, one pixel a work-item."""
    @line.submit
    def luminance(h: sycl.handler) -> None:
        colour = sycl.accessor(rgb, h, sycl.read_only)
        out = sycl.accessor(grey, h, sycl.write_only, sycl.no_init)

        @h.parallel_for(grey.get_range())
        def luminance_kernel(it: sycl.item) -> None:
            y, x = it
            # np.float32(...) turns the bytes into floats; the factors are Python floats, which take
            # the type of the other operand, so everything stays in 32 bits.
            out[y, x] = (RED * np.float32(colour[y, x, 0])
                         + GREEN * np.float32(colour[y, x, 1])
                         + BLUE * np.float32(colour[y, x, 2]))


def submit_blur_rows(line: Timeline, source: sycl.buffer, target: sycl.buffer) -> None:
    """Blur along rows: each group loads its tile and a halo on both sides once."""
    height, width = source.get_range()

    @line.submit
    def blur_rows(h: sycl.handler) -> None:
        pixels = sycl.accessor(source, h, sycl.read_only)
        out = sycl.accessor(target, h, sycl.write_only, sycl.no_init)
        tile = sycl.local_accessor(np.float32, (SIDE, SIDE + 2 * RADIUS), h)

        @h.parallel_for(padded(height, width))
        def blur_rows_kernel(it: sycl.nd_item) -> None:
            y, x = it.get_global_id(0), it.get_global_id(1)
            ly, lx = it.get_local_id(0), it.get_local_id(1)
            row = min(y, height - 1)
            first = x - lx - RADIUS  # the picture's column that tile column 0 holds
            for column in range(lx, SIDE + 2 * RADIUS, SIDE):
                # Outside the picture its nearest pixel counts.
                tile[ly, column] = pixels[row, min(max(first + column, 0), width - 1)]
            sycl.group_barrier(it.get_group())  # now every work-item sees the whole tile
            total = 0.0
            for k, weight in enumerate(WEIGHTS):
                total += weight * tile[ly, lx + k]
            if y < height and x < width:
                out[y, x] = total


def submit_blur_columns(line: Timeline, source: sycl.buffer, target: sycl.buffer) -> None:
    """Blur along columns, the tile upright."""
    height, width = source.get_range()

    @line.submit
    def blur_columns(h: sycl.handler) -> None:
        pixels = sycl.accessor(source, h, sycl.read_only)
        out = sycl.accessor(target, h, sycl.write_only, sycl.no_init)
        tile = sycl.local_accessor(np.float32, (SIDE + 2 * RADIUS, SIDE), h)

        @h.parallel_for(padded(height, width))
        def blur_columns_kernel(it: sycl.nd_item) -> None:
            y, x = it.get_global_id(0), it.get_global_id(1)
            ly, lx = it.get_local_id(0), it.get_local_id(1)
            column = min(x, width - 1)
            first = y - ly - RADIUS
            for row in range(ly, SIDE + 2 * RADIUS, SIDE):
                tile[row, lx] = pixels[min(max(first + row, 0), height - 1), column]
            sycl.group_barrier(it.get_group())
            total = 0.0
            for k, weight in enumerate(WEIGHTS):
                total += weight * tile[ly + k, lx]
            if y < height and x < width:
                out[y, x] = total


def submit_sobel(line: Timeline, source: sycl.buffer, target: sycl.buffer) -> None:
    """The length of Sobel's gradient, in units of histogram bins."""
    height, width = source.get_range()

    @line.submit
    def sobel(h: sycl.handler) -> None:
        p = sycl.accessor(source, h, sycl.read_only)
        out = sycl.accessor(target, h, sycl.write_only, sycl.no_init)

        @h.parallel_for(source.get_range())
        def sobel_kernel(it: sycl.item) -> None:
            y, x = it
            up, down = max(y - 1, 0), min(y + 1, height - 1)
            left, right = max(x - 1, 0), min(x + 1, width - 1)
            gx = (p[up, right] - p[up, left] + 2 * (p[y, right] - p[y, left])
                  + p[down, right] - p[down, left])
            gy = (p[down, left] - p[up, left] + 2 * (p[down, x] - p[up, x])
                  + p[down, right] - p[up, right])
            out[y, x] = min(GAIN * sycl.sqrt(gx * gx + gy * gy), BINS - 1.0)


def submit_histogram(line: Timeline, source: sycl.buffer, target: sycl.buffer) -> None:
    """Count values into bins: each group in local memory first, then once into the global bins."""
    height, width = source.get_range()

    @line.submit
    def clear(h: sycl.handler) -> None:
        h.fill(sycl.accessor(target, h, sycl.write_only, sycl.no_init), np.uint32(0))

    @line.submit
    def histogram(h: sycl.handler) -> None:
        values = sycl.accessor(source, h, sycl.read_only)
        bins = sycl.accessor(target, h, sycl.read_write)
        own = sycl.local_accessor(np.uint32, BINS, h)

        @h.parallel_for(padded(height, width))
        def histogram_kernel(it: sycl.nd_item) -> None:
            y, x = it.get_global_id(0), it.get_global_id(1)
            mine = it.get_local_linear_id()  # SIDE * SIDE work-items look after as many bins
            own[mine] = 0
            sycl.group_barrier(it.get_group())
            if y < height and x < width:
                sycl.atomic_ref(own, int(values[y, x]), sycl.memory_order.relaxed,
                                sycl.memory_scope.work_group).fetch_add(1)
            sycl.group_barrier(it.get_group())
            sycl.atomic_ref(bins, mine, sycl.memory_order.relaxed,
                            sycl.memory_scope.device).fetch_add(own[mine])


def submit_prefix_sum(line: Timeline, counts: sycl.buffer, target: sycl.buffer) -> None:
    """Inclusive sums of the bins by one work-group: in step s each adds its s-th neighbour."""
    @line.submit
    def prefix_sum(h: sycl.handler) -> None:
        bins = sycl.accessor(counts, h, sycl.read_only)
        out = sycl.accessor(target, h, sycl.write_only, sycl.no_init)
        sums = sycl.local_accessor(np.uint32, BINS, h)

        @h.parallel_for(sycl.nd_range(BINS, BINS))
        def prefix_sum_kernel(it: sycl.nd_item) -> None:
            i = it.get_local_id(0)
            sums[i] = bins[i]
            step = 1
            while step < BINS:  # the same for every work-item, so barriers may stand inside
                sycl.group_barrier(it.get_group())
                before = np.uint32(0)
                if i >= step:
                    before = sums[i - step]
                sycl.group_barrier(it.get_group())  # all have read before anyone writes
                sums[i] += before
                step *= 2
            out[i] = sums[i]


def submit_equalise(line: Timeline, source: sycl.buffer, sums: sycl.buffer, target: sycl.buffer
                    ) -> None:
    """Map each value through the distribution, a straight line within each bin, to grey levels."""
    @line.submit
    def equalise(h: sycl.handler) -> None:
        values = sycl.accessor(source, h, sycl.read_only)
        below = sycl.accessor(sums, h, sycl.read_only)
        out = sycl.accessor(target, h, sycl.write_only, sycl.no_init)

        @h.parallel_for(source.get_range())
        def equalise_kernel(it: sycl.item) -> None:
            y, x = it
            value = values[y, x]
            k = int(value)
            lower = np.float32(0)
            if k > 0:
                lower = np.float32(below[k - 1])
            upper = np.float32(below[k])
            share = (lower + (value - k) * (upper - lower)) / np.float32(below[BINS - 1])
            out[y, x] = np.uint8(255 * share + 0.5)


def run_chain(queue: sycl.queue, rgb: Picture) -> tuple[Picture, Timeline]:
    """Return the picture of edges and the times of the command groups.

    No kernel is ordered by hand: each reads a buffer that an earlier one writes, and that is what
    the runtime needs to know.
    """
    height, width = rgb.shape[:2]
    line = Timeline(queue)
    result = np.empty((height, width), np.uint8)
    with (sycl.buffer(rgb) as colour, sycl.buffer(result) as picture,
          sycl.buffer(sycl.range(height, width), dtype=np.float32) as one,
          sycl.buffer(sycl.range(height, width), dtype=np.float32) as other,
          sycl.buffer(sycl.range(BINS), dtype=np.uint32) as counts,
          sycl.buffer(sycl.range(BINS), dtype=np.uint32) as sums):
        submit_luminance(line, colour, one)
        submit_blur_rows(line, one, other)
        submit_blur_columns(line, other, one)
        submit_sobel(line, one, other)
        submit_histogram(line, other, counts)
        submit_prefix_sum(line, counts, sums)
        submit_equalise(line, other, sums, picture)
    return result, line


def reference(rgb: Picture) -> Picture:
    """Return the same picture by SciPy and NumPy."""
    def load() -> Any:
        from scipy import ndimage  # noqa: PLC0415 - optional

        return ndimage

    ndimage = optional("SciPy", load)
    grey: npt.NDArray[np.float32] = (
        np.float32(RED) * rgb[..., 0] + np.float32(GREEN) * rgb[..., 1]
        + np.float32(BLUE) * rgb[..., 2])
    for axis in (1, 0):
        grey = ndimage.correlate1d(grey, WEIGHTS, axis=axis, mode="nearest")
    gx, gy = (ndimage.sobel(grey, axis=axis, mode="nearest") for axis in (1, 0))
    value = np.minimum(np.float32(GAIN) * np.sqrt(gx * gx + gy * gy), np.float32(BINS - 1))
    sums = np.cumsum(np.bincount(value.astype(np.int32).ravel(), minlength=BINS))
    shares = np.concatenate([[0], sums]) / sums[-1]
    equal = np.interp(value, np.arange(BINS + 1), shares)
    levels: Picture = (255 * equal + 0.5).astype(np.uint8)
    return levels


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(prog="python -m unisycl.examples.photo",
                                     description="Finds and equalises the edges of a photograph.")
    parser.add_argument("image", nargs="?", type=Path, metavar="IMAGE",
                        help="default: grace_hopper.jpg of matplotlib's sample data")
    parser.add_argument("-o", "--output", type=Path, default=Path("photo.png"), metavar="OUT.png")
    parser.add_argument("--device", default="default", help="cpu, host, default, ...")
    options = parser.parse_args(arguments)

    queue = make_queue(options.device)
    rgb = read_picture(options.image or sample("grace_hopper.jpg"))
    if queue.get_device().has(sycl.aspect.host_debuggable):
        print("every work-item runs in CPython here: the whole picture takes a minute",
              file=sys.stderr, flush=True)
    (edges, line), times = twice(lambda: run_chain(queue, rgb))
    expected, spent = twice(lambda: reference(rgb))  # the first loads SciPy
    print_times(line, times, spent[-1], "SciPy/NumPy")
    print_difference(edges, expected, "SciPy/NumPy")
    write_picture(options.output, edges)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
