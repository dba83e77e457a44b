"""What every provider of collective calls has to do; run by threads and by processes of MPI."""

from __future__ import annotations

import numpy as np
import pytest
from ml_dtypes import bfloat16

import unisycl as sycl
from unisycl.oneapi import ccl

TYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64,
         np.float16, np.float32, np.float64, bfloat16]
PLAIN = {"sum": lambda xs: sum(xs[1:], xs[0]), "prod": lambda xs: np.prod(xs, axis=0),
         "min": lambda xs: np.min(xs, axis=0), "max": lambda xs: np.max(xs, axis=0)}


def data(rank: int, count: int, dtype) -> np.ndarray:
    return ((np.arange(count) * 7 + rank * 3) % 5 + 1).astype(dtype)


def all_of(size: int, count: int, dtype) -> list:
    return [data(r, count, dtype) for r in range(size)]


def same(found, expected, what) -> None:
    assert np.array_equal(np.asarray(found, np.float64), np.asarray(expected, np.float64)), what


def check_reductions(comm, queue, counts=(1, 7, 130, 3001)) -> None:
    """Every type and operator, odd counts, in place and not."""
    me, size = comm.rank(), comm.size()
    for number, dtype in enumerate(TYPES):
        for count in (counts[number % len(counts)], counts[(number + 1) % len(counts)]):
            every = [x.astype(np.float64) for x in all_of(size, count, dtype)]
            for op in ("sum", "prod", "min", "max"):
                expected = PLAIN[op](every)
                mine, out = data(me, count, dtype), np.zeros(count, dtype)
                event = ccl.allreduce(mine, out, ccl.reduction[op], comm=comm, where=queue)
                event.wait()
                same(out, expected, (dtype, op, count))
            mine = data(me, count, dtype)
            ccl.allreduce(mine, mine, comm=comm, where=queue).wait()  # in place
            same(mine, PLAIN["sum"](every), ("in place", dtype))
            out = np.zeros(count, dtype)
            ccl.reduce(data(me, count, dtype), out, ccl.reduction.max, size - 1, comm=comm,
                       where=queue).wait()
            same(out, PLAIN["max"](every) if me == size - 1 else np.zeros(count), "reduce")
            wide = [np.concatenate([x] * size) for x in every]
            part = np.zeros(count, dtype)
            ccl.reduce_scatter(np.concatenate([data(me, count, dtype)] * size), part, comm=comm,
                               where=queue).wait()
            same(part, PLAIN["sum"](wide)[me * count:(me + 1) * count], "reduce_scatter")
            if np.dtype(dtype).kind not in "iu":
                ccl.allreduce(data(me, count, dtype), part, ccl.reduction.avg, comm=comm,
                              where=queue).wait()
                kind = np.float32 if np.dtype(dtype).itemsize == 2 else dtype
                mean = (PLAIN["sum"](every).astype(kind) / kind(size)).astype(dtype)
                same(part, mean, "avg")


def larger(a, b):
    return a if a > b else b + 0


def check_operators(comm, queue) -> None:
    """Functions of the kernel language, SYCL's function objects, and NumPy's functions."""
    me, size = comm.rank(), comm.size()
    for count in (5, 1000):
        every = all_of(size, count, np.float32)
        out = np.zeros(count, np.float32)
        for op, expected in ((larger, np.max(every, axis=0)), (sycl.plus, sum(every)),
                             (np.minimum, np.min(every, axis=0))):
            ccl.allreduce(every[me], out, op, comm=comm, where=queue).wait()
            same(out, expected, op)


def check_moves(comm, queue) -> None:
    """Every call that only moves elements, of several types and with odd counts."""
    me, size = comm.rank(), comm.size()
    for dtype, count in ((np.uint8, 3), (np.float32, 1), (bfloat16, 77), (np.float64, 1501)):
        every = all_of(size, count, dtype)
        whole = np.concatenate(every)
        mine, root = every[me].copy(), size // 2
        ccl.broadcast(mine, root, comm=comm, where=queue).wait()
        same(mine, every[root], "broadcast")
        mine = every[me].copy()
        mine.flags.writeable = me != root  # what a file is mapped to, say
        ccl.broadcast(mine, root, comm=comm, where=queue).wait()
        same(mine, every[root], "broadcast of what is read-only")
        out = np.zeros(count * size, dtype)
        ccl.allgather(every[me], out, comm=comm, where=queue).wait()
        same(out, whole, "allgather")
        out = np.zeros(count * size, dtype)
        ccl.gather(every[me], out, root, comm=comm, where=queue).wait()
        same(out, whole if me == root else 0 * whole, "gather")
        part = np.zeros(count, dtype)
        ccl.scatter(whole, part, root, comm=comm, where=queue).wait()
        same(part, every[me], "scatter")
        counts = [(r * 2 + 1) % (count + 1) for r in range(size)]
        joined = np.concatenate([x[:c] for x, c in zip(every, counts)])
        out = np.zeros(len(joined), dtype)
        ccl.allgatherv(every[me], out, counts, comm=comm, where=queue).wait()
        same(out, joined, "allgatherv")
        out = np.zeros(len(joined), dtype)
        ccl.gatherv(every[me], out, counts, comm=comm, where=queue).wait()
        same(out, joined if me == 0 else 0 * joined, "gatherv")
        part = np.zeros(counts[me], dtype)
        ccl.scatterv(joined, part, counts, comm=comm, where=queue).wait()
        same(part, every[me][:counts[me]], "scatterv")
        out = np.zeros(count * size, dtype)
        ccl.alltoall(np.concatenate([every[me]] * size), out, comm=comm, where=queue).wait()
        same(out, whole, "alltoall")
        to = [[(i + 2 * j) % 3 for j in range(size)] for i in range(size)]
        sent = np.concatenate([np.full(n, 10 * me + j, dtype) for j, n in enumerate(to[me])])
        into = [to[j][me] for j in range(size)]
        got = np.zeros(sum(into), dtype)
        ccl.alltoallv(sent, to[me], got, into, comm=comm, where=queue).wait()
        same(got, np.concatenate([np.full(n, 10 * j + me) for j, n in enumerate(into)]), "a2av")
    ccl.barrier(comm, queue).wait()


def check_in_place(comm, queue) -> None:
    """One memory, named twice, of which one side uses less than the other."""
    me, size, n = comm.rank(), comm.size(), 700
    whole = np.arange(float(n * size))
    both = whole + me
    ccl.reduce_scatter(both, both, comm=comm, where=queue, count=n).wait()
    total = size * whole + sum(range(size))
    same(both[:n], total[me * n:(me + 1) * n], "reduce_scatter")
    same(both[n:], whole[n:] + me, "the rest")
    both = whole + me
    ccl.scatter(both, both, size - 1, comm=comm, where=queue, count=n).wait()
    same(both[:n], whole[me * n:(me + 1) * n] + size - 1, "scatter")
    both = whole + me
    ccl.gather(both, both, comm=comm, where=queue, count=n).wait()
    same(both, np.tile(whole[:n], size) + np.repeat(np.arange(size), n) if me == 0 else whole + me,
         "gather")
    both = whole + me
    out = [n if r == 0 else 1 for r in range(size)]  # most goes to the first
    into = [n if me == 0 else 1] * size
    ccl.alltoallv(both, out, both, into, comm=comm, where=queue).wait()
    starts = np.cumsum([0, *out])
    want = np.concatenate([whole[starts[me]:starts[me] + into[r]] + r for r in range(size)])
    same(both[:len(want)], want, "alltoallv")
    p = sycl.malloc_device(n * size, queue, dtype=np.float64)
    first = queue.copy(whole + me, p)
    done = ccl.reduce_scatter(p, p, comm=comm, where=queue, count=n, depends_on=first)
    queue.copy(p, both, depends_on=[done]).wait()
    same(both[:n], total[me * n:(me + 1) * n], "on a device")


def refused(call, *texts: str) -> None:
    """See to it that a call raises one of these texts, or nothing if one of them is empty."""
    said = ""
    try:
        call().wait()
    except sycl.exception as error:
        said = str(error)
    assert any(t in said if t else not said for t in texts), (texts, said)


def sum_of_both_with_a_name_that_is_longer_than_what_ranks_say_to_one_another_of_a_call(a, b):
    return a + b


def check_disagreements(comm) -> None:
    """Ranks that differ are told, whichever the call, and go on."""
    me, size = comm.rank(), comm.size()
    x = np.zeros(400 + me, np.float32)
    refused(lambda: ccl.allreduce(
        x, x, sum_of_both_with_a_name_that_is_longer_than_what_ranks_say_to_one_another_of_a_call,
        comm=comm), f"rank {size - 1}: allreduce (...")
    into = [1] * size
    into[0] += me == 1  # one pair of ranks only
    refused(lambda: ccl.alltoallv(np.zeros(size), [1] * size, np.zeros(sum(into)), into, comm=comm),
            "rank 0 sends 1 elements to rank 1, which expects 2")
    for sent, wanted, told in ((np.zeros(5), np.zeros(9), "5 float64 to rank 1, which expects 9"),
                               (np.zeros(9), np.zeros(5), "9 float64 to rank 1, which expects 5"),
                               (np.zeros(4, np.float32), np.zeros(4, np.int32),
                                "4 float32 to rank 1, which expects 4 int32")):
        if me == 0:  # where messages are on their way, who sends may have ended before
            refused(lambda: ccl.send(sent, 1, comm=comm), f"sends {told}", "")
        elif me == 1:
            refused(lambda: ccl.recv(wanted, 0, comm=comm), f"rank 0 sends {told}")
    y = np.ones(3)
    ccl.allreduce(y, y, comm=comm).wait()
    assert y[0] == size
    own = comm.duplicate()
    own.set_timeout(1.0)
    if me == 0:  # the other does not come: nobody hangs
        ccl.group_start()
        event = ccl.recv(y, 1, comm=own)
        ccl.group_end()
        refused(lambda: event, "rank 1 did not come within 1 s")


def check_messages(comm, queue) -> None:
    """A ring in a group, whose receives come first; several messages stay in their order."""
    me, size = comm.rank(), comm.size()
    right, left = (me + 1) % size, (me - 1) % size
    got = [np.zeros(9, np.int32) for _ in range(3)]
    ccl.group_start()
    events = [ccl.recv(g, left, comm=comm, where=queue) for g in got]
    events += [ccl.send(np.full(9, me * 10 + k, np.int32), right, comm=comm, where=queue)
               for k in range(3)]
    ccl.group_end()
    for event in events:
        event.wait()
    for k, g in enumerate(got):
        same(g, np.full(9, left * 10 + k), "ring")
    if size > 1 and me < 2:
        box = np.arange(2000.0) if me == 0 else np.zeros(2000)
        (ccl.send if me == 0 else ccl.recv)(box, 1 - me, comm=comm, where=queue).wait()
        same(box, np.arange(2000.0), "one message")


def check_memory(comm, queue) -> None:
    """USM of all kinds and buffers; events before and after."""
    me, size, n = comm.rank(), comm.size(), 301
    total = sum(range(1, size + 1))
    for kind in (sycl.malloc_device, sycl.malloc_shared, sycl.malloc_host):
        p = kind(n, queue, dtype=np.float32)
        first = queue.fill(p, me + 1.0)
        done = ccl.allreduce(p, p, comm=comm, where=ccl.create_stream(queue), depends_on=[first])
        out = np.zeros(n, np.float32)
        queue.copy(p, out, depends_on=[done]).wait()
        same(out, np.full(n, total), kind)
        sycl.free(p, queue)
    with sycl.buffer(np.full(n, me + 1.0)) as a, sycl.buffer(n, dtype=np.float64) as b:
        ccl.allreduce(a, b, comm=comm, where=queue)

        def double(h):
            x = sycl.accessor(b, h, sycl.read_write)

            def kernel(i):
                x[i] = 2 * x[i]
            h.parallel_for(n, kernel)
        queue.submit(double)
        with sycl.host_accessor(b, sycl.read_only) as x:
            same(x.get_view(), np.full(n, 2.0 * total), "buffers")


def check_groups_of_ranks(comm, queue) -> None:
    """Communicators among some ranks, and beside one another."""
    me, size = comm.rank(), comm.size()
    part = comm.split(me % 2, -me)
    mates = [r for r in range(size) if r % 2 == me % 2]
    assert part.size() == len(mates)
    assert part.rank() == sorted(mates, key=lambda r: -r).index(me)
    x = np.array([me], np.int64)
    ccl.allreduce(x, x, comm=part, where=queue).wait()
    assert x[0] == sum(mates)
    twin = comm.duplicate()
    a, b = np.array([1.0]), np.array([2.0])
    first = ccl.allreduce(a, a, comm=comm, where=queue)
    second = ccl.allreduce(b, b, comm=twin, where=queue)
    second.wait()
    first.wait()
    assert (a[0], b[0]) == (size, 2 * size)
    nobody = comm.split(-1 if me == 0 else 0)
    assert (nobody is None) == (me == 0)


def check_graph(comm, queue) -> None:
    """A call recorded in a command graph runs at each submission of it."""
    experimental = sycl.ext.oneapi.experimental
    x, size = np.ones(40, np.float32), comm.size()
    graph = experimental.command_graph(queue)
    graph.begin_recording(queue)
    event = ccl.allreduce(x, x, comm=comm, where=queue)
    ccl.allreduce(x, x, comm=comm, where=queue, depends_on=[event])
    graph.end_recording(queue)
    ready = graph.finalize()
    for _ in range(2):
        queue.ext_oneapi_graph(ready).wait()
    same(x, np.full(40, float(size) ** 4), "graph")


def check_repeats(comm, queue) -> None:
    """The same call over the same arrays, of which something has changed meanwhile."""
    me, size = comm.rank(), comm.size()
    ranks = size * (size + 1) // 2
    ordered = sycl.queue(queue.get_device(), sycl.property.queue.in_order())
    a, b = np.full(5, me + 1.0, np.float32), np.zeros(5, np.float32)
    for where in (None, queue, ordered):
        for turn in range(4):
            a[:] = me + 1 + turn
            ccl.allreduce(a, b, comm=comm, where=where).wait()
            same(b, np.full(5, ranks + size * turn), ("repeat", turn))
        ccl.allreduce(a, b, ccl.reduction.max, comm=comm, where=where).wait()
        same(b, np.full(5, size + 3), "another operator")
        ccl.allreduce(a, b, comm=comm, where=where, count=np.int64(2)).wait()
        same(b, [ranks + 3 * size] * 2 + [size + 3] * 3, "another count")
        ccl.barrier(comm, where).wait()
    for turn in range(3):  # what a command before it writes
        def later(turn=turn):
            a[:] = me + 7 + turn
        if me == turn % size:
            ordered.submit(lambda h, later=later: h.host_task(later))
        else:
            later()
        ccl.allreduce(a, b, comm=comm, where=ordered).wait()
        same(b, np.full(5, ranks + size * (6 + turn)), ("behind a host task", turn))
    b.flags.writeable = False
    for x in (b, a.reshape(5, 1).T.repeat(2, 0)[:, ::2]):
        with pytest.raises(sycl.exception, match="must be contiguous and writable"):
            ccl.allreduce(a, x, comm=comm, where=ordered)
    b.flags.writeable = True
    a = a.astype(np.float64)  # perhaps where the one before was
    with pytest.raises(sycl.exception, match="send holds float64, recv float32"):
        ccl.allreduce(a, b, comm=comm, where=ordered)
    for turn in range(4):
        x = np.full((1, 2, turn + 1), me + 1, np.int64)  # new memory each time
        ccl.allreduce(x, x, comm=comm, where=queue).wait()
        same(x, np.full(x.shape, ranks), "new memory")
        ccl.broadcast(x, turn % size, comm=comm).wait()
    ccl.allreduce(b, b, comm=comm, where=queue).wait()
    if size > 1:
        c = np.ones(3 + (me == 0), np.float32)
        for _ in range(2):
            ccl.allreduce(b, b, comm=comm, where=queue).wait()
            with pytest.raises(sycl.exception, match=r"rank 0: allreduce \(sum\) of 4 float32"):
                ccl.allreduce(c, c, comm=comm, where=queue).wait()


def check_all(comm, queue) -> None:
    check_reductions(comm, queue)
    check_operators(comm, queue)
    check_moves(comm, queue)
    check_in_place(comm, queue)
    check_messages(comm, queue)
    check_memory(comm, queue)
    check_groups_of_ranks(comm, queue)
    check_graph(comm, queue)
    check_repeats(comm, queue)
