"""Memory that each device and context has once, made and filled before its first use.

What ``device_global`` and ``pipe`` keep their state in. Non-goals: names, restrictions.
Invariant: the address never changes; the memory is kept as long as the context.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any, ClassVar

import numpy as np

from unisycl.backends.base import PipeEnds
from unisycl.base.enums import access_mode, usm_kind
from unisycl.base.errors import UsageError, errc
from unisycl.ir.types import View, global_view
from unisycl.runtime.devices.devices import ContextState, DeviceState
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import BoundView, Capturable, Group
from unisycl.runtime.memory.allocation import Array
from unisycl.runtime.memory.regions import pitches_of
from unisycl.runtime.memory.usm import Block, Pointer

_lock = threading.Lock()


class Variable(Capturable):
    """An array that kernels use by capturing this object, of contents that start as ``initial``.

    Args:
        what: what messages call it.
        shape: the extents, one dimension at least.
        initial: the elements, one after another.
    """

    __slots__ = ("__weakref__", "_extents", "_initial", "_places", "_type", "what")
    __kernel_variable__ = True
    __host_instead__ = ""
    """What to say to a program that reaches for the memory on the host."""
    __kernel_address__ = True
    view: ClassVar[type[BoundView]] = BoundView
    """What kernels are given."""
    outside: ClassVar[bool] = False
    """Of the ends of a pipe: whether no kernel is at the other one."""

    def __init__(self, what: str, shape: tuple[int, ...], initial: Array) -> None:
        kind = global_view(initial.dtype, len(shape), access_mode.read_write)
        if kind is None:
            raise UsageError(errc.invalid, f"{what}: kernels have no type {initial.dtype}; use "
                             "bool, an integer, a float or a structured dtype of these")
        self.what = what
        self._type: View = kind
        self._extents = shape
        self._initial = initial
        self._places: weakref.WeakKeyDictionary[ContextState, dict[DeviceState, BoundView]] = (
            weakref.WeakKeyDictionary())

    def __kernel_type__(self) -> View:
        """Return the type kernels see."""
        return self._type

    def bind(self, group: Group | None, channel: Channel) -> BoundView:
        """Return the memory on a queue's device; the first use allocates and fills it."""
        found = self._places.get(channel.context)
        view = None if found is None else found.get(channel.device)
        return self._allocate(channel.context, channel.device) if view is None else view

    def _allocate(self, context: ContextState, device: DeviceState) -> BoundView:
        with _lock:
            places = self._places.setdefault(context, {})
            if device not in places:
                places[device] = self._filled(context, device)
            return places[device]

    def _filled(self, context: ContextState, device: DeviceState) -> BoundView:
        block = Block(self._initial.nbytes, usm_kind.device, context, device,
                      addressed=True)
        found = Pointer(block, self._initial.dtype, self._extents).bound()
        view = self.view(found.memory, found.offset, found.shape, found.pitches)
        context.variables.append((block.address, block.nbytes, block.memory, device))
        initial = BoundView(self._initial, 0, self._extents, pitches_of(self._extents))
        filled = device.driver.copy(view, initial, ())
        filled.wait()
        failed = filled.error()
        if failed is not None:
            raise failed
        return view


class Ends(Variable):
    """The ends of a pipe; the last element counts who waits there."""

    __slots__ = ()
    view = PipeEnds


def element_type(what: str, dtype: Any) -> np.dtype[Any]:
    """Return the NumPy type of a variable's elements; ``errc.invalid`` if there can be none."""
    found: np.dtype[Any]
    try:
        found = np.dtype(dtype)
    except TypeError:
        found = np.dtype(object)
    if found.hasobject or found.itemsize == 0:
        raise UsageError(errc.invalid, f"{what}: kernels have no type {dtype!r}; use bool, an "
                         "integer, a float or a structured dtype of these")
    return found
