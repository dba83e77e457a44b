"""Means, covariances and correlations of columns (oneDAL's covariance)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unisycl.oneapi.dal.moments import Moments, moments
from unisycl.oneapi.dal.records import descriptor as _descriptor
from unisycl.oneapi.dal.records import record
from unisycl.oneapi.dal.tables import table
from unisycl.oneapi.dal.work import Array, Work

_RESULTS = ("cov_matrix", "cor_matrix", "means")


@dataclass
class descriptor(_descriptor):
    """What to compute.

    Args:
        result_options: which of cov_matrix, cor_matrix and means.
        bias: divide by the number of rows, not by one less.
        assume_centered: take the means to be zero.
    """

    algorithm: ClassVar[str] = "covariance"
    result_options: tuple[str, ...] = ("cov_matrix", "means")
    bias: bool = False
    assume_centered: bool = False

    def check(self) -> None:
        wrong = [r for r in self.result_options if r not in _RESULTS]
        if wrong or not self.result_options:
            self.refuse(f"result_options are some of {', '.join(_RESULTS)}, got "
                        f"{self.result_options!r}")


@dataclass
class compute_result(record):
    """What was asked for; None for the rest."""

    cov_matrix: Array | None = None
    cor_matrix: Array | None = None
    means: Array | None = None


@dataclass
class partial_compute_result(record):
    """What the tables so far say."""

    moments: Moments
    dtype: Any


def partial_compute(work: Work, desc: descriptor, before: partial_compute_result | None,
                    data: table) -> partial_compute_result:
    """Add the rows of a table to what earlier ones say."""
    work.need_rows(data)
    if before is not None:
        work.need_columns(data, before.moments.mean.size)
    found = moments(work, data)
    return partial_compute_result(
        found.joined(None if before is None else before.moments), work.dtype)


def finalize_compute(work: Work, desc: descriptor,
                     before: partial_compute_result) -> compute_result:
    """Return what all tables together say."""
    found = before.moments.over_ranks(work)
    cross, least = found.cross, 1 if desc.bias or desc.assume_centered else 2
    if found.count < least:
        work.undetermined(f"{found.count} rows have no covariance; give {least} at least")
    if desc.assume_centered:
        cross = cross + np.outer(found.mean, found.mean) * found.count
    divisor = found.count if desc.bias or desc.assume_centered else found.count - 1
    result = compute_result()
    if "cov_matrix" in desc.result_options:
        result.cov_matrix = (cross / divisor).astype(before.dtype)
    if "cor_matrix" in desc.result_options:
        spread = np.sqrt(np.diag(cross))
        if not spread.all():
            where = ", ".join(str(k) for k in np.flatnonzero(spread == 0)[:5])
            work.undetermined(f"column {where} is constant and has no correlations; leave it out")
        result.cor_matrix = (cross / np.outer(spread, spread)).astype(before.dtype)
    if "means" in desc.result_options:
        result.means = found.mean.astype(before.dtype)
    return result


def compute(work: Work, desc: descriptor, data: table) -> compute_result:
    """Return what a table, or those of all ranks, say."""
    return finalize_compute(work, desc, partial_compute(work, desc, None, data))


ROUTINES = {"compute": compute, "partial_compute": partial_compute,
            "finalize_compute": finalize_compute}
