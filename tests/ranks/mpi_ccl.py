"""A program of several processes: the checks of collective calls over MPI."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import pytest

import unisycl as sycl
from tests.ranks import ccl_checks, fake_oneccl, processes
from unisycl.oneapi import ccl
from unisycl.ranks.links import mpi_calls, oneccl


def refused(comm) -> None:
    """Ranks that differ are told; the communicator goes on."""
    me, size = comm.rank(), comm.size()
    x = np.zeros(4 + me, np.float32)
    for call in (lambda: ccl.allreduce(x, x, comm=comm),
                 lambda: ccl.broadcast(x[:3], me % 2, comm=comm),
                 lambda: ccl.alltoallv(np.zeros(size), [1] * size, np.zeros(2 * size), [2] * size,
                                       comm=comm)):
        with pytest.raises(sycl.exception, match="rank") as found:
            call().wait()
        assert found.value.code() is sycl.errc.invalid
    y = np.ones(3)
    ccl.allreduce(y, y, comm=comm).wait()
    assert y[0] == size


def uncountable(comm, queue) -> None:
    """Calls of more elements than MPI counts, by a smaller limit."""
    before, mpi_calls.limits["count"] = mpi_calls.limits["count"], 50
    ccl_checks.check_moves(comm, None)
    ccl_checks.check_messages(comm, None)
    ccl_checks.check_in_place(comm, queue)
    x = np.arange(20000, dtype=np.float32)
    ccl.allreduce(x, x, comm=comm).wait()
    ccl_checks.same(x, np.arange(20000) * comm.size(), "allreduce in pieces")
    mpi_calls.limits["count"] = before


def by_oneccl(rank: int, size: int, queue) -> None:
    """All calls by oneCCL's functions; what fails there is told, and who has it not is named."""
    def made():
        return ccl.create_communicator(size, rank, ccl.create_kvs(b"oneccl:here"))
    fake = fake_oneccl.FakeOneCcl()
    library = oneccl.Library(fake)
    oneccl.load = lambda: library
    comm = made()
    assert comm.provider() == "oneCCL"
    ccl_checks.check_reductions(comm, queue, (1, 1301))
    ccl_checks.check_moves(comm, None)
    ccl_checks.check_in_place(comm, queue)
    refused(comm)
    names = {"AllReduce", "Reduce", "ReduceScatter", "Broadcast", "AllGather", "AllToAll",
             "AllToAllV"}
    assert {f"oneccl{n}" for n in names} <= set(fake.called)
    alone, x = comm.split(rank), np.ones(3)
    assert (alone.provider(), alone.size()) == ("oneCCL", 1)
    ccl.allreduce(x, x, comm=alone).wait()
    fake.fails = 3
    with pytest.raises(sycl.exception, match=r"onecclAllReduce of oneCCL failed: out of luck"):
        ccl.allreduce(x, x, comm=comm).wait()

    def absent():
        raise LookupError("it is not here")
    fake.fails = 0
    if rank == 1:
        oneccl.load = absent
    with pytest.raises(sycl.exception, match=r"rank 0: 2022\.2; rank 1: none: it is not here\); "
                       r"create_main_kvs\('mpi'\)"):
        made()


def missing(comm) -> None:
    """A rank that does not come is named within the time limit, and nobody hangs."""
    own = comm.duplicate()
    small = np.ones(3)
    ccl.allreduce(small, small, comm=own).wait()  # lest others be late
    own.set_timeout(3.0)
    if comm.rank() != 1:
        x = np.ones(1000)
        with pytest.raises(sycl.exception, match="rank 1 did not come within 3 s"):
            ccl.allreduce(x, x, comm=own).wait()
        with pytest.raises(sycl.exception, match="not usable any more"):
            ccl.barrier(own).wait()
    ccl.barrier(comm).wait()


def unwaited(comm) -> None:
    """A call that nobody waits for ends all the same, after the messages' thread fell asleep."""
    for _ in range(3):
        time.sleep(0.15)
        x, y = np.ones(2), np.zeros(2)
        event = ccl.allreduce(x, y, comm=comm)
        end = time.monotonic() + 100
        while not y[1] and time.monotonic() < end:
            time.sleep(0.001)
        assert y.tolist() == [comm.size()] * 2
        event.wait()


def computing(comm) -> None:
    """That one rank computes is heard by all others, in communicators made of theirs, too."""
    own = comm.duplicate()
    ccl.barrier(comm).wait()
    over = threading.Event()
    own.link.note_busy(lambda: comm.rank() == 1 and not over.is_set())
    end = time.monotonic() + 100
    while own.link.heard() < 0 and time.monotonic() < end:
        time.sleep(0.01)
    assert own.link.heard() > 0
    assert not own.link.overdue(time.monotonic() - 1)
    ccl.barrier(comm).wait()
    over.set()


def main() -> None:
    from mpi4py import MPI
    rank, size = MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size()
    address = MPI.COMM_WORLD.bcast(ccl.create_main_kvs().get_address() if rank == 0 else None)
    comm = ccl.create_communicator(size, rank, ccl.create_kvs(address))
    queue = sycl.queue(sys.argv[1])
    if sys.argv[2:] == ["some"]:  # what another MPI does otherwise
        ccl_checks.check_reductions(comm, queue, (7, 1301))
        uncountable(comm, queue)
        refused(comm)
        processes.say(f"rank {rank} of {size} is well")
        return
    ccl_checks.check_all(comm, queue)
    ccl_checks.check_moves(ccl.from_mpi(MPI.COMM_WORLD), None)
    uncountable(comm, queue)
    refused(comm)
    ccl_checks.check_disagreements(comm)
    unwaited(comm)
    computing(comm)
    by_oneccl(rank, size, queue)
    missing(comm)
    processes.say(f"rank {rank} of {size} is well")


if __name__ == "__main__":
    main()
