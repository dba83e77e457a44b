"""Histogram of bytes: atomics in local memory, then once a group in global memory."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from bench import ours
from bench.harness import OURS, Benchmark, Case, Implementation, Work, sized
from bench.peers.opencl import Session, opencl
from bench.peers.start import dpnp, numba, taichi

N, BINS = sized(1 << 25, 1 << 16), 256
GROUPS = 64  # of BINS work-items
PART = N // GROUPS  # bytes of a group


def operands() -> Work:
    """Return the bytes, evenly spread, and the bins."""
    return Work((np.random.default_rng(1).integers(0, 256, N, np.uint8),
                 np.zeros(BINS, np.uint32)), 1)


def with_unisycl() -> Case:
    """Each group has its part of the bytes; neighbouring work-items read neighbouring ones."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def histogram(it: Any, values: Any, bins: Any, own: Any) -> None:
        mine = it.get_local_id(0)
        own[mine] = 0
        sycl.group_barrier(it.get_group())
        first = it.get_group(0) * PART
        for i in range(first + mine, first + PART, BINS):
            sycl.atomic_ref(own, int(values[i]), sycl.memory_order.relaxed,
                            sycl.memory_scope.work_group).fetch_add(1)
        sycl.group_barrier(it.get_group())
        sycl.atomic_ref(bins, mine, sycl.memory_order.relaxed,
                        sycl.memory_scope.device).fetch_add(own[mine])

    work, queue = operands(), ours.queue(sycl.property.queue.in_order())
    own = sycl.local_accessor(np.uint32, BINS)
    (values, bins), fetch = ours.place(queue, work.args)

    def start(q: Any) -> list[Any]:
        return [q.fill(bins, 0), q.parallel_for(
            sycl.nd_range(GROUPS * BINS, BINS), histogram, values, bins, own)]

    def run() -> None:
        if isinstance(bins, np.ndarray):
            bins[:] = 0
            queue.parallel_for(sycl.nd_range(GROUPS * BINS, BINS), histogram, values, bins,
                               own).wait()
        else:
            start(queue)[-1].wait()

    return Case(run, ours.fetched(work, fetch), timed=ours.timer(queue, start))


def on_opencl(session: Session) -> Case:
    """The same in OpenCL C."""
    work = operands()
    values, bins = session.bind(work.args)
    kernel = session.kernel("histogram", GROUP=BINS)
    kernel.set_args(values, bins, np.int32(N))

    def run() -> None:
        session.zero(bins, 4 * BINS)
        session.enqueue(kernel, (GROUPS * BINS,), (BINS,)).wait()

    def result() -> Any:
        session.read([work.args[1]], [bins])
        return work.result()

    return Case(run, result, keep=session, timed=session.timer(run))


def with_numpy() -> Case:
    """``np.bincount`` of a part on each thread."""
    work, workers = operands(), len(os.sched_getaffinity(0))
    values, bins = work.args
    pool, parts = ThreadPoolExecutor(workers), np.array_split(values, workers)

    def run() -> None:
        bins[:] = sum(pool.map(lambda part: np.bincount(part, minlength=BINS), parts))

    return Case(run, work.result)


def check(result: Any) -> None:
    """Compare with NumPy, bit for bit."""
    assert np.array_equal(result, np.bincount(operands().args[0], minlength=BINS))


BENCHMARKS = {"histogram": Benchmark(
    title=f"{N} bytes into {BINS} bins, {GROUPS} groups",
    implementations={
        OURS: Implementation(with_unisycl), "numpy": Implementation(with_numpy),
        **numba("histogram", operands), **taichi("histogram", operands),
        **dpnp(lambda dp, args: lambda: dp.bincount(args[0], minlength=BINS), operands),
        **opencl(on_opencl)},
    check=check, work=N / 1e9, unit="GB/s", bound="stream")}

if __name__ == "__main__":
    ours.show(BENCHMARKS)
