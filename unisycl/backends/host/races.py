"""Data races between work-items, found while the host device runs them (SYCL 2020 §3.8.3).

Two accesses to one number race if they are of different work-items, one writes, not both are
atomic, and nothing orders them: neither a group function that both work-items reached in between,
nor atomic operations that the one did afterwards and the other before. Only numbers in global and
local memory are watched, not members of records, vectors and reducers; local memory that is read
and never written is told at the end. Non-goals: orders of atomics
(all count as ordering, so races may be missed); launches on several threads. Invariant: what is
reported is a race.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from unisycl.base.enums import address_space
from unisycl.base.errors import DeviceError, errc
from unisycl.lang.atomic_place import bits_of
from unisycl.lang.cell import PythonCell, Update
from unisycl.lang.elements import Elements
from unisycl.lang.item import item, nd_item
from unisycl.lang.memory import HostView, poison

_PACKAGE = str(Path(__file__).parents[2])


class _Item:
    """A work-item on its way; the counts are those of the meetings it has come to."""

    __slots__ = ("group", "meetings", "name", "number", "sub_group", "sub_meetings")

    def __init__(self, number: int, name: str, group: Any, sub_group: Any) -> None:
        self.number = number
        self.name = name
        self.group = group
        self.sub_group = sub_group
        self.meetings = self.sub_meetings = 0


class _Access:
    """One access of a work-item; ``time`` counts all accesses of the launch."""

    __slots__ = ("atomic", "item", "meetings", "place", "sub_meetings", "time", "writes")

    def __init__(self, who: _Item, time: int, writes: bool, atomic: bool, place: str) -> None:
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


class Watch:
    """Looks at all accesses of one launch."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, Any], _Number] = {}
        self._syncs: dict[Any, list[int]] = {}
        self._blind: list[tuple[_Number, str]] = []
        self._now: _Item | None = None
        self._time = 0
        self._count = 0

    def note(self, view: HostView, place: tuple[int, ...], *, writes: bool, atomic: bool) -> None:
        """Take note of an access; raises ``DeviceError`` if it races with an earlier one."""
        who = self._now
        if who is None or view._data.dtype.names or issubclass(view._data.dtype.type, Elements):
            return
        self._time += 1
        data = view._data
        address = data.ctypes.data + sum(i * s for i, s in zip(place, data.strides, strict=True))
        owner = who.group if view._space is address_space.local_space else None
        number = self._numbers.setdefault((address, owner), _Number())
        now = _Access(who, self._time, writes, atomic, _line())
        for before in number.others(now):
            if not (before.atomic and atomic) and not self._ordered(before, now):
                raise DeviceError(errc.kernel, _story(view, place, before, now))
        number.add(now)
        if owner is not None and not writes and number.written is None and _fresh(data, place):
            text = (f"work-item {who.name} reads {view._name}[{', '.join(map(str, place))}] at "
                    f"{now.place}, which no work-item of its group writes: local memory has no "
                    "initial value")
            self._blind.append((number, text))
        if atomic:
            self._time += 1
            for key in (who.group, ("item", who.number)):
                self._syncs.setdefault(key, []).append(self._time)

    def finish(self, kernel: str) -> None:
        """Raise ``DeviceError`` if local memory was read that nobody has written by the end."""
        for number, text in self._blind:
            if number.written is None:
                raise DeviceError(errc.kernel, f"kernel '{kernel}' failed: {text}")

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
                if who is not None and request[2]:
                    who.sub_meetings += 1
                elif who is not None:
                    who.meetings += 1
                result = yield request
        return parts if meeting else whole

    def _item(self, arguments: tuple[Any, ...]) -> _Item | None:
        self._count += 1
        it = arguments[0] if arguments else None
        if isinstance(it, nd_item):
            group = tuple(it.get_group().get_group_id())
            return _Item(self._count, repr(it.get_global_id()), group,
                         it.get_sub_group().get_group_linear_id())
        if isinstance(it, item):
            return _Item(self._count, repr(it.get_id()), self._count, 0)
        return None


class WatchedView(HostView):
    """Memory whose accesses are watched."""

    __slots__ = ("_watch",)
    _watch: Watch

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._with_watch(super().__getitem__(index))
        place = self._locate(index)
        if len(place) < self._data.ndim:
            return self._with_watch(super().__getitem__(index))
        self._watch.note(self, place, writes=False, atomic=False)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        place = self._locate(index)
        if len(place) == self._data.ndim:
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

    def __init__(self, view: WatchedView, index: Any) -> None:
        plain = HostView(view._data, view._name, view._mode, space=view._space)
        super().__init__(plain, index, bits_of(view._data.dtype))
        self._watched, self._place = view, view._locate(index)

    def _note(self, *, writes: bool) -> None:
        self._watched._watch.note(self._watched, self._place, writes=writes, atomic=True)

    def load(self) -> Any:
        self._note(writes=False)
        return super().load()

    def store(self, value: Any) -> None:
        self._note(writes=True)
        super().store(value)

    def update(self, change: Update) -> Any:
        self._note(writes=True)
        return super().update(change)

    def compare(self, expected: Any, desired: Any) -> tuple[bool, Any]:
        self._note(writes=True)
        return super().compare(expected, desired)


def _line() -> str:
    """Return the line of the user's that is running."""
    frame: Any = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _story(view: HostView, place: tuple[int, ...], before: _Access, now: _Access) -> str:
    index = ", ".join(map(str, place))
    did = ("an atomic operation of " if before.atomic else "") + "work-item"
    verbs = {(False, False): "reads", (False, True): "writes"}
    does = verbs.get((now.atomic, now.writes), "accesses atomically")
    return (f"data race: this work-item {does} {view._name}[{index}], which {did} "
            f"{before.item.name} has {'written' if before.writes else 'read'} at {before.place}, "
            "and nothing orders the two; put a group_barrier between them, use atomic_ref for "
            "both, or give each work-item an element of its own")


def _fresh(data: Any, place: tuple[int, ...]) -> bool:
    """Say whether an element still has what fresh local memory is filled with."""
    unwritten = np.empty(1, data.dtype)
    poison(unwritten)
    return bool(data[place].tobytes() == unwritten.tobytes())
