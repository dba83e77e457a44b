"""Plain ranges so large that a device may give several work-items to one of its threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl


@pytest.fixture
def crowd(device: sycl.device) -> int:
    """Return a number of work-items with which every compute unit has more than enough to do."""
    return 8192 * int(device.get_info(sycl.info.device.max_compute_units))


@pytest.mark.row("C-2")
@pytest.mark.parametrize("more", [-1, 0, 1, 255, 777])
def test_every_item_runs_once_and_none_beyond(queue: sycl.queue, crowd: int, more: int) -> None:
    n = crowd + more
    a, seen = np.arange(n + 9, dtype=np.float32), np.zeros(n + 9, np.int8)
    out = np.full(n + 9, -1, np.float32)

    def kernel(i: Any) -> None:
        seen[i] = seen[i] + np.int8(1)
        out[i] = a[i] * np.float32(2)
    queue.parallel_for(n, kernel).wait()
    assert np.array_equal(out[:n], 2 * a[:n])
    assert (seen[:n] == 1).all()
    assert not seen[n:].any()
    assert (out[n:] == -1).all()


@pytest.mark.row("C-2")
def test_offsets_and_indices_read_from_memory(queue: sycl.queue, crowd: int) -> None:
    n, start = crowd + 100, 7
    places = np.random.default_rng(5).permutation(n + start)
    a, out = np.arange(n + start, dtype=np.float64), np.zeros(n + start)

    def kernel(i: Any) -> None:
        at = places[i]
        out[places[at]] = a[at] + a[i]

    @queue.submit
    def group(h: sycl.handler) -> None:
        h.parallel_for(sycl.range(n), sycl.id(start), kernel)
    queue.wait()
    expected, ids = np.zeros(n + start), np.arange(start, n + start)
    expected[places[places[ids]]] = a[places[ids]] + a[ids]
    assert np.array_equal(out, expected)
