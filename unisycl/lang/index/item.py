"""``item``: the index object of a kernel over a ``range`` (SYCL 2020 §4.9.1.4).

Non-goals: work-groups. Invariant: in one dimension an item is the int ``get_id(0)`` wherever Python
or NumPy asks for a number, so ids stay weak operands (NEP 50).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.base.geometry import id, linear_id
from unisycl.lang.index.place import Space, Unconstructible, pick
from unisycl.lang.index.queries import id_query, range_query

_Operator = Callable[[Any, Any], Any]


def _plain(value: Any) -> Any:
    return value.__index__() if isinstance(value, item) else value


def _forward(fn: _Operator) -> Callable[[item, Any], Any]:
    return lambda self, other: fn(self.__index__(), _plain(other))


def _reverse(fn: _Operator) -> Callable[[item, Any], Any]:
    return lambda self, other: fn(_plain(other), self.__index__())


class item(Unconstructible):
    """A work-item of a ``parallel_for`` over a ``range`` (SYCL 2020 §4.9.1.4).

    In one dimension it behaves as the int ``get_id(0)`` in arithmetic, comparisons and indexing; in
    any number of dimensions it unpacks and indexes like its id.

    Example:
        >>> def kernel(i):
        ...     y[i] = 2 * x[i] + i.get_range(0)
    """

    __slots__ = ("_at", "_space")
    _at: tuple[int, ...]
    _space: Space

    @classmethod
    def _make(cls, at: tuple[int, ...], space: Space) -> item:
        made = object.__new__(cls)
        made._at = at
        made._space = space
        return made

    @property
    def dimensions(self) -> int:
        """The number of dimensions, 1 to 3."""
        return len(self._at)

    get_id = id_query(
        "item.get_id", lambda it: it._at,
        "the position in the range")
    get = get_global_id = get_id  # as SYCL 1.2 spells it (§3.7.1.4)
    get_range = range_query(
        "item.get_range", lambda it: it._space.range,
        "the range of the launch")

    get_global_range = get_range  # as SYCL 1.2 spells it (§3.7.1.4)

    def get_offset(self) -> id:
        """Return the offset of the launch (deprecated in SYCL 2020)."""
        return id._make(self._space.offset)

    def get_linear_id(self) -> int:
        """Return the row-major position in the range (SYCL 2020 §3.11.1)."""
        start = (a - o for a, o in zip(self._at, self._space.offset, strict=True))
        return linear_id(start, self._space.range)

    def __getitem__(self, dimension: int) -> int:
        return pick(self._at, dimension, "item")

    def __iter__(self) -> Iterator[int]:
        return iter(self._at)

    def __index__(self) -> int:
        if len(self._at) != 1:
            raise TypeError(f"only a one-dimensional item converts to int; this one has "
                            f"{len(self._at)} dimensions, so index it or unpack it: i, j = item")
        return self._at[0]

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    def __format__(self, spec: str) -> str:
        return format(self.__index__(), spec) if spec else str(self)

    def __bool__(self) -> bool:
        return bool(self.__index__())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, item):
            return self._at == other._at and self._space.range == other._space.range
        if isinstance(other, id):
            return self._at == tuple(other)
        return bool(self.__index__() == other) if len(self._at) == 1 else NotImplemented

    def __hash__(self) -> int:
        return hash(self._at[0] if len(self._at) == 1 else self._at)

    def __repr__(self) -> str:
        return f"item({', '.join(map(str, self._at))} of {', '.join(map(str, self._space.range))})"

    def __str__(self) -> str:
        """Return what ``print`` shows in a kernel on every device: the id."""
        shown = ", ".join(map(str, self._at))
        return shown if len(self._at) == 1 else f"id({shown})"

    def __array__(self, dtype: npt.DTypeLike | None = None,
                  copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self._at[0] if len(self._at) == 1 else self._at, dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(_plain, inputs), **options)

    __add__, __radd__ = _forward(operator.add), _reverse(operator.add)
    __sub__, __rsub__ = _forward(operator.sub), _reverse(operator.sub)
    __mul__, __rmul__ = _forward(operator.mul), _reverse(operator.mul)
    __truediv__, __rtruediv__ = _forward(operator.truediv), _reverse(operator.truediv)
    __floordiv__, __rfloordiv__ = _forward(operator.floordiv), _reverse(operator.floordiv)
    __mod__, __rmod__ = _forward(operator.mod), _reverse(operator.mod)
    __divmod__, __rdivmod__ = _forward(divmod), _reverse(divmod)
    __rpow__ = _reverse(operator.pow)
    __lshift__, __rlshift__ = _forward(operator.lshift), _reverse(operator.lshift)
    __rshift__, __rrshift__ = _forward(operator.rshift), _reverse(operator.rshift)
    __and__, __rand__ = _forward(operator.and_), _reverse(operator.and_)
    __or__, __ror__ = _forward(operator.or_), _reverse(operator.or_)
    __xor__, __rxor__ = _forward(operator.xor), _reverse(operator.xor)
    __lt__, __le__ = _forward(operator.lt), _forward(operator.le)
    __gt__, __ge__ = _forward(operator.gt), _forward(operator.ge)

    def __pow__(self, other: Any, mod: Any = None) -> Any:
        return pow(self.__index__(), _plain(other), _plain(mod))

    def __round__(self, digits: int | None = None) -> int:
        return round(self.__index__(), digits or 0)

    def __trunc__(self) -> int:
        return self.__index__()

    def __neg__(self) -> int:
        return -self.__index__()

    def __pos__(self) -> int:
        return self.__index__()

    def __abs__(self) -> int:
        return abs(self.__index__())

    def __invert__(self) -> int:
        return ~self.__index__()
