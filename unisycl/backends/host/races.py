"""Data races between work-items, found while the host device runs them (SYCL 2020 §3.8.3).

Two accesses to one number race if they are of different work-items, one writes, not both are
atomic, and nothing orders them: neither a group function that both work-items reached in between,
nor atomic operations that the one did afterwards and the other before. Two atomic operations race
if the scope of one of them does not reach the other. Members of records and elements of vectors
are numbers by themselves; reducers are not watched. Local and private memory that is read and never
written is reported, too. Non-goals: orders of atomics
(all count as ordering, so races may be missed); launches on several threads. Invariant: what is
reported is a race.
"""

from __future__ import annotations

import ctypes
import functools
import weakref
from bisect import bisect_right, insort
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

import numpy as np

from unisycl.backends.host.checks import in_item
from unisycl.backends.host.unwritten import (
    WHAT,
    Own,
    WatchedArray,
    address_of,
    filled,
    is_fresh,
    line,
)
from unisycl.base.allocations import block_of
from unisycl.base.checked_mode import UNWRITTEN
from unisycl.base.enums import address_space, memory_scope
from unisycl.base.errors import DeviceError, errc
from unisycl.ir.shadow_words import way_out
from unisycl.lang.index.nd_item import group as work_group
from unisycl.lang.index.nd_item import item, nd_item
from unisycl.lang.memory.atomic_place import bits_of
from unisycl.lang.memory.cell import PythonCell, Update
from unisycl.lang.memory.views import HostView, ends_in_slice
from unisycl.lang.numbers.elements import Elements
from unisycl.lang.numbers.swizzle import positions
from unisycl.process.callers import origin

_FULL = 4  # bytes of numbers that no program fills memory with by chance


class _Item:
    """A work-item on its way; the counts are those of the meetings it has come to."""

    __slots__ = ("at", "group", "meetings", "name", "number", "sub_group", "sub_meetings")

    def __init__(self, number: int, name: str, group: Any, sub_group: Any, at: Any) -> None:
        self.number = number
        self.at = at
        self.name = name
        self.group = group
        self.sub_group = sub_group
        self.meetings = self.sub_meetings = 0


class _Access:
    """One access of a work-item; ``time`` counts all accesses of the launch.

    ``part`` is True where one element of a vector is written, False where a vector is read whole,
    perhaps for one element of it only, which is not known.
    """

    __slots__ = ("atomic", "item", "meetings", "part", "place", "scope", "sub_meetings", "time",
                 "writes")

    def __init__(self, who: _Item, time: int, writes: bool, atomic: bool, place: str,
                 scope: memory_scope | None = None, part: bool | None = None) -> None:
        self.scope, self.part = scope, part
        self.item = who
        self.meetings, self.sub_meetings = who.meetings, who.sub_meetings
        self.time = time
        self.writes = writes
        self.atomic = atomic
        self.place = place


class _Number:
    """What is known of one number: who wrote it last, and two who read it from each group."""

    __slots__ = ("reads", "written")

    def __init__(self) -> None:
        self.written: _Access | None = None
        self.reads: dict[Any, list[_Access]] = {}

    def others(self, now: _Access) -> Iterator[_Access]:
        """Yield the earlier accesses that an access may race with."""
        if self.written is not None:
            yield self.written
        if now.writes:
            for found in self.reads.values():
                yield from found

    def add(self, now: _Access) -> None:
        """Remember an access."""
        if now.writes:
            self.written = now
            self.reads.clear()
            return
        kept = [a for a in self.reads.get(now.item.group, ()) if a.item is not now.item]
        self.reads[now.item.group] = [*kept[-1:], now]


class Shared:
    """How a launch used one number of USM memory: a place that read it, and one that wrote it."""

    __slots__ = ("atomic", "block", "name", "read", "size", "written")

    def __init__(self, block: Any, name: str, size: int) -> None:
        self.block, self.name, self.size = weakref.ref(block), name, size
        self.read = self.written = ""
        self.atomic = True

    def add(self, now: _Access) -> None:
        """Remember an access."""
        self.atomic = self.atomic and now.atomic
        if now.writes:
            self.written = now.place
        else:
            self.read = now.place


class Watch:
    """Looks at all accesses of one launch."""

    def __init__(self, *, races: bool = True, fresh: bool = False) -> None:
        self._races, self._fresh = races, fresh
        self.shared: dict[tuple[int, int], Shared] = {}
        self._known: list[tuple[int, int, HostView]] = []
        self._numbers: dict[tuple[int, Any], _Number] = {}
        self._syncs: dict[Any, list[int]] = {}
        self._blind: list[tuple[_Number, str]] = []
        self._now: _Item | None = None
        self._own = Own()
        self._time = 0
        self._count = 0

    def note(self, view: HostView, place: tuple[int, ...], *, writes: bool, atomic: bool,
             scope: memory_scope | None = None, changes: bool = False) -> None:
        """Take note of an access; raises ``DeviceError`` if it races with an earlier one.

        One that ``changes`` what it writes to reads it first.
        """
        data = view._data
        if self._now is None:
            return
        vector = issubclass(data.dtype.type, Elements)
        if data.dtype.names and not vector and not writes:
            return  # members of records are read by themselves
        address = data.ctypes.data + sum(i * s for i, s in zip(place, data.strides, strict=True))
        name = f"{view._name}[{', '.join(map(str, place))}]"
        if data.dtype.names:
            fresh = vector and not writes and is_fresh(data, place)
            self._whole(view, address, name, data.dtype, writes=writes, fresh=fresh)
            return
        fresh = (not writes or changes) and is_fresh(data, place)
        if self._fresh and not writes and _filled(view, address):
            name += origin(view._raw)
            raise DeviceError(errc.kernel, f"this work-item reads {name}, {WHAT}")
        self._note(view, address, name, writes=writes, atomic=atomic, scope=scope, fresh=fresh)

    def _note(self, view: HostView, address: int, name: str, *, writes: bool, atomic: bool = False,
              scope: memory_scope | None = None, fresh: bool = False,
              part: bool | None = None, size: int = 0) -> None:
        """Take note of an access to one number, of ``size`` bytes if that is not an element's."""
        who = self._now
        if who is None:
            return
        self._time += 1
        owner = who.group if view._space is address_space.local_space else None
        number = self._numbers.setdefault((address, owner), _Number())
        now = _Access(who, self._time, writes, atomic, line(), scope, part)
        for before in number.others(now) if self._races else ():
            if not self._apart(before, now) and not self._ordered(before, now):
                raise DeviceError(errc.kernel, _story(name, before, now))
        never = number.written is None
        number.add(now)
        block = block_of(view._raw)
        if block is not None and part is not False:
            use = id(block), address
            if use not in self.shared:
                self.shared[use] = Shared(block, name, size or view._data.itemsize)
            self.shared[use].add(now)
        if owner is not None and fresh and never and self._fresh:
            text = (f"{in_item(who.at)} at {now.place}: this work-item reads {name}"
                    f"{origin(view._raw)}, {WHAT}")
            self._blind.append((_Number() if writes else number, text))
        if atomic:
            self._time += 1
            for key in (who.group, ("item", who.number)):
                self._syncs.setdefault(key, []).append(self._time)

    def _whole(self, view: HostView, address: int, name: str, dtype: np.dtype[Any], *,
               writes: bool, fresh: bool = False) -> None:
        """Take note of an access to all numbers of a record or vector."""
        part = None if writes else False
        for offset, size, member in _leaves(dtype):
            self._note(view, address + offset, name + member, writes=writes, part=part, size=size,
                       fresh=fresh)

    def copied(self, record: Any) -> None:
        """Take note that a record is read whole, if it lies in watched memory."""
        if not isinstance(record, np.void) or isinstance(record, Elements):
            return
        address = address_of(record)
        view = self._view_at(address)
        if view is not None:
            index = (address - view._data.ctypes.data) // max(1, view._data.itemsize)
            for offset, size, member in _leaves(record.dtype):
                self._note(view, address + offset, f"{view._name}[{index}]{member}", writes=False,
                           size=size)

    def member(self, record: Any, name: Any, found: Any, *, writes: bool) -> Any:
        """Take note of an access to a member of a record, wherever that lies; return the member.

        An array is told of when its elements are accessed.
        """
        if isinstance(found, Elements):
            own = self._own.find(address_of(record))
            if own is not None:
                return own.member(record, name, found, writes=writes)
            self.elements(found, range(found._type.count), writes=writes)
            return found
        offset = record.dtype.fields[name][1]
        address = address_of(record)
        view = self._view_at(address)
        if view is None:
            own = self._own.find(address)
            return found if own is None else own.member(record, name, found, writes=writes)
        index = (address - view._data.ctypes.data) // max(1, view._data.itemsize)
        called = f"{view._name}[{index}].{name}"
        if writes and isinstance(found, np.void | np.ndarray):
            self._whole(view, address + offset, called, record.dtype.fields[name][0], writes=True)
        elif isinstance(found, np.ndarray):
            if found.dtype.names is None:
                found = found.view(WatchedArray)
                found.watch = self, view, called
        elif isinstance(found, np.generic) and not isinstance(found, np.void):
            self._note(view, address + offset, called, writes=writes, size=found.dtype.itemsize,
                       fresh=not writes and filled(found))
        return found

    def number(self, array: WatchedArray, index: Any, *, writes: bool) -> None:
        """Take note of an access to an element of an array member."""
        if array.watch is None:
            return
        place = index if isinstance(index, tuple) else (index,)
        if len(place) == array.ndim and not any(isinstance(x, slice) for x in place):
            at = np.ndarray.__getitem__(array, (*place, ...)).ctypes.data
            _, view, name = array.watch
            self._note(view, at, f"{name}[{', '.join(map(str, place))}]", writes=writes,
                       size=array.itemsize)

    def elements(self, vector: Any, places: Sequence[int], *, writes: bool) -> None:
        """Take note of an access to elements of a vector in place, if it is in watched memory."""
        address = address_of(vector)
        view, mine = self._view_at(address), self._own.find(address) if writes else None
        if mine is not None:
            mine.write(address, vector.dtype.itemsize)
        if view is not None:
            own = vector._type
            index = (address - view._data.ctypes.data) // max(1, view._data.itemsize)
            for k in places:
                self._note(view, address + k * own.element.itemsize,
                           f"{view._name}[{index}].{own.dtype.names[k]}", writes=writes,
                           part=writes, size=own.element.itemsize)

    def element(self, owner: Any, index: Any, key: Any, attribute: bool) -> Any:
        """Return ``owner[index].key`` or ``owner[index][key]``; of a vector that part is read."""
        own = owner._data.dtype.type._type if isinstance(owner, WatchedView) and issubclass(
            owner._data.dtype.type, Elements) else None
        place = owner._locate(index) if own is not None and self._now is not None else ()
        if own is None or not place or len(place) < owner._data.ndim:
            whole = owner[index]
            return getattr(whole, key) if attribute else whole[key]
        vector = HostView.__getitem__(owner, index)
        if not attribute:
            read: tuple[int, ...] = (vector._index(key),)
        else:
            read = (positions(key, own.count) if own.kind == "vec" else None) or ()
        if not read:
            self.note(owner, place, writes=False, atomic=False)
        address = owner._data.ctypes.data + sum(
            i * s for i, s in zip(place, owner._data.strides, strict=True))
        name, fresh = f"{owner._name}[{', '.join(map(str, place))}]", is_fresh(owner._data, place)
        names = own.dtype.names or ()
        for k in read:
            if k < own.count:
                self._note(owner, address + k * own.element.itemsize,
                           f"{name}.{names[k]}", writes=False, fresh=fresh,
                           size=own.element.itemsize)
        return getattr(vector, key) if attribute else vector[key]

    def found(self, data: np.ndarray[Any, Any], name: str) -> HostView:
        """Return memory that a pointer leads to: what the kernel knows it by, if it does."""
        start = data.ctypes.data
        for low, high, view in self._known:
            if low == start and high == start + data.nbytes and view._data.dtype == data.dtype \
                    and view._data.ndim == 1:
                return view
        return self.view(data, name)

    def loop(self, items: Iterator[Any]) -> Iterator[Any]:
        """Yield the work-items of a work-item loop, each at hand meanwhile; all meet around it."""
        outer = self._now
        if outer is None:
            yield from items
            return
        outer.meetings += 1
        for it in items:
            self._count += 1
            whose = tuple(it.get_logical_local_id())
            self._now = made = _Item(self._count, f"work-item {_id(whose)} of group "
                                     f"{_id(outer.group)}", outer.group, self._count, it)
            made.meetings = outer.meetings
            yield it
        outer.meetings += 1
        self._now = outer

    def _view_at(self, address: int) -> HostView | None:
        k = bisect_right(self._known, address, key=lambda known: known[0]) - 1
        if k >= 0 and address < self._known[k][1]:
            return self._known[k][2]
        return None

    def private(self, data: np.ndarray[Any, Any]) -> HostView:
        """Return a work-item's own array, whose reads before writes are reported."""
        return self._own.view(data) if self._fresh else HostView(
            data, "private array", space=address_space.private_space)

    def _apart(self, before: _Access, now: _Access) -> bool:
        """Say whether two accesses are atomic, each in the other's scope, or perhaps elsewhere."""
        if before.part is not None and now.part is not None and before.part != now.part:
            return True
        return before.atomic and now.atomic and _reaches(before, now) and _reaches(now, before)

    def finish(self, kernel: str) -> None:
        """Raise ``DeviceError`` if local memory was read but never written."""
        for number, text in self._blind:
            if number.written is None:
                raise DeviceError(errc.kernel, f"kernel '{kernel}' failed{text}")

    def _ordered(self, before: _Access, now: _Access) -> bool:
        one, other = before.item, now.item
        if one is other:
            return True
        if one.group == other.group:
            # Parts of a sub-group may meet without the others, so there counts do not compare.
            if before.meetings < now.meetings or (
                    one.sub_group == other.sub_group and before.sub_meetings < one.sub_meetings):
                return True
            return self._handed_on(("item", one.number), before.time, ("item", other.number))
        return self._handed_on(one.group, before.time, other.group)

    def _handed_on(self, giver: Any, time: int, taker: Any) -> bool:
        """Say whether one did something atomic after a time, and the other did after that."""
        given, taken = self._syncs.get(giver, []), self._syncs.get(taker, [])
        first = bisect_right(given, time)
        return first < len(given) and bool(taken) and taken[-1] > given[first]

    def view(self, *arguments: Any) -> HostView:
        """Return memory whose accesses are watched; takes what ``HostView`` takes."""
        made = WatchedView(*arguments)
        made._watch = self
        start = made._data.ctypes.data
        insort(self._known, (start, start + made._data.nbytes, made), key=lambda known: known[0])
        return made

    # ------------------------------------------------------------------ work-items
    def over(self, function: Callable[..., Any], *, meeting: bool) -> Callable[..., Any]:
        """Return a kernel's function that says which work-item is at hand."""
        def whole(*arguments: Any) -> None:
            self._now = self._item(arguments)
            try:
                function(*arguments)
            finally:
                self._now = None

        def parts(*arguments: Any) -> Generator[Any, Any, None]:
            who, result = self._item(arguments), None
            task = function(*arguments)
            while True:
                self._now = who
                try:
                    request = task.send(result)
                except StopIteration:
                    return
                finally:
                    self._now = None
                if request[2]:
                    who.sub_meetings += 1
                else:
                    who.meetings += 1
                result = yield request
        return parts if meeting else whole

    def _item(self, arguments: tuple[Any, ...]) -> _Item:
        self._count += 1
        it = arguments[0] if arguments else None
        if isinstance(it, work_group):
            group = tuple(it.get_group_id())
            return _Item(self._count, f"work-group {_id(group)}", group, 0, it)
        if isinstance(it, nd_item):
            group = tuple(it.get_group().get_group_id())
            return _Item(self._count, f"work-item {it.get_global_id()!r}", group,
                         it.get_sub_group().get_group_linear_id(), it)
        if isinstance(it, item):
            return _Item(self._count, f"work-item {it.get_id()!r}", self._count, 0, it)
        return _Item(self._count, "this task", self._count, 0, None)


class WatchedView(HostView):
    """Memory whose accesses are watched."""

    __slots__ = ("_watch",)
    _watch: Watch

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._with_watch(super().__getitem__(index))
        if ends_in_slice(index):
            return super().__getitem__(index)  # a row of this, and the window of it
        place = self._locate(index)
        if len(place) < self._data.ndim:
            return self._with_watch(super().__getitem__(index))
        self._watch.note(self, place, writes=False, atomic=False)
        return super().__getitem__(index)

    def _elements(self) -> np.ndarray[Any, Any]:
        for place in np.ndindex(self._data.shape):
            self._watch.note(self, place, writes=False, atomic=False)
        return super()._elements()

    def __setitem__(self, index: Any, value: Any) -> None:
        if ends_in_slice(index):
            super().__setitem__(index, value)
            return
        place = self._locate(index)
        if len(place) == self._data.ndim:
            self._watch.copied(value)
            self._watch.note(self, place, writes=True, atomic=False)
        super().__setitem__(index, value)

    def _with_watch(self, part: HostView) -> HostView:
        made = WatchedView(part._data, part._name, part._mode, part._raw, space=part._space)
        made._watch = self._watch
        return made

    def __atomic_cell__(self, index: Any) -> WatchedCell:
        """Return the element for ``atomic_ref``."""
        return WatchedCell(self, index)


class WatchedCell(PythonCell):
    """An element that is accessed atomically, and watched."""

    __slots__ = ("_place", "_watched")
    watched = True

    def __init__(self, view: WatchedView, index: Any) -> None:
        plain = HostView(view._data, view._name, view._mode, space=view._space)
        super().__init__(plain, index, bits_of(view._data.dtype))
        self.scope = memory_scope.device
        self._watched, self._place = view, view._locate(index)

    def _note(self, *, writes: bool, changes: bool = False) -> None:
        self._watched._watch.note(self._watched, self._place, writes=writes, atomic=True,
                                  scope=self.scope, changes=changes)

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


def _id(numbers: Any) -> str:
    return f"id({', '.join(map(str, numbers))})"


_WIDTH = {memory_scope.work_item: 0, memory_scope.sub_group: 1, memory_scope.work_group: 2,
          memory_scope.device: 3, memory_scope.system: 4}


def _reaches(one: _Access, other: _Access) -> bool:
    """Say whether the scope of an atomic operation takes in the work-item of another one."""
    a, b = one.item, other.item
    needed = 0 if a is b else 3 if a.group != b.group else 2 if a.sub_group != b.sub_group else 1
    return _WIDTH.get(one.scope or memory_scope.device, 3) >= needed


def _story(name: str, before: _Access, now: _Access) -> str:
    did = "an atomic operation of " if before.atomic else ""
    this = " ".join(now.item.name.split()[:1])
    verbs = {(False, False): "reads", (False, True): "writes"}
    does = verbs.get((now.atomic, now.writes), "accesses atomically")
    text = (f"data race: this {this} {does} {name}, which {did}"
            f"{before.item.name} has {'written' if before.writes else 'read'} at {before.place}, ")
    return f"{text}and nothing orders the two; {way_out(before.atomic and now.atomic)}"


def _filled(view: HostView, address: int) -> bool:
    """Say whether a number of USM memory is, with its neighbour, as fresh memory is filled."""
    block = block_of(view._raw)
    if block is None or view._data.itemsize < _FULL:
        return False
    around = bytes([UNWRITTEN] * 8)
    return ctypes.string_at(address & -8, 8) == around


@functools.cache
def _leaves(dtype: np.dtype[Any]) -> tuple[tuple[int, int, str], ...]:
    """Return the offset, size and name of each number in a record, vector or array."""
    if dtype.subdtype is not None:
        of, shape = dtype.subdtype
        return tuple((k * of.itemsize + at, size, f"[{', '.join(map(str, place))}]{name}")
                     for k, place in enumerate(np.ndindex(*shape))
                     for at, size, name in _leaves(of))
    if not dtype.names:
        return ((0, dtype.itemsize, ""),)
    fields: Any = dtype.fields
    return tuple((fields[name][1] + at, size, f".{name}{rest}")
                 for name in dtype.names for at, size, rest in _leaves(fields[name][0]))
