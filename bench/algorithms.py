"""Parallel algorithms and random numbers against NumPy, in turn, on one queue.

    python -m bench.algorithms [NAMES] [--log2 25] [--rounds 5] [--device cpu]
    python -m bench.algorithms --calls      what a call with 1000 elements that comes again costs

Each is checked against NumPy's result first. Printed are the least times of the rounds, and the
median over rounds of NumPy's time over ours; "processor" is the time that all threads together
took, which a busy machine changes less. Non-goals: other peers (``python dev.py bench``).
"""

from __future__ import annotations

import argparse
import functools
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi import dpl
from unisycl.oneapi.mkl import rng

Run = Callable[[], Any]


@dataclass(frozen=True)
class Pair:
    """One algorithm: ours, NumPy's, what has to be put back before each, and what must be equal.

    ``moved`` are the bytes that have to be moved, where memory is the limit.
    """

    name: str
    ours: Run
    numpys: Run
    before: Run = lambda: None
    check: Run | None = None
    bar: float = 1.0
    moved: float = 0.0


def sorts(q: sycl.queue, n: int) -> list[Pair]:
    """Return sorts of keys of three types, and of keys with values by a comparison."""
    found = []
    for kind in (np.uint32, np.int64, np.float32):
        source = np.random.default_rng(1).integers(0, 1 << 32, n).astype(kind)
        if kind is np.float32:
            source = np.random.default_rng(1).standard_normal(n, np.float32)
        data, theirs = source.copy(), source.copy()

        def again(data: Any = data, theirs: Any = theirs, source: Any = source) -> None:
            data[:], theirs[:] = source, source

        def sort(data: Any = data) -> None:
            dpl.sort(q, data)

        def theirs_sort(theirs: Any = theirs) -> None:
            theirs.sort()

        found.append(Pair(f"sort {np.dtype(kind)}", sort, theirs_sort, again,
                          functools.partial(np.array_equal, data, theirs), 1.5))
    keys = np.random.default_rng(2).integers(0, 1 << 31, n).astype(np.int32)
    mine, values = keys.copy(), np.arange(n, dtype=np.int32)
    taken: dict[str, Any] = {}

    def by_key() -> None:
        dpl.sort_by_key(q, mine, values)

    def by_function() -> None:
        dpl.sort_by_key(q, mine, values, lambda a, b: (a ^ 1) < (b ^ 1))

    def take() -> None:
        order = np.argsort(keys, kind="stable")
        taken["keys"], taken["values"] = keys[order], order.astype(np.int32)

    def take_by_function() -> None:
        order = np.argsort(keys ^ 1, kind="stable")
        taken["keys"], taken["values"] = keys[order], order.astype(np.int32)

    def put_back() -> None:
        mine[:], values[:] = keys, np.arange(n, dtype=np.int32)

    found.append(Pair("sort_by_key", by_key, take, put_back,
                      lambda: np.array_equal(taken["values"], values), 4))
    found.append(Pair("sort_by_key, comparator", by_function, take_by_function, put_back,
                      lambda: np.array_equal(taken["values"], values), 4))
    return found


def firsts(q: sycl.queue, n: int) -> list[Pair]:
    """Return what needs a part of an order only."""
    source = np.random.default_rng(3).standard_normal(n, np.float32)
    data, theirs = source.copy(), source.copy()
    out, best = np.zeros(1000, np.float32), np.zeros(1000, np.float32)

    def again() -> None:
        data[:], theirs[:] = source, source

    return [
        Pair("nth_element, the median", lambda: dpl.nth_element(q, data, n // 2),
             lambda: theirs.partition(n // 2), again, lambda: data[n // 2] == theirs[n // 2]),
        Pair("top_k, 1000 greatest", lambda: dpl.top_k(q, source, 1000, out),
             lambda: np.copyto(best, np.sort(np.partition(source, n - 1000)[n - 1000:])[::-1]),
             check=lambda: np.array_equal(out, best)),
    ]


def calls(device: str) -> None:
    """Print what calls cost: the submitting thread's time, and that of all threads."""
    q, n = sycl.queue(device), 1000
    x = np.random.default_rng(1).standard_normal(n, np.float32)
    y, out = x.copy(), np.zeros_like(x)

    def positive(v: Any) -> Any:
        return v > 0

    ways: dict[str, tuple[Run, Run]] = {
        "transform": (lambda: dpl.transform(q, x, out, positive), lambda: x > 0),
        "fill": (lambda: dpl.fill(q, out, 1), lambda: out.fill(1)),
        "reduce": (lambda: dpl.reduce(q, x), x.sum),
        "inclusive_scan": (lambda: dpl.inclusive_scan(q, x, out), lambda: np.cumsum(x, out=out)),
        "copy_if": (lambda: dpl.copy_if(q, x, out, positive), lambda: x[x > 0]),
        "sort": (lambda: dpl.sort(q, y), y.sort)}
    print(f"{n} float32 on {device}, one call that comes again; microseconds, the least of 2000")
    print(f"{'':20}{'its thread':>12}{'processor':>12}{'wall':>12}{'NumPy, wall':>12}")
    for name, (run, numpys) in ways.items():
        least = [*least_of(run), least_of(numpys)[-1]]
        print(f"{name:20}" + "".join(f"{1e6 * t:12.1f}" for t in least))


def least_of(run: Run) -> list[float]:
    """Return the least seconds of a call: of this thread, of all, by the clock."""
    clocks = time.thread_time, time.process_time, time.perf_counter
    least = [1.0, 1.0, 1.0]
    for _ in range(2000):
        before = [clock() for clock in clocks]
        run()
        least = [min(a, clock() - b) for a, b, clock in zip(least, before, clocks, strict=True)]
    return least


def sums(q: sycl.queue, n: int) -> list[Pair]:
    """Return scans and reductions."""
    x = np.random.default_rng(1).standard_normal(n, np.float32)
    k = np.random.default_rng(1).integers(0, 100, n, np.int32)
    out, theirs = np.zeros(n, np.int32), np.zeros(n, np.int32)
    return [
        Pair("copy int32, the stream limit", lambda: dpl.copy(q, k, out),
             lambda: np.copyto(theirs, k), check=lambda: np.array_equal(out, theirs),
             moved=8 * n),
        Pair("inclusive_scan int32", lambda: dpl.inclusive_scan(q, k, out),
             lambda: np.cumsum(k, out=theirs), check=lambda: np.array_equal(out, theirs),
             moved=8 * n),
        Pair("reduce float32", lambda: dpl.reduce(q, x), x.sum,
             check=lambda: abs(dpl.reduce(q, x) - x.sum(dtype=np.float64)) < 1e-5 * n,
             moved=4 * n),
        Pair("transform_reduce float32",
             lambda: dpl.transform_reduce(q, x, 0, sycl.plus, lambda v: v * v),
             lambda: np.dot(x, x),
             check=lambda: np.isclose(dpl.transform_reduce(q, x, 0, sycl.plus, lambda v: v * v),
                                      np.square(x, dtype=np.float64).sum(), rtol=1e-6),
             moved=4 * n),
        Pair("max_element float32", lambda: dpl.max_element(q, x), x.argmax,
             check=lambda: dpl.max_element(q, x) == x.argmax()),
    ]


def selections(q: sycl.queue, n: int) -> list[Pair]:
    """Return what keeps, counts and combines by key."""
    x = np.random.default_rng(1).standard_normal(n, np.float32)
    out = np.zeros(n, np.float32)
    kept: dict[str, Any] = {}
    runs = np.repeat(np.arange(n // 4 + 1, dtype=np.int32), 4)[:n]
    values, found = np.ones(n, np.float32), np.zeros(n, np.float32)
    first = np.zeros(n, np.int32)
    theirs: dict[str, Any] = {}
    big = np.random.default_rng(1).integers(0, 1 << 32, n).astype(np.uint32)
    small = (big >> 24).astype(np.uint8)
    bins, byte_bins = np.zeros(256, np.uint32), np.zeros(256, np.uint32)

    def copy_if() -> None:
        kept["ours"] = dpl.copy_if(q, x, out, lambda v: v > 0)

    def boolean() -> None:
        kept["numpys"] = x[x > 0]

    def unique() -> None:
        kept["runs"] = dpl.unique_copy(q, runs, first)

    def numpys_unique() -> None:
        theirs["unique"] = runs[np.flatnonzero(np.diff(runs, prepend=-1))]

    def by_segment() -> None:
        kept["sums"] = dpl.reduce_by_segment(q, runs, values, first, found)

    def reduceat() -> None:
        at = np.flatnonzero(np.diff(runs, prepend=-1))
        theirs["sums"] = np.add.reduceat(values, at)

    return [
        Pair("copy_if, half kept", copy_if, boolean,
             check=lambda: np.array_equal(out[:kept["ours"]], kept["numpys"]), bar=3),
        Pair("unique_copy, runs of 4", unique, numpys_unique,
             check=lambda: np.array_equal(first[:kept["runs"]], theirs["unique"]), bar=3),
        Pair("histogram, 256 bins of uint32",
             lambda: dpl.histogram(q, big, 256, 0, 1 << 32, bins),
             lambda: theirs.update(bins=np.bincount(big >> 24, minlength=256)),
             check=lambda: np.array_equal(bins, theirs["bins"]), bar=3),
        Pair("histogram of bytes", lambda: dpl.histogram(q, small, 256, 0, 256, byte_bins),
             lambda: theirs.update(bytes=np.bincount(small, minlength=256)),
             check=lambda: np.array_equal(byte_bins, theirs["bytes"]), bar=3),
        Pair("reduce_by_segment, runs of 4", by_segment, reduceat,
             check=lambda: np.array_equal(found[:kept["sums"]], theirs["sums"]), bar=3),
    ]


def numbers(q: sycl.queue, n: int) -> list[Pair]:
    """Return random numbers, beside NumPy's Philox, which is another engine of the same kind."""
    engine, theirs = rng.philox4x32x10(q), np.random.Generator(np.random.Philox(1))
    out, other = np.zeros(n, np.float32), np.zeros(n, np.float32)
    mean = 4 / np.sqrt(n)
    return [
        Pair("philox uniform float32", lambda: rng.generate(rng.uniform(), engine, out),
             lambda: theirs.random(n, np.float32, other),
             check=lambda: abs(out.mean(dtype=np.float64) - 0.5) < mean, bar=3),
        Pair("philox gaussian float32", lambda: rng.generate(rng.gaussian(), engine, out),
             lambda: theirs.standard_normal(n, np.float32, other),
             check=lambda: abs(out.mean(dtype=np.float64)) < mean, bar=3),
    ]


def timed(run: Run) -> tuple[float, float]:
    """Return the time that a run takes, and that of all processors."""
    wall, spent = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - spent


def measure(pair: Pair, rounds: int) -> str:
    """Return a line of the table."""
    pair.before()
    pair.ours()
    pair.numpys()
    assert pair.check is None or pair.check(), f"{pair.name}: the results differ"
    ours, numpys = [], []
    for _ in range(rounds):
        pair.before()
        ours.append(timed(pair.ours))
        numpys.append(timed(pair.numpys))
    ratio = statistics.median(b[0] / a[0] for a, b in zip(ours, numpys, strict=True))
    spent = min(b[1] for b in numpys) / max(min(a[1] for a in ours), 1e-9)
    cells = (f"{1e3 * min(t[k] for t in row):9.2f}" for row in (ours, numpys) for k in (0, 1))
    speed = f"{pair.moved / min(a[0] for a in ours) / 1e9:7.1f}" if pair.moved else ""
    return f"{pair.name:32}" + "".join(cells) + f"{ratio:9.2f}{spent:9.2f}{pair.bar:6.1f}{speed}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of names; all if none is given")
    parser.add_argument("--log2", type=int, default=25, help="how many elements, as a power of two")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--calls", action="store_true", help="what calls cost that come again")
    asked = parser.parse_args()
    if asked.calls:
        calls(asked.device)
        return
    q, n = sycl.queue(asked.device), 1 << asked.log2
    print(f"{n} elements on {asked.device}; milliseconds; times and ratios of NumPy's over ours")
    print(f"{'':32}{'ours':>9}{'processor':>9}{'NumPy':>9}{'processor':>9}{'ratio':>9}"
          f"{'of proc.':>9}{'bar':>6}{'GB/s':>7}")
    for family in (sums, selections, numbers, firsts, sorts):
        for pair in family(q, n):
            if not asked.names or any(part in pair.name for part in asked.names):
                print(measure(pair, asked.rounds), flush=True)


if __name__ == "__main__":
    main()
