"""What is said of kernels: how memory is reached, which versions there are, what would help."""

from __future__ import annotations

import numpy as np

import unisycl as sycl
from unisycl.backends.base import Geometry
from unisycl.backends.cpu.compile import options
from unisycl.backends.cpu.explain.explanation import explain
from unisycl.backends.cpu.variants import Key
from unisycl.frontend.specialize import specialize

a, b, c = (np.zeros((64, 64), np.float32) for _ in range(3))
row, out = (np.zeros(64, np.float32) for _ in range(2))
which = np.zeros(64, np.int32)
letters, table = np.zeros(64, np.uint8), np.zeros(256, np.uint8)


def text(function: object, ndim: int = 1, *args: object, kind: str = "range",
         flat: int = 0) -> str:
    kernel = specialize(function, kind, ndim, args).kernel
    return explain(kernel, Key(edge=True, small=True, stream=False, flat=flat),
                   Geometry(kind, (64,) * ndim))


def test_each_kind_of_access_is_named() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        out[i] = row[i] + row[3] + a[i, 5] + row[2 * i % 64] + row[which[i]] + b[63 - i, 0]
    said = text(kernel)
    assert "out[i]: side by side: written as one vector" in said
    assert "row[i]: side by side: read as one vector" in said
    assert "row[3]: one element for all lanes" in said
    assert "a[i, 5]: a gather" in said
    assert "lanes go along dimension 0 of a" in said
    assert "the index is read from memory: which[i]" in said
    assert "what would help" in said


def test_versions_are_listed_with_their_tests() -> None:
    def kernel(it, n):  # type: ignore[no-untyped-def]
        i, j = it[0], it[1]
        if i < n and j < n:
            total = np.float32(0)
            for k in range(64):
                total += a[i, k] * b[k, j]
            c[i, j] = total
    said = text(kernel, 2, 64)
    versions = ["4 rows of the range at once", "vectors whose guards are settled",
                "all other vectors, under masks"]
    assert [] == [v for k, v in enumerate(versions, 1) if f"{k}. {v}" not in said]
    assert "global_id[0] < n" in said
    assert "a[i, k]: one element for all lanes" in said


def test_rows_of_lanes_and_of_few_elements_are_named() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        total = b[i, 0] * b[i, 1]
        for k in range(64):
            total += a[i, k]
        out[i] = total
    said = text(kernel)
    assert "a[i, k]: along a row of each lane: 8 turns" in said
    assert "2 elements of a row read together" in said
    assert "gather" not in said


def test_neighbours_at_places_of_lanes_are_named() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        k = which[i] & 7
        out[i] = row[k] - row[k + 1]
    said = text(kernel)
    if options.of(specialize(kernel, "range", 1).kernel).machine.vector_bits < 512:
        assert "row[k]: 2 of each lane, side by side wherever the lane is" in said


def test_branches_that_lanes_take_differently_are_named() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        total = row[i]
        if total > 3:
            total = -total
        for k in range(which[i]):
            total += k
        out[i] = total
    said = text(kernel)
    assert "lanes take different sides" in said
    assert "lanes take different numbers of turns" in said


def test_kernels_without_vectors_say_why() -> None:
    def single():  # type: ignore[no-untyped-def]
        out[0] = row[1]
    assert "a single_task has no others beside it" in text(single, kind="single")

    def looked_up(i):  # type: ignore[no-untyped-def]
        letters[i] = table[letters[i]]
    assert "work-items run one after another" in text(looked_up)
    asked = sycl.kernel(reqd_sub_group_size=16)(looked_up)  # as it says
    assert "@sycl.kernel(reqd_sub_group_size=16)" in text(looked_up)
    assert "16 work-items run side by side" in text(asked)


def test_names_of_neighbours_go_along_the_lanes() -> None:
    def kernel(i):  # type: ignore[no-untyped-def]
        x = i + 1
        left = x - 1
        out[left] = row[left] + row[x]
    said = text(kernel)
    assert "row[left]: side by side" in said
    assert "gather" not in said


def test_short_rows_that_run_as_one_are_named() -> None:
    def kernel(it, w):  # type: ignore[no-untyped-def]
        c[it] = row[it[0] * w + it[1]]
    said = text(kernel, 2, 3, flat=2)
    assert "rows are short: the last 2 dimensions run as one where" in said
    assert "w == global_range[1]" in said
    assert "c[it]: side by side: written as one vector" in said
