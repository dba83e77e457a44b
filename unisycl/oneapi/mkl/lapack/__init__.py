"""Public: oneMKL's LAPACK: ``getrf(queue, m, n, a, lda, ipiv, scratchpad, scratchpad_size)``.

Matrices lie column by column. A scratchpad may be given, as C++ asks for it, and is not needed.
Non-goals: computing.
"""

from typing import Any

from unisycl.oneapi.mkl.lapack.routines import make
from unisycl.oneapi.mkl.names import batch_error, computation_error, invalid_argument

_ROUTINES = make()
__all__ = ["batch_error", "computation_error", "invalid_argument"]


def __getattr__(name: str) -> Any:
    try:
        return _ROUTINES[name]
    except KeyError:
        raise AttributeError(f"oneMKL's LAPACK has no routine '{name}'") from None


def __dir__() -> list[str]:
    return sorted([*_ROUTINES, *__all__])
