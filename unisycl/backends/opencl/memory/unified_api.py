"""The functions of ``cl_intel_unified_shared_memory``, by the names that those of SVM have here.

Non-goals: which device has what of it (``levels``). Invariant: each function is looked up once for
a platform; whoever has this has all of them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from unisycl.backends.opencl.api import Api
from unisycl.backends.opencl.errors import device_error, is_shortage
from unisycl.base.enums import usm_kind
from unisycl.base.errors import DeviceError, NativeError, errc

EXTENSION = "cl_intel_unified_shared_memory"
INDIRECT = {usm_kind.host: 0x4200, usm_kind.device: 0x4201, usm_kind.shared: 0x4202}
"""What ``clSetKernelExecInfo`` is told of the kinds that a kernel finds pointers to in memory."""
_POINTER, _SIZE, _UINT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32
_ULONG = ctypes.c_uint64
_WAITS = (_UINT, _POINTER, _POINTER)
_ALLOCATE = (_POINTER, _SIZE, _UINT, _POINTER)
_INT = ctypes.c_int32
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "clHostMemAllocINTEL": (_POINTER, _POINTER, *_ALLOCATE),
    "clDeviceMemAllocINTEL": (_POINTER, _POINTER, _POINTER, *_ALLOCATE),
    "clSharedMemAllocINTEL": (_POINTER, _POINTER, _POINTER, *_ALLOCATE),
    "clMemFreeINTEL": (_INT, _POINTER, _POINTER),
    "clSetKernelArgMemPointerINTEL": (_INT, _POINTER, _UINT, _POINTER),
    "clEnqueueMemFillINTEL": (_INT, _POINTER, _POINTER, _POINTER, _SIZE, _SIZE, *_WAITS),
    "clEnqueueMemcpyINTEL": (_INT, _POINTER, _UINT, _POINTER, _POINTER, _SIZE, *_WAITS),
    "clEnqueueMigrateMemINTEL": (_INT, _POINTER, _POINTER, _SIZE, _ULONG, *_WAITS),
    "clEnqueueMemAdviseINTEL": (_INT, _POINTER, _POINTER, _SIZE, _UINT, *_WAITS)}
"""Result and arguments of each."""
_UNKNOWN = -30, -59  # INVALID_VALUE, INVALID_OPERATION
_TO_HOST = 1
_ADVICE = 1 << 32


def missing(address_of: Callable[[str], int | None]) -> list[str]:
    """Return the functions that a platform lacks, by what looks up the address of one."""
    return [name for name in FUNCTIONS if not address_of(name)]


class UnifiedApi(Api):
    """The functions of one platform: what takes addresses is the extension's."""

    pointer_setter = "clSetKernelArgMemPointerINTEL"

    def __init__(self, cl: Any, platform: Any) -> None:
        super().__init__(cl)
        found = {name: self.extension(platform, name) or 0 for name in FUNCTIONS}
        if not all(found.values()):
            lacks = next(name for name, address in found.items() if not address)
            raise DeviceError(errc.runtime, f"the platform '{platform.name.strip()}' has {lacks} "
                              "no more; was its driver changed while the program ran?")

        def function(name: str, *, quick: bool = False) -> Any:
            make = ctypes.PYFUNCTYPE if quick else ctypes.CFUNCTYPE
            return make(*FUNCTIONS[name])(found[name])

        self.set_pointer = function(self.pointer_setter, quick=True)
        self.free = function("clMemFreeINTEL")
        self._of_host = function("clHostMemAllocINTEL")
        self._of_device = function("clDeviceMemAllocINTEL")
        self._of_both = function("clSharedMemAllocINTEL")
        self._copy = function("clEnqueueMemcpyINTEL")
        self._fill = function("clEnqueueMemFillINTEL")
        self._migrate = function("clEnqueueMigrateMemINTEL")
        self._advise = function("clEnqueueMemAdviseINTEL")

    def reserve(self, context: Any, device: Any, kind: usm_kind, nbytes: int,
                alignment: int) -> int:
        """Return the address of new memory; raises ``MemoryError`` where there is not enough."""
        status = ctypes.c_int32()
        rest = None, nbytes, alignment, ctypes.byref(status)
        if kind is usm_kind.host:
            made = self._of_host(context.int_ptr, *rest)
        else:
            allocate = self._of_device if kind is usm_kind.device else self._of_both
            made = allocate(context.int_ptr, device.int_ptr, *rest)
        if made:
            return int(made)
        if status.value == 0 or is_shortage(status.value):
            raise MemoryError(f"{nbytes} bytes")
        raise device_error(f"allocating {nbytes} bytes of kind {kind.name}", status.value)

    def copy(self, queue: Any, dst: int, src: int, nbytes: int, deps: Sequence[Any]) -> Any:
        """Enqueue a copy between addresses; return its event."""
        return self._event("clEnqueueMemcpyINTEL", self._copy, deps, queue.int_ptr, 0, dst, src,
                           nbytes)

    def fill(self, queue: Any, dst: int, pattern: bytes, nbytes: int, deps: Sequence[Any]) -> Any:
        """Enqueue writing a pattern again and again; return its event."""
        return self._event("clEnqueueMemFillINTEL", self._fill, deps, queue.int_ptr, dst, pattern,
                           len(pattern), nbytes)

    def hint(self, queue: Any, address: int, nbytes: int, deps: Sequence[Any],
             advice: int | None, *, to_host: bool) -> Any:
        """Enqueue advice, or bringing memory to the device or host; return its event.

        None where the driver does not know the advice, or moves nothing.
        """
        if advice is not None and advice >= _ADVICE:
            return None
        try:
            if advice is None:
                return self._event("clEnqueueMigrateMemINTEL", self._migrate, deps, queue.int_ptr,
                                   address, nbytes, _TO_HOST * to_host)
            return self._event("clEnqueueMemAdviseINTEL", self._advise, deps, queue.int_ptr,
                               address, nbytes, advice)
        except NativeError as error:
            if error.native_code not in _UNKNOWN:
                raise
            return None
