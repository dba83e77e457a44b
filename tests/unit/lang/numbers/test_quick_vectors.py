"""What kernels on the host device do with vectors by short ways gives the bits of the long ones."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.lang.numbers import geometric

SPECIAL = (0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 1e-30, 3e38, 1e-45, 65504.0)


@pytest.mark.parametrize("kind", [sycl.float3, sycl.double3, sycl.half3, sycl.float4])
def test_operators_dot_and_normalize(kind):
    rng = np.random.default_rng(3)
    count, element = kind.count, kind.element
    a = np.zeros(40, kind.dtype)
    with np.errstate(all="ignore"):
        for k in range(40):
            numbers = np.where(rng.random(count) < 0.3, rng.choice(SPECIAL, count),
                               rng.normal(size=count) * 10.0 ** rng.integers(-3, 4, count))
            a[k] = kind(*numbers.astype(element))
    out, dots = np.zeros((40, 4), kind.dtype), np.zeros(40, element)
    three = element.type(3)

    def kernel(i, a, out, dots):
        b = a[39 - i]
        out[i, 0], out[i, 1], out[i, 2] = a[i] - b, a[i] * three, three + a[i]
        out[i, 3] = sycl.normalize(a[i])
        dots[i] = sycl.dot(a[i], b)

    queue = sycl.queue(sycl.host_selector_v)
    for _ in range(2):  # the first one goes the long way, and notes the short one
        queue.parallel_for(40, kernel, a, out, dots).wait_and_throw()
    with np.errstate(all="ignore"):
        for k in range(40):
            one, other = a[k], a[39 - k]
            mine, theirs = one._get(), other._get()
            expected = [mine - theirs, mine * three, three + mine,
                        geometric._normalize(one)._get()]
            found = [out[k, j]._get() for j in range(4)]
            assert all(np.array_equal(e, f, equal_nan=True)
                       for e, f in zip(expected, found, strict=True)), (one, other)
            assert np.array_equal(geometric._dot(one, other), dots[k], equal_nan=True)
    padding = out.view(element).reshape(40, 4, kind.room)[..., count:]
    assert not padding.any()
