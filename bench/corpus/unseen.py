"""Pictures, bytes, paths, graphs and trees, written before anybody looked at what became of them.

What an item does is one function for ours and Numba's, which loops over it. Chosen of 91 kernels so
that what was behind is there.
"""

from __future__ import annotations

import math
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
from bench.corpus.shading import as_float, plain, random_next

F, I, U, B = np.float32, np.int32, np.uint32, np.uint8


def generator() -> np.random.Generator:
    return np.random.default_rng(1)


# resize and warp: a picture between pixels, kept inside by a clamp or by a guard


@sycl.kernel
def resize(i: Any, img: Any, out: Any) -> None:
    resized(i[0], i[1], img, out)


@inner
def resized(y: Any, x: Any, img: Any, out: Any) -> None:
    h, w = img.shape
    oh, ow = out.shape
    sy = (F(y) + F(0.5)) * (F(h) / F(oh)) - F(0.5)
    sx = (F(x) + F(0.5)) * (F(w) / F(ow)) - F(0.5)
    y0 = max(0, min(int(sy), h - 2))
    x0 = max(0, min(int(sx), w - 2))
    dy, dx = sy - F(y0), sx - F(x0)
    top = img[y0, x0] + dx * (img[y0, x0 + 1] - img[y0, x0])
    low = img[y0 + 1, x0] + dx * (img[y0 + 1, x0 + 1] - img[y0 + 1, x0])
    out[y, x] = top + dy * (low - top)


@parallel
def nb_resize(img: Any, out: Any) -> None:
    for y in prange(out.shape[0]):
        for x in range(out.shape[1]):
            resized(y, x, img, out)


@sycl.kernel
def warp(i: Any, img: Any, m: Any, out: Any) -> None:
    warped(i[0], i[1], img, m, out)


@inner
def warped(y: Any, x: Any, img: Any, m: Any, out: Any) -> None:
    h, w = img.shape
    sx = m[0] * F(x) + m[1] * F(y) + m[2]
    sy = m[3] * F(x) + m[4] * F(y) + m[5]
    x0, y0 = math.floor(sx), math.floor(sy)
    if x0 < 0 or y0 < 0 or x0 >= w - 1 or y0 >= h - 1:
        out[y, x] = F(0)
        return
    dx, dy = sx - F(x0), sy - F(y0)
    out[y, x] = ((img[y0, x0] * (F(1) - dx) + img[y0, x0 + 1] * dx) * (F(1) - dy)
                 + (img[y0 + 1, x0] * (F(1) - dx) + img[y0 + 1, x0 + 1] * dx) * dy)


@parallel
def nb_warp(img: Any, m: Any, out: Any) -> None:
    for y in prange(out.shape[0]):
        for x in range(out.shape[1]):
            warped(y, x, img, m, out)


def make_picture(n: int) -> Operands:
    side = n * 3 // 4
    return Namespace(img=generator().random((n, n + 16), dtype=F), out=np.zeros((side, side), F),
                     m=np.array([0.9, 0.1, 3, -0.1, 0.9, 40], F))


RESIZE = Entry("resize", make_picture, 1500, 64,
               {"": lambda d: [Step(resize, d.out.shape, d.img, d.out)]},
               plain(lambda d: nb_resize(d.img, d.out), "out"), SUMS32,
               "rounded places between pixels", numba=lambda d: nb_resize(d.img, d.out))
WARP = Entry("warp", make_picture, 1024, 64,
             {"": lambda d: [Step(warp, d.out.shape, d.img, d.m, d.out)]},
             plain(lambda d: nb_warp(d.img, d.m, d.out), "out"), SUMS32,
             "rounded places between pixels", outliers=1e-2,
             numba=lambda d: nb_warp(d.img, d.m, d.out))


# edges: pixels that are least across their gradient are left out (Canny)


@sycl.kernel
def edges(i: Any, gx: Any, gy: Any, mag: Any, out: Any) -> None:
    thinned(i[0] + 1, i[1] + 1, gx, gy, mag, out)


@inner
def thinned(y: Any, x: Any, gx: Any, gy: Any, mag: Any, out: Any) -> None:
    m = mag[y, x]
    ax, ay = abs(gx[y, x]), abs(gy[y, x])
    if ax > F(2.4142135) * ay:
        a, b = mag[y, x - 1], mag[y, x + 1]
    elif ay > F(2.4142135) * ax:
        a, b = mag[y - 1, x], mag[y + 1, x]
    elif gx[y, x] * gy[y, x] > F(0):
        a, b = mag[y - 1, x - 1], mag[y + 1, x + 1]
    else:
        a, b = mag[y - 1, x + 1], mag[y + 1, x - 1]
    found = 0
    if m >= a and m >= b:
        if m > F(0.8):
            found = 255
        elif m > F(0.4):
            found = 128
    out[y, x] = found


@parallel
def nb_edges(gx: Any, gy: Any, mag: Any, out: Any) -> None:
    for y in prange(1, out.shape[0] - 1):
        for x in range(1, out.shape[1] - 1):
            thinned(y, x, gx, gy, mag, out)


def make_gradients(n: int) -> Operands:
    r = generator()
    return Namespace(gx=r.normal(size=(n, n)).astype(F), gy=r.normal(size=(n, n)).astype(F),
                     mag=r.random((n, n), dtype=F), out=np.zeros((n, n), B))


def gradients(d: Operands) -> tuple[Any, ...]:
    return d.gx, d.gy, d.mag, d.out


EDGES = Entry("edges", make_gradients, 1200, 40,
              {"": lambda d: [Step(edges, tuple(k - 2 for k in d.out.shape), *gradients(d))]},
              plain(lambda d: nb_edges(*gradients(d)), "out"),
              numba=lambda d: nb_edges(*gradients(d)))


# dither and gamma: bytes beside a small matrix, and by a table


@sycl.kernel
def dither(i: Any, img: Any, bayer: Any, out: Any) -> None:
    y, x = i[0], i[1]
    out[y, x] = 255 if img[y, x] > bayer[y & 7, x & 7] else 0


@parallel
def nb_dither(img: Any, bayer: Any, out: Any) -> None:
    for y in prange(out.shape[0]):
        for x in range(out.shape[1]):
            out[y, x] = 255 if img[y, x] > bayer[y & 7, x & 7] else 0


@sycl.kernel
def gamma(i: Any, img: Any, curve: Any, out: Any) -> None:
    out[i[0], i[1]] = curve[img[i[0], i[1]]]


@parallel
def nb_gamma(img: Any, curve: Any, out: Any) -> None:
    for y in prange(out.shape[0]):
        for x in range(out.shape[1]):
            out[y, x] = curve[img[y, x]]


def make_bytes(n: int) -> Operands:
    r = generator()
    return Namespace(img=r.integers(0, 256, (n, n), B), out=np.zeros((n, n), B),
                     curve=r.integers(0, 256, 256, B), bayer=r.integers(0, 256, (8, 8), B))


DITHER = Entry("dither", make_bytes, 2000, 40,
               {"": lambda d: [Step(dither, d.out.shape, d.img, d.bayer, d.out)]},
               plain(lambda d: nb_dither(d.img, d.bayer, d.out), "out"),
               numba=lambda d: nb_dither(d.img, d.bayer, d.out))
GAMMA = Entry("gamma", make_bytes, 2000, 40,
              {"": lambda d: [Step(gamma, d.out.shape, d.img, d.curve, d.out)]},
              plain(lambda d: nb_gamma(d.img, d.curve, d.out), "out"),
              numba=lambda d: nb_gamma(d.img, d.curve, d.out))


# utf8: which bytes of a text begin a letter that is whole


@sycl.kernel
def utf8(i: Any, text: Any, ok: Any) -> None:
    checked(i, text, ok)


@inner
def checked(i: Any, text: Any, ok: Any) -> None:
    c = text[i]
    if c < 0x80:
        ok[i] = 1
        return
    if c >= 0xF0:
        need = 3
    elif c >= 0xE0:
        need = 2
    elif c >= 0xC0:
        need = 1
    else:
        ok[i] = 1 if i > 0 and text[i - 1] >= 0x80 else 0
        return
    good = 1
    for k in range(1, need + 1):
        if i + k >= len(text) or (text[i + k] & 0xC0) != 0x80:
            good = 0
    ok[i] = good


@parallel
def nb_utf8(text: Any, ok: Any) -> None:
    for i in prange(len(text)):
        checked(i, text, ok)


def make_text(n: int) -> Operands:
    letters = np.array([ord(c) for c in "abcdefghij klmnopqrst uvwxyz äöü éàç 中文 😀"])
    text = "".join(map(chr, letters[generator().integers(0, len(letters), n)])).encode()[:n]
    return Namespace(text=np.frombuffer(text, B).copy(), ok=np.zeros(n, B))


UTF8 = Entry("utf8", make_text, 2_000_000, 1000,
             {"": lambda d: [Step(utf8, len(d.text), d.text, d.ok)]},
             plain(lambda d: nb_utf8(d.text, d.ok), "ok"),
             numba=lambda d: nb_utf8(d.text, d.ok))


# heston and epidemic: random numbers of each item's own


@sycl.kernel
def heston(i: Any, steps: Any, out: Any) -> None:
    path(i, steps, out)


@inner
def path(i: Any, steps: Any, out: Any) -> None:
    dt, kappa, theta, xi, rho = F(1 / 64), F(1.5), F(0.04), F(0.3), F(-0.7)
    s, v, seed = F(100), F(0.04), U(i + 1)
    for _ in range(steps):
        first = random_next(seed)
        seed = random_next(first)
        r = F(math.sqrt(F(-2) * F(math.log(F(1) - as_float(first)))))
        z1 = r * F(math.cos(F(6.2831853) * as_float(seed)))
        z2 = r * F(math.sin(F(6.2831853) * as_float(seed)))
        z2 = rho * z1 + F(math.sqrt(F(1) - rho * rho)) * z2
        up = max(v, F(0))
        root = F(math.sqrt(up * dt))
        s = s * F(math.exp((F(0.02) - F(0.5) * up) * dt + root * z1))
        v = v + kappa * (theta - up) * dt + xi * root * z2
    out[i] = max(s - F(100), F(0))


@parallel
def nb_heston(steps: Any, out: Any) -> None:
    for i in prange(len(out)):
        path(i, steps, out)


@sycl.kernel
def epidemic(i: Any, days: Any, out: Any) -> None:
    spread(i, days, out)


@inner
def spread(i: Any, days: Any, out: Any) -> None:
    seed = U(i + 7)
    well, ill, cured = 990, 10, 0
    for _ in range(days):
        new, healed = 0, 0
        for _ in range(8):
            seed = random_next(seed)
            if as_float(seed) < F(0.3) * F(well) / F(1000):
                new += 1
            if as_float(seed) > F(0.9):
                healed += 1
        new = min(new, well)
        healed = min(healed, ill)
        well -= new
        ill += new - healed
        cured += healed
        if ill <= 0:
            break
    out[i] = cured


@parallel
def nb_epidemic(days: Any, out: Any) -> None:
    for i in prange(len(out)):
        spread(i, days, out)


def make_paths(n: int) -> Operands:
    return Namespace(out=np.zeros(n, F), count=np.zeros(n, I), steps=64, days=40)


HESTON = Entry("heston", make_paths, 40_000, 200,
               {"": lambda d: [Step(heston, len(d.out), d.steps, d.out)]},
               plain(lambda d: nb_heston(d.steps, d.out), "out"), 1e-2,
               "64 exponentials, logarithms and sines of float32 behind one another",
               outliers=2e-2, numba=lambda d: nb_heston(d.steps, d.out))
EPIDEMIC = Entry("epidemic", make_paths, 20_000, 60,
                 {"": lambda d: [Step(epidemic, len(d.count), d.days, d.count)]},
                 plain(lambda d: nb_epidemic(d.days, d.count), "count"), outliers=2e-2,
                 numba=lambda d: nb_epidemic(d.days, d.count))


# ranks: one step of PageRank over the edges that lead to each page


@sycl.kernel
def ranks(i: Any, first: Any, source: Any, rank: Any, links: Any, out: Any) -> None:
    ranked(i, first, source, rank, links, out)


@inner
def ranked(i: Any, first: Any, source: Any, rank: Any, links: Any, out: Any) -> None:
    total = 0.0
    for k in range(first[i], first[i + 1]):
        j = source[k]
        total += rank[j] / links[j]
    out[i] = 0.15 / len(rank) + 0.85 * total


@parallel
def nb_ranks(first: Any, source: Any, rank: Any, links: Any, out: Any) -> None:
    for i in prange(len(out)):
        ranked(i, first, source, rank, links, out)


def make_pages(n: int) -> Operands:
    r = generator()
    counts = r.integers(1, 24, n)
    first = np.concatenate([[0], np.cumsum(counts)]).astype(I)
    return Namespace(first=first, source=r.integers(0, n, first[-1]).astype(I), rank=r.random(n),
                     links=counts.astype(I), out=np.zeros(n))


def pages(d: Operands) -> tuple[Any, ...]:
    return d.first, d.source, d.rank, d.links, d.out


RANKS = Entry("ranks", make_pages, 100_000, 90,
              {"": lambda d: [Step(ranks, len(d.out), *pages(d))]},
              plain(lambda d: nb_ranks(*pages(d)), "out"), ROUNDING64, "sums in another order",
              numba=lambda d: nb_ranks(*pages(d)))


# forest: sixteen decision trees for each item


@sycl.kernel
def forest(i: Any, x: Any, feature: Any, limit: Any, leaf: Any, out: Any) -> None:
    decided(i, x, feature, limit, leaf, out)


@inner
def decided(i: Any, x: Any, feature: Any, limit: Any, leaf: Any, out: Any) -> None:
    total = F(0)
    for t in range(feature.shape[0]):
        k = 0
        for _ in range(8):
            if x[i, feature[t, k]] < limit[t, k]:
                k = 2 * k + 1
            else:
                k = 2 * k + 2
        total += leaf[t, k - 255]
    out[i] = total / F(feature.shape[0])


@parallel
def nb_forest(x: Any, feature: Any, limit: Any, leaf: Any, out: Any) -> None:
    for i in prange(len(out)):
        decided(i, x, feature, limit, leaf, out)


def make_trees(n: int) -> Operands:
    r = generator()
    return Namespace(x=r.random((n, 8), dtype=F), feature=r.integers(0, 8, (16, 255)).astype(I),
                     limit=r.random((16, 255), dtype=F), leaf=r.random((16, 256), dtype=F),
                     out=np.zeros(n, F))


def trees(d: Operands) -> tuple[Any, ...]:
    return d.x, d.feature, d.limit, d.leaf, d.out


FOREST = Entry("forest", make_trees, 20_000, 60,
               {"": lambda d: [Step(forest, len(d.out), *trees(d))]},
               plain(lambda d: nb_forest(*trees(d)), "out"), ROUNDING32, "sums of sixteen",
               numba=lambda d: nb_forest(*trees(d)))


ENTRIES = (RESIZE, WARP, EDGES, DITHER, GAMMA, UTF8, HESTON, EPIDEMIC, RANKS, FOREST)

if __name__ == "__main__":
    show(ENTRIES)
