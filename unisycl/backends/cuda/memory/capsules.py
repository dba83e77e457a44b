"""DLPack capsules over memory of a card, for libraries that take no ``__cuda_array_interface__``.

Who takes one gives it back by its deleter, maybe while an exception is on its way, which code of
Python's may not run in. So the deleter is a function in C, ``time``, which writes to the first
field; ``reap`` sees that later. Non-goals: waiting (memory of USM is used behind the commands that
its program waited for), types without a name in DLPack. Invariant: memory is kept until then.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any, TypeAlias

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


_Kept: TypeAlias = tuple[Any, int, _Managed, Any]
"""A capsule, the address that it gives, what it leads to, and what is kept."""
_kept: list[_Kept] = []
_lock = threading.Lock()
_api, _libc = ctypes.pythonapi, ctypes.CDLL(None)
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", _api))
_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _api))
_deleter = ctypes.cast(_libc.time, ctypes.c_void_p)


def reap() -> None:
    """Let go of memory that nobody has any more whom a capsule was given to."""
    with _lock:
        gone = [entry for entry in _kept if _is_done(entry)]
        _kept[:] = [entry for entry in _kept if entry not in gone]
    gone.clear()  # where nothing is held any more


def _is_done(entry: _Kept) -> bool:
    """Say whether its consumer gave it back, or nobody took it and nobody has it."""
    return entry[2].data != entry[1] or (
        _references(entry) <= _ALONE and bool(_valid(entry[0], _NAME)))


def _references(entry: _Kept) -> int:
    return sys.getrefcount(entry[0])


_ALONE = _references((object(), 0, _Managed(), None))


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
                    ctypes.addressof(extents), ctypes.addressof(steps), 0, None, _deleter)
    reap()
    capsule = _new(ctypes.addressof(made), _NAME, None)
    with _lock:
        _kept.append((capsule, address, made, (extents, steps, owner)))
    return capsule
