"""Mandelbrot: divergent control flow, no memory traffic to speak of."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench import ours
from bench.harness import OURS, Benchmark, Case, Implementation, Work, sized
from bench.peers.opencl import one_kernel
from bench.peers.start import numba, taichi, warp

SIZE, LIMIT = sized(2048, 128), 256
LEFT, TOP, STEP = -2.0, -1.25, 2.5 / SIZE


def operands() -> Work:
    """Return the image, the number of iterations, the corner and the step."""
    return Work((np.zeros((SIZE, SIZE), np.int32), np.int32(LIMIT), np.float32(LEFT),
                 np.float32(TOP), np.float32(STEP)), 0)


def with_unisycl() -> Case:
    """One pixel a work-item, through a NumPy array used in place."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def mandelbrot(it: Any, image: Any, limit: Any, left: Any, top: Any, step: Any) -> None:
        y, x = it
        c_re = np.float32(x) * step + left
        c_im = np.float32(y) * step + top
        re = im = np.float32(0)
        n = 0
        while n < limit and re * re + im * im <= np.float32(4):
            t = re * re - im * im + c_re
            im = np.float32(2) * re * im + c_im
            re = t
            n += 1
        image[y, x] = n

    return ours.launch(sycl.range(SIZE, SIZE), mandelbrot, operands())


def check(result: Any) -> None:
    """Compare every 16th pixel with NumPy; contraction to FMA may move pixels at the edge."""
    place = np.arange(0, SIZE, 16, dtype=np.float32)
    step = np.float32(STEP)
    c_re = np.broadcast_to(place * step + np.float32(LEFT), (len(place), len(place)))
    c_im = (place * step + np.float32(TOP))[:, None]
    re, im = np.zeros_like(c_re), np.zeros_like(c_re)
    n = np.zeros(c_re.shape, np.int32)
    for _ in range(LIMIT):
        go = re * re + im * im <= 4
        n += go
        re, im = (np.where(go, re * re - im * im + c_re, re),
                  np.where(go, 2 * re * im + c_im, im))
    wrong = float(np.mean(result[::16, ::16] != n))
    assert wrong <= 0.02, f"{wrong:.1%} of the pixels differ from NumPy's"


BENCHMARKS = {"mandelbrot": Benchmark(
    title=f"{SIZE} x {SIZE} float32, at most {LIMIT} iterations, one pixel a work-item",
    implementations={OURS: Implementation(with_unisycl), **ours.one_thread(with_unisycl),
                     **numba("mandelbrot", operands),
                     **taichi("mandelbrot", operands), **warp("mandelbrot", operands, (SIZE, SIZE)),
                     **one_kernel("mandelbrot", operands, (SIZE, SIZE))},
    check=check)}

if __name__ == "__main__":
    ours.show(BENCHMARKS)
