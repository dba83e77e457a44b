"""Loads by a list of places: as in Python where the list holds runs, and where it does not."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.part("D-11")


def corners(ii, out, a, b, zones, jp):
    i = zones[ii]
    x = a[i] + 2 * a[i + 1] + 3 * a[i + jp] + b[1, i - 1]
    if x > 40:
        x -= a[i + jp + 1]
    out[ii] = x - b[0, i]


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_loads_by_a_list_of_places(queue, kind):
    random = np.random.default_rng(4)
    a = (np.arange(400) * 7 % 31).astype(np.int32)
    b = (np.arange(800) * 5 % 17).astype(np.int32).reshape(2, 400)
    runs = np.concatenate([np.arange(5, 105), np.arange(200, 217), np.arange(150, 90, -1)])
    for zones in (runs, np.arange(1, 130), random.integers(1, 380, 130), np.full(77, 3)):
        zones = zones.astype(kind)
        out = np.zeros(len(zones), np.int32)
        wanted = out.copy()
        for ii in range(len(zones)):
            corners(ii, wanted, a, b, zones, 12)
        queue.parallel_for(len(zones), corners, out, a, b, zones, 12).wait()
        np.testing.assert_array_equal(out, wanted)


def looked_up(it, out, table, rows, which, row):
    i = it[0]
    at = which[i]
    out[0, i] = table[at]
    out[1, i] = rows[row, which[i]]
    for k in range(3):
        out[2, i] += rows[k, which[i]] * (k + 1)


def beside(it, out, image, west, east):
    y, x = it[0], it[1]
    here = image[y, x]
    out[y, x] = (image[y, west[x]] - here) * 3 - image[y, east[x]]


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_elements_by_places_of_a_list(queue, dtype, kind):
    """A place that one expression asks for; also where the list's vectors end early."""
    random = np.random.default_rng(5)
    table = (np.arange(50) * 7 % 31).astype(dtype)
    rows = (np.arange(150) * 5 % 17).astype(dtype).reshape(3, 50)
    for size in (1, 8, 19, 33):
        which = random.integers(0, 50, size).astype(kind)
        out = np.zeros((3, size), dtype)
        wanted = np.stack([table[which], rows[2, which],
                           rows[0, which] + 2 * rows[1, which] + 3 * rows[2, which]])
        queue.parallel_for((size,), looked_up, out, table, rows, which, 2).wait()
        np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_neighbours_by_lists(queue, kind):
    """Lists that are runs but for their ends, turned round, or anything, beside the place."""
    random = np.random.default_rng(6)
    for width in (3, 17, 40):
        image = (np.arange(3 * width) * 7 % 31).astype(np.float32).reshape(3, width)
        clamped = np.clip(np.arange(-1, width - 1), 0, width - 1)
        for west in (clamped, clamped[::-1].copy(), random.integers(0, width, width)):
            east = np.roll(west, 3)
            out = np.zeros_like(image)
            queue.parallel_for((3, width), beside, out, image, west.astype(kind),
                               east.astype(kind)).wait()
            np.testing.assert_array_equal(out, (image[:, west] - image) * 3 - image[:, east])
