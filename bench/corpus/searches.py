"""Programs of every day that search, factorise and parse, an item to a query, a matrix or a line.

Kernels were written before anybody looked at what the compiler makes of them, as a user of C++,
CUDA or Numba writes them first; most call the function that the peer calls, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    ROUNDING32,
    ROUNDING64,
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
from bench.corpus.shading import plain

F, D, I, B = np.float32, np.float64, np.int32, np.uint8


# queens: how many ways there are from the first three rows on; a stack of sets as bits


@inner
def ways(n: Any, a: Any, b: Any, c: Any, stack: Any) -> Any:
    full = (1 << n) - 1
    columns, left, right = 0, 0, 0
    for row in range(3):
        bit = 1 << (a if row == 0 else b if row == 1 else c)
        if bit & (columns | left | right):
            return 0
        columns, left, right = columns | bit, ((left | bit) << 1) & full, (right | bit) >> 1
    count, depth = 0, 0
    stack[0, 0], stack[0, 1], stack[0, 2] = columns, left, right
    stack[0, 3] = full & ~(columns | left | right)
    while depth >= 0:
        free = stack[depth, 3]
        if free == 0:
            depth -= 1
            continue
        bit = free & -free
        stack[depth, 3] = free ^ bit
        columns = stack[depth, 0] | bit
        left = ((stack[depth, 1] | bit) << 1) & full
        right = (stack[depth, 2] | bit) >> 1
        if columns == full:
            count += 1
        else:
            depth += 1
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = columns, left, right
            stack[depth, 3] = full & ~(columns | left | right)
    return count


@sycl.kernel
def queens(i: Any, n: Any, out: Any) -> None:
    out[i] = ways(n, int(i[0]), int(i[1]), int(i[2]), sycl.private_array(I, (16, 4)))


@parallel
def nb_queens(n: Any, out: Any) -> None:
    for ab in prange(n * n):
        stack = np.empty((16, 4), I)
        for c in range(n):
            out[ab // n, ab % n, c] = ways(n, ab // n, ab % n, c, stack)


QUEENS = Entry("queens", lambda n: Namespace(n=n, out=np.zeros((n, n, n), I)), 10, 6,
               {"": lambda d: [Step(queens, (d.n, d.n, d.n), d.n, d.out)]},
               plain(lambda d: nb_queens(d.n, d.out), "out"),
               numba=lambda d: nb_queens(d.n, d.out))


# cholesky: of many small matrices, in a private array; and a right-hand side solved

ORDER = 6


@inner
def solve(a: Any, b: Any, x: Any, k: Any, m: Any) -> None:
    for r in range(ORDER):
        for c in range(r + 1):
            s = a[k, r, c]
            for t in range(c):
                s -= m[r, t] * m[c, t]
            if r == c:
                m[r, r] = np.sqrt(s)
            else:
                m[r, c] = s / m[c, c]
    for r in range(ORDER):
        s = b[k, r]
        for t in range(r):
            s -= m[r, t] * x[k, t]
        x[k, r] = s / m[r, r]
    for u in range(ORDER):
        r = ORDER - 1 - u
        s = x[k, r]
        for t in range(r + 1, ORDER):
            s -= m[t, r] * x[k, t]
        x[k, r] = s / m[r, r]


@sycl.kernel
def cholesky(i: Any, a: Any, b: Any, x: Any) -> None:
    solve(a, b, x, i[0], sycl.private_array(D, (ORDER, ORDER)))


@parallel
def nb_cholesky(a: Any, b: Any, x: Any) -> None:
    for k in prange(a.shape[0]):
        m = np.empty((ORDER, ORDER))
        solve(a, b, x, k, m)


def make_systems(n: int) -> Operands:
    r = np.random.default_rng(1)
    half = r.random((n, ORDER, ORDER))
    a = half @ half.transpose(0, 2, 1) + 2 * np.eye(ORDER)
    return Namespace(a=a, b=r.random((n, ORDER)), x=np.zeros((n, ORDER)))


CHOLESKY = Entry("cholesky", make_systems, 1 << 14, 65,
                 {"": lambda d: [Step(cholesky, len(d.a), d.a, d.b, d.x)]},
                 plain(lambda d: nb_cholesky(d.a, d.b, d.x), "x"), ROUNDING64, "sums of six",
                 numba=lambda d: nb_cholesky(d.a, d.b, d.x))


# kd_tree: how many points are near a query; an implicit tree, walked with a private stack


@inner
def near(tree: Any, x: Any, y: Any, radius: Any, stack: Any) -> Any:
    n = tree.shape[0]
    count, top = 0, 1
    stack[0] = 0
    while top > 0:
        top -= 1
        k = stack[top]
        dx, dy = x - tree[k, 0], y - tree[k, 1]
        if dx * dx + dy * dy < radius * radius:
            count += 1
        level, rest = 0, k + 1
        while rest > 1:
            rest >>= 1
            level += 1
        away = dx if level % 2 == 0 else dy
        if 2 * k + 1 < n and away <= radius:
            stack[top] = 2 * k + 1
            top += 1
        if 2 * k + 2 < n and away >= -radius:
            stack[top] = 2 * k + 2
            top += 1
    return count


@sycl.kernel
def kd_tree(i: Any, tree: Any, queries: Any, radius: Any, out: Any) -> None:
    q = i[0]
    out[q] = near(tree, queries[q, 0], queries[q, 1], radius, sycl.private_array(I, 64))


@parallel
def nb_kd_tree(tree: Any, queries: Any, radius: Any, out: Any) -> None:
    for q in prange(len(out)):
        stack = np.empty(64, I)
        out[q] = near(tree, queries[q, 0], queries[q, 1], radius, stack)


def planted(points: Any, tree: Any, k: int, axis: int) -> None:
    if len(points):
        points = points[np.argsort(points[:, axis])]
        full = 1 << (len(points).bit_length() - 1)
        left = min(full - 1, len(points) - full // 2)
        tree[k] = points[left]
        planted(points[:left], tree, 2 * k + 1, 1 - axis)
        planted(points[left + 1:], tree, 2 * k + 2, 1 - axis)


def make_tree(n: int) -> Operands:
    r = np.random.default_rng(1)
    tree = np.zeros((n, 2), F)
    planted(r.random((n, 2), dtype=F), tree, 0, 0)
    return Namespace(tree=tree, queries=r.random((n, 2), dtype=F), radius=F(0.02),
                     out=np.zeros(n, I))


KD_TREE = Entry("kd_tree", make_tree, 8000, 100,
                {"": lambda d: [Step(kd_tree, len(d.out), d.tree, d.queries, d.radius, d.out)]},
                plain(lambda d: nb_kd_tree(d.tree, d.queries, d.radius, d.out), "out"),
                outliers=0.01, numba=lambda d: nb_kd_tree(d.tree, d.queries, d.radius, d.out))


# interpolate: between the two of a sorted table that a binary search finds


@inner
def between(xs: Any, ys: Any, x: Any) -> Any:
    low, high = 0, len(xs) - 1
    if x <= xs[low]:
        return ys[low]
    if x >= xs[high]:
        return ys[high]
    while high - low > 1:
        middle = (low + high) // 2
        if xs[middle] <= x:
            low = middle
        else:
            high = middle
    t = (x - xs[low]) / (xs[high] - xs[low])
    return ys[low] * (1 - t) + ys[high] * t


@sycl.kernel
def interpolate(i: Any, xs: Any, ys: Any, at: Any, out: Any) -> None:
    out[i] = between(xs, ys, at[i])


@parallel
def nb_interpolate(xs: Any, ys: Any, at: Any, out: Any) -> None:
    for i in prange(len(out)):
        out[i] = between(xs, ys, at[i])


def make_curve(n: int) -> Operands:
    r = np.random.default_rng(1)
    return Namespace(xs=np.sort(r.random(500)), ys=r.random(500), at=r.random(n), out=np.zeros(n))


INTERPOLATE = Entry("interpolate", make_curve, 1 << 17, 301,
                    {"": lambda d: [Step(interpolate, len(d.out), d.xs, d.ys, d.at, d.out)]},
                    plain(lambda d: nb_interpolate(d.xs, d.ys, d.at, d.out), "out"), ROUNDING64,
                    "two products", numba=lambda d: nb_interpolate(d.xs, d.ys, d.at, d.out))


# checksums: CRC-32 of records of 64 bytes, by a table


@inner
def crc(records: Any, table: Any, i: Any) -> Any:
    value = np.uint32(0xFFFFFFFF)
    for k in range(records.shape[1]):
        value = table[(value ^ records[i, k]) & np.uint32(255)] ^ (value >> np.uint32(8))
    return ~value


@sycl.kernel
def checksums(i: Any, records: Any, table: Any, out: Any) -> None:
    out[i] = crc(records, table, i[0])


@parallel
def nb_checksums(records: Any, table: Any, out: Any) -> None:
    for i in prange(len(out)):
        out[i] = crc(records, table, i)


def make_records(n: int) -> Operands:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, np.uint32(0xEDB88320) ^ (table >> 1), table >> 1)
    records = np.random.default_rng(1).integers(0, 256, (n, 64), dtype=B)
    return Namespace(records=records, table=table.astype(np.uint32), out=np.zeros(n, np.uint32))


CHECKSUMS = Entry("checksums", make_records, 1 << 14, 65,
                  {"": lambda d: [Step(checksums, len(d.out), d.records, d.table, d.out)]},
                  plain(lambda d: nb_checksums(d.records, d.table, d.out), "out"),
                  numba=lambda d: nb_checksums(d.records, d.table, d.out))


# words: how many there are in each line of a text


@inner
def words_of(text: Any, first: Any, last: Any) -> Any:
    count, inside = 0, False
    for k in range(first, last):
        c = text[k]
        space = c == 32 or c == 9
        if not space and not inside:
            count += 1
        inside = not space
    return count


@sycl.kernel
def words(i: Any, text: Any, starts: Any, out: Any) -> None:
    out[i] = words_of(text, starts[i[0]], starts[i[0] + 1])


@parallel
def nb_words(text: Any, starts: Any, out: Any) -> None:
    for i in prange(len(out)):
        out[i] = words_of(text, starts[i], starts[i + 1])


def make_text(n: int) -> Operands:
    r = np.random.default_rng(1)
    starts = np.concatenate([[0], np.cumsum(r.integers(0, 120, n))])
    text = r.choice(np.frombuffer(b"abcdefg  \t", B), int(starts[-1]))
    return Namespace(text=text, starts=starts, out=np.zeros(n, I))


WORDS = Entry("words", make_text, 1 << 14, 101,
              {"": lambda d: [Step(words, len(d.out), d.text, d.starts, d.out)]},
              plain(lambda d: nb_words(d.text, d.starts, d.out), "out"),
              numba=lambda d: nb_words(d.text, d.starts, d.out))


# cells: forces between particles of neighbouring cells of a grid


@inner
def pushed(pos: Any, starts: Any, cells: Any, p: Any) -> Any:
    x, y = pos[p, 0], pos[p, 1]
    cx, cy = int(x * F(cells)), int(y * F(cells))
    fx, fy = F(0), F(0)
    for ny in range(max(cy - 1, 0), min(cy + 2, cells)):
        for nx in range(max(cx - 1, 0), min(cx + 2, cells)):
            cell = ny * cells + nx
            for q in range(starts[cell], starts[cell + 1]):
                dx, dy = x - pos[q, 0], y - pos[q, 1]
                r2 = dx * dx + dy * dy
                if q != p and r2 * F(cells * cells) < F(1):
                    w = F(1) / (r2 + F(1e-4))
                    fx += dx * w
                    fy += dy * w
    return fx, fy


@sycl.kernel
def cells(i: Any, pos: Any, starts: Any, count: Any, force: Any) -> None:
    force[i[0], 0], force[i[0], 1] = pushed(pos, starts, count, i[0])


@parallel
def nb_cells(pos: Any, starts: Any, count: Any, force: Any) -> None:
    for p in prange(len(pos)):
        fx, fy = pushed(pos, starts, count, p)
        force[p, 0] = fx
        force[p, 1] = fy


def make_particles(n: int) -> Operands:
    count = max(2, int((n / 6) ** 0.5))
    pos = np.random.default_rng(1).random((n, 2), dtype=F)
    cell = (pos[:, 1] * F(count)).astype(I) * count + (pos[:, 0] * F(count)).astype(I)
    pos = pos[np.argsort(cell, kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=count * count))])
    return Namespace(pos=pos, starts=starts.astype(I), count=count, force=np.zeros((n, 2), F))


CELLS = Entry("cells", make_particles, 20000, 200,
              {"": lambda d: [Step(cells, len(d.pos), d.pos, d.starts, d.count, d.force)]},
              plain(lambda d: nb_cells(d.pos, d.starts, d.count, d.force), "force"), SUMS32,
              "sums of tens", outliers=0.01,
              numba=lambda d: nb_cells(d.pos, d.starts, d.count, d.force))


# row_histograms: sixteen classes of bytes in each row, counted in a private array


@inner
def counted(rows: Any, i: Any, mine: Any, out: Any) -> None:
    for k in range(16):
        mine[k] = 0
    for j in range(rows.shape[1]):
        mine[rows[i, j] >> 4] += 1
    for k in range(16):
        out[i, k] = mine[k]


@sycl.kernel
def row_histograms(i: Any, rows: Any, out: Any) -> None:
    counted(rows, i[0], sycl.private_array(I, 16), out)


@parallel
def nb_row_histograms(rows: Any, out: Any) -> None:
    for i in prange(rows.shape[0]):
        mine = np.empty(16, I)
        counted(rows, i, mine, out)


def make_bytes(n: int) -> Operands:
    rows = np.random.default_rng(1).integers(0, 256, (n, 256), dtype=B)
    return Namespace(rows=rows, out=np.zeros((n, 16), I))


ROW_HISTOGRAMS = Entry("row_histograms", make_bytes, 4096, 65,
                       {"": lambda d: [Step(row_histograms, len(d.rows), d.rows, d.out)]},
                       plain(lambda d: nb_row_histograms(d.rows, d.out), "out"),
                       numba=lambda d: nb_row_histograms(d.rows, d.out))


# fft8: transforms of eight complex numbers, in private arrays


@inner
def eight(src: Any, dst: Any, cs: Any, sn: Any, i: Any, re: Any, im: Any) -> None:
    for k in range(8):
        r = ((k & 1) << 2) | (k & 2) | (k >> 2)
        re[r], im[r] = src[i, k, 0], src[i, k, 1]
    half = 1
    while half < 8:
        for base in range(0, 8, 2 * half):
            for k in range(half):
                c, s = cs[k * (4 // half)], sn[k * (4 // half)]
                a, b = base + k, base + k + half
                x, y = c * re[b] - s * im[b], c * im[b] + s * re[b]
                re[b], im[b] = re[a] - x, im[a] - y
                re[a] += x
                im[a] += y
        half *= 2
    for k in range(8):
        dst[i, k, 0], dst[i, k, 1] = re[k], im[k]


@sycl.kernel
def fft8(i: Any, src: Any, dst: Any, cs: Any, sn: Any) -> None:
    eight(src, dst, cs, sn, i[0], sycl.private_array(F, 8), sycl.private_array(F, 8))


@parallel
def nb_fft8(src: Any, dst: Any, cs: Any, sn: Any) -> None:
    for i in prange(src.shape[0]):
        re, im = np.empty(8, F), np.empty(8, F)
        eight(src, dst, cs, sn, i, re, im)


def make_eights(n: int) -> Operands:
    src = np.random.default_rng(1).random((n, 8, 2), dtype=F)
    angle = -np.pi * np.arange(4) / 4
    return Namespace(src=src, dst=np.zeros_like(src), cs=np.cos(angle).astype(F),
                     sn=np.sin(angle).astype(F))


FFT8 = Entry("fft8", make_eights, 1 << 16, 65,
             {"": lambda d: [Step(fft8, len(d.src), d.src, d.dst, d.cs, d.sn)]},
             plain(lambda d: nb_fft8(d.src, d.dst, d.cs, d.sn), "dst"), ROUNDING32,
             "sums of eight", numba=lambda d: nb_fft8(d.src, d.dst, d.cs, d.sn))


ENTRIES = (QUEENS, CHOLESKY, KD_TREE, INTERPOLATE, CHECKSUMS, WORDS, CELLS, ROW_HISTOGRAMS, FFT8)

if __name__ == "__main__":
    show(ENTRIES)
