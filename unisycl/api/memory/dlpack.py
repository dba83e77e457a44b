"""DLPack capsules, as NumPy makes and takes them, and types of which NumPy has no name.

Non-goals: memory that the host cannot address. Invariant: nothing is copied; a capsule is changed
only before its consumer gets it.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from unisycl.base.dtypes import SHORT_FLOATS, DType, find_dtype
from unisycl.base.errors import UsageError, errc
from unisycl.lang.numbers import short_floats
from unisycl.runtime.memory.allocation import Array

_UNSIGNED = 1
"""DLPack's code of unsigned integers."""


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


def _rename(capsule: Any, row: DType, before: int, after: int) -> bool:
    """Give a new capsule of a row's elements another kind; say whether it had ``before``."""
    for name, versioned in ((b"dltensor_versioned", True), (b"dltensor", False)):
        if _has_name(capsule, name):
            address = _pointer(capsule, name)
            assert address is not None
            tensor = _Versioned.from_address(address).tensor if versioned else (
                _Tensor.from_address(address))
            if (tensor.code, tensor.bits, tensor.lanes) == (before, row.bits, 1):
                tensor.code = after
                return True
    return False


def export(array: Array, options: dict[str, Any]) -> Any:
    """Return a DLPack capsule over an array; ``options`` are those of ``__dlpack__``."""
    capsule = bare(array).__dlpack__(**options)
    row = _short(array)
    if row is not None:
        _rename(capsule, row, _UNSIGNED, row.dlpack)
    return capsule


def bare(array: Array) -> Array:
    """Return an array of short floats as their bits; any other as it is."""
    row = _short(array)
    return array if row is None else array.view(row.word.numpy)


def _short(array: Array) -> DType | None:
    row = find_dtype(array.dtype)
    return row if row is not None and row.is_short else None


def interface_of(array: Array) -> dict[str, Any]:
    """Return the array interface of elements whose type it can name."""
    if array.dtype.names or _short(array) is not None:
        raise AttributeError("records and bfloat16 keep their type through __array__")
    return array.__array_interface__


class _Taken:
    """A producer whose elements are shown to NumPy as their bits if they are short floats."""

    def __init__(self, source: Any) -> None:
        self.source = source
        self.row: DType | None = None

    def __dlpack__(self, **options: Any) -> Any:
        try:
            capsule = self.source.__dlpack__(**options)
        except TypeError:  # a producer from before DLPack 1.0 knows no options
            if not options:
                raise
            capsule = self.source.__dlpack__()
        self.row = next((row for row in SHORT_FLOATS.values()
                         if _rename(capsule, row, row.dlpack, _UNSIGNED)), None)
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
    return array if taken.row is None else array.view(short_floats.class_of(taken.row.name))
