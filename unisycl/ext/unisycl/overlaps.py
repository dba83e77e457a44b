"""Whether two operands lie in one memory, and whether element by element.

Non-goals: arrays of other libraries in the memory of a device. Invariant: what may overlap is said
to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unisycl.api.memory.usm import usm_pointer


def meet(one: Any, other: Any) -> bool:
    """Say whether some element of one may lie where one of the other does."""
    a, b = _bounds(one), _bounds(other)
    if a is None or b is None or a[0] >= b[1] or b[0] >= a[1]:
        return False
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return bool(np.shares_memory(one, other))
    return True


def alike(one: Any, other: Any) -> bool:
    """Say whether each element of one lies where that of the other does."""
    return bool(_bounds(one) == _bounds(other) and one.dtype == other.dtype
                and _strides(one) == _strides(other))


def _bounds(x: Any) -> tuple[int, int] | None:
    if isinstance(x, np.ndarray):
        low, high = np.lib.array_utils.byte_bounds(x)
        return int(low), int(high)
    if isinstance(x, usm_pointer):
        return x.address(), x.address() + x.byte_size()
    return None


def _strides(x: Any) -> tuple[int, ...]:
    """Return the steps in bytes of the dimensions that have more than one element."""
    shape = tuple(x.shape)
    steps = x.strides if isinstance(x, np.ndarray) else tuple(
        int(np.prod(shape[k + 1:], dtype=np.int64)) * x.dtype.itemsize for k in range(len(shape)))
    return tuple(s for s, n in zip(steps, shape, strict=True) if n > 1)
