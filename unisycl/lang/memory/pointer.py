"""``multi_ptr`` and casts of address spaces (SYCL 2020 §4.7.7), in kernels and on the host.

Non-goals: raw addresses. Invariants: a pointer stays inside the memory it was made from, where
every access is checked; what is assigned through it is converted as everywhere.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from unisycl.base.enums import address_space, decorated
from unisycl.base.errors import UsageError, errc
from unisycl.lang.memory.stored_pointers import pointer_to
from unisycl.lang.memory.views import HostView, in_launch, pointers_of_views

_GENERIC = address_space.generic_space
_NAMED = {address_space.global_space, address_space.local_space, address_space.private_space}
_ALSO_GLOBAL = {address_space.constant_space: address_space.global_space}


def named_space(space: address_space) -> address_space:
    """Return the space memory of a space lies in: constant memory is global (§4.7.7.2)."""
    return _ALSO_GLOBAL.get(space, space)


@pointers_of_views
class multi_ptr:
    """A pointer into memory of a kernel (SYCL 2020 §4.7.7.1).

    Args:
        source: an accessor, local memory, USM, an array, a private array, or another pointer; of
            several dimensions it is taken as the elements one after another.
        space: the address space it is declared to point to; left out: that of the source.
        form: whether the pointer is decorated; no difference in Python.

    ``p + n`` and ``p - n`` move it, ``p - q`` counts elements, ``p[i]`` is the element ``i``
    further on, ``p[0]`` what C++ writes ``*p``. Pointers into one memory compare by position.
    Raises ``errc.invalid`` where the source is not in the space asked for.
    """

    __slots__ = ("_offset", "_view", "address_space", "is_decorated")
    _view: HostView
    _offset: int
    address_space: Any
    is_decorated: bool

    def __class_getitem__(cls, key: Any) -> Any:
        """Return the type of pointers to an element type: ``multi_ptr[Node, space, form]``."""
        target, *more = key if isinstance(key, tuple) else (key,)
        space = more[0] if more else address_space.global_space
        found = stored_type(target, space)
        if found is None:
            raise UsageError(errc.invalid, "multi_ptr: only pointers to global memory can be kept "
                             f"in memory, not to {space.value} memory")
        return found

    def __init__(self, source: Any, space: address_space | None = None,
                 form: decorated = decorated.legacy) -> None:
        if isinstance(source, multi_ptr):
            self._view, self._offset = source._view, source._offset
        else:
            self._view, self._offset = _flat(source), 0
        real = self._view._space
        wanted = space or (source.address_space if isinstance(source, multi_ptr) else real)
        if wanted is not _GENERIC and named_space(wanted) is not real:
            raise UsageError(errc.invalid, f"multi_ptr: this is {real.value} memory, not "
                             f"{wanted.value}")
        self.address_space = wanted
        self.is_decorated = form is decorated.yes

    def __copy__(self) -> multi_ptr:
        return self

    def __address__(self) -> int:
        return self._view.__address__() + self._offset * self._view._data.itemsize

    def _moved(self, count: Any) -> multi_ptr:
        made = object.__new__(multi_ptr)
        made._view, made._offset = self._view, self._offset + operator.index(count)
        made.address_space, made.is_decorated = self.address_space, self.is_decorated
        return made

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return self._view.dtype

    def get(self) -> multi_ptr:
        """Return the pointer: Python has no undecorated kind beside it."""
        return self

    get_raw = get_decorated = get

    def prefetch(self, count: int) -> None:
        """Ask for elements soon to be used; of global memory only, and without effect here."""
        if self._view._space is not address_space.global_space:
            raise UsageError(errc.invalid, "multi_ptr.prefetch is for global memory, not "
                             f"{self._view._space.value} memory")
        operator.index(count)

    def _place(self, index: Any) -> Any:
        return self._view._place(self._offset + operator.index(index))

    def __getattr__(self, name: str) -> Any:
        # A member of the record it points to, as C++ writes p->name.
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "pointer" and name not in (self.dtype.names or ()):
            return self.get  # SYCL 1.2's name of it
        return getattr(self[0], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OWN:
            object.__setattr__(self, name, value)
        else:
            setattr(self._place(0), name, value)

    def __getitem__(self, index: Any) -> Any:
        return self._view[self._offset + operator.index(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._view[self._offset + operator.index(index)] = value

    def __add__(self, count: Any) -> multi_ptr:
        return self._moved(count) if hasattr(count, "__index__") else NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if isinstance(other, multi_ptr):
            return self._offset - self._same(other, "-")
        return self._moved(-operator.index(other)) if hasattr(other, "__index__") \
            else NotImplemented

    def _same(self, other: multi_ptr, symbol: str) -> int:
        """Return the other pointer's place as seen from here; raise if it is in other memory."""
        if _root(self._view._data) is not _root(other._view._data):
            raise UsageError(errc.invalid, f"'{symbol}' of pointers into different memory")
        distance = other.__address__() - self.__address__()
        return self._offset + distance // self._view._data.itemsize

    def __eq__(self, other: object) -> bool:
        if other is None:
            return False
        if not isinstance(other, multi_ptr):
            return NotImplemented
        return self.__address__() == other.__address__() and (
            _root(self._view._data) is _root(other._view._data))

    def __lt__(self, other: multi_ptr) -> bool:
        return self._offset < self._same(other, "<")

    def __le__(self, other: multi_ptr) -> bool:
        return self._offset <= self._same(other, "<=")

    def __gt__(self, other: multi_ptr) -> bool:
        return self._offset > self._same(other, ">")

    def __ge__(self, other: multi_ptr) -> bool:
        return self._offset >= self._same(other, ">=")

    def __hash__(self) -> int:
        return hash(self.__address__())

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{self.address_space.value} pointer to element {self._offset} of {self._view!r}>"


_OWN = frozenset(("_at", "_kind", *multi_ptr.__slots__))


def _root(data: Any) -> Any:
    """Return the array whose memory an array is a part of."""
    while isinstance(data, np.ndarray) and data.base is not None:
        data = data.base
    return data


def stored_type(target: Any, space: address_space) -> Any:
    """Return the type of such pointers in memory; None for memory that is not there later."""
    kept = named_space(space) in (address_space.global_space, _GENERIC)
    return pointer_to(target) if kept else None


def _flat(source: Any) -> HostView:
    """Return memory of any dimensions as one dimension, without a copy.

    Of a ranged accessor it is the whole buffer (SYCL 2020 §4.7.6.9.1).
    """
    view = source if isinstance(source, HostView) else None
    raw: Any = None if view is None else view._raw
    if view is not None and getattr(raw, "is_ranged", False):
        view = view._part(raw.from_start(), view._name)
    if view is None:
        data = np.asarray(source.get_view() if hasattr(source, "get_view") else source)
        if isinstance(source, int | float | str) or not data.ndim:
            raise UsageError(errc.invalid, "multi_ptr points into memory, not into a "
                             f"{type(source).__name__}")
        # Arrays from outside are views in a kernel, so one that is none was made there.
        own = in_launch() and isinstance(source, np.ndarray)
        view = HostView(data, "memory", space=address_space.private_space if own
                        else address_space.global_space)
    data = view._data
    if data.ndim == 1:
        return view
    if not data.flags.c_contiguous:
        raise UsageError(errc.invalid, "multi_ptr: the rows of this accessor do not follow one "
                         "another; make it over the whole buffer")
    return view._part(data.reshape(-1), view._name)


class pointer_type:
    """A kind of pointer, such as ``local_ptr``: called with memory it gives a ``multi_ptr``.

    Subscripted with an element type, as ``global_ptr[np.float32]``, it is the type of such a
    pointer: one to global memory, or a generic one, can be a member of a record (``stored``).
    """

    def __init__(self, name: str, space: address_space, form: decorated) -> None:
        self.__name__ = name
        self.address_space = space
        self.form = form
        self.__doc__ = (f"A pointer to {space.value} memory (SYCL 2020 §4.7.7.2): "
                        f"``{name}(memory)``.")

    def __call__(self, source: Any) -> multi_ptr:
        """Return a pointer; ``errc.invalid`` if the memory is not in this space."""
        return multi_ptr(source, self.address_space, self.form)

    def __getitem__(self, dtype: Any) -> Any:
        return stored_type(dtype, self.address_space) or self

    def __reduce__(self) -> str:
        return self.__name__

    def __repr__(self) -> str:
        return f"unisycl.{self.__name__}"


def _kind(prefix: str, space: str) -> pointer_type:
    form = {"raw_": decorated.no, "decorated_": decorated.yes}.get(prefix, decorated.legacy)
    return pointer_type(f"{prefix}{space}_ptr", address_space(space), form)


global_ptr, local_ptr, private_ptr, constant_ptr = (
    _kind("", space) for space in ("global", "local", "private", "constant"))
raw_global_ptr, raw_local_ptr, raw_private_ptr, raw_generic_ptr = (
    _kind("raw_", space) for space in ("global", "local", "private", "generic"))
decorated_global_ptr, decorated_local_ptr, decorated_private_ptr, decorated_generic_ptr = (
    _kind("decorated_", space) for space in ("global", "local", "private", "generic"))


def address_space_cast(space: address_space, pointer: Any,
                       form: decorated = decorated.no) -> multi_ptr | None:
    """Return a pointer declared to another address space (SYCL 2020 §4.7.7.1).

    From a generic pointer the space is checked when it runs: None where the memory is in another
    one. Between two named spaces that differ it raises ``errc.invalid``.
    """
    if not isinstance(pointer, multi_ptr):
        pointer = multi_ptr(pointer)
    if pointer.address_space is not _GENERIC or space is _GENERIC:
        return multi_ptr(pointer, space, form)
    wrong = named_space(space) is not pointer._view._space
    return None if wrong else multi_ptr(pointer, space, form)


class khr:
    """SYCL's ``sycl::khr`` namespace: casts of address spaces by the names of its extension."""

    @staticmethod
    def static_addrspace_cast(space: address_space, pointer: Any) -> multi_ptr:
        """Return a pointer declared to another space, which it must be in (not null if wrong)."""
        return multi_ptr(pointer, space)

    @staticmethod
    def dynamic_addrspace_cast(space: address_space, pointer: Any) -> multi_ptr | None:
        """Return a pointer declared to another space; None where it is not in that."""
        made = multi_ptr(pointer)
        right = space is _GENERIC or named_space(space) is made._view._space
        return multi_ptr(made, space) if right else None


__all__ = [
    "address_space_cast", "constant_ptr", "decorated_generic_ptr", "decorated_global_ptr",
    "decorated_local_ptr", "decorated_private_ptr", "global_ptr", "khr", "local_ptr", "multi_ptr",
    "named_space", "pointer_type", "private_ptr", "raw_generic_ptr", "raw_global_ptr",
    "raw_local_ptr", "raw_private_ptr"]
