"""``a[-1]``: a negative number written in brackets counts from the end, as in Python."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl

RECORD = np.dtype([("a", np.int32), ("h", np.int32, 3)])
COUNT = 4


def last(x):
    return x[-1]


def kernel(i, out, a, rows, records, ends):
    mine = np.zeros(3, np.int64)
    mine[-1] = i + 1
    part = a[2:6]
    ends[i, -1] = 9
    ends[i, -2] += part[-1] + len(part[:-1])
    total = a[-1] + a[-3] * 10 + rows[-1, -2] * 100 + rows[i][-1] + rows[-2][i] + rows[i, -4]
    for x in a[-3:]:
        total = total * 3 + x
    for x in a[1:-5]:
        total += x
    out[i] = total + mine[-1] + mine[-3] + records[-1]["h"][-1] * 7 + last(a) + last((1, i))


@pytest.mark.part("D-62")
def test_numbers_in_brackets_count_from_the_end(device: sycl.device) -> None:
    """Of arrays, rows, windows, private arrays, arrays in records; also in debugged kernels."""
    a = np.arange(10, 18, dtype=np.int64)
    rows = np.arange(16, dtype=np.int64).reshape(4, 4)
    records = np.zeros(3, RECORD)
    records["h"] = np.arange(9).reshape(3, 3)
    expected, found = np.zeros((2, COUNT), np.int64)
    wanted, ends = np.zeros((2, COUNT, 3), np.int64)
    for i in range(COUNT):
        kernel(i, expected, a, rows, records, wanted)
    for what in ("", "bounds,races,uninitialised"):
        queue = sycl.queue(device, sycl.property.queue.debug(what)) if what else sycl.queue(device)
        ends[:] = 0
        queue.parallel_for(COUNT, kernel, found, a, rows, records, ends).wait_and_throw()
        assert found.tolist() == expected.tolist()
        assert ends.tolist() == wanted.tolist()


def mirrored(it, out, a, rows, records):
    """Indices written as numbers below zero, of ids, counters, data and sizes."""
    i = it.get_id(0)
    mine = np.zeros(3, np.int64)
    for k in range(3):
        mine[~k] = i * 10 + k
    part = a[2:6]
    total = a[-1 - i] + a[~i] * 2 + a[-i] * 3 + part[-i - 1] * 5 + rows[-1 - i, ~i] + rows[-i][-i]
    for k in range(1, 4):
        total = total * 3 + a[-k] + a[-2 * k] + a[-(k + i) % 8]
    for k in (1, 2):
        total += a[-k] + a[-8 + i] + a[-1 if i % 2 else 0] + a[i if i > 2 else ~i]
    total += sum(a[-1 - k] * k for k in range(3)) + max([a[-2], a[~i]])
    n = part[0] % 3 + 1
    for x in a[-n:]:
        total = total * 3 + x
    for x in a[1:-n]:
        total += x
    out[-1 - i] = total + mine[-1 - i % 3] + records[~(i % 3)]["h"][-1 - i % 3]


@pytest.mark.part("D-62")
def test_what_is_written_below_zero_counts_from_the_end(device: sycl.device) -> None:
    a = np.arange(10, 18, dtype=np.int64)
    rows = np.arange(16, dtype=np.int64).reshape(4, 4)
    records = np.zeros(3, RECORD)
    records["h"] = np.arange(9).reshape(3, 3)
    expected, found = np.zeros((2, COUNT), np.int64)
    for i in range(COUNT):
        mirrored(Item(i), expected, a, rows, records)
    for what in ("", "bounds,races,uninitialised"):
        queue = sycl.queue(device, sycl.property.queue.debug(what)) if what else sycl.queue(device)
        found[:] = 0
        queue.parallel_for(sycl.range(COUNT), mirrored, found, a, rows, records).wait_and_throw()
        assert found.tolist() == expected.tolist()


def count(i, a):
    sycl.atomic_ref(a, -1 - i).fetch_add(1)


@pytest.mark.part("D-62")
def test_atomics_have_no_end_to_count_from(queue: sycl.queue) -> None:
    with pytest.raises(sycl.KernelError, match="K059.*atomic_ref.*is negative"):
        queue.parallel_for(4, count, np.zeros(4, np.int32))


class Item(int):
    def get_id(self, _):
        return int(self)


def fill(i, a, n):
    a[i:i + 2] = 7
    a[n - 4] = 1


@pytest.mark.part("D-62")
def test_what_is_computed_does_not(device: sycl.device) -> None:
    """Debugged kernels report it; windows are filled there, too."""
    queue = sycl.queue(device, sycl.property.queue.debug("bounds,races"))
    a = np.zeros(8, np.int32)
    queue.parallel_for(1, fill, a, 8).wait_and_throw()
    assert a.tolist() == [7, 7, 0, 0, 1, 0, 0, 0]
    with pytest.raises(sycl.exception, match="index -1 is outside 'a'"):
        queue.parallel_for(1, fill, a, 3).wait_and_throw()
