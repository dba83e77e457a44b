"""Heat spreading over a plate: a stencil with tiles and halos in local memory.

``python -m unisycl.examples.heat [-o OUT.png] [--size N] [--steps S] [--device D]``

A step is new = c + 0.125 · (left + right + up + down - 4c). The plate is insulated: beyond an edge
lies the edge's own temperature again. Each group loads its LY x LX points and a ring of one around
them, so that a point is read from global memory once and from local memory five times.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.examples.comparison import Comparison, at_least, command_line, pick_size, rounded_up
from unisycl.examples.program import optional, write_picture

Plate = npt.NDArray[np.float32]
LY, LX = 8, 32
RATE = 0.125


def submit_step(queue: sycl.queue, source: sycl.buffer, target: sycl.buffer) -> None:
    """One step, each point from global memory."""
    rows, columns = source.get_range()

    @queue.submit
    def step(h: sycl.handler) -> None:
        old = sycl.accessor(source, h, sycl.read_only)
        new = sycl.accessor(target, h, sycl.write_only, sycl.no_init)

        @h.parallel_for((rows, columns))
        def step_kernel(it: sycl.item) -> None:
            y, x = it
            c = old[y, x]
            around = (old[y, max(x - 1, 0)] + old[y, min(x + 1, columns - 1)]
                      + old[max(y - 1, 0), x] + old[min(y + 1, rows - 1), x])
            new[y, x] = c + RATE * (around - 4 * c)


def submit_tiled_step(queue: sycl.queue, source: sycl.buffer, target: sycl.buffer) -> None:
    """One step, each group's points through local memory."""
    rows, columns = source.get_range()
    space = sycl.nd_range((rounded_up(rows, LY), rounded_up(columns, LX)), (LY, LX))

    @queue.submit
    def tiled_step(h: sycl.handler) -> None:
        old = sycl.accessor(source, h, sycl.read_only)
        new = sycl.accessor(target, h, sycl.write_only, sycl.no_init)
        tile = sycl.local_accessor(np.float32, (LY + 2, LX + 2), h)

        @h.parallel_for(space)
        def tiled_kernel(it: sycl.nd_item) -> None:
            y, x = it.get_global_id(0), it.get_global_id(1)
            ly, lx = it.get_local_id(0), it.get_local_id(1)
            # Tile row t holds the plate's row top + t, and beyond the plate its nearest row. The
            # work-items walk over the whole tile, halo and corners included, in strides of a group.
            top, left = y - ly - 1, x - lx - 1
            for ty in range(ly, LY + 2, LY):
                for tx in range(lx, LX + 2, LX):
                    tile[ty, tx] = old[min(max(top + ty, 0), rows - 1),
                                       min(max(left + tx, 0), columns - 1)]
            # Work-items beyond the plate come here, too: the barrier needs all of the group.
            sycl.group_barrier(it.get_group())
            if y < rows and x < columns:
                c = tile[ly + 1, lx + 1]
                around = (tile[ly + 1, lx] + tile[ly + 1, lx + 2]
                          + tile[ly, lx + 1] + tile[ly + 2, lx + 1])
                new[y, x] = c + RATE * (around - 4 * c)


def spread(queue: sycl.queue, submit: Any, plate: Plate, steps: int) -> Plate:
    """Return the plate after some steps; two buffers take turns, and accessors order the steps."""
    result = plate.copy()
    with (sycl.buffer(result) as first,
          sycl.buffer(sycl.range(*plate.shape), dtype=np.float32) as second):
        now, then = first, second
        for _ in range(steps):
            submit(queue, now, then)
            now, then = then, now
        if now is second:
            queue.submit(lambda h: h.copy(sycl.accessor(second, h, sycl.read_only),
                                          sycl.accessor(first, h, sycl.write_only)))
    return result


def reference(plate: Plate, steps: int) -> Plate:
    """Return the same plate by NumPy."""
    for _ in range(steps):
        wide = np.pad(plate, 1, mode="edge")
        around = wide[1:-1, :-2] + wide[1:-1, 2:] + wide[:-2, 1:-1] + wide[2:, 1:-1]
        plate = plate + np.float32(RATE) * (around - 4 * plate)
    return plate


def hot_plate(size: int) -> Plate:
    """Return a plate with a hot ring and hot bars at its edge; the rest is at zero."""
    y, x = np.indices((size, size)) / max(size - 1, 1)
    ring = np.abs(np.hypot(y - 0.5, x - 0.5) - 0.25) < 0.04
    bars = (x < 0.05) & (np.floor(y * 9) % 2 == 0)
    return np.where(ring | bars, 1, 0).astype(np.float32)


def picture(before: Plate, after: Plate) -> npt.NDArray[np.uint8]:
    """Return both plates side by side in the colours of glowing iron."""
    def load() -> Any:
        from matplotlib import colormaps  # noqa: PLC0415 - optional

        return colormaps

    inferno = optional("matplotlib", load)["inferno"]
    colours: npt.NDArray[np.uint8] = inferno(np.hstack([before, after]), bytes=True)[..., :3]
    return np.ascontiguousarray(colours)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example from the command line."""
    parser = command_line("heat", "Spreads heat over a plate, with and without tiles.")
    parser.add_argument("--size", type=int, help="points along an edge; default 1000, on the host "
                        "device 40")
    parser.add_argument("--steps", type=int, default=None, help="default 100, on the host device "
                        "5")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT.png", help="write a picture of "
                        "the plate before and after")
    options = parser.parse_args(arguments)
    compare = Comparison(options.device)
    queue = compare.queue
    size = pick_size(queue, options.size, 1000, 40)
    steps = pick_size(queue, options.steps, 100, 5)
    at_least(1, size=size)
    at_least(0, steps=steps)

    plate = hot_plate(size)
    expected = reference(plate, steps)
    compare.introduce(f"{steps} steps on {size} x {size} points, the total heat is {plate.sum()}")
    bound = 1e-6 * (steps + 1)  # a step rounds a few times at temperatures up to one
    compare.run("from global memory", lambda: spread(queue, submit_step, plate, steps), expected,
                bound)
    after = compare.run("tiles with halos",
                        lambda: spread(queue, submit_tiled_step, plate, steps), expected, bound)
    if options.output is not None:
        write_picture(options.output, picture(plate, after))
    return compare.finish()


if __name__ == "__main__":
    raise SystemExit(main())
