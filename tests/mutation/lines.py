"""Which lines each test runs: recorded once in many processes, kept in a file, asked for a mutant.

Lines are told by ``sys.monitoring`` (Python 3.12), before that by tracing, which is slower. What a
test runs in another process is not seen, nor is what an earlier test of its process had cached.
Non-goals: lines that run while a module is imported.
"""

from __future__ import annotations

import gzip
import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from tests.mutation.mutants import Mutant, codes

_TOOL = 3


@dataclass
class Map:
    """The tests in order, what each took, and for each line the tests that run it, as bits."""

    tests: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    """How many lines each runs."""
    lines: dict[str, dict[int, int]] = field(default_factory=dict)

    def add(self, test: str, seconds: float, ran: dict[str, list[int]]) -> None:
        """Note what a test that passed has run."""
        bit = 1 << len(self.tests)
        self.tests.append(test)
        self.seconds.append(seconds)
        self.counts.append(sum(map(len, ran.values())))
        for path, numbers in ran.items():
            of = self.lines.setdefault(path, {})
            for line in numbers:
                of[line] = of.get(line, 0) | bit

    def covering(self, mutant: Mutant) -> list[int]:
        """Return the tests that run the lines of a mutant."""
        of = self.lines.get(mutant.path, {})
        bits = 0
        for line in mutant.lines:
            bits |= of.get(line, 0)
        return [k for k in range(len(self.tests)) if bits >> k & 1] if bits else []

    def chosen(self, mutant: Mutant, seconds: float) -> tuple[list[int], int]:
        """Return the tests to run for a mutant within a time, best first, and how many there are.

        Those of the module's own file come first, then quick ones that run little else; one case
        of each test before the second of any.
        """
        covering = self.covering(mutant)
        room, _, name = mutant.path.removeprefix("unisycl/").removesuffix(".py").rpartition("/")
        own = f"tests/unit/{room}/test_{name}.py"
        rank = {k: (not self.tests[k].startswith(own),
                    (self.seconds[k] + 0.02) * (1 + self.counts[k] / 1000)) for k in covering}
        turns: dict[str, int] = {}
        turn = {}
        for k in sorted(covering, key=rank.__getitem__):
            function = self.tests[k].partition("[")[0]
            turn[k] = turns[function] = turns.get(function, -1) + 1
        kept, spent = [], 0.0
        for k in sorted(covering, key=lambda k: (turn[k], rank[k])):
            spent += self.seconds[k]
            if spent > seconds and kept:
                break
            kept.append(k)
        return kept, len(covering)

    def write(self, path: Path) -> None:
        """Write the map, whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        told = {"tests": self.tests, "seconds": self.seconds, "counts": self.counts,
                "lines": {p: {n: f"{b:x}" for n, b in of.items()} for p, of in self.lines.items()}}
        half = path.with_suffix(".half")
        half.write_bytes(gzip.compress(json.dumps(told).encode(), 4))
        half.replace(path)

    @classmethod
    def read(cls, path: Path) -> Map:
        """Return the map that a file holds."""
        told = json.loads(gzip.decompress(path.read_bytes()))
        lines = {p: {int(n): int(b, 16) for n, b in of.items()} for p, of in told["lines"].items()}
        return cls(told["tests"], told["seconds"], told["counts"], lines)


class Recorder:
    """Notes which lines of given code run."""

    def __init__(self, found: dict[str, list[CodeType]]) -> None:
        self._codes = {code: path for path, row in found.items() for each in row
                       for code in codes(each)}
        self._ran: set[tuple[str, int]] = set()
        self._monitoring: Any = getattr(sys, "monitoring", None)
        if self._monitoring is not None:
            self._watch()

    def _watch(self) -> None:
        on = self._monitoring
        on.use_tool_id(_TOOL, "lines")
        on.register_callback(_TOOL, on.events.LINE, self._line)
        for code in self._codes:
            on.set_local_events(_TOOL, code, on.events.LINE)

    def _line(self, code: CodeType, line: int) -> Any:
        path = self._codes.get(code)
        if path is not None:
            self._ran.add((path, line))
        return self._monitoring.DISABLE

    def _call(self, frame: FrameType, _event: str, _value: object) -> Any:
        path = self._codes.get(frame.f_code)
        if path is None:
            return None
        ran = self._ran

        def local(frame: FrameType, event: str, _value: object) -> Any:
            if event == "line":
                ran.add((path, frame.f_lineno))
            return local
        return local

    @contextmanager
    def recorded(self) -> Iterator[dict[str, list[int]]]:
        """Fill a dictionary, file to lines, with what runs meanwhile."""
        found: dict[str, list[int]] = {}
        self._ran.clear()
        if self._monitoring is not None:
            self._monitoring.restart_events()
        else:
            threading.settrace(self._call)
            sys.settrace(self._call)
        try:
            yield found
        finally:
            if self._monitoring is None:
                sys.settrace(None)
                threading.settrace(None)  # type: ignore[arg-type]
            for path, line in sorted(self._ran):
                found.setdefault(path, []).append(line)


def timed() -> float:
    """Return the processor time of this process, for differences: others may use the machine."""
    return time.process_time()
