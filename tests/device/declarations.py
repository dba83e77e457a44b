"""What PoCL's header costs each text: ``python -m tests.device.declarations [DEVICE]``.

Builds kernels of one line, each with another constant, with the whole header and with declarations
of what they call, in turns; prints the processor time of ``clBuildProgram``. Non-goals: what
follows it (PoCL compiles when the first launch comes).
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from typing import Any

import unisycl as sycl
from unisycl.backends.opencl.text import declarations
from unisycl.testing import device_names, find_device

TEXT = """__kernel void one(__global float *a)
{{
    a[get_global_id(0)] = sqrt(a[get_global_id(0)]) + {};
}}
"""


def main() -> None:
    """Print both times."""
    os.environ["POCL_KERNEL_CACHE"] = "0"
    names = [n for n in device_names() if "Portable" in find_device(n).get_platform().get_info(
        sycl.info.platform.name)]
    parser = argparse.ArgumentParser(prog="python -m tests.device.declarations")
    parser.add_argument("device", nargs="?", default=names[0] if names else None)
    device = find_device(parser.parse_args().device or "opencl")
    native: Any = sycl.get_native(sycl.backend.opencl, device)
    import pyopencl as cl  # noqa: PLC0415 - once unisycl has shown it its runtimes

    context, library = cl.Context([native]), device.state.driver.traits.library
    begun = time.process_time()
    declarations.head(library, "")
    print(f"reading the header once: {1e3 * (time.process_time() - begun):.0f} ms")
    spent: dict[str, list[float]] = {"whole": [], "of what is called": []}
    for k in range(21):
        for way, times in spent.items():
            text = TEXT.format(k)
            begun = time.process_time()
            head = "" if way == "whole" else declarations.head(library, text)
            program = cl._cl._Program(context, head + text)
            words = "-cl-std=CL3.0" + (f" {declarations.WITHOUT}" if head else "")
            program._build(words.encode(), [native])
            times.append(time.process_time() - begun)
    for way, times in spent.items():
        print(f"declarations {way}: {1e3 * statistics.median(times):.1f} ms")


if __name__ == "__main__":
    main()
