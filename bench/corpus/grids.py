"""Programs of every day over pictures, rows and grids: bytes, boundaries, small matrices.

Kernels were written before anybody looked at what the compiler makes of them, as a user of C++,
CUDA or Numba writes them first; most call the function that the peer calls, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    ROUNDING32,
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

F, D, I, B = np.float32, np.float64, np.int32, np.uint8


# argmin_rows, layer_norm: one item goes along a row


@inner
def least_at(a: Any, i: Any) -> Any:
    best, at = a[i, 0], 0
    for j in range(1, a.shape[1]):
        if a[i, j] < best:
            best, at = a[i, j], j
    return at


@sycl.kernel
def argmin_rows(i: Any, a: Any, out: Any) -> None:
    out[i] = least_at(a, i[0])


@parallel
def nb_argmin_rows(a: Any, out: Any) -> None:
    for i in prange(a.shape[0]):
        out[i] = least_at(a, i)


def make_rows(n: int) -> Operands:
    a = np.random.default_rng(1).random((n, 256), dtype=F)
    return Namespace(a=a, b=np.zeros_like(a), out=np.zeros(n, I))


ARGMIN = Entry("argmin_rows", make_rows, 2048, 65,
               {"": lambda d: [Step(argmin_rows, len(d.out), d.a, d.out)]},
               plain(lambda d: nb_argmin_rows(d.a, d.out), "out"),
               numba=lambda d: nb_argmin_rows(d.a, d.out))


@inner
def normalise(a: Any, b: Any, i: Any) -> None:
    m = a.shape[1]
    mean, var = F(0), F(0)
    for j in range(m):
        mean += a[i, j]
    mean /= F(m)
    for j in range(m):
        var += (a[i, j] - mean) * (a[i, j] - mean)
    scale = F(1) / np.sqrt(var / F(m) + F(1e-5))
    for j in range(m):
        b[i, j] = (a[i, j] - mean) * scale


@sycl.kernel
def layer_norm(i: Any, a: Any, b: Any) -> None:
    normalise(a, b, i[0])


@parallel
def nb_layer_norm(a: Any, b: Any) -> None:
    for i in prange(a.shape[0]):
        normalise(a, b, i)


LAYER_NORM = Entry("layer_norm", make_rows, 2048, 65,
                   {"": lambda d: [Step(layer_norm, len(d.out), d.a, d.b)]},
                   plain(lambda d: nb_layer_norm(d.a, d.b), "b"), SUMS32, "sums of 256",
                   numba=lambda d: nb_layer_norm(d.a, d.b))


# smooth: nine taps over a signal in float64, what is outside is left out


@inner
def tapped(x: Any, w: Any, i: Any) -> Any:
    total = 0.0
    for k in range(-4, 5):
        if 0 <= i + k < len(x):
            total += x[i + k] * w[k + 4]
    return total


@sycl.kernel
def smooth(i: Any, x: Any, w: Any, y: Any) -> None:
    y[i] = tapped(x, w, i[0])


@parallel
def nb_smooth(x: Any, w: Any, y: Any) -> None:
    for i in prange(len(y)):
        y[i] = tapped(x, w, i)


def make_smooth(n: int) -> Operands:
    r = np.random.default_rng(1)
    return Namespace(x=r.random(n), w=r.random(9), y=np.zeros(n))


SMOOTH = Entry("smooth", make_smooth, 1 << 18, 101,
               {"": lambda d: [Step(smooth, len(d.y), d.x, d.w, d.y)]},
               plain(lambda d: nb_smooth(d.x, d.w, d.y), "y"), ROUNDING64, "sums of nine",
               numba=lambda d: nb_smooth(d.x, d.w, d.y))


# box: the mean of 5 x 5 bytes, edges repeated


@inner
def mean_byte(image: Any, y: Any, x: Any) -> Any:
    h, w = image.shape
    total = 0
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            total += int(image[min(max(y + dy, 0), h - 1), min(max(x + dx, 0), w - 1)])
    return B(total // 25)


@sycl.kernel
def box(it: Any, image: Any, out: Any) -> None:
    out[it] = mean_byte(image, it[0], it[1])


@parallel
def nb_box(image: Any, out: Any) -> None:
    for y in prange(image.shape[0]):
        for x in range(image.shape[1]):
            out[y, x] = mean_byte(image, y, x)


def make_picture(n: int) -> Operands:
    image = np.random.default_rng(1).integers(0, 256, (n, n + 16), dtype=B)
    return Namespace(image=image, out=np.zeros_like(image))


BOX = Entry("box", make_picture, 512, 19,
            {"": lambda d: [Step(box, d.image.shape, d.image, d.out)]},
            plain(lambda d: nb_box(d.image, d.out), "out"),
            numba=lambda d: nb_box(d.image, d.out))


# ycc: red, green and blue become brightness and two differences, whole numbers


@inner
def byte(v: Any) -> Any:
    return B(min(max(v, 0), 255))


@sycl.kernel
def ycc(it: Any, image: Any, out: Any) -> None:
    y, x = it[0], it[1]
    r, g, b = int(image[y, x, 0]), int(image[y, x, 1]), int(image[y, x, 2])
    out[y, x, 0] = byte((77 * r + 150 * g + 29 * b) >> 8)
    out[y, x, 1] = byte(((-43 * r - 85 * g + 128 * b) >> 8) + 128)
    out[y, x, 2] = byte(((128 * r - 107 * g - 21 * b) >> 8) + 128)


@parallel
def nb_ycc(image: Any, out: Any) -> None:
    for y in prange(image.shape[0]):
        for x in range(image.shape[1]):
            r, g, b = I(image[y, x, 0]), I(image[y, x, 1]), I(image[y, x, 2])
            out[y, x, 0] = byte((I(77) * r + I(150) * g + I(29) * b) >> I(8))
            out[y, x, 1] = byte(((I(-43) * r - I(85) * g + I(128) * b) >> I(8)) + I(128))
            out[y, x, 2] = byte(((I(128) * r - I(107) * g - I(21) * b) >> I(8)) + I(128))


def make_colours(n: int) -> Operands:
    image = np.random.default_rng(1).integers(0, 256, (n, n + 8, 3), dtype=B)
    return Namespace(image=image, out=np.zeros_like(image))


YCC = Entry("ycc", make_colours, 512, 19,
            {"": lambda d: [Step(ycc, d.image.shape[:2], d.image, d.out)]},
            plain(lambda d: nb_ycc(d.image, d.out), "out"),
            numba=lambda d: nb_ycc(d.image, d.out))


# dice: how often points of a generator's own lie in a circle


@inner
def shifted(state: Any) -> Any:
    state = np.uint32(state ^ (state << np.uint32(13)))
    state = np.uint32(state ^ (state >> np.uint32(17)))
    return np.uint32(state ^ (state << np.uint32(5)))


@inner
def inside(seed: Any, count: Any) -> Any:
    state = np.uint32(seed * np.uint32(2654435761) + np.uint32(12345))
    hits = 0
    for _ in range(count):
        state = shifted(state)
        x = F(state >> np.uint32(8)) * F(1 / 16777216)
        state = shifted(state)
        y = F(state >> np.uint32(8)) * F(1 / 16777216)
        if x * x + y * y < F(1):
            hits += 1
    return hits


@sycl.kernel
def dice(i: Any, count: Any, out: Any) -> None:
    out[i] = inside(np.uint32(i[0] + 1), count)


@parallel
def nb_dice(count: Any, out: Any) -> None:
    for i in prange(len(out)):
        out[i] = inside(np.uint32(i + 1), count)


DICE = Entry("dice", lambda n: Namespace(count=100, out=np.zeros(n, I)), 1 << 13, 101,
             {"": lambda d: [Step(dice, len(d.out), d.count, d.out)]},
             plain(lambda d: nb_dice(d.count, d.out), "out"), outliers=0.01,
             numba=lambda d: nb_dice(d.count, d.out))


# turns: vectors turned by quaternions


@inner
def turn(q: Any, v: Any, out: Any, i: Any) -> None:
    w, x, y, z = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
    a, b, c = v[i, 0], v[i, 1], v[i, 2]
    tx, ty, tz = F(2) * (y * c - z * b), F(2) * (z * a - x * c), F(2) * (x * b - y * a)
    out[i, 0] = a + w * tx + (y * tz - z * ty)
    out[i, 1] = b + w * ty + (z * tx - x * tz)
    out[i, 2] = c + w * tz + (x * ty - y * tx)


@sycl.kernel
def turns(i: Any, q: Any, v: Any, out: Any) -> None:
    turn(q, v, out, i[0])


@parallel
def nb_turns(q: Any, v: Any, out: Any) -> None:
    for i in prange(len(q)):
        turn(q, v, out, i)


def make_turns(n: int) -> Operands:
    r = np.random.default_rng(1)
    return Namespace(q=r.random((n, 4), dtype=F), v=r.random((n, 3), dtype=F),
                     out=np.zeros((n, 3), F))


TURNS = Entry("turns", make_turns, 1 << 16, 101,
              {"": lambda d: [Step(turns, len(d.q), d.q, d.v, d.out)]},
              plain(lambda d: nb_turns(d.q, d.v, d.out), "out"), ROUNDING32, "some roundings",
              numba=lambda d: nb_turns(d.q, d.v, d.out))


# products: of many 4 x 4 matrices


@inner
def product(a: Any, b: Any, c: Any, i: Any) -> None:
    for r in range(4):
        for k in range(4):
            total = F(0)
            for t in range(4):
                total += a[i, r, t] * b[i, t, k]
            c[i, r, k] = total


@sycl.kernel
def products(i: Any, a: Any, b: Any, c: Any) -> None:
    product(a, b, c, i[0])


@parallel
def nb_products(a: Any, b: Any, c: Any) -> None:
    for i in prange(len(a)):
        product(a, b, c, i)


def make_products(n: int) -> Operands:
    r = np.random.default_rng(1)
    return Namespace(a=r.random((n, 4, 4), dtype=F), b=r.random((n, 4, 4), dtype=F),
                     c=np.zeros((n, 4, 4), F))


PRODUCTS = Entry("products", make_products, 1 << 14, 65,
                 {"": lambda d: [Step(products, len(d.a), d.a, d.b, d.c)]},
                 plain(lambda d: nb_products(d.a, d.b, d.c), "c"), ROUNDING32, "sums of four",
                 numba=lambda d: nb_products(d.a, d.b, d.c))


# ell: a sparse matrix of equally long rows, stored by columns


@sycl.kernel
def ell(i: Any, values: Any, at: Any, x: Any, y: Any) -> None:
    total = 0.0
    for k in range(values.shape[0]):
        total += values[k, i[0]] * x[at[k, i[0]]]
    y[i] = total


@parallel
def nb_ell(values: Any, at: Any, x: Any, y: Any) -> None:
    for i in prange(len(y)):
        total = 0.0
        for k in range(values.shape[0]):
            total += values[k, i] * x[at[k, i]]
        y[i] = total


def make_ell(n: int) -> Operands:
    r = np.random.default_rng(1)
    at = (np.arange(n) + r.integers(-200, 200, (12, n))) % n
    return Namespace(values=r.random((12, n)), at=at.astype(I), x=r.random(n), y=np.zeros(n))


ELL = Entry("ell", make_ell, 1 << 16, 301,
            {"": lambda d: [Step(ell, len(d.y), d.values, d.at, d.x, d.y)]},
            plain(lambda d: nb_ell(d.values, d.at, d.x, d.y), "y"), ROUNDING64, "sums of twelve",
            numba=lambda d: nb_ell(d.values, d.at, d.x, d.y))


# red_black: Gauss and Seidel's relaxation, one colour after the other


@sycl.kernel
def red_black(it: Any, u: Any, f: Any, colour: Any) -> None:
    y, x = it[0], it[1]
    h, w = u.shape
    if 0 < y < h - 1 and 0 < x < w - 1 and (y + x) % 2 == colour:
        u[y, x] = 0.25 * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1] - f[y, x])


@parallel
def nb_red_black(u: Any, f: Any, colour: Any) -> None:
    h, w = u.shape
    for y in prange(1, h - 1):
        for x in range(1 + (y + colour + 1) % 2, w - 1, 2):
            u[y, x] = 0.25 * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1] - f[y, x])


def make_relax(n: int) -> Operands:
    r = np.random.default_rng(1)
    return Namespace(u=r.random((n, n)), f=r.random((n, n)))


def both_colours(d: Operands) -> None:
    for colour in range(2):
        nb_red_black(d.u, d.f, colour)


RED_BLACK = Entry("red_black", make_relax, 512, 33,
                  {"": lambda d: [Step(red_black, d.u.shape, d.u, d.f, c) for c in range(2)]},
                  plain(both_colours, "u"), ROUNDING64, "sums of five", numba=both_colours)


# julia: a fractal in whole numbers, twelve bits behind the point


@inner
def escape(x: Any, y: Any, n: Any) -> Any:
    zx, zy = (x * 12288) // n - 6144, (y * 8192) // n - 4096
    k = 0
    while k < 64 and zx * zx + zy * zy < 4 << 24:
        zx, zy = ((zx * zx - zy * zy) >> 12) - 3276, ((2 * zx * zy) >> 12) + 639
        k += 1
    return k


@sycl.kernel
def julia(it: Any, out: Any) -> None:
    out[it] = escape(int(it[1]), int(it[0]), out.shape[0])


@parallel
def nb_julia(out: Any) -> None:
    for y in prange(out.shape[0]):
        for x in range(out.shape[1]):
            out[y, x] = escape(x, y, out.shape[0])


JULIA = Entry("julia", lambda n: Namespace(out=np.zeros((n, n), B)), 384, 23,
              {"": lambda d: [Step(julia, d.out.shape, d.out)]},
              plain(lambda d: nb_julia(d.out), "out"), numba=lambda d: nb_julia(d.out))


# labels: each pixel takes the least label of its neighbours of the same colour


@sycl.kernel
def labels(it: Any, image: Any, old: Any, new: Any) -> None:
    y, x = it[0], it[1]
    h, w = image.shape
    best = old[y, x]
    if y > 0 and image[y - 1, x] == image[y, x]:
        best = min(best, old[y - 1, x])
    if y < h - 1 and image[y + 1, x] == image[y, x]:
        best = min(best, old[y + 1, x])
    if x > 0 and image[y, x - 1] == image[y, x]:
        best = min(best, old[y, x - 1])
    if x < w - 1 and image[y, x + 1] == image[y, x]:
        best = min(best, old[y, x + 1])
    new[y, x] = best


@parallel
def nb_labels(image: Any, old: Any, new: Any) -> None:
    h, w = image.shape
    for y in prange(h):
        for x in range(w):
            best = old[y, x]
            if y > 0 and image[y - 1, x] == image[y, x]:
                best = min(best, old[y - 1, x])
            if y < h - 1 and image[y + 1, x] == image[y, x]:
                best = min(best, old[y + 1, x])
            if x > 0 and image[y, x - 1] == image[y, x]:
                best = min(best, old[y, x - 1])
            if x < w - 1 and image[y, x + 1] == image[y, x]:
                best = min(best, old[y, x + 1])
            new[y, x] = best


def make_labels(n: int) -> Operands:
    image = (np.random.default_rng(1).random((n, n)) > 0.4).astype(B)
    old = np.arange(n * n, dtype=I).reshape(n, n)
    return Namespace(image=image, old=old, new=np.zeros_like(old))


LABELS = Entry("labels", make_labels, 512, 23,
               {"": lambda d: [Step(labels, d.image.shape, d.image, d.old, d.new)]},
               plain(lambda d: nb_labels(d.image, d.old, d.new), "new"),
               numba=lambda d: nb_labels(d.image, d.old, d.new))


# morton: two coordinates become one, bit by bit


@inner
def spread(v: Any) -> Any:
    v = (v | (v << np.uint32(8))) & np.uint32(0x00FF00FF)
    v = (v | (v << np.uint32(4))) & np.uint32(0x0F0F0F0F)
    v = (v | (v << np.uint32(2))) & np.uint32(0x33333333)
    return (v | (v << np.uint32(1))) & np.uint32(0x55555555)


@sycl.kernel
def morton(i: Any, x: Any, y: Any, out: Any) -> None:
    out[i] = spread(np.uint32(x[i])) | (spread(np.uint32(y[i])) << np.uint32(1))


@parallel
def nb_morton(x: Any, y: Any, out: Any) -> None:
    for i in prange(len(x)):
        out[i] = spread(np.uint32(x[i])) | (spread(np.uint32(y[i])) << np.uint32(1))


def make_points(n: int) -> Operands:
    r = np.random.default_rng(1)
    return Namespace(x=r.integers(0, 1 << 16, n, dtype=np.uint16),
                     y=r.integers(0, 1 << 16, n, dtype=np.uint16), out=np.zeros(n, np.uint32))


MORTON = Entry("morton", make_points, 1 << 18, 101,
               {"": lambda d: [Step(morton, len(d.x), d.x, d.y, d.out)]},
               plain(lambda d: nb_morton(d.x, d.y, d.out), "out"),
               numba=lambda d: nb_morton(d.x, d.y, d.out))


ENTRIES = (ARGMIN, LAYER_NORM, SMOOTH, BOX, YCC, DICE, TURNS, PRODUCTS, ELL, RED_BLACK, JULIA,
           LABELS, MORTON)

if __name__ == "__main__":
    show(ENTRIES)
