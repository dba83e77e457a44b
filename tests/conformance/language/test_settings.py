"""Branches by what a kernel captures: the way not taken may hold what does not fit."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import unisycl as sycl
from unisycl.runtime.launch.compiled_kernels import kernels

pytestmark = pytest.mark.row("D-11")
N = 5
ONE = np.arange(1.0, N + 1)
TWO = np.arange(2.0 * N).reshape(N, 2)
WIDE = False


@dataclasses.dataclass
class Settings:
    wide: bool = False
    order: int = 1


class Scale:
    def __init__(self, *, inverse):
        self.inverse = inverse

    def __call__(self, i, out, a):
        if self.inverse:
            out[i] = 1 / a[i]
        else:
            out[i] = a[i]


def run(queue, kernel, *arguments):
    out = np.zeros(N)
    queue.parallel_for(N, kernel, out, *arguments).wait_and_throw()
    return out


def test_captured_bools_decide(queue):
    def make(wide):
        def kernel(i, out, a):
            value = a[i, 1] if wide else a[i]
            out[i] = value
            if not wide and i > 0:
                out[i] += a[i - 1]
        return kernel

    def given(i, out, a, wide):
        if wide:
            out[i] = a[i, 0]
        else:
            out[i] = a[i]
    before = np.concatenate(([0.0], ONE[:-1]))
    assert np.array_equal(run(queue, make(wide=True), TWO), TWO[:, 1])
    assert np.array_equal(run(queue, make(wide=False), ONE), ONE + before)
    assert np.array_equal(run(queue, given, TWO, True), TWO[:, 0])
    assert np.array_equal(run(queue, given, ONE, False), ONE)


def test_a_bool_that_changes_is_followed(queue, monkeypatch):
    scale, settings = Scale(inverse=True), Settings()
    assert np.array_equal(run(queue, scale, ONE), 1 / ONE)
    scale.inverse = False
    assert np.array_equal(run(queue, scale, ONE), ONE)

    def kernel(i, out, a):
        if settings.wide and settings.order == 2:
            out[i] = a[i, 0]
        elif settings.wide:
            out[i] = a[i]
        elif WIDE:
            out[i] = -2
        else:
            out[i] = -1
    assert np.array_equal(run(queue, kernel, ONE), np.full(N, -1.0))
    monkeypatch.setattr(f"{__name__}.WIDE", True)
    assert np.array_equal(run(queue, kernel, ONE), np.full(N, -2.0))
    settings.wide = True
    assert np.array_equal(run(queue, kernel, ONE), ONE)
    settings.order = 2
    assert np.array_equal(run(queue, kernel, TWO), TWO[:, 0])


def test_numbers_decide_where_the_kernel_is_wrong_otherwise(queue):
    def make(ndim):
        flat = ndim < 2

        def kernel(i, out, a):
            if flat:
                out[i] = a[i]
            elif ndim == 2:
                out[i] = a[i, 1]
            else:
                out[i] = a[i, 0, 1]
        return kernel
    three = np.arange(4.0 * N).reshape(N, 2, 2)
    for a, wanted in ((ONE, ONE), (TWO, TWO[:, 1]), (three, three[:, 0, 1]), (TWO, TWO[:, 1])):
        assert np.array_equal(run(queue, make(a.ndim), a), wanted)


def test_what_is_wrong_on_the_way_taken_is_told(queue):
    ndim = 1

    def kernel(i, out, a):
        if ndim == 2:
            out[i] = a[i, 0]
        else:
            out[i] = a[i, 0, 0]
    with pytest.raises(sycl.KernelError, match="0, 0"):
        run(queue, kernel, ONE)


def test_numbers_that_conditions_hold_are_not_known(queue):
    """A kernel that compiles is compiled once, whatever its integers are."""
    def kernel(i, out, a, k, limit):
        up = (i & k) == 0
        many = k > limit
        out[i] = a[i] if up else -a[i]
        if many:
            out[i] *= 2
    with kernels() as seen:
        for k in range(1, 5):
            wanted = np.where(np.arange(N) & k, -ONE, ONE) * (2 if k > 2 else 1)
            assert np.array_equal(run(queue, kernel, ONE, k, 2), wanted)
    assert len(seen) == 1
