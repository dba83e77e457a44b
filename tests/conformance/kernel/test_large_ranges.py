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


def third(it: Any, out: Any, begin: int) -> None:
    if it.get_id(0) % 3 == begin % 3 and it.get_id(0) >= begin + 70:
        out[0] = begin


def one(it: Any, out: Any, begin: int) -> None:
    at = it.get_id(0)
    if at == begin + 37:
        out[0] = at


def each(it: Any, out: Any, begin: int) -> None:
    at = it.get_id(0)
    if at % 5 and at - begin < 50:
        if at % 2 == 0 and at > begin + 2:
            out[at - begin] = at


def of_group(it: Any, out: Any, begin: int) -> None:
    if it.get_global_id(0) % 3 == begin % 3 and it.get_global_id(0) >= begin + 70:
        out[0] = begin


@pytest.mark.row("C-2")
@pytest.mark.parametrize("start", [2**30 - 40, 2**31 - 40, 2**31 + 64, 2**33])
def test_ids_beyond_32_bits_are_whole(queue: sycl.queue, start: int) -> None:
    """Ids may begin far from 0, so that few items have them; conditions keep all their bits."""
    outs = np.zeros((5, 101), np.int64)

    @queue.submit
    def group(h: sycl.handler) -> None:
        h.parallel_for(sycl.nd_range((96,), (16,), (start,)), of_group, outs[0], start)
    for out, n, kernel in zip(outs[1:], (101, 128, 101, 101), (third, third, one, each),
                              strict=True):
        def far(h: sycl.handler, out: Any = out, n: int = n, kernel: Any = kernel) -> None:
            h.parallel_for(sycl.range(n), sycl.id(start), kernel, out, start)
        queue.submit(far)
    queue.wait()
    assert outs[:4, 0].tolist() == [start, start, start, start + 37]
    assert outs[4].tolist() == [x if x % 5 and x - start < 50 and x % 2 == 0 and x > start + 2
                                else 0 for x in range(start, start + 101)]


@pytest.mark.row("C-2")
def test_ids_of_several_dimensions_beyond_32_bits_are_whole(queue: sycl.queue) -> None:
    start, found = (2**31 + 5, 2**33 - 9), np.zeros((3, 24), np.int64)

    def items(it: Any) -> None:
        y, x = it[0], it[1]
        if (x + y) % 3 and x >= 8589934590 and y > 2147483652:
            found[y - 2147483653, x - 8589934583] = x ^ y

    @queue.submit
    def group(h: sycl.handler) -> None:
        h.parallel_for(sycl.range(3, 24), sycl.id(*start), items)
    queue.wait()
    y, x = (s + k for s, k in zip(start, np.indices((3, 24)), strict=True))
    assert np.array_equal(found, np.where(((x + y) % 3 != 0) & (x >= 8589934590), x ^ y, 0))
