"""``reducer``: what a kernel combines into (SYCL 2020 §4.9.2.3).

Non-goals: reductions themselves (host side). Invariant: its value cannot be read in a kernel; the
accumulator is None until something was combined where no identity is known.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from unisycl.base.errors import BoundsError, UsageError, errc
from unisycl.lang.index.place import Unconstructible
from unisycl.lang.numbers import function_objects
from unisycl.lang.numbers.convert import convert
from unisycl.lang.numbers.short_floats import wide


class reducer(Unconstructible):
    """A reduction variable inside a kernel (SYCL 2020 §4.9.2.3).

    ``combine(x)`` folds a value in; so does the assignment operator that matches the reduction's
    operator (``+=`` for ``plus``, ``*=``, ``&=``, ``|=``, ``^=``). It cannot be read. That of a
    span of variables is subscripted first: ``r[k] += x``.
    """

    __slots__ = ("_dtype", "_elements", "_identity", "_op", "_pairs", "_value", "_wide")
    _elements: tuple[reducer, ...]
    _pairs: tuple[reducer, ...]
    _op: Callable[[Any, Any], Any]
    _dtype: np.dtype[Any]
    _wide: np.dtype[Any]
    _identity: Any
    _value: Any

    @classmethod
    def _make(cls, op: Callable[[Any, Any], Any], dtype: np.dtype[Any], identity: Any,
              extent: int = 1, *, paired: bool = False, joint: bool = False) -> reducer:
        """Return a reducer of ``extent`` numbers; ``paired``: of half as many complex ones.

        ``joint``: these are combined as complex numbers, else part by part.
        """
        if joint:
            kind = np.result_type(dtype, np.complex64)
            return cls._make(op, kind, identity, extent // 2)
        made = object.__new__(cls)
        made._op = op
        made._dtype = dtype
        # SYCL's operators combine short floats in float32, here as in group functions.
        made._wide = wide(dtype) if isinstance(op, function_objects.function_object) else dtype
        made._identity = None if identity is None else convert(identity, made._wide)
        made._value = made._identity
        made._elements = (made,) if extent == 1 else tuple(
            cls._make(op, dtype, identity) for _ in range(extent))
        made._pairs = ()
        if paired:
            both = made._elements
            made._pairs = tuple(cls._pair(both[k:k + 2]) for k in range(0, extent, 2))
        return made

    @classmethod
    def _pair(cls, both: tuple[reducer, ...]) -> reducer:
        """Return the reducer of one complex number, whose parts are combined by two others."""
        made = object.__new__(cls)
        made._op, made._value, made._elements = both[0]._op, None, both
        made._dtype = np.result_type(both[0]._dtype, np.complex64)
        made._identity = made._dtype.type(0)
        made._pairs = (made,)
        return made

    def combine(self, partial: Any) -> Self:
        """Fold a value in, converted to the reduction's type first."""
        several = self._pairs or self._elements
        if len(several) > 1:
            raise UsageError(errc.invalid, f"this reduction is a span of {len(several)} "
                             "variables; combine into one of them: r[k].combine(x)")
        if self._pairs:
            whole = convert(partial, self._pairs[0]._dtype)
            re, im = self._pairs[0]._elements
            re.combine(whole.real)
            im.combine(whole.imag)
            return self
        x = convert(convert(partial, self._dtype), self._wide)
        self._value = x if self._value is None else convert(self._op(self._value, x), self._wide)
        return self

    def identity(self) -> Any:
        """Return the identity; ``errc.invalid`` if the reduction has none."""
        if self._pairs:
            return self._pairs[0]._identity
        if self._identity is None:
            raise UsageError(errc.invalid, "this reduction has no identity")
        return convert(self._identity, self._dtype)

    def __getitem__(self, index: int) -> reducer:
        place, several = operator.index(index), self._pairs or self._elements
        if not 0 <= place < len(several):
            raise BoundsError(errc.invalid, f"there is no variable {place} in a reduction of "
                              f"{len(several)}: valid is 0 to {len(several) - 1}")
        return several[place]

    def __setitem__(self, index: int, value: reducer) -> None:
        if value is not self[index]:  # Python stores what ``r[k] += x`` gave back
            raise UsageError(errc.invalid, "a reducer cannot be assigned to: combine into it")

    def _finish(self, place: Any, *, dropped: bool) -> None:
        """Combine with what the reduction variables hold, or replace it; none where none came."""
        whole = self._elements[0]._dtype
        cells = place if place.dtype == whole else place.view(whole)
        for k, one in enumerate(self._elements):
            if one._value is not None:
                cells[k] = convert(one._value if dropped else one._op(
                    convert(cells[k], one._wide), one._value), whole)

    def _assign(self, op: Any, spelling: str, partial: Any) -> Self:
        if self._op is not op:
            name = getattr(self._op, "__name__", "its operator")
            raise UsageError(errc.invalid, f"'{spelling}' belongs to {op.__name__}; this reduction "
                             f"combines by {name}: call combine()")
        return self.combine(partial)

    def __iadd__(self, partial: Any) -> Self:
        return self._assign(function_objects.plus, "+=", partial)

    def __imul__(self, partial: Any) -> Self:
        return self._assign(function_objects.multiplies, "*=", partial)

    def __iand__(self, partial: Any) -> Self:
        return self._assign(function_objects.bit_and, "&=", partial)

    def __ior__(self, partial: Any) -> Self:
        return self._assign(function_objects.bit_or, "|=", partial)

    def __ixor__(self, partial: Any) -> Self:
        return self._assign(function_objects.bit_xor, "^=", partial)

    def __repr__(self) -> str:
        return f"reducer({getattr(self._op, '__name__', self._op)!r}, {self._dtype})"
