"""Arrays as kernel arguments where a device cannot use them in place: copied there and back.

A launch gets copies of the arrays it was given, and its end is the end of copying back what it may
have stored to. Arrays that overlap share one copy; a launch waits for others that use the same
bytes, if either stores to them. Non-goals: buffers, which stay on a device (``moves``). Invariant:
a kernel without arrays, or on a device that uses them in place, is launched as before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unisycl.backends.base import BoundView, Completion, Driver, Launch, Tentative
from unisycl.base.record import dataclass
from unisycl.ir.findings import Findings
from unisycl.ir.stored import stored
from unisycl.runtime.regions import pitches_of

Array = np.ndarray[Any, np.dtype[Any]]
_stored = Findings(stored)


@dataclass(slots=True)
class Staged:
    """An array among the values of a launch, until ``settle`` puts a view of a copy there."""

    array: Array


@dataclass(slots=True)
class Span:
    """Bytes of the host, their copy on the device, and whether the kernel may change them."""

    start: int
    stop: int
    writes: bool
    owners: tuple[Array, ...]
    memory: Any = None

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {"data": (self.start, not self.writes), "shape": (self.stop - self.start,),
                "typestr": "|u1", "strides": None, "version": 3}

    def host(self) -> BoundView:
        """Return the bytes on the host; they live as long as the view."""
        return BoundView(np.asarray(self), 0, (self.stop - self.start,), (1,))

    def device(self) -> BoundView:
        """Return the bytes on the device."""
        size = self.stop - self.start
        return BoundView(self.memory[:size], 0, (size,), (1,))


def settle(launch: Launch, driver: Driver) -> None:
    """Give a launch views of copies for the arrays it was given, and note what is to be copied."""
    results: tuple[Any, ...] = tuple([view for view, _ in launch.reductions])
    if Staged not in map(type, launch.values) and Staged not in map(type, results):
        return
    kernel: Any = launch.executable.kernel
    written = frozenset(range(len(launch.values))) if kernel is None else _stored.of(kernel)
    spans: list[Span] = []
    for k, value in enumerate(launch.values):
        if type(value) is Staged:
            _join(spans, value.array, writes=k in written and value.array.flags.writeable)
    for result in results:
        if type(result) is Staged:
            _join(spans, result.array, writes=True)
    for span in spans:
        span.memory = driver.allocate(max(1, span.stop - span.start))
    launch.values = tuple([_view(v, spans) for v in launch.values])
    launch.reductions = tuple([(_view(v, spans), drop) for v, drop in launch.reductions])
    launch.staged = tuple(s for s in spans if s.stop > s.start)


def _join(spans: list[Span], array: Array, *, writes: bool) -> None:
    start = _address(array)
    made = Span(start, start + array.nbytes, writes, (array,))
    for span in [s for s in spans if s.start < made.stop and made.start < s.stop]:
        spans.remove(span)
        made = Span(min(made.start, span.start), max(made.stop, span.stop),
                    made.writes or span.writes, made.owners + span.owners)
    spans.append(made)


def _address(array: Array) -> int:
    start: int = array.__array_interface__["data"][0]
    return start


def _view(value: Any, spans: list[Span]) -> Any:
    if type(value) is not Staged:
        return value
    array = value.array
    start = _address(array)
    span = next(s for s in spans if s.start <= start and start + array.nbytes <= s.stop)
    low = start - span.start
    memory = span.memory[low:low + array.nbytes].view(array.dtype)
    return BoundView(memory, 0, array.shape, pitches_of(array.shape))


class _Flights:
    """The launches under way that use arrays: bytes, whether they change, and the end."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.known: list[tuple[Span, Driver, Completion]] = []

    def conflicts(self, spans: Sequence[Span]) -> list[tuple[Driver, Completion]]:
        """Return the launches that must end before one with these spans begins."""
        self.known = [f for f in self.known if not f[2].done()]
        return [(driver, end) for other, driver, end in self.known
                if any(s.start < other.stop and other.start < s.stop and (s.writes or other.writes)
                       for s in spans)]


_flights = _Flights()


def around(driver: Driver, spans: Sequence[Span], native: Sequence[Completion],
           work: Callable[[Sequence[Completion]], None]) -> None:
    """Do ``work`` between copies to the device and back; to its end, in the calling thread."""
    with _flights.lock:
        for _, end in _flights.conflicts(spans):
            while not end.wait(1.0):
                continue
        for copied in [driver.copy(s.device(), s.host(), native) for s in spans]:
            copied.wait()
        work(native)
        for copied in [driver.copy(s.host(), s.device(), ()) for s in spans if s.writes]:
            copied.wait()


def launch(driver: Driver, made: Launch, native: Sequence[Completion],
           run: Callable[[Launch, Sequence[Completion]], Completion]) -> Completion:
    """Start a launch with arrays: copies to the device, what ``run`` starts, copies back."""
    spans: tuple[Span, ...] = made.staged
    with _flights.lock:
        waits = list(native)
        for where, end in _flights.conflicts(spans):
            if where is driver:
                waits.append(end)
            else:
                while not end.wait(1.0):
                    continue
        end = ran = run(made, [driver.copy(s.device(), s.host(), waits) for s in spans])
        for span in spans:
            if span.writes:
                end = driver.copy(span.host(), span.device(), (end,))
        _flights.known += [(span, driver, end) for span in spans]
    return _Checked(ran, end) if isinstance(ran, Tentative) and end is not ran else end


class _Checked(Tentative):
    """The end of copying back what a kernel stored that says only when it has ended how it went."""

    __slots__ = ("_back", "_ran")

    def __init__(self, ran: Completion, back: Completion) -> None:
        self._ran = ran
        self._back = back

    def done(self) -> bool:
        """Say whether both have ended."""
        return self._back.done() and self._ran.done()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until both have ended or so many seconds pass; the kernel ends first."""
        return self._back.wait(timeout) and self._ran.done()

    def error(self) -> BaseException | None:
        """Return what the kernel or the copy failed with."""
        return self._ran.error() or self._back.error()

    def profile(self) -> tuple[int, int]:
        """Return the start of the kernel and the end of the copy, in ns."""
        return self._ran.profile()[0], self._back.profile()[1]
