"""Sums of complex numbers by ``reduction`` (SYCL 2020 §4.9.2)."""

from __future__ import annotations

import numpy as np
import pytest

import unisycl as sycl
from unisycl.testing import refused

N = 1000
TYPES = pytest.mark.parametrize("kind", [np.complex64, np.complex128])


def numbers(kind: type) -> np.ndarray:
    rng = np.random.default_rng(7)
    return (rng.integers(-9, 9, N) + 1j * rng.integers(-9, 9, N)).astype(kind)


def needs(kind: type) -> tuple[sycl.aspect, ...]:
    return (sycl.aspect.fp64,) if kind is np.complex128 else ()


def add(i, total, x):
    total += x[i]


def spread(i, totals, x):
    totals[i % 3] += x[i]


@pytest.mark.row("D-44", "D-45")
@TYPES
def test_complex_numbers_are_added_to_what_was_there(queue: sycl.queue, kind: type) -> None:
    x, total = numbers(kind), np.full(1, 2 + 1j, kind)
    with refused(queue.get_device(), *needs(kind)), sycl.buffer(x) as bx, \
            sycl.buffer(total) as bt:
        queue.submit(lambda h: h.parallel_for(
            N, sycl.reduction(bt, h, sycl.plus), add, sycl.accessor(bx, h, sycl.read_only)))
        queue.wait_and_throw()
    assert x.sum() + 2 + 1j == total[0]


@pytest.mark.row("D-44")
@TYPES
def test_usm_arrays_and_spans_of_complex_numbers(queue: sycl.queue, kind: type) -> None:
    p, x = sycl.malloc_shared(N, kind, queue), numbers(kind)
    p[:] = x
    with refused(queue.get_device(), *needs(kind)):
        single, three = sycl.malloc_shared(2, kind, queue), np.full(3, 1j, kind)
        single[:] = 5 - 1j
        queue.parallel_for(N, sycl.reduction(single, sycl.plus), add, p).wait()
        queue.parallel_for(N, sycl.reduction(three, 0, sycl.plus), spread, p).wait()
    assert [x.sum() + 5 - 1j, 5 - 1j] == list(single)
    assert [x[k::3].sum() + 1j for k in range(3)] == three.tolist()


@pytest.mark.row("D-44")
def test_over_work_groups_from_the_identity(queue: sycl.queue) -> None:
    x, total = numbers(np.complex64), np.full(1, 9j, np.complex64)

    def kernel(it, total, x):
        if it.get_global_id(0) == 0:
            total.combine(total.identity())
            total += 3
        total.combine(x[it.get_global_id(0)])
    queue.parallel_for(sycl.nd_range(N, 100), sycl.reduction(
        total, sycl.plus, sycl.property.reduction.initialize_to_identity()), kernel, x).wait()
    assert x.sum() + 3 == total[0]


@pytest.mark.row("D-44", "D-62")
def test_no_other_operator_reduces_them(queue: sycl.queue) -> None:
    total = np.zeros(1, np.complex64)
    for wanted in ((sycl.multiplies,), (1j, sycl.plus)):
        with pytest.raises(sycl.exception, match="complex numbers are added"):
            queue.parallel_for(8, sycl.reduction(total, *wanted), lambda i, r: r.combine(1j))
    with pytest.raises(sycl.exception, match="span of 2"):
        queue.parallel_for(8, sycl.reduction(np.zeros(2, np.complex64), sycl.plus),
                           lambda i, r: r.combine(1j)).wait()
