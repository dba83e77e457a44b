"""A product of matrices by tiles of local memory, in OpenCL C, as a bundle of source."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl.examples import matmul
from unisycl.ext.oneapi import experimental as ext

SIDE = 8
TEXT = f"""
#define SIDE {SIDE}
__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void product(__global const float *a, __global const float *b, __global float *c,
             int rows, int columns, int depth, __local float *x, __local float *y)
{{
    int column = get_global_id(0), row = get_global_id(1);
    int i = get_local_id(0), j = get_local_id(1);
    float total = 0;
    for (int first = 0; first < depth; first += SIDE) {{
        x[j * SIDE + i] = row < rows && first + i < depth ? a[row * depth + first + i] : 0;
        y[j * SIDE + i] = column < columns && first + j < depth
            ? b[(first + j) * columns + column] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < SIDE; k++)
            total += x[j * SIDE + k] * y[k * SIDE + i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }}
    if (row < rows && column < columns)
        c[row * columns + column] = total;
}}
"""


@pytest.mark.row("J-7")
@pytest.mark.parametrize("size", [(8, 8, 8), (11, 5, 19)])
def test_tiles_of_opencl_c_match_numpy(cl: Any, queue: sycl.queue, size: tuple[int, ...]) -> None:
    rows, columns, depth = size
    rng = np.random.default_rng(5)
    a = rng.normal(size=(rows, depth)).astype(np.float32)
    b = rng.normal(size=(depth, columns)).astype(np.float32)
    c = np.zeros((rows, columns), np.float32)
    source = ext.create_kernel_bundle_from_source(
        queue.get_context(), ext.source_language.opencl, TEXT)
    kernel = ext.build(source, [queue.get_device()]).ext_oneapi_get_kernel("product")
    whole = tuple(-(-n // SIDE) * SIDE for n in (rows, columns))
    with sycl.buffer(a) as ba, sycl.buffer(b) as bb, sycl.buffer(c) as bc:
        def group(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(ba, h, sycl.read_only), sycl.accessor(bb, h, sycl.read_only),
                       sycl.accessor(bc, h), np.int32(rows), np.int32(columns), np.int32(depth),
                       *(sycl.local_accessor(np.float32, SIDE * SIDE, h) for _ in range(2)))
            h.parallel_for(sycl.nd_range(whole, (SIDE, SIDE)), kernel)
        queue.submit(group)
    gap = np.abs(c - a.astype(np.float64) @ b)
    assert gap.max() <= matmul.error_bound(a, b)
