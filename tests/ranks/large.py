"""Collective calls of more than 2^31 elements, by hand: some 12 GB of memory for two ranks.

::

    python -m unisycl mpirun -n 2 -m tests.ranks.large [COUNT]
"""

from __future__ import annotations

import sys
import time

import numpy as np

from tests.ranks import processes
from unisycl.oneapi import ccl


def main() -> None:
    """Run each kind of call once, and look at the first, the last and other elements."""
    from mpi4py import MPI  # noqa: PLC0415 -- importing it starts MPI

    n = int(sys.argv[1]) if len(sys.argv) > 1 else (1 << 31) + 7
    comm = ccl.from_mpi(MPI.COMM_WORLD)
    comm.set_timeout(500)
    me, size = comm.rank(), comm.size()

    def mine(rank: int, count: int = n) -> np.ndarray:
        found = np.full(count, rank + 1, np.int8)
        found[-1] = 10 + rank
        return found

    def same(x: np.ndarray, first: int, last: int, what: str) -> None:
        assert x[0] == first, what
        assert x[-1] == last, what
        assert x[:-1].min() == x[:-1].max() == first, what
        if me == 0:
            processes.say(f"{what} of {x.size} elements: well")
    x = mine(me)
    begin = time.perf_counter()
    ccl.allreduce(x, x, comm=comm).wait()
    same(x, size * (size + 1) // 2, sum(10 + r for r in range(size)), "allreduce")
    x = mine(me)
    ccl.broadcast(x, size - 1, comm=comm).wait()
    same(x, size, 9 + size, "broadcast")
    if me < 2:
        (ccl.send if me == 0 else ccl.recv)(x, 1 - me, comm=comm).wait()
        same(x, size, 9 + size, "a message")
    half = n // size + 1
    out = np.zeros(half * size, np.int8)
    ccl.allgather(mine(me, half), out, comm=comm).wait()
    same(out[me * half:(me + 1) * half], me + 1, 10 + me, "allgather (a part)")
    counts = [half] * size
    ccl.alltoallv(mine(me, half * size), counts, out, counts, comm=comm).wait()
    same(out[half * (size - 1):], size, 9 + size if me == size - 1 else size, "alltoallv (a part)")
    if me == 0:
        processes.say(f"{time.perf_counter() - begin:.0f} s")


if __name__ == "__main__":
    main()
