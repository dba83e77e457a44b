"""Sharing with OpenGL: the functions of ``cl_khr_gl_sharing`` and ``cl_khr_gl_event``, by ctypes.

PyOpenCL's wheels come without them. Non-goals: OpenGL itself, SYCL's names. Invariants: an object
is read and written only between its ``acquire`` and its ``release``, each of which waits for its
end; a function that the platform lacks is refused by its name.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unisycl.backends.opencl.api import Api
from unisycl.backends.opencl.errors import device_error
from unisycl.backends.opencl.interop.pyopencl_images import NativePicture
from unisycl.backends.opencl.launch.failed_calls import guarded
from unisycl.backends.opencl.session import Session
from unisycl.base.errors import UnsupportedError, errc

_POINTER, _SIZE, _UINT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32
_INT, _ULONG = ctypes.c_int32, ctypes.c_uint64
_ENQUEUE = (_INT, _POINTER, _UINT, _POINTER, _UINT, _POINTER, _POINTER)
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "clGetGLContextInfoKHR": (_INT, _POINTER, _UINT, _SIZE, _POINTER, _POINTER),
    "clCreateFromGLBuffer": (_POINTER, _POINTER, _ULONG, _UINT, _POINTER),
    "clCreateFromGLTexture": (_POINTER, _POINTER, _ULONG, _UINT, _INT, _UINT, _POINTER),
    "clCreateFromGLRenderbuffer": (_POINTER, _POINTER, _ULONG, _UINT, _POINTER),
    "clGetGLObjectInfo": (_INT, _POINTER, _POINTER, _POINTER),
    "clGetGLTextureInfo": (_INT, _POINTER, _UINT, _SIZE, _POINTER, _POINTER),
    "clEnqueueAcquireGLObjects": _ENQUEUE,
    "clEnqueueReleaseGLObjects": _ENQUEUE,
    "clCreateEventFromGLsyncKHR": (_POINTER, _POINTER, _POINTER, _POINTER),
    "clCreateContext": (_POINTER, _POINTER, _UINT, _POINTER, _POINTER, _POINTER, _POINTER)}
"""Result and arguments of each."""
_PLATFORM = 0x1084
_DEVICES = {"current": 0x2006, "all": 0x2007}
_TARGET, _LEVEL = 0x2004, 0x2005
_READ_WRITE = 1
_MOST = 64


def address_of(api: Api, platform: Any, name: str) -> int | None:
    """Return where a function is: the loader's, else the platform's own."""
    return api.symbol(name) or api.extension(platform, name)


class Graphics:
    """The functions of one platform."""

    def __init__(self, session: Session, platform: Any) -> None:
        self._session, self._platform = session, platform

    def _function(self, name: str) -> Any:
        found = address_of(self._session.api, self._platform, name)
        if not found:
            raise UnsupportedError(errc.feature_not_supported, f"the platform "
                                   f"'{self._platform.name.strip()}' has no {name}")
        return ctypes.CFUNCTYPE(*FUNCTIONS[name])(found)

    def _made(self, name: str, *args: Any) -> int:
        status = _INT()
        made = self._function(name)(*args, ctypes.byref(status))
        if status.value or not made:
            raise device_error(name, status.value)
        return int(made)

    def _ask(self, name: str, *args: Any) -> None:
        status = self._function(name)(*args)
        if status:
            raise device_error(name, status)

    def _properties(self, asked: Mapping[int, int]) -> Any:
        words = [w for pair in asked.items() for w in pair]
        words += [_PLATFORM, self._platform.int_ptr, 0]
        return (ctypes.c_ssize_t * len(words))(*words)

    def context(self, asked: Mapping[int, int], devices: Sequence[Any]) -> Any:
        """Return a context of devices that shares with OpenGL's."""
        listed = (_POINTER * len(devices))(*(d.int_ptr for d in devices))
        made = self._made("clCreateContext", self._properties(asked), len(devices), listed, None,
                          None)
        return self._session.cl.Context.from_int_ptr(made, retain=False)

    def devices(self, asked: Mapping[int, int], which: str) -> list[Any]:
        """Return the device that draws for an OpenGL context now, or all that share with it."""
        found, size = (_POINTER * _MOST)(), _SIZE()
        self._ask("clGetGLContextInfoKHR", self._properties(asked), _DEVICES[which],
                  ctypes.sizeof(found), found, ctypes.byref(size))
        count = size.value // ctypes.sizeof(_POINTER)
        return [self._session.cl.Device.from_int_ptr(found[k], retain=True) for k in range(count)
                if found[k]]

    def event(self, sync: int) -> Any:
        """Return an event that is complete once a sync object of OpenGL's is signalled."""
        made = self._made("clCreateEventFromGLsyncKHR", self._session.context.int_ptr, sync)
        return self._session.cl.Event.from_int_ptr(made, retain=False)

    def make(self, queue: Any, kind: str, *numbers: int) -> GlObject:
        """Return an object of OpenGL's: 'buffer', 'renderbuffer' or 'texture'.

        Args:
            queue: where it is acquired.
            kind: what it is.
            numbers: its name; of a texture its target and level before that.
        """
        name = {"buffer": "clCreateFromGLBuffer", "texture": "clCreateFromGLTexture",
                "renderbuffer": "clCreateFromGLRenderbuffer"}[kind]
        context = self._session.context
        made = self._made(name, context.int_ptr, _READ_WRITE, *numbers)
        holder = self._session.cl.Buffer if kind == "buffer" else self._session.cl.Image
        return GlObject(self, self._session, queue, holder.from_int_ptr(made, retain=False))

    def info(self, native: Any) -> tuple[int, int]:
        """Return what kind of object of OpenGL's is behind one, by number, and its name."""
        kind, name = _UINT(), _UINT()
        self._ask("clGetGLObjectInfo", native.int_ptr, ctypes.byref(kind), ctypes.byref(name))
        return kind.value, name.value

    def texture(self, native: Any) -> tuple[int, int]:
        """Return the target and the level of a texture."""
        values = []
        for what in (_TARGET, _LEVEL):
            value = _INT()
            self._ask("clGetGLTextureInfo", native.int_ptr, what, ctypes.sizeof(value),
                      ctypes.byref(value), None)
            values.append(value.value)
        return values[0], values[1]

    def enqueue(self, name: str, queue: Any, native: Any) -> None:
        """Acquire or release an object, and wait for that."""
        event, one = _POINTER(), (_POINTER * 1)(native.int_ptr)
        self._ask(name, queue.int_ptr, 1, one, 0, None, ctypes.byref(event))
        self._session.cl.Event.from_int_ptr(event.value, retain=False).wait()


class GlObject:
    """An object of OpenGL's as memory: ``nbytes``, or a picture's ``extent``, order and type."""

    def __init__(self, functions: Graphics, session: Session, queue: Any, native: Any) -> None:
        self._functions, self._cl, self._queue = functions, session.cl, queue
        self.native = native
        self.picture: NativePicture | None = None
        if native.type == session.cl.mem_object_type.BUFFER:
            self.nbytes = int(native.size)
        else:
            self.picture = NativePicture(session, queue, native, layered=True)

    @guarded("acquiring an object of OpenGL's")
    def acquire(self) -> None:
        """Have OpenCL use it; OpenGL must not until it is released."""
        self._functions.enqueue("clEnqueueAcquireGLObjects", self._queue, self.native)

    @guarded("releasing an object of OpenGL's")
    def release(self) -> None:
        """Give it back to OpenGL."""
        self._functions.enqueue("clEnqueueReleaseGLObjects", self._queue, self.native)

    @guarded("reading an object of OpenGL's")
    def read(self) -> np.ndarray[Any, Any]:
        """Return its bytes."""
        if self.picture is not None:
            return self.picture.read()
        made = np.empty(self.nbytes, np.uint8)
        self._cl._cl._enqueue_read_buffer(self._queue, self.native, made)
        return made

    @guarded("writing an object of OpenGL's")
    def write(self, contents: Any) -> None:
        """Give it other bytes."""
        if self.picture is not None:
            self.picture.write(contents)
        else:
            self._cl._cl._enqueue_write_buffer(self._queue, self.native, contents)

    def info(self) -> tuple[int, int]:
        """Return what kind of object of OpenGL's it is, by number, and its name."""
        return self._functions.info(self.native)

    def texture(self) -> tuple[int, int]:
        """Return the target and the level of a texture."""
        return self._functions.texture(self.native)
