"""Which elements at places that lanes compute are read together."""

from __future__ import annotations

import numpy as np

from unisycl.frontend.specialize import specialize
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.passes.simd import pairs, shapes

a, b = np.zeros(64, np.float32), np.zeros(64, np.float32)
places, short, image = np.zeros(64, np.int32), np.zeros(64, np.uint8), np.zeros((64, 64), np.int16)
records = np.zeros(64, [("x", np.float32), ("y", np.float32)])


def joined(function: object, lanes: int = 8) -> list[int]:
    """Return how many elements are read together, in order."""
    def query(name: str, dim: int) -> shapes.Shape:
        return shapes.Shape(shapes.LINEAR, 1) if name == "global_id" else shapes.UNIFORM
    kernel = specialize(function, "range", 1).kernel
    found = pairs.run(kernel, lambda k: shapes.analyse(k.body, query, {}), lanes).body
    return [len(s.results) for s in visit.statements(found) if isinstance(s, n.LoadMany)]


def test_elements_side_by_side_at_places_of_lanes_are_read_together() -> None:
    def interpolated(i):  # type: ignore[no-untyped-def]
        x = a[i] * np.float32(9)
        k = max(0, min(int(x), len(a) - 2))
        b[i] = a[k] + (x - np.float32(k)) * (a[k + 1] - a[k])

    def cubic(i):  # type: ignore[no-untyped-def]
        k = places[i]
        if k > 0:
            b[i] = a[k + 1] - a[k - 1] + a[k + 2] * a[k]

    def corners(i):  # type: ignore[no-untyped-def]
        y, x = int(a[i]), int(b[i])
        short[i] = image[y, x + 1] + image[y, x] + image[y + 1, x] + image[y + 1, 1 + x]

    def ends(i):  # type: ignore[no-untyped-def]
        total = 0
        for k in range(places[short[i]], places[short[i] + 1]):
            total += k
        j = places[i]
        for k in range(places[j], places[j + 1]):
            total += k
        b[i] = total

    def in_rows(i):  # type: ignore[no-untyped-def]
        total = a[i]
        for k in range(2 * i, 40, 7):
            total += image[i, k] * image[i, k + 1]
        b[i] = total
    assert joined(interpolated) == [2]
    assert joined(cubic) == [4]
    assert joined(corners) == [2, 2]
    def listed(i):  # type: ignore[no-untyped-def]
        k = places[i]
        b[i] = a[k] + a[k + 1]
    assert joined(ends) == []  # what memory tells itself is not compared
    assert joined(listed) == []  # a list is asked whether it goes on without gaps
    assert joined(in_rows) == [2]
    assert joined(corners, lanes=1) == []


def test_what_lanes_have_side_by_side_or_with_gaps_stays() -> None:
    def stencil(i):  # type: ignore[no-untyped-def]
        b[i] = a[i] + a[i + 1]

    def shared(i):  # type: ignore[no-untyped-def]
        k = places[3]
        b[i] = a[k] + a[k + 1]

    def gaps(i):  # type: ignore[no-untyped-def]
        k = places[i]
        b[i] = a[k] + a[k + 2]

    def many(i):  # type: ignore[no-untyped-def]
        k = places[i]
        b[i] = a[k] + a[k + 1] + a[k + 2] + a[k + 3] + a[k + 4]

    def other_memory(i):  # type: ignore[no-untyped-def]
        k = places[i]
        short[i] = int(a[k]) + int(b[k + 1])

    def other_rows(i):  # type: ignore[no-untyped-def]
        y = places[i]
        b[i] = image[y, y] + image[y + 1, y + 1]

    def members(i):  # type: ignore[no-untyped-def]
        k = places[i]
        b[i] = records[k].x + records[k + 1].x

    def wraps(i):  # type: ignore[no-untyped-def]
        k = short[i]
        b[i] = a[k] + a[k + 1]
    for function in (stencil, shared, gaps, many, other_memory, other_rows, members, wraps):
        assert joined(function) == [], function.__name__


def test_what_is_written_or_moved_in_between_is_read_anew() -> None:
    def moved(i):  # type: ignore[no-untyped-def]
        k = places[i]
        x = a[k]
        k += 4
        b[i] = x + a[k + 1]

    def written(i):  # type: ignore[no-untyped-def]
        k = places[i]
        x = a[k]
        a[i] = 3
        b[i] = x + a[k + 1]

    def on_one_path(i):  # type: ignore[no-untyped-def]
        k = places[i]
        x = a[k]
        if k > 5:
            x += a[k + 1]
        b[i] = x
    for function in (moved, written, on_one_path):
        assert joined(function) == [], function.__name__
