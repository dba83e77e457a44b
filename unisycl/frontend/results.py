"""Which types a function's results have: the kernel language is asked, nothing is run.

A function called with sample values takes one of its paths; here all paths count, as in a kernel.
Non-goals: results that are no numbers. Invariant: a kernel that stores the function's result
computes it in this type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from unisycl.base.errors import KernelError, UsageError
from unisycl.frontend import specialize
from unisycl.frontend.values.kind import Form
from unisycl.frontend.values.tuples import TupleForm
from unisycl.ir.types import Scalar
from unisycl.lang.kernels import called

Types: TypeAlias = "np.dtype[Any] | tuple[Types, ...]"


def types_of(function: Callable[..., Any], *samples: Any) -> Types | None:
    """Return the types of what a function of numbers makes; None where a kernel cannot tell.

    Args:
        function: a function as kernels call it.
        samples: numbers of its operands' types, and tuples of such; their values do not matter.
    """
    try:
        made = specialize.specialize(called.call, "single", 0, (function, *map(_given, samples)))
    except (KernelError, UsageError):
        return None  # where it is compiled for a device, it is refused at its line
    return _types(made.result)


def _types(form: Form | None) -> Types | None:
    if isinstance(form, TupleForm):
        parts = [_types(x) for x in form.items]
        return None if any(x is None for x in parts) else tuple(x for x in parts if x is not None)
    return form.dtype.numpy if type(form) is Scalar else None


def _given(sample: Any) -> Any:
    """Return what gives a kernel an operand that is known at run time only."""
    if isinstance(sample, tuple):
        return called.row(tuple(map(_given, sample)))
    return called.one(sample)
