"""Routines of oneMKL beside the library that serves them called directly, and what a call costs.

``python -m bench.mkl [--device D] [--rounds N] [--small]``: interleaved; of each the least time and
the least processor time of all rounds, and the median of the rounds' ratios. On CUDA devices CuPy
is the peer, where it is installed.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

import unisycl as sycl
from unisycl.oneapi import mkl
from unisycl.oneapi.frame.providers import is_processor
from unisycl.oneapi.mkl.dft.descriptor import Plan
from unisycl.oneapi.mkl.dft.layouts import Side

N = mkl.transpose.nontrans
Run = Callable[[], Any]
RATIOS: dict[str, float] = {}
"""Of the comparison made last: the median of the ratios of the first run and each other one."""


def least(runs: dict[str, Run], rounds: int, repeat: int = 1) -> dict[str, tuple[float, float]]:
    """Return the least wall and processor time of each, in microseconds a call."""
    best = {name: (float("inf"), float("inf")) for name in runs}
    every: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(rounds):
        for name, run in runs.items():
            wall, spent = time.perf_counter(), time.process_time()
            for _ in range(repeat):
                run()
            wall, spent = time.perf_counter() - wall, time.process_time() - spent
            best[name] = (min(best[name][0], wall / repeat * 1e6),
                          min(best[name][1], spent / repeat * 1e6))
            every[name].append(wall)
    first = every[next(iter(every))]
    RATIOS.clear()
    RATIOS.update((name, statistics.median(a / b for a, b in zip(first, times, strict=True)))
                  for name, times in every.items())
    return best


def show(title: str, found: dict[str, tuple[float, float]]) -> None:
    """Print one comparison; the last run is what the first is compared with."""
    names = list(found)
    ours, peer = found[names[0]], found[names[-1]]
    parts = [f"{name} {wall:.1f} us (processor {spent:.1f})" for name, (wall, spent) in
             found.items()]
    print(f"{title:24} {'; '.join(parts)}; ratio {ours[0] / peer[0]:.3f}, "
          f"by rounds {RATIOS[names[-1]]:.3f}, "
          f"difference {ours[0] - peer[0]:.2f} us")


def product_runs(queue: sycl.queue, peers: dict[str, Any], n: int) -> dict[str, Run]:
    """Return a product by us, and by CBLAS of libraries."""
    a, b = (np.random.default_rng(k).random((n, n), np.float32) for k in (1, 2))
    c = np.zeros_like(a)
    kept: Any
    arrays = kept = a, b, c  # addresses belong to arrays that live as long as the runs
    if not is_processor(queue.get_device()):
        kept = tuple(sycl.malloc_shared(n * n, np.float32, queue) for _ in arrays)
        for memory, values in zip(kept, (a, b, c), strict=True):
            memory[:] = values.ravel()
    at = [x.ctypes.data for x in arrays]
    given = 101, 111, 111, n, n, n, 1.0, at[0], n, at[1], n, 0.0, at[2], n
    return {
        "mkl.blas": lambda: mkl.blas.row_major.gemm(
            queue, N, N, n, n, n, 1.0, kept[0], n, kept[1], n, 0.0, kept[2], n).wait(),
        **{f"cblas of {name}": functools.partial(_direct, routine.function, given, arrays)
           for name, routine in peers.items()}}


def _direct(function: Any, given: tuple[Any, ...], kept: tuple[Any, ...]) -> None:
    del kept
    function(*given)


def transform_runs(queue: sycl.queue, power: int, who: str) -> dict[str, Run]:
    """Return a transform by us, and by the library that serves it."""
    x: Any = np.random.default_rng(3).random(2 << power, np.float32).view(np.complex64)
    out: Any = np.zeros_like(x)
    plan = mkl.dft.descriptor(mkl.dft.precision.SINGLE, mkl.dft.domain.COMPLEX, x.size)
    plan.commit(queue)

    first = mkl.provider_of(queue, "mkl.dft", dtype=np.complex64).name == who

    def ours() -> None:
        with contextlib.nullcontext() if first else mkl.using("mkl.dft", who):
            mkl.dft.compute_forward(plan, x, out).wait()
    if who == "pocketfft":
        return {"mkl.dft": ours, "numpy.fft": lambda: np.fft.fft(x, out=out)}
    side = Side((x.size,), 0, (1,), x.size, 1)
    dfti = importlib.import_module("unisycl.oneapi.mkl.providers.dfti").load("mkl")
    direct = dfti._transform(Plan(False, np.dtype("f"), (x.size,), side, side, (1.0, 1.0), False),
                             False, inplace=False)
    return {"mkl.dft": ours, "DftiComputeForward": lambda: direct.run(
        x.ctypes.data, out.ctypes.data)}


def on_processor(queue: sycl.queue, rounds: int, *, small: bool) -> None:
    """Compare with CBLAS called by ctypes, and with NumPy's transforms."""
    provider = mkl.provider_of(queue, "mkl.blas", "gemm")
    print("gemm by", provider)
    names = [provider.name]
    if provider.name == "kernels":  # beside the libraries of this processor
        names = [n for n in ("openblas", "mkl") if n in mkl.available("mkl.blas")]
    load = importlib.import_module("unisycl.oneapi.mkl.providers.cblas").load
    peers = {n: load(n).routine("gemm", np.dtype(np.float32)) for n in names}
    for n in (64, 256, 1024) if small else (64, 256, 1024, 4096):
        show(f"gemm {n} float32", least(product_runs(queue, peers, n),
                                        rounds if n < 4096 else 3, 200 if n == 64 else 1))
    for who in mkl.available("mkl.dft") if is_processor(queue.get_device()) else ():
        if who in ("mkl", "pocketfft"):
            for power in (10, 20):
                show(f"fft 2^{power} by {who}", least(transform_runs(queue, power, who), rounds))


def short_products(queue: sycl.queue, n: int, kind: str) -> dict[str, Run]:
    """Return a product of bfloat16, or of float32 by tf32, by us, and by PyTorch if it is there.

    CuPy has no type of 16 bits with the exponent of 32. PyTorch calls the same library.
    """
    dtype = np.dtype(np.float32 if kind == "tf32" else ml_dtypes.bfloat16)
    mode = mkl.blas.compute_mode.float_to_tf32 if kind == "tf32" else mkl.blas.compute_mode.unset
    values = np.random.default_rng(1).standard_normal(n * n).astype(np.float32).astype(dtype)
    a, b, c = (sycl.malloc_device(n * n, dtype, queue) for _ in range(3))
    for memory in (a, b):
        queue.copy(values, memory).wait()
    runs: dict[str, Run] = {"mkl.blas": lambda: mkl.blas.gemm(
        queue, N, N, n, n, n, 1.0, a, n, b, n, 0.0, c, n, mode=mode).wait()}
    if importlib.util.find_spec("torch"):
        torch = importlib.import_module("torch")
        torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
        x = torch.from_numpy(values.astype(np.float32).reshape(n, n)).cuda()
        x = x if kind == "tf32" else x.to(torch.bfloat16)
        y, z = x.clone(), x.clone()
        runs["torch"] = lambda: (torch.matmul(x, y, out=z), torch.cuda.synchronize())
    return runs


def card_products(queue: sycl.queue, cupy: Any, n: int) -> dict[str, Run]:
    """Return a product by us, and by CuPy."""
    a, b, c = (sycl.malloc_device(n * n, np.float32, queue) for _ in range(3))
    for memory in (a, b):
        queue.fill(memory, np.float32(0.5)).wait()
    runs: dict[str, Run] = {"mkl.blas": lambda: mkl.blas.gemm(
        queue, N, N, n, n, n, 1.0, a, n, b, n, 0.0, c, n).wait()}
    if cupy is not None:
        x = cupy.full((n, n), 0.5, np.float32)
        y, z = x.copy(), x.copy()
        runs["cupy"] = lambda: (cupy.matmul(x, y, out=z),
                                cupy.cuda.get_current_stream().synchronize())
    return runs


def card_transforms(queue: sycl.queue, cupy: Any, power: int) -> dict[str, Run]:
    """Return a transform by us, and by CuPy."""
    size = 1 << power
    d, e = (sycl.malloc_device(size, np.complex64, queue) for _ in range(2))
    queue.fill(d, np.complex64(0.5)).wait()
    plan = mkl.dft.descriptor(mkl.dft.precision.SINGLE, mkl.dft.domain.COMPLEX, size)
    plan.commit(queue)
    runs: dict[str, Run] = {"mkl.dft": lambda: mkl.dft.compute_forward(plan, d, e).wait()}
    if cupy is not None:
        v = cupy.full(size, 0.5, np.complex64)
        runs["cupy"] = lambda: (cupy.fft.fft(v), cupy.cuda.get_current_stream().synchronize())
    return runs


def on_card(queue: sycl.queue, rounds: int) -> None:
    """Compare with CuPy, which calls the same libraries."""
    print("gemm by", mkl.provider_of(queue, "mkl.blas", "gemm"))
    print("transforms by", mkl.provider_of(queue, "mkl.dft", dtype=np.complex64))
    cupy = importlib.import_module("cupy") if importlib.util.find_spec("cupy") else None
    for n in (64, 1024, 4096, 8192):
        show(f"gemm {n} float32", least(card_products(queue, cupy, n), rounds,
                                        20 if n < 4096 else 2))
    for kind in ("bf16", "tf32"):
        found = least(short_products(queue, 8192, kind), rounds, 10)
        show(f"gemm 8192 {kind}", found)
        print(f"  {2e-6 * 8192**3 / found['mkl.blas'][0]:.0f} TFLOP/s")
    for power in (10, 20, 24):
        show(f"fft 2^{power} complex64", least(card_transforms(queue, cupy, power), rounds, 10))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparisons from the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.mkl")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--small", action="store_true", help="leave out what takes seconds")
    options = parser.parse_args(arguments)
    queue = sycl.queue(options.device)
    if queue.get_device().get_backend() is sycl.backend.cuda:
        on_card(queue, options.rounds)
    else:
        on_processor(queue, options.rounds, small=options.small)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
