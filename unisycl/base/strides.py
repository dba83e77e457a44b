"""How the elements of an array lie in memory: steps of whole elements, or none kernels know.

Non-goals: types. Invariant: pitches count elements, are negative where the array runs backwards,
and are those of a dense array in dimensions of one element, where no step is ever taken.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def pitches(array: Array) -> tuple[int, ...] | None:
    """Return how many elements a step in each dimension spans; None if one is no whole number."""
    size, found, dense = array.itemsize, [], 1
    for extent, stride in zip(reversed(array.shape), reversed(array.strides), strict=True):
        if extent == 1:
            found.append(dense)
        elif not size or stride % size:
            return None
        else:
            found.append(stride // size)
        dense *= extent
    return tuple(reversed(found))


def shares_elements(shape: tuple[int, ...], steps: tuple[int, ...]) -> bool:
    """Say whether two indices may lead to one element, as in broadcast arrays."""
    span = 1
    for step, extent in sorted((abs(s), e) for s, e in zip(steps, shape, strict=True) if e > 1):
        if step < span:
            return True
        span += step * (extent - 1)
    return False


def whole(array: Array) -> tuple[Array, int]:
    """Return all memory between an array's elements, dense, and where its first element lies."""
    shape, steps = array.shape, pitches(array)
    assert steps is not None
    ends = [s * (e - 1) for s, e in zip(steps, shape, strict=True)]
    low, high = sum(x for x in ends if x < 0), sum(x for x in ends if x > 0)
    flags = array.flags
    flat = np.asarray(_Bytes(array, low * array.itemsize, (high - low + 1) * array.itemsize,
                             bool(flags.writeable))).view(array.dtype)
    return flat, -low


def span_of(array: Array) -> tuple[int, int]:
    """Return the addresses of the first byte of an array's memory and of that behind it."""
    start: int = array.__array_interface__["data"][0]
    if array.flags.c_contiguous or not math.prod(array.shape):
        return start, start + array.nbytes
    ends = [s * (e - 1) for s, e in zip(array.strides, array.shape, strict=True)]
    return (start + sum(x for x in ends if x < 0),
            start + sum(x for x in ends if x > 0) + array.itemsize)


class _Bytes:
    """Bytes around an array's first one, for NumPy; keeps the array alive."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: Array, offset: int, count: int, writable: bool) -> None:
        self.owner = owner
        start: int = owner.__array_interface__["data"][0]
        self.__array_interface__ = {
            "data": (start + offset, not writable), "shape": (count,), "typestr": "|u1",
            "strides": None, "version": 3}
