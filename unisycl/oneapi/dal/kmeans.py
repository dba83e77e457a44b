"""k-means by Lloyd's algorithm (oneDAL's kmeans).

Non-goals: where centres begin (``kmeans_init``). Invariants: of centres that are equally near the
first one is taken; a cluster that has lost its rows gets the row that is farthest from its centre;
on a processor only rows that moved are added up again, in float64.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unisycl.oneapi.dal import kmeans_init
from unisycl.oneapi.dal.kernels import clusters, records
from unisycl.oneapi.dal.moments import part_of
from unisycl.oneapi.dal.records import descriptor as _descriptor
from unisycl.oneapi.dal.records import record
from unisycl.oneapi.dal.tables import table
from unisycl.oneapi.dal.work import Array, Work
from unisycl.oneapi.frame.providers import is_processor


@dataclass
class descriptor(_descriptor):
    """What to compute.

    Args:
        cluster_count: how many clusters.
        max_iteration_count: after how many rounds to stop.
        accuracy_threshold: stop when the squares of what all centres moved add up to no more.
    """

    algorithm: ClassVar[str] = "kmeans"
    cluster_count: int = 2
    max_iteration_count: int = 100
    accuracy_threshold: float = 0.0

    def check(self) -> None:
        self.whole("cluster_count", 1)
        self.whole("max_iteration_count")
        self.number("accuracy_threshold", 0)


@dataclass
class model(record):
    """The centres, one a row."""

    centroids: Array


@dataclass
class train_result(record):
    """The model, the cluster of each row, and the sum of squared distances from the centres."""

    model: model
    responses: Array
    iteration_count: int
    objective_function_value: float


@dataclass
class infer_result(record):
    """The cluster of each row, and the sum of squared distances from the centres."""

    responses: Array
    objective_function_value: float


class _Rows:
    """The rows of this rank in both orders, and the memory that a round needs."""

    def __init__(self, work: Work, data: table, clusters_count: int) -> None:
        self.work, self.n, self.d, self.k = work, data.row_count, data.column_count, clusters_count
        self.data = data
        x = work.rows(data)
        part = max(part_of(self.n), 2 * clusters_count)
        self.parts = -(-self.n // part)
        self.rows = records.rows(x, np.int64(self.n), np.int64(self.d), np.int64(part))
        self.columns = records.rows(work.columns(data, x), np.int64(self.n), np.int64(self.d))
        self.labels, self.far = work.empty(self.n, np.int32), work.empty(self.n)
        self.out = work.empty(self.parts * self.k * self.d)
        tile = clusters.TILE
        self.room = -(-self.k // tile) * tile
        self.sums: _Sums | None = None

    def assign(self, centres: Array) -> None:
        """Find the nearest centre of each row."""
        filled = np.full((self.d, self.room), np.inf, self.work.dtype)
        filled[:, :self.k] = centres.T
        given = records.rows(self.work.put(filled), np.int64(self.room), np.int64(self.d))
        self.work.launch(self.n, clusters.assign, self.columns, given, self.work.kind, self.labels,
                         self.far)

    def add_up(self) -> tuple[Array, Array]:
        """Return the sums of each cluster's rows, and how many there are."""
        if self.sums is not None:
            found = self.sums.moved(self.work.host(self.labels)[:self.n])
            if found is not None:
                return found
        self.work.launch((self.parts, self.d), clusters.gather, self.rows, np.int64(self.k),
                         self.labels, self.out)
        parts = self.work.host(self.out)[:self.parts * self.k * self.d]
        total = parts.reshape(self.parts, self.k, self.d).sum(0, np.float64)
        count = np.bincount(self.labels[:self.n], minlength=self.k)
        if isinstance(self.rows.at, np.ndarray) and is_processor(self.work.device):
            self.sums = _Sums(self.rows.at.reshape(self.n, self.d),
                              np.array(self.labels[:self.n]), total, count)
        return total.copy(), count.copy()

    def objective(self) -> float:
        """Return the sum of squared distances, of all ranks."""
        far = self.work.host(self.far)[:self.n]
        found = float(self.work.together(np.array([far.sum(dtype=np.float64)]))[0])
        if not np.isfinite(found):
            self.work.undetermined("distances are beyond what the type holds; scale the columns, "
                                   "or give float64")
        self.work.need_squares(self.data, far)
        return found

    def farthest(self, count: int) -> tuple[Array, Array, Array]:
        """Return the rows of all ranks that are farthest from their centres, and their labels."""
        far = self.work.host(self.far)[:self.n]
        mine = np.argsort(-far, kind="stable")[:count]
        picked = np.empty((mine.size, self.d), self.work.dtype)
        for k, i in enumerate(mine):
            first = int(i) * self.d
            at: Any = self.rows.at
            picked[k] = at[first:first + self.d] if isinstance(at, np.ndarray) else self.row(first)
        every = [np.concatenate(self.work.gathered(a)) for a in (
            far[mine].astype(np.float64), self.labels[mine].astype(np.int64), picked)]
        best = np.argsort(-every[0], kind="stable")[:count]
        return every[0][best], every[1][best], every[2][best]

    def row(self, first: int) -> Array:
        """Return a row that lies in memory of the device."""
        found = np.empty(self.d, self.work.dtype)
        self.work.queue.copy(self.rows.at.pointer_to(first), found, self.d).wait()
        return found


@dataclass
class _Sums:
    """The sums of clusters of rows that the host reads; brought up to date by what moved."""

    rows: Array
    labels: Array
    total: Array
    count: Array

    def moved(self, labels: Array) -> tuple[Array, Array] | None:
        """Return the sums and counts of other labels; None where adding up anew costs less."""
        moved = np.flatnonzero(labels != self.labels)
        if moved.size > labels.size // 8 or not np.isfinite(self.total).all():
            return None
        rows, k = self.rows[moved].astype(np.float64), len(self.count)
        for sign, at in ((-1, self.labels[moved]), (1, labels[moved])):
            self.count += sign * np.bincount(at, minlength=k)
            for f in range(rows.shape[1]):
                self.total[:, f] += sign * np.bincount(at, rows[:, f], minlength=k)
        self.labels[moved] = labels[moved]
        return self.total.copy(), self.count.copy()


def _centres(given: _Rows, before: Array) -> Array:
    """Return the means of the clusters as they are; each has rows afterwards."""
    total, count = given.add_up()
    total, count = given.work.together(total), given.work.together(count.astype(np.int64))
    empty = np.flatnonzero(count == 0)
    if empty.size:
        _, labels, rows = given.farthest(empty.size)
        for cluster, label, row in zip(empty, labels, rows, strict=False):
            total[label] -= row
            count[label] -= 1
            total[cluster], count[cluster] = row, 1
    some = count > 0
    found = before.astype(np.float64)
    found[some] = total[some] / count[some, None]
    return found


def train(work: Work, desc: descriptor, data: table, centroids: table | None = None,
          ) -> train_result:
    """Find centres, from those that are given, or from some that ``kmeans_init`` finds."""
    work.need_rows(data, 1 if work.comm is not None else desc.cluster_count)
    k = desc.cluster_count
    if centroids is None:
        begin = kmeans_init.compute(work, kmeans_init.descriptor(cluster_count=k), data).centroids
    else:
        work.need_columns(centroids, data.column_count)
        if centroids.row_count != k:
            work.refuse(f"{centroids.row_count} centroids are given for {k} clusters")
        begin = work.array(centroids)
    given = _Rows(work, data, k)
    centres = np.asarray(begin, work.dtype)
    rounds, moved = 0, np.inf
    while rounds < desc.max_iteration_count and moved > desc.accuracy_threshold:
        rounds += 1
        given.assign(centres)
        found = _centres(given, centres)
        moved = float(((found - centres) ** 2).sum())
        centres = found.astype(work.dtype)
    given.assign(centres)
    objective = given.objective()
    return train_result(model(centres), given.labels[:given.n].copy(), rounds, objective)


def infer(work: Work, desc: descriptor, fitted: model, data: table) -> infer_result:
    """Find the nearest centre of each row."""
    work.need_rows(data)
    work.need_columns(data, fitted.centroids.shape[1])
    given = _Rows(work, data, fitted.centroids.shape[0])
    given.assign(np.asarray(fitted.centroids, work.dtype))
    objective = given.objective()
    return infer_result(given.labels[:given.n].copy(), objective)


ROUTINES = {"train": train, "infer": infer}
