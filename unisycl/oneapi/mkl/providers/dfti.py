"""Fourier transforms by MKL, through its descriptors (``Dfti...``).

Non-goals: steps backwards through memory (NumPy's transforms have them). Invariants: a descriptor
of MKL's is made once for a plan and a direction, and used by several threads; what is transformed
in place, but for complex numbers that stay where they were, goes through memory of its own.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.mkl import names
from unisycl.oneapi.mkl.dft.descriptor import Plan
from unisycl.oneapi.mkl.dft.layouts import Side
from unisycl.oneapi.mkl.providers.clibraries import Interface, interface

_SCALES, _TRANSFORMS, _EVEN_STORAGE, _PLACEMENT = (4, 5), 7, 10, 11
_STRIDES, _DISTANCES = (12, 13), (14, 15)
_COMPLEX, _REAL, _SINGLE, _DOUBLE = 32, 33, 35, 36
_AS_COMPLEX, _IN_PLACE, _NOT_IN_PLACE = 39, 43, 44
_Long = ctypes.c_long


class _Transform:
    """One descriptor of MKL's, committed."""

    def __init__(self, source: Interface, plan: Plan, backward: bool, *, inplace: bool) -> None:
        self._source = source
        self._at = ctypes.c_void_p()
        sides = (plan.backward, plan.forward) if backward else (plan.forward, plan.backward)
        n = len(plan.lengths)
        lengths = _Long(plan.lengths[0]) if n == 1 else (_Long * n)(*plan.lengths)
        self._call("CreateDescriptor", ctypes.byref(self._at), _SINGLE if plan.dtype == np.float32
                   else _DOUBLE, _REAL if plan.real else _COMPLEX, _Long(n), lengths)
        self._set(_PLACEMENT, _IN_PLACE if inplace else _NOT_IN_PLACE)
        if plan.real:
            self._set(_EVEN_STORAGE, _AS_COMPLEX)
        self._set(_SCALES[backward], ctypes.c_double(plan.scales[backward]))
        self._set(_TRANSFORMS, _Long(plan.forward.count))
        for side, strides, distance in zip(sides, _STRIDES, _DISTANCES, strict=True):
            self._set(strides, (_Long * (n + 1))(side.offset, *side.strides))
            self._set(distance, _Long(side.distance))
        self._call("CommitDescriptor", self._at)
        name = f"DftiCompute{'Backward' if backward else 'Forward'}"
        self._run = source.library.plain(name, None, _Long)

    def _set(self, what: int, *value: Any) -> None:
        self._call("SetValue", self._at, what, *value)

    def _call(self, name: str, *arguments: Any) -> None:
        _check(name, self._source, self._source.library.plain(f"Dfti{name}", None, _Long)(
            *arguments))

    def run(self, *addresses: int) -> None:
        """Transform, in one memory or from one into another."""
        _check("Compute", self._source, self._run(
            self._at, *(ctypes.c_void_p(a) for a in addresses)))


def _check(name: str, source: Interface, status: int) -> None:
    if status:
        say = source.library.plain("DftiErrorMessage", [_Long], ctypes.c_char_p)
        raise names.computation_error(f"Dfti{name}: {(say(status) or b'').decode()}", status)


class Dfti:
    """The routine ``transform``."""

    def __init__(self, source: Interface) -> None:
        self._source = source
        self._known: dict[tuple[Plan, bool], _Transform] = {}
        self._lock = threading.Lock()

    def version(self) -> str:
        """Return the library's name and version."""
        return self._source.version

    def serves(self, device: sycl.device) -> bool:
        """Say that it works in the host's memory."""
        del device
        return True

    def routine(self, name: str, dtype: np.dtype[Any]) -> Callable[..., Any] | None:
        """Return what makes the work of a plan."""
        plain, *more = name.split(".")
        return self._work if plain == "transform" and "turned" not in more and (
            dtype.kind == "c") else None

    def _work(self, plan: Plan, backward: bool) -> Callable[..., None]:
        sides = (plan.backward, plan.forward) if backward else (plan.forward, plan.backward)
        stays = plan.inplace and not plan.real and sides[0] == sides[1]
        transform = self._transform(plan, backward, inplace=stays)
        kind = plan.forward_type if backward else plan.complex_type

        def run(queue: Any, *bound: Any) -> None:
            del queue
            at = bound[-1].address
            if stays:
                transform.run(at)
            elif plan.inplace:
                _through(transform, at, bound[-1].array().view(kind), sides[1])
            else:
                transform.run(bound[0].address, at)

        return run

    def _transform(self, plan: Plan, backward: bool, *, inplace: bool) -> _Transform:
        with self._lock:
            found = self._known.get((plan, backward))
            if found is None:
                found = self._known[plan, backward] = _Transform(
                    self._source, plan, backward, inplace=inplace)
            return found


def _through(transform: _Transform, source: int, elements: Any, side: Side) -> None:
    """Transform into memory of its own, and bring the result to where it belongs."""
    near = np.empty(side.need(), elements.dtype)
    transform.run(source, near.ctypes.data)
    side.view(elements)[...] = side.view(near)


def load(name: str) -> Dfti:
    """Return the provider."""
    found = interface(name)
    if found.library.plain("DftiCreateDescriptor") is None:
        raise OSError("the library has no DftiCreateDescriptor")
    return Dfti(found)
