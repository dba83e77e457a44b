"""A plugin for pytest: Intel's extension on processors behaves as on a graphics card without SVM.

    UNISYCL_MEMORY=unified UNISYCL_BACKENDS=cpu,host,opencl \
        python -m pytest -p tests.device.unified --device opencl:0 PATHS

What the host sees of an allocation of kind device is memory that ends the process when it is
touched; kernels, copies and fills use the driver's. What is freed is overwritten first, so that
whoever uses it afterwards is seen, and functions of SVM raise. Non-goals: pointers to memory of
kind device that are kept in memory, which would lead to what the host sees.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

from unisycl.backends.opencl import session
from unisycl.backends.opencl.memory.unified_api import UnifiedApi
from unisycl.base.enums import usm_kind

RUBBISH = 0xEE
_library = ctypes.CDLL(None)
_reserve = _library.mmap
_reserve.restype = ctypes.c_void_p
_reserve.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                     ctypes.c_long)
_release = _library.munmap
_release.argtypes = (ctypes.c_void_p, ctypes.c_size_t)


class ApartApi(UnifiedApi):
    """The functions of the extension, with memory that only the device reaches."""

    def __init__(self, cl: Any, platform: Any) -> None:
        super().__init__(cl, platform)
        self.own: dict[int, tuple[int, int]] = {}
        self.sizes: dict[int, int] = {}
        self._set, self._let_go = self.set_pointer, self.free
        self.set_pointer, self.free = self._set_own, self._free_both
        self.allocate = self._map = self._unmap = self._later = _refuse

    def there(self, address: int) -> int:
        """Return where the device has what a program sees at an address."""
        for start, (own, nbytes) in list(self.own.items()):
            if start <= address < start + nbytes:
                return own + address - start
        return address

    def reserve(self, context: Any, device: Any, kind: usm_kind, nbytes: int,
                alignment: int) -> int:
        """Reserve memory, of kind device with addresses besides that nobody may touch."""
        own = super().reserve(context, device, kind, nbytes, alignment)
        self.sizes[own] = nbytes
        if kind is not usm_kind.device:
            return own
        seen = _reserve(None, nbytes, 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
        assert seen not in (None, 2**64 - 1)
        self.own[seen] = own, nbytes
        return int(seen)

    def _free_both(self, context: int, address: int) -> int:
        own, nbytes = self.own.pop(address, (address, 0))
        ctypes.memset(own, RUBBISH, self.sizes.pop(own))
        if nbytes:
            _release(address, nbytes)
        return int(self._let_go(context, own))

    def _set_own(self, kernel: int, at: int, address: int) -> Any:
        return self._set(kernel, at, self.there(address))

    def copy(self, queue: Any, dst: int, src: int, nbytes: int, deps: Any) -> Any:
        """Copy what the device has."""
        return super().copy(queue, self.there(dst), self.there(src), nbytes, deps)

    def fill(self, queue: Any, dst: int, pattern: bytes, nbytes: int, deps: Any) -> Any:
        """Fill what the device has."""
        return super().fill(queue, self.there(dst), pattern, nbytes, deps)


def _refuse(*given: Any) -> Any:
    raise AssertionError("a function of SVM was called on a device that has none")


session.UnifiedApi = ApartApi  # type: ignore[misc]
