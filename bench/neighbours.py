"""What elements that lie together take: ``python -m bench.neighbours [--rounds N]``.

Kernels over pixels, pairs and points in flat arrays, over short rows, and with guards in front of
what they read, as a user translates them from C: the least processor time of a launch over arrays.
Non-goals: peers (``bench.corpus``).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl

SIDE, COUNT = 1024, 1 << 20


def hexadecimal(i: Any, a: Any, out: Any) -> None:
    """Two digits for each byte."""
    high, low = a[i] >> 4, a[i] & 15
    out[2 * i] = high + 48 if high < 10 else high + 87
    out[2 * i + 1] = low + 48 if low < 10 else low + 87


def pixels(i: Any, a: Any, out: Any) -> None:
    """Four bytes a pixel: three of them grey, the fourth as it was."""
    p = 4 * i
    grey = a[p] // 4 + a[p + 1] // 2 + a[p + 2] // 4
    out[p], out[p + 1], out[p + 2] = grey, grey, grey
    out[p + 3] = a[p + 3]


def products(i: Any, a: Any, b: Any, c: Any) -> None:
    """Complex numbers as pairs."""
    re = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1]
    im = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i]
    c[2 * i], c[2 * i + 1] = re, im


def moved(i: Any, p: Any, v: Any, dt: Any) -> None:
    """Points in rows of three."""
    for d in range(3):
        p[i, d] += v[i, d] * dt


def labels(at: Any, lab: Any, out: Any) -> None:
    """The largest label of a pixel and its neighbours."""
    y, x = at
    h, w = lab.shape
    v = lab[y, x]
    if v >= 0:
        if y > 0 and lab[y - 1, x] > v:
            v = lab[y - 1, x]
        if y < h - 1 and lab[y + 1, x] > v:
            v = lab[y + 1, x]
        if x > 0 and lab[y, x - 1] > v:
            v = lab[y, x - 1]
        if x < w - 1 and lab[y, x + 1] > v:
            v = lab[y, x + 1]
    out[y, x] = v


def eroded(at: Any, a: Any, out: Any) -> None:
    """The least of a window, guarded element by element."""
    y, x = at
    m = a[y, x]
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            yy = y + dy
            xx = x + dx
            if yy >= 0 and yy < a.shape[0] and xx >= 0 and xx < a.shape[1] and a[yy, xx] < m:
                m = a[yy, xx]
    out[y, x] = m


def grey_ints(at: Any, img: Any, out: Any) -> None:
    """Python's ints of bytes."""
    y, x = at
    r, g, b = int(img[y, x, 0]), int(img[y, x, 1]), int(img[y, x, 2])
    out[y, x] = (r * 77 + g * 150 + b * 29) >> 8


def cases() -> list[tuple[Any, Any, tuple[Any, ...]]]:
    """Return each kernel, its range, its arguments."""
    rng = np.random.default_rng(1)
    data = rng.integers(0, 256, 4 * COUNT, dtype=np.uint8)
    floats = [rng.random(2 * COUNT, dtype=np.float32) for _ in range(3)]
    rows = [rng.random((COUNT // 4, 3), dtype=np.float32) for _ in range(2)]
    lab = rng.integers(-1, 1000, (SIDE, SIDE)).astype(np.int32)
    square = floats[0][:COUNT].reshape(SIDE, SIDE)
    plane = (SIDE, SIDE)
    return [(hexadecimal, COUNT, (data[:COUNT], np.zeros(2 * COUNT, np.uint8))),
            (pixels, COUNT, (data, np.zeros_like(data))),
            (products, COUNT, tuple(floats)),
            (moved, COUNT // 4, (*rows, np.float32(0.01))),
            (labels, plane, (lab, np.zeros_like(lab))),
            (eroded, plane, (square, np.zeros_like(square))),
            (grey_ints, plane, (data[:3 * COUNT].reshape(SIDE, SIDE, 3),
                                np.zeros(plane, np.uint8)))]


def least(run: Callable[[], object]) -> float:
    """Return the processor time of a run in milliseconds."""
    before = time.process_time()
    run()
    return 1e3 * (time.process_time() - before)


def main() -> None:
    """Print a line for each kernel."""
    parser = argparse.ArgumentParser(prog="python -m bench.neighbours")
    parser.add_argument("--rounds", type=int, default=60)
    rounds = parser.parse_args().rounds
    queue = sycl.queue(sycl.cpu_selector_v)
    for kernel, space, arguments in cases():
        def run(kernel: Any = kernel, space: Any = space, arguments: Any = arguments) -> None:
            queue.parallel_for(space, kernel, *arguments).wait()
        run()
        print(f"{kernel.__name__:12} {min(least(run) for _ in range(rounds)):7.3f} ms")


if __name__ == "__main__":
    main()
