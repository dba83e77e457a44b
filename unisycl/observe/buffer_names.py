"""What the user calls a buffer: the variable that holds it, looked for in the callers' frames.

Used only while submissions are recorded. Non-goals: being complete; a buffer without
a name is called by its shape and type. Invariant: no user code runs; only our own objects are
asked anything.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import FrameType
from typing import Any

from unisycl.base.dataclass import dataclass
from unisycl.runtime.memory.buffers import BufferMemory

_OURS = ("unisycl.api.", "unisycl.runtime.", "unisycl.compat12.")
_FRAMES = 12
_MEMBERS = 64


@dataclass(frozen=True, slots=True)
class Named:
    """What is known of a buffer; the name is "" if no variable holds it."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    itemsize: int


def find_names(wanted: Collection[BufferMemory],
               used: Collection[str]) -> dict[BufferMemory, Named]:
    """Return names for memories, other than those used already where there is a choice.

    The outermost variable wins: functions call what they are given by names of their own.
    """
    found: dict[BufferMemory, Named] = {}
    held: dict[BufferMemory, list[Named]] = {}
    for name, thing in _variables():
        region = _region_of(thing)
        if region is not None and region.memory in wanted:
            held.setdefault(region.memory, []).append(_named(name, region))
    for memory, names in held.items():
        whole = [n for n in names if _nbytes(n) >= memory.nbytes] or names
        fresh = [n for n in whole if n.name not in used] or [_numbered(whole[-1], len(used))]
        plain = [n for n in fresh if n.name.isidentifier()]
        found[memory] = plain[-1] if plain else fresh[0]
    return found


def _numbered(named: Named, number: int) -> Named:
    return Named(f"{named.name}#{number}", named.shape, named.dtype, named.itemsize)


def describe(arguments: Iterable[Any]) -> Iterator[tuple[BufferMemory, Named]]:
    """Yield what the accessors among a kernel's arguments know of their buffers: no name."""
    for thing in arguments:
        region = getattr(thing, "_region", None) if _is_ours(thing) else None
        if region is not None:
            yield region.memory, _named("", region)


def _nbytes(named: Named) -> int:
    return math.prod(named.shape) * named.itemsize


def _named(name: str, region: Any) -> Named:
    return Named(name, tuple(region.shape), str(region.dtype), region.dtype.itemsize)


def _is_ours(thing: Any) -> bool:
    """Say whether an object is of a class of ours, or of one that a program derived from it."""
    return any(kind.__module__.startswith(_OURS) for kind in type(thing).__mro__)


def _region_of(thing: Any) -> Any:
    """Return the region of a buffer; None of anything else."""
    return getattr(thing, "region", None) if _is_ours(thing) else None


def _variables() -> Iterator[tuple[str, Any]]:
    """Yield the variables in reach of the user's code, the nearest first, members last."""
    later: list[tuple[str, Any]] = []
    seen: set[int] = set()
    for frame in _user_frames():
        for space in (frame.f_locals, frame.f_globals):
            if id(space) in seen:
                continue
            seen.add(id(space))
            for name, value in list(space.items()):
                if name.startswith("_"):
                    continue
                yield name, value
                later += _members(name, value)
    yield from later


def _members(name: str, value: Any) -> list[tuple[str, Any]]:
    """Return what is in a list, tuple or dict, or what ``self`` holds."""
    if type(value) in (list, tuple) and len(value) <= _MEMBERS:
        return [(f"{name}[{k}]", v) for k, v in enumerate(value) if _is_ours(v)]
    if type(value) is dict and len(value) <= _MEMBERS:
        return [(f"{name}[{k!r}]", v) for k, v in list(value.items())
                if type(k) in (str, int) and _is_ours(v)]
    held: Mapping[str, Any] = getattr(value, "__dict__", {}) if name == "self" else {}
    return [(f"self.{k}", v) for k, v in list(held.items()) if _is_ours(v)]


def _user_frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    left = _FRAMES
    while frame is not None and left:
        if not f"{frame.f_globals.get('__name__', '')}.".startswith(_OURS):
            left -= 1
            yield frame
        frame = frame.f_back
