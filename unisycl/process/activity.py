"""Whether anything else is at work while a kernel runs: other commands, other threads.

Non-goals: which commands. Invariant: the runtime tells; without it there are none.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

BUSY = ("unisycl-host-kernel", "unisycl-host-group", "unisycl-host-item", "unisycl I/O pipe")
"""Threads of ours that change memory."""
_waiting: dict[int, int] = {}
_waits = itertools.count()
_sources: list[Callable[[], int]] = []


def register(count: Callable[[], int]) -> None:
    """Have a function counted that says how many commands have not ended."""
    _sources.append(count)


def unfinished() -> int:
    """Return how many commands have not ended."""
    return sum(count() for count in _sources)


def wait_begins() -> None:
    """Note that the calling thread does nothing but wait for a command."""
    _waiting[threading.get_ident()] = next(_waits)


def wait_ends() -> None:
    """Note that the calling thread goes on."""
    _waiting.pop(threading.get_ident(), None)


def moment(running: int | None = None) -> Any:
    """Return what stays equal while nothing but one command is at work; None if more is.

    All threads of Python's but the one that is ``running`` it are ours or wait for a command, each
    as long as the value is the same.
    """
    for thread in threading.enumerate():
        ours = thread.name.startswith("unisycl") and not thread.name.startswith(BUSY)
        if thread.ident not in _waiting and thread.ident != running and not ours:
            return None
    return None if unfinished() > 1 else tuple(_waiting.items())
