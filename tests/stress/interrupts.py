"""Ctrl-C at random moments: the program gets its KeyboardInterrupt and everything goes on working.

A child submits groups without end and is sent SIGINT again and again, each at a random moment. Each
time it must come out of unisycl with ``KeyboardInterrupt`` within seconds, and afterwards the same
queues and new ones must give right results. Half of the children do not catch the last one: they
must end by it, and soon. An interrupt that arrives while Python runs a finaliser is swallowed by
Python itself; those are counted and sent again.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.stress.run import PATIENCE, Run

CHILD = """
import faulthandler, signal, sys
import numpy as np
import unisycl as sycl

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have it ignored behind "&"
SIZE = 2000
faulthandler.register(__import__("signal").SIGUSR1, all_threads=True)
queues = [sycl.queue(*p) for p in ((), (sycl.property.queue.in_order(),))]
kept = [sycl.buffer(np.ones(SIZE, np.int32)) for _ in queues]

def add(h, source, target):
    x = sycl.accessor(source, h, sycl.read_only)
    y = sycl.accessor(target, h, sycl.read_write)
    h.parallel_for(SIZE, lambda i: put(x, y, i))

def put(x, y, i):
    y[i] += x[i]

def bump(i, p):
    p[i] += 1

def turn(q, shared):
    out = np.zeros(SIZE, np.int32)
    with sycl.buffer(out) as b:
        for _ in range(3):
            q.submit(lambda h: add(h, shared, b))
        def host(h):
            y = sycl.accessor(b, h, sycl.read_write_host_task)
            @h.host_task
            def more():
                y[:] = np.asarray(y) + 1
        q.submit(host)
        q.submit(lambda h: add(h, shared, b))
        with sycl.host_accessor(b, sycl.read_only) as seen:
            first = int(seen[0])
    p = sycl.malloc_shared(64, np.int32, q)
    q.fill(p, 1).wait()
    q.parallel_for(64, bump, p).wait()
    last = int(p[7])
    sycl.free(p, q)
    assert [5] * SIZE == out.tolist(), f"wrong: {out[:5]}"
    assert (5, 2) == (first, last), f"wrong: {first} {last}"

def check():
    for q in queues:
        for _ in range(3):
            try:
                q.wait_and_throw()
                break
            except sycl.exception as error:
                assert "KeyboardInterrupt" in str(error), error
    for q, shared in zip(queues, kept):
        turn(q, shared)
        fresh = sycl.queue(q.get_device())
        turn(fresh, sycl.buffer(np.ones(SIZE, np.int32)))

check()
while True:
    try:
        print("go", flush=True)
        while True:
            for q, shared in zip(queues, kept):
                turn(q, shared)
    except KeyboardInterrupt:
        pass
    while True:
        try:
            check()
            print("caught", flush=True)
            break
        except KeyboardInterrupt:  # sent again, as the machine is slow
            pass
"""


class Child:
    """A process that works until it is interrupted, again and again."""

    def __init__(self) -> None:
        self.read = ""
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD], cwd=Path(__file__).parents[2], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._first = self.says(4 * PATIENCE)  # it may have to import and compile everything

    def says(self, seconds: float) -> str:
        """Return the next line; "" if none comes in time or the child has ended."""
        out = self.process.stdout
        assert out is not None
        until = time.monotonic() + seconds
        while "\n" not in self.read:
            ready, _, _ = select.select([out], [], [], max(0.0, until - time.monotonic()))
            got = os.read(out.fileno(), 4096).decode() if ready else ""
            if not got:
                return ""
            self.read += got
        line, _, self.read = self.read.partition("\n")
        return line

    def interrupt(self, run: Run) -> bool:
        """Send SIGINT at a random moment; say whether all was well."""
        said, self._first = self._first, ""
        if (said or self.says(PATIENCE / 2)) != "go":
            return False
        time.sleep(run.random.random() * run.random.choice((0.001, 0.01, 0.03)))
        for _ in range(20):
            self.process.send_signal(signal.SIGINT)
            said = self.says(4.0)
            if said:
                run.counts["interrupts"] += 1
                return said == "caught"
            run.counts["swallowed or slow"] += 1
        return False

    def end(self, run: Run) -> None:
        """Interrupt a program that does not catch it."""
        if self.says(PATIENCE) != "go":
            run.fail(f"the child stopped: {self.errors()}")
            return
        time.sleep(run.random.random() * 0.02)
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)

    def errors(self) -> str:
        """Return what the child printed where it hangs or fell."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGUSR1)
            time.sleep(1)
            self.process.kill()
        _, text = self.process.communicate()
        return text[-6000:]


def main(arguments: Sequence[str] | None = None) -> int:
    """Interrupt children until the time is over."""
    run = Run("interrupts", arguments, seconds=60.0)
    child = Child()
    run.begun = time.monotonic()
    for _ in run.turns():
        if not child.interrupt(run):
            run.fail(f"the child did not come back: {child.errors()}")
            break
    else:
        child.end(run)
    child.process.kill()
    child.process.communicate()
    return run.end()


if __name__ == "__main__":
    sys.exit(main())
