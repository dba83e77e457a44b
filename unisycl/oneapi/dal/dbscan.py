"""Clusters by density (oneDAL's dbscan).

Invariants: clusters are numbered by their first core row; a row at the border of several belongs to
the one of the least number; noise is -1. So results are scikit-learn's, on every device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unisycl.oneapi.dal.kernels import neighbours, records
from unisycl.oneapi.dal.records import descriptor as _descriptor
from unisycl.oneapi.dal.records import record
from unisycl.oneapi.dal.tables import table
from unisycl.oneapi.dal.work import Array, Work


@dataclass
class descriptor(_descriptor):
    """What to compute.

    Args:
        epsilon: how far neighbours are from one another at most (Euclid's distance).
        min_observations: how many neighbours a core row has at least, itself among them.
    """

    algorithm: ClassVar[str] = "dbscan"
    epsilon: float = 0.5
    min_observations: int = 5

    def check(self) -> None:
        self.number("epsilon", 0, open_end=True)
        self.whole("min_observations", 1)


@dataclass
class compute_result(record):
    """The cluster of each row, -1 for noise; which rows are core rows, and how many clusters."""

    responses: Array
    core_flags: Array
    core_observation_indices: Array
    core_observations: Array
    cluster_count: int


def compute(work: Work, desc: descriptor, data: table, weights: table | None = None,
            ) -> compute_result:
    """Find the clusters of a table; rows may have weights.

    Of several ranks each looks for the neighbours of its own rows among those of all.
    """
    work.need_rows(data)
    n = data.row_count
    x = work.rows(data)
    query = records.rows(work.columns(data, x), np.int64(n), np.int64(data.column_count))
    every = work.gathered(np.asarray(work.array(data), work.dtype)) if work.ranks() > 1 else []
    first, total = sum(len(e) for e in every[:work.rank()]), sum(len(e) for e in every) or n
    train = records.rows(work.put(np.concatenate(every)) if every else x, np.int64(total),
                         np.int64(data.column_count))
    limit = work.kind(desc.epsilon) ** 2
    if not np.finfo(work.dtype).tiny <= limit < np.inf:
        work.undetermined(f"the square of epsilon, {desc.epsilon}, is beyond what {work.dtype} "
                          "holds; scale the columns")
    count = work.empty(n, np.int64)
    work.launch(n, neighbours.within, query, train, limit, count)
    starts = np.concatenate([[0], np.cumsum(work.host(count)[:n])])
    ids = work.empty(int(starts[-1]), np.int32)
    places = work.put(starts, np.int64)
    work.launch(n, neighbours.fill, query, train, limit, places, ids)
    if weights is None:
        many = np.diff(starts).astype(np.float64)
    else:
        weight = work.values("the weights", weights, n).astype(np.float64)
        weight = np.concatenate(work.gathered(weight))
        many = np.add.reduceat(weight[work.host(ids)[:starts[-1]]], starts[:-1])
    core = many >= desc.min_observations
    cores = np.concatenate(work.gathered(core.astype(np.int32)))
    around = np.concatenate([np.zeros(first, np.int64), starts,
                             np.full(total - first - n, starts[-1])])
    graph = records.graph(work.put(around, np.int64), ids, work.put(cores, np.int32))
    labels = _labels(work, total, graph)
    roots = np.unique(labels[cores == 1])
    labels = labels[first:first + n]
    found = np.where(labels < 0, -1, np.searchsorted(roots, labels)).astype(np.int32)
    where = np.flatnonzero(core)
    return compute_result(found, core.astype(np.int32), where, work.array(data)[where],
                          int(roots.size))


def _labels(work: Work, n: int, graph: records.graph) -> Array:
    """Return the first core row that each row hangs together with; -1 for none."""
    parent = work.put(np.arange(n), np.int32)
    flag = work.empty(1, np.int32)
    while True:
        flag[:] = 0
        after = work.put(np.array(parent, np.int32), np.int32)
        work.launch(n, neighbours.hook, graph, parent, after, flag)
        shorter = work.empty(n, np.int32)
        work.launch(n, neighbours.shorten, after, shorter)
        work.wait()
        parent = shorter
        if work.ranks() > 1:
            parent = work.put(work.together(np.asarray(parent)[:n], "min"), np.int32)
        if not work.together(np.asarray(flag)[:1], "max")[0]:
            break
    out = work.empty(n, np.int32)
    work.launch(n, neighbours.border, graph, parent, out)
    return work.host(out)[:n]


ROUTINES = {"compute": compute}
