"""Sparse matrices by our own kernels, on every device (``sparse.routines``).

Non-goals: launching them, which the routines do themselves. Invariant: all is served.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.mkl.blas.arguments import LETTERS


class OwnSparse:
    """All routines."""

    def version(self) -> str:
        """Return what they are."""
        return "unisycl's kernels"

    def serves(self, device: sycl.device) -> bool:
        """Say that kernels run on every device."""
        del device
        return True

    def routine(self, name: str, dtype: np.dtype[Any]) -> str | None:
        """Return the routine's name where there are kernels for the type."""
        return name if dtype in LETTERS else None


def load(name: str) -> OwnSparse:
    """Return the provider."""
    del name
    return OwnSparse()
