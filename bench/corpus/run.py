"""Runs forms of the corpus: ours and each peer in processes of their own, rounds by turns.

Non-goals: what is printed (``table``). Invariant: a form whose results are wrong has no times.
"""

from __future__ import annotations

import json
import os
import select
import shlex
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any

from bench.corpus.frame import PEER
from bench.harness import OURS

LIMIT = 240.0  # seconds for one answer; a process that takes longer is ended


def _environment(peer: str) -> dict[str, str]:
    """Return the environment of a worker.

    The wheel ``tbb`` puts its library where Numba does not look, which would then take OpenMP,
    whose threads wait busily: worse where the machine has other work.
    """
    found = dict(os.environ, **{PEER: peer, "OMP_WAIT_POLICY": "passive"})
    if peer == "numba":
        folders = [f"{sys.prefix}/lib", os.environ.get("LD_LIBRARY_PATH", "")]
        found["LD_LIBRARY_PATH"] = ":".join(filter(None, folders))
    return found


class Process:
    """One library's worker, started when it is first asked and again after it was ended."""

    def __init__(self, peer: str) -> None:
        self.peer = peer
        self.process: subprocess.Popen[str] | None = None

    def ask(self, *words: str) -> dict[str, Any]:
        """Return the answer to one request."""
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "bench.corpus.worker", self.peer], text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env=_environment(self.peer),
                stderr=None if os.environ.get("CORPUS_VERBOSE") else subprocess.DEVNULL)
        reading, writing = self._pipes(self.process)
        try:
            writing.write(shlex.join(words) + "\n")
            writing.flush()
        except BrokenPipeError:
            return self._ended("its process ended")
        if not select.select([reading], [], [], LIMIT)[0]:
            return self._ended(f"no answer in {LIMIT:.0f} s")
        line = reading.readline()
        told: dict[str, Any] = json.loads(line) if line else self._ended("its process ended")
        return told

    @staticmethod
    def _pipes(process: subprocess.Popen[str]) -> tuple[IO[str], IO[str]]:
        assert process.stdout is not None
        assert process.stdin is not None
        return process.stdout, process.stdin

    def _ended(self, why: str) -> dict[str, Any]:
        self.close()
        return {"error": why}

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


@dataclass
class Result:
    """What one form of an entry took, in seconds of wall and processor by round; or why not."""

    name: str
    form: str
    wall: dict[str, list[float]] = field(default_factory=dict)
    cpu: dict[str, list[float]] = field(default_factory=dict)
    digests: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    compiled: float = 0.0
    code: tuple[int, int] = (0, 0)
    """How many codes of kernels ours made or loaded for both sizes, and their bytes."""

    def seconds(self, peer: str = OURS, *, cpu: bool = False) -> float:
        """Return the least over rounds, which other work on the machine disturbs least."""
        return min((self.cpu if cpu else self.wall)[peer])

    def ratio(self, peer: str, *, cpu: bool) -> float:
        """Return a peer's time over ours, each the least over rounds. Above 1, ours is faster."""
        return self.seconds(peer, cpu=cpu) / self.seconds(cpu=cpu)

    def best(self, *, cpu: bool) -> tuple[float, str] | None:
        """Return the least ratio and whose it is; None without peers."""
        if OURS not in self.wall:
            return None
        return min(((self.ratio(p, cpu=cpu), p) for p in self.wall if p != OURS), default=None)


def differs(one: dict[str, list[float]], other: dict[str, list[float]], tolerance: float) -> str:
    """Return what two digests of results disagree on; nothing if they agree."""
    for name, (size, wave) in one.items():
        size2, wave2 = other[name]
        allowed = max(tolerance, 1e-12) * 10 * max(size, size2)
        if not (abs(size - size2) <= allowed and abs(wave - wave2) <= allowed):
            return f"{name}: {size:.6g}, {wave:.6g} and {size2:.6g}, {wave2:.6g}"
    return ""


def _prepare(result: Result, workers: dict[str, Process], check: bool) -> list[str]:
    """Prepare a form with ours and each peer; return who is ready."""
    ready = []
    tolerance = 0.0
    for peer, worker in workers.items():
        told = worker.ask("prepare", result.name, result.form, "check" if check else "time")
        if "missing" in told:
            result.absent[peer] = told["missing"]
        elif "error" in told:
            result.errors[peer] = told["error"]
        else:
            ready.append(peer)
            result.digests[peer], tolerance = told["digest"], told["tolerance"]
            if peer == OURS:
                result.compiled = told.get("compiled", 0.0)
                result.code = (*told.get("code", (0, 0)),)
    mine = result.digests.get(OURS)
    for peer, figures in result.digests.items():
        wrong = differs(mine, figures, tolerance) if mine else ""
        if wrong:
            result.errors[peer] = f"differs from ours: {wrong}"
            ready.remove(peer)
    return ready


def _round(result: Result, workers: dict[str, Process], ready: list[str]) -> None:
    """Time one round of each who is ready."""
    for peer in ready:
        told = workers[peer].ask("round")
        if "error" in told:
            result.errors[peer] = told["error"]
            continue
        result.wall.setdefault(peer, []).append(told["wall"])
        result.cpu.setdefault(peer, []).append(told["cpu"])


def run(rows: Sequence[tuple[str, str]], peers: Sequence[str], *, rounds: int = 5,
        check: bool = False) -> Iterator[Result]:
    """Yield each form's result: checked, and timed by turns unless only to be checked."""
    workers = {peer: Process(peer) for peer in (OURS, *peers)}
    try:
        for name, form in rows:
            result = Result(name, form)
            ready = _prepare(result, workers, check)
            for _ in range(0 if check else rounds):
                _round(result, workers, ready)
            for peer in result.errors:
                result.wall.pop(peer, None)
            yield result
    finally:
        for worker in workers.values():
            worker.close()
