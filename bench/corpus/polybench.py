"""Polybench, as in RAJAPerf: linear algebra, sweeps and stencils over small dense arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    ROUNDING64,
    Entry,
    Namespace,
    Operands,
    Step,
    parallel,
    prange,
    show,
)

SUMS = "float64 sums in another order"
ALPHA, BETA = np.float64(0.62), np.float64(1.002)


def arrays(seed: int = 1, **shapes: Any) -> Operands:
    """Return float64 arrays of random numbers of these shapes by name."""
    random = np.random.default_rng(seed)
    return Namespace(**{name: random.random(shape) for name, shape in shapes.items()})


# gemm, and 2mm of two of them


@sycl.kernel
def gemm(it: Any, c: Any, a: Any, b: Any, alpha: Any, beta: Any) -> None:
    i, j = it[0], it[1]
    c[i, j] *= beta
    for k in range(a.shape[1]):
        c[i, j] += alpha * a[i, k] * b[k, j]


@sycl.kernel
def gemm_local(it: Any, c: Any, a: Any, b: Any, alpha: Any, beta: Any) -> None:
    i, j = it[0], it[1]
    dot = 0.0
    for k in range(a.shape[1]):
        dot += alpha * a[i, k] * b[k, j]
    c[i, j] = beta * c[i, j] + dot


@parallel
def nb_gemm(c: Any, a: Any, b: Any, alpha: Any, beta: Any) -> None:
    for i in prange(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] *= beta
        for k in range(a.shape[1]):
            v = alpha * a[i, k]
            for j in range(c.shape[1]):
                c[i, j] += v * b[k, j]


def make_gemm(n: int) -> Operands:
    d = arrays(a=(n, n), b=(n, n), c=(n, n), e=(n, n), tmp=(n, n))
    d.half, d.none, d.n = np.float64(0.5), np.float64(0), n
    return d


GEMM = Entry(
    "gemm", make_gemm, 320, 17,
    {"": lambda d: [Step(gemm_local, d.c.shape, d.c, d.a, d.b, ALPHA, d.half)],
     "in memory": lambda d: [Step(gemm, d.c.shape, d.c, d.a, d.b, ALPHA, d.half)]},
    lambda d: {"c": d.half * d.c + ALPHA * d.a @ d.b}, ROUNDING64, SUMS,
    numba=lambda d: nb_gemm(d.c, d.a, d.b, ALPHA, d.half),
    opencl=lambda d: [Step("gemm", d.c.shape, d.c, d.a, d.b, ALPHA, d.half, d.n)])


def nb_two(d: Operands) -> None:
    nb_gemm(d.tmp, d.a, d.b, ALPHA, d.none)
    nb_gemm(d.c, d.tmp, d.e, np.float64(1), d.half)


TWO_MM = Entry(
    "2mm", make_gemm, 256, 17,
    {"": lambda d: [Step(gemm_local, d.c.shape, d.tmp, d.a, d.b, ALPHA, d.none),
                    Step(gemm_local, d.c.shape, d.c, d.tmp, d.e, np.float64(1), d.half)]},
    lambda d: {"c": d.half * d.c + ALPHA * d.a @ d.b @ d.e}, 1e-11, SUMS, numba=nb_two,
    opencl=lambda d: [Step("gemm", d.c.shape, d.tmp, d.a, d.b, ALPHA, d.none, d.n),
                      Step("gemm", d.c.shape, d.c, d.tmp, d.e, np.float64(1), d.half, d.n)])


# atax, mvt, gesummv, gemver: matrices times vectors, by rows and by columns


@sycl.kernel
def by_row(i: Any, out: Any, a: Any, x: Any) -> None:
    dot = 0.0
    for j in range(a.shape[1]):
        dot += a[i, j] * x[j]
    out[i] = dot


@sycl.kernel
def by_column(j: Any, out: Any, a: Any, x: Any) -> None:
    dot = 0.0
    for i in range(a.shape[0]):
        dot += a[i, j] * x[i]
    out[j] = dot


@parallel
def nb_by_row(out: Any, a: Any, x: Any) -> None:
    for i in prange(a.shape[0]):
        dot = 0.0
        for j in range(a.shape[1]):
            dot += a[i, j] * x[j]
        out[i] = dot


@parallel
def nb_by_column(out: Any, a: Any, x: Any) -> None:
    width = 128
    for block in prange((a.shape[1] + width - 1) // width):
        first, last = block * width, min(a.shape[1], (block + 1) * width)
        for j in range(first, last):
            out[j] = 0.0
        for i in range(a.shape[0]):
            v = x[i]
            for j in range(first, last):
                out[j] += a[i, j] * v


def make_matrix(n: int) -> Operands:
    d = arrays(a=(n, n), b=(n, n), x=n, y=n, z=n, w=n, tmp=n, y2=n, u1=n, v1=n, u2=n, v2=n)
    d.n = n
    return d


def nb_atax(d: Operands) -> None:
    nb_by_row(d.tmp, d.a, d.x)
    nb_by_column(d.y, d.a, d.tmp)


ATAX = Entry(
    "atax", make_matrix, 1000, 30,
    {"": lambda d: [Step(by_row, d.n, d.tmp, d.a, d.x), Step(by_column, d.n, d.y, d.a, d.tmp)]},
    lambda d: {"y": d.a.T @ (d.a @ d.x)}, ROUNDING64, SUMS, numba=nb_atax,
    opencl=lambda d: [Step("by_row", d.n, d.tmp, d.a, d.x, d.n),
                      Step("by_column", d.n, d.y, d.a, d.tmp, d.n)])


def nb_mvt(d: Operands) -> None:
    nb_by_row(d.x, d.a, d.y)
    nb_by_column(d.z, d.a, d.y2)


MVT = Entry(
    "mvt", make_matrix, 1024, 30,
    {"": lambda d: [Step(by_row, d.n, d.x, d.a, d.y), Step(by_column, d.n, d.z, d.a, d.y2)]},
    lambda d: {"x": d.a @ d.y, "z": d.a.T @ d.y2}, ROUNDING64, SUMS, numba=nb_mvt,
    opencl=lambda d: [Step("by_row", d.n, d.x, d.a, d.y, d.n),
                      Step("by_column", d.n, d.z, d.a, d.y2, d.n)])


@sycl.kernel
def gesummv(i: Any, y: Any, a: Any, b: Any, x: Any, alpha: Any, beta: Any) -> None:
    tmpdot = 0.0
    ydot = 0.0
    for j in range(a.shape[1]):
        tmpdot += a[i, j] * x[j]
        ydot += b[i, j] * x[j]
    y[i] = alpha * tmpdot + beta * ydot


@parallel
def nb_gesummv(y: Any, a: Any, b: Any, x: Any, alpha: Any, beta: Any) -> None:
    for i in prange(len(y)):
        tmpdot = 0.0
        ydot = 0.0
        for j in range(a.shape[1]):
            tmpdot += a[i, j] * x[j]
            ydot += b[i, j] * x[j]
        y[i] = alpha * tmpdot + beta * ydot


GESUMMV = Entry(
    "gesummv", make_matrix, 1000, 30,
    {"": lambda d: [Step(gesummv, d.n, d.y, d.a, d.b, d.x, ALPHA, BETA)]},
    lambda d: {"y": ALPHA * d.a @ d.x + BETA * d.b @ d.x}, ROUNDING64, SUMS,
    numba=lambda d: nb_gesummv(d.y, d.a, d.b, d.x, ALPHA, BETA),
    opencl=lambda d: [Step("gesummv", d.n, d.y, d.a, d.b, d.x, ALPHA, BETA, d.n)])


@sycl.kernel
def gemver_1(it: Any, a: Any, b: Any, u1: Any, v1: Any, u2: Any, v2: Any) -> None:
    i, j = it[0], it[1]
    a[i, j] = b[i, j] + u1[i] * v1[j] + u2[i] * v2[j]


@sycl.kernel
def gemver_2(i: Any, x: Any, a: Any, y: Any, z: Any, beta: Any) -> None:
    dot = 0.0
    for j in range(a.shape[0]):
        dot += beta * a[j, i] * y[j]
    x[i] = dot + z[i]


@sycl.kernel
def gemver_3(i: Any, w: Any, a: Any, x: Any, alpha: Any) -> None:
    dot = 0.0
    for j in range(a.shape[1]):
        dot += alpha * a[i, j] * x[j]
    w[i] = dot


@parallel
def nb_gemver_1(a: Any, b: Any, u1: Any, v1: Any, u2: Any, v2: Any) -> None:
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            a[i, j] = b[i, j] + u1[i] * v1[j] + u2[i] * v2[j]


def nb_gemver(d: Operands) -> None:
    nb_gemver_1(d.a, d.b, d.u1, d.v1, d.u2, d.v2)
    nb_by_column(d.x, d.a, d.y)
    d.x *= BETA
    d.x += d.z
    nb_by_row(d.w, d.a, d.x)
    d.w *= ALPHA


def ref_gemver(d: Operands) -> dict[str, Any]:
    a = d.b + np.outer(d.u1, d.v1) + np.outer(d.u2, d.v2)
    x = BETA * a.T @ d.y + d.z
    return {"a": a, "x": x, "w": ALPHA * a @ x}


GEMVER = Entry(
    "gemver", make_matrix, 800, 30,
    {"": lambda d: [Step(gemver_1, (d.n, d.n), d.a, d.b, d.u1, d.v1, d.u2, d.v2),
                    Step(gemver_2, d.n, d.x, d.a, d.y, d.z, BETA),
                    Step(gemver_3, d.n, d.w, d.a, d.x, ALPHA)]},
    ref_gemver, ROUNDING64, SUMS, numba=nb_gemver,
    opencl=lambda d: [Step("gemver_1", (d.n, d.n), d.a, d.b, d.u1, d.v1, d.u2, d.v2),
                      Step("gemver_2", d.n, d.x, d.a, d.y, d.z, BETA, d.n),
                      Step("gemver_3", d.n, d.w, d.a, d.x, ALPHA, d.n)])


# adi: sweeps along rows, one work-item a row or column


@sycl.kernel
def adi_columns(at: Any, u: Any, v: Any, p: Any, q: Any, n: Any, a: Any, b: Any, c: Any, d: Any,
                f: Any) -> None:
    i = at + 1
    v[0, i] = 1.0
    p[i, 0] = 0.0
    q[i, 0] = v[0, i]
    for j in range(1, n - 1):
        p[i, j] = -c / (a * p[i, j - 1] + b)
        q[i, j] = ((-d * u[j, i - 1] + (1.0 + 2.0 * d) * u[j, i] - f * u[j, i + 1]
                    - a * q[i, j - 1]) / (a * p[i, j - 1] + b))
    v[n - 1, i] = 1.0
    for k in range(n - 2, 0, -1):
        v[k, i] = p[i, k] * v[k + 1, i] + q[i, k]


@sycl.kernel
def adi_rows(at: Any, u: Any, v: Any, p: Any, q: Any, n: Any, a: Any, c: Any, d: Any, e: Any,
             f: Any) -> None:
    i = at + 1
    u[i, 0] = 1.0
    p[i, 0] = 0.0
    q[i, 0] = u[i, 0]
    for j in range(1, n - 1):
        p[i, j] = -f / (d * p[i, j - 1] + e)
        q[i, j] = ((-a * v[i - 1, j] + (1.0 + 2.0 * a) * v[i, j] - c * v[i + 1, j]
                    - d * q[i, j - 1]) / (d * p[i, j - 1] + e))
    u[i, n - 1] = 1.0
    for k in range(n - 2, 0, -1):
        u[i, k] = p[i, k] * u[i, k + 1] + q[i, k]


@parallel
def nb_adi(u: Any, v: Any, p: Any, q: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> None:
    n = len(u)
    for i in prange(1, n - 1):
        v[0, i] = 1.0
        p[i, 0] = 0.0
        q[i, 0] = v[0, i]
        for j in range(1, n - 1):
            p[i, j] = -c / (a * p[i, j - 1] + b)
            q[i, j] = ((-d * u[j, i - 1] + (1.0 + 2.0 * d) * u[j, i] - f * u[j, i + 1]
                        - a * q[i, j - 1]) / (a * p[i, j - 1] + b))
        v[n - 1, i] = 1.0
        for k in range(n - 2, 0, -1):
            v[k, i] = p[i, k] * v[k + 1, i] + q[i, k]
    for i in prange(1, n - 1):
        u[i, 0] = 1.0
        p[i, 0] = 0.0
        q[i, 0] = u[i, 0]
        for j in range(1, n - 1):
            p[i, j] = -f / (d * p[i, j - 1] + e)
            q[i, j] = ((-a * v[i - 1, j] + (1.0 + 2.0 * a) * v[i, j] - c * v[i + 1, j]
                        - d * q[i, j - 1]) / (d * p[i, j - 1] + e))
        u[i, n - 1] = 1.0
        for k in range(n - 2, 0, -1):
            u[i, k] = p[i, k] * u[i, k + 1] + q[i, k]


def make_adi(n: int) -> Operands:
    o = arrays(u=(n, n), v=(n, n), p=(n, n), q=(n, n))
    steps, f = 1.0, np.float64
    mul1, mul2 = 2.0 * (1.0 / steps) * n * n / (n * n), 1.0 * n * n / (n * n)
    o.a, o.c, o.d, o.f = f(-mul1 / 2), f(-mul1 / 2), f(-mul2 / 2), f(-mul2 / 2)
    o.b, o.e, o.n = f(1 + mul1), f(1 + mul2), n
    return o


def ref_adi(o: Operands) -> dict[str, Any]:
    nb_plain = getattr(nb_adi, "py_func", nb_adi)
    nb_plain(o.u, o.v, o.p, o.q, o.a, o.b, o.c, o.d, o.e, o.f)
    return {"u": o.u, "v": o.v}


def steps_adi(o: Operands) -> list[Step]:
    return [Step(adi_columns, o.n - 2, o.u, o.v, o.p, o.q, o.n, o.a, o.b, o.c, o.d, o.f),
            Step(adi_rows, o.n - 2, o.u, o.v, o.p, o.q, o.n, o.a, o.c, o.d, o.e, o.f)]


ADI = Entry("adi", make_adi, 500, 14, {"": steps_adi}, ref_adi, ROUNDING64, SUMS,
            numba=lambda o: nb_adi(o.u, o.v, o.p, o.q, o.a, o.b, o.c, o.d, o.e, o.f), opencl=True)


# fdtd_2d, heat_3d, jacobi_1d, jacobi_2d, floyd_warshall: one launch a step


@sycl.kernel
def fdtd_ey(it: Any, ey: Any, hz: Any, now: Any) -> None:
    i, j = it[0], it[1]
    if i == 0:
        ey[i, j] = now
    else:
        ey[i, j] = ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])


@sycl.kernel
def fdtd_ex(it: Any, ex: Any, hz: Any) -> None:
    i, j = it[0], it[1]
    if j > 0:
        ex[i, j] = ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1])


@sycl.kernel
def fdtd_hz(it: Any, hz: Any, ex: Any, ey: Any) -> None:
    i, j = it[0], it[1]
    hz[i, j] = hz[i, j] - 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


@parallel
def nb_fdtd_2d(ex: Any, ey: Any, hz: Any, now: Any) -> None:
    nx, ny = hz.shape
    for i in prange(nx):
        if i == 0:
            for j in range(ny):
                ey[0, j] = now
        else:
            for j in range(ny):
                ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
    for i in prange(nx):
        for j in range(1, ny):
            ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
    for i in prange(nx - 1):
        for j in range(ny - 1):
            hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


def make_fdtd(n: int) -> Operands:
    d = arrays(ex=(n, n), ey=(n, n), hz=(n, n))
    d.n, d.now = n, np.float64(0.3)
    return d


def ref_fdtd(d: Operands) -> dict[str, Any]:
    d.ey[1:] -= 0.5 * (d.hz[1:] - d.hz[:-1])
    d.ey[0] = d.now
    d.ex[:, 1:] -= 0.5 * (d.hz[:, 1:] - d.hz[:, :-1])
    d.hz[:-1, :-1] -= 0.7 * (d.ex[:-1, 1:] - d.ex[:-1, :-1] + d.ey[1:, :-1] - d.ey[:-1, :-1])
    return {"ex": d.ex, "ey": d.ey, "hz": d.hz}


FDTD_2D = Entry(
    "fdtd_2d", make_fdtd, 600, 19,
    {"": lambda d: [Step(fdtd_ey, d.hz.shape, d.ey, d.hz, d.now),
                    Step(fdtd_ex, d.hz.shape, d.ex, d.hz),
                    Step(fdtd_hz, (d.n - 1, d.n - 1), d.hz, d.ex, d.ey)]},
    ref_fdtd, ROUNDING64, SUMS, numba=lambda d: nb_fdtd_2d(d.ex, d.ey, d.hz, d.now), opencl=True)


@sycl.kernel
def heat_3d(it: Any, a: Any, b: Any) -> None:
    i, j, k = it[0] + 1, it[1] + 1, it[2] + 1
    b[i, j, k] = (0.125 * (a[i + 1, j, k] - 2.0 * a[i, j, k] + a[i - 1, j, k])
                  + 0.125 * (a[i, j + 1, k] - 2.0 * a[i, j, k] + a[i, j - 1, k])
                  + 0.125 * (a[i, j, k + 1] - 2.0 * a[i, j, k] + a[i, j, k - 1]) + a[i, j, k])


@parallel
def nb_heat_3d(a: Any, b: Any) -> None:
    for i in prange(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            for k in range(1, a.shape[2] - 1):
                b[i, j, k] = (0.125 * (a[i + 1, j, k] - 2.0 * a[i, j, k] + a[i - 1, j, k])
                              + 0.125 * (a[i, j + 1, k] - 2.0 * a[i, j, k] + a[i, j - 1, k])
                              + 0.125 * (a[i, j, k + 1] - 2.0 * a[i, j, k] + a[i, j, k - 1])
                              + a[i, j, k])


def ref_heat_3d(d: Operands) -> dict[str, Any]:
    for x, y in ((d.a, d.b), (d.b, d.a)):
        m = x[1:-1, 1:-1, 1:-1]
        y[1:-1, 1:-1, 1:-1] = 0.125 * (
            x[2:, 1:-1, 1:-1] + x[:-2, 1:-1, 1:-1] + x[1:-1, 2:, 1:-1] + x[1:-1, :-2, 1:-1]
            + x[1:-1, 1:-1, 2:] + x[1:-1, 1:-1, :-2] - 6 * m) + m
    return {"a": d.a, "b": d.b}


def both(kernel: Any) -> Any:
    """Return steps from a to b and back over the inner part."""
    def steps(d: Operands) -> list[Step]:
        space = tuple(s - 2 for s in d.a.shape)
        return [Step(kernel, space, d.a, d.b), Step(kernel, space, d.b, d.a)]
    return steps


def nb_both(function: Any) -> Any:
    def compute(d: Operands) -> None:
        function(d.a, d.b)
        function(d.b, d.a)
    return compute


HEAT_3D = Entry("heat_3d", lambda n: arrays(a=(n, n, n), b=(n, n, n)), 120, 8,
                {"": both(heat_3d)}, ref_heat_3d, ROUNDING64, SUMS, numba=nb_both(nb_heat_3d),
                opencl=True, taichi="heat_3d", warp="heat_3d")


@sycl.kernel
def jacobi_1d(at: Any, a: Any, b: Any) -> None:
    i = at + 1
    b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])


@sycl.kernel
def jacobi_2d(it: Any, a: Any, b: Any) -> None:
    i, j = it[0] + 1, it[1] + 1
    b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])


@sycl.kernel
def jacobi_2d_guarded(it: Any, a: Any, b: Any) -> None:
    i, j = it[0], it[1]
    if 0 < i < a.shape[0] - 1 and 0 < j < a.shape[1] - 1:
        b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])


@parallel
def nb_jacobi_1d(a: Any, b: Any) -> None:
    for i in prange(len(a) - 2):  # from 0: else Numba asks whether i - 1 is negative
        b[i + 1] = 0.33333 * (a[i] + a[i + 1] + a[i + 2])


@parallel
def nb_jacobi_2d(a: Any, b: Any) -> None:
    for i in prange(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])


def ref_jacobi_1d(d: Operands) -> dict[str, Any]:
    for x, y in ((d.a, d.b), (d.b, d.a)):
        y[1:-1] = 0.33333 * (x[:-2] + x[1:-1] + x[2:])
    return {"a": d.a, "b": d.b}


def ref_jacobi_2d(d: Operands) -> dict[str, Any]:
    for x, y in ((d.a, d.b), (d.b, d.a)):
        y[1:-1, 1:-1] = 0.2 * (x[1:-1, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] + x[2:, 1:-1]
                               + x[:-2, 1:-1])
    return {"a": d.a, "b": d.b}


JACOBI_1D = Entry("jacobi_1d", lambda n: arrays(a=n, b=n), 1 << 20, 500,
                  {"": both(jacobi_1d)}, ref_jacobi_1d, ROUNDING64, SUMS,
                  numba=nb_both(nb_jacobi_1d), opencl=True)
JACOBI_2D = Entry(
    "jacobi_2d", lambda n: arrays(a=(n, n), b=(n, n)), 1000, 21,
    {"": both(jacobi_2d),
     "guarded": lambda d: [Step(jacobi_2d_guarded, d.a.shape, d.a, d.b),
                           Step(jacobi_2d_guarded, d.a.shape, d.b, d.a)]},
    ref_jacobi_2d, ROUNDING64, SUMS, numba=nb_both(nb_jacobi_2d), opencl=True,
    twin=("", "guarded"), taichi="jacobi_2d", warp="jacobi_2d")


@sycl.kernel
def floyd_warshall(it: Any, paths: Any, k: Any) -> None:
    i, j = it[0], it[1]
    through = paths[i, k] + paths[k, j]
    paths[i, j] = min(through, paths[i, j])


@parallel
def nb_floyd_warshall(paths: Any) -> None:
    for k in range(len(paths)):
        for i in prange(len(paths)):
            for j in range(len(paths)):
                through = paths[i, k] + paths[k, j]
                paths[i, j] = min(through, paths[i, j])


def ref_floyd(d: Operands) -> dict[str, Any]:
    for k in range(d.n):
        np.minimum(d.paths, d.paths[:, k, None] + d.paths[k], out=d.paths)
    return {"paths": d.paths}


def make_floyd(n: int) -> Operands:
    d = arrays(paths=(n, n))
    d.n = n
    return d


FLOYD_WARSHALL = Entry(
    "floyd_warshall", make_floyd, 160, 12,
    {"": lambda d: [Step(floyd_warshall, d.paths.shape, d.paths, k) for k in range(d.n)]},
    ref_floyd, numba=lambda d: nb_floyd_warshall(d.paths), opencl=True)


# covariance: sums in memory, and of a name


@sycl.kernel
def covariance(it: Any, out: Any, data: Any, mean: Any, n: Any) -> None:
    i, j = it[0], it[1]
    out[i, j] = 0.0
    for k in range(n):
        out[i, j] += (data[k, i] - mean[i]) * (data[k, j] - mean[j])
    out[i, j] /= n - 1.0


@sycl.kernel
def covariance_local(it: Any, out: Any, data: Any, mean: Any, n: Any) -> None:
    i, j = it[0], it[1]
    total = 0.0
    for k in range(n):
        total += (data[k, i] - mean[i]) * (data[k, j] - mean[j])
    out[i, j] = total / (n - 1.0)


@parallel
def nb_covariance(out: Any, data: Any, mean: Any, n: Any) -> None:
    for i in prange(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = 0.0
        for k in range(n):
            v = data[k, i] - mean[i]
            for j in range(out.shape[1]):
                out[i, j] += v * (data[k, j] - mean[j])
        for j in range(out.shape[1]):
            out[i, j] /= n - 1.0


def make_covariance(n: int) -> Operands:
    d = arrays(data=(n, n), out=(n, n))
    d.n, d.mean = n, d.data.mean(0)
    return d


COVARIANCE = Entry(
    "covariance", make_covariance, 240, 17,
    {"": lambda d: [Step(covariance, d.out.shape, d.out, d.data, d.mean, d.n)],
     "local sum": lambda d: [Step(covariance_local, d.out.shape, d.out, d.data, d.mean, d.n)]},
    lambda d: {"out": np.cov(d.data.T)}, ROUNDING64, SUMS,
    numba=lambda d: nb_covariance(d.out, d.data, d.mean, d.n), opencl=True)

ENTRIES = [GEMM, TWO_MM, ATAX, MVT, GESUMMV, GEMVER, ADI, FDTD_2D, HEAT_3D, JACOBI_1D, JACOBI_2D,
           FLOYD_WARSHALL, COVARIANCE]

if __name__ == "__main__":
    show(ENTRIES)
