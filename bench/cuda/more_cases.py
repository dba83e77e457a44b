"""More kernels beside CUDA C++: images, rows, neighbours, search, arithmetic, atomics.

Non-goals and invariant are those of ``cases``; the sources in CUDA C++ are ``more.cu``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from bench.cuda.cases import INT, Case, F, Grid, lines, near

GROUP = 256
Check = Callable[[list[Any]], None]


def square(n: int) -> Grid:
    """Return a grid of two dimensions for n x n items."""
    return (-(-n // 32), -(-n // 8)), (32, 8)


def same(want: Callable[[], Any], tolerance: float | None = None) -> Check:
    """Return a check of the one result, as a flat array, against what a function returns."""
    def check(got: list[Any]) -> None:
        expected = np.asarray(want()).reshape(-1)
        if tolerance is None:
            np.testing.assert_array_equal(got[0], expected)
        else:
            near(got[0], expected, tolerance)
    return check


def plain(kernel: Any, space: Any) -> Callable[[sycl.queue, list[Any]], Any]:
    """Return what submits a kernel over a range."""
    return lambda q, m: q.parallel_for(space, kernel, *m)


def numbers(*shape: int, seed: int = 1) -> Any:
    """Return floats from 0 to 1."""
    return np.random.default_rng(seed).random(shape, F)


# ------------------------------------------------------------------ images and grids
def axpy(scale: int) -> Case:
    """``y += 1.5 x`` in double precision."""
    n = (1 << 26) // scale

    def kernel(i: Any, x: Any, y: Any) -> None:
        y[i] = 1.5 * x[i] + y[i]

    x = np.tile(numbers(1 << 12).astype(np.float64), n >> 12)
    return Case([x, np.zeros(n)], (1,), plain(kernel, n), lines(n), (n,),
                same(lambda: 1.5 * x, 1e-12), moved=24.0 * n, clears=(1,))


def gauss(scale: int) -> Case:
    """A 5 x 5 filter, clamped at the edges."""
    n = 4096 // scale
    weights = (0.0625, 0.25, 0.375, 0.25, 0.0625)

    def kernel(it: Any, a: Any, b: Any) -> None:
        y, x = it[0], it[1]
        total = F(0)
        for dy in range(5):
            for dx in range(5):
                row, column = sycl.clamp(y + dy - 2, 0, n - 1), sycl.clamp(x + dx - 2, 0, n - 1)
                total += F(weights[dy]) * F(weights[dx]) * a[row * n + column]
        b[y * n + x] = total

    a = numbers(n, n)

    def want() -> Any:
        wide = np.pad(a, 2, mode="edge")
        return sum(weights[dy] * weights[dx] * wide[dy:dy + n, dx:dx + n]
                   for dy in range(5) for dx in range(5))

    return Case([a.reshape(-1), np.zeros(n * n, F)], (1,), plain(kernel, sycl.range(n, n)),
                square(n), (n,), same(want, 1e-4), moved=8.0 * n * n)


def sobel(scale: int) -> Case:
    """The size of a gradient; nothing at the edges."""
    n = 8192 // scale

    def kernel(it: Any, a: Any, b: Any) -> None:
        y, x = it[0], it[1]
        if x < 1 or y < 1 or x >= n - 1 or y >= n - 1:
            return
        i = y * n + x
        gx = (a[i - n + 1] - a[i - n - 1] + F(2) * (a[i + 1] - a[i - 1]) + a[i + n + 1]
              - a[i + n - 1])
        gy = (a[i + n - 1] - a[i - n - 1] + F(2) * (a[i + n] - a[i - n]) + a[i + n + 1]
              - a[i - n + 1])
        b[i] = sycl.sqrt(gx * gx + gy * gy)

    a = numbers(n, n)

    def want() -> Any:
        out = np.zeros((n, n), F)
        gx = (a[:-2, 2:] - a[:-2, :-2] + 2 * (a[1:-1, 2:] - a[1:-1, :-2]) + a[2:, 2:]
              - a[2:, :-2])
        gy = (a[2:, :-2] - a[:-2, :-2] + 2 * (a[2:, 1:-1] - a[:-2, 1:-1]) + a[2:, 2:]
              - a[:-2, 2:])
        out[1:-1, 1:-1] = np.sqrt(gx * gx + gy * gy)
        return out

    return Case([a.reshape(-1), np.zeros(n * n, F)], (1,), plain(kernel, sycl.range(n, n)),
                square(n), (n,), same(want, 1e-4), moved=8.0 * n * n, clears=(1,))


def heat(scale: int) -> Case:
    """Seven points in three dimensions."""
    n = 512 if scale == 1 else 64

    def kernel(it: Any, a: Any, b: Any) -> None:
        z, y, x = it[0], it[1], it[2]
        if x < 1 or y < 1 or z < 1 or x >= n - 1 or y >= n - 1 or z >= n - 1:
            return
        i = (z * n + y) * n + x
        b[i] = a[i] + F(0.1) * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n]
                                + a[i + n * n] - F(6) * a[i])

    a = numbers(n, n, n)

    def want() -> Any:
        out, mid = np.zeros_like(a), a[1:-1, 1:-1, 1:-1]
        out[1:-1, 1:-1, 1:-1] = mid + F(0.1) * (
            a[1:-1, 1:-1, :-2] + a[1:-1, 1:-1, 2:] + a[1:-1, :-2, 1:-1] + a[1:-1, 2:, 1:-1]
            + a[:-2, 1:-1, 1:-1] + a[2:, 1:-1, 1:-1] - 6 * mid)
        return out

    grid: Any = (-(-n // 32), -(-n // 8), n), (32, 8, 1)
    return Case([a.reshape(-1), np.zeros(n**3, F)], (1,), plain(kernel, sycl.range(n, n, n)),
                grid, (n,), same(want, 1e-4), moved=8.0 * n**3, clears=(1,))


def life(scale: int) -> Case:
    """A step of the game of life, round the edges."""
    n = 8192 // scale

    def kernel(it: Any, a: Any, b: Any) -> None:
        y, x = it[0], it[1]
        left, right, up, down = (x + n - 1) % n, (x + 1) % n, (y + n - 1) % n, (y + 1) % n
        count = INT(a[up * n + left]) + a[up * n + x] + a[up * n + right] + a[y * n + left]
        count += INT(a[y * n + right]) + a[down * n + left] + a[down * n + x] + a[down * n + right]
        b[y * n + x] = 1 if count == 3 or (count == 2 and a[y * n + x] != 0) else 0

    a = np.random.default_rng(1).integers(0, 2, (n, n), np.uint8)

    def want() -> Any:
        count = sum(np.roll(a, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)
                    if dy or dx)
        return (count == 3) | ((count == 2) & (a == 1))

    return Case([a.reshape(-1), np.zeros(n * n, np.uint8)], (1,),
                plain(kernel, sycl.range(n, n)), square(n), (n,), same(want), moved=2.0 * n * n)


def floyd(scale: int) -> Case:
    """One step of all shortest paths."""
    n = 4096 // scale
    k = n // 3

    def kernel(it: Any, a: Any, b: Any) -> None:
        y, x = it[0], it[1]
        b[y * n + x] = min(a[y * n + x], a[y * n + k] + a[k * n + x])

    a = np.random.default_rng(1).integers(0, 1000, (n, n), INT)
    return Case([a.reshape(-1), np.zeros(n * n, INT)], (1,), plain(kernel, sycl.range(n, n)),
                square(n), (n, k), same(lambda: np.minimum(a, a[:, k:k + 1] + a[k])),
                moved=8.0 * n * n)


def gray(scale: int) -> Case:
    """Colours of three bytes as one."""
    n = (1 << 25) // scale

    def kernel(i: Any, colours: Any, out: Any) -> None:
        at = 3 * i[0]
        out[i] = (INT(77) * colours[at] + INT(150) * colours[at + 1]
                  + INT(29) * colours[at + 2]) >> 8

    given = np.random.default_rng(1).integers(0, 256, 3 * n, np.uint8)
    return Case([given, np.zeros(n, np.uint8)], (1,), plain(kernel, n), lines(n), (n,),
                same(lambda: (given.reshape(n, 3).astype(INT) @ np.array([77, 150, 29])) >> 8),
                moved=4.0 * n)


# ------------------------------------------------------------------ a work-group for each row
def by_rows(kernel: Any, count: int) -> Callable[[sycl.queue, list[Any]], Any]:
    """Return what submits a kernel with a work-group for each row."""
    return lambda q, m: q.parallel_for(sycl.nd_range(count * GROUP, GROUP), kernel, *m)


def rows(scale: int) -> Case:
    """A matrix times a vector."""
    n = 8192 // scale

    def kernel(it: Any, a: Any, x: Any, out: Any) -> None:
        row, k = it.get_group(0), it.get_local_id(0)
        total = F(0)
        for j in range(k, n, GROUP):
            total += a[row * n + j] * x[j]
        total = sycl.reduce_over_group(it.get_group(), total, sycl.plus())
        if k == 0:
            out[row] = total

    a, x = numbers(n, n), numbers(n, seed=2)
    return Case([a.reshape(-1), x, np.zeros(n, F)], (2,), by_rows(kernel, n), ((n, 1), (GROUP, 1)),
                (n,), same(lambda: a @ x, 1e-3), moved=4.0 * n * n)


def softmax(scale: int) -> Case:
    """The softmax of each row."""
    count, n = 16384 // scale, 4096

    def kernel(it: Any, a: Any, b: Any) -> None:
        group, first, k = it.get_group(), it.get_group(0) * n, it.get_local_id(0)
        most = a[first + k]
        for j in range(k, n, GROUP):
            most = max(most, a[first + j])
        most = sycl.reduce_over_group(group, most, sycl.maximum())
        total = F(0)
        for j in range(k, n, GROUP):
            total += sycl.exp(a[first + j] - most)
        total = sycl.reduce_over_group(group, total, sycl.plus())
        for j in range(k, n, GROUP):
            b[first + j] = sycl.exp(a[first + j] - most) / total

    a = numbers(count, n) * F(8)

    def want() -> Any:
        powers = np.exp(a - a.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)

    return Case([a.reshape(-1), np.zeros(count * n, F)], (1,), by_rows(kernel, count),
                ((count, 1), (GROUP, 1)), (n,), same(want, 1e-5), moved=8.0 * count * n)


def normalise(scale: int) -> Case:
    """Each row with mean 0 and spread 1."""
    count, n = 16384 // scale, 4096

    def kernel(it: Any, a: Any, b: Any) -> None:
        group, first, k = it.get_group(), it.get_group(0) * n, it.get_local_id(0)
        total = squares = F(0)
        for j in range(k, n, GROUP):
            x = a[first + j]
            total += x
            squares += x * x
        mean = sycl.reduce_over_group(group, total, sycl.plus()) / F(n)
        spread = sycl.reduce_over_group(group, squares, sycl.plus()) / F(n) - mean * mean
        factor = sycl.rsqrt(spread + F(1e-5))
        for j in range(k, n, GROUP):
            b[first + j] = (a[first + j] - mean) * factor

    a = numbers(count, n)
    return Case([a.reshape(-1), np.zeros(count * n, F)], (1,), by_rows(kernel, count),
                ((count, 1), (GROUP, 1)), (n,), same(lambda: (
                    a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5), 1e-3),
                moved=8.0 * count * n)


# ------------------------------------------------------------------ integers, search, arithmetic
def bitonic(scale: int) -> Case:
    """One step of a sorting network."""
    n, far = (1 << 26) // scale, 1 << 10

    def kernel(i: Any, a: Any, b: Any) -> None:
        mine, other = a[i], a[i[0] ^ far]
        b[i] = min(mine, other) if i[0] & far == 0 else max(mine, other)

    a = np.random.default_rng(1).integers(0, 1 << 30, n, INT)

    def want() -> Any:
        pairs = a.reshape(-1, 2, far)
        return np.stack([pairs.min(1), pairs.max(1)], 1)

    return Case([a, np.zeros(n, INT)], (1,), plain(kernel, n), lines(n), (n, far), same(want),
                moved=8.0 * n)


def collatz(scale: int) -> Case:
    """Steps to one, in 64 bits."""
    n = (1 << 22) // scale

    def kernel(i: Any, out: Any) -> None:
        x, steps = np.int64(i[0]) + 1, INT(0)
        while x != 1:
            x = 3 * x + 1 if x & 1 else x >> 1
            steps += 1
        out[i] = steps

    def check(got: list[Any]) -> None:
        for i in (0, 1, 6, 26, 9999, n - 1):
            x, steps = i + 1, 0
            while x != 1:
                x, steps = 3 * x + 1 if x % 2 else x // 2, steps + 1
            assert got[0][i] == steps, (i, got[0][i], steps)

    return Case([np.zeros(n, INT)], (0,), plain(kernel, n), lines(n), (n,), check)


def darts(scale: int) -> Case:
    """Random numbers by shifts, counted in a circle."""
    n, count = (1 << 20) // scale, 256

    def kernel(i: Any, out: Any) -> None:
        state = np.uint32(i[0]) * np.uint32(2654435761) + np.uint32(12345)
        inside = INT(0)
        for _ in range(count):
            state ^= state << np.uint32(13)
            state ^= state >> np.uint32(17)
            state ^= state << np.uint32(5)
            x = F(state & np.uint32(0xffff)) / F(65536)
            y = F(state >> np.uint32(16)) / F(65536)
            if x * x + y * y < F(1):
                inside += 1
        out[i] = inside

    def check(got: list[Any]) -> None:
        state = np.arange(512, dtype=np.uint32) * np.uint32(2654435761) + np.uint32(12345)
        inside = np.zeros(512, INT)
        for _ in range(count):
            state ^= state << np.uint32(13)
            state ^= state >> np.uint32(17)
            state ^= state << np.uint32(5)
            x, y = (state & 0xffff) / 65536, (state >> 16) / 65536
            inside += x * x + y * y < 1
        assert (abs(got[0][:512] - inside) <= 1).all()

    return Case([np.zeros(n, INT)], (0,), plain(kernel, n), lines(n), (n, count), check)


def nearest(scale: int) -> Case:
    """The nearest of some points, in tiles of local memory."""
    n = 32768 // scale

    def kernel(it: Any, points: Any, asked: Any, out: Any, tile: Any) -> None:
        i, k = it.get_global_id(0), it.get_local_id(0)
        x, y, z = asked[3 * i], asked[3 * i + 1], asked[3 * i + 2]
        least, found = F(1e30), INT(0)
        for first in range(0, n, GROUP):
            for d in range(3):
                tile[d, k] = points[3 * (first + k) + d]
            sycl.group_barrier(it.get_group())
            for j in range(GROUP):
                dx, dy, dz = tile[0, j] - x, tile[1, j] - y, tile[2, j] - z
                far = dx * dx + dy * dy + dz * dz
                if far < least:
                    least, found = far, INT(first + j)
            sycl.group_barrier(it.get_group())
        out[i] = found

    points, asked = numbers(n, 3), numbers(n, 3, seed=2)
    tile = sycl.local_accessor(F, (3, GROUP))

    def check(got: list[Any]) -> None:
        some = slice(0, n, max(1, n // 64))
        far = ((points - asked[some, None]) ** 2).sum(2)
        mine = np.take_along_axis(far, got[0][some, None].astype(np.int64), 1)[:, 0]
        near(mine, far.min(1), 1e-5)

    return Case([points.reshape(-1), asked.reshape(-1), np.zeros(n, INT)], (2,),
                lambda q, m: q.parallel_for(sycl.nd_range(n, GROUP), kernel, *m, tile),
                ((n // GROUP, 1), (GROUP, 1)), (n,), check, flops=8.0 * n * n)


def horner(scale: int) -> Case:
    """A polynomial, again and again."""
    n, rounds = (1 << 24) // scale, 64

    def kernel(i: Any, a: Any, b: Any) -> None:
        x = a[i]
        y = x
        for _ in range(rounds):
            y = ((((F(0.1) * y + F(0.2)) * y - F(0.3)) * y + F(0.1)) * y - F(0.2)) * y + F(0.5) * x
        b[i] = y

    a = np.tile(numbers(1 << 12), n >> 12)

    def want() -> Any:
        x = a[:1 << 12].astype(np.float64)
        y = x
        for _ in range(rounds):
            y = ((((0.1 * y + 0.2) * y - 0.3) * y + 0.1) * y - 0.2) * y + 0.5 * x
        return np.tile(y, n >> 12)

    return Case([a, np.zeros(n, F)], (1,), plain(kernel, n), lines(n), (n, rounds),
                same(want, 1e-4), flops=11.0 * rounds * n)


def fir(scale: int) -> Case:
    """A filter of 32 taps along a line."""
    n = (1 << 25) // scale

    def kernel(i: Any, a: Any, taps: Any, b: Any) -> None:
        total = F(0)
        for k in range(32):
            total += taps[k] * a[i[0] + k]
        b[i] = total

    a, taps = np.tile(numbers(1 << 12), (n >> 12) + 1)[:n + 31], numbers(32, seed=2)
    return Case([a, taps, np.zeros(n, F)], (2,), plain(kernel, n), lines(n), (n,),
                same(lambda: np.correlate(a, taps, "valid"), 1e-3), moved=8.0 * n)


def scatter(scale: int) -> Case:
    """Sums at places, by atomic addition."""
    n, places = (1 << 24) // scale, 1 << 16

    def kernel(i: Any, where: Any, values: Any, out: Any) -> None:
        sycl.atomic_ref(out, where[i], sycl.memory_order.relaxed,
                        sycl.memory_scope.device).fetch_add(values[i])

    where = np.random.default_rng(1).integers(0, places, n, INT)
    values = numbers(n)
    return Case([where, values, np.zeros(places, F)], (2,), plain(kernel, n), lines(n), (n,),
                same(lambda: np.bincount(where, values, places), 1e-3), moved=8.0 * n,
                clears=(2,))


def search(scale: int) -> Case:
    """Places in a sorted array, by halves."""
    n, size = (1 << 22) // scale, (1 << 24) // scale

    def kernel(i: Any, known: Any, asked: Any, out: Any) -> None:
        low, high, x = INT(0), INT(size), asked[i]
        while low < high:
            middle = (low + high) >> 1
            if known[middle] < x:
                low = middle + 1
            else:
                high = middle
        out[i] = low

    r = np.random.default_rng(1)
    known = np.sort(r.integers(0, 1 << 30, size, INT))
    asked = r.integers(0, 1 << 30, n, INT)
    return Case([known, asked, np.zeros(n, INT)], (2,), plain(kernel, n), lines(n), (size, n),
                same(lambda: np.searchsorted(known, asked)))


CASES: dict[str, Callable[[int], Case]] = {f.__name__: f for f in (
    axpy, gauss, sobel, heat, life, floyd, gray, rows, softmax, normalise, bitonic, collatz, darts,
    nearest, horner, fir, scatter, search)}
