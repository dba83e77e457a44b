"""The types of what functions of numbers make, as kernels compute them.

Non-goals: results that are no numbers. Invariant: a function is not run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from unisycl.base.errors import UsageError, errc
from unisycl.frontend.results import types_of


def result_type(function: Callable[..., Any], *operands: Any) -> Any:
    """Return the type that a kernel computes a function's result in, as ``numpy.result_type`` does.

    All paths of the function count, and it is not run.

    Args:
        function: a function of numbers, written as a kernel's functions are.
        operands: one for each operand: a type, an array or USM (its elements), a number (of
            Python's, as NumPy takes it), or a tuple of these.

    Returns a dtype, or a tuple of them for a function that returns a tuple. Raises ``UsageError``
    if the function returns no number or cannot be compiled.
    """
    found = types_of(function, *map(_sample, operands))
    if found is None:
        name = getattr(function, "__name__", type(function).__name__)
        raise UsageError(errc.invalid, "result_type: a kernel cannot tell the type of what "
                         f"'{name}' makes of these; it returns no number, or cannot be compiled")
    return found


def _sample(x: Any) -> Any:
    if isinstance(x, tuple):
        return tuple(map(_sample, x))
    if isinstance(x, bool | int | float | complex | np.generic):
        return x
    kind = np.dtype(x if isinstance(x, type | str | np.dtype) else x.dtype)
    return np.zeros(1, kind)[0] if kind.kind == "V" else kind.type(1)
