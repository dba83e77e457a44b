"""Sums: a tree in each work-group with barriers, ``reduce_over_group``, ``sycl.reduction``."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench import ours
from bench.harness import OURS, Benchmark, Case, Implementation, Work, sized
from bench.peers.opencl import Session, one_kernel, opencl
from bench.peers.start import dpnp, numba, taichi, warp_library

N, GROUP, GROUPS = sized(1 << 25, 1 << 16), 256, 256


def operands() -> Work:
    """Return what to add up, and one partial sum for each group."""
    return Work(((np.arange(N) % 1000).astype(np.float32) * np.float32(0.001),
                 np.zeros(N // GROUP, np.float32)), 1)


def one_sum() -> Work:
    """Return what to add up, and the sum."""
    return Work((operands().args[0], np.zeros(1, np.float32)), 1)


def tree_with_unisycl() -> Case:
    """Each group halves its tile until one element is left."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def tree_reduction(it: Any, values: Any, sums: Any, tile: Any) -> None:
        mine = it.get_local_id(0)
        tile[mine] = values[it.get_global_id(0)]
        step = GROUP // 2
        while step > 0:
            sycl.group_barrier(it.get_group())
            if mine < step:
                tile[mine] += tile[mine + step]
            step //= 2
        if mine == 0:
            sums[it.get_group(0)] = tile[0]

    tile = sycl.local_accessor(np.float32, GROUP)
    return ours.launch(sycl.nd_range(N, GROUP), tree_reduction, operands(), tile)


def group_with_unisycl() -> Case:
    """Each group adds up by the group function."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def group_reduction(it: Any, values: Any, sums: Any) -> None:
        group = it.get_group()
        total = sycl.reduce_over_group(group, values[it.get_global_id(0)], sycl.plus)
        if group.leader():
            sums[it.get_group(0)] = total

    return ours.launch(sycl.nd_range(N, GROUP), group_reduction, operands())


def with_unisycl() -> Case:
    """The library's own reduction."""
    import unisycl as sycl  # noqa: PLC0415 - belongs to our implementation's process

    @sycl.kernel
    def sum_all(i: Any, total: Any, values: Any) -> None:
        total += values[i]

    work, queue = one_sum(), ours.queue()
    (values, out), fetch = ours.place(queue, work.args)
    fresh = sycl.property.reduction.initialize_to_identity()

    def start(q: Any) -> list[Any]:
        total = sycl.reduction(out, sycl.plus, fresh)
        return [q.parallel_for(sycl.range(N), total, sum_all, values)]

    def run() -> None:
        start(queue)[0].wait()

    return Case(run, ours.fetched(work, fetch), timed=ours.timer(queue, start))


def on_opencl(session: Session) -> Case:
    """Partial sums by groups, each work-item over many elements; the rest by NumPy."""
    work, sums = one_sum(), np.zeros(GROUPS, np.float32)
    values, out = session.bind((work.args[0], sums))
    kernel = session.kernel("sum_all", GROUP=GROUP)
    kernel.set_args(values, out, np.int32(N))

    def run() -> None:
        session.enqueue(kernel, (GROUPS * GROUP,), (GROUP,))
        session.read([sums], [out])
        work.args[1][0] = sums.sum()

    return Case(run, work.result, keep=session, timed=session.timer(run))


def with_numpy() -> Case:
    """NumPy's pairwise sum, on one thread as it is."""
    return one_sum().call(lambda values, out: np.sum(values, out=out, keepdims=True))


def check(result: Any) -> None:
    """Compare the total with NumPy's in double precision."""
    expected = operands().args[0].sum(dtype=np.float64)
    np.testing.assert_allclose(np.sum(result, dtype=np.float64), expected, rtol=1e-4)


def check_tree(result: Any) -> None:
    """Compare every group's sum with NumPy."""
    expected = operands().args[0].reshape(-1, GROUP).sum(1)
    np.testing.assert_allclose(result, expected, rtol=1e-5)


MOVED = 4 * N / 1e9
BENCHMARKS = {
    "tree_reduction": Benchmark(
        title=f"{N} float32, groups of {GROUP}, local memory and {GROUP.bit_length() - 1} barriers",
        implementations={OURS: Implementation(tree_with_unisycl),
                         **one_kernel("tree_reduction", operands, (N,), (GROUP,), GROUP=GROUP)},
        check=check_tree, work=MOVED, unit="GB/s", bound="stream"),
    "group_reduction": Benchmark(
        title=f"{N} float32, groups of {GROUP}, reduce_over_group",
        implementations={OURS: Implementation(group_with_unisycl)},
        check=check_tree, work=MOVED, unit="GB/s", bound="stream"),
    "sum_reduction": Benchmark(
        title=f"{N} float32 by sycl.reduction",
        implementations={OURS: Implementation(with_unisycl), "numpy": Implementation(with_numpy),
                         **numba("sum_all", one_sum), **taichi("sum_all", one_sum),
                         **warp_library(lambda wp, a, out: wp.utils.array_sum(a, out=out), one_sum),
                         **dpnp(lambda dp, args: lambda: dp.sum(args[0]), one_sum),
                         **opencl(on_opencl)},
        check=check, work=MOVED, unit="GB/s", bound="stream"),
}

if __name__ == "__main__":
    ours.show(BENCHMARKS)
