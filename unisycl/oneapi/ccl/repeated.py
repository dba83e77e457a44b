"""What is kept of a collective call over arrays, to make it again (``again``).

Non-goals: finding it. Invariants: the call begins in the thread that makes it, as it would by the
long way, or goes that way: where a command of the queue or a call before it has not ended, and
where somebody looks at commands.
"""

from __future__ import annotations

import time
import weakref
from typing import Any

import numpy as np

from unisycl.oneapi.ccl.again import Operand
from unisycl.oneapi.ccl.running import PATIENCE, at_once
from unisycl.ranks.links.link import Call


def _operands(sides: Any, given: tuple[Any, ...]) -> list[Operand | None] | None:
    """Return where the memory of a call is among what it was given; None if it is not."""
    found: list[Operand | None] = []
    for side in sides:
        at = None if side is None else next((k for k, x in enumerate(given) if x is side.x), None)
        if side is not None and at is None:
            return None
        found.append(None if at is None else Operand(at, side.x, side.count, writes=side.writes))
    return found


def _before(comm: Any) -> list[Any] | None:
    """Return the calls that have to end first; None of those that a graph recorded."""
    last = comm.last
    if last is None:
        return []
    if last[0] is not None:
        return None
    task = last[1].task
    return [] if task is None or task.done() else [last[1]]


class OfArrays:
    """A call over arrays of the host, without them."""

    def __init__(self, request: Any, operands: list[Operand | None], same: bool) -> None:
        self.name, self.more, self.same = request.name, request.more, same
        self.operands, op = operands, request.op
        self.function: Any = None if op is None else op.function
        self.op_name: str = "" if op is None else op.name
        self.queue, self.where = weakref.ref(request.queue), request.where is None
        send, recv = (None if s is None else s.array() for s in (request.send, request.recv))
        self.said = Call(self.name, send, recv, self.function, self.op_name,
                         **self.more).signature()

    @classmethod
    def of(cls, request: Any, given: tuple[Any, ...]) -> OfArrays | None:
        """Return what makes a call again; None if it was not over arrays that were given first."""
        sides = request.send, request.recv
        found = _operands(sides, given)
        if found is None or not all(s is None or isinstance(s.x, np.ndarray) for s in sides):
            return None
        return cls(request, found, request.send is request.recv)

    def again(self, comm: Any, given: tuple[Any, ...], where: Any) -> Any:
        """Make it again with memory of the same ids; return its event, None for the long way."""
        queue = self.queue()
        if queue is None or queue is not comm.latest() or comm.link.broken is not None or (
                where is not (None if self.where else queue)):
            return None
        if _before(comm) != []:
            return None
        arrays = [None if one is None else one.array(given) for one in self.operands]
        for one, array in zip(self.operands, arrays, strict=True):
            if one is not None and array is None:
                return None
        send, recv = arrays
        begin, link, found = time.perf_counter(), comm.link, []

        def post() -> None:
            found.append(link.collect(Call(
                self.name, recv if self.same else send, recv, self.function, self.op_name,
                said=self.said, hold=PATIENCE, **self.more)))
        if not queue.ext_unisycl_call_now(post):
            return None
        event = at_once(queue, found[0], begin)
        comm.last = None, event
        return event


class OfCards:
    """A call over USM memory of a card, which it keeps."""

    def __init__(self, request: Any, operands: list[Operand | None]) -> None:
        self.call, self.operands = request.way, operands
        self.queue, self.where = weakref.ref(request.queue), request.where is None

    @classmethod
    def of(cls, request: Any, given: tuple[Any, ...]) -> OfCards | None:
        """Return what makes a call again; None if it was not over USM that was given first."""
        found = _operands((request.send, request.recv), given)
        return None if found is None or request.way.group is None else cls(request, found)

    def again(self, comm: Any, given: tuple[Any, ...], where: Any) -> Any:
        """Make it again with memory of the same ids; return its event, None for the long way."""
        queue = self.queue()
        if queue is None or queue is not comm.latest() or comm.link.broken is not None or (
                where is not (None if self.where else queue)) or (
                queue.channel.recorder is not None):
            return None
        for one in self.operands:
            if one is not None and not one.same(given):
                return None
        after = _before(comm)
        if after is None:
            return None
        event = self.call.again(comm, queue, after)
        comm.last = None, event
        return event
