"""Groups of messages that begin together (``group_start``, ``group_end``).

Non-goals: collective calls, which need no group. Invariant: a group belongs to the thread that
began it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import unisycl as sycl
from unisycl.oneapi.ccl.running import run
from unisycl.oneapi.frame.refusals import refuse

_here = threading.local()


class _Later:
    """One message of a group until the group ends."""

    def __init__(self, comm: Any, queue: Any, sides: Sequence[Any], post: Any,
                 after: list[Any]) -> None:
        self.comm, self.queue, self.sides, self.post, self.after = comm, queue, sides, post, after
        self.event = sycl.ext.unisycl.user_event()


def collecting() -> bool:
    """Say whether messages of this thread are put off."""
    return getattr(_here, "depth", 0) > 0


def put_off(comm: Any, queue: Any, sides: Sequence[Any], post: Any, after: list[Any]) -> Any:
    """Keep a message for the end of the group; return its event."""
    made = _Later(comm, queue, sides, post, after)
    _here.put_off.append(made)
    return made.event


def group_start() -> None:
    """Begin a group: messages up to ``group_end`` begin together, in whatever order."""
    if not collecting():
        _here.depth, _here.put_off = 0, []
    _here.depth += 1


def group_end() -> list[Any]:
    """Begin the messages of the group; return an event for each queue it used."""
    if not collecting():
        refuse("group_end", "no group was begun by group_start in this thread")
    _here.depth -= 1
    if _here.depth:
        return []
    waiting, _here.put_off = _here.put_off, []
    together: dict[tuple[int, int], list[_Later]] = {}
    for one in waiting:
        together.setdefault((id(one.comm), id(one.queue)), []).append(one)
    events = []
    for ones in together.values():
        first = ones[0]
        events.append(run(first.comm, first.queue, [s for o in ones for s in o.sides],
                                 [o.post for o in ones], [e for o in ones for e in o.after]))
        _follow(first.queue, events[-1], [o.event for o in ones])
    return events


def _follow(queue: Any, done: Any, events: Sequence[Any]) -> None:
    """End the messages' events with the command that carries them."""
    def end() -> None:
        for event in events:
            event.set()
    queue.submit(_after(done, end))


def _after(done: Any, body: Callable[[], None]) -> Any:
    def group(h: sycl.handler) -> None:
        h.depends_on([done])
        h.host_task(body)
    return group
