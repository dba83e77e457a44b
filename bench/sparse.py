"""Indirect addressing: a sparse matrix times a vector, gather and scatter by index."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import numpy as np

from bench import ours
from bench.harness import OURS, Benchmark, Case, Implementation, Work, sized
from bench.peers.opencl import one_kernel
from bench.peers.start import dpnp, numba, taichi, warp
from bench.peers.threads import threaded

ROWS, MOST = sized(1 << 18, 1 << 10), 64  # non-zeros of a row: 0 to 64, at random
N = sized(1 << 24, 1 << 14)


def matrix() -> Work:
    """Return CSR row starts, columns, values, the vector and the product."""
    random = np.random.default_rng(1)
    starts = np.zeros(ROWS + 1, np.int32)
    np.cumsum(random.integers(0, MOST + 1, ROWS), out=starts[1:])
    count = int(starts[-1])
    return Work((starts, random.integers(0, ROWS, count, np.int32),
                 random.random(count, np.float32), random.random(ROWS, np.float32),
                 np.zeros(ROWS, np.float32)), 4)


def indexed() -> Work:
    """Return values, a permutation and the target."""
    random = np.random.default_rng(1)
    return Work((random.random(N, np.float32), random.permutation(N).astype(np.int32),
                 np.zeros(N, np.float32)), 2)


def spmv_with_unisycl() -> Case:
    """One row a work-item: loops of different lengths side by side."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def spmv(row: Any, starts: Any, columns: Any, values: Any, x: Any, y: Any) -> None:
        total = np.float32(0)
        for k in range(starts[row], starts[row + 1]):
            total += values[k] * x[columns[k]]
        y[row] = total

    return ours.launch(sycl.range(ROWS), spmv, matrix())


def with_unisycl(which: str) -> Case:
    """One element a work-item."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def gather(i: Any, values: Any, index: Any, out: Any) -> None:
        out[i] = values[index[i]]

    @sycl.kernel
    def scatter(i: Any, values: Any, index: Any, out: Any) -> None:
        out[index[i]] = values[i]

    return ours.launch(sycl.range(N), gather if which == "gather" else scatter, indexed())


def with_scipy() -> Case:
    """SciPy's CSR matrix, on one thread as it is."""
    sparse = importlib.import_module("scipy.sparse")
    work = matrix()
    starts, columns, values, x, y = work.args
    csr = sparse.csr_array((values, columns, starts), shape=(ROWS, ROWS))

    def run() -> None:
        y[:] = csr @ x

    return Case(run, work.result)


def gather_with_numpy(part: slice, values: Any, index: Any, out: Any) -> None:
    """One thread's part."""
    np.take(values, index[part], out=out[part], mode="clip")


def scatter_with_numpy(part: slice, values: Any, index: Any, out: Any) -> None:
    """One thread's part."""
    out[index[part]] = values[part]


def scatter_with_dpnp(dp: Any, args: list[Any]) -> Any:
    """Return dpnp's ``put``."""
    def put() -> Any:
        args[2][args[1]] = args[0]
        return args[2]
    return put


def check_spmv(result: Any) -> None:
    """Compare with NumPy in double precision."""
    starts, columns, values, x, _ = matrix().args
    sums = np.concatenate([[0], np.cumsum(values.astype(np.float64) * x[columns])])
    np.testing.assert_allclose(result, np.diff(sums[starts]), rtol=1e-5, atol=1e-5)


def check(which: str, result: Any) -> None:
    """Compare with NumPy, bit for bit."""
    values, index, out = indexed().args
    if which == "gather":
        out = values[index]
    else:
        out[index] = values
    assert np.array_equal(result, out)


NONZERO = ROWS * MOST // 2  # about
MOVED = 3 * 4 * N / 1e9
BENCHMARKS = {
    "spmv": Benchmark(
        title=f"CSR {ROWS} x {ROWS} float32, about {NONZERO} non-zeros, 0 to {MOST} a row",
        implementations={OURS: Implementation(spmv_with_unisycl),
                         "scipy": Implementation(with_scipy, ("scipy",)), **numba("spmv", matrix),
                         **taichi("spmv", matrix), **warp("spmv", matrix, (ROWS,)),
                         **one_kernel("spmv", matrix, (ROWS,))},
        check=check_spmv, work=2 * NONZERO / 1e9, unit="GFLOP/s"),
    "gather": Benchmark(
        title=f"out[i] = values[index[i]], {N} float32, index a random permutation",
        implementations={OURS: Implementation(partial(with_unisycl, "gather")),
                         **threaded(gather_with_numpy, indexed, N), **numba("gather", indexed),
                         **taichi("gather", indexed), **warp("gather", indexed, (N,)),
                         **dpnp(lambda dp, a: lambda: dp.take(a[0], a[1]), indexed),
                         **one_kernel("gather", indexed, (N,))},
        check=partial(check, "gather"), work=MOVED, unit="GB/s"),
    "scatter": Benchmark(
        title=f"out[index[i]] = values[i], {N} float32, index a random permutation",
        implementations={OURS: Implementation(partial(with_unisycl, "scatter")),
                         **threaded(scatter_with_numpy, indexed, N), **numba("scatter", indexed),
                         **taichi("scatter", indexed), **warp("scatter", indexed, (N,)),
                         **dpnp(scatter_with_dpnp, indexed),
                         **one_kernel("scatter", indexed, (N,))},
        check=partial(check, "scatter"), work=MOVED, unit="GB/s"),
}

if __name__ == "__main__":
    ours.show(BENCHMARKS)
