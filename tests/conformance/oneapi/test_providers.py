"""Providers: who is asked, in which order, and how work of a library takes its place in a queue."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

import unisycl as sycl
from unisycl.ext.oneapi import experimental as x
from unisycl.oneapi.frame import providers, table
from unisycl.oneapi.frame.call import Routine
from unisycl.oneapi.frame.library import Threads
from unisycl.oneapi.frame.providers import Place

pytestmark = pytest.mark.part("L-1")


class Fake:
    """Doubles float32 on the host; refuses other types, and other routines."""

    def __init__(self, name: str) -> None:
        self.name = name

    def version(self) -> str:
        return f"{self.name} 1.0"

    def serves(self, device: sycl.device) -> bool:
        return self.name != "mine" or not device.has(sycl.aspect.host_debuggable)

    def routine(self, name, dtype):
        if name != "double" or dtype != np.float32:
            return None
        return self.work

    @staticmethod
    def work(queue, data) -> None:
        values = data.array()
        if values.size and values[0] < 0:
            raise ValueError("negative")
        values *= 2


ROWS = (table.Row("test", "foreign", "fake_provider", host=True, sample="double"),
        table.Row("test", "mine", "fake_provider", kernels=True),
        table.Row("test", "absent", "fake_provider", needs=("no_such_package",), host=True,
                  install="pip install 'unisycl[absent]'", gain="everything"))


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch):
    module = types.ModuleType("fake_provider")
    module.load = Fake
    monkeypatch.setitem(sys.modules, "fake_provider", module)
    monkeypatch.setattr(providers, "ROWS", ROWS)
    monkeypatch.setattr(providers, "_KNOWN", {})
    monkeypatch.setattr(providers, "LOADED", providers._Loaded())


def _double(call, data):
    found, work = providers.needed("test", "double", np.float32, call.queue.get_device())
    place = Place.host if found.place is Place.kernels else found.place
    call.native(place, work, call.memory("the data", data))
    return call.done()


_double.__name__ = "double"
double = Routine(_double)


def test_the_order_is_device_then_kernels_then_host(queue: sycl.queue) -> None:
    found = providers.provider_of(queue, "test")
    if providers.is_processor(queue.get_device()):
        assert (found.name, found.place) == ("foreign", Place.device)
        assert str(found) == "foreign (foreign 1.0), the device's own library"
    else:
        assert (found.name, found.place) == ("mine", Place.kernels)
    with providers.using("test", "foreign"):
        other = providers.provider_of(queue, "test")
        assert other.name == "foreign"
        assert ("behind the device's queue" in str(other)) == (
            not providers.is_processor(queue.get_device()))


def test_what_nobody_serves_is_refused_by_name(queue: sycl.queue) -> None:
    with pytest.raises(sycl.exception, match="triple: nobody serves it for float32") as found:
        providers.needed("test", "triple", np.float32, queue.get_device())
    assert found.value.code() is sycl.errc.feature_not_supported
    assert "absent: no_such_package is not installed (pip install 'unisycl[absent]')" in str(
        found.value)
    with pytest.raises(sycl.UsageError, match="no provider 'nobody'"), \
            providers.using("test", "nobody"):
        pass
    with pytest.raises(sycl.UsageError, match="no library 'nothing'"):
        providers.provider_of(queue, "nothing")


def test_doctor_says_what_is_there_and_what_one_would_gain() -> None:
    lines = providers.findings()
    assert ("test", "foreign (foreign 1.0), mine (mine 1.0)") in lines
    assert any("without absent" in text and "gives everything" in text for _, text in lines)


def test_work_is_ordered_by_events_and_by_accessors(queue: sycl.queue) -> None:
    a = sycl.malloc_shared(1000, np.float32, queue)
    a[:] = 3
    go = sycl.ext.unisycl.user_event()
    first = double.later(queue, a, depends_on=go)

    def add(i):
        a[i] = a[i] + 1

    last = queue.parallel_for(1000, add, depends_on=[first.get_event()])
    assert a[0] == 3
    go.set()
    last.wait()
    assert (a[:] == 7).all()
    sycl.free(a, queue)

    values = np.full(100, 5, np.float32)
    with sycl.buffer(values) as held:
        double(queue, held)
        double.later(queue, held)

        def group(h):
            out = sycl.accessor(held, h, sycl.read_write)

            def less(i):
                out[i] = out[i] - 1

            h.parallel_for(100, less)

        queue.submit(group)
        double.later(queue, held)
    assert (values == 38).all()


def test_allocations_of_the_device_are_worked_on(queue: sycl.queue) -> None:
    a = sycl.malloc_device(100, np.float32, queue)
    queue.fill(a, np.float32(4)).wait()
    double(queue, a.pointer_to(50))
    found = np.empty(100, np.float32)
    queue.copy(a, found).wait()
    assert np.array_equal(np.repeat(np.float32([4, 8]), 50), found)
    sycl.free(a, queue)


def test_work_is_recorded_in_graphs_and_profiled(device: sycl.device) -> None:
    queue = sycl.queue(device, sycl.property.queue.enable_profiling())
    a = sycl.malloc_shared(10, np.float32, queue)
    a[:] = 1
    graph = x.command_graph(queue)
    with graph.record(queue):
        first = double.later(queue, a)
        double.later(queue, a, depends_on=first)
    replay = graph.finalize()
    assert a[0] == 1
    for expected in (4, 16):
        queue.ext_oneapi_graph(replay).wait()
        assert (a[:] == expected).all()
    event = double.later(queue, a).get_event()
    event.wait()
    info = sycl.info.event_profiling
    start, end = (event.get_profiling_info(w) for w in (info.command_start, info.command_end))
    assert 0 < start <= end
    sycl.free(a, queue)


def test_errors_of_a_library_reach_the_program(queue: sycl.queue) -> None:
    a = np.full(4, -1, np.float32)
    with pytest.raises(sycl.exception, match="negative"):
        double(queue, a)
    assert (a == -1).all()
    with pytest.raises(sycl.UsageError, match="the data must be an array"):
        double(queue, [1, 2])


def test_counts_of_threads_are_restored() -> None:
    count = [8]
    threads = Threads(lambda: count[0], lambda n: count.__setitem__(0, n))
    with threads.limited(2):
        assert count == [2]
    assert count == [8]

    def fail():
        with threads.limited(2):
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert count == [8]


def test_native_commands_are_for_functions(queue: sycl.queue) -> None:
    with pytest.raises(sycl.exception):
        queue.submit(lambda h: h.ext_codeplay_enqueue_native_command(3))
