"""Queues apart from any device."""

from __future__ import annotations

import pytest

import unisycl as sycl
from tests.unit.runtime.null import null_queue, state
from unisycl.api.devices.device import device
from unisycl.backends.null.driver import NullDriver


def test_arguments_come_in_any_order() -> None:
    def handle(errors: sycl.exception_list) -> None:
        """Do nothing."""
    d = device._of(state())
    q = sycl.queue(sycl.context(d), d, handle, [sycl.property.queue.in_order()])
    assert handle is q.channel.handler
    assert q.is_in_order()
    with pytest.raises(sycl.exception, match="did not expect a int"):
        sycl.queue(3)


def test_profiling_needs_the_aspect() -> None:
    d = device._of(state(aspects=frozenset()))
    with pytest.raises(sycl.exception, match="queue_profiling") as caught:
        sycl.queue(d, sycl.property.queue.enable_profiling())
    assert sycl.errc.feature_not_supported == caught.value.code()


def test_decorators_submit_and_give_the_event() -> None:
    driver = NullDriver(automatic=True)
    q = null_queue(driver)

    @q.single_task()
    def one():
        pass

    @q.parallel_for(4)
    def two(i):
        pass
    assert isinstance(one, sycl.event)
    assert isinstance(two, sycl.event)
    assert 2 == len(driver.records)


def test_a_repr_worth_reading() -> None:
    driver = NullDriver()
    q = null_queue(driver, sycl.property.queue.in_order())
    q.single_task(lambda: None)
    assert "<queue on null: in order, 1 pending>" == repr(q)
    driver.finish_all()
    assert q.khr_empty()


def test_a_hundred_thousand_submissions_leave_nothing() -> None:
    driver = NullDriver(automatic=True)
    q = null_queue(driver)
    for _ in range(2000):
        q.single_task(lambda: None)
        driver.records.clear()
    assert len(q.channel.pending) <= 8
