"""Inclusive scan by work-groups: scan each group, scan the groups' sums, add them back."""

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
    """Return how many elements are scanned at each level; the last is one group."""
    sizes = [N]
    while sizes[-1] > GROUP:
        sizes.append(-(-sizes[-1] // GROUP))
    return sizes


def with_unisycl() -> Case:
    """Three kernels over arrays, the order kept by an in-order queue."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def scan_groups(it: Any, values: Any, out: Any, sums: Any, n: Any) -> None:
        i = it.get_global_id(0)
        mine = values[i] if i < n else np.int32(0)
        total = sycl.inclusive_scan_over_group(it.get_group(), mine, sycl.plus)
        if i < n:
            out[i] = total
        if it.get_local_id(0) == GROUP - 1:
            sums[it.get_group(0)] = total

    @sycl.kernel
    def add_before(i: Any, out: Any, sums: Any) -> None:
        group = i // GROUP
        if group > 0:
            out[i] += sums[group - 1]

    work, queue = operands(), ours.queue(sycl.property.queue.in_order())
    values, out = work.args
    sizes = levels()
    sums = [np.zeros(-(-n // GROUP), np.int32) for n in sizes]
    targets = [out, *sums]

    def run() -> None:
        source = values
        for k, n in enumerate(sizes):
            space = sycl.nd_range(-(-n // GROUP) * GROUP, GROUP)
            queue.parallel_for(space, scan_groups, source, targets[k], sums[k], n)
            source = sums[k]
        for k in reversed(range(len(sizes) - 1)):
            queue.parallel_for(sizes[k], add_before, targets[k], sums[k])
        queue.wait()

    return Case(run, work.result)


def on_opencl(session: Session) -> Case:
    """The same kernels in OpenCL C."""
    work, sizes = operands(), levels()
    sums = [np.zeros(-(-n // GROUP), np.int32) for n in sizes]
    source, *targets = session.bind((*work.args, *sums))
    scans, adds = [], []
    for k, n in enumerate(sizes):
        scan = session.kernel("scan_groups", GROUP=GROUP)
        scan.set_args(source, targets[k], targets[k + 1], np.int32(n))
        scans.append((scan, -(-n // GROUP) * GROUP))
        source = targets[k + 1]
    for k in reversed(range(len(sizes) - 1)):
        add = session.kernel("add_before", GROUP=GROUP)
        add.set_args(targets[k], targets[k + 1])
        adds.append((add, sizes[k]))

    def run() -> None:
        for kernel, count in scans:
            session.enqueue(kernel, (count,), (GROUP,))
        for kernel, count in adds:
            session.enqueue(kernel, (count,), None)
        session.queue.finish()

    def result() -> Any:
        session.read([work.args[1]], [targets[0]])
        return work.result()

    return Case(run, result, keep=session)


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
