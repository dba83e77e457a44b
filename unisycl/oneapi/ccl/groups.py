"""Groups of messages that begin together (``group_start``, ``group_end``).

Non-goals: collective calls, which need no group. Invariant: a group belongs to the thread that
began it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import unisycl as sycl
from unisycl.oneapi.ccl.running import run
from unisycl.oneapi.frame.refusals import refuse
from unisycl.ranks.links.gates import after_task

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
        _follow(events[-1], [o.event for o in ones])
    return events


def _follow(done: Any, events: Sequence[Any]) -> None:
    """End the messages' events with the command that carries them, whatever became of it."""
    task = done.task

    def end() -> None:  # for commands that wait for them already
        for event in events:
            event._command.end(None if task is None else task.error)
    if task is None:
        end()
        return
    after_task(task, end)
    for event in events:
        event.task = task  # who waits from now on is told of its error
