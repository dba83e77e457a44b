"""Ranks that are processes of MPI, by mpi4py: any MPI that it was built for.

A collective call begins with short messages that say what each rank calls, so that ranks which
differ, or do not come, are named. Those of a few bytes carry the data, too. Non-goals: starting
processes (``tools.mpirun``). Invariants: one thread at a time carries on a message or a link's
calls, and no other one waits for it: finalisers, which may run in it, wait for commands; whatever
was posted and not completed is kept until the process ends.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unisycl.base.errors import DeviceError, UsageError, errc, exception
from unisycl.ranks.links import arithmetic, gpu_aware, progress
from unisycl.ranks.links.gpu_aware import DeviceArray
from unisycl.ranks.links.link import Array, Call, Ending, Link, differ, late, unlike
from unisycl.ranks.links.mpi_calls import Steps, cut, mpi, native
from unisycl.ranks.links.pulse import Busy, Pulse

_SMALL = 256  # bytes that travel with the words
_WORDS = 160
_AT = _WORDS + 8
_SLOT = _AT + _SMALL
_NOTHING = bytes(_AT)
_TAGS = 1 << 15
_LABEL = 48  # bytes that say what a message is
_MOST = 1 << 26  # bytes that are kept for pieces of others
_PER_BYTE = 2e-9  # so many seconds who waits goes on to do nothing but look
Posted = tuple[list[Any], list[Any]]  # requests of elements, and of what they are
_everywhere = contextlib.nullcontext()
kept: list[Any] = []
"""What was given up: MPI may still write there."""


def _nothing() -> None:
    pass


def _begins(words: bytes | bytearray) -> Callable[[bytearray], bool]:
    return lambda slot: slot.startswith(words)


class MpiLink(Link):
    """One process's end of a communicator of MPI.

    Args:
        comm: an mpi4py communicator that nobody else uses, and another for the words of calls.
        pulse: who computes, for all links that stem from one.
    """

    provider = "MPI"
    carried: tuple[str, ...] = ("allreduce", "reduce", "broadcast", "allgather", "gather")
    """Whose elements travel with the words, if they are few."""

    def __init__(self, comm: Any, words: Any, limit: float, name: str, *, pulse: Pulse) -> None:
        super().__init__(comm.Get_rank(), comm.Get_size(), limit, name)
        self.comm, self.words, self.pulse = comm, words, pulse
        self._lock = threading.Lock()
        self._stepping = threading.Lock()
        self._queue: deque[_Running] = deque()
        self.slots = [bytearray(_SLOT) for _ in range(self.size)]
        self._telling: list[Any] = []
        self._room = np.empty(0, np.uint8)
        self.test_all = mpi().Request.Testall

    # ------------------------------------------------------------------ messages
    def send(self, to: int, tag: int, data: Array | DeviceArray, words: str = "") -> Ending:
        label = _label(words)

        def post() -> Posted:
            said = [self.comm.Isend(label, to, 2 * tag % _TAGS)] if words else []
            return [self.comm.Isend(p, to, (2 * tag + 1) % _TAGS) for p in cut(data)], said
        return self._message(f"a message to rank {to}", to, post, (data, label))

    def receive(self, source: int, tag: int, data: Array | DeviceArray, words: str = "",
                ) -> Ending:
        said = bytearray(_LABEL)

        def post() -> Posted:
            heard = [self.comm.Irecv(said, source, 2 * tag % _TAGS)] if words else []
            return [self.comm.Irecv(p, source, (2 * tag + 1) % _TAGS) for p in cut(data)], heard

        def compare() -> None:
            if words and said != _label(words):
                raise unlike(source, said.rstrip(b"\0").decode(), self.rank, words)

        def check(nbytes: int) -> None:
            if nbytes != data.nbytes:
                raise unlike(source, f"{nbytes} bytes", self.rank, f"{data.nbytes}")
        return self._message(f"a message from rank {source}", source, post, (data, said),
                             compare, check)

    def _message(self, what: str, other: int, post: Callable[[], Posted], uses: Any,
                 compare: Callable[[], None] = _nothing,
                 check: Callable[[int], None] | None = None) -> Ending:
        made = Ending()
        session = uses[0].session if isinstance(uses[0], DeviceArray) else _everywhere
        try:
            with session:
                pieces, labels = post()
        except Exception as error:  # noqa: BLE001 -- mpi4py's, delivered where it is awaited
            made.finish(_ours(self, what, error))
            return made
        end = time.monotonic() + self.limit
        mine = threading.Lock()
        status, arrived = mpi().Status() if check else None, 0
        left = pieces[::-1]

        def step() -> None:
            nonlocal arrived
            if not mine.acquire(blocking=False):
                return  # another thread is at it
            try:
                if made.step is None:
                    return
                told = all(r.Test() for r in labels)
                if told:
                    compare()
                with session:
                    while told and left and left[-1].Test(status):
                        left.pop()
                        arrived += status.Get_count(mpi().BYTE) if status is not None else 0
                if told and not left:
                    if check is not None:
                        check(arrived)
                    made.finish()
                elif self.overdue(end):
                    kept.append((pieces, labels, uses))
                    self.broken = self.broken or late(self, what, [other])
                    made.finish(self.broken)
            except Exception as error:  # noqa: BLE001 -- mpi4py's
                kept.append((pieces, labels, uses))
                made.finish(_ours(self, what, error))
            finally:
                mine.release()
        made.step = step
        if not made.done():  # small messages are sent at once
            progress.add(made)
        return made

    # ------------------------------------------------------------------ collective calls
    def collect(self, call: Call) -> Ending:
        made = Ending()
        running = _Running(self, call, made)
        made.step = self._step
        with self._lock:  # nothing is made in here, so no finaliser runs
            call.number = self.number()
            self._queue.append(running)
        if self.broken is not None:
            made.finish(self.broken)
        self._step()
        if call.hold:
            begin = time.perf_counter()
            while not made._done and time.perf_counter() - begin < call.hold:
                self._step()
        if not made._done:
            progress.add(made, soon=False)
        return made

    def _step(self) -> None:
        """Carry on the oldest call; then the next, as far as they go."""
        if not self._stepping.acquire(blocking=False):
            return  # another thread is at it
        try:
            while self._queue and self._queue[0].step():
                self._queue.popleft()
        finally:
            self._stepping.release()

    def room(self, count: int, dtype: np.dtype[Any]) -> Array:
        """Return memory for so many elements, the same for each call: they follow one another."""
        nbytes = count * dtype.itemsize
        if nbytes > _MOST:
            return np.empty(count, dtype)
        if self._room.nbytes < nbytes:
            self._room = np.empty(nbytes, np.uint8)
        return self._room[:nbytes].view(dtype)

    def tell(self, words: bytes) -> list[Any]:
        """Begin to send words to all ranks, and to receive theirs into ``slots``."""
        mine, begun = self.slots[self.rank], self._telling
        if not begun:  # messages between two ranks stay in order, so one tag will do
            others = [r for r in range(self.size) if r != self.rank]
            begun += [self.words.Recv_init(self.slots[r], r, 0) for r in others]
            begun += [self.words.Send_init(mine, r, 0) for r in others]
        for slot in self.slots:
            slot[:_AT] = _NOTHING
        mine[:len(words)] = words
        if begun:
            mpi().Prequest.Startall(begun)
        return begun

    def carry(self, call: Call) -> Steps:
        """Carry out a call whose words agree; yields what has to end before it goes on."""
        yield from native(self, call)

    def ending_of(self, request: Any, what: str) -> Ending:
        """Return what ends when something does that is asked as a request of MPI is."""
        made, end = Ending(), time.monotonic() + self.limit

        def step() -> None:
            try:
                if request.Test():
                    made.finish()
                elif self.overdue(end):
                    self.broken = self.broken or late(self, what, [])
                    made.finish(self.broken)
            except Exception as error:  # noqa: BLE001 -- the library's
                made.finish(_ours(self, what, error))
        made.step = step
        return made

    def split(self, color: int, key: int) -> MpiLink | None:
        self.barrier()  # who does not come is named here; MPI itself would wait for ever
        undefined = mpi().UNDEFINED
        comm = self.comm.Split(undefined if color < 0 else color, key)
        words = self.comm.Split(undefined if color < 0 else color, key)
        if color < 0:
            return None
        return MpiLink(comm, words, self.limit, f"{self.name}/{self._posted}.{color}",
                       pulse=self.pulse)

    def takes(self, kind: str) -> bool:
        return gpu_aware.takes(kind)

    def note_busy(self, busy: Busy) -> None:
        self.pulse.note(busy)

    def heard(self) -> float:
        self.pulse.read()
        return self.pulse.heard

    def abort(self, error: BaseException) -> None:
        self.comm.Abort(1)


class _Running:
    """A collective call under way: what it waits for, and what comes next."""

    def __init__(self, link: MpiLink, call: Call, ending: Ending) -> None:
        self.link, self.call, self.ending = link, call, ending
        self.end = 0.0
        self.said: dict[int, bytes] = {}
        self.waits: Sequence[Any] = ()
        self.slots = link.slots
        self.steps: Steps | None = None

    def step(self) -> bool:
        """Carry on; say whether the call is over."""
        if self.ending._done:
            return True
        try:
            if self.steps is None:
                self.end = time.monotonic() + self.link.limit
                self.steps = self._run()
                self.waits = next(self.steps)
            while self._ended():
                self.waits = next(self.steps)
        except StopIteration:
            self.ending.finish()
            return True
        except Exception as error:  # noqa: BLE001 -- mpi4py's and ours
            found = _ours(self.link, self._what(), error)
            self._give_up(found, broken=found.code() is not errc.invalid)
            return True
        except BaseException:  # Ctrl-C in the midst of it
            self._give_up(DeviceError(errc.runtime, f"{self._what()}: interrupted"), broken=True)
            raise
        if self.link.overdue(self.end):
            missing = [r for r in range(self.link.size)
                       if r != self.link.rank and not any(self.slots[r][:_AT])]
            self._give_up(late(self.link, self._what(), missing), broken=True)
            return True
        return False

    def _ended(self) -> bool:
        waits = self.waits
        return bool(waits[0].Test() if len(waits) == 1 else self.link.test_all(waits))

    def _what(self) -> str:
        return f"call {self.call.number}, {self.call.signature()}"

    def _give_up(self, error: exception, *, broken: bool) -> None:
        kept.append((self.waits, self.call, self.slots, self.steps))
        if broken:
            self.link.broken = error
            for other in list(self.link._queue)[1:]:
                other.ending.finish(error)
        self.ending.finish(error)

    def _run(self) -> Steps:
        """Say what is called, compare, and do it: yields what has to end first."""
        link, call = self.link, self.call
        data = call.send
        small = self._small(data)
        yield self._tell(data if small else None)
        mine = self.slots[link.rank][:_WORDS]
        if not all(map(_begins(mine), self.slots)):
            raise differ(link, call.number, {
                r: s[:_WORDS].rstrip(b"\0").decode(errors="replace")
                for r, s in enumerate(self.slots)})
        if small and data is not None:
            self._from_slots(data)
        else:  # all have come, and go on as fast as each looks
            self.ending.spin += _PER_BYTE * sum(
                0 if a is None else a.nbytes for a in (call.send, call.recv))
            yield from link.carry(call)

    def _small(self, data: Array | None) -> bool:
        call = self.call
        if call.name not in self.link.carried:
            return False
        if call.name == "broadcast":
            return call.recv is not None and call.recv.nbytes <= _SMALL
        return data is not None and data.nbytes <= _SMALL

    def _tell(self, data: Array | None) -> list[Any]:
        sent = b"" if data is None else data.tobytes()
        return self.link.tell(_encoded(self.call.signature()) + struct.pack(
            "q", self.call.number) + sent)

    def _from_slots(self, data: Array) -> None:
        """Compute from what came with the words, as if all calls were here."""
        like = self.call
        if like.recv is None:
            return
        pieces = [np.frombuffer(slot, data.dtype, data.size, _AT) for slot in self.slots]
        if like.name in ("allreduce", "reduce"):
            arithmetic.combined(pieces, like.op_name, like.op, like.recv)
        elif like.name == "broadcast":
            if self.link.rank != like.root or like.recv is not like.send:  # may be read-only
                like.recv[:] = pieces[like.root]
        else:
            like.recv[:] = np.concatenate(pieces)


@functools.lru_cache(maxsize=1024)
def _encoded(words: str) -> bytes:
    told = words.encode()
    if len(told) > _WORDS:  # what is left out counts, too
        told = told[:_WORDS - 17] + b" " + hashlib.blake2b(told, digest_size=8).hexdigest().encode()
    return told.ljust(_WORDS, b"\0")


@functools.lru_cache(maxsize=1024)
def _label(words: str) -> bytes:
    return words.encode()[-_LABEL:].ljust(_LABEL, b"\0")


def _ours(link: Link, what: str, error: Exception) -> exception:
    """Return an error of ours for one of MPI's."""
    if isinstance(error, exception):
        return error
    made = DeviceError(errc.runtime, f"{link.called()}: {what}: MPI says {error}")
    made.__cause__ = error
    return made


def called() -> str:
    """Return the name and version of the MPI that mpi4py has loaded."""
    name, version = mpi().get_vendor()
    return f"{name} {'.'.join(map(str, version))}"


def world(limit: float) -> MpiLink:
    """Return this process's end of all processes that were started together."""
    known = mpi()
    if known.Query_thread() < known.THREAD_MULTIPLE:
        raise UsageError(errc.invalid, "MPI was started without support for threads; let mpi4py "
                         "start it (leave mpi4py.rc.thread_level alone)")
    return _link(known.COMM_WORLD, limit, "MPI")


def over(comm: Any, limit: float) -> MpiLink:
    """Return a link over an mpi4py communicator, which it duplicates; collective."""
    return _link(comm, limit, "MPI communicator")


def _link(comm: Any, limit: float, name: str) -> MpiLink:
    return MpiLink(comm.Dup(), comm.Dup(), limit, name, pulse=Pulse(comm.Dup(), limit))
