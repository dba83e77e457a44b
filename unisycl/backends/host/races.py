"""Data races between work-items, found while the host device runs them (SYCL 2020 §3.8.3).

Two accesses to one number race if they are of different work-items, one writes, not both are
atomic, and nothing orders them: neither a group function that both work-items reached in between,
nor atomic operations or fences, not relaxed ones, that the one did afterwards and the other before.
Two atomic operations race if the scope of one of them does not reach the other. Members of records
and elements of vectors are numbers by themselves; reducers are not watched. Local and private
memory that is read before it is written is reported, too. Non-goals: which orders release and
which acquire (all but relaxed count as both, so races may be missed); launches on several threads.
Invariant: what is reported is a race.
"""

from __future__ import annotations

import ctypes
import weakref
from bisect import bisect_right, insort
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

import numpy as np

from unisycl.backends.host.checks import in_item
from unisycl.backends.host.unwritten import (
    WHAT,
    Own,
    WatchedArray,
    address_of,
    is_filled,
    is_fresh,
    line,
)
from unisycl.backends.host.watched_views import (
    WatchedGlobal,
    WatchedView,
    called,
    leaves,
    led_to,
    made_at,
)
from unisycl.base.allocations import block_of
from unisycl.base.checked_mode import UNWRITTEN
from unisycl.base.enums import access_mode, address_space, memory_order, memory_scope
from unisycl.base.errors import DeviceError, errc
from unisycl.ir.shadow_words import way_out
from unisycl.lang.index.nd_item import group as work_group
from unisycl.lang.index.nd_item import item, nd_item
from unisycl.lang.memory.views import HostView, is_pointer
from unisycl.lang.numbers.elements import Elements

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
    """One access of a work-item; ``time`` counts all accesses of the launch."""

    __slots__ = ("atomic", "item", "meetings", "place", "scope", "sub_meetings", "time", "writes")

    def __init__(self, who: _Item, time: int, writes: bool, atomic: bool, place: str,
                 scope: memory_scope | None = None) -> None:
        self.scope = scope
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
        self._known: list[tuple[int, int, WatchedView]] = []
        self._passing: list[WatchedView] = []
        self._numbers: dict[tuple[int, Any], _Number] = {}
        self._syncs: dict[Any, list[int]] = {}
        self._blind = ""
        self._now: _Item | None = None
        self._own = Own()
        self._time = 0
        self._count = 0

    def note(self, view: WatchedView, place: tuple[int, ...], *, writes: bool, atomic: bool,
             scope: memory_scope | None = None, changes: bool = False,
             orders: bool = False) -> None:
        """Take note of an access; raises ``DeviceError`` if it races with an earlier one.

        One that ``changes`` what it writes to reads it first; an atomic one ``orders`` what is
        around it unless it is relaxed.
        """
        data = view._data
        if self._now is None:
            return
        vector = issubclass(data.dtype.type, Elements)
        if data.dtype.names and not vector and not writes and not is_pointer(data.dtype):
            return  # members of records are read by themselves
        address = data.ctypes.data + sum(i * s for i, s in zip(place, data.strides, strict=True))
        if data.dtype.names and not is_pointer(data.dtype):
            self._whole(view, address, data.dtype, writes=writes)
            return
        fresh = (not writes or changes) and is_fresh(data, place)
        self._note(view, address, data.itemsize, writes=writes, atomic=atomic, scope=scope,
                   fresh=fresh)
        if orders:
            self._sync(self._now)

    def _note(self, view: WatchedView, address: int, size: int, *, writes: bool,
              atomic: bool = False, scope: memory_scope | None = None,
              fresh: bool = False) -> None:
        """Take note of an access to one number of some bytes."""
        who = self._now
        if who is None:
            return
        root = view._root
        if self._fresh and not writes and _filled(root, address, size):
            raise DeviceError(errc.kernel, f"this work-item reads {called(root, address)}"
                              f"{made_at(root)}, {WHAT}")
        self._time += 1
        owner = who.group if view._space is address_space.local_space else None
        number = self._numbers.setdefault((address, owner), _Number())
        now = _Access(who, self._time, writes, atomic, line(), scope)
        for before in number.others(now) if self._races else ():
            if not _apart(before, now) and not self._ordered(before, now):
                raise DeviceError(errc.kernel, _story(called(root, address), before, now))
        never = number.written is None
        number.add(now)
        block = block_of(root._raw)
        if block is not None:
            use = id(block), address
            if use not in self.shared:
                self.shared[use] = Shared(block, called(root, address), size)
            self.shared[use].add(now)
        if owner is not None and fresh and never and self._fresh and not self._blind:
            self._blind = (f"{in_item(who.at)} at {now.place}: this work-item reads "
                           f"{called(root, address)}{made_at(root)}, {WHAT}")

    def _sync(self, who: _Item) -> None:
        """Take note that what a work-item does from now on comes after what it has done."""
        self._time += 1
        for key in (who.group, ("item", who.number)):
            self._syncs.setdefault(key, []).append(self._time)

    def fence(self, order: memory_order) -> None:
        """Take note of a fence."""
        if self._now is not None and order is not memory_order.relaxed:
            self._sync(self._now)

    def _whole(self, view: WatchedView, address: int, dtype: np.dtype[Any], *,
               writes: bool) -> None:
        """Take note of an access to all numbers of a record or vector."""
        for offset, size, _ in leaves(dtype):
            self._note(view, address + offset, size, writes=writes,
                       fresh=not writes and is_filled(address + offset, size))

    def copied(self, record: Any) -> None:
        """Take note that a record is read whole, if it lies in watched memory."""
        if not isinstance(record, np.void) or isinstance(record, Elements):
            return
        address = address_of(record)
        view = self._view_at(address)
        if view is not None:
            for offset, size, _ in leaves(record.dtype):
                self._note(view, address + offset, size, writes=False)

    def member(self, record: Any, name: Any, found: Any, *, writes: bool) -> Any:
        """Take note of an access to a member of a record, wherever that lies; return the member.

        An array is told of when its elements are accessed.
        """
        kind, offset = record.dtype.fields[name][:2]
        address = address_of(record)
        own = self._own.find(address)
        if own is not None:
            return own.member(record, name, found, writes=writes)
        view = self._view_at(address)
        if view is None:
            return found
        if isinstance(found, Elements) or (writes and isinstance(found, np.void | np.ndarray)):
            self._whole(view, address + offset, kind, writes=writes)
        elif isinstance(found, np.ndarray):
            if found.dtype.names is not None:
                return view._part(found, f"{called(view, address)}.{name}")
            found = found.view(WatchedArray)
            found.watch = self, view
        elif isinstance(found, np.generic) and not isinstance(found, np.void):
            self._note(view, address + offset, kind.itemsize, writes=writes,
                       fresh=not writes and is_filled(address + offset, kind.itemsize))
        return found

    def number(self, array: WatchedArray, index: Any, *, writes: bool) -> None:
        """Take note of an access to an element of an array member."""
        if array.watch is None:
            return
        place = index if isinstance(index, tuple) else (index,)
        if len(place) == array.ndim and not any(isinstance(x, slice) for x in place):
            at = np.ndarray.__getitem__(array, (*place, ...)).ctypes.data
            self._note(array.watch[1], at, array.itemsize, writes=writes,
                       fresh=not writes and is_filled(at, array.itemsize))

    def elements(self, vector: Any, places: Iterable[int], *, writes: bool) -> None:
        """Take note of an access to elements of a vector in place, if it is in watched memory."""
        address, size = address_of(vector), vector._type.element.itemsize
        own = self._own.find(address)
        view = self._view_at(address) if own is None else None
        for k in places:
            at = address + k * size
            if own is not None and writes:
                own.write(at, size)
            elif own is not None:
                own.look(at, size, vector.dtype)
            elif view is not None:
                self._note(view, at, size, writes=writes,
                           fresh=not writes and is_filled(at, size))

    def element(self, owner: Any, *steps: Any) -> Any:
        """Return what some steps lead to, each two arguments: attribute?, its name or an index."""
        return led_to(owner, steps, self.elements if self._now is not None else None)

    def local(self, data: np.ndarray[Any, Any], made: str) -> HostView:
        """Return local memory that a kernel declares itself, at a line; its group's only."""
        start = data.ctypes.data
        view = next((v for low, high, v in self._known if low == start
                     and high == start + data.nbytes and v._data.dtype == data.dtype), None)
        if view is None:
            view = self.view(data, "local", access_mode.read_write, None, None,
                             address_space.local_space)
            view._made = made
            self._passing.append(view)
        return view

    def new_group(self) -> None:
        """Forget what only the group before had."""
        if self._passing:
            self._known = [known for known in self._known if not any(
                known[2] is gone for gone in self._passing)]
            self._passing.clear()

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

    def _view_at(self, address: int) -> WatchedView | None:
        k = bisect_right(self._known, address, key=lambda known: known[0]) - 1
        if k >= 0 and address < self._known[k][1]:
            return self._known[k][2]
        return None

    def private(self, data: np.ndarray[Any, Any], name: str) -> HostView:
        """Return a work-item's own array, whose reads before writes are reported."""
        return self._own.view(data, name) if self._fresh else HostView(
            data, name, space=address_space.private_space)

    def finish(self, kernel: str) -> None:
        """Raise ``DeviceError`` if local memory was read that nobody had written by then.

        Only now, since a race with the one that writes it later says more.
        """
        if self._blind:
            raise DeviceError(errc.kernel, f"kernel '{kernel}' failed{self._blind}")

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

    def view(self, *arguments: Any) -> WatchedView:
        """Return memory whose accesses are watched; takes what ``HostView`` takes."""
        return self._know(WatchedView(*arguments))

    def variable(self, *arguments: Any) -> WatchedView:
        """Return the memory of a device_global, watched; takes what ``HostView`` takes."""
        return self._know(WatchedGlobal(*arguments))

    def _know(self, made: WatchedView) -> WatchedView:
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


def _apart(before: _Access, now: _Access) -> bool:
    """Say whether two accesses are atomic, each in the other's scope."""
    return before.atomic and now.atomic and _reaches(before, now) and _reaches(now, before)


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


def _filled(view: HostView, address: int, size: int) -> bool:
    """Say whether a number of USM memory is, with its neighbour, as fresh memory is filled."""
    if size < _FULL or block_of(view._raw) is None:
        return False
    return ctypes.string_at(address & -8, 8) == bytes([UNWRITTEN] * 8)
