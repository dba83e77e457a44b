"""Memory of devices that MPI itself takes, where it is GPU-aware: for messages between two ranks.

Non-goals: collective calls, which MPIs take such memory for only where they block; what is ordered
by streams: MPI is given memory once the commands before have ended. Invariant: whether MPI takes
it, it has said itself; what it does not take goes by copies on the host.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from unisycl.ranks.links import mpi_calls

QUERIES = {"cuda": "MPIX_Query_cuda_support", "rocm": "MPIX_Query_rocm_support",
           "level_zero": "MPIX_Query_ze_support"}
"""By MPI's name of a kind of memory: the function by which Open MPI and MPICH tell of it."""


class DeviceArray:
    """Contiguous elements that only a device sees.

    Args:
        address: where the first one lies; size: how many there are; dtype: their type.
        session: entered while MPI is called, so that it finds the device.
    """

    __slots__ = ("address", "dtype", "session", "size")

    def __init__(self, address: int, size: int, dtype: np.dtype[Any],
                 session: AbstractContextManager[Any]) -> None:
        self.address, self.size, self.dtype, self.session = address, size, dtype, session

    @property
    def nbytes(self) -> int:
        """How many bytes they are."""
        return int(self.size * self.dtype.itemsize)

    def cut(self, most: int) -> Sequence[Any]:
        """Return them as MPI's buffers of at most so many bytes."""
        make = mpi_calls.mpi().buffer.fromaddress
        return [make(self.address + k, min(most, self.nbytes - k))
                for k in range(0, max(1, self.nbytes), most)]


def takes(kind: str) -> bool:
    """Say whether MPI takes memory of a kind, as MPI calls it."""
    return bool(kind) and _said(kind)


@functools.cache
def _said(kind: str) -> bool:
    known = mpi_calls.mpi()
    told = known.COMM_WORLD.Get_info().Get("mpi_memory_alloc_kinds") or ""  # of MPI 4.1
    if kind in [one.partition(":")[0].strip() for one in told.split(",")]:
        return True
    query = getattr(ctypes.CDLL(known.__file__), QUERIES.get(kind, ""), None)
    if query is None:
        return False
    query.restype, query.argtypes = ctypes.c_int, ()
    return bool(query() == 1)
