"""What of the driver of a card makes graphs of CUDA's.

Non-goals: their nodes (``batch``, ``controls``). Invariant: a driver that turns out to decide about
no conditions is asked once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from unisycl.backends.base import Joins, Launch, Part
from unisycl.backends.cuda.commands.commands import Commands
from unisycl.backends.cuda.discovery.card import Card
from unisycl.backends.cuda.launch.batch import CuBatch, made_batch
from unisycl.backends.cuda.launch.controls import Decider
from unisycl.backends.cuda.launch.joined import Joining
from unisycl.backends.cuda.launch.prepared import Prepared
from unisycl.backends.cuda.memory.heap import Heap
from unisycl.backends.cuda.session import Session
from unisycl.backends.cuda.text.target import Target
from unisycl.backends.device.facts import Facts
from unisycl.base.errors import exception


class Opened(Protocol):
    """What is asked of a driver's context."""

    session: Session
    commands: Commands
    heap: Heap
    decider: Decider | None
    joining: Joining


class Batching(Joins):
    """What of the driver of a card takes many commands at once."""

    card: Card
    facts: Facts
    target: Target

    def opened(self) -> Opened:
        """Return the context and what works in it."""
        raise NotImplementedError

    def prepared(self, launch: Launch) -> Prepared | None:
        """Return a launch as the driver's function takes it; None where that is not all of it."""
        raise NotImplementedError

    def decider(self) -> Decider | None:
        """Return what reads conditions of graphs; None where the driver's have none."""
        here = self.opened()
        if here.decider is None and self.controls:
            try:
                here.decider = Decider(here.session, self.target)
            except exception:  # conditions are read by the host then, as on other devices
                if here.session.lost is not None:
                    raise
                self.controls = False
        return here.decider

    def counters(self) -> Any:
        """Return two numbers of 64 bits that host and card reach, both 0."""
        found = self.opened().heap.pinned(16).view(np.uint64)
        found[:] = 0
        return found

    def batch(self, launches: Sequence[Part], before: Sequence[Sequence[int]]) -> CuBatch | None:
        """Return commands as a graph of CUDA's."""
        return made_batch(self, self.opened().commands, launches, before)

    def together(self, launches: Sequence[Launch]) -> Launch:
        """Return one launch of kernels that wait for one another."""
        here = self.opened()
        return here.joining.launch_of(self, here.session, launches)
