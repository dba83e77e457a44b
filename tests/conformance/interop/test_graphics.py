"""Sharing with OpenGL (SYCL 1.2 §4.4): where a device reports it, and refused where it does not."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.conformance.refusals import code_of
from unisycl import compat12

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
ASKED = {"CL_GL_CONTEXT_KHR": 77, "CL_GLX_DISPLAY_KHR": 5}
OPENCL = sycl.backend.opencl


def refused(call: Any, *args: Any) -> None:
    with pytest.raises(sycl.exception, match="does not report cl_khr_gl_sharing") as caught:
        call(*args)
    assert sycl.errc.feature_not_supported == caught.value.code()


def shares(device: sycl.device) -> bool:
    return device.has_extension("cl_khr_gl_sharing")


@pytest.mark.row("I-11", "I-12", "I-13")
def test_a_device_that_does_not_share_is_asked_and_refuses(queue: sycl.queue) -> None:
    device, access = queue.get_device(), compat12.access
    if shares(device):
        pytest.skip("no OpenGL is here to share with")
    for name in ("CL_EGL_DISPLAY_KHR", "CL_GLX_DISPLAY_KHR"):
        refused(compat12.context, {"CL_GL_CONTEXT_KHR": 1, name: 1}, device)
    plain = compat12.context(device)
    for call in (plain.get_gl_current_device, plain.get_gl_context_devices):
        refused(call)
    for wrong in ({"nonsense": 1}, {}):
        assert sycl.errc.invalid == code_of(compat12.context, wrong, device)
    for made in ((compat12.buffer, plain, 1), (compat12.buffer, sycl.context(device), 1),
                 (compat12.image, plain, 1), (compat12.image, plain, 0x0DE1, 1, 0),
                 (compat12.event, plain, 1)):
        refused(*made)
    with compat12.buffer(np.zeros(4, np.int32)) as b:
        def body() -> None:
            refused(b.get_access, access.read_write, access.cl_gl_buffer)
            compat12.single_task(lambda: None)
        compat12.command_group(compat12.queue(device), body)
    report_refusal(device)


def report_refusal(device: sycl.device) -> None:
    """Tell the page of conformance that it is the device that lacks this."""
    with sycl_refused(device):
        compat12.context(ASKED, device)


def sycl_refused(device: sycl.device) -> Any:
    return importlib.import_module("unisycl.testing").refused(device, able=shares(device))


class Stage:
    """A device that pretends to share, with a context, a queue, and OpenGL's objects."""

    def __init__(self, device: sycl.device, patch: pytest.MonkeyPatch) -> None:
        opengl = importlib.import_module("tests.conformance.interop.opengl")
        self.gl, self.names = opengl.pretend(device, patch), opengl
        self.context = compat12.context(ASKED, device)
        self.gl.fill(self.context.get())
        self.queue = compat12.queue(self.context, self.context.get_devices()[0])
        self.native = self.queue.get()

    def put(self, name: int, values: Any) -> None:
        cl, memory = self.names.cl, self.gl.memory[name]
        if isinstance(memory, cl.Image):
            cl.enqueue_copy(self.native, memory, values, origin=(0, 0),
                            region=values.shape[1::-1]).wait()
        else:
            cl.enqueue_copy(self.native, memory, values).wait()

    def take(self, name: int, like: Any) -> Any:
        cl, memory, seen = self.names.cl, self.gl.memory[name], np.empty_like(like)
        if isinstance(memory, cl.Image):
            cl.enqueue_copy(self.native, seen, memory, origin=(0, 0),
                            region=like.shape[1::-1]).wait()
        else:
            cl.enqueue_copy(self.native, seen, memory).wait()
        return seen


@pytest.fixture
def stage(cl: Any, device: sycl.device, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(device, monkeypatch)


@pytest.mark.part("I-11")
def test_a_context_is_made_with_opengls(stage: Stage, device: sycl.device) -> None:
    assert stage.gl.properties == {0x2008: 77, 0x200A: 5, 0x1084: stage.gl.native.platform.int_ptr}
    assert stage.context.get_devices() == [device]
    assert stage.context.get_gl_current_device() == device
    assert stage.queue.get_context().get_gl_context_devices() == [device]
    assert stage.gl.trace == ["current", "all"]
    plain = compat12.context(device)
    for call in (plain.get_gl_current_device, lambda: compat12.buffer(plain, 7)):
        with pytest.raises(sycl.exception, match="make it with its properties") as caught:
            call()
        assert caught.value.code() == sycl.errc.invalid


@pytest.mark.part("I-12", "I-13")
def test_a_buffer_is_acquired_used_and_released(stage: Stage) -> None:
    access, names = compat12.access, stage.names
    stage.put(names.BUFFER, np.arange(16, dtype=np.int32))
    b = compat12.buffer(stage.context, names.BUFFER, dtype=np.int32)
    assert (b.get_count(), b.get_gl_info()) == (16, 0x2000)

    def add() -> None:
        a = b.get_access(access.read_write, access.cl_gl_buffer)

        def kernel(i):
            a[i] += 10
        compat12.parallel_for(compat12.range(16), kernel)
    first = compat12.command_group(stage.queue, add)
    compat12.command_group(stage.queue, add).complete_event().wait()
    assert first.kernel_event().get_info(sycl.info.event.command_execution_status) == (
        sycl.info.event_command_status.complete)
    pair = ["acquire 7", "release 7"]
    assert stage.gl.trace == ["make buffer 7", *pair, *pair]
    assert stage.take(names.BUFFER, np.empty(16, np.int32)).tolist() == list(range(20, 36))
    stage.put(names.BUFFER, np.zeros(16, np.int32))  # OpenGL draws, between two groups
    total = np.zeros(1, np.int32)

    def read() -> None:
        a = compat12.accessor(b, access.read, access.cl_gl_buffer)

        def kernel():
            total[0] = a[0] + a[15] + 1
        compat12.single_task(kernel)
    compat12.command_group(stage.queue, read).complete_event().wait()
    assert (total.tolist(), stage.gl.acquired) == ([1], set())
    for wrong in (access.global_buffer, access.host_buffer, access.cl_buffer):
        assert sycl.errc.invalid == code_of(compat12.accessor, b, access.read, wrong)


@pytest.mark.part("I-13")
def test_what_was_acquired_is_released_where_the_group_fails(
        stage: Stage, device: sycl.device) -> None:
    access, names = compat12.access, stage.names
    b = compat12.buffer(stage.context, names.BUFFER, dtype=np.int32)

    def wrong() -> None:
        b.get_access(access.read_write, access.cl_gl_buffer)
        raise KeyError("the program's own")
    with pytest.raises(KeyError):
        compat12.command_group(stage.queue, wrong)
    stage.queue.wait()
    assert stage.gl.trace[1:] == ["acquire 7", "release 7"]

    def elsewhere() -> None:
        b.get_access(access.read_write, access.cl_gl_buffer)
    with pytest.raises(sycl.exception, match="another context"):
        compat12.command_group(compat12.queue(device), elsewhere)
    assert stage.gl.acquired == set()


@pytest.mark.part("I-13")
def test_what_was_acquired_is_released_where_the_kernel_cannot_run(stage: Stage) -> None:
    access, names, errors = compat12.access, stage.names, []
    q = compat12.queue(stage.context, stage.context.get_devices()[0], errors.append)
    b, other = (compat12.buffer(stage.context, n) for n in (names.BUFFER, names.BYTES))
    busy = stage.gl.memory[names.BYTES].int_ptr
    stage.gl.acquired.add(busy)  # somebody else has it

    def both() -> None:
        x = b.get_access(access.write, access.cl_gl_buffer)
        y = other.get_access(access.read, access.cl_gl_buffer)

        def kernel():
            x[0] = y[0]
        compat12.single_task(kernel)
    compat12.command_group(q, both)
    q.wait_and_throw()
    assert errors
    assert [n for n in stage.gl.trace if n[:4] != "make"] == ["acquire 7", "release 7"]
    assert stage.gl.acquired == {busy}


@pytest.mark.part("I-12", "I-13")
def test_textures_and_renderbuffers_are_images(stage: Stage, device: sycl.device) -> None:
    access, names = compat12.access, stage.names
    pixels = np.random.default_rng(4).integers(0, 255, (3, 5, 4), np.uint8)
    stage.put(names.TEXTURE2D, pixels)
    texture = compat12.image(stage.context, names.GL_TEXTURE_2D, names.TEXTURE2D, 2)
    drawn = compat12.image(stage.context, names.RENDERBUFFER)
    assert (texture.get_range(), drawn.get_range()) == (sycl.range(5, 3), sycl.range(4, 2))
    assert stage.gl.trace == ["make texture 0xde1 level 2 8", "make renderbuffer 9"]
    assert (texture.get_gl_texture_target(), texture.get_gl_mipmap_level()) == (
        names.GL_TEXTURE_2D, 2)
    assert texture.get_gl_info() == 0x2001

    def turn() -> None:
        a = texture.get_access(access.read, access.cl_gl_image)
        o = compat12.accessor(drawn, access.discard_write, access.cl_gl_image)

        def kernel(it):
            o[it[1], it[0]] = a[it[1], it[0]].wzyx
        compat12.parallel_for(compat12.range(2, 4), kernel)
    compat12.command_group(stage.queue, turn).complete_event().wait()
    stage.queue.wait()
    assert sorted(stage.gl.trace[2:]) == ["acquire 8", "acquire 9", "release 8", "release 9"]
    seen = stage.take(names.RENDERBUFFER, np.empty((2, 4, 4), np.uint8))
    np.testing.assert_array_equal(seen, pixels[:2, :4, ::-1])
    for wrong in (access.image, access.host_image):
        assert sycl.errc.invalid == code_of(texture.get_access, access.read, wrong)
    assert stage.gl.acquired == set()


@pytest.mark.part("I-12", "I-13")
def test_layers_are_a_dimension_and_depths_one_channel(stage: Stage) -> None:
    access, names = compat12.access, stage.names
    layers = compat12.image(stage.context, names.GL_TEXTURE_2D_ARRAY, names.LAYERS, 0)
    assert layers.get_range() == sycl.range(4, 2, 3)

    def fill() -> None:
        a = layers.get_access(access.write, access.cl_gl_image)

        def kernel(it):
            a[it[2], it[1], it[0]] = sycl.float4(it[0] * 100 + it[1] * 10 + it[2])
        compat12.parallel_for(compat12.range(3, 2, 4), kernel)
    compat12.command_group(stage.queue, fill).complete_event().wait()
    z, y, x = np.indices((3, 2, 4))
    seen = np.empty((3, 2, 4), np.float32)
    names.cl.enqueue_copy(stage.native, seen, stage.gl.memory[names.LAYERS], origin=(0, 0, 0),
                          region=(4, 2, 3)).wait()
    np.testing.assert_array_equal(seen, z * 100 + y * 10 + x)
    if names.DEPTH not in stage.gl.memory:
        return
    deep = compat12.image(stage.context, names.GL_TEXTURE_2D, names.DEPTH, 0)

    def count() -> None:
        a = deep.get_access(access.write, access.cl_gl_image)

        def kernel(it):
            a[it[1], it[0]] = sycl.float4(it[0] * 10 + it[1])
        compat12.parallel_for(compat12.range(2, 4), kernel)
    compat12.command_group(stage.queue, count).complete_event().wait()
    y, x = np.indices((2, 4))
    like = np.empty((2, 4), np.float32)
    np.testing.assert_array_equal(stage.take(names.DEPTH, like), y * 10 + x)


@pytest.mark.part("I-12")
def test_a_buffer_may_be_pixels_in_a_row(stage: Stage) -> None:
    access, names = compat12.access, stage.names
    stage.put(names.BYTES, np.arange(16, dtype=np.float32))
    line = compat12.image(stage.context, names.BYTES, (0x10B5, 0x10DE))  # CL_RGBA, CL_FLOAT
    assert line.get_range() == sycl.range(4)

    def double() -> None:
        a = line.get_access(access.read_write, access.cl_gl_image)

        def kernel(i):
            a[i[0]] = a[i[0]] * 2
        compat12.parallel_for(compat12.range(4), kernel)
    compat12.command_group(stage.queue, double).complete_event().wait()
    assert stage.take(names.BYTES, np.empty(16, np.float32)).tolist() == list(range(0, 32, 2))
    with pytest.raises(sycl.exception) as caught:
        compat12.buffer(stage.context, 99)
    assert caught.value.native_code == names.INVALID_GL_OBJECT


@pytest.mark.part("I-13")
def test_an_event_of_a_sync_object(stage: Stage) -> None:
    made = compat12.event(stage.context, stage.names.SYNC)
    assert made.get_gl_info() == stage.names.SYNC
    status = sycl.info.event.command_execution_status
    assert made.get_info(status) != sycl.info.event_command_status.complete
    ran = stage.queue.submit(lambda h: (h.depends_on(made), h.single_task(lambda: None)))
    assert ran.get_info(status) != sycl.info.event_command_status.complete
    stage.gl.gate.set_status(0)
    ran.wait()
    assert made.get() == stage.gl.gate
    assert sycl.errc.invalid == code_of(compat12.event().get_gl_info)
