"""Inclusive scan by work-groups: sum each group, scan the sums, scan each group on top of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench import ours
from bench.harness import OURS, Benchmark, Case, Implementation, Work, sized
from bench.peers.opencl import Session, opencl
from bench.peers.start import dpnp, numba, warp_library

GROUP = 256
N = sized(1 << 24, 1 << 16)


def operands() -> Work:
    """Return the values and where their running sums go."""
    return Work((np.random.default_rng(1).integers(0, 100, N, np.int32), np.zeros(N, np.int32)), 1)


def levels() -> list[int]:
    """Return how many elements there are at each level: values, sums of groups; then one group."""
    sizes = [N]
    while sizes[-1] > GROUP:
        sizes.append(-(-sizes[-1] // GROUP))
    return sizes


def with_unisycl() -> Case:
    """Two kernels over arrays, the order kept by an in-order queue."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def sum_groups(it: Any, values: Any, sums: Any, n: Any) -> None:
        i, group = it.get_global_id(0), it.get_group()
        total = sycl.reduce_over_group(group, values[i] if i < n else np.int32(0), sycl.plus)
        if group.leader():
            sums[it.get_group(0)] = total

    @sycl.kernel
    def scan_groups(it: Any, values: Any, before: Any, out: Any, n: Any) -> None:
        i, group = it.get_global_id(0), it.get_group(0)
        running = sycl.inclusive_scan_over_group(
            it.get_group(), values[i] if i < n else np.int32(0), sycl.plus)
        if group > 0:
            running += before[group - 1]
        if i < n:
            out[i] = running

    work, queue = operands(), ours.queue(sycl.property.queue.in_order())
    sizes = levels()
    placed, fetch = ours.place(queue, [*work.args, *(np.zeros(n, np.int32) for _ in range(2)
                                                     for n in sizes[1:])])
    sums = [placed[0], *placed[2:len(sizes) + 1]]
    scanned = [placed[1], *placed[len(sizes) + 1:]]
    spaces = [sycl.nd_range(-(-n // GROUP) * GROUP, GROUP) for n in sizes]

    def start(q: Any) -> list[Any]:
        out = [q.parallel_for(spaces[k], sum_groups, sums[k], sums[k + 1], sizes[k])
               for k in range(len(sizes) - 1)]
        for k in reversed(range(len(sizes))):
            before = scanned[min(k + 1, len(sizes) - 1)]  # the last level is one group: not read
            out.append(q.parallel_for(spaces[k], scan_groups, sums[k], before, scanned[k],
                                      sizes[k]))
        return out

    def run() -> None:
        start(queue)
        queue.wait()

    return Case(run, ours.fetched(work, fetch), timed=ours.timer(queue, start))


def on_opencl(session: Session) -> Case:
    """The same kernels in OpenCL C."""
    work, sizes = operands(), levels()
    source, target, *rest = session.bind(
        (*work.args, *(np.zeros(n, np.int32) for _ in range(2) for n in sizes[1:])))
    sums, scanned = [source, *rest[:len(sizes) - 1]], [target, *rest[len(sizes) - 1:]]
    steps = []
    for k in range(len(sizes) - 1):
        kernel = session.kernel("sum_groups", GROUP=GROUP)
        kernel.set_args(sums[k], sums[k + 1], np.int32(sizes[k]))
        steps.append((kernel, -(-sizes[k] // GROUP) * GROUP))
    for k in reversed(range(len(sizes))):
        kernel = session.kernel("scan_groups", GROUP=GROUP)
        kernel.set_args(sums[k], scanned[min(k + 1, len(sizes) - 1)], scanned[k],
                        np.int32(sizes[k]))
        steps.append((kernel, -(-sizes[k] // GROUP) * GROUP))

    def run() -> None:
        for kernel, count in steps:
            session.enqueue(kernel, (count,), (GROUP,))
        session.queue.finish()

    def result() -> Any:
        session.read([work.args[1]], [target])
        return work.result()

    return Case(run, result, keep=session, timed=session.timer(run))


def with_numpy() -> Case:
    """NumPy's cumulative sum, on one thread as it is."""
    return operands().call(lambda values, out: np.cumsum(values, dtype=np.int32, out=out))


def check(result: Any) -> None:
    """Compare with NumPy, bit for bit."""
    assert np.array_equal(result, np.cumsum(operands().args[0], dtype=np.int32))


BENCHMARKS = {"scan": Benchmark(
    title=f"inclusive sums of {N} int32, groups of {GROUP}",
    implementations={
        OURS: Implementation(with_unisycl), "numpy": Implementation(with_numpy),
        **numba("scan", operands),
        **warp_library(lambda wp, a, out: wp.utils.array_scan(a, out, inclusive=True), operands),
        **dpnp(lambda dp, args: lambda: dp.cumsum(args[0], dtype=np.int32), operands),
        **opencl(on_opencl)},
    check=check, work=2 * 4 * N / 1e9, unit="GB/s", bound="stream")}

if __name__ == "__main__":
    ours.show(BENCHMARKS)
