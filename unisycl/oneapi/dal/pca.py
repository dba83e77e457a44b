"""Principal components (oneDAL's pca), by the covariance of columns.

Non-goals: singular values of the rows themselves. Invariant: of each component the element that is
greatest in size is positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from unisycl.oneapi.dal import covariance
from unisycl.oneapi.dal.kernels import rows
from unisycl.oneapi.dal.records import descriptor as _descriptor
from unisycl.oneapi.dal.records import record
from unisycl.oneapi.dal.tables import table
from unisycl.oneapi.dal.work import Array, Work

partial_train_result = covariance.partial_compute_result


@dataclass
class descriptor(_descriptor):
    """What to compute.

    Args:
        component_count: how many components; 0 for as many as columns.
        normalization: "mean_center", or "zscore", which also makes all columns as wide.
        whiten: have ``infer`` divide by the standard deviation of each component.
    """

    algorithm: ClassVar[str] = "pca"
    component_count: int = 0
    normalization: str = "mean_center"
    whiten: bool = False

    def check(self) -> None:
        self.whole("component_count")
        self.choice("normalization", "mean_center", "zscore")


@dataclass
class model(record):
    """The components, one a row, and what is taken from the columns before."""

    eigenvectors: Array
    means: Array
    scales: Array | None
    eigenvalues: Array


@dataclass
class train_result(record):
    """The model, and how much of the variance each component explains."""

    model: model
    eigenvectors: Array
    eigenvalues: Array
    explained_variances_ratio: Array
    singular_values: Array
    means: Array
    variances: Array
    noise_variance: float


@dataclass
class infer_result(record):
    """The rows in terms of the components."""

    transformed_data: Array


def partial_train(work: Work, desc: descriptor, before: partial_train_result | None,
                  data: table) -> partial_train_result:
    """Add the rows of a table to what earlier ones say."""
    return covariance.partial_compute(work, covariance.descriptor(), before, data)


def finalize_train(work: Work, desc: descriptor, before: partial_train_result) -> train_result:
    """Return the components of all tables together."""
    found, kind = before.moments.over_ranks(work), before.dtype
    d, n = found.mean.size, found.count
    count = desc.component_count or min(d, n)
    if n < 2:
        work.undetermined("one row has no principal components; give two at least")
    if count > min(d, n):
        work.refuse(f"component_count is {count}; {n} rows of {d} columns have {min(d, n)} "
                    "components at most")
    matrix = found.cross / (n - 1)
    variances = np.diag(matrix).copy()
    scales = None
    if desc.normalization == "zscore":
        if not variances.all():
            work.undetermined("a constant column cannot be made as wide as others; leave it out, "
                              "or use normalization='mean_center'")
        scales = np.sqrt(variances)
        matrix = matrix / np.outer(scales, scales)
    values, vectors = np.linalg.eigh(matrix)
    values, vectors = np.maximum(values[::-1], 0), vectors[:, ::-1].T
    signs = np.sign(vectors[np.arange(d), np.abs(vectors).argmax(1)])
    vectors = vectors * signs[:, None]
    total = values.sum()
    first, rest = values[:count], values[count:min(d, n)]
    mine = model(vectors[:count].astype(kind), found.mean.astype(kind),
                 None if scales is None else scales.astype(kind), first.astype(kind))
    return train_result(mine, mine.eigenvectors, mine.eigenvalues,
                        (first / total if total else np.zeros(count)).astype(kind),
                        np.sqrt(first * (n - 1)).astype(kind), mine.means, variances.astype(kind),
                        float(rest.mean()) if rest.size else 0.0)


def train(work: Work, desc: descriptor, data: table) -> train_result:
    """Return the components of a table, or of those of all ranks."""
    return finalize_train(work, desc, partial_train(work, desc, None, data))


def infer(work: Work, desc: descriptor, fitted: model, data: table) -> infer_result:
    """Return rows in terms of the components."""
    work.need_rows(data)
    work.need_columns(data, fitted.means.size)
    vectors = np.asarray(fitted.eigenvectors, np.float64)
    if fitted.scales is not None:
        vectors = vectors / fitted.scales
    if desc.whiten:
        spread = np.sqrt(np.asarray(fitted.eigenvalues, np.float64))
        tiny = np.finfo(spread.dtype).eps
        vectors = vectors / np.maximum(spread, tiny)[:, None]
    n, d = data.row_count, data.column_count
    turned = work.empty(n * d)
    work.launch((d, n), rows.centre, np.int64(n), np.int64(d), work.rows(data),
                work.put(fitted.means), turned)
    return infer_result(np.ascontiguousarray(work.products(vectors, data, turned)))


ROUTINES = {"train": train, "infer": infer, "partial_train": partial_train,
            "finalize_train": finalize_train}
