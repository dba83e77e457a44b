"""Reductions across ranks: each rank's partial result becomes the result, on all of them.

Among few ranks each sends its own to each other one. Among many, what a rank knows doubles with
each round: six rounds for 64 ranks, and a message of each rank in each. Non-goals: reductions
within a rank (the queue's). Invariant: partial results are combined in the order of ranks, so that
all ranks hold the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.base.enums import access_mode, target
from unisycl.ranks.graph.boxes import whole
from unisycl.ranks.links import progress
from unisycl.ranks.links.gates import gate_of
from unisycl.ranks.links.link import Ending, Link
from unisycl.ranks.queue import messages
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.graph.tasks import Task

FEW = 8
"""So many ranks send to one another; more of them by rounds."""


def combine(channel: Any, link: Link, reduction: Any, tag: int) -> Task:
    """Submit the command that combines the partial results of one reduction."""
    variable = reduction._variable
    buffer = variable.buffer
    region = buffer.region
    access = Access(region.memory, region.start, region.stop, access_mode.read_write, False,
                    target.host_task)

    def begin(_: Any) -> Gate:
        here = messages.elements(buffer, whole(buffer.shape)).reshape(-1)  # type: ignore[arg-type]
        if link.size <= FEW:
            return _Combining(link, reduction.op, here, tag).gate
        rounds = _Rounds(link, here, tag)
        return gate_of(rounds.ending, lambda: _fold(reduction.op, rounds.pieces(), here),
                       alone=True)
    return messages.command(channel, f"combine buffer {buffer.number}", [access], begin)


def _fold(op: Any, pieces: Any, here: Any) -> None:
    """Combine what all ranks have found, in their order."""
    total = pieces[0].copy()
    for piece in pieces[1:]:
        for k in range(total.size):
            total[k] = op(total[k], piece[k])
    here[:] = total


class _Combining:
    """One reduction under way: what was posted, and what has come."""

    def __init__(self, link: Link, op: Any, here: Any, tag: int) -> None:
        self.op, self.here, self.gate = op, here, Gate()
        self.pieces = np.empty((link.size, here.size), here.dtype)
        self.pieces[link.rank] = here
        mine = self.pieces[link.rank]
        others = [r for r in range(link.size) if r != link.rank]
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
            _fold(self.op, self.pieces, self.here)
        self.gate.finish(error)


class _Rounds:
    """What all ranks have found, by rounds: in each, as much comes as is there (Bruck's way).

    Row k is of the k-th rank behind this one. Who carries the ending on posts the next round, so
    that ranks of one process do not post one within another.
    """

    def __init__(self, link: Link, here: Any, tag: int) -> None:
        self.link, self.tag, self.have = link, tag, 1
        self.rows = np.empty((link.size, here.size), here.dtype)
        self.rows[0] = here
        self._posted = self._post()
        self.ending = Ending(self._step)
        progress.add(self.ending)

    def _post(self) -> list[Ending]:
        link, have = self.link, self.have
        count = min(have, link.size - have)
        return [link.receive((link.rank + have) % link.size, self.tag,
                             self.rows[have:have + count]),
                link.send((link.rank - have) % link.size, self.tag, self.rows[:count])]

    def _step(self) -> None:
        if sum(e.done() for e in self._posted) < len(self._posted):  # each is carried on
            return
        error = next((e.error() for e in self._posted if e.error() is not None), None)
        self.have = min(2 * self.have, self.link.size)
        if error is not None or self.have == self.link.size:
            self.ending.finish(error)
            return
        self._posted = self._post()

    def pieces(self) -> Any:
        """Return what each rank has found, in the order of ranks."""
        return np.roll(self.rows, self.link.rank, 0)
