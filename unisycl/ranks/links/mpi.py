"""Ranks that are processes of MPI, by mpi4py: any MPI that it was built for.

A collective call begins with short messages that say what each rank calls, so that ranks which
differ, or do not come, are named. Those of a few bytes carry the data, too. Non-goals: starting
processes (``tools.mpirun``). Invariants: one thread at a time carries on a message or a link's
calls, and no other one waits for it: finalisers, which may run in it, wait for commands; whatever
was posted and not completed is kept until the process ends.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import struct
import threading
import time
from collections import deque
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from unisycl.base.errors import DeviceError, UsageError, errc, exception
from unisycl.ranks.links import arithmetic, progress
from unisycl.ranks.links.link import Array, Call, Ending, Link, differ, late, unlike
from unisycl.ranks.links.pulse import Busy, Pulse

_SMALL = 256  # bytes that travel with the words
_WORDS = 160
_AT = _WORDS + 8
_SLOT = _AT + _SMALL
_NOTHING = bytes(_AT)
_TAGS = 1 << 15
_LABEL = 48  # bytes that say what a message is
_PIECES, _TOTALS = 1, 2  # tags beside that of words, 0
_MOST = 1 << 26  # bytes that are kept for pieces of others
_LARGE = 4096  # bytes for each rank, from which on reductions go by parts
_PER_BYTE = 2e-9  # so many seconds who waits goes on to do nothing but look
_NATIVE = "bBhHiIlLqQfd"
_CARRIED = ("allreduce", "reduce", "broadcast", "allgather", "gather")
Steps = Generator[Sequence[Any], None, None]
kept: list[Any] = []
"""What was given up: MPI may still write there."""


def _nothing() -> None:
    pass


class MpiLink(Link):
    """One process's end of a communicator of MPI.

    Args:
        comm: an mpi4py communicator that nobody else uses, and another for the words of calls.
        pulse: who computes, for all links that stem from one.
    """

    provider = "MPI"

    def __init__(self, comm: Any, words: Any, limit: float, name: str, *, pulse: Pulse) -> None:
        super().__init__(comm.Get_rank(), comm.Get_size(), limit, name)
        self.comm, self.words, self.pulse = comm, words, pulse
        self._lock = threading.Lock()
        self._stepping = threading.Lock()
        self._queue: deque[_Running] = deque()
        self.slots = [bytearray(_SLOT) for _ in range(self.size)]
        self._telling: list[Any] = []
        self._room = np.empty(0, np.uint8)
        self.test_all = _mpi().Request.Testall

    # ------------------------------------------------------------------ messages
    def send(self, to: int, tag: int, data: Array, words: str = "") -> Ending:
        label = _label(words)

        def post() -> list[Any]:
            said = [self.comm.Isend(label, to, 2 * tag % _TAGS)] if words else []
            return [self.comm.Isend(_bytes(data), to, (2 * tag + 1) % _TAGS), *said]
        return self._message(f"a message to rank {to}", [to], post, (data, label))

    def receive(self, source: int, tag: int, data: Array, words: str = "") -> Ending:
        said, status = bytearray(_LABEL), _mpi().Status()

        def post() -> list[Any]:
            heard = [self.comm.Irecv(said, source, 2 * tag % _TAGS)] if words else []
            return [self.comm.Irecv(_bytes(data), source, (2 * tag + 1) % _TAGS), *heard]

        def compare() -> None:
            if words and said != _label(words):
                raise unlike(source, said.rstrip(b"\0").decode(), self.rank, words)

        def check() -> None:
            nbytes = status.Get_count(_mpi().BYTE)
            if nbytes != data.nbytes:
                raise unlike(source, f"{nbytes} bytes", self.rank, f"{data.nbytes}")
        return self._message(f"a message from rank {source}", [source], post, (data, said),
                             (compare, status, check))

    def _message(self, what: str, other: list[int], post: Any, uses: Any,
                 arrives: Any = (_nothing, None, _nothing)) -> Ending:
        made = Ending()
        compare, status, check = arrives
        try:
            first, *rest = post()
        except Exception as error:  # noqa: BLE001 -- mpi4py's, delivered where it is awaited
            made.finish(_ours(self, what, error))
            return made
        end = time.monotonic() + self.limit
        mine = threading.Lock()

        def step() -> None:
            if not mine.acquire(blocking=False):
                return  # another thread is at it
            try:
                if made.step is None:
                    return
                told = all(r.Test() for r in rest)
                if told:
                    compare()
                if told and first.Test(status):
                    check()
                    made.finish()
                elif self.overdue(end):
                    kept.append((first, rest, uses))
                    self.broken = self.broken or late(self, what, other)
                    made.finish(self.broken)
            except Exception as error:  # noqa: BLE001 -- mpi4py's
                kept.append((first, rest, uses))
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
            _mpi().Prequest.Startall(begun)
        return begun

    def split(self, color: int, key: int) -> MpiLink | None:
        self.barrier()  # who does not come is named here; MPI itself would wait for ever
        undefined = _mpi().UNDEFINED
        comm = self.comm.Split(undefined if color < 0 else color, key)
        words = self.comm.Split(undefined if color < 0 else color, key)
        if color < 0:
            return None
        return MpiLink(comm, words, self.limit, f"{self.name}/{self._posted}.{color}",
                       pulse=self.pulse)

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
        words = {bytes(s[:_WORDS]) for s in self.slots}
        if len(words) > 1:
            raise differ(link, call.number, {
                r: s[:_WORDS].rstrip(b"\0").decode(errors="replace")
                for r, s in enumerate(self.slots)})
        if small and data is not None:
            self._from_slots(data)
        else:  # all have come, and go on as fast as each looks
            self.ending.spin += _PER_BYTE * sum(
                0 if a is None else a.nbytes for a in (call.send, call.recv))
            yield from _native(link, call)

    def _small(self, data: Array | None) -> bool:
        call = self.call
        if call.name not in _CARRIED:
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
            like.recv[:] = arithmetic.combined(pieces, like.op_name, like.op)
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


def _sent(call: Call) -> Array:
    assert call.send is not None
    return call.send


def _native(link: MpiLink, call: Call) -> Steps:
    """Have MPI carry out a call; what it has no type or operator for goes by gathered pieces.

    What MPI is given is a variable here until it has ended: mpi4py does not keep it.
    """
    comm, send, recv = link.comm, call.send, call.recv
    if call.name in ("barrier", "words"):
        return  # all have come
    if call.name == "counts":
        yield from _compare_counts(comm, call)
        return
    in_place = send is not None and recv is not None and np.may_share_memory(send, recv)
    if call.name in ("allreduce", "reduce", "reduce_scatter"):
        assert send is not None
        op = _operator(call, send.dtype)
        if in_place and op is not None and send.nbytes < link.size * _LARGE:
            send = send.copy()
        if op is None or send.nbytes >= link.size * _LARGE:
            yield from _by_parts(link, call, send)
        elif call.name == "allreduce":
            yield [comm.Iallreduce(send, recv, op)]
        elif call.name == "reduce":
            yield [comm.Ireduce(send, recv if link.rank == call.root else None, op, call.root)]
        else:
            yield [comm.Ireduce_scatter_block(send, recv, op)]
        return
    kind = _unit((_sent(call) if recv is None else recv).itemsize)
    if call.name == "broadcast":
        assert recv is not None
        if link.rank == call.root and send is not None and send is not recv:
            recv[:] = send
        yield [comm.Ibcast([_bytes(recv), recv.size, kind], call.root)]
    else:
        if in_place:
            call = dataclasses.replace(call, send=_sent(call).copy())
        if call.name == "alltoallv":
            yield from _compare_counts(comm, call)
        yield [_MOVES[call.name](comm, call, kind)]


def _operator(call: Call, dtype: np.dtype[Any]) -> Any:
    """Return MPI's operator; None where it has none, or rounds as we do not want."""
    mpi = _mpi()
    if dtype.char not in _NATIVE:
        return None
    return {"sum": mpi.SUM, "prod": mpi.PROD, "min": mpi.MIN, "max": mpi.MAX}.get(call.op_name) \
        if call.op_name in ("sum", "prod") or dtype.kind in "iu" else None


def _by_parts(link: MpiLink, call: Call, send: Array) -> Steps:
    """Have each rank combine a part of all elements, in the order of ranks, and give it to others.

    Messages are on the communicator of words, where each call ends before the next one begins.
    """
    me, recv, others = link.rank, call.recv, [r for r in range(link.size) if r != link.rank]
    ends = [send.size * k // link.size for k in range(link.size + 1)]
    sent, first, last = [send[a:b] for a, b in itertools.pairwise(ends)], ends[me], ends[me + 1]
    pieces = link.room(len(others) * (last - first), send.dtype).reshape(len(others), last - first)
    into = recv if call.name == "reduce_scatter" else None if recv is None else recv[first:last]
    mine = sent[me].copy() if recv is not None and np.may_share_memory(send, recv) else sent[me]
    rows = [*pieces[:me], mine, *pieces[me:]]
    words = link.words
    yield [words.Irecv(_bytes(rows[r]), r, _PIECES) for r in others] + [
        words.Isend(_bytes(sent[r]), r, _PIECES) for r in others]
    total = arithmetic.combined(rows, call.op_name, call.op, into)
    if call.name == "reduce_scatter":
        return
    targets = others if call.name == "allreduce" else [call.root] if me != call.root else []
    waits = [words.Isend(_bytes(total), r, _TOTALS) for r in targets]
    if recv is not None:
        waits += [words.Irecv(_bytes(recv[ends[r]:ends[r + 1]]), r, _TOTALS) for r in others]
    yield waits


def _allgather(comm: Any, call: Call, kind: Any) -> Any:
    n = _sent(call).size
    return comm.Iallgather([_bytes(_sent(call)), n, kind], [_bytes(call.recv), n, kind])


def _allgatherv(comm: Any, call: Call, kind: Any) -> Any:
    starts = arithmetic.split_points(call.counts)[:-1]
    return comm.Iallgatherv([_bytes(_sent(call)), _sent(call).size, kind],
                            [_bytes(call.recv), (call.counts, starts), kind])


def _gather(comm: Any, call: Call, kind: Any) -> Any:
    mine = [_bytes(_sent(call)), _sent(call).size, kind]
    if comm.Get_rank() != call.root:
        return comm.Igatherv(mine, None, call.root)
    counts = call.counts or (_sent(call).size,) * comm.Get_size()
    starts = arithmetic.split_points(counts)[:-1]
    return comm.Igatherv(mine, [_bytes(call.recv), (counts, starts), kind], call.root)


def _scatter(comm: Any, call: Call, kind: Any) -> Any:
    assert call.recv is not None
    mine = [_bytes(call.recv), call.recv.size, kind]
    if comm.Get_rank() != call.root:
        return comm.Iscatterv(None, mine, call.root)
    counts = call.counts or (call.recv.size,) * comm.Get_size()
    starts = arithmetic.split_points(counts)[:-1]
    return comm.Iscatterv([_bytes(_sent(call)), (counts, starts), kind], mine, call.root)


def _alltoall(comm: Any, call: Call, kind: Any) -> Any:
    n = _sent(call).size // comm.Get_size()
    return comm.Ialltoall([_bytes(_sent(call)), n, kind], [_bytes(call.recv), n, kind])


def _alltoallv(comm: Any, call: Call, kind: Any) -> Any:
    sent, got = (arithmetic.split_points(c)[:-1] for c in (call.others, call.counts))
    return comm.Ialltoallv([_bytes(_sent(call)), (call.others, sent), kind],
                           [_bytes(call.recv), (call.counts, got), kind])


def _compare_counts(comm: Any, call: Call) -> Steps:
    """Refuse counts of two ranks that differ, on all ranks: the others would wait for those."""
    size = comm.Get_size()
    theirs, told = np.zeros(size, np.int64), np.zeros((size, 4), np.int64)
    mine = np.array(call.others, np.int64)
    yield [comm.Ialltoall(mine, theirs)]
    wrong = [(1, j, n, call.counts[j]) for j, n in enumerate(theirs.tolist())
             if n != call.counts[j]]
    first = np.array(wrong[0] if wrong else (0,) * 4, np.int64)
    yield [comm.Iallgather(first, told)]
    for rank, (bad, source, sent, expected) in enumerate(told.tolist()):
        if bad:
            raise UsageError(errc.invalid, f"alltoallv: rank {source} sends {sent} elements to "
                             f"rank {rank}, which expects {expected}")


_MOVES = {"allgather": _allgather, "allgatherv": _allgatherv, "gather": _gather,
          "gatherv": _gather, "scatter": _scatter, "scatterv": _scatter, "alltoall": _alltoall,
          "alltoallv": _alltoallv}


def _bytes(data: Array | None) -> Any:
    """Return contiguous elements as bytes, whatever their type."""
    assert data is not None
    return data.reshape(-1).view(np.uint8)


def _unit(itemsize: int) -> Any:
    """Return MPI's type for an element of so many bytes."""
    mpi = _mpi()
    known = {1: mpi.INT8_T, 2: mpi.INT16_T, 4: mpi.INT32_T, 8: mpi.INT64_T}
    if itemsize in known:
        return known[itemsize]
    if itemsize not in _types:
        _types[itemsize] = mpi.BYTE.Create_contiguous(itemsize).Commit()
    return _types[itemsize]


_types: dict[int, Any] = {}


def _ours(link: Link, what: str, error: Exception) -> exception:
    """Return an error of ours for one of MPI's."""
    if isinstance(error, exception):
        return error
    made = DeviceError(errc.runtime, f"{link.called()}: {what}: MPI says {error}")
    made.__cause__ = error
    return made


def _mpi() -> Any:
    from mpi4py import MPI  # noqa: PLC0415 -- importing it starts MPI

    return MPI


def world(limit: float) -> MpiLink:
    """Return this process's end of all processes that were started together."""
    mpi = _mpi()
    if mpi.Query_thread() < mpi.THREAD_MULTIPLE:
        raise UsageError(errc.invalid, "MPI was started without support for threads; let mpi4py "
                         "start it (leave mpi4py.rc.thread_level alone)")
    return _link(mpi.COMM_WORLD, limit, "MPI")


def over(comm: Any, limit: float) -> MpiLink:
    """Return a link over an mpi4py communicator, which it duplicates; collective."""
    return _link(comm, limit, "MPI communicator")


def _link(comm: Any, limit: float, name: str) -> MpiLink:
    return MpiLink(comm.Dup(), comm.Dup(), limit, name, pulse=Pulse(comm.Dup(), limit))
