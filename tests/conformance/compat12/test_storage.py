"""Storage objects of SYCL 1.2 (§3.6.3)."""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def until(condition: Any) -> None:
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.001)
    assert condition()


def recording(old: Any, size: int, **data: Any) -> Any:
    """Return a storage object that notes each call, with the thread."""

    class Recording(old.storage):
        def __init__(self) -> None:
            self.calls: list[str] = []
            self.threads: set[int] = set()
            self.destroying: Any = None

        def note(self, name: str) -> None:
            self.calls.append(name)
            self.threads.add(threading.get_ident())

        def get_size(self) -> int:
            return size

        def get_host_data(self) -> Any:
            return data.get("host")

        def get_initial_data(self) -> Any:
            return data.get("initial")

        def get_final_data(self) -> Any:
            self.note("final")
            return data.get("final")

        def in_use(self) -> None:
            self.note("in_use")

        def completed(self) -> None:
            self.note("completed")

        def destroy(self) -> None:
            self.note("destroy")
            if self.destroying is not None:
                self.destroying()
    return Recording()


def add_one(h: sycl.handler, b: sycl.buffer) -> None:
    acc = sycl.accessor(b, h)

    @h.parallel_for(b.get_range())
    def kernel(i):
        acc[i] += 1


@pytest.mark.row("B-17", "B-18")
def test_a_recording_storage_sees_each_call(old: Any, queue: sycl.queue) -> None:
    final = np.zeros(8, np.int32)
    own = recording(old, 8, initial=np.arange(8, dtype=np.int32), final=final)
    b = old.buffer(own, old.range(8))
    for turn in (1, 2):
        for _ in range(3):
            queue.submit(lambda h: add_one(h, b))
        queue.wait()
        until(lambda t=turn: own.calls.count("completed") == t)
    b.close()
    until(lambda: "final" in own.calls)
    assert ["in_use", "completed"] * 2 + ["destroy", "final"] == own.calls
    assert (np.arange(8) + 6).tolist() == final.tolist()


@pytest.mark.row("B-17")
def test_a_storage_belongs_to_one_buffer(old: Any, queue: sycl.queue) -> None:
    own = recording(old, 4)
    old.buffer(own, old.range(4), dtype=np.int32)
    with pytest.raises(sycl.exception, match="attached") as caught:
        old.buffer(own, old.range(4))
    assert sycl.errc.invalid == caught.value.code()
    with pytest.raises(sycl.exception, match="4"):
        old.buffer(recording(old, 4), old.range(5))


@pytest.mark.row("B-17")
def test_host_data_are_used_directly(old: Any, queue: sycl.queue) -> None:
    data = np.arange(6, dtype=np.int32).reshape(2, 3)
    own = recording(old, 6, host=data, initial=data)
    b = old.buffer(own, old.range(2, 3))
    queue.submit(lambda h: add_one(h, b)).wait()
    with sycl.host_accessor(b) as view:
        assert [[1, 2, 3], [4, 5, 6]] == data.tolist()
        assert np.shares_memory(view.get_view(), data)


@pytest.mark.row("B-19")
def test_final_data_follow_destroy_and_completed_in_any_order(
        old: Any, queue: sycl.queue) -> None:
    for early in (True, False):
        go, final = threading.Event(), np.zeros(4, np.int32)
        own = recording(old, 4, initial=np.zeros(4, np.int32), final=final)
        b = old.buffer(own, old.range(4))

        def hold(h: sycl.handler, b: Any = b, go: Any = go) -> None:
            acc = sycl.accessor(b, h, sycl.read_write_host_task)

            def task() -> None:
                go.wait(10)
                acc[1] = 5
            h.host_task(task)
        queue.submit(hold)
        until(lambda own=own: "in_use" in own.calls)
        if early:  # destroy returns before the work is done
            b.close()
            assert ["in_use", "destroy"] == own.calls
            go.set()
        else:  # destroy waits for the work
            own.destroying = lambda own=own, go=go: (
                go.set(), until(lambda: "completed" in own.calls))
            b.close()
        until(lambda own=own: "final" in own.calls)
        want = ["in_use", "destroy", "completed", "final"]
        assert want == own.calls
        until(lambda final=final: final[1] == 5)
        queue.wait()


@pytest.mark.row("B-19", "F-23")
def test_what_destroy_raises_is_swallowed_and_it_runs_once(old: Any, queue: sycl.queue) -> None:
    for end in ("close", "collect"):
        own = recording(old, 4, initial=np.zeros(4, np.int32))

        def fail() -> None:
            raise KeyError("mine")
        own.destroying = fail
        b = old.buffer(own, old.range(4))
        part = sycl.buffer(b, sycl.id(0), sycl.range(4))
        if end == "close":
            b.close()
            b.close()
        del b, part
        gc.collect()
        until(lambda own=own: "final" in own.calls)
        assert ["destroy", "final"] == own.calls


@pytest.mark.row("B-20")
def test_async_storage_outlives_its_buffer(old: Any, queue: sycl.queue) -> None:
    for released in (False, True):
        go, data = threading.Event(), np.zeros(8, np.int32)
        own = old.async_storage(data, 8)
        assert own.data() is data
        b = old.buffer(own, old.range(8))

        def hold(h: sycl.handler, b: Any = b, go: Any = go) -> None:
            sycl.accessor(b, h, sycl.read_write_host_task)
            h.host_task(lambda: go.wait(10))
        queue.submit(hold)
        event = queue.submit(lambda h, b=b: add_one(h, b))
        b.close()
        assert 0 == data[0]
        if released:
            own.release()
            own.close()
            assert 0 == data[0]
            go.set()
        else:
            threading.Timer(0.05, go.set).start()
            own.close()
            assert [1] * 8 == data.tolist()
        event.wait()
        assert own.data() is None
        until(lambda: data.tolist() == [1] * 8)


@pytest.mark.row("B-20")
def test_async_storage_with_memory_of_its_own_never_blocks(old: Any, queue: sycl.queue) -> None:
    own = old.async_storage(8)
    assert own.data() is None
    go = threading.Event()
    b = old.buffer(own, old.range(8), dtype=np.int32)

    def hold(h: sycl.handler) -> None:
        sycl.accessor(b, h, sycl.write_only_host_task)
        h.host_task(lambda: go.wait(10))
    event = queue.submit(hold)
    b.close()
    own.close()
    go.set()
    event.wait()
