"""The steps of an executable graph: what is started by one call.

Non-goals: which nodes are joined (``command_graph``). Invariant: the nodes of a step are in an
order that respects the edges between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from unisycl.backends import base
from unisycl.backends.base import Batch, Completion, Driver, Launch
from unisycl.runtime.graph.completions import ended
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.graph.tasks import Begin
from unisycl.runtime.launch.launch import BeginTransfer
from unisycl.runtime.memory import moves
from unisycl.runtime.recorded.controls import BeginControl


class Part(Protocol):
    """What is asked of a node."""

    accesses: list[Access]
    begin: Begin | None
    label: str
    launch: Launch | None
    native: bool


class Step:
    """What is started by one call: a batch of small commands, or one."""

    __slots__ = ("_begin", "_places", "batch", "before", "edges", "nodes")

    def __init__(self) -> None:
        self.nodes: list[Part] = []
        self.edges: list[list[int]] = []
        """For each node those of the step that it runs after."""
        self._places: dict[int, int] = {}
        self.before: set[int] = set()
        self._begin: Begin | None = None
        self.batch: Batch | None = None

    def label(self) -> str:
        """What messages call it."""
        return self.nodes[0].label

    def native(self) -> bool:
        """Say whether the driver orders it after its own commands."""
        return all(n.native for n in self.nodes)

    def add(self, number: int, node: Part, needs: Iterable[int]) -> None:
        """Add a node, given with its number and those of nodes that it runs after."""
        self._places[number] = len(self.nodes)
        self.nodes.append(node)
        self.edges.append([self._places[k] for k in needs if k in self._places])

    def make(self, driver: Driver) -> None:
        """Make the batch, once its nodes are known or have changed."""
        found = _parts(self.nodes)
        if found is None or self.batch is None or not self.batch.update(found, self.edges):
            self.batch = batch_of(driver, self)
        node = self.nodes[0]
        at_home = [a for a in node.accesses if moves.space_of(a, driver) != driver.memory]
        self._begin = node.begin
        if at_home and node.begin is not None:
            self._begin = moves.at_home(node.begin, at_home, driver)

    def outgrown(self, driver: Driver) -> bool:
        """Say whether its nodes have become too large to be one batch."""
        return len(self.nodes) > 1 and batch_of(driver, self) is None

    def parts(self) -> tuple[list[base.Part], list[list[int]]] | None:
        """Return the commands of a batch and what they run after; None where it is none."""
        found = None if self.batch is None else _parts(self.nodes)
        return None if found is None else (found, self.edges)

    def start(self, deps: Sequence[Completion]) -> Completion:
        """Start it after completions of the driver."""
        if self.batch is not None:
            return self.batch.launch(deps)
        return ended() if self._begin is None else self._begin(deps)


def _parts(nodes: Sequence[Part]) -> list[base.Part] | None:
    found: list[base.Part] = []
    for n in nodes:
        if n.launch is not None and not n.launch.rest:
            found.append(n.launch)
        elif n.launch is None and isinstance(n.begin, BeginTransfer):
            found.append(n.begin.transfer)
        elif isinstance(n.begin, BeginControl):
            found.append(n.begin.control)
    return found if len(found) == len(nodes) else None


def batch_of(driver: Driver, step: Step) -> Batch | None:
    """Return nodes as one batch; None where one is no kernel or must start separately."""
    found = _parts(step.nodes)
    return None if found is None else driver.batch(found, step.edges)
