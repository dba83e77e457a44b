"""Kernels of decision forests: histograms of bins, the best split of each, and walks down trees.

Written in the kernel language. A work-item has one column of one node, so nothing is added by two.
Invariant: of equally good splits the one at the lowest bin is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

__kernel_language__ = True


@dataclass(eq=False)
class sample:
    """Rows of trees: bins column by column, what rows are of, and rows in the order of nodes."""

    bins: Any
    count: Any
    value: Any
    order: Any


@dataclass(eq=False)
class nodes:
    """Nodes: where the rows of each begin, how many they are, and the columns that are tried."""

    begin: Any
    size: Any
    columns: Any
    tried: Any


@dataclass(eq=False)
class room:
    """Histograms: numbers a bin, bins, least rows in a leaf, and the memory."""

    width: Any
    bins: Any
    least: Any
    at: Any


def histogram(e: Any, rows: Any, node: Any, hist: Any) -> None:
    """Count the rows of a node in each bin of a column: each class, or rows and their sum."""
    first = e * hist.bins * hist.width
    for k in range(hist.bins * hist.width):
        hist.at[first + k] = 0
    mine = e // node.tried
    column = np.int64(node.columns[e]) * rows.count
    for p in range(node.begin[mine], node.begin[mine] + node.size[mine]):
        row = rows.order[p]
        at = first + rows.bins[column + row] * hist.width
        if rows.value.dtype == np.int32:
            at += rows.value[row]
            hist.at[at] = hist.at[at] + 1
        else:
            hist.at[at] = hist.at[at] + 1
            hist.at[at + 1] = hist.at[at + 1] + rows.value[row]


def best(e: Any, hist: Any, left: Any, gain: Any, place: Any) -> None:
    """Find the bin behind which a node is best split; ``left`` has room for the left side."""
    w = hist.width
    first = e * hist.bins * w
    for c in range(w):
        left.at[e * 2 * w + c] = 0
        left.at[e * 2 * w + w + c] = 0
    for b in range(hist.bins):
        for c in range(w):
            left.at[e * 2 * w + w + c] = left.at[e * 2 * w + w + c] + hist.at[first + b * w + c]
    most = left.at[e * 2 * w] - 1
    where = -1
    for b in range(hist.bins - 1):
        some = hist.at[first] - hist.at[first]
        for c in range(w):
            x = hist.at[first + b * w + c]
            left.at[e * 2 * w + c] = left.at[e * 2 * w + c] + x
            if left.counted or c == 0:
                some += x
        if some > 0:
            found = left.score(left.at, e * 2 * w, w, hist.least)
            if found > most:
                most = found
                where = b
    gain[e] = most
    place[e] = where


@dataclass(eq=False)
class classes:
    """What splits are worth that tell classes apart, by Gini's impurity."""

    at: Any
    counted: Any = True

    def score(self, at: Any, first: Any, w: Any, least: Any) -> Any:
        """Return the sum over both sides of the squares of the counts over their sum."""
        zero = at[first] - at[first]
        a, b, x, y = zero, zero, zero, zero
        for c in range(w):
            p = at[first + c]
            q = at[first + w + c] - p
            a += p
            b += q
            x += p * p
            y += q * q
        if a < least or b < least:
            return zero - 1
        return x / a + y / b


@dataclass(eq=False)
class means:
    """What splits are worth that bring means apart."""

    at: Any
    counted: Any = False

    def score(self, at: Any, first: Any, w: Any, least: Any) -> Any:
        """Return the sum over both sides of the squared sum over the count."""
        a, s = at[first], at[first + 1]
        b, t = at[first + w] - a, at[first + w + 1] - s
        if a < least or b < least:
            return a - a - 1
        return s * s / a + t * t / b


def part(k: Any, rows: Any, node: Any, split: Any, out: Any) -> None:
    """Bring the rows of a node that go left before the others, in their order."""
    column = np.int64(split.columns[k]) * rows.count
    first = node.begin[k]
    last = first + node.size[k]
    at = first
    for p in range(first, last):
        row = rows.order[p]
        if rows.bins[column + row] <= split.begin[k]:
            out[at] = row
            at += 1
    split.size[k] = at - first
    for p in range(first, last):
        row = rows.order[p]
        if rows.bins[column + row] > split.begin[k]:
            out[at] = row
            at += 1


def leaf(k: Any, rows: Any, node: Any, width: Any, out: Any) -> None:
    """Count what the rows of a node are: of each class, or rows, their sum and squares."""
    for c in range(width):
        out[k * width + c] = 0
    for p in range(node.begin[k], node.begin[k] + node.size[k]):
        row = rows.order[p]
        if rows.value.dtype == np.int32:
            at = k * width + rows.value[row]
            out[at] = out[at] + 1
        else:
            v = rows.value[row]
            out[k * width] = out[k * width] + 1
            out[k * width + 1] = out[k * width + 1] + v
            out[k * width + 2] = out[k * width + 2] + v * v


@dataclass(eq=False)
class forest:
    """Trees: of each node its column (-1 in leaves), its limit, and the left one of two nodes."""

    roots: Any
    count: Any
    column: Any
    limit: Any
    left: Any


def walk(i: Any, x: Any, trees: Any, width: Any, value: Any, out: Any) -> None:
    """Add up what the leaves of all trees say of a row, whose columns follow one another."""
    for c in range(width):
        out[c * x.count + i] = 0
    for t in range(trees.count):
        at = trees.roots[t]
        while trees.column[at] >= 0:
            v = x.at[np.int64(trees.column[at]) * x.count + i]
            at = trees.left[at] + (0 if v <= trees.limit[at] else 1)
        for c in range(width):
            out[c * x.count + i] = out[c * x.count + i] + value[at * width + c]
