"""``range``, ``id`` and ``nd_range``: index spaces of one to three dimensions (SYCL 2020 §4.9.1).

Non-goals: work-items (see ``lang``). Invariant: immutable values; the last dimension runs fastest.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self, SupportsIndex

import numpy as np

from unisycl.base import deprecation
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import RAISED, shorten

_Operand = Any
_DIMENSIONS = (1, 2, 3)


def _fields(what: str, values: tuple[Any, ...]) -> tuple[int, ...]:
    """Turn constructor arguments into one to three ints, or say why they are none."""
    if len(values) == 1 and (isinstance(values[0], _Index) or not hasattr(
            values[0], "__index__")) and not isinstance(values[0], builtins.range):
        try:
            values = tuple(values[0])
        except TypeError:
            raise UsageError(errc.invalid, f"{what}: expected 1 to 3 integers, got "
                             f"{type(values[0]).__name__}") from None
    if not 1 <= len(values) <= 3:
        raise UsageError(errc.invalid, f"{what}: expected 1 to 3 dimensions, got {len(values)}")
    values = tuple(_extent(what, v) if isinstance(v, builtins.range) else v for v in values)
    try:
        return tuple(operator.index(v) for v in values)
    except TypeError:
        raise UsageError(errc.invalid, f"{what}: every dimension must be an integer, got "
                         f"{values!r}") from None


def _extent(what: str, given: builtins.range) -> int:
    """Return the items of Python's ``range(n)``: as an extent it means as many, from 0 on."""
    if what != "range":
        raise UsageError(errc.invalid, f"{what}: {given!r} is Python's range, which is no place; "
                         f"give integers, such as {what}(3)")
    if given.start or given.step != 1:
        raise UsageError(errc.invalid, f"range: {given!r} is Python's range; an index space starts "
                         f"at 0 and takes steps of 1: give range({len(given)}), and compute in the "
                         "kernel what the ids stand for")
    return len(given)


class _Index:
    """Shared behaviour of ``range`` and ``id``: element access and element-wise operators."""

    __slots__ = ("_v",)
    _v: tuple[int, ...]

    def __init__(self, *values: Any) -> None:
        self._v = _fields(type(self).__name__, values)

    @classmethod
    def _make(cls, values: Iterable[int]) -> Self:
        made = object.__new__(cls)
        made._v = tuple(values)
        return made

    @property
    def dimensions(self) -> int:
        """The number of dimensions, 1 to 3."""
        return len(self._v)

    def get(self, dimension: int) -> int:
        """Return the value of one dimension; ``errc.invalid`` if there is no such dimension."""
        if not 0 <= dimension < len(self._v):
            raise UsageError(errc.invalid, f"{type(self).__name__} has {len(self._v)} "
                             f"dimension(s); dimension {dimension} does not exist")
        return self._v[dimension]

    def __getitem__(self, dimension: SupportsIndex) -> int:
        if not 0 <= operator.index(dimension) < len(self._v):
            raise IndexError(f"{type(self).__name__} has {len(self._v)} dimension(s); "
                             f"dimension {dimension} does not exist")
        return self._v[dimension]

    def __len__(self) -> int:
        return len(self._v)

    def __iter__(self) -> Iterator[int]:
        return iter(self._v)

    def __index__(self) -> int:
        if len(self._v) != 1:
            raise TypeError(f"only a one-dimensional {type(self).__name__} converts to int; "
                            f"this one has {len(self._v)}")
        return self._v[0]

    __int__ = __index__

    def __bool__(self) -> bool:
        # In one dimension an id is its int, so "if it.get_global_id() < n" must not ask len().
        if len(self._v) != 1:
            raise TypeError(f"the truth of {self!r} is ambiguous: it has {len(self._v)} dimensions")
        return bool(self._v[0])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Index):
            return type(self) is type(other) and self._v == other._v
        if isinstance(other, int) and len(self._v) == 1:
            return self._v[0] == other
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._v)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(str, self._v))})"

    def _with(self, other: _Operand, fn: Callable[[int, int], Any], *, swap: bool = False) -> Any:
        if isinstance(other, _Index):
            if len(other._v) != len(self._v):
                raise UsageError(errc.invalid, f"{self!r} and {other!r} differ in dimensions")
            theirs = other._v
        elif hasattr(other, "__index__"):
            theirs = (operator.index(other),) * len(self._v)
        else:
            return self._number(other, fn, swap=swap)
        left, right = (theirs, self._v) if swap else (self._v, theirs)
        pairs = zip(left, right, strict=True)
        return self._make(int(fn(a, b)) for a, b in pairs)

    def _number(self, other: Any, fn: Callable[[Any, Any], Any], *, swap: bool) -> Any:
        """In one dimension an id is its integer: with a float it gives what that integer gives."""
        if len(self._v) != 1 or not isinstance(other, float | np.floating):
            return NotImplemented
        fn = operator.truediv if fn is _divide else fn
        return fn(other, self._v[0]) if swap else fn(self._v[0], other)

    # NumPy's scalars leave operators with an id on the right to the id.
    __array_ufunc__ = None

    def __pow__(self, other: Any) -> Any:
        return operator.index(self) ** other if len(self._v) == 1 else NotImplemented

    def __rpow__(self, other: Any) -> Any:
        return other ** operator.index(self) if len(self._v) == 1 else NotImplemented

    def __float__(self) -> float:
        return float(operator.index(self))

    def __abs__(self) -> int:
        return abs(operator.index(self))

    def __pos__(self) -> Self:
        return self

    def __neg__(self) -> Self:
        return self._make(-a for a in self._v)


def _divide(a: int, b: int) -> int:
    """Return the quotient that ``/`` of two ids gives, an integer as in C++."""
    return a // b


_OPERATORS: dict[str, Callable[[int, int], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul,
    "floordiv": operator.floordiv, "truediv": _divide, "mod": operator.mod,
    "lshift": operator.lshift, "rshift": operator.rshift,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor,
}
_COMPARISONS: dict[str, Callable[[int, int], Any]] = {
    "lt": operator.lt, "gt": operator.gt, "le": operator.le, "ge": operator.ge,
}


def _install() -> None:
    """Give ``_Index`` the operators of SYCL 2020 §4.9.1.1, element by element, on both sides."""
    def binary(fn: Callable[[int, int], Any], *, swap: bool) -> Callable[[Any, Any], Any]:
        return lambda self, other: self._with(other, fn, swap=swap)
    for name, fn in _OPERATORS.items():
        setattr(_Index, f"__{name}__", binary(fn, swap=False))
        setattr(_Index, f"__r{name}__", binary(fn, swap=True))
    for name, fn in _COMPARISONS.items():
        setattr(_Index, f"__{name}__", binary(fn, swap=False))


_install()


class range(_Index):
    """The extent of an index space in one to three dimensions (SYCL 2020 §4.9.1.1).

    ``range(4, 8)`` has 32 points; the last dimension runs fastest. Operators work element by
    element. Raises ``errc.invalid`` for no, too many or non-integer dimensions, or a negative one.
    """

    __slots__ = ()

    def __init__(self, *values: Any) -> None:
        if len(values) in _DIMENSIONS:
            for value in values:  # as most are made, often for each launch
                if type(value) is not int or value < 0:
                    break
            else:
                self._v = values
                return
        try:
            super().__init__(*values)
            if min(self._v) < 0:
                raise UsageError(errc.invalid, f"a range cannot be negative: {self!r}")
        except RAISED as error:
            shorten(error)
            raise

    def size(self) -> int:
        """Return the number of points."""
        return math.prod(self._v)


class id(_Index):
    """A point of an index space (SYCL 2020 §4.9.1.3).

    Made of ints, a tuple, a range or an item; without arguments the origin of one dimension.
    """

    __slots__ = ()

    def __init__(self, *values: Any) -> None:
        try:
            if len(values) == 1 and hasattr(values[0], "get_id"):
                values = tuple(values[0].get_id())
            super().__init__(*(values or (0,)))
        except RAISED as error:
            shorten(error)
            raise


_ORIGINS = {n: id(*(0,) * n) for n in _DIMENSIONS}


class nd_range:
    """A global range cut into equal work-groups (SYCL 2020 §4.9.1.2).

    Args:
        global_range: a range, an int or a tuple: how many work-items in all.
        local_range: the same number of dimensions: how many in a work-group; or ``auto_range()``.
        offset: added to every global id (deprecated in SYCL 2020).

    Raises ``errc.nd_range`` where dimensions differ, a local size is not positive, or the global
    size is not a multiple of the local size.
    """

    __slots__ = ("_global", "_local", "_offset")
    _uneven = False

    def __init__(self, global_range: Any, local_range: Any, offset: Any = None) -> None:
        try:
            self._global = as_range(global_range)
            self._local = local_range.within(self._global) if isinstance(
                local_range, auto_range) else as_range(local_range)
            n = len(self._global._v)
            self._offset = _ORIGINS[n] if offset is None else as_id(offset)
            if offset is not None and not self._uneven:
                deprecation.warn("offsets of launches are deprecated in SYCL 2020; add the "
                                 "offset to the ids in the kernel")
            if len(self._local._v) != n or len(self._offset._v) != n:
                raise UsageError(errc.nd_range, f"nd_range: global {self._global!r}, local "
                                 f"{self._local!r} and offset {self._offset!r} differ in "
                                 "dimensions")
            if 0 not in self._global._v:
                pairs = zip(self._global._v, self._local._v, strict=True)
                for d, (whole, part) in enumerate(pairs):
                    if part <= 0 or whole % part:
                        self._check(d, whole, part)
        except RAISED as error:
            shorten(error)
            raise

    @classmethod
    def _make(cls, whole: tuple[int, ...], local: tuple[int, ...],
              offset: tuple[int, ...]) -> nd_range:
        """Return the nd_range of a launch that was checked."""
        made = object.__new__(cls)
        made._global, made._local, made._offset = range(*whole), range(*local), id(*offset)
        return made

    def _check(self, d: int, whole: int, part: int) -> None:
        if part <= 0:
            raise UsageError(errc.nd_range, f"nd_range: local size {part} in dimension {d} "
                             "must be positive")
        if whole % part and not self._uneven:
            up = -(-whole // part) * part
            raise UsageError(errc.nd_range, f"nd_range: global size {whole} in dimension {d} "
                             f"is not a multiple of the local size {part}; round it up to "
                             f"{up} and guard the kernel, or choose a local size that divides"
                             + (f"; the first number counts work-items, not groups: {whole} groups "
                                f"of {part} are {whole * part}" if whole < part else ""))

    def get_global_range(self) -> range:
        """Return the number of work-items in each dimension."""
        return self._global

    def get_local_range(self) -> range:
        """Return the number of work-items of one work-group in each dimension."""
        return self._local

    def get_group_range(self) -> range:
        """Return the number of work-groups in each dimension."""
        return range(*(g // s if g else 0 for g, s in zip(self._global, self._local, strict=True)))

    def get_offset(self) -> id:
        """Return the offset added to every global id."""
        return self._offset

    def extents(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return the global range, the local range and the offset as tuples (internal)."""
        return self._global._v, self._local._v, self._offset._v

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, nd_range):
            return NotImplemented
        return self.extents() == other.extents()

    def __hash__(self) -> int:
        return hash(self.extents())

    def __repr__(self) -> str:
        tail = f", {self._offset!r}" if any(self._offset) else ""
        return f"{type(self).__name__}({self._global!r}, {self._local!r}{tail})"


class auto_range:
    """A local range that unisycl chooses (sycl_ext_oneapi_auto_local_range).

    Args:
        dimensions: 1 to 3, those of the global range.

    ``nd_range((1000,), auto_range(1))`` has work-groups of 250: the largest size up to 256 that
    divides the global one, of the last dimension first.
    """

    __slots__ = ("dimensions",)

    def __init__(self, dimensions: int = 1) -> None:
        if dimensions not in (1, 2, 3):
            raise UsageError(errc.invalid, "auto_range: dimensions are 1, 2 or 3, not "
                             f"{dimensions!r}")
        self.dimensions = dimensions

    def within(self, whole: range) -> range:
        """Return the local range for a global one; ``errc.nd_range`` if dimensions differ."""
        if len(whole) != self.dimensions:
            raise UsageError(errc.nd_range, f"nd_range: global {whole!r} and auto_range("
                             f"{self.dimensions}) differ in dimensions")
        left, chosen = 256, []
        for extent in reversed(tuple(whole)):
            size = max((s for s in builtins.range(1, left + 1) if extent % s == 0), default=1)
            chosen.append(size if extent else 1)
            left //= chosen[-1]
        return range(*reversed(chosen))

    def __repr__(self) -> str:
        return f"auto_range({self.dimensions})"


class non_uniform_nd_range(nd_range):
    """An nd_range whose last work-groups may be smaller, as those of OpenCL 2 (OpenCL 3.0 §3.2.1).

    Where the local size does not divide the global one, the last work-group of that dimension has
    the work-items that are left: ``non_uniform_nd_range((10,), (4,))`` has groups of 4, 4 and 2.
    There are up to two sizes in one dimension, four in two, eight in three. In a kernel
    ``get_local_range`` and sub-groups are those of the group at hand.

    Args: those of ``nd_range``, which refuses sizes that do not divide (SYCL 2020 §4.9.1.2).
    """

    __slots__ = ()
    _uneven = True

    def get_group_range(self) -> range:
        """Return the number of work-groups in each dimension, those that are smaller included."""
        return range(*(-(-g // s) if g else 0
                       for g, s in zip(self._global, self._local, strict=True)))


def as_range(value: Any) -> range:
    """Return a ``range`` from a range, an int or a sequence of ints."""
    return value if isinstance(value, range) else range(value)


def as_id(value: Any) -> id:
    """Return an ``id`` from an id, an int, a sequence of ints, a range or an item."""
    return value if isinstance(value, id) else id(value)


def linear_id(point: Iterable[int], extent: Iterable[int]) -> int:
    """Return the row-major position of a point (SYCL 2020 §3.11.1)."""
    place = 0
    for p, e in zip(point, extent, strict=True):
        place = place * e + p
    return place
