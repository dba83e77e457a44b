"""Machine code in memory: copied in, addresses filled in, then made executable and read-only.

Non-goals: making code (``jit``) and keeping it on disk. Invariant: no page is ever writable and
executable at once; code stays as long as its ``Code`` lives.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import mmap
import struct

from unisycl.backends.cpu.compile.elf import Image
from unisycl.base.errors import InternalError, errc

_READ, _EXEC = 1, 4


@functools.cache
def _libraries() -> tuple[ctypes.CDLL, ...]:
    """Return where symbols outside the code are looked for: the process, then its mathematics."""
    found = [ctypes.CDLL(None)]
    with contextlib.suppress(OSError):  # where mathematics is part of the C library
        found.append(ctypes.CDLL("libm.so.6"))
    return tuple(found)


_provided: dict[str, int] = {}


def provide(name: str, address: int) -> None:
    """Let code loaded from now on find memory of ours by a name."""
    _provided[name] = address


def symbol_address(name: str) -> int:
    """Return the address of a function of the C or mathematics library, or of what we provide."""
    if name in _provided:
        return _provided[name]
    for library in _libraries():
        try:
            address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        except AttributeError:
            continue
        if address:
            return address
    raise InternalError(errc.build, f"compiled code needs '{name}', which no library here has")


class Code:
    """A linked block in executable memory: ``addresses`` of its functions, its ``span``."""

    __slots__ = ("_map", "addresses", "span")

    def __init__(self, image: Image) -> None:
        size = -(-max(1, len(image.code)) // mmap.PAGESIZE) * mmap.PAGESIZE
        self._map = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
                              mmap.PROT_READ | mmap.PROT_WRITE)
        self._map[:len(image.code)] = image.code
        for name, slot in image.externals.items():
            struct.pack_into("<Q", self._map, slot, symbol_address(name))
        cell = ctypes.c_char.from_buffer(self._map)
        base = ctypes.addressof(cell)
        self.span = base, base + size
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        if protect(ctypes.c_void_p(base), ctypes.c_size_t(size), _READ | _EXEC) != 0:
            raise InternalError(errc.build, "the system refuses executable memory "
                                f"(errno {ctypes.get_errno()}); the native CPU cannot work here")
        self.addresses = {name: base + at for name, at in image.symbols.items()}
