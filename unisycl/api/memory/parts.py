"""Which piece of memory an index names, for memory that the host cannot look into.

Non-goals: reading elements, indices that copy (arrays, masks). Invariant: a part is one piece,
as pointers and kernels take it.
"""

from __future__ import annotations

import operator
from typing import Any

from unisycl.base.errors import UsageError, errc


def piece(index: tuple[Any, ...], shape: tuple[int, ...]) -> tuple[int, tuple[int, ...]] | None:
    """Return how many elements lie before a part, and its shape; None for a single element.

    Raises ``IndexError`` as NumPy does, and ``errc.invalid`` where the part lies in several pieces.
    """
    if index.count(...) == 1:
        at = index.index(...)
        gap = len(shape) - len(index) + 1
        index = (*index[:at], *(slice(None),) * gap, *index[at + 1:])
    if len(index) > len(shape):
        raise IndexError(f"too many indices: the memory is {len(shape)}-dimensional, but "
                         f"{len(index)} were indexed")
    index += (slice(None),) * (len(shape) - len(index))
    skip, kept, broad = 0, [], False
    for axis, (part, extent) in enumerate(zip(index, shape, strict=True)):
        first, count = _along(part, extent, axis)
        if broad and count != extent:
            raise _in_pieces()
        broad = broad or count != 1
        skip = skip * extent + first
        if isinstance(part, slice):
            kept.append(count)
    return (skip, tuple(kept)) if kept else None


def _along(part: Any, extent: int, axis: int) -> tuple[int, int]:
    """Return where a part begins along an axis, and how many elements it has there."""
    if isinstance(part, slice):
        first, last, step = part.indices(extent)
        count = len(range(first, last, step))
        if step != 1 and count > 1:
            raise _in_pieces()
        return first if count else 0, count
    try:
        at = operator.index(part)
    except TypeError:
        raise _in_pieces() from None
    if not -extent <= at < extent:
        raise IndexError(f"index {at} is out of bounds for axis {axis} with size {extent}")
    return at % extent, 1


def _in_pieces() -> UsageError:
    return UsageError(errc.invalid, "a part of a device allocation must be one piece of memory: "
                      "p[a:b], p[i], p[i, a:b]; queue.ext_oneapi_memcpy2d copies rectangles, and "
                      "a kernel gathers anything else")
