"""Kernels in the kernel language, with their operands, and how their like in CUDA C++ is launched.

Non-goals: measuring (``__main__``), the sources in CUDA C++ (``kernels.cu``). Invariant: both do
the same work for each work-item, on the same memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl

F, INT = np.float32, np.int32
BINS = 256
Grid = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass
class Case:
    """One algorithm.

    ``operands`` are arrays, memory of the device in their place for both; ``results`` are the
    numbers of those compared; ``ours(queue, memory)`` submits it; ``grid``: groups and threads in
    C's order; ``check`` compares results with NumPy's, of some elements if there are many;
    ``moved`` are bytes, ``flops`` operations of one launch, 0 if nobody asks. ``clears``: results
    that count up and are set to zero before each launch.
    """

    operands: list[Any]
    results: tuple[int, ...]
    ours: Callable[[sycl.queue, list[Any]], Any]
    grid: Grid
    numbers: tuple[int, ...]
    check: Callable[[list[Any]], None]
    moved: float = 0
    flops: float = 0
    clears: tuple[int, ...] = ()


def near(got: Any, want: Any, tolerance: float = 1e-4) -> None:
    """Compare floats."""
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def lines(n: int) -> Grid:
    """Return a grid of one dimension for so many items."""
    return (-(-n // 256), 1), (256, 1)


def mandelbrot(scale: int) -> Case:
    """The escape time of points; one a work-item."""
    n, most = 4096 // scale, 200

    def kernel(it: Any, out: Any) -> None:
        y, x = it[0], it[1]
        cr = F(-2) + F(3) * F(x) / F(n)
        ci = F(-1.5) + F(3) * F(y) / F(n)
        zr = zi = F(0)
        k = INT(0)
        while k < most and zr * zr + zi * zi <= F(4):
            zr, zi = zr * zr - zi * zi + cr, F(2) * zr * zi + ci
            k += 1
        out[y * n + x] = k

    def check(got: list[Any]) -> None:
        x, y = np.meshgrid(np.arange(n), np.arange(0, n, 16))
        c = (-2 + 3 * x / n) + 1j * (-1.5 + 3 * y / n)
        z, k = np.zeros_like(c), np.zeros(c.shape, INT)
        for _ in range(most):
            inside = np.abs(z) <= 2
            z[inside] = z[inside] ** 2 + c[inside]
            k += inside
        assert (got[0].reshape(n, n)[::16] != k).mean() < 0.02

    return Case([np.zeros(n * n, INT)], (0,),
                lambda q, m: q.parallel_for(sycl.range(n, n), kernel, *m),
                ((-(-n // 32), -(-n // 8)), (32, 8)), (n, n, most), check)


def nbody(scale: int) -> Case:
    """Accelerations of bodies, all pairs; one body a work-item."""
    n = 65536 // scale

    def kernel(i: Any, x: Any, y: Any, z: Any, m: Any, ax: Any, ay: Any, az: Any) -> None:
        px, py, pz = x[i], y[i], z[i]
        sx = sy = sz = F(0)
        for j in range(n):
            dx, dy, dz = x[j] - px, y[j] - py, z[j] - pz
            inverse = sycl.rsqrt(dx * dx + dy * dy + dz * dz + F(1e-3))
            s = m[j] * inverse * inverse * inverse
            sx += dx * s
            sy += dy * s
            sz += dz * s
        ax[i] = sx
        ay[i] = sy
        az[i] = sz

    given = [np.random.default_rng(k).random(n, F) for k in range(4)]

    def check(got: list[Any]) -> None:
        x, y, z, m = (v.astype(np.float64) for v in given)
        some = slice(0, n, n // 64)
        d = [v - v[some, None] for v in (x, y, z)]
        s = m * (d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + 1e-3) ** -1.5
        for mine, one in zip(got, d, strict=True):
            want = (one * s).sum(1)
            np.testing.assert_allclose(mine[some], want, rtol=2e-3, atol=2e-3 * abs(want).max())

    return Case([*given, *(np.zeros(n, F) for _ in range(3))], (4, 5, 6),
                lambda q, m: q.parallel_for(n, kernel, *m), lines(n), (n,), check,
                flops=20.0 * n * n)


def black_scholes(scale: int) -> Case:
    """Prices of options; one a work-item."""
    n = (1 << 25) // scale

    def below(d: Any) -> Any:
        return F(0.5) * sycl.erfc(-d * F(0.70710678))

    def kernel(i: Any, price: Any, strike: Any, years: Any, call: Any, put: Any) -> None:
        s, k, t = price[i], strike[i], years[i]
        root = sycl.sqrt(t)
        d1 = (sycl.log(s / k) + (F(0.02) + F(0.045)) * t) / (F(0.3) * root)
        d2 = d1 - F(0.3) * root
        paid = k * sycl.exp(F(-0.02) * t)
        c = s * below(d1) - paid * below(d2)
        call[i] = c
        put[i] = c - s + paid

    r = np.random.default_rng(1)
    given = [(low + (high - low) * r.random(n, F)).astype(F)
             for low, high in ((5, 30), (1, 100), (0.25, 10))]

    def check(got: list[Any]) -> None:
        some = slice(0, n, max(1, n // 1000))
        s, k, t = (v[some].astype(np.float64) for v in given)
        from math import erfc  # noqa: PLC0415 - of one check
        phi = np.vectorize(lambda d: 0.5 * erfc(-d * 0.5 ** 0.5))
        d1 = (np.log(s / k) + 0.065 * t) / (0.3 * np.sqrt(t))
        call = s * phi(d1) - k * np.exp(-0.02 * t) * phi(d1 - 0.3 * np.sqrt(t))
        near(got[0][some], call, 1e-3)
        near(got[1][some], call - s + k * np.exp(-0.02 * t), 1e-3)

    return Case([*given, np.zeros(n, F), np.zeros(n, F)], (3, 4),
                lambda q, m: q.parallel_for(n, kernel, *m), lines(n), (n,), check, moved=20.0 * n)


def stencil(scale: int) -> Case:
    """Five points, with guards at the edges."""
    n = 8192 // scale

    def kernel(it: Any, a: Any, b: Any) -> None:
        i, j = it[0], it[1]
        total = F(4) * a[i * n + j]
        if i > 0:
            total -= a[(i - 1) * n + j]
        if i < n - 1:
            total -= a[(i + 1) * n + j]
        if j > 0:
            total -= a[i * n + j - 1]
        if j < n - 1:
            total -= a[i * n + j + 1]
        b[i * n + j] = total

    a = np.random.default_rng(1).random((n, n), F)

    def check(got: list[Any]) -> None:
        want = 4 * a
        want[1:] -= a[:-1]
        want[:-1] -= a[1:]
        want[:, 1:] -= a[:, :-1]
        want[:, :-1] -= a[:, 1:]
        near(got[0].reshape(n, n), want)

    return Case([a.reshape(-1), np.zeros(n * n, F)], (1,),
                lambda q, m: q.parallel_for(sycl.range(n, n), kernel, *m),
                ((-(-n // 32), -(-n // 8)), (32, 8)), (n,), check, moved=8.0 * n * n)


def matmul(scale: int) -> Case:
    """A product by tiles of 16 x 16 in local memory."""
    n = 2048 // scale

    def kernel(it: Any, a: Any, b: Any, c: Any, ta: Any, tb: Any) -> None:
        row, column = it.get_global_id(0), it.get_global_id(1)
        y, x = it.get_local_id(0), it.get_local_id(1)
        total = F(0)
        for first in range(0, n, 16):
            ta[y, x] = a[row * n + first + x]
            tb[y, x] = b[(first + y) * n + column]
            sycl.group_barrier(it.get_group())
            for k in range(16):
                total += ta[y, k] * tb[k, x]
            sycl.group_barrier(it.get_group())
        c[row * n + column] = total

    tiles = [sycl.local_accessor(F, (16, 16)) for _ in range(2)]
    r = np.random.default_rng(1)
    a, b = (r.random((n, n), F) - F(0.5) for _ in range(2))

    def check(got: list[Any]) -> None:
        near(got[0].reshape(n, n)[::64], a[::64] @ b, 1e-2)

    return Case([a.reshape(-1), b.reshape(-1), np.zeros(n * n, F)], (2,),
                lambda q, m: q.parallel_for(sycl.nd_range((n, n), (16, 16)), kernel, *m, *tiles),
                ((n // 16, n // 16), (16, 16)), (n,), check, flops=2.0 * n**3)


def histogram(scale: int) -> Case:
    """Counts of bytes, in local memory first."""
    n, groups = (1 << 27) // scale, 132 * 8

    def kernel(it: Any, values: Any, bins: Any, own: Any) -> None:
        k = it.get_local_id(0)
        own[k] = 0
        sycl.group_barrier(it.get_group())
        for i in range(it.get_group(0) * BINS + k, n, it.get_group_range(0) * BINS):
            sycl.atomic_ref(own, int(values[i]), sycl.memory_order.relaxed,
                            sycl.memory_scope.work_group).fetch_add(1)
        sycl.group_barrier(it.get_group())
        sycl.atomic_ref(bins, k, sycl.memory_order.relaxed,
                        sycl.memory_scope.device).fetch_add(own[k])

    own = sycl.local_accessor(np.uint32, BINS)
    values = np.random.default_rng(1).integers(0, 256, n, np.uint8)
    return Case([values, np.zeros(BINS, np.uint32)], (1,),
                lambda q, m: q.parallel_for(sycl.nd_range(groups * BINS, BINS), kernel, *m, own),
                ((groups, 1), (BINS, 1)), (n,), lambda got: np.testing.assert_array_equal(
                    got[0], np.bincount(values, minlength=BINS)), moved=n, clears=(1,))


def transpose(scale: int) -> Case:
    """Through a tile of 32 x 33, four rows a work-item."""
    n = 8192 // scale

    def kernel(it: Any, a: Any, b: Any, tile: Any) -> None:
        y, x = it.get_local_id(0), it.get_local_id(1)
        row, column = it.get_group(0) * 32, it.get_group(1) * 32
        for k in range(0, 32, 8):
            tile[y + k, x] = a[(row + y + k) * n + column + x]
        sycl.group_barrier(it.get_group())
        for k in range(0, 32, 8):
            b[(column + y + k) * n + row + x] = tile[x, y + k]

    tile = sycl.local_accessor(F, (32, 33))
    a = np.random.default_rng(1).random((n, n), F)
    return Case([a.reshape(-1), np.zeros(n * n, F)], (1,),
                lambda q, m: q.parallel_for(sycl.nd_range((n // 4, n), (8, 32)), kernel, *m, tile),
                ((n // 32, n // 32), (32, 8)), (n,), lambda got: np.testing.assert_array_equal(
                    got[0].reshape(n, n), a.T), moved=8.0 * n * n)


def csr(scale: int) -> Case:
    """A sparse matrix times a vector; one row a work-item."""
    n = (1 << 20) // scale

    def kernel(i: Any, starts: Any, columns: Any, values: Any, x: Any, out: Any) -> None:
        total = F(0)
        for k in range(starts[i], starts[i[0] + 1]):
            total += values[k] * x[columns[k]]
        out[i] = total

    r = np.random.default_rng(1)
    starts = np.concatenate([[0], np.cumsum(r.integers(8, 24, n))]).astype(INT)
    size = int(starts[-1])
    columns = ((np.repeat(np.arange(n), np.diff(starts)) + r.integers(-500, 500, size)) % n
               ).astype(INT)
    values, x = r.random(size, F), r.random(n, F)

    def check(got: list[Any]) -> None:
        near(got[0], np.add.reduceat(values * x[columns], starts[:-1]), 1e-3)

    return Case([starts, columns, values, x, np.zeros(n, F)], (4,),
                lambda q, m: q.parallel_for(n, kernel, *m), lines(n), (n,), check,
                moved=8.0 * size + 12.0 * n)


def scan(scale: int) -> Case:
    """Sums within each work-group of 256."""
    n = (1 << 26) // scale

    def kernel(it: Any, a: Any, b: Any) -> None:
        i = it.get_global_id(0)
        b[i] = sycl.inclusive_scan_over_group(it.get_group(), a[i], sycl.plus())

    a = np.random.default_rng(1).integers(0, 100, n, INT)
    return Case([a, np.zeros(n, INT)], (1,),
                lambda q, m: q.parallel_for(sycl.nd_range(n, 256), kernel, *m), lines(n), (),
                lambda got: np.testing.assert_array_equal(
                    got[0], a.reshape(-1, 256).cumsum(1).reshape(-1)), moved=8.0 * n)


def gather(scale: int) -> Case:
    """Elements from anywhere."""
    n = (1 << 25) // scale

    def kernel(i: Any, a: Any, places: Any, b: Any) -> None:
        b[i] = a[places[i]]

    r = np.random.default_rng(1)
    a, places = r.random(n, F), r.integers(0, n, n, INT)
    return Case([a, places, np.zeros(n, F)], (2,), lambda q, m: q.parallel_for(n, kernel, *m),
                lines(n), (n,), lambda got: np.testing.assert_array_equal(got[0], a[places]),
                moved=12.0 * n)


def triad(scale: int) -> Case:
    """``a = b + c / 2`` over 2**28 numbers."""
    n = (1 << 28) // scale

    def kernel(i: Any, a: Any, b: Any, c: Any) -> None:
        a[i] = b[i] + F(0.5) * c[i]

    part = np.random.default_rng(1).random(1 << 12, F)
    b, c = np.tile(part, n >> 12), np.tile(part[::-1], n >> 12)
    return Case([np.zeros(n, F), b, c], (0,), lambda q, m: q.parallel_for(n, kernel, *m),
                lines(n // 4), (n,), lambda got: near(got[0], b + c / 2), moved=12.0 * n)


def total(scale: int) -> Case:
    """A sum by ``reduction`` over 2**28 numbers."""
    n = (1 << 28) // scale

    def kernel(i: Any, total: Any, a: Any) -> None:
        total += a[i]

    part = np.random.default_rng(1).random(1 << 12, F)
    a = np.tile(part, n >> 12)

    def ours(q: sycl.queue, m: list[Any]) -> Any:
        return q.parallel_for(n, sycl.reduction(
            m[1], sycl.plus(), sycl.property.reduction.initialize_to_identity()), kernel, m[0])

    return Case([a, np.zeros(1, F)], (1,), ours, ((132 * 8, 1), (256, 1)), (n,),
                lambda got: near(got[0], part.astype(np.float64).sum() * (n >> 12), 1e-4),
                moved=4.0 * n)


CASES: dict[str, Callable[[int], Case]] = {
    "mandelbrot": mandelbrot, "nbody": nbody, "black_scholes": black_scholes, "stencil": stencil,
    "matmul": matmul, "histogram": histogram, "transpose": transpose, "csr": csr, "scan": scan,
    "gather": gather, "triad": triad, "sum": total}
