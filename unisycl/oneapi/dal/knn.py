"""k nearest neighbours by brute force (oneDAL's knn): search, classification, regression.

Non-goals: trees of space. Invariant: of equal distances the row that comes first is the nearer one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unisycl.oneapi.dal.distances import chebyshev_distance, minkowski_distance
from unisycl.oneapi.dal.kernels import neighbours, pairs, records
from unisycl.oneapi.dal.records import descriptor as _descriptor
from unisycl.oneapi.dal.records import record
from unisycl.oneapi.dal.tables import table
from unisycl.oneapi.dal.work import Array, Work


@dataclass
class descriptor(_descriptor):
    """What to compute.

    Args:
        neighbor_count: how many neighbours.
        class_count: how many classes, numbered from 0; for the task "classification".
        task: "search", "classification" or "regression".
        voting_mode: "uniform", or "distance": a neighbour counts by one over its distance.
        distance: a descriptor of minkowski_distance or chebyshev_distance.
    """

    algorithm: ClassVar[str] = "knn"
    neighbor_count: int = 5
    class_count: int = 2
    task: str = "search"
    voting_mode: str = "uniform"
    distance: Any = None

    def check(self) -> None:
        self.whole("neighbor_count", 1)
        self.whole("class_count", 1)
        self.choice("task", "search", "classification", "regression")
        self.choice("voting_mode", "uniform", "distance")
        if self.distance is None:
            self.distance = minkowski_distance.descriptor()
        if not isinstance(self.distance, minkowski_distance.descriptor
                          | chebyshev_distance.descriptor):
            self.refuse("distance must be a descriptor of minkowski_distance or "
                        f"chebyshev_distance, got {self.distance!r}")


@dataclass
class model(record):
    """The rows that are searched, and what belongs to them."""

    data: table
    responses: Array | None


@dataclass
class train_result(record):
    """The model."""

    model: model


@dataclass
class infer_result(record):
    """The neighbours of each row, how far they are, and what they say of it."""

    indices: Array
    distances: Array
    responses: Array | None = None
    probabilities: Array | None = None


def train(work: Work, desc: descriptor, data: table, responses: table | None = None,
          ) -> train_result:
    """Keep rows, and the class or the value of each."""
    work.need_rows(data)
    work.rows(data)
    if desc.task == "search":
        return train_result(model(data, None))
    if responses is None:
        work.refuse(f"the task '{desc.task}' needs a table of responses")
    assert responses is not None
    found = work.values("the table of responses", responses, data.row_count)
    if desc.task == "classification" and (
            (found != np.floor(found)).any() or found.min() < 0
            or found.max() >= desc.class_count):
        work.refuse(f"the responses must be whole numbers from 0 to {desc.class_count - 1}; set "
                    "class_count")
    return train_result(model(data, found.copy()))


def infer(work: Work, desc: descriptor, fitted: model, data: table) -> infer_result:
    """Find the neighbours of rows; each rank searches rows of its own, and asks for the same."""
    work.need_rows(data)
    work.need_columns(data, fitted.data.column_count)
    if work.comm is None and desc.neighbor_count > fitted.data.row_count:
        work.refuse(f"{desc.neighbor_count} neighbours are asked for, and there are "
                    f"{fitted.data.row_count} rows")
    ids, far, said = _search(work, desc, fitted, data)
    found = infer_result(ids, _rooted(desc, far))
    if desc.task == "search":
        return found
    weights = _weights(desc, found.distances)
    if desc.task == "regression":
        found.responses = (said * weights).sum(1) / weights.sum(1)
        return found
    votes = np.zeros((data.row_count, desc.class_count))
    where = np.repeat(np.arange(data.row_count), said.shape[1])
    np.add.at(votes, (where, said.astype(np.int64).reshape(-1)), weights.reshape(-1))
    found.probabilities = votes / votes.sum(1, keepdims=True)
    found.responses = votes.argmax(1)
    return found


def _weights(desc: descriptor, far: Array) -> Array:
    if desc.voting_mode == "uniform":
        return np.ones(far.shape)
    with np.errstate(divide="ignore"):
        found: Array = 1 / far.astype(np.float64)
    at_hand = np.isinf(found)
    some = at_hand.any(1)
    found[some] = at_hand[some]
    return found


def _rule(desc: descriptor, kind: Any) -> records.rule:
    """Return how rows are compared, without the root that no order needs."""
    found: records.rule = desc.distance.rule(kind)
    found.last = pairs.same
    return found


def _rooted(desc: descriptor, far: Array) -> Array:
    degree = getattr(desc.distance, "degree", np.inf)
    if degree == 1 or np.isinf(degree):
        return far
    return np.sqrt(far) if degree == 2 else far ** far.dtype.type(1 / degree)


def _search(work: Work, desc: descriptor, fitted: model, data: table) -> tuple[Array, Array, Array]:
    """Return neighbours, how far they are, and their responses."""
    n, count = data.row_count, min(desc.neighbor_count, fitted.data.row_count)
    query = records.rows(work.columns(data), np.int64(n), np.int64(data.column_count))
    rows = records.rows(work.rows(fitted.data), np.int64(fitted.data.row_count),
                        np.int64(data.column_count))
    best = records.best(work.empty(n * count, np.int32), work.empty(n * count), np.int64(count))
    work.launch(n, neighbours.nearest, query, rows, _rule(desc, work.kind), best)
    ids = work.host(best.ids)[:n * count].reshape(count, n).T.astype(np.int64)
    far = np.ascontiguousarray(np.asarray(best.far)[:n * count].reshape(count, n).T)
    if (ids < 0).any():
        work.undetermined("distances are beyond what the type holds; scale the columns, or give "
                          "float64")
    degree = getattr(desc.distance, "degree", np.inf)
    if degree != 1 and not np.isinf(degree):
        work.need_squares(fitted.data, far)
    known = np.zeros(fitted.data.row_count) if fitted.responses is None else fitted.responses
    said = known[ids].astype(np.float64)
    return _merged(work, desc, (ids, far, said), fitted.data.row_count)


def _merged(work: Work, desc: descriptor, mine: tuple[Array, Array, Array],
            rows: int) -> tuple[Array, Array, Array]:
    """Return the nearest of what all ranks found; rows are counted rank after rank."""
    if work.comm is None or work.comm.size() == 1:
        return mine
    counts = np.concatenate(work.gathered(np.array([rows], np.int64)))
    if counts.sum() < desc.neighbor_count:
        work.refuse(f"{desc.neighbor_count} neighbours are asked for, and all ranks have "
                    f"{counts.sum()} rows")
    before = int(counts[:work.comm.rank()].sum())
    parts = [np.concatenate(work.gathered(np.ascontiguousarray(a.T))).T
             for a in (mine[0] + before, mine[1], mine[2])]
    order = np.argsort(parts[1], axis=1, kind="stable")[:, :desc.neighbor_count]
    ids, far, said = (np.take_along_axis(p, order, 1) for p in parts)
    return ids, far, said


ROUTINES = {"train": train, "infer": infer}
