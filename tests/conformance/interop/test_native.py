"""Native objects and host tasks that use them (SYCL 2020 §4.5.1, §4.10.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of


@pytest.mark.row("C-28")
def test_a_host_task_calls_a_library_on_native_memory_in_order(queue: sycl.queue) -> None:
    if queue.get_backend() not in (sycl.backend.cpu, sycl.backend.host):
        pytest.skip("the native memory of this device is not an array")
    x = np.arange(16, dtype=np.float64).reshape(4, 4)
    want = (x + 1) @ (x + 1) - 1
    with sycl.buffer(x) as bx:
        def plus(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h)

            @h.parallel_for((4, 4))
            def kernel(i):
                acc[i] += 1

        def product(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h)

            @h.host_task
            def call(ih: sycl.interop_handle) -> None:
                assert queue.get_backend() == ih.get_backend()
                memory = ih.get_native_mem(acc, ih.get_backend())
                memory[...] = memory @ memory

        def minus(h: sycl.handler) -> None:
            acc = sycl.accessor(bx, h)

            @h.parallel_for((4, 4))
            def kernel(i):
                acc[i] -= 1
        queue.submit(plus)
        queue.submit(product)
        queue.submit(minus)
    assert want.tolist() == x.tolist()


@pytest.mark.row("C-28", "B-34", "F-11", "F-16")
def test_a_handle_gives_what_belongs_to_the_group_only(queue: sycl.queue) -> None:
    b, seen = sycl.buffer(np.arange(8, dtype=np.int32)), {}
    own, others = queue.get_backend(), [x for x in sycl.backend if x != queue.get_backend()]

    def group(h: sycl.handler) -> None:
        part = sycl.accessor(b, h, sycl.range(2), sycl.id(3), sycl.read_only)
        stranger = sycl.accessor(b, sycl.read_only)

        def task(ih: sycl.interop_handle) -> None:
            for ask in (ih.get_native_queue, ih.get_native_device, ih.get_native_context):
                assert ask() is not None
                assert ask(own) is not None
                seen[ask.__name__] = code_of(ask, others[0])
            seen["mem"] = code_of(ih.get_native_mem, part, others[0])
            seen["stranger"] = code_of(ih.get_native_mem, stranger)
            seen["nonsense"] = code_of(ih.get_native_mem, 3)
            seen["index"] = code_of(part.__getitem__, 0)
            seen["window"] = ih.get_native_mem(part)
        h.host_task(task)
    queue.submit(group).wait()
    window = seen.pop("window")
    if own in (sycl.backend.cpu, sycl.backend.host):
        assert window.tolist() == [3, 4]
    mismatch = sycl.errc.backend_mismatch
    assert {"get_native_queue": mismatch, "get_native_device": mismatch, "mem": mismatch,
            "get_native_context": mismatch, "stranger": sycl.errc.invalid,
            "nonsense": sycl.errc.invalid, "index": sycl.errc.accessor} == seen
    assert sycl.errc.invalid == code_of(sycl.interop_handle)


@pytest.mark.row("C-27")
def test_host_tasks_come_in_many_forms(queue: sycl.queue) -> None:
    seen: list[Any] = []

    class Task:
        def __call__(self, ih: Any, extra: int = 3) -> None:
            seen.append(type(ih))
    queue.submit(lambda h: h.host_task(Task())).wait()
    queue.submit(lambda h: h.host_task(lambda *rest: seen.append(rest))).wait()
    queue.submit(lambda h: h.host_task(lambda x=1: seen.append(x))).wait()
    queue.submit(lambda h: h.host_task(seen.copy)).wait()
    assert [sycl.interop_handle, (), 1] == seen


@pytest.mark.row("F-16")
def test_native_objects_of_another_backend_are_refused(queue: sycl.queue) -> None:
    own = queue.get_backend()
    other = next(x for x in sycl.backend if x != own)
    event = queue.submit(lambda h: None)
    things = [queue, queue.get_device(), queue.get_context(), queue.get_device().get_platform()]
    for thing in things:
        assert sycl.get_native(own, thing) is not None
        assert sycl.errc.backend_mismatch == code_of(sycl.get_native, other, thing)
    assert isinstance(sycl.get_native(own, event), list)
    assert isinstance(sycl.get_native(own, sycl.buffer(4)), list)
    assert sycl.errc.backend_mismatch == code_of(sycl.get_native, other, event)
    for thing in (*things, event):
        assert sycl.errc.backend_mismatch == code_of(thing.get_backend_info, "cl_device")
    assert sycl.errc.invalid == code_of(sycl.get_native, "cpu", queue)
    assert sycl.errc.invalid == code_of(sycl.get_native, own, 3)
