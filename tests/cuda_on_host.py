"""CUDA C++ of kernels, run on the host: ``python -m tests.cuda_on_host [PYTEST ...]``.

Runs tests on the CPU, where kernels are not LLVM's but the texts for a GPU, compiled by g++ with a
shim in which the items of a work-group take turns. What is PTX in a text (atomics, fences, half
precision) is C++ here. Non-goals: speed, memory models, work-groups at the same time. Invariant: a
kernel that the dialect refuses runs as always, and is counted.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import cuda_texts
from tests.cuda_shim.dialect import host_dialect
from unisycl.backends.base import Completion, Geometry, Launch, Transfer
from unisycl.backends.cfamily.kernel import Source
from unisycl.backends.cfamily.printer import Argument
from unisycl.backends.cpu import driver as cpu
from unisycl.backends.cuda.text.target import WARP, Target
from unisycl.backends.device import printing
from unisycl.base.errors import UnsupportedError
from unisycl.ir import nodes as n
from unisycl.ir.types import View
from unisycl.passes.clike import positions

FOLDER = Path(__file__).parent / "cuda_shim"
OPTIONS = ("-std=c++17", "-fPIC", "-shared", "-w", "-ffp-contract=off", "-fwrapv",
           "-fno-strict-aliasing", "-x", "c++")
_LOCK = threading.RLock()
_ARRAY = ctypes.c_uint * 3
_ROUND = 256
_SMALL = 1 << 30


class Shim:
    """The compiler, and what is compiled so far."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="unisycl-shim-"))
        self.library = self._build(FOLDER / "shim.cpp", "libshim.so", "-O2")
        self.api = ctypes.CDLL(str(self.library), ctypes.RTLD_GLOBAL)
        self.known: dict[str, ctypes.CDLL] = {}

    def _build(self, source: Path, name: str, *words: str) -> Path:
        out = self.folder / name
        done = subprocess.run(["g++", *OPTIONS, *words, str(source), "-o", str(out)],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{source}:\n{done.stderr[:3000]}")
        return out

    def load(self, text: str, names: Sequence[str]) -> ctypes.CDLL:
        """Return the library of a text and its kernels."""
        key = hashlib.sha256(text.encode()).hexdigest()[:16]
        if key not in self.known:
            calls = "\n".join(
                f'extern "C" void run_{name}(void *given) '
                f'{{ shim_call(::{name}, (void **)given); }}'
                for name in names)
            place = self.folder / f"{key}.cu"
            place.write_text(f'#include "{FOLDER / "shim.h"}"\n{text}\n{calls}\n')
            self.known[key] = ctypes.CDLL(str(self._build(place, f"{key}.so", "-O1")))
        return self.known[key]


_shim: list[Shim] = []
refused: Counter[str] = Counter()
ran: Counter[str] = Counter()


def shim() -> Shim:
    """Return the one shim of the process."""
    if not _shim:
        _shim.append(Shim())
    return _shim[0]


@dataclass
class HostExecutable:
    """A kernel for the shim; ``plain`` is the CPU's own, for whoever asks it for facts."""

    kernel: n.Kernel
    source: Source
    library: ctypes.CDLL
    plain: Any
    geometry: Geometry
    known: dict[Any, HostExecutable] = field(default_factory=dict)

    def fitting(self, launch: Launch) -> HostExecutable:
        """Return what a launch takes: memories that meet, and numbers, have texts of their own."""
        reached = {i: _reach(launch.values[i]) for pair in self.source.apart for i in pair}
        meet = any(reached[i][0] < reached[k][1] and reached[k][0] < reached[i][1]
                   for i, k in self.source.apart)
        given = [(p.index, int(launch.values[p.index])) for p in positions.numbers(self.kernel)]
        below = tuple(i for i, x in given if x < 0) if all(
            -_SMALL <= x < _SMALL for _, x in given) else None
        found = self.known.get((meet, below))
        if found is None:
            source = text(self.kernel, self.geometry, distinct=False if meet else None, below=below)
            found = self.known[meet, below] = HostExecutable(
                self.kernel, source, _load(source), self.plain, self.geometry)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)


@dataclass
class Done:
    """The end of a command that has run."""

    failure: BaseException | None = None

    def done(self) -> bool:
        return True

    def wait(self, timeout: float | None = None, **_: Any) -> bool:
        return True

    def error(self) -> BaseException | None:
        return self.failure

    def profile(self) -> tuple[int, int]:
        return 0, 1

    begun_by = None
    running = True

    def ask(self, text: str) -> bool:
        return False


def pending(deps: Sequence[Any]) -> list[Any]:
    """Return the dependences that are commands of the CPU's own."""
    return [d for d in deps if not isinstance(d, Done)]


def _load(source: Source) -> ctypes.CDLL:
    """Return the library of a text."""
    with _LOCK:
        return shim().load(source.text, [source.name, *filter(None, [source.finish_name])])


def _reach(view: Any) -> tuple[int, int]:
    """Return the addresses of all the memory that a view's is a part of."""
    root = view.memory
    while isinstance(root.base, np.ndarray):
        root = root.base
    return np.lib.array_utils.byte_bounds(root)


def text(kernel: n.Kernel, geometry: Geometry, **named: Any) -> Source:
    """Return a kernel's text for the shim."""
    target = Target((9, 0))
    return cuda_texts.text_of(kernel, geometry, target, dialect=host_dialect(target), **named)


class OnHost(cpu.CpuDriver):
    """The CPU's driver with kernels of the shim's."""

    quick = False
    repeats = False

    def devices(self) -> Sequence[Any]:
        return [replace(d, sub_group_sizes=(WARP,)) for d in super().devices()]

    def compile(self, kernel: n.Kernel, geometry: Geometry) -> Any:
        plain = cpu.compile_kernel(kernel, super().geometry_key(kernel, geometry))
        try:
            source = text(kernel, geometry)
        except UnsupportedError as error:
            refused[str(error)] += 1
            return plain
        return HostExecutable(kernel, source, _load(source), plain, geometry)

    def geometry_key(self, kernel: n.Kernel, geometry: Geometry) -> Any:
        return (super().geometry_key(kernel, geometry), any(geometry.offset),
                sum(geometry.global_) + sum(geometry.offset) < 1 << 30)

    def immediate(self, launch: Launch | Transfer) -> bool:
        return not (isinstance(launch, Launch) and isinstance(
            launch.executable, HostExecutable)) and super().immediate(launch)

    def batch(self, launches: Sequence[Launch], before: Sequence[Sequence[int]]) -> Any:
        return None

    def tree(self, launch: Launch, deps: Sequence[Completion]) -> Any:
        return None

    def copy(self, dst: Any, src: Any, deps: Sequence[Completion]) -> Any:
        return super().copy(dst, src, pending(deps))

    def fill(self, dst: Any, pattern: Any, deps: Sequence[Completion]) -> Any:
        return super().fill(dst, pattern, pending(deps))

    def launch(self, launch: Launch, deps: Sequence[Completion]) -> Any:
        if not isinstance(launch.executable, HostExecutable):
            return super().launch(launch, pending(deps))
        for one in deps:
            one.wait()
        with _LOCK:
            ran[launch.executable.kernel.index_kind] += 1
            return Done(_Call(launch, launch.executable.fitting(launch)).run())


class _Call:
    """One launch on the shim."""

    def __init__(self, launch: Launch, executable: HostExecutable) -> None:
        self.launch = launch
        self.executable = executable
        self.kernel = executable.kernel
        self.keep: list[Any] = []
        self.scratch: dict[Argument, np.ndarray] = {}
        self.local = executable.source.local_bytes
        self.block, self.grid = self.shape()
        self.groups = math.prod(self.grid)
        self.report = printing.new_buffer(1 << 18) if executable.source.sites else None

    def shape(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return block and grid, x first."""
        g, kernel = self.launch.geometry, self.kernel
        match kernel.index_kind:
            case "nd_range":
                return kernel.local[::-1], tuple(
                    a // b for a, b in zip(g.global_, kernel.local, strict=True))[::-1]
            case "work_group":
                return (math.prod(kernel.local) or 64,), (math.prod(g.global_),)
            case "single":
                return (1,), (1,)
        if kernel.reducers:
            return (_ROUND,), (max(1, min(3, math.prod(g.global_) // (4 * _ROUND))),)
        block = (8, 2, 2)[:len(g.global_)]
        return block, tuple(-(-a // b) for a, b in zip(g.global_[::-1], block, strict=True))

    def run(self) -> BaseException | None:
        """Run the kernel and what joins its reductions; return what went wrong."""
        if 0 in self.grid:
            return None
        source = self.executable.source
        count = math.prod(self.launch.geometry.global_)
        failed = self.one(source.name, source.arguments, count, self.block, self.grid)
        if failed is None and source.finish_name:
            failed = self.one(source.finish_name, source.finish, self.groups, (64,), (1,))
        if failed is None and self.report is not None:
            failed = printing.take(self.report, self.kernel.name, source.sites)
        return failed

    def one(self, name: str, arguments: Sequence[Argument], count: int, block: tuple[int, ...],
            grid: tuple[int, ...]) -> BaseException | None:
        """Run one kernel of the text."""
        given = [self.value(a, count) for a in arguments]
        self.keep.append(given)
        cells = (ctypes.c_void_p * max(1, len(given)))(*[
            ctypes.addressof(x) if isinstance(x, ctypes._SimpleCData | ctypes.Array)
            else x.ctypes.data for x in given])
        text = self.executable.source.text
        fibers = "sync" in text or "atomic" in text
        dynamic = (ctypes.c_ubyte * (self.local + 64))()
        status = shim().api.shim_run(
            getattr(self.executable.library, f"run_{name}"), cells,
            _ARRAY(*(*grid, 1, 1)[:3]), _ARRAY(*(*block, 1, 1)[:3]), int(fibers), dynamic)
        return RuntimeError(f"the shim gives up: status {status}") if status else None

    def value(self, a: Argument, count: int) -> Any:
        """Return the value of an argument, in memory."""
        x, i, d = self.launch, a.number, a.dim
        g = x.geometry
        start = g.offset[d] if d < len(g.offset) else 0
        match a.kind:
            case "view":
                return ctypes.c_uint64(address(x.values[i]))
            case "target":
                return ctypes.c_uint64(address(x.reductions[i][0]))
            case "scalar" | "record":
                return np.frombuffer(bytearray(np.asarray(x.values[i]).tobytes()), np.uint8)
            case "local":
                kind = self.kernel.params[i].type
                assert isinstance(kind, View)
                at = self.local
                size = max(1, math.prod(x.values[i].shape)) * kind.elem.size
                self.local = -(-(at + size) // 16) * 16
                return ctypes.c_uint32(at)
            case "keep":
                return ctypes.c_int32(not x.reductions[i][1])
            case "small extent":
                return ctypes.c_int32(x.values[i].shape[d])
            case "small pitch":
                return ctypes.c_int32(x.values[i].pitches[d])
            case "partials" | "flags" | "counter":
                return ctypes.c_uint64(self.own(a).ctypes.data)
            case "report":
                assert self.report is not None
                return ctypes.c_uint64(self.report.ctypes.data)
        numbers = {"extent": lambda: x.values[i].shape[d], "pitch": lambda: x.values[i].pitches[d],
                   "last": lambda: g.global_[d] + start, "range": lambda: g.global_[d],
                   "groups": lambda: g.global_[d] // self.kernel.local[d], "start": lambda: start,
                   "count": lambda: count}
        return ctypes.c_int64(numbers[a.kind]())

    def own(self, a: Argument) -> np.ndarray:
        """Return memory of the launch's own: partial results, flags or the counter."""
        if a not in self.scratch:
            if a.kind == "counter":
                self.scratch[a] = np.zeros(1, np.uint32)
            else:
                r = self.kernel.reducers[a.number]
                words = r.words if a.kind == "partials" else 1
                kind = r.acc.type.dtype.numpy if a.kind == "partials" else np.dtype(np.uint8)
                self.scratch[a] = np.zeros(self.groups * r.extent * words, kind)
        return self.scratch[a]


def address(view: Any) -> int:
    """Return the address of a view's first element."""
    memory = view.memory
    return int(memory.__array_interface__["data"][0]) + view.offset * memory.itemsize


def main() -> int:
    """Run tests with the shim."""
    if shutil.which("g++") is None:
        print("no g++ is here, which compiles the shim")
        return 0
    cpu.CpuDriver = OnHost  # type: ignore[misc]
    arguments = ["-q", "-p", "no:cacheprovider", "--device", "cpu", *sys.argv[1:]]
    status = pytest.main(arguments)
    for what, count in refused.most_common():
        print(f"not on the shim, {count} times: {what[:150]}")
    print(f"{sum(ran.values())} launches on the shim: {dict(ran)}")
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
