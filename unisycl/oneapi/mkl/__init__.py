"""Public: oneMKL on a queue: its libraries, and who does their work.

Non-goals: computing. Invariant: a routine is a command of its queue.
"""

from typing import Any

from unisycl.oneapi.frame.providers import available, provider, using
from unisycl.oneapi.frame.providers import provider_of as _provider_of
from unisycl.oneapi.mkl import blas, data_fitting, dft, lapack, rng, sparse, stats, vm
from unisycl.oneapi.mkl.names import (
    batch_error,
    computation_error,
    diag,
    generate,
    index_base,
    invalid_argument,
    job,
    jobsvd,
    layout,
    side,
    transpose,
    uninitialized,
    uplo,
)

__all__ = ["available", "batch_error", "blas", "computation_error", "data_fitting", "dft", "diag",
           "generate", "index_base", "invalid_argument", "job", "jobsvd", "lapack", "layout",
           "provider", "provider_of", "rng", "side", "sparse", "stats", "transpose",
           "uninitialized", "uplo", "using", "vm"]


def provider_of(where: Any, library: str = "mkl.blas", routine: str = "",
                dtype: Any = "float32") -> provider:
    """Return who serves a library's routine on a queue or a device.

    Args:
        where: a queue or a device.
        library: ``"mkl.blas"``, ``"mkl.lapack"`` and so on.
        routine: as ``"gemm"``; left out, the one that the library is known for.
        dtype: the type of its elements.
    """
    return _provider_of(where, library, routine, dtype)
