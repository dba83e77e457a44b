"""Reductions across ranks: each rank's partial result becomes the result, on all of them.

Non-goals: reductions within a rank (the queue's). Invariant: partial results are combined in the
order of ranks, so that all ranks hold the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.base.enums import access_mode, target
from unisycl.ranks.graph.boxes import whole
from unisycl.ranks.links.link import Ending, Link
from unisycl.ranks.queue import messages
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.graph.tasks import Task


def combine(channel: Any, link: Link, reduction: Any, tag: int) -> Task:
    """Submit the command that combines the partial results of one reduction."""
    variable = reduction._variable
    buffer = variable.buffer
    region = buffer.region
    access = Access(region.memory, region.start, region.stop, access_mode.read_write, False,
                    target.host_task)

    def begin(_: Any) -> Gate:
        here = messages.elements(buffer, whole(buffer.shape)).reshape(-1)  # type: ignore[arg-type]
        return _Combining(link, reduction.op, here, tag).gate
    return messages.command(channel, f"combine buffer {buffer.number}", [access], begin)


class _Combining:
    """One reduction under way: what was posted, and what has come."""

    def __init__(self, link: Link, op: Any, here: Any, tag: int) -> None:
        self.op, self.here, self.gate = op, here, Gate()
        self.pieces = np.empty((link.size, here.size), here.dtype)
        self.pieces[link.rank] = here
        mine = self.pieces[link.rank]
        others = [r for r in range(link.size) if r != link.rank]
        self.left = 2 * len(others)
        posted: list[Ending] = [link.receive(r, tag, self.pieces[r]) for r in others]
        posted += [link.send(r, tag, mine) for r in others]
        self._ends = list(posted)
        for one in posted:
            one.call(self._ended)

    def _ended(self) -> None:
        if self.gate.done() or not all(e._done for e in self._ends):
            return
        error = next((e.error() for e in self._ends if e.error() is not None), None)
        if error is None:
            total = self.pieces[0].copy()
            for piece in self.pieces[1:]:
                for k in range(total.size):
                    total[k] = self.op(total[k], piece[k])
            self.here[:] = total
        self.gate.finish(error)
