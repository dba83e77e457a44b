"""USM that other processes may open: allocated so, and what it is called.

Non-goals: handles (``api.memory.ipc_memory``), how a driver does it (``Driver.sharing``).
Invariant: a block that is here was allocated in this process.
"""

from __future__ import annotations

import weakref

from unisycl.base.enums import aspect, usm_kind
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.runtime.devices.devices import ContextState, DeviceState, require_aspect
from unisycl.runtime.memory.usm import Block

_WHAT = "memory for other processes"
names: weakref.WeakKeyDictionary[Block, bytes] = weakref.WeakKeyDictionary()
"""What a driver calls the memory of blocks."""


def allocate(nbytes: int, kind: usm_kind, owner: ContextState, state: DeviceState,
             alignment: int) -> Block:
    """Return an allocation that other processes may open."""
    require_aspect(state, aspect.ext_oneapi_ipc_memory, _WHAT)
    sharing = state.driver.sharing
    if sharing is None or (kind is not usm_kind.device and not sharing.of_host):
        raise UnsupportedError(errc.feature_not_supported, f"{_WHAT}: '{state.info.name}' shares "
                               "device allocations only; use malloc_device")
    if alignment > sharing.alignment:
        raise UsageError(errc.invalid, f"{_WHAT} is aligned to {sharing.alignment} bytes at most, "
                         f"not to {alignment}")
    memory, name = sharing.allocate(nbytes)
    block = Block(nbytes, kind, owner, state, memory=memory)
    names[block] = name
    return block
