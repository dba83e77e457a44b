"""Pipes: packets that one kernel writes and another reads, in order (OpenCL 3.0 §3.3.2).

Also sycl_ext_intel_dataflow_pipes. The methods for kernels are written in the kernel language and
compiled with the kernel that calls them, so they mean the same on every device. A pipe is a ring
of packets, each with the number of the turn it is free or full for; moving an end of the pipe
takes the packets passed. Invariants: packets are read in the
order in which they were written; a packet is complete before a reader can see it; who has claimed
one publishes it before it meets other work-items, which may wait for that in a loop.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from unisycl.api.devices.queue_base import QueueBase
from unisycl.api.queue.queue import queue
from unisycl.base.enums import memory_order, memory_scope
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.lang.memory.atomic import atomic_ref
from unisycl.runtime.graph import partners
from unisycl.runtime.launch import pipe_ends
from unisycl.runtime.memory.variables import Ends, Variable, element_type

__kernel_language__ = True
_MOST = 1 << 30
_RELAXED, _ACQUIRE, _RELEASE = memory_order.relaxed, memory_order.acquire, memory_order.release
_BOTH, _DEVICE = memory_order.acq_rel, memory_scope.device
_WRITE, _READ, _WAITING = 0, 1, 2  # elements of the ends
_NUMBERS = 0xFFFFFFFF  # packets are numbered by 32 bits, over and over


class Waiting:
    """Captured by a kernel that may wait for another one: it then runs beside all others."""

    __slots__ = ()
    __kernel_waits__ = True


class _Ends(Ends):
    """The numbers of the next packets, and how many work-items wait; who writes or reads begins."""

    __slots__ = ()
    __host_instead__ = ("a pipe's read, write and their like are for kernels; on the host use "
                        "host_write(queue, packet) and host_read(queue), or host_write_nb and "
                        "host_read_nb, which do not wait")


class pipe:
    """A first-in, first-out queue of packets between kernels of one device and context.

    Args:
        dtype: the type of a packet: a NumPy type, a vec type or a structured dtype.
        min_capacity: how many packets fit in at least; ``capacity`` tells how many do.

    In kernels ``write(x)`` and ``read()`` wait until there is room or a packet; ``write_nb(x)``
    gives False and ``read_nb()`` gives (packet, False) where they would have to. ``reserve_write``
    and ``reserve_read`` claim several packets at once. Kernels that wait run at the same time as
    those they wait for; some devices hold them back until all are there and the program waits, and
    those that cannot do either refuse them with ``errc.kernel_not_supported``.
    ``host_write(q, x)``, ``host_read(q)`` and their ``_nb`` forms are for the host: the other end
    is the pipe of the queue's device and context. Raises ``errc.invalid`` for types kernels have
    not and for capacities below 1.

    Example:
        >>> samples = pipe(np.float32, 16)
        >>> samples
        <pipe of float32, capacity 16>
    """

    __slots__ = ("__weakref__", "_data", "_ends", "_mask", "_turns", "_waiting", "capacity",
                 "dtype")

    @ends_at_call
    def __init__(self, dtype: Any, min_capacity: int = 1) -> None:
        self.dtype = element_type("pipe", dtype)
        if not 1 <= min_capacity <= _MOST:
            raise UsageError(errc.invalid, f"pipe: the capacity must be 1 to {_MOST}, not "
                             f"{min_capacity}")
        self.capacity = max(2, 1 << (int(min_capacity) - 1).bit_length())
        self._mask = self.capacity - 1
        self._data: Any = Variable("pipe", (self.capacity,), np.zeros(self.capacity, self.dtype))
        numbers = np.arange(self.capacity, dtype=np.int32)
        self._turns: Any = Variable("pipe", (self.capacity,), numbers)
        self._ends: Any = _Ends("pipe", (3,), np.zeros(3, np.int32))
        self._waiting: Waiting | None = Waiting()

    def __repr__(self) -> str:
        return f"<pipe of {self.dtype}, capacity {self.capacity}>"

    # ------------------------------------------------------------------ on the host
    @ends_at_call
    def host_write(self, q: queue, value: Any) -> None:
        """Append a packet from the host, when there is room; a kernel of its own does it."""
        given = self._packet("host_write", q, value)
        _check_waits("host_write", q)

        def host_write(given: Any) -> None:
            self.write(given[0])
        q.single_task(host_write, given).wait()

    @ends_at_call
    def host_read(self, q: queue) -> Any:
        """Take the oldest packet to the host, when there is one."""
        _check_queue("host_read", q)
        _check_waits("host_read", q)
        taken = np.zeros(1, self.dtype)

        def host_read(taken: Any) -> None:
            taken[0] = self.read()
        q.single_task(host_read, taken).wait()
        return taken[0]

    @ends_at_call
    def host_write_nb(self, q: queue, value: Any) -> bool:
        """Append a packet from the host and give True; give False at once if the pipe is full."""
        given, done = self._packet("host_write_nb", q, value), np.zeros(1, np.int32)
        self._check_free("host_write_nb", q)

        def host_write_nb(given: Any, done: Any) -> None:
            if self.write_nb(given[0]):
                done[0] = 1
        q.single_task(host_write_nb, given, done).wait()
        return bool(done[0])

    @ends_at_call
    def host_read_nb(self, q: queue) -> tuple[Any, bool]:
        """Take the oldest packet to the host: (packet, True); (zeros, False) if there is none."""
        _check_queue("host_read_nb", q)
        self._check_free("host_read_nb", q)
        taken, done = np.zeros(1, self.dtype), np.zeros(1, np.int32)

        def host_read_nb(taken: Any, done: Any) -> None:
            packet, ok = self.read_nb()
            if ok:
                taken[0] = packet
                done[0] = 1
        q.single_task(host_read_nb, taken, done).wait()
        return taken[0], bool(done[0])

    def _packet(self, what: str, q: Any, value: Any) -> np.ndarray[Any, np.dtype[Any]]:
        """Return a value as a packet in an array."""
        _check_queue(what, q)
        try:
            return np.array([value], self.dtype)
        except (TypeError, ValueError) as err:
            raise UsageError(errc.invalid, f"{what}: {value!r} is no packet of {self.dtype}: "
                             f"{err}") from err

    def _check_free(self, what: str, q: queue) -> None:
        """Refuse to be at an end of a pipe that a kernel is held back for: that would not begin."""
        held = partners.holder(pipe_ends.key_of(self._ends, q.channel))
        if held is not None:
            raise UsageError(errc.invalid, f"{what}: {partners.named(held)} is held back until the "
                             "program waits for it, as kernels that may wait in pipes are on this "
                             "device, and the host cannot be at the other end meanwhile; let a "
                             "kernel be, or call this before the kernel is submitted")

    # ------------------------------------------------------------------ in kernels
    def write_nb(self, value: Any) -> bool:
        """Append a packet and give True; give False at once if the pipe is full."""
        at = self._claim(_WRITE, 0, 1)
        if at >= 0:
            self._data[at & self._mask] = value
            self._publish(at, 1)
        return bool(at >= 0)

    def read_nb(self) -> tuple[Any, bool]:
        """Take the oldest packet: (packet, True); (an old packet, False) if there is none."""
        at = self._claim(_READ, 1, 1)
        value = copy(self._data[at & self._mask])
        if at >= 0:
            self._publish(at, self.capacity)
        return value, bool(at >= 0)

    def write(self, value: Any) -> None:
        """Append a packet, when there is room."""
        self._may_wait()
        waiting = atomic_ref(self._ends, _WAITING, _RELAXED, _DEVICE)
        at = np.int64(-1)
        waits = False
        while at < 0:
            at = self._claim(_WRITE, 0, 1)
            if at >= 0:
                self._data[at & self._mask] = value
                self._publish(at, 1)
            elif not waits:
                waits = True
                waiting.fetch_add(1)
        if waits:
            waiting.fetch_sub(1)

    def read(self) -> Any:
        """Take the oldest packet, when there is one."""
        self._may_wait()
        waiting = atomic_ref(self._ends, _WAITING, _RELAXED, _DEVICE)
        at = np.int64(-1)
        waits = False
        value = copy(self._data[0])
        while at < 0:
            at = self._claim(_READ, 1, 1)
            if at >= 0:
                value = copy(self._data[at & self._mask])
                self._publish(at, self.capacity)
            elif not waits:
                waits = True
                waiting.fetch_add(1)
        if waits:
            waiting.fetch_sub(1)
        return value

    def reserve_write(self, count: Any) -> Any:
        """Claim room for packets that follow one another; negative if there is not enough.

        Give what it returns to ``put`` for each packet and then to ``commit_write``; readers see
        the packets after that. For a work-group let one item reserve and broadcast.
        """
        return self._claim(_WRITE, 0, count)

    def put(self, reservation: Any, index: Any, value: Any) -> None:
        """Set a packet of a reservation, counted from 0."""
        self._data[(reservation + index) & self._mask] = value

    def commit_write(self, reservation: Any, count: Any) -> None:
        """Let readers see all packets of a reservation."""
        for k in range(count):
            self._publish(reservation + k, 1)

    def reserve_read(self, count: Any) -> Any:
        """Claim the oldest packets; negative if there are too few."""
        return self._claim(_READ, 1, count)

    def get(self, reservation: Any, index: Any) -> Any:
        """Return a packet of a reservation, counted from 0."""
        return copy(self._data[(reservation + index) & self._mask])

    def commit_read(self, reservation: Any, count: Any) -> None:
        """Free the room of all packets of a reservation."""
        for k in range(count):
            self._publish(reservation + k, self.capacity)

    def _may_wait(self) -> bool:
        """Note, while compiling, that the kernel may wait for another one."""
        return self._waiting is not None

    def _claim(self, end: Any, ready: Any, count: Any) -> Any:
        """Move an end of the pipe by so many packets; the first one's number, -1 if not ready.

        A packet is ready for a writer when its turn is its number, for a reader one later.
        """
        tail = atomic_ref(self._ends, end, _RELAXED, _DEVICE)
        at = tail.load()
        found = np.int64(-1)
        going = 0 < count <= self.capacity
        while going:
            behind = np.int32(0)
            ahead = np.int32(0)
            for k in range(count):
                turn = atomic_ref(self._turns, (at + k) & self._mask, _BOTH, _DEVICE)
                lead = turn.load(_ACQUIRE) - (at + k + ready)
                behind = min(behind, lead)
                ahead = max(ahead, lead)
            if ahead > 0:
                at = tail.load()
            elif behind < 0:
                going = False
            else:
                done, seen = tail.compare_exchange_strong(at, at + count)
                if done:
                    found = np.int64(at) & _NUMBERS
                    going = False
                else:
                    at = seen
        return found

    def _publish(self, at: Any, later: Any) -> None:
        """Give a packet its next turn: so much later than its number."""
        turn = atomic_ref(self._turns, at & self._mask, _BOTH, _DEVICE)
        turn.store(np.int32((at + later) & _NUMBERS), _RELEASE)


def _check_waits(what: str, q: queue) -> None:
    """Refuse what waits on the host where no kernel runs beside others but those launched as one.

    Elsewhere the kernel that it is will be refused, or runs.
    """
    info = q.channel.device.info
    if info.joined_kernels and not info.concurrent_kernels:
        pipe_ends.refuse(info, what)


def _check_queue(what: str, q: Any) -> None:
    if not isinstance(q, QueueBase):
        raise UsageError(errc.invalid, f"{what}: expected the queue whose device's and context's "
                         f"pipe is meant first, got {type(q).__name__}")
