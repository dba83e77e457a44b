"""A landscape smoothed by the heat equation and lit from the north-west.

``python -m unisycl.examples.terrain [-o OUT.png] [--device cpu|host|default] [--steps N]``

Real elevations (the Jacksboro fault, Tennessee). Hillshade of the raw terrain on the left, of the
smoothed one on the right. The steps alternate between two buffers; accessors order them.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.examples.program import (
    Picture,
    Timeline,
    fail,
    make_queue,
    print_difference,
    print_times,
    sample,
    twice,
    write_picture,
)

Heights = npt.NDArray[np.float32]

RATE = 0.2  # of the difference to the neighbours that flows in a step; stable up to 0.25
AZIMUTH, ALTITUDE = math.radians(315), math.radians(45)
# The direction to the sun: east, north, up. Python floats: compile-time constants of the kernels.
EAST = math.sin(AZIMUTH) * math.cos(ALTITUDE)
NORTH = math.cos(AZIMUTH) * math.cos(ALTITUDE)
UP = math.sin(ALTITUDE)
METRES_PER_DEGREE = 111_200.0


@dataclass(frozen=True)
class Terrain:
    """Heights in metres, row 0 in the north, and the spacing of the grid in metres."""

    height: Heights
    dx: float
    dy: float


def load_terrain() -> Terrain:
    """Return the elevation model of matplotlib's sample data."""
    with np.load(sample("jacksboro_fault_dem.npz")) as dem:
        dx = float(dem["dx"]) * METRES_PER_DEGREE * math.cos(math.radians(float(dem["ymin"])))
        return Terrain(dem["elevation"].astype(np.float32), dx,
                       float(dem["dy"]) * METRES_PER_DEGREE)


def submit_heat(line: Timeline, source: sycl.buffer, target: sycl.buffer) -> None:
    """One explicit step of the heat equation; nothing flows over the border."""
    rows, columns = source.get_range()

    @line.submit
    def heat_step(h: sycl.handler) -> None:
        old = sycl.accessor(source, h, sycl.read_only)
        new = sycl.accessor(target, h, sycl.write_only, sycl.no_init)

        @h.parallel_for(source.get_range())
        def heat_step_kernel(it: sycl.item) -> None:
            y, x = it
            here = old[y, x]
            around = (old[max(y - 1, 0), x] + old[min(y + 1, rows - 1), x]
                      + old[y, max(x - 1, 0)] + old[y, min(x + 1, columns - 1)])
            new[y, x] = here + RATE * (around - 4 * here)


def submit_hillshade(line: Timeline, source: sycl.buffer, target: sycl.buffer, column: int,
                     land: Terrain) -> None:
    """Light on the slope at each point, written from ``column`` of the picture on."""
    rows, columns = source.get_range()
    per_x, per_y = 0.5 / land.dx, 0.5 / land.dy

    @line.submit
    def hillshade(h: sycl.handler) -> None:
        z = sycl.accessor(source, h, sycl.read_only)
        grey = sycl.accessor(target, h, sycl.write_only)  # keeps what another kernel wrote beside

        @h.parallel_for(source.get_range())
        def hillshade_kernel(it: sycl.item) -> None:
            y, x = it
            slope_e = (z[y, min(x + 1, columns - 1)] - z[y, max(x - 1, 0)]) * per_x
            slope_n = (z[max(y - 1, 0), x] - z[min(y + 1, rows - 1), x]) * per_y
            # The surface's normal is (-slope_e, -slope_n, 1), not yet of length one.
            light = UP - EAST * slope_e - NORTH * slope_n
            shade = light / sycl.sqrt(1 + slope_e * slope_e + slope_n * slope_n)
            grey[y, column + x] = np.uint8(255 * max(shade, np.float32(0)) + 0.5)


def run_chain(queue: sycl.queue, land: Terrain, steps: int) -> tuple[Picture, Timeline]:
    """Return raw and smoothed terrain side by side, and the times of the command groups."""
    rows, columns = land.height.shape
    line = Timeline(queue)
    result = np.zeros((rows, 2 * columns), np.uint8)
    height = land.height.copy()
    with (sycl.buffer(height) as now, sycl.buffer(result) as picture,
          sycl.buffer(sycl.range(rows, columns), dtype=np.float32) as then):
        now.set_write_back(False)
        submit_hillshade(line, now, picture, 0, land)
        for _ in range(steps):
            submit_heat(line, now, then)
            now, then = then, now
        submit_hillshade(line, now, picture, columns, land)
    return result, line


def _shifted(z: Heights, rows: int, columns: int) -> Heights:
    """Return the neighbours that many rows and columns away; the border is its own neighbour."""
    wide = np.pad(z, 1, mode="edge")
    return wide[1 + rows:1 + rows + z.shape[0], 1 + columns:1 + columns + z.shape[1]]


def reference(land: Terrain, steps: int) -> Picture:
    """Return the same picture by NumPy."""
    def hillshade(z: Heights) -> Picture:
        slope_e = (_shifted(z, 0, 1) - _shifted(z, 0, -1)) * np.float32(0.5 / land.dx)
        slope_n = (_shifted(z, -1, 0) - _shifted(z, 1, 0)) * np.float32(0.5 / land.dy)
        light = UP - EAST * slope_e - NORTH * slope_n
        shade = light / np.sqrt(1 + slope_e * slope_e + slope_n * slope_n)
        levels: Picture = (255 * np.maximum(shade, 0) + 0.5).astype(np.uint8)
        return levels

    z = land.height
    for _ in range(steps):
        around = _shifted(z, -1, 0) + _shifted(z, 1, 0) + _shifted(z, 0, -1) + _shifted(z, 0, 1)
        z = z + np.float32(RATE) * (around - 4 * z)
    return np.hstack([hillshade(land.height), hillshade(z)])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example from the command line."""
    parser = argparse.ArgumentParser(prog="python -m unisycl.examples.terrain",
                                     description="Smooths and lights a real landscape.")
    parser.add_argument("-o", "--output", type=Path, default=Path("terrain.png"),
                        metavar="OUT.png")
    parser.add_argument("--device", default="default", help="cpu, host, default, ...")
    parser.add_argument("--steps", type=int, default=40, help="of the heat equation")
    options = parser.parse_args(arguments)
    if options.steps < 0:
        fail(f"--steps must not be negative, got {options.steps}")

    queue = make_queue(options.device)
    land = load_terrain()
    (picture, line), times = twice(lambda: run_chain(queue, land, options.steps))
    expected, spent = twice(lambda: reference(land, options.steps))
    print_times(line, times, spent[-1], "NumPy")
    print_difference(picture, expected, "NumPy")
    write_picture(options.output, picture)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
