"""Objects of PyOpenCL that a program made itself, used as those of a driver.

Non-goals: SYCL's names for it (``api.native``). Invariant: what is taken over is retained for as
long as it is used, whatever the program does with its own.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView, Geometry, Launch, LocalSize
from unisycl.backends.opencl.api import Api
from unisycl.backends.opencl.errors import device_error
from unisycl.backends.opencl.memory import DeviceArray, address
from unisycl.backends.opencl.session import Session
from unisycl.backends.opencl.shared import SharedArray
from unisycl.base.errors import UsageError, errc

_INVALID_ARG_SIZE = -51


class ForeignKernel:
    """A PyOpenCL kernel (``backends.base.Executable``): launched with values by position."""

    kernel: Any = None
    simple = follows = False
    locals = spans = ()

    def __init__(self, api: Api, native: Any) -> None:
        self.native = native
        self.name = str(native.function_name)
        self.lock = threading.Lock()
        self._api = api

    def habit(self, geometry: Geometry, traits: Any) -> None:
        """Return nothing: nobody knows how long it takes."""

    def set_arguments(self, values: tuple[Any, ...]) -> list[Any]:
        """Pass the values that are not None; return what must live until the launch has ended."""
        kept: list[Any] = []
        if len(values) > self.native.num_args:
            raise UsageError(errc.kernel_argument, f"kernel '{self.name}' has "
                             f"{self.native.num_args} arguments, not {len(values)}")
        for at, value in enumerate(values):
            if value is not None:
                self._set(at, value, kept)
        return kept

    def _set(self, at: int, value: Any, kept: list[Any]) -> None:
        if isinstance(value, BoundView):
            if isinstance(value.memory, DeviceArray):
                kept.append(value.memory[value.offset:].whole())
                self.native.set_arg(at, kept[-1])
                return
            if isinstance(value.memory, SharedArray):
                value.memory.allocation.set_argument(self.native, at, address(value))
                return
            status = self._api.set_svm(self.native.int_ptr, at, address(value))
        elif isinstance(value, LocalSize):
            status = self._api.set_arg(self.native.int_ptr, at, local_bytes(value), None)
        else:
            raw = np.ascontiguousarray(value)
            status = self._api.set_arg(self.native.int_ptr, at, raw.nbytes,
                                       ctypes.c_void_p(raw.ctypes.data))
        if status:
            size = f" of {np.asarray(value).nbytes} bytes" if status == _INVALID_ARG_SIZE else ""
            raise device_error(f"argument {at}{size} of kernel '{self.name}'", status)


def memory_of(session: Session, view: BoundView) -> Any:
    """Return the memory object of a buffer or sub-buffer, whatever part of it a view is.

    Over the host's memory, which kernels use in place, it is one that uses that memory itself.
    """
    if isinstance(view.memory, DeviceArray):
        return view.memory.whole()
    flags = session.cl.mem_flags
    rest = view.memory.view(np.uint8)
    if not rest.flags.writeable:
        return session.cl.Buffer(session.context, flags.READ_ONLY | flags.USE_HOST_PTR,
                                 hostbuf=rest)
    return session.cl.Buffer(session.context, flags.READ_WRITE | flags.USE_HOST_PTR, hostbuf=rest)


def local_bytes(size: LocalSize) -> int:
    """Return the bytes of local memory; its element is known to whoever bound it."""
    count = size.itemsize
    for extent in size.shape:
        count *= extent
    return max(1, count)


def sub_device(cl: Any, device: Any, units: tuple[int, ...]) -> Any:
    """Return the device of neighbouring compute units; None if there are none such."""
    first, count = units[0], len(units)
    if units != tuple(range(first, first + count)):
        return None
    counts = [first, count] if first else [count]
    try:
        parts = device.create_sub_devices([cl.device_partition_property.BY_COUNTS, *counts])
    except cl.Error:
        return None
    return parts[-1]


def shape_of(geometry: Geometry) -> tuple[tuple[int, ...], tuple[int, ...] | None,
                                          tuple[int, ...] | None]:
    """Return items, group and offset with OpenCL's dimension 0, the fastest, first."""
    return (geometry.global_[::-1], geometry.local[::-1] or None,
            geometry.offset[::-1] if any(geometry.offset) else None)


def launch(cl: Any, queue: Any, made: Launch, waits: list[Any] | None) -> tuple[Any, object]:
    """Enqueue a program's own kernel; return its event and what it uses."""
    executable: ForeignKernel = made.executable  # type: ignore[assignment]
    items, local, offset = shape_of(made.geometry)
    with executable.lock:
        kept = executable.set_arguments(made.values)
        event = cl.enqueue_nd_range_kernel(queue, executable.native, items, local, offset, waits)
    queue.flush()
    return event, (executable, kept, made)
