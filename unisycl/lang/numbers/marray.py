"""``marray``: arrays of any fixed size with operators (SYCL 2020 §4.14.3).

Non-goals: swizzles and conversions, which only ``vec`` has. Invariant: elements lie as in a plain
array, without padding.
"""

from __future__ import annotations

import functools
import operator
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from unisycl.base.errors import UsageError, errc
from unisycl.lang.numbers.elements import (
    MOST,
    Elements,
    checked,
    elements_type,
    layout,
    maker,
    new_type,
)
from unisycl.lang.numbers.quick import hasten
from unisycl.lang.numbers.vec import SCALARS

_SCALARS = {"bool": np.bool_, **SCALARS}
_NAMES = {np.dtype(kind): name for name, kind in _SCALARS.items()}
_SHORT = (2, 3, 4, 8, 16)
ALIASES: tuple[str, ...] = tuple(f"m{name}{n}" for name in _SCALARS for n in _SHORT)
PUBLIC = ALIASES


class marray(metaclass=elements_type):
    """An array of a fixed number of elements, with operators (SYCL 2020 §4.14.3).

    Args:
        dtype: the type of an element: bool, an integer or a float.
        count: how many elements, from 1 to 1024.

    Returns the type, of which ``mfloat4``, ``mint2`` and so on are aliases. A type is called with
    nothing (zeros), one number (for all elements), or numbers and marrays that make up its size
    together. Operators work element by element, comparisons give bools.

    Example:
        >>> five = marray(np.float32, 5)
        >>> a = five(1, 2, 3, 4, 5)
        >>> a + 1 > 4
        marray(bool, 5)(False, False, False, True, True)
    """

    kind: ClassVar[str] = "marray"
    count: ClassVar[int]
    dtype: ClassVar[np.dtype[Any]]
    element: ClassVar[np.dtype[Any]]


@functools.cache
def _made(element: np.dtype[Any], count: int) -> elements_type:
    short = _NAMES.get(element)
    name = f"m{short}{count}" if short and count in _SHORT else f"marray({element}, {count})"
    found: elements_type = new_type(marray, name, element, layout(
        element, [f"s{k}" for k in range(count)], count * element.itemsize), count, Array)
    hasten(found)
    return found


def marray_of(dtype: npt.DTypeLike, count: int) -> elements_type:
    """Return the type of arrays of an element type and size."""
    try:
        size = operator.index(count)
    except TypeError:
        raise UsageError(errc.invalid, "marray: the number of elements must be an integer, got "
                         f"{count!r}") from None
    if not 1 <= size <= MOST:
        raise UsageError(errc.invalid, f"marray: {size} elements are not possible; use 1 to {MOST}")
    return _made(checked("marray", dtype), size)


maker("marray", marray_of)


class Array(Elements):  # type: ignore[misc]
    """A value of a marray type; arrays of marray types give these."""

    __slots__ = ()


def __getattr__(name: str) -> Any:
    """Return one of the aliases: ``mfloat4`` is ``marray(np.float32, 4)``."""
    if name not in ALIASES:
        raise AttributeError(f"unisycl has no array type '{name}'")
    letters = name.rstrip("0123456789")
    return marray_of(_SCALARS[letters[1:]], int(name[len(letters):]))


__all__ = ["ALIASES", "PUBLIC", "Array", "marray", "marray_of"]
