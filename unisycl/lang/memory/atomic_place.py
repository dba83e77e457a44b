"""Which element of memory an ``atomic_ref`` is over, in kernels of the host device and outside.

Non-goals: the operations (``atomic``). Invariants: the steps are those kernels take
(``frontend.forms.atomic_places``); what is found is a number or a pointer in the memory itself.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.base import geometry
from unisycl.base.dtypes import SCALARS, find_dtype
from unisycl.base.errors import BoundsError, UsageError, errc
from unisycl.ir.nodes import NULL
from unisycl.lang.index.item import item
from unisycl.lang.memory.cell import NativeCell, PythonCell
from unisycl.lang.memory.pointer import multi_ptr
from unisycl.lang.memory.stored_pointers import address_of
from unisycl.lang.memory.views import HostView, is_pointer
from unisycl.lang.numbers.elements import elements_type
from unisycl.lang.numbers.swizzle import positions


class Element:
    """What an ``atomic_ref`` changes: how it is reached, its type, and whether it is a pointer."""

    __slots__ = ("cell", "dtype", "pointer")

    def __init__(self, cell: PythonCell | NativeCell, dtype: np.dtype[Any]) -> None:
        self.cell, self.dtype, self.pointer = cell, dtype, is_pointer(dtype)

    @property
    def step(self) -> int:
        """How many bytes a pointer moves to get to the next element."""
        return int(self.dtype.type.__kernel_pointer__().element().itemsize)


def find(view: Any, index: Any) -> Element:
    """Return the element that memory has at an index, or that a pointer points to."""
    parts = _parts(index)
    if view is None:
        raise BoundsError(errc.accessor, NULL)
    memory = getattr(type(view), "__atomic_memory__", None)
    if memory is not None:
        view = memory(view)
    if isinstance(view, multi_ptr):
        named = not parts or isinstance(parts[0], str)
        first, rest = (0, parts) if named else (operator.index(parts[0]), parts[1:])
        return _in_memory(view._view, (view._offset + first, *rest))
    elsewhere = getattr(view, "__host_instead__", "")
    if elsewhere:
        raise UsageError(errc.invalid, elsewhere)
    if isinstance(view, HostView):
        if getattr(view, "_single", False):  # a device_global that is no array
            one = _is_plain(view._data.dtype) and parts in ((), (0,))
            parts = (0,) if one else (0, *parts)
        return _in_memory(view, parts)
    return _outside(view, parts)


def _parts(index: Any) -> tuple[Any, ...]:
    """Return what follows one another in an index: integers and names of members."""
    if index is None:
        return ()
    if not isinstance(index, tuple | geometry.id | geometry.range | item):
        return (index,)
    out: list[Any] = []
    for part in index._at if isinstance(index, item) else index:
        out += _parts(part) if isinstance(part, geometry.id | geometry.range | item) else (part,)
    return tuple(out)


def _in_memory(view: HostView, parts: tuple[Any, ...]) -> Element:
    """Return an element of memory that a kernel sees."""
    data, numbers = _walk(view._data, view._name, parts)
    if data is not view._data:  # an index outside is told of the memory, as on devices
        view = view._part(data, view._name)
    made = getattr(view, "__atomic_cell__", None)
    cell = PythonCell(view, numbers, bits_of(data.dtype)) if made is None else made(numbers)
    return Element(cell, data.dtype)


def _outside(view: Any, parts: tuple[Any, ...]) -> Element:
    """Return an element of memory outside of kernels, or of an array in one."""
    if isinstance(view, np.generic) and not isinstance(view, np.void):
        raise UsageError(errc.invalid, "atomic_ref: Python has read this number, so where it is in "
                         "memory is not known outside of kernels; write atomic_ref(a, i)")
    if getattr(view, "dtype", None) is None:
        raise UsageError(errc.invalid, "atomic_ref needs memory and where in it, not "
                         f"{type(view).__name__}")
    native = getattr(view, "__atomic_words__", None)
    words = None if native is None else native()
    data = view.get_view() if hasattr(view, "get_view") else np.asarray(view)
    data, numbers = _walk(data, "the memory", parts)
    if words is not None:
        address = data[(*numbers, ...)].__array_interface__["data"][0]
        return Element(NativeCell(words, address, data.dtype, bits_of(data.dtype)), data.dtype)
    own: Any = _Pointers(data) if is_pointer(data.dtype) else data
    return Element(PythonCell(own, numbers, bits_of(data.dtype)), data.dtype)


def _walk(data: Any, name: str, parts: tuple[Any, ...]) -> tuple[Any, tuple[int, ...]]:
    """Return the array of the members that a path names, and the indices of one of them."""
    numbers: list[int] = []
    for part in parts:
        kind = getattr(data.dtype.type, "_type", None)
        whole = len(numbers) == data.ndim
        if whole and isinstance(kind, elements_type):
            data = data[data.dtype.names[_lane(kind, part)]]
        elif isinstance(part, str):
            if not whole or _is_plain(data.dtype) or part not in data.dtype.names:
                raise UsageError(errc.invalid, f"atomic_ref: '{name}' has no member '{part}' there")
            data, name = data[part], f"{name}.{part}"
        else:
            numbers.append(_number(name, part))
    if len(numbers) != data.ndim:
        raise BoundsError(errc.accessor, f"atomic_ref: '{name}' has {data.ndim} dimension(s), but "
                          f"{len(numbers)} index(es) are given")
    row = find_dtype(data.dtype)
    if not is_pointer(data.dtype) and not (row is not None and row.is_atomic):
        known = ", ".join(sorted(r.name for r in SCALARS if r.is_atomic))
        raise UsageError(errc.invalid, "atomic_ref: elements must be of "
                         f"{known}, or pointers; this is {data.dtype}")
    return data, tuple(numbers)


def _is_plain(dtype: np.dtype[Any]) -> bool:
    """Say whether elements are numbers or pointers, without parts."""
    return dtype.names is None or is_pointer(dtype)


def _number(name: str, part: Any) -> int:
    try:
        found: int = operator.index(part)
    except TypeError:
        raise UsageError(errc.invalid, f"atomic_ref: '{name}' is indexed by integers, not by "
                         f"{type(part).__name__} {part!r}") from None
    return found


def _lane(kind: elements_type, part: Any) -> int:
    """Return which element of a vec or marray a name or number denotes."""
    if isinstance(part, str):
        found = positions(part, kind.count) if kind.kind == "vec" else None
        if found is None or len(found) != 1:
            raise UsageError(errc.invalid, f"atomic_ref: '{part}' is no single element of "
                             f"{kind.__name__}")
        return found[0]
    k = _number(kind.__name__, part)
    if not 0 <= k < kind.count:
        raise UsageError(errc.invalid, f"element {k} of a {kind.__name__} does not exist: it has "
                         f"{kind.count}, counted from 0")
    return k


class _Pointers:
    """An array of pointers, whose elements are read as they are then."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __getitem__(self, index: Any) -> Any:
        return self._data[index].copy()

    def __setitem__(self, index: Any, address: int) -> None:
        self._data[index] = address


def bits_of(dtype: np.dtype[Any]) -> Callable[[Any], int]:
    """Return what makes a value the bits that a device compares and exchanges."""
    if is_pointer(dtype):
        return address_of
    word = np.dtype(f"u{dtype.itemsize}")
    return lambda value: int(np.asarray(value, dtype).view(word)[()])
