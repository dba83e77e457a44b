"""Secondary queues: a command that fails on one device runs again on another (SYCL 2020 §3.9.10).

Non-goals: which commands have a second way (``api.queue.handler``). Invariants: the second way is
tried once, and only after the first has failed; that failure is not reported if the second
succeeds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from unisycl.backends.base import Completion
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.deps import Access
from unisycl.runtime.graph.tasks import Begin, Line, Task
from unisycl.runtime.memory import moves
from unisycl.runtime.threads.per_process import process


class Fallback:
    """The end of a command with two ways; its driver is neither's, so others wait for it here."""

    __slots__ = ("_first", "_gate", "_lock", "_other")

    def __init__(self, first: Completion, other: Callable[[BaseException, Gate], None]) -> None:
        self._first = first
        self._other = other
        self._gate: Gate | None = None
        self._lock = threading.Lock()

    def done(self) -> bool:
        """Say whether it has ended; start the second way if the first has failed."""
        gate = self._gate
        if gate is not None:
            return gate.done()
        if not self._first.done():
            return False
        error = self._first.error()
        if error is None:
            return True
        with self._lock:
            if self._gate is not None:
                return self._gate.done()
            gate = self._gate = Gate()
        self._other(error, gate)
        return gate.done()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until it has ended or so many seconds pass."""
        if self._gate is None and not self._first.wait(timeout):
            return False
        if self.done():
            return True
        return self._gate is not None and self._gate.wait(timeout)

    def error(self) -> BaseException | None:
        """Return what the way taken last failed with."""
        return self._first.error() if self._gate is None else self._gate.error()

    def profile(self) -> tuple[int, int]:
        """Return start and end of the way taken last, in ns."""
        return self._first.profile() if self._gate is None else self._gate.profile()


class Either:
    """How to begin a command on the first channel or, failing that, on the second."""

    __slots__ = ("_begin", "_first", "_retry", "_second", "accesses", "task")

    def __init__(self, begin: Begin, first: Channel, second: Channel, retry: Begin) -> None:
        self._begin = begin
        self._first = first
        self._second = second
        self._retry = retry
        self.accesses: Sequence[Access] = ()
        self.task: Task | None = None

    def __call__(self, native: Sequence[Completion]) -> Completion:
        """Begin on the first channel; a failure to begin is a failure."""
        try:
            first = self._begin(native)
        except Exception as err:  # noqa: BLE001 - the second way is for whatever failed
            failed = Gate()
            failed.finish(err)
            first = failed
        return Fallback(first, self._turn)

    def _turn(self, error: BaseException, gate: Gate) -> None:
        """Run the second way on a worker; from here on the command is the second channel's."""
        task = self.task
        before = None if task is None else task.channel
        if task is not None:
            task.channel = self._second
            self._second.adopt(task)
        process.executor.submit(lambda: self._run(error, gate, before))

    def _run(self, error: BaseException, gate: Gate, before: Line | None) -> None:
        failed: BaseException | None = None
        try:
            moves.carry(self.accesses, self._first.driver, self._second.driver)
            completion = self._retry(())
            while not completion.wait(1.0):
                continue
            failed = completion.error()
            gate.times = completion.profile()
            if failed is None:
                moves.carry([a for a in self.accesses if a.mode.writes], self._second.driver,
                            self._first.driver)
        except BaseException as err:  # noqa: BLE001 - kept as the command's error
            failed = err
        if failed is not None and before is not None and self.task is not None:
            Task(before, f"{self.task.label} on the primary queue").fail(error)
        gate.finish(failed)
