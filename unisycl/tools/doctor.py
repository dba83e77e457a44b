"""``python -m unisycl doctor``: what was looked for, what works, and why something does not.

Non-goals: mending anything. Exit status 1 if a backend that was looked for does not work.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import platform
import time
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.backends import registry
from unisycl.backends.cpu.compile.target import binding, compiler_version, levels
from unisycl.base import settings
from unisycl.oneapi.frame import providers
from unisycl.process import disk_cache
from unisycl.ranks.links import oneccl

COUNT = 1000
VECTORS = ("avx512f", "avx2", "avx", "sse4.2", "neon", "sve")


def add_command(commands: Any) -> None:
    """Add ``doctor`` to the command line."""
    parser = commands.add_parser("doctor", help="say what works here and what does not")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the findings; exit status 1 if a backend does not work."""
    del options
    for label, value in (*versions(), *machine(), *environment(), *providers.findings(),
                         *ranks()):
        print(f"{label:17} {value}")
    failures, absent = registry.problems(), registry.absent()
    for name, why in failures.items():
        print(f"{name:17} {'not here' if name in absent else 'refused'}: {why}")
    healthy = not failures.keys() - absent
    for place in sycl.platform.get_platforms():
        for device in place.get_devices():
            error, spent = smoke(device)
            healthy = healthy and not error
            verdict = f"fails: {error}" if error else (
                f"works: {COUNT} work-items in {spent:.1f} ms, starting and compiling included")
            about = f"{device.get_info(sycl.info.device.name)} on "
            about += place.get_info(sycl.info.platform.name)
            print(f"{device.state.name:18}{about}: {verdict}")
    try:
        sycl.device()
    except sycl.exception as error:
        healthy = False
        print(f"{'the default':18}fails: {error}")
    print("all is well" if healthy else "something is wrong, see above")
    return 0 if healthy else 1


def versions() -> list[tuple[str, str]]:
    """Return the versions of Python and of what unisycl stands on."""
    rows = [("Python", f"{platform.python_version()} {platform.python_implementation()}")]
    for package in ("unisycl", "numpy", "llvmlite"):
        try:
            rows.append((package, importlib.metadata.version(package)))
        except importlib.metadata.PackageNotFoundError:
            rows.append((package, "runs from its source tree" if package == "unisycl" else
                         "is not installed"))
    if compiler_version():
        rows.append(("LLVM", ".".join(map(str, binding().llvm_version_info))))
    return rows


def machine() -> list[tuple[str, str]]:
    """Return the processor, its vector instructions and the threads this process may use."""
    found = f"{' '.join(levels()) or platform.machine()}, without a compiler"
    if compiler_version():
        features = binding().get_host_cpu_features()
        vectors = [name for name in VECTORS if features.get(name)]
        found = f"{binding().get_host_cpu_name()}, {', '.join(vectors) or 'no vectors'}"
    return [("processor", found),
            ("threads", str(len(os.sched_getaffinity(0)))),
            ("system", platform.platform())]


def environment() -> list[tuple[str, str]]:
    """Return all settings with their values, and the variables that mean nothing."""
    where, why = disk_cache.find()
    rows = [("cache", str(where or why or "none, as UNISYCL_CACHE says"))]
    rows += [(v.name, stated(v)) for v in settings.VARIABLES.values()]
    return rows + [(name, "means nothing" + (f"; did you mean {close}?" if close else ""))
                   for name, close in settings.unknown()]


def stated(setting: settings.Variable[object]) -> str:
    """Return the value of a setting, what is wrong with it, and what holds where it is not set."""
    text, unset = setting.get().strip(), f"not set: {plain(setting.unset)}"
    try:
        setting.value()
    except sycl.exception:
        return f"{text} means nothing; expected {plain(setting.values)}"
    return f"{text} ({unset})" if text else unset


def plain(text: str) -> str:
    """Return a text of docs/settings.md without the marks of code."""
    return text.replace("`", "")


def ranks() -> list[tuple[str, str]]:
    """Return by what ranks reach one another; MPI is not started for it."""
    rows = [("ccl", f"mpi4py {importlib.metadata.version('mpi4py')}" if importlib.util.find_spec(
        "mpi4py") is not None else "threads alone; pip install 'unisycl[mpi]' gives processes")]
    return [*rows, ("", oneccl.finding())]


@sycl.kernel
def fill_squares(i: sycl.item, out: Any) -> None:
    """Write the square of each index: the kernel that a device has to run."""
    out[i] = int(i) * int(i)


def smoke(device: sycl.device) -> tuple[str, float]:
    """Run a kernel on a device; return what went wrong, if anything, and the milliseconds."""
    result = np.zeros(COUNT, np.int64)
    begin = time.perf_counter()
    try:
        with sycl.buffer(result) as target:
            def group(h: sycl.handler) -> None:
                out = sycl.accessor(target, h, sycl.write_only)
                h.parallel_for(sycl.range(COUNT), fill_squares, out)
            sycl.queue(device).submit(group)
    except sycl.exception as error:
        return str(error).splitlines()[0], 0.0
    spent = (time.perf_counter() - begin) * 1e3
    right = np.array_equal(result, np.arange(COUNT) ** 2)
    return "" if right else "the result of the kernel is wrong", spent
