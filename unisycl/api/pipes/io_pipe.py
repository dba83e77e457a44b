"""I/O pipes: pipes whose other end is a file, as in emulations of boards with inputs and outputs.

Kernels see a ``pipe``; a thread moves packets between it and the file, as small kernels that never
wait. Intel's extension dataflow_pipes: ``kernel_readable_io_pipe``, ``kernel_writeable_io_pipe``.
Non-goals: drivers of real boards. Invariants: packets keep their order; a packet of the file
reaches one kernel, one of a kernel the file, exactly once.
"""

from __future__ import annotations

import errno
import os
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from unisycl.api.devices.context import context
from unisycl.api.pipes.pipe import pipe
from unisycl.api.queue.queue import queue
from unisycl.base.errors import UsageError, errc, exception
from unisycl.base.tracebacks import ends_at_call
from unisycl.runtime.devices.devices import ContextState, DeviceState
from unisycl.runtime.graph import lifecycle
from unisycl.runtime.graph.channel import Channel
from unisycl.runtime.graph.command_group import BoundView, Group
from unisycl.runtime.memory.variables import Variable

__kernel_language__ = True
_ROOM = 1024
"""The least capacity, so that a packet costs the thread little."""
_PAUSES = (0.0005, 0.05)  # seconds between looks: while packets move, and when none has for long


class FileEnds(Variable):
    """The ends of an I/O pipe; the pump learns of the first launch on a device of a context.

    ``file`` is its path; ``reads``: kernels read it.
    """

    __slots__ = ("_seen", "file", "pump", "reads")
    __host_instead__ = "an I/O pipe is read and written by kernels; on the host use its file"
    outside = True

    def __init__(self, initial: Variable, pump: _Pump) -> None:
        super().__init__("pipe", initial._extents, initial._initial)
        self.pump = weakref.ref(pump)
        self.file = pump.path
        self.reads = pump.reads
        self._seen: weakref.WeakKeyDictionary[ContextState, set[DeviceState]] = (
            weakref.WeakKeyDictionary())

    def __lasting__(self) -> FileEnds:
        """Return what a launch that is kept asks whether it is ``freed``."""
        return self

    @property
    def freed(self) -> bool:
        """Whether the file was closed."""
        served = self.pump()
        return served is not None and served.closed

    def bytes(self) -> None:
        """Refuse kernels once the file was closed."""
        served = self.pump()
        if served is not None:
            served.check_open()

    def bind(self, group: Group | None, channel: Channel) -> BoundView:
        served = self.pump()
        if served is not None:
            served.check_open()
        view = super().bind(group, channel)
        devices = self._seen.setdefault(channel.context, set())
        if channel.device not in devices:
            devices.add(channel.device)
            if served is not None:
                served.serve(channel)
        return view


class _Pump:
    """Moves packets between a ring and a file, in one thread that starts with the first launch.

    ``lock`` is held while packets move; ``places`` are the contexts and devices that have the pipe.
    """

    __slots__ = ("__weakref__", "_fd", "_flags", "_left", "_ring", "_started",
                 "_stop", "error", "lock", "path", "places")

    def __init__(self, path: str, ring: pipe, flags: int) -> None:
        self.path, self._ring, self._flags = path, ring, flags
        self._left = b""
        self._fd = -1
        self._started = False
        self._stop = threading.Event()
        self.lock = threading.RLock()
        self.places: list[tuple[weakref.ref[ContextState], DeviceState]] = []
        self.error: Exception | None = None
        ring._ends = FileEnds(ring._ends, self)
        self._open()

    def __del__(self) -> None:
        if getattr(self, "_fd", -1) >= 0:
            os.close(self._fd)

    @property
    def reads(self) -> bool:
        """Whether kernels read what the file holds."""
        return self._flags == os.O_RDONLY

    @property
    def closed(self) -> bool:
        """Whether the service has ended."""
        return self._stop.is_set()

    def check_open(self) -> None:
        """Refuse a kernel whose packets would be lost, or which would wait for ever for some."""
        if self.closed:
            what = ("holds no packets any more" if self.reads else
                    "does not keep what kernels write any more")
            raise UsageError(errc.invalid, f"the I/O pipe to '{self.path}' was closed and {what}; "
                             "submit kernels that use it before close(), or make another pipe")

    def _open(self) -> bool:
        """Say whether the file is open; it may come to exist later."""
        if self._fd < 0:
            if Path(self.path).is_dir():
                raise UsageError(errc.invalid, f"an I/O pipe cannot open '{self.path}': it is a "
                                 "directory; name a file, in it perhaps")
            try:
                self._fd = os.open(self.path, self._flags | os.O_NONBLOCK, 0o666)
            except (OSError, ValueError) as error:
                # No file yet; a named pipe that nobody reads yet.
                later = errno.ENOENT if self.reads else errno.ENXIO
                if getattr(error, "errno", None) != later:
                    raise UsageError(errc.invalid, f"an I/O pipe cannot open '{self.path}': "
                                     f"{error}") from error
        return self._fd >= 0

    # ------------------------------------------------------------------ kernels
    def _give(self, q: queue, count: int, packets: Any) -> int:
        """Append packets to the ring while there is room; return how many."""
        ring, moved = self._ring, np.zeros(1, np.int32)

        def give(packets: Any, count: Any, moved: Any) -> None:
            n = 0
            while n < count and ring.write_nb(packets[n]):
                n += 1
            moved[0] = n
        q.single_task(give, packets, count, moved).wait()
        return int(moved[0])

    def _take(self, q: queue, count: int, packets: Any) -> int:
        """Take packets from the ring while there are any; return how many."""
        ring, moved = self._ring, np.zeros(1, np.int32)

        def take(packets: Any, count: Any, moved: Any) -> None:
            n = 0
            going = n < count
            while going:
                packet, going = ring.read_nb()
                if going:
                    packets[n] = packet
                    n += 1
                    going = n < count
            moved[0] = n
        q.single_task(take, packets, count, moved).wait()
        return int(moved[0])

    # ------------------------------------------------------------------ moving
    def step(self, state: ContextState, device: DeviceState) -> int:
        """Move what can be moved at one place; return how many packets or bytes did."""
        with self.lock:
            if self._stop.is_set() or not self._open():
                return 0
            size, most = self._ring.dtype.itemsize, self._ring.capacity
            q = queue._over(device, context._of(state), None)
            if self.reads:
                self._left += self._read(size * most - len(self._left))
                count = len(self._left) // size
                if not count:
                    return 0
                packets = np.zeros(most, self._ring.dtype)
                packets[:count] = np.frombuffer(self._left, self._ring.dtype, count)
                moved = self._give(q, count, packets)
                self._left = self._left[moved * size:]
                return moved
            before = self._send()
            if self._left:
                return before
            packets = np.zeros(most, self._ring.dtype)
            count = self._take(q, most, packets)
            self._left = packets[:count].tobytes()
            return before + self._send()

    def _read(self, count: int) -> bytes:
        try:
            return os.read(self._fd, count) if count > 0 else b""
        except BlockingIOError:
            return b""

    def _send(self) -> int:
        """Write what was taken from the ring; a named pipe may be full."""
        sent = 0
        while self._left:
            try:
                done = os.write(self._fd, self._left)
            except BlockingIOError:
                break
            self._left = self._left[done:]
            sent += done
        return sent

    def pass_all(self) -> int:
        """Move what can be moved at every place."""
        found = 0
        for state, device in list(self.places):
            owner = state()
            if owner is not None:
                found += self.step(owner, device)
        return found

    def serve(self, channel: Channel) -> None:
        """Begin to serve a context and device; what a file holds is there when this returns."""
        self.places.append((weakref.ref(channel.context), channel.device))
        self.step(channel.context, channel.device)
        with self.lock:
            if not self._started:
                self._started = True
                if not _pumps:
                    lifecycle.at_end(_close_all)
                _pumps.add(self)
                threading.Thread(target=_run, args=(weakref.ref(self), self._stop),
                                 name="unisycl I/O pipe", daemon=True).start()

    def flush(self) -> None:
        """Move packets until none is left in the ring; raises what went wrong before."""
        while self.pass_all() or (self._left and self._fd >= 0):
            if self._left:
                self._stop.wait(_PAUSES[0])  # a named pipe is full
        if self.error is not None:
            error, self.error = self.error, None
            raise error

    def close(self) -> None:
        """End the service; what kernels have written is in the file then."""
        if not self._stop.is_set():
            if not self.reads:
                self.flush()
            with self.lock:
                self._stop.set()
                if self._fd >= 0:
                    os.close(self._fd)
                self._fd = -1


_pumps: weakref.WeakSet[_Pump] = weakref.WeakSet()
"""Those that have started."""


def _close_all() -> None:
    """Store what is still in pipes at the end of the program."""
    for pump in list(_pumps):
        lifecycle.call_quietly(pump.close)


def _run(held: weakref.ref[_Pump], stop: threading.Event) -> None:
    """Move packets until the pump is closed or gone: often while some move, else seldom."""
    pause = _PAUSES[0]
    while not stop.wait(pause):
        pump = held()
        if pump is None:
            return
        try:
            pause = _PAUSES[0] if pump.pass_all() else min(2 * pause, _PAUSES[1])
        except (OSError, exception) as error:
            pump.error = error
            return
        del pump


class _IoPipe:
    """What both kinds of I/O pipe have."""

    __slots__ = ("__weakref__", "_pump", "_ring")

    def __init__(self, name: str | os.PathLike[str] | int, dtype: Any, min_capacity: int,
                 flags: int) -> None:
        if isinstance(name, bool) or not isinstance(name, str | int | os.PathLike):
            raise UsageError(errc.invalid, f"an I/O pipe is named by a path or a number, not "
                             f"{name!r}")
        path = str(name) if isinstance(name, int) else os.fspath(name)
        self._ring = pipe(dtype, max(min_capacity, _ROOM) if min_capacity > 0 else min_capacity)
        self._pump = _Pump(path, self._ring, flags)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of a packet."""
        return self._ring.dtype

    @property
    def capacity(self) -> int:
        """How many packets fit in between the file and kernels."""
        return self._ring.capacity

    @ends_at_call
    def close(self) -> None:
        """Close the file; kernels submitted later that use the pipe are refused, ``errc.invalid``.

        Wait for those that write it before: what they write after this returns goes nowhere.
        """
        self._pump.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<I/O pipe of {self.dtype}: {self._pump.path!r}>"


class kernel_readable_io_pipe(_IoPipe):
    """A pipe that kernels read and a file, or a named pipe of the system, fills.

    Args:
        name: the file's path; a number names a file of that name, as in Intel's emulator.
        dtype: the type of a packet: a NumPy type, a vec type or a structured dtype. The file holds
            packets one after another as NumPy's ``tofile`` writes them.
        min_capacity: how many packets fit in at least.

    In kernels ``read()`` waits until the file holds another packet, which it may do later, or come
    to exist later; ``read_nb()`` gives (packet, False) where it would wait. Each packet is read
    once, whichever context and device reads it. Raises ``errc.invalid`` for what ``pipe`` refuses
    and for files that cannot be opened.
    """

    __slots__ = ()

    @ends_at_call
    def __init__(self, name: str | os.PathLike[str] | int, dtype: Any,
                 min_capacity: int = 1) -> None:
        super().__init__(name, dtype, min_capacity, os.O_RDONLY)

    def read(self) -> Any:
        """Take the next packet, when there is one."""
        return self._ring.read()

    def read_nb(self) -> tuple[Any, bool]:
        """Take the next packet: (packet, True); (an old packet, False) if there is none."""
        return self._ring.read_nb()


class kernel_writeable_io_pipe(_IoPipe):
    """A pipe that kernels write and that is stored in a file, or a named pipe of the system.

    Args:
        name: the file's path; a number names a file of that name, as in Intel's emulator. A file
            that exists is emptied.
        dtype: the type of a packet; NumPy's ``fromfile`` reads them.
        min_capacity: how many packets fit in at least.

    In kernels ``write(x)`` waits for room, ``write_nb(x)`` gives False where it would. Packets
    reach the file soon, those of kernels that have ended when ``flush()`` or ``close()`` returns,
    and all at the end of the program; those of a pipe that is dropped before may be lost. Raises
    ``errc.invalid`` like ``kernel_readable_io_pipe``.
    """

    __slots__ = ()

    @ends_at_call
    def __init__(self, name: str | os.PathLike[str] | int, dtype: Any,
                 min_capacity: int = 1) -> None:
        super().__init__(name, dtype, min_capacity, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def write(self, value: Any) -> None:
        """Append a packet, when there is room."""
        self._ring.write(value)

    def write_nb(self, value: Any) -> bool:
        """Append a packet and give True; give False at once if there is no room."""
        return self._ring.write_nb(value)

    @ends_at_call
    def flush(self) -> None:
        """Return when the packets of kernels that have ended are in the file."""
        self._pump.flush()
