"""Whether a driver keeps negated floats: ``python -m tests.device.negations DEVICE``.

Nothing but PyOpenCL: each expression is computed, kept across a barrier and stored, in work-groups
of several sizes. On Intel's runtime for processors (2026.2) what LLVM makes a negation of is the
last item's for all of a work-group; not with ``--plain``, which builds with -cl-opt-disable.
Non-goals: unisycl's own text (tests/conformance/language/test_across_barriers.py).
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.testing import find_device

SIZES = (1, 2, 3, 8, 16, 17, 64)
FORMS = {
    "-x": lambda x: -x,
    "x * -1.0f": lambda x: -x,
    "x / -1.0f": lambda x: -x,
    "-0.0f - x": lambda x: -x,
    "0.0f - x": lambda x: -x,
    "-fabs(x)": lambda x: -abs(x),
    "fabs(-x)": lambda x: abs(x),
    "(float)(int)-x": lambda x: np.trunc(-x),
    "as_float(as_uint(x * 2.0f) ^ 0x80000000u)": lambda x: -2 * x,
    "as_float(as_uint(x) ^ (0x80000000u << (get_work_dim() >> 8)))": lambda x: -x,
    "x * 2.0f": lambda x: x * 2,
}


def main() -> int:
    """Print the sizes at which each form is wrong; the exit status is 1 if any is."""
    parser = argparse.ArgumentParser(prog="python -m tests.device.negations")
    parser.add_argument("device")
    parser.add_argument("--plain", action="store_true", help="build without optimisation")
    options = parser.parse_args()
    device: Any = sycl.get_native(sycl.backend.opencl, find_device(options.device))
    import pyopencl as cl  # noqa: PLC0415 - once unisycl has shown it its runtimes

    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    failed = False
    for form, reference in FORMS.items():
        program = cl._cl._Program(context, f"""
__kernel void keep(__global const float *a, __global float *b)
{{
    const size_t i = get_global_id(0);
    const float x = a[i];
    const float w = {form};
    barrier(CLK_LOCAL_MEM_FENCE);
    b[i] = w;
}}""")
        program._build(b"-cl-opt-disable" if options.plain else b"", [device])
        kernel: Any = cl.Kernel(program, "keep")
        wrong = [size for size in SIZES if not _right(cl, context, queue, kernel, size, reference)]
        failed |= bool(wrong)
        print(f"{form:64}", f"wrong in work-groups of {wrong}" if wrong else "right")
    return failed


def _right(cl: Any, context: Any, queue: Any, kernel: Any, size: int, reference: Any) -> bool:
    flags = cl.mem_flags
    a = np.arange(1, 4 * size + 1, dtype=np.float32)
    b = np.zeros_like(a)
    memory = [cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=x)
              for x in (a, b)]
    for k, one in enumerate(memory):
        kernel.set_arg(k, one)
    cl.enqueue_nd_range_kernel(queue, kernel, (a.size,), (size,))
    cl.enqueue_copy(queue, b, memory[1])
    return np.array_equal(reference(a), b)


if __name__ == "__main__":
    sys.exit(main())
