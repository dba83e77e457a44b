"""Who holds OpenCL's objects, counted by OpenCL itself; bundles of native programs."""

from __future__ import annotations

import gc
import time
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of
from unisycl.testing import refused

OPENCL = sycl.backend.opencl
SOURCE = """/* references */
__kernel void iota(__global int *out, int start)
{ out[get_global_id(0)] = start + get_global_id(0); }
__kernel void twice(__global int *out) { out[get_global_id(0)] *= 2; }
"""


def plus(i, x):
    x[i] += 1


def add_one(q: sycl.queue, b: Any, count: int) -> sycl.event:
    return q.submit(lambda h: h.parallel_for(count, plus, sycl.accessor(b, h)))


def count(thing: Any) -> int:
    """Return OpenCL's count once all that waits for the collector is gone."""
    gc.collect()
    return int(thing.reference_count)


def falls_to(wanted: int, thing: Any) -> bool:
    """Say whether OpenCL's count falls to a number: drivers give back what a command held
    in threads of their own, after its end.
    """
    end = time.monotonic() + 20
    while count(thing) != wanted and time.monotonic() < end:
        time.sleep(0.001)
    return count(thing) == wanted


def built(cl: Any, q: sycl.queue, source: str) -> Any:
    """Return a program that PyOpenCL's cache had no part in."""
    made = cl._cl._Program(sycl.get_native(OPENCL, q.get_context()), source)
    made._build(b"", [sycl.get_native(OPENCL, q.get_device())])
    return cl.Program(made)


def run(q: sycl.queue, kernel: Any, *args: Any, size: int = 8) -> list[int]:
    """Return what a native kernel makes of zeros."""
    out = np.zeros(size, np.int32)
    with sycl.buffer(out) as b:
        def group(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h), *args)
            h.parallel_for(size, kernel)
        q.submit(group)
    return out.tolist()


@pytest.mark.row("I-10", "I-2")
def test_a_context_and_a_queue_are_retained_until_the_last_copy_is_gone(
        cl: Any, device: sycl.device) -> None:
    context = cl.Context([sycl.get_native(OPENCL, device)])
    alone = count(context)
    owner = sycl.make_context(OPENCL, context)
    assert alone < count(context)
    assert count(context) == sycl.opencl.get_reference_count(owner)
    theirs = cl.CommandQueue(context)
    before = count(theirs)
    q = sycl.make_queue(OPENCL, theirs, owner)
    assert before < count(theirs)
    assert count(theirs) == sycl.opencl.get_reference_count(q)
    with sycl.buffer(np.zeros(8, np.int32)) as b:
        add_one(q, b, 8).wait()
    del q, b
    assert falls_to(before, theirs)
    del owner, theirs
    assert falls_to(alone, context)


@pytest.mark.row("I-10", "I-3", "I-2")
def test_memory_and_events_are_retained_while_they_are_used(cl: Any, queue: sycl.queue) -> None:
    native, owner = sycl.get_native(OPENCL, queue), queue.get_context()
    memory = cl.Buffer(native.context, cl.mem_flags.READ_WRITE, 32)
    cl.enqueue_fill_buffer(native, memory, np.int32(1), 0, 32).wait()
    assert falls_to(1, memory)
    with sycl.make_buffer(OPENCL, memory, owner, dtype=np.int32) as b:
        assert 2 <= count(memory)
        add_one(queue, b, 8)
    del b
    queue.wait()
    assert falls_to(1, memory)
    gate = cl.UserEvent(native.context)
    alone = count(gate)
    event = sycl.make_event(OPENCL, gate, owner)
    assert alone < count(gate)
    assert count(gate) == sycl.opencl.get_reference_count(event)
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    del event
    assert falls_to(alone, gate)


@pytest.mark.row("I-10", "I-5")
def test_kernels_and_programs_are_retained(cl: Any, queue: sycl.queue) -> None:
    owner = queue.get_context()
    program = built(cl, queue, SOURCE)
    kernel = cl.Kernel(program, "twice")
    alone = count(kernel)
    made = sycl.make_kernel(OPENCL, kernel, owner)
    assert alone + 1 == count(kernel) == sycl.opencl.get_reference_count(made)
    bundle = sycl.make_kernel_bundle(OPENCL, program, owner)
    assert 2 <= sycl.opencl.get_reference_count(bundle)
    assert [program] == sycl.get_native(OPENCL, bundle)
    del program
    assert [5, 6, 7] == run(queue, bundle.ext_oneapi_get_kernel("iota"), np.int32(5), size=3)
    del made
    queue.wait()
    assert falls_to(alone, kernel)


@pytest.mark.row("I-10")
def test_what_is_not_counted_is_refused_and_what_is_gone_counts_none(
        cl: Any, queue: sycl.queue) -> None:
    ask = sycl.opencl.get_reference_count
    assert 0 < ask(queue.get_device())
    assert 0 < ask(queue)
    assert 0 == ask(sycl.buffer(4))
    event = queue.single_task(lambda: None)
    event.wait()
    assert 0 <= ask(event)
    assert sycl.errc.invalid == code_of(ask, queue.get_device().get_platform())
    assert sycl.errc.invalid == code_of(ask, 7)


@pytest.mark.row("I-1")
def test_native_objects_are_lent_and_their_counts_balance(cl: Any, queue: sycl.queue) -> None:
    """PyOpenCL wraps the handle of each, asks it something, and leaves its count as it was."""
    owner, device = queue.get_context(), queue.get_device()
    bundle = sycl.get_kernel_bundle(owner, [declared])
    b = sycl.buffer(np.zeros(8, np.int32))
    done = add_one(queue, b, 8)
    done.wait()
    objects = [(cl.Device, device, "name"), (cl.Context, owner, "num_devices"),
               (cl.CommandQueue, queue, "properties"),
               (cl.Kernel, bundle.get_kernel(declared), "num_args"),
               (cl._cl._Program, bundle, "int_ptr")]
    gone = sycl.get_native(OPENCL, done) + sycl.get_native(OPENCL, b)
    assert all(isinstance(thing, cl.Event | cl.Buffer) for thing in gone)
    del gone
    for kind, thing, what in objects:
        def lent(thing: Any = thing) -> Any:
            found = sycl.get_native(OPENCL, thing)
            return found[0] if isinstance(found, list) else found
        assert getattr(lent(), what) is not None
        before = count(lent())
        for _ in range(20):
            again = kind.from_int_ptr(lent().int_ptr, retain=True)
            assert getattr(again, what) == getattr(lent(), what)
            del again
        assert falls_to(before, lent())
    platform = sycl.get_native(OPENCL, device.get_platform())
    assert cl.Platform.from_int_ptr(platform.int_ptr).name == platform.name
    assert device.get_platform().get_info(sycl.info.platform.name) == platform.name


@pytest.mark.row("I-1")
def test_an_image_that_a_kernel_used_has_its_native_memory(cl: Any, queue: sycl.queue) -> None:
    """Its pixels on a device with memory of its own; elsewhere kernels use the host's."""
    pixels = np.arange(3 * 5 * 4, dtype=np.float32).reshape(3, 5, 4)
    device = queue.get_device()
    with refused(device, sycl.aspect.image), sycl.unsampled_image(
            pixels, sycl.image_format.r32g32b32a32_sfloat) as image:
        assert [] == sycl.get_native(OPENCL, image)

        def group(h: sycl.handler) -> None:
            out = sycl.unsampled_image_accessor(image, h, sycl.float4, sycl.write_only)
            h.parallel_for((5, 3), lambda it: paint(out, it))
        queue.submit(group).wait()
        found = sycl.get_native(OPENCL, image)
        assert (1 - device.has(sycl.aspect.usm_system_allocations)) == len(found)
        for native in found:
            before, seen = count(native), np.zeros_like(pixels)
            cl.enqueue_copy(sycl.get_native(OPENCL, queue), seen, native).wait()
            assert (seen == 6).all()
            for _ in range(20):
                assert [native] == sycl.get_native(OPENCL, image)
            assert falls_to(before, native)
    assert (pixels == 6).all()


def paint(out: Any, it: Any) -> None:
    out.write(sycl.int2(it[0], it[1]), sycl.float4(6, 6, 6, 6))


@pytest.mark.row("I-1")
def test_other_backends_have_no_object_to_count(queue: sycl.queue) -> None:
    if queue.get_backend() is OPENCL:
        bundle = sycl.get_kernel_bundle(queue.get_context(), [declared])
        assert sycl.get_native(OPENCL, bundle.get_kernel(declared)).num_args > 0
        assert len(sycl.get_native(OPENCL, bundle)) == 1
        assert sycl.opencl.get_reference_count(bundle) > 0
        return
    for thing in (queue, queue.get_device(), queue.get_context()):
        assert sycl.errc.backend_mismatch == code_of(sycl.opencl.get_reference_count, thing)
    bundle = sycl.get_kernel_bundle(queue.get_context(), [declared])
    assert sycl.errc.backend_mismatch == code_of(sycl.get_native, OPENCL, bundle)
    assert sycl.get_native(queue.get_backend(), bundle.get_kernel(declared)) is not None


@sycl.kernel
def declared(i, x):
    x[i] = i


declared.declare(sycl.range(8), np.zeros(8, np.int32))


@pytest.mark.row("I-6", "I-2")
@pytest.mark.parametrize("state", list(sycl.bundle_state), ids=lambda s: s.name)
def test_a_program_is_brought_to_the_state_asked_for(
        cl: Any, queue: sycl.queue, state: sycl.bundle_state) -> None:
    states, owner = list(sycl.bundle_state), queue.get_context()
    native = sycl.get_native(OPENCL, owner)
    program = cl.Program(native, SOURCE)
    bundle = sycl.make_kernel_bundle(OPENCL, program, owner, state)
    assert bundle.state is state
    assert bundle.get_devices() == [queue.get_device()]
    executable = state is sycl.bundle_state.executable
    assert executable == bundle.ext_oneapi_has_kernel("twice")
    for earlier in states[:states.index(state)]:
        assert sycl.errc.invalid == code_of(
            sycl.make_kernel_bundle, OPENCL, program, owner, earlier)
    last = sycl.make_kernel_bundle(OPENCL, program, owner)
    assert [4, 5] == run(queue, last.ext_oneapi_get_kernel("iota"), np.int32(4), size=2)


@pytest.mark.row("I-6")
def test_programs_and_kernels_become_one_bundle(cl: Any, queue: sycl.queue) -> None:
    owner, device = queue.get_context(), queue.get_device()
    native = sycl.get_native(OPENCL, owner)
    first = cl.Program(native, SOURCE)
    second = cl.Program(native, "__kernel void nine(__global int *x) { x[get_global_id(0)] = 9; }")
    both = sycl.opencl.create_bundle(owner, [device], [first, second])
    assert [9, 9] == run(queue, both.ext_oneapi_get_kernel("nine"), size=2)
    assert both.ext_oneapi_has_kernel("twice")
    lone = sycl.opencl.create_bundle(owner, [device], [cl.Kernel(second, "nine")])
    assert [9] == run(queue, lone.ext_oneapi_get_kernel("nine"), size=1)
    assert sycl.errc.invalid == code_of(lone.ext_oneapi_get_kernel, "iota")
    wrong = cl.Program(native, "__kernel void f() { nonsense; }")
    assert sycl.errc.build == code_of(sycl.make_kernel_bundle, OPENCL, wrong, owner)
    elsewhere = cl.Program(cl.Context([sycl.get_native(OPENCL, device)]), SOURCE)
    assert sycl.errc.invalid == code_of(sycl.make_kernel_bundle, OPENCL, elsewhere, owner)
    assert sycl.errc.invalid == code_of(sycl.make_kernel_bundle, OPENCL, 7, owner)


@pytest.mark.row("E-11", "I-2")
def test_a_native_event_of_another_context_is_bridged_by_the_host(
        cl: Any, device: sycl.device) -> None:
    native = sycl.get_native(OPENCL, device)
    other = sycl.make_context(OPENCL, cl.Context([native]))
    q, theirs = sycl.queue(device), sycl.queue(other, device)
    gate = cl.UserEvent(sycl.get_native(OPENCL, other))
    event = sycl.make_event(OPENCL, gate, other)
    x = np.zeros(64, np.int32)
    with sycl.buffer(x) as b:
        def group(h: sycl.handler) -> None:
            h.depends_on(event)
            h.parallel_for(64, plus, sycl.accessor(b, h))
        first = q.submit(group)
        second = add_one(theirs, b, 64)
        third = add_one(q, b, 64)
        for waiting in (first, second, third):
            assert sycl.info.event_command_status.complete != waiting.get_info(
                sycl.info.event.command_execution_status)
        gate.set_status(cl.command_execution_status.COMPLETE)
        third.wait()
    assert [3] * 64 == x.tolist()
