"""A library with oneCCL's functions over the host's memory; MPI does the work.

It knows communicators of all processes and of one. Non-goals: speed. Invariant: ``called`` has the
names of what was called.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from mpi4py import MPI

KINDS = (np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32,
         np.float64, ml_dtypes.bfloat16)
FOLDS = (np.add, np.multiply, np.maximum, np.minimum)


def _at(address: int, count: int, kind: int) -> np.ndarray:
    dtype = np.dtype(KINDS[kind])
    raw = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    return np.frombuffer(raw, np.uint8).view(dtype)


class _Function:
    def __init__(self, call: Callable[..., Any]) -> None:
        self.call = call
        self.argtypes: Any = None
        self.restype: Any = None

    def __call__(self, *args: Any) -> Any:
        found = self.call(*args)
        return 0 if found is None else found


class FakeOneCcl:
    """The library."""

    def __init__(self) -> None:
        self.called: list[str] = []
        self.fails = 0
        self._comms: list[Any] = []

    def __getattr__(self, name: str) -> _Function:
        if not name.startswith("oneccl"):
            raise AttributeError(name)
        return _Function(lambda *args: self._call(name, args))

    def _call(self, name: str, args: Any) -> Any:
        if name == "onecclGetLastErrorString":
            return b"out of luck"
        self.called.append(name)
        return self.fails or getattr(self, "_" + name[6:])(*args)

    def _GetVersion(self, out: Any) -> None:
        out._obj.value = 20220200

    def _GetUniqueId(self, out: Any) -> None:
        out._obj.data = b"key"

    def _CommInitRank(self, out: Any, size: int, key: Any, rank: int) -> None:
        assert key.data == b"key"
        self._comms.append(MPI.COMM_WORLD.Dup() if size > 1 else MPI.COMM_SELF)
        assert (self._comms[-1].size, self._comms[-1].rank) == (size, rank)
        out._obj.value = len(self._comms)

    def _all(self, send: int, count: int, kind: int, handle: int) -> list[np.ndarray]:
        return self._comms[handle - 1].allgather(_at(send, count, kind).copy())

    def _AllReduce(self, send, recv, count, kind, op, handle, stream) -> None:
        assert stream is None
        _at(recv, count, kind)[:] = FOLDS[op].reduce(self._all(send, count, kind, handle), axis=0)

    def _Reduce(self, send, recv, count, kind, op, root, handle, stream) -> None:
        found = FOLDS[op].reduce(self._all(send, count, kind, handle), axis=0)
        if self._comms[handle - 1].rank == root:
            _at(recv, count, kind)[:] = found

    def _ReduceScatter(self, send, recv, count, kind, op, handle, stream) -> None:
        comm = self._comms[handle - 1]
        found = FOLDS[op].reduce(self._all(send, count * comm.size, kind, handle), axis=0)
        _at(recv, count, kind)[:] = found[count * comm.rank:count * (comm.rank + 1)]

    def _Broadcast(self, send, recv, count, kind, root, handle, stream) -> None:
        _at(recv, count, kind)[:] = self._all(send, count, kind, handle)[root]

    def _AllGather(self, send, recv, count, kind, handle, stream) -> None:
        comm = self._comms[handle - 1]
        _at(recv, count * comm.size, kind)[:] = np.concatenate(
            self._all(send, count, kind, handle))

    def _AllToAll(self, send, recv, count, kind, handle, stream) -> None:
        comm = self._comms[handle - 1]
        theirs = self._all(send, count * comm.size, kind, handle)
        _at(recv, count * comm.size, kind)[:] = np.concatenate(
            [x[count * comm.rank:count * (comm.rank + 1)] for x in theirs])

    def _AllToAllV(self, send, to, recv, into, kind, handle, stream) -> None:
        comm = self._comms[handle - 1]
        sizes, wanted = (_at(c, comm.size, 5).astype(int) for c in (to, into))
        mine = np.split(_at(send, sizes.sum(), kind).copy(), np.cumsum(sizes)[:-1])
        got = comm.alltoall(mine)
        assert [len(x) for x in got] == wanted.tolist()
        _at(recv, wanted.sum(), kind)[:] = np.concatenate(got)
