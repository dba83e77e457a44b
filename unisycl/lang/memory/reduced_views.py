"""What NumPy computes of a whole row of memory, on the host device: ``a[i].sum()``.

Non-goals: which rows the kernel language allows. Invariant: NumPy does it, over the elements in
place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.base.enums import access_mode
from unisycl.base.errors import UsageError, errc


class ReducedView:
    """Memory with NumPy's methods of rows; arguments are those that NumPy's functions hand on."""

    __slots__ = ()
    _data: np.ndarray[tuple[int, ...], np.dtype[Any]]
    _mode: access_mode
    _name: str

    def _elements(self) -> np.ndarray[tuple[int, ...], np.dtype[Any]]:
        if not self._mode.reads:
            raise UsageError(errc.accessor, f"'{self._name}' is write-only here and cannot be "
                             "read; request read_write")
        return self._data

    def sum(self, axis: None = None, dtype: None = None, out: None = None) -> Any:
        """Return the sum of the elements."""
        return self._elements().sum()

    def mean(self, axis: None = None, dtype: None = None, out: None = None) -> Any:
        """Return the mean of the elements."""
        return self._elements().mean()

    def prod(self, axis: None = None, dtype: None = None, out: None = None) -> Any:
        """Return the product of the elements."""
        return self._elements().prod()

    def max(self, axis: None = None, out: None = None) -> Any:
        """Return the largest element."""
        return self._elements().max()

    def min(self, axis: None = None, out: None = None) -> Any:
        """Return the smallest element."""
        return self._elements().min()

    def argmax(self, axis: None = None, out: None = None) -> Any:
        """Return where the first of the largest elements is."""
        return self._elements().argmax()

    def argmin(self, axis: None = None, out: None = None) -> Any:
        """Return where the first of the smallest elements is."""
        return self._elements().argmin()

    def any(self, axis: None = None, out: None = None) -> Any:
        """Say whether any element is not zero."""
        return self._elements().any()

    def all(self, axis: None = None, out: None = None) -> Any:
        """Say whether no element is zero."""
        return self._elements().all()
