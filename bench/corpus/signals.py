"""Rows, sparse matrices, filters, rays and transforms, an item to a row or to a point.

Kernels are written as a user of C++, CUDA or Numba writes them first, before anybody looked at what
the compiler makes of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    ROUNDING64,
    SUMS32,
    Entry,
    Namespace,
    Operands,
    Step,
    inner,
    parallel,
    prange,
    show,
)
from bench.corpus.shading import plain

F, I = np.float32, np.int32


# row_sums, row_cumsum, softmax: one item goes along a row


@sycl.kernel
def row_sums(i: Any, a: Any, out: Any) -> None:
    total = F(0)
    for j in range(a.shape[1]):
        total += a[i, j]
    out[i] = total


@parallel
def nb_row_sums(a: Any, out: Any) -> None:
    for i in prange(a.shape[0]):
        total = F(0)
        for j in range(a.shape[1]):
            total += a[i, j]
        out[i] = total


def make_rows(n: int) -> Operands:
    a = np.random.default_rng(1).random((n, n), dtype=F)
    return Namespace(a=a, b=np.zeros_like(a), out=np.zeros(n, F))


ROW_SUMS = Entry("row_sums", make_rows, 1024, 65,
                 {"": lambda d: [Step(row_sums, len(d.out), d.a, d.out)]},
                 plain(lambda d: nb_row_sums(d.a, d.out), "out"), SUMS32, "sums of 1024",
                 numba=lambda d: nb_row_sums(d.a, d.out))


@sycl.kernel
def row_cumsum(i: Any, a: Any, b: Any) -> None:
    total = F(0)
    for j in range(a.shape[1]):
        total += a[i, j]
        b[i, j] = total


@parallel
def nb_row_cumsum(a: Any, b: Any) -> None:
    for i in prange(a.shape[0]):
        total = F(0)
        for j in range(a.shape[1]):
            total += a[i, j]
            b[i, j] = total


ROW_CUMSUM = Entry("row_cumsum", make_rows, 1024, 65,
                   {"": lambda d: [Step(row_cumsum, len(d.out), d.a, d.b)]},
                   plain(lambda d: nb_row_cumsum(d.a, d.b), "b"), SUMS32, "sums of 1024",
                   numba=lambda d: nb_row_cumsum(d.a, d.b))


@inner
def largest(x: Any, y: Any) -> Any:
    return max(y, x)


@sycl.kernel
def softmax(i: Any, a: Any, b: Any) -> None:
    m = a.shape[1]
    top = a[i, 0]
    for j in range(1, m):
        top = largest(a[i, j], top)
    total = F(0)
    for j in range(m):
        e = sycl.exp(a[i, j] - top)
        b[i, j] = e
        total += e
    for j in range(m):
        b[i, j] /= total


@parallel
def nb_softmax(a: Any, b: Any) -> None:
    for i in prange(a.shape[0]):
        m = a.shape[1]
        top = a[i, 0]
        for j in range(1, m):
            top = largest(a[i, j], top)
        total = F(0)
        for j in range(m):
            e = np.exp(a[i, j] - top)
            b[i, j] = e
            total += e
        for j in range(m):
            b[i, j] /= total


SOFTMAX = Entry("softmax", make_rows, 512, 33,
                {"": lambda d: [Step(softmax, len(d.out), d.a, d.b)]},
                plain(lambda d: nb_softmax(d.a, d.b), "b"), SUMS32, "sums of 512",
                numba=lambda d: nb_softmax(d.a, d.b))


# spmv_uneven: rows of 0 to 120 elements, in float64


@sycl.kernel
def spmv_uneven(i: Any, starts: Any, columns: Any, values: Any, x: Any, y: Any) -> None:
    total = 0.0
    for k in range(starts[i], starts[i + 1]):
        total += values[k] * x[columns[k]]
    y[i] = total


@parallel
def nb_spmv_uneven(starts: Any, columns: Any, values: Any, x: Any, y: Any) -> None:
    for i in prange(len(y)):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += values[k] * x[columns[k]]
        y[i] = total


def make_sparse(n: int) -> Operands:
    r = np.random.default_rng(1)
    starts = np.concatenate(([0], np.cumsum(r.integers(0, 121, n)))).astype(I)
    count = int(starts[-1])
    return Namespace(starts=starts, columns=r.integers(0, n, count).astype(I),
                     values=r.random(count), x=r.random(n), y=np.zeros(n))


SPMV = Entry("spmv_uneven", make_sparse, 1 << 14, 99,
             {"": lambda d: [Step(spmv_uneven, len(d.y), d.starts, d.columns, d.values, d.x, d.y)]},
             plain(lambda d: nb_spmv_uneven(d.starts, d.columns, d.values, d.x, d.y), "y"),
             ROUNDING64, "sums in another order",
             numba=lambda d: nb_spmv_uneven(d.starts, d.columns, d.values, d.x, d.y))


# sobel: neighbours are clamped to the picture


@sycl.kernel
def sobel(i: Any, a: Any, out: Any) -> None:
    y, x = i[0], i[1]
    h, w = a.shape[0], a.shape[1]
    up, down = max(y - 1, 0), min(y + 1, h - 1)
    left, right = max(x - 1, 0), min(x + 1, w - 1)
    gx = (a[up, right] + 2 * a[y, right] + a[down, right]
          - a[up, left] - 2 * a[y, left] - a[down, left])
    gy = (a[down, left] + 2 * a[down, x] + a[down, right]
          - a[up, left] - 2 * a[up, x] - a[up, right])
    out[y, x] = sycl.sqrt(gx * gx + gy * gy)


@parallel
def nb_sobel(a: Any, out: Any) -> None:
    h, w = a.shape
    for y in prange(h):
        for x in range(w):
            up, down = max(y - 1, 0), min(y + 1, h - 1)
            left, right = max(x - 1, 0), min(x + 1, w - 1)
            gx = (a[up, right] + 2 * a[y, right] + a[down, right]
                  - a[up, left] - 2 * a[y, left] - a[down, left])
            gy = (a[down, left] + 2 * a[down, x] + a[down, right]
                  - a[up, left] - 2 * a[up, x] - a[up, right])
            out[y, x] = np.sqrt(gx * gx + gy * gy)


def make_picture(n: int) -> Operands:
    a = np.random.default_rng(1).random((n, n), dtype=F)
    return Namespace(a=a, out=np.zeros_like(a))


SOBEL = Entry("sobel", make_picture, 1024, 33,
              {"": lambda d: [Step(sobel, d.a.shape, d.a, d.out)]},
              plain(lambda d: nb_sobel(d.a, d.out), "out"), SUMS32, "differences of near numbers",
              numba=lambda d: nb_sobel(d.a, d.out))


# bilateral: 5 x 5 neighbours, weighted by distance and by difference


@sycl.kernel
def bilateral(i: Any, a: Any, out: Any) -> None:
    y, x = i[0], i[1]
    h, w = a.shape[0], a.shape[1]
    total, weights = F(0), F(0)
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            yy, xx = y + dy, x + dx
            if 0 <= yy < h and 0 <= xx < w:
                d = a[yy, xx] - a[y, x]
                k = sycl.exp(-F(0.1) * (dx * dx + dy * dy) - F(8) * d * d)
                total += k * a[yy, xx]
                weights += k
    out[y, x] = total / weights


@inner
def weighed(a: Any, y: Any, x: Any) -> Any:
    total, weights = F(0), F(0)
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            yy, xx = y + dy, x + dx
            if 0 <= yy < a.shape[0] and 0 <= xx < a.shape[1]:
                d = a[yy, xx] - a[y, x]
                k = np.exp(-F(0.1) * F(dx * dx + dy * dy) - F(8) * d * d)
                total += k * a[yy, xx]
                weights += k
    return total / weights


@parallel
def nb_bilateral(a: Any, out: Any) -> None:
    h, w = a.shape
    for y in prange(h):
        for x in range(w):
            out[y, x] = weighed(a, y, x)


BILATERAL = Entry("bilateral", make_picture, 512, 9,
                  {"": lambda d: [Step(bilateral, d.a.shape, d.a, d.out)]},
                  plain(lambda d: nb_bilateral(d.a, d.out), "out"), SUMS32, "exponentials",
                  numba=lambda d: nb_bilateral(d.a, d.out))


# march: spheres on a grid, until a ray is near one


@inner
def distance(x: Any, y: Any, z: Any) -> Any:
    x = x - np.floor(x) - F(0.5)
    y = y - np.floor(y) - F(0.5)
    z = z - np.floor(z) - F(0.5)
    return np.sqrt(x * x + y * y + z * z) - F(0.2)


@inner
def marched(u: Any, v: Any) -> Any:
    long = np.sqrt(u * u + v * v + F(1))
    t = F(0)
    for _ in range(64):
        d = distance(u * t / long, v * t / long, t / long)
        if d < F(0.01):
            break
        t += d
    return t


@sycl.kernel
def march(i: Any, out: Any) -> None:
    n = out.shape[0]
    out[i] = marched(F(i[1] / n) - F(0.5), F(i[0] / n) - F(0.5))


@parallel
def nb_march(out: Any) -> None:
    n = out.shape[0]
    for y in prange(n):
        for x in range(n):
            out[y, x] = marched(F(x / n) - F(0.5), F(y / n) - F(0.5))


def make_canvas(n: int) -> Operands:
    return Namespace(out=np.zeros((n, n), F))


MARCH = Entry("march", make_canvas, 256, 9, {"": lambda d: [Step(march, d.out.shape, d.out)]},
              plain(lambda d: nb_march(d.out), "out"), SUMS32, "sums of distances", outliers=0.02,
              numba=lambda d: nb_march(d.out))


# butterflies: a Fourier transform by hand, a launch for each stage


@sycl.kernel
def butterflies(i: Any, re: Any, im: Any, half: Any) -> None:
    k = i[0] % half
    a = i[0] // half * 2 * half + k
    b = a + half
    angle = F(-np.pi) * F(k) / F(half)
    c, s = sycl.cos(angle), sycl.sin(angle)
    x, y = c * re[b] - s * im[b], c * im[b] + s * re[b]
    re[b], im[b] = re[a] - x, im[a] - y
    re[a] += x
    im[a] += y


@parallel
def nb_butterflies(re: Any, im: Any, half: Any) -> None:
    for i in prange(len(re) // 2):
        k = i % half
        a = i // half * 2 * half + k
        b = a + half
        angle = F(-np.pi) * F(k) / F(half)
        c, s = np.cos(angle), np.sin(angle)
        x, y = c * re[b] - s * im[b], c * im[b] + s * re[b]
        re[b], im[b] = re[a] - x, im[a] - y
        re[a] += x
        im[a] += y


def make_signal(n: int) -> Operands:
    r = np.random.default_rng(1)
    return Namespace(n=n, re=r.random(n, dtype=F) * F(1e-3), im=r.random(n, dtype=F) * F(1e-3))


def stages(d: Operands) -> list[int]:
    return [1 << k for k in range(d.n.bit_length() - 1)]


def all_stages(d: Operands) -> None:
    for half in stages(d):
        nb_butterflies(d.re, d.im, half)


FFT = Entry("butterflies", make_signal, 1 << 16, 1 << 8,
            {"": lambda d: [Step(butterflies, d.n // 2, d.re, d.im, h) for h in stages(d)]},
            plain(all_stages, "re"), SUMS32, "sines and sums", numba=all_stages)


ENTRIES = (ROW_SUMS, ROW_CUMSUM, SOFTMAX, SPMV, SOBEL, BILATERAL, MARCH, FFT)

if __name__ == "__main__":
    show(ENTRIES)
