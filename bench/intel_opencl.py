"""Finds Intel's OpenCL runtime for the CPU among the installed packages, for pyopencl.

The wheel ``intel-opencl-rt`` installs the library but registers it at a path that does not exist,
so a registration of our own is written into a temporary folder. Must be called before pyopencl is
imported. Non-goals: any other OpenCL.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.harness import Missing

LIBRARY = "libintelocl.so"


def make_queue() -> tuple[Any, Any]:
    """Return a pyopencl context, to be kept, and a command queue on Intel's CPU device."""
    library = Path(sys.prefix) / "lib" / LIBRARY
    if not library.exists():
        raise Missing(f"no {LIBRARY} in {library.parent}: pip install intel-opencl-rt")
    vendors = Path(tempfile.mkdtemp(prefix="unisycl-bench-"))
    (vendors / "intel.icd").write_text(f"{library}\n")
    os.environ["OCL_ICD_VENDORS"] = str(vendors)
    os.environ["OCL_ICD_FILENAMES"] = str(library)
    os.environ["PYOPENCL_NO_CACHE"] = "1"
    import pyopencl as cl  # noqa: PLC0415 - reads the environment when it is loaded

    try:
        found = [d for p in cl.get_platforms() if "Intel" in p.name for d in p.get_devices()]
    except cl.LogicError as error:
        raise Missing(f"{LIBRARY} did not load (pip install intel-cmplr-lib-rt): {error}"
                      ) from None
    if not found:
        raise Missing("Intel's OpenCL platform has no device here")
    context = cl.Context(found[:1])
    return context, cl.CommandQueue(context)
