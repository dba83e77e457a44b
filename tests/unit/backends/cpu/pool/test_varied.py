"""Forms of launches whose numbers vary: the same argument blocks, as small launches only."""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.backends.cpu.pool import varied
from unisycl.runtime.launch import launch


def turned(i: Any, out: Any, n: Any, by: Any, flag: Any) -> None:
    x = np.float32(0)
    for _ in range(n):
        x += by
    out[i] = x if flag > 0 else -x


def test_a_form_serves_while_a_launch_is_small_and_numbers_fit() -> None:
    q = sycl.queue(sycl.cpu_selector_v)
    out = np.zeros(16, np.float32)
    made = launch.build(q.channel, None, turned, launch.space_geometry(16),
                        (out, 3, np.float32(2), np.int8(1)))
    form = varied.form(made, (1, 2, 3))
    assert form is not None
    for n, by, flag in ((4, np.float32(0.25), np.int8(1)), (0, np.float32(1), np.int8(-1)),
                        (7, np.float32(-3), np.int8(-5))):
        run = form(made.geometry, made.values, (out, n, by, flag))
        assert run is not None
        run()
        assert (out == (1 if flag > 0 else -1) * n * by).all()
    assert form(made.geometry, made.values, (out, 1 << 40, np.float32(1), np.int8(1))) is None
    assert form(made.geometry, made.values, (out, 1 << 64, np.float32(1), np.int8(1))) is None
