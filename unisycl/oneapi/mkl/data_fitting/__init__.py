"""Public: oneMKL's data fitting: splines through values, and what they are between them.

Non-goals: smoothing, functions of several variables.
"""

from unisycl.oneapi.mkl.data_fitting.kinds import (
    bc_type,
    cubic_spline,
    derivative,
    interpolate_hint,
    linear_spline,
    partition_hint,
    storage_hint,
)
from unisycl.oneapi.mkl.data_fitting.splines import interpolate, spline

__all__ = ["bc_type", "cubic_spline", "derivative", "interpolate", "interpolate_hint",
           "linear_spline", "partition_hint", "spline", "storage_hint"]
