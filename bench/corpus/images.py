"""Pictures of bytes and floats as people process them: life, filters, edges, colours, histograms.

Kernels are written as a user of NumPy and Numba translates them: Python's ints of bytes, borders
by conditions, loops over a window.
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
    Operands,
    Step,
    inner,
    parallel,
    prange,
    show,
)
from bench.corpus.shading import plain

F = np.float32

# life: Conway's game on a torus, neighbours by remainders


@inner
def lives(world: Any, y: Any, x: Any, h: Any, w: Any) -> Any:
    count = 0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            if dy != 0 or dx != 0:
                count += world[(y + dy) % h, (x + dx) % w]
    alive = world[y, x] == 1
    return 1 if count == 3 or (alive and count == 2) else 0


@sycl.kernel
def life(it: Any, world: Any, out: Any) -> None:
    y, x = it[0], it[1]
    h, w = world.shape
    count = 0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            if dy != 0 or dx != 0:
                count += int(world[(y + dy) % h, (x + dx) % w])
    alive = world[y, x] == 1
    out[y, x] = 1 if count == 3 or (alive and count == 2) else 0


@parallel
def nb_life(world: Any, out: Any) -> None:
    h, w = world.shape
    for y in prange(h):
        for x in range(w):
            out[y, x] = lives(world, y, x, h, w)


def make_life(n: int) -> Operands:
    world = np.random.default_rng(1).integers(0, 2, (n, n + 16), dtype=np.uint8)
    return Namespace(world=world, out=np.zeros_like(world))


def ref_life(d: Operands) -> dict[str, Any]:
    count = sum(np.roll(d.world, (a, b), (0, 1)).astype(int) for a in (-1, 0, 1)
                for b in (-1, 0, 1) if a or b)
    return {"out": (count == 3) | ((d.world == 1) & (count == 2))}


LIFE = Entry("life", make_life, 1024, 20,
             {"": lambda d: [Step(life, d.world.shape, d.world, d.out)]}, ref_life,
             numba=lambda d: nb_life(d.world, d.out))


# bilateral: a window of 7 x 7 weighed by how alike pixels are, cut off at the border

RADIUS = 3


@inner
def smooth(image: Any, y: Any, x: Any, near: Any, alike: Any) -> Any:
    h, w = image.shape
    here = image[y, x]
    total, weights = F(0), F(0)
    for dy in range(-RADIUS, RADIUS + 1):
        for dx in range(-RADIUS, RADIUS + 1):
            yy, xx = y + dy, x + dx
            if 0 <= yy < h and 0 <= xx < w:
                v = image[yy, xx]
                d = v - here
                weight = np.exp(-F(dx * dx + dy * dy) * near - d * d * alike)
                total += weight * v
                weights += weight
    return total / weights


@sycl.kernel
def bilateral(it: Any, image: Any, out: Any, near: Any, alike: Any) -> None:
    out[it] = smooth(image, it[0], it[1], near, alike)


@parallel
def nb_bilateral(image: Any, out: Any, near: Any, alike: Any) -> None:
    for y in prange(image.shape[0]):
        for x in range(image.shape[1]):
            out[y, x] = smooth(image, y, x, near, alike)


def make_bilateral(n: int) -> Operands:
    image = np.random.default_rng(1).random((n, n + 8), F)
    return Namespace(image=image, out=np.zeros_like(image), k=(F(1 / 18), F(12)))


BILATERAL = Entry(
    "bilateral", make_bilateral, 256, 14,
    {"": lambda d: [Step(bilateral, d.image.shape, d.image, d.out, *d.k)]},
    plain(lambda d: nb_bilateral(d.image, d.out, *d.k), "out"), SUMS32, "exponentials, sums of 49",
    numba=lambda d: nb_bilateral(d.image, d.out, *d.k))


# sobel: edges of a picture of bytes, none at the border


@inner
def edge_at(image: Any, y: Any, x: Any) -> Any:
    h, w = image.shape
    if y == 0 or x == 0 or y == h - 1 or x == w - 1:
        return 0
    gx = (int(image[y - 1, x + 1]) + 2 * int(image[y, x + 1]) + int(image[y + 1, x + 1])
          - int(image[y - 1, x - 1]) - 2 * int(image[y, x - 1]) - int(image[y + 1, x - 1]))
    gy = (int(image[y + 1, x - 1]) + 2 * int(image[y + 1, x]) + int(image[y + 1, x + 1])
          - int(image[y - 1, x - 1]) - 2 * int(image[y - 1, x]) - int(image[y - 1, x + 1]))
    return min(abs(gx) + abs(gy), 255)


@sycl.kernel
def sobel(it: Any, image: Any, out: Any) -> None:
    out[it] = edge_at(image, it[0], it[1])


@parallel
def nb_sobel(image: Any, out: Any) -> None:
    for y in prange(image.shape[0]):
        for x in range(image.shape[1]):
            out[y, x] = edge_at(image, y, x)


def make_bytes(n: int) -> Operands:
    image = np.random.default_rng(1).integers(0, 256, (n, n + 8), dtype=np.uint8)
    return Namespace(image=image, out=np.zeros_like(image))


SOBEL = Entry("sobel", make_bytes, 1024, 19,
              {"": lambda d: [Step(sobel, d.image.shape, d.image, d.out)]},
              plain(lambda d: nb_sobel(d.image, d.out), "out"),
              numba=lambda d: nb_sobel(d.image, d.out))


# equalise: a histogram, its sums, and each pixel by a table


@sycl.kernel
def count_levels(it: Any, image: Any, counts: Any) -> None:
    sycl.atomic_ref(counts, image[it], sycl.memory_order.relaxed,
                    sycl.memory_scope.device).fetch_add(1)


@sycl.kernel
def sum_levels(_: Any, counts: Any, table: Any, pixels: Any) -> None:
    below = 0
    for k in range(256):
        below += counts[k]
        table[k] = below * 255 // pixels


@sycl.kernel
def map_levels(it: Any, image: Any, table: Any, out: Any) -> None:
    out[it] = table[image[it]]


@parallel
def nb_equalise(image: Any, own: Any, table: Any, out: Any) -> None:
    h, w = image.shape
    parts = len(own)
    for p in prange(parts):
        own[p, :] = 0
        for y in range(p * h // parts, (p + 1) * h // parts):
            for x in range(w):
                own[p, image[y, x]] += 1
    below = 0
    for k in range(256):
        for p in range(parts):
            below += own[p, k]
        table[k] = below * 255 // (h * w)
    for y in prange(h):
        for x in range(w):
            out[y, x] = table[image[y, x]]


def make_equalise(n: int) -> Operands:
    d = make_bytes(n)
    d.image = (d.image // 3 + 40).astype(np.uint8)
    d.counts, d.table = np.zeros(256, np.int32), np.zeros(256, np.uint8)
    d.own = np.zeros((8, 256), np.int32)
    return d


def ref_equalise(d: Operands) -> dict[str, Any]:
    table = np.cumsum(np.bincount(d.image.ravel(), minlength=256)) * 255 // d.image.size
    return {"out": table[d.image]}


def clear(d: Operands) -> Any:
    return lambda queue: queue.memset(d.counts, 0, d.counts.nbytes)


EQUALISE = Entry(
    "equalise", make_equalise, 1024, 19,
    {"": lambda d: [clear(d), Step(count_levels, d.image.shape, d.image, d.counts),
                    Step(sum_levels, 1, d.counts, d.table, d.image.size),
                    Step(map_levels, d.image.shape, d.image, d.table, d.out)]},
    ref_equalise, numba=lambda d: nb_equalise(d.image, d.own, d.table, d.out))


# median: of 3 x 3 pixels, by insertion into a private array


@inner
def middle(image: Any, y: Any, x: Any, v: Any) -> Any:
    h, w = image.shape
    for k in range(9):
        value = image[min(max(y + k // 3 - 1, 0), h - 1), min(max(x + k % 3 - 1, 0), w - 1)]
        at = k
        while at > 0 and v[at - 1] > value:
            v[at] = v[at - 1]
            at -= 1
        v[at] = value
    return v[4]


@sycl.kernel
def median(it: Any, image: Any, out: Any) -> None:
    out[it] = middle(image, it[0], it[1], sycl.private_array(np.float32, 9))


@parallel
def nb_median(image: Any, out: Any) -> None:
    for y in prange(image.shape[0]):
        v = np.empty(9, np.float32)
        for x in range(image.shape[1]):
            out[y, x] = middle(image, y, x, v)


MEDIAN = Entry("median", make_bilateral, 384, 14,
               {"": lambda d: [Step(median, d.image.shape, d.image, d.out)]},
               plain(lambda d: nb_median(d.image, d.out), "out"),
               numba=lambda d: nb_median(d.image, d.out))


# hue: bytes of red, green and blue become hue, saturation and value


@inner
def hue_of(r: Any, g: Any, b: Any) -> Any:
    high, low = max(r, g, b), min(r, g, b)
    spread = high - low
    hue = F(0)
    if spread > F(0):
        if high == r:
            hue = (g - b) / spread
            if hue < F(0):
                hue += F(6)
        elif high == g:
            hue = (b - r) / spread + F(2)
        else:
            hue = (r - g) / spread + F(4)
    return hue * F(60), spread / high if high > F(0) else F(0), high


@sycl.kernel
def hue(it: Any, image: Any, out: Any) -> None:
    y, x = it[0], it[1]
    scale = F(1 / 255)
    r, g, b = F(image[y, x, 0]) * scale, F(image[y, x, 1]) * scale, F(image[y, x, 2]) * scale
    out[y, x, 0], out[y, x, 1], out[y, x, 2] = hue_of(r, g, b)


@parallel
def nb_hue(image: Any, out: Any) -> None:
    scale = F(1 / 255)
    for y in prange(image.shape[0]):
        for x in range(image.shape[1]):
            a, b, c = hue_of(F(image[y, x, 0]) * scale, F(image[y, x, 1]) * scale,
                             F(image[y, x, 2]) * scale)
            out[y, x, 0] = a
            out[y, x, 1] = b
            out[y, x, 2] = c


def make_hue(n: int) -> Operands:
    image = np.random.default_rng(1).integers(0, 256, (n, n + 8, 3), dtype=np.uint8)
    return Namespace(image=image, out=np.zeros(image.shape, F))


HUE = Entry("hue", make_hue, 512, 14,
            {"": lambda d: [Step(hue, d.image.shape[:2], d.image, d.out)]},
            plain(lambda d: nb_hue(d.image, d.out), "out"), ROUNDING32, "some float32 roundings",
            numba=lambda d: nb_hue(d.image, d.out))


# rotate: a picture turned about its middle, between four pixels


@inner
def turned(image: Any, y: Any, x: Any, c: Any, s: Any) -> Any:
    h, w = image.shape
    fx, fy = F(x) - F(w) * F(0.5), F(y) - F(h) * F(0.5)
    u = c * fx - s * fy + F(w) * F(0.5)
    v = s * fx + c * fy + F(h) * F(0.5)
    x0, y0 = int(np.floor(u)), int(np.floor(v))
    if x0 < 0 or y0 < 0 or x0 >= w - 1 or y0 >= h - 1:
        return F(0)
    a, b = u - F(x0), v - F(y0)
    top = image[y0, x0] * (F(1) - a) + image[y0, x0 + 1] * a
    bottom = image[y0 + 1, x0] * (F(1) - a) + image[y0 + 1, x0 + 1] * a
    return top * (F(1) - b) + bottom * b


@sycl.kernel
def rotate(it: Any, image: Any, out: Any, c: Any, s: Any) -> None:
    out[it] = turned(image, it[0], it[1], c, s)


@parallel
def nb_rotate(image: Any, out: Any, c: Any, s: Any) -> None:
    for y in prange(image.shape[0]):
        for x in range(image.shape[1]):
            out[y, x] = turned(image, y, x, c, s)


def make_rotate(n: int) -> Operands:
    d = make_bilateral(n)
    d.k = (F(np.cos(0.3)), F(np.sin(0.3)))
    return d


ROTATE = Entry("rotate", make_rotate, 512, 14,
               {"": lambda d: [Step(rotate, d.image.shape, d.image, d.out, *d.k)]},
               plain(lambda d: nb_rotate(d.image, d.out, *d.k), "out"), 1e-3,
               "positions are rounded, pixels beside one another differ", outliers=0.02,
               numba=lambda d: nb_rotate(d.image, d.out, *d.k))


# layer: a convolution of a network, 3 x 3, from eight channels to eight


@inner
def layer_at(given: Any, weights: Any, bias: Any, o: Any, y: Any, x: Any) -> Any:
    total = bias[o]
    for c in range(given.shape[0]):
        for ky in range(3):
            for kx in range(3):
                total += given[c, y + ky, x + kx] * weights[o, c, ky * 3 + kx]
    return max(total, F(0))


@sycl.kernel
def layer(it: Any, given: Any, weights: Any, bias: Any, out: Any) -> None:
    out[it] = layer_at(given, weights, bias, it[0], it[1], it[2])


@parallel
def nb_layer(given: Any, weights: Any, bias: Any, out: Any) -> None:
    channels, h, w = out.shape
    for k in prange(channels * h):
        for x in range(w):
            out[k // h, k % h, x] = layer_at(given, weights, bias, k // h, k % h, x)


def make_layer(n: int) -> Operands:
    random = np.random.default_rng(1)
    return Namespace(given=random.random((8, n + 2, n + 2), F) - F(0.5),
                     weights=random.random((8, 8, 9), F) - F(0.5),
                     bias=random.random(8, F), out=np.zeros((8, n, n), F))


LAYER = Entry("layer", make_layer, 128, 9,
              {"": lambda d: [Step(layer, d.out.shape, d.given, d.weights, d.bias, d.out)]},
              plain(lambda d: nb_layer(d.given, d.weights, d.bias, d.out), "out"), SUMS32,
              "sums of 72 of both signs",
              numba=lambda d: nb_layer(d.given, d.weights, d.bias, d.out))

ENTRIES = [LIFE, BILATERAL, SOBEL, EQUALISE, MEDIAN, HUE, ROTATE, LAYER]

if __name__ == "__main__":
    show(ENTRIES)
