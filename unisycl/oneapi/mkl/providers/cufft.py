"""Fourier transforms of cuFFT, for CUDA devices, from NVIDIA's wheels or the system's folders.

Non-goals: scales, strides that are no rows of rows, and transforms to real numbers that must keep
their input; our kernels do these. Invariant: a plan belongs to one stream, so that no two streams
share its workspace.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.library import Library
from unisycl.oneapi.mkl.dft.descriptor import Plan
from unisycl.oneapi.mkl.dft.layouts import Side
from unisycl.oneapi.mkl.providers.cuda_libraries import check, found

_TYPES = {("f", True, False): 0x2A, ("f", True, True): 0x2C, ("f", False, False): 0x29,
          ("d", True, False): 0x6A, ("d", True, True): 0x6C, ("d", False, False): 0x69}
_NAMES = {0x2A: "R2C", 0x2C: "C2R", 0x29: "C2C", 0x6A: "D2Z", 0x6C: "Z2D", 0x69: "Z2Z"}
_FORWARD, _INVERSE = -1, 1
_SKIPPED = (".strided", ".scaled", ".kept")
_L = ctypes.c_longlong


def _embedded(side: Side) -> Any:
    """Return how long rows are, each in units of the next dimension's."""
    n = list(side.shape)
    for k in range(1, len(n)):
        n[k] = side.strides[k - 1] // side.strides[k]
    return (_L * len(n))(*n)


class CuFft:
    """The routine ``transform``."""

    def __init__(self) -> None:
        self._library = Library(found("cufft"), "cufft{}")
        self._lock = threading.RLock()
        self._plans: dict[tuple[Plan, int, int], ctypes.c_int] = {}

    def version(self) -> str:
        """Return the library's file."""
        return self._library.path.name

    def serves(self, device: sycl.device) -> bool:
        """Say whether it is a CUDA device."""
        return device.get_backend() is sycl.backend.cuda

    def routine(self, name: str, dtype: np.dtype[Any]) -> Callable[..., Any] | None:
        """Return what makes the work of a plan."""
        if not name.startswith("transform") or dtype.kind != "c" or any(
                s in name for s in _SKIPPED):
            return None
        return self._work

    def _work(self, plan: Plan, backward: bool) -> Callable[..., None]:
        kind = _TYPES[plan.dtype.char, plan.real, backward and plan.real]
        name = f"Exec{_NAMES[kind]}"
        run = self._library.find(name, None, ctypes.c_int)

        sides = (plan.backward, plan.forward) if backward else (plan.forward, plan.backward)
        types = [plan.forward_type, plan.complex_type]
        items = [t.itemsize for t in (types[::-1] if backward else types)]
        skips = [s.offset * i for s, i in zip(sides, items, strict=True)]
        way = () if plan.real else (ctypes.c_int(_INVERSE if backward else _FORWARD),)
        made: dict[int, Any] = {}

        def give(stream: Any, *bound: Any) -> None:
            at = [ctypes.c_void_p(b.address + skip)
                  for b, skip in zip((bound[0], bound[-1]), skips, strict=True)]
            with self._lock:
                handle = made.get(int(stream))
                if handle is None:
                    handle = made[int(stream)] = self._plan(plan, kind, sides, int(stream))
                check(name, run(handle, *at, *way))

        return give

    def _plan(self, plan: Plan, kind: int, sides: tuple[Side, Side], stream: int) -> Any:
        key = plan, kind, stream
        if key not in self._plans:
            made, work = ctypes.c_int(), ctypes.c_size_t()
            check("cufftCreate", self._library.find("Create", None, ctypes.c_int)(
                ctypes.byref(made)))
            make = self._library.find("MakePlanMany64", None, ctypes.c_int)
            lengths = (_L * len(plan.lengths))(*plan.lengths)
            layouts: list[Any] = []
            for side in sides:
                layouts += [_embedded(side), _L(side.strides[-1]), _L(side.distance)]
            check("cufftMakePlanMany64", make(made, len(plan.lengths), lengths, *layouts, kind,
                                              _L(plan.forward.count), ctypes.byref(work)))
            check("cufftSetStream", self._library.find("SetStream", None, ctypes.c_int)(
                made, ctypes.c_void_p(stream)))
            self._plans[key] = made
        return self._plans[key]


def load(name: str) -> CuFft:
    """Return the provider."""
    del name
    return CuFft()
