"""How many lanes kernels have whose work-items go through memory in steps as long as the launch."""

from __future__ import annotations

import numpy as np

import unisycl as sycl
from unisycl.backends.cpu.emit.widths import choose_lanes
from unisycl.frontend.specialize import specialize

x, y = (np.zeros(4096, np.float64) for _ in range(2))


def lanes(function: object) -> int:
    return choose_lanes(specialize(function, "nd_range", 1, (), (), (256,)).kernel, 512)


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
