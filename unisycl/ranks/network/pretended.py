"""The link of a simulation: so many ranks, of which this process is the first.

Non-goals: the others, which are not run. Invariant: nothing is sent, and every call ends at once,
as if all other ranks had said the same.
"""

from __future__ import annotations

from unisycl.ranks.links.alone import AloneLink
from unisycl.ranks.links.link import Array, Ending
from unisycl.ranks.network.clock import Clock
from unisycl.ranks.network.machine import Machine


class PretendedLink(AloneLink):
    """The first of so many ranks.

    ``program`` is what was submitted.
    """

    provider = "simulated"

    def __init__(self, size: int) -> None:
        super().__init__(60.0, 0, size)
        self.name = "simulated"
        self.program = Program(size)

    def duplicate(self) -> PretendedLink:
        return self

    def exchange(self, text: bytes, about: str = "") -> list[bytes]:
        return [text] * self.size

    def send(self, to: int, tag: int, data: Array, words: str = "") -> Ending:
        return _over()

    def receive(self, source: int, tag: int, data: Array, words: str = "") -> Ending:
        return _over()


def _over() -> Ending:
    made = Ending()
    made.finish()
    return made


class Program:
    """What a program submitted: group for group, what is sent and what is run, on all ranks."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.groups: list[Group] = []
        self.costs: dict[str, float] = {}

    def times(self, machine: Machine, trace: int = 0) -> Clock:
        """Return the times on a machine."""
        clock = Clock(self.size, machine, trace)
        for group in self.groups:
            group.run(clock, self.costs)
        return clock


class Group:
    """One command group: transfers, a kernel, or a wait."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.transfers: list[tuple[int, int, int, int]] = []
        self.parts: list[tuple[int, float, float]] = []
        self.reads: tuple[int, ...] = ()
        self.writes: tuple[int, ...] = ()
        self.kernel = ""
        self.waits: tuple[int, ...] | None = None
        self.combines: tuple[tuple[int, int], ...] = ()

    def run(self, clock: Clock, costs: dict[str, float]) -> None:
        """Let a clock go on by this group."""
        clock.submit(self.name)
        crowd = len({t[0] for t in self.transfers})
        for source, target, buffer, nbytes in self.transfers:
            clock.message((source, target), buffer, nbytes, f"buffer {buffer}", crowd)
        if self.kernel:
            memory = clock.machine.memory
            for rank, items, touched in self.parts:
                cost = touched / memory if memory else items * costs.get(self.kernel, 0.0)
                clock.kernel(rank, self.name, cost, self.reads, self.writes)
        for buffer, nbytes in self.combines:
            for source in range(clock.size):
                for target in range(clock.size):
                    if source != target:
                        clock.message((source, target), buffer, nbytes, "reduction")
        if self.waits is not None:
            clock.wait(self.waits)
