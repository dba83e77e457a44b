"""Whether vectors keep branches in loops apart: ``python -m tests.device.branches DEVICE``.

Nothing but PyOpenCL: loops with a branch whose condition is an item's own and does not change. On
Intel's runtime for processors (2026.2) all items of a vector take the first one's side; not with
``--cold``, which gives the kernels the attribute cold. Non-goals: unisycl's own text
(tests/conformance/language/test_branches_in_loops.py).
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.testing import find_device

SIZES = (1, 2, 4, 8, 16, 17, 32, 64)
LOOPS = {
    "if (i & 1) s += a[j]; else s += c[j];": lambda i, j: (j + 1) if i & 1 else 2 * j,
    "s += (i & 1) ? a[j] : c[j];": lambda i, j: (j + 1) if i & 1 else 2 * j,
    "s += a[j]; if (i > 3) s += c[j];": lambda i, j: j + 1 + (2 * j if i > 3 else 0),
    "if (j == 3 && i % 3 == 1) continue; const int m = c[j]; if (m < 12) s += a[m];":
        lambda i, j: 0 if (j == 3 and i % 3 == 1) or 2 * j >= 12 else 2 * j + 1,
    "if ((i + j) & 1) s += a[j];": lambda i, j: (j + 1) if (i + j) & 1 else 0,
}


def main() -> int:
    """Print the sizes at which each loop is wrong; the exit status is 1 if any is."""
    parser = argparse.ArgumentParser(prog="python -m tests.device.branches")
    parser.add_argument("device")
    parser.add_argument("--cold", action="store_true", help="kernels of the attribute cold")
    options = parser.parse_args()
    device: Any = sycl.get_native(sycl.backend.opencl, find_device(options.device))
    import pyopencl as cl  # noqa: PLC0415 - once unisycl has shown it its runtimes

    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    word, failed = "__attribute__((cold))" if options.cold else "", False
    for loop, term in LOOPS.items():
        program = cl._cl._Program(context, f"""
__kernel {word} void add(__global const float *a, __global const int *c, __global float *o, int n)
{{
    const int i = get_global_id(0);
    float s = 0;
    for (int j = 0; j < n; j++) {{ {loop} }}
    o[i] = s;
}}""")
        program._build(b"", [device])
        kernel: Any = cl.Kernel(program, "add")
        wrong = [size for size in SIZES if not _right(cl, context, queue, kernel, size, term)]
        failed |= bool(wrong)
        print(f"{loop:80}", f"wrong in work-groups of {wrong}" if wrong else "right")
    return failed


def _right(cl: Any, context: Any, queue: Any, kernel: Any, size: int, term: Any) -> bool:
    flags, count = cl.mem_flags, 4 * size
    out = np.zeros(count, np.float32)
    given = (np.arange(1, 65, dtype=np.float32), 2 * np.arange(64, dtype=np.int32), out)
    memory = [cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=x) for x in given]
    for k, value in enumerate((*memory, np.int32(8))):
        kernel.set_arg(k, value)
    cl.enqueue_nd_range_kernel(queue, kernel, (count,), (size,))
    cl.enqueue_copy(queue, out, memory[2])
    return bool(np.array_equal([sum(term(i, j) for j in range(8)) for i in range(count)], out))


if __name__ == "__main__":
    sys.exit(main())
