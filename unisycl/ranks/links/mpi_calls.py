"""How MPI carries out a collective call whose words agree (``mpi``).

What MPI has no type or operator for goes by parts, and what has more elements than its counts can
tell by messages between each two ranks. Non-goals: comparing what ranks call. Invariants: what MPI
is given is a variable here until it has ended, since mpi4py does not keep it; which way a call goes
depends on nothing that differs between ranks.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from unisycl.base.errors import UsageError, errc
from unisycl.ranks.links import arithmetic
from unisycl.ranks.links.link import Array, Call

PIECES, TOTALS = 1, 2  # tags beside that of words, 0
LARGE = 4096  # bytes for each rank, from which on reductions go by parts
_NATIVE = "bBhHiIlLqQfd"
Steps = Generator[Sequence[Any], None, None]
limits = {"count": (1 << 31) - 1}
"""How many elements or bytes one call of MPI is given at most."""


def native(link: Any, call: Call) -> Steps:
    """Have MPI carry out a call of a link; yields what has to end before it goes on."""
    comm, send, recv = link.comm, call.send, call.recv
    if call.name in ("barrier", "words"):
        return  # all have come
    if call.name == "counts":
        yield from compare_counts(comm, call)
        return
    in_place = send is not None and recv is not None and np.may_share_memory(send, recv)
    if call.name in ("allreduce", "reduce", "reduce_scatter"):
        assert send is not None
        op = _operator(call, send.dtype)
        if in_place and op is not None and send.nbytes < link.size * LARGE:
            send = send.copy()
        if op is None or send.nbytes >= link.size * LARGE:
            yield from _by_parts(link, call, send)
        elif call.name == "allreduce":
            yield [comm.Iallreduce(send, recv, op)]
        elif call.name == "reduce":
            yield [comm.Ireduce(send, recv if link.rank == call.root else None, op, call.root)]
        else:
            yield [comm.Ireduce_scatter_block(send, recv, op)]
        return
    if call.name == "broadcast":
        assert recv is not None
        if link.rank == call.root and send is not None and send is not recv:
            recv[:] = send
        yield [comm.Ibcast([piece, piece.size, mpi().BYTE], call.root) for piece in cut(recv)]
        return
    if in_place:
        call = dataclasses.replace(call, send=sent_by(call).copy())
    most = _most(call, link.size)
    if call.name == "alltoallv":
        most = yield from compare_counts(comm, call)
    if most > limits["count"]:
        yield from _by_messages(link, call)
    else:
        kind = _unit((sent_by(call) if call.recv is None else call.recv).itemsize)
        yield [_MOVES[call.name](comm, call, kind)]


def _most(call: Call, size: int) -> int:
    """Return how many elements the rank that has most gives or gets."""
    if call.counts:
        return sum(call.counts)
    if call.name == "alltoall":
        return sent_by(call).size
    if call.name == "scatter":
        assert call.recv is not None
        return call.recv.size * size
    return sent_by(call).size * size


def cut(data: Any) -> Sequence[Any]:
    """Return contiguous elements as bytes, whatever their type, in pieces that MPI can count."""
    if data is not None and not isinstance(data, np.ndarray):  # a device's
        pieces: Sequence[Any] = data.cut(limits["count"])
        return pieces
    whole, most = as_bytes(data), limits["count"]
    return [whole[k:k + most] for k in range(0, max(1, whole.size), most)]


def _by_messages(link: Any, call: Call) -> Steps:
    """Move elements by messages between each two ranks: MPI could not count them in one call."""
    name, me, words, size = call.name, link.rank, link.words, link.size
    send, recv = call.send, call.recv
    each = recv if name == "scatter" else send
    assert each is not None
    n = each.size // size if name == "alltoall" else each.size
    counts = call.counts or (n,) * size
    sent = call.others or counts
    starts, sent_at = arithmetic.split_points(counts), arithmetic.split_points(sent)
    gives, gets = arithmetic.partners(name, me, call.root, size)
    apart_to, apart_from = name in arithmetic.APART, name not in ("scatter", "scatterv")
    out = {r: sent_by(call)[sent_at[r]:sent_at[r + 1]] if apart_to else sent_by(call)
           for r in gives}
    into = {r: got_by(call)[starts[r]:starts[r + 1]] if apart_from else got_by(call)
            for r in gets}
    if me in out:
        into.pop(me)[:] = out.pop(me)
    yield [words.Irecv(piece, r, PIECES) for r, a in into.items() for piece in cut(a)] + [
        words.Isend(piece, r, PIECES) for r, a in out.items() for piece in cut(a)]


def _operator(call: Call, dtype: np.dtype[Any]) -> Any:
    """Return MPI's operator; None where it has none, or rounds as we do not want."""
    known = mpi()
    if dtype.char not in _NATIVE:
        return None
    found = {"sum": known.SUM, "prod": known.PROD, "min": known.MIN, "max": known.MAX}
    return found.get(call.op_name) \
        if call.op_name in ("sum", "prod") or dtype.kind in "iu" else None


def _by_parts(link: Any, call: Call, send: Array) -> Steps:
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
    yield [words.Irecv(p, r, PIECES) for r in others for p in cut(rows[r])] + [
        words.Isend(p, r, PIECES) for r in others for p in cut(sent[r])]
    total = arithmetic.combined(rows, call.op_name, call.op, into)
    if call.name == "reduce_scatter":
        return
    targets = others if call.name == "allreduce" else [call.root] if me != call.root else []
    waits = [words.Isend(p, r, TOTALS) for r in targets for p in cut(total)]
    if recv is not None:
        waits += [words.Irecv(p, r, TOTALS) for r in others
                  for p in cut(recv[ends[r]:ends[r + 1]])]
    yield waits


def _allgather(comm: Any, call: Call, kind: Any) -> Any:
    n = sent_by(call).size
    return comm.Iallgather([as_bytes(sent_by(call)), n, kind], [as_bytes(call.recv), n, kind])


def _allgatherv(comm: Any, call: Call, kind: Any) -> Any:
    starts = arithmetic.split_points(call.counts)[:-1]
    return comm.Iallgatherv([as_bytes(sent_by(call)), sent_by(call).size, kind],
                            [as_bytes(call.recv), (call.counts, starts), kind])


def _gather(comm: Any, call: Call, kind: Any) -> Any:
    mine = [as_bytes(sent_by(call)), sent_by(call).size, kind]
    if comm.Get_rank() != call.root:
        return comm.Igatherv(mine, None, call.root)
    counts = call.counts or (sent_by(call).size,) * comm.Get_size()
    starts = arithmetic.split_points(counts)[:-1]
    return comm.Igatherv(mine, [as_bytes(call.recv), (counts, starts), kind], call.root)


def _scatter(comm: Any, call: Call, kind: Any) -> Any:
    assert call.recv is not None
    mine = [as_bytes(call.recv), call.recv.size, kind]
    if comm.Get_rank() != call.root:
        return comm.Iscatterv(None, mine, call.root)
    counts = call.counts or (call.recv.size,) * comm.Get_size()
    starts = arithmetic.split_points(counts)[:-1]
    return comm.Iscatterv([as_bytes(sent_by(call)), (counts, starts), kind], mine, call.root)


def _alltoall(comm: Any, call: Call, kind: Any) -> Any:
    n = sent_by(call).size // comm.Get_size()
    return comm.Ialltoall([as_bytes(sent_by(call)), n, kind], [as_bytes(call.recv), n, kind])


def _alltoallv(comm: Any, call: Call, kind: Any) -> Any:
    sent, got = (arithmetic.split_points(c)[:-1] for c in (call.others, call.counts))
    return comm.Ialltoallv([as_bytes(sent_by(call)), (call.others, sent), kind],
                           [as_bytes(call.recv), (call.counts, got), kind])


def compare_counts(comm: Any, call: Call) -> Generator[Sequence[Any], None, int]:
    """Refuse counts of two ranks that differ, on all ranks: the others would wait for those.

    Returns how many elements the rank that has most gives or gets.
    """
    size = comm.Get_size()
    theirs, told = np.zeros(size, np.int64), np.zeros((size, 5), np.int64)
    mine = np.array(call.others, np.int64)
    yield [comm.Ialltoall(mine, theirs)]
    wrong = [(1, j, n, call.counts[j]) for j, n in enumerate(theirs.tolist())
             if n != call.counts[j]]
    most = max(sum(call.others), sum(call.counts))
    first = np.array([*(wrong[0] if wrong else (0,) * 4), most], np.int64)
    yield [comm.Iallgather(first, told)]
    for rank, (bad, source, sent, expected, _) in enumerate(told.tolist()):
        if bad:
            raise UsageError(errc.invalid, f"alltoallv: rank {source} sends {sent} elements to "
                             f"rank {rank}, which expects {expected}")
    return int(told[:, 4].max())


_MOVES = {"allgather": _allgather, "allgatherv": _allgatherv, "gather": _gather,
          "gatherv": _gather, "scatter": _scatter, "scatterv": _scatter, "alltoall": _alltoall,
          "alltoallv": _alltoallv}


def as_bytes(data: Array | None) -> Any:
    """Return contiguous elements as bytes, whatever their type."""
    assert data is not None
    return data.reshape(-1).view(np.uint8)


def sent_by(call: Call) -> Array:
    """Return what a rank gives, where it gives something."""
    assert call.send is not None
    return call.send


def got_by(call: Call) -> Array:
    """Return what a rank gets, where it gets something."""
    assert call.recv is not None
    return call.recv


def _unit(itemsize: int) -> Any:
    """Return MPI's type for an element of so many bytes."""
    of = mpi()
    known = {1: of.INT8_T, 2: of.INT16_T, 4: of.INT32_T, 8: of.INT64_T}
    if itemsize in known:
        return known[itemsize]
    if itemsize not in _types:
        _types[itemsize] = of.BYTE.Create_contiguous(itemsize).Commit()
    return _types[itemsize]


_types: dict[int, Any] = {}


def mpi() -> Any:
    """Return mpi4py's module."""
    from mpi4py import MPI  # noqa: PLC0415 -- importing it starts MPI

    return MPI
