"""What platforms, devices, contexts and queues are asked with (SYCL 2020 §4.6)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import refusal

KINDS = sycl.info.partition_property


@pytest.mark.row("A-2", "A-3", "A-5", "A-6")
def test_questions_of_another_type_are_refused(device: sycl.device) -> None:
    platform = device.get_platform()
    for ask in (device.has, platform.has, sycl.any_device_has, sycl.all_devices_have):
        for wrong in ("cpu", 3, None, sycl.info.device.name):
            assert "aspect" in refusal(ask, wrong)
    for ask in (platform.get_devices, sycl.device.get_devices):
        for wrong in ("cpu", sycl.aspect.cpu, 3):
            assert "device_type" in refusal(ask, wrong)


@pytest.mark.row("A-1", "A-4")
def test_a_selector_returns_a_number(device: sycl.device) -> None:
    for wrong in ("x", None, [1]):
        assert "returns a number" in refusal(sycl.device, lambda d, wrong=wrong: wrong)
    for points in (0, 0.25, True, np.float32(0.5), np.bool_(True)):
        def select(d: sycl.device, points: object = points) -> object:
            return points if d == device else -0.5
        assert device == sycl.device(select)
    with pytest.raises(sycl.exception, match="selects none") as caught:
        sycl.device(lambda d: -0.5)
    assert sycl.errc.runtime == caught.value.code()
    with pytest.raises(ZeroDivisionError):
        sycl.device(lambda d: 1 // 0)
    platform = device.get_platform()
    assert platform == sycl.platform(platform)


@pytest.mark.row("A-15")
def test_counts_may_be_any_sequence(device: sycl.device) -> None:
    if KINDS.partition_by_counts not in device.get_info(
            sycl.info.device.partition_properties):
        pytest.skip("the device cannot be split")
    parts = device.create_sub_devices(KINDS.partition_by_counts, [1])
    for counts in ((1,), np.array([1]), iter([1]), [np.int8(1)]):
        assert parts == device.create_sub_devices(KINDS.partition_by_counts, counts)


@pytest.mark.row("A-19", "A-20")
def test_a_queue_takes_each_thing_once(device: sycl.device) -> None:
    context, kinds = sycl.context(device), sycl.property.queue
    for extra in ((device,), (context, sycl.context(device)), (context, device), (3,),
                  (print, print)):
        assert "queue: did not expect" in refusal(sycl.queue, device, *extra)
    assert "priority" in refusal(sycl.queue, device, kinds.priority_low, kinds.priority_high())
    q = sycl.queue(device, kinds.in_order, kinds.in_order(), kinds.priority_low)
    assert q.is_in_order()


async def nothing_async(h: sycl.handler) -> None:
    h.host_task(lambda: None)


def nothing_yet(h: sycl.handler) -> Any:
    yield h.host_task(lambda: None)


@pytest.mark.row("A-21")
def test_functions_that_run_nothing_are_no_command_groups(queue: sycl.queue) -> None:
    for wrong in (nothing_async, nothing_yet):
        assert "runs nothing" in refusal(queue.submit, wrong)
    queue.submit(lambda h: h.host_task(lambda: None)).wait()
