"""Ranks with a card each, on a machine with several: right results, and what they take.

::

    python -m tests.device.ranks [--ranks 2] [--parts devices,check,allreduce,heat] [--small]

Collective calls and a queue over ranks over NCCL, compared with NumPy and with one rank; then
allreduce beside NCCL called directly, and weak scaling of two programs. Each part is a run of its
own by ``python -m unisycl mpirun``. Invariants: what is compared runs in turns, each figure is the
median; on one card of several ranks elements go by the host, which is said.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from bench.ranks import in_turns
from unisycl.examples import ranks as examples
from unisycl.oneapi import ccl
from unisycl.ranks.links import cards, nccl
from unisycl.ranks.links.link import Call

x = sycl.ext.unisycl
TABLE = {"devices": (1,), "check": (2,), "allreduce": (2,), "heat": (1, 2), "heat-by-host": (2,),
         "bodies": (1, 2)}


def say(q: Any, *words: Any) -> None:
    """Print a line, on the first rank."""
    if q.rank == 0:
        sys.stdout.write(" ".join(map(str, words)) + "\n")
        sys.stdout.flush()


def check(_: bool) -> None:
    """Compare what ranks find with what one rank and NumPy do."""
    from tests.ranks import ccl_checks, queue_checks, random_programs, test_queue  # noqa: PLC0415
    from unisycl.ranks.links.alone import AloneLink  # noqa: PLC0415

    q = x.distr_queue()
    say(q, "device", q.get_device(), "sends directly:", q._direct is not None)
    one = queue_checks.check_programs(x.distr_queue(q.get_device(), link=AloneLink(60)))
    test_queue.compare(queue_checks.check_all(q), one)
    say(q, "the queue's checks and programs: well")
    for seed in range(30):
        random_programs.Program(seed).run(q)
    say(q, "30 random programs: well")
    comm = _communicator()
    queue = sycl.queue(q.get_device())
    for part in (ccl_checks.check_reductions, ccl_checks.check_moves, ccl_checks.check_memory,
                 ccl_checks.check_groups_of_ranks):
        part(comm, queue)
    _check_on_cards(comm, queue)
    say(q, "collective calls: well")
    q.close()


def _communicator() -> Any:
    from mpi4py import MPI  # noqa: PLC0415 -- importing it starts MPI

    return ccl.from_mpi(MPI.COMM_WORLD)


def _check_on_cards(comm: Any, queue: sycl.queue,
                    counts: tuple[int, ...] = (1, 37, 100001), kinds: Any = (
                        np.float32, np.float64, np.float16, np.int32, np.uint8, np.int64)) -> None:
    """Every call whose elements go from card to card, of several types and counts."""
    from tests.ranks.ccl_checks import all_of, same  # noqa: PLC0415

    me, size = comm.rank(), comm.size()
    for kind in kinds:
        for count in counts:
            every = [a.astype(np.float64) for a in all_of(size, count, kind)]
            mine = every[me].astype(kind)

            def run(call: Any, given: Any, n: int, *rest: Any, **more: Any) -> Any:
                a, b = (sycl.malloc_device(k, queue, dtype=given.dtype) for k in (given.size, n))
                first = [queue.copy(given, a), queue.fill(b, 0)]
                done = call(a, b, *rest, comm=comm, where=queue, depends_on=first, **more)
                out = np.empty(n, given.dtype)
                queue.copy(b, out, depends_on=[done]).wait()
                sycl.free(a, queue)
                sycl.free(b, queue)
                return out
            whole = np.concatenate(every)
            same(run(ccl.allreduce, mine, count), sum(every), ("allreduce", kind, count))
            for name in ("min", "max"):  # of floats by the host, where NaN counts
                same(run(ccl.allreduce, mine, count, ccl.reduction[name]),
                     getattr(np, name)(every, axis=0), (name, kind, count))
            if kind == np.float32:
                mine[count // 2] = np.nan
                for name in ("min", "max"):
                    assert np.isnan(run(ccl.allreduce, mine, count, ccl.reduction[name])[
                        count // 2]), name
                mine = every[me].astype(kind)
            _check_ring(comm, queue, mine, every[me - 1])
            same(run(ccl.reduce, mine, count, root=size - 1),
                 sum(every) * (me == size - 1), ("reduce", kind))
            same(run(ccl.allgather, mine, count * size), whole, ("allgather", kind))
            same(run(ccl.gather, mine, count * size, root=1), whole * (me == 1), ("gather", kind))
            same(run(ccl.scatter, whole.astype(kind), count, root=0), every[me], ("scatter", kind))
            same(run(ccl.reduce_scatter, np.concatenate([mine] * size), count),
                 sum(every), ("reduce_scatter", kind))
            same(run(ccl.alltoall, np.concatenate([mine] * size), count * size), whole, "alltoall")
            sent = [count if r == me else 1 for r in range(size)]
            same(run(lambda a, b, **more: ccl.alltoallv(a, sent, b, sent, **more),
                     np.concatenate([every[r][:n] + me for r, n in enumerate(sent)]).astype(kind),
                     sum(sent)),
                 np.concatenate([every[me][:n] + r for r, n in enumerate(sent)]), "alltoallv")


def _check_ring(comm: Any, queue: sycl.queue, mine: Any, wanted: Any) -> None:
    """Memory of cards goes around by messages: in a group, and one by one."""
    from tests.ranks.ccl_checks import same  # noqa: PLC0415

    me, size = comm.rank(), comm.size()
    a, b = (sycl.malloc_device(mine.size, queue, dtype=mine.dtype) for _ in range(2))
    for grouped in (True, False):
        first = [queue.copy(mine, a), queue.fill(b, 0)]
        if grouped:
            ccl.group_start()
        ends = [ccl.send(a, (me + 1) % size, comm=comm, where=queue, depends_on=first),
                ccl.recv(b, (me - 1) % size, comm=comm, where=queue, depends_on=first)]
        if grouped:
            ccl.group_end()
        out = np.empty(mine.size, mine.dtype)
        queue.copy(b, out, depends_on=ends).wait()
        same(out, wanted, ("ring", grouped))
    sycl.free(a, queue)
    sycl.free(b, queue)


def allreduce(small: bool) -> None:
    """Compare a call in a queue with NCCL's own in a stream, waited for one by one and together."""
    comm = _communicator()
    q = x.distr_queue()
    queue = sycl.queue(q.get_device(), sycl.property.queue.in_order())
    own = comm.cards(queue)
    if own is None:
        say(q, "allreduce: elements go by the host here; nothing to compare")
        return
    most = 1 << (20 if small else 28)
    p = sycl.malloc_device(most, queue, dtype=np.float32)
    queue.fill(p, 0.5).wait()
    stream = _Stream(queue)

    def direct(count: int, times: int) -> Callable[[], None]:
        def run() -> None:
            for _ in range(times):
                own.collective("ncclAllReduce", p.address(), p.address(), count,
                               nccl.TYPES["float32"], nccl.OPERATORS["sum"], stream=stream.value)
            stream.wait()
        return run

    def ours(count: int, times: int) -> Callable[[], None]:
        def run() -> None:
            for _ in range(times):
                done = ccl.allreduce(p, p, comm=comm, where=queue, count=count)
            done.wait()
        return run
    parts = in_turns({
        "words": lambda: comm.link.finish(comm.link.collect(Call("words", note="so"))),
        "command": lambda: queue.submit(_given(own, p)).wait(),
        "empty": lambda: queue.submit(_given(None, p)).wait()}, 41, 20)
    say(q, "of one call of 4 B: ", ", ".join(
        f"{name} {t.wall * 1e6:.1f} us ({t.spread:.0%})" for name, t in parts.items()))
    for count, times, rounds, each in ((1, 1, 41, 20), (1, 20, 21, 2), (1 << 18, 1, 21, 10),
                                       (most, 1, 11, 1)):
        found = in_turns({"NCCL": direct(count, times), "ours": ours(count, times)}, rounds, each)
        a, b = found["NCCL"], found["ours"]
        say(q, f"allreduce of {4 * count} B, {times} before a wait: NCCL {a.wall / times * 1e6:.1f}"
            f" us (spread {a.spread:.0%}), ours {b.wall / times * 1e6:.1f} us ({b.spread:.0%}): "
            f"+{(b.wall - a.wall) / times * 1e6:.1f} us, {b.wall / a.wall:.3f} x")
    ccl.barrier(comm).wait()
    q.close()


def _given(own: nccl.Communicator | None, p: Any) -> Callable[[Any], None]:
    """Return a command group that gives NCCL's allreduce to the stream, and asks nobody."""
    def call(handle: Any) -> None:
        stream = handle.get_native_queue()
        if own is not None:
            own.collective("ncclAllReduce", p.address(), p.address(), 1, nccl.TYPES["float32"],
                           nccl.OPERATORS["sum"], stream=stream)

    def group(h: Any) -> None:
        h.ext_codeplay_enqueue_native_command(call)
    return group


class _Stream:
    """A stream of the card's for calls of NCCL itself."""

    def __init__(self, queue: sycl.queue) -> None:
        self._api = ctypes.CDLL("libcuda.so.1")
        card = int(sycl.get_native(sycl.backend.cuda, queue.get_device()))
        out = ctypes.c_void_p()
        assert self._api.cuDevicePrimaryCtxRetain(ctypes.byref(out), card) == 0
        assert self._api.cuCtxSetCurrent(out) == 0
        assert self._api.cuStreamCreate(ctypes.byref(out), 1) == 0
        self.value = out.value

    def wait(self) -> None:
        """Wait for all that was given to it."""
        assert self._api.cuStreamSynchronize(ctypes.c_void_p(self.value)) == 0


def timed(q: Any, run: Callable[[int], Any], steps: int) -> float:
    """Return the seconds of a step: the median of five runs, behind one that warms up."""
    run(2)
    q.close()
    found = []
    for _ in range(5):
        q.close()
        begin = time.perf_counter()
        run(steps)
        q.close()
        found.append((time.perf_counter() - begin) / steps)
    return float(np.median(found))


def heat(small: bool) -> None:
    """Time steps of the heat equation, as many rows for each rank."""
    q, n, steps = x.distr_queue(), 512 if small else 16384, 100
    spent = timed(q, lambda k: examples.heat(q, n * q.size, n, k), steps)
    say(q, f"RESULT heat {q.size} ranks, {n} x {n} each, directly: {q._direct is not None}: "
        f"{spent * 1e6:.1f} us a step")


def heat_by_host(small: bool) -> None:
    """Time the same with messages by the host."""
    cards.LIBRARIES.clear()
    heat(small)


def bodies(small: bool) -> None:
    """Time steps of bodies, as many pairs for each rank."""
    q = x.distr_queue()
    whole = 1024 if small else 132 * 256  # items that fill a card of 132 units alike
    n = round(10 / q.size ** 0.5) * q.size * whole
    spent = timed(q, lambda k: examples.bodies(q, n, k), 4)
    say(q, f"RESULT bodies {q.size} ranks, {n} bodies, directly: {q._direct is not None}: "
        f"{spent * 1e6:.1f} us a step, {n * n / q.size / spent / 1e9:.2f} G pairs/s a rank")


def devices(small: bool) -> None:
    """One rank that has all cards (of one card, that card twice): right results, and times."""
    from tests.ranks import queue_checks, random_programs, test_queue  # noqa: PLC0415

    card = sycl.device()
    every = card.get_platform().get_devices()
    every = every if len(every) > 1 else [card, card]
    q, alone = x.distr_queue(every), x.distr_queue(card)
    say(q, len(set(every)), "devices:", every)
    one = queue_checks.check_programs(alone)
    test_queue.compare(queue_checks.check_all(q), one)
    for seed in range(30):
        random_programs.Program(seed).run(q)
    say(q, "the queue's checks, programs and 30 random programs by devices: well")
    n, steps = 512 if small else 16384, 100
    spent = [timed(one, lambda k, one=one, r=r: examples.heat(one, n * r, n, k), steps)
             for one, r in ((alone, 1), (q, len(every)))]
    say(q, f"RESULT heat, {n} x {n} a device, one: {spent[0] * 1e6:.1f} us a step, all of one rank:"
        f" {spent[1] * 1e6:.1f} us, {spent[0] / spent[1]:.3f} of one's speed each")
    n = 1024 if small else 14 * 132 * 256 // 2
    spent = [timed(one, lambda k, one=one: examples.bodies(one, n, k), 4) for one in (alone, q)]
    say(q, f"RESULT {n} bodies, one: {spent[0] * 1e6:.1f} us a step, all of one rank: "
        f"{spent[1] * 1e6:.1f} us, {spent[0] / spent[1]:.2f} x as fast")


PARTS: dict[str, Callable[[bool], None]] = {
    "devices": devices, "check": check, "allreduce": allreduce, "heat": heat,
    "heat-by-host": heat_by_host, "bodies": bodies}


def main() -> int:
    """Run the parts that were asked for, each in processes of its own; or one as a rank."""
    words = argparse.ArgumentParser()
    words.add_argument("--ranks", type=int, default=2)
    words.add_argument("--parts", default=",".join(PARTS))
    words.add_argument("--seconds", type=float, default=200)
    words.add_argument("--small", action="store_true")
    words.add_argument("--as-rank", default="")
    given = words.parse_args()
    if given.as_rank:
        PARTS[given.as_rank](given.small)
        return 0
    status = 0
    for part in given.parts.split(","):
        for count in TABLE[part]:
            count = given.ranks if count > 1 else 1
            begin = time.monotonic()
            call = [sys.executable, "-m", "unisycl", "mpirun", "-n", str(count), "-m",
                    "tests.device.ranks", "--as-rank", part, *(["--small"] * given.small)]
            try:
                status |= subprocess.run(call, check=False, timeout=given.seconds,
                                         env={"NCCL_NVLS_ENABLE": "0", **os.environ}).returncode
            except subprocess.TimeoutExpired:
                status = 1
                print(f"{part}: not done in {given.seconds:g} s", flush=True)
            print(f"-- {part} on {count}: {time.monotonic() - begin:.0f} s", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
