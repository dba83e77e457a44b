"""Ranks whose cards send by themselves, by a NCCL that is none: calls, queues, what goes where."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import unisycl as sycl
from tests.cuda_fake.install import all_installed
from tests.cuda_fake.nccl import Cards, FakeNccl
from tests.device.ranks import _check_on_cards
from tests.ranks import ccl_checks, queue_checks, random_programs
from unisycl.oneapi import ccl
from unisycl.ranks.links import cards as links
from unisycl.ranks.links import nccl
from unisycl.ranks.links.alone import AloneLink

x = sycl.ext.unisycl


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Cards, FakeNccl]]:
    made = Cards(2, seed=5)
    fake = FakeNccl(made)
    library = nccl.Library(fake)
    monkeypatch.setitem(links.LIBRARIES, "nccl", lambda: library)
    with all_installed(made):
        yield made, fake
    assert made.misuse == []


def on_card(comm: Any, count: int, kind: Any) -> tuple[sycl.queue, Any]:
    queue = sycl.queue(f"card{comm.rank()}")
    return queue, sycl.malloc_device(count, queue, dtype=kind)


@pytest.mark.row("R-8")
@pytest.mark.part("L-21")
def test_calls_of_memory_on_cards_go_from_card_to_card(two: tuple[Cards, FakeNccl]) -> None:
    def body(comm: Any) -> None:
        me, n = comm.rank(), 37
        for kind in (np.float32, np.int64, np.float16):
            queue, p = on_card(comm, n, kind)
            mine, out = ccl_checks.data(me, n, kind), np.zeros(n, kind)
            every = [x.astype(np.float64) for x in ccl_checks.all_of(2, n, kind)]
            first = queue.copy(mine, p)
            done = ccl.allreduce(p, p, comm=comm, where=queue, depends_on=[first])
            queue.copy(p, out, depends_on=[done]).wait()
            ccl_checks.same(out, every[0] + every[1], kind)
            sycl.free(p, queue)
        queue = sycl.queue(f"card{me}")
        with sycl.buffer(np.full(n, me + 1.0)) as a, sycl.buffer(2 * n, dtype=np.float64) as b:
            ccl.allgather(a, b, comm=comm, where=queue)
            ccl.broadcast(a, 1, comm=comm, where=queue)
            with sycl.host_accessor(b, sycl.read_only) as x:
                ccl_checks.same(x.get_view(), np.repeat([1.0, 2.0], n), "allgather")
            with sycl.host_accessor(a, sycl.read_only) as x:
                ccl_checks.same(x.get_view(), np.full(n, 2.0), "broadcast")
    ccl.run_threads(2, body)
    assert two[1].given.count("all") == 6
    assert two[1].given.count("whole") == 2
    assert two[1].given.count("same") == 2


@pytest.mark.part("R-8")
def test_calls_that_come_again_are_compared_and_use_the_memory_that_is_there(
        two: tuple[Cards, FakeNccl]) -> None:
    def body(comm: Any) -> None:
        me = comm.rank()
        queue, p = on_card(comm, 8, np.float32)
        ordered = sycl.queue(f"card{me}", sycl.property.queue.in_order())
        q, out = sycl.malloc_device(8, queue, dtype=np.float32), np.zeros(8, np.float32)
        for where in (queue, ordered):
            for turn in range(3):
                where.fill(p, float(turn + me)).wait()
                ccl.allreduce(p, q, comm=comm, where=where)
                done = ccl.allreduce(q, q, comm=comm, where=where)
                where.copy(q, out, depends_on=[done]).wait()
                ccl_checks.same(out, np.full(8, 4 * turn + 2), turn)
        sycl.free(q, queue)
        with pytest.raises(sycl.exception, match="free"):
            ccl.allreduce(p, q, comm=comm, where=ordered).wait()
        short = sycl.malloc_device(8 + me, queue, dtype=np.float32)
        for _ in range(2):
            ccl.allreduce(p, p, comm=comm, where=ordered).wait()
            with pytest.raises(sycl.exception, match="rank 1: allreduce .sum. of 9 float32, from"):
                ccl.allreduce(short, short, comm=comm, where=ordered).wait()
    ccl.run_threads(2, body)


@pytest.mark.part("R-8")
def test_every_call_gives_the_same_from_card_to_card(two: tuple[Cards, FakeNccl]) -> None:
    def body(comm: Any) -> None:
        me, count, kind = comm.rank(), 19, np.float32
        queue = sycl.queue(f"card{me}", sycl.property.queue.in_order())
        every = ccl_checks.all_of(2, count, kind)
        whole = np.concatenate(every)

        def run(call: Any, given: Any, size: int, *rest: Any, root: int | None = None) -> Any:
            a, b = sycl.malloc_device(given.size, queue, dtype=kind), sycl.malloc_device(
                size, queue, dtype=kind)
            queue.copy(given, a)
            queue.fill(b, 0)
            more = {} if root is None else {"root": root}
            call(a, b, *rest, comm=comm, where=queue, **more)
            out = np.zeros(size, kind)
            queue.copy(b, out).wait()
            return out
        same = ccl_checks.same
        same(run(ccl.reduce, every[me], count, ccl.reduction.prod, root=1),
             every[0] * every[1] if me == 1 else 0 * every[0], "reduce")
        same(run(ccl.reduce_scatter, whole, count), 2 * every[me], "reduce_scatter")
        same(run(ccl.gather, every[me], 2 * count, root=1), whole * (me == 1), "gather")
        same(run(ccl.scatter, whole, count, root=1), every[me], "scatter")
        same(run(ccl.alltoall, np.concatenate([every[me]] * 2), 2 * count), whole, "alltoall")
        counts = [4, 7]
        part = np.concatenate([x[:c] for x, c in zip(every, counts, strict=True)])
        same(run(ccl.allgatherv, every[me], 11, counts), part, "allgatherv")
        same(run(ccl.gatherv, every[me], 11, counts, root=0), part * (me == 0), "gatherv")
        same(run(ccl.scatterv, part, counts[me], counts, root=0), every[me][:counts[me]], "part")
        into = [3 + me, 5]  # what the first sends, then the second
        sent = [3, 4] if me == 0 else [5, 5]
        p = sycl.malloc_device(16, queue, dtype=kind)
        q = sycl.malloc_device(16, queue, dtype=kind)
        with pytest.raises(sycl.exception, match="rank 0 sends 3 elements to rank 0, which exp"):
            ccl.alltoallv(p, sent, q, [2, *into[1:]], comm=comm, where=queue).wait()
        same(run(lambda a, b, **more: ccl.alltoallv(a, sent, b, into, **more),
                 whole[:sum(sent)] + 100 * me, sum(into)),
             np.concatenate([whole[3 * me:3 + 4 * me], whole[5 * me:5 + 5 * me] + 100]), "a2av")
        same(run(ccl.allreduce, every[me], count, ccl.reduction.max),  # by the host: NaN
             np.maximum(*every), "max")
    ccl.run_threads(2, body)
    assert sorted(set(two[1].given)) == ["messages", "one", "parts"]


@pytest.mark.part("R-8")
@pytest.mark.part("L-22")
def test_ranks_that_differ_are_told_before_anything_is_given_to_a_card(
        two: tuple[Cards, FakeNccl]) -> None:
    def body(comm: Any) -> None:
        queue, p = on_card(comm, 8, np.float32)
        queue.fill(p, 1).wait()
        with pytest.raises(sycl.exception, match=r"rank 0: allreduce \(sum\) of 4 float32, from "
                           r"device to device; rank 1: allreduce \(sum\) of 5 float32"):
            ccl.allreduce(p, p, comm=comm, where=queue, count=4 + comm.rank()).wait()
        ccl.allreduce(p, p, comm=comm, where=queue).wait()
        if comm.rank() == 1:
            with pytest.raises(sycl.exception, match="from device to device"):
                ccl.allreduce(p, p, comm=comm, where=queue).wait()
        else:
            x = np.ones(8, np.float32)
            with pytest.raises(sycl.exception, match="from device to device"):
                ccl.allreduce(x, x, comm=comm).wait()
        comm.set_timeout(0.5)
        if comm.rank() == 0:
            with pytest.raises(sycl.exception, match=r"rank 1 did not come within 0\.5 s"):
                ccl.allreduce(p, p, comm=comm, where=queue).wait()
    ccl.run_threads(2, body)
    assert two[1].given.count("all") == 2


@pytest.mark.part("R-8")
def test_ranks_that_share_a_card_send_by_the_host(two: tuple[Cards, FakeNccl]) -> None:
    def body(comm: Any) -> None:
        queue = sycl.queue("card0")
        p = sycl.malloc_device(5, queue, dtype=np.int32)
        out = np.zeros(5, np.int32)
        done = ccl.allreduce(p, p, comm=comm, where=queue,
                             depends_on=[queue.fill(p, comm.rank() + 1)])
        queue.copy(p, out, depends_on=[done]).wait()
        assert out.tolist() == [3] * 5
    ccl.run_threads(2, body)
    assert two[1].given == []


@pytest.mark.row("R-8")
def test_a_queue_over_ranks_sends_from_card_to_card(two: tuple[Cards, FakeNccl]) -> None:
    one = queue_checks.check_programs(x.distr_queue("cpu", link=AloneLink(60)))

    def body(comm: Any) -> dict[str, Any]:
        return queue_checks.check_all(x.distr_queue(f"card{comm.rank()}"))
    for found in ccl.run_threads(2, body, limit=120):
        for name, want in one.items():
            if name != "conjugate_gradient":
                assert np.array_equal(found[name], want), name
    assert two[1].given.count("messages") > 30


@pytest.mark.part("R-8")
def test_random_programs_find_the_same_on_cards(two: tuple[Cards, FakeNccl]) -> None:
    def body(comm: Any) -> None:
        for seed in range(4):
            random_programs.Program(seed).run(x.distr_queue(f"card{comm.rank()}"))
    ccl.run_threads(2, body, limit=120)


@pytest.mark.part("R-2")
@pytest.mark.part("R-8")
def test_halos_alone_leave_a_card(two: tuple[Cards, FakeNccl]) -> None:
    """Steps of the heat equation copy nothing to the host, and start what was there once."""
    def body(comm: Any) -> int:
        q = x.distr_queue(f"card{comm.rank()}")
        queue_checks.programs.heat(q, 40, 30, 2)
        q.close()
        calls = two[0].calls
        before = sum(n for name, n in calls.items() if "Memcpy" in name)
        comm.link.barrier()
        u = x.distr_buffer((40, 30))
        q.submit(lambda h: h.parallel_for((40, 30), _ones, sycl.accessor(
            u, h, x.one_to_one, sycl.write_only, sycl.no_init)))
        for _ in range(5):
            v = x.distr_buffer((40, 30))

            def step(h: Any, u: Any = u, v: Any = v) -> None:
                h.parallel_for((40, 30), _sums, sycl.accessor(
                    u, h, x.neighborhood(1, 0), sycl.read_only), sycl.accessor(
                    v, h, x.one_to_one, sycl.write_only, sycl.no_init))
            q.submit(step)
            u = v
        q.close()
        comm.link.barrier()
        return sum(n for name, n in calls.items() if "Memcpy" in name) - before
    assert ccl.run_threads(2, body, limit=120) == [0, 0]


def _ones(i: Any, a: Any) -> None:
    a[i] = 1.0


def _sums(i: Any, a: Any, b: Any) -> None:
    b[i] = a[max(i[0] - 1, 0), i[1]] + a[min(i[0] + 1, 39), i[1]]


@pytest.mark.part("L-21")
def test_minimum_and_messages_of_memory_on_cards(two: tuple[Cards, FakeNccl]) -> None:
    ccl.run_threads(2, lambda comm: _check_on_cards(
        comm, sycl.queue(f"card{comm.rank()}"), (3,), (np.float32,)))
