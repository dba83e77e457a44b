"""The memory a kernel indexes on the host device, and private arrays (SYCL 2020 §4.7.6, §4.7.7).

Non-goals: allocating anything but private arrays. Invariants: every index is checked; a store
converts as a device does (integers wrap, floats truncate) where NumPy would raise.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.base import geometry
from unisycl.base.dtypes import find_dtype
from unisycl.base.enums import access_mode
from unisycl.base.errors import BoundsError, UsageError, errc
from unisycl.lang.convert import convert
from unisycl.lang.place import pick
from unisycl.lang.range_item import item


class _Count(int):
    """An int that gives itself when it is called."""

    def __call__(self) -> int:
        return int(self)


class HostView:
    """A view of memory in a kernel on the host device: bounds-checked, row-major.

    Takes ints, tuples, ``id``, ``item``, and one index after another (``a[i][j]``). Attributes it
    has not are those of the user's own object (accessor, USM allocation, array).

    Args:
        data: the elements.
        name: what messages call it.
        mode: what the kernel may do with the elements.
        raw: the user's own object.
    """

    _data: np.ndarray[tuple[int, ...], np.dtype[Any]]

    __slots__ = ("_data", "_mode", "_name", "_raw", "_readable", "_writable")

    def __init__(self, data: np.ndarray[Any, Any], name: str = "",
                 mode: access_mode = access_mode.read_write, raw: object = None) -> None:
        if data.dtype.names and data.dtype.type is np.void:
            data = data.view(np.dtype((np.record, data.dtype)))
        self._data = data
        self._name = name
        self._mode = mode
        self._raw = raw
        # What the one-dimensional fast paths ask: the extent, or 0 to go the general way.
        whole = len(data) if data.ndim == 1 else 0
        self._readable = whole if mode.reads or data.dtype.names else 0
        self._writable = whole if mode.writes else 0

    def __getitem__(self, index: Any) -> Any:
        if index.__class__ is int and 0 <= index < self._readable:
            return self._data[index]
        place = self._locate(index)
        if len(place) < self._data.ndim:
            where = "".join(f"[{p}]" for p in place)
            return HostView(self._data[place], f"{self._name}{where}", self._mode)
        if not self._mode.reads and not self._data.dtype.names:
            raise UsageError(errc.accessor, f"'{self._name}' is write-only here and cannot be "
                             "read; request read_write")
        return self._data[place]

    def __setitem__(self, index: Any, value: Any) -> None:
        if index.__class__ is int and 0 <= index < self._writable:
            place: Any = index
        else:
            place = self._locate(index)
            if not self._mode.writes:
                raise UsageError(errc.accessor, f"'{self._name}' is read-only here and cannot be "
                                 "written; request write or read_write")
            if len(place) < self._data.ndim:
                raise BoundsError(errc.accessor, f"'{self._name}' has {self._data.ndim} dimensions;"
                                  f" {len(place)} given where a store needs all")
        try:
            self._data[place] = value
        except (OverflowError, ValueError, TypeError):
            if self._data.dtype.names:
                raise
            self._data[place] = convert(value, self._data.dtype)

    def _locate(self, index: Any) -> tuple[int, ...]:
        """Return the index as checked ints: all dimensions, or one fewer and more of a chain."""
        shape = self._data.shape
        if isinstance(index, item):
            index = index._at
        if isinstance(index, tuple | geometry.id | geometry.range):
            place = tuple(self._integer(i) for i in index)
            if len(place) != len(shape):
                raise BoundsError(errc.accessor, f"'{self._name}' has {len(shape)} dimension(s), "
                                  f"the index {index!r} has {len(place)}")
        else:
            place = (self._integer(index),)
            if not shape and place == (0,):
                return ()
        for dimension, (i, extent) in enumerate(zip(place, shape, strict=False)):
            if not 0 <= i < extent:
                self._outside(index, dimension, i)
        return place

    def _integer(self, index: Any) -> int:
        try:
            value: int = operator.index(index)
        except TypeError:
            raise UsageError(errc.invalid, f"'{self._name}' is indexed by integers, not by "
                             f"{type(index).__name__} {index!r}") from None
        return value

    def _outside(self, index: Any, dimension: int, value: int) -> None:
        shape = self._data.shape
        extent = f"range {', '.join(map(str, shape))}"
        which = f" in dimension {dimension}" if len(shape) > 1 else ""
        valid = f"valid is 0 to {shape[dimension] - 1}" if shape[dimension] else "it is empty"
        raise BoundsError(errc.accessor, f"index {value}{which} is outside '{self._name}' "
                          f"({extent}): {valid}")

    def __len__(self) -> int:
        if not self._data.shape:
            raise TypeError(f"'{self._name}' has no dimensions")
        return self._data.shape[0]

    def get_range(self, dimension: int | None = None) -> geometry.range | int:
        """Return the extents, or one of them (SYCL 2020 §4.7.6)."""
        shape = self._data.shape
        if dimension is None:
            return geometry.range._make(shape)
        return pick(shape, dimension, f"'{self._name}'.get_range")

    @property
    def size(self) -> _Count:
        """The number of elements: SYCL calls it (§4.7.6), NumPy reads it, both may."""
        return _Count(self._data.size)

    get_count = size

    def byte_size(self) -> int:
        """Return the number of bytes the elements take."""
        return self._data.size * self._data.itemsize

    get_size = byte_size

    def empty(self) -> bool:
        """Say whether there are no elements."""
        return self._data.size == 0

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        return self._data.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return self._data.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._data.ndim

    def __getattr__(self, name: str) -> Any:
        # Reached only for what the class lacks; __slots__ not yet set must not recurse.
        raw = None if name.startswith("_") else self._raw
        if raw is None:
            raise AttributeError(f"memory in a kernel has no attribute '{name}'")
        return getattr(raw, name)

    def __repr__(self) -> str:
        return f"<{self._name or 'memory'} {self._mode.value} {self._data!r}>"


def scratch(dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return memory whose content shows that nobody wrote it."""
    data = np.empty(shape, dtype)
    poison(data)
    return data


def poison(data: np.ndarray[Any, Any]) -> None:
    """Overwrite memory with NaN or a large pattern, so that reads before writes are noticed."""
    if data.dtype.kind == "f":
        data.fill(np.nan)
    elif data.dtype.kind == "b":
        data.fill(True)
    elif data.size:
        data.view(np.uint8).fill(0xA5)


def private_array(dtype: npt.DTypeLike, shape: int | tuple[int, ...]) -> HostView:
    """Return an array of the calling work-item's own (SYCL 2020 §4.7.7, private memory).

    Args:
        dtype: the element type.
        shape: the extents, constants known when the kernel is compiled.

    Its elements have no particular value before they are written.
    """
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    kind = np.dtype(dtype)
    if not 1 <= len(extents) <= 3 or min(map(operator.index, extents)) < 1:
        raise UsageError(errc.invalid, f"private_array: expected 1 to 3 positive extents, got "
                         f"{shape!r}")
    if find_dtype(kind) is None and not kind.names:
        raise UsageError(errc.invalid, f"private_array: kernels have no scalar type {kind}")
    flat = scratch(kind, (math.prod(extents),))
    return HostView(flat.reshape(extents), "private array")
