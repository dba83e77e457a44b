"""The memory behind buffers: where the elements lie, who uses them, and what happens at the end.

Where a driver addresses host memory, a buffer over an array works on that array in place; other
devices work on copies (``moves``). Non-goals: views with a dtype and shape of their own
(``regions``), when commands run. Invariants:
``close`` and garbage collection do the same; a finaliser never blocks a thread of the runtime.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unisycl.backends.base import HOST, BoundView, Driver
from unisycl.base.enums import access_mode
from unisycl.base.errors import UsageError, errc
from unisycl.runtime.graph.channel import raise_all
from unisycl.runtime.graph.deps import Access, Tracker
from unisycl.runtime.graph.lifecycle import call_quietly
from unisycl.runtime.graph.tasks import Task
from unisycl.runtime.memory import moves
from unisycl.runtime.memory.allocation import Allocator, Array, allocate
from unisycl.runtime.memory.usage import Usage
from unisycl.runtime.threads.per_process import process


class BufferMemory:
    """One allocation shared by a buffer, its sub-buffers and its reinterpretations.

    Args:
        nbytes: the size.
        source: memory to use in place (1-D bytes), or None to allocate on first use.
        const: no command may write.
        target: where the contents go at the end; an array, a weak reference to one or to an
            owner whose ``get`` gives one (``shared_ptr``), or None.
        borrowed: ``source`` is not to be changed: what writes gets a copy of it first.
        allocator: where memory comes from; None for the default.

    ``fixed``: it was made from what the program may only read, so accessors read unless they say
    otherwise. ``copied_from``: the array that ``source`` is a copy of, written back only if a
    command wrote.
    """

    __slots__ = ("__weakref__", "_storage", "allocator", "at_end", "blocking", "borrowed",
                 "bound_context", "closed", "const", "copied_from", "copies", "fixed", "generation",
                 "nbytes", "open_hosts", "target", "tracker", "usage", "version", "write_back",
                 "wrote")

    noun = "buffer"

    def __init__(self, nbytes: int, source: Array | None = None, *, const: bool = False,
                 target: Any = None, borrowed: bool = False,
                 allocator: Allocator | None = None) -> None:
        self.nbytes = nbytes
        self.borrowed = borrowed
        self.fixed = False
        self.copied_from: Array | None = None
        self._storage = source
        self.const = const
        self.target = target
        self.write_back = True
        self.wrote = False
        self.allocator = allocator
        self.usage: Usage | None = None
        self.at_end: Callable[[], None] | None = None
        self.blocking = source is not None and isinstance(target, np.ndarray)
        self.closed = False
        self.bound_context: object = None
        self.version = 0
        self.generation = process.generation
        self.tracker: Tracker[Task] = Tracker(nbytes, Task.forgotten)
        self.open_hosts: weakref.WeakSet[Any] = weakref.WeakSet()
        self.copies: moves.Copies | None = None

    def storage(self) -> Array:
        """Return the bytes, allocating them on first use; ``errc.memory_allocation`` if none."""
        memory = self._storage
        if memory is None:
            memory = self._allocate()
        return memory

    def _allocate(self) -> Array:
        fresh = allocate(self.nbytes, self.allocator)
        with process.lock:
            if self._storage is None:
                self._storage = fresh
            return self._storage

    def placed(self, driver: Driver) -> Any:
        """Return the bytes where a driver's kernels use them, allocating them on first use."""
        if driver.memory == HOST:
            return self.storage()
        return moves.hold(self, driver, on_host=self.wrote or self._storage is not None)

    def take_over(self, memory: Any, driver: Driver, after: Task | None = None) -> None:
        """Begin with native memory of a driver's, and have the contents there at the end.

        They are complete after ``after``, for which commands on the buffer wait, but nobody here.
        """
        at_home = driver.memory == HOST
        waits = after is not None and not after.done()
        if waits and after is not None:
            arrival = Task(None, "the arrival of native contents", driver) if at_home else after
            with process.lock:
                self.tracker.access(0, self.nbytes, writes=True, task=arrival)
            if at_home:
                arrival.explicit = (after,)
                to, start = (BoundView(m, 0, (self.nbytes,), (1,)) for m in (
                    self.storage(), memory))
                arrival.enqueue((after,), lambda native: driver.copy(to, start, native))
        elif at_home:
            self._move(driver, self.storage(), memory)
        if not at_home:
            self.copies = moves.Copies(self.nbytes, on_host=False)
            self.copies.held[driver.memory] = driver, memory
            self.copies.places.only(0, self.nbytes, driver.memory)
        self.target = lambda contents: self._give_back(driver, contents, memory)
        self.blocking = True

    def _give_back(self, driver: Driver, contents: Array, memory: Any) -> None:
        if self.wrote:
            self._move(driver, memory, contents)

    def _move(self, driver: Driver, dst: Any, src: Any) -> None:
        to, start = (BoundView(m, 0, (self.nbytes,), (1,)) for m in (dst, src))
        end = driver.copy(to, start, ())
        while not end.wait(1.0):
            continue
        error = end.error()
        if error is not None:
            raise error

    def adopt(self, memory: Array) -> None:
        """Use another owner's memory, before anything was allocated."""
        self._storage = memory

    def own(self) -> None:
        """Go on in memory that may be written, if this is not (SYCL 2020 §4.7.2, const data).

        The value is the same, so readers of the old memory may go on.
        """
        old = self._storage
        if not self.borrowed or old is None:
            return
        fresh = allocate(self.nbytes, self.allocator)
        fresh[:] = old
        with process.lock:
            if self.borrowed:
                self._storage, self.borrowed = fresh, False
                self.version += 1

    def allocated(self) -> bool:
        """Say whether there is memory already."""
        return self._storage is not None

    def check_open(self) -> None:
        """Refuse the use of a buffer after its end."""
        if self.closed:
            raise UsageError(errc.invalid, f"the {self.noun} is closed (its 'with' block has ended "
                             "or close() was called); submit the work before that")
        if self.generation != process.generation:
            raise UsageError(errc.invalid, f"the {self.noun} belongs to the process that was "
                             "forked; create it again in the child")

    def users(self) -> list[Task]:
        """Return the tasks that use the memory and are still remembered."""
        with process.lock:
            return self.tracker.tasks()

    # ------------------------------------------------------------------ the end
    def detach(self) -> None:
        """Go on in memory of its own, so that what comes next does not reach the source array.

        Waits for the work submitted so far, which has been done in the source already.
        """
        old = self._storage
        if old is None or not self._shares_target():
            return
        self.bring_home()
        for task in self.users():
            task.wait()
        fresh = allocate(self.nbytes, self.allocator)
        fresh[:] = old
        self._storage = fresh
        self.blocking = False
        self.version += 1

    def _shares_target(self) -> bool:
        target = self.final_array()
        return isinstance(target, np.ndarray) and self._storage is not None and (
            np.may_share_memory(target, self._storage))

    def final_array(self) -> Any:
        """Return where the contents go at the end; None if nowhere, or it no longer exists."""
        target = self.target
        if not isinstance(target, weakref.ref):
            return target
        held: Any = target()
        return held.get() if hasattr(held, "get") else held

    def must_wait(self) -> bool:
        """Say whether the end has to wait for the work (SYCL 2020 §4.7.2.4)."""
        return self.blocking or (self.write_back and self.final_array() is not None)

    def bring_home(self) -> None:
        """Start what brings the present value to the host; wait for the users to see it there."""
        if self.copies is None:
            return
        whole = Access(self, 0, self.nbytes, access_mode.read)
        with process.lock:
            found = moves.bring(self, whole, HOST, [])
        moves.start(found)

    def come_home(self) -> None:
        """Bring the present value to the host and wait for it; raises what that failed with."""
        if self.copies is not None:
            self.bring_home()
            tasks = [t for t in self.users() if isinstance(t, moves.Transfer)]
            for task in tasks:
                task.wait()
            report(tasks)

    def close(self) -> None:
        """End the buffer: wait where that is due, write back, raise what no handler will see."""
        if self.closed or self.generation != process.generation:
            self.closed = True
            return
        self.closed = True
        for host in list(self.open_hosts):
            host.close()
        if self.at_end is not None:
            self.at_end()
        if not self.must_wait():
            return
        self._send_home()
        tasks = self.users()
        try:
            for task in tasks:
                task.wait()
            last = None if self.usage is None else self.usage.last()
            if last is not None:
                last.wait()
        except BaseException:
            self.closed = False
            raise
        try:
            self._copy_out()
        except Exception as err:
            handled = any(t.channel is not None and t.channel.handler is not None for t in tasks)
            if not handled or not self._hand_over(err, tasks):
                raise
        report(tasks)

    def finalize(self) -> None:
        """The end by garbage collection: as ``close``, but errors wait for their queue."""
        if self.closed or self.generation != process.generation:
            return
        self.closed = True
        for host in list(self.open_hosts):
            host.close()
        if not self.must_wait() and self.at_end is None:
            return
        if process.lock.held() or process.executor.is_mine():
            process.executor.submit(lambda: call_quietly(self._finish))
        else:
            call_quietly(self._finish)

    def _finish(self) -> None:
        if self.at_end is not None:
            self.at_end()
        if not self.must_wait():
            return
        self._send_home()
        tasks = self.users()
        for task in tasks:
            task.wait()
        try:
            self._copy_out()
        except Exception as err:
            if not self._hand_over(err, tasks):
                raise

    def _send_home(self) -> None:
        """Have the value on the host before the end, if it goes anywhere."""
        if self.copies is not None and self.write_back and self.final_array() is not None:
            self.bring_home()

    def _hand_over(self, error: Exception, tasks: Sequence[Task]) -> bool:
        """Leave an error of the end to the queue that used the memory last (SYCL 1.2 §3.6.1)."""
        channel = next((t.channel for t in reversed(tasks) if t.channel is not None), None)
        if channel is not None:
            Task(channel, "writing a buffer back").fail(error)
        return channel is not None

    def _copy_out(self) -> None:
        """Write back, unless the work was done in the target itself."""
        target = self.final_array()
        if target is None or not self.write_back or self._storage is None:
            return
        if target is self.copied_from and not self.wrote:
            return
        if callable(target):
            target(self._storage)
        elif not (self._shares_target()):
            if target.flags.c_contiguous:
                target.reshape(-1).view(np.uint8)[: self.nbytes] = self._storage
            elif target.nbytes == self.nbytes:
                target[...] = self._storage.view(target.dtype).reshape(target.shape)
            else:
                values = self._storage.view(target.dtype)
                target[np.unravel_index(np.arange(values.size), target.shape)] = values


def report(tasks: Sequence[Task]) -> None:
    """Raise the undelivered errors of tasks whose queues have no handler, and of transfers.

    Of a transfer that did not run since a command had failed, that command's.
    """
    taken: list[BaseException] = []
    for task in dict.fromkeys(t.root if isinstance(t, moves.Transfer) and t.root else t
                              for t in tasks):
        channel = task.channel
        if task.error is not None and channel is not None and channel.handler is None:
            error = channel.claim(task)
            if error is not None:
                taken.append(error)
        elif task.error is not None and isinstance(task, moves.Transfer) and task.root is None:
            error = task.hand_out()
            assert error is not None
            taken.append(error)
    if taken:
        raise_all(taken)
