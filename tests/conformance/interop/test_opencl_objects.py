"""SYCL objects made of PyOpenCL's and the other way round; its kernels in queues of ours."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of

OPENCL = sycl.backend.opencl
SOURCE = """
__kernel void scale(__global float *x, float factor) { x[get_global_id(0)] *= factor; }
__kernel void grid(__global int *out, int width)
{ out[get_global_id(1) * width + get_global_id(0)] = 1000 * get_global_id(1) + get_global_id(0); }
__kernel void reverse(__global int *x, __local int *tile)
{ size_t k = get_local_id(0), n = get_local_size(0);
  tile[k] = x[k]; barrier(CLK_LOCAL_MEM_FENCE); x[k] = tile[n - 1 - k]; }
__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void fixed(__global float *x)
{ x[get_global_id(0)] += 1; }
"""


def program(cl: Any, q: sycl.queue) -> Any:
    context = sycl.get_native(OPENCL, q.get_context())
    return cl._cl._Program(context, SOURCE), context


def kernel_of(cl: Any, q: sycl.queue, name: str) -> Any:
    built, _ = program(cl, q)
    built._build(b"", [sycl.get_native(OPENCL, q.get_device())])
    return cl.Kernel(built, name)


@pytest.mark.row("I-2")
@pytest.mark.row("I-1")
def test_platforms_and_devices_are_the_listed_ones(cl: Any, device: sycl.device) -> None:
    native = sycl.get_native(OPENCL, device)
    assert sycl.make_device(OPENCL, native) == device
    assert sycl.make_platform(OPENCL, native.platform) == device.get_platform()
    assert sycl.get_native(OPENCL, device.get_platform()) == native.platform


@pytest.mark.row("I-2", "I-10")
@pytest.mark.row("I-1")
def test_a_queue_of_pyopencls_runs_kernels_after_its_owner_let_go(
        cl: Any, device: sycl.device) -> None:
    native = sycl.get_native(OPENCL, device)
    context = cl.Context([native])
    before = context.reference_count
    owner = sycl.make_context(OPENCL, context)
    assert context.reference_count > before
    assert owner.get_devices() == [device]
    theirs = cl.CommandQueue(context)
    q = sycl.make_queue(OPENCL, theirs, owner)
    assert q.get_device() == device
    assert sycl.get_native(OPENCL, q) == theirs
    assert sycl.get_native(OPENCL, q.get_context()) == context
    del theirs, context
    data = np.arange(100, dtype=np.int32)
    with sycl.buffer(data) as b:
        def group(h: sycl.handler) -> None:
            x = sycl.accessor(b, h)

            def kernel(i: sycl.item) -> None:
                x[i] += 1

            h.parallel_for(100, kernel)
        q.submit(group)
    assert np.array_equal(data, np.arange(100) + 1)


@pytest.mark.row("I-2")
def test_memory_and_further_queues_of_a_native_context(cl: Any, device: sycl.device) -> None:
    owner = sycl.make_context(OPENCL, cl.Context([sycl.get_native(OPENCL, device)]))
    q = sycl.queue(owner, device)
    p, out = sycl.malloc_device(10, device, owner, dtype=np.int32), np.zeros(10, np.int32)
    q.fill(p, 3).wait()
    q.memcpy(out, p).wait()
    assert out.tolist() == [3] * 10
    sycl.free(p, owner)


@pytest.mark.row("I-2")
def test_events_of_pyopencl_hold_up_commands(cl: Any, queue: sycl.queue) -> None:
    context = sycl.get_native(OPENCL, queue.get_context())
    gate = cl.UserEvent(context)
    event = sycl.make_event(OPENCL, [gate], queue.get_context())
    ran: list[int] = []

    def group(h: sycl.handler) -> None:
        h.depends_on(event)
        h.host_task(lambda: ran.append(1))

    last = queue.submit(group)
    assert ran == []
    gate.set_status(cl.command_execution_status.COMPLETE)
    last.wait()
    assert ran == [1]


@pytest.mark.row("I-2", "I-3")
def test_a_buffer_over_cl_mem_changes_it(cl: Any, queue: sycl.queue) -> None:
    native, start = sycl.get_native(OPENCL, queue), np.arange(64, dtype=np.float32)
    memory = cl.Buffer(native.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR,
                       hostbuf=start)
    with sycl.make_buffer(OPENCL, memory, queue.get_context(), dtype=np.float32) as b:
        assert b.get_range() == sycl.range(64)

        def group(h: sycl.handler) -> None:
            x = sycl.accessor(b, h)

            def kernel(i: sycl.item) -> None:
                x[i] = x[i] * 2 + 1

            h.parallel_for(64, kernel)
        queue.submit(group)
        with sycl.host_accessor(b, sycl.read_only) as seen:
            assert seen[5] == 11
    out = np.zeros(64, np.float32)
    cl.enqueue_copy(native, out, memory).wait()
    assert np.array_equal(out, start * 2 + 1)


@pytest.mark.row("I-5", "J-12")
def test_a_kernel_of_opencl_c_works_on_accessors_between_two_of_ours(
        cl: Any, queue: sycl.queue) -> None:
    scale = sycl.make_kernel(OPENCL, kernel_of(cl, queue, "scale"), queue.get_context())
    data = np.arange(256, dtype=np.float32)

    def plus(h: sycl.handler) -> None:
        x = sycl.accessor(b, h)

        def kernel(i: sycl.item) -> None:
            x[i] += 1

        h.parallel_for(256, kernel)

    def theirs(h: sycl.handler) -> None:
        h.set_args(sycl.accessor(b, h), np.float32(3))
        h.parallel_for(256, scale)

    with sycl.buffer(data) as b:
        for group in (plus, theirs, plus):
            queue.submit(group)
    assert np.array_equal(data, (np.arange(256) + 1) * 3 + 1)


@pytest.mark.row("I-5", "I-9")
def test_the_last_dimension_is_opencls_first(cl: Any, queue: sycl.queue) -> None:
    grid = sycl.make_kernel(OPENCL, kernel_of(cl, queue, "grid"), queue.get_context())
    out = np.zeros((5, 7), np.int32)
    with sycl.buffer(out) as b:
        def group(h: sycl.handler) -> None:
            h.set_arg(0, sycl.accessor(b, h, sycl.write_only))
            h.set_arg(1, np.int32(7))
            h.parallel_for(sycl.range(5, 7), grid)
        queue.submit(group)
    assert out.tolist() == [[1000 * y + x for x in range(7)] for y in range(5)]


PLACES = """
__kernel void places(__global int *out) {
  int at = 0;
  for (int d = 2; d >= 0; --d)
    at = at * get_global_size(d) + get_global_id(d) - get_global_offset(d);
  for (int d = 0; d < 3; ++d) {
    out[at * 15 + d] = get_global_id(d);
    out[at * 15 + 3 + d] = get_local_id(d);
    out[at * 15 + 6 + d] = get_group_id(d);
    out[at * 15 + 9 + d] = get_local_size(d);
    out[at * 15 + 12 + d] = get_num_groups(d);
  }
}
"""


def place(it, out):
    at = 0
    for d in (0, 1, 2):
        at = at * it.get_global_range(d) + it.get_global_id(d) - it.get_offset()[d]
    for d in (0, 1, 2):
        out[at, 0, d] = it.get_global_id(d)
        out[at, 1, d] = it.get_local_id(d)
        out[at, 2, d] = it.get_group(d)
        out[at, 3, d] = it.get_local_range(d)
        out[at, 4, d] = it.get_group_range(d)


def places_of(queue: sycl.queue, kernel: Any, offset: tuple[int, int, int]) -> Any:
    """Return what each item of a launch says of where it is."""
    with pytest.warns(DeprecationWarning, match="offsets"):
        space = sycl.nd_range((4, 6, 2), (2, 3, 1), offset)
    array = np.zeros((48, 5, 3), np.int32)

    def group(h: sycl.handler) -> None:
        out = sycl.accessor(b, h, sycl.write_only)
        if kernel is place:
            h.parallel_for(space, kernel, out)
            return
        h.set_args(out)
        h.parallel_for(space, kernel)
    with sycl.buffer(array) as b:
        queue.submit(group)
    return array


OFFSETS = pytest.mark.parametrize("offset", [(0, 0, 0), (3, 5, 7)])


@OFFSETS
@pytest.mark.row("E-21")
def test_global_ids_follow_from_group_and_local_ids(
        queue: sycl.queue, offset: tuple[int, int, int]) -> None:
    found = places_of(queue, place, offset)
    whole, local, in_group, size, groups = found.transpose(1, 0, 2)
    assert np.array_equal(whole, in_group * size + local + offset)
    assert (size == (2, 3, 1)).all()
    assert (groups == (2, 2, 2)).all()
    order = np.indices((4, 6, 2)).reshape(3, -1).T + offset
    assert np.array_equal(whole, order)


@OFFSETS
@pytest.mark.row("I-9")
def test_ids_of_opencl_are_those_of_sycl_reversed(
        cl: Any, queue: sycl.queue, offset: tuple[int, int, int]) -> None:
    context = sycl.get_native(OPENCL, queue.get_context())
    built = cl._cl._Program(context, PLACES)
    built._build(b"", [sycl.get_native(OPENCL, queue.get_device())])
    theirs = sycl.make_kernel(OPENCL, cl.Kernel(built, "places"), queue.get_context())
    found = [places_of(queue, kernel, offset) for kernel in (theirs, place)]
    assert np.array_equal(found[0][:, :, ::-1], found[1])


@pytest.mark.row("I-5")
def test_local_memory_and_arguments_set_before(cl: Any, queue: sycl.queue) -> None:
    native = kernel_of(cl, queue, "reverse")
    native.set_arg(1, cl.LocalMemory(4 * 16))
    reverse, data = sycl.make_kernel(OPENCL, native, queue.get_context()), np.arange(16)
    values = data.astype(np.int32)
    with sycl.buffer(values) as b:
        def preset(h: sycl.handler) -> None:
            h.set_arg(0, sycl.accessor(b, h))
            h.parallel_for(sycl.nd_range(16, 16), reverse)

        def given(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h), sycl.local_accessor(np.int32, 16, h))
            h.parallel_for(sycl.nd_range(16, 16), reverse)

        def twice(h: sycl.handler) -> None:
            tile = sycl.local_accessor(np.int32, 16, h)
            h.set_args(tile, tile)
            h.parallel_for(sycl.nd_range(16, 16), reverse)
        queue.submit(preset)
        with sycl.host_accessor(b, sycl.read_only) as x:
            assert x.get_view().tolist() == data[::-1].tolist()
        with pytest.raises(sycl.exception, match="a memory for each argument"):
            queue.submit(twice)
        queue.submit(given)
    assert values.tolist() == data.tolist()


@pytest.mark.row("I-5", "F-19")
def test_what_opencl_refuses_keeps_its_code(cl: Any, queue: sycl.queue) -> None:
    scale = sycl.make_kernel(OPENCL, kernel_of(cl, queue, "scale"), queue.get_context())
    most = queue.get_device().get_info(sycl.info.device.max_work_group_size)
    with sycl.buffer(np.zeros(8 * most, np.float32)) as b:
        def group(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h), np.float32(3))
            h.parallel_for(sycl.nd_range(8 * most, 8 * most), scale)

        def python_number(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h), 3)
            h.parallel_for(8, scale)

        def wide_number(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h), np.float64(3))
            h.parallel_for(8, scale)

        assert code_of(lambda: queue.submit(wide_number).wait()) == sycl.errc.kernel_argument
        with pytest.raises(sycl.exception) as caught:
            queue.submit(group).wait()
        assert caught.value.code() == sycl.errc.nd_range
        assert sycl.opencl.get_error_code(caught.value) in (-54, -55)
        assert code_of(queue.submit, python_number) == sycl.errc.kernel_argument
    assert sycl.opencl.get_error_code(sycl.exception(sycl.errc.invalid, "")) == 0


@pytest.mark.row("I-2", "I-5")
def test_objects_of_another_context_are_refused(cl: Any, queue: sycl.queue) -> None:
    other = cl.Context([sycl.get_native(OPENCL, queue.get_device())])
    owner = queue.get_context()
    for make, native in ((sycl.make_queue, cl.CommandQueue(other)),
                         (sycl.make_buffer, cl.Buffer(other, cl.mem_flags.READ_WRITE, 16)),
                         (sycl.make_device, 7), (sycl.make_event, 7)):
        given = (native,) if make is sycl.make_device else (native, owner)
        assert code_of(make, OPENCL, *given) == sycl.errc.invalid
    assert code_of(sycl.make_context, sycl.backend.host, other) == sycl.errc.invalid


@pytest.mark.row("I-4", "J-12")
def test_opencl_commands_in_a_host_task_between_two_kernels(cl: Any, queue: sycl.queue) -> None:
    native, data = kernel_of(cl, queue, "scale"), np.arange(256, dtype=np.float32)

    def plus(h: sycl.handler) -> None:
        x = sycl.accessor(b, h)

        def kernel(i: sycl.item) -> None:
            x[i] += 1

        h.parallel_for(256, kernel)

    def theirs(h: sycl.handler) -> None:
        x = sycl.accessor(b, h)

        @h.host_task
        def call(ih: sycl.interop_handle) -> None:
            native.set_args(ih.get_native_mem(x, OPENCL), np.float32(3))
            cl.enqueue_nd_range_kernel(ih.get_native_queue(), native, (256,), None).wait()

    with sycl.buffer(data) as b:
        for group in (plus, theirs, plus):
            queue.submit(group)
    assert np.array_equal(data, (np.arange(256) + 1) * 3 + 1)


@pytest.mark.row("I-2")
def test_native_events_can_be_asked_for(cl: Any, queue: sycl.queue) -> None:
    gate = cl.UserEvent(sycl.get_native(OPENCL, queue.get_context()))
    event = sycl.make_event(OPENCL, gate, queue.get_context())
    assert sycl.get_native(OPENCL, event) == [gate]
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    assert sycl.get_native(OPENCL, event) == []


@pytest.mark.row("I-2", "I-3", "E-9")
@pytest.mark.parametrize("end", ["complete", "failed"])
def test_a_buffer_is_made_before_its_contents_are_complete(
        cl: Any, device: sycl.device, end: str) -> None:
    """Its commands wait for the event; making it does not, nor does submitting."""
    errors: list[Any] = []
    q = sycl.queue(device, lambda found: errors.extend(found))
    native, owner = sycl.get_native(OPENCL, q), q.get_context()
    memory, gate = cl.Buffer(native.context, cl.mem_flags.READ_WRITE, 64), cl.UserEvent(
        native.context)
    cl.enqueue_fill_buffer(native, memory, np.int32(1), 0, 64).wait()
    late = gate
    if end == "complete":
        late = cl.enqueue_fill_buffer(native, memory, np.int32(5), 0, 64, wait_for=[gate])
        native.flush()
    available = sycl.make_event(OPENCL, late, owner)
    b, seen = sycl.make_buffer(OPENCL, memory, owner, available, dtype=np.int32), np.zeros(16)
    copied = sycl.buffer(seen)

    def group(h: sycl.handler) -> None:
        x, y = sycl.accessor(b, h), sycl.accessor(copied, h, sycl.write_only)
        h.parallel_for(16, add_and_keep, x, y)
    command = q.submit(group)
    assert sycl.info.event_command_status.complete != command.get_info(
        sycl.info.event.command_execution_status)
    if end == "failed":
        gate.set_status(-5)
        command.wait()
        q.wait_and_throw()
        assert any("did not run because" in e.what() for e in errors)
        return
    gate.set_status(cl.command_execution_status.COMPLETE)
    b.close()
    copied.close()
    assert [6] * 16 == seen.tolist()
    after = np.zeros(16, np.int32)
    cl.enqueue_copy(native, after, memory).wait()
    assert [6] * 16 == after.tolist()


def add_and_keep(i: Any, x: Any, y: Any) -> None:
    x[i] += 1
    y[i] = x[i]


@pytest.mark.row("I-8")
def test_extensions_are_those_that_the_driver_tells(cl: Any, device: sycl.device) -> None:
    platform, info = device.get_platform(), sycl.info
    for thing, told in ((device, device.get_info(info.device.extensions)),
                        (platform, platform.get_info(info.platform.extensions))):
        names = sycl.get_native(OPENCL, thing).extensions.split()
        assert sorted(set(names)) == sorted(told)
        assert all(sycl.opencl.has_extension(thing, name) for name in names)
        assert not sycl.opencl.has_extension(thing, "cl_nobody_has_this")


@pytest.mark.row("I-8")
def test_what_extensions_stand_for_is_there_by_its_aspect(
        cl: Any, device: sycl.device, queue: sycl.queue) -> None:
    has = functools.partial(sycl.opencl.has_extension, device)
    assert device.has(sycl.aspect.fp16) <= has("cl_khr_fp16")
    assert device.has(sycl.aspect.atomic64) <= (
        has("cl_khr_int64_base_atomics") and has("cl_khr_int64_extended_atomics"))
    if not (device.has(sycl.aspect.image) and has("cl_khr_3d_image_writes")):
        pytest.skip("refused: the device writes no images of three dimensions")
    pixels = np.zeros((2, 3, 4, 4), np.float32)
    with sycl.unsampled_image(pixels, sycl.image_format.r32g32b32a32_sfloat) as image:
        @queue.submit
        def group(h: sycl.handler) -> None:
            out = sycl.unsampled_image_accessor(image, h, sycl.write_only)

            @h.parallel_for((2, 3, 4))
            def kernel(it: sycl.item) -> None:
                z, y, x = it
                out.write(sycl.int4(x, y, z, 0), sycl.float4(x, y, z, 1))
    z, y, x = np.indices((2, 3, 4))
    np.testing.assert_array_equal(pixels, np.stack([x, y, z, np.ones_like(x)], -1))


def halve(i: Any, x: Any) -> None:
    x[i] = x[i] / 2 + 1


def tally(i: Any, x: Any) -> None:
    sycl.atomic_ref(x, 0).fetch_add(1 << 40)
    sycl.atomic_ref(x, 1).fetch_max(i)


@pytest.mark.row("I-8")
@pytest.mark.parametrize(("aspect", "kernel", "start", "end"), [
    (sycl.aspect.fp16, halve, np.arange(8, dtype=np.float16), (np.arange(8) / 2 + 1).tolist()),
    (sycl.aspect.atomic64, tally, np.zeros(8, np.int64), [8 << 40, 7, *[0] * 6])],
    ids=lambda x: getattr(x, "name", ""))
def test_halves_and_wide_atomics_run_where_their_extensions_are(
        cl: Any, queue: sycl.queue, aspect: sycl.aspect, kernel: Any, start: Any,
        end: list[float]) -> None:
    """A device without them says so instead."""
    data = start.copy()
    if queue.get_device().has(aspect):
        queue.parallel_for(8, kernel, data).wait()
        assert end == data.tolist()
        return
    refusals = (sycl.errc.kernel_not_supported, sycl.errc.feature_not_supported)
    assert code_of(queue.parallel_for, 8, kernel, data) in refusals
    assert start.tolist() == data.tolist()


@pytest.mark.row("I-8")
def test_a_feature_that_is_used_and_not_enabled_is_told(cl: Any, device: sycl.device) -> None:
    """What ``#pragma OPENCL EXTENSION`` is in C, ``device_has`` is here."""
    @sycl.kernel(device_has=sycl.aspect.cpu if device.is_cpu() else sycl.aspect.gpu)
    def kernel(i: Any, x: Any) -> None:
        x[i] = np.int32(np.float16(x[i]) + np.float16(1))
    with pytest.raises(sycl.KernelError, match=r"K070: this needs aspect\.fp16"):
        sycl.queue(device).parallel_for(4, kernel, np.zeros(4, np.int32))


@pytest.mark.row("I-6", "C-3")
def test_work_groups_that_a_native_kernel_does_not_run_with_are_refused_at_once(
        cl: Any, queue: sycl.queue) -> None:
    device = queue.get_device()
    most = device.get_info(sycl.info.device.max_work_group_size)
    scale, fixed, reverse = (kernel_of(cl, queue, n) for n in ("scale", "fixed", "reverse"))
    b = sycl.buffer(np.ones(64, np.float32))

    def launch(native: Any, space: Any, *values: Any) -> sycl.event:
        made = sycl.make_kernel(OPENCL, native, queue.get_context())

        @queue.submit
        def done(h: sycl.handler) -> None:
            h.set_args(sycl.accessor(b, h), *(v(h) if callable(v) else v for v in values))
            h.parallel_for(space, made)
        return done
    for space in (sycl.nd_range(64, 32), sycl.nd_range((64, 2), (16, 2)), sycl.range(63)):
        with pytest.raises(sycl.exception, match="requires work-groups of .*16") as caught:
            launch(fixed, space)
        assert sycl.errc.nd_range == caught.value.code()
    with pytest.raises(sycl.exception, match=f"exceeds the {most} that") as caught:
        launch(scale, sycl.nd_range(2 * most, 2 * most), np.float32(2))
    assert sycl.errc.nd_range == caught.value.code()
    tile = device.get_info(sycl.info.device.local_mem_size) // 4 + 1
    with pytest.raises(sycl.exception, match=f"is given {4 * tile} bytes of local") as caught:
        launch(reverse, sycl.nd_range(64, 16), lambda h: sycl.local_accessor(np.int32, tile, h))
    assert sycl.errc.memory_allocation == caught.value.code()
    for space in (sycl.nd_range(64, 16), sycl.range(64), sycl.range(16)):
        launch(fixed, space).wait()
    assert [4.0] * 16 + [3.0] * 48 == list(sycl.host_accessor(b))


@pytest.mark.row("I-2")
def test_an_object_of_another_kind_is_refused_by_its_class(cl: Any, queue: sycl.queue) -> None:
    owner, native = queue.get_context(), sycl.get_native(OPENCL, queue)
    images = [("Buffer", lambda *x: sycl.make_buffer(*x, owner), cl.create_image(
        native.context, cl.mem_flags.READ_WRITE, cl.ImageFormat(
            cl.channel_order.RGBA, cl.channel_type.FLOAT),
        shape=(4, 4)))] if native.device.image_support else []
    for wanted, make, wrong in (
            ("Device", sycl.make_device, native.context),
            ("Context", sycl.make_context, native),
            ("CommandQueue", lambda *x: sycl.make_queue(*x, owner), native.context),
            ("Event", lambda *x: sycl.make_event(*x, owner), native),
            ("Kernel", lambda *x: sycl.make_kernel(*x, owner), native),
            ("Program", lambda *x: sycl.make_kernel_bundle(*x, owner), native),
            ("Buffer", lambda *x: sycl.make_buffer(*x, owner), native), *images):
        with pytest.raises(sycl.exception, match=f"expected a {wanted} of PyOpenCL's, got") as told:
            make(OPENCL, wrong)
        assert sycl.errc.invalid == told.value.code()
    memory = cl.Buffer(native.context, cl.mem_flags.READ_WRITE, 64)
    for dtype in ("no type", None, object):
        with pytest.raises(sycl.exception) as told:
            sycl.make_buffer(OPENCL, memory, owner, dtype=dtype)
        assert sycl.errc.invalid == told.value.code()


@pytest.mark.row("F-16")
@pytest.mark.row("I-1")
def test_memory_that_a_device_has_got_for_a_buffer_is_its_native_one(
        cl: Any, queue: sycl.queue) -> None:
    """Where kernels use the host's memory in place there is none."""
    data = np.arange(64, dtype=np.float32)
    with sycl.buffer(data) as b:
        assert [] == sycl.get_native(OPENCL, b)
        queue.submit(lambda h: h.parallel_for(64, scale, sycl.accessor(b, h))).wait()
        found = sycl.get_native(OPENCL, b)
        if queue.get_device().has(sycl.aspect.usm_system_allocations):
            assert [] == found
        else:
            (memory,) = found
            seen = np.empty_like(data)
            cl.enqueue_copy(sycl.get_native(OPENCL, queue), seen, memory).wait()
            assert np.array_equal(2 * np.arange(64), seen)


def scale(i: Any, x: Any) -> None:
    x[i] = x[i] * np.float32(2)


@pytest.mark.row("I-2", "I-6")
def test_what_is_no_context_is_refused(cl: Any, queue: sycl.queue) -> None:
    context = sycl.get_native(OPENCL, queue.get_context())
    memory, event = cl.Buffer(context, cl.mem_flags.READ_WRITE, 64), cl.UserEvent(context)
    event.set_status(cl.command_execution_status.COMPLETE)
    wrong: tuple[tuple[Any, Any], ...] = (
        (sycl.make_buffer, memory), (sycl.make_queue, sycl.get_native(OPENCL, queue)),
        (sycl.make_event, event), (sycl.make_unsampled_image, memory),
        (sycl.make_kernel, memory), (sycl.make_kernel_bundle, memory))
    for make, native in wrong:
        with pytest.raises(sycl.exception, match="expected a context, got queue") as caught:
            make(OPENCL, native, queue)
        assert sycl.errc.invalid == caught.value.code()
