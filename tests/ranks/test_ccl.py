"""oneCCL: every call over threads of one process, and over real processes of MPI."""

from __future__ import annotations

import threading
import time
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

import unisycl as sycl
from tests.ranks import ccl_checks
from tests.ranks.processes import start, start_by_open_mpi, well
from unisycl.oneapi import ccl
from unisycl.ranks.links import mpi_calls, oneccl
from unisycl.ranks.links.link import Call


@pytest.mark.row("L-21")
@pytest.mark.parametrize("size", [3, 1])
def test_threads_compute_what_numpy_computes(device: sycl.device, size: int) -> None:
    ccl.run_threads(size, lambda comm: ccl_checks.check_all(comm, sycl.queue(device)))


@pytest.mark.row("L-21")
@pytest.mark.row("L-22")
def test_processes_compute_the_same_and_miss_a_rank_that_does_not_come() -> None:
    done = start(3, "tests/ranks/mpi_ccl.py", "cpu")
    assert done.returncode == 0, done.stdout + done.stderr
    assert well(done.stdout) == [0, 1, 2]


@pytest.mark.part("L-21")
def test_open_mpi_computes_the_same() -> None:
    done = start_by_open_mpi(2, "tests/ranks/mpi_ccl.py", "cpu", "some")
    assert done.returncode == 0, done.stdout + done.stderr
    assert well(done.stdout) == [0, 1]


@pytest.mark.row("L-22")
def test_ranks_that_differ_are_told_and_go_on() -> None:
    def body(comm) -> None:
        x = np.zeros(4 + comm.rank())
        with pytest.raises(sycl.exception, match=r"rank 0: allreduce \(sum\) of 4 float64; rank 1: "
                           r"allreduce \(sum\) of 5 float64") as found:
            ccl.allreduce(x, x, comm=comm).wait()
        assert found.value.code() is sycl.errc.invalid
        kinds = [np.float32, np.int32]
        y = np.ones(3, kinds[comm.rank()])
        with pytest.raises(sycl.exception, match="rank 0: broadcast of 3 float32 with root 0; "
                           "rank 1: broadcast of 3 int32 with root 0"):
            ccl.broadcast(y, comm=comm).wait()
        z = np.ones(3)
        ccl.allreduce(z, z, comm=comm).wait()
        assert z[0] == 2
        ccl_checks.check_disagreements(comm)
    ccl.run_threads(2, body)


@pytest.mark.row("L-22")
def test_a_missing_rank_is_named_within_the_limit() -> None:
    both = threading.Barrier(2)

    def body(comm) -> None:
        comm.set_timeout(1.5)
        if comm.rank() == 2:
            return
        both.wait()  # lest one of the others be late
        with pytest.raises(sycl.exception, match=r"rank 2 did not come within 1\.5 s"):
            ccl.barrier(comm).wait()
        with pytest.raises(sycl.exception, match="not usable any more"):
            ccl.barrier(comm).wait()
    ccl.run_threads(3, body)


@pytest.mark.part("L-22")
def test_a_rank_is_not_missed_while_one_runs_a_kernel() -> None:
    waits, works = threading.Event(), threading.Event()

    def body(comm) -> bool:
        comm.set_timeout(0.3)
        if comm.rank() == 0:
            comm.link.note_busy(works.is_set)
            works.set()
            waits.wait()
            time.sleep(1.0)  # the others miss nobody, however long they are kept
        else:
            works.wait()
        event = ccl.barrier(comm)
        waits.set()
        event.wait()
        return True
    assert ccl.run_threads(2, body) == [True, True]


@pytest.mark.row("L-22")
def test_a_rank_that_fails_ends_the_others() -> None:
    def body(comm) -> None:
        if comm.rank() == 0:
            raise ValueError("out of cheese")
        ccl.barrier(comm).wait()
    with pytest.raises(ValueError, match="out of cheese"):
        ccl.run_threads(3, body)


@pytest.mark.part("L-21")
def test_threads_make_communicators_by_a_store() -> None:
    store = ccl.create_main_kvs("threads")

    def body(other) -> None:
        mine = ccl.create_kvs(store.get_address())
        comm = ccl.create_communicator(2, other.rank(), sycl.device("cpu"), mine)
        x = np.ones(5)
        ccl.allreduce(x, x, comm=comm).wait()
        assert (comm.rank(), comm.size(), x.sum()) == (other.rank(), 2, 10)
        assert comm.get_device() == sycl.device("cpu")
    ccl.run_threads(2, body)


class _Asked:
    """A communicator that is none: it remembers what it was given, and keeps nothing."""

    def __init__(self) -> None:
        self.given: list[weakref.ref] = []

    def __getattr__(self, name: str):
        def post(send, *rest) -> str:
            self.given.append(weakref.ref(send))
            return name
        return post

    def Get_size(self) -> int:  # noqa: N802 -- mpi4py's
        return 1

    Get_rank = Get_size


@pytest.mark.part("L-21")
@pytest.mark.parametrize("name", ["allreduce", "reduce", "reduce_scatter", "counts"])
def test_what_mpi_reads_lives_until_the_call_ends(name: str, monkeypatch) -> None:
    monkeypatch.setattr(mpi_calls, "mpi", lambda: SimpleNamespace(SUM=1, PROD=2, MIN=3, MAX=4))
    comm, memory = _Asked(), np.ones(8)
    steps = mpi_calls.native(SimpleNamespace(comm=comm, size=1, rank=0), Call(
        name, memory, memory, op_name="sum", counts=(1,), others=(1,)))
    next(steps)
    assert comm.given[0]() is not None
    assert comm.given[0]() is not memory  # it is written meanwhile


@pytest.mark.part("L-21")
@pytest.mark.parametrize(("call", "text"), [
    (lambda c: ccl.allreduce(np.ones(4), np.ones(3), comm=c), "recv has 3 elements where 4 are"),
    (lambda c: ccl.allreduce(np.ones(4), np.ones(4, np.int8), comm=c), "send holds float64, recv"),
    (lambda c: ccl.allreduce(np.ones(4)[::2], np.ones(4), comm=c), "send must be contiguous"),
    (lambda c: ccl.allreduce([1], np.ones(4), comm=c), "must be an array, USM memory or a buffer"),
    (lambda c: ccl.allreduce(np.ones(4, int), np.ones(4, int), ccl.reduction.avg, comm=c), "avg"),
    (lambda c: ccl.allreduce(np.ones(4), np.ones(4), 3, comm=c), "the operator is one of"),
    (lambda c: ccl.broadcast(np.ones(4), 7, comm=c), "rank 7 does not exist"),
    (lambda c: ccl.broadcast(np.ones(4), comm=c, dtype=ccl.datatype.int8), "the call says int8"),
    (lambda c: ccl.allgatherv(np.ones(4), np.ones(4), [1, 2], comm=c), "one number of elements"),
    (lambda c: ccl.barrier(3), "expected a communicator"),
    (lambda c: ccl.barrier(c, "cpu"), "expected a stream or a queue"),
    (lambda c: ccl.broadcast(np.ones(4), 0.0, comm=c), "number of a rank, got 0.0"),
    (lambda c: ccl.broadcast(np.ones(4), comm=c, count=2.0), "count"),
    (lambda c: ccl.allgatherv(np.ones(4), np.ones(4), [1.5], comm=c), "counts"),
    (lambda c: c.split(1 << 40), "below 2\\*\\*31"),
    (lambda c: ccl.group_end(), "no group was begun"),
    (lambda c: ccl.create_kvs(b"x"), "what get_address of another rank"),
    (lambda c: ccl.create_communicator(1, 0), "the kvs is missing"),
    (lambda c: c.set_timeout(0), "a number of seconds"),
])
def test_wrong_arguments_are_refused_before_others_are_told(call, text) -> None:
    with pytest.raises(sycl.exception, match=text) as found:
        ccl.run_threads(1, call)
    assert found.value.code() is sycl.errc.invalid


@pytest.mark.part("L-21")
def test_why_there_is_no_oneccl_is_told(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", ".:lib:")
    assert all(place.is_absolute() for place in oneccl.places())  # nothing of the current folder
    monkeypatch.setattr(oneccl, "places", lambda: [tmp_path])
    assert "is neither in CCL_ROOT/lib" in oneccl.finding()
    (tmp_path / "libccl.so.2").touch()
    oneccl._loaded.cache_clear()
    assert "libccl.so.2 has no ccl/cpu/lib/libccl.so.1 beside it" in oneccl.finding()
    (tmp_path / "ccl" / "cpu" / "lib").mkdir(parents=True)
    (tmp_path / "ccl" / "cpu" / "lib" / "libccl.so.1").touch()
    oneccl._loaded.cache_clear()
    monkeypatch.setenv("CCL_PLUGIN", "")  # and as it was behind the test
    assert "libccl.so.2 does not load: " in oneccl.finding()
    oneccl._loaded.cache_clear()
