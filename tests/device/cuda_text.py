"""Kernels printed as CUDA C++, run on a GPU: ``python -m tests.device.cuda_text [--arch 90]``.

Compiles kernels of the kernel language as they are printed for the GPU, loads them by the driver's
own library (libcuda, no package) and compares what they do with NumPy. ``--compile-only`` needs no
GPU. Non-goals: the runtime; each launch is written out here. Invariant: every case prints one line,
the last line counts, and the exit status says whether all were right.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from tests import cuda_texts
from unisycl.backends.base import Launch
from unisycl.backends.cfamily.kernel import Source
from unisycl.backends.cpu.driver import CpuDriver
from unisycl.backends.cuda.text import compile
from unisycl.backends.cuda.text.target import Target
from unisycl.ir import nodes as n

N = 100_003
_MAJOR, _MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and MINOR


# ---------------------------------------------------------------- the driver
class Gpu:
    """One device by the driver's library, with its primary context."""

    def __init__(self) -> None:
        self.api = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        self.device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), self.device)
        self.call("cuCtxSetCurrent", self.context)

    def call(self, routine: str, *arguments: Any) -> None:
        """Call the driver; raise what went wrong."""
        status = getattr(self.api, routine)(*arguments)
        if status:
            name = ctypes.c_char_p()
            self.api.cuGetErrorName(status, ctypes.byref(name))
            raise RuntimeError(f"{routine}: {(name.value or b'?').decode()} ({status})")

    def arch(self) -> int:
        """Return the compute capability as 90."""
        found = []
        for attribute in (_MAJOR, _MINOR):
            value = ctypes.c_int()
            self.call("cuDeviceGetAttribute", ctypes.byref(value), attribute, self.device)
            found.append(value.value)
        return found[0] * 10 + found[1]

    def upload(self, data: np.ndarray) -> int:
        """Return the address of a copy in the device's memory."""
        where = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(where), ctypes.c_size_t(max(1, data.nbytes)))
        self.call("cuMemcpyHtoD_v2", where, ctypes.c_void_p(data.ctypes.data),
                  ctypes.c_size_t(data.nbytes))
        return where.value

    def download(self, where: int, data: np.ndarray) -> None:
        """Copy from the device's memory into an array."""
        self.call("cuMemcpyDtoH_v2", ctypes.c_void_p(data.ctypes.data), ctypes.c_uint64(where),
                  ctypes.c_size_t(data.nbytes))

    def run(self, code: bytes, name: str, grid: Sequence[int], block: Sequence[int], dynamic: int,
            values: Sequence[Any]) -> None:
        """Load code, run one kernel of it and wait."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), code)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        cells = (ctypes.c_void_p * max(1, len(values)))(*[ctypes.addressof(x) for x in values])
        self.call("cuLaunchKernel", function, *grid, *block, dynamic, None, cells, None)
        self.call("cuCtxSynchronize")
        self.call("cuModuleUnload", module)


# ---------------------------------------------------------------- launches
@dataclass
class Taken:
    """One launch that the CPU was given: what is run on the GPU in its place."""

    kernel: n.Kernel
    launch: Launch


def taken(command: Callable[[sycl.queue], object]) -> list[Taken]:
    """Return the launches of a program, none of which is run."""
    found: list[Taken] = []
    plain, quick, launch = CpuDriver.compile, CpuDriver.immediate, CpuDriver.launch

    def noted(driver: CpuDriver, one: Launch, deps: Sequence[Any]) -> Any:
        found.append(Taken(one.executable.kernel, one))
        return driver.pool.copy(0, 0, 0, (), ())

    CpuDriver.immediate = lambda driver, one: False  # type: ignore[method-assign]
    CpuDriver.launch = noted  # type: ignore[method-assign, assignment]
    try:
        queue = sycl.queue(next(d for d in sycl.device.get_devices()
                                if d.get_backend() is sycl.backend.cpu))
        command(queue)
        queue.wait()
    finally:
        CpuDriver.compile, CpuDriver.immediate, CpuDriver.launch = (  # type: ignore[method-assign]
            plain, quick, launch)
    return found


class Call:
    """Runs one launch: memory goes to the device before it and comes back after it."""

    def __init__(self, gpu: Gpu, one: Taken) -> None:
        self.gpu = gpu
        self.kernel, self.launch = one.kernel, one.launch
        self.moved: dict[int, tuple[int, np.ndarray]] = {}
        self.scratch: dict[Any, int] = {}
        self.dynamic = 0
        self.block, self.grid = self.shape()
        self.groups = math.prod(self.grid)

    def shape(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return block and grid, x first."""
        g, kernel = self.launch.geometry, self.kernel
        if kernel.index_kind == "nd_range":
            grid = [a // b for a, b in zip(g.global_, kernel.local, strict=True)]
            return _three(kernel.local[::-1]), _three(tuple(grid[::-1]))
        if kernel.index_kind == "single":
            return (1, 1, 1), (1, 1, 1)
        if kernel.reducers:
            return (256, 1, 1), (max(1, min(64, math.prod(g.global_) // 1024)), 1, 1)
        block = _three((32, 8, 1)[:len(g.global_)])
        return block, _three(tuple(
            -(-a // b) for a, b in zip(g.global_[::-1], block, strict=False)))

    def run(self, target: Target) -> None:
        """Compile, run, and bring back what the kernel wrote."""
        source = cuda_texts.text_of(self.kernel, self.launch.geometry, target)
        self.dynamic = source.local_bytes
        code = compile.compile_kernel(source, self.kernel, target)
        self.one(code, source, source.name, source.arguments,
                 math.prod(self.launch.geometry.global_), (self.grid, self.block))
        if source.finish_name:
            self.one(code, source, source.finish_name, source.finish, self.groups,
                     ((1, 1, 1), (64, 1, 1)))
        for where, data in self.moved.values():
            back = np.empty_like(data)
            self.gpu.download(where, back)
            data[...] = back

    def one(self, code: bytes, source: Source, name: str, arguments: Sequence[Any], count: int,
            shape: tuple[Sequence[int], Sequence[int]]) -> None:
        """Run one kernel of the text."""
        values = [self.value(a, count) for a in arguments]
        self.gpu.run(code, name, *shape, self.dynamic, values)

    def address(self, view: Any) -> int:
        """Return where a view's first element lies on the device."""
        memory = view.memory
        where, _ = self.moved.setdefault(memory.ctypes.data, (0, memory))
        if not where:
            where = self.gpu.upload(memory)
            self.moved[memory.ctypes.data] = where, memory
        return where + view.offset * memory.itemsize

    def value(self, a: Any, count: int) -> Any:
        """Return the value of an argument, as a C object."""
        x, i, d, g = self.launch, a.number, a.dim, self.launch.geometry
        match a.kind:
            case "view":
                return ctypes.c_uint64(self.address(x.values[i]))
            case "target":
                return ctypes.c_uint64(self.address(x.reductions[i][0]))
            case "scalar" | "record":
                raw = np.asarray(x.values[i]).tobytes()
                return (ctypes.c_char * len(raw)).from_buffer_copy(raw)
            case "local":
                at = self.dynamic
                size = max(1, math.prod(x.values[i].shape)) * self.kernel.params[i].type.elem.size
                self.dynamic = -(-(at + size) // 16) * 16
                return ctypes.c_uint32(at)
            case "keep":
                return ctypes.c_int32(not x.reductions[i][1])
            case "small extent":
                return ctypes.c_int32(x.values[i].shape[d])
            case "small pitch":
                return ctypes.c_int32(x.values[i].pitches[d])
            case "partials" | "flags" | "counter":
                return ctypes.c_uint64(self.own(a))
            case "extent":
                return ctypes.c_int64(x.values[i].shape[d])
            case "pitch":
                return ctypes.c_int64(x.values[i].pitches[d])
            case "last":
                return ctypes.c_int64(g.global_[d] + (g.offset[d] if g.offset else 0))
            case "range":
                return ctypes.c_int64(g.global_[d])
            case "start":
                return ctypes.c_int64(g.offset[d] if g.offset else 0)
            case "count":
                return ctypes.c_int64(count)
        raise AssertionError(a)

    def own(self, a: Any) -> int:
        """Return memory of the launch's own: zeros for partial results or the counter."""
        if a not in self.scratch:
            size = 4
            if a.kind != "counter":
                r = self.kernel.reducers[a.number]
                size = self.groups * r.extent * r.words * r.acc.type.dtype.size
            self.scratch[a] = self.gpu.upload(np.zeros(size, np.uint8))
        return self.scratch[a]


def _three(x: Sequence[int]) -> tuple[int, int, int]:
    a, b, c = (*x, 1, 1)[:3]
    return a, b, c


# ---------------------------------------------------------------- the cases
Check = Callable[[], bool]
Case = Callable[[], tuple[Callable[[sycl.queue], object], Check]]
_rng = np.random.default_rng(7)


def saxpy() -> Any:
    x, y = _rng.random(N, np.float32), _rng.random(N, np.float32)
    expected = np.float32(2) * x + y

    def kernel(i, x, y, a):
        y[i] = a * x[i] + y[i]
    return lambda q: q.parallel_for(sycl.range(N), kernel, x, y, np.float32(2)), \
        lambda: np.allclose(y, expected, rtol=1e-6)


def reduction() -> Any:
    x, total = _rng.integers(-1000, 1000, N, np.int64), np.zeros(1, np.int64)
    expected = x.sum()

    def kernel(i, s):
        s += x[i]
    return lambda q: q.parallel_for(
        sycl.range(N), sycl.reduction(total, sycl.plus()), kernel), lambda: total[0] == expected


def barrier() -> Any:
    x, out = np.arange(1024, dtype=np.int32), np.zeros(1024, np.int32)

    def kernel(it, x, out, tile):
        k = it.get_local_id(0)
        tile[k] = x[it.get_global_id(0)]
        sycl.group_barrier(it.get_group())
        out[it.get_global_id(0)] = tile[127 - k]
    return lambda q: q.parallel_for(
        sycl.nd_range(1024, 128), kernel, x, out, sycl.local_accessor(np.int32, 128)), \
        lambda: np.array_equal(out, x.reshape(-1, 128)[:, ::-1].ravel())


def atomics() -> Any:
    x, counts = _rng.integers(0, 64, N, np.int32), np.zeros(64, np.int32)
    expected = np.bincount(x, minlength=64)

    def kernel(i, x, counts):
        sycl.atomic_ref(counts, x[i], sycl.memory_order.relaxed,
                        sycl.memory_scope.device).fetch_add(1)
    return lambda q: q.parallel_for(sycl.range(N), kernel, x, counts), \
        lambda: np.array_equal(counts, expected)


def sub_groups() -> Any:
    x, out = _rng.integers(0, 100, 256, np.int32), np.zeros(256, np.int32)

    def kernel(it, x, out):
        g = it.get_global_id(0)
        out[g] = sycl.inclusive_scan_over_group(it.get_sub_group(), x[g], sycl.plus())
    return lambda q: q.parallel_for(sycl.nd_range(256, 64), kernel, x, out), \
        lambda: np.array_equal(out, x.reshape(-1, 32).cumsum(1).ravel())


def halves() -> Any:
    x, y = (_rng.random(N).astype(np.float16) for _ in range(2))
    out = np.zeros(N, np.float16)

    def kernel(i, x, y, out):
        out[i] = x[i] * y[i] + x[i] / y[i]
    with np.errstate(divide="ignore", over="ignore"):
        expected = x * y + x / y
    return lambda q: q.parallel_for(sycl.range(N), kernel, x, y, out), \
        lambda: np.array_equal(out, expected, equal_nan=True)


def records() -> Any:
    kind = np.dtype([("mass", np.float32), ("tag", np.int8), ("place", np.float64, (3,))])
    x = np.zeros(1000, kind)
    x["mass"], x["tag"], x["place"] = _rng.random(1000), 3, _rng.random((1000, 3))
    expected = x["place"] * 2

    def kernel(i, x):
        for k in range(3):
            x[i].place[k] = x[i].place[k] * 2
        x[i].tag = x[i].tag + 1
    return lambda q: q.parallel_for(sycl.range(1000), kernel, x), \
        lambda: np.array_equal(x["place"], expected) and bool((x["tag"] == 4).all())


def mandelbrot() -> Any:
    height, width, most = 300, 400, 64
    out = np.zeros((height, width), np.int32)

    def kernel(i, out, most):
        cx, cy = np.float32(i[1]) * np.float32(0.0075) - 2, np.float32(i[0]) * np.float32(0.008)
        x = y = np.float32(0)
        k = 0
        while k < most and x * x + y * y < 4:
            x, y = x * x - y * y + cx, 2 * x * y + cy
            k += 1
        out[i] = k

    def check() -> bool:
        cy, cx = np.mgrid[0:height, 0:width].astype(np.float32)
        c = (cx * np.float32(0.0075) - 2) + 1j * (cy * np.float32(0.008))
        z, expected = np.zeros_like(c), np.zeros(c.shape, np.int32)
        for _ in range(most):
            inside = np.abs(z) < 2
            expected += inside
            z = np.where(inside, z * z + c, z)
        return float(np.mean(out != expected)) < 0.01  # at the edge, sums may be fused
    return lambda q: q.parallel_for(sycl.range(height, width), kernel, out, most), check


CASES: tuple[Case, ...] = (saxpy, reduction, barrier, atomics, sub_groups, halves, records,
                           mandelbrot)


def main() -> int:
    """Run the cases."""
    parser = argparse.ArgumentParser(prog="python -m tests.device.cuda_text")
    parser.add_argument("--arch", type=int, default=0)
    parser.add_argument("--compile-only", action="store_true")
    options = parser.parse_args()
    if why := compile.problem():
        print(why)
        return 1
    gpu = None if options.compile_only else Gpu()
    arch = options.arch or (gpu.arch() if gpu is not None else 90)
    target, wrong = Target(divmod(arch, 10)), 0
    print(f"sm_{arch}, NVRTC {'.'.join(map(str, compile.compiler().version))}")
    for case in CASES:
        command, check = case()
        launches: list[Taken] = []
        try:
            launches = taken(command)
            for one in launches:
                if gpu is None:
                    source = cuda_texts.text_of(one.kernel, one.launch.geometry, target)
                    compile.compile_kernel(source, one.kernel, target)
                else:
                    Call(gpu, one).run(target)
            told = "compiled" if gpu is None else "right" if check() else "WRONG"
        except Exception as error:  # noqa: BLE001 -- told, and the other cases run
            told = f"WRONG: {error}"
        wrong += told.startswith("WRONG")
        print(f"{case.__name__}: {told} ({len(launches)} launches)")
    print(f"{len(CASES)} cases, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
