"""Vectors in memory: one access where their address allows it, one for each element elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from tests.cuda_fake.install import installed
from tests.cuda_fake.library import FakeCuda

N = 16


def double(i: Any, x: Any, y: Any, b: Any, off: Any) -> None:
    v, u = sycl.float4(), sycl.uchar4()
    v.load(i[0], x + off)
    u.load(i[0], b)
    (v * 2).store(i[0], y + off)
    (u + np.uint8(1)).store(i[0], b)
    sycl.float3(v.x, v.y, v.z).store(i[0], y + (4 * N + 1))


def test_vectors_are_moved_at_once_where_their_address_allows_it() -> None:
    with installed(FakeCuda(seed=1)) as (_, kernels):
        queue = sycl.queue("cuda", sycl.property.queue.in_order())
        x, y = (sycl.malloc_shared(7 * N + 1, np.float32, queue) for _ in range(2))
        b = sycl.malloc_shared(4 * N, np.uint8, queue)
        x.get_view()[:] = np.arange(7 * N + 1)
        for off in (0, 1):
            b.get_view()[:] = 7
            queue.parallel_for(N, double, x, y, b, off).wait_and_throw()
            assert (y.get_view()[off:4 * N + off] == 2 * x.get_view()[off:4 * N + off]).all()
            assert (b.get_view() == 8).all()
        text = kernels.made[0].text
        assert text.count("% 16 == 0) {") == 2
        assert text.count("% 4 == 0) {") == 2
        assert "= *(const float4 *)" in text
        assert "__stwb((float4 *)" in text
        assert "__stwb((uchar4 *)" in text
        assert "float3" not in text.split("extern")[1]
