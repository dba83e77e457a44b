"""SYCL 1.2's accessors for OpenCL commands of the program's own (§3.6.4.8)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from unisycl import compat12
from unisycl.compat12.modes import access

OPENCL = sycl.backend.opencl
SOURCE = "__kernel void scale(__global float *x) { x[get_global_id(0)] *= 3; }"
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def plus(i, x):
    x[i] += 1


def add_one(q: sycl.queue, b: Any) -> sycl.event:
    return q.submit(lambda h: h.parallel_for(64, plus, sycl.accessor(b, h)))


def takes_one(native):
    pass


@pytest.fixture
def scale(cl: Any, queue: sycl.queue) -> Any:
    """A kernel of OpenCL C."""
    program = cl._cl._Program(sycl.get_native(OPENCL, queue.get_context()), SOURCE)
    program._build(b"", [sycl.get_native(OPENCL, queue.get_device())])
    return cl.Kernel(program, "scale")


@pytest.mark.row("I-4", "J-12")
def test_commands_of_the_program_come_between_two_kernels(
        cl: Any, queue: sycl.queue, scale: Any) -> None:
    theirs = cl.CommandQueue(sycl.get_native(OPENCL, queue.get_context()))
    start = np.arange(64, dtype=np.float32)
    x = start.copy()
    with compat12.buffer(x) as b:
        add_one(queue, b)
        with compat12.accessor(b, access.read_write, access.cl_buffer, queue) as native:
            last = add_one(queue, b)
            scale.set_args(native.get_cl_mem_object())
            ran = cl.enqueue_nd_range_kernel(theirs, scale, (64,), None,
                                             wait_for=[native.get_cl_event_object()])
            theirs.flush()
            assert sycl.info.event_command_status.complete != last.get_info(
                sycl.info.event.command_execution_status)
            native.release_event(ran)
        last.wait()
    assert np.array_equal((start + 1) * 3 + 1, x)


@pytest.mark.row("I-4")
def test_the_event_follows_what_only_the_host_does(cl: Any, queue: sycl.queue, scale: Any) -> None:
    theirs, gate = cl.CommandQueue(sycl.get_native(OPENCL, queue.get_context())), []
    wait = sycl.ext.unisycl.user_event()
    x = np.ones(64, np.float32)
    with compat12.buffer(x) as b:
        def first(h: sycl.handler) -> None:
            seen = sycl.accessor(b, h, sycl.read_write_host_task)
            h.depends_on(wait)
            h.host_task(lambda: (gate.append(1), seen.__setitem__(0, 5)))
        queue.submit(first)
        with compat12.accessor(b, access.read_write, access.cl_buffer, queue) as native:
            ready = native.get_event()
            assert not gate
            wait.set()
            scale.set_args(native.get())
            cl.enqueue_nd_range_kernel(theirs, scale, (64,), None, wait_for=[ready]).wait()
        add_one(queue, b)
    assert gate == [1]
    assert [16.0, 4.0, 4.0] == x[:3].tolist()


@pytest.mark.row("I-4")
def test_what_is_released_twice_or_never(cl: Any, queue: sycl.queue) -> None:
    context = sycl.get_native(OPENCL, queue.get_context())
    with compat12.buffer(np.ones(64, np.float32)) as b:
        with compat12.accessor(b, access.read, access.cl_buffer, queue) as native:
            done = cl.UserEvent(context)
            native.release_event(done)
            with pytest.raises(sycl.exception) as caught:
                native.release_event(done)
            assert sycl.errc.invalid == caught.value.code()
        done.set_status(cl.command_execution_status.COMPLETE)
        add_one(queue, b).wait()
        with pytest.raises(sycl.exception):
            queue.single_task(takes_one, native)
    with pytest.raises(sycl.exception) as caught:
        compat12.accessor(b, access.atomic, access.cl_buffer, queue)
    assert sycl.errc.invalid == caught.value.code()


@pytest.mark.row("X-9")
def test_backends_without_memory_objects_refuse(queue: sycl.queue) -> None:
    with compat12.buffer(np.ones(64, np.float32)) as b:
        if queue.get_backend() is OPENCL:
            compat12.accessor(b, access.read, access.cl_buffer, queue).__exit__(None, None, None)
        else:
            with pytest.raises(sycl.exception) as caught:
                compat12.accessor(b, access.read, access.cl_buffer, queue)
            assert sycl.errc.feature_not_supported == caught.value.code()
        add_one(queue, b).wait()
