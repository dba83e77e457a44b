"""Parts of memory by slices: columns, steps, tiles. They are places in it, as in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.part("D-11")
N = 12
APART = 3


def numbers() -> tuple[np.ndarray[Any, Any], ...]:
    """Return two tables of whole numbers, one of floats, a block, and where results go."""
    random = np.random.default_rng(3)
    table = random.integers(-9, 10, (N, 8)).astype(np.int32)
    return (table, table[::-1].copy(), random.normal(size=(N, 300)).astype(np.float32),
            random.integers(-5, 6, (5, 6, 7)).astype(np.float64), np.zeros((N, 8)))


def columns(i, a, b, f, t, out):  # type: ignore[no-untyped-def]
    column = a[:, i % 8]
    out[i, 0] = column.sum() + 100 * column.argmax() + 1000 * column[3] + column[-1]
    for k, x in enumerate(column):
        out[i, 1] += k * x
    out[i, 2] = sum(a[:, 1]) + max(a[1:-1, 2]) + (5 in a[:, 3]) * 100 + len(a[1:-2, 0]) * 1000
    out[i, 3] = sum(x * y for x, y in zip(a[i], b[:8, i % 8]))
    for k in range(3):
        if a[i, k] > 0:
            column = a[:, k]
    out[i, 4] = np.max(column) + column.shape[0] * 100 + column.ndim


def steps(i, a, b, f, t, out):  # type: ignore[no-untyped-def]
    out[i, 0] = f[i, ::2].sum()
    out[i, 1] = f[i, ::-1].sum()
    out[i, 2] = f[i, 5::APART].mean() + f[i, ::-1].argmax()
    out[i, 3] = f[i, -1:10:-7].sum()
    out[i, 4] = f[::-1, i].prod() + f[:, i + 7].max()
    x, y, z, w = a[i, ::2] if a[i, 0] > 0 else a[i, 1::2]
    out[i, 5] = x + 10 * y + 100 * z + 1000 * w
    out[i, 6] = a[i, 1:][::2][1] + 100 * a[i, ::-1][::-2][1] + 10000 * len(a[i, 7:0:-APART])
    for x in a[i, ::-APART]:
        out[i, 7] = out[i, 7] * 3 + x


def read(tile, p, q, r):  # type: ignore[no-untyped-def]
    return tile[p, q, r]


def tiles(i, a, b, f, t, out):  # type: ignore[no-untyped-def]
    y = i % 4 + 1
    tile = t[0:3, y - 1:y + 2, 2:5]
    for p in range(3):
        for q in range(3):
            for r in range(3):
                out[i, 0] += read(tile, p, q, r) * (p + 3 * q + 9 * r)
    out[i, 1] = tile[1][2][0] + 10 * tile[1, 2, -1] + 100 * tile[2, 0].sum()
    out[i, 2] = tile[:, 1, 1].sum() + 100 * tile[..., 2][1, 0] + 1000 * tile[1:, ::2][0][1][2]
    for plane in tile:
        for row in plane:
            out[i, 3] += row[1]
    out[i, 4] = len(tile) + tile.ndim * 10 + tile.shape[2] * 100 + t[..., y][2, 1]
    out[i, 5] = a[i % 3:i % 3 + 2][0].sum() + a[-2:][1][2]


def written(i, a, b, f, t, out):  # type: ignore[no-untyped-def]
    if i < 8:
        a[:, i] = i
        a[::2, i][1] = 50 + i
        a[1:3, i][1] += 70
    b[i, ::2] = 1, 2, 3, i
    b[i, 1::2][2] = 7
    b[i, ::-1][0] += 40
    mine = np.zeros((4, 4))
    mine[1, :] = 2
    mine[:, 2] = 3
    mine[::2, ::2] = i
    mine[1:, 3][-1] -= 1
    out[i, 0] = mine[1].sum() + 100 * mine[:, 2].sum() + 1000 * mine[0].max() + mine[3, 3]


@pytest.mark.parametrize("kernel", [columns, steps, tiles, written])
def test_parts_are_what_python_says(queue: sycl.queue, kernel: Callable[..., None]) -> None:
    found, wanted = numbers(), numbers()
    queue.parallel_for(N, kernel, *found).wait()
    for i in range(N):
        kernel(i, *wanted)
    for x, y in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(x, y)


def test_accessors_and_local_memory_have_parts(queue: sycl.queue) -> None:
    table = np.arange(64, dtype=np.int32).reshape(8, 8)
    with sycl.buffer(table) as buffer:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(buffer, h)
            tile = sycl.local_accessor(np.int32, (8, 8), h)

            def kernel(it: Any) -> None:
                at = it.get_local_id(0)
                for k, x in enumerate(acc[at]):
                    tile[at, k] = x
                sycl.group_barrier(it.get_group())
                acc[at, 0] = tile[:, at].sum()
                acc[at, 1] = tile[::-1, at][1]
            h.parallel_for(sycl.nd_range(8, 8), kernel)
        queue.submit(group)
    before = np.arange(64).reshape(8, 8)
    np.testing.assert_array_equal(table[:, 0], before.sum(0))
    np.testing.assert_array_equal(table[:, 1], before[6])


def add_to_a_column(i, a):  # type: ignore[no-untyped-def]
    a[:, 1] += 1


def copy_a_column(i, a):  # type: ignore[no-untyped-def]
    a[:, 1] = a[:, 2]


def operate(i, a):  # type: ignore[no-untyped-def]
    a[i, 0] = (a[:, 1] + a[:, 2])[i]


def all_of_a_tile(i, a):  # type: ignore[no-untyped-def]
    a[i, 0] = a[::2].sum()


def a_step_of_a_run(i, a):  # type: ignore[no-untyped-def]
    a[i, 0] = a[i, ::i + 1].sum()


def a_step_of_zero(i, a):  # type: ignore[no-untyped-def]
    a[i, 0] = a[i, ::0].sum()


def two_steps(i, a):  # type: ignore[no-untyped-def]
    row = a[i, ::2] if i > 3 else a[i, ::3]
    a[i, 0] = row[0]


def too_many(i, a):  # type: ignore[no-untyped-def]
    a[i, 0] = a[:, 1][5, 3]


def which(i, a):  # type: ignore[no-untyped-def]
    column = a[:, 1]
    a[i, 0] = column is column


def unpacked_with_a_star(i, a):  # type: ignore[no-untyped-def]
    first, *_ = a[:, 1]
    a[i, 0] = first


@pytest.mark.part
def test_an_item_of_fewer_dimensions_leads_to_a_row(queue: sycl.queue) -> None:
    """image[at] of a picture with three dimensions, at an item of two."""
    image = np.random.default_rng(3).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    out, grey = np.zeros_like(image), np.zeros((5, 7), np.int32)

    def kernel(at, image, out, grey):  # type: ignore[no-untyped-def]
        r, g, b = image[at]
        grey[at] = np.int32(r) + g // 2 + b // 3
        for c in range(3):
            out[at][c] = 255 - image[at][c]
        out[at][1] = image[at].max()
        if at[0] == 2:
            out[at] = 1, image[at][2], 3
    queue.parallel_for((5, 7), kernel, image, out, grey).wait()
    wanted = 255 - image
    wanted[..., 1] = image.max(2)
    wanted[2, :, 0], wanted[2, :, 1], wanted[2, :, 2] = 1, image[2, :, 2], 3
    assert np.array_equal(out, wanted)
    assert np.array_equal(grey, image[..., 0].astype(np.int32) + image[..., 1] // 2
                          + image[..., 2] // 3)


@pytest.mark.part
def test_an_id_of_fewer_dimensions_leads_to_a_row(queue: sycl.queue) -> None:
    image, sums = np.arange(48.0).reshape(4, 4, 3), np.zeros((4, 4))

    def kernel(it, image, sums):  # type: ignore[no-untyped-def]
        sums[it.get_global_id()] = image[it.get_global_id()].sum() + image[it.get_local_id()][1]
    queue.parallel_for(sycl.nd_range((4, 4), (2, 2)), kernel, image, sums).wait()
    assert np.array_equal(sums, image.sum(2) + np.tile(image[:2, :2, 1], (2, 2)))


@pytest.mark.parametrize(("kernel", "reason"), [
    (add_to_a_column, "K037.*in a loop"), (copy_a_column, "copy in a loop"),
    (operate, "K049.*loop over"), (all_of_a_tile, "row by row"),
    (a_step_of_a_run, "step of a slice must be known"), (a_step_of_zero, "step of a slice is 0"),
    (two_steps, "K035.*in steps of 2 and a 1-dimensional part of 'a' in steps of 3"),
    (too_many, r"K037.*1 dimension\(s\), but 2"), (which, "K036"),
    (unpacked_with_a_star, "unpack it into names")])
def test_what_parts_cannot_do_is_refused(queue: sycl.queue, kernel: Callable[..., None],
                                         reason: str) -> None:
    with pytest.raises(sycl.KernelError, match=f"(?s){reason}"):
        queue.parallel_for(N, kernel, numbers()[0])


def beyond_its_end(i, a):  # type: ignore[no-untyped-def]
    a[i, 0] = a[::2, 1][i]


def twice_the_same(i, a):  # type: ignore[no-untyped-def]
    a[::-1, 2][i // 2] = i


@pytest.mark.parametrize(("kernel", "words", "reason"), [
    (beyond_its_end, "bounds", r"index 6 is outside .*'a.*\(range 6\): valid is 0 to 5"),
    (twice_the_same, "races", "data race: this work-item writes a")])
def test_checked_kernels_look_at_parts(queue: sycl.queue, kernel: Callable[..., None], words: str,
                                       reason: str) -> None:
    if words == "races" and queue.get_device().get_backend() not in (
            sycl.backend.cpu, sycl.backend.host):
        pytest.skip("races are found on the CPU and the host device")
    own = sycl.queue(queue.get_device(), sycl.property.queue.debug(words))
    with pytest.raises(sycl.exception, match=reason):
        own.parallel_for(N, kernel, numbers()[0]).wait()
