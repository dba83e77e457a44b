"""Distances of rows (oneDAL's distances): Minkowski, Chebyshev, cosine, correlation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unisycl.oneapi.dal.kernels import pairs, records
from unisycl.oneapi.dal.records import descriptor as _descriptor
from unisycl.oneapi.dal.records import record
from unisycl.oneapi.dal.tables import homogen_table, table
from unisycl.oneapi.dal.work import Array, Work


@dataclass
class compute_result(record):
    """A number for each row of the first table (down) and of the second (along)."""

    values: Array


@dataclass
class _Minkowski(_descriptor):
    """The root of the sum of powers; ``degree`` 2 is Euclid's distance, 1 the city's blocks."""

    algorithm: ClassVar[str] = "minkowski_distance"
    degree: float = 2.0

    def check(self) -> None:
        self.number("degree", 1)

    def rule(self, kind: Any) -> records.rule:
        """Return how kernels compare rows."""
        if self.degree == 2:
            return records.rule(pairs.square, pairs.root, kind, kind(0), kind(0))
        if self.degree == 1:
            return records.rule(pairs.magnitude, pairs.same, kind, kind(0), kind(0))
        if np.isinf(self.degree):
            return records.rule(pairs.greatest, pairs.same, kind, kind(0), kind(0))
        return records.rule(pairs.power, pairs.any_root, kind, kind(self.degree),
                            kind(1 / self.degree))


@dataclass
class _Squared(_descriptor):
    """The sum of squares."""

    algorithm: ClassVar[str] = "squared_euclidean_distance"

    def rule(self, kind: Any) -> records.rule:
        """Return how kernels compare rows."""
        return records.rule(pairs.square, pairs.same, kind, kind(0), kind(0))


@dataclass
class _Chebyshev(_descriptor):
    """The greatest difference."""

    algorithm: ClassVar[str] = "chebyshev_distance"

    def rule(self, kind: Any) -> records.rule:
        """Return how kernels compare rows."""
        return records.rule(pairs.greatest, pairs.same, kind, kind(0), kind(0))


@dataclass
class _Cosine(_descriptor):
    """One less the cosine of the angle between two rows."""

    algorithm: ClassVar[str] = "cosine_distance"
    centred: ClassVar[bool] = False

    def rule(self, kind: Any) -> records.rule:
        """Return how kernels compare rows of length 1."""
        return records.rule(pairs.product, pairs.rest, kind, kind(0), kind(0))

    def of_length_one(self, work: Work, data: table) -> table:
        """Return the rows divided by their lengths."""
        found = work.array(data).astype(np.float64)
        largest = np.abs(found).max(1, keepdims=True)
        found /= np.where(largest > 0, largest, 1)  # squares of what is left are in range
        if self.centred:
            found -= found.mean(1, keepdims=True)
        length = np.sqrt((found * found).sum(1, keepdims=True))
        if (length <= np.finfo(np.float64).eps * data.column_count).any():
            work.undetermined("a row is constant and has no correlation; leave it out"
                              if self.centred else
                              "a row is zero and has no direction; leave it out")
        return homogen_table((found / length).astype(work.dtype))


@dataclass
class _Correlation(_Cosine):
    """One less the correlation of two rows."""

    algorithm: ClassVar[str] = "correlation_distance"
    centred: ClassVar[bool] = True


def compute(work: Work, desc: Any, x: table, y: table | None = None) -> compute_result:
    """Return the distances of all rows of one table from all rows of another, or its own."""
    y = x if y is None else y
    for data in (x, y):
        work.need_rows(data)
    work.need_columns(y, x.column_count)
    if isinstance(desc, _Cosine):
        for data in (x, y):
            work.rows(data)
        x, y = desc.of_length_one(work, x), desc.of_length_one(work, y)
    n, m = x.row_count, y.row_count
    right = records.rows(work.columns(y), np.int64(m), np.int64(y.column_count))
    found = work.compare_all(work.rows(x), (n, x.column_count), right, desc.rule(work.kind))
    values = work.host(found)[:n * m].reshape(n, m)
    if isinstance(desc, _Minkowski) and (not np.isfinite(values).all() or _is_small(work, x, y)):
        left = records.rows(work.rows(x), np.int64(n), np.int64(x.column_count))
        work.launch((n, m), pairs.scaled, left, right, desc.rule(work.kind), found)
        values = work.host(found)[:n * m].reshape(n, m)
    if not np.isfinite(values).all():
        work.undetermined("distances are beyond what the type holds; scale the columns, or give "
                          "float64")
    return compute_result(values)


def _is_small(work: Work, *tables: table) -> bool:
    """Say whether tables have elements so small that powers of differences may vanish."""
    for data in tables:
        found = np.abs(work.array(data))
        if ((found < work.smallest()) & (found > 0)).any():
            return True
    return False


ROUTINES = {"compute": compute}


class minkowski_distance:
    """The root of the sum of powers of differences."""

    descriptor = _Minkowski


class squared_euclidean_distance:
    """The sum of squared differences."""

    descriptor = _Squared


class chebyshev_distance:
    """The greatest difference."""

    descriptor = _Chebyshev


class cosine_distance:
    """One less the cosine."""

    descriptor = _Cosine


class correlation_distance:
    """One less the correlation."""

    descriptor = _Correlation


DISTANCES = (minkowski_distance, squared_euclidean_distance, chebyshev_distance, cosine_distance,
             correlation_distance)
