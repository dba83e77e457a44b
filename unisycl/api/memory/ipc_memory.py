"""USM that processes share, by handles (sycl_ext_oneapi_inter_process_communication).

Memory that is to be shared is allocated so: ``property.usm.ext_unisycl_inter_process``. Non-goals:
ordering commands of several processes; memory of pools. Invariants: a handle says of which device
and kind the memory is, and how much; it is opened by other processes only.
"""

from __future__ import annotations

import os
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.api.devices.context import context
from unisycl.api.devices.device import device
from unisycl.api.memory import usm
from unisycl.base.enums import aspect, usm_kind
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.devices.devices import ContextState, DeviceState, require_aspect
from unisycl.runtime.memory import named_memory
from unisycl.runtime.memory import usm as blocks

_HEAD = struct.Struct("<8s16s40sBQQ")
_MAGIC = b"unisycl1"
_KINDS = (usm_kind.device, usm_kind.host, usm_kind.shared)


class _Process:
    """What tells this process from others; a forked child is another one."""

    def __init__(self) -> None:
        self._pid = 0
        self._token = b""

    def token(self) -> bytes:
        """Return sixteen bytes."""
        if self._pid != os.getpid():
            self._pid, self._token = os.getpid(), os.urandom(16)
        return self._token


_process = _Process()


class _Handle(bytes):
    """What another process opens: bytes to be sent to it, as they are or by ``data()``."""

    __slots__ = ()

    def data(self) -> bytes:
        """Return the bytes."""
        return bytes(self)


def _identity(state: DeviceState) -> bytes:
    """Return which memory a device's is: that of the machine, or a card's."""
    found = str(state.info.details.get("uuid", "")) if not state.driver.sharing.of_host else "host"
    return found.encode()[:40]


def _place(what: str, where: tuple[Any, ...]) -> tuple[DeviceState, ContextState]:
    owner = next((x.state for x in where if isinstance(x, context)), None)
    chosen = next((x.state for x in where if isinstance(x, device)), None)
    if owner is None:
        state, owner = usm.place(usm_kind.device, [x for x in where if not isinstance(x, device)])
    else:
        state = owner.devices[0] if chosen is None else chosen
        if not owner.covers(state):
            raise UsageError(errc.invalid, f"{what}: the device is not in the context")
        state = owner.local(state)
    require_aspect(state, aspect.ext_oneapi_ipc_memory, what)
    return state, owner


class ipc_memory:
    """USM that processes share, by handles (the namespace ``ipc_memory``)."""

    handle = _Handle

    @staticmethod
    @ends_at_call
    def get(pointer: Any, where: Any) -> _Handle:
        """Return a handle of USM memory that another process opens.

        Args:
            pointer: memory allocated with ``property.usm.ext_unisycl_inter_process``.
            where: its context, or a queue of it.
        """
        what = "ipc_memory.get"
        _, owner = _place(what, (where,))
        if not isinstance(pointer, usm.usm_pointer):
            raise UsageError(errc.invalid, f"{what}: expected USM memory, got "
                             f"{type(pointer).__name__}")
        block = pointer.block
        block.bytes()
        name = named_memory.names.get(block)
        if name is None or block.context is not owner:
            raise UsageError(errc.invalid, f"{what}: {pointer!r} was not allocated to be shared in "
                             "this context; give malloc_device the property "
                             "ext.oneapi.property.usm.ext_unisycl_inter_process()")
        head = _HEAD.pack(_MAGIC, _process.token(), _identity(block.device),
                          _KINDS.index(block.kind), block.nbytes, pointer.offset)
        return _Handle(head + name)

    @staticmethod
    @ends_at_call
    def open(data: bytes, *where: Any, dtype: npt.DTypeLike = np.uint8) -> usm.usm_pointer:
        """Return the memory of another process's handle.

        Args:
            data: what ``get`` returned there.
            where: a context and a device, or a queue.
            dtype: the type of its elements.
        """
        what = "ipc_memory.open"
        state, owner = _place(what, where)
        raw = bytes(data)
        if len(raw) <= _HEAD.size or not raw.startswith(_MAGIC):
            raise UsageError(errc.invalid, f"{what}: this is no handle of ipc_memory.get")
        _, token, identity, kind, nbytes, offset = _HEAD.unpack(raw[:_HEAD.size])
        if token == _process.token():
            raise UsageError(errc.invalid, f"{what}: the memory is this process's own; use it as "
                             "it is")
        if identity.rstrip(b"\0") != _identity(state) or kind >= len(_KINDS) or offset > nbytes:
            raise UsageError(errc.invalid, f"{what}: the memory is of another device than "
                             f"'{state.info.name}'")
        element = np.dtype(dtype)
        if not element.itemsize or (nbytes - offset) % element.itemsize or (
                offset % element.itemsize):
            raise UsageError(errc.invalid, f"{what}: {nbytes - offset} bytes are no whole number "
                             f"of {element}")
        memory = state.driver.sharing.open(raw[_HEAD.size:], nbytes)
        block = blocks.Block(nbytes, _KINDS[kind], owner, state, memory=memory)
        return usm.usm_pointer(block, element, ((nbytes - offset) // element.itemsize,), offset)

    @staticmethod
    @ends_at_call
    def close(pointer: Any, where: Any) -> None:
        """Give up memory that ``open`` returned."""
        _, owner = _place("ipc_memory.close", (where,))
        block = getattr(pointer, "block", None)
        if block is None or block.context is not owner or block in named_memory.names:
            raise UsageError(errc.invalid, "ipc_memory.close: expected what ipc_memory.open "
                             f"returned for this context, got {pointer!r}")
        block.free()

    @staticmethod
    @ends_at_call
    def put(data: bytes, where: Any) -> None:
        """Give up a handle that ``get`` returned; its memory goes when it is freed."""
        _place("ipc_memory.put", (where,))
        if not bytes(data).startswith(_MAGIC):
            raise UsageError(errc.invalid, "ipc_memory.put: this is no handle of ipc_memory.get")
