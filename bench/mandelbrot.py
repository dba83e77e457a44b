"""Mandelbrot: divergent control flow, no memory traffic to speak of."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.harness import OURS, Benchmark, Case, Implementation

SIZE, LIMIT = 2048, 256
LEFT, TOP, STEP = -2.0, -1.25, 2.5 / SIZE


def with_unisycl() -> Case:
    """One pixel a work-item, through a NumPy array used in place."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to this implementation's process

    out = np.zeros((SIZE, SIZE), np.int32)
    queue = sycl.queue(sycl.cpu_selector_v)

    @sycl.kernel
    def mandelbrot(it: Any, image: Any) -> None:
        y, x = it
        c_re = np.float32(x) * STEP + LEFT
        c_im = np.float32(y) * STEP + TOP
        re: Any = 0.0
        im: Any = 0.0
        n = 0
        while n < LIMIT and re * re + im * im <= 4.0:
            t = re * re - im * im + c_re
            im = 2.0 * re * im + c_im
            re = t
            n += 1
        image[y, x] = n

    extent = sycl.range(SIZE, SIZE)
    return Case(lambda: queue.parallel_for(extent, mandelbrot, out).wait(), lambda: out)


def with_numba() -> Case:
    """Rows over threads, everything else Numba's own choice."""
    import numba  # noqa: PLC0415 - belongs to this implementation's process

    out = np.zeros((SIZE, SIZE), np.int32)
    step, left, top = np.float32(STEP), np.float32(LEFT), np.float32(TOP)

    @numba.njit(parallel=True, fastmath=True)  # type: ignore[untyped-decorator, unused-ignore]
    def mandelbrot(image: Any) -> None:
        for y in numba.prange(SIZE):
            for x in range(SIZE):
                c_re = np.float32(x) * step + left
                c_im = np.float32(y) * step + top
                re = np.float32(0)
                im = np.float32(0)
                n = 0
                while n < LIMIT and re * re + im * im <= np.float32(4):
                    t = re * re - im * im + c_re
                    im = np.float32(2) * re * im + c_im
                    re = t
                    n += 1
                image[y, x] = n

    return Case(lambda: mandelbrot(out), lambda: out)


OPENCL = """
__kernel void mandelbrot(__global int *image, int size, int limit, float left, float top,
                         float step)
{
    int x = get_global_id(0), y = get_global_id(1);
    float c_re = x * step + left, c_im = y * step + top, re = 0, im = 0;
    int n = 0;
    while (n < limit && re * re + im * im <= 4.0f) {
        float t = re * re - im * im + c_re;
        im = 2.0f * re * im + c_im;
        re = t;
        n++;
    }
    image[y * size + x] = n;
}
"""


def with_intel() -> Case:
    """The same kernel in OpenCL C."""
    from bench.intel_opencl import make_queue  # noqa: PLC0415 - sets up before pyopencl loads

    context, queue = make_queue()
    import pyopencl as cl  # noqa: PLC0415 - as above

    out = np.zeros((SIZE, SIZE), np.int32)
    image = cl.Buffer(context, cl.mem_flags.READ_WRITE, out.nbytes)
    kernel = cl.Program(context, OPENCL).build().mandelbrot
    numbers = (np.int32(SIZE), np.int32(LIMIT), np.float32(LEFT), np.float32(TOP),
               np.float32(STEP))

    def run() -> None:
        kernel(queue, (SIZE, SIZE), None, image, *numbers).wait()

    def result() -> Any:
        cl.enqueue_copy(queue, out, image)
        return out

    return Case(run, result, keep=context)


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


BENCHMARK = Benchmark(
    title=f"{SIZE} x {SIZE} float32, at most {LIMIT} iterations, one pixel a work-item",
    implementations={
        OURS: Implementation(with_unisycl),
        "numba": Implementation(with_numba, ("numba",)),
        "intel-opencl": Implementation(with_intel, ("pyopencl",)),
    },
    check=check,
    bars={"numba": 6.0},
)
