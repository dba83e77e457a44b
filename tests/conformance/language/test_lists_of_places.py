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
