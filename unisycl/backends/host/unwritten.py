"""Reads of private memory that the work-item has not written, on the host device.

Fresh memory is filled with what programs hardly write, and of each private array it is known which
bytes were written since, also through parts of it. Non-goals: local and global
memory (``races``). Invariant: what is told has both no write and its first content.
"""

from __future__ import annotations

import ctypes
import sys
import weakref
from bisect import bisect_right, insort
from pathlib import Path
from typing import Any

import numpy as np

from unisycl.base.enums import address_space
from unisycl.base.errors import DeviceError, errc
from unisycl.lang.memory.views import HostView, is_cut, poison
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


def is_filled(address: int, size: int) -> bool:
    """Say whether a number of a record or vector has what fresh ones are filled with."""
    return ctypes.string_at(address, size) == _FILLING * size


class PrivateView(HostView):
    """An array of a work-item's own that knows which of its bytes were written.

    ``_root`` is the array that it is a part of, or itself.
    """

    __slots__ = ("__weakref__", "_at", "_low", "_root", "_there")
    _at: str
    _low: int
    _there: np.ndarray[Any, Any]

    def __init__(self, data: np.ndarray[Any, Any], name: str,
                 root: PrivateView | None = None) -> None:
        super().__init__(data, name, space=address_space.private_space)
        self._root = root
        self._low = _begin(data) if root is None else root._low
        self._there = np.zeros(data.nbytes, np.bool_) if root is None else root._there
        self._at = line() if root is None else root._at

    def _part(self, data: np.ndarray[Any, Any], name: str) -> HostView:
        return PrivateView(data, name, self._root or self)

    def _address(self, place: tuple[int, ...]) -> int:
        return _begin(self._data) + sum(
            i * s for i, s in zip(place, self._data.strides, strict=True))

    def __getitem__(self, index: Any) -> Any:
        if not is_cut(index):
            place = self._locate(index)
            if len(place) == self._data.ndim:
                self._look(place)
        return super().__getitem__(index)

    def _elements(self) -> np.ndarray[Any, Any]:
        for place in np.ndindex(self._data.shape):
            self._look(place)
        return super()._elements()

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        place = () if is_cut(index) else self._locate(index)
        if len(place) == self._data.ndim:
            self.write(self._address(place), self._data.itemsize)

    def write(self, address: int, size: int) -> None:
        """Take note that bytes are written."""
        self._there[address - self._low:address - self._low + size] = True

    def _look(self, place: tuple[int, ...]) -> None:
        """Tell of an element that is read and was not written; members tell by themselves."""
        data, address = self._data, self._address(place)
        if self._copies and data.dtype.names:
            own = data.dtype.type._type
            for k in range(own.count):
                self.look(address + k * own.element.itemsize, own.element.itemsize, data.dtype)
        elif not data.dtype.names and is_fresh(data, place):
            self.look(address, data.itemsize, data.dtype, fresh=True)

    def look(self, address: int, size: int, within: np.dtype[Any], member: str = "", *,
             fresh: bool = False) -> None:
        """Tell of a number that is read and was not written.

        Args:
            address: where it is.
            size: how many bytes it has.
            within: the vector it may be an element of.
            member: what of the record it is, where that is known.
            fresh: whether it is known to have its first content.
        """
        first = address - self._low
        if self._there[first:first + size].any() or not (fresh or is_filled(address, size)):
            return
        root = self._root or self
        at, inside = divmod(first, max(1, root._data.itemsize))
        if not member and issubclass(within.type, Elements) and root._data.dtype == within:
            member = f".{(within.names or ())[inside // within.type._type.element.itemsize]}"
        place = np.unravel_index(at, root._data.shape)
        raise DeviceError(errc.kernel, f"this work-item reads {root._name}["
                          f"{', '.join(map(str, place))}]{member}, made at {self._at}, {WHAT}")

    # ---- records
    def member(self, record: Any, name: Any, found: Any, *, writes: bool) -> Any:
        """Take note of an access to a member; return it, watched itself if it is an array."""
        kind, offset = record.dtype.fields[name][:2]
        address = address_of(record) + offset
        if writes:
            self.write(address, kind.itemsize)
        elif isinstance(found, np.ndarray):
            if found.dtype.names is not None:
                return self._part(found, f"{self._name}.{name}")
            found = found.view(WatchedArray)
            found.watch = self, self, f".{name}"
        elif isinstance(found, Elements):
            for k in range(found._type.count):
                size = found._type.element.itemsize
                self.look(address + k * size, size, kind, f".{name}")
        elif isinstance(found, np.generic) and not isinstance(found, np.void):
            self.look(address, kind.itemsize, kind, f".{name}")
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
            self.look(found.ctypes.data, array.itemsize, array.dtype,
                      f"{array.watch[2]}[{', '.join(map(str, place))}]")


def _begin(data: np.ndarray[Any, Any]) -> int:
    return int(data.__array_interface__["data"][0])


class WatchedArray(np.ndarray[Any, Any]):
    """An array member of a record in watched memory; ``watch``: who is told, whose it is."""

    watch: tuple[Any, ...] | None = None

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
        return plain if self.watch is None else self.watch[1]._part(plain, "a member")


class Own:
    """The private arrays of records and vectors of work-items, found by addresses in them."""

    def __init__(self) -> None:
        self._known: list[tuple[int, int, weakref.ref[PrivateView]]] = []

    def view(self, data: np.ndarray[Any, Any], name: str) -> PrivateView:
        """Return a work-item's own array, whose reads before writes are reported."""
        made = PrivateView(data, name)
        if data.dtype.names:
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
