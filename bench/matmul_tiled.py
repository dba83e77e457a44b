"""Matrix product with tiles in local memory: barriers inside a loop."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bench.harness import OURS, Benchmark, Case, Implementation

N, TILE = 1024, 16


def operands() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return the two matrices, the same in every process."""
    random = np.random.default_rng(1)
    return (random.random((N, N), np.float32) - 0.5, random.random((N, N), np.float32) - 0.5)


def with_unisycl() -> Case:
    """16 x 16 work-groups over NumPy arrays used in place."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to this implementation's process

    a, b = operands()
    c = np.zeros_like(a)
    queue = sycl.queue(sycl.cpu_selector_v)

    @sycl.kernel
    def multiply(it: Any, left: Any, right: Any, out: Any, tile_l: Any, tile_r: Any) -> None:
        row, column = it.get_global_id(0), it.get_global_id(1)
        y, x = it.get_local_id(0), it.get_local_id(1)
        total = 0.0
        for first in range(0, N, TILE):
            tile_l[y, x] = left[row, first + x]
            tile_r[y, x] = right[first + y, column]
            sycl.group_barrier(it.get_group())
            for k in range(TILE):
                total += tile_l[y, k] * tile_r[k, x]
            sycl.group_barrier(it.get_group())
        out[row, column] = total

    extent = sycl.nd_range((N, N), (TILE, TILE))
    tiles = [sycl.local_accessor(np.float32, (TILE, TILE)) for _ in range(2)]
    return Case(lambda: queue.parallel_for(extent, multiply, a, b, c, *tiles).wait(), lambda: c)


OPENCL = """
__kernel void multiply(__global const float *left, __global const float *right,
                       __global float *out, int n)
{
    __local float tile_l[TILE][TILE], tile_r[TILE][TILE];
    int row = get_global_id(1), column = get_global_id(0);
    int y = get_local_id(1), x = get_local_id(0);
    float total = 0;
    for (int first = 0; first < n; first += TILE) {
        tile_l[y][x] = left[row * n + first + x];
        tile_r[y][x] = right[(first + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            total += tile_l[y][k] * tile_r[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[row * n + column] = total;
}
"""


def with_intel() -> Case:
    """The same kernel in OpenCL C, the tile size a constant as in ours."""
    from bench.intel_opencl import make_queue  # noqa: PLC0415 - sets up before pyopencl loads

    context, queue = make_queue()
    import pyopencl as cl  # noqa: PLC0415 - as above

    a, b = operands()
    out = np.zeros_like(a)
    flags = cl.mem_flags
    left, right = (cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=m)
                   for m in (a, b))
    target = cl.Buffer(context, flags.READ_WRITE, out.nbytes)
    kernel = cl.Program(context, OPENCL).build([f"-DTILE={TILE}"]).multiply

    def run() -> None:
        kernel(queue, (N, N), (TILE, TILE), left, right, target, np.int32(N)).wait()

    def result() -> Any:
        cl.enqueue_copy(queue, out, target)
        return out

    return Case(run, result, keep=context)


def check(result: Any) -> None:
    """Compare with NumPy within the rounding of N float32 additions."""
    a, b = operands()
    np.testing.assert_allclose(result, a @ b, rtol=0, atol=float(N * np.finfo(np.float32).eps))


BENCHMARK = Benchmark(
    title=f"{N}^3 float32, {TILE} x {TILE} local tiles, two barriers a tile",
    implementations={
        OURS: Implementation(with_unisycl),
        "intel-opencl": Implementation(with_intel, ("pyopencl",)),
    },
    check=check,
    work=2 * N**3 / 1e9,
    unit="GFLOP/s",
    bars={"intel-opencl": 1.0},
)
