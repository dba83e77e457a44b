"""Memory that is allocated between the commands of a queue.

The names of sycl_ext_oneapi_async_memory_alloc. Non-goals: properties of pools. Invariants: a
device without the aspect refuses with ``errc.feature_not_supported``; memory that is let go of
serves nobody else before the commands that were given it have ended.
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from unisycl.api.devices.context import context
from unisycl.api.devices.device import device
from unisycl.api.devices.queue_base import QueueBase
from unisycl.api.memory import usm
from unisycl.base.enums import aspect, usm_kind
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.devices.devices import ContextState, DeviceState, require_aspect


@ends_at_call
class memory_pool:
    """Memory of a device that ``async_malloc_from_pool`` takes from.

    ``memory_pool(queue, kind)`` or ``memory_pool(context, device, kind)``. What is free stays with
    the driver, for all pools of the device.
    """

    __slots__ = ("_device", "_owner", "_threshold", "_used")

    def __init__(self, *given: Any) -> None:
        where = [x for x in given if isinstance(x, QueueBase | context | device)]
        kinds = [x for x in given if isinstance(x, usm_kind)]
        if len(where) + len(kinds) < len(given) or len(kinds) != 1:
            raise UsageError(errc.invalid, "memory_pool: expected a queue, or a context and a "
                             f"device, then a kind of USM, got {given!r}")
        self._device, self._owner = usm.place(kinds[0], where)
        _check_kind("memory_pool", self._device, kinds[0])
        self._threshold = 0
        self._used: weakref.WeakSet[Any] = weakref.WeakSet()

    def get_context(self) -> context:
        """Return the context."""
        return context._of(self._owner)

    def get_device(self) -> device:
        """Return the device."""
        return device._of(self._device)

    def get_alloc_kind(self) -> usm_kind:
        """Return the kind of its allocations."""
        return usm_kind.device

    def get_threshold(self) -> int:
        """Return how many bytes it was asked to keep when they are free; it keeps all."""
        return self._threshold

    def increase_threshold_to(self, nbytes: int) -> None:
        """Ask that at least so many bytes be kept."""
        self._threshold = max(self._threshold, int(nbytes))

    def get_used_size_current(self) -> int:
        """Return the bytes of its allocations that were not let go of."""
        return sum(block.nbytes for block in self._used if not block.freed)

    def get_reserved_size_current(self) -> int:
        """Return the bytes that it has of the device now; what is free is the driver's."""
        return self.get_used_size_current()

    def take(self, owner: ContextState, state: DeviceState, count: Any, dtype: Any,
             ) -> usm.usm_pointer:
        """Return an allocation for the device of a queue (internal)."""
        if owner is not self._owner or state is not self._device:
            raise UsageError(errc.invalid, "async_malloc_from_pool: the pool is of another device "
                             "or context than the queue")
        made = _allocated(owner, state, count, dtype)
        self._used.add(made.block)
        return made


def _check_kind(what: str, state: DeviceState, kind: Any) -> None:
    require_aspect(state, aspect.ext_oneapi_async_memory_alloc, what)
    if kind is not usm_kind.device:
        raise UnsupportedError(errc.feature_not_supported, f"{what}: expected usm.alloc.device, "
                               f"got {kind!r}; use malloc for other kinds")


def _place(what: str, where: Any) -> tuple[DeviceState, ContextState]:
    """Return the device and context of a queue or a command group's handler."""
    channel = where.channel if isinstance(where, QueueBase) or (
        hasattr(where, "check_alive")) else None
    if channel is None:
        raise UsageError(errc.invalid, f"{what}: expected a queue or a handler first, got "
                         f"{type(where).__name__}")
    require_aspect(channel.device, aspect.ext_oneapi_async_memory_alloc, what)
    return channel.device, channel.context


def _allocated(owner: ContextState, state: DeviceState, count: Any, dtype: Any) -> usm.usm_pointer:
    return usm.allocate(count, np.dtype(dtype), usm_kind.device, 0, state, owner)


@ends_at_call
def async_malloc(where: Any, kind: Any, count: Any, dtype: Any = np.uint8) -> usm.usm_pointer:
    """Allocate memory for the commands that follow in a queue, from the driver's pool.

    Args:
        where: the queue, or the handler of a command group.
        kind: ``usm.alloc.device``.
        count: the number of elements, or a shape.
        dtype: their type; bytes if left out.
    """
    state, owner = _place("async_malloc", where)
    _check_kind("async_malloc", state, kind)
    return _allocated(owner, state, count, dtype)


@ends_at_call
def async_malloc_from_pool(where: Any, count: Any, pool: memory_pool, dtype: Any = np.uint8,
                           ) -> usm.usm_pointer:
    """Allocate memory for the commands that follow in a queue, from a pool of its device."""
    state, owner = _place("async_malloc_from_pool", where)
    if not isinstance(pool, memory_pool):
        raise UsageError(errc.invalid, "async_malloc_from_pool: expected a memory_pool, got "
                         f"{type(pool).__name__}")
    return pool.take(owner, state, count, dtype)


@ends_at_call
def async_free(where: Any, pointer: Any) -> None:
    """Let go of what ``async_malloc`` gave, behind all commands that were given it."""
    _, owner = _place("async_free", where)
    usm.free(pointer, context._of(owner))
