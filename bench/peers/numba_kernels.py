"""The kernels in Numba: ``prange`` over threads, fastmath, everything else its own choice.

Imported in Numba's process only. Each function takes the operands of its benchmark in order.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numba import prange

parallel = numba.njit(parallel=True, fastmath=True)
ONE, HALF = np.float32(1), np.float32(0.5)


@parallel
def copy(a: Any, c: Any) -> None:
    for i in prange(len(a)):
        c[i] = a[i]


@parallel
def mul(a: Any, c: Any, s: Any) -> None:
    for i in prange(len(a)):
        c[i] = s * a[i]


@parallel
def add(a: Any, b: Any, c: Any) -> None:
    for i in prange(len(a)):
        c[i] = a[i] + b[i]


@parallel
def triad(a: Any, b: Any, c: Any, s: Any) -> None:
    for i in prange(len(a)):
        c[i] = a[i] + s * b[i]


@parallel
def dot(a: Any, b: Any, out: Any) -> None:
    total = a[0] * b[0]
    for i in prange(1, len(a)):
        total += a[i] * b[i]
    out[0] = total


@parallel
def sum_all(values: Any, out: Any) -> None:
    total = np.float32(0)
    for i in prange(len(values)):
        total += values[i]
    out[0] = total


@parallel
def mandelbrot(image: Any, limit: Any, left: Any, top: Any, step: Any) -> None:
    for y in prange(image.shape[0]):
        for x in range(image.shape[1]):
            c_re = np.float32(x) * step + left
            c_im = np.float32(y) * step + top
            re = np.float32(0)
            im = np.float32(0)
            n = 0
            while n < limit and re * re + im * im <= np.float32(4):
                t = re * re - im * im + c_re
                im = np.float32(2) * re * im + c_im
                re = t
                n += 1
            image[y, x] = n


@parallel
def nbody(x: Any, y: Any, z: Any, m: Any, ax: Any, ay: Any, az: Any, n: Any) -> None:
    for i in prange(n):
        xi, yi, zi = x[i], y[i], z[i]
        fx = fy = fz = np.float32(0)
        for j in range(n):
            dx = x[j] - xi
            dy = y[j] - yi
            dz = z[j] - zi
            near = ONE / np.sqrt(dx * dx + dy * dy + dz * dz + np.float32(1e-3))
            pull = m[j] * near * near * near
            fx += pull * dx
            fy += pull * dy
            fz += pull * dz
        ax[i] = fx
        ay[i] = fy
        az[i] = fz


@parallel
def matmul(left: Any, right: Any, out: Any, n: Any) -> None:
    for row in prange(n):
        for column in range(n):
            total = np.float32(0)
            for k in range(n):
                total += left[row, k] * right[k, column]
            out[row, column] = total


@parallel
def stencil(u: Any, new: Any, alpha: Any) -> None:
    for y in prange(1, u.shape[0] - 1):
        for x in range(1, u.shape[1] - 1):
            here = u[y, x]
            new[y, x] = here + alpha * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1]
                                        - np.float32(4) * here)


@numba.njit(fastmath=True)
def normal(d: Any) -> Any:
    k = ONE / (ONE + np.float32(0.2316419) * abs(d))
    poly = k * (np.float32(0.31938153) + k * (np.float32(-0.356563782) + k * (
        np.float32(1.781477937) + k * (np.float32(-1.821255978) + k * np.float32(1.330274429)))))
    tail = np.float32(0.39894228) * math.exp(-HALF * d * d) * poly
    return ONE - tail if d > np.float32(0) else tail


@parallel
def black_scholes(price: Any, strike: Any, years: Any, call: Any, put: Any, rate: Any,
                  volatility: Any) -> None:
    for i in prange(len(price)):
        s, x, t = price[i], strike[i], years[i]
        spread = volatility * math.sqrt(t)
        d1 = (math.log(s / x) + (rate + HALF * volatility * volatility) * t) / spread
        n1 = normal(d1)
        n2 = normal(d1 - spread)
        discounted = x * math.exp(-rate * t)
        call[i] = s * n1 - discounted * n2
        put[i] = discounted * (ONE - n2) - s * (ONE - n1)


@parallel
def scan(values: Any, out: Any) -> None:
    parts = numba.get_num_threads()
    n = len(values)
    sums = np.zeros(parts + 1, np.int32)
    for p in prange(parts):
        total = np.int32(0)
        for i in range(p * n // parts, (p + 1) * n // parts):
            total += values[i]
        sums[p + 1] = total
    for p in range(parts):
        sums[p + 1] += sums[p]
    for p in prange(parts):
        total = sums[p]
        for i in range(p * n // parts, (p + 1) * n // parts):
            total += values[i]
            out[i] = total


@parallel
def histogram(values: Any, bins: Any) -> None:
    parts = numba.get_num_threads()
    n = len(values)
    own = np.zeros((parts, 256), np.uint32)
    for p in prange(parts):
        for i in range(p * n // parts, (p + 1) * n // parts):
            own[p, values[i]] += np.uint32(1)
    for b in range(256):
        total = np.uint32(0)
        for p in range(parts):
            total += own[p, b]
        bins[b] = total


@parallel
def transpose(matrix: Any, out: Any) -> None:
    for y in prange(matrix.shape[0]):
        for x in range(matrix.shape[1]):
            out[x, y] = matrix[y, x]


@parallel
def spmv(starts: Any, columns: Any, values: Any, x: Any, y: Any) -> None:
    for row in prange(len(y)):
        total = np.float32(0)
        for k in range(starts[row], starts[row + 1]):
            total += values[k] * x[columns[k]]
        y[row] = total


@parallel
def gather(values: Any, index: Any, out: Any) -> None:
    for i in prange(len(out)):
        out[i] = values[index[i]]


@parallel
def scatter(values: Any, index: Any, out: Any) -> None:
    for i in prange(len(out)):
        out[index[i]] = values[i]


@parallel
def touch(out: Any) -> None:
    for i in prange(len(out)):
        out[i] = 1


@parallel
def mark(values: Any, node: Any) -> None:
    for i in prange(node + 1, node + 2):
        values[i] = np.float32(node + 1)


@parallel
def follow(values: Any, node: Any) -> None:
    for i in prange(node + 1, node + 2):
        values[i] = values[i - 1] + ONE
