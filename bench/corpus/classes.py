"""Small cases of what compilers for kernels do badly, one of each class, beside a way round it.

Unit dimensions, tables, sums in memory, vectors in private memory, rows a power of two apart,
clamped neighbours, guards, remainders, early returns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    ROUNDING32,
    SUMS32,
    Entry,
    Namespace,
    Nd,
    Operands,
    Step,
    parallel,
    prange,
    show,
)

F = np.float32


def vectors(n: int, **more: Any) -> Operands:
    random = np.random.default_rng(1)
    return Namespace(n=n, a=random.random(n, F), b=random.random(n, F), out=np.zeros(n, F), **more)


# unit_dimensions: the same work over n, (n, 1), (1, n) and (n / 4, 4)


@sycl.kernel
def polynomial(it: Any, out: Any, a: Any) -> None:
    i = it.get_linear_id()
    x = a[i]
    out[i] = ((x * F(0.3) - F(0.2)) * x + F(0.1)) * x - F(0.5)


@parallel
def nb_polynomial(out: Any, a: Any) -> None:
    for i in prange(len(out)):
        x = a[i]
        out[i] = ((x * F(0.3) - F(0.2)) * x + F(0.1)) * x - F(0.5)


UNIT = Entry(
    "unit_dimensions", vectors, 1 << 20, 512,
    {"": lambda d: [Step(polynomial, (d.n, 1), d.out, d.a)],
     "one": lambda d: [Step(polynomial, d.n, d.out, d.a)],
     "(1, n)": lambda d: [Step(polynomial, (1, d.n), d.out, d.a)],
     "(n / 4, 4)": lambda d: [Step(polynomial, (d.n // 4, 4), d.out, d.a)]},
    lambda d: {"out": ((d.a * F(0.3) - F(0.2)) * d.a + F(0.1)) * d.a - F(0.5)}, ROUNDING32,
    "three fused roundings", numba=lambda d: nb_polynomial(d.out, d.a),
    opencl=lambda d: [Step("polynomial", d.n, d.out, d.a)], taichi="polynomial", warp="polynomial")


# table: a constant tuple of 49 numbers, by a number read from memory and by loops

WEIGHTS = tuple(F(w) for w in np.random.default_rng(3).random(49))


@sycl.kernel
def table(i: Any, out: Any, which: Any) -> None:
    out[i] = WEIGHTS[which[i]]


@sycl.kernel
def table_array(i: Any, out: Any, which: Any, weights: Any) -> None:
    out[i] = weights[which[i]]


@parallel
def nb_table(out: Any, which: Any, weights: Any) -> None:
    for i in prange(len(out)):
        out[i] = weights[which[i]]


def make_table(n: int) -> Operands:
    return vectors(n, which=np.random.default_rng(2).integers(0, 49, n, np.int32),
                   w=np.array(WEIGHTS, F))


TABLE = Entry(
    "table", make_table, 1 << 20, 300,
    {"": lambda d: [Step(table, d.n, d.out, d.which)],
     "array": lambda d: [Step(table_array, d.n, d.out, d.which, d.w)]},
    lambda d: {"out": d.w[d.which]}, numba=lambda d: nb_table(d.out, d.which, d.w),
    opencl=lambda d: [Step("table", d.n, d.out, d.which, d.w)])


@sycl.kernel
def blur(it: Any, out: Any, image: Any) -> None:
    y, x = it[0], it[1]
    total = F(0)
    for j in range(7):
        for i in range(7):
            total += WEIGHTS[7 * j + i] * image[y + j, x + i]
    out[y, x] = total


@sycl.kernel
def blur_guarded(it: Any, out: Any, image: Any) -> None:
    y, x = it.get_global_id(0), it.get_global_id(1)
    if y >= out.shape[0] or x >= out.shape[1]:
        return
    total = F(0)
    for j in range(7):
        for i in range(7):
            total += WEIGHTS[7 * j + i] * image[y + j, x + i]
    out[y, x] = total


@parallel
def nb_blur(out: Any, image: Any, weights: Any) -> None:
    for y in prange(out.shape[0]):
        for x in range(out.shape[1]):
            total = F(0)
            for j in range(7):
                for i in range(7):
                    total += weights[7 * j + i] * image[y + j, x + i]
            out[y, x] = total


def make_blur(n: int) -> Operands:
    image = np.random.default_rng(1).random((n + 6, n + 6), F)
    side = -(-n // 16) * 16
    return Namespace(image=image, out=np.zeros((n, n), F), w=np.array(WEIGHTS, F),
                     space=Nd((side, side), (16, 16)))


def ref_blur(d: Operands) -> dict[str, Any]:
    windows = np.lib.stride_tricks.sliding_window_view(d.image, (7, 7))
    return {"out": np.einsum("yxji,ji->yx", windows, d.w.reshape(7, 7))}


BLUR = Entry(
    "blur", make_blur, 500, 21,
    {"": lambda d: [Step(blur, d.out.shape, d.out, d.image)],
     "guarded": lambda d: [Step(blur_guarded, d.space, d.out, d.image)]},
    ref_blur, ROUNDING32, "49 float32 in another order",
    numba=lambda d: nb_blur(d.out, d.image, d.w), twin=("", "guarded"),
    opencl=lambda d: [Step("blur", d.out.shape, d.out, d.image, d.w)])


# copy and heat: in two dimensions, the guard a user of CUDA writes, and the range that needs none


@sycl.kernel
def copy(it: Any, out: Any, a: Any) -> None:
    out[it] = a[it]


@sycl.kernel
def copy_guarded(it: Any, out: Any, a: Any, h: Any, w: Any) -> None:
    y, x = it[0], it[1]
    if y < h and x < w:
        out[y, x] = a[y, x]


@sycl.kernel
def heat(it: Any, out: Any, a: Any, alpha: Any) -> None:
    y, x = it[0] + 1, it[1] + 1
    out[y, x] = a[y, x] + alpha * (a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1]
                                   - F(4) * a[y, x])


@sycl.kernel
def heat_guarded(it: Any, out: Any, a: Any, alpha: Any, h: Any, w: Any) -> None:
    y, x = it[0], it[1]
    if x == 0 or y == 0 or x == w - 1 or y == h - 1:
        return
    out[y, x] = a[y, x] + alpha * (a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1]
                                   - F(4) * a[y, x])


@sycl.kernel
def heat_periodic(it: Any, out: Any, a: Any, alpha: Any, h: Any, w: Any) -> None:
    y, x = it[0], it[1]
    out[y, x] = a[y, x] + alpha * (a[(y - 1) % h, x] + a[(y + 1) % h, x] + a[y, (x - 1) % w]
                                   + a[y, (x + 1) % w] - F(4) * a[y, x])


@parallel
def nb_copy(out: Any, a: Any) -> None:
    for y in prange(a.shape[0]):
        for x in range(a.shape[1]):
            out[y, x] = a[y, x]


@parallel
def nb_heat(out: Any, a: Any, alpha: Any) -> None:
    for y in prange(1, a.shape[0] - 1):
        for x in range(1, a.shape[1] - 1):
            out[y, x] = a[y, x] + alpha * (a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1]
                                           - F(4) * a[y, x])


@parallel
def nb_heat_periodic(out: Any, a: Any, alpha: Any) -> None:
    h, w = a.shape
    for y in prange(h):
        up, down = (y - 1) % h, (y + 1) % h
        for x in range(w):
            left = w - 1 if x == 0 else x - 1
            right = 0 if x == w - 1 else x + 1
            out[y, x] = a[y, x] + alpha * (a[up, x] + a[down, x] + a[y, left] + a[y, right]
                                           - F(4) * a[y, x])


def make_grid(n: int) -> Operands:
    return Namespace(a=np.random.default_rng(1).random((n, n), F), out=np.zeros((n, n), F), n=n,
                     alpha=F(0.1))


def ref_heat(d: Operands) -> dict[str, Any]:
    a = d.a
    d.out[1:-1, 1:-1] = a[1:-1, 1:-1] + d.alpha * (
        a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] - 4 * a[1:-1, 1:-1])
    return {"out": d.out}


def ref_periodic(d: Operands) -> dict[str, Any]:
    around = sum(np.roll(d.a, s, axis) for s in (1, -1) for axis in (0, 1))
    return {"out": d.a + d.alpha * (around - 4 * d.a)}


COPY = Entry(
    "copy", make_grid, 2048, 21,
    {"": lambda d: [Step(copy, d.a.shape, d.out, d.a)],
     "guarded": lambda d: [Step(copy_guarded, d.a.shape, d.out, d.a, d.n, d.n)]},
    lambda d: {"out": d.a}, numba=lambda d: nb_copy(d.out, d.a), opencl=True,
    twin=("", "guarded"), taichi="copy", warp="copy")
HEAT = Entry(
    "heat", make_grid, 2048, 21,
    {"": lambda d: [Step(heat, (d.n - 2, d.n - 2), d.out, d.a, d.alpha)],
     "guarded": lambda d: [Step(heat_guarded, d.a.shape, d.out, d.a, d.alpha, d.n, d.n)]},
    ref_heat, ROUNDING32, "five float32 roundings", numba=lambda d: nb_heat(d.out, d.a, d.alpha),
    opencl=True, twin=("", "guarded"), taichi="heat", warp="heat")
PERIODIC = Entry(
    "heat_periodic", make_grid, 1024, 13,
    {"": lambda d: [Step(heat_periodic, d.a.shape, d.out, d.a, d.alpha, d.n, d.n)]},
    ref_periodic, ROUNDING32, "five float32 roundings",
    numba=lambda d: nb_heat_periodic(d.out, d.a, d.alpha), opencl=True)


# private_vectors: sums of float4 in private memory, and of names


@sycl.kernel
def private_vectors(i: Any, out: Any, points: Any, weights: Any) -> None:
    acc = sycl.private_array(sycl.float4, 4)
    for k in range(4):
        acc[k] = sycl.float4(0)
    for j in range(weights.shape[0]):
        for k in range(4):
            acc[k] += weights[j, k] * points[i]
    total = acc[0]
    for k in range(1, 4):
        total = total * acc[k]
    out[i] = total


@sycl.kernel
def named_vectors(i: Any, out: Any, points: Any, weights: Any) -> None:
    a = b = c = d = sycl.float4(0)
    for j in range(weights.shape[0]):
        p = points[i]
        a = a + weights[j, 0] * p
        b = b + weights[j, 1] * p
        c = c + weights[j, 2] * p
        d = d + weights[j, 3] * p
    out[i] = a * b * c * d


@parallel
def nb_vectors(out: Any, points: Any, weights: Any) -> None:
    for i in prange(len(out)):
        for m in range(4):
            a = b = c = d = F(0)
            p = points[i, m]
            for j in range(weights.shape[0]):
                a += weights[j, 0] * p
                b += weights[j, 1] * p
                c += weights[j, 2] * p
                d += weights[j, 3] * p
            out[i, m] = a * b * c * d


def make_vectors(n: int) -> Operands:
    random = np.random.default_rng(1)
    d = Namespace(n=n, p=random.random((n, 4), F), weights=random.random((16, 4), F),
                  o=np.zeros((n, 4), F))
    d.points, d.out = d.p.view(sycl.float4.dtype)[:, 0], d.o.view(sycl.float4.dtype)[:, 0]
    return d


VECTORS = Entry(
    "private_vectors", make_vectors, 1 << 16, 100,
    {"": lambda d: [Step(private_vectors, d.n, d.out, d.points, d.weights)],
     "named": lambda d: [Step(named_vectors, d.n, d.out, d.points, d.weights)]},
    lambda d: {"o": d.weights.sum(0).prod() * d.p**4}, SUMS32, "products of sums of sixteen",
    numba=lambda d: nb_vectors(d.o, d.p, d.weights),
    opencl=lambda d: [Step("private_vectors", d.n, d.o, d.p, d.weights, 16)])


# power_rows: sums of columns, rows a power of two of bytes apart, in memory and in a name


@sycl.kernel
def power_rows(i: Any, out: Any, a: Any) -> None:
    total = F(0)
    for k in range(a.shape[0]):
        total += a[k, i] * a[k, (i + 1) % a.shape[1]]
    out[i] = total


@sycl.kernel
def power_rows_memory(i: Any, out: Any, a: Any) -> None:
    out[i] = F(0)
    for k in range(a.shape[0]):
        out[i] += a[k, i] * a[k, (i + 1) % a.shape[1]]


@parallel
def nb_power_rows(out: Any, a: Any) -> None:
    width, n = 256, a.shape[1]
    for block in prange((n + width - 1) // width):
        low, high = block * width, min(n, (block + 1) * width)
        for i in range(low, high):
            out[i] = F(0)
        for k in range(a.shape[0]):
            for i in range(low, min(high, n - 1)):
                out[i] += a[k, i] * a[k, i + 1]
            if high == n:
                out[n - 1] += a[k, n - 1] * a[k, 0]


POWER = Entry(
    "power_rows", lambda n: Namespace(n=n, a=np.random.default_rng(1).random((n, n), F),
                                      out=np.zeros(n, F)), 2048, 32,
    {"": lambda d: [Step(power_rows, d.n, d.out, d.a)],
     "in memory": lambda d: [Step(power_rows_memory, d.n, d.out, d.a)]},
    lambda d: {"out": (d.a * np.roll(d.a, -1, 1)).sum(0)}, SUMS32,
    "thousands of float32 in another order", numba=lambda d: nb_power_rows(d.out, d.a),
    opencl=lambda d: [Step("power_rows", d.n, d.out, d.a, d.n)])


# colours: bytes of a picture are brightened, over (h, w, 3) and over (h, 3 w)


@sycl.kernel
def colours(it: Any, out: Any, a: Any) -> None:
    out[it] = min((int(a[it]) * 5 >> 2) + 10, 255)


@parallel
def nb_colours(out: Any, a: Any) -> None:
    for y in prange(a.shape[0]):
        for x in range(a.shape[1]):
            for c in range(3):
                out[y, x, c] = min((np.int32(a[y, x, c]) * 5 >> 2) + 10, 255)


def make_colours(n: int) -> Operands:
    a = np.random.default_rng(1).integers(0, 256, (n, n + 3, 3), np.uint8)
    d = Namespace(a=a, out=np.zeros_like(a))
    d.flat, d.flat_out = a.reshape(n, -1), d.out.reshape(n, -1)
    return d


COLOURS = Entry(
    "colours", make_colours, 800, 19,
    {"": lambda d: [Step(colours, d.a.shape, d.out, d.a)],
     "(h, 3 w)": lambda d: [Step(colours, d.flat.shape, d.flat_out, d.flat)]},
    lambda d: {"out": np.minimum((d.a.astype(np.int32) * 5 >> 2) + 10, 255)},
    numba=lambda d: nb_colours(d.out, d.a))

ENTRIES = [UNIT, TABLE, BLUR, COPY, HEAT, PERIODIC, VECTORS, POWER, COLOURS]

if __name__ == "__main__":
    show(ENTRIES)
