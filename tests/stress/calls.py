"""The calls that reach an OpenCL platform, counted, followed and made to fail.

All objects of a platform share a table of its functions, through which the loader calls them; each
entry is replaced by one that asks ``Calls`` first. So a failure is met by whoever makes the call,
PyOpenCL's finalisers included, and what is retained and released is seen. Non-goals: what fails
(``losses``). Invariant: a call that fails has not reached the driver.
"""

from __future__ import annotations

import atexit
import ctypes
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.device.simulator import unharmed

_ARGUMENTS = 14  # no call has more; those that are not there are passed on unread
_CALL = ctypes.CFUNCTYPE(ctypes.c_void_p, *[ctypes.c_void_p] * _ARGUMENTS)
_STATUS, _COMPLETE, _FAILED_BEFORE, _NO_TIMES = 0x11D3, 0, -14, -7
_KEPT: list[Any] = []  # what tables point at


class Entry(NamedTuple):
    """A function of the table: where, and which arguments tell its error and its event."""

    at: int
    name: str
    made: str = ""
    error: int = 0
    event: int = 0


_MAKERS = (
    Entry(4, "clCreateContext", "context", 5), Entry(9, "clCreateCommandQueue", "queue", 3),
    Entry(14, "clCreateBuffer", "memory", 4), Entry(26, "clCreateProgramWithSource", "program", 4),
    Entry(27, "clCreateProgramWithBinary", "program", 6), Entry(34, "clCreateKernel", "kernel", 2),
    Entry(82, "clCreateSubBuffer", "memory", 4), Entry(84, "clCreateUserEvent", "event", 1),
    Entry(96, "clCreateImage", "memory", 5),
    Entry(123, "clCreateCommandQueueWithProperties", "queue", 3),
    Entry(56, "clEnqueueMapBuffer", "", 9, 8), Entry(126, "clSVMAlloc", "allocation"),
)
_COMMANDS = (
    Entry(48, "clEnqueueReadBuffer", event=8), Entry(49, "clEnqueueWriteBuffer", event=8),
    Entry(50, "clEnqueueCopyBuffer", event=8), Entry(51, "clEnqueueReadImage", event=10),
    Entry(52, "clEnqueueWriteImage", event=10), Entry(58, "clEnqueueUnmapMemObject", event=5),
    Entry(59, "clEnqueueNDRangeKernel", event=8), Entry(102, "clEnqueueFillBuffer", event=8),
    Entry(105, "clEnqueueMarkerWithWaitList", event=3),
    Entry(106, "clEnqueueBarrierWithWaitList", event=3), Entry(128, "clEnqueueSVMFree", event=7),
    Entry(129, "clEnqueueSVMMemcpy", event=7), Entry(130, "clEnqueueSVMMemFill", event=7),
    Entry(131, "clEnqueueSVMMap", event=7), Entry(132, "clEnqueueSVMUnmap", event=4),
)
_OTHERS = (
    Entry(3, "clGetDeviceInfo"), Entry(8, "clGetContextInfo"), Entry(12, "clGetCommandQueueInfo"),
    Entry(20, "clGetMemObjectInfo"), Entry(30, "clBuildProgram"), Entry(32, "clGetProgramInfo"),
    Entry(33, "clGetProgramBuildInfo"), Entry(38, "clSetKernelArg"), Entry(39, "clGetKernelInfo"),
    Entry(40, "clGetKernelWorkGroupInfo"), Entry(41, "clWaitForEvents"),
    Entry(42, "clGetEventInfo"), Entry(45, "clGetEventProfilingInfo"), Entry(46, "clFlush"),
    Entry(47, "clFinish"), Entry(85, "clSetUserEventStatus"), Entry(93, "clCreateSubDevices"),
    Entry(134, "clSetKernelArgSVMPointer"), Entry(135, "clSetKernelExecInfo"),
)
_RETAINS = (Entry(6, "clRetainContext", "context"), Entry(10, "clRetainCommandQueue", "queue"),
            Entry(17, "clRetainMemObject", "memory"), Entry(28, "clRetainProgram", "program"),
            Entry(36, "clRetainKernel", "kernel"), Entry(43, "clRetainEvent", "event"))
_RELEASES = (*(Entry(e.at + 1, e.name.replace("Retain", "Release"), e.made) for e in _RETAINS),
             Entry(127, "clSVMFree", "allocation"))
_RETAIN_EVENT, _RELEASE_EVENT, _FINISH = 43, 44, 47
_WAITS = (41, _FINISH)


class Calls:
    """The calls to one platform.

    ``fail`` arms a failure: of the n-th call, of all from the n-th on (``lasting``: the device is
    lost), or of the end of the n-th command (``ends``). ``alive`` are the references to native
    objects by their kinds.
    """

    def __init__(self, platform: Any) -> None:
        self.alive: Counter[tuple[str, int]] = Counter()
        self.kept: Counter[str] = Counter()
        self.seen = 0
        self.failed: list[str] = []
        self._left = self._status = 0
        self._lasting = self._ends = False
        self._only = ""
        self._bad: dict[int, int] = {}
        self._queues: set[int] = set()
        self._lock = threading.Lock()
        table = ctypes.c_void_p.from_address(platform.int_ptr).value or 0
        self._table = (ctypes.c_void_p * 150).from_address(table)
        before = list(self._table)
        self._real = {k: _CALL(a) for k, a in enumerate(before) if a}
        made: dict[int, int] = {}
        for entries, how in ((_MAKERS, self._maker), (_COMMANDS, self._command),
                             (_OTHERS, self._other), (_RETAINS, self._retain),
                             (_RELEASES, self._release)):
            for entry in entries:
                if before[entry.at]:
                    _KEPT.append(_CALL(how(entry, self._real[entry.at])))
                    made[entry.at] = ctypes.cast(_KEPT[-1], ctypes.c_void_p).value or 0
        for k, address in unharmed(made).items():
            self._table[k] = address

        def restore() -> None:
            self._table[:] = before
        atexit.register(restore)

    def fail(self, number: int, status: int, only: str = "", *, lasting: bool = False,
             ends: bool = False) -> None:
        """Have the call of a number from now on fail with a status."""
        with self._lock:
            self.seen, self._left, self._status, self.failed = 0, number, status, []
            self._lasting, self._ends, self._only = lasting, ends, only

    def heal(self) -> None:
        """Have nothing fail any more."""
        with self._lock:
            self._left, self._lasting = 0, False
            bad, self._bad = self._bad, {}
        for event in bad:
            self._real[_RELEASE_EVENT](event, *[None] * (_ARGUMENTS - 1))

    def kinds(self) -> Counter[str]:
        """Return how many objects of each kind have references."""
        with self._lock:
            return Counter(kind for (kind, _), count in self.alive.items() if count > 0)

    def _due(self, entry: Entry, *, end: bool = False) -> bool:
        with self._lock:
            if not self._left or self._ends is not end or self._only not in ("", entry.name):
                return False
            self.seen += 1
            due = self.seen == self._left or (self._lasting and self.seen > self._left)
            if not due:
                return False
            self.failed.append(entry.name)
            lost = self._lasting and len(self.failed) == 1
            queues = list(self._queues) if lost else []
        for queue in queues:  # what a lost device has been given, it does not do later
            self._real[_FINISH](queue, *[None] * (_ARGUMENTS - 1))
        return True

    def _count(self, kind: str, handle: int | None, change: int) -> None:
        with self._lock:
            self.alive[kind, handle or 0] += change
            if self.alive[kind, handle or 0] <= 0:
                del self.alive[kind, handle or 0]
                self._queues.discard(handle or 0)  # it comes back with its next command

    def _maker(self, entry: Entry, real: Any) -> Callable[..., int | None]:
        """Return what stands for a function that returns an object."""
        def call(*arguments: int | None) -> int | None:
            if self._due(entry):
                told = arguments[entry.error] if entry.error else None
                if told:
                    ctypes.c_int32.from_address(told).value = self._status
                return None
            made: int | None = real(*arguments)
            if made and entry.made:
                self._count(entry.made, made, +1)
            if made and entry.event:
                self._note(entry, arguments)
            return made
        return call

    def _command(self, entry: Entry, real: Any) -> Callable[..., int | None]:
        def call(*arguments: int | None) -> int | None:
            if self._due(entry):
                return self._status
            freed: list[int | None] = []
            if entry.name == "clEnqueueSVMFree":
                count, given = (arguments[1] or 0) & 0xFFFFFFFF, arguments[2] or 0
                freed = list((ctypes.c_void_p * count).from_address(given))
            self._queues.add(arguments[0] or 0)
            status: int | None = real(*arguments)
            if not _signed(status):
                self._note(entry, arguments)
                for address in freed:
                    self._count("allocation", address, -1)
            return status
        return call

    def _note(self, entry: Entry, arguments: tuple[int | None, ...]) -> None:
        """Note the event of a command; it fails behind one that does."""
        out = arguments[entry.event]
        event = ctypes.c_void_p.from_address(out).value if out else None
        if not event:
            return
        self._count("event", event, +1)
        count = (arguments[entry.event - 2] or 0) & 0xFFFFFFFF
        waits = arguments[entry.event - 1]
        given = (ctypes.c_void_p * count).from_address(waits) if count and waits else ()
        behind = any(e in self._bad for e in given)
        if self._due(entry, end=True) or behind:
            self._real[_RETAIN_EVENT](event, *[None] * (_ARGUMENTS - 1))
            self._bad[event] = _FAILED_BEFORE if behind else self._status

    def _other(self, entry: Entry, real: Any) -> Callable[..., int | None]:
        def call(*arguments: int | None) -> int | None:
            if self._due(entry):
                if entry.at in _WAITS:  # PyOpenCL lets go of memory once it has waited
                    real(*arguments)
                return self._status
            status: int | None = real(*arguments)
            return self._told(entry.name, arguments, status) if self._bad else status
        return call

    def _told(self, name: str, arguments: tuple[int | None, ...], status: int | None) -> int | None:
        """Return what is said of commands whose ends fail."""
        first = arguments[0] or 0
        if name == "clGetEventInfo" and first in self._bad and arguments[3] and (
                (arguments[1] or 0) & 0xFFFFFFFF == _STATUS):
            value = ctypes.c_int32.from_address(arguments[3])
            if value.value == _COMPLETE:
                value.value = self._bad[first]
        elif name == "clGetEventProfilingInfo" and first in self._bad:
            return _NO_TIMES
        elif name == "clWaitForEvents":
            given = (ctypes.c_void_p * (first & 0xFFFFFFFF)).from_address(arguments[1] or 0)
            if any(e in self._bad for e in given):
                return _FAILED_BEFORE
        return status

    def _retain(self, entry: Entry, real: Any) -> Callable[..., int | None]:
        def call(*arguments: int | None) -> int | None:
            if self._due(entry):
                return self._status
            status: int | None = real(*arguments)
            self._count(entry.made, arguments[0], +1)
            return status
        return call

    def _release(self, entry: Entry, real: Any) -> Callable[..., int | None]:
        at = 1 if entry.made == "allocation" else 0

        def call(*arguments: int | None) -> int | None:
            self._count(entry.made, arguments[at], -1)
            status: int | None = real(*arguments)
            return status
        return call


def _signed(status: int | None) -> int:
    return ctypes.c_int32((status or 0) & 0xFFFFFFFF).value
