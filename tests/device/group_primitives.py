"""Group functions of a card beside CUB's block primitives, by the card's own times.

::

    python -m tests.device.group_primitives [--include FOLDER]

Work-groups of 256 reduce, or scan, 256 values of float32 each after another, each from what the
last one gave. CUB is compiled by NVRTC from the toolkit's headers (``--include``, as often as
needed). Non-goals: algorithms over memory (``tests.device.libraries``).
"""

from __future__ import annotations

import argparse
import functools
import statistics
from typing import Any

import numpy as np

import unisycl as sycl

ext: Any = sycl.ext.oneapi.experimental
ITEMS, TURNS, GROUPS, ROUNDS = 256, 256, 132 * 16, 9
TEXT = """
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
extern "C" __global__ void __launch_bounds__(256) by_reduce(float *out)
{
    typedef cub::BlockReduce<float, 256> Reduce;
    __shared__ typename Reduce::TempStorage room;
    __shared__ float all;
    float x = threadIdx.x;
    for (int k = 0; k < 256; k++) {
        const float sum = Reduce(room).Sum(x);
        if (threadIdx.x == 0) all = sum;
        __syncthreads();
        x = x * 0.5f + all * 0.001f + 1.0f;
        __syncthreads();
    }
    out[blockIdx.x * 256 + threadIdx.x] = x;
}
extern "C" __global__ void __launch_bounds__(256) by_scan(float *out)
{
    typedef cub::BlockScan<float, 256> Scan;
    __shared__ typename Scan::TempStorage room;
    float x = threadIdx.x;
    for (int k = 0; k < 256; k++) {
        float sum;
        Scan(room).InclusiveSum(x, sum);  // sum: up to this work-item
        __syncthreads();
        x = x * 0.5f + sum * 0.001f + 1.0f;
    }
    out[blockIdx.x * 256 + threadIdx.x] = x;
}
"""


def by_reduce(it: Any, out: Any) -> None:
    group, x = it.get_group(), np.float32(it.get_local_id(0))
    for _ in range(TURNS):
        total = sycl.reduce_over_group(group, x, sycl.plus())
        x = x * np.float32(0.5) + total * np.float32(0.001) + np.float32(1)
    out[it.get_global_id(0)] = x


def by_scan(it: Any, out: Any) -> None:
    group, x = it.get_group(), np.float32(it.get_local_id(0))
    for _ in range(TURNS):
        sums = sycl.inclusive_scan_over_group(group, x, sycl.plus())
        x = x * np.float32(0.5) + sums * np.float32(0.001) + np.float32(1)
    out[it.get_global_id(0)] = x


def timed(submit: Any) -> float:
    about, event = sycl.info.event_profiling, submit()
    event.wait_and_throw()
    return float(event.get_profiling_info(about.command_end)
                 - event.get_profiling_info(about.command_start)) / 1e3


def main() -> None:
    """Print both times of each, and the ratio."""
    parser = argparse.ArgumentParser(prog="tests.device.group_primitives", description=__doc__)
    parser.add_argument("--include", action="append", default=[])
    options = parser.parse_args()
    q = sycl.queue(sycl.device("cuda"), sycl.property.queue.enable_profiling())
    bundle = ext.build(ext.create_kernel_bundle_from_source(
        q.get_context(), ext.source_language.cuda, TEXT), ext.build_options(
            *(f"--include-path={x}" for x in options.include), "--std=c++17"))
    out = sycl.malloc_device(GROUPS * ITEMS, np.float32, q)
    shape = sycl.nd_range(GROUPS * ITEMS, ITEMS)
    for ours in (by_reduce, by_scan):
        kernel = bundle.ext_oneapi_get_kernel(ours.__name__)

        def group(h: Any, kernel: Any = kernel) -> None:
            h.set_args(out)
            h.parallel_for(shape, kernel)

        ways = {"unisycl": functools.partial(q.parallel_for, shape, ours, out),
                "CUB": functools.partial(q.submit, group)}
        found: dict[str, list[float]] = {name: [] for name in ways}
        results = {}
        for _ in range(ROUNDS):
            for name, submit in ways.items():
                found[name].append(timed(submit))
                results[name] = np.zeros(GROUPS * ITEMS, np.float32)
                q.memcpy(results[name], out, results[name].nbytes).wait_and_throw()
        np.testing.assert_allclose(results["unisycl"], results["CUB"], 1e-3)
        a, b = (statistics.median(found[name][2:]) for name in ways)
        print(f"{ours.__name__}: unisycl {a:.1f} us, CUB {b:.1f} us, {b / a:.3f} of CUB's speed",
              flush=True)


if __name__ == "__main__":
    main()
