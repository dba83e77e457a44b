"""How many lanes kernels have that step over the launch, or whose groups have odd rows."""

from __future__ import annotations

import numpy as np

import unisycl as sycl
from unisycl.backends.cpu.emit.widths import choose_lanes
from unisycl.frontend.specialize import specialize

z = np.zeros((64, 64))
x, y = (np.zeros(4096, np.float64) for _ in range(2))


def lanes(function: object, *local: int) -> int:
    local = local or (256,)
    return choose_lanes(specialize(function, "nd_range", len(local), (), (), local).kernel, 512)


def test_steps_of_the_whole_launch_take_more_of_each_page() -> None:
    def summed(it):  # type: ignore[no-untyped-def]
        total = 0.0
        for i in range(it.get_global_id(0), 4096, it.get_global_range(0)):
            total += x[i]
        y[it.get_global_id(0)] = total
    assert lanes(summed) == 64


def test_steps_of_one_and_questions_about_sub_groups_keep_two_vectors() -> None:
    def rows(it):  # type: ignore[no-untyped-def]
        total = 0.0
        for i in range(it.get_local_id(0), 4096):
            total += x[i]
        y[it.get_global_id(0)] = total

    def shared(it):  # type: ignore[no-untyped-def]
        total = 0.0
        for i in range(it.get_global_id(0), 4096, it.get_global_range(0)):
            total += x[i]
        y[it.get_global_id(0)] = sycl.reduce_over_group(it.get_sub_group(), total, sycl.plus)
    assert lanes(rows) == 16
    assert lanes(shared) == 16


def test_items_run_one_by_one_where_rows_end_within_vectors_and_all_is_gathered() -> None:
    def tile(it):  # type: ignore[no-untyped-def]
        row, col = it.get_local_id(0), it.get_local_id(1)
        total = 0.0
        for k in range(8):
            total += z[row, k] * z[k, col]
        z[row, col] = total
    assert lanes(tile, 5, 5) == 1
    assert lanes(tile, 8, 8) == 8
