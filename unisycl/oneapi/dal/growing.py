"""How forests grow: levels of nodes of all trees at once.

Non-goals: the kernels. Invariant: a node's rows lie side by side in the order of their tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from unisycl.oneapi.dal.kernels import trees
from unisycl.oneapi.dal.work import Array, Work

ROOM = 1 << 23
"""How many numbers histograms take at once."""


@dataclass
class Forest:
    """Nodes of all trees: the column and the limit of each, its left child, and what it says."""

    roots: Array
    column: Array
    limit: Array
    left: Array
    value: Array


@dataclass
class _Level:
    """Nodes of one depth: their numbers, and where their rows lie."""

    number: Array
    begin: Array
    size: Array
    said: Array
    whole: Array
    """How many rows there are on all ranks; ``size`` is of this one."""


class Grower:
    """Grows a forest.

    Args:
        work: the call.
        desc: the descriptor of ``decision_forest``.
        values: the rows.
        known: their classes (int32) or values.
    """

    def __init__(self, work: Work, desc: Any, values: Array, known: Array) -> None:
        self.work, self.desc = work, desc
        self.n, self.d = values.shape
        counts = work.together(np.eye(work.ranks(), dtype=np.int64)[work.rank()] * self.n)
        self.first, self.total = int(counts[:work.rank()].sum()), int(counts.sum())
        self.classify = known.dtype == np.int32
        self.edges = [_edges(np.concatenate(work.gathered(np.ascontiguousarray(values[:, f]))),
                             desc.max_bins) for f in range(self.d)]
        self.bins = max(e.size for e in self.edges) + 1
        wide = np.uint8 if self.bins <= 256 else np.uint16
        binned = np.empty((self.d, self.n), wide)
        for f, edges in enumerate(self.edges):
            binned[f] = np.searchsorted(edges, values[:, f], side="left")
        self.width = desc.class_count if self.classify else 2
        self.kind: Any = np.dtype(np.float64 if work.doubles else np.float32)
        self.rng = np.random.default_rng(desc.seed)
        drawn = self._drawn()
        self.sizes = np.array([d.size for d in drawn], np.int64)
        order = np.concatenate([np.empty(0, np.int32), *drawn])
        self.rows = trees.sample(work.put(binned, wide), np.int64(self.n),
                                 work.put(known, known.dtype), work.put(order, np.int32))
        self.importance = np.zeros(self.d)
        few = max(int(np.sqrt(self.d)) if self.classify else -(-self.d // 3), 1)
        self.tried = desc.features_per_node or few

    def _drawn(self) -> list[Array]:
        """Return the rows of each tree: of those that are drawn of all ranks' rows, this one's."""
        found = []
        for _ in range(self.desc.tree_count):
            if self.desc.bootstrap:
                drawn = np.sort(self.rng.integers(0, self.total, self.total)) - self.first
                drawn = drawn[(drawn >= 0) & (drawn < self.n)]
            else:
                drawn = np.arange(self.n)
            found.append(drawn.astype(np.int32))
        return found

    def run(self) -> Forest:
        """Grow all levels."""
        count = self.desc.tree_count
        level = _Level(np.arange(count), np.cumsum(self.sizes) - self.sizes, self.sizes,
                       np.empty(0), np.full(count, self.total))
        level.said = self._said(level.begin, level.size)
        columns, limits, lefts, values = [], [], [], []
        total, depth = count, 0
        while level.number.size:
            column = np.full(level.number.size, -1, np.int64)
            limit, left = np.zeros(level.number.size), np.zeros(level.number.size, np.int64)
            values.append(self._values(level.said))
            some, place = self._chosen(level, column, depth)
            for k in some:
                limit[k] = self.edges[column[k]][place[k]]
            left[some] = total + 2 * np.arange(some.size)
            total += 2 * some.size
            columns.append(column)
            limits.append(limit)
            lefts.append(left)
            level = self._children(level, some, column, place)
            level.number += total - level.number.size
            depth += 1
        return Forest(np.arange(count), np.concatenate(columns), np.concatenate(limits),
                      np.concatenate(lefts), np.concatenate(values))

    # ------------------------------------------------------------------ nodes
    def _said(self, begin: Array, size: Array) -> Array:
        """Return what the rows of nodes are."""
        width = self.width if self.classify else 3
        out = self.work.empty(begin.size * width, self.kind)
        node = trees.nodes(self.work.put(begin, np.int64), self.work.put(size, np.int64), 0, 0)
        self.work.launch(begin.size, trees.leaf, self.rows, node, np.int64(width), out)
        found = self.work.host(out)[:begin.size * width].reshape(-1, width)
        return self.work.together(found.astype(np.float64))

    def _values(self, said: Array) -> Array:
        if self.classify:
            found: Array = said / said.sum(1, keepdims=True)
            return found
        return said[:, 1:2] / said[:, :1]

    def _worth(self, said: Array) -> Array:
        """Return what a node is worth without a split, and whether it is pure."""
        if self.classify:
            return np.asarray((said ** 2).sum(1) / said.sum(1))
        return np.asarray(said[:, 1] ** 2 / said[:, 0])

    def _pure(self, said: Array) -> Array:
        if self.classify:
            return np.asarray((said > 0).sum(1) == 1)
        spread = said[:, 2] - said[:, 1] ** 2 / said[:, 0]
        tiny = np.finfo(self.kind).eps * 4 * said[:, 2]
        return np.asarray(spread <= tiny)

    def _chosen(self, level: _Level, column: Array, depth: int) -> tuple[Array, Array]:
        """Return which nodes are split, and behind which bins; writes their columns."""
        desc, count = self.desc, level.number.size
        place = np.zeros(count, np.int64)
        if desc.max_tree_depth and depth >= desc.max_tree_depth:
            return np.empty(0, np.int64), place
        least = max(desc.min_observations_in_split_node, 2 * desc.min_observations_in_leaf_node)
        some = np.flatnonzero((level.whole >= least) & ~self._pure(level.said))
        tried = np.array([np.sort(self.rng.permutation(self.d)[:self.tried]) for _ in some],
                         np.int32).reshape(some.size, self.tried)
        self._search(level, some, tried, column, place)
        if self.tried < self.d:  # where none of these can be split, all columns are tried
            left = some[column[some] < 0]
            every = np.tile(np.arange(self.d, dtype=np.int32), (left.size, 1))
            self._search(level, left, every, column, place)
        return some[column[some] >= 0], place

    def _search(self, level: _Level, some: Array, tried: Array, column: Array,
                place: Array) -> None:
        """Find the best of the columns that are tried, for some nodes."""
        if not some.size:
            return
        each = tried.shape[1] * self.bins * self.width
        for first in range(0, some.size, max(ROOM // each, 1)):
            mine = some[first:first + max(ROOM // each, 1)]
            gain, found = self._splits(level, mine, tried[first:first + mine.size])
            best = gain.argmax(1)
            rows = np.arange(mine.size)
            worth = self._worth(level.said[mine])
            good = (found[rows, best] >= 0) & (gain[rows, best] >= 0)
            more = gain[rows, best] - worth
            good &= more > -1e-7 * np.abs(worth) if self.classify else more > 0
            picked = tried[first:first + mine.size][rows, best]
            column[mine[good]] = picked[good]
            place[mine[good]] = found[rows, best][good]
            np.add.at(self.importance, picked[good], np.maximum(more[good], 0))

    def _splits(self, level: _Level, mine: Array, tried: Array) -> tuple[Array, Array]:
        work, count = self.work, tried.size
        node = trees.nodes(work.put(level.begin[mine], np.int64),
                           work.put(level.size[mine], np.int64), work.put(tried, np.int32),
                           np.int64(tried.shape[1]))
        hist = trees.room(np.int64(self.width), np.int64(self.bins), self.kind.type(
            self.desc.min_observations_in_leaf_node),
            work.empty(count * self.bins * self.width, self.kind))
        work.launch(count, trees.histogram, self.rows, node, hist)
        if work.ranks() > 1:
            counted = work.host(hist.at)[:count * self.bins * self.width]
            hist.at = work.put(work.together(counted), self.kind)
        left = (trees.classes if self.classify else trees.means)(
            work.empty(count * 2 * self.width, self.kind))
        gain, place = work.empty(count, self.kind), work.empty(count, np.int32)
        work.launch(count, trees.best, hist, left, gain, place)
        return (work.host(gain)[:count].reshape(tried.shape),
                np.asarray(place)[:count].reshape(tried.shape))

    def _children(self, level: _Level, some: Array, column: Array, place: Array) -> _Level:
        work = self.work
        begin, size = level.begin[some], level.size[some]
        if not some.size:
            return _Level(some, begin, size, np.empty(0), size)
        node = trees.nodes(work.put(begin, np.int64), work.put(size, np.int64), 0, 0)
        lefts = work.empty(some.size, np.int64)
        split = trees.nodes(work.put(place[some], np.int64), lefts,
                            work.put(column[some], np.int32), 0)
        out = work.put(np.array(self.rows.order), np.int32)
        work.launch(some.size, trees.part, self.rows, node, split, out)
        count = work.host(lefts)[:some.size]
        self.rows.order = out
        found = _Level(np.arange(2 * some.size), np.stack([begin, begin + count], 1).reshape(-1),
                       np.stack([count, size - count], 1).reshape(-1), np.empty(0), np.empty(0))
        found.whole = work.together(found.size)
        found.said = self._said(found.begin, found.size)
        return found


def _edges(values: Array, most: int) -> Array:
    """Return limits between bins: between all values, or between quantiles of them."""
    every = np.unique(values)
    if every.size > most:
        at = np.linspace(0, values.size - 1, most + 1)[1:-1].astype(np.int64)
        picked = np.unique(np.sort(values)[at])
        picked = picked[picked < every[-1]]
        after = every[np.searchsorted(every, picked, side="right")]
    else:
        picked, after = every[:-1], every[1:]
    middle = picked + (after - picked) / 2
    return np.where(middle < after, middle, picked).astype(values.dtype)
