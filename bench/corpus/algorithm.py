"""RAJAPerf's Algorithm group: sums, scans, histograms and sorts out of groups and launches."""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from bench.corpus.frame import (
    Entry,
    Local,
    Namespace,
    Nd,
    Operands,
    Step,
    parallel,
    prange,
    show,
)

GROUP, PARTS = 256, 8

# reduce_sum: the library's reduction, and partial sums by groups


@sycl.kernel
def reduce_sum(i: Any, total: Any, x: Any) -> None:
    total += x[i]


@sycl.kernel
def partial_sums(it: Any, parts: Any, x: Any, n: Any) -> None:
    total = 0.0
    for i in range(it.get_global_id(0), n, it.get_global_range(0)):
        total += x[i]
    total = sycl.reduce_over_group(it.get_group(), total, sycl.plus)
    if it.get_group().leader():
        parts[it.get_group(0)] = total


@sycl.kernel
def finish(parts: Any, out: Any) -> None:
    total = 0.0
    for k in range(parts.shape[0]):
        total += parts[k]
    out[0] = total


@parallel
def nb_reduce_sum(x: Any, out: Any) -> None:
    total = 0.0
    for i in prange(len(x)):
        total += x[i]
    out[0] = total


def make_sum(n: int) -> Operands:
    return Namespace(n=n, x=np.random.default_rng(1).random(n), out=np.zeros(1),
                     parts=np.zeros(64), space=Nd((64 * GROUP,), (GROUP,)))


def by_groups(d: Operands) -> list[Any]:
    return [Step(partial_sums, d.space, d.parts, d.x, d.n),
            lambda q: q.single_task(finish, d.parts, d.out)]


REDUCE_SUM = Entry(
    "reduce_sum", make_sum, 1 << 22, 5000,
    {"": lambda d: [Step(reduce_sum, d.n, d.x, reductions=[(d.out, "plus")])],
     "by groups": by_groups},
    lambda d: {"out": [d.x.sum()]}, 1e-11, "float64 sums in another order",
    numba=lambda d: nb_reduce_sum(d.x, d.out),
    opencl=lambda d: [Step("partial_sums", d.space, d.parts, d.x, d.n),
                      Step("finish", 1, d.parts, d.out)])


# scan: exclusive sums in three launches


@sycl.kernel
def scan_sums(it: Any, x: Any, sums: Any) -> None:
    total = sycl.reduce_over_group(it.get_group(), x[it.get_global_id(0)], sycl.plus)
    if it.get_group().leader():
        sums[it.get_group(0)] = total


@sycl.kernel
def scan_group(it: Any, sums: Any) -> None:
    n = sums.shape[0]
    sycl.joint_exclusive_scan(it.get_group(), sums[0:n], sums[0:n], sycl.plus)


@sycl.kernel
def scan_all(it: Any, x: Any, sums: Any, y: Any) -> None:
    i = it.get_global_id(0)
    y[i] = sums[it.get_group(0)] + sycl.exclusive_scan_over_group(it.get_group(), x[i], sycl.plus)


@parallel
def nb_scan(x: Any, y: Any) -> None:
    n = len(x)
    sums = np.zeros(PARTS + 1, x.dtype)
    for p in prange(PARTS):
        total = 0.0
        for i in range(p * n // PARTS, (p + 1) * n // PARTS):
            total += x[i]
        sums[p + 1] = total
    for p in range(PARTS):
        sums[p + 1] += sums[p]
    for p in prange(PARTS):
        total = sums[p]
        for i in range(p * n // PARTS, (p + 1) * n // PARTS):
            y[i] = total
            total += x[i]


def make_scan(n: int) -> Operands:
    return Namespace(n=n, x=np.random.default_rng(1).random(n), y=np.full(n, -1.0),
                     sums=np.zeros(n // GROUP), space=Nd((n,), (GROUP,)))


SCAN = Entry(
    "scan", make_scan, 1 << 20, 1024,
    {"": lambda d: [Step(scan_sums, d.space, d.x, d.sums),
                    Step(scan_group, Nd((GROUP,), (GROUP,)), d.sums),
                    Step(scan_all, d.space, d.x, d.sums, d.y)]},
    lambda d: {"y": np.concatenate([[0], np.cumsum(d.x)[:-1]])}, 1e-10,
    "float64 sums in another order", numba=lambda d: nb_scan(d.x, d.y),
    opencl=lambda d: [Step("scan_sums", d.space, d.x, d.sums),
                      Step("scan_group", 1, d.sums, d.n // GROUP),
                      Step("scan_all", d.space, d.x, d.sums, d.y)])


# histogram: into global memory, and by counts of each group first

BINS = 100


@sycl.kernel
def clear(i: Any, counts: Any) -> None:
    counts[i] = 0


@sycl.kernel
def histogram(i: Any, counts: Any, bins: Any) -> None:
    sycl.atomic_ref(counts, bins[i], sycl.memory_order.relaxed,
                    sycl.memory_scope.device).fetch_add(1)


@sycl.kernel
def histogram_local(it: Any, counts: Any, bins: Any, own: Any, n: Any) -> None:
    group = it.get_group()
    for b in range(it.get_local_id(0), BINS, GROUP):
        own[b] = 0
    sycl.group_barrier(group)
    for i in range(it.get_global_id(0), n, it.get_global_range(0)):
        sycl.atomic_ref(own, bins[i], sycl.memory_order.relaxed,
                        sycl.memory_scope.work_group).fetch_add(1)
    sycl.group_barrier(group)
    for b in range(it.get_local_id(0), BINS, GROUP):
        sycl.atomic_ref(counts, b, sycl.memory_order.relaxed,
                        sycl.memory_scope.device).fetch_add(own[b])


@parallel
def nb_histogram(counts: Any, bins: Any) -> None:
    n = len(bins)
    own = np.zeros((PARTS, BINS), np.int64)
    for p in prange(PARTS):
        for i in range(p * n // PARTS, (p + 1) * n // PARTS):
            own[p, bins[i]] += 1
    for b in range(BINS):
        counts[b] = own[:, b].sum()


def make_histogram(n: int) -> Operands:
    return Namespace(n=n, bins=np.random.default_rng(1).integers(0, BINS, n, np.int32),
                     counts=np.zeros(BINS, np.int64), own=Local(np.int64, BINS),
                     space=Nd((16 * GROUP,), (GROUP,)))


HISTOGRAM = Entry(
    "histogram", make_histogram, 1 << 20, 5000,
    {"": lambda d: [Step(clear, BINS, d.counts), Step(histogram, d.n, d.counts, d.bins)],
     "local": lambda d: [Step(clear, BINS, d.counts),
                         Step(histogram_local, d.space, d.counts, d.bins, d.own, d.n)]},
    lambda d: {"counts": np.bincount(d.bins, minlength=BINS)},
    numba=lambda d: nb_histogram(d.counts, d.bins),
    opencl=lambda d: [Step("clear", BINS, d.counts),
                      Step("histogram_local", d.space, d.counts, d.bins, d.own, d.n)])


# sort, and pairs: bitonic, a launch for each exchange


@sycl.kernel
def copy_keys(i: Any, keys: Any, given: Any) -> None:
    keys[i] = given[i]


@sycl.kernel
def bitonic(i: Any, keys: Any, j: Any, k: Any) -> None:
    other = i ^ j
    if other > i:
        one, two = keys[i], keys[other]
        if (one > two) == ((i & k) == 0):
            keys[i] = two
            keys[other] = one


@sycl.kernel
def bitonic_halves(t: Any, keys: Any, j: Any, k: Any) -> None:
    i = (t // j) * (2 * j) + t % j
    one, two = keys[i], keys[i + j]
    up = (i & k) == 0
    low, high = min(one, two), max(one, two)
    keys[i] = low if up else high
    keys[i + j] = high if up else low


@parallel
def nb_sort(keys: Any, given: Any) -> None:
    n = len(keys)
    half = n // 2
    parts = np.empty_like(given)
    for p in prange(2):
        parts[p * half:(p + 1) * half] = np.sort(given[p * half:(p + 1) * half])
    a, b = 0, half
    for i in range(n):
        if b >= n or (a < half and parts[a] <= parts[b]):
            keys[i] = parts[a]
            a += 1
        else:
            keys[i] = parts[b]
            b += 1


def make_sort(n: int) -> Operands:
    given = np.random.default_rng(1).random(n)
    return Namespace(n=n, given=given, keys=np.zeros(n))


def exchanges(d: Operands, kernel: Any, count: int, first: Any) -> list[Step]:
    steps, k = [Step(first, d.n, d.keys, d.given)], 2
    while k <= d.n:
        j = k // 2
        while j > 0:
            steps.append(Step(kernel, count, d.keys, j, k))
            j //= 2
        k *= 2
    return steps


SORT = Entry(
    "sort", make_sort, 1 << 16, 256,
    {"": lambda d: exchanges(d, bitonic, d.n, copy_keys),
     "halves": lambda d: exchanges(d, bitonic_halves, d.n // 2, copy_keys)},
    lambda d: {"keys": np.sort(d.given)}, numba=lambda d: nb_sort(d.keys, d.given),
    opencl=lambda d: exchanges(d, "bitonic_halves", d.n // 2, "copy_keys"))

ENTRIES = [REDUCE_SUM, SCAN, HISTOGRAM, SORT]

if __name__ == "__main__":
    show(ENTRIES)
