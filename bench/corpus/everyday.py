"""Programs of every day: bytes, records, random walks, systems of equations, contours, neighbours.

Kernels are written as a user of C++, CUDA or Numba translates them, before anybody looked at what
the compiler makes of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    ROUNDING32,
    ROUNDING64,
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

F, U = np.float32, np.uint32

# upper: letters of a text


@inner
def raised(c: Any) -> Any:
    return c - 32 if 97 <= c <= 122 else c


@sycl.kernel
def upper(i: Any, text: Any, out: Any) -> None:
    out[i] = raised(int(text[i]))


@parallel
def nb_upper(text: Any, out: Any) -> None:
    for i in prange(len(text)):
        out[i] = raised(int(text[i]))


def make_text(n: int) -> Operands:
    text = np.random.default_rng(1).integers(32, 127, n, dtype=np.uint8)
    return Namespace(text=text, out=np.zeros_like(text))


UPPER = Entry("upper", make_text, 1 << 20, 1001,
              {"": lambda d: [Step(upper, len(d.text), d.text, d.out)]},
              plain(lambda d: nb_upper(d.text, d.out), "out"),
              numba=lambda d: nb_upper(d.text, d.out))


# base64: three bytes become four letters of a table


@sycl.kernel
def base64(i: Any, text: Any, letters: Any, out: Any) -> None:
    bits = (int(text[3 * i]) << 16) | (int(text[3 * i + 1]) << 8) | int(text[3 * i + 2])
    for k in range(4):
        out[4 * i + k] = letters[(bits >> (18 - 6 * k)) & 63]


@parallel
def nb_base64(text: Any, letters: Any, out: Any) -> None:
    for i in prange(len(text) // 3):
        bits = (int(text[3 * i]) << 16) | (int(text[3 * i + 1]) << 8) | int(text[3 * i + 2])
        for k in range(4):
            out[4 * i + k] = letters[(bits >> (18 - 6 * k)) & 63]


def make_base64(n: int) -> Operands:
    letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    text = np.random.default_rng(1).integers(0, 256, 3 * n, dtype=np.uint8)
    return Namespace(n=n, text=text, letters=np.frombuffer(letters, np.uint8).copy(),
                     out=np.zeros(4 * n, np.uint8))


BASE64 = Entry("base64", make_base64, 1 << 18, 333,
               {"": lambda d: [Step(base64, d.n, d.text, d.letters, d.out)]},
               plain(lambda d: nb_base64(d.text, d.letters, d.out), "out"),
               numba=lambda d: nb_base64(d.text, d.letters, d.out))


# hashes: FNV of lines of a text, each up to its end


@inner
def hash_of(text: Any, first: Any, last: Any) -> Any:
    h = U(2166136261)
    for k in range(first, last):
        h = (h ^ U(text[k])) * U(16777619)
    return h


@sycl.kernel
def hashes(i: Any, text: Any, starts: Any, out: Any) -> None:
    out[i] = hash_of(text, starts[i], starts[i + 1])


@parallel
def nb_hashes(text: Any, starts: Any, out: Any) -> None:
    for i in prange(len(out)):
        out[i] = hash_of(text, starts[i], starts[i + 1])


def make_hashes(n: int) -> Operands:
    random = np.random.default_rng(1)
    starts = np.concatenate(([0], np.cumsum(random.integers(0, 80, n)))).astype(np.int64)
    return Namespace(text=random.integers(32, 127, int(starts[-1]), dtype=np.uint8),
                     starts=starts, out=np.zeros(n, U))


def ref_hashes(d: Operands) -> dict[str, Any]:
    with np.errstate(over="ignore"):
        nb_hashes(d.text, d.starts, d.out)
    return {"out": d.out}


HASHES = Entry("hashes", make_hashes, 1 << 14, 99,
               {"": lambda d: [Step(hashes, len(d.out), d.text, d.starts, d.out)]}, ref_hashes,
               numba=lambda d: nb_hashes(d.text, d.starts, d.out))


# bodies: records of position, velocity and mass move one step and bounce off the walls

BODY = np.dtype([("x", F), ("y", F), ("z", F), ("vx", F), ("vy", F), ("vz", F), ("m", F)])


@sycl.kernel
def bodies(i: Any, b: Any, dt: Any, wall: Any) -> None:
    p = b[i]
    g = F(-9.81) * p.m
    p.vz += dt * g / p.m
    p.x += dt * p.vx
    p.y += dt * p.vy
    p.z += dt * p.vz
    if p.x < F(0) or p.x > wall:
        p.vx = -p.vx
    if p.y < F(0) or p.y > wall:
        p.vy = -p.vy
    if p.z < F(0):
        p.vz = -p.vz * F(0.9)
        p.z = F(0)
    b[i] = p


@parallel
def nb_bodies(b: Any, dt: Any, wall: Any) -> None:
    for i in prange(len(b)):
        g = F(-9.81) * b[i].m
        b[i].vz += dt * g / b[i].m
        b[i].x += dt * b[i].vx
        b[i].y += dt * b[i].vy
        b[i].z += dt * b[i].vz
        if b[i].x < F(0) or b[i].x > wall:
            b[i].vx = -b[i].vx
        if b[i].y < F(0) or b[i].y > wall:
            b[i].vy = -b[i].vy
        if b[i].z < F(0):
            b[i].vz = -b[i].vz * F(0.9)
            b[i].z = F(0)


def make_bodies(n: int) -> Operands:
    b = np.random.default_rng(1).random((n, 7), F) * F(4)
    return Namespace(b=b.view(BODY)[:, 0], all=b, dt=F(0.01), wall=F(4))


def ref_bodies(d: Operands) -> dict[str, Any]:
    b, dt = d.b, d.dt
    b["vz"] += dt * F(-9.81)
    for axis in "xyz":
        b[axis] += dt * b[f"v{axis}"]
    for axis in "xy":
        b[f"v{axis}"] = np.where((b[axis] < 0) | (b[axis] > d.wall), -1, 1) * b[f"v{axis}"]
    below = b["z"] < 0
    b["vz"] = np.where(below, -F(0.9) * b["vz"], b["vz"])
    b["z"] = np.where(below, 0, b["z"])
    return {"all": b.view(F)}


BODIES = Entry("bodies", make_bodies, 1 << 16, 555,
               {"": lambda d: [Step(bodies, len(d.b), d.b, d.dt, d.wall)]}, ref_bodies,
               ROUNDING32, "some float32 roundings",
               numba=lambda d: nb_bodies(d.b, d.dt, d.wall))


# asian: the mean of a random walk decides what an option pays; xorshift and Box and Muller


@inner
def payoff(i: Any, start: Any, strike: Any, drift: Any, spread: Any, steps: Any) -> Any:
    seed = random_next(U(i) ^ U(12345))
    price, total = start, F(0)
    for _ in range(steps):
        seed = random_next(seed)
        a = max(as_float(seed), F(1e-7))
        seed = random_next(seed)
        b = as_float(seed)
        z = np.sqrt(F(-2) * np.log(a)) * np.cos(F(6.2831853) * b)
        price *= np.exp(drift + spread * z)
        total += price
    return max(total / F(steps) - strike, F(0))


@sycl.kernel
def asian(i: Any, out: Any, start: Any, strike: Any, drift: Any, spread: Any, steps: Any) -> None:
    out[i] = payoff(i, start, strike, drift, spread, steps)


@parallel
def nb_asian(out: Any, start: Any, strike: Any, drift: Any, spread: Any, steps: Any) -> None:
    for i in prange(len(out)):
        out[i] = payoff(i, start, strike, drift, spread, steps)


def make_asian(n: int) -> Operands:
    return Namespace(out=np.zeros(n, F), k=(F(100), F(98), F(1e-4), F(0.02), 32))


ASIAN = Entry("asian", make_asian, 1 << 15, 77,
              {"": lambda d: [Step(asian, len(d.out), d.out, *d.k)]},
              plain(lambda d: nb_asian(d.out, *d.k), "out"), 1e-2,
              "products of 32 rounded exponentials; numbers near a strike", outliers=0.02,
              numba=lambda d: nb_asian(d.out, *d.k))


# thomas: many tridiagonal systems, one a work-item, unknowns side by side or apart


@inner
def solve(a: Any, b: Any, c: Any, d: Any, cp: Any, x: Any, s: Any) -> None:
    n = b.shape[0]
    cp[0, s] = c[0, s] / b[0, s]
    x[0, s] = d[0, s] / b[0, s]
    for i in range(1, n):
        m = b[i, s] - a[i, s] * cp[i - 1, s]
        cp[i, s] = c[i, s] / m
        x[i, s] = (d[i, s] - a[i, s] * x[i - 1, s]) / m
    for i in range(n - 2, -1, -1):
        x[i, s] -= cp[i, s] * x[i + 1, s]


@sycl.kernel
def thomas(s: Any, a: Any, b: Any, c: Any, d: Any, cp: Any, x: Any) -> None:
    solve(a, b, c, d, cp, x, s)


@inner
def solve_row(a: Any, b: Any, c: Any, d: Any, cp: Any, x: Any, s: Any) -> None:
    n = b.shape[1]
    cp[s, 0] = c[s, 0] / b[s, 0]
    x[s, 0] = d[s, 0] / b[s, 0]
    for i in range(1, n):
        m = b[s, i] - a[s, i] * cp[s, i - 1]
        cp[s, i] = c[s, i] / m
        x[s, i] = (d[s, i] - a[s, i] * x[s, i - 1]) / m
    for i in range(n - 2, -1, -1):
        x[s, i] -= cp[s, i] * x[s, i + 1]


@sycl.kernel
def thomas_rows(s: Any, a: Any, b: Any, c: Any, d: Any, cp: Any, x: Any) -> None:
    solve_row(a, b, c, d, cp, x, s)


@parallel
def nb_thomas(a: Any, b: Any, c: Any, d: Any, cp: Any, x: Any) -> None:
    n, systems = b.shape
    for part in prange(systems // 32):
        for s in range(part * 32, part * 32 + 32):
            cp[0, s] = c[0, s] / b[0, s]
            x[0, s] = d[0, s] / b[0, s]
        for i in range(1, n):
            for s in range(part * 32, part * 32 + 32):
                m = b[i, s] - a[i, s] * cp[i - 1, s]
                cp[i, s] = c[i, s] / m
                x[i, s] = (d[i, s] - a[i, s] * x[i - 1, s]) / m
        for i in range(n - 2, -1, -1):
            for s in range(part * 32, part * 32 + 32):
                x[i, s] -= cp[i, s] * x[i + 1, s]


@parallel
def nb_thomas_rows(a: Any, b: Any, c: Any, d: Any, cp: Any, x: Any) -> None:
    for s in prange(b.shape[0]):
        solve_row(a, b, c, d, cp, x, s)


def make_thomas(shape: tuple[int, int]) -> Operands:
    random = np.random.default_rng(1)
    a, b, c, d = random.random((4, *shape))
    x = np.zeros(shape)
    return Namespace(k=(a, b + 4, c, d, np.zeros(shape), x), x=x)


THOMAS = Entry("thomas", make_thomas, (64, 2048), (9, 64),
               {"": lambda d: [Step(thomas, d.x.shape[1], *d.k)]},
               plain(lambda d: nb_thomas(*d.k), "x"), ROUNDING64, "well conditioned",
               numba=lambda d: nb_thomas(*d.k))
THOMAS_ROWS = Entry("thomas_rows", make_thomas, (2048, 65), (33, 9),
                    {"": lambda d: [Step(thomas_rows, d.x.shape[0], *d.k)]},
                    plain(lambda d: nb_thomas_rows(*d.k), "x"), ROUNDING64,
                    "well conditioned", numba=lambda d: nb_thomas_rows(*d.k))


# squares: the piece of a contour in each cell of a grid, by a table of sixteen cases

EDGES = np.array([[-1, -1], [3, 0], [0, 1], [3, 1], [1, 2], [3, 2], [0, 2], [3, 2], [2, 3],
                  [2, 0], [0, 1], [2, 1], [1, 3], [1, 0], [0, 3], [-1, -1]], np.int32)


@inner
def crossing(edge: Any, a: Any, b: Any, c: Any, d: Any, level: Any) -> Any:
    if edge == 0:
        return (level - a) / (b - a), F(0)
    if edge == 1:
        return F(1), (level - b) / (c - b)
    if edge == 2:
        return (level - d) / (c - d), F(1)
    return F(0), (level - a) / (d - a)


@inner
def segment(f: Any, y: Any, x: Any, level: Any, edges: Any, out: Any) -> None:
    a, b, c, d = f[y, x], f[y, x + 1], f[y + 1, x + 1], f[y + 1, x]
    case = 0
    if a > level:
        case += 1
    if b > level:
        case += 2
    if c > level:
        case += 4
    if d > level:
        case += 8
    if case != 0 and case != 15:
        u, v = crossing(edges[case, 0], a, b, c, d, level)
        out[0, y, x] = F(x) + u
        out[1, y, x] = F(y) + v
        u, v = crossing(edges[case, 1], a, b, c, d, level)
        out[2, y, x] = F(x) + u
        out[3, y, x] = F(y) + v


@sycl.kernel
def squares(it: Any, f: Any, level: Any, edges: Any, out: Any) -> None:
    segment(f, it[0], it[1], level, edges, out)


@parallel
def nb_squares(f: Any, level: Any, edges: Any, out: Any) -> None:
    for y in prange(f.shape[0] - 1):
        for x in range(f.shape[1] - 1):
            segment(f, y, x, level, edges, out)


def make_squares(n: int) -> Operands:
    y, x = np.indices((n + 1, n + 9)) * 0.3
    f = (np.sin(x) * np.cos(0.7 * y) + 0.1 * np.sin(3 * x + y)).astype(F)
    return Namespace(f=f, level=F(0.1), edges=EDGES, out=np.zeros((4, n, n + 8), F))


SQUARES = Entry("squares", make_squares, 512, 17,
                {"": lambda d: [Step(squares, d.out.shape[1:], d.f, d.level, d.edges, d.out)]},
                plain(lambda d: nb_squares(d.f, d.level, d.edges, d.out), "out"), ROUNDING32,
                "some float32 roundings",
                numba=lambda d: nb_squares(d.f, d.level, d.edges, d.out))


# nearest: the eight nearest of many points, by insertion into private arrays

NEAREST = 8


@inner
def insert(px: Any, py: Any, x: Any, y: Any, best: Any, which: Any) -> None:
    for k in range(NEAREST):
        best[k] = F(1e30)
        which[k] = -1
    for j in range(len(px)):
        dx, dy = px[j] - x, py[j] - y
        d = dx * dx + dy * dy
        if d < best[NEAREST - 1]:
            k = NEAREST - 1
            while k > 0 and best[k - 1] > d:
                best[k] = best[k - 1]
                which[k] = which[k - 1]
                k -= 1
            best[k] = d
            which[k] = j


@sycl.kernel
def nearest(i: Any, px: Any, py: Any, qx: Any, qy: Any, out: Any) -> None:
    best = sycl.private_array(np.float32, NEAREST)
    which = sycl.private_array(np.int32, NEAREST)
    insert(px, py, qx[i], qy[i], best, which)
    for k in range(NEAREST):
        out[i, k] = which[k]


@parallel
def nb_nearest(px: Any, py: Any, qx: Any, qy: Any, out: Any) -> None:
    for i in prange(len(qx)):
        best = np.empty(NEAREST, np.float32)
        which = np.empty(NEAREST, np.int32)
        insert(px, py, qx[i], qy[i], best, which)
        for k in range(NEAREST):
            out[i, k] = which[k]


def make_nearest(n: int) -> Operands:
    px, py = np.random.default_rng(1).random((2, n), F)
    qx, qy = np.random.default_rng(2).random((2, n), F)
    return Namespace(k=(px, py, qx, qy), out=np.zeros((n, NEAREST), np.int32))


NEIGHBOURS = Entry("nearest", make_nearest, 1024, 50,
                   {"": lambda d: [Step(nearest, len(d.out), *d.k, d.out)]},
                   plain(lambda d: nb_nearest(*d.k, d.out), "out"), 1e-9,
                   "numbers of points; ties are rounded", outliers=0.01,
                   numba=lambda d: nb_nearest(*d.k, d.out))


# field: a step of Maxwell's equations on a grid of records, three components each

CELL = np.dtype([("x", F), ("y", F), ("z", F)])


@sycl.kernel
def field(it: Any, e: Any, h: Any, k: Any) -> None:
    z, y, x = it[0] + 1, it[1] + 1, it[2] + 1
    here, up, left, back = h[z, y, x], h[z, y - 1, x], h[z, y, x - 1], h[z - 1, y, x]
    c = e[z, y, x]
    c.x += k * ((here.z - up.z) - (here.y - back.y))
    c.y += k * ((here.x - back.x) - (here.z - left.z))
    c.z += k * ((here.y - left.y) - (here.x - up.x))
    e[z, y, x] = c


@parallel
def nb_field(e: Any, h: Any, k: Any) -> None:
    for z in prange(1, e.shape[0]):
        for y in range(1, e.shape[1]):
            for x in range(1, e.shape[2]):
                c, here = e[z, y, x], h[z, y, x]
                up, left, back = h[z, y - 1, x], h[z, y, x - 1], h[z - 1, y, x]
                c.x += k * ((here.z - up.z) - (here.y - back.y))
                c.y += k * ((here.x - back.x) - (here.z - left.z))
                c.z += k * ((here.y - left.y) - (here.x - up.x))


def make_field(n: int) -> Operands:
    random = np.random.default_rng(1)
    e, h = random.random((2, n, n, n, 3), F)
    return Namespace(b=e.view(CELL)[..., 0], h=h.view(CELL)[..., 0], all=e, k=F(0.5))


def ref_field(d: Operands) -> dict[str, Any]:
    e, h = d.b[1:, 1:, 1:], d.h
    here, up, left, back = (h[1:, 1:, 1:], h[1:, :-1, 1:], h[1:, 1:, :-1], h[:-1, 1:, 1:])
    e["x"] += d.k * ((here["z"] - up["z"]) - (here["y"] - back["y"]))
    e["y"] += d.k * ((here["x"] - back["x"]) - (here["z"] - left["z"]))
    e["z"] += d.k * ((here["y"] - left["y"]) - (here["x"] - up["x"]))
    return {"all": d.b.view(F)}


FIELD = Entry("field", make_field, 64, 9,
              {"": lambda d: [Step(field, tuple(k - 1 for k in d.b.shape), d.b, d.h, d.k)]},
              ref_field, ROUNDING32, "some float32 roundings",
              numba=lambda d: nb_field(d.b, d.h, d.k))

ENTRIES = [UPPER, BASE64, HASHES, BODIES, ASIAN, THOMAS, THOMAS_ROWS, SQUARES, NEIGHBOURS, FIELD]

if __name__ == "__main__":
    show(ENTRIES)
