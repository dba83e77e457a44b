"""Launches as the driver gets them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.unit.runtime.null import null_queue
from unisycl.backends.null.driver import NullDriver
from unisycl.runtime.launch.launch import space_geometry


def store(i, p, value):
    p[i] = value


@pytest.mark.parametrize(("space", "expected"), [
    (4, ("range", (4,), (), (0,))), (np.int64(4), ("range", (4,), (), (0,))),
    ((2, 3), ("range", (2, 3), (), (0, 0))), (sycl.range(5), ("range", (5,), (), (0,))),
    (sycl.nd_range(8, 4), ("nd_range", (8,), (4,), (0,))),
    (sycl.nd_range((8, 8), (4, 2), (1, 1)), ("nd_range", (8, 8), (4, 2), (1, 1))),
    (sycl.nd_range(0, 4), ("nd_range", (0,), (1,), (0,)))])
def test_every_index_space_has_a_geometry(space, expected) -> None:
    g = space_geometry(space)
    assert expected == (g.kind, g.global_, g.local, g.offset)


def test_an_offset_must_have_the_ranges_dimensions() -> None:
    with pytest.raises(sycl.exception, match="differ"):
        space_geometry(sycl.range(4), sycl.id(1, 2))


def test_the_driver_gets_bound_values() -> None:
    driver = NullDriver(automatic=True)
    p = np.zeros(4, np.float32)
    null_queue(driver).parallel_for(4, store, p, 2.5)
    launch = driver.records[0].payload
    assert np.shares_memory(p, launch.values[0].memory)
    assert np.float64(2.5) == launch.values[1]
    assert (p, 2.5)[1] == launch.arguments[1]
    assert launch.function is store


def test_an_empty_index_space_reaches_no_driver() -> None:
    driver = NullDriver(automatic=True)
    null_queue(driver).parallel_for(0, store, np.zeros(4), 1).wait()
    assert [] == driver.records


def test_a_reduction_over_nothing_stores_the_identity_if_told_to() -> None:
    driver = NullDriver(automatic=True)
    queue, total = null_queue(driver), np.ones(1)

    def kernel(i, acc):
        acc += 1.0
    init = sycl.property.reduction.initialize_to_identity()
    queue.parallel_for(0, sycl.reduction(total, sycl.plus), kernel).wait()
    assert [] == driver.records
    queue.parallel_for(0, sycl.reduction(total, sycl.plus, init), kernel).wait()
    assert ["fill"] == [r.kind for r in driver.records]


def test_copies_and_fills_reach_the_driver() -> None:
    driver = NullDriver(automatic=True)
    queue = null_queue(driver)
    a, b = np.zeros((2, 3)), np.zeros(6)
    queue.copy(a, b)
    queue.memcpy(b, a, 8)
    queue.memset(b, 1)
    queue.fill(a, 2)
    assert ["copy", "copy", "fill", "fill"] == [r.kind for r in driver.records]
    dst, src = driver.records[0].payload
    assert (2, 3) == dst.shape == src.shape
    assert (8,) == driver.records[1].payload[0].shape


def add_one(i, p):
    p[i] += 1


def calls_of(once: Callable[[], Any]) -> int:
    """Return how many Python functions a warm call enters, itself included.

    The least of some calls: a finaliser of something else may come in between.
    """
    for _ in range(10):
        once()
    return min(_count(once) for _ in range(5))


def _count(once: Callable[[], Any]) -> int:
    count = [0]

    def note(frame: object, event: str, argument: object) -> None:
        count[0] += event == "call"
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        once()
    finally:
        sys.setprofile(before)
    return count[0]


def test_a_warm_launch_enters_few_functions() -> None:
    """Counts do not depend on the load: who adds a call to every launch sees it here."""
    q = sycl.queue(sycl.cpu_selector_v)
    p, b = sycl.malloc_shared(16, np.float32, q), sycl.buffer(np.zeros(16, np.float32))

    def with_usm(h: sycl.handler) -> None:
        h.parallel_for(16, add_one, p)

    def with_accessor(h: sycl.handler) -> None:
        h.parallel_for(16, add_one, sycl.accessor(b, h))
    assert calls_of(lambda: q.parallel_for(16, add_one, p).wait()) <= 18
    assert calls_of(lambda: q.submit(with_usm).wait()) <= 30
    assert calls_of(lambda: q.submit(with_accessor).wait()) <= 50


def test_a_bound_launch_enters_few_functions_before_the_driver() -> None:
    """On a device that runs nothing at once, behind a command that has not ended.

    Four of them ask the fake whether a command has ended.
    """
    driver = NullDriver()
    driver.quick = False
    q = null_queue(driver, sycl.property.queue.in_order())
    bound = q.bind(16, add_one, np.zeros(16, np.float32))
    count = calls_of(bound)
    of_driver = calls_of(lambda: driver.launch(driver.records[-1].payload, ())) - 1
    for record in driver.records:
        record.completion.finish()
    assert count - of_driver <= 12
