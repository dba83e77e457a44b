"""The types of values: of what iterators give, and of what functions make of them.

Non-goals: the kernel language's own typing, which is asked (``frontend.results``). A function that
it cannot tell of is called once, with ones. Invariant: all paths of a function count, where one is
told.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import unisycl as sycl
from unisycl.oneapi.frame.operands import Type
from unisycl.oneapi.frame.refusals import refuse


def sample(kind: Type) -> Any:
    """Return a value of a type: ones."""
    if isinstance(kind, tuple):
        return tuple(sample(k) for k in kind)
    if kind.kind == "V":
        return np.zeros(1, kind)[0]
    return kind.type(1)


def type_of(value: Any) -> Type:
    """Return the type of a value; Python's numbers are int64, float64, complex128."""
    if isinstance(value, tuple):
        return tuple(type_of(v) for v in value)
    return np.asarray(value).dtype


def type_of_result(routine: str, function: Callable[..., Any], *kinds: Type) -> Type:
    """Return the type of what a function makes of values of some types."""
    operands = [sample(k) for k in kinds]
    with contextlib.suppress(sycl.UsageError):
        told: Type = sycl.ext.unisycl.result_type(function, *operands)
        return told
    try:
        with np.errstate(all="ignore"):
            found = type_of(function(*operands))
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError,
            sycl.exception) as error:
        refuse(routine, f"the function cannot be asked for the type of its results ({error}); "
               "give dtype=")
    if not isinstance(found, tuple) and found.kind not in "biufcV":
        refuse(routine, f"the function returns no number for {kinds[0]}; give dtype=")
    return found


def scalar(routine: str, what: str, kind: npt.DTypeLike | Type) -> np.dtype[Any]:
    """Return a type that must be of numbers, not of tuples."""
    if isinstance(kind, tuple):
        refuse(routine, f"{what} are tuples; make numbers of them by transform_iterator")
    return np.dtype(kind)
