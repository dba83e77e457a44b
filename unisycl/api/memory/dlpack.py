"""DLPack capsules, as NumPy makes and takes them, and bfloat16, which NumPy has no name for.

Non-goals: memory that the host cannot address. Invariant: nothing is copied; a capsule is changed
only between its making and its taking, when nobody else can see it.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from unisycl.base.errors import UsageError, errc
from unisycl.lang.numbers.bfloat16 import bfloat16_type, is_bfloat16
from unisycl.runtime.memory.allocation import Array

_UNSIGNED, _BFLOAT = 1, 4
"""DLPack's codes of the kinds of numbers."""


class _Tensor(ctypes.Structure):
    """The beginning of ``DLTensor``: what an array is, without its extents."""

    _fields_ = (("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16))


class _Versioned(ctypes.Structure):
    """``DLManagedTensorVersioned``, the capsule's content since DLPack 1.0."""

    _fields_ = (("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor))


_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))
_has_name = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi))


def _rename(capsule: Any, before: int, after: int) -> bool:
    """Give the 16-bit elements of a new capsule another kind; say whether they were ``before``."""
    for name, versioned in ((b"dltensor_versioned", True), (b"dltensor", False)):
        if _has_name(capsule, name):
            address = _pointer(capsule, name)
            assert address is not None
            tensor = _Versioned.from_address(address).tensor if versioned else (
                _Tensor.from_address(address))
            if (tensor.code, tensor.bits, tensor.lanes) == (before, 16, 1):
                tensor.code = after
                return True
    return False


def export(array: Array, options: dict[str, Any]) -> Any:
    """Return a DLPack capsule over an array; ``options`` are those of ``__dlpack__``."""
    if not is_bfloat16(array.dtype):
        return array.__dlpack__(**options)
    capsule = array.view(np.uint16).__dlpack__(**options)
    _rename(capsule, _UNSIGNED, _BFLOAT)
    return capsule


class _Taken:
    """A producer whose bfloat16 elements are shown to NumPy as their bits."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.is_bfloat = False

    def __dlpack__(self, **options: Any) -> Any:
        try:
            capsule = self.source.__dlpack__(**options)
        except TypeError:  # a producer from before DLPack 1.0 knows no options
            if not options:
                raise
            capsule = self.source.__dlpack__()
        self.is_bfloat = _rename(capsule, _BFLOAT, _UNSIGNED)
        return capsule

    def __dlpack_device__(self) -> Any:
        return self.source.__dlpack_device__()


def take(source: Any) -> Array:
    """Return the memory of an object with ``__dlpack__`` as an array, without a copy."""
    taken = _Taken(source)
    try:
        array: Array = np.from_dlpack(taken)
    except (RuntimeError, BufferError, ValueError) as err:
        raise UsageError(errc.invalid, f"from_dlpack: {err}") from err
    return array.view(bfloat16_type()) if taken.is_bfloat else array
