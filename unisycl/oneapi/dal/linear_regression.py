"""Linear and ridge regression (oneDAL's linear_regression), by the normal equations.

Invariants: the intercept is not penalised. Where the columns are so nearly dependent that the
normal equations lose too many digits, the rows themselves are solved on the host; where these are
not at hand (online, ranks) that is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unisycl.oneapi.dal.moments import Moments, moments
from unisycl.oneapi.dal.records import descriptor as _descriptor
from unisycl.oneapi.dal.records import record
from unisycl.oneapi.dal.tables import homogen_table, table
from unisycl.oneapi.dal.work import Array, Work


@dataclass
class descriptor(_descriptor):
    """What to compute.

    Args:
        compute_intercept: whether there is one.
        alpha: what the squares of the coefficients are multiplied by (ridge regression).
        on_singular: "least_norm" takes the shortest of all solutions, where columns depend on one
            another; "refuse" raises.
    """

    algorithm: ClassVar[str] = "linear_regression"
    compute_intercept: bool = True
    alpha: float = 0.0
    on_singular: str = "refuse"

    def check(self) -> None:
        self.number("alpha", 0)
        self.choice("on_singular", "least_norm", "refuse")


@dataclass
class model(record):
    """Coefficients, one row for each response, and intercepts."""

    coefficients: Array
    intercept: Array


@dataclass
class train_result(record):
    """The model, and how many columns are independent."""

    model: model
    coefficients: Array
    intercept: Array
    rank: int


@dataclass
class infer_result(record):
    """What the model says of each row, one column for each response."""

    responses: Array


@dataclass
class partial_train_result(record):
    """What the tables so far say."""

    moments: Moments
    columns: int
    rows: tuple[Array, Array] | None
    dtype: Any


def _stacked(work: Work, data: table, responses: table) -> Array:
    work.need_rows(data)
    if responses.row_count != data.row_count or responses.column_count < 1:
        work.refuse(f"there are {data.row_count} rows and {responses.row_count} responses")
    both = [work.array(t) for t in (data, responses)]
    return np.hstack(both).astype(np.float64 if work.doubles else np.float32)


def partial_train(work: Work, desc: descriptor, before: partial_train_result | None, data: table,
                  responses: table, *, keep: bool = False) -> partial_train_result:
    """Add the rows of a table to what earlier ones say."""
    both = _stacked(work, data, responses)
    width, rows = data.column_count, (both[:, :data.column_count], both[:, data.column_count:])
    if before is not None and (before.columns != width
                               or before.moments.mean.size != both.shape[1]):
        work.refuse(f"the tables have {width} and {responses.column_count} columns where earlier "
                    f"ones had {before.columns} and {before.moments.mean.size - before.columns}")
    precise = Work(work.name, work.queue, both.dtype, work.comm)
    found = moments(precise, homogen_table(both)).joined(
        None if before is None else before.moments)
    return partial_train_result(found, width, rows if keep else None, work.dtype)


def finalize_train(work: Work, desc: descriptor, before: partial_train_result) -> train_result:
    """Return the model of all tables together."""
    found, d = before.moments.over_ranks(work), before.columns
    cross, mean = found.cross, found.mean
    if not desc.compute_intercept:
        cross = cross + np.outer(mean, mean) * found.count
    gram, right = cross[:d, :d] + desc.alpha * np.eye(d), cross[:d, d:]
    scale = np.sqrt(np.diag(gram))
    scale[scale == 0] = 1
    values, vectors = np.linalg.eigh(gram / np.outer(scale, scale))
    precise = 1e-10 if work.doubles else 1e-4
    if values[0] > precise * values[-1]:
        weights = vectors @ ((vectors.T @ (right / scale[:, None])) / values[:, None])
        weights, rank = weights / scale[:, None], d
    elif before.rows is not None and work.comm is None:
        weights, rank = _by_rows(work, desc, before.rows)
    else:
        work.undetermined("columns depend on one another, or nearly, and the rows are not at hand "
                          "to solve with; leave columns out, set alpha, or train in one batch")
    if rank < d and desc.on_singular == "refuse":
        work.undetermined(f"of {d} columns only {rank} are independent over these rows, so the "
                          "coefficients are not determined; leave columns out, give more rows, set "
                          "alpha, or on_singular='least_norm'")
    intercept = mean[d:] - mean[:d] @ weights if desc.compute_intercept else np.zeros(
        right.shape[1])
    mine = model(weights.T.astype(before.dtype), intercept.astype(before.dtype))
    return train_result(mine, mine.coefficients, mine.intercept, rank)


def _by_rows(work: Work, desc: descriptor, rows: tuple[Array, Array]) -> tuple[Array, int]:
    """Solve with the rows themselves, by singular values."""
    x, y = (a.astype(np.float64) for a in rows)
    if desc.compute_intercept:
        x, y = x - x.mean(0), y - y.mean(0)
    if desc.alpha:
        d = x.shape[1]
        x = np.vstack([x, np.sqrt(desc.alpha) * np.eye(d)])
        y = np.vstack([y, np.zeros((d, y.shape[1]))])
    tiny = np.finfo(np.float64 if work.dtype == np.float64 else np.float32).eps
    found, _, rank, _ = np.linalg.lstsq(x, y, rcond=tiny * max(x.shape))
    return found, int(rank)


def train(work: Work, desc: descriptor, data: table, responses: table) -> train_result:
    """Return the model of a table, or of those of all ranks."""
    return finalize_train(work, desc, partial_train(work, desc, None, data, responses, keep=True))


def infer(work: Work, desc: descriptor, fitted: model, data: table) -> infer_result:
    """Return what the model says of rows."""
    work.need_rows(data)
    work.need_columns(data, fitted.coefficients.shape[1])
    found = work.products(fitted.coefficients, data, work.columns(data))
    return infer_result(found + np.asarray(fitted.intercept, work.dtype))


ROUTINES = {"train": train, "infer": infer, "partial_train": partial_train,
            "finalize_train": finalize_train}
