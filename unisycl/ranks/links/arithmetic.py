"""What collective calls compute, over all ranks' calls at once or over gathered pieces.

Non-goals: carrying. Invariant: combined in the order of ranks, so that every rank finds the same
bits; floats of two bytes are combined in float32 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce as fold
from typing import Any

import numpy as np

from unisycl.base.errors import UsageError, errc
from unisycl.ranks.links.link import Array, Call

OPERATORS: dict[str, Callable[..., Any]] = {
    "sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "avg": np.add}


def wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type to combine in."""
    short = dtype.itemsize <= 2 and dtype.kind not in "iub"
    return np.dtype(np.float32) if short else dtype


def combined(pieces: Sequence[Array], op_name: str, op: Any, into: Array | None = None) -> Array:
    """Return the elements of all ranks combined in the order of ranks: in ``into``, if given.

    That is none of the pieces.
    """
    dtype = pieces[0].dtype
    kind = wide(dtype)
    if len(pieces) == 1:
        if into is None:
            return pieces[0].copy()
        into[:] = pieces[0]
        return into
    if into is not None and kind == dtype and op_name in OPERATORS:
        with np.errstate(all="ignore"):
            OPERATORS[op_name](pieces[0], pieces[1], out=into)
            for piece in pieces[2:]:
                OPERATORS[op_name](into, piece, out=into)
            if op_name == "avg":
                np.divide(into, kind.type(len(pieces)), out=into)
        return into
    found = _combined(pieces, op_name, op, kind)
    if into is None:
        return found
    into[:] = found
    return into


def _combined(pieces: Sequence[Array], op_name: str, op: Any, kind: np.dtype[Any]) -> Array:
    dtype = pieces[0].dtype
    if op_name not in OPERATORS:
        return np.asarray(fold(op, [p.copy() for p in pieces])).astype(dtype)
    fold_two = OPERATORS[op_name]
    with np.errstate(all="ignore"):
        total = pieces[0].astype(kind, copy=False)
        for piece in pieces[1:]:
            total = fold_two(total, piece.astype(kind, copy=False))
        if op_name == "avg":
            total = total / kind.type(len(pieces))
        return np.asarray(total).astype(dtype, copy=False)


def split_points(counts: Sequence[int]) -> list[int]:
    """Return where the pieces of so many elements begin, and where the last ends."""
    return [0, *np.cumsum(counts).tolist()]


APART = ("scatter", "scatterv", "alltoall", "alltoallv")
"""Calls of which each rank gets another piece."""


def partners(name: str, me: int, root: int, size: int) -> tuple[Sequence[int], Sequence[int]]:
    """Return the ranks that one gives elements to in a call that moves, and gets some from."""
    everybody, nobody = range(size), range(0)
    if name in ("gather", "gatherv"):
        return [root], everybody if me == root else nobody
    if name in ("scatter", "scatterv"):
        return everybody if me == root else nobody, [root]
    return everybody, everybody


def carry_out(calls: Sequence[Call]) -> None:
    """Compute what all ranks' calls ask for; ``calls`` are in the order of ranks."""
    _CALLS[calls[0].name](calls)


def _sent(calls: Sequence[Call]) -> list[Array]:
    return [_array(c.send).copy() for c in calls]


def _array(x: Array | None) -> Array:
    assert x is not None
    return x


def _barrier(calls: Sequence[Call]) -> None:
    pass


def _allreduce(calls: Sequence[Call]) -> None:
    total = combined(_sent(calls), calls[0].op_name, calls[0].op)
    for call in calls:
        _array(call.recv)[:] = total


def _reduce(calls: Sequence[Call]) -> None:
    _array(calls[calls[0].root].recv)[:] = combined(_sent(calls), calls[0].op_name, calls[0].op)


def _broadcast(calls: Sequence[Call]) -> None:
    data = _array(calls[calls[0].root].send).copy()
    for rank, call in enumerate(calls):
        if rank != call.root or call.recv is not call.send:  # which may be read-only
            _array(call.recv)[:] = data


def _allgather(calls: Sequence[Call]) -> None:
    whole = np.concatenate(_sent(calls))
    for call in calls:
        _array(call.recv)[:] = whole


def _gather(calls: Sequence[Call]) -> None:
    _array(calls[calls[0].root].recv)[:] = np.concatenate(_sent(calls))


def _scatter(calls: Sequence[Call]) -> None:
    source = _array(calls[calls[0].root].send).copy()
    ends = split_points(calls[0].counts or [_array(c.recv).size for c in calls])
    for k, call in enumerate(calls):
        _array(call.recv)[:] = source[ends[k]:ends[k + 1]]


def _reduce_scatter(calls: Sequence[Call]) -> None:
    total = combined(_sent(calls), calls[0].op_name, calls[0].op)
    for k, call in enumerate(calls):
        part = _array(call.recv)
        part[:] = total[k * part.size:(k + 1) * part.size]


def _alltoall(calls: Sequence[Call]) -> None:
    sent = [s.reshape(len(calls), -1) for s in _sent(calls)]
    for k, call in enumerate(calls):
        _array(call.recv)[:] = np.concatenate([s[k] for s in sent])


def _counts(calls: Sequence[Call]) -> None:
    for k, call in enumerate(calls):
        for j, other in enumerate(calls):
            if other.others[k] != call.counts[j]:
                raise UsageError(errc.invalid, f"alltoallv: rank {j} sends {other.others[k]} "
                                 f"elements to rank {k}, which expects {call.counts[j]}")


def _alltoallv(calls: Sequence[Call]) -> None:
    _counts(calls)
    sent = _sent(calls)
    starts = [split_points(c.others) for c in calls]
    for k, call in enumerate(calls):
        _array(call.recv)[:] = np.concatenate(
            [s[starts[j][k]:starts[j][k + 1]] for j, s in enumerate(sent)])


_CALLS: dict[str, Callable[[Sequence[Call]], None]] = {
    "barrier": _barrier, "words": _barrier, "counts": _counts, "allreduce": _allreduce,
    "reduce": _reduce, "broadcast": _broadcast,
    "allgather": _allgather, "allgatherv": _allgather, "gather": _gather, "gatherv": _gather,
    "scatter": _scatter, "scatterv": _scatter, "reduce_scatter": _reduce_scatter,
    "alltoall": _alltoall, "alltoallv": _alltoallv}
