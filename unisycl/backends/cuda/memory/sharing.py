"""Memory of a card that other processes open by CUDA's handles.

The driver's pool lends none, so such memory is allocated for itself, in whole blocks of the
driver's. Non-goals: who may use it when. Invariants: a handle is opened at most once in a process,
and not in the one that made it; memory that was opened is closed, never freed.
"""

from __future__ import annotations

import contextlib
import ctypes
from typing import Any

from unisycl.backends.cuda.api import IpcHandle
from unisycl.backends.cuda.errors import result_name
from unisycl.backends.cuda.memory.arrays import Allocation, UnifiedArray
from unisycl.backends.cuda.memory.heap import Heap
from unisycl.backends.cuda.session import Session
from unisycl.base.enums import usm_kind
from unisycl.base.errors import UsageError, errc, exception

_BLOCK = 2 << 20
_PEERS = 1  # CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS


class CuSharing:
    """Makes, names and opens such memory (``Driver.sharing``)."""

    alignment = 256
    of_host = False

    def __init__(self, session: Session, heap: Heap) -> None:
        self._session = session
        self._heap = heap

    def allocate(self, nbytes: int) -> tuple[Any, bytes]:
        """Return bytes of the card's, and what another process opens them by."""
        made = self._heap.alone(-(-max(nbytes, 1) // _BLOCK) * _BLOCK)
        handle = IpcHandle()
        with self._session as api:
            result = api.attempt("cuIpcGetMemHandle", ctypes.byref(handle), made.ctypes.data)
        if result:
            raise self._session.failed(result, "cuIpcGetMemHandle")
        return made[:nbytes], bytes(handle)

    def open(self, name: bytes, nbytes: int) -> UnifiedArray:
        """Return the bytes of a handle; ``errc.invalid`` if there are none (any more)."""
        if len(name) != ctypes.sizeof(IpcHandle):
            raise UsageError(errc.invalid, "ipc_memory.open: this is no handle of ipc_memory.get")
        out = ctypes.c_uint64()
        with self._session as api:
            result = api.attempt("cuIpcOpenMemHandle_v2", ctypes.byref(out),
                                 IpcHandle.from_buffer_copy(name), _PEERS)
        if result:
            self._session.failed(result, "cuIpcOpenMemHandle")
            raise UsageError(errc.invalid, f"ipc_memory.open: the driver opens no such memory: "
                             f"{result_name(result)}; the process that has it must keep it, and "
                             "a handle is opened once in a process")
        return Allocation(out.value, nbytes, self._close, usm_kind.device).array()

    def _close(self, gone: Allocation) -> None:
        """Close memory that nothing uses; called by finalisers, so it raises nothing."""
        session = self._session
        if session.is_mine() and session.lost is None:
            with contextlib.suppress(exception), session as api:
                result = api.attempt("cuIpcCloseMemHandle", gone.address)
                if result:
                    session.failed(result, "cuIpcCloseMemHandle")
