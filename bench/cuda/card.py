"""CUDA C++ on a card, by nothing but the driver's library: built, launched, timed by events.

Non-goals: unisycl, which is measured beside it. Invariant: what a call returns is looked at.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Any

SOURCES = tuple(Path(__file__).with_name(x) for x in ("kernels.cu", "more.cu"))


def build(folder: Path, arch: int) -> tuple[bytes, str]:
    """Return code of the kernels, and what built it: nvcc if it is there, else NVRTC."""
    tool = shutil.which("nvcc")
    text = "\n".join(x.read_text() for x in SOURCES)
    if tool is not None:
        source = folder / "all.cu"
        source.write_text(text)
        out = folder / "kernels.cubin"
        subprocess.run((tool, "-O3", "-std=c++17", f"-arch=sm_{arch}", "-cubin", "-o", out, source),
                       check=True)
        return out.read_bytes(), "nvcc -O3"
    from unisycl.backends.cuda.text import compile as compiler  # noqa: PLC0415 - only without nvcc

    code, log = compiler.compiler().compile(
        text, (f"--gpu-architecture=sm_{arch}", "--std=c++17"), "CUBIN")
    if not code:
        raise RuntimeError(log)
    return code, "NVRTC"


class Card:
    """The first card's primary context, a module of it, and a stream of our own."""

    def __init__(self) -> None:
        self.api = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(major), 75, device)
        self.call("cuDeviceGetAttribute", ctypes.byref(minor), 76, device)
        self.arch = 10 * major.value + minor.value
        self.stream = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(self.stream), 1)
        self._module = ctypes.c_void_p()
        self._events = [ctypes.c_void_p() for _ in range(2)]
        for event in self._events:
            self.call("cuEventCreate", ctypes.byref(event), 0)

    def call(self, name: str, *arguments: Any) -> None:
        """Call the driver; raise what went wrong."""
        status = getattr(self.api, name)(*arguments)
        if status:
            said = ctypes.c_char_p()
            self.api.cuGetErrorName(status, ctypes.byref(said))
            raise RuntimeError(f"{name}: {(said.value or b'?').decode()} ({status})")

    def load(self, code: bytes) -> None:
        """Load the kernels."""
        self.call("cuModuleLoadData", ctypes.byref(self._module), code)

    def launcher(self, name: str, grid: Any, pointers: list[int], numbers: tuple[int, ...]) -> Any:
        """Return what launches a kernel in our stream, its arguments made once."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), self._module, name.encode())
        cells = [*map(ctypes.c_uint64, pointers), *map(ctypes.c_int, numbers)]
        places = (ctypes.c_void_p * len(cells))(*map(ctypes.addressof, cells))
        groups, threads = ((*part, 1)[:3] for part in grid)
        given = (function, *map(ctypes.c_uint, (*groups, *threads, 0)), self.stream, places, None)
        launch = self.api.cuLaunchKernel

        def start(_: Any = cells) -> None:
            status = launch(*given)
            if status:
                raise RuntimeError(f"{name}: {status}")
        return start

    def clear(self, pointer: int, nbytes: int) -> None:
        """Set memory to zero, now."""
        self.call("cuMemsetD8_v2", ctypes.c_uint64(pointer), 0, ctypes.c_size_t(nbytes))
        self.call("cuCtxSynchronize")

    def finish(self) -> None:
        """Wait for all that was given to the card."""
        self.call("cuCtxSynchronize")

    def timed(self, stream: Any, work: Any) -> float:
        """Return the seconds that what is given to a stream takes on the card."""
        begin, end = self._events
        self.call("cuEventRecord", begin, stream)
        work()
        self.call("cuEventRecord", end, stream)
        self.call("cuEventSynchronize", end)
        found = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(found), begin, end)
        return found.value / 1e3
