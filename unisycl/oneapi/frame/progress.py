"""How far a call is, for those who ask: ``progress=True``, or a function such as ``tqdm``.

What is counted are the call's commands, into which large work is divided for that. Non-goals:
drawing more than a line, which other packages do. Invariant: nothing is printed unless asked, and
nothing by a call that is short.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import unisycl as sycl
from unisycl.oneapi.frame.refusals import refuse

_SHORT = 0.5
"""Seconds before the first line."""
PIECES = 16
"""Commands that large work is divided into."""
_LARGE = 1 << 20
"""Elements of work that is divided."""


def checked(routine: str, asked: Any) -> Any:
    """Return what was asked for: None, or a function of events that goes through them."""
    if asked is None or asked is False:
        return None
    if asked is True:
        return lambda events: _line(routine, events)
    if not callable(asked):
        refuse(routine, "progress is True, or a function that goes through events and gives them "
               f"on, such as tqdm; got {type(asked).__name__}")
    return asked


def watch(asked: Any, events: list[sycl.event]) -> None:
    """Go through events as they end."""
    for _ in asked(sycl.ext.unisycl.as_completed(events)):
        pass


def _line(routine: str, events: Any) -> Iterator[Any]:
    """Give events on, and write to standard error how many there were."""
    begin, written = time.monotonic(), False
    for done, event in enumerate(events, 1):
        spent = time.monotonic() - begin
        if spent > _SHORT:
            written = True
            sys.stderr.write(f"\r{routine}: {done} of {len(events)} commands, {spent:.1f} s")
            sys.stderr.flush()
        yield event
    if written:
        sys.stderr.write("\n")


def pieces(count: int, unit: int = 1) -> Iterator[tuple[int, int]]:
    """Divide so many elements, if they are many, at multiples of a unit."""
    step = count if count < _LARGE else -(-count // (PIECES * unit)) * unit
    for first in range(0, count, step):
        yield first, min(first + step, count)
