"""The memory a kernel indexes on the host device, and private arrays (SYCL 2020 §4.7.6, §4.7.7).

Non-goals: allocating anything but private arrays. Invariants: every index is checked; a store
converts as a device does (integers wrap, floats truncate) where NumPy would raise.
"""

from __future__ import annotations

import functools
import math
import operator
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from unisycl.base import geometry
from unisycl.base.dtypes import find_dtype
from unisycl.base.enums import access_mode, address_space
from unisycl.base.errors import BoundsError, UsageError, errc
from unisycl.lang.index.environment import here
from unisycl.lang.index.item import item
from unisycl.lang.index.place import inside, pick
from unisycl.lang.memory.reduced_views import ReducedView
from unisycl.lang.numbers.convert import convert
from unisycl.lang.numbers.elements import Count, Elements
from unisycl.lang.numbers.written import make

_INTEGERS = frozenset(np.dtype(code).type for code in "bBhHiIlLqQ")
"""The classes of NumPy's integers."""
_INDICES = _INTEGERS | {int}


class from_end(int):
    """An index that was written as one below zero, which counts from the end of memory then."""

    __slots__ = ()


def is_cut(index: Any) -> bool:
    """Say whether an index gives a part of memory: ``a[j:k]``, ``a[:, i]``."""
    kind = index.__class__
    return kind is slice or index is ... or (
        kind is tuple and any(x.__class__ is slice or x is ... for x in index))


class HostView(ReducedView):
    """A view of memory in a kernel on the host device: bounds-checked, row-major.

    Takes ints, tuples, ``id``, ``item``, and one index after another (``a[i][j]``). Attributes it
    has not are those of the user's own object (accessor, USM allocation, array).

    Args:
        data: the elements.
        name: what messages call it.
        mode: what the kernel may do with the elements.
        raw: the user's own object.
        records: classes of records, as the launch has them.
        space: the address space the memory is in.
    """

    _data: np.ndarray[tuple[int, ...], np.dtype[Any]]
    pointer_class: Any = None
    """What ``get_multi_ptr`` makes: what ``@pointers_of_views`` stands above."""

    __slots__ = ("_copied", "_copies", "_copyable", "_data", "_mode", "_name", "_raw", "_readable",
                 "_reads", "_space", "_writable", "_writes")

    def __init__(self, data: np.ndarray[Any, Any], name: str = "",
                 mode: access_mode = access_mode.read_write, raw: object = None,
                 records: dict[Any, Any] | None = None,
                 space: address_space = address_space.global_space) -> None:
        if data.dtype.names:
            data = data.view(in_place(data.dtype, records))
        self._data = data
        self._name = name
        self._mode = mode
        self._raw = raw
        self._space = space
        # What the one-dimensional fast paths ask: the extent, or 0 to go the general way.
        whole = len(data) if data.ndim == 1 else 0
        self._copies = issubclass(data.dtype.type, Elements) or is_pointer(data.dtype)
        self._reads = not self._copies and (mode.reads or bool(data.dtype.names))
        self._copied = data.dtype.type._type.copied if mode.reads and issubclass(
            data.dtype.type, Elements) else None
        self._writes = mode.writes
        self._readable = whole if self._reads else 0
        self._copyable = whole if self._copied is not None else 0
        self._writable = whole if mode.writes else 0

    def __getitem__(self, index: Any) -> Any:
        kind = index.__class__
        if kind is int or kind in _INTEGERS:
            at = index if kind is int else int(index)
            if 0 <= at < self._readable:
                return self._data[at]
            if self._copied is not None and 0 <= at < self._copyable:
                return self._copied(self._data[at])
        elif kind is item or kind is tuple:
            whole = index._at if kind is item else index
            if inside(whole, self._data.shape):
                if self._reads:
                    return self._data[whole]
                if self._copied is not None:
                    return self._copied(self._data[whole])
        if is_cut(index):
            return self._cut(index if kind is tuple else (index,))
        place = self._locate(index)
        if len(place) < self._data.ndim:
            where = "".join(f"[{p}]" for p in place)
            return self._part(self._data[place], f"{self._name}{where}")
        if self._reads:
            return self._data[place]
        if not self._mode.reads and (self._copies or not self._data.dtype.names):
            raise UsageError(errc.accessor, f"'{self._name}' is write-only here and cannot be "
                             "read; request read_write")
        return value_of(self._data[place]) if self._copies else self._data[place]

    def _place(self, index: Any) -> Any:
        """Return the vec at an index itself, so that assigning its elements writes the memory."""
        return self._data[self._locate(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        kind = index.__class__
        place: Any = index._at if kind is item else int(index) if kind in _INTEGERS else index
        if (place.__class__ is int and 0 <= place < self._writable) or (
                place.__class__ is tuple and self._writes and inside(place, self._data.shape)):
            pass
        elif is_cut(index):
            self[index]._fill(value)
            return
        else:
            place = self._locate(index)
            if not self._mode.writes:
                raise UsageError(errc.accessor, f"'{self._name}' is read-only here and cannot be "
                                 "written; request write or read_write")
            if len(place) < self._data.ndim:
                self[index]._fill(value)
                return
        if self._data.dtype.names:
            value = stored(value, self._data.dtype)
        try:
            self._data[place] = value
        except (OverflowError, ValueError, TypeError):
            if self._data.dtype.names:
                raise
            self._data[place] = convert(value, self._data.dtype)

    def _fill(self, value: Any) -> None:
        """Store the numbers of a tuple, or one number in all elements."""
        count = len(self)
        if isinstance(value, tuple | list | geometry.id | geometry.range | Elements):
            if len(value) != count:
                raise ValueError("could not broadcast input array from shape "
                                 f"({len(value)},) into shape ({count},)")
            for k, x in enumerate(value):
                self[k] = x
            return
        for k in range(count):
            self[k] = value

    def _cut(self, index: tuple[Any, ...]) -> HostView:
        """Return some elements, in place; unlike Python's a slice must lie inside."""
        shape = self._data.shape
        dots = [k for k, x in enumerate(index) if x is ...]
        if len(dots) == 1:
            (k,) = dots
            index = (*index[:k], *(slice(None),) * (len(shape) - len(index) + 1), *index[k + 1:])
        if len(index) > len(shape):
            raise BoundsError(errc.accessor, f"'{self._name}' has {len(shape)} dimension(s), "
                              f"the index {index!r} has {len(index)}")
        place: list[int | slice] = []
        for dimension, (part, extent) in enumerate(zip(index, shape, strict=False)):
            if part.__class__ is slice:
                place.append(self._bounded(part, extent))
                continue
            i = self._integer(part, extent)
            if not 0 <= i < extent:
                self._outside(index, dimension, i)
            place.append(i)
        where = ", ".join(f"{p.start}:{p.stop}" + f":{p.step}" * (p.step != 1)
                          if isinstance(p, slice) else str(p) for p in place)
        cut = tuple(slice(p.start, None if p.stop < 0 else p.stop, p.step)
                    if isinstance(p, slice) else p for p in place)
        return self._part(self._data[cut], f"{self._name}[{where}]")

    def _bounded(self, cut: slice, extent: int) -> slice:
        """Return a slice with both bounds, which lie inside; the end of one back to 0 is -1."""
        step = 1 if cut.step is None else operator.index(cut.step)
        low = (0 if step > 0 else extent - 1) if cut.start is None \
            else self._integer(cut.start, extent)
        high = (extent if step > 0 else -1) if cut.stop is None \
            else self._integer(cut.stop, extent)
        ends = range(extent + 1) if step > 0 else range(-1, extent)
        if low not in ends or high not in ends or (cut.stop is not None and high < 0):
            raise BoundsError(errc.accessor, f"the slice {low}:{high} is outside "
                              f"'{self._name}' (range {extent})")
        return slice(low, high, step)

    def _part(self, data: np.ndarray[Any, Any], name: str) -> HostView:
        """Return some of the elements, or all of them in another shape."""
        return HostView(data, name, self._mode, space=self._space)

    # USM memory is a pointer where kernels take it for one: to its first element.
    def __add__(self, count: Any) -> Any:
        return type(self).pointer_class(self) + count

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return type(self).pointer_class(self) - other

    def __rsub__(self, other: Any) -> Any:
        return other - type(self).pointer_class(self)

    def __eq__(self, other: object) -> Any:
        return self is other if isinstance(other, HostView) else \
            type(self).pointer_class(self) == other

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __address__(self) -> int:
        return int(self._data.__array_interface__["data"][0])

    @property
    def _local(self) -> bool:
        """Whether it is memory of a work-group, or of a work-item."""
        return self._space is not address_space.global_space

    def get_multi_ptr(self, form: Any = None) -> Any:
        """Return a pointer to the first element, of the buffer if ranged (§4.7.6.9.1)."""
        return type(self).pointer_class(self)

    get_pointer = get_multi_ptr

    def _locate(self, index: Any) -> tuple[int, ...]:
        """Return the index as checked ints: all dimensions, or one fewer and more of a chain."""
        shape = self._data.shape
        if index.__class__ is item and inside(index._at, shape):
            return index._at
        if isinstance(index, item):
            index = index._at
        if index.__class__ is tuple and _INDICES.issuperset(map(type, index)):
            whole = tuple(map(int, index))
            if inside(whole, shape):
                return whole
        if isinstance(index, tuple | geometry.id | geometry.range):
            place = tuple(map(self._integer, index, shape)) if len(index) <= len(shape) else \
                tuple(map(self._integer, index))
            rows = 0 < len(place) < len(shape)
            if not rows and len(place) not in (1, len(shape)):  # of one dimension: its integer
                raise BoundsError(errc.accessor, f"'{self._name}' has {len(shape)} dimension(s), "
                                  f"the index {index!r} has {len(place)}")
        else:
            place = (self._integer(index, *shape[:1]),)
            if not shape and place == (0,):
                return ()
        for dimension, (i, extent) in enumerate(zip(place, shape, strict=False)):
            if not 0 <= i < extent:
                self._outside(index, dimension, i)
        return place

    def _integer(self, index: Any, extent: int = 0) -> int:
        if index.__class__ is from_end:
            return int(index) + (extent if index < 0 else 0)
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

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def get_range(self, dimension: int | None = None) -> geometry.range | int:
        """Return the extents, or one of them (SYCL 2020 §4.7.6)."""
        shape = self._data.shape
        if dimension is None:
            return geometry.range._make(shape)
        return pick(shape, dimension, f"'{self._name}'.get_range")

    @property
    def size(self) -> Count:
        """The number of elements: SYCL calls it (§4.7.6), NumPy reads it, both may."""
        return Count(self._data.size)

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
        if self._data.ndim == 1 and not name.startswith("_") and self._data.dtype.names and (
                name in self._data.dtype.names or (name not in _OF_VOID
                and hasattr(self._data.dtype.type, name))):
            return getattr(self[0], name)  # of the record it points to
        if raw is None:
            raise AttributeError(f"memory in a kernel has no attribute '{name}'")
        return getattr(raw, name)

    def __repr__(self) -> str:
        return f"<{self._name or 'memory'} {self._mode.value} {self._data!r}>"


_Class = TypeVar("_Class")
_OF_VOID = frozenset(dir(np.void))
_BLOCKS = (np.void, np.ndarray)


class Record(np.void):  # type: ignore[misc]  # final for type checkers only
    """One record: ``r.x`` and ``r["x"]`` are its members."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name in (self.dtype.names or ()):
            return self[name]
        raise AttributeError(f"a record of {', '.join(self.dtype.names or ())} has no member "
                             f"'{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in (self.dtype.names or ()):
            if isinstance(getattr(type(self), name, None), property):
                object.__setattr__(self, name, value)
                return
            raise AttributeError(f"a record of {', '.join(self.dtype.names or ())} has no member "
                                 f"'{name}'")
        self[name] = value

    def __getitem__(self, name: Any) -> Any:
        found = np.void.__getitem__(self, name)
        if here.watch is not None:
            found = here.watch.member(self, name, found, writes=False)
        if not isinstance(found, _BLOCKS):
            return found
        if isinstance(found, Elements) and _launch.running:
            return value_of(found)
        found = _in_place(found)
        if _launch.running:  # elsewhere it is a view, as all that NumPy's records give
            found = value_of(found)
        structured = isinstance(found, np.ndarray) and found.dtype.names
        return HostView(found, str(name)) if structured else found

    def __setitem__(self, name: Any, value: Any) -> None:
        kind = self.dtype.fields[name][0]  # type: ignore[index]
        if here.watch is not None:
            here.watch.member(self, name, np.void.__getitem__(self, name), writes=True)
        np.void.__setitem__(self, name, stored(value, kind))


def member(record: Any, name: Any) -> Any:
    """Return a member in place: a view of the record's memory unless it is a number."""
    return _in_place(np.void.__getitem__(record, name))


def _in_place(found: Any) -> Any:
    if isinstance(found, Elements):
        return found
    kind = in_place(found.dtype) if isinstance(found, np.void) else None
    return found if kind is None or kind.type is type(found) else found.view(kind)


@functools.cache
def _record_class(layout: np.dtype[Any]) -> type[Record]:
    """Return the class of records of a layout, whose members hide attributes of NumPy's scalars."""
    hidden = [k for k in layout.names or () if k != "dtype" and not k.startswith("__")]
    return type("Record", (Record,), {"__slots__": (), **{k: field(k) for k in hidden}})


def field(name: str) -> property:
    """Return a property that is a member of a record, for a class with an attribute so called.

    All records of the class are laid out alike: what the first one says holds for the others.
    """
    kind: Any = None
    take: Any = None
    copied: Any = None
    offset = 0

    def get(self: Any) -> Any:
        nonlocal kind, take, copied, offset
        if take is None or not here.plain:
            if kind is None:
                kind, offset = self.dtype.fields[name][:2]
                if issubclass(kind.type, Elements):
                    take = copied = kind.type._type.copied
                elif kind.kind in "biuf":
                    take = struct.Struct(f"{kind.itemsize}s").unpack_from
            return _member(self, name)
        # Numbers and vectors are copied at once.
        return copied(self, offset) if copied is not None else make(kind, take(self, offset)[0])

    def put(self: Any, value: Any) -> None:
        self[name] = value
    return property(get, put)


_member = Record.__getitem__


def in_place(dtype: np.dtype[Any], records: dict[Any, Any] | None = None) -> np.dtype[Any]:
    """Return a structured type whose scalars are records; types with scalars of their own stay."""
    if dtype.names and dtype.type in (np.void, np.record):
        return np.dtype((_record_class(dtype), dtype))
    own = (_launch.records if records is None else records).get(dtype.type)
    return dtype if own is None else np.dtype((own, dtype))


class _Launch(threading.local):
    """The classes of records as the launch in this thread has them, if there is one."""

    def __init__(self) -> None:
        self.records: dict[Any, Any] = {}
        self.running = False
        self.allocations: Any = ()


_launch = _Launch()


def in_launch() -> bool:
    """Say whether this thread runs a kernel of the host device."""
    return _launch.running


def allocations() -> Any:
    """Return where the allocations of the launch in this thread begin and end, in turn."""
    return _launch.allocations


@contextmanager
def records_of(records: dict[Any, Any], known: Any = ()) -> Iterator[None]:
    """Let memory have these classes of records in the block (the host device says so).

    ``known``: the bounds of the allocations that pointers in memory may point into.
    """
    before = _launch.records, _launch.running, _launch.allocations
    _launch.records, _launch.running, _launch.allocations = records, True, known
    try:
        yield
    finally:
        _launch.records, _launch.running, _launch.allocations = before


def value_of(found: Any) -> Any:
    """Return what reading a place gives: a copy of a vec, anything else as it is."""
    if isinstance(found, Elements):
        return found._type.copied(found)
    read = getattr(found, "__kernel_read__", None)
    return found if read is None else read()


def is_pointer(dtype: np.dtype[Any]) -> bool:
    """Say whether elements of a type are pointers."""
    return hasattr(dtype.type, "__kernel_pointer__")


def stored(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return what NumPy can store as an element of a type: ``plain``, and None as no address."""
    return 0 if value is None and is_pointer(dtype) else plain(value)


def storable(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return what NumPy can store in an array: tuples for dataclasses, addresses for pointers."""
    if isinstance(value, list):
        return [storable(x, dtype) for x in value]
    if is_pointer(dtype) and not isinstance(value, np.ndarray):
        return stored(value, dtype)
    return plain(value) if hasattr(type(value), "__dataclass_fields__") else value


def plain(value: Any) -> Any:
    """Return what NumPy can store: of a swizzle the vec it is equal to, of a dataclass a tuple.

    Of what points somewhere it is the address, of memory that of its first element.
    """
    own = getattr(type(value), "_type", None)
    if own is not None and isinstance(value, np.generic):
        return value
    if own is None and hasattr(type(value), "__dataclass_fields__"):
        fields = (getattr(value, name) for name in type(value).__dataclass_fields__)
        return tuple(0 if v is None else plain(v) for v in fields)
    address = getattr(value, "__address__", None)
    if address is not None:
        return address()
    if own is None or isinstance(value, np.generic):
        return value
    return value._type._of(value._get())


def place(owner: Any, key: Any, attribute: bool) -> Any:
    """Return a vec in memory itself, where an element of it is assigned through its container."""
    if isinstance(owner, HostView) or hasattr(type(owner), "_place"):
        return owner._place(key)
    if isinstance(owner, Record):
        return member(owner, key)
    return getattr(owner, key) if attribute else owner[key]


def scratch(dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return memory whose content shows that it is unwritten."""
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
    flat = scratch(kind, (math.prod(extents),)).reshape(extents)
    return own_memory(flat, "private array")


def own_memory(data: np.ndarray[Any, Any], name: str) -> HostView:
    """Return memory of work-items of their own; reads before writes are told where asked for."""
    if here.watch is not None:
        return here.watch.private(data, name)  # type: ignore[no-any-return]
    return HostView(data, name, space=address_space.private_space)


def pointers_of_views(cls: type[_Class]) -> type[_Class]:
    """Decorate the one class of pointers into views, which views make."""
    HostView.pointer_class = cls
    return cls
