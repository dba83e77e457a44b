"""Host accessors apart from any device."""

from __future__ import annotations

import numpy as np

import unisycl as sycl
from unisycl.runtime.threads.per_process import process


def test_letting_go_inside_the_lock_does_not_deadlock() -> None:
    b = sycl.buffer(np.zeros(4))
    held = sycl.host_accessor(b)
    with process.lock:
        del held
    with sycl.host_accessor(b) as again:
        assert 0 == again[0]


def test_closing_the_buffer_closes_it() -> None:
    b = sycl.buffer(np.zeros(4))
    held = sycl.host_accessor(b)
    b.close()
    assert not held.is_open()


def test_iteration_and_numpy() -> None:
    x = np.arange(4.0)
    with sycl.host_accessor(sycl.buffer(x)) as view:
        assert [0, 1, 2, 3] == list(view)
        assert np.shares_memory(np.asarray(view), x)
        assert not np.shares_memory(np.array(view), x)
