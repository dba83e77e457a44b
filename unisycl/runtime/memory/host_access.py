"""The host's own turn at a memory: taken when an accessor is made, given back when it is closed.

Non-goals: what the host does with the memory. Invariants: the turn begins when all conflicting
commands have ended; later ones wait for its end, and submitting them never blocks.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from unisycl.backends.base import HOST
from unisycl.runtime.graph import lifecycle, watching
from unisycl.runtime.graph.completions import Gate
from unisycl.runtime.graph.deps import Access, add_new
from unisycl.runtime.graph.tasks import Task
from unisycl.runtime.memory import moves
from unisycl.runtime.memory.buffers import BufferMemory, report
from unisycl.runtime.threads.per_process import process


class Holding:
    """A place in the order of a memory's users, taken by the host until ``release``.

    Args:
        access: which bytes of which memory, and how.
        holder: the accessor, which the memory closes at its end.
        what: how messages call it.
        after: further commands that the turn begins after.
        block: whether to wait for the turn at once; otherwise ``wait`` does.
    """

    __slots__ = ("_gate", "_task", "deps")

    def __init__(self, access: Access, holder: Any, what: str, *, after: Sequence[Task] = (),
                 block: bool = True) -> None:
        memory = access.key
        assert isinstance(memory, BufferMemory)
        self.deps: Sequence[Task] = ()
        gate = self._gate = Gate()
        gate.owner = threading.get_ident()
        task = self._task = Task(None, what)
        task.occupy(gate)
        try:
            self._enter(memory, access, after)
            memory.open_hosts.add(holder)
            lifecycle.guard(gate)
            if block:
                self.wait()
        except BaseException:
            gate.finish()
            raise

    def _enter(self, memory: BufferMemory, access: Access, after: Sequence[Task]) -> None:
        """Take a place in the order of the memory's users."""
        task, writes = self._task, access.mode.writes
        deps: list[Task] = []
        with process.lock:
            found = moves.bring(memory, access, HOST, deps) if memory.copies is not None else ()
            memory.wrote = memory.wrote or writes
            add_new(deps, memory.tracker.access(access.start, access.stop, writes=writes,
                                                task=task))
            if watching.looking():
                watching.host_holds(task, access)
        moves.start(found)
        deps += [t for t in after if t not in deps]
        self.deps = deps
        task.follow(deps)

    def wait(self) -> None:
        """Block until the turn has begun; the errors of what came before are raised here."""
        try:
            for dep in self.deps:
                dep.wait()
            report(self.deps)
            if watching.looking():
                watching.history().held(self._task)
        except BaseException:
            self._gate.finish()
            raise
        self.deps = ()

    def task(self) -> Task:
        """Return the command that the turn is: it ends with the turn."""
        return self._task

    def release(self) -> None:
        """Let later commands go on; idempotent."""
        self._gate.finish()

    def __del__(self) -> None:
        if hasattr(self, "_gate"):
            self.abandon()

    def abandon(self) -> None:
        """Release from a finaliser, which may run in any thread and with locks held."""
        gate = self._gate
        if gate.done() and not self._task.dependents:
            return
        gate.owner = 0
        if process.lock.held():
            process.executor.submit(gate.finish)
        else:
            gate.finish()
