"""Types of elements and operators of collective calls, by oneCCL's names.

Non-goals: combining (``ranks.links.arithmetic``). Invariant: each has one name, which all ranks
compare.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import unisycl as sycl
from unisycl.oneapi.frame.refusals import refuse


class datatype(enum.Enum):
    """The types of elements that oneCCL names."""

    int8 = "int8"
    uint8 = "uint8"
    int16 = "int16"
    uint16 = "uint16"
    int32 = "int32"
    uint32 = "uint32"
    int64 = "int64"
    uint64 = "uint64"
    float16 = "float16"
    float32 = "float32"
    float64 = "float64"
    bfloat16 = "bfloat16"


class reduction(enum.Enum):
    """The operators that oneCCL names; a function of two numbers, or of arrays, will do, too."""

    sum = "sum"
    prod = "prod"
    min = "min"
    max = "max"
    avg = "avg"


def dtype_of(routine: str, given: Any, found: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type that a call was given for its elements, or theirs."""
    if given is None:
        return found
    name = given.value if isinstance(given, datatype) else np.dtype(given).name
    if name != found.name:
        refuse(routine, f"the memory holds {found.name}, the call says {name}")
    return found


_FUNCTIONS = {id(sycl.plus): "sum", id(sycl.multiplies): "prod", id(sycl.minimum): "min",
              id(sycl.maximum): "max"}


@dataclass(frozen=True)
class Operator:
    """What combines elements: a name that ranks compare, and a function of two arrays if needed."""

    name: str
    function: Callable[[Any, Any], Any] | None = None


_NAMED = {r: Operator(r.value) for r in reduction}


def operator_of(routine: str, given: Any, dtype: np.dtype[Any],
                queue: sycl.queue | None) -> Operator:
    """Return the operator that a call was given."""
    named = _NAMED.get(given) if type(given) is reduction else None
    if named is not None:
        if named.name == "avg" and dtype.kind in "iub":
            refuse(routine, f"avg is for floats; the elements are {dtype.name}")
        return named
    if id(given) in _FUNCTIONS:
        return Operator(_FUNCTIONS[id(given)])
    if isinstance(given, np.ufunc):
        return Operator(given.__name__ + ".", given)
    if callable(given):
        return Operator(getattr(given, "__qualname__", type(given).__name__) + "()",
                        _Elementwise(given, queue))
    return refuse(routine, "the operator is one of reduction.sum, prod, min, max, avg, a function "
                  f"object such as sycl.plus, or a function of two, got {given!r}")


class _Elementwise:
    """Applies a function of the kernel language to the elements of two arrays, on a device."""

    def __init__(self, function: Any, queue: sycl.queue | None) -> None:
        self.function = function
        self.queue = sycl.queue(queue.get_device()) if queue is not None else sycl.queue()

    def __call__(self, a: Any, b: Any) -> Any:
        combine = self.function
        x, y, out = np.array(a), np.array(b), np.empty_like(a)
        if not out.size:
            return out

        def elements(i, x, y, out):  # type: ignore[no-untyped-def]
            out[i] = combine(x[i], y[i])
        self.queue.parallel_for(out.size, elements, x, y, out).wait()
        return out
