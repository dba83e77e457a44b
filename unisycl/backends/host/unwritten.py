"""Reads of private memory that the work-item has not written, on the host device.

Fresh memory is filled with what programs hardly write, and of each private array it is known what
was written since: of records by the byte, of other elements whole. Non-goals: local and global
memory (``races``). Invariant: what is told has both no write and its first content.
"""

from __future__ import annotations

import sys
import weakref
from bisect import bisect_right, insort
from pathlib import Path
from typing import Any

import numpy as np

from unisycl.base.enums import address_space
from unisycl.base.errors import DeviceError, errc
from unisycl.lang.memory.views import HostView, ends_in_slice, poison
from unisycl.lang.numbers.elements import Elements

WHAT = "which nobody has written: fresh memory has no initial value; write it first, on every path"
_PACKAGE = str(Path(__file__).parents[2])
_FILLING = bytes([0xA5])  # as ``poison`` fills records


def line() -> str:
    """Return the line of the user's that is running."""
    frame: Any = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def address_of(value: Any) -> int:
    """Return where a record or a vector lies."""
    return int(np.frombuffer(value, np.uint8).__array_interface__["data"][0])


def is_fresh(data: Any, place: tuple[int, ...]) -> bool:
    """Say whether an element still has what fresh local or private memory is filled with."""
    unwritten = np.empty(1, data.dtype)
    poison(unwritten)
    return bool(data[place].tobytes() == unwritten.tobytes())


def filled(value: Any) -> bool:
    """Say whether a number in a record still has what fresh records are filled with."""
    return bool(value.tobytes() == _FILLING * value.dtype.itemsize)


class PrivateView(HostView):
    """An array of a work-item's own that knows which of its elements were written."""

    __slots__ = ("__weakref__", "_at", "_low", "_there")

    def __init__(self, data: np.ndarray[Any, Any], name: str = "private array") -> None:
        super().__init__(data, name, space=address_space.private_space)
        records = bool(data.dtype.names) and not self._copies
        self._there = np.zeros(data.nbytes if records else data.shape, np.bool_)
        self._low = data.__array_interface__["data"][0] if records else 0
        self._at = line()

    def _tell(self, where: str) -> None:
        raise DeviceError(errc.kernel, f"this work-item reads {where}, made at {self._at}, {WHAT}")

    def __getitem__(self, index: Any) -> Any:
        if not self._low and not ends_in_slice(index):
            place = self._locate(index)
            if len(place) == self._data.ndim and not self._there[place] and is_fresh(
                    self._data, place):
                self._tell(f"private array[{', '.join(map(str, place))}]")
        return super().__getitem__(index)

    def _elements(self) -> np.ndarray[Any, Any]:
        for place in np.ndindex(self._data.shape):
            self[place]  # is told if nobody has written it
        return super()._elements()

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        if ends_in_slice(index):
            return
        if self._low:
            self.write(address_of(self._data[self._locate(index)]), self._data.itemsize)
        else:
            self._there[self._locate(index)] = True

    # ---- records
    def write(self, address: int, size: int) -> None:
        """Take note that bytes of a record are written."""
        self._there[address - self._low:address - self._low + size] = True

    def member(self, record: Any, name: Any, found: Any, *, writes: bool) -> Any:
        """Take note of an access to a member; return it, watched itself if it is an array."""
        kind, offset = record.dtype.fields[name][:2]
        address = address_of(record) + offset
        if writes:
            self.write(address, kind.itemsize)
            return found
        at = (address - self._low) // self._data.itemsize
        called = f"private array[{', '.join(map(str, np.unravel_index(at, self.shape)))}].{name}"
        if isinstance(found, np.ndarray) and found.dtype.names is None:
            found = found.view(WatchedArray)
            found.watch = self, self, called
        elif isinstance(found, np.generic) and not (
                isinstance(found, np.void) and not isinstance(found, Elements)):
            self._read(address, called, found)
        return found

    def number(self, array: WatchedArray, index: Any, *, writes: bool) -> None:
        """Take note of an access to an element of an array member."""
        place = index if isinstance(index, tuple) else (index,)
        if len(place) != array.ndim or any(isinstance(x, slice) for x in place):
            return
        found = np.ndarray.__getitem__(array, (*place, ...))
        if writes:
            self.write(found.ctypes.data, array.itemsize)
        elif array.watch is not None:
            self._read(found.ctypes.data, f"{array.watch[2]}[{', '.join(map(str, place))}]", found)

    def _read(self, address: int, called: str, value: Any) -> None:
        first = address - self._low
        if filled(value) and not self._there[first:first + value.dtype.itemsize].any():
            self._tell(called)


class WatchedArray(np.ndarray[Any, Any]):
    """An array member of a record in watched memory; ``watch``: who is told, whose, its name."""

    watch: tuple[Any, Any, str] | None = None

    def __getitem__(self, index: Any) -> Any:
        if self.watch is not None:
            self.watch[0].number(self, index, writes=False)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.watch is not None:
            self.watch[0].number(self, index, writes=True)
        super().__setitem__(index, value)

    def __atomic_memory__(self) -> Any:
        """Return what ``atomic_ref`` finds an element in."""
        plain = np.asarray(self)
        watched = getattr(self.watch[1], "_with_watch", None) if self.watch is not None else None
        if self.watch is None or watched is None:
            return plain
        _, view, name = self.watch
        return watched(HostView(plain, name, view._mode, view._raw, space=view._space))


class Own:
    """The private arrays of records that work-items have, found by addresses in them."""

    def __init__(self) -> None:
        self._known: list[tuple[int, int, weakref.ref[PrivateView]]] = []

    def view(self, data: np.ndarray[Any, Any]) -> PrivateView:
        """Return a work-item's own array, whose reads before writes are reported."""
        made = PrivateView(data)
        if made._low:
            where = (made._low, made._low + data.nbytes, weakref.ref(made, self._gone))
            insort(self._known, where, key=lambda known: known[0])
        return made

    def _gone(self, of: weakref.ref[PrivateView]) -> None:
        self._known = [known for known in self._known if known[2] is not of]

    def find(self, address: int) -> PrivateView | None:
        """Return the array that an address lies in."""
        k = bisect_right(self._known, address, key=lambda known: known[0]) - 1
        if k >= 0 and address < self._known[k][1]:
            return self._known[k][2]()
        return None
