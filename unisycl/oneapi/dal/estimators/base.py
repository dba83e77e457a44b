"""What estimators have in common: their device, and checks as scikit-learn makes them.

Non-goals: the algorithms. Invariant: parameters are kept as they were given; what is wrong raises
``ValueError``, as scikit-learn's estimators do.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

import unisycl as sycl
from unisycl.oneapi.dal import dispatch
from unisycl.oneapi.dal.errors import domain_error, invalid_argument

FLOATS = (np.float64, np.float32)


@functools.lru_cache(maxsize=16)
def _queue(device: str | None) -> sycl.queue:
    return sycl.queue() if device is None else sycl.queue(device)


class Estimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """An estimator whose work is done on a queue; ``device`` names its device."""

    device: str | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = False
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _rows(self, x: Any, **more: Any) -> Any:
        """Return rows that were given to ``fit``."""
        return validate_data(self, x, dtype=FLOATS, order="C", **more)

    def _asked(self, x: Any) -> Any:
        """Return rows that a fitted estimator is asked about."""
        check_is_fitted(self)
        return validate_data(self, x, reset=False, dtype=FLOATS, order="C")

    def _run(self, verb: str, desc: Any, *given: Any) -> Any:
        """Do the work of a verb of oneDAL's."""
        try:
            return getattr(dispatch, verb)(_queue(self.device), desc, *given)
        except (invalid_argument, domain_error) as error:
            raise ValueError(f"{type(self).__name__}: {error}") from None

    def _seed(self) -> int:
        """Return a seed that ``random_state`` gives."""
        return int(check_random_state(getattr(self, "random_state", None)).randint(1 << 31))

    def _classes(self, y: Any) -> Any:
        """Keep the classes, and return which one each row is of."""
        check_classification_targets(y)
        self.classes_, found = np.unique(y, return_inverse=True)
        if self.classes_.size < 2:
            raise ValueError(f"{type(self).__name__} needs rows of two classes at least; the data "
                             "has 1 class")
        return found.reshape(-1)

    def _described(self, make: Any, **fields: Any) -> Any:
        """Return a descriptor; what is wrong raises ``ValueError``."""
        try:
            return make(**fields)
        except invalid_argument as error:
            raise ValueError(f"{type(self).__name__}: {error}") from None
