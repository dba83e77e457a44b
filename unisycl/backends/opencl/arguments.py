"""Passes the arguments of a launch: one small function per argument, chosen once per kernel.

Non-goals: which arguments there are (``cfamily.kernel``). Invariant: the caller holds the kernel's
lock, because OpenCL remembers arguments in the kernel object.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from unisycl.backends.base import Launch
from unisycl.backends.cfamily.printer import Argument
from unisycl.backends.opencl.api import Api
from unisycl.backends.opencl.errors import device_error
from unisycl.backends.opencl.memory import DeviceArray, address
from unisycl.ir.nodes import Kernel
from unisycl.ir.types import View


@dataclass(slots=True)
class Call:
    """What the arguments of one call are taken from."""

    launch: Launch
    count: int = 0
    partials: list[tuple[Any, Any]] = field(default_factory=list)
    report: Any = None


Setter = Callable[[Any, Call], None]


def setters(api: Api, kernel: Kernel, arguments: tuple[Argument, ...], *, finish: bool = False,
            ) -> tuple[Setter, ...]:
    """Return the functions that set the arguments of a C kernel, in order."""
    return tuple(_setter(api, kernel, k, a, finish) for k, a in enumerate(arguments))


def _setter(api: Api, kernel: Kernel, at: int, a: Argument, finish: bool) -> Setter:
    i, d = a.number, a.dim
    if finish and a.kind in ("view", "offset"):
        def target(c: Call) -> Any:
            return c.launch.reductions[i][0]
        return _view(api, at, target) if a.kind == "view" else _long(
            api, at, lambda c: _element_offset(target(c)))
    match a.kind:
        case "view":
            return _view(api, at, lambda c: c.launch.values[i])
        case "offset":
            return _long(api, at, lambda c: _element_offset(c.launch.values[i]))
        case "extent":
            return _long(api, at, lambda c: c.launch.values[i].shape[d])
        case "pitch":
            return _long(api, at, lambda c: c.launch.values[i].pitches[d])
        case "scalar":
            return _bytes(at, lambda c: _scalar(c.launch.values[i]))
        case "record":
            return _bytes(at, lambda c: np.asarray(c.launch.values[i]).tobytes())
        case "local":
            return _local(api, at, kernel, i)
        case "last":
            return _long(api, at, lambda c: _last(c.launch, d))
        case "range":
            return _long(api, at, lambda c: c.launch.geometry.global_[d])
        case "groups":
            return _long(api, at, lambda c: c.launch.geometry.global_[d] // kernel.local[d])
        case "start":
            return _long(api, at, lambda c: (c.launch.geometry.offset or (0,) * kernel.ndim)[d])
        case "count":
            return _long(api, at, lambda c: c.count)
        case "partials":
            return _memory(api, at, lambda c: c.partials[i][0])
        case "flags":
            return _memory(api, at, lambda c: c.partials[i][1])
        case "keep":
            return _bytes(at, lambda c: np.int32(not c.launch.reductions[i][1]))
        case "report":
            return _memory(api, at, lambda c: c.report)
    raise AssertionError(a)


def _scalar(value: Any) -> Any:
    return np.uint8(value) if isinstance(value, np.bool_) else value


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


def _bytes(at: int, get: Callable[[Call], Any]) -> Setter:
    return lambda k, c: k.set_arg(at, get(c))


def _long(api: Api, at: int, get: Callable[[Call], int]) -> Setter:
    set_arg, size = api.set_arg, 8

    def put(k: Any, c: Call) -> None:
        status = set_arg(k.int_ptr, at, size, ctypes.byref(ctypes.c_int64(get(c))))
        if status:
            raise device_error(f"clSetKernelArg({at})", status)
    return put


def _view(api: Api, at: int, get: Callable[[Call], Any]) -> Setter:
    set_svm = api.set_svm

    def put(k: Any, c: Call) -> None:
        view = get(c)
        if isinstance(view.memory, DeviceArray):
            k.set_arg(at, view.memory.buffer)
            return
        status = set_svm(k.int_ptr, at, address(view))
        if status:
            raise device_error(f"clSetKernelArgSVMPointer({at})", status)
    return put


def _memory(api: Api, at: int, get: Callable[[Call], Any]) -> Setter:
    """Set memory of our own: an array of the host's or of the device's."""
    set_svm = api.set_svm

    def put(k: Any, c: Call) -> None:
        memory = get(c)
        if isinstance(memory, DeviceArray):
            k.set_arg(at, memory.buffer)
            return
        status = set_svm(k.int_ptr, at, memory.ctypes.data)
        if status:
            raise device_error(f"clSetKernelArgSVMPointer({at})", status)
    return put


def _local(api: Api, at: int, kernel: Kernel, index: int) -> Setter:
    kind = kernel.params[index].type
    assert isinstance(kind, View)
    element = kind.elem.size

    def put(k: Any, c: Call) -> None:
        size = max(1, math.prod(c.launch.values[index].shape)) * element
        status = api.set_arg(k.int_ptr, at, size, None)
        if status:
            raise device_error(f"clSetKernelArg({at})", status)
    return put
