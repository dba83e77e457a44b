"""How a collective call becomes a command of a queue: what it waits for, runs, and returns.

Non-goals: what the call does (``collectives``). Invariants: the calls of a communicator follow one
another; messages do not wait for calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import unisycl as sycl
from unisycl.oneapi.ccl import groups
from unisycl.oneapi.ccl.communicators import communicator
from unisycl.oneapi.ccl.memory import Side
from unisycl.oneapi.ccl.running import run
from unisycl.oneapi.ccl.streams import stream
from unisycl.oneapi.frame.refusals import refuse
from unisycl.oneapi.frame.results import events_of


def queue_of(routine: str, comm: communicator, where: Any) -> sycl.queue:
    """Return the queue that a call runs on."""
    if where is None:
        if comm.host is None:
            comm.host = sycl.queue(sycl.host_selector_v)
        return comm.host
    if isinstance(where, stream):
        return where.queue
    if isinstance(where, sycl.queue):
        return where
    return refuse(routine, f"expected a stream or a queue, got {type(where).__name__}")


def submit(comm: communicator, queue: sycl.queue, sides: Sequence[Side], post: Any,
           depends_on: Any, *, ordered: bool, way: Callable[..., Any] = run) -> Any:
    """Submit a call as a command of the queue; return its event.

    ``post`` begins it, once the memory is there; ``ordered``: behind the calls before it; ``way``
    makes the command.
    """
    if not ordered and groups.collecting():
        return groups.put_off(comm, queue, sides, post, events_of(depends_on))
    if queue is not comm.latest():
        comm.watch(queue)
    recording = queue.channel.recorder is not None
    after = events_of(depends_on)
    last = comm.last
    if ordered and last is not None and last[0] is (queue if recording else None) and (
            recording or not _over(last[1])):
        after = [*after, last[1]]
    event = way(comm, queue, sides, [post], after)
    if ordered:
        comm.last = (queue if recording else None), event
    return event


def _over(event: Any) -> bool:
    """Say whether a call has ended: one that failed does not hold up those that follow."""
    if event.task is None:
        return True
    status = event.get_info(sycl.info.event.command_execution_status)
    return bool(status is sycl.info.event_command_status.complete)
