"""Finds OpenCL runtimes for the CPU, each by its library, whatever is registered on the machine.

The wheel ``intel-opencl-rt`` installs the library but registers it at a path that does not exist,
so registrations of our own are written into a temporary folder. Non-goals: OpenCL itself.
Invariant: called before pyopencl or dpctl is imported, which read the environment once.
"""

from __future__ import annotations

import os
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import NamedTuple

from bench.harness import Missing


class Vendor(NamedTuple):
    """One OpenCL implementation: its platform's name, its library, where from."""

    platform: str
    library: str
    wheel: str


VENDORS = {
    "intel-opencl": Vendor("Intel", "libintelocl.so", "intel-opencl-rt and intel-cmplr-lib-rt"),
    "pocl": Vendor("Portable Computing", "libpocl*.so*", "pocl-binary-distribution"),
}
# Graphics cards are measured where there is one; ours then runs there too (UNISYCL_DEVICE).
_CARD = Vendor("NVIDIA", "libnvidia-opencl.so.1", "")
_CARDS = (Path("/usr/local/nvidia/lib64"), Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/lib64"))
if any((folder / _CARD.library).is_file() for folder in _CARDS):
    VENDORS["nvidia-opencl"] = _CARD


def find(name: str) -> Path:
    """Return the library of a vendor; ``Missing`` says what to install."""
    vendor = VENDORS[name]
    packages = Path(sysconfig.get_path("platlib"))
    for folder in (Path(sys.prefix) / "lib", packages / "pyopencl" / ".libs",
                   packages / "pocl_binary_distribution" / ".libs", *_registered(), *_CARDS,
                   Path("/usr/lib/x86_64-linux-gnu"), Path("/usr/lib/aarch64-linux-gnu")):
        for library in sorted(folder.glob(vendor.library)):
            return library
    raise Missing(f"no {vendor.library} found: pip install {vendor.wheel}")


def _registered() -> list[Path]:
    """Return the folders of the libraries that are registered on the machine."""
    files = [f for root in (Path(sys.prefix) / "etc", Path("/etc"))
             for f in sorted((root / "OpenCL" / "vendors").glob("*.icd"))]
    return [Path(f.read_text().strip()).parent for f in files]


def register(name: str) -> Path:
    """Let this process see one vendor's runtime; return the library."""
    library = find(name)
    folder = Path(tempfile.mkdtemp(prefix="unisycl-bench-"))
    (folder / "vendor.icd").write_text(f"{library}\n")
    os.environ["OCL_ICD_VENDORS"] = str(folder)
    os.environ["OCL_ICD_FILENAMES"] = str(library)
    os.environ["PYOPENCL_NO_CACHE"] = "1"
    return library
