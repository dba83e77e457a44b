"""Meetings of some work-items of a sub-group: the members of a fragment, and those of a tangle.

Non-goals: what they do there (``collectives``). Invariant: who meets is what program order says: of
all who wait to entangle, those go first who are earliest in it, so nobody can still join them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from unisycl.backends.host.rewrite import turns_of

_GENERATOR = 0x20
Moment = tuple[tuple[int, int, int], ...]


def moment(frame: FrameType | None) -> Moment:
    """Return where in program order a work-item is, from the frame that makes a request.

    Function by function, outermost first: the loops around the place with their turns, the place.
    """
    parts: list[tuple[tuple[int, int, int], ...]] = []
    while frame is not None and not frame.f_code.co_flags & _GENERATOR:
        frame = frame.f_back
    while frame is not None and frame.f_code.co_flags & _GENERATOR:
        line = frame.f_lineno
        parts.append((*turns_of(frame.f_locals, line), (line, frame.f_lasti, 0)))
        frame = frame.f_back
    return tuple(place for part in reversed(parts) for place in part)


def here() -> Moment:
    """Return the moment of the work-item whose group function is being prepared."""
    return moment(sys._getframe(1))


def ready(requests: Sequence[Any], start: int, stop: int, present: object) -> list[int]:
    """Return work-items of a sub-group that can meet without the others; none if there are none.

    Args:
        requests: what each item waits for.
        start: the sub-group's first item.
        stop: the one behind its last.
        present: the collective by which work-items entangle.
    """
    for k in range(start, stop):
        request = requests[k]
        if request is None or isinstance(request[2], bool):
            continue
        members = [start + lane for lane in lanes(request[2])]
        if all(m < stop and _alike(requests[m], request) for m in members):
            return members
    waiting = [(requests[k][3][0], k) for k in range(start, stop)
               if requests[k] is not None and requests[k][1] is present]
    if not waiting:
        return []
    first = min(waiting)[0]
    return [k for when, k in waiting if when == first]


def _alike(a: Any, b: Any) -> bool:
    """Say whether two work-items wait in the same call of the same fragment."""
    return a is not None and a[0] is b[0] and a[1] is b[1] and a[2] == b[2]


def lanes(bits: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1
