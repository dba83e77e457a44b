"""The arguments of a launch as the driver takes them: one block of bytes, and where each begins.

What each is taken from is found out once for a kernel. Non-goals: which arguments there are
(``cfamily.kernel``). Invariants: an argument begins at a multiple of 16 bytes; the driver has taken
all of them when the call returns.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.backends.base import Launch
from unisycl.backends.cfamily.printer import Argument
from unisycl.backends.cuda.memory.arrays import DeviceArray, address_of
from unisycl.backends.device.scratch import Call
from unisycl.ir.nodes import Kernel
from unisycl.ir.types import View

Getter = Callable[[Launch, Call], Any]
_LOCAL_ALIGNMENT = 16


def _address(memory: Any) -> int:
    """Return where memory of our own begins."""
    found: int = memory.address if type(memory) is DeviceArray else memory.ctypes.data
    return found


def _last(launch: Launch, dim: int) -> int:
    """Return the end of the ids in a dimension."""
    geometry = launch.geometry
    return geometry.global_[dim] + (geometry.offset[dim] if geometry.offset else 0)


def _bytes_of(value: Any) -> bytes:
    return np.asarray(value).tobytes()


class Signature:
    """How a kernel of C is called.

    Args:
        kernel: what it was printed from.
        arguments: those of the text, in order.
        before: the bytes of a group's dynamic memory that the text has for itself.
    """

    def __init__(self, kernel: Kernel, arguments: tuple[Argument, ...], before: int = 0) -> None:
        self._kernel = kernel
        self._before = -(-before // _LOCAL_ALIGNMENT) * _LOCAL_ALIGNMENT
        self.locals = tuple(a.number for a in arguments if a.kind == "local")
        rows = [self._row(a) for a in arguments]
        self._getters = tuple(get for get, _ in rows)
        codes = [code for _, code in rows]
        self.offsets: list[int] = []
        at = 0
        self._format = "<"
        for code in codes:
            size = struct.calcsize("<" + code)
            self.offsets.append(at)
            padding = -size % 16
            self._format += code + f"{padding}x" * (padding > 0)
            at += size + padding
        self._size = max(16, at)

    def _row(self, a: Argument) -> tuple[Getter, str]:
        """Return what gives an argument, and its code in ``struct``."""
        i, d = a.number, a.dim
        kernel = self._kernel
        rows: dict[str, tuple[Getter, str]] = {
            "view": (lambda x, c: address_of(x.values[i]), "Q"),
            "extent": (lambda x, c: x.values[i].shape[d], "q"),
            "pitch": (lambda x, c: x.values[i].pitches[d], "q"),
            "small extent": (lambda x, c: x.values[i].shape[d], "i"),
            "small pitch": (lambda x, c: x.values[i].pitches[d], "i"),
            "local": (lambda x, c: self._places(x)[i], "I"),
            "last": (lambda x, c: _last(x, d), "q"),
            "range": (lambda x, c: x.geometry.global_[d], "q"),
            "groups": (lambda x, c: x.geometry.global_[d] // kernel.local[d], "q"),
            "start": (lambda x, c: (x.geometry.offset or (0,) * kernel.ndim)[d], "q"),
            "count": (lambda x, c: c.count or math.prod(x.geometry.global_), "q"),
            "partials": (lambda x, c: _address(c.partials[i][0]), "Q"),
            "flags": (lambda x, c: _address(c.partials[i][1]), "Q"),
            "counter": (lambda x, c: _address(c.counter), "Q"),
            "target": (lambda x, c: address_of(x.reductions[i][0]), "Q"),
            "keep": (lambda x, c: int(not x.reductions[i][1]), "i"),
            "report": (lambda x, c: _address(c.report), "Q"),
        }
        if a.kind in ("scalar", "record"):
            size = kernel.params[i].type.size  # type: ignore[union-attr]
            return lambda x, c: _bytes_of(x.values[i]), f"{size}s"
        return rows[a.kind]

    def _places(self, launch: Launch) -> dict[int, int]:
        return self.layout(launch)[0]

    def layout(self, launch: Launch) -> tuple[dict[int, int], int]:
        """Return where in a group's dynamic memory each local accessor begins, and its size."""
        places, at = {}, self._before
        for i in self.locals:
            kind = self._kernel.params[i].type
            assert isinstance(kind, View)
            places[i] = at
            size = max(1, math.prod(launch.values[i].shape)) * kind.elem.size
            at += -(-size // _LOCAL_ALIGNMENT) * _LOCAL_ALIGNMENT
        return places, at

    def pack(self, launch: Launch, call: Call) -> Pack:
        """Return the arguments of a launch."""
        return Pack(self.raw(launch, call), self.offsets, self._size)

    def raw(self, launch: Launch, call: Call) -> bytes:
        """Return the bytes of a launch's arguments, which begin at ``offsets``."""
        return struct.pack(self._format, *[get(launch, call) for get in self._getters])


class Pack:
    """The arguments of one launch; ``pointers`` is what the driver is given."""

    __slots__ = ("_block", "pointers")

    def __init__(self, raw: bytes, offsets: list[int], size: int) -> None:
        self._block = (ctypes.c_char * (size + 16)).from_buffer(bytearray(size + 16))
        start = ctypes.addressof(self._block)
        shift = -start % 16
        ctypes.memmove(start + shift, raw, len(raw))
        self.pointers = (ctypes.c_void_p * max(1, len(offsets)))(
            *[start + shift + at for at in offsets])
