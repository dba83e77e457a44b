"""Quicksort whose parts are sorted by kernels that a kernel enqueues.

``python -m unisycl.examples.quicksort [--n N] [--leaf L] [--device D]``

A kernel splits its part in two and enqueues a kernel for each; a part of ``leaf`` elements or fewer
is sorted by insertion. How the parts will lie is known only when they have been split, so a host
that launches them has to wait for each generation and to ask for its parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.examples.comparison import Comparison, at_least, command_line, pick_size
from unisycl.ext.unisycl import enqueue_task, kernel_enqueue_flags

AFTER = kernel_enqueue_flags.wait_kernel
Keys = npt.NDArray[np.int32]


def split(keys: Any, low: Any, high: Any) -> Any:
    """Move small keys before large ones; return where the two parts end and begin."""
    pivot = max(min(keys[low], keys[high - 1]),
                min(max(keys[low], keys[high - 1]), keys[(low + high) // 2]))
    i = low
    j = high - 1
    while i <= j:
        while keys[i] < pivot:
            i += 1
        while keys[j] > pivot:
            j -= 1
        if i <= j:
            held = keys[i]
            keys[i] = keys[j]
            keys[j] = held
            i += 1
            j -= 1
    return j + 1, i


def insert(keys: Any, low: Any, high: Any) -> None:
    """Sort a short part by insertion."""
    for k in range(low + 1, high):
        key = keys[k]
        m = k
        while m > low and keys[m - 1] > key:
            keys[m] = keys[m - 1]
            m -= 1
        keys[m] = key


def sort_part(keys: Any, low: Any, high: Any, leaf: Any) -> None:
    """Sort the keys from ``low`` to before ``high``: the kernel."""
    if high - low > leaf:
        end, begin = split(keys, low, high)
        enqueue_task(AFTER, sort_part, keys, low, end, leaf)
        enqueue_task(AFTER, sort_part, keys, begin, high, leaf)
    else:
        insert(keys, low, high)


def sort_by_children(queue: sycl.queue, keys: Keys, leaf: int) -> Keys:
    """Return the keys sorted by one kernel and its children."""
    found = keys.copy()
    queue.single_task(sort_part, found, 0, len(found), leaf).wait_and_throw()
    return found


def sort_flat(queue: sycl.queue, keys: Keys, leaf: int) -> Keys:
    """Return the keys sorted generation by generation: the host asks for the parts and launches."""
    found = keys.copy()
    parts = np.array([[0, len(found)]], np.int64)
    while len(parts):
        ends = np.zeros_like(parts)
        queue.parallel_for(len(parts), split_parts, found, parts, ends, leaf).wait_and_throw()
        parts = np.concatenate([np.stack([parts[:, 0], ends[:, 0]], 1),
                                np.stack([ends[:, 1], parts[:, 1]], 1)])
        parts = parts[parts[:, 1] - parts[:, 0] > 1]
    return found


def split_parts(it: Any, keys: Any, parts: Any, ends: Any, leaf: Any) -> None:
    """Split one of many parts, or sort it if it is short."""
    low = parts[it[0], 0]
    high = parts[it[0], 1]
    if high - low > leaf:
        end, begin = split(keys, low, high)
        ends[it[0], 0] = end
        ends[it[0], 1] = begin
    else:
        insert(keys, low, high)
        ends[it[0], 0] = low
        ends[it[0], 1] = high


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example from the command line."""
    parser = command_line("quicksort", "Sorts numbers by kernels that enqueue kernels.")
    parser.add_argument("--n", type=int, help="how many; default 1000000, on the host device 2000")
    parser.add_argument("--leaf", type=int, default=64, help="parts sorted by insertion")
    options = parser.parse_args(arguments)
    compare = Comparison(options.device)
    queue = compare.queue
    n = pick_size(queue, options.n, 1_000_000, 2000)
    at_least(1, n=n, leaf=options.leaf)
    keys = np.random.default_rng(1).integers(-(1 << 30), 1 << 30, n).astype(np.int32)
    expected = np.sort(keys)
    compare.introduce(f"{n} keys of int32, parts of {options.leaf} sorted by insertion")
    compare.run("kernels that enqueue kernels",
                lambda: sort_by_children(queue, keys, options.leaf), expected)
    compare.run("the host launches each generation",
                lambda: sort_flat(queue, keys, options.leaf), expected)
    return compare.finish()


if __name__ == "__main__":
    raise SystemExit(main())
