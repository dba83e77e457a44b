"""ISPC's examples but pictures: options, sgemm, a wave, rays through a tree; and bodies."""

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
    inner,
    parallel,
    prange,
    show,
)
from bench.corpus.shading import plain

F = np.float32
ONE, HALF = F(1), F(0.5)
BINOMIAL = 64

# options: Black and Scholes' formula, and a binomial tree in private memory


@inner
def normal(x: Any) -> Any:
    k = ONE / (ONE + F(0.2316419) * abs(x))
    w = (((F(1.330274429) * k - F(1.821255978)) * k + F(1.781477937)) * k - F(0.356563782)) * k
    w = (w + F(0.319381530)) * k * F(0.39894228040) * np.exp(-x * x * HALF)
    return ONE - w if x > F(0) else w


@inner
def price_of(s: Any, x: Any, t: Any, r: Any, v: Any) -> Any:
    d1 = (np.log(s / x) + (r + v * v * HALF) * t) / (v * np.sqrt(t))
    d2 = d1 - v * np.sqrt(t)
    return s * normal(d1) - x * np.exp(-r * t) * normal(d2)


@sycl.kernel
def options(i: Any, out: Any, sa: Any, xa: Any, ta: Any, ra: Any, va: Any) -> None:
    out[i] = price_of(sa[i], xa[i], ta[i], ra[i], va[i])


@parallel
def nb_options(out: Any, sa: Any, xa: Any, ta: Any, ra: Any, va: Any) -> None:
    for i in prange(len(out)):
        out[i] = price_of(sa[i], xa[i], ta[i], ra[i], va[i])


@inner
def fold(tree: Any, s: Any, x: Any, t: Any, r: Any, v: Any) -> Any:
    dt = t / F(BINOMIAL)
    u = np.exp(v * np.sqrt(dt))
    disc = np.exp(r * dt)
    pu = (disc - ONE / u) / (u - ONE / u)
    square = u * u
    price = s * np.exp(-F(BINOMIAL) * v * np.sqrt(dt))
    for j in range(BINOMIAL):
        tree[j] = max(F(0), x - price)
        price *= square
    for j in range(BINOMIAL - 1, -1, -1):
        for k in range(j):
            tree[k] = ((ONE - pu) * tree[k] + pu * tree[k + 1]) / disc
    return tree[0]


@sycl.kernel
def binomial(i: Any, out: Any, sa: Any, xa: Any, ta: Any, ra: Any, va: Any) -> None:
    tree = sycl.private_array(np.float32, BINOMIAL)
    out[i] = fold(tree, sa[i], xa[i], ta[i], ra[i], va[i])


@parallel
def nb_binomial(out: Any, sa: Any, xa: Any, ta: Any, ra: Any, va: Any) -> None:
    blocks = 64
    for b in prange(blocks):
        tree = np.empty(BINOMIAL, np.float32)
        for i in range(b * len(out) // blocks, (b + 1) * len(out) // blocks):
            out[i] = fold(tree, sa[i], xa[i], ta[i], ra[i], va[i])


def make_options(n: int) -> Operands:
    random = np.random.default_rng(1)

    def some(low: float, high: float) -> Any:
        return random.uniform(low, high, n).astype(F)

    return Namespace(n=n, out=np.zeros(n, F), s=some(5, 30), x=some(8, 40), t=some(0.5, 5),
                     r=some(0.01, 0.05), v=some(0.1, 0.5))


def arguments(d: Operands) -> tuple[Any, ...]:
    return d.out, d.s, d.x, d.t, d.r, d.v


OPTIONS = Entry(
    "options", make_options, 1 << 19, 64, {"": lambda d: [Step(options, d.n, *arguments(d))]},
    plain(lambda d: nb_options(*arguments(d)), "out"), 1e-4,
    "a difference of functions within some ULP", numba=lambda d: nb_options(*arguments(d)),
    opencl=True, taichi="options", warp="options")
BINOMIALS = Entry(
    "binomial", make_options, 1 << 13, 6, {"": lambda d: [Step(binomial, d.n, *arguments(d))]},
    plain(lambda d: nb_binomial(*arguments(d)), "out"), 1e-3, "two thousand roundings in a chain",
    numba=lambda d: nb_binomial(*arguments(d)), opencl=True)


# sgemm: one element a work-item, and four rows of one column


@sycl.kernel
def sgemm(it: Any, a: Any, b: Any, c: Any, n: Any) -> None:
    m, k = it[0], it[1]
    total = F(0)
    for j in range(n):
        total += a[m, j] * b[j, k]
    c[m, k] = total


@sycl.kernel
def sgemm_rows(it: Any, a: Any, b: Any, c: Any, n: Any) -> None:
    m, k = it[0] * 4, it[1]
    s0 = s1 = s2 = s3 = F(0)
    for j in range(n):
        v = b[j, k]
        s0 += a[m, j] * v
        s1 += a[m + 1, j] * v
        s2 += a[m + 2, j] * v
        s3 += a[m + 3, j] * v
    c[m, k] = s0
    c[m + 1, k] = s1
    c[m + 2, k] = s2
    c[m + 3, k] = s3


@parallel
def nb_sgemm(a: Any, b: Any, c: Any, n: Any) -> None:
    for m in prange(n):
        for k in range(n):
            c[m, k] = F(0)
        for j in range(n):
            v = a[m, j]
            for k in range(n):
                c[m, k] += v * b[j, k]


def make_sgemm(n: int) -> Operands:
    random = np.random.default_rng(1)
    return Namespace(n=n, a=random.random((n, n), F), b=random.random((n, n), F),
                     c=np.zeros((n, n), F))


SGEMM = Entry(
    "sgemm", make_sgemm, 512, 20,
    {"": lambda d: [Step(sgemm, (d.n, d.n), d.a, d.b, d.c, d.n)],
     "four rows": lambda d: [Step(sgemm_rows, (d.n // 4, d.n), d.a, d.b, d.c, d.n)]},
    lambda d: {"c": d.a @ d.b}, SUMS32, "float32 sums in another order",
    numba=lambda d: nb_sgemm(d.a, d.b, d.c, d.n),
    opencl=lambda d: [Step("sgemm_rows", (d.n // 4, d.n), d.a, d.b, d.c, d.n)],
    taichi="sgemm", warp="sgemm")


# stencil: a wave in three dimensions, four neighbours each way


@inner
def wave_at(a: Any, z: Any, y: Any, x: Any, c0: Any, c1: Any, c2: Any, c3: Any) -> Any:
    return (c0 * a[z, y, x]
            + c1 * (a[z, y, x + 1] + a[z, y, x - 1] + a[z, y + 1, x] + a[z, y - 1, x]
                    + a[z + 1, y, x] + a[z - 1, y, x])
            + c2 * (a[z, y, x + 2] + a[z, y, x - 2] + a[z, y + 2, x] + a[z, y - 2, x]
                    + a[z + 2, y, x] + a[z - 2, y, x])
            + c3 * (a[z, y, x + 3] + a[z, y, x - 3] + a[z, y + 3, x] + a[z, y - 3, x]
                    + a[z + 3, y, x] + a[z - 3, y, x]))


@sycl.kernel
def stencil(it: Any, new: Any, now: Any, vsq: Any, c0: Any, c1: Any, c2: Any, c3: Any) -> None:
    z, y, x = it[0] + 4, it[1] + 4, it[2] + 4
    new[z, y, x] = (F(2) * now[z, y, x] - new[z, y, x]
                    + vsq[z, y, x] * wave_at(now, z, y, x, c0, c1, c2, c3))


@sycl.kernel
def stencil_guarded(it: Any, new: Any, now: Any, vsq: Any, c0: Any, c1: Any, c2: Any, c3: Any
                    ) -> None:
    z, y, x = it[0], it[1], it[2]
    nz, ny, nx = now.shape
    if z >= 4 and z < nz - 4 and y >= 4 and y < ny - 4 and x >= 4 and x < nx - 4:
        new[z, y, x] = (F(2) * now[z, y, x] - new[z, y, x]
                        + vsq[z, y, x] * wave_at(now, z, y, x, c0, c1, c2, c3))


@parallel
def nb_stencil(new: Any, now: Any, vsq: Any, c0: Any, c1: Any, c2: Any, c3: Any) -> None:
    for z in prange(4, now.shape[0] - 4):
        for y in range(4, now.shape[1] - 4):
            for x in range(4, now.shape[2] - 4):
                new[z, y, x] = (F(2) * now[z, y, x] - new[z, y, x]
                                + vsq[z, y, x] * wave_at(now, z, y, x, c0, c1, c2, c3))


COEFFICIENTS = (F(0.5), F(-0.25), F(0.125), F(-0.0625))


def make_wave(n: int) -> Operands:
    random = np.random.default_rng(1)
    return Namespace(a=random.random((n, n, n), F), b=random.random((n, n, n), F),
                     vsq=random.random((n, n, n), F) * F(0.1), n=n)


def steps_wave(d: Operands) -> list[Step]:
    space = (d.n - 8,) * 3
    return [Step(stencil, space, d.b, d.a, d.vsq, *COEFFICIENTS),
            Step(stencil, space, d.a, d.b, d.vsq, *COEFFICIENTS)]


def guarded_wave(d: Operands) -> list[Step]:
    return [Step(stencil_guarded, d.a.shape, d.b, d.a, d.vsq, *COEFFICIENTS),
            Step(stencil_guarded, d.a.shape, d.a, d.b, d.vsq, *COEFFICIENTS)]


def nb_wave(d: Operands) -> None:
    nb_stencil(d.b, d.a, d.vsq, *COEFFICIENTS)
    nb_stencil(d.a, d.b, d.vsq, *COEFFICIENTS)


def ref_wave(d: Operands) -> dict[str, Any]:
    n = d.n

    def at(a: Any, z: int = 0, y: int = 0, x: int = 0) -> Any:
        return a[4 + z:n - 4 + z, 4 + y:n - 4 + y, 4 + x:n - 4 + x]

    for new, now in ((d.b, d.a), (d.a, d.b)):
        wave = COEFFICIENTS[0] * at(now)
        for k in (1, 2, 3):
            wave = wave + COEFFICIENTS[k] * sum(at(now, *(s * k if axis == a else 0 for a in range(
                3))) for axis in range(3) for s in (1, -1))
        at(new)[:] = 2 * at(now) - at(new) + at(d.vsq) * wave
    return {"a": d.a, "b": d.b}


STENCIL = Entry(
    "stencil", make_wave, 136, 11, {"": steps_wave, "guarded": guarded_wave}, ref_wave, ROUNDING32,
    "some tens of float32 roundings", numba=nb_wave, opencl=True, twin=("", "guarded"),
    taichi="wave")


# rt: rays through a tree of boxes around triangles; a stack a ray, or one for a sub-group, which is
# a part of a row, or of a tile as in ISPC's program

DEPTH = 32


@inner
def enters(box: Any, node: Any, ox: Any, oy: Any, oz: Any, ix: Any, iy: Any, iz: Any, t: Any
           ) -> Any:
    ax, bx = (box[node, 0] - ox) * ix, (box[node, 3] - ox) * ix
    ay, by = (box[node, 1] - oy) * iy, (box[node, 4] - oy) * iy
    az, bz = (box[node, 2] - oz) * iz, (box[node, 5] - oz) * iz
    near = max(min(ax, bx), min(ay, by), min(az, bz), F(0))
    far = min(max(ax, bx), max(ay, by), max(az, bz), t)
    return near <= far


@inner
def meets(tri: Any, k: Any, ox: Any, oy: Any, oz: Any, dx: Any, dy: Any, dz: Any, t: Any) -> Any:
    """Return the distance to a triangle, or t if the ray misses it or hits it behind t."""
    e1x, e1y, e1z = tri[k, 3], tri[k, 4], tri[k, 5]
    e2x, e2y, e2z = tri[k, 6], tri[k, 7], tri[k, 8]
    px, py, pz = dy * e2z - dz * e2y, dz * e2x - dx * e2z, dx * e2y - dy * e2x
    det = e1x * px + e1y * py + e1z * pz
    out = t
    if abs(det) > F(1e-12):
        inverse = ONE / det
        tx, ty, tz = ox - tri[k, 0], oy - tri[k, 1], oz - tri[k, 2]
        u = (tx * px + ty * py + tz * pz) * inverse
        qx, qy, qz = ty * e1z - tz * e1y, tz * e1x - tx * e1z, tx * e1y - ty * e1x
        v = (dx * qx + dy * qy + dz * qz) * inverse
        w = (e2x * qx + e2y * qy + e2z * qz) * inverse
        if u >= F(0) and v >= F(0) and u + v <= ONE and w > F(1e-4) and w < t:
            out = w
    return out


@inner
def aim(x: Any, y: Any, n: Any) -> Any:
    """Return the direction of a pixel's ray; the eye is at (0.5, 0.5, -1)."""
    dx, dy = (F(x) + HALF) / F(n) - HALF, (F(y) + HALF) / F(n) - HALF
    return dx, dy, ONE


@inner
def trace(stack: Any, box: Any, first: Any, count: Any, tri: Any, dx: Any, dy: Any, dz: Any) -> Any:
    ox, oy, oz = HALF, HALF, F(-1)
    ix, iy, iz = ONE / (dx + F(1e-9)), ONE / (dy + F(1e-9)), ONE / dz
    t = F(1e9)
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        if enters(box, node, ox, oy, oz, ix, iy, iz, t):
            if count[node] > 0:
                for k in range(first[node], first[node] + count[node]):
                    t = meets(tri, k, ox, oy, oz, dx, dy, dz, t)
            else:
                stack[top] = first[node] + 1
                stack[top + 1] = first[node]
                top += 2
    return t


@sycl.kernel
def rt(it: Any, image: Any, box: Any, first: Any, count: Any, tri: Any) -> None:
    stack = sycl.private_array(np.int32, DEPTH)
    dx, dy, dz = aim(it[1], it[0], image.shape[0])
    image[it] = trace(stack, box, first, count, tri, dx, dy, dz)


def together(it: Any, image: Any, box: Any, first: Any, count: Any, tri: Any) -> None:
    sg = it.get_sub_group()
    stack = sycl.private_array(np.int32, DEPTH)
    y, x = it.get_global_id(0), it.get_global_id(1)
    dx, dy, dz = aim(x, y, image.shape[0])
    ox, oy, oz = HALF, HALF, F(-1)
    ix, iy, iz = ONE / (dx + F(1e-9)), ONE / (dy + F(1e-9)), ONE / dz
    t = F(1e9)
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        if sycl.any_of_group(sg, enters(box, node, ox, oy, oz, ix, iy, iz, t)):
            if count[node] > 0:
                for k in range(first[node], first[node] + count[node]):
                    t = meets(tri, k, ox, oy, oz, dx, dy, dz, t)
            else:
                stack[top] = first[node] + 1
                stack[top + 1] = first[node]
                top += 2
    image[y, x] = t


@sycl.kernel
def rt_packet(it: Any, image: Any, box: Any, first: Any, count: Any, tri: Any) -> None:
    together(it, image, box, first, count, tri)


@sycl.kernel(reqd_sub_group_size=16)
def rt_tile(it: Any, image: Any, box: Any, first: Any, count: Any, tri: Any) -> None:
    together(it, image, box, first, count, tri)


@parallel
def nb_rt(image: Any, box: Any, first: Any, count: Any, tri: Any) -> None:
    for y in prange(image.shape[0]):
        stack = np.empty(DEPTH, np.int32)
        for x in range(image.shape[1]):
            dx, dy, dz = aim(x, y, image.shape[0])
            image[y, x] = trace(stack, box, first, count, tri, dx, dy, dz)


def grow(corners: Any) -> tuple[Any, Any, Any, Any]:
    """Return boxes, first children or triangles, counts, and the order, of a tree by medians."""
    boxes: list[Any] = []
    first: list[int] = []
    count: list[int] = []
    order: list[int] = []
    waiting = [(0, np.arange(len(corners)))]
    boxes.append(np.zeros(6, F))
    first.append(0)
    count.append(0)
    while waiting:
        node, members = waiting.pop()
        part = corners[members].reshape(-1, 3)
        boxes[node] = np.concatenate([part.min(0), part.max(0)])
        if len(members) <= 4:
            first[node], count[node] = len(order), len(members)
            order.extend(members)
            continue
        axis = np.argmax(np.ptp(part, axis=0))
        ranked = members[np.argsort(corners[members, 0, axis], kind="stable")]
        first[node] = len(boxes)
        for half in np.array_split(ranked, 2):
            waiting.append((len(boxes), half))
            boxes.append(np.zeros(6, F))
            first.append(0)
            count.append(0)
    return (np.array(boxes, F), np.array(first, np.int32), np.array(count, np.int32),
            np.array(order))


def make_rt(size: tuple[int, int]) -> Operands:
    triangles, pixels = size
    random = np.random.default_rng(1)
    corner = random.random((triangles, 1, 3))
    corners = (corner + random.uniform(-0.04, 0.04, (triangles, 3, 3))).astype(F)
    box, first, count, order = grow(corners)
    c = corners[order]
    tri = np.concatenate([c[:, 0], c[:, 1] - c[:, 0], c[:, 2] - c[:, 0]], 1)
    return Namespace(image=np.zeros((pixels, pixels), F), box=box, first=first, count=count,
                     tri=np.ascontiguousarray(tri, F),
                     space=Nd((pixels, pixels), (1, min(64, pixels))),
                     tiles=Nd((pixels, pixels), (8, 8)))


def scene(d: Operands) -> tuple[Any, ...]:
    return d.image, d.box, d.first, d.count, d.tri


RT = Entry(
    "rt", make_rt, (4096, 192), (60, 8),
    {"": lambda d: [Step(rt, d.image.shape, *scene(d))],
     "packet": lambda d: [Step(rt_packet, d.space, *scene(d))],
     "tile": lambda d: [Step(rt_tile, d.tiles, *scene(d))]},
    plain(lambda d: nb_rt(*scene(d)), "image"), SUMS32, "rays that graze an edge",
    numba=lambda d: nb_rt(*scene(d)), opencl=True, outliers=0.005)


# nbody: what all bodies pull each one with


@inner
def pull(at: Any, i: Any) -> Any:
    x, y, z = at[i, 0], at[i, 1], at[i, 2]
    ax, ay, az = F(0), F(0), F(0)
    for j in range(at.shape[0]):
        dx, dy, dz = at[j, 0] - x, at[j, 1] - y, at[j, 2] - z
        inverse = ONE / np.sqrt(dx * dx + dy * dy + dz * dz + F(0.01))
        s = at[j, 3] * (inverse * inverse * inverse)
        ax, ay, az = ax + dx * s, ay + dy * s, az + dz * s
    return ax, ay, az


@sycl.kernel
def nbody(i: Any, force: Any, at: Any) -> None:
    force[i, 0], force[i, 1], force[i, 2] = pull(at, i)


@parallel
def nb_nbody(force: Any, at: Any) -> None:
    for i in prange(at.shape[0]):
        force[i, 0], force[i, 1], force[i, 2] = pull(at, i)


NBODY = Entry(
    "nbody", lambda n: Namespace(n=n, at=np.random.default_rng(1).random((n, 4), F),
                                 force=np.zeros((n, 3), F)), 4096, 33,
    {"": lambda d: [Step(nbody, d.n, d.force, d.at)]},
    plain(lambda d: nb_nbody(d.force, d.at), "force"), SUMS32, "float32 sums in another order",
    numba=lambda d: nb_nbody(d.force, d.at),
    opencl=lambda d: [Step("nbody", d.n, d.force, d.at, d.n)])

ENTRIES = [OPTIONS, BINOMIALS, SGEMM, STENCIL, RT, NBODY]

if __name__ == "__main__":
    show(ENTRIES)
