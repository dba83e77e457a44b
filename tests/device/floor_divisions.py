"""Whether a floor division is compiled: ``python -m tests.device.floor_divisions DEVICE``.

Nothing but PyOpenCL: two floor divisions of one integer, the second asked for where the first is
not negative. Intel's compiler for processors (2026.2, pass ``instcombine``) does not end where the
quotient is compared by a product; it does with ``--remainder``. Non-goals: unisycl's own text
(tests/conformance/language/test_floor_divisions.py).
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import Any

import unisycl as sycl
from unisycl.testing import find_device

SECONDS = 10
"""How much time of the processor a build may take; it takes less than one."""
WAYS = {
    False: "const long q = a / b; return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;",
    True: "const long q = a / b, r = a % b; return r != 0 && (r < 0) != (b < 0) ? q - 1 : q;",
}
FORMS = (
    "bool v = 0 > fd(p, 3); if (!v) v = (fd(p, 5) & 3) == 3; o[0] = v;",
    "bool v = 0 > fd(p, 3); if (!v) v = fd(p, 5) > 7; o[0] = v;",
    "o[0] = fd(p, 3);",
)


def main() -> int:
    """Print which forms are compiled; the exit status is 1 if one is not."""
    parser = argparse.ArgumentParser(prog="python -m tests.device.floor_divisions")
    parser.add_argument("device")
    parser.add_argument("--remainder", action="store_true", help="compare the remainder with 0")
    options = parser.parse_args()
    failed = False
    for form in FORMS:
        text = (f"long fd(long a, long b) {{ {WAYS[options.remainder]} }}\n"
                f"__kernel void divide(const long p, __global long *o) {{ {form} }}")
        child = os.fork()
        if child == 0:
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            _build(options.device, text)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        failed |= bool(status)
        print(f"{form:68}", f"not compiled (signal {status})" if status else "compiled")
    return failed


def _build(name: str, text: str) -> None:
    device: Any = sycl.get_native(sycl.backend.opencl, find_device(name))
    import pyopencl as cl  # noqa: PLC0415 - once unisycl has shown it its runtimes

    cl._cl._Program(cl.Context([device]), text)._build(b"", [device])


if __name__ == "__main__":
    sys.exit(main())
