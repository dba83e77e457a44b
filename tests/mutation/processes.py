"""Many forked processes at a time, each with one job.

A job is a function of the child; what it returns comes back as JSON, through a file. Lines that it
writes there before it dies come back, too. Non-goals: what the jobs do.
Invariant: a child never returns into the caller's frames, and none outlives ``run``.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

_MEMORY = 12 << 30  # bytes of address space more than the parent has


@dataclass
class Outcome:
    """How a child ended: its lines, and the signal that ended it or 0."""

    job: Any
    lines: list[Any]
    signal: int
    status: int


@dataclass
class _Child:
    job: Any
    told: Path


def run(jobs: Iterator[Any], work: Callable[[Any, IO[str]], None], *, count: int, end: float,
        folder: Path) -> Iterator[Outcome]:
    """Run ``work(job, file)`` for each job, ``count`` at a time; yield how each ended.

    At the time ``end`` those that still run are ended, and nothing is told of them.
    """
    running: dict[int, _Child] = {}
    serial = 0
    gc.collect()
    gc.freeze()
    try:
        while time.monotonic() < end:
            while len(running) < count and (job := next(jobs, None)) is not None:
                serial += 1
                told = folder / f"told_{serial}"
                running[_start(job, work, told)] = _Child(job, told)
            if not running:
                return
            yield from _ended(running)
    finally:
        for pid in running:
            _kill(pid)
            os.waitpid(pid, 0)


def _ended(running: dict[int, _Child]) -> Iterator[Outcome]:
    """Yield the children that have ended; wait a little if none has."""
    any_ended = False
    for pid, child in list(running.items()):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            any_ended = True
            del running[pid]
            _kill(pid)  # whom it has started
            lines = []
            if child.told.exists():
                with suppress(ValueError):
                    for line in child.told.read_text(encoding="utf-8").splitlines():
                        lines.append(json.loads(line))
                child.told.unlink()
            yield Outcome(child.job, lines, os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
                          os.WEXITSTATUS(status) if os.WIFEXITED(status) else -1)
    if not any_ended:
        time.sleep(0.01)


def _kill(pid: int) -> None:
    """End a child of ours and the group it leads."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _start(job: Any, work: Callable[[Any, IO[str]], None], told: Path) -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        with suppress(OSError):
            os.setpgid(child, child)
        return child
    status = 1
    try:
        with suppress(OSError):
            os.setpgid(0, 0)
        _alone()
        with told.open("w", encoding="utf-8") as file:
            work(job, file)
        status = 0
    finally:
        os._exit(status)


def _alone() -> None:
    """Take terminal and endless memory from a child."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):
        os.dup2(nothing, handle)
    told = Path("/proc/self/statm").read_text(encoding="ascii")
    now = int(told.split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + _MEMORY, now + _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
