"""Records of what a ``distr_queue`` was given and made of it: the task and the command graph.

Non-goals: times (``UNISYCL_TRACE``). Invariant: the task graph is the same on all ranks; the
command graph is that of all ranks, as every one of them has planned it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from unisycl.ranks.graph.boxes import Box


@dataclass(frozen=True)
class TaskRecord:
    """A command group: its name, and what it uses: buffer, mode and mapper."""

    number: int
    name: str
    uses: tuple[tuple[int, str, str], ...]
    after: tuple[int, ...]


@dataclass(frozen=True)
class CommandRecord:
    """What one rank does for a task: ``execute`` a part, ``send`` or ``receive`` a box."""

    rank: int
    task: int
    kind: str
    what: str
    buffer: int = -1
    box: Box | None = None
    other: int = -1


@dataclass
class Record:
    """What was recorded: ``tasks`` and ``commands``; ``nbytes`` sent, by task."""

    size: int
    tasks: list[TaskRecord] = field(default_factory=list)
    commands: list[CommandRecord] = field(default_factory=list)
    nbytes: dict[int, int] = field(default_factory=dict)
    _writers: dict[int, int] = field(default_factory=dict, repr=False)
    _readers: dict[int, list[int]] = field(default_factory=dict, repr=False)

    def add(self, name: str, parts: Sequence[Any], uses: Any, steps: Sequence[Any]) -> None:
        """Take note of one command group (internal)."""
        number = len(self.tasks)
        told: list[tuple[int, str, str]] = []
        after: set[int] = set()
        for one, found in uses.values():
            b = one.buffer.number
            told.append((b, one.mode.name, repr(one.mapper)))
            writes = any(u.writes for u in found)
            after |= {self._writers[b]} if b in self._writers else set()
            if writes:
                after |= set(self._readers.pop(b, ()))
                self._writers[b] = number
            else:
                self._readers.setdefault(b, []).append(number)
        self.tasks.append(TaskRecord(number, name, tuple(told), tuple(sorted(after - {number}))))
        self.nbytes[number] = 0
        for buffer, step in steps:
            for t in step.transfers:
                self.nbytes[number] += t.box.size() * buffer.dtype.itemsize
                for rank, kind, other in ((t.source, "send", t.target),
                                          (t.target, "receive", t.source)):
                    self.commands.append(CommandRecord(
                        rank, number, kind, f"{t.box} of buffer {buffer.number}", buffer.number,
                        t.box, other))
        for rank, part in enumerate(parts):
            if part is not None:
                self.commands.append(CommandRecord(rank, number, "execute",
                                                   f"{name} {part.start}+{part.extent}"))

    def task_graph(self) -> str:
        """Return the tasks and what they wait for, as text for Graphviz."""
        lines = ["digraph tasks {", "  node [shape=box];"]
        for task in self.tasks:
            uses = "\\n".join(f"buffer {b}: {mode} {mapper}" for b, mode, mapper in task.uses)
            lines.append(f'  t{task.number} [label="{task.number}: {task.name}\\n{uses}"];')
            lines += [f"  t{a} -> t{task.number};" for a in task.after]
        return "\n".join([*lines, "}"])

    def command_graph(self) -> str:
        """Return the commands of all ranks, with what they send, as text for Graphviz."""
        lines = ["digraph commands {", "  node [shape=box];"]
        ids: dict[tuple[int, int], str] = {}
        last: dict[int, str] = {}
        for rank in range(self.size):
            lines += [f"  subgraph cluster_{rank} {{", f'    label="rank {rank}";']
            for c in self.commands:
                if c.rank == rank and c.kind == "execute":
                    ids[rank, c.task] = name = f"r{rank}t{c.task}"
                    lines.append(f'    {name} [label="{c.what}"];')
                    if rank in last:
                        lines.append(f"    {last[rank]} -> {name};")
                    last[rank] = name
            lines.append("  }")
        for c in self.commands:
            to = ids.get((c.other, c.task))
            if c.kind == "send" and to is not None:
                before = [t for r, t in ids if r == c.rank and t < c.task]
                start = ids[c.rank, max(before)] if before else f'"rank {c.rank} before"'
                lines.append(f'  {start} -> {to} [label="{c.what}"];')
        return "\n".join([*lines, "}"])
