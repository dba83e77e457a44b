"""Objects that a kernel calls are objects: chosen as it runs, asked for attributes, operated on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

Array = np.ndarray[Any, Any]
N = 37
DATA = np.random.default_rng(0).integers(0, 50, N).astype(np.int32)


@dataclass(frozen=True)
class Line:
    k: int
    w: int

    def __call__(self, v: int) -> int:
        return v * self.k + self.w

    def __add__(self, other: Line) -> Line:
        return Line(self.k + other.k, self.w)


class Times:
    def __init__(self, k: Any) -> None:
        self.k = k

    def __call__(self, v: Any) -> Any:
        return v * self.k

    def __sub__(self, x: Any) -> Any:
        return self.k - x

    def both(self, v: Any) -> Any:
        return self(v) + self.k


LINES = (Line(1, 2), Line(3, 4), Line(5, 6))
ONE = LINES[1]
TIMES = (Times(1), Times(2), Times(3))
MIXED = (Times(1), Times(2.5))


def ways(i: Any, a: Any, out: Any) -> None:
    chosen = LINES[a[i] % 3]
    other = ONE
    if a[i] > 9:
        other = LINES[0]
    out[i] = chosen.k + chosen(3) + 10 * other.w + other(7)


def sums(i: Any, a: Any, out: Any) -> None:
    line = ONE if a[i] % 2 else LINES[2]
    for k in range(a[i] % 4):
        line = line + ONE if k % 2 else LINES[k]
    out[i] = line.k + line(3)


def classes(i: Any, a: Any, out: Any) -> None:
    one = TIMES[0]
    for k in range(a[i] % 3):
        one = TIMES[k]
    two = TIMES[1] if a[i] % 5 else TIMES[2]
    out[i] = one(a[i]) + one.k + two.both(2) + (two - 1) + isinstance(two, Times)


def mixed(i: Any, a: Any, out: Any) -> None:
    out[i] = MIXED[a[i] % 2](a[i])


@pytest.mark.part
@pytest.mark.parametrize("kernel", [ways, sums, classes, mixed])
def test_called_objects_are_chosen_field_by_field(queue: sycl.queue, kernel: Any) -> None:
    found, wanted = np.zeros(N), np.zeros(N)
    queue.parallel_for(N, kernel, DATA, found).wait()
    for i in range(N):
        kernel(i, DATA, wanted)
    assert np.array_equal(found, wanted)


class Reader:
    def __init__(self, a: Array, k: int) -> None:
        self.a, self.k = a, k

    def __call__(self, j: Any) -> Any:
        return self.a[j] * self.k

    def __add__(self, x: int) -> int:
        return self.k + x


@pytest.mark.part
def test_called_objects_keep_what_they_hold(queue: sycl.queue) -> None:
    reader, found = Reader(DATA, 3), np.zeros((2, N), np.int64)

    def captured(i: Any, out: Any) -> None:
        out[i] = reader(i) + reader.k + (reader + 1) + reader.a[i] + isinstance(reader, Reader)

    def given(i: Any, read: Any, out: Any) -> None:
        out[i] = read(i) + read.k + read.a[i]
    queue.parallel_for(N, captured, found[0]).wait()
    queue.parallel_for(N, given, Reader(DATA, 2), found[1]).wait()
    assert np.array_equal(found[0], 4 * DATA.astype(np.int64) + 8)
    assert np.array_equal(found[1], 3 * DATA.astype(np.int64) + 2)
