"""Public: oneMKL's summary statistics: ``mean(queue, make_dataset(d, n, x), result)`` and so on.

By our kernels on every device. Non-goals: weights.
"""

from unisycl.oneapi.mkl.stats.routines import (
    central_moment,
    central_sum,
    dataset,
    kurtosis,
    layout,
    make_dataset,
    mean,
    min_max,
    quantiles,
    raw_moment,
    raw_sum,
    skewness,
    variance,
    variation,
)
from unisycl.oneapi.mkl.stats.routines import largest as max
from unisycl.oneapi.mkl.stats.routines import smallest as min

__all__ = ["central_moment", "central_sum", "dataset", "kurtosis", "layout", "make_dataset", "max",
           "mean", "min", "min_max", "quantiles", "raw_moment", "raw_sum", "skewness", "variance",
           "variation"]
