"""Where the centres of k-means begin (oneDAL's kmeans_init).

Invariants: a seed gives the same rows on every device, but for distances that differ by roundings;
no row is taken twice as long as others are left that differ from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unisycl.oneapi.dal.kernels import clusters, records
from unisycl.oneapi.dal.records import descriptor as _descriptor
from unisycl.oneapi.dal.records import record
from unisycl.oneapi.dal.tables import homogen_table, table
from unisycl.oneapi.dal.work import Array, Work


@dataclass
class descriptor(_descriptor):
    """What to compute.

    Args:
        cluster_count: how many centres.
        method: "dense" (the first rows), "random_dense", "plus_plus_dense" (k-means++), or
            "parallel_plus_dense" (k-means||, which looks for several centres in each round).
        seed: of the random numbers.
        local_trials_count: how many rows k-means++ tries for each centre.
        oversampling_factor, round_count: of k-means||.
    """

    algorithm: ClassVar[str] = "kmeans_init"
    cluster_count: int = 2
    method: str = "plus_plus_dense"
    seed: int = 777
    local_trials_count: int = 1
    oversampling_factor: float = 0.5
    round_count: int = 5

    def check(self) -> None:
        self.whole("cluster_count", 1)
        self.choice("method", "dense", "random_dense", "plus_plus_dense", "parallel_plus_dense")
        self.whole("seed")
        self.whole("local_trials_count", 1)
        self.number("oversampling_factor", 0, open_end=True)
        self.whole("round_count", 1)


@dataclass
class compute_result(record):
    """The centres, one a row."""

    centroids: Array


class _Distances:
    """How far each row is from the nearest of the centres so far."""

    def __init__(self, work: Work, data: table) -> None:
        self.work, self.n, self.d = work, data.row_count, data.column_count
        self.columns = records.rows(work.columns(data), np.int64(self.n), np.int64(self.d))
        self.far = work.empty(self.n)
        self.far[:] = np.finfo(work.dtype).max

    def with_one(self, centre: Array) -> Any:
        """Return the distances with one centre more; squared."""
        out = self.work.empty(self.n)
        self.work.launch(self.n, clusters.nearer, self.columns, self.work.put(centre), self.far,
                         out)
        self.work.wait()
        return out

    def draw(self, rng: np.random.Generator, count: int) -> Array:
        """Draw rows, by their squared distances; the same one perhaps more than once."""
        weights = np.asarray(self.far, np.float64)[:self.n]
        total = np.cumsum(weights)
        if not np.isfinite(total[-1]):
            self.work.undetermined("distances are beyond what the type holds; scale the columns, "
                                   "or give float64")
        if total[-1] == 0:
            return rng.integers(0, self.n, count)
        found: Array = np.searchsorted(total, rng.random(count) * total[-1], side="right")
        return np.minimum(found, self.n - 1)


def compute(work: Work, desc: descriptor, data: table) -> compute_result:
    """Choose rows as centres; of ranks, among the rows of all."""
    if work.comm is not None and work.comm.size() > 1:
        data = _sample(work, desc, data)
    work.need_rows(data, desc.cluster_count)
    values = work.array(data)
    rng = np.random.default_rng(desc.seed)
    if desc.method == "dense":
        found = np.arange(desc.cluster_count)
    elif desc.method == "random_dense":
        found = rng.choice(data.row_count, desc.cluster_count, replace=False)
    elif desc.method == "plus_plus_dense":
        found = _plus_plus(_Distances(work, data), desc, rng, values)
    else:
        found = _parallel(_Distances(work, data), desc, rng, values)
    return compute_result(np.asarray(values[found], work.dtype))


def _sample(work: Work, desc: descriptor, data: table) -> table:
    """Return the same rows on every rank: as many of each as there is need of, or all."""
    values = work.array(data).astype(work.dtype)
    need = max(64 * desc.cluster_count, 4096)
    if desc.method != "dense" and values.shape[0] > need:
        rng = np.random.default_rng([desc.seed, work.comm.rank()])
        values = values[np.sort(rng.choice(values.shape[0], need, replace=False))]
    elif desc.method == "dense":
        values = values[:desc.cluster_count]
    return homogen_table(np.concatenate(work.gathered(values)))


def _plus_plus(given: _Distances, desc: descriptor, rng: np.random.Generator,
               values: Array) -> Array:
    found = [int(rng.integers(given.n))]
    given.far = given.with_one(values[found[0]])
    while len(found) < desc.cluster_count:
        tries = given.draw(rng, desc.local_trials_count)
        best = min(((given.with_one(values[t]), int(t)) for t in dict.fromkeys(tries.tolist())),
                   key=lambda pair: float(np.asarray(pair[0])[:given.n].sum(dtype=np.float64)))
        given.far = best[0]
        found.append(best[1])
    return np.array(found)


def _parallel(given: _Distances, desc: descriptor, rng: np.random.Generator,
              values: Array) -> Array:
    """Find candidates in rounds, weigh them by the rows near them, and take k-means++ of them."""
    found = [int(rng.integers(given.n))]
    given.far = given.with_one(values[found[0]])
    each = max(int(desc.oversampling_factor * desc.cluster_count), 1)
    for _ in range(desc.round_count):
        for row in dict.fromkeys(given.draw(rng, each).tolist()):
            found.append(int(row))
            given.far = given.with_one(values[row])
    while len(found) < desc.cluster_count:
        row = int(given.draw(rng, 1)[0])
        found.append(row)
        given.far = given.with_one(values[row])
    some = np.array(list(dict.fromkeys(found)))
    if some.size <= desc.cluster_count:
        return np.array(found[:desc.cluster_count])
    return some[_chosen(values[some].astype(np.float64), _near(values, some), desc, rng)]


def _near(values: Array, some: Array) -> Array:
    """Count the rows nearest to each candidate, block by block."""
    count = np.zeros(some.size)
    centres = values[some].astype(np.float64)
    for first in range(0, values.shape[0], 4096):
        block = values[first:first + 4096].astype(np.float64)
        far = (centres ** 2).sum(1) - 2 * block @ centres.T
        count += np.bincount(far.argmin(1), minlength=some.size)
    return count


def _chosen(rows: Array, weights: Array, desc: descriptor, rng: np.random.Generator) -> Array:
    """Take k-means++ of candidates that have weights."""
    found = [int(np.searchsorted(np.cumsum(weights), rng.random() * weights.sum()))]
    far = ((rows - rows[found[0]]) ** 2).sum(1)
    while len(found) < desc.cluster_count:
        total = np.cumsum(far * weights)
        if total[-1] == 0:
            left = np.setdiff1d(np.arange(len(rows)), found)
            found.append(int(left[0]))
            continue
        at = min(int(np.searchsorted(total, rng.random() * total[-1], side="right")),
                 len(rows) - 1)
        found.append(at)
        far = np.minimum(far, ((rows - rows[at]) ** 2).sum(1))
    return np.array(found)


ROUTINES = {"compute": compute}
