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
    try:
        found = np.dtype(kind)
    except TypeError as error:
        refuse(routine, f"{kind!r} is no type of numbers ({error})")
    if found.names is not None:
        refuse(routine, f"{what} are records; make numbers of them by transform_iterator")
    if found.kind not in "biufc":
        refuse(routine, f"{what} cannot be of type {found}, which kernels do not have")
    return found


def number(routine: str, what: str, value: Any, kind: np.dtype[Any]) -> Any:
    """Return a number as one of a type; refuse what is none there, or would lose its fraction."""
    text = f"{what}, {value!r}, is no value of elements of {kind}"
    if not isinstance(value, int | float | complex | np.generic | np.ndarray):
        refuse(routine, text)
    try:
        with np.errstate(all="ignore"):
            found = kind.type(value)
    except (TypeError, ValueError, OverflowError) as error:
        refuse(routine, f"{text} ({error})")
    lost = (found != value if kind.kind in "biu" else np.isinf(found) and not np.isinf(value)
            if kind.kind == "f" else False)
    if lost or (kind.kind != "c" and np.iscomplexobj(value)):
        refuse(routine, f"{text}; it would become {found}")
    return found


def check_room(routine: str, what: str, kind: Type, most: int) -> None:
    """Refuse memory of numbers that cannot hold all whole numbers up to one."""
    if isinstance(kind, tuple) or kind.kind not in "biuf":
        return
    limit = {"b": 1, "f": 1 << (np.finfo(kind).nmant + 1 if kind.kind == "f" else 0)}.get(
        kind.kind) or int(np.iinfo(kind).max)
    if most > limit:
        refuse(routine, f"{what} has elements of {kind}, which cannot hold {most}")
