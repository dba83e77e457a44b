"""Handles of CUDA's: what programs are given of a driver's, and bring to it (SYCL 2020 §4.5.1).

A handle is a number, as CUDA's own are addresses; what is brought may be an object of CuPy's,
PyTorch's or cuda-core's instead. Non-goals: other libraries' arrays (``arrays``). Invariant: of
another device or context there is nothing here.
"""

from __future__ import annotations

import ctypes
import time
from typing import Any

import numpy as np

from unisycl.backends.cuda.errors import NOT_READY
from unisycl.backends.cuda.interop import arrays
from unisycl.backends.cuda.memory.arrays import DeviceArray, UnifiedArray, address_of
from unisycl.backends.native_objects import Adoption, NativeObjects
from unisycl.base.enums import source_language, usm_kind
from unisycl.base.errors import UsageError, errc

_ORDINAL, _RANGE_START, _RANGE_SIZE = 9, 11, 12  # CU_POINTER_ATTRIBUTE
_BYTES = np.dtype(np.uint8)


class CuObjects(NativeObjects):
    """What a driver of a card gives: CUDA's handles as numbers."""

    __slots__ = ()

    def platform(self) -> Any:
        """Return what CUDA is called; it has no handle for all of its devices."""
        return self._driver.devices()[0].platform

    def device(self) -> Any:
        """Return the ``CUdevice``."""
        return self._driver.card.ordinal

    def context(self) -> Any:
        """Return the ``CUcontext``, which is the device's primary one."""
        return self._driver.opened().session.context

    def session(self) -> Any:
        """Return what has the context current while it is entered."""
        return self._driver.opened().session

    def queue(self) -> Any:
        """Return the ``CUstream`` that all commands go to from now on, behind all before."""
        return self._driver.opened().commands.share()

    def take(self, function: Any, deps: Any, label: str) -> Any:
        """Have another library give commands to a stream, behind others."""
        def give(lane: Any) -> int:
            function(lane.value)
            return 0
        return self._driver.opened().commands.begin(give, deps, (label, None), function)

    def memory(self, view: Any) -> Any:
        """Return the memory of a view: an array by ``__cuda_array_interface__``, or the host's."""
        memory = view.memory
        if isinstance(memory, UnifiedArray):
            if memory.allocation.kind is not usm_kind.device:
                return view.array()
            memory = DeviceArray(memory.allocation, memory.ctypes.data, memory.nbytes,
                                 memory.dtype)
        return arrays.NativeMemory(memory, address_of(view), view.shape, view.pitches,
                                   self._driver.card.ordinal)

    def kernel(self, executable: Any) -> Any:
        """Return the ``CUfunction``."""
        return executable.main.handle.value

    def program(self, executable: Any) -> Any:
        """Return the ``CUmodule``."""
        return executable.module.value

    def binary(self, executable: Any) -> bytes:
        """Return the code that was loaded."""
        return bytes(executable.module.image)


class CuAdoption(Adoption):
    """What a driver of a card takes over."""

    __slots__ = ()

    def is_handle(self, native: Any) -> bool:
        """Say whether it is a number, or an object that has one or is memory of a device."""
        if isinstance(native, str | bytes) or hasattr(native, "__array__"):
            return hasattr(native, "__cuda_array_interface__")
        try:
            number(native)
        except UsageError:
            return hasattr(native, "__cuda_array_interface__")
        return True

    def device(self, native: Any) -> Any:
        """Return True if it is the driver's ``CUdevice``, by its number."""
        return number(native) == self._driver.card.ordinal or None

    def context(self, native: Any) -> Any:
        """Return a driver within a ``CUcontext``, which must be the device's primary one."""
        session = self._driver.opened().session
        return self._driver.within(None) if number(native) == session.context else None

    def queue(self, native: Any) -> Any:
        """Return a driver whose commands go to a ``CUstream`` of the device's primary context."""
        stream = number(native)
        session = self._driver.opened().session
        with session as api:
            out = ctypes.c_uint64()
            api.call("cuStreamGetCtx", stream, ctypes.byref(out))
        return self._driver.within(stream, native) if out.value == session.context else None

    def event(self, native: Any) -> Any:
        """Return the end of what a ``CUevent`` was recorded behind."""
        return NativeEnd(self._driver.opened().session, number(native), native)

    def memory(self, native: Any) -> Any:
        """Return an array over device memory: an address, or what has the interface of arrays."""
        about = getattr(native, "__cuda_array_interface__", None)
        with self._driver.opened().session as api:
            at = int(about["data"][0]) if about else number(native)
            low = api.address("cuPointerGetAttribute", _RANGE_START, at)
            size = api.address("cuPointerGetAttribute", _RANGE_SIZE, at)
        nbytes = low + size - at
        if about:
            if about.get("strides") is not None:
                raise UsageError(errc.invalid, "native memory must lie without gaps; give a "
                                 "C-contiguous copy of the array")
            count = int(np.prod(about["shape"], dtype=np.int64))
            nbytes = count * np.dtype(about["typestr"]).itemsize
        return DeviceArray(arrays.Borrowed(native, low, size), at, nbytes, _BYTES,
                           writable=not (about and about["data"][1]))

    def language(self, language: source_language) -> bool:
        """Say whether programs may be written in a language."""
        return language is source_language.cuda

    def source(self, language: source_language, text: str | bytes, words: tuple[str, ...]) -> Any:
        """Return a program of a text in CUDA C++."""
        name = self._driver.devices()[0].name
        if language is not source_language.cuda:
            raise UsageError(errc.invalid, f"'{name}' compiles no {language.name}")
        return self._driver.opened().program(
            text if isinstance(text, str) else text.decode(), words, name)

    def array(self, native: Any) -> Any:
        """Return a view of another library's array where it lies."""
        session, ordinal = self._driver.opened().session, self._driver.card.ordinal

        def place(address: int) -> bool:
            if session.alone:
                return True
            with session as api:
                return bool(ordinal == api.number("cuPointerGetAttribute", _ORDINAL, address))

        return arrays.lend(native, place)


class NativeEnd:
    """The end of what an event of a program's own was recorded behind."""

    lane = None

    def __init__(self, session: Any, value: int, native: Any) -> None:
        self.over = False
        self._session = session
        self._event = ctypes.c_void_p(value)
        self._native = native
        self._error: BaseException | None = None

    def event(self) -> Any:
        """Return the event."""
        return self._event

    def done(self) -> bool:
        """Say whether it was reached."""
        if not self.over:
            with self._session as api:
                result = api.try_query(self._event)
            if result != NOT_READY:
                self._error = self._session.failed(result, "a native event") if result else None
                self.over = True
        return self.over

    def wait(self, timeout: float | None = None) -> bool:
        """Block until it is reached or so many seconds pass."""
        stop = time.monotonic() + (1e9 if timeout is None else timeout)
        while not self.done():
            if time.monotonic() >= stop:
                return False
            time.sleep(5e-5)
        return True

    def error(self) -> BaseException | None:
        """Return what was reported."""
        return self._error

    def profile(self) -> tuple[int, int]:
        """Return now: nobody knows when it was."""
        now = time.monotonic_ns()
        return now, now


def number(native: Any) -> int:
    """Return the number that a handle is; ``errc.invalid`` for what is none."""
    pair = getattr(native, "__cuda_stream__", None)  # the protocol of cuda-core
    if pair is not None:
        return int(pair()[1] if callable(pair) else pair[1])
    for name in ("cuda_stream", "cuda_event", "ptr", "handle", "id"):
        found = getattr(native, name, None)
        if found is not None:
            return int(found)
    try:
        return int(native)
    except (TypeError, ValueError):
        raise UsageError(errc.invalid, f"expected a handle of CUDA's as a number, or an object "
                         f"that has one, got {type(native).__name__}") from None
