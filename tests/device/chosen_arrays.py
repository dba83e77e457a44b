"""Whether one of two private arrays can be read: ``python -m tests.device.chosen_arrays DEVICE``.

Nothing but PyOpenCL: each item reads one of its two arrays, by data. On Intel's runtime for
processors (2026.2) most items of groups of 16 and more get a wrong element; not with ``--joined``,
which makes the arrays members of one struct. Non-goals: unisycl's own text
(tests/conformance/language/test_chosen_arrays.py).
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.testing import find_device

SIZES = (1, 2, 4, 8, 16, 17, 32, 64)
READS = {
    "if (a[i] % 3 == 1) w = X[k]; else w = Y[k];": lambda x, y, k, one: x[k] if one else y[k],
    "w = a[i] % 3 == 1 ? X[k] : Y[3 - k];": lambda x, y, k, one: x[k] if one else y[3 - k],
    "w = X[k]; if (a[i] % 3 == 1) w = Y[k];": lambda x, y, k, one: y[k] if one else x[k],
    "if (a[i] % 3 == 1) X[k] = 7; else Y[k] = 7; w = X[0] + Y[0];":
        lambda x, y, k, one: x[0] + y[0] if k else 7 + (y[0] if one else x[0]),
}


def main() -> int:
    """Print the sizes at which each read is wrong; the exit status is 1 if any is."""
    parser = argparse.ArgumentParser(prog="python -m tests.device.chosen_arrays")
    parser.add_argument("device")
    parser.add_argument("--joined", action="store_true", help="the arrays in one struct")
    options = parser.parse_args()
    device: Any = sycl.get_native(sycl.backend.opencl, find_device(options.device))
    import pyopencl as cl  # noqa: PLC0415 - once unisycl has shown it its runtimes

    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    memory = "struct { int x[4], y[4]; } own;" if options.joined else "int x[4], y[4];"
    x, y = ("own.x", "own.y") if options.joined else ("x", "y")
    failed = False
    for read, meaning in READS.items():
        program = cl._cl._Program(context, f"""
__kernel void choose(__global const int *a, __global int *o)
{{
    const int i = get_global_id(0), k = (i >> 2) & 3;
    int w;
    {memory}
    for (int q = 0; q < 4; q++) {{ {x}[q] = a[i] + q; {y}[q] = a[i] * q; }}
    {read.replace("X", x).replace("Y", y)}
    o[i] = w;
}}""")
        program._build(b"", [device])
        kernel: Any = cl.Kernel(program, "choose")
        wrong = [size for size in SIZES if not _right(cl, context, queue, kernel, size, meaning)]
        failed |= bool(wrong)
        print(f"{read:64}", f"wrong in work-groups of {wrong}" if wrong else "right")
    return failed


def _right(cl: Any, context: Any, queue: Any, kernel: Any, size: int, meaning: Any) -> bool:
    flags, count = cl.mem_flags, 4 * size
    given, out = np.arange(count, dtype=np.int32), np.zeros(count, np.int32)
    memory = [cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=a)
              for a in (given, out)]
    for k, value in enumerate(memory):
        kernel.set_arg(k, value)
    cl.enqueue_nd_range_kernel(queue, kernel, (count,), (size,))
    cl.enqueue_copy(queue, out, memory[1])
    return bool(np.array_equal([meaning([i, i + 1, i + 2, i + 3], [0, i, 2 * i, 3 * i],
                                        (i >> 2) & 3, i % 3 == 1) for i in range(count)], out))


if __name__ == "__main__":
    sys.exit(main())
