"""Public: oneMKL's BLAS: ``column_major.gemm(queue, ...)``, ``row_major.gemm(queue, ...)``.

Routines without a namespace are those of ``column_major``, as in C++. Each takes a queue, oneMKL's
arguments in their order, and ``dependencies``, and returns an event. Non-goals: computing.
"""

from typing import Any

from unisycl.oneapi.mkl.blas.routines import Namespace
from unisycl.oneapi.mkl.names import layout

column_major = Namespace(layout.col_major)
row_major = Namespace(layout.row_major)

__all__ = ["column_major", "row_major"]


def __getattr__(name: str) -> Any:
    return getattr(column_major, name)
