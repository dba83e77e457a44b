"""NumPy's logarithms of sums of exponentials, written in the kernel language.

Non-goals: types, which the caller has made one. Invariant: no exponential overflows; infinities and
NaN give what NumPy gives.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__kernel_language__ = True


def logaddexp(x: Any, y: Any) -> Any:
    """Return the logarithm of ``exp(x) + exp(y)``."""
    if x == y:  # infinities, too
        return x + 0.6931471805599453
    apart = x - y
    if apart > 0:
        return x + np.log1p(np.exp(-apart))
    if apart <= 0:
        return y + np.log1p(np.exp(apart))
    return apart


def logaddexp2(x: Any, y: Any) -> Any:
    """Return the logarithm to base 2 of ``2**x + 2**y``."""
    if x == y:
        return x + 1
    apart = x - y
    if apart > 0:
        return x + 1.4426950408889634 * np.log1p(np.exp2(-apart))
    if apart <= 0:
        return y + 1.4426950408889634 * np.log1p(np.exp2(apart))
    return apart
