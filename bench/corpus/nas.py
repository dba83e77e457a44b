"""NAS: conjugate gradients, pairs of random numbers, ranking of keys, a multigrid residual."""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    ROUNDING64,
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

GROUP = 256
TURNS = 8

# cg: some iterations on a sparse matrix, one kernel for each of its vector operations


@sycl.kernel
def cg_multiply(row: Any, starts: Any, columns: Any, values: Any, p: Any, q: Any) -> None:
    total = 0.0
    for k in range(starts[row], starts[row + 1]):
        total += values[k] * p[columns[k]]
    q[row] = total


@sycl.kernel
def cg_dot(i: Any, out: Any, a: Any, b: Any) -> None:
    out += a[i] * b[i]


@sycl.kernel
def cg_step(i: Any, z: Any, r: Any, p: Any, q: Any, rho: Any, pq: Any) -> None:
    alpha = rho[0] / pq[0]
    z[i] += alpha * p[i]
    r[i] -= alpha * q[i]


@sycl.kernel
def cg_direction(i: Any, p: Any, r: Any, rho: Any, rho0: Any) -> None:
    p[i] = r[i] + rho[0] / rho0[0] * p[i]


@sycl.kernel
def cg_start(i: Any, z: Any, r: Any, p: Any, x: Any) -> None:
    z[i] = 0.0
    r[i] = x[i]
    p[i] = x[i]


@parallel
def nb_cg(starts: Any, columns: Any, values: Any, x: Any, z: Any, r: Any, p: Any, q: Any,
          turns: Any) -> None:
    n = len(x)
    rho = 0.0
    for i in prange(n):
        z[i] = 0.0
        r[i] = x[i]
        p[i] = x[i]
        rho += x[i] * x[i]
    for _ in range(turns):
        pq = 0.0
        for row in prange(n):
            total = 0.0
            for k in range(starts[row], starts[row + 1]):
                total += values[k] * p[columns[k]]
            q[row] = total
            pq += total * p[row]
        alpha = rho / pq
        rho0, rho = rho, 0.0
        for i in prange(n):
            z[i] += alpha * p[i]
            r[i] -= alpha * q[i]
            rho += r[i] * r[i]
        beta = rho / rho0
        for i in prange(n):
            p[i] = r[i] + beta * p[i]


def make_cg(size: tuple[int, int]) -> Operands:
    n, each = size
    random = np.random.default_rng(1)
    columns = np.sort(random.integers(0, n, (n, each)), axis=1).astype(np.int32)
    values = random.random((n, each)) * 0.01
    values[:, 0] = 5
    columns[:, 0] = np.arange(n)
    return Namespace(n=n, starts=np.arange(0, n * each + 1, each, dtype=np.int32),
                     columns=columns.ravel(), values=values.ravel(), x=random.random(n),
                     **{k: np.zeros(n) for k in "zrpq"},
                     rho=[np.zeros(1) for _ in range(2)], pq=np.zeros(1), parts=np.zeros(64),
                     rho0=np.zeros(1), rho1=np.zeros(1))


def steps_cg(d: Operands) -> list[Step]:
    rho = (d.rho0, d.rho1)
    steps = [Step(cg_start, d.n, d.z, d.r, d.p, d.x),
             Step(cg_dot, d.n, d.r, d.r, reductions=[(d.rho0, "plus")])]
    for t in range(TURNS):
        now, then = rho[t % 2], rho[(t + 1) % 2]
        steps += [Step(cg_multiply, d.n, d.starts, d.columns, d.values, d.p, d.q),
                  Step(cg_dot, d.n, d.p, d.q, reductions=[(d.pq, "plus")]),
                  Step(cg_step, d.n, d.z, d.r, d.p, d.q, now, d.pq),
                  Step(cg_dot, d.n, d.r, d.r, reductions=[(then, "plus")]),
                  Step(cg_direction, d.n, d.p, d.r, then, now)]
    return steps


def cl_cg(d: Operands) -> list[Step]:
    out: list[Step] = []
    for step in steps_cg(d):
        if step.reductions:
            out += [Step("cg_dot", Nd((64 * GROUP,), (GROUP,)), d.parts, *step.args, d.n),
                    Step("finish", 1, d.parts, step.reductions[0][0])]
        else:
            out.append(step)
    return out


def ref_cg(d: Operands) -> dict[str, Any]:
    def multiply(v: Any) -> Any:
        return (d.values * v[d.columns]).reshape(d.n, -1).sum(1)

    z, r = np.zeros(d.n), d.x
    p, rho = r, r @ r
    for _ in range(TURNS):
        q = multiply(p)
        alpha = rho / (p @ q)
        z, r = z + alpha * p, r - alpha * q
        rho0, rho = rho, r @ r
        p = r + rho / rho0 * p
    return {"z": z}


CG = Entry("cg", make_cg, (14000, 64), (200, 6), {"": steps_cg}, ref_cg, 1e-10,
           "float64 sums in another order, through eight iterations",
           numba=lambda d: nb_cg(d.starts, d.columns, d.values, d.x, d.z, d.r, d.p, d.q, TURNS),
           opencl=cl_cg)


# ep: Gaussian pairs from NAS's generator, x -> 5**13 x modulo 2**46, in integers

MASK = np.uint64((1 << 46) - 1)
FACTOR = np.uint64(5**13)
SCALE = np.float64(2.0**-46)


@inner
def power_of(k: Any) -> Any:
    """Return the generator's state k steps after its seed."""
    out, base = np.uint64(271828183), FACTOR
    while k > 0:
        if k & 1:
            out = (out * base) & MASK
        base = (base * base) & MASK
        k >>= 1
    return out


@sycl.kernel
def ep(it: Any, counts: Any, sums: Any, pairs: Any) -> None:
    i, group = it.get_global_id(0), it.get_group()
    mine = sycl.private_array(np.int32, 10)
    for b in range(10):
        mine[b] = 0
    sx, sy = 0.0, 0.0
    state = power_of(2 * i * pairs)
    for _ in range(pairs):
        state = (state * FACTOR) & MASK
        x = 2.0 * (np.float64(state) * SCALE) - 1.0
        state = (state * FACTOR) & MASK
        y = 2.0 * (np.float64(state) * SCALE) - 1.0
        t = x * x + y * y
        if t <= 1.0:
            f = sycl.sqrt(-2.0 * sycl.log(t) / t)
            gx, gy = x * f, y * f
            mine[int(max(sycl.fabs(gx), sycl.fabs(gy)))] += 1
            sx += gx
            sy += gy
    for b in range(10):
        total = sycl.reduce_over_group(group, mine[b], sycl.plus)
        if group.leader():
            counts[it.get_group(0), b] = total
    sx = sycl.reduce_over_group(group, sx, sycl.plus)
    sy = sycl.reduce_over_group(group, sy, sycl.plus)
    if group.leader():
        sums[it.get_group(0), 0] = sx
        sums[it.get_group(0), 1] = sy


@parallel
def nb_ep(counts: Any, sums: Any, pairs: Any, local: Any) -> None:
    for g in prange(len(counts)):
        mine = np.zeros(10, np.int32)
        sx, sy = 0.0, 0.0
        state = power_of(2 * g * local * pairs)
        for _ in range(pairs * local):
            state = (state * FACTOR) & MASK
            x = 2.0 * (np.float64(state) * SCALE) - 1.0
            state = (state * FACTOR) & MASK
            y = 2.0 * (np.float64(state) * SCALE) - 1.0
            t = x * x + y * y
            if t <= 1.0:
                f = np.sqrt(-2.0 * np.log(t) / t)
                gx, gy = x * f, y * f
                mine[int(max(abs(gx), abs(gy)))] += 1
                sx += gx
                sy += gy
        for b in range(10):
            counts[g, b] = mine[b]
        sums[g, 0] = sx
        sums[g, 1] = sy


def make_ep(size: tuple[int, int]) -> Operands:
    n, pairs = size
    local = min(64, n)
    return Namespace(counts=np.zeros((n // local, 10), np.int32), sums=np.zeros((n // local, 2)),
                     pairs=pairs, local=local, space=Nd((n,), (local,)))


def ref_ep(d: Operands) -> dict[str, Any]:
    with np.errstate(over="ignore"):
        getattr(nb_ep, "py_func", nb_ep)(d.counts, d.sums, d.pairs, d.local)
    return {"counts": d.counts, "sums": d.sums}


EP = Entry("ep", make_ep, (8192, 64), (8, 6),
           {"": lambda d: [Step(ep, d.space, d.counts, d.sums, d.pairs)]}, ref_ep, 1e-9,
           "logarithms within some ULP, sums in another order",
           numba=lambda d: nb_ep(d.counts, d.sums, d.pairs, d.local), opencl=True)


# is: ranks of keys by counting


@sycl.kernel
def is_clear(i: Any, counts: Any) -> None:
    counts[i] = 0


@sycl.kernel
def is_count(i: Any, counts: Any, keys: Any) -> None:
    sycl.atomic_ref(counts, keys[i], sycl.memory_order.relaxed,
                    sycl.memory_scope.device).fetch_add(1)


@sycl.kernel
def is_scan(it: Any, counts: Any, ranks: Any) -> None:
    n = counts.shape[0]
    sycl.joint_inclusive_scan(it.get_group(), counts[0:n], ranks[0:n], sycl.plus)


@parallel
def nb_is(counts: Any, ranks: Any, keys: Any) -> None:
    parts, n, m = 4, len(keys), len(counts)
    own = np.zeros((parts, m), np.int32)
    for p in prange(parts):
        for i in range(p * n // parts, (p + 1) * n // parts):
            own[p, keys[i]] += 1
    total = 0
    for b in range(m):
        here = 0
        for p in range(parts):
            here += own[p, b]
        counts[b] = here
        total += here
        ranks[b] = total


def make_is(size: tuple[int, int]) -> Operands:
    n, top = size
    random = np.random.default_rng(1)
    keys = (random.random((n, 4)).sum(1) * (top / 4)).astype(np.int32)
    return Namespace(n=n, keys=keys, counts=np.zeros(top, np.int32), ranks=np.zeros(top, np.int32),
                     top=top)


def ref_is(d: Operands) -> dict[str, Any]:
    counts = np.bincount(d.keys, minlength=d.top)
    return {"counts": counts, "ranks": np.cumsum(counts)}


IS = Entry("is", make_is, (1 << 20, 1 << 11), (500, 64),
           {"": lambda d: [Step(is_clear, d.top, d.counts), Step(is_count, d.n, d.counts, d.keys),
                           Step(is_scan, Nd((64,), (64,)), d.counts, d.ranks)]},
           ref_is, numba=lambda d: nb_is(d.counts, d.ranks, d.keys),
           opencl=lambda d: [Step("is_clear", d.top, d.counts),
                             Step("is_count", d.n, d.counts, d.keys),
                             Step("is_scan", 1, d.counts, d.ranks, d.top)])


# mg: the residual of a 27-point stencil with four coefficients


@sycl.kernel
def mg_resid(it: Any, u: Any, v: Any, r: Any, a0: Any, a2: Any, a3: Any) -> None:
    k, j, i = it[0] + 1, it[1] + 1, it[2] + 1
    edges = 0.0
    corners = 0.0
    for dk in (-1, 0, 1):
        for dj in (-1, 0, 1):
            for di in (-1, 0, 1):
                if abs(dk) + abs(dj) + abs(di) == 2:
                    edges += u[k + dk, j + dj, i + di]
                if abs(dk) + abs(dj) + abs(di) == 3:
                    corners += u[k + dk, j + dj, i + di]
    r[k, j, i] = v[k, j, i] - a0 * u[k, j, i] - a2 * edges - a3 * corners


@parallel
def nb_mg_resid(u: Any, v: Any, r: Any, a0: Any, a2: Any, a3: Any) -> None:
    n = len(u)
    for k in prange(1, n - 1):
        u1, u2 = np.empty(n), np.empty(n)
        for j in range(1, n - 1):
            for i in range(n):
                u1[i] = u[k, j - 1, i] + u[k, j + 1, i] + u[k - 1, j, i] + u[k + 1, j, i]
                u2[i] = (u[k - 1, j - 1, i] + u[k - 1, j + 1, i] + u[k + 1, j - 1, i]
                         + u[k + 1, j + 1, i])
            for i in range(1, n - 1):
                r[k, j, i] = (v[k, j, i] - a0 * u[k, j, i] - a2 * (u2[i] + u1[i - 1] + u1[i + 1])
                              - a3 * (u2[i - 1] + u2[i + 1]))


def make_mg(n: int) -> Operands:
    random = np.random.default_rng(1)
    return Namespace(u=random.random((n, n, n)), v=random.random((n, n, n)), r=np.zeros((n, n, n)),
                     a=(np.float64(-8 / 3), np.float64(1 / 6), np.float64(1 / 12)))


def ref_mg(d: Operands) -> dict[str, Any]:
    n = len(d.u)
    sums = dict.fromkeys(range(4), 0.0)
    for offset in np.ndindex(3, 3, 3):
        part = d.u[tuple(slice(o, n - 2 + o) for o in offset)]
        sums[int(np.abs(np.array(offset) - 1).sum())] += part
    a0, a2, a3 = d.a
    d.r[1:-1, 1:-1, 1:-1] = (d.v[1:-1, 1:-1, 1:-1] - a0 * sums[0] - a2 * sums[2] - a3 * sums[3])
    return {"r": d.r}


MG = Entry("mg_resid", make_mg, 130, 8,
           {"": lambda d: [Step(mg_resid, (len(d.u) - 2,) * 3, d.u, d.v, d.r, *d.a)]}, ref_mg,
           ROUNDING64, "float64 sums in another order",
           numba=lambda d: nb_mg_resid(d.u, d.v, d.r, *d.a), opencl=True)

ENTRIES = [CG, EP, IS, MG]

if __name__ == "__main__":
    show(ENTRIES)
