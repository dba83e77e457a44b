"""Public: oneMKL's BLAS: ``column_major.gemm(queue, ...)``, ``row_major.gemm(queue, ...)``.

Routines without a namespace are those of ``column_major``, as in C++. Each takes a queue, oneMKL's
arguments in their order, and ``dependencies``, and returns an event. Non-goals: computing.
"""

from typing import Any

from unisycl.oneapi.mkl.blas.batches import Batch
from unisycl.oneapi.mkl.blas.modes import compute_mode
from unisycl.oneapi.mkl.blas.routines import Namespace
from unisycl.oneapi.mkl.blas.table import BATCHED, ROUTINES
from unisycl.oneapi.mkl.names import layout


def _made(order: Any) -> Any:
    found = Namespace(order)
    for name in BATCHED:
        setattr(found, f"{name}_batch", Batch(getattr(found, name), ROUTINES[name], order))
    return found


column_major = _made(layout.col_major)
row_major = _made(layout.row_major)

__all__ = ["column_major", "compute_mode", "row_major"]


def __getattr__(name: str) -> Any:
    return getattr(column_major, name)
