"""oneDAL's algorithms by our own kernels, on every device.

Non-goals: the algorithms. Invariant: a routine is known as ``algorithm.verb``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.dal import (
    basic_statistics,
    covariance,
    dbscan,
    decision_forest,
    distances,
    kernel_functions,
    kmeans,
    kmeans_init,
    knn,
    linear_regression,
    logistic_regression,
    pca,
    svm,
)

_MODULES: Any = (basic_statistics, covariance, dbscan, decision_forest, kmeans, kmeans_init, knn,
                 linear_regression, logistic_regression, pca, svm)
ROUTINES: dict[str, Callable[..., Any]] = {
    f"{m.descriptor.algorithm}.{verb}": work for m in _MODULES for verb, work in m.ROUTINES.items()}
ROUTINES |= {f"{c.descriptor.algorithm}.compute": distances.compute
             for c in (*distances.DISTANCES, *kernel_functions.KERNELS)}


class Own:
    """All algorithms."""

    def version(self) -> str:
        """Return what they are."""
        return "unisycl's kernels"

    def serves(self, device: sycl.device) -> bool:
        """Say that kernels run on every device."""
        del device
        return True

    def routine(self, name: str, dtype: np.dtype[Any]) -> Callable[..., Any] | None:
        """Return what does the work of an algorithm."""
        del dtype
        return ROUTINES.get(name.removeprefix("ranks."))


def load(name: str) -> Own:
    """Return the provider."""
    del name
    return Own()
