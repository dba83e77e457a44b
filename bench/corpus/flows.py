"""Simulations as people write them: lattice Boltzmann, smoothed particles, cloth; a path tracer."""

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
from bench.corpus.shading import as_float, plain, random_next

F, U = np.float32, np.uint32
CX = (0, 1, 0, -1, 0, 1, -1, -1, 1)
CY = (0, 0, 1, 0, -1, 1, 1, -1, -1)
W = tuple(F(w) for w in (4 / 9, *(1 / 9,) * 4, *(1 / 36,) * 4))
OMEGA = F(1.2)
ACX, ACY, AW = np.array(CX), np.array(CY), np.array(W, F)

# lbm: one step of D2Q9, streaming by pulling, periodic by a remainder or by conditions


@sycl.kernel
def lbm(it: Any, given: Any, out: Any, nx: Any, ny: Any) -> None:
    y, x = it[0], it[1]
    f = sycl.private_array(np.float32, 9)
    rho = ux = uy = F(0)
    for k in range(9):
        v = given[k, (y - CY[k] + ny) % ny, (x - CX[k] + nx) % nx]
        f[k] = v
        rho += v
        ux += F(CX[k]) * v
        uy += F(CY[k]) * v
    ux /= rho
    uy /= rho
    square = F(1.5) * (ux * ux + uy * uy)
    for k in range(9):
        cu = F(3) * (F(CX[k]) * ux + F(CY[k]) * uy)
        equilibrium = W[k] * rho * (F(1) + cu + F(0.5) * cu * cu - square)
        out[k, y, x] = f[k] + OMEGA * (equilibrium - f[k])


@sycl.kernel
def lbm_conditions(it: Any, given: Any, out: Any, nx: Any, ny: Any) -> None:
    y, x = it[0], it[1]
    f = sycl.private_array(np.float32, 9)
    rho = ux = uy = F(0)
    for k in range(9):
        xs, ys = x - CX[k], y - CY[k]
        if xs < 0:
            xs = nx - 1
        if xs == nx:
            xs = 0
        if ys < 0:
            ys = ny - 1
        if ys == ny:
            ys = 0
        v = given[k, ys, xs]
        f[k] = v
        rho += v
        ux += F(CX[k]) * v
        uy += F(CY[k]) * v
    ux /= rho
    uy /= rho
    square = F(1.5) * (ux * ux + uy * uy)
    for k in range(9):
        cu = F(3) * (F(CX[k]) * ux + F(CY[k]) * uy)
        equilibrium = W[k] * rho * (F(1) + cu + F(0.5) * cu * cu - square)
        out[k, y, x] = f[k] + OMEGA * (equilibrium - f[k])


@sycl.kernel
def lbm_tuples(it: Any, given: Any, out: Any, nx: Any, ny: Any) -> None:
    y, x = it[0], it[1]
    f = tuple(given[k, (y - CY[k]) % ny, (x - CX[k]) % nx] for k in range(9))
    rho = sum(f)
    ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / rho
    uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / rho
    square = 1.5 * (ux * ux + uy * uy)
    for k, (cx, cy, w) in enumerate(zip(CX, CY, W)):  # noqa: B905 - constants
        cu = 3.0 * (cx * ux + cy * uy)
        out[k, y, x] = f[k] + OMEGA * (w * rho * (1.0 + cu + 0.5 * cu * cu - square) - f[k])


@parallel
def nb_lbm(given: Any, out: Any, nx: Any, ny: Any) -> None:
    for y in prange(ny):
        f = np.empty(9, np.float32)
        for x in range(nx):
            rho = ux = uy = F(0)
            for k in range(9):
                xs, ys = x - ACX[k], y - ACY[k]
                xs = nx - 1 if xs < 0 else (0 if xs == nx else xs)
                ys = ny - 1 if ys < 0 else (0 if ys == ny else ys)
                v = given[k, ys, xs]
                f[k] = v
                rho += v
                ux += F(ACX[k]) * v
                uy += F(ACY[k]) * v
            ux /= rho
            uy /= rho
            square = F(1.5) * (ux * ux + uy * uy)
            for k in range(9):
                cu = F(3) * (F(ACX[k]) * ux + F(ACY[k]) * uy)
                equilibrium = AW[k] * rho * (F(1) + cu + F(0.5) * cu * cu - square)
                out[k, y, x] = f[k] + OMEGA * (equilibrium - f[k])


def make_lbm(n: int) -> Operands:
    f = np.random.default_rng(1).uniform(0.5, 1, (9, n, n + 8)).astype(F)
    return Namespace(f=f, out=np.zeros_like(f), nx=n + 8, ny=n)


def ref_lbm(d: Operands) -> dict[str, Any]:
    f = np.stack([np.roll(d.f[k], (CY[k], CX[k]), (0, 1)) for k in range(9)]).astype(np.float64)
    rho = f.sum(0)
    ux, uy = np.tensordot(CX, f, 1) / rho, np.tensordot(CY, f, 1) / rho
    cu = 3 * (np.multiply.outer(CX, ux) + np.multiply.outer(CY, uy))
    equilibrium = np.array(W)[:, None, None] * rho * (
        1 + cu + cu * cu / 2 - 1.5 * (ux * ux + uy * uy))
    return {"out": f + OMEGA * (equilibrium - f)}


LBM = Entry(
    "lbm", make_lbm, 512, 9,
    {"": lambda d: [Step(lbm, (d.ny, d.nx), d.f, d.out, d.nx, d.ny)],
     "conditions": lambda d: [Step(lbm_conditions, (d.ny, d.nx), d.f, d.out, d.nx, d.ny)],
     "tuples": lambda d: [Step(lbm_tuples, (d.ny, d.nx), d.f, d.out, d.nx, d.ny)]},
    ref_lbm, ROUNDING32, "some tens of float32 roundings",
    numba=lambda d: nb_lbm(d.f, d.out, d.nx, d.ny), opencl=True)


# sph: densities and forces of particles sorted by the cells of a grid

H = F(1)


@inner
def density_of(i: Any, px: Any, py: Any, starts: Any, cells: Any) -> Any:
    cx, cy = int(px[i]), int(py[i])
    total = F(0)
    for gy in range(max(cy - 1, 0), min(cy + 2, cells)):
        for gx in range(max(cx - 1, 0), min(cx + 2, cells)):
            c = gy * cells + gx
            for j in range(starts[c], starts[c + 1]):
                dx, dy = px[i] - px[j], py[i] - py[j]
                r2 = dx * dx + dy * dy
                if r2 < H:
                    w = H - r2
                    total += w * w * w
    return total


@inner
def force_of(i: Any, px: Any, py: Any, rho: Any, starts: Any, cells: Any) -> Any:
    cx, cy = int(px[i]), int(py[i])
    fx, fy = F(0), F(0)
    mine = rho[i] - F(2)
    for gy in range(max(cy - 1, 0), min(cy + 2, cells)):
        for gx in range(max(cx - 1, 0), min(cx + 2, cells)):
            c = gy * cells + gx
            for j in range(starts[c], starts[c + 1]):
                dx, dy = px[i] - px[j], py[i] - py[j]
                r2 = dx * dx + dy * dy
                if j != i and r2 < H:
                    r = np.sqrt(r2) + F(1e-3)
                    push = (mine + rho[j] - F(2)) / (F(2) * rho[j]) * (F(1) - r) * (F(1) - r) / r
                    fx += push * dx
                    fy += push * dy
    return fx, fy


@sycl.kernel
def sph_density(i: Any, px: Any, py: Any, starts: Any, cells: Any, rho: Any) -> None:
    rho[i] = density_of(i, px, py, starts, cells)


@sycl.kernel
def sph_force(i: Any, px: Any, py: Any, starts: Any, cells: Any, rho: Any, fx: Any, fy: Any
              ) -> None:
    fx[i], fy[i] = force_of(i, px, py, rho, starts, cells)


@parallel
def nb_sph(px: Any, py: Any, starts: Any, cells: Any, rho: Any, fx: Any, fy: Any) -> None:
    for i in prange(len(px)):
        rho[i] = density_of(i, px, py, starts, cells)
    for i in prange(len(px)):
        fx[i], fy[i] = force_of(i, px, py, rho, starts, cells)


def make_sph(cells: int) -> Operands:
    random = np.random.default_rng(1)
    n = 4 * cells * cells
    px, py = (random.random((2, n)) * cells).astype(F)
    px, py = np.minimum(px, F(cells - 1e-3)), np.minimum(py, F(cells - 1e-3))
    cell = py.astype(np.int64) * cells + px.astype(np.int64)
    order = np.argsort(cell, kind="stable")
    starts = np.searchsorted(cell[order], np.arange(cells * cells + 1)).astype(np.int32)
    return Namespace(n=n, cells=cells, px=px[order], py=py[order], starts=starts,
                     rho=np.zeros(n, F), fx=np.zeros(n, F), fy=np.zeros(n, F))


def ref_sph(d: Operands) -> dict[str, Any]:
    dx, dy = (v[:, None] - v for v in (d.px.astype(np.float64), d.py.astype(np.float64)))
    r2 = dx * dx + dy * dy
    rho = np.where(r2 < 1, 1 - r2, 0)
    rho = (rho**3).sum(1)
    r = np.sqrt(r2) + 1e-3
    push = (rho[:, None] + rho - 4) / (2 * rho) * (1 - r)**2 / r
    push = np.where((r2 < 1) & ~np.eye(d.n, dtype=bool), push, 0)
    return {"rho": rho, "fx": (push * dx).sum(1), "fy": (push * dy).sum(1)}


SPH = Entry(
    "sph", make_sph, 96, 5,
    {"": lambda d: [Step(sph_density, d.n, d.px, d.py, d.starts, d.cells, d.rho),
                    Step(sph_force, d.n, d.px, d.py, d.starts, d.cells, d.rho, d.fx, d.fy)]},
    ref_sph, SUMS32, "tens of float32 of both signs, quotients of differences",
    numba=lambda d: nb_sph(d.px, d.py, d.starts, d.cells, d.rho, d.fx, d.fy), opencl=True)


# cloth: springs to the twelve neighbours of a point, explicit Euler

OFFSETS = ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1), (0, 2), (0, -2),
           (2, 0), (-2, 0))
AOFF = np.array(OFFSETS)
REST = tuple(F(np.hypot(a, b)) for a, b in OFFSETS)
AREST = np.array(REST, F)


@sycl.kernel
def cloth(it: Any, p: Any, v: Any, q: Any, w: Any, dt: Any) -> None:
    y, x = it[0], it[1]
    h, n = p.shape[0], p.shape[1]
    px, py, pz = p[y, x, 0], p[y, x, 1], p[y, x, 2]
    fx, fy, fz = F(0), F(-9.81), F(0)
    for k in range(12):
        j, i = y + OFFSETS[k][0], x + OFFSETS[k][1]
        if j >= 0 and j < h and i >= 0 and i < n:
            dx, dy, dz = p[j, i, 0] - px, p[j, i, 1] - py, p[j, i, 2] - pz
            length = sycl.sqrt(dx * dx + dy * dy + dz * dz)
            pull = F(40) * (length - REST[k]) / length
            fx += pull * dx
            fy += pull * dy
            fz += pull * dz
    vx, vy, vz = v[y, x, 0] + dt * fx, v[y, x, 1] + dt * fy, v[y, x, 2] + dt * fz
    if y == 0:
        vx = vy = vz = F(0)
    w[y, x, 0], w[y, x, 1], w[y, x, 2] = vx, vy, vz
    q[y, x, 0], q[y, x, 1], q[y, x, 2] = px + dt * vx, py + dt * vy, pz + dt * vz


@parallel
def nb_cloth(p: Any, v: Any, q: Any, w: Any, dt: Any) -> None:
    h, n = p.shape[0], p.shape[1]
    for y in prange(h):
        for x in range(n):
            px, py, pz = p[y, x, 0], p[y, x, 1], p[y, x, 2]
            fx, fy, fz = F(0), F(-9.81), F(0)
            for k in range(12):
                j, i = y + AOFF[k, 0], x + AOFF[k, 1]
                if j >= 0 and j < h and i >= 0 and i < n:
                    dx, dy, dz = p[j, i, 0] - px, p[j, i, 1] - py, p[j, i, 2] - pz
                    length = np.sqrt(dx * dx + dy * dy + dz * dz)
                    pull = F(40) * (length - AREST[k]) / length
                    fx += pull * dx
                    fy += pull * dy
                    fz += pull * dz
            vx, vy, vz = v[y, x, 0] + dt * fx, v[y, x, 1] + dt * fy, v[y, x, 2] + dt * fz
            if y == 0:
                vx = vy = vz = F(0)
            w[y, x, 0] = vx
            w[y, x, 1] = vy
            w[y, x, 2] = vz
            q[y, x, 0] = px + dt * vx
            q[y, x, 1] = py + dt * vy
            q[y, x, 2] = pz + dt * vz


def make_cloth(n: int) -> Operands:
    random = np.random.default_rng(1)
    y, x = np.indices((n, n))
    p = np.stack([x, -y, np.zeros((n, n)), np.zeros((n, n))], 2) + random.random((n, n, 4)) * 0.1
    return Namespace(p=p.astype(F), v=random.random((n, n, 4), F), q=np.zeros((n, n, 4), F),
                     w=np.zeros((n, n, 4), F), dt=F(1e-3))


def ref_cloth(d: Operands) -> dict[str, Any]:
    p = d.p[:, :, :3].astype(np.float64)
    n = len(p)
    force = np.zeros_like(p)
    force[:, :, 1] = -9.81
    wide = np.full((n + 4, n + 4, 3), np.nan)
    wide[2:-2, 2:-2] = p
    for (a, b), rest in zip(OFFSETS, REST, strict=True):
        delta = wide[2 + a:n + 2 + a, 2 + b:n + 2 + b] - p
        length = np.sqrt((delta**2).sum(2, keepdims=True))
        force += np.nan_to_num(40 * (length - rest) / length * delta)
    w = d.v[:, :, :3] + d.dt * force
    w[0] = 0
    d.w[:, :, :3], d.q[:, :, :3] = w, p + d.dt * w
    return {"w": d.w, "q": d.q}


CLOTH = Entry(
    "cloth", make_cloth, 384, 7,
    {"": lambda d: [Step(cloth, d.p.shape[:2], d.p, d.v, d.q, d.w, d.dt)]}, ref_cloth, SUMS32,
    "lengths less their rest", numba=lambda d: nb_cloth(d.p, d.v, d.q, d.w, d.dt), opencl=True)


# path: paths of light between spheres, diffuse and mirrors, five bounces, four samples


@inner
def strike(s: Any, ox: Any, oy: Any, oz: Any, dx: Any, dy: Any, dz: Any) -> Any:
    nearest, what = F(1e20), -1
    for k in range(len(s)):
        rx, ry, rz = s[k, 0] - ox, s[k, 1] - oy, s[k, 2] - oz
        b = rx * dx + ry * dy + rz * dz
        e = b * b - (rx * rx + ry * ry + rz * rz) + s[k, 3] * s[k, 3]
        if e > F(0):
            root = np.sqrt(e)
            t = b - root
            if t < F(1e-3):
                t = b + root
            if t > F(1e-3) and t < nearest:
                nearest, what = t, k
    return nearest, what


@inner
def radiance(s: Any, dx: Any, dy: Any, dz: Any, seed: Any) -> Any:
    ox, oy, oz = F(0), F(0), F(0)
    light, left = F(0), F(1)
    bounce = 0
    while bounce < 5:
        t, k = strike(s, ox, oy, oz, dx, dy, dz)
        if k < 0:
            light += left * F(0.3)
            break
        light += left * s[k, 4]
        left *= s[k, 5]
        ox, oy, oz = ox + t * dx, oy + t * dy, oz + t * dz
        nx, ny, nz = (ox - s[k, 0]) / s[k, 3], (oy - s[k, 1]) / s[k, 3], (oz - s[k, 2]) / s[k, 3]
        along = nx * dx + ny * dy + nz * dz
        if along > F(0):
            nx, ny, nz = -nx, -ny, -nz
        if s[k, 6] > F(0):  # a mirror
            along = nx * dx + ny * dy + nz * dz
            dx, dy, dz = (dx - F(2) * along * nx, dy - F(2) * along * ny,
                          dz - F(2) * along * nz)
        else:
            seed = random_next(seed)
            z = F(2) * as_float(seed) - F(1)
            seed = random_next(seed)
            phi = F(6.2831853) * as_float(seed)
            flat = np.sqrt(max(F(0), F(1) - z * z))
            dx, dy, dz = nx + flat * np.cos(phi), ny + flat * np.sin(phi), nz + z
            length = np.sqrt(dx * dx + dy * dy + dz * dz) + F(1e-9)
            dx, dy, dz = dx / length, dy / length, dz / length
        bounce += 1
    return light, seed


@inner
def pixel(s: Any, x: Any, y: Any, n: Any, samples: Any) -> Any:
    seed = U((y * n + x) * 9781 + 1)
    total = F(0)
    for _ in range(samples):
        seed = random_next(seed)
        dx = (F(x) + as_float(seed)) / F(n) - F(0.5)
        seed = random_next(seed)
        dy = (F(y) + as_float(seed)) / F(n) - F(0.5)
        length = np.sqrt(dx * dx + dy * dy + F(1))
        light, seed = radiance(s, dx / length, dy / length, F(1) / length, seed)
        total += light
    return total / F(samples)


@sycl.kernel
def path(it: Any, image: Any, s: Any, samples: Any) -> None:
    image[it] = pixel(s, it[1], it[0], image.shape[1], samples)


@parallel
def nb_path(image: Any, s: Any, samples: Any) -> None:
    for y in prange(image.shape[0]):
        for x in range(image.shape[1]):
            image[y, x] = pixel(s, x, y, image.shape[1], samples)


def make_path(n: int) -> Operands:
    balls = np.array([[0, -101, 4, 100, 0, 0.75, 0], [0, 105, 4, 100, 0, 0.7, 0],
                      [-103, 0, 4, 100, 0, 0.6, 0], [103, 0, 4, 100, 0, 0.6, 0],
                      [0, 0, 108, 100, 0, 0.8, 0], [-0.8, -0.4, 4, 0.6, 0, 0.9, 1],
                      [0.8, -0.4, 3.5, 0.6, 0, 0.8, 0], [0, 5.5, 4, 1.4, 6, 0.1, 0]], F)
    return Namespace(image=np.full((n, n), -1, F), s=balls, samples=4 if n > 50 else 2)


PATH = Entry(
    "path", make_path, 160, 9,
    {"": lambda d: [Step(path, d.image.shape, d.image, d.s, d.samples)]},
    plain(lambda d: nb_path(d.image, d.s, d.samples), "image"), 1e-2,
    "a path of rounded numbers; a few go another way", outliers=0.05,
    numba=lambda d: nb_path(d.image, d.s, d.samples), opencl=lambda d: [
        Step("path", d.image.shape, d.image, d.s, d.samples, len(d.s))])

ENTRIES = [LBM, SPH, CLOTH, PATH]

if __name__ == "__main__":
    show(ENTRIES)
