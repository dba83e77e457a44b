"""Complex numbers in reductions (SYCL 2020 §4.9.2): sums part by part, others as they are."""

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


def turns(kind: type, count: int = N) -> np.ndarray:
    """Return numbers whose products are exact: powers of the imaginary unit, and some twos."""
    rng = np.random.default_rng(8)
    found = (1j ** rng.integers(0, 4, count)).round().astype(kind)
    found[rng.permutation(count)[:40]] *= 2
    return found


def multiply(i, product, x):
    product *= x[i]


@pytest.mark.row("D-44", "D-45")
@TYPES
def test_complex_numbers_are_multiplied_with_what_was_there(queue: sycl.queue, kind: type) -> None:
    x, product = turns(kind), np.full(1, 1 + 3j, kind)
    with refused(queue.get_device(), *needs(kind)):
        queue.parallel_for(N, sycl.reduction(product, sycl.multiplies), multiply, x).wait()
    assert x.prod() * (1 + 3j) == product[0]


@pytest.mark.row("D-44")
@TYPES
def test_products_in_usm_buffers_and_spans(queue: sycl.queue, kind: type) -> None:
    x, fresh = turns(kind), sycl.property.reduction.initialize_to_identity()

    def spread_product(i, products, x):
        products[i % 3] *= x[i]

    with refused(queue.get_device(), *needs(kind)):
        p, three = sycl.malloc_shared(2, kind, queue), np.full(3, 2j, kind)
        p[:] = 7
        queue.parallel_for(N, sycl.reduction(p, 1, sycl.multiplies, fresh), multiply, x).wait()
        queue.parallel_for(N, sycl.reduction(three, sycl.multiplies), spread_product, x).wait()
        with sycl.buffer(np.full(1, 2, kind)) as whole:
            queue.submit(lambda h: h.parallel_for(
                sycl.nd_range(N, 50), sycl.reduction(whole, h, sycl.multiplies),
                lambda it, r, x: r.combine(x[it.get_global_id(0)]), x)).wait()
            with sycl.host_accessor(whole, sycl.read_only) as seen:
                buffered = seen[0]
    assert [x.prod(), 7] == list(p)
    assert [x[k::3].prod() * 2j for k in range(3)] == three.tolist()
    assert x.prod() * 2 == buffered


@pytest.mark.row("D-44")
def test_an_operator_of_the_users_own_sees_whole_numbers(queue: sycl.queue) -> None:
    x = turns(np.complex64, 300) * np.float32(3)

    def either(a, b):  # the one that lies farther to the right, then farther up
        first = a.real > b.real or (a.real == b.real and a.imag > b.imag)
        return a if first else b

    def kernel(i, r, all, x):
        r.combine(x[i])
        if i > 9:
            all[i % 2].combine(x[i])

    far, two = np.full(1, -99, np.complex64), np.full(2, -99, np.complex64)
    queue.parallel_for(300, sycl.reduction(far, either), sycl.reduction(two, either), kernel,
                       x).wait()
    best = max(x.tolist(), key=lambda z: (z.real, z.imag))
    assert best == far[0]
    assert best == max(two.tolist(), key=lambda z: (z.real, z.imag))
    queue.parallel_for(300, sycl.reduction(far, either), lambda i, r, x: None, x).wait()
    assert best == far[0]


@pytest.mark.row("D-44")
def test_a_sum_that_starts_at_a_given_number(queue: sycl.queue) -> None:
    product = np.full(1, 5, np.complex64)
    queue.parallel_for(1, sycl.reduction(product, 1j, sycl.multiplies), lambda i, r: r.combine(
        r.identity() + 2)).wait()
    # How often the identity counts is open (§4.9.2.1): whatever turn it gives, sizes are these.
    assert abs(product[0]) == np.float32(5 * abs(2 + 1j))
    none = np.full(3, 5, np.complex64)
    queue.parallel_for(0, sycl.reduction(
        none, 1j, sycl.multiplies, sycl.property.reduction.initialize_to_identity()),
        lambda i, r: r[0].combine(1j)).wait()
    assert [1j, 1j, 1j] == none.tolist()


@pytest.mark.row("D-44", "D-62")
def test_what_has_no_meaning_for_complex_numbers_is_refused(queue: sycl.queue) -> None:
    total = np.zeros(1, np.complex64)
    for wanted in (sycl.minimum, sycl.bit_xor):
        with pytest.raises(sycl.exception, match="K036"):
            queue.parallel_for(8, sycl.reduction(total, wanted), lambda i, r: r.combine(1j))
    with pytest.raises(sycl.exception, match="none is known for multiplies on complex64"):
        sycl.reduction(total, sycl.multiplies,
                       sycl.property.reduction.initialize_to_identity())
    with pytest.raises(sycl.exception, match="span of 2"):
        queue.parallel_for(8, sycl.reduction(np.zeros(2, np.complex64), sycl.plus),
                           lambda i, r: r.combine(1j)).wait()
