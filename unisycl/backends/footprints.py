"""Races between two commands: those that use the same USM memory and that nothing orders.

What each command read and wrote is compared with what those before it did. Non-goals: how a backend
finds that out, buffers (accessors order them). Invariant: every report is a race, in whatever order
the commands ran.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from unisycl.backends.base import BoundView, Launch
from unisycl.base.errors import DeviceError, errc
from unisycl.process.callers import place

_MOST, _MOST_BYTES = 64, 256 << 20
_lock = threading.Lock()
Numbers = np.ndarray[Any, Any]


class Span:
    """How a command used memory from ``low`` on, for each cell of ``cell`` bytes.

    ``written`` and ``read`` have the number of a place in the program from 1 on, or 0; ``plain``
    says where an access was not atomic. ``views`` are the names, views and allocations it is
    known by.
    """

    __slots__ = ("cell", "low", "plain", "read", "views", "written")

    def __init__(self, low: int, cell: int, written: Numbers, read: Numbers, plain: Numbers,
                 views: Sequence[tuple[str, BoundView, Any]]) -> None:
        self.low, self.cell = low, cell
        self.written, self.read, self.plain = written, read, plain
        self.views: list[tuple[str, BoundView | None, weakref.ref[Any]]] = [
            (name, view, weakref.ref(block)) for name, view, block in views]

    @property
    def high(self) -> int:
        """Where it ends."""
        return self.low + self.cell * len(self.written)

    def at(self, address: int) -> int:
        """Return the number of the cell of an address."""
        return (address - self.low) // self.cell

    def name(self, address: int) -> str:
        """Return what the program knows an address by."""
        for name, view, _ in self.views:
            if view is None:
                continue
            left = (address - view.slots()[0]) // int(view.memory.itemsize)
            index = []
            for pitch in view.pitches:
                k, left = divmod(left, pitch) if pitch > 0 else (0, left)
                index.append(k)
            if all(0 <= k < e for k, e in zip(index, view.shape, strict=True)):
                return f"{name}[{', '.join(map(str, index))}]"
        return f"memory at {address:#x}"

    def gone(self) -> bool:
        """Say whether the memory may be another's by now."""
        blocks = [block() for _, _, block in self.views]
        return any(block is None or block.freed for block in blocks)

    def clash(self, other: Span) -> int | None:
        """Return the first address that both use, one of them to write, not both atomically."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low >= high:
            return None
        step = math.gcd(self.cell, other.cell, low - self.low, low - other.low)
        (w, r, p), (v, q, o) = (s.parts(low, high, step) for s in (self, other))
        found = np.flatnonzero((((w != 0) & ((v != 0) | (q != 0))) | ((r != 0) & (v != 0)))
                               & (p | o))
        return low + int(found[0]) * step if len(found) else None

    def meets(self, other: Span) -> bool:
        """Say whether both access a number atomically, one of them to change it."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        step = math.gcd(self.cell, other.cell, low - self.low, low - other.low)
        (w, r, p), (v, q, o) = (s.parts(low, high, step) for s in (self, other))
        used = ((w != 0) | (r != 0)) & ((v != 0) | (q != 0)) & ((w != 0) | (v != 0))
        return bool(np.any(used & ~(p | o)))

    def parts(self, low: int, high: int, step: int) -> tuple[Numbers, Numbers, Numbers]:
        """Return written, read and plain for the cells of ``step`` bytes of a part."""
        first, last = self.at(low), self.at(high - 1) + 1
        skip = (low - self.low - first * self.cell) // step
        out = []
        for numbers in (self.written, self.read, self.plain):
            part = numbers[first:last]
            if self.cell != step:
                part = np.repeat(part, self.cell // step)[skip:]
            out.append(part[:(high - low) // step])
        return out[0], out[1], out[2]


class Footprint:
    """What one command used; ``places`` are the lines that spans number.

    ``syncs``: it has atomics or fences that may order what it does and what others do meanwhile.
    """

    __slots__ = ("places", "spans", "syncs")

    def __init__(self, places: list[str], *, syncs: bool = False) -> None:
        self.places = places
        self.spans: list[Span] = []
        self.syncs = syncs

    def answers(self, other: Footprint) -> bool:
        """Say whether both may have waited for each other: at atomics in memory of both."""
        return self.syncs and other.syncs and any(
            a.meets(b) for a, b in _pairs(self.spans, other.spans))

    def combine(self, launch: Launch) -> None:
        """Add the USM memory that a launch combines its reductions into."""
        for (view, drops), one in zip(launch.reductions, launch.reduction_objects, strict=False):
            if one.block is None:
                continue
            span = whole("the result of a reduction", view, one.block, writes=True)
            span.written = span.written * np.uint16(len(self.places) + 1)  # a place without a line
            if not drops:
                span.read = span.written
            self.spans.append(span)

    def place(self, number: int) -> str:
        """Return what to say of a place that a span numbers."""
        at = self.places[number - 1] if number <= len(self.places) else ""
        return f" at {at}" if at else ""


class _Past:
    """The commands that later ones may race with."""

    def __init__(self) -> None:
        self.commands: deque[tuple[Any, str, str, Footprint]] = deque(maxlen=_MOST)

    def add(self, order: Any, name: str, where: str, used: Footprint
            ) -> list[tuple[Any, str, str, Footprint]]:
        """Enter a command; return those before it that it may race with."""
        with _lock:
            kept = [c for c in self.commands if c[0].number > order.since
                    and not all(s.gone() for s in c[3].spans)]
            while kept and sum(map(_bytes, kept)) > _MOST_BYTES:
                kept.pop(0)
            self.commands.clear()
            self.commands.extend([*kept, (order, name, where, used)])
        return kept


_past = _Past()


def _bytes(command: tuple[Any, str, str, Footprint]) -> int:
    return sum(5 * len(s.written) for s in command[3].spans if s.written.strides[0])


def compare(order: Any, name: str, where: Any, used: Footprint) -> None:
    """Raise ``DeviceError`` if a command races with one before it; ``name`` is as in messages."""
    if order is None or not used.spans:
        return
    line = place(where) if where is not None else "an unknown line"
    for other, earlier, there, before in _past.add(order, name, line, used):
        if order.after(other) or other.after(order) or used.answers(before):
            continue
        for mine, theirs in _pairs(used.spans, before.spans):
            address = mine.clash(theirs)
            if address is not None:
                now, then = (name, line, used, mine), (earlier, there, before, theirs)
                if other.number > order.number:  # whatever order they ended in
                    now, then = then, now
                raise DeviceError(errc.kernel, _told(now, then, address))


def _pairs(mine: Iterable[Span], theirs: Sequence[Span]) -> Iterable[tuple[Span, Span]]:
    return ((a, b) for a in mine for b in theirs
            if a.low < b.high and b.low < a.high and not b.gone())


_Use: TypeAlias = tuple[str, str, Footprint, Span]


def _told(now: _Use, before: _Use, address: int) -> str:
    """Return what is wrong with two uses of one number."""
    name, line, used, mine = now
    other, there, had, theirs = before
    w, r = (int(x[mine.at(address)]) for x in (mine.written, mine.read))
    v, q = (int(x[theirs.at(address)]) for x in (theirs.written, theirs.read))
    does, at = ("writes", w) if w else ("reads", r)
    did, then = ("written", v) if v else ("read", q)
    return (f"{name}, submitted at {line}: data race between commands: it {does} "
            f"{mine.name(address)}{used.place(at)}, which {other}, submitted at {there}, has {did} "
            f"as {theirs.name(address)}{had.place(then)}, and nothing orders the two; give the "
            "later one the event of the earlier one, wait between them, or use one in-order queue")


def whole(name: str, view: BoundView, block: Any, *, writes: bool) -> Span:
    """Return what a copy or fill uses of a view."""
    size = int(view.memory.itemsize)
    low = view.slots()[0] + sum(min(0, (e - 1) * p) for e, p in zip(
        view.shape, view.pitches, strict=True)) * size
    count = 1 + sum((e - 1) * abs(p) for e, p in zip(view.shape, view.pitches, strict=True))
    if count == math.prod(view.shape):
        used: Numbers = np.broadcast_to(np.uint16(1), count)
    else:
        used = np.zeros(count, np.uint16)
        steps = tuple(2 * abs(p) for p in view.pitches)
        np.lib.stride_tricks.as_strided(used, view.shape, steps)[...] = 1
    none = np.broadcast_to(np.uint16(0), count)
    return Span(low, size, used if writes else none, none if writes else used, used != 0,
                [(name, view, block)])
