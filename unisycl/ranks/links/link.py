"""What ranks are to one another: messages, collective calls, and how long anyone waits.

Non-goals: carrying anything (``threads``, ``mpi``). Invariants: nothing blocks but ``wait``; what
is posted ends within the link's limit, with an error if need be; collective calls of a link are
carried out one after another, in the order in which each rank posts them.
"""

from __future__ import annotations

import functools
import hashlib
import os
import select
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from unisycl.base.errors import DeviceError, UsageError, errc

Array = np.ndarray[Any, np.dtype[Any]]
_LONG = 40  # characters of an operator's name that are told
_SPIN = 1e-3  # so many seconds who waits does nothing but look
_AWAKE = 1e-4  # so many of them it keeps the processor


def give_way(spent: float) -> None:
    """Let other threads have Python, and after a moment other processes the processor, too."""
    if spent < _AWAKE:
        select.select((), (), (), 0)  # time.sleep(0) may take 50 us and more
    else:
        _leave_processor()


def _leave_processor() -> None:
    time.sleep(0)


if hasattr(os, "sched_yield") and sys.version_info >= (3, 12):  # before, it kept the GIL
    _leave_processor = os.sched_yield


class Pending(Protocol):
    """Something that was posted; a completion of the graph, too."""

    def done(self) -> bool:
        """Say whether it has ended; carries it on where it can."""

    def wait(self, timeout: float | None = None) -> bool:
        """Block until it ends or so many seconds pass; say whether it ended."""

    def error(self) -> BaseException | None:
        """Return what it failed with, once done."""


@dataclass(eq=False)
class Call:
    """A collective call as one rank makes it.

    ``words`` only compares what ranks say, in ``note``, and ends as a barrier does; ``counts``
    compares those of ``alltoallv``, too.
    ``counts`` are elements for each rank where ranks take part with different numbers;
    ``others`` those that this rank sends, in ``alltoallv``. ``op`` combines two arrays. ``said`` is
    the signature where it is known; ``hold`` are the seconds for which whoever posts it carries it
    on, before that is left to others.
    """

    name: str
    send: Array | None = None
    recv: Array | None = None
    op: Any = None
    op_name: str = ""
    root: int = 0
    counts: tuple[int, ...] = ()
    others: tuple[int, ...] = ()
    note: str = ""
    number: int = field(default=0)
    said: str = ""
    hold: float = 0.0

    def signature(self) -> str:
        """Return what has to be the same on all ranks, in words for people."""
        if self.said or self.name in ("words", "counts"):
            return self.said or self.note
        kind = self.recv if self.recv is not None else self.send
        return _signature(self.name, self.op_name, "" if kind is None else self._extent(),
                          None if kind is None else kind.dtype, self.root, self.note)

    def _extent(self) -> str:
        if self.counts and self.name != "alltoallv":
            return "+".join(map(str, self.counts)) if len(self.counts) <= 8 else \
                f"{len(self.counts)} counts, sum {sum(self.counts)}, mix {hash(self.counts)}"
        if self.name == "alltoallv":
            return "any number of"
        if self.name in ("gather", "allgather", "alltoall"):
            return str(0 if self.send is None else self.send.size)
        if self.name in ("scatter", "reduce_scatter"):
            return str(0 if self.recv is None else self.recv.size)
        found = self.recv if self.send is None else self.send
        return str(0 if found is None else found.size)


@functools.lru_cache(maxsize=1024)
def _signature(name: str, op_name: str, extent: str, dtype: np.dtype[Any] | None, root: int,
               note: str) -> str:
    words = [name]
    if op_name:
        words.append(f"({op_name if len(op_name) <= _LONG else _shortened(op_name)})")
    if dtype is not None:
        words.append(f"of {extent} {dtype.name}")
    if name in ("reduce", "broadcast", "gather", "gatherv", "scatter", "scatterv"):
        words.append(f"with root {root}")
    return " ".join(words + ([note] if note else []))


def _shortened(name: str) -> str:
    """Return a long name's end, with what tells it from others that end so."""
    mix = hashlib.blake2b(name.encode(), digest_size=4).hexdigest()
    return f"...{name[-_LONG:]} {mix}"


class Link:
    """One rank's end of a group of ranks.

    Args:
        rank: which rank this is; size: how many there are.
        limit: the seconds after which whoever has not come counts as missing.
        name: what messages call the group.
    """

    provider = ""

    def __init__(self, rank: int, size: int, limit: float, name: str) -> None:
        self.rank, self.size, self.limit, self.name = rank, size, limit, name
        self.broken: BaseException | None = None
        self._posted = self._numbered = 0
        self.on_failure: list[Callable[[], None]] = []

    # ------------------------------------------------------------------ what carriers do
    def send(self, to: int, tag: int, data: Any, words: str = "") -> Ending:
        """Send contiguous elements to a rank; ``data`` stays as it is until the end.

        ``words`` say what they are, where the other rank may expect something else.
        """
        raise NotImplementedError

    def receive(self, source: int, tag: int, data: Any, words: str = "") -> Ending:
        """Receive as many elements as ``data`` has; both say ``words``, or neither does."""
        raise NotImplementedError

    def collect(self, call: Call) -> Ending:
        """Carry out a collective call."""
        raise NotImplementedError

    def split(self, color: int, key: int) -> Link | None:
        """Return the link among the ranks of one color, in the order of their keys."""
        raise NotImplementedError

    def duplicate(self) -> Link:
        """Return another link among the same ranks."""
        found = self.split(0, self.rank)
        assert found is not None
        return found

    def abort(self, error: BaseException) -> None:
        """Tell the other ranks that this one has failed, where that can be told."""

    def takes(self, kind: str) -> bool:
        """Say whether messages may be of memory of devices, of the kind that MPI calls so."""
        return False

    def note_busy(self, busy: Callable[[], bool]) -> None:
        """Have a function say whether this rank computes, and so may be late."""

    def heard(self) -> float:
        """Return when a rank was last known to compute; ``time.monotonic``."""
        return float("-inf")

    # ------------------------------------------------------------------ on top of them
    def overdue(self, end: float) -> bool:
        """Say whether who has not come by ``end`` is missing: unless a rank computes."""
        now = time.monotonic()
        return now > end and now > self.heard() + self.limit

    def number(self) -> int:
        """Return the number of the next collective call."""
        self._posted += 1
        return self._posted

    def number_buffer(self) -> int:
        """Return the number of the next buffer of this rank: the same on all ranks."""
        self._numbered += 1
        return self._numbered - 1

    def check_open(self, what: str) -> None:
        """Refuse to go on with a group that has lost a rank."""
        if self.broken is not None:
            raise DeviceError(errc.runtime, f"{what}: {self.called()} is not usable any more: "
                              f"{self.broken}")

    def called(self) -> str:
        """Return what messages call this end."""
        return f"rank {self.rank} of {self.size} ({self.name})"

    def finish(self, pending: Pending) -> None:
        """Wait for something posted and raise what it failed with."""
        while not pending.wait(0.05):
            pass
        error = pending.error()
        if error is not None:
            raise error

    def exchange(self, text: bytes, about: str = "sizes of texts") -> list[bytes]:
        """Return what each rank gives here, in the order of ranks; collective, and blocks.

        ``about`` is what ranks are told that call something else.
        """
        sizes = np.zeros(self.size, np.int64)
        self.finish(self.collect(Call("allgather", np.array([len(text)], np.int64), sizes,
                                      counts=(), note=about)))
        whole = np.zeros(int(sizes.sum()), np.uint8)
        mine = np.frombuffer(text, np.uint8)
        self.finish(self.collect(Call("allgatherv", mine, whole,
                                      counts=tuple(int(n) for n in sizes))))
        ends = np.cumsum(sizes)
        return [whole[e - n:e].tobytes() for e, n in zip(ends, sizes, strict=True)]

    def barrier(self) -> None:
        """Wait for all ranks."""
        self.finish(self.collect(Call("barrier")))

    def __repr__(self) -> str:
        return f"<{self.provider}: {self.called()}>"


class Ending:
    """A ``Pending`` that somebody ends; ``step``, if given, carries it on.

    ``then`` is called at the end; what is set afterwards has to look whether it is over.
    """

    __slots__ = ("_done", "_error", "_event", "begun", "ended", "spin", "step", "then",
                 "waited")

    def __init__(self, step: Callable[[], None] | None = None) -> None:
        self._event: threading.Event | None = None  # made by whoever waits
        self._done = False
        self._error: BaseException | None = None
        self.step = step
        self.then: Callable[[], None] | None = None
        self.waited = False  # some thread carries it on while it waits
        self.spin = _SPIN
        self.begun, self.ended = time.monotonic_ns(), 0

    def finish(self, error: BaseException | None = None) -> None:
        """End it; the first call counts."""
        if not self._done:
            self._error, self.ended = error, time.monotonic_ns()
            self.step, self._done = None, True
            event = self._event
            if event is not None:
                event.set()
            then, self.then = self.then, None
            if then is not None:
                then()

    def call(self, then: Callable[[], None]) -> None:
        """Have a function called once it has ended; at once if it has."""
        self.then = then
        if self._done:
            then, self.then = self.then, None
            if then is not None:
                then()

    def done(self) -> bool:
        """Say whether it has ended."""
        step = self.step
        if step is not None and not self._done:
            step()
        return self._done

    def over(self) -> bool:
        """Say whether it has ended; does not carry it on."""
        return self._done

    def wait(self, timeout: float | None = None) -> bool:
        """Block until it ends; looks often at first, then ever less."""
        begun = time.monotonic()
        self.waited = True
        try:
            while not self.done():
                spent = time.monotonic() - begun
                left = 1.0 if timeout is None else timeout - spent
                if left <= 0:
                    return False
                if self.step is None:
                    self._sleep(min(left, 0.05))
                elif spent < self.spin:
                    give_way(spent)
                else:
                    time.sleep(min(spent / 20, left, 5e-4))
        finally:
            self.waited = False
        return True

    def _sleep(self, seconds: float) -> None:
        """Wait until somebody ends it; who ends it looks for the event behind ``_done``."""
        event = self._event
        if event is None:
            event = self._event = threading.Event()
        if not self._done:
            event.wait(seconds)

    def error(self) -> BaseException | None:
        """Return what it failed with."""
        return self._error

    def profile(self) -> tuple[int, int]:
        """Return when it began and ended, in ns."""
        return self.begun, self.ended or time.monotonic_ns()


def late(link: Link, what: str, missing: list[int]) -> DeviceError:
    """Return the error of a call to which ranks did not come in time."""
    who = ", ".join(f"rank {r}" for r in missing) or "another rank"
    return DeviceError(errc.runtime, f"{link.called()}: {what}: {who} did not come within "
                       f"{link.limit:g} s; all ranks make the same calls in the same order "
                       "(UNISYCL_RANK_TIMEOUT sets the time)")


def differ(link: Link, number: int, said: dict[int, str]) -> DeviceError:
    """Return the error of a call that ranks make differently."""
    texts: dict[str, list[int]] = {}
    for rank, text in sorted(said.items()):
        texts.setdefault(text, []).append(rank)
    parts = "; ".join(f"rank{'s' * (len(r) > 1)} {', '.join(map(str, r))}: {t}"
                      for t, r in texts.items())
    return DeviceError(errc.invalid, f"{link.called()}: call {number} of the communicator differs "
                       f"between ranks: {parts}")


def unlike(source: int, sent: str, target: int, wanted: str) -> DeviceError:
    """Return the error of a message that is none of what its receiver expects."""
    return DeviceError(errc.invalid, f"rank {source} sends {sent} to rank {target}, which expects "
                       f"{wanted}")


def check_rank(what: str, value: int, size: int) -> int:
    """Return a rank that exists."""
    if not hasattr(value, "__index__"):
        raise UsageError(errc.invalid, f"{what}: expected the number of a rank, got {value!r}")
    if not 0 <= value < size:
        raise UsageError(errc.invalid, f"{what}: rank {value} does not exist; there are {size}")
    return value
