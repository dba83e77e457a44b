"""Kernels and variables may have any name that Python takes (SYCL 2020 §5.2).

What they are called here, devices with compilers of others call something of their own.
"""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl


def mix(get_global_id, x):
    x[get_global_id] = 1 + get_global_id


def step(i, read_imagef):
    read_imagef[i] = 1 + i


def as_float(i, x):
    get_global_size = 1
    x[i] = get_global_size + i


def atomic_load(convert_int, x):
    x[convert_int] = 1 + convert_int


def work_group_all(i, barrier):
    half = 1 + i
    barrier[i] = half


@pytest.mark.row("C-10")
def test_names_are_not_those_of_the_devices_compiler(queue: sycl.queue) -> None:
    for kernel in (mix, step, as_float, atomic_load, work_group_all):
        x = np.zeros(4, np.int32)
        queue.parallel_for(4, kernel, x).wait()
        assert [1, 2, 3, 4] == x.tolist()
