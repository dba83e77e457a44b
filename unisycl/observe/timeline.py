"""A history as a time line: Chrome's trace format, which Perfetto and chrome://tracing show.

One track for each Python thread that submitted or waited, tracks for each device; commands of a
device that overlap in time lie on tracks of their own. Non-goals: noting anything. Invariant:
slices of one track never overlap, since the format can only show nested ones.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unisycl.observe.history import HOST, Command, History

_THREADS, _DEVICES = 1, 2  # numbers of processes, as the format calls groups of tracks
Event = dict[str, Any]


def write(path: str, history: History) -> None:
    """Write the time line of a history to a file; a failure is printed, never raised.

    In a forked child the number of the process is put into the name.
    """
    try:
        Path(path).write_text(json.dumps(to_trace(history)), encoding="utf-8")
    except OSError as error:
        if sys.stderr is not None:
            sys.stderr.write(f"unisycl: UNISYCL_TRACE: {path} cannot be written: {error}\n")


def to_trace(history: History) -> dict[str, Any]:
    """Return the whole time line as what JSON can hold."""
    return {"traceEvents": list(_Writer(history).events()), "displayTimeUnit": "ns",
            "otherData": {"producer": "unisycl", "pid": os.getpid(),
                          "begun_ns": history.begun}}


class _Tracks:
    """Which numbers tracks have, and until when each is taken."""

    def __init__(self) -> None:
        self.names: dict[tuple[int, int], str] = {}
        self._groups: dict[tuple[int, str], list[int]] = {}
        self._taken: dict[tuple[int, int], int] = {}

    def named(self, group: int, name: str) -> int:
        """Return the track of that name."""
        known = self._groups.get((group, name))
        return known[0] if known else self._make(group, name, name)

    def free(self, group: int, name: str, start: int, end: int) -> int:
        """Return a track of that name on which nothing lies after ``start``; take it."""
        known = self._groups.get((group, name), [])
        track = next((t for t in known if self._taken.get((group, t), 0) <= start), 0)
        if not track:
            track = self._make(group, name, f"{name} ({len(known) + 1})" if known else name)
        self._taken[group, track] = end
        return track

    def _make(self, group: int, name: str, shown: str) -> int:
        track = len(self.names) + 1
        self.names[group, track] = shown
        self._groups.setdefault((group, name), []).append(track)
        return track


class _Writer:
    """Makes the events of one history."""

    def __init__(self, history: History) -> None:
        self._commands = list(history.commands)
        self._waits = list(history.waits)
        self._compiles = list(history.compiles)
        self._begun = history.begun
        self._tracks = _Tracks()

    def events(self) -> Iterator[Event]:
        """Yield all events; names of tracks come last, when all are known."""
        for command in self._commands:
            if command.submitted:
                yield from self._submission(command)
        for command in sorted(self._commands, key=lambda c: (c.start, c.number)):
            if command.submitted:
                yield from self._life(command)
        for wait in self._waits:
            yield self._slice(_THREADS, self._thread(wait.thread), wait.start, wait.end,
                              f"wait for {self._commands[wait.number].label}", "wait",
                              {"command": wait.number})
        for made in self._compiles:
            yield self._slice(_THREADS, self._thread(made.thread), made.start, made.end,
                              f"compile {made.what}", "compile", {})
        yield from self._names()

    def _names(self) -> Iterator[Event]:
        for group, name in ((_THREADS, "threads"), (_DEVICES, "devices")):
            yield {"ph": "M", "name": "process_name", "pid": group, "args": {"name": name}}
        for (group, track), name in self._tracks.names.items():
            yield {"ph": "M", "name": "thread_name", "pid": group, "tid": track,
                   "args": {"name": name}}

    def _at(self, ns: int) -> float:
        return (ns - self._begun) / 1000

    def _thread(self, thread: tuple[int, str]) -> int:
        return self._tracks.named(_THREADS, f"{thread[1]} {thread[0]}")

    def _slice(self, group: int, track: int, start: int, end: int, name: str, kind: str,
               args: dict[str, Any]) -> Event:
        return {"ph": "X", "cat": kind, "name": name, "pid": group, "tid": track,
                "ts": self._at(start), "dur": max(0, end - start) / 1000, "args": args}

    def _submission(self, command: Command) -> Iterator[Event]:
        track = self._thread(command.thread)
        end = command.returned or command.submitted
        yield self._slice(_THREADS, track, command.submitted, end, f"submit {command.label}",
                          "submit", {"command": command.number})
        if command.start:
            yield {"ph": "s", "cat": "flow", "name": "runs", "id": command.number,
                   "pid": _THREADS, "tid": track, "ts": self._at(command.submitted)}

    def _life(self, command: Command) -> Iterator[Event]:
        """What a command waited for, when it was ready, and when it ran."""
        ready = self._ready(command)
        begun = command.start or command.end or ready
        for name, start, end in (("waits", command.submitted, ready), ("ready", ready, begun)):
            if end > start:
                yield from self._phase(command, name, start, end)
        if not command.start:
            return
        end = max(command.end, command.start)
        where = f"{command.device}, queue {command.queue}"
        if command.queue == HOST:
            where = f"host accessors of {command.thread[1]} {command.thread[0]}"
        group, track = _DEVICES, 0
        if command.runner:
            group, where = _THREADS, f"unisycl-worker {command.runner}"
        track = self._tracks.free(group, where, command.start, end)
        yield self._slice(group, track, command.start, end, command.label, "command",
                          self._facts(command, ready))
        yield {"ph": "f", "bp": "e", "cat": "flow", "name": "runs", "id": command.number,
               "pid": group, "tid": track, "ts": self._at(command.start)}

    def _phase(self, command: Command, name: str, start: int, end: int) -> Iterator[Event]:
        same = {"cat": "pending", "id": command.number, "pid": _DEVICES, "tid": 0}
        yield {"ph": "b", "name": f"{command.label} {name}", "ts": self._at(start), **same}
        yield {"ph": "e", "name": f"{command.label} {name}", "ts": self._at(end), **same}

    def _ready(self, command: Command) -> int:
        """A command is ready when it was submitted and all before it have ended."""
        ends = [self._commands[k].end for k in command.after]
        if command.previous is not None:
            ends.append(self._commands[command.previous].end)
        ready = max(command.submitted, *ends, 0)
        return min(ready, command.start or command.end or ready)

    def _facts(self, command: Command, ready: int) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "command": command.number, "queue": command.queue, "device": command.device,
            "submit_ns": command.submitted, "ready_ns": ready, "start_ns": command.start,
            "end_ns": command.end, "after": command.after}
        if command.detail:
            facts["range"] = command.detail
        if command.touches:
            facts["memory"] = [f"{t.label}: {t.mode}" for t in command.touches]
        if command.error:
            facts["error"] = command.error
        return facts
