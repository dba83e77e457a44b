"""More of RAJAPerf's Apps: volumes of hexahedra, a 27-point matrix, a mass matrix of elements."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.apps import corners, zones
from bench.corpus.basic import vectors
from bench.corpus.frame import (
    ROUNDING64,
    Entry,
    Local,
    Namespace,
    Nd,
    Operands,
    Step,
    inner,
    parallel,
    prange,
    show,
)

# vol3d: the volume of each zone, by its eight corners


@inner
def triple(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any, cx: Any, cy: Any, cz: Any) -> Any:
    return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)


@inner
def volume(x: Any, y: Any, z: Any, i: Any, jp: Any, kp: Any) -> Any:
    """Return the volume of the zone whose first corner is i; corners go round each face."""
    c0, c1, c2, c3 = i, i + 1, i + 1 + jp, i + jp
    c4, c5, c6, c7 = i + kp, i + 1 + kp, i + 1 + jp + kp, i + jp + kp
    x71, x72, x74 = x[c7] - x[c1], x[c7] - x[c2], x[c7] - x[c4]
    x30, x50, x60 = x[c3] - x[c0], x[c5] - x[c0], x[c6] - x[c0]
    y71, y72, y74 = y[c7] - y[c1], y[c7] - y[c2], y[c7] - y[c4]
    y30, y50, y60 = y[c3] - y[c0], y[c5] - y[c0], y[c6] - y[c0]
    z71, z72, z74 = z[c7] - z[c1], z[c7] - z[c2], z[c7] - z[c4]
    z30, z50, z60 = z[c3] - z[c0], z[c5] - z[c0], z[c6] - z[c0]
    total = triple(x71 + x60, y71 + y60, z71 + z60, x72, y72, z72, x30, y30, z30)
    total += triple(x72 + x50, y72 + y50, z72 + z50, x74, y74, z74, x60, y60, z60)
    total += triple(x74 + x30, y74 + y30, z74 + z30, x71, y71, z71, x50, y50, z50)
    return total * 0.083333333333333333


@sycl.kernel
def vol3d(it: Any, vol: Any, x: Any, y: Any, z: Any, n: Any) -> None:
    k, j, a = it[0], it[1], it[2]
    i = (k * n + j) * n + a
    vol[i] = volume(x, y, z, i, n, n * n)


@parallel
def nb_vol3d(vol: Any, x: Any, y: Any, z: Any, n: Any) -> None:
    for k in prange(n - 1):
        for j in range(n - 1):
            for a in range(n - 1):
                i = (k * n + j) * n + a
                vol[i] = volume(x, y, z, i, n, n * n)


def make_vol3d(n: int) -> Operands:
    random = np.random.default_rng(1)
    z, y, x = (g.ravel() + random.uniform(-0.2, 0.2, n**3) for g in np.indices((n, n, n)))
    return Namespace(x=x, y=y, z=z, vol=np.zeros(n**3), n=n, zone=zones(n, dimensions=3))


def ref_vol3d(d: Operands) -> dict[str, Any]:
    d.vol[d.zone] = volume(d.x, d.y, d.z, d.zone, d.n, d.n**2)
    return {"vol": d.vol}


VOL3D = Entry(
    "vol3d", make_vol3d, 90, 7,
    {"": lambda d: [Step(vol3d, (d.n - 1,) * 3, d.vol, d.x, d.y, d.z, d.n)]}, ref_vol3d, 1e-10,
    "differences of products, which may be fused",
    numba=lambda d: nb_vol3d(d.vol, d.x, d.y, d.z, d.n), opencl=True)


# matvec_3d_stencil: a matrix of 27 diagonals, the neighbours by numbers of zones

POINTS = [(a, b, c) for c in (-1, 0, 1) for b in (-1, 0, 1) for a in (-1, 0, 1)]
SHIFTS = tuple(POINTS)


@sycl.kernel
def matvec(ii: Any, b: Any, matrix: Any, x: Any, zone: Any, jp: Any, kp: Any) -> None:
    i = zone[ii]
    total = 0.0
    for m, (dx, dy, dz) in enumerate(SHIFTS):
        total += matrix[m, i] * x[i + dx + dy * jp + dz * kp]
    b[i] = total


@parallel
def nb_matvec(b: Any, matrix: Any, x: Any, zone: Any, jp: Any, kp: Any) -> None:
    for ii in prange(len(zone)):
        i = zone[ii]
        total = 0.0
        m = 0
        for dz in range(-1, 2):
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    total += matrix[m, i] * x[i + dx + dy * jp + dz * kp]
                    m += 1
        b[i] = total


def make_matvec(n: int) -> Operands:
    grid = np.arange(n**3, dtype=np.int32).reshape(n, n, n)
    return vectors("x b", n**3, matrix=np.random.default_rng(2).random((27, n**3)), jp=n, kp=n * n,
                   zone=np.ascontiguousarray(grid[1:-1, 1:-1, 1:-1].ravel()))


def ref_matvec(d: Operands) -> dict[str, Any]:
    d.b[d.zone] = sum(d.matrix[m, d.zone] * d.x[d.zone + dx + dy * d.jp + dz * d.kp]
                      for m, (dx, dy, dz) in enumerate(SHIFTS))
    return {"b": d.b}


MATVEC = Entry(
    "matvec_3d_stencil", make_matvec, 60, 6,
    {"": lambda d: [Step(matvec, len(d.zone), d.b, d.matrix, d.x, d.zone, d.jp, d.kp)]},
    ref_matvec, ROUNDING64, "27 float64 in another order",
    numba=lambda d: nb_matvec(d.b, d.matrix, d.x, d.zone, d.jp, d.kp),
    opencl=lambda d: [Step("matvec", len(d.zone), d.b, d.matrix, d.x, d.zone, d.jp, d.kp, d.n)])


# mass3dpa: an element a group; sums along each direction, through local memory

D1D, Q1D = 4, 5


@sycl.kernel
def mass3dpa(it: Any, basis: Any, x: Any, data: Any, y: Any, one: Any, two: Any) -> None:
    e, ty, tx = it.get_group(0), it.get_local_id(0), it.get_local_id(1)
    group = it.get_group()
    if ty < D1D:
        for dz in range(D1D):
            total = 0.0
            for dx in range(D1D):
                total += basis[tx, dx] * x[e * D1D + dz, ty, dx]
            one[dz, ty, tx] = total
    sycl.group_barrier(group)
    for dz in range(D1D):
        total = 0.0
        for dy in range(D1D):
            total += basis[ty, dy] * one[dz, dy, tx]
        two[dz, ty, tx] = total
    sycl.group_barrier(group)
    for qz in range(Q1D):
        total = 0.0
        for dz in range(D1D):
            total += basis[qz, dz] * two[dz, ty, tx]
        one[qz, ty, tx] = total * data[e * Q1D + qz, ty, tx]
    sycl.group_barrier(group)
    if tx < D1D:
        for qz in range(Q1D):
            total = 0.0
            for qx in range(Q1D):
                total += basis[qx, tx] * one[qz, ty, qx]
            two[qz, ty, tx] = total
    sycl.group_barrier(group)
    if tx < D1D and ty < D1D:
        for dz in range(D1D):
            total = 0.0
            for qz in range(Q1D):
                along = 0.0
                for qy in range(Q1D):
                    along += basis[qy, ty] * two[qz, qy, tx]
                total += basis[qz, dz] * along
            y[e * D1D + dz, ty, tx] += total


@inner
def forward(basis: Any, given: Any, one: Any, two: Any, data: Any) -> None:
    """Evaluate one element at its points, times the data there; the result is in one."""
    for dz in range(D1D):
        for dy in range(D1D):
            for qx in range(Q1D):
                total = 0.0
                for dx in range(D1D):
                    total += basis[qx, dx] * given[dz, dy, dx]
                one[dz, dy, qx] = total
    for dz in range(D1D):
        for qy in range(Q1D):
            for qx in range(Q1D):
                total = 0.0
                for dy in range(D1D):
                    total += basis[qy, dy] * one[dz, dy, qx]
                two[dz, qy, qx] = total
    for qz in range(Q1D):
        for qy in range(Q1D):
            for qx in range(Q1D):
                total = 0.0
                for dz in range(D1D):
                    total += basis[qz, dz] * two[dz, qy, qx]
                one[qz, qy, qx] = total * data[qz, qy, qx]


@inner
def backward(basis: Any, one: Any, two: Any, out: Any) -> None:
    """Add the integrals of what is in one against each function."""
    for qz in range(Q1D):
        for qy in range(Q1D):
            for dx in range(D1D):
                total = 0.0
                for qx in range(Q1D):
                    total += basis[qx, dx] * one[qz, qy, qx]
                two[qz, qy, dx] = total
    for qz in range(Q1D):
        for dy in range(D1D):
            for dx in range(D1D):
                total = 0.0
                for qy in range(Q1D):
                    total += basis[qy, dy] * two[qz, qy, dx]
                for dz in range(D1D):
                    out[dz, dy, dx] += basis[qz, dz] * total


@parallel
def nb_mass3dpa(basis: Any, x: Any, data: Any, y: Any) -> None:
    blocks = 64
    for b in prange(blocks):
        one, two = np.empty((Q1D, Q1D, Q1D)), np.empty((Q1D, Q1D, Q1D))
        for e in range(b * len(x) // blocks, (b + 1) * len(x) // blocks):
            forward(basis, x[e], one, two, data[e])
            backward(basis, one, two, y[e])


def make_mass(elements: int) -> Operands:
    random = np.random.default_rng(1)
    cube = (Q1D, Q1D, Q1D)
    return Namespace(basis=random.random((Q1D, D1D)), x=random.random((elements, D1D, D1D, D1D)),
                     data=random.random((elements, *cube)), y=np.zeros((elements, D1D, D1D, D1D)),
                     one=Local(np.float64, cube), two=Local(np.float64, cube),
                     space=Nd((elements * Q1D, Q1D), (Q1D, Q1D)))


def ref_mass(d: Operands) -> dict[str, Any]:
    b = d.basis
    points = np.einsum("zc,yb,xa,ecba->ezyx", b, b, b, d.x, optimize=True) * d.data
    return {"y": np.einsum("zc,yb,xa,ezyx->ecba", b, b, b, points, optimize=True)}


MASS3DPA = Entry(
    "mass3dpa", make_mass, 2000, 5,
    {"": lambda d: [Step(mass3dpa, d.space, d.basis, d.x.reshape(-1, D1D, D1D),
                         d.data.reshape(-1, Q1D, Q1D), d.y.reshape(-1, D1D, D1D), d.one, d.two)]},
    ref_mass, ROUNDING64, "float64 sums in another order",
    numba=lambda d: nb_mass3dpa(d.basis, d.x, d.data, d.y),
    opencl=lambda d: [Step("mass3dpa", d.space, d.basis, d.x, d.data, d.y, d.one, d.two)])


# edge3d: an integral over each zone by points of Gauss, all in names


GAUSS = (0.1127016653792583, 0.5, 0.8872983346207417)
WEIGHT = (0.2777777777777778, 0.4444444444444444, 0.2777777777777778)
AG, AWG = np.array(GAUSS), np.array(WEIGHT)


@sycl.kernel
def hex_integral(it: Any, out: Any, x: Any, n: Any) -> None:
    k, j, a = it[0], it[1], it[2]
    i = (k * n + j) * n + a
    total = 0.0
    for gz in range(3):
        for gy in range(3):
            for gx in range(3):
                u, v, w = GAUSS[gx], GAUSS[gy], GAUSS[gz]
                low = ((1.0 - u) * x[i] + u * x[i + 1]) * (1.0 - v) + v * (
                    (1.0 - u) * x[i + n] + u * x[i + n + 1])
                m = i + n * n
                high = ((1.0 - u) * x[m] + u * x[m + 1]) * (1.0 - v) + v * (
                    (1.0 - u) * x[m + n] + u * x[m + n + 1])
                value = (1.0 - w) * low + w * high
                total += WEIGHT[gx] * WEIGHT[gy] * WEIGHT[gz] * value * value
    out[i] = total


@inner
def integral(x: Any, i: Any, n: Any) -> Any:
    m = i + n * n
    total = 0.0
    for gz in range(3):
        for gy in range(3):
            for gx in range(3):
                u, v, w = AG[gx], AG[gy], AG[gz]
                low = ((1.0 - u) * x[i] + u * x[i + 1]) * (1.0 - v) + v * (
                    (1.0 - u) * x[i + n] + u * x[i + n + 1])
                high = ((1.0 - u) * x[m] + u * x[m + 1]) * (1.0 - v) + v * (
                    (1.0 - u) * x[m + n] + u * x[m + n + 1])
                value = (1.0 - w) * low + w * high
                total += AWG[gx] * AWG[gy] * AWG[gz] * value * value
    return total


@parallel
def nb_hex_integral(out: Any, x: Any, n: Any) -> None:
    for k in prange(n - 1):
        for j in range(n - 1):
            for a in range(n - 1):
                i = (k * n + j) * n + a
                out[i] = integral(x, i, n)


def make_integral(n: int) -> Operands:
    return vectors("x", n**3, out=np.zeros(n**3), side=n, zone=zones(n, dimensions=3), jp=n,
                   kp=n * n)


def ref_integral(d: Operands) -> dict[str, Any]:
    at = [d.x[d.zone + offset] for offset in corners(d)]
    total: Any = 0.0
    for g in np.ndindex(3, 3, 3):
        value: Any = 0.0
        for c, corner in enumerate(at):
            part = 1.0
            for axis in range(3):
                u = GAUSS[g[axis]]
                part *= u if c >> axis & 1 else 1 - u
            value = value + part * corner
        total = total + math.prod(WEIGHT[k] for k in g) * value * value
    d.out[d.zone] = total
    return {"out": d.out}


INTEGRAL = Entry(
    "hex_integral", make_integral, 72, 5,
    {"": lambda d: [Step(hex_integral, (d.side - 1,) * 3, d.out, d.x, d.side)]}, ref_integral,
    ROUNDING64, "float64 sums in another order",
    numba=lambda d: nb_hex_integral(d.out, d.x, d.side), opencl=True)

ENTRIES = [VOL3D, MATVEC, MASS3DPA, INTEGRAL]

if __name__ == "__main__":
    show(ENTRIES)
