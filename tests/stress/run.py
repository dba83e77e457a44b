"""What all stress programs share: how long they run, what they count, and that none hangs unseen.

``python -m tests.stress.NAME [--seconds S] [--count N] [--seed K]`` prints one line of counts; the
exit status is 1 if anything was wrong. A program that makes no progress for ``PATIENCE`` seconds
prints where every thread is and ends with status 1.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from unisycl.runtime.threads import executor

PATIENCE = 120.0


class Run:
    """One run of a program: its limits, its random numbers, and its counts."""

    def __init__(self, name: str, arguments: Sequence[str] | None = None, *, seconds: float = 10.0,
                 count: int = 0) -> None:
        parser = argparse.ArgumentParser(prog=f"python -m tests.stress.{name}")
        parser.add_argument("--seconds", type=float, default=seconds, help="how long to go on")
        parser.add_argument("--count", type=int, default=count, help="turns at most; 0: no limit")
        parser.add_argument("--seed", type=int, default=None, help="of the random numbers")
        options = parser.parse_args(arguments)
        self.name = name
        self.seconds: float = options.seconds
        self.count: int = options.count
        self.seed = options.seed if options.seed is not None else random.SystemRandom().randrange(
            1 << 32)
        self.random = random.Random(self.seed)
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.begun = time.monotonic()

    def going(self) -> bool:
        """Say whether there is time left; tell that there is progress."""
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        return time.monotonic() - self.begun < self.seconds

    def turns(self) -> Iterator[int]:
        """Yield the numbers of turns until time or count are used up."""
        turn = 0
        while self.going() and not (self.count and turn >= self.count):
            yield turn
            turn += 1

    def fail(self, what: str) -> None:
        """Note that something was wrong."""
        self.counts["wrong"] += 1
        if len(self.wrong) < 10:
            self.wrong.append(what)

    def end(self) -> int:
        """Print the counts; return the exit status. Nor may the end of the interpreter hang."""
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        spent = time.monotonic() - self.begun
        self.counts["wrong"] += 0
        text = ", ".join(f"{value} {key}" for key, value in self.counts.items())
        print(f"{self.name}: {text}; {spent:.1f} s, seed {self.seed}")
        for what in self.wrong:
            sys.stderr.write(f"wrong: {what}\n")
        return int(bool(self.counts["wrong"]))


def device_names() -> tuple[str, ...]:
    """Return whose devices programs run on: the one that ``UNISYCL_DEVICE`` asks for, and the host.

    Without it that is the native CPU.
    """
    return os.environ.get("UNISYCL_DEVICE") or "cpu", "host"


def resident() -> int:
    """Return the bytes of memory this process has in use."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def handles() -> tuple[int, int]:
    """Return the open files and the threads of this process, without the runtime's workers.

    Those are kept, as many as ever had work at a time: on a busy machine more, within their limit.
    """
    files, threads = (sum(1 for _ in Path(folder).iterdir())
                      for folder in ("/proc/self/fd", "/proc/self/task"))
    workers = sum(thread.name == "unisycl-worker" for thread in threading.enumerate())
    return files, threads - min(workers, executor.MAX_WORKERS)
