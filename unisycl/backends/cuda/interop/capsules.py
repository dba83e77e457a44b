"""DLPack capsules over memory of a card, for libraries that take no ``__cuda_array_interface__``.

Whoever takes one gives it back by its deleter; one that nobody took does so when it dies.
Non-goals: waiting (memory of USM is used behind the commands that its program waited for), types
without a name in DLPack. Invariant: the memory is kept until then.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from unisycl.base.dtypes import find_dtype
from unisycl.base.errors import UsageError, errc

CUDA = 2
"""DLPack's number of such devices."""
_NAME = b"dltensor"
_KINDS = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class _Managed(ctypes.Structure):
    """``DLManagedTensor``."""

    _fields_ = (("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("offset", ctypes.c_uint64), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p))


_kept: dict[int, tuple[Any, ...]] = {}
_api = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", _api))
_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _api))


def _delete(address: int) -> None:
    _kept.pop(address, None)


def _destroy(capsule: int) -> None:
    if _valid(capsule, _NAME):  # else its consumer has renamed it and gives the memory back
        _kept.pop(_pointer(capsule, _NAME) or 0, None)


_deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(_delete)
_destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_destroy)


def make(owner: Any, address: int, dtype: np.dtype[Any], shape: tuple[int, ...],
         pitches: tuple[int, ...], ordinal: int) -> Any:
    """Return a capsule; ``owner`` is kept as long as somebody has it."""
    row = find_dtype(dtype)
    code = row.dlpack if row is not None and row.is_short else _KINDS.get(dtype.kind)
    if code is None:
        raise UsageError(errc.invalid, f"DLPack has no name for elements of {dtype}")
    numbers = ctypes.c_int64 * max(1, len(shape))
    extents, steps = numbers(*shape), numbers(*pitches)
    made = _Managed(address, (CUDA, ordinal), len(shape), code, 8 * dtype.itemsize, 1,
                    ctypes.addressof(extents), ctypes.addressof(steps), 0, None,
                    ctypes.cast(_deleter, ctypes.c_void_p))
    at = ctypes.addressof(made)
    _kept[at] = made, extents, steps, owner
    return _new(at, _NAME, ctypes.cast(_destructor, ctypes.c_void_p))
