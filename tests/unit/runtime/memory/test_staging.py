"""Arrays on devices with memory of their own: when a launch ends, and what it ends with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.unit.runtime.apart import ApartDriver, apart_queue
from unisycl.backends.base import Completion, Launch, Tentative
from unisycl.base.errors import DeviceError, errc


class Verdict(Tentative):
    """The end of a launch that is known to have failed when it is asked."""

    def __init__(self, end: Completion, error: BaseException | None) -> None:
        self.end, self.found = end, error

    def done(self) -> bool:
        return self.end.done()

    def wait(self, timeout: float | None = None) -> bool:
        return self.end.wait(timeout)

    def error(self) -> BaseException | None:
        return self.found

    def profile(self) -> tuple[int, int]:
        return self.end.profile()


class CheckingDriver(ApartDriver):
    """Says of each kernel, when it has ended, that a check in it failed."""

    found: BaseException | None = DeviceError(errc.kernel, "a check failed")

    def launch(self, launch: Launch, deps: Sequence[Completion]) -> Any:
        return Verdict(super().launch(launch, deps), self.found)


def fill(i: sycl.item, out: Any) -> None:
    out[i] = i


@pytest.mark.row("D-49")
def test_a_kernel_that_failed_is_told_though_its_arrays_are_copied_back() -> None:
    errors: list[sycl.exception] = []
    q, out = apart_queue(CheckingDriver(), errors.extend), np.zeros(8, np.int32)
    q.parallel_for(8, fill, out)
    q.wait_and_throw()
    assert [errc.kernel] == [e.code() for e in errors]


@pytest.mark.row("D-49")
def test_one_that_did_not_fail_is_timed_from_its_start_to_the_end_of_the_copy() -> None:
    driver, out = CheckingDriver(), np.zeros(8, np.int32)
    driver.found = None
    q = apart_queue(driver, sycl.property.queue.enable_profiling())
    event = q.parallel_for(8, fill, out)
    event.wait()
    asked = sycl.info.event_profiling
    start, end = (event.get_profiling_info(x) for x in (asked.command_start, asked.command_end))
    assert 0 < start <= end
