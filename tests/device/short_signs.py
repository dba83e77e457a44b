"""Whether a negated short keeps its sign: ``python -m tests.device.short_signs DEVICE``.

Nothing but PyOpenCL: the negative of -32768, by several spellings, widened and compared. NVIDIA's
580.159 makes 32768 of it; not with ``--hidden``, which narrows what a mov in PTX has copied.
Non-goals: unisycl's own text (tests/conformance/language/test_edges_of_numbers.py).
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.testing import find_device

FORMS = {
    "-a[i]": -32768, "a[i] * -1": -32768, "~(a[i] - 1)": -32768, "abs((int)a[i])": -32768,
    "-a[i] - 1": 32767,
}
HIDDEN = """short low(int x)
{
    int y;
    asm("mov.b32 %0, %1;" : "=r"(y) : "r"(x));
    return (short)y;
}
"""


def main() -> int:
    """Print each form and what is wrong of it; the exit status is 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m tests.device.short_signs")
    parser.add_argument("device")
    parser.add_argument("--hidden", action="store_true", help="by a copy that nobody sees through")
    options = parser.parse_args()
    device: Any = sycl.get_native(sycl.backend.opencl, find_device(options.device))
    import pyopencl as cl  # noqa: PLC0415 - once unisycl has shown it its runtimes

    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    a = np.full(4, -32768, np.int16)
    given = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=a)
    wrong = 0
    for form, expected in FORMS.items():
        short = f"low({form})" if options.hidden else f"(short)({form})"
        text = (HIDDEN if options.hidden else "") + (
            "__kernel void k(__global const short *a, __global long *o)\n"
            "{ long i = get_global_id(0);\n"
            f"  o[2 * i] = (long){short}; o[2 * i + 1] = {short} < 0; }}")
        found = np.zeros(8, np.int64)
        out = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, found.nbytes)
        cl.Program(context, text).build().k(queue, (4,), None, given, out)
        cl.enqueue_copy(queue, found, out)
        right = bool((found.reshape(4, 2) == (expected, expected < 0)).all())
        wrong += not right
        print(f"{form}: {'right' if right else found[:2].tolist()}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
