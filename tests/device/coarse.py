"""A plugin for pytest: processors' coarse-grained memory behaves as that of a graphics card.

    UNISYCL_MEMORY=coarse UNISYCL_BACKENDS=opencl python -m pytest -p tests.device.coarse PATHS

Kernels, copies and fills use bytes of the device's own; mapping brings them to the host, unmapping
takes them away and leaves rubbish, so that whoever looks too soon is seen. Non-goals: pointers kept
in memory, which would lead to the host's bytes.
"""

from __future__ import annotations

import ctypes
from typing import Any

from unisycl.backends.opencl import session
from unisycl.backends.opencl.api import Api

RUBBISH = b"\xee"


class ApartApi(Api):
    """The functions of a loader, with bytes of the device's own behind each allocation."""

    def __init__(self, cl: Any) -> None:
        super().__init__(cl)
        self.own: dict[int, tuple[int, int]] = {}
        self._lists: list[Any] = []
        self._allocate, self._set_pointer = self.allocate, self.set_pointer
        self.allocate, self.set_pointer = self._allocate_both, self._set_own
        self._release = self.free
        self.free = self._free_both

    def there(self, address: int) -> int:
        """Return where the device has what a program sees at an address."""
        for start, (own, nbytes) in list(self.own.items()):
            if start <= address < start + nbytes:
                return own + address - start
        return address

    def _allocate_both(self, context: int, flags: int, nbytes: int, alignment: int) -> Any:
        seen, own = (self._allocate(context, flags, nbytes, alignment) for _ in range(2))
        self.own[seen] = own, nbytes
        return seen

    def _free_both(self, context: int, address: int) -> None:
        own, _ = self.own.pop(address)
        self._release(context, own)
        self._release(context, address)

    def _set_own(self, kernel: int, at: int, address: int) -> Any:
        return self._set_pointer(kernel, at, self.there(address))

    def copy(self, queue: Any, dst: int, src: int, nbytes: int, deps: Any) -> Any:
        """Copy what the device has."""
        return super().copy(queue, self.there(dst), self.there(src), nbytes, deps)

    def fill(self, queue: Any, dst: int, pattern: bytes, nbytes: int, deps: Any) -> Any:
        """Fill what the device has."""
        return super().fill(queue, self.there(dst), pattern, nbytes, deps)

    def map(self, queue: Any, address: int, nbytes: int, deps: Any, *,
            blocking: bool = False) -> Any:
        """Bring the device's bytes to the host."""
        event = super().copy(queue, address, self.own[address][0], nbytes, deps)
        if blocking:
            event.wait()
        return event

    def unmap(self, queue: Any, address: int, deps: Any) -> Any:
        """Take the host's bytes away, and leave rubbish."""
        own, nbytes = self.own[address]
        taken = super().copy(queue, own, address, nbytes, deps)
        return super().fill(queue, address, RUBBISH, nbytes, [taken])

    def free_after(self, queue: Any, pointers: Any, deps: Any) -> Any:
        """Free both."""
        both = (ctypes.c_void_p * 2)(pointers[0], self.own.pop(pointers[0])[0])
        self._lists.append(both)  # drivers read them when they come to it
        return super().free_after(queue, both, deps)


session.Api = ApartApi  # type: ignore[misc]
