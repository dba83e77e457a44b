"""Rodinia's kernels on grids: hotspot, srad, pathfinder, Needleman-Wunsch, LU decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    ROUNDING32,
    SUMS32,
    Entry,
    Local,
    Namespace,
    Nd,
    Operands,
    Step,
    parallel,
    prange,
    show,
)

F = np.float32
TILE = 16

# hotspot: temperatures of a chip; the border by conditions, as its authors have it


@sycl.kernel
def hotspot(it: Any, temp: Any, power: Any, out: Any, step: Any, rx: Any, ry: Any, rz: Any,
            ambient: Any) -> None:
    r, c = it[0], it[1]
    rows, columns = temp.shape
    here = temp[r, c]
    up = temp[r - 1, c] if r > 0 else here
    down = temp[r + 1, c] if r < rows - 1 else here
    left = temp[r, c - 1] if c > 0 else here
    right = temp[r, c + 1] if c < columns - 1 else here
    out[r, c] = here + step * (power[r, c] + (down + up - F(2) * here) * ry
                               + (right + left - F(2) * here) * rx + (ambient - here) * rz)


@sycl.kernel
def hotspot_clamped(it: Any, temp: Any, power: Any, out: Any, step: Any, rx: Any, ry: Any, rz: Any,
                    ambient: Any) -> None:
    r, c = it[0], it[1]
    rows, columns = temp.shape
    here = temp[r, c]
    up, down = temp[max(r - 1, 0), c], temp[min(r + 1, rows - 1), c]
    left, right = temp[r, max(c - 1, 0)], temp[r, min(c + 1, columns - 1)]
    out[r, c] = here + step * (power[r, c] + (down + up - F(2) * here) * ry
                               + (right + left - F(2) * here) * rx + (ambient - here) * rz)


@parallel
def nb_hotspot(temp: Any, power: Any, out: Any, step: Any, rx: Any, ry: Any, rz: Any,
               ambient: Any) -> None:
    rows, columns = temp.shape
    for r in prange(rows):
        up, down = max(r - 1, 0), min(r + 1, rows - 1)
        for c in range(columns):
            here = temp[r, c]
            left = temp[r, c - 1] if c > 0 else here
            right = temp[r, c + 1] if c < columns - 1 else here
            out[r, c] = here + step * (
                power[r, c] + (temp[down, c] + temp[up, c] - F(2) * here) * ry
                + (right + left - F(2) * here) * rx + (ambient - here) * rz)


def make_hotspot(n: int) -> Operands:
    random = np.random.default_rng(1)
    return Namespace(temp=random.uniform(320, 340, (n, n)).astype(F), out=np.zeros((n, n), F),
                     power=random.random((n, n), F), k=(F(0.1), F(0.7), F(0.6), F(0.05), F(80)))


def ref_hotspot(d: Operands) -> dict[str, Any]:
    step, rx, ry, rz, ambient = d.k
    t = np.pad(d.temp, 1, "edge")
    here = d.temp
    return {"out": here + step * (d.power + (t[2:, 1:-1] + t[:-2, 1:-1] - 2 * here) * ry
                                  + (t[1:-1, 2:] + t[1:-1, :-2] - 2 * here) * rx
                                  + (ambient - here) * rz)}


HOTSPOT = Entry(
    "hotspot", make_hotspot, 1024, 20,
    {"": lambda d: [Step(hotspot, d.temp.shape, d.temp, d.power, d.out, *d.k)],
     "clamped": lambda d: [Step(hotspot_clamped, d.temp.shape, d.temp, d.power, d.out, *d.k)]},
    ref_hotspot, ROUNDING32, "some float32 roundings",
    numba=lambda d: nb_hotspot(d.temp, d.power, d.out, *d.k), opencl=True, taichi="hotspot",
    warp="hotspot")


# srad: diffusion that keeps edges; neighbours through arrays of row and column numbers


@sycl.kernel
def srad_1(it: Any, image: Any, c: Any, dn: Any, ds: Any, dw: Any, de: Any, north: Any, south: Any,
           west: Any, east: Any, q0: Any) -> None:
    i, j = it[0], it[1]
    here = image[i, j]
    n, s = image[north[i], j] - here, image[south[i], j] - here
    w, e = image[i, west[j]] - here, image[i, east[j]] - here
    g2 = (n * n + s * s + w * w + e * e) / (here * here)
    laplace = (n + s + w + e) / here
    num = F(0.5) * g2 - F(1 / 16) * (laplace * laplace)
    den = F(1) + F(0.25) * laplace
    q = num / (den * den)
    den = (q - q0) / (q0 * (F(1) + q0))
    out = F(1) / (F(1) + den)
    if out < F(0):
        out = F(0)
    elif out > F(1):
        out = F(1)
    c[i, j] = out
    dn[i, j], ds[i, j], dw[i, j], de[i, j] = n, s, w, e


@sycl.kernel
def srad_2(it: Any, image: Any, c: Any, dn: Any, ds: Any, dw: Any, de: Any, south: Any, east: Any,
           weight: Any) -> None:
    i, j = it[0], it[1]
    here = c[i, j]
    change = (here * dn[i, j] + c[south[i], j] * ds[i, j] + here * dw[i, j]
              + c[i, east[j]] * de[i, j])
    image[i, j] = image[i, j] + F(0.25) * weight * change


@parallel
def nb_srad(image: Any, c: Any, dn: Any, ds: Any, dw: Any, de: Any, q0: Any, weight: Any) -> None:
    rows, columns = image.shape
    for i in prange(rows):
        up, down = max(i - 1, 0), min(i + 1, rows - 1)
        for j in range(columns):
            here = image[i, j]
            n, s = image[up, j] - here, image[down, j] - here
            w = image[i, max(j - 1, 0)] - here
            e = image[i, min(j + 1, columns - 1)] - here
            g2 = (n * n + s * s + w * w + e * e) / (here * here)
            laplace = (n + s + w + e) / here
            num = F(0.5) * g2 - F(1 / 16) * (laplace * laplace)
            den = F(1) + F(0.25) * laplace
            q = num / (den * den)
            den = (q - q0) / (q0 * (F(1) + q0))
            c[i, j] = min(max(F(1) / (F(1) + den), F(0)), F(1))
            dn[i, j] = n
            ds[i, j] = s
            dw[i, j] = w
            de[i, j] = e
    for i in prange(rows):
        down = min(i + 1, rows - 1)
        for j in range(columns):
            here = c[i, j]
            change = (here * dn[i, j] + c[down, j] * ds[i, j] + here * dw[i, j]
                      + c[i, min(j + 1, columns - 1)] * de[i, j])
            image[i, j] += F(0.25) * weight * change


def make_srad(n: int) -> Operands:
    i = np.arange(n, dtype=np.int32)
    low, high = np.maximum(i - 1, 0), np.minimum(i + 1, n - 1)
    return Namespace(image=np.exp(np.random.default_rng(1).random((n, n), F)), q0=F(0.25),
                     weight=F(0.2), low=low, high=high,
                     **{k: np.zeros((n, n), F) for k in ("c", "dn", "ds", "dw", "de")})


def ref_srad(d: Operands) -> dict[str, Any]:
    x, p = d.image, np.pad(d.image, 1, "edge")
    n, s, w, e = p[:-2, 1:-1] - x, p[2:, 1:-1] - x, p[1:-1, :-2] - x, p[1:-1, 2:] - x
    g2, laplace = (n * n + s * s + w * w + e * e) / (x * x), (n + s + w + e) / x
    q = (g2 / 2 - laplace * laplace / 16) / (1 + laplace / 4)**2
    c = np.clip(1 / (1 + (q - d.q0) / (d.q0 * (1 + d.q0))), 0, 1)
    down, right = c[d.high], c[:, d.high]
    return {"image": x + d.weight / 4 * (c * n + down * s + c * w + right * e)}


SRAD = Entry(
    "srad", make_srad, 768, 19,
    {"": lambda d: [Step(srad_1, d.c.shape, d.image, d.c, d.dn, d.ds, d.dw, d.de, d.low, d.high,
                         d.low, d.high, d.q0),
                    Step(srad_2, d.c.shape, d.image, d.c, d.dn, d.ds, d.dw, d.de, d.high, d.high,
                         d.weight)]},
    ref_srad, SUMS32, "quotients of differences",
    numba=lambda d: nb_srad(d.image, d.c, d.dn, d.ds, d.dw, d.de, d.q0, d.weight), opencl=True)


# pathfinder: the cheapest way through a grid, a launch a row


@sycl.kernel
def pathfinder(x: Any, wall: Any, before: Any, after: Any, row: Any) -> None:
    n = before.shape[0]
    least = before[x]
    if x > 0:
        least = min(least, before[x - 1])
    if x < n - 1:
        least = min(least, before[x + 1])
    after[x] = wall[row, x] + least


@parallel
def nb_pathfinder(wall: Any, before: Any, after: Any) -> None:
    n = len(before)
    for x in prange(n):
        before[x] = wall[0, x]
    for row in range(1, wall.shape[0]):
        for x in prange(n):
            least = min(before[x], before[max(x - 1, 0)], before[min(x + 1, n - 1)])
            after[x] = wall[row, x] + least
        before, after = after, before


def make_pathfinder(size: tuple[int, int]) -> Operands:
    rows, n = size
    return Namespace(wall=np.random.default_rng(1).integers(0, 10, size, np.int32), rows=rows, n=n,
                     a=np.zeros(n, np.int32), b=np.zeros(n, np.int32))


@sycl.kernel
def first_row(x: Any, wall: Any, out: Any) -> None:
    out[x] = wall[0, x]


def steps_pathfinder(d: Operands) -> list[Step]:
    both = (d.a, d.b)
    return [Step(first_row, d.n, d.wall, d.a),
            *(Step(pathfinder, d.n, d.wall, both[(r - 1) % 2], both[r % 2], r)
              for r in range(1, d.rows))]


def cl_pathfinder(d: Operands) -> list[Step]:
    both = (d.a, d.b)
    return [Step("first_row", d.n, d.wall, d.a),
            *(Step("pathfinder", d.n, d.wall, both[(r - 1) % 2], both[r % 2], r)
              for r in range(1, d.rows))]


def ref_pathfinder(d: Operands) -> dict[str, Any]:
    path = d.wall[0]
    for row in d.wall[1:]:
        p = np.pad(path, 1, "edge")
        path = row + np.minimum(path, np.minimum(p[:-2], p[2:]))
    return {"a" if d.rows % 2 else "b": path}


PATHFINDER = Entry(
    "pathfinder", make_pathfinder, (41, 100_000), (5, 100), {"": steps_pathfinder}, ref_pathfinder,
    numba=lambda d: nb_pathfinder(d.wall, d.a, d.b), opencl=cl_pathfinder)


# nw: alignment of two sequences; diagonals of blocks, a wave within each block


@sycl.kernel
def nw(it: Any, score: Any, reference: Any, block: Any, first: Any, penalty: Any, tile: Any
       ) -> None:
    t, k = it.get_local_id(0), it.get_group(0)
    top, left = (first + k) * TILE, (block - first - k) * TILE
    for r in range(TILE + 1):
        tile[r, t + 1] = score[top + r, left + t + 1]
    tile[t + 1, 0] = score[top + t + 1, left]
    if t == 0:
        tile[0, 0] = score[top, left]
    sycl.group_barrier(it.get_group())
    for m in range(2 * TILE - 1):
        r = m - t
        if r >= 0 and r < TILE:
            tile[r + 1, t + 1] = max(
                tile[r, t] + reference[top + r + 1, left + t + 1],
                tile[r + 1, t] - penalty, tile[r, t + 1] - penalty)
        sycl.group_barrier(it.get_group())
    for r in range(TILE):
        score[top + r + 1, left + t + 1] = tile[r + 1, t + 1]


@parallel
def nb_nw(score: Any, reference: Any, penalty: Any) -> None:
    blocks = (score.shape[0] - 1) // 32
    for d in range(2 * blocks - 1):
        first = max(0, d - blocks + 1)
        for k in prange(first, min(d, blocks - 1) + 1):
            top, left = k * 32, (d - k) * 32
            for r in range(top + 1, top + 33):
                for c in range(left + 1, left + 33):
                    score[r, c] = max(score[r - 1, c - 1] + reference[r, c],
                                      score[r, c - 1] - penalty, score[r - 1, c] - penalty)


def make_nw(n: int) -> Operands:
    score = np.zeros((n + 1, n + 1), np.int32)
    score[0] = score[:, 0] = -10 * np.arange(n + 1)
    return Namespace(score=score, n=n, penalty=10, tile=Local(np.int32, (TILE + 1, TILE + 1)),
                     reference=np.random.default_rng(1).integers(-5, 10, (n + 1, n + 1), np.int32))


def waves(d: Operands, kernel: Any) -> list[Step]:
    blocks, steps = d.n // TILE, []
    for block in range(2 * blocks - 1):
        first, last = max(0, block - blocks + 1), min(block, blocks - 1)
        space = Nd(((last - first + 1) * TILE,), (TILE,))
        steps.append(Step(kernel, space, d.score, d.reference, block, first, d.penalty, d.tile))
    return steps


def ref_nw(d: Operands) -> dict[str, Any]:
    s = d.score.tolist()
    for r in range(1, d.n + 1):
        for c in range(1, d.n + 1):
            s[r][c] = max(s[r - 1][c - 1] + int(d.reference[r, c]), s[r][c - 1] - d.penalty,
                          s[r - 1][c] - d.penalty)
    return {"score": np.array(s)}


NW = Entry("nw", make_nw, 1024, 32, {"": lambda d: waves(d, nw)}, ref_nw,
           numba=lambda d: nb_nw(d.score, d.reference, d.penalty),
           opencl=lambda d: [Step("nw", s.space, *s.args, d.n + 1) for s in waves(d, nw)])


# lud: LU decomposition without pivots, a launch for each column's factors and rest


@sycl.kernel
def lud_factors(at: Any, a: Any, k: Any) -> None:
    i = k + 1 + at
    a[i, k] = a[i, k] / a[k, k]


@sycl.kernel
def lud_rest(it: Any, a: Any, k: Any) -> None:
    i, j = k + 1 + it[0], k + 1 + it[1]
    a[i, j] -= a[i, k] * a[k, j]


@sycl.kernel
def copy(it: Any, out: Any, given: Any) -> None:
    out[it] = given[it]


@parallel
def nb_lud(a: Any, given: Any) -> None:
    n = len(a)
    for i in prange(n):
        a[i] = given[i]
    for k in range(n - 1):
        for i in prange(k + 1, n):
            v = a[i, k] / a[k, k]
            a[i, k] = v
            for j in range(k + 1, n):
                a[i, j] -= v * a[k, j]


def make_lud(n: int) -> Operands:
    given = np.random.default_rng(1).random((n, n), F) + np.eye(n, dtype=F) * F(n)
    return Namespace(given=given, a=np.zeros_like(given), n=n)


def steps_lud(d: Operands, *, text: bool = False) -> list[Step]:
    steps = [Step("copy" if text else copy, d.a.shape, d.a, d.given)]
    more = (d.n,) if text else ()
    for k in range(d.n - 1):
        rest = d.n - 1 - k
        steps.append(Step("lud_factors" if text else lud_factors, rest, d.a, k, *more))
        steps.append(Step("lud_rest" if text else lud_rest, (rest, rest), d.a, k, *more))
    return steps


def ref_lud(d: Operands) -> dict[str, Any]:
    a = d.given.astype(np.float64)
    for k in range(d.n - 1):
        a[k + 1:, k] /= a[k, k]
        a[k + 1:, k + 1:] -= np.outer(a[k + 1:, k], a[k, k + 1:])
    return {"a": a}


LUD = Entry("lud", make_lud, 256, 14, {"": steps_lud}, ref_lud, SUMS32, "chains of differences",
            numba=lambda d: nb_lud(d.a, d.given), opencl=lambda d: steps_lud(d, text=True))

ENTRIES = [HOTSPOT, SRAD, PATHFINDER, NW, LUD]

if __name__ == "__main__":
    show(ENTRIES)
