"""SYCL 1.2's objects made of PyOpenCL's, and given back by ``get`` (SYCL 1.2 §2.5.10)."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of
from unisycl import compat12 as old
from unisycl.lang.kernels import forms

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
OPENCL = sycl.backend.opencl


@pytest.mark.row("I-2", "I-1")
def test_platforms_and_devices(cl: Any, device: sycl.device) -> None:
    native = sycl.get_native(OPENCL, device)
    made, home = old.device(native), old.platform(native.platform)
    assert (made, home) == (device, device.get_platform())
    assert (made.get(), home.get()) == (native, native.platform)
    assert isinstance(made.get(), cl.Device)
    assert code_of(old.device, native.platform) == sycl.errc.invalid


@pytest.mark.row("I-2", "I-10", "I-1")
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
    end = time.monotonic() + 10  # the thread that saw the last command end may hold it yet
    while line.reference_count != alone and time.monotonic() < end:
        gc.collect()
        time.sleep(0.01)
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


@pytest.mark.row("I-2", "I-3", "I-1")
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


@pytest.mark.row("I-1", "C-23")
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


def text_program(cl: Any, context: Any, text: str) -> Any:
    return cl._cl._Program(context, text)


SCALE = "__kernel void scale(__global float *x, float by) { x[get_global_id(0)] *= by; }"


@pytest.mark.row("I-2", "I-5", "I-6", "I-1", "C-23")
def test_kernels_and_programs_of_opencls(cl: Any, device: sycl.device) -> None:
    native_device = sycl.get_native(OPENCL, device)
    theirs = cl.Context([native_device])
    for context, q in ((theirs, old.queue(cl.CommandQueue(theirs))),
                       (sycl.get_native(OPENCL, old.context(device)), old.queue(device))):
        native = text_program(cl, context, SCALE)
        native._build(b"", [native_device])
        scale, memory = cl.Kernel(native, "scale"), cl.Buffer(
            context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.arange(4, dtype=np.float32))
        scale.set_args(memory, np.float32(3))
        before = scale.reference_count
        kernel = old.kernel(scale)
        assert isinstance(kernel, sycl.native_kernel)
        got = kernel.get()
        assert (got, scale.reference_count) == (scale, before + 2)
        del got
        assert (kernel.get_function_name(), kernel.get_info(sycl.info.kernel.num_args)) == (
            "scale", 2)
        assert kernel.get_info(0x1191) == 2
        old.command_group(q, lambda k=kernel: old.parallel_for(old.range(4), k))
        q.wait()
        seen = np.zeros(4, np.float32)
        cl.enqueue_copy(q.get(), seen, memory).wait()
        assert seen.tolist() == [0, 3, 6, 9]
        program = old.program(q.get_context(), native)
        assert (program.get().int_ptr, program.get_devices()) == (native.int_ptr, [device])
        taken = program.get_kernel("scale")
        assert taken.get_program() is program
        assert sycl.errc.invalid == code_of(program.get_kernel, "no_such")
        assert program.get_info(old.program_info.kernel_names) == "scale"
        assert program.get_info(old.program_info.source) == SCALE
        binary, = program.get_binaries()
        again = cl._cl._Program(context, [native_device], [binary])
        again._build(b"", [native_device])
        assert cl.Kernel(again, "scale").num_args == 2
        del kernel, taken
        gc.collect()
        assert scale.reference_count == before
    assert code_of(old.kernel, theirs) == sycl.errc.invalid


@pytest.mark.row("I-2", "I-10", "I-1")
def test_events_are_retained_for_the_caller(cl: Any, device: sycl.device) -> None:
    q = old.queue(device)
    gate = cl.UserEvent(q.get().context)
    alone = gate.reference_count
    event = old.event(gate)
    got = event.get()
    assert (got, event.get_backend()) == (gate, OPENCL)
    assert gate.reference_count >= alone + 2
    status = sycl.info.event.command_execution_status
    assert event.get_info(status) != sycl.info.event_command_status.complete
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    assert event.get() == gate
    del event, got
    gc.collect()
    assert gate.reference_count == alone
    assert code_of(old.event, q.get()) == sycl.errc.invalid
    assert sycl.make_event(OPENCL, gate, q.get_context()).get_backend() is OPENCL


@pytest.mark.row("I-2", "I-1", "E-14")
def test_an_event_of_a_command_is_one_of_opencls(cl: Any, device: sycl.device) -> None:
    q, hold = old.queue(device), sycl.ext.unisycl.user_event()
    data = np.zeros(8, np.int32)

    def first(h: sycl.handler) -> None:
        h.depends_on(hold)
        h.host_task(lambda: data.__setitem__(0, 7))
    waiting = old.event(q.submit(first))
    native = waiting.get()  # whose end only the runtime will know
    assert native.command_execution_status != cl.command_execution_status.COMPLETE
    hold.set()
    native.wait()
    assert data[0] == 7
    with old.buffer(data) as b:
        def body() -> None:
            a = b.get_access(old.access.read_write)
            old.parallel_for(old.range(8), lambda i: add(a, i))
        ran = old.command_group(q, body).complete_event()
        ran.get().wait()
        ran.wait()
        assert ran.get().command_execution_status == cl.command_execution_status.COMPLETE
    assert isinstance(ran, old.event)
    assert data.tolist() == [8, *[1] * 7]

    def wrong(h: sycl.handler) -> None:
        h.host_task(lambda: 1 // 0)
    failed = old.event(q.submit(wrong))
    with pytest.raises(cl.Error):
        failed.get().wait()
    assert failed.get().command_execution_status < 0


@pytest.mark.row("I-1")
def test_a_sampler_is_retained(cl: Any, device: sycl.device) -> None:
    context = old.context(device)
    native = cl.Sampler(context.get(), True, cl.addressing_mode.REPEAT, cl.filter_mode.LINEAR)
    assert native.reference_count == 1
    made = old.sampler(native)
    assert native.reference_count == 2
    kinds = old.sampler
    assert made == old.sampler(True, kinds.sampler_addressing_mode.SYCL_SAMPLER_ADDRESS_REPEAT,
                               kinds.sampler_filter_mode.SYCL_SAMPLER_FILTER_LINEAR)
    got = made.get()
    assert (got, native.reference_count) == (native, 3)
    del made, got
    gc.collect()
    assert native.reference_count == 1
    for mode in kinds.sampler_addressing_mode:
        for weigh in kinds.sampler_filter_mode:
            fresh = kinds(False, mode, weigh)
            assert code_of(fresh.get) == sycl.errc.backend_mismatch
            if mode.name.endswith("REPEAT"):  # which OpenCL has for normalized ones only
                fresh = kinds(True, mode, weigh)
            assert kinds(fresh.get(context)) == fresh
    assert code_of(old.sampler, context.get()) == sycl.errc.invalid


@sycl.opencl.extern("float quarter(float x);")
def quarter(x: np.float32) -> np.float32: ...  # type: ignore[empty-body]


@pytest.fixture
def quarters() -> Iterator[Any]:
    """A kernel that lacks a function: nobody else's bundles are to hold it."""
    @sycl.kernel
    def made(i, x):  # type: ignore[no-untyped-def]
        x[i] = quarter(x[i]) + 1
    yield made.declare(sycl.range(8), np.zeros(8, np.float32))
    forms._kernels.functions.pop(made.function.__code__)


@pytest.mark.row("C-23")
def test_a_kernel_is_linked_with_a_program_of_opencls(
        cl: Any, device: sycl.device, quarters: Any) -> None:
    q = old.queue(device)
    results = []
    for divisor in (4, 8):
        native = text_program(cl, q.get_context().get(),
                              f"float quarter(float x) {{ return x / {divisor}; }}")
        native.compile(b"", [sycl.get_native(OPENCL, device)], [])
        mine = old.program(q.get_context(), [device])
        mine.compile_from_kernel_name(quarters, "-cl-mad-enable")
        with pytest.raises(sycl.exception, match="quarter") as caught:
            old.program([mine])
        assert caught.value.code() == sycl.errc.build
        whole = old.program([old.program(q.get_context(), native), mine])
        x = np.full(8, 16, np.float32)
        old.command_group(q, lambda p=whole, x=x: old.parallel_for(
            old.range(8), p, quarters, x)).complete_event().wait()
        results.append(x.tolist())
    assert results == [[5] * 8, [3] * 8]


@sycl.opencl.extern("int told() {\n#ifdef TOLD\nreturn TOLD;\n#else\nreturn 0;\n#endif\n}")
def told() -> np.int32: ...  # type: ignore[empty-body]


@sycl.kernel
def tells(x):  # type: ignore[no-untyped-def]
    x[0] = told()


@pytest.mark.row("C-23")
def test_options_reach_the_compiler_and_its_cache(cl: Any, device: sycl.device) -> None:
    q, x, seen = old.queue(device), np.zeros(1, np.int32), []
    for options in ("-DTOLD=5", "-D TOLD=6", "", "-DTOLD=5"):
        program = old.program(q.get_context(), [device])
        program.build_from_kernel_name(tells, options)
        old.command_group(q, lambda p=program: old.single_task(p, tells, x)).complete_event().wait()
        seen.append(int(x[0]))
    assert seen == [5, 6, 0, 5]
