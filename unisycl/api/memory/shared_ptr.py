"""Data that a program and a buffer own together (``std::shared_ptr`` in SYCL 2020 §4.7.2.1).

Non-goals: counting; Python does that. Invariant: a buffer keeps the memory, never the owner, so the
owner's end tells that nobody is left to see what would be written back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call


@ends_at_call
class shared_ptr:
    """Shared ownership of an array (SYCL 2020 §4.7.2.1, §4.7.4); copies share it too.

    A buffer made from one uses the array in place, but its end waits and writes back only while the
    program still holds the ``shared_ptr`` (or a reference to it).

    Args:
        array: a writable NumPy array; left out, the pointer is empty.
    """

    __slots__ = ("__weakref__", "_array")

    def __init__(self, array: np.ndarray[Any, Any] | None = None) -> None:
        if array is not None and not isinstance(array, np.ndarray):
            raise UsageError(errc.invalid, "shared_ptr: expected a NumPy array, got "
                             f"{type(array).__name__}")
        self._array = array

    def get(self) -> np.ndarray[Any, Any] | None:
        """Return the array; None if the pointer is empty."""
        return self._array

    def __bool__(self) -> bool:
        return self._array is not None

    def __copy__(self) -> shared_ptr:
        return self

    def __deepcopy__(self, memo: object) -> shared_ptr:
        return self

    def __repr__(self) -> str:
        if self._array is None:
            return "<shared_ptr: empty>"
        extent = " x ".join(map(str, self._array.shape))
        return f"<shared_ptr: {extent} of {self._array.dtype}>"
