"""RAJAPerf's LCALS group: the Livermore loops that run in parallel."""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.basic import vectors
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

FUSED = "sums of some float64 products, which may be fused"

# diff_predict and int_predict: columns far apart in one array


@sycl.kernel
def diff_predict(i: Any, px: Any, cx: Any, offset: Any) -> None:
    ar = cx[i + offset * 4]
    br = ar - px[i + offset * 4]
    px[i + offset * 4] = ar
    cr = br - px[i + offset * 5]
    px[i + offset * 5] = br
    ar = cr - px[i + offset * 6]
    px[i + offset * 6] = cr
    br = ar - px[i + offset * 7]
    px[i + offset * 7] = ar
    cr = br - px[i + offset * 8]
    px[i + offset * 8] = br
    ar = cr - px[i + offset * 9]
    px[i + offset * 9] = cr
    br = ar - px[i + offset * 10]
    px[i + offset * 10] = ar
    cr = br - px[i + offset * 11]
    px[i + offset * 11] = br
    px[i + offset * 13] = cr - px[i + offset * 12]
    px[i + offset * 12] = cr


@sycl.kernel
def diff_predict_loop(i: Any, px: Any, cx: Any) -> None:
    new = cx[4, i]
    for k in range(4, 13):
        old = px[k, i]
        px[k, i] = new
        new = new - old
    px[13, i] = new


@parallel
def nb_diff_predict(px: Any, cx: Any) -> None:
    for i in prange(px.shape[1]):
        new = cx[4, i]
        for k in range(4, 13):
            old = px[k, i]
            px[k, i] = new
            new = new - old
        px[13, i] = new


def make_columns(n: int) -> Operands:
    random = np.random.default_rng(1)
    return Namespace(n=n, px=random.random((14, n)), cx=random.random((14, n)))


def ref_diff(d: Operands) -> dict[str, Any]:
    px, new = d.px.copy(), d.cx[4]
    for k in range(4, 13):
        px[k], new = new, new - d.px[k]
    px[13] = new
    return {"px": px}


DIFF_PREDICT = Entry(
    "diff_predict", make_columns, 1 << 17, 300,
    {"": lambda d: [Step(diff_predict, d.n, d.px.reshape(-1), d.cx.reshape(-1), d.n)],
     "rows": lambda d: [Step(diff_predict_loop, d.n, d.px, d.cx)]},
    ref_diff, ROUNDING64, "differences of differences",
    numba=lambda d: nb_diff_predict(d.px, d.cx),
    opencl=lambda d: [Step("diff_predict", d.n, d.px, d.cx, d.n)])

WEIGHTS = tuple(np.float64(0.1 * k - 0.35) for k in range(8))


@sycl.kernel
def int_predict(i: Any, px: Any, offset: Any, dm22: Any, dm23: Any, dm24: Any, dm25: Any,
                dm26: Any, dm27: Any, dm28: Any, c0: Any) -> None:
    px[i] = (dm28 * px[i + offset * 12] + dm27 * px[i + offset * 11] + dm26 * px[i + offset * 10]
             + dm25 * px[i + offset * 9] + dm24 * px[i + offset * 8] + dm23 * px[i + offset * 7]
             + dm22 * px[i + offset * 6] + c0 * (px[i + offset * 4] + px[i + offset * 5])
             + px[i + offset * 2])


@parallel
def nb_int_predict(px: Any, dm22: Any, dm23: Any, dm24: Any, dm25: Any, dm26: Any, dm27: Any,
                   dm28: Any, c0: Any) -> None:
    for i in prange(px.shape[1]):
        px[0, i] = (dm28 * px[12, i] + dm27 * px[11, i] + dm26 * px[10, i] + dm25 * px[9, i]
                    + dm24 * px[8, i] + dm23 * px[7, i] + dm22 * px[6, i]
                    + c0 * (px[4, i] + px[5, i]) + px[2, i])


def ref_int(d: Operands) -> dict[str, Any]:
    px = d.px.copy()
    px[0] = (WEIGHTS[7] * (px[4] + px[5]) + px[2]
             + sum(w * px[6 + k] for k, w in enumerate(WEIGHTS[:7])))
    return {"px": px}


INT_PREDICT = Entry(
    "int_predict", make_columns, 1 << 17, 300,
    {"": lambda d: [Step(int_predict, d.n, d.px.reshape(-1), d.n, *WEIGHTS)]},
    ref_int, ROUNDING64, FUSED, numba=lambda d: nb_int_predict(d.px, *WEIGHTS),
    opencl=lambda d: [Step("int_predict", d.n, d.px, d.n, *WEIGHTS)])


# eos, hydro_1d, first_diff, first_sum, tridiag_elim: neighbours in one dimension


@sycl.kernel
def eos(i: Any, x: Any, y: Any, z: Any, u: Any, q: Any, r: Any, t: Any) -> None:
    x[i] = (u[i] + r * (z[i] + r * y[i])
            + t * (u[i + 3] + r * (u[i + 2] + r * u[i + 1])
                   + t * (u[i + 6] + q * (u[i + 5] + q * u[i + 4]))))


@parallel
def nb_eos(x: Any, y: Any, z: Any, u: Any, q: Any, r: Any, t: Any) -> None:
    for i in prange(len(x)):
        x[i] = (u[i] + r * (z[i] + r * y[i])
                + t * (u[i + 3] + r * (u[i + 2] + r * u[i + 1])
                       + t * (u[i + 6] + q * (u[i + 5] + q * u[i + 4]))))


def numbers(names: str) -> dict[str, Any]:
    """Return some float64 constants under these names."""
    return {name: np.float64(0.3 + 0.1 * k) for k, name in enumerate(names.split())}


def make_eos(n: int) -> Operands:
    d = vectors("x y z", n, **numbers("q r t"))
    d.u = np.random.default_rng(2).random(n + 11)
    return d


def ref_eos(d: Operands) -> dict[str, Any]:
    n, u, r, q = d.n, d.u, d.r, d.q
    return {"x": u[:n] + r * (d.z + r * d.y) + d.t * (
        u[3:n + 3] + r * (u[2:n + 2] + r * u[1:n + 1])
        + d.t * (u[6:n + 6] + q * (u[5:n + 5] + q * u[4:n + 4])))}


EOS = Entry("eos", make_eos, 1 << 20, 500,
            {"": lambda d: [Step(eos, d.n, d.x, d.y, d.z, d.u, d.q, d.r, d.t)]},
            ref_eos, ROUNDING64, FUSED,
            numba=lambda d: nb_eos(d.x, d.y, d.z, d.u, d.q, d.r, d.t), opencl=True)


@sycl.kernel
def hydro_1d(i: Any, x: Any, y: Any, z: Any, q: Any, r: Any, t: Any) -> None:
    x[i] = q + y[i] * (r * z[i + 10] + t * z[i + 11])


@sycl.kernel
def first_diff(i: Any, x: Any, z: Any) -> None:
    x[i] = z[i + 1] - z[i]


@sycl.kernel
def first_sum(i: Any, x: Any, z: Any) -> None:
    if i > 0:
        x[i] = z[i - 1] + z[i]


@sycl.kernel
def tridiag_elim(i: Any, x: Any, y: Any, z: Any, before: Any) -> None:
    if i > 0:
        x[i] = z[i] * (y[i] - before[i - 1])


@parallel
def nb_hydro_1d(x: Any, y: Any, z: Any, q: Any, r: Any, t: Any) -> None:
    for i in prange(len(x)):
        x[i] = q + y[i] * (r * z[i + 10] + t * z[i + 11])


@parallel
def nb_first_diff(x: Any, z: Any) -> None:
    for i in prange(len(x)):
        x[i] = z[i + 1] - z[i]


@parallel
def nb_first_sum(x: Any, z: Any) -> None:
    for i in prange(len(x) - 1):  # from 0: else Numba asks whether i - 1 is negative
        x[i + 1] = z[i] + z[i + 1]


@parallel
def nb_tridiag_elim(x: Any, y: Any, z: Any, before: Any) -> None:
    for i in prange(len(x) - 1):
        x[i + 1] = z[i + 1] * (y[i + 1] - before[i])


def make_line(n: int) -> Operands:
    d = vectors("x y before", n, **numbers("q r t"))
    d.z = np.random.default_rng(2).random(n + 12)
    return d


HYDRO_1D = Entry(
    "hydro_1d", make_line, 1 << 20, 500,
    {"": lambda d: [Step(hydro_1d, d.n, d.x, d.y, d.z, d.q, d.r, d.t)]},
    lambda d: {"x": d.q + d.y * (d.r * d.z[10:d.n + 10] + d.t * d.z[11:d.n + 11])},
    ROUNDING64, FUSED, numba=lambda d: nb_hydro_1d(d.x, d.y, d.z, d.q, d.r, d.t), opencl=True)

FIRST_DIFF = Entry(
    "first_diff", make_line, 1 << 20, 500, {"": lambda d: [Step(first_diff, d.n, d.x, d.z)]},
    lambda d: {"x": d.z[1:d.n + 1] - d.z[:d.n]}, numba=lambda d: nb_first_diff(d.x, d.z),
    opencl=True)

FIRST_SUM = Entry(
    "first_sum", make_line, 1 << 20, 500, {"": lambda d: [Step(first_sum, d.n, d.x, d.z)]},
    lambda d: {"x": np.append(d.x[0], d.z[:d.n - 1] + d.z[1:d.n])},
    numba=lambda d: nb_first_sum(d.x, d.z), opencl=True)

TRIDIAG_ELIM = Entry(
    "tridiag_elim", make_line, 1 << 20, 500,
    {"": lambda d: [Step(tridiag_elim, d.n, d.x, d.y, d.z, d.before)]},
    lambda d: {"x": np.append(d.x[0], d.z[1:d.n] * (d.y[1:] - d.before[:-1]))},
    ROUNDING64, FUSED, numba=lambda d: nb_tridiag_elim(d.x, d.y, d.z, d.before), opencl=True)


# first_min: the least and where it is


@sycl.kernel
def first_min(i: Any, least: Any, x: Any) -> None:
    least.combine(x[i])


@sycl.kernel
def first_where(i: Any, at: Any, x: Any, least: Any) -> None:
    if x[i] == least[0]:
        at.combine(i)


@parallel
def nb_first_min(x: Any, value: Any, at: Any) -> None:
    parts, n = 8, len(x)
    values, where = np.zeros(parts), np.zeros(parts, np.int64)
    for p in prange(parts):
        first = p * n // parts
        best, k = x[first], first
        for i in range(first, (p + 1) * n // parts):
            if x[i] < best:
                best, k = x[i], i
        values[p], where[p] = best, k
    p = np.argmin(values)
    value[0], at[0] = values[p], where[p]


FIRST_MIN = Entry(
    "first_min", lambda n: vectors("x", n, value=np.zeros(1), at=np.zeros(1, np.int64)), 1 << 20,
    500,
    {"": lambda d: [Step(first_min, d.n, d.x, reductions=[(d.value, "minimum")]),
                    Step(first_where, d.n, d.x, d.value, reductions=[(d.at, "minimum")])]},
    lambda d: {"value": [d.x.min()], "at": [d.x.argmin()]},
    numba=lambda d: nb_first_min(d.x, d.value, d.at))


# gen_lin_recur: one launch for each of two sweeps


@sycl.kernel
def gen_lin_recur(k: Any, b5: Any, stb5: Any, sa: Any, sb: Any) -> None:
    b5[k] = sa[k] + stb5[k] * sb[k]
    stb5[k] = b5[k] - stb5[k]


@sycl.kernel
def gen_lin_back(i: Any, b5: Any, stb5: Any, sa: Any, sb: Any, n: Any) -> None:
    k = n - 1 - i
    b5[k] = sa[k] + stb5[k] * sb[k]
    stb5[k] = b5[k] - stb5[k]


@parallel
def nb_gen_lin_recur(b5: Any, stb5: Any, sa: Any, sb: Any) -> None:
    n = len(b5)
    for k in prange(n):
        b5[k] = sa[k] + stb5[k] * sb[k]
        stb5[k] = b5[k] - stb5[k]
    for i in prange(n):
        k = n - 1 - i
        b5[k] = sa[k] + stb5[k] * sb[k]
        stb5[k] = b5[k] - stb5[k]


def ref_recur(d: Operands) -> dict[str, Any]:
    b5, st = d.b5, d.stb5
    for _ in range(2):
        b5 = d.sa + st * d.sb
        st = b5 - st
    return {"b5": b5, "stb5": st}


GEN_LIN_RECUR = Entry(
    "gen_lin_recur", lambda n: vectors("b5 stb5 sa sb", n), 1 << 20, 500,
    {"": lambda d: [Step(gen_lin_recur, d.n, d.b5, d.stb5, d.sa, d.sb),
                    Step(gen_lin_back, d.n, d.b5, d.stb5, d.sa, d.sb, d.n)]},
    ref_recur, ROUNDING64, FUSED, numba=lambda d: nb_gen_lin_recur(d.b5, d.stb5, d.sa, d.sb),
    opencl=True)


# hydro_2d: three sweeps over the inner part of a grid


@sycl.kernel
def hydro_2d_1(it: Any, za: Any, zb: Any, zp: Any, zq: Any, zr: Any, zm: Any) -> None:
    k, j = it[0] + 1, it[1] + 1
    za[k, j] = ((zp[k + 1, j - 1] + zq[k + 1, j - 1] - zp[k, j - 1] - zq[k, j - 1])
                * (zr[k, j] + zr[k, j - 1]) / (zm[k, j - 1] + zm[k + 1, j - 1]))
    zb[k, j] = ((zp[k, j - 1] + zq[k, j - 1] - zp[k, j] - zq[k, j])
                * (zr[k, j] + zr[k - 1, j]) / (zm[k, j] + zm[k, j - 1]))


@sycl.kernel
def hydro_2d_2(it: Any, zu: Any, zv: Any, za: Any, zb: Any, zz: Any, zr: Any, s: Any) -> None:
    k, j = it[0] + 1, it[1] + 1
    zu[k, j] += s * (za[k, j] * (zz[k, j] - zz[k, j + 1])
                     - za[k, j - 1] * (zz[k, j] - zz[k, j - 1])
                     - zb[k, j] * (zz[k, j] - zz[k - 1, j])
                     + zb[k + 1, j] * (zz[k, j] - zz[k + 1, j]))
    zv[k, j] += s * (za[k, j] * (zr[k, j] - zr[k, j + 1])
                     - za[k, j - 1] * (zr[k, j] - zr[k, j - 1])
                     - zb[k, j] * (zr[k, j] - zr[k - 1, j])
                     + zb[k + 1, j] * (zr[k, j] - zr[k + 1, j]))


@sycl.kernel
def hydro_2d_3(it: Any, zrout: Any, zzout: Any, zr: Any, zz: Any, zu: Any, zv: Any, t: Any
               ) -> None:
    k, j = it[0] + 1, it[1] + 1
    zrout[k, j] = zr[k, j] + t * zu[k, j]
    zzout[k, j] = zz[k, j] + t * zv[k, j]


@parallel
def nb_hydro_2d(za: Any, zb: Any, zp: Any, zq: Any, zr: Any, zm: Any, zu: Any, zv: Any, zz: Any,
                zrout: Any, zzout: Any, s: Any, t: Any) -> None:
    kn, jn = za.shape
    for k in prange(1, kn - 1):
        for j in range(1, jn - 1):
            za[k, j] = ((zp[k + 1, j - 1] + zq[k + 1, j - 1] - zp[k, j - 1] - zq[k, j - 1])
                        * (zr[k, j] + zr[k, j - 1]) / (zm[k, j - 1] + zm[k + 1, j - 1]))
            zb[k, j] = ((zp[k, j - 1] + zq[k, j - 1] - zp[k, j] - zq[k, j])
                        * (zr[k, j] + zr[k - 1, j]) / (zm[k, j] + zm[k, j - 1]))
    for k in prange(1, kn - 1):
        for j in range(1, jn - 1):
            zu[k, j] += s * (za[k, j] * (zz[k, j] - zz[k, j + 1])
                             - za[k, j - 1] * (zz[k, j] - zz[k, j - 1])
                             - zb[k, j] * (zz[k, j] - zz[k - 1, j])
                             + zb[k + 1, j] * (zz[k, j] - zz[k + 1, j]))
            zv[k, j] += s * (za[k, j] * (zr[k, j] - zr[k, j + 1])
                             - za[k, j - 1] * (zr[k, j] - zr[k, j - 1])
                             - zb[k, j] * (zr[k, j] - zr[k - 1, j])
                             + zb[k + 1, j] * (zr[k, j] - zr[k + 1, j]))
    for k in prange(1, kn - 1):
        for j in range(1, jn - 1):
            zrout[k, j] = zr[k, j] + t * zu[k, j]
            zzout[k, j] = zz[k, j] + t * zv[k, j]


GRIDS = "za zb zp zq zr zm zu zv zz zrout zzout"


def make_hydro(n: int) -> Operands:
    random = np.random.default_rng(1)
    grids = {name: random.uniform(0.5, 1, (n, n)) for name in GRIDS.split()}
    return Namespace(space=(n - 2, n - 2), s=np.float64(0.0041), t=np.float64(0.0037), **grids)


def steps_hydro(d: Operands) -> list[Step]:
    return [Step(hydro_2d_1, d.space, d.za, d.zb, d.zp, d.zq, d.zr, d.zm),
            Step(hydro_2d_2, d.space, d.zu, d.zv, d.za, d.zb, d.zz, d.zr, d.s),
            Step(hydro_2d_3, d.space, d.zrout, d.zzout, d.zr, d.zz, d.zu, d.zv, d.t)]


def ref_hydro(d: Operands) -> dict[str, Any]:
    n = d.za.shape[0]

    def at(a: Any, k: int = 0, j: int = 0) -> Any:
        return a[1 + k:n - 1 + k, 1 + j:n - 1 + j]

    za, zb, zu, zv = d.za.copy(), d.zb.copy(), d.zu.copy(), d.zv.copy()
    pq = d.zp + d.zq
    at(za)[:] = ((at(pq, 1, -1) - at(pq, 0, -1)) * (at(d.zr) + at(d.zr, 0, -1))
                 / (at(d.zm, 0, -1) + at(d.zm, 1, -1)))
    at(zb)[:] = ((at(pq, 0, -1) - at(pq)) * (at(d.zr) + at(d.zr, -1))
                 / (at(d.zm) + at(d.zm, 0, -1)))
    for out, z in ((zu, d.zz), (zv, d.zr)):
        at(out)[:] += d.s * (at(za) * (at(z) - at(z, 0, 1)) - at(za, 0, -1) * (at(z) - at(z, 0, -1))
                             - at(zb) * (at(z) - at(z, -1)) + at(zb, 1) * (at(z) - at(z, 1)))
    at(d.zrout)[:] = at(d.zr) + d.t * at(zu)
    at(d.zzout)[:] = at(d.zz) + d.t * at(zv)
    return {"zrout": d.zrout, "zzout": d.zzout, "za": za, "zb": zb}


HYDRO_2D = Entry(
    "hydro_2d", make_hydro, 514, 20, {"": steps_hydro}, ref_hydro, ROUNDING64, FUSED,
    numba=lambda d: nb_hydro_2d(d.za, d.zb, d.zp, d.zq, d.zr, d.zm, d.zu, d.zv, d.zz, d.zrout,
                                d.zzout, d.s, d.t), opencl=True)


# planckian: an exponential


@sycl.kernel
def planckian(i: Any, x: Any, y: Any, u: Any, v: Any, w: Any) -> None:
    y[i] = u[i] / v[i]
    w[i] = x[i] / (sycl.exp(y[i]) - 1.0)


@parallel
def nb_planckian(x: Any, y: Any, u: Any, v: Any, w: Any) -> None:
    for i in prange(len(x)):
        y[i] = u[i] / v[i]
        w[i] = x[i] / (np.exp(y[i]) - 1.0)


PLANCKIAN = Entry(
    "planckian", lambda n: vectors("x y u v w", n, 0.2), 1 << 19, 500,
    {"": lambda d: [Step(planckian, d.n, d.x, d.y, d.u, d.v, d.w)]},
    lambda d: {"y": d.u / d.v, "w": d.x / (np.exp(d.u / d.v) - 1)}, 1e-13,
    "an exponential within some ULP", numba=lambda d: nb_planckian(d.x, d.y, d.u, d.v, d.w),
    opencl=True)

ENTRIES = [DIFF_PREDICT, INT_PREDICT, EOS, HYDRO_1D, FIRST_DIFF, FIRST_SUM, TRIDIAG_ELIM, FIRST_MIN,
           GEN_LIN_RECUR, HYDRO_2D, PLANCKIAN]

if __name__ == "__main__":
    show(ENTRIES)
