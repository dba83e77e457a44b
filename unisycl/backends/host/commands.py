"""Races between two commands: kernels that use the same USM memory and that nothing orders.

The numbers that each launch read and wrote are compared with those of the launches before it.
Non-goals: commands that are no kernels, buffers (accessors order them). Invariant: what is told is
a race, whatever order the commands happened to run in.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from unisycl.backends.base import Launch
from unisycl.backends.host.races import Shared, Watch
from unisycl.base.callers import place
from unisycl.base.errors import DeviceError, errc

_MOST = 64
_lock = threading.Lock()
_past: deque[tuple[Any, str, str, dict[tuple[int, int], Shared]]] = deque(maxlen=_MOST)


def compare(watch: Watch, launch: Launch) -> None:
    """Raise ``DeviceError`` if a launch that has run races with one before it."""
    order = launch.order
    if order is None or not watch.shared:
        return
    where = place(launch.where) if launch.where is not None else "an unknown line"
    with _lock:
        past = list(_past)
        _past.append((order, launch.executable.kernel.name, where, watch.shared))
    for other, earlier, there, used in past:
        if not order.after(other):
            for key in watch.shared.keys() & used.keys():
                text = _told(watch.shared[key], used[key], earlier, there)
                if text:
                    name = launch.executable.kernel.name
                    raise DeviceError(errc.kernel, f"kernel '{name}', submitted at {where}: {text}")


def _told(now: Shared, before: Shared, other: str, there: str) -> str:
    """Return what is wrong with two uses of one number; "" if nothing is."""
    if not (now.written or before.written) or (now.atomic and before.atomic):
        return ""
    block = before.block()
    if block is None or block.freed:
        return ""
    did, at = ("writes", now.written) if now.written else ("reads", now.read)
    had, then = ("written", before.written) if before.written else ("read", before.read)
    return (f"data race between commands: it {did} {now.name} at {at}, which kernel '{other}', "
            f"submitted at {there}, has {had} as {before.name} at {then}, and nothing orders the "
            "two; give the later one the event of the earlier one, wait between them, or use one "
            "in-order queue")
