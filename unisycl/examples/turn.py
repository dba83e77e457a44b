"""A photograph turned and zoomed through a sampler, its mirror images around it.

``python -m unisycl.examples.turn [IMAGE] [-o OUT.png] [--device cpu|host|default] [--angle DEGREES]
[--zoom FACTOR]``

Where each pixel of the result comes from lies between pixels of the photograph: the sampler finds
the four around it, weighs them, and knows what lies beyond the border. Reading and writing convert
between bytes and colours from 0 to 1.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.examples.program import (
    Picture,
    Timeline,
    fail,
    make_queue,
    optional,
    print_difference,
    print_times,
    read_picture,
    sample,
    twice,
    write_picture,
)

FORMAT = sycl.image_format.r8g8b8a8_unorm
MIRRORED = sycl.image_sampler(
    sycl.addressing_mode.mirrored_repeat, sycl.coordinate_normalization_mode.normalized,
    sycl.filtering_mode.linear)


def submit_turn(line: Timeline, source: sycl.sampled_image, target: sycl.unsampled_image,
                angle: float, zoom: float) -> None:
    """Turn about the centre, counter-clockwise."""
    width, height = target.get_range()
    # Python floats that a kernel captures take the type of what they meet: float32 here.
    along, across = math.cos(angle) / zoom, math.sin(angle) / zoom

    @line.submit
    def turn(h: sycl.handler) -> None:
        photo = sycl.sampled_image_accessor(source, h, sycl.float4)
        result = sycl.unsampled_image_accessor(target, h, sycl.float4, sycl.write_only,
                                               sycl.no_init)

        @h.parallel_for((height, width))
        def turn_kernel(it: sycl.item) -> None:
            y, x = it
            dx, dy = np.float32(x + 0.5 - width / 2), np.float32(y + 0.5 - height / 2)
            at = sycl.float2(0.5 + (along * dx - across * dy) / width,
                             0.5 + (across * dx + along * dy) / height)
            result.write(sycl.int2(x, y), photo.read(at))


def run_chain(queue: sycl.queue, rgb: Picture, angle: float,
              zoom: float) -> tuple[Picture, Timeline]:
    """Return the turned picture and the times of the command groups."""
    height, width = rgb.shape[:2]
    pixels = np.dstack([rgb, np.full((height, width), 255, np.uint8)])
    result = np.empty_like(pixels)
    line = Timeline(queue)
    with (sycl.sampled_image(pixels, FORMAT, MIRRORED) as source,
          sycl.unsampled_image(result, FORMAT) as target):
        submit_turn(line, source, target, math.radians(angle), zoom)
    return np.ascontiguousarray(result[..., :3]), line


def reference(rgb: Picture, angle: float, zoom: float) -> Picture:
    """Return the same picture by SciPy."""
    def load() -> Any:
        from scipy import ndimage  # noqa: PLC0415 - optional

        return ndimage

    ndimage = optional("SciPy", load)
    height, width = rgb.shape[:2]
    along, across = (f(math.radians(angle)) / zoom for f in (math.cos, math.sin))
    matrix = np.array([[along, across], [-across, along]])  # of (y, x)
    centre = np.array([height, width]) / 2 - 0.5
    turned = [ndimage.affine_transform(
        rgb[..., c].astype(np.float32), matrix, centre - matrix @ centre, order=1, mode="reflect")
        for c in range(3)]
    result: Picture = np.rint(np.stack(turned, axis=-1)).astype(np.uint8)
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(prog="python -m unisycl.examples.turn",
                                     description="Turns and zooms a photograph.")
    parser.add_argument("image", nargs="?", type=Path, metavar="IMAGE",
                        help="default: grace_hopper.jpg of matplotlib's sample data")
    parser.add_argument("-o", "--output", type=Path, default=Path("turn.png"), metavar="OUT.png")
    parser.add_argument("--device", default="default", help="cpu, host, default, ...")
    parser.add_argument("--angle", type=float, default=30.0, help="degrees, counter-clockwise")
    parser.add_argument("--zoom", type=float, default=0.5, help="above 1 it enlarges")
    options = parser.parse_args(arguments)
    if not (math.isfinite(options.angle) and 0.01 <= options.zoom <= 100):
        fail(f"--angle must be finite and --zoom from 0.01 to 100, got {options.angle} and "
             f"{options.zoom}")

    queue = make_queue(options.device)
    rgb = read_picture(options.image or sample("grace_hopper.jpg"))
    (turned, line), times = twice(lambda: run_chain(queue, rgb, options.angle, options.zoom))
    expected, spent = twice(lambda: reference(rgb, options.angle, options.zoom))
    print_times(line, times, spent[-1], "SciPy")
    print_difference(turned, expected, "SciPy")
    write_picture(options.output, turned)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
