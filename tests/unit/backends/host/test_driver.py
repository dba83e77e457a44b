"""The host driver: when commands run, how they fail, what the device is."""

import threading

import numpy as np
import pytest

from unisycl.backends.base import BoundView
from unisycl.base.enums import aspect, backend
from unisycl.base.errors import DeviceError


class Pending:
    """A completion finished by hand."""

    def __init__(self):
        self.event = threading.Event()
        self.failure = None

    def done(self):
        return self.event.is_set()

    def wait(self, timeout=None):
        return self.event.wait(timeout)

    def error(self):
        return self.failure


def test_there_is_one_device_that_says_what_it_is(host):
    device, = host.driver.devices()
    assert device.name.startswith("host device (CPython 3.")
    assert device.backend is backend.host
    assert {aspect.host_debuggable, aspect.emulated, aspect.fp16, aspect.atomic64} <= device.aspects
    assert device.max_work_group_size == 1024


def test_a_ready_command_runs_in_the_submitting_thread(host, monkeypatch):
    import sys
    where = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: where.append(threading.current_thread()))

    def look(i):
        breakpoint()  # noqa: T100
    completion = host.launch(look, "range", 1)
    assert completion.done()
    assert where == [threading.current_thread()]
    start, end = completion.profile()
    assert 0 < start <= end


def test_a_command_waits_for_what_it_depends_on_without_blocking_the_caller(host):
    out, first = np.zeros(1, np.int32), Pending()

    def work(i):
        out[0] = 1
    completion = host.launch(work, "range", 1, deps=(first,))
    assert not completion.done()
    assert out[0] == 0
    first.event.set()
    assert completion.wait(10)
    assert out[0] == 1


def test_an_error_stays_in_the_completion_and_dependants_do_not_run(host):
    out = np.zeros(1, np.int32)

    def bad(i):
        out[5] = 1

    def good(i):
        out[0] = 1
    failed = host.launch(bad, "range", 1)
    assert isinstance(failed.error(), DeviceError)
    next_one = host.launch(good, "range", 1, deps=(failed,))
    assert "a command it depends on failed" in str(next_one.error())
    assert next_one.error().__cause__ is failed.error()
    assert out[0] == 0


def test_regions_are_copied_and_filled_in_place(host):
    whole = np.zeros(20, np.int32)
    inner = BoundView(whole, 6, (2, 3), (5, 1))
    source = np.arange(6, dtype=np.int32)
    host.driver.copy(inner, BoundView(source, 0, (2, 3), (3, 1)), ())
    assert whole.reshape(4, 5)[1:3, 1:4].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert whole.sum() == 15
    host.driver.fill(inner, 7, ())
    assert whole.sum() == 42


def test_a_copy_that_cannot_be_done_fails_in_its_completion(host):
    view = BoundView(np.zeros(2, np.int32), 0, (2,), (1,))
    completion = host.driver.copy(view, BoundView(np.zeros(3, np.int32), 0, (3,), (1,)), ())
    assert isinstance(completion.error(), ValueError)


def test_two_threads_never_run_kernels_at_the_same_time(host):
    count = np.zeros(1, np.int64)

    def add(i):
        count[0] += 1
    threads = [threading.Thread(target=host.range, args=(add, 2000)) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert count[0] == 8000


def test_nothing_of_a_launch_depends_on_its_geometry_when_compiled(host):
    assert host.driver.geometry_key(None, None) is None


@pytest.mark.parametrize("shape", [(), (0,), (2, 0)])
def test_views_without_or_with_one_element_can_be_filled(host, shape):
    memory = np.zeros(3, np.int32)
    host.driver.fill(BoundView(memory, 1, shape, (1,) * len(shape)), 9, ())
    assert memory.tolist() == ([0, 9, 0] if shape == () else [0, 0, 0])
