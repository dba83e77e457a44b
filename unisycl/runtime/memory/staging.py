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

from unisycl.backends.base import (
    BoundView,
    Completion,
    Driver,
    Launch,
    StridedView,
    Tentative,
)
from unisycl.base.dataclass import dataclass
from unisycl.base.strides import pitches, span_of
from unisycl.ir.findings import Findings
from unisycl.ir.stored_parameters import stored
from unisycl.runtime.memory.regions import pitches_of

Array = np.ndarray[Any, np.dtype[Any]]
_stored = Findings(stored)


@dataclass(slots=True)
class Staged:
    """An array among the values of a launch, until ``settle`` puts a view of a copy there.

    ``spread``: the elements of its last dimension lie at steps of their own.
    """

    array: Array
    spread: bool = False


def strided_view(array: Array, memory: Any, first: int, *, spread: bool) -> BoundView:
    """Return a view of memory that lies as an array does, whose element [0, ...] is ``first``."""
    steps = pitches(array)
    assert steps is not None, "the type of the array says so"
    return (StridedView if spread else BoundView)(memory, first, array.shape, steps)


@dataclass(slots=True)
class Span:
    """Bytes of the host and their copy on the device.

    ``targets`` are the arrays among them that the kernel may change. ``gaps``: other bytes, too,
    so that the copy comes back to a ``shadow`` first, and only its elements go home.
    """

    start: int
    stop: int
    owners: tuple[Array, ...]
    targets: tuple[Array, ...]
    gaps: bool = False
    memory: Any = None
    shadow: Array | None = None

    @property
    def writes(self) -> bool:
        """Say whether the kernel may change them."""
        return bool(self.targets)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {"data": (self.start, not self.writes or self.gaps),
                "shape": (self.stop - self.start,), "typestr": "|u1", "strides": None, "version": 3}

    def host(self) -> BoundView:
        """Return the bytes on the host; they live as long as the view."""
        return BoundView(np.asarray(self), 0, (self.stop - self.start,), (1,))

    def back(self) -> BoundView:
        """Return where the copy comes back to."""
        if not self.gaps:
            return self.host()
        size = self.stop - self.start
        if self.shadow is None:
            self.shadow = np.empty(size, np.uint8)
        return BoundView(self.shadow, 0, (size,), (1,))

    def scatter(self) -> None:
        """Bring the elements of arrays home from what came back."""
        if self.shadow is None:
            return
        for array in self.targets:
            first: int = array.__array_interface__["data"][0]
            array[...] = np.ndarray(array.shape, array.dtype, self.shadow.data, first - self.start,
                                    array.strides)

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
    start, stop = span_of(array)
    made = Span(start, stop, (array,), (array,) * writes, not array.flags.c_contiguous)
    for span in [s for s in spans if s.start < made.stop and made.start < s.stop]:
        spans.remove(span)
        low, high = min(made.start, span.start), max(made.stop, span.stop)
        full = any(s.targets and (s.start, s.stop, s.gaps) == (low, high, False)
                   for s in (made, span))
        made = Span(low, high, made.owners + span.owners, made.targets + span.targets,
                    (made.gaps or span.gaps) and not full)
    spans.append(made)


def _view(value: Any, spans: list[Span]) -> Any:
    if type(value) is not Staged:
        return value
    array = value.array
    start, stop = span_of(array)
    span = next(s for s in spans if s.start <= start and stop <= s.stop)
    memory = span.memory[start - span.start:stop - span.start].view(array.dtype)
    if not array.flags.c_contiguous or value.spread:
        first = (int(array.__array_interface__["data"][0]) - start) // array.itemsize
        return strided_view(array, memory, first, spread=value.spread)
    return BoundView(memory, 0, array.shape, pitches_of(array.shape))


class _Flights:
    """The launches under way that use arrays: bytes, whether they change, the end, and all steps.

    The steps hold what they use; nobody else holds them until the last one has ended.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.known: list[tuple[Span, Driver, Completion, Sequence[Completion]]] = []

    def conflicts(self, spans: Sequence[Span]) -> list[tuple[Driver, Completion]]:
        """Return the launches that must end before one with these spans begins."""
        self.known = [f for f in self.known if not f[2].done()]
        return [(driver, end) for other, driver, end, _ in self.known
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
        for copied in [driver.copy(s.back(), s.device(), ()) for s in spans if s.writes]:
            copied.wait()
        for span in spans:
            span.scatter()


def launch(driver: Driver, made: Launch, native: Sequence[Completion],
           run: Callable[[Launch, Sequence[Completion]], Completion]) -> Completion:
    """Start a launch with arrays: copies to the device, what ``run`` starts, copies back."""
    spans: tuple[Span, ...] = made.staged
    with _flights.lock:
        waits = list(native)
        for where, end in _flights.conflicts(spans):
            if where is driver and not isinstance(end, Tentative):
                waits.append(end)
            else:
                while not end.wait(1.0):
                    continue
        steps = [driver.copy(s.device(), s.host(), waits) for s in spans]
        end = ran = run(made, steps[:])
        steps.append(ran)
        for span in spans:
            if span.writes:
                end = driver.copy(span.back(), span.device(), (end,))
                steps.append(end)
        apart = tuple([s for s in spans if s.writes and s.gaps])
        last = _Checked(ran, end, apart) if apart or (
            isinstance(ran, Tentative) and end is not ran) else end
        _flights.known += [(span, driver, last if apart else end, steps) for span in spans]
    return last


class _Checked(Tentative):
    """The end of copying back what a kernel stored that says only when it has ended how it went.

    Whoever sees the end first brings the elements of strided arrays home.
    """

    __slots__ = ("_apart", "_back", "_lock", "_ran")

    def __init__(self, ran: Completion, back: Completion, apart: tuple[Span, ...]) -> None:
        self._ran = ran
        self._back = back
        self._apart = apart
        self._lock = threading.Lock()

    def done(self) -> bool:
        """Say whether both have ended."""
        return self._back.done() and self._ran.done() and self._settled()

    def wait(self, timeout: float | None = None) -> bool:
        """Block until both have ended or so many seconds pass; the kernel ends first."""
        return self._back.wait(timeout) and self._ran.done() and self._settled()

    def _settled(self) -> bool:
        if self._apart:
            with self._lock:
                if self._apart and self.error() is None:
                    for span in self._apart:
                        span.scatter()
                self._apart = ()
        return True

    def error(self) -> BaseException | None:
        """Return what the kernel or the copy failed with."""
        return self._ran.error() or self._back.error()

    def profile(self) -> tuple[int, int]:
        """Return the start of the kernel and the end of the copy, in ns."""
        return self._ran.profile()[0], self._back.profile()[1]
