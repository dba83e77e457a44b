"""A photograph blurred by a convolution in six ways, from naive to a sampler.

``python -m unisycl.examples.blurs [IMAGE] [-o OUT.png] [--radius R] [--device D]``

The picture has four float32 channels. Beyond its edge lies the edge's pixel again. Naive and
coalesced differ in one thing: whether neighbouring work-items read neighbouring pixels. Then a
pixel is one float4; two passes replace one; a group shares its pixels in local memory; and an
image's sampler knows what lies beyond the edge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.examples.comparison import Comparison, at_least, command_line, pick_size, rounded_up
from unisycl.examples.program import optional, read_picture, sample, write_picture

Pixels = npt.NDArray[np.float32]
SIDE = 16
CLAMPED = sycl.image_sampler(
    sycl.addressing_mode.clamp_to_edge, sycl.coordinate_normalization_mode.unnormalized,
    sycl.filtering_mode.nearest)


def bell(radius: int) -> Pixels:
    """Return the 2·radius + 1 weights of a Gaussian; the picture's weights are their products."""
    weights = np.exp(-2 * (np.arange(-radius, radius + 1) / max(radius, 1)) ** 2)
    result: Pixels = (weights / weights.sum()).astype(np.float32)
    return result


def naive(queue: sycl.queue, pixels: Pixels, weights: Pixels) -> Pixels:
    """A work-item for each pixel, and neighbours below each other: reads far apart."""
    return _by_channels(queue, pixels, weights, swapped=True)


def coalesced(queue: sycl.queue, pixels: Pixels, weights: Pixels) -> Pixels:
    """The same, with neighbours beside each other."""
    return _by_channels(queue, pixels, weights, swapped=False)


def _by_channels(queue: sycl.queue, pixels: Pixels, weights: Pixels,
                 swapped: bool) -> Pixels:
    height, width = pixels.shape[:2]
    size, result = len(weights), np.empty_like(pixels)
    radius = size // 2
    with (sycl.buffer(pixels) as source, sycl.buffer(result) as target,
          sycl.buffer(weights) as factors):
        @queue.submit
        def blur(h: sycl.handler) -> None:
            w = sycl.accessor(factors, h, sycl.read_only)
            x = sycl.accessor(source, h, sycl.read_only)
            out = sycl.accessor(target, h, sycl.write_only, sycl.no_init)

            @h.parallel_for((width, height) if swapped else (height, width))
            def channel_kernel(it: sycl.item) -> None:
                row, column = it
                if swapped:
                    column, row = it
                for c in range(4):
                    total = 0.0
                    for dy in range(size):
                        yy = min(max(row + dy - radius, 0), height - 1)
                        for dx in range(size):
                            xx = min(max(column + dx - radius, 0), width - 1)
                            total += w[dy] * w[dx] * x[yy, xx, c]
                    out[row, column, c] = total
    return result


class Filter:
    """A kernel as an object: one pass of a separable blur, along rows or along columns."""

    def __init__(self, source: Any, target: Any, factors: Any, along: int) -> None:
        self.source = source
        self.target = target
        self.factors = factors
        self.along = along
        self.size = factors.size()
        self.limit = source.get_range()[along] - 1

    def __call__(self, it: sycl.item) -> None:
        total = sycl.float4(0)
        for k in range(self.size):
            at = min(max(it[self.along] + k - self.size // 2, 0), self.limit)
            if self.along == 0:
                total += self.factors[k] * self.source[at, it[1]]
            else:
                total += self.factors[k] * self.source[it[0], at]
        self.target[it] = total


def separable(queue: sycl.queue, pixels: Pixels, weights: Pixels) -> Pixels:
    """Two passes of 2·radius + 1 pixels instead of one of their square."""
    extent, result = sycl.range(*pixels.shape[:2]), np.empty_like(pixels)
    with (sycl.buffer(pixels) as source, sycl.buffer(result) as target,
          sycl.buffer(weights) as factors,
          sycl.buffer(extent, dtype=sycl.float4) as between):
        def blur(h: sycl.handler, old: sycl.buffer, new: sycl.buffer, along: int) -> None:
            h.parallel_for(extent, Filter(
                sycl.accessor(old, h, sycl.read_only),
                sycl.accessor(new, h, sycl.write_only, sycl.no_init),
                sycl.accessor(factors, h, sycl.read_only), along))
        queue.submit(lambda h: blur(h, source.reinterpret(sycl.float4, extent), between, 1))
        queue.submit(lambda h: blur(h, between, target.reinterpret(sycl.float4, extent), 0))
    return result


def vectors(queue: sycl.queue, pixels: Pixels, weights: Pixels) -> Pixels:
    """The buffer reinterpreted: a pixel is one float4."""
    height, width = pixels.shape[:2]
    size, result = len(weights), np.empty_like(pixels)
    radius = size // 2
    with (sycl.buffer(pixels) as source, sycl.buffer(result) as target,
          sycl.buffer(weights) as factors):
        @queue.submit
        def blur(h: sycl.handler) -> None:
            extent = sycl.range(height, width)
            w = sycl.accessor(factors, h, sycl.read_only)
            x = sycl.accessor(source.reinterpret(sycl.float4, extent), h, sycl.read_only)
            out = sycl.accessor(target.reinterpret(sycl.float4, extent), h, sycl.write_only,
                                sycl.no_init)

            @h.parallel_for(extent)
            def vector_kernel(it: sycl.item) -> None:
                row, column = it
                total = sycl.float4(0)
                for dy in range(size):
                    yy = min(max(row + dy - radius, 0), height - 1)
                    for dx in range(size):
                        total += w[dy] * w[dx] * x[yy, min(max(column + dx - radius, 0), width - 1)]
                out[it] = total
    return result


def tiled(queue: sycl.queue, pixels: Pixels, weights: Pixels) -> Pixels:
    """A group loads its pixels and those around them into local memory once."""
    height, width = pixels.shape[:2]
    size, result = len(weights), np.empty_like(pixels)
    radius = size // 2
    wide = SIDE + 2 * radius
    with (sycl.buffer(pixels) as source, sycl.buffer(result) as target,
          sycl.buffer(weights) as factors):
        @queue.submit
        def blur(h: sycl.handler) -> None:
            extent = sycl.range(height, width)
            w = sycl.accessor(factors, h, sycl.read_only)
            x = sycl.accessor(source.reinterpret(sycl.float4, extent), h, sycl.read_only)
            out = sycl.accessor(target.reinterpret(sycl.float4, extent), h, sycl.write_only,
                                sycl.no_init)
            tile = sycl.local_accessor(sycl.float4, (wide, wide), h)

            @h.parallel_for(sycl.nd_range(
                (rounded_up(height, SIDE), rounded_up(width, SIDE)), (SIDE, SIDE)))
            def tiled_kernel(it: sycl.nd_item) -> None:
                row, column = it.get_global_id(0), it.get_global_id(1)
                ly, lx = it.get_local_id(0), it.get_local_id(1)
                for ty in range(ly, wide, SIDE):
                    yy = min(max(row - ly - radius + ty, 0), height - 1)
                    for tx in range(lx, wide, SIDE):
                        tile[ty, tx] = x[yy, min(max(column - lx - radius + tx, 0), width - 1)]
                sycl.group_barrier(it.get_group())
                total = sycl.float4(0)
                for dy in range(size):
                    for dx in range(size):
                        total += w[dy] * w[dx] * tile[ly + dy, lx + dx]
                if row < height and column < width:
                    out[row, column] = total
    return result


def sampled(queue: sycl.queue, pixels: Pixels, weights: Pixels) -> Pixels:
    """Images: the sampler clamps coordinates, so the kernel has no edge to think of."""
    height, width = pixels.shape[:2]
    size, result = len(weights), np.empty_like(pixels)
    radius = size // 2
    form = sycl.image_format.r32g32b32a32_sfloat
    with (sycl.sampled_image(pixels, form, CLAMPED) as source,
          sycl.unsampled_image(result, form) as target, sycl.buffer(weights) as factors):
        @queue.submit
        def blur(h: sycl.handler) -> None:
            w = sycl.accessor(factors, h, sycl.read_only)
            photo = sycl.sampled_image_accessor(source, h, sycl.float4)
            out = sycl.unsampled_image_accessor(target, h, sycl.float4, sycl.write_only)

            @h.parallel_for((height, width))
            def sampled_kernel(it: sycl.item) -> None:
                row, column = it
                total = sycl.float4(0)
                for dy in range(size):
                    for dx in range(size):
                        # The centre of pixel i lies at i + 0.5.
                        at = sycl.float2(column + dx - radius + 0.5, row + dy - radius + 0.5)
                        total += w[dy] * w[dx] * photo.read(at)
                out.write(sycl.int2(column, row), total)
    return result


FORMS: dict[str, Callable[[sycl.queue, Pixels, Pixels], Pixels]] = {
    "naive": naive, "coalesced": coalesced, "float4": vectors, "separable, a functor": separable,
    "tiles in local memory": tiled, "image and sampler": sampled}


def reference(pixels: Pixels, weights: Pixels) -> Pixels:
    """Return the same picture by SciPy."""
    def load() -> Any:
        from scipy import ndimage  # noqa: PLC0415 - optional

        return ndimage

    ndimage = optional("SciPy", load)
    for axis in (1, 0):
        pixels = ndimage.correlate1d(pixels, weights, axis=axis, mode="nearest")
    return pixels


def with_four_channels(rgb: npt.NDArray[np.uint8]) -> Pixels:
    """Return a picture of bytes as red, green, blue from 0 to 1 and alpha 1."""
    return np.dstack([rgb / np.float32(255), np.ones(rgb.shape[:2], np.float32)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example from the command line."""
    parser = command_line("blurs", "Blurs a photograph in six ways.")
    parser.add_argument("image", nargs="?", type=Path, metavar="IMAGE",
                        help="default: grace_hopper.jpg of matplotlib's sample data")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT.png",
                        help="write the blurred picture")
    parser.add_argument("--radius", type=int, help="pixels to each side; default 4, on the host "
                        "device 2")
    options = parser.parse_args(arguments)
    compare = Comparison(options.device)
    queue = compare.queue
    radius = pick_size(queue, options.radius, 4, 2)
    at_least(0, radius=radius)
    rgb = read_picture(options.image or sample("grace_hopper.jpg"))
    if queue.get_device().has(sycl.aspect.host_debuggable) and options.image is None:
        rgb = rgb[100:124, 230:262]

    pixels, weights = with_four_channels(rgb), bell(radius)
    expected = reference(pixels, weights)
    compare.introduce(f"{rgb.shape[1]} x {rgb.shape[0]} pixels, {len(weights)} x {len(weights)} "
                      "weights")
    result = expected
    for name, form in FORMS.items():
        if form is sampled and not queue.get_device().has(sycl.aspect.image):
            print(f"  {name:40}the device has no aspect.image")
            continue
        result = compare.run(name, partial(form, queue, pixels, weights), expected, 1e-5)
    if options.output is not None:
        levels = np.rint(np.clip(result[..., :3], 0, 1) * 255).astype(np.uint8)
        write_picture(options.output, np.ascontiguousarray(levels))
    return compare.finish()


if __name__ == "__main__":
    raise SystemExit(main())
