"""SYCL 1.2's objects made of PyOpenCL's, and given back by ``get`` (SYCL 1.2 §2.5.10)."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of
from unisycl import compat12 as old

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
OPENCL = sycl.backend.opencl


@pytest.mark.row("I-2")
@pytest.mark.part("I-1")
def test_platforms_and_devices(cl: Any, device: sycl.device) -> None:
    native = sycl.get_native(OPENCL, device)
    made, home = old.device(native), old.platform(native.platform)
    assert (made, home) == (device, device.get_platform())
    assert (made.get(), home.get()) == (native, native.platform)
    assert isinstance(made.get(), cl.Device)
    assert code_of(old.device, native.platform) == sycl.errc.invalid


@pytest.mark.row("I-2", "I-10")
@pytest.mark.part("I-1")
def test_a_context_and_a_queue_are_retained_for_the_caller(cl: Any, device: sycl.device) -> None:
    theirs = cl.Context([sycl.get_native(OPENCL, device)])
    context = old.context(theirs)
    assert context.get_devices() == [device]
    before = theirs.reference_count
    mine = context.get()
    assert (mine, theirs.reference_count) == (theirs, before + 1)
    del mine
    assert theirs.reference_count == before
    line = cl.CommandQueue(theirs)
    alone = line.reference_count
    q = old.queue(line)
    got = q.get()
    assert got == line
    assert alone < got.reference_count
    assert counted(q) == list(range(1, 9))
    del got, q
    gc.collect()
    assert line.reference_count == alone
    assert code_of(old.queue, theirs.devices[0]) == sycl.errc.invalid


def counted(q: Any) -> list[int]:
    data = np.arange(8, dtype=np.int32)
    with old.buffer(data) as b:
        def body() -> None:
            a = b.get_access(old.access.read_write)
            old.parallel_for(old.range(8), lambda i: add(a, i))
        old.command_group(q, body)
    return data.tolist()


def add(a: Any, i: Any) -> None:
    a[i] += 1


@pytest.mark.row("I-2", "I-3")
@pytest.mark.part("I-1")
def test_a_buffer_over_native_memory(cl: Any, device: sycl.device) -> None:
    q = old.queue(device)
    memory = cl.Buffer(q.get().context, cl.mem_flags.READ_WRITE, 32)
    gate = cl.UserEvent(q.get().context)
    filled = cl.enqueue_fill_buffer(q.get(), memory, np.int32(4), 0, 32, wait_for=[gate])
    q.get().flush()
    available = sycl.make_event(OPENCL, filled, q.get_context())
    with old.buffer(memory, q, available, dtype=np.int32) as b:
        assert b.get_count() == 8

        def body() -> None:
            a = b.get_access(old.access.read_write)
            old.parallel_for(old.range(8), lambda i: add(a, i))
        old.command_group(q, body)
        gate.set_status(cl.command_execution_status.COMPLETE)
    seen = np.zeros(8, np.int32)
    cl.enqueue_copy(q.get(), seen, memory).wait()
    assert seen.tolist() == [5] * 8
    assert code_of(old.buffer(old.range(4)).get) == sycl.errc.backend_mismatch


@sycl.kernel
def declared(i, x):  # type: ignore[no-untyped-def]
    x[i] = i


declared.declare(sycl.range(8), np.zeros(8, np.int32))


@pytest.mark.part("I-1", "C-23")
def test_programs_and_kernels(cl: Any, device: sycl.device) -> None:
    program = old.program(old.context(device))
    program.build_from_kernel_name(declared)
    native = program.get()
    assert isinstance(native, cl.Program | cl._cl._Program)
    kernel = program.get_kernel(declared).get()
    assert isinstance(kernel, cl.Kernel)
    before = kernel.reference_count
    again = type(kernel).from_int_ptr(kernel.int_ptr, retain=True)
    assert again.reference_count == before + 1
