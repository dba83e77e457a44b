"""A driver that shares with OpenGL, for tests: the C functions of the extensions, in Python.

What stands for OpenGL's objects are memory objects of the same context, by their names; what is
done with them is noted. Non-goals: OpenGL. Invariant: who uses an object that is not acquired, or
acquires one twice, gets the error that the extension asks for.
"""

# ruff: noqa: N802 - the names are those of C

from __future__ import annotations

import ctypes
import dataclasses
from typing import Any

import pyopencl as cl
import pytest

import unisycl as sycl
from unisycl.backends.opencl.interop import graphics

BUFFER, TEXTURE2D, RENDERBUFFER, SYNC = 7, 8, 9, 4096
LAYERS, DEPTH, BYTES = 10, 11, 12
DEPTH_FORMAT = cl.ImageFormat(0x10BD, cl.channel_type.FLOAT)
GL_TEXTURE_2D, GL_TEXTURE_2D_ARRAY = 0x0DE1, 0x8C1A
INVALID_GL_OBJECT, INVALID_OPERATION = -60, -59


class FakeGl:
    """OpenGL's objects, by name, and the calls that came."""

    def __init__(self, device: sycl.device) -> None:
        self.native = sycl.get_native(sycl.backend.opencl, device)
        self.trace: list[str] = []
        self.memory: dict[int, Any] = {}
        self.names: dict[int, int] = {}
        self.acquired: set[int] = set()
        self.properties: dict[int, int] = {}
        self.context: Any = None
        self.gate: Any = None
        self._kept: list[Any] = []
        self._library = ctypes.CDLL(cl._cl.__file__)

    def fill(self, context: Any) -> None:
        """Make the objects, as a program does with OpenGL's own functions."""
        self.context, flags = context, cl.mem_flags.READ_WRITE
        form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
        line = cl.ImageFormat(cl.channel_order.R, cl.channel_type.FLOAT)
        self.memory = {
            BUFFER: cl.Buffer(context, flags, 64), BYTES: cl.Buffer(context, flags, 64),
            TEXTURE2D: cl.create_image(context, flags, form, shape=(5, 3)),
            RENDERBUFFER: cl.create_image(context, flags, form, shape=(4, 2)),
            LAYERS: cl.create_image(context, flags, line, shape=(4, 2, 3), is_array=True)}
        known = cl.get_supported_image_formats(context, flags, cl.mem_object_type.IMAGE2D)
        if any((f.channel_order, f.channel_data_type) == (
                DEPTH_FORMAT.channel_order, DEPTH_FORMAT.channel_data_type) for f in known):
            self.memory[DEPTH] = cl.create_image(context, flags, DEPTH_FORMAT, shape=(4, 2))
        self.names = {m.int_ptr: name for name, m in self.memory.items()}
        self.gate = cl.UserEvent(context)

    def address(self, name: str) -> int | None:
        """Return the address of a function of the extensions, or of the loader's own."""
        call = getattr(self, name, None)
        if call is None:
            return None
        made = ctypes.CFUNCTYPE(*graphics.FUNCTIONS[name])(call)
        self._kept.append(made)
        return ctypes.cast(made, ctypes.c_void_p).value

    # ------------------------------------------------------------------ the functions
    def clCreateContext(self, words: int, count: int, devices: int, *rest: Any) -> int:
        self.properties = self._words(words)
        create = self._library.clCreateContext
        create.restype = ctypes.c_void_p
        plain = (ctypes.c_ssize_t * 3)(0x1084, self.properties[0x1084], 0)
        return int(create(plain, count, ctypes.c_void_p(devices), None, None,
                          ctypes.c_void_p(rest[-1])))

    def clGetGLContextInfoKHR(self, words: int, what: int, room: int, value: int,
                              size: int) -> int:
        self.trace.append({0x2006: "current", 0x2007: "all"}[what])
        assert self._words(words)[0x2008] == 77
        ctypes.c_void_p.from_address(value).value = self.native.int_ptr
        ctypes.c_size_t.from_address(size).value = 8
        return 0

    def clCreateFromGLBuffer(self, context: int, flags: int, name: int, status: int) -> Any:
        return self._object("buffer", name, status)

    def clCreateFromGLRenderbuffer(self, context: int, flags: int, name: int,
                                   status: int) -> Any:
        return self._object("renderbuffer", name, status)

    def clCreateFromGLTexture(self, context: int, flags: int, target: int, level: int,
                              name: int, status: int) -> Any:
        return self._object(f"texture {target:#x} level {level}", name, status)

    def _object(self, what: str, name: int, status: int) -> Any:
        memory = self.memory.get(name)
        ctypes.c_int32.from_address(status).value = INVALID_GL_OBJECT if memory is None else 0
        if memory is None:
            return None
        self.trace.append(f"make {what} {name}")
        return self._retained(memory, "clRetainMemObject")

    def _retained(self, native: Any, function: str) -> int:
        assert not getattr(self._library, function)(ctypes.c_void_p(native.int_ptr))
        return int(native.int_ptr)

    def clGetGLObjectInfo(self, memory: int, kind: int, name: int) -> int:
        ctypes.c_uint32.from_address(kind).value = 0x2000 + (self.names[memory] != BUFFER)
        ctypes.c_uint32.from_address(name).value = self.names[memory]
        return 0

    def clGetGLTextureInfo(self, memory: int, what: int, room: int, value: int,
                           size: int | None) -> int:
        found = {0x2004: GL_TEXTURE_2D, 0x2005: 2}[what]
        ctypes.c_int32.from_address(value).value = found
        return 0

    def clEnqueueAcquireGLObjects(self, queue: int, count: int, memory: int, *rest: Any) -> int:
        return self._turn("acquire", memory, rest)

    def clEnqueueReleaseGLObjects(self, queue: int, count: int, memory: int, *rest: Any) -> int:
        return self._turn("release", memory, rest)

    def _turn(self, what: str, memory: int, rest: Any) -> int:
        one = ctypes.c_void_p.from_address(memory).value
        assert one is not None
        if (one in self.acquired) == (what == "acquire"):
            return INVALID_OPERATION
        self.acquired ^= {one}
        self.trace.append(f"{what} {self.names[one]}")
        event = cl.UserEvent(self.context)
        event.set_status(cl.command_execution_status.COMPLETE)
        ctypes.c_void_p.from_address(rest[-1]).value = self._retained(event, "clRetainEvent")
        return 0

    def clCreateEventFromGLsyncKHR(self, context: int, sync: int, status: int) -> Any:
        assert sync == SYNC
        ctypes.c_int32.from_address(status).value = 0
        return self._retained(self.gate, "clRetainEvent")

    @staticmethod
    def _words(at: int) -> dict[int, int]:
        """Return a list of properties that ends with 0."""
        found = {}
        while key := ctypes.c_ssize_t.from_address(at).value:
            found[key] = ctypes.c_ssize_t.from_address(at + 8).value
            at += 16
        return found


def pretend(device: sycl.device, patch: pytest.MonkeyPatch) -> FakeGl:
    """Have a device of OpenCL's report the extensions, and have these functions."""
    made, state = FakeGl(device), device.state
    details = {**state.info.details, "extensions": [
        *state.info.details["extensions"], "cl_khr_gl_sharing", "cl_khr_gl_event"]}
    patch.setattr(state, "info", dataclasses.replace(state.info, details=details))
    patch.setattr(graphics, "address_of", lambda api, platform, name: made.address(name))
    return made
