"""Memory of a kernel on the host device whose accesses somebody is told of (``races.Watch``).

Non-goals: what is made of an access (``races``), private memory (``unwritten``). Invariant: a part
of watched memory is watched, and goes by the name of the whole in what is told of races.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.backends.host.unwritten import PrivateView
from unisycl.base.enums import memory_order, memory_scope
from unisycl.lang.memory.atomic_place import bits_of
from unisycl.lang.memory.cell import PythonCell, Update
from unisycl.lang.memory.device_global import GlobalView
from unisycl.lang.memory.pointer import multi_ptr
from unisycl.lang.memory.views import HostView, is_cut, value_of
from unisycl.lang.numbers.elements import Elements
from unisycl.lang.numbers.swizzle import positions
from unisycl.process.callers import origin


class WatchedView(HostView):
    """Memory whose accesses are watched; ``_root`` is what it is a part of, or itself.

    ``_made`` says where the kernel itself made it.
    """

    __slots__ = ("_made", "_root", "_watch")
    _watch: Any

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._root, self._made = self, ""

    def __getitem__(self, index: Any) -> Any:
        if is_cut(index):
            return super().__getitem__(index)  # a part of this, which is watched itself
        place = self._locate(index)
        if len(place) == self._data.ndim:
            self._watch.note(self, place, writes=False, atomic=False)
        return super().__getitem__(index)

    def _elements(self) -> np.ndarray[Any, Any]:
        for place in np.ndindex(self._data.shape):
            self._watch.note(self, place, writes=False, atomic=False)
        return super()._elements()

    def __setitem__(self, index: Any, value: Any) -> None:
        if not is_cut(index):
            place = self._locate(index)
            if len(place) == self._data.ndim:
                self._watch.copied(value)
                self._watch.note(self, place, writes=True, atomic=False)
        super().__setitem__(index, value)

    def _part(self, data: np.ndarray[Any, Any], name: str) -> HostView:
        made = WatchedView(data, name, self._mode, space=self._space)
        made._watch, made._root = self._watch, self._root
        return made

    def __atomic_cell__(self, index: Any) -> WatchedCell:
        """Return the element for ``atomic_ref``."""
        return WatchedCell(self, index)


class WatchedGlobal(GlobalView, WatchedView):
    """The memory of a device_global, watched."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        if index != () and self._copies and self._single:
            return self._element(index, named=False)
        return super().__getitem__(index)

    def __getattr__(self, name: str) -> Any:
        vector = self._single and issubclass(self._data.dtype.type, Elements)
        if vector and not name.startswith("_"):
            return self._element(name, named=True)
        return super().__getattr__(name)

    def _element(self, key: Any, *, named: bool) -> Any:
        plain = WatchedView._part(self, self._data, self._name)
        return self._watch.element(plain, False, 0, named, key)


class WatchedCell(PythonCell):
    """An element that is accessed atomically, and watched."""

    __slots__ = ("_place", "_watched")
    watched = True

    def __init__(self, view: WatchedView, index: Any) -> None:
        plain = HostView(view._data, view._name, view._mode, space=view._space)
        super().__init__(plain, index, bits_of(view._data.dtype))
        self.scope, self.order = memory_scope.device, memory_order.relaxed
        self._watched, self._place = view, view._locate(index)

    def _note(self, *, writes: bool, changes: bool = False) -> None:
        self._watched._watch.note(self._watched, self._place, writes=writes, atomic=True,
                                  scope=self.scope, changes=changes,
                                  orders=self.order is not memory_order.relaxed)

    def load(self) -> Any:
        self._note(writes=False)
        return super().load()

    def store(self, value: Any) -> None:
        self._note(writes=True)
        super().store(value)

    def update(self, change: Update) -> Any:
        self._note(writes=True, changes=True)
        return super().update(change)

    def compare(self, expected: Any, desired: Any) -> tuple[bool, Any]:
        self._note(writes=True, changes=True)
        return super().compare(expected, desired)


def made_at(view: WatchedView) -> str:
    """Return ", made at file:line" of memory, "" where nobody knows."""
    return f", made at {view._made}" if view._made else origin(view._raw)


def called(view: WatchedView, address: int) -> str:
    """Return what a kernel calls the number, or the record, at an address in memory."""
    data = view._data
    index, inside = divmod(address - data.ctypes.data, max(1, data.itemsize))
    place = np.unravel_index(index, data.shape) if index < data.size \
        and data.flags.c_contiguous else (index,)
    member = "" if data.dtype.names is None else next(
        (name for offset, _, name in leaves(data.dtype) if offset == inside), "")
    return f"{view._name}[{', '.join(map(str, place))}]{member}"


def led_to(owner: Any, steps: tuple[Any, ...], told: Callable[..., None] | None) -> Any:
    """Return what some steps lead to.

    Of a vector in memory only the elements are read that the step behind it names.

    Args:
        owner: where they begin.
        steps: two for each step: whether it is an attribute, and its name or an index.
        told: is told of a vector in place and of the elements that are read.
    """
    at, todo = owner, [*zip(steps[::2], steps[1::2], strict=True)]
    while todo:
        named, key = todo.pop(0)
        vector = vector_in_place(at, key, named=named) if todo and told is not None else None
        if vector is None or told is None:
            at = getattr(at, key) if named else at[key]
            continue
        named, key = todo.pop(0)
        own, copy = vector._type, value_of(vector)
        if named and key == "swizzle":
            at = _swizzled(vector, copy, told)
            continue
        read: Any = (copy._index(key),) if not named else \
            (positions(key, own.count) if own.kind == "vec" else None) or range(own.count)
        told(vector, [k for k in read if k < own.count], writes=False)
        at = getattr(copy, key) if named else copy[key]
    return at


def _swizzled(vector: Any, copy: Any, told: Callable[..., None]) -> Callable[..., Any]:
    """Return ``vector.swizzle``, which reads what it is asked for."""
    def swizzle(*places: int) -> Any:
        found = copy.swizzle(*places)
        told(vector, map(int, places), writes=False)
        return found
    return swizzle


def vector_in_place(owner: Any, key: Any, *, named: bool) -> Any:
    """Return the vector in watched or private memory that a step leads to; None of other steps."""
    view = owner._view if isinstance(owner, multi_ptr) else owner
    watched = isinstance(view, WatchedView | PrivateView)
    if named:
        if watched and view._data.ndim == 1 and _member(view._data.dtype, key):
            owner = owner[0]  # of the record it points to
        held = isinstance(owner, np.void) and _member(owner.dtype, key)
        return np.void.__getitem__(owner, key) if held else None
    if not watched or not view._mode.reads or not issubclass(view._data.dtype.type, Elements):
        return None
    if owner is not view:
        key = owner._offset + operator.index(key)
    place = view._locate(key)
    return view._data[place] if len(place) == view._data.ndim else None


def _member(dtype: np.dtype[Any], name: Any) -> bool:
    """Say whether a record of a type has a vector of that name."""
    found = None if issubclass(dtype.type, Elements) else (dtype.fields or {}).get(name)
    return found is not None and issubclass(found[0].type, Elements)


@functools.cache
def leaves(dtype: np.dtype[Any]) -> tuple[tuple[int, int, str], ...]:
    """Return the offset, size and name of each number in a record, vector or array."""
    if dtype.subdtype is not None:
        of, shape = dtype.subdtype
        return tuple((k * of.itemsize + at, size, f"[{', '.join(map(str, place))}]{name}")
                     for k, place in enumerate(np.ndindex(*shape))
                     for at, size, name in leaves(of))
    if not dtype.names:
        return ((0, dtype.itemsize, ""),)
    fields: Any = dtype.fields
    return tuple((fields[name][1] + at, size, f".{name}{rest}")
                 for name in dtype.names for at, size, rest in leaves(fields[name][0]))
