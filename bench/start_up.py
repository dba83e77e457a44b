"""What comes before the first result: importing, compiling, room on disk and in memory."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path

from bench.fresh import ROOT, number_of
from bench.harness import OURS, Benchmark, Case, Implementation

KERNEL, MEMORY = (str(ROOT / "bench" / name) for name in ("cold_kernel.py", "peak_memory.py"))
IMPORT = """
import time, {first}
begin = time.perf_counter()
import {second}
{then}
print(time.perf_counter() - begin)
"""


def cold() -> Case:
    """``bench/cold_kernel.py`` in a process of its own."""
    return Case(lambda: number_of(KERNEL))


def warm() -> Case:
    """The same once another process has compiled it."""
    cache = tempfile.TemporaryDirectory(prefix="unisycl-bench-")
    number_of(KERNEL, cache=cache.name)
    return Case(lambda: number_of(KERNEL, cache=cache.name), keep=cache)


def imported(first: str, second: str, then: str = "") -> Case:
    """Import one module after another in a process of its own."""
    program = IMPORT.format(first=first, second=second, then=then)
    return Case(lambda: number_of("-c", program))


def installed(*packages: str) -> Case:
    """Return the size of packages and the libraries beside them, in MiB."""
    total = 0
    for package in packages:
        spec = importlib.util.find_spec(package)
        assert spec is not None
        for place in spec.submodule_search_locations or []:
            folder = Path(place)
            for root in (folder, folder.with_name(f"{package}.libs")):
                total += sum(f.lstat().st_size for f in root.rglob("*")
                             if f.is_file() and f.suffix != ".pyc")
    return Case(lambda: total / 2**20)


def peak(name: str) -> Case:
    """``bench/peak_memory.py`` in a process of its own: MiB beyond the arrays."""
    return Case(lambda: number_of(MEMORY, name))


MIB = ("MiB", 1.0)
BENCHMARKS = {
    "cold_compile": Benchmark(
        "a kernel of 20 lines in a fresh process, from the call to the launch, nothing cached",
        {OURS: Implementation(cold)}, single=True),
    "warm_start": Benchmark(
        "the same when an earlier process has cached the kernel",
        {OURS: Implementation(warm)}, single=True),
    "import_time": Benchmark(
        "import in a fresh process, NumPy included",
        {OURS: Implementation(lambda: imported("sys", "unisycl", "import numpy")),
         "unisycl-beyond-numpy": Implementation(lambda: imported("numpy", "unisycl"),
                                                counted=False),
         "unisycl-and-a-queue": Implementation(
             lambda: imported("sys", "unisycl", "unisycl.queue()"), counted=False),
         "numpy": Implementation(lambda: imported("sys", "numpy"), counted=False),
         "numba": Implementation(lambda: imported("sys", "numba"), ("numba",)),
         "taichi": Implementation(lambda: imported("sys", "taichi"), ("taichi",)),
         "warp": Implementation(lambda: imported("sys", "warp"), ("warp",)),
         "pyopencl": Implementation(lambda: imported("sys", "pyopencl"), ("pyopencl",))},
        single=True),
    "installed_size": Benchmark(
        "packages on disk with what they need, without compiled Python files",
        {OURS: Implementation(lambda: installed("unisycl", "numpy", "llvmlite")),
         "numba": Implementation(lambda: installed("numba", "numpy", "llvmlite"), ("numba",)),
         "taichi": Implementation(lambda: installed("taichi", "numpy"), ("taichi",)),
         "warp": Implementation(lambda: installed("warp", "numpy"), ("warp",))},
        shown=MIB, single=True),
    "peak_memory": Benchmark(
        "greatest resident size of a process with two kernels, beyond Python, NumPy and the arrays",
        {OURS: Implementation(lambda: peak("unisycl")),
         "numba": Implementation(lambda: peak("numba"), ("numba",))},
        shown=MIB, single=True),
}
