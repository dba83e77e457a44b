"""Range mappers: which elements of a buffer a part of an index space uses.

Non-goals: checking that a kernel keeps to them. Invariant: a mapper gives the same answer on every
rank, since all ranks ask for the parts of all.
"""

from __future__ import annotations

import builtins
import functools
import inspect
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, NamedTuple

from unisycl.base import geometry as geo
from unisycl.base.errors import UsageError, errc
from unisycl.ranks.graph.boxes import Box, whole


class chunk(NamedTuple):
    """A part of an index space, as range mappers are asked for it.

    ``start`` and ``extent`` are the part; ``space`` is the whole index space.
    """

    start: tuple[int, ...]
    extent: tuple[int, ...]
    space: tuple[int, ...]

    @property
    def end(self) -> tuple[int, ...]:
        """Where the part ends in each dimension."""
        return tuple(a + n for a, n in zip(self.start, self.extent, strict=True))


class Mapper:
    """What all range mappers have: a name that ranks compare, and ``box``."""

    pure = True

    def box(self, part: chunk, shape: tuple[int, ...]) -> Box | None:
        """Return the elements that a part of an index space uses; None for none of them."""
        raise NotImplementedError

    def key(self) -> Any:
        """Return what tells it from others of its class."""
        return ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapper) and type(self) is type(other) and self.key() == other.key()

    def __hash__(self) -> int:
        return hash((type(self), self.key()))

    def __repr__(self) -> str:
        inside = ", ".join(map(str, self.key()))
        name = type(self).__name__.strip("_")
        return f"{name}({inside})" if inside else name


def clipped(low: Sequence[int], high: Sequence[int], shape: tuple[int, ...]) -> Box | None:
    """Return the part of a box that lies in a buffer."""
    first = tuple([max(0, a) for a in low])
    last = tuple([min(n, b) for n, b in zip(shape, high, strict=True)])
    some = builtins.all(a < b for a, b in zip(first, last, strict=True))
    return Box(first, last) if some else None


def _same_dimensions(name: str, part: chunk, shape: tuple[int, ...]) -> None:
    if len(part.start) != len(shape):
        raise UsageError(errc.invalid, f"{name}: the index space has {len(part.start)} "
                         f"dimension(s), the buffer {len(shape)}; use slice, all, fixed or a "
                         "function")


class _one_to_one(Mapper):
    """Each work-item uses the element of its own id."""

    def box(self, part: chunk, shape: tuple[int, ...]) -> Box | None:
        _same_dimensions("one_to_one", part, shape)
        return clipped(part.start, part.end, shape)


class neighborhood(Mapper):
    """Each work-item uses elements around that of its id.

    Args:
        reach: how far in each dimension; the last one counts for those that follow.
    """

    def __init__(self, *reach: int) -> None:
        if not reach or min(reach) < 0:
            raise UsageError(errc.invalid, f"neighborhood: expected how many elements in each "
                             f"dimension, got {reach!r}")
        self.reach = reach

    def key(self) -> Any:
        return self.reach

    def box(self, part: chunk, shape: tuple[int, ...]) -> Box | None:
        _same_dimensions("neighborhood", part, shape)
        n = [self.reach[min(d, len(self.reach) - 1)] for d in range(len(shape))]
        return clipped([a - k for a, k in zip(part.start, n, strict=True)],
                       [b + k for b, k in zip(part.end, n, strict=True)], shape)


class slice(Mapper):
    """Each work-item uses all elements along one dimension, those of its id in the others.

    Args:
        dimension: the one that is used whole.
    """

    def __init__(self, dimension: int) -> None:
        if dimension not in (0, 1, 2):
            raise UsageError(errc.invalid, f"slice: expected a dimension, got {dimension!r}")
        self.dimension = dimension

    def key(self) -> Any:
        return (self.dimension,)

    def box(self, part: chunk, shape: tuple[int, ...]) -> Box | None:
        _same_dimensions("slice", part, shape)
        if self.dimension >= len(shape):
            raise UsageError(errc.invalid, f"slice: a buffer of {len(shape)} dimension(s) has no "
                             f"dimension {self.dimension}")
        low, high = list(part.start), list(part.end)
        low[self.dimension], high[self.dimension] = 0, shape[self.dimension]
        return clipped(low, high, shape)


class _all(Mapper):
    """Every work-item uses all elements."""

    def box(self, part: chunk, shape: tuple[int, ...]) -> Box | None:
        return whole(shape)

    def __call__(self) -> Mapper:
        return self


class fixed(Mapper):
    """Every work-item uses the same box of elements.

    Args:
        start: its first element in each dimension; extent: how many elements.
    """

    def __init__(self, start: Any, extent: Any) -> None:
        self.start, self.extent = tuple(geo.as_id(start)), tuple(geo.as_range(extent))

    def key(self) -> Any:
        return self.start, self.extent

    def box(self, part: chunk, shape: tuple[int, ...]) -> Box | None:
        if len(self.start) != len(shape) or len(self.extent) != len(shape):
            raise UsageError(errc.invalid, f"{self!r}: the buffer has {len(shape)} dimension(s)")
        return clipped(self.start, [a + n for a, n in zip(self.start, self.extent, strict=True)],
                       shape)


class even_split(Mapper):
    """Of parts of an index space of one dimension, each uses its share of the buffer's rows."""

    def box(self, part: chunk, shape: tuple[int, ...]) -> Box | None:
        rows, space = shape[0], max(1, part.space[0])
        low, high = part.start[0] * rows // space, part.end[0] * rows // space
        return clipped((low, *(0 for _ in shape[1:])), (high, *shape[1:]), shape)


class Function(Mapper):
    """A function of the program: of a ``chunk``, and of the buffer's shape if it takes two.

    It returns for each dimension a Python slice, or a pair of start and end.
    """

    pure = False

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = getattr(getattr(function, "func", function), "__qualname__",
                            type(function).__name__)
        self.takes = len(inspect.signature(function).parameters)

    def key(self) -> Any:
        return (self.name,)

    def box(self, part: chunk, shape: tuple[int, ...]) -> Box | None:
        found = self.function(part, shape) if self.takes > 1 else self.function(part)
        if found is None:
            return None
        try:
            if isinstance(found, builtins.slice) or (
                    len(shape) == 1 and len(found) == 2 and hasattr(found[0], "__index__")):
                found = (found,)
            sides = [_side(one, n) for one, n in zip(found, shape, strict=True)]
        except (TypeError, ValueError):
            raise UsageError(errc.invalid, f"range mapper '{self.name}': expected a slice or a "
                             f"(start, end) for each of {len(shape)} dimension(s), got "
                             f"{found!r}") from None
        return clipped([a for a, _ in sides], [b for _, b in sides], shape)

    def __repr__(self) -> str:
        return self.name


def _side(one: Any, extent: int) -> tuple[int, int]:
    if isinstance(one, builtins.slice):
        if one.step not in (None, 1):
            raise ValueError
        return (0 if one.start is None else int(one.start),
                extent if one.stop is None else int(one.stop))
    low, high = one
    return int(low), int(high)


_FUNCTIONS = (FunctionType, MethodType, BuiltinFunctionType, functools.partial)
one_to_one = _one_to_one()
all = _all()


def mapper_of(given: Any) -> Mapper | None:
    """Return the range mapper that an accessor was given; None if it is none."""
    if isinstance(given, Mapper):
        return given
    if given is even_split:
        return even_split()
    return Function(given) if isinstance(given, _FUNCTIONS) else None
