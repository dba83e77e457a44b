"""Programs for any number of ranks, whose results one rank, NumPy or SciPy computes as well."""

from __future__ import annotations

import numpy as np

import unisycl as sycl

x = sycl.ext.unisycl


def heat(q, n: int = 37, m: int = 20, steps: int = 6) -> np.ndarray:
    """Steps of the heat equation on a plate with fixed edges."""
    start = np.arange(n * m, dtype=np.float64).reshape(n, m) % 17
    u, v = x.distr_buffer(start), x.distr_buffer((n, m))
    for _ in range(steps):
        def group(h):
            a = sycl.accessor(u, h, x.neighborhood(1, 1), sycl.read_only)
            b = sycl.accessor(v, h, x.one_to_one, sycl.write_only, sycl.no_init)

            def step(i):
                r, c = i[0], i[1]
                if 0 < r < n - 1 and 0 < c < m - 1:
                    b[r, c] = a[r, c] + 0.1 * (a[r - 1, c] + a[r + 1, c] + a[r, c - 1]
                                               + a[r, c + 1] - 4 * a[r, c])
                else:
                    b[r, c] = a[r, c]
            h.parallel_for((n, m), step)
        q.submit(group)
        u, v = v, u
    return q.gather(u)


def heat_by_numpy(n: int = 37, m: int = 20, steps: int = 6) -> np.ndarray:
    u = np.arange(n * m, dtype=np.float64).reshape(n, m) % 17
    for _ in range(steps):
        v = u.copy()
        v[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2]
                                               + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
        u = v
    return u


def nbody(q, n: int = 45, steps: int = 3) -> np.ndarray:
    """Steps of bodies that attract one another; every rank reads all positions."""
    k = np.arange(3 * n, dtype=np.float64).reshape(n, 3)
    p, v = x.distr_buffer(np.sin(k)), x.distr_buffer(np.cos(k) * 0.1)
    moved = x.distr_buffer((n, 3))

    def rows(part, shape):
        return (part.start[0], part.end[0]), (0, 3)
    for _ in range(steps):
        def group(h):
            a = sycl.accessor(p, h, x.all, sycl.read_only)
            b = sycl.accessor(v, h, rows, sycl.read_write)
            c = sycl.accessor(moved, h, rows, sycl.write_only, sycl.no_init)

            def step(i):
                me = int(i)
                fx, fy, fz = 0.0, 0.0, 0.0
                for j in range(n):
                    dx, dy, dz = a[j, 0] - a[me, 0], a[j, 1] - a[me, 1], a[j, 2] - a[me, 2]
                    d = dx * dx + dy * dy + dz * dz + 0.01
                    f = 1.0 / (d * sycl.sqrt(d))
                    fx += dx * f
                    fy += dy * f
                    fz += dz * f
                b[me, 0] += 0.01 * fx
                b[me, 1] += 0.01 * fy
                b[me, 2] += 0.01 * fz
                for d in range(3):
                    c[me, d] = a[me, d] + 0.01 * b[me, d]
            h.parallel_for(n, step)
        q.submit(group)
        p, moved = moved, p
    return q.gather(p)


def nbody_by_numpy(n: int = 45, steps: int = 3) -> np.ndarray:
    k = np.arange(3 * n, dtype=np.float64).reshape(n, 3)
    p, v = np.sin(k), np.cos(k) * 0.1
    for _ in range(steps):
        d = p[None] - p[:, None]
        s = (d * d).sum(2) + 0.01
        v = v + 0.01 * (d / s[..., None] ** 1.5).sum(1)
        p = p + 0.01 * v
    return p


def matmul(q, n: int = 23, k: int = 31, m: int = 17) -> np.ndarray:
    """A product of matrices over an nd_range would do; here each item sums a row by a column."""
    a, b, c = x.distr_buffer(left(n, k)), x.distr_buffer(right(k, m)), x.distr_buffer((n, m))

    @q.submit
    def _(h):
        p = sycl.accessor(a, h, x.slice(1), sycl.read_only)
        r = sycl.accessor(b, h, x.slice(0), sycl.read_only)
        out = sycl.accessor(c, h, x.one_to_one, sycl.write_only, sycl.no_init)

        def product(i):
            total = 0.0
            for t in range(k):
                total += p[i[0], t] * r[t, i[1]]
            out[i] = total
        h.parallel_for((n, m), product)
    return q.gather(c)


def left(n: int, k: int) -> np.ndarray:
    return (np.arange(n * k, dtype=np.float64).reshape(n, k) % 11) / 7


def right(k: int, m: int) -> np.ndarray:
    return (np.arange(k * m, dtype=np.float64).reshape(k, m) % 13) / 5


CX, CY = (0, 1, 0, -1, 0, 1, -1, -1, 1), (0, 0, 1, 0, -1, 1, 1, -1, -1)
W = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)


def flow_start(n: int, m: int) -> np.ndarray:
    r, c = np.mgrid[:n, :m]
    rho = 1 + 0.05 * np.sin(2 * np.pi * r / n) * np.cos(2 * np.pi * c / m)
    return rho[..., None] * np.array(W)


def flow(q, n: int = 18, m: int = 11, steps: int = 4) -> np.ndarray:
    """Lattice-Boltzmann (D2Q9), periodic along rows of the lattice, walls at its first and last."""
    f, g = x.distr_buffer(flow_start(n, m)), x.distr_buffer((n, m, 9))

    def around(part, shape):
        return (part.start[0] - 1, part.end[0] + 1), slice(None), slice(None)

    def own(part, shape):
        return (part.start[0], part.end[0]), slice(None), slice(None)
    for _ in range(steps):
        def group(h):
            a = sycl.accessor(f, h, around, sycl.read_only)
            b = sycl.accessor(g, h, own, sycl.write_only, sycl.no_init)

            def step(i):
                r, c = i[0], i[1]
                t = sycl.private_array(np.float64, 9)
                rho, u, v = 0.0, 0.0, 0.0
                for k in range(9):
                    s, w = r - CX[k], (c - CY[k] + m) % m
                    if s < 0 or s >= n:  # a wall sends back what came
                        back = 0 if k == 0 else (k + 1) % 4 + 1 if k < 5 else (k - 3) % 4 + 5
                        t[k] = a[r, c, back]
                    else:
                        t[k] = a[s, w, k]
                    rho += t[k]
                    u += t[k] * CX[k]
                    v += t[k] * CY[k]
                u /= rho
                v /= rho
                for k in range(9):
                    e = CX[k] * u + CY[k] * v
                    balance = W[k] * rho * (1 + 3 * e + 4.5 * e * e - 1.5 * (u * u + v * v))
                    b[r, c, k] = t[k] + 1.2 * (balance - t[k])
            h.parallel_for((n, m), step)
        q.submit(group)
        f, g = g, f
    return q.gather(f)


def flow_by_numpy(n: int = 18, m: int = 11, steps: int = 4) -> np.ndarray:
    f = flow_start(n, m)
    back = [0, 3, 4, 1, 2, 7, 8, 5, 6]
    for _ in range(steps):
        t = np.empty_like(f)
        for k in range(9):
            t[..., k] = np.roll(np.roll(f[..., k], CX[k], 0), CY[k], 1)
            if CX[k] == 1:
                t[0, :, k] = f[0, :, back[k]]
            if CX[k] == -1:
                t[-1, :, k] = f[-1, :, back[k]]
        rho = t.sum(2)
        u, v = (t * CX).sum(2) / rho, (t * CY).sum(2) / rho
        for k in range(9):
            e = CX[k] * u + CY[k] * v
            t[..., k] += 1.2 * (W[k] * rho * (1 + 3 * e + 4.5 * e * e - 1.5 * (u * u + v * v))
                                - t[..., k])
        f = t
    return f


def laplacian(n: int) -> tuple[np.ndarray, np.ndarray]:
    """A sparse matrix of n * n rows, five places each: columns and values (ELL format)."""
    rows = np.arange(n * n)
    columns = np.stack([rows, rows - n, rows + n, rows - 1, rows + 1], 1)
    values = np.tile([4.5, -1.0, -1, -1, -1], (n * n, 1))
    wrong = (columns < 0) | (columns >= n * n)
    wrong[:, 3] |= rows % n == 0
    wrong[:, 4] |= rows % n == n - 1
    return np.where(wrong, rows[:, None], columns).astype(np.int32), np.where(wrong, 0.0, values)


def conjugate_gradient(q, n: int = 9, steps: int = 40) -> np.ndarray:
    """Solve A x = b; sums over all rows are reductions across ranks."""
    size = n * n
    b = np.arange(size, dtype=np.float64) % 5 + 1
    cols, vals = map(x.distr_buffer, laplacian(n))
    sol, r, p, rr = map(x.distr_buffer, (np.zeros(size), b, b, np.array([b @ b])))
    ap, pap, old = map(x.distr_buffer, (size, 1, 1))

    def rows(part, shape):
        return (part.start[0], part.end[0]), slice(None)

    def product(h):
        c, v = sycl.accessor(cols, h, rows, sycl.read_only), sycl.accessor(
            vals, h, rows, sycl.read_only)
        every, out = sycl.accessor(p, h, x.all, sycl.read_only), sycl.accessor(
            ap, h, x.one_to_one, sycl.write_only, sycl.no_init)
        total = sycl.reduction(pap, h, sycl.plus,
                               sycl.property.reduction.initialize_to_identity())

        def multiply(i, found):
            row, s = int(i), 0.0
            for k in range(5):
                s += v[row, k] * every[c[row, k]]
            out[i] = s
            found += s * every[row]
        h.parallel_for(size, total, multiply)

    def advance(h):
        a, b = (sycl.accessor(y, h, x.all, sycl.read_only) for y in (rr, pap))
        s, res = sycl.accessor(sol, h, x.one_to_one, sycl.read_write), sycl.accessor(
            r, h, x.one_to_one, sycl.read_write)
        d, e = sycl.accessor(p, h, x.one_to_one, sycl.read_only), sycl.accessor(
            ap, h, x.one_to_one, sycl.read_only)
        total = sycl.reduction(old, h, sycl.plus,
                               sycl.property.reduction.initialize_to_identity())

        def go(i, found):
            alpha = a[0] / b[0]
            s[i] += alpha * d[i]
            left_over = res[i] - alpha * e[i]
            res[i] = left_over
            found += left_over * left_over
        h.parallel_for(size, total, go)

    def turn(h):
        a, b = sycl.accessor(old, h, x.all, sycl.read_only), sycl.accessor(
            rr, h, x.all, sycl.read_only)
        d, res = sycl.accessor(p, h, x.one_to_one, sycl.read_write), sycl.accessor(
            r, h, x.one_to_one, sycl.read_only)

        def direct(i):
            d[i] = res[i] + a[0] / b[0] * d[i]
        h.parallel_for(size, direct)
    for _ in range(steps):
        for group in (product, advance, turn):
            q.submit(group)
        rr, old = old, rr
        if q.gather(rr)[0] < 1e-22:
            break
    return q.gather(sol)
