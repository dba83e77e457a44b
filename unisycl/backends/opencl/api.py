"""The OpenCL functions that PyOpenCL wraps slowly, narrowly or not at all, through ctypes.

They are looked up in the loader that PyOpenCL itself uses, so objects can be mixed. Non-goals:
everything PyOpenCL does well. Invariant: a call that fails raises; nothing is leaked then.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

from unisycl.backends.opencl.errors import device_error

_POINTER, _SIZE, _UINT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32


class Api:
    """The functions of one loader. Thread-safe, as OpenCL is."""

    def __init__(self, cl: Any) -> None:
        library = ctypes.CDLL(cl._cl.__file__)
        quick = ctypes.PyDLL(cl._cl.__file__)  # what never blocks keeps the GIL
        self.cl = cl
        self.set_arg = _function(quick, "clSetKernelArg", _POINTER, _UINT, _SIZE, _POINTER)
        self.set_svm = _function(quick, "clSetKernelArgSVMPointer", _POINTER, _UINT, _POINTER)
        self._copy = _function(library, "clEnqueueSVMMemcpy", _POINTER, _UINT, _POINTER, _POINTER,
                               _SIZE, _UINT, _POINTER, _POINTER)
        self._fill = _function(library, "clEnqueueSVMMemFill", _POINTER, _POINTER, _POINTER, _SIZE,
                               _SIZE, _UINT, _POINTER, _POINTER)

    def copy(self, queue: Any, dst: int, src: int, nbytes: int, deps: Sequence[Any]) -> Any:
        """Enqueue a copy between addresses; return its event."""
        return self._event("clEnqueueSVMMemcpy", self._copy, deps, queue.int_ptr, 0, dst, src,
                           nbytes)

    def fill(self, queue: Any, dst: int, pattern: bytes, nbytes: int, deps: Sequence[Any]) -> Any:
        """Enqueue writing a pattern again and again; return its event."""
        return self._event("clEnqueueSVMMemFill", self._fill, deps, queue.int_ptr, dst, pattern,
                           len(pattern), nbytes)

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
