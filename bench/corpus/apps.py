"""RAJAPerf's Apps group: kernels cut out of hydrodynamics, transport and finite elements."""

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
    inner,
    parallel,
    prange,
    show,
)

FUSED = "sums of some float64 products, which may be fused"
HALF, PTINY = np.float64(0.5), np.float64(1e-80)


def zones(n: int, *, dimensions: int = 2) -> Any:
    """Return the numbers of the nodes that are a zone's first corner, in a square or cube."""
    grid = np.arange(n**dimensions, dtype=np.int32).reshape((n,) * dimensions)
    return np.ascontiguousarray(grid[(slice(0, n - 1),) * dimensions].ravel())


# del_dot_vec_2d: through a list of zones, corners by offsets


@sycl.kernel
def del_dot_vec_2d(ii: Any, zone: Any, x: Any, y: Any, fx: Any, fy: Any, div: Any, jp: Any
                   ) -> None:
    i = zone[ii]
    c1, c2, c3, c4 = i + 1, i + 1 + jp, i + jp, i
    xi = HALF * (x[c1] + x[c2] - x[c3] - x[c4])
    xj = HALF * (x[c2] + x[c3] - x[c4] - x[c1])
    yi = HALF * (y[c1] + y[c2] - y[c3] - y[c4])
    yj = HALF * (y[c2] + y[c3] - y[c4] - y[c1])
    fxi = HALF * (fx[c1] + fx[c2] - fx[c3] - fx[c4])
    fxj = HALF * (fx[c2] + fx[c3] - fx[c4] - fx[c1])
    fyi = HALF * (fy[c1] + fy[c2] - fy[c3] - fy[c4])
    fyj = HALF * (fy[c2] + fy[c3] - fy[c4] - fy[c1])
    rarea = 1.0 / (xi * yj - xj * yi + PTINY)
    dfxdx = rarea * (fxi * yj - fxj * yi)
    dfydy = rarea * (fyj * xi - fyi * xj)
    affine = (fy[c1] + fy[c2] + fy[c3] + fy[c4]) / (y[c1] + y[c2] + y[c3] + y[c4])
    div[i] = dfxdx + dfydy + affine


@parallel
def nb_del_dot_vec_2d(zone: Any, x: Any, y: Any, fx: Any, fy: Any, div: Any, jp: Any) -> None:
    for ii in prange(len(zone)):
        c4 = zone[ii]
        c1, c2, c3 = c4 + 1, c4 + 1 + jp, c4 + jp
        xi = HALF * (x[c1] + x[c2] - x[c3] - x[c4])
        xj = HALF * (x[c2] + x[c3] - x[c4] - x[c1])
        yi = HALF * (y[c1] + y[c2] - y[c3] - y[c4])
        yj = HALF * (y[c2] + y[c3] - y[c4] - y[c1])
        fxi = HALF * (fx[c1] + fx[c2] - fx[c3] - fx[c4])
        fxj = HALF * (fx[c2] + fx[c3] - fx[c4] - fx[c1])
        fyi = HALF * (fy[c1] + fy[c2] - fy[c3] - fy[c4])
        fyj = HALF * (fy[c2] + fy[c3] - fy[c4] - fy[c1])
        rarea = 1.0 / (xi * yj - xj * yi + PTINY)
        affine = (fy[c1] + fy[c2] + fy[c3] + fy[c4]) / (y[c1] + y[c2] + y[c3] + y[c4])
        div[c4] = rarea * (fxi * yj - fxj * yi) + rarea * (fyj * xi - fyi * xj) + affine


def make_del_dot(n: int) -> Operands:
    random = np.random.default_rng(1)
    rows, columns = (v.ravel() for v in np.indices((n, n)))
    d = Namespace(jp=n, zone=zones(n), div=np.zeros(n * n))
    d.x = columns + random.uniform(1, 1.2, n * n)
    d.y = rows + random.uniform(1, 1.2, n * n)
    d.fx, d.fy = random.random(n * n), random.random(n * n)
    return d


def ref_del_dot(d: Operands) -> dict[str, Any]:
    c = d.zone

    def pair(v: Any) -> tuple[Any, Any, Any]:
        c1, c2, c3, c4 = v[c + 1], v[c + 1 + d.jp], v[c + d.jp], v[c]
        return (c1 + c2 - c3 - c4) / 2, (c2 + c3 - c4 - c1) / 2, c1 + c2 + c3 + c4

    (xi, xj, _), (yi, yj, ysum), (fxi, fxj, _), (fyi, fyj, fsum) = map(
        pair, (d.x, d.y, d.fx, d.fy))
    d.div[c] = (fxi * yj - fxj * yi + fyj * xi - fyi * xj) / (xi * yj - xj * yi) + fsum / ysum
    return {"div": d.div}


DEL_DOT_VEC_2D = Entry(
    "del_dot_vec_2d", make_del_dot, 1000, 20,
    {"": lambda d: [Step(del_dot_vec_2d, len(d.zone), d.zone, d.x, d.y, d.fx, d.fy, d.div, d.jp)]},
    ref_del_dot, 1e-11, "quotients of differences",
    numba=lambda d: nb_del_dot_vec_2d(d.zone, d.x, d.y, d.fx, d.fy, d.div, d.jp), opencl=True)


# energy and pressure: branches on signs and cut-offs


def sound(pbvc: Any, e: Any, v: Any, bvc: Any, p: Any, rho0: Any) -> Any:
    ssc = (pbvc * e + v * v * bvc * p) / rho0
    return 0.3333333e-18 if ssc <= 0.1111111e-36 else sycl.sqrt(ssc)


@sycl.kernel
def energy_1(i: Any, e_new: Any, e_old: Any, delvc: Any, p_old: Any, q_old: Any, work: Any) -> None:
    e_new[i] = e_old[i] - 0.5 * delvc[i] * (p_old[i] + q_old[i]) + 0.5 * work[i]


@sycl.kernel
def energy_2(i: Any, q_new: Any, delvc: Any, comp: Any, pbvc: Any, e_new: Any, bvc: Any, ph: Any,
             ql: Any, qq: Any, rho0: Any) -> None:
    if delvc[i] > 0.0:
        q_new[i] = 0.0
    else:
        vhalf = 1.0 / (1.0 + comp[i])
        q_new[i] = sound(pbvc[i], e_new[i], vhalf, bvc[i], ph[i], rho0) * ql[i] + qq[i]


@sycl.kernel
def energy_3(i: Any, e_new: Any, delvc: Any, p_old: Any, q_old: Any, ph: Any, q_new: Any, work: Any,
             e_cut: Any, emin: Any) -> None:
    e_new[i] = e_new[i] + 0.5 * delvc[i] * (3.0 * (p_old[i] + q_old[i]) - 4.0 * (ph[i] + q_new[i]))
    e_new[i] += 0.5 * work[i]
    if sycl.fabs(e_new[i]) < e_cut:
        e_new[i] = 0.0
    if e_new[i] < emin:
        e_new[i] = emin


@sycl.kernel
def energy_5(i: Any, e_new: Any, delvc: Any, p_old: Any, q_old: Any, ph: Any, q_new: Any,
             p_new: Any, vnewc: Any, pbvc: Any, bvc: Any, ql: Any, qq: Any, rho0: Any, e_cut: Any,
             emin: Any) -> None:
    if delvc[i] > 0.0:
        q_tilde = 0.0
    else:
        q_tilde = sound(pbvc[i], e_new[i], vnewc[i], bvc[i], p_new[i], rho0) * ql[i] + qq[i]
    e_new[i] = e_new[i] - (7.0 * (p_old[i] + q_old[i]) - 8.0 * (ph[i] + q_new[i])
                           + (p_new[i] + q_tilde)) * delvc[i] / 6.0
    if sycl.fabs(e_new[i]) < e_cut:
        e_new[i] = 0.0
    if e_new[i] < emin:
        e_new[i] = emin


@sycl.kernel
def energy_6(i: Any, q_new: Any, delvc: Any, vnewc: Any, pbvc: Any, e_new: Any, bvc: Any,
             p_new: Any, ql: Any, qq: Any, rho0: Any, q_cut: Any) -> None:
    if delvc[i] <= 0.0:
        q_new[i] = sound(pbvc[i], e_new[i], vnewc[i], bvc[i], p_new[i], rho0) * ql[i] + qq[i]
        if sycl.fabs(q_new[i]) < q_cut:
            q_new[i] = 0.0


@parallel
def nb_energy(e_new: Any, e_old: Any, delvc: Any, p_old: Any, q_old: Any, work: Any, q_new: Any,
              comp: Any, pbvc: Any, bvc: Any, ph: Any, ql: Any, qq: Any, p_new: Any, vnewc: Any,
              rho0: Any, e_cut: Any, q_cut: Any, emin: Any) -> None:
    for i in prange(len(e_new)):
        e = e_old[i] - 0.5 * delvc[i] * (p_old[i] + q_old[i]) + 0.5 * work[i]
        q = 0.0
        if delvc[i] <= 0.0:
            v = 1.0 / (1.0 + comp[i])
            s = (pbvc[i] * e + v * v * bvc[i] * ph[i]) / rho0
            s = 0.3333333e-18 if s <= 0.1111111e-36 else np.sqrt(s)
            q = s * ql[i] + qq[i]
        e += 0.5 * delvc[i] * (3.0 * (p_old[i] + q_old[i]) - 4.0 * (ph[i] + q)) + 0.5 * work[i]
        if abs(e) < e_cut:
            e = 0.0
        e = max(e, emin)
        t = 0.0
        if delvc[i] <= 0.0:
            s = (pbvc[i] * e + vnewc[i] * vnewc[i] * bvc[i] * p_new[i]) / rho0
            s = 0.3333333e-18 if s <= 0.1111111e-36 else np.sqrt(s)
            t = s * ql[i] + qq[i]
        e -= (7.0 * (p_old[i] + q_old[i]) - 8.0 * (ph[i] + q) + (p_new[i] + t)) * delvc[i] / 6.0
        if abs(e) < e_cut:
            e = 0.0
        e = max(e, emin)
        if delvc[i] <= 0.0:
            s = (pbvc[i] * e + vnewc[i] * vnewc[i] * bvc[i] * p_new[i]) / rho0
            s = 0.3333333e-18 if s <= 0.1111111e-36 else np.sqrt(s)
            q = s * ql[i] + qq[i]
            if abs(q) < q_cut:
                q = 0.0
        e_new[i] = e
        q_new[i] = q


def make_energy(n: int) -> Operands:
    f = np.float64
    d = vectors("e_new e_old p_old q_old work q_new comp pbvc bvc ph ql qq p_new vnewc", n,
                rho0=f(1.1), e_cut=f(0.01), q_cut=f(0.6), emin=f(-0.5))
    d.delvc = np.random.default_rng(2).uniform(-1, 1, n)
    return d


def steps_energy(d: Operands) -> list[Step]:
    return [Step(energy_1, d.n, d.e_new, d.e_old, d.delvc, d.p_old, d.q_old, d.work),
            Step(energy_2, d.n, d.q_new, d.delvc, d.comp, d.pbvc, d.e_new, d.bvc, d.ph, d.ql, d.qq,
                 d.rho0),
            Step(energy_3, d.n, d.e_new, d.delvc, d.p_old, d.q_old, d.ph, d.q_new, d.work, d.e_cut,
                 d.emin),
            Step(energy_5, d.n, d.e_new, d.delvc, d.p_old, d.q_old, d.ph, d.q_new, d.p_new,
                 d.vnewc, d.pbvc, d.bvc, d.ql, d.qq, d.rho0, d.e_cut, d.emin),
            Step(energy_6, d.n, d.q_new, d.delvc, d.vnewc, d.pbvc, d.e_new, d.bvc, d.p_new, d.ql,
                 d.qq, d.rho0, d.q_cut)]


def ref_energy(d: Operands) -> dict[str, Any]:
    sinks = d.delvc <= 0

    def viscosity(e: Any, v: Any, p: Any) -> Any:
        ssc = (d.pbvc * e + v * v * d.bvc * p) / d.rho0
        root = np.where(ssc <= 0.1111111e-36, 0.3333333e-18, np.sqrt(np.maximum(ssc, 0)))
        return np.where(sinks, root * d.ql + d.qq, 0)

    def cut(e: Any) -> Any:
        return np.maximum(np.where(np.abs(e) < d.e_cut, 0, e), d.emin)

    e = d.e_old - 0.5 * d.delvc * (d.p_old + d.q_old) + 0.5 * d.work
    q = viscosity(e, 1 / (1 + d.comp), d.ph)
    e = cut(e + 0.5 * d.delvc * (3 * (d.p_old + d.q_old) - 4 * (d.ph + q)) + 0.5 * d.work)
    t = viscosity(e, d.vnewc, d.p_new)
    e = cut(e - (7 * (d.p_old + d.q_old) - 8 * (d.ph + q) + d.p_new + t) * d.delvc / 6)
    q = np.where(sinks, viscosity(e, d.vnewc, d.p_new), q)
    return {"e_new": e, "q_new": np.where(sinks & (np.abs(q) < d.q_cut), 0, q)}


ENERGY = Entry(
    "energy", make_energy, 1 << 19, 500, {"": steps_energy}, ref_energy, ROUNDING64, FUSED,
    numba=lambda d: nb_energy(d.e_new, d.e_old, d.delvc, d.p_old, d.q_old, d.work, d.q_new, d.comp,
                              d.pbvc, d.bvc, d.ph, d.ql, d.qq, d.p_new, d.vnewc, d.rho0, d.e_cut,
                              d.q_cut, d.emin), opencl=True, outliers=0.0001)


@sycl.kernel
def pressure_1(i: Any, bvc: Any, compression: Any, cls: Any) -> None:
    bvc[i] = cls * (compression[i] + 1.0)


@sycl.kernel
def pressure_2(i: Any, p_new: Any, bvc: Any, e_old: Any, vnewc: Any, p_cut: Any, eosvmax: Any,
               pmin: Any) -> None:
    p_new[i] = bvc[i] * e_old[i]
    if sycl.fabs(p_new[i]) < p_cut:
        p_new[i] = 0.0
    if vnewc[i] >= eosvmax:
        p_new[i] = 0.0
    if p_new[i] < pmin:
        p_new[i] = pmin


@parallel
def nb_pressure(p_new: Any, bvc: Any, compression: Any, e_old: Any, vnewc: Any, cls: Any,
                p_cut: Any, eosvmax: Any, pmin: Any) -> None:
    for i in prange(len(p_new)):
        bvc[i] = cls * (compression[i] + 1.0)
        p = bvc[i] * e_old[i]
        if abs(p) < p_cut:
            p = 0.0
        if vnewc[i] >= eosvmax:
            p = 0.0
        p_new[i] = max(p, pmin)


def make_pressure(n: int) -> Operands:
    f = np.float64
    return vectors("p_new bvc compression e_old vnewc", n, -1, cls=f(2 / 3), p_cut=f(0.1),
                   eosvmax=f(0.8), pmin=f(-0.4))


def ref_pressure(d: Operands) -> dict[str, Any]:
    p = d.cls * (d.compression + 1) * d.e_old
    p = np.where((np.abs(p) < d.p_cut) | (d.vnewc >= d.eosvmax), 0, p)
    return {"p_new": np.maximum(p, d.pmin)}


PRESSURE = Entry(
    "pressure", make_pressure, 1 << 20, 500,
    {"": lambda d: [Step(pressure_1, d.n, d.bvc, d.compression, d.cls),
                    Step(pressure_2, d.n, d.p_new, d.bvc, d.e_old, d.vnewc, d.p_cut, d.eosvmax,
                         d.pmin)]},
    ref_pressure, ROUNDING64, FUSED,
    numba=lambda d: nb_pressure(d.p_new, d.bvc, d.compression, d.e_old, d.vnewc, d.cls, d.p_cut,
                                d.eosvmax, d.pmin), opencl=True)


# fir: a filter whose coefficients are a constant tuple, or an array

COEFFICIENTS = (3.0, -1.0, -1.0, -1.0, -1.0, 3.0, -1.0, -1.0, -1.0, -1.0, 3.0, -1.0, -1.0, -1.0,
                -1.0, 3.0)


@sycl.kernel
def fir(i: Any, out: Any, given: Any) -> None:
    total = 0.0
    for j in range(len(COEFFICIENTS)):
        total += COEFFICIENTS[j] * given[i + j]
    out[i] = total


@sycl.kernel
def fir_array(i: Any, out: Any, given: Any, coefficients: Any, length: Any) -> None:
    total = 0.0
    for j in range(length):
        total += coefficients[j] * given[i + j]
    out[i] = total


@parallel
def nb_fir(out: Any, given: Any, coefficients: Any) -> None:
    for i in prange(len(out)):
        total = 0.0
        for j in range(len(coefficients)):
            total += coefficients[j] * given[i + j]
        out[i] = total


FIR = Entry(
    "fir", lambda n: vectors("out", n, given=np.random.default_rng(2).random(n + 15),
                             c=np.array(COEFFICIENTS)), 1 << 19, 500,
    {"": lambda d: [Step(fir, d.n, d.out, d.given)],
     "array": lambda d: [Step(fir_array, d.n, d.out, d.given, d.c, len(d.c))]},
    lambda d: {"out": np.convolve(d.given, d.c[::-1], "valid")}, ROUNDING64, FUSED,
    numba=lambda d: nb_fir(d.out, d.given, d.c),
    opencl=lambda d: [Step("fir", d.n, d.out, d.given)])


# ltimes: a small product of matrices for each zone and group


@sycl.kernel
def ltimes(it: Any, phi: Any, ell: Any, psi: Any, num_d: Any) -> None:
    z, g, m = it[0], it[1], it[2]
    for d in range(num_d):
        phi[z, g, m] += ell[m, d] * psi[z, g, d]


@sycl.kernel
def ltimes_local(it: Any, phi: Any, ell: Any, psi: Any, num_d: Any) -> None:
    z, g, m = it[0], it[1], it[2]
    total = phi[z, g, m]
    for d in range(num_d):
        total += ell[m, d] * psi[z, g, d]
    phi[z, g, m] = total


@parallel
def nb_ltimes(phi: Any, ell: Any, psi: Any) -> None:
    for z in prange(phi.shape[0]):
        for g in range(phi.shape[1]):
            for m in range(phi.shape[2]):
                total = phi[z, g, m]
                for d in range(ell.shape[1]):
                    total += ell[m, d] * psi[z, g, d]
                phi[z, g, m] = total


def make_ltimes(n: int) -> Operands:
    random = np.random.default_rng(1)
    return Namespace(ell=random.random((25, 64)) - 0.5, psi=random.random((n, 32, 64)),
                     phi=np.zeros((n, 32, 25)), space=(n, 32, 25), num_d=64)


LTIMES = Entry(
    "ltimes", make_ltimes, 256, 2,
    {"": lambda d: [Step(ltimes, d.space, d.phi, d.ell, d.psi, d.num_d)],
     "local sum": lambda d: [Step(ltimes_local, d.space, d.phi, d.ell, d.psi, d.num_d)]},
    lambda d: {"phi": d.psi @ d.ell.T}, 1e-11, "float64 sums in another order",
    numba=lambda d: nb_ltimes(d.phi, d.ell, d.psi), opencl=True)


# vol3d, nodal and zonal accumulation, matvec_3d_stencil: eight or 27 neighbours by offsets


@sycl.kernel
def nodal_accumulation(ii: Any, x: Any, vol: Any, zone: Any, jp: Any, kp: Any) -> None:
    i = zone[ii]
    val = 0.125 * vol[i]
    for at in (i, i + 1, i + jp, i + 1 + jp, i + kp, i + 1 + kp, i + jp + kp, i + 1 + jp + kp):
        sycl.atomic_ref(x, at, sycl.memory_order.relaxed, sycl.memory_scope.device).fetch_add(val)


@sycl.kernel
def clear(i: Any, x: Any) -> None:
    x[i] = 0.0


@sycl.kernel
def zonal_accumulation(ii: Any, x: Any, vol: Any, zone: Any, jp: Any, kp: Any) -> None:
    i = zone[ii]
    vol[i] = 0.125 * (x[i] + x[i + 1] + x[i + 1 + jp] + x[i + jp] + x[i + kp] + x[i + 1 + kp]
                      + x[i + 1 + jp + kp] + x[i + jp + kp])


@inner
def from_zones(vol: Any, i: Any, j: Any, k: Any, n: Any) -> Any:
    total = 0.0
    for c in range(8):
        a, b, e = i - (c & 1), j - ((c >> 1) & 1), k - (c >> 2)
        if a >= 0 and b >= 0 and e >= 0 and a < n - 1 and b < n - 1 and e < n - 1:
            total += 0.125 * vol[a + b * n + e * n * n]
    return total


@parallel
def nb_nodal_accumulation(x: Any, vol: Any, n: Any) -> None:
    for k in prange(n):  # no atomics in Numba: each node gathers from the zones around it
        for j in range(n):
            for i in range(n):
                x[i + j * n + k * n * n] = from_zones(vol, i, j, k, n)


@parallel
def nb_zonal_accumulation(x: Any, vol: Any, zone: Any, jp: Any, kp: Any) -> None:
    for ii in prange(len(zone)):
        i = zone[ii]
        vol[i] = 0.125 * (x[i] + x[i + 1] + x[i + 1 + jp] + x[i + jp] + x[i + kp] + x[i + 1 + kp]
                          + x[i + 1 + jp + kp] + x[i + jp + kp])


def make_zones(n: int) -> Operands:
    return vectors("x vol", n**3, zone=zones(n, dimensions=3), jp=n, kp=n * n, side=n)


def corners(d: Operands) -> list[int]:
    return [a + b * d.jp + c * d.kp for c in (0, 1) for b in (0, 1) for a in (0, 1)]


def ref_nodal(d: Operands) -> dict[str, Any]:
    x = np.zeros_like(d.x)
    for offset in corners(d):
        x[d.zone + offset] += 0.125 * d.vol[d.zone]
    return {"x": x}


def ref_zonal(d: Operands) -> dict[str, Any]:
    d.vol[d.zone] = 0.125 * sum(d.x[d.zone + offset] for offset in corners(d))
    return {"vol": d.vol}


NODAL = Entry(
    "nodal_accumulation_3d", make_zones, 72, 7,
    {"": lambda d: [Step(clear, d.n, d.x),
                    Step(nodal_accumulation, len(d.zone), d.x, d.vol, d.zone, d.jp, d.kp)]},
    ref_nodal, ROUNDING64, "sums of eight in any order",
    numba=lambda d: nb_nodal_accumulation(d.x, d.vol, d.side))

ZONAL = Entry(
    "zonal_accumulation_3d", make_zones, 100, 7,
    {"": lambda d: [Step(zonal_accumulation, len(d.zone), d.x, d.vol, d.zone, d.jp, d.kp)]},
    ref_zonal, ROUNDING64, "sums of eight in any order",
    numba=lambda d: nb_zonal_accumulation(d.x, d.vol, d.zone, d.jp, d.kp), opencl=True)

ENTRIES = [DEL_DOT_VEC_2D, ENERGY, PRESSURE, FIR, LTIMES, NODAL, ZONAL]

if __name__ == "__main__":
    show(ENTRIES)
