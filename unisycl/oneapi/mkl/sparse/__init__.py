"""Public: oneMKL's sparse BLAS: handles of matrices, ``gemv``, ``gemm``, ``trsv``.

Non-goals: products of two sparse matrices.
"""

from unisycl.oneapi.mkl.sparse.matrices import (
    init_matrix_handle,
    matrix_handle,
    release_matrix_handle,
    set_coo_data,
    set_csr_data,
)
from unisycl.oneapi.mkl.sparse.routines import (
    gemm,
    gemv,
    optimize_gemm,
    optimize_gemv,
    optimize_trsv,
    trsv,
)

__all__ = ["gemm", "gemv", "init_matrix_handle", "matrix_handle", "optimize_gemm",
           "optimize_gemv", "optimize_trsv", "release_matrix_handle", "set_coo_data",
           "set_csr_data", "trsv"]
