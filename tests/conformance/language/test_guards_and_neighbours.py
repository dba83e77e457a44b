"""Guards, clamps and wrapped neighbours along a row: each item as Python has it, at every edge."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")
LENGTHS = (1, 15, 16, 31, 33, 64, 65, 130)
Kernel = Callable[..., None]


def guarded(i, a, b, n):
    if i < n:
        b[i] = a[i] * 2


def early(i, a, b, n):
    if i >= n:
        return
    x = a[i]
    if x > 50:
        return
    b[i] = x + 1


def both_sides(i, a, b, n):
    if i < n:
        b[i] = a[i] + i
    else:
        b[i] = a[i] - n


def window(i, a, b, n):
    if n // 2 <= i and i < n and a[i] != 7:
        b[i] = a[i]


def boundary(i, a, b, n):
    if i == 0 or i == n:
        b[i] = -1
    else:
        b[i] = a[i - 1] + a[i]


def clamped(i, a, b, n):
    last = a.shape[0] - 1
    b[i] = a[max(i - 2, 0)] + a[min(i + 1, last)] + a[max(min(i + n, last), 0)]


def chosen(i, a, b, n):
    left = i - 1 if i > 0 else a.shape[0] - 1
    right = 0 if i == a.shape[0] - 1 else i + 1
    b[i] = a[left] - a[right] + n


def wrapped(i, a, b, n):
    size = a.shape[0]
    b[i] = a[(i - 1 + size) % size] + 3 * a[(i + n) % size]


def bent(i, a, b, n):
    size = a.shape[0]
    left, right = i - 1, i + 1
    if left < 0:
        left = size - 1
    if right == size:
        right = 0
    third = i - n % size
    if third < 0:
        third += size
    elif third > size - 1:
        third = 0
    b[i] = a[left] * 2 - a[right] + 5 * a[third]


def descending(i, a, b, n):
    k = a.shape[0] - 1 - i
    if k > n and k > 0:
        b[k] = a[k] - a[k - 1]


def backwards(i, a, b, n):
    k = a.shape[0] - 1 - i
    b[k] = a[k] * 3 + a[i]
    if a[i] > 40:
        b[k] = a[k] - n


def sides_of_bits(i, a, b, n):
    b[i] = (i >> 6) + (i & 127) * a[i] + (i - n) // 100 + (i * 3 - n) % 1000


def in_a_loop(i, a, b, n):
    total = 0
    for k in range(3):
        if i + k < n:
            total += a[min(i + k, a.shape[0] - 1)]
        if k == 1 and i == n:
            break
    b[i] = total


def counted(i, a, b, n):
    best = -1
    for k in range(max(n, -5), min(n + 3, 1 << 50)):
        if (a[i] + k) % 3 == 0:
            best = k
    b[i] = best + a[i] * n


def wide(i, a, b, n):
    if i * 1000000007 < n * 3000000019:
        b[i] = a[i]
    elif (i + 9223372036854775000) % 1000 > n:
        b[i] = -a[i]


ROWS = (guarded, early, both_sides, window, boundary, clamped, chosen, wrapped, bent,
        descending, backwards, sides_of_bits, in_a_loop, counted, wide)


@pytest.mark.parametrize("kernel", ROWS, ids=[k.__name__ for k in ROWS])
def test_every_item_of_a_row_is_as_in_python(queue: sycl.queue, kernel: Kernel) -> None:
    for length in LENGTHS:
        a = (np.arange(length, dtype=np.int64) * 37 + 5) % 101
        large = () if kernel is wide else ((1 << 31) - 1, (1 << 40) + 3, -1 << 33)
        for n in (-3, 0, 1, length // 2, length - 1, length, length + 40, *large):
            found, wanted = np.zeros((2, length), np.int64)
            for i in range(length):
                kernel(i, a, wanted, n)
            queue.parallel_for(length, kernel, a, found, n).wait()
            np.testing.assert_array_equal(found, wanted, f"{length} items, n = {n}")


def leaving(i, a, b, n):
    if i >= n:
        return
    for k in range(3):
        if a[i] > 30 * k + n:
            b[i] = k
            return
    b[i] = i


ITEMS = (guarded, early, both_sides, leaving)


@pytest.mark.parametrize("kernel", ITEMS, ids=[k.__name__ for k in ITEMS])
def test_every_item_of_an_nd_range_is_as_in_python(queue: sycl.queue, kernel: Kernel) -> None:
    def items(it, a, b, n):
        kernel(it.get_global_id(0), a, b, n)
    for length, group in ((64, 32), (96, 48), (33, 11), (130, 65)):
        a = (np.arange(length, dtype=np.int64) * 37 + 5) % 101
        for n in (-3, 0, 1, length // 2, length - 1, length, length + 40):
            found, wanted = np.zeros((2, length), np.int64)
            for i in range(length):
                kernel(i, a, wanted, n)
            queue.parallel_for(sycl.nd_range(length, group), items, a, found, n).wait()
            np.testing.assert_array_equal(found, wanted, f"{length} items, n = {n}")


def inner_points(it, a, b, n):
    y, x = it[0], it[1]
    if 0 < x and x < n - 1 and 0 < y and y < a.shape[0] - 1:
        b[y, x] = a[y, x - 1] + a[y, x + 1] + a[y - 1, x] + a[y + 1, x]


def outer_points(it, a, b, n):
    y, x = it[0], it[1]
    inside = x > 0 and x < n - 1
    if not inside or y == 0 or y == a.shape[0] - 1:
        b[y, x] = a[y, x]
    else:
        b[y, x] = a[y - 1, x - 1]


def torus(it, a, b, n):
    h, w = a.shape
    y, x = it[0], it[1]
    b[y, x] = a[(y + 1) % h, x] - a[(y - 1 + h) % h, (x + 1) % w] + n


def replicated(it, a, b, n):
    h, w = a.shape
    y, x = it[0], it[1]
    total = 0
    for dx in range(-1, 2):
        total += a[min(max(y + dx, 0), h - 1), min(max(x + dx, 0), w - 1)]
    b[y, x] = total + n


def ring(it, a, b, n):
    h, w = a.shape
    y, x = it[0], it[1]
    total = 0
    for dy in range(-1, 2):
        for dx in (-2, 0, 1):
            total += a[(y + dy + h) % h, (x + dx + 2 * w) % w]
    for k in range(3, -2, -2):
        total += a[y, (x + k + 3 * w) % w] * k
    b[y, x] = total + n


AWAY = ((0, 1, 2), (-1, 0, 3), (1, -2, 1), (0, 0, -4), (2, -1, 1), (-2, 1, 2), (1, 1, 1), (3, 3, 0))


def listed(it, a, b, n):
    h, w = a.shape
    y, x = it[0], it[1]
    kept = sycl.private_array(np.int32, 8)
    total = 0
    for k in range(8):
        dy, dx, weight = AWAY[k]
        at = x + dx
        if at < 0:
            at += w
        value = a[(y + dy + 3 * h) % h, (at + 3 * w) % w]
        kept[7 - k] = value * (k - 3)
        if value > 3:
            total += weight
    for k in range(7, -1, -1):
        total += kept[k] * AWAY[k][2] + n
    b[y, x] = total


PLANES = (inner_points, outer_points, torus, replicated, ring, listed)


@pytest.mark.parametrize("kernel", PLANES, ids=[k.__name__ for k in PLANES])
def test_every_item_of_a_plane_is_as_in_python(queue: sycl.queue, kernel: Kernel) -> None:
    for shape in ((1, 1), (3, 33), (5, 64), (2, 31), (4, 100)):
        a = (np.arange(np.prod(shape), dtype=np.int32) * 37 % 101).astype(np.int32).reshape(shape)
        for n in (0, 2, shape[1] - 1, shape[1]):
            found, wanted = np.zeros((2, *shape), np.int32)
            for y, x in np.ndindex(*shape):
                kernel((int(y), int(x)), a, wanted, n)
            queue.parallel_for(shape, kernel, a, found, n).wait()
            np.testing.assert_array_equal(found, wanted, f"{shape}, n = {n}")


def flat(i, a, b, w):
    y = i // w
    x = i % w
    if x > 0 and y < a.shape[0]:
        b[y, x] = a[y, x] + a[y, x - 1]


@pytest.mark.parametrize("width", [1, 3, 31, 32, 33, 64, 200])
def test_a_row_number_and_a_column_are_made_of_one_id(queue: sycl.queue, width: int) -> None:
    a = np.arange(7 * width, dtype=np.int32).reshape(7, width)
    found, wanted = np.zeros((2, 7, width), np.int32)
    for i in range(7 * width + 5):
        flat(i, a, wanted, width)
    queue.parallel_for(7 * width + 5, flat, a, found, width).wait()
    np.testing.assert_array_equal(found, wanted)


def offset_guard(it, a, b, n):
    i = it.get_id(0)
    if i > 10 and i < n:
        b[i] = a[i]


def test_ids_with_an_offset_meet_their_guard(queue: sycl.queue) -> None:
    a = np.arange(100, dtype=np.float32)
    for n in (5, 11, 40, 99, 300):
        found = np.zeros(100, np.float32)
        queue.submit(lambda h, found=found, n=n: h.parallel_for(
            sycl.range(93), sycl.id(7), lambda it: offset_guard(it, a, found, n))).wait()
        wanted = np.where((np.arange(100) > 10) & (np.arange(100) < n), a, 0)
        np.testing.assert_array_equal(found, wanted)


def summed(i, a, n, total):
    if i < n:
        total.combine(a[i])


def test_a_guarded_sum_takes_what_the_guard_lets_through(queue: sycl.queue) -> None:
    a = np.arange(1000, dtype=np.int64)
    for n in (0, 1, 31, 32, 33, 500, 999, 1000, 2000):
        out = np.zeros(1, np.int64)

        def kernel(i, total, n=n):
            summed(i, a, n, total)
        queue.parallel_for(1000, sycl.reduction(out, sycl.plus()), kernel).wait()
        assert out[0] == a[:max(n, 0)].sum()


def test_a_large_guarded_output_is_whole(queue: sycl.queue) -> None:
    if queue.get_device().get_backend() == sycl.backend.host:
        pytest.skip("16 million work-items take the host device minutes")
    count = (1 << 24) + 77
    a = np.arange(count + 3, dtype=np.float32)[3:]
    twice = a * 2
    for n in (count, count - 40, count // 3):
        out = np.zeros(count + 1, np.float32)[1:]
        queue.parallel_for(count, lambda i, a, b, n: guarded(i, a, b, n), a, out, n).wait()
        assert np.array_equal(out[:n], twice[:n])
        assert not out[n:].any()


def of_columns(it, a, b, n):
    y, x = it[0], it[1]
    if y > 0 and y < n:
        b[y, x] = a[y, x] + a[y - 1, x]


def of_deep_columns(it, a, b, n):
    z, y, x = it[0], it[1], it[2]
    b[z, y, x] = a[z, max(y - 1, 0), x] + n


COLUMNS = [((1, 1), 1), ((33, 1), 1), ((100, 1), 1), ((70, 1), 3), ((1, 70), 70)]


@pytest.mark.parametrize(("extent", "width"), COLUMNS)
def test_a_range_with_rows_of_one_item_is_as_in_python(queue: sycl.queue, extent: tuple[int, int],
                                                       width: int) -> None:
    a = np.arange(extent[0] * width, dtype=np.int32).reshape(extent[0], width)
    for n in (0, 5, extent[0]):
        found, wanted = np.zeros((2, *a.shape), np.int32)
        for y, x in np.ndindex(*extent):
            of_columns((int(y), int(x)), a, wanted, n)
        queue.parallel_for(extent, of_columns, a, found, n).wait()
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("extent", [(3, 50, 1), (40, 1, 1), (1, 33, 1), (2, 1, 34)])
def test_units_at_the_end_of_three_dimensions(queue: sycl.queue, extent: tuple[int, ...]) -> None:
    a = np.arange(np.prod(extent), dtype=np.int32).reshape(extent)
    found, wanted = np.zeros((2, *extent), np.int32)
    for z, y, x in np.ndindex(*extent):
        of_deep_columns((int(z), int(y), int(x)), a, wanted, 3)
    queue.parallel_for(extent, of_deep_columns, a, found, 3).wait()
    np.testing.assert_array_equal(found, wanted)


def test_a_sum_over_a_column_of_items(queue: sycl.queue) -> None:
    a, out = np.arange(500, dtype=np.int64).reshape(500, 1), np.zeros(1, np.int64)
    queue.parallel_for((500, 1), sycl.reduction(out, sycl.plus()),
                       lambda it, total: total.combine(a[it[0], it[1]])).wait()
    assert out[0] == a.sum()


def compared(it, out, n):
    i = it.get_global_id(0)
    j = np.int32(i) * np.int32(3) - np.int32(40)
    r = np.int32(0)
    if i < n:
        r |= 1
    if n <= i:
        r |= 2
    if i == n:
        r |= 4
    if n > j:
        r |= 8
    if j >= n:
        r |= 16
    out[i] = r


def test_ids_of_groups_compare_with_numbers_of_any_size(queue):
    out = sycl.malloc_shared(64, np.int32, queue)
    i = np.arange(64)
    for n in (-2**63, -2**31 - 1, -17, 0, 1, 15, 16, 17, 33, 63, 64, 2**31, 2**63 - 1):
        queue.parallel_for(sycl.nd_range(64, 32), compared, out, n).wait()
        j = i * 3 - 40
        expected = (i < n) * 1 | (n <= i) * 2 | (i == n) * 4 | (n > j) * 8 | (j >= n) * 16
        assert list(out) == list(expected)
