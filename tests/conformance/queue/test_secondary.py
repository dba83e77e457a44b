"""Secondary queues (SYCL 2020 §3.9.10, §4.13.1.4), with failures injected into a driver."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.unit.runtime.null import null_queue, state
from unisycl.api.devices.device import device as device_class
from unisycl.backends.null.driver import NullCompletion, NullDriver
from unisycl.base.errors import DeviceError


class Failing(NullDriver):
    """A driver whose launches, copies and fills fail: as they begin, while they run, or both."""

    def __init__(self, when: str) -> None:
        super().__init__()
        self.when = when

    def _record(self, kind: str, payload: Any, deps: Any) -> NullCompletion:
        if self.when == "begin":
            raise DeviceError(sycl.errc.runtime, "injected at the beginning")
        made = super()._record(kind, payload, deps)
        made.finish(DeviceError(sycl.errc.runtime, "injected while running"))
        return made


def failing(when: str, handler: Any = None, **changes: Any) -> sycl.queue:
    where = device_class._of(state(Failing(when), **changes))
    return sycl.queue(where, handler) if handler else sycl.queue(where)


@pytest.fixture(params=["begin", "run"])
def when(request: pytest.FixtureRequest) -> Iterator[str]:
    yield request.param
    gc.collect()


def add_one(h: sycl.handler, b: sycl.buffer) -> None:
    acc = sycl.accessor(b, h)

    @h.parallel_for(b.get_range())
    def kernel(i):
        acc[i] += 1


@pytest.mark.row("E-12")
def test_a_failed_kernel_runs_on_the_secondary_queue(queue: sycl.queue, when: str) -> None:
    errors: list[Any] = []
    primary, calls = failing(when, errors.append), []
    x = np.arange(64, dtype=np.int32)
    with sycl.buffer(x) as bx:
        def group(h: sycl.handler) -> None:
            calls.append(h)
            add_one(h, bx)
        event = primary.submit(group, queue)
        queue.submit(lambda h: add_one(h, bx))
    event.wait()
    primary.wait_and_throw()
    queue.wait_and_throw()
    assert (np.arange(64) + 2).tolist() == x.tolist()
    assert 1 == len(calls)
    assert [] == errors
    assert queue.get_backend() == event.get_backend()
    assert sycl.info.event_command_status.complete == event.get_info(
        sycl.info.event.command_execution_status)


@pytest.mark.row("E-12")
def test_copies_and_fills_fall_back_too(queue: sycl.queue, when: str) -> None:
    primary = failing(when)
    x, y = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    with sycl.buffer(x) as bx, sycl.buffer(y) as by:
        primary.submit(lambda h: h.copy(sycl.accessor(bx, h, sycl.read_only),
                                        sycl.accessor(by, h, sycl.write_only)), queue)
        primary.submit(lambda h: h.fill(sycl.accessor(bx, h, sycl.write_only), 3), queue)
    assert list(range(8)) == y.tolist()
    assert [3] * 8 == x.tolist()


@pytest.mark.row("E-12")
def test_the_secondary_queue_rests_if_all_is_well(queue: sycl.queue) -> None:
    idle = NullDriver(automatic=True)
    x = np.zeros(8, np.int32)
    with sycl.buffer(x) as bx:
        event = queue.submit(lambda h: add_one(h, bx), null_queue(idle))
    assert [1] * 8 == x.tolist()
    assert [] == idle.records
    assert queue.get_backend() == event.get_backend()


@pytest.mark.row("E-12")
def test_a_kernel_that_does_not_build_on_the_primary_goes_to_the_secondary(
        queue: sycl.queue, monkeypatch: pytest.MonkeyPatch) -> None:
    primary = null_queue()

    def refuse(*_: Any) -> None:
        raise sycl.BuildError(sycl.errc.build, "injected")
    monkeypatch.setattr(primary.channel.driver, "compile", refuse)
    x = np.zeros(8, np.int32)
    with sycl.buffer(x) as bx:
        event = primary.submit(lambda h: add_one(h, bx), queue)
    assert [1] * 8 == x.tolist()
    assert queue.get_backend() == event.get_backend()
    with sycl.buffer(x) as bx, pytest.raises(sycl.exception, match="injected"):
        primary.submit(lambda h: add_one(h, bx), primary)


@pytest.mark.row("F-24", "E-12")
def test_both_failing_reaches_both_handlers(when: str) -> None:
    first: list[Any] = []
    second: list[Any] = []
    primary, secondary = failing(when, first.append), failing(when, second.append)
    b = sycl.buffer(8, dtype=np.int32)
    event = primary.submit(lambda h: add_one(h, b), secondary)
    event.wait()
    primary.wait_and_throw()
    secondary.wait_and_throw()
    primary.wait_and_throw()
    assert (1, 1) == (len(first), len(second))
    assert (1, 1) == (len(first[0]), len(second[0]))


@pytest.mark.row("F-24", "E-12")
def test_both_failing_reaches_the_handler_of_a_device(device: sycl.device, when: str) -> None:
    first: list[Any] = []
    second: list[Any] = []
    primary, secondary = failing(when, first.append), sycl.queue(device, second.append)
    x = np.zeros(4, np.int32)
    with sycl.buffer(x) as b:
        def group(h: sycl.handler) -> None:
            acc = sycl.accessor(b, h)

            @sycl.kernel(debug=True)
            def kernel(i):  # type: ignore[no-untyped-def]
                acc[i[0] + 1] = 1
            h.parallel_for(4, kernel)
        primary.submit(group, secondary).wait()
        for queue in (primary, secondary, primary):
            queue.wait_and_throw()
    assert (1, 1) == (len(first), len(second))
    assert ["outside" in e.what() for e in second[0]] == [True]


@pytest.mark.row("E-12", "C-27")
def test_host_tasks_run_once(queue: sycl.queue) -> None:
    calls: list[int] = []
    errors: list[Any] = []
    primary = sycl.queue(queue.get_device(), errors.append)

    def task() -> None:
        calls.append(1)
        raise ValueError("mine")
    primary.submit(lambda h: h.host_task(task), queue).wait()
    primary.wait_and_throw()
    assert [1] == calls
    assert 1 == len(errors)


def halves(i, p):
    p[i] = np.float16(1)


@pytest.mark.row("E-12", "E-13")
def test_a_feature_that_either_device_lacks_is_refused(queue: sycl.queue) -> None:
    poor = null_queue()
    p = np.zeros(4, np.float32)
    for one, other in ((queue, poor), (poor, queue)):
        with pytest.raises(sycl.exception, match="fp16") as caught:
            one.submit(lambda h: h.parallel_for(4, halves, p), other)
        assert sycl.errc.kernel_not_supported == caught.value.code()


@pytest.mark.row("E-13")
def test_alignment_and_bundles_are_checked_for_both_queues(queue: sycl.queue) -> None:
    bits = queue.get_device().get_info(sycl.info.device.mem_base_addr_align)
    strict = null_queue(mem_base_addr_align=2 * bits)
    align = bits // 32
    whole = sycl.buffer(align + 8, dtype=np.int32)
    part = sycl.buffer(whole, sycl.id(align), sycl.range(8))
    queue.submit(lambda h: add_one(h, part)).wait()
    with pytest.raises(sycl.exception, match="multiple") as caught:
        queue.submit(lambda h: add_one(h, part), strict)
    assert sycl.errc.invalid == caught.value.code()

    def plain(i, p):
        p[i] = 1
    bundle = sycl.get_kernel_bundle(queue.get_context(), [plain])
    with pytest.raises(sycl.exception, match="another context") as caught:
        queue.submit(lambda h: h.use_kernel_bundle(bundle), strict)
    assert sycl.errc.invalid == caught.value.code()
    with pytest.raises(sycl.exception, match="secondary"):
        queue.submit(lambda h: None, 3)
