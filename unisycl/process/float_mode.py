"""The mode in which C computes with floats: how it rounds, and what becomes of denormals.

It belongs to a thread, threads begin with that of who started them, and any library may change it.
Constants are folded and work-items run in Python in the usual mode: to nearest, denormals kept.
Non-goals: native code of kernels, which sees to that itself. Invariant: a thread leaves as it came.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any

_ROOM = 128  # bytes; the largest ``fenv_t`` of the platforms here is 32
_NAMES = ("libm.so.6", None)
_DEFAULT = ctypes.c_void_p(-1)  # FE_DFL_ENV of glibc and musl


@functools.cache
def _functions() -> tuple[Callable[[Any], int], Callable[[Any], int]] | None:
    """Return ``fegetenv`` and ``fesetenv``; None where they are not to be had."""
    if not sys.platform.startswith("linux"):
        return None
    for name in _NAMES:
        try:
            library = ctypes.PyDLL(name)
            return library.fegetenv, library.fesetenv
        except (OSError, AttributeError):
            continue
    return None


@contextlib.contextmanager
def usual() -> Iterator[None]:
    """Compute in the usual mode in the block, whatever the thread's own is."""
    found = _functions()
    if found is None:
        yield
        return
    get, put = found
    before = ctypes.create_string_buffer(_ROOM)
    get(before)
    put(_DEFAULT)
    try:
        yield
    finally:
        put(before)
