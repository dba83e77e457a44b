"""``python -m bench.launches``: what launches cost, beside PyOpenCL on Intel's runtime.

All ways run in turns in one process, by the clock and by processor time; bars are judged by the
latter, which neighbours on the machine change least. Non-goals: other peers (``dev.py bench
launch_usm ...``) and what comes before the first launch (``bench.starts``).
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import unisycl as sycl
from bench import launch_forms
from bench.peers.opencl import Session

ITEMS, GROUP, CHAIN = 256, 64, 1000
HEAVY = (32, 64, 128)
SIZES = (1 << 14, 1 << 16, 1 << 18, 1 << 20)
_SOURCE = """
kernel void nothing() {}
kernel void raise(global float *a) { a[get_global_id(0)] += 1.0f; }
kernel void add(global const float *a, global float *b) {
    size_t i = get_global_id(0); b[i] = a[i] + 1.0f; }
kernel void long_sum(global float *a) {
    float x = a[get_global_id(0)];
    for (int k = 0; k < 20000; k++) x = x * 0.999f + 0.5f;
    a[get_global_id(0)] = x; }
"""


class Way(NamedTuple):
    """One way to launch: what one turn does, how many launches that is, its peer, the bar."""

    run: Callable[[], object]
    launches: int = 1
    peer: str = ""
    bar: float = 0.0


def raise_(i: Any, a: Any) -> None:
    """Add one to an element."""
    a[i] += np.float32(1)


def raise_nd(it: Any, a: Any) -> None:
    """Add one to an element, by an nd_item."""
    a[it.get_global_id(0)] += np.float32(1)


def add(i: Any, a: Any, b: Any) -> None:
    """Read one, write the other."""
    b[i] = a[i] + np.float32(1)


def shift(i: Any, a: Any, by: Any) -> None:
    """Add a number of the launch."""
    a[i] += np.float32(by)


def total(i: Any, s: Any, a: Any) -> None:
    """Add an element up."""
    s.combine(a[i])


def long_sum(i: Any, a: Any) -> None:
    """Take some 50 us an item."""
    x = a[i]
    for _ in range(20000):
        x = x * np.float32(0.999) + np.float32(0.5)
    a[i] = x


def settle(i: Any, a: Any, n: Any) -> None:
    """Take as many turns as an argument says."""
    x = a[i]
    for _ in range(n):
        x = x * np.float32(0.5) + np.float32(1)
    a[i] = x


def settle_while(i: Any, a: Any, n: Any) -> None:
    """The same by hand, with an end that memory decides."""
    x, k = a[i], 0
    while k < n and x < 1000:
        x = x * np.float32(0.5) + np.float32(1)
        k += 1
    a[i] = x


def settle_rows(i: Any, a: Any, turns: Any) -> None:
    """Take as many turns as memory says."""
    x = a[i]
    for _ in range(turns[i]):
        x = x * np.float32(0.5) + np.float32(1)
    a[i] = x


def meet(it: Any, a: Any) -> None:
    """Meet the others of a work-group."""
    sycl.group_barrier(it.get_group())
    a[it.get_global_id(0)] += np.float32(1)


def share(it: Any, a: Any, part: Any) -> None:
    """Turn a work-group round through local memory."""
    k, i = it.get_local_id(0), it.get_global_id(0)
    part[k] = a[i]
    sycl.group_barrier(it.get_group())
    a[i] = part[GROUP - 1 - k]


def sum_group(it: Any, a: Any, sums: Any) -> None:
    """Add a work-group up."""
    sums[it.get_group(0)] = sycl.reduce_over_group(it.get_group(), a[it.get_global_id(0)],
                                                   sycl.plus())


def of_unisycl(*, in_order: bool) -> dict[str, Way]:
    """Return our ways."""
    order = [sycl.property.queue.in_order()] if in_order else []
    queue = sycl.queue(sycl.cpu_selector_v, *order)
    usm: Any = sycl.malloc_shared(ITEMS, np.float32, queue)
    space = sycl.nd_range(ITEMS, GROUP)
    bound = queue.bind(ITEMS, raise_, usm)
    step = iter(range(1 << 60))
    ways = {
        "range over USM": Way(lambda: queue.parallel_for(ITEMS, raise_, usm).wait(), 1,
                              "empty", 0.9),
        "range made each time": Way(lambda: queue.parallel_for(
            sycl.range(ITEMS), raise_, usm).wait(), 1, "empty", 0.9),
        "nd_range over USM": Way(lambda: queue.parallel_for(space, raise_nd, usm).wait(), 1,
                                 "empty", 0.9),
        "another number each time": Way(lambda: queue.parallel_for(
            ITEMS, shift, usm, next(step)).wait(), 1, "empty"),
        "another range and number each time": Way(lambda: queue.parallel_for(
            1 + 37 * (k := next(step)) % 1009 % ITEMS, shift, usm, k).wait(), 1, "empty"),
        "bound": Way(lambda: bound().wait(), 1, "empty"),
        **groups(queue, usm), **others(queue, usm), **loops(queue, usm), **rest(queue, usm)}
    ways.update({name: Way(run, 1, "empty") for name, run in launch_forms.waited(
        queue, usm).items()})
    for size in HEAVY:
        heavy: Any = sycl.malloc_shared(size, np.float32, queue)
        ways[f"{size} heavy items"] = Way(lambda n=size, a=heavy: queue.parallel_for(
            n, long_sum, a).wait(), 1, f"{size} heavy")  # type: ignore[misc]
    for size in SIZES:
        a, b = (sycl.malloc_shared(size, np.float32, queue) for _ in range(2))
        launch = queue.bind(size, add, a, b)
        ways[f"bound, {size} items"] = Way(lambda f=launch: f().wait(), 1,  # type: ignore[misc]
                                           f"{size} items")
    return ways


def groups(queue: sycl.queue, usm: Any) -> dict[str, Way]:
    """Return what goes through command groups, and launches behind one another."""
    one, two = (sycl.buffer(np.zeros(ITEMS, np.float32)) for _ in range(2))
    space = sycl.nd_range(ITEMS, GROUP)

    def of_one(h: Any) -> None:
        h.parallel_for(ITEMS, raise_, sycl.accessor(one, h, sycl.read_write))

    def nd_of_one(h: Any) -> None:
        h.parallel_for(space, raise_nd, sycl.accessor(one, h, sycl.read_write))

    def of_two(h: Any) -> None:
        a = sycl.accessor(one, h, sycl.read_only)
        b = sycl.accessor(two, h, sycl.write_only, sycl.no_init)
        h.parallel_for(ITEMS, add, a, b)

    def captured(h: Any) -> None:
        a = sycl.accessor(one, h, sycl.read_only)
        b = sycl.accessor(two, h, sycl.write_only)

        @h.parallel_for(sycl.range(ITEMS))
        def copied(i: Any) -> None:
            b[i] = a[i] + np.float32(1)

    def chain(submit: Callable[[], object]) -> Callable[[], None]:
        def run() -> None:
            for _ in range(CHAIN):
                submit()
            queue.wait()
        return run

    def chain_of_events() -> None:
        last: Any = ()
        for _ in range(CHAIN):
            last = queue.parallel_for(ITEMS, raise_, usm, depends_on=last)
        last.wait()

    return {
        "one accessor": Way(lambda: queue.submit(of_one).wait(), 1, "empty", 2),
        "one accessor, nd_range": Way(lambda: queue.submit(nd_of_one).wait(), 1, "empty", 2),
        "two accessors": Way(lambda: queue.submit(of_two).wait(), 1, "empty", 4),
        "two accessors, captured": Way(lambda: queue.submit(captured).wait(), 1, "empty", 4),
        "1,000 launches": Way(chain(lambda: queue.parallel_for(ITEMS, raise_, usm)), CHAIN,
                              "1,000 in order", 1),
        "1,000 groups": Way(chain(lambda: queue.submit(of_one)), CHAIN, "1,000 in order"),
        "1,000 by events": Way(chain_of_events, CHAIN, "1,000 in order")}


def others(queue: sycl.queue, usm: Any) -> dict[str, Way]:
    """Return further ways in which programs submit little work."""
    sums: Any = sycl.malloc_shared(1, np.float32, queue)
    copied: Any = sycl.malloc_shared(ITEMS, np.float32, queue)
    whole = sycl.buffer(np.zeros(ITEMS, np.float32))
    part = sycl.buffer(whole, sycl.id(ITEMS // 2), sycl.range(GROUP))
    step = iter(range(1 << 60))

    def of_part(h: Any) -> None:
        h.parallel_for(GROUP, raise_, sycl.accessor(part, h, sycl.read_write))

    def of_range(h: Any) -> None:
        h.parallel_for(GROUP, raise_, sycl.accessor(
            whole, h, sycl.range(GROUP), sycl.id(GROUP), sycl.read_write))

    def of_number(h: Any) -> None:
        h.parallel_for(ITEMS, shift, sycl.accessor(whole, h, sycl.read_write), next(step))

    def of_sum(h: Any) -> None:
        h.parallel_for(ITEMS, sycl.reduction(sums, sycl.plus()), total,
                       sycl.accessor(whole, h, sycl.read_only))

    runs: dict[str, Callable[[], Any]] = {
        "a reduction": lambda: queue.parallel_for(
            ITEMS, sycl.reduction(sums, sycl.plus()), total, usm),
        "a reduction, accessor": lambda: queue.submit(of_sum),
        "accessor and a number": lambda: queue.submit(of_number),
        "accessor of a sub-buffer": lambda: queue.submit(of_part),
        "accessor of a range": lambda: queue.submit(of_range),
        "slice of USM": lambda: queue.parallel_for(GROUP, raise_, usm[GROUP:2 * GROUP]),
        "memcpy": lambda: queue.memcpy(copied, usm), "fill": lambda: queue.fill(copied, 1)}
    return {name: Way(lambda r=run: r().wait(), 1, "empty")  # type: ignore[misc]
            for name, run in runs.items()}


def loops(queue: sycl.queue, usm: Any) -> dict[str, Way]:
    """Return kernels with loops, and work-groups whose items meet."""
    space, sums = sycl.nd_range(ITEMS, GROUP), sycl.malloc_shared(ITEMS, np.float32, queue)
    turns: Any = sycl.malloc_shared(ITEMS, np.int32, queue)
    turns[...] = 10

    def of_share(h: Any) -> None:
        h.parallel_for(space, share, usm, sycl.local_accessor(np.float32, GROUP, h))

    def by_hand(h: Any) -> None:
        def of_group(g: Any) -> None:
            def of_item(it: Any) -> None:
                usm[it.get_global_id(0)] += np.float32(1)
            g.parallel_for_work_item(of_item)
        h.parallel_for_work_group(sycl.range(ITEMS // GROUP), sycl.range(GROUP), of_group)

    runs: dict[str, Callable[[], Any]] = {
        "a loop of 10": lambda: queue.parallel_for(ITEMS, settle, usm, 10),
        "a while of 10": lambda: queue.parallel_for(ITEMS, settle_while, usm, 10),
        "a loop, turns in memory": lambda: queue.parallel_for(ITEMS, settle_rows, usm, turns),
        "a barrier": lambda: queue.parallel_for(space, meet, usm),
        "a sum of groups": lambda: queue.parallel_for(space, sum_group, usm, sums),
        "local memory": lambda: queue.submit(of_share),
        "hierarchical": lambda: queue.submit(by_hand)}
    graph = sycl.ext.oneapi.experimental.command_graph(queue.get_context(), queue.get_device())
    graph.begin_recording(queue)
    for _ in range(100):
        queue.parallel_for(space, meet, usm)
    graph.end_recording(queue)
    ready = graph.finalize()
    runs["a graph of 100 barriers"] = lambda: queue.ext_oneapi_graph(ready)
    return {name: Way(lambda r=run: r().wait(), 1, "empty")  # type: ignore[misc]
            for name, run in runs.items()}


def rest(queue: sycl.queue, usm: Any) -> dict[str, Way]:
    """Return what else programs do with queues."""
    array, other = np.zeros(ITEMS, np.float32), sycl.queue(queue.get_device())
    memory, timed = sycl.buffer(np.zeros(ITEMS, np.float32)), sycl.queue(
        queue.get_device(), sycl.property.queue.enable_profiling())

    def captured(i: Any) -> None:
        array[i] += np.float32(1)

    def behind() -> None:
        first = queue.parallel_for(ITEMS, raise_, usm)
        other.parallel_for(ITEMS, raise_, usm, depends_on=first).wait()

    def profiled() -> None:
        timed.parallel_for(ITEMS, raise_, usm).get_profiling_info(
            sycl.info.event_profiling.command_end)

    def of_one(h: Any) -> None:
        h.parallel_for(ITEMS, raise_, sycl.accessor(memory, h, sycl.read_write))

    def read_back() -> None:
        queue.submit(of_one)
        with sycl.host_accessor(memory, sycl.read_only):
            pass

    def written_back() -> None:
        with sycl.buffer(array) as mine:
            queue.submit(lambda h: h.parallel_for(ITEMS, raise_, sycl.accessor(
                mine, h, sycl.read_write)))

    return {name: Way(run, 1, "empty") for name, run in {
        "an array": lambda: queue.parallel_for(ITEMS, raise_, array).wait(),
        "an array, captured": lambda: queue.parallel_for(ITEMS, captured).wait(),
        "a host task": lambda: queue.submit(lambda h: h.host_task(int)).wait(),
        "two queues, an event": behind, "profiled": profiled, "and a host accessor": read_back,
        "a buffer, written back": written_back,
        "malloc and free": lambda: sycl.free(sycl.malloc_shared(ITEMS, np.float32, queue), queue),
    }.items()}


def of_opencl(session: Session) -> dict[str, Way]:
    """Return the peers: an in-order queue on Intel's runtime, arguments set once."""
    cl, queue = session.cl, session.queue
    program = cl.Program(session.context, _SOURCE).build()
    enqueue = cl.enqueue_nd_range_kernel

    def kernel(name: str, *arrays: Any) -> Any:
        found = cl.Kernel(program, name)
        found.set_args(*map(session.buffer, arrays))
        return found

    nothing, up = kernel("nothing"), kernel("raise", np.zeros(ITEMS, np.float32))

    def chain() -> None:
        for _ in range(CHAIN):
            enqueue(queue, up, (ITEMS,), None)
        queue.finish()

    ways = {"empty": Way(lambda: enqueue(queue, nothing, (1,), None).wait()),
            "1,000 in order": Way(chain, CHAIN)}
    for size in HEAVY:
        one = kernel("long_sum", np.zeros(size, np.float32))
        ways[f"{size} heavy"] = Way(lambda k=one, n=size: enqueue(  # type: ignore[misc]
            queue, k, (n,), None).wait())
    for size in SIZES:
        one = kernel("add", *np.zeros((2, size), np.float32))
        ways[f"{size} items"] = Way(lambda k=one, n=size: enqueue(  # type: ignore[misc]
            queue, k, (n,), None).wait())
    return ways


def times(way: Way, seconds: float) -> tuple[float, float]:
    """Return what one launch takes by the clock and of the processors, in us, for one round."""
    count, limit = 0, time.perf_counter() + seconds
    wall, cpu = time.perf_counter(), time.process_time()
    while True:
        way.run()
        count += way.launches
        if time.perf_counter() >= limit:
            break
    return (1e6 * (time.perf_counter() - wall) / count, 1e6 * (time.process_time() - cpu) / count)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.02, help="of one way in one round")
    parser.add_argument("--out-of-order", action="store_true", help="our queue, for all but chains")
    parser.add_argument("names", nargs="*", help="ways to time; their peers come along")
    asked = parser.parse_args()
    session = Session("intel-opencl")
    theirs, ours = of_opencl(session), of_unisycl(in_order=not asked.out_of_order)
    if asked.names:
        ours = {n: w for n, w in ours.items() if any(a in n for a in asked.names)}
        theirs = {n: w for n, w in theirs.items() if n in {w.peer for w in ours.values()}}
    ways = {**theirs, **ours}
    for way in ways.values():
        way.run()
        way.run()
    rounds = [{n: times(w, asked.seconds) for n, w in ways.items()} for _ in range(asked.rounds)]
    print(f"{'us of one launch':26}{'wall':>9}{'least':>9}{'cpu':>9}{'least':>9}"
          "   of the peer: wall (range), least, cpu, least")
    for name, way in ways.items():
        mine = [sorted(r[name][k] for r in rounds) for k in (0, 1)]
        line = f"{name:26}" + "".join(f"{statistics.median(m):9.2f}{m[0]:9.2f}" for m in mine)
        print(line + (against(way, name, rounds) if way.peer else ""))


def against(way: Way, name: str, rounds: list[dict[str, tuple[float, float]]]) -> str:
    """Return what a way takes beside its peer: medians of the rounds, and of the least of each."""
    wall, cpu = (sorted(r[name][k] / r[way.peer][k] for r in rounds) for k in (0, 1))
    least = [min(r[name][k] for r in rounds) / min(r[way.peer][k] for r in rounds) for k in (0, 1)]
    middle = statistics.median(cpu)
    line = (f"   {statistics.median(wall):5.2f} ({wall[0]:.2f} to {wall[-1]:.2f}), "
            f"{least[0]:.2f}, {middle:.2f}, {least[1]:.2f}")
    if way.bar:
        line += f"   bar {way.bar:g}: {'reached' if middle <= way.bar else 'MISSED'}"
    return line


if __name__ == "__main__":
    main()
