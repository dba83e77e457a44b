"""The OpenCL functions that PyOpenCL wraps slowly, narrowly or not at all, through ctypes.

They are looked up in the loader that PyOpenCL itself uses, so objects can be mixed. Non-goals:
everything PyOpenCL does well. Invariant: a call that fails raises; nothing is leaked then.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from unisycl.backends.opencl.errors import device_error, status_name
from unisycl.base.errors import BuildError, errc

_POINTER, _SIZE, _UINT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32
_ULONG = ctypes.c_uint64
_READ_WRITE = 3  # CL_MAP_READ | CL_MAP_WRITE


class Api:
    """The functions of one loader. Thread-safe, as OpenCL is."""

    pointer_setter = "clSetKernelArgSVMPointer"
    """What ``set_pointer`` is called."""

    def __init__(self, cl: Any) -> None:
        library = ctypes.CDLL(cl._cl.__file__)
        quick = ctypes.PyDLL(cl._cl.__file__)  # what never blocks keeps the GIL
        self.cl = cl
        self._library = library
        self._extension = library.clGetExtensionFunctionAddressForPlatform
        self._extension.argtypes, self._extension.restype = (_POINTER, ctypes.c_char_p), _POINTER
        self.set_arg = _function(quick, "clSetKernelArg", _POINTER, _UINT, _SIZE, _POINTER)
        self.set_pointer = _function(quick, "clSetKernelArgSVMPointer", _POINTER, _UINT, _POINTER)
        self._copy = _function(library, "clEnqueueSVMMemcpy", _POINTER, _UINT, _POINTER, _POINTER,
                               _SIZE, _UINT, _POINTER, _POINTER)
        self._fill = _function(library, "clEnqueueSVMMemFill", _POINTER, _POINTER, _POINTER, _SIZE,
                               _SIZE, _UINT, _POINTER, _POINTER)

        self.allocate = _function(library, "clSVMAlloc", _POINTER, _ULONG, _SIZE, _UINT)
        self.allocate.restype = _POINTER
        self.free = _function(library, "clSVMFree", _POINTER, _POINTER)
        self.free.restype = None
        self.exec_info = _function(quick, "clSetKernelExecInfo", _POINTER, _UINT, _SIZE, _POINTER)
        self._map = _function(library, "clEnqueueSVMMap", _POINTER, _UINT, _ULONG, _POINTER, _SIZE,
                              _UINT, _POINTER, _POINTER)
        self._unmap = _function(library, "clEnqueueSVMUnmap", _POINTER, _POINTER, _UINT, _POINTER,
                                _POINTER)
        self._later = _function(library, "clEnqueueSVMFree", _POINTER, _UINT, _POINTER, _POINTER,
                                _POINTER, _UINT, _POINTER, _POINTER)

    def map(self, queue: Any, address: int, nbytes: int, deps: Sequence[Any], *,
            blocking: bool = False) -> Any:
        """Enqueue giving memory to the host; return its event."""
        return self._event("clEnqueueSVMMap", self._map, deps, queue.int_ptr, blocking,
                           _READ_WRITE, address, nbytes)

    def unmap(self, queue: Any, address: int, deps: Sequence[Any]) -> Any:
        """Enqueue taking memory from the host; return its event."""
        return self._event("clEnqueueSVMUnmap", self._unmap, deps, queue.int_ptr, address)

    def free_after(self, queue: Any, pointers: Any, deps: Sequence[Any]) -> Any:
        """Enqueue freeing an array of addresses; return its event."""
        return self._event("clEnqueueSVMFree", self._later, deps, queue.int_ptr, len(pointers),
                           pointers, None, None)

    def copy(self, queue: Any, dst: int, src: int, nbytes: int, deps: Sequence[Any]) -> Any:
        """Enqueue a copy between addresses; return its event."""
        return self._event("clEnqueueSVMMemcpy", self._copy, deps, queue.int_ptr, 0, dst, src,
                           nbytes)

    def fill(self, queue: Any, dst: int, pattern: bytes, nbytes: int, deps: Sequence[Any]) -> Any:
        """Enqueue writing a pattern again and again; return its event."""
        return self._event("clEnqueueSVMMemFill", self._fill, deps, queue.int_ptr, dst, pattern,
                           len(pattern), nbytes)

    def extension(self, platform: Any, name: str) -> int | None:
        """Return the address of a function of an extension; None where the platform lacks it."""
        found: int | None = self._extension(platform.int_ptr, name.encode())
        return found

    def symbol(self, name: str) -> int | None:
        """Return the address of a function of the loader; None where it has no such one."""
        found = getattr(self._library, name, None)
        return None if found is None else ctypes.cast(found, _POINTER).value

    def program_of_il(self, platform: Any, context: Any, module: bytes) -> Any:
        """Return a program of SPIR-V on a platform before OpenCL 2.1, by cl_khr_il_program."""
        name = "clCreateProgramWithILKHR"
        address = self.extension(platform, name)
        status = ctypes.c_int32()
        make = ctypes.CFUNCTYPE(_POINTER, _POINTER, ctypes.c_char_p, _SIZE, _POINTER)(address or 0)
        made = make(context.int_ptr, module, len(module), ctypes.byref(status))
        if status.value:
            raise BuildError(errc.build, f"{name}: OpenCL reports {status_name(status.value)}")
        return self.cl._cl._Program.from_int_ptr(made, retain=False)

    def _event(self, name: str, function: Any, deps: Sequence[Any], *args: Any) -> Any:
        event = _POINTER()
        waits = (_POINTER * len(deps))(*(e.int_ptr for e in deps)) if deps else None
        status = function(*args, len(deps), waits, ctypes.byref(event))
        if status:
            raise device_error(name, status)
        return self.cl.Event.from_int_ptr(event.value, retain=False)


def _function(library: Any, name: str, *types: Any) -> Any:
    function = getattr(library, name)
    function.argtypes = types
    function.restype = ctypes.c_int32
    return function
