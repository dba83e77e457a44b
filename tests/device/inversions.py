"""Whether ~x is kept beside min and max: ``python -m tests.device.inversions DEVICE``.

Nothing but PyOpenCL: the greater or lesser of two integers, one of them with its bits turned. On
Intel's runtime for processors (2026.2) with AVX-512 it is taken of x instead in groups of 8 and
less; not with ``--hidden``, which turns the bits where the compiler does not see it. Non-goals:
unisycl's own text (tests/conformance/language/test_inversions.py).
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.testing import find_device

SIZES = (1, 2, 4, 8, 16, 32, 64)
FORMS = {
    "max(v, ~w)": lambda v, w: np.maximum(v, ~w),
    "min(v, ~w)": lambda v, w: np.minimum(v, ~w),
    "max(~v, ~w)": lambda v, w: np.maximum(~v, ~w),
    "v > ~w ? v : ~w": lambda v, w: np.maximum(v, ~w),
    "max(v, -1 - w)": lambda v, w: np.maximum(v, -1 - w),
    "~v": lambda v, w: ~v,
}


def main() -> int:
    """Print the sizes at which each form is wrong; the exit status is 1 if any is."""
    parser = argparse.ArgumentParser(prog="python -m tests.device.inversions")
    parser.add_argument("device")
    parser.add_argument("--hidden", action="store_true", help="by a shift that nobody knows")
    options = parser.parse_args()
    device: Any = sycl.get_native(sycl.backend.opencl, find_device(options.device))
    import pyopencl as cl  # noqa: PLC0415 - once unisycl has shown it its runtimes

    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    turned = "((~{0}) << (get_work_dim() >> 8))" if options.hidden else "(~{0})"
    failed = False
    for form, meaning in FORMS.items():
        text = form.replace("~v", turned.format("v")).replace("~w", turned.format("w"))
        if options.hidden:
            text = text.replace("-1 - w", turned.format("w"))
        program = cl._cl._Program(context, f"""
__kernel void choose(__global const int *a, __global const int *b, __global int *o)
{{
    const int i = get_global_id(0), v = a[i], w = b[i];
    o[i] = {text};
}}""")
        program._build(b"", [device])
        kernel: Any = cl.Kernel(program, "choose")
        wrong = [size for size in SIZES if not _right(cl, context, queue, kernel, size, meaning)]
        failed |= bool(wrong)
        print(f"{form:20}", f"wrong in work-groups of {wrong}" if wrong else "right")
    return failed


def _right(cl: Any, context: Any, queue: Any, kernel: Any, size: int, meaning: Any) -> bool:
    flags, count = cl.mem_flags, 128
    a, b = (np.random.default_rng(k).integers(-9, 9, count, np.int32) for k in (1, 2))
    out = np.zeros(count, np.int32)
    memory = [cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=x)
              for x in (a, b, out)]
    for k, value in enumerate(memory):
        kernel.set_arg(k, value)
    cl.enqueue_nd_range_kernel(queue, kernel, (count,), (size,))
    cl.enqueue_copy(queue, out, memory[2])
    return bool(np.array_equal(meaning(a, b), out))


if __name__ == "__main__":
    sys.exit(main())
