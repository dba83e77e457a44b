"""Extremes, sums and moments of columns (oneDAL's basic_statistics)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from unisycl.oneapi.dal.kernels import records, sums
from unisycl.oneapi.dal.moments import means, part_of
from unisycl.oneapi.dal.records import descriptor as _descriptor
from unisycl.oneapi.dal.records import record
from unisycl.oneapi.dal.tables import table
from unisycl.oneapi.dal.work import Array, Work

_RESULTS = ("min", "max", "sum", "sum_squares", "sum_squares_centered", "mean",
            "second_order_raw_moment", "variance", "standard_deviation", "variation")


@dataclass
class descriptor(_descriptor):
    """What to compute: ``result_options``, all if left out."""

    algorithm: ClassVar[str] = "basic_statistics"
    result_options: tuple[str, ...] = _RESULTS

    def check(self) -> None:
        wrong = [r for r in self.result_options if r not in _RESULTS]
        if wrong or not self.result_options:
            self.refuse(f"result_options are some of {', '.join(_RESULTS)}, got "
                        f"{self.result_options!r}")


@dataclass
class compute_result(record):
    """One number a column of each that was asked for; None for the rest."""

    min: Array | None = None
    max: Array | None = None
    sum: Array | None = None
    sum_squares: Array | None = None
    sum_squares_centered: Array | None = None
    mean: Array | None = None
    second_order_raw_moment: Array | None = None
    variance: Array | None = None
    standard_deviation: Array | None = None
    variation: Array | None = None


@dataclass
class partial_compute_result(record):
    """What the tables so far say, in float64: count, extremes, means, squares about them."""

    count: int
    low: Array
    high: Array
    mean: Array
    squares: Array
    dtype: Any


def partial_compute(work: Work, desc: descriptor, before: partial_compute_result | None,
                    data: table) -> partial_compute_result:
    """Add the rows of a table to what earlier ones say."""
    work.need_rows(data)
    n, d = data.row_count, data.column_count
    x = work.rows(data)
    part = part_of(n)
    parts = -(-n // part)
    given = records.rows(x, np.int64(n), np.int64(d), np.int64(part))
    low, high, total = (work.empty(parts * d) for _ in range(3))
    work.launch((parts, d), sums.extremes, given, low, high)
    mean = means(work, data, x)
    shift = mean.astype(work.dtype)
    work.launch((parts, d), sums.squares, given, work.put(shift), work.kind(0), total)
    shaped = [work.host(m)[:parts * d].reshape(parts, d).astype(np.float64)
              for m in (low, high, total)]
    squares = shaped[2].sum(0) - (mean - shift) ** 2 * n
    found = partial_compute_result(n, shaped[0].min(0), shaped[1].max(0), mean, squares,
                                   work.dtype)
    if before is None:
        return found
    work.need_columns(data, before.mean.size)
    return _joined(before, found)


def _joined(a: partial_compute_result, b: partial_compute_result) -> partial_compute_result:
    count = a.count + b.count
    step = b.mean - a.mean
    return partial_compute_result(
        count, np.minimum(a.low, b.low), np.maximum(a.high, b.high),
        a.mean + step * (b.count / count),
        a.squares + b.squares + step * step * (a.count * b.count / count), a.dtype)


def finalize_compute(work: Work, desc: descriptor,
                     before: partial_compute_result) -> compute_result:
    """Return what all tables together say."""
    count = int(work.together(np.array([before.count], np.int64))[0])
    mean = work.together(before.mean * before.count) / count
    centred = work.together(before.squares + (before.mean - mean) ** 2 * before.count)
    asked = set(desc.result_options)
    if count < 2 and asked & {"variance", "standard_deviation", "variation"}:
        work.undetermined("one row has no variance; give two at least, or ask for other results")
    if "variation" in asked and not mean.all():
        work.undetermined("a column has the mean 0, so the standard deviation over the mean is not "
                          "determined; ask for other results")
    raw = centred + mean * mean * count
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = centred / (count - 1) if count > 1 else centred
        every = {"min": work.together(before.low, "min"), "max": work.together(before.high, "max"),
                 "sum": mean * count, "sum_squares": raw, "sum_squares_centered": centred,
                 "mean": mean, "second_order_raw_moment": raw / count, "variance": variance,
                 "standard_deviation": np.sqrt(variance), "variation": np.sqrt(variance) / mean}
    return compute_result(**{k: v.astype(before.dtype) for k, v in every.items() if k in asked})


def compute(work: Work, desc: descriptor, data: table) -> compute_result:
    """Return what a table, or those of all ranks, say."""
    return finalize_compute(work, desc, partial_compute(work, desc, None, data))


ROUTINES = {"compute": compute, "partial_compute": partial_compute,
            "finalize_compute": finalize_compute}
