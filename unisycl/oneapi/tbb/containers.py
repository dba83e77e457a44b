"""Containers that several threads may change at once.

What Python's own types do in one step is theirs; here are steps that look first and change then.
Non-goals: containers of compiled code. Invariant: each method is one step to all threads.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Generic, Self, TypeVar

from unisycl.oneapi.frame.refusals import refuse

_T = TypeVar("_T")
_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")


class user_abort(RuntimeError):
    """What a thread that waits for a queue gets when somebody calls ``abort``."""


class concurrent_queue(Generic[_T]):
    """First in, first out; nobody waits.

    Args:
        items: what is in it at first.
    """

    def __init__(self, items: Iterable[_T] = ()) -> None:
        self._items: deque[_T] = deque(items)

    def push(self, item: _T) -> None:
        """Put an item at the end."""
        self._items.append(item)

    def try_pop(self, default: Any = None) -> Any:
        """Take the first item; where there is none return ``default``."""
        try:
            return self._items.popleft()
        except IndexError:
            return default

    def empty(self) -> bool:
        """Say whether there is no item."""
        return not self._items

    def unsafe_size(self) -> int:
        """Return how many items there are just now."""
        return len(self._items)

    def clear(self) -> None:
        """Drop all items."""
        self._items.clear()

    def __iter__(self) -> Iterator[_T]:
        return iter(list(self._items))


class concurrent_bounded_queue(Generic[_T]):
    """First in, first out; who pushes waits for room, who pops for an item.

    Args:
        capacity: how many items fit; None for any number.
    """

    def __init__(self, capacity: int | None = None) -> None:
        self._items: deque[_T] = deque()
        self._changed = threading.Condition()
        self._waiting = 0
        self._aborted = 0
        self.set_capacity(capacity)

    def capacity(self) -> int | None:
        """Return how many items fit."""
        return self._capacity

    def set_capacity(self, capacity: int | None) -> None:
        """Say how many items fit from now on."""
        if capacity is not None and capacity < 1:
            refuse("concurrent_bounded_queue", f"capacity must be at least 1, got {capacity}")
        with self._changed:
            self._capacity = capacity
            self._changed.notify_all()

    def _room(self) -> bool:
        return self._capacity is None or len(self._items) < self._capacity

    def _wait_for(self, ready: Callable[[], Any]) -> None:
        turn = self._aborted
        self._waiting += 1
        try:
            self._changed.wait_for(lambda: ready() or turn != self._aborted)
        finally:
            self._waiting -= 1
        if turn != self._aborted:
            raise user_abort("the queue was told to let those go who wait for it")

    def push(self, item: _T) -> None:
        """Put an item at the end, as soon as there is room."""
        with self._changed:
            self._wait_for(self._room)
            self._items.append(item)
            self._changed.notify_all()

    def try_push(self, item: _T) -> bool:
        """Put an item at the end if there is room, and say whether."""
        with self._changed:
            room = self._room()
            if room:
                self._items.append(item)
                self._changed.notify_all()
            return room

    def pop(self) -> _T:
        """Take the first item, as soon as there is one."""
        with self._changed:
            self._wait_for(lambda: self._items)
            self._changed.notify_all()
            return self._items.popleft()

    def try_pop(self, default: Any = None) -> Any:
        """Take the first item; where there is none return ``default``."""
        with self._changed:
            if not self._items:
                return default
            self._changed.notify_all()
            return self._items.popleft()

    def abort(self) -> None:
        """Let all who wait go, with ``user_abort``."""
        with self._changed:
            self._aborted += 1
            self._changed.notify_all()

    def size(self) -> int:
        """Return the number of items less those who wait for one."""
        with self._changed:
            return len(self._items) - (self._waiting if not self._items else 0)

    def empty(self) -> bool:
        """Say whether there is no item."""
        return not self._items

    def clear(self) -> None:
        """Drop all items."""
        with self._changed:
            self._items.clear()
            self._changed.notify_all()


class concurrent_priority_queue(Generic[_T]):
    """The greatest item first; equal ones in the order they came.

    Args:
        key: what items are compared by; left out, they themselves.
    """

    def __init__(self, key: Callable[[_T], Any] | None = None) -> None:
        self._key = key or (lambda item: item)
        self._heap: list[_Ranked] = []
        self._lock = threading.Lock()
        self._count = itertools.count()

    def push(self, item: _T) -> None:
        """Put an item in."""
        with self._lock:
            heapq.heappush(self._heap, _Ranked(self._key(item), next(self._count), item))

    def try_pop(self, default: Any = None) -> Any:
        """Take the greatest item; where there is none return ``default``."""
        with self._lock:
            return heapq.heappop(self._heap).item if self._heap else default

    def empty(self) -> bool:
        """Say whether there is no item."""
        return not self._heap

    def size(self) -> int:
        """Return how many items there are."""
        return len(self._heap)

    def clear(self) -> None:
        """Drop all items."""
        with self._lock:
            self._heap.clear()


class _Ranked:
    """An item, the greater one first."""

    __slots__ = ("item", "key", "number")

    def __init__(self, key: Any, number: int, item: Any) -> None:
        self.key, self.number, self.item = key, number, item

    def __lt__(self, other: _Ranked) -> bool:
        if other.key < self.key:
            return True
        return not self.key < other.key and self.number < other.number


class concurrent_vector(list[_T]):
    """A list that grows in one step, and says where; ``append`` and ``extend`` wait for it, too."""

    def __init__(self, items: Iterable[_T] = ()) -> None:
        super().__init__(items)
        self._lock = threading.Lock()

    def push_back(self, item: _T) -> int:
        """Append an item; return its index."""
        return self.grow_by([item])

    def append(self, item: _T) -> None:
        """Append an item."""
        self.grow_by([item])

    def extend(self, items: Iterable[_T]) -> None:
        """Append items."""
        self.grow_by(items)

    def __iadd__(self, items: Iterable[_T]) -> Self:  # type: ignore[override, misc]
        self.grow_by(items)
        return self

    def grow_by(self, items: Iterable[_T] | int, value: Any = None) -> int:
        """Append items, or so many times a value; return the first one's index."""
        more = [value] * items if isinstance(items, int) else list(items)
        with self._lock:
            first = len(self)
            super().extend(more)
        return first

    def grow_to_at_least(self, count: int, value: Any = None) -> None:
        """Append a value until there are so many."""
        with self._lock:
            super().extend([value] * (count - len(self)))


class concurrent_unordered_set(set[_K]):
    """A set that says in one step whether an item is new."""

    def __init__(self, items: Iterable[_K] = ()) -> None:
        super().__init__(items)
        self._lock = threading.Lock()

    def insert(self, item: _K) -> bool:
        """Put an item in; say whether it is new."""
        with self._lock:
            new = item not in self
            self.add(item)
            return new


class concurrent_unordered_map(dict[_K, _V]):
    """A dict that says in one step whether a key is new."""

    def __init__(self, items: Any = ()) -> None:
        super().__init__(items)
        self._lock = threading.Lock()

    def insert(self, key: _K, value: _V) -> bool:
        """Put a value in if the key is new; say whether it is."""
        with self._lock:
            new = key not in self
            if new:
                self[key] = value
            return new


class accessor(Generic[_V]):
    """An element of a ``concurrent_hash_map`` that nobody else may use meanwhile."""

    def __init__(self, key: Any, value: _V) -> None:
        self.key, self.value = key, value


class concurrent_hash_map(Generic[_K, _V]):
    """A map whose elements are locked while they are used, each for itself.

    ``with m.accessor(key, default) as a: a.value += 1`` is one step.
    """

    def __init__(self, items: Any = ()) -> None:
        self._cells: dict[_K, _Cell] = {}
        self._lock = threading.Lock()
        for key, value in dict(items).items():
            self.insert(key, value)

    @contextlib.contextmanager
    def accessor(self, key: _K, default: Any = None) -> Iterator[accessor[Any]]:
        """Hold an element, made of ``default`` if there is none; what is assigned stays."""
        while True:
            with self._lock:
                cell = self._cells.setdefault(key, _Cell(default))
            with cell.lock:
                if cell.erased:
                    continue
                held = accessor(key, cell.value)
                try:
                    yield held
                finally:
                    cell.value = held.value
                return

    def insert(self, key: _K, value: _V) -> bool:
        """Put a value in if the key is new; say whether it is."""
        with self._lock:
            return self._cells.setdefault(key, made := _Cell(value)) is made

    def find(self, key: _K, default: Any = None) -> Any:
        """Return the value of a key; ``default`` if there is none."""
        cell = self._cells.get(key)
        if cell is None:
            return default
        with cell.lock:
            return default if cell.erased else cell.value

    def erase(self, key: _K) -> bool:
        """Take a key out, once nobody uses its element; say whether it was there."""
        with self._lock:
            cell = self._cells.get(key)
        if cell is None:
            return False
        with cell.lock, self._lock:
            there = not cell.erased and self._cells.get(key) is cell
            if there:
                del self._cells[key]
                cell.erased = True
            return there

    def count(self, key: _K) -> int:
        """Return 1 if the key is there, else 0."""
        return int(key in self._cells)

    def size(self) -> int:
        """Return how many keys there are."""
        return len(self._cells)

    def __len__(self) -> int:
        return len(self._cells)

    def __contains__(self, key: object) -> bool:
        return key in self._cells

    def __iter__(self) -> Iterator[tuple[_K, Any]]:
        return iter([(key, cell.value) for key, cell in list(self._cells.items())])


class _Cell:
    __slots__ = ("erased", "lock", "value")

    def __init__(self, value: Any) -> None:
        self.value, self.erased, self.lock = value, False, threading.RLock()
