"""When commands of many ranks would begin and end, and which of them the end waits for.

Each rank has a host that submits, a device, and a port to send and one to receive by. Non-goals:
what is sent (``ranks.graph``); parts of a buffer on one rank: what kernels write there is one
thing, what arrives another. Invariant: a command begins when the last of what it needs is there,
and remembers what that was.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unisycl.ranks.network.machine import Machine


@dataclass(slots=True, eq=False)
class Event:
    """A command of a rank, ``kernel``, ``message`` or ``submit``, and what it waited for."""

    kind: str
    name: str
    rank: int
    begin: float
    end: float
    before: Event | None
    other: int = -1
    nbytes: int = 0


class Clock:
    """The times of a program on a machine.

    ``trace``: events of so many ranks are kept for a picture.
    """

    def __init__(self, size: int, machine: Machine, trace: int = 0) -> None:
        self.size, self.machine, self.trace = size, machine, trace
        self.hosts: list[Event | None] = [None] * size
        self.devices: list[Event | None] = [None] * size
        self.out: list[Event | None] = [None] * size
        self.into: list[Event | None] = [None] * size
        self.written: dict[tuple[int, int], Event] = {}
        self.read: dict[tuple[int, int], Event] = {}
        self.arrived: dict[tuple[int, int], Event] = {}
        self.leaving: dict[tuple[int, int], Event] = {}
        self.kept: list[Event] = []
        self.last: Event | None = None
        self.busy = [0.0] * size
        self.sent = self.messages = 0

    def submit(self, name: str) -> None:
        """Let every rank submit a command group."""
        for rank in range(self.size):
            self._event(Event("submit", name, rank, 0.0, 0.0, None), [self.hosts[rank]],
                        self.machine.group, self.hosts)

    def message(self, ranks: tuple[int, int], buffer: int, nbytes: int, name: str,
                crowd: int = 1) -> None:
        """Send elements of a buffer: by the ports, through the switch.

        Of an oversubscribed switch each of a ``crowd`` of senders gets its share.
        """
        (source, target), m = ranks, self.machine
        slower = max(1.0, m.oversubscribed * crowd / self.size)
        busy = m.overhead + nbytes * slower / m.bandwidth
        left = Event("message", name, source, 0.0, 0.0, None, target, nbytes)
        self._begin(left, [self.hosts[source], self.written.get((source, buffer)),
                           self.out[source]])
        left.end = left.begin + busy
        arrives = Event("message", name, source, 0.0, left.begin + m.latency, left, target, nbytes)
        made = Event("message", name, source, 0.0, 0.0, None, target, nbytes)
        self._begin(made, [arrives, self.into[target], self.hosts[target],
                           self.read.get((target, buffer))])
        if made.before is arrives:
            made.before = left.before
        made.end, made.begin = made.begin + busy, left.begin
        self.out[source], self.into[target] = left, made
        self.arrived[target, buffer] = _later(self.arrived.get((target, buffer)), made)
        self.leaving[source, buffer] = _later(self.leaving.get((source, buffer)), left)
        self.sent, self.messages = self.sent + nbytes, self.messages + 1
        self._keep(made)

    def kernel(self, rank: int, name: str, cost: float, reads: Sequence[int],
               writes: Sequence[int]) -> None:
        """Run a kernel on a rank's device."""
        needs = [self.hosts[rank], self.devices[rank]]
        for of in (self.written, self.arrived):
            needs += [of.get((rank, b)) for b in (*reads, *writes)]
        for of in (self.read, self.leaving):
            needs += [of.get((rank, b)) for b in writes]
        made = Event("kernel", name, rank, 0.0, 0.0, None)
        self._event(made, needs, cost + self.machine.launch, self.devices)
        self.busy[rank] += cost
        for b in reads:
            self.read[rank, b] = _later(self.read.get((rank, b)), made)
        for b in writes:
            self.written[rank, b] = _later(self.written.get((rank, b)), made)

    def wait(self, buffers: Sequence[int]) -> None:
        """Let every host wait for buffers, or for everything if there are none."""
        for rank in range(self.size):
            found = [of.get((rank, b)) for b in buffers for of in (self.written, self.arrived)]
            found += [] if buffers else [self.devices[rank], self.into[rank]]
            latest = _latest([self.hosts[rank], *found])
            if latest is not None:
                self.hosts[rank] = latest

    def _event(self, made: Event, needs: Sequence[Event | None], cost: float,
               resource: list[Event | None]) -> None:
        self._begin(made, needs)
        made.end = made.begin + cost
        resource[made.rank] = made
        self._keep(made)

    def _begin(self, made: Event, needs: Sequence[Event | None]) -> None:
        made.before = _latest(needs)
        made.begin = 0.0 if made.before is None else made.before.end

    def _keep(self, made: Event) -> None:
        if self.last is None or made.end > self.last.end:
            self.last = made
        if made.rank < self.trace:
            self.kept.append(made)

    # ------------------------------------------------------------------ what came out
    @property
    def end(self) -> float:
        """When everything is over."""
        return 0.0 if self.last is None else self.last.end

    def critical_path(self) -> list[Event]:
        """Return the commands that the end waits for, first to last."""
        found, at = [], self.last
        while at is not None:
            found.append(at)
            at = at.before
        return found[::-1]

    def shares(self) -> dict[str, float]:
        """Return where the time of the critical path goes: seconds for each kind and name."""
        found: dict[str, float] = {}
        at = 0.0
        for event in self.critical_path():
            key = event.kind if event.kind == "submit" else f"{event.kind} {event.name}"
            found[key] = found.get(key, 0.0) + event.end - max(at, 0.0)
            at = event.end
        return dict(sorted(found.items(), key=lambda e: -e[1]))

    def write(self, path: Path) -> None:
        """Write what was kept as a trace for ui.perfetto.dev."""
        lanes = {"submit": "host", "kernel": "device", "message": "sends"}
        events: list[dict[str, Any]] = [
            {"ph": "M", "name": "process_name", "pid": r, "args": {"name": f"rank {r}"}}
            for r in range(min(self.trace, self.size))]
        events += [{"ph": "X", "name": e.name, "pid": e.rank, "tid": lanes[e.kind],
                    "ts": e.begin * 1e6, "dur": (e.end - e.begin) * 1e6,
                    "args": {"to": e.other, "bytes": e.nbytes} if e.other >= 0 else {}}
                   for e in self.kept]
        path.write_text(json.dumps({"traceEvents": events}))


def _latest(needs: Sequence[Event | None]) -> Event | None:
    best: Event | None = None
    for one in needs:
        if one is not None and (best is None or one.end > best.end):
            best = one
    return best


def _later(a: Event | None, b: Event) -> Event:
    return b if a is None or b.end >= a.end else a
