"""Kernels of neighbours: the nearest rows, rows within a radius, and what hangs together.

Written in the kernel language. Each work-item has a query, whose columns follow those of its
neighbours; rows that are searched are the same for all. Invariant: of equal distances the row that
comes first is the nearer one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl

__kernel_language__ = True

TILE = 4


def nearest(i: Any, query: Any, train: Any, rule: Any, best: Any) -> None:
    """Find the nearest rows of a query, in the order of their distances."""
    n = query.count
    for j in range(best.count):
        best.far[j * n + i] = rule.kind(np.inf)
        best.ids[j * n + i] = -1
    worst = rule.kind(np.inf)
    for first in range(0, train.count, TILE):
        total = sycl.private_array(rule.kind, TILE)
        for c in range(TILE):
            total[c] = 0
        for f in range(train.width):
            v = query.at[f * n + i]
            for c in range(TILE):
                row = min(first + c, train.count - 1)
                total[c] = rule.step(total[c], v, train.at[row * train.width + f], rule.a)
        for c in range(TILE):
            if total[c] < worst and first + c < train.count:
                worst = placed(best, n, i, total[c], np.int32(first + c))


def placed(best: Any, n: Any, i: Any, value: Any, name: Any) -> Any:
    """Put a row into a query's list, and return how far the last one is then.

    The loop is as long for all lanes, so that nothing is gathered.
    """
    moves = False
    for j in range(best.count):
        at = j * n + i
        far, other = best.far[at], best.ids[at]
        if moves or value < far:
            best.far[at], best.ids[at] = value, name
            value, name, moves = far, other, True
    return best.far[(best.count - 1) * n + i]


def within(i: Any, query: Any, train: Any, limit: Any, out: Any) -> None:
    """Count the rows whose squared distance from a query is at most a limit."""
    found = 0
    for row in range(train.count):
        total = limit - limit
        for f in range(train.width):
            t = query.at[f * query.count + i] - train.at[row * train.width + f]
            total += t * t
        if total <= limit:
            found += 1
    out[i] = found


def fill(i: Any, query: Any, train: Any, limit: Any, starts: Any, out: Any) -> None:
    """Write which rows lie within a limit of a query."""
    at = starts[i]
    for row in range(train.count):
        total = limit - limit
        for f in range(train.width):
            t = query.at[f * query.count + i] - train.at[row * train.width + f]
            total += t * t
        if total <= limit:
            out[at] = np.int32(row)
            at += 1


def hook(i: Any, graph: Any, source: Any, out: Any, changed: Any) -> None:
    """Bring the least name among a core row's core neighbours to the row, and to its parent."""
    if graph.core[i] == 0:
        return
    mine = source[i]
    low = mine
    for e in range(graph.starts[i], graph.starts[i + 1]):
        j = graph.ids[e]
        if graph.core[j] != 0:
            low = min(low, source[j])
    if low < mine:
        sycl.atomic_ref(out, mine).fetch_min(low)
        sycl.atomic_ref(out, i).fetch_min(low)
        sycl.atomic_ref(changed, 0).fetch_max(1)


def shorten(i: Any, source: Any, out: Any) -> None:
    """Follow names to where they lead."""
    found = source[i]
    while source[found] < found:
        found = source[found]
    out[i] = found


def border(i: Any, graph: Any, parent: Any, out: Any) -> None:
    """Write the cluster of a row: its own, the least of its core neighbours', or -1."""
    if graph.core[i] != 0:
        out[i] = parent[i]
        return
    found = np.int32(-1)
    for e in range(graph.starts[i], graph.starts[i + 1]):
        j = graph.ids[e]
        if graph.core[j] != 0 and (found < 0 or parent[j] < found):
            found = parent[j]
    out[i] = found
