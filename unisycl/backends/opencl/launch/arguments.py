"""Passes the arguments of a launch: one small function per argument, chosen once per kernel.

Non-goals: which arguments there are (``cfamily.kernel``). Invariant: the caller holds the kernel's
lock, because OpenCL remembers arguments in the kernel object.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.backends.base import Launch
from unisycl.backends.cfamily.printer import Argument
from unisycl.backends.device.scratch import Call
from unisycl.backends.opencl.api import Api
from unisycl.backends.opencl.errors import device_error
from unisycl.backends.opencl.memory.objects import DeviceArray, address
from unisycl.backends.opencl.memory.shared import SharedArray
from unisycl.ir.nodes import Kernel
from unisycl.ir.types import View

Getter = Callable[[Launch, Call], Any]
Setter = Callable[[Any, Launch, Call], None]
_OF_GEOMETRY = frozenset(("last", "range", "groups", "start"))


def setters(api: Api, kernel: Kernel, arguments: tuple[Argument, ...], *, sizes: bool = False,
            ) -> tuple[Setter, ...]:
    """Return the functions that set the arguments of a C kernel, in order.

    ``sizes``: those that follow from the geometry; else all others.
    """
    shared = all(a.kind not in ("offset", "target_at") for a in arguments)
    return tuple(_setter(api, kernel, k, a, shared) for k, a in enumerate(arguments)
                 if (a.kind in _OF_GEOMETRY) == sizes)


def _setter(api: Api, kernel: Kernel, at: int, a: Argument, shared: bool) -> Setter:
    i, d = a.number, a.dim
    match a.kind:
        case "view":
            return _view_of(api, at, i, shared)
        case "offset":
            return _offset_of(api, at, i)
        case "extent":
            return _extent_of(api, at, i, d)
        case "pitch":
            return _long(api, at, lambda x, c: x.values[i].pitches[d])
        case "small extent":
            return _int(api, at, lambda x, c: x.values[i].shape[d])
        case "small pitch":
            return _int(api, at, lambda x, c: x.values[i].pitches[d])
        case "scalar":
            return _scalar_of(api, at, i)
        case "record":
            return _bytes(api, at, lambda x, c: np.asarray(x.values[i]).tobytes())
        case "local":
            return _local(api, at, kernel, i)
        case "last":
            return _long(api, at, lambda x, c: _last(x, d))
        case "range":
            return _long(api, at, lambda x, c: x.geometry.global_[d])
        case "groups":
            return _long(api, at, lambda x, c: x.geometry.global_[d] // kernel.local[d])
        case "start":
            return _long(api, at, lambda x, c: (x.geometry.offset or (0,) * kernel.ndim)[d])
        case "count":
            return _long(api, at, lambda x, c: c.count)
        case "partials":
            return _memory(api, at, lambda x, c: c.partials[i][0])
        case "flags":
            return _memory(api, at, lambda x, c: c.partials[i][1])
        case "counter":
            return _memory(api, at, lambda x, c: c.counter)
        case "target":
            return _view(api, at, lambda x, c: x.reductions[i][0], shared)
        case "target_at":
            return _long(api, at, lambda x, c: _element_offset(x.reductions[i][0]))
        case "keep":
            return _bytes(api, at, lambda x, c: np.int32(not x.reductions[i][1]).tobytes())
        case "report":
            return _memory(api, at, lambda x, c: c.report)
    raise AssertionError(a)


def _last(launch: Launch, dim: int) -> int:
    """Return the end of the ids in a dimension."""
    geometry = launch.geometry
    return geometry.global_[dim] + (geometry.offset[dim] if geometry.offset else 0)


def _element_offset(view: Any) -> int:
    """Return where a view starts in its memory object, in elements."""
    memory = view.memory
    if isinstance(memory, DeviceArray):
        return int(view.offset + memory.start // memory.itemsize)
    return 0


Write = Callable[[Any, Any], None]
"""Sets an argument of a kernel object, whatever it was before."""


def _bytes_writer(api: Api, at: int) -> Write:
    set_arg = api.set_arg

    def write(k: Any, raw: bytes) -> None:
        status = set_arg(k.int_ptr, at, len(raw), raw)
        if status:
            raise device_error(f"clSetKernelArg({at})", status)
    return write


def _long_writer(api: Api, at: int) -> Write:
    return _number_writer(api, at, ctypes.c_int64())


def _number_writer(api: Api, at: int, cell: ctypes.c_int64 | ctypes.c_int32) -> Write:
    set_arg, size = api.set_arg, ctypes.sizeof(cell)
    pointer = ctypes.byref(cell)

    def write(k: Any, value: int) -> None:
        cell.value = value
        status = set_arg(k.int_ptr, at, size, pointer)
        if status:
            raise device_error(f"clSetKernelArg({at})", status)
    return write


def _if_changed(write: Write, get: Getter) -> Setter:
    """Set what differs from what the kernel object has; should Ctrl-C come, that is not known."""
    known: Any = None

    def put(k: Any, x: Launch, c: Call) -> None:
        nonlocal known
        value = get(x, c)
        if value != known:
            known = None
            write(k, value)
            known = value
    return put


def _bytes(api: Api, at: int, get: Getter) -> Setter:
    """Set a number or record by its bytes."""
    return _if_changed(_bytes_writer(api, at), get)


def _long(api: Api, at: int, get: Getter) -> Setter:
    return _if_changed(_long_writer(api, at), get)


def _int(api: Api, at: int, get: Getter) -> Setter:
    return _if_changed(_number_writer(api, at, ctypes.c_int32()), get)


def _scalar_of(api: Api, at: int, i: int) -> Setter:
    """As ``_bytes`` for a number among the launch's values; NumPy's bool is one byte, too."""
    write, known = _bytes_writer(api, at), None

    def put(k: Any, x: Launch, c: Call) -> None:
        nonlocal known
        raw = x.values[i].tobytes()
        if raw != known:
            known = None
            write(k, raw)
            known = raw
    return put


def _extent_of(api: Api, at: int, i: int, d: int) -> Setter:
    """As ``_long`` for an extent of a view among the launch's values."""
    write, known = _long_writer(api, at), None

    def put(k: Any, x: Launch, c: Call) -> None:
        nonlocal known
        value = x.values[i].shape[d]
        if value != known:
            known = None
            write(k, value)
            known = value
    return put


def _view(api: Api, at: int, get: Getter, shared: bool) -> Setter:
    set_pointer = api.set_pointer

    def put(k: Any, x: Launch, c: Call) -> None:
        view = get(x, c)
        if isinstance(view.memory, DeviceArray):
            k.set_arg(at, view.memory.buffer)
            return
        if isinstance(view.memory, SharedArray):
            view.memory.allocation.set_argument(k, at, address(view))
            return
        assert shared, "a kernel was given an address of the host's, which it cannot reach"
        status = set_pointer(k.int_ptr, at, address(view))
        if status:
            raise device_error(f"{api.pointer_setter}({at})", status)
    return put


def _view_of(api: Api, at: int, i: int, shared: bool) -> Setter:
    """As ``_view`` for a view among the launch's values, if it is elsewhere than the last one."""
    write = _view(api, at, lambda x, c: x.values[i], shared)
    known: int | None = None

    def put(k: Any, x: Launch, c: Call) -> None:
        nonlocal known
        view = x.values[i]
        memory = view.memory
        if type(memory) is DeviceArray:
            if memory.number != known:
                known = None
                k.set_arg(at, memory.buffer)
                known = memory.number
            return
        found = view.packed
        if found is not None and found[0] == known:
            return
        known = None
        write(k, x, c)
        if type(memory) is not SharedArray:
            known = view.packed[0]
    return put


def _offset_of(api: Api, at: int, i: int) -> Setter:
    """As ``_long`` for where a view among the launch's values starts, in elements."""
    write, known = _long_writer(api, at), None

    def put(k: Any, x: Launch, c: Call) -> None:
        nonlocal known
        view = x.values[i]
        memory = view.memory
        value = 0
        if type(memory) is DeviceArray:
            value = view.offset + memory.start // memory.dtype.itemsize
        if value != known:
            known = None
            write(k, value)
            known = value
    return put


def _memory(api: Api, at: int, get: Getter) -> Setter:
    """Set memory of our own: an array of the host's or of the device's."""
    set_pointer = api.set_pointer

    def put(k: Any, x: Launch, c: Call) -> None:
        memory = get(x, c)
        if isinstance(memory, DeviceArray):
            k.set_arg(at, memory.buffer)
            return
        status = set_pointer(k.int_ptr, at, memory.ctypes.data)
        if status:
            raise device_error(f"{api.pointer_setter}({at})", status)
    return put


def _local(api: Api, at: int, kernel: Kernel, index: int) -> Setter:
    kind = kernel.params[index].type
    assert isinstance(kind, View)
    element = kind.elem.size

    def put(k: Any, x: Launch, c: Call) -> None:
        size = max(1, math.prod(x.values[index].shape)) * element
        status = api.set_arg(k.int_ptr, at, size, None)
        if status:
            raise device_error(f"clSetKernelArg({at})", status)
    return put
