"""Programs as they are ported from elsewhere, compared with libraries or plain Python of their own.

The references share no code with the kernels: zlib, hashlib's kin, integers of Python, NumPy.
"""

from __future__ import annotations

import datetime
import math
import zlib

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("D-11")
CHANCE = np.random.default_rng(20)


def run(queue, count, kernel, *args):
    queue.parallel_for(count, kernel, *args).wait()


def test_checksums_of_bytes(queue):
    rows = CHANCE.integers(0, 256, (50, 33)).astype(np.uint8)
    crc, adler, fnv = (np.zeros(50, np.uint32) for _ in range(3))

    def kernel(i):
        h, a, b, f = np.uint32(0xFFFFFFFF), np.uint32(1), np.uint32(0), np.uint32(2166136261)
        for k in range(33):
            h ^= rows[i, k]
            for _ in range(8):
                h = (h >> 1) ^ 0xEDB88320 if h & 1 else h >> 1
            a = (a + rows[i, k]) % 65521
            b = (b + a) % 65521
            f = (f ^ rows[i, k]) * 16777619
        crc[i], adler[i], fnv[i] = ~h, b << 16 | a, f

    run(queue, 50, kernel)
    assert [zlib.crc32(r.tobytes()) for r in rows] == crc.tolist()
    assert [zlib.adler32(r.tobytes()) for r in rows] == adler.tolist()
    for row, found in zip(rows.tolist(), fnv.tolist(), strict=True):
        h = 2166136261
        for byte in row:
            h = (h ^ byte) * 16777619 % 2**32
        assert h == found


def test_random_numbers_of_64_bits(queue):
    seeds = CHANCE.integers(1, 2**63, 64).astype(np.uint64)
    shift, split = np.zeros(64, np.uint64), np.zeros(64, np.uint64)

    def kernel(i):
        x = seeds[i]
        for _ in range(5):
            x ^= x << 13
            x ^= x >> 7
            x ^= x << 17
        shift[i] = x
        z = seeds[i] + 0x9E3779B97F4A7C15
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB
        split[i] = z ^ (z >> 31)

    run(queue, 64, kernel)
    top = 2**64
    for seed, a, b in zip(seeds.tolist(), shift.tolist(), split.tolist(), strict=True):
        x = seed
        for _ in range(5):
            x ^= x << 13 & top - 1
            x ^= x >> 7
            x ^= x << 17 & top - 1
        z = (seed + 0x9E3779B97F4A7C15) % top
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % top
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % top
        assert (x, z ^ (z >> 31)) == (a, b)


def power(base, exponent, modulus):
    result = np.int64(1)
    base = base % modulus
    while exponent > 0:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result


def divisor(a, b):
    while b:
        a, b = b, a % b
    return a


def test_number_theory(queue):
    a, b = CHANCE.integers(1, 2**31, (2, 100))
    m = CHANCE.integers(1, 2**31, 100)
    powers, divisors, steps, root = (np.zeros(100, np.int64) for _ in range(4))

    def kernel(i):
        powers[i] = power(a[i], b[i], m[i])
        divisors[i] = divisor(a[i], b[i])
        n, count = a[i], np.int64(0)
        while n != 1:
            n = 3 * n + 1 if n % 2 else n // 2
            count += 1
        steps[i] = count
        x = a[i]
        while True:
            y = (x + a[i] // x) // 2
            if y >= x:
                break
            x = y
        root[i] = x

    run(queue, 100, kernel)
    assert [pow(*map(int, x)) for x in zip(a, b, m, strict=True)] == powers.tolist()
    assert [math.gcd(*map(int, x)) for x in zip(a, b, strict=True)] == divisors.tolist()
    assert [math.isqrt(int(x)) for x in a] == root.tolist()
    for n, found in zip(a.tolist(), steps.tolist(), strict=True):
        count = 0
        while n != 1:
            n, count = (3 * n + 1 if n % 2 else n // 2), count + 1
        assert count == found


def test_dates_from_days(queue):
    days = CHANCE.integers(-100000, 100000, 200).astype(np.int32)
    out = np.zeros((200, 3), np.int32)

    def kernel(i):
        z = days[i] + 719468
        era = z // 146097
        doe = z % 146097
        yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
        doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
        mp = (5 * doy + 2) // 153
        month = mp + 3 if mp < 10 else mp - 9
        out[i, 0] = yoe + era * 400 + (1 if month <= 2 else 0)
        out[i, 1] = month
        out[i, 2] = doy - (153 * mp + 2) // 5 + 1

    run(queue, 200, kernel)
    start = datetime.date(1970, 1, 1)
    dates = [start + datetime.timedelta(int(d)) for d in days]
    assert [[d.year, d.month, d.day] for d in dates] == out.tolist()


def test_distances_of_texts(queue):
    a = CHANCE.integers(97, 100, (40, 9)).astype(np.uint8)
    b = CHANCE.integers(97, 100, (40, 7)).astype(np.uint8)
    out = np.zeros(40, np.int32)

    def kernel(i):
        row = sycl.private_array(np.int32, 8)
        for k in range(8):
            row[k] = k
        for j in range(9):
            last = row[0]
            row[0] = j + 1
            for k in range(7):
                cost = last if a[i, j] == b[i, k] else last + 1
                last = row[k + 1]
                row[k + 1] = min(cost, last + 1, row[k] + 1)
        out[i] = row[7]

    def distance(x, y):
        if not x or not y:
            return len(x) + len(y)
        table = {(p, q): max(p, q) for p in range(len(x) + 1) for q in range(len(y) + 1)
                 if not p * q}
        for p in range(1, len(x) + 1):
            for q in range(1, len(y) + 1):
                table[p, q] = min(table[p - 1, q] + 1, table[p, q - 1] + 1,
                                  table[p - 1, q - 1] + (x[p - 1] != y[q - 1]))
        return table[len(x), len(y)]

    run(queue, 40, kernel)
    assert [distance(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)] == out.tolist()


@pytest.mark.parametrize("n", [4, 6, 7])
def test_queens_by_a_stack_of_ones_own(queue, n):
    found = np.zeros(n, np.int32)

    def kernel(first):
        place = sycl.private_array(np.int32, 8)
        place[0] = first
        row, count, column = 1, np.int32(0), 0
        while row > 0:
            ok = False
            while column < n and not ok:
                ok = True
                for k in range(row):
                    gap = place[k] - column
                    if gap == 0 or abs(gap) == row - k:
                        ok = False
                        break
                if not ok:
                    column += 1
            if ok:
                if row == n - 1:
                    count += 1
                    column += 1
                else:
                    place[row] = column
                    row += 1
                    column = 0
            else:
                row -= 1
                column = place[row] + 1
        found[first] = count

    run(queue, n, kernel)
    assert {4: 2, 6: 4, 7: 40}[n] == found.sum()


def test_life_and_filters_with_edges(queue):
    board = CHANCE.integers(0, 2, (20, 30)).astype(np.uint8)
    after, edges = np.zeros_like(board), np.zeros((20, 30), np.int32)

    def kernel(it):
        y, x = it[0], it[1]
        near = np.int32(0)
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                if dy == 0 and dx == 0:
                    continue
                v, u = y + dy, x + dx
                if v < 0 or v >= 20 or u < 0 or u >= 30:
                    continue
                near += board[v, u]
                edges[y, x] += np.int32(board[v, u]) * dx * (2 - abs(dy))
        after[y, x] = 1 if near == 3 or (near == 2 and board[y, x]) else 0

    run(queue, (20, 30), kernel)
    wide = np.pad(board.astype(np.int32), 1)
    parts = {(p, q): wide[1 + p:21 + p, 1 + q:31 + q] for p in (-1, 0, 1) for q in (-1, 0, 1)}
    near = sum(parts.values()) - board
    assert np.array_equal((near == 3) | ((near == 2) & (board == 1)), after)
    assert np.array_equal(sum(v * q * (2 - abs(p)) for (p, q), v in parts.items()), edges)


def test_sets_of_complex_numbers(queue):
    side, limit = 40, 60
    found = np.zeros((side, side), np.int32)

    def kernel(it):
        c = np.complex64(complex(it[1] * 0.0625 - 2, it[0] * 0.0625 - 1.25))
        z, count = c, np.int32(0)
        while count < limit and z.real * z.real + z.imag * z.imag < 4:
            z = z * z + c
            count += 1
        found[it[0], it[1]] = count

    run(queue, (side, side), kernel)
    re, im = np.meshgrid(np.arange(side) * .0625 - 2, np.arange(side) * .0625 - 1.25)
    c = (re + 1j * im).astype(np.complex128)
    z, want = c.copy(), np.zeros((side, side), int)
    for _ in range(limit):
        inside = (abs(z) < 2) & (want >= 0)
        z = np.where(inside, z * z + c, 9)
        want += inside
    assert (want != found).mean() < 0.02


def test_big_integers_multiply(queue):
    a, b = CHANCE.integers(0, 2**32, (2, 20, 4), dtype=np.uint64).astype(np.uint32)
    out = np.zeros((20, 8), np.uint32)

    def kernel(i):
        for j in range(4):
            carry = np.uint64(0)
            for k in range(4):
                total = np.uint64(a[i, j]) * np.uint64(b[i, k]) + out[i, j + k] + carry
                out[i, j + k] = total & 0xFFFFFFFF
                carry = total >> 32
            out[i, j + 4] = carry

    run(queue, 20, kernel)
    whole = lambda row: sum(int(x) << 32 * k for k, x in enumerate(row))  # noqa: E731
    assert [whole(x) * whole(y) for x, y in zip(a, b, strict=True)] == [whole(x) for x in out]


@pytest.mark.parametrize("size", [8, 16, 64])
def test_groups_sort_and_scan(queue, size):
    x = CHANCE.integers(-1000, 1000, 3 * size).astype(np.int32)
    order, sums = x.copy(), np.zeros_like(x)

    def kernel(it, tile):
        g, k, i = it.get_group(), it.get_local_id(0), it.get_global_id(0)
        tile[k] = x[i]
        sycl.group_barrier(g)
        width = 2
        while width <= size:
            step = width // 2
            while step > 0:
                other = k ^ step
                if other > k:
                    low, high = tile[k], tile[other]
                    if (low > high) == ((k & width) == 0):
                        tile[k], tile[other] = high, low
                sycl.group_barrier(g)
                step //= 2
            width *= 2
        order[i] = tile[k]
        sycl.group_barrier(g)
        tile[k] = -x[i]
        sycl.group_barrier(g)
        step = 1
        while step < size:
            more = tile[k - step] if k >= step else np.int32(0)
            sycl.group_barrier(g)
            tile[k] += more
            sycl.group_barrier(g)
            step *= 2
        sums[i] = tile[k]

    queue.submit(lambda h: h.parallel_for(
        sycl.nd_range(3 * size, size), kernel, sycl.local_accessor(np.int32, size, h))).wait()
    rows = x.reshape(3, size)
    assert np.array_equal(np.sort(rows, 1).ravel(), order)
    assert np.array_equal((-rows).cumsum(1).ravel(), sums)
