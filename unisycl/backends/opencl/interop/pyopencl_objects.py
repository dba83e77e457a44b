"""Objects of PyOpenCL that a program made itself, used as those of a driver.

Non-goals: SYCL's names for it (``api.interop.make``). Invariant: what is taken over is retained for
as long as it is used, whatever the program does with its own.
"""

from __future__ import annotations

import ctypes
import math
import threading
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView, Geometry, Launch, LocalSize
from unisycl.backends.device.texts import UNWATCHED
from unisycl.backends.opencl.errors import device_error
from unisycl.backends.opencl.interop.pyopencl_arrays import awaited
from unisycl.backends.opencl.launch.failed_calls import flush, guarded, is_loss
from unisycl.backends.opencl.memory.objects import DeviceArray, address
from unisycl.backends.opencl.memory.shared import SharedArray
from unisycl.backends.opencl.session import Session
from unisycl.base.errors import NativeError, UsageError, errc

_INVALID_ARG_SIZE = -51
_INVALID_WORK_GROUP_SIZE = -54


class ForeignKernel:
    """A PyOpenCL kernel (``backends.base.Executable``): launched with values by position."""

    kernel: Any = None
    simple = follows = False
    watched = UNWATCHED

    def __init__(self, session: Session, device: Any, native: Any) -> None:
        self.native = native
        self.name = str(native.function_name)
        self.lock = threading.Lock()
        self._api = session.api
        self._device = device
        what = session.cl.kernel_work_group_info
        sizes = tuple(self._asked(what.COMPILE_WORK_GROUP_SIZE) or ())
        self.required: tuple[int, ...] = sizes if any(sizes) else ()
        cpu = int(device.type) & session.cl.device_type.CPU  # those only advise
        told = 0 if cpu else session.limit(int(self._asked(what.WORK_GROUP_SIZE) or 0))
        self._most = told or int(device.max_work_group_size)

    def _asked(self, what: int) -> Any:
        """Return what the driver says of the kernel; None where it has no answer."""
        try:
            return self.native.get_work_group_info(what, self._device)
        except Exception:  # noqa: BLE001 - kernels that a device has built in need not know
            return None

    def habit(self, geometry: Geometry, facts: Any) -> None:
        """Return nothing: nobody knows how long it takes."""

    @guarded("what a kernel may be launched with")
    def check(self, geometry: Geometry, values: tuple[Any, ...]) -> None:
        """Refuse work-groups and local memory that the device does not run the kernel with."""
        problem = self._size_problem(geometry)
        if problem:
            raise NativeError(errc.nd_range, f"kernel '{self.name}'{problem}",
                              native_code=_INVALID_WORK_GROUP_SIZE)
        asked = sum(local_bytes(v) for v in values if isinstance(v, LocalSize))
        if asked and asked > self._device.local_mem_size:
            raise UsageError(errc.memory_allocation, f"kernel '{self.name}' is given {asked} bytes "
                             f"of local memory per work-group; '{self._device.name.strip()}' has "
                             f"{self._device.local_mem_size}; use smaller tiles")

    def _size_problem(self, geometry: Geometry) -> str:
        """Return why a kernel does not run with the work-groups of a launch; '' if it does."""
        items, local, _ = shape_of(geometry)
        required, rest = self.required[:len(items)], self.required[len(items):]
        whole = self.required if any(r != 1 for r in rest) else required
        if required and local is None and any(i % r for i, r in zip(items, required, strict=True)):
            return (f" requires work-groups of {whole[::-1]}; they do not divide the range "
                    f"{items[::-1]}")
        if whole and (whole != required or local not in (None, required)):
            return (f" requires work-groups of {whole[::-1]}; it was launched with "
                    f"{geometry.local or f'a range of {geometry.global_}'}")
        if local is not None and self._most < math.prod(local):
            return (f": a work-group of {math.prod(local)} work-items exceeds the {self._most} "
                    f"that '{self._device.name.strip()}' runs of this kernel; use a smaller local "
                    "range")
        return ""

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
            status = self._api.set_pointer(self.native.int_ptr, at, address(value))
        elif isinstance(value, LocalSize):
            status = self._api.set_arg(self.native.int_ptr, at, local_bytes(value), None)
        else:
            raw = np.ascontiguousarray(value)
            status = self._api.set_arg(self.native.int_ptr, at, raw.nbytes,
                                       ctypes.c_void_p(raw.ctypes.data))
        if status:
            size = f" of {np.asarray(value).nbytes} bytes" if status == _INVALID_ARG_SIZE else ""
            raise device_error(f"argument {at}{size} of kernel '{self.name}'", status)


def check_kind(cl: Any, kind: str, native: Any) -> None:
    """Refuse an object of PyOpenCL's of another kind, such as an image for a buffer.

    ``kind`` is the name of a class of PyOpenCL's; ``errc.invalid`` otherwise.
    """
    kinds = {"Buffer": (cl.MemoryObjectHolder,), "Program": (cl.Program, cl._cl._Program)}.get(
        kind) or (getattr(cl, kind),)
    if not isinstance(native, kinds) or (
            kind == "Buffer" and native.type != cl.mem_object_type.BUFFER):
        raise UsageError(errc.invalid, f"expected a {kind} of PyOpenCL's, got {native!r}")


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
    except cl.Error as error:
        if is_loss(error):
            raise
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
    local = local or executable.required[:len(items)] or None
    lenders, waits = awaited(cl, made.values, waits)
    with executable.lock:
        kept = executable.set_arguments(made.values)
        event = cl.enqueue_nd_range_kernel(queue, executable.native, items, local, offset, waits)
    flush(queue, event, (executable, kept, made), f"kernel '{executable.name}'")
    for view in lenders:
        view.lender.add_event(event)
    return event, (executable, kept, made)
