"""Public: oneMKL's sparse BLAS: handles of matrices, products, solutions, and what prepares them.

Non-goals: dense matrices (``mkl.blas``).
"""

from unisycl.oneapi.mkl.sparse.matmat import matmat, omatcopy
from unisycl.oneapi.mkl.sparse.matrices import (
    csr_data,
    init_matrix_handle,
    matrix_handle,
    release_matrix_handle,
    set_bsr_data,
    set_coo_data,
    set_csr_data,
)
from unisycl.oneapi.mkl.sparse.plans import optimize_gemm, optimize_gemv, optimize_trsv
from unisycl.oneapi.mkl.sparse.routines import gemm, gemv, trsv

__all__ = ["csr_data", "gemm", "gemv", "init_matrix_handle", "matmat", "matrix_handle", "omatcopy",
           "optimize_gemm", "optimize_gemv", "optimize_trsv", "release_matrix_handle",
           "set_bsr_data", "set_coo_data", "set_csr_data", "trsv"]
