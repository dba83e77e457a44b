"""Algorithms over more elements than 32 bits count, against NumPy.

``python -m tests.stress.sizes [--log2 31] [--device cpu]`` takes 2**31 + 7 items of one byte, and
8 GiB. Non-goals: types and operators, which the tests of ``dpl`` try on small memory. Invariant:
what stands behind position 2**31 decides of each result.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

import unisycl as sycl
from unisycl.oneapi import dpl

Check = tuple[str, Callable[[], bool]]


def positions(q: sycl.queue, x: np.ndarray) -> Iterator[Check]:
    """Give what finds and counts: the only 251 and the only 0 stand near the end."""
    n = x.size
    yield "max_element", lambda: dpl.max_element(q, x) == n - 3
    yield "minmax_element", lambda: dpl.minmax_element(q, x) == (n - 2, n - 3)
    yield "find", lambda: dpl.find(q, x, 251) == n - 3
    yield "count", lambda: dpl.count_if(q, x, lambda v: v > 0) == n - 1
    yield "reduce", lambda: dpl.reduce(q, x, np.int64(0)) == x.sum(dtype=np.int64)


def writers(q: sycl.queue, x: np.ndarray, out: np.ndarray) -> Iterator[Check]:
    """Give what writes as many elements, or nearly as many."""
    n, bins = x.size, np.zeros(256, np.int64)

    def scanned() -> bool:
        dpl.exclusive_scan(q, x, out)
        return all((out[a:a + 999] == (x[:a].sum(dtype=np.uint8) + np.cumsum(
            x[a:a + 999], dtype=np.uint8) - x[a:a + 999])).all() for a in (0, n // 2, n - 999))

    def counted() -> bool:
        dpl.histogram(q, x, 256, 0, 256, bins)
        parts = (x[k:k + (1 << 24)] for k in range(0, n, 1 << 24))  # NumPy makes int64 of bytes
        return bool((bins == sum(np.bincount(part, minlength=256) for part in parts)).all())

    def kept() -> bool:
        found = dpl.copy_if(q, x, out, lambda v: v != 7)
        return found == n - bins[7] and out[found - 2] == x[n - 2]

    def parted() -> bool:
        out[:] = x
        found = dpl.partition(q, out, lambda v: v < 100)
        return found == bins[:100].sum() and bool((out[found - 9:found] < 100).all()) and bool(
            (out[found:found + 9] >= 100).all()) and out[-1] == next(v for v in x[::-1] if v >= 100)

    def greatest() -> bool:
        best, places = np.zeros(3, np.uint8), np.zeros(3, np.int64)
        dpl.top_k(q, x, 3, best, places)
        return best.tolist() == [251, 250, 250] and places[0] == n - 3

    def middle() -> bool:
        out[:] = x
        dpl.nth_element(q, out, n - 2)
        return out[n - 2] == 250 and out[n - 1] == 251

    def turned() -> bool:
        out[:] = x
        dpl.reverse(q, out)
        return bool((out[:999] == x[:-1000:-1]).all()) and bool((out[-999:] == x[998::-1]).all())

    def ordered() -> bool:
        out[:] = x
        dpl.sort(q, out)
        ends = np.cumsum(bins)
        return all(out[e - 1] == v for v, e in enumerate(ends) if bins[v]) and dpl.is_sorted(q, out)

    def searched() -> bool:
        wanted, places = np.arange(256, dtype=np.uint8), np.zeros(256, np.int64)
        dpl.lower_bound(q, out, wanted, places)
        return bool((places == np.cumsum(bins) - bins).all())

    def heads() -> bool:
        return dpl.unique(q, out) == np.count_nonzero(bins) and out[0] == 0 and out[251] == 251

    yield from (("exclusive_scan", scanned), ("histogram", counted), ("copy_if", kept),
                ("partition", parted), ("top_k", greatest), ("nth_element", middle),
                ("reverse", turned), ("sort", ordered),
                ("lower_bound", searched), ("unique", heads))


def main() -> int:
    """Run all, and say what was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.stress.sizes")
    parser.add_argument("--log2", type=int, default=31)
    parser.add_argument("--device", default="cpu")
    asked = parser.parse_args()
    q, n = sycl.queue(asked.device), (1 << asked.log2) + 7
    x, wrong = np.zeros(n, np.uint8), []
    for first in range(0, n, 1 << 28):
        part = x[first:first + (1 << 28)]
        part[:] = np.random.default_rng(first).integers(1, 251, part.size, np.uint8)
    x[-3], x[-2] = 251, 0
    out = np.zeros_like(x)
    for name, check in (*positions(q, x), *writers(q, x, out)):
        begun, spent = time.perf_counter(), time.process_time()
        right = check()
        print(f"{name:16}{'right' if right else 'WRONG':8}{time.perf_counter() - begun:8.1f} s"
              f"{time.process_time() - spent:8.1f} s of the processor", flush=True)
        wrong += [] if right else [name]
    print(f"sizes: {n} elements, {f'wrong: {wrong}' if wrong else 'nothing wrong'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
