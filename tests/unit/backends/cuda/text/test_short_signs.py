"""Negatives of the least short: narrowed out of sight of an assembler that loses their sign."""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from tests.cuda_fake.install import installed
from tests.cuda_fake.library import FakeCuda


def turned(i: Any, a: Any, wide: Any) -> None:
    wide[i] = -a[i] + (abs(a[i]) // a[i])


def test_shorts_are_narrowed_out_of_sight() -> None:
    for dtype in (np.int16, np.int8, np.int32, np.uint16):
        with installed(FakeCuda(seed=1)) as (_, kernels):
            queue = sycl.queue("cuda", sycl.property.queue.in_order())
            a = sycl.malloc_shared(4, dtype, queue)
            wide = sycl.malloc_shared(4, np.int64, queue)
            a.get_view()[:] = given = np.arange(1, 5, dtype=dtype)
            queue.parallel_for(4, turned, a, wide).wait_and_throw()
            assert (wide.get_view() == -given + np.abs(given) // given).all()
            assert ("low_half" in kernels.made[0].text) is (dtype is np.int16)
