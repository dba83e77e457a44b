"""Memory that only some devices have: virtual, shared between processes, allocated in order.

The names of sycl_ext_oneapi_virtual_mem, sycl_ext_oneapi_inter_process_communication and
sycl_ext_oneapi_async_memory_alloc. Non-goals: doing it; no driver here reports an aspect of these.
Invariant: a device without the aspect refuses with ``errc.feature_not_supported``.
"""

from __future__ import annotations

import enum
from typing import Any, NoReturn

from unisycl.api.devices.context import context
from unisycl.api.devices.device import device
from unisycl.api.devices.queue_base import QueueBase
from unisycl.base.enums import aspect
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.devices.devices import DeviceState, require_aspect


class granularity_mode(enum.Enum):
    """Which sizes ``get_mem_granularity`` returns."""

    minimum = "minimum"
    recommended = "recommended"


class address_access_mode(enum.Enum):
    """What may be done with a range of virtual memory."""

    none = "none"
    read = "read"
    read_write = "read_write"


def _refuse(what: str, wanted: aspect, given: tuple[Any, ...]) -> NoReturn:
    """Refuse for each device that the argument names."""
    states: list[DeviceState] = []
    for one in given:
        if isinstance(one, QueueBase):
            states.append(one.channel.device)
        elif isinstance(one, context):
            states += one.state.devices
        elif isinstance(one, device):
            states.append(one.state)
    if not states:
        raise UsageError(errc.invalid, f"{what}: expected a queue, a context or a device among "
                         "the arguments")
    for state in states:
        require_aspect(state, wanted, what)
    raise UnsupportedError(errc.feature_not_supported, f"{what}: no driver can do it yet")


@ends_at_call
def get_mem_granularity(*given: Any) -> int:
    """Return the granularity of virtual memory: ``([device,] context[, mode])``."""
    _refuse("get_mem_granularity", aspect.ext_oneapi_virtual_mem, given)


@ends_at_call
def reserve_virtual_mem(*given: Any) -> int:
    """Return a range of addresses without memory: ``([start,] bytes, context)``."""
    _refuse("reserve_virtual_mem", aspect.ext_oneapi_virtual_mem, given)


@ends_at_call
def free_virtual_mem(start: int, nbytes: int, where: Any) -> None:
    """Give a range of addresses back."""
    _refuse("free_virtual_mem", aspect.ext_oneapi_virtual_mem, (where,))


@ends_at_call
class physical_mem:
    """Memory of a device without an address: ``physical_mem(queue, bytes)``."""

    def __init__(self, *given: Any) -> None:
        _refuse("physical_mem", aspect.ext_oneapi_virtual_mem, given)


@ends_at_call
class memory_pool:
    """Memory of a context that ``async_malloc`` takes from: ``memory_pool(queue, kind)``."""

    def __init__(self, *given: Any) -> None:
        _refuse("memory_pool", aspect.ext_oneapi_async_memory_alloc, given)


@ends_at_call
def async_malloc(where: Any, kind: Any, nbytes: int) -> Any:
    """Allocate USM as a command of a queue."""
    _refuse("async_malloc", aspect.ext_oneapi_async_memory_alloc, (where,))


@ends_at_call
def async_free(where: Any, pointer: Any) -> None:
    """Free what ``async_malloc`` gave, as a command of a queue."""
    _refuse("async_free", aspect.ext_oneapi_async_memory_alloc, (where,))


class ipc_memory:
    """USM that processes share, by handles (the namespace ``ipc_memory``)."""

    @staticmethod
    @ends_at_call
    def get(pointer: Any, where: Any) -> bytes:
        """Return a handle that another process opens."""
        _refuse("ipc_memory.get", aspect.ext_oneapi_ipc_memory, (where,))

    @staticmethod
    @ends_at_call
    def open(handle: bytes, *where: Any) -> Any:
        """Return the memory of another process's handle."""
        _refuse("ipc_memory.open", aspect.ext_oneapi_ipc_memory, where)

    @staticmethod
    @ends_at_call
    def close(pointer: Any, where: Any) -> None:
        """Give up memory that ``open`` returned."""
        _refuse("ipc_memory.close", aspect.ext_oneapi_ipc_memory, (where,))

    @staticmethod
    @ends_at_call
    def put(handle: bytes, where: Any) -> None:
        """Give up a handle that ``get`` returned."""
        _refuse("ipc_memory.put", aspect.ext_oneapi_ipc_memory, (where,))
